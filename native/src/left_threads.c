/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * left_threads.c - whether a thread would run code of a library that is about to be closed.
 *
 * A thread's stack, from its stack pointer up, holds an address in the library if a function of
 * that has called where the thread waits, and at its end, with glibc and musl, the function that
 * the thread was started with. The stacks are read as other programs would: one may vanish
 * meanwhile.
 */
#define _GNU_SOURCE /* dlinfo, process_vm_readv */
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core.h"

#define MOST_BYTES (UINT64_C(1) << 20) /* of a stack: what lies above its pointer is little */
#define WORDS 512
enum { LOOKS = 200, PAUSE_US = 500 }; /* at a thread that runs: a tenth of a second */
enum { KNOWN = 64 };                  /* stacks */

/* The executable bytes of an object with this dynamic section. */
typedef struct code_t {
  uintptr_t dynamic, begin, end;
} code_t;

static int find_code(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  code_t* code = (code_t*)data;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  bool is_it = false;
  for (ElfW(Half) i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    const uintptr_t at = (uintptr_t)(info->dlpi_addr + segment->p_vaddr);
    if (segment->p_type == PT_DYNAMIC && at == code->dynamic) is_it = true;
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
    if (at < begin) begin = at;
    if (at + segment->p_memsz > end) end = at + segment->p_memsz;
  }
  if (!is_it) return 0;
  code->begin = begin;
  code->end = end;
  return 1;
}

/* The end of the memory that |address| is mapped in, 0: in none. */
static uintptr_t end_of_mapping(uintptr_t address) {
  FILE* maps = fopen("/proc/self/maps", "re");
  char line[512];
  uintptr_t found = 0;
  while (maps != NULL && found == 0 && fgets(line, sizeof line, maps) != NULL) {
    char* rest = NULL;
    const uintptr_t begin = (uintptr_t)strtoull(line, &rest, 16);
    if (*rest != '-') continue; /* the rest of a long name */
    const uintptr_t end = (uintptr_t)strtoull(rest + 1, NULL, 16);
    if (begin <= address && address < end) found = end;
  }
  if (maps != NULL) fclose(maps);
  return found;
}

/* Where the stack of a thread ends that waits with its pointer |at|.
 *
 * Many libraries are closed one after the other, at the end of a program for one, and all ask for
 * the same few threads; to read all mappings takes longer than the rest. While a thread waits, its
 * stack stays where it is. One caller at a time. */
static uintptr_t end_of_stack(int32_t thread, uintptr_t at) {
  static struct {
    int32_t thread;
    uintptr_t at, end;
  } known[KNOWN];
  const size_t slot = (size_t)thread % KNOWN;
  if (known[slot].thread != thread || known[slot].at != at) {
    known[slot].thread = thread;
    known[slot].at = at;
    known[slot].end = end_of_mapping(at);
  }
  return known[slot].end;
}

static bool stack_has(int32_t thread, uintptr_t at, const code_t* code) {
  uintptr_t end = end_of_stack(thread, at);
  if (end > at && end - at > MOST_BYTES) end = at + MOST_BYTES;
  uintptr_t words[WORDS];
  for (at &= ~(uintptr_t)(sizeof(uintptr_t) - 1); at < end; at += sizeof words) {
    const size_t size = end - at < sizeof words ? end - at : sizeof words;
    const struct iovec here = {words, size}, there = {(void*)at, size};
    const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (got <= 0) return false;
    for (size_t i = 0; i < (size_t)got / sizeof(uintptr_t); ++i) {
      if (words[i] >= code->begin && words[i] < code->end) return true;
    }
  }
  return false;
}

/* The stack pointer of a thread that waits in the kernel, 0: it runs, or is to run. */
static uintptr_t stack_pointer_of(int32_t thread, bool* out_is_there) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/self/task/%" PRId32 "/syscall", thread);
  FILE* file = fopen(path, "re");
  *out_is_there = file != NULL && fgets(text, sizeof text, file) != NULL;
  if (file != NULL) fclose(file);
  if (!*out_is_there) return 0;
  char* last = strrchr(text, ' '); /* before the program counter */
  if (last == NULL) return 0;      /* "running" */
  *last = '\0';
  char* const before = strrchr(text, ' ');
  return before == NULL ? 0 : (uintptr_t)strtoull(before + 1, NULL, 16);
}

/* Whether |library|, as dlopen returned it, is there; where its code is. */
static bool code_of(void* library, code_t* out_code) {
  struct link_map* map = NULL;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == NULL) return false;
  *out_code = (code_t){.dynamic = (uintptr_t)map->l_ld};
  return armnn_i_visit_objects(map->l_ld, find_code, out_code) != 0;
}

bool armnn_i_find_code(void* library, uintptr_t* out_begin, uintptr_t* out_end) {
  code_t code;
  if (!code_of(library, &code)) return false;
  *out_begin = code.begin;
  *out_end = code.end;
  return true;
}

int32_t armnn_core_may_run_in(void* library, int32_t thread) {
  code_t code;
  if (!code_of(library, &code)) return 0;
  /* One that runs waits or ends soon, even on a busy machine, unless it never does. */
  for (int look = 0; look < LOOKS; ++look) {
    if (look != 0) usleep(PAUSE_US);
    bool is_there = false;
    const uintptr_t at = stack_pointer_of(thread, &is_there);
    if (!is_there) return 0;
    if (at != 0) return stack_has(thread, at, &code);
  }
  return 1;
}
