/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Tensors. One lies in memory that it imported, in a pool of its manager, in memory of its own, or
 * in another tensor: as a part of it (sub-tensor) or as the whole under another shape (decorated).
 */
#include "zero.h"

char* zero_address(const zero_handle_t* handle) {
  uint64_t offset = 0;
  for (; handle->parent != NULL; handle = handle->parent) offset += handle->offset;
  char* memory = NULL;
  if (handle->imported != NULL) {
    memory = (char*)handle->imported;
  } else if (handle->own != NULL) {
    memory = (char*)handle->own;
  } else if (handle->pool != ZERO_NO_POOL && handle->manager->block != NULL) {
    memory = handle->manager->block + handle->manager->pools[handle->pool].offset;
  }
  return memory != NULL ? memory + offset : NULL;
}

/* A tensor outside the pools takes memory when it first needs some: one that only ever imports
 * never does. */
static armnn_status_t need_memory(zero_handle_t* handle, armnn_error_t* error) {
  if (zero_address(handle) != NULL) return ARMNN_STATUS_OK;
  while (handle->parent != NULL) handle = handle->parent;
  if (handle->manager != NULL) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                      "the tensor has no memory: its memory manager was not acquired");
  }
  handle->own = zero_allocate(handle->backend, handle->size, error);
  return handle->own != NULL ? ARMNN_STATUS_OK : ARMNN_STATUS_OUT_OF_MEMORY;
}

static void destroy(armnn_tensor_handle_t* handle) {
  zero_handle_t* self = (zero_handle_t*)handle;
  zero_release(self->backend, self->own);
  free(self);
}

/* ---- Lifetimes: a part of a tensor lives with the tensor ----------------------------------- */

static armnn_status_t manage(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  zero_handle_t* self = (zero_handle_t*)handle;
  if (self->manager == NULL || self->pool != ZERO_NO_POOL) return ARMNN_STATUS_OK;
  return zero_pool_take(self->manager, self->size, &self->pool, error);
}

static armnn_status_t allocate(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  zero_handle_t* self = (zero_handle_t*)handle;
  if (self->parent != NULL) return ARMNN_STATUS_OK;
  if (self->manager == NULL) return need_memory(self, error);
  if (self->pool == ZERO_NO_POOL) { /* a tensor without a beginning: live from here to here */
    ARMNN_RETURN_IF_ERROR(manage(handle, error));
  }
  zero_pool_give(self->manager, self->pool);
  return ARMNN_STATUS_OK;
}

static armnn_tensor_handle_t* get_parent(armnn_tensor_handle_t* handle) {
  zero_handle_t* parent = ((zero_handle_t*)handle)->parent;
  return parent != NULL ? &parent->base : NULL;
}

/* ---- Looking at it: the address is the memory itself --------------------------------------- */

/* The host maps a tensor once at a time, as it says in backend_api.h; a device with one window for
 * each tensor could do no more. */
static armnn_status_t map(armnn_tensor_handle_t* handle, uint32_t access, void** out_memory,
                          armnn_error_t* error) {
  zero_handle_t* self = (zero_handle_t*)handle;
  (void)access;
  *out_memory = NULL;
  if (self->is_mapped) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the tensor is mapped already");
  }
  ARMNN_RETURN_IF_ERROR(need_memory(self, error));
  self->is_mapped = 1;
  zero_count(self->backend, ZERO_MAPPED_NOW, 1);
  *out_memory = zero_address(self);
  return ARMNN_STATUS_OK;
}

static armnn_status_t unmap(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  zero_handle_t* self = (zero_handle_t*)handle;
  if (!self->is_mapped) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the tensor is not mapped");
  }
  self->is_mapped = 0;
  zero_count(self->backend, ZERO_MAPPED_NOW, (uint64_t)-1); /* unsigned numbers wrap */
  return ARMNN_STATUS_OK;
}

static armnn_status_t get_layout(armnn_tensor_handle_t* handle, uint64_t* out_shape,
                                 uint64_t* out_byte_strides, uint32_t* out_rank) {
  const zero_handle_t* self = (const zero_handle_t*)handle;
  uint64_t stride = armnn_data_type_size(self->data_type);
  for (uint32_t d = self->rank; d-- > 0;) {
    out_shape[d] = self->dims[d];
    out_byte_strides[d] = stride;
    stride *= self->dims[d];
  }
  *out_rank = self->rank;
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_size(const zero_handle_t* self, uint64_t size, armnn_error_t* error) {
  if (size == self->size) return ARMNN_STATUS_OK;
  return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "%llu bytes for a tensor of %llu",
                    (unsigned long long)size, (unsigned long long)self->size);
}

static armnn_status_t copy_in_from(armnn_tensor_handle_t* handle, const void* source, uint64_t size,
                                   armnn_error_t* error) {
  zero_handle_t* self = (zero_handle_t*)handle;
  ARMNN_RETURN_IF_ERROR(check_size(self, size, error));
  ARMNN_RETURN_IF_ERROR(need_memory(self, error));
  if (size != 0) memmove(zero_address(self), source, (size_t)size);
  zero_count(self->backend, ZERO_BYTES_COPIED, size);
  return ARMNN_STATUS_OK;
}

static armnn_status_t copy_out_to(armnn_tensor_handle_t* handle, void* target, uint64_t size,
                                  armnn_error_t* error) {
  zero_handle_t* self = (zero_handle_t*)handle;
  ARMNN_RETURN_IF_ERROR(check_size(self, size, error));
  ARMNN_RETURN_IF_ERROR(need_memory(self, error));
  if (size != 0) memmove(target, zero_address(self), (size_t)size);
  zero_count(self->backend, ZERO_BYTES_COPIED, size);
  return ARMNN_STATUS_OK;
}

/* ---- Import -------------------------------------------------------------------------------- */

static uint32_t get_import_flags(armnn_tensor_handle_t* handle) {
  const zero_handle_t* self = (const zero_handle_t*)handle;
  return self->parent == NULL ? self->backend->import_sources : 0;
}

static armnn_status_t can_be_imported(armnn_tensor_handle_t* handle, const armnn_memory_t* memory,
                                      armnn_error_t* why_not) {
  const zero_handle_t* self = (const zero_handle_t*)handle;
  if (self->backend->import_sources == 0) {
    return armnn_fail(why_not, ARMNN_STATUS_INVALID_ARGUMENT,
                      "nothing is imported: the backend option 'import' is false");
  }
  if (self->parent != NULL) {
    return armnn_fail(why_not, ARMNN_STATUS_INVALID_ARGUMENT,
                      "a part of another tensor cannot import: it lies where that tensor lies");
  }
  if (memory->source != ARMNN_MEMORY_SOURCE_MALLOC) {
    return armnn_fail(why_not, ARMNN_STATUS_INVALID_ARGUMENT,
                      "memory source %d cannot be imported, only Malloc (%d)", (int)memory->source,
                      ARMNN_MEMORY_SOURCE_MALLOC);
  }
  if (memory->address == NULL) {
    return armnn_fail(why_not, ARMNN_STATUS_INVALID_ARGUMENT, "the null address is not memory");
  }
  if ((uintptr_t)memory->address % ZERO_ALIGNMENT != 0) {
    return armnn_fail(why_not, ARMNN_STATUS_INVALID_ARGUMENT,
                      "the address %p is not a multiple of %u bytes (%u bytes behind one): such "
                      "memory cannot be imported",
                      memory->address, ZERO_ALIGNMENT,
                      (unsigned)((uintptr_t)memory->address % ZERO_ALIGNMENT));
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t import_memory(armnn_tensor_handle_t* handle, const armnn_memory_t* memory,
                                    armnn_error_t* error) {
  zero_handle_t* self = (zero_handle_t*)handle;
  ARMNN_RETURN_IF_ERROR(can_be_imported(handle, memory, error));
  if (self->imported != NULL) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                      "the tensor has imported memory that was not taken from it");
  }
  self->imported = memory->address;
  zero_count(self->backend, ZERO_IMPORTED_NOW, 1);
  zero_count(self->backend, ZERO_BYTES_IMPORTED, self->size);
  zero_trace(self->backend, ARMNN_TRACE_INSTANT, "zero_import", self->size);
  return ARMNN_STATUS_OK;
}

static armnn_status_t unimport_memory(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  zero_handle_t* self = (zero_handle_t*)handle;
  if (self->imported == NULL) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the tensor has imported nothing");
  }
  /* A device would unpin the pages here: they are the owner's until now, and not any longer. */
  self->imported = NULL;
  zero_count(self->backend, ZERO_IMPORTED_NOW, (uint64_t)-1);
  return ARMNN_STATUS_OK;
}

/* ---- The same memory under another info ---------------------------------------------------- */

static armnn_status_t decorate(armnn_tensor_handle_t* handle, const armnn_tensor_info_t* info,
                               armnn_tensor_handle_t** out_handle, armnn_error_t* error) {
  zero_handle_t* self = (zero_handle_t*)handle;
  *out_handle = NULL;
  if (info->data_type != self->data_type ||
      info->element_count * armnn_data_type_size(info->data_type) != self->size) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                      "a tensor of %llu bytes of %s cannot be looked at as %llu elements of %s",
                      (unsigned long long)self->size, armnn_data_type_name(self->data_type),
                      (unsigned long long)info->element_count,
                      armnn_data_type_name(info->data_type));
  }
  zero_handle_t* view = zero_handle_create(self->backend, info);
  if (view == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  view->parent = self;
  *out_handle = &view->base;
  return ARMNN_STATUS_OK;
}

static const armnn_tensor_handle_api_t handle_api = {
    .header = {sizeof(armnn_tensor_handle_api_t), ARMNN_STRUCT_TENSOR_HANDLE},
    .destroy = destroy,
    .manage = manage,
    .allocate = allocate,
    .get_parent = get_parent,
    .map = map,
    .unmap = unmap,
    .get_layout = get_layout,
    .copy_in_from = copy_in_from,
    .copy_out_to = copy_out_to,
    .get_import_flags = get_import_flags,
    .can_be_imported = can_be_imported,
    .import_memory = import_memory,
    .unimport_memory = unimport_memory,
    .decorate = decorate,
};

zero_handle_t* zero_handle_create(zero_backend_t* backend, const armnn_tensor_info_t* info) {
  zero_handle_t* handle = (zero_handle_t*)calloc(1, sizeof *handle);
  if (handle == NULL) return NULL;
  handle->base.api = &handle_api;
  handle->backend = backend;
  handle->pool = ZERO_NO_POOL;
  handle->size = info->element_count * armnn_data_type_size(info->data_type);
  handle->data_type = info->data_type;
  handle->rank = info->rank;
  memcpy(handle->dims, info->dims, sizeof handle->dims);
  return handle;
}
