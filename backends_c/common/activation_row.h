/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * activation_row.h - ACTIVATION of rows of float32, and of quantised numbers by their levels.
 *
 * RELU, BOUNDED_RELU and LEAKY_RELU scale levels (fixed_point.h); other functions of 8 bits are
 * tables of 256 values, each computed in float32 and rounded once, halves away from zero: so does
 * TensorFlow Lite's specification.
 */
#ifndef ARMNN_COMMON_ACTIVATION_ROW_H_
#define ARMNN_COMMON_ACTIVATION_ROW_H_

#include <math.h>

#include "armnn/backend_kit.h"
#include "fixed_point.h"

/* One loop per function, so that the compiler vectorises each and no switch is inside a loop. */
#define ARMNN_I_APPLY(expression)        \
  for (uint64_t i = 0; i < count; ++i) { \
    const float v = x[i];                \
    y[i] = (expression);                 \
  }                                      \
  break

static inline void armnn_activation_row(const armnn_activation_descriptor_t* descriptor,
                                        const float* x, float* y, uint64_t count) {
  const float a = descriptor->a;
  const float b = descriptor->b;
  switch (descriptor->function) {
    case ARMNN_ACTIVATION_SIGMOID:
      ARMNN_I_APPLY(1.0f / (1.0f + expf(-v)));
    case ARMNN_ACTIVATION_TANH:
      ARMNN_I_APPLY(a * tanhf(b * v));
    case ARMNN_ACTIVATION_LINEAR:
      ARMNN_I_APPLY(a * v + b);
    case ARMNN_ACTIVATION_RELU:
      ARMNN_I_APPLY(v < 0.0f ? 0.0f : v);
    case ARMNN_ACTIVATION_BOUNDED_RELU:
      ARMNN_I_APPLY((v < b ? b : v) > a ? a : (v < b ? b : v));
    case ARMNN_ACTIVATION_SOFT_RELU:
      /* log(1 + exp(v)) without overflow of exp for large v. */
      ARMNN_I_APPLY((v > 0.0f ? v : 0.0f) + log1pf(expf(-fabsf(v))));
    case ARMNN_ACTIVATION_LEAKY_RELU:
      ARMNN_I_APPLY(v < 0.0f ? a * v : v);
    case ARMNN_ACTIVATION_ABS:
      ARMNN_I_APPLY(fabsf(v));
    case ARMNN_ACTIVATION_SQRT:
      ARMNN_I_APPLY(sqrtf(v));
    case ARMNN_ACTIVATION_SQUARE:
      ARMNN_I_APPLY(v * v);
    case ARMNN_ACTIVATION_ELU:
      ARMNN_I_APPLY(v >= 0.0f ? v : a * expm1f(v));
    case ARMNN_ACTIVATION_HARD_SWISH:
      ARMNN_I_APPLY(v > 3.0f ? v : v * (v + 3.0f < 0.0f ? 0.0f : v + 3.0f) / 6.0f);
    case ARMNN_ACTIVATION_GELU:
      ARMNN_I_APPLY(0.5f * v * (1.0f + erff(v * 0.70710678118654752f)));
    case ARMNN_ACTIVATION_HARD_SIGMOID:
      ARMNN_I_APPLY(a * v + b < 0.0f ? 0.0f : (a * v + b > 1.0f ? 1.0f : a * v + b));
    case ARMNN_ACTIVATION_MISH:
      ARMNN_I_APPLY(v * tanhf((v > 0.0f ? v : 0.0f) + log1pf(expf(-fabsf(v)))));
    case ARMNN_ACTIVATION_SOFTSIGN:
      ARMNN_I_APPLY(v / (1.0f + fabsf(v)));
    case ARMNN_ACTIVATION_THRESHOLDED_RELU:
      ARMNN_I_APPLY(v < a ? 0.0f : v);
    default:
      break;
  }
}
#undef ARMNN_I_APPLY

/* ---- Levels ---------------------------------------------------------------------------------- */

typedef struct armnn_activation_levels_t {
  armnn_factor_t above, below; /* of levels above zero and of others */
  int32_t least, most;         /* levels of the output */
  int has_table;
  int32_t first;      /* level of the input whose result is the first of the table */
  int32_t table[256]; /* levels of the output */
} armnn_activation_levels_t;

/* A level of the output, inside of what int32_t and any quantised type hold. */
static inline int32_t armnn_bounded_level(float level) {
  if (level != level) return 0;
  return (int32_t)(level > 0x1p20f ? 0x1p20f : level < -0x1p20f ? -0x1p20f : level);
}

/* From levels of scale |in_scale|, of which |first| is the least, to those of |out_scale|; 0 if the
 * function is none of levels. |is_byte|: there are 256 of the input. */
static inline int armnn_activation_levels(const armnn_activation_descriptor_t* d, float in_scale,
                                          int32_t first, int is_byte, float out_scale,
                                          armnn_activation_levels_t* out_levels) {
  armnn_activation_levels_t* levels = out_levels;
  levels->above = levels->below = armnn_factor((double)(in_scale / out_scale));
  levels->least = INT32_MIN;
  levels->most = INT32_MAX;
  levels->has_table = 0;
  levels->first = first;
  if (d->function == ARMNN_ACTIVATION_RELU) {
    levels->least = 0;
  } else if (d->function == ARMNN_ACTIVATION_BOUNDED_RELU && d->b <= d->a) {
    levels->least = armnn_bounded_level(roundf(d->b / out_scale));
    levels->most = armnn_bounded_level(roundf(d->a / out_scale));
  } else if (d->function == ARMNN_ACTIVATION_LEAKY_RELU) {
    levels->below = armnn_factor((double)(in_scale * d->a / out_scale));
  } else if (is_byte) {
    const float inverse = 1.0f / out_scale;
    for (int32_t q = 0; q < 256; ++q) {
      float value = in_scale * (float)(q + first);
      armnn_activation_row(d, &value, &value, 1);
      levels->table[q] = armnn_bounded_level(roundf(value * inverse));
    }
    levels->has_table = 1;
  } else {
    return 0;
  }
  return 1;
}

/* The level of the output for one of the input; the output's type may bound it more. */
static inline int32_t armnn_activation_level(const armnn_activation_levels_t* levels,
                                             int32_t level) {
  if (levels->has_table) return levels->table[level - levels->first];
  level = armnn_scale32(level, level >= 0 ? levels->above : levels->below);
  return level < levels->least ? levels->least : level > levels->most ? levels->most : level;
}

#endif /* ARMNN_COMMON_ACTIVATION_ROW_H_ */
