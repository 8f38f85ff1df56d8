/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * check.h - whether a description that was read is one that the compiler could have made: whether
 * operands fit each other. kinds.inc has what holds of each kind, and the ranges of numbers.
 */
#ifndef ARMNN_CPU_ACC_CHECK_H_
#define ARMNN_CPU_ACC_CHECK_H_

#include "ops/ops.h"

#define ARMNN_ACC_MOST_SIDE INT32_MAX /* of images, windows, strides and padding */
#define ARMNN_ACC_MOST_SHIFT 31       /* of a factor, either way */

#define KIND(kind, name, ...) bool armnn_i_acc_check_##name(const armnn_i_acc_##name##_t* what);
#define KIND_LIKE(...)
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE
bool armnn_i_acc_check_copy(const armnn_i_acc_copy_t* what);

#endif /* ARMNN_CPU_ACC_CHECK_H_ */
