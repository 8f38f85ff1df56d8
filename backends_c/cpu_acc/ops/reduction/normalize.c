/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * normalize.c - instance, layer, L2 and RMS normalisation: over any dimensions.
 *
 * The variance is that of the differences from the mean (two passes), not a difference of large
 * sums.
 */
#include "fold_walk.h"

enum { NUMBERS = 0, INPUT = 1, OUTPUT = 2, SCALES = 3 };

typedef struct normalize_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t input, output;
  armnn_i_acc_fold_walk_t walk;
  const armnn_i_acc_reduce_kernels_t* kernels;
  int32_t kind;
  float eps;
  double count; /* elements that are normalised together */
  const float *gamma, *beta;
  int64_t scale_step; /* of gamma along the last dimension: 0 or 1 */
  uint32_t threads;
} normalize_op_t;

typedef struct normalize_run_t {
  const normalize_op_t* op;
  const float* input;
  float* output;
} normalize_run_t;

static float gamma_at(const normalize_op_t* op, int64_t at) {
  return op->gamma != NULL ? op->gamma[at] : 1.0f;
}

static float beta_at(const normalize_op_t* op, int64_t at) {
  return op->beta != NULL ? op->beta[at] : -0.0f; /* which adds nothing to a zero either */
}

/* 1 / the divisor, from the sum of squares. */
static float inverse_of(const normalize_op_t* op, double squares) {
  if (op->kind == ARMNN_ACC_NORMALIZE_L2) {
    return (float)(1.0 / sqrt(squares < (double)op->eps ? (double)op->eps : squares));
  }
  return (float)(1.0 / sqrt(squares / op->count + (double)op->eps));
}

/* The last dimension is normalised over: rows. */
static void along_rows(const normalize_op_t* op, const float* in, float* out, int64_t scales) {
  const armnn_i_acc_fold_walk_t* walk = &op->walk;
  const size_t count = (size_t)walk->last;
  int64_t at[ARMNN_ACC_WALKED];
  double mean = 0.0, squares = 0.0;
  if (op->kind == ARMNN_ACC_NORMALIZE_MEAN_VARIANCE) {
    for (int64_t r = 0; r < walk->row_count; ++r) {
      armnn_i_acc_walk_offsets(&walk->folded, 0, r, at);
      mean += (double)op->kernels->row[ARMNN_ACC_FOLD_SUM](in + at[INPUT], count, 0.0f);
    }
    mean /= op->count;
  }
  for (int64_t r = 0; r < walk->row_count; ++r) {
    armnn_i_acc_walk_offsets(&walk->folded, 0, r, at);
    squares += (double)op->kernels->row[ARMNN_ACC_FOLD_SQUARES](in + at[INPUT], count, (float)mean);
  }
  const float inverse = inverse_of(op, squares);
  for (int64_t r = 0; r < walk->row_count; ++r) {
    armnn_i_acc_walk_offsets(&walk->folded, 0, r, at);
    const int64_t scale = scales + at[SCALES];
    if (op->scale_step == 0) {
      op->kernels->normalize(in + at[INPUT], out + at[OUTPUT], count, (float)mean,
                             inverse * gamma_at(op, scale), beta_at(op, scale), NULL, NULL);
    } else {
      op->kernels->normalize(in + at[INPUT], out + at[OUTPUT], count, (float)mean, inverse, -0.0f,
                             op->gamma != NULL ? op->gamma + scale : NULL,
                             op->beta != NULL ? op->beta + scale : NULL);
    }
  }
}

/* Sums of some columns over all rows that are normalised together. */
static void sum_columns(const normalize_op_t* op, int fold, const float* in, int64_t columns,
                        const float* shifts, double* sums) {
  const armnn_i_acc_fold_walk_t* walk = &op->walk;
  const int64_t stride = walk->folded.strides[INPUT][walk->folded.rank - 1];
  for (int64_t c = 0; c < columns; ++c) sums[c] = 0.0;
  for (int64_t r = 0; r < walk->folded_outer; ++r) {
    int64_t at[ARMNN_ACC_WALKED];
    float part[ARMNN_ACC_FOLD_COLUMNS];
    armnn_i_acc_walk_offsets(&walk->folded, 1, r, at);
    for (int64_t c = 0; c < columns; ++c) part[c] = 0.0f;
    op->kernels->columns[fold](in + at[INPUT], stride, (size_t)walk->folded_rows, (size_t)columns,
                               shifts, part);
    for (int64_t c = 0; c < columns; ++c) sums[c] += (double)part[c];
  }
}

/* The last dimension stays: a block of its columns. */
static void down_columns(const normalize_op_t* op, const float* in, float* out, int64_t scales,
                         int64_t columns) {
  const armnn_i_acc_fold_walk_t* walk = &op->walk;
  const uint32_t inner = walk->folded.rank - 1;
  const int64_t in_stride = walk->folded.strides[INPUT][inner];
  const int64_t out_stride = walk->folded.strides[OUTPUT][inner];
  int64_t at[ARMNN_ACC_WALKED];
  float means[ARMNN_ACC_FOLD_COLUMNS] = {0}, factors[ARMNN_ACC_FOLD_COLUMNS],
        shifts[ARMNN_ACC_FOLD_COLUMNS];
  double sums[ARMNN_ACC_FOLD_COLUMNS];
  if (op->kind == ARMNN_ACC_NORMALIZE_MEAN_VARIANCE) {
    sum_columns(op, ARMNN_ACC_FOLD_SUM, in, columns, NULL, sums);
    for (int64_t c = 0; c < columns; ++c) means[c] = (float)(sums[c] / op->count);
  }
  sum_columns(op, ARMNN_ACC_FOLD_SQUARES, in, columns, means, sums);
  for (int64_t c = 0; c < columns; ++c) {
    const int64_t scale = scales + c * op->scale_step;
    factors[c] = inverse_of(op, sums[c]) * gamma_at(op, scale);
    shifts[c] = beta_at(op, scale);
  }
  for (int64_t r = 0; r < walk->row_count; ++r) {
    armnn_i_acc_walk_offsets(&walk->folded, 1, r / walk->folded_rows, at);
    const int64_t row = r % walk->folded_rows;
    op->kernels->affine(in + at[INPUT] + row * in_stride, means, factors, shifts,
                        out + at[OUTPUT] + row * out_stride, (size_t)columns);
  }
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const normalize_run_t* run = (const normalize_run_t*)argument;
  const normalize_op_t* op = run->op;
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) {
    int64_t at[ARMNN_ACC_WALKED];
    const int64_t columns = armnn_i_acc_fold_item(&op->walk, i, at);
    const int64_t column = armnn_i_acc_fold_column(&op->walk, i);
    const float* in = run->input + at[INPUT] + column;
    float* out = run->output + at[OUTPUT] + column;
    if (op->walk.last_is_folded) {
      along_rows(op, in, out, at[SCALES]);
    } else {
      down_columns(op, in, out, at[SCALES] + column * op->scale_step, columns);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_normalize(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const normalize_op_t* op = (const normalize_op_t*)base;
  normalize_run_t self = {op, armnn_i_acc_address(run, &op->input),
                          armnn_i_acc_address(run, &op->output)};
  armnn_i_acc_parallel(run, run_items, &self, armnn_i_acc_fold_items(&op->walk), 1, op->threads);
}

/* The rows of a block of columns must share their scales. */
static bool scales_fit(const armnn_i_acc_fold_walk_t* walk) {
  if (walk->last_is_folded) return true;
  for (uint32_t d = 0; d < walk->folded.rank; ++d) {
    if (walk->folded.strides[SCALES][d] != 0) return false;
  }
  return true;
}

armnn_status_t armnn_i_acc_make_normalize(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_normalize_t* what,
                                          armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  if (kernels == NULL) return ARMNN_STATUS_UNSUPPORTED;
  const size_t scales =
      what->scale_axis < what->input.rank ? (size_t)what->input.dims[what->scale_axis] : 0;
  void* extra = NULL;
  normalize_op_t* op =
      (normalize_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 2 * scales * sizeof(float), &extra);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->input = what->input;
  op->output = what->output;
  op->kernels = kernels->reduce;
  op->kind = what->kind;
  op->eps = what->eps;
  if (what->gamma != NULL) op->gamma = memcpy(extra, what->gamma, scales * sizeof(float));
  if (what->beta != NULL) {
    op->beta = memcpy((float*)extra + scales, what->beta, scales * sizeof(float));
  }
  armnn_i_acc_walk_t walk = {.rank = what->input.rank, .tensors = 4};
  int64_t stride = 1;
  op->count = 1.0;
  for (uint32_t d = walk.rank; d-- > 0;) {
    const bool folded = (what->axis_mask >> d & 1u) != 0;
    walk.dims[d] = what->input.dims[d];
    walk.strides[NUMBERS][d] = folded ? 0 : stride;
    walk.strides[INPUT][d] = armnn_i_acc_step(&what->input, d);
    walk.strides[OUTPUT][d] = armnn_i_acc_step(&what->output, d);
    const bool scaled = what->gamma != NULL || what->beta != NULL;
    walk.strides[SCALES][d] = scaled && d == what->scale_axis && walk.dims[d] > 1 ? 1 : 0;
    if (folded) op->count *= (double)walk.dims[d];
    if (!folded) stride *= walk.dims[d];
  }
  armnn_i_acc_fold_walk(&walk, SCALES, &op->walk);
  op->scale_step = walk.strides[SCALES][walk.rank - 1] != 0 && op->walk.last > 1 ? 1 : 0;
  if (!scales_fit(&op->walk)) {
    armnn_i_acc_destroy_op(&op->base.op);
    return ARMNN_STATUS_UNSUPPORTED;
  }
  op->base.op.kernel = op->kernels->normalize_name;
  op->base.op.run = run_normalize;
  op->base.op.operations = 4 * (uint64_t)armnn_i_acc_count(&what->input);
  op->threads = armnn_i_acc_threads(maker, 4 * op->base.op.operations);
  armnn_i_acc_fold_cut(&op->walk, op->threads, kernels->lanes);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
