/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_narrow.c - products of pairs of levels with weights that are kept in 8 bits: half of
 * the memory, and of what is read of it, for the same products.
 */
#include "kernels/quantized/quantized.h"
#include "quantized_tile.h"

#define TILE(rows) DEFINE_TILE(tile, rows, multiply_tiles(job, rows, VECTORS, NARROW_PAIRS))
TILES_UP_TO(MOST_ROWS, TILE)
#undef TILE
TILES_KERNEL(ACC_NAME(armnn_s8_narrow_gemm), MOST_ROWS)

void ACC_NAME(armnn_s8_levels)(const armnn_i_acc_levels_of_t* job);

extern const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_narrow_kernels);
const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_narrow_kernels) = {
    .panel = PANEL,
    .rows = MOST_ROWS,
    .bytes = sizeof(int16_t),
    .weight_bytes = 1,
    .group = GROUP_BYTES / sizeof(int16_t),
    .read = ACC_NAME(armnn_s8_levels),
    .multiply = ACC_NAME(armnn_s8_narrow_gemm),
    .name = "armnn_s8_gemm_narrow__" ACC_ISA_TEXT,
};
