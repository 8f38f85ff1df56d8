/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_factor.h - factors that round twice, as kernels of sums read them.
 *
 * A factor m 2^-r, m in [1/2, 1), is rounded twice: the product with m to a whole number, that
 * number's 2^r-th part to a level. So a level is off the real product by 1/2 and 2^-(r+1) at most:
 * where the product is farther from the middle of two levels than 2^-(r+1), the level is the
 * nearest whole number. In float32 the product of a sum is off by 3 * 2^-24 of itself, which is
 * below 2^-13 up to 512; beyond that numbers of 8 bits are saturated whatever it is.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_FACTOR_H_
#define ARMNN_CPU_ACC_QUANTIZED_FACTOR_H_

#include <math.h>
#include <string.h>

#include "../kernels/quantized.h"
#include "fixed_point.h"

/* With fewer bits to shift by, too many products would be near the middle of two levels. */
#define ARMNN_ACC_QUICK_BITS 6

/* The flags of a store for |factor| as well as for those that |flags| are for, at first
 * ARMNN_ACC_SCALE_QUICK. */
static inline uint32_t armnn_i_acc_flags_with(uint32_t flags, armnn_factor_t factor) {
  if (factor.shift > -ARMNN_ACC_QUICK_BITS) flags &= ~ARMNN_ACC_SCALE_QUICK;
  if (factor.shift > -1) flags |= ARMNN_ACC_SCALE_EXACT;
  return flags;
}

/* Writes |factor| to arrays of |width| channels. */
static inline void armnn_i_acc_pack_factor(armnn_factor_t factor, int32_t* arrays, int64_t width) {
  const int32_t left = factor.shift > 0 ? factor.shift : 0, right = left - factor.shift;
  const float quick = (float)ldexp((double)factor.multiplier, factor.shift - 31);
  const float sure = (float)(0.5 - ldexp(1.0, -right - 1) - 0x1p-13);
  arrays[ARMNN_ACC_CHANNEL_MULTIPLIER * width] = factor.multiplier;
  arrays[ARMNN_ACC_CHANNEL_RIGHT * width] = right;
  arrays[ARMNN_ACC_CHANNEL_HALF * width] = right == 0 ? 0 : 1 << (right - 1);
  arrays[ARMNN_ACC_CHANNEL_LEFT * width] = left;
  memcpy(&arrays[ARMNN_ACC_CHANNEL_QUICK * width], &quick, sizeof quick);
  memcpy(&arrays[ARMNN_ACC_CHANNEL_SURE * width], &sure, sizeof sure);
}

#endif /* ARMNN_CPU_ACC_QUANTIZED_FACTOR_H_ */
