/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * elementwise_unary.c - ELEMENTWISE_UNARY.
 *
 * Rows of elements are those of unary_rows.h, which says what they give; real numbers other than
 * float32 and float64 are widened (widened.h).
 */
#include "kernels.h"
#include "shared/by_type.h"
#include "tensor_shape.h"
#include "unary_rows.h"

/* Types without rows are widened to float32. */
static armnn_unary_row_fn_t find_row(int32_t operation, int32_t data_type) {
  switch (data_type) {
    case ARMNN_DATA_TYPE_FLOAT64:
    case ARMNN_DATA_TYPE_SIGNED32:
    case ARMNN_DATA_TYPE_SIGNED64:
    case ARMNN_DATA_TYPE_UNSIGNED16:
    case ARMNN_DATA_TYPE_UNSIGNED32:
    case ARMNN_DATA_TYPE_UNSIGNED64:
    case ARMNN_DATA_TYPE_BOOLEAN:
      return armnn_unary_row(data_type, operation);
    default:
      return armnn_unary_row(ARMNN_DATA_TYPE_FLOAT32, operation);
  }
}

armnn_status_t armnn_i_ref_elementwise_unary_supports(const armnn_layer_query_t* query,
                                                      armnn_error_t* reason) {
  const int32_t operation =
      ARMNN_DESCRIPTOR(query, armnn_elementwise_unary_descriptor_t)->operation;
  const int32_t data_type = query->input_infos[0]->data_type;
  if (find_row(operation, data_type) != NULL) return ARMNN_STATUS_OK;
  return ARMNN_RULE_REFUSE(reason, "%s has no kernel for %s",
                           armnn_operation_name(query->type, operation),
                           armnn_data_type_name(data_type));
}

typedef struct unary_job_t {
  armnn_unary_row_fn_t row;
  unsigned char* out;
  const unsigned char* x;
  uint64_t element_size;
} unary_job_t;

static armnn_status_t unary_range(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const unary_job_t* job = (const unary_job_t*)argument;
  job->row(job->out + begin * job->element_size, job->x + begin * job->element_size, end - begin);
  return ARMNN_STATUS_OK;
}

static armnn_status_t run(const armnn_kernel_call_t* call, armnn_unary_row_fn_t row,
                          uint64_t grain) {
  unary_job_t job = {row, ARMNN_OUT(call, 0, unsigned char), ARMNN_IN(call, 0, unsigned char),
                     armnn_data_type_size(ARMNN_OUT_INFO(call, 0)->data_type)};
  return armnn_parallel_for(call->host, unary_range, &job, ARMNN_COUNT(call), grain, 0);
}

static armnn_status_t run_operation(const armnn_kernel_call_t* call) {
  int32_t operation = ARMNN_DESCRIPTOR(call->info, armnn_elementwise_unary_descriptor_t)->operation;
  return run(call, find_row(operation, ARMNN_IN_INFO(call, 0)->data_type),
             armnn_unary_is_slow(operation) ? 2048 : 16384);
}

ARMNN_REF_DEFINE_KERNEL(f32, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(f64, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(s32, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(s64, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(u16, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(u32, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(u64, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(b8, elementwise_unary, run_operation(call))
