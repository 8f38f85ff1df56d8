/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_quick_sum.h - sums of two runs of numbers in 16 bits behind the point, as long as these
 * tell the level for sure: part of quantized_elements.c, for AVX-512 and AVX2.
 *
 * Numbers of both operands lie side by side, a lane for each sum, in the upper bytes of 16-bit
 * lanes: so a factor of 8 bits behind the point makes products of 16. What such a factor lacks is
 * multiplied apart, by an instruction that keeps upper halves. The level is the upper half of a
 * lane, and the lower one says how near it is to the next.
 *
 * CpuRef rounds its terms twice and their sum once before it rounds to a level: by less than 3
 * units of 2^-16 with what is_quick of ops/quantized/quantized_binary.c counts. Here upper halves
 * are less by up to 2 units, of which 1 is added again, factors are off by 0.75 and the start by
 * half a unit.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_QUICK_SUM_H_
#define ARMNN_CPU_ACC_QUANTIZED_QUICK_SUM_H_

#include "armnn/descriptors.h"
#include "kernels/simd/simd_levels.h"
#include "quantized.h"

#if defined(__AVX2__)
/* ---- What instruction sets call differently: vectors of 128-bit lanes, each for itself --------
 */

#if defined(__AVX512F__)
typedef __m512i quick_vector_t;
#define QUICK_(name, ...) _mm512_##name(__VA_ARGS__)
#define QUICK_ZERO _mm512_setzero_si512()
ACC_INLINE __m512i quick_load(const uint8_t* p) { return _mm512_loadu_si512(p); }
ACC_INLINE void quick_store(uint8_t* p, __m512i x) { _mm512_storeu_si512(p, x); }
ACC_INLINE __m512i quick_flip(__m512i a, __m512i b) { return _mm512_xor_si512(a, b); }
/* The upper halves of numbers of 32 bits, as int16. */
ACC_INLINE __m512i quick_upper_halves(__m512i a, __m512i b) {
  const __m512i places = _mm512_setr_epi64(
      0x0007000500030001, 0x0027002500230021, 0x000f000d000b0009, 0x002f002d002b0029,
      0x0017001500130011, 0x0037003500330031, 0x001f001d001b0019, 0x003f003d003b0039);
  return _mm512_permutex2var_epi16(a, places, b);
}
/* Whether the lower half of each number is |most| or more. */
ACC_INLINE bool quick_all_from(__m512i a, __m512i most) {
  return _mm512_mask_cmplt_epu16_mask(0x55555555, a, most) == 0;
}
#else
typedef __m256i quick_vector_t;
#define QUICK_(name, ...) _mm256_##name(__VA_ARGS__)
#define QUICK_ZERO _mm256_setzero_si256()
ACC_INLINE __m256i quick_load(const uint8_t* p) {
  return _mm256_loadu_si256((const __m256i*)(const void*)p);
}
ACC_INLINE void quick_store(uint8_t* p, __m256i x) { _mm256_storeu_si256((__m256i*)(void*)p, x); }
ACC_INLINE __m256i quick_flip(__m256i a, __m256i b) { return _mm256_xor_si256(a, b); }
ACC_INLINE __m256i quick_upper_halves(__m256i a, __m256i b) {
  return _mm256_packs_epi32(_mm256_srai_epi32(a, 16), _mm256_srai_epi32(b, 16));
}
ACC_INLINE bool quick_all_from(__m256i a, __m256i most) {
  const __m256i is_from = _mm256_cmpeq_epi16(_mm256_max_epu16(a, most), a);
  return (_mm256_movemask_epi8(is_from) & 0x33333333) == 0x33333333;
}
#endif

/* ---- Sums ------------------------------------------------------------------------------------ */

enum { QUICK_STEP = sizeof(quick_vector_t), MOST_MISSES = 6, QUICK_UNSURE = 6 };

typedef struct quick_t {
  vi_t factor, rest; /* int16, of the left operand and of the right one in turn */
  vi_t start;
  quick_vector_t flip[2];
  vi_bounds_t bounds; /* without the zero point, which |start| has */
} quick_t;

ACC_INLINE quick_t quick_of(const armnn_i_acc_pair_job_t* job, int operation) {
  const double sign = operation == ARMNN_BINARY_SUB ? -1.0 : 1.0;
  const double factors[2] = {job->quick[0], sign * job->quick[1]};
  const int32_t least = job->store.low < 0 ? -128 : 0;
  double start = job->store.zero_point - least + 0.5;
  uint32_t factor = 0, rest = 0;
  for (int side = 0; side < 2; ++side) {
    const double scaled = 256.0 * factors[side], whole = __builtin_rint(scaled);
    double less = __builtin_rint(65536.0 * (scaled - whole));
    if (less > INT16_MAX) less = INT16_MAX;
    factor |= (uint32_t)(uint16_t)(int16_t)whole << 16 * side;
    rest |= (uint32_t)(uint16_t)(int16_t)less << 16 * side;
    start += factors[side] * (128 - job->operands[side].offset);
  }
  return (quick_t){
      .factor = vi_set((int32_t)factor),
      .rest = vi_set((int32_t)rest),
      .start = vi_set((int32_t)__builtin_rint(65536.0 * start) + 1 + QUICK_UNSURE),
      /* numbers without their sign bit turned are signed ones, less 128 */
      .flip = {QUICK_(set1_epi8, (char)(job->operands[0].flip ^ 0x80)),
               QUICK_(set1_epi8, (char)(job->operands[1].flip ^ 0x80))},
      .bounds = vi_bounds(job->store.zero_point, job->store.low, job->store.high),
  };
}

/* How many numbers of two runs have become sums: all, less those of the last incomplete step, or
 * those before the first one that is not sure. A function of its own, so that all that it reads
 * stays in registers. */
static __attribute__((noinline)) size_t quick_sums(const quick_t* given, const uint8_t* left,
                                                   const uint8_t* right, uint8_t* out,
                                                   size_t count) {
  enum { STEP = QUICK_STEP, QUARTERS = 4 };
  const quick_vector_t zero = QUICK_ZERO, ones = QUICK_(set1_epi16, 1);
  const quick_vector_t unsure = QUICK_(set1_epi16, 2 * QUICK_UNSURE);
  const quick_t quick = *given;
  size_t i = 0;
  for (; i + STEP <= count; i += STEP) {
    const quick_vector_t a = quick_flip(quick_load(left + i), quick.flip[0]);
    const quick_vector_t b = quick_flip(quick_load(right + i), quick.flip[1]);
    const quick_vector_t low = QUICK_(unpacklo_epi8, a, b), high = QUICK_(unpackhi_epi8, a, b);
    const quick_vector_t lanes[QUARTERS] = {
        QUICK_(unpacklo_epi8, zero, low), QUICK_(unpackhi_epi8, zero, low),
        QUICK_(unpacklo_epi8, zero, high), QUICK_(unpackhi_epi8, zero, high)};
    vi_t sum[QUARTERS];
    UNROLLED for (int q = 0; q < QUARTERS; ++q) {
      const quick_vector_t more = QUICK_(mulhi_epi16, lanes[q], quick.rest);
      sum[q] = vi_dot_pairs(vi_dot_pairs(quick.start, lanes[q], quick.factor), more, ones);
    }
    const quick_vector_t least =
        QUICK_(min_epu16, QUICK_(min_epu16, sum[0], sum[1]), QUICK_(min_epu16, sum[2], sum[3]));
    if (!quick_all_from(least, unsure)) break;
    const quick_vector_t bytes = QUICK_(packus_epi16, quick_upper_halves(sum[0], sum[1]),
                                        quick_upper_halves(sum[2], sum[3]));
    const quick_vector_t bounded =
        QUICK_(min_epu8, QUICK_(max_epu8, bytes, quick.bounds.low), quick.bounds.high);
    quick_store(out + i, quick_flip(bounded, quick.bounds.flip));
  }
  return i;
}
#undef QUICK_
#undef QUICK_ZERO
#endif

#endif /* ARMNN_CPU_ACC_QUANTIZED_QUICK_SUM_H_ */
