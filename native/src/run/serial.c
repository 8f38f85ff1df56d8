/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * serial.c - workloads that are called by one thread at a time, whatever contexts run side by side.
 *
 * A step of such a workload executes this file's function; other steps know nothing of it. Who
 * waits looks up now and then: for a cancel, the deadline, signals. Nobody waits who is inside a
 * serial call already (a run that was started by the handler of a signal in the middle of another
 * one): two such threads could wait for each other for ever.
 */
#define _GNU_SOURCE /* syscall */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

#define TAKEN 1u  /* somebody is inside */
#define WAITED 2u /* and somebody may wait */
#define LOOK_NS 2000000

/* What the gate is when a thread of this process takes it. A fork leaves the child the gate as it
 * was: then the thread inside may be one that the child does not have. */
static uint32_t taken_here(void) { return armnn_i_core.pool.epoch << 2 | TAKEN; }

static void wait_for(_Atomic uint32_t* gate, uint32_t seen) {
  const struct timespec look = {0, LOOK_NS};
  syscall(SYS_futex, (uint32_t*)gate, FUTEX_WAIT_PRIVATE, seen, &look, NULL, 0);
}

static armnn_status_t enter(armnn_i_serial_t* self, armnn_i_thread_t* thread, uint64_t run_id,
                            armnn_error_t* error) {
  const uint32_t taken = taken_here();
  uint32_t mine = taken;
  for (;;) {
    uint32_t seen = atomic_load_explicit(&self->gate, memory_order_relaxed);
    /* A thread without such calls may have the address of one that a fork left behind. */
    const bool is_own = thread->serial_depth != 0 &&
                        atomic_load_explicit(&self->owner, memory_order_relaxed) == thread;
    const bool is_left_by_fork = seen != 0 && (seen | WAITED) != (taken | WAITED) && !is_own;
    if (seen == 0 || is_left_by_fork) {
      if (atomic_compare_exchange_strong_explicit(&self->gate, &seen, mine, memory_order_acquire,
                                                  memory_order_relaxed)) {
        atomic_store_explicit(&self->owner, thread, memory_order_relaxed);
        return ARMNN_STATUS_OK;
      }
      continue;
    }
    if (is_own || thread->serial_depth != 0) {
      return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                          "the workload takes one call at a time and is in the middle of one; a "
                          "run that was started inside such a call cannot wait for it");
    }
    if ((seen & WAITED) == 0 &&
        !atomic_compare_exchange_strong_explicit(&self->gate, &seen, seen | WAITED,
                                                 memory_order_relaxed, memory_order_relaxed)) {
      continue;
    }
    wait_for(&self->gate, seen | WAITED);
    mine = taken | WAITED; /* others may wait besides */
    armnn_i_ask_interrupt(run_id);
    if (armnn_i_run_should_stop(&armnn_i_core.registry, run_id)) return ARMNN_STATUS_CANCELLED;
  }
}

static void leave(armnn_i_serial_t* self) {
  atomic_store_explicit(&self->owner, NULL, memory_order_relaxed);
  const uint32_t before = atomic_exchange_explicit(&self->gate, 0, memory_order_release);
  if ((before & WAITED) != 0) {
    syscall(SYS_futex, (uint32_t*)&self->gate, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

armnn_status_t armnn_i_serial_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                      armnn_error_t* error) {
  armnn_i_serial_t* self = (armnn_i_serial_t*)workload;
  armnn_i_thread_t* thread = armnn_i_thread();
  armnn_status_t status = enter(self, thread, args->run_id, error);
  if (status != ARMNN_STATUS_OK) return status;
  ++thread->serial_depth;
  status = self->execute(self->workload, args, error);
  --thread->serial_depth;
  leave(self);
  return status;
}
