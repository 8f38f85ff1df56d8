/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * process_state.c - what is the whole process's and what code that is loaded may have changed:
 * noted before, compared and put back afterwards.
 *
 * What a library adds for itself stays: handlers of signals that nobody handled, new variables of
 * the environment, higher limits.
 */
#define _GNU_SOURCE /* O_PATH, environ */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "core.h"
#include "kernel_state.h"

#define SIGNAL_COUNT 32 /* the classic ones */
#define FIRST_COPY 64   /* copies of the standard streams are not among descriptors people number */

static const int limits[] = {RLIMIT_NOFILE, RLIMIT_AS,  RLIMIT_DATA,    RLIMIT_STACK, RLIMIT_CORE,
                             RLIMIT_FSIZE,  RLIMIT_CPU, RLIMIT_MEMLOCK, RLIMIT_NPROC};
#define LIMIT_COUNT (sizeof limits / sizeof *limits)

static const struct {
  int timer, signal;
} timers[] = {{ITIMER_REAL, SIGALRM}, {ITIMER_VIRTUAL, SIGVTALRM}, {ITIMER_PROF, SIGPROF}};
#define TIMER_COUNT (sizeof timers / sizeof *timers)

struct armnn_process_state_t {
  uint64_t float_control;
  sigset_t mask;
  struct sigaction handlers[SIGNAL_COUNT];
  int folder;     /* descriptor, or -1 */
  long umask;     /* -1: not known */
  char* locale;   /* of the process; may be null */
  locale_t own;   /* of the thread */
  int streams[3]; /* copies of 0, 1, 2; -1 where there was none */
  int descriptor_flags[3], file_flags[3];
  char** environment; /* names and values, ended by null; may be null */
  struct rlimit limits[LIMIT_COUNT];
  struct itimerval timers[TIMER_COUNT];
  armnn_i_kernel_state_t kernel;
};

/* ---- Noting ---------------------------------------------------------------------------------- */

/* From "Umask:" of proc(5): the system call can only set it, for all threads. */
static long read_umask(void) {
  char text[1024];
  const int file = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return -1;
  text[size] = 0;
  const char* line = strstr(text, "\nUmask:");
  return line != NULL ? strtol(line + 7, NULL, 8) : -1;
}

/* One block: the pointers, and behind them the texts. */
static char** copy_environment(void) {
  size_t count = 0, size = 0;
  if (environ == NULL) return NULL;
  while (environ[count] != NULL) size += strlen(environ[count++]) + 1;
  char** copy = (char**)malloc((count + 1) * sizeof *copy + size);
  if (copy == NULL) return NULL;
  char* text = (char*)(copy + count + 1);
  for (size_t i = 0; i < count; ++i) {
    const size_t length = strlen(environ[i]) + 1;
    memcpy(text, environ[i], length);
    copy[i] = text;
    text += length;
  }
  copy[count] = NULL;
  return copy;
}

/* A process may be allowed no more descriptors than a few. */
static int copy_of(int stream) {
  const int copy = fcntl(stream, F_DUPFD_CLOEXEC, FIRST_COPY);
  return copy < 0 ? fcntl(stream, F_DUPFD_CLOEXEC, 3) : copy;
}

armnn_process_state_t* armnn_core_note_state(void) {
  armnn_process_state_t* state = (armnn_process_state_t*)calloc(1, sizeof *state);
  if (state == NULL) return NULL;
  state->float_control = armnn_i_float_control();
  pthread_sigmask(SIG_SETMASK, NULL, &state->mask);
  for (int number = 1; number < SIGNAL_COUNT; ++number) {
    sigaction(number, NULL, &state->handlers[number]);
  }
  state->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  state->umask = read_umask();
  const char* locale = setlocale(LC_ALL, NULL);
  state->locale = locale != NULL ? strdup(locale) : NULL;
  state->own = uselocale((locale_t)0);
  for (int i = 0; i < 3; ++i) {
    state->streams[i] = copy_of(i);
    state->descriptor_flags[i] = fcntl(i, F_GETFD);
    state->file_flags[i] = fcntl(i, F_GETFL);
  }
  state->environment = copy_environment();
  for (size_t i = 0; i < LIMIT_COUNT; ++i) getrlimit(limits[i], &state->limits[i]);
  for (size_t i = 0; i < TIMER_COUNT; ++i) getitimer(timers[i].timer, &state->timers[i]);
  armnn_i_note_kernel_state(&state->kernel);
  return state;
}

/* ---- Comparing and putting back -------------------------------------------------------------- */

static bool are_equal_masks(const sigset_t* a, const sigset_t* b) {
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(a, number) != sigismember(b, number)) return false;
  }
  return true;
}

static armnn_i_restored_t restore_mask(const armnn_process_state_t* state) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  if (are_equal_masks(&state->mask, &now)) return ARMNN_I_UNCHANGED;
  return armnn_i_restored_if(pthread_sigmask(SIG_SETMASK, &state->mask, NULL) == 0);
}

/* The flags say, among other things, whether a call that waits is begun again. */
static bool are_equal_actions(const struct sigaction* a, const struct sigaction* b) {
  const bool has_handler = a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
  return a->sa_handler == b->sa_handler && (!has_handler || a->sa_flags == b->sa_flags);
}

/* A signal that nobody handled may get a handler, but not be ignored. */
static armnn_i_restored_t restore_handlers(const armnn_process_state_t* state) {
  armnn_i_restored_t result = ARMNN_I_UNCHANGED;
  for (int number = 1; number < SIGNAL_COUNT; ++number) {
    const struct sigaction* before = &state->handlers[number];
    struct sigaction now;
    if (sigaction(number, NULL, &now) != 0 || are_equal_actions(before, &now)) continue;
    if (before->sa_handler == SIG_DFL && now.sa_handler != SIG_IGN) continue;
    armnn_i_add_restored(&result, sigaction(number, before, NULL) == 0);
  }
  return result;
}

static bool are_same_files(const struct stat* a, const struct stat* b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_rdev == b->st_rdev;
}

static armnn_i_restored_t restore_folder(const armnn_process_state_t* state) {
  struct stat before, now;
  if (state->folder < 0 || fstat(state->folder, &before) != 0) return ARMNN_I_UNCHANGED;
  if (stat(".", &now) == 0 && are_same_files(&before, &now)) return ARMNN_I_UNCHANGED;
  return armnn_i_restored_if(fchdir(state->folder) == 0);
}

static armnn_i_restored_t restore_umask(const armnn_process_state_t* state) {
  const long now = read_umask();
  if (state->umask < 0 || now < 0 || now == state->umask) return ARMNN_I_UNCHANGED;
  umask((mode_t)state->umask);
  return ARMNN_I_PUT_BACK;
}

static armnn_i_restored_t restore_locale(const armnn_process_state_t* state) {
  armnn_i_restored_t result = ARMNN_I_UNCHANGED;
  if (uselocale((locale_t)0) != state->own) {
    armnn_i_add_restored(&result, uselocale(state->own) != (locale_t)0);
  }
  const char* now = setlocale(LC_ALL, NULL);
  if (state->locale != NULL && now != NULL && strcmp(now, state->locale) != 0) {
    armnn_i_add_restored(&result, setlocale(LC_ALL, state->locale) != NULL);
  }
  return result;
}

static armnn_i_restored_t restore_streams(const armnn_process_state_t* state) {
  armnn_i_restored_t result = ARMNN_I_UNCHANGED;
  for (int i = 0; i < 3; ++i) {
    struct stat before, now;
    if (state->streams[i] < 0 || fstat(state->streams[i], &before) != 0) continue;
    const bool is_there = fstat(i, &now) == 0 && are_same_files(&before, &now);
    if (!is_there && dup2(state->streams[i], i) < 0) {
      armnn_i_add_restored(&result, false);
      continue;
    }
    if (!is_there || fcntl(i, F_GETFD) != state->descriptor_flags[i]) {
      armnn_i_add_restored(&result, fcntl(i, F_SETFD, state->descriptor_flags[i]) == 0);
    }
    /* They are the open file's, and so those of other programs that have it, too. */
    if (fcntl(i, F_GETFL) == state->file_flags[i]) continue;
    armnn_i_add_restored(&result, fcntl(i, F_SETFL, state->file_flags[i]) == 0);
  }
  return result;
}

/* Whether |entry| of |environment| is the first one of its name, which getenv finds. */
static bool is_first(char* const* environment, const char* entry, size_t name_size) {
  while (*environment != entry && strncmp(*environment, entry, name_size + 1) != 0) ++environment;
  return *environment == entry;
}

static void restore_variable(char* const* environment, const char* entry,
                             armnn_i_restored_t* result) {
  const char* mark = strchr(entry, '=');
  if (mark == NULL || mark == entry) return;
  char* name = strndup(entry, (size_t)(mark - entry));
  if (name == NULL) return;
  const char* now = getenv(name);
  if ((now == NULL || strcmp(now, mark + 1) != 0) &&
      is_first(environment, entry, (size_t)(mark - entry))) {
    armnn_i_add_restored(result, setenv(name, mark + 1, 1) == 0);
  }
  free(name);
}

static armnn_i_restored_t restore_environment(const armnn_process_state_t* state) {
  armnn_i_restored_t result = ARMNN_I_UNCHANGED;
  if (state->environment == NULL) return result;
  for (char** entry = state->environment; *entry != NULL; ++entry) {
    restore_variable(state->environment, *entry, &result);
  }
  return result;
}

static armnn_i_restored_t restore_limits(const armnn_process_state_t* state) {
  armnn_i_restored_t result = ARMNN_I_UNCHANGED;
  for (size_t i = 0; i < LIMIT_COUNT; ++i) {
    const struct rlimit* before = &state->limits[i];
    struct rlimit now;
    if (getrlimit(limits[i], &now) != 0) continue;
    if (now.rlim_cur >= before->rlim_cur && now.rlim_max >= before->rlim_max) continue;
    const bool is_put_back = setrlimit(limits[i], before) == 0;
    armnn_i_add_restored(&result, is_put_back);
    if (is_put_back) continue;
    now.rlim_cur = before->rlim_cur < now.rlim_max ? before->rlim_cur : now.rlim_max;
    setrlimit(limits[i], &now); /* who may not raise the hard limit */
  }
  return result;
}

static bool is_running(const struct itimerval* timer) { return timerisset(&timer->it_value); }

/* One that a library added may go on if it handles the signal, which else ends the process. */
static armnn_i_restored_t restore_timers(const armnn_process_state_t* state) {
  armnn_i_restored_t result = ARMNN_I_UNCHANGED;
  for (size_t i = 0; i < TIMER_COUNT; ++i) {
    const struct itimerval* before = &state->timers[i];
    struct itimerval now;
    struct sigaction action;
    if (getitimer(timers[i].timer, &now) != 0) continue;
    if (is_running(before)) {
      const bool repeats = timerisset(&before->it_interval);
      if (!is_running(&now) && !repeats) continue; /* it may have run out */
      if (is_running(&now) && !timercmp(&now.it_interval, &before->it_interval, !=) &&
          (repeats || !timercmp(&now.it_value, &before->it_value, >))) {
        continue;
      }
    } else {
      if (!is_running(&now) || sigaction(timers[i].signal, NULL, &action) != 0) continue;
      if (action.sa_handler != SIG_DFL) continue;
    }
    armnn_i_add_restored(&result, setitimer(timers[i].timer, before, NULL) == 0);
  }
  return result;
}

static armnn_i_restored_t restore_float(const armnn_process_state_t* state) {
  armnn_i_empty_x87();
  if (armnn_i_float_control() == state->float_control) return ARMNN_I_UNCHANGED;
  armnn_i_set_float_control(state->float_control);
  return ARMNN_I_PUT_BACK;
}

/* Where the state of the kernel is put back one part after the other. */
#define KERNEL_PART(function)                                                   \
  static armnn_i_restored_t function##_of(const armnn_process_state_t* state) { \
    return armnn_i_##function(&state->kernel);                                  \
  }
KERNEL_PART(restore_ids)
KERNEL_PART(restore_root)
KERNEL_PART(restore_scheduling)
KERNEL_PART(restore_signal_stack)
KERNEL_PART(restore_attributes)

uint32_t armnn_core_restore_state(armnn_process_state_t* state, uint32_t* out_kept) {
  static const struct {
    uint32_t bit;
    armnn_i_restored_t (*restore)(const armnn_process_state_t* state);
  } parts[] = {
      {ARMNN_STATE_IDS, restore_ids_of},    /* first: what needs rights */
      {ARMNN_STATE_LIMITS, restore_limits}, /* others open files */
      {ARMNN_STATE_ROOT, restore_root_of},
      {ARMNN_STATE_FLOAT_CONTROL, restore_float},
      {ARMNN_STATE_SIGNAL_MASK, restore_mask},
      {ARMNN_STATE_HANDLERS, restore_handlers},
      {ARMNN_STATE_SIGNAL_STACK, restore_signal_stack_of},
      {ARMNN_STATE_FOLDER, restore_folder},
      {ARMNN_STATE_UMASK, restore_umask},
      {ARMNN_STATE_LOCALE, restore_locale},
      {ARMNN_STATE_STREAMS, restore_streams},
      {ARMNN_STATE_ENVIRONMENT, restore_environment},
      {ARMNN_STATE_TIMERS, restore_timers},
      {ARMNN_STATE_SCHEDULING, restore_scheduling_of},
      {ARMNN_STATE_ATTRIBUTES, restore_attributes_of},
  };
  uint32_t changed = 0;
  *out_kept = 0;
  if (state == NULL) return 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    const armnn_i_restored_t result = parts[i].restore(state);
    if (result != ARMNN_I_UNCHANGED) changed |= parts[i].bit;
    if (result == ARMNN_I_KEPT) *out_kept |= parts[i].bit;
  }
  if (state->folder >= 0) close(state->folder);
  for (int i = 0; i < 3; ++i) {
    if (state->streams[i] >= 0) close(state->streams[i]);
  }
  armnn_i_drop_kernel_state(&state->kernel);
  free(state->locale);
  free(state->environment);
  free(state);
  return changed;
}
