/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * layer_normalization.c - LAYER_NORMALIZATION and RMS_NORMALIZATION over the dimensions from an
 * axis on. The variance is that of the differences from the mean, of RMS_NORMALIZATION from 0; both
 * are summed in double precision. Works in place.
 */
#include <math.h>

#include "kernels.h"
#include "shared/work.h"
#include "tensor_shape.h"
#include "tensor_walk.h"

typedef struct layer_norm_job_t {
  const float* x;
  float* y;
  const float *gamma, *beta; /* or null */
  const armnn_tensor_info_t *info, *gamma_info, *beta_info;
  int has_mean;
  uint64_t count; /* elements that share a mean */
  double eps;
} layer_norm_job_t;

/* Index of the parameter, which broadcasts, for element |at| of the dimensions from |axis| on. */
static uint64_t parameter_index(const layer_norm_job_t* job, const armnn_tensor_info_t* info,
                                uint64_t at) {
  uint64_t index = 0, step = 1;
  for (uint32_t d = 0; d < info->rank; ++d) {
    const uint64_t size = info->dims[info->rank - 1 - d];
    const uint64_t whole = job->info->dims[job->info->rank - 1 - d];
    if (size != 1) index += at % whole * step;
    at /= whole;
    step *= size;
  }
  return index;
}

static armnn_status_t normalize_rows(void* argument, uint64_t begin, uint64_t end,
                                     uint32_t thread_index) {
  (void)thread_index;
  const layer_norm_job_t* job = (const layer_norm_job_t*)argument;
  for (uint64_t row = begin; row < end; ++row) {
    const float* x = job->x + row * job->count;
    float* y = job->y + row * job->count;
    double mean = 0.0, squares = 0.0;
    if (job->has_mean) {
      for (uint64_t i = 0; i < job->count; ++i) mean += (double)x[i];
      mean /= (double)job->count;
    }
    for (uint64_t i = 0; i < job->count; ++i) {
      const double difference = (double)x[i] - mean;
      squares += difference * difference;
    }
    const double factor = 1.0 / sqrt(squares / (double)job->count + job->eps);
    for (uint64_t i = 0; i < job->count; ++i) {
      double value = ((double)x[i] - mean) * factor;
      if (job->gamma != NULL) value *= (double)job->gamma[parameter_index(job, job->gamma_info, i)];
      if (job->beta != NULL) value += (double)job->beta[parameter_index(job, job->beta_info, i)];
      y[i] = (float)value;
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t run(const armnn_kernel_call_t* call, int32_t first, float eps, int has_mean,
                          armnn_error_t* error) {
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(call, 0);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  layer_norm_job_t job = {.x = ARMNN_IN(call, 0, float),
                          .y = ARMNN_OUT(call, 0, float),
                          .info = info,
                          .has_mean = has_mean,
                          .count = 1,
                          .eps = (double)eps};
  for (uint32_t i = armnn_axis(first, info->rank); i < info->rank; ++i) job.count *= info->dims[i];
  if (call->info->input_count > 1 && ARMNN_IN_INFO(call, 1) != NULL) {
    job.gamma = ARMNN_IN(call, 1, float);
    job.gamma_info = ARMNN_IN_INFO(call, 1);
  }
  if (call->info->input_count > 2) {
    job.beta = ARMNN_IN(call, 2, float);
    job.beta_info = ARMNN_IN_INFO(call, 2);
  }
  return armnn_i_ref_run(call, normalize_rows, &job, ARMNN_COUNT(call) / job.count, job.count * 8,
                         error);
}

armnn_status_t armnn_f32_layer_normalization__ref(const armnn_kernel_call_t* call,
                                                  armnn_error_t* error) {
  const armnn_layer_normalization_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_layer_normalization_descriptor_t);
  return run(call, d->axis, d->eps, 1, error);
}

armnn_status_t armnn_f32_rms_normalization__ref(const armnn_kernel_call_t* call,
                                                armnn_error_t* error) {
  const armnn_rms_normalization_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_rms_normalization_descriptor_t);
  return run(call, d->axis, d->eps, 0, error);
}
