/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_attention.c - layers of transformers: each becomes a node of its own. Networks that write
 * them out get the same nodes from fuse_rotary.c and fuse_attention.c.
 */
#include <math.h>

#include "compile/ir.h"

/* Rows are turned in the order in which the input lies, if its last dimension lies last. */
void armnn_i_acc_read_rotary_embedding(ir_graph_t* graph) {
  const armnn_rotary_embedding_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_alias_t x = armnn_i_acc_input(graph, 0);
  const ir_alias_t cosine = armnn_i_acc_input(graph, 1), sine = armnn_i_acc_input(graph, 2);
  const uint32_t rank = ir_shape(graph, x.value)->rank;
  if (x.perm[rank - 1] != rank - 1) x = armnn_i_acc_alias(graph, armnn_i_acc_plain(graph, &x));
  const uint32_t inputs[] = {x.value, armnn_i_acc_operand(graph, &cosine, rank, x.perm),
                             armnn_i_acc_operand(graph, &sine, rank, x.perm)};
  const ir_shape_t shape = *ir_shape(graph, x.value);
  ir_node_t* node = armnn_i_acc_node(graph, IR_ROTARY, inputs, 3, &shape);
  node->rotary.turned = 2 * ir_shape(graph, inputs[1])->dims[rank - 1];
  node->rotary.neighbours = d->interleaved != 0;
  x.value = node->output;
  armnn_i_acc_set_output(graph, 0, x);
}

void armnn_i_acc_read_attention(ir_graph_t* graph) {
  const armnn_attention_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  enum { QUERY, KEY, VALUE, MASK, RANK = 4 };
  static const uint32_t plain[RANK] = {0, 1, 2, 3};
  const ir_alias_t query = armnn_i_acc_input(graph, QUERY), key = armnn_i_acc_input(graph, KEY);
  const ir_alias_t value = armnn_i_acc_input(graph, VALUE);
  const int64_t heads = armnn_i_acc_logical(graph, &query).dims[1];
  const int64_t kv_heads = armnn_i_acc_logical(graph, &key).dims[1];
  bool transpose_key = true, transpose_value = false;
  uint32_t inputs[] = {armnn_i_acc_plain(graph, &query),
                       armnn_i_acc_matrices(graph, &key, RANK, &transpose_key),
                       armnn_i_acc_matrices(graph, &value, RANK, &transpose_value), IR_NONE};
  const bool has_mask = armnn_i_acc_has_input(graph, MASK);
  if (has_mask) {
    const ir_alias_t mask = armnn_i_acc_input(graph, MASK);
    inputs[MASK] = armnn_i_acc_operand(graph, &mask, RANK, plain);
  }
  const ir_shape_t shape = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  ir_node_t* node = armnn_i_acc_node(graph, IR_ATTENTION, inputs, has_mask ? 4 : 3, &shape);
  armnn_i_acc_attention_t* attention = &node->attention;
  attention->transpose_key = transpose_key;
  attention->transpose_value = transpose_value;
  attention->group = heads / kv_heads;
  attention->shown = attention->zero_rows = true;
  attention->hidden = -INFINITY;
  attention->causal = d->causal != 0;
  attention->softcap = fabsf(d->softcap);
  attention->scale = d->scale;
  attention->beta = 1.0f;
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_alias(graph, node->output));
}
