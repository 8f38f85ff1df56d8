/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_schedule.c - how parallel_for cuts its elements, with simulated threads up to 64.
 */
#include "harness.h"
#include "threads/pool_chunks.h"

#define MAX_THREADS 64u

static armnn_i_region_t regions[MAX_THREADS];
static uint64_t job; /* never reset, as in the pool: words of jobs before are there */

typedef struct chunk_t {
  uint64_t begin, end;
} chunk_t;

static int by_begin(const void* a, const void* b) {
  const uint64_t left = ((const chunk_t*)a)->begin, right = ((const chunk_t*)b)->begin;
  return left < right ? -1 : left > right;
}

/* Takes all chunks, for threads in an order drawn from |seed|; returns how many there are. */
static size_t take_all(const armnn_i_chunks_t* chunks, uint64_t seed, chunk_t* out) {
  size_t taken = 0;
  ++job;
  while (chunks->regions != 0) {
    const uint32_t home = (uint32_t)random_below(&seed, chunks->regions);
    chunk_t* chunk = &out[taken];
    if (!armnn_i_take_chunk(chunks, regions, job, home, &chunk->begin, &chunk->end)) break;
    if (++taken == MAX_THREADS * ARMNN_POOL_UNITS) break;
  }
  qsort(out, taken, sizeof *out, by_begin);
  return taken;
}

/* Every element in one chunk and none smaller than the grain, whoever takes them. */
static void chunks_cover_all_elements(void) {
  static const uint64_t counts[] = {0, 1, 2, 3, 5, 7, 8, 63, 64, 65, 511, 512, 1000, 99991};
  static const uint64_t grains[] = {0, 1, 2, 3, 8, 100, UINT64_MAX};
  static chunk_t taken[MAX_THREADS * ARMNN_POOL_UNITS + 1];
  for (uint32_t threads = 1; threads <= MAX_THREADS; ++threads) {
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
      for (size_t g = 0; g < sizeof grains / sizeof *grains; ++g) {
        const uint64_t grain = grains[g] == 0 ? 1 : grains[g];
        const armnn_i_chunks_t chunks = armnn_i_chunks_of(counts[c], grains[g], threads);
        CHECK((chunks.regions == 0) == (counts[c] == 0));
        CHECK(chunks.regions <= threads);
        const size_t number = take_all(&chunks, threads * 1000 + c * 10 + g, taken);
        uint64_t expected = 0;
        for (size_t i = 0; i < number; ++i) {
          CHECK_EQUAL(taken[i].begin, expected);
          CHECK(taken[i].end > taken[i].begin);
          CHECK(taken[i].end - taken[i].begin >= grain || number == 1);
          expected = taken[i].end;
        }
        CHECK_EQUAL(expected, counts[c]);
      }
    }
  }
  const armnn_i_chunks_t largest = armnn_i_chunks_of(UINT64_MAX, 1, MAX_THREADS);
  const size_t number = take_all(&largest, 1, taken);
  CHECK_EQUAL(taken[0].begin, 0);
  CHECK_EQUAL(taken[number - 1].end, UINT64_MAX);
}

/* Threads that keep pace stay in their regions, which lie side by side in the order of threads. */
static void each_thread_has_a_part_of_its_own(void) {
  for (uint32_t threads = 1; threads <= MAX_THREADS; ++threads) {
    for (uint64_t count = threads; count < threads * UINT64_C(100); count += 1 + count / 3) {
      const armnn_i_chunks_t chunks = armnn_i_chunks_of(count, 1, threads);
      uint64_t at[MAX_THREADS + 1], begin, end;
      CHECK_EQUAL(chunks.regions, threads);
      for (uint32_t t = 0; t <= threads; ++t) at[t] = armnn_i_unit_begin(&chunks, t, 0);
      ++job;
      for (uint32_t units = armnn_i_units_in(&chunks, threads - 1); units != 0; units /= 2) {
        for (uint32_t t = 0; t < threads; ++t) {
          CHECK(armnn_i_take_chunk(&chunks, regions, job, t, &begin, &end));
          CHECK_EQUAL(begin, at[t]); /* behind the one before */
          at[t] = end;
        }
      }
      CHECK_EQUAL(armnn_i_unit_begin(&chunks, threads - 1, armnn_i_units_in(&chunks, threads - 1)),
                  count);
    }
  }
}

/* When the last thread is done, if each element takes one unit of time and thread t cannot begin
 * before |free_at[t]|: whoever is free first takes its next chunk. */
static uint64_t simulate(uint64_t count, uint32_t threads, const uint64_t* free_at) {
  const armnn_i_chunks_t chunks = armnn_i_chunks_of(count, 1, threads);
  uint64_t clock[MAX_THREADS], last = 0, begin, end;
  memcpy(clock, free_at, threads * sizeof *clock);
  ++job;
  for (;;) {
    uint32_t first = 0;
    for (uint32_t t = 1; t < threads; ++t) {
      if (clock[t] < clock[first]) first = t;
    }
    if (!armnn_i_take_chunk(&chunks, regions, job, first, &begin, &end)) return last;
    clock[first] += end - begin;
    if (clock[first] > last) last = clock[first];
  }
}

/* Nobody is held up: no thread waits longer than for the smallest chunk. */
static void threads_end_together(void) {
  static const uint64_t free_at[MAX_THREADS];
  for (uint32_t threads = 1; threads <= MAX_THREADS; ++threads) {
    const uint64_t share = 1600, end = simulate(share * threads, threads, free_at);
    CHECK(end >= share && end <= share + share / 16);
  }
}

/* One thread comes late by up to its whole share: the others take what it leaves, and end at most
 * a sixteenth of a share after the time at which perfectly divisible work would be done. */
static void others_take_the_work_of_one_that_is_late(void) {
  const uint64_t share = 1600;
  for (uint32_t threads = 2; threads <= MAX_THREADS; ++threads) {
    for (uint64_t late = 0; late <= share; late += share / 32) {
      uint64_t free_at[MAX_THREADS] = {0};
      free_at[late * threads / (share + 1)] = late; /* each thread once */
      const uint64_t work = share * threads, end = simulate(work, threads, free_at);
      uint64_t ideal = (work + late + threads - 1) / threads;
      if (late > ideal) ideal = (work + threads - 2) / (threads - 1); /* it comes too late */
      CHECK(end <= ideal + share / 8);
    }
  }
}

static const test_t tests[] = {
    TEST(chunks_cover_all_elements),
    TEST(each_thread_has_a_part_of_its_own),
    TEST(threads_end_together),
    TEST(others_take_the_work_of_one_that_is_late),
};
MAIN(tests)
