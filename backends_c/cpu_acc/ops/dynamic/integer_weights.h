/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * integer_weights.h - constant weights of integer products, packed for the kernels of the
 * instruction set, and the sums of rows with one panel of them.
 */
#ifndef ARMNN_CPU_ACC_INTEGER_WEIGHTS_H_
#define ARMNN_CPU_ACC_INTEGER_WEIGHTS_H_

#include "ops/op_base.h"

/* What a weight has beyond its byte. */
typedef struct armnn_i_acc_excess_t {
  uint32_t depth;
  int16_t channel; /* of the panel */
  int16_t weight;
} armnn_i_acc_excess_t;

typedef struct armnn_i_acc_integer_weights_t {
  const armnn_host_t* host;
  const armnn_i_acc_quantized_kernels_t* quantized;
  const armnn_i_acc_dynamic_kernels_t* dynamic;
  bool bytes; /* rows are unsigned bytes (kernels/dynamic/dynamic.h), else levels of 16 bits */
  bool has_dot_product;   /* rows of bytes are for quantized->byte_sums, else dynamic->byte_sums */
  int64_t depth, width;   /* numbers of a row; rounded up, the rest being zeros */
  int64_t panel, panels;  /* channels of a panel */
  uint64_t panel_size;    /* in bytes */
  char* packed;           /* shared_weights.h; of bytes, the channels' sums come first */
  uint32_t* excess_begin; /* [panels + 1] */
  armnn_i_acc_excess_t* excesses;
} armnn_i_acc_integer_weights_t;

/* |weights| is [depth, channels], bytes of any strides. */
armnn_status_t armnn_i_acc_pack_integers(const armnn_i_acc_maker_t* maker,
                                         const armnn_i_acc_tensor_t* weights,
                                         const int32_t* zero_points,
                                         armnn_i_acc_integer_weights_t* out);
void armnn_i_acc_free_integers(armnn_i_acc_integer_weights_t* weights);

/* The sums of |rows| rows, |width| numbers each, with a panel: [row][channel]. |zero_points| are
 * those of the rows where these are bytes. */
void armnn_i_acc_sum_integers(const armnn_i_acc_integer_weights_t* weights, int64_t panel,
                              const void* input, const int32_t* zero_points, int64_t rows,
                              int32_t* sums);

#endif /* ARMNN_CPU_ACC_INTEGER_WEIGHTS_H_ */
