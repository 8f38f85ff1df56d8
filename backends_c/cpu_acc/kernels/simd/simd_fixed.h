/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * simd_fixed.h - vectors of fixed-point numbers of 16 bits: sigmoid and tanh, the same bits as
 * fixed_functions.h has them one by one.
 *
 * Nothing branches, so that functions of several gates overlap. Where the instruction set has no
 * rounded products of 16 bits, each lane goes through fixed_functions.h.
 */
#ifndef ARMNN_CPU_ACC_SIMD_FIXED_H_
#define ARMNN_CPU_ACC_SIMD_FIXED_H_

#include "fixed_functions.h"
#include "simd_levels.h"

#define VW_LANES (2 * VF_LANES)

/* Vectors of the compiler: sums wrap, comparisons give -1 or 0. */
typedef int16_t vw_t __attribute__((vector_size(sizeof(vi_t))));
typedef uint16_t vw_unsigned_t __attribute__((vector_size(sizeof(vi_t))));
typedef int8_t vw_bytes_t __attribute__((vector_size(sizeof(vi_t) / 2)));

ACC_INLINE vw_t vw_set(int32_t x) {
  const vw_t zeros = {0};
  return zeros + (int16_t)x;
}
ACC_INLINE vw_t vw_wrapped_sum(vw_t a, vw_t b) {
  return (vw_t)((vw_unsigned_t)a + (vw_unsigned_t)b);
}
ACC_INLINE vw_t vw_wrapped_difference(vw_t a, vw_t b) {
  return (vw_t)((vw_unsigned_t)a - (vw_unsigned_t)b);
}
ACC_INLINE vw_t vw_choose(vw_t mask, vw_t a, vw_t b) { return (a & mask) | (b & ~mask); }

/* The first |count| numbers, or all; zeros behind them. */
ACC_INLINE vw_t vw_load_first(const int16_t* p, size_t count) {
  vw_t x = {0};
  if (count >= VW_LANES) {
    memcpy(&x, p, sizeof x);
  } else {
    int16_t some[VW_LANES] = {0};
    memcpy(some, p, count * sizeof *p);
    memcpy(&x, some, sizeof x);
  }
  return x;
}
ACC_INLINE void vw_store_first(int16_t* p, vw_t x, size_t count) {
  memcpy(p, &x, count >= VW_LANES ? sizeof x : count * sizeof *p);
}
ACC_INLINE void vw_store_bytes_first(int8_t* p, vw_t x, size_t count) {
  const vw_bytes_t bytes = __builtin_convertvector(x, vw_bytes_t);
  memcpy(p, &bytes, count >= VW_LANES ? sizeof bytes : count);
}

/* vw_product: armnn_product16, for operands that are not both the least number. vw_sum saturates.
 * vw_products: all 32 bits of products, in an order that vw_saturated takes back. */
#if defined(__AVX512F__)
#define VW_HAS_PRODUCT 1
ACC_INLINE vw_t vw_product(vw_t a, vw_t b) {
  return (vw_t)_mm512_mulhrs_epi16((__m512i)a, (__m512i)b);
}
ACC_INLINE vw_t vw_sum(vw_t a, vw_t b) { return (vw_t)_mm512_adds_epi16((__m512i)a, (__m512i)b); }
ACC_INLINE void vw_products(vw_t a, vw_t b, vi_t out[2]) {
  const __m512i low = _mm512_mullo_epi16((__m512i)a, (__m512i)b);
  const __m512i high = _mm512_mulhi_epi16((__m512i)a, (__m512i)b);
  out[0] = _mm512_unpacklo_epi16(low, high);
  out[1] = _mm512_unpackhi_epi16(low, high);
}
ACC_INLINE vw_t vw_saturated(const vi_t x[2]) { return (vw_t)_mm512_packs_epi32(x[0], x[1]); }
#elif defined(__AVX2__)
#define VW_HAS_PRODUCT 1
ACC_INLINE vw_t vw_product(vw_t a, vw_t b) {
  return (vw_t)_mm256_mulhrs_epi16((__m256i)a, (__m256i)b);
}
ACC_INLINE vw_t vw_sum(vw_t a, vw_t b) { return (vw_t)_mm256_adds_epi16((__m256i)a, (__m256i)b); }
ACC_INLINE void vw_products(vw_t a, vw_t b, vi_t out[2]) {
  const __m256i low = _mm256_mullo_epi16((__m256i)a, (__m256i)b);
  const __m256i high = _mm256_mulhi_epi16((__m256i)a, (__m256i)b);
  out[0] = _mm256_unpacklo_epi16(low, high);
  out[1] = _mm256_unpackhi_epi16(low, high);
}
ACC_INLINE vw_t vw_saturated(const vi_t x[2]) { return (vw_t)_mm256_packs_epi32(x[0], x[1]); }
#elif defined(__aarch64__)
#define VW_HAS_PRODUCT 1
ACC_INLINE vw_t vw_product(vw_t a, vw_t b) {
  return (vw_t)vqrdmulhq_s16((int16x8_t)a, (int16x8_t)b);
}
ACC_INLINE vw_t vw_sum(vw_t a, vw_t b) { return (vw_t)vqaddq_s16((int16x8_t)a, (int16x8_t)b); }
ACC_INLINE void vw_products(vw_t a, vw_t b, vi_t out[2]) {
  const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
  out[0] = (vi_t)vmull_s16(vget_low_s16(x), vget_low_s16(y));
  out[1] = (vi_t)vmull_high_s16(x, y);
}
ACC_INLINE vw_t vw_saturated(const vi_t x[2]) {
  return (vw_t)vcombine_s16(vqmovn_s32((int32x4_t)x[0]), vqmovn_s32((int32x4_t)x[1]));
}
#else
#define VW_HAS_PRODUCT 0
ACC_INLINE vw_t vw_sum(vw_t a, vw_t b) {
  for (int i = 0; i < VW_LANES; ++i) a[i] = armnn_saturate16((int32_t)a[i] + b[i]);
  return a;
}
ACC_INLINE void vw_products(vw_t a, vw_t b, vi_t out[2]) {
  int32_t products[VW_LANES];
  for (int i = 0; i < VW_LANES; ++i) products[i] = (int32_t)a[i] * b[i];
  for (int v = 0; v < 2; ++v) out[v] = vi_load(products + v * VF_LANES);
}
ACC_INLINE vw_t vw_saturated(const vi_t x[2]) {
  vw_t y;
  for (int i = 0; i < VW_LANES; ++i) y[i] = armnn_saturate16(x[i / VF_LANES][i % VF_LANES]);
  return y;
}
#endif

#if VW_HAS_PRODUCT

/* As armnn_exp_of_quarter. Products of four numbers, and sums of squares and cubes here, are not
 * negative: their halves go up. */
ACC_INLINE vw_t vw_exp_of_quarter(vw_t x) {
  const vw_t start = vw_set(28918), third = vw_set(10923);
  const vw_t y = vw_wrapped_sum(x, vw_set(1 << 12)), y2 = vw_product(y, y);
  const vw_t y3 = vw_product(y2, y), y4 = vw_product(y2, y2);
  const vw_t cubes = vw_wrapped_sum((y4 + 2) >> 2, y3);
  const vw_t squares = vw_wrapped_sum(vw_product(cubes, third), y2);
  return vw_sum(start, vw_product(start, vw_wrapped_sum(y, (squares + 1) >> 1)));
}

/* e^x for x <= 0 with |whole| integer bits, as armnn_exp_of_negative. */
ACC_INLINE vw_t vw_exp_of_negative(vw_t x, const int whole) {
  static const int16_t powers[] = {25520, 19875, 12055, 4435, 600, 11, 0};
  const int fraction = 15 - whole, quarter = 1 << (fraction - 2);
  const vw_t base = vw_wrapped_difference(x & (int16_t)(quarter - 1), vw_set(quarter));
  const vw_t multiples = vw_wrapped_difference(base, x);
  vw_t result = vw_exp_of_quarter(base * (int16_t)(1 << whole));
  for (int k = 0; k < 7 && k - 2 < whole; ++k) {
    const vw_t has = (multiples & (int16_t)(1 << (fraction + k - 2))) != 0;
    result = vw_choose(has, vw_product(result, vw_set(powers[k])), result);
  }
  if (whole > 5) result = vw_choose(x < (int16_t)-(1 << (20 - whole)), vw_set(0), result);
  return vw_choose(x == 0, vw_set(INT16_MAX), result);
}

ACC_INLINE vw_t vw_twice_over_one_plus(vw_t x) {
  const vw_t half = (x >> 1) + (int16_t)(1 << 14);
  vw_t found = vw_product(half, vw_set(-15420)) + (int16_t)23130;
  for (int i = 0; i < 3; ++i) {
    const vw_t rest = vw_wrapped_difference(vw_set(1 << 13), vw_product(half, found));
    const vw_t change = vw_product(found, rest), twice = vw_sum(change, change);
    found = vw_wrapped_sum(found, vw_sum(twice, twice));
  }
  return found;
}

/* -|x|, for all numbers. */
ACC_INLINE vw_t vw_negative(vw_t x) {
  return vw_choose(x > 0, vw_wrapped_difference(vw_set(0), x), x);
}

ACC_INLINE vw_t vw_sigmoid(vw_t x, const int whole) {
  const vw_t found = vw_twice_over_one_plus(vw_exp_of_negative(vw_negative(x), whole));
  const vw_t positive = vw_sum(found, found);
  const vw_t result =
      vw_choose(x > 0, positive, vw_wrapped_difference(vw_set(INT16_MAX), positive));
  return vw_choose(x == 0, vw_set(1 << 14), result);
}

ACC_INLINE vw_t vw_tanh(vw_t x, const int whole) {
  const vw_t found = vw_twice_over_one_plus(vw_exp_of_negative(vw_negative(x), whole + 1));
  const vw_t rest = vw_wrapped_difference(found, vw_set(1 << 13)), twice = vw_sum(rest, rest);
  const vw_t size = vw_sum(twice, twice);
  const vw_t result = vw_choose(x > 0, size, vw_wrapped_difference(vw_set(0), size));
  return vw_choose(x == 0, vw_set(0), result);
}

#else

ACC_INLINE vw_t vw_sigmoid(vw_t x, const int whole) {
  for (int i = 0; i < VW_LANES; ++i) x[i] = armnn_sigmoid16(x[i], whole);
  return x;
}
ACC_INLINE vw_t vw_tanh(vw_t x, const int whole) {
  for (int i = 0; i < VW_LANES; ++i) x[i] = armnn_tanh16(x[i], whole);
  return x;
}

#endif

#endif /* ARMNN_CPU_ACC_SIMD_FIXED_H_ */
