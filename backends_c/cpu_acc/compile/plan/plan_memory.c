/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * plan_memory.c - the arena: buffers that do not live at the same time share it.
 *
 * Largest first, each buffer gets the lowest offset at which it overlaps no buffer that lives at
 * the same time.
 */
#include <stdlib.h>
#include <string.h>

#include "compile/ir.h"

static int larger_first(const void* left, const void* right) {
  const ir_buffer_t *a = *(const ir_buffer_t* const*)left, *b = *(const ir_buffer_t* const*)right;
  if (a->size != b->size) return a->size < b->size ? 1 : -1;
  return a < b ? -1 : a > b; /* a fixed order */
}

static bool live_together(const ir_buffer_t* a, const ir_buffer_t* b) {
  return a->first <= b->last && b->first <= a->last;
}

static uint64_t lowest_offset(ir_buffer_t* const* settled, uint32_t count,
                              const ir_buffer_t* buffer) {
  uint64_t offset = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t i = 0; i < count; ++i) {
      const ir_buffer_t* other = settled[i];
      if (live_together(other, buffer) && offset < other->offset + other->size &&
          other->offset < offset + buffer->size) {
        offset = other->offset + other->size;
        moved = true;
      }
    }
  }
  return offset;
}

static void settle(const ir_schedule_t* schedule, armnn_i_acc_tensor_t* tensor) {
  if (tensor->rank == 0 || tensor->values != NULL || tensor->memory.binding < IR_BUFFER_ARENA) {
    return;
  }
  const ir_buffer_t* buffer = &schedule->buffers[tensor->memory.binding - IR_BUFFER_ARENA];
  tensor->memory.binding = ARMNN_ACC_ARENA;
  tensor->memory.offset += (int64_t)buffer->offset;
}

void armnn_i_acc_plan_memory(ir_graph_t* graph, ir_schedule_t* schedule) {
  ir_buffer_t** order =
      armnn_i_acc_pool(graph, (schedule->buffer_count + UINT64_C(1)) * sizeof(ir_buffer_t*));
  uint32_t count = 0;
  for (uint32_t b = 0; b < schedule->buffer_count; ++b) {
    if (schedule->buffers[b].first != IR_NONE) order[count++] = &schedule->buffers[b];
  }
  qsort(order, count, sizeof *order, larger_first);
  for (uint32_t i = 0; i < count; ++i) {
    order[i]->offset = lowest_offset(order, i, order[i]);
    const uint64_t end = order[i]->offset + order[i]->size;
    if (end > schedule->arena_size) schedule->arena_size = end;
  }
  for (uint32_t s = 0; s < schedule->step_count; ++s) {
    ir_step_t* step = &schedule->steps[s];
    for (uint32_t i = 0; i < IR_OPERANDS; ++i) settle(schedule, &step->in[i]);
    settle(schedule, &step->residual);
    settle(schedule, &step->out);
  }
}
