/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_int16.h - kernels of quantised numbers of 16 bits, by weights of 8. Their zero point is
 * 0: a stored number is its level, and kernels read it where it lies.
 *
 * Jobs are those of bytes (quantized.h), whose addresses are those of the first byte of a number,
 * and whose distances in outputs and operands are in bytes.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_INT16_H_
#define ARMNN_CPU_ACC_QUANTIZED_INT16_H_

#include "quantized.h"

#define ARMNN_ACC_INT16_SUM_BITS 15 /* behind the point of the terms of a sum */

struct armnn_i_acc_int16_kernels_t {
  /* Where 32 bits hold every sum of a channel. */
  const armnn_i_acc_product_kernels_t* products;
  /* Sums of 64 bits: the upper half of a channel's bias is in ARMNN_ACC_CHANNEL_HALF. */
  const armnn_i_acc_product_kernels_t* wide_products;
  void (*channelwise)(const armnn_i_acc_channelwise_job_t* job);
  void (*quantize)(const float* in, int16_t* out, size_t count, float scale,
                   const armnn_i_acc_store_t* store);
  void (*dequantize)(const int16_t* in, float* out, size_t count, float scale);
  void (*pair)(const armnn_i_acc_pair_job_t* job);
  const char *channelwise_name, *quantize_name, *dequantize_name, *add_name, *sub_name, *mul_name;
};

#endif /* ARMNN_CPU_ACC_QUANTIZED_INT16_H_ */
