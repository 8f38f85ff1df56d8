/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_blocks.c - moves by way of more dimensions: blocks of the batch, groups of channels, and
 * dimensions in reverse.
 */
#include <string.h>

#include "compile/ir.h"

/* The dimensions of a tensor whose spatial ones are cut in blocks: [.., side / block, block, ..],
 * and with the blocks before the batch. */
typedef struct blocks_t {
  ir_shape_t apart;           /* on the image's side */
  ir_shape_t front;           /* on the batch's side: [blocks.., N, ..] */
  uint32_t to_front[IR_DIMS]; /* dimension i of |front| is dimension to_front[i] of |apart| */
} blocks_t;

/* |image|: with padding, or before it is cropped. */
static blocks_t blocks_of(const ir_shape_t* image, const uint32_t* block, uint32_t count,
                          int32_t layout) {
  const bool channels_first = layout == ARMNN_DATA_LAYOUT_NCHW || layout == ARMNN_DATA_LAYOUT_NCDHW;
  const uint32_t first = channels_first ? 2 : 1;
  blocks_t blocks = {.apart = {.rank = 0}, .front = {.rank = image->rank + count}};
  uint32_t place = 0, rest = count;
  for (uint32_t d = 0; d < image->rank; ++d) {
    const bool is_cut = d >= first && d < first + count;
    blocks.to_front[rest++] = blocks.apart.rank;
    blocks.apart.dims[blocks.apart.rank++] =
        is_cut ? image->dims[d] / block[d - first] : image->dims[d];
    if (!is_cut) continue;
    blocks.to_front[place++] = blocks.apart.rank;
    blocks.apart.dims[blocks.apart.rank++] = block[d - first];
  }
  for (uint32_t i = 0; i < blocks.front.rank; ++i) {
    blocks.front.dims[i] = blocks.apart.dims[blocks.to_front[i]];
  }
  return blocks;
}

/* What means 0 in the input. */
static float zero_of(const armnn_tensor_info_t* info) {
  return armnn_data_type_is_quantized(info->data_type) && info->quantization_count > 0
             ? (float)info->zero_points[0]
             : 0.0f;
}

void armnn_i_acc_read_space_to_batch(ir_graph_t* graph) {
  const armnn_space_to_batch_nd_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const bool channels_first =
      d->data_layout == ARMNN_DATA_LAYOUT_NCHW || d->data_layout == ARMNN_DATA_LAYOUT_NCDHW;
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  int64_t before[IR_DIMS] = {0}, after[IR_DIMS] = {0};
  for (uint32_t i = 0; i < d->block_rank; ++i) {
    before[(channels_first ? 2 : 1) + i] = d->pad_before[i];
    after[(channels_first ? 2 : 1) + i] = d->pad_after[i];
  }
  const ir_alias_t image = armnn_i_acc_padded(graph, &input, before, after, ARMNN_PAD_CONSTANT,
                                              zero_of(ir_layer(graph)->input_infos[0]));
  const ir_shape_t shape = armnn_i_acc_logical(graph, &image);
  const blocks_t blocks = blocks_of(&shape, d->block_shape, d->block_rank, d->data_layout);
  const ir_alias_t apart = armnn_i_acc_reshaped(graph, &image, &blocks.apart);
  const ir_alias_t front =
      armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &apart, blocks.to_front));
  const ir_shape_t out = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &front, &out));
}

void armnn_i_acc_read_batch_to_space(ir_graph_t* graph) {
  const armnn_batch_to_space_nd_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const bool channels_first =
      d->data_layout == ARMNN_DATA_LAYOUT_NCHW || d->data_layout == ARMNN_DATA_LAYOUT_NCDHW;
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t out = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  ir_shape_t image = armnn_i_acc_logical(graph, &input);
  int64_t crop[IR_DIMS] = {0};
  for (uint32_t i = 0; i < d->block_rank; ++i) {
    image.dims[0] /= d->block_shape[i];
    image.dims[(channels_first ? 2 : 1) + i] *= d->block_shape[i];
    crop[(channels_first ? 2 : 1) + i] = d->crop_before[i];
  }
  const blocks_t blocks = blocks_of(&image, d->block_shape, d->block_rank, d->data_layout);
  uint32_t back[IR_DIMS];
  for (uint32_t i = 0; i < blocks.front.rank; ++i) back[blocks.to_front[i]] = i;
  const ir_alias_t front = armnn_i_acc_reshaped(graph, &input, &blocks.front);
  const ir_alias_t apart = armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &front, back));
  const ir_alias_t whole = armnn_i_acc_reshaped(graph, &apart, &image);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_sliced(graph, &whole, crop, NULL, out.dims));
}

void armnn_i_acc_read_channel_shuffle(ir_graph_t* graph) {
  static const uint32_t swap[IR_DIMS] = {0, 2, 1, 3};
  const armnn_channel_shuffle_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t own = armnn_i_acc_logical(graph, &input);
  ir_shape_t groups = {4, {1, d->group_count, own.dims[d->axis] / d->group_count, 1}};
  for (uint32_t i = 0; i < d->axis; ++i) groups.dims[0] *= own.dims[i];
  for (uint32_t i = d->axis + 1; i < own.rank; ++i) groups.dims[3] *= own.dims[i];
  const ir_alias_t apart = armnn_i_acc_reshaped(graph, &input, &groups);
  const ir_alias_t swapped = armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &apart, swap));
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &swapped, &own));
}

void armnn_i_acc_read_reverse(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t own = armnn_i_acc_logical(graph, &input);
  const int32_t* axes = armnn_i_acc_constant_input(graph, 1, "the axes");
  int64_t begin[IR_DIMS] = {0}, stride[IR_DIMS];
  for (uint32_t d = 0; d < own.rank; ++d) stride[d] = 1;
  for (uint64_t i = 0; i < layer->input_infos[1]->element_count; ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + (int64_t)own.rank : axes[i];
    if (axis < 0 || axis >= (int64_t)own.rank || stride[axis] < 0) {
      armnn_i_acc_refuse(graph, NULL, "axis %d cannot be reversed", (int)axes[i]);
    }
    if (own.dims[axis] == 1) continue;
    begin[axis] = own.dims[axis] - 1;
    stride[axis] = -1;
  }
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_sliced(graph, &input, begin, stride, own.dims));
}
