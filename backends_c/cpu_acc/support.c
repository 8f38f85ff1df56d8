/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * support.c - which layers CpuAcc takes: those of compile/kinds.inc in float32 and such that move
 * elements in any type, within the rules that all kernels share, with constants where the compiler
 * wants them; quantised ones by check_quantized.c.
 */
#include <math.h>
#include <stdlib.h>

#include "armnn/layer_rules.h"
#include "backend.h"
#include "compile/functions.h"

#define REFUSE(reason, ...) armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, __VA_ARGS__)

/* Far beyond the memory of any machine, and so few that bytes, and elements times the taps of a
 * window, are counted in 64 bits without overflow. */
#define MOST_ELEMENTS ((uint64_t)1 << 40)

enum { MOST_INDICES = 1024 }; /* each may become a copy of its own */

static armnn_status_t check_size(const armnn_tensor_info_t* info, const char* what, uint32_t index,
                                 armnn_error_t* reason) {
  if (info->element_count == 0) return REFUSE(reason, "%s %u has no elements", what, index);
  if (info->element_count > MOST_ELEMENTS) {
    return REFUSE(reason, "%s %u has more than 2^40 elements", what, index);
  }
  return ARMNN_STATUS_OK;
}

/* |any|: the layer moves elements, whatever they are. */
static armnn_status_t check_tensor(const armnn_tensor_info_t* info, bool any, const char* what,
                                   uint32_t index, armnn_error_t* reason) {
  if (any) {
    const uint32_t bits = armnn_data_type_bits(info->data_type);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      return REFUSE(reason, "%s %u is %s, whose elements are not whole bytes", what, index,
                    armnn_data_type_name(info->data_type));
    }
  } else if (info->data_type != ARMNN_DATA_TYPE_FLOAT32) {
    return REFUSE(reason, "%s %u is %s, the backend computes in float32", what, index,
                  armnn_data_type_name(info->data_type));
  }
  return check_size(info, what, index, reason);
}

static armnn_status_t check_sizes(const armnn_layer_query_t* query, armnn_error_t* reason) {
  for (uint32_t i = 0; i < query->input_count; ++i) {
    if (query->input_infos[i] == NULL) continue;
    ARMNN_RETURN_IF_ERROR(check_size(query->input_infos[i], "input", i, reason));
  }
  for (uint32_t i = 0; i < query->output_count; ++i) {
    ARMNN_RETURN_IF_ERROR(check_size(query->output_infos[i], "output", i, reason));
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

/* For layers that need no check but that of |other_types|. */
static armnn_status_t check_nothing_more(const armnn_layer_query_t* query, armnn_error_t* reason) {
  (void)query, (void)reason;
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_weights(const armnn_layer_query_t* query, armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(check_constant(query, 1, "the weights are", reason));
  return check_constant(query, 2, "the bias values are", reason);
}

static armnn_status_t check_statistics(const armnn_layer_query_t* query, armnn_error_t* reason) {
  for (uint32_t i = 1; i < 5; ++i) {
    ARMNN_RETURN_IF_ERROR(check_constant(query, i, "mean, variance, beta or gamma are", reason));
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_function(const armnn_layer_query_t* query, int32_t function,
                                     int32_t operation, armnn_error_t* reason) {
  if (function != ARMNN_ACC_IDENTITY) return ARMNN_STATUS_OK;
  const char* name = armnn_operation_name(query->type, operation);
  if (name != NULL) return REFUSE(reason, "no kernel for %s", name);
  return REFUSE(reason, "no kernel for operation %d of this layer type", (int)operation);
}

static armnn_status_t check_activation(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_activation_descriptor_t* d = (const void*)query->descriptor;
  return check_function(query, armnn_i_acc_activation_function(d->function), d->function, reason);
}

static armnn_status_t check_unary(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_elementwise_unary_descriptor_t* d = (const void*)query->descriptor;
  return check_function(query, armnn_i_acc_unary_function(d->operation), d->operation, reason);
}

static armnn_status_t check_binary(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_elementwise_binary_descriptor_t* d = (const void*)query->descriptor;
  if (d->operation <= ARMNN_BINARY_POWER) return ARMNN_STATUS_OK;
  return REFUSE(reason, "%s has no kernel", armnn_operation_name(query->type, d->operation));
}

static armnn_status_t check_instances(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if (query->input_infos[0]->rank > 2) return ARMNN_STATUS_OK;
  return REFUSE(reason, "an instance has one element of each channel");
}

static armnn_status_t check_indices(const armnn_layer_query_t* query, armnn_error_t* reason) {
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

/* What lies beside the input is a number of the descriptor, which is float32. */
static armnn_status_t check_padding(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_pad_descriptor_t* d = (const void*)query->descriptor;
  const int32_t type = query->output_infos[0]->data_type;
  if (type == ARMNN_DATA_TYPE_FLOAT32 || d->padding_mode != ARMNN_PAD_CONSTANT) {
    return ARMNN_STATUS_OK;
  }
  if (!armnn_i_acc_is_levels(type)) {
    return REFUSE(reason, "output 0 is %s, the kernel fills with float32 and quantised numbers",
                  armnn_data_type_name(type));
  }
  const float least = type == ARMNN_DATA_TYPE_QASYMM_U8 ? 0.0f : -128.0f;
  if (d->value == floorf(d->value) && d->value >= least && d->value <= least + 255.0f) {
    return ARMNN_STATUS_OK;
  }
  return REFUSE(reason, "the value beside the input is no number of %s",
                armnn_data_type_name(type));
}

typedef struct layer_t {
  bool known;
  bool moves;                       /* elements of any type */
  armnn_kernel_supports_fn_t check; /* or null */
  uint32_t other_types;             /* bit i: input i need not be float32 */
} layer_t;

/* By layer type. */
static const layer_t layers[] = {
#define LAYER(type, reader) [ARMNN_LAYER_##type] = {true, false, NULL, 0},
#define LAYER_CHECKED(type, reader, check, other_types) \
  [ARMNN_LAYER_##type] = {true, false, check_##check, other_types},
#define MOVES(type, reader) [ARMNN_LAYER_##type] = {true, true, NULL, 0},
#define MOVES_CHECKED(type, reader, check) [ARMNN_LAYER_##type] = {true, true, check_##check, 0},
#include "compile/kinds.inc"
#undef LAYER
#undef LAYER_CHECKED
#undef MOVES
#undef MOVES_CHECKED
};

armnn_status_t armnn_i_acc_check_layer(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const size_t count = sizeof layers / sizeof layers[0];
  const layer_t layer =
      query->type >= 0 && (size_t)query->type < count ? layers[query->type] : (layer_t){0};
  const bool quantized = armnn_i_acc_is_quantized(query);
  if (!layer.known && !quantized) return REFUSE(reason, "no kernel for this layer type");
  ARMNN_RETURN_IF_ERROR(armnn_layer_rule(query, reason));
  if (quantized) {
    ARMNN_RETURN_IF_ERROR(check_sizes(query, reason));
    return armnn_i_acc_check_quantized(query, reason);
  }
  for (uint32_t i = 0; i < query->input_count; ++i) {
    if (query->input_infos[i] == NULL || (i < 32 && (layer.other_types >> i & 1u) != 0)) continue;
    ARMNN_RETURN_IF_ERROR(check_tensor(query->input_infos[i], layer.moves, "input", i, reason));
  }
  for (uint32_t i = 0; i < query->output_count; ++i) {
    ARMNN_RETURN_IF_ERROR(check_tensor(query->output_infos[i], layer.moves, "output", i, reason));
  }
  return layer.check == NULL ? ARMNN_STATUS_OK : layer.check(query, reason);
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
