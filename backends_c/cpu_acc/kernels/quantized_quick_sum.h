/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_quick_sum.h - sums of two runs of numbers in 16 bits behind the point, as long as these
 * tell the level for sure: part of quantized_elements.c, for AVX-512.
 *
 * Numbers of both operands lie side by side, a lane for each sum, in the upper bytes of words: so a
 * factor of 8 bits behind the point makes products of 16. What such a factor lacks is multiplied
 * apart, by an instruction that keeps upper halves. The level is the upper half of a lane, and the
 * lower one says how near it is to the next.
 *
 * CpuRef rounds its terms twice and their sum once before it rounds to a level: by less than 3
 * units of 2^-16 with what is_quick of ops/quantized_binary.c counts. Here upper halves are less by
 * up to 2 units, of which 1 is added again, factors are off by 0.75 and the start by half a unit.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_QUICK_SUM_H_
#define ARMNN_CPU_ACC_QUANTIZED_QUICK_SUM_H_

#include "armnn/descriptors.h"
#include "quantized.h"
#include "simd_levels.h"

#if defined(__AVX512F__)
enum { QUICK_STEP = 64, MOST_MISSES = 6, QUICK_UNSURE = 6 };

typedef struct quick_t {
  vi_t factor, rest; /* words, of the left operand and of the right one in turn */
  vi_t start;
  __m512i flip[2];
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
      .flip = {_mm512_set1_epi8((char)(job->operands[0].flip ^ 0x80)),
               _mm512_set1_epi8((char)(job->operands[1].flip ^ 0x80))},
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
  const __m512i highs = _mm512_setr_epi64(
      0x0007000500030001, 0x0027002500230021, 0x000f000d000b0009, 0x002f002d002b0029,
      0x0017001500130011, 0x0037003500330031, 0x001f001d001b0019, 0x003f003d003b0039);
  const __m512i zero = _mm512_setzero_si512(), ones = _mm512_set1_epi16(1);
  const __m512i unsure = _mm512_set1_epi16(2 * QUICK_UNSURE);
  const quick_t quick = *given;
  size_t i = 0;
  for (; i + STEP <= count; i += STEP) {
    const __m512i a = _mm512_xor_si512(_mm512_loadu_si512(left + i), quick.flip[0]);
    const __m512i b = _mm512_xor_si512(_mm512_loadu_si512(right + i), quick.flip[1]);
    const __m512i low = _mm512_unpacklo_epi8(a, b), high = _mm512_unpackhi_epi8(a, b);
    const __m512i words[QUARTERS] = {
        _mm512_unpacklo_epi8(zero, low), _mm512_unpackhi_epi8(zero, low),
        _mm512_unpacklo_epi8(zero, high), _mm512_unpackhi_epi8(zero, high)};
    vi_t sum[QUARTERS];
    UNROLLED for (int q = 0; q < QUARTERS; ++q) {
      const __m512i more = _mm512_mulhi_epi16(words[q], quick.rest);
      sum[q] = vi_dot_pairs(vi_dot_pairs(quick.start, words[q], quick.factor), more, ones);
    }
    const __m512i least =
        _mm512_min_epu16(_mm512_min_epu16(sum[0], sum[1]), _mm512_min_epu16(sum[2], sum[3]));
    if (_mm512_mask_cmplt_epu16_mask(0x55555555, least, unsure) != 0) break;
    const __m512i bytes = _mm512_packus_epi16(_mm512_permutex2var_epi16(sum[0], highs, sum[1]),
                                              _mm512_permutex2var_epi16(sum[2], highs, sum[3]));
    const __m512i bounded =
        _mm512_min_epu8(_mm512_max_epu8(bytes, quick.bounds.low), quick.bounds.high);
    _mm512_storeu_si512(out + i, _mm512_xor_si512(bounded, quick.bounds.flip));
  }
  return i;
}
#endif

#endif /* ARMNN_CPU_ACC_QUANTIZED_QUICK_SUM_H_ */
