/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * schedule.h - the schedule while it grows: buffers, the tensors in them, and steps.
 */
#ifndef ARMNN_CPU_ACC_SCHEDULE_H_
#define ARMNN_CPU_ACC_SCHEDULE_H_

#include "compile/ir.h"

typedef struct ir_scheduler_t {
  ir_graph_t* graph;
  ir_schedule_t* schedule;
  uint32_t* pending; /* by value: nodes that will still read it */
} ir_scheduler_t;

/* A buffer of the arena, as the number of a binding. */
uint32_t armnn_i_acc_new_buffer(ir_scheduler_t* scheduler, armnn_i_acc_element_t element,
                                const ir_shape_t* shape);
/* |value| lies in |buffer| from byte |offset| on; */
void armnn_i_acc_set_buffer(ir_value_t* value, uint32_t buffer, int64_t offset,
                            const int64_t* strides);
/* densely from its first byte on; */
void armnn_i_acc_set_dense(ir_value_t* value, uint32_t buffer);
/* in a new buffer, unless it has one. */
void armnn_i_acc_ensure_buffer(ir_scheduler_t* scheduler, ir_value_t* value);

armnn_i_acc_tensor_t armnn_i_acc_tensor_of(const ir_value_t* value);
ir_shape_t armnn_i_acc_tensor_shape(const armnn_i_acc_tensor_t* tensor);
/* A tensor in a new buffer. */
armnn_i_acc_tensor_t armnn_i_acc_dense_tensor(ir_scheduler_t* scheduler,
                                              armnn_i_acc_element_t element,
                                              const ir_shape_t* shape);

void armnn_i_acc_add_step(ir_scheduler_t* scheduler, const ir_step_t* step);
void armnn_i_acc_add_copy(ir_scheduler_t* scheduler, const ir_node_t* node,
                          const armnn_i_acc_tensor_t* from, const armnn_i_acc_tensor_t* to);

#endif /* ARMNN_CPU_ACC_SCHEDULE_H_ */
