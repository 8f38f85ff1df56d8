/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * walk.h - how several tensors of the same dimensions are walked together: as few dimensions as
 * possible, the last two of them done by kernels.
 */
#ifndef ARMNN_CPU_ACC_WALK_H_
#define ARMNN_CPU_ACC_WALK_H_

#include "op_base.h"

#define ARMNN_ACC_WALKED 4 /* most tensors of a walk */

/* dims[0 .. rank) outermost first; at least 2. A stride of 0 repeats. */
typedef struct armnn_i_acc_walk_t {
  uint32_t rank;
  uint32_t tensors;
  int64_t dims[ARMNN_ACC_MAX_RANK + 1];
  int64_t strides[ARMNN_ACC_WALKED][ARMNN_ACC_MAX_RANK + 1];
} armnn_i_acc_walk_t;

/* Drops dimensions of one element and joins neighbours that every tensor walks alike; then fills up
 * to two dimensions with ones in front. */
static inline void armnn_i_acc_walk_join(armnn_i_acc_walk_t* walk) {
  uint32_t rank = 0;
  for (uint32_t d = 0; d < walk->rank; ++d) {
    if (walk->dims[d] == 1) continue;
    bool joins = rank > 0;
    for (uint32_t t = 0; t < walk->tensors; ++t) {
      if (rank > 0 && walk->strides[t][rank - 1] != walk->strides[t][d] * walk->dims[d]) {
        joins = false;
      }
    }
    if (!joins) ++rank;
    walk->dims[rank - 1] = joins ? walk->dims[rank - 1] * walk->dims[d] : walk->dims[d];
    for (uint32_t t = 0; t < walk->tensors; ++t) walk->strides[t][rank - 1] = walk->strides[t][d];
  }
  while (rank < 2) {
    for (uint32_t d = rank; d > 0; --d) {
      walk->dims[d] = walk->dims[d - 1];
      for (uint32_t t = 0; t < walk->tensors; ++t) walk->strides[t][d] = walk->strides[t][d - 1];
    }
    walk->dims[0] = 1;
    for (uint32_t t = 0; t < walk->tensors; ++t) walk->strides[t][0] = rank == 0 ? 1 : 0;
    ++rank;
  }
  walk->rank = rank;
}

/* A last dimension of one element, for tensors that have no stride 1. */
static inline void armnn_i_acc_walk_add_one(armnn_i_acc_walk_t* walk) {
  walk->dims[walk->rank] = 1;
  for (uint32_t t = 0; t < walk->tensors; ++t) walk->strides[t][walk->rank] = 1;
  ++walk->rank;
}

/* The walk over |tensors|, the first of which is the output; the others are broadcast to its dims.
 * The last stride of the output becomes 1. */
static inline void armnn_i_acc_walk_broadcast(armnn_i_acc_walk_t* walk,
                                              const armnn_i_acc_tensor_t* tensors, uint32_t count) {
  walk->rank = tensors[0].rank;
  walk->tensors = count;
  for (uint32_t d = 0; d < walk->rank; ++d) {
    walk->dims[d] = tensors[0].dims[d];
    for (uint32_t t = 0; t < count; ++t) {
      const bool repeats = tensors[t].dims[d] == 1 && walk->dims[d] != 1;
      walk->strides[t][d] = repeats ? 0 : armnn_i_acc_step(&tensors[t], d);
    }
  }
  armnn_i_acc_walk_join(walk);
  if (walk->strides[0][walk->rank - 1] != 1) armnn_i_acc_walk_add_one(walk);
}

/* The same for kernels of rows whose other operands have the last stride 1 or, of two operands, 0
 * for one of them. */
static inline void armnn_i_acc_walk_rows(armnn_i_acc_walk_t* walk,
                                         const armnn_i_acc_tensor_t* tensors, uint32_t count) {
  armnn_i_acc_walk_broadcast(walk, tensors, count);
  bool kernels_can = true;
  int64_t dense = 0;
  for (uint32_t t = 1; t < count; ++t) {
    const int64_t stride = walk->strides[t][walk->rank - 1];
    if (stride != 1 && (stride != 0 || count < 3)) kernels_can = false;
    dense += stride == 1;
  }
  if (!kernels_can || dense == 0) armnn_i_acc_walk_add_one(walk);
}

/* Offsets of the |index|th combination of all dimensions but the last |inner|. */
static inline void armnn_i_acc_walk_offsets(const armnn_i_acc_walk_t* walk, uint32_t inner,
                                            int64_t index, int64_t offsets[ARMNN_ACC_WALKED]) {
  for (uint32_t t = 0; t < walk->tensors; ++t) offsets[t] = 0;
  for (uint32_t d = walk->rank - inner; d-- > 0;) {
    const int64_t at = index % walk->dims[d];
    index /= walk->dims[d];
    for (uint32_t t = 0; t < walk->tensors; ++t) offsets[t] += at * walk->strides[t][d];
  }
}

static inline int64_t armnn_i_acc_walk_outer(const armnn_i_acc_walk_t* walk, uint32_t inner) {
  int64_t count = 1;
  for (uint32_t d = 0; d + inner < walk->rank; ++d) count *= walk->dims[d];
  return count;
}

/* Single elements are copied without a call. */
static inline void armnn_i_acc_copy_piece(char* to, const char* from, size_t size) {
  switch (size) {
    case 1:
      *to = *from;
      break;
    case 4:
      memcpy(to, from, 4);
      break;
    case 8:
      memcpy(to, from, 8);
      break;
    default:
      memcpy(to, from, size);
      break;
  }
}

/* The two inner dimensions cut into pieces for threads and caches: |rows| x |columns| each. */
typedef struct armnn_i_acc_pieces_t {
  int64_t outer, rows, columns, row_pieces, column_pieces;
} armnn_i_acc_pieces_t;

#define ARMNN_ACC_PIECE 8192 /* elements of a piece: some hundred lines of each tensor, for L1 */

/* Pieces of at most |most_columns| columns, except that a rest is not cut off alone. */
static inline armnn_i_acc_pieces_t armnn_i_acc_walk_pieces(const armnn_i_acc_walk_t* walk,
                                                           int64_t most_columns) {
  const int64_t rows = walk->dims[walk->rank - 2], columns = walk->dims[walk->rank - 1];
  armnn_i_acc_pieces_t pieces;
  pieces.outer = armnn_i_acc_walk_outer(walk, 2);
  pieces.columns = columns < 2 * most_columns ? columns : most_columns;
  if (pieces.columns < 1) pieces.columns = 1; /* an empty tensor has no pieces */
  pieces.rows = ARMNN_ACC_PIECE / pieces.columns;
  if (pieces.rows > rows) pieces.rows = rows;
  if (pieces.rows < 1) pieces.rows = 1;
  pieces.row_pieces = armnn_i_acc_ceil_div(rows, pieces.rows);
  pieces.column_pieces = armnn_i_acc_ceil_div(columns, pieces.columns);
  return pieces;
}

static inline uint64_t armnn_i_acc_pieces_count(const armnn_i_acc_pieces_t* pieces) {
  return (uint64_t)(pieces->outer * pieces->row_pieces * pieces->column_pieces);
}

/* Where piece |index| begins in each tensor, and how large it is. */
static inline void armnn_i_acc_piece(const armnn_i_acc_walk_t* walk,
                                     const armnn_i_acc_pieces_t* pieces, int64_t index,
                                     int64_t offsets[ARMNN_ACC_WALKED], int64_t* rows,
                                     int64_t* columns) {
  const uint32_t last = walk->rank - 1;
  if (index ==
      0) { /* of small tensors the only piece: four divisions take longer than its kernel */
    for (uint32_t t = 0; t < walk->tensors; ++t) offsets[t] = 0;
    *rows = walk->dims[last - 1] < pieces->rows ? walk->dims[last - 1] : pieces->rows;
    *columns = walk->dims[last] < pieces->columns ? walk->dims[last] : pieces->columns;
    return;
  }
  const int64_t column = index % pieces->column_pieces * pieces->columns;
  index /= pieces->column_pieces;
  const int64_t row = index % pieces->row_pieces * pieces->rows;
  armnn_i_acc_walk_offsets(walk, 2, index / pieces->row_pieces, offsets);
  for (uint32_t t = 0; t < walk->tensors; ++t) {
    offsets[t] += row * walk->strides[t][last - 1] + column * walk->strides[t][last];
  }
  *rows = walk->dims[last - 1] - row < pieces->rows ? walk->dims[last - 1] - row : pieces->rows;
  *columns =
      walk->dims[last] - column < pieces->columns ? walk->dims[last] - column : pieces->columns;
}

#endif /* ARMNN_CPU_ACC_WALK_H_ */
