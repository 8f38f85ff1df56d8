/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fused.h - an exact vf_fma for processors without one. It comes before each file of the set
 * portable_fma, which gives reproducible programs the bits of other processors. The set is compiled
 * for size: this function takes most of its time.
 */
#ifndef ARMNN_CPU_ACC_FUSED_H_
#define ARMNN_CPU_ACC_FUSED_H_

#include "simd.h"

typedef double fused_wide_t __attribute__((vector_size(VF_LANES * sizeof(double))));
typedef int64_t fused_bits_t __attribute__((vector_size(VF_LANES * sizeof(int64_t))));

/* a b + c, rounded once. The product is exact in double, and the sum is rounded to odd there: then
 * rounding it to float gives the bits of a single rounding. */
static __attribute__((noinline, unused)) vf_t fused(vf_t a, vf_t b, vf_t c) {
  const fused_wide_t product =
      __builtin_convertvector(a, fused_wide_t) * __builtin_convertvector(b, fused_wide_t);
  const fused_wide_t addend = __builtin_convertvector(c, fused_wide_t);
  fused_wide_t sum = product + addend;
  const fused_wide_t back = sum - product;
  const fused_wide_t lost = (product - (sum - back)) + (addend - back); /* NaN: of no finite sum */
  const fused_bits_t grows = (lost > 0.0) ^ (sum < 0.0);
  const fused_bits_t changes = ((lost > 0.0) | (lost < 0.0)) & (((fused_bits_t)sum & 1) - 1);
  sum = (fused_wide_t)((fused_bits_t)sum + (changes & (-1 - 2 * grows)));
  return __builtin_convertvector(sum, vf_t);
}
#define vf_fma fused

#undef UNROLLED
#define UNROLLED
#undef ACC_INLINE
#define ACC_INLINE static inline /* where it makes code smaller */

#endif /* ARMNN_CPU_ACC_FUSED_H_ */
