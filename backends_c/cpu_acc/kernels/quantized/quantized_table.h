/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_table.h - bytes replaced by those of a table of 256, many at a time.
 *
 * table_vectors does the first bytes of a run and says how many; the rest is for a plain loop.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_TABLE_H_
#define ARMNN_CPU_ACC_QUANTIZED_TABLE_H_

#include "kernels/simd/simd_bytes.h"

#if defined(__AVX512BW__)

/* The table is 128 words in four vectors: of each byte in a word of |numbers|, whose upper half is
 * 0, the word that holds its result, which is then moved to the lower half. The upper half of what
 * comes out is anything. */
ACC_INLINE __m512i table_entries(const __m512i table[4], __m512i numbers) {
  const __m512i at = _mm512_srli_epi16(numbers, 1); /* the shuffles read 6 bits of it */
  const __m512i low = _mm512_permutex2var_epi16(table[0], at, table[1]);
  const __m512i high = _mm512_permutex2var_epi16(table[2], at, table[3]);
  const __mmask32 is_high = _mm512_test_epi16_mask(numbers, _mm512_set1_epi16(0x80));
  const __m512i odd = _mm512_and_si512(numbers, _mm512_set1_epi16(1));
  return _mm512_srlv_epi16(_mm512_mask_blend_epi16(is_high, low, high), _mm512_slli_epi16(odd, 3));
}

ACC_INLINE __m512i of_table(const __m512i table[4], __m512i numbers) {
  const __m512i even = table_entries(table, _mm512_and_si512(numbers, _mm512_set1_epi16(0xff)));
  const __m512i odd = table_entries(table, _mm512_srli_epi16(numbers, 8));
  return _mm512_mask_blend_epi8(0xaaaaaaaaaaaaaaaa, even, _mm512_slli_epi16(odd, 8));
}

ACC_INLINE size_t table_vectors(const uint8_t* in, uint8_t* out, size_t count,
                                const uint8_t* bytes) {
  enum { STEP = sizeof(__m512i) };
  __m512i table[4];
  for (int part = 0; part < 4; ++part) table[part] = _mm512_loadu_si512(bytes + part * STEP);
  size_t i = 0;
  for (; i + STEP <= count; i += STEP) {
    _mm512_storeu_si512(out + i, of_table(table, _mm512_loadu_si512(in + i)));
  }
  const __mmask64 rest = (UINT64_C(1) << (count - i)) - 1;
  const __m512i last = _mm512_maskz_loadu_epi8(rest, in + i);
  _mm512_mask_storeu_epi8(out + i, rest, of_table(table, last));
  return count;
}

#elif defined(__AVX2__)

/* Shuffles of bytes know 16 rows of 16, and give 0 for numbers below 0. Half of the table is for
 * numbers of 0 to 127: row after row, 16 is taken off them, which saturates, and as long as that is
 * not below 0 what differs between the row and that before it is added. The upper half is for
 * numbers whose highest bit is turned. */
ACC_INLINE size_t table_vectors(const uint8_t* in, uint8_t* out, size_t count,
                                const uint8_t* bytes) {
  enum { ROWS = 8, ROW = 16, VECTORS = 4, STEP = VECTORS * sizeof(__m256i) };
  if (count < STEP) return 0;
  __m256i differences[2][ROWS];
  for (int half = 0; half < 2; ++half) {
    __m256i before = _mm256_setzero_si256();
    for (int r = 0; r < ROWS; ++r) {
      const uint8_t* row = bytes + (half * ROWS + r) * ROW;
      const __m256i here =
          _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)(const void*)row));
      differences[half][r] = _mm256_xor_si256(here, before);
      before = here;
    }
  }
  const __m256i row = _mm256_set1_epi8(ROW), highest = _mm256_set1_epi8((char)0x80);
  size_t i = 0;
  for (; i + STEP <= count; i += STEP) {
    __m256i numbers[VECTORS], result[VECTORS];
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      numbers[v] = _mm256_loadu_si256((const __m256i*)(const void*)(in + i) + v);
      result[v] = _mm256_setzero_si256();
    }
    for (int half = 0; half < 2; ++half) {
      __m256i at[VECTORS];
      UNROLLED for (int v = 0; v < VECTORS; ++v) {
        at[v] = half == 0 ? numbers[v] : _mm256_xor_si256(numbers[v], highest);
      }
      for (int r = 0; r < ROWS; ++r) {
        UNROLLED for (int v = 0; v < VECTORS; ++v) {
          const __m256i part = _mm256_shuffle_epi8(differences[half][r], at[v]);
          result[v] = _mm256_xor_si256(result[v], part);
          at[v] = _mm256_subs_epi8(at[v], row);
        }
      }
    }
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      _mm256_storeu_si256((__m256i*)(void*)(out + i) + v, result[v]);
    }
  }
  return i;
}

#else

ACC_INLINE size_t table_vectors(const uint8_t* in, uint8_t* out, size_t count,
                                const uint8_t* bytes) {
  (void)in, (void)out, (void)count, (void)bytes;
  return 0;
}

#endif

#endif /* ARMNN_CPU_ACC_QUANTIZED_TABLE_H_ */
