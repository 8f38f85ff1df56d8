/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pool.h - the threads that share the work of parallel_for; how they wait is in pool_wait.h, how
 * the work is cut in pool_chunks.h.
 */
#ifndef ARMNN_POOL_H_
#define ARMNN_POOL_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/thread.h"
#include "basics.h"
#include "pool_chunks.h"
#include "pool_wait.h"

#define ARMNN_MAX_THREADS 1024u

typedef struct armnn_i_worker_t {
  struct armnn_i_pool_t* pool;
  uint32_t number;
  pthread_t thread;
} armnn_i_worker_t;

/* One job at a time. |gate| holds the state of the job in one word, from the top: 32 bits of
 * generation (odd: open), 16 bits of workers that ever entered, 16 bits of workers inside. A worker
 * enters by a compare-and-swap and the owner closes the gate when no chunk is left, so that a job
 * never waits for a worker that wakes up late. */
typedef struct armnn_i_pool_t {
  pthread_mutex_t owner; /* held by the parallel_for that has the workers, and to change them */
  _Atomic uint32_t requested;     /* threads wanted, the caller included; 0 = not resolved */
  _Atomic uint32_t owner_waiters; /* stop wants the workers: run serially meanwhile */
  atomic_bool stop_deferred;      /* stop was called inside a body */
  _Atomic uint32_t start_limit;   /* the system refused to start more workers than this */
  uint32_t worker_count;          /* under |owner| */
  uint32_t started_for;           /* |requested| when the workers were started; under |owner| */
  uint32_t epoch;                 /* counts forks */
  armnn_i_worker_t workers[ARMNN_MAX_THREADS];

  _Alignas(ARMNN_CACHE_LINE) armnn_range_fn_t body;
  void* argument;
  armnn_i_chunks_t chunks;
  uint64_t job; /* counts them */
  armnn_i_scope_t scope;
  const armnn_i_thread_t* caller; /* whose job it is: reports of fatal signals name its call */
  uint64_t float_control;         /* of the owner: all threads of a job round alike */
  _Atomic uint32_t limit;         /* workers that may enter */
  _Atomic armnn_status_t failure; /* the first of this job that is not OK */

  _Alignas(ARMNN_CACHE_LINE) _Atomic uint64_t gate;
  _Alignas(ARMNN_CACHE_LINE) _Atomic uint32_t sleepers;
  _Atomic uint32_t owner_sleeps;
  _Atomic uint32_t target; /* workers with a number from here on end */
  _Alignas(ARMNN_CACHE_LINE) armnn_i_contention_t contention;
  armnn_i_region_t regions[ARMNN_MAX_THREADS];
} armnn_i_pool_t;

void armnn_i_pool_init(armnn_i_pool_t* pool);
/* In the child of a fork: forgets the workers, which do not exist there. */
void armnn_i_pool_after_fork(armnn_i_pool_t* pool);
armnn_status_t armnn_i_pool_set_thread_count(armnn_i_pool_t* pool, uint32_t count);
uint32_t armnn_i_pool_thread_count(armnn_i_pool_t* pool);
/* The same, or the limit of the calling thread if that is less. */
uint32_t armnn_i_pool_concurrency(armnn_i_pool_t* pool);
void armnn_i_pool_stop(armnn_i_pool_t* pool);
armnn_status_t armnn_i_pool_parallel_for(armnn_i_pool_t* pool, armnn_range_fn_t body,
                                         void* argument, uint64_t count, uint64_t grain,
                                         uint32_t max_threads);
/* At the end of a run of |thread|, the calling one, that has set keeps_awake. */
void armnn_i_pool_run_ended(armnn_i_pool_t* pool, armnn_i_thread_t* thread);
armnn_status_t armnn_i_pool_on_thread_exit(void (*function)(void* argument), void* argument);

#endif /* ARMNN_POOL_H_ */
