/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * one_hot.c - ONE_HOT: values of any type along a new axis. An index beyond the axis marks nothing.
 */
#include "indices.h"
#include "kernels.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

typedef struct one_hot_job_t {
  const void* indices;
  const void* values[2]; /* off, on */
  unsigned char* out;
  int32_t index_type;
  uint64_t depth, inner;
  uint32_t size;
} one_hot_job_t;

/* Items are elements of the output. */
static armnn_status_t mark_range(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const one_hot_job_t* job = (const one_hot_job_t*)argument;
  uint64_t inner = begin % job->inner, place = begin / job->inner % job->depth;
  uint64_t outer = begin / job->inner / job->depth;
  for (uint64_t i = begin; i < end; ++i) {
    int64_t index = armnn_index(job->indices, job->index_type, outer * job->inner + inner);
    if (index < 0) index += (int64_t)job->depth;
    memcpy(job->out + i * job->size, job->values[index == (int64_t)place], job->size);
    if (++inner < job->inner) continue;
    inner = 0;
    if (++place < job->depth) continue;
    place = 0;
    ++outer;
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_one_hot__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_tensor_info_t* out = ARMNN_OUT_INFO(call, 0);
  const uint32_t axis =
      armnn_axis(ARMNN_DESCRIPTOR(call->info, armnn_one_hot_descriptor_t)->axis, out->rank);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  one_hot_job_t job = {call->inputs[0],
                       {call->inputs[2], call->inputs[1]},
                       ARMNN_OUT(call, 0, unsigned char),
                       ARMNN_IN_INFO(call, 0)->data_type,
                       out->dims[axis],
                       armnn_dims_product(out->dims, axis + 1, out->rank),
                       armnn_data_type_size(out->data_type)};
  return armnn_parallel_for(call->host, mark_range, &job, ARMNN_COUNT(call),
                            ARMNN_COPY_GRAIN_BYTES / 4, 0);
}
