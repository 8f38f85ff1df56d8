/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_tables.c - Quantize and Dequantize, and functions of one quantised number: a table of 256 or
 * 65,536 numbers, filled by the arithmetic of CpuRef.
 */
#include "activation_row.h"
#include "ops/quantized/quantized_reals.h"
#include "quantized.h"
#include "unary_rows.h"

ir_node_t* armnn_i_acc_element_node(ir_graph_t* graph, ir_kind_t kind) {
  ir_alias_t alias = armnn_i_acc_input(graph, 0);
  const ir_shape_t shape = *ir_shape(graph, alias.value);
  ir_node_t* node = armnn_i_acc_node_of(graph, kind, alias.value, &shape);
  graph->values[node->output]->element = armnn_i_acc_element_of(ir_layer(graph)->output_infos[0]);
  alias.value = node->output;
  armnn_i_acc_set_output(graph, 0, alias);
  return node;
}

/* ---- Tables of 65,536 numbers ---------------------------------------------------------------- */

enum { NUMBERS = 65536 }; /* of 16 bits: the most that a table has */

/* A node with an empty table, and what its numbers are. */
typedef struct table_t {
  armnn_i_acc_element_t from, to;
  int32_t first, count; /* numbers of the input */
  void* numbers;        /* of the output */
} table_t;

static table_t new_table(ir_graph_t* graph) {
  ir_node_t* node = armnn_i_acc_element_node(graph, IR_INT16_TABLE);
  table_t table = {.from = graph->values[node->inputs[0]]->element,
                   .to = graph->values[node->output]->element};
  table.first = armnn_i_acc_least(table.from.type);
  table.count = armnn_i_acc_most(table.from.type) - table.first + 1;
  table.numbers = armnn_i_acc_pool(graph, (uint64_t)table.count * table.to.size);
  node->int16_table.table = table.numbers;
  return table;
}

/* Sets what |number| of the input becomes. */
static void set_number(const table_t* table, int32_t number, int32_t to) {
  const uint32_t at = (uint32_t)number & (uint32_t)(table->count - 1);
  if (armnn_i_acc_is_int16(table->to.type)) {
    ((int16_t*)table->numbers)[at] = (int16_t)to;
  } else {
    ((uint8_t*)table->numbers)[at] = (uint8_t)to;
  }
}

static void fill_int16_reals(const table_t* table, const float* reals) {
  for (int32_t i = 0; i < table->count; ++i) {
    set_number(table, table->first + i, armnn_i_acc_stored_number(table->to, reals[i]));
  }
}

/* The real numbers of the input. */
static float* reals_of(ir_graph_t* graph, const table_t* table) {
  float* reals = armnn_i_acc_pool(graph, NUMBERS * sizeof *reals);
  for (int32_t i = 0; i < table->count; ++i) {
    reals[i] = table->from.scale * (float)(table->first + i - table->from.zero_point);
  }
  return reals;
}

void armnn_i_acc_read_int16_activation(ir_graph_t* graph) {
  const table_t table = new_table(graph);
  const armnn_activation_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  armnn_activation_levels_t levels;
  if (armnn_i_acc_is_real(graph) ||
      !armnn_activation_levels(d, table.from.scale, table.first, 0, table.to.scale, &levels)) {
    float* reals = reals_of(graph, &table);
    armnn_activation_row(d, reals, reals, (uint64_t)table.count);
    fill_int16_reals(&table, reals);
    return;
  }
  for (int32_t i = 0; i < table.count; ++i) {
    const int32_t level = armnn_activation_level(&levels, table.first + i);
    set_number(&table, table.first + i, armnn_i_acc_number(table.to, level));
  }
}

void armnn_i_acc_read_int16_unary(ir_graph_t* graph) {
  const armnn_elementwise_unary_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const table_t table = new_table(graph);
  float* reals = reals_of(graph, &table);
  armnn_unary_row(ARMNN_DATA_TYPE_FLOAT32, d->operation)(reals, reals, (uint64_t)table.count);
  fill_int16_reals(&table, reals);
}

void armnn_i_acc_read_int16_requantize(ir_graph_t* graph) {
  const table_t table = new_table(graph);
  const armnn_factor_t factor = armnn_factor((double)table.from.scale / table.to.scale);
  for (int32_t i = 0; i < table.count; ++i) {
    const int32_t level = table.first + i - table.from.zero_point;
    set_number(&table, table.first + i, armnn_i_acc_number(table.to, armnn_scale32(level, factor)));
  }
}

/* ---- Tables of 256 numbers ------------------------------------------------------------------- */

/* Sets what the number of level |level| of the input becomes: level |to| of the output. */
static void set_entry(const ir_graph_t* graph, ir_node_t* node, int32_t level, int64_t to) {
  const armnn_i_acc_element_t from = graph->values[node->inputs[0]]->element;
  const armnn_i_acc_element_t element = graph->values[node->output]->element;
  node->table.table[(uint8_t)(level + from.zero_point)] = (uint8_t)armnn_i_acc_number(element, to);
}

/* What becomes of the real numbers of the bytes: rounded once, halves to even. */
static void store_reals(const ir_graph_t* graph, ir_node_t* node, const float reals[256]) {
  const armnn_i_acc_element_t to = graph->values[node->output]->element;
  for (int32_t byte = 0; byte < 256; ++byte) {
    node->table.table[byte] = armnn_i_acc_stored(to, reals[byte]);
  }
}

void armnn_i_acc_read_quantized_activation(ir_graph_t* graph) {
  if (armnn_i_acc_has_int16(graph)) {
    armnn_i_acc_read_int16_activation(graph);
    return;
  }
  ir_node_t* node = armnn_i_acc_element_node(graph, IR_TABLE);
  const armnn_i_acc_element_t from = graph->values[node->inputs[0]]->element;
  const armnn_i_acc_element_t to = graph->values[node->output]->element;
  const int32_t first = armnn_i_acc_least(from.type) - from.zero_point;
  if (armnn_i_acc_is_real(graph)) {
    float reals[256];
    armnn_i_acc_reals(from, reals);
    armnn_activation_row((const void*)ir_layer(graph)->descriptor, reals, reals, 256);
    store_reals(graph, node, reals);
    return;
  }
  armnn_activation_levels_t levels;
  armnn_activation_levels((const void*)ir_layer(graph)->descriptor, from.scale, first, 1, to.scale,
                          &levels);
  for (int32_t level = first; level < first + 256; ++level) {
    set_entry(graph, node, level, armnn_activation_level(&levels, level));
  }
}

/* Functions of real numbers, rounded once; none: the number itself. */
static void fill_reals(const ir_graph_t* graph, ir_node_t* node, armnn_unary_row_fn_t function) {
  float reals[256];
  armnn_i_acc_reals(graph->values[node->inputs[0]]->element, reals);
  if (function != NULL) function(reals, reals, 256);
  store_reals(graph, node, reals);
}

void armnn_i_acc_read_quantized_unary(ir_graph_t* graph) {
  const armnn_elementwise_unary_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  if (armnn_i_acc_has_int16(graph)) {
    armnn_i_acc_read_int16_unary(graph);
    return;
  }
  fill_reals(graph, armnn_i_acc_element_node(graph, IR_TABLE),
             armnn_unary_row(ARMNN_DATA_TYPE_FLOAT32, d->operation));
}

void armnn_i_acc_rescale(ir_graph_t* graph, ir_node_t* node) {
  const armnn_i_acc_element_t from = graph->values[node->inputs[0]]->element;
  ir_value_t* made = graph->values[node->output];
  const armnn_i_acc_element_t to = made->element;
  made->element = from;
  if (from.type == to.type && from.scale == to.scale && from.zero_point == to.zero_point) return;
  const ir_shape_t shape = made->shape;
  ir_node_t* table = armnn_i_acc_node_of(graph, IR_TABLE, node->output, &shape);
  graph->values[table->output]->element = to;
  fill_reals(graph, table, NULL);
  graph->aliases[graph->layer][0].value = table->output;
}

void armnn_i_acc_read_quantize(ir_graph_t* graph) {
  const armnn_tensor_info_t* input = ir_layer(graph)->input_infos[0];
  if (input->data_type == ARMNN_DATA_TYPE_FLOAT32) {
    armnn_i_acc_element_node(graph, IR_QUANTIZE);
    return;
  }
  if (armnn_i_acc_has_int16(graph)) {
    armnn_i_acc_read_int16_requantize(graph);
    return;
  }
  ir_node_t* node = armnn_i_acc_element_node(graph, IR_TABLE);
  const armnn_i_acc_element_t from = graph->values[node->inputs[0]]->element;
  const float scale = graph->values[node->output]->element.scale;
  const armnn_factor_t factor = armnn_factor((double)from.scale / scale);
  const int32_t first = armnn_i_acc_least(from.type) - from.zero_point;
  for (int32_t level = first; level < first + 256; ++level) {
    set_entry(graph, node, level, armnn_scale32(level, factor));
  }
}

void armnn_i_acc_read_dequantize(ir_graph_t* graph) {
  armnn_i_acc_element_node(graph, IR_DEQUANTIZE);
}
