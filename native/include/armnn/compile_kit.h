/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * compile_kit.h - optional help for backends that compile sub-graphs into objects of their own.
 *
 * A "part" is the sub-graph that becomes one object. In optimize_subgraph_view, armnn_replace_part
 * replaces its layers by one PRE_COMPILED layer that holds the object. In create_workload,
 * armnn_part_object finds the object again; a layer that was not compiled becomes a sub-graph of
 * one layer (armnn_part_of_layer), so that the backend needs one way to compile anything. All
 * functions belong to [load] and are static; this header needs no other kit.
 */
#ifndef ARMNN_COMPILE_KIT_H_
#define ARMNN_COMPILE_KIT_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armnn/backend_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sub-graphs become layers ---------------------------------------------------------------- */

/* The layers and slots of a part in the sub-graph that the host showed, if it is not all of it. */
typedef struct armnn_part_place_t {
  const uint32_t* layers;      /* the numbers of its layers there */
  const armnn_slot_t* inputs;  /* what its inputs are there */
  const armnn_slot_t* outputs; /* what its outputs are there */
} armnn_part_place_t;

/* Writes "prefix: name of the first layer" (64 bytes of it at most, no half character), so that
 * profiles can tell the layers of one network apart. One that the host inserted, such as the
 * Transpose at a border, counts only if there is no other. */
static inline void armnn_name_part(const armnn_subgraph_t* part, const char* prefix, char* out_name,
                                   size_t capacity) {
  armnn_string_t first = {NULL, 0};
  for (uint32_t l = part->layer_count; l > 0; --l) {
    const armnn_layer_t* layer = part->layers[l - 1];
    if (first.size == 0 || layer->guid < UINT64_C(1) << 32) first = layer->name;
  }
  uint64_t size = first.size > 64 ? 64 : first.size;
  while (size < first.size && size > 0 && (first.data[size] & 0xc0) == 0x80) --size;
  snprintf(out_name, capacity, "%s%s%.*s", prefix, size > 0 ? ": " : "", (int)size,
           size > 0 ? first.data : "");
}

/* Reports |part| as replaced by one layer that holds |blob|. |place| is null if |part| is all that
 * the host showed. The blob is not the caller's any more, whatever the answer: the host has it, or
 * it was released. */
static inline armnn_status_t armnn_replace_part(const armnn_optimization_sink_t* sink,
                                                const armnn_subgraph_t* part,
                                                const armnn_part_place_t* place, const char* prefix,
                                                const armnn_blob_t* blob) {
  const uint32_t input_count = part->input_count, output_count = part->output_count;
  armnn_slot_t* slots =
      (armnn_slot_t*)malloc(((size_t)input_count + output_count + 1) * sizeof *slots);
  const armnn_tensor_info_t** infos =
      (const armnn_tensor_info_t**)malloc(((size_t)output_count + 1) * sizeof *infos);
  uint32_t* all = (uint32_t*)malloc(((size_t)part->layer_count + 1) * sizeof *all);
  armnn_status_t status = ARMNN_STATUS_OUT_OF_MEMORY;
  int32_t is_taken = 0;
  if (slots != NULL && infos != NULL && all != NULL) {
    armnn_slot_t *inputs = slots, *outputs = slots + input_count;
    for (uint32_t l = 0; l < part->layer_count; ++l) all[l] = l;
    for (uint32_t i = 0; i < input_count; ++i) {
      inputs[i].layer = ARMNN_SLOT_BOUNDARY;
      inputs[i].slot = i;
    }
    for (uint32_t k = 0; k < output_count; ++k) {
      const armnn_slot_t from = part->outputs[k];
      outputs[k].layer = 0; /* of the replacement, which has one layer */
      outputs[k].slot = k;
      infos[k] = part->layers[from.layer]->output_infos[from.slot];
    }
    armnn_pre_compiled_descriptor_t descriptor;
    memset(&descriptor, 0, sizeof descriptor);
    descriptor.header.struct_size = sizeof descriptor;
    descriptor.header.struct_type =
        (uint32_t)ARMNN_STRUCT_DESCRIPTOR + (uint32_t)ARMNN_LAYER_PRE_COMPILED;
    descriptor.input_count = input_count;
    descriptor.output_count = output_count;
    char name[128];
    armnn_name_part(part, prefix, name, sizeof name);
    armnn_layer_t layer;
    memset(&layer, 0, sizeof layer);
    layer.header.struct_size = sizeof layer;
    layer.header.struct_type = ARMNN_STRUCT_LAYER;
    layer.type = ARMNN_LAYER_PRE_COMPILED;
    layer.input_count = input_count;
    layer.output_count = output_count;
    layer.name.data = name;
    layer.name.size = strlen(name);
    layer.descriptor = &descriptor.header;
    layer.inputs = inputs;
    layer.input_infos = part->input_infos;
    layer.output_infos = infos;
    layer.blob = blob;
    uint64_t token = 0;
    status = sink->begin_substitution(sink->context, place != NULL ? place->layers : all,
                                      part->layer_count, &token);
    if (status == ARMNN_STATUS_OK) {
      status = sink->add_layer(sink->context, token, &layer);
      is_taken = status == ARMNN_STATUS_OK;
    }
    if (status == ARMNN_STATUS_OK) {
      status = sink->end_substitution(sink->context, token, place != NULL ? place->inputs : inputs,
                                      input_count, place != NULL ? place->outputs : part->outputs,
                                      outputs, output_count);
    }
  }
  if (!is_taken) blob->release(blob->object);
  free(slots);
  free(infos);
  free(all);
  return status;
}

/* ---- Layers become workloads ----------------------------------------------------------------- */

/* The object of a PRE_COMPILED layer; null if it was not made with this |compatibility|. */
static inline void* armnn_part_object(const armnn_workload_info_t* info,
                                      const char* compatibility) {
  const armnn_blob_t* blob = info->blob;
  const size_t size = strlen(compatibility);
  if (info->type != ARMNN_LAYER_PRE_COMPILED || blob == NULL || blob->compatibility.size != size ||
      (size > 0 && memcmp(blob->compatibility.data, compatibility, size) != 0)) {
    return NULL;
  }
  return blob->object;
}

/* One layer as a sub-graph. The layer's constants are constants of the sub-graph, and stay
 * consumed; its other inputs are the inputs of the sub-graph. */
typedef struct armnn_layer_part_t {
  armnn_subgraph_t part;
  uint64_t consumed; /* bit i: input i is a constant; for get_requirements */
  uint32_t* inputs;  /* input i of |part| is input inputs[i] of the layer */
  armnn_layer_t layer;
  const armnn_layer_t* layers[1];
} armnn_layer_part_t;

/* To be freed by free(); null if memory is out. It points into |info|. */
static inline armnn_layer_part_t* armnn_part_of_layer(const armnn_workload_info_t* info) {
  const size_t input_count = info->input_count, output_count = info->output_count;
  armnn_layer_part_t* self = (armnn_layer_part_t*)calloc(
      1, sizeof *self + input_count * (sizeof(void*) + sizeof(armnn_slot_t) + sizeof(uint32_t)) +
             output_count * sizeof(armnn_slot_t));
  if (self == NULL) return NULL;
  const armnn_tensor_info_t** border = (const armnn_tensor_info_t**)(void*)(self + 1);
  armnn_slot_t* inputs = (armnn_slot_t*)(void*)(border + input_count);
  armnn_slot_t* outputs = inputs + input_count;
  self->inputs = (uint32_t*)(void*)(outputs + output_count);
  uint32_t count = 0;
  for (uint32_t i = 0; i < info->input_count; ++i) {
    inputs[i].slot = i;
    if (info->input_infos[i] == NULL) {
      inputs[i].layer = ARMNN_SLOT_ABSENT;
    } else if (info->constants != NULL && info->constants[i] != NULL && i < 64) {
      inputs[i].layer = ARMNN_SLOT_CONSTANT;
      self->consumed |= UINT64_C(1) << i;
    } else {
      inputs[i].layer = ARMNN_SLOT_BOUNDARY;
      inputs[i].slot = count;
      self->inputs[count] = i;
      border[count++] = info->input_infos[i];
    }
  }
  for (uint32_t k = 0; k < info->output_count; ++k) outputs[k].slot = k;
  armnn_layer_t* layer = &self->layer;
  layer->header.struct_size = sizeof *layer;
  layer->header.struct_type = ARMNN_STRUCT_LAYER;
  layer->guid = info->guid;
  layer->type = info->type;
  layer->input_count = info->input_count;
  layer->output_count = info->output_count;
  layer->name = info->name;
  layer->descriptor = info->descriptor;
  layer->inputs = inputs;
  layer->input_infos = info->input_infos;
  layer->constants = info->constants;
  layer->output_infos = info->output_infos;
  layer->fields_used = info->fields_used;
  self->layers[0] = layer;
  self->part.header.struct_size = sizeof self->part;
  self->part.header.struct_type = ARMNN_STRUCT_SUBGRAPH;
  self->part.layers = self->layers;
  self->part.input_infos = border;
  self->part.outputs = outputs;
  self->part.layer_count = 1;
  self->part.input_count = count;
  self->part.output_count = info->output_count;
  return self;
}

#ifdef __cplusplus
}
#endif

#endif /* ARMNN_COMPILE_KIT_H_ */
