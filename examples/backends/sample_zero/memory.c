/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Where bytes come from: the user's allocator if there is one, else the host's; and pools, in which
 * tensors that do not live at the same time lie in the same place.
 */
#include "zero.h"

static uint64_t round_up(uint64_t size) {
  return (size + ZERO_ALIGNMENT - 1) / ZERO_ALIGNMENT * ZERO_ALIGNMENT;
}

void* zero_allocate(zero_backend_t* backend, uint64_t size, armnn_error_t* error) {
  armnn_allocator_t* allocator = backend->allocator;
  if (size > UINT64_MAX / 2) {
    armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no memory of %llu bytes",
               (unsigned long long)size);
    return NULL;
  }
  uint64_t bytes = size == 0 ? ZERO_ALIGNMENT : round_up(size);
  void* memory = allocator != NULL ? allocator->api->allocate(allocator, bytes, ZERO_ALIGNMENT)
                                   : armnn_alloc(backend->host, bytes, ZERO_ALIGNMENT);
  if (memory == NULL) {
    armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "%s gave no %llu bytes",
               allocator != NULL ? "the custom allocator" : "the host", (unsigned long long)bytes);
    return NULL;
  }
  if ((uintptr_t)memory % ZERO_ALIGNMENT != 0) { /* only somebody else's allocator can do that */
    allocator->api->release(allocator, memory);
    armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY,
               "the custom allocator gave the address %p, which is not a multiple of %u", memory,
               ZERO_ALIGNMENT);
    return NULL;
  }
  atomic_fetch_add(&backend->live_blocks, 1);
  return memory;
}

void zero_release(zero_backend_t* backend, void* memory) {
  if (memory == NULL) return;
  if (backend->allocator != NULL) {
    backend->allocator->api->release(backend->allocator, memory);
  } else {
    armnn_free(backend->host, memory);
  }
  atomic_fetch_sub(&backend->live_blocks, 1);
}

/* ---- Allocators ---------------------------------------------------------------------------- */

static const char* source_name(int32_t source) {
  switch (source) {
    case ARMNN_MEMORY_SOURCE_UNDEFINED:
      return "of no stated kind";
    case ARMNN_MEMORY_SOURCE_MALLOC:
      return "Malloc";
    case ARMNN_MEMORY_SOURCE_DMA_BUF:
      return "DmaBuf";
    case ARMNN_MEMORY_SOURCE_DMA_BUF_PROTECTED:
      return "DmaBufProtected";
    case ARMNN_MEMORY_SOURCE_GRALLOC:
      return "Gralloc";
    default:
      return "of an unknown kind";
  }
}

armnn_status_t zero_use_allocator(armnn_backend_t* backend, armnn_allocator_t* allocator,
                                  armnn_error_t* error) {
  zero_backend_t* self = (zero_backend_t*)backend;
  if (allocator == NULL || !ARMNN_HAS_FN(allocator->api, armnn_allocator_api_t, allocate) ||
      !ARMNN_HAS_FN(allocator->api, armnn_allocator_api_t, release)) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                      "this backend does not accept the allocator: it cannot allocate and release");
  }
  /* An allocator that says nothing gives ordinary memory. */
  int32_t source = ARMNN_HAS_FN(allocator->api, armnn_allocator_api_t, get_memory_source)
                       ? allocator->api->get_memory_source(allocator)
                       : ARMNN_MEMORY_SOURCE_MALLOC;
  if (source != ARMNN_MEMORY_SOURCE_MALLOC) {
    return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE,
                      "this backend does not accept the allocator: its memory is %s, and the "
                      "kernels here read and write Malloc memory only",
                      source_name(source));
  }
  if (atomic_load(&self->live_blocks) != 0) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                      "this backend does not accept the allocator: tensors already have memory "
                      "from another one");
  }
  self->allocator = allocator;
  return ARMNN_STATUS_OK;
}

static void allocator_destroy(armnn_allocator_t* allocator) { free(allocator); }

static void* allocator_allocate(armnn_allocator_t* allocator, uint64_t size, uint64_t alignment) {
  (void)allocator;
  if (alignment < ZERO_ALIGNMENT) alignment = ZERO_ALIGNMENT;
  if (size > UINT64_MAX / 2 || (alignment & (alignment - 1)) != 0) return NULL;
  uint64_t bytes = size == 0 ? alignment : (size + alignment - 1) / alignment * alignment;
  return aligned_alloc((size_t)alignment, (size_t)bytes);
}

static void allocator_release(armnn_allocator_t* allocator, void* memory) {
  (void)allocator;
  free(memory);
}

static int32_t allocator_source(armnn_allocator_t* allocator) {
  (void)allocator;
  return ARMNN_MEMORY_SOURCE_MALLOC;
}

static void* allocator_region(armnn_allocator_t* allocator, void* memory, uint64_t offset,
                              uint64_t alignment) {
  (void)allocator;
  char* region = (char*)memory + offset;
  return alignment != 0 && (uintptr_t)region % alignment != 0 ? NULL : region;
}

static const armnn_allocator_api_t allocator_api = {
    .header = {sizeof(armnn_allocator_api_t), ARMNN_STRUCT_ALLOCATOR},
    .destroy = allocator_destroy,
    .allocate = allocator_allocate,
    .release = allocator_release,
    .get_memory_source = allocator_source,
    .get_memory_region_at_offset = allocator_region,
};

armnn_status_t zero_default_allocator(armnn_backend_t* backend, armnn_allocator_t** out_allocator,
                                      armnn_error_t* error) {
  (void)backend;
  *out_allocator = (armnn_allocator_t*)calloc(1, sizeof **out_allocator);
  if (*out_allocator == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  (*out_allocator)->api = &allocator_api;
  return ARMNN_STATUS_OK;
}

/* ---- Pools --------------------------------------------------------------------------------- */

armnn_status_t zero_pool_take(zero_manager_t* manager, uint64_t size, uint64_t* out_pool,
                              armnn_error_t* error) {
  if (manager->block != NULL) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                      "the pools are in use: no tensor can be added to them");
  }
  uint64_t best = manager->pool_count;
  for (uint64_t i = 0; i < manager->pool_count; ++i) { /* the one that grows least */
    const zero_pool_t* pool = &manager->pools[i];
    if (!pool->free) continue;
    if (best == manager->pool_count || pool->size > manager->pools[best].size) best = i;
  }
  if (best == manager->pool_count) {
    zero_pool_t* more =
        (zero_pool_t*)realloc(manager->pools, (size_t)(best + 1) * sizeof manager->pools[0]);
    if (more == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
    manager->pools = more;
    manager->pools[best] = (zero_pool_t){0, 0, 1};
    ++manager->pool_count;
  }
  if (manager->pools[best].size < size) manager->pools[best].size = size;
  manager->pools[best].free = 0;
  *out_pool = best;
  return ARMNN_STATUS_OK;
}

void zero_pool_give(zero_manager_t* manager, uint64_t pool) { manager->pools[pool].free = 1; }

static armnn_status_t manager_acquire(armnn_memory_manager_t* manager, armnn_error_t* error) {
  zero_manager_t* self = (zero_manager_t*)manager;
  uint64_t total = 0;
  if (self->block != NULL) return ARMNN_STATUS_OK;
  for (uint64_t i = 0; i < self->pool_count; ++i) {
    self->pools[i].offset = total;
    total += round_up(self->pools[i].size);
  }
  self->block = (char*)zero_allocate(self->backend, total, error);
  return self->block != NULL ? ARMNN_STATUS_OK : ARMNN_STATUS_OUT_OF_MEMORY;
}

static armnn_status_t manager_release(armnn_memory_manager_t* manager, armnn_error_t* error) {
  zero_manager_t* self = (zero_manager_t*)manager;
  (void)error;
  zero_release(self->backend, self->block);
  self->block = NULL;
  return ARMNN_STATUS_OK;
}

static void manager_destroy(armnn_memory_manager_t* manager) {
  manager_release(manager, NULL);
  free(((zero_manager_t*)manager)->pools);
  free(manager);
}

static const armnn_memory_manager_api_t manager_api = {
    .header = {sizeof(armnn_memory_manager_api_t), ARMNN_STRUCT_MEMORY_MANAGER},
    .destroy = manager_destroy,
    .acquire = manager_acquire,
    .release = manager_release,
};

armnn_status_t zero_manager_create(zero_backend_t* backend, zero_manager_t** out_manager,
                                   armnn_error_t* error) {
  zero_manager_t* manager = (zero_manager_t*)calloc(1, sizeof *manager);
  if (manager == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  manager->base.api = &manager_api;
  manager->backend = backend;
  *out_manager = manager;
  return ARMNN_STATUS_OK;
}
