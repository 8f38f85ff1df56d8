/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * scatter.c - slices of a tensor replaced by others, or joined with them, at places that are
 * computed. Nothing but the slices is written: the output has the other elements already.
 *
 * All indices are checked before anything is written; one that is outside ends the run. Slices
 * of one place follow each other, whatever the number of threads: these share the rows of a slice
 * among them.
 */
#include "indices.h"
#include "ops/walk.h"

enum { OUTPUT = 0, UPDATES = 1 };

/* Rows of |columns| elements at |places| of |out|, in bytes, are joined with those at |updates|,
 * which lie |step| bytes apart. */
typedef void (*join_fn_t)(int32_t function, char* out, const uint64_t* places, int64_t count,
                          const char* updates, int64_t step, int64_t columns);

typedef struct scatter_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_scatter_t what;
  uint32_t depth;
  int64_t count;                                                  /* slices */
  uint64_t dims[ARMNN_ACC_MAX_RANK], strides[ARMNN_ACC_MAX_RANK]; /* of the axes, in bytes */
  armnn_i_acc_walk_t walk;                                        /* of one slice */
  join_fn_t join; /* null: rows are copied, whatever their elements are */
  bool has_rows;  /* the last dimension of the walk has no gaps */
  uint32_t threads;
} scatter_op_t;

typedef struct scatter_run_t {
  const scatter_op_t* op;
  const char *indices, *updates;
  char* output;
} scatter_run_t;

/* Most scattered rows are one element. */
#define FOR_EACH_ELEMENT(T, value)                            \
  for (int64_t i = 0; i < count; ++i) {                       \
    T* out = (T*)(to + places[i]);                            \
    const T* in = (const T*)(from + i * step);                \
    if (columns == 1) {                                       \
      const int64_t c = 0;                                    \
      out[c] = (value);                                       \
    } else {                                                  \
      for (int64_t c = 0; c < columns; ++c) out[c] = (value); \
    }                                                         \
  }                                                           \
  break

/* Sums of whole numbers wrap, as unsigned U. NaN on either side stays. */
#define DEFINE_JOIN(name, T, U)                                                       \
  static void name(int32_t function, char* to, const uint64_t* places, int64_t count, \
                   const char* from, int64_t step, int64_t columns) {                 \
    switch (function) {                                                               \
      case ARMNN_SCATTER_UPDATE:                                                      \
        FOR_EACH_ELEMENT(T, in[c]);                                                   \
      case ARMNN_SCATTER_ADD:                                                         \
        FOR_EACH_ELEMENT(T, (T)((U)out[c] + (U)in[c]));                               \
      case ARMNN_SCATTER_SUB:                                                         \
        FOR_EACH_ELEMENT(T, (T)((U)out[c] - (U)in[c]));                               \
      case ARMNN_SCATTER_MUL:                                                         \
        FOR_EACH_ELEMENT(T, (T)((U)out[c] * (U)in[c]));                               \
      case ARMNN_SCATTER_MAX:                                                         \
        FOR_EACH_ELEMENT(T, in[c] > out[c] || in[c] != in[c] ? in[c] : out[c]);       \
      default:                                                                        \
        FOR_EACH_ELEMENT(T, in[c] < out[c] || in[c] != in[c] ? in[c] : out[c]);       \
    }                                                                                 \
  }

DEFINE_JOIN(join_f32, float, float)
DEFINE_JOIN(join_s32, int32_t, uint32_t)
DEFINE_JOIN(join_s64, int64_t, uint64_t)

static join_fn_t join_of(int32_t data_type) {
  return data_type == ARMNN_DATA_TYPE_FLOAT32    ? join_f32
         : data_type == ARMNN_DATA_TYPE_SIGNED32 ? join_s32
         : data_type == ARMNN_DATA_TYPE_SIGNED64 ? join_s64
                                                 : NULL;
}

bool armnn_i_acc_has_scatter(int32_t function, int32_t data_type) {
  return function == ARMNN_SCATTER_UPDATE || join_of(data_type) != NULL;
}

/* The row of |count| slices of the updates that begins at |from|, to |places| of |to|. */
static void move_rows(const scatter_op_t* op, const char* from, char* to, const uint64_t* places,
                      int64_t count) {
  const uint32_t last = op->walk.rank - 1;
  const int64_t size = op->what.output.element.size, step = op->what.updates.strides[0];
  const int64_t dim = op->walk.dims[last], columns = op->has_rows ? dim : 1;
  for (int64_t c = 0; c < dim; c += columns) {
    char* out = to + c * op->walk.strides[OUTPUT][last] * size;
    const char* in = from + c * op->walk.strides[UPDATES][last] * size;
    if (op->join != NULL) {
      op->join(op->what.function, out, places, count, in, step, columns);
      continue;
    }
    for (int64_t i = 0; i < count; ++i) {
      armnn_i_acc_copy_piece(out + places[i], in + i * step, (size_t)(columns * size));
    }
  }
}

/* Rows [begin, end) of each slice. */
static armnn_status_t run_rows(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  (void)thread_index;
  const scatter_run_t* run = (const scatter_run_t*)argument;
  const scatter_op_t* op = run->op;
  const armnn_i_acc_scatter_t* what = &op->what;
  const int64_t size = what->output.element.size;
  for (uint64_t row = begin; row < end; ++row) {
    int64_t at[ARMNN_ACC_WALKED] = {0};
    armnn_i_acc_walk_offsets(&op->walk, 1, (int64_t)row, at);
    const char* from = run->updates + at[UPDATES] * size;
    for (int64_t first = 0; first < op->count; first += ARMNN_INDEX_BLOCK) {
      uint64_t places[ARMNN_INDEX_BLOCK];
      const int64_t count =
          op->count - first < ARMNN_INDEX_BLOCK ? op->count - first : ARMNN_INDEX_BLOCK;
      armnn_index_offsets(run->indices, what->indices.element.type, (uint64_t)first, count,
                          op->dims, op->depth, op->strides, places);
      move_rows(op, from + first * what->updates.strides[0], run->output + at[OUTPUT] * size,
                places, count);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_scatter(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const scatter_op_t* op = (const scatter_op_t*)base;
  const armnn_i_acc_tensor_t* indices = &op->what.indices;
  scatter_run_t self = {op, armnn_i_acc_address(run, indices),
                        armnn_i_acc_address(run, &op->what.updates),
                        armnn_i_acc_address(run, &op->what.output)};
  const armnn_status_t status =
      armnn_check_indices(self.indices, indices->element.type, (uint64_t)armnn_i_acc_count(indices),
                          op->dims, op->depth, 0, run->failure->error);
  if (status != ARMNN_STATUS_OK) {
    run->failure->status = status;
    return;
  }
  const int64_t columns = op->walk.dims[op->walk.rank - 1] * op->count;
  armnn_i_acc_parallel(run, run_rows, &self, (uint64_t)armnn_i_acc_walk_outer(&op->walk, 1),
                       (uint64_t)(ARMNN_ACC_PIECE / (columns + 1)) + 1, op->threads);
}

/* The dimensions of a slice: those of the output that are no axes, and those of the updates behind
 * the first. */
static void plan_slices(scatter_op_t* op) {
  const armnn_i_acc_scatter_t* what = &op->what;
  armnn_i_acc_walk_t* walk = &op->walk;
  uint32_t axes = 0;
  for (uint32_t i = 0; i < op->depth; ++i) axes |= 1u << what->axes[i];
  walk->tensors = 2;
  for (uint32_t d = 0; d < what->output.rank; ++d) {
    if ((axes >> d & 1u) != 0) continue;
    walk->dims[walk->rank] = what->output.dims[d];
    walk->strides[OUTPUT][walk->rank] = armnn_i_acc_step(&what->output, d);
    walk->strides[UPDATES][walk->rank] = armnn_i_acc_step(&what->updates, 1 + walk->rank);
    ++walk->rank;
  }
  armnn_i_acc_walk_join(walk);
  const uint32_t last = walk->rank - 1;
  op->has_rows = walk->dims[last] == 1 ||
                 (walk->strides[OUTPUT][last] == 1 && walk->strides[UPDATES][last] == 1);
}

armnn_status_t armnn_i_acc_make_scatter(const armnn_i_acc_maker_t* maker,
                                        const armnn_i_acc_scatter_t* what,
                                        armnn_i_acc_op_t** out_op) {
  const int32_t index_type = what->indices.element.type;
  if (what->updates.element.size != what->output.element.size ||
      !armnn_i_acc_has_scatter(what->function, what->output.element.type) ||
      (index_type != ARMNN_DATA_TYPE_SIGNED32 && index_type != ARMNN_DATA_TYPE_SIGNED64) ||
      !armnn_i_acc_is_dense(&what->indices)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  scatter_op_t* op = (scatter_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->depth = (uint32_t)what->indices.dims[1];
  op->count = what->indices.dims[0];
  op->join = join_of(what->output.element.type);
  for (uint32_t i = 0; i < op->depth; ++i) {
    op->dims[i] = (uint64_t)what->output.dims[what->axes[i]];
    op->strides[i] = (uint64_t)what->output.strides[what->axes[i]];
  }
  plan_slices(op);
  op->base.op.kernel = "armnn_any_scatter";
  op->base.op.run = run_scatter;
  op->threads = armnn_i_acc_threads(maker, 8 * (uint64_t)armnn_i_acc_count(&what->updates));
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
