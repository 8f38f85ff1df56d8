/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * trees.c - rows go down decision trees.
 *
 * LANES walks go on at a time: of rows down one tree, or of one row down as many trees. Each waits
 * for its own loads alone, so that their delays overlap. No step branches, because nearly all
 * branches of trees would be mispredicted. Nodes of one tree are next to each other, and serve
 * BLOCK rows while they are in the first cache.
 */
#include "indices.h"
#include "ops/op_base.h"

enum { LANES = 8, BLOCK = 64 };

/* Asks whether x <= split; next[0] is where this holds. NaN goes to next[nan]. */
typedef struct node_t {
  float split;
  uint32_t feature; /* in the upper bits; then NAN_SECOND and EQUAL */
  int32_t next[2];
} node_t;

enum { FLAGS = 2, NAN_SECOND = 1, EQUAL = 2 };

typedef struct trees_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t input, output;
  const node_t* nodes;
  const int32_t* roots;
  int64_t features, trees;
  bool has_equal; /* a node asks whether x == split */
  uint32_t threads;
} trees_op_t;

typedef struct trees_run_t {
  const trees_op_t* op;
  const float* input;
  int32_t* output;
} trees_run_t;

/* ---- Walks --------------------------------------------------------------------------------- */

/* |plain|: no question for equality, and no row with NaN. A walk that is at its leaf stays there.
 */
static inline __attribute__((always_inline)) void walk(const node_t* nodes,
                                                       const float* const rows[LANES],
                                                       int32_t at[LANES], bool plain) {
  for (int32_t all = 0; all >= 0;) {
    all = -1;
    for (int i = 0; i < LANES; ++i) {
      const int32_t here = at[i], leaf = here >> 31;
      const node_t* node = nodes + (here & ~leaf);
      const float x = rows[i][node->feature >> FLAGS];
      int second = !(x <= node->split);
      if (!plain) {
        if ((node->feature & EQUAL) != 0) second = !(x == node->split);
        if (x != x) second = (node->feature & NAN_SECOND) != 0;
      }
      at[i] = (node->next[second] & ~leaf) | (here & leaf);
      all &= at[i];
    }
  }
}

static void walk_plain(const node_t* nodes, const float* const rows[LANES], int32_t at[LANES]) {
  walk(nodes, rows, at, true);
}

static void walk_any(const node_t* nodes, const float* const rows[LANES], int32_t at[LANES]) {
  walk(nodes, rows, at, false);
}

/* Rows down each tree, LANES rows at a time. */
static void walk_rows(const trees_run_t* run, int64_t first, int64_t count, bool plain) {
  const trees_op_t* op = run->op;
  for (int64_t t = 0; t < op->trees; ++t) {
    for (int64_t row = first; row < first + count; row += LANES) {
      const float* rows[LANES];
      int32_t at[LANES];
      for (int i = 0; i < LANES; ++i) {
        rows[i] = run->input + (row + i) * op->features;
        at[i] = op->roots[t];
      }
      (plain ? walk_plain : walk_any)(op->nodes, rows, at);
      for (int i = 0; i < LANES; ++i) run->output[(row + i) * op->trees + t] = ~at[i];
    }
  }
}

/* One row down all trees, LANES of them at a time. */
static void walk_trees(const trees_run_t* run, int64_t row, bool plain) {
  const trees_op_t* op = run->op;
  for (int64_t t = 0; t < op->trees; t += LANES) {
    const float* rows[LANES];
    int32_t at[LANES];
    const int64_t left = op->trees - t;
    for (int i = 0; i < LANES; ++i) {
      rows[i] = run->input + row * op->features;
      at[i] = i < left ? op->roots[t + i] : -1;
    }
    (plain ? walk_plain : walk_any)(op->nodes, rows, at);
    for (int i = 0; i < LANES && i < left; ++i) run->output[row * op->trees + t + i] = ~at[i];
  }
}

static bool has_nan(const float* x, int64_t count) {
  int found = 0;
  for (int64_t i = 0; i < count; ++i) found |= x[i] != x[i];
  return found != 0;
}

static armnn_status_t run_rows(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  (void)thread_index;
  const trees_run_t* run = (const trees_run_t*)argument;
  const trees_op_t* op = run->op;
  for (int64_t row = (int64_t)begin; row < (int64_t)end; row += BLOCK) {
    const int64_t some = (int64_t)end - row < BLOCK ? (int64_t)end - row : BLOCK;
    const bool plain =
        !op->has_equal && !has_nan(run->input + row * op->features, some * op->features);
    const int64_t whole = some / LANES * LANES;
    if (whole > 0) walk_rows(run, row, whole, plain);
    for (int64_t i = whole; i < some; ++i) walk_trees(run, row + i, plain);
  }
  return ARMNN_STATUS_OK;
}

static void run_trees(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const trees_op_t* op = (const trees_op_t*)base;
  trees_run_t self = {op, (const float*)armnn_i_acc_address(run, &op->input),
                      (int32_t*)armnn_i_acc_address(run, &op->output)};
  armnn_i_acc_parallel(run, run_rows, &self, (uint64_t)op->input.dims[0], LANES, op->threads);
}

/* ---- Nodes --------------------------------------------------------------------------------- */

/* Each question as one for <= or ==. The split of x < s is the number before s. Without such a
 * number, or if s is NaN, all numbers have one answer: a number never equals NaN. */
static node_t node_of(const int32_t* fields, float split) {
  const int32_t question = fields[ARMNN_TREE_QUESTION] & ~ARMNN_TREE_NAN_HITS;
  const bool nan_hits = (fields[ARMNN_TREE_QUESTION] & ARMNN_TREE_NAN_HITS) != 0;
  const bool turned = question == ARMNN_TREE_GREATER || question == ARMNN_TREE_GREATER_OR_EQUAL ||
                      question == ARMNN_TREE_NOT_EQUAL;
  const bool strict = question == ARMNN_TREE_LESS || question == ARMNN_TREE_GREATER_OR_EQUAL;
  const bool equal = question == ARMNN_TREE_EQUAL || question == ARMNN_TREE_NOT_EQUAL;
  const int32_t hit = fields[ARMNN_TREE_HIT], miss = fields[ARMNN_TREE_MISS];
  /* Without an answer NaN misses, but that it differs from everything. */
  const int32_t nan = nan_hits || question == ARMNN_TREE_NOT_EQUAL ? hit : miss;
  node_t node = {.split = split, .next = {turned ? miss : hit, turned ? hit : miss}};
  node.feature = (uint32_t)fields[ARMNN_TREE_FEATURE] << FLAGS;
  if (strict) node.split = nextafterf(split, -INFINITY);
  if (equal) node.feature |= EQUAL;
  if (!equal && (split != split || (strict && split == -INFINITY))) {
    node = (node_t){NAN, node.feature | EQUAL, {nan, turned && split == split ? hit : miss}};
  }
  if (nan == node.next[1]) node.feature |= NAN_SECOND;
  return node;
}

armnn_status_t armnn_i_acc_make_trees(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_trees_t* what, armnn_i_acc_op_t** out_op) {
  const int64_t features = what->input.dims[1];
  if (!armnn_i_acc_is_dense(&what->input) || !armnn_i_acc_is_dense(&what->output) ||
      features > INT32_MAX >> FLAGS || what->count == 0 ||
      armnn_check_trees(what->nodes, what->count, what->roots, (uint64_t)what->output.dims[1],
                        (uint64_t)features, NULL) != ARMNN_STATUS_OK) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const size_t trees = (size_t)what->output.dims[1], bytes = what->count * sizeof(node_t);
  void* extra = NULL;
  trees_op_t* op =
      (trees_op_t*)armnn_i_acc_new_op(maker, sizeof *op, bytes + trees * sizeof *op->roots, &extra);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  node_t* nodes = (node_t*)extra;
  for (uint64_t k = 0; k < what->count; ++k) {
    nodes[k] = node_of(what->nodes + k * ARMNN_TREE_FIELDS, what->splits[k]);
    if ((nodes[k].feature & EQUAL) != 0) op->has_equal = true;
  }
  op->input = what->input;
  op->output = what->output;
  op->nodes = nodes;
  op->roots = memcpy((char*)extra + bytes, what->roots, trees * sizeof *op->roots);
  op->features = features;
  op->trees = (int64_t)trees;
  op->base.op.kernel = "armnn_f32_tree_leaves";
  op->base.op.run = run_trees;
  op->base.op.operations = 8 * (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, 8 * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
