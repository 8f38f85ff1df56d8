/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * move.h - kernels that move data.
 */
#ifndef ARMNN_CPU_ACC_MOVE_H_
#define ARMNN_CPU_ACC_MOVE_H_

#include <stddef.h>

typedef struct armnn_i_acc_move_kernels_t {
  /* out[c * out_stride + r] = in[r * in_stride + c], r < rows, c < columns. */
  void (*transpose)(const float* in, ptrdiff_t in_stride, float* out, ptrdiff_t out_stride,
                    size_t rows, size_t columns);
  /* out[r * out_stride + c] = in[r * in_stride + c]; for rows of any length, short ones above all.
   */
  void (*copy)(const float* in, ptrdiff_t in_stride, float* out, ptrdiff_t out_stride, size_t rows,
               size_t columns);
  /* out[i] = in[i * stride]. */
  void (*gather)(const float* in, ptrdiff_t stride, float* out, size_t count);
  void (*fill)(float* out, size_t count, float value);
  /* Bilinear interpolation between four pixels, top left, top right, bottom left, bottom right:
   * top = left + (right - left) * across, and so on. */
  void (*blend)(const float* const from[4], float across, float down, float* out, size_t count);
  const char *copy_name, *transpose_name, *pad_name, *resize_name;
} armnn_i_acc_move_kernels_t;

#endif /* ARMNN_CPU_ACC_MOVE_H_ */
