/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_quantized.c - a table that only bounds the numbers of a product or of a sum becomes bounds
 * of their own: ReLU and its like. Then a sum whose operand a convolution makes goes into that.
 */
#include "quantized.h"

/* The bounds of the numbers that |node| stores, or null if it has none. */
static int32_t* bounds_of(ir_node_t* node) {
  switch (node->kind) {
    case IR_QUANTIZED_CONVOLUTION:
    case IR_QUANTIZED_DEPTHWISE:
    case IR_QUANTIZED_TRANSPOSE_CONVOLUTION:
      return &node->quantized_convolution.low; /* and |high| behind it */
    case IR_QUANTIZED_MATMUL:
      return &node->quantized_matmul.low;
    case IR_QUANTIZED_BINARY:
      return &node->quantized_binary.low;
    default:
      return NULL;
  }
}

/* Whether the table maps each number of |type| to itself or to the nearer of two bounds. */
static bool is_clamp(const uint8_t* table, int32_t type, int32_t* out_low, int32_t* out_high) {
  const int32_t least = armnn_i_acc_least(type);
  const bool is_signed = least < 0;
  int32_t bounds[2];
  for (int32_t i = 0; i < 2; ++i) {
    const uint8_t byte = table[(uint8_t)(least + 255 * i)];
    bounds[i] = is_signed ? (int8_t)byte : byte;
  }
  for (int32_t number = least; number < least + 256; ++number) {
    const int32_t clamped = number < bounds[0]   ? bounds[0]
                            : number > bounds[1] ? bounds[1]
                                                 : number;
    if (table[(uint8_t)number] != (uint8_t)clamped) return false;
  }
  *out_low = bounds[0];
  *out_high = bounds[1];
  return bounds[0] <= bounds[1];
}

/* The same of a table of 65536 numbers. */
static bool is_word_clamp(const int16_t* table, int32_t* out_low, int32_t* out_high) {
  const int32_t low = table[(uint16_t)INT16_MIN], high = table[INT16_MAX];
  for (int32_t number = INT16_MIN; number <= INT16_MAX; ++number) {
    const int32_t clamped = number < low ? low : number > high ? high : number;
    if (table[(uint16_t)number] != clamped) return false;
  }
  *out_low = low;
  *out_high = high;
  return low <= high;
}

/* Whether |node| is a table that keeps numbers of |type| between two bounds. */
static bool clamps(const ir_node_t* node, int32_t type, int32_t* out_low, int32_t* out_high) {
  if (node->kind == IR_TABLE) return is_clamp(node->table.table, type, out_low, out_high);
  return node->kind == IR_WORD_TABLE && is_word_clamp(node->word_table.table, out_low, out_high);
}

static int32_t within(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

static void fuse_bounds(ir_graph_t* graph) {
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    ir_node_t* node = graph->nodes[n];
    int32_t low = 0, high = 0, *bounds = bounds_of(node);
    const ir_value_t* between = graph->values[node->output];
    if (bounds == NULL || between->uses != 1 || between->output != IR_NONE) continue;
    const uint32_t user = between->user;
    const ir_node_t* next = graph->nodes[user];
    const armnn_i_acc_element_t element = graph->values[next->output]->element;
    if (element.type != between->element.type ||
        element.zero_point != between->element.zero_point ||
        !clamps(next, between->element.type, &low, &high)) {
      continue;
    }
    bounds[0] = within(bounds[0], low, high);
    bounds[1] = within(bounds[1], low, high);
    armnn_i_acc_forget_reads(graph, n);
    armnn_i_acc_forget_reads(graph, user);
    armnn_i_acc_take_place(graph, n, user);
  }
}

/* Whether |sum|, the only reader of the convolution |node|, can be made by it. */
static bool takes_sum(const ir_graph_t* graph, const ir_node_t* node, const ir_node_t* sum) {
  if (node->kind != IR_QUANTIZED_CONVOLUTION || node->residual != IR_NONE ||
      sum->kind != IR_QUANTIZED_BINARY || sum->quantized_binary.operation != ARMNN_BINARY_ADD) {
    return false;
  }
  for (uint32_t i = 0; i < 2; ++i) {
    if (graph->values[sum->inputs[i]]->constant != NULL ||
        !ir_same_shape(ir_shape(graph, sum->inputs[i]), ir_shape(graph, sum->output))) {
      return false;
    }
  }
  return armnn_i_acc_is_levels(graph->values[sum->output]->element.type) &&
         ir_shape(graph, sum->output)->rank == 4 && sum->inputs[0] != sum->inputs[1];
}

static void fuse_sums(ir_graph_t* graph) {
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    ir_node_t* node = graph->nodes[n];
    const ir_value_t* between = graph->values[node->output];
    if (node->kind == IR_DEAD || between->uses != 1 || between->output != IR_NONE) continue;
    const uint32_t user = between->user;
    const ir_node_t* next = graph->nodes[user];
    if (!takes_sum(graph, node, next)) continue;
    const uint32_t side = next->inputs[0] == node->output ? 0 : 1;
    armnn_i_acc_quantized_binary_t* sum = &node->quantized_convolution.sum;
    *sum = next->quantized_binary;
    if (side == 1) { /* what the convolution stores is on the left */
      sum->left_factor = next->quantized_binary.right_factor;
      sum->right_factor = next->quantized_binary.left_factor;
    }
    sum->left.element = between->element;
    node->quantized_convolution.has_sum = true;
    armnn_i_acc_forget_reads(graph, n);
    armnn_i_acc_forget_reads(graph, user);
    node->residual = next->inputs[1 - side];
    armnn_i_acc_take_place(graph, n, user);
  }
}

void armnn_i_acc_fuse_quantized(ir_graph_t* graph) {
  armnn_i_acc_count_uses(graph);
  fuse_bounds(graph);
  fuse_sums(graph);
}
