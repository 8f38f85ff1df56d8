/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rotary_embedding.c - ROTARY_EMBEDDING: pairs of numbers of each row turned by the angles of its
 * position. Works in place.
 */
#include "kernels.h"
#include "tensor_walk.h"

typedef struct rotary_job_t {
  armnn_walk_t walk; /* over rows: where the angles of each lie */
  const float *x, *cosine, *sine;
  float* y;
  uint64_t width, pairs;
  int interleaved;
} rotary_job_t;

static void turn_row(const rotary_job_t* job, uint64_t row, const float* cosine,
                     const float* sine) {
  const float* x = job->x + row * job->width;
  float* y = job->y + row * job->width;
  const uint64_t step = job->interleaved ? 2 : 1, second = job->interleaved ? 1 : job->pairs;
  for (uint64_t i = 0; i < job->pairs; ++i) {
    const float a = x[i * step], b = x[i * step + second];
    y[i * step] = a * cosine[i] - b * sine[i];
    y[i * step + second] = b * cosine[i] + a * sine[i];
  }
  for (uint64_t i = 2 * job->pairs; i < job->width; ++i) y[i] = x[i];
}

static armnn_status_t turn_rows(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const rotary_job_t* job = (const rotary_job_t*)argument;
  const int64_t step = armnn_walk_inner(&job->walk, 0);
  armnn_walker_t walker;
  armnn_walker_start(&walker, &job->walk, begin, end);
  while (armnn_walker_next(&walker)) {
    for (int64_t i = 0; i < (int64_t)walker.span; ++i) {
      const int64_t angles = walker.offsets[0] + i * step;
      turn_row(job, walker.position + (uint64_t)i, job->cosine + angles, job->sine + angles);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_rotary_embedding__ref(const armnn_kernel_call_t* call,
                                               armnn_error_t* error) {
  (void)error;
  const armnn_tensor_info_t *info = ARMNN_IN_INFO(call, 0), *angles = ARMNN_IN_INFO(call, 1);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  rotary_job_t job = {
      .x = ARMNN_IN(call, 0, float),
      .cosine = ARMNN_IN(call, 1, float),
      .sine = ARMNN_IN(call, 2, float),
      .y = ARMNN_OUT(call, 0, float),
      .width = info->dims[info->rank - 1],
      .pairs = angles->dims[angles->rank - 1],
      .interleaved =
          ARMNN_DESCRIPTOR(call->info, armnn_rotary_embedding_descriptor_t)->interleaved != 0};
  uint64_t dims[ARMNN_MAX_DIMS];
  memcpy(dims, info->dims, info->rank * sizeof dims[0]);
  dims[info->rank - 1] = job.pairs;
  armnn_walk_init(&job.walk, info->rank - 1, dims, 1);
  armnn_broadcast_strides(angles, info->rank, dims, job.walk.strides[0]);
  armnn_walk_collapse(&job.walk);
  return armnn_parallel_for(call->host, turn_rows, &job, job.walk.count, 16384 / job.width + 1, 0);
}
