/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * main.c - runs the cases of the conformance kit on a machine without Python:
 *
 *   run_cases CASES BACKEND.so RESULTS [--device N] [--timeout SECONDS]
 *
 * `armnn-py backends export-cases` writes CASES, `armnn-py backends report` judges RESULTS. Here
 * nothing is compared. Each batch of cases has a process of its own: the next one goes on behind
 * the case that ended it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "board.h"

ARMNN_STATIC_ASSERT(sizeof(void*) == 8, "the files have pointers of 64 bits");
ARMNN_STATIC_ASSERT(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the files are little-endian");

progress_t* progress;

static const case_file_t* cases_of;
static const char* backend_path;
static uint32_t device;
static double timeout = 10.0;
static int results = -1;

_Noreturn void fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("run_cases: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(2);
}

uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void begin(const char* step) {
  strncpy(progress->step, step, sizeof progress->step - 1);
  ++progress->steps;
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* Maps the file for this process alone, and makes pointers of its offsets. */
static void read_cases(const char* path) {
  struct stat about;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &about) != 0) fail("cannot read '%s': %s", path, strerror(errno));
  const uint64_t size = (uint64_t)about.st_size;
  if (size < sizeof(case_file_t)) fail("'%s' was not written by export-cases", path);
  char* const base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  if (base == MAP_FAILED) fail("cannot map '%s': %s", path, strerror(errno));
  close(file);
  case_file_t* const head = (case_file_t*)base;
  if (head->magic != CASE_MAGIC) fail("'%s' was not written by export-cases", path);
  if (head->case_size != sizeof(case_t)) fail("'%s' was written with other headers", path);
  const uint64_t first = (uint64_t)(uintptr_t)head->pointers;
  if (first % 8 != 0 || first > size || head->pointer_count > (size - first) / 8) {
    fail("'%s' is cut", path);
  }
  const uint64_t* const pointers = (const uint64_t*)(base + first);
  for (uint64_t i = 0; i < head->pointer_count; ++i) {
    if (pointers[i] > size - 8) fail("'%s' is damaged", path);
    char** const place = (char**)(base + pointers[i]);
    *place = base + (uintptr_t)*place;
  }
  cases_of = head;
}

void put(record_t record, const struct iovec* parts, int count) {
  struct iovec all[1 + 64];
  all[0] = (struct iovec){&record, sizeof record};
  record.place = progress->place;
  for (int i = 0; i < count; ++i) {
    all[i + 1] = parts[i];
    record.size += parts[i].iov_len;
  }
  size_t left = sizeof record + record.size;
  struct iovec* at = all;
  while (left > 0) {
    ssize_t written = writev(results, at, count + 1 - (int)(at - all));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("cannot write results: %s", strerror(errno));
    left -= (size_t)written;
    while (written > 0 && (size_t)written >= at->iov_len) written -= (ssize_t)(at++)->iov_len;
    if (written > 0) {
      at->iov_base = (char*)at->iov_base + written;
      at->iov_len -= (size_t)written;
    }
  }
}

void put_text(record_kind_t kind, int32_t status, uint64_t run, const char* text) {
  const struct iovec part = {(void*)(uintptr_t)text, strlen(text)};
  const record_t record = {.kind = kind, .status = status, .number = progress->number, .run = run};
  put(record, &part, 1);
}

/* ---- Processes ------------------------------------------------------------------------------ */

/* Kills a process that does not get on, and notes the end of one that ended too soon; true: it came
 * to its end. */
static bool wait_for(pid_t process) {
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  uint64_t steps = progress->steps, since = now_ns();
  int status = 0;
  bool is_late = false;
  while (waitpid(process, &status, WNOHANG) == 0) {
    const struct timespec while_waiting = {0, 100000000};
    sigtimedwait(&ended, NULL, &while_waiting);
    if (steps != progress->steps) steps = progress->steps, since = now_ns();
    if (!is_late && (double)(now_ns() - since) > timeout * 1e9) {
      is_late = true;
      kill(process, SIGKILL);
    }
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) exit(2);      /* it has said why */
  if (WIFEXITED(status) && WEXITSTATUS(status) == 3) return false; /* it has noted it */
  put_text(RECORD_ENDED, is_late ? -1 : status, progress->run, progress->step);
  return false;
}

typedef void (*work_t)(const subject_t* subject, uint64_t begin, uint64_t end);

/* Does work on cases [begin, end) in processes, each going on behind the case that ended the one
 * before. Gives false where the backend cannot be opened. */
static bool in_processes(work_t work, uint64_t begin_at, uint64_t end) {
  while (begin_at < end) {
    progress->number = NO_CASE;
    progress->place = 0;
    const pid_t process = fork();
    if (process < 0) fail("cannot fork: %s", strerror(errno));
    if (process == 0) {
      subject_t subject = open_backend(backend_path, device);
      work(&subject, begin_at, end);
      close_backend(&subject);
      _exit(0);
    }
    if (wait_for(process)) return true;
    if (progress->number == NO_CASE) return strcmp(progress->step, "destroy") == 0;
    /* Alone, unless it was: then it is known. */
    begin_at = progress->number + (progress->place == 0 ? 1 : 0);
  }
  return true;
}

static unsigned char* taken; /* by case; shared */

static void ask_all(const subject_t* subject, uint64_t first, uint64_t end) {
  for (uint64_t i = first; i < end; ++i) {
    progress->number = i;
    for (uint64_t time = 0; time < 2; ++time) {
      taken[i] = ask(subject, &cases_of->cases[i], time) == ARMNN_STATUS_OK;
    }
  }
}

static void run_all(const subject_t* subject, uint64_t first, uint64_t end) {
  progress->place = 0;
  for (uint64_t i = first; i < end; ++i) {
    if (!taken[i]) continue;
    progress->number = i;
    run_case(subject, &cases_of->cases[i]);
    ++progress->place;
  }
}

static void* shared(size_t size) {
  void* const made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) fail("no memory");
  return made;
}

static void read_options(int count, char** arguments) {
  for (int i = 4; i + 1 < count; i += 2) {
    char* end = NULL;
    if (strcmp(arguments[i], "--device") == 0) {
      device = (uint32_t)strtoul(arguments[i + 1], &end, 10);
    } else if (strcmp(arguments[i], "--timeout") == 0) {
      timeout = strtod(arguments[i + 1], &end);
    }
    if (end == NULL || *end != '\0') fail("'%s %s' makes no sense", arguments[i], arguments[i + 1]);
  }
}

int main(int count, char** arguments) {
  if (count < 4 || count % 2 != 0) {
    fail("run_cases CASES BACKEND.so RESULTS [--device N] [--timeout SECONDS]");
  }
  read_options(count, arguments);
  backend_path = realpath(arguments[2], NULL);
  if (backend_path == NULL) fail("cannot read '%s': %s", arguments[2], strerror(errno));
  read_cases(arguments[1]);
  results = open(arguments[3], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (results < 0) fail("cannot write '%s': %s", arguments[3], strerror(errno));
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, NULL);
  const uint64_t case_count = cases_of->case_count;
  progress = shared(sizeof *progress);
  taken = shared(case_count + 1);
  progress->number = NO_CASE;
  const uint64_t magic = RESULT_MAGIC;
  if (write(results, &magic, sizeof magic) != sizeof magic) fail("cannot write results");
  const armnn_string_t note = cases_of->note;
  const struct iovec part = {(void*)(uintptr_t)note.data, (size_t)note.size};
  put((record_t){.kind = RECORD_NOTE, .number = NO_CASE}, &part, 1);
  bool is_open = in_processes(ask_all, 0, case_count);
  uint64_t tried = 0, end = 0;
  for (uint64_t first = 0; is_open && first < case_count; first = end) {
    bool any = false;
    for (end = first;
         end < case_count && cases_of->cases[end].batch == cases_of->cases[first].batch; ++end) {
      any = any || taken[end];
      tried += taken[end];
    }
    if (any) in_processes(run_all, first, end);
  }
  progress->number = NO_CASE;
  put_text(RECORD_COMPLETE, 0, 0, "");
  printf("%s: %llu cases asked, %llu run\n", arguments[3], (unsigned long long)case_count,
         (unsigned long long)tried);
  return is_open ? 0 : 1;
}
