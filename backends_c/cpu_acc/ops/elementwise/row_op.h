/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * row_op.h - the operators that CpuRef and CpuAcc share row functions for: the walk over their
 * tensors. A row function sees contiguous elements of the output.
 */
#ifndef ARMNN_CPU_ACC_ROW_OP_H_
#define ARMNN_CPU_ACC_ROW_OP_H_

#include "ops/walk.h"

/* Computes |count| elements; the steps of the operands in elements are 1 or 0. */
typedef void (*armnn_i_acc_row_fn_t)(const void* context, void* out, const char* const* operands,
                                     const int64_t* steps, uint64_t count);

/* The first member of operators made of rows; the output is tensors[0], then come the operands. */
typedef struct armnn_i_acc_row_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t tensors[3];
  armnn_i_acc_walk_t walk;
  armnn_i_acc_pieces_t pieces;
  armnn_i_acc_row_fn_t row;
  uint32_t threads;
} armnn_i_acc_row_op_t;

/* Fills all of |op| but its kernel's name; |row| gets |op| as its context. |cost| is that of an
 * element, in additions. */
void armnn_i_acc_plan_rows(const armnn_i_acc_maker_t* maker, armnn_i_acc_row_op_t* op,
                           armnn_i_acc_row_fn_t row, uint32_t operands, uint64_t cost);

#endif /* ARMNN_CPU_ACC_ROW_OP_H_ */
