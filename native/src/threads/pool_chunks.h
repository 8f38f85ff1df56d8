/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pool_chunks.h - how the elements of a parallel_for are cut into chunks, and who takes which.
 *
 * Each thread has a region of its own, the same part of the elements in each loop of as many
 * threads: what a layer wrote is in the cache of the thread that the next layer gives it to. A
 * region has up to 16 units. Its thread takes half of what is left each time: large chunks first
 * make what a body sets up for each cheap, and leave less to lose for small ones at the end. Who is
 * done with its own region takes single units of others, from their ends, so that a thread that is
 * held up holds up nobody else; one that comes late sees how far its neighbour is and takes no more
 * at once than that one has left.
 */
#ifndef ARMNN_POOL_CHUNKS_H_
#define ARMNN_POOL_CHUNKS_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "basics.h"

#define ARMNN_POOL_UNITS 16u /* of a region, at most */

typedef struct armnn_i_chunks_t {
  uint64_t count;   /* elements */
  uint64_t pieces;  /* units of all regions, if these are too few to be halved; else 0 */
  uint32_t regions; /* 0: nothing to do */
  uint32_t units;   /* of each region, without |pieces| */
} armnn_i_chunks_t;

/* What is taken of a region: from the top 48 bits of the job's number, 8 of units from the front
 * and 8 of units from the end. A word of another job says that nothing is taken, so that nobody has
 * to reset the words of all threads. */
typedef struct armnn_i_region_t {
  _Alignas(ARMNN_CACHE_LINE) _Atomic uint64_t taken;
} armnn_i_region_t;

#define ARMNN_POOL_FRONT_ONE 0x100u
#define ARMNN_POOL_END_ONE 1u

/* Where part |number| of |parts| parts of |count| elements begins; those of one more come first. */
static inline uint64_t armnn_i_part_begin(uint64_t count, uint64_t parts, uint64_t number) {
  const uint64_t longer = count % parts;
  return number * (count / parts) + (number < longer ? number : longer);
}

/* For |threads| > 0 threads, with at least |grain| elements in each chunk if |count| has so many.
 */
static inline armnn_i_chunks_t armnn_i_chunks_of(uint64_t count, uint64_t grain, uint32_t threads) {
  if (grain == 0) grain = 1;
  uint64_t pieces = count / grain;
  if (pieces == 0) pieces = count != 0 ? 1 : 0;
  if (pieces < (uint64_t)threads * 4) {
    return (armnn_i_chunks_t){count, pieces, pieces < threads ? (uint32_t)pieces : threads, 0};
  }
  uint32_t units = 4;
  while (units < ARMNN_POOL_UNITS && pieces / (units * 2) >= threads) units *= 2;
  return (armnn_i_chunks_t){count, 0, threads, units};
}

static inline uint32_t armnn_i_units_in(const armnn_i_chunks_t* chunks, uint32_t region) {
  if (chunks->pieces == 0) return chunks->units;
  return (uint32_t)(armnn_i_part_begin(chunks->pieces, chunks->regions, region + 1u) -
                    armnn_i_part_begin(chunks->pieces, chunks->regions, region));
}

/* The first element of unit |number| of |region|, or the end of the region. */
static inline uint64_t armnn_i_unit_begin(const armnn_i_chunks_t* chunks, uint32_t region,
                                          uint32_t number) {
  if (chunks->pieces != 0) {
    const uint64_t first = armnn_i_part_begin(chunks->pieces, chunks->regions, region);
    return armnn_i_part_begin(chunks->count, chunks->pieces, first + number);
  }
  const uint64_t begin = armnn_i_part_begin(chunks->count, chunks->regions, region);
  const uint64_t end = armnn_i_part_begin(chunks->count, chunks->regions, region + 1u);
  return begin + armnn_i_part_begin(end - begin, chunks->units, number);
}

static inline uint32_t armnn_i_front_of(uint64_t word) { return (uint32_t)(word >> 8) & 0xffu; }
static inline uint32_t armnn_i_end_of(uint64_t word) { return (uint32_t)word & 0xffu; }

static inline uint64_t armnn_i_taken_of(const armnn_i_region_t* region, uint64_t job) {
  const uint64_t word = atomic_load_explicit(&region->taken, memory_order_relaxed);
  return word >> 16 == job ? word : job << 16;
}

/* How many units the thread of a region takes at once while |left| units of that are left. */
static inline uint32_t armnn_i_units_to_take(const armnn_i_chunks_t* chunks,
                                             const armnn_i_region_t* neighbour, uint64_t job,
                                             uint32_t left) {
  const uint32_t half = (left + 1) / 2;
  if (chunks->pieces != 0 || half == 1) return 1;
  const uint64_t word = armnn_i_taken_of(neighbour, job);
  const uint32_t taken = armnn_i_front_of(word) + armnn_i_end_of(word);
  const uint32_t most = taken < chunks->units ? chunks->units - taken : 1;
  return half < most ? half : most;
}

/* Takes units of |region|, at its front for its own thread and one at its end for others; false
 * when all are taken. */
static inline bool armnn_i_take_units(const armnn_i_chunks_t* chunks, armnn_i_region_t* regions,
                                      uint64_t job, uint32_t region, bool is_own,
                                      uint64_t* out_begin, uint64_t* out_end) {
  const uint32_t units = armnn_i_units_in(chunks, region);
  _Atomic uint64_t* taken = &regions[region].taken;
  uint64_t seen = atomic_load_explicit(taken, memory_order_relaxed);
  for (;;) {
    const uint64_t word = seen >> 16 == job ? seen : job << 16;
    const uint32_t front = armnn_i_front_of(word), end = units - armnn_i_end_of(word);
    if (front >= end) return false;
    uint32_t first = end - 1, last = end;
    if (is_own) {
      const uint32_t next = region + 1 < chunks->regions ? region + 1 : 0;
      first = front;
      last = front + armnn_i_units_to_take(chunks, &regions[next], job, end - front);
    }
    const uint64_t more =
        is_own ? (uint64_t)(last - first) * ARMNN_POOL_FRONT_ONE : ARMNN_POOL_END_ONE;
    if (atomic_compare_exchange_weak_explicit(taken, &seen, word + more, memory_order_relaxed,
                                              memory_order_relaxed)) {
      *out_begin = armnn_i_unit_begin(chunks, region, first);
      *out_end = armnn_i_unit_begin(chunks, region, last);
      return true;
    }
  }
}

/* The next chunk for the thread whose region is |home|, from there or, once that is done, from the
 * regions behind it; false when all are taken. |job| is below 2^48 and another one in each loop. */
static inline bool armnn_i_take_chunk(const armnn_i_chunks_t* chunks, armnn_i_region_t* regions,
                                      uint64_t job, uint32_t home, uint64_t* out_begin,
                                      uint64_t* out_end) {
  for (uint32_t i = 0; i < chunks->regions; ++i) {
    const uint32_t behind = chunks->regions - i;
    const uint32_t region = home < behind ? home + i : home - behind;
    if (armnn_i_take_units(chunks, regions, job, region, i == 0, out_begin, out_end)) return true;
  }
  return false;
}

#endif /* ARMNN_POOL_CHUNKS_H_ */
