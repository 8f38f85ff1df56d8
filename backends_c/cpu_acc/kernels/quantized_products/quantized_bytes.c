/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_bytes.c - products of stored bytes with bytes of weights, four at a time, or eight
 * where they are added in 16 bits.
 */
#include "kernels/quantized/quantized.h"
#include "quantized_tile.h"

#if !defined(__ARM_FEATURE_MATMUL_INT8) /* which has quantized_mmla.c */

#define TILE(rows) DEFINE_TILE(tile, rows, multiply_tiles(job, rows, VECTORS, BYTES))
TILES_UP_TO(MOST_BYTE_ROWS, TILE)
#undef TILE

#if VI_HAS_DOT_PRODUCT && defined(__AVX512F__)
/* Of a panel whose second vector is empty. For 14 rows GCC 12 keeps the weights in memory: those
 * are two tiles of 7. */
#define HALF_TILES(TILE) TILES_UP_TO_12(TILE) TILE(13)
#define TILE(rows) DEFINE_TILE(half, rows, multiply_tiles(job, rows, 1, BYTES))
HALF_TILES(TILE)
#undef TILE
TILES_KERNEL(multiply_wholes, MOST_BYTE_ROWS)

static void multiply_halves(const job_t* job) {
#define HALF_OF(rows) half_##rows,
  static void (*const tiles[])(const job_t*) = {NULL, HALF_TILES(HALF_OF)};
#undef HALF_OF
  job_t twice = *job;
  if (job->rows == MOST_BYTE_ROWS) {
    twice.rows = MOST_BYTE_ROWS / 2;
    twice.tiles = 2 * job->tiles;
  }
  tiles[twice.rows](&twice);
}

static void ACC_NAME(armnn_s8_dot_gemm)(const job_t* job) {
  (job->channels <= VF_LANES ? multiply_halves : multiply_wholes)(job);
}
#else
TILES_KERNEL(ACC_NAME(armnn_s8_dot_gemm), MOST_BYTE_ROWS)
#endif

void ACC_NAME(armnn_s8_bytes)(const armnn_i_acc_levels_of_t* job);
#if BYTE_PAIRS_IN_INT16
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
#if BYTE_PAIRS_IN_INT16
    .columns = ACC_NAME(armnn_s8_columns),
    .excess = ACC_NAME(armnn_s8_excess),
#endif
    .name = "armnn_s8_dot_gemm__" ACC_ISA_TEXT,
};

#endif
