/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * values.c - values, and the growing program.
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
  if (memory != NULL) {
    p->memory[p->memory_count++] = memory;
    p->memory_size += count * sizeof *memory + XNN_EXTRA_BYTES;
  }
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
  return slot.layer == ARMNN_SLOT_BOUNDARY ? slot.slot : c->base[slot.layer] + slot.slot;
}

const armnn_const_tensor_t* xn_constant(const armnn_layer_t* layer, uint32_t index) {
  return layer->constants == NULL || index >= layer->input_count ? NULL : layer->constants[index];
}

uint32_t xn_result(xn_compiler_t* c, uint32_t value) {
  xn_value_t* v = &c->values[value];
  v->tensor = xn_tensor(c, XN_SCRATCH, 0, v->info->element_count, NULL);
  return v->tensor;
}

uint32_t xn_input(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t index) {
  const armnn_const_tensor_t* constant = xn_constant(layer, index);
  if (constant == NULL) return c->values[xn_value_of(c, layer->inputs[index])].tensor;
  const uint64_t count = constant->info->element_count;
  float* memory = xn_memory(c, count);
  if (memory == NULL) return 0;
  memcpy(memory, constant->data, count * sizeof *memory);
  return xn_tensor(c, XN_CONSTANT, 0, count, memory);
}

void xn_turn(xn_compiler_t* c, uint64_t guid, const armnn_tensor_info_t* info, bool goes_last,
             uint32_t from, uint32_t to) {
  const uint64_t* d = info->dims;
  xn_step_t* s = xn_step(c, XN_PERMUTE, guid, from, to);
  s->batch = (size_t)d[0];
  s->height = (size_t)(goes_last ? d[1] : d[1] * d[2]);
  s->width = (size_t)(goes_last ? d[2] * d[3] : d[3]);
}
