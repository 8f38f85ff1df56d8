/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_quantized_elements.c - sums, products, pooling and Softmax of quantised bytes.
 */
#include <math.h>
#include <string.h>

#include "kernels/quantized/quantized_int16.h"
#include "quantized.h"
#include "read_images.h"

/* In the order of the first operand that is not broadcast. */
static ir_node_t* binary_node(ir_graph_t* graph) {
  const ir_shape_t logical = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  const ir_alias_t sides[] = {armnn_i_acc_input(graph, 0), armnn_i_acc_input(graph, 1)};
  ir_alias_t result = {.value = 0};
  for (uint32_t d = 0; d < logical.rank; ++d) result.perm[d] = d;
  for (uint32_t i = 2; i-- > 0;) {
    const ir_shape_t own = armnn_i_acc_logical(graph, &sides[i]);
    if (ir_same_shape(&own, &logical)) memcpy(result.perm, sides[i].perm, sizeof result.perm);
  }
  ir_shape_t shape = {.rank = logical.rank};
  uint32_t inputs[2];
  for (uint32_t d = 0; d < shape.rank; ++d) shape.dims[d] = logical.dims[result.perm[d]];
  for (uint32_t i = 0; i < 2; ++i) {
    inputs[i] = armnn_i_acc_operand(graph, &sides[i], shape.rank, result.perm);
  }
  ir_node_t* node = armnn_i_acc_node(graph, IR_QUANTIZED_BINARY, inputs, 2, &shape);
  graph->values[node->output]->element = armnn_i_acc_element_of(ir_layer(graph)->output_infos[0]);
  result.value = node->output;
  armnn_i_acc_set_output(graph, 0, result);
  return node;
}

void armnn_i_acc_read_quantized_binary(ir_graph_t* graph) {
  const armnn_elementwise_binary_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_node_t* node = binary_node(graph);
  armnn_i_acc_quantized_binary_t* what = &node->quantized_binary;
  const float x = graph->values[node->inputs[0]]->element.scale;
  const float y = graph->values[node->inputs[1]]->element.scale;
  const armnn_i_acc_element_t out = graph->values[node->output]->element;
  const bool is_int16 = armnn_i_acc_is_int16(out.type);
  double most = is_int16 ? 0x1p30 : 255.0 * 255.0; /* that is scaled */
  what->operation = d->operation;
  what->low = armnn_i_acc_least(out.type);
  what->high = armnn_i_acc_most(out.type);
  what->is_real = armnn_i_acc_is_real(graph);
  if (what->is_real) return;
  if (d->operation == ARMNN_BINARY_MUL) {
    what->factor = armnn_factor((double)(x * y / out.scale));
  } else {
    const double twice = 2.0 * (double)(x > y ? x : y);
    const double steps = 1 << (is_int16 ? ARMNN_ACC_INT16_SUM_BITS : ARMNN_ACC_SUM_BITS);
    what->left_factor = armnn_factor((double)x / twice);
    what->right_factor = armnn_factor((double)y / twice);
    what->factor = armnn_factor(twice / (steps * (double)out.scale));
    most = is_int16 ? 0x1p30 : 256.0 * steps;
  }
  if ((what->factor.shift > 0 && ldexp(most, what->factor.shift) >= 0x1p31) ||
      (is_int16 && what->factor.shift < -30)) {
    armnn_i_acc_refuse(graph, NULL, "results may need more than 32 bits");
  }
}

void armnn_i_acc_read_quantized_pooling(ir_graph_t* graph) {
  const armnn_pooling2d_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_node_t* node = armnn_i_acc_image_node(graph, IR_QUANTIZED_POOLING, d->data_layout);
  node->quantized_pooling = (armnn_i_acc_quantized_pooling_t){
      STEPS_OF(d),
      .pad_bottom = d->pad_bottom,
      .pad_right = d->pad_right,
      .method = d->pool_type,
      .kernel_y = d->pool_height,
      .kernel_x = d->pool_width,
      .count_padding = d->padding_method == ARMNN_PADDING_IGNORE_VALUE,
      .is_real = armnn_i_acc_is_real(graph),
  };
}

void armnn_i_acc_read_quantized_softmax(ir_graph_t* graph) {
  const armnn_softmax_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const ir_alias_t alias = armnn_i_acc_input(graph, 0);
  const uint32_t rank = ir_shape(graph, alias.value)->rank;
  ir_node_t* node = armnn_i_acc_element_node(graph, IR_QUANTIZED_SOFTMAX);
  node->quantized_softmax.axis =
      ir_axis(&alias, (uint32_t)(d->axis < 0 ? d->axis + (int32_t)rank : d->axis));
  node->quantized_softmax.beta = d->beta;
  node->quantized_softmax.logarithm = ir_layer(graph)->type == ARMNN_LAYER_LOG_SOFTMAX;
}

void armnn_i_acc_read_quantized_reduce(ir_graph_t* graph) {
  const armnn_reduce_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  uint32_t mask;
  ir_node_t* node = armnn_i_acc_fold_node(graph, IR_QUANTIZED_REDUCE, &mask);
  const ir_value_t *from = graph->values[node->inputs[0]], *to = graph->values[node->output];
  node->quantized_reduce.operation = d->operation;
  node->quantized_reduce.axis_mask = mask;
  node->quantized_reduce.is_real = armnn_i_acc_is_real(graph);
  node->quantized_reduce.factor =
      armnn_mean_factor((double)from->element.scale / (double)to->element.scale,
                        (uint64_t)(ir_count(&from->shape) / ir_count(&to->shape)));
}

/* The nearest pixel is one of the input, whose bytes a table brings to another scale. */
void armnn_i_acc_read_quantized_resize(ir_graph_t* graph) {
  const armnn_resize_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const bool nearest = d->method == ARMNN_RESIZE_NEAREST_NEIGHBOR;
  ir_node_t* node =
      armnn_i_acc_image_node(graph, nearest ? IR_RESIZE : IR_QUANTIZED_RESIZE, d->data_layout);
  if (nearest) {
    node->resize.method = d->method;
    node->resize.align_corners = d->align_corners != 0;
    node->resize.half_pixel_centers = d->half_pixel_centers != 0;
    armnn_i_acc_rescale(graph, node);
  } else {
    node->quantized_resize.align_corners = d->align_corners != 0;
    node->quantized_resize.half_pixel_centers = d->half_pixel_centers != 0;
  }
}
