/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * batch_mat_mul.c - BATCH_MAT_MUL: the last two dimensions multiply, the others broadcast. A vector
 * is a row on the left and a column on the right, and its added dimension does not show in the
 * output, as in numpy's matmul.
 *
 * Integers and float64: matrix_wide.c. Quantised: the integer arithmetic of TensorFlow Lite's
 * specification, see levels.h.
 */
#include "kernels.h"
#include "matrix.h"
#include "tensor_shape.h"

/* The matrices of one operand, after transposition. */
typedef struct operand_t {
  uint64_t rows, columns;
  int64_t row_stride, column_stride;
  uint32_t batch_rank;
} operand_t;

static operand_t operand_of(const armnn_tensor_info_t* info, int is_right, int transposed) {
  operand_t operand;
  if (info->rank == 1) {
    operand.rows = is_right ? info->dims[0] : 1;
    operand.columns = is_right ? 1 : info->dims[0];
    operand.row_stride = operand.column_stride = 1;
    operand.batch_rank = 0;
    return operand;
  }
  const uint64_t *dims = info->dims + info->rank - 2, stride = dims[1];
  operand.rows = dims[transposed ? 1 : 0];
  operand.columns = dims[transposed ? 0 : 1];
  operand.row_stride = transposed ? 1 : (int64_t)stride;
  operand.column_stride = transposed ? (int64_t)stride : 1;
  operand.batch_rank = info->rank - 2;
  return operand;
}

/* Strides over the output's batch dimensions; 0 along those that the operand repeats. */
static void batch_strides(const armnn_tensor_info_t* info, const operand_t* operand,
                          const armnn_i_ref_matrix_t* job, int64_t* out_strides) {
  int64_t stride = (int64_t)(operand->rows * operand->columns);
  for (uint32_t i = 1; i <= job->batch_rank; ++i) {
    const int64_t own = i <= operand->batch_rank ? (int64_t)info->dims[operand->batch_rank - i] : 1;
    out_strides[job->batch_rank - i] = own == 1 ? 0 : stride;
    stride *= own;
  }
}

static armnn_status_t run(const armnn_kernel_call_t* call, const armnn_i_ref_levels_t* levels,
                          armnn_error_t* error) {
  const armnn_batch_mat_mul_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_batch_mat_mul_descriptor_t);
  const operand_t left = operand_of(ARMNN_IN_INFO(call, 0), 0, d->transpose_x || d->adjoint_x);
  const operand_t right = operand_of(ARMNN_IN_INFO(call, 1), 1, d->transpose_y || d->adjoint_y);
  const uint32_t batch_rank =
      left.batch_rank > right.batch_rank ? left.batch_rank : right.batch_rank;
  armnn_i_ref_matrix_t job = {.call = call,
                              .x = ARMNN_IN(call, 0, float),
                              .y = ARMNN_IN(call, 1, float),
                              .out = ARMNN_OUT(call, 0, float),
                              .levels = levels,
                              .rows = (int64_t)left.rows,
                              .depth = (int64_t)left.columns,
                              .columns = (int64_t)right.columns,
                              .x_row = left.row_stride,
                              .x_depth = left.column_stride,
                              .y_depth = right.row_stride,
                              .y_column = right.column_stride,
                              .batch_rank = batch_rank};
  for (uint32_t i = 0; i < batch_rank; ++i)
    job.batch[i] = (int64_t)ARMNN_OUT_INFO(call, 0)->dims[i];
  batch_strides(ARMNN_IN_INFO(call, 0), &left, &job, job.x_batch);
  batch_strides(ARMNN_IN_INFO(call, 1), &right, &job, job.y_batch);
  const int is_wide =
      levels == NULL && ARMNN_OUT_INFO(call, 0)->data_type != ARMNN_DATA_TYPE_FLOAT32;
  return is_wide ? armnn_i_ref_matrix_run_wide(&job) : armnn_i_ref_matrix_run(&job, error);
}

armnn_status_t armnn_f32_batch_mat_mul__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return run(call, NULL, error);
}

armnn_status_t armnn_wide_batch_mat_mul__ref(const armnn_kernel_call_t* call,
                                             armnn_error_t* error) {
  return run(call, NULL, error);
}

armnn_status_t armnn_q_batch_mat_mul__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  armnn_i_ref_levels_t levels;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_levels(call, 0, &levels, error));
  return run(call, &levels, error);
}
