/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * operators.c - steps as operators of XNNPACK: made once, set up for addresses.
 */
#include "xn.h"

static enum xnn_status create_binary(const xn_step_t* s, xnn_operator_t* out) {
  switch (s->operation) {
    case ARMNN_BINARY_ADD:
      return xnn_create_add_nd_f32(s->low, s->high, 0, out);
    case ARMNN_BINARY_SUB:
      return xnn_create_subtract_nd_f32(s->low, s->high, 0, out);
    case ARMNN_BINARY_MUL:
      return xnn_create_multiply_nd_f32(s->low, s->high, 0, out);
    case ARMNN_BINARY_DIV:
      return xnn_create_divide_nd_f32(s->low, s->high, 0, out);
    case ARMNN_BINARY_MAXIMUM:
      return xnn_create_maximum_nd_f32(0, out);
    case ARMNN_BINARY_MINIMUM:
      return xnn_create_minimum_nd_f32(0, out);
    case ARMNN_BINARY_SQ_DIFF:
      return xnn_create_squared_difference_nd_f32(0, out);
    default:
      return xnn_status_unsupported_parameter;
  }
}

/* The whole tensor is one row. */
static enum xnn_status create_unary(const xn_step_t* s, xnn_operator_t* out) {
  const size_t n = s->channels;
  switch (s->operation) {
    case XN_ABS:
      return xnn_create_abs_nc_f32(n, n, n, 0, out);
    case XN_CLAMP:
      return xnn_create_clamp_nc_f32(n, n, n, s->low, s->high, 0, out);
    case XN_SIGMOID:
      return xnn_create_sigmoid_nc_f32(n, n, n, 0, out);
    case XN_ELU:
      return xnn_create_elu_nc_f32(n, n, n, s->alpha, 0, out);
    case XN_LEAKY_RELU:
      return xnn_create_leaky_relu_nc_f32(n, n, n, s->alpha, 0, out);
    case XN_HARD_SWISH:
      return xnn_create_hardswish_nc_f32(n, n, n, 0, out);
    case XN_SQUARE_ROOT:
      return xnn_create_square_root_nc_f32(n, n, n, 0, out);
    case XN_SQUARE:
      return xnn_create_square_nc_f32(n, n, n, 0, out);
    case XN_NEGATE:
      return xnn_create_negate_nc_f32(n, n, n, 0, out);
    case XN_FLOOR:
      return xnn_create_floor_nc_f32(n, n, n, 0, out);
    case XN_CEILING:
      return xnn_create_ceiling_nc_f32(n, n, n, 0, out);
    case XN_ROUND:
      return xnn_create_bankers_rounding_nc_f32(n, n, n, 0, out);
    default:
      return xnn_status_unsupported_parameter;
  }
}

enum xnn_status xn_operator_create(const xn_step_t* s, xnn_operator_t* out) {
  const size_t c = s->channels, k = s->out_channels;
  *out = NULL;
  if (s->type != ARMNN_DATA_TYPE_FLOAT32 && s->kind != XN_COPY) return xn_8bit_create(s, out);
  switch (s->kind) {
    case XN_CONVOLUTION:
      return xnn_create_convolution2d_nhwc_f32(
          s->pad_top, s->pad_right, s->pad_bottom, s->pad_left, s->kernel_height, s->kernel_width,
          s->stride_y, s->stride_x, s->dilation_y, s->dilation_x, s->groups, c / s->groups,
          k / s->groups, c, k, s->weights, s->bias, s->low, s->high, s->flags, out);
    case XN_TRANSPOSE_CONVOLUTION:
      return xnn_create_deconvolution2d_nhwc_f32(
          s->pad_top, s->pad_right, s->pad_bottom, s->pad_left, s->kernel_height, s->kernel_width,
          s->stride_y, s->stride_x, s->dilation_y, s->dilation_x, s->groups, c / s->groups,
          k / s->groups, c, k, s->weights, s->bias, s->low, s->high, 0, out);
    case XN_FULLY_CONNECTED:
      return xnn_create_fully_connected_nc_f32(c, k, c, k, s->weights, s->bias, s->low, s->high,
                                               s->flags, out);
    case XN_MAX_POOLING:
      return xnn_create_max_pooling2d_nhwc_f32(
          s->pad_top, s->pad_right, s->pad_bottom, s->pad_left, s->kernel_height, s->kernel_width,
          s->stride_y, s->stride_x, s->dilation_y, s->dilation_x, c, c, c, s->low, s->high, 0, out);
    case XN_AVERAGE_POOLING:
      return xnn_create_average_pooling2d_nhwc_f32(
          s->pad_top, s->pad_right, s->pad_bottom, s->pad_left, s->kernel_height, s->kernel_width,
          s->stride_y, s->stride_x, c, c, c, s->low, s->high, 0, out);
    case XN_GLOBAL_AVERAGE:
      return xnn_create_global_average_pooling_nwc_f32(c, c, c, s->low, s->high, 0, out);
    case XN_BINARY:
      return create_binary(s, out);
    case XN_UNARY:
      return create_unary(s, out);
    case XN_SOFTMAX:
      return xnn_create_softmax_nc_f32(c, c, c, 0, out);
    case XN_RESIZE:
      return xnn_create_resize_bilinear2d_nhwc_f32(c, c, c, s->flags, out);
    case XN_COPY:
      return xnn_create_copy_nc_x8(c * s->element, s->input_stride * s->element,
                                   s->output_stride * s->element, 0, out);
    default:
      return xnn_status_unsupported_parameter;
  }
}

static enum xnn_status setup_binary(const xn_step_t* s, xnn_operator_t op, const float* a,
                                    const float* b, float* y, pthreadpool_t pool) {
  const size_t m = s->ranks[0], n = s->ranks[1], *p = s->shapes[0], *q = s->shapes[1];
  switch (s->operation) {
    case ARMNN_BINARY_ADD:
      return xnn_setup_add_nd_f32(op, m, p, n, q, a, b, y, pool);
    case ARMNN_BINARY_SUB:
      return xnn_setup_subtract_nd_f32(op, m, p, n, q, a, b, y, pool);
    case ARMNN_BINARY_MUL:
      return xnn_setup_multiply_nd_f32(op, m, p, n, q, a, b, y, pool);
    case ARMNN_BINARY_DIV:
      return xnn_setup_divide_nd_f32(op, m, p, n, q, a, b, y, pool);
    case ARMNN_BINARY_MAXIMUM:
      return xnn_setup_maximum_nd_f32(op, m, p, n, q, a, b, y, pool);
    case ARMNN_BINARY_MINIMUM:
      return xnn_setup_minimum_nd_f32(op, m, p, n, q, a, b, y, pool);
    case ARMNN_BINARY_SQ_DIFF:
      return xnn_setup_squared_difference_nd_f32(op, m, p, n, q, a, b, y, pool);
    default:
      return xnn_status_unsupported_parameter;
  }
}

static enum xnn_status setup_unary(const xn_step_t* s, xnn_operator_t op, const float* x, float* y,
                                   pthreadpool_t pool) {
  switch (s->operation) {
    case XN_ABS:
      return xnn_setup_abs_nc_f32(op, 1, x, y, pool);
    case XN_CLAMP:
      return xnn_setup_clamp_nc_f32(op, 1, x, y, pool);
    case XN_SIGMOID:
      return xnn_setup_sigmoid_nc_f32(op, 1, x, y, pool);
    case XN_ELU:
      return xnn_setup_elu_nc_f32(op, 1, x, y, pool);
    case XN_LEAKY_RELU:
      return xnn_setup_leaky_relu_nc_f32(op, 1, x, y, pool);
    case XN_HARD_SWISH:
      return xnn_setup_hardswish_nc_f32(op, 1, x, y, pool);
    case XN_SQUARE_ROOT:
      return xnn_setup_square_root_nc_f32(op, 1, x, y, pool);
    case XN_SQUARE:
      return xnn_setup_square_nc_f32(op, 1, x, y, pool);
    case XN_NEGATE:
      return xnn_setup_negate_nc_f32(op, 1, x, y, pool);
    case XN_FLOOR:
      return xnn_setup_floor_nc_f32(op, 1, x, y, pool);
    case XN_CEILING:
      return xnn_setup_ceiling_nc_f32(op, 1, x, y, pool);
    case XN_ROUND:
      return xnn_setup_bankers_rounding_nc_f32(op, 1, x, y, pool);
    default:
      return xnn_status_unsupported_parameter;
  }
}

enum xnn_status xn_operator_setup(const xn_step_t* s, xnn_operator_t op, const void* a,
                                  const void* b, void* y, pthreadpool_t pool) {
  const size_t n = s->batch, h = s->height, w = s->width;
  if (s->type != ARMNN_DATA_TYPE_FLOAT32 && s->kind != XN_COPY) {
    return xn_8bit_setup(s, op, a, b, y, pool);
  }
  switch (s->kind) {
    case XN_CONVOLUTION:
      return xnn_setup_convolution2d_nhwc_f32(op, n, h, w, a, y, pool);
    case XN_TRANSPOSE_CONVOLUTION:
      return xnn_setup_deconvolution2d_nhwc_f32(op, n, h, w, s->adjust_y, s->adjust_x, a, y, pool);
    case XN_FULLY_CONNECTED:
      return xnn_setup_fully_connected_nc_f32(op, n, a, y, pool);
    case XN_MAX_POOLING:
      return xnn_setup_max_pooling2d_nhwc_f32(op, n, h, w, a, y, pool);
    case XN_AVERAGE_POOLING:
      return xnn_setup_average_pooling2d_nhwc_f32(op, n, h, w, a, y, pool);
    case XN_GLOBAL_AVERAGE:
      return xnn_setup_global_average_pooling_nwc_f32(op, n, h * w, a, y, pool);
    case XN_BINARY:
      return setup_binary(s, op, a, b, y, pool);
    case XN_UNARY:
      return setup_unary(s, op, a, y, pool);
    case XN_SOFTMAX:
      return xnn_setup_softmax_nc_f32(op, n, a, y, pool);
    case XN_RESIZE:
      return xnn_setup_resize_bilinear2d_nhwc_f32(op, n, h, w, s->out_height, s->out_width, a, y,
                                                  pool);
    case XN_COPY:
      return xnn_setup_copy_nc_x8(op, n, (const char*)a + s->input_offset * s->element,
                                  (char*)y + s->output_offset * s->element, pool);
    default:
      return xnn_status_unsupported_parameter;
  }
}

const char* xn_status_text(enum xnn_status status) {
  switch (status) {
    case xnn_status_success:
      return "success";
    case xnn_status_uninitialized:
      return "not initialised";
    case xnn_status_invalid_parameter:
      return "invalid parameter";
    case xnn_status_invalid_state:
      return "invalid state";
    case xnn_status_unsupported_parameter:
      return "unsupported parameter";
    case xnn_status_unsupported_hardware:
      return "unsupported hardware";
    case xnn_status_out_of_memory:
      return "out of memory";
    default:
      return "unknown status";
  }
}

const char* xn_step_name(const xn_step_t* step) {
  static const char* const names[] = {"xnnpack convolution",
                                      "xnnpack transposed convolution",
                                      "xnnpack fully connected",
                                      "xnnpack max pooling",
                                      "xnnpack average pooling",
                                      "xnnpack global average",
                                      "xnnpack binary",
                                      "xnnpack unary",
                                      "xnnpack softmax",
                                      "xnnpack resize",
                                      "xnnpack quantize",
                                      "xnnpack dequantize",
                                      "xnnpack copy",
                                      "change of layout",
                                      "nearest"};
  return names[step->kind];
}
