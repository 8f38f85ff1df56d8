/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * separable.h - a depthwise convolution with the 1x1 convolutions around it, by strips of output
 * rows: the tensors between them are some rows in the second cache.
 *
 *   input -> expand (1x1) -> expanded rows -> depthwise -> filtered rows -> project (1x1) -> output
 *
 * A thread goes down an item, which is some rows of the output, in strips. The expanded rows that a
 * strip shares with the one before it are kept; those at the borders of items are computed twice.
 */
#ifndef ARMNN_CPU_ACC_SEPARABLE_H_
#define ARMNN_CPU_ACC_SEPARABLE_H_

#include "depthwise_plan.h"
#include "ops/dense/panels.h"

/* How the work of one image is cut. */
typedef struct armnn_i_acc_separable_cut_t {
  int64_t item_rows, items; /* of an image */
  int64_t strip_rows;
  int64_t expanded_rows; /* that there is room for, at least those of a strip; 0: no expansion */
  int64_t filtered_rows; /* those of a strip; 0: the depthwise convolution writes the output */
} armnn_i_acc_separable_cut_t;

/* Rows of the input that a window reaches over. */
static inline int64_t armnn_i_acc_separable_reach(const armnn_i_acc_convolution_t* depthwise) {
  return (depthwise->kernel_y - 1) * depthwise->dilation_y + 1;
}

/* For |threads| threads. */
armnn_i_acc_separable_cut_t armnn_i_acc_cut_separable(const armnn_i_acc_separable_t* what,
                                                      uint32_t threads);
/* Multiplications and additions, without those that are done twice. */
uint64_t armnn_i_acc_separable_operations(const armnn_i_acc_separable_t* what);

#endif /* ARMNN_CPU_ACC_SEPARABLE_H_ */
