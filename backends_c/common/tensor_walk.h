/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * tensor_walk.h - one loop over several tensors of one shape and different strides.
 *
 * A walk is a box of up to eight dimensions with a stride per operand and dimension. Collapsing
 * drops dimensions of one element and merges neighbours that every operand crosses evenly, so that
 * the common cases (equal shapes, a scalar, a channel vector) end as one or two loops. A walker
 * goes over a range of the box's elements in row-major order and yields spans: stretches of the
 * last dimension. A range may begin and end anywhere, so that parallel_for can cut the box at will.
 *
 *   armnn_walk_t walk;
 *   armnn_walk_init(&walk, rank, dims, 2);
 *   ... fill walk.strides[0] and walk.strides[1] ...
 *   armnn_walk_collapse(&walk);
 *   armnn_walker_t walker;
 *   armnn_walker_start(&walker, &walk, begin, end);
 *   while (armnn_walker_next(&walker)) use(walker.offsets, walker.span, armnn_walk_inner(&walk,
 * 0));
 */
#ifndef ARMNN_COMMON_TENSOR_WALK_H_
#define ARMNN_COMMON_TENSOR_WALK_H_

#include "tensor_shape.h"

#define ARMNN_WALK_OPERANDS 3

typedef struct armnn_walk_t {
  uint32_t rank; /* at least 1 after armnn_walk_collapse */
  uint32_t operand_count;
  uint64_t count; /* elements of the box */
  uint64_t dims[ARMNN_MAX_DIMS];
  int64_t strides[ARMNN_WALK_OPERANDS][ARMNN_MAX_DIMS];
} armnn_walk_t;

typedef struct armnn_walker_t {
  const armnn_walk_t* walk;
  uint64_t position; /* first element of the present span */
  uint64_t end;
  uint64_t span; /* its elements */
  uint64_t index[ARMNN_MAX_DIMS];
  int64_t offsets[ARMNN_WALK_OPERANDS]; /* of its first element in each operand */
} armnn_walker_t;

static inline void armnn_walk_init(armnn_walk_t* walk, uint32_t rank, const uint64_t* dims,
                                   uint32_t operand_count) {
  memset(walk, 0, sizeof *walk);
  walk->rank = rank;
  walk->operand_count = operand_count;
  memcpy(walk->dims, dims, rank * sizeof dims[0]);
  walk->count = armnn_dims_product(dims, 0, rank);
}

/* Appends a dimension inside all others. */
static inline void armnn_walk_append(armnn_walk_t* walk, uint64_t dim, const int64_t* strides) {
  walk->dims[walk->rank] = dim;
  for (uint32_t o = 0; o < walk->operand_count; ++o) walk->strides[o][walk->rank] = strides[o];
  walk->rank += 1;
  walk->count *= dim;
}

static inline void armnn_walk_collapse(armnn_walk_t* walk) {
  uint32_t rank = 0; /* dimensions kept so far; the last of them is rank - 1 */
  for (uint32_t d = 0; d < walk->rank; ++d) {
    if (walk->dims[d] == 1) continue;
    int merges = rank > 0;
    for (uint32_t o = 0; merges && o < walk->operand_count; ++o) {
      merges =
          walk->strides[o][rank - 1] == (int64_t)((uint64_t)walk->strides[o][d] * walk->dims[d]);
    }
    uint32_t target = merges ? rank - 1 : rank++;
    walk->dims[target] = merges ? walk->dims[target] * walk->dims[d] : walk->dims[d];
    for (uint32_t o = 0; o < walk->operand_count; ++o) {
      walk->strides[o][target] = walk->strides[o][d];
    }
  }
  if (rank == 0) {
    walk->dims[0] = 1;
    for (uint32_t o = 0; o < walk->operand_count; ++o) walk->strides[o][0] = 0;
    rank = 1;
  }
  walk->rank = rank;
}

/* Stride of an operand from element to element of a span. */
static inline int64_t armnn_walk_inner(const armnn_walk_t* walk, uint32_t operand) {
  return walk->strides[operand][walk->rank - 1];
}

/* Prepares to visit the elements [begin, end) of a collapsed walk. */
static inline void armnn_walker_start(armnn_walker_t* walker, const armnn_walk_t* walk,
                                      uint64_t begin, uint64_t end) {
  memset(walker, 0, sizeof *walker);
  walker->walk = walk;
  walker->position = begin;
  walker->end = end;
  if (begin >= end) return; /* nothing to visit, and a dimension may be zero */
  uint64_t rest = begin;
  for (uint32_t d = walk->rank; d-- > 0;) {
    walker->index[d] = rest % walk->dims[d];
    rest /= walk->dims[d];
    for (uint32_t o = 0; o < walk->operand_count; ++o) {
      walker->offsets[o] += (int64_t)walker->index[d] * walk->strides[o][d];
    }
  }
}

/* Moves to the next span; 0 at the end. */
static inline int armnn_walker_next(armnn_walker_t* walker) {
  const armnn_walk_t* walk = walker->walk;
  uint32_t last = walk->rank - 1;
  if (walker->span > 0) {
    walker->position += walker->span;
    if (walker->position >= walker->end) return 0;
    /* Before the end of the range a span only ends where its row ends: carry into the next row. */
    walker->index[last] += walker->span;
    for (uint32_t o = 0; o < walk->operand_count; ++o) {
      walker->offsets[o] += (int64_t)walker->span * walk->strides[o][last];
    }
    for (uint32_t d = last; d > 0 && walker->index[d] == walk->dims[d]; --d) {
      walker->index[d] = 0;
      walker->index[d - 1] += 1;
      for (uint32_t o = 0; o < walk->operand_count; ++o) {
        walker->offsets[o] +=
            walk->strides[o][d - 1] - (int64_t)walk->dims[d] * walk->strides[o][d];
      }
    }
  }
  if (walker->position >= walker->end) return 0;
  walker->span =
      armnn_min_u64(walk->dims[last] - walker->index[last], walker->end - walker->position);
  return 1;
}

#endif /* ARMNN_COMMON_TENSOR_WALK_H_ */
