/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * bufferize.c - in which buffer each value lies, and in which steps it gets there.
 *
 * First backwards: an output of the sub-graph gets the caller's buffer, the inputs of a Concat get
 * slices of its output's buffer, the input of a reshape gets the buffer of the result, and so do
 * matrices that are transposed, and what a SCATTER changes; so that producers write straight to the
 * final address. Then
 * forwards: slices, reshapes and what a product of matrices reads transposed become views of
 * their inputs, functions overwrite an input without another reader, everything else gets a buffer
 * of its own.
 */
#include "bufferize.h"

#include <string.h>

/* ---- Backwards ----------------------------------------------------------------------------- */

/* Gives |value| a share of a buffer that was chosen for its reader; false if its producer cannot
 * write there. */
static bool push(ir_graph_t* graph, uint32_t value, uint32_t buffer, int64_t offset,
                 const int64_t* strides) {
  ir_value_t* target = graph->values[value];
  if (target->has_buffer || target->constant != NULL || target->producer == IR_NONE) return false;
  const ir_node_t* node = graph->nodes[target->producer];
  const uint32_t last = target->shape.rank - 1;
  const bool gaps = target->shape.dims[last] != 1 && strides[last] != target->element.size;
  if (node->kind == IR_SLICE || gaps) return false;
  if (node->kind == IR_RESHAPE) {
    int64_t source[IR_DIMS];
    if (!armnn_i_acc_reshape_strides(&target->shape, strides, ir_shape(graph, node->inputs[0]),
                                     source) ||
        !push(graph, node->inputs[0], buffer, offset, source)) {
      return false;
    }
  }
  armnn_i_acc_set_buffer(target, buffer, offset, strides);
  return true;
}

/* Matrices are written where the transposed tensor has them. */
static void push_transposed(ir_scheduler_t* scheduler, const ir_node_t* node) {
  ir_graph_t* graph = scheduler->graph;
  const ir_value_t* from = graph->values[node->inputs[0]];
  ir_value_t* to = graph->values[node->output];
  if (from->uses != 1 || from->output != IR_NONE || from->producer == IR_NONE ||
      !armnn_i_acc_takes_matrices(graph, graph->nodes[from->producer])) {
    return;
  }
  armnn_i_acc_ensure_buffer(scheduler, to);
  int64_t strides[IR_DIMS];
  for (uint32_t d = 0; d < to->shape.rank; ++d) {
    strides[node->transpose.order[d]] = to->strides[d];
  }
  push(graph, node->inputs[0], to->buffer, to->offset, strides);
}

/* The input of a SCATTER lies where its result belongs, if that has no other reader. */
static void push_changed(ir_graph_t* graph, const ir_node_t* node) {
  const ir_value_t *from = graph->values[node->inputs[0]], *to = graph->values[node->output];
  if (from->uses != 1 || from->output != IR_NONE) return;
  push(graph, node->inputs[0], to->buffer, to->offset, to->strides);
}

static void bufferize_backwards(ir_scheduler_t* scheduler) {
  ir_graph_t* graph = scheduler->graph;
  const uint32_t inputs = graph->subgraph->input_count;
  for (uint32_t v = 0; v < graph->value_count; ++v) {
    ir_value_t* value = graph->values[v];
    value->has_buffer = false;
    if (value->input != IR_NONE) armnn_i_acc_set_dense(value, 1 + value->input);
    if (value->output != IR_NONE) armnn_i_acc_set_dense(value, 1 + inputs + value->output);
  }
  for (uint32_t n = graph->node_count; n-- > 0;) {
    const ir_node_t* node = graph->nodes[n];
    ir_value_t* output = graph->values[node->output];
    if (node->kind == IR_RESHAPE && output->output != IR_NONE) {
      int64_t source[IR_DIMS]; /* other reshapes have been pushed through already */
      if (armnn_i_acc_reshape_strides(&output->shape, output->strides,
                                      ir_shape(graph, node->inputs[0]), source)) {
        push(graph, node->inputs[0], output->buffer, output->offset, source);
      }
    }
    if (node->kind == IR_TRANSPOSE) push_transposed(scheduler, node);
    if (node->kind == IR_SCATTER && output->has_buffer) push_changed(graph, node);
    if (node->kind != IR_CONCAT) continue;
    armnn_i_acc_ensure_buffer(scheduler, output);
    for (uint32_t i = 0; i < node->input_count; ++i) {
      const int64_t at =
          armnn_i_acc_origin_offset(node->concat.origins[i], output->strides, output->shape.rank);
      push(graph, node->inputs[i], output->buffer, output->offset + at, output->strides);
    }
  }
}

/* ---- Forwards ------------------------------------------------------------------------------ */

typedef void (*bufferize_t)(ir_scheduler_t* scheduler, const ir_node_t* node);

/* By kind; nodes that are not here become operators. */
static const bufferize_t moves[IR_KIND_COUNT] = {
#define MOVE(kind, name) [IR_##kind] = armnn_i_acc_bufferize_##name,
#include "compile/kinds.inc"
#undef MOVE
};

/* Adds |change| to the readers of |value|'s buffer, if that is in the arena. */
static void count_readers(const ir_scheduler_t* scheduler, const ir_value_t* value,
                          uint32_t change) {
  if (!value->has_buffer || value->constant != NULL || value->buffer < IR_BUFFER_ARENA) return;
  scheduler->schedule->buffers[value->buffer - IR_BUFFER_ARENA].readers += change;
}

static void note_read(const ir_scheduler_t* scheduler, uint32_t value) {
  scheduler->pending[value] -= 1;
  count_readers(scheduler, scheduler->graph->values[value], UINT32_MAX); /* one less */
}

void armnn_i_acc_bufferize(ir_graph_t* graph, ir_schedule_t* schedule) {
  ir_scheduler_t scheduler = {graph, schedule, NULL};
  memset(schedule, 0, sizeof *schedule);
  armnn_i_acc_count_uses(graph);
  scheduler.pending =
      armnn_i_acc_pool(graph, (graph->value_count + UINT64_C(1)) * sizeof *scheduler.pending);
  for (uint32_t v = 0; v < graph->value_count; ++v) scheduler.pending[v] = graph->values[v]->uses;
  bufferize_backwards(&scheduler);
  for (uint32_t v = 0; v < graph->value_count; ++v) {
    count_readers(&scheduler, graph->values[v], scheduler.pending[v]);
  }
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    ir_node_t* node = graph->nodes[n];
    if (node->kind == IR_DEAD) continue;
    const ir_value_t* output = graph->values[node->output];
    const bool is_counted = output->has_buffer;
    if (moves[node->kind] != NULL) {
      moves[node->kind](&scheduler, node);
    } else {
      armnn_i_acc_bufferize_operator(&scheduler, node);
    }
    if (!is_counted) count_readers(&scheduler, output, scheduler.pending[node->output]);
    for (uint32_t i = 0; i < node->input_count; ++i) note_read(&scheduler, node->inputs[i]);
    if (node->residual != IR_NONE) note_read(&scheduler, node->residual);
  }
}
