/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * checks.c - questions about addresses that may be wrong, and what a stage did to the process.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "armnn/runtime.h"
#include "base/float_control.h"
#include "probe.h"

#define GUARDS 16 /* descriptors that no code but ours may close */

bool probe_is_readable(const void* address, uint64_t size) {
  return armnn_core_is_readable(address, size) != 0;
}

bool probe_is_code(uintptr_t address) { return armnn_core_is_code((const void*)address) != 0; }

/* ---- Changes of the process ------------------------------------------------------------------ */

enum { ROUNDING, LOCALE, FOLDER, SIGNAL_MASK, STREAMS, STATE_COUNT };
static const char* const state_words[] = {"rounding", "locale", "folder", "mask", "streams"};

typedef struct state_t {
  uint64_t parts[STATE_COUNT];
} state_t;

static uint64_t sum_of_text(const char* text) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  while (*text != 0) sum = (sum ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
  return sum;
}

static state_t read_state(void) {
  state_t state = {{0}};
  struct stat folder;
  sigset_t mask;
  const char* locale = setlocale(LC_ALL, NULL);
  state.parts[ROUNDING] = armnn_i_float_control();
  state.parts[LOCALE] = locale != NULL ? sum_of_text(locale) : 0;
  if (stat(".", &folder) == 0) state.parts[FOLDER] = folder.st_ino ^ (uint64_t)folder.st_dev << 48;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  for (int number = 1; number < 64; ++number) {
    if (sigismember(&mask, number) == 1) state.parts[SIGNAL_MASK] |= UINT64_C(1) << number;
  }
  for (int file = 0; file < 3; ++file) {
    state.parts[STREAMS] = state.parts[STREAMS] << 20 ^ (uint64_t)(fcntl(file, F_GETFL) & 0xfffff);
  }
  return state;
}

/* Reports each part once, with the stage that changed it. */
static void report_changes(uint32_t stage, state_t* before) {
  const state_t now = read_state();
  for (int part = 0; part < STATE_COUNT; ++part) {
    if (now.parts[part] == before->parts[part]) continue;
    probe_fact_line("changed %s %s", state_words[part], probe_stage_name(stage));
    before->parts[part] = now.parts[part];
  }
}

/* ---- One stage after the other ------------------------------------------------------------- */

static struct {
  probe_shared_t* shared;
  int stages;
  pid_t self, parent;
  int parent_status; /* descriptor */
  int guards[GUARDS];
  struct {
    dev_t device;
    ino_t inode;
  } known[GUARDS];
  size_t guard_count;
  state_t state;
} watched;

static void guard(int file) {
  struct stat status;
  if (file < 0 || watched.guard_count == GUARDS || fstat(file, &status) != 0) return;
  watched.guards[watched.guard_count] = file;
  watched.known[watched.guard_count].device = status.st_dev;
  watched.known[watched.guard_count].inode = status.st_ino;
  ++watched.guard_count;
}

void probe_watch_begin(const probe_job_t* job, probe_shared_t* shared) {
  watched.shared = shared;
  watched.state = read_state();
  watched.stages = job->stages;
  watched.self = getpid();
  watched.parent = getppid();
  watched.parent_status = probe_open_status(watched.parent);
  for (int file = 0; file < 3; ++file) guard(file);
  guard(job->stages);
  guard(job->file);
  for (int i = 0; i < 4; ++i) guard(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

static void note(_Atomic uint32_t* happening, uint32_t stage) {
  uint32_t none = 0;
  atomic_compare_exchange_strong(happening, &none, stage);
}

static void look_at_children(uint32_t stage) {
  pid_t found[64];
  const size_t count = probe_list_children(found, sizeof found / sizeof found[0]);
  for (size_t i = 0; i < count; ++i) {
    if (!probe_is_copy(found[i])) continue;
    note(&watched.shared->children, stage);
    return; /* each look takes milliseconds, and one copy is too many */
  }
}

static void look_back(uint32_t stage) {
  probe_shared_t* shared = watched.shared;
  if (getpid() != watched.self) {
    note(&shared->forked, stage);
    _exit(0);
  }
  report_changes(stage, &watched.state);
  siginfo_t info;
  if (atomic_load(&shared->children) == 0 &&
      waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
    look_at_children(stage);
  }
  for (size_t i = 0; i < watched.guard_count; ++i) {
    struct stat status;
    if (fstat(watched.guards[i], &status) != 0 || status.st_dev != watched.known[i].device ||
        status.st_ino != watched.known[i].inode) {
      note(&shared->closed, stage);
    }
  }
}

void probe_enter(probe_stage_t stage) {
  probe_shared_t* shared = watched.shared;
  const uint32_t last = atomic_load(&shared->stage);
  if (last != PROBE_STAGE_start) look_back(last);
  /* It was ended or stopped, by whom if not by the last stage. */
  if (getppid() != watched.parent || probe_status(watched.parent_status).is_stopped) _exit(1);
  if ((uint32_t)stage <= last && last != PROBE_STAGE_start) _exit(1); /* a jump into the past */
  atomic_store(&shared->stage, (uint32_t)stage);
  atomic_store(&shared->entered_ns[stage], probe_now_ns());
  /* Also down the pipe: its reader knows the stage if our parent is ended with us. */
  char line[64];
  const int size = snprintf(line, sizeof line, "stage %s\n", probe_stage_name(stage));
  (void)!write(watched.stages, line, (size_t)size);
}

void probe_note_wild(const char* what) {
  note(&watched.shared->wild, atomic_load(&watched.shared->stage));
  probe_fact("answer", what, strlen(what));
}

void probe_note_refused(const char* why) {
  note(&watched.shared->refused, atomic_load(&watched.shared->stage));
  probe_fact("reason", why, strlen(why));
}
