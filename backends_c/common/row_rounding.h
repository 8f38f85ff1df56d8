/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * row_rounding.h - rows of real numbers rounded to 8 bits by their own range: row_rounding of the
 * recurrent layers. Scale and zero point are TensorFlow Lite's, which has them of double precision
 * on the way, and rounds halves away from 0.
 */
#ifndef ARMNN_COMMON_ROW_ROUNDING_H_
#define ARMNN_COMMON_ROW_ROUNDING_H_

#include <math.h>
#include <stdint.h>

#include "armnn/descriptors.h"

/* Of levels -128 to 127, counted from the end of the range that is nearer to 0. */
static inline float armnn_row_zero_point(double least, double most, double scale) {
  const double low = -128.0, high = 127.0;
  const double of_least = low - least / scale, of_most = high - most / scale;
  const int from_least = -low + fabs(least / scale) < high + fabs(most / scale);
  const double point = round(from_least ? of_least : of_most);
  return (float)(point < low ? low : point > high ? high : point);
}

/* Rounds |count| numbers of |x| to |out|, which may be |x|. What is not a number stays out of the
 * range, and becomes 0; in a range that is not finite all numbers become 0. */
static inline void armnn_round_row(int32_t rounding, const float* x, float* out, uint64_t count) {
  float least = 0.0f, most = 0.0f;
  for (uint64_t i = 0; i < count; ++i) {
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  float scale = 1.0f, inverse = 0.0f, point = 0.0f, low = -127.0f;
  if (rounding == ARMNN_ROW_ROUNDING_SYMMETRIC) {
    const float size = -least > most ? -least : most;
    if (size > 0.0f) {
      scale = size / 127.0f;
      inverse = 127.0f / size;
    }
  } else if (most > least) {
    const double wide = ((double)most - (double)least) / 255.0;
    point = armnn_row_zero_point(least, most, wide);
    scale = (float)wide;
    inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
    low = -128.0f;
  }
  if (!isfinite(inverse) || !isfinite(scale)) scale = inverse = 0.0f;
  for (uint64_t i = 0; i < count; ++i) {
    const float steps = roundf(point + x[i] * inverse);
    const float level = steps > low ? steps < 127.0f ? steps : 127.0f : low;
    out[i] = isnan(steps) ? 0.0f : (level - point) * scale;
  }
}

#endif /* ARMNN_COMMON_ROW_ROUNDING_H_ */
