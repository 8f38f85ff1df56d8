/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * elementwise.h - kernels on runs of elements: a function of each, or of pairs.
 *
 * Arrays are dense and of any length; nothing is read or written behind them. |out| may be an
 * operand, but must not overlap one otherwise.
 */
#ifndef ARMNN_CPU_ACC_ELEMENTWISE_H_
#define ARMNN_CPU_ACC_ELEMENTWISE_H_

#include <stddef.h>

#include "armnn/descriptors.h"
#include "program.h"

/* out[i] = function(in[i]); |a| and |b| as armnn_i_acc_function_e says. */
typedef void (*armnn_i_acc_apply_fn_t)(const float* in, float* out, size_t count, float a, float b);

/* In place, to |rows| rows of |columns| floats that begin |stride| floats apart. */
static inline void armnn_i_acc_apply_rows(armnn_i_acc_apply_fn_t apply, float* data, size_t rows,
                                          size_t columns, size_t stride, float a, float b) {
  if (columns == stride) {
    apply(data, data, rows * columns, a, b);
    return;
  }
  for (size_t i = 0; i < rows; ++i) apply(data + i * stride, data + i * stride, columns, a, b);
}

/* out[r][i] = min(max(left[r][i] op right[r][i], low), high) for |rows| rows of |columns|: any
 * function that is a clamp costs nothing. Rows are |*_stride| floats apart; an operand that is a
 * number has one number for each row. */
typedef struct armnn_i_acc_binary_job_t {
  const float *left, *right;
  float* out;
  ptrdiff_t left_stride, right_stride, out_stride;
  size_t rows, columns;
  float low, high;
} armnn_i_acc_binary_job_t;

typedef void (*armnn_i_acc_binary_fn_t)(const armnn_i_acc_binary_job_t* job);

/* Which operands are arrays; the other one is a number a row. */
typedef enum armnn_i_acc_binary_form_e {
  ARMNN_ACC_ARRAY_ARRAY = 0,
  ARMNN_ACC_ARRAY_NUMBER,
  ARMNN_ACC_NUMBER_ARRAY,
  ARMNN_ACC_BINARY_FORMS
} armnn_i_acc_binary_form_e;

typedef struct armnn_i_acc_elementwise_kernels_t {
  armnn_i_acc_apply_fn_t apply[ARMNN_ACC_FUNCTION_COUNT];
  const char* names[ARMNN_ACC_FUNCTION_COUNT];
  armnn_i_acc_binary_fn_t binary[ARMNN_ACC_BINARY_COUNT][ARMNN_ACC_BINARY_FORMS];
  const char* binary_names[ARMNN_ACC_BINARY_COUNT];
} armnn_i_acc_elementwise_kernels_t;

#endif /* ARMNN_CPU_ACC_ELEMENTWISE_H_ */
