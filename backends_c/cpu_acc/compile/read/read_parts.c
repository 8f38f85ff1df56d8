/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_parts.c - layers with outputs of several types: a node writes them one behind the other.
 */
#include "compile/ir.h"

ir_shape_t armnn_i_acc_bytes_of_outputs(const ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  ir_shape_t flat = {.rank = 1, .dims = {0}};
  for (uint32_t i = 0; i < layer->output_count; ++i) {
    const armnn_tensor_info_t* info = layer->output_infos[i];
    flat.dims[0] += (int64_t)(info->element_count * armnn_data_type_size(info->data_type));
  }
  return flat;
}

void armnn_i_acc_set_part(ir_graph_t* graph, uint32_t index, uint32_t value, int64_t* begin) {
  const armnn_tensor_info_t* info = ir_layer(graph)->output_infos[index];
  const ir_shape_t shape = armnn_i_acc_shape_of(info);
  const armnn_i_acc_element_t element = armnn_i_acc_element_of(info);
  const ir_alias_t flat = armnn_i_acc_alias(graph, value);
  const int64_t bytes = ir_count(&shape) * (int64_t)element.size;
  const ir_alias_t part = armnn_i_acc_sliced(graph, &flat, begin, NULL, &bytes);
  const uint32_t typed = armnn_i_acc_node_of(graph, IR_RETYPE, part.value, &shape)->output;
  graph->values[typed]->element = element;
  armnn_i_acc_set_output(graph, index, armnn_i_acc_alias(graph, typed));
  *begin += bytes;
}

void armnn_i_acc_read_suppression(ir_graph_t* graph) {
  const ir_alias_t boxes = armnn_i_acc_input(graph, 0), scores = armnn_i_acc_input(graph, 1);
  const uint32_t inputs[] = {armnn_i_acc_plain(graph, &boxes), armnn_i_acc_plain(graph, &scores)};
  const ir_shape_t flat = armnn_i_acc_bytes_of_outputs(graph);
  ir_node_t* node = armnn_i_acc_node(graph, IR_SUPPRESSION, inputs, 2, &flat);
  const void* parameters = ir_layer(graph)->descriptor;
  node->suppression.parameters = *(const armnn_non_max_suppression_descriptor_t*)parameters;
  graph->values[node->output]->element =
      (armnn_i_acc_element_t){ARMNN_DATA_TYPE_BOOLEAN, 1, 0.0f, 0};
  int64_t begin = 0;
  for (uint32_t i = 0; i < 3; ++i) armnn_i_acc_set_part(graph, i, node->output, &begin);
}
