/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * read_moves.c - layers that compute nothing: most of them become views.
 */
#include <string.h>

#include "compile/ir.h"

ir_alias_t armnn_i_acc_sliced(ir_graph_t* graph, const ir_alias_t* alias, const int64_t* begin,
                              const int64_t* stride, const int64_t* count) {
  ir_shape_t shape = *ir_shape(graph, alias->value);
  bool whole = true;
  for (uint32_t d = 0; d < shape.rank; ++d) {
    const uint32_t from = alias->perm[d];
    whole = whole && begin[from] == 0 && count[from] == shape.dims[d] &&
            (stride == NULL || stride[from] == 1);
    shape.dims[d] = count[from];
  }
  if (whole) return *alias;
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_SLICE, alias->value, &shape);
  for (uint32_t d = 0; d < shape.rank; ++d) {
    node->slice.begin[d] = begin[alias->perm[d]];
    node->slice.stride[d] = stride == NULL ? 1 : stride[alias->perm[d]];
  }
  ir_alias_t result = *alias;
  result.value = node->output;
  return result;
}

static void view_sizes(const armnn_view_t* view, uint32_t rank, int64_t* out_begin,
                       int64_t* out_count) {
  for (uint32_t d = 0; d < rank; ++d) {
    out_begin[d] = (int64_t)view->origin[d];
    out_count[d] = (int64_t)view->size[d];
  }
}

/* ---- Several inputs or outputs ------------------------------------------------------------- */

ir_alias_t armnn_i_acc_joined(ir_graph_t* graph, const ir_alias_t* pieces, uint32_t count,
                              const int64_t (*origins)[IR_DIMS], const ir_shape_t* logical) {
  uint32_t best = 0;
  int64_t most = -1;
  for (uint32_t i = 0; i < count; ++i) {
    const ir_value_t* value = graph->values[pieces[i].value];
    const bool computed = value->constant == NULL && value->input == IR_NONE;
    const int64_t size = computed ? ir_count(&value->shape) : 0;
    if (size > most) {
      most = size;
      best = i;
    }
  }
  ir_alias_t result = pieces[best];
  ir_shape_t shape = {.rank = logical->rank};
  for (uint32_t d = 0; d < shape.rank; ++d) shape.dims[d] = logical->dims[result.perm[d]];
  uint32_t* inputs = armnn_i_acc_pool(graph, (count + UINT64_C(1)) * sizeof *inputs);
  for (uint32_t i = 0; i < count; ++i) {
    inputs[i] = armnn_i_acc_ordered(graph, &pieces[i], result.perm);
  }
  ir_node_t* node = armnn_i_acc_node(graph, IR_CONCAT, inputs, count, &shape);
  node->concat.origins = armnn_i_acc_pool(graph, count * sizeof *node->concat.origins);
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t d = 0; d < shape.rank; ++d) {
      node->concat.origins[i][d] = origins[i][result.perm[d]];
    }
  }
  result.value = node->output;
  return result;
}

void armnn_i_acc_read_concat(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_concat_descriptor_t* d = (const void*)layer->descriptor;
  const uint32_t count = layer->input_count;
  const ir_shape_t logical = armnn_i_acc_shape_of(layer->output_infos[0]);
  ir_alias_t* pieces = armnn_i_acc_pool(graph, count * sizeof *pieces);
  int64_t (*origins)[IR_DIMS] = armnn_i_acc_pool(graph, count * sizeof *origins);
  for (uint32_t i = 0; i < count; ++i) {
    int64_t ignored[IR_DIMS];
    pieces[i] = armnn_i_acc_input(graph, i);
    view_sizes(&d->views[i], layer->output_infos[0]->rank, origins[i], ignored);
  }
  armnn_i_acc_set_output(
      graph, 0,
      armnn_i_acc_joined(graph, pieces, count, (const int64_t (*)[IR_DIMS])origins, &logical));
}

void armnn_i_acc_read_stack(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const uint32_t count = layer->input_count;
  const uint32_t axis = ((const armnn_stack_descriptor_t*)(const void*)layer->descriptor)->axis;
  const ir_shape_t logical = armnn_i_acc_shape_of(layer->output_infos[0]);
  ir_shape_t piece = logical;
  piece.dims[axis] = 1;
  ir_alias_t* pieces = armnn_i_acc_pool(graph, count * sizeof *pieces);
  int64_t (*origins)[IR_DIMS] = armnn_i_acc_pool(graph, count * sizeof *origins);
  for (uint32_t i = 0; i < count; ++i) {
    const ir_alias_t input = armnn_i_acc_input(graph, i);
    pieces[i] = armnn_i_acc_reshaped(graph, &input, &piece);
    origins[i][axis] = i;
  }
  armnn_i_acc_set_output(
      graph, 0,
      armnn_i_acc_joined(graph, pieces, count, (const int64_t (*)[IR_DIMS])origins, &logical));
}

void armnn_i_acc_read_splitter(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_splitter_descriptor_t* d = (const void*)layer->descriptor;
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  for (uint32_t i = 0; i < layer->output_count; ++i) {
    int64_t begin[IR_DIMS] = {0}, count[IR_DIMS] = {1};
    view_sizes(&d->views[i], layer->input_infos[0]->rank, begin, count);
    armnn_i_acc_set_output(graph, i, armnn_i_acc_sliced(graph, &input, begin, NULL, count));
  }
}

enum { MOST_PIECES = 64 }; /* each may become a copy of its own */

/* Pieces of one dimension, if the indices are few and constant: each run of indices that follow
 * each other is one. */
void armnn_i_acc_read_gather(ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t from = armnn_i_acc_logical(graph, &input);
  const ir_shape_t logical = armnn_i_acc_shape_of(layer->output_infos[0]);
  const int32_t given = ((const armnn_gather_descriptor_t*)(const void*)layer->descriptor)->axis;
  const uint32_t axis = (uint32_t)(given < 0 ? given + (int32_t)from.rank : given);
  const armnn_const_tensor_t* indices = layer->constants == NULL ? NULL : layer->constants[1];
  if (indices == NULL || indices->info->data_type != ARMNN_DATA_TYPE_SIGNED32 ||
      indices->info->rank != 1 || indices->info->element_count > MOST_PIECES) {
    armnn_i_acc_read_picked_along(graph, axis);
    return;
  }
  const int32_t* values = indices->data;
  const uint32_t total = (uint32_t)logical.dims[axis];
  const int64_t limit = from.dims[axis];
  ir_alias_t* pieces = armnn_i_acc_pool(graph, total * sizeof *pieces);
  int64_t (*origins)[IR_DIMS] = armnn_i_acc_pool(graph, total * sizeof *origins);
  uint32_t count = 0;
  for (uint32_t i = 0; i < total;) {
    const int64_t first = values[i] < 0 ? values[i] + limit : values[i];
    uint32_t end = i + 1;
    while (end < total &&
           (values[end] < 0 ? values[end] + limit : values[end]) == first + (int64_t)(end - i)) {
      ++end;
    }
    if (first < 0 || first + (int64_t)(end - i) > limit) {
      armnn_i_acc_refuse(graph, NULL, "an index is outside of the dimension");
    }
    int64_t begin[IR_DIMS] = {0}, size[IR_DIMS];
    memcpy(size, from.dims, sizeof size);
    begin[axis] = first;
    size[axis] = end - i;
    pieces[count] = armnn_i_acc_sliced(graph, &input, begin, NULL, size);
    origins[count++][axis] = i;
    i = end;
  }
  armnn_i_acc_set_output(
      graph, 0,
      armnn_i_acc_joined(graph, pieces, count, (const int64_t (*)[IR_DIMS])origins, &logical));
}

/* ---- Slices -------------------------------------------------------------------------------- */

void armnn_i_acc_read_slice(ir_graph_t* graph) {
  const armnn_slice_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  int64_t begin[IR_DIMS] = {0}, count[IR_DIMS] = {1};
  for (uint32_t i = 0; i < d->rank; ++i) {
    begin[i] = (int64_t)d->begin[i];
    count[i] = (int64_t)d->size[i];
  }
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_sliced(graph, &input, begin, NULL, count));
}

static int64_t clamped(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

/* A negative position counts from the end; one outside is moved to the border. */
static int64_t border_position(int64_t position, int64_t dim, int64_t stride) {
  if (position < 0) position += dim;
  return stride > 0 ? clamped(position, 0, dim) : clamped(position, -1, dim - 1);
}

void armnn_i_acc_read_strided_slice(ir_graph_t* graph) {
  const armnn_strided_slice_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t from = armnn_i_acc_logical(graph, &input);
  int64_t begin[IR_DIMS] = {0}, stride[IR_DIMS], count[IR_DIMS];
  for (uint32_t i = 0; i < from.rank; ++i) {
    const int64_t dim = from.dims[i];
    stride[i] = 1;
    count[i] = dim;
    if (i >= d->rank) continue;
    if (d->shrink_axis_mask >> i & 1u) {
      begin[i] = d->begin[i] < 0 ? d->begin[i] + dim : d->begin[i];
      count[i] = 1;
      continue;
    }
    stride[i] = d->stride[i];
    const bool forwards = stride[i] > 0;
    int64_t end = forwards ? dim : -1;
    begin[i] = forwards ? 0 : dim - 1;
    if ((d->begin_mask >> i & 1u) == 0) begin[i] = border_position(d->begin[i], dim, stride[i]);
    if ((d->end_mask >> i & 1u) == 0) end = border_position(d->end[i], dim, stride[i]);
    const int64_t distance = end - begin[i];
    count[i] = distance / stride[i] + (distance % stride[i] != 0);
    if (count[i] == 1) stride[i] = 1; /* never used, and may be huge */
  }
  const ir_alias_t cut = armnn_i_acc_sliced(graph, &input, begin, stride, count);
  const ir_shape_t out = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &cut, &out));
}

/* ---- One input, one output ----------------------------------------------------------------- */

ir_alias_t armnn_i_acc_padded(ir_graph_t* graph, const ir_alias_t* alias, const int64_t* before,
                              const int64_t* after, int32_t mode, float value) {
  ir_shape_t shape = *ir_shape(graph, alias->value);
  armnn_i_acc_pad_t pad = {.mode = mode, .value = value};
  bool any = false;
  for (uint32_t d = 0; d < shape.rank; ++d) {
    pad.before[d] = before[alias->perm[d]];
    pad.after[d] = after[alias->perm[d]];
    shape.dims[d] += pad.before[d] + pad.after[d];
    any = any || pad.before[d] != 0 || pad.after[d] != 0;
  }
  if (!any) return *alias;
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_PAD, alias->value, &shape);
  node->pad = pad;
  ir_alias_t result = *alias;
  result.value = node->output;
  return result;
}

void armnn_i_acc_read_pad(ir_graph_t* graph) {
  const armnn_pad_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  int64_t before[IR_DIMS] = {0}, after[IR_DIMS] = {0};
  for (uint32_t i = 0; i < d->rank; ++i) {
    before[i] = d->pad_before[i];
    after[i] = d->pad_after[i];
  }
  armnn_i_acc_set_output(
      graph, 0, armnn_i_acc_padded(graph, &input, before, after, d->padding_mode, d->value));
}

/* Dimension i of the output is dimension mappings[i] of the input. */
void armnn_i_acc_read_transpose(ir_graph_t* graph) {
  const armnn_permute_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  ir_alias_t result = input;
  for (uint32_t i = 0; i < d->rank; ++i) result.perm[ir_axis(&input, d->mappings[i])] = i;
  armnn_i_acc_set_output(graph, 0, result);
}

void armnn_i_acc_read_reshape(ir_graph_t* graph) {
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t out = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_reshaped(graph, &input, &out));
}

/* Blocks of pixels become channels, or the other way round, by way of [n, y, by, x, bx, c] and
 * [n, y, x, by, bx, c]. */
void armnn_i_acc_read_space_depth(ir_graph_t* graph) {
  static const uint32_t order[2][IR_DIMS] = {{0, 2, 3, 1}, {0, 1, 2, 3}};
  static const uint32_t swap[IR_DIMS] = {0, 1, 3, 2, 4, 5};
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_space_depth_descriptor_t* d = (const void*)layer->descriptor;
  const uint32_t* images = order[d->data_layout == ARMNN_DATA_LAYOUT_NHWC];
  const int64_t block = d->block_size;
  const bool to_depth = layer->type == ARMNN_LAYER_SPACE_TO_DEPTH;
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_alias_t image =
      armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &input, images)); /* N, H, W, C */
  const ir_shape_t from = armnn_i_acc_logical(graph, &image);
  const int64_t height = to_depth ? from.dims[1] / block : from.dims[1];
  const int64_t width = to_depth ? from.dims[2] / block : from.dims[2];
  const int64_t channels = to_depth ? from.dims[3] : from.dims[3] / block / block;
  const ir_shape_t apart =
      to_depth ? (ir_shape_t){6, {from.dims[0], height, block, width, block, channels}}
               : (ir_shape_t){6, {from.dims[0], height, width, block, block, channels}};
  const ir_shape_t together =
      to_depth ? (ir_shape_t){4, {from.dims[0], height, width, block * block * channels}}
               : (ir_shape_t){4, {from.dims[0], height * block, width * block, channels}};
  const ir_alias_t blocks = armnn_i_acc_reshaped(graph, &image, &apart);
  const ir_alias_t swapped = armnn_i_acc_alias(graph, armnn_i_acc_ordered(graph, &blocks, swap));
  ir_alias_t result = armnn_i_acc_reshaped(graph, &swapped, &together);
  for (uint32_t i = 0; i < 4; ++i) result.perm[i] = images[result.perm[i]];
  armnn_i_acc_set_output(graph, 0, result);
}

static uint32_t broadcast(ir_graph_t* graph, uint32_t value, const ir_shape_t* shape) {
  if (ir_same_shape(ir_shape(graph, value), shape)) return value;
  return armnn_i_acc_node_of(graph, IR_BROADCAST, value, shape)->output;
}

void armnn_i_acc_read_broadcast_to(ir_graph_t* graph) {
  const ir_alias_t input = armnn_i_acc_input(graph, 0);
  const ir_shape_t out = armnn_i_acc_shape_of(ir_layer(graph)->output_infos[0]);
  ir_alias_t result = {.value = 0};
  for (uint32_t d = 0; d < out.rank; ++d) result.perm[d] = d;
  result.value = broadcast(graph, armnn_i_acc_operand(graph, &input, out.rank, result.perm), &out);
  armnn_i_acc_set_output(graph, 0, result);
}

/* Each dimension that is repeated becomes two, the first of which repeats. */
void armnn_i_acc_read_tile(ir_graph_t* graph) {
  const armnn_tile_descriptor_t* d = (const void*)ir_layer(graph)->descriptor;
  ir_alias_t alias = armnn_i_acc_input(graph, 0);
  for (uint32_t axis = 0; axis < d->rank; ++axis) { /* one dimension after the other */
    if (d->multiples[axis] <= 1) continue;
    const ir_shape_t shape = armnn_i_acc_logical(graph, &alias);
    ir_shape_t narrow = {3, {1, 1, 1}}, wide, end = shape;
    for (uint32_t i = 0; i < axis; ++i) narrow.dims[0] *= shape.dims[i];
    for (uint32_t i = axis; i < shape.rank; ++i) narrow.dims[2] *= shape.dims[i];
    wide = narrow;
    wide.dims[1] = d->multiples[axis];
    end.dims[axis] *= d->multiples[axis];
    const uint32_t plain = armnn_i_acc_plain(graph, &alias);
    const ir_alias_t whole = armnn_i_acc_alias(graph, plain);
    const ir_alias_t flat = armnn_i_acc_reshaped(graph, &whole, &narrow);
    const uint32_t repeated = broadcast(graph, armnn_i_acc_plain(graph, &flat), &wide);
    const ir_alias_t result = armnn_i_acc_alias(graph, repeated);
    alias = armnn_i_acc_reshaped(graph, &result, &end);
  }
  armnn_i_acc_set_output(graph, 0, alias);
}

void armnn_i_acc_read_constant(ir_graph_t* graph) {
  armnn_i_acc_set_output(graph, 0, armnn_i_acc_input(graph, 0));
}
