/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * transpose_phases.h - a transposed convolution is, for each of stride_y x stride_x phases of the
 * output's pixels, a small dense convolution over the input.
 *
 * Output row y = q * stride + phase is the sum over kernel rows k with y + pad - k * dilation a
 * multiple of the stride; these k are some first + j * step, and read input rows
 * q + base - j * spread. Taken from the last j to the first, that is a window of stride 1 and
 * dilation |spread| over the input. No pixel is written twice and nothing is summed in memory.
 */
#ifndef ARMNN_CPU_ACC_TRANSPOSE_PHASES_H_
#define ARMNN_CPU_ACC_TRANSPOSE_PHASES_H_

#include "program.h"

#define ARMNN_ACC_MOST_PHASES 1024 /* of an axis */

/* One axis of one phase. */
typedef struct armnn_i_acc_phase_t {
  int64_t pixels;            /* of the output */
  int64_t first, step, size; /* kernel rows */
  int64_t spread, pad;       /* of the window over the input */
} armnn_i_acc_phase_t;

static inline int64_t armnn_i_acc_common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static inline armnn_i_acc_phase_t armnn_i_acc_phase_of(int64_t phase, int64_t stride,
                                                       int64_t dilation, int64_t kernel,
                                                       int64_t pad, int64_t output) {
  const int64_t common = armnn_i_acc_common_divisor(stride, dilation);
  armnn_i_acc_phase_t axis = {
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
static inline void armnn_i_acc_take_phase(armnn_i_acc_tensor_t* tensor, int64_t y, int64_t x,
                                          int64_t stride_y, int64_t stride_x,
                                          const armnn_i_acc_phase_t* rows,
                                          const armnn_i_acc_phase_t* columns) {
  const int64_t offset = y * tensor->strides[1] + x * tensor->strides[2];
  tensor->memory.offset += offset;
  if (tensor->values != NULL) tensor->values = (const char*)tensor->values + offset;
  tensor->strides[1] *= stride_y;
  tensor->strides[2] *= stride_x;
  tensor->dims[1] = rows->pixels;
  tensor->dims[2] = columns->pixels;
}

/* The weights [o, y, x, i] of a phase that has some, in the order of the window's taps. */
static inline void armnn_i_acc_take_weights(armnn_i_acc_tensor_t* weights,
                                            const armnn_i_acc_phase_t* rows,
                                            const armnn_i_acc_phase_t* columns) {
  const int64_t y = weights->strides[1], x = weights->strides[2];
  const int64_t offset = (rows->first + (rows->size - 1) * rows->step) * y +
                         (columns->first + (columns->size - 1) * columns->step) * x;
  /* Those of a saved program are packed: there is no array. */
  if (weights->values != NULL) weights->values = (const char*)weights->values + offset;
  weights->dims[1] = rows->size;
  weights->dims[2] = columns->size;
  weights->strides[1] = -rows->step * y;
  weights->strides[2] = -columns->step * x;
}

#endif /* ARMNN_CPU_ACC_TRANSPOSE_PHASES_H_ */
