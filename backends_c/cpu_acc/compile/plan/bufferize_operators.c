/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * bufferize_operators.c - nodes that compute: their output takes the buffer of an input that nobody
 * else reads, and their operands are copied densely, or their epilogue is a step of its own, where
 * the operator wants that.
 */
#include "bufferize.h"

/* Gives the output the buffer of an input that has no later reader. */
static bool reuse_input(const ir_scheduler_t* scheduler, const ir_node_t* node) {
  const ir_graph_t* graph = scheduler->graph;
  if (!ir_has(node, IR_IN_PLACE)) return false;
  ir_value_t* to = graph->values[node->output];
  const uint32_t count = node->kind == IR_SCATTER ? 1 : node->input_count;
  for (uint32_t i = 0; i < count; ++i) {
    const ir_value_t* from = graph->values[node->inputs[i]];
    if (from->constant == NULL && from->buffer >= IR_BUFFER_ARENA &&
        ir_same_shape(&from->shape, &to->shape) && from->element.size == to->element.size &&
        scheduler->schedule->buffers[from->buffer - IR_BUFFER_ARENA].readers == 1) {
      armnn_i_acc_set_buffer(to, from->buffer, from->offset, from->strides);
      return true;
    }
  }
  return false;
}

/* |tensor|, or a dense copy of it if the operator wants that. */
static armnn_i_acc_tensor_t as_wanted(ir_scheduler_t* scheduler, const ir_node_t* node,
                                      const armnn_i_acc_tensor_t* tensor) {
  if (!node->plain_operands || armnn_i_acc_is_dense(tensor)) return *tensor;
  const ir_shape_t shape = armnn_i_acc_tensor_shape(tensor);
  const armnn_i_acc_tensor_t dense = armnn_i_acc_dense_tensor(scheduler, tensor->element, &shape);
  armnn_i_acc_add_copy(scheduler, node, tensor, &dense);
  return dense;
}

static void add_epilogue(ir_scheduler_t* scheduler, const ir_step_t* main) {
  const ir_node_t* node = main->node;
  ir_step_t function = {
      .node = node, .action = IR_ACT_FUNCTION, .in = {main->out}, .out = main->out};
  ir_step_t sum = {
      .node = node, .action = IR_ACT_ADD, .in = {main->out, main->residual}, .out = main->out};
  if (node->residual != IR_NONE && !node->residual_last) armnn_i_acc_add_step(scheduler, &sum);
  if (node->function != ARMNN_ACC_IDENTITY) armnn_i_acc_add_step(scheduler, &function);
  if (node->residual != IR_NONE && node->residual_last) armnn_i_acc_add_step(scheduler, &sum);
}

/* Adds the operator of |node| from |ins| and |residual| to |target|, and copies and an epilogue
 * around it if they are steps of their own. */
static void add_operator(ir_scheduler_t* scheduler, const ir_node_t* node,
                         const armnn_i_acc_tensor_t* ins, const armnn_i_acc_tensor_t* residual,
                         const armnn_i_acc_tensor_t* target) {
  ir_step_t step = {.node = node, .action = IR_ACT_NODE, .bare = node->bare};
  const bool changes = node->kind == IR_SCATTER; /* operand 0, which has to lie where it writes */
  for (uint32_t i = changes ? 1 : 0; i < node->input_count; ++i) {
    step.in[i] = as_wanted(scheduler, node, &ins[i]);
  }
  if (node->residual != IR_NONE) step.residual = as_wanted(scheduler, node, residual);
  const bool apart = node->plain_operands && !armnn_i_acc_is_dense(target);
  const ir_shape_t shape = armnn_i_acc_tensor_shape(target);
  step.out = apart ? armnn_i_acc_dense_tensor(scheduler, target->element, &shape) : *target;
  if (changes) {
    if (!armnn_i_acc_same_memory(&ins[0], &step.out)) {
      armnn_i_acc_add_copy(scheduler, node, &ins[0], &step.out);
    }
    step.in[0] = step.out;
  }
  armnn_i_acc_add_step(scheduler, &step);
  if (node->bare && node->kind != IR_UNARY) add_epilogue(scheduler, &step);
  if (apart) armnn_i_acc_add_copy(scheduler, node, &step.out, target);
}

/* ---- Transposed convolutions whose windows do not overlap ---------------------------------- */

/* Whether window and stride are equal: each input pixel makes a block of output pixels. */
static bool makes_blocks(const ir_node_t* node, const armnn_i_acc_tensor_t* in,
                         const armnn_i_acc_tensor_t* out) {
  const armnn_i_acc_convolution_t* window = &node->convolution;
  return node->kind == IR_TRANSPOSE_CONVOLUTION && window->groups == 1 &&
         window->kernel_y == window->stride_y && window->kernel_x == window->stride_x &&
         window->dilation_y == 1 && window->dilation_x == 1 && window->pad_top == 0 &&
         window->pad_left == 0 && out->dims[1] == in->dims[1] * window->stride_y &&
         out->dims[2] == in->dims[2] * window->stride_x &&
         out->strides[2] == out->dims[3] * (int64_t)out->element.size;
}

/* Row |y| of each block as one pixel: the pixels of the row become channels of that pixel. */
static armnn_i_acc_tensor_t row_of_blocks(const armnn_i_acc_tensor_t* whole, int64_t y,
                                          int64_t rows, int64_t columns) {
  armnn_i_acc_tensor_t row = *whole;
  row.memory.offset += y * whole->strides[1];
  row.dims[1] /= rows;
  row.strides[1] *= rows;
  row.dims[2] /= columns;
  row.strides[2] *= columns;
  row.dims[3] *= columns;
  return row;
}

/* The convolution of 1x1 that makes row |y| of all blocks. */
static ir_node_t* row_convolution(ir_graph_t* graph, const ir_node_t* node, int64_t y,
                                  int64_t channels) {
  const armnn_i_acc_convolution_t* from = &node->convolution;
  const int64_t inputs = ir_shape(graph, node->inputs[0])->dims[3];
  const int64_t outputs = from->kernel_x * channels, *strides = from->weights.strides;
  float* weights = armnn_i_acc_pool(graph, (uint64_t)(inputs * outputs) * sizeof *weights);
  float* bias = armnn_i_acc_pool(graph, (uint64_t)outputs * sizeof *bias);
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t x = o / channels, channel = o % channels;
    const char* tap =
        (const char*)from->weights.values + channel * strides[0] + y * strides[1] + x * strides[2];
    if (from->bias != NULL) bias[o] = from->bias[channel];
    for (int64_t i = 0; i < inputs; ++i) {
      weights[o * inputs + i] = *(const float*)(const void*)(tap + i * strides[3]);
    }
  }
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_ROWS, (uint64_t)y, (uint64_t)from->kernel_x,
                 (uint64_t)channels, (uint64_t)inputs);
  armnn_i_acc_name_tensor(&name, graph->maker, &from->weights);
  armnn_i_acc_add_origin(&graph->origins, weights, (uint64_t)(inputs * outputs) * sizeof *weights,
                         &name);
  ir_node_t* row = armnn_i_acc_pool(graph, sizeof *row);
  *row = *node;
  row->kind = IR_CONVOLUTION;
  row->convolution =
      armnn_i_acc_pointwise(armnn_i_acc_dense_weights(weights, outputs, 1, 1, inputs),
                            from->bias == NULL ? NULL : bias, 1);
  return row;
}

static void add_blocks(ir_scheduler_t* scheduler, ir_node_t* node, const armnn_i_acc_tensor_t* in,
                       const armnn_i_acc_tensor_t* residual, const armnn_i_acc_tensor_t* out) {
  const int64_t rows = node->convolution.kernel_y, columns = node->convolution.kernel_x;
  if (node->rows ==
      NULL) { /* kept if all is bufferized again, with their |plain_operands| and |bare| */
    ir_node_t** made = armnn_i_acc_pool(scheduler->graph, (uint64_t)rows * sizeof *made);
    for (int64_t y = 0; y < rows; ++y) {
      made[y] = row_convolution(scheduler->graph, node, y, out->dims[3]);
    }
    node->rows = made;
  }
  for (int64_t y = 0; y < rows; ++y) {
    const armnn_i_acc_tensor_t target = row_of_blocks(out, y, rows, columns);
    armnn_i_acc_tensor_t other = {.rank = 0};
    if (node->residual != IR_NONE) other = row_of_blocks(residual, y, rows, columns);
    add_operator(scheduler, node->rows[y], in, &other, &target);
  }
}

/* ---- Any operator -------------------------------------------------------------------------- */

void armnn_i_acc_bufferize_operator(ir_scheduler_t* scheduler, ir_node_t* node) {
  const ir_graph_t* graph = scheduler->graph;
  ir_value_t* to = graph->values[node->output];
  armnn_i_acc_tensor_t ins[IR_OPERANDS] = {{.rank = 0}}, residual = {.rank = 0};
  if (node->input_count > IR_OPERANDS)
    armnn_i_acc_refuse(scheduler->graph, node, "too many operands");
  if (!to->has_buffer && !reuse_input(scheduler, node)) {
    armnn_i_acc_set_dense(to, armnn_i_acc_new_buffer(scheduler, to->element, &to->shape));
  }
  for (uint32_t i = 0; i < node->input_count; ++i) {
    ins[i] = armnn_i_acc_tensor_of(graph->values[node->inputs[i]]);
  }
  if (node->residual != IR_NONE) {
    residual = armnn_i_acc_tensor_of(graph->values[node->residual]);
  }
  const armnn_i_acc_tensor_t target = armnn_i_acc_tensor_of(to);
  if (makes_blocks(node, &ins[0], &target) &&
      (node->residual == IR_NONE ||
       residual.strides[2] == residual.dims[3] * (int64_t)residual.element.size)) {
    add_blocks(scheduler, node, &ins[0], &residual, &target);
  } else {
    add_operator(scheduler, node, ins, &residual, &target);
  }
}
