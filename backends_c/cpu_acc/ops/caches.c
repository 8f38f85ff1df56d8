/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "caches.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* Where nothing is known; and what more than that is not believed or not good for blocks. */
#define FIRST_CACHE UINT64_C(32768)
#define SECOND_CACHE UINT64_C(524288)
#define MOST_FIRST_CACHE UINT64_C(262144)
#define MOST_SECOND_CACHE UINT64_C(4194304)

/* C libraries know it of some processors only; the kernel describes all that firmware tells of. */
static uint64_t ask_kernel(const char* path) {
  FILE* file = fopen(path, "re");
  if (file == NULL) return 0;
  unsigned long size = 0;
  char unit = 0;
  const int read = fscanf(file, "%lu%c", &size, &unit);
  fclose(file);
  if (read < 1) return 0;
  return (uint64_t)size * (unit == 'K' ? 1024u : unit == 'M' ? 1048576u : 1u);
}

static uint64_t ask(int name, const char* path, uint64_t usual, uint64_t most) {
  const long told = name < 0 ? 0 : sysconf(name);
  uint64_t size = told > 0 ? (uint64_t)told : ask_kernel(path);
  if (size == 0) size = usual;
  return size < most ? size : most;
}

#if defined(_SC_LEVEL1_DCACHE_SIZE)
enum { FIRST_NAME = _SC_LEVEL1_DCACHE_SIZE, SECOND_NAME = _SC_LEVEL2_CACHE_SIZE };
#else
enum { FIRST_NAME = -1, SECOND_NAME = -1 };
#endif

/* Threads that come here together ask twice and store the same. */
uint64_t armnn_i_acc_first_cache(void) {
  static _Atomic uint64_t known;
  uint64_t size = atomic_load_explicit(&known, memory_order_relaxed);
  if (size == 0) {
    size = ask(FIRST_NAME, "/sys/devices/system/cpu/cpu0/cache/index0/size", FIRST_CACHE,
               MOST_FIRST_CACHE);
    atomic_store_explicit(&known, size, memory_order_relaxed);
  }
  return size;
}

uint64_t armnn_i_acc_second_cache(void) {
  static _Atomic uint64_t known;
  uint64_t size = atomic_load_explicit(&known, memory_order_relaxed);
  if (size == 0) {
    size = ask(SECOND_NAME, "/sys/devices/system/cpu/cpu0/cache/index2/size", SECOND_CACHE,
               MOST_SECOND_CACHE);
    atomic_store_explicit(&known, size, memory_order_relaxed);
  }
  return size;
}
