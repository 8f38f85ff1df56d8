/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_types.c - layers that compute with other types than float32, or make them.
 */
#include "compile/ir.h"

/* An elementwise node whose operands are |inputs| of the layer, broadcast to its output. They get
 * the order of the first that has its shape, the condition of a Select last. */
static ir_node_t* elementwise_node(ir_graph_t* graph, ir_kind_t kind, uint32_t count) {
  const armnn_tensor_info_t* info = ir_layer(graph)->output_infos[0];
  const ir_shape_t logical = armnn_i_acc_shape_of(info);
  ir_alias_t operands[3], result = {.value = 0};
  for (uint32_t i = 0; i < count; ++i) {
    operands[i] = armnn_i_acc_input(graph, kind == IR_SELECT ? (i + 1) % count : i);
  }
  const ir_alias_t* leading = armnn_i_acc_leading(graph, operands, count, &logical);
  ir_shape_t shape = {.rank = logical.rank};
  for (uint32_t d = 0; d < shape.rank; ++d) {
    result.perm[d] = leading == NULL ? d : leading->perm[d];
    shape.dims[d] = logical.dims[result.perm[d]];
  }
  uint32_t inputs[3];
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = kind == IR_SELECT ? (i + 1) % count : i;
    inputs[at] = armnn_i_acc_operand(graph, &operands[i], shape.rank, result.perm);
  }
  ir_node_t* node = armnn_i_acc_node(graph, kind, inputs, count, &shape);
  graph->values[node->output]->element = armnn_i_acc_element_of(info);
  result.value = node->output;
  armnn_i_acc_set_output(graph, 0, result);
  return node;
}

void armnn_i_acc_read_pairs(ir_graph_t* graph, int32_t kind, int32_t operation) {
  ir_node_t* node = elementwise_node(graph, IR_PAIRS, 2);
  node->pairs.kind = kind;
  node->pairs.operation = operation;
}

void armnn_i_acc_read_comparison(ir_graph_t* graph) {
  const armnn_comparison_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  armnn_i_acc_read_pairs(graph, ARMNN_ACC_PAIRS_COMPARISON, d->operation);
}

void armnn_i_acc_read_logical(ir_graph_t* graph) {
  const armnn_logical_binary_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  armnn_i_acc_read_pairs(graph, ARMNN_ACC_PAIRS_LOGIC, d->operation);
}

void armnn_i_acc_read_select(ir_graph_t* graph) { elementwise_node(graph, IR_SELECT, 3); }

/* To its own type an element stays as it is; of a boolean any byte other than 0 becomes 1. A
 * quantised value of another scale is another value of the graph. */
void armnn_i_acc_read_cast(ir_graph_t* graph) {
  const int32_t from = ir_layer(graph)->input_infos[0]->data_type;
  const int32_t to = ir_layer(graph)->output_infos[0]->data_type;
  if (from == to && from != ARMNN_DATA_TYPE_BOOLEAN && !armnn_data_type_is_quantized(from)) {
    armnn_i_acc_set_output(graph, 0, armnn_i_acc_input(graph, 0));
    return;
  }
  elementwise_node(graph, IR_CAST, 1);
}

/* ---- Slices picked by indices -------------------------------------------------------------- */

/* A node that picks slices of input 0, seen as |from|, by input 1, seen as |places|. */
static void read_picked(ir_graph_t* graph, const ir_shape_t* from, const ir_shape_t* places,
                        uint32_t dimension) {
  const ir_alias_t input = armnn_i_acc_input(graph, 0), indices = armnn_i_acc_input(graph, 1);
  const ir_alias_t seen = armnn_i_acc_reshaped(graph, &input, from);
  const ir_alias_t listed = armnn_i_acc_reshaped(graph, &indices, places);
  const uint32_t inputs[] = {armnn_i_acc_plain(graph, &seen), armnn_i_acc_plain(graph, &listed)};
  const ir_shape_t shape = {3, {from->dims[0], places->dims[0], from->dims[from->rank - 1]}};
  ir_node_t* node = armnn_i_acc_node(graph, IR_GATHER, inputs, 2, &shape);
  node->gather.dimension = dimension;
  const ir_alias_t result = armnn_i_acc_alias(graph, node->output);
  const ir_shape_t out = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &result, &out));
}

void armnn_i_acc_read_picked_along(ir_graph_t* graph, uint32_t axis) {
  const ir_shape_t own = armnn_i_acc_shape_of(ir_layer(graph)->input_infos[0]);
  ir_shape_t from = {3, {1, own.dims[axis], 1}};
  for (uint32_t d = 0; d < axis; ++d) from.dims[0] *= own.dims[d];
  for (uint32_t d = axis + 1; d < own.rank; ++d) from.dims[2] *= own.dims[d];
  const ir_shape_t places = {2, {(int64_t)ir_layer(graph)->input_infos[1]->element_count, 1}};
  read_picked(graph, &from, &places, axis);
}

void armnn_i_acc_read_gather_nd(ir_graph_t* graph) {
  const ir_shape_t own = armnn_i_acc_shape_of(ir_layer(graph)->input_infos[0]);
  const armnn_tensor_info_t* indices = ir_layer(graph)->input_infos[1];
  const uint32_t depth = (uint32_t)indices->dims[indices->rank - 1];
  ir_shape_t from = {depth + 2, {1}};
  from.dims[depth + 1] = 1;
  for (uint32_t d = 0; d < depth; ++d) from.dims[1 + d] = own.dims[d];
  for (uint32_t d = depth; d < own.rank; ++d) from.dims[depth + 1] *= own.dims[d];
  const ir_shape_t places = {2, {(int64_t)(indices->element_count / depth), depth}};
  read_picked(graph, &from, &places, 0);
}

/* Slices of input 0, which keeps its order of dimensions: a cache is not moved. */
void armnn_i_acc_read_scatter_nd(ir_graph_t* graph) {
  const ir_alias_t base = armnn_i_acc_input(graph, 0), indices = armnn_i_acc_input(graph, 1);
  const ir_alias_t updates = armnn_i_acc_input(graph, 2);
  const ir_shape_t own = armnn_i_acc_logical(graph, &base), memory = *ir_shape(graph, base.value);
  const armnn_tensor_info_t* info = ir_layer(graph)->input_infos[1];
  const uint32_t depth = (uint32_t)info->dims[info->rank - 1];
  const ir_shape_t places = {2, {(int64_t)(info->element_count / depth), depth}};
  ir_shape_t slices = {1 + own.rank - depth, {places.dims[0]}};
  for (uint32_t d = depth; d < own.rank; ++d) slices.dims[1 + d - depth] = own.dims[d];
  const ir_alias_t listed = armnn_i_acc_reshaped(graph, &indices, &places);
  const ir_alias_t seen = armnn_i_acc_reshaped(graph, &updates, &slices);
  uint32_t perm[IR_DIMS] = {0}, next = 1;
  for (uint32_t d = 0; d < own.rank; ++d) {
    if (base.perm[d] >= depth) perm[next++] = 1 + base.perm[d] - depth;
  }
  const uint32_t inputs[] = {base.value, armnn_i_acc_plain(graph, &listed),
                             armnn_i_acc_ordered(graph, &seen, perm)};
  ir_node_t* node = armnn_i_acc_node(graph, IR_SCATTER, inputs, 3, &memory);
  for (uint32_t i = 0; i < depth; ++i) node->scatter.axes[i] = ir_axis(&base, i);
  const armnn_scatter_nd_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  node->scatter.function = d->function;
  ir_alias_t result = base;
  result.value = node->output;
  armnn_i_acc_set_output(graph, 0, result);
}

void armnn_i_acc_read_trees(ir_graph_t* graph) {
  const armnn_tensor_info_t* info = ir_layer(graph)->output_infos[0];
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t shape = armnn_i_acc_shape_of(info);
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_TREES, armnn_i_acc_plain(graph, &input), &shape);
  node->trees.splits = armnn_i_acc_constant_input(graph, 1, "the trees");
  node->trees.nodes = armnn_i_acc_constant_input(graph, 2, "the trees");
  node->trees.roots = armnn_i_acc_constant_input(graph, 3, "the trees");
  node->trees.count = ir_layer(graph)->input_infos[1]->element_count;
  graph->values[node->output]->element = armnn_i_acc_element_of(info);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_alias(graph, node->output));
}

/* ---- Places ---------------------------------------------------------------------------------- */

void armnn_i_acc_read_arg_min_max(ir_graph_t* graph) {
  const armnn_arg_min_max_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t own = armnn_i_acc_logical(graph, &input);
  const uint32_t axis = (uint32_t)(d->axis < 0 ? d->axis + (int32_t)own.rank : d->axis);
  /* Dimensions around the searched one in the order of the memory: no transpose of images. */
  const uint32_t at = ir_axis(&input, axis);
  const ir_shape_t* memory = ir_shape(graph, input.value);
  ir_shape_t from = {3, {1, memory->dims[at], 1}}, whole = *memory;
  for (uint32_t i = 0; i < at; ++i) from.dims[0] *= memory->dims[i];
  for (uint32_t i = at + 1; i < memory->rank; ++i) from.dims[2] *= memory->dims[i];
  whole.dims[at] = 1;
  const ir_alias_t flat = armnn_i_acc_alias(graph, input.value);
  const ir_alias_t seen = armnn_i_acc_reshaped(graph, &flat, &from);
  const ir_shape_t shape = {2, {from.dims[0], from.dims[2]}};
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_SEARCH, armnn_i_acc_plain(graph, &seen), &shape);
  node->search.function = d->function;
  graph->values[node->output]->element = armnn_i_acc_element_of(ir_layer(graph)->output_infos[0]);
  const ir_alias_t found = armnn_i_acc_alias(graph, node->output);
  ir_alias_t result = armnn_i_acc_reshaped(graph, &found, &whole);
  for (uint32_t i = 0; i < whole.rank; ++i) result.perm[i] = input.perm[result.perm[i]];
  const ir_shape_t out = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &result, &out));
}
