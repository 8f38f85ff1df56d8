/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * dynamic.c - quantisation by the range of the numbers, and sums to real numbers. Plain loops are
 * vectors by the compiler.
 */
#include "dynamic.h"

#include "kernels/simd/simd.h"

/* The nearest whole number, halves to even, of a number below 2^22. */
ACC_INLINE float whole(float x) {
  const float magic = 0x1.8p23f;
  return (x + magic) - magic;
}

static void ACC_NAME(armnn_f32_range)(const float* in, size_t count, float* least, float* most) {
  vf_t low[2], high[2];
  for (int v = 0; v < 2; ++v) {
    low[v] = vf_set(*least);
    high[v] = vf_set(*most);
  }
  size_t i = 0;
  for (; i + 2 * VF_LANES <= count; i += 2 * VF_LANES) {
    for (int v = 0; v < 2; ++v) {
      const vf_t x = vf_load(in + i + v * VF_LANES);
      low[v] = vf_min(x, low[v]); /* the second one if x is NaN */
      high[v] = vf_max(x, high[v]);
    }
  }
  float lows[VF_LANES], highs[VF_LANES];
  vf_store(lows, vf_min(low[0], low[1]));
  vf_store(highs, vf_max(high[0], high[1]));
  float lowest = *least, highest = *most;
  for (int l = 0; l < VF_LANES; ++l) {
    lowest = lows[l] < lowest ? lows[l] : lowest;
    highest = highs[l] > highest ? highs[l] : highest;
  }
  for (; i < count; ++i) {
    lowest = in[i] < lowest ? in[i] : lowest;
    highest = in[i] > highest ? in[i] : highest;
  }
  *least = lowest;
  *most = highest;
}

static void ACC_NAME(armnn_f32_levels)(const float* in, int16_t* out, size_t count,
                                       const armnn_dynamic_range_t* range) {
  const float scale = range->scale, low = -range->zero_point, high = 255.0f - range->zero_point;
  for (size_t i = 0; i < count; ++i) {
    const float steps = in[i] / scale;
    const float known = steps == steps ? steps : 0.0f;
    const float bounded = known > low ? known : low;
    out[i] = (int16_t)(int32_t)whole(bounded < high ? bounded : high);
  }
}

static void ACC_NAME(armnn_f32_symmetric_levels)(const float* in, int16_t* out, size_t count,
                                                 const armnn_dynamic_range_t* range) {
  const float factor = range->factor;
  for (size_t i = 0; i < count; ++i) {
    const float steps = in[i] * factor;
    const float known = steps == steps ? steps : 0.0f;
    const float above = known > -127.0f ? known : -127.0f;
    const float bounded = above < 127.0f ? above : 127.0f;
    const float near = whole(bounded), rest = bounded - near;
    const float up = rest == 0.5f && bounded > 0.0f ? 1.0f : 0.0f; /* halves away from 0 */
    const float down = rest == -0.5f && bounded < 0.0f ? 1.0f : 0.0f;
    out[i] = (int16_t)(int32_t)(near + up - down);
  }
}

static void ACC_NAME(armnn_s8_byte_levels)(const uint8_t* in, int16_t* out, size_t count,
                                           uint8_t flip, int16_t offset) {
  for (size_t i = 0; i < count; ++i) out[i] = (int16_t)((in[i] ^ flip) - offset);
}

static void ACC_NAME(armnn_s32_finish)(const int32_t* sums, float* out, size_t count, float scale,
                                       const float* scales, const float* shifts) {
  for (size_t i = 0; i < count; ++i) out[i] = (float)sums[i] * (scale * scales[i]) + shifts[i];
}

#if defined(__AVX2__)
void ACC_NAME(armnn_u8_sums)(const armnn_i_acc_byte_sums_job_t* job);
#endif

extern const armnn_i_acc_dynamic_kernels_t ACC_NAME(armnn_i_acc_dynamic_kernels);
const armnn_i_acc_dynamic_kernels_t ACC_NAME(armnn_i_acc_dynamic_kernels) = {
    .range = ACC_NAME(armnn_f32_range),
    .levels = ACC_NAME(armnn_f32_levels),
    .symmetric_levels = ACC_NAME(armnn_f32_symmetric_levels),
    .byte_levels = ACC_NAME(armnn_s8_byte_levels),
    .finish = ACC_NAME(armnn_s32_finish),
#if defined(__AVX2__)
    .byte_sums = ACC_NAME(armnn_u8_sums),
#endif
    .range_name = "armnn_f32_range__" ACC_ISA_TEXT,
    .levels_name = "armnn_f32_levels__" ACC_ISA_TEXT,
    .product_name = "armnn_s8_product__" ACC_ISA_TEXT,
};
