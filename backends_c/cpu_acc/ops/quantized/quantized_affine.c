/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_affine.c - bytes as real numbers, times a scale and plus a shift for each index of the
 * last dimension, as bytes again.
 */
#include "ops/op_base.h"
#include "quantized_reals.h"

enum { PADDING = 64, CHUNK = 8192, COST = 24 }; /* arrays end with whole blocks of a kernel */

typedef struct affine_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t input, output;
  void (*affine)(const armnn_i_acc_affine_job_t* job);
  armnn_i_acc_affine_job_t job; /* but for the rows */
  int64_t rows, channels;
  bool is_dense;
  uint32_t threads;
} affine_op_t;

typedef struct affine_run_t {
  const affine_op_t* op;
  const uint8_t* input;
  uint8_t* output;
} affine_run_t;

/* Where row |row| of all begins. */
static int64_t row_offset(const armnn_i_acc_tensor_t* tensor, int64_t row) {
  int64_t offset = 0;
  for (uint32_t d = tensor->rank - 1; d-- > 0;) {
    offset += row % tensor->dims[d] * tensor->strides[d];
    row /= tensor->dims[d];
  }
  return offset;
}

static armnn_status_t run_rows(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  (void)thread_index;
  const affine_run_t* run = (const affine_run_t*)argument;
  const affine_op_t* op = run->op;
  armnn_i_acc_affine_job_t job = op->job;
  job.rows = op->is_dense ? end - begin : 1;
  for (uint64_t row = begin; row < end; row += job.rows) {
    job.input = run->input + row_offset(&op->input, (int64_t)row);
    job.output = run->output + row_offset(&op->output, (int64_t)row);
    op->affine(&job);
  }
  return ARMNN_STATUS_OK;
}

static void run_affine(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const affine_op_t* op = (const affine_op_t*)base;
  affine_run_t self = {op, armnn_i_acc_address(run, &op->input),
                       armnn_i_acc_address(run, &op->output)};
  armnn_i_acc_parallel(run, run_rows, &self, (uint64_t)op->rows,
                       (uint64_t)(CHUNK / op->channels + 1), op->threads);
}

armnn_status_t armnn_i_acc_make_quantized_affine(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_quantized_affine_t* what,
                                                 armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_quantized_kernels_t* kernels = maker->isa->quantized;
  const armnn_i_acc_element_t in = what->input.element, out = what->output.element;
  const uint32_t last = what->output.rank - 1;
  const int64_t channels = what->output.dims[last];
  if (!armnn_i_acc_is_8bit(in.type) || !armnn_i_acc_is_8bit(out.type) || channels < 1 ||
      (channels > 1 && (what->input.strides[last] != 1 || what->output.strides[last] != 1))) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const size_t width = armnn_i_acc_round_up((size_t)channels, PADDING);
  void* extra = NULL;
  affine_op_t* op =
      (affine_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 2 * width * sizeof(float), &extra);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  float *scales = (float*)extra, *shifts = scales + width;
  memcpy(scales, what->scale, (size_t)channels * sizeof *scales);
  memcpy(shifts, what->shift, (size_t)channels * sizeof *shifts);
  op->input = what->input;
  op->output = what->output;
  op->channels = channels;
  op->rows = armnn_i_acc_count(&what->output) / channels;
  op->is_dense = armnn_i_acc_is_dense(&what->input) && armnn_i_acc_is_dense(&what->output);
  op->affine = kernels->affine;
  op->job = (armnn_i_acc_affine_job_t){
      .input_row = channels,
      .output_row = channels,
      .channels = (size_t)channels,
      .scales = scales,
      .shifts = shifts,
      .flip = armnn_i_acc_flip(in),
      .offset = in.zero_point + armnn_i_acc_flip(in),
      .in_scale = in.scale,
      .out_scale = out.scale,
      /* Rounding keeps the order of numbers: bounds may be rounded first. */
      .store = {out.zero_point, armnn_i_acc_stored_number(out, what->low),
                armnn_i_acc_stored_number(out, what->high), 0},
  };
  op->base.op.run = run_affine;
  op->base.op.kernel = kernels->affine_name;
  op->base.op.operations = 2 * (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, COST * (uint64_t)armnn_i_acc_count(&what->output));
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
