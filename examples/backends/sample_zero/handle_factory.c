/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * The factory of tensors. The host asks for one per network or execution context, together with the
 * manager of the pools that its managed tensors lie in.
 */
#include "zero.h"

typedef struct zero_factory_t {
  armnn_tensor_handle_factory_t base;
  zero_backend_t* backend;
  zero_manager_t* manager;
} zero_factory_t;

static void destroy(armnn_tensor_handle_factory_t* factory) { free(factory); }

static const char* get_id(armnn_tensor_handle_factory_t* factory) {
  (void)factory;
  return ZERO_FACTORY_ID;
}

static armnn_status_t create_tensor_handle(armnn_tensor_handle_factory_t* factory,
                                           const armnn_tensor_info_t* info, uint32_t managed,
                                           armnn_tensor_handle_t** out_handle,
                                           armnn_error_t* error) {
  zero_factory_t* self = (zero_factory_t*)factory;
  zero_handle_t* handle = zero_handle_create(self->backend, info);
  *out_handle = NULL;
  if (handle == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  if (managed) handle->manager = self->manager;
  *out_handle = &handle->base;
  return ARMNN_STATUS_OK;
}

/* The box must be one run of bytes in the parent: one axis is cut, every axis before it has size 1
 * in the box, and every axis behind it is whole. */
static armnn_status_t place_box(const zero_handle_t* parent, const armnn_tensor_info_t* info,
                                const uint64_t* origin, uint64_t* out_offset,
                                armnn_error_t* error) {
  uint64_t stride = armnn_data_type_size(parent->data_type);
  int cut = 0; /* an axis behind this one is not whole */
  *out_offset = 0;
  if (info->data_type != parent->data_type || info->rank != parent->rank) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                      "a sub-tensor has the data type and the number of dimensions of its parent");
  }
  for (uint32_t d = info->rank; d-- > 0;) {
    if (info->dims[d] > parent->dims[d] || origin[d] > parent->dims[d] - info->dims[d]) {
      return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "axis %u: the sub-tensor is at %llu + %llu, the parent ends at %llu", d,
                        (unsigned long long)origin[d], (unsigned long long)info->dims[d],
                        (unsigned long long)parent->dims[d]);
    }
    if (cut && info->dims[d] != 1) {
      return armnn_fail(error, ARMNN_STATUS_UNSUPPORTED,
                        "the sub-tensor is not dense: it has size %llu along axis %u, and an axis "
                        "behind that is cut",
                        (unsigned long long)info->dims[d], d);
    }
    if (info->dims[d] != parent->dims[d]) cut = 1;
    *out_offset += origin[d] * stride;
    stride *= parent->dims[d];
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t create_sub_tensor_handle(armnn_tensor_handle_factory_t* factory,
                                               armnn_tensor_handle_t* parent,
                                               const armnn_tensor_info_t* info,
                                               const uint64_t* origin,
                                               armnn_tensor_handle_t** out_handle,
                                               armnn_error_t* error) {
  zero_factory_t* self = (zero_factory_t*)factory;
  uint64_t offset;
  *out_handle = NULL;
  ARMNN_RETURN_IF_ERROR(place_box((zero_handle_t*)parent, info, origin, &offset, error));
  zero_handle_t* handle = zero_handle_create(self->backend, info);
  if (handle == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  handle->parent = (zero_handle_t*)parent;
  handle->offset = offset;
  zero_count(self->backend, ZERO_SUB_TENSORS, 1);
  *out_handle = &handle->base;
  return ARMNN_STATUS_OK;
}

static uint64_t get_traits(armnn_tensor_handle_factory_t* factory) {
  (void)factory;
  return ARMNN_FACTORY_SUPPORTS_SUB_TENSORS | ARMNN_FACTORY_SUPPORTS_MAP_UNMAP |
         ARMNN_FACTORY_SUPPORTS_IN_PLACE;
}

static uint32_t get_flags(armnn_tensor_handle_factory_t* factory) {
  return ((zero_factory_t*)factory)->backend->import_sources;
}

static uint64_t get_capabilities(armnn_tensor_handle_factory_t* factory, const armnn_layer_t* layer,
                                 const armnn_layer_t* connected_layer) {
  (void)factory, (void)layer, (void)connected_layer;
  return 0; /* no padding between tensors, and copying is always possible where importing is not */
}

static const armnn_tensor_handle_factory_api_t factory_api = {
    .header = {sizeof(armnn_tensor_handle_factory_api_t), ARMNN_STRUCT_TENSOR_HANDLE_FACTORY},
    .destroy = destroy,
    .get_id = get_id,
    .create_tensor_handle = create_tensor_handle,
    .create_sub_tensor_handle = create_sub_tensor_handle,
    .get_traits = get_traits,
    .get_export_flags = get_flags,
    .get_import_flags = get_flags,
    .get_capabilities = get_capabilities,
};

armnn_status_t zero_register_factories(armnn_backend_t* backend,
                                       armnn_tensor_handle_factory_registry_t* registry,
                                       uint32_t input_sources, uint32_t output_sources,
                                       armnn_error_t* error) {
  (void)input_sources, (void)output_sources; /* one kind of memory, so nothing to choose */
  zero_factory_t* factory = (zero_factory_t*)calloc(1, sizeof *factory);
  zero_manager_t* manager = NULL;
  if (factory == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  armnn_status_t status = zero_manager_create((zero_backend_t*)backend, &manager, error);
  if (status != ARMNN_STATUS_OK) {
    free(factory);
    return status;
  }
  factory->base.api = &factory_api;
  factory->backend = (zero_backend_t*)backend;
  factory->manager = manager;
  status = registry->register_memory_manager(registry->context, &manager->base);
  if (status != ARMNN_STATUS_OK) { /* what the host did not accept stays ours */
    manager->base.api->destroy(&manager->base);
    free(factory);
    return armnn_fail(error, status, "the host did not take the memory manager");
  }
  status = registry->register_factory(registry->context, &factory->base);
  if (status != ARMNN_STATUS_OK) {
    free(factory);
    return armnn_fail(error, status, "the host did not take the factory " ZERO_FACTORY_ID);
  }
  /* The same factory copies and imports. */
  if (ARMNN_HAS_FN(registry, armnn_tensor_handle_factory_registry_t,
                   register_copy_and_import_pair)) {
    status = registry->register_copy_and_import_pair(registry->context, ZERO_FACTORY_ID,
                                                     ZERO_FACTORY_ID);
    if (status < 0) return armnn_fail(error, status, "the host did not take the pair of factories");
  }
  return ARMNN_STATUS_OK;
}
