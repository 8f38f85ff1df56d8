/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * blocks.h - kernels of weights of 4 or 8 bits that are quantised in blocks along the sum.
 *
 * A panel has two vectors of channels. Its weights are rows, one for each depth: of 8 bits a byte
 * for each channel, of 4 bits a byte for two, the channel of the first vector in its low half. They
 * are numbers from 0 on, and so are the zero points, a row for each block.
 */
#ifndef ARMNN_CPU_ACC_BLOCKS_H_
#define ARMNN_CPU_ACC_BLOCKS_H_

#include <stddef.h>
#include <stdint.h>

#define ARMNN_ACC_BLOCK_ROWS 4 /* most rows that are multiplied without decoded weights */

typedef struct armnn_i_acc_block_panel_t {
  size_t depth, block; /* the last block may be shorter */
  const uint8_t* levels;
  const uint8_t* zero_points; /* or null: |zero_point| */
  float zero_point;
  const float* scales; /* [block][channel] */
} armnn_i_acc_block_panel_t;

typedef struct armnn_i_acc_block_job_t {
  armnn_i_acc_block_panel_t panel;
  const float* input; /* |rows| rows of |depth|, |input_row| apart */
  ptrdiff_t input_row;
  const float* block_sums; /* of the rows' inputs, [row][block] */
  uint32_t rows;
  float* sums; /* [row][channel] */
} armnn_i_acc_block_job_t;

typedef struct armnn_i_acc_block_kernels_t {
  uint32_t panel; /* channels */
  void (*multiply_4)(const armnn_i_acc_block_job_t* job);
  void (*multiply_8)(const armnn_i_acc_block_job_t* job);
  /* Real weights: rows of |width| channels, at most those of a panel. */
  void (*decode_4)(const armnn_i_acc_block_panel_t* panel, size_t width, float* out);
  void (*decode_8)(const armnn_i_acc_block_panel_t* panel, size_t width, float* out);
  const char *name_4, *name_8;
} armnn_i_acc_block_kernels_t;

#endif /* ARMNN_CPU_ACC_BLOCKS_H_ */
