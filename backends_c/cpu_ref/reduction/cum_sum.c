/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * cum_sum.c - CUM_SUM along one axis, forwards or from the end.
 *
 * float32 and float64 are accumulated in double, integers in their own bits, which wrap; of
 * booleans a sum is or, as in numpy.
 * Neighbouring lines go along the axis together (axis.h). The output may lie over the input.
 */
#include "kernels.h"
#include "shared/axis.h"
#include "shared/by_type.h"
#include "tensor_shape.h"

typedef struct sum_job_t {
  const void* x;
  void* out;
  armnn_i_ref_axis_t view;
  int exclusive, reverse;
} sum_job_t;

/* Defines the body for elements T and accumulators A; |sum| is written in before and value. Items
 * are groups of lines. */
#define DEFINE_SUMS(name, T, A, sum)                                                              \
  static armnn_status_t name(void* argument, uint64_t begin, uint64_t end,                        \
                             uint32_t thread_index) {                                             \
    (void)thread_index;                                                                           \
    const sum_job_t* job = (const sum_job_t*)argument;                                            \
    const uint64_t length = job->view.length;                                                     \
    for (uint64_t group = begin; group < end; ++group) {                                          \
      const armnn_i_ref_lanes_t lanes = armnn_i_ref_lanes(&job->view, group);                     \
      A sums[ARMNN_REF_LANES] = {0};                                                              \
      for (uint64_t i = 0; i < length; ++i) {                                                     \
        const uint64_t row = lanes.start + (job->reverse ? length - 1 - i : i) * job->view.inner; \
        const T* x = (const T*)job->x + row;                                                      \
        T* out = (T*)job->out + row;                                                              \
        for (uint64_t j = 0; j < lanes.count; ++j) {                                              \
          const A before = sums[j];                                                               \
          const A value = (A)x[j];                                                                \
          sums[j] = (A)(sum);                                                                     \
          out[j] = (T)(job->exclusive ? before : sums[j]);                                        \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
    return ARMNN_STATUS_OK;                                                                       \
  }

DEFINE_SUMS(sums_f32, float, double, before + value)
DEFINE_SUMS(sums_s32, int32_t, uint32_t, before + value)
DEFINE_SUMS(sums_s64, int64_t, uint64_t, before + value)
DEFINE_SUMS(sums_f64, double, double, before + value)
DEFINE_SUMS(sums_u32, uint32_t, uint32_t, before + value)
DEFINE_SUMS(sums_u64, uint64_t, uint64_t, before + value)
DEFINE_SUMS(sums_b8, uint8_t, uint8_t, (before != 0) | (value != 0))

static armnn_status_t run(const armnn_kernel_call_t* call, armnn_range_fn_t sums) {
  const armnn_cum_sum_descriptor_t* d = ARMNN_DESCRIPTOR(call->info, armnn_cum_sum_descriptor_t);
  const armnn_tensor_info_t* x = ARMNN_IN_INFO(call, 0);
  sum_job_t job = {call->inputs[0], call->outputs[0],
                   armnn_i_ref_axis(x, armnn_axis(d->axis, x->rank)), d->exclusive != 0,
                   d->reverse != 0};
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  return armnn_parallel_for(call->host, sums, &job, armnn_i_ref_lane_groups(&job.view),
                            16384 / (job.view.length + 1) + 1, 0);
}

ARMNN_REF_DEFINE_KERNEL(f32, cum_sum, run(call, sums_f32))
ARMNN_REF_DEFINE_KERNEL(f64, cum_sum, run(call, sums_f64))
ARMNN_REF_DEFINE_KERNEL(s32, cum_sum, run(call, sums_s32))
ARMNN_REF_DEFINE_KERNEL(s64, cum_sum, run(call, sums_s64))
ARMNN_REF_DEFINE_KERNEL(u32, cum_sum, run(call, sums_u32))
ARMNN_REF_DEFINE_KERNEL(u64, cum_sum, run(call, sums_u64))
ARMNN_REF_DEFINE_KERNEL(b8, cum_sum, run(call, sums_b8))
