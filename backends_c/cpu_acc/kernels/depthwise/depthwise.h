/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * depthwise.h - kernels of depthwise convolutions: each channel with its own filter.
 *
 * A call does all columns of some output rows for some channels, VF_LANES at a time. Nothing
 * outside the image is read: taps that fall there are left out, so that no padded copy is needed.
 */
#ifndef ARMNN_CPU_ACC_DEPTHWISE_H_
#define ARMNN_CPU_ACC_DEPTHWISE_H_

#include <stddef.h>
#include <stdint.h>

#include "kernels/rows/elementwise.h"

/* Neighbouring output pixels that are computed together. */
typedef struct armnn_i_acc_depthwise_tile_t {
  int32_t x;        /* the first of them */
  int32_t width;    /* how many; one of 1, 4, 5, 6, 7; of 1 to 4 where these are the most */
  int32_t input_x;  /* the input column of the first one's first tap; outside the image perhaps */
  uint32_t columns; /* bit c: input column |input_x| + c is inside the image; all ones: all that the
                       tile uses are */
} armnn_i_acc_depthwise_tile_t;

typedef struct armnn_i_acc_depthwise_job_t {
  const float* input; /* of the first channel */
  ptrdiff_t input_row, input_pixel;
  int64_t input_height, input_width;
  float* output;
  ptrdiff_t output_row, output_pixel;
  int64_t output_width;
  int64_t first_row, end_row; /* output rows to do */
  const float* weights;       /* for each VF_LANES channels: bias, then the taps by rows */
  int64_t channels;           /* whole vectors, unless the kernel has |partial| */
  int64_t kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x, pad_top, pad_left;
  const armnn_i_acc_depthwise_tile_t* tiles; /* of one row; |any| does without */
  int64_t tile_count;
  /* y = function(x + residual), or function(x) + residual; a clamp only if |function| is null. */
  float low, high;
  armnn_i_acc_apply_fn_t function;
  float a, b;
  const float* residual; /* or null */
  ptrdiff_t residual_row, residual_pixel;
  int32_t residual_last;
  int32_t prefetch;   /* |columns| fetches rows ahead of their use: worth it for big images */
  int32_t hard_swish; /* |function| is hard-swish without residual: in registers */
} armnn_i_acc_depthwise_job_t;

typedef void (*armnn_i_acc_depthwise_fn_t)(const armnn_i_acc_depthwise_job_t* job);

#define ARMNN_ACC_DEPTHWISE_MOST_WIDTH 7
#define ARMNN_ACC_DEPTHWISE_BLOCK_WIDTH 4

/* How a kernel goes: along single or joined rows; down strips as wide as a tile; along pairs of
 * rows with all channels of a tile before the next, so that the more there are, the better. */
typedef enum armnn_i_acc_depthwise_walk_e {
  ARMNN_ACC_DEPTHWISE_ROWS,
  ARMNN_ACC_DEPTHWISE_STRIPS,
  ARMNN_ACC_DEPTHWISE_BLOCKS,
} armnn_i_acc_depthwise_walk_e;

/* Square kernels without dilation; |stride| is the one from column to column, the other is any. */
typedef struct armnn_i_acc_depthwise_kernel_t {
  uint32_t kernel, stride;
  armnn_i_acc_depthwise_walk_e walk;
  int32_t width; /* of the widest tile */
  armnn_i_acc_depthwise_fn_t run;
  const char* name;
} armnn_i_acc_depthwise_kernel_t;

typedef struct armnn_i_acc_depthwise_kernels_t {
  const armnn_i_acc_depthwise_kernel_t* fixed;
  uint32_t fixed_count;
  uint32_t partial; /* kernels of |fixed| also do an incomplete last vector */
  /* Better ones for images of which at most one row or column is missing at each border, and the
   * same stride in both directions; they do whole vectors or |partial|, too. */
  const armnn_i_acc_depthwise_kernel_t* narrow;
  uint32_t narrow_count;
  armnn_i_acc_depthwise_fn_t any; /* any size, stride and dilation */
  const char* any_name;
  const char* separable_name; /* of one with the 1x1 around it (ops/depthwise/separable.h) */
} armnn_i_acc_depthwise_kernels_t;

#endif /* ARMNN_CPU_ACC_DEPTHWISE_H_ */
