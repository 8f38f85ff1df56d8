/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * dynamic.h - kernels of numbers that are quantised while the network runs, and of sums that become
 * real numbers. Arrays are dense and of any length.
 */
#ifndef ARMNN_CPU_ACC_DYNAMIC_H_
#define ARMNN_CPU_ACC_DYNAMIC_H_

#include <stddef.h>
#include <stdint.h>

#include "dynamic_range.h"

typedef struct armnn_i_acc_dynamic_kernels_t {
  /* Lowers |*least| and raises |*most| to what is in |in|; what is no number has no part. */
  void (*range)(const float* in, size_t count, float* least, float* most);
  /* Stored numbers less the zero point, as DYNAMIC_QUANTIZE makes them. */
  void (*levels)(const float* in, int16_t* out, size_t count, const armnn_dynamic_range_t* range);
  void (*symmetric_levels)(const float* in, int16_t* out, size_t count,
                           const armnn_dynamic_range_t* range);
  /* The same of stored numbers: (in ^ flip) - offset. */
  void (*byte_levels)(const uint8_t* in, int16_t* out, size_t count, uint8_t flip, int16_t offset);
  /* out = sums * (scale * scales) + shifts, element by element. */
  void (*finish)(const int32_t* sums, float* out, size_t count, float scale, const float* scales,
                 const float* shifts);
  const char *range_name, *levels_name, *product_name;
} armnn_i_acc_dynamic_kernels_t;

#endif /* ARMNN_CPU_ACC_DYNAMIC_H_ */
