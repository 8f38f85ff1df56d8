/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * support.c - which layers CpuAcc takes: float32 layers within the rules that all kernels share, as
 * far as the compiler has a reader for them and constants are where it wants them.
 */
#include <stdlib.h>

#include "armnn/layer_rules.h"
#include "backend.h"

#define REFUSE(reason, ...) armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, __VA_ARGS__)

/* Far beyond the memory of any machine, and so few that bytes, and elements times the taps of a
 * window, are counted in 64 bits without overflow. */
#define MOST_ELEMENTS ((uint64_t)1 << 40)

enum { MOST_INDICES = 1024 }; /* each may become a copy of its own */

static armnn_status_t check_tensor(const armnn_tensor_info_t* info, const char* what,
                                   uint32_t index, armnn_error_t* reason) {
  if (info->data_type != ARMNN_DATA_TYPE_FLOAT32) {
    return REFUSE(reason, "%s %u is %s, the backend computes in float32", what, index,
                  armnn_data_type_name(info->data_type));
  }
  if (info->element_count == 0) return REFUSE(reason, "%s %u has no elements", what, index);
  if (info->element_count > MOST_ELEMENTS) {
    return REFUSE(reason, "%s %u has more than 2^40 elements", what, index);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_constant(const armnn_layer_query_t* query, uint32_t index,
                                     const char* what, armnn_error_t* reason) {
  if (index >= query->input_count || query->input_infos[index] == NULL ||
      (query->input_infos[index]->flags & ARMNN_TENSOR_CONSTANT) != 0) {
    return ARMNN_STATUS_OK;
  }
  return REFUSE(reason, "%s not constant: they are packed when the network is loaded", what);
}

static armnn_status_t check_gather(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_tensor_info_t* indices = query->input_infos[1];
  if ((indices->flags & ARMNN_TENSOR_CONSTANT) == 0) {
    return REFUSE(reason, "the indices are not constant");
  }
  if (indices->data_type != ARMNN_DATA_TYPE_SIGNED32 || indices->rank != 1 ||
      indices->element_count > MOST_INDICES) {
    return REFUSE(reason, "the indices are not one row of at most %d int32", MOST_INDICES);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_details(const armnn_layer_query_t* query, armnn_error_t* reason) {
  switch (query->type) {
    case ARMNN_LAYER_CONVOLUTION2D:
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
    case ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D:
      ARMNN_RETURN_IF_ERROR(check_constant(query, 1, "the weights are", reason));
      return check_constant(query, 2, "the bias values are", reason);
    case ARMNN_LAYER_BATCH_NORMALIZATION:
      for (uint32_t i = 1; i < 5; ++i) {
        ARMNN_RETURN_IF_ERROR(
            check_constant(query, i, "mean, variance, beta or gamma are", reason));
      }
      return ARMNN_STATUS_OK;
    case ARMNN_LAYER_INSTANCE_NORMALIZATION:
      return query->input_infos[0]->rank > 2
                 ? ARMNN_STATUS_OK
                 : REFUSE(reason, "an instance has one element of each channel");
    case ARMNN_LAYER_GATHER:
      return check_gather(query, reason);
    default:
      return ARMNN_STATUS_OK;
  }
}

armnn_status_t armnn_i_acc_check_layer(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if (!armnn_i_acc_has_reader(query->type)) {
    return REFUSE(reason, "no kernel for this layer type");
  }
  ARMNN_RETURN_IF_ERROR(armnn_layer_rule(query, reason));
  for (uint32_t i = 0; i < query->input_count; ++i) {
    if (query->input_infos[i] == NULL) continue;
    if (query->type == ARMNN_LAYER_GATHER && i == 1) continue;
    ARMNN_RETURN_IF_ERROR(check_tensor(query->input_infos[i], "input", i, reason));
  }
  for (uint32_t i = 0; i < query->output_count; ++i) {
    ARMNN_RETURN_IF_ERROR(check_tensor(query->output_infos[i], "output", i, reason));
  }
  return check_details(query, reason);
}

static void destroy(armnn_layer_support_t* support) { free(support); }

static armnn_status_t is_layer_supported(armnn_layer_support_t* support,
                                         const armnn_layer_query_t* query, armnn_error_t* reason) {
  (void)support;
  return armnn_i_acc_check_layer(query, reason);
}

static const armnn_layer_support_api_t layer_support_api = {
    .header = {sizeof(armnn_layer_support_api_t), ARMNN_STRUCT_LAYER_SUPPORT},
    .destroy = destroy,
    .is_layer_supported = is_layer_supported,
};

armnn_status_t armnn_i_acc_get_layer_support(armnn_backend_t* backend,
                                             const armnn_options_t* model_options,
                                             armnn_layer_support_t** out_support,
                                             armnn_error_t* error) {
  (void)backend;
  (void)model_options;
  *out_support = malloc(sizeof **out_support);
  if (*out_support == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  (*out_support)->api = &layer_support_api;
  return ARMNN_STATUS_OK;
}
