/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kernel_state.h - what the kernel knows of the process and of the calling thread: users and
 * groups, root folder, scheduling, the stack of signals, and what prctl sets.
 */
#ifndef ARMNN_KERNEL_STATE_H
#define ARMNN_KERNEL_STATE_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* What became of a part of the state that is compared with how it was. */
typedef enum armnn_i_restored_t {
  ARMNN_I_UNCHANGED,
  ARMNN_I_PUT_BACK,
  ARMNN_I_KEPT /* it was changed, and the process may not put it back */
} armnn_i_restored_t;

static inline armnn_i_restored_t armnn_i_restored_if(bool is_put_back) {
  return is_put_back ? ARMNN_I_PUT_BACK : ARMNN_I_KEPT;
}

/* For a part that has parts: the worst one counts. */
static inline void armnn_i_add_restored(armnn_i_restored_t* result, bool is_put_back) {
  const armnn_i_restored_t one = armnn_i_restored_if(is_put_back);
  if (one > *result) *result = one;
}

#define ARMNN_I_CPU_WORDS 128 /* 8,192 processors, the most that Linux is built for */
#define ARMNN_I_ATTRIBUTES 8

typedef struct armnn_i_kernel_state_t {
  uid_t users[3]; /* real, effective, saved */
  gid_t groups[3];
  int extra_count; /* supplementary groups, -1: not known */
  gid_t* extra;
  int root; /* descriptor, or -1 */
  unsigned long cpus[ARMNN_I_CPU_WORDS];
  bool has_cpus;
  int policy; /* -1: not known */
  struct sched_param parameters;
  int niceness;
  stack_t stack;
  long attributes[ARMNN_I_ATTRIBUTES]; /* -1: not known */
  int personality;
  char name[16];
} armnn_i_kernel_state_t;

void armnn_i_note_kernel_state(armnn_i_kernel_state_t* state);
void armnn_i_drop_kernel_state(armnn_i_kernel_state_t* state);

/* On the thread that noted it; the ids first, as other parts need rights. */
armnn_i_restored_t armnn_i_restore_ids(const armnn_i_kernel_state_t* state);
armnn_i_restored_t armnn_i_restore_root(const armnn_i_kernel_state_t* state);
armnn_i_restored_t armnn_i_restore_scheduling(const armnn_i_kernel_state_t* state);
armnn_i_restored_t armnn_i_restore_signal_stack(const armnn_i_kernel_state_t* state);
armnn_i_restored_t armnn_i_restore_attributes(const armnn_i_kernel_state_t* state);

#endif /* ARMNN_KERNEL_STATE_H */
