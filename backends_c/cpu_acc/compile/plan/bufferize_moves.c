/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * bufferize_moves.c - nodes that move data: views of their inputs where that is possible, copies
 * otherwise.
 */
#include <string.h>

#include "bufferize.h"

/* |tensor| seen with another shape; false if it cannot be. */
static bool reshape(armnn_i_acc_tensor_t* tensor, const ir_shape_t* shape) {
  const ir_shape_t from = armnn_i_acc_tensor_shape(tensor);
  int64_t strides[IR_DIMS];
  if (!armnn_i_acc_reshape_strides(&from, tensor->strides, shape, strides)) return false;
  tensor->rank = shape->rank;
  memcpy(tensor->dims, shape->dims, sizeof tensor->dims);
  memcpy(tensor->strides, strides, sizeof strides);
  return true;
}

static void advance(armnn_i_acc_tensor_t* tensor, int64_t bytes) {
  if (tensor->values != NULL) {
    tensor->values = (const char*)tensor->values + bytes;
  } else {
    tensor->memory.offset += bytes;
  }
}

bool armnn_i_acc_same_memory(const armnn_i_acc_tensor_t* a, const armnn_i_acc_tensor_t* b) {
  if (a->values != NULL || b->values != NULL || a->memory.binding != b->memory.binding ||
      a->memory.offset != b->memory.offset) {
    return false;
  }
  for (uint32_t d = 0; d < a->rank; ++d) {
    if (a->dims[d] != 1 && a->strides[d] != b->strides[d]) return false;
  }
  return true;
}

/* Whether operators can read or write |tensor|: no gaps along the last dimension. */
static bool is_readable(const armnn_i_acc_tensor_t* tensor) {
  for (uint32_t d = 0; d < tensor->rank; ++d) {
    if (tensor->dims[d] != 1 && tensor->strides[d] <= 0) return false;
  }
  return tensor->dims[tensor->rank - 1] == 1 ||
         tensor->strides[tensor->rank - 1] == (int64_t)tensor->element.size;
}

int64_t armnn_i_acc_origin_offset(const int64_t* origin, const int64_t* strides, uint32_t rank) {
  int64_t offset = 0;
  for (uint32_t d = 0; d < rank; ++d) offset += origin[d] * strides[d];
  return offset;
}

bool armnn_i_acc_takes_matrices(const ir_graph_t* graph, const ir_node_t* node) {
  return node->kind == IR_ATTENTION || node->kind == IR_QUANTIZED_MATMUL ||
         (node->kind == IR_MATMUL && graph->values[node->inputs[1]]->constant == NULL);
}

void armnn_i_acc_bufferize_reshape(ir_scheduler_t* scheduler, const ir_node_t* node) {
  const ir_graph_t* graph = scheduler->graph;
  const ir_value_t* from = graph->values[node->inputs[0]];
  ir_value_t* to = graph->values[node->output];
  armnn_i_acc_tensor_t source = armnn_i_acc_tensor_of(from), view = source;
  const bool viewable = reshape(&view, &to->shape);
  if (!to->has_buffer && viewable && is_readable(&view)) {
    to->constant = view.values;
    if (to->constant == NULL) {
      armnn_i_acc_set_buffer(to, view.memory.binding, view.memory.offset, view.strides);
    }
    return;
  }
  armnn_i_acc_ensure_buffer(scheduler, to);
  armnn_i_acc_tensor_t target = armnn_i_acc_tensor_of(to);
  if (viewable) {
    if (!armnn_i_acc_same_memory(&view, &target))
      armnn_i_acc_add_copy(scheduler, node, &view, &target);
    return;
  }
  if (!reshape(&target, &from->shape)) { /* neither layout fits the other: through a dense copy */
    armnn_i_acc_tensor_t between = armnn_i_acc_dense_tensor(scheduler, from->element, &from->shape);
    armnn_i_acc_add_copy(scheduler, node, &source, &between);
    reshape(&between, &to->shape);
    source = between;
  }
  armnn_i_acc_add_copy(scheduler, node, &source, &target);
}

/* Bytes that lie one behind another, seen as elements of another type. */
void armnn_i_acc_bufferize_retype(ir_scheduler_t* scheduler, const ir_node_t* node) {
  ir_value_t* to = scheduler->graph->values[node->output];
  armnn_i_acc_tensor_t view = armnn_i_acc_tensor_of(scheduler->graph->values[node->inputs[0]]);
  int64_t stride = to->element.size;
  view.element = to->element;
  view.rank = to->shape.rank;
  for (uint32_t d = view.rank; d-- > 0;) {
    view.dims[d] = to->shape.dims[d];
    view.strides[d] = stride;
    stride *= view.dims[d];
  }
  if (!to->has_buffer) {
    armnn_i_acc_set_buffer(to, view.memory.binding, view.memory.offset, view.strides);
    return;
  }
  const armnn_i_acc_tensor_t target = armnn_i_acc_tensor_of(to);
  armnn_i_acc_add_copy(scheduler, node, &view, &target);
}

void armnn_i_acc_bufferize_slice(ir_scheduler_t* scheduler, const ir_node_t* node) {
  const ir_graph_t* graph = scheduler->graph;
  ir_value_t* to = graph->values[node->output];
  armnn_i_acc_tensor_t view = armnn_i_acc_tensor_of(graph->values[node->inputs[0]]);
  advance(&view, armnn_i_acc_origin_offset(node->slice.begin, view.strides, view.rank));
  for (uint32_t d = 0; d < view.rank; ++d) {
    view.dims[d] = to->shape.dims[d];
    view.strides[d] *= node->slice.stride[d];
  }
  if (!to->has_buffer && view.values == NULL && is_readable(&view)) {
    armnn_i_acc_set_buffer(to, view.memory.binding, view.memory.offset, view.strides);
    return;
  }
  armnn_i_acc_ensure_buffer(scheduler, to);
  const armnn_i_acc_tensor_t target = armnn_i_acc_tensor_of(to);
  armnn_i_acc_add_copy(scheduler, node, &view, &target);
}

void armnn_i_acc_bufferize_concat(ir_scheduler_t* scheduler, const ir_node_t* node) {
  const ir_graph_t* graph = scheduler->graph;
  const ir_value_t* to = graph->values[node->output];
  for (uint32_t i = 0; i < node->input_count; ++i) {
    const ir_value_t* from = graph->values[node->inputs[i]];
    const armnn_i_acc_tensor_t source = armnn_i_acc_tensor_of(from);
    armnn_i_acc_tensor_t target = armnn_i_acc_tensor_of(to);
    memcpy(target.dims, from->shape.dims, sizeof target.dims);
    advance(&target,
            armnn_i_acc_origin_offset(node->concat.origins[i], target.strides, target.rank));
    if (!armnn_i_acc_same_memory(&source, &target))
      armnn_i_acc_add_copy(scheduler, node, &source, &target);
  }
}

void armnn_i_acc_bufferize_transpose(ir_scheduler_t* scheduler, const ir_node_t* node) {
  const ir_graph_t* graph = scheduler->graph;
  ir_value_t* to = graph->values[node->output];
  const armnn_i_acc_tensor_t source = armnn_i_acc_tensor_of(graph->values[node->inputs[0]]);
  armnn_i_acc_tensor_t view = source;
  for (uint32_t d = 0; d < view.rank; ++d) {
    view.dims[d] = source.dims[node->transpose.order[d]];
    view.strides[d] = source.strides[node->transpose.order[d]];
  }
  if (!to->has_buffer && to->uses == 1 && to->output == IR_NONE && source.values == NULL &&
      armnn_i_acc_takes_matrices(graph, graph->nodes[to->user]) && is_readable(&view)) {
    armnn_i_acc_set_buffer(to, view.memory.binding, view.memory.offset, view.strides);
    return;
  }
  armnn_i_acc_ensure_buffer(scheduler, to);
  const armnn_i_acc_tensor_t target = armnn_i_acc_tensor_of(to);
  if (armnn_i_acc_same_memory(&view, &target)) return;
  ir_step_t step = {.node = node, .action = IR_ACT_COPY, .in = {source}, .out = target};
  memcpy(step.order, node->transpose.order, sizeof step.order);
  armnn_i_acc_add_step(scheduler, &step);
}

void armnn_i_acc_bufferize_broadcast(ir_scheduler_t* scheduler, const ir_node_t* node) {
  ir_value_t* to = scheduler->graph->values[node->output];
  armnn_i_acc_tensor_t source = armnn_i_acc_tensor_of(scheduler->graph->values[node->inputs[0]]);
  armnn_i_acc_ensure_buffer(scheduler, to);
  for (uint32_t d = 0; d < source.rank; ++d) {
    if (source.dims[d] == to->shape.dims[d]) continue;
    source.dims[d] = to->shape.dims[d];
    source.strides[d] = 0;
  }
  const armnn_i_acc_tensor_t target = armnn_i_acc_tensor_of(to);
  armnn_i_acc_add_copy(scheduler, node, &source, &target);
}
