/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm.c - LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM in float32, with all that Arm NN's have: coupled
 * input and forget gates, peepholes, layer normalisation, projection and clipping.
 *
 * Operands of other types are decoded beforehand (widened.h), weights of a float layer as well; the
 * states are float32 from step to step. With row_rounding products read copies of rows that are
 * rounded to 8 bits. A step has three parts, each over rows of the batch and
 * cells or outputs: products of the gates, then gates and cells of a row, then the projection.
 */
#include "kernels.h"
#include "lstm_int8.h"
#include "lstm_operands.h"
#include "recurrent.h"
#include "row_rounding.h"
#include "shared/scratch.h"
#include "shared/widened.h"
#include "shared/work.h"

/* Activation functions, as TensorFlow Lite numbers them. */
enum { NONE = 0, RELU = 1, RELU6 = 3, TANH = 4, SIGMOID = 6 };

typedef struct lstm_t {
  const armnn_kernel_call_t* call;
  const armnn_lstm_descriptor_t* d;
  armnn_lstm_sizes_t sizes;
  const float* x; /* of this step: row |b| begins at b * row_stride * inputs */
  float* y;
  float *output_state, *cell_state;
  float* gates; /* [batch, 4, cells] */
  float* shown; /* [batch, cells]: what enters the projection, or is the output */
  /* With row_rounding: rounded copies of rows of the input, of |output_state| and of |shown|. */
  float *rounded_x, *rounded_state, *rounded_shown;
} lstm_t;

/* Null if it is absent: a layer may end before its last operands. */
static const float* operand(const lstm_t* lstm, int place) {
  if ((uint32_t)place >= lstm->call->info->input_count) return NULL;
  return ARMNN_IN(lstm->call, place, float);
}

static float activated(uint32_t function, float x) {
  switch (function) {
    case RELU:
      return x < 0.0f ? 0.0f : x;
    case RELU6:
      return x < 0.0f ? 0.0f : x > 6.0f ? 6.0f : x;
    case TANH:
      return tanhf(x);
    case SIGMOID:
      return armnn_i_ref_sigmoid(x);
    default:
      return x;
  }
}

static int rounds(const lstm_t* lstm) { return lstm->d->row_rounding != ARMNN_ROW_ROUNDING_NONE; }

static const float* row_of_x(const lstm_t* lstm, uint64_t row) {
  return lstm->x + row * lstm->sizes.row_stride * lstm->sizes.inputs;
}

/* ---- Rows rounded to 8 bits: items are rows ---------------------------------------------------
 */

static armnn_status_t round_range(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const lstm_t* lstm = (const lstm_t*)argument;
  const uint64_t inputs = lstm->sizes.inputs, outputs = lstm->sizes.outputs;
  const int32_t rounding = lstm->d->row_rounding;
  for (uint64_t row = begin; row < end; ++row) {
    armnn_round_row(rounding, row_of_x(lstm, row), lstm->rounded_x + row * inputs, inputs);
    armnn_round_row(rounding, lstm->output_state + row * outputs,
                    lstm->rounded_state + row * outputs, outputs);
  }
  return ARMNN_STATUS_OK;
}

/* ---- Products of the gates: items are cells of all rows ---------------------------------------
 */

static armnn_status_t multiply_range(void* argument, uint64_t begin, uint64_t end,
                                     uint32_t thread_index) {
  (void)thread_index;
  const lstm_t* lstm = (const lstm_t*)argument;
  const armnn_lstm_sizes_t* sizes = &lstm->sizes;
  for (uint64_t item = begin; item < end; ++item) {
    const uint64_t row = item / sizes->cells, cell = item % sizes->cells;
    const float* x = rounds(lstm) ? lstm->rounded_x + row * sizes->inputs : row_of_x(lstm, row);
    const float* state =
        (rounds(lstm) ? lstm->rounded_state : lstm->output_state) + row * sizes->outputs;
    for (int gate = lstm->d->cifg_enabled ? 1 : 0; gate < ARMNN_LSTM_GATES; ++gate) {
      const float* w = operand(lstm, ARMNN_LSTM_INPUT_WEIGHTS + gate);
      const float* r = operand(lstm, ARMNN_LSTM_RECURRENT_WEIGHTS + gate);
      lstm->gates[(row * ARMNN_LSTM_GATES + (uint64_t)gate) * sizes->cells + cell] =
          armnn_i_ref_dot(x, w + cell * sizes->inputs, sizes->inputs) +
          armnn_i_ref_dot(state, r + cell * sizes->outputs, sizes->outputs);
    }
  }
  return ARMNN_STATUS_OK;
}

/* ---- Gates and cells: items are rows ----------------------------------------------------------
 */

/* To mean 0 and variance 1 over the cells; equal values become 0. */
static void normalize(float* values, uint64_t count) {
  double sum = 0.0, squares = 0.0;
  for (uint64_t i = 0; i < count; ++i) sum += values[i];
  const double mean = sum / (double)count;
  for (uint64_t i = 0; i < count; ++i) squares += (values[i] - mean) * (values[i] - mean);
  const double variance = squares / (double)count;
  const double scale = variance == 0.0 ? 0.0 : 1.0 / sqrt(variance);
  for (uint64_t i = 0; i < count; ++i) values[i] = (float)((values[i] - mean) * scale);
}

/* From the products of one gate and row to what its function takes. |peephole| and |cell|: null for
 * none. */
static void finish_gate(const lstm_t* lstm, int gate, float* values, const float* peephole,
                        const float* cell) {
  const uint64_t cells = lstm->sizes.cells;
  const float* bias = operand(lstm, ARMNN_LSTM_BIAS + gate);
  if (peephole != NULL) {
    for (uint64_t i = 0; i < cells; ++i) values[i] += peephole[i] * cell[i];
  }
  if (lstm->d->layer_norm_enabled) {
    const float* weights = operand(lstm, ARMNN_LSTM_NORM + gate);
    normalize(values, cells);
    for (uint64_t i = 0; i < cells; ++i) values[i] *= weights[i];
  }
  for (uint64_t i = 0; i < cells; ++i) values[i] += bias[i];
}

static void step_of_row(const lstm_t* lstm, uint64_t row) {
  const armnn_lstm_descriptor_t* d = lstm->d;
  const uint64_t cells = lstm->sizes.cells;
  const uint32_t function = d->activation_function;
  float* cell = lstm->cell_state + row * cells;
  float* shown = lstm->shown + row * cells;
  float* input = lstm->gates + row * ARMNN_LSTM_GATES * cells;
  float* forget = input + ARMNN_LSTM_FORGET_GATE * cells;
  float* update = input + ARMNN_LSTM_CELL_GATE * cells;
  float* output = input + ARMNN_LSTM_OUTPUT_GATE * cells;
  const int peeps = d->peephole_enabled != 0;

  finish_gate(lstm, ARMNN_LSTM_FORGET_GATE, forget,
              peeps ? operand(lstm, ARMNN_LSTM_CELL_TO_FORGET) : NULL, cell);
  for (uint64_t i = 0; i < cells; ++i) forget[i] = armnn_i_ref_sigmoid(forget[i]);
  if (d->cifg_enabled) {
    for (uint64_t i = 0; i < cells; ++i) input[i] = 1.0f - forget[i];
  } else {
    finish_gate(lstm, ARMNN_LSTM_INPUT_GATE, input,
                peeps ? operand(lstm, ARMNN_LSTM_CELL_TO_INPUT) : NULL, cell);
    for (uint64_t i = 0; i < cells; ++i) input[i] = armnn_i_ref_sigmoid(input[i]);
  }
  finish_gate(lstm, ARMNN_LSTM_CELL_GATE, update, NULL, NULL);
  for (uint64_t i = 0; i < cells; ++i) {
    update[i] = activated(function, update[i]);
    cell[i] =
        armnn_i_ref_clipped(forget[i] * cell[i] + input[i] * update[i], d->clipping_threshold_cell);
  }
  finish_gate(lstm, ARMNN_LSTM_OUTPUT_GATE, output,
              peeps ? operand(lstm, ARMNN_LSTM_CELL_TO_OUTPUT) : NULL, cell);
  for (uint64_t i = 0; i < cells; ++i) {
    output[i] = armnn_i_ref_sigmoid(output[i]);
    shown[i] = output[i] * activated(function, cell[i]);
  }
  if (rounds(lstm) && d->projection_enabled) {
    armnn_round_row(d->row_rounding, shown, lstm->rounded_shown + row * cells, cells);
  }
}

static armnn_status_t step_range(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  for (uint64_t row = begin; row < end; ++row) step_of_row((const lstm_t*)argument, row);
  return ARMNN_STATUS_OK;
}

/* ---- Outputs: items are outputs of all rows ---------------------------------------------------
 */

static armnn_status_t project_range(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) {
  (void)thread_index;
  const lstm_t* lstm = (const lstm_t*)argument;
  const uint64_t cells = lstm->sizes.cells, outputs = lstm->sizes.outputs;
  const float* weights = operand(lstm, ARMNN_LSTM_PROJECTION);
  const float* bias = operand(lstm, ARMNN_LSTM_PROJECTION_BIAS);
  const float* shown = rounds(lstm) ? lstm->rounded_shown : lstm->shown;
  for (uint64_t item = begin; item < end; ++item) {
    const uint64_t row = item / outputs, place = item % outputs;
    const float sum = armnn_i_ref_dot(shown + row * cells, weights + place * cells, cells);
    lstm->output_state[item] = armnn_i_ref_clipped(bias == NULL ? sum : sum + bias[place],
                                                   lstm->d->clipping_threshold_projection);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t run_step(lstm_t* lstm, armnn_error_t* error) {
  const armnn_lstm_sizes_t* sizes = &lstm->sizes;
  const armnn_kernel_call_t* call = lstm->call;
  const uint64_t row_bytes = sizes->outputs * sizeof(float);
  if (rounds(lstm)) {
    ARMNN_RETURN_IF_ERROR(armnn_i_ref_run(call, round_range, lstm, sizes->batch,
                                          8 * (sizes->inputs + sizes->outputs), error));
  }
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_run(call, multiply_range, lstm, sizes->batch * sizes->cells,
                                        4 * (sizes->inputs + sizes->outputs), error));
  ARMNN_RETURN_IF_ERROR(
      armnn_i_ref_run(call, step_range, lstm, sizes->batch, 64 * sizes->cells, error));
  if (lstm->d->projection_enabled) {
    ARMNN_RETURN_IF_ERROR(armnn_i_ref_run(call, project_range, lstm, sizes->batch * sizes->outputs,
                                          sizes->cells, error));
  } else {
    memcpy(lstm->output_state, lstm->shown, sizes->batch * row_bytes);
  }
  for (uint64_t row = 0; row < sizes->batch; ++row) {
    memcpy(lstm->y + row * sizes->row_stride * sizes->outputs,
           lstm->output_state + row * sizes->outputs, row_bytes);
  }
  return ARMNN_STATUS_OK;
}

/* ---- Layers -----------------------------------------------------------------------------------
 */

/* The outputs of the layer begin at |first|: output_state, cell_state, output. */
static armnn_status_t run(const armnn_kernel_call_t* call, int is_sequence, int first, lstm_t* lstm,
                          armnn_error_t* error) {
  const armnn_lstm_descriptor_t* d = ARMNN_DESCRIPTOR(call->info, armnn_lstm_descriptor_t);
  const armnn_lstm_sizes_t sizes = armnn_lstm_sizes(call->info, is_sequence, d->time_major != 0);
  unsigned char* scratch = (unsigned char*)call->scratch;
  *lstm = (lstm_t){.call = call, .d = d, .sizes = sizes};
  lstm->output_state = ARMNN_OUT(call, first, float);
  lstm->cell_state = ARMNN_OUT(call, first + 1, float);
  lstm->gates = (float*)armnn_i_ref_scratch_take(
      &scratch, sizes.batch * ARMNN_LSTM_GATES * sizes.cells, sizeof(float));
  lstm->shown =
      (float*)armnn_i_ref_scratch_take(&scratch, sizes.batch * sizes.cells, sizeof(float));
  if (rounds(lstm)) {
    lstm->rounded_x =
        (float*)armnn_i_ref_scratch_take(&scratch, sizes.batch * sizes.inputs, sizeof(float));
    lstm->rounded_state =
        (float*)armnn_i_ref_scratch_take(&scratch, sizes.batch * sizes.outputs, sizeof(float));
    lstm->rounded_shown =
        (float*)armnn_i_ref_scratch_take(&scratch, sizes.batch * sizes.cells, sizeof(float));
  }
  if (sizes.batch == 0) return ARMNN_STATUS_OK;
  if (sizes.outputs > 0) {
    memcpy(lstm->output_state, operand(lstm, ARMNN_LSTM_OUTPUT_STATE),
           sizes.batch * sizes.outputs * sizeof(float));
  }
  if (sizes.cells > 0) {
    memcpy(lstm->cell_state, operand(lstm, ARMNN_LSTM_CELL_STATE),
           sizes.batch * sizes.cells * sizeof(float));
  }
  if (sizes.outputs == 0) return ARMNN_STATUS_OK;
  for (uint64_t step = 0; step < sizes.steps; ++step) {
    lstm->x = ARMNN_IN(call, 0, float) + step * sizes.step_stride * sizes.inputs;
    lstm->y = ARMNN_OUT(call, first + 2, float) + step * sizes.step_stride * sizes.outputs;
    ARMNN_RETURN_IF_ERROR(run_step(lstm, error));
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t lstm_float(const armnn_kernel_call_t* call, armnn_error_t* error) {
  lstm_t lstm;
  ARMNN_RETURN_IF_ERROR(run(call, 0, 1, &lstm, error));
  const uint64_t cells = lstm.sizes.cells, skipped = lstm.d->cifg_enabled ? cells : 0;
  const uint64_t kept = ARMNN_LSTM_GATES * cells - skipped;
  for (uint64_t row = 0; row < lstm.sizes.batch && kept > 0; ++row) {
    memcpy(ARMNN_OUT(call, 0, float) + row * kept,
           lstm.gates + row * ARMNN_LSTM_GATES * cells + skipped, kept * sizeof(float));
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t sequence_lstm_float(const armnn_kernel_call_t* call, armnn_error_t* error) {
  lstm_t lstm;
  return run(call, 1, 0, &lstm, error);
}

/* Whether a layer is computed in integers: one of 8 bits with biases of 32. */
static int has_levels(int32_t type, const armnn_tensor_info_t* const* infos) {
  return type == ARMNN_LAYER_UNIDIRECTIONAL_SEQUENCE_LSTM &&
         infos[0]->data_type == ARMNN_DATA_TYPE_QASYMM_S8 &&
         infos[ARMNN_LSTM_BIAS + ARMNN_LSTM_FORGET_GATE]->data_type == ARMNN_DATA_TYPE_SIGNED32;
}

armnn_status_t armnn_any_lstm__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return armnn_i_ref_widened(call, lstm_float, error);
}

armnn_status_t armnn_any_unidirectional_sequence_lstm__ref(const armnn_kernel_call_t* call,
                                                           armnn_error_t* error) {
  if (has_levels(call->info->type, call->info->input_infos)) {
    return armnn_i_ref_lstm_int8(call, error);
  }
  return armnn_i_ref_widened(call, sequence_lstm_float, error);
}

armnn_status_t armnn_i_ref_prepare_lstm(const armnn_workload_info_t* info, const armnn_host_t* host,
                                        armnn_backend_t* backend, void** out_prepared,
                                        armnn_workload_requirements_t* requirements,
                                        armnn_error_t* error) {
  if (has_levels(info->type, info->input_infos)) {
    return armnn_i_ref_prepare_lstm_int8(info, host, backend, out_prepared, requirements, error);
  }
  const armnn_lstm_descriptor_t* d = ARMNN_DESCRIPTOR(info, armnn_lstm_descriptor_t);
  const int is_sequence = info->input_infos[0]->rank == 3;
  const armnn_lstm_sizes_t sizes = armnn_lstm_sizes(info, is_sequence, d->time_major != 0);
  ARMNN_RETURN_IF_ERROR(
      armnn_i_ref_prepare_widened(info, host, backend, out_prepared, requirements, error));
  armnn_i_ref_scratch_ask(requirements, sizes.batch * ARMNN_LSTM_GATES * sizes.cells,
                          sizeof(float));
  armnn_i_ref_scratch_ask(requirements, sizes.batch * sizes.cells, sizeof(float));
  if (d->row_rounding != ARMNN_ROW_ROUNDING_NONE) {
    armnn_i_ref_scratch_ask(requirements, sizes.batch * sizes.inputs, sizeof(float));
    armnn_i_ref_scratch_ask(requirements, sizes.batch * sizes.outputs, sizeof(float));
    armnn_i_ref_scratch_ask(requirements, sizes.batch * sizes.cells, sizeof(float));
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_lstm_supports(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const uint32_t function = ARMNN_DESCRIPTOR(query, armnn_lstm_descriptor_t)->activation_function;
  if (function != NONE && function != RELU && function != RELU6 && function != TANH &&
      function != SIGMOID) {
    return armnn_fail(
        reason, ARMNN_STATUS_UNSUPPORTED,
        "activation function %u given, expected 0 (none), 1 (ReLU), 3 (ReLU6), 4 (tanh) "
        "and 6 (sigmoid)",
        (unsigned)function);
  }
  if (has_levels(query->type, query->input_infos)) {
    if (function != TANH) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                        "activation function %u, LSTMs in integers have 4 (tanh)",
                        (unsigned)function);
    }
    return armnn_i_ref_lstm_int8_supports(query, reason);
  }
  for (uint32_t i = 1; i < query->input_count; ++i) {
    const armnn_tensor_info_t* info = query->input_infos[i];
    if (info != NULL && info->data_type == ARMNN_DATA_TYPE_SIGNED32) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                        "input %u is int32, which only an UnidirectionalSequenceLstm of "
                        "quantised int8 has",
                        (unsigned)i);
    }
  }
  return ARMNN_STATUS_OK;
}
