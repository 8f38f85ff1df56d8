/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pool_wait.h - how long a thread of the pool spins before it sleeps.
 *
 * Waiting inside a run is not waiting between runs. While a run that uses the pool goes on, the
 * next job is microseconds away, and a thread that sleeps costs its waker some microseconds and its
 * job tens of them: it spins for milliseconds. Between runs nobody knows what comes, and it spins
 * for ARMNN_WAIT_BETWEEN_NS only; for twice the last gap, if runs follow each other so soon that
 * this is less than ARMNN_WAIT_BETWEEN_MOST_NS.
 *
 * Spinning is harmful where another program wants the processor: the scheduler then takes it from
 * spinners and workers alike. So a thread that waits looks at how long it had no processor although
 * it wanted one. ARMNN_HELD_UP_NS or more is a loss: programs that compute take milliseconds at a
 * time, what an idle system does on its own takes some ten microseconds. So is an owner that waits
 * in vain for the last chunk of a worker. Two losses within ARMNN_LOST_NS mean that the machine is
 * oversubscribed (single ones happen on idle machines). All threads then sleep as soon inside a run
 * as between runs, for a time that doubles each time it is found again, from
 * ARMNN_OVERSUBSCRIBED_NS to ARMNN_CROWDED_MOST_NS.
 */
#ifndef ARMNN_POOL_WAIT_H_
#define ARMNN_POOL_WAIT_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define ARMNN_WAIT_BETWEEN_NS UINT64_C(30000)
#define ARMNN_WAIT_BETWEEN_MOST_NS UINT64_C(400000)
#define ARMNN_WAIT_JOB_NS UINT64_C(2000000) /* of a worker, for the next job of a run */
#define ARMNN_WAIT_LAST_NS UINT64_C(300000) /* of an owner, for the last chunks of its job */
#define ARMNN_HELD_UP_NS UINT64_C(500000)
#define ARMNN_HELD_UP_PART 64u /* beside it, of the time since the last look */
#define ARMNN_LOST_NS UINT64_C(20000000)
#define ARMNN_OVERSUBSCRIBED_NS UINT64_C(4000000)
#define ARMNN_CROWDED_MOST_NS UINT64_C(1000000000)

typedef struct armnn_i_contention_t {
  atomic_bool may_spin;       /* each thread has a processor */
  _Atomic uint32_t runs;      /* that have used the pool and are not at their end */
  _Atomic uint64_t ended_at;  /* by armnn_i_now_ns: the last run that used the pool */
  atomic_bool yields_between; /* never spin between runs: another process needs the processor */
  _Atomic uint64_t between;   /* nanoseconds to spin between runs; 0: as usual */
  _Atomic uint64_t lost_at;   /* the last loss that was seen */
  _Atomic uint64_t oversubscribed_until;
  _Atomic uint64_t oversubscribed_for; /* how long that was, in nanoseconds */
} armnn_i_contention_t;

typedef struct armnn_i_spin_t {
  armnn_i_contention_t* contention;
  uint64_t inside_ns; /* how long, while a run goes on */
  bool is_owner;
  uint32_t pauses;
  bool has_asked;    /* the scheduler, since the wait began */
  uint64_t begin_ns; /* 0: not looked at the clock yet */
  uint64_t looked_ns;
  uint64_t idle_ns; /* since when no run goes on */
} armnn_i_spin_t;

/* Lets the other thread of a processor's core work, for some nanoseconds. */
static inline void armnn_i_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/* After a sleep: the time before is no loss. */
void armnn_i_spin_forget(void);
/* When a run begins to use the pool, and at its end. */
void armnn_i_contention_run_begins(armnn_i_contention_t* contention);
void armnn_i_contention_run_ends(armnn_i_contention_t* contention);
/* Before the first armnn_i_spin_is_over, and after each sleep. */
armnn_i_spin_t armnn_i_spin_begin(armnn_i_contention_t* contention, bool is_owner);
/* Pauses for some nanoseconds; true when it is time to sleep. */
bool armnn_i_spin_is_over(armnn_i_spin_t* spin);

#endif /* ARMNN_POOL_WAIT_H_ */
