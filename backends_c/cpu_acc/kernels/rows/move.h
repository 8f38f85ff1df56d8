/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * move.h - kernels that move data.
 */
#ifndef ARMNN_CPU_ACC_MOVE_H_
#define ARMNN_CPU_ACC_MOVE_H_

#include <stddef.h>

/* For elements of one size, whatever they are; strides are in elements. */
typedef struct armnn_i_acc_move_kernels_t {
  /* out[c * out_stride + r] = in[r * in_stride + c], r < rows, c < columns. */
  void (*transpose)(const void* in, ptrdiff_t in_stride, void* out, ptrdiff_t out_stride,
                    size_t rows, size_t columns);
  /* out[r * out_stride + c] = in[r * in_stride + c]; for rows of any length, short ones above all.
   */
  void (*copy)(const void* in, ptrdiff_t in_stride, void* out, ptrdiff_t out_stride, size_t rows,
               size_t columns);
  /* out[i] = in[i * stride]. */
  void (*gather)(const void* in, ptrdiff_t stride, void* out, size_t count);
  /* |value|: an element. */
  void (*fill)(void* out, size_t count, const void* value);
  /* Bilinear interpolation between four pixels, top left, top right, bottom left, bottom right:
   * top = left + (right - left) * across, and so on. Of float32, else null. */
  void (*blend)(const float* const from[4], float across, float down, float* out, size_t count);
  const char *copy_name, *transpose_name, *pad_name, *resize_name;
} armnn_i_acc_move_kernels_t;

#endif /* ARMNN_CPU_ACC_MOVE_H_ */
