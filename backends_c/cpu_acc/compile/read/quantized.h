/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized.h - what readers of quantised layers share.
 */
#ifndef ARMNN_CPU_ACC_COMPILE_QUANTIZED_H_
#define ARMNN_CPU_ACC_COMPILE_QUANTIZED_H_

#include "compile/ir.h"

/* |level| as a number of |element|, saturated. */
static inline int32_t armnn_i_acc_number(armnn_i_acc_element_t element, int64_t level) {
  const int64_t least = armnn_i_acc_least(element.type), most = armnn_i_acc_most(element.type);
  const int64_t number = level + element.zero_point;
  return (int32_t)(number < least ? least : number > most ? most : number);
}

/* Whether input 0 or output 0 has numbers of 16 bits: read_tables.c has the readers. */
static inline bool armnn_i_acc_has_int16(const ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  return armnn_i_acc_is_int16(layer->input_infos[0]->data_type) ||
         armnn_i_acc_is_int16(layer->output_infos[0]->data_type);
}
void armnn_i_acc_read_int16_activation(ir_graph_t* graph);
void armnn_i_acc_read_int16_unary(ir_graph_t* graph);
void armnn_i_acc_read_int16_requantize(ir_graph_t* graph);

/* Whether the layer is rescaled by ARMNN_RESCALING_REAL. */
bool armnn_i_acc_is_real(const ir_graph_t* graph);

/* The factors from sums to the output, one for each channel, and the zero points of the weights.
 * Real ones have the bits of doubles. Else, of weights of one scale FULLY_CONNECTED multiplies the
 * scales in float32, convolutions in double: so does the specification's code. Reduced, they are as
 * armnn_scale64 takes them. */
const armnn_factor_t* armnn_i_acc_factors_of(ir_graph_t* graph, int64_t outputs, bool is_matrix,
                                             bool is_reduced);
const int32_t* armnn_i_acc_weight_zero_points(ir_graph_t* graph, int64_t outputs);

/* A node of input 0, in its order, whose output has an element of its own. */
ir_node_t* armnn_i_acc_element_node(ir_graph_t* graph, ir_kind_t kind);

/* |node|, which makes output 0 of the layer, keeps the bytes of its input: if the output has
 * another scale, zero point or type, a table follows, by real numbers that are rounded once. */
void armnn_i_acc_rescale(ir_graph_t* graph, ir_node_t* node);

#endif /* ARMNN_CPU_ACC_COMPILE_QUANTIZED_H_ */
