/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * backend_code.c - which backend's file an address lies in: for the words with which a process ends
 * where no call of a backend is under way, in a thread of its own or in a destructor at the end of
 * the program.
 */
#define _GNU_SOURCE /* process_vm_readv, names of registers */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "core.h"

#define MOST_FILES 64
#define MOST_PATH 512
#define WORDS 128
#define LOOKS 32 /* 32 KiB of the stack, from its top */

/* One writer at a time, the loader; handlers of signals read at any moment. An entry counts as long
 * as its code ends behind its beginning. */
static struct {
  void* library;
  _Atomic uintptr_t begin, end;
  armnn_i_c_library_t c_library;
  char file[MOST_PATH];
} noted[MOST_FILES];

/* A file that has its libraries for itself has another C library than the program. */
static armnn_i_c_library_t find_c_library(void* library) {
  void* place = dlsym(library, "__errno_location");
  armnn_i_c_library_t found = {NULL, (char***)dlsym(library, "environ")};
  memcpy(&found.place_of_errno, &place, sizeof place); /* a function's address */
  if (found.place_of_errno == NULL || found.variables == NULL || found.place_of_errno() == &errno) {
    found = (armnn_i_c_library_t){NULL, NULL};
  }
  return found;
}

void armnn_core_note_code(void* library, const char* file) {
  uintptr_t begin = 0, end = 0;
  if (library == NULL || !armnn_i_find_code(library, &begin, &end)) return;
  armnn_core_forget_code(library);
  for (size_t i = 0; i < MOST_FILES; ++i) {
    if (noted[i].library != NULL) continue;
    noted[i].library = library;
    noted[i].c_library = find_c_library(library);
    strncpy(noted[i].file, file, MOST_PATH - 1);
    atomic_store(&noted[i].begin, begin);
    atomic_store(&noted[i].end, end);
    return;
  }
}

void armnn_core_forget_code(void* library) {
  for (size_t i = 0; i < MOST_FILES; ++i) {
    if (noted[i].library != library) continue;
    atomic_store(&noted[i].end, 0);
    atomic_store(&noted[i].begin, 0);
    noted[i].library = NULL;
  }
}

static size_t index_of_code(uintptr_t address) {
  size_t i = 0;
  for (; i < MOST_FILES; ++i) {
    const uintptr_t end = atomic_load(&noted[i].end);
    if (address < end && address >= atomic_load(&noted[i].begin)) break;
  }
  return i;
}

const char* armnn_i_file_of_code(uintptr_t address) {
  const size_t i = index_of_code(address);
  return i < MOST_FILES ? noted[i].file : NULL;
}

const armnn_i_c_library_t* armnn_i_c_library_of_code(const void* address) {
  const size_t i = index_of_code((uintptr_t)address);
  return i < MOST_FILES && noted[i].c_library.variables != NULL ? &noted[i].c_library : NULL;
}

/* The addresses to which functions return lie on the stack, from its top down to the first one. */
static const char* file_of_callers(uintptr_t at) {
  uintptr_t words[WORDS];
  at &= ~(uintptr_t)(sizeof(uintptr_t) - 1);
  for (int look = 0; look < LOOKS; ++look, at += sizeof words) {
    const struct iovec here = {words, sizeof words}, there = {(void*)at, sizeof words};
    const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (got <= 0) return NULL;
    for (size_t i = 0; i < (size_t)got / sizeof(uintptr_t); ++i) {
      const char* file = armnn_i_file_of_code(words[i]);
      if (file != NULL) return file;
    }
    if ((size_t)got < sizeof words) return NULL;
  }
  return NULL;
}

const char* armnn_i_file_at_work(const void* context, bool looks_up) {
  if (context == NULL) return NULL;
  const mcontext_t* machine = &((const ucontext_t*)context)->uc_mcontext;
#if defined(__x86_64__)
  const uintptr_t code = (uintptr_t)machine->gregs[REG_RIP];
  const uintptr_t stack = (uintptr_t)machine->gregs[REG_RSP];
#elif defined(__aarch64__)
  const uintptr_t code = (uintptr_t)machine->pc, stack = (uintptr_t)machine->sp;
#else
  const uintptr_t code = 0, stack = 0;
  (void)machine;
  return NULL;
#endif
  const char* file = armnn_i_file_of_code(code);
  return file != NULL || !looks_up ? file : file_of_callers(stack);
}
