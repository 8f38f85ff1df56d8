/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_dynamic.c - products of numbers that were quantised while the network runs: the product
 * quantises its rows itself, and its sums become real numbers where they are made. What networks
 * spell out: MAT_MUL_INTEGER of what DYNAMIC_QUANTIZE makes, a cast to float32, and products with
 * the scale of the numbers and those of the weights.
 */
#include "compile/ir.h"

/* The node that makes |value|, perhaps seen with another shape; or null. */
static const ir_node_t* maker_of(const ir_graph_t* graph, uint32_t value) {
  const ir_node_t* node = NULL;
  do {
    const uint32_t producer = graph->values[value]->producer;
    if (producer == IR_NONE) return NULL;
    node = graph->nodes[producer];
    value = node->inputs[0];
  } while (node->kind == IR_RESHAPE);
  return node;
}

/* Whether |value| is row |row| of the tensor |range|. */
static bool is_row_of(const ir_graph_t* graph, uint32_t value, uint32_t range, int64_t row) {
  const ir_node_t* node = maker_of(graph, value);
  return node != NULL && node->kind == IR_SLICE && node->inputs[0] == range &&
         node->slice.begin[0] == row;
}

/* ---- Rows that the product quantises ------------------------------------------------------- */

static bool is_point_of(const ir_graph_t* graph, uint32_t value, uint32_t range) {
  const ir_node_t* cast = maker_of(graph, value);
  return cast != NULL && cast->kind == IR_CAST && is_row_of(graph, cast->inputs[0], range, 1);
}

static void read_reals(ir_graph_t* graph, uint32_t n) {
  ir_node_t* node = graph->nodes[n];
  const uint32_t producer = graph->values[node->inputs[0]]->producer;
  if (producer == IR_NONE || graph->nodes[producer]->kind != IR_DYNAMIC_LEVELS) return;
  const ir_node_t* levels = graph->nodes[producer];
  const uint32_t range = levels->inputs[1];
  const int64_t rows =
      ir_count(ir_shape(graph, node->inputs[0])) / node->integer_product.weights.dims[0];
  const int64_t ranges = ir_shape(graph, range)->dims[1];
  const bool has_point = node->input_count > 1;
  const bool symmetric = levels->dynamic_levels.symmetric;
  if (ranges != 1 && ranges != rows) return;
  if (has_point ? !is_point_of(graph, node->inputs[1], range) : !symmetric) return;
  node->integer_product.symmetric = symmetric;
  armnn_i_acc_adopt_layers(graph, node, levels);
  armnn_i_acc_read_only(graph, n, (uint32_t[]){levels->inputs[0], range}, 2);
}

/* ---- Sums that become real numbers --------------------------------------------------------- */

/* The only reader of what |node| makes, if it is of |kind|. */
static bool next_of(const ir_graph_t* graph, const ir_node_t* node, ir_kind_t kind,
                    uint32_t* out_user) {
  const ir_value_t* made = graph->values[node->output];
  if (made->uses != 1 || made->output != IR_NONE) return false;
  *out_user = made->user;
  return graph->nodes[made->user]->kind == kind;
}

static void swallow(ir_graph_t* graph, uint32_t* n, uint32_t user) {
  armnn_i_acc_forget_reads(graph, *n);
  armnn_i_acc_forget_reads(graph, user);
  armnn_i_acc_take_place(graph, *n, user);
  *n = user;
}

static void read_sums(ir_graph_t* graph, uint32_t* n) {
  ir_node_t* node = graph->nodes[*n];
  uint32_t user;
  if (!next_of(graph, node, IR_CAST, &user) || !ir_is_float32(graph, graph->nodes[user]->output)) {
    return;
  }
  const int64_t channels = node->integer_product.weights.dims[1];
  float* scales = armnn_i_acc_pool(graph, (uint64_t)channels * sizeof *scales);
  for (int64_t c = 0; c < channels; ++c) scales[c] = 1.0f;
  node->integer_product.scales = scales;
  node->integer_product.shifts = armnn_i_acc_pool(graph, (uint64_t)channels * sizeof(float));
  swallow(graph, n, user);
}

/* ---- The scales of the rows ---------------------------------------------------------------- */

typedef struct factor_t {
  const float* values; /* of the weights' scales, or null: 1 */
  float all;           /* a factor of all of them */
} factor_t;

static bool note_factor(const float* values, int64_t count, int64_t channels, factor_t* out) {
  if (count == 1) {
    out->all *= values[0];
    return true;
  }
  if (count != channels || out->values != NULL) return false;
  out->values = values;
  return true;
}

static bool are_zeros(const float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (values[i] != 0.0f) return false;
  }
  return true;
}

/* Whether |value| is the scale of the rows in |range|, times numbers that are constant. */
static bool match_scale(const ir_graph_t* graph, uint32_t value, uint32_t range, int64_t channels,
                        factor_t* out) {
  const ir_node_t* node = maker_of(graph, value);
  if (node == NULL) return false;
  if (is_row_of(graph, value, range, 0)) return true;
  const ir_shape_t* shape = ir_shape(graph, node->output);
  const int64_t last = shape->dims[shape->rank - 1];
  if (node->kind == IR_UNARY) {
    out->all *= node->a;
    return node->function == ARMNN_ACC_LINEAR && node->b == 0.0f &&
           match_scale(graph, node->inputs[0], range, channels, out);
  }
  if (node->kind == IR_AFFINE) {
    return node->function == ARMNN_ACC_IDENTITY && are_zeros(node->affine.shift, last) &&
           note_factor(node->affine.scale, last, channels, out) &&
           match_scale(graph, node->inputs[0], range, channels, out);
  }
  if (node->kind != IR_BINARY || node->binary.operation != ARMNN_BINARY_MUL ||
      node->function != ARMNN_ACC_IDENTITY) {
    return false;
  }
  for (uint32_t side = 0; side < 2; ++side) {
    const float* values = ir_floats(graph, node->inputs[side]);
    if (values == NULL) continue;
    const int64_t count = ir_count(ir_shape(graph, node->inputs[side]));
    /* Beside the scales of many rows several numbers are the rows' own. */
    if (count > 1 && ir_shape(graph, range)->dims[1] > 1) return false;
    return note_factor(values, count, channels, out) &&
           match_scale(graph, node->inputs[1 - side], range, channels, out);
  }
  return false;
}

/* Whether |factor| broadcasts to |shape| as one number, one for each row, or one for each column of
 * a tensor with one range. */
static bool goes_by_rows(const ir_shape_t* factor, const ir_shape_t* shape, int64_t ranges) {
  if (ir_count(factor) == 1) return true;
  const uint32_t last = shape->rank - 1;
  if (factor->rank != shape->rank) return false;
  if (ranges == 1) return ir_count(factor) == factor->dims[last];
  for (uint32_t d = 0; d < last; ++d) {
    if (factor->dims[d] != shape->dims[d]) return false;
  }
  return factor->dims[last] == 1;
}

static void read_scale(ir_graph_t* graph, uint32_t* n) {
  ir_node_t* node = graph->nodes[*n];
  uint32_t user;
  if (!next_of(graph, node, IR_BINARY, &user)) return;
  const ir_node_t* product = graph->nodes[user];
  const uint32_t range = node->inputs[1];
  const int64_t channels = node->integer_product.weights.dims[1];
  const uint32_t other = product->inputs[product->inputs[0] == node->output ? 1 : 0];
  const float zero = 0.0f;
  factor_t factor = {.all = 1.0f};
  if (product->binary.operation != ARMNN_BINARY_MUL || product->function != ARMNN_ACC_IDENTITY ||
      other == node->output ||
      !ir_same_shape(ir_shape(graph, product->output), ir_shape(graph, node->output)) ||
      !goes_by_rows(ir_shape(graph, other), ir_shape(graph, node->output),
                    ir_shape(graph, range)->dims[1]) ||
      !match_scale(graph, other, range, channels, &factor)) {
    return;
  }
  float* shifts = armnn_i_acc_pool(graph, (uint64_t)channels * sizeof *shifts);
  armnn_i_acc_integer_product_t* what = &node->integer_product;
  const float *scales = what->scales, *added = what->shifts;
  if (!armnn_i_acc_scale_channels(graph, channels, &factor.all, &zero, 0, &scales, &added) ||
      (factor.values != NULL &&
       !armnn_i_acc_scale_channels(graph, channels, factor.values, shifts, 1, &scales, &added))) {
    return;
  }
  what->scales = scales;
  what->shifts = added;
  node->integer_product.scaled = true;
  swallow(graph, n, user);
}

void armnn_i_acc_fuse_dynamic(ir_graph_t* graph) {
  armnn_i_acc_count_uses(graph);
  for (uint32_t i = 0; i < graph->node_count; ++i) {
    uint32_t n = i;
    if (graph->nodes[n]->kind != IR_INTEGER_PRODUCT || graph->nodes[n]->integer_product.scales) {
      continue;
    }
    read_reals(graph, n);
    read_sums(graph, &n);
    const ir_node_t* node = graph->nodes[n];
    if (node->integer_product.scales != NULL && ir_is_float32(graph, node->inputs[0])) {
      read_scale(graph, &n);
    }
  }
}
