/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * matrix.h - the product of batches of matrices, behind BATCH_MAT_MUL and FULLY_CONNECTED.
 */
#ifndef ARMNN_CPU_REF_MATRIX_H_
#define ARMNN_CPU_REF_MATRIX_H_

#include "shared/levels.h"

/* out[b][m][n] = bias[n] + sum over k of x(b, m, k) * y(b, k, n); |out| is dense, x and y have any
 * strides, 0 along batch dimensions that they repeat. With |levels|, which has x, y, bias and out
 * itself, these four are null and channels are columns. */
typedef struct armnn_i_ref_matrix_t {
  const armnn_kernel_call_t* call;
  const float* x;
  const float* y;
  const float* bias; /* or null */
  float* out;
  const armnn_i_ref_levels_t* levels; /* null: of float32 */
  int64_t rows, depth, columns;
  int64_t x_row, x_depth;
  int64_t y_depth, y_column;
  uint32_t batch_rank;
  int64_t batch[ARMNN_MAX_DIMS], x_batch[ARMNN_MAX_DIMS], y_batch[ARMNN_MAX_DIMS];
} armnn_i_ref_matrix_t;

armnn_status_t armnn_i_ref_matrix_run(armnn_i_ref_matrix_t* job, armnn_error_t* error);

/* The same where x, y and out are of the output's type, FLOAT64 or an integer of 32 or 64 bits, and
 * there is no bias. */
armnn_status_t armnn_i_ref_matrix_run_wide(const armnn_i_ref_matrix_t* job);

#endif /* ARMNN_CPU_REF_MATRIX_H_ */
