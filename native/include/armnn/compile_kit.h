/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * compile_kit.h - optional help for backends that compile sub-graphs into objects of their own.
 *
 * A "part" is the sub-graph that becomes one object. In optimize_subgraph_view, armnn_replace_part
 * replaces its layers by one PRE_COMPILED layer that holds the object, and armnn_leave_part says
 * why others run as they are. In create_workload, armnn_part_object finds the object again; a layer
 * that was not compiled becomes a sub-graph of one layer (armnn_part_of_layer), so that the backend
 * needs one way to compile anything. Between them: armnn_cut_part takes some layers out as a part
 * of their own, armnn_values_of_part numbers the values of a part and lists who reads each. All
 * functions are static, need no other kit, and may be called on any thread; compile_cache.h keeps
 * what was compiled in files.
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

/* Reports that all layers of |part| run as they are, each as a workload of its own, for |reason|,
 * which people read in the report: too small to be worth it, an operation that the compiler lacks.
 * |place| as for armnn_replace_part. If you report nothing at all, or answer UNSUPPORTED, all
 * layers run as they are without a reason; once one part is replaced, each other layer is to be
 * also reported. */
static inline armnn_status_t armnn_leave_part(const armnn_optimization_sink_t* sink,
                                              const armnn_subgraph_t* part,
                                              const armnn_part_place_t* place, const char* reason) {
  const armnn_string_t words = {reason, strlen(reason)};
  if (place != NULL) {
    return sink->add_untouched(sink->context, place->layers, part->layer_count, words);
  }
  uint32_t* layers = (uint32_t*)malloc(((size_t)part->layer_count + 1) * sizeof *layers);
  if (layers == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  for (uint32_t l = 0; l < part->layer_count; ++l) layers[l] = l;
  const armnn_status_t status =
      sink->add_untouched(sink->context, layers, part->layer_count, words);
  free(layers);
  return status;
}

/* ---- Values of a part ------------------------------------------------------------------------ */

/* In place of a layer that is absent or outside of the sub-graph. */
#define ARMNN_NO_LAYER 0xffffffffu

/* The constant that a layer reads as operand |index|; null: that is computed, or absent. */
static inline const armnn_const_tensor_t* armnn_constant_of(const armnn_layer_t* layer,
                                                            uint32_t index) {
  return layer->constants == NULL || index >= layer->input_count ? NULL : layer->constants[index];
}

/* The values of a part by number: its inputs, then the outputs of each layer in their order. */
typedef struct armnn_part_values_t {
  uint32_t count;
  uint32_t input_count;
  uint32_t* base;    /* output k of layer l is value base[l] + k; for l = layer_count: |count| */
  uint32_t* first;   /* value v is read by readers[first[v]] up to before readers[first[v + 1]] */
  uint32_t* readers; /* layers in their order, one for each operand; ARMNN_NO_LAYER: outside */
} armnn_part_values_t;

/* The value that a slot names; not for constants and absent operands. */
static inline uint32_t armnn_value_of(const armnn_part_values_t* values, armnn_slot_t slot) {
  return slot.layer == ARMNN_SLOT_BOUNDARY ? slot.slot : values->base[slot.layer] + slot.slot;
}

/* How many operands and outputs of the part read value |v|. */
static inline uint32_t armnn_reader_count(const armnn_part_values_t* values, uint32_t v) {
  return values->first[v + 1] - values->first[v];
}

/* The layer that alone reads value |v|, and once; ARMNN_NO_LAYER if it is not so. */
static inline uint32_t armnn_only_reader(const armnn_part_values_t* values, uint32_t v) {
  return armnn_reader_count(values, v) == 1 ? values->readers[values->first[v]] : ARMNN_NO_LAYER;
}

static inline int32_t armnn_i_is_computed(armnn_slot_t slot) {
  return slot.layer != ARMNN_SLOT_CONSTANT && slot.layer != ARMNN_SLOT_ABSENT;
}

/* To be freed by free(); null if memory is out. */
static inline armnn_part_values_t* armnn_values_of_part(const armnn_subgraph_t* part) {
  uint32_t count = part->input_count, reads = part->output_count;
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    count += part->layers[l]->output_count;
    reads += part->layers[l]->input_count;
  }
  const size_t room = (size_t)part->layer_count + 1 + count + 2 + reads;
  armnn_part_values_t* self =
      (armnn_part_values_t*)calloc(1, sizeof *self + room * sizeof(uint32_t));
  if (self == NULL) return NULL;
  self->count = count;
  self->input_count = part->input_count;
  self->base = (uint32_t*)(void*)(self + 1);
  self->first = self->base + part->layer_count + 1;
  self->readers = self->first + count + 2;
  uint32_t next = part->input_count;
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    self->base[l] = next;
    next += part->layers[l]->output_count;
  }
  self->base[part->layer_count] = next;
  /* Counted two places ahead, so that filling moves first[v + 1] to where it belongs. */
  for (int32_t is_filling = 0; is_filling < 2; ++is_filling) {
    for (uint32_t l = 0; l <= part->layer_count; ++l) {
      const int32_t is_end = l == part->layer_count;
      const armnn_slot_t* slots = is_end ? part->outputs : part->layers[l]->inputs;
      const uint32_t slot_count = is_end ? part->output_count : part->layers[l]->input_count;
      for (uint32_t i = 0; i < slot_count; ++i) {
        if (!armnn_i_is_computed(slots[i])) continue;
        const uint32_t v = armnn_value_of(self, slots[i]);
        if (is_filling) {
          self->readers[self->first[v + 1]++] = is_end ? ARMNN_NO_LAYER : l;
        } else {
          self->first[v + 2] += 1;
        }
      }
    }
    if (!is_filling) {
      for (uint32_t v = 0; v < count; ++v) self->first[v + 2] += self->first[v + 1];
    }
  }
  return self;
}

/* ---- Some layers as a part of their own ------------------------------------------------------ */

/* |part| and |place| are for armnn_replace_part. Its layers are copies with slots of this part; all
 * else that they point to is the host's, so that it is valid for the same call. */
typedef struct armnn_cut_part_t {
  armnn_subgraph_t part;
  armnn_part_place_t place;
} armnn_cut_part_t;

/* The number of |from| among the inputs of the cut, where it is added if it is not there. */
static inline uint32_t armnn_i_cut_input(const armnn_subgraph_t* whole, armnn_slot_t from,
                                         armnn_cut_part_t* cut, armnn_slot_t* sources,
                                         const armnn_tensor_info_t** infos) {
  uint32_t i = 0;
  while (i < cut->part.input_count &&
         (sources[i].layer != from.layer || sources[i].slot != from.slot)) {
    ++i;
  }
  if (i == cut->part.input_count) {
    sources[i] = from;
    infos[i] = from.layer == ARMNN_SLOT_BOUNDARY
                   ? whole->input_infos[from.slot]
                   : whole->layers[from.layer]->output_infos[from.slot];
    cut->part.input_count += 1;
  }
  return i;
}

/* Takes layers of |whole| out as a part; |layers|, at least one, are in ascending order. To be
 * freed by free(). Inputs and outputs of the part are found and come in the order in which the
 * layers have them. INVALID_ARGUMENT: the list is not such a list, or a layer between them reads
 * one of them and is read by another, so that they cannot run as one; layers without a gap between
 * them always can. */
static inline armnn_status_t armnn_cut_part(const armnn_subgraph_t* whole, const uint32_t* layers,
                                            uint32_t layer_count, armnn_cut_part_t** out_cut) {
  *out_cut = NULL;
  size_t inputs = 0, outputs = 0;
  for (uint32_t n = 0; n < layer_count; ++n) {
    if (layers[n] >= whole->layer_count || (n > 0 && layers[n] <= layers[n - 1])) {
      return ARMNN_STATUS_INVALID_ARGUMENT;
    }
    inputs += whole->layers[layers[n]]->input_count;
    outputs += whole->layers[layers[n]]->output_count;
  }
  if (layer_count == 0) return ARMNN_STATUS_INVALID_ARGUMENT;
  armnn_part_values_t* values = armnn_values_of_part(whole);
  uint32_t* place_of = (uint32_t*)malloc(((size_t)whole->layer_count + 1) * sizeof *place_of);
  armnn_cut_part_t* cut = (armnn_cut_part_t*)calloc(
      1, sizeof *cut + layer_count * (sizeof(armnn_layer_t) + sizeof(void*) + sizeof(uint32_t)) +
             inputs * (2 * sizeof(armnn_slot_t) + sizeof(void*)) +
             outputs * 2 * sizeof(armnn_slot_t));
  if (values == NULL || place_of == NULL || cut == NULL) {
    free(values);
    free(place_of);
    free(cut);
    return ARMNN_STATUS_OUT_OF_MEMORY;
  }
  armnn_layer_t* copies = (armnn_layer_t*)(void*)(cut + 1);
  const armnn_layer_t** pointers = (const armnn_layer_t**)(void*)(copies + layer_count);
  const armnn_tensor_info_t** infos = (const armnn_tensor_info_t**)(void*)(pointers + layer_count);
  armnn_slot_t* slots = (armnn_slot_t*)(void*)(infos + inputs);
  armnn_slot_t* sources = slots + inputs;
  armnn_slot_t* originals = sources + inputs;
  armnn_slot_t* made = originals + outputs;
  uint32_t* numbers = (uint32_t*)(void*)(made + outputs);
  const uint32_t outside = ARMNN_NO_LAYER, behind = ARMNN_NO_LAYER - 1; /* behind: reads the cut */
  for (uint32_t l = 0; l < whole->layer_count; ++l) place_of[l] = outside;
  for (uint32_t n = 0; n < layer_count; ++n) place_of[layers[n]] = n;
  armnn_status_t status = ARMNN_STATUS_OK;
  for (uint32_t l = layers[0]; l <= layers[layer_count - 1]; ++l) {
    const armnn_layer_t* layer = whole->layers[l];
    const uint32_t n = place_of[l];
    if (n < layer_count) {
      copies[n] = *layer;
      copies[n].inputs = slots;
      pointers[n] = &copies[n];
      numbers[n] = l;
    }
    for (uint32_t i = 0; i < layer->input_count; ++i) {
      armnn_slot_t from = layer->inputs[i];
      const uint32_t at = armnn_i_is_computed(from) && from.layer != ARMNN_SLOT_BOUNDARY
                              ? place_of[from.layer]
                              : outside;
      if (n >= layer_count) {
        if (at != outside) place_of[l] = behind;
        continue;
      }
      if (at == behind) status = ARMNN_STATUS_INVALID_ARGUMENT;
      if (at < layer_count) {
        from.layer = at;
      } else if (armnn_i_is_computed(from)) {
        from.slot = armnn_i_cut_input(whole, from, cut, sources, infos);
        from.layer = ARMNN_SLOT_BOUNDARY;
      }
      *slots++ = from;
    }
  }
  for (uint32_t n = 0; n < layer_count; ++n) {
    for (uint32_t k = 0; k < copies[n].output_count; ++k) {
      const uint32_t v = values->base[numbers[n]] + k;
      int32_t is_read = 0;
      for (uint32_t r = values->first[v]; r < values->first[v + 1]; ++r) {
        const uint32_t reader = values->readers[r];
        is_read = is_read || reader == ARMNN_NO_LAYER || place_of[reader] >= layer_count;
      }
      if (!is_read) continue;
      const uint32_t index = cut->part.output_count++;
      originals[index].layer = numbers[n];
      made[index].layer = n;
      originals[index].slot = made[index].slot = k;
    }
  }
  cut->part.header.struct_size = sizeof cut->part;
  cut->part.header.struct_type = ARMNN_STRUCT_SUBGRAPH;
  cut->part.layers = pointers;
  cut->part.input_infos = infos;
  cut->part.outputs = made;
  cut->part.layer_count = layer_count;
  cut->place.layers = numbers;
  cut->place.inputs = sources;
  cut->place.outputs = originals;
  free(values);
  free(place_of);
  if (status != ARMNN_STATUS_OK) {
    free(cut);
    return status;
  }
  *out_cut = cut;
  return ARMNN_STATUS_OK;
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
