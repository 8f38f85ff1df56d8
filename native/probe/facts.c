/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * facts.c - what the child notes for the report: which libraries came with the file, and which
 * environment variables its code asked for.
 */
#define _GNU_SOURCE /* dl_iterate_phdr, secure_getenv */
#include <inttypes.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe.h"

static probe_shared_t* shared_facts;
static atomic_flag is_writing = ATOMIC_FLAG_INIT;

void probe_facts_begin(probe_shared_t* shared) { shared_facts = shared; }

/* Appends a line that is not there yet; one that does not fit is replaced by "overflow". */
static void append(const char* line, size_t size) {
  if (shared_facts == NULL) return;
  while (atomic_flag_test_and_set(&is_writing)) {
  }
  probe_shared_t* shared = shared_facts;
  const uint32_t used = atomic_load(&shared->facts_used);
  static const char overflow[] = "overflow\n";
  const size_t room = PROBE_FACTS_SIZE - sizeof overflow - 1;
  if (used <= room && memmem(shared->facts, used, line, size) == NULL) {
    if (used + size > room) {
      line = overflow;
      size = sizeof overflow - 1;
      atomic_store(&shared->facts_used, PROBE_FACTS_SIZE);
      memset(shared->facts + used, ' ', PROBE_FACTS_SIZE - used);
      shared->facts[PROBE_FACTS_SIZE - size - 1] = '\n';
      memcpy(shared->facts + PROBE_FACTS_SIZE - size, line, size);
    } else {
      memcpy(shared->facts + used, line, size);
      atomic_store(&shared->facts_used, used + (uint32_t)size);
    }
  }
  atomic_flag_clear(&is_writing);
}

void probe_fact_line(const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  const int size = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (size < 0 || (size_t)size >= sizeof line - 1) return;
  line[size] = '\n';
  append(line, (size_t)size + 1);
}

void probe_fact(const char* name, const void* data, size_t size) {
  static const char digits[] = "0123456789abcdef";
  char line[2 * 1024 + 128];
  if (size > 1024) size = 1024;
  int used = snprintf(line, 96, "%s ", name);
  if (used < 0 || used >= 96) return;
  const unsigned char* bytes = (const unsigned char*)data;
  for (size_t i = 0; i < size; ++i) {
    line[used++] = digits[bytes[i] >> 4];
    line[used++] = digits[bytes[i] & 15];
  }
  line[used++] = '\n';
  append(line, (size_t)used);
}

/* ---- Libraries ----------------------------------------------------------------------------- */

static const char* known[64];
static size_t known_count;

static int visit(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  const char* opened = (const char*)data;
  const char* name = info->dlpi_name;
  if (name == NULL || name[0] == '\0') return 0;
  for (size_t i = 0; i < known_count; ++i) {
    if (strcmp(known[i], name) == 0) return 0;
  }
  if (opened == NULL) {
    if (known_count < sizeof known / sizeof known[0]) known[known_count++] = name;
    return 0;
  }
  if (strcmp(name, opened) == 0) return 0;
  char path[1024];
  const char* real = name;
  if (strncmp(name, "/proc/", 6) == 0) {
    /* Through the descriptor of a folder, which $ORIGIN stands for. */
    const char* behind = strstr(name + 6, "/fd/");
    const char* rest = behind != NULL ? strchr(behind + 4, '/') : NULL;
    if (rest == NULL) return 0;
    char folder[64];
    if ((size_t)(rest - name) >= sizeof folder) return 0;
    memcpy(folder, name, (size_t)(rest - name));
    folder[rest - name] = '\0';
    const ssize_t got = readlink(folder, path, sizeof path - 1);
    if (got <= 0 || (size_t)got + strlen(rest) >= sizeof path) return 0;
    strcpy(path + got, rest);
    real = path;
  }
  struct stat status;
  if (stat(real, &status) != 0) return 0; /* the kernel's own has no file */
  char word[96];
  snprintf(word, sizeof word, "library %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64,
           (uint64_t)status.st_dev, (uint64_t)status.st_ino, (int64_t)status.st_size,
           (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec);
  probe_fact(word, real, strlen(real));
  return 0;
}

void probe_note_libraries(const char* opened) { dl_iterate_phdr(visit, (void*)(uintptr_t)opened); }

/* ---- Environment variables ----------------------------------------------------------------- */

/* These take the place of the C library's for the file and its libraries: a verdict holds for the
 * values of the variables that were asked for. */

extern char** environ;

__attribute__((visibility("default"))) char* getenv(const char* name);
__attribute__((visibility("default"))) char* secure_getenv(const char* name);

char* getenv(const char* name) {
  if (name == NULL) return NULL;
  const size_t size = strlen(name);
  probe_fact("variable", name, size);
  for (char** entry = environ; entry != NULL && *entry != NULL; ++entry) {
    if (strncmp(*entry, name, size) == 0 && (*entry)[size] == '=') return *entry + size + 1;
  }
  return NULL;
}

char* secure_getenv(const char* name) { return getauxval(AT_SECURE) != 0 ? NULL : getenv(name); }
