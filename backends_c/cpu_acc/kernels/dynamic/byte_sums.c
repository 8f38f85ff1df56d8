/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * byte_sums.c - rows of unsigned bytes by weights of signed bytes, for the x86 instruction that
 * multiplies bytes and adds pairs of products in 16 bits, where they saturate: weights are packed
 * so that they do not, and two of its results can be added in 16 bits as well. Three
 * multiplications make 64 products then, instead of four of 16 bits, and weights are half as large.
 */
#include "dynamic.h"
#include "kernels/simd/simd_bytes.h"

#if VI_HAS_BYTE_PAIRS

enum { LANES = VF_LANES, VECTORS = 2, PANEL = VECTORS * LANES, ROWS_OF_A_TILE = 4 };

/* Four bytes in each lane. */
ACC_INLINE vi_t set_bytes(const uint8_t* p) {
  int32_t bytes;
  memcpy(&bytes, p, sizeof bytes);
  return vi_set(bytes);
}

ACC_INLINE void sum_rows(const armnn_i_acc_byte_sums_job_t* job, uint32_t first, const int ROWS) {
  const uint8_t* input = job->input + (ptrdiff_t)first * job->input_row;
  const int8_t* weights = job->weights;
  const vi_t ones = vi_set(0x10001);
  vi_t sum[ROWS_OF_A_TILE][VECTORS];
  UNROLLED for (int r = 0; r < ROWS; ++r) {
    const vi_t point = vi_set(-job->zero_points[first + (uint32_t)r]);
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      sum[r][v] = vi_mul(point, vi_load(job->channel_sums + v * LANES));
    }
  }
  for (size_t g = 0; g < job->groups; ++g) {
    vi_t w[VECTORS][2];
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      UNROLLED for (int h = 0; h < 2; ++h) {
        w[v][h] = vi_load((const int32_t*)(const void*)(weights + (2 * v + h) * (int)sizeof(vi_t)));
      }
    }
    UNROLLED for (int r = 0; r < ROWS; ++r) {
      const uint8_t* x = input + r * job->input_row;
      const vi_t low = set_bytes(x), high = set_bytes(x + ARMNN_ACC_BYTE_HALF);
      UNROLLED for (int v = 0; v < VECTORS; ++v) {
        const vi_t narrow = vi_add_int16(vi_byte_pairs(low, w[v][0]), vi_byte_pairs(high, w[v][1]));
        sum[r][v] = vi_dot_pairs(sum[r][v], narrow, ones);
      }
    }
    input += ARMNN_ACC_BYTE_GROUP;
    weights += PANEL * ARMNN_ACC_BYTE_GROUP;
  }
  UNROLLED for (int r = 0; r < ROWS; ++r) {
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      vi_store(job->sums + (first + (uint32_t)r) * PANEL + v * LANES, sum[r][v]);
    }
  }
}

void ACC_NAME(armnn_u8_sums)(const armnn_i_acc_byte_sums_job_t* job);
void ACC_NAME(armnn_u8_sums)(const armnn_i_acc_byte_sums_job_t* job) {
  uint32_t row = 0;
  for (; row + 4 <= job->rows; row += 4) sum_rows(job, row, 4);
  switch (job->rows - row) {
    case 1:
      sum_rows(job, row, 1);
      break;
    case 2:
      sum_rows(job, row, 2);
      break;
    case 3:
      sum_rows(job, row, 3);
      break;
    default:
      break;
  }
}

#else
typedef int armnn_i_acc_no_byte_sums_t; /* a file of C has something in it */
#endif
