/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_patterns.c - functions that networks spell out: x * sigmoid(a x), x * hard_sigmoid(x), and
 * x + x * gate.
 */
#include <math.h>

#include "compile/ir.h"

/* The UNARY node that makes |value|, or null if another node makes it or |value| has several
 * readers. */
static ir_node_t* function_of(const ir_graph_t* graph, uint32_t value) {
  return armnn_i_acc_source_of(graph, value, IR_UNARY, 1);
}

static bool near(float value, float expected) {
  return fabsf(value - expected) <= 6e-6f * fabsf(expected);
}

static bool is_scale_of(const ir_node_t* node, uint32_t x) {
  return node != NULL && node->function == ARMNN_ACC_LINEAR && node->b == 0.0f &&
         node->inputs[0] == x;
}

/* Whether x * gate(x) is one function, |out_function| with |out_a|. */
static bool match_gate(const ir_graph_t* graph, const ir_node_t* gate, uint32_t x,
                       int32_t* out_function, float* out_a) {
  if (gate->function == ARMNN_ACC_SIGMOID) {
    const ir_node_t* steep = gate->inputs[0] == x ? NULL : function_of(graph, gate->inputs[0]);
    *out_function = ARMNN_ACC_SWISH;
    *out_a = steep == NULL ? 1.0f : steep->a;
    return gate->inputs[0] == x || is_scale_of(steep, x);
  }
  *out_function = ARMNN_ACC_HARD_SWISH;
  if (gate->function == ARMNN_ACC_HARD_SIGMOID && gate->inputs[0] == x) {
    *out_a = 1.0f;
    return near(gate->a, 1.0f / 6.0f) && near(gate->b, 0.5f);
  }
  if (gate->function != ARMNN_ACC_CLAMP || gate->a != 0.0f) return false;
  if (!(gate->b > 0.0f && gate->b < INFINITY)) return false; /* a ReLU has no upper bound */
  const ir_node_t* sum = function_of(graph, gate->inputs[0]);
  if (sum == NULL || sum->function != ARMNN_ACC_LINEAR || sum->inputs[0] != x) return false;
  *out_a = gate->b; /* min(max(x + 3, 0), 6), or a sixth of it */
  return near(sum->a * 6.0f, gate->b) && near(sum->b * 2.0f, gate->b);
}

static void match_product(ir_graph_t* graph, uint32_t n) {
  ir_node_t* node = graph->nodes[n];
  for (uint32_t side = 0; side < 2; ++side) {
    const uint32_t x = node->inputs[side];
    ir_node_t* scale = function_of(graph, node->inputs[1 - side]);
    int32_t function;
    float a, factor = 1.0f;
    if (scale == NULL || !ir_same_shape(ir_shape(graph, x), ir_shape(graph, node->output))) {
      continue;
    }
    const ir_node_t* gate = scale;
    if (scale->function == ARMNN_ACC_LINEAR && scale->b == 0.0f) {
      factor = scale->a;
      gate = function_of(graph, scale->inputs[0]);
    }
    if (gate == NULL || !match_gate(graph, gate, x, &function, &a)) continue;
    if (function == ARMNN_ACC_SWISH && factor != 1.0f) continue;
    if (gate != scale) armnn_i_acc_adopt_layers(graph, node, scale);
    if (gate->inputs[0] != x) { /* the line or the steeper x before the gate */
      armnn_i_acc_adopt_layers(graph, node, function_of(graph, gate->inputs[0]));
    }
    armnn_i_acc_adopt_layers(graph, node, gate);
    node->kind = IR_UNARY;
    armnn_i_acc_read_alone(graph, n, x);
    node->function = function;
    node->a = function == ARMNN_ACC_HARD_SWISH ? a * factor : a;
    node->b = -0.0f; /* nothing is added: a zero keeps its sign */
    return;
  }
}

/* x + x * gate, where the gate is smaller than x: x * (gate + 1), whose sum is cheap, and goes into
 * the node that makes the gate. */
static void match_gated_sum(ir_graph_t* graph, ir_node_t* sum) {
  for (uint32_t side = 0; side < 2; ++side) {
    const uint32_t x = sum->inputs[side], scaled = sum->inputs[1 - side];
    const ir_value_t* value = graph->values[scaled];
    if (x == scaled || value->producer == IR_NONE || value->uses != 1 || value->output != IR_NONE) {
      continue;
    }
    ir_node_t* product = graph->nodes[value->producer];
    if (product->kind != IR_BINARY || product->binary.operation != ARMNN_BINARY_MUL ||
        product->function != ARMNN_ACC_IDENTITY ||
        (product->inputs[0] != x && product->inputs[1] != x)) {
      continue;
    }
    const uint32_t gate = product->inputs[product->inputs[0] == x ? 1 : 0];
    const ir_shape_t* small = ir_shape(graph, gate);
    if (gate == x || graph->values[gate]->constant != NULL ||
        2 * ir_count(small) > ir_count(ir_shape(graph, x)) ||
        !ir_same_shape(ir_shape(graph, x), ir_shape(graph, sum->output))) {
      continue;
    }
    /* The node of the product makes gate + 1, that of the sum the product. */
    armnn_i_acc_adopt_layers(graph, sum, product);
    graph->values[scaled]->shape = *small;
    product->kind = IR_UNARY;
    product->function = ARMNN_ACC_LINEAR;
    product->a = product->b = 1.0f;
    armnn_i_acc_read_alone(graph, value->producer, gate);
    sum->binary.operation = ARMNN_BINARY_MUL;
    return;
  }
}

void armnn_i_acc_fuse_patterns(ir_graph_t* graph) {
  armnn_i_acc_count_uses(graph);
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    ir_node_t* node = graph->nodes[n];
    if (node->kind != IR_BINARY || node->function != ARMNN_ACC_IDENTITY) continue;
    if (node->binary.operation == ARMNN_BINARY_MUL) match_product(graph, n);
    if (node->kind == IR_BINARY && node->binary.operation == ARMNN_BINARY_ADD) {
      match_gated_sum(graph, node);
    }
  }
}
