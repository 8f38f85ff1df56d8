/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lower.c - layers that compute, as steps.
 */
#include <math.h>
#include <string.h>

#include "compile.h"

static int form_of(int32_t data_layout) {
  return data_layout == ARMNN_DATA_LAYOUT_NCHW ? XN_LAST : XN_PLAIN;
}

/* A step over the image that is input 0; sizes of both images are filled in. */
static xn_step_t* image_step(xn_compiler_t* c, const armnn_layer_t* layer, int32_t kind, int form,
                             uint32_t value) {
  const uint32_t from = xn_input(c, layer, 0, form);
  const uint32_t to = xn_result(c, value, form);
  xn_step_t* s = xn_step(c, kind, layer->guid, from, to);
  size_t in[ARMNN_MAX_DIMS], out[ARMNN_MAX_DIMS];
  xn_shape(layer->input_infos[0], form, in);
  xn_shape(layer->output_infos[0], form, out);
  s->batch = in[0];
  s->height = in[1];
  s->width = in[2];
  s->channels = in[3];
  s->out_height = out[1];
  s->out_width = out[2];
  s->out_channels = out[3];
  return s;
}

/* |rows| matrices of |channels| x |pixels| as |pixels| x |channels|, or as they are. */
static const float* copy_weights(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t index,
                                 size_t rows, size_t channels, size_t pixels) {
  const armnn_const_tensor_t* constant = armnn_constant_of(layer, index);
  if (constant == NULL) return NULL;
  const uint64_t count = constant->info->element_count;
  float* memory = xn_memory(c, count);
  if (memory == NULL) return NULL;
  if (pixels == 1 || channels == 1) {
    memcpy(memory, constant->data, count * sizeof *memory);
    return memory;
  }
  for (size_t r = 0; r < rows; ++r) {
    const size_t at = r * channels * pixels;
    xn_permute((const float*)constant->data + at, memory + at, channels, pixels, 0, pixels);
  }
  return memory;
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

/* Weights [O, I / groups, H, W], or [O, H, W, I / groups] as XNNPACK has them, forwards and
 * transposed. */
static xn_step_t* weights_step(xn_compiler_t* c, const armnn_layer_t* layer, int32_t kind,
                               int32_t data_layout, uint32_t value) {
  const bool is_nchw = data_layout == ARMNN_DATA_LAYOUT_NCHW;
  const uint64_t* w = layer->input_infos[1]->dims;
  const size_t outputs = (size_t)w[0], channels = (size_t)w[is_nchw ? 1 : 3];
  const size_t height = (size_t)w[is_nchw ? 2 : 1], width = (size_t)w[is_nchw ? 3 : 2];
  const float* weights = copy_weights(c, layer, 1, outputs, is_nchw ? channels : 1,
                                      is_nchw ? height * width : height * width * channels);
  const float* bias = copy_weights(c, layer, 2, 1, 1, outputs);
  xn_step_t* s = image_step(c, layer, kind, form_of(data_layout), value);
  s->kernel_height = (uint32_t)height;
  s->kernel_width = (uint32_t)width;
  s->weights = weights;
  s->bias = bias;
  return s;
}

static xn_step_t* lower_convolution(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(layer, armnn_convolution2d_descriptor_t);
  xn_step_t* s = weights_step(c, layer, XN_CONVOLUTION, d->data_layout, value);
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
  xn_step_t* s = weights_step(c, layer, XN_TRANSPOSE_CONVOLUTION, d->data_layout, value);
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
  const float* weights = copy_weights(c, layer, 1, 1, 1, 1);
  const float* bias = copy_weights(c, layer, 2, 1, 1, 1);
  xn_step_t* s = image_step(c, layer, XN_CONVOLUTION, form_of(d->data_layout), value);
  WINDOW_OF(s, d);
  s->kernel_height = (uint32_t)w[1];
  s->kernel_width = (uint32_t)w[2];
  s->dilation_y = d->dilation_y;
  s->dilation_x = d->dilation_x;
  s->groups = (uint32_t)s->channels;
  s->flags = XNN_FLAG_DEPTHWISE_CONVOLUTION; /* weights [H, W, I * M], as they are */
  s->weights = weights;
  s->bias = bias;
  return s;
}

static xn_step_t* lower_fully_connected(xn_compiler_t* c, const armnn_layer_t* layer,
                                        uint32_t value) {
  const armnn_fully_connected_descriptor_t* d =
      ARMNN_DESCRIPTOR(layer, armnn_fully_connected_descriptor_t);
  const bool is_transposed = d->transpose_weight_matrix != 0;
  const uint64_t* w = layer->input_infos[1]->dims;
  const float* weights = copy_weights(c, layer, 1, 1, 1, 1);
  const float* bias = copy_weights(c, layer, 2, 1, 1, 1);
  const uint32_t from = xn_input(c, layer, 0, XN_PLAIN);
  xn_step_t* s = xn_step(c, XN_FULLY_CONNECTED, layer->guid, from, xn_result(c, value, XN_PLAIN));
  s->channels = (size_t)w[is_transposed ? 1 : 0];
  s->out_channels = (size_t)w[is_transposed ? 0 : 1];
  s->batch = (size_t)layer->input_infos[0]->element_count / s->channels;
  s->flags = is_transposed ? 0 : XNN_FLAG_TRANSPOSE_WEIGHTS; /* XNNPACK's plain form is [O, I] */
  s->weights = weights;
  s->bias = bias;
  return s;
}

/* Channels last: the average over what lies between the batch and the channels. */
static xn_step_t* lower_global_average(xn_compiler_t* c, const armnn_layer_t* layer, int form,
                                       uint32_t value) {
  const uint32_t from = xn_input(c, layer, 0, form);
  size_t in[ARMNN_MAX_DIMS];
  xn_shape(layer->input_infos[0], form, in);
  /* One pixel is left, so the output's forms agree, whether the pixel has dimensions or not. */
  const uint32_t to = xn_result(c, value, XN_PLAIN);
  xn_step_t* s = xn_step(c, XN_GLOBAL_AVERAGE, layer->guid, from, to);
  s->batch = in[0];
  s->height = in[1];
  s->width = in[2];
  s->channels = in[3];
  return s;
}

static xn_step_t* lower_pooling(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_pooling2d_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_pooling2d_descriptor_t);
  const int form = form_of(d->data_layout);
  if (xn_is_global_average(layer->type, layer->descriptor, layer->input_infos[0])) {
    return lower_global_average(c, layer, form, value);
  }
  const bool is_max = d->pool_type == ARMNN_POOLING_MAX;
  xn_step_t* s = image_step(c, layer, is_max ? XN_MAX_POOLING : XN_AVERAGE_POOLING, form, value);
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
  const int form = xn_best_form(c, layer);
  const uint32_t rank = layer->output_infos[0]->rank;
  const uint32_t least = form == XN_LAST ? rank : 0;
  size_t ranks[2], shapes[2][ARMNN_MAX_DIMS];
  uint32_t inputs[2];
  for (uint32_t i = 0; i < 2; ++i) {
    inputs[i] = xn_operand(c, layer, i, form, least, &ranks[i], shapes[i]);
  }
  xn_step_t* s = xn_step(c, XN_BINARY, layer->guid, inputs[0], xn_result(c, value, form));
  s->inputs[1] = inputs[1];
  s->operation = ARMNN_DESCRIPTOR(layer, armnn_elementwise_binary_descriptor_t)->operation;
  for (uint32_t i = 0; i < 2; ++i) {
    s->ranks[i] = ranks[i];
    memcpy(s->shapes[i], shapes[i], ranks[i] * sizeof shapes[i][0]);
  }
  return s;
}

/* ---- One operand --------------------------------------------------------------------------- */

/* |from| and a number that is known. */
static xn_step_t* with_scalar(xn_compiler_t* c, int32_t operation, uint64_t guid, uint32_t from,
                              uint64_t count, float number, uint32_t to) {
  float* memory = xn_memory(c, 1);
  if (memory != NULL) *memory = number;
  const uint32_t scalar = xn_tensor(c, XN_CONSTANT, 0, 1, memory);
  xn_step_t* s = xn_step(c, XN_BINARY, guid, from, to);
  s->operation = operation;
  s->inputs[1] = scalar;
  s->ranks[0] = s->ranks[1] = 1;
  s->shapes[0][0] = (size_t)count;
  s->shapes[1][0] = 1;
  return s;
}

/* a * x + b in two steps, the second within bounds. */
static xn_step_t* lower_line(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value,
                             int form) {
  const armnn_activation_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_activation_descriptor_t);
  const uint64_t count = layer->output_infos[0]->element_count;
  const uint32_t from = xn_input(c, layer, 0, form);
  const uint32_t between = xn_tensor(c, XN_SCRATCH, 0, count, NULL);
  with_scalar(c, ARMNN_BINARY_MUL, layer->guid, from, count, d->a, between);
  return with_scalar(c, ARMNN_BINARY_ADD, layer->guid, between, count, d->b,
                     xn_result(c, value, form));
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
    default:
      return XN_CLAMP;
  }
}

static void lower_unary(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_activation_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_activation_descriptor_t);
  const int form = xn_best_form(c, layer);
  if (layer->type == ARMNN_LAYER_ACTIVATION && d->function == ARMNN_ACTIVATION_LINEAR) {
    lower_line(c, layer, value, form);
    return;
  }
  if (layer->type == ARMNN_LAYER_ACTIVATION && d->function == ARMNN_ACTIVATION_HARD_SIGMOID) {
    xn_step_t* s = lower_line(c, layer, value, form);
    s->low = 0.0f;
    s->high = 1.0f;
    return;
  }
  const uint32_t from = xn_input(c, layer, 0, form);
  xn_step_t* s = xn_step(c, XN_UNARY, layer->guid, from, xn_result(c, value, form));
  s->operation = unary_of(layer);
  s->channels = (size_t)layer->output_infos[0]->element_count;
  if (layer->type == ARMNN_LAYER_ACTIVATION) s->alpha = d->a;
  xn_bounds(layer, &s->low, &s->high);
}

/* Along the last dimension of one of the forms. */
static void lower_softmax(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_softmax_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_softmax_descriptor_t);
  const armnn_tensor_info_t* info = layer->input_infos[0];
  const uint32_t axis = (uint32_t)(d->axis < 0 ? d->axis + (int32_t)info->rank : d->axis);
  const int form = axis + 1 == info->rank ? XN_PLAIN : XN_LAST;
  uint32_t from = xn_input(c, layer, 0, form);
  if (d->beta != 1.0f) {
    const uint32_t scaled = xn_tensor(c, XN_SCRATCH, 0, info->element_count, NULL);
    with_scalar(c, ARMNN_BINARY_MUL, layer->guid, from, info->element_count, d->beta, scaled);
    from = scaled;
  }
  xn_step_t* s = xn_step(c, XN_SOFTMAX, layer->guid, from, xn_result(c, value, form));
  s->channels = (size_t)info->dims[axis];
  s->batch = (size_t)info->element_count / s->channels;
}

static void lower_resize(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_resize_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_resize_descriptor_t);
  const bool is_bilinear = d->method == ARMNN_RESIZE_BILINEAR;
  xn_step_t* s =
      image_step(c, layer, is_bilinear ? XN_RESIZE : XN_NEAREST, form_of(d->data_layout), value);
  if (d->align_corners != 0) {
    s->flags = XNN_FLAG_ALIGN_CORNERS;
  } else if (d->half_pixel_centers == 0) {
    s->flags = XNN_FLAG_TENSORFLOW_LEGACY_MODE;
  }
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
      s = lower_global_average(c, layer, sum == 5 ? XN_LAST : XN_PLAIN, value);
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
    default:
      lower_unary(c, layer, value);
      break;
  }
  if (s == NULL) return;
  s->low = low;
  s->high = high;
}
