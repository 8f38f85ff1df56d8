/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fatal_signal.c - one line on standard error when a fatal signal arrives in a call of a backend:
 * the call, its layer, the backend and its file.
 *
 * The handler looks, writes, and restores the handler that was installed before it (faulthandler,
 * the program's own, the default), which then gets the signal. A run costs nothing: its walk knows
 * the step, and the plan the label of the step.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

#define STACK_SIZE (64u * 1024u)

static const struct {
  int number;
  const char* name;
} fatal[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"},
             {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"}};
#define FATAL_COUNT (sizeof fatal / sizeof *fatal)

static struct sigaction before[FATAL_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_installed, is_telling;
static pthread_key_t stack_key;

/* Static storage of the thread: its first use in a handler must not allocate. */
static _Thread_local armnn_i_thread_t* noted __attribute__((tls_model("initial-exec")));

/* ---- The handler ----------------------------------------------------------------------------- */

/* The label of the call that the calling thread is in, or works for, or null. */
static const char* label_of_call(void) {
  const armnn_i_thread_t* thread = noted;
  if (thread == NULL) return NULL;
  const bool helps = thread->call_depth == 0 && thread->is_worker && thread->in_body;
  if (helps) thread = armnn_i_core.pool.caller;
  const uint32_t depth = thread->call_depth;
  if (depth == 0) return thread->walk == NULL ? NULL : armnn_i_walk_label(thread->walk);
  return thread->calls[(depth < ARMNN_NOTED_CALLS ? depth : ARMNN_NOTED_CALLS) - 1];
}

/* The address of a fault; nothing for a signal that was sent. */
static char* put_address(char* end, const siginfo_t* info) {
  if (info->si_code <= 0 || (info->si_signo != SIGSEGV && info->si_signo != SIGBUS)) return end;
  const uint64_t address = (uintptr_t)info->si_addr;
  end = stpcpy(end, " at 0x");
  for (int shift = 60; shift >= 0; shift -= 4) *end++ = "0123456789abcdef"[address >> shift & 15];
  return end;
}

/* One write, so that lines of several threads do not mix. */
static void write_line(const siginfo_t* info, const char* name, const char* label) {
  static const char hint[] =
      "\nhint: 'armnn-py backends test FILE' shows what a backend does wrong, and gdb where\n";
  static char line[1536]; /* the first thread only: |is_telling| */
  char* end = stpcpy(put_address(stpcpy(stpcpy(line, "armnn_py: "), name), info), " in ");
  const size_t size = strnlen(label, sizeof line - sizeof hint - (size_t)(end - line));
  memcpy(end, label, size);
  end = stpcpy(end + size, hint);
  if (write(STDERR_FILENO, line, (size_t)(end - line)) < 0) return;
}

static void tell_signal(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  (void)context;
  size_t index = 0;
  while (index + 1 < FATAL_COUNT && fatal[index].number != number) ++index;
  const char* label = label_of_call();
  if (label != NULL && atomic_exchange(&is_telling, true)) {
    const struct timespec second = {1, 0}; /* another thread was first, and ends the process */
    nanosleep(&second, NULL);
  } else if (label != NULL) {
    write_line(info, fatal[index].name, label);
  }
  sigaction(number, &before[index], NULL);
  errno = saved;
  /* A fault happens again at its instruction. A signal that was sent has to be sent again, and so
   * has one after which the code would go on behind the instruction. */
  if (info->si_code <= 0 || number == SIGTRAP || number == SIGSYS) raise(number);
}

/* ---- The stack of the handler ---------------------------------------------------------------- */

static void drop_stack(void* memory) {
  const stack_t none = {.ss_flags = SS_DISABLE};
  stack_t now;
  if (sigaltstack(NULL, &now) == 0 && now.ss_sp == memory) sigaltstack(&none, NULL);
  munmap(memory, STACK_SIZE);
}

/* A stack that overflowed has no room for a handler. */
static void give_stack(void) {
  stack_t now;
  if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
  void* memory = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  const stack_t own = {.ss_sp = memory, .ss_size = STACK_SIZE};
  if (sigaltstack(&own, NULL) != 0 || pthread_setspecific(stack_key, memory) != 0) {
    drop_stack(memory);
  }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

void armnn_i_note_thread(armnn_i_thread_t* thread) {
  if (noted != NULL || !atomic_load_explicit(&is_installed, memory_order_acquire)) return;
  noted = thread;
  give_stack();
}

static void install(void) {
  if (pthread_key_create(&stack_key, drop_stack) != 0) return;
  atomic_store_explicit(&is_installed, true, memory_order_release);
  struct sigaction action = {.sa_sigaction = tell_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < FATAL_COUNT; ++i) sigaction(fatal[i].number, &action, &before[i]);
}

void armnn_core_tell_fatal_signals(void) { pthread_once(&once, install); }

void armnn_core_enter_call(const char* label) {
  armnn_i_thread_t* thread = armnn_i_thread();
  armnn_i_note_thread(thread);
  if (thread->call_depth < ARMNN_NOTED_CALLS) {
    thread->calls[thread->call_depth] = label;
    thread->float_controls[thread->call_depth] = armnn_i_float_control();
  }
  ++thread->call_depth;
}

void armnn_core_leave_call(int32_t keeps_float_control) {
  armnn_i_thread_t* thread = armnn_i_thread();
  if (thread->call_depth == 0) return;
  const uint32_t index = --thread->call_depth;
  armnn_i_empty_x87();
  if (keeps_float_control || index >= ARMNN_NOTED_CALLS) return;
  if (armnn_i_float_control() != thread->float_controls[index]) {
    armnn_i_restore_float_control(thread->float_controls[index], thread->calls[index]);
  }
}
