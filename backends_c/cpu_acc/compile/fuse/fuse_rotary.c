/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_rotary.c - rotary embedding that networks spell out: pairs of numbers of the last dimension
 * of x, which are half of it apart or follow each other, are turned by angles.
 *
 * Either all numbers are multiplied by the cosines, and the others of their pairs, the second ones
 * negated, by the sines: x cos + turned(x) sin; or the two numbers of the pairs are taken apart,
 * turned, and joined: a cos - b sin and b cos + a sin. Where only the first numbers of a row are
 * turned and joined with the rest, that is part of it, too. What is taken apart and joined are
 * slices, reshapes and concatenations; all of it reads x and the angles once, and writes once.
 */
#include <string.h>

#include "compile/ir.h"

enum { PARTS = 16 };

/* What was found: x, the angles, and the nodes that become one. */
typedef struct rotary_t {
  uint32_t x, cosine, sine;
  bool neighbours;
  const ir_node_t* nodes[PARTS];
  uint32_t node_count;
} rotary_t;

static const ir_node_t* maker_of(const ir_graph_t* graph, uint32_t value) {
  const uint32_t producer = graph->values[value]->producer;
  return producer == IR_NONE ? NULL : graph->nodes[producer];
}

static void note(rotary_t* found, const ir_node_t* node) {
  if (found->node_count < PARTS) found->nodes[found->node_count++] = node;
}

/* |value| without the reshapes that made it: the same elements in the same order. */
static uint32_t unviewed(const ir_graph_t* graph, uint32_t value) {
  const ir_node_t* node = maker_of(graph, value);
  while (node != NULL && node->kind == IR_RESHAPE) {
    value = node->inputs[0];
    node = maker_of(graph, value);
  }
  return value;
}

/* Whether two values have the same shape, and elements that were reshaped from one value or are the
 * same constants. */
static bool same_values(const ir_graph_t* graph, uint32_t a, uint32_t b) {
  const ir_value_t *first = graph->values[a], *second = graph->values[b];
  if (!ir_same_shape(&first->shape, &second->shape)) return false;
  if (first->constant == NULL || second->constant == NULL) {
    return unviewed(graph, a) == unviewed(graph, b);
  }
  return first->element.type == second->element.type &&
         memcmp(first->constant, second->constant,
                (size_t)ir_count(&first->shape) * first->element.size) == 0;
}

static int64_t last_dim(const ir_graph_t* graph, uint32_t value) {
  const ir_shape_t* shape = ir_shape(graph, value);
  return shape->dims[shape->rank - 1];
}

/* Whether |a| is |b| but for the size of the last dimension. */
static bool same_rows(const ir_shape_t* a, const ir_shape_t* b) {
  if (a->rank != b->rank) return false;
  for (uint32_t d = 0; d + 1 < a->rank; ++d) {
    if (a->dims[d] != b->dims[d]) return false;
  }
  return true;
}

/* ---- Numbers of pairs ---------------------------------------------------------------------- */

/* The first or the second numbers of all pairs of |x|. */
typedef struct half_t {
  uint32_t x;
  bool second, neighbours;
  const ir_node_t* slice;
} half_t;

/* Whether |slice| takes all of the dimensions before the last. */
static bool takes_rows(const ir_graph_t* graph, const ir_node_t* slice) {
  const uint32_t last = ir_shape(graph, slice->output)->rank - 1;
  for (uint32_t d = 0; d < last; ++d) {
    if (slice->slice.begin[d] != 0 || slice->slice.stride[d] != 1) return false;
  }
  return same_rows(ir_shape(graph, slice->output), ir_shape(graph, slice->inputs[0]));
}

/* Whether the elements of |value| are those of such a half, in order. */
static bool match_half(const ir_graph_t* graph, uint32_t value, half_t* out) {
  const ir_node_t* slice = maker_of(graph, unviewed(graph, value));
  if (slice == NULL || slice->kind != IR_SLICE || !takes_rows(graph, slice)) return false;
  const uint32_t from = slice->inputs[0];
  const uint32_t last = ir_shape(graph, from)->rank - 1;
  const int64_t all = last_dim(graph, from), count = last_dim(graph, slice->output);
  const int64_t begin = slice->slice.begin[last], stride = slice->slice.stride[last];
  if (all != 2 * count) return false;
  *out = (half_t){.x = from, .slice = slice};
  if (count > 1 && stride == 1 && (begin == 0 || begin == count)) {
    out->second = begin == count;
    return true;
  }
  out->neighbours = true;
  out->second = begin == 1;
  if (count > 1) return stride == 2 && (begin == 0 || begin == 1);
  /* One of two: pairs are a dimension, which the last one of x was cut into. */
  const ir_node_t* cut = maker_of(graph, from);
  if (cut == NULL || cut->kind != IR_RESHAPE || last == 0) return false;
  out->x = cut->inputs[0];
  return last_dim(graph, out->x) == 2 * ir_shape(graph, from)->dims[last - 1];
}

/* ---- Pieces that are joined ---------------------------------------------------------------- */

/* The two pieces of |joined|, a CONCAT along the last dimension, in their order there. */
static bool two_pieces(const ir_graph_t* graph, const ir_node_t* joined, uint32_t* out_pieces) {
  const ir_shape_t* shape = ir_shape(graph, joined->output);
  if (joined->input_count != 2) return false;
  const uint32_t first = joined->concat.origins[0][shape->rank - 1] == 0 ? 0 : 1;
  for (uint32_t i = 0; i < 2; ++i) {
    out_pieces[i] = joined->inputs[i == 0 ? first : 1 - first];
    if (!same_rows(ir_shape(graph, out_pieces[i]), shape)) return false;
  }
  return joined->concat.origins[first][shape->rank - 1] == 0;
}

/* Whether |pieces| make rows of pairs again: halves of |pairs| each, or neighbours. */
static bool makes_pairs(const ir_graph_t* graph, const uint32_t* pieces, bool neighbours,
                        int64_t pairs) {
  const int64_t size = neighbours ? 1 : pairs;
  return last_dim(graph, pieces[0]) == size && last_dim(graph, pieces[1]) == size;
}

/* What makes |value|, through reshapes, if nobody else reads it or them. */
static const ir_node_t* sole_maker(const ir_graph_t* graph, uint32_t value) {
  const ir_node_t* node = armnn_i_acc_source(graph, value, 1);
  while (node != NULL && node->kind == IR_RESHAPE) {
    node = armnn_i_acc_source(graph, node->inputs[0], 1);
  }
  return node;
}

static bool is_binary(const ir_node_t* node, int32_t operation) {
  return node != NULL && node->kind == IR_BINARY && node->binary.operation == operation &&
         node->function == ARMNN_ACC_IDENTITY;
}

/* ---- x cos + turned(x) sin ----------------------------------------------------------------- */

static bool is_negation(const ir_node_t* node) {
  return node != NULL && node->kind == IR_UNARY &&
         (node->function == ARMNN_ACC_NEG ||
          (node->function == ARMNN_ACC_LINEAR && node->a == -1.0f && node->b == 0.0f));
}

/* Whether |value| has the other numbers of the pairs of |out->x|, the second ones negated. */
static bool match_turned(const ir_graph_t* graph, uint32_t value, rotary_t* out) {
  const ir_node_t* joined = sole_maker(graph, value);
  uint32_t pieces[2];
  half_t first, second;
  if (joined == NULL || joined->kind != IR_CONCAT || !two_pieces(graph, joined, pieces)) {
    return false;
  }
  const ir_node_t* negated = sole_maker(graph, pieces[0]);
  if (!is_negation(negated) || !match_half(graph, negated->inputs[0], &second) ||
      !match_half(graph, pieces[1], &first)) {
    return false;
  }
  if (!second.second || first.second || first.neighbours != second.neighbours ||
      !same_values(graph, first.x, second.x) ||
      !makes_pairs(graph, pieces, first.neighbours, last_dim(graph, first.x) / 2) ||
      !ir_same_shape(ir_shape(graph, value), ir_shape(graph, first.x))) {
    return false;
  }
  out->x = first.x;
  out->neighbours = first.neighbours;
  note(out, joined);
  note(out, negated);
  note(out, first.slice);
  note(out, second.slice);
  return true;
}

static bool match_sum(const ir_graph_t* graph, const ir_node_t* sum, rotary_t* out) {
  for (uint32_t side = 0; side < 2; ++side) {
    const ir_node_t* plain = armnn_i_acc_source(graph, sum->inputs[side], 1);
    const ir_node_t* other = armnn_i_acc_source(graph, sum->inputs[1 - side], 1);
    if (!is_binary(plain, ARMNN_BINARY_MUL) || !is_binary(other, ARMNN_BINARY_MUL)) return false;
    for (uint32_t i = 0; i < 2; ++i) {
      *out = (rotary_t){.sine = other->inputs[1 - i]};
      if (!match_turned(graph, other->inputs[i], out)) continue;
      for (uint32_t j = 0; j < 2; ++j) {
        if (!same_values(graph, plain->inputs[j], out->x)) continue;
        out->cosine = plain->inputs[1 - j];
        note(out, plain);
        note(out, other);
        return true;
      }
    }
  }
  return false;
}

/* ---- a cos - b sin and b cos + a sin ------------------------------------------------------- */

/* One product of numbers of pairs and angles. */
typedef struct product_t {
  half_t half;
  uint32_t angles;
  const ir_node_t* node;
} product_t;

/* The product that makes |value|, of the first or the |second| numbers of x, which are operand
 * |side|; angles may be halves of something, too. */
static bool match_side(const ir_graph_t* graph, uint32_t value, bool second, uint32_t side,
                       product_t* out) {
  out->node = armnn_i_acc_source(graph, value, 1);
  if (!is_binary(out->node, ARMNN_BINARY_MUL)) return false;
  const uint32_t numbers = out->node->inputs[side];
  out->angles = out->node->inputs[1 - side];
  return match_half(graph, numbers, &out->half) && out->half.second == second &&
         last_dim(graph, numbers) == last_dim(graph, out->half.x) / 2 &&
         ir_same_shape(ir_shape(graph, numbers), ir_shape(graph, value));
}

/* The same for the x of |like|. */
static bool match_product(const ir_graph_t* graph, uint32_t value, bool second,
                          const product_t* like, product_t* out) {
  for (uint32_t side = 0; side < 2; ++side) {
    if (match_side(graph, value, second, side, out) &&
        out->half.neighbours == like->half.neighbours &&
        same_values(graph, out->half.x, like->half.x)) {
      return true;
    }
  }
  return false;
}

/* The products a cos, b sin, b cos and a sin of a difference and a sum, the first of which has
 * numbers of x as its operand |side|. */
static bool match_products(const ir_graph_t* graph, const ir_node_t* difference,
                           const ir_node_t* sum, uint32_t side, product_t* out) {
  if (!match_side(graph, difference->inputs[0], false, side, &out[0]) ||
      !match_product(graph, difference->inputs[1], true, &out[0], &out[1])) {
    return false;
  }
  for (uint32_t i = 0; i < 2; ++i) {
    if (match_product(graph, sum->inputs[i], true, &out[0], &out[2]) &&
        match_product(graph, sum->inputs[1 - i], false, &out[0], &out[3])) {
      return same_values(graph, out[0].angles, out[2].angles) &&
             same_values(graph, out[1].angles, out[3].angles);
    }
  }
  return false;
}

static bool match_joined(const ir_graph_t* graph, const ir_node_t* joined, rotary_t* out) {
  uint32_t pieces[2];
  product_t products[4];
  if (!two_pieces(graph, joined, pieces)) return false;
  const ir_node_t *left = sole_maker(graph, pieces[0]), *right = sole_maker(graph, pieces[1]);
  if (!is_binary(left, ARMNN_BINARY_SUB) || !is_binary(right, ARMNN_BINARY_ADD) ||
      (!match_products(graph, left, right, 0, products) &&
       !match_products(graph, left, right, 1, products))) {
    return false;
  }
  *out = (rotary_t){.x = products[0].half.x,
                    .cosine = products[0].angles,
                    .sine = products[1].angles,
                    .neighbours = products[0].half.neighbours};
  note(out, joined);
  note(out, left);
  note(out, right);
  for (uint32_t i = 0; i < 4; ++i) {
    note(out, products[i].node);
    note(out, products[i].half.slice);
  }
  return same_rows(ir_shape(graph, products[0].node->output), ir_shape(graph, out->x)) &&
         makes_pairs(graph, pieces, out->neighbours, last_dim(graph, out->x) / 2);
}

/* ---- The pass ------------------------------------------------------------------------------ */

/* Whether |angles| have numbers for whole rows of |x|, or one for each pair. */
static bool are_angles(const ir_graph_t* graph, uint32_t angles, uint32_t x, int64_t size) {
  return ir_is_float32(graph, angles) &&
         ir_shape(graph, angles)->rank == ir_shape(graph, x)->rank &&
         last_dim(graph, angles) == size;
}

/* Node |n|, whose output has the shape of |found->x|, becomes a ROTARY; false if it cannot. */
static bool replace(ir_graph_t* graph, uint32_t n, const rotary_t* found) {
  ir_node_t* node = graph->nodes[n];
  const int64_t turned = last_dim(graph, found->x);
  const int64_t size = last_dim(graph, found->cosine);
  if (!ir_same_shape(ir_shape(graph, node->output), ir_shape(graph, found->x)) ||
      (size != turned && 2 * size != turned) || !are_angles(graph, found->cosine, found->x, size) ||
      !are_angles(graph, found->sine, found->x, size)) {
    return false;
  }
  for (uint32_t i = 0; i < found->node_count; ++i) {
    armnn_i_acc_adopt_layers(graph, node, found->nodes[i]);
  }
  const uint32_t inputs[] = {found->x, found->cosine, found->sine};
  node->kind = IR_ROTARY;
  node->rotary = (armnn_i_acc_rotary_t){.turned = turned, .neighbours = found->neighbours};
  armnn_i_acc_read_only(graph, n, inputs, 3);
  return true;
}

/* The number of the node that has the whole rows: of neighbours a reshape behind the CONCAT. */
static uint32_t whole_rows(const ir_graph_t* graph, uint32_t n, const rotary_t* found) {
  const ir_value_t* value = graph->values[graph->nodes[n]->output];
  if (!found->neighbours) return n;
  return value->uses == 1 && value->output == IR_NONE &&
                 graph->nodes[value->user]->kind == IR_RESHAPE
             ? value->user
             : IR_NONE;
}

/* A CONCAT at |n| of turned numbers of rows and of the others behind them: one ROTARY. */
static void join_rest(ir_graph_t* graph, uint32_t n) {
  ir_node_t* node = graph->nodes[n];
  uint32_t pieces[2];
  if (!two_pieces(graph, node, pieces)) return;
  const ir_node_t* rotary = armnn_i_acc_source_of(graph, pieces[0], IR_ROTARY, 1);
  const ir_node_t* rest = maker_of(graph, pieces[1]);
  const ir_node_t* begin = rotary == NULL ? NULL : maker_of(graph, rotary->inputs[0]);
  if (rest == NULL || begin == NULL || rest->kind != IR_SLICE || begin->kind != IR_SLICE ||
      rest->inputs[0] != begin->inputs[0] || !takes_rows(graph, rest) ||
      !takes_rows(graph, begin) ||
      !ir_same_shape(ir_shape(graph, rest->inputs[0]), ir_shape(graph, node->output))) {
    return;
  }
  const uint32_t last = ir_shape(graph, node->output)->rank - 1;
  const int64_t turned = last_dim(graph, pieces[0]);
  if (begin->slice.begin[last] != 0 || begin->slice.stride[last] != 1 ||
      rest->slice.begin[last] != turned || rest->slice.stride[last] != 1) {
    return;
  }
  const ir_node_t* parts[] = {rotary, rest, begin};
  for (uint32_t i = 0; i < 3; ++i) armnn_i_acc_adopt_layers(graph, node, parts[i]);
  const uint32_t inputs[] = {begin->inputs[0], rotary->inputs[1], rotary->inputs[2]};
  node->kind = IR_ROTARY;
  node->rotary = rotary->rotary;
  armnn_i_acc_read_only(graph, n, inputs, 3);
}

void armnn_i_acc_fuse_rotary(ir_graph_t* graph) {
  armnn_i_acc_count_uses(graph);
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    const ir_node_t* node = graph->nodes[n];
    rotary_t found;
    if (is_binary(node, ARMNN_BINARY_ADD) && match_sum(graph, node, &found)) {
      replace(graph, n, &found);
    } else if (node->kind == IR_CONCAT && match_joined(graph, node, &found)) {
      const uint32_t whole = whole_rows(graph, n, &found);
      if (whole != IR_NONE) replace(graph, whole, &found);
    }
    if (node->kind == IR_CONCAT) join_rest(graph, n);
  }
}
