/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * uses.c - the readers of each value, counted once for the whole graph and updated by each change.
 */
#include "ir.h"

static void read_by(ir_graph_t* graph, uint32_t value, uint32_t node) {
  graph->values[value]->uses += 1;
  graph->values[value]->user ^= node;
}

static void unread_by(ir_graph_t* graph, uint32_t value, uint32_t node) {
  graph->values[value]->uses -= 1;
  graph->values[value]->user ^= node;
}

void armnn_i_acc_note_reads(ir_graph_t* graph, uint32_t n) {
  const ir_node_t* node = graph->nodes[n];
  for (uint32_t i = 0; i < node->input_count; ++i) read_by(graph, node->inputs[i], n);
  if (node->residual != IR_NONE) read_by(graph, node->residual, n);
}

void armnn_i_acc_forget_reads(ir_graph_t* graph, uint32_t n) {
  const ir_node_t* node = graph->nodes[n];
  for (uint32_t i = 0; i < node->input_count; ++i) unread_by(graph, node->inputs[i], n);
  if (node->residual != IR_NONE) unread_by(graph, node->residual, n);
}

/* Drops the producer of a value without a reader, and producers of values that only it read. */
static void bury(ir_graph_t* graph, uint32_t value) {
  ir_value_t* unread = graph->values[value];
  if (unread->uses != 0 || unread->output != IR_NONE || unread->producer == IR_NONE) return;
  ir_node_t* node = graph->nodes[unread->producer];
  armnn_i_acc_forget_reads(graph, unread->producer);
  node->kind = IR_DEAD;
  unread->producer = IR_NONE;
  for (uint32_t i = 0; i < node->input_count; ++i) bury(graph, node->inputs[i]);
  if (node->residual != IR_NONE) bury(graph, node->residual);
}

void armnn_i_acc_read_only(ir_graph_t* graph, uint32_t n, const uint32_t* inputs, uint32_t count) {
  ir_node_t* node = graph->nodes[n];
  const uint32_t before = node->input_count, *read_before = node->inputs;
  armnn_i_acc_forget_reads(graph, n);
  node->inputs = armnn_i_acc_pool(graph, count * sizeof *node->inputs);
  for (uint32_t i = 0; i < count; ++i) node->inputs[i] = inputs[i];
  node->input_count = count;
  armnn_i_acc_note_reads(graph, n);
  for (uint32_t i = 0; i < before; ++i) bury(graph, read_before[i]);
}

void armnn_i_acc_read_alone(ir_graph_t* graph, uint32_t n, uint32_t input) {
  armnn_i_acc_read_only(graph, n, &input, 1);
}

void armnn_i_acc_take_place(ir_graph_t* graph, uint32_t at, uint32_t user) {
  ir_node_t *node = graph->nodes[at], *swallowed = graph->nodes[user];
  armnn_i_acc_adopt_layers(graph, node, swallowed);
  graph->values[node->output]->producer = IR_NONE;
  node->output = swallowed->output;
  swallowed->kind = IR_DEAD;
  graph->nodes[at] = swallowed;
  graph->nodes[user] = node;
  armnn_i_acc_note_reads(graph, user);
}

void armnn_i_acc_count_uses(ir_graph_t* graph) {
  for (uint32_t v = 0; v < graph->value_count; ++v) {
    graph->values[v]->uses = graph->values[v]->user = 0;
    graph->values[v]->producer = IR_NONE;
  }
  for (uint32_t n = graph->node_count; n-- > 0;) { /* readers come behind what they read */
    ir_node_t* node = graph->nodes[n];
    const ir_value_t* output = graph->values[node->output];
    if (node->kind != IR_DEAD && output->uses == 0 && output->output == IR_NONE) {
      node->kind = IR_DEAD;
    }
    if (node->kind == IR_DEAD) continue;
    armnn_i_acc_note_reads(graph, n);
    graph->values[node->output]->producer = n;
  }
}

ir_node_t* armnn_i_acc_source(const ir_graph_t* graph, uint32_t value, uint32_t reads) {
  const ir_value_t* made = graph->values[value];
  if (made->producer == IR_NONE || made->uses != reads || made->output != IR_NONE) return NULL;
  return graph->nodes[made->producer];
}

ir_node_t* armnn_i_acc_source_of(const ir_graph_t* graph, uint32_t value, ir_kind_t kind,
                                 uint32_t reads) {
  ir_node_t* node = armnn_i_acc_source(graph, value, reads);
  return node != NULL && node->kind == kind ? node : NULL;
}
