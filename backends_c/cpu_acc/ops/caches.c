/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "caches.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* Where nothing is known; and what more than that is not believed or not good for blocks. */
#define SECOND_CACHE UINT64_C(524288)
#define MOST_SECOND_CACHE UINT64_C(4194304)

/* C libraries know it of some processors only; the kernel describes all that firmware tells of. */
static uint64_t ask_kernel(void) {
  FILE* file = fopen("/sys/devices/system/cpu/cpu0/cache/index2/size", "re");
  if (file == NULL) return 0;
  unsigned long size = 0;
  char unit = 0;
  const int read = fscanf(file, "%lu%c", &size, &unit);
  fclose(file);
  if (read < 1) return 0;
  return (uint64_t)size * (unit == 'K' ? 1024u : unit == 'M' ? 1048576u : 1u);
}

static uint64_t ask(void) {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  const long told = sysconf(_SC_LEVEL2_CACHE_SIZE);
#else
  const long told = 0;
#endif
  uint64_t size = told > 0 ? (uint64_t)told : ask_kernel();
  if (size == 0) size = SECOND_CACHE;
  return size < MOST_SECOND_CACHE ? size : MOST_SECOND_CACHE;
}

/* Threads that come here together ask twice and store the same. */
uint64_t armnn_i_acc_second_cache(void) {
  static _Atomic uint64_t known;
  uint64_t size = atomic_load_explicit(&known, memory_order_relaxed);
  if (size == 0) {
    size = ask();
    atomic_store_explicit(&known, size, memory_order_relaxed);
  }
  return size;
}
