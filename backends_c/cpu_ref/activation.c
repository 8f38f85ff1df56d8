/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * activation.c - ACTIVATION: functions of one variable, NaN in gives NaN out.
 *
 * Quantised types follow TensorFlow Lite's specification: RELU, BOUNDED_RELU and LEAKY_RELU scale
 * levels (fixed_point.h); other functions of 8 bits are tables of 256 values, each computed in
 * float32 and rounded once, halves away from zero. All else is float32 rounded once.
 */
#include <math.h>

#include "codec.h"
#include "fixed_point.h"
#include "int_math.h"
#include "kernels.h"

/* One loop per function, so that the compiler vectorises each and no switch is inside a loop. */
#define ARMNN_REF_APPLY(expression)      \
  for (uint64_t i = 0; i < count; ++i) { \
    const float v = x[i];                \
    y[i] = (expression);                 \
  }                                      \
  break

static void apply(const armnn_activation_descriptor_t* descriptor, const float* x, float* y,
                  uint64_t count) {
  const float a = descriptor->a;
  const float b = descriptor->b;
  switch (descriptor->function) {
    case ARMNN_ACTIVATION_SIGMOID:
      ARMNN_REF_APPLY(1.0f / (1.0f + expf(-v)));
    case ARMNN_ACTIVATION_TANH:
      ARMNN_REF_APPLY(a * tanhf(b * v));
    case ARMNN_ACTIVATION_LINEAR:
      ARMNN_REF_APPLY(a * v + b);
    case ARMNN_ACTIVATION_RELU:
      ARMNN_REF_APPLY(v < 0.0f ? 0.0f : v);
    case ARMNN_ACTIVATION_BOUNDED_RELU:
      ARMNN_REF_APPLY((v < b ? b : v) > a ? a : (v < b ? b : v));
    case ARMNN_ACTIVATION_SOFT_RELU:
      /* log(1 + exp(v)) without overflow of exp for large v. */
      ARMNN_REF_APPLY((v > 0.0f ? v : 0.0f) + log1pf(expf(-fabsf(v))));
    case ARMNN_ACTIVATION_LEAKY_RELU:
      ARMNN_REF_APPLY(v > 0.0f ? v : a * v);
    case ARMNN_ACTIVATION_ABS:
      ARMNN_REF_APPLY(fabsf(v));
    case ARMNN_ACTIVATION_SQRT:
      ARMNN_REF_APPLY(sqrtf(v));
    case ARMNN_ACTIVATION_SQUARE:
      ARMNN_REF_APPLY(v * v);
    case ARMNN_ACTIVATION_ELU:
      ARMNN_REF_APPLY(v >= 0.0f ? v : a * expm1f(v));
    case ARMNN_ACTIVATION_HARD_SWISH:
      ARMNN_REF_APPLY(v * (v + 3.0f < 0.0f ? 0.0f : (v + 3.0f > 6.0f ? 6.0f : v + 3.0f)) / 6.0f);
    case ARMNN_ACTIVATION_GELU:
      ARMNN_REF_APPLY(0.5f * v * (1.0f + erff(v * 0.70710678118654752f)));
    case ARMNN_ACTIVATION_HARD_SIGMOID:
      ARMNN_REF_APPLY(a * v + b < 0.0f ? 0.0f : (a * v + b > 1.0f ? 1.0f : a * v + b));
    case ARMNN_ACTIVATION_MISH:
      ARMNN_REF_APPLY(v * tanhf((v > 0.0f ? v : 0.0f) + log1pf(expf(-fabsf(v)))));
    default:
      break;
  }
}

typedef struct activation_job_t {
  const armnn_activation_descriptor_t* descriptor;
  const float* x;
  float* y;
} activation_job_t;

static armnn_status_t activation_range(void* argument, uint64_t begin, uint64_t end,
                                       uint32_t thread_index) {
  (void)thread_index;
  const activation_job_t* job = (const activation_job_t*)argument;
  apply(job->descriptor, job->x + begin, job->y + begin, end - begin);
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_activation__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  activation_job_t job = {ARMNN_DESCRIPTOR(call->info, armnn_activation_descriptor_t),
                          ARMNN_IN(call, 0, float), ARMNN_OUT(call, 0, float)};
  return armnn_parallel_for(call->host, activation_range, &job, ARMNN_COUNT(call), 4096, 0);
}

/* ---- Types that are decoded ------------------------------------------------------------------ */

typedef struct decoded_job_t {
  const armnn_kernel_call_t* call;
  const armnn_activation_descriptor_t* descriptor;
  armnn_i_ref_codec_t x, y;
  armnn_i_ref_factor_t above, below; /* of levels above zero and of others */
  int32_t least, most;               /* levels of the output */
  int has_table;
  int32_t table[256]; /* levels of the output by level + 128 + zero point of the input */
} decoded_job_t;

static armnn_status_t real_range(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const decoded_job_t* job = (const decoded_job_t*)argument;
  float row[ARMNN_REF_ROW];
  for (uint64_t i = begin; i < end; i += ARMNN_REF_ROW) {
    const uint64_t count = armnn_min_u64(ARMNN_REF_ROW, end - i);
    armnn_i_ref_decode(&job->x, job->call->inputs[0], i, count, row);
    apply(job->descriptor, row, row, count);
    armnn_i_ref_encode(&job->y, row, count, job->call->outputs[0], i);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t level_range(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const decoded_job_t* job = (const decoded_job_t*)argument;
  const int32_t first = job->x.least - job->x.zero_points[0];
  int32_t row[ARMNN_REF_ROW];
  for (uint64_t i = begin; i < end; i += ARMNN_REF_ROW) {
    const uint64_t count = armnn_min_u64(ARMNN_REF_ROW, end - i);
    armnn_i_ref_decode_levels(&job->x, job->call->inputs[0], i, count, row);
    for (uint64_t k = 0; k < count; ++k) {
      if (job->has_table) {
        row[k] = job->table[row[k] - first];
        continue;
      }
      const int32_t level = armnn_i_ref_scale32(row[k], row[k] >= 0 ? job->above : job->below);
      row[k] = level < job->least ? job->least : level > job->most ? job->most : level;
    }
    armnn_i_ref_encode_levels(&job->y, row, count, job->call->outputs[0], i);
  }
  return ARMNN_STATUS_OK;
}

/* A level of the output, inside of what int32_t and any quantised type hold. */
static int32_t bounded_level(float level) {
  if (level != level) return 0;
  return (int32_t)(level > 0x1p20f ? 0x1p20f : level < -0x1p20f ? -0x1p20f : level);
}

static void fill_table(decoded_job_t* job) {
  const float inverse = 1.0f / job->y.scales[0];
  for (int32_t q = 0; q < 256; ++q) {
    float value = job->x.scales[0] * (float)(q + job->x.least - job->x.zero_points[0]);
    apply(job->descriptor, &value, &value, 1);
    job->table[q] = bounded_level(roundf(value * inverse));
  }
  job->has_table = 1;
}

armnn_status_t armnn_any_activation__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_activation_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_activation_descriptor_t);
  const armnn_tensor_info_t *x = ARMNN_IN_INFO(call, 0), *y = ARMNN_OUT_INFO(call, 0);
  decoded_job_t job;
  (void)error;
  memset(&job, 0, sizeof job);
  job.call = call;
  job.descriptor = d;
  job.x = armnn_i_ref_codec(x);
  job.y = armnn_i_ref_codec(y);
  job.least = INT32_MIN;
  job.most = INT32_MAX;
  const float ratio = job.x.scales[0] / job.y.scales[0];
  job.above = job.below = armnn_i_ref_factor((double)ratio);
  int has_levels = armnn_data_type_is_quantized(x->data_type) && armnn_i_ref_one_scale(x) &&
                   armnn_i_ref_one_scale(y);
  if (d->function == ARMNN_ACTIVATION_RELU) {
    job.least = 0;
  } else if (d->function == ARMNN_ACTIVATION_BOUNDED_RELU && d->b <= d->a) {
    job.least = bounded_level(roundf(d->b / job.y.scales[0]));
    job.most = bounded_level(roundf(d->a / job.y.scales[0]));
  } else if (d->function == ARMNN_ACTIVATION_LEAKY_RELU) {
    job.below = armnn_i_ref_factor((double)(job.x.scales[0] * d->a / job.y.scales[0]));
  } else if (has_levels && x->data_type != ARMNN_DATA_TYPE_QSYMM_S16) {
    fill_table(&job);
  } else {
    has_levels = 0;
  }
  return armnn_parallel_for(call->host, has_levels ? level_range : real_range, &job,
                            ARMNN_COUNT(call), 4096, 0);
}
