/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_word_tables.c - functions of one number of 16 bits, and scales that change between 8 and 16
 * bits: tables, filled by the arithmetic of CpuRef.
 */
#include "../ops/quantized_reals.h"
#include "activation_row.h"
#include "quantized.h"
#include "unary_rows.h"

enum { NUMBERS = 65536 }; /* of 16 bits: the most that a table has */

/* A node with an empty table, and what its numbers are. */
typedef struct table_t {
  armnn_i_acc_element_t from, to;
  int32_t first, count; /* numbers of the input */
  void* numbers;        /* of the output */
} table_t;

static table_t new_table(ir_graph_t* graph) {
  ir_node_t* node = armnn_i_acc_element_node(graph, IR_WORD_TABLE);
  table_t table = {.from = graph->values[node->inputs[0]]->element,
                   .to = graph->values[node->output]->element};
  table.first = armnn_i_acc_least(table.from.type);
  table.count = armnn_i_acc_most(table.from.type) - table.first + 1;
  table.numbers = armnn_i_acc_pool(graph, (uint64_t)table.count * table.to.size);
  node->word_table.table = table.numbers;
  return table;
}

/* Sets what |number| of the input becomes. */
static void set_number(const table_t* table, int32_t number, int32_t to) {
  const uint32_t at = (uint32_t)number & (uint32_t)(table->count - 1);
  if (armnn_i_acc_is_words(table->to.type)) {
    ((int16_t*)table->numbers)[at] = (int16_t)to;
  } else {
    ((uint8_t*)table->numbers)[at] = (uint8_t)to;
  }
}

static void fill_reals(const table_t* table, const float* reals) {
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

void armnn_i_acc_read_word_activation(ir_graph_t* graph) {
  const table_t table = new_table(graph);
  const armnn_activation_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  armnn_activation_levels_t levels;
  if (armnn_i_acc_is_real(graph) ||
      !armnn_activation_levels(d, table.from.scale, table.first, 0, table.to.scale, &levels)) {
    float* reals = reals_of(graph, &table);
    armnn_activation_row(d, reals, reals, (uint64_t)table.count);
    fill_reals(&table, reals);
    return;
  }
  for (int32_t i = 0; i < table.count; ++i) {
    const int32_t level = armnn_activation_level(&levels, table.first + i);
    set_number(&table, table.first + i, armnn_i_acc_number(table.to, level));
  }
}

void armnn_i_acc_read_word_unary(ir_graph_t* graph) {
  const armnn_elementwise_unary_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const table_t table = new_table(graph);
  float* reals = reals_of(graph, &table);
  armnn_unary_row(ARMNN_DATA_TYPE_FLOAT32, d->operation)(reals, reals, (uint64_t)table.count);
  fill_reals(&table, reals);
}

void armnn_i_acc_read_word_requantize(ir_graph_t* graph) {
  const table_t table = new_table(graph);
  const armnn_factor_t factor = armnn_factor((double)table.from.scale / table.to.scale);
  for (int32_t i = 0; i < table.count; ++i) {
    const int32_t level = table.first + i - table.from.zero_point;
    set_number(&table, table.first + i, armnn_i_acc_number(table.to, armnn_scale32(level, factor)));
  }
}
