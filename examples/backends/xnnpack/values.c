/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * values.c - values, their two forms, and the growing program.
 *
 * A change of layout is made when a layer asks for a form that is not there, and kept: between two
 * convolutions of an NCHW network there is none, at the border of the part there is one for each
 * tensor.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"

/* ---- Lists that grow ----------------------------------------------------------------------- */

static bool grow(xn_compiler_t* c, void* list, uint32_t count, uint32_t* room, size_t size) {
  if (c->out_of_memory) return false;
  if (count < *room) return true;
  const uint32_t more = *room == 0 ? 32 : 2 * *room;
  void* memory = NULL;
  memcpy(&memory, list, sizeof memory);
  memory = realloc(memory, more * size);
  c->out_of_memory = memory == NULL;
  if (memory == NULL) return false;
  memcpy(list, &memory, sizeof memory);
  *room = more;
  return true;
}

float* xn_memory(xn_compiler_t* c, uint64_t count) {
  xn_program_t* p = c->program;
  if (!grow(c, &p->memory, p->memory_count, &c->memory_room, sizeof *p->memory)) return NULL;
  float* memory = calloc(count + XNN_EXTRA_BYTES / sizeof *memory, sizeof *memory);
  c->out_of_memory = memory == NULL;
  if (memory != NULL) p->memory[p->memory_count++] = memory;
  return memory;
}

uint32_t xn_tensor(xn_compiler_t* c, int32_t place, uint32_t index, uint64_t count,
                   const float* constant) {
  xn_program_t* p = c->program;
  if (!grow(c, &p->tensors, p->tensor_count, &c->tensor_room, sizeof *p->tensors)) return 0;
  p->tensors[p->tensor_count] = (xn_tensor_t){
      .place = place, .index = index, .bytes = count * sizeof(float), .constant = constant};
  return p->tensor_count++;
}

xn_step_t* xn_step(xn_compiler_t* c, int32_t kind, uint64_t guid, uint32_t input, uint32_t output) {
  static xn_step_t nothing; /* written and never read, when memory is out */
  xn_program_t* p = c->program;
  const bool has_room = grow(c, &p->steps, p->step_count, &c->step_room, sizeof *p->steps);
  xn_step_t* step = has_room ? &p->steps[p->step_count++] : &nothing;
  *step = (xn_step_t){.kind = kind,
                      .guid = guid,
                      .inputs = {input, XN_NONE},
                      .output = output,
                      .low = -INFINITY,
                      .high = INFINITY,
                      .groups = 1,
                      .batch = 1,
                      .dilation_y = 1,
                      .dilation_x = 1};
  return step;
}

/* ---- Values -------------------------------------------------------------------------------- */

uint32_t xn_value_of(const xn_compiler_t* c, armnn_slot_t slot) {
  return armnn_value_of(c->numbers, slot);
}

bool xn_forms_agree(const armnn_tensor_info_t* info) {
  return info->rank != 4 || info->dims[1] == 1 || info->dims[2] * info->dims[3] == 1;
}

void xn_shape(const armnn_tensor_info_t* info, int form, size_t* out_shape) {
  for (uint32_t d = 0; d < info->rank; ++d) out_shape[d] = (size_t)info->dims[d];
  if (form == XN_PLAIN || info->rank != 4) return;
  for (uint32_t d = 1; d < 4; ++d) out_shape[d] = (size_t)info->dims[d == 3 ? 1 : d + 1];
}

static void set_form(xn_compiler_t* c, uint32_t value, int form, uint32_t tensor) {
  xn_value_t* v = &c->values[value];
  v->forms[form] = tensor;
  if (xn_forms_agree(v->info)) v->forms[XN_PLAIN] = v->forms[XN_LAST] = tensor;
}

void xn_alias(xn_compiler_t* c, uint32_t value, int form, uint32_t tensor) {
  set_form(c, value, form, tensor);
}

uint32_t xn_result(xn_compiler_t* c, uint32_t value, int form) {
  const uint32_t tensor = xn_tensor(c, XN_SCRATCH, 0, c->values[value].info->element_count, NULL);
  set_form(c, value, form, tensor);
  return tensor;
}

uint32_t xn_get(xn_compiler_t* c, uint32_t value, int form) {
  xn_value_t* v = &c->values[value];
  if (v->forms[form] != XN_NONE) return v->forms[form];
  const uint32_t from = v->forms[form == XN_PLAIN ? XN_LAST : XN_PLAIN];
  const uint32_t to = xn_result(c, value, form);
  xn_step_t* s = xn_step(c, XN_PERMUTE, c->guid, from, to);
  const size_t channels = (size_t)v->info->dims[1];
  const size_t pixels = (size_t)(v->info->dims[2] * v->info->dims[3]);
  s->batch = (size_t)v->info->dims[0];
  s->height = form == XN_LAST ? channels : pixels;
  s->width = form == XN_LAST ? pixels : channels;
  return to;
}

int xn_best_form(const xn_compiler_t* c, const armnn_layer_t* layer) {
  int form = XN_PLAIN;
  for (uint32_t i = 0; i < layer->input_count; ++i) {
    if (layer->input_infos[i] == NULL || armnn_constant_of(layer, i) != NULL) continue;
    const xn_value_t* v = &c->values[xn_value_of(c, layer->inputs[i])];
    /* A value of fewer dimensions has no other form: it cannot join one that has. */
    if (v->info->rank != 4 && v->info->element_count != 1) return XN_PLAIN;
    if (v->info->rank == 4 && v->forms[XN_PLAIN] == XN_NONE) form = XN_LAST;
  }
  return layer->output_count > 0 && layer->output_infos[0]->rank == 4 ? form : XN_PLAIN;
}

static uint32_t constant_operand(xn_compiler_t* c, const armnn_const_tensor_t* constant, int form,
                                 const armnn_tensor_info_t* as) {
  float* memory = xn_memory(c, as->element_count);
  if (memory == NULL) return 0;
  if (form == XN_PLAIN || xn_forms_agree(as)) {
    memcpy(memory, constant->data, as->element_count * sizeof *memory);
  } else {
    const size_t channels = (size_t)as->dims[1], pixels = (size_t)(as->dims[2] * as->dims[3]);
    for (uint64_t n = 0; n < as->dims[0]; ++n) {
      const size_t image = (size_t)n * channels * pixels;
      xn_permute((const float*)constant->data + image, memory + image, channels, pixels, 0, pixels);
    }
  }
  return xn_tensor(c, XN_CONSTANT, 0, as->element_count, memory);
}

uint32_t xn_input(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t index, int form) {
  const armnn_const_tensor_t* constant = armnn_constant_of(layer, index);
  if (constant != NULL) return constant_operand(c, constant, form, layer->input_infos[index]);
  return xn_get(c, xn_value_of(c, layer->inputs[index]), form);
}

uint32_t xn_operand(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t index, int form,
                    uint32_t least_rank, size_t* out_rank, size_t* out_shape) {
  const armnn_tensor_info_t* info = layer->input_infos[index];
  const armnn_const_tensor_t* constant = armnn_constant_of(layer, index);
  armnn_tensor_info_t as = *info;
  const uint32_t ones = info->rank < least_rank ? least_rank - info->rank : 0;
  as.rank = info->rank + ones;
  for (uint32_t d = 0; d < as.rank; ++d) as.dims[d] = d < ones ? 1 : info->dims[d - ones];
  *out_rank = as.rank;
  xn_shape(&as, form, out_shape);
  if (constant != NULL) return constant_operand(c, constant, form, &as);
  const uint32_t value = xn_value_of(c, layer->inputs[index]);
  return xn_get(c, value, info->rank == 4 ? form : XN_PLAIN);
}
