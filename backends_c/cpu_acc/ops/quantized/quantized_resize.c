/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_resize.c - bilinear resizing of quantised images with the channels last. Positions are
 * computed as in resize.c.
 */
#include "ops/op_base.h"
#include "quantized_reals.h"
#include "resize_source.h"

typedef armnn_resize_source_t source_t;

typedef struct resize_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_quantized_resize_t what;
  void (*blend)(const armnn_i_acc_blend_job_t* job);
  armnn_i_acc_blend_job_t job;    /* but for the place */
  const source_t *rows, *columns; /* in bytes */
  uint32_t threads;
} resize_op_t;

typedef struct resize_run_t {
  const resize_op_t* op;
  const uint8_t* input;
  uint8_t* output;
} resize_run_t;

/* Items are output rows. */
static armnn_status_t run_rows(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  (void)thread_index;
  const resize_run_t* run = (const resize_run_t*)argument;
  const resize_op_t* op = run->op;
  const armnn_i_acc_tensor_t *in = &op->what.input, *out = &op->what.output;
  armnn_i_acc_blend_job_t job = op->job;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t image = item / out->dims[1], y = item % out->dims[1];
    const uint8_t* top = run->input + image * in->strides[0] + op->rows[y].low;
    const uint8_t* bottom = run->input + image * in->strides[0] + op->rows[y].high;
    uint8_t* to = run->output + image * out->strides[0] + y * out->strides[1];
    job.down = op->rows[y].fraction;
    for (int64_t x = 0; x < out->dims[2]; ++x) {
      const source_t* column = &op->columns[x];
      job.from[0] = top + column->low;
      job.from[1] = top + column->high;
      job.from[2] = bottom + column->low;
      job.from[3] = bottom + column->high;
      job.across = column->fraction;
      job.output = to + x * out->strides[2];
      op->blend(&job);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_resize(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const resize_op_t* op = (const resize_op_t*)base;
  resize_run_t self = {op, armnn_i_acc_address(run, &op->what.input),
                       armnn_i_acc_address(run, &op->what.output)};
  const int64_t rows = op->what.output.dims[0] * op->what.output.dims[1];
  armnn_i_acc_parallel(run, run_rows, &self, (uint64_t)rows, 1, op->threads);
}

static void fill_sources(const armnn_i_acc_quantized_resize_t* what, uint32_t dimension,
                         source_t* sources) {
  const int64_t in = what->input.dims[dimension], out = what->output.dims[dimension];
  for (int64_t o = 0; o < out; ++o) {
    sources[o] = armnn_resize_source(ARMNN_RESIZE_BILINEAR, what->align_corners,
                                     what->half_pixel_centers, o, in, out);
    sources[o].low *= what->input.strides[dimension];
    sources[o].high *= what->input.strides[dimension];
  }
}

armnn_status_t armnn_i_acc_make_quantized_resize(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_quantized_resize_t* what,
                                                 armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_element_t in = what->input.element, out = what->output.element;
  if (!armnn_i_acc_is_8bit(in.type) || !armnn_i_acc_is_8bit(out.type)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const int64_t height = what->output.dims[1], width = what->output.dims[2];
  void* extra = NULL;
  resize_op_t* op = (resize_op_t*)armnn_i_acc_new_op(
      maker, sizeof *op, (size_t)(height + width) * sizeof(source_t), &extra);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  source_t* sources = (source_t*)extra;
  op->rows = sources;
  op->columns = sources + height;
  fill_sources(what, 1, sources);
  fill_sources(what, 2, sources + height);
  op->blend = maker->isa->quantized->elements->blend;
  op->job = (armnn_i_acc_blend_job_t){
      .count = (size_t)what->output.dims[3],
      .flip = armnn_i_acc_flip(in),
      .offset = in.zero_point + armnn_i_acc_flip(in),
      .in_scale = in.scale,
      .out_scale = out.scale,
      .store = {out.zero_point, armnn_i_acc_least(out.type), armnn_i_acc_least(out.type) + 255, 0},
  };
  op->base.op.kernel = maker->isa->quantized->elements->blend_name;
  op->base.op.run = run_resize;
  op->base.op.operations = 8 * (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, 2 * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
