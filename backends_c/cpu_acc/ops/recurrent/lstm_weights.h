/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm_weights.h - packed weights of LSTM cells in integers: products of a step, and of the inputs
 * of many.
 */
#ifndef ARMNN_CPU_ACC_LSTM_WEIGHTS_H_
#define ARMNN_CPU_ACC_LSTM_WEIGHTS_H_

#include "ops/op_base.h"
#include "packs.h"

/* Rows of stored bytes by the weights of all gates, or of a projection. */
typedef struct armnn_i_acc_lstm_product_t {
  int64_t depth, channels;
  int64_t groups, width;      /* of a row: groups of depths, and their bytes */
  int64_t panels, panel_size; /* a panel's in int32 */
  uint32_t flags;             /* of armnn_i_acc_gate_sums_t */
  uint8_t flip;               /* from a stored byte to one of a row */
  int16_t zero;               /* the zero point of these */
  const int32_t* packed;
} armnn_i_acc_lstm_product_t;

typedef struct armnn_i_acc_lstm_weights_t {
  armnn_i_acc_lstm_product_t input, recurrent;
  armnn_i_acc_lstm_product_t projection; /* without panels, if there is none */
  armnn_i_acc_packed_t memory;
} armnn_i_acc_lstm_weights_t;

armnn_status_t armnn_i_acc_pack_lstm(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_lstm_int8_t* what,
                                     armnn_i_acc_lstm_weights_t* out);

/* |rows| rows of stored bytes, |step| apart, become rows of the product at |numbers|. */
void armnn_i_acc_read_lstm_rows(const armnn_i_acc_lstm_int8_kernels_t* kernels,
                                const armnn_i_acc_lstm_product_t* product, const void* bytes,
                                int64_t step, int64_t rows, char* numbers);

#endif /* ARMNN_CPU_ACC_LSTM_WEIGHTS_H_ */
