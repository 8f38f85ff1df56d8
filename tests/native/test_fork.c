/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_fork.c - what the child of a fork finds, where no thread has to be started in it.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "harness.h"

static void wait_for_child(pid_t child) {
  int status = -1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* In the child somebody else has the workers by the time the body returns. */
static armnn_status_t fork_and_take_the_pool(void* argument, uint64_t begin, uint64_t end,
                                             uint32_t thread_index) {
  (void)end;
  if (begin != 0 || thread_index != 0) return ARMNN_STATUS_OK;
  pid_t* child = (pid_t*)argument;
  *child = fork();
  if (*child == 0) CHECK_EQUAL(pthread_mutex_lock(&armnn_i_core.pool.owner), 0);
  return ARMNN_STATUS_OK;
}

static void a_body_may_fork_where_no_worker_starts(void) {
  const armnn_host_t* host = armnn_core_host();
  CHECK_EQUAL(armnn_core_set_thread_count(3), ARMNN_STATUS_OK);
  atomic_store(&armnn_i_core.pool.start_limit, 0); /* as if the system had refused threads */
  pid_t child = -1;
  fflush(stdout);
  CHECK_EQUAL(host->parallel_for(host->context, fork_and_take_the_pool, &child, 12, 1, 0), 0);
  CHECK_EQUAL(armnn_i_core.pool.worker_count, 0);
  if (child == 0) {
    CHECK(pthread_mutex_trylock(&armnn_i_core.pool.owner) != 0); /* not ours to release */
    _exit(0);
  }
  CHECK(child > 0);
  wait_for_child(child);
  CHECK_EQUAL(pthread_mutex_trylock(&armnn_i_core.pool.owner), 0);
  CHECK_EQUAL(pthread_mutex_unlock(&armnn_i_core.pool.owner), 0);
  CHECK_EQUAL(armnn_core_set_thread_count(0), ARMNN_STATUS_OK);
}

static void emit(uint64_t id) {
  const armnn_host_t* host = armnn_core_host();
  host->trace(host->context, ARMNN_TRACE_INSTANT, (armnn_string_t){"event", 5}, id);
}

/* Another thread may have claimed a place in the buffer; in the child nobody fills it. */
static void the_trace_of_a_child_is_its_own(void) {
  enum { CAPACITY = 4, BEFORE = 3 };
  armnn_trace_event_t events[8];
  for (uint64_t laps = 0; laps < 2; ++laps) {
    CHECK_EQUAL(armnn_core_trace_start(CAPACITY), ARMNN_STATUS_OK);
    for (uint64_t i = 0; i < laps * CAPACITY; ++i) emit(i);
    CHECK_EQUAL(armnn_core_trace_read(events, 8), laps * CAPACITY);
    for (uint64_t i = 0; i < BEFORE; ++i) emit(100 + i);
    const uint64_t place = atomic_fetch_add(&armnn_i_core.trace.tail, 1);
    CHECK_EQUAL(place, laps * CAPACITY + BEFORE);
    emit(103); /* no room */
    CHECK_EQUAL(armnn_core_trace_dropped(), 1);
    fflush(stdout);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      CHECK_EQUAL(armnn_core_trace_read(events, 8), 0); /* the parent has them */
      CHECK_EQUAL(armnn_core_trace_dropped(), 0);
      for (uint64_t i = 0; i < CAPACITY + 2; ++i) emit(200 + i);
      CHECK_EQUAL(armnn_core_trace_dropped(), 2);
      CHECK_EQUAL(armnn_core_trace_read(events, 8), CAPACITY);
      for (uint64_t i = 0; i < CAPACITY; ++i) CHECK_EQUAL(events[i].id, 200 + i);
      emit(300);
      armnn_core_trace_stop(); /* the child's own count of starts */
      emit(301);
      CHECK_EQUAL(armnn_core_trace_read(events, 8), 1);
      CHECK_EQUAL(events[0].id, 300);
      _exit(0);
    }
    wait_for_child(child);
    atomic_fetch_sub(&armnn_i_core.trace.tail, 1); /* hand the place back */
    armnn_core_trace_stop();
    CHECK_EQUAL(armnn_core_trace_read(events, 8), BEFORE); /* untouched by the fork */
    for (uint64_t i = 0; i < BEFORE; ++i) CHECK_EQUAL(events[i].id, 100 + i);
  }
}

/* A buffer that nobody reads or records into any more is no trouble either. */
static void a_fork_without_a_trace(void) {
  armnn_trace_event_t events[2];
  fflush(stdout);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK_EQUAL(armnn_core_trace_read(events, 2), 0);
    CHECK_EQUAL(armnn_core_trace_start(2), ARMNN_STATUS_OK);
    emit(1);
    CHECK_EQUAL(armnn_core_trace_read(events, 2), 1);
    _exit(0);
  }
  wait_for_child(child);
}

static const test_t tests[] = {
    TEST(a_body_may_fork_where_no_worker_starts),
    TEST(the_trace_of_a_child_is_its_own),
    TEST(a_fork_without_a_trace),
};
MAIN(tests)
