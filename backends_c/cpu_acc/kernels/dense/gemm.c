/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gemm.c - tiles of rows x panels of float32 in registers, and the packing of panels.
 */
#include "gemm_tile.h"

#define GEMM_TILE(rows, vectors)                                 \
  static __attribute__((noinline)) void tile_##rows##_##vectors( \
      const armnn_i_acc_gemm_job_t* job) {                       \
    multiply_tile(job, rows, vectors, ARMNN_ACC_STORED_FLOAT32); \
  }
#include "gemm_tiles.inc"
#undef GEMM_TILE

#if VF_LANES == 16
#include "gemm_pairs.h"

#define GEMM_TILE(rows, vectors)                                  \
  static __attribute__((noinline)) void pairs_##rows##_##vectors( \
      const armnn_i_acc_gemm_job_t* job) {                        \
    multiply_pairs(job, rows, vectors - 1);                       \
  }
#include "gemm_tiles.inc"
#undef GEMM_TILE
#endif

#include "gemm_pack.h"

static void add_rows(float* data, int64_t stride, const float* other, int64_t other_stride,
                     size_t rows, size_t columns) {
  for (size_t row = 0; row < rows; ++row) {
    float* to = data + (int64_t)row * stride;
    const float* from = other + (int64_t)row * other_stride;
    size_t i = 0;
    for (; i + VF_LANES <= columns; i += VF_LANES) {
      vf_store(to + i, vf_add(vf_load(to + i), vf_load(from + i)));
    }
    for (; i < columns; ++i) to[i] += from[i];
  }
}

#define NAMES(tile)                                                                        \
  {"armnn_f32_conv2d__" ACC_ISA_TEXT "_" tile, "armnn_f32_matmul__" ACC_ISA_TEXT "_" tile, \
   "armnn_f32_transpose_conv2d__" ACC_ISA_TEXT "_" tile}

/* By the vectors of a panel; |stored| is the end of the names. */
#if VF_LANES == 16
#define ALL_NAMES(stored)       \
  {[1] = NAMES("12x16" stored), \
   [2] = NAMES("12x32" stored), \
   [3] = NAMES("9x48" stored),  \
   [4] = NAMES("6x64" stored)}
#elif VF_LANES == 8
#define ALL_NAMES(stored) \
  {[1] = NAMES("9x8" stored), [2] = NAMES("6x16" stored), [3] = NAMES("4x24" stored)}
#elif VF_REGISTERS == 32
#define ALL_NAMES(stored)      \
  {[1] = NAMES("12x4" stored), \
   [2] = NAMES("12x8" stored), \
   [3] = NAMES("9x12" stored), \
   [4] = NAMES("6x16" stored)}
#else
#define ALL_NAMES(stored) \
  {[1] = NAMES("9x4" stored), [2] = NAMES("6x8" stored), [3] = NAMES("4x12" stored)}
#endif

extern const armnn_i_acc_gemm_tiles_t ACC_NAME(armnn_i_acc_gemm_half_tiles)[];
extern const armnn_i_acc_gemm_kernels_t ACC_NAME(armnn_i_acc_gemm_kernels);
const armnn_i_acc_gemm_kernels_t ACC_NAME(armnn_i_acc_gemm_kernels) = {
    .lanes = VF_LANES,
#if VF_REGISTERS == 32
    .max_vectors = 4,
    .max_rows = {0, 12, 12, 9, 6},
#else
    .max_vectors = 3,
    .max_rows = {0, 9, 6, 4, 0},
#endif
    .tiles =
        {
#define GEMM_TILE(rows, vectors) [vectors][rows] = tile_##rows##_##vectors,
#include "gemm_tiles.inc"
#undef GEMM_TILE
        },
#if VF_LANES == 16
    .pair_tiles =
        {
#define GEMM_TILE(rows, vectors) [vectors][rows] = vectors > 1 ? pairs_##rows##_##vectors : NULL,
#include "gemm_tiles.inc"
#undef GEMM_TILE
        },
#endif
    .half_tiles = ACC_NAME(armnn_i_acc_gemm_half_tiles),
    .pauses = PAUSES,
    .names =
        {
            [ARMNN_ACC_STORED_FLOAT32] = ALL_NAMES(""),
            [ARMNN_ACC_STORED_BFLOAT16] = ALL_NAMES("_bf16"),
            [ARMNN_ACC_STORED_FLOAT16] = ALL_NAMES("_f16"),
        },
    .pack = pack,
    .add_rows = add_rows,
};
