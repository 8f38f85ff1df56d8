/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * memory.c - aligned memory, and questions about addresses that may be wrong.
 */
#define _GNU_SOURCE /* dladdr, dl_iterate_phdr, madvise, pipe2, process_vm_readv */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core.h"

/* ---- Allocation ---------------------------------------------------------------------------- */

/* Of x86-64, and of AArch64 where small ones have 4 KiB. */
#define LARGE_PAGE ((uint64_t)1 << 21)

/* What is read from one end to the other, as the weights are for each token that a language model
 * makes, waits half of its time for the addresses of small pages. A kernel without large ones
 * changes nothing; pages that are not whole stay small, so that no memory is wasted. */
static void want_large_pages(void* memory, uint64_t size) {
#if defined(MADV_HUGEPAGE)
  const int before = errno;
  (void)madvise(memory, (size_t)(size / LARGE_PAGE * LARGE_PAGE), MADV_HUGEPAGE);
  errno = before;
#else
  (void)memory;
  (void)size;
#endif
}

#define LARGE_BLOCKS 256

/* Blocks of at least a large page: of them only the pages in memory are counted. */
static struct {
  _Atomic uintptr_t address; /* 0: the entry is free */
  _Atomic uint64_t size;
} large_blocks[LARGE_BLOCKS];

static _Atomic uint64_t other_bytes; /* of all other blocks */

/* False if all entries are taken. */
static bool count_large(const void* memory, uint64_t size) {
  for (size_t i = 0; i < LARGE_BLOCKS; ++i) {
    uintptr_t unused = 0;
    if (!atomic_compare_exchange_strong(&large_blocks[i].address, &unused, (uintptr_t)memory)) {
      continue;
    }
    atomic_store(&large_blocks[i].size, size);
    return true;
  }
  return false;
}

/* False if |memory| is not a large block that was counted. */
static bool uncount_large(const void* memory) {
  if ((uintptr_t)memory % LARGE_PAGE != 0) return false;
  for (size_t i = 0; i < LARGE_BLOCKS; ++i) {
    if (atomic_load(&large_blocks[i].address) != (uintptr_t)memory) continue;
    atomic_store(&large_blocks[i].size, 0); /* the next user of the entry sets it */
    atomic_store(&large_blocks[i].address, 0);
    return true;
  }
  return false;
}

/* Bytes of the pages of a range that are in memory. */
static uint64_t resident_bytes(uintptr_t address, uint64_t size) {
  const uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
  unsigned char present[512];
  const uint64_t step = sizeof present * page_size;
  uint64_t found = 0;
  for (uint64_t at = 0; at < size; at += step) {
    const uint64_t length = size - at < step ? size - at : step;
    if (mincore((void*)(address + (uintptr_t)at), (size_t)length, present) != 0) continue;
    for (uint64_t i = 0; i * page_size < length; ++i) found += (present[i] & 1) * page_size;
  }
  return found < size ? found : size;
}

uint64_t armnn_core_allocated_bytes(void) {
  uint64_t bytes = atomic_load(&other_bytes);
  for (size_t i = 0; i < LARGE_BLOCKS; ++i) {
    const uintptr_t address = atomic_load(&large_blocks[i].address);
    if (address != 0) bytes += resident_bytes(address, atomic_load(&large_blocks[i].size));
  }
  return bytes;
}

void* armnn_i_alloc(uint64_t size, uint64_t alignment) {
  if (!armnn_i_is_power_of_two(alignment) || alignment > PTRDIFF_MAX / 2) return NULL;
  if (size > PTRDIFF_MAX / 2) return NULL; /* sanitizers abort where malloc would say no */
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  const bool is_large = size >= LARGE_PAGE;
  if (is_large && alignment < LARGE_PAGE) alignment = LARGE_PAGE;
  void* memory = NULL;
  if (posix_memalign(&memory, (size_t)alignment, size == 0 ? 1 : (size_t)size) != 0) return NULL;
  if (is_large) want_large_pages(memory, size);
  if (!is_large || !count_large(memory, size)) {
    atomic_fetch_add(&other_bytes, malloc_usable_size(memory));
  }
  return memory;
}

void armnn_i_free(void* memory) {
  if (memory != NULL && !uncount_large(memory)) {
    atomic_fetch_sub(&other_bytes, malloc_usable_size(memory));
  }
  free(memory);
}

void* armnn_i_make_array(uint64_t count, size_t item_size) {
  return calloc(count == 0 ? 1 : (size_t)count, item_size);
}

void* armnn_core_alloc(uint64_t size, uint64_t alignment) {
  if (alignment == 0) alignment = ARMNN_CACHE_LINE;
  return alignment > ARMNN_MAX_ALIGNMENT ? NULL : armnn_i_alloc(size, alignment);
}

void armnn_core_free(void* memory) { armnn_i_free(memory); }

int32_t armnn_core_is_readable_behind(const void* address, uint64_t size, uint64_t extra) {
  return armnn_i_is_readable_behind(address, size, extra) ? 1 : 0;
}

/* ---- May it be read? ----------------------------------------------------------------------- */

#define PAGES_AT_ONCE 16

/* The kernel copies one byte of each page, in one call for several. False does not say that they
 * are not readable: it refuses memory of devices, and some sandboxes refuse the call. */
static bool are_copied(uintptr_t first, uintptr_t last, uintptr_t page_size) {
  char bytes[PAGES_AT_ONCE];
  struct iovec there[PAGES_AT_ONCE];
  for (uintptr_t address = first;;) {
    size_t count = 0;
    uintptr_t next = address;
    do {
      there[count++] = (struct iovec){(void*)next, 1};
      address = next;
      next = (address & ~(page_size - 1)) + page_size;
    } while (count < PAGES_AT_ONCE && next <= last && next > address);
    const struct iovec here = {bytes, count};
    if (process_vm_readv(getpid(), &here, 1, there, count, 0) != (ssize_t)count) return false;
    if (next > last || next < address) return true;
    address = next;
  }
}

/* The same into a pipe, which takes more calls; the kernel answers EFAULT where a load would have
 * raised a signal. */
static bool are_written(const int pipe_ends[2], uintptr_t first, uintptr_t last,
                        uintptr_t page_size) {
  uintptr_t address = first;
  for (;;) {
    ssize_t written;
    do {
      written = write(pipe_ends[1], (const void*)address, 1);
    } while (written < 0 && errno == EINTR);
    if (written != 1) return false;
    char byte;
    ssize_t got;
    do {
      got = read(pipe_ends[0], &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got != 1) return false;
    const uintptr_t next = (address & ~(page_size - 1)) + page_size;
    if (next > last || next < address) return true;
    address = next;
  }
}

int32_t armnn_core_is_readable(const void* address, uint64_t size) {
  if (address == NULL) return 0;
  if (size == 0) return 1;
  const uintptr_t first = (uintptr_t)address;
  if (size - 1 > UINTPTR_MAX - first) return 0;
  const uintptr_t last = first + (uintptr_t)(size - 1);
  const uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  if (are_copied(first, last, page_size)) return 1;
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return 0;
  const bool readable = are_written(pipe_ends, first, last, page_size);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  return readable ? 1 : 0;
}

/* ---- Whose code is it? --------------------------------------------------------------------- */

/* The bytes [address, address + size) belong to a loaded segment that has all of |flags|. */
static bool is_loaded(const struct dl_phdr_info* info, uintptr_t address, uint64_t size,
                      ElfW(Word) flags) {
  for (uint32_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || (segment->p_flags & flags) != flags) continue;
    const uintptr_t offset = address - (uintptr_t)(info->dlpi_addr + segment->p_vaddr);
    if (offset < segment->p_memsz && size <= segment->p_memsz - offset) return true;
  }
  return false;
}

static int has_code_at(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  return is_loaded(info, (uintptr_t)data, 1, PF_X) ? 1 : 0;
}

/* The C library has locks of its loader that it neither takes for a fork nor frees in the child. */
static pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t loader_once = PTHREAD_ONCE_INIT;

static void take_loader(void) { pthread_mutex_lock(&loader); }

static void wait_in_forks(void) {
  pthread_atfork(take_loader, armnn_i_unlock_loader, armnn_i_unlock_loader);
}

void armnn_i_lock_loader(void) {
  pthread_once(&loader_once, wait_in_forks);
  pthread_mutex_lock(&loader);
}

void armnn_i_unlock_loader(void) { pthread_mutex_unlock(&loader); }

typedef int (*visit_fn_t)(struct dl_phdr_info* info, size_t size, void* data);

/* Calls |visit| with each loaded object until it answers other than 0, and returns that. At the end
 * it gets the object at |address|, which may be in a namespace of its own. */
static int visit_objects(const void* address, visit_fn_t visit, void* data) {
  armnn_i_lock_loader();
  const int found = dl_iterate_phdr(visit, data);
  armnn_i_unlock_loader();
  if (found != 0) return found;
  /* An object in a namespace of its own: dladdr also knows those. The C library frees the lock that
   * it takes in the child of a fork. */
  Dl_info object;
  if (dladdr(address, &object) == 0 || object.dli_fbase == NULL) return 0;
  const ElfW(Ehdr)* head = (const ElfW(Ehdr)*)object.dli_fbase;
  const char* base = (const char*)object.dli_fbase;
  const ElfW(Phdr)* segments = (const ElfW(Phdr)*)(const void*)(base + head->e_phoff);
  uintptr_t first = UINTPTR_MAX;
  for (uint32_t i = 0; i < head->e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr < first) first = segments[i].p_vaddr;
  }
  struct dl_phdr_info info = {0};
  info.dlpi_addr = (ElfW(Addr))((uintptr_t)base - first);
  info.dlpi_name = object.dli_fname;
  info.dlpi_phdr = segments;
  info.dlpi_phnum = head->e_phnum;
  return visit(&info, sizeof info, data);
}

int32_t armnn_core_is_code(const void* address) {
  return visit_objects(address, has_code_at, (void*)(uintptr_t)address);
}

int32_t armnn_core_has_signal_handlers(void* library) {
  struct link_map* map = NULL;
  Dl_info own, found;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || dladdr(map->l_ld, &own) == 0) return 0;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) continue;
    if (dladdr((void*)(uintptr_t)action.sa_handler, &found) == 0) continue;
    if (found.dli_fbase == own.dli_fbase) return 1;
  }
  return 0;
}

typedef struct identity_search_t {
  uintptr_t address;
  uint64_t identity;
} identity_search_t;

/* FNV-1a */
static uint64_t mix(uint64_t hash, const void* data, uint64_t size) {
  const unsigned char* bytes = (const unsigned char*)data;
  for (uint64_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* Reads memory, not the file, which may have been replaced since it was loaded. The notes hold the
 * build id. */
static int identify_object(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  identity_search_t* search = (identity_search_t*)data;
  if (!is_loaded(info, search->address, 1, PF_X)) return 0;
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  hash = mix(hash, &info->dlpi_addr, sizeof info->dlpi_addr);
  hash = mix(hash, info->dlpi_phdr, info->dlpi_phnum * sizeof *info->dlpi_phdr);
  if (info->dlpi_name != NULL) hash = mix(hash, info->dlpi_name, strlen(info->dlpi_name));
  for (uint32_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    const uintptr_t begin = (uintptr_t)(info->dlpi_addr + segment->p_vaddr);
    if (segment->p_type != PT_NOTE || !is_loaded(info, begin, segment->p_memsz, PF_R)) continue;
    hash = mix(hash, (const void*)begin, segment->p_memsz);
  }
  search->identity = hash != 0 ? hash : 1;
  return 1;
}

uint64_t armnn_i_code_identity(const void* address) {
  identity_search_t search = {(uintptr_t)address, 0};
  (void)visit_objects(address, identify_object, &search);
  return search.identity;
}
