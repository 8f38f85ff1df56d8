/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm_levels.c - see lstm_levels.h.
 */
#include "lstm_levels.h"

#include "fixed_functions.h"
#include "kernels.h"
#include "lstm.h"
#include "scratch.h"
#include "work.h"

enum { GATES = ARMNN_REF_GATES };

/* What the descriptors of both layers say. */
typedef struct options_t {
  float cell_clip, projection_clip;
  int is_sequence, time_major, cifg, peephole, projection, layer_norm;
  float intermediate_scales[GATES];
  float hidden_scale; /* 0: as the output state */
  int32_t hidden_zero_point;
} options_t;

static options_t options_of(int32_t type, const armnn_header_t* descriptor) {
  if (type == ARMNN_LAYER_QLSTM) {
    const armnn_qlstm_descriptor_t* d = (const armnn_qlstm_descriptor_t*)descriptor;
    return (options_t){
        .cell_clip = d->cell_clip,
        .projection_clip = d->projection_clip,
        .cifg = d->cifg_enabled != 0,
        .peephole = d->peephole_enabled != 0,
        .projection = d->projection_enabled != 0,
        .layer_norm = d->layer_norm_enabled != 0,
        .intermediate_scales = {d->input_intermediate_scale, d->forget_intermediate_scale,
                                d->cell_intermediate_scale, d->output_intermediate_scale},
        .hidden_scale = d->hidden_state_scale,
        .hidden_zero_point = d->hidden_state_zero_point};
  }
  const armnn_lstm_descriptor_t* d = (const armnn_lstm_descriptor_t*)descriptor;
  return (options_t){
      .cell_clip = d->clipping_threshold_cell,
      .projection_clip = d->clipping_threshold_projection,
      .is_sequence = 1,
      .time_major = d->time_major != 0,
      .cifg = d->cifg_enabled != 0,
      .peephole = d->peephole_enabled != 0,
      .projection = d->projection_enabled != 0,
      .layer_norm = d->layer_norm_enabled != 0,
      .intermediate_scales = {d->input_intermediate_scale, d->forget_intermediate_scale,
                              d->cell_intermediate_scale, d->output_intermediate_scale},
      .hidden_scale = d->hidden_state_scale,
      .hidden_zero_point = d->hidden_state_zero_point};
}

/* ---- Factors --------------------------------------------------------------------------------- */

typedef struct gate_t {
  armnn_factor_t input, recurrent, peephole, norm;
  int32_t least_variance;
} gate_t;

typedef struct cell_t {
  const armnn_kernel_call_t* call;
  options_t options;
  armnn_i_ref_lstm_sizes_t sizes;
  gate_t gates[GATES];
  armnn_factor_t hidden, projected;
  int32_t input_zero, state_zero, hidden_zero;
  int32_t cell_exponent; /* of the scale of the cell state */
  int16_t cell_bound;    /* 0: none */
  int8_t output_bound;
  int16_t* levels; /* [batch, 4, cells] */
  int8_t* shown;   /* [batch, cells] */
} cell_t;

/* Null if it is absent. */
static const void* operand(const cell_t* cell, int place) {
  return (uint32_t)place < cell->call->info->input_count ? cell->call->inputs[place] : NULL;
}

static float scale_of(const armnn_workload_info_t* info, int place) {
  const armnn_tensor_info_t* tensor =
      (uint32_t)place < info->input_count ? info->input_infos[place] : NULL;
  return tensor != NULL && tensor->quantization_count > 0 ? tensor->scales[0] : 1.0f;
}

/* Products of scales are float32 and then widened, as TensorFlow Lite's are. */
static gate_t gate_of(const armnn_workload_info_t* info, const options_t* options, int gate,
                      int peephole, float cell_scale) {
  gate_t found;
  const float target = options->layer_norm ? options->intermediate_scales[gate] : 0x1p-12f;
  const float norm = scale_of(info, ARMNN_REF_LSTM_NORM + gate);
  const float weights = scale_of(info, ARMNN_REF_LSTM_INPUT_WEIGHTS + gate);
  const float recurrent = scale_of(info, ARMNN_REF_LSTM_RECURRENT_WEIGHTS + gate);
  const float state = scale_of(info, ARMNN_REF_LSTM_OUTPUT_STATE);
  found.input = armnn_factor((double)(weights * scale_of(info, 0) / target));
  found.recurrent = armnn_factor((double)(recurrent * state / target));
  found.peephole =
      armnn_factor(peephole == 0 ? 0.0 : (double)(cell_scale * scale_of(info, peephole) / target));
  found.norm = armnn_factor((double)norm);
  found.norm.shift += 12;
  found.least_variance = 10000.0f * norm < 1.0f ? 1 : (int32_t)(10000.0f * norm);
  return found;
}

static int32_t bound_of(float bound, float scale, int32_t most) {
  if (!(bound > 0.0f)) return 0;
  return bound / scale >= (float)most ? most : (int32_t)(bound / scale);
}

static cell_t cell_of(const armnn_kernel_call_t* call) {
  static const int peepholes[GATES] = {ARMNN_REF_LSTM_CELL_TO_INPUT, ARMNN_REF_LSTM_CELL_TO_FORGET,
                                       0, ARMNN_REF_LSTM_CELL_TO_OUTPUT};
  const armnn_workload_info_t* info = call->info;
  cell_t cell = {.call = call, .options = options_of(info->type, info->descriptor)};
  const options_t* options = &cell.options;
  const armnn_tensor_info_t* state = ARMNN_IN_INFO(call, ARMNN_REF_LSTM_OUTPUT_STATE);
  const float cell_scale = scale_of(info, ARMNN_REF_LSTM_CELL_STATE);
  const int is_stated = options->hidden_scale > 0.0f;
  const float hidden_scale = is_stated ? options->hidden_scale : state->scales[0];
  cell.sizes = armnn_i_ref_lstm_sizes(info, options->is_sequence, options->time_major);
  (void)frexpf(cell_scale, &cell.cell_exponent);
  cell.cell_exponent -= 1;
  for (int gate = options->cifg ? 1 : 0; gate < GATES; ++gate) {
    const int peephole = options->peephole ? peepholes[gate] : 0;
    cell.gates[gate] = gate_of(info, options, gate, peephole, cell_scale);
  }
  cell.input_zero = ARMNN_IN_INFO(call, 0)->zero_points[0];
  cell.state_zero = state->zero_points[0];
  cell.hidden_zero = is_stated ? options->hidden_zero_point : state->zero_points[0];
  cell.hidden = armnn_factor((double)(0x1p-15f / hidden_scale * 0x1p-15f));
  cell.projected = armnn_factor(
      (double)(scale_of(info, ARMNN_REF_LSTM_PROJECTION) * hidden_scale / state->scales[0]));
  cell.cell_bound = (int16_t)bound_of(options->cell_clip, cell_scale, INT16_MAX);
  cell.output_bound = (int8_t)bound_of(options->projection_clip, state->scales[0], INT8_MAX);
  unsigned char* scratch = (unsigned char*)call->scratch;
  const uint64_t cells = cell.sizes.batch * cell.sizes.cells;
  cell.levels = (int16_t*)armnn_i_ref_scratch_take(&scratch, cells * GATES, sizeof(int16_t));
  cell.shown = (int8_t*)armnn_i_ref_scratch_take(&scratch, cells, sizeof(int8_t));
  return cell;
}

/* ---- A step of one row ----------------------------------------------------------------------- */

static int32_t sum_of_products(const int8_t* x, int32_t zero, const int8_t* weights,
                               uint64_t count) {
  int32_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += (x[i] - zero) * weights[i];
  return sum;
}

/* To mean 0 and variance 1 with ten more bits, times weights, plus bias; then to Q3.12. */
static void normalize(const cell_t* cell, int gate, int16_t* levels) {
  const gate_t* factors = &cell->gates[gate];
  const int16_t* weights = (const int16_t*)operand(cell, ARMNN_REF_LSTM_NORM + gate);
  const int32_t* bias = (const int32_t*)operand(cell, ARMNN_REF_LSTM_BIAS + gate);
  const int64_t count = (int64_t)cell->sizes.cells, unit = 1 << 20;
  int64_t sum = 0, squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += levels[i];
    squares += (int64_t)levels[i] * levels[i];
  }
  const int64_t mean = sum * 1024 / count;
  int32_t variance = (int32_t)((squares * (unit / count) - mean * mean) / unit);
  if (variance < 1) variance = factors->least_variance;
  const armnn_factor_t inverse = armnn_i_ref_inverse_root(variance);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t scaled = armnn_scale32((int32_t)(1024 * (int64_t)levels[i] - mean), inverse);
    const int64_t value = scaled * weights[i] + bias[i];
    const int64_t rounded = (value > 0 ? value + 512 : value - 512) / 1024;
    levels[i] = armnn_i_ref_saturate16(armnn_scale32(armnn_saturate32(rounded), factors->norm));
  }
}

/* From the operands of a gate to what its function takes. |peephole|: a place, or 0. */
static void run_gate(const cell_t* cell, int gate, const int8_t* x, const int8_t* state,
                     const int16_t* memory, int peephole, int16_t* levels) {
  const armnn_i_ref_lstm_sizes_t* sizes = &cell->sizes;
  const gate_t* factors = &cell->gates[gate];
  const int8_t* weights = (const int8_t*)operand(cell, ARMNN_REF_LSTM_INPUT_WEIGHTS + gate);
  const int8_t* recurrent = (const int8_t*)operand(cell, ARMNN_REF_LSTM_RECURRENT_WEIGHTS + gate);
  const int32_t* bias =
      cell->options.layer_norm ? NULL : (const int32_t*)operand(cell, ARMNN_REF_LSTM_BIAS + gate);
  const int16_t* peeps = peephole == 0 ? NULL : (const int16_t*)operand(cell, peephole);
  for (uint64_t i = 0; i < sizes->cells; ++i) {
    const int32_t from_input =
        sum_of_products(x, cell->input_zero, weights + i * sizes->inputs, sizes->inputs) +
        (bias == NULL ? 0 : bias[i]);
    const int32_t from_state =
        sum_of_products(state, cell->state_zero, recurrent + i * sizes->outputs, sizes->outputs);
    int32_t sum = armnn_i_ref_saturate16(armnn_scale32(from_input, factors->input));
    sum = armnn_i_ref_saturate16(
        armnn_saturate32((int64_t)sum + armnn_scale32(from_state, factors->recurrent)));
    if (peeps != NULL) {
      const int32_t product = (int32_t)peeps[i] * memory[i];
      sum = armnn_i_ref_saturate16(
          armnn_saturate32((int64_t)sum + armnn_scale32(product, factors->peephole)));
    }
    levels[i] = (int16_t)sum;
  }
  if (cell->options.layer_norm) normalize(cell, gate, levels);
}

static void sigmoids(int16_t* levels, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) levels[i] = armnn_i_ref_sigmoid16(levels[i], 3);
}

/* |count| numbers within [-bound, bound]; 0: as they are. */
static int32_t clipped(int32_t value, int32_t bound) {
  if (bound == 0) return value;
  return value > bound ? bound : value < -bound ? -bound : value;
}

static void update_memory(const cell_t* cell, const int16_t* levels, int16_t* memory) {
  const uint64_t cells = cell->sizes.cells;
  const int16_t *input = levels, *forget = levels + ARMNN_REF_FORGET_GATE * cells;
  const int16_t* update = levels + ARMNN_REF_CELL_GATE * cells;
  for (uint64_t i = 0; i < cells; ++i) {
    const int32_t chosen = cell->options.cifg ? INT16_MAX - forget[i] : input[i];
    const int32_t kept = armnn_shift_right((int32_t)forget[i] * memory[i], 15);
    const int32_t added = armnn_shift_right(chosen * update[i], 30 + cell->cell_exponent);
    memory[i] = (int16_t)clipped(armnn_i_ref_saturate16(kept + (int16_t)added), cell->cell_bound);
  }
}

static void run_step(const cell_t* cell, const int8_t* x, uint64_t row, int8_t* state,
                     int16_t* memory) {
  const armnn_i_ref_lstm_sizes_t* sizes = &cell->sizes;
  const uint64_t cells = sizes->cells;
  const options_t* options = &cell->options;
  int16_t* levels = cell->levels + row * GATES * cells;
  int16_t *forget = levels + ARMNN_REF_FORGET_GATE * cells,
          *update = levels + ARMNN_REF_CELL_GATE * cells,
          *output = levels + ARMNN_REF_OUTPUT_GATE * cells;
  int8_t* shown = cell->shown + row * cells;
  const int peeps = options->peephole;
  if (!options->cifg) {
    run_gate(cell, ARMNN_REF_INPUT_GATE, x, state, memory, peeps ? ARMNN_REF_LSTM_CELL_TO_INPUT : 0,
             levels);
    sigmoids(levels, cells);
  }
  run_gate(cell, ARMNN_REF_FORGET_GATE, x, state, memory, peeps ? ARMNN_REF_LSTM_CELL_TO_FORGET : 0,
           forget);
  sigmoids(forget, cells);
  run_gate(cell, ARMNN_REF_CELL_GATE, x, state, memory, 0, update);
  for (uint64_t i = 0; i < cells; ++i) update[i] = armnn_i_ref_tanh16(update[i], 3);
  update_memory(cell, levels, memory);
  run_gate(cell, ARMNN_REF_OUTPUT_GATE, x, state, memory, peeps ? ARMNN_REF_LSTM_CELL_TO_OUTPUT : 0,
           output);
  sigmoids(output, cells);
  for (uint64_t i = 0; i < cells; ++i) {
    const int32_t memorized = armnn_i_ref_tanh16(memory[i], 15 + cell->cell_exponent);
    const int64_t value =
        (int64_t)armnn_scale32(output[i] * memorized, cell->hidden) + cell->hidden_zero;
    shown[i] = (int8_t)(value > INT8_MAX ? INT8_MAX : value < INT8_MIN ? INT8_MIN : value);
  }
  if (!options->projection) {
    memcpy(state, shown, cells);
    return;
  }
  const int8_t* weights = (const int8_t*)operand(cell, ARMNN_REF_LSTM_PROJECTION);
  const int32_t* bias = (const int32_t*)operand(cell, ARMNN_REF_LSTM_PROJECTION_BIAS);
  for (uint64_t i = 0; i < sizes->outputs; ++i) {
    const int32_t sum = sum_of_products(shown, cell->hidden_zero, weights + i * cells, cells) +
                        (bias == NULL ? 0 : bias[i]);
    const int64_t value = (int64_t)armnn_scale32(sum, cell->projected) + cell->state_zero;
    const int32_t level = (int32_t)(value > INT8_MAX   ? INT8_MAX
                                    : value < INT8_MIN ? INT8_MIN
                                                       : value);
    state[i] = (int8_t)clipped(level, cell->output_bound);
  }
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Items are rows, with all their steps. */
static armnn_status_t run_range(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const cell_t* cell = (const cell_t*)argument;
  const armnn_i_ref_lstm_sizes_t* sizes = &cell->sizes;
  for (uint64_t row = begin; row < end; ++row) {
    int8_t* state = ARMNN_OUT(cell->call, 0, int8_t) + row * sizes->outputs;
    int16_t* memory = ARMNN_OUT(cell->call, 1, int16_t) + row * sizes->cells;
    memcpy(state, ARMNN_IN(cell->call, ARMNN_REF_LSTM_OUTPUT_STATE, int8_t) + row * sizes->outputs,
           sizes->outputs);
    memcpy(memory, ARMNN_IN(cell->call, ARMNN_REF_LSTM_CELL_STATE, int16_t) + row * sizes->cells,
           sizes->cells * sizeof(int16_t));
    for (uint64_t step = 0; step < sizes->steps && !armnn_i_ref_cancelled(cell->call); ++step) {
      const uint64_t at = row * sizes->row_stride + step * sizes->step_stride;
      run_step(cell, ARMNN_IN(cell->call, 0, int8_t) + at * sizes->inputs, row, state, memory);
      memcpy(ARMNN_OUT(cell->call, 2, int8_t) + at * sizes->outputs, state, sizes->outputs);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_lstm_levels(const armnn_kernel_call_t* call, armnn_error_t* error) {
  cell_t cell = cell_of(call);
  const armnn_i_ref_lstm_sizes_t* sizes = &cell.sizes;
  if (sizes->outputs == 0) return ARMNN_STATUS_OK;
  const uint64_t operations =
      sizes->steps * sizes->cells * GATES * (sizes->inputs + sizes->outputs + 64);
  return armnn_i_ref_run(call, run_range, &cell, sizes->batch, operations, error);
}

armnn_status_t armnn_s8_qlstm__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return armnn_i_ref_lstm_levels(call, error);
}

armnn_status_t armnn_i_ref_prepare_lstm_levels(const armnn_workload_info_t* info,
                                               const armnn_host_t* host, armnn_backend_t* backend,
                                               void** out_prepared,
                                               armnn_workload_requirements_t* requirements,
                                               armnn_error_t* error) {
  (void)host, (void)backend, (void)error;
  *out_prepared = NULL;
  const options_t options = options_of(info->type, info->descriptor);
  const armnn_i_ref_lstm_sizes_t sizes =
      armnn_i_ref_lstm_sizes(info, options.is_sequence, options.time_major);
  armnn_i_ref_scratch_ask(requirements, sizes.batch * sizes.cells * GATES, sizeof(int16_t));
  armnn_i_ref_scratch_ask(requirements, sizes.batch * sizes.cells, sizeof(int8_t));
  return ARMNN_STATUS_OK;
}

/* ---- Support --------------------------------------------------------------------------------- */

/* The data type that the arithmetic has at a place. */
static int32_t type_at(uint32_t place) {
  if (place < ARMNN_REF_LSTM_CELL_STATE) return ARMNN_DATA_TYPE_QASYMM_S8;
  if (place == ARMNN_REF_LSTM_CELL_STATE) return ARMNN_DATA_TYPE_QSYMM_S16;
  if (place < ARMNN_REF_LSTM_CELL_TO_INPUT) return ARMNN_DATA_TYPE_QSYMM_S8;
  if (place < ARMNN_REF_LSTM_BIAS) return ARMNN_DATA_TYPE_QSYMM_S16;
  if (place == ARMNN_REF_LSTM_PROJECTION) return ARMNN_DATA_TYPE_QSYMM_S8;
  return place < ARMNN_REF_LSTM_NORM ? ARMNN_DATA_TYPE_SIGNED32 : ARMNN_DATA_TYPE_QSYMM_S16;
}

armnn_status_t armnn_i_ref_lstm_levels_supports(const armnn_layer_query_t* query,
                                                armnn_error_t* reason) {
  const options_t options = options_of(query->type, query->descriptor);
  for (uint32_t i = 0; i < query->input_count; ++i) {
    const armnn_tensor_info_t* info = query->input_infos[i];
    if (info == NULL) continue;
    const int32_t type = type_at(i);
    const int is_symmetric = type == ARMNN_DATA_TYPE_QSYMM_S8 &&
                             info->data_type == ARMNN_DATA_TYPE_QASYMM_S8 &&
                             info->quantization_count == 1 && info->zero_points[0] == 0;
    if (info->data_type != type && !is_symmetric) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                        "input %u is %s, LSTMs in integers take %s there", (unsigned)i,
                        armnn_data_type_name(info->data_type), armnn_data_type_name(type));
    }
    if (type != ARMNN_DATA_TYPE_SIGNED32 && info->quantization_count != 1) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "input %u has %llu scales, not one",
                        (unsigned)i, (unsigned long long)info->quantization_count);
    }
  }
  int exponent;
  const float scale = query->input_infos[ARMNN_REF_LSTM_CELL_STATE]->scales[0];
  if (frexpf(scale, &exponent) != 0.5f || exponent < -14 || exponent > -8) {
    return armnn_fail(
        reason, ARMNN_STATUS_UNSUPPORTED,
        "the scale of the cell state is %g, a power of two from 2^-15 to 2^-9 expected",
        (double)scale);
  }
  if (options.projection && !(options.hidden_scale > 0.0f)) {
    return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                      "a projection without the scale of what it multiplies");
  }
  for (int gate = options.cifg ? 1 : 0; options.layer_norm && gate < GATES; ++gate) {
    if (options.intermediate_scales[gate] > 0.0f) continue;
    return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                      "layer normalisation without the intermediate scale of gate %d", gate);
  }
  return ARMNN_STATUS_OK;
}
