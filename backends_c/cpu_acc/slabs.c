/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#define _DEFAULT_SOURCE /* madvise */
#include "slabs.h"

#include <stdbool.h>
#include <stddef.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "fork_locks.h"
#include "program.h"

#define SLAB (UINT64_C(16) << 20)
#define LEAST (UINT64_C(1) << 18)     /* smaller ones are few bytes of a network */
#define MOST (UINT64_C(8) << 20)      /* larger ones have large pages by themselves */
#define SMALL_PAGE ((uintptr_t)65536) /* the largest that a system has */

/* In the first line. */
struct armnn_i_acc_slab_t {
  const armnn_host_t* host;
  uint64_t used, blocks;
};

_Static_assert(sizeof(armnn_i_acc_slab_t) <= ARMNN_ACC_LINE, "one line is kept for it");

/* The slab that the next block is taken from, which has others; or null. */
static armnn_i_acc_slab_t* current;

/* Held for some loads and stores. */
static void lock(void) { armnn_i_acc_lock(ARMNN_ACC_LOCK_SLABS); }

static void unlock(void) { armnn_i_acc_unlock(ARMNN_ACC_LOCK_SLABS); }

static uint64_t rounded(uint64_t size) {
  return (size + ARMNN_ACC_LINE - 1) / ARMNN_ACC_LINE * ARMNN_ACC_LINE;
}

/* Under the lock: |size| bytes of |slab|, or null. */
static void* take_of(armnn_i_acc_slab_t* slab, const armnn_host_t* host, uint64_t size) {
  if (slab == NULL || slab->host != host || SLAB - slab->used < size) return NULL;
  void* memory = (char*)slab + slab->used;
  slab->used += size;
  slab->blocks += 1;
  return memory;
}

void* armnn_i_acc_slab_take(const armnn_host_t* host, uint64_t size,
                            armnn_i_acc_slab_t** out_slab) {
  *out_slab = NULL;
#if defined(__SANITIZE_ADDRESS__)
  return NULL; /* who reads behind its block shall be found */
#endif
  if (size < LEAST || size > MOST) return NULL;
  size = rounded(size);
  lock();
  void* memory = take_of(current, host, size);
  *out_slab = current;
  unlock();
  if (memory != NULL) return memory;
  armnn_i_acc_slab_t* fresh = armnn_alloc(host, SLAB, ARMNN_ACC_LINE);
  if (fresh == NULL) return NULL;
  *fresh = (armnn_i_acc_slab_t){.host = host, .used = ARMNN_ACC_LINE};
  lock();
  memory = take_of(fresh, host, size);
  current = fresh; /* the one before lives on with its blocks */
  unlock();
  *out_slab = fresh;
  return memory;
}

/* Lets the system have the whole pages of these bytes. */
static void return_pages(char* memory, uint64_t size) {
#if defined(__linux__)
  const uintptr_t begin = ((uintptr_t)memory + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
  const uintptr_t end = ((uintptr_t)memory + size) / SMALL_PAGE * SMALL_PAGE;
  if (begin < end) (void)madvise(memory + (begin - (uintptr_t)memory), end - begin, MADV_DONTNEED);
#else
  (void)memory;
  (void)size;
#endif
}

void armnn_i_acc_slab_give(armnn_i_acc_slab_t* slab, void* memory, uint64_t size) {
  const armnn_host_t* host = slab->host;
  size = rounded(size);
  return_pages(memory, size); /* nobody else has them yet */
  lock();
  if ((char*)memory + size == (char*)slab + slab->used) slab->used -= size;
  slab->blocks -= 1;
  const bool is_empty = slab->blocks == 0;
  if (is_empty && current == slab) current = NULL;
  unlock();
  if (is_empty) armnn_free(host, slab);
}
