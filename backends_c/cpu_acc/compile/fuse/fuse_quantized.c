/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_quantized.c - a table that only bounds the numbers of a product or of a sum becomes bounds
 * of their own: ReLU and its like. Bytes that are real numbers only for a scale and a shift
 * stay bytes. Then a sum whose operand a convolution makes goes into that.
 */
#include <math.h>

#include "compile/read/quantized.h"

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

/* The same for a table of 65536 numbers. */
static bool is_int16_clamp(const int16_t* table, int32_t* out_low, int32_t* out_high) {
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
  return node->kind == IR_INT16_TABLE && is_int16_clamp(node->int16_table.table, out_low, out_high);
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
  return armnn_i_acc_is_8bit(graph->values[sum->output]->element.type) &&
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

/* ---- Bytes to bytes by way of real numbers ------------------------------------------------- */

/* The only reader of what node |n| makes, or null. */
static const ir_node_t* only_reader(const ir_graph_t* graph, uint32_t n, uint32_t* out_at) {
  const ir_value_t* made = graph->values[graph->nodes[n]->output];
  if (made->uses != 1 || made->output != IR_NONE) return NULL;
  *out_at = made->user;
  return graph->nodes[made->user];
}

static bool are_finite(const float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!isfinite(values[i])) return false;
  }
  return true;
}

/* Whether the affine |node| can go between two conversions: no function but bounds, and numbers
 * that are in order whatever they are. */
static bool goes_between(const ir_graph_t* graph, const ir_node_t* node) {
  const ir_shape_t* shape = ir_shape(graph, node->output);
  const int64_t channels = shape->dims[shape->rank - 1];
  return node->kind == IR_AFFINE && node->residual == IR_NONE &&
         (node->function == ARMNN_ACC_IDENTITY || node->function == ARMNN_ACC_CLAMP) &&
         ir_same_shape(ir_shape(graph, node->inputs[0]), shape) &&
         are_finite(node->affine.scale, channels) && are_finite(node->affine.shift, channels);
}

static void swallow(ir_graph_t* graph, uint32_t n, uint32_t user) {
  armnn_i_acc_forget_reads(graph, n);
  armnn_i_acc_forget_reads(graph, user);
  armnn_i_acc_take_place(graph, n, user);
}

/* A batch normalisation between two scales is such a chain: in memory, its real numbers are four
 * times as large as the bytes. */
static void fuse_conversions(ir_graph_t* graph) {
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    ir_node_t* node = graph->nodes[n];
    uint32_t middle = 0, end = 0;
    if (node->kind != IR_DEQUANTIZE ||
        !armnn_i_acc_is_8bit(graph->values[node->inputs[0]]->element.type)) {
      continue;
    }
    const ir_node_t* affine = only_reader(graph, n, &middle);
    if (affine == NULL || !goes_between(graph, affine)) continue;
    const ir_node_t* last = only_reader(graph, middle, &end);
    if (last == NULL || last->kind != IR_QUANTIZE ||
        !armnn_i_acc_is_8bit(graph->values[last->output]->element.type)) {
      continue;
    }
    const bool is_bounded = affine->function == ARMNN_ACC_CLAMP;
    const armnn_i_acc_quantized_affine_t what = {
        .scale = affine->affine.scale,
        .shift = affine->affine.shift,
        .low = is_bounded ? affine->a : -INFINITY,
        .high = is_bounded ? affine->b : INFINITY,
    };
    node->kind = IR_QUANTIZED_AFFINE;
    node->quantized_affine = what;
    swallow(graph, n, middle);
    swallow(graph, middle, end);
  }
}

void armnn_i_acc_fuse_quantized(ir_graph_t* graph) {
  armnn_i_acc_count_uses(graph);
  fuse_conversions(graph);
  fuse_bounds(graph);
  fuse_sums(graph);
}
