/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * redirect_exec.c - where a backend's own calls of exec and syscall go (redirect_exit.c): in the
 * program itself they would put another one in its place, or end it, without a word. In a copy that
 * fork or vfork made they do what they did. Its calls of fork go to the program's C library, which
 * knows the program's handlers of it.
 *
 * The file may have a C library of its own: there it looks for errno, and there are its environment
 * variables.
 *
 * Nothing here allocates: a copy made by vfork shares the memory of the program.
 */
#define _GNU_SOURCE /* execvpe */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"

#define CALLER __builtin_return_address(0)

/* ---- Arguments in a list --------------------------------------------------------------------- */

static size_t count_arguments(va_list list) {
  size_t count = 0;
  while (va_arg(list, char*) != NULL) ++count;
  return count;
}

static void take_arguments(char** arguments, const char* first, size_t count, va_list list) {
  arguments[0] = (char*)(uintptr_t)first;
  for (size_t i = 1; i <= count + 1; ++i) arguments[i] = va_arg(list, char*); /* and the null */
}

/* Declares |arguments| and, behind them in the list, whatever |rest| takes. */
#define TAKE_ARGUMENTS(first, rest)                                                   \
  va_list list;                                                                       \
  va_start(list, first);                                                              \
  const size_t count = count_arguments(list);                                         \
  va_end(list);                                                                       \
  char** const arguments = (char**)__builtin_alloca((count + 2) * sizeof *arguments); \
  va_start(list, first);                                                              \
  take_arguments(arguments, first, count, list);                                      \
  rest;                                                                               \
  va_end(list)

/* ---- The C library of the file --------------------------------------------------------------- */

static char** variables_of(const void* caller) {
  const armnn_i_c_library_t* library = armnn_i_c_library_of_code(caller);
  return library != NULL ? *library->variables : environ;
}

/* |result|, which is -1 for a call that failed. */
static long pass_on(long result, const void* caller) {
  const int number = errno;
  const armnn_i_c_library_t* library = result == -1 ? armnn_i_c_library_of_code(caller) : NULL;
  if (library != NULL) *library->place_of_errno() = number;
  return result;
}

/* ---- What is called instead ------------------------------------------------------------------ */

static int call_execl(const char* path, const char* first, ...) {
  armnn_i_tell_exec(path, CALLER);
  TAKE_ARGUMENTS(first, (void)0);
  return (int)pass_on(execve(path, arguments, variables_of(CALLER)), CALLER);
}

static int call_execlp(const char* file, const char* first, ...) {
  armnn_i_tell_exec(file, CALLER);
  TAKE_ARGUMENTS(first, (void)0);
  return (int)pass_on(execvpe(file, arguments, variables_of(CALLER)), CALLER);
}

static int call_execle(const char* path, const char* first, ...) {
  armnn_i_tell_exec(path, CALLER);
  TAKE_ARGUMENTS(first, char** const variables = va_arg(list, char**));
  return (int)pass_on(execve(path, arguments, variables), CALLER);
}

static int call_execv(const char* path, char* const* arguments) {
  armnn_i_tell_exec(path, CALLER);
  return (int)pass_on(execve(path, arguments, variables_of(CALLER)), CALLER);
}

static int call_execvp(const char* file, char* const* arguments) {
  armnn_i_tell_exec(file, CALLER);
  return (int)pass_on(execvpe(file, arguments, variables_of(CALLER)), CALLER);
}

static int call_execve(const char* path, char* const* arguments, char* const* variables) {
  armnn_i_tell_exec(path, CALLER);
  return (int)pass_on(execve(path, arguments, variables), CALLER);
}

static int call_execvpe(const char* file, char* const* arguments, char* const* variables) {
  armnn_i_tell_exec(file, CALLER);
  return (int)pass_on(execvpe(file, arguments, variables), CALLER);
}

static int call_fexecve(int file, char* const* arguments, char* const* variables) {
  armnn_i_tell_exec("a descriptor", CALLER);
  return (int)pass_on(fexecve(file, arguments, variables), CALLER);
}

static int call_execveat(int folder, const char* path, char* const* arguments,
                         char* const* variables, int flags) {
  armnn_i_tell_exec(path, CALLER);
  return (int)pass_on(syscall(SYS_execveat, folder, path, arguments, variables, flags), CALLER);
}

/* With as many arguments as a system call has: those that were not given are not looked at. */
static long call_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_exit_group) armnn_i_tell_system_exit((int)a, CALLER);
  if (number == SYS_execve) armnn_i_tell_exec((const char*)a, CALLER);
  if (number == SYS_execveat) armnn_i_tell_exec((const char*)b, CALLER);
  return pass_on(syscall(number, a, b, c, d, e, f), CALLER);
}

static pid_t call_fork(void) { return (pid_t)pass_on(armnn_i_fork_for_backend(), CALLER); }

void* armnn_i_exec_target(const char* name) {
#define TARGET(function)                         \
  {                                              \
    #function, (void*)(uintptr_t)call_##function \
  }
  static const struct {
    const char* name;
    void* target;
  } targets[] = {
      TARGET(execl),    TARGET(execlp),  TARGET(execle),  TARGET(execv),
      TARGET(execvp),   TARGET(execve),  TARGET(execvpe), TARGET(fexecve),
      TARGET(execveat), TARGET(syscall), TARGET(fork),
  };
#undef TARGET
  for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i) {
    if (strcmp(name, targets[i].name) == 0) return targets[i].target;
  }
  return NULL;
}
