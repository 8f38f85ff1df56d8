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

/* |rows| rows of unsigned bytes by a panel of signed ones: sums [row][channel], less each row's
 * zero point times the channels' sums of weights. Weights lie in groups of ARMNN_ACC_BYTE_GROUP
 * depths, [group][vector][half][channel][depth], and so that products of bytes up to 255 with the
 * four weights of one channel that ARMNN_ACC_BYTE_PAIR tells fit 16 bits together. */
typedef struct armnn_i_acc_byte_sums_job_t {
  const uint8_t* input;
  ptrdiff_t input_row;
  uint32_t rows;
  size_t groups;
  const int8_t* weights;
  const int32_t* zero_points;  /* [row] */
  const int32_t* channel_sums; /* [channel] */
  int32_t* sums;
} armnn_i_acc_byte_sums_job_t;

#define ARMNN_ACC_BYTE_GROUP 8
#define ARMNN_ACC_BYTE_HALF 4
#define ARMNN_ACC_BYTE_PAIR 2
#define ARMNN_ACC_BYTE_MOST                                             \
  128 /* of the positive weights of two pairs, and of the negative ones \
       */

typedef struct armnn_i_acc_dynamic_kernels_t {
  /* Lowers |*least| and raises |*most| to what is in |in|; NaN is left out. */
  void (*range)(const float* in, size_t count, float* least, float* most);
  /* Stored numbers less the zero point, as DYNAMIC_QUANTIZE makes them. */
  void (*levels)(const float* in, int16_t* out, size_t count, const armnn_dynamic_range_t* range);
  void (*symmetric_levels)(const float* in, int16_t* out, size_t count,
                           const armnn_dynamic_range_t* range);
  /* The same for stored numbers: (in ^ flip) - offset. */
  void (*byte_levels)(const uint8_t* in, int16_t* out, size_t count, uint8_t flip, int16_t offset);
  /* out = sums * (scale * scales) + shifts, element by element. */
  void (*finish)(const int32_t* sums, float* out, size_t count, float scale, const float* scales,
                 const float* shifts);
  /* Null where the instruction set has no such products. A panel has two vectors. */
  void (*byte_sums)(const armnn_i_acc_byte_sums_job_t* job);
  const char *range_name, *levels_name, *product_name;
} armnn_i_acc_dynamic_kernels_t;

#endif /* ARMNN_CPU_ACC_DYNAMIC_H_ */
