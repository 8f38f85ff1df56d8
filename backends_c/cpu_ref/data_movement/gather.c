/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gather.c - GATHER along an axis and GATHER_ND.
 *
 * Indices are checked before anything is read, see indices.h.
 */
#include "indices.h"
#include "kernels.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

/* ---- Gather ---------------------------------------------------------------------------------- */

typedef struct gather_job_t {
  const unsigned char* params;
  const void* indices;
  unsigned char* out;
  int32_t index_type;
  uint64_t index_count, dim;
  uint64_t piece; /* bytes behind one index */
} gather_job_t;

/* Works on [begin, end) of (outer dimensions x indices). */
static armnn_status_t gather_range(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  (void)thread_index;
  const gather_job_t* job = (const gather_job_t*)argument;
  for (uint64_t i = begin; i < end; ++i) {
    const uint64_t from = armnn_index_offset(job->indices, job->index_type, i % job->index_count,
                                             &job->dim, 1, &job->piece);
    memcpy(job->out + i * job->piece,
           job->params + i / job->index_count * job->dim * job->piece + from, (size_t)job->piece);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_gather__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t* params = ARMNN_IN_INFO(call, 0);
  const armnn_tensor_info_t* indices = ARMNN_IN_INFO(call, 1);
  const uint32_t axis =
      armnn_axis(ARMNN_DESCRIPTOR(call->info, armnn_gather_descriptor_t)->axis, params->rank);
  gather_job_t job = {ARMNN_IN(call, 0, unsigned char),
                      call->inputs[1],
                      ARMNN_OUT(call, 0, unsigned char),
                      indices->data_type,
                      indices->element_count,
                      params->dims[axis],
                      armnn_dims_product(params->dims, axis + 1, params->rank) *
                          armnn_data_type_size(params->data_type)};
  ARMNN_RETURN_IF_ERROR(armnn_check_indices(job.indices, indices->data_type, indices->element_count,
                                            &params->dims[axis], 1, axis, error));
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  return armnn_parallel_for(call->host, gather_range, &job,
                            armnn_dims_product(params->dims, 0, axis) * job.index_count,
                            ARMNN_COPY_GRAIN_BYTES / job.piece + 1, 0);
}

/* ---- Gather ND ------------------------------------------------------------------------------- */

typedef struct gather_nd_job_t {
  const unsigned char* params;
  const void* indices;
  unsigned char* out;
  int32_t index_type;
  uint32_t depth;
  uint64_t piece;
  const uint64_t* dims;
  uint64_t strides[ARMNN_MAX_DIMS]; /* in bytes */
} gather_nd_job_t;

static armnn_status_t gather_nd_range(void* argument, uint64_t begin, uint64_t end,
                                      uint32_t thread_index) {
  (void)thread_index;
  const gather_nd_job_t* job = (const gather_nd_job_t*)argument;
  for (uint64_t i = begin; i < end; ++i) {
    const uint64_t offset =
        armnn_index_offset(job->indices, job->index_type, i, job->dims, job->depth, job->strides);
    memcpy(job->out + i * job->piece, job->params + offset, (size_t)job->piece);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_gather_nd__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t* params = ARMNN_IN_INFO(call, 0);
  const armnn_tensor_info_t* indices = ARMNN_IN_INFO(call, 1);
  uint32_t depth = (uint32_t)indices->dims[indices->rank - 1];
  uint64_t size = armnn_data_type_size(params->data_type);
  gather_nd_job_t job;
  int64_t strides[ARMNN_MAX_DIMS];
  job.params = ARMNN_IN(call, 0, unsigned char);
  job.indices = call->inputs[1];
  job.out = ARMNN_OUT(call, 0, unsigned char);
  job.index_type = indices->data_type;
  job.depth = depth;
  job.piece = armnn_dims_product(params->dims, depth, params->rank) * size;
  job.dims = params->dims;
  armnn_dense_strides(params->dims, params->rank, strides);
  for (uint32_t d = 0; d < params->rank; ++d) job.strides[d] = (uint64_t)strides[d] * size;
  ARMNN_RETURN_IF_ERROR(armnn_check_indices(job.indices, indices->data_type, indices->element_count,
                                            params->dims, depth, 0, error));
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  return armnn_parallel_for(call->host, gather_nd_range, &job,
                            armnn_dims_product(indices->dims, 0, indices->rank - 1),
                            ARMNN_COPY_GRAIN_BYTES / job.piece + 1, 0);
}
