/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_images.c - layers whose input has a data layout: NCHW is a permutation of the value.
 */
#include "read_images.h"

#include <math.h>
#include <string.h>

ir_node_t* armnn_i_acc_image_node(ir_graph_t* graph, ir_kind_t kind, int32_t data_layout) {
  const uint32_t* order = armnn_i_acc_image_order(data_layout);
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t shape = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  ir_shape_t memory = {.rank = shape.rank};
  for (uint32_t d = 0; d < shape.rank; ++d) memory.dims[d] = shape.dims[order[d]];
  ir_node_t* node =
      armnn_i_acc_node_of(graph, kind, armnn_i_acc_ordered(graph, &input, order), &memory);
  ir_alias_t output = {.value = node->output};
  memcpy(output.perm, order, sizeof output.perm);
  graph->values[node->output]->element = armnn_i_acc_element_of(ir_layer(graph)->output_infos[0]);
  armnn_i_acc_set_output(graph, 0, output);
  return node;
}

/* ---- Convolutions -------------------------------------------------------------------------- */

static bool has_bias(const ir_graph_t* graph, uint32_t enabled) {
  return enabled != 0 && armnn_i_acc_has_input(graph, 2);
}

/* Whether input |index| is computed by the network. */
static bool is_computed(const ir_graph_t* graph, uint32_t index) {
  const armnn_layer_t* layer = ir_layer(graph);
  return layer->constants == NULL || layer->constants[index] == NULL;
}

/* The bias of |node|, which makes images of output 0; a computed one is added behind it. */
static void set_bias(ir_graph_t* graph, ir_node_t* node, uint32_t enabled, const uint32_t* order) {
  if (!has_bias(graph, enabled)) return;
  if (is_computed(graph, 2)) {
    armnn_i_acc_set_biased(graph, armnn_i_acc_alias(graph, node->output), true, order);
  } else {
    node->convolution.bias = armnn_i_acc_constant_input(graph, 2, "the bias values");
  }
}

armnn_i_acc_tensor_t armnn_i_acc_weights(ir_graph_t* graph, const uint32_t* order) {
  const ir_shape_t shape = armnn_i_acc_shape_of(ir_layer(graph)->input_infos[1]);
  armnn_i_acc_tensor_t weights = {
      .element = armnn_i_acc_element_of(ir_layer(graph)->input_infos[1]), .rank = 4};
  int64_t steps[IR_DIMS];
  ir_dense_steps(&shape, steps);
  for (uint32_t d = 0; d < 4; ++d) {
    weights.dims[d] = shape.dims[order[d]];
    weights.strides[d] = steps[order[d]] * weights.element.size;
  }
  weights.values = armnn_i_acc_constant_input(graph, 1, "the weights");
  return weights;
}

static void set_weights(ir_graph_t* graph, ir_node_t* node, const uint32_t* order) {
  node->convolution.weights = armnn_i_acc_weights(graph, order);
  node->convolution.kernel_y = node->convolution.weights.dims[1];
  node->convolution.kernel_x = node->convolution.weights.dims[2];
}

void armnn_i_acc_read_convolution(ir_graph_t* graph) {
  const armnn_convolution2d_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const armnn_i_acc_convolution_t window = {STEPS_OF(d), .groups = d->groups == 0 ? 1 : d->groups};
  const uint32_t* order =
      armnn_i_acc_image_order(d->data_layout); /* [O, I, H, W] or [O, H, W, I] */
  if (is_computed(graph, 1)) {
    armnn_i_acc_read_computed_convolution(graph, &window, order, order,
                                          has_bias(graph, d->bias_enabled));
    return;
  }
  ir_node_t* node = armnn_i_acc_image_node(graph, IR_CONVOLUTION, d->data_layout);
  const int64_t channels = ir_shape(graph, node->inputs[0])->dims[3];
  node->convolution = window;
  set_weights(graph, node, order);
  set_bias(graph, node, d->bias_enabled, order);
  /* Each output channel reads one input channel of its own. */
  if (node->convolution.groups == channels && channels > 1) node->kind = IR_DEPTHWISE;
}

void armnn_i_acc_read_depthwise(ir_graph_t* graph) {
  static const uint32_t order[IR_DIMS] = {3, 1, 2, 0}; /* [1, H, W, O] in both layouts */
  const armnn_depthwise_convolution2d_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const uint32_t* images = armnn_i_acc_image_order(d->data_layout);
  if (is_computed(graph, 1)) {
    const int64_t channels = (int64_t)ir_layer(graph)->input_infos[0]->dims[images[3]];
    const armnn_i_acc_convolution_t window = {STEPS_OF(d), .groups = channels};
    armnn_i_acc_read_computed_convolution(graph, &window, images, order,
                                          has_bias(graph, d->bias_enabled));
    return;
  }
  ir_node_t* node = armnn_i_acc_image_node(graph, IR_DEPTHWISE, d->data_layout);
  const int64_t inputs = ir_shape(graph, node->inputs[0])->dims[3];
  node->convolution = (armnn_i_acc_convolution_t){STEPS_OF(d), .groups = inputs};
  set_weights(graph, node, order);
  set_bias(graph, node, d->bias_enabled, images);
  if (inputs == 1) node->kind = IR_CONVOLUTION;
}

void armnn_i_acc_read_transpose_convolution(ir_graph_t* graph) {
  const armnn_transpose_convolution2d_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const uint32_t* order =
      armnn_i_acc_image_order(d->data_layout); /* [O, I, H, W] or [O, H, W, I] */
  ir_node_t* node = armnn_i_acc_image_node(graph, IR_TRANSPOSE_CONVOLUTION, d->data_layout);
  node->convolution =
      (armnn_i_acc_convolution_t){STEPS_OF(d), .groups = d->groups == 0 ? 1 : d->groups};
  set_weights(graph, node, order);
  set_bias(graph, node, d->bias_enabled, order);
}

/* ---- Pooling and resizing ------------------------------------------------------------------ */

void armnn_i_acc_read_pooling(ir_graph_t* graph) {
  const armnn_pooling2d_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_node_t* node = armnn_i_acc_image_node(graph, IR_POOLING, d->data_layout);
  node->pooling = (armnn_i_acc_pooling_t){
      STEPS_OF(d),
      .pad_bottom = d->pad_bottom,
      .pad_right = d->pad_right,
      .method = d->pool_type,
      .kernel_y = d->pool_height,
      .kernel_x = d->pool_width,
      .count_padding = d->padding_method == ARMNN_PADDING_IGNORE_VALUE,
  };
}

void armnn_i_acc_read_resize(ir_graph_t* graph) {
  const armnn_resize_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_node_t* node = armnn_i_acc_image_node(graph, IR_RESIZE, d->data_layout);
  node->resize.method = d->method;
  node->resize.align_corners = d->align_corners != 0;
  node->resize.half_pixel_centers = d->half_pixel_centers != 0;
}

/* ---- Normalisations ------------------------------------------------------------------------ */

/* Where the channels are, by the rules of the network: dimension 1 of NCHW and NCDHW. */
static uint32_t channel_axis(int32_t data_layout, uint32_t rank) {
  const bool first =
      data_layout == ARMNN_DATA_LAYOUT_NCHW || data_layout == ARMNN_DATA_LAYOUT_NCDHW;
  return first && rank > 1 ? 1 : rank - 1;
}

/* The input with its channels last, whatever its rank; |out_alias| has the order of the output. */
static uint32_t channels_last(ir_graph_t* graph, int32_t data_layout, ir_alias_t* out_alias) {
  *out_alias = armnn_i_acc_input(graph, 0);
  const uint32_t rank = ir_shape(graph, out_alias->value)->rank;
  const uint32_t axis = channel_axis(data_layout, rank);
  if (out_alias->perm[rank - 1] != axis) {
    uint32_t perm[IR_DIMS], count = 0;
    for (uint32_t d = 0; d < rank; ++d) {
      if (out_alias->perm[d] != axis) perm[count++] = out_alias->perm[d];
    }
    perm[count] = axis;
    out_alias->value = armnn_i_acc_ordered(graph, out_alias, perm);
    memcpy(out_alias->perm, perm, rank * sizeof *perm);
  }
  return out_alias->value;
}

void armnn_i_acc_read_batch_normalization(ir_graph_t* graph) {
  const armnn_batch_normalization_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_alias_t alias;
  const uint32_t input = channels_last(graph, d->data_layout, &alias);
  const ir_shape_t shape = *ir_shape(graph, input);
  const int64_t channels = shape.dims[shape.rank - 1];
  const float* mean = armnn_i_acc_constant_input(graph, 1, "the means");
  const float* variance = armnn_i_acc_constant_input(graph, 2, "the variances");
  const float* beta = armnn_i_acc_constant_input(graph, 3, "the beta values");
  const float* gamma = armnn_i_acc_constant_input(graph, 4, "the gamma values");
  float* scale = armnn_i_acc_pool(graph, (uint64_t)channels * sizeof *scale);
  float* shift = armnn_i_acc_pool(graph, (uint64_t)channels * sizeof *shift);
  for (int64_t c = 0; c < channels; ++c) {
    const double factor = gamma[c] / sqrt((double)variance[c] + d->eps);
    scale[c] = (float)factor;
    shift[c] = (float)(beta[c] - mean[c] * factor);
  }
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_AFFINE, input, &shape);
  node->affine.scale = scale;
  node->affine.shift = shift;
  alias.value = node->output;
  armnn_i_acc_set_output(graph, 0, alias);
}

/* x (k + alpha * sum of the squares around x) ^ -beta; the sum is a mean, padding counted, times
 * the elements of the window. */
void armnn_i_acc_read_normalization(ir_graph_t* graph) {
  const armnn_normalization_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const bool across = d->channel == ARMNN_NORMALIZATION_ACROSS;
  const uint32_t* images = armnn_i_acc_image_order(d->data_layout);
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t own = armnn_i_acc_logical(graph, &input);
  /* Across channels, these are the height of an image of one column whose channels are pixels. */
  const uint32_t planes[IR_DIMS] = {images[0], images[3], images[1], images[2]};
  const uint32_t* order = across ? planes : images;
  const ir_alias_t image = armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &input, order));
  ir_shape_t shape = armnn_i_acc_logical(graph, &image);
  const ir_shape_t ordered = shape;
  if (across) {
    shape = (ir_shape_t){4, {shape.dims[0], shape.dims[1], 1, shape.dims[2] * shape.dims[3]}};
  }
  const ir_alias_t x = armnn_i_acc_reshaped(graph, &image, &shape);
  const ir_alias_t squares = armnn_i_acc_apply(graph, &x, ARMNN_ACC_SQUARE, 0.0f, 0.0f);
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_POOLING, squares.value, &shape);
  const int64_t size = d->norm_size, before = (size - 1) / 2, after = size / 2;
  node->pooling = (armnn_i_acc_pooling_t){
      .method = ARMNN_POOLING_AVERAGE,
      .kernel_y = size,
      .kernel_x = across ? 1 : size,
      .stride_y = 1,
      .stride_x = 1,
      .dilation_y = 1,
      .dilation_x = 1,
      .pad_top = before,
      .pad_bottom = after,
      .pad_left = across ? 0 : before,
      .pad_right = across ? 0 : after,
      .count_padding = true,
  };
  const float elements = (float)(across ? size : size * size);
  const ir_alias_t mean = armnn_i_acc_alias(graph, node->output);
  const ir_alias_t base =
      armnn_i_acc_apply(graph, &mean, ARMNN_ACC_LINEAR, d->alpha * elements, d->k);
  float* exponent = armnn_i_acc_pool(graph, sizeof *exponent);
  *exponent = -d->beta;
  const ir_shape_t one = {4, {1, 1, 1, 1}};
  const ir_alias_t power =
      armnn_i_acc_alias(graph, armnn_i_acc_constant(graph, ARMNN_ACC_FLOAT32, &one, exponent));
  const ir_alias_t scale =
      armnn_i_acc_apply_binary(graph, &base, &power, ARMNN_BINARY_POWER, &shape);
  const ir_alias_t scaled = armnn_i_acc_apply_binary(graph, &x, &scale, ARMNN_BINARY_MUL, &shape);
  ir_alias_t result = armnn_i_acc_reshaped(graph, &scaled, &ordered);
  for (uint32_t i = 0; i < own.rank; ++i) result.perm[i] = order[result.perm[i]];
  armnn_i_acc_set_output(graph, 0, result);
}

static float* filled(ir_graph_t* graph, int64_t count, float value) {
  float* values = armnn_i_acc_pool(graph, (uint64_t)count * sizeof *values);
  for (int64_t i = 0; i < count; ++i) values[i] = value;
  return values;
}

void armnn_i_acc_read_instance_normalization(ir_graph_t* graph) {
  const armnn_instance_normalization_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_alias_t alias;
  const uint32_t input = channels_last(graph, d->data_layout, &alias);
  const ir_shape_t shape = *ir_shape(graph, input);
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_NORMALIZE, input, &shape);
  node->normalize.kind = ARMNN_ACC_NORMALIZE_MEAN_VARIANCE;
  for (uint32_t i = 0; i + 1 < shape.rank; ++i) { /* all but the batch and the channels */
    if (alias.perm[i] != 0) node->normalize.axis_mask |= 1u << i;
  }
  node->normalize.scale_axis = shape.rank - 1;
  node->normalize.eps = d->eps;
  node->normalize.gamma = filled(graph, shape.dims[shape.rank - 1], d->gamma);
  node->normalize.beta = filled(graph, shape.dims[shape.rank - 1], d->beta);
  if (node->normalize.axis_mask == 0) {
    armnn_i_acc_refuse(graph, NULL, "an instance has one element of each channel");
  }
  alias.value = node->output;
  armnn_i_acc_set_output(graph, 0, alias);
}

void armnn_i_acc_read_l2_normalization(ir_graph_t* graph) {
  const armnn_l2_normalization_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_alias_t alias;
  const uint32_t input = channels_last(graph, d->data_layout, &alias);
  const ir_shape_t shape = *ir_shape(graph, input);
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_NORMALIZE, input, &shape);
  node->normalize.kind = ARMNN_ACC_NORMALIZE_L2;
  node->normalize.axis_mask = 1u << (shape.rank - 1);
  node->normalize.scale_axis = shape.rank - 1;
  node->normalize.eps = d->eps;
  alias.value = node->output;
  armnn_i_acc_set_output(graph, 0, alias);
}
