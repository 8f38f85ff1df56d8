/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * checked_math.h - arithmetic on sizes and indices that says when a result does not fit.
 *
 * Shapes and descriptors come from models, that is from anywhere. Whatever decides how much memory
 * a kernel touches is computed with these functions while a layer is being checked, so that execute
 * can use plain arithmetic. Each returns 1 and writes the result, or returns 0.
 */
#ifndef ARMNN_COMMON_CHECKED_MATH_H_
#define ARMNN_COMMON_CHECKED_MATH_H_

#include <stdint.h>

static inline int armnn_checked_add(uint64_t a, uint64_t b, uint64_t* out) {
  if (a > UINT64_MAX - b) return 0;
  *out = a + b;
  return 1;
}

static inline int armnn_checked_mul(uint64_t a, uint64_t b, uint64_t* out) {
  if (b != 0 && a > UINT64_MAX / b) return 0;
  *out = a * b;
  return 1;
}

/* The product of |count| factors; a factor of zero makes it zero whatever the others are. */
static inline int armnn_checked_product(const uint64_t* factors, uint32_t count, uint64_t* out) {
  uint64_t product = 1;
  for (uint32_t i = 0; i < count; ++i) {
    if (factors[i] == 0) {
      *out = 0;
      return 1;
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (!armnn_checked_mul(product, factors[i], &product)) return 0;
  }
  *out = product;
  return 1;
}

/* Division that rounds up; |b| is not zero. */
static inline uint64_t armnn_div_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

static inline uint64_t armnn_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }

#endif /* ARMNN_COMMON_CHECKED_MATH_H_ */
