/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * support.c - which layers the device takes, and in which words it refuses the others.
 *
 * The compiler relies on everything that is checked here, and on what the host guarantees of every
 * layer ("Layers" in backend_api.h): that operands and outputs fit the layer is not asked again.
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

uint64_t npu_tensor_bytes(const armnn_tensor_info_t* info) {
  return info->data_type == ARMNN_DATA_TYPE_FLOAT32 ? info->element_count * sizeof(float) : 0;
}

/* ---- Checks -------------------------------------------------------------------------------- */

static armnn_status_t check_tensor(const armnn_tensor_info_t* info, const char* what,
                                   armnn_error_t* reason) {
  if (info->data_type != ARMNN_DATA_TYPE_FLOAT32) {
    return REFUSE("the device computes in float32 only, and %s is of another type", what);
  }
  if (info->element_count == 0) return REFUSE("%s has no elements", what);
  if (info->element_count > INT32_MAX) return REFUSE("%s has more than 2^31 elements", what);
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_constant(const armnn_tensor_info_t* info, const char* what,
                                     armnn_error_t* reason) {
  CHECK(check_tensor(info, what, reason));
  if ((info->flags & ARMNN_TENSOR_CONSTANT) == 0) {
    return REFUSE("%s must be constant: the compiler packs them", what);
  }
  return ARMNN_STATUS_OK;
}

/* Convolutions and FULLY_CONNECTED; the bias is their only optional operand. */
static armnn_status_t check_weighted(const armnn_layer_query_t* query, armnn_error_t* reason) {
  CHECK(check_constant(query->input_infos[1], "the weights", reason));
  const armnn_tensor_info_t* bias = query->input_count > 2 ? query->input_infos[2] : NULL;
  return bias == NULL ? ARMNN_STATUS_OK : check_constant(bias, "the bias values", reason);
}

static armnn_status_t check_pooling(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_pooling2d_descriptor_t* d = (const void*)query->descriptor;
  if (d->pool_type != ARMNN_POOLING_MAX && d->pool_type != ARMNN_POOLING_AVERAGE) {
    return REFUSE("only maximum and average pooling");
  }
  if ((uint64_t)d->pool_width * d->pool_height > INT32_MAX) return REFUSE("the window is huge");
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_activation(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_activation_descriptor_t* d = (const void*)query->descriptor;
  if (d->function != ARMNN_ACTIVATION_RELU && d->function != ARMNN_ACTIVATION_BOUNDED_RELU) {
    return REFUSE("of the activations only ReLu and BoundedReLu");
  }
  return ARMNN_STATUS_OK;
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
  const armnn_elementwise_binary_descriptor_t* d = (const void*)query->descriptor;
  if (d->operation != ARMNN_BINARY_ADD) return REFUSE("of the binary operations only Add");
  const armnn_tensor_info_t *a = query->input_infos[0], *b = query->input_infos[1];
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

static bool has_instruction(int32_t type) {
  return type == ARMNN_LAYER_ACTIVATION || type == ARMNN_LAYER_CONVOLUTION2D ||
         type == ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D || type == ARMNN_LAYER_ELEMENTWISE_BINARY ||
         type == ARMNN_LAYER_FULLY_CONNECTED || type == ARMNN_LAYER_POOLING2D;
}

armnn_status_t npu_check_layer(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if (query->fields_used != 0) return REFUSE("the layer uses a member that the device ignores");
  if (query->type == ARMNN_LAYER_PRE_COMPILED) return ARMNN_STATUS_OK; /* its blob tells */
  if (!has_instruction(query->type)) return REFUSE("the device has no instruction for this layer");
  CHECK(check_tensor(query->input_infos[0], "the input", reason));
  CHECK(check_tensor(query->output_infos[0], "the output", reason));
  switch (query->type) {
    case ARMNN_LAYER_CONVOLUTION2D:
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
    case ARMNN_LAYER_FULLY_CONNECTED:
      CHECK(check_weighted(query, reason));
      break;
    case ARMNN_LAYER_POOLING2D:
      CHECK(check_pooling(query, reason));
      break;
    case ARMNN_LAYER_ACTIVATION:
      CHECK(check_activation(query, reason));
      break;
    default:
      return check_add(query, reason); /* the one that may have a constant as its first input */
  }
  if ((query->input_infos[0]->flags & ARMNN_TENSOR_CONSTANT) != 0) {
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
