/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_mmla.c - tiles of rows x panels of bytes by products of small matrices (i8mm of 64-bit
 * Arm): one instruction multiplies eight bytes of two rows with those of two channels.
 *
 * Sums are squares of 2 x 2 until the end. Rows come in twos: an odd last one meets itself.
 */
#include "kernels/quantized/quantized.h"
#include "quantized_tile.h"

#if defined(__ARM_FEATURE_MATMUL_INT8)

enum { GROUP = 8, ROW_PAIRS = MOST_ROWS / 2, CHANNEL_PAIRS = PANEL / 2 };

typedef int32x4_t squares_t[CHANNEL_PAIRS];

ACC_INLINE int8x16_t load_rows(const char* first, const char* second) {
  return vcombine_s8(vld1_s8((const int8_t*)first), vld1_s8((const int8_t*)second));
}

/* Lanes |half| (0: the first two) of neighbouring squares: four channels of one row. */
ACC_INLINE vi_t row_of(int32x4_t left, int32x4_t right, const int half) {
  const int64x2_t a = vreinterpretq_s64_s32(left), b = vreinterpretq_s64_s32(right);
  return (vi_t)vreinterpretq_s32_s64(half == 0 ? vzip1q_s64(a, b) : vzip2q_s64(a, b));
}

ACC_INLINE void multiply_squares(const job_t* job, const int ROWS) {
  const int PAIRS_OF_ROWS = (ROWS + 1) / 2;
  const size_t groups = job->groups;
  const char* const* inputs = job->inputs;
  uint8_t* const* outputs = job->outputs;
  const finish_t finish = finish_of(job);
  for (uint32_t tile = job->tiles; tile > 0; --tile) {
    const int8_t* weights = (const int8_t*)(job->panel + ARMNN_ACC_CHANNEL_ARRAYS * PANEL);
    squares_t square[ROW_PAIRS];
    UNROLLED for (int p = 0; p < PAIRS_OF_ROWS; ++p) {
      UNROLLED for (int c = 0; c < CHANNEL_PAIRS; ++c) square[p][c] = vdupq_n_s32(0);
    }
    for (uint32_t t = 0; t < job->tap_count; ++t) {
      const char* row[MOST_ROWS];
      UNROLLED for (int i = 0; i < 2 * PAIRS_OF_ROWS; ++i) {
        row[i] = inputs[i < ROWS ? i : ROWS - 1] + job->taps[t];
      }
      for (size_t k = 0; k < groups; ++k, weights += PANEL * GROUP) {
        int8x16_t weight[CHANNEL_PAIRS];
        UNROLLED for (int c = 0; c < CHANNEL_PAIRS; ++c) weight[c] = vld1q_s8(weights + 16 * c);
        UNROLLED for (int p = 0; p < PAIRS_OF_ROWS; ++p) {
          const int8x16_t x = load_rows(row[2 * p] + GROUP * k, row[2 * p + 1] + GROUP * k);
          UNROLLED for (int c = 0; c < CHANNEL_PAIRS; ++c) {
            square[p][c] = vmmlaq_s32(square[p][c], x, weight[c]);
          }
        }
      }
    }
    sums_t sum[MOST_ROWS];
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      const vi_t bias = vi_load(job->panel + v * VF_LANES);
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        const int32x4_t* squares = square[i / 2] + 2 * v;
        sum[i][v] = vi_add(bias, row_of(squares[0], squares[1], i % 2));
      }
    }
    store_tile(&finish, outputs, sum, ROWS, VECTORS);
    inputs += ROWS;
    outputs += ROWS;
  }
}

#define TILE(rows) DEFINE_TILE(tile, rows, multiply_squares(job, rows))
TILES_UP_TO(MOST_ROWS, TILE)
#undef TILE
TILES_KERNEL(ACC_NAME(armnn_s8_mmla), MOST_ROWS)

void ACC_NAME(armnn_s8_bytes)(const armnn_i_acc_levels_of_t* job);

extern const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_byte_kernels);
const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_byte_kernels) = {
    .panel = PANEL,
    .rows = MOST_ROWS,
    .bytes = 1,
    .weight_bytes = 1,
    .group = GROUP,
    .read = ACC_NAME(armnn_s8_bytes),
    .multiply = ACC_NAME(armnn_s8_mmla),
    .name = "armnn_s8_mmla_gemm__" ACC_ISA_TEXT,
};

#endif
