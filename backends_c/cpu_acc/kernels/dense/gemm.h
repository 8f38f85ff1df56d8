/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gemm.h - products of rows of floats with packed panels of weights: convolutions, matrix products.
 *
 * A tile is |rows| output pixels (or rows of a matrix) times one panel of |vectors| vectors of
 * output channels, kept in registers while the inputs pass. The inputs of a pixel are |tap_count|
 * runs of |depth| floats each: one run for a 1x1 convolution or a matrix, one for each tap of a
 * 3x3 window (or for each of its rows, where few channels lie side by side). Inputs are not copied:
 * a kernel gets the address of each run.
 */
#ifndef ARMNN_CPU_ACC_GEMM_H_
#define ARMNN_CPU_ACC_GEMM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program.h"

#define ARMNN_ACC_GEMM_ROWS 16u   /* more than any tile has */
#define ARMNN_ACC_GEMM_VECTORS 4u /* the most that a panel has */

typedef struct armnn_i_acc_gemm_tap_t {
  int64_t offset; /* of its run, in floats from the pixel's input */
  int64_t weight; /* its first row of the panel's weights */
} armnn_i_acc_gemm_tap_t;

typedef enum armnn_i_acc_gemm_bits_e {
  ARMNN_ACC_GEMM_RESIDUAL = 1,      /* result = clamp(x + residual) */
  ARMNN_ACC_GEMM_RESIDUAL_LAST = 2, /* result = clamp(x) + residual */
  ARMNN_ACC_GEMM_LOW = 4,           /* the clamp has a lower bound, */
  ARMNN_ACC_GEMM_HIGH = 8,          /* an upper one */
  ARMNN_ACC_GEMM_HARD_SWISH = 16,   /* instead of a clamp: low x min(max(x + 3, 0), 6) + high */
  ARMNN_ACC_GEMM_RESUME = 32,       /* sums begin with |partial| instead of the bias */
  ARMNN_ACC_GEMM_PAUSE = 64,        /* sums go to |partial|, nothing else is done with them */
  ARMNN_ACC_GEMM_IN_ORDER = 128,    /* sums have the same bits in tiles of any number of rows */
} armnn_i_acc_gemm_bits_e;

/* |tiles| tiles, one behind another; pixels are |input_stride| and |output_stride| apart. */
typedef struct armnn_i_acc_gemm_job_t {
  uint32_t tiles;
  uint32_t tap_count;
  uint64_t depth;
  const armnn_i_acc_gemm_tap_t* taps;
  /* Null, or for each tap ARMNN_ACC_GEMM_ROWS addresses: pixel i's run is at runs[t * ROWS + i] +
   * run_offset; |input| and the taps' offsets are not used then, and |tiles| is 1. */
  const float* const* runs;
  int64_t run_offset;
  const float* input;
  int64_t input_stride;
  const float* panel; /* as the panel is packed: rows of weights as they are stored */
  const float* bias;  /* of all channels of whole vectors */
  float* output;
  int64_t output_stride;
  const float* residual;
  int64_t residual_stride;
  float low, high;
  /* Each tile asks for so many lines from here on, one behind another: weights that come next. */
  const char* fetch;
  uint32_t fetch_lines;
  float* partial; /* of tile after tile, its rows of whole vectors */
  uint32_t last;  /* channels in the panel's last vector, 1 to lanes */
  uint32_t flags; /* armnn_i_acc_gemm_bits_e */
} armnn_i_acc_gemm_job_t;

typedef void (*armnn_i_acc_gemm_fn_t)(const armnn_i_acc_gemm_job_t* job);

/* By vectors of a panel, then by rows of a tile. */
typedef armnn_i_acc_gemm_fn_t armnn_i_acc_gemm_tiles_t[ARMNN_ACC_GEMM_VECTORS + 1]
                                                      [ARMNN_ACC_GEMM_ROWS];

typedef struct armnn_i_acc_gemm_names_t {
  const char *conv2d, *matmul, *transpose_conv2d;
} armnn_i_acc_gemm_names_t;

typedef struct armnn_i_acc_gemm_kernels_t {
  uint32_t lanes;
  uint32_t max_vectors;
  /* By vectors of a panel (0: no panel of so many), the rows of the largest tile. Tiles of fewer
   * rows are there for every number of vectors up to it. */
  uint32_t max_rows[ARMNN_ACC_GEMM_VECTORS + 1];
  armnn_i_acc_gemm_tiles_t tiles;
  /* For panels whose last vector has at most half of its channels: two rows share it, and both
   * halves of it are packed alike. May be null. */
  armnn_i_acc_gemm_tiles_t pair_tiles;
  /* For weights that are not stored as float32: of each other armnn_i_acc_stored_e. */
  const armnn_i_acc_gemm_tiles_t* half_tiles;
  /* Tiles know RESUME and PAUSE: where registers are few, tiles have few rows and read weights more
   * often, so that it counts where these come from. */
  bool pauses;
  armnn_i_acc_gemm_names_t names[ARMNN_ACC_STORED_COUNT][ARMNN_ACC_GEMM_VECTORS + 1];
  /* Packs some of a panel's weights: column o of |columns| comes from in[o * stride_o ..], |count|
   * floats |stride_k| apart. Float k goes to row (k % taps) * depth + k / taps of |out|, whose rows
   * have |width| floats; columns from |columns| to |width| become zero. */
  void (*pack)(float* out, uint32_t width, const float* in, uint32_t columns, int64_t stride_o,
               int64_t stride_k, uint64_t count, uint64_t taps, uint64_t depth);
  /* data += other, |rows| rows of |columns| floats. */
  void (*add_rows)(float* data, int64_t stride, const float* other, int64_t other_stride,
                   size_t rows, size_t columns);
} armnn_i_acc_gemm_kernels_t;

#endif /* ARMNN_CPU_ACC_GEMM_H_ */
