/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * last_words.c - which call of which backend was under way when the process ends by a fatal signal
 * or by exit(), or, where none was, which backend's code was at work.
 *
 * So does a copy of the process that a call made and returned from: whatever the program does next
 * would be done twice.
 *
 * The handlers only look, write and hand on: the process then dies as it would have died, by the
 * handler that was there before or by the signal itself. A run needs nothing for it: its walk knows
 * the step, and the plan its label.
 */
#define _GNU_SOURCE /* on_exit */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

#define EXIT_FAILED 70 /* EX_SOFTWARE of sysexits.h */
#define STACK_SIZE (64u * 1024u)

static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
static const char* const names[] = {"SIGSEGV", "SIGBUS",  "SIGILL", "SIGFPE",
                                    "SIGABRT", "SIGTRAP", "SIGSYS"};
#define FATAL_COUNT (sizeof fatal / sizeof *fatal)

static struct sigaction before[FATAL_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_installed, is_telling, is_ending;
atomic_bool armnn_i_is_stray_copy;
static pid_t own_pid; /* or that of a copy which is a program of its own */
static pid_t first_pid;
static pthread_key_t stack_key;

/* Static storage of the thread, so that a handler may read it on any thread. */
static _Thread_local armnn_i_thread_t* noted __attribute__((tls_model("initial-exec")));

/* ---- Looking --------------------------------------------------------------------------------- */

/* What the calling thread is at, or null: a call that the host noted, or a step of a run. */
static const char* under_way(void) {
  const armnn_i_thread_t* thread = noted;
  if (thread == NULL) return NULL;
  if (thread->call_depth != 0) {
    const uint32_t last =
        thread->call_depth < ARMNN_NOTED_CALLS ? thread->call_depth : ARMNN_NOTED_CALLS;
    return thread->calls[last - 1];
  }
  const struct armnn_i_walk_t* walk = thread->walk;
  if (thread->is_worker && thread->in_body) walk = armnn_i_core.pool.walk;
  return walk == NULL ? NULL : armnn_i_walk_label(walk);
}

/* One write, so that what several threads say does not mix. */
typedef struct line_t {
  char text[1536];
  size_t size;
} line_t;

static void put(line_t* line, const char* text) {
  while (*text != 0 && line->size < sizeof line->text) line->text[line->size++] = *text++;
}

/* What a backend says, which must not disturb a terminal. */
static void put_printable(line_t* line, const char* text) {
  for (size_t i = 0; i < 256 && text[i] != 0; ++i) {
    const char one[2] = {(unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i], 0};
    put(line, one);
  }
}

static void put_number(line_t* line, int number) {
  char text[16];
  size_t at = sizeof text - 1;
  text[at] = 0;
  unsigned rest = number < 0 ? 0u - (unsigned)number : (unsigned)number;
  do {
    text[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (number < 0) text[--at] = '-';
  put(line, text + at);
}

static void put_call(line_t* line, const char* function, int argument) {
  put(line, "armnn_py: ");
  put(line, function);
  put(line, "(");
  put_number(line, argument);
  put(line, ") in ");
}

static void say(const line_t* line) {
  for (size_t done = 0; done < line->size;) {
    const ssize_t written = write(STDERR_FILENO, line->text + done, line->size - done);
    if (written <= 0) return;
    done += (size_t)written;
  }
}

static const char no_call[] =
    ", which the program did not call: in a thread of its own, or at the end of the program";

/* ---- Signals --------------------------------------------------------------------------------- */

/* The file whose code a signal met while no call was under way, or null. Threads of the program
 * have on their stacks what is left of earlier calls: only where they cannot be meant, callers are
 * looked at. */
static const char* file_at_work(const void* context) {
  const bool is_own = noted != NULL && !noted->is_worker;
  return armnn_i_file_at_work(context, !is_own || atomic_load(&is_ending));
}

static void tell_signal(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  size_t index = 0;
  while (index < FATAL_COUNT && fatal[index] != number) ++index;
  const char* words = under_way();
  const char* file = words != NULL ? NULL : file_at_work(context);
  if ((words != NULL || file != NULL) && index < FATAL_COUNT) {
    if (atomic_exchange(&is_telling, true)) {
      /* Another thread of the same backend was first, and ends the process. */
      const struct timespec second = {1, 0};
      nanosleep(&second, NULL);
    } else {
      line_t line = {.size = 0};
      put(&line, "armnn_py: ");
      put(&line, names[index]);
      put(&line, words != NULL ? " in " : " in code of ");
      put(&line, words != NULL ? words : file);
      if (words == NULL) put(&line, no_call);
      put(&line,
          "\nhint: 'armnn-py backends test FILE' shows what a backend does wrong, and gdb where\n");
      say(&line);
    }
  }
  if (index < FATAL_COUNT) sigaction(number, &before[index], NULL);
  errno = saved;
  /* A fault happens again where it was; a signal that was sent has to be sent again, and so has one
   * after which the code would go on behind the instruction. */
  const bool goes_on = number == SIGTRAP || number == SIGSYS;
  if (info == NULL || info->si_code <= 0 || goes_on) raise(number);
}

/* ---- exit ------------------------------------------------------------------------------------ */

static int status_of_program; /* with which exit() was called first */

_Noreturn static void end(line_t* line, int status) {
  put(line, "\n");
  say(line);
  if (status == 0) status = status_of_program;
  _exit(status != 0 ? status : EXIT_FAILED);
}

/* Returns if the process ends for a reason of its own, or is a copy of this one. */
static void tell_ending(const char* function, int status) {
  const char* words = under_way();
  if (words == NULL || getpid() != own_pid) return;
  line_t line = {.size = 0};
  put_call(&line, function, status);
  put(&line, words);
  end(&line, status);
}

static void put_code(line_t* line, const void* caller) {
  const char* file = armnn_i_file_of_code((uintptr_t)caller);
  put(line, "code of ");
  put(line, file != NULL ? file : "a backend");
  put(line, no_call);
}

/* The same of a function that a backend's file has called, at |caller|, when no call was under way.
 * Of what is a tail call the caller is not known. */
static void tell_ending_by(const char* function, int status, const void* caller) {
  if (!atomic_load(&is_installed) || getpid() != own_pid) return;
  line_t line = {.size = 0};
  put_call(&line, function, status);
  put_code(&line, caller);
  end(&line, status);
}

static void tell_exit(int status, void* argument) {
  (void)argument;
  tell_ending("exit", status);
  status_of_program = status;
}

void armnn_i_tell_exit(int status) {
  if (under_way() == NULL) tell_ending_by("exit", status, __builtin_return_address(0));
  exit(status);
}

void armnn_i_tell_immediate_exit(int status) {
  tell_ending("_exit", status);
  tell_ending_by("_exit", status, __builtin_return_address(0));
  _exit(status);
}

void armnn_i_tell_quick_exit(int status) {
  tell_ending("quick_exit", status);
  tell_ending_by("quick_exit", status, __builtin_return_address(0));
  quick_exit(status);
}

void armnn_i_tell_system_exit(int status, const void* caller) {
  tell_ending("exit_group", status);
  tell_ending_by("exit_group", status, caller);
}

/* Not in a copy of the program, which it is made for. Who made one that is a program of its own, a
 * library of a backend or the program, is not known: there only a call says that it is not for it.
 */
void armnn_i_tell_exec(const char* path, const void* caller) {
  if (!atomic_load(&is_installed)) return;
  const char* words = under_way();
  const pid_t process = getpid();
  if (process != own_pid || (words == NULL && process != first_pid)) return;
  line_t line = {.size = 0};
  put(&line, "armnn_py: exec of ");
  put_printable(&line, path != NULL ? path : "nothing");
  put(&line, " in ");
  if (words != NULL) {
    put(&line, words);
  } else {
    put_code(&line, caller);
  }
  end(&line, 0);
}

void armnn_core_note_ending(void) { atomic_store(&is_ending, true); }

/* ---- Copies of the process ------------------------------------------------------------------- */

static const char* stray_call;
static _Thread_local bool is_forked_by_backend __attribute__((tls_model("initial-exec")));

/* In a new copy: whether it was made in a call of a backend, which must not return here. Any other
 * is a program of its own, but for what a backend makes on a thread of its own. */
static void look_at_copy(void) {
  stray_call = under_way();
  if (stray_call == NULL && !is_forked_by_backend) own_pid = getpid();
  atomic_store(&armnn_i_is_stray_copy, stray_call != NULL);
}

int armnn_i_fork_for_backend(void) {
  is_forked_by_backend = true;
  const pid_t process = fork();
  is_forked_by_backend = false;
  return process;
}

void armnn_i_end_stray_copy(void) {
  line_t line = {.size = 0};
  put(&line, "armnn_py: fork() in ");
  put(&line, stray_call);
  put(&line,
      "\nhint: the backend does not end the copy of the program that it made; it ends here\n");
  say(&line);
  _exit(EXIT_FAILED);
}

/* ---- Stacks of handlers ---------------------------------------------------------------------- */

static void drop_stack(void* memory) {
  const stack_t none = {.ss_flags = SS_DISABLE};
  stack_t now;
  if (sigaltstack(NULL, &now) == 0 && now.ss_sp == memory) sigaltstack(&none, NULL);
  munmap(memory, STACK_SIZE);
}

/* An overflow of the stack leaves no room for a handler: it gets memory of its own. */
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

void armnn_i_note_thread(armnn_i_thread_t* thread) {
  if (noted != NULL || !atomic_load_explicit(&is_installed, memory_order_acquire)) return;
  noted = thread;
  give_stack();
}

/* ---- What the host calls --------------------------------------------------------------------- */

static void install(void) {
  own_pid = first_pid = getpid();
  if (pthread_key_create(&stack_key, drop_stack) != 0) return;
  atomic_store_explicit(&is_installed, true, memory_order_release);
  struct sigaction action = {.sa_sigaction = tell_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < FATAL_COUNT; ++i) sigaction(fatal[i], &action, &before[i]);
  on_exit(tell_exit, NULL);
  pthread_atfork(NULL, NULL, look_at_copy);
}

void armnn_core_install_last_words(void) { pthread_once(&once, install); }

void armnn_core_enter_call(const char* words) {
  armnn_i_thread_t* thread = armnn_i_thread();
  armnn_i_note_thread(thread);
  if (thread->call_depth < ARMNN_NOTED_CALLS) {
    thread->calls[thread->call_depth] = words;
    thread->float_controls[thread->call_depth] = armnn_i_float_control();
  }
  ++thread->call_depth;
}

void armnn_core_leave_call(int32_t keeps_float_control) {
  armnn_i_thread_t* thread = armnn_i_thread();
  if (thread->call_depth == 0) return;
  armnn_i_end_if_stray_copy();
  const uint32_t index = --thread->call_depth;
  armnn_i_empty_x87();
  if (keeps_float_control || index >= ARMNN_NOTED_CALLS) return;
  if (armnn_i_float_control() != thread->float_controls[index]) {
    armnn_i_restore_float_control(thread->float_controls[index], thread->calls[index]);
  }
}

void armnn_i_enter_step(armnn_i_step_call_t* call, const armnn_plan_t* plan, uint32_t number,
                        const char* function) {
  const char* label = plan->labels == NULL ? NULL : plan->labels[number];
  call->is_noted = label != NULL;
  if (!call->is_noted) return;
  const char* rest = strchr(label, ' '); /* behind "execute" */
  snprintf(call->words, sizeof call->words, "%s%s", function, rest != NULL ? rest : "");
  armnn_core_enter_call(call->words);
}

void armnn_i_leave_step(const armnn_i_step_call_t* call) {
  if (call->is_noted) armnn_core_leave_call(0);
}

void armnn_plan_set_labels(armnn_plan_t* plan, const char* const* labels) { plan->labels = labels; }
