/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_schedule.c - how parallel_for cuts its elements, with simulated threads up to 64.
 */
#include "harness.h"
#include "pool_chunks.h"

#define MAX_THREADS 64u

/* Every element in one chunk, chunks in order, none smaller than the grain, none above a share. */
static void chunks_cover_all_elements(void) {
  static const uint64_t counts[] = {0, 1, 2, 3, 5, 7, 8, 63, 64, 65, 511, 512, 1000, 99991};
  static const uint64_t grains[] = {0, 1, 2, 3, 8, 100, UINT64_MAX};
  for (uint32_t threads = 1; threads <= MAX_THREADS; ++threads) {
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
      for (size_t g = 0; g < sizeof grains / sizeof *grains; ++g) {
        const uint64_t grain = grains[g] == 0 ? 1 : grains[g];
        const armnn_i_chunks_t chunks = armnn_i_chunks_of(counts[c], grains[g], threads);
        CHECK((chunks.chunk_count == 0) == (counts[c] == 0));
        uint64_t expected = 0;
        for (uint64_t number = 0; number < chunks.chunk_count; ++number) {
          uint64_t begin, end;
          armnn_i_chunk_range(&chunks, number, &begin, &end);
          CHECK_EQUAL(begin, expected);
          CHECK(end > begin);
          CHECK(end - begin >= grain || chunks.chunk_count == 1);
          expected = end;
        }
        CHECK_EQUAL(expected, counts[c]);
      }
    }
  }
  const armnn_i_chunks_t largest = armnn_i_chunks_of(UINT64_MAX, 1, MAX_THREADS);
  uint64_t begin, end;
  armnn_i_chunk_range(&largest, largest.chunk_count - 1, &begin, &end);
  CHECK_EQUAL(end, UINT64_MAX);
}

/* When the last thread is done, if each element takes one unit of time and thread t cannot begin
 * before |free_at[t]|: whoever is free first takes the next chunk, as the atomic counter has it. */
static uint64_t simulate(uint64_t count, uint32_t threads, const uint64_t* free_at) {
  const armnn_i_chunks_t chunks = armnn_i_chunks_of(count, 1, threads);
  uint64_t clock[MAX_THREADS], last = 0;
  memcpy(clock, free_at, threads * sizeof *clock);
  for (uint64_t number = 0; number < chunks.chunk_count; ++number) {
    uint32_t first = 0;
    for (uint32_t t = 1; t < threads; ++t) {
      if (clock[t] < clock[first]) first = t;
    }
    uint64_t begin, end;
    armnn_i_chunk_range(&chunks, number, &begin, &end);
    clock[first] += end - begin;
    if (clock[first] > last) last = clock[first];
  }
  return last;
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
      const uint64_t free_at[MAX_THREADS] = {late};
      const uint64_t work = share * threads, end = simulate(work, threads, free_at);
      uint64_t ideal = (work + late + threads - 1) / threads;
      if (late > ideal) ideal = (work + threads - 2) / (threads - 1); /* it comes too late */
      CHECK(end <= ideal + share / 8);
    }
  }
}

static const test_t tests[] = {
    TEST(chunks_cover_all_elements),
    TEST(threads_end_together),
    TEST(others_take_the_work_of_one_that_is_late),
};
MAIN(tests)
