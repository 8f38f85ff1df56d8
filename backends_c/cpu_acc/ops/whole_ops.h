/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * whole_ops.h - operators of whole numbers: products whose weights or bias values the network
 * computes, and folds; ops.h includes it. Results are CpuRef's, bit for bit.
 */
#ifndef ARMNN_CPU_ACC_WHOLE_OPS_H_
#define ARMNN_CPU_ACC_WHOLE_OPS_H_

#include "factors.h"
#include "program.h"

/* Rows of levels by columns of levels, plus the bias, times the factors of the channels; without
 * |left| and |right| (rank 0) the bias alone, the same for every row. The last dimensions of all
 * operands are dense. */
typedef struct armnn_i_acc_computed_product_t {
  armnn_i_acc_tensor_t bias;        /* [groups * channels], int32 or int64 */
  armnn_i_acc_tensor_t left;        /* [groups, rows, depth], 8 or 16 bits */
  armnn_i_acc_tensor_t right;       /* [groups, channels, depth], 8 bits, constant or computed */
  armnn_i_acc_tensor_t output;      /* [groups, rows, channels], bits as |left| or any */
  const int32_t* right_zero_points; /* [groups * channels] */
  const armnn_factor_t* factors;    /* [groups * channels] */
  int32_t rounding;                 /* armnn_i_acc_rounding_e */
} armnn_i_acc_computed_product_t;

armnn_status_t armnn_i_acc_make_computed_product(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_computed_product_t* what,
                                                 armnn_i_acc_op_t** out_op);

/* Over the axes of |axis_mask|, which have one element in |output| (same rank): int32 or int64,
 * added and multiplied in 64 bits that wrap; a mean is cut off towards zero. */
typedef struct armnn_i_acc_whole_reduce_t {
  armnn_i_acc_tensor_t input, output;
  int32_t operation; /* armnn_reduce_operation_e */
  uint32_t axis_mask;
} armnn_i_acc_whole_reduce_t;

armnn_status_t armnn_i_acc_make_whole_reduce(const armnn_i_acc_maker_t* maker,
                                             const armnn_i_acc_whole_reduce_t* what,
                                             armnn_i_acc_op_t** out_op);
bool armnn_i_acc_has_whole_reduce(int32_t data_type);

#endif /* ARMNN_CPU_ACC_WHOLE_OPS_H_ */
