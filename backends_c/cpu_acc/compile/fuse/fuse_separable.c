/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_separable.c - depthwise convolutions and the 1x1 convolutions around them become one node:
 * the blocks of MobileNets. Where all three are not worth it, two of them may be.
 */
#include "compile/plan/lower.h"

/* The nodes of a block; |expand| and |project|: or null. */
typedef struct separable_t {
  const ir_node_t *expand, *depthwise, *project;
} separable_t;

/* Whether |node| is a 1x1 convolution of every pixel. */
static bool is_pointwise(const ir_graph_t* graph, const ir_node_t* node) {
  const armnn_i_acc_convolution_t* window = &node->convolution;
  const ir_shape_t *in = ir_shape(graph, node->inputs[0]), *out = ir_shape(graph, node->output);
  return node->kind == IR_CONVOLUTION && window->groups == 1 && window->kernel_y == 1 &&
         window->kernel_x == 1 && window->stride_y == 1 && window->stride_x == 1 &&
         window->pad_top == 0 && window->pad_left == 0 && in->dims[1] == out->dims[1] &&
         in->dims[2] == out->dims[2] && ir_is_float32(graph, node->inputs[0]) &&
         ir_is_float32(graph, node->output);
}

/* One output channel for each input channel. */
static bool is_depthwise(const ir_graph_t* graph, const ir_node_t* node) {
  return node->kind == IR_DEPTHWISE &&
         node->convolution.groups == ir_shape(graph, node->output)->dims[3] &&
         ir_is_float32(graph, node->inputs[0]) && ir_is_float32(graph, node->output);
}

/* The 1x1 convolution that alone reads what |node| makes, or null. */
static ir_node_t* projection_of(const ir_graph_t* graph, const ir_node_t* node) {
  const ir_value_t* made = graph->values[node->output];
  if (made->uses != 1 || made->output != IR_NONE || node->residual != IR_NONE) return NULL;
  ir_node_t* next = graph->nodes[made->user];
  if (!is_pointwise(graph, next) || next->inputs[0] != node->output) return NULL;
  return next;
}

/* The 1x1 convolution whose output |node| alone reads, or null. */
static ir_node_t* expansion_of(const ir_graph_t* graph, const ir_node_t* node) {
  ir_node_t* before = armnn_i_acc_source_of(graph, node->inputs[0], IR_CONVOLUTION, 1);
  if (before == NULL || !is_pointwise(graph, before) || before->residual != IR_NONE) return NULL;
  return before;
}

/* The description that outlives the node's own. */
static const armnn_i_acc_convolution_t* kept(ir_graph_t* graph, const ir_node_t* node) {
  if (node == NULL) return NULL;
  armnn_i_acc_convolution_t* copy = armnn_i_acc_pool(graph, sizeof *copy);
  *copy = node->convolution;
  copy->stored = armnn_i_acc_stored_of(graph->maker, &copy->weights);
  copy->epilogue = (armnn_i_acc_epilogue_t){.function = node->function, .a = node->a, .b = node->b};
  return copy;
}

static armnn_i_acc_tensor_t image_of(const ir_graph_t* graph, uint32_t value) {
  const ir_shape_t* shape = ir_shape(graph, value);
  armnn_i_acc_tensor_t image = {.element = ARMNN_ACC_FLOAT32, .rank = shape->rank};
  for (uint32_t d = 0; d < shape->rank; ++d) image.dims[d] = shape->dims[d];
  return image;
}

/* Makes one node of the block, if it should be one. */
static bool join(ir_graph_t* graph, const separable_t* block) {
  const ir_node_t* first = block->expand != NULL ? block->expand : block->depthwise;
  const ir_node_t* end = block->project != NULL ? block->project : block->depthwise;
  const armnn_i_acc_separable_t what = {
      .input = image_of(graph, first->inputs[0]),
      .output = image_of(graph, end->output),
      .expand = block->expand != NULL ? &block->expand->convolution : NULL,
      .depthwise = &block->depthwise->convolution,
      .project = block->project != NULL ? &block->project->convolution : NULL,
  };
  if (!armnn_i_acc_choose_separable(graph->maker, &what)) return false;
  const armnn_i_acc_separable_t own = {
      .expand = kept(graph, block->expand),
      .depthwise = kept(graph, block->depthwise),
      .project = kept(graph, block->project),
  };
  const uint32_t n = graph->values[end->output]->producer, input = first->inputs[0];
  ir_node_t* node = graph->nodes[n];
  const ir_node_t* parts[] = {block->expand, block->depthwise};
  for (uint32_t i = 0; i < 2; ++i) {
    if (parts[i] != NULL && parts[i] != node) armnn_i_acc_adopt_layers(graph, node, parts[i]);
  }
  node->kind = IR_SEPARABLE;
  node->separable = own;
  armnn_i_acc_read_alone(graph, n, input);
  return true;
}

void armnn_i_acc_fuse_separable(ir_graph_t* graph) {
  if (graph->maker->separable == ARMNN_ACC_OFF) return;
  armnn_i_acc_count_uses(graph);
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    const ir_node_t* node = graph->nodes[n];
    if (!is_depthwise(graph, node)) continue;
    const ir_node_t* expand = expansion_of(graph, node);
    const ir_node_t* project = projection_of(graph, node);
    const separable_t blocks[] = {
        {expand, node, project}, {expand, node, NULL}, {NULL, node, project}};
    for (uint32_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i) {
      if ((i != 2 && expand == NULL) || (i != 1 && project == NULL)) continue;
      if (join(graph, &blocks[i])) break;
    }
  }
}
