/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * layer_rules.h - optional: what a plain kernel asks of a layer beyond what the host guarantees.
 *
 * The host shows valid layers only ("Layers" in backend_api.h): operands fit the descriptor and
 * each other, outputs are what the layer gives. No rule checks that again. What is left are limits
 * of the usual kernel, which indexes with 64-bit integers and moves quantised elements without
 * converting them. Each rule is a function for the |supports| of a kernel row: it answers OK, or
 * writes the reason in words and answers UNSUPPORTED. armnn_layer_rule chooses by the layer's type:
 *
 *   static const armnn_kernel_t kernels[] = {
 *       ARMNN_KERNEL_RULED(SOFTMAX, FLOAT32, softmax_f32),
 *       ARMNN_KERNEL_RULED(CONCAT, ANY, concat_any),
 *   };
 *
 * Everything is static, as in the kit. Compiles as C11 and as C++.
 */
#ifndef ARMNN_LAYER_RULES_H_
#define ARMNN_LAYER_RULES_H_

#include "armnn/backend_kit.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ARMNN_RULE_REFUSE(reason, ...) armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, __VA_ARGS__)

/* ---- Weights --------------------------------------------------------------------------------- */

/* The dimension of input 1 that has the output channels: of convolutions and FULLY_CONNECTED. */
static inline uint32_t armnn_output_dimension(const armnn_layer_query_t* query) ARMNN_NOEXCEPT {
  switch (query->type) {
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
      return 3;
    case ARMNN_LAYER_CONVOLUTION3D:
      return 4;
    case ARMNN_LAYER_FULLY_CONNECTED: {
      const armnn_fully_connected_descriptor_t* d =
          ARMNN_DESCRIPTOR(query, armnn_fully_connected_descriptor_t);
      return d->transpose_weight_matrix != 0 ? 0 : 1;
    }
    default:
      return 0;
  }
}

/* [scales] of backend_api.h, for kernels that index a table of scales by the output channel: they
 * may ask it again, so that a query that no host has checked does no harm. */
static inline armnn_status_t armnn_rule_weight_scales(const armnn_layer_query_t* query,
                                                      armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_tensor_info_t* weights = query->input_infos[1];
  const uint32_t dimension = armnn_output_dimension(query);
  if (weights->quantization_count <= 1 ||
      (weights->quantization_dim == (int32_t)dimension && dimension < weights->rank &&
       weights->quantization_count == weights->dims[dimension])) {
    return ARMNN_STATUS_OK;
  }
  return ARMNN_RULE_REFUSE(reason,
                           "the weights have %u scales along dimension %d, one scale or one for "
                           "each index of dimension %u (the output channels) expected",
                           (unsigned)weights->quantization_count, (int)weights->quantization_dim,
                           (unsigned)dimension);
}

/* ---- Images and windows ---------------------------------------------------------------------- */

/* Sides of images and of windows stay below this, so that int64_t holds the product of any two of
 * them, and their sum with 32-bit paddings. */
#define ARMNN_RULE_MAX_SIDE ((uint64_t)INT32_MAX)

/* For tensors of four and five dimensions: convolutions, pooling, RESIZE, NORMALIZATION. */
static inline armnn_status_t armnn_rule_images(const armnn_layer_query_t* query,
                                               armnn_error_t* reason) ARMNN_NOEXCEPT {
  for (uint32_t i = 0; i < query->input_count + query->output_count; ++i) {
    const int is_input = i < query->input_count;
    const armnn_tensor_info_t* info =
        is_input ? query->input_infos[i] : query->output_infos[i - query->input_count];
    if (info == NULL || info->rank < 4) continue;
    for (uint32_t d = 0; d < info->rank; ++d) {
      if (info->dims[d] <= ARMNN_RULE_MAX_SIDE) continue;
      return ARMNN_RULE_REFUSE(reason, "dimension %u of %s is %llu, sides end at %llu", (unsigned)d,
                               !is_input ? "the output"
                               : i == 0  ? "the input"
                                         : "the weights",
                               (unsigned long long)info->dims[d],
                               (unsigned long long)ARMNN_RULE_MAX_SIDE);
    }
  }
  return ARMNN_STATUS_OK;
}

/* For pooling with a window of these sides. */
static inline armnn_status_t armnn_rule_pooling(const armnn_layer_query_t* query, uint32_t depth,
                                                uint32_t height, uint32_t width,
                                                armnn_error_t* reason) ARMNN_NOEXCEPT {
  const uint32_t sides[] = {depth, height, width};
  static const char* const names[] = {"depth", "height", "width"};
  for (int i = 0; i < 3; ++i) {
    if (sides[i] <= ARMNN_RULE_MAX_SIDE) continue;
    return ARMNN_RULE_REFUSE(reason, "the window's %s is %u", names[i], (unsigned)sides[i]);
  }
  if (depth > ARMNN_RULE_MAX_SIDE * ARMNN_RULE_MAX_SIDE / height / width) {
    return ARMNN_RULE_REFUSE(reason, "a window of %ux%ux%u elements", (unsigned)depth,
                             (unsigned)height, (unsigned)width);
  }
  return armnn_rule_images(query, reason);
}

static inline armnn_status_t armnn_rule_pooling2d(const armnn_layer_query_t* query,
                                                  armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_pooling2d_descriptor_t* d = ARMNN_DESCRIPTOR(query, armnn_pooling2d_descriptor_t);
  return armnn_rule_pooling(query, 1, d->pool_height, d->pool_width, reason);
}

static inline armnn_status_t armnn_rule_pooling3d(const armnn_layer_query_t* query,
                                                  armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_pooling3d_descriptor_t* d = ARMNN_DESCRIPTOR(query, armnn_pooling3d_descriptor_t);
  return armnn_rule_pooling(query, d->pool_depth, d->pool_height, d->pool_width, reason);
}

/* With a stated output shape, the host does not compare stride and dilation with it: they may reach
 * far beyond any tensor. */
static inline armnn_status_t armnn_rule_transpose_convolution2d(
    const armnn_layer_query_t* query, armnn_error_t* reason) ARMNN_NOEXCEPT {
  const uint64_t most = UINT64_C(1) << 40;
  const armnn_transpose_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(query, armnn_transpose_convolution2d_descriptor_t);
  const uint64_t *input = query->input_infos[0]->dims, *weights = query->input_infos[1]->dims;
  const uint32_t y = d->data_layout == ARMNN_DATA_LAYOUT_NHWC ? 1 : 2, x = y + 1;
  ARMNN_RETURN_IF_ERROR(armnn_rule_weight_scales(query, reason));
  ARMNN_RETURN_IF_ERROR(armnn_rule_images(query, reason));
  const int is_high = weights[y] * d->dilation_y > most || input[y] * d->stride_y > most;
  if (is_high || weights[x] * d->dilation_x > most || input[x] * d->stride_x > most) {
    return ARMNN_RULE_REFUSE(reason, "stride or dilation along %s lead too far",
                             is_high ? "height" : "width");
  }
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_rule_normalization(const armnn_layer_query_t* query,
                                                      armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_normalization_descriptor_t* d =
      ARMNN_DESCRIPTOR(query, armnn_normalization_descriptor_t);
  if (d->method != ARMNN_NORMALIZATION_LOCAL_BRIGHTNESS) {
    return ARMNN_RULE_REFUSE(reason, "method %d is not local brightness (0)", (int)d->method);
  }
  if (d->norm_size == 0) return ARMNN_RULE_REFUSE(reason, "the neighbourhood's size is 0");
  return armnn_rule_images(query, reason);
}

/* ---- Elements that move ---------------------------------------------------------------------- */

/* Layers that move elements as they are: all tensors have one quantisation, and one for the whole
 * of each, because elements that are quantised per axis lose their scale when they move. */
static inline armnn_status_t armnn_rule_moves(const armnn_layer_query_t* query,
                                              armnn_error_t* reason) ARMNN_NOEXCEPT {
  for (uint32_t i = 0; i < query->input_count; ++i) {
    const armnn_tensor_info_t* from = query->input_infos[i];
    if (from == NULL || !armnn_data_type_is_quantized(from->data_type)) continue; /* indices, say */
    for (uint32_t o = 0; o < query->output_count; ++o) {
      const armnn_tensor_info_t* to = query->output_infos[o];
      if (!armnn_data_type_is_quantized(to->data_type)) continue;
      const int from_axis = from->quantization_count > 1;
      if (from_axis || to->quantization_count > 1) {
        return ARMNN_RULE_REFUSE(
            reason, "%s %u is quantised per axis, the kernel moves elements that share one scale",
            from_axis ? "input" : "output", (unsigned)(from_axis ? i : o));
      }
      if (from->quantization_count != to->quantization_count ||
          (from->quantization_count == 1 &&
           (from->scales[0] != to->scales[0] || from->zero_points[0] != to->zero_points[0]))) {
        return ARMNN_RULE_REFUSE(
            reason,
            "input %u and output %u are quantised differently, the kernel does not requantise",
            (unsigned)i, (unsigned)o);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

/* ---- Sides and indices as numbers ------------------------------------------------------------ */

/* For indices along |axis| of input 0 as the data type of output |output|. */
static inline armnn_status_t armnn_rule_indices(const armnn_layer_query_t* query, uint32_t output,
                                                int32_t axis,
                                                armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_tensor_info_t* input = query->input_infos[0];
  const uint32_t place = (uint32_t)(axis < 0 ? axis + (int32_t)input->rank : axis);
  if (query->output_infos[output]->data_type != ARMNN_DATA_TYPE_SIGNED32 ||
      input->dims[place] <= INT32_MAX) {
    return ARMNN_STATUS_OK;
  }
  return ARMNN_RULE_REFUSE(reason, "indices of dimension %u do not fit int32", (unsigned)place);
}

static inline armnn_status_t armnn_rule_top_k(const armnn_layer_query_t* query,
                                              armnn_error_t* reason) ARMNN_NOEXCEPT {
  const int32_t axis = ARMNN_DESCRIPTOR(query, armnn_top_k_descriptor_t)->axis;
  ARMNN_RETURN_IF_ERROR(armnn_rule_indices(query, 1, axis, reason));
  return armnn_rule_moves(query, reason);
}

static inline armnn_status_t armnn_rule_shape(const armnn_layer_query_t* query,
                                              armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_tensor_info_t* input = query->input_infos[0];
  for (uint32_t d = 0; d < input->rank; ++d) {
    if (query->output_infos[0]->data_type == ARMNN_DATA_TYPE_SIGNED32 &&
        input->dims[d] > INT32_MAX) {
      return ARMNN_RULE_REFUSE(reason, "dimension %u of input 0 does not fit int32", (unsigned)d);
    }
  }
  return ARMNN_STATUS_OK;
}

/* ---- By type --------------------------------------------------------------------------------- */

/* Applies the rule of the layer's type; OK for a type without one. */
static inline armnn_status_t armnn_layer_rule(const armnn_layer_query_t* query,
                                              armnn_error_t* reason) ARMNN_NOEXCEPT {
  switch (query->type) {
    case ARMNN_LAYER_CONVOLUTION2D:
    case ARMNN_LAYER_CONVOLUTION3D:
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
      ARMNN_RETURN_IF_ERROR(armnn_rule_weight_scales(query, reason));
      return armnn_rule_images(query, reason);
    case ARMNN_LAYER_FULLY_CONNECTED:
      return armnn_rule_weight_scales(query, reason);
    case ARMNN_LAYER_RESIZE:
      return armnn_rule_images(query, reason);
    case ARMNN_LAYER_POOLING2D:
      return armnn_rule_pooling2d(query, reason);
    case ARMNN_LAYER_POOLING3D:
      return armnn_rule_pooling3d(query, reason);
    case ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D:
      return armnn_rule_transpose_convolution2d(query, reason);
    case ARMNN_LAYER_NORMALIZATION:
      return armnn_rule_normalization(query, reason);
    case ARMNN_LAYER_ARG_MIN_MAX:
      return armnn_rule_indices(
          query, 0, ARMNN_DESCRIPTOR(query, armnn_arg_min_max_descriptor_t)->axis, reason);
    case ARMNN_LAYER_TOP_K:
      return armnn_rule_top_k(query, reason);
    case ARMNN_LAYER_SHAPE:
      return armnn_rule_shape(query, reason);
    default:
      return armnn_layer_moves_elements(query->type) ? armnn_rule_moves(query, reason)
                                                     : ARMNN_STATUS_OK;
  }
}

/* A row for all operations of a layer type whose kernel has no limits beyond the rule. */
#define ARMNN_KERNEL_RULED(layer, type, execute) \
  ARMNN_KERNEL_FULL(layer, ARMNN_ANY, type, execute, armnn_layer_rule, NULL, NULL)

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_LAYER_RULES_H_ */
