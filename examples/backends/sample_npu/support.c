/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * support.c - which layers the device takes, and in which words it refuses the others.
 *
 * The compiler relies on everything that is checked here.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npu.h"

#define REFUSE(...) npu_fail(reason, ARMNN_STATUS_UNSUPPORTED, __VA_ARGS__)
#define CHECK(expression)                           \
  do {                                              \
    const armnn_status_t checked = (expression);    \
    if (checked != ARMNN_STATUS_OK) return checked; \
  } while (0)

armnn_status_t npu_fail(armnn_error_t* error, armnn_status_t code, const char* format, ...) {
  if (error != NULL) {
    va_list arguments;
    va_start(arguments, format);
    const int needed =
        vsnprintf(error->text, error->text == NULL ? 0 : error->capacity, format, arguments);
    va_end(arguments);
    error->needed = needed < 0 ? 0 : (uint64_t)needed + 1;
    error->code = code;
  }
  return code;
}

uint64_t npu_descriptor_size(int32_t layer_type) {
  switch (layer_type) {
    case ARMNN_LAYER_ACTIVATION:
      return sizeof(armnn_activation_descriptor_t);
    case ARMNN_LAYER_CONVOLUTION2D:
      return sizeof(armnn_convolution2d_descriptor_t);
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
      return sizeof(armnn_depthwise_convolution2d_descriptor_t);
    case ARMNN_LAYER_ELEMENTWISE_BINARY:
      return sizeof(armnn_elementwise_binary_descriptor_t);
    case ARMNN_LAYER_FULLY_CONNECTED:
      return sizeof(armnn_fully_connected_descriptor_t);
    case ARMNN_LAYER_POOLING2D:
      return sizeof(armnn_pooling2d_descriptor_t);
    default:
      return 0;
  }
}

uint64_t npu_tensor_bytes(const armnn_tensor_info_t* info) {
  return info->data_type == ARMNN_DATA_TYPE_FLOAT32 ? info->element_count * sizeof(float) : 0;
}

/* ---- Checks -------------------------------------------------------------------------------- */

static const armnn_tensor_info_t* operand(const armnn_layer_query_t* query, uint32_t index) {
  return index < query->input_count ? query->input_infos[index] : NULL;
}

static armnn_status_t check_tensor(const armnn_tensor_info_t* info, const char* what,
                                   armnn_error_t* reason) {
  if (info == NULL) return REFUSE("%s is missing", what);
  if (info->data_type != ARMNN_DATA_TYPE_FLOAT32) {
    return REFUSE("the device computes in float32 only, and %s is of another type", what);
  }
  if (info->element_count == 0) return REFUSE("%s has no elements", what);
  if (info->element_count > INT32_MAX) return REFUSE("%s has more than 2^31 elements", what);
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_constant(const armnn_tensor_info_t* info, const char* what,
                                     uint64_t count, armnn_error_t* reason) {
  CHECK(check_tensor(info, what, reason));
  if ((info->flags & ARMNN_TENSOR_CONSTANT) == 0) {
    return REFUSE("%s must be constant: the compiler packs them", what);
  }
  if (info->element_count != count) {
    return REFUSE("%s have %llu elements where %llu are needed", what,
                  (unsigned long long)info->element_count, (unsigned long long)count);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_image(const armnn_tensor_info_t* info, int32_t layout, const char* what,
                                  armnn_error_t* reason) {
  if (layout != ARMNN_DATA_LAYOUT_NCHW && layout != ARMNN_DATA_LAYOUT_NHWC) {
    return REFUSE("the data layout must be NCHW or NHWC");
  }
  return info->rank == 4 ? ARMNN_STATUS_OK : REFUSE("%s must have 4 dimensions", what);
}

/* |taps| with |dilation| over |size| and |pad| elements give |out| positions. */
static armnn_status_t check_axis(uint64_t size, uint64_t pad, uint64_t taps, uint64_t dilation,
                                 uint64_t stride, uint64_t out, const char* axis,
                                 armnn_error_t* reason) {
  if (stride == 0 || dilation == 0 || taps == 0) {
    return REFUSE("stride, dilation and window must not be 0 along the %s", axis);
  }
  const uint64_t reach = (taps - 1) * dilation + 1;
  if (size + pad < reach || (size + pad - reach) / stride + 1 != out) {
    return REFUSE("the %s of the output does not follow from the window", axis);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_convolution(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_convolution2d_descriptor_t* d = (const void*)query->descriptor;
  const armnn_tensor_info_t *in = operand(query, 0), *weights = operand(query, 1);
  const armnn_tensor_info_t* out = query->output_infos[0];
  CHECK(check_image(in, d->data_layout, "the input", reason));
  CHECK(check_image(out, d->data_layout, "the output", reason));
  CHECK(check_tensor(weights, "the weights", reason));
  CHECK(check_image(weights, d->data_layout, "the weights", reason));
  const bool first = d->data_layout == ARMNN_DATA_LAYOUT_NCHW; /* channels come first */
  const uint32_t c = first ? 1 : 3, y = first ? 2 : 1;
  const uint64_t groups = d->groups == 0 ? 1 : d->groups;
  if (in->dims[c] % groups != 0 || out->dims[c] % groups != 0) {
    return REFUSE("the channels cannot be divided into %llu groups", (unsigned long long)groups);
  }
  if (in->dims[0] != out->dims[0] || weights->dims[0] != out->dims[c] ||
      weights->dims[c] != in->dims[c] / groups) {
    return REFUSE("input, weights and output do not fit together");
  }
  CHECK(check_constant(weights, "the weights", weights->element_count, reason));
  if (d->bias_enabled != 0) {
    CHECK(check_constant(operand(query, 2), "the bias values", out->dims[c], reason));
  }
  CHECK(check_axis(in->dims[y], (uint64_t)d->pad_top + d->pad_bottom, weights->dims[y],
                   d->dilation_y, d->stride_y, out->dims[y], "height", reason));
  return check_axis(in->dims[y + 1], (uint64_t)d->pad_left + d->pad_right, weights->dims[y + 1],
                    d->dilation_x, d->stride_x, out->dims[y + 1], "width", reason);
}

static armnn_status_t check_depthwise(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_depthwise_convolution2d_descriptor_t* d = (const void*)query->descriptor;
  const armnn_tensor_info_t *in = operand(query, 0), *weights = operand(query, 1);
  const armnn_tensor_info_t* out = query->output_infos[0];
  CHECK(check_image(in, d->data_layout, "the input", reason));
  CHECK(check_image(out, d->data_layout, "the output", reason));
  CHECK(check_tensor(weights, "the weights", reason));
  CHECK(check_image(weights, d->data_layout, "the weights", reason));
  const bool first = d->data_layout == ARMNN_DATA_LAYOUT_NCHW;
  const uint32_t c = first ? 1 : 3, y = first ? 2 : 1;
  if (in->dims[0] != out->dims[0] || weights->dims[0] != 1 || weights->dims[3] != out->dims[c] ||
      out->dims[c] % in->dims[c] != 0) {
    return REFUSE("input, weights and output do not fit together");
  }
  CHECK(check_constant(weights, "the weights", weights->element_count, reason));
  if (d->bias_enabled != 0) {
    CHECK(check_constant(operand(query, 2), "the bias values", out->dims[c], reason));
  }
  CHECK(check_axis(in->dims[y], (uint64_t)d->pad_top + d->pad_bottom, weights->dims[1],
                   d->dilation_y, d->stride_y, out->dims[y], "height", reason));
  return check_axis(in->dims[y + 1], (uint64_t)d->pad_left + d->pad_right, weights->dims[2],
                    d->dilation_x, d->stride_x, out->dims[y + 1], "width", reason);
}

static armnn_status_t check_fully_connected(const armnn_layer_query_t* query,
                                            armnn_error_t* reason) {
  const armnn_fully_connected_descriptor_t* d = (const void*)query->descriptor;
  const armnn_tensor_info_t *in = operand(query, 0), *weights = operand(query, 1);
  const armnn_tensor_info_t* out = query->output_infos[0];
  CHECK(check_tensor(weights, "the weights", reason));
  if (weights->rank != 2) return REFUSE("the weights must have 2 dimensions");
  CHECK(check_constant(weights, "the weights", weights->element_count, reason));
  const uint64_t inputs = weights->dims[d->transpose_weight_matrix != 0 ? 1 : 0];
  const uint64_t outputs = weights->dims[d->transpose_weight_matrix != 0 ? 0 : 1];
  if (in->element_count % inputs != 0 ||
      in->element_count / inputs * outputs != out->element_count) {
    return REFUSE("input, weights and output do not fit together");
  }
  if (d->bias_enabled == 0) return ARMNN_STATUS_OK;
  return check_constant(operand(query, 2), "the bias values", outputs, reason);
}

static armnn_status_t check_pooling(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_pooling2d_descriptor_t* d = (const void*)query->descriptor;
  const armnn_tensor_info_t *in = operand(query, 0), *out = query->output_infos[0];
  CHECK(check_image(in, d->data_layout, "the input", reason));
  CHECK(check_image(out, d->data_layout, "the output", reason));
  if (d->pool_type != ARMNN_POOLING_MAX && d->pool_type != ARMNN_POOLING_AVERAGE) {
    return REFUSE("only maximum and average pooling");
  }
  if (d->stride_x == 0 || d->stride_y == 0 || d->pool_width == 0 || d->pool_height == 0 ||
      (uint64_t)d->pool_width * d->pool_height > INT32_MAX) {
    return REFUSE("stride and window must not be 0, nor the window huge");
  }
  const uint32_t c = d->data_layout == ARMNN_DATA_LAYOUT_NCHW ? 1 : 3;
  return in->dims[0] == out->dims[0] && in->dims[c] == out->dims[c]
             ? ARMNN_STATUS_OK
             : REFUSE("input and output do not fit together");
}

static bool same_shape(const armnn_tensor_info_t* a, const armnn_tensor_info_t* b) {
  if (a->rank != b->rank) return false;
  for (uint32_t d = 0; d < a->rank; ++d) {
    if (a->dims[d] != b->dims[d]) return false;
  }
  return true;
}

/* A constant that has more than one element along one axis of |out| at most. */
static bool is_row(const armnn_tensor_info_t* row, const armnn_tensor_info_t* out) {
  if (row->rank > out->rank) return false;
  uint32_t axes = 0;
  for (uint32_t d = 0; d < row->rank; ++d) {
    const uint64_t full = out->dims[out->rank - row->rank + d];
    if (row->dims[d] != 1 && row->dims[d] != full) return false;
    axes += row->dims[d] != 1;
  }
  return axes <= 1;
}

static armnn_status_t check_add(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if (query->type == ARMNN_LAYER_ELEMENTWISE_BINARY) {
    const armnn_elementwise_binary_descriptor_t* d = (const void*)query->descriptor;
    if (d->operation != ARMNN_BINARY_ADD) return REFUSE("of the binary operations only Add");
  }
  const armnn_tensor_info_t *a = operand(query, 0), *b = operand(query, 1);
  const armnn_tensor_info_t* out = query->output_infos[0];
  CHECK(check_tensor(b, "the second input", reason));
  const bool a_known = (a->flags & ARMNN_TENSOR_CONSTANT) != 0;
  const bool b_known = (b->flags & ARMNN_TENSOR_CONSTANT) != 0;
  if (a_known && b_known) return REFUSE("both inputs are constant");
  if (same_shape(a, out) && same_shape(b, out)) return ARMNN_STATUS_OK;
  if (b_known && same_shape(a, out) && is_row(b, out)) return ARMNN_STATUS_OK;
  if (a_known && same_shape(b, out) && is_row(a, out)) return ARMNN_STATUS_OK;
  return REFUSE("Add takes equal shapes, or a constant along one axis");
}

armnn_status_t npu_check_layer(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if (query->fields_used != 0) return REFUSE("the layer uses a member that the device ignores");
  if (query->type == ARMNN_LAYER_PRE_COMPILED) return ARMNN_STATUS_OK; /* its blob tells */
  const uint64_t size = npu_descriptor_size(query->type);
  if (size == 0 && query->type != ARMNN_LAYER_ADDITION) {
    return REFUSE("the device has no instruction for this layer");
  }
  if (size != 0 && (query->descriptor == NULL || query->descriptor->struct_size < size)) {
    return REFUSE("the layer has no descriptor of this version");
  }
  if (query->output_count != 1 || query->input_count == 0) {
    return REFUSE("the layer must have inputs and one output");
  }
  CHECK(check_tensor(operand(query, 0), "the input", reason));
  CHECK(check_tensor(query->output_infos[0], "the output", reason));
  switch (query->type) {
    case ARMNN_LAYER_CONVOLUTION2D:
      CHECK(check_convolution(query, reason));
      break;
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
      CHECK(check_depthwise(query, reason));
      break;
    case ARMNN_LAYER_FULLY_CONNECTED:
      CHECK(check_fully_connected(query, reason));
      break;
    case ARMNN_LAYER_POOLING2D:
      CHECK(check_pooling(query, reason));
      break;
    case ARMNN_LAYER_ACTIVATION: {
      const armnn_activation_descriptor_t* d = (const void*)query->descriptor;
      if (d->function != ARMNN_ACTIVATION_RELU && d->function != ARMNN_ACTIVATION_BOUNDED_RELU) {
        return REFUSE("of the activations only ReLu and BoundedReLu");
      }
      if (!same_shape(operand(query, 0), query->output_infos[0])) {
        return REFUSE("input and output do not fit together");
      }
      break;
    }
    default:
      return check_add(query, reason); /* the one that may have a constant as its first input */
  }
  if ((operand(query, 0)->flags & ARMNN_TENSOR_CONSTANT) != 0) {
    return REFUSE("the input is constant: nothing to compute at run time");
  }
  return ARMNN_STATUS_OK;
}

/* ---- The object ---------------------------------------------------------------------------- */

static void support_destroy(armnn_layer_support_t* support) { free(support); }

static armnn_status_t is_layer_supported(armnn_layer_support_t* support,
                                         const armnn_layer_query_t* query, armnn_error_t* reason) {
  (void)support;
  return npu_check_layer(query, reason);
}

/* A driver would ask its compiler once for all of them; here it is the same question again. */
static armnn_status_t are_layers_supported(
    armnn_layer_support_t* support, const armnn_layer_query_t* const* queries, uint64_t count,
    armnn_status_t* verdicts,
    void (*on_reason)(void* context, uint64_t index, armnn_string_t reason), void* context) {
  (void)support;
  for (uint64_t i = 0; i < count; ++i) {
    char text[256] = "";
    armnn_error_t reason = {{sizeof reason, ARMNN_STRUCT_ERROR}, 0, 0, text, sizeof text, 0};
    verdicts[i] = npu_check_layer(queries[i], &reason);
    if (verdicts[i] == ARMNN_STATUS_OK) continue;
    on_reason(context, i, (armnn_string_t){text, strlen(text)});
  }
  return ARMNN_STATUS_OK;
}

static const armnn_layer_support_api_t support_api = {
    .header = {sizeof(armnn_layer_support_api_t), ARMNN_STRUCT_LAYER_SUPPORT},
    .destroy = support_destroy,
    .is_layer_supported = is_layer_supported,
    .are_layers_supported = are_layers_supported,
};

armnn_status_t npu_get_layer_support(armnn_backend_t* backend, const armnn_options_t* model_options,
                                     armnn_layer_support_t** out_support, armnn_error_t* error) {
  (void)backend;
  (void)model_options;
  *out_support = malloc(sizeof **out_support);
  if (*out_support == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  (*out_support)->api = &support_api;
  return ARMNN_STATUS_OK;
}
