/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_pack.h - what the kernels of quantised products read of each channel, and lines of
 * images.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_PACK_H_
#define ARMNN_CPU_ACC_QUANTIZED_PACK_H_

#include "ops/op_base.h"

/* The flags that a factor needs. */
static inline uint32_t armnn_i_acc_scale_of(armnn_factor_t factor) {
  return factor.shift > -1 || factor.multiplier < 1 << 30 ? ARMNN_ACC_SCALE_EXACT : 0;
}

/* How kernels make the numbers of |output|, or of a sum's operand, of sums of products. */
static inline armnn_i_acc_store_t armnn_i_acc_store_of(
    const armnn_i_acc_quantized_convolution_t* what) {
  const armnn_i_acc_element_t made = what->has_sum ? what->sum.left.element : what->output.element;
  armnn_i_acc_store_t store = {made.zero_point, what->low, what->high, 0};
  if (what->rounding == ARMNN_ACC_ROUND_REAL) store.flags = ARMNN_ACC_SCALE_REAL;
  if (what->rounding == ARMNN_ACC_ROUND_ONCE) store.flags = ARMNN_ACC_SCALE_ONCE;
  for (int64_t o = 0; o < what->output.dims[3] && what->rounding == ARMNN_ACC_ROUND_TWICE; ++o) {
    store.flags |= armnn_i_acc_scale_of(what->factors[o]);
  }
  if (store.flags == 0 && store.low >= store.zero_point) store.flags = ARMNN_ACC_SCALE_POSITIVE;
  return store;
}

/* Writes a factor to place 0 of arrays of |width| channels. */
static inline void armnn_i_acc_pack_factor(armnn_factor_t factor, int32_t rounding, int32_t* arrays,
                                           int64_t width) {
  int32_t left = 0, half = 0, right = factor.shift; /* of a real factor, the upper half of it */
  if (rounding == ARMNN_ACC_ROUND_ONCE) right = 31 - factor.shift;
  if (rounding == ARMNN_ACC_ROUND_TWICE) {
    left = factor.shift > 0 ? factor.shift : 0;
    right = left - factor.shift;
    half = right == 0 ? 0 : 1 << (right - 1);
  }
  arrays[ARMNN_ACC_CHANNEL_MULTIPLIER * width] = factor.multiplier;
  arrays[ARMNN_ACC_CHANNEL_RIGHT * width] = right;
  arrays[ARMNN_ACC_CHANNEL_HALF * width] = half;
  arrays[ARMNN_ACC_CHANNEL_LEFT * width] = left;
}

/* Writes channel |o| to place |at| of arrays of |width| channels. */
static inline void armnn_i_acc_pack_channel(const armnn_i_acc_quantized_convolution_t* what,
                                            int64_t o, int32_t* arrays, int64_t at, int64_t width) {
  arrays += at;
  arrays[ARMNN_ACC_CHANNEL_BIAS * width] = what->bias != NULL ? what->bias[o] : 0;
  armnn_i_acc_pack_factor(what->factors[o], what->rounding, arrays, width);
  if (what->has_wide_sums) {
    arrays[ARMNN_ACC_CHANNEL_HALF * width] = (int32_t)(armnn_i_acc_bias_value(what, o) >> 32);
  }
}

/* Whether a pixel of a line lies at the same distance from the one before it throughout. */
static inline bool armnn_i_acc_is_one_line(const armnn_i_acc_tensor_t* images) {
  return (images->dims[1] == 1 || images->strides[1] == images->dims[2] * images->strides[2]) &&
         (images->dims[0] == 1 ||
          images->strides[0] == images->dims[1] * images->dims[2] * images->strides[2]);
}

/* ---- Lines of numbers (quantized_levels.c) ------------------------------------------------- */

/* Images become levels of 16 bits, or bytes as kernels->bytes takes them, line by line: what the
 * windows of an output line see is |pixels| pixels of |width| numbers, padding included. Of
 * |channels| channels from the address given on. */
typedef struct armnn_i_acc_lines_t {
  armnn_i_acc_tensor_t input;
  armnn_i_acc_levels_fn_t read;
  int64_t channels, width, pixels;
  int64_t pad_top, pad_left;
  uint32_t bytes; /* of a number */
  uint8_t flip;   /* as in armnn_i_acc_levels_of_t */
  int16_t zero;   /* the input's zero point, flipped */
} armnn_i_acc_lines_t;

armnn_i_acc_lines_t armnn_i_acc_lines(const armnn_i_acc_quantized_convolution_t* what,
                                      const armnn_i_acc_quantized_kernels_t* kernels,
                                      int64_t channels, int64_t width);
armnn_i_acc_lines_t armnn_i_acc_byte_lines(const armnn_i_acc_quantized_convolution_t* what,
                                           const armnn_i_acc_quantized_kernels_t* kernels,
                                           int64_t channels, int64_t width);
/* |count| pixels at |input| that lie one behind another. */
void armnn_i_acc_pixel_levels(const armnn_i_acc_lines_t* lines, const uint8_t* input, int64_t count,
                              void* numbers);
/* |count| lines of the image at |image|, the first of which is line |y| of the padded image. */
void armnn_i_acc_line_levels(const armnn_i_acc_lines_t* lines, const uint8_t* image, int64_t y,
                             int64_t count, void* numbers);

#endif /* ARMNN_CPU_ACC_QUANTIZED_PACK_H_ */
