/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * reduce.c - sums, means, extremes and products over any dimensions.
 */
#include "fold_walk.h"

enum { OUTPUT = 0, INPUT = 1 };
enum { PIECES = 16 }; /* of a fold, whose sums are joined in float */

typedef struct reduce_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t input, output;
  armnn_i_acc_fold_walk_t walk;
  const armnn_i_acc_reduce_kernels_t* kernels;
  const armnn_i_acc_move_kernels_t* moves;
  int fold;
  float scale; /* of a mean */
  bool scaled;
  armnn_i_acc_apply_fn_t finish; /* or null */
  float a, b;
  uint32_t threads;
} reduce_op_t;

typedef struct reduce_run_t {
  const reduce_op_t* op;
  const float* input;
  float* output;
} reduce_run_t;

static void finish(const reduce_op_t* op, float* out, int64_t count) {
  if (op->scaled) {
    for (int64_t i = 0; i < count; ++i) out[i] *= op->scale;
  }
  if (op->finish != NULL) op->finish(out, out, (size_t)count, op->a, op->b);
}

static void start(const reduce_op_t* op, int64_t pieces, float* folds, double* totals,
                  int64_t count) {
  for (int64_t i = 0; i < count; ++i) folds[i] = armnn_i_acc_fold_start(op->fold);
  for (int64_t i = 0; pieces > PIECES && i < count; ++i) totals[i] = 0.0;
}

/* Behind |done| of |pieces|. Sums of many pieces are joined in double: rounding errors stay those
 * of PIECES of them. */
static void carry(const reduce_op_t* op, int64_t done, int64_t pieces, float* folds, double* totals,
                  int64_t count) {
  if (op->fold != ARMNN_ACC_FOLD_SUM || pieces <= PIECES) return;
  if (done < pieces && done % PIECES != 0) return;
  for (int64_t i = 0; i < count; ++i) {
    totals[i] += (double)folds[i];
    folds[i] = done < pieces ? 0.0f : (float)totals[i];
  }
}

static float fold_rows(const reduce_op_t* op, const float* input) {
  const armnn_i_acc_fold_walk_t* walk = &op->walk;
  double result = armnn_i_acc_fold_start(op->fold);
  for (int64_t r = 0; r < walk->row_count; ++r) {
    int64_t at[ARMNN_ACC_WALKED];
    armnn_i_acc_walk_offsets(&walk->folded, 0, r, at);
    const float row = op->kernels->row[op->fold](input + at[INPUT], (size_t)walk->last, 0.0f);
    result = op->fold == ARMNN_ACC_FOLD_SUM
                 ? result + (double)row
                 : (double)armnn_i_acc_fold_join(op->fold, (float)result, row);
  }
  return (float)result;
}

static void fold_columns(const reduce_op_t* op, const float* input, float* out, int64_t columns) {
  const armnn_i_acc_fold_walk_t* walk = &op->walk;
  const int64_t stride = walk->folded.strides[INPUT][walk->folded.rank - 1];
  double totals[ARMNN_ACC_FOLD_COLUMNS];
  start(op, walk->folded_outer, out, totals, columns);
  for (int64_t r = 0; r < walk->folded_outer; ++r) {
    int64_t at[ARMNN_ACC_WALKED];
    armnn_i_acc_walk_offsets(&walk->folded, 1, r, at);
    op->kernels->columns[op->fold](input + at[INPUT], stride, (size_t)walk->folded_rows,
                                   (size_t)columns, NULL, out);
    carry(op, r + 1, walk->folded_outer, out, totals, columns);
  }
}

/* |rows| short rows, turned: |in_step| and |out_step| apart, one number each. */
static void fold_turned(const reduce_op_t* op, const float* input, int64_t in_step, float* out,
                        int64_t out_step, int64_t rows) {
  enum { MOST = ARMNN_ACC_FOLD_TURNED };
  const armnn_i_acc_fold_walk_t* walk = &op->walk;
  float turned[ARMNN_ACC_FOLD_SHORT * MOST], folds[MOST];
  double totals[MOST];
  for (int64_t begin = 0; begin < rows; begin += MOST) {
    const int64_t some = rows - begin < MOST ? rows - begin : MOST;
    start(op, walk->row_count, folds, totals, some);
    for (int64_t r = 0; r < walk->row_count; ++r) {
      int64_t at[ARMNN_ACC_WALKED];
      armnn_i_acc_walk_offsets(&walk->folded, 0, r, at);
      op->moves->transpose(input + begin * in_step + at[INPUT], in_step, turned, MOST, (size_t)some,
                           (size_t)walk->last);
      op->kernels->columns[op->fold](turned, MOST, (size_t)walk->last, (size_t)some, NULL, folds);
      carry(op, r + 1, walk->row_count, folds, totals, some);
    }
    finish(op, folds, some);
    for (int64_t i = 0; i < some; ++i) out[(begin + i) * out_step] = folds[i];
  }
}

static void run_rows(const reduce_run_t* run, int64_t begin, int64_t end) {
  const reduce_op_t* op = run->op;
  while (begin < end) {
    int64_t at[ARMNN_ACC_WALKED] = {0}, steps[ARMNN_ACC_WALKED] = {0};
    armnn_i_acc_walk_offsets(&op->walk.kept, 0, begin, at);
    const int64_t rows = armnn_i_acc_fold_neighbours(&op->walk, begin, end, steps);
    const float* input = run->input + at[INPUT];
    float* out = run->output + at[OUTPUT];
    begin += rows;
    if (armnn_i_acc_fold_is_short(&op->walk)) {
      fold_turned(op, input, steps[INPUT], out, steps[OUTPUT], rows);
      continue;
    }
    for (int64_t r = 0; r < rows; ++r) {
      out[r * steps[OUTPUT]] = fold_rows(op, input + r * steps[INPUT]);
      finish(op, out + r * steps[OUTPUT], 1);
    }
  }
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const reduce_run_t* run = (const reduce_run_t*)argument;
  const reduce_op_t* op = run->op;
  if (op->walk.last_is_folded) {
    run_rows(run, (int64_t)begin, (int64_t)end);
    return ARMNN_STATUS_OK;
  }
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) {
    int64_t at[ARMNN_ACC_WALKED];
    const int64_t columns = armnn_i_acc_fold_item(&op->walk, i, at);
    const int64_t column = armnn_i_acc_fold_column(&op->walk, i);
    float* out = run->output + at[OUTPUT] + column;
    fold_columns(op, run->input + at[INPUT] + column, out, columns);
    finish(op, out, columns);
  }
  return ARMNN_STATUS_OK;
}

static void run_reduce(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const reduce_op_t* op = (const reduce_op_t*)base;
  reduce_run_t self = {op, armnn_i_acc_address(run, &op->input),
                       armnn_i_acc_address(run, &op->output)};
  armnn_i_acc_parallel(run, run_items, &self, armnn_i_acc_fold_items(&op->walk), 1, op->threads);
}

static int fold_of(int32_t operation) {
  switch (operation) {
    case ARMNN_REDUCE_SUM:
    case ARMNN_REDUCE_MEAN:
      return ARMNN_ACC_FOLD_SUM;
    case ARMNN_REDUCE_MAX:
      return ARMNN_ACC_FOLD_MAXIMUM;
    case ARMNN_REDUCE_MIN:
      return ARMNN_ACC_FOLD_MINIMUM;
    case ARMNN_REDUCE_PROD:
      return ARMNN_ACC_FOLD_PRODUCT;
    default:
      return -1;
  }
}

armnn_status_t armnn_i_acc_make_reduce(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_reduce_t* what,
                                       armnn_i_acc_op_t** out_op) {
  const int fold = fold_of(what->operation);
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  if (kernels == NULL || fold < 0 || what->epilogue.has_residual) return ARMNN_STATUS_UNSUPPORTED;
  reduce_op_t* op = (reduce_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->input = what->input;
  op->output = what->output;
  op->kernels = kernels->reduce;
  op->moves = kernels->move;
  op->fold = fold;
  armnn_i_acc_walk_t walk = {.rank = what->input.rank, .tensors = 2};
  int64_t folded = 1;
  for (uint32_t d = 0; d < walk.rank; ++d) {
    const bool is_folded = (what->axis_mask >> d & 1u) != 0;
    walk.dims[d] = what->input.dims[d];
    walk.strides[OUTPUT][d] = is_folded ? 0 : armnn_i_acc_step(&what->output, d);
    walk.strides[INPUT][d] = armnn_i_acc_step(&what->input, d);
    if (is_folded) folded *= what->input.dims[d];
  }
  armnn_i_acc_fold_walk(&walk, 2, &op->walk);
  if (what->operation == ARMNN_REDUCE_MEAN) {
    op->scaled = true;
    op->scale = (float)(1.0 / (double)folded);
  }
  if (what->epilogue.function != ARMNN_ACC_IDENTITY) {
    op->finish = kernels->elementwise->apply[what->epilogue.function];
    op->a = what->epilogue.a;
    op->b = what->epilogue.b;
  }
  op->base.op.kernel = op->kernels->names[fold];
  op->base.op.run = run_reduce;
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&what->input);
  op->threads = armnn_i_acc_threads(maker, 4 * op->base.op.operations);
  armnn_i_acc_fold_cut(&op->walk, op->threads, kernels->lanes);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
