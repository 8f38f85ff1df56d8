/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lower.c - steps become operators.
 */
#include "lower.h"

#include <string.h>

static armnn_i_acc_epilogue_t epilogue_of(const ir_step_t* step) {
  const ir_node_t* node = step->node;
  armnn_i_acc_epilogue_t epilogue = {.function = ARMNN_ACC_IDENTITY};
  if (step->bare) return epilogue;
  epilogue.function = node->function;
  epilogue.a = node->a;
  epilogue.b = node->b;
  epilogue.has_residual = node->residual != IR_NONE;
  epilogue.residual_last = node->residual_last;
  if (epilogue.has_residual) epilogue.residual = step->residual;
  return epilogue;
}

static armnn_status_t make_window(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                  armnn_i_acc_op_t** out_op) {
  const ir_window_t* window = &step->node->window;
  const armnn_i_acc_convolution_t what = {
      .input = step->in[0],
      .output = step->out,
      .weights = window->weights,
      .bias = window->bias,
      .kernel_y = window->kernel_y,
      .kernel_x = window->kernel_x,
      .stride_y = window->stride_y,
      .stride_x = window->stride_x,
      .dilation_y = window->dilation_y,
      .dilation_x = window->dilation_x,
      .pad_top = window->pad_top,
      .pad_left = window->pad_left,
      .groups = window->groups,
      .epilogue = epilogue_of(step),
  };
  if (step->node->kind == IR_DEPTHWISE) return armnn_i_acc_make_depthwise(maker, &what, out_op);
  if (step->node->kind == IR_TRANSPOSE_CONVOLUTION) {
    return armnn_i_acc_make_transpose_convolution(maker, &what, out_op);
  }
  return armnn_i_acc_make_convolution(maker, &what, out_op);
}

/* All but the last dimension as one: rows of an image of height 1. False if they do not lie so. */
static bool as_rows(const armnn_i_acc_tensor_t* tensor, armnn_i_acc_tensor_t* out_rows) {
  const uint32_t last = tensor->rank - 1;
  int64_t count = 1, stride = 0;
  for (uint32_t d = last; d-- > 0;) {
    if (tensor->dims[d] == 1) continue;
    if (count == 1) {
      stride = tensor->strides[d];
    } else if (tensor->strides[d] != stride * count) {
      return false;
    }
    count *= tensor->dims[d];
  }
  if (count == 1) stride = tensor->dims[last];
  *out_rows = *tensor;
  out_rows->rank = 4;
  const int64_t dims[] = {1, 1, count, tensor->dims[last]};
  const int64_t strides[] = {stride * count, stride * count, stride, 1};
  memcpy(out_rows->dims, dims, sizeof dims);
  memcpy(out_rows->strides, strides, sizeof strides);
  return true;
}

/* A depthwise convolution of one tap. */
static armnn_status_t make_affine(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                  armnn_i_acc_op_t** out_op) {
  const ir_node_t* node = step->node;
  const int64_t channels = step->out.dims[step->out.rank - 1];
  armnn_i_acc_convolution_t what = {
      .weights = {node->affine.scale, 1, channels, channels, 1},
      .bias = node->affine.shift,
      .kernel_y = 1,
      .kernel_x = 1,
      .stride_y = 1,
      .stride_x = 1,
      .dilation_y = 1,
      .dilation_x = 1,
      .groups = channels,
      .epilogue = epilogue_of(step),
  };
  bool images = as_rows(&step->in[0], &what.input) && as_rows(&step->out, &what.output);
  if (what.epilogue.has_residual) {
    images = images && as_rows(&step->residual, &what.epilogue.residual);
  }
  if (!images && step->out.rank == 4) {
    what.input = step->in[0];
    what.output = step->out;
    what.epilogue = epilogue_of(step);
  } else if (!images) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  return armnn_i_acc_make_depthwise(maker, &what, out_op);
}

static armnn_status_t make_pooling(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                   armnn_i_acc_op_t** out_op) {
  const ir_node_t* node = step->node;
  const armnn_i_acc_pooling_t what = {
      .input = step->in[0],
      .output = step->out,
      .method = node->pooling.method,
      .kernel_y = node->pooling.kernel_y,
      .kernel_x = node->pooling.kernel_x,
      .stride_y = node->pooling.stride_y,
      .stride_x = node->pooling.stride_x,
      .dilation_y = node->pooling.dilation_y,
      .dilation_x = node->pooling.dilation_x,
      .pad_top = node->pooling.pad_top,
      .pad_left = node->pooling.pad_left,
      .pad_bottom = node->pooling.pad_bottom,
      .pad_right = node->pooling.pad_right,
      .count_padding = node->pooling.count_padding,
      .epilogue = epilogue_of(step),
  };
  return armnn_i_acc_make_pooling(maker, &what, out_op);
}

static armnn_status_t make_matmul(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                  armnn_i_acc_op_t** out_op) {
  const ir_node_t* node = step->node;
  const armnn_i_acc_matmul_t what = {
      .left = step->in[0],
      .right = step->in[1],
      .output = step->out,
      .transpose_left = node->matmul.transpose_left,
      .transpose_right = node->matmul.transpose_right,
      .bias = node->matmul.bias,
      .epilogue = epilogue_of(step),
  };
  return armnn_i_acc_make_matmul(maker, &what, out_op);
}

static armnn_status_t make_binary(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                  armnn_i_acc_op_t** out_op) {
  const ir_node_t* node = step->node;
  const armnn_i_acc_binary_t what = {
      .left = step->in[0],
      .right = step->in[1],
      .output = step->out,
      .operation = node->binary.operation,
      .epilogue = epilogue_of(step),
  };
  return armnn_i_acc_make_binary(maker, &what, out_op);
}

static armnn_status_t make_reduce(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                  armnn_i_acc_op_t** out_op) {
  const ir_node_t* node = step->node;
  const armnn_i_acc_reduce_t what = {
      .input = step->in[0],
      .output = step->out,
      .operation = node->reduce.operation,
      .axis_mask = node->reduce.axis_mask,
      .epilogue = epilogue_of(step),
  };
  return armnn_i_acc_make_reduce(maker, &what, out_op);
}

static armnn_status_t make_resize(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                  armnn_i_acc_op_t** out_op) {
  const ir_node_t* node = step->node;
  const armnn_i_acc_resize_t what = {
      .input = step->in[0],
      .output = step->out,
      .method = node->resize.method,
      .align_corners = node->resize.align_corners,
      .half_pixel_centers = node->resize.half_pixel_centers,
  };
  return armnn_i_acc_make_resize(maker, &what, out_op);
}

static armnn_status_t make_normalize(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                     armnn_i_acc_op_t** out_op) {
  const ir_node_t* node = step->node;
  const armnn_i_acc_normalize_t what = {
      .input = step->in[0],
      .output = step->out,
      .kind = node->normalize.kind,
      .axis_mask = node->normalize.axis_mask,
      .scale_axis = node->normalize.scale_axis,
      .eps = node->normalize.eps,
      .gamma = node->normalize.gamma,
      .beta = node->normalize.beta,
  };
  return armnn_i_acc_make_normalize(maker, &what, out_op);
}

static armnn_status_t make_pad(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                               armnn_i_acc_op_t** out_op) {
  const ir_node_t* node = step->node;
  armnn_i_acc_pad_t what = {
      .input = step->in[0],
      .output = step->out,
      .mode = node->pad.mode,
      .value = node->pad.value,
  };
  memcpy(what.before, node->pad.before, sizeof what.before);
  return armnn_i_acc_make_pad(maker, &what, out_op);
}

static armnn_status_t make_node(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                armnn_i_acc_op_t** out_op) {
  const ir_node_t* node = step->node;
  switch (node->kind) {
    case IR_CONVOLUTION:
    case IR_DEPTHWISE:
    case IR_TRANSPOSE_CONVOLUTION:
      return make_window(maker, step, out_op);
    case IR_AFFINE:
      return make_affine(maker, step, out_op);
    case IR_POOLING:
      return make_pooling(maker, step, out_op);
    case IR_MATMUL:
      return make_matmul(maker, step, out_op);
    case IR_RESIZE:
      return make_resize(maker, step, out_op);
    case IR_UNARY:
      return armnn_i_acc_make_unary(maker, &step->in[0], &step->out, node->function, node->a,
                                    node->b, out_op);
    case IR_BINARY:
      return make_binary(maker, step, out_op);
    case IR_SOFTMAX:
      return armnn_i_acc_make_softmax(maker, &step->in[0], &step->out, node->softmax.axis,
                                      node->softmax.beta, node->softmax.logarithm, out_op);
    case IR_REDUCE:
      return make_reduce(maker, step, out_op);
    case IR_NORMALIZE:
      return make_normalize(maker, step, out_op);
    case IR_PAD:
      return make_pad(maker, step, out_op);
    default:
      return ARMNN_STATUS_UNSUPPORTED;
  }
}

armnn_status_t armnn_i_acc_lower(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                 armnn_i_acc_op_t** out_op) {
  *out_op = NULL;
  switch (step->action) {
    case IR_ACT_COPY:
      return armnn_i_acc_make_copy(maker, &step->in[0], &step->out, step->order, out_op);
    case IR_ACT_FUNCTION:
      return armnn_i_acc_make_unary(maker, &step->in[0], &step->out, step->node->function,
                                    step->node->a, step->node->b, out_op);
    case IR_ACT_ADD: {
      const armnn_i_acc_binary_t what = {
          .left = step->in[0],
          .right = step->in[1],
          .output = step->out,
          .operation = ARMNN_BINARY_ADD,
      };
      return armnn_i_acc_make_binary(maker, &what, out_op);
    }
    default:
      return make_node(maker, step, out_op);
  }
}
