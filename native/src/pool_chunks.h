/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pool_chunks.h - how the elements of a parallel_for are cut into chunks.
 *
 * Chunks become smaller towards the end (guided self-scheduling, Polychronopoulos and Kuck 1987):
 * the first round hands half of the elements to the threads, one chunk each, the next half of the
 * rest, and so on. Large chunks first keep what the body sets up for each cheap; small ones last
 * keep short what a thread that is done waits for, and let the others take the work of one that is
 * held up. Which elements a chunk has follows from its number alone, so that handing one out is one
 * atomic addition.
 */
#ifndef ARMNN_POOL_CHUNKS_H_
#define ARMNN_POOL_CHUNKS_H_

#include <stdint.h>

#define ARMNN_POOL_ROUNDS 5u /* the last chunks have a 16th of a thread's share */

typedef struct armnn_i_chunks_t {
  uint64_t count;       /* elements */
  uint64_t chunk_count; /* a number from here on is none */
  uint64_t in_round;    /* chunks of each round */
  uint32_t rounds;
} armnn_i_chunks_t;

/* For |threads| > 0 threads, with at least |grain| elements in each chunk if |count| has so many.
 */
static inline armnn_i_chunks_t armnn_i_chunks_of(uint64_t count, uint64_t grain, uint32_t threads) {
  if (grain == 0) grain = 1;
  uint64_t pieces = count / grain;
  if (pieces == 0) pieces = count != 0 ? 1 : 0;
  if (pieces < (uint64_t)threads * 4) { /* too few to be worth halving: all alike */
    return (armnn_i_chunks_t){count, pieces, pieces, 1};
  }
  uint32_t rounds = 1;
  while (rounds < ARMNN_POOL_ROUNDS && (pieces >> rounds) >= threads) ++rounds;
  return (armnn_i_chunks_t){count, (uint64_t)threads * rounds, threads, rounds};
}

/* The elements of chunk |number| < chunk_count. */
static inline void armnn_i_chunk_range(const armnn_i_chunks_t* chunks, uint64_t number,
                                       uint64_t* out_begin, uint64_t* out_end) {
  const uint64_t round = number / chunks->in_round, place = number % chunks->in_round;
  const uint64_t first = chunks->count - (chunks->count >> round);
  const uint64_t end =
      round + 1 == chunks->rounds ? chunks->count : chunks->count - (chunks->count >> (round + 1));
  const uint64_t size = (end - first) / chunks->in_round;
  const uint64_t longer = (end - first) % chunks->in_round; /* chunks with one more */
  *out_begin = first + place * size + (place < longer ? place : longer);
  *out_end = *out_begin + size + (place < longer ? 1 : 0);
}

#endif /* ARMNN_POOL_CHUNKS_H_ */
