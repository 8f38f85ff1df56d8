/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * softmax.c - softmax and its logarithm along any dimension, in three passes: the largest, the
 * exponentials and their sum, the division. All three run over one row, or one block of columns,
 * while it is in the cache.
 */
#include "fold_walk.h"

enum { NUMBERS = 0, INPUT = 1, OUTPUT = 2 };
enum { PART_ROWS = 256 }; /* of a column, whose exponentials are added up in float */

typedef struct softmax_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t input, output;
  armnn_i_acc_fold_walk_t walk;
  const armnn_i_acc_reduce_kernels_t* kernels;
  const armnn_i_acc_move_kernels_t* moves;
  armnn_i_acc_apply_fn_t log;
  float beta;
  bool logarithm;
  uint32_t threads;
} softmax_op_t;

typedef struct softmax_run_t {
  const softmax_op_t* op;
  const float* input;
  float* output;
} softmax_run_t;

/* With a negative beta the smallest has the largest exponential. */
static int extreme_of(const softmax_op_t* op) {
  return op->beta < 0.0f ? ARMNN_ACC_FOLD_MINIMUM : ARMNN_ACC_FOLD_MAXIMUM;
}

static void along_row(const softmax_op_t* op, const float* in, float* out) {
  const size_t count = (size_t)op->walk.last;
  const float most = op->kernels->row[extreme_of(op)](in, count, 0.0f);
  const float sum = op->kernels->exp_row(in, op->logarithm ? NULL : out, count, op->beta, most);
  if (op->logarithm) {
    float logarithm;
    op->log(&sum, &logarithm, 1, 0.0f, 0.0f);
    op->kernels->normalize(in, out, count, most, op->beta, -logarithm, NULL, NULL);
  } else {
    op->kernels->normalize(out, out, count, 0.0f, 1.0f / sum, 0.0f, NULL, NULL);
  }
}

/* |rows| rows of |columns| columns, some floats apart. */
static void down_columns(const softmax_op_t* op, const float* in, int64_t in_stride, float* out,
                         int64_t out_stride, int64_t rows, size_t columns) {
  float most[ARMNN_ACC_FOLD_COLUMNS], sums[ARMNN_ACC_FOLD_COLUMNS], zero[ARMNN_ACC_FOLD_COLUMNS];
  double totals[ARMNN_ACC_FOLD_COLUMNS];
  for (size_t c = 0; c < columns; ++c) {
    most[c] = armnn_i_acc_fold_start(extreme_of(op));
    sums[c] = zero[c] = 0.0f;
    totals[c] = 0.0;
  }
  op->kernels->columns[extreme_of(op)](in, in_stride, (size_t)rows, columns, NULL, most);
  for (int64_t r = 0; r < rows; ++r) {
    op->kernels->exp_add(in + r * in_stride, op->logarithm ? NULL : out + r * out_stride, columns,
                         op->beta, most, sums);
    if (rows <= PART_ROWS || (r + 1 < rows && (r + 1) % PART_ROWS != 0)) continue;
    for (size_t c = 0; c < columns; ++c) {
      totals[c] += (double)sums[c];
      sums[c] = r + 1 < rows ? 0.0f : (float)totals[c];
    }
  }
  if (op->logarithm) { /* (x - most) beta - log sum */
    op->log(sums, sums, columns, 0.0f, 0.0f);
    for (size_t c = 0; c < columns; ++c) {
      sums[c] = -sums[c];
      zero[c] = op->beta;
    }
    for (int64_t r = 0; r < rows; ++r) {
      op->kernels->affine(in + r * in_stride, most, zero, sums, out + r * out_stride, columns);
    }
    return;
  }
  for (size_t c = 0; c < columns; ++c) sums[c] = 1.0f / sums[c];
  for (int64_t r = 0; r < rows; ++r) {
    op->kernels->affine(out + r * out_stride, zero, sums, zero, out + r * out_stride, columns);
  }
}

/* |rows| short rows, turned there and back. */
static void along_turned(const softmax_op_t* op, const float* in, int64_t in_step, float* out,
                         int64_t out_step, int64_t rows) {
  enum { MOST = ARMNN_ACC_FOLD_TURNED };
  const size_t last = (size_t)op->walk.last;
  float turned[ARMNN_ACC_FOLD_SHORT * MOST];
  for (int64_t begin = 0; begin < rows; begin += MOST) {
    const size_t some = (size_t)(rows - begin < MOST ? rows - begin : MOST);
    op->moves->transpose(in + begin * in_step, in_step, turned, MOST, some, last);
    down_columns(op, turned, MOST, turned, MOST, op->walk.last, some);
    op->moves->transpose(turned, MOST, out + begin * out_step, out_step, last, some);
  }
}

static void run_rows(const softmax_run_t* run, int64_t begin, int64_t end) {
  const softmax_op_t* op = run->op;
  while (begin < end) {
    int64_t at[ARMNN_ACC_WALKED] = {0}, steps[ARMNN_ACC_WALKED] = {0};
    armnn_i_acc_walk_offsets(&op->walk.kept, 0, begin, at);
    const int64_t rows = armnn_i_acc_fold_neighbours(&op->walk, begin, end, steps);
    const float* in = run->input + at[INPUT];
    float* out = run->output + at[OUTPUT];
    begin += rows;
    if (armnn_i_acc_fold_is_short(&op->walk)) {
      along_turned(op, in, steps[INPUT], out, steps[OUTPUT], rows);
      continue;
    }
    for (int64_t r = 0; r < rows; ++r)
      along_row(op, in + r * steps[INPUT], out + r * steps[OUTPUT]);
  }
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const softmax_run_t* run = (const softmax_run_t*)argument;
  const softmax_op_t* op = run->op;
  if (op->walk.last_is_folded) {
    run_rows(run, (int64_t)begin, (int64_t)end);
    return ARMNN_STATUS_OK;
  }
  const armnn_i_acc_walk_t* folded = &op->walk.folded;
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) {
    int64_t at[ARMNN_ACC_WALKED];
    const int64_t columns = armnn_i_acc_fold_item(&op->walk, i, at);
    const int64_t column = armnn_i_acc_fold_column(&op->walk, i);
    down_columns(op, run->input + at[INPUT] + column, folded->strides[INPUT][0],
                 run->output + at[OUTPUT] + column, folded->strides[OUTPUT][0],
                 op->walk.folded_rows, (size_t)columns);
  }
  return ARMNN_STATUS_OK;
}

static void run_softmax(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const softmax_op_t* op = (const softmax_op_t*)base;
  softmax_run_t self = {op, armnn_i_acc_address(run, &op->input),
                        armnn_i_acc_address(run, &op->output)};
  armnn_i_acc_parallel(run, run_items, &self, armnn_i_acc_fold_items(&op->walk), 1, op->threads);
}

armnn_status_t armnn_i_acc_make_softmax(const armnn_i_acc_maker_t* maker,
                                        const armnn_i_acc_softmax_t* what,
                                        armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_tensor_t *input = &what->input, *output = &what->output;
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, output);
  if (kernels == NULL || what->axis >= input->rank) return ARMNN_STATUS_UNSUPPORTED;
  softmax_op_t* op = (softmax_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->input = *input;
  op->output = *output;
  op->kernels = kernels->reduce;
  op->moves = kernels->move;
  op->log = kernels->elementwise->apply[ARMNN_ACC_LOG];
  op->beta = what->beta;
  op->logarithm = what->logarithm;
  armnn_i_acc_walk_t walk = {.rank = input->rank, .tensors = 3};
  int64_t stride = 1;
  for (uint32_t d = walk.rank; d-- > 0;) {
    walk.dims[d] = input->dims[d];
    walk.strides[NUMBERS][d] = d == what->axis ? 0 : stride;
    walk.strides[INPUT][d] = armnn_i_acc_step(input, d);
    walk.strides[OUTPUT][d] = armnn_i_acc_step(output, d);
    if (d != what->axis) stride *= input->dims[d];
  }
  armnn_i_acc_fold_walk(&walk, 3, &op->walk);
  op->base.op.kernel = op->kernels->softmax_name;
  op->base.op.run = run_softmax;
  op->base.op.operations = (uint64_t)armnn_i_acc_count(input);
  op->threads = armnn_i_acc_threads(maker, 32 * op->base.op.operations);
  armnn_i_acc_fold_cut(&op->walk, op->threads, kernels->lanes);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
