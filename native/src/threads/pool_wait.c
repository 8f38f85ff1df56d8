/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pool_wait.c - see pool_wait.h.
 */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "pool_wait.h"

#include <sys/resource.h>
#include <time.h>

#include "core.h"

#define PAUSES_PER_LOOK 32u
#define ASK_NS UINT64_C(5000)  /* after such a wait the scheduler is asked, */
#define GAP_NS UINT64_C(20000) /* and after a gap: 32 pauses take one or two microseconds */

/* When this thread last asked for its time on a processor, what that was then, and how often
 * others had taken it; 0: it has slept since of its own will, or did what no job asked for. */
static _Thread_local struct {
  uint64_t at, used;
  long switches;
} known;

void armnn_i_spin_forget(void) { known.at = 0; }

void armnn_i_contention_run_begins(armnn_i_contention_t* contention) {
  known.at = 0; /* what the thread did before is no loss */
  const uint64_t ended = atomic_load_explicit(&contention->ended_at, memory_order_relaxed);
  const uint64_t gap = armnn_i_now_ns() - ended;
  atomic_store_explicit(&contention->between, gap < ARMNN_WAIT_BETWEEN_MOST_NS / 2 ? 2 * gap : 0,
                        memory_order_relaxed);
  atomic_fetch_add_explicit(&contention->runs, 1, memory_order_relaxed);
}

void armnn_i_contention_run_ends(armnn_i_contention_t* contention) {
  atomic_store_explicit(&contention->ended_at, armnn_i_now_ns(), memory_order_relaxed);
  atomic_fetch_sub_explicit(&contention->runs, 1, memory_order_relaxed);
}

/* Whether another thread had the processor for a time since this was last asked. Gaps between two
 * looks at a clock do not tell: they may be an interrupt, or a host that holds up the whole virtual
 * machine. Nor do switches: an idle system has threads that want microseconds every now and then.
 */
static bool was_held_up(uint64_t now) {
  struct timespec time;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return false;
  const uint64_t used = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  struct rusage usage; /* a page that had to be read is a sleep, too */
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return false;
  /* What an idle system takes grows with the time: some hundredths of it. */
  const bool is_loss =
      known.at != 0 && usage.ru_nivcsw != known.switches &&
      now - known.at > used - known.used + ARMNN_HELD_UP_NS + (now - known.at) / ARMNN_HELD_UP_PART;
  known.at = now;
  known.used = used;
  known.switches = usage.ru_nivcsw;
  return is_loss;
}

/* Threads may do this at once; whichever time remains is right enough. */
static void note_oversubscription(armnn_i_contention_t* contention, uint64_t now) {
  const uint64_t until =
      atomic_load_explicit(&contention->oversubscribed_until, memory_order_relaxed);
  uint64_t length = atomic_load_explicit(&contention->oversubscribed_for, memory_order_relaxed);
  if (now < until) return;
  const bool is_again = length != 0 && now - until < 4 * length;
  length = is_again ? 2 * length : ARMNN_OVERSUBSCRIBED_NS;
  if (length > ARMNN_CROWDED_MOST_NS) length = ARMNN_CROWDED_MOST_NS;
  atomic_store_explicit(&contention->oversubscribed_for, length, memory_order_relaxed);
  atomic_store_explicit(&contention->oversubscribed_until, now + length, memory_order_relaxed);
}

/* A thread of the pool, or an owner's worker, lost its processor. Once is nothing. */
static void note_loss(armnn_i_contention_t* contention, uint64_t now) {
  const uint64_t before = atomic_exchange_explicit(&contention->lost_at, now, memory_order_relaxed);
  if (now < before + ARMNN_LOST_NS)
    note_oversubscription(contention, now); /* |before| may be a later one */
}

armnn_i_spin_t armnn_i_spin_begin(armnn_i_contention_t* contention, bool is_owner) {
  return (armnn_i_spin_t){.contention = contention,
                          .inside_ns = is_owner ? ARMNN_WAIT_LAST_NS : ARMNN_WAIT_JOB_NS,
                          .is_owner = is_owner};
}

bool armnn_i_spin_is_over(armnn_i_spin_t* spin) {
  armnn_i_contention_t* contention = spin->contention;
  if (!atomic_load_explicit(&contention->may_spin, memory_order_relaxed)) return true;
  if (++spin->pauses % PAUSES_PER_LOOK != 0) {
    armnn_i_pause();
    return false;
  }
  const uint64_t now = armnn_i_now_ns();
  if (spin->begin_ns == 0) {
    spin->begin_ns = spin->looked_ns = spin->idle_ns = now;
    return false;
  }
  if (now - spin->looked_ns > GAP_NS || (!spin->has_asked && now - spin->begin_ns > ASK_NS)) {
    spin->has_asked = true;
    if (was_held_up(now)) {
      note_loss(contention, now);
      spin->begin_ns = now; /* that was no wait for others */
    }
  }
  spin->looked_ns = now;
  const bool in_run = atomic_load_explicit(&contention->runs, memory_order_relaxed) != 0;
  const bool is_oversubscribed =
      now < atomic_load_explicit(&contention->oversubscribed_until, memory_order_relaxed);
  if (in_run && !is_oversubscribed) {
    spin->idle_ns = now;
    if (now - spin->begin_ns < spin->inside_ns) return false;
    if (spin->is_owner) note_loss(contention, now); /* somebody holds up the worker */
    return true;
  }
  if (atomic_load_explicit(&contention->yields_between, memory_order_relaxed)) return true;
  const uint64_t idle = now - spin->idle_ns;
  return idle >= ARMNN_WAIT_BETWEEN_NS &&
         (is_oversubscribed ||
          idle >= atomic_load_explicit(&contention->between, memory_order_relaxed));
}
