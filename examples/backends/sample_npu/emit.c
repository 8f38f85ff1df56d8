/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * emit.c - the last stage of the compiler: from lists to one block without pointers.
 */
#include <stdlib.h>
#include <string.h>

#include "compile.h"

enum { ALIGNMENT = 64 };

static uint64_t rounded(uint64_t size) { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* Makes room for |more| behind |count|; false if memory is out. */
static bool grow(npu_emitter_t* emitter, void** items, uint64_t item, uint64_t count, uint64_t more,
                 uint64_t* capacity) {
  if (emitter->failed) return false;
  if (count + more <= *capacity) return true;
  const uint64_t wanted = 2 * *capacity > count + more ? 2 * *capacity : count + more + 16;
  void* larger = realloc(*items, wanted * item);
  emitter->failed = larger == NULL;
  if (larger == NULL) return false;
  *items = larger;
  *capacity = wanted;
  return true;
}

uint32_t npu_emit_tensor(npu_emitter_t* emitter, uint32_t binding, uint64_t size) {
  void* items = emitter->tensors;
  const uint64_t count = emitter->tensor_count;
  if (!grow(emitter, &items, sizeof(npu_tensor_t), count, 1, &emitter->tensor_capacity)) return 0;
  emitter->tensors = items;
  emitter->tensors[count] = (npu_tensor_t){binding, 0, 0, size};
  emitter->tensor_count += 1;
  return (uint32_t)count;
}

void npu_emit(npu_emitter_t* emitter, const npu_instruction_t* instruction) {
  void* items = emitter->instructions;
  const uint64_t count = emitter->instruction_count;
  if (!grow(emitter, &items, sizeof *instruction, count, 1, &emitter->instruction_capacity)) return;
  emitter->instructions = items;
  emitter->instructions[count] = *instruction;
  emitter->instruction_count += 1;
}

float* npu_emit_constants(npu_emitter_t* emitter, uint64_t count, uint64_t* out_offset) {
  void* items = emitter->constants;
  const uint64_t at = emitter->constant_size, size = rounded(count * sizeof(float));
  *out_offset = at;
  if (!grow(emitter, &items, 1, at, size, &emitter->constant_capacity)) return NULL;
  emitter->constants = items;
  memset(emitter->constants + at, 0, size);
  emitter->constant_size += size;
  return (float*)(void*)(emitter->constants + at);
}

void npu_emitter_clear(npu_emitter_t* emitter) {
  free(emitter->tensors);
  free(emitter->instructions);
  free(emitter->constants);
}

/* ---- Memory of the core -------------------------------------------------------------------- */

typedef struct life_t {
  uint64_t first, last; /* instructions */
} life_t;

static void touch(life_t* lives, uint32_t tensor, uint64_t instruction) {
  if (tensor == NPU_NONE) return;
  if (lives[tensor].first > instruction) lives[tensor].first = instruction;
  lives[tensor].last = instruction;
}

/* The lowest offset at which |tensor| meets none of those that were placed and live with it. */
static uint64_t lowest_offset(const npu_emitter_t* emitter, const life_t* lives, uint64_t tensor) {
  uint64_t offset = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (uint64_t k = 0; k < tensor; ++k) {
      const npu_tensor_t* other = &emitter->tensors[k];
      if (other->binding != NPU_NONE || lives[k].last < lives[tensor].first ||
          lives[tensor].last < lives[k].first) {
        continue;
      }
      if (offset < other->offset + rounded(other->size) &&
          other->offset < offset + rounded(emitter->tensors[tensor].size)) {
        offset = other->offset + rounded(other->size);
        moved = true;
      }
    }
  }
  return offset;
}

/* Gives intermediate tensors offsets; the bytes that they take together. */
static uint64_t place_tensors(npu_emitter_t* emitter) {
  life_t* lives = malloc((emitter->tensor_count + 1) * sizeof *lives);
  emitter->failed = emitter->failed || lives == NULL;
  if (lives == NULL) return 0;
  for (uint64_t t = 0; t < emitter->tensor_count; ++t) lives[t] = (life_t){UINT64_MAX, 0};
  for (uint64_t k = 0; k < emitter->instruction_count; ++k) {
    touch(lives, emitter->instructions[k].input, k);
    touch(lives, emitter->instructions[k].second, k);
    touch(lives, emitter->instructions[k].output, k);
  }
  uint64_t size = 0;
  for (uint64_t t = 0; t < emitter->tensor_count; ++t) {
    npu_tensor_t* tensor = &emitter->tensors[t];
    if (tensor->binding != NPU_NONE) continue;
    tensor->offset = lowest_offset(emitter, lives, t);
    const uint64_t end = tensor->offset + rounded(tensor->size);
    size = end > size ? end : size;
  }
  free(lives);
  return size;
}

npu_program_t* npu_emit_program(npu_emitter_t* emitter, uint32_t inputs, uint32_t outputs) {
  const uint64_t core_memory = emitter->failed ? 0 : place_tensors(emitter);
  if (emitter->failed) return NULL;
  const uint64_t tensors = rounded(sizeof(npu_program_t));
  const uint64_t instructions = rounded(tensors + emitter->tensor_count * sizeof(npu_tensor_t));
  const uint64_t constants =
      rounded(instructions + emitter->instruction_count * sizeof(npu_instruction_t));
  const uint64_t size = constants + emitter->constant_size;
  npu_program_t* program = npu_program_allocate(size);
  if (program == NULL) return NULL;
  memset(program, 0, constants);
  program->magic = NPU_MAGIC;
  program->total_size = size;
  program->core_memory = core_memory;
  program->tensors = tensors;
  program->instructions = instructions;
  program->constants = constants;
  program->tensor_count = (uint32_t)emitter->tensor_count;
  program->instruction_count = (uint32_t)emitter->instruction_count;
  program->input_count = inputs;
  program->output_count = outputs;
  char* base = (char*)program;
  if (emitter->tensor_count > 0) {
    memcpy(base + tensors, emitter->tensors, emitter->tensor_count * sizeof(npu_tensor_t));
  }
  if (emitter->instruction_count > 0) {
    memcpy(base + instructions, emitter->instructions,
           emitter->instruction_count * sizeof(npu_instruction_t));
  }
  if (emitter->constant_size > 0) {
    memcpy(base + constants, emitter->constants, emitter->constant_size);
  }
  return program;
}
