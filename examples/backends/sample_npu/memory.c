/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * memory.c - regions of device memory, and the manager that shares one among tensors or weights.
 *
 * A manager that is registered with the factory of tensors learns their lifetimes while an
 * execution context is made and gives them offsets; only acquire makes the region behind the
 * offsets real. One that create_memory_manager made keeps the weights of a network's programs:
 * acquire copies them to the device, where all contexts of the network read them.
 */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "npu.h"

enum { ALIGNMENT = 64 };
static const uint64_t device_bytes = UINT64_C(1) << 32; /* the most that one region takes */

armnn_status_t npu_region_make(npu_region_t* region, const npu_backend_t* backend, uint64_t size,
                               armnn_error_t* error) {
  static const char* const names[NPU_DEVICES] = {"sample_npu0", "sample_npu1"};
  if (size > device_bytes) {
    region->file = -1;
    return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY,
                    "no %llu bytes of device memory: the device has %llu", (unsigned long long)size,
                    (unsigned long long)device_bytes);
  }
  region->file = memfd_create(names[backend->device], MFD_CLOEXEC);
  if (region->file < 0) {
    return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no device memory: %s", strerror(errno));
  }
  /* All of it now: memory that runs out later would be a signal in the middle of a job. */
  const int failed = size == 0 ? 0 : posix_fallocate(region->file, 0, (off_t)size);
  if (failed != 0) {
    npu_region_drop(region);
    return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no %llu bytes of device memory: %s",
                    (unsigned long long)size, strerror(failed));
  }
  return ARMNN_STATUS_OK;
}

void npu_region_drop(npu_region_t* region) {
  if (region->file >= 0) close(region->file);
  region->file = -1;
}

static armnn_status_t transfer(const npu_region_t* region, uint64_t offset, char* memory,
                               uint64_t size, bool write, armnn_error_t* error) {
  if (region->file < 0) {
    return npu_fail(error, ARMNN_STATUS_INTERNAL, "this device memory was not acquired");
  }
  for (uint64_t done = 0; done < size;) {
    const ssize_t moved =
        write ? pwrite(region->file, memory + done, size - done, (off_t)(offset + done))
              : pread(region->file, memory + done, size - done, (off_t)(offset + done));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) {
      return npu_fail(error, ARMNN_STATUS_INTERNAL, "device memory: %s",
                      moved < 0 ? strerror(errno) : "outside of the region");
    }
    done += (uint64_t)moved;
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t npu_region_write(const npu_region_t* region, uint64_t offset, const void* source,
                                uint64_t size, armnn_error_t* error) {
  return transfer(region, offset, (char*)(uintptr_t)source, size, true, error);
}

armnn_status_t npu_region_read(const npu_region_t* region, uint64_t offset, void* target,
                               uint64_t size, armnn_error_t* error) {
  return transfer(region, offset, target, size, false, error);
}

/* ---- Windows ------------------------------------------------------------------------------- */

static void tell_caches(const npu_place_t* place, uint64_t edge) {
  struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_RW | edge};
  if (!place->is_dma_buf) return;
  while (ioctl(place->file, DMA_BUF_IOCTL_SYNC, &sync) != 0 && errno == EINTR) {
  }
}

npu_window_t npu_window_open(const npu_place_t* place) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), lead = place->offset % page;
  npu_window_t window = {.length = lead + place->size};
  window.base = mmap(NULL, window.length, PROT_READ | PROT_WRITE, MAP_SHARED, place->file,
                     (off_t)(place->offset - lead));
  if (window.base == MAP_FAILED) return window;
  tell_caches(place, DMA_BUF_SYNC_START);
  window.tensor = (char*)window.base + lead;
  return window;
}

void npu_window_close(const npu_place_t* place, const npu_window_t* window) {
  tell_caches(place, DMA_BUF_SYNC_END);
  munmap(window->base, window->length);
}

/* ---- Memory manager ------------------------------------------------------------------------ */

typedef struct gap_t {
  uint64_t offset, size;
} gap_t;

typedef struct constants_t {
  const void* source;
  uint64_t offset, size;
} constants_t;

struct npu_manager_t {
  armnn_memory_manager_t base;
  npu_backend_t* backend;
  npu_region_t region;
  pthread_mutex_t lock; /* of all below; handles are independent objects for the host */
  uint64_t size;        /* of the region that all tensors fit into */
  gap_t* gaps;          /* free parts of it, by offset */
  uint64_t gap_count, gap_capacity;
  constants_t* kept; /* what acquire copies into the region */
  uint64_t kept_count, kept_capacity;
  uint64_t copied; /* bytes of it that are there now */
};

static void note_copied(npu_manager_t* manager, uint64_t size) {
  /* Unsigned numbers wrap, so that less of it is more of what is missing to 2^64. */
  npu_count(manager->backend, NPU_COUNTER_CONSTANT_BYTES, size - manager->copied);
  manager->copied = size;
}

static void manager_destroy(armnn_memory_manager_t* manager) {
  npu_manager_t* self = (npu_manager_t*)manager;
  npu_region_drop(&self->region);
  pthread_mutex_destroy(&self->lock);
  free(self->gaps);
  free(self->kept);
  free(self);
}

static armnn_status_t manager_acquire(armnn_memory_manager_t* manager, armnn_error_t* error) {
  npu_manager_t* self = (npu_manager_t*)manager;
  if (self->region.file >= 0) return ARMNN_STATUS_OK;
  armnn_status_t status = npu_region_make(&self->region, self->backend, self->size, error);
  uint64_t copied = 0;
  for (uint64_t i = 0; i < self->kept_count && status == ARMNN_STATUS_OK; ++i) {
    const constants_t* kept = &self->kept[i];
    status = npu_region_write(&self->region, kept->offset, kept->source, kept->size, error);
    copied += kept->size;
  }
  if (status != ARMNN_STATUS_OK) {
    npu_region_drop(&self->region);
    return status;
  }
  note_copied(self, copied);
  return status;
}

static armnn_status_t manager_release(armnn_memory_manager_t* manager, armnn_error_t* error) {
  npu_manager_t* self = (npu_manager_t*)manager;
  (void)error;
  npu_region_drop(&self->region);
  note_copied(self, 0);
  return ARMNN_STATUS_OK;
}

static const armnn_memory_manager_api_t manager_api = {
    {sizeof(armnn_memory_manager_api_t), ARMNN_STRUCT_MEMORY_MANAGER},
    manager_destroy,
    manager_acquire,
    manager_release,
};

armnn_status_t npu_create_memory_manager(armnn_backend_t* backend,
                                         armnn_memory_manager_t** out_manager,
                                         armnn_error_t* error) {
  *out_manager = NULL;
  npu_manager_t* self = calloc(1, sizeof *self);
  if (self == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &manager_api;
  self->backend = (npu_backend_t*)backend;
  self->region.file = -1;
  pthread_mutex_init(&self->lock, NULL);
  *out_manager = &self->base;
  return ARMNN_STATUS_OK;
}

const npu_region_t* npu_manager_region(const npu_manager_t* manager) { return &manager->region; }

static uint64_t rounded(uint64_t size) { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

armnn_status_t npu_manager_begin(npu_manager_t* manager, uint64_t size, uint64_t* out_offset) {
  size = rounded(size);
  pthread_mutex_lock(&manager->lock);
  gap_t* best = NULL; /* the smallest that is large enough */
  for (uint64_t i = 0; i < manager->gap_count; ++i) {
    gap_t* gap = &manager->gaps[i];
    if (gap->size >= size && (best == NULL || gap->size < best->size)) best = gap;
  }
  if (best != NULL) {
    *out_offset = best->offset;
    best->offset += size;
    best->size -= size;
    if (best->size == 0) {
      const uint64_t behind = manager->gap_count - (uint64_t)(best - manager->gaps) - 1;
      memmove(best, best + 1, behind * sizeof *best);
      manager->gap_count -= 1;
    }
  } else { /* at the end, where a gap that reaches the end is only made longer */
    gap_t* last = manager->gap_count == 0 ? NULL : &manager->gaps[manager->gap_count - 1];
    *out_offset = manager->size;
    if (last != NULL && last->offset + last->size == manager->size) {
      *out_offset = last->offset;
      manager->gap_count -= 1;
    }
    manager->size = *out_offset + size;
  }
  pthread_mutex_unlock(&manager->lock);
  return ARMNN_STATUS_OK;
}

void npu_manager_end(npu_manager_t* manager, uint64_t offset, uint64_t size) {
  size = rounded(size);
  pthread_mutex_lock(&manager->lock);
  if (manager->gap_count == manager->gap_capacity) {
    const uint64_t capacity = manager->gap_capacity == 0 ? 16 : 2 * manager->gap_capacity;
    gap_t* gaps = realloc(manager->gaps, capacity * sizeof *gaps);
    if (gaps == NULL) { /* the place is not used again: correct, only larger */
      pthread_mutex_unlock(&manager->lock);
      return;
    }
    manager->gaps = gaps;
    manager->gap_capacity = capacity;
  }
  uint64_t at = 0;
  while (at < manager->gap_count && manager->gaps[at].offset < offset) ++at;
  gap_t* gap = &manager->gaps[at];
  memmove(gap + 1, gap, (manager->gap_count - at) * sizeof *gap);
  *gap = (gap_t){offset, size};
  manager->gap_count += 1;
  uint64_t kept = 0; /* neighbours become one */
  for (uint64_t i = 1; i < manager->gap_count; ++i) {
    gap_t* before = &manager->gaps[kept];
    if (before->offset + before->size == manager->gaps[i].offset) {
      before->size += manager->gaps[i].size;
    } else {
      manager->gaps[++kept] = manager->gaps[i];
    }
  }
  manager->gap_count = kept + 1;
  pthread_mutex_unlock(&manager->lock);
}

armnn_status_t npu_manager_keep(npu_manager_t* manager, const void* constants, uint64_t size,
                                uint64_t* out_offset, armnn_error_t* error) {
  if (manager->region.file >= 0) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                    "the memory of weights is acquired: there can be no more of them");
  }
  if (manager->kept_count == manager->kept_capacity) {
    const uint64_t capacity = manager->kept_capacity == 0 ? 16 : 2 * manager->kept_capacity;
    constants_t* kept = realloc(manager->kept, capacity * sizeof *kept);
    if (kept == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
    manager->kept = kept;
    manager->kept_capacity = capacity;
  }
  const armnn_status_t status = npu_manager_begin(manager, size, out_offset);
  if (status != ARMNN_STATUS_OK) return status;
  manager->kept[manager->kept_count++] = (constants_t){constants, *out_offset, size};
  return ARMNN_STATUS_OK;
}

void npu_manager_drop(npu_manager_t* manager, const void* constants, uint64_t offset) {
  for (uint64_t i = 0; i < manager->kept_count; ++i) {
    /* Workloads of one program keep the same constants, each at a place of its own. */
    if (manager->kept[i].source != constants || manager->kept[i].offset != offset) continue;
    npu_manager_end(manager, manager->kept[i].offset, manager->kept[i].size);
    manager->kept[i] = manager->kept[--manager->kept_count];
    return;
  }
}
