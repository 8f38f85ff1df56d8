/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kit_support.h - which layers the rows take; part of backend_kit.h. Of interest to those who fill
 * in a table themselves.
 */
#ifndef ARMNN_KIT_SUPPORT_H_
#define ARMNN_KIT_SUPPORT_H_

#include "armnn/kit_hooks.h"
#include "armnn/names.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The object of get_layer_support. */
typedef struct armnn_kit_support_t {
  armnn_layer_support_t base;
  armnn_layer_support_api_t api; /* with the functions that there are hooks for */
  armnn_backend_t* backend;
  const armnn_kit_definition_t* definition;
  armnn_options_t* model_options; /* a copy, or null */
} armnn_kit_support_t;

/* The question of a row without |supports|: all tensors have |data_type|, unless that is ARMNN_ANY,
 * and the shape of output 0. */
static inline armnn_status_t armnn_kit_default_supports(const armnn_layer_query_t* query,
                                                        int32_t data_type, armnn_error_t* reason) {
  const armnn_tensor_info_t* first = query->output_count > 0 ? query->output_infos[0] : NULL;
  for (uint32_t i = 0; i < query->input_count + query->output_count; ++i) {
    const armnn_tensor_info_t* info = i < query->input_count
                                          ? query->input_infos[i]
                                          : query->output_infos[i - query->input_count];
    if (info == NULL) continue;
    if (first == NULL) first = info; /* a layer without outputs */
    if (data_type >= 0 && info->data_type != data_type) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "%s %u is %s, the kernel takes %s",
                        i < query->input_count ? "input" : "output",
                        i < query->input_count ? i : i - query->input_count,
                        armnn_data_type_name(info->data_type), armnn_data_type_name(data_type));
    }
    if (info->rank != first->rank ||
        memcmp(info->dims, first->dims, first->rank * sizeof first->dims[0]) != 0) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                        "shapes differ, the kernel takes equal shapes (no broadcasting)");
    }
  }
  return ARMNN_STATUS_OK;
}

/* The first tensor whose elements are less than a byte, or null. */
static inline const armnn_tensor_info_t* armnn_i_packed(const armnn_layer_query_t* query) {
  for (uint32_t i = 0; i < query->input_count + query->output_count; ++i) {
    const armnn_tensor_info_t* info = i < query->input_count
                                          ? query->input_infos[i]
                                          : query->output_infos[i - query->input_count];
    if (info != NULL && armnn_data_type_bits(info->data_type) < 8) return info;
  }
  return NULL;
}

/* The first row that takes the layer, or null with the best reason found. */
static inline const armnn_kernel_t* armnn_i_find(const armnn_kit_definition_t* definition,
                                                 const armnn_i_query_t* own,
                                                 armnn_error_t* reason) {
  const armnn_layer_query_t* query = &own->base;
  const armnn_tensor_info_t* key = NULL;
  for (uint32_t i = 0; key == NULL && i < query->input_count; ++i) key = query->input_infos[i];
  if (key == NULL && query->output_count > 0) key = query->output_infos[0];
  int32_t data_type = key != NULL ? key->data_type : ARMNN_ANY;
  int32_t operation = armnn_kit_operation(query->descriptor);
  int type_seen = 0, operation_seen = 0, asked = 0;
  for (uint64_t i = 0; i < definition->kernel_count; ++i) {
    const armnn_kernel_t* row = &definition->kernels[i];
    if (row->layer_type != query->type) continue;
    type_seen = 1;
    if (row->operation != ARMNN_ANY && row->operation != operation) continue;
    operation_seen = 1;
    const int any_type = row->data_type == ARMNN_ANY || row->data_type == ARMNN_ANY_BITS;
    if (!any_type && row->data_type != data_type) continue;
    /* A kernel that steps from element to element in bytes must not see what has less. */
    if (row->data_type != ARMNN_ANY_BITS &&
        (row->data_type == ARMNN_ANY || armnn_data_type_bits(row->data_type) >= 8) &&
        armnn_i_packed(query) != NULL) {
      continue;
    }
    asked = 1;
    armnn_status_t status = row->supports != NULL
                                ? row->supports(query, reason)
                                : armnn_kit_default_supports(query, row->data_type, reason);
    if (status == ARMNN_STATUS_OK) return row;
  }
  if (!type_seen) {
    armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "no kernel for this layer type");
  } else if (!operation_seen) {
    const char* name = armnn_operation_name(query->type, operation);
    if (name != NULL) {
      armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "no kernel for %s", name);
    } else {
      armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "no kernel for operation %d of this layer type",
                 (int)operation);
    }
  } else if (!asked) {
    const armnn_tensor_info_t* packed = armnn_i_packed(query);
    armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "no kernel for data type %s",
               armnn_data_type_name(packed != NULL ? packed->data_type : data_type));
  }
  return NULL;
}

/* destroy of what armnn_kit_get_layer_support makes. */
static inline void armnn_kit_support_destroy(armnn_layer_support_t* support) ARMNN_NOEXCEPT {
  free(((armnn_kit_support_t*)support)->model_options);
  free(support);
}

/* The host's query with what rows and hooks may ask besides. */
static inline armnn_i_query_t armnn_i_query_of(const armnn_kit_support_t* support,
                                               const armnn_layer_query_t* query) {
  armnn_i_query_t own;
  memset(&own, 0, sizeof own);
  const uint32_t size = query->header.struct_size < sizeof own.base ? query->header.struct_size
                                                                    : (uint32_t)sizeof own.base;
  memcpy(&own.base, query, size);
  own.base.header.struct_size = size;
  own.model_options = support->model_options;
  own.backend = support->backend;
  return own;
}

static inline armnn_status_t armnn_i_is_layer_supported(armnn_layer_support_t* support,
                                                        const armnn_layer_query_t* query,
                                                        armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_kit_support_t* self = (const armnn_kit_support_t*)support;
  const armnn_kit_hooks_t* hooks = self->definition->hooks;
  const armnn_i_query_t own = armnn_i_query_of(self, query);
  if (hooks != NULL && hooks->supports != NULL) {
    ARMNN_RETURN_IF_ERROR(hooks->supports(self->backend, &own.base, reason));
  }
  return armnn_i_find(self->definition, &own, reason) != NULL ? ARMNN_STATUS_OK
                                                              : ARMNN_STATUS_UNSUPPORTED;
}

static inline armnn_status_t armnn_i_takes_bounded_shapes(armnn_layer_support_t* support,
                                                          const armnn_layer_query_t* query,
                                                          armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_kit_support_t* self = (const armnn_kit_support_t*)support;
  const armnn_i_query_t own = armnn_i_query_of(self, query);
  const armnn_kernel_t* row = armnn_i_find(self->definition, &own, reason);
  if (row == NULL) return ARMNN_STATUS_UNSUPPORTED;
  if (row->takes_bounded != NULL) return row->takes_bounded(&own.base, reason);
  return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "the kernel needs to know all shapes");
}

static inline int32_t armnn_i_get_preferred_layout(
    armnn_layer_support_t* support, const armnn_layer_query_t* query) ARMNN_NOEXCEPT {
  const armnn_kit_support_t* self = (const armnn_kit_support_t*)support;
  const armnn_i_query_t own = armnn_i_query_of(self, query);
  return self->definition->hooks->preferred_layout(&own.base);
}

static inline armnn_status_t armnn_i_infer_stand_in(armnn_layer_support_t* support,
                                                    const armnn_layer_t* layer,
                                                    armnn_tensor_info_t* out_infos,
                                                    armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_kit_support_t* self = (const armnn_kit_support_t*)support;
  return self->definition->hooks->infer_stand_in(self->backend, layer, out_infos, reason);
}

/* get_layer_support of such an instance. */
static inline armnn_status_t armnn_kit_get_layer_support(armnn_backend_t* backend,
                                                         const armnn_options_t* model_options,
                                                         armnn_layer_support_t** out_support,
                                                         armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_backend_t* self = (const armnn_kit_backend_t*)backend;
  armnn_kit_support_t* support = (armnn_kit_support_t*)calloc(1, sizeof *support);
  *out_support = NULL;
  if (support == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  const armnn_kit_hooks_t* hooks = self->definition->hooks;
  support->api.header.struct_size = sizeof support->api;
  support->api.header.struct_type = ARMNN_STRUCT_LAYER_SUPPORT;
  support->api.destroy = armnn_kit_support_destroy;
  support->api.is_layer_supported = armnn_i_is_layer_supported;
  support->api.takes_bounded_shapes = armnn_i_takes_bounded_shapes;
  if (hooks != NULL && hooks->preferred_layout != NULL) {
    support->api.get_preferred_layout = armnn_i_get_preferred_layout;
  }
  if (hooks != NULL && hooks->infer_stand_in != NULL) {
    support->api.infer_stand_in = armnn_i_infer_stand_in;
  }
  support->base.api = &support->api;
  support->backend = backend;
  support->definition = self->definition;
  support->model_options = armnn_copy_options(model_options);
  if (support->model_options == NULL && model_options != NULL) {
    free(support);
    return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  }
  *out_support = &support->base;
  return ARMNN_STATUS_OK;
}

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_KIT_SUPPORT_H_ */
