/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lower_moves.c - layers that move elements: nothing to do, or XNNPACK's copy of strided rows.
 *
 * They are taken so that they do not cut a part in two, which would cost a change of layout on
 * either side. A part that has nothing else is left to the host, which need not move anything.
 */
#include "compile.h"

static size_t product(const uint64_t* shape, uint32_t from, uint32_t to) {
  size_t result = 1;
  for (uint32_t d = from; d < to; ++d) result *= (size_t)shape[d];
  return result;
}

static void lower_concat(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const armnn_concat_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_concat_descriptor_t);
  const armnn_tensor_info_t* out = layer->output_infos[0];
  const size_t inner = product(out->dims, d->axis + 1, out->rank);
  const uint32_t to = xn_result(c, value);
  for (uint32_t i = 0; i < layer->input_count; ++i) {
    const uint32_t from = xn_input(c, layer, i);
    xn_step_t* s = xn_step(c, XN_COPY, layer, from, to);
    s->batch = product(out->dims, 0, d->axis);
    s->channels = s->input_stride = (size_t)layer->input_infos[i]->dims[d->axis] * inner;
    s->output_stride = (size_t)out->dims[d->axis] * inner;
    s->output_offset = (size_t)d->views[i].origin[d->axis] * inner;
  }
}

/* Output |output| of the layer: what begins at |origin| along |axis|. */
static void lower_cut(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t output, uint32_t value,
                      uint32_t axis, uint64_t origin) {
  const armnn_tensor_info_t* in = layer->input_infos[0];
  const size_t inner = product(in->dims, axis + 1, in->rank);
  const uint32_t from = xn_input(c, layer, 0);
  xn_step_t* s = xn_step(c, XN_COPY, layer, from, xn_result(c, value));
  s->batch = product(in->dims, 0, axis);
  s->channels = s->output_stride = (size_t)layer->output_infos[output]->dims[axis] * inner;
  s->input_stride = (size_t)in->dims[axis] * inner;
  s->input_offset = (size_t)origin * inner;
}

/* The same elements in another shape: no step. */
static void lower_reshape(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  c->values[value].tensor = xn_input(c, layer, 0);
}

static void lower_transpose(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value) {
  const bool goes_last =
      ARMNN_DESCRIPTOR(layer, armnn_permute_descriptor_t)->mappings[1] == 2; /* 0, 2, 3, 1 */
  const uint32_t from = xn_input(c, layer, 0);
  xn_turn(c, layer, layer->input_infos[0], goes_last, from, xn_result(c, value));
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
    case ARMNN_LAYER_TRANSPOSE:
      lower_transpose(c, layer, value);
      break;
    default:
      lower_reshape(c, layer, value);
      break;
  }
}
