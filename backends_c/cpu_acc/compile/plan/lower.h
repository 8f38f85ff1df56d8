/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lower.h - from one step to its operator.
 */
#ifndef ARMNN_CPU_ACC_LOWER_H_
#define ARMNN_CPU_ACC_LOWER_H_

#include "compile/ir.h"
#include "saved/fields.h"

/* Answers like the makers of ops.h, UNSUPPORTED included. |saved|, or null: the operator's
 * description is also written there. */
armnn_status_t armnn_i_acc_lower(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                 armnn_i_acc_fields_t* saved, armnn_i_acc_op_t** out_op);

/* How constant weights are packed: as the option of the backend says, if they have its range. That
 * of bfloat16 is float32's. */
int32_t armnn_i_acc_stored_of(const armnn_i_acc_maker_t* maker,
                              const armnn_i_acc_tensor_t* weights);

#endif /* ARMNN_CPU_ACC_LOWER_H_ */
