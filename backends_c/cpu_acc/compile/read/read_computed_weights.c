/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_computed_weights.c - convolutions whose weights are not known when the network is loaded:
 * for each place of the window a slice of the image, all of them side by side, times the weights as
 * a matrix. Products with computed matrices pack them when they run.
 */
#include "read_images.h"

/* The input, as pixels of the output times groups times places of the window times channels: [P, G,
 * T, I]. |image| has N, H, W, C, and |padding| around. */
static ir_alias_t taps_of(ir_graph_t* graph, const armnn_i_acc_convolution_t* window,
                          const ir_alias_t* image, const ir_shape_t* out, float padding) {
  const ir_shape_t from = armnn_i_acc_logical(graph, image);
  const int64_t rows =
      (out->dims[1] - 1) * window->stride_y + (window->kernel_y - 1) * window->dilation_y + 1;
  const int64_t columns =
      (out->dims[2] - 1) * window->stride_x + (window->kernel_x - 1) * window->dilation_x + 1;
  const int64_t below = rows - from.dims[1] - window->pad_top;
  const int64_t right = columns - from.dims[2] - window->pad_left;
  const int64_t before[IR_DIMS] = {0, window->pad_top, window->pad_left};
  const int64_t after[IR_DIMS] = {0, below > 0 ? below : 0, right > 0 ? right : 0};
  const ir_alias_t whole =
      armnn_i_acc_padded(graph, image, before, after, ARMNN_PAD_CONSTANT, padding);
  const int64_t pixels = out->dims[0] * out->dims[1] * out->dims[2];
  const int64_t inputs = from.dims[3] / window->groups;
  const uint32_t places = (uint32_t)(window->kernel_y * window->kernel_x);
  const ir_shape_t piece = {4, {pixels, window->groups, 1, inputs}};
  const ir_shape_t all = {4, {pixels, window->groups, places, inputs}};
  const int64_t stride[IR_DIMS] = {1, window->stride_y, window->stride_x, 1};
  const int64_t count[IR_DIMS] = {out->dims[0], out->dims[1], out->dims[2], from.dims[3]};
  ir_alias_t* pieces = armnn_i_acc_pool(graph, places * sizeof *pieces);
  int64_t (*origins)[IR_DIMS] = armnn_i_acc_pool(graph, places * sizeof *origins);
  for (uint32_t t = 0; t < places; ++t) {
    const int64_t begin[IR_DIMS] = {0, t / window->kernel_x * window->dilation_y,
                                    t % window->kernel_x * window->dilation_x, 0};
    const ir_alias_t cut = armnn_i_acc_sliced(graph, &whole, begin, stride, count);
    pieces[t] = armnn_i_acc_reshaped(graph, &cut, &piece);
    origins[t][2] = t;
  }
  if (places == 1) return pieces[0];
  return armnn_i_acc_joined(graph, pieces, places, (const int64_t (*)[IR_DIMS])origins, &all);
}

ir_taps_t armnn_i_acc_taps(ir_graph_t* graph, const armnn_i_acc_convolution_t* given,
                           const uint32_t* order, const uint32_t* weights_order, float padding) {
  static const uint32_t groups_first[IR_DIMS] = {1, 0, 2, 3};
  const ir_shape_t sides = armnn_i_acc_shape_of(ir_layer(graph)->input_infos[1]);
  const ir_shape_t out = armnn_i_acc_image_output(graph, order);
  armnn_i_acc_convolution_t window = *given;
  window.kernel_y = sides.dims[weights_order[1]];
  window.kernel_x = sides.dims[weights_order[2]];
  const int64_t pixels = out.dims[0] * out.dims[1] * out.dims[2], groups = window.groups;
  const int64_t outputs = out.dims[3] / groups;

  const ir_alias_t input = armnn_i_acc_input(graph, 0), weights = armnn_i_acc_input(graph, 1);
  const ir_alias_t image = armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &input, order));
  const ir_alias_t taps = taps_of(graph, &window, &image, &out, padding);
  const ir_shape_t seen = armnn_i_acc_logical(graph, &taps);
  const int64_t depth = seen.dims[2] * seen.dims[3];
  const ir_shape_t left_shape = {3, {groups, pixels, depth}};
  const ir_shape_t right_shape = {3, {groups, outputs, depth}};
  const ir_alias_t grouped =
      armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &taps, groups_first));
  const ir_alias_t left = armnn_i_acc_reshaped(graph, &grouped, &left_shape);
  const ir_alias_t listed =
      armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &weights, weights_order));
  const ir_alias_t right = armnn_i_acc_reshaped(graph, &listed, &right_shape);
  return (ir_taps_t){armnn_i_acc_plain(graph, &left),
                     armnn_i_acc_plain(graph, &right),
                     {3, {groups, pixels, outputs}}};
}

ir_alias_t armnn_i_acc_ungrouped(ir_graph_t* graph, uint32_t product, const ir_shape_t* out) {
  static const uint32_t pixels_first[IR_DIMS] = {1, 0, 2};
  const ir_alias_t alias = armnn_i_acc_alias(graph, product);
  const ir_alias_t ungrouped =
      armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &alias, pixels_first));
  return armnn_i_acc_reshaped(graph, &ungrouped, out);
}

ir_shape_t armnn_i_acc_image_output(const ir_graph_t* graph, const uint32_t* order) {
  const ir_shape_t network = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  ir_shape_t out = {.rank = network.rank};
  for (uint32_t d = 0; d < out.rank; ++d) out.dims[d] = network.dims[order[d]];
  return out;
}

void armnn_i_acc_set_image(ir_graph_t* graph, ir_alias_t image, const uint32_t* order) {
  const uint32_t rank = ir_shape(graph, image.value)->rank;
  for (uint32_t d = 0; d < rank; ++d) image.perm[d] = order[image.perm[d]];
  armnn_i_acc_set_output(graph, 0, image);
}

void armnn_i_acc_set_biased(ir_graph_t* graph, ir_alias_t image, bool has_bias,
                            const uint32_t* order) {
  if (has_bias) {
    const ir_alias_t bias = armnn_i_acc_input(graph, 2);
    const ir_shape_t out = armnn_i_acc_logical(graph, &image);
    image = armnn_i_acc_apply_binary(graph, &image, &bias, ARMNN_BINARY_ADD, &out);
  }
  armnn_i_acc_set_image(graph, image, order);
}

void armnn_i_acc_read_computed_convolution(ir_graph_t* graph,
                                           const armnn_i_acc_convolution_t* window,
                                           const uint32_t* order, const uint32_t* weights_order,
                                           bool has_bias) {
  const ir_taps_t taps = armnn_i_acc_taps(graph, window, order, weights_order, 0.0f);
  const uint32_t inputs[] = {taps.left, taps.right};
  ir_node_t* node = armnn_i_acc_node(graph, IR_MATMUL, inputs, 2, &taps.shape);
  node->matmul.transpose_right = true;
  const ir_shape_t out = armnn_i_acc_image_output(graph, order);
  armnn_i_acc_set_biased(graph, armnn_i_acc_ungrouped(graph, node->output, &out), has_bias, order);
}
