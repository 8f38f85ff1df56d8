/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * broadcast.c - checks and loops of the operations on two operands; see broadcast.h.
 */
#include "broadcast.h"

#include "tensor_shape.h"
#include "tensor_walk.h"

typedef struct broadcast_job_t {
  armnn_walk_t walk; /* operands: output, x, y */
  armnn_i_ref_binary_row_fn_t row;
  unsigned char* out;
  const unsigned char* x;
  const unsigned char* y;
  int64_t out_size, in_size; /* bytes of an element */
} broadcast_job_t;

static armnn_status_t broadcast_range(void* argument, uint64_t begin, uint64_t end,
                                      uint32_t thread_index) {
  (void)thread_index;
  const broadcast_job_t* job = (const broadcast_job_t*)argument;
  int64_t x_stride = armnn_walk_inner(&job->walk, 1);
  int64_t y_stride = armnn_walk_inner(&job->walk, 2);
  armnn_walker_t walker;
  armnn_walker_start(&walker, &job->walk, begin, end);
  while (armnn_walker_next(&walker)) {
    job->row(job->out + walker.offsets[0] * job->out_size,
             job->x + walker.offsets[1] * job->in_size, job->y + walker.offsets[2] * job->in_size,
             walker.span, x_stride, y_stride);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_run_broadcast(const armnn_kernel_call_t* call,
                                         armnn_i_ref_binary_row_fn_t row, uint64_t grain) {
  const armnn_tensor_info_t* x = ARMNN_IN_INFO(call, 0);
  const armnn_tensor_info_t* y = ARMNN_IN_INFO(call, 1);
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  broadcast_job_t job;
  job.row = row;
  job.out = ARMNN_OUT(call, 0, unsigned char);
  job.x = ARMNN_IN(call, 0, unsigned char);
  job.y = ARMNN_IN(call, 1, unsigned char);
  job.out_size = armnn_data_type_size(output->data_type);
  job.in_size = armnn_data_type_size(x->data_type);
  armnn_walk_init(&job.walk, output->rank, output->dims, 3);
  armnn_dense_strides(output->dims, output->rank, job.walk.strides[0]);
  armnn_broadcast_strides(x, output->rank, output->dims, job.walk.strides[1]);
  armnn_broadcast_strides(y, output->rank, output->dims, job.walk.strides[2]);
  armnn_walk_collapse(&job.walk);
  return armnn_parallel_for(call->host, broadcast_range, &job, job.walk.count, grain, 0);
}
