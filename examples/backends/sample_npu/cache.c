/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * cache.c - compiled programs as files: <hash>.npu in the folder of the option cache_dir.
 *
 * A file is written under another name and renamed, so that a reader sees all of it or nothing.
 * Whatever is wrong with a file or the folder, the answer is to compile again: a cache is never a
 * reason to fail.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npu.h"

enum { DIGITS = 32, PATH_SIZE = 4096 };

static bool path_of(char* path, const char* folder, npu_hash_t key, const char* more) {
  const int length = snprintf(path, PATH_SIZE, "%s/%016llx%016llx.npu%s", folder,
                              (unsigned long long)key.a, (unsigned long long)key.b, more);
  return length > 0 && length < PATH_SIZE;
}

static bool read_all(int file, char* target, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t count = read(file, target + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += (uint64_t)count;
  }
  return true;
}

static bool write_all(int file, const char* source, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t count = write(file, source + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += (uint64_t)count;
  }
  return true;
}

npu_program_t* npu_cache_load(const char* folder, npu_hash_t key) {
  char path[PATH_SIZE];
  if (!path_of(path, folder, key, "")) return NULL;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe does not hold us up */
  if (file < 0) return NULL;
  npu_program_t* program = NULL;
  npu_program_t head;
  struct stat status;
  /* The head first: what is no program, or another one, is not worth reading however large it is.
   */
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      read_all(file, (char*)&head, sizeof head) && head.magic == NPU_MAGIC &&
      head.total_size == (uint64_t)status.st_size && head.total_size >= sizeof head &&
      head.key.a == key.a && head.key.b == key.b) {
    program = npu_program_allocate(head.total_size);
    if (program != NULL) {
      memcpy(program, &head, sizeof head);
      if (!read_all(file, (char*)(program + 1), head.total_size - sizeof head) ||
          !npu_program_is_sound(program, head.total_size)) {
        free(program);
        program = NULL;
      }
    }
  }
  close(file);
  return program;
}

void npu_cache_store(npu_backend_t* backend, const npu_program_t* program) {
  static _Atomic uint64_t count; /* of this process: two threads never share a temporary name */
  char path[PATH_SIZE], temporary[PATH_SIZE], more[64];
  snprintf(more, sizeof more, ".%ld.%llu.tmp", (long)getpid(),
           (unsigned long long)atomic_fetch_add(&count, 1));
  if (!path_of(path, backend->cache_dir, program->key, "") ||
      !path_of(temporary, backend->cache_dir, program->key, more)) {
    return;
  }
  const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  bool stored = file >= 0 && write_all(file, (const char*)program, program->total_size);
  if (file >= 0) {
    stored = close(file) == 0 && stored && rename(temporary, path) == 0;
    if (!stored) unlink(temporary);
  }
  const armnn_host_t* host = backend->host;
  if (!stored && host != NULL && ARMNN_HAS_FN(host, armnn_host_t, log)) {
    static const char text[] = "a compiled part could not be kept in cache_dir";
    host->log(host->context, ARMNN_LOG_WARNING, (armnn_string_t){NPU_ID, sizeof NPU_ID - 1},
              (armnn_string_t){text, sizeof text - 1});
  }
}

uint32_t npu_cache_count(const char* folder) {
  DIR* directory = opendir(folder);
  if (directory == NULL) return 0;
  uint32_t count = 0;
  for (const struct dirent* entry; (entry = readdir(directory)) != NULL;) {
    const size_t digits = strspn(entry->d_name, "0123456789abcdef");
    count += digits == DIGITS && strcmp(entry->d_name + digits, ".npu") == 0;
  }
  closedir(directory);
  return count;
}
