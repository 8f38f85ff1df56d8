/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * recurrent.h - kernels on the gates of recurrent cells: from sums of one row to its next state.
 *
 * Arrays are dense, of |cells| floats; nothing is read or written behind them.
 */
#ifndef ARMNN_CPU_ACC_RECURRENT_KERNELS_H_
#define ARMNN_CPU_ACC_RECURRENT_KERNELS_H_

#include <stddef.h>
#include <stdint.h>

/* One step of LSTM cells:
 *   cell = forget cell + input fresh, bounded; hidden = output function(cell),
 * where fresh is the function and the other gates are the sigmoid of their sums. */
typedef struct armnn_i_acc_lstm_job_t {
  size_t cells;
  const float *input, *forget, *fresh, *output; /* sums; |input| null: the gate is 1 - forget */
  /* Null, or what the cell before (for the output gate: the new one) adds to a sum. */
  const float *input_peephole, *forget_peephole, *output_peephole;
  float* cell;
  float* hidden;
  int32_t function; /* armnn_i_acc_function_e: IDENTITY, CLAMP from 0 to |high|, SIGMOID or TANH */
  float high;
  float clip; /* the bound of |cell|; infinite: none */
} armnn_i_acc_lstm_job_t;

/* Gated units, in two parts with a product between them. |clip| bounds sums before functions;
 * infinite: none. */
typedef struct armnn_i_acc_gru_job_t {
  size_t cells;
  float clip;
  float *update, *reset; /* sums; the first part makes gates of them */
  const float* fresh;    /* sums */
  /* Null: |fresh| is the whole sum. Otherwise sums of the state, that the reset gate multiplies
   * before they are added. */
  const float* product;
  float* state;
  float* kept; /* the first part: reset gate times state; or null */
} armnn_i_acc_gru_job_t;

typedef struct armnn_i_acc_recurrent_kernels_t {
  void (*lstm)(const armnn_i_acc_lstm_job_t* job);
  void (*gru_gates)(const armnn_i_acc_gru_job_t* job);
  /* state = (1 - update) tanh(..) + update state */
  void (*gru_state)(const armnn_i_acc_gru_job_t* job);
  const char *lstm_name, *gru_name, *rnn_name;
} armnn_i_acc_recurrent_kernels_t;

#endif /* ARMNN_CPU_ACC_RECURRENT_KERNELS_H_ */
