/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_normalization.c - a normalisation that is written out in several nodes: (x - mean) /
 * sqrt(variance + eps), or times the reciprocal of the root, and a scale and a shift behind it; or
 * x / sqrt(mean of x^2 + eps) alone.
 */
#include "compile/ir.h"

static const ir_node_t* unary_of(const ir_graph_t* graph, uint32_t value, int32_t function) {
  const ir_node_t* node = armnn_i_acc_source_of(graph, value, IR_UNARY, 1);
  return node != NULL && node->function == function ? node : NULL;
}

static const ir_node_t* mean_of(const ir_graph_t* graph, uint32_t value) {
  const ir_node_t* node = armnn_i_acc_source_of(graph, value, IR_REDUCE, 1);
  return node != NULL && node->reduce.operation == ARMNN_REDUCE_MEAN &&
                 node->function == ARMNN_ACC_IDENTITY
             ? node
             : NULL;
}

static bool is_binary(const ir_node_t* node, int32_t operation) {
  return node->kind == IR_BINARY && node->binary.operation == operation &&
         node->function == ARMNN_ACC_IDENTITY;
}

/* The node that makes |value| as the square of |base|, or null; |*readers|: its reads of |base|. */
static const ir_node_t* square_of(const ir_graph_t* graph, uint32_t value, uint32_t base,
                                  uint32_t* readers) {
  const ir_node_t* node = armnn_i_acc_source_of(graph, value, IR_BINARY, 1);
  *readers = 2;
  if (node != NULL) {
    return is_binary(node, ARMNN_BINARY_MUL) && node->inputs[0] == base && node->inputs[1] == base
               ? node
               : NULL;
  }
  *readers = 1;
  node = unary_of(graph, value, ARMNN_ACC_SQUARE);
  return node != NULL && node->inputs[0] == base ? node : NULL;
}

static void swallow_affine(ir_graph_t* graph, uint32_t at) {
  ir_node_t* node = graph->nodes[at];
  const ir_value_t* output = graph->values[node->output];
  if (output->uses != 1 || output->output != IR_NONE) return;
  const uint32_t user = output->user;
  const ir_node_t* next = graph->nodes[user];
  const int64_t count = output->shape.dims[output->shape.rank - 1];
  if (node->normalize.kind == ARMNN_ACC_NORMALIZE_L2 || next->kind != IR_AFFINE ||
      next->function != ARMNN_ACC_IDENTITY || next->residual != IR_NONE ||
      !armnn_i_acc_try_amplify(node, false, next->affine.scale, next->affine.shift, count)) {
    return;
  }
  float* ones = armnn_i_acc_pool(graph, (uint64_t)count * sizeof *ones);
  for (int64_t i = 0; i < count; ++i) ones[i] = 1.0f;
  const float *gamma = node->normalize.gamma, *beta = node->normalize.beta;
  if (gamma == NULL) gamma = ones;
  if (!armnn_i_acc_scale_channels(graph, count, next->affine.scale, next->affine.shift, 1, &gamma,
                                  &beta)) {
    return;
  }
  node->normalize.gamma = gamma;
  node->normalize.beta = beta;
  armnn_i_acc_forget_reads(graph, at);
  armnn_i_acc_forget_reads(graph, user);
  armnn_i_acc_take_place(graph, at, user);
}

/* The nodes from the mean of squares to the root that something is divided by or, not |divides|, is
 * multiplied with the reciprocal of. */
typedef struct root_t {
  const ir_node_t *variance, *sum, *root, *reciprocal; /* |reciprocal| may be null */
} root_t;

static bool match_root(const ir_graph_t* graph, uint32_t value, bool divides, root_t* out) {
  out->reciprocal = divides ? NULL : unary_of(graph, value, ARMNN_ACC_RECIPROCAL);
  if (out->reciprocal != NULL) value = out->reciprocal->inputs[0];
  const bool is_root = divides || out->reciprocal != NULL;
  out->root = unary_of(graph, value, is_root ? ARMNN_ACC_SQRT : ARMNN_ACC_RSQRT);
  if (out->root == NULL && is_root) out->root = unary_of(graph, value, ARMNN_ACC_ROOT);
  out->sum = out->root == NULL ? NULL : unary_of(graph, out->root->inputs[0], ARMNN_ACC_LINEAR);
  out->variance = out->sum == NULL ? NULL : mean_of(graph, out->sum->inputs[0]);
  return out->variance != NULL && out->sum->a == 1.0f && out->sum->b > 0.0f;
}

/* The node that makes |value|, whose square has |readers| reads of it, as a difference of something
 * and its mean over the axes of |mask|; null if it is not one. */
static const ir_node_t* difference_of(const ir_graph_t* graph, uint32_t value, uint32_t readers,
                                      uint32_t mask) {
  const ir_node_t* node = armnn_i_acc_source_of(graph, value, IR_BINARY, readers + 1);
  if (node == NULL || !is_binary(node, ARMNN_BINARY_SUB)) return NULL;
  const ir_node_t* mean = mean_of(graph, node->inputs[1]);
  return mean != NULL && mean->inputs[0] == node->inputs[0] && mean->reduce.axis_mask == mask
             ? node
             : NULL;
}

/* Whether the quotient or product at |n| is the last of such nodes: then it becomes a NORMALIZE. */
static bool match(ir_graph_t* graph, uint32_t n) {
  ir_node_t* node = graph->nodes[n];
  const bool divides = is_binary(node, ARMNN_BINARY_DIV);
  if (!divides && !is_binary(node, ARMNN_BINARY_MUL)) return false;
  for (uint32_t side = 0; side < (divides ? 1u : 2u); ++side) {
    const uint32_t base = node->inputs[side];
    root_t root;
    if (!match_root(graph, node->inputs[1 - side], divides, &root)) continue;
    uint32_t readers;
    const ir_node_t* square = square_of(graph, root.variance->inputs[0], base, &readers);
    if (square == NULL || !ir_same_shape(ir_shape(graph, base), ir_shape(graph, node->output))) {
      continue;
    }
    const uint32_t mask = root.variance->reduce.axis_mask;
    const ir_node_t* difference = difference_of(graph, base, readers, mask);
    const uint32_t x = difference == NULL ? base : difference->inputs[0];
    const float eps = root.sum->b;
    if (!ir_same_shape(ir_shape(graph, x), ir_shape(graph, node->output))) continue;
    const ir_node_t* parts[] = {square,    root.variance,   root.sum,
                                root.root, root.reciprocal, difference};
    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
      if (parts[i] != NULL) armnn_i_acc_adopt_layers(graph, node, parts[i]);
    }
    if (difference != NULL) {
      armnn_i_acc_adopt_layers(graph, node, mean_of(graph, difference->inputs[1]));
    }
    node->kind = IR_NORMALIZE;
    armnn_i_acc_read_alone(graph, n, x);
    node->normalize.kind =
        difference != NULL ? ARMNN_ACC_NORMALIZE_MEAN_VARIANCE : ARMNN_ACC_NORMALIZE_MEAN_SQUARE;
    node->normalize.axis_mask = mask;
    node->normalize.scale_axis = ir_shape(graph, x)->rank - 1;
    node->normalize.eps = eps;
    node->normalize.gamma = node->normalize.beta = NULL;
    return true;
  }
  return false;
}

void armnn_i_acc_fuse_normalization(ir_graph_t* graph) {
  armnn_i_acc_count_uses(graph);
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    if (graph->nodes[n]->kind == IR_BINARY && match(graph, n)) {
      swallow_affine(graph, n);
    }
    if (graph->nodes[n]->kind == IR_NORMALIZE) swallow_affine(graph, n);
  }
}
