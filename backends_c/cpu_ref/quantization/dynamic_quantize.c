/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * dynamic_quantize.c - DYNAMIC_QUANTIZE: levels by the range of the numbers, of the whole tensor or
 * of each row. What is not a number has no part in the range, and becomes the zero point.
 */
#include "dynamic_range.h"
#include "kernels.h"
#include "shared/work.h"

enum { LEVELS, SCALE, ZERO_POINT };

typedef struct dynamic_job_t {
  const float* x;
  uint8_t* levels;
  float* scales;
  uint8_t* zero_points;
  uint64_t columns;
  int symmetric;
} dynamic_job_t;

static armnn_dynamic_range_t range_of(const float* x, uint64_t count, int symmetric) {
  float least = 0.0f, most = 0.0f;
  for (uint64_t i = 0; i < count; ++i) {
    if (x[i] < least) least = x[i];
    if (x[i] > most) most = x[i];
  }
  return armnn_dynamic_range(least, most, symmetric);
}

static float bounded(float value, float low, float high) {
  return value > low ? value < high ? value : high : low; /* not a number: low */
}

/* Ends of the range that are very small, or not finite, make no number of some steps: 0, too. */
static uint8_t symmetric_level(float x, float factor) {
  const float steps = x * factor;
  if (isnan(steps)) return 0;
  return (uint8_t)(int8_t)bounded(roundf(steps), -127.0f, 127.0f); /* halves away from 0 */
}

static uint8_t asymmetric_level(float x, armnn_dynamic_range_t range) {
  const float steps = x / range.scale;
  const float whole = isnan(steps) ? 0.0f : nearbyintf(steps); /* halves to even */
  return (uint8_t)bounded(whole + range.zero_point, 0.0f, 255.0f);
}

static armnn_status_t quantize_rows(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) {
  (void)thread_index;
  const dynamic_job_t* job = (const dynamic_job_t*)argument;
  for (uint64_t row = begin; row < end; ++row) {
    const float* x = job->x + row * job->columns;
    uint8_t* levels = job->levels + row * job->columns;
    const armnn_dynamic_range_t range = range_of(x, job->columns, job->symmetric);
    for (uint64_t i = 0; i < job->columns; ++i) {
      levels[i] =
          job->symmetric ? symmetric_level(x[i], range.factor) : asymmetric_level(x[i], range);
    }
    job->scales[row] = range.scale;
    job->zero_points[row] = (uint8_t)range.zero_point;
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_dynamic_quantize__ref(const armnn_kernel_call_t* call,
                                               armnn_error_t* error) {
  const armnn_dynamic_quantize_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_dynamic_quantize_descriptor_t);
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(call, 0);
  const uint64_t columns = d->rows ? info->dims[info->rank - 1] : info->element_count;
  dynamic_job_t job = {.x = ARMNN_IN(call, 0, float),
                       .levels = ARMNN_OUT(call, LEVELS, uint8_t),
                       .scales = ARMNN_OUT(call, SCALE, float),
                       .zero_points = ARMNN_OUT(call, ZERO_POINT, uint8_t),
                       .columns = columns,
                       .symmetric = d->symmetric != 0};
  const uint64_t rows = ARMNN_OUT_INFO(call, SCALE)->element_count;
  return armnn_i_ref_run(call, quantize_rows, &job, rows, columns * 4, error);
}
