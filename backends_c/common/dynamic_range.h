/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * dynamic_range.h - scale and zero point that follow from the range of real numbers, as
 * DYNAMIC_QUANTIZE defines them.
 */
#ifndef ARMNN_COMMON_DYNAMIC_RANGE_H_
#define ARMNN_COMMON_DYNAMIC_RANGE_H_

#include <math.h>

typedef struct armnn_dynamic_range_t {
  float scale;
  float zero_point; /* a whole number */
  float factor;     /* symmetric: levels of a unit */
} armnn_dynamic_range_t;

/* Of numbers from |least| to |most|, of which the first is not above 0 and the other not below. */
static inline armnn_dynamic_range_t armnn_dynamic_range(float least, float most, int symmetric) {
  armnn_dynamic_range_t range = {1.0f, 0.0f, 1.0f};
  if (symmetric) {
    const float size = -least > most ? -least : most;
    if (size > 0.0f) {
      range.scale = size / 127.0f;
      range.factor = 127.0f / size;
    }
    return range;
  }
  if (most > least) range.scale = (most - least) / 255.0f;
  const float zero_point = nearbyintf(-least / range.scale); /* halves to even */
  range.zero_point = zero_point > 0.0f ? zero_point < 255.0f ? zero_point : 255.0f : 0.0f;
  return range;
}

#endif /* ARMNN_COMMON_DYNAMIC_RANGE_H_ */
