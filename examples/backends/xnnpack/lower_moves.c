/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lower_moves.c - layers that move elements: nothing to do, or XNNPACK's copy of strided rows.
 *
 * They are taken so that they do not cut a part in two, which would cost a change of layout on
 * either side. A part that has nothing else is left to the host, which need not move anything.
 */
#include "compile.h"

/* Dimension |axis| of a tensor of |rank|, where |form| has it. */
static uint32_t axis_in(int form, uint32_t axis) {
  if (form == XN_PLAIN || axis == 0) return axis;
  return axis == 1 ? 3 : axis - 1;
}

static size_t product(const size_t* shape, uint32_t from, uint32_t to) {
  size_t result = 1;
  for (uint32_t d = from; d < to; ++d) result *= shape[d];
  return result;
}

static void lower_concat(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_concat_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_concat_descriptor_t);
  const int form = xn_best_form(c, layer);
  const uint32_t rank = layer->output_infos[0]->rank, axis = axis_in(form, d->axis);
  size_t whole[ARMNN_MAX_DIMS];
  xn_shape(layer->output_infos[0], form, whole);
  const size_t inner = product(whole, axis + 1, rank);
  const uint32_t to = xn_result(c, value, form);
  for (uint32_t i = 0; i < layer->input_count; ++i) {
    size_t part_rank, part[ARMNN_MAX_DIMS];
    const uint32_t from = xn_operand(c, layer, i, form, 0, &part_rank, part);
    xn_step_t* s = xn_step(c, XN_COPY, layer->guid, from, to);
    s->batch = product(whole, 0, axis);
    s->channels = s->input_stride = part[axis] * inner;
    s->output_stride = whole[axis] * inner;
    s->output_offset = (size_t)d->views[i].origin[d->axis] * inner;
  }
}

/* Output |output| of the layer: what begins at |origin| along |axis|. */
static void lower_cut(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t output, uint32_t value,
                      uint32_t plain_axis, uint64_t origin) {
  const int form = xn_best_form(c, layer);
  const uint32_t rank = layer->input_infos[0]->rank, axis = axis_in(form, plain_axis);
  size_t whole[ARMNN_MAX_DIMS], part[ARMNN_MAX_DIMS];
  xn_shape(layer->input_infos[0], form, whole);
  xn_shape(layer->output_infos[output], form, part);
  const size_t inner = product(whole, axis + 1, rank);
  const uint32_t from = xn_input(c, layer, 0, form);
  xn_step_t* s = xn_step(c, XN_COPY, layer->guid, from, xn_result(c, value, form));
  s->batch = product(whole, 0, axis);
  s->channels = s->output_stride = part[axis] * inner;
  s->input_stride = whole[axis] * inner;
  s->input_offset = (size_t)origin * inner;
}

/* Elements in another shape, or in the shape that the other form has: no step. */
static void lower_view(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  int from = XN_PLAIN, to = XN_PLAIN;
  if (layer->type == ARMNN_LAYER_TRANSPOSE) {
    const armnn_permute_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_permute_descriptor_t);
    const bool goes_last = d->mappings[1] == 2;
    from = goes_last ? XN_LAST : XN_PLAIN;
    to = goes_last ? XN_PLAIN : XN_LAST;
  }
  xn_alias(c, value, to, xn_input(c, layer, 0, from));
}

void xn_lower_move(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  switch (layer->type) {
    case ARMNN_LAYER_CONCAT:
      lower_concat(c, layer, value);
      break;
    case ARMNN_LAYER_SPLITTER: {
      const armnn_splitter_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_splitter_descriptor_t);
      const uint32_t axis = (uint32_t)d->axis;
      for (uint32_t k = 0; k < layer->output_count; ++k) {
        lower_cut(c, layer, k, value + k, axis, d->views[k].origin[axis]);
      }
      break;
    }
    case ARMNN_LAYER_SLICE: {
      const armnn_slice_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_slice_descriptor_t);
      const uint32_t axis = xn_slice_axis(d, layer->input_infos[0]);
      lower_cut(c, layer, 0, value, axis, d->begin[axis]);
      break;
    }
    default:
      lower_view(c, layer, value);
      break;
  }
}
