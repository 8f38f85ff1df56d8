/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * dot_product.c - the functions of simd_levels.h and simd_bytes.h that are one instruction where
 * the processor has it, for a test beside plain numbers; compiled for each instruction set.
 */
#include "kernels/simd/simd_bytes.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT uint32_t ACC_NAME(operators_lanes)(void);
uint32_t ACC_NAME(operators_lanes)(void) { return VF_LANES; }

EXPORT uint32_t ACC_NAME(operators_byte_sign)(void);
uint32_t ACC_NAME(operators_byte_sign)(void) { return VI_BYTE_SIGN; }

/* |count| vectors of lanes. */
EXPORT void ACC_NAME(operators_dot_bytes)(int32_t* sums, const int32_t* x, const int32_t* weights,
                                          uint64_t count);
void ACC_NAME(operators_dot_bytes)(int32_t* sums, const int32_t* x, const int32_t* weights,
                                   uint64_t count) {
  for (uint64_t i = 0; i < count * VF_LANES; i += VF_LANES) {
    vi_store(sums + i, vi_dot_bytes(vi_load(sums + i), vi_load(x + i), vi_load(weights + i)));
  }
}

EXPORT void ACC_NAME(operators_dot_pairs)(int32_t* sums, const int32_t* x, const int32_t* weights,
                                          uint64_t count);
void ACC_NAME(operators_dot_pairs)(int32_t* sums, const int32_t* x, const int32_t* weights,
                                   uint64_t count) {
  for (uint64_t i = 0; i < count * VF_LANES; i += VF_LANES) {
    vi_store(sums + i, vi_dot_pairs(vi_load(sums + i), vi_load(x + i), vi_load(weights + i)));
  }
}
