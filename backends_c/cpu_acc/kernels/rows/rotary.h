/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rotary.h - pairs of numbers turned by angles: (a, b) becomes (a cos - b sin, b cos + a sin).
 */
#ifndef ARMNN_CPU_ACC_ROTARY_H_
#define ARMNN_CPU_ACC_ROTARY_H_

#include <stddef.h>

/* |pairs| pairs of one row. Every product and sum is rounded, as if they were operators of their
 * own. With |both|, |cosine| and |sine| have a number for each number of the row, in its order;
 * without, one for each pair. |out| may be |in|, or overlap nothing. */
typedef void (*armnn_i_acc_rotary_fn_t)(const float* in, const float* cosine, const float* sine,
                                        float* out, size_t pairs, int both);

typedef struct armnn_i_acc_rotary_kernels_t {
  armnn_i_acc_rotary_fn_t halves;     /* the numbers of a pair are |pairs| apart */
  armnn_i_acc_rotary_fn_t neighbours; /* they follow each other */
  const char* name;
} armnn_i_acc_rotary_kernels_t;

#endif /* ARMNN_CPU_ACC_ROTARY_H_ */
