/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * variables.c - tensors that stay in a context from run to run.
 *
 * A variable has two places: its value, and where a run writes what comes next. They are exchanged
 * at the end of a run that succeeds. So all readers see the value from before the run, nothing is
 * copied, and a run that fails at any point changes nothing.
 */
#include <string.h>

#include "core.h"

/* Points the operands that name a place to handle |handle|. */
static void patch_handle(armnn_context_t* context, uint32_t place, armnn_tensor_handle_t* handle) {
  const armnn_plan_t* plan = context->plan;
  const uint32_t number = armnn_i_first_place(plan) + place;
  for (uint32_t i = plan->patch_begin[number]; i < plan->patch_begin[number + 1]; ++i) {
    context->operand_handles[plan->patches[i]] = handle;
  }
}

static void exchange_handles(armnn_context_t* context, uint32_t number) {
  const armnn_plan_t* plan = context->plan;
  armnn_i_handle_t* value = &context->handles[plan->tensors[plan->variables[number].value].index];
  armnn_i_handle_t* next = &context->handles[plan->tensors[plan->variables[number].next].index];
  const armnn_i_handle_t before =
      *value; /* neither is mapped, and neither imports: see the check */
  *value = *next;
  *next = before;
  patch_handle(context, 2 * number, value->handle);
  patch_handle(context, 2 * number + 1, next->handle);
}

void armnn_i_exchange_variables(armnn_context_t* context) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = 0; i < plan->variable_count; ++i) {
    if (plan->variables[i].next == ARMNN_PLAN_NONE) continue;
    if (plan->tensors[plan->variables[i].value].kind == ARMNN_PLAN_TENSOR_HANDLE) {
      exchange_handles(context, i);
      continue;
    }
    unsigned char** places = &context->places[2 * i];
    unsigned char* before = places[0];
    places[0] = places[1];
    places[1] = before;
    armnn_i_patch(context, armnn_i_first_place(plan) + 2 * i, places[0]);
    armnn_i_patch(context, armnn_i_first_place(plan) + 2 * i + 1, places[1]);
  }
}

/* ---- Between runs -------------------------------------------------------------------------- */

armnn_status_t armnn_i_move_variable(armnn_context_t* context, uint32_t index, void* memory,
                                     bool writes, armnn_error_t* error) {
  const armnn_plan_t* plan = context->plan;
  const armnn_plan_tensor_t* tensor = &plan->tensors[plan->variables[index].value];
  if (tensor->size == 0) return ARMNN_STATUS_OK;
  if (tensor->kind == ARMNN_PLAN_TENSOR_HANDLE) {
    armnn_i_handle_t* item = &context->handles[tensor->index];
    const armnn_status_t status = writes ? armnn_i_write_handle(item, memory, tensor->size, error)
                                         : armnn_i_read_handle(item, memory, tensor->size, error);
    if (status != ARMNN_STATUS_OK) armnn_i_unmap_all(context);
    return status;
  }
  unsigned char* place = context->places[2 * index];
  memcpy(writes ? place : memory, writes ? memory : place, (size_t)tensor->size);
  return ARMNN_STATUS_OK;
}
