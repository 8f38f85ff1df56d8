/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_pool.c - parallel_for: every index once, whoever calls, whatever happens to the pool.
 */
#define _GNU_SOURCE /* pthread_getname_np */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "harness.h"

static armnn_i_pool_t pool;

static void set_up(uint32_t threads) {
  armnn_i_pool_init(&pool);
  CHECK_EQUAL(armnn_i_pool_set_thread_count(&pool, threads), ARMNN_STATUS_OK);
}

/* ---- Every index once ---------------------------------------------------------------------- */

#define MAX_COUNT 5000

typedef struct job_t {
  atomic_uint hits[MAX_COUNT];
  atomic_uint active[16]; /* who uses this thread_index now */
  uint64_t count;
  uint64_t grain;
  uint32_t thread_limit;
} job_t;

static armnn_status_t hit_range(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  job_t* job = (job_t*)argument;
  CHECK(begin < end && end <= job->count);
  CHECK(end - begin >= job->grain || end - begin == job->count);
  CHECK(thread_index < job->thread_limit);
  CHECK_EQUAL(atomic_fetch_add(&job->active[thread_index], 1), 0); /* nobody else has it */
  for (uint64_t i = begin; i < end; ++i) atomic_fetch_add(&job->hits[i], 1);
  atomic_fetch_sub(&job->active[thread_index], 1);
  return ARMNN_STATUS_OK;
}

static void run_job(job_t* job, uint64_t count, uint64_t grain, uint32_t max_threads,
                    uint32_t threads) {
  memset((void*)job, 0, sizeof *job);
  job->count = count;
  job->grain = grain == 0 ? 1 : grain;
  job->thread_limit = max_threads == 0 || max_threads > threads ? threads : max_threads;
  CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, hit_range, job, count, grain, max_threads), 0);
  for (uint64_t i = 0; i < count; ++i) CHECK_EQUAL(job->hits[i], 1);
}

static void every_index_once(void) {
  static const uint64_t counts[] = {0, 1, 2, 3, 7, 8, 9, 64, 100, 1023, 4999};
  static const uint64_t grains[] = {0, 1, 2, 5, 64, 3000, UINT64_MAX};
  static const uint32_t limits[] = {0, 1, 2, 3, 100};
  job_t job;
  for (uint32_t threads = 1; threads <= 8; threads += threads > 3 ? 4 : 1) {
    set_up(threads);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
      for (size_t g = 0; g < sizeof grains / sizeof *grains; ++g) {
        for (size_t l = 0; l < sizeof limits / sizeof *limits; ++l) {
          run_job(&job, counts[c], grains[g], limits[l], threads);
        }
      }
    }
    armnn_i_pool_stop(&pool);
  }
  CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, NULL, NULL, 3, 1, 0), ARMNN_STATUS_INVALID_ARGUMENT);
}

/* Ranges near the end of 64 bits are cut without overflow. */
static armnn_status_t add_lengths(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  CHECK(begin < end);
  atomic_fetch_add((_Atomic uint64_t*)argument, end - begin);
  return ARMNN_STATUS_OK;
}

static void large_counts_do_not_overflow(void) {
  set_up(3);
  _Atomic uint64_t total = 0;
  CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, add_lengths, &total, UINT64_MAX, 1, 0), 0);
  CHECK(total == UINT64_MAX);
  armnn_i_pool_stop(&pool);
}

/* ---- Failures ------------------------------------------------------------------------------ */

typedef struct failing_t {
  uint64_t at;
  atomic_uint bodies;
} failing_t;

static armnn_status_t fail_at(void* argument, uint64_t begin, uint64_t end, uint32_t thread_index) {
  (void)thread_index;
  failing_t* failing = (failing_t*)argument;
  atomic_fetch_add(&failing->bodies, 1);
  return begin <= failing->at && failing->at < end ? ARMNN_STATUS_DEVICE_LOST : ARMNN_STATUS_OK;
}

static armnn_status_t fail_inside(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  return armnn_i_pool_parallel_for(&pool, fail_at, argument, end - begin, 1, 0);
}

static void a_body_that_fails_ends_the_loop(void) {
  for (uint32_t threads = 1; threads <= 4; ++threads) {
    set_up(threads);
    for (uint64_t at = 0; at < 40; ++at) {
      failing_t failing = {.at = at};
      CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, fail_at, &failing, 32, 1, 0),
                  at < 32 ? ARMNN_STATUS_DEVICE_LOST : ARMNN_STATUS_OK);
      CHECK(at < 32 || threads == 1 || failing.bodies > 1);
    }
    /* Chunks that have not begun are left out; one thread meets them in their order. */
    failing_t first = {.at = 0};
    CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, fail_at, &first, 4, 1, 1),
                ARMNN_STATUS_DEVICE_LOST);
    CHECK_EQUAL(first.bodies, 1);
    failing_t nested = {.at = 0};
    CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, fail_inside, &nested, 8, 8, 0),
                ARMNN_STATUS_DEVICE_LOST);
    armnn_i_pool_stop(&pool);
  }
}

/* ---- Threads ------------------------------------------------------------------------------- */

/* Meets another thread inside the body, so that a worker certainly takes part. */
typedef struct meeting_t {
  atomic_uint present;
  atomic_uint workers;
  uint32_t wanted;
  bool registers_hook;
  atomic_uint hooks_run;
} meeting_t;

static void exit_hook(void* argument) { atomic_fetch_add((atomic_uint*)argument, 1); }

static armnn_status_t meet(void* argument, uint64_t begin, uint64_t end, uint32_t thread_index) {
  (void)begin, (void)end;
  meeting_t* meeting = (meeting_t*)argument;
  atomic_fetch_add(&meeting->present, 1);
  while (atomic_load(&meeting->present) < meeting->wanted) sched_yield();
  char name[32];
  pthread_getname_np(pthread_self(), name, sizeof name);
  if (thread_index == 0) {
    CHECK_EQUAL(armnn_i_pool_on_thread_exit(exit_hook, argument), ARMNN_STATUS_UNSUPPORTED);
    return ARMNN_STATUS_OK;
  }
  CHECK(strcmp(name, "armnn_py") == 0);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  CHECK(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGUSR1));
  atomic_fetch_add(&meeting->workers, 1);
  if (meeting->registers_hook) {
    CHECK_EQUAL(armnn_i_pool_on_thread_exit(NULL, NULL), ARMNN_STATUS_INVALID_ARGUMENT);
    CHECK_EQUAL(armnn_i_pool_on_thread_exit(exit_hook, &meeting->hooks_run), ARMNN_STATUS_OK);
  }
  return ARMNN_STATUS_OK;
}

static void threads_start_when_needed_and_end_when_told(void) {
  set_up(3);
  CHECK_EQUAL(pool.worker_count, 0);
  job_t job;
  run_job(&job, 10, 1, 1, 3);
  run_job(&job, 10, 10, 0, 3);
  CHECK_EQUAL(pool.worker_count, 0); /* nothing that workers could have done */
  for (int round = 0; round < 3; ++round) {
    meeting_t meeting = {.wanted = 3, .registers_hook = true};
    CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, meet, &meeting, 3, 1, 0), 0);
    CHECK_EQUAL(pool.worker_count, 2);
    CHECK_EQUAL(meeting.workers, 2);
    CHECK_EQUAL(meeting.hooks_run, 0);
    armnn_i_pool_stop(&pool);
    CHECK_EQUAL(meeting.hooks_run, 2);
    CHECK_EQUAL(pool.worker_count, 0);
    armnn_i_pool_stop(&pool);
  }
}

/* Sleeping workers come, too: between the meetings they have time to fall asleep. */
static void sleepers_are_woken(void) {
  set_up(2);
  for (int round = 0; round < 50; ++round) {
    meeting_t meeting = {.wanted = 2};
    CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, meet, &meeting, 2, 1, 0), 0);
    CHECK_EQUAL(meeting.workers, 1);
    if (round % 2 == 0) {
      while (atomic_load(&pool.sleepers) == 0) sched_yield();
    }
  }
  armnn_i_pool_stop(&pool);
}

static void the_count_can_change(void) {
  set_up(2);
  job_t job;
  for (uint32_t threads = 1; threads <= 6; ++threads) {
    CHECK_EQUAL(armnn_i_pool_set_thread_count(&pool, threads), ARMNN_STATUS_OK);
    CHECK_EQUAL(armnn_i_pool_thread_count(&pool), threads);
    run_job(&job, 1000, 1, 0, threads);
    CHECK_EQUAL(pool.worker_count, threads - 1);
  }
  CHECK_EQUAL(armnn_i_pool_set_thread_count(&pool, ARMNN_MAX_THREADS + 1),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(armnn_i_pool_thread_count(&pool), 6);
  CHECK_EQUAL(armnn_i_pool_set_thread_count(&pool, 0), ARMNN_STATUS_OK);
  CHECK_EQUAL(armnn_i_pool_thread_count(&pool), armnn_core_usable_cpus());
  armnn_i_pool_stop(&pool);
}

/* ---- Inside a body ------------------------------------------------------------------------- */

typedef struct nested_t {
  atomic_uint inner[64];
} nested_t;

typedef struct inner_t {
  nested_t* nested;
  uint64_t outer;
  uint32_t thread_index;
  pthread_t thread;
} inner_t;

static armnn_status_t inner_body(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  const inner_t* self = (const inner_t*)argument;
  CHECK(begin == 0 && end == 10); /* serially, in one piece, where it was called */
  CHECK(pthread_equal(self->thread, pthread_self()));
  CHECK_EQUAL(thread_index, self->thread_index);
  atomic_fetch_add(&self->nested->inner[self->outer], 10);
  return ARMNN_STATUS_OK;
}

static armnn_status_t outer_body(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  for (uint64_t i = begin; i < end; ++i) {
    inner_t inner = {(nested_t*)argument, i, thread_index, pthread_self()};
    CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, inner_body, &inner, 10, 1, 0), 0);
  }
  return ARMNN_STATUS_OK;
}

static void nested_calls_run_where_they_are(void) {
  for (uint32_t threads = 1; threads <= 4; ++threads) {
    set_up(threads);
    for (int round = 0; round < 50; ++round) {
      nested_t nested;
      memset((void*)&nested, 0, sizeof nested);
      CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, outer_body, &nested, 64, 1, 0), 0);
      for (int i = 0; i < 64; ++i) CHECK_EQUAL(nested.inner[i], 10);
    }
    armnn_i_pool_stop(&pool);
  }
}

/* Every thread is inside when the inner loops begin, so that each index is tried. */
typedef struct limited_t {
  atomic_uint present;
  uint32_t threads;
} limited_t;

typedef struct limited_loop_t {
  uint32_t outer_index;
  uint32_t limit;
  uint32_t bodies;
} limited_loop_t;

static armnn_status_t limited_body(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  (void)begin, (void)end;
  limited_loop_t* self = (limited_loop_t*)argument;
  ++self->bodies;
  const bool stays = self->limit == 0 || self->outer_index < self->limit;
  CHECK_EQUAL(thread_index, stays ? self->outer_index : 0);
  return ARMNN_STATUS_OK;
}

static armnn_status_t limiting_body(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) {
  (void)begin, (void)end;
  limited_t* self = (limited_t*)argument;
  atomic_fetch_add(&self->present, 1);
  while (atomic_load(&self->present) < self->threads) sched_yield();
  for (uint32_t limit = 0; limit <= self->threads + 1; ++limit) {
    limited_loop_t loop = {thread_index, limit, 0};
    CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, limited_body, &loop, 10, 1, limit), 0);
    CHECK_EQUAL(loop.bodies, 1);
  }
  return ARMNN_STATUS_OK;
}

static void an_inner_index_is_below_its_own_limit(void) {
  for (uint32_t threads = 1; threads <= 4; ++threads) {
    set_up(threads);
    limited_t limited = {.threads = threads};
    CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, limiting_body, &limited, threads, 1, 0), 0);
    CHECK_EQUAL(limited.present, threads);
    armnn_i_pool_stop(&pool);
  }
}

static armnn_status_t change_pool(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)argument, (void)end, (void)thread_index;
  CHECK_EQUAL(armnn_i_pool_set_thread_count(&pool, 2 + (uint32_t)begin % 3), ARMNN_STATUS_OK);
  armnn_i_pool_stop(&pool); /* put off until the parallel_for is over */
  return ARMNN_STATUS_OK;
}

static void bodies_may_change_the_pool(void) {
  set_up(3);
  for (int round = 0; round < 50; ++round) {
    CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, change_pool, NULL, 30, 1, 0), 0);
    CHECK_EQUAL(pool.worker_count, 0);
  }
}

/* ---- Many callers -------------------------------------------------------------------------- */

static atomic_bool callers_go_on;

static void* call_often(void* data) {
  const uint32_t rounds = *(const uint32_t*)data;
  static _Thread_local job_t job;
  for (uint32_t i = 0; i < rounds; ++i) run_job(&job, 1 + i % 200, 1, 0, 8);
  return NULL;
}

static void* change_often(void* data) {
  uint64_t seed = (uintptr_t)data;
  while (atomic_load(&callers_go_on)) {
    if (random_below(&seed, 2) == 0) {
      armnn_i_pool_stop(&pool);
    } else {
      armnn_i_pool_set_thread_count(&pool, 1 + (uint32_t)random_below(&seed, 8));
    }
    sched_yield();
  }
  return NULL;
}

static void call_from_many_threads(bool with_changes) {
  enum { CALLERS = 6, CHANGERS = 2 };
  set_up(4);
  pthread_t callers[CALLERS], changers[CHANGERS];
  uint32_t rounds = with_changes ? 400 : 2000;
  atomic_store(&callers_go_on, true);
  for (int i = 0; i < CALLERS; ++i) {
    CHECK_EQUAL(pthread_create(&callers[i], NULL, call_often, &rounds), 0);
  }
  for (int i = 0; with_changes && i < CHANGERS; ++i) {
    CHECK_EQUAL(pthread_create(&changers[i], NULL, change_often, (void*)(uintptr_t)(i + 1)), 0);
  }
  for (int i = 0; i < CALLERS; ++i) CHECK_EQUAL(pthread_join(callers[i], NULL), 0);
  atomic_store(&callers_go_on, false);
  for (int i = 0; with_changes && i < CHANGERS; ++i) {
    CHECK_EQUAL(pthread_join(changers[i], NULL), 0);
  }
  armnn_i_pool_stop(&pool);
}

static void many_callers_do_not_wait_for_each_other(void) { call_from_many_threads(false); }

static void the_pool_changes_under_its_callers(void) { call_from_many_threads(true); }

#if defined(__SANITIZE_THREAD__)
#define UNDER_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER
#endif
#endif

static void a_thread_may_take_less(void) {
  job_t job;
  set_up(4);
  CHECK_EQUAL(armnn_core_limit_threads(2), 0);
  run_job(&job, 500, 1, 0, 2);
  run_job(&job, 500, 1, 1, 1);
  CHECK_EQUAL(armnn_i_pool_concurrency(&pool), 2);
  CHECK_EQUAL(armnn_core_limit_threads(0), 2);
  CHECK_EQUAL(armnn_i_pool_concurrency(&pool), 4);
  armnn_i_pool_stop(&pool);
}

#ifndef UNDER_THREAD_SANITIZER

/* ---- Fork ---------------------------------------------------------------------------------- */

static armnn_status_t add_one(void* argument, uint64_t begin, uint64_t end, uint32_t thread_index) {
  (void)thread_index;
  for (uint64_t i = begin; i < end; ++i) atomic_fetch_add((atomic_uint*)argument, 1);
  return ARMNN_STATUS_OK;
}

static void use_shared_pool(uint32_t threads) {
  const armnn_host_t* host = armnn_core_host();
  CHECK_EQUAL(host->concurrency(host->context), threads);
  for (int i = 0; i < 20; ++i) {
    atomic_uint total = 0;
    CHECK_EQUAL(host->parallel_for(host->context, add_one, &total, 1000, 1, 0), 0);
    CHECK_EQUAL(total, 1000);
  }
  meeting_t meeting = {.wanted = 2};
  CHECK_EQUAL(host->parallel_for(host->context, meet, &meeting, 2, 1, 0), 0);
  CHECK_EQUAL(meeting.workers, 1);
}

static void wait_for_child(pid_t child) {
  int status = -1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_forked_child_starts_over(void) {
  CHECK_EQUAL(armnn_core_set_thread_count(2), ARMNN_STATUS_OK);
  use_shared_pool(2);
  for (int round = 0; round < 5; ++round) {
    fflush(stdout);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      use_shared_pool(2);
      armnn_core_stop_threads();
      _exit(0);
    }
    use_shared_pool(2);
    wait_for_child(child);
  }
  armnn_core_stop_threads();
}

static armnn_status_t fork_inside(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)end;
  if (begin != 0 || thread_index != 0) return ARMNN_STATUS_OK;
  *(pid_t*)argument = fork();
  return ARMNN_STATUS_OK;
}

/* The caller's thread forks in a body: in the child the parallel_for returns and the next works. */
static void a_body_may_fork(void) {
  CHECK_EQUAL(armnn_core_set_thread_count(2), ARMNN_STATUS_OK);
  const armnn_host_t* host = armnn_core_host();
  for (int round = 0; round < 10; ++round) {
    pid_t child = -1;
    CHECK_EQUAL(host->parallel_for(host->context, fork_inside, &child, 4, 1, 0), 0);
    if (child == 0) {
      use_shared_pool(2);
      armnn_core_stop_threads();
      _exit(0);
    }
    if (child > 0) wait_for_child(child); /* a worker may have had the first chunk */
  }
  armnn_core_stop_threads();
}

#endif

/* Workers stay awake while a run that has used the pool goes on, and no longer. */
static void runs_are_counted_once(void) {
  set_up(2);
  armnn_i_thread_t* thread = armnn_i_thread();
  job_t job;
  run_job(&job, 8, 1, 0, 2);
  CHECK_EQUAL(pool.contention.runs, 0);        /* outside of a run */
  thread->walk = (struct armnn_i_walk_t*)&job; /* never looked into */
  run_job(&job, 8, 1, 1, 2);
  CHECK_EQUAL(pool.contention.runs, 0); /* it has not used a worker */
  run_job(&job, 8, 1, 0, 2);
  run_job(&job, 8, 1, 0, 2);
  CHECK_EQUAL(pool.contention.runs, 1);
  thread->walk = NULL;
  armnn_i_pool_run_ended(&pool, thread);
  CHECK_EQUAL(pool.contention.runs, 0);
  armnn_i_pool_run_ended(&pool, thread); /* of a run that is not counted */
  CHECK_EQUAL(pool.contention.runs, 0);
  armnn_i_pool_stop(&pool);
}

/* Waits in vain as the owner of a job whose worker has the last chunk. */
static void wait_in_vain(armnn_i_contention_t* contention) {
  armnn_i_spin_t spin = armnn_i_spin_begin(contention, true);
  while (!armnn_i_spin_is_over(&spin)) {
  }
}

/* Tries, because other programs may hold the test up for longer than two losses may be apart. */
static void two_losses_in_a_row_mean_oversubscription(void) {
  armnn_i_contention_t contention = {.may_spin = true, .runs = 1};
  armnn_i_spin_forget();
  contention.lost_at = armnn_i_now_ns();
  for (int tries = 0; tries < 1000 && contention.oversubscribed_until == 0; ++tries)
    wait_in_vain(&contention);
  CHECK(contention.oversubscribed_until > contention.lost_at);
  CHECK_EQUAL(contention.oversubscribed_for, ARMNN_OVERSUBSCRIBED_NS);
}

static void losses_far_apart_make_none(void) {
  armnn_i_contention_t contention = {.may_spin = true, .runs = 1};
  for (int tries = 0; tries < 1000; ++tries) {
    armnn_i_spin_forget();
    contention = (armnn_i_contention_t){.may_spin = true, .runs = 1};
    wait_in_vain(&contention);
    if (contention.oversubscribed_until == 0) break; /* else the test itself was held up, too */
  }
  CHECK_EQUAL(contention.oversubscribed_until, 0);
  CHECK(contention.lost_at != 0);
}

static void runs_that_follow_at_once_are_waited_for(void) {
  armnn_i_contention_t contention = {.may_spin = true};
  armnn_i_contention_run_begins(&contention); /* the first: nothing ended before it */
  CHECK_EQUAL(contention.between, 0);
  armnn_i_contention_run_ends(&contention);
  CHECK_EQUAL(contention.runs, 0);
  for (int tries = 0; tries < 1000 && contention.between == 0; ++tries) {
    armnn_i_contention_run_begins(&contention);
    armnn_i_contention_run_ends(&contention);
  }
  CHECK(contention.between != 0);
  CHECK(contention.between < ARMNN_WAIT_BETWEEN_MOST_NS);
}

static const test_t tests[] = {
    TEST(every_index_once),
    TEST(large_counts_do_not_overflow),
    TEST(a_body_that_fails_ends_the_loop),
    TEST(threads_start_when_needed_and_end_when_told),
    TEST(sleepers_are_woken),
    TEST(the_count_can_change),
    TEST(nested_calls_run_where_they_are),
    TEST(an_inner_index_is_below_its_own_limit),
    TEST(bodies_may_change_the_pool),
    TEST(many_callers_do_not_wait_for_each_other),
    TEST(the_pool_changes_under_its_callers),
    TEST(a_thread_may_take_less),
    TEST(runs_are_counted_once),
    TEST(two_losses_in_a_row_mean_oversubscription),
    TEST(losses_far_apart_make_none),
    TEST(runs_that_follow_at_once_are_waited_for),
#ifndef UNDER_THREAD_SANITIZER /* which does not support threads in the child of a fork */
    TEST(a_forked_child_starts_over),
    TEST(a_body_may_fork),
#endif
};
MAIN(tests)
