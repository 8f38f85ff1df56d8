/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * compile.c - from a part of a network to a program.
 *
 * Layers in their order. One whose operator has bounds swallows the ReLu or BoundedReLu behind it,
 * if nobody else reads the value between.
 */
#include "compile.h"

#include <math.h>
#include <stdlib.h>

bool xn_bounds(const armnn_layer_t* layer, float* out_low, float* out_high) {
  const armnn_activation_descriptor_t* d = ARMNN_DESCRIPTOR(layer, armnn_activation_descriptor_t);
  if (layer->type != ARMNN_LAYER_ACTIVATION) return false;
  if (d->function == ARMNN_ACTIVATION_RELU) {
    *out_low = 0.0f;
    *out_high = INFINITY;
  } else if (d->function == ARMNN_ACTIVATION_BOUNDED_RELU) {
    *out_low = d->b;
    *out_high = d->a;
  } else {
    return false;
  }
  return true;
}

/* Operators that clamp what they compute. */
static bool has_bounds(const armnn_layer_t* layer) {
  switch (layer->type) {
    case ARMNN_LAYER_CONVOLUTION2D:
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
    case ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D:
    case ARMNN_LAYER_FULLY_CONNECTED:
    case ARMNN_LAYER_POOLING2D:
    case ARMNN_LAYER_REDUCE:
      return true;
    case ARMNN_LAYER_ELEMENTWISE_BINARY: {
      const int32_t o = ARMNN_DESCRIPTOR(layer, armnn_elementwise_binary_descriptor_t)->operation;
      return o == ARMNN_BINARY_ADD || o == ARMNN_BINARY_SUB || o == ARMNN_BINARY_MUL ||
             o == ARMNN_BINARY_DIV;
    }
    default:
      return false;
  }
}

static bool is_move(int32_t type) {
  return type == ARMNN_LAYER_RESHAPE || type == ARMNN_LAYER_TRANSPOSE ||
         type == ARMNN_LAYER_CONCAT || type == ARMNN_LAYER_SPLITTER || type == ARMNN_LAYER_SLICE;
}

static armnn_status_t check_part(const armnn_subgraph_t* part, bool is_single,
                                 armnn_error_t* error) {
  bool computes = is_single;
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    const armnn_layer_t* layer = part->layers[l];
    armnn_layer_query_t query = {{sizeof query, ARMNN_STRUCT_LAYER_QUERY},
                                 layer->type,
                                 layer->input_count,
                                 layer->output_count,
                                 0,
                                 layer->descriptor,
                                 layer->input_infos,
                                 layer->output_infos,
                                 layer->fields_used};
    ARMNN_RETURN_IF_ERROR(xn_check_layer(&query, error));
    computes = computes || !is_move(layer->type);
  }
  if (computes) return ARMNN_STATUS_OK;
  return armnn_fail(error, ARMNN_STATUS_UNSUPPORTED,
                    "it only moves elements, which the host may spare");
}

static void find_values(xn_compiler_t* c) {
  const armnn_subgraph_t* part = c->part;
  for (uint32_t v = 0; v < c->numbers->count; ++v) {
    c->values[v] = (xn_value_t){NULL, XN_NONE};
  }
  for (uint32_t i = 0; i < part->input_count; ++i) {
    c->values[i].info = part->input_infos[i];
    c->values[i].tensor = xn_tensor(c, XN_INPUT, i, xn_bytes_of(part->input_infos[i]), NULL);
  }
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    const armnn_layer_t* layer = part->layers[l];
    for (uint32_t k = 0; k < layer->output_count; ++k) {
      c->values[c->numbers->base[l] + k].info = layer->output_infos[k];
    }
  }
}

static void lower_all(xn_compiler_t* c) {
  const armnn_subgraph_t* part = c->part;
  for (uint32_t l = 0; l < part->layer_count && !c->out_of_memory; ++l) {
    const armnn_layer_t* layer = part->layers[l];
    if (c->taken[l] != 0) continue;
    if (is_move(layer->type)) {
      xn_lower_move(c, layer, c->numbers->base[l]);
      continue;
    }
    uint32_t value = c->numbers->base[l];
    float low = -INFINITY, high = INFINITY;
    const uint32_t next = armnn_only_reader(c->numbers, value);
    if (has_bounds(layer) && next != ARMNN_NO_LAYER && xn_bounds(part->layers[next], &low, &high)) {
      c->taken[next] = 1; /* one of 8 bits has the scale of what it clamps: support_8bit.c */
      value = c->numbers->base[next];
    }
    xn_lower(c, layer, value, low, high);
  }
}

/* What the caller gets is computed in its tensor, unless that has another value or form as well. */
static void finish_outputs(xn_compiler_t* c) {
  const armnn_subgraph_t* part = c->part;
  for (uint32_t k = 0; k < part->output_count && !c->out_of_memory; ++k) {
    const uint32_t value = xn_value_of(c, part->outputs[k]), maker = part->outputs[k].layer;
    const armnn_layer_t* layer = maker < part->layer_count ? part->layers[maker] : NULL;
    const uint32_t from = c->values[value].tensor;
    xn_tensor_t* tensor = &c->program->tensors[from];
    if (tensor->place == XN_SCRATCH) {
      tensor->place = XN_OUTPUT;
      tensor->index = k;
      continue;
    }
    const uint64_t bytes = xn_bytes_of(c->values[value].info);
    const uint32_t to = xn_tensor(c, XN_OUTPUT, k, bytes, NULL);
    xn_step_t* s = xn_step(c, XN_COPY, layer, from, to);
    s->element = 1;
    s->channels = s->input_stride = s->output_stride = (size_t)bytes;
  }
}

armnn_status_t xn_compile(const armnn_subgraph_t* part, bool is_single, xn_program_t** out_program,
                          armnn_error_t* error) {
  *out_program = NULL;
  ARMNN_RETURN_IF_ERROR(check_part(part, is_single, error));
  xn_compiler_t c = {.part = part, .program = calloc(1, sizeof *c.program)};
  c.numbers = armnn_values_of_part(part);
  c.taken = calloc((size_t)part->layer_count + 1, sizeof *c.taken);
  if (c.numbers != NULL) c.values = calloc((size_t)c.numbers->count + 1, sizeof *c.values);
  c.out_of_memory = c.program == NULL || c.taken == NULL || c.values == NULL;
  if (!c.out_of_memory) {
    c.program->input_count = part->input_count;
    c.program->output_count = part->output_count;
    find_values(&c);
    lower_all(&c);
    finish_outputs(&c);
    c.out_of_memory = c.out_of_memory || !xn_plan_scratch(c.program);
  }
  free(c.numbers);
  free(c.taken);
  free(c.values);
  if (!c.out_of_memory) {
    *out_program = c.program;
    return ARMNN_STATUS_OK;
  }
  xn_program_free(c.program);
  return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory for a compiled network");
}
