/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_blocks.c - weights that are quantised in blocks: constants that become real numbers, and
 * products that read them as they are stored.
 */
#include "compile/ir.h"

static const void* data_of(ir_graph_t* graph, uint32_t index, const char* what) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_const_tensor_t* constant = layer->constants == NULL ? NULL : layer->constants[index];
  if (constant == NULL) armnn_i_acc_refuse(graph, NULL, "%s are not constant", what);
  const armnn_tensor_info_t* info = constant->info;
  const uint64_t bits = info->element_count * armnn_data_type_bits(info->data_type);
  if (constant->size < (bits + 7) / 8) {
    armnn_i_acc_refuse(graph, NULL, "constant input %u has too few bytes", index);
  }
  return constant->data;
}

/* Levels may be less than a byte, which no value of the graph is: the node has them as they are. */
void armnn_i_acc_read_dequantize_blocks(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_dequantize_blocks_descriptor_t* d = (const void*)layer->descriptor;
  const ir_shape_t shape = armnn_i_acc_shape_of(layer->input_infos[0]);
  const int32_t rank = (int32_t)shape.rank;
  const uint32_t axis = (uint32_t)(d->axis < 0 ? d->axis + rank : d->axis);
  armnn_i_acc_blocks_t blocks = {
      .type = layer->input_infos[0]->data_type,
      .levels = data_of(graph, 0, "the levels"),
      .scales = data_of(graph, 1, "the scales"),
      .outer = 1,
      .size = shape.dims[axis],
      .inner = 1,
      .block = d->block_size,
  };
  if (armnn_i_acc_has_input(graph, 2)) blocks.zero_points = data_of(graph, 2, "the zero points");
  for (uint32_t i = 0; i < axis; ++i) blocks.outer *= shape.dims[i];
  for (uint32_t i = axis + 1; i < shape.rank; ++i) blocks.inner *= shape.dims[i];
  const ir_alias_t scales = armnn_i_acc_input(graph, 1);
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_DEQUANTIZE_BLOCKS, scales.value, &shape);
  node->dequantize_blocks.blocks = blocks;
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_alias(graph, node->output));
}

/* The node that makes the weights of |product|, if they are one matrix in the order of its levels:
 * blocks run along the sum. */
static const ir_node_t* weights_of(const ir_graph_t* graph, const ir_node_t* product) {
  const ir_shape_t* shape = ir_shape(graph, product->inputs[1]);
  const ir_node_t* node = NULL;
  uint32_t value = product->inputs[1];
  do {
    const uint32_t producer = graph->values[value]->producer;
    if (producer == IR_NONE) return NULL;
    node = graph->nodes[producer];
    value = node->inputs[0];
  } while (node->kind == IR_RESHAPE);
  if (node->kind != IR_DEQUANTIZE_BLOCKS) return NULL;
  const armnn_i_acc_blocks_t* blocks = &node->dequantize_blocks.blocks;
  const int64_t rows = shape->dims[shape->rank - 2], columns = shape->dims[shape->rank - 1];
  if (ir_count(shape) != rows * columns) return NULL;
  const bool fits = product->matmul.transpose_right
                        ? blocks->inner == 1 && blocks->size == columns && blocks->outer == rows
                        : blocks->outer == 1 && blocks->size == rows && blocks->inner == columns;
  return fits ? node : NULL;
}

void armnn_i_acc_fuse_blocks(ir_graph_t* graph) {
  armnn_i_acc_count_uses(graph);
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    ir_node_t* node = graph->nodes[n];
    if (node->kind != IR_MATMUL || node->matmul.transpose_left) continue;
    const ir_node_t* weights = weights_of(graph, node);
    if (weights == NULL) continue;
    const armnn_i_acc_blocks_t blocks = weights->dequantize_blocks.blocks;
    const int64_t channels = blocks.outer * blocks.inner;
    float* scales = armnn_i_acc_pool(graph, (uint64_t)channels * sizeof *scales);
    float* shifts = armnn_i_acc_pool(graph, (uint64_t)channels * sizeof *shifts);
    for (int64_t c = 0; c < channels; ++c) {
      scales[c] = 1.0f;
      if (node->matmul.bias != NULL) shifts[c] = node->matmul.bias[c];
    }
    const armnn_i_acc_block_product_t product = {
        .weights = blocks, .scales = scales, .shifts = shifts};
    armnn_i_acc_adopt_layers(graph, node, weights);
    node->kind = IR_BLOCK_PRODUCT;
    node->block_product = product;
    armnn_i_acc_read_alone(graph, n, node->inputs[0]);
  }
}
