/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * activation.c - ACTIVATION: functions of one variable, NaN in gives NaN out.
 *
 * Quantised types follow TensorFlow Lite's specification: RELU, BOUNDED_RELU and LEAKY_RELU scale
 * levels (fixed_point.h); other functions of 8 bits are tables of 256 values, each computed in
 * float32 and rounded once, halves away from zero. All else, and ARMNN_RESCALING_REAL, is float32
 * rounded once.
 */
#include "activation_row.h"
#include "fixed_point.h"
#include "int_math.h"
#include "kernels.h"
#include "shared/codec.h"

typedef struct activation_job_t {
  const armnn_activation_descriptor_t* descriptor;
  const float* x;
  float* y;
} activation_job_t;

static armnn_status_t activation_range(void* argument, uint64_t begin, uint64_t end,
                                       uint32_t thread_index) {
  (void)thread_index;
  const activation_job_t* job = (const activation_job_t*)argument;
  armnn_activation_row(job->descriptor, job->x + begin, job->y + begin, end - begin);
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
  armnn_activation_levels_t levels;
} decoded_job_t;

static armnn_status_t real_range(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const decoded_job_t* job = (const decoded_job_t*)argument;
  float row[ARMNN_REF_ROW];
  for (uint64_t i = begin; i < end; i += ARMNN_REF_ROW) {
    const uint64_t count = armnn_min_u64(ARMNN_REF_ROW, end - i);
    armnn_i_ref_decode(&job->x, job->call->inputs[0], i, count, row);
    armnn_activation_row(job->descriptor, row, row, count);
    armnn_i_ref_encode(&job->y, row, count, job->call->outputs[0], i);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t level_range(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const decoded_job_t* job = (const decoded_job_t*)argument;
  int32_t row[ARMNN_REF_ROW];
  for (uint64_t i = begin; i < end; i += ARMNN_REF_ROW) {
    const uint64_t count = armnn_min_u64(ARMNN_REF_ROW, end - i);
    armnn_i_ref_decode_levels(&job->x, job->call->inputs[0], i, count, row);
    for (uint64_t k = 0; k < count; ++k) {
      row[k] = armnn_activation_level(&job->levels, row[k]);
    }
    armnn_i_ref_encode_levels(&job->y, row, count, job->call->outputs[0], i);
  }
  return ARMNN_STATUS_OK;
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
  const int has_levels =
      d->rescaling != ARMNN_RESCALING_REAL && armnn_data_type_is_quantized(x->data_type) &&
      armnn_i_ref_one_scale(x) && armnn_i_ref_one_scale(y) &&
      armnn_activation_levels(d, job.x.scales[0], job.x.least - job.x.zero_points[0],
                              x->data_type != ARMNN_DATA_TYPE_QSYMM_S16, job.y.scales[0],
                              &job.levels);
  return armnn_parallel_for(call->host, has_levels ? level_range : real_range, &job,
                            ARMNN_COUNT(call), 4096, 0);
}
