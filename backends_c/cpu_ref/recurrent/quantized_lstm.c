/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_lstm.c - QUANTIZED_LSTM: one step in 8 and 16 bits, as Android NNAPI's
 * QUANTIZED_16BIT_LSTM and the basic LSTM of TensorFlow Lite define it, bit for bit.
 *
 * Sums of products become Q3.12, gates are Q0.15, the cell state is Q4.11; its tanh is that of the
 * state as Q3.12, saturated. Inputs and outputs are 128 + 128 x.
 */
#include "fixed_functions.h"
#include "kernels.h"
#include "recurrent.h"
#include "shared/work.h"

enum { CELL_STATE = 1, OUTPUT_STATE = 2, INPUT_WEIGHTS = 3, RECURRENT_WEIGHTS = 7, BIAS = 11 };
enum { INPUT_GATE, FORGET_GATE, CELL_GATE, OUTPUT_GATE, GATES };

typedef struct cell_t {
  const armnn_kernel_call_t* call;
  uint64_t inputs, cells;
  int32_t zero; /* of the weights */
  armnn_factor_t factor;
} cell_t;

static int64_t sum_of_products(const cell_t* cell, const uint8_t* x, int place, uint64_t row,
                               uint64_t count) {
  const uint8_t* weights = ARMNN_IN(cell->call, place, uint8_t) + row * count;
  int64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += (x[i] - 128) * (weights[i] - cell->zero);
  return sum;
}

/* Items are cells of all rows. */
static armnn_status_t run_range(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const cell_t* cell = (const cell_t*)argument;
  const armnn_kernel_call_t* call = cell->call;
  for (uint64_t item = begin; item < end; ++item) {
    const uint64_t row = item / cell->cells, at = item % cell->cells;
    const uint8_t* x = ARMNN_IN(call, 0, uint8_t) + row * cell->inputs;
    const uint8_t* h = ARMNN_IN(call, OUTPUT_STATE, uint8_t) + row * cell->cells;
    int16_t gates[GATES];
    for (int gate = 0; gate < GATES; ++gate) {
      const int64_t sum = ARMNN_IN(call, BIAS + gate, int32_t)[at] +
                          sum_of_products(cell, x, INPUT_WEIGHTS + gate, at, cell->inputs) +
                          sum_of_products(cell, h, RECURRENT_WEIGHTS + gate, at, cell->cells);
      const int16_t level = armnn_saturate16(armnn_scale32(armnn_saturate32(sum), cell->factor));
      gates[gate] = gate == CELL_GATE ? armnn_tanh16(level, 3) : armnn_sigmoid16(level, 3);
    }
    const int16_t added = armnn_product16(gates[INPUT_GATE], gates[CELL_GATE]);
    const int16_t kept =
        armnn_product16(gates[FORGET_GATE], ARMNN_IN(call, CELL_STATE, int16_t)[item]);
    const int16_t state = armnn_saturate16(kept + armnn_shift_right(added, 4));
    const int16_t memorized = armnn_tanh16(armnn_saturate16(state * 2), 3);
    const int32_t shown = armnn_shift_right(armnn_product16(gates[OUTPUT_GATE], memorized), 8);
    ARMNN_OUT(call, 0, int16_t)[item] = state;
    ARMNN_OUT(call, 1, uint8_t)[item] = (uint8_t)(128 + (shown > 127 ? 127 : shown));
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_u8_quantized_lstm__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t *input = ARMNN_IN_INFO(call, 0),
                            *weights = ARMNN_IN_INFO(call, INPUT_WEIGHTS);
  cell_t cell = {.call = call,
                 .inputs = input->dims[1],
                 .cells = weights->dims[0],
                 .zero = weights->zero_points[0],
                 .factor = armnn_factor(4096.0 * (input->scales[0] * weights->scales[0]))};
  return armnn_i_ref_run(call, run_range, &cell, input->dims[0] * cell.cells,
                         GATES * (cell.inputs + cell.cells), error);
}

static armnn_status_t refuse_scale(const armnn_tensor_info_t* info, uint32_t place,
                                   const char* expected, armnn_error_t* reason) {
  return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                    "input %u has scale %g and zero point %d, %s expected", (unsigned)place,
                    info->quantization_count == 0 ? 0.0 : (double)info->scales[0],
                    info->quantization_count == 0 ? 0 : (int)info->zero_points[0], expected);
}

static int has_scale(const armnn_tensor_info_t* info, float scale, int32_t zero_point) {
  return info->quantization_count == 1 && info->scales[0] == scale &&
         info->zero_points[0] == zero_point;
}

armnn_status_t armnn_i_ref_quantized_lstm_supports(const armnn_layer_query_t* query,
                                                   armnn_error_t* reason) {
  const armnn_tensor_info_t* weights = query->input_infos[INPUT_WEIGHTS];
  for (uint32_t i = 0; i < query->input_count; ++i) {
    const armnn_tensor_info_t* info = query->input_infos[i];
    const int32_t type = i == CELL_STATE ? ARMNN_DATA_TYPE_QSYMM_S16
                         : i < BIAS      ? ARMNN_DATA_TYPE_QASYMM_U8
                                         : ARMNN_DATA_TYPE_SIGNED32;
    if (info->data_type != type) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "input %u is %s, %s expected",
                        (unsigned)i, armnn_data_type_name(info->data_type),
                        armnn_data_type_name(type));
    }
    if ((i == 0 || i == OUTPUT_STATE) && !has_scale(info, 0x1p-7f, 128)) {
      return refuse_scale(info, i, "1/128 and 128", reason);
    }
    if (i == CELL_STATE && !has_scale(info, 0x1p-11f, 0)) {
      return refuse_scale(info, i, "2^-11 and 0", reason);
    }
    if (i >= INPUT_WEIGHTS && i < BIAS &&
        (weights->quantization_count != 1 ||
         !has_scale(info, weights->scales[0], weights->zero_points[0]))) {
      return refuse_scale(info, i, "those of all weights", reason);
    }
  }
  return ARMNN_STATUS_OK;
}
