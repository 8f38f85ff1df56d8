/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_excess.c - what weights have beyond what products of bytes in 16 bits hold: a short
 * list for each channel.
 *
 * Channels have lists of different depths, and so a vector is one depth of many rows: rows of bytes
 * are turned to columns first, once for all channels. Sums of a channel, row by row, are turned
 * back to rows of channels at the end. Products of a run meet in 16 bits.
 */
#include "kernels/quantized/quantized.h"
#include "kernels/simd/simd_bytes.h"

#if VI_HAS_BYTE_PAIRS && !VI_HAS_DOT_PRODUCT

enum { ROWS = ARMNN_ACC_EXCESS_ROWS, HALF = ROWS / 2, SIDE = 8, PANEL = 2 * VF_LANES };

/* ---- Rows to columns ----------------------------------------------------------------------- */

/* 16 depths of half the rows and of the other half, in the lanes of a vector. Each step moves one
 * bit of a byte's place in its row to the place of its row. */
ACC_INLINE void turn_square(const char* const* rows, size_t depth, uint8_t* columns) {
  __m256i x[HALF], y[HALF];
  UNROLLED for (int i = 0; i < HALF; ++i) {
    const __m128i first = _mm_loadu_si128((const __m128i*)(const void*)(rows[i] + depth));
    const __m128i second = _mm_loadu_si128((const __m128i*)(const void*)(rows[i + HALF] + depth));
    x[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
  }
  UNROLLED for (int step = 0; step < 4; ++step) {
    UNROLLED for (int i = 0; i < HALF / 2; ++i) {
      y[2 * i] = _mm256_unpacklo_epi8(x[i], x[i + HALF / 2]);
      y[2 * i + 1] = _mm256_unpackhi_epi8(x[i], x[i + HALF / 2]);
    }
    UNROLLED for (int i = 0; i < HALF; ++i) x[i] = y[i];
  }
  UNROLLED for (int i = 0; i < HALF; ++i) {
    _mm256_storeu_si256((__m256i*)(void*)(columns + i * ROWS), x[i]);
  }
}

/* Four depths, for what is left of a row: nothing behind it is read. */
ACC_INLINE void turn_group(const char* const* rows, size_t depth, uint8_t* columns) {
  for (int i = 0; i < 4; ++i) {
    for (int r = 0; r < ROWS; ++r) columns[i * ROWS + r] = (uint8_t)rows[r][depth + (size_t)i];
  }
}

void ACC_NAME(armnn_s8_columns)(const armnn_i_acc_columns_job_t* job);
void ACC_NAME(armnn_s8_columns)(const armnn_i_acc_columns_job_t* job) {
  uint8_t* columns = job->columns;
  for (uint32_t t = 0; t < job->tap_count; ++t) {
    const char* rows[ROWS];
    for (uint32_t r = 0; r < ROWS; ++r) {
      rows[r] = job->inputs[r < job->rows ? r : job->rows - 1] + job->taps[t];
    }
    size_t k = 0;
    for (; k + HALF <= job->depths; k += HALF, columns += HALF * ROWS) {
      turn_square(rows, k, columns);
    }
    for (; k < job->depths; k += 4, columns += 4 * ROWS) turn_group(rows, k, columns);
  }
}

/* ---- Sums ---------------------------------------------------------------------------------- */

/* Of a channel: rows of the lower half of each lane and of the upper one, as _mm256_unpacklo_epi8
 * and hi have them, the even ones and the odd ones. */
enum { PARTS = 4 };
static const int part_begins[PARTS] = {0, 1, 8, 9};

ACC_INLINE __m256i column(const armnn_i_acc_excess_job_t* job, uint32_t depth) {
  return _mm256_loadu_si256((const __m256i*)(const void*)(job->columns + (size_t)depth * ROWS));
}

ACC_INLINE void sum_channel(const armnn_i_acc_excess_job_t* job, int channel,
                            __m256i parts[PARTS]) {
  const __m256i even = _mm256_set1_epi32(1), odd = _mm256_set1_epi32(1 << 16);
  const armnn_i_acc_excess_run_t* end = job->runs + job->begins[channel + 1];
  UNROLLED for (int i = 0; i < PARTS; ++i) parts[i] = _mm256_setzero_si256();
  for (const armnn_i_acc_excess_run_t* run = job->runs + job->begins[channel]; run < end; ++run) {
    __m256i low = _mm256_setzero_si256(), high = low;
    UNROLLED for (int p = 0; p < ARMNN_ACC_EXCESS_PAIRS; ++p) {
      const __m256i x = column(job, run->depths[p][0]), y = column(job, run->depths[p][1]);
      int32_t both;
      memcpy(&both, run->weights[p], sizeof both);
      const __m256i weights = _mm256_set1_epi32(both);
      low = _mm256_add_epi16(low, _mm256_maddubs_epi16(_mm256_unpacklo_epi8(x, y), weights));
      high = _mm256_add_epi16(high, _mm256_maddubs_epi16(_mm256_unpackhi_epi8(x, y), weights));
    }
    parts[0] = _mm256_add_epi32(parts[0], _mm256_madd_epi16(low, even));
    parts[1] = _mm256_add_epi32(parts[1], _mm256_madd_epi16(low, odd));
    parts[2] = _mm256_add_epi32(parts[2], _mm256_madd_epi16(high, even));
    parts[3] = _mm256_add_epi32(parts[3], _mm256_madd_epi16(high, odd));
  }
}

/* Eight vectors of channels become rows; row r of |x| is row r % 4 * 2 + r / 4 * 16 of |sums|. */
ACC_INLINE void store_rows(const __m256i x[SIDE], int32_t* sums) {
  __m256i y[SIDE], z[SIDE];
  UNROLLED for (int i = 0; i < SIDE; i += 2) {
    y[i] = _mm256_unpacklo_epi32(x[i], x[i + 1]);     /* rows 0, 1 of both, then 4, 5 */
    y[i + 1] = _mm256_unpackhi_epi32(x[i], x[i + 1]); /* 2, 3, then 6, 7 */
  }
  UNROLLED for (int i = 0; i < SIDE; i += 4) {
    UNROLLED for (int k = 0; k < 2; ++k) {
      z[i + 2 * k] = _mm256_unpacklo_epi64(y[i + k], y[i + k + 2]);     /* row 2 k, then 2 k + 4 */
      z[i + 2 * k + 1] = _mm256_unpackhi_epi64(y[i + k], y[i + k + 2]); /* row 2 k + 1 .. */
    }
  }
  UNROLLED for (int r = 0; r < 4; ++r) {
    const __m256i above = _mm256_permute2x128_si256(z[r], z[r + 4], 0x20);
    const __m256i below = _mm256_permute2x128_si256(z[r], z[r + 4], 0x31);
    _mm256_storeu_si256((__m256i*)(void*)(sums + 2 * r * PANEL), above);
    _mm256_storeu_si256((__m256i*)(void*)(sums + (2 * r + HALF) * PANEL), below);
  }
}

void ACC_NAME(armnn_s8_excess)(const armnn_i_acc_excess_job_t* job);
void ACC_NAME(armnn_s8_excess)(const armnn_i_acc_excess_job_t* job) {
  for (int c = 0; c < PANEL; c += SIDE) {
    __m256i parts[PARTS][SIDE];
    for (int i = 0; i < SIDE; ++i) {
      __m256i of_channel[PARTS];
      sum_channel(job, c + i, of_channel);
      UNROLLED for (int part = 0; part < PARTS; ++part) parts[part][i] = of_channel[part];
    }
    UNROLLED for (int part = 0; part < PARTS; ++part) {
      store_rows(parts[part], job->sums + part_begins[part] * PANEL + c);
    }
  }
}

#else
typedef int armnn_i_acc_no_excess_t; /* a file of C has something in it */
#endif
