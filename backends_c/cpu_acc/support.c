/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * support.c - which layers CpuAcc takes: those of compile/kinds.inc, within the rules that all
 * kernels share, in the types that they compute with, with constants where the compiler wants them;
 * quantised ones by check_quantized.c.
 */
#include <stdlib.h>

#include "armnn/layer_rules.h"
#include "backend.h"
#include "compile/read/functions.h"
#include "ops/ops.h"

#define REFUSE(reason, ...) armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, __VA_ARGS__)

/* Far beyond the memory of any machine, and so few that bytes, and elements times the taps of a
 * window, are counted in 64 bits without overflow. */
#define MOST_ELEMENTS ((uint64_t)1 << 40)

static armnn_status_t check_size(const armnn_tensor_info_t* info, const char* what, uint32_t index,
                                 armnn_error_t* reason) {
  if (info->element_count == 0) return REFUSE(reason, "%s %u has no elements", what, index);
  if (info->element_count > MOST_ELEMENTS) {
    return REFUSE(reason, "%s %u has more than 2^40 elements", what, index);
  }
  return ARMNN_STATUS_OK;
}

/* Which types a layer takes. */
typedef enum types_t { FLOAT32_ALONE, WHOLE_BYTES, ANY_BITS } types_t;

static armnn_status_t check_tensor(const armnn_tensor_info_t* info, types_t types, const char* what,
                                   uint32_t index, armnn_error_t* reason) {
  if (types == ANY_BITS) return check_size(info, what, index, reason);
  if (types == WHOLE_BYTES) {
    const uint32_t bits = armnn_data_type_bits(info->data_type);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      return REFUSE(reason, "%s %u is %s, whose elements are not whole bytes", what, index,
                    armnn_data_type_name(info->data_type));
    }
  } else if (info->data_type != ARMNN_DATA_TYPE_FLOAT32) {
    return REFUSE(reason, "%s %u is %s, the backend computes this layer in float32", what, index,
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

/* A computed bias is added behind the product. */
static armnn_status_t check_weights(const armnn_layer_query_t* query, armnn_error_t* reason) {
  return check_constant(query, 1, "the weights are", reason);
}

static armnn_status_t check_window(const armnn_layer_query_t* query, armnn_error_t* reason) {
  return armnn_i_acc_is_small_window(query) ? ARMNN_STATUS_OK : check_weights(query, reason);
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

/* Refuses an operation that has no function for the type of input 0. */
static armnn_status_t check_function_of(const armnn_layer_query_t* query, bool is_there,
                                        int32_t operation, armnn_error_t* reason) {
  if (is_there) return ARMNN_STATUS_OK;
  return REFUSE(reason, "no kernel for %s of %s", armnn_operation_name(query->type, operation),
                armnn_data_type_name(query->input_infos[0]->data_type));
}

static armnn_status_t check_unary(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_elementwise_unary_descriptor_t* d = (const void*)query->descriptor;
  const bool is_there = armnn_i_acc_has_each(d->operation, query->input_infos[0]->data_type);
  return check_function_of(query, is_there, d->operation, reason);
}

static armnn_status_t check_binary(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_elementwise_binary_descriptor_t* d = (const void*)query->descriptor;
  const bool is_there = armnn_i_acc_has_pairs(ARMNN_ACC_PAIRS_ARITHMETIC, d->operation,
                                              query->input_infos[0]->data_type);
  return check_function_of(query, is_there, d->operation, reason);
}

static armnn_status_t check_comparison(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_comparison_descriptor_t* d = (const void*)query->descriptor;
  const bool is_there = armnn_i_acc_has_pairs(ARMNN_ACC_PAIRS_COMPARISON, d->operation,
                                              query->input_infos[0]->data_type);
  return check_function_of(query, is_there, d->operation, reason);
}

/* Of float32, int32 and int64. */
static armnn_status_t check_reduce(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if (armnn_i_acc_has_whole_reduce(query->input_infos[0]->data_type)) return ARMNN_STATUS_OK;
  return check_tensor(query->input_infos[0], FLOAT32_ALONE, "input", 0, reason);
}

/* Of float32, but for a mask of booleans. */
static armnn_status_t check_attention(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const bool has_choice = query->input_count > 3 && query->input_infos[3] != NULL &&
                          query->input_infos[3]->data_type == ARMNN_DATA_TYPE_BOOLEAN;
  const uint32_t count = has_choice ? 3 : query->input_count;
  for (uint32_t i = 0; i < count; ++i) {
    if (query->input_infos[i] == NULL) continue;
    ARMNN_RETURN_IF_ERROR(check_tensor(query->input_infos[i], FLOAT32_ALONE, "input", i, reason));
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_cast(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const int32_t from = query->input_infos[0]->data_type, to = query->output_infos[0]->data_type;
  if (armnn_i_acc_has_cast(from, to)) return ARMNN_STATUS_OK;
  return REFUSE(reason, "no kernel from %s to %s", armnn_data_type_name(from),
                armnn_data_type_name(to));
}

static armnn_status_t check_normalization(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_normalization_descriptor_t* d = (const void*)query->descriptor;
  if (d->method != ARMNN_NORMALIZATION_LOCAL_BRIGHTNESS) {
    return REFUSE(reason, "no kernel for local contrast");
  }
  if (query->input_infos[0]->rank != 4) return REFUSE(reason, "input 0 is not an image");
  return ARMNN_STATUS_OK;
}

/* Each side that is cut in blocks becomes two dimensions. */
static armnn_status_t check_blocks(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const uint32_t rank = query->input_infos[0]->rank;
  const uint32_t count =
      query->type == ARMNN_LAYER_SPACE_TO_BATCH_ND
          ? ((const armnn_space_to_batch_nd_descriptor_t*)(const void*)query->descriptor)
                ->block_rank
          : ((const armnn_batch_to_space_nd_descriptor_t*)(const void*)query->descriptor)
                ->block_rank;
  if (rank + count <= ARMNN_ACC_MAX_RANK) return ARMNN_STATUS_OK;
  return REFUSE(reason, "%u dimensions, %u of them in blocks", rank, count);
}

static armnn_status_t check_axes(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if ((query->input_infos[1]->flags & ARMNN_TENSOR_CONSTANT) != 0) return ARMNN_STATUS_OK;
  return REFUSE(reason, "the axes are not constant");
}

static armnn_status_t check_search(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const int32_t data_type = query->input_infos[0]->data_type;
  if (armnn_i_acc_has_search(data_type)) return ARMNN_STATUS_OK;
  return REFUSE(reason, "no kernel for %s", armnn_data_type_name(data_type));
}

static armnn_status_t check_gather_nd(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_tensor_info_t* indices = query->input_infos[1];
  const uint64_t depth = indices->dims[indices->rank - 1];
  if (depth + 2 <= ARMNN_ACC_MAX_RANK) return ARMNN_STATUS_OK;
  return REFUSE(reason, "indices of %llu dimensions", (unsigned long long)depth);
}

static armnn_status_t check_scatter_nd(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_scatter_nd_descriptor_t* d = (const void*)query->descriptor;
  const int32_t data_type = query->output_infos[0]->data_type;
  if (!armnn_i_acc_has_scatter(d->function, data_type)) {
    return REFUSE(reason, "no kernel for %s with a function but UPDATE",
                  armnn_data_type_name(data_type));
  }
  if (d->input_enabled == 0) return REFUSE(reason, "no kernel without an input");
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_trees(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const int32_t data_type = query->input_infos[0]->data_type;
  if (data_type != ARMNN_DATA_TYPE_FLOAT32) {
    return REFUSE(reason, "no kernel for %s", armnn_data_type_name(data_type));
  }
  for (uint32_t i = 1; i < 4; ++i) {
    ARMNN_RETURN_IF_ERROR(check_constant(query, i, "the trees are", reason));
  }
  return ARMNN_STATUS_OK;
}

/* Operands [first, end) are packed, as far as they are there. */
static armnn_status_t check_packed(const armnn_layer_query_t* query, uint32_t first, uint32_t end,
                                   armnn_error_t* reason) {
  for (uint32_t i = first; i < end; ++i) {
    ARMNN_RETURN_IF_ERROR(check_constant(query, i, "weights or bias values are", reason));
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_lstm(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_lstm_descriptor_t* d = (const void*)query->descriptor;
  const uint32_t function = d->activation_function; /* as TensorFlow Lite numbers them */
  if (d->layer_norm_enabled != 0) return REFUSE(reason, "no kernel for layer normalisation");
  if (function > 6 || function == 2 || function == 5) {
    return REFUSE(reason, "no kernel for activation function %u", function);
  }
  return check_packed(query, 3, query->input_count, reason);
}

/* GRU and RNN, whose operands have the same places. */
static armnn_status_t check_units(const armnn_layer_query_t* query, armnn_error_t* reason) {
  enum { STATE = 5, LENGTHS = 6 };
  for (uint32_t i = 0; i < query->input_count && i < LENGTHS; ++i) {
    if (query->input_infos[i] == NULL) continue;
    ARMNN_RETURN_IF_ERROR(check_tensor(query->input_infos[i], false, "input", i, reason));
  }
  return check_packed(query, 1, STATE, reason);
}

static armnn_status_t check_rnn(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_rnn_descriptor_t* d = (const void*)query->descriptor;
  const int32_t function = armnn_i_acc_activation_function(d->function);
  if (function != ARMNN_ACC_IDENTITY) return check_units(query, reason);
  return REFUSE(reason, "no kernel for %s",
                armnn_operation_name(ARMNN_LAYER_ACTIVATION, d->function));
}

/* The matrices y are packed when the network is loaded. */
static armnn_status_t check_mat_mul_integer(const armnn_layer_query_t* query,
                                            armnn_error_t* reason) {
  const armnn_tensor_info_t* y = query->input_infos[1];
  ARMNN_RETURN_IF_ERROR(check_constant(query, 1, "the matrices y are", reason));
  ARMNN_RETURN_IF_ERROR(check_constant(query, 3, "the zero points of y are", reason));
  if (y->rank != 2) return REFUSE(reason, "y has %u dimensions, 2 expected", y->rank);
  if (query->input_count < 3 || query->input_infos[2] == NULL) return ARMNN_STATUS_OK;
  const uint64_t count = query->input_infos[2]->element_count;
  const uint64_t rows = query->output_infos[0]->element_count / y->dims[1];
  if (count == 1 || count == rows) return ARMNN_STATUS_OK;
  return REFUSE(reason, "%llu zero points for %llu rows of x", (unsigned long long)count,
                (unsigned long long)rows);
}

/* Levels are constant: they are packed, or kept, when the network is loaded. */
static armnn_status_t check_dequantize_blocks(const armnn_layer_query_t* query,
                                              armnn_error_t* reason) {
  const int32_t type = query->input_infos[0]->data_type;
  if (type != ARMNN_DATA_TYPE_QASYMM_U8 && type != ARMNN_DATA_TYPE_QASYMM_S8 &&
      type != ARMNN_DATA_TYPE_QASYMM_U4 && type != ARMNN_DATA_TYPE_QASYMM_S4) {
    return REFUSE(reason, "the levels are %s, the kernel takes 8 or 4 bits",
                  armnn_data_type_name(type));
  }
  ARMNN_RETURN_IF_ERROR(check_constant(query, 0, "the levels are", reason));
  ARMNN_RETURN_IF_ERROR(check_constant(query, 1, "the scales are", reason));
  return check_constant(query, 2, "the zero points are", reason);
}

static armnn_status_t check_instances(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if (query->input_infos[0]->rank > 2) return ARMNN_STATUS_OK;
  return REFUSE(reason, "an instance has one element of each channel");
}

typedef struct layer_t {
  bool known;
  types_t types;                    /* of all inputs and outputs */
  armnn_kernel_supports_fn_t check; /* or null */
} layer_t;

/* By layer type. */
static const layer_t layers[] = {
#define LAYER(type, reader) [ARMNN_LAYER_##type] = {true, FLOAT32_ALONE, NULL},
#define LAYER_CHECKED(type, reader, check) \
  [ARMNN_LAYER_##type] = {true, FLOAT32_ALONE, check_##check},
#define MOVES(type, reader) [ARMNN_LAYER_##type] = {true, WHOLE_BYTES, NULL},
#define MOVES_CHECKED(type, reader, check) \
  [ARMNN_LAYER_##type] = {true, WHOLE_BYTES, check_##check},
#define PACKED(type, reader, check) [ARMNN_LAYER_##type] = {true, ANY_BITS, check_##check},
#include "compile/kinds.inc"
#undef LAYER
#undef LAYER_CHECKED
#undef MOVES
#undef MOVES_CHECKED
#undef PACKED
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
    if (query->input_infos[i] == NULL) continue;
    ARMNN_RETURN_IF_ERROR(check_tensor(query->input_infos[i], layer.types, "input", i, reason));
  }
  for (uint32_t i = 0; i < query->output_count; ++i) {
    ARMNN_RETURN_IF_ERROR(check_tensor(query->output_infos[i], layer.types, "output", i, reason));
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
