/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * winograd_weights.c - weights of windows become weights of points: transformed in double
 * precision, rounded once, and packed.
 */
#include "kernels/dense/winograd_points.h"
#include "winograd.h"

typedef struct packing_t {
  const armnn_i_acc_winograd_t* op;
  float* transformed; /* of each thread: [point][column of a panel][channel] */
  uint64_t thread_floats;
} packing_t;

/* One window, by lines and then by columns. */
static void transform(uint32_t size, const double window[9],
                      double out[ARMNN_ACC_WINOGRAD_POINTS]) {
  const uint32_t side = size + 2;
  double lines[3 * ARMNN_ACC_WINOGRAD_SIDE], column[ARMNN_ACC_WINOGRAD_SIDE];
  for (uint32_t y = 0; y < 3; ++y) {
    armnn_i_acc_winograd_weights(size, window + 3 * y, 1, lines + y * side);
  }
  for (uint32_t x = 0; x < side; ++x) {
    armnn_i_acc_winograd_weights(size, lines + x, (int)side, column);
    for (uint32_t y = 0; y < side; ++y) out[y * side + x] = column[y];
  }
}

/* The weights of the columns of |panel| for all points. */
static void transform_columns(const armnn_i_acc_winograd_t* op, const armnn_i_acc_panel_t* panel,
                              float* out) {
  const armnn_i_acc_tensor_t* weights = &op->what.weights;
  const int64_t channels = op->what.input.dims[3], columns = panel->columns;
  const int64_t step_o = armnn_i_acc_step(weights, 0), step_y = armnn_i_acc_step(weights, 1);
  const int64_t step_x = armnn_i_acc_step(weights, 2), step_i = armnn_i_acc_step(weights, 3);
  double window[9], points[ARMNN_ACC_WINOGRAD_POINTS];
  for (int64_t o = 0; o < columns; ++o) {
    const float* from = (const float*)weights->values + (panel->first + o) * step_o;
    for (int64_t i = 0; i < channels; ++i, from += step_i) {
      for (int64_t tap = 0; tap < 9; ++tap) {
        window[tap] = (double)from[tap / 3 * step_y + tap % 3 * step_x];
      }
      transform(op->tile->size, window, points);
      for (uint32_t k = 0; k < op->points; ++k) {
        out[(k * columns + o) * channels + i] = (float)points[k];
      }
    }
  }
}

/* Panels [begin, end) of every point. */
static armnn_status_t pack_some(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const packing_t* packing = argument;
  const armnn_i_acc_winograd_t* op = packing->op;
  const armnn_i_acc_panels_t* panels = &op->panels;
  const int64_t channels = op->what.input.dims[3];
  float* transformed = packing->transformed + thread_index * packing->thread_floats;
  const armnn_i_acc_panel_source_t source = {
      .step_o = channels,
      .step_x = 1,
      .step_i = 1,
      .size_y = 1,
      .size_x = 1,
      .channels = (uint64_t)channels,
  };
  const uint32_t per_point = panels->count / op->points;
  for (uint64_t p = begin; p < end; ++p) {
    const int64_t columns = panels->panels[p].columns;
    transform_columns(op, &panels->panels[p], transformed);
    for (uint32_t k = 0; k < op->points; ++k) {
      const armnn_i_acc_panel_t* panel = &panels->panels[k * per_point + p];
      armnn_i_acc_pack_panel(panels, panel, &source, transformed + k * columns * channels,
                             panels->weights + panel->offset);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_pack_winograd(const armnn_i_acc_maker_t* maker,
                                         armnn_i_acc_winograd_t* op) {
  const uint64_t width = (uint64_t)op->panels.vectors * op->panels.gemm->lanes;
  packing_t packing = {
      .op = op,
      .thread_floats = op->points * width * (uint64_t)op->what.input.dims[3],
  };
  packing.transformed = armnn_alloc(
      maker->host, maker->max_threads * packing.thread_floats * sizeof(float), ARMNN_ACC_LINE);
  if (packing.transformed == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_WINOGRAD, op->tile->size, op->points);
  armnn_i_acc_name_tensor(&name, maker, &op->what.weights);
  const armnn_status_t status = armnn_i_acc_pack_by(maker, &op->panels, &name, pack_some, &packing,
                                                    op->panels.count / op->points);
  armnn_free(maker->host, packing.transformed);
  return status;
}
