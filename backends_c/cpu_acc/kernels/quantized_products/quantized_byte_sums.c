/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_byte_sums.c - rows of unsigned bytes by weights of signed bytes, for instructions that
 * add four products of bytes in 32 bits: the sums alone, less zero points.
 */
#include "kernels/dynamic/dynamic.h"
#include "kernels/quantized/quantized.h"
#include "quantized_tile.h"

#if VI_HAS_DOT_PRODUCT && VI_BYTE_SIGN == 0

typedef armnn_i_acc_byte_sums_job_t sums_job_t;

ACC_INLINE void sum_tile(const sums_job_t* job, uint32_t first, const int ROWS) {
  const char* row[MOST_BYTE_ROWS];
  const char* weights = (const char*)job->weights;
  const size_t groups = job->groups, step = weights_size(BYTES);
  sums_t sum[MOST_BYTE_ROWS];
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    const vi_t point = vi_set(-job->zero_points[first + (uint32_t)i]);
    row[i] = (const char*)job->input + (ptrdiff_t)(first + (uint32_t)i) * job->input_row;
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      sum[i][v] = vi_mul(point, vi_load(job->channel_sums + v * VF_LANES));
    }
  }
  for (size_t k = 0; k < groups; ++k, weights += step) {
    add_group(sum, row, k, weights, ROWS, VECTORS, BYTES);
  }
  keep_sums(sum, ROWS, VECTORS);
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    int32_t* to = job->sums + (first + (uint32_t)i) * PANEL;
    UNROLLED for (int v = 0; v < VECTORS; ++v) vi_store(to + v * VF_LANES, sum[i][v]);
  }
}

#define TILE(rows)                                                                          \
  static __attribute__((noinline)) void sum_##rows(const sums_job_t* job, uint32_t first) { \
    sum_tile(job, first, rows);                                                             \
  }
TILES_UP_TO(MOST_BYTE_ROWS, TILE)
#undef TILE

void ACC_NAME(armnn_s8_byte_sums)(const armnn_i_acc_byte_sums_job_t* job);
void ACC_NAME(armnn_s8_byte_sums)(const armnn_i_acc_byte_sums_job_t* job) {
#define SUM_OF(rows) sum_##rows,
  static void (*const tiles[])(const sums_job_t*, uint32_t) = {NULL,
                                                               TILES_UP_TO(MOST_BYTE_ROWS, SUM_OF)};
#undef SUM_OF
  /* Tiles of nearly the same number of rows: those of few take longer for each. */
  uint32_t count = (job->rows + MOST_BYTE_ROWS - 1) / MOST_BYTE_ROWS;
  for (uint32_t row = 0; row < job->rows; --count) {
    const uint32_t size = (job->rows - row + count - 1) / count;
    tiles[size](job, row);
    row += size;
  }
}

#else
typedef int armnn_i_acc_no_dot_sums_t; /* a file of C has something in it */
#endif
