/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_attention.c - attention: a product of queries and keys, perhaps scaled, perhaps with a mask
 * added, a softmax of its rows, and a product with the values.
 */
#include "ir.h"

typedef struct attention_t {
  const ir_node_t *softmax, *sum, *scale, *product; /* |sum| and |scale| may be null */
  uint32_t mask;                                    /* value, or IR_NONE */
} attention_t;

static bool is_plain_product(const ir_graph_t* graph, const ir_node_t* node) {
  return node->kind == IR_MATMUL && !node->matmul.transpose_left && node->matmul.bias == NULL &&
         node->function == ARMNN_ACC_IDENTITY && node->residual == IR_NONE &&
         graph->values[node->inputs[1]]->constant == NULL &&
         ir_shape(graph, node->output)->rank > 2;
}

/* The product of queries and keys that makes |value|, with a scale or without. */
static bool match_product(const ir_graph_t* graph, uint32_t value, attention_t* out) {
  out->scale = armnn_i_acc_source_of(graph, value, IR_UNARY, 1);
  if (out->scale != NULL) {
    if (out->scale->function != ARMNN_ACC_LINEAR || out->scale->b != 0.0f) return false;
    value = out->scale->inputs[0];
  }
  out->product = armnn_i_acc_source_of(graph, value, IR_MATMUL, 1);
  return out->product != NULL && is_plain_product(graph, out->product);
}

/* Whether |mask| can be added to scores of |shape| row by row: nothing of it repeats in a row. */
static bool is_mask(const ir_shape_t* mask, const ir_shape_t* shape) {
  return mask->rank == shape->rank && mask->dims[mask->rank - 1] == shape->dims[shape->rank - 1];
}

static bool match_scores(const ir_graph_t* graph, uint32_t value, attention_t* out) {
  out->mask = IR_NONE;
  out->sum = armnn_i_acc_source_of(graph, value, IR_BINARY, 1);
  if (out->sum == NULL) return match_product(graph, value, out);
  if (out->sum->binary.operation != ARMNN_BINARY_ADD || out->sum->function != ARMNN_ACC_IDENTITY) {
    return false;
  }
  const ir_shape_t* shape = ir_shape(graph, value);
  for (uint32_t side = 0; side < 2; ++side) {
    const uint32_t scores = out->sum->inputs[side];
    out->mask = out->sum->inputs[1 - side];
    if (scores != out->mask && ir_same_shape(ir_shape(graph, scores), shape) &&
        is_mask(ir_shape(graph, out->mask), shape) && match_product(graph, scores, out)) {
      return true;
    }
  }
  return false;
}

static void match(ir_graph_t* graph, uint32_t n) {
  ir_node_t* node = graph->nodes[n];
  attention_t found;
  found.softmax = armnn_i_acc_source_of(graph, node->inputs[0], IR_SOFTMAX, 1);
  if (found.softmax == NULL || found.softmax->softmax.logarithm) return;
  const uint32_t scores = found.softmax->inputs[0];
  const ir_shape_t *shape = ir_shape(graph, scores), *out = ir_shape(graph, node->output);
  if (found.softmax->softmax.axis != shape->rank - 1 || ir_count(shape) == 0 ||
      ir_count(out) == 0 || !match_scores(graph, scores, &found)) {
    return;
  }
  for (uint32_t d = 0; d + 1 < out->rank; ++d) { /* values that repeat scores for more matrices */
    if (shape->dims[d] != out->dims[d]) return;
  }
  const ir_node_t* parts[] = {found.softmax, found.sum, found.scale, found.product};
  for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
    if (parts[i] != NULL) armnn_i_acc_adopt_layers(graph, node, parts[i]);
  }
  const armnn_i_acc_attention_t attention = {
      .transpose_key = found.product->matmul.transpose_right,
      .transpose_value = node->matmul.transpose_right,
      .scale = found.scale == NULL ? 1.0f : found.scale->a,
      .beta = found.softmax->softmax.beta,
  };
  const uint32_t inputs[] = {found.product->inputs[0], found.product->inputs[1], node->inputs[1],
                             found.mask};
  node->kind = IR_ATTENTION;
  node->attention = attention;
  armnn_i_acc_read_only(graph, n, inputs, found.mask == IR_NONE ? 3 : 4);
}

void armnn_i_acc_fuse_attention(ir_graph_t* graph) {
  armnn_i_acc_count_uses(graph);
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    if (graph->nodes[n]->kind == IR_MATMUL && is_plain_product(graph, graph->nodes[n])) {
      match(graph, n);
    }
  }
}
