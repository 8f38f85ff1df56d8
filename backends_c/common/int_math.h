/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * int_math.h - arithmetic on sizes and indices that C has no operator for.
 */
#ifndef ARMNN_COMMON_INT_MATH_H_
#define ARMNN_COMMON_INT_MATH_H_

#include <stdint.h>

/* Division that rounds up; |b| is not zero. */
static inline uint64_t armnn_div_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

static inline uint64_t armnn_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }

#endif /* ARMNN_COMMON_INT_MATH_H_ */
