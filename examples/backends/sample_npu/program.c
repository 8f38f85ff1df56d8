/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * program.c - is this block of bytes a program that the device can run without harm? And how much
 * is there to do in it?
 */
#include <stdlib.h>

#include "npu.h"

npu_program_t* npu_program_allocate(uint64_t size) {
  void* memory = NULL;
  return posix_memalign(&memory, 64, size) == 0 ? memory : NULL;
}

/* Of everything but the sum itself; the head's other members are part of the key's place. */
npu_hash_t npu_program_check(const npu_program_t* program) {
  npu_program_t head = *program;
  head.check = (npu_hash_t){0, 0};
  const npu_hash_t hash = npu_hash_add(npu_hash_start(), &head, sizeof head);
  return npu_hash_add(hash, program + 1, program->total_size - sizeof head);
}

/* |count| items of |item| bytes at |offset| lie within |size|. */
static bool inside(uint64_t offset, uint64_t count, uint64_t item, uint64_t size) {
  return offset <= size && offset % sizeof(uint64_t) == 0 && count <= (size - offset) / item;
}

static bool tensors_are_sound(const npu_program_t* program) {
  const uint64_t bindings = (uint64_t)program->input_count + program->output_count;
  if (bindings > NPU_MAX_BINDINGS || program->tensor_count < bindings) return false;
  for (uint32_t t = 0; t < program->tensor_count; ++t) {
    const npu_tensor_t* tensor = &npu_tensors(program)[t];
    /* the bindings come first, in their order */
    if (tensor->binding != (t < bindings ? t : NPU_NONE)) return false;
    if (t >= bindings && (tensor->offset > program->core_memory ||
                          tensor->size > program->core_memory - tensor->offset)) {
      return false;
    }
  }
  return true;
}

/* Elements of a box whose sides come from a file; UINT64_MAX if they cannot be true. */
static uint64_t box(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  const uint64_t limit = UINT64_C(1) << 40;
  if (a == 0 || b == 0 || c == 0 || d == 0) return UINT64_MAX;
  if (a * b > limit || c * d > limit || a * b > limit / (c * d)) return UINT64_MAX;
  return a * b * c * d;
}

static bool has(const npu_program_t* program, uint32_t tensor, uint64_t elements) {
  return tensor < program->tensor_count && elements != UINT64_MAX &&
         npu_tensors(program)[tensor].size == elements * sizeof(float);
}

static bool has_constants(const npu_program_t* program, uint64_t offset, uint64_t elements) {
  return elements != UINT64_MAX &&
         inside(offset, elements, sizeof(float), program->total_size - program->constants);
}

static bool instruction_is_sound(const npu_program_t* program, const npu_instruction_t* i) {
  const uint64_t in = box(i->n, i->ih, i->iw, i->ic);
  uint64_t out = in;
  bool sound = has(program, i->input, in);
  switch (i->op) {
    case NPU_OP_CONVOLUTION: {
      if (i->groups == 0 || i->ic % i->groups != 0 || i->oc % i->groups != 0) return false;
      const uint64_t blocks = ((uint64_t)i->oc / i->groups + NPU_BLOCK - 1) / NPU_BLOCK;
      sound = sound &&
              has_constants(program, i->weights,
                            box(blocks * i->groups * NPU_BLOCK, i->kh, i->kw, i->ic / i->groups)) &&
              has_constants(program, i->bias, (uint64_t)i->oc + i->ic / i->groups);
      out = box(i->n, i->oh, i->ow, i->oc);
      break;
    }
    case NPU_OP_DEPTHWISE:
      sound = sound && i->oc % i->ic == 0 && i->oc >= i->ic &&
              has_constants(program, i->weights, box(1, i->kh, i->kw, i->oc)) &&
              has_constants(program, i->bias, i->oc);
      out = box(i->n, i->oh, i->ow, i->oc);
      break;
    case NPU_OP_POOL_MAX:
    case NPU_OP_POOL_AVERAGE:
      sound = sound && i->oc == i->ic && box(1, 1, i->kh, i->kw) != UINT64_MAX;
      out = box(i->n, i->oh, i->ow, i->oc);
      break;
    case NPU_OP_ADD:
      sound = sound && (i->second != NPU_NONE || has_constants(program, i->weights, in));
      break;
    case NPU_OP_ADD_ROWS:
      sound = sound && has_constants(program, i->weights, i->ic);
      break;
    case NPU_OP_CLAMP:
    case NPU_OP_TRANSPOSE:
      break;
    default:
      return false;
  }
  return sound && has(program, i->output, out) &&
         (i->second == NPU_NONE || has(program, i->second, out));
}

bool npu_program_is_sound(const npu_program_t* program, uint64_t size) {
  if (size < sizeof *program || program->magic != NPU_MAGIC || program->total_size != size) {
    return false;
  }
  const npu_hash_t check = npu_program_check(program);
  if (check.a != program->check.a || check.b != program->check.b) return false;
  if (!inside(program->tensors, program->tensor_count, sizeof(npu_tensor_t), size) ||
      !inside(program->instructions, program->instruction_count, sizeof(npu_instruction_t), size) ||
      !inside(program->constants, 0, 1, size) || !tensors_are_sound(program)) {
    return false;
  }
  for (uint32_t k = 0; k < program->instruction_count; ++k) {
    if (!instruction_is_sound(program, &npu_instructions(program)[k])) return false;
  }
  return true;
}

/* ---- Work ---------------------------------------------------------------------------------- */

static uint64_t operations_of(const npu_program_t* program, const npu_instruction_t* i) {
  const uint64_t results = (uint64_t)i->n * i->oh * i->ow * i->oc, taps = (uint64_t)i->kh * i->kw;
  switch (i->op) {
    case NPU_OP_CONVOLUTION:
      return 2 * results * taps * (i->ic / i->groups);
    case NPU_OP_DEPTHWISE:
      return 2 * results * taps;
    case NPU_OP_POOL_MAX:
    case NPU_OP_POOL_AVERAGE:
      return results * taps;
    case NPU_OP_TRANSPOSE:
      return 0;
    default:
      return npu_tensors(program)[i->output].size / sizeof(float);
  }
}

uint64_t npu_count_operations(const npu_program_t* program) {
  uint64_t operations = 0;
  for (uint32_t i = 0; i < program->instruction_count; ++i) {
    operations += operations_of(program, &npu_instructions(program)[i]);
  }
  return operations;
}

/* What a data sheet would say: a core does two operations in a nanosecond, and an instruction takes
 * a while to begin. */
uint64_t npu_estimate_ns(const npu_program_t* program) {
  return npu_count_operations(program) / 2 + 500 * (uint64_t)program->instruction_count;
}
