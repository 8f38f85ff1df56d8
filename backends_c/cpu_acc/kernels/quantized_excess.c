/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_excess.c - what weights have beyond what products of bytes in 16 bits hold: a short
 * list for each channel.
 *
 * Channels have lists of different depths, and so a vector is one depth of many rows: rows of bytes
 * are turned to columns first, once for all channels. Sums of a channel, row by row, are turned
 * back to rows of channels at the end.
 */
#include "quantized.h"
#include "simd_bytes.h"

#if VI_HAS_BYTE_PAIRS && !VI_HAS_DOT_PRODUCT

enum { ROWS = ARMNN_ACC_EXCESS_ROWS, SIDE = 8, PANEL = 2 * VF_LANES };

/* ---- Rows to columns ----------------------------------------------------------------------- */

ACC_INLINE void store_column(int16_t* column, __m128i bytes) {
  _mm256_storeu_si256((__m256i*)(void*)column, _mm256_cvtepu8_epi16(bytes));
}

/* 16 depths. Each step moves one bit of a byte's place in its row to the place of its row. */
ACC_INLINE void turn_square(const char* const* rows, size_t depth, int16_t* columns) {
  __m128i x[ROWS], y[ROWS];
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    x[i] = _mm_loadu_si128((const __m128i*)(const void*)(rows[i] + depth));
  }
  UNROLLED for (int step = 0; step < 4; ++step) {
    UNROLLED for (int i = 0; i < ROWS / 2; ++i) {
      y[2 * i] = _mm_unpacklo_epi8(x[i], x[i + ROWS / 2]);
      y[2 * i + 1] = _mm_unpackhi_epi8(x[i], x[i + ROWS / 2]);
    }
    UNROLLED for (int i = 0; i < ROWS; ++i) x[i] = y[i];
  }
  UNROLLED for (int i = 0; i < ROWS; ++i) store_column(columns + i * ROWS, x[i]);
}

/* Four depths, for what is left of a row: nothing behind it is read. */
ACC_INLINE void turn_group(const char* const* rows, size_t depth, int16_t* columns) {
  for (int i = 0; i < 4; ++i) {
    for (int r = 0; r < ROWS; ++r) columns[i * ROWS + r] = (uint8_t)rows[r][depth + (size_t)i];
  }
}

void ACC_NAME(armnn_s8_columns)(const armnn_i_acc_columns_job_t* job);
void ACC_NAME(armnn_s8_columns)(const armnn_i_acc_columns_job_t* job) {
  int16_t* columns = job->columns;
  for (uint32_t t = 0; t < job->tap_count; ++t) {
    const char* rows[ROWS];
    for (uint32_t r = 0; r < ROWS; ++r) {
      rows[r] = job->inputs[r < job->rows ? r : job->rows - 1] + job->taps[t];
    }
    size_t k = 0;
    for (; k + 16 <= job->depths; k += 16, columns += 16 * ROWS) turn_square(rows, k, columns);
    for (; k < job->depths; k += 4, columns += 4 * ROWS) turn_group(rows, k, columns);
  }
}

/* ---- Sums ---------------------------------------------------------------------------------- */

/* What _mm256_unpacklo_epi16 and hi make of a column: its rows 0 to 3 and 8 to 11, and the others.
 */
typedef struct halves_t {
  __m256i low, high;
} halves_t;

ACC_INLINE halves_t sum_channel(const armnn_i_acc_excess_job_t* job, int channel) {
  halves_t sums = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  const armnn_i_acc_excess_pair_t* end = job->pairs + job->begins[channel + 1];
  for (const armnn_i_acc_excess_pair_t* p = job->pairs + job->begins[channel]; p < end; ++p) {
    const int16_t* columns[2] = {job->columns + (size_t)p->depths[0] * ROWS,
                                 job->columns + (size_t)p->depths[1] * ROWS};
    const __m256i x = _mm256_loadu_si256((const __m256i*)(const void*)columns[0]);
    const __m256i y = _mm256_loadu_si256((const __m256i*)(const void*)columns[1]);
    int32_t both;
    memcpy(&both, p->weights, sizeof both);
    const __m256i weights = _mm256_set1_epi32(both);
    const __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(x, y), weights);
    const __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(x, y), weights);
    sums.low = _mm256_add_epi32(sums.low, low);
    sums.high = _mm256_add_epi32(sums.high, high);
  }
  return sums;
}

/* Eight vectors of channels become rows; row r of |x| is row r % 4 + r / 4 * 8 of |sums|. */
ACC_INLINE void store_rows(const __m256i x[SIDE], int32_t* sums) {
  __m256i y[SIDE], z[SIDE];
  UNROLLED for (int i = 0; i < SIDE; i += 2) {
    y[i] = _mm256_unpacklo_epi32(x[i], x[i + 1]);     /* rows 0, 1 of both, then 8, 9 */
    y[i + 1] = _mm256_unpackhi_epi32(x[i], x[i + 1]); /* 2, 3, then 10, 11 */
  }
  UNROLLED for (int i = 0; i < SIDE; i += 4) {
    UNROLLED for (int k = 0; k < 2; ++k) {
      z[i + 2 * k] = _mm256_unpacklo_epi64(y[i + k], y[i + k + 2]);     /* row 2 k, then 2 k + 8 */
      z[i + 2 * k + 1] = _mm256_unpackhi_epi64(y[i + k], y[i + k + 2]); /* row 2 k + 1 .. */
    }
  }
  UNROLLED for (int r = 0; r < 4; ++r) {
    const __m256i above = _mm256_permute2x128_si256(z[r], z[r + 4], 0x20);
    const __m256i below = _mm256_permute2x128_si256(z[r], z[r + 4], 0x31);
    _mm256_storeu_si256((__m256i*)(void*)(sums + r * PANEL), above);
    _mm256_storeu_si256((__m256i*)(void*)(sums + (r + 8) * PANEL), below);
  }
}

void ACC_NAME(armnn_s8_excess)(const armnn_i_acc_excess_job_t* job);
void ACC_NAME(armnn_s8_excess)(const armnn_i_acc_excess_job_t* job) {
  for (int c = 0; c < PANEL; c += SIDE) {
    __m256i low[SIDE], high[SIDE];
    for (int i = 0; i < SIDE; ++i) {
      const halves_t sums = sum_channel(job, c + i);
      low[i] = sums.low;
      high[i] = sums.high;
    }
    store_rows(low, job->sums + c);
    store_rows(high, job->sums + 4 * PANEL + c);
  }
}

#else
typedef int armnn_i_acc_no_excess_t; /* a file of C has something in it */
#endif
