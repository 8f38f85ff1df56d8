/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse.c - nodes swallow the only reader of their output: scales and shifts go into the weights of
 * products, functions and one sum with another tensor into the epilogue; padding goes into the
 * window behind it.
 *
 * The fused node takes the position of the reader: all its inputs have been computed by then.
 */
#include <math.h>
#include <string.h>

#include "compile/ir.h"

/* ---- Scales and shifts --------------------------------------------------------------------- */

/* Steps whose constants together are too large for float32 stay apart: each may be finite. */
static bool are_finite(const float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!isfinite(values[i])) return false;
  }
  return true;
}

static float* bias_of(ir_graph_t* graph, const float* bias, int64_t count) {
  float* values = armnn_i_acc_pool(graph, (uint64_t)count * sizeof *values);
  if (bias != NULL) memcpy(values, bias, (size_t)count * sizeof *values);
  return values;
}

bool armnn_i_acc_scale_channels(ir_graph_t* graph, int64_t count, const float* scale,
                                const float* shift, int64_t step, const float** scales,
                                const float** shifts) {
  float* more = bias_of(graph, *scales, count);
  float* further = bias_of(graph, *shifts, count);
  for (int64_t c = 0; c < count; ++c) {
    more[c] *= scale[c * step];
    further[c] = further[c] * scale[c * step] + shift[c * step];
  }
  if (!are_finite(more, count) || !are_finite(further, count)) return false;
  *scales = more;
  *shifts = further;
  return true;
}

/* |count| floats at |weights| are those of |name| times |scales|. */
static void name_scales(ir_graph_t* graph, armnn_i_acc_name_t* name, const float* weights,
                        uint64_t count, const float* scales, uint64_t scale_count) {
  armnn_i_acc_name_values(name, graph->maker, scales, scale_count * sizeof *scales);
  armnn_i_acc_add_origin(&graph->origins, weights, count * sizeof *weights, name);
}

/* Weights of so many numbers keep their values: several products may read them, in this sub-graph
 * or in others, and each scale of its own would be one more copy and pack. */
#define LEAST_KEPT 65536

/* |scale| and |shift| have |step| 1, or 0 for one value for all. */
static bool scale_convolution(ir_graph_t* graph, ir_node_t* node, int64_t outputs,
                              const float* scale, const float* shift, int64_t step) {
  armnn_i_acc_convolution_t* window = &node->convolution;
  const int64_t inputs = ir_shape(graph, node->inputs[0])->dims[3] / window->groups;
  const int64_t taps = window->kernel_y * window->kernel_x;
  float* weights = armnn_i_acc_pool(graph, (uint64_t)(outputs * taps * inputs) * sizeof *weights);
  const int64_t* strides = window->weights.strides;
  float* to = weights;
  for (int64_t o = 0; o < outputs; ++o) {
    const float factor = scale[o * step];
    for (int64_t y = 0; y < window->kernel_y; ++y) {
      for (int64_t x = 0; x < window->kernel_x; ++x) {
        const char* tap =
            (const char*)window->weights.values + o * strides[0] + y * strides[1] + x * strides[2];
        for (int64_t i = 0; i < inputs; ++i) {
          *to++ = *(const float*)(const void*)(tap + i * strides[3]) * factor;
        }
      }
    }
  }
  float* bias = bias_of(graph, window->bias, outputs);
  for (int64_t o = 0; o < outputs; ++o) bias[o] = bias[o] * scale[o * step] + shift[o * step];
  if (!are_finite(weights, to - weights) || !are_finite(bias, outputs)) return false;
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_SCALED, IR_CONVOLUTION, (uint64_t)step);
  armnn_i_acc_name_tensor(&name, graph->maker, &window->weights);
  name_scales(graph, &name, weights, (uint64_t)(outputs * taps * inputs), scale,
              step == 0 ? 1 : (uint64_t)outputs);
  window->weights =
      armnn_i_acc_dense_weights(weights, outputs, window->kernel_y, window->kernel_x, inputs);
  window->bias = bias;
  return true;
}

/* False if the weights are computed by the network, or too many. */
static bool scale_matmul(ir_graph_t* graph, ir_node_t* node, int64_t outputs, const float* scale,
                         const float* shift, int64_t step) {
  const ir_value_t* right = graph->values[node->inputs[1]];
  const ir_shape_t shape = right->shape;
  const float* values = right->constant;
  const int64_t count = ir_count(&shape);
  if (values == NULL || count >= LEAST_KEPT) return false;
  const int64_t columns = shape.dims[shape.rank - 1];
  float* weights = armnn_i_acc_pool(graph, (uint64_t)count * sizeof *weights);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t o = node->matmul.transpose_right ? i / columns % outputs : i % columns;
    weights[i] = values[i] * scale[o * step];
  }
  float* bias = bias_of(graph, node->matmul.bias, outputs);
  for (int64_t o = 0; o < outputs; ++o) bias[o] = bias[o] * scale[o * step] + shift[o * step];
  if (!are_finite(weights, count) || !are_finite(bias, outputs)) return false;
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_SCALED, IR_MATMUL, (uint64_t)step, (uint64_t)outputs,
                 (uint64_t)columns, node->matmul.transpose_right);
  armnn_i_acc_name_weights(&name, graph->maker, values);
  name_scales(graph, &name, weights, (uint64_t)count, scale, step == 0 ? 1 : (uint64_t)outputs);
  node->inputs[1] = armnn_i_acc_constant(graph, right->element, &shape, weights);
  node->matmul.bias = bias;
  return true;
}

/* One step rounds products with an earlier shift, which several steps may have added exactly: 30
 * times 2 * x + 1 is -1 for -1, but 2^30 * x + (2^30 - 1) is 0. The optimizer has joined steps up
 * to a larger factor before, so this one is small. */
#define MOST_AMPLIFIED 16.0f

bool armnn_i_acc_try_amplify(ir_node_t* node, bool shifts, const float* scale, const float* shift,
                             int64_t count) {
  float factor = 0.0f;
  bool adds = false;
  for (int64_t c = 0; c < count; ++c) {
    factor = fmaxf(factor, fabsf(scale[c]));
    adds |= shift[c] != 0.0f;
  }
  const float own = shifts ? fmaxf(node->amplified, 1.0f) : node->amplified;
  if (own * factor > MOST_AMPLIFIED) return false;
  node->amplified = adds ? fmaxf(own * factor, 1.0f) : own * factor;
  return true;
}

/* Whether an affine node adds anything; the bias of a product does not count. */
static bool adds_shift(const ir_node_t* node, int64_t outputs) {
  for (int64_t c = 0; node->kind == IR_AFFINE && c < outputs; ++c) {
    if (node->affine.shift[c] != 0.0f) return true;
  }
  return false;
}

/* Makes a scale and a shift part of the node; false if they stay behind it. */
static bool scale_node(ir_graph_t* graph, ir_node_t* node, const float* scale, const float* shift,
                       int64_t step) {
  const ir_shape_t* out = ir_shape(graph, node->output);
  const int64_t outputs = out->dims[out->rank - 1];
  if (!armnn_i_acc_try_amplify(node, adds_shift(node, outputs), scale, shift,
                               step == 0 ? 1 : outputs)) {
    return false;
  }
  if (node->kind == IR_INTEGER_PRODUCT) {
    return armnn_i_acc_scale_channels(graph, outputs, scale, shift, step,
                                      &node->integer_product.scales, &node->integer_product.shifts);
  }
  if (node->kind == IR_BLOCK_PRODUCT) {
    return armnn_i_acc_scale_channels(graph, outputs, scale, shift, step,
                                      &node->block_product.scales, &node->block_product.shifts);
  }
  if (node->kind == IR_MATMUL) return scale_matmul(graph, node, outputs, scale, shift, step);
  if (node->kind != IR_AFFINE) {
    if (armnn_i_acc_count(&node->convolution.weights) >= LEAST_KEPT) return false;
    return scale_convolution(graph, node, outputs, scale, shift, step);
  }
  return armnn_i_acc_scale_channels(graph, outputs, scale, shift, step, &node->affine.scale,
                                    &node->affine.shift);
}

/* ---- Functions ----------------------------------------------------------------------------- */

static float clamped(float value, float low, float high) {
  value = value < low ? low : value;
  return value > high ? high : value;
}

/* Joins the node's function and |next|, with |a| and |b|, behind it; false if no function is both.
 */
static bool join_functions(ir_node_t* node, int32_t next, float a, float b) {
  if (node->function == ARMNN_ACC_IDENTITY) {
    node->function = next;
    node->a = a;
    node->b = b;
    return true;
  }
  if (node->function == ARMNN_ACC_CLAMP && next == ARMNN_ACC_CLAMP) {
    node->a = clamped(node->a, a, b);
    node->b = clamped(node->b, a, b);
    return true;
  }
  if (next == ARMNN_ACC_LINEAR &&
      (node->function == ARMNN_ACC_LINEAR || node->function == ARMNN_ACC_HARD_SWISH) &&
      isfinite(node->a * a) && isfinite(node->b * a + b) &&
      armnn_i_acc_try_amplify(node, node->b != 0.0f, &a, &b, 1)) {
    node->a *= a;
    node->b = node->b * a + b;
    return true;
  }
  if ((node->function == ARMNN_ACC_GELU || node->function == ARMNN_ACC_GELU_TANH) &&
      next == ARMNN_ACC_LINEAR && b == 0.0f && isfinite(node->a * a)) {
    node->a *= a;
    return true;
  }
  if (node->function == ARMNN_ACC_LINEAR && next == ARMNN_ACC_CLAMP && a == 0.0f && b == 1.0f) {
    node->function = ARMNN_ACC_HARD_SIGMOID;
    return true;
  }
  return false;
}

/* A positive scale and a shift behind a clamp go before it: its bounds are scaled and shifted. */
static bool scale_clamped(ir_graph_t* graph, ir_node_t* node, float scale, float shift) {
  if (node->function != ARMNN_ACC_CLAMP || !(scale > 0.0f) || !isnormal(scale)) return false;
  if (!scale_node(graph, node, &scale, &shift, 0)) return false;
  node->a = node->a * scale + shift;
  node->b = node->b * scale + shift;
  return true;
}

static bool swallow_function(ir_graph_t* graph, ir_node_t* node, const ir_node_t* next) {
  if (!ir_has(node, IR_TAKES_FUNCTION)) return false;
  if (node->residual != IR_NONE && node->residual_last) {
    if (node->function != ARMNN_ACC_IDENTITY) return false;
    node->residual_last = false;
  }
  if (ir_has(node, IR_PRODUCT) && node->residual == IR_NONE && next->function == ARMNN_ACC_LINEAR) {
    if (node->function == ARMNN_ACC_IDENTITY && scale_node(graph, node, &next->a, &next->b, 0)) {
      return true;
    }
    if (scale_clamped(graph, node, next->a, next->b)) return true;
  }
  return join_functions(node, next->function, next->a, next->b);
}

/* ---- Sums with another tensor -------------------------------------------------------------- */

static bool swallow_sum(ir_graph_t* graph, ir_node_t* node, const ir_node_t* next) {
  if (!ir_has(node, IR_PRODUCT) || node->residual != IR_NONE ||
      next->binary.operation != ARMNN_BINARY_ADD) {
    return false;
  }
  const uint32_t other = next->inputs[next->inputs[0] == node->output ? 1 : 0];
  const ir_value_t* value = graph->values[other];
  if (other == node->output || value->constant != NULL ||
      !ir_same_shape(&value->shape, ir_shape(graph, node->output)) ||
      !ir_same_shape(&value->shape, ir_shape(graph, next->output))) {
    return false;
  }
  node->residual = other;
  node->residual_last = node->function != ARMNN_ACC_IDENTITY;
  if (next->function == ARMNN_ACC_IDENTITY) return true;
  if (node->residual_last) { /* the sum has a function of its own: two are too many */
    node->residual = IR_NONE;
    return false;
  }
  node->function = next->function;
  node->a = next->a;
  node->b = next->b;
  return true;
}

static bool is_epilogue(const ir_node_t* next) {
  return next->kind == IR_UNARY || next->kind == IR_AFFINE || next->kind == IR_BINARY;
}

static bool swallow(ir_graph_t* graph, ir_node_t* node, const ir_node_t* next) {
  switch (next->kind) {
    case IR_UNARY:
      return swallow_function(graph, node, next);
    case IR_AFFINE:
      return ir_has(node, IR_PRODUCT) && node->function == ARMNN_ACC_IDENTITY &&
             node->residual == IR_NONE && next->function == ARMNN_ACC_IDENTITY &&
             next->residual == IR_NONE &&
             scale_node(graph, node, next->affine.scale, next->affine.shift, 1);
    case IR_BINARY:
      return swallow_sum(graph, node, next);
    default:
      return false;
  }
}

/* ---- Padding ------------------------------------------------------------------------------- */

static bool pads_images(const ir_graph_t* graph, const ir_node_t* pad) {
  return ir_shape(graph, pad->output)->rank == 4 && pad->pad.before[0] == 0 &&
         pad->pad.after[0] == 0 && pad->pad.before[3] == 0 && pad->pad.after[3] == 0;
}

/* Whether each of |outputs| windows has a tap inside the image; the first begins at -|before|. */
static bool all_see(int64_t image, int64_t outputs, int64_t kernel, int64_t stride,
                    int64_t dilation, int64_t before) {
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t start = o * stride - before;
    const int64_t inside =
        start < 0 ? start + (-start + dilation - 1) / dilation * dilation : start;
    if (inside >= image || inside > start + (kernel - 1) * dilation) return false;
  }
  return true;
}

/* Whether each window sees a pixel of the image. One that sees only padding of its own gives zero,
 * one that sees only a Pad layer's border gives the border. */
static bool windows_see(const ir_graph_t* graph, const ir_node_t* node, const ir_node_t* pad) {
  const ir_shape_t *in = ir_shape(graph, pad->inputs[0]), *out = ir_shape(graph, node->output);
  return all_see(in->dims[1], out->dims[1], node->pooling.kernel_y, node->pooling.stride_y,
                 node->pooling.dilation_y, node->pooling.pad_top + pad->pad.before[1]) &&
         all_see(in->dims[2], out->dims[2], node->pooling.kernel_x, node->pooling.stride_x,
                 node->pooling.dilation_x, node->pooling.pad_left + pad->pad.before[2]);
}

/* Makes the window at |n| read the input of the Pad layer, and pad it itself. */
static bool swallow_padding(ir_graph_t* graph, uint32_t n) {
  ir_node_t* node = graph->nodes[n];
  const uint32_t producer = graph->values[node->inputs[0]]->producer;
  if (producer == IR_NONE || graph->nodes[producer]->kind != IR_PAD) return false;
  const ir_node_t* pad = graph->nodes[producer];
  if (!pads_images(graph, pad)) return false;
  const bool zeros = pad->pad.mode == ARMNN_PAD_CONSTANT && pad->pad.value == 0.0f;
  if (node->kind == IR_CONVOLUTION || node->kind == IR_DEPTHWISE) {
    if (!zeros) return false;
    node->convolution.pad_top += pad->pad.before[1];
    node->convolution.pad_left += pad->pad.before[2];
  } else if (node->kind == IR_POOLING) {
    const bool own = node->pooling.pad_top != 0 || node->pooling.pad_left != 0 ||
                     node->pooling.pad_bottom != 0 || node->pooling.pad_right != 0;
    if (node->pooling.method == ARMNN_POOLING_MAX) {
      /* Padding of minus infinity is never the maximum. Neither does a border change it that
       * repeats a pixel which each window over the border sees, too. */
      const bool lowest = pad->pad.mode == ARMNN_PAD_CONSTANT && pad->pad.value == -INFINITY;
      const bool repeats = pad->pad.mode == ARMNN_PAD_SYMMETRIC && pad->pad.before[1] <= 1 &&
                           pad->pad.after[1] <= 1 && pad->pad.before[2] <= 1 &&
                           pad->pad.after[2] <= 1 && !own && node->pooling.dilation_y == 1 &&
                           node->pooling.dilation_x == 1 && node->pooling.kernel_y > 1 &&
                           node->pooling.kernel_x > 1;
      if (!(lowest || repeats) || !windows_see(graph, node, pad)) return false;
    } else if (!zeros || (own && !node->pooling.count_padding)) {
      return false;
    }
    if (node->pooling.method != ARMNN_POOLING_MAX) node->pooling.count_padding = true;
    node->pooling.pad_top += pad->pad.before[1];
    node->pooling.pad_bottom += pad->pad.after[1];
    node->pooling.pad_left += pad->pad.before[2];
    node->pooling.pad_right += pad->pad.after[2];
  } else {
    return false;
  }
  armnn_i_acc_adopt_layers(graph, node, pad);
  armnn_i_acc_read_alone(graph, n, pad->inputs[0]);
  return true;
}

/* ---- The pass ------------------------------------------------------------------------------ */

void armnn_i_acc_fuse(ir_graph_t* graph) {
  armnn_i_acc_count_uses(graph);
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    ir_node_t* node = graph->nodes[n];
    if (node->kind == IR_DEAD) continue;
    while (swallow_padding(graph, n)) continue;
    const ir_value_t* between = graph->values[node->output];
    if (between->uses != 1 || between->output != IR_NONE) continue;
    const uint32_t user = between->user;
    const ir_node_t* next = graph->nodes[user];
    if (!is_epilogue(next) || next->residual == node->output) continue;
    armnn_i_acc_forget_reads(graph, n);
    armnn_i_acc_forget_reads(graph, user);
    if (swallow(graph, node, next)) {
      armnn_i_acc_take_place(graph, n, user);
    } else {
      armnn_i_acc_note_reads(graph, n);
      armnn_i_acc_note_reads(graph, user);
    }
  }
}
