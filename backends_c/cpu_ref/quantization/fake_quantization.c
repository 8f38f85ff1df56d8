/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fake_quantization.c - FAKE_QUANTIZATION: real numbers as a quantised tensor of 256 steps between
 * two bounds would hold them. The bounds move such that 0 is one of the steps, as TensorFlow has
 * it.
 */
#include <math.h>

#include "kernels.h"

typedef struct steps_job_t {
  const float* x;
  float* out;
  float step, least, most; /* the bounds where they moved to */
} steps_job_t;

static armnn_status_t round_range(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const steps_job_t* job = (const steps_job_t*)argument;
  for (uint64_t i = begin; i < end; ++i) {
    const float x = job->x[i];
    const float inside = x < job->least ? job->least : x > job->most ? job->most : x; /* or NaN */
    job->out[i] = floorf((inside - job->least) / job->step + 0.5f) * job->step + job->least;
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_fake_quantization__ref(const armnn_kernel_call_t* call,
                                                armnn_error_t* error) {
  (void)error;
  const armnn_fake_quantization_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_fake_quantization_descriptor_t);
  const float steps = 255.0f, step = (d->max - d->min) / steps;
  const float zero = -d->min / step;
  const float place = zero < 0.0f ? 0.0f : zero > steps ? steps : floorf(zero + 0.5f);
  steps_job_t job = {ARMNN_IN(call, 0, float), ARMNN_OUT(call, 0, float), step, -place * step,
                     (steps - place) * step};
  return armnn_parallel_for(call->host, round_range, &job, ARMNN_COUNT(call), 8192, 0);
}
