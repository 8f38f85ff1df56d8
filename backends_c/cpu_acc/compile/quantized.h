/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized.h - what readers of quantised layers share.
 */
#ifndef ARMNN_CPU_ACC_COMPILE_QUANTIZED_H_
#define ARMNN_CPU_ACC_COMPILE_QUANTIZED_H_

#include "ir.h"

/* |level| as a number of |element|, saturated. */
static inline int32_t armnn_i_acc_number(armnn_i_acc_element_t element, int64_t level) {
  const int64_t least = armnn_i_acc_least(element.type), number = level + element.zero_point;
  return (int32_t)(number < least ? least : number > least + 255 ? least + 255 : number);
}

/* A node of input 0, in its order, whose output has an element of its own. */
ir_node_t* armnn_i_acc_element_node(ir_graph_t* graph, ir_kind_t kind);

/* |node|, which makes output 0 of the layer, keeps the bytes of its input: if the output has
 * another scale, zero point or type, a table follows, by real numbers that are rounded once. */
void armnn_i_acc_rescale(ir_graph_t* graph, ir_node_t* node);

#endif /* ARMNN_CPU_ACC_COMPILE_QUANTIZED_H_ */
