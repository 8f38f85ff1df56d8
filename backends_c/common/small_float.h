/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * small_float.h - floating-point numbers of 8 and 4 bits, to and from float32.
 *
 * Formats: "FP8 Formats for Deep Learning" (Micikevicius et al., 2022) for E4M3FN and E5M2,
 * "8-bit Numerical Formats for Deep Neural Networks" (Noune et al., 2022) for the FNUZ forms, the
 * OCP Microscaling Formats (MX) specification 1.0 for E8M0 and E2M1. To float32 is exact; from
 * float32 rounds to nearest, ties to even (of E8M0: up). What is too large becomes infinite, where
 * a format has infinities, else NaN, else the largest number.
 */
#ifndef ARMNN_COMMON_SMALL_FLOAT_H_
#define ARMNN_COMMON_SMALL_FLOAT_H_

#include <math.h>
#include <stdint.h>

#include "half_float.h"

/* A format with a sign. Codes are those of positive numbers. */
typedef struct armnn_small_float_t {
  int32_t exponent_bits, mantissa_bits, bias;
  uint8_t largest;  /* code of the largest finite number */
  uint8_t too_much; /* code of what is above it */
  uint8_t nan;
  uint8_t signless; /* NaN and 0 have no sign: FNUZ, where the code of -0 is NaN */
} armnn_small_float_t;

static const armnn_small_float_t armnn_float8_e4m3fn = {4, 3, 7, 0x7e, 0x7f, 0x7f, 0};
static const armnn_small_float_t armnn_float8_e4m3fnuz = {4, 3, 8, 0x7f, 0x80, 0x80, 1};
static const armnn_small_float_t armnn_float8_e5m2 = {5, 2, 15, 0x7b, 0x7c, 0x7e, 0};
static const armnn_small_float_t armnn_float8_e5m2fnuz = {5, 2, 16, 0x7f, 0x80, 0x80, 1};
static const armnn_small_float_t armnn_float4_e2m1fn = {2, 1, 1, 0x7, 0x7, 0x8, 0};

static inline float armnn_small_to_float(uint8_t code, const armnn_small_float_t* format) {
  const uint32_t sign_bit = 1u << (format->exponent_bits + format->mantissa_bits);
  const uint32_t magnitude = code & (sign_bit - 1);
  float value;
  if (format->signless && code == format->nan) return NAN;
  if (magnitude > format->largest) {
    value = magnitude == format->too_much && format->nan != format->too_much ? INFINITY : NAN;
  } else {
    /* Zero and subnormals count in the steps of the lowest exponent. */
    const int32_t exponent = (int32_t)(magnitude >> format->mantissa_bits);
    const uint32_t hidden = exponent > 0 ? 1u << format->mantissa_bits : 0;
    const uint32_t mantissa = magnitude & ((1u << format->mantissa_bits) - 1);
    value = ldexpf((float)(hidden | mantissa),
                   (exponent > 0 ? exponent : 1) - format->bias - format->mantissa_bits);
  }
  return (code & sign_bit) != 0 ? -value : value;
}

static inline uint8_t armnn_small_from_float(float value, const armnn_small_float_t* format) {
  const uint32_t sign = (armnn_float_bits(value) >> 31)
                        << (format->exponent_bits + format->mantissa_bits);
  const float magnitude = fabsf(value);
  uint32_t code;
  if (value != value) {
    if (format->signless) return format->nan;
    return (uint8_t)(format->nan ^ sign);
  }
  if (isinf(value)) {
    code = format->too_much;
  } else if (magnitude == 0.0f) {
    code = 0;
  } else {
    /* The number counts steps: 2 to the power of its exponent, less the bits of the mantissa. */
    int exponent = 0;
    (void)frexpf(magnitude, &exponent);
    exponent = exponent - 1 > 1 - format->bias ? exponent - 1 : 1 - format->bias;
    const float steps = rintf(ldexpf(magnitude, format->mantissa_bits - exponent));
    code = ((uint32_t)(exponent + format->bias - 1) << format->mantissa_bits) + (uint32_t)steps;
    if (code > format->largest) code = format->too_much;
  }
  if (format->signless && (code == 0 || code == format->nan)) return (uint8_t)code;
  return (uint8_t)(code | sign);
}

/* E8M0: 2 to the power code - 127; what is not a positive number is NaN. */
static inline float armnn_e8m0_to_float(uint8_t code) {
  return code == 0xff ? NAN : ldexpf(1.0f, (int)code - 127);
}

static inline uint8_t armnn_e8m0_from_float(float value) {
  const uint32_t bits = armnn_float_bits(value);
  if (!(value > 0.0f) || isinf(value)) return 0xff;
  if (bits < 0x00800000u) return bits >= 0x00600000u; /* 2^-127 is a subnormal float32 */
  return (uint8_t)((bits + 0x00400000u) >> 23);
}

#endif /* ARMNN_COMMON_SMALL_FLOAT_H_ */
