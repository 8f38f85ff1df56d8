/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * checked_math.h - arithmetic on sizes and indices that says when a result does not fit.
 *
 * Shapes and descriptors come from models, that is from anywhere. Whatever decides how much memory
 * a kernel touches is computed with these functions while a layer is being checked, so that execute
 * can use plain arithmetic.
 */
#ifndef ARMNN_COMMON_CHECKED_MATH_H_
#define ARMNN_COMMON_CHECKED_MATH_H_

#include <stdint.h>

/* 1 and the product, or 0 when it does not fit. */
static inline int armnn_checked_mul(uint64_t a, uint64_t b, uint64_t* out) {
  if (b != 0 && a > UINT64_MAX / b) return 0;
  *out = a * b;
  return 1;
}

/* Division that rounds up; |b| is not zero. */
static inline uint64_t armnn_div_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

static inline uint64_t armnn_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }

#endif /* ARMNN_COMMON_CHECKED_MATH_H_ */
