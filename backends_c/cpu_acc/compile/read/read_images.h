/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_images.h - what readers of layers with images share, of float32 and of quantised numbers.
 */
#ifndef ARMNN_CPU_ACC_READ_IMAGES_H_
#define ARMNN_CPU_ACC_READ_IMAGES_H_

#include "compile/ir.h"

/* Where the network has N, H, W, C: the order that images have in memory. */
static inline const uint32_t* armnn_i_acc_image_order(int32_t data_layout) {
  static const uint32_t nchw[IR_DIMS] = {0, 2, 3, 1, 4, 5, 6, 7};
  static const uint32_t nhwc[IR_DIMS] = {0, 1, 2, 3, 4, 5, 6, 7};
  return data_layout == ARMNN_DATA_LAYOUT_NCHW ? nchw : nhwc;
}

/* A dilation of 0 means none; where a descriptor must not have 0, the host has refused it. */
static inline int64_t armnn_i_acc_dilation_of(uint32_t dilation) {
  return dilation == 0 ? 1 : (int64_t)dilation;
}

/* The fields that descriptors of windows have in common, as those of convolutions and poolings. */
#define STEPS_OF(descriptor)                                              \
  .stride_y = (descriptor)->stride_y, .stride_x = (descriptor)->stride_x, \
  .dilation_y = armnn_i_acc_dilation_of((descriptor)->dilation_y),        \
  .dilation_x = armnn_i_acc_dilation_of((descriptor)->dilation_x),        \
  .pad_top = (descriptor)->pad_top, .pad_left = (descriptor)->pad_left

/* A node from the images of input 0 to those of the output, channels last. */
ir_node_t* armnn_i_acc_image_node(ir_graph_t* graph, ir_kind_t kind, int32_t data_layout);
/* The constant weights, whose dimensions o, y, x, i are dimensions order[..] of the network's. */
armnn_i_acc_tensor_t armnn_i_acc_weights(ir_graph_t* graph, const uint32_t* order);

/* ---- Weights or bias values that the network computes ---------------------------------------- */

/* |order|: the network's dimensions that are N, H, W, C. |weights_order|: those of the weights that
 * are o, y, x, i. */

/* A convolution as the product of |left| [groups, pixels, depth] and |right| [groups, outputs,
 * depth], transposed; |shape| is [groups, pixels, outputs]. */
typedef struct ir_taps_t {
  uint32_t left, right;
  ir_shape_t shape;
} ir_taps_t;

/* |window| has all but the weights and the kernel's sides; padding has the value |padding|. */
ir_taps_t armnn_i_acc_taps(ir_graph_t* graph, const armnn_i_acc_convolution_t* window,
                           const uint32_t* order, const uint32_t* weights_order, float padding);
/* The product as the image |out|: N, H, W, C. */
ir_alias_t armnn_i_acc_ungrouped(ir_graph_t* graph, uint32_t product, const ir_shape_t* out);

/* The shape of output 0 of the layer, channels last. */
ir_shape_t armnn_i_acc_image_output(const ir_graph_t* graph, const uint32_t* order);
/* |image|, channels last, becomes output 0 of the layer. */
void armnn_i_acc_set_image(ir_graph_t* graph, ir_alias_t image, const uint32_t* order);
/* The same plus input 2, which has a value for each channel. */
void armnn_i_acc_set_biased(ir_graph_t* graph, ir_alias_t image, bool has_bias,
                            const uint32_t* order);

/* A convolution of float32 numbers with computed weights. */
void armnn_i_acc_read_computed_convolution(ir_graph_t* graph,
                                           const armnn_i_acc_convolution_t* window,
                                           const uint32_t* order, const uint32_t* weights_order,
                                           bool has_bias);

/* Products of quantised numbers, whose weights or bias values are computed. */
bool armnn_i_acc_is_computed_product(const ir_graph_t* graph, uint32_t bias_enabled);
void armnn_i_acc_read_computed_levels(ir_graph_t* graph, const armnn_i_acc_convolution_t* window,
                                      const uint32_t* order, const uint32_t* weights_order,
                                      bool has_bias);
void armnn_i_acc_read_computed_matrix(ir_graph_t* graph, bool transposed, bool has_bias);

#endif /* ARMNN_CPU_ACC_READ_IMAGES_H_ */
