/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm_int8.h - kernels of LSTM cells in integers (lstm_integers.h): sums of gates by packed
 * weights, then cells and what they show.
 *
 * Arrays of gates and cells are of any length; nothing is read or written behind them.
 */
#ifndef ARMNN_CPU_ACC_LSTM_INT8_H_
#define ARMNN_CPU_ACC_LSTM_INT8_H_

#include "kernels/quantized/quantized.h"
#include "lstm_integers.h"

/* |rows| rows of numbers by a panel of weights, packed as for armnn_i_acc_product_job_t: sums are
 * scaled twice, and saturate in 16 bits. With |adds| what is in |output| is added before that. */
typedef struct armnn_i_acc_gate_sums_t {
  const char* input;
  ptrdiff_t input_row; /* in bytes */
  uint32_t rows;
  size_t groups;
  const int32_t* panel;
  uint32_t flags; /* 0 or ARMNN_ACC_SCALE_EXACT */
  uint32_t channels;
  bool adds;
  int16_t* output; /* of the panel's first channel */
  ptrdiff_t output_row;
} armnn_i_acc_gate_sums_t;

/* The cells of a row: first those behind this step, by three gates, then what they show. */
typedef struct armnn_i_acc_lstm_cells_t {
  size_t cells;
  const int16_t *input, *forget, *fresh, *output; /* sums; |input| null: what |forget| leaves */
  int16_t* cell;
  int8_t* shown;
  int32_t whole;         /* bits of a cell before the point, 0 to 6 */
  int32_t right;         /* by how much a gate times a fresh state is shifted: 15 to 21 */
  int32_t bound;         /* of the size of a cell; 0: none */
  armnn_factor_t factor; /* of what is shown, with |zero_point|; not to the left */
  int32_t zero_point;
} armnn_i_acc_lstm_cells_t;

/* The sums of a gate of a row, before its function. */
typedef struct armnn_i_acc_lstm_gate_sums_t {
  size_t cells;
  int16_t* sums;
  const armnn_lstm_gate_t* factors;
  const int16_t *peephole, *cell; /* |peephole| null: the cell adds nothing */
  const int16_t* norm;            /* null: they stay as they are */
  const int32_t* bias;            /* of the norm */
  int64_t most_bias;              /* the greatest size of it */
} armnn_i_acc_lstm_gate_sums_t;

typedef struct armnn_i_acc_lstm_int8_kernels_t {
  uint32_t panel; /* channels of a panel */
  uint32_t bytes; /* of a number of a row */
  uint32_t group; /* neighbouring depths of a row whose weights, a byte each, lie together */
  armnn_i_acc_levels_fn_t read; /* bytes to rows */
  void (*sums)(const armnn_i_acc_gate_sums_t* job);
  void (*finish)(const armnn_i_acc_lstm_gate_sums_t* job);
  void (*update)(const armnn_i_acc_lstm_cells_t* job);
  void (*show)(const armnn_i_acc_lstm_cells_t* job);
  const char* name;
} armnn_i_acc_lstm_int8_kernels_t;

#endif /* ARMNN_CPU_ACC_LSTM_INT8_H_ */
