/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * select.c - SELECT: elements of any type, chosen by a boolean; all three operands broadcast.
 */
#include "kernels.h"
#include "tensor_walk.h"

enum { CONDITION, X, Y };

typedef struct select_job_t {
  armnn_walk_t walk; /* over the operands; the output lies densely */
  const uint8_t* condition;
  const unsigned char *x, *y;
  unsigned char* out;
  uint64_t size; /* of an element */
} select_job_t;

static armnn_status_t select_range(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  (void)thread_index;
  const select_job_t* job = (const select_job_t*)argument;
  int64_t steps[3];
  for (uint32_t o = 0; o < 3; ++o) steps[o] = armnn_walk_inner(&job->walk, o);
  armnn_walker_t walker;
  armnn_walker_start(&walker, &job->walk, begin, end);
  while (armnn_walker_next(&walker)) {
    unsigned char* out = job->out + walker.position * job->size;
    for (int64_t i = 0; i < (int64_t)walker.span; ++i) {
      const int holds = job->condition[walker.offsets[CONDITION] + i * steps[CONDITION]] != 0;
      const int64_t at = walker.offsets[holds ? X : Y] + i * steps[holds ? X : Y];
      memcpy(out + (uint64_t)i * job->size, (holds ? job->x : job->y) + (uint64_t)at * job->size,
             job->size);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_b8_select__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  select_job_t job = {.condition = ARMNN_IN(call, CONDITION, uint8_t),
                      .x = ARMNN_IN(call, X, unsigned char),
                      .y = ARMNN_IN(call, Y, unsigned char),
                      .out = ARMNN_OUT(call, 0, unsigned char),
                      .size = armnn_data_type_size(output->data_type)};
  armnn_walk_init(&job.walk, output->rank, output->dims, 3);
  for (uint32_t o = 0; o < 3; ++o) {
    armnn_broadcast_strides(ARMNN_IN_INFO(call, o), output->rank, output->dims,
                            job.walk.strides[o]);
  }
  armnn_walk_collapse(&job.walk);
  return armnn_parallel_for(call->host, select_range, &job, job.walk.count, 16384, 0);
}
