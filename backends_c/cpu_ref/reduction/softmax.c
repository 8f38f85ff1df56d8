/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * softmax.c - SOFTMAX and LOG_SOFTMAX along any axis. The largest value of a line is taken off
 * first, so that no exponential overflows. Works in place.
 */
#include <math.h>

#include "kernels.h"
#include "shared/axis.h"
#include "shared/work.h"
#include "tensor_shape.h"

typedef struct softmax_job_t {
  const armnn_kernel_call_t* call;
  const float* x;
  float* y;
  armnn_i_ref_axis_t view;
  float beta;
  int logarithm;
} softmax_job_t;

/* Items are groups of lines; three passes along each: maximum, sum of exponentials, result. */
static armnn_status_t softmax_lines(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) {
  (void)thread_index;
  const softmax_job_t* job = (const softmax_job_t*)argument;
  const float beta = job->beta;
  const uint64_t stride = job->view.inner;
  for (uint64_t item = begin; item < end; ++item) {
    const armnn_i_ref_lanes_t lanes = armnn_i_ref_lanes(&job->view, item);
    const float* x = job->x + lanes.start;
    float* y = job->y + lanes.start;
    float top[ARMNN_REF_LANES], factor[ARMNN_REF_LANES];
    double sum[ARMNN_REF_LANES];
    for (uint64_t i = 0; i < lanes.count; ++i) {
      top[i] = beta * x[i];
      sum[i] = 0.0;
    }
    for (uint64_t a = 1; a < job->view.length; ++a) {
      for (uint64_t i = 0; i < lanes.count; ++i) {
        const float t = beta * x[a * stride + i];
        top[i] = t > top[i] ? t : top[i];
      }
    }
    for (uint64_t a = 0; a < job->view.length; ++a) {
      for (uint64_t i = 0; i < lanes.count; ++i) {
        const float t = beta * x[a * stride + i] - top[i];
        const float power = expf(t);
        y[a * stride + i] = job->logarithm ? t : power;
        sum[i] += power;
      }
    }
    for (uint64_t i = 0; i < lanes.count; ++i) {
      factor[i] = (float)(job->logarithm ? log(sum[i]) : 1.0 / sum[i]);
    }
    for (uint64_t a = 0; a < job->view.length; ++a) {
      float* line = y + a * stride;
      if (job->logarithm) {
        for (uint64_t i = 0; i < lanes.count; ++i) line[i] -= factor[i];
      } else {
        for (uint64_t i = 0; i < lanes.count; ++i) line[i] *= factor[i];
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t run(const armnn_kernel_call_t* call, int logarithm, armnn_error_t* error) {
  const armnn_softmax_descriptor_t* d = ARMNN_DESCRIPTOR(call->info, armnn_softmax_descriptor_t);
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(call, 0);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  softmax_job_t job = {call,
                       ARMNN_IN(call, 0, float),
                       ARMNN_OUT(call, 0, float),
                       armnn_i_ref_axis(info, armnn_axis(d->axis, info->rank)),
                       d->beta,
                       logarithm};
  return armnn_i_ref_run(call, softmax_lines, &job, armnn_i_ref_lane_groups(&job.view),
                         job.view.length * 8, error);
}

armnn_status_t armnn_f32_softmax__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return run(call, 0, error);
}

armnn_status_t armnn_f32_log_softmax__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return run(call, 1, error);
}
