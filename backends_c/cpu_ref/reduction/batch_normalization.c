/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * batch_normalization.c - BATCH_NORMALIZATION for any rank:
 * (x - mean) * gamma / sqrt(variance + eps) + beta. Works in place.
 */
#include <math.h>

#include "kernels.h"
#include "shared/axis.h"
#include "shared/work.h"

typedef struct normalization_job_t {
  const armnn_kernel_call_t* call;
  armnn_i_ref_axis_t view;
  float eps;
} normalization_job_t;

static float scale_of(const normalization_job_t* job, uint64_t channel) {
  return ARMNN_IN(job->call, 4, float)[channel] /
         sqrtf(ARMNN_IN(job->call, 2, float)[channel] + job->eps);
}

/* Items are planes of one channel. */
static armnn_status_t normalize_planes(void* argument, uint64_t begin, uint64_t end,
                                       uint32_t thread_index) {
  (void)thread_index;
  const normalization_job_t* job = (const normalization_job_t*)argument;
  for (uint64_t item = begin; item < end; ++item) {
    const uint64_t channel = item % job->view.length;
    const float mean = ARMNN_IN(job->call, 1, float)[channel];
    const float beta = ARMNN_IN(job->call, 3, float)[channel];
    const float scale = scale_of(job, channel);
    const float* x = ARMNN_IN(job->call, 0, float) + item * job->view.inner;
    float* y = ARMNN_OUT(job->call, 0, float) + item * job->view.inner;
    for (uint64_t i = 0; i < job->view.inner; ++i) y[i] = (x[i] - mean) * scale + beta;
  }
  return ARMNN_STATUS_OK;
}

/* Items are pixels, whose channels lie side by side; inside: channels in blocks, pixel, channel. */
static armnn_status_t normalize_pixels(void* argument, uint64_t begin, uint64_t end,
                                       uint32_t thread_index) {
  (void)thread_index;
  const normalization_job_t* job = (const normalization_job_t*)argument;
  float mean[ARMNN_REF_LANES], scale[ARMNN_REF_LANES], beta[ARMNN_REF_LANES];
  for (uint64_t channel = 0; channel < job->view.length; channel += ARMNN_REF_LANES) {
    const uint64_t left = job->view.length - channel;
    const uint64_t count = left < ARMNN_REF_LANES ? left : ARMNN_REF_LANES;
    for (uint64_t c = 0; c < count; ++c) {
      mean[c] = ARMNN_IN(job->call, 1, float)[channel + c];
      beta[c] = ARMNN_IN(job->call, 3, float)[channel + c];
      scale[c] = scale_of(job, channel + c);
    }
    for (uint64_t item = begin; item < end; ++item) {
      const float* x = ARMNN_IN(job->call, 0, float) + item * job->view.length + channel;
      float* y = ARMNN_OUT(job->call, 0, float) + item * job->view.length + channel;
      for (uint64_t c = 0; c < count; ++c) y[c] = (x[c] - mean[c]) * scale[c] + beta[c];
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_batch_normalization__ref(const armnn_kernel_call_t* call,
                                                  armnn_error_t* error) {
  const armnn_batch_normalization_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_batch_normalization_descriptor_t);
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(call, 0);
  normalization_job_t job = {
      call, armnn_i_ref_axis(info, armnn_i_ref_channel_axis(info, d->data_layout)), d->eps};
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  if (job.view.inner == 1) {
    return armnn_i_ref_run(call, normalize_pixels, &job, job.view.outer, job.view.length * 2,
                           error);
  }
  return armnn_i_ref_run(call, normalize_planes, &job, job.view.outer * job.view.length,
                         job.view.inner * 2, error);
}
