/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_bytes.c - products of stored bytes with bytes of weights, four at a time.
 */
#include "quantized.h"
#include "quantized_tile.h"

#if !defined(__ARM_FEATURE_MATMUL_INT8) /* which has quantized_mmla.c */

#define TILE(rows)                   \
  case rows:                         \
    multiply_tile(job, rows, BYTES); \
    break;
TILES_KERNEL(ACC_NAME(armnn_s8_dot_gemm), TILE)
#undef TILE

void ACC_NAME(armnn_s8_bytes)(const armnn_i_acc_levels_of_t* job);

extern const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_byte_kernels);
const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_byte_kernels) = {
    .panel = PANEL,
    .rows = MOST_ROWS,
    .bytes = 1,
    .weight_bytes = 1,
    .group = GROUP_BYTES,
    .read = ACC_NAME(armnn_s8_bytes),
    .multiply = ACC_NAME(armnn_s8_dot_gemm),
    .name = "armnn_s8_dot_gemm__" ACC_ISA_TEXT,
};

#endif
