/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pool_wait.c - see pool_wait.h.
 */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "pool_wait.h"

#include <sys/resource.h>

#include "core.h"

#define PAUSES_PER_LOOK 32u
#define ASK_NS UINT64_C(5000)  /* after such a wait the scheduler is asked, */
#define GAP_NS UINT64_C(20000) /* and after a gap: 32 pauses take one or two microseconds */

static void pause_cpu(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/* Whether the scheduler gave the processor to somebody else since this was last asked. Clocks alone
 * do not tell: a gap may be an interrupt, or a host that holds up the whole virtual machine. */
static bool was_switched(void) {
  static _Thread_local long known;
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0 || usage.ru_nivcsw == known) return false;
  known = usage.ru_nivcsw;
  return true;
}

/* Threads may do this at once; whichever time remains is right enough. */
static void note_crowd(armnn_i_crowd_t* crowd, uint64_t now) {
  const uint64_t until = atomic_load_explicit(&crowd->crowded_until, memory_order_relaxed);
  uint64_t length = atomic_load_explicit(&crowd->crowded_for, memory_order_relaxed);
  if (now < until) return;
  const bool is_again = length != 0 && now - until < 4 * length;
  length = is_again ? 2 * length : ARMNN_CROWDED_NS;
  if (length > ARMNN_CROWDED_MOST_NS) length = ARMNN_CROWDED_MOST_NS;
  atomic_store_explicit(&crowd->crowded_for, length, memory_order_relaxed);
  atomic_store_explicit(&crowd->crowded_until, now + length, memory_order_relaxed);
}

armnn_i_spin_t armnn_i_spin_begin(armnn_i_crowd_t* crowd, bool is_owner) {
  return (armnn_i_spin_t){.crowd = crowd,
                          .inside_ns = is_owner ? ARMNN_WAIT_LAST_NS : ARMNN_WAIT_JOB_NS,
                          .is_owner = is_owner};
}

bool armnn_i_spin_is_over(armnn_i_spin_t* spin) {
  armnn_i_crowd_t* crowd = spin->crowd;
  if (!atomic_load_explicit(&crowd->may_spin, memory_order_relaxed)) return true;
  if (++spin->pauses % PAUSES_PER_LOOK != 0) {
    pause_cpu();
    return false;
  }
  const uint64_t now = armnn_i_now_ns();
  if (spin->begin_ns == 0) {
    spin->begin_ns = spin->looked_ns = spin->idle_ns = now;
    return false;
  }
  if (now - spin->looked_ns > GAP_NS || (!spin->has_asked && now - spin->begin_ns > ASK_NS)) {
    spin->has_asked = true;
    if (was_switched() &&
        now < ARMNN_SWITCHED_NS +
                  atomic_exchange_explicit(&crowd->switched_at, now, memory_order_relaxed)) {
      note_crowd(crowd, now); /* the time before may be a later one of another thread */
    }
  }
  spin->looked_ns = now;
  const bool in_run = atomic_load_explicit(&crowd->runs, memory_order_relaxed) != 0;
  if (in_run && now >= atomic_load_explicit(&crowd->crowded_until, memory_order_relaxed)) {
    spin->idle_ns = now;
    if (now - spin->begin_ns < spin->inside_ns) return false;
    if (spin->is_owner) note_crowd(crowd, now); /* somebody holds up the worker */
    return true;
  }
  return now - spin->idle_ns >= ARMNN_WAIT_BETWEEN_NS;
}
