/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fixed_functions.h - functions of fixed-point numbers, bit for bit as 8-bit LSTMs of TensorFlow
 * Lite define them: sigmoid and tanh of 16 bits, the inverse square root of 32.
 *
 * A number of |whole| integer bits is raw / 2^(15 - whole), or raw / 2^(31 - whole) in 32 bits. The
 * exponential of a negative number is a polynomial around -1/8 for what is left of multiples of a
 * quarter, times the constants e^-(2^k) for the bits of those multiples; quotients come from three
 * steps of Newton's method.
 */
#ifndef ARMNN_COMMON_FIXED_FUNCTIONS_H_
#define ARMNN_COMMON_FIXED_FUNCTIONS_H_

#include "fixed_point.h"

static inline int16_t armnn_saturate16(int32_t value) {
  return value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : (int16_t)value;
}

/* The product of two numbers; its integer bits are the sum of theirs. */
static inline int16_t armnn_product16(int16_t a, int16_t b) {
  if (a == INT16_MIN && b == INT16_MIN) return INT16_MAX;
  const int32_t product = (int32_t)a * b;
  return (int16_t)((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/* e^x for x in [-1/4, 0), without integer bits. */
static inline int16_t armnn_exp_of_quarter(int16_t x) {
  const int16_t start = 28918, third = 10923; /* e^-(1/8), 1/3 */
  const int16_t y = (int16_t)(x + (1 << 12)), y2 = armnn_product16(y, y);
  const int16_t y3 = armnn_product16(y2, y), y4 = armnn_product16(y2, y2);
  const int16_t cubes = (int16_t)(armnn_shift_right(y4, 2) + y3);
  const int32_t squares = (int16_t)(armnn_product16(cubes, third) + y2);
  const int16_t rest = (int16_t)(y + armnn_shift_right(squares, 1));
  return armnn_saturate16(start + armnn_product16(start, rest));
}

/* e^x for x <= 0; the result has no integer bits. */
static inline int16_t armnn_exp_of_negative(int16_t x, int whole) {
  static const int16_t powers[] = {25520, 19875, 12055, 4435, 600, 11, 0}; /* of 1/4, 1/2, ... 16 */
  const int fraction = 15 - whole, quarter = 1 << (fraction - 2);
  const int32_t base = (x & (quarter - 1)) - quarter, multiples = base - x;
  if (x == 0) return INT16_MAX;
  if (whole > 5 && x < -(1 << (20 - whole))) return 0;
  int16_t result = armnn_exp_of_quarter((int16_t)(base * (1 << whole)));
  for (int k = 0; k < 7 && k - 2 < whole; ++k) {
    if ((multiples & (1 << (fraction + k - 2))) != 0) {
      result = armnn_product16(result, powers[k]);
    }
  }
  return result;
}

/* 2 / (1 + x) with two integer bits, for x in [0, 1] without. */
static inline int16_t armnn_twice_over_one_plus(int16_t x) {
  const int16_t half = (int16_t)((x + INT16_MAX + 1) / 2);          /* of the denominator */
  int16_t found = (int16_t)(23130 + armnn_product16(half, -15420)); /* 48/17, -32/17 */
  for (int i = 0; i < 3; ++i) {
    const int16_t rest = (int16_t)((1 << 13) - armnn_product16(half, found));
    const int32_t change = armnn_product16(found, rest); /* four integer bits */
    found = (int16_t)(found + armnn_saturate16(change * 4));
  }
  return found;
}

/* Of a number with |whole| integer bits; the result has none. */
static inline int16_t armnn_sigmoid16(int16_t x, int whole) {
  if (x == 0) return 1 << 14;
  const int16_t power = armnn_exp_of_negative(x > 0 ? (int16_t)-x : x, whole);
  const int16_t positive = armnn_saturate16(armnn_twice_over_one_plus(power) * 2);
  return x > 0 ? positive : (int16_t)(INT16_MAX - positive);
}

static inline int16_t armnn_tanh16(int16_t x, int whole) {
  if (x == 0) return 0;
  const int16_t power = armnn_exp_of_negative(x > 0 ? (int16_t)-x : x, whole + 1);
  const int16_t twice = armnn_twice_over_one_plus(power);
  const int16_t size = armnn_saturate16((twice - (1 << 13)) * 4);
  return x > 0 ? size : (int16_t)-size;
}

/* value^-1/2 as a factor; 1 for 0. Five steps of Newton's method from 1, with three integer bits.
 */
static inline armnn_factor_t armnn_inverse_root(int32_t value) {
  armnn_factor_t factor = {INT32_MAX, 0};
  if (value <= 1) return factor;
  int right = 11;
  while (value >= 1 << 29) value /= 4, ++right;
  while (value < 1 << 27) value *= 4, --right;
  const int32_t half = armnn_shift_right(value >> 1, 1);
  int32_t x = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube = armnn_high_product(armnn_high_product(x, x), x);
    const int32_t x3 = armnn_saturate32((int64_t)cube * 64);
    const int64_t change =
        (int64_t)armnn_high_product((1 << 28) + (1 << 27), x) - armnn_high_product(half, x3);
    x = armnn_saturate32(change * 8);
  }
  x = armnn_high_product(x, 1518500250); /* 2^-1/2 */
  if (right < 0) x *= 1 << -right, right = 0;
  factor.multiplier = x;
  factor.shift = -right;
  return factor;
}

#endif /* ARMNN_COMMON_FIXED_FUNCTIONS_H_ */
