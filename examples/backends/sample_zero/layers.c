/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Which layers the backend takes: one row per layer type, with a check that says why not. Checks
 * ask what the kernels can do; that a layer is a valid one is the host's promise.
 */
#include "zero.h"

#define REFUSE(...) return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, __VA_ARGS__)

static int same_shape(const armnn_tensor_info_t* a, const armnn_tensor_info_t* b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

static armnn_status_t all_float32(const armnn_layer_query_t* query, armnn_error_t* reason) {
  for (uint32_t i = 0; i < query->input_count + query->output_count; ++i) {
    int is_input = i < query->input_count;
    const armnn_tensor_info_t* info =
        is_input ? query->input_infos[i] : query->output_infos[i - query->input_count];
    if (info != NULL && info->data_type != ARMNN_DATA_TYPE_FLOAT32) {
      REFUSE("%s %u is %s, only float32 is supported", is_input ? "input" : "output",
             is_input ? i : i - query->input_count, armnn_data_type_name(info->data_type));
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_activation(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_activation_descriptor_t* layer =
      ARMNN_DESCRIPTOR(query, armnn_activation_descriptor_t);
  switch (layer->function) {
    case ARMNN_ACTIVATION_SIGMOID:
    case ARMNN_ACTIVATION_TANH:
    case ARMNN_ACTIVATION_LINEAR:
    case ARMNN_ACTIVATION_RELU:
    case ARMNN_ACTIVATION_BOUNDED_RELU:
      break;
    default: {
      const char* name = armnn_operation_name(query->type, layer->function);
      REFUSE("activation %s is not one of Sigmoid, TanH, Linear, ReLu and BoundedReLu",
             name != NULL ? name : "of an unknown number");
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_binary(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_elementwise_binary_descriptor_t* layer =
      ARMNN_DESCRIPTOR(query, armnn_elementwise_binary_descriptor_t);
  if (layer->operation != ARMNN_BINARY_ADD && layer->operation != ARMNN_BINARY_MUL &&
      layer->operation != ARMNN_BINARY_SUB) {
    const char* name = armnn_operation_name(query->type, layer->operation);
    REFUSE("%s is not one of Add, Mul and Sub", name != NULL ? name : "this operation");
  }
  for (uint32_t i = 0; i < 2; ++i) {
    const armnn_tensor_info_t* info = query->input_infos[i];
    if (info->element_count != 1 && !same_shape(info, query->output_infos[0])) {
      REFUSE("input %u is broadcast: only single values are, other shapes must be the output's", i);
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_convolution(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_convolution2d_descriptor_t* layer =
      ARMNN_DESCRIPTOR(query, armnn_convolution2d_descriptor_t);
  if (layer->groups > 1) REFUSE("%u groups, only dense convolutions are supported", layer->groups);
  return ARMNN_STATUS_OK;
}

/* Operators that no layer expresses: Swish of com.sample, x / (1 + exp(-beta x)). */
static armnn_status_t check_swish(const armnn_header_t* descriptor, const armnn_tensor_info_t* x,
                                  uint32_t input_count, armnn_error_t* reason) {
  if (!armnn_is_operator(descriptor, "com.sample", "Swish")) REFUSE("only Swish of com.sample");
  if (input_count != 1) REFUSE("Swish has one input, %u are given", input_count);
  if (x->data_type != ARMNN_DATA_TYPE_FLOAT32) {
    REFUSE("input 0 is %s, only float32 is supported", armnn_data_type_name(x->data_type));
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t infer_stand_in(armnn_layer_support_t* support, const armnn_layer_t* layer,
                                     armnn_tensor_info_t* out_infos, armnn_error_t* reason) {
  (void)support;
  ARMNN_RETURN_IF_ERROR(check_swish(layer->descriptor,
                                    layer->input_count > 0 ? layer->input_infos[0] : NULL,
                                    layer->input_count, reason));
  if (layer->output_count != 1) REFUSE("Swish has one output, not %u", layer->output_count);
  out_infos[0] = *layer->input_infos[0];
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_stand_in(const armnn_layer_query_t* query, armnn_error_t* reason) {
  return check_swish(query->descriptor, query->input_count > 0 ? query->input_infos[0] : NULL,
                     query->input_count, reason);
}

static const zero_layer_t layers[] = {
    {"zero_f32_activation", ARMNN_LAYER_ACTIVATION, check_activation, zero_activation, 1, 1},
    {"zero_f32_binary", ARMNN_LAYER_ELEMENTWISE_BINARY, check_binary, zero_binary, 1, 1},
    {"zero_f32_reshape", ARMNN_LAYER_RESHAPE, NULL, zero_reshape, 1, 1},
    {"zero_f32_concat", ARMNN_LAYER_CONCAT, NULL, zero_concat, 0, 0},
    {"zero_f32_splitter", ARMNN_LAYER_SPLITTER, NULL, zero_splitter, 0, 0},
    {"zero_f32_conv2d", ARMNN_LAYER_CONVOLUTION2D, check_convolution, zero_convolution, 0, 0},
    {"zero_f32_swish", ARMNN_LAYER_STAND_IN, check_stand_in, zero_swish, 1, 1},
};

const zero_layer_t* zero_find_layer(const armnn_layer_query_t* query, armnn_error_t* reason) {
  for (size_t i = 0; i < sizeof layers / sizeof layers[0]; ++i) {
    if (layers[i].type != query->type) continue;
    if (all_float32(query, reason) != ARMNN_STATUS_OK) return NULL;
    if (layers[i].check == NULL) return &layers[i];
    return layers[i].check(query, reason) == ARMNN_STATUS_OK ? &layers[i] : NULL;
  }
  armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "no kernel for this layer type");
  return NULL;
}

static void support_destroy(armnn_layer_support_t* support) { free(support); }

static armnn_status_t is_layer_supported(armnn_layer_support_t* support,
                                         const armnn_layer_query_t* query, armnn_error_t* reason) {
  (void)support;
  return zero_find_layer(query, reason) != NULL ? ARMNN_STATUS_OK : ARMNN_STATUS_UNSUPPORTED;
}

/* Tensors of bounded shapes lie in host memory, which the kernels take as well. */
static armnn_status_t takes_bounded_shapes(armnn_layer_support_t* support,
                                           const armnn_layer_query_t* query,
                                           armnn_error_t* reason) {
  (void)support;
  const zero_layer_t* layer = zero_find_layer(query, reason);
  if (layer == NULL) return ARMNN_STATUS_UNSUPPORTED;
  if (!layer->bounded) REFUSE("%s goes by boxes of known sizes", layer->kernel_name);
  return ARMNN_STATUS_OK;
}

static const armnn_layer_support_api_t support_api = {
    .header = {sizeof(armnn_layer_support_api_t), ARMNN_STRUCT_LAYER_SUPPORT},
    .destroy = support_destroy,
    .is_layer_supported = is_layer_supported,
    .infer_stand_in = infer_stand_in,
    .takes_bounded_shapes = takes_bounded_shapes,
};

armnn_status_t zero_get_layer_support(armnn_backend_t* backend,
                                      const armnn_options_t* model_options,
                                      armnn_layer_support_t** out_support, armnn_error_t* error) {
  (void)backend, (void)model_options; /* "in_place" changes no verdict */
  *out_support = (armnn_layer_support_t*)calloc(1, sizeof **out_support);
  if (*out_support == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  (*out_support)->api = &support_api;
  return ARMNN_STATUS_OK;
}
