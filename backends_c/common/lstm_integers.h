/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm_integers.h - LSTM cells in integers: QLSTM, and UNIDIRECTIONAL_SEQUENCE_LSTM of 8 bits. What
 * they have for factors and bounds, and the parts of a step that go over the cells of a gate.
 *
 * The arithmetic is that of TensorFlow Lite's 8-bit LSTM with a cell state of 16 bits, which
 * Android NNAPI's QUANTIZED_LSTM has as well. Products of a gate come as Q3.12 (with layer
 * normalisation in the intermediate scale of the gate), gates are Q0.15, the scale of the cell
 * state is a power of two; the output state is rounded to 8 bits in each step.
 */
#ifndef ARMNN_COMMON_LSTM_INTEGERS_H_
#define ARMNN_COMMON_LSTM_INTEGERS_H_

#include <math.h>

#include "fixed_functions.h"
#include "lstm_operands.h"

/* What the descriptors of both layers say. */
typedef struct armnn_lstm_options_t {
  float cell_clip, projection_clip;
  int32_t is_sequence, time_major, cifg, peephole, projection, layer_norm;
  float intermediate_scales[ARMNN_LSTM_GATES];
  float hidden_scale; /* 0: as the output state */
  int32_t hidden_zero_point;
} armnn_lstm_options_t;

static inline armnn_lstm_options_t armnn_lstm_options(int32_t type,
                                                      const armnn_header_t* descriptor) {
  if (type == ARMNN_LAYER_QLSTM) {
    const armnn_qlstm_descriptor_t* d = (const void*)descriptor;
    return (armnn_lstm_options_t){
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
  const armnn_lstm_descriptor_t* d = (const void*)descriptor;
  return (armnn_lstm_options_t){
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

typedef struct armnn_lstm_gate_t {
  armnn_factor_t input, recurrent, peephole, norm;
  int32_t least_variance;
} armnn_lstm_gate_t;

typedef struct armnn_lstm_int8_t {
  armnn_lstm_options_t options;
  armnn_lstm_gate_t gates[ARMNN_LSTM_GATES];
  armnn_factor_t hidden, projected;
  int32_t input_zero, state_zero, hidden_zero;
  int32_t cell_exponent; /* of the scale of the cell state */
  int16_t cell_bound;    /* 0: none */
  int8_t output_bound;
} armnn_lstm_int8_t;

static inline float armnn_lstm_scale(const armnn_tensor_info_t* const* infos, uint32_t count,
                                     uint32_t place) {
  const armnn_tensor_info_t* tensor = place < count ? infos[place] : NULL;
  return tensor != NULL && tensor->quantization_count > 0 ? tensor->scales[0] : 1.0f;
}

/* The place of a gate's peephole, or 0. */
static inline uint32_t armnn_lstm_peephole(const armnn_lstm_options_t* options, int gate) {
  static const uint32_t places[ARMNN_LSTM_GATES] = {
      ARMNN_LSTM_CELL_TO_INPUT, ARMNN_LSTM_CELL_TO_FORGET, 0, ARMNN_LSTM_CELL_TO_OUTPUT};
  return options->peephole ? places[gate] : 0;
}

/* Products of scales are float32 and then widened, as TensorFlow Lite's are. */
static inline armnn_lstm_gate_t armnn_lstm_gate(const armnn_tensor_info_t* const* infos,
                                                uint32_t count, const armnn_lstm_options_t* options,
                                                int gate) {
  armnn_lstm_gate_t found;
  const uint32_t at = (uint32_t)gate, peephole = armnn_lstm_peephole(options, gate);
  const float target = options->layer_norm ? options->intermediate_scales[gate] : 0x1p-12f;
  const float norm = armnn_lstm_scale(infos, count, ARMNN_LSTM_NORM + at);
  const float weights = armnn_lstm_scale(infos, count, ARMNN_LSTM_INPUT_WEIGHTS + at);
  const float recurrent = armnn_lstm_scale(infos, count, ARMNN_LSTM_RECURRENT_WEIGHTS + at);
  const float state = armnn_lstm_scale(infos, count, ARMNN_LSTM_OUTPUT_STATE);
  const float cell = armnn_lstm_scale(infos, count, ARMNN_LSTM_CELL_STATE);
  found.input = armnn_factor((double)(weights * armnn_lstm_scale(infos, count, 0) / target));
  found.recurrent = armnn_factor((double)(recurrent * state / target));
  found.peephole = armnn_factor(
      peephole == 0 ? 0.0 : (double)(cell * armnn_lstm_scale(infos, count, peephole) / target));
  found.norm = armnn_factor((double)norm);
  found.norm.shift = found.norm.shift > 31 - 12 ? 31 : found.norm.shift + 12;
  const float least = 10000.0f * norm;
  found.least_variance = least < 1.0f ? 1 : least < 0x1p31f ? (int32_t)least : INT32_MAX;
  return found;
}

static inline int32_t armnn_lstm_bound(float bound, float scale, int32_t most) {
  if (!(bound > 0.0f)) return 0;
  return bound / scale >= (float)most ? most : (int32_t)(bound / scale);
}

static inline armnn_lstm_int8_t armnn_lstm_int8(int32_t type, const armnn_header_t* descriptor,
                                                const armnn_tensor_info_t* const* infos,
                                                uint32_t count) {
  armnn_lstm_int8_t cell = {.options = armnn_lstm_options(type, descriptor)};
  const armnn_lstm_options_t* options = &cell.options;
  const armnn_tensor_info_t* state = infos[ARMNN_LSTM_OUTPUT_STATE];
  const float cell_scale = armnn_lstm_scale(infos, count, ARMNN_LSTM_CELL_STATE);
  const float projection = armnn_lstm_scale(infos, count, ARMNN_LSTM_PROJECTION);
  const int is_stated = options->hidden_scale > 0.0f;
  const float hidden_scale = is_stated ? options->hidden_scale : state->scales[0];
  int exponent;
  (void)frexpf(cell_scale, &exponent);
  cell.cell_exponent = exponent - 1;
  for (int gate = options->cifg ? 1 : 0; gate < ARMNN_LSTM_GATES; ++gate) {
    cell.gates[gate] = armnn_lstm_gate(infos, count, options, gate);
  }
  cell.input_zero = infos[0]->zero_points[0];
  cell.state_zero = state->zero_points[0];
  cell.hidden_zero = is_stated ? options->hidden_zero_point : state->zero_points[0];
  cell.hidden = armnn_factor((double)(0x1p-15f / hidden_scale * 0x1p-15f));
  cell.projected = armnn_factor((double)(projection * hidden_scale / state->scales[0]));
  cell.cell_bound = (int16_t)armnn_lstm_bound(options->cell_clip, cell_scale, INT16_MAX);
  cell.output_bound =
      (int8_t)armnn_lstm_bound(options->projection_clip, state->scales[0], INT8_MAX);
  return cell;
}

/* ---- Parts of a step ------------------------------------------------------------------------- */

static inline int8_t armnn_lstm_saturate8(int64_t value) {
  return (int8_t)(value > INT8_MAX ? INT8_MAX : value < INT8_MIN ? INT8_MIN : value);
}

/* Within [-bound, bound]; 0: as it is. */
static inline int32_t armnn_lstm_clipped(int32_t value, int32_t bound) {
  if (bound == 0) return value;
  return value > bound ? bound : value < -bound ? -bound : value;
}

/* What the cell state adds to sums of a gate. */
static inline void armnn_lstm_add_peephole(int16_t* levels, const int16_t* peephole,
                                           const int16_t* memory, uint64_t count,
                                           armnn_factor_t factor) {
  for (uint64_t i = 0; i < count; ++i) {
    const int32_t product = (int32_t)peephole[i] * memory[i];
    levels[i] =
        armnn_saturate16(armnn_saturate32((int64_t)levels[i] + armnn_scale32(product, factor)));
  }
}

/* What numbers of a gate become mean 0 and variance 1 with, both with ten more bits. */
typedef struct armnn_lstm_moments_t {
  int32_t mean;
  armnn_factor_t inverse; /* of the root of the variance; never to the left */
} armnn_lstm_moments_t;

static inline armnn_lstm_moments_t armnn_lstm_moments(const armnn_lstm_gate_t* factors,
                                                      int64_t count, const int16_t* levels) {
  const int64_t unit = 1 << 20;
  int64_t sum = 0, squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += levels[i];
    squares += (int64_t)levels[i] * levels[i];
  }
  const int64_t mean = sum * 1024 / count;
  int32_t variance = (int32_t)((squares * (unit / count) - mean * mean) / unit);
  if (variance < 1) variance = factors->least_variance;
  return (armnn_lstm_moments_t){(int32_t)mean, armnn_inverse_root(variance)};
}

/* Times weights, plus bias; then to Q3.12. */
static inline void armnn_lstm_normalize(const armnn_lstm_gate_t* factors,
                                        armnn_lstm_moments_t moments, const int16_t* weights,
                                        const int32_t* bias, int64_t count, int16_t* levels) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t scaled = armnn_scale32(1024 * levels[i] - moments.mean, moments.inverse);
    const int64_t value = scaled * weights[i] + bias[i];
    const int64_t rounded = (value > 0 ? value + 512 : value - 512) / 1024;
    levels[i] = armnn_saturate16(armnn_scale32(armnn_saturate32(rounded), factors->norm));
  }
}

/* Cell states from gates; |input| is null where it is what the forget gate leaves. */
static inline void armnn_lstm_update(const armnn_lstm_int8_t* cell, const int16_t* input,
                                     const int16_t* forget, const int16_t* update, uint64_t count,
                                     int16_t* memory) {
  for (uint64_t i = 0; i < count; ++i) {
    const int32_t chosen = input == NULL ? INT16_MAX - forget[i] : input[i];
    const int32_t kept = armnn_shift_right((int32_t)forget[i] * memory[i], 15);
    const int32_t added = armnn_shift_right(chosen * update[i], 30 + cell->cell_exponent);
    memory[i] =
        (int16_t)armnn_lstm_clipped(armnn_saturate16(kept + (int16_t)added), cell->cell_bound);
  }
}

/* What a cell shows, or gives to the projection. */
static inline int8_t armnn_lstm_shown(const armnn_lstm_int8_t* cell, int16_t gate, int16_t memory) {
  const int32_t memorized = armnn_tanh16(memory, 15 + cell->cell_exponent);
  return armnn_lstm_saturate8((int64_t)armnn_scale32(gate * memorized, cell->hidden) +
                              cell->hidden_zero);
}

/* An output of the projection. */
static inline int8_t armnn_lstm_projected(const armnn_lstm_int8_t* cell, int32_t sum) {
  const int64_t value = (int64_t)armnn_scale32(sum, cell->projected) + cell->state_zero;
  return (int8_t)armnn_lstm_clipped(armnn_lstm_saturate8(value), cell->output_bound);
}

/* ---- Support --------------------------------------------------------------------------------- */

/* The data type that the arithmetic has at a place. */
static inline int32_t armnn_lstm_type_at(uint32_t place) {
  if (place < ARMNN_LSTM_CELL_STATE) return ARMNN_DATA_TYPE_QASYMM_S8;
  if (place == ARMNN_LSTM_CELL_STATE) return ARMNN_DATA_TYPE_QSYMM_S16;
  if (place < ARMNN_LSTM_CELL_TO_INPUT) return ARMNN_DATA_TYPE_QSYMM_S8;
  if (place < ARMNN_LSTM_BIAS) return ARMNN_DATA_TYPE_QSYMM_S16;
  if (place == ARMNN_LSTM_PROJECTION) return ARMNN_DATA_TYPE_QSYMM_S8;
  return place < ARMNN_LSTM_NORM ? ARMNN_DATA_TYPE_SIGNED32 : ARMNN_DATA_TYPE_QSYMM_S16;
}

/* Types and scales that the arithmetic is defined for. */
static inline armnn_status_t armnn_lstm_int8_rule(const armnn_layer_query_t* query,
                                                  armnn_error_t* reason) {
  const armnn_lstm_options_t options = armnn_lstm_options(query->type, query->descriptor);
  for (uint32_t i = 0; i < query->input_count; ++i) {
    const armnn_tensor_info_t* info = query->input_infos[i];
    if (info == NULL) continue;
    const int32_t type = armnn_lstm_type_at(i);
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
  const float scale = query->input_infos[ARMNN_LSTM_CELL_STATE]->scales[0];
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
  if (options.hidden_zero_point < INT8_MIN || options.hidden_zero_point > INT8_MAX) {
    return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                      "the zero point of the hidden state is %d, a number of 8 bits expected",
                      (int)options.hidden_zero_point);
  }
  for (int gate = options.cifg ? 1 : 0; options.layer_norm && gate < ARMNN_LSTM_GATES; ++gate) {
    if (options.intermediate_scales[gate] > 0.0f) continue;
    return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                      "layer normalisation without the intermediate scale of gate %d", gate);
  }
  return ARMNN_STATUS_OK;
}

#endif /* ARMNN_COMMON_LSTM_INTEGERS_H_ */
