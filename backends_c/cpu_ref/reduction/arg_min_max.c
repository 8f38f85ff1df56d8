/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * arg_min_max.c - ARG_MIN_MAX along one axis.
 *
 * Rows of results are searched by search_rows.h, which says what wins.
 */
#include "kernels.h"
#include "search_rows.h"
#include "tensor_shape.h"

typedef struct search_job_t {
  armnn_search_fn_t search;
  const unsigned char* x;
  unsigned char* out;
  uint64_t length, inner, element_size;
  int32_t output_type;
} search_job_t;

/* Result r is that of outer index r / inner and inner index r % inner. */
static armnn_status_t search_range(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  (void)thread_index;
  const search_job_t* job = (const search_job_t*)argument;
  int64_t index[ARMNN_SEARCH_TILE];
  uint64_t count = 0;
  for (uint64_t result = begin; result < end; result += count) {
    uint64_t inner = result % job->inner;
    uint64_t first = result / job->inner * job->length * job->inner + inner;
    count = job->inner - inner;
    if (count > end - result) count = end - result;
    if (count > ARMNN_SEARCH_TILE) count = ARMNN_SEARCH_TILE;
    job->search(job->x + first * job->element_size, job->length, job->inner, count, index);
    armnn_store_found(index, count, job->output_type,
                      job->out + result * armnn_data_type_size(job->output_type));
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t run(const armnn_kernel_call_t* call) {
  const armnn_arg_min_max_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_arg_min_max_descriptor_t);
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  const uint32_t axis = armnn_axis(descriptor->axis, input->rank);
  search_job_t job = {armnn_search(input->data_type, descriptor->function),
                      ARMNN_IN(call, 0, unsigned char),
                      ARMNN_OUT(call, 0, unsigned char),
                      input->dims[axis],
                      armnn_dims_product(input->dims, axis + 1, input->rank),
                      armnn_data_type_size(input->data_type),
                      ARMNN_OUT_INFO(call, 0)->data_type};
  return armnn_parallel_for(call->host, search_range, &job, ARMNN_COUNT(call),
                            16384 / (job.length + 1) + 1, 0);
}

#define DEFINE_ARG_MIN_MAX(suffix)                                                  \
  armnn_status_t armnn_##suffix##_arg_min_max__ref(const armnn_kernel_call_t* call, \
                                                   armnn_error_t* error) {          \
    (void)error;                                                                    \
    return run(call);                                                               \
  }

DEFINE_ARG_MIN_MAX(f32)
DEFINE_ARG_MIN_MAX(f64)
DEFINE_ARG_MIN_MAX(s32)
DEFINE_ARG_MIN_MAX(s64)
DEFINE_ARG_MIN_MAX(u16)
DEFINE_ARG_MIN_MAX(u32)
DEFINE_ARG_MIN_MAX(u64)
DEFINE_ARG_MIN_MAX(b8)
