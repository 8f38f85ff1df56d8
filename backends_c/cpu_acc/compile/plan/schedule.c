/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * schedule.c - the schedule while it grows: buffers, the tensors in them, and steps.
 */
#include "schedule.h"

#include <string.h>

static void dense_strides(armnn_i_acc_element_t element, const ir_shape_t* shape,
                          int64_t* out_strides) {
  ir_dense_steps(shape, out_strides);
  for (uint32_t d = 0; d < shape->rank; ++d) out_strides[d] *= element.size;
}

/* ---- Buffers ------------------------------------------------------------------------------- */

uint32_t armnn_i_acc_new_buffer(ir_scheduler_t* scheduler, armnn_i_acc_element_t element,
                                const ir_shape_t* shape) {
  ir_schedule_t* schedule = scheduler->schedule;
  if (schedule->buffer_count == schedule->buffer_capacity) {
    const uint32_t capacity = 2 * schedule->buffer_capacity + 64;
    ir_buffer_t* larger = armnn_i_acc_pool(scheduler->graph, capacity * sizeof *larger);
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

void armnn_i_acc_set_buffer(ir_value_t* value, uint32_t buffer, int64_t offset,
                            const int64_t* strides) {
  value->has_buffer = true;
  value->buffer = buffer;
  value->offset = offset;
  memcpy(value->strides, strides, sizeof value->strides);
}

void armnn_i_acc_set_dense(ir_value_t* value, uint32_t buffer) {
  int64_t strides[IR_DIMS] = {0};
  dense_strides(value->element, &value->shape, strides);
  armnn_i_acc_set_buffer(value, buffer, 0, strides);
}

void armnn_i_acc_ensure_buffer(ir_scheduler_t* scheduler, ir_value_t* value) {
  if (value->has_buffer) return;
  armnn_i_acc_set_dense(value, armnn_i_acc_new_buffer(scheduler, value->element, &value->shape));
}

/* ---- Tensors ------------------------------------------------------------------------------- */

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
  for (uint32_t d = tensor.rank; d-- > 0;) { /* a stride nobody uses: as if dense */
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

armnn_i_acc_tensor_t armnn_i_acc_dense_tensor(ir_scheduler_t* scheduler,
                                              armnn_i_acc_element_t element,
                                              const ir_shape_t* shape) {
  armnn_i_acc_tensor_t tensor = {.element = element, .rank = shape->rank};
  memcpy(tensor.dims, shape->dims, sizeof tensor.dims);
  dense_strides(element, shape, tensor.strides);
  tensor.memory = (armnn_i_acc_memory_t){armnn_i_acc_new_buffer(scheduler, element, shape), 0};
  return tensor;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static void touch(ir_scheduler_t* scheduler, const armnn_i_acc_tensor_t* tensor) {
  const ir_schedule_t* schedule = scheduler->schedule;
  if (tensor->rank == 0 || tensor->values != NULL || tensor->memory.binding < IR_BUFFER_ARENA) {
    return;
  }
  ir_buffer_t* buffer = &schedule->buffers[tensor->memory.binding - IR_BUFFER_ARENA];
  if (buffer->first == IR_NONE) buffer->first = schedule->step_count;
  buffer->last = schedule->step_count;
}

void armnn_i_acc_add_step(ir_scheduler_t* scheduler, const ir_step_t* step) {
  ir_schedule_t* schedule = scheduler->schedule;
  if (schedule->step_count == schedule->step_capacity) {
    const uint32_t capacity = 2 * schedule->step_capacity + 32;
    ir_step_t* larger = armnn_i_acc_pool(scheduler->graph, capacity * sizeof *larger);
    if (schedule->step_count > 0) {
      memcpy(larger, schedule->steps, schedule->step_count * sizeof *larger);
    }
    schedule->steps = larger;
    schedule->step_capacity = capacity;
  }
  for (uint32_t i = 0; i < IR_OPERANDS; ++i) touch(scheduler, &step->in[i]);
  touch(scheduler, &step->residual);
  touch(scheduler, &step->out);
  schedule->steps[schedule->step_count++] = *step;
}

void armnn_i_acc_add_copy(ir_scheduler_t* scheduler, const ir_node_t* node,
                          const armnn_i_acc_tensor_t* from, const armnn_i_acc_tensor_t* to) {
  ir_step_t step = {.node = node, .action = IR_ACT_COPY, .in = {*from}, .out = *to};
  for (uint32_t d = 0; d < IR_DIMS; ++d) step.order[d] = d;
  armnn_i_acc_add_step(scheduler, &step);
}
