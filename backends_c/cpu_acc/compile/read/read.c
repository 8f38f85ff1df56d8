/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read.c - layers become nodes: the readers by layer type, and functions that all of them use.
 */
#include <string.h>

#include "backend.h"
#include "compile/ir.h"

typedef void (*reader_t)(ir_graph_t* graph);

/* By layer type. */
static const reader_t readers[] = {
#define LAYER(type, reader) [ARMNN_LAYER_##type] = armnn_i_acc_read_##reader,
#define LAYER_CHECKED(type, reader, check) LAYER(type, reader)
#define MOVES(type, reader) LAYER(type, reader)
#define MOVES_CHECKED(type, reader, check) LAYER(type, reader)
#define PACKED(type, reader, check) LAYER(type, reader)
#include "compile/kinds.inc"
#undef LAYER
#undef LAYER_CHECKED
#undef MOVES
#undef MOVES_CHECKED
#undef PACKED
};

static const reader_t quantized_readers[] = {
#define QUANTIZED(type, reader, check) [ARMNN_LAYER_##type] = armnn_i_acc_read_##reader,
#include "compile/kinds.inc"
#undef QUANTIZED
};

ir_shape_t armnn_i_acc_shape_of(const armnn_tensor_info_t* info) {
  ir_shape_t shape = {.rank = info->rank};
  for (uint32_t d = 0; d < info->rank; ++d) shape.dims[d] = (int64_t)info->dims[d];
  if (shape.rank == 0) { /* a scalar */
    shape.rank = 1;
    shape.dims[0] = 1;
  }
  return shape;
}

bool armnn_i_acc_has_input(const ir_graph_t* graph, uint32_t index) {
  const armnn_layer_t* layer = ir_layer(graph);
  return index < layer->input_count && layer->input_infos[index] != NULL;
}

static const armnn_const_tensor_t* constant_of(const armnn_layer_t* layer, uint32_t index) {
  return layer->constants == NULL ? NULL : layer->constants[index];
}

ir_alias_t armnn_i_acc_input(ir_graph_t* graph, uint32_t index) {
  const armnn_layer_t* layer = ir_layer(graph);
  if (!armnn_i_acc_has_input(graph, index)) {
    armnn_i_acc_refuse(graph, NULL, "input %u is missing", index);
  }
  const armnn_const_tensor_t* constant = constant_of(layer, index);
  if (constant != NULL) {
    const ir_shape_t shape = armnn_i_acc_shape_of(constant->info);
    const armnn_i_acc_element_t element = armnn_i_acc_element_of(constant->info);
    if (constant->size < (uint64_t)ir_count(&shape) * element.size) {
      armnn_i_acc_refuse(graph, NULL, "constant input %u has too few bytes", index);
    }
    return armnn_i_acc_alias(graph, armnn_i_acc_constant(graph, element, &shape, constant->data));
  }
  const armnn_slot_t slot = layer->inputs[index];
  if (slot.layer == ARMNN_SLOT_BOUNDARY && slot.slot < graph->subgraph->input_count) {
    return armnn_i_acc_alias(graph, slot.slot); /* inputs of the sub-graph are the first values */
  }
  if (slot.layer >= graph->layer ||
      slot.slot >= graph->subgraph->layers[slot.layer]->output_count) {
    armnn_i_acc_refuse(graph, NULL, "input %u leads nowhere", index);
  }
  return graph->aliases[slot.layer][slot.slot];
}

const void* armnn_i_acc_constant_input(ir_graph_t* graph, uint32_t index, const char* what) {
  const ir_alias_t alias = armnn_i_acc_input(graph, index);
  const void* values = graph->values[alias.value]->constant;
  if (values == NULL) armnn_i_acc_refuse(graph, NULL, "%s are not constant", what);
  /* The value may have its dimensions in another order than the network. */
  const uint32_t plain = armnn_i_acc_plain(graph, &alias);
  return graph->values[plain]->constant;
}

void armnn_i_acc_set_output(ir_graph_t* graph, uint32_t index, ir_alias_t alias) {
  const ir_shape_t logical = armnn_i_acc_logical(graph, &alias);
  const ir_shape_t expected = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[index]);
  if (!ir_same_shape(&logical, &expected)) {
    armnn_i_acc_refuse(graph, NULL, "output %u has another shape than the layer gives", index);
  }
  graph->aliases[graph->layer][index] = alias;
}

static reader_t checked_reader(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_layer_query_t query = {
      .header = {sizeof query, ARMNN_STRUCT_LAYER_QUERY},
      .type = layer->type,
      .input_count = layer->input_count,
      .output_count = layer->output_count,
      .descriptor = layer->descriptor,
      .input_infos = layer->input_infos,
      .output_infos = layer->output_infos,
      .fields_used = layer->fields_used,
  };
  char text[sizeof graph->reason] = "";
  armnn_error_t why = {{sizeof why, ARMNN_STRUCT_ERROR}, 0, 0, text, sizeof text, 0};
  if (armnn_i_acc_check_layer(&query, &why) != ARMNN_STATUS_OK) {
    armnn_i_acc_refuse(graph, NULL, "%s", text);
  }
  return armnn_i_acc_is_quantized(&query) ? quantized_readers[layer->type] : readers[layer->type];
}

/* Output |k| of the sub-graph becomes a value of its own, in the network's order. */
static void read_output(ir_graph_t* graph, uint32_t k) {
  const armnn_slot_t slot = graph->subgraph->outputs[k];
  graph->layer = slot.layer;
  if (slot.layer >= graph->subgraph->layer_count ||
      slot.slot >= graph->subgraph->layers[slot.layer]->output_count) {
    armnn_i_acc_refuse(graph, NULL, "output %u of the sub-graph is not a layer's", k);
  }
  uint32_t value = armnn_i_acc_plain(graph, &graph->aliases[slot.layer][slot.slot]);
  const ir_value_t* found = graph->values[value];
  if (found->constant != NULL || found->input != IR_NONE || found->output != IR_NONE) {
    value = armnn_i_acc_node_of(graph, IR_RESHAPE, value, &found->shape)->output;
  }
  graph->values[value]->output = k;
}

void armnn_i_acc_read(ir_graph_t* graph) {
  const armnn_subgraph_t* subgraph = graph->subgraph;
  for (uint32_t i = 0; i < subgraph->input_count; ++i) {
    const ir_shape_t shape = armnn_i_acc_shape_of(subgraph->input_infos[i]);
    const armnn_i_acc_element_t element = armnn_i_acc_element_of(subgraph->input_infos[i]);
    const uint32_t value = armnn_i_acc_value(graph, element, &shape);
    graph->values[value]->input = i;
  }
  graph->aliases = armnn_i_acc_pool(graph, (subgraph->layer_count + UINT64_C(1)) * sizeof(void*));
  for (uint32_t l = 0; l < subgraph->layer_count; ++l) {
    graph->layer = l;
    const reader_t reader = checked_reader(graph);
    graph->aliases[l] = armnn_i_acc_pool(
        graph, (subgraph->layers[l]->output_count + UINT64_C(1)) * sizeof(ir_alias_t));
    reader(graph);
  }
  for (uint32_t k = 0; k < subgraph->output_count; ++k) read_output(graph, k);
}
