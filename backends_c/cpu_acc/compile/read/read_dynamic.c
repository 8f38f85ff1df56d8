/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_dynamic.c - numbers that are quantised while the network runs, and products of 8-bit
 * integers. fuse_dynamic.c makes one operator of what belongs together.
 */
#include "compile/ir.h"

/* Row |at| of the tensor of ranges, with the shape |logical|. */
static ir_alias_t row_of_ranges(ir_graph_t* graph, uint32_t range, int64_t at,
                                const ir_shape_t* logical) {
  const ir_alias_t alias = armnn_i_acc_alias(graph, range);
  const int64_t begin[IR_DIMS] = {at};
  const int64_t count[IR_DIMS] = {1, ir_shape(graph, range)->dims[1]};
  const ir_alias_t row = armnn_i_acc_sliced(graph, &alias, begin, NULL, count);
  return armnn_i_acc_reshaped(graph, &row, logical);
}

void armnn_i_acc_read_dynamic_quantize(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_dynamic_quantize_descriptor_t* d = (const void*)layer->descriptor;
  const ir_alias_t alias = armnn_i_acc_input(graph, 0);
  const uint32_t input = armnn_i_acc_plain(graph, &alias);
  const ir_shape_t shape = *ir_shape(graph, input);
  const ir_shape_t scales = armnn_i_acc_shape_of(layer->output_infos[1]);
  const ir_shape_t ranges = {2, {ARMNN_ACC_RANGE_ROWS, ir_count(&scales)}};
  ir_node_t* made = armnn_i_acc_node_of(graph, IR_DYNAMIC_RANGE, input, &ranges);
  made->dynamic_range.symmetric = d->symmetric != 0;
  const uint32_t range = made->output;
  ir_node_t* levels =
      armnn_i_acc_node(graph, IR_DYNAMIC_LEVELS, (uint32_t[]){input, range}, 2, &shape);
  levels->dynamic_levels.symmetric = d->symmetric != 0;
  graph->values[levels->output]->element = armnn_i_acc_element_of(layer->output_infos[0]);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_alias(graph, levels->output));
  armnn_i_acc_set_output(graph, 1, row_of_ranges(graph, range, 0, &scales));
  const ir_alias_t real = row_of_ranges(graph, range, 1, &scales);
  const ir_shape_t own = *ir_shape(graph, real.value);
  ir_node_t* point = armnn_i_acc_node_of(graph, IR_CAST, real.value, &own);
  graph->values[point->output]->element = armnn_i_acc_element_of(layer->output_infos[2]);
  ir_alias_t result = real;
  result.value = point->output;
  armnn_i_acc_set_output(graph, 2, result);
}

/* The zero points of the weights, one for each column. */
static const int32_t* weight_points(ir_graph_t* graph, int64_t columns) {
  int32_t* points = armnn_i_acc_pool(graph, (uint64_t)columns * sizeof *points);
  if (!armnn_i_acc_has_input(graph, 3)) return points;
  const uint8_t* values = armnn_i_acc_constant_input(graph, 3, "the zero points of y");
  const armnn_tensor_info_t* info = ir_layer(graph)->input_infos[3];
  for (int64_t n = 0; n < columns; ++n) {
    const uint8_t byte = values[info->element_count == 1 ? 0 : n];
    points[n] = info->data_type == ARMNN_DATA_TYPE_QASYMM_U8 ? byte : (int8_t)byte;
  }
  return points;
}

void armnn_i_acc_read_mat_mul_integer(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const ir_alias_t left = armnn_i_acc_input(graph, 0);
  const uint8_t* weights = armnn_i_acc_constant_input(graph, 1, "the matrices y");
  const ir_shape_t sides = armnn_i_acc_shape_of(layer->input_infos[1]);
  const int64_t depth = sides.dims[0], columns = sides.dims[1];
  uint32_t inputs[2] = {armnn_i_acc_plain(graph, &left)};
  uint32_t count = 1;
  if (armnn_i_acc_has_input(graph, 2)) {
    const ir_alias_t point = armnn_i_acc_input(graph, 2);
    inputs[count++] = armnn_i_acc_plain(graph, &point);
  }
  const ir_shape_t shape = armnn_i_acc_shape_of(layer->output_infos[0]);
  ir_node_t* node = armnn_i_acc_node(graph, IR_INTEGER_PRODUCT, inputs, count, &shape);
  graph->values[node->output]->element = armnn_i_acc_element_of(layer->output_infos[0]);
  node->integer_product.weights = (armnn_i_acc_tensor_t){
      .element = armnn_i_acc_element_of(layer->input_infos[1]),
      .rank = 2,
      .dims = {depth, columns},
      .strides = {columns, 1},
      .values = weights,
  };
  node->integer_product.weight_zero_points = weight_points(graph, columns);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_alias(graph, node->output));
}
