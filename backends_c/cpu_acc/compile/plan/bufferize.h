/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * bufferize.h - how nodes of each kind are bufferized: their outputs get buffers, and they
 * become steps of the schedule.
 */
#ifndef ARMNN_CPU_ACC_BUFFERIZE_H_
#define ARMNN_CPU_ACC_BUFFERIZE_H_

#include "schedule.h"

/* bufferize_moves.c */
#define MOVE(kind, name) \
  void armnn_i_acc_bufferize_##name(ir_scheduler_t* scheduler, const ir_node_t* node);
#include "compile/kinds.inc"
#undef MOVE
/* Whether both lie in the same place, element by element. */
bool armnn_i_acc_same_memory(const armnn_i_acc_tensor_t* a, const armnn_i_acc_tensor_t* b);
/* How far |origin| is from the first element, in the unit of |strides|. */
int64_t armnn_i_acc_origin_offset(const int64_t* origin, const int64_t* strides, uint32_t rank);
/* Whether the operator reads and writes matrices that do not lie one behind another as fast as
 * those that do. */
bool armnn_i_acc_takes_matrices(const ir_graph_t* graph, const ir_node_t* node);

/* bufferize_operators.c */
void armnn_i_acc_bufferize_operator(ir_scheduler_t* scheduler, ir_node_t* node);

#endif /* ARMNN_CPU_ACC_BUFFERIZE_H_ */
