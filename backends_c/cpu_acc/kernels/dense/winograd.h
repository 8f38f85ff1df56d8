/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * winograd.h - transforms of Winograd's convolutions with a window of 3 x 3 and stride 1.
 *
 * A tile is |size| x |size| output pixels. Its (size + 2) x (size + 2) input pixels are
 * transformed, point by point multiplied with transformed weights (that are sums over the input
 * channels, by the tiles of gemm.h), and the sums transformed back. Both transforms do a vector of
 * channels at a time. The points of the interpolation and the weights' transform are in
 * winograd_points.h.
 */
#ifndef ARMNN_CPU_ACC_WINOGRAD_H_
#define ARMNN_CPU_ACC_WINOGRAD_H_

#include <stddef.h>
#include <stdint.h>

#define ARMNN_ACC_WINOGRAD_SIDE 6u /* of inputs, at most */
#define ARMNN_ACC_WINOGRAD_POINTS (ARMNN_ACC_WINOGRAD_SIDE * ARMNN_ACC_WINOGRAD_SIDE)

/* |pixels| has an address for each input pixel of the tile. Point k goes to out[k * point_step ..],
 * where whole vectors are written: zeros behind |channels|. */
typedef struct armnn_i_acc_winograd_input_t {
  const float* const* pixels;
  size_t channels;
  float* out;
  int64_t point_step;
} armnn_i_acc_winograd_input_t;

/* The sum of point k is at sums[k * point_step ..], where whole vectors can be read, as from
 * |bias|. Only |rows| x |columns| pixels of the tile are in the image, and written:
 * clamp(x + residual) or, with |residual_last|, clamp(x) + residual. */
typedef struct armnn_i_acc_winograd_output_t {
  const float* sums;
  int64_t point_step;
  const float* bias;
  size_t channels;
  uint32_t rows, columns;
  float* output;
  int64_t output_row, output_pixel;
  const float* residual; /* or null */
  int64_t residual_row, residual_pixel;
  int32_t residual_last;
  float low, high;
} armnn_i_acc_winograd_output_t;

typedef struct armnn_i_acc_winograd_tile_t {
  uint32_t size;
  void (*input)(const armnn_i_acc_winograd_input_t* job);
  void (*output)(const armnn_i_acc_winograd_output_t* job);
  const char* name;
} armnn_i_acc_winograd_tile_t;

#define ARMNN_ACC_WINOGRAD_TILES 2u

typedef struct armnn_i_acc_winograd_kernels_t {
  armnn_i_acc_winograd_tile_t tiles[ARMNN_ACC_WINOGRAD_TILES]; /* of 2 x 2, of 4 x 4 */
} armnn_i_acc_winograd_kernels_t;

#endif /* ARMNN_CPU_ACC_WINOGRAD_H_ */
