/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fold_walk.h - how tensors are walked when some of their dimensions are folded: a walk over the
 * dimensions that stay, and for each step of it one over those that are folded.
 *
 * The last dimension is left to kernels. Either it is folded, and a kernel makes one number of a
 * dense row; or it stays, and a kernel folds rows into a row of as many numbers.
 */
#ifndef ARMNN_CPU_ACC_FOLD_WALK_H_
#define ARMNN_CPU_ACC_FOLD_WALK_H_

#include "ops/walk.h"

#define ARMNN_ACC_FOLD_COLUMNS 256 /* columns at once: their numbers stay on the stack */
/* Rows of at most SHORT elements are turned, so many at once, and folded as columns: a kernel's
 * call for each would take longer than its elements. */
#define ARMNN_ACC_FOLD_SHORT 32
#define ARMNN_ACC_FOLD_TURNED 128

typedef struct armnn_i_acc_fold_walk_t {
  armnn_i_acc_walk_t kept, folded; /* without the last dimension; |folded| has at least one */
  int64_t last;                    /* its elements */
  bool last_is_folded;
  int64_t kept_count, folded_outer, folded_rows, row_count;
  int64_t columns, column_pieces; /* where the last dimension stays */
} armnn_i_acc_fold_walk_t;

static inline void armnn_i_acc_walk_push(armnn_i_acc_walk_t* to, const armnn_i_acc_walk_t* from,
                                         uint32_t dimension) {
  to->dims[to->rank] = from->dims[dimension];
  for (uint32_t t = 0; t < from->tensors; ++t) {
    to->strides[t][to->rank] = from->strides[t][dimension];
  }
  ++to->rank;
}

/* Tensor 0 of |walk| has the folded numbers: its stride is 0 in the folded dimensions and in no
 * other. Tensors from |dense| on need no stride of 1 in the last dimension, if theirs is 0. */
static inline void armnn_i_acc_fold_walk(armnn_i_acc_walk_t* walk, uint32_t dense,
                                         armnn_i_acc_fold_walk_t* fold) {
  armnn_i_acc_walk_join(walk);
  uint32_t last = walk->rank - 1;
  fold->last_is_folded = walk->dims[last] > 1 && walk->strides[0][last] == 0;
  bool kernels_can = true;
  for (uint32_t t = fold->last_is_folded ? 1 : 0; t < walk->tensors; ++t) {
    const int64_t stride = walk->strides[t][last];
    if (stride != 1 && (stride != 0 || t < dense)) kernels_can = false;
  }
  if (!kernels_can) {
    armnn_i_acc_walk_add_one(walk);
    fold->last_is_folded = false;
    ++last;
  }
  fold->kept.tensors = fold->folded.tensors = walk->tensors;
  fold->kept.rank = fold->folded.rank = 0;
  for (uint32_t d = 0; d < last; ++d) {
    const bool folded = walk->dims[d] > 1 && walk->strides[0][d] == 0;
    armnn_i_acc_walk_push(folded ? &fold->folded : &fold->kept, walk, d);
  }
  if (fold->folded.rank == 0) {
    fold->folded.dims[0] = 1;
    for (uint32_t t = 0; t < walk->tensors; ++t) fold->folded.strides[t][0] = 0;
    fold->folded.rank = 1;
  }
  fold->last = walk->dims[last];
  fold->kept_count = armnn_i_acc_walk_outer(&fold->kept, 0);
  fold->folded_outer = armnn_i_acc_walk_outer(&fold->folded, 1);
  fold->folded_rows = fold->folded.dims[fold->folded.rank - 1];
  fold->row_count = fold->folded_outer * fold->folded_rows;
  fold->columns = fold->last;
  fold->column_pieces = 1;
}

/* Cuts the columns so that |threads| have something to do, and no piece is too long. */
static inline void armnn_i_acc_fold_cut(armnn_i_acc_fold_walk_t* fold, uint32_t threads,
                                        uint32_t lanes) {
  if (fold->last_is_folded) return;
  const int64_t grain = 2 * (int64_t)lanes;
  fold->columns = ARMNN_ACC_FOLD_COLUMNS;
  while (threads > 1 && fold->columns > grain &&
         fold->kept_count * armnn_i_acc_ceil_div(fold->last, fold->columns) <
             4 * (int64_t)threads) {
    fold->columns /= 2;
  }
  fold->column_pieces = armnn_i_acc_ceil_div(fold->last, fold->columns);
}

static inline uint64_t armnn_i_acc_fold_items(const armnn_i_acc_fold_walk_t* fold) {
  return (uint64_t)(fold->kept_count * fold->column_pieces);
}

/* Where item |index| begins in each tensor; returns its columns. */
static inline int64_t armnn_i_acc_fold_item(const armnn_i_acc_fold_walk_t* fold, int64_t index,
                                            int64_t at[ARMNN_ACC_WALKED]) {
  const int64_t column = index % fold->column_pieces * fold->columns;
  armnn_i_acc_walk_offsets(&fold->kept, 0, index / fold->column_pieces, at);
  return fold->last - column < fold->columns ? fold->last - column : fold->columns;
}

static inline int64_t armnn_i_acc_fold_column(const armnn_i_acc_fold_walk_t* fold, int64_t index) {
  return index % fold->column_pieces * fold->columns;
}

/* Where the last dimension is folded: how many of the items from |index| to |end| lie one step
 * apart in each tensor, |out_steps|. */
static inline int64_t armnn_i_acc_fold_neighbours(const armnn_i_acc_fold_walk_t* fold,
                                                  int64_t index, int64_t end,
                                                  int64_t out_steps[ARMNN_ACC_WALKED]) {
  const armnn_i_acc_walk_t* kept = &fold->kept;
  if (kept->rank == 0) return 1;
  for (uint32_t t = 0; t < kept->tensors; ++t) out_steps[t] = kept->strides[t][kept->rank - 1];
  const int64_t side = kept->dims[kept->rank - 1], left = side - index % side;
  return end - index < left ? end - index : left;
}

/* Whether rows are turned: it does not depend on how many there are, so that a row alone has the
 * bits of a row among others. */
static inline bool armnn_i_acc_fold_is_short(const armnn_i_acc_fold_walk_t* fold) {
  return fold->last_is_folded && fold->last <= ARMNN_ACC_FOLD_SHORT;
}

#endif /* ARMNN_CPU_ACC_FOLD_WALK_H_ */
