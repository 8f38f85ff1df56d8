/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * supervise.c - the parent: starts the child, keeps its last output, ends it at the time limit with
 * every process that it has started, and writes the report.
 */
#define _GNU_SOURCE /* pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

#define WORDS_SIZE 2048u           /* bytes of output that are kept: the last ones */
#define MOST_EXTENSIONS 3          /* of the time limit, for a process that did not get to run */
#define END_NS UINT64_C(500000000) /* without one that ends, when processes are ended */
#define MOST_END_NS UINT64_C(3000000000)
#define MOST_LOOKS 4 /* at copies that are left */

typedef struct words_t {
  char kept[2 * WORDS_SIZE];
  size_t size;
} words_t;

typedef struct watch_t {
  const probe_job_t* job;
  probe_shared_t* shared;
  pid_t child;
  int words_pipe;
  words_t words;
  bool is_over, timed_out;
  int status;
  unsigned copies, programs; /* processes that it left: forked ones, and other programs */
} watch_t;

/* Reads the available bytes, at most a few kilobytes; false at the end of the file. */
static bool read_words(watch_t* watch) {
  words_t* words = &watch->words;
  if (words->size > WORDS_SIZE) {
    const size_t surplus = words->size - WORDS_SIZE;
    memmove(words->kept, words->kept + surplus, WORDS_SIZE);
    words->size = WORDS_SIZE;
  }
  const ssize_t got =
      read(watch->words_pipe, words->kept + words->size, sizeof words->kept - words->size);
  if (got > 0) words->size += (size_t)got;
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/* ---- The processes that are left ----------------------------------------------------------- */

/* Whether some process has ended since it was asked last. */
static bool reap(watch_t* watch) {
  int status;
  pid_t ended;
  bool any = false;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    any = true;
    if (ended != watch->child) continue;
    watch->is_over = true;
    watch->status = status;
  }
  return any;
}

/* Of many that are left, those behind the first copies count as copies: a look takes milliseconds.
 */
static void count_left(watch_t* watch, const pid_t* found, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (found[i] == watch->child) continue;
    if (watch->copies >= MOST_LOOKS || probe_is_copy(found[i])) {
      ++watch->copies;
    } else {
      ++watch->programs;
    }
  }
}

/* Processes that start others come to light as those that started them end: there may be many
 * rounds. Gives up on what does not end, because a driver holds it or it forks faster than it ends.
 */
static void end_all(watch_t* watch) {
  const uint64_t last = probe_now_ns() + MOST_END_NS;
  uint64_t give_up = probe_now_ns() + END_NS;
  struct timespec pause = {0, 50000};
  (void)setpriority(PRIO_PROCESS, 0, -20); /* ahead of them, where that is allowed */
  for (bool is_counted = false;;) {
    const bool ended = reap(watch);
    pid_t found[256];
    const size_t most = sizeof found / sizeof found[0];
    const size_t count = probe_list_children(found, most);
    if (!is_counted) count_left(watch, found, count);
    const uint64_t now = probe_now_ns();
    if (ended || !is_counted) give_up = now + END_NS;
    is_counted = true;
    if ((watch->is_over && count == 0) || now > give_up || now > last) return;
    if (!watch->is_over) kill(watch->child, SIGKILL);
    kill(-watch->child, SIGKILL);
    for (size_t i = 0; i < count; ++i) kill(found[i], SIGKILL);
    if (count == most) continue; /* there are more */
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < 2000000) pause.tv_nsec *= 2;
  }
}

/* ---- The child ----------------------------------------------------------------------------- */

static _Noreturn void begin_child(const watch_t* watch, pid_t parent, int words_end,
                                  const sigset_t* mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setsid(); /* a process group of its own, and no terminal behind /dev/tty */
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0);
  dup2(words_end, 1);
  dup2(words_end, 2);
  if (nothing > 2) close(nothing);
  close(words_end);
  close(watch->words_pipe);
  close(watch->job->report); /* no vendor's code writes a report of its own */
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  /* If memory runs out, this process ends and not the program that wants to load the file. */
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    (void)!write(score, "1000", 4);
    close(score);
  }
  sigprocmask(SIG_SETMASK, mask, NULL);
  probe_run_stages(watch->job, watch->shared);
}

/* On a busy machine a process may not get to run: it is ready, and has had little time. */
static bool is_starved(const watch_t* watch) {
  clockid_t clock;
  struct timespec used;
  if (clock_getcpuclockid(watch->child, &clock) != 0 || clock_gettime(clock, &used) != 0) {
    return false;
  }
  const uint64_t used_ns = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
  if (used_ns > watch->job->limit_ns / 2) return false;
  const int file = probe_open_status(watch->child);
  const bool is_ready = probe_status(file).is_ready;
  if (file >= 0) close(file);
  return is_ready;
}

static void wait_for_child(watch_t* watch, int signals) {
  uint64_t deadline = probe_now_ns() + watch->job->limit_ns;
  int extensions = 0;
  struct pollfd files[] = {
      {.fd = signals, .events = POLLIN},
      {.fd = watch->job->report, .events = 0}, /* an error: nobody waits for the report */
      {.fd = watch->words_pipe, .events = POLLIN},
  };
  while (!watch->is_over) {
    const uint64_t now = probe_now_ns();
    if (now >= deadline && extensions < MOST_EXTENSIONS && is_starved(watch)) {
      ++extensions;
      deadline = now + watch->job->limit_ns;
    }
    if (now >= deadline) {
      watch->timed_out = true;
      return;
    }
    const uint64_t rest = (deadline - now + 999999u) / 1000000u;
    const int ready = poll(files, 3, rest > 1000000 ? 1000000 : (int)rest);
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) continue;
    if (files[1].revents != 0) return;
    if (files[2].revents != 0 && !read_words(watch)) files[2].fd = -1;
    if (files[0].revents != 0) {
      struct signalfd_siginfo info;
      (void)!read(signals, &info, sizeof info);
      reap(watch);
    }
  }
}

/* ---- The report ---------------------------------------------------------------------------- */

static void write_all(int file, const char* text, size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, text, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    size -= (size_t)written;
  }
}

static void write_report(const watch_t* watch) {
  static char text[PROBE_FACTS_SIZE + 4 * WORDS_SIZE + 4096];
  const probe_shared_t* shared = watch->shared;
  size_t used = 0;
#define ADD(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
  const uint32_t used_facts = atomic_load(&shared->facts_used);
  const size_t facts = used_facts < PROBE_FACTS_SIZE ? used_facts : PROBE_FACTS_SIZE;
  memcpy(text, shared->facts, facts);
  used = facts;
  if (used > 0 && text[used - 1] != '\n') text[used++] = '\n';
  ADD("stage %s\n", probe_stage_name(atomic_load(&shared->stage)));
  for (uint32_t i = 0; i < PROBE_STAGE_COUNT; ++i) {
    const uint64_t entered = atomic_load(&shared->entered_ns[i]);
    if (entered != 0) ADD("entered %s %" PRIu64 "\n", probe_stage_name(i), entered);
  }
  const struct {
    const char* word;
    uint32_t stage;
  } happenings[] = {
      {"forked", atomic_load(&shared->forked)},   {"children", atomic_load(&shared->children)},
      {"closed", atomic_load(&shared->closed)},   {"wild", atomic_load(&shared->wild)},
      {"refused", atomic_load(&shared->refused)},
  };
  for (size_t i = 0; i < sizeof happenings / sizeof happenings[0]; ++i) {
    if (happenings[i].stage == 0) continue;
    ADD("%s %s\n", happenings[i].word, probe_stage_name(happenings[i].stage));
  }
  if (watch->copies + watch->programs > 0) ADD("left %u %u\n", watch->copies, watch->programs);
  const bool is_done = atomic_load(&shared->done) == watch->job->nonce;
  if (watch->timed_out) {
    ADD("ended time %d\n", 0);
  } else if (WIFSIGNALED(watch->status)) {
    ADD("ended signal %d\n", WTERMSIG(watch->status));
  } else if (is_done && WEXITSTATUS(watch->status) == probe_exit_status(watch->job->nonce)) {
    ADD("ended done %d\n", 0);
  } else {
    ADD("ended exit %d\n", WEXITSTATUS(watch->status));
  }
  const words_t* words = &watch->words;
  const size_t kept = words->size < WORDS_SIZE ? words->size : WORDS_SIZE;
  if (kept > 0) {
    ADD("words ");
    for (size_t i = words->size - kept; i < words->size; ++i) {
      ADD("%02x", (unsigned char)words->kept[i]);
    }
    ADD("\n");
  }
  ADD("end %016" PRIx64 "\n", watch->job->nonce);
#undef ADD
  write_all(watch->job->report, text, used);
}

/* The file may still be inspected when this program is started: a byte says that it may be tried.
 */
static bool is_told_to_begin(void) {
  char byte;
  ssize_t got;
  do {
    got = read(STDIN_FILENO, &byte, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

int probe_supervise(const probe_job_t* job) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int ends[2];
  const int signals = signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK);
  probe_shared_t* shared = (probe_shared_t*)mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (signals < 0 || shared == MAP_FAILED || pipe2(ends, O_CLOEXEC) != 0) return 3;
  watch_t watch = {.job = job, .shared = shared, .words_pipe = ends[0]};
  if (!is_told_to_begin()) return 0;
  const pid_t self = getpid();
  watch.child = fork();
  if (watch.child < 0) return 3;
  if (watch.child == 0) {
    signal(SIGPIPE, SIG_DFL);
    close(signals);
    begin_child(&watch, self, ends[1], &before);
  }
  close(ends[1]);
  fcntl(watch.words_pipe, F_SETFL, O_NONBLOCK);
  wait_for_child(&watch, signals);
  end_all(&watch);
  /* What it wrote last is still in the pipe; 64 KiB at most, all writers are gone. */
  for (int i = 0; i < 64; ++i) {
    const size_t before_it = watch.words.size;
    if (!read_words(&watch) || watch.words.size == before_it) break;
  }
  write_report(&watch);
  return 0;
}
