/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Which layers the backend takes: one row per layer type, with a check that says why not.
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
  if (!same_shape(query->input_infos[0], query->output_infos[0])) REFUSE("input and output differ");
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

static armnn_status_t check_reshape(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if (query->input_infos[0]->element_count != query->output_infos[0]->element_count) {
    REFUSE("input and output have different numbers of elements");
  }
  return ARMNN_STATUS_OK;
}

/* Views inside |whole|, each of the shape of its part: what the kernels rely on. */
static armnn_status_t check_views(const armnn_view_t* views, uint32_t view_count,
                                  const armnn_tensor_info_t* const* parts, uint32_t part_count,
                                  const armnn_tensor_info_t* whole, armnn_error_t* reason) {
  if (view_count != part_count) REFUSE("%u views for %u tensors", view_count, part_count);
  for (uint32_t i = 0; i < view_count; ++i) {
    if (parts[i]->rank != whole->rank) REFUSE("tensor %u has another number of dimensions", i);
    for (uint32_t d = 0; d < whole->rank; ++d) {
      if (views[i].size[d] != parts[i]->dims[d] || views[i].size[d] > whole->dims[d] ||
          views[i].origin[d] > whole->dims[d] - views[i].size[d]) {
        REFUSE("view %u does not fit along axis %u", i, d);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_concat(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_concat_descriptor_t* layer = ARMNN_DESCRIPTOR(query, armnn_concat_descriptor_t);
  return check_views(layer->views, layer->view_count, query->input_infos, query->input_count,
                     query->output_infos[0], reason);
}

static armnn_status_t check_splitter(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_splitter_descriptor_t* layer = ARMNN_DESCRIPTOR(query, armnn_splitter_descriptor_t);
  return check_views(layer->views, layer->view_count, query->output_infos, query->output_count,
                     query->input_infos[0], reason);
}

static armnn_status_t check_convolution(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_convolution2d_descriptor_t* layer =
      ARMNN_DESCRIPTOR(query, armnn_convolution2d_descriptor_t);
  if (query->input_count < 2 || query->input_infos[1] == NULL) REFUSE("there are no weights");
  if (query->input_infos[0]->rank != 4 || query->input_infos[1]->rank != 4 ||
      query->output_infos[0]->rank != 4) {
    REFUSE("only tensors of four dimensions are convolved");
  }
  if (layer->data_layout != ARMNN_DATA_LAYOUT_NHWC && layer->data_layout != ARMNN_DATA_LAYOUT_NCHW)
    REFUSE("data layout %d is neither NHWC nor NCHW", (int)layer->data_layout);
  if (layer->stride_x == 0 || layer->stride_y == 0) REFUSE("stride 0");
  if (layer->bias_enabled && (query->input_count < 3 || query->input_infos[2] == NULL)) {
    REFUSE("there is no bias");
  }
  if (layer->groups > 1) REFUSE("%u groups, only dense convolutions are supported", layer->groups);
  return ARMNN_STATUS_OK;
}

static const zero_layer_t layers[] = {
    {"zero_f32_activation", ARMNN_LAYER_ACTIVATION, check_activation, zero_activation, 1},
    {"zero_f32_binary", ARMNN_LAYER_ELEMENTWISE_BINARY, check_binary, zero_binary, 1},
    {"zero_f32_reshape", ARMNN_LAYER_RESHAPE, check_reshape, zero_reshape, 1},
    {"zero_f32_concat", ARMNN_LAYER_CONCAT, check_concat, zero_concat, 0},
    {"zero_f32_splitter", ARMNN_LAYER_SPLITTER, check_splitter, zero_splitter, 0},
    {"zero_f32_conv2d", ARMNN_LAYER_CONVOLUTION2D, check_convolution, zero_convolution, 0},
};

const zero_layer_t* zero_find_layer(const armnn_layer_query_t* query, armnn_error_t* reason) {
  for (size_t i = 0; i < sizeof layers / sizeof layers[0]; ++i) {
    if (layers[i].type != query->type) continue;
    if (all_float32(query, reason) != ARMNN_STATUS_OK) return NULL;
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

static const armnn_layer_support_api_t support_api = {
    .header = {sizeof(armnn_layer_support_api_t), ARMNN_STRUCT_LAYER_SUPPORT},
    .destroy = support_destroy,
    .is_layer_supported = is_layer_supported,
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
