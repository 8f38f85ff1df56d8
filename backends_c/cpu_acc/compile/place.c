/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * place.c - where each value lies, and in which steps it gets there.
 *
 * First backwards: an output of the part lies where the caller wants it, the inputs of a Concat lie
 * in its output, and what is only looked at with another shape lies there, too; so that producers
 * write to where things end up. Then forwards: slices and reshapes become views of what is there,
 * functions work in place where nobody else reads their input, everything else gets a buffer.
 */
#include "place.h"

#include <string.h>

/* ---- Tensors ----------------------------------------------------------------------------------
 */

static void dense_strides(armnn_i_acc_element_t element, const ir_shape_t* shape,
                          int64_t* out_strides) {
  ir_dense_steps(shape, out_strides);
  for (uint32_t d = 0; d < shape->rank; ++d) out_strides[d] *= element.size;
}

armnn_i_acc_tensor_t armnn_i_acc_tensor_of(const ir_value_t* value) {
  armnn_i_acc_tensor_t tensor = {
      .element = value->element, .rank = value->shape.rank, .values = value->constant};
  memcpy(tensor.dims, value->shape.dims, sizeof tensor.dims);
  if (value->constant != NULL) {
    dense_strides(value->element, &value->shape, tensor.strides);
  } else {
    memcpy(tensor.strides, value->strides, sizeof tensor.strides);
    tensor.memory = (armnn_i_acc_memory_t){value->buffer, value->offset};
  }
  for (uint32_t d = tensor.rank; d-- > 0;) { /* whatever stood there, it is never used */
    if (tensor.dims[d] != 1) continue;
    tensor.strides[d] = d + 1 == tensor.rank ? (int64_t)tensor.element.size
                                             : tensor.strides[d + 1] * tensor.dims[d + 1];
  }
  return tensor;
}

ir_shape_t armnn_i_acc_tensor_shape(const armnn_i_acc_tensor_t* tensor) {
  ir_shape_t shape = {.rank = tensor->rank};
  memcpy(shape.dims, tensor->dims, sizeof shape.dims);
  return shape;
}

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

static bool same_place(const armnn_i_acc_tensor_t* a, const armnn_i_acc_tensor_t* b) {
  if (a->values != NULL || b->values != NULL || a->memory.binding != b->memory.binding ||
      a->memory.offset != b->memory.offset) {
    return false;
  }
  for (uint32_t d = 0; d < a->rank; ++d) {
    if (a->dims[d] != 1 && a->strides[d] != b->strides[d]) return false;
  }
  return true;
}

/* The last dimension of what an operator reads or writes has no gaps. */
static bool is_readable(const armnn_i_acc_tensor_t* tensor) {
  for (uint32_t d = 0; d < tensor->rank; ++d) {
    if (tensor->dims[d] != 1 && tensor->strides[d] <= 0) return false;
  }
  return tensor->dims[tensor->rank - 1] == 1 ||
         tensor->strides[tensor->rank - 1] == (int64_t)tensor->element.size;
}

void armnn_i_acc_put(ir_value_t* value, uint32_t buffer, int64_t offset, const int64_t* strides) {
  value->placed = true;
  value->buffer = buffer;
  value->offset = offset;
  memcpy(value->strides, strides, sizeof value->strides);
}

void armnn_i_acc_put_dense(ir_value_t* value, uint32_t buffer) {
  int64_t strides[IR_DIMS] = {0};
  dense_strides(value->element, &value->shape, strides);
  armnn_i_acc_put(value, buffer, 0, strides);
}

uint32_t armnn_i_acc_new_buffer(ir_placing_t* placing, armnn_i_acc_element_t element,
                                const ir_shape_t* shape) {
  ir_schedule_t* schedule = placing->schedule;
  if (schedule->buffer_count == schedule->buffer_capacity) {
    const uint32_t capacity = 2 * schedule->buffer_capacity + 64;
    ir_buffer_t* larger = armnn_i_acc_pool(placing->graph, capacity * sizeof *larger);
    if (schedule->buffer_count > 0) {
      memcpy(larger, schedule->buffers, schedule->buffer_count * sizeof *larger);
    }
    schedule->buffers = larger;
    schedule->buffer_capacity = capacity;
  }
  const uint64_t bytes = (uint64_t)ir_count(shape) * element.size;
  schedule->buffers[schedule->buffer_count] = (ir_buffer_t){
      .size = (bytes + ARMNN_ACC_LINE - 1) / ARMNN_ACC_LINE * ARMNN_ACC_LINE,
      .first = IR_NONE,
  };
  return IR_BUFFER_ARENA + schedule->buffer_count++;
}

/* ---- Backwards --------------------------------------------------------------------------------
 */

/* |value| shall lie there; false if that is not in its producer's hand. */
static bool push(ir_graph_t* graph, uint32_t value, uint32_t buffer, int64_t offset,
                 const int64_t* strides) {
  ir_value_t* target = graph->values[value];
  if (target->placed || target->constant != NULL || target->producer == IR_NONE) return false;
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
  armnn_i_acc_put(target, buffer, offset, strides);
  return true;
}

static int64_t origin_offset(const int64_t* origin, const int64_t* strides, uint32_t rank) {
  int64_t offset = 0;
  for (uint32_t d = 0; d < rank; ++d) offset += origin[d] * strides[d];
  return offset;
}

static void place_backwards(ir_placing_t* placing) {
  ir_graph_t* graph = placing->graph;
  const uint32_t inputs = graph->part->input_count;
  for (uint32_t v = 0; v < graph->value_count; ++v) {
    ir_value_t* value = graph->values[v];
    value->placed = false;
    if (value->input != IR_NONE) armnn_i_acc_put_dense(value, 1 + value->input);
    if (value->output != IR_NONE) armnn_i_acc_put_dense(value, 1 + inputs + value->output);
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
    if (node->kind != IR_CONCAT) continue;
    if (!output->placed)
      armnn_i_acc_put_dense(output,
                            armnn_i_acc_new_buffer(placing, output->element, &output->shape));
    for (uint32_t i = 0; i < node->input_count; ++i) {
      const int64_t at =
          origin_offset(node->concat.origins[i], output->strides, output->shape.rank);
      push(graph, node->inputs[i], output->buffer, output->offset + at, output->strides);
    }
  }
}

/* ---- Steps ------------------------------------------------------------------------------------
 */

static void touch(ir_placing_t* placing, const armnn_i_acc_tensor_t* tensor) {
  const ir_schedule_t* schedule = placing->schedule;
  if (tensor->rank == 0 || tensor->values != NULL || tensor->memory.binding < IR_BUFFER_ARENA) {
    return;
  }
  ir_buffer_t* buffer = &schedule->buffers[tensor->memory.binding - IR_BUFFER_ARENA];
  if (buffer->first == IR_NONE) buffer->first = schedule->step_count;
  buffer->last = schedule->step_count;
}

void armnn_i_acc_add_step(ir_placing_t* placing, const ir_step_t* step) {
  ir_schedule_t* schedule = placing->schedule;
  if (schedule->step_count == schedule->step_capacity) {
    const uint32_t capacity = 2 * schedule->step_capacity + 32;
    ir_step_t* larger = armnn_i_acc_pool(placing->graph, capacity * sizeof *larger);
    if (schedule->step_count > 0) {
      memcpy(larger, schedule->steps, schedule->step_count * sizeof *larger);
    }
    schedule->steps = larger;
    schedule->step_capacity = capacity;
  }
  for (uint32_t i = 0; i < 3; ++i) touch(placing, &step->in[i]);
  touch(placing, &step->residual);
  touch(placing, &step->out);
  schedule->steps[schedule->step_count++] = *step;
}

void armnn_i_acc_add_copy(ir_placing_t* placing, const ir_node_t* node,
                          const armnn_i_acc_tensor_t* from, const armnn_i_acc_tensor_t* to) {
  ir_step_t step = {.node = node, .action = IR_ACT_COPY, .in = {*from}, .out = *to};
  for (uint32_t d = 0; d < IR_DIMS; ++d) step.order[d] = d;
  armnn_i_acc_add_step(placing, &step);
}

armnn_i_acc_tensor_t armnn_i_acc_dense_tensor(ir_placing_t* placing, armnn_i_acc_element_t element,
                                              const ir_shape_t* shape) {
  armnn_i_acc_tensor_t tensor = {.element = element, .rank = shape->rank};
  memcpy(tensor.dims, shape->dims, sizeof tensor.dims);
  dense_strides(element, shape, tensor.strides);
  tensor.memory = (armnn_i_acc_memory_t){armnn_i_acc_new_buffer(placing, element, shape), 0};
  return tensor;
}

/* ---- Forwards ---------------------------------------------------------------------------------
 */

static void place_reshape(ir_placing_t* placing, const ir_node_t* node) {
  const ir_graph_t* graph = placing->graph;
  const ir_value_t* from = graph->values[node->inputs[0]];
  ir_value_t* to = graph->values[node->output];
  armnn_i_acc_tensor_t source = armnn_i_acc_tensor_of(from), view = source;
  const bool viewable = reshape(&view, &to->shape);
  if (!to->placed && viewable && is_readable(&view)) {
    to->constant = view.values;
    if (to->constant == NULL)
      armnn_i_acc_put(to, view.memory.binding, view.memory.offset, view.strides);
    return;
  }
  if (!to->placed)
    armnn_i_acc_put_dense(to, armnn_i_acc_new_buffer(placing, to->element, &to->shape));
  armnn_i_acc_tensor_t target = armnn_i_acc_tensor_of(to);
  if (viewable) {
    if (!same_place(&view, &target)) armnn_i_acc_add_copy(placing, node, &view, &target);
    return;
  }
  if (!reshape(&target, &from->shape)) { /* neither lies like the other: by way of a dense copy */
    armnn_i_acc_tensor_t between = armnn_i_acc_dense_tensor(placing, from->element, &from->shape);
    armnn_i_acc_add_copy(placing, node, &source, &between);
    reshape(&between, &to->shape);
    source = between;
  }
  armnn_i_acc_add_copy(placing, node, &source, &target);
}

static void place_slice(ir_placing_t* placing, const ir_node_t* node) {
  const ir_graph_t* graph = placing->graph;
  ir_value_t* to = graph->values[node->output];
  armnn_i_acc_tensor_t view = armnn_i_acc_tensor_of(graph->values[node->inputs[0]]);
  advance(&view, origin_offset(node->slice.begin, view.strides, view.rank));
  for (uint32_t d = 0; d < view.rank; ++d) {
    view.dims[d] = to->shape.dims[d];
    view.strides[d] *= node->slice.stride[d];
  }
  if (!to->placed && view.values == NULL && is_readable(&view)) {
    armnn_i_acc_put(to, view.memory.binding, view.memory.offset, view.strides);
    return;
  }
  if (!to->placed)
    armnn_i_acc_put_dense(to, armnn_i_acc_new_buffer(placing, to->element, &to->shape));
  const armnn_i_acc_tensor_t target = armnn_i_acc_tensor_of(to);
  armnn_i_acc_add_copy(placing, node, &view, &target);
}

static void place_concat(ir_placing_t* placing, const ir_node_t* node) {
  const ir_graph_t* graph = placing->graph;
  const ir_value_t* to = graph->values[node->output];
  for (uint32_t i = 0; i < node->input_count; ++i) {
    const ir_value_t* from = graph->values[node->inputs[i]];
    const armnn_i_acc_tensor_t source = armnn_i_acc_tensor_of(from);
    armnn_i_acc_tensor_t part = armnn_i_acc_tensor_of(to);
    memcpy(part.dims, from->shape.dims, sizeof part.dims);
    advance(&part, origin_offset(node->concat.origins[i], part.strides, part.rank));
    if (!same_place(&source, &part)) armnn_i_acc_add_copy(placing, node, &source, &part);
  }
}

static void place_transpose(ir_placing_t* placing, const ir_node_t* node) {
  ir_value_t* to = placing->graph->values[node->output];
  if (!to->placed)
    armnn_i_acc_put_dense(to, armnn_i_acc_new_buffer(placing, to->element, &to->shape));
  ir_step_t step = {.node = node,
                    .action = IR_ACT_COPY,
                    .in = {armnn_i_acc_tensor_of(placing->graph->values[node->inputs[0]])},
                    .out = armnn_i_acc_tensor_of(to)};
  memcpy(step.order, node->transpose.order, sizeof step.order);
  armnn_i_acc_add_step(placing, &step);
}

static void place_broadcast(ir_placing_t* placing, const ir_node_t* node) {
  ir_value_t* to = placing->graph->values[node->output];
  armnn_i_acc_tensor_t source = armnn_i_acc_tensor_of(placing->graph->values[node->inputs[0]]);
  if (!to->placed)
    armnn_i_acc_put_dense(to, armnn_i_acc_new_buffer(placing, to->element, &to->shape));
  for (uint32_t d = 0; d < source.rank; ++d) {
    if (source.dims[d] == to->shape.dims[d]) continue;
    source.dims[d] = to->shape.dims[d];
    source.strides[d] = 0;
  }
  const armnn_i_acc_tensor_t target = armnn_i_acc_tensor_of(to);
  armnn_i_acc_add_copy(placing, node, &source, &target);
}

typedef void (*place_t)(ir_placing_t* placing, const ir_node_t* node);

/* By kind; nodes that are not here become operators. */
static const place_t moves[IR_KIND_COUNT] = {
#define MOVE(kind, name) [IR_##kind] = place_##name,
#include "kinds.inc"
#undef MOVE
};

void armnn_i_acc_place(ir_graph_t* graph, ir_schedule_t* schedule) {
  ir_placing_t placing = {graph, schedule, NULL};
  memset(schedule, 0, sizeof *schedule);
  armnn_i_acc_count_uses(graph);
  placing.pending =
      armnn_i_acc_pool(graph, (graph->value_count + UINT64_C(1)) * sizeof *placing.pending);
  for (uint32_t v = 0; v < graph->value_count; ++v) placing.pending[v] = graph->values[v]->uses;
  place_backwards(&placing);
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    ir_node_t* node = graph->nodes[n];
    if (node->kind == IR_DEAD) continue;
    if (moves[node->kind] != NULL) {
      moves[node->kind](&placing, node);
    } else {
      armnn_i_acc_place_operator(&placing, node);
    }
    for (uint32_t i = 0; i < node->input_count; ++i) placing.pending[node->inputs[i]] -= 1;
    if (node->residual != IR_NONE) placing.pending[node->residual] -= 1;
  }
}
