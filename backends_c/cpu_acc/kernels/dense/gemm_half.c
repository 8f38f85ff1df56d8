/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gemm_half.c - tiles of gemm.c whose weights are stored in 16 bits: they become float32 when they
 * are loaded, and everything is computed in float32. Half of the bytes count where weights come
 * from memory or the third cache, as of a product of a matrix and a vector.
 */
#include "gemm_tile.h"

#define GEMM_TILE(rows, vectors)                                     \
  static __attribute__((noinline)) void bfloat16_##rows##_##vectors( \
      const armnn_i_acc_gemm_job_t* job) {                           \
    multiply_tile(job, rows, vectors, ARMNN_ACC_STORED_BFLOAT16);    \
  }                                                                  \
  static __attribute__((noinline)) void float16_##rows##_##vectors(  \
      const armnn_i_acc_gemm_job_t* job) {                           \
    multiply_tile(job, rows, vectors, ARMNN_ACC_STORED_FLOAT16);     \
  }
#include "gemm_tiles.inc"
#undef GEMM_TILE

/* In the order of armnn_i_acc_stored_e, which begins with float32. */
extern const armnn_i_acc_gemm_tiles_t ACC_NAME(armnn_i_acc_gemm_half_tiles)[];
const armnn_i_acc_gemm_tiles_t ACC_NAME(armnn_i_acc_gemm_half_tiles)[] = {
    {
#define GEMM_TILE(rows, vectors) [vectors][rows] = bfloat16_##rows##_##vectors,
#include "gemm_tiles.inc"
#undef GEMM_TILE
    },
    {
#define GEMM_TILE(rows, vectors) [vectors][rows] = float16_##rows##_##vectors,
#include "gemm_tiles.inc"
#undef GEMM_TILE
    },
};
