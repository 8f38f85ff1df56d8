/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * vector_math.h - exp, expm1, log, tanh, erf, ... of one vector, by polynomials.
 *
 * Largest errors over all floats, in units of the last place of the result, with fused
 * multiplication and addition or without:
 *   exp 1.0   expm1 (x <= 0) 1.1   log 0.8   log1p (0..1) 1.0   erf 1.2   tanh 2.5   sigmoid 2.2
 *   log(1 + exp x) 1.7   sin 2.6
 * and gelu 1.8e-7 of x, because 1 + erf cancels for negative x.
 * Infinities, zeros of either sign, numbers too small for full precision and NaN give what the C
 * library's functions give. Coefficients are minimax fits of the relative error.
 */
#ifndef ARMNN_CPU_ACC_VECTOR_MATH_H_
#define ARMNN_CPU_ACC_VECTOR_MATH_H_

#include "simd.h"

ACC_INLINE vf_t vf_abs(vf_t x) { return vf_cast(vi_and(vi_cast(x), vi_set(0x7fffffff))); }
ACC_INLINE vf_t vf_negate(vf_t x) { return vf_cast(vi_xor(vi_cast(x), vi_set(INT32_MIN))); }
/* |magnitude| (not negative) with the sign of |sign|. */
ACC_INLINE vf_t vf_with_sign(vf_t magnitude, vf_t sign) {
  return vf_cast(vi_or(vi_cast(magnitude), vi_and(vi_cast(sign), vi_set(INT32_MIN))));
}
/* min(max(x, low), high); NaN stays. */
ACC_INLINE vf_t vf_clamp(vf_t x, vf_t low, vf_t high) { return vf_min(high, vf_max(low, x)); }

/* Adding this to a number below 2^22 leaves its nearest whole number in the low bits. */
#define ACC_ROUNDING 0x1.8p23f
#define ACC_LOG2_E 0x1.715476p0f
/* ln 2 in two parts, the first short enough that its product with an exponent is exact. */
#define ACC_LN2_HIGH 0x1.62e4p-1f
#define ACC_LN2_LOW 0x1.7f7d1cp-20f

/* The largest whole number that is not above x, |x| < 2^22. */
ACC_INLINE vf_t vf_floor_small(vf_t x) {
#if defined(__AVX2__)
  return vf_floor(x);
#else
  const vf_t near = vf_sub(vf_add(x, vf_set(ACC_ROUNDING)), vf_set(ACC_ROUNDING));
  return vf_sub(near, vf_select(vf_less(x, near), vf_set(1.0f), vf_set(0.0f)));
#endif
}

/* 2^n of whole numbers in [-126, 127], given as vf_t + ACC_ROUNDING. */
ACC_INLINE vf_t vf_power_of_two(vf_t rounded) {
  return vf_cast(vi_shift_left(
      vi_add(vi_sub(vi_cast(rounded), vi_cast(vf_set(ACC_ROUNDING))), vi_set(127)), 23));
}

/* x = n ln 2 + r; returns r, |*n| whole. */
ACC_INLINE vf_t vf_reduce_exp(vf_t x, vf_t* n) {
  const vf_t rounding = vf_set(ACC_ROUNDING);
  *n = vf_sub(vf_fma(x, vf_set(ACC_LOG2_E), rounding), rounding);
  return vf_fma(*n, vf_set(-ACC_LN2_LOW), vf_fma(*n, vf_set(-ACC_LN2_HIGH), x));
}

/* p 2^n, rounded once; p in [0.5, 2], |n| whole, in [-150, 128]. */
ACC_INLINE vf_t vf_scale(vf_t p, vf_t n) {
#if defined(__AVX512F__)
  return _mm512_scalef_ps(p, n);
#else
  /* In two steps: 2^n itself may be too large or too small for a normal number. */
  const vf_t rounding = vf_set(ACC_ROUNDING);
  const vf_t half = vf_fma(n, vf_set(0.5f), rounding);
  const vf_t rest = vf_add(vf_sub(n, vf_sub(half, rounding)), rounding);
  return vf_mul(vf_mul(p, vf_power_of_two(half)), vf_power_of_two(rest));
#endif
}

ACC_INLINE vf_t vf_exp(vf_t x) {
  /* Outside these e^x is infinite or nothing; inside n fits both ways of scaling below. */
  x = vf_clamp(x, vf_set(-104.0f), vf_set(89.0f));
  vf_t n;
  const vf_t r = vf_reduce_exp(x, &n);
  vf_t p = vf_set(0x1.6a1a72p-10f);
  p = vf_fma(p, r, vf_set(0x1.123fc6p-7f));
  p = vf_fma(p, r, vf_set(0x1.555916p-5f));
  p = vf_fma(p, r, vf_set(0x1.55548ap-3f));
  p = vf_fma(p, r, vf_set(0x1.fffffcp-2f));
  return vf_scale(vf_add(vf_fma(vf_mul(r, r), p, r), vf_set(1.0f)), n);
}

/* e^x for x <= 0, given as x times this factor, to some 1e-7 (1 + |x|): for sums of exponentials,
 * in which those of small x are lost. */
#define ACC_QUICK_EXP_FACTOR ACC_LOG2_E
ACC_INLINE vf_t vf_quick_exp(vf_t x) {
  x = vf_max(vf_set(-150.0f), x); /* there it is 0; NaN stays */
  const vf_t n = vf_floor_small(x), r = vf_sub(x, n);
  vf_t p = vf_set(0x1.e974fap-10f);
  p = vf_fma(p, r, vf_set(0x1.277854p-7f));
  p = vf_fma(p, r, vf_set(0x1.c91ce6p-5f));
  p = vf_fma(p, r, vf_set(0x1.ebdb56p-3f));
  p = vf_fma(p, r, vf_set(0x1.62e4bap-1f));
  return vf_scale(vf_fma(p, r, vf_set(1.0f)), n);
}

/* e^x - 1 for x <= 0, precise near zero. */
ACC_INLINE vf_t vf_expm1_negative(vf_t x) {
  x = vf_max(vf_set(-18.0f), x); /* there it is -1 */
  vf_t n;
  const vf_t r = vf_reduce_exp(x, &n);
  const vf_t scale = vf_power_of_two(vf_add(n, vf_set(ACC_ROUNDING)));
  vf_t p = vf_set(0x1.6beb2ep-10f);
  p = vf_fma(p, r, vf_set(0x1.122dp-7f));
  p = vf_fma(p, r, vf_set(0x1.555680p-5f));
  p = vf_fma(p, r, vf_set(0x1.5554aap-3f));
  p = vf_fma(p, r, vf_set(0x1.fffffep-2f));
  p = vf_fma(vf_mul(r, r), p, r);
  return vf_fma(scale, p, vf_sub(scale, vf_set(1.0f)));
}

ACC_INLINE vf_t vf_tanh(vf_t x) {
  const vf_t e = vf_expm1_negative(vf_mul(vf_abs(x), vf_set(-2.0f)));
  return vf_with_sign(vf_div(vf_abs(e), vf_add(e, vf_set(2.0f))), x);
}

ACC_INLINE vf_t vf_sigmoid(vf_t x) {
  const vf_t e = vf_exp(vf_negate(vf_abs(x)));
  const vf_t small = vf_div(e, vf_add(e, vf_set(1.0f))); /* of -|x| */
  return vf_select(vf_less(vf_set(0.0f), x), vf_sub(vf_set(1.0f), small), small);
}

/* log(1 + m) + k ln 2, m in [sqrt 1/2 - 1, sqrt 2 - 1]. */
ACC_INLINE vf_t vf_log_of(vf_t m, vf_t k) {
  vf_t p = vf_set(0x1.1457aap-4f);
  p = vf_fma(p, m, vf_set(-0x1.de3c24p-4f));
  p = vf_fma(p, m, vf_set(0x1.e6f072p-4f));
  p = vf_fma(p, m, vf_set(-0x1.fc2206p-4f));
  p = vf_fma(p, m, vf_set(0x1.233768p-3f));
  p = vf_fma(p, m, vf_set(-0x1.555c4ep-3f));
  p = vf_fma(p, m, vf_set(0x1.99a4b6p-3f));
  p = vf_fma(p, m, vf_set(-0x1.000006p-2f));
  p = vf_fma(p, m, vf_set(0x1.555548p-2f));
  const vf_t square = vf_mul(m, m);
  p = vf_mul(vf_mul(p, m), square);
  p = vf_fma(k, vf_set(ACC_LN2_LOW), p);
  p = vf_fma(square, vf_set(-0.5f), p);
  return vf_fma(k, vf_set(ACC_LN2_HIGH), vf_add(m, p));
}

ACC_INLINE vf_t vf_log(vf_t x) {
  const vm_t small = vf_less(x, vf_set(0x1p-126f));
  const vi_t bits = vi_add(vi_cast(vf_select(small, vf_mul(x, vf_set(0x1p23f)), x)),
                           vi_set(0x3f800000 - 0x3f3504f3));
  const vf_t k = vf_add(vf_of_vi(vi_sub(vi_shift_right(bits, 23), vi_set(127))),
                        vf_select(small, vf_set(-23.0f), vf_set(0.0f)));
  const vf_t m = vf_cast(vi_add(vi_and(bits, vi_set(0x7fffff)), vi_set(0x3f3504f3)));
  vf_t y = vf_log_of(vf_sub(m, vf_set(1.0f)), k);
  y = vf_select(vf_less(x, vf_set(INFINITY)), y, x); /* infinite or NaN: as it is */
  y = vf_select(vf_less(vf_set(0.0f), x), y, vf_set(NAN));
  return vf_select(vf_less(vf_set(0.0f), vf_abs(x)), y,
                   vf_select(vf_is_nan(x), x, vf_set(-INFINITY)));
}

/* log(1 + e), e in [0, 1]. */
ACC_INLINE vf_t vf_log1p_unit(vf_t e) {
  const vm_t large = vf_less(vf_set(0.41421354f), e);
  const vf_t m = vf_select(large, vf_mul(vf_sub(e, vf_set(1.0f)), vf_set(0.5f)), e);
  return vf_log_of(m, vf_select(large, vf_set(1.0f), vf_set(0.0f)));
}

/* log(1 + exp x) */
ACC_INLINE vf_t vf_soft_relu(vf_t x) {
  const vf_t e = vf_exp(vf_negate(vf_abs(x)));
  return vf_add(vf_max(vf_set(0.0f), x), vf_log1p_unit(e));
}

ACC_INLINE vf_t vf_erf(vf_t x) {
  const vf_t a = vf_abs(x), square = vf_mul(x, x);
  vf_t p = vf_set(-0x1.3f4fccp-11f); /* a < 0.9: erf is x + x p(x^2) */
  p = vf_fma(p, square, vf_set(0x1.4876e4p-8f));
  p = vf_fma(p, square, vf_set(-0x1.b6bee8p-6f));
  p = vf_fma(p, square, vf_set(0x1.ce1dd2p-4f));
  p = vf_fma(p, square, vf_set(-0x1.8126fap-2f));
  p = vf_fma(p, square, vf_set(0x1.06eba8p-3f));
  p = vf_fma(p, x, x);
  const vf_t t = vf_min(vf_set(4.0f), a); /* otherwise 1 - exp(-q(a)); 1 from 4 on */
  vf_t q = vf_set(-0x1.9fb27cp-13f);
  q = vf_fma(q, t, vf_set(0x1.91ccdap-9f));
  q = vf_fma(q, t, vf_set(-0x1.6d9cd2p-6f));
  q = vf_fma(q, t, vf_set(0x1.aa731ep-4f));
  q = vf_fma(q, t, vf_set(0x1.4621bap-1f));
  q = vf_fma(q, t, vf_set(0x1.20b752p0f));
  q = vf_fma(q, t, vf_set(0x1.5d0fb4p-13f));
  q = vf_negate(vf_expm1_negative(vf_negate(q)));
  return vf_select(vf_less(a, vf_set(0.9f)), p, vf_with_sign(q, x));
}

/* x / 2 (1 + erf(x / sqrt 2)) */
ACC_INLINE vf_t vf_gelu(vf_t x) {
  /* erf(x / sqrt 2) as x p(x^2) / q(x^2), to some 1e-8: half the work of vf_erf, whose places near
   * zero the sum with 1 would round off. At 5.65 it is 1. */
  const vf_t t = vf_clamp(x, vf_set(-5.65f), vf_set(5.65f)), square = vf_mul(t, t);
  vf_t p = vf_set(0x1.853052p-25f), q = vf_set(0x1.40b3ecp-20f);
  p = vf_fma(p, square, vf_set(0x1.aa464p-17f));
  q = vf_fma(q, square, vf_set(0x1.35c946p-14f));
  p = vf_fma(p, square, vf_set(0x1.639c7ap-12f));
  q = vf_fma(q, square, vf_set(0x1.ef1998p-10f));
  p = vf_fma(p, square, vf_set(0x1.32d14ep-7f));
  q = vf_fma(q, square, vf_set(0x1.d60cfp-6f));
  p = vf_fma(p, square, vf_set(0x1.15f608p-4f));
  q = vf_fma(q, square, vf_set(0x1.01c24ep-2f));
  p = vf_fma(p, square, vf_set(0x1.98845p-1f));
  q = vf_fma(q, square, vf_set(1.0f));
  const vf_t e = vf_clamp(vf_div(vf_mul(t, p), q), vf_set(-1.0f), vf_set(1.0f));
  const vf_t half = vf_mul(x, vf_set(0.5f));
  return vf_fma(half, e, half);
}

/* x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))); (1 + tanh u) / 2 is the sigmoid of 2 u. */
ACC_INLINE vf_t vf_gelu_tanh(vf_t x) {
  const vf_t slope = vf_fma(vf_mul(x, x), vf_set(0x1.2444f2p-4f), vf_set(0x1.988454p0f));
  return vf_mul(x, vf_sigmoid(vf_mul(x, slope)));
}

/* For |x| < 6000. */
ACC_INLINE vf_t vf_sin(vf_t x) {
  const vf_t rounding = vf_set(ACC_ROUNDING);
  const vf_t rounded = vf_fma(x, vf_set(0x1.45f306p-2f), rounding); /* x / pi */
  const vf_t n = vf_sub(rounded, rounding);
  vf_t r = vf_fma(n, vf_set(-3.140625f), x); /* pi in three parts; n times the first two is exact */
  r = vf_fma(n, vf_set(-0x1.fb4p-11f), r);
  r = vf_fma(n, vf_set(-0x1.4442d2p-23f), r);
  const vf_t square = vf_mul(r, r);
  vf_t p = vf_set(0x1.5d56b2p-19f);
  p = vf_fma(p, square, vf_set(-0x1.9f6908p-13f));
  p = vf_fma(p, square, vf_set(0x1.110eb0p-7f));
  p = vf_fma(p, square, vf_set(-0x1.55554ap-3f));
  const vf_t y = vf_with_sign(vf_fma(vf_mul(p, square), r, r), r); /* of a zero as well */
  return vf_cast(
      vi_xor(vi_cast(y), vi_shift_left(vi_cast(rounded), 31))); /* odd n: the other sign */
}

#endif /* ARMNN_CPU_ACC_VECTOR_MATH_H_ */
