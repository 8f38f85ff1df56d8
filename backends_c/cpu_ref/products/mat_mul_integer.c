/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * mat_mul_integer.c - MAT_MUL_INTEGER: matrices of bytes less their zero points, in 32 bits that
 * wrap around.
 */
#include "kernels.h"
#include "shared/work.h"
#include "tensor_shape.h"

enum { X, Y, X_POINT, Y_POINT, OPERANDS };

typedef struct integer_job_t {
  const armnn_kernel_call_t* call;
  const armnn_tensor_info_t* out_info;
  uint64_t rows, depth, columns;
  uint32_t batch_rank;
  int64_t strides[OPERANDS][ARMNN_MAX_DIMS]; /* over the output's dimensions; 0 where absent */
  int64_t x_depth, y_depth;
  int is_signed[2]; /* x and y */
} integer_job_t;

static int32_t number_at(const integer_job_t* job, uint32_t operand, int64_t at) {
  const uint8_t byte = ARMNN_IN(job->call, operand, uint8_t)[at];
  return job->is_signed[operand % 2] ? (int8_t)byte : byte;
}

static int32_t point_at(const integer_job_t* job, uint32_t operand, int64_t at) {
  const int is_there =
      job->call->info->input_count > operand && ARMNN_IN_INFO(job->call, operand) != NULL;
  return is_there ? number_at(job, operand, at) : 0;
}

/* One row of one product. */
static void multiply_row(const integer_job_t* job, const int64_t* at, uint32_t* out) {
  const int64_t step = job->strides[Y][job->batch_rank + 1];
  const int64_t point_step = job->strides[Y_POINT][job->batch_rank + 1];
  const int32_t x_point = point_at(job, X_POINT, at[X_POINT]);
  for (uint64_t n = 0; n < job->columns; ++n) out[n] = 0;
  for (uint64_t k = 0; k < job->depth; ++k) {
    const int64_t x_at = at[X] + (int64_t)k * job->x_depth;
    const int64_t y_at = at[Y] + (int64_t)k * job->y_depth;
    const int32_t x = number_at(job, X, x_at) - x_point;
    for (uint64_t n = 0; n < job->columns; ++n) {
      const int32_t y = number_at(job, Y, y_at + (int64_t)n * step) -
                        point_at(job, Y_POINT, at[Y_POINT] + (int64_t)n * point_step);
      out[n] += (uint32_t)(x * y);
    }
  }
}

static armnn_status_t multiply_rows(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) {
  (void)thread_index;
  const integer_job_t* job = (const integer_job_t*)argument;
  for (uint64_t row = begin; row < end; ++row) {
    int64_t at[OPERANDS] = {0};
    uint64_t rest = row;
    for (uint32_t d = job->batch_rank + 1; d-- > 0;) {
      const int64_t index = (int64_t)(rest % job->out_info->dims[d]);
      rest /= job->out_info->dims[d];
      for (uint32_t o = 0; o < OPERANDS; ++o) at[o] += index * job->strides[o][d];
    }
    multiply_row(job, at, ARMNN_OUT(job->call, 0, uint32_t) + row * job->columns);
  }
  return ARMNN_STATUS_OK;
}

/* Strides of an operand over the output's dimensions, where |summed| of its own counts as 1. */
static void set_strides(integer_job_t* job, uint32_t operand, uint32_t summed) {
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(job->call, operand);
  int64_t stride = 1;
  for (uint32_t i = 0; i < info->rank; ++i) {
    const uint32_t own = info->rank - 1 - i;
    const int is_summed = i == summed && operand < X_POINT;
    if (!is_summed && info->dims[own] != 1) {
      job->strides[operand][job->out_info->rank - 1 - i] = stride;
    }
    stride *= (int64_t)info->dims[own];
  }
}

armnn_status_t armnn_any_mat_mul_integer__ref(const armnn_kernel_call_t* call,
                                              armnn_error_t* error) {
  const armnn_tensor_info_t *x = ARMNN_IN_INFO(call, X), *y = ARMNN_IN_INFO(call, Y),
                            *out = ARMNN_OUT_INFO(call, 0);
  integer_job_t job = {.call = call,
                       .out_info = out,
                       .rows = out->dims[out->rank - 2],
                       .depth = x->dims[x->rank - 1],
                       .columns = out->dims[out->rank - 1],
                       .batch_rank = out->rank - 2,
                       .x_depth = 1,
                       .y_depth = (int64_t)y->dims[y->rank - 1],
                       .is_signed = {x->data_type != ARMNN_DATA_TYPE_QASYMM_U8,
                                     y->data_type != ARMNN_DATA_TYPE_QASYMM_U8}};
  if (out->element_count == 0) return ARMNN_STATUS_OK;
  for (uint32_t o = 0; o < OPERANDS; ++o) {
    if (o < call->info->input_count && ARMNN_IN_INFO(call, o) != NULL) set_strides(&job, o, o % 2);
  }
  return armnn_i_ref_run(call, multiply_rows, &job, out->element_count / job.columns,
                         job.depth * job.columns * 4, error);
}
