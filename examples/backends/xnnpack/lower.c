/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lower.c - layers that compute, as steps.
 */
#include <math.h>
#include <string.h>

#include "compile.h"

/* A step over the image that is input 0, channels last; sizes of both images are filled in. */
static xn_step_t* image_step(xn_compiler_t* c, const armnn_layer_t* layer, int32_t kind,
                             uint32_t value) {
  const uint32_t from = xn_input(c, layer, 0);
  const uint32_t to = xn_result(c, value);
  xn_step_t* s = xn_step(c, kind, layer, from, to);
  const uint64_t *in = layer->input_infos[0]->dims, *out = layer->output_infos[0]->dims;
  s->batch = (size_t)in[0];
  s->height = (size_t)in[1];
  s->width = (size_t)in[2];
  s->channels = (size_t)in[3];
  s->out_height = (size_t)out[1];
  s->out_width = (size_t)out[2];
  s->out_channels = (size_t)out[3];
  return s;
}

static void* copy(xn_compiler_t* c, const void* from, uint64_t bytes) {
  void* memory = xn_memory(c, bytes);
  if (memory != NULL) memcpy(memory, from, bytes);
  return memory;
}

static void* copy_weights(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t index) {
  const armnn_const_tensor_t* constant = armnn_constant_of(layer, index);
  return constant == NULL ? NULL : copy(c, constant->data, xn_bytes_of(constant->info));
}

/* Weights and bias of |layer|, and the scales of the former if there are several. */
static void take_weights(xn_compiler_t* c, xn_step_t* s, const armnn_layer_t* layer) {
  const armnn_tensor_info_t* info = layer->input_infos[1];
  s->weights = copy_weights(c, layer, 1);
  s->bias = copy_weights(c, layer, 2);
  s->weight_quantum = s->from[1];
  if (info->quantization_count > 1) {
    s->weight_scales = copy(c, info->scales, info->quantization_count * sizeof *info->scales);
  }
}

#define WINDOW_OF(s, d)                \
  do {                                 \
    (s)->pad_top = (d)->pad_top;       \
    (s)->pad_right = (d)->pad_right;   \
    (s)->pad_bottom = (d)->pad_bottom; \
    (s)->pad_left = (d)->pad_left;     \
    (s)->stride_y = (d)->stride_y;     \
    (s)->stride_x = (d)->stride_x;     \
  } while (0)

/* Weights [O, H, W, I / groups], forwards and transposed. */
static xn_step_t* weights_step(xn_compiler_t* c, const armnn_layer_t* layer, int32_t kind,
                               uint32_t value) {
  xn_step_t* s = image_step(c, layer, kind, value);
  s->kernel_height = (uint32_t)layer->input_infos[1]->dims[1];
  s->kernel_width = (uint32_t)layer->input_infos[1]->dims[2];
  take_weights(c, s, layer);
  return s;
}

static xn_step_t* lower_convolution(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(layer, armnn_convolution2d_descriptor_t);
  xn_step_t* s = weights_step(c, layer, XN_CONVOLUTION, value);
  WINDOW_OF(s, d);
  s->dilation_y = d->dilation_y;
  s->dilation_x = d->dilation_x;
  s->groups = d->groups;
  return s;
}

static xn_step_t* lower_transpose_convolution(xn_compiler_t* c, const armnn_layer_t* layer,
                                              uint32_t value) {
  const armnn_transpose_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(layer, armnn_transpose_convolution2d_descriptor_t);
  xn_step_t* s = weights_step(c, layer, XN_TRANSPOSE_CONVOLUTION, value);
  WINDOW_OF(s, d);
  if (d->dilation_y > 1) s->dilation_y = d->dilation_y;
  if (d->dilation_x > 1) s->dilation_x = d->dilation_x;
  if (d->groups > 1) s->groups = d->groups;
  xn_adjustment(d, layer->input_infos[0], layer->input_infos[1], layer->output_infos[0],
                &s->adjust_y, &s->adjust_x);
  return s;
}

static xn_step_t* lower_depthwise(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_depthwise_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(layer, armnn_depthwise_convolution2d_descriptor_t);
  const uint64_t* w = layer->input_infos[1]->dims;
  xn_step_t* s = image_step(c, layer, XN_CONVOLUTION, value);
  WINDOW_OF(s, d);
  s->kernel_height = (uint32_t)w[1];
  s->kernel_width = (uint32_t)w[2];
  s->dilation_y = d->dilation_y;
  s->dilation_x = d->dilation_x;
  s->groups = (uint32_t)s->channels;
  s->flags = XNN_FLAG_DEPTHWISE_CONVOLUTION; /* weights [H, W, I * M], as they are */
  take_weights(c, s, layer);
  return s;
}

/* XNNPACK has scales for each channel in convolutions alone: this is one over images of a pixel. */
static void as_convolution(xn_compiler_t* c, xn_step_t* s) {
  if ((s->flags & XNN_FLAG_TRANSPOSE_WEIGHTS) != 0 && s->weights != NULL) {
    const int8_t* from = s->weights;
    int8_t* to = xn_memory(c, (uint64_t)s->channels * s->out_channels);
    for (size_t o = 0; to != NULL && o < s->out_channels; ++o) {
      for (size_t i = 0; i < s->channels; ++i)
        to[o * s->channels + i] = from[i * s->out_channels + o];
    }
    s->weights = to;
  }
  s->kind = XN_CONVOLUTION;
  s->flags = 0;
  s->height = s->width = s->out_height = s->out_width = 1;
  s->kernel_height = s->kernel_width = s->stride_y = s->stride_x = 1;
}

static xn_step_t* lower_fully_connected(xn_compiler_t* c, const armnn_layer_t* layer,
                                        uint32_t value) {
  const armnn_fully_connected_descriptor_t* d =
      ARMNN_DESCRIPTOR(layer, armnn_fully_connected_descriptor_t);
  const bool is_transposed = d->transpose_weight_matrix != 0;
  const uint64_t* w = layer->input_infos[1]->dims;
  const uint32_t from = xn_input(c, layer, 0);
  xn_step_t* s = xn_step(c, XN_FULLY_CONNECTED, layer, from, xn_result(c, value));
  s->channels = (size_t)w[is_transposed ? 1 : 0];
  s->out_channels = (size_t)w[is_transposed ? 0 : 1];
  s->batch = (size_t)layer->input_infos[0]->element_count / s->channels;
  s->flags = is_transposed ? 0 : XNN_FLAG_TRANSPOSE_WEIGHTS; /* XNNPACK's plain form is [O, I] */
  take_weights(c, s, layer);
  if (s->weight_scales != NULL) as_convolution(c, s);
  return s;
}

/* Input 0 with dimension 1 of four behind the others. */
static uint32_t turned_input(xn_compiler_t* c, const armnn_layer_t* layer) {
  const uint32_t from = xn_input(c, layer, 0);
  const uint32_t to = xn_tensor(c, XN_SCRATCH, 0, xn_bytes_of(layer->input_infos[0]), NULL);
  xn_turn(c, layer, layer->input_infos[0], true, from, to);
  return to;
}

/* The average over what lies between the batch and the channels, or behind the channels. */
static xn_step_t* lower_global_average(xn_compiler_t* c, const armnn_layer_t* layer, bool is_nchw,
                                       uint32_t value) {
  const uint64_t* in = layer->input_infos[0]->dims;
  const uint32_t from = is_nchw ? turned_input(c, layer) : xn_input(c, layer, 0);
  xn_step_t* s = xn_step(c, XN_GLOBAL_AVERAGE, layer, from, xn_result(c, value));
  s->batch = (size_t)in[0];
  s->height = (size_t)in[is_nchw ? 2 : 1];
  s->width = (size_t)in[is_nchw ? 3 : 2];
  s->channels = (size_t)in[is_nchw ? 1 : 3];
  return s;
}

static xn_step_t* lower_pooling(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_pooling2d_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_pooling2d_descriptor_t);
  if (xn_is_global_average(layer->type, layer->descriptor, layer->input_infos[0])) {
    return lower_global_average(c, layer, false, value);
  }
  const bool is_max = d->pool_type == ARMNN_POOLING_MAX;
  xn_step_t* s = image_step(c, layer, is_max ? XN_MAX_POOLING : XN_AVERAGE_POOLING, value);
  uint32_t bottom = 0, right = 0;
  xn_pooling_extra(d, layer->input_infos[0], layer->output_infos[0], &bottom, &right);
  WINDOW_OF(s, d);
  s->pad_bottom += bottom;
  s->pad_right += right;
  s->kernel_height = d->pool_height;
  s->kernel_width = d->pool_width;
  if (d->dilation_y > 1) s->dilation_y = d->dilation_y;
  if (d->dilation_x > 1) s->dilation_x = d->dilation_x;
  return s;
}

static xn_step_t* lower_binary(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const uint32_t first = xn_input(c, layer, 0), second = xn_input(c, layer, 1);
  xn_step_t* s = xn_step(c, XN_BINARY, layer, first, xn_result(c, value));
  s->inputs[1] = second;
  s->operation = ARMNN_DESCRIPTOR(layer, armnn_elementwise_binary_descriptor_t)->operation;
  for (uint32_t i = 0; i < 2; ++i) {
    const armnn_tensor_info_t* info = layer->input_infos[i];
    s->ranks[i] = info->rank;
    for (uint32_t d = 0; d < info->rank; ++d) s->shapes[i][d] = (size_t)info->dims[d];
  }
  return s;
}

/* ---- One operand --------------------------------------------------------------------------- */

/* |from| and a number that is known. */
static xn_step_t* with_scalar(xn_compiler_t* c, int32_t operation, const armnn_layer_t* layer,
                              uint32_t from, float number, uint32_t to) {
  float* memory = xn_memory(c, sizeof *memory);
  if (memory != NULL) *memory = number;
  const uint32_t scalar = xn_tensor(c, XN_CONSTANT, 0, sizeof *memory, memory);
  xn_step_t* s = xn_step(c, XN_BINARY, layer, from, to);
  s->operation = operation;
  s->inputs[1] = scalar;
  s->ranks[0] = s->ranks[1] = 1;
  s->shapes[0][0] = (size_t)layer->output_infos[0]->element_count;
  s->shapes[1][0] = 1;
  return s;
}

/* a * x + b in two steps, the second within bounds. */
static xn_step_t* lower_line(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_activation_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_activation_descriptor_t);
  const uint32_t from = xn_input(c, layer, 0);
  const uint32_t between = xn_tensor(c, XN_SCRATCH, 0, xn_bytes_of(layer->output_infos[0]), NULL);
  with_scalar(c, ARMNN_BINARY_MUL, layer, from, d->a, between);
  return with_scalar(c, ARMNN_BINARY_ADD, layer, between, d->b, xn_result(c, value));
}

static int32_t unary_of(const armnn_layer_t* layer) {
  if (layer->type == ARMNN_LAYER_ELEMENTWISE_UNARY) {
    switch (ARMNN_DESCRIPTOR(layer, armnn_elementwise_unary_descriptor_t)->operation) {
      case ARMNN_UNARY_ABS:
        return XN_ABS;
      case ARMNN_UNARY_SQRT:
        return XN_SQUARE_ROOT;
      case ARMNN_UNARY_NEG:
        return XN_NEGATE;
      case ARMNN_UNARY_CEIL:
        return XN_CEILING;
      case ARMNN_UNARY_FLOOR:
        return XN_FLOOR;
      default:
        return XN_ROUND;
    }
  }
  switch (ARMNN_DESCRIPTOR(layer, armnn_activation_descriptor_t)->function) {
    case ARMNN_ACTIVATION_SIGMOID:
      return XN_SIGMOID;
    case ARMNN_ACTIVATION_LEAKY_RELU:
      return XN_LEAKY_RELU;
    case ARMNN_ACTIVATION_ABS:
      return XN_ABS;
    case ARMNN_ACTIVATION_SQRT:
      return XN_SQUARE_ROOT;
    case ARMNN_ACTIVATION_SQUARE:
      return XN_SQUARE;
    case ARMNN_ACTIVATION_ELU:
      return XN_ELU;
    case ARMNN_ACTIVATION_HARD_SWISH:
      return XN_HARD_SWISH;
    case ARMNN_ACTIVATION_TANH:
      return XN_TANH;
    default:
      return XN_CLAMP;
  }
}

static void lower_unary(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_activation_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_activation_descriptor_t);
  if (layer->type == ARMNN_LAYER_ACTIVATION && d->function == ARMNN_ACTIVATION_LINEAR) {
    lower_line(c, layer, value);
    return;
  }
  if (layer->type == ARMNN_LAYER_ACTIVATION && d->function == ARMNN_ACTIVATION_HARD_SIGMOID) {
    xn_step_t* s = lower_line(c, layer, value);
    s->low = 0.0f;
    s->high = 1.0f;
    return;
  }
  const uint32_t from = xn_input(c, layer, 0);
  xn_step_t* s = xn_step(c, XN_UNARY, layer, from, xn_result(c, value));
  s->operation = unary_of(layer);
  s->channels = (size_t)layer->output_infos[0]->element_count;
  if (layer->type == ARMNN_LAYER_ACTIVATION) s->alpha = d->a;
  xn_bounds(layer, &s->low, &s->high);
}

/* Along the last dimension, or along the second of four. */
static void lower_softmax(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_softmax_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_softmax_descriptor_t);
  const armnn_tensor_info_t* info = layer->input_infos[0];
  const uint32_t axis = (uint32_t)(d->axis < 0 ? d->axis + (int32_t)info->rank : d->axis);
  const bool is_last = axis + 1 == info->rank;
  uint32_t from = is_last ? xn_input(c, layer, 0) : turned_input(c, layer);
  if (d->beta != 1.0f && !xn_is_8bit(info)) { /* 8 bits: it is part of the scale */
    const uint32_t scaled = xn_tensor(c, XN_SCRATCH, 0, xn_bytes_of(info), NULL);
    with_scalar(c, ARMNN_BINARY_MUL, layer, from, d->beta, scaled);
    from = scaled;
  }
  const uint32_t result = xn_result(c, value);
  const uint32_t to = is_last ? result : xn_tensor(c, XN_SCRATCH, 0, xn_bytes_of(info), NULL);
  xn_step_t* s = xn_step(c, XN_SOFTMAX, layer, from, to);
  s->channels = (size_t)info->dims[axis];
  s->batch = (size_t)info->element_count / s->channels;
  s->from[0].scale *= d->beta;
  if (is_last) return;
  armnn_tensor_info_t last = *info;
  for (uint32_t k = 1; k < 4; ++k) last.dims[k] = info->dims[k == 3 ? 1 : k + 1];
  xn_turn(c, layer, &last, false, to, result);
}

static void lower_resize(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_resize_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_resize_descriptor_t);
  const bool is_bilinear = d->method == ARMNN_RESIZE_BILINEAR;
  xn_step_t* s = image_step(c, layer, is_bilinear ? XN_RESIZE : XN_NEAREST, value);
  if (d->align_corners != 0) {
    s->flags = XNN_FLAG_ALIGN_CORNERS;
  } else if (d->half_pixel_centers == 0) {
    s->flags = XNN_FLAG_TENSORFLOW_LEGACY_MODE;
  }
}

static void lower_conversion(xn_compiler_t* c, const armnn_layer_t* layer, int32_t kind,
                             uint32_t value) {
  const uint32_t from = xn_input(c, layer, 0);
  xn_step_t* s = xn_step(c, kind, layer, from, xn_result(c, value));
  s->channels = (size_t)layer->output_infos[0]->element_count;
}

void xn_lower(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value, float low, float high) {
  xn_step_t* s = NULL;
  switch (layer->type) {
    case ARMNN_LAYER_CONVOLUTION2D:
      s = lower_convolution(c, layer, value);
      break;
    case ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D:
      s = lower_transpose_convolution(c, layer, value);
      break;
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
      s = lower_depthwise(c, layer, value);
      break;
    case ARMNN_LAYER_FULLY_CONNECTED:
      s = lower_fully_connected(c, layer, value);
      break;
    case ARMNN_LAYER_POOLING2D:
      s = lower_pooling(c, layer, value);
      break;
    case ARMNN_LAYER_REDUCE: {
      const int32_t* axes = ARMNN_DESCRIPTOR(layer, armnn_reduce_descriptor_t)->axes;
      const uint32_t sum = (uint32_t)((axes[0] + 4) % 4 + (axes[1] + 4) % 4);
      s = lower_global_average(c, layer, sum == 5, value);
      break;
    }
    case ARMNN_LAYER_ELEMENTWISE_BINARY:
      s = lower_binary(c, layer, value);
      break;
    case ARMNN_LAYER_SOFTMAX:
      lower_softmax(c, layer, value);
      break;
    case ARMNN_LAYER_RESIZE:
      lower_resize(c, layer, value);
      break;
    case ARMNN_LAYER_QUANTIZE:
      lower_conversion(c, layer, XN_QUANTIZE, value);
      break;
    case ARMNN_LAYER_DEQUANTIZE:
      lower_conversion(c, layer, XN_DEQUANTIZE, value);
      break;
    default:
      lower_unary(c, layer, value);
      break;
  }
  if (s == NULL) return;
  s->low = low;
  s->high = high;
}
