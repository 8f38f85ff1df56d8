/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_steps.h - real numbers to stored ones: divided by the scale, rounded, bounded.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_STEPS_H_
#define ARMNN_CPU_ACC_QUANTIZED_STEPS_H_

#include "quantized.h"
#include "simd_levels.h"

/* The nearest whole number, halves to even, of numbers below 2^22: this one more has no places
 * behind the point. */
ACC_INLINE vi_t rounded(vf_t x) {
  const vf_t magic = vf_set(0x1.8p23f);
  return vi_sub(vi_cast(vf_add(x, magic)), vi_cast(magic));
}

/* How real numbers become stored ones. */
typedef struct steps_t {
  vf_t scale, least, most;
  vi_t zero_point;
} steps_t;

ACC_INLINE steps_t steps_of(float scale, const armnn_i_acc_store_t* store) {
  return (steps_t){vf_set(scale), vf_set((float)(store->low - store->zero_point)),
                   vf_set((float)(store->high - store->zero_point)), vi_set(store->zero_point)};
}

ACC_INLINE vi_t stored(vf_t real, const steps_t* steps) {
  const vf_t x = vf_div(real, steps->scale);
  const vf_t bounded = vf_min(vf_max(x, steps->least), steps->most);
  const vf_t known = vf_select(vf_is_nan(x), vf_set(0.0f), bounded);
  return vi_add(rounded(known), steps->zero_point);
}

#endif /* ARMNN_CPU_ACC_QUANTIZED_STEPS_H_ */
