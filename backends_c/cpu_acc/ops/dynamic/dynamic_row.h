/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * dynamic_row.h - what a row finds in the tensor of ranges.
 */
#ifndef ARMNN_CPU_ACC_DYNAMIC_ROW_H_
#define ARMNN_CPU_ACC_DYNAMIC_ROW_H_

#include "ops/op_base.h"

/* Of |row| of |rows| in a tensor that a dynamic_range made. */
static inline armnn_dynamic_range_t armnn_i_acc_range_of_row(const float* ranges, int64_t row,
                                                             int64_t rows) {
  return (armnn_dynamic_range_t){ranges[row], ranges[rows + row], ranges[2 * rows + row]};
}

#endif /* ARMNN_CPU_ACC_DYNAMIC_ROW_H_ */
