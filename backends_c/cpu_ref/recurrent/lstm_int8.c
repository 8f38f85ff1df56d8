/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm_int8.c - see lstm_int8.h. Row by row, step by step.
 */
#include "lstm_int8.h"

#include "kernels.h"
#include "lstm_integers.h"
#include "shared/scratch.h"
#include "shared/work.h"

enum { GATES = ARMNN_LSTM_GATES };

typedef struct cell_t {
  const armnn_kernel_call_t* call;
  armnn_lstm_int8_t levels;
  armnn_lstm_sizes_t sizes;
  int16_t* gates; /* [batch, 4, cells] */
  int8_t* shown;  /* [batch, cells] */
} cell_t;

/* Null if it is absent. */
static const void* operand(const cell_t* cell, uint32_t place) {
  return place < cell->call->info->input_count ? cell->call->inputs[place] : NULL;
}

static cell_t cell_of(const armnn_kernel_call_t* call) {
  const armnn_workload_info_t* info = call->info;
  cell_t cell = {.call = call,
                 .levels = armnn_lstm_int8(info->type, info->descriptor, info->input_infos,
                                           info->input_count)};
  const armnn_lstm_options_t* options = &cell.levels.options;
  cell.sizes = armnn_lstm_sizes(info, options->is_sequence, options->time_major);
  unsigned char* scratch = (unsigned char*)call->scratch;
  const uint64_t cells = cell.sizes.batch * cell.sizes.cells;
  cell.gates = (int16_t*)armnn_i_ref_scratch_take(&scratch, cells * GATES, sizeof(int16_t));
  cell.shown = (int8_t*)armnn_i_ref_scratch_take(&scratch, cells, sizeof(int8_t));
  return cell;
}

/* ---- A step of one row ----------------------------------------------------------------------- */

/* With |bias|; what 32 bits do not hold saturates. */
static int32_t sum_of_products(const int8_t* x, int32_t zero, const int8_t* weights, uint64_t count,
                               int32_t bias) {
  const uint64_t most = 65536; /* products that 32 bits hold: 255 * 128 * 65536 < 2^31 */
  int64_t sum = bias;
  for (uint64_t begin = 0; begin < count; begin += most) {
    const uint64_t end = count - begin > most ? begin + most : count;
    int32_t part = 0;
    for (uint64_t i = begin; i < end; ++i) part += (x[i] - zero) * weights[i];
    sum += part;
  }
  return armnn_saturate32(sum);
}

/* From the operands of a gate to what its function takes. */
static void run_gate(const cell_t* cell, int gate, const int8_t* x, const int8_t* state,
                     const int16_t* memory, int16_t* levels) {
  const armnn_lstm_sizes_t* sizes = &cell->sizes;
  const armnn_lstm_options_t* options = &cell->levels.options;
  const armnn_lstm_gate_t* factors = &cell->levels.gates[gate];
  const uint32_t at = (uint32_t)gate, peephole = armnn_lstm_peephole(options, gate);
  const int8_t* weights = (const int8_t*)operand(cell, ARMNN_LSTM_INPUT_WEIGHTS + at);
  const int8_t* recurrent = (const int8_t*)operand(cell, ARMNN_LSTM_RECURRENT_WEIGHTS + at);
  const int32_t* bias = (const int32_t*)operand(cell, ARMNN_LSTM_BIAS + at);
  for (uint64_t i = 0; i < sizes->cells; ++i) {
    const int32_t from_input =
        sum_of_products(x, cell->levels.input_zero, weights + i * sizes->inputs, sizes->inputs,
                        options->layer_norm ? 0 : bias[i]);
    const int32_t from_state = sum_of_products(state, cell->levels.state_zero,
                                               recurrent + i * sizes->outputs, sizes->outputs, 0);
    const int32_t sum = armnn_saturate16(armnn_scale32(from_input, factors->input));
    levels[i] = armnn_saturate16(
        armnn_saturate32((int64_t)sum + armnn_scale32(from_state, factors->recurrent)));
  }
  if (peephole != 0) {
    armnn_lstm_add_peephole(levels, (const int16_t*)operand(cell, peephole), memory, sizes->cells,
                            factors->peephole);
  }
  if (options->layer_norm) {
    const int64_t cells = (int64_t)sizes->cells;
    armnn_lstm_normalize(factors, armnn_lstm_moments(factors, cells, levels),
                         (const int16_t*)operand(cell, ARMNN_LSTM_NORM + at), bias, cells, levels);
  }
}

static void sigmoids(int16_t* levels, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) levels[i] = armnn_sigmoid16(levels[i], 3);
}

static void run_step(const cell_t* cell, const int8_t* x, uint64_t row, int8_t* state,
                     int16_t* memory) {
  const armnn_lstm_sizes_t* sizes = &cell->sizes;
  const armnn_lstm_int8_t* levels = &cell->levels;
  const uint64_t cells = sizes->cells;
  int16_t* input = cell->gates + row * GATES * cells;
  int16_t *forget = input + ARMNN_LSTM_FORGET_GATE * cells,
          *update = input + ARMNN_LSTM_CELL_GATE * cells,
          *output = input + ARMNN_LSTM_OUTPUT_GATE * cells;
  int8_t* shown = cell->shown + row * cells;
  if (levels->options.cifg) {
    input = NULL;
  } else {
    run_gate(cell, ARMNN_LSTM_INPUT_GATE, x, state, memory, input);
    sigmoids(input, cells);
  }
  run_gate(cell, ARMNN_LSTM_FORGET_GATE, x, state, memory, forget);
  sigmoids(forget, cells);
  run_gate(cell, ARMNN_LSTM_CELL_GATE, x, state, memory, update);
  for (uint64_t i = 0; i < cells; ++i) update[i] = armnn_tanh16(update[i], 3);
  armnn_lstm_update(levels, input, forget, update, cells, memory);
  run_gate(cell, ARMNN_LSTM_OUTPUT_GATE, x, state, memory, output);
  sigmoids(output, cells);
  for (uint64_t i = 0; i < cells; ++i) shown[i] = armnn_lstm_shown(levels, output[i], memory[i]);
  if (!levels->options.projection) {
    memcpy(state, shown, cells);
    return;
  }
  const int8_t* weights = (const int8_t*)operand(cell, ARMNN_LSTM_PROJECTION);
  const int32_t* bias = (const int32_t*)operand(cell, ARMNN_LSTM_PROJECTION_BIAS);
  for (uint64_t i = 0; i < sizes->outputs; ++i) {
    const int32_t sum = sum_of_products(shown, levels->hidden_zero, weights + i * cells, cells,
                                        bias == NULL ? 0 : bias[i]);
    state[i] = armnn_lstm_projected(levels, sum);
  }
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Items are rows, with all their steps. */
static armnn_status_t run_range(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const cell_t* cell = (const cell_t*)argument;
  const armnn_lstm_sizes_t* sizes = &cell->sizes;
  for (uint64_t row = begin; row < end; ++row) {
    int8_t* state = ARMNN_OUT(cell->call, 0, int8_t) + row * sizes->outputs;
    int16_t* memory = ARMNN_OUT(cell->call, 1, int16_t) + row * sizes->cells;
    memcpy(state, ARMNN_IN(cell->call, ARMNN_LSTM_OUTPUT_STATE, int8_t) + row * sizes->outputs,
           sizes->outputs);
    memcpy(memory, ARMNN_IN(cell->call, ARMNN_LSTM_CELL_STATE, int16_t) + row * sizes->cells,
           sizes->cells * sizeof(int16_t));
    for (uint64_t step = 0; step < sizes->steps && !armnn_i_ref_cancelled(cell->call); ++step) {
      const uint64_t at = row * sizes->row_stride + step * sizes->step_stride;
      run_step(cell, ARMNN_IN(cell->call, 0, int8_t) + at * sizes->inputs, row, state, memory);
      memcpy(ARMNN_OUT(cell->call, 2, int8_t) + at * sizes->outputs, state, sizes->outputs);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_lstm_int8(const armnn_kernel_call_t* call, armnn_error_t* error) {
  cell_t cell = cell_of(call);
  const armnn_lstm_sizes_t* sizes = &cell.sizes;
  if (sizes->outputs == 0) return ARMNN_STATUS_OK;
  const uint64_t operations =
      sizes->steps * sizes->cells * GATES * (sizes->inputs + sizes->outputs + 64);
  return armnn_i_ref_run(call, run_range, &cell, sizes->batch, operations, error);
}

armnn_status_t armnn_s8_qlstm__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return armnn_i_ref_lstm_int8(call, error);
}

armnn_status_t armnn_i_ref_prepare_lstm_int8(const armnn_workload_info_t* info,
                                             const armnn_host_t* host, armnn_backend_t* backend,
                                             void** out_prepared,
                                             armnn_workload_requirements_t* requirements,
                                             armnn_error_t* error) {
  (void)host, (void)backend, (void)error;
  *out_prepared = NULL;
  const armnn_lstm_options_t options = armnn_lstm_options(info->type, info->descriptor);
  const armnn_lstm_sizes_t sizes = armnn_lstm_sizes(info, options.is_sequence, options.time_major);
  armnn_i_ref_scratch_ask(requirements, sizes.batch * sizes.cells * GATES, sizeof(int16_t));
  armnn_i_ref_scratch_ask(requirements, sizes.batch * sizes.cells, sizeof(int8_t));
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_lstm_int8_supports(const armnn_layer_query_t* query,
                                              armnn_error_t* reason) {
  return armnn_lstm_int8_rule(query, reason);
}
