/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_images.h - what readers of layers with images share, of float32 and of quantised numbers.
 */
#ifndef ARMNN_CPU_ACC_READ_IMAGES_H_
#define ARMNN_CPU_ACC_READ_IMAGES_H_

#include "ir.h"

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

#endif /* ARMNN_CPU_ACC_READ_IMAGES_H_ */
