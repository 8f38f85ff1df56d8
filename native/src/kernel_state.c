/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kernel_state.c - what the kernel knows of the process and of the calling thread, compared and put
 * back after code of others was loaded. Most of it can be changed only one way without rights: what
 * cannot be put back is said to be kept.
 */
#define _GNU_SOURCE /* O_PATH, getresuid, sched_getaffinity */
#include "kernel_state.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASK_PERSONALITY 0xffffffffu

/* Attributes of prctl(2). |set| is 0 where a process cannot take it back. */
static const struct {
  int get, set;
  bool by_pointer;
} attributes[ARMNN_I_ATTRIBUTES] = {
    {PR_GET_PDEATHSIG, PR_SET_PDEATHSIG, true},
    {PR_GET_CHILD_SUBREAPER, PR_SET_CHILD_SUBREAPER, true},
    {PR_GET_DUMPABLE, PR_SET_DUMPABLE, false},
    {PR_GET_KEEPCAPS, PR_SET_KEEPCAPS, false},
    {PR_GET_TIMERSLACK, PR_SET_TIMERSLACK, false},
    {PR_GET_THP_DISABLE, PR_SET_THP_DISABLE, false},
    {PR_GET_NO_NEW_PRIVS, 0, false},
    {PR_GET_SECCOMP, 0, false},
};

static long attribute(size_t index) {
  if (!attributes[index].by_pointer) return prctl(attributes[index].get, 0, 0, 0, 0);
  int value;
  return prctl(attributes[index].get, &value, 0, 0, 0) == 0 ? value : -1;
}

/* ---- Noting ---------------------------------------------------------------------------------- */

static void note_groups(armnn_i_kernel_state_t* state) {
  state->extra_count = getgroups(0, NULL);
  if (state->extra_count <= 0) return;
  state->extra = (gid_t*)malloc((size_t)state->extra_count * sizeof *state->extra);
  if (state->extra == NULL) {
    state->extra_count = -1;
  } else {
    state->extra_count = getgroups(state->extra_count, state->extra);
  }
}

void armnn_i_note_kernel_state(armnn_i_kernel_state_t* state) {
  getresuid(&state->users[0], &state->users[1], &state->users[2]);
  getresgid(&state->groups[0], &state->groups[1], &state->groups[2]);
  note_groups(state);
  state->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  state->has_cpus = sched_getaffinity(0, sizeof state->cpus, (cpu_set_t*)state->cpus) == 0;
  state->policy = sched_getscheduler(0);
  if (sched_getparam(0, &state->parameters) != 0) state->policy = -1;
  state->niceness = getpriority(PRIO_PROCESS, 0);
  sigaltstack(NULL, &state->stack);
  for (size_t i = 0; i < ARMNN_I_ATTRIBUTES; ++i) state->attributes[i] = attribute(i);
  state->personality = personality(ASK_PERSONALITY);
  prctl(PR_GET_NAME, state->name, 0, 0, 0);
}

void armnn_i_drop_kernel_state(armnn_i_kernel_state_t* state) {
  if (state->root >= 0) close(state->root);
  free(state->extra);
}

/* ---- Comparing and putting back -------------------------------------------------------------- */

static bool has_other_groups(const armnn_i_kernel_state_t* state) {
  if (state->extra_count < 0) return false;
  const int count = getgroups(0, NULL);
  if (count != state->extra_count) return count >= 0;
  if (count == 0) return false;
  gid_t* now = (gid_t*)malloc((size_t)count * sizeof *now);
  if (now == NULL) return false;
  const bool differs =
      getgroups(count, now) != count || memcmp(now, state->extra, (size_t)count * sizeof *now) != 0;
  free(now);
  return differs;
}

armnn_i_restored_t armnn_i_restore_ids(const armnn_i_kernel_state_t* state) {
  armnn_i_restored_t result = ARMNN_I_UNCHANGED;
  const uid_t* const u = state->users;
  const gid_t* const g = state->groups;
  uid_t users[3];
  gid_t groups[3];
  getresuid(&users[0], &users[1], &users[2]);
  if (memcmp(users, u, sizeof users) != 0) {
    armnn_i_add_restored(&result, setresuid(u[0], u[1], u[2]) == 0);
  }
  getresgid(&groups[0], &groups[1], &groups[2]);
  if (memcmp(groups, g, sizeof groups) != 0) {
    armnn_i_add_restored(&result, setresgid(g[0], g[1], g[2]) == 0);
  }
  if (has_other_groups(state)) {
    armnn_i_add_restored(&result, setgroups((size_t)state->extra_count, state->extra) == 0);
  }
  return result;
}

armnn_i_restored_t armnn_i_restore_root(const armnn_i_kernel_state_t* state) {
  struct stat before, now;
  if (state->root < 0 || fstat(state->root, &before) != 0) return ARMNN_I_UNCHANGED;
  if (stat("/", &now) == 0 && now.st_dev == before.st_dev && now.st_ino == before.st_ino) {
    return ARMNN_I_UNCHANGED;
  }
  const int folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const bool is_put_back = fchdir(state->root) == 0 && chroot(".") == 0;
  if (folder >= 0) {
    (void)!fchdir(folder);
    close(folder);
  }
  return armnn_i_restored_if(is_put_back);
}

armnn_i_restored_t armnn_i_restore_scheduling(const armnn_i_kernel_state_t* state) {
  armnn_i_restored_t result = ARMNN_I_UNCHANGED;
  unsigned long cpus[ARMNN_I_CPU_WORDS] = {0};
  if (state->has_cpus && sched_getaffinity(0, sizeof cpus, (cpu_set_t*)cpus) == 0 &&
      memcmp(cpus, state->cpus, sizeof cpus) != 0) {
    armnn_i_add_restored(&result,
                         sched_setaffinity(0, sizeof cpus, (const cpu_set_t*)state->cpus) == 0);
  }
  struct sched_param parameters;
  const int policy = sched_getscheduler(0);
  if (state->policy >= 0 && policy >= 0 && sched_getparam(0, &parameters) == 0 &&
      (policy != state->policy || parameters.sched_priority != state->parameters.sched_priority)) {
    armnn_i_add_restored(&result, sched_setscheduler(0, state->policy, &state->parameters) == 0);
  }
  if (getpriority(PRIO_PROCESS, 0) != state->niceness) {
    armnn_i_add_restored(&result, setpriority(PRIO_PROCESS, 0, state->niceness) == 0);
  }
  return result;
}

/* A thread that had none may keep what a library gave it. */
armnn_i_restored_t armnn_i_restore_signal_stack(const armnn_i_kernel_state_t* state) {
  stack_t now;
  if ((state->stack.ss_flags & SS_DISABLE) != 0 || sigaltstack(NULL, &now) != 0) {
    return ARMNN_I_UNCHANGED;
  }
  const bool is_same = (now.ss_flags & SS_DISABLE) == 0 && now.ss_sp == state->stack.ss_sp &&
                       now.ss_size == state->stack.ss_size;
  return is_same ? ARMNN_I_UNCHANGED : armnn_i_restored_if(sigaltstack(&state->stack, NULL) == 0);
}

armnn_i_restored_t armnn_i_restore_attributes(const armnn_i_kernel_state_t* state) {
  armnn_i_restored_t result = ARMNN_I_UNCHANGED;
  for (size_t i = 0; i < ARMNN_I_ATTRIBUTES; ++i) {
    const long before = state->attributes[i], now = attribute(i);
    if (before < 0 || now == before) continue;
    armnn_i_add_restored(
        &result,
        attributes[i].set != 0 && prctl(attributes[i].set, (unsigned long)before, 0, 0, 0) == 0);
  }
  if (state->personality >= 0 && personality(ASK_PERSONALITY) != state->personality) {
    armnn_i_add_restored(&result, personality((unsigned long)state->personality) >= 0);
  }
  char name[16] = {0};
  prctl(PR_GET_NAME, name, 0, 0, 0);
  if (strncmp(name, state->name, sizeof name) != 0) {
    armnn_i_add_restored(&result, prctl(PR_SET_NAME, state->name, 0, 0, 0) == 0);
  }
  return result;
}
