/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * arena.c - where the tensors between the steps of a program lie in scratch.
 *
 * Steps in their order; each takes the smallest hole that its output fits in, and what is read for
 * the last time makes one. XNNPACK reads up to XNN_EXTRA_BYTES behind a tensor, so that many bytes
 * are part of each.
 */
#include <stdlib.h>

#include "xn.h"

#define ALIGNMENT 64u

typedef struct block_t {
  uint64_t offset, size;
  uint32_t last; /* step that needs it */
} block_t;

typedef struct arena_t {
  block_t* blocks; /* by offset */
  uint32_t count;
} arena_t;

static void drop_before(arena_t* arena, uint32_t step) {
  uint32_t kept = 0;
  for (uint32_t b = 0; b < arena->count; ++b) {
    if (arena->blocks[b].last >= step) arena->blocks[kept++] = arena->blocks[b];
  }
  arena->count = kept;
}

static uint64_t take(arena_t* arena, uint64_t size, uint32_t last) {
  uint32_t at = arena->count;
  uint64_t best = UINT64_MAX, end = 0, offset = 0;
  for (uint32_t b = 0; b < arena->count; ++b) {
    const uint64_t hole = arena->blocks[b].offset - end;
    if (hole >= size && hole < best) {
      best = hole;
      at = b;
      offset = end;
    }
    end = arena->blocks[b].offset + arena->blocks[b].size;
  }
  if (best == UINT64_MAX) offset = end;
  for (uint32_t b = arena->count++; b > at; --b) arena->blocks[b] = arena->blocks[b - 1];
  arena->blocks[at] = (block_t){offset, size, last};
  return offset;
}

static void find_lives(xn_program_t* program) {
  for (uint32_t t = 0; t < program->tensor_count; ++t) {
    xn_tensor_t* tensor = &program->tensors[t];
    tensor->first = XN_NONE;
    tensor->last = 0;
    tensor->offset = UINT64_MAX;
  }
  for (uint32_t s = 0; s < program->step_count; ++s) {
    const xn_step_t* step = &program->steps[s];
    const uint32_t used[] = {step->output, step->inputs[0], step->inputs[1]};
    for (int i = 0; i < 3; ++i) {
      if (used[i] == XN_NONE) continue;
      xn_tensor_t* tensor = &program->tensors[used[i]];
      if (i > 0 && step->kind < XN_OWN) tensor->is_read = true;
      if (tensor->first == XN_NONE) tensor->first = s;
      tensor->last = s;
    }
  }
}

bool xn_plan_scratch(xn_program_t* program) {
  arena_t arena = {calloc((size_t)program->tensor_count + 1, sizeof(block_t)), 0};
  if (arena.blocks == NULL) return false;
  program->scratch_size = 0;
  find_lives(program);
  for (uint32_t s = 0; s < program->step_count; ++s) {
    drop_before(&arena, s);
    xn_tensor_t* tensor = &program->tensors[program->steps[s].output];
    if (tensor->place != XN_SCRATCH || tensor->first != s || tensor->offset != UINT64_MAX) continue;
    const uint64_t bytes = tensor->bytes + XNN_EXTRA_BYTES;
    const uint64_t size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    tensor->offset = take(&arena, size, tensor->last);
    if (tensor->offset + size > program->scratch_size) {
      program->scratch_size = tensor->offset + size;
    }
  }
  free(arena.blocks);
  return true;
}
