/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_volumes.c - convolutions and poolings of three dimensions, as those of two: the planes of a
 * volume are images.
 */
#include <string.h>

#include "compile/ir.h"

/* Where the network has N, D, H, W, C. */
static const uint32_t* volume_order(int32_t data_layout) {
  static const uint32_t ncdhw[IR_DIMS] = {0, 2, 3, 4, 1, 5, 6, 7};
  static const uint32_t ndhwc[IR_DIMS] = {0, 1, 2, 3, 4, 5, 6, 7};
  return data_layout == ARMNN_DATA_LAYOUT_NCDHW ? ncdhw : ndhwc;
}

/* Input 0 as N, D, H, W, C, and the output's dimensions in that order. */
static ir_alias_t volume_input(ir_graph_t* graph, const uint32_t* order, ir_shape_t* out_shape) {
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t out = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  out_shape->rank = 5;
  for (uint32_t d = 0; d < 5; ++d) out_shape->dims[d] = out.dims[order[d]];
  return armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &input, order));
}

/* |computed|, seen with |shape| as N, D, H, W, C, is the output. */
static void set_volume(ir_graph_t* graph, const uint32_t* order, ir_alias_t computed,
                       const ir_shape_t* shape) {
  ir_alias_t result = armnn_i_acc_reshaped(graph, &computed, shape);
  for (uint32_t d = 0; d < 5; ++d) result.perm[d] = order[result.perm[d]];
  armnn_i_acc_set_output(graph, 0, result);
}

/* ---- Convolution --------------------------------------------------------------------------- */

/* For each plane of the output the planes of its window side by side, as channels of one image. */
static ir_alias_t planes_of(ir_graph_t* graph, const armnn_convolution3d_descriptor_t* d,
                            const ir_alias_t* volume, int64_t depth, int64_t planes) {
  const ir_shape_t from = armnn_i_acc_logical(graph, volume);
  const int64_t reach = (planes - 1) * d->stride_z + (depth - 1) * d->dilation_z + 1;
  const int64_t behind = reach - from.dims[1] - d->pad_front;
  const int64_t before[IR_DIMS] = {0, d->pad_front}, after[IR_DIMS] = {0, behind > 0 ? behind : 0};
  const ir_alias_t whole =
      armnn_i_acc_padded(graph, volume, before, after, ARMNN_PAD_CONSTANT, 0.0f);
  ir_shape_t all = from;
  all.dims[1] = planes;
  const int64_t stride[IR_DIMS] = {1, d->stride_z, 1, 1, 1};
  ir_alias_t* pieces = armnn_i_acc_pool(graph, (uint64_t)depth * sizeof *pieces);
  int64_t (*origins)[IR_DIMS] = armnn_i_acc_pool(graph, (uint64_t)depth * sizeof *origins);
  for (int64_t z = 0; z < depth; ++z) {
    const int64_t begin[IR_DIMS] = {0, z * d->dilation_z};
    pieces[z] = armnn_i_acc_sliced(graph, &whole, begin, stride, all.dims);
    origins[z][4] = z * from.dims[4];
  }
  if (depth == 1) return pieces[0];
  all.dims[4] *= depth;
  return armnn_i_acc_joined(graph, pieces, (uint32_t)depth, (const int64_t (*)[IR_DIMS])origins,
                            &all);
}

/* The weights [D, H, W, I, O] as [H, W, D I, O], which the strides of the tensor tell. */
static armnn_i_acc_tensor_t plane_weights(ir_graph_t* graph, const ir_shape_t* shape) {
  const float* given = armnn_i_acc_constant_input(graph, 1, "the weights");
  const int64_t depth = shape->dims[0], places = shape->dims[1] * shape->dims[2];
  const int64_t block = shape->dims[3] * shape->dims[4], size = sizeof(float);
  float* weights = armnn_i_acc_pool(graph, (uint64_t)(depth * places * block * size));
  for (int64_t z = 0; z < depth; ++z) {
    for (int64_t p = 0; p < places; ++p) {
      memcpy(weights + (p * depth + z) * block, given + (z * places + p) * block,
             (size_t)(block * size));
    }
  }
  const int64_t inputs = depth * shape->dims[3], outputs = shape->dims[4];
  return (armnn_i_acc_tensor_t){
      .element = ARMNN_ACC_FLOAT32,
      .rank = 4,
      .dims = {outputs, shape->dims[1], shape->dims[2], inputs},
      .strides = {size, shape->dims[2] * inputs * outputs * size, inputs * outputs * size,
                  outputs * size},
      .values = weights,
  };
}

void armnn_i_acc_read_convolution3d(ir_graph_t* graph) {
  const armnn_convolution3d_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const uint32_t* order = volume_order(d->data_layout);
  const ir_shape_t sides = armnn_i_acc_shape_of(ir_layer(graph)->input_infos[1]);
  ir_shape_t out;
  const ir_alias_t volume = volume_input(graph, order, &out);
  const ir_alias_t planes = planes_of(graph, d, &volume, sides.dims[0], out.dims[1]);
  const ir_shape_t seen = armnn_i_acc_logical(graph, &planes);
  const ir_shape_t images = {
      4, {seen.dims[0] * seen.dims[1], seen.dims[2], seen.dims[3], seen.dims[4]}};
  const ir_shape_t shape = {4, {images.dims[0], out.dims[2], out.dims[3], out.dims[4]}};
  const ir_alias_t listed = armnn_i_acc_reshaped(graph, &planes, &images);
  ir_node_t* node =
      armnn_i_acc_node_of(graph, IR_CONVOLUTION, armnn_i_acc_plain(graph, &listed), &shape);
  node->convolution = (armnn_i_acc_convolution_t){
      .weights = plane_weights(graph, &sides),
      .kernel_y = sides.dims[1],
      .kernel_x = sides.dims[2],
      .stride_y = d->stride_y,
      .stride_x = d->stride_x,
      .dilation_y = d->dilation_y,
      .dilation_x = d->dilation_x,
      .pad_top = d->pad_top,
      .pad_left = d->pad_left,
      .groups = 1,
  };
  ir_alias_t result = armnn_i_acc_alias(graph, node->output);
  if (d->bias_enabled != 0 && armnn_i_acc_has_input(graph, 2)) {
    const ir_alias_t bias = armnn_i_acc_input(graph, 2);
    if (graph->values[bias.value]->constant != NULL) {
      node->convolution.bias = armnn_i_acc_constant_input(graph, 2, "the bias values");
    } else {
      result = armnn_i_acc_apply_binary(graph, &result, &bias, ARMNN_BINARY_ADD, &shape);
    }
  }
  set_volume(graph, order, result, &out);
}

/* ---- Pooling ------------------------------------------------------------------------------- */

/* Over height and width, then over the depth: the largest, the mean and the root of the mean of
 * squares of a box are those of its lines' own, since a box has the same number of elements in each
 * line, with or without the padding. */
void armnn_i_acc_read_pooling3d(ir_graph_t* graph) {
  const armnn_pooling3d_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const uint32_t* order = volume_order(d->data_layout);
  const bool count_padding = d->padding_method == ARMNN_PADDING_IGNORE_VALUE;
  ir_shape_t out;
  const ir_alias_t volume = volume_input(graph, order, &out);
  const ir_shape_t from = armnn_i_acc_logical(graph, &volume);
  const int64_t channels = out.dims[4], area = out.dims[2] * out.dims[3];
  const ir_shape_t images = {4,
                             {from.dims[0] * from.dims[1], from.dims[2], from.dims[3], channels}};
  const ir_shape_t pooled = {4, {images.dims[0], out.dims[2], out.dims[3], channels}};
  const ir_alias_t planes = armnn_i_acc_reshaped(graph, &volume, &images);
  ir_node_t* node =
      armnn_i_acc_node_of(graph, IR_POOLING, armnn_i_acc_plain(graph, &planes), &pooled);
  node->pooling = (armnn_i_acc_pooling_t){
      .method = d->pool_type,
      .kernel_y = d->pool_height,
      .kernel_x = d->pool_width,
      .stride_y = d->stride_y,
      .stride_x = d->stride_x,
      .dilation_y = 1,
      .dilation_x = 1,
      .pad_top = d->pad_top,
      .pad_left = d->pad_left,
      .pad_bottom = d->pad_bottom,
      .pad_right = d->pad_right,
      .count_padding = count_padding,
  };
  const ir_shape_t columns = {4, {from.dims[0], from.dims[1], area, channels}};
  const ir_shape_t shape = {4, {from.dims[0], out.dims[1], area, channels}};
  const ir_alias_t flat = armnn_i_acc_alias(graph, node->output);
  const ir_alias_t lines = armnn_i_acc_reshaped(graph, &flat, &columns);
  node = armnn_i_acc_node_of(graph, IR_POOLING, armnn_i_acc_plain(graph, &lines), &shape);
  node->pooling = (armnn_i_acc_pooling_t){
      .method = d->pool_type,
      .kernel_y = d->pool_depth,
      .kernel_x = 1,
      .stride_y = d->stride_z,
      .stride_x = 1,
      .dilation_y = 1,
      .dilation_x = 1,
      .pad_top = d->pad_front,
      .pad_bottom = d->pad_back,
      .count_padding = count_padding,
  };
  set_volume(graph, order, armnn_i_acc_alias(graph, node->output), &out);
}
