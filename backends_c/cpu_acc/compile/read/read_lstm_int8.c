/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_lstm_int8.c - LSTM cells in integers: QLSTM, and UNIDIRECTIONAL_SEQUENCE_LSTM of 8 bits.
 * One node, whose output has all steps and the last states one behind the other as bytes.
 */
#include <math.h>

#include "quantized.h"

enum { GATES = ARMNN_LSTM_GATES };

/* Constant operand |place|, or null if it is absent. */
static const void* constant_of(ir_graph_t* graph, uint32_t place) {
  if (!armnn_i_acc_has_input(graph, place)) return NULL;
  return armnn_i_acc_constant_input(graph, place, "weights or bias values");
}

static uint32_t plain_input(ir_graph_t* graph, uint32_t place) {
  const ir_alias_t alias = armnn_i_acc_input(graph, place);
  return armnn_i_acc_plain(graph, &alias);
}

/* ---- Sums ---------------------------------------------------------------------------------- */

/* Refuses sums of |weights| [channels, depth] and levels of a zero point whose scaling, or what
 * that makes of them, might need more than 30 bits: a gate's sum would be 2^18 then. */
static void check_sums(ir_graph_t* graph, const int8_t* weights, int64_t channels, int64_t depth,
                       const int32_t* bias, int32_t zero_point, armnn_factor_t factor) {
  const int32_t below = zero_point + 128, above = 127 - zero_point;
  const double reach = below > above ? below : above;
  for (int64_t c = 0; c < channels; ++c) {
    int64_t sum = 0;
    for (int64_t i = 0; i < depth; ++i) {
      const int32_t weight = weights[c * depth + i];
      sum += weight < 0 ? -weight : weight;
    }
    const double most = (double)sum * reach + fabs(bias == NULL ? 0.0 : (double)bias[c]);
    if (most >= 0x1p30 || ldexp(most, factor.shift) >= 0x1p30) {
      armnn_i_acc_refuse(graph, NULL, "sums of cell %d may need more than 30 bits", (int)c);
    }
  }
}

static void check_all_sums(ir_graph_t* graph, const armnn_i_acc_lstm_int8_t* what, int64_t inputs) {
  const armnn_lstm_int8_t* levels = &what->levels;
  if (levels->hidden.shift > 0) {
    armnn_i_acc_refuse(graph, NULL, "the scale of what cells show is below 2^-30");
  }
  for (int gate = 0; gate < GATES; ++gate) {
    if (what->weights[gate] == NULL) continue;
    check_sums(graph, what->weights[gate], what->cells, inputs,
               levels->options.layer_norm ? NULL : what->bias[gate], levels->input_zero,
               levels->gates[gate].input);
    check_sums(graph, what->recurrent[gate], what->cells, what->outputs, NULL, levels->state_zero,
               levels->gates[gate].recurrent);
  }
  if (what->projection != NULL) {
    check_sums(graph, what->projection, what->outputs, what->cells, what->projection_bias,
               levels->hidden_zero, levels->projected);
  }
}

/* ---- Layers -------------------------------------------------------------------------------- */

/* [1, rows, inputs] of a single step. */
static uint32_t input_of(ir_graph_t* graph) {
  const ir_alias_t alias = armnn_i_acc_input(graph, 0);
  const ir_shape_t own = armnn_i_acc_logical(graph, &alias);
  if (own.rank == 3) return armnn_i_acc_plain(graph, &alias);
  const ir_shape_t steps = {3, {1, own.dims[0], own.dims[1]}};
  const ir_alias_t sequence = armnn_i_acc_reshaped(graph, &alias, &steps);
  return armnn_i_acc_plain(graph, &sequence);
}

void armnn_i_acc_read_lstm_int8(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_tensor_info_t* recurrent =
      layer->input_infos[ARMNN_LSTM_RECURRENT_WEIGHTS + ARMNN_LSTM_FORGET_GATE];
  const uint32_t operands[] = {input_of(graph), plain_input(graph, ARMNN_LSTM_OUTPUT_STATE),
                               plain_input(graph, ARMNN_LSTM_CELL_STATE)};
  const int64_t inputs = ir_shape(graph, operands[0])->dims[2];
  const ir_shape_t flat = armnn_i_acc_bytes_of_outputs(graph);
  ir_node_t* node = armnn_i_acc_node(graph, IR_LSTM_INT8, operands, 3, &flat);
  armnn_i_acc_lstm_int8_t* what = &node->lstm_int8;
  what->levels =
      armnn_lstm_int8(layer->type, layer->descriptor, layer->input_infos, layer->input_count);
  what->rows_first = what->levels.options.is_sequence && !what->levels.options.time_major;
  what->cells = (int64_t)recurrent->dims[0];
  what->outputs = (int64_t)recurrent->dims[1];
  for (int gate = what->levels.options.cifg ? 1 : 0; gate < GATES; ++gate) {
    const uint32_t at = (uint32_t)gate;
    const uint32_t peephole = armnn_lstm_peephole(&what->levels.options, gate);
    what->weights[gate] = constant_of(graph, ARMNN_LSTM_INPUT_WEIGHTS + at);
    what->recurrent[gate] = constant_of(graph, ARMNN_LSTM_RECURRENT_WEIGHTS + at);
    what->bias[gate] = constant_of(graph, ARMNN_LSTM_BIAS + at);
    if (peephole != 0) what->peepholes[gate] = constant_of(graph, peephole);
    if (what->levels.options.layer_norm) {
      what->norms[gate] = constant_of(graph, ARMNN_LSTM_NORM + at);
    }
  }
  if (what->levels.options.projection) {
    what->projection = constant_of(graph, ARMNN_LSTM_PROJECTION);
    what->projection_bias = constant_of(graph, ARMNN_LSTM_PROJECTION_BIAS);
  }
  check_all_sums(graph, what, inputs);
  int64_t begin = 0; /* int16 first, which lie at even addresses */
  armnn_i_acc_set_part(graph, 1, node->output, &begin);
  armnn_i_acc_set_part(graph, 2, node->output, &begin);
  armnn_i_acc_set_part(graph, 0, node->output, &begin);
}
