/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * winograd.h - convolutions with a window of 3 x 3 and stride 1 by Winograd's algorithm: fewer
 * multiplications for some additions, and for weights that take 16/9 or 4 times the memory.
 */
#ifndef ARMNN_CPU_ACC_WINOGRAD_OP_H_
#define ARMNN_CPU_ACC_WINOGRAD_OP_H_

#include "ops/op_base.h"
#include "panels.h"

/* Tiles of all images are numbered through. A block of them is transformed, multiplied and
 * transformed back, by one thread (many tiles) or by all threads |together| (few tiles). */
typedef struct armnn_i_acc_winograd_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_convolution_t what;
  const armnn_i_acc_kernels_t* kernels;
  const armnn_i_acc_winograd_tile_t* tile;
  uint32_t points;             /* of the transforms; groups of |panels| */
  armnn_i_acc_panels_t panels; /* [point][columns] */
  float* zeros;                /* a pixel of padding */
  float* bias;                 /* whole vectors */
  int64_t input_steps[ARMNN_ACC_MAX_RANK], output_steps[ARMNN_ACC_MAX_RANK];
  int64_t residual_steps[ARMNN_ACC_MAX_RANK];
  int64_t tiles_y, tiles_x, tiles;
  int64_t block_tiles, blocks;
  bool together;
  uint32_t threads;
  bool in_kernel; /* the kernel does the whole epilogue */
  float low, high;
  /* Scratch of a block: transformed pixels [point][tile][channel], then sums alike. */
  int64_t pixel_step, pixel_point_step; /* floats */
  int64_t sum_step, sum_point_step;
  uint64_t sums_offset, block_scratch; /* bytes */
} armnn_i_acc_winograd_t;

/* ---- winograd_cost.c ----------------------------------------------------------------------- */

/* Whether the convolution can be computed so at all. */
bool armnn_i_acc_can_winograd(const armnn_i_acc_maker_t* maker,
                              const armnn_i_acc_convolution_t* what);
/* The size of the tiles by which it should be, as the maker's option says and by the estimated
 * time; 0: not at all. The answer is the same for any number of threads, so that results are. */
uint32_t armnn_i_acc_choose_winograd(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_convolution_t* what);
/* How many vectors a panel should have for products of |rows| rows. */
uint32_t armnn_i_acc_winograd_vectors(const armnn_i_acc_gemm_kernels_t* gemm, int64_t columns,
                                      int64_t rows);
/* Sets the members on blocks and threads. */
void armnn_i_acc_cut_winograd(armnn_i_acc_winograd_t* op);

/* ---- winograd_weights.c -------------------------------------------------------------------- */

/* Transforms and packs the weights to |op->panels|. */
armnn_status_t armnn_i_acc_pack_winograd(const armnn_i_acc_maker_t* maker,
                                         armnn_i_acc_winograd_t* op);

#endif /* ARMNN_CPU_ACC_WINOGRAD_OP_H_ */
