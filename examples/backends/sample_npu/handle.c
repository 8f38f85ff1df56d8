/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * handle.c - tensors in device memory, and the factory that makes them.
 *
 * A handle knows a region and an offset, never an address. map gives the host a copy (a bounce
 * buffer), which unmap writes back. Memory that somebody else has made, a camera say, is imported
 * by its descriptor: the device maps it as it maps its own.
 */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "npu.h"

typedef struct handle_t {
  armnn_tensor_handle_t base;
  npu_backend_t* backend;
  struct handle_t* parent; /* whose memory this is under another info, or null */
  npu_manager_t* manager;  /* null: memory of its own */
  npu_region_t own;
  uint64_t offset, size;
  bool placed;
  npu_place_t imported; /* used instead of all that; file -1: none */
  uint32_t access;      /* of the map under way */
  void* bounce;
} handle_t;

typedef struct factory_t {
  armnn_tensor_handle_factory_t base;
  npu_backend_t* backend;
  npu_manager_t* manager;
} factory_t;

static const handle_t* root_of(const handle_t* handle) {
  while (handle->parent != NULL) handle = handle->parent;
  return handle;
}

/* The region of a handle, or null with an error. */
static const npu_region_t* region_of(const handle_t* handle, armnn_error_t* error) {
  const handle_t* root = root_of(handle);
  if (root->manager == NULL) return &root->own;
  if (!root->placed) {
    npu_fail(error, ARMNN_STATUS_INTERNAL,
             "this tensor has no place in device memory: its life was never begun by manage");
    return NULL;
  }
  const npu_region_t* region = npu_manager_region(root->manager);
  if (region->file >= 0) return region;
  npu_fail(error, ARMNN_STATUS_INTERNAL, "the device memory of this tensor was not acquired");
  return NULL;
}

static void handle_destroy(armnn_tensor_handle_t* handle) {
  handle_t* self = (handle_t*)handle;
  npu_region_drop(&self->own);
  if (self->imported.file >= 0) close(self->imported.file);
  free(self->bounce);
  free(self);
}

static armnn_status_t handle_manage(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  handle_t* self = (handle_t*)handle;
  if (self->manager == NULL || self->placed) return ARMNN_STATUS_OK;
  const armnn_status_t status = npu_manager_begin(self->manager, self->size, &self->offset);
  if (status != ARMNN_STATUS_OK) return npu_fail(error, status, "no place in device memory");
  self->placed = true;
  return ARMNN_STATUS_OK;
}

static armnn_status_t handle_allocate(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  handle_t* self = (handle_t*)handle;
  if (self->manager == NULL) return ARMNN_STATUS_OK;
  if (!self->placed) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "allocate came before manage");
  }
  npu_manager_end(self->manager, self->offset, self->size);
  return ARMNN_STATUS_OK;
}

static armnn_tensor_handle_t* handle_get_parent(armnn_tensor_handle_t* handle) {
  handle_t* parent = ((handle_t*)handle)->parent;
  return parent == NULL ? NULL : &parent->base;
}

/* Between the host and this tensor, wherever it lies. */
static armnn_status_t transfer(handle_t* self, void* memory, bool write, armnn_error_t* error) {
  const npu_place_t* imported = &root_of(self)->imported;
  npu_count(self->backend, write ? NPU_COUNTER_BYTES_IN : NPU_COUNTER_BYTES_OUT, self->size);
  if (imported->file >= 0) {
    const npu_window_t window = npu_window_open(imported);
    if (window.tensor == NULL) {
      return npu_fail(error, ARMNN_STATUS_INTERNAL, "imported memory: %s", strerror(errno));
    }
    memcpy(write ? window.tensor : memory, write ? memory : window.tensor, self->size);
    npu_window_close(imported, &window);
    return ARMNN_STATUS_OK;
  }
  const npu_region_t* region = region_of(self, error);
  if (region == NULL) return ARMNN_STATUS_INTERNAL;
  const uint64_t offset = root_of(self)->offset;
  return write ? npu_region_write(region, offset, memory, self->size, error)
               : npu_region_read(region, offset, memory, self->size, error);
}

static armnn_status_t copy_in(handle_t* self, const void* source, armnn_error_t* error) {
  return transfer(self, (void*)(uintptr_t)source, true, error);
}

static armnn_status_t copy_out(handle_t* self, void* target, armnn_error_t* error) {
  return transfer(self, target, false, error);
}

static armnn_status_t handle_map(armnn_tensor_handle_t* handle, uint32_t access, void** out_memory,
                                 armnn_error_t* error) {
  handle_t* self = (handle_t*)handle;
  *out_memory = NULL;
  if (self->bounce != NULL) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "this tensor is mapped already");
  }
  self->bounce = calloc(1, self->size);
  if (self->bounce == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  if ((access & ARMNN_MAP_READ) != 0) {
    const armnn_status_t status = copy_out(self, self->bounce, error);
    if (status != ARMNN_STATUS_OK) {
      free(self->bounce);
      self->bounce = NULL;
      return status;
    }
  }
  self->access = access;
  *out_memory = self->bounce;
  return ARMNN_STATUS_OK;
}

static armnn_status_t handle_unmap(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  handle_t* self = (handle_t*)handle;
  if (self->bounce == NULL) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "this tensor is not mapped");
  }
  armnn_status_t status = ARMNN_STATUS_OK;
  if ((self->access & ARMNN_MAP_WRITE) != 0) status = copy_in(self, self->bounce, error);
  free(self->bounce);
  self->bounce = NULL;
  return status;
}

static armnn_status_t wrong_size(const handle_t* self, uint64_t size, armnn_error_t* error) {
  return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the tensor has %llu bytes, not %llu",
                  (unsigned long long)self->size, (unsigned long long)size);
}

static armnn_status_t handle_copy_in(armnn_tensor_handle_t* handle, const void* source,
                                     uint64_t size, armnn_error_t* error) {
  handle_t* self = (handle_t*)handle;
  return size == self->size ? copy_in(self, source, error) : wrong_size(self, size, error);
}

static armnn_status_t handle_copy_out(armnn_tensor_handle_t* handle, void* target, uint64_t size,
                                      armnn_error_t* error) {
  handle_t* self = (handle_t*)handle;
  return size == self->size ? copy_out(self, target, error) : wrong_size(self, size, error);
}

/* ---- Import --------------------------------------------------------------------------------- */

static uint32_t handle_get_import_flags(armnn_tensor_handle_t* handle) {
  const handle_t* self = (const handle_t*)handle;
  return self->parent != NULL ? 0 : ARMNN_MEMORY_SOURCE_FILE | ARMNN_MEMORY_SOURCE_DMA_BUF;
}

static armnn_status_t handle_can_be_imported(armnn_tensor_handle_t* handle,
                                             const armnn_memory_t* memory, armnn_error_t* why_not) {
  const handle_t* self = (const handle_t*)handle;
  if ((handle_get_import_flags(handle) & (uint32_t)memory->source) == 0 || memory->fd < 0) {
    return npu_fail(why_not, ARMNN_STATUS_UNSUPPORTED, "only a descriptor is imported");
  }
  if (memory->byte_strides[0] != 0 || memory->size != self->size) {
    return npu_fail(why_not, ARMNN_STATUS_UNSUPPORTED, "the device takes dense tensors alone");
  }
  if (memory->offset % sizeof(float) != 0) {
    return npu_fail(why_not, ARMNN_STATUS_UNSUPPORTED, "the offset %llu is not a multiple of %zu",
                    (unsigned long long)memory->offset, sizeof(float));
  }
  /* A job maps it for reading and writing, as it does with all tensors. */
  const npu_place_t place = {.file = memory->fd, .offset = memory->offset, .size = memory->size};
  const npu_window_t window = npu_window_open(&place);
  if (window.tensor == NULL) {
    return npu_fail(why_not, ARMNN_STATUS_UNSUPPORTED, "the device cannot map the descriptor: %s",
                    strerror(errno));
  }
  npu_window_close(&place, &window);
  return ARMNN_STATUS_OK;
}

static armnn_status_t handle_import(armnn_tensor_handle_t* handle, const armnn_memory_t* memory,
                                    armnn_error_t* error) {
  handle_t* self = (handle_t*)handle;
  const armnn_status_t status = handle_can_be_imported(handle, memory, error);
  if (status != ARMNN_STATUS_OK) return status;
  if (self->imported.file >= 0) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "this tensor has imported memory");
  }
  const int file = fcntl(memory->fd, F_DUPFD_CLOEXEC, 0);
  if (file < 0) {
    return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no descriptor: %s", strerror(errno));
  }
  self->imported = (npu_place_t){.file = file,
                                 .offset = memory->offset,
                                 .size = self->size,
                                 .is_dma_buf = memory->source == ARMNN_MEMORY_SOURCE_DMA_BUF,
                                 .ready = memory->ready};
  npu_count(self->backend, NPU_COUNTER_BYTES_IMPORTED, self->size);
  return ARMNN_STATUS_OK;
}

static armnn_status_t handle_unimport(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  handle_t* self = (handle_t*)handle;
  if (self->imported.file < 0) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "this tensor has imported nothing");
  }
  close(self->imported.file);
  self->imported.file = -1;
  return ARMNN_STATUS_OK;
}

static armnn_status_t handle_decorate(armnn_tensor_handle_t* handle,
                                      const armnn_tensor_info_t* info,
                                      armnn_tensor_handle_t** out_handle, armnn_error_t* error);

static const armnn_tensor_handle_api_t handle_api = {
    .header = {sizeof(armnn_tensor_handle_api_t), ARMNN_STRUCT_TENSOR_HANDLE},
    .destroy = handle_destroy,
    .manage = handle_manage,
    .allocate = handle_allocate,
    .get_parent = handle_get_parent,
    .map = handle_map,
    .unmap = handle_unmap,
    .copy_in_from = handle_copy_in,
    .copy_out_to = handle_copy_out,
    .get_import_flags = handle_get_import_flags,
    .can_be_imported = handle_can_be_imported,
    .import_memory = handle_import,
    .unimport_memory = handle_unimport,
    .decorate = handle_decorate,
};

static handle_t* new_handle(npu_backend_t* backend, const armnn_tensor_info_t* info) {
  handle_t* self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->base.api = &handle_api;
  self->backend = backend;
  self->own.file = self->imported.file = -1;
  self->size = npu_tensor_bytes(info);
  return self;
}

static armnn_status_t handle_decorate(armnn_tensor_handle_t* handle,
                                      const armnn_tensor_info_t* info,
                                      armnn_tensor_handle_t** out_handle, armnn_error_t* error) {
  handle_t* parent = (handle_t*)handle;
  *out_handle = NULL;
  if (npu_tensor_bytes(info) != parent->size) {
    return wrong_size(parent, npu_tensor_bytes(info), error);
  }
  handle_t* self = new_handle(parent->backend, info);
  if (self == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->parent = parent;
  *out_handle = &self->base;
  return ARMNN_STATUS_OK;
}

armnn_status_t npu_handle_place(const npu_backend_t* backend, armnn_tensor_handle_t* handle,
                                uint64_t size, npu_place_t* out_place, armnn_error_t* error) {
  if (handle == NULL || handle->api != &handle_api) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "not a tensor of %s", NPU_FACTORY_ID);
  }
  const handle_t* self = (const handle_t*)handle;
  if (self->backend != backend) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "a tensor of npu%u in a job of npu%u",
                    (unsigned)self->backend->device, (unsigned)backend->device);
  }
  if (self->size != size) return wrong_size(self, size, error);
  *out_place = root_of(self)->imported;
  if (out_place->file >= 0) return ARMNN_STATUS_OK;
  const npu_region_t* region = region_of(self, error);
  if (region == NULL) return ARMNN_STATUS_INTERNAL;
  *out_place = (npu_place_t){.file = region->file, .offset = root_of(self)->offset, .size = size};
  return ARMNN_STATUS_OK;
}

/* ---- Factory ------------------------------------------------------------------------------- */

static void factory_destroy(armnn_tensor_handle_factory_t* factory) { free(factory); }

static const char* factory_get_id(armnn_tensor_handle_factory_t* factory) {
  (void)factory;
  return NPU_FACTORY_ID;
}

static armnn_status_t factory_create(armnn_tensor_handle_factory_t* factory,
                                     const armnn_tensor_info_t* info, uint32_t managed,
                                     armnn_tensor_handle_t** out_handle, armnn_error_t* error) {
  const factory_t* self = (const factory_t*)factory;
  *out_handle = NULL;
  if (npu_tensor_bytes(info) == 0) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "a tensor without bytes has no handle");
  }
  handle_t* handle = new_handle(self->backend, info);
  if (handle == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  if (managed != 0) {
    handle->manager = self->manager;
  } else {
    const armnn_status_t status = npu_region_make(&handle->own, self->backend, handle->size, error);
    if (status != ARMNN_STATUS_OK) {
      free(handle);
      return status;
    }
  }
  *out_handle = &handle->base;
  return ARMNN_STATUS_OK;
}

static uint64_t factory_get_traits(armnn_tensor_handle_factory_t* factory) {
  (void)factory;
  return ARMNN_FACTORY_SUPPORTS_MAP_UNMAP;
}

static uint32_t factory_no_flags(armnn_tensor_handle_factory_t* factory) {
  (void)factory;
  return 0; /* neither import nor export: the memory has no address */
}

static const armnn_tensor_handle_factory_api_t factory_api = {
    .header = {sizeof(armnn_tensor_handle_factory_api_t), ARMNN_STRUCT_TENSOR_HANDLE_FACTORY},
    .destroy = factory_destroy,
    .get_id = factory_get_id,
    .create_tensor_handle = factory_create,
    .get_traits = factory_get_traits,
    .get_export_flags = factory_no_flags,
    .get_import_flags = factory_no_flags,
};

armnn_status_t npu_register_factories(armnn_backend_t* backend,
                                      armnn_tensor_handle_factory_registry_t* registry,
                                      uint32_t input_sources, uint32_t output_sources,
                                      armnn_error_t* error) {
  (void)input_sources;
  (void)output_sources;
  armnn_memory_manager_t* manager = NULL;
  armnn_status_t status = npu_create_memory_manager(backend, &manager, error);
  if (status != ARMNN_STATUS_OK) return status;
  factory_t* factory = calloc(1, sizeof *factory);
  if (factory == NULL) {
    manager->api->destroy(manager);
    return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  }
  factory->base.api = &factory_api;
  factory->backend = (npu_backend_t*)backend;
  factory->manager = (npu_manager_t*)manager;
  status = registry->register_memory_manager(registry->context, manager);
  if (status != ARMNN_STATUS_OK) {
    manager->api->destroy(manager);
    free(factory);
    return npu_fail(error, status, "the host did not take the memory manager");
  }
  status = registry->register_factory(registry->context, &factory->base);
  if (status != ARMNN_STATUS_OK) {
    free(factory);
    return npu_fail(error, status, "the host did not take the factory %s", NPU_FACTORY_ID);
  }
  return ARMNN_STATUS_OK;
}
