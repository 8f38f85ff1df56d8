/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * whole_reduce.c - sums, means, extremes and products of int32 and int64 over any dimensions.
 *
 * Sums and products wrap, so that 32 bits of them need no more than 32 bits on the way; a mean of
 * int32 has its sum in 64. No order of the elements gives another result.
 */
#include "fold_walk.h"

enum { OUTPUT = 0, INPUT = 1 };

/* Numbers of some columns, as wide as the fold has them. */
typedef union folded_t {
  uint32_t u32[ARMNN_ACC_FOLD_COLUMNS];
  int32_t s32[ARMNN_ACC_FOLD_COLUMNS];
  uint64_t u64[ARMNN_ACC_FOLD_COLUMNS];
  int64_t s64[ARMNN_ACC_FOLD_COLUMNS];
} folded_t;

typedef struct fold_t {
  void (*start)(folded_t* folded, int64_t columns);
  /* Column 0 takes |count| elements side by side. */
  void (*row)(folded_t* folded, const char* input, int64_t count);
  /* |rows| rows of |count| elements side by side, each of which is one number of the output; rows
   * are |in_step| bytes apart, numbers |out_step|. */
  void (*rows)(const char* input, int64_t in_step, char* output, int64_t out_step, int64_t rows,
               int64_t count, int64_t divisor);
  /* Each column takes |rows| elements, |stride| bytes apart. */
  void (*columns)(folded_t* folded, const char* input, int64_t stride, int64_t rows,
                  int64_t columns);
  void (*finish)(const folded_t* folded, char* output, int64_t columns, int64_t divisor);
} fold_t;

typedef struct reduce_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t input, output;
  armnn_i_acc_fold_walk_t walk;
  const fold_t* fold;
  int64_t size, divisor;
  uint32_t threads;
} reduce_op_t;

typedef struct reduce_run_t {
  const reduce_op_t* op;
  const char* input;
  char* output;
} reduce_run_t;

/* Fold |name| of elements T into |member|, whose elements are A; |combine| is written in a and b,
 * |result| in a and divisor. */
#define FOLD(name, T, A, member, initial, combine, result)                                      \
  static void name##_start(folded_t* folded, int64_t columns) {                                 \
    for (int64_t c = 0; c < columns; ++c) folded->member[c] = (initial);                        \
  }                                                                                             \
  static inline A name##_sum(A a, const char* input, int64_t count) {                           \
    const T* x = (const T*)(const void*)input;                                                  \
    for (int64_t i = 0; i < count; ++i) {                                                       \
      const A b = (A)x[i];                                                                      \
      a = (combine);                                                                            \
    }                                                                                           \
    return a;                                                                                   \
  }                                                                                             \
  static void name##_row(folded_t* folded, const char* input, int64_t count) {                  \
    folded->member[0] = name##_sum(folded->member[0], input, count);                            \
  }                                                                                             \
  static void name##_rows(const char* input, int64_t in_step, char* output, int64_t out_step,   \
                          int64_t rows, int64_t count, int64_t divisor) {                       \
    (void)divisor;                                                                              \
    for (int64_t r = 0; r < rows; ++r) {                                                        \
      const A a = name##_sum((initial), input + r * in_step, count);                            \
      *(T*)(void*)(output + r * out_step) = (T)(result);                                        \
    }                                                                                           \
  }                                                                                             \
  static void name##_columns(folded_t* folded, const char* input, int64_t stride, int64_t rows, \
                             int64_t columns) {                                                 \
    for (int64_t r = 0; r < rows; ++r) {                                                        \
      const T* x = (const T*)(const void*)(input + r * stride);                                 \
      for (int64_t c = 0; c < columns; ++c) {                                                   \
        const A a = folded->member[c], b = (A)x[c];                                             \
        folded->member[c] = (combine);                                                          \
      }                                                                                         \
    }                                                                                           \
  }                                                                                             \
  static void name##_finish(const folded_t* folded, char* output, int64_t columns,              \
                            int64_t divisor) {                                                  \
    (void)divisor;                                                                              \
    for (int64_t c = 0; c < columns; ++c) {                                                     \
      const A a = folded->member[c];                                                            \
      ((T*)(void*)output)[c] = (T)(result);                                                     \
    }                                                                                           \
  }                                                                                             \
  static const fold_t name = {name##_start, name##_row, name##_rows, name##_columns, name##_finish};

FOLD(sum_s32, int32_t, uint32_t, u32, 0, a + b, a)
FOLD(product_s32, int32_t, uint32_t, u32, 1, a* b, a)
FOLD(most_s32, int32_t, int32_t, s32, INT32_MIN, b > a ? b : a, a)
FOLD(least_s32, int32_t, int32_t, s32, INT32_MAX, b < a ? b : a, a)
FOLD(mean_s32, int32_t, uint64_t, u64, 0, a + b, (int64_t)a / divisor)
FOLD(sum_s64, int64_t, uint64_t, u64, 0, a + b, a)
FOLD(product_s64, int64_t, uint64_t, u64, 1, a* b, a)
FOLD(most_s64, int64_t, int64_t, s64, INT64_MIN, b > a ? b : a, a)
FOLD(least_s64, int64_t, int64_t, s64, INT64_MAX, b < a ? b : a, a)
FOLD(mean_s64, int64_t, uint64_t, u64, 0, a + b, (int64_t)a / divisor)

#define FOLDS(suffix)                                                                \
  {                                                                                  \
      [ARMNN_REDUCE_SUM] = &sum_##suffix,      [ARMNN_REDUCE_MAX] = &most_##suffix,  \
      [ARMNN_REDUCE_MEAN] = &mean_##suffix,    [ARMNN_REDUCE_MIN] = &least_##suffix, \
      [ARMNN_REDUCE_PROD] = &product_##suffix,                                       \
  }

static const fold_t* fold_of(int32_t operation, int32_t data_type) {
  static const fold_t* const folds[][ARMNN_REDUCE_COUNT] = {FOLDS(s32), FOLDS(s64)};
  if (operation < 0 || operation >= ARMNN_REDUCE_COUNT) return NULL;
  if (!armnn_i_acc_has_whole_reduce(data_type)) return NULL;
  return folds[data_type == ARMNN_DATA_TYPE_SIGNED64][operation];
}

bool armnn_i_acc_has_whole_reduce(int32_t data_type) {
  return data_type == ARMNN_DATA_TYPE_SIGNED32 || data_type == ARMNN_DATA_TYPE_SIGNED64;
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const reduce_run_t* run = (const reduce_run_t*)argument;
  const reduce_op_t* op = run->op;
  const armnn_i_acc_fold_walk_t* walk = &op->walk;
  if (walk->last_is_folded && walk->row_count == 1 && walk->kept.rank == 1) {
    const int64_t in_step = walk->kept.strides[INPUT][0] * op->size;
    const int64_t out_step = walk->kept.strides[OUTPUT][0] * op->size;
    op->fold->rows(run->input + (int64_t)begin * in_step, in_step,
                   run->output + (int64_t)begin * out_step, out_step, (int64_t)(end - begin),
                   walk->last, op->divisor);
    return ARMNN_STATUS_OK;
  }
  folded_t folded;
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) {
    int64_t at[ARMNN_ACC_WALKED], inside[ARMNN_ACC_WALKED];
    const int64_t some = armnn_i_acc_fold_item(walk, i, at);
    const int64_t columns = walk->last_is_folded ? 1 : some;
    const int64_t column = walk->last_is_folded ? 0 : armnn_i_acc_fold_column(walk, i);
    const char* input = run->input + (at[INPUT] + column) * op->size;
    op->fold->start(&folded, columns);
    if (walk->last_is_folded) {
      for (int64_t r = 0; r < walk->row_count; ++r) {
        armnn_i_acc_walk_offsets(&walk->folded, 0, r, inside);
        op->fold->row(&folded, input + inside[INPUT] * op->size, walk->last);
      }
    } else {
      const int64_t stride = walk->folded.strides[INPUT][walk->folded.rank - 1] * op->size;
      for (int64_t r = 0; r < walk->folded_outer; ++r) {
        armnn_i_acc_walk_offsets(&walk->folded, 1, r, inside);
        op->fold->columns(&folded, input + inside[INPUT] * op->size, stride, walk->folded_rows,
                          columns);
      }
    }
    op->fold->finish(&folded, run->output + (at[OUTPUT] + column) * op->size, columns, op->divisor);
  }
  return ARMNN_STATUS_OK;
}

static void run_reduce(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const reduce_op_t* op = (const reduce_op_t*)base;
  reduce_run_t self = {op, (const char*)armnn_i_acc_address(run, &op->input),
                       (char*)armnn_i_acc_address(run, &op->output)};
  armnn_i_acc_parallel(run, run_items, &self, armnn_i_acc_fold_items(&op->walk), 1, op->threads);
}

armnn_status_t armnn_i_acc_make_whole_reduce(const armnn_i_acc_maker_t* maker,
                                             const armnn_i_acc_whole_reduce_t* what,
                                             armnn_i_acc_op_t** out_op) {
  const fold_t* fold = fold_of(what->operation, what->input.element.type);
  if (fold == NULL || what->output.element.type != what->input.element.type) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  reduce_op_t* op = (reduce_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->input = what->input;
  op->output = what->output;
  op->fold = fold;
  op->size = what->input.element.size;
  op->divisor = 1;
  armnn_i_acc_walk_t walk = {.rank = what->input.rank, .tensors = 2};
  for (uint32_t d = 0; d < walk.rank; ++d) {
    const bool is_folded = (what->axis_mask >> d & 1u) != 0;
    walk.dims[d] = what->input.dims[d];
    walk.strides[OUTPUT][d] = is_folded ? 0 : armnn_i_acc_step(&what->output, d);
    walk.strides[INPUT][d] = armnn_i_acc_step(&what->input, d);
    if (is_folded) op->divisor *= what->input.dims[d];
  }
  armnn_i_acc_fold_walk(&walk, 2, &op->walk);
  op->base.op.kernel = op->size == 8 ? "armnn_s64_reduce" : "armnn_s32_reduce";
  op->base.op.run = run_reduce;
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&what->input);
  op->threads = armnn_i_acc_threads(maker, 4 * op->base.op.operations);
  armnn_i_acc_fold_cut(&op->walk, op->threads, 4);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
