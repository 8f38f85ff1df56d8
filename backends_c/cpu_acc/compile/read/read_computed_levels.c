/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_computed_levels.c - products of quantised numbers whose weights or bias values are not known
 * when the network is loaded. Constant weights of nothing but zeros leave the bias: so converters
 * write that numbers of 32 bits become levels.
 */
#include <string.h>

#include "quantized.h"
#include "read_images.h"

bool armnn_i_acc_is_computed_product(const ir_graph_t* graph, uint32_t bias_enabled) {
  const void* const* constants = (const void* const*)ir_layer(graph)->constants;
  return constants == NULL || constants[1] == NULL ||
         (bias_enabled != 0 && armnn_i_acc_has_input(graph, 2) && constants[2] == NULL);
}

/* Whether every weight is the zero point of its channel, whose dimension has a stride of |step|. */
static bool are_zeros(ir_graph_t* graph, const int32_t* points, int64_t outputs, int64_t step) {
  const armnn_tensor_info_t* info = ir_layer(graph)->input_infos[1];
  const void* const* constants = (const void* const*)ir_layer(graph)->constants;
  if (constants == NULL || constants[1] == NULL) return false;
  const uint8_t* bytes = armnn_i_acc_constant_input(graph, 1, "the weights");
  for (int64_t i = 0; i < (int64_t)info->element_count; ++i) {
    if (bytes[i] != (uint8_t)points[i / step % outputs]) return false;
  }
  return true;
}

/* Input 2, or zeros. */
static uint32_t bias_of(ir_graph_t* graph, int64_t outputs, bool has_bias) {
  if (has_bias && armnn_i_acc_has_input(graph, 2)) {
    const ir_alias_t bias = armnn_i_acc_input(graph, 2);
    return armnn_i_acc_plain(graph, &bias);
  }
  const armnn_i_acc_element_t element = {ARMNN_DATA_TYPE_SIGNED32, sizeof(int32_t), 0.0f, 0};
  const ir_shape_t shape = {1, {outputs}};
  return armnn_i_acc_constant(graph, element, &shape,
                              armnn_i_acc_pool(graph, (uint64_t)outputs * sizeof(int32_t)));
}

static int32_t rounding_of(const ir_graph_t* graph, bool is_matrix, bool has_bias) {
  const armnn_layer_t* layer = ir_layer(graph);
  if (armnn_i_acc_is_real(graph)) return ARMNN_ACC_ROUND_REAL;
  if (is_matrix) return ARMNN_ACC_ROUND_ONCE;
  const bool is_wide = !has_bias || !armnn_i_acc_has_input(graph, 2) ||
                       layer->input_infos[2]->data_type == ARMNN_DATA_TYPE_SIGNED64;
  return is_wide && armnn_i_acc_is_int16(layer->input_infos[0]->data_type) ? ARMNN_ACC_ROUND_64_BITS
                                                                           : ARMNN_ACC_ROUND_TWICE;
}

/* The node of |taps|; without a left side of nothing but the bias. Returns its output. */
static uint32_t product_of(ir_graph_t* graph, const ir_taps_t* taps, bool is_matrix,
                           bool has_bias) {
  const int64_t outputs = taps->shape.dims[0] * taps->shape.dims[2];
  const uint32_t inputs[] = {bias_of(graph, outputs, has_bias), taps->left, taps->right};
  ir_node_t* node = armnn_i_acc_node(graph, IR_COMPUTED_PRODUCT, inputs,
                                     taps->left == IR_NONE ? 1 : 3, &taps->shape);
  graph->values[node->output]->element = armnn_i_acc_element_of(ir_layer(graph)->output_infos[0]);
  node->computed_product = (armnn_i_acc_computed_product_t){
      .right_zero_points = armnn_i_acc_weight_zero_points(graph, outputs),
      .factors = armnn_i_acc_factors_of(graph, outputs, is_matrix, false),
      .rounding = rounding_of(graph, is_matrix, has_bias),
  };
  return node->output;
}

void armnn_i_acc_read_computed_levels(ir_graph_t* graph, const armnn_i_acc_convolution_t* window,
                                      const uint32_t* order, const uint32_t* weights_order,
                                      bool has_bias) {
  const ir_shape_t out = armnn_i_acc_image_output(graph, order);
  const ir_shape_t sides = armnn_i_acc_shape_of(ir_layer(graph)->input_infos[1]);
  const int64_t outputs = out.dims[3];
  int64_t steps[IR_DIMS];
  ir_dense_steps(&sides, steps);
  const int32_t* points = armnn_i_acc_weight_zero_points(graph, outputs);
  if (are_zeros(graph, points, outputs, steps[weights_order[0]])) {
    const int64_t pixels = out.dims[0] * out.dims[1] * out.dims[2];
    const ir_taps_t none = {IR_NONE, IR_NONE, {3, {1, pixels, outputs}}};
    const ir_alias_t made = armnn_i_acc_alias(graph, product_of(graph, &none, false, has_bias));
    armnn_i_acc_set_image(graph, armnn_i_acc_reshaped(graph, &made, &out), order);
    return;
  }
  const float padding = (float)ir_layer(graph)->input_infos[0]->zero_points[0];
  const ir_taps_t taps = armnn_i_acc_taps(graph, window, order, weights_order, padding);
  const uint32_t product = product_of(graph, &taps, false, has_bias);
  armnn_i_acc_set_image(graph, armnn_i_acc_ungrouped(graph, product, &out), order);
}

void armnn_i_acc_read_computed_matrix(ir_graph_t* graph, bool transposed, bool has_bias) {
  static const uint32_t as_it_is[IR_DIMS] = {0, 1}, exchanged[IR_DIMS] = {1, 0};
  const armnn_layer_t* layer = ir_layer(graph);
  const ir_shape_t sides = armnn_i_acc_shape_of(layer->input_infos[1]);
  const int64_t inputs = sides.dims[transposed ? 1 : 0], outputs = sides.dims[transposed ? 0 : 1];
  const ir_alias_t input = armnn_i_acc_input(graph, 0), weights = armnn_i_acc_input(graph, 1);
  const ir_shape_t own = armnn_i_acc_logical(graph, &input);
  const int64_t rows = ir_count(&own) / inputs;
  const ir_shape_t left_shape = {3, {1, rows, inputs}}, right_shape = {3, {1, outputs, inputs}};
  ir_taps_t taps = {IR_NONE, IR_NONE, {3, {1, rows, outputs}}};
  const int32_t* points = armnn_i_acc_weight_zero_points(graph, outputs);
  if (!are_zeros(graph, points, outputs, transposed ? inputs : 1)) {
    const ir_alias_t left = armnn_i_acc_reshaped(graph, &input, &left_shape);
    const ir_alias_t listed = armnn_i_acc_alias(
        graph, armnn_i_acc_ordered(graph, &weights, transposed ? as_it_is : exchanged));
    const ir_alias_t right = armnn_i_acc_reshaped(graph, &listed, &right_shape);
    taps.left = armnn_i_acc_plain(graph, &left);
    taps.right = armnn_i_acc_plain(graph, &right);
  }
  const ir_alias_t made = armnn_i_acc_alias(graph, product_of(graph, &taps, true, has_bias));
  const ir_shape_t out = armnn_i_acc_shape_of(layer->output_infos[0]);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &made, &out));
}
