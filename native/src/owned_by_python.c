/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * owned_by_python.c - what ends with a Python object: lasting constants and mapped files.
 *
 * A capsule owns each. Its destructor is C: a Python callback could run the handler of a signal,
 * and Python drops what that raises there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

typedef struct owned_t {
  void (*end)(struct owned_t* owned);
} owned_t;

static void* (*read_capsule)(void* capsule, const char* name);

void armnn_core_set_capsule_reader(void* (*read)(void* capsule, const char* name)) {
  read_capsule = read;
}

void armnn_core_end_owned(void* capsule) {
  owned_t* owned = read_capsule(capsule, NULL);
  if (owned != NULL) owned->end(owned);
}

/* ---- Lasting constants ----------------------------------------------------------------------- */

typedef struct constant_t {
  owned_t owned;
  const void* data; /* null: not added */
  uint64_t size;
} constant_t;

static void end_constant(owned_t* owned) {
  constant_t* constant = (constant_t*)owned;
  if (constant->data != NULL) armnn_core_remove_lasting_constant(constant->data, constant->size);
  free(constant);
}

void* armnn_core_new_constant(void) {
  constant_t* constant = calloc(1, sizeof *constant);
  if (constant == NULL) return NULL;
  constant->owned.end = end_constant;
  return constant;
}

int32_t armnn_core_begin_constant(void* owned, const void* data, uint64_t size) {
  constant_t* constant = owned;
  if (!armnn_core_add_lasting_constant(data, size)) return 0;
  constant->data = data;
  constant->size = size;
  return 1;
}

/* ---- Mapped files ---------------------------------------------------------------------------- */

/* Never freed, but used again: a handler may look at them at any time. */
typedef struct mapping_t {
  owned_t owned;
  atomic_bool is_used;
  _Atomic uintptr_t begin; /* 0: not mapped */
  uint64_t size;
  int line_size;
  char line[1024];
  struct mapping_t* next;
} mapping_t;

static _Atomic(mapping_t*) mappings;
static atomic_bool is_telling;
static struct sigaction before;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Pages behind the end of a file that became shorter cannot be read. */
static void tell_truncation(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  (void)context;
  const uintptr_t address = info->si_code == BUS_ADRERR ? (uintptr_t)info->si_addr : 0;
  for (const mapping_t* one = address != 0 ? mappings : NULL; one != NULL; one = one->next) {
    const uintptr_t begin = one->begin;
    if (begin == 0 || address < begin || address - begin >= one->size) continue;
    if (atomic_exchange(&is_telling, true)) {
      const struct timespec second = {1, 0}; /* another thread was first, and ends the process */
      nanosleep(&second, NULL);
    } else {
      (void)!write(STDERR_FILENO, one->line, (size_t)one->line_size);
    }
    break;
  }
  sigaction(number, &before, NULL);
  errno = saved;
  if (info->si_code <= 0) raise(number); /* it was sent; else it happens again */
}

static void install(void) {
  struct sigaction action = {.sa_sigaction = tell_truncation, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &before);
}

static void end_mapping(owned_t* owned) {
  mapping_t* mapping = (mapping_t*)owned;
  const uintptr_t begin = atomic_exchange(&mapping->begin, 0);
  if (begin != 0) munmap((void*)begin, mapping->size);
  atomic_store(&mapping->is_used, false);
}

void* armnn_core_new_mapping(void) {
  for (mapping_t* one = mappings; one != NULL; one = one->next) {
    if (!atomic_exchange(&one->is_used, true)) return one;
  }
  mapping_t* mapping = calloc(1, sizeof *mapping);
  if (mapping == NULL) return NULL;
  mapping->owned.end = end_mapping;
  mapping->is_used = true;
  mapping->next = mappings;
  while (!atomic_compare_exchange_weak(&mappings, &mapping->next, mapping)) continue;
  return mapping;
}

int32_t armnn_core_map_file(void* owned, int32_t file, uint64_t size, const char* name,
                            int32_t is_told, const void** out_data) {
  mapping_t* mapping = owned;
  void* memory = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return errno;
  mapping->size = size;
  const int length =
      snprintf(mapping->line, sizeof mapping->line,
               "armnn_py: SIGBUS: '%.800s' was truncated while in use\nhint: write a "
               "new file and rename it instead of writing into this one\n",
               name);
  mapping->line_size = is_told ? length : 0;
  mapping->begin = (uintptr_t)memory;
  if (is_told) pthread_once(&once, install);
  *out_data = memory;
  return 0;
}
