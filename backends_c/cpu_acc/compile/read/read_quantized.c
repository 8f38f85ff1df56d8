/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_quantized.c - products of quantised numbers: the factors of TensorFlow Lite's specification,
 * or real ones, as CpuRef has them, and whether the kernels' 32 bits hold all sums.
 *
 * Numbers of 16 bits, whose bias has 64 bits or none is there, are scaled by factors of 16 bits,
 * rounded once; those of a fully connected layer are rounded once, too, by factors of 32 bits.
 * Where their sums need more than 32 bits, kernels take 64.
 */
#include <math.h>
#include <string.h>

#include "quantized.h"
#include "read_images.h"
#include "rescaling.h"

/* ---- Factors and sums ---------------------------------------------------------------------- */

/* The greatest size of a level. */
static double reach_of(armnn_i_acc_element_t element) {
  const int32_t below = element.zero_point - armnn_i_acc_least(element.type);
  const int32_t above = armnn_i_acc_most(element.type) - element.zero_point;
  return below > above ? below : above;
}

/* Whether the weights of a channel are contiguous, in any order of their dimensions. */
static bool has_dense_channels(const armnn_i_acc_quantized_convolution_t* what) {
  const int64_t *dims = what->weights.dims, *strides = what->weights.strides;
  int64_t stride = 1;
  for (int found = 0; found < 3; ++found) {
    int next = 0; /* the dimension that lies densest of those that are left */
    for (int d = 1; d <= 3 && next == 0; ++d) {
      if (dims[d] != 1 && strides[d] == stride) next = d;
    }
    if (next == 0) break;
    stride *= dims[next];
  }
  return stride == dims[1] * dims[2] * dims[3];
}

/* The sizes of |count| levels, together. */
static int64_t sizes_of(const uint8_t* at, int64_t count, bool is_unsigned, int32_t zero_point) {
  enum { SOME = 1 << 20 }; /* as many fit 32 bits */
  int64_t sum = 0;
  for (int64_t begin = 0; begin < count; begin += SOME) {
    const int64_t end = count - begin < SOME ? count : begin + SOME;
    int32_t some = 0;
    for (int64_t i = begin; i < end; ++i) {
      const int32_t level = (is_unsigned ? at[i] : (int8_t)at[i]) - zero_point;
      some += level < 0 ? -level : level;
    }
    sum += some;
  }
  return sum;
}

static double reached(const armnn_i_acc_quantized_convolution_t* what, int64_t o,
                      armnn_i_acc_element_t input, int64_t sizes) {
  return (double)sizes * reach_of(input) + fabs((double)armnn_i_acc_bias_value(what, o));
}

/* The greatest size of a sum of channel |o|, with its bias. */
static double most_of(const armnn_i_acc_quantized_convolution_t* what, int64_t o,
                      armnn_i_acc_element_t input) {
  const armnn_i_acc_tensor_t* weights = &what->weights;
  if (has_dense_channels(what)) {
    const uint8_t* first = (const uint8_t*)weights->values + o * weights->strides[0];
    const bool is_unsigned = weights->element.type == ARMNN_DATA_TYPE_QASYMM_U8;
    return reached(what, o, input,
                   sizes_of(first, weights->dims[1] * weights->dims[2] * weights->dims[3],
                            is_unsigned, what->weight_zero_points[o]));
  }
  int64_t sum = 0;
  for (int64_t y = 0; y < what->weights.dims[1]; ++y) {
    for (int64_t x = 0; x < what->weights.dims[2]; ++x) {
      for (int64_t i = 0; i < what->weights.dims[3]; ++i) {
        const int32_t level = armnn_i_acc_weight_level(what, o, y, x, i);
        sum += level < 0 ? -level : level;
      }
    }
  }
  return reached(what, o, input, sum);
}

/* Whether sums of size |most| are scaled in 32 bits, where nothing saturates: the sum itself, its
 * product with the whole part of the factor, what the product with the rest and half a step are. */
static bool fits(double most, armnn_factor_t factor, int32_t rounding) {
  if (most >= 0x1p31) return false;
  if (rounding == ARMNN_ACC_ROUND_REAL) {
    return most * armnn_i_acc_real_of_factor(factor) < 0x1p31 - 1.0;
  }
  if (rounding == ARMNN_ACC_ROUND_ONCE)
    return factor.shift < 15 && ldexp(most, factor.shift) < 0x1p31;
  if (factor.shift >= 0) return ldexp(most, factor.shift) < 0x1p31;
  return most * factor.multiplier * 0x1p-31 + ldexp(0.5, -factor.shift) + 2.0 < 0x1p31;
}

static void check_sums(ir_graph_t* graph, const ir_node_t* node) {
  const armnn_i_acc_quantized_convolution_t* what = &node->quantized_convolution;
  const armnn_i_acc_element_t input = graph->values[node->inputs[0]]->element;
  for (int64_t o = 0; o < what->weights.dims[0]; ++o) {
    if (!fits(most_of(what, o, input), what->factors[o], what->rounding)) {
      armnn_i_acc_refuse(graph, NULL, "sums of channel %d may need more than 32 bits", (int)o);
    }
  }
}

/* The same for numbers of 16 bits, whose sums may have 64: below 2^47, their products with a factor
 * fit as well. Factors of networks never shift sums to the left. */
static void choose_sums(ir_graph_t* graph, ir_node_t* node, bool is_reduced) {
  armnn_i_acc_quantized_convolution_t* what = &node->quantized_convolution;
  const armnn_i_acc_element_t input = graph->values[node->inputs[0]]->element;
  for (int64_t o = 0; o < what->weights.dims[0]; ++o) {
    const double most = most_of(what, o, input);
    armnn_factor_t whole = what->factors[o];
    if (is_reduced) whole.shift -= 16;
    if (most >= 0x1p47 || (what->rounding == ARMNN_ACC_ROUND_ONCE && whole.shift >= 15)) {
      armnn_i_acc_refuse(graph, NULL, "sums of channel %d may need more than 64 bits", (int)o);
    }
    if (!fits(most, whole, what->rounding)) what->has_wide_sums = true;
  }
}

/* ---- Layers -------------------------------------------------------------------------------- */

static bool has_wide_bias(const ir_graph_t* graph) {
  return armnn_i_acc_has_input(graph, 2) &&
         ir_layer(graph)->input_infos[2]->data_type == ARMNN_DATA_TYPE_SIGNED64;
}

/* The halves of bias values of 64 bits: the upper ones, or those below. */
static const int32_t* halves_of(ir_graph_t* graph, bool above) {
  const int64_t* values = armnn_i_acc_constant_input(graph, 2, "the bias values");
  const uint64_t count = ir_layer(graph)->input_infos[2]->element_count;
  int32_t* halves = armnn_i_acc_pool(graph, count * sizeof *halves);
  for (uint64_t o = 0; o < count; ++o) {
    halves[o] = (int32_t)(above ? values[o] >> 32 : values[o] & UINT32_MAX);
  }
  return halves;
}

/* The bias values, or of those of 64 bits the lower halves; null: none. */
static const int32_t* bias_of(ir_graph_t* graph, uint32_t enabled) {
  if (enabled == 0 || !armnn_i_acc_has_input(graph, 2)) return NULL;
  if (has_wide_bias(graph)) return halves_of(graph, false);
  return armnn_i_acc_constant_input(graph, 2, "the bias values");
}

/* Everything but steps, groups and bias. */
static void set_product(ir_graph_t* graph, ir_node_t* node, armnn_i_acc_tensor_t weights,
                        bool is_matrix) {
  armnn_i_acc_quantized_convolution_t* what = &node->quantized_convolution;
  const int64_t outputs = weights.dims[0];
  const bool is_int16 = armnn_i_acc_is_int16(graph->values[node->inputs[0]]->element.type);
  if (what->bias != NULL && has_wide_bias(graph)) what->bias_above = halves_of(graph, true);
  const bool is_real = armnn_i_acc_is_real(graph);
  const bool is_reduced =
      is_int16 && !is_matrix && !is_real && (what->bias == NULL || what->bias_above != NULL);
  what->weights = weights;
  what->weight_zero_points = armnn_i_acc_weight_zero_points(graph, outputs);
  what->factors = armnn_i_acc_factors_of(graph, outputs, is_matrix, is_reduced);
  what->rounding = is_real                   ? ARMNN_ACC_ROUND_REAL
                   : is_matrix || is_reduced ? ARMNN_ACC_ROUND_ONCE
                                             : ARMNN_ACC_ROUND_TWICE;
  what->kernel_y = weights.dims[1];
  what->kernel_x = weights.dims[2];
  what->low = armnn_i_acc_least(graph->values[node->output]->element.type);
  what->high = armnn_i_acc_most(graph->values[node->output]->element.type);
  if (is_int16) {
    choose_sums(graph, node, is_reduced);
  } else {
    check_sums(graph, node);
  }
}

void armnn_i_acc_read_quantized_convolution(ir_graph_t* graph) {
  const armnn_convolution2d_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  if (armnn_i_acc_is_computed_product(graph, d->bias_enabled)) {
    const uint32_t* order = armnn_i_acc_image_order(d->data_layout);
    const armnn_i_acc_convolution_t window = {STEPS_OF(d),
                                              .groups = d->groups == 0 ? 1 : d->groups};
    armnn_i_acc_read_computed_levels(graph, &window, order, order, d->bias_enabled != 0);
    return;
  }
  ir_node_t* node = armnn_i_acc_image_node(graph, IR_QUANTIZED_CONVOLUTION, d->data_layout);
  const int64_t channels = ir_shape(graph, node->inputs[0])->dims[3];
  node->quantized_convolution = (armnn_i_acc_quantized_convolution_t){
      STEPS_OF(d),
      .groups = d->groups == 0 ? 1 : d->groups,
      .bias = bias_of(graph, d->bias_enabled),
  };
  set_product(graph, node, armnn_i_acc_weights(graph, armnn_i_acc_image_order(d->data_layout)),
              false);
  if (node->quantized_convolution.groups == channels && channels > 1) {
    node->kind = IR_QUANTIZED_DEPTHWISE;
  }
}

void armnn_i_acc_read_quantized_depthwise(ir_graph_t* graph) {
  static const uint32_t order[IR_DIMS] = {3, 1, 2, 0}; /* [1, H, W, O] in both layouts */
  const armnn_depthwise_convolution2d_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  if (armnn_i_acc_is_computed_product(graph, d->bias_enabled)) {
    const uint32_t* images = armnn_i_acc_image_order(d->data_layout);
    const armnn_i_acc_convolution_t window = {
        STEPS_OF(d), .groups = (int64_t)ir_layer(graph)->input_infos[0]->dims[images[3]]};
    armnn_i_acc_read_computed_levels(graph, &window, images, order, d->bias_enabled != 0);
    return;
  }
  ir_node_t* node = armnn_i_acc_image_node(graph, IR_QUANTIZED_DEPTHWISE, d->data_layout);
  const int64_t channels = ir_shape(graph, node->inputs[0])->dims[3];
  node->quantized_convolution = (armnn_i_acc_quantized_convolution_t){
      STEPS_OF(d), .groups = channels, .bias = bias_of(graph, d->bias_enabled)};
  set_product(graph, node, armnn_i_acc_weights(graph, order), false);
  if (channels == 1) node->kind = IR_QUANTIZED_CONVOLUTION;
}

void armnn_i_acc_read_quantized_transpose_convolution(ir_graph_t* graph) {
  const armnn_transpose_convolution2d_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_node_t* node =
      armnn_i_acc_image_node(graph, IR_QUANTIZED_TRANSPOSE_CONVOLUTION, d->data_layout);
  node->quantized_convolution = (armnn_i_acc_quantized_convolution_t){
      STEPS_OF(d),
      .groups = d->groups == 0 ? 1 : d->groups,
      .bias = bias_of(graph, d->bias_enabled),
  };
  set_product(graph, node, armnn_i_acc_weights(graph, armnn_i_acc_image_order(d->data_layout)),
              false);
}

void armnn_i_acc_read_quantized_batch_mat_mul(ir_graph_t* graph) {
  bool transpose_x, transpose_y;
  ir_node_t* node =
      armnn_i_acc_product_of_matrices(graph, IR_QUANTIZED_MATMUL, &transpose_x, &transpose_y);
  const armnn_i_acc_element_t x = graph->values[node->inputs[0]]->element;
  const armnn_i_acc_element_t y = graph->values[node->inputs[1]]->element;
  const armnn_i_acc_element_t out = graph->values[node->output]->element;
  const ir_shape_t* shape = ir_shape(graph, node->inputs[0]);
  const double depth = (double)shape->dims[shape->rank - (transpose_x ? 2 : 1)];
  const bool is_real = armnn_i_acc_is_real(graph);
  const double real = armnn_product_factor(x.scale, y.scale, out.scale);
  node->quantized_matmul = (armnn_i_acc_quantized_matmul_t){
      .transpose_left = transpose_x,
      .transpose_right = transpose_y,
      .factor = is_real ? armnn_i_acc_factor_of_real(real)
                        : armnn_factor((double)(x.scale * y.scale) / (double)out.scale),
      .rounding = is_real ? ARMNN_ACC_ROUND_REAL : ARMNN_ACC_ROUND_TWICE,
      .low = armnn_i_acc_least(out.type),
      .high = armnn_i_acc_least(out.type) + 255,
  };
  if (!fits(depth * reach_of(x) * reach_of(y), node->quantized_matmul.factor,
            node->quantized_matmul.rounding)) {
    armnn_i_acc_refuse(graph, NULL, "sums may need more than 32 bits");
  }
}

/* A convolution of one pixel of an image of one line. */
void armnn_i_acc_read_quantized_fully_connected(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_fully_connected_descriptor_t* d = (const void*)layer->descriptor;
  const ir_shape_t shape = armnn_i_acc_shape_of(layer->input_infos[1]);
  const bool transposed = d->transpose_weight_matrix != 0;
  if (armnn_i_acc_is_computed_product(graph, d->bias_enabled)) {
    armnn_i_acc_read_computed_matrix(graph, transposed, d->bias_enabled != 0);
    return;
  }
  const int64_t inputs = shape.dims[transposed ? 1 : 0], outputs = shape.dims[transposed ? 0 : 1];
  const ir_alias_t alias = armnn_i_acc_input(graph, 0);
  const ir_shape_t own = armnn_i_acc_logical(graph, &alias);
  const int64_t rows = ir_count(&own) / inputs;
  const ir_shape_t line = {4, {1, 1, rows, inputs}}, result = {4, {1, 1, rows, outputs}};
  const ir_alias_t flat = armnn_i_acc_reshaped(graph, &alias, &line);
  const uint32_t input = armnn_i_acc_plain(graph, &flat);
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_QUANTIZED_CONVOLUTION, input, &result);
  graph->values[node->output]->element = armnn_i_acc_element_of(layer->output_infos[0]);
  node->quantized_convolution = (armnn_i_acc_quantized_convolution_t){
      .stride_y = 1,
      .stride_x = 1,
      .dilation_y = 1,
      .dilation_x = 1,
      .groups = 1,
      .bias = bias_of(graph, d->bias_enabled),
  };
  const armnn_i_acc_tensor_t weights = {
      .element = armnn_i_acc_element_of(layer->input_infos[1]),
      .rank = 4,
      .dims = {outputs, 1, 1, inputs},
      .strides = {transposed ? inputs : 1, 1, 1, transposed ? 1 : outputs},
      .values = armnn_i_acc_constant_input(graph, 1, "the weights"),
  };
  set_product(graph, node, weights, true);
  const ir_shape_t out = armnn_i_acc_shape_of(layer->output_infos[0]);
  const ir_alias_t made = armnn_i_acc_alias(graph, node->output);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &made, &out));
}
