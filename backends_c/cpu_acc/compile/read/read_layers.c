/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_layers.c - layers that compute and know no data layout: their nodes keep the order in which
 * their operands have their dimensions, as far as they can.
 */
#include <math.h>
#include <string.h>

#include "compile/ir.h"
#include "functions.h"

/* ---- Functions of one variable ------------------------------------------------------------- */

ir_alias_t armnn_i_acc_apply(ir_graph_t* graph, const ir_alias_t* alias, int32_t function, float a,
                             float b) {
  const ir_shape_t shape = *ir_shape(graph, alias->value);
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_UNARY, alias->value, &shape);
  node->function = function;
  node->a = a;
  node->b = b;
  ir_alias_t result = *alias;
  result.value = node->output;
  return result;
}

static void apply_to_input(ir_graph_t* graph, int32_t function, float a, float b) {
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_apply(graph, &input, function, a, b));
}

void armnn_i_acc_read_activation(ir_graph_t* graph) {
  const armnn_activation_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  float a = d->a, b = d->b;
  armnn_i_acc_activation_parameters(d->function, &a, &b);
  apply_to_input(graph, armnn_i_acc_activation_function(d->function), a, b);
}

void armnn_i_acc_read_unary(ir_graph_t* graph) {
  const armnn_elementwise_unary_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const int32_t function = armnn_i_acc_unary_function(d->operation);
  ir_alias_t alias = armnn_i_acc_input(graph, 0);
  if (ir_is_float32(graph, alias.value) && function != ARMNN_ACC_IDENTITY) {
    armnn_i_acc_set_output(graph, 0, armnn_i_acc_apply(graph, &alias, function, 0.0f, 0.0f));
    return;
  }
  const ir_shape_t shape = *ir_shape(graph, alias.value);
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_EACH, alias.value, &shape);
  node->each.operation = d->operation;
  alias.value = node->output;
  armnn_i_acc_set_output(graph, 0, alias);
}

/* ---- Functions of two variables ------------------------------------------------------------ */

static bool is_full(const ir_graph_t* graph, const ir_alias_t* alias, const ir_shape_t* logical) {
  const ir_shape_t own = armnn_i_acc_logical(graph, alias);
  return ir_same_shape(&own, logical);
}

/* An operator with a constant of one element, as a function of the other operand; false if there is
 * no such function. |left|: the constant is the left operand. */
static bool scalar_function(int32_t operation, float c, bool left, int32_t* out_function,
                            float* out_a, float* out_b) {
  *out_function = ARMNN_ACC_LINEAR;
  *out_a = 1.0f;
  *out_b = 0.0f;
  switch (operation) {
    case ARMNN_BINARY_ADD:
      *out_b = c;
      return true;
    case ARMNN_BINARY_SUB:
      *out_a = left ? -1.0f : 1.0f;
      *out_b = left ? c : -c;
      return true;
    case ARMNN_BINARY_MUL:
      *out_a = c;
      *out_b = -0.0f; /* which leaves the product's zeros their sign */
      return true;
    case ARMNN_BINARY_DIV:
      if (left) {
        *out_function = ARMNN_ACC_RECIPROCAL;
        return c == 1.0f;
      }
      *out_a = 1.0f / c;
      *out_b = -0.0f;
      return isnormal(c) && isnormal(*out_a);
    case ARMNN_BINARY_POWER:
      *out_function = c == 2.0f ? ARMNN_ACC_SQUARE : ARMNN_ACC_ROOT;
      return !left && (c == 2.0f || c == 0.5f);
    default:
      return false;
  }
}

/* A node with a scale and a shift for each index of the last dimension; false if |operation| with
 * the constant |c| cannot be written so. */
static bool add_affine(ir_graph_t* graph, int32_t operation, uint32_t x, uint32_t c, bool left,
                       const ir_shape_t* shape, uint32_t* out_value) {
  const ir_shape_t* row = ir_shape(graph, c);
  const float* values = ir_floats(graph, c);
  const int64_t count = shape->dims[shape->rank - 1];
  if (values == NULL || row->dims[row->rank - 1] != count || ir_count(row) != count ||
      !ir_same_shape(ir_shape(graph, x), shape)) {
    return false;
  }
  if (operation != ARMNN_BINARY_ADD && operation != ARMNN_BINARY_MUL &&
      operation != ARMNN_BINARY_SUB && (operation != ARMNN_BINARY_DIV || left)) {
    return false;
  }
  float* scale = armnn_i_acc_pool(graph, (uint64_t)count * sizeof *scale);
  float* shift = armnn_i_acc_pool(graph, (uint64_t)count * sizeof *shift);
  for (int64_t i = 0; i < count; ++i) {
    int32_t function;
    if (!scalar_function(operation, values[i], left, &function, &scale[i], &shift[i])) return false;
  }
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_AFFINE, x, shape);
  node->affine.scale = scale;
  node->affine.shift = shift;
  *out_value = node->output;
  return true;
}

ir_alias_t armnn_i_acc_apply_binary(ir_graph_t* graph, const ir_alias_t* left,
                                    const ir_alias_t* right, int32_t operation,
                                    const ir_shape_t* logical) {
  const ir_alias_t operands[] = {*left, *right};
  const ir_alias_t* leading = armnn_i_acc_leading(graph, operands, 2, logical);
  ir_alias_t result = {.value = 0};
  for (uint32_t d = 0; d < logical->rank; ++d)
    result.perm[d] = leading == NULL ? d : leading->perm[d];
  ir_shape_t shape = {.rank = logical->rank};
  for (uint32_t d = 0; d < shape.rank; ++d) shape.dims[d] = logical->dims[result.perm[d]];
  for (int side = 0; side < 2; ++side) { /* a constant of one element is a function */
    const uint32_t scalar = side == 0 ? left->value : right->value;
    const ir_alias_t* other = side == 0 ? right : left;
    int32_t function;
    float a, b;
    if (ir_floats(graph, scalar) == NULL || ir_count(ir_shape(graph, scalar)) != 1 ||
        !is_full(graph, other, logical) ||
        !scalar_function(operation, ir_floats(graph, scalar)[0], side == 0, &function, &a, &b)) {
      continue;
    }
    return armnn_i_acc_apply(graph, other, function, a, b);
  }
  const uint32_t x = armnn_i_acc_operand(graph, left, shape.rank, result.perm);
  const uint32_t y = armnn_i_acc_operand(graph, right, shape.rank, result.perm);
  if (add_affine(graph, operation, x, y, false, &shape, &result.value) ||
      add_affine(graph, operation, y, x, true, &shape, &result.value)) {
    return result;
  }
  ir_node_t* node = armnn_i_acc_node(graph, IR_BINARY, (uint32_t[]){x, y}, 2, &shape);
  node->binary.operation = operation;
  result.value = node->output;
  return result;
}

void armnn_i_acc_read_binary(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_elementwise_binary_descriptor_t* d = (const void*)layer->descriptor;
  const ir_alias_t left = armnn_i_acc_input(graph, 0), right = armnn_i_acc_input(graph, 1);
  const ir_shape_t logical = armnn_i_acc_shape_of(layer->output_infos[0]);
  if (!ir_is_float32(graph, left.value) || d->operation > ARMNN_BINARY_POWER) {
    armnn_i_acc_read_pairs(graph, ARMNN_ACC_PAIRS_ARITHMETIC, d->operation);
    return;
  }
  armnn_i_acc_set_output(graph, 0,
                         armnn_i_acc_apply_binary(graph, &left, &right, d->operation, &logical));
}

/* x below 0 is multiplied; LEAKY where there is one slope. */
void armnn_i_acc_read_prelu(ir_graph_t* graph) {
  const ir_alias_t x = armnn_i_acc_input(graph, 0), slopes = armnn_i_acc_input(graph, 1);
  const ir_shape_t logical = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  const float* slope = ir_floats(graph, slopes.value);
  if (slope != NULL && ir_count(ir_shape(graph, slopes.value)) == 1 &&
      is_full(graph, &x, &logical)) {
    armnn_i_acc_set_output(graph, 0, armnn_i_acc_apply(graph, &x, ARMNN_ACC_LEAKY, slope[0], 0.0f));
    return;
  }
  armnn_i_acc_set_output(
      graph, 0, armnn_i_acc_apply_binary(graph, &x, &slopes, ARMNN_ACC_BINARY_PRELU, &logical));
}

/* Normalised, then multiplied and shifted as by layers of their own: what is constant and runs
 * along the last dimension joins the normalisation when nodes are fused. */
/* Over the dimensions from |axis| on; gamma and beta, if any, are inputs 1 and 2. */
static void read_normalized(ir_graph_t* graph, armnn_i_acc_normalize_e kind, int32_t axis,
                            float eps) {
  ir_alias_t alias = armnn_i_acc_input(graph, 0);
  const ir_shape_t logical = armnn_i_acc_logical(graph, &alias);
  const uint32_t input = armnn_i_acc_plain(graph, &alias);
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_NORMALIZE, input, &logical);
  node->normalize.kind = kind;
  const int32_t rank = (int32_t)logical.rank;
  for (int32_t i = axis < 0 ? axis + rank : axis; i < rank; ++i) {
    node->normalize.axis_mask |= 1u << i;
  }
  node->normalize.scale_axis = logical.rank - 1;
  node->normalize.eps = eps;
  alias = armnn_i_acc_alias(graph, node->output);
  static const int32_t operations[] = {0, ARMNN_BINARY_MUL, ARMNN_BINARY_ADD};
  for (uint32_t i = 1; i < 3; ++i) {
    if (!armnn_i_acc_has_input(graph, i)) continue;
    const ir_alias_t parameter = armnn_i_acc_input(graph, i);
    alias = armnn_i_acc_apply_binary(graph, &alias, &parameter, operations[i], &logical);
  }
  armnn_i_acc_set_output(graph, 0, alias);
}

void armnn_i_acc_read_layer_normalization(ir_graph_t* graph) {
  const armnn_layer_normalization_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  read_normalized(graph, ARMNN_ACC_NORMALIZE_MEAN_VARIANCE, d->axis, d->eps);
}

void armnn_i_acc_read_rms_normalization(ir_graph_t* graph) {
  const armnn_rms_normalization_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  read_normalized(graph, ARMNN_ACC_NORMALIZE_MEAN_SQUARE, d->axis, d->eps);
}

/* ---- Matrices ------------------------------------------------------------------------------ */

uint32_t armnn_i_acc_matrices(ir_graph_t* graph, const ir_alias_t* alias, uint32_t rank,
                              bool* transpose) {
  const ir_shape_t own = armnn_i_acc_logical(graph, alias);
  ir_shape_t shape = {.rank = rank};
  for (uint32_t d = 0; d < rank; ++d) {
    shape.dims[d] = d + own.rank < rank ? 1 : own.dims[d + own.rank - rank];
  }
  const ir_alias_t wide = armnn_i_acc_reshaped(graph, alias, &shape);
  uint32_t perm[IR_DIMS], row = 0, column = 0;
  for (uint32_t d = 0; d < rank; ++d) {
    perm[d] = d;
    if (wide.perm[d] == rank - 2) row = d;
    if (wide.perm[d] == rank - 1) column = d;
  }
  const bool exchanged = column < row && shape.dims[rank - 1] != 1 && shape.dims[rank - 2] != 1;
  if (exchanged) {
    perm[rank - 2] = rank - 1;
    perm[rank - 1] = rank - 2;
    *transpose = !*transpose;
  }
  return armnn_i_acc_ordered(graph, &wide, perm);
}

void armnn_i_acc_read_fully_connected(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_fully_connected_descriptor_t* d = (const void*)layer->descriptor;
  const ir_shape_t weights_shape = armnn_i_acc_shape_of(layer->input_infos[1]);
  const bool transposed = d->transpose_weight_matrix != 0;
  const int64_t inputs = weights_shape.dims[transposed ? 1 : 0];
  const int64_t outputs = weights_shape.dims[transposed ? 0 : 1];
  const ir_alias_t alias = armnn_i_acc_input(graph, 0), weights = armnn_i_acc_input(graph, 1);
  const ir_shape_t own = armnn_i_acc_logical(graph, &alias);
  /* One matrix of all rows. An input that is one already, or whose weights are packed once for all
   * of its matrices, keeps its dimensions, so that the next layer needs no other shape. */
  ir_shape_t rows = {2, {ir_count(&own) / inputs, inputs}};
  const bool packed = own.rank <= 4 && graph->values[weights.value]->constant != NULL;
  if (own.rank > 2 && own.dims[own.rank - 1] == inputs &&
      (packed || own.dims[own.rank - 2] == rows.dims[0])) {
    rows = own;
  }
  const ir_alias_t flat = armnn_i_acc_reshaped(graph, &alias, &rows);
  ir_shape_t shape = rows;
  shape.dims[shape.rank - 1] = outputs;
  bool transpose_left = false, transpose_right = transposed;
  const uint32_t left = armnn_i_acc_matrices(graph, &flat, rows.rank, &transpose_left);
  const uint32_t right = armnn_i_acc_matrices(graph, &weights, rows.rank, &transpose_right);
  ir_node_t* node = armnn_i_acc_node(graph, IR_MATMUL, (uint32_t[]){left, right}, 2, &shape);
  node->matmul.transpose_left = transpose_left;
  node->matmul.transpose_right = transpose_right;
  ir_alias_t result = armnn_i_acc_alias(graph, node->output);
  if (d->bias_enabled != 0 && armnn_i_acc_has_input(graph, 2)) {
    const ir_alias_t bias = armnn_i_acc_input(graph, 2);
    if (graph->values[bias.value]->constant != NULL) {
      node->matmul.bias = armnn_i_acc_constant_input(graph, 2, "the bias values");
    } else {
      result = armnn_i_acc_apply_binary(graph, &result, &bias, ARMNN_BINARY_ADD, &shape);
    }
  }
  const ir_shape_t out = armnn_i_acc_shape_of(layer->output_infos[0]);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &result, &out));
}

ir_node_t* armnn_i_acc_product_of_matrices(ir_graph_t* graph, ir_kind_t kind, bool* out_transpose_x,
                                           bool* out_transpose_y) {
  const armnn_batch_mat_mul_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_alias_t x = armnn_i_acc_input(graph, 0), y = armnn_i_acc_input(graph, 1);
  const ir_shape_t own_x = armnn_i_acc_logical(graph, &x), own_y = armnn_i_acc_logical(graph, &y);
  bool transpose_x = d->transpose_x != 0 || d->adjoint_x != 0;
  bool transpose_y = d->transpose_y != 0 || d->adjoint_y != 0;
  if (own_x.rank == 1) { /* a vector is a row on the left and a column on the right */
    const ir_shape_t row = {2, {1, own_x.dims[0]}};
    x = armnn_i_acc_reshaped(graph, &x, &row);
    transpose_x = false;
  }
  if (own_y.rank == 1) {
    const ir_shape_t column = {2, {own_y.dims[0], 1}};
    y = armnn_i_acc_reshaped(graph, &y, &column);
    transpose_y = false;
  }
  const ir_shape_t lx = armnn_i_acc_logical(graph, &x), ly = armnn_i_acc_logical(graph, &y);
  const uint32_t rank = lx.rank > ly.rank ? lx.rank : ly.rank;
  ir_shape_t shape = {.rank = rank};
  for (uint32_t i = 3; i <= rank; ++i) {
    const int64_t from_x = i <= lx.rank ? lx.dims[lx.rank - i] : 1;
    const int64_t from_y = i <= ly.rank ? ly.dims[ly.rank - i] : 1;
    shape.dims[rank - i] = from_x == 1 ? from_y : from_x;
  }
  shape.dims[rank - 2] = lx.dims[lx.rank - (transpose_x ? 1 : 2)];
  shape.dims[rank - 1] = ly.dims[ly.rank - (transpose_y ? 2 : 1)];
  const uint32_t left = armnn_i_acc_matrices(graph, &x, rank, &transpose_x);
  const uint32_t right = armnn_i_acc_matrices(graph, &y, rank, &transpose_y);
  ir_node_t* node = armnn_i_acc_node(graph, kind, (uint32_t[]){left, right}, 2, &shape);
  const armnn_tensor_info_t* info = ir_layer(graph)->output_infos[0];
  graph->values[node->output]->element = armnn_i_acc_element_of(info);
  const ir_alias_t result = armnn_i_acc_alias(graph, node->output);
  const ir_shape_t out = armnn_i_acc_shape_of(info);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &result, &out));
  *out_transpose_x = transpose_x;
  *out_transpose_y = transpose_y;
  return node;
}

void armnn_i_acc_read_batch_mat_mul(ir_graph_t* graph) {
  bool transpose_x, transpose_y;
  ir_node_t* node = armnn_i_acc_product_of_matrices(graph, IR_MATMUL, &transpose_x, &transpose_y);
  node->matmul.transpose_left = transpose_x;
  node->matmul.transpose_right = transpose_y;
}

/* ---- Along axes ---------------------------------------------------------------------------- */

/* The axis of the value for an axis of the network, which may count from the end. */
static uint32_t axis_of(const ir_alias_t* alias, int32_t axis, uint32_t rank) {
  return ir_axis(alias, (uint32_t)(axis < 0 ? axis + (int32_t)rank : axis));
}

void armnn_i_acc_read_softmax(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_softmax_descriptor_t* d = (const void*)layer->descriptor;
  ir_alias_t alias = armnn_i_acc_input(graph, 0);
  const ir_shape_t shape = *ir_shape(graph, alias.value);
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_SOFTMAX, alias.value, &shape);
  node->softmax.axis = axis_of(&alias, d->axis, shape.rank);
  node->softmax.beta = d->beta;
  node->softmax.logarithm = layer->type == ARMNN_LAYER_LOG_SOFTMAX;
  alias.value = node->output;
  armnn_i_acc_set_output(graph, 0, alias);
}

ir_node_t* armnn_i_acc_fold_node(ir_graph_t* graph, ir_kind_t kind, uint32_t* out_mask) {
  const armnn_reduce_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_alias_t alias = armnn_i_acc_input(graph, 0);
  ir_shape_t shape = *ir_shape(graph, alias.value);
  uint32_t mask = d->axis_count == 0 ? (1u << shape.rank) - 1u : 0;
  for (uint32_t i = 0; i < d->axis_count; ++i)
    mask |= 1u << axis_of(&alias, d->axes[i], shape.rank);
  for (uint32_t i = 0; i < shape.rank; ++i) {
    if (mask >> i & 1u) shape.dims[i] = 1;
  }
  ir_node_t* node = armnn_i_acc_node_of(graph, kind, alias.value, &shape);
  const armnn_tensor_info_t* info = ir_layer(graph)->output_infos[0];
  graph->values[node->output]->element = armnn_i_acc_element_of(info);
  alias.value = node->output;
  const ir_shape_t out = armnn_i_acc_shape_of(info);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &alias, &out));
  *out_mask = mask;
  return node;
}

void armnn_i_acc_read_reduce(ir_graph_t* graph) {
  const armnn_reduce_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const bool whole = armnn_i_acc_has_whole_reduce(ir_layer(graph)->input_infos[0]->data_type);
  uint32_t mask;
  ir_node_t* node = armnn_i_acc_fold_node(graph, whole ? IR_WHOLE_REDUCE : IR_REDUCE, &mask);
  *(whole ? &node->whole_reduce.operation : &node->reduce.operation) = d->operation;
  *(whole ? &node->whole_reduce.axis_mask : &node->reduce.axis_mask) = mask;
}
