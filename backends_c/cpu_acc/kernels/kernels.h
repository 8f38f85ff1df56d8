/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kernels.h - all kernels of one instruction set: a table per family, each described in the
 * family's own header, filled by kernels/<family>.c compiled for that set.
 */
#ifndef ARMNN_CPU_ACC_KERNELS_H_
#define ARMNN_CPU_ACC_KERNELS_H_

#include <stdint.h>

#include "depthwise.h"
#include "elementwise.h"
#include "gemm.h"
#include "move.h"
#include "pooling.h"
#include "reduce.h"

struct armnn_i_acc_kernels_t {
  const char* isa;   /* "avx512", "avx2", "neon", "portable" */
  uint32_t lanes;    /* floats of a vector */
  uint64_t features; /* ARMNN_CPU_ bits that it needs */
  const armnn_i_acc_gemm_kernels_t* gemm;
  const armnn_i_acc_depthwise_kernels_t* depthwise;
  const armnn_i_acc_elementwise_kernels_t* elementwise;
  const armnn_i_acc_pooling_kernels_t* pooling;
  const armnn_i_acc_reduce_kernels_t* reduce;
  const armnn_i_acc_move_kernels_t* move;
};
typedef struct armnn_i_acc_kernels_t armnn_i_acc_kernels_t;

/* Best first; only those that this library was built with. */
extern const armnn_i_acc_kernels_t* const armnn_i_acc_all_kernels[];
extern const uint32_t armnn_i_acc_all_kernels_count;

#endif /* ARMNN_CPU_ACC_KERNELS_H_ */
