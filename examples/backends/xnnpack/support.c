/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * support.c - which layers XNNPACK takes; the compiler relies on what is said here.
 */
#include <math.h>

#include "armnn/layer_rules.h"
#include "compile.h"

#define REFUSE(...) return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, __VA_ARGS__)

static armnn_status_t check_tensors(const armnn_layer_query_t* query, bool is_8bit,
                                    armnn_error_t* reason) {
  for (uint32_t i = 0; i < query->input_count + query->output_count; ++i) {
    const bool is_input = i < query->input_count;
    const uint32_t k = is_input ? i : i - query->input_count;
    const armnn_tensor_info_t* info = is_input ? query->input_infos[k] : query->output_infos[k];
    const char* what = is_input ? "input" : "output";
    if (info == NULL) continue;
    if (!is_8bit && info->data_type != ARMNN_DATA_TYPE_FLOAT32) {
      REFUSE("%s %u is %s, the operators are made for float32, quantised int8 and quantised uint8",
             what, (unsigned)k, armnn_data_type_name(info->data_type));
    }
    if (info->element_count == 0) REFUSE("%s %u is empty", what, (unsigned)k);
    if (info->rank > XNN_MAX_TENSOR_DIMS) {
      REFUSE("%s %u has %u dimensions, XNNPACK takes %d", what, (unsigned)k, (unsigned)info->rank,
             XNN_MAX_TENSOR_DIMS);
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_weights(const armnn_layer_query_t* query, armnn_error_t* reason) {
  for (uint32_t i = 1; i < query->input_count; ++i) {
    if (query->input_infos[i] != NULL &&
        (query->input_infos[i]->flags & ARMNN_TENSOR_CONSTANT) == 0) {
      REFUSE("the %s must be constant: XNNPACK packs it once", i == 1 ? "weights" : "bias");
    }
  }
  return armnn_rule_images(query, reason);
}

bool xn_is_global_average(int32_t type, const armnn_header_t* descriptor,
                          const armnn_tensor_info_t* input) {
  if (type == ARMNN_LAYER_REDUCE) {
    const armnn_reduce_descriptor_t* d = (const armnn_reduce_descriptor_t*)(const void*)descriptor;
    if (d->operation != ARMNN_REDUCE_MEAN || input->rank != 4 || d->axis_count != 2) return false;
    const int32_t a = (d->axes[0] + 4) % 4, b = (d->axes[1] + 4) % 4;
    return (a == 2 && b == 3) || (a == 3 && b == 2) || (a == 1 && b == 2) || (a == 2 && b == 1);
  }
  const armnn_pooling2d_descriptor_t* d =
      (const armnn_pooling2d_descriptor_t*)(const void*)descriptor;
  return d->pool_type == ARMNN_POOLING_AVERAGE && d->pool_height == input->dims[1] &&
         d->pool_width == input->dims[2] && d->pad_top == 0 && d->pad_bottom == 0 &&
         d->pad_left == 0 && d->pad_right == 0;
}

static uint32_t extra(uint64_t input, uint64_t output, uint32_t before, uint32_t after,
                      uint32_t window, uint32_t dilation, uint32_t stride) {
  const uint64_t reach = (uint64_t)(window - 1) * (dilation > 1 ? dilation : 1) + 1;
  const uint64_t wanted = (output - 1) * stride + reach, there = input + before + after;
  return wanted > there ? (uint32_t)(wanted - there) : 0;
}

void xn_pooling_extra(const armnn_pooling2d_descriptor_t* d, const armnn_tensor_info_t* input,
                      const armnn_tensor_info_t* output, uint32_t* out_bottom,
                      uint32_t* out_right) {
  *out_bottom = extra(input->dims[1], output->dims[1], d->pad_top, d->pad_bottom, d->pool_height,
                      d->dilation_y, d->stride_y);
  *out_right = extra(input->dims[2], output->dims[2], d->pad_left, d->pad_right, d->pool_width,
                     d->dilation_x, d->stride_x);
}

static armnn_status_t check_pooling(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_pooling2d_descriptor_t* d = ARMNN_DESCRIPTOR(query, armnn_pooling2d_descriptor_t);
  const armnn_tensor_info_t *in = query->input_infos[0], *out = query->output_infos[0];
  ARMNN_RETURN_IF_ERROR(armnn_rule_pooling2d(query, reason));
  if (xn_is_global_average(query->type, query->descriptor, in)) return ARMNN_STATUS_OK;
  const bool is_average = d->pool_type == ARMNN_POOLING_AVERAGE;
  if (d->pool_type == ARMNN_POOLING_L2) REFUSE("XNNPACK has no L2 pooling");
  if (d->pool_height * (uint64_t)d->pool_width == 1) REFUSE("XNNPACK pools more than one pixel");
  if (is_average && (d->dilation_y > 1 || d->dilation_x > 1)) {
    REFUSE("XNNPACK has no dilated average pooling");
  }
  uint32_t bottom = 0, right = 0;
  xn_pooling_extra(d, in, out, &bottom, &right);
  const uint64_t bottoms = (uint64_t)d->pad_bottom + bottom,
                 rights = (uint64_t)d->pad_right + right;
  const bool is_padded = d->pad_top + bottoms + d->pad_left + rights > 0;
  const bool counts = d->padding_method == ARMNN_PADDING_IGNORE_VALUE;
  if (is_average && is_padded && counts != xn_is_8bit(in)) {
    REFUSE("XNNPACK %s padding in an average", counts ? "does not count" : "counts");
  }
  if (is_average && counts && bottom + right > 0) REFUSE("a window reaches beyond the padding");
  if (d->pad_top >= d->pool_height || bottoms >= d->pool_height || d->pad_left >= d->pool_width ||
      rights >= d->pool_width) {
    REFUSE("a window may lie in the padding wholly");
  }
  if (is_padded && (d->dilation_y > 1 || d->dilation_x > 1)) {
    REFUSE("a dilated window may lie in the padding wholly");
  }
  return ARMNN_STATUS_OK;
}

static bool adjustment(uint64_t input, uint64_t window, uint64_t output, uint64_t pads,
                       uint64_t stride, uint64_t dilation, uint32_t* out_rows) {
  const uint64_t formula = (input - 1) * stride + (window - 1) * (dilation > 1 ? dilation : 1) + 1;
  *out_rows = (uint32_t)(output + pads - formula);
  return output + pads >= formula && output + pads - formula < stride;
}

bool xn_adjustment(const armnn_transpose_convolution2d_descriptor_t* d,
                   const armnn_tensor_info_t* input, const armnn_tensor_info_t* weights,
                   const armnn_tensor_info_t* output, uint32_t* out_y, uint32_t* out_x) {
  const uint64_t ys = (uint64_t)d->pad_top + d->pad_bottom;
  const uint64_t xs = (uint64_t)d->pad_left + d->pad_right;
  return adjustment(input->dims[1], weights->dims[1], output->dims[1], ys, d->stride_y,
                    d->dilation_y, out_y) &&
         adjustment(input->dims[2], weights->dims[2], output->dims[2], xs, d->stride_x,
                    d->dilation_x, out_x);
}

static armnn_status_t check_transpose_convolution(const armnn_layer_query_t* query,
                                                  armnn_error_t* reason) {
  uint32_t y, x;
  ARMNN_RETURN_IF_ERROR(armnn_rule_transpose_convolution2d(query, reason));
  if (xn_adjustment(ARMNN_DESCRIPTOR(query, armnn_transpose_convolution2d_descriptor_t),
                    query->input_infos[0], query->input_infos[1], query->output_infos[0], &y, &x)) {
    return check_weights(query, reason);
  }
  REFUSE("the output is larger than XNNPACK makes it, by a stride or more, or smaller");
}

static armnn_status_t check_activation(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_activation_descriptor_t* d = ARMNN_DESCRIPTOR(query, armnn_activation_descriptor_t);
  switch (d->function) {
    case ARMNN_ACTIVATION_SIGMOID:
    case ARMNN_ACTIVATION_RELU:
    case ARMNN_ACTIVATION_ABS:
    case ARMNN_ACTIVATION_SQRT:
    case ARMNN_ACTIVATION_SQUARE:
    case ARMNN_ACTIVATION_HARD_SWISH:
    case ARMNN_ACTIVATION_LINEAR:
    case ARMNN_ACTIVATION_HARD_SIGMOID:
      return ARMNN_STATUS_OK;
    case ARMNN_ACTIVATION_BOUNDED_RELU:
      if (d->b < d->a) return ARMNN_STATUS_OK;
      REFUSE("XNNPACK needs a lower bound below the upper one");
    case ARMNN_ACTIVATION_LEAKY_RELU:
      if (isfinite(d->a)) return ARMNN_STATUS_OK;
      REFUSE("XNNPACK needs a finite slope");
    case ARMNN_ACTIVATION_ELU:
      if (isnormal(d->a) && d->a > 0.0f) return ARMNN_STATUS_OK;
      REFUSE("XNNPACK needs a factor above 0");
    default:
      REFUSE("no operator for %s", armnn_operation_name(query->type, d->function));
  }
}

static armnn_status_t check_resize(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_resize_descriptor_t* d = ARMNN_DESCRIPTOR(query, armnn_resize_descriptor_t);
  const uint64_t *in = query->input_infos[0]->dims, *out = query->output_infos[0]->dims;
  ARMNN_RETURN_IF_ERROR(armnn_rule_images(query, reason));
  if (d->align_corners != 0 && d->half_pixel_centers != 0) {
    REFUSE("XNNPACK aligns corners or centers pixels, not both");
  }
  if (d->method == ARMNN_RESIZE_NEAREST_NEIGHBOR) {
    if (d->align_corners == 0 && out[1] % in[1] == 0 && out[2] % in[2] == 0) return ARMNN_STATUS_OK;
    REFUSE("nearest neighbours are found for whole multiples of the size only");
  }
  const uint64_t most = UINT64_C(1) << 24;
  if (in[1] < most && in[2] < most && out[1] < most && out[2] < most) return ARMNN_STATUS_OK;
  REFUSE("XNNPACK resizes images with sides below 2^24");
}

static armnn_status_t check_softmax(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const int32_t rank = (int32_t)query->input_infos[0]->rank;
  const int32_t axis = ARMNN_DESCRIPTOR(query, armnn_softmax_descriptor_t)->axis;
  const int32_t place = axis < 0 ? axis + rank : axis;
  if (place == rank - 1 || (place == 1 && rank == 4)) return ARMNN_STATUS_OK;
  REFUSE("XNNPACK computes Softmax along channels, this is axis %d of %d dimensions", (int)axis,
         (int)rank);
}

uint32_t xn_slice_axis(const armnn_slice_descriptor_t* d, const armnn_tensor_info_t* input) {
  uint32_t axis = XN_NONE;
  for (uint32_t i = 0; i < input->rank; ++i) {
    if (d->size[i] == input->dims[i]) continue;
    if (axis != XN_NONE) return XN_NONE;
    axis = i;
  }
  return axis;
}

static armnn_status_t check_move(const armnn_layer_query_t* query, armnn_error_t* reason) {
  switch (query->type) {
    case ARMNN_LAYER_SPLITTER:
      if (ARMNN_DESCRIPTOR(query, armnn_splitter_descriptor_t)->axis >= 0) return ARMNN_STATUS_OK;
      REFUSE("the pieces do not follow one axis");
    case ARMNN_LAYER_SLICE:
      if (xn_slice_axis(ARMNN_DESCRIPTOR(query, armnn_slice_descriptor_t), query->input_infos[0]) !=
          XN_NONE) {
        return ARMNN_STATUS_OK;
      }
      REFUSE("the box does not follow one axis");
    case ARMNN_LAYER_TRANSPOSE: {
      const armnn_permute_descriptor_t* d = ARMNN_DESCRIPTOR(query, armnn_permute_descriptor_t);
      const uint32_t* m = d->mappings;
      if (d->rank == 4 && m[0] == 0 &&
          ((m[1] == 2 && m[2] == 3 && m[3] == 1) || (m[1] == 3 && m[2] == 1 && m[3] == 2))) {
        return ARMNN_STATUS_OK;
      }
      REFUSE("only the change between NCHW and NHWC is taken");
    }
    default:
      return ARMNN_STATUS_OK;
  }
}

static armnn_status_t check_binary(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const int32_t operation =
      ARMNN_DESCRIPTOR(query, armnn_elementwise_binary_descriptor_t)->operation;
  switch (operation) {
    case ARMNN_BINARY_ADD:
    case ARMNN_BINARY_DIV:
    case ARMNN_BINARY_MAXIMUM:
    case ARMNN_BINARY_MINIMUM:
    case ARMNN_BINARY_MUL:
    case ARMNN_BINARY_SUB:
    case ARMNN_BINARY_SQ_DIFF:
      return ARMNN_STATUS_OK;
    default:
      REFUSE("no operator for %s", armnn_operation_name(query->type, operation));
  }
}

static armnn_status_t check_unary(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const int32_t operation =
      ARMNN_DESCRIPTOR(query, armnn_elementwise_unary_descriptor_t)->operation;
  switch (operation) {
    case ARMNN_UNARY_ABS:
    case ARMNN_UNARY_SQRT:
    case ARMNN_UNARY_NEG:
    case ARMNN_UNARY_CEIL:
    case ARMNN_UNARY_FLOOR:
    case ARMNN_UNARY_ROUND:
      return ARMNN_STATUS_OK;
    default:
      REFUSE("no operator for %s", armnn_operation_name(query->type, operation));
  }
}

/* Of a layer of images: its layout. */
static int32_t layout_of(const armnn_layer_query_t* query) {
  switch (query->type) {
    case ARMNN_LAYER_CONVOLUTION2D:
      return ARMNN_DESCRIPTOR(query, armnn_convolution2d_descriptor_t)->data_layout;
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
      return ARMNN_DESCRIPTOR(query, armnn_depthwise_convolution2d_descriptor_t)->data_layout;
    case ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D:
      return ARMNN_DESCRIPTOR(query, armnn_transpose_convolution2d_descriptor_t)->data_layout;
    case ARMNN_LAYER_POOLING2D:
      return ARMNN_DESCRIPTOR(query, armnn_pooling2d_descriptor_t)->data_layout;
    case ARMNN_LAYER_RESIZE:
      return ARMNN_DESCRIPTOR(query, armnn_resize_descriptor_t)->data_layout;
    default:
      return ARMNN_DATA_LAYOUT_NHWC;
  }
}

armnn_status_t xn_check_layer(const armnn_layer_query_t* query, armnn_error_t* reason) {
  /* The rows of entry.c name the types. xn_prepare looks whose a compiled part is. */
  if (query->type == ARMNN_LAYER_PRE_COMPILED) return ARMNN_STATUS_OK;
  const bool is_8bit = xn_is_8bit(query->input_infos[0]) || xn_is_8bit(query->output_infos[0]);
  ARMNN_RETURN_IF_ERROR(check_tensors(query, is_8bit, reason));
  if (is_8bit) ARMNN_RETURN_IF_ERROR(xn_check_8bit(query, reason));
  if (!is_8bit && (query->type == ARMNN_LAYER_QUANTIZE || query->type == ARMNN_LAYER_DEQUANTIZE)) {
    REFUSE("XNNPACK converts from and to 8 bits only");
  }
  if (layout_of(query) != ARMNN_DATA_LAYOUT_NHWC) REFUSE("XNNPACK takes images channels last");
  switch (query->type) {
    case ARMNN_LAYER_CONVOLUTION2D:
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
    case ARMNN_LAYER_FULLY_CONNECTED:
      return check_weights(query, reason);
    case ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D:
      return check_transpose_convolution(query, reason);
    case ARMNN_LAYER_POOLING2D:
      return check_pooling(query, reason);
    case ARMNN_LAYER_REDUCE:
      if (xn_is_global_average(query->type, query->descriptor, query->input_infos[0])) {
        return ARMNN_STATUS_OK;
      }
      REFUSE("only the mean of whole images is taken");
    case ARMNN_LAYER_ELEMENTWISE_BINARY:
      return check_binary(query, reason);
    case ARMNN_LAYER_ELEMENTWISE_UNARY:
      return check_unary(query, reason);
    case ARMNN_LAYER_ACTIVATION:
      return is_8bit ? ARMNN_STATUS_OK : check_activation(query, reason);
    case ARMNN_LAYER_SOFTMAX:
      return check_softmax(query, reason);
    case ARMNN_LAYER_RESIZE:
      return check_resize(query, reason);
    default:
      return check_move(query, reason);
  }
}
