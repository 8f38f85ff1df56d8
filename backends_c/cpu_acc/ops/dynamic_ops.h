/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * dynamic_ops.h - operators of numbers that are quantised while the network runs; ops.h includes
 * it. Their tensors are dense.
 */
#ifndef ARMNN_CPU_ACC_DYNAMIC_OPS_H_
#define ARMNN_CPU_ACC_DYNAMIC_OPS_H_

#include "program.h"

#define ARMNN_ACC_RANGE_ROWS 3

/* The scales of the rows of |input|, then their zero points and factors: [3, rows] float32. */
typedef struct armnn_i_acc_dynamic_range_t {
  armnn_i_acc_tensor_t input, output;
  bool symmetric;
} armnn_i_acc_dynamic_range_t;

armnn_status_t armnn_i_acc_make_dynamic_range(const armnn_i_acc_maker_t* maker,
                                              const armnn_i_acc_dynamic_range_t* what,
                                              armnn_i_acc_op_t** out_op);

/* Stored numbers of |input| by the scales and zero points of |range|. */
typedef struct armnn_i_acc_dynamic_levels_t {
  armnn_i_acc_tensor_t input, range, output;
  bool symmetric;
} armnn_i_acc_dynamic_levels_t;

armnn_status_t armnn_i_acc_make_dynamic_levels(const armnn_i_acc_maker_t* maker,
                                               const armnn_i_acc_dynamic_levels_t* what,
                                               armnn_i_acc_op_t** out_op);

/* Rows of stored numbers less their zero points, by constant weights less theirs: the sums as
 * int32, or as float32 times |scales| and, with |scaled|, the scale of the row, plus |shifts|. */
typedef struct armnn_i_acc_integer_product_t {
  armnn_i_acc_tensor_t left; /* [.., k] bytes, or float32, which is quantised here by |range| */
  /* As that of dynamic_levels; for bytes, their zero points: one, one for each row, or rank 0. */
  armnn_i_acc_tensor_t range;
  armnn_i_acc_tensor_t output;       /* [.., n] */
  armnn_i_acc_tensor_t weights;      /* [k, n] bytes, constant, of any strides */
  const int32_t* weight_zero_points; /* [n] */
  const float *scales, *shifts;      /* [n], of a float32 output */
  bool symmetric, scaled;
  armnn_i_acc_epilogue_t epilogue; /* of a float32 output */
} armnn_i_acc_integer_product_t;

armnn_status_t armnn_i_acc_make_integer_product(const armnn_i_acc_maker_t* maker,
                                                const armnn_i_acc_integer_product_t* what,
                                                armnn_i_acc_op_t** out_op);

#endif /* ARMNN_CPU_ACC_DYNAMIC_OPS_H_ */
