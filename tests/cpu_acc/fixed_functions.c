/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fixed_functions.c - the functions of simd_fixed.h, for a test over all numbers of 16 bits;
 * compiled for each instruction set.
 */
#include "kernels/simd/simd_fixed.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void ACC_NAME(operators_sigmoid)(int16_t* x, uint64_t count, int32_t whole);
void ACC_NAME(operators_sigmoid)(int16_t* x, uint64_t count, int32_t whole) {
  for (uint64_t i = 0; i < count; i += VW_LANES) {
    vw_store_first(x + i, vw_sigmoid(vw_load_first(x + i, count - i), whole), count - i);
  }
}

EXPORT void ACC_NAME(operators_tanh)(int16_t* x, uint64_t count, int32_t whole);
void ACC_NAME(operators_tanh)(int16_t* x, uint64_t count, int32_t whole) {
  for (uint64_t i = 0; i < count; i += VW_LANES) {
    vw_store_first(x + i, vw_tanh(vw_load_first(x + i, count - i), whole), count - i);
  }
}
