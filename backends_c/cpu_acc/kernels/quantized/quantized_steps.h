/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_steps.h - real numbers to stored ones: divided by the scale, rounded, bounded.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_STEPS_H_
#define ARMNN_CPU_ACC_QUANTIZED_STEPS_H_

#include "kernels/simd/simd_levels.h"
#include "quantized.h"

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

ACC_INLINE vi_t level_of_real(vf_t real, const steps_t* steps) {
  const vf_t x = vf_div(real, steps->scale);
  const vf_t bounded = vf_min(vf_max(x, steps->least), steps->most);
  return rounded(vf_select(vf_is_nan(x), vf_set(0.0f), bounded));
}

ACC_INLINE vi_t stored(vf_t real, const steps_t* steps) {
  return vi_add(level_of_real(real, steps), steps->zero_point);
}

/* ---- Two operands by real scales ------------------------------------------------------------ */

typedef struct real_pair_t {
  vf_t scales[2]; /* that of what is taken off is negative */
  steps_t steps;
} real_pair_t;

ACC_INLINE real_pair_t real_pair_of(const armnn_i_acc_pair_job_t* job) {
  return (real_pair_t){{vf_set(job->scales[0]), vf_set(job->scales[1])},
                       steps_of(job->scales[2], &job->store)};
}

/* The level of the output for two levels: float32 operations in CpuRef's order. */
ACC_INLINE vi_t real_pair(const real_pair_t* pair, vi_t left, vi_t right, int is_product) {
  const vf_t a = vf_mul(pair->scales[0], vf_of_vi(left));
  const vf_t b = vf_mul(pair->scales[1], vf_of_vi(right));
  return level_of_real(is_product ? vf_mul(a, b) : vf_add(a, b), &pair->steps);
}

#endif /* ARMNN_CPU_ACC_QUANTIZED_STEPS_H_ */
