/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_pool_parts.c - parallel_for: which thread does what part of a loop, and who helps.
 */
#include <sched.h>

#include "core.h"
#include "harness.h"

static armnn_i_pool_t pool;

static void set_up(uint32_t threads) {
  armnn_i_pool_init(&pool);
  CHECK_EQUAL(armnn_i_pool_set_thread_count(&pool, threads), ARMNN_STATUS_OK);
}

enum { PLACES = 8 };

typedef struct places_t {
  atomic_uint present;
  uint32_t threads;
  pthread_t first[PLACES]; /* who had the beginning of each region */
} places_t;

/* All threads are inside at once, so that each begins with its own region. */
static armnn_status_t note_place(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)end, (void)thread_index;
  places_t* places = (places_t*)argument;
  if (begin % 64 != 0) return ARMNN_STATUS_OK;
  places->first[begin / 64] = pthread_self();
  atomic_fetch_add(&places->present, 1);
  while (atomic_load(&places->present) < places->threads) sched_yield();
  return ARMNN_STATUS_OK;
}

static void each_thread_has_the_same_part_in_each_loop(void) {
  for (uint32_t threads = 2; threads <= PLACES; threads += threads == 2 ? 1 : 5) {
    set_up(threads);
    places_t before = {.threads = threads};
    CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, note_place, &before, threads * 64, 1, 0), 0);
    CHECK(pthread_equal(before.first[0], pthread_self()));
    for (int round = 0; round < 200; ++round) {
      places_t places = {.threads = threads};
      CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, note_place, &places, threads * 64, 1, 0), 0);
      for (uint32_t t = 0; t < threads; ++t) {
        CHECK(pthread_equal(places.first[t], before.first[t]));
      }
    }
    armnn_i_pool_stop(&pool);
  }
}

/* One thread is held up in its first chunk until all else is done: others do it. */
typedef struct held_up_t {
  atomic_uint present;
  uint32_t threads;
  uint32_t held; /* the index of the thread */
  uint64_t count;
  _Atomic uint64_t done;
  uint64_t held_length;
} held_up_t;

static armnn_status_t work_or_wait(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  held_up_t* self = (held_up_t*)argument;
  atomic_fetch_add(&self->present, 1);
  while (atomic_load(&self->present) < self->threads) sched_yield();
  if (thread_index == self->held) {
    CHECK_EQUAL(self->held_length, 0); /* nothing is left when it goes on */
    self->held_length = end - begin;
    while (atomic_load(&self->done) + (end - begin) < self->count) sched_yield();
  }
  atomic_fetch_add(&self->done, end - begin);
  return ARMNN_STATUS_OK;
}

static void others_do_the_work_of_one_that_is_held_up(void) {
  static const uint64_t counts[] = {4, 5, 7, 16, 17, 64, 1000};
  for (uint32_t threads = 2; threads <= 4; ++threads) {
    set_up(threads);
    for (uint32_t held = 0; held < threads; ++held) {
      for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        held_up_t self = {.threads = threads, .held = held, .count = counts[c]};
        CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, work_or_wait, &self, counts[c], 1, 0), 0);
        CHECK_EQUAL(self.done, counts[c]);
        CHECK(self.held_length > 0);
      }
    }
    armnn_i_pool_stop(&pool);
  }
}

static armnn_status_t add_length(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  atomic_fetch_add((_Atomic uint64_t*)argument, end - begin);
  return ARMNN_STATUS_OK;
}

static void more_threads_than_elements(void) {
  set_up(16);
  for (uint64_t count = 1; count <= 40; ++count) {
    for (int round = 0; round < 20; ++round) {
      _Atomic uint64_t total = 0;
      CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, add_length, &total, count, 1, 0), 0);
      CHECK_EQUAL(total, count);
    }
  }
  CHECK(pool.worker_count == 15);
  armnn_i_pool_stop(&pool);
}

static const test_t tests[] = {
    TEST(each_thread_has_the_same_part_in_each_loop),
    TEST(others_do_the_work_of_one_that_is_held_up),
    TEST(more_threads_than_elements),
};
MAIN(tests)
