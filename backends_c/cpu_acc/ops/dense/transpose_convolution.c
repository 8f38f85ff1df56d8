/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * transpose_convolution.c - a transposed convolution as convolutions of its phases
 * (transpose_phases.h).
 */
#include "transpose_phases.h"
#include "window.h"

typedef struct transpose_convolution_t {
  armnn_i_acc_op_t base;
  const armnn_host_t* host;
  uint32_t count; /* phases that have pixels */
  armnn_i_acc_window_t windows[];
} transpose_convolution_t;

static armnn_i_acc_convolution_t convolution_of(const armnn_i_acc_convolution_t* what, int64_t y,
                                                int64_t x, const armnn_i_acc_phase_t* rows,
                                                const armnn_i_acc_phase_t* columns) {
  armnn_i_acc_convolution_t result = *what;
  armnn_i_acc_take_phase(&result.output, y, x, what->stride_y, what->stride_x, rows, columns);
  if (what->epilogue.has_residual) {
    armnn_i_acc_take_phase(&result.epilogue.residual, y, x, what->stride_y, what->stride_x, rows,
                           columns);
  }
  result.stride_y = result.stride_x = 1;
  const bool empty = rows->size == 0 || columns->size == 0; /* only the bias comes here */
  result.kernel_y = empty ? 0 : rows->size;
  result.kernel_x = empty ? 0 : columns->size;
  result.dilation_y = rows->spread;
  result.dilation_x = columns->spread;
  result.pad_top = rows->pad;
  result.pad_left = columns->pad;
  if (empty) {
    result.weights.dims[1] = result.weights.dims[2] = 0;
  } else {
    armnn_i_acc_take_weights(&result.weights, rows, columns);
  }
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
  if (what->stride_y > ARMNN_ACC_MOST_PHASES || what->stride_x > ARMNN_ACC_MOST_PHASES)
    return ARMNN_STATUS_UNSUPPORTED;
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
    const armnn_i_acc_phase_t rows = armnn_i_acc_phase_of(
        y, what->stride_y, what->dilation_y, what->kernel_y, what->pad_top, what->output.dims[1]);
    for (int64_t x = 0; x < what->stride_x && status == ARMNN_STATUS_OK; ++x) {
      const armnn_i_acc_phase_t columns =
          armnn_i_acc_phase_of(x, what->stride_x, what->dilation_x, what->kernel_x, what->pad_left,
                               what->output.dims[2]);
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
