/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * resize_source.h - which input pixels an output pixel of RESIZE is made from, along one axis.
 */
#ifndef ARMNN_BACKENDS_RESIZE_SOURCE_H_
#define ARMNN_BACKENDS_RESIZE_SOURCE_H_

#include <stdint.h>

#include "armnn/descriptors.h"

/* low + fraction * (high - low); NEAREST_NEIGHBOR has low == high and no fraction. */
typedef struct armnn_resize_source_t {
  int64_t low, high;
  float fraction;
} armnn_resize_source_t;

/* Output pixel |o| of |output| made from |input| pixels, by armnn_resize_method_e |method|. */
static inline armnn_resize_source_t armnn_resize_source(int32_t method, int align_corners,
                                                        int half_pixel_centers, int64_t o,
                                                        int64_t input, int64_t output) {
  const int corners = align_corners && output > 1;
  const int64_t numerator = corners ? input - 1 : input;
  const int64_t denominator = corners ? output - 1 : output;
  armnn_resize_source_t source = {0, 0, 0.0f};
  if (method == ARMNN_RESIZE_NEAREST_NEIGHBOR) {
    if (half_pixel_centers) {
      source.low = (2 * o + 1) * numerator / (2 * denominator);
    } else if (align_corners) {
      source.low = (2 * o * numerator + denominator) / (2 * denominator);
    } else {
      source.low = o * numerator / denominator;
    }
    if (source.low > input - 1) source.low = input - 1;
    source.high = source.low;
    return source;
  }
  double position = half_pixel_centers
                        ? (double)((2 * o + 1) * numerator) / (double)(2 * denominator) - 0.5
                        : (double)(o * numerator) / (double)denominator;
  if (position < 0.0) position = 0.0;
  if (position > (double)(input - 1)) position = (double)(input - 1);
  source.low = (int64_t)position;
  source.high = source.low + 1 < input ? source.low + 1 : source.low;
  source.fraction = (float)(position - (double)source.low);
  return source;
}

#endif /* ARMNN_BACKENDS_RESIZE_SOURCE_H_ */
