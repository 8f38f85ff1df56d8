/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_recurrent.c - recurrent layers: one product of the inputs of all steps with the weights of
 * all gates, then the cells, whose output has all steps and the last states one behind the other.
 */
#include <math.h>
#include <string.h>

#include "compile/ir.h"
#include "functions.h"

enum { LSTM_GATES = 4, GRU_GATES = 3, RNN_GATES = 1 };

/* Places of an LSTM's operands; those of a gate behind the first of their kind. */
enum {
  HIDDEN = 1,
  CELL = 2,
  INPUT_WEIGHTS = 3,
  RECURRENT_WEIGHTS = 7,
  PEEPHOLES = 11,
  BIASES = 14,
  PROJECTION = 18,
  PROJECTION_BIAS = 19
};
/* Those of a GRU and an RNN. */
enum { UNIT_INPUT_WEIGHTS = 1, UNIT_WEIGHTS, UNIT_INPUT_BIAS, UNIT_BIAS, UNIT_STATE, UNIT_LENGTHS };

/* Constant operand |place|, or null if it is absent. */
static const float* floats_of(ir_graph_t* graph, uint32_t place) {
  if (!armnn_i_acc_has_input(graph, place)) return NULL;
  return armnn_i_acc_constant_input(graph, place, "weights or bias values");
}

/* The operands of all gates, |size| floats each, one behind the other. */
static float* joined(ir_graph_t* graph, uint32_t first, int64_t gates, int64_t size) {
  const uint64_t bytes = (uint64_t)size * sizeof(float);
  float* all = armnn_i_acc_pool(graph, (uint64_t)gates * bytes);
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_JOINED, (uint64_t)gates, bytes);
  for (int64_t g = 0; g < gates; ++g) {
    const float* one = floats_of(graph, first + (uint32_t)g);
    memcpy(all + g * size, one, (size_t)bytes);
    armnn_i_acc_name_weights(&name, graph->maker, one);
  }
  armnn_i_acc_add_origin(&graph->origins, all, (uint64_t)gates * bytes, &name);
  return all;
}

/* |value|, with its rows rounded to 8 bits if the layer wants that. */
static uint32_t rounded(ir_graph_t* graph, uint32_t value, const ir_shape_t* shape,
                        int32_t rounding) {
  if (rounding == ARMNN_ROW_ROUNDING_NONE) return value;
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_ROUND_ROWS, value, shape);
  node->round_rows.rounding = rounding;
  return node->output;
}

/* Input 0, of three dimensions, times |weights| [width, inputs], plus |bias|. */
static uint32_t input_sums(ir_graph_t* graph, const float* weights, int64_t width,
                           const float* bias, int32_t rounding) {
  const ir_alias_t x = armnn_i_acc_input(graph, 0);
  ir_shape_t shape = armnn_i_acc_logical(graph, &x);
  const ir_shape_t right = {3, {1, width, shape.dims[2]}};
  const uint32_t inputs[] = {rounded(graph, armnn_i_acc_plain(graph, &x), &shape, rounding),
                             armnn_i_acc_constant(graph, ARMNN_ACC_FLOAT32, &right, weights)};
  shape.dims[2] = width;
  ir_node_t* node = armnn_i_acc_node(graph, IR_MATMUL, inputs, 2, &shape);
  node->matmul.transpose_right = true;
  node->matmul.bias = bias;
  return node->output;
}

static uint32_t plain_input(ir_graph_t* graph, uint32_t place) {
  const ir_alias_t alias = armnn_i_acc_input(graph, place);
  return armnn_i_acc_plain(graph, &alias);
}

/* Elements of the flat |value| from |*begin| on as output |index| of the layer. */
static void set_part(ir_graph_t* graph, uint32_t index, uint32_t value, int64_t* begin) {
  const ir_shape_t shape = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[index]);
  const ir_alias_t flat = armnn_i_acc_alias(graph, value);
  const int64_t count = ir_count(&shape);
  const ir_alias_t part = armnn_i_acc_sliced(graph, &flat, begin, NULL, &count);
  armnn_i_acc_set_output(graph, index, armnn_i_acc_reshaped(graph, &part, &shape));
  *begin += count;
}

/* Activation functions, as TensorFlow Lite numbers them. */
static void set_function(armnn_i_acc_lstm_t* lstm, uint32_t function) {
  lstm->high = function == 3 ? 6.0f : INFINITY;
  lstm->function = function == 1 || function == 3 ? ARMNN_ACC_CLAMP
                   : function == 4                ? ARMNN_ACC_TANH
                   : function == 6                ? ARMNN_ACC_SIGMOID
                                                  : ARMNN_ACC_IDENTITY;
}

static float bound_of(float clip) { return clip > 0.0f ? clip : INFINITY; }

void armnn_i_acc_read_sequence_lstm(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_lstm_descriptor_t* d = (const void*)layer->descriptor;
  const armnn_tensor_info_t* recurrent = layer->input_infos[RECURRENT_WEIGHTS + 1];
  const int64_t inputs = (int64_t)layer->input_infos[0]->dims[2];
  const int64_t cells = (int64_t)recurrent->dims[0], outputs = (int64_t)recurrent->dims[1];
  const uint32_t skipped = d->cifg_enabled != 0 ? 1 : 0;
  const int64_t gates = LSTM_GATES - skipped;
  const float* weights = joined(graph, INPUT_WEIGHTS + skipped, gates, cells * inputs);
  const float* bias = joined(graph, BIASES + skipped, gates, cells);
  const uint32_t operands[] = {input_sums(graph, weights, gates * cells, bias, d->row_rounding),
                               plain_input(graph, HIDDEN), plain_input(graph, CELL)};
  ir_shape_t flat = {.rank = 1, .dims = {0}};
  for (uint32_t i = 0; i < layer->output_count; ++i) {
    flat.dims[0] += (int64_t)layer->output_infos[i]->element_count;
  }
  ir_node_t* node = armnn_i_acc_node(graph, IR_LSTM, operands, 3, &flat);
  armnn_i_acc_lstm_t* lstm = &node->lstm;
  lstm->rows_first = d->time_major == 0;
  lstm->coupled = d->cifg_enabled != 0;
  lstm->cells = cells;
  lstm->outputs = outputs;
  lstm->recurrent = joined(graph, RECURRENT_WEIGHTS + skipped, gates, cells * outputs);
  for (uint32_t i = 0; i < 3; ++i) lstm->peepholes[i] = floats_of(graph, PEEPHOLES + i);
  lstm->projection = floats_of(graph, PROJECTION);
  lstm->projection_bias = floats_of(graph, PROJECTION_BIAS);
  set_function(lstm, d->activation_function);
  lstm->clip = bound_of(d->clipping_threshold_cell);
  lstm->projection_clip = bound_of(d->clipping_threshold_projection);
  lstm->rounding = d->row_rounding;
  int64_t begin = 0; /* the layer has the states first */
  set_part(graph, 2, node->output, &begin);
  set_part(graph, 0, node->output, &begin);
  set_part(graph, 1, node->output, &begin);
}

/* Both biases as that of the inputs' product, but for fresh gates whose product is reset. */
static const float* unit_bias(ir_graph_t* graph, int64_t directions, int64_t width,
                              int64_t joined) {
  const float* input = floats_of(graph, UNIT_INPUT_BIAS);
  const float* recurrent = floats_of(graph, UNIT_BIAS);
  if (input == NULL && recurrent == NULL) return NULL;
  float* bias = armnn_i_acc_pool(graph, (uint64_t)(directions * width) * sizeof *bias);
  for (int64_t i = 0; i < directions * width; ++i) {
    if (input != NULL) bias[i] = input[i];
    if (recurrent != NULL && i % width < joined) bias[i] += recurrent[i];
  }
  return bias;
}

/* The node of a layer of units with |gates| gates, whose biases go into the inputs' product for the
 * first |joined| of them; sets the outputs, and what of the description all units have. */
static armnn_i_acc_gru_t* read_units(ir_graph_t* graph, ir_kind_t kind, int32_t direction,
                                     float clip, int64_t gates, int64_t joined, int32_t rounding) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_tensor_info_t* recurrent = layer->input_infos[UNIT_WEIGHTS];
  const int64_t directions = (int64_t)recurrent->dims[0], cells = (int64_t)recurrent->dims[2];
  const int64_t width = gates * cells;
  const float* bias = unit_bias(graph, directions, width, joined * cells);
  uint32_t operands[3] = {
      input_sums(graph, floats_of(graph, UNIT_INPUT_WEIGHTS), directions * width, bias, rounding)};
  if (armnn_i_acc_has_input(graph, UNIT_STATE)) {
    operands[1] = plain_input(graph, UNIT_STATE);
  } else {
    const ir_shape_t shape = armnn_i_acc_shape_of(layer->output_infos[1]);
    const float* zeros = armnn_i_acc_pool(graph, (uint64_t)ir_count(&shape) * sizeof *zeros);
    operands[1] = armnn_i_acc_constant(graph, ARMNN_ACC_FLOAT32, &shape, zeros);
  }
  const bool has_lengths = armnn_i_acc_has_input(graph, UNIT_LENGTHS);
  if (has_lengths) operands[2] = plain_input(graph, UNIT_LENGTHS);
  const ir_shape_t flat = {
      1,
      {(int64_t)(layer->output_infos[0]->element_count + layer->output_infos[1]->element_count)}};
  ir_node_t* node = armnn_i_acc_node(graph, kind, operands, has_lengths ? 3 : 2, &flat);
  armnn_i_acc_gru_t* units = &node->gru; /* of an RNN, too */
  units->reverse = direction == ARMNN_RECURRENT_REVERSE;
  units->directions = directions;
  units->cells = cells;
  units->recurrent = floats_of(graph, UNIT_WEIGHTS);
  units->clip = bound_of(clip);
  units->rounding = rounding;
  int64_t begin = 0;
  set_part(graph, 0, node->output, &begin);
  set_part(graph, 1, node->output, &begin);
  return units;
}

void armnn_i_acc_read_gru(ir_graph_t* graph) {
  const armnn_gru_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const bool resets_after = d->linear_before_reset != 0;
  const float* bias = resets_after ? floats_of(graph, UNIT_BIAS) : NULL;
  armnn_i_acc_gru_t* units =
      read_units(graph, IR_GRU, d->direction, d->clip, GRU_GATES,
                 resets_after ? GRU_GATES - 1 : GRU_GATES, ARMNN_ROW_ROUNDING_NONE);
  units->resets_after = resets_after;
  units->bias = bias;
}

void armnn_i_acc_read_rnn(ir_graph_t* graph) {
  const armnn_rnn_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  armnn_i_acc_gru_t* units =
      read_units(graph, IR_RNN, d->direction, d->clip, RNN_GATES, RNN_GATES, d->row_rounding);
  units->function = armnn_i_acc_activation_function(d->function);
  units->a = d->a;
  units->b = d->b;
  armnn_i_acc_activation_parameters(d->function, &units->a, &units->b);
}
