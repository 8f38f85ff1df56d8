/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * graph.c - the pool, values and nodes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir.h"

struct ir_block_t {
  ir_block_t* next;
  uint64_t size, used;
};

enum { BLOCK = 1 << 16, HEAD = 64 };

const uint8_t armnn_i_acc_traits[IR_KIND_COUNT] = {
#define PRODUCT IR_PRODUCT
#define FUNCTION IR_TAKES_FUNCTION
#define IN_PLACE IR_IN_PLACE
#define KIND(kind, name, operands, traits, ...) [IR_##kind] = traits,
#define KIND_LIKE(kind, name, other, operands, traits) [IR_##kind] = traits,
#include "kinds.inc"
#undef KIND
#undef KIND_LIKE
#undef PRODUCT
#undef FUNCTION
#undef IN_PLACE
};

static void escape(ir_graph_t* graph, armnn_status_t status) {
  graph->status = status;
  longjmp(graph->escape, 1);
}

void* armnn_i_acc_pool(ir_graph_t* graph, uint64_t size) {
  const uint64_t rounded = (size + ARMNN_ACC_LINE - 1) / ARMNN_ACC_LINE * ARMNN_ACC_LINE;
  ir_block_t* block = graph->blocks;
  if (rounded < size) escape(graph, ARMNN_STATUS_OUT_OF_MEMORY);
  if (block == NULL || block->size - block->used < rounded) {
    const uint64_t fresh = rounded > BLOCK ? rounded : BLOCK;
    block = aligned_alloc(ARMNN_ACC_LINE, (size_t)(fresh + HEAD));
    if (block == NULL) escape(graph, ARMNN_STATUS_OUT_OF_MEMORY);
    block->next = graph->blocks;
    block->size = fresh;
    block->used = 0;
    graph->blocks = block;
  }
  char* memory = (char*)block + HEAD + block->used;
  block->used += rounded;
  return memset(memory, 0, (size_t)rounded);
}

void armnn_i_acc_pool_free(ir_graph_t* graph) {
  while (graph->blocks != NULL) {
    ir_block_t* next = graph->blocks->next;
    free(graph->blocks);
    graph->blocks = next;
  }
}

void armnn_i_acc_refuse(ir_graph_t* graph, const ir_node_t* node, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(graph->reason, sizeof graph->reason, format, arguments);
  va_end(arguments);
  graph->culprit = node;
  graph->status = ARMNN_STATUS_UNSUPPORTED;
  longjmp(graph->escape, 1);
}

/* |items| of |size| bytes each, with room for one more. */
static void* grown(ir_graph_t* graph, void* items, uint64_t size, uint32_t count,
                   uint32_t* capacity) {
  if (count < *capacity) return items;
  *capacity = *capacity == 0 ? 64 : 2 * *capacity;
  void* larger = armnn_i_acc_pool(graph, *capacity * size);
  if (count > 0) memcpy(larger, items, count * size);
  return larger;
}

uint32_t armnn_i_acc_value(ir_graph_t* graph, armnn_i_acc_element_t element,
                           const ir_shape_t* shape) {
  ir_value_t* value = armnn_i_acc_pool(graph, sizeof *value);
  value->shape = *shape;
  value->element = element;
  value->producer = value->input = value->output = value->reordered = IR_NONE;
  graph->values = grown(graph, graph->values, sizeof *graph->values, graph->value_count,
                        &graph->value_capacity);
  graph->values[graph->value_count] = value;
  return graph->value_count++;
}

uint32_t armnn_i_acc_constant(ir_graph_t* graph, armnn_i_acc_element_t element,
                              const ir_shape_t* shape, const void* values) {
  const uint32_t value = armnn_i_acc_value(graph, element, shape);
  graph->values[value]->constant = values;
  return value;
}

ir_node_t* armnn_i_acc_node(ir_graph_t* graph, ir_kind_t kind, const uint32_t* inputs,
                            uint32_t input_count, const ir_shape_t* shape) {
  ir_node_t* node = armnn_i_acc_pool(graph, sizeof *node);
  node->kind = kind;
  node->input_count = input_count;
  node->inputs = armnn_i_acc_pool(graph, (input_count + UINT64_C(1)) * sizeof *node->inputs);
  memcpy(node->inputs, inputs, input_count * sizeof *inputs);
  node->residual = IR_NONE;
  node->output = armnn_i_acc_value(graph, graph->values[inputs[0]]->element, shape);
  graph->values[node->output]->producer = graph->node_count;
  node->layer_capacity = ARMNN_ACC_LINE / sizeof *node->layers;
  node->layers = armnn_i_acc_pool(graph, node->layer_capacity * sizeof *node->layers);
  node->origin = IR_NONE;
  if (graph->layer < graph->subgraph->layer_count) {
    node->origin = graph->layer;
    node->layers[0] = graph->layer;
    node->layer_count = 1;
  }
  graph->nodes =
      grown(graph, graph->nodes, sizeof *graph->nodes, graph->node_count, &graph->node_capacity);
  graph->nodes[graph->node_count++] = node;
  return node;
}

ir_node_t* armnn_i_acc_node_of(ir_graph_t* graph, ir_kind_t kind, uint32_t input,
                               const ir_shape_t* shape) {
  return armnn_i_acc_node(graph, kind, &input, 1, shape);
}

armnn_i_acc_tensor_t armnn_i_acc_dense_weights(const float* values, int64_t o, int64_t y, int64_t x,
                                               int64_t i) {
  const int64_t size = sizeof *values;
  return (armnn_i_acc_tensor_t){
      .element = ARMNN_ACC_FLOAT32,
      .rank = 4,
      .dims = {o, y, x, i},
      .strides = {y * x * i * size, x * i * size, i * size, size},
      .values = values,
  };
}

void armnn_i_acc_adopt_layers(ir_graph_t* graph, ir_node_t* node, const ir_node_t* other) {
  for (uint32_t i = 0; i < other->layer_count; ++i) {
    const uint32_t layer = other->layers[i];
    uint32_t at = node->layer_count; /* mostly the right index: layers come in order */
    while (at > 0 && node->layers[at - 1] > layer) --at;
    if (at > 0 && node->layers[at - 1] == layer) continue;
    node->layers =
        grown(graph, node->layers, sizeof *node->layers, node->layer_count, &node->layer_capacity);
    memmove(&node->layers[at + 1], &node->layers[at],
            (node->layer_count - at) * sizeof *node->layers);
    node->layers[at] = layer;
    node->layer_count += 1;
  }
}
