/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * thread_pool.c - parallel_for on one set of threads for the whole process.
 *
 * Each thread takes chunks of a region of its own first (pool_chunks.h), the caller takes part, and
 * waiting is a bounded spin (pool_wait.h) followed by a futex. A parallel_for that finds the
 * workers taken, or that is called inside a body, runs on its caller alone: it never waits for
 * another one.
 */
#define _GNU_SOURCE /* pthread_setname_np, syscall */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"

/* ---- The gate ------------------------------------------------------------------------------ */

#define GENERATION_ONE (UINT64_C(1) << 32)
#define ENTER_ONE ((UINT64_C(1) << 16) + 1)

static uint32_t generation_of(uint64_t gate) { return (uint32_t)(gate >> 32); }
static uint32_t entered_of(uint64_t gate) { return (uint32_t)(gate >> 16) & 0xffffu; }
static uint32_t inside_of(uint64_t gate) { return (uint32_t)gate & 0xffffu; }
static bool is_open(uint64_t gate) { return (generation_of(gate) & 1u) != 0; }

/* A futex is 32 bits wide: workers wait on the upper half of the gate, the owner on the lower. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define UPPER_HALF 1
#else
#define UPPER_HALF 0
#endif

static void futex_wait(armnn_i_pool_t* pool, int half, uint32_t expected) {
  syscall(SYS_futex, (uint32_t*)&pool->gate + half, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_wake(armnn_i_pool_t* pool, int half, uint32_t count) {
  syscall(SYS_futex, (uint32_t*)&pool->gate + half, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/* ---- Workers ------------------------------------------------------------------------------- */

/* |home|: the region to begin with. */
static void run_chunks(armnn_i_pool_t* pool, uint32_t thread_index, uint32_t home) {
  uint64_t begin, end;
  while (atomic_load_explicit(&pool->failure, memory_order_relaxed) == ARMNN_STATUS_OK &&
         armnn_i_take_chunk(&pool->chunks, pool->regions, pool->job, home, &begin, &end)) {
    armnn_i_empty_x87();
    if (ARMNN_UNLIKELY(armnn_i_float_control() != pool->float_control)) {
      armnn_i_set_float_control(pool->float_control); /* the chunk before changed it */
    }
    const armnn_status_t status = pool->body(pool->argument, begin, end, thread_index);
    if (ARMNN_UNLIKELY(status != ARMNN_STATUS_OK)) {
      armnn_status_t none = ARMNN_STATUS_OK;
      atomic_compare_exchange_strong(&pool->failure, &none, status); /* the others are left out */
    }
  }
}

/* Returns an open gate of a generation other than |seen|, or 0 when worker |number| shall end. */
static uint64_t wait_for_job(armnn_i_pool_t* pool, uint32_t number, uint32_t seen) {
  armnn_i_spin_t spin = armnn_i_spin_begin(&pool->contention, false);
  for (;;) {
    const uint64_t gate = atomic_load_explicit(&pool->gate, memory_order_acquire);
    if (number >= atomic_load_explicit(&pool->target, memory_order_acquire)) return 0;
    if (is_open(gate) && generation_of(gate) != seen) return gate;
    if (!armnn_i_spin_is_over(&spin)) continue;
    /* The owner first changes the gate, then looks for sleepers; we do it the other way round. */
    atomic_fetch_add(&pool->sleepers, 1);
    futex_wait(pool, UPPER_HALF, generation_of(gate));
    atomic_fetch_sub(&pool->sleepers, 1);
    armnn_i_spin_forget();
    spin = armnn_i_spin_begin(&pool->contention, false);
  }
}

/* Joins the job of |gate|; returns the thread index, or 0 if the job is over or has enough workers.
 */
static uint32_t enter(armnn_i_pool_t* pool, uint64_t gate) {
  const uint32_t generation = generation_of(gate);
  while (generation_of(gate) == generation &&
         entered_of(gate) < atomic_load_explicit(&pool->limit, memory_order_relaxed)) {
    if (atomic_compare_exchange_weak_explicit(&pool->gate, &gate, gate + ENTER_ONE,
                                              memory_order_acquire, memory_order_acquire)) {
      return entered_of(gate) + 1;
    }
  }
  return 0;
}

static void leave(armnn_i_pool_t* pool) {
  const uint64_t before = atomic_fetch_sub(&pool->gate, 1);
  if (inside_of(before) == 1 && !is_open(before) && atomic_load(&pool->owner_sleeps) != 0) {
    futex_wake(pool, 1 - UPPER_HALF, 1);
  }
}

static void run_exit_hooks(armnn_i_thread_t* thread) {
  while (thread->exit_hooks != NULL) {
    armnn_i_exit_hook_t* hook = thread->exit_hooks;
    thread->exit_hooks = hook->next;
    /* The hook's library may have been closed, and another one mapped at its address. */
    if (armnn_i_code_identity((const void*)(uintptr_t)hook->function) == hook->identity) {
      hook->function(hook->argument);
    }
    free(hook);
  }
}

static void* worker_main(void* data) {
  const armnn_i_worker_t* self = (const armnn_i_worker_t*)data;
  armnn_i_pool_t* pool = self->pool;
  const uint32_t epoch = pool->epoch;
  armnn_i_thread_t* thread = armnn_i_thread();
  thread->is_worker = true;
  pthread_setname_np(pthread_self(), "armnn_py");
  uint32_t seen = 0;
  for (;;) {
    const uint64_t gate = wait_for_job(pool, self->number, seen);
    if (gate == 0) break;
    seen = generation_of(gate);
    const uint32_t index = enter(pool, gate);
    if (index == 0) continue;
    thread->in_body = true;
    thread->index = index;
    thread->scope = pool->scope;
    armnn_i_note_thread(thread);
    /* Workers enter in any order; what is called after the number is the same in each job. */
    const uint32_t own = self->number + 1;
    run_chunks(pool, index, own < pool->chunks.regions ? own : index);
    if (pool->epoch != epoch) return NULL; /* the body forked, and this is the child */
    thread->in_body = false;
    leave(pool);
  }
  run_exit_hooks(thread);
  return NULL;
}

/* Ends the workers with numbers from |keep| on. Under |owner|, no job open. */
static void end_workers(armnn_i_pool_t* pool, uint32_t keep) {
  if (pool->worker_count <= keep) return;
  atomic_store_explicit(&pool->target, keep, memory_order_release);
  atomic_fetch_add(&pool->gate, 2 * GENERATION_ONE); /* still closed, but no longer waited for */
  futex_wake(pool, UPPER_HALF, INT_MAX);
  while (pool->worker_count > keep) pthread_join(pool->workers[--pool->worker_count].thread, NULL);
}

/* Starts workers until there are |wanted|, or as many as the system gives. Under |owner|. */
static void start_workers(armnn_i_pool_t* pool, uint32_t wanted) {
  const uint32_t start_limit = atomic_load(&pool->start_limit);
  if (wanted > start_limit) wanted = start_limit;
  if (pool->worker_count >= wanted) return;
  /* Threads without a processor of their own must not spin. */
  pool->started_for = atomic_load(&pool->requested);
  atomic_store(&pool->contention.may_spin, pool->started_for <= armnn_i_usable_cpus());
  sigset_t all, before;
  sigfillset(&all);
  /* But for faults: a blocked one ends the process without a word. */
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* inherited: signals belong to other threads */
  while (pool->worker_count < wanted) {
    armnn_i_worker_t* worker = &pool->workers[pool->worker_count];
    worker->pool = pool;
    worker->number = pool->worker_count;
    atomic_store_explicit(&pool->target, pool->worker_count + 1, memory_order_release);
    armnn_i_lock_loader();
    const int failure = pthread_create(&worker->thread, NULL, worker_main, worker);
    armnn_i_unlock_loader();
    if (failure != 0) {
      atomic_store(&pool->target, pool->worker_count);
      atomic_store(&pool->start_limit, pool->worker_count);
      break;
    }
    ++pool->worker_count;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- One job ------------------------------------------------------------------------------- */

static void open_gate(armnn_i_pool_t* pool, uint32_t helpers) {
  atomic_store_explicit(&pool->limit, helpers, memory_order_relaxed);
  pool->job = (pool->job + 1) & (UINT64_MAX >> 16);
  atomic_store_explicit(&pool->failure, ARMNN_STATUS_OK, memory_order_relaxed);
  const uint64_t gate = atomic_load_explicit(&pool->gate, memory_order_relaxed);
  atomic_store(&pool->gate, (uint64_t)(generation_of(gate) + 1u) << 32);
  const uint32_t sleepers = atomic_load(&pool->sleepers);
  if (sleepers == 0) return;
  const uint32_t awake = pool->worker_count > sleepers ? pool->worker_count - sleepers : 0;
  if (helpers > awake) futex_wake(pool, UPPER_HALF, helpers - awake);
}

static void close_gate(armnn_i_pool_t* pool) {
  uint64_t gate = atomic_fetch_add(&pool->gate, GENERATION_ONE) + GENERATION_ONE;
  armnn_i_spin_t spin = armnn_i_spin_begin(&pool->contention, true);
  while (inside_of(gate) != 0 && !armnn_i_spin_is_over(&spin)) {
    gate = atomic_load_explicit(&pool->gate, memory_order_acquire);
  }
  if (inside_of(gate) == 0) return;
  atomic_store(&pool->owner_sleeps, 1);
  for (gate = atomic_load(&pool->gate); inside_of(gate) != 0; gate = atomic_load(&pool->gate)) {
    futex_wait(pool, 1 - UPPER_HALF, (uint32_t)gate);
  }
  atomic_store(&pool->owner_sleeps, 0);
  armnn_i_spin_forget();
}

static armnn_status_t run_serially(armnn_i_thread_t* thread, armnn_range_fn_t body, void* argument,
                                   uint64_t count) {
  thread->in_body = true;
  thread->index = 0;
  const armnn_status_t status = body(argument, 0, count, 0);
  thread->in_body = false;
  return status;
}

/* The run that the thread is inside of, if any, uses the pool: until its end workers stay awake. */
static void stay_awake(armnn_i_pool_t* pool, armnn_i_thread_t* thread) {
  if (thread->walk == NULL) armnn_i_spin_forget(); /* nobody knows what it did before the job */
  if (thread->walk == NULL || thread->keeps_awake == pool->epoch + 1) return;
  thread->keeps_awake = pool->epoch + 1;
  armnn_i_contention_run_begins(&pool->contention);
}

void armnn_i_pool_run_ended(armnn_i_pool_t* pool, armnn_i_thread_t* thread) {
  /* In the child of a fork the pool is another one, which has not counted the run. */
  if (thread->keeps_awake == pool->epoch + 1) {
    armnn_i_contention_run_ends(&pool->contention);
  }
  thread->keeps_awake = 0;
}

/* With |owner| held and at least one worker there. */
static armnn_status_t run_threaded(armnn_i_pool_t* pool, armnn_i_thread_t* thread,
                                   armnn_range_fn_t body, void* argument,
                                   const armnn_i_chunks_t* chunks, uint32_t threads) {
  const uint32_t epoch = pool->epoch;
  pool->body = body;
  pool->argument = argument;
  pool->chunks = *chunks;
  pool->scope = thread->scope;
  pool->caller = thread;
  pool->float_control = armnn_i_float_control();
  open_gate(pool, threads - 1);
  thread->in_body = true;
  thread->index = 0;
  run_chunks(pool, 0, 0);
  thread->in_body = false;
  if (pool->epoch == epoch) close_gate(pool); /* else the body forked, and this is the child */
  return atomic_load_explicit(&pool->failure, memory_order_relaxed);
}

/* The index of a thread in a loop inside of a body. It stays what it is, so that threads that are
 * inside at the same time share no part of scratch that is there for all of them. Scratch with
 * fewer parts than that belongs to one thread alone, or two would share a part whatever they are
 * called: there the only thread of the loop is the first. */
static uint32_t inner_index(uint32_t index, uint32_t max_threads) {
  return max_threads == 0 || index < max_threads ? index : 0;
}

armnn_status_t armnn_i_pool_parallel_for(armnn_i_pool_t* pool, armnn_range_fn_t body,
                                         void* argument, uint64_t count, uint64_t grain,
                                         uint32_t max_threads) {
  if (body == NULL) return ARMNN_STATUS_INVALID_ARGUMENT;
  if (count == 0) return ARMNN_STATUS_OK;
  armnn_i_thread_t* thread = armnn_i_thread();
  if (thread->in_body) {
    return body(argument, 0, count, inner_index(thread->index, max_threads));
  }
  armnn_status_t status;
  uint32_t threads = armnn_i_pool_concurrency(pool);
  if (max_threads != 0 && max_threads < threads) threads = max_threads;
  const armnn_i_chunks_t chunks = armnn_i_chunks_of(count, grain, threads);
  threads = chunks.regions;
  if (threads <= 1 || atomic_load_explicit(&pool->owner_waiters, memory_order_relaxed) != 0 ||
      pthread_mutex_trylock(&pool->owner) != 0) {
    status = run_serially(thread, body, argument, count);
  } else {
    if (pool->started_for != atomic_load_explicit(&pool->requested, memory_order_relaxed)) {
      end_workers(pool, 0); /* how long they spin depends on the count */
    }
    if (pool->worker_count + 1 < threads) start_workers(pool, threads - 1);
    const uint32_t epoch = pool->epoch;
    if (pool->worker_count == 0) {
      status = run_serially(thread, body, argument, count);
    } else {
      stay_awake(pool, thread);
      status = run_threaded(pool, thread, body, argument, &chunks, threads);
    }
    /* In the child of a body that forked the mutex is another one, which nobody locked. */
    if (pool->epoch == epoch) pthread_mutex_unlock(&pool->owner);
  }
  if (ARMNN_UNLIKELY(atomic_load_explicit(&pool->stop_deferred, memory_order_relaxed))) {
    armnn_i_pool_stop(pool);
  }
  return status;
}

/* ---- Size and life ------------------------------------------------------------------------- */

void armnn_i_pool_init(armnn_i_pool_t* pool) {
  memset((void*)pool, 0, sizeof *pool);
  pthread_mutex_init(&pool->owner, NULL);
  atomic_store(&pool->start_limit, ARMNN_MAX_THREADS);
}

void armnn_i_pool_after_fork(armnn_i_pool_t* pool) {
  const uint32_t requested = atomic_load(&pool->requested);
  const uint32_t epoch = pool->epoch + 1;
  const armnn_i_thread_t* caller = pool->caller; /* of the body that forked, if one did */
  armnn_i_pool_init(pool);
  pool->epoch = epoch;
  pool->caller = caller;
  atomic_store(&pool->requested, requested);
}

uint32_t armnn_i_pool_thread_count(armnn_i_pool_t* pool) {
  uint32_t count = atomic_load_explicit(&pool->requested, memory_order_relaxed);
  if (ARMNN_LIKELY(count != 0)) return count;
  uint32_t usable = armnn_i_usable_cpus();
  if (usable > ARMNN_MAX_THREADS) usable = ARMNN_MAX_THREADS;
  return atomic_compare_exchange_strong(&pool->requested, &count, usable) ? usable : count;
}

uint32_t armnn_i_pool_concurrency(armnn_i_pool_t* pool) {
  const uint32_t count = armnn_i_pool_thread_count(pool);
  const uint32_t limit = armnn_i_thread()->thread_limit;
  return limit != 0 && limit < count ? limit : count;
}

armnn_status_t armnn_i_pool_set_thread_count(armnn_i_pool_t* pool, uint32_t count) {
  if (count > ARMNN_MAX_THREADS) return ARMNN_STATUS_INVALID_ARGUMENT;
  atomic_store(&pool->requested, count);
  count = armnn_i_pool_thread_count(pool);
  atomic_store(&pool->start_limit, ARMNN_MAX_THREADS);
  const armnn_i_thread_t* thread = armnn_i_thread();
  if (thread->in_body || thread->is_worker || pthread_mutex_trylock(&pool->owner) != 0) {
    return ARMNN_STATUS_OK; /* a job runs; the next one does it */
  }
  if (pool->started_for != count) end_workers(pool, 0);
  pthread_mutex_unlock(&pool->owner);
  return ARMNN_STATUS_OK;
}

void armnn_i_pool_stop(armnn_i_pool_t* pool) {
  const armnn_i_thread_t* thread = armnn_i_thread();
  if (thread->in_body || thread->is_worker) {
    atomic_store(&pool->stop_deferred, true); /* a thread cannot wait for itself */
    return;
  }
  atomic_store(&pool->stop_deferred, false);
  atomic_fetch_add(&pool->owner_waiters, 1);
  pthread_mutex_lock(&pool->owner);
  end_workers(pool, 0);
  pthread_mutex_unlock(&pool->owner);
  atomic_fetch_sub(&pool->owner_waiters, 1);
}

armnn_status_t armnn_i_pool_on_thread_exit(void (*function)(void* argument), void* argument) {
  armnn_i_thread_t* thread = armnn_i_thread();
  if (function == NULL) return ARMNN_STATUS_INVALID_ARGUMENT;
  if (!thread->is_worker) return ARMNN_STATUS_UNSUPPORTED; /* not a thread of the pool */
  const uint64_t identity = armnn_i_code_identity((const void*)(uintptr_t)function);
  if (identity == 0) return ARMNN_STATUS_INVALID_ARGUMENT; /* not the address of code */
  armnn_i_exit_hook_t* hook = (armnn_i_exit_hook_t*)malloc(sizeof *hook);
  if (hook == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  hook->function = function;
  hook->argument = argument;
  hook->identity = identity;
  hook->next = thread->exit_hooks;
  thread->exit_hooks = hook;
  return ARMNN_STATUS_OK;
}
