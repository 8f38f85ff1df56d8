/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm_operands.h - operands and sizes of LSTM, QLSTM and UNIDIRECTIONAL_SEQUENCE_LSTM.
 */
#ifndef ARMNN_COMMON_LSTM_OPERANDS_H_
#define ARMNN_COMMON_LSTM_OPERANDS_H_

#include "armnn/backend_kit.h"

/* Gates, in the order of the operands. */
enum {
  ARMNN_LSTM_INPUT_GATE,
  ARMNN_LSTM_FORGET_GATE,
  ARMNN_LSTM_CELL_GATE,
  ARMNN_LSTM_OUTPUT_GATE
};
#define ARMNN_LSTM_GATES 4

/* Places of the operands; those of a gate behind the first of their kind. */
enum {
  ARMNN_LSTM_OUTPUT_STATE = 1,
  ARMNN_LSTM_CELL_STATE = 2,
  ARMNN_LSTM_INPUT_WEIGHTS = 3,
  ARMNN_LSTM_RECURRENT_WEIGHTS = 7,
  ARMNN_LSTM_CELL_TO_INPUT = 11,
  ARMNN_LSTM_CELL_TO_FORGET = 12,
  ARMNN_LSTM_CELL_TO_OUTPUT = 13,
  ARMNN_LSTM_BIAS = 14,
  ARMNN_LSTM_PROJECTION = 18,
  ARMNN_LSTM_PROJECTION_BIAS = 19,
  ARMNN_LSTM_NORM = 20
};

typedef struct armnn_lstm_sizes_t {
  uint64_t steps, batch, inputs, cells, outputs;
  uint64_t step_stride, row_stride; /* of the sequences, in vectors of a step and a row */
} armnn_lstm_sizes_t;

static inline armnn_lstm_sizes_t armnn_lstm_sizes(const armnn_workload_info_t* info,
                                                  int is_sequence, int is_time_major) {
  const armnn_tensor_info_t* input = info->input_infos[0];
  const armnn_tensor_info_t* recurrent =
      info->input_infos[ARMNN_LSTM_RECURRENT_WEIGHTS + ARMNN_LSTM_FORGET_GATE];
  armnn_lstm_sizes_t sizes = {.steps = 1, .batch = input->dims[0], .row_stride = 1};
  if (is_sequence) {
    sizes.steps = input->dims[is_time_major ? 0 : 1];
    sizes.batch = input->dims[is_time_major ? 1 : 0];
    sizes.step_stride = is_time_major ? sizes.batch : 1;
    sizes.row_stride = is_time_major ? 1 : sizes.steps;
  }
  sizes.inputs = input->dims[input->rank - 1];
  sizes.cells = recurrent->dims[0];
  sizes.outputs = recurrent->dims[1];
  return sizes;
}

#endif /* ARMNN_COMMON_LSTM_OPERANDS_H_ */
