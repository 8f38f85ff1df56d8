/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * real_rescale.h - ARMNN_RESCALING_REAL: results of quantised layers by real scales, rounded once,
 * halves to even. ONNX's QuantizeLinear behind a layer of real numbers defines it.
 *
 * A level is a stored number less its zero point. Sums and means of levels are whole numbers, and
 * every function rounds the exact value of its formula in double precision, so all backends and
 * instruction sets give the same bits. Results saturate to 32 bits. Functions of single elements
 * are computed as the model says it: in float32, each operation rounded.
 */
#ifndef ARMNN_COMMON_REAL_RESCALE_H_
#define ARMNN_COMMON_REAL_RESCALE_H_

#include <math.h>
#include <stdint.h>

/* Adding it to a number below 2^51 leaves no place behind the point: halves go to even. */
#define ARMNN_ROUNDING_SHIFT 0x1.8p52

/* The nearest whole number, halves to even; NaN becomes 0. */
static inline int32_t armnn_nearest_level(double level) {
  if (!(fabs(level) < 0x1p31)) {
    return level >= 0x1p31 ? INT32_MAX : level <= -0x1p31 ? INT32_MIN : 0;
  }
  return (int32_t)((level + ARMNN_ROUNDING_SHIFT) - ARMNN_ROUNDING_SHIFT);
}

/* sum * factor, |sum| below 2^53. The product in double precision decides unless it lies so near to
 * a half that its own rounding matters: fma, which is slow without an instruction, tells then. */
static inline int32_t armnn_rescaled_sum(int64_t sum, double factor) {
  const double product = (double)sum * factor;
  if (!(fabs(product) < 0x1p31)) return armnn_nearest_level(product);
  const double nearest = (product + ARMNN_ROUNDING_SHIFT) - ARMNN_ROUNDING_SHIFT;
  if (fabs(product - nearest) < 0.5 - 0x1p-20) return (int32_t)nearest;
  const double shifted = fma((double)sum, factor, ARMNN_ROUNDING_SHIFT);
  return armnn_nearest_level(shifted - ARMNN_ROUNDING_SHIFT);
}

/* The factor from products of levels to levels of the output. */
static inline double armnn_product_factor(float x_scale, float y_scale, float out_scale) {
  return (double)x_scale * (double)y_scale / (double)out_scale;
}

/* The mean of |count| levels whose sum is |sum|; also a single level, brought to another scale. */
static inline int32_t armnn_rescaled_mean(int64_t sum, double count, float x_scale,
                                          float out_scale) {
  return armnn_nearest_level((double)x_scale * (double)sum / ((double)out_scale * count));
}

#endif /* ARMNN_COMMON_REAL_RESCALE_H_ */
