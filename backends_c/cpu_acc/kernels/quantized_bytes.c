/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_bytes.c - products of stored bytes with bytes of weights, four at a time, or eight
 * where they are added in 16 bits.
 */
#include "quantized.h"
#include "quantized_tile.h"

#if !defined(__ARM_FEATURE_MATMUL_INT8) /* which has quantized_mmla.c */

#define TILE(rows) DEFINE_TILE(rows, multiply_tiles(job, rows, BYTES))
TILES_UP_TO(MOST_BYTE_ROWS, TILE)
#undef TILE
TILES_KERNEL(ACC_NAME(armnn_s8_dot_gemm), MOST_BYTE_ROWS)

void ACC_NAME(armnn_s8_bytes)(const armnn_i_acc_levels_of_t* job);
#if BYTES_IN_WORDS
void ACC_NAME(armnn_s8_columns)(const armnn_i_acc_columns_job_t* job);
void ACC_NAME(armnn_s8_excess)(const armnn_i_acc_excess_job_t* job);
#endif

extern const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_byte_kernels);
const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_byte_kernels) = {
    .panel = PANEL,
    .rows = MOST_BYTE_ROWS,
    .bytes = 1,
    .weight_bytes = 1,
    .group = GROUP_BYTES,
    .read = ACC_NAME(armnn_s8_bytes),
    .multiply = ACC_NAME(armnn_s8_dot_gemm),
#if BYTES_IN_WORDS
    .columns = ACC_NAME(armnn_s8_columns),
    .excess = ACC_NAME(armnn_s8_excess),
#endif
    .name = "armnn_s8_dot_gemm__" ACC_ISA_TEXT,
};

#endif
