/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * activation.c - ACTIVATION: functions of one variable, NaN in gives NaN out.
 */
#include <math.h>

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
