/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_elements.c - kernels of quantised numbers that go element by element. Plain loops are
 * vectors by the compiler.
 */
#include "quantized.h"
#include "simd_levels.h"

enum { BLOCK = 2 * VF_LANES };

/* The nearest whole number, halves to even, of numbers below 2^22: this one more has no places
 * behind the point. */
ACC_INLINE vi_t rounded(vf_t x) {
  const vf_t magic = vf_set(0x1.8p23f);
  return vi_sub(vi_cast(vf_add(x, magic)), vi_cast(magic));
}

static void ACC_NAME(armnn_f32_quantize)(const float* in, uint8_t* out, size_t count, float scale,
                                         const armnn_i_acc_store_t* store) {
  const vf_t divisor = vf_set(scale);
  const vf_t least = vf_set((float)(store->low - store->zero_point));
  const vf_t most = vf_set((float)(store->high - store->zero_point));
  const vi_t zero_point = vi_set(store->zero_point);
  for (size_t i = 0; i < count; i += BLOCK) {
    float rest[BLOCK] = {0};
    uint8_t bytes[BLOCK];
    const size_t left = count - i;
    const float* from = in + i;
    if (left < BLOCK) from = memcpy(rest, from, left * sizeof *from);
    vi_t numbers[2];
    for (int v = 0; v < 2; ++v) {
      const vf_t x = vf_div(vf_load(from + v * VF_LANES), divisor);
      const vf_t bounded = vf_min(vf_max(x, least), most);
      const vf_t known = vf_select(vf_is_nan(x), vf_set(0.0f), bounded);
      numbers[v] = vi_add(rounded(known), zero_point);
    }
    vi_store_bytes(left < BLOCK ? bytes : out + i, numbers[0], numbers[1]);
    if (left < BLOCK) memcpy(out + i, bytes, left);
  }
}

static void ACC_NAME(armnn_s8_dequantize)(const uint8_t* in, float* out, size_t count, float scale,
                                          uint8_t flip, int32_t offset) {
  for (size_t i = 0; i < count; ++i) out[i] = scale * (float)((in[i] ^ flip) - offset);
}

static void ACC_NAME(armnn_s8_table)(const uint8_t* in, uint8_t* out, size_t count,
                                     const uint8_t* table) {
  for (size_t i = 0; i < count; ++i) out[i] = table[in[i]];
}

extern const armnn_i_acc_element_kernels_t ACC_NAME(armnn_i_acc_element_kernels);
const armnn_i_acc_element_kernels_t ACC_NAME(armnn_i_acc_element_kernels) = {
    .quantize = ACC_NAME(armnn_f32_quantize),
    .dequantize = ACC_NAME(armnn_s8_dequantize),
    .table = ACC_NAME(armnn_s8_table),
    .quantize_name = "armnn_f32_quantize__" ACC_ISA_TEXT,
    .dequantize_name = "armnn_s8_dequantize__" ACC_ISA_TEXT,
    .table_name = "armnn_s8_table__" ACC_ISA_TEXT,
};
