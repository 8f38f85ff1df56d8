/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_attention.c - attention: a product of queries and keys, perhaps scaled, perhaps with a mask
 * added or chosen by one, a softmax of its rows, and a product with the values. Keys and values
 * that are repeated for a group of heads are read once for all of them.
 */
#include "compile/ir.h"

typedef struct attention_t {
  const ir_node_t *softmax, *sum, *scale, *product; /* |sum| and |scale| may be null */
  uint32_t mask;                                    /* value, or IR_NONE */
  bool shown;                                       /* of a mask of booleans (|sum| is a SELECT) */
  float hidden;
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

/* Scores where a condition holds, or where it does not, and one number elsewhere. */
static bool match_choice(const ir_graph_t* graph, uint32_t value, attention_t* out) {
  const ir_shape_t* shape = ir_shape(graph, value);
  out->mask = out->sum->inputs[0];
  for (uint32_t side = 1; side < 3; ++side) {
    const uint32_t scores = out->sum->inputs[side], other = out->sum->inputs[3 - side];
    const float* hidden = ir_floats(graph, other);
    if (hidden == NULL || ir_count(ir_shape(graph, other)) != 1 ||
        !ir_same_shape(ir_shape(graph, scores), shape) ||
        !is_mask(ir_shape(graph, out->mask), shape)) {
      continue;
    }
    out->shown = side == 1;
    out->hidden = hidden[0];
    return match_product(graph, scores, out);
  }
  return false;
}

static bool match_scores(const ir_graph_t* graph, uint32_t value, attention_t* out) {
  out->mask = IR_NONE;
  out->sum = armnn_i_acc_source_of(graph, value, IR_SELECT, 1);
  if (out->sum != NULL) return match_choice(graph, value, out);
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

/* What is behind |value| if that is [.., heads, a, b] and repeats each matrix of a [.., heads /
 * |*group|, a, b]; |value| itself, and 1, if not. |*repeat|: the node that repeats, or null. */
static uint32_t repeated(const ir_graph_t* graph, uint32_t value, int64_t* group,
                         const ir_node_t** repeat) {
  *group = 1;
  *repeat = NULL;
  const ir_node_t* merged = armnn_i_acc_source_of(graph, value, IR_RESHAPE, 1);
  const ir_node_t* wide =
      merged == NULL ? NULL : armnn_i_acc_source_of(graph, merged->inputs[0], IR_BROADCAST, 1);
  const ir_node_t* narrow =
      wide == NULL ? NULL : armnn_i_acc_source_of(graph, wide->inputs[0], IR_RESHAPE, 1);
  if (narrow == NULL) return value;
  const ir_shape_t *out = ir_shape(graph, value), *five = ir_shape(graph, wide->output);
  const ir_shape_t *one = ir_shape(graph, wide->inputs[0]),
                   *in = ir_shape(graph, narrow->inputs[0]);
  const uint32_t heads = out->rank - 3; /* then the group, in |five| and |one| */
  if (out->rank < 3 || in->rank != out->rank || five->rank != out->rank + 1 ||
      one->rank != five->rank || one->dims[heads + 1] != 1) {
    return value;
  }
  for (uint32_t d = 0; d < out->rank; ++d) {
    const uint32_t place = d > heads ? d + 1 : d;
    if (in->dims[d] != one->dims[place] || one->dims[place] != five->dims[place]) return value;
    if (d != heads && out->dims[d] != in->dims[d]) return value;
  }
  *group = five->dims[heads + 1];
  *repeat = wide;
  return narrow->inputs[0];
}

static void match(ir_graph_t* graph, uint32_t n) {
  ir_node_t* node = graph->nodes[n];
  attention_t found = {.mask = IR_NONE};
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
  int64_t key_group, group;
  const ir_node_t *repeats_key, *repeats_value;
  uint32_t key = repeated(graph, found.product->inputs[1], &key_group, &repeats_key);
  uint32_t value = repeated(graph, node->inputs[1], &group, &repeats_value);
  if (key_group != group) {
    key = found.product->inputs[1];
    value = node->inputs[1];
    repeats_key = repeats_value = NULL;
    group = 1;
  }
  const ir_node_t* parts[] = {found.softmax, found.sum,   found.scale,
                              found.product, repeats_key, repeats_value};
  for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
    if (parts[i] != NULL) armnn_i_acc_adopt_layers(graph, node, parts[i]);
  }
  const armnn_i_acc_attention_t attention = {
      .transpose_key = found.product->matmul.transpose_right,
      .transpose_value = node->matmul.transpose_right,
      .group = group,
      .shown = found.shown,
      .hidden = found.hidden,
      .scale = found.scale == NULL ? 1.0f : found.scale->a,
      .beta = found.softmax->softmax.beta,
  };
  const uint32_t inputs[] = {found.product->inputs[0], key, value, found.mask};
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
