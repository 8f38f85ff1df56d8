/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_computed.h - what readers of convolutions share whose weights or bias values the network
 * computes, of float32 and of quantised numbers. |order| says where the network has N, H, W, C,
 * |weights_order| where the weights have o, y, x, i.
 */
#ifndef ARMNN_CPU_ACC_READ_COMPUTED_H_
#define ARMNN_CPU_ACC_READ_COMPUTED_H_

#include "ir.h"

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

#endif /* ARMNN_CPU_ACC_READ_COMPUTED_H_ */
