/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * half_float.h - float16 (IEEE 754 binary16) and bfloat16 as bits, to and from float32.
 *
 * To float32 is exact; from float32 rounds to nearest, ties to even, and keeps NaN a NaN.
 */
#ifndef ARMNN_COMMON_HALF_FLOAT_H_
#define ARMNN_COMMON_HALF_FLOAT_H_

#include <stdint.h>
#include <string.h>

static inline uint32_t armnn_float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float armnn_float_from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline float armnn_half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 31u;
  uint32_t mantissa = half & 0x3ffu;
  if (exponent == 31) return armnn_float_from_bits(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0) return armnn_float_from_bits(sign | (exponent + 112) << 23 | mantissa << 13);
  /* Zero and subnormals count in steps of 2 to the power -24. */
  return armnn_float_from_bits(sign | armnn_float_bits((float)mantissa * 0x1p-24f));
}

static inline uint16_t armnn_half_from_float(float value) {
  uint32_t bits = armnn_float_bits(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);  /* NaN */
  if (magnitude >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u); /* 65520 and up: infinity */
  if (magnitude < 0x38800000u) {
    /* Subnormal: adding 0.5 makes the processor round to a step of 2 to the power -24. */
    float rounded = armnn_float_from_bits(magnitude) + 0.5f;
    return (uint16_t)(sign | (armnn_float_bits(rounded) - armnn_float_bits(0.5f)));
  }
  magnitude += 0xfffu + ((magnitude >> 13) & 1u);
  return (uint16_t)(sign | (magnitude - 0x38000000u) >> 13);
}

static inline float armnn_bfloat_to_float(uint16_t value) {
  return armnn_float_from_bits((uint32_t)value << 16);
}

static inline uint16_t armnn_bfloat_from_float(float value) {
  uint32_t bits = armnn_float_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(bits >> 16 | 0x40u); /* NaN */
  return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

#endif /* ARMNN_COMMON_HALF_FLOAT_H_ */
