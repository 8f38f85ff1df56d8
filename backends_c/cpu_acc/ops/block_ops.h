/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * block_ops.h - operators of weights that are quantised in blocks; ops.h includes it. Tensors that
 * are computed are dense.
 */
#ifndef ARMNN_CPU_ACC_BLOCK_OPS_H_
#define ARMNN_CPU_ACC_BLOCK_OPS_H_

#include "program.h"

/* Constant levels as the network has them, [outer, size, inner]: element |outer, i, inner| has the
 * scale and zero point |outer, i / block, inner|. */
typedef struct armnn_i_acc_blocks_t {
  int32_t type;            /* 8 or 4 bits, packed */
  const void* levels;      /* of whole bytes, or two to a byte */
  const void* zero_points; /* in the same form, or null: 0 */
  const float* scales;
  int64_t outer, size, inner, block;
} armnn_i_acc_blocks_t;

/* Real numbers of constant levels. */
typedef struct armnn_i_acc_dequantize_blocks_t {
  armnn_i_acc_tensor_t scales; /* those of |blocks|; not read here */
  armnn_i_acc_tensor_t output;
  armnn_i_acc_blocks_t blocks;
} armnn_i_acc_dequantize_blocks_t;

armnn_status_t armnn_i_acc_make_dequantize_blocks(const armnn_i_acc_maker_t* maker,
                                                  const armnn_i_acc_dequantize_blocks_t* what,
                                                  armnn_i_acc_op_t** out_op);

/* output = left weights * scales + shifts: rows by weights whose sum runs over their blocks,
 * [n, k, 1] or [1, k, n]. */
typedef struct armnn_i_acc_block_product_t {
  armnn_i_acc_tensor_t left;   /* [.., k] float32 */
  armnn_i_acc_tensor_t output; /* [.., n] */
  armnn_i_acc_blocks_t weights;
  const float *scales, *shifts; /* [n] */
  armnn_i_acc_epilogue_t epilogue;
} armnn_i_acc_block_product_t;

armnn_status_t armnn_i_acc_make_block_product(const armnn_i_acc_maker_t* maker,
                                              const armnn_i_acc_block_product_t* what,
                                              armnn_i_acc_op_t** out_op);

#endif /* ARMNN_CPU_ACC_BLOCK_OPS_H_ */
