/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * broadcast.h - the frame around every operation on two operands that broadcast as in numpy.
 *
 * The operation itself is a row function (rows.h). The output may be the memory of an operand of
 * the same shape.
 */
#ifndef ARMNN_CPU_REF_BROADCAST_H_
#define ARMNN_CPU_REF_BROADCAST_H_

#include "armnn/backend_kit.h"
#include "rows.h"

/* An operation on types that are decoded (codec.h): |row| gets rows of |count| decoded elements of
 * both operands, repeated ones included, and writes as many results. */
typedef struct armnn_i_ref_pairs_t {
  void (*row)(const void* context, const void* x, const void* y, uint64_t count, void* out);
  const void* context;
  int as_levels;    /* rows of int32_t, q - zero_point; else rows of float, real values */
  int out_is_plain; /* |out| is the output's memory itself, of its own type */
} armnn_i_ref_pairs_t;

armnn_status_t armnn_i_ref_run_pairs(const armnn_kernel_call_t* call,
                                     const armnn_i_ref_pairs_t* pairs, uint64_t grain);

/* Runs |row| over the output, in pieces of at least |grain| elements a thread. */
armnn_status_t armnn_i_ref_run_broadcast(const armnn_kernel_call_t* call, armnn_binary_row_fn_t row,
                                         uint64_t grain);

#endif /* ARMNN_CPU_REF_BROADCAST_H_ */
