/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * place.h - between place.c (where values lie) and place_operators.c (the steps of what computes).
 */
#ifndef ARMNN_CPU_ACC_PLACE_H_
#define ARMNN_CPU_ACC_PLACE_H_

#include "ir.h"

typedef struct ir_placing_t {
  ir_graph_t* graph;
  ir_schedule_t* schedule;
  uint32_t* pending; /* by value: nodes that will still read it */
} ir_placing_t;

armnn_i_acc_tensor_t armnn_i_acc_tensor_of(const ir_value_t* value);
ir_shape_t armnn_i_acc_tensor_shape(const armnn_i_acc_tensor_t* tensor);
void armnn_i_acc_put(ir_value_t* value, uint32_t buffer, int64_t offset, const int64_t* strides);
void armnn_i_acc_put_dense(ir_value_t* value, uint32_t buffer);
uint32_t armnn_i_acc_new_buffer(ir_placing_t* placing, armnn_i_acc_element_t element,
                                const ir_shape_t* shape);
armnn_i_acc_tensor_t armnn_i_acc_dense_tensor(ir_placing_t* placing, armnn_i_acc_element_t element,
                                              const ir_shape_t* shape);
void armnn_i_acc_add_step(ir_placing_t* placing, const ir_step_t* step);
void armnn_i_acc_add_copy(ir_placing_t* placing, const ir_node_t* node,
                          const armnn_i_acc_tensor_t* from, const armnn_i_acc_tensor_t* to);

void armnn_i_acc_place_operator(ir_placing_t* placing, ir_node_t* node);

#endif /* ARMNN_CPU_ACC_PLACE_H_ */
