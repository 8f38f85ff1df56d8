/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * resize.c - nearest neighbour and bilinear, images with the channels last.
 *
 * Positions are quotients of whole numbers and are computed as such, once, when the operator is
 * made: no rounding of a scale moves a pixel. Rows of the output are done one by one; all channels
 * of a pixel are one short loop. Doubling by nearest neighbour, which detection networks have, is a
 * copy of each pixel to two pixels.
 */
#include "ops/op_base.h"
#include "resize_source.h"

/* The two inputs that an output is between, as indices, and its distance from the first. */
typedef armnn_resize_source_t source_t;

typedef struct resize_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t input, output;
  int64_t in_steps[ARMNN_ACC_MAX_RANK], out_steps[ARMNN_ACC_MAX_RANK];
  const armnn_i_acc_move_kernels_t* kernels;
  bool nearest;
  const source_t *rows, *columns;
  uint32_t threads;
} resize_op_t;

typedef struct resize_run_t {
  const resize_op_t* op;
  const char* input;
  char* output;
} resize_run_t;

static source_t source_of(const armnn_i_acc_resize_t* r, int64_t o, int64_t input, int64_t output) {
  return armnn_resize_source(r->method, r->align_corners, r->half_pixel_centers, o, input, output);
}

static void nearest_row(const resize_op_t* op, const char* row, char* out) {
  const size_t channels = (size_t)op->output.dims[3];
  const int64_t width = op->output.dims[2], out_step = op->out_steps[2];
  const int64_t size = op->output.element.size;
  for (int64_t x = 0; x < width;) {
    /* Outputs that show the same pixel: one copy with the input standing still. */
    int64_t same = 1;
    while (x + same < width && op->columns[x + same].low == op->columns[x].low) ++same;
    op->kernels->copy(row + op->columns[x].low * size, 0, out + x * out_step * size, out_step,
                      (size_t)same, channels);
    x += same;
  }
}

static void bilinear_row(const resize_op_t* op, const float* top, const float* bottom,
                         float fraction, float* out) {
  const size_t channels = (size_t)op->output.dims[3];
  for (int64_t x = 0; x < op->output.dims[2]; ++x) {
    const source_t* c = &op->columns[x];
    const float* const from[4] = {top + c->low, top + c->high, bottom + c->low, bottom + c->high};
    op->kernels->blend(from, c->fraction, fraction, out + x * op->out_steps[2], channels);
  }
}

/* Items are output rows. */
static armnn_status_t run_rows(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  (void)thread_index;
  const resize_run_t* run = (const resize_run_t*)argument;
  const resize_op_t* op = run->op;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t y = item % op->output.dims[1], image = item / op->output.dims[1];
    const source_t* row = &op->rows[y];
    const char* in = run->input + image * op->input.strides[0];
    char* out = run->output + image * op->output.strides[0] + y * op->output.strides[1];
    const int64_t size = op->output.element.size;
    if (op->nearest) {
      nearest_row(op, in + row->low * size, out);
    } else {
      bilinear_row(op, (const float*)(const void*)in + row->low,
                   (const float*)(const void*)in + row->high, row->fraction, (float*)(void*)out);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_resize(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const resize_op_t* op = (const resize_op_t*)base;
  resize_run_t self = {op, armnn_i_acc_address(run, &op->input),
                       armnn_i_acc_address(run, &op->output)};
  armnn_i_acc_parallel(run, run_rows, &self, (uint64_t)(op->output.dims[0] * op->output.dims[1]), 1,
                       op->threads);
}

static void fill_sources(const armnn_i_acc_resize_t* what, uint32_t dimension, source_t* sources) {
  const int64_t in = what->input.dims[dimension], out = what->output.dims[dimension];
  for (int64_t o = 0; o < out; ++o) {
    sources[o] = source_of(what, o, in, out);
    sources[o].low *= armnn_i_acc_step(&what->input, dimension);
    sources[o].high *= armnn_i_acc_step(&what->input, dimension);
  }
}

armnn_status_t armnn_i_acc_make_resize(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_resize_t* what,
                                       armnn_i_acc_op_t** out_op) {
  const bool nearest = what->method == ARMNN_RESIZE_NEAREST_NEIGHBOR;
  const armnn_i_acc_kernels_t* floats = armnn_i_acc_kernels_of(maker, &what->output);
  const armnn_i_acc_move_kernels_t* kernels = nearest ? armnn_i_acc_moves_of(maker, &what->output)
                                              : floats != NULL ? floats->move
                                                               : NULL;
  if (kernels == NULL || (!nearest && what->method != ARMNN_RESIZE_BILINEAR)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const int64_t height = what->output.dims[1], width = what->output.dims[2];
  void* extra = NULL;
  resize_op_t* op = (resize_op_t*)armnn_i_acc_new_op(
      maker, sizeof *op, (size_t)(height + width) * sizeof(source_t), &extra);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->input = what->input;
  op->output = what->output;
  armnn_i_acc_steps(&op->input, op->in_steps);
  armnn_i_acc_steps(&op->output, op->out_steps);
  op->kernels = kernels;
  op->nearest = nearest;
  source_t* sources = (source_t*)extra;
  op->rows = sources;
  op->columns = sources + height;
  fill_sources(what, 1, sources);
  fill_sources(what, 2, sources + height);
  op->base.op.kernel = op->kernels->resize_name;
  op->base.op.run = run_resize;
  op->base.op.operations = (op->nearest ? 1 : 8) * (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, (op->nearest ? 8 : 2) * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
