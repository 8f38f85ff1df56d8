/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * transpose_convolution.c - a transposed convolution is, for each of stride_y x stride_x phases of
 * the output's pixels, a small dense convolution over the input.
 *
 * Output row y = q * stride + phase is the sum over kernel rows k with y + pad - k * dilation a
 * multiple of the stride; these k are some first + j * step, and read input rows
 * q + base - j * spread. Taken from the last j to the first, that is a window of stride 1 and
 * dilation |spread| over the input. No pixel is written twice and nothing is summed in memory.
 */
#include "window.h"

typedef struct transpose_convolution_t {
  armnn_i_acc_op_t base;
  const armnn_host_t* host;
  uint32_t count; /* phases that have pixels */
  armnn_i_acc_window_t windows[];
} transpose_convolution_t;

/* One axis of one phase. */
typedef struct phase_t {
  int64_t pixels;            /* of the output */
  int64_t first, step, size; /* kernel rows */
  int64_t spread, pad;       /* of the window over the input */
} phase_t;

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static phase_t phase_of(int64_t phase, int64_t stride, int64_t dilation, int64_t kernel,
                        int64_t pad, int64_t output) {
  const int64_t common = common_divisor(stride, dilation);
  phase_t axis = {
      .pixels = phase < output ? (output - phase + stride - 1) / stride : 0,
      .step = stride / common,
      .spread = dilation / common,
  };
  while (axis.first < kernel && (phase + pad - axis.first * dilation) % stride != 0) ++axis.first;
  if (axis.first < kernel) axis.size = (kernel - axis.first + axis.step - 1) / axis.step;
  const int64_t base = (phase + pad - axis.first * dilation) / stride;
  axis.pad = (axis.size - 1) * axis.spread - base;
  return axis;
}

/* Every stride_y-th row and stride_x-th pixel, from the phase's first on. */
static void take_phase(armnn_i_acc_tensor_t* tensor, int64_t y, int64_t x,
                       const armnn_i_acc_convolution_t* what, const phase_t* rows,
                       const phase_t* columns) {
  const int64_t offset = y * tensor->strides[1] + x * tensor->strides[2];
  tensor->memory.offset += offset;
  if (tensor->values != NULL) tensor->values = (const char*)tensor->values + offset;
  tensor->strides[1] *= what->stride_y;
  tensor->strides[2] *= what->stride_x;
  tensor->dims[1] = rows->pixels;
  tensor->dims[2] = columns->pixels;
}

static armnn_i_acc_convolution_t convolution_of(const armnn_i_acc_convolution_t* what, int64_t y,
                                                int64_t x, const phase_t* rows,
                                                const phase_t* columns) {
  armnn_i_acc_convolution_t result = *what;
  take_phase(&result.output, y, x, what, rows, columns);
  if (what->epilogue.has_residual) {
    take_phase(&result.epilogue.residual, y, x, what, rows, columns);
  }
  result.stride_y = result.stride_x = 1;
  const bool empty = rows->size == 0 || columns->size == 0; /* only the bias comes here */
  result.kernel_y = empty ? 0 : rows->size;
  result.kernel_x = empty ? 0 : columns->size;
  result.dilation_y = rows->spread;
  result.dilation_x = columns->spread;
  result.pad_top = rows->pad;
  result.pad_left = columns->pad;
  const int64_t* strides = what->weights.strides;
  if (!empty) {
    result.weights.values = (const char*)what->weights.values +
                            (rows->first + (rows->size - 1) * rows->step) * strides[1] +
                            (columns->first + (columns->size - 1) * columns->step) * strides[2];
  }
  result.weights.dims[1] = result.kernel_y;
  result.weights.dims[2] = result.kernel_x;
  result.weights.strides[1] = -rows->step * strides[1];
  result.weights.strides[2] = -columns->step * strides[2];
  return result;
}

static void run_phases(const armnn_i_acc_op_t* op, const armnn_i_acc_run_t* run) {
  const transpose_convolution_t* transpose = (const transpose_convolution_t*)op;
  for (uint32_t i = 0; i < transpose->count; ++i) {
    armnn_i_acc_run_window(&transpose->windows[i], run);
  }
}

static void destroy_phases(armnn_i_acc_op_t* op) {
  transpose_convolution_t* transpose = (transpose_convolution_t*)op;
  const armnn_host_t* host = transpose->host;
  for (uint32_t i = 0; i < transpose->count; ++i) {
    armnn_i_acc_free_window(host, &transpose->windows[i]);
  }
  armnn_free(host, transpose);
}

armnn_status_t armnn_i_acc_make_transpose_convolution(const armnn_i_acc_maker_t* maker,
                                                      const armnn_i_acc_convolution_t* what,
                                                      armnn_i_acc_op_t** out_op) {
  *out_op = NULL;
  if (what->stride_y > 1024 || what->stride_x > 1024) return ARMNN_STATUS_UNSUPPORTED;
  const uint64_t phases = (uint64_t)(what->stride_y * what->stride_x);
  transpose_convolution_t* transpose = armnn_alloc(
      maker->host, sizeof *transpose + phases * sizeof *transpose->windows, ARMNN_ACC_LINE);
  if (transpose == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  *transpose = (transpose_convolution_t){
      .base = {.run = run_phases, .destroy = destroy_phases},
      .host = maker->host,
  };
  armnn_status_t status = ARMNN_STATUS_OK;
  for (int64_t y = 0; y < what->stride_y && status == ARMNN_STATUS_OK; ++y) {
    const phase_t rows = phase_of(y, what->stride_y, what->dilation_y, what->kernel_y,
                                  what->pad_top, what->output.dims[1]);
    for (int64_t x = 0; x < what->stride_x && status == ARMNN_STATUS_OK; ++x) {
      const phase_t columns = phase_of(x, what->stride_x, what->dilation_x, what->kernel_x,
                                       what->pad_left, what->output.dims[2]);
      if (rows.pixels == 0 || columns.pixels == 0) continue;
      const armnn_i_acc_convolution_t convolution = convolution_of(what, y, x, &rows, &columns);
      armnn_i_acc_window_t* window = &transpose->windows[transpose->count];
      status = armnn_i_acc_make_window(maker, &convolution, 0, window);
      if (status != ARMNN_STATUS_OK) break;
      ++transpose->count;
      transpose->base.operations += window->operations;
      if (window->scratch_size > transpose->base.scratch_size) {
        transpose->base.scratch_size = window->scratch_size;
      }
      transpose->base.kernel = armnn_i_acc_names_of(&window->panels)->transpose_conv2d;
    }
  }
  if (status != ARMNN_STATUS_OK) {
    destroy_phases(&transpose->base);
    return status;
  }
  *out_op = &transpose->base;
  return ARMNN_STATUS_OK;
}
