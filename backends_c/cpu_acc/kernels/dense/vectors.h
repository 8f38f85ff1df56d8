/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * vectors.h - products of a vector and a matrix that is read where it lies, once: packing it to
 * panels (gemm.h) would take longer than the product.
 */
#ifndef ARMNN_CPU_ACC_VECTORS_H_
#define ARMNN_CPU_ACC_VECTORS_H_

#include <stddef.h>
#include <stdint.h>

/* Rows of the matrix begin |stride| floats apart and have no gaps. */
typedef void (*armnn_i_acc_vector_fn_t)(const float* x, const float* matrix, int64_t stride,
                                        size_t rows, size_t columns, float* out);

typedef struct armnn_i_acc_vector_kernels_t {
  armnn_i_acc_vector_fn_t dot_rows; /* out[r] = sum over c of x[c] matrix[r][c] */
  armnn_i_acc_vector_fn_t sum_rows; /* out[c] = sum over r of x[r] matrix[r][c] */
} armnn_i_acc_vector_kernels_t;

#endif /* ARMNN_CPU_ACC_VECTORS_H_ */
