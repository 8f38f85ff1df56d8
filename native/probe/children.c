/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * children.c - processes that the vendor's code has started: copies of this program, which no
 * backend may make, and other programs, which it may.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

/* A process that forks to start another program is a copy for a moment. */
#define MOMENTS 20

static bool runs_this_program(pid_t process) {
  char name[64], theirs[4096], ours[4096];
  snprintf(name, sizeof name, "/proc/%d/exe", (int)process);
  const ssize_t their_size = readlink(name, theirs, sizeof theirs);
  const ssize_t our_size = readlink("/proc/self/exe", ours, sizeof ours);
  return their_size > 0 && their_size == our_size && memcmp(theirs, ours, (size_t)our_size) == 0;
}

bool probe_is_copy(pid_t process) {
  const struct timespec moment = {0, 1000000};
  for (int i = 0; runs_this_program(process); ++i) {
    if (i == MOMENTS) return true;
    nanosleep(&moment, NULL);
  }
  return false;
}

size_t probe_list_children(pid_t* found, size_t capacity) {
  char name[64], text[4096];
  snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return 0;
  text[size] = '\0';
  size_t count = 0;
  char* at = text;
  while (count < capacity) {
    char* end = NULL;
    const long process = strtol(at, &end, 10);
    if (end == at) break;
    if (*end != '\0' && process > 0) found[count++] = (pid_t)process; /* else it was cut */
    at = end;
  }
  return count;
}

int probe_open_status(pid_t process) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/status", (int)process);
  return open(name, O_RDONLY | O_CLOEXEC);
}

static const char* find_field(const char* text, const char* name) {
  const char* field = strstr(text, name);
  return field == NULL ? "" : field + strlen(name);
}

probe_status_t probe_status(int file) {
  char text[4096];
  const ssize_t size = file < 0 ? 0 : pread(file, text, sizeof text - 1, 0);
  text[size > 0 ? size : 0] = '\0';
  /* A signal that was sent may wait until the process runs. */
  const unsigned long long pending = strtoull(find_field(text, "\nSigPnd:\t"), NULL, 16) |
                                     strtoull(find_field(text, "\nShdPnd:\t"), NULL, 16);
  const unsigned long long ending = (1ull << (SIGKILL - 1)) | (1ull << (SIGSTOP - 1));
  const char state = *find_field(text, "\nState:\t");
  return (probe_status_t){
      .is_ready = state == 'R',
      .is_stopped = state == 'T' || (pending & ending) != 0,
  };
}
