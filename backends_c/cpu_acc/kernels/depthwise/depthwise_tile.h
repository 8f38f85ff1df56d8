/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * depthwise_tile.h - shared by the depthwise kernels of one instruction set.
 */
#ifndef ARMNN_CPU_ACC_DEPTHWISE_TILE_H_
#define ARMNN_CPU_ACC_DEPTHWISE_TILE_H_

#include "depthwise.h"
#include "kernels/simd/vector_math.h"

/* Whether kernels with constant sizes also do an incomplete vector, of |lanes| channels. */
#if defined(__AVX512F__)
#define ACC_PARTIAL 1 /* masked loads and stores cost no more than others */
#define ACC_LOAD(p, lanes) vf_load_masked(p, lanes)
#define ACC_STORE(p, x, lanes) vf_store_masked(p, x, lanes)
#else
#define ACC_PARTIAL 0
#define ACC_LOAD(p, lanes) ((void)(lanes), vf_load(p))
#define ACC_STORE(p, x, lanes) ((void)(lanes), vf_store(p, x))
#endif

/* x * a * clamp(x + 3, 0, 6) / 6 + b; |a| is a sixth of the job's. */
ACC_INLINE vf_t acc_depthwise_hard_swish(vf_t x, vf_t a, vf_t b) {
  const vf_t gate = vf_clamp(vf_add(x, vf_set(3.0f)), vf_set(0.0f), vf_set(6.0f));
  return vf_fma(vf_mul(x, a), gate, b);
}

/* Writes |width| output pixels from column |x| of row |y| on, of one vector of channels, whose sums
 * need more than a clamp. Changes |sums|. */
void ACC_NAME(armnn_i_acc_depthwise_finish)(const armnn_i_acc_depthwise_job_t* job, float* sums,
                                            int64_t channel, int64_t y, int64_t x, int64_t width);

#if VF_REGISTERS >= 32
void ACC_NAME(armnn_f32_depthwise_3x3_s1_columns)(const armnn_i_acc_depthwise_job_t* job);
void ACC_NAME(armnn_f32_depthwise_3x3_s2_columns)(const armnn_i_acc_depthwise_job_t* job);
#else
void ACC_NAME(armnn_f32_depthwise_3x3_s1_blocks)(const armnn_i_acc_depthwise_job_t* job);
void ACC_NAME(armnn_f32_depthwise_3x3_s2_blocks)(const armnn_i_acc_depthwise_job_t* job);
#endif

#endif /* ARMNN_CPU_ACC_DEPTHWISE_TILE_H_ */
