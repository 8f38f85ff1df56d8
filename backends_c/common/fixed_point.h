/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fixed_point.h - factors as integers: the arithmetic of TensorFlow Lite's 8-bit and 16x8
 * specifications, bit for bit.
 *
 * A real factor m is multiplier * 2^(shift - 31) with a multiplier of 31 bits. armnn_scale
 * rounds a product once, halves upwards. armnn_scale32 rounds it twice: to the nearest when
 * the lower 31 bits of the 64-bit product go, halves upwards, and to the nearest when it is shifted
 * right, halves away from zero. armnn_scale64 uses 16 bits of the multiplier and rounds once,
 * halves upwards. What would not fit 32 bits saturates.
 */
#ifndef ARMNN_COMMON_FIXED_POINT_H_
#define ARMNN_COMMON_FIXED_POINT_H_

#include <math.h>
#include <stdint.h>

typedef struct armnn_factor_t {
  int32_t multiplier; /* 0, or |multiplier| in [2^30, 2^31) */
  int32_t shift;      /* to the left; negative: to the right */
} armnn_factor_t;

/* Factors below 2^-32 and NaN become 0, those from 2^31 on the greatest that there is. */
static inline armnn_factor_t armnn_factor(double real) {
  armnn_factor_t factor = {0, 0};
  int exponent;
  if (!(fabs(real) < 0x1p31)) {
    if (real != real) return factor;
    factor.multiplier = real > 0.0 ? INT32_MAX : INT32_MIN;
    factor.shift = 31;
    return factor;
  }
  const double fraction = frexp(real, &exponent);
  int64_t fixed = llround(fraction * 0x1p31);
  if (fixed == INT64_C(1) << 31) fixed /= 2, ++exponent;
  if (real == 0.0 || exponent < -31) return factor;
  factor.multiplier = (int32_t)fixed;
  factor.shift = exponent;
  return factor;
}

/* The factor |real| / |count|: the multiplier takes up as many bits as the count has. */
static inline armnn_factor_t armnn_mean_factor(double real, uint64_t count) {
  armnn_factor_t factor = armnn_factor(real);
  int32_t bits = 0;
  while (bits < 63 && count >> (bits + 1) != 0) ++bits;
  if (bits > 31 + factor.shift) bits = 31 + factor.shift;
  if (bits > 32) bits = 32;
  if (bits < 0) bits = 0;
  factor.multiplier = (int32_t)(((int64_t)factor.multiplier << bits) / (int64_t)count);
  factor.shift -= bits;
  return factor;
}

static inline int32_t armnn_saturate32(int64_t value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

/* value / 2^exponent, halves away from zero; |exponent| in [0, 31]. */
static inline int32_t armnn_shift_right(int32_t value, int32_t exponent) {
  const int64_t mask = (INT64_C(1) << exponent) - 1;
  const int64_t rest = value & mask, threshold = (mask >> 1) + (value < 0);
  return (int32_t)((int64_t)value >> exponent) + (rest > threshold);
}

/* The upper half of twice the product, rounded. */
static inline int32_t armnn_high_product(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  const int64_t product = (int64_t)a * b;
  const int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
  return (int32_t)((product + nudge) / (INT64_C(1) << 31));
}

static inline int32_t armnn_scale32(int32_t value, armnn_factor_t factor) {
  const int32_t left = factor.shift > 0 ? factor.shift : 0;
  const int32_t shifted = armnn_saturate32((int64_t)value * (INT64_C(1) << left));
  return armnn_shift_right(armnn_high_product(shifted, factor.multiplier), left - factor.shift);
}

/* |value| is below 2^47. */
static inline int32_t armnn_scale(int64_t value, armnn_factor_t factor) {
  const int32_t right = 31 - factor.shift;
  /* value * multiplier is high * 2^16 + low, where low counts only if it is not shifted away. */
  const int64_t tail = (value & 0xffff) * factor.multiplier;
  const int64_t high = (value >> 16) * factor.multiplier + (tail >> 16);
  if (right > 16) {
    return armnn_saturate32((high + (INT64_C(1) << (right - 17))) >> (right - 16));
  }
  const double real = (double)value * ldexp((double)factor.multiplier, -right);
  return real >= 0x1p31 ? INT32_MAX : real <= -0x1p31 ? INT32_MIN : (int32_t)floor(real + 0.5);
}

/* For sums of 64 bits below 2^47, as of products of 16 bits by 8. |factor| is not negative. */
static inline int32_t armnn_scale64(int64_t value, armnn_factor_t factor) {
  const int64_t reduced =
      factor.multiplier < 0x7fff0000 ? (factor.multiplier + (1 << 15)) >> 16 : 0x7fff;
  const int32_t right = 15 - factor.shift;
  if (right <= 0) return value == 0 ? 0 : value > 0 ? INT32_MAX : INT32_MIN;
  return armnn_saturate32((value * reduced + (INT64_C(1) << (right - 1))) >> right);
}

#endif /* ARMNN_COMMON_FIXED_POINT_H_ */
