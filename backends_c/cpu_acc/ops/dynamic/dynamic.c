/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * dynamic.c - quantisation by the range that numbers have: the scales of rows, and the levels.
 */
#include "dynamic_row.h"

/* Elements of a piece of a row whose range a thread finds. */
enum { PIECE = 16384, CHUNK = 256 };

typedef struct dynamic_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t input, range, output;
  const armnn_i_acc_dynamic_kernels_t* kernels;
  int64_t rows, columns, pieces; /* of a row */
  bool symmetric;
  uint32_t threads;
} dynamic_op_t;

typedef struct dynamic_run_t {
  const dynamic_op_t* op;
  const float* input;
  const float* range;
  uint8_t* output;
  float* ends; /* the least and the greatest number of each piece */
} dynamic_run_t;

/* ---- Ranges -------------------------------------------------------------------------------- */

static armnn_status_t range_pieces(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  (void)thread_index;
  const dynamic_run_t* run = (const dynamic_run_t*)argument;
  const dynamic_op_t* op = run->op;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t row = item / op->pieces, first = item % op->pieces * PIECE;
    const int64_t left = op->columns - first, count = left < PIECE ? left : PIECE;
    float* ends = run->ends + 2 * item;
    ends[0] = ends[1] = 0.0f; /* which the range holds */
    op->kernels->range(run->input + row * op->columns + first, (size_t)count, &ends[0], &ends[1]);
  }
  return ARMNN_STATUS_OK;
}

static void run_range(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const dynamic_op_t* op = (const dynamic_op_t*)base;
  float* out = armnn_i_acc_address(run, &op->output);
  dynamic_run_t self = {
      .op = op, .input = armnn_i_acc_address(run, &op->input), .ends = (float*)(void*)run->scratch};
  armnn_i_acc_parallel(run, range_pieces, &self, (uint64_t)(op->rows * op->pieces), 1, op->threads);
  for (int64_t row = 0; row < op->rows; ++row) {
    const float* ends = self.ends + 2 * row * op->pieces;
    float least = 0.0f, most = 0.0f;
    for (int64_t p = 0; p < op->pieces; ++p) {
      least = ends[2 * p] < least ? ends[2 * p] : least;
      most = ends[2 * p + 1] > most ? ends[2 * p + 1] : most;
    }
    const armnn_dynamic_range_t range = armnn_dynamic_range(least, most, op->symmetric);
    out[row] = range.scale;
    out[op->rows + row] = range.zero_point;
    out[2 * op->rows + row] = range.factor;
  }
}

/* ---- Levels -------------------------------------------------------------------------------- */

static armnn_status_t level_rows(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const dynamic_run_t* run = (const dynamic_run_t*)argument;
  const dynamic_op_t* op = run->op;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t row = item / op->pieces, first = item % op->pieces * CHUNK;
    const int64_t left = op->columns - first, count = left < CHUNK ? left : CHUNK;
    const int64_t at = row * op->columns + first;
    const armnn_dynamic_range_t range = armnn_i_acc_range_of_row(run->range, row, op->rows);
    int16_t levels[CHUNK];
    (op->symmetric ? op->kernels->symmetric_levels : op->kernels->levels)(run->input + at, levels,
                                                                          (size_t)count, &range);
    const int32_t zero_point = (int32_t)range.zero_point;
    for (int64_t i = 0; i < count; ++i) run->output[at + i] = (uint8_t)(levels[i] + zero_point);
  }
  return ARMNN_STATUS_OK;
}

static void run_levels(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const dynamic_op_t* op = (const dynamic_op_t*)base;
  dynamic_run_t self = {.op = op,
                        .input = armnn_i_acc_address(run, &op->input),
                        .range = armnn_i_acc_address(run, &op->range),
                        .output = armnn_i_acc_address(run, &op->output)};
  armnn_i_acc_parallel(run, level_rows, &self, (uint64_t)(op->rows * op->pieces), 16, op->threads);
}

/* ---- Making -------------------------------------------------------------------------------- */

static dynamic_op_t* new_op(const armnn_i_acc_maker_t* maker, const armnn_i_acc_tensor_t* input,
                            int64_t rows, int64_t piece) {
  dynamic_op_t* op = (dynamic_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return NULL;
  op->input = *input;
  op->kernels = maker->isa->dynamic;
  op->rows = rows;
  op->columns = armnn_i_acc_count(input) / rows;
  op->pieces = armnn_i_acc_ceil_div(op->columns, piece);
  op->base.op.operations = 2 * (uint64_t)armnn_i_acc_count(input);
  op->threads = armnn_i_acc_threads(maker, 4 * op->base.op.operations);
  return op;
}

armnn_status_t armnn_i_acc_make_dynamic_range(const armnn_i_acc_maker_t* maker,
                                              const armnn_i_acc_dynamic_range_t* what,
                                              armnn_i_acc_op_t** out_op) {
  if (!armnn_i_acc_is_dense(&what->input) || !armnn_i_acc_is_dense(&what->output)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  dynamic_op_t* op = new_op(maker, &what->input, what->output.dims[1], PIECE);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->output = what->output;
  op->symmetric = what->symmetric;
  op->base.op.run = run_range;
  op->base.op.kernel = op->kernels->range_name;
  op->base.op.scratch_size = (uint64_t)(op->rows * op->pieces) * 2 * sizeof(float);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_dynamic_levels(const armnn_i_acc_maker_t* maker,
                                               const armnn_i_acc_dynamic_levels_t* what,
                                               armnn_i_acc_op_t** out_op) {
  if (!armnn_i_acc_is_dense(&what->input) || !armnn_i_acc_is_dense(&what->range) ||
      !armnn_i_acc_is_dense(&what->output)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  dynamic_op_t* op = new_op(maker, &what->input, what->range.dims[1], CHUNK);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->range = what->range;
  op->output = what->output;
  op->symmetric = what->symmetric;
  op->base.op.run = run_levels;
  op->base.op.kernel = op->kernels->levels_name;
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
