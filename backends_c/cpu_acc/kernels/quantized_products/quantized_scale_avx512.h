/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_scale_avx512.h - sums times factors for AVX-512: part of quantized_store.h.
 *
 * Products of even and of odd lanes have 64 bits each. What they are rounded with is added there,
 * once for both roundings of a factor; the result is then in the upper halves, which one shuffle
 * brings together. What belongs to channels alone is computed once for many pixels.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_SCALE_AVX512_H_
#define ARMNN_CPU_ACC_QUANTIZED_SCALE_AVX512_H_

#include "kernels/quantized/quantized.h"
#include "kernels/simd/simd_levels.h"

/* What a vector of channels has of its own: arrays for even and for odd lanes, of 64 bits. */
typedef struct channels_t {
  vi_t multiplier[2], round[2];
  vi_t right[2]; /* the first one for all lanes, of 32 bits, unless factors round once */
  vi_t left, down;
} channels_t;

/* Of the channels whose arrays begin at |arrays|, |width| channels each. |FLAGS| are constant where
 * this is used. */
ACC_INLINE channels_t load_channels(const int32_t* arrays, ptrdiff_t width, const uint32_t FLAGS) {
  const vi_t multiplier = vi_load(arrays + ARMNN_ACC_CHANNEL_MULTIPLIER * width);
  const vi_t right = vi_load(arrays + ARMNN_ACC_CHANNEL_RIGHT * width);
  const __m512i lower = _mm512_set1_epi64(UINT32_MAX);
  if ((FLAGS & ARMNN_ACC_SCALE_REAL) != 0) {
    return (channels_t){
        .multiplier = {vi_join_low(multiplier, right), vi_join_high(multiplier, right)}};
  }
  channels_t c = {.multiplier = {multiplier, vi_odd(multiplier)}, .right = {right, right}};
  if ((FLAGS & ARMNN_ACC_SCALE_ONCE) != 0) {
    for (int i = 0; i < 2; ++i) {
      c.right[i] = _mm512_and_si512(i == 0 ? right : vi_odd(right), lower);
      c.round[i] = _mm512_srli_epi64(_mm512_sllv_epi64(_mm512_set1_epi64(1), c.right[i]), 1);
    }
    return c;
  }
  /* (2^right / 2) * 2^31 of the second rounding and 2^30 of the first one */
  const vi_t half = vi_load(arrays + ARMNN_ACC_CHANNEL_HALF * width);
  const __m512i quarter = _mm512_set1_epi64(INT64_C(1) << 30);
  for (int i = 0; i < 2; ++i) {
    const __m512i own = _mm512_and_si512(i == 0 ? half : vi_odd(half), lower);
    c.round[i] = _mm512_add_epi64(_mm512_slli_epi64(own, 31), quarter);
  }
  if ((FLAGS & ARMNN_ACC_SCALE_POSITIVE) != 0) {
    c.right[0] = _mm512_sub_epi32(right, vi_set(1));
  } else if ((FLAGS & ARMNN_ACC_SCALE_EXACT) != 0) {
    c.left = vi_load(arrays + ARMNN_ACC_CHANNEL_LEFT * width);
    c.down = vi_is_positive(right);
  } else {
    /* Twice of both, so that upper halves are what the first rounding makes. Multipliers are 2^30
     * or more here: twice of one, less 2^32, is a number of 32 bits. */
    for (int i = 0; i < 2; ++i) {
      c.multiplier[i] = _mm512_slli_epi32(c.multiplier[i], 1);
      c.round[i] = _mm512_slli_epi64(c.round[i], 1);
    }
  }
  return c;
}

ACC_INLINE vi_t scaled(vi_t sum, const channels_t* c, const uint32_t FLAGS) {
  if ((FLAGS & ARMNN_ACC_SCALE_REAL) != 0) {
    return vi_scale_real(sum, c->multiplier[0], c->multiplier[1]);
  }
  if ((FLAGS & ARMNN_ACC_SCALE_EXACT) != 0) sum = vi_shift_left_by(sum, c->left);
  const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(sum, c->multiplier[0]), c->round[0]);
  const __m512i odd =
      _mm512_add_epi64(_mm512_mul_epi32(vi_odd(sum), c->multiplier[1]), c->round[1]);
  if ((FLAGS & ARMNN_ACC_SCALE_ONCE) != 0) {
    return vi_lower_halves(_mm512_srav_epi64(even, c->right[0]),
                           _mm512_srav_epi64(odd, c->right[1]));
  }
  if ((FLAGS & ARMNN_ACC_SCALE_POSITIVE) != 0) {
    return vi_shift_right_by(vi_upper_halves(even, odd), c->right[0]);
  }
  vi_t down = vi_shift_right(sum, 31); /* -1 for negative numbers, whose halves go down */
  if ((FLAGS & ARMNN_ACC_SCALE_EXACT) != 0) {
    const vi_t high = vi_without_31_bits(even, odd);
    down = vi_and(down, c->down);
    return vi_shift_right_by(vi_add(high, down), c->right[0]);
  }
  const vi_t high = vi_add(vi_upper_halves(even, odd), sum); /* 2^32 of the multiplier */
  return vi_shift_right_by(vi_add(high, down), c->right[0]);
}

#endif /* ARMNN_CPU_ACC_QUANTIZED_SCALE_AVX512_H_ */
