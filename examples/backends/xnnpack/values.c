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

void* xn_memory(xn_compiler_t* c, uint64_t bytes) {
  xn_program_t* p = c->program;
  if (!grow(c, &p->memory, p->memory_count, &c->memory_room, sizeof *p->memory)) return NULL;
  void* memory = calloc(1, bytes + XNN_EXTRA_BYTES);
  c->out_of_memory = memory == NULL;
  if (memory != NULL) {
    p->memory[p->memory_count++] = memory;
    p->memory_size += bytes + XNN_EXTRA_BYTES;
  }
  return memory;
}

uint32_t xn_tensor(xn_compiler_t* c, int32_t place, uint32_t index, uint64_t bytes,
                   const void* constant) {
  xn_program_t* p = c->program;
  if (!grow(c, &p->tensors, p->tensor_count, &c->tensor_room, sizeof *p->tensors)) return 0;
  p->tensors[p->tensor_count] =
      (xn_tensor_t){.place = place, .index = index, .bytes = bytes, .constant = constant};
  return p->tensor_count++;
}

static xn_quantum_t quantum_of(const armnn_tensor_info_t* info) {
  xn_quantum_t quantum = {0.0f, 0};
  if (info->quantization_count == 1)
    quantum = (xn_quantum_t){info->scales[0], info->zero_points[0]};
  return quantum;
}

/* An 8-bit type if there is one: Quantize and Dequantize have float32 on one side. */
static void fill_numbers(xn_step_t* step, const armnn_layer_t* layer) {
  const armnn_tensor_info_t* to = layer->output_infos[0];
  step->element = (size_t)(armnn_data_type_bits(to->data_type) / 8);
  step->to = quantum_of(to);
  for (uint32_t i = 0; i < 2 && i < layer->input_count; ++i) {
    if (layer->input_infos[i] != NULL) step->from[i] = quantum_of(layer->input_infos[i]);
  }
  step->type = xn_is_8bit(to) ? to->data_type : layer->input_infos[0]->data_type;
}

xn_step_t* xn_step(xn_compiler_t* c, int32_t kind, const armnn_layer_t* layer, uint32_t input,
                   uint32_t output) {
  static xn_step_t nothing; /* written and never read, when memory is out */
  xn_program_t* p = c->program;
  const bool has_room = grow(c, &p->steps, p->step_count, &c->step_room, sizeof *p->steps);
  xn_step_t* step = has_room ? &p->steps[p->step_count++] : &nothing;
  *step = (xn_step_t){.kind = kind,
                      .guid = layer != NULL ? layer->guid : 0,
                      .inputs = {input, XN_NONE},
                      .output = output,
                      .low = -INFINITY,
                      .high = INFINITY,
                      .groups = 1,
                      .batch = 1,
                      .dilation_y = 1,
                      .dilation_x = 1,
                      .element = 1};
  if (layer != NULL) fill_numbers(step, layer);
  return step;
}

/* ---- Values -------------------------------------------------------------------------------- */

uint64_t xn_bytes_of(const armnn_tensor_info_t* info) {
  return info->element_count * (uint64_t)armnn_data_type_bits(info->data_type) / 8;
}

uint32_t xn_value_of(const xn_compiler_t* c, armnn_slot_t slot) {
  return armnn_value_of(c->numbers, slot);
}

uint32_t xn_result(xn_compiler_t* c, uint32_t value) {
  xn_value_t* v = &c->values[value];
  v->tensor = xn_tensor(c, XN_SCRATCH, 0, xn_bytes_of(v->info), NULL);
  return v->tensor;
}

uint32_t xn_input(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t index) {
  const armnn_const_tensor_t* constant = armnn_constant_of(layer, index);
  if (constant == NULL) return c->values[xn_value_of(c, layer->inputs[index])].tensor;
  const uint64_t bytes = xn_bytes_of(constant->info);
  void* memory = xn_memory(c, bytes);
  if (memory == NULL) return 0;
  memcpy(memory, constant->data, bytes);
  return xn_tensor(c, XN_CONSTANT, 0, bytes, memory);
}

void xn_turn(xn_compiler_t* c, const armnn_layer_t* layer, const armnn_tensor_info_t* info,
             bool goes_last, uint32_t from, uint32_t to) {
  const uint64_t* d = info->dims;
  xn_step_t* s = xn_step(c, XN_PERMUTE, layer, from, to);
  s->batch = (size_t)d[0];
  s->height = (size_t)(goes_last ? d[1] : d[1] * d[2]);
  s->width = (size_t)(goes_last ? d[2] * d[3] : d[3]);
}
