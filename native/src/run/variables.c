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

void armnn_i_list_places(const armnn_plan_variable_t* variables, uint32_t count,
                         uint32_t* out_places) {
  for (uint32_t i = 0; i < count; ++i) {
    out_places[variables[i].value] = 2 * i + 1;
    if (variables[i].next != ARMNN_PLAN_NONE) out_places[variables[i].next] = 2 * i + 2;
  }
}

/* ---- The check of a plan ------------------------------------------------------------------- */

#define REFUSE(...) return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, __VA_ARGS__)

static bool meets(uint64_t offset, uint64_t size, uint64_t begin, uint64_t length) {
  return size != 0 && length != 0 && offset < begin + length && begin < offset + size;
}

/* Nothing else lies in tensor |number|, a place of a variable, at any time of a run. */
static armnn_status_t check_alone(const armnn_plan_spec_t* spec, uint32_t number,
                                  armnn_error_t* error) {
  const armnn_plan_tensor_t* place = &spec->tensors[number];
  for (uint32_t i = 0; i < spec->tensor_count; ++i) {
    const armnn_plan_tensor_t* other = &spec->tensors[i];
    bool shares = false;
    if (i == number) continue;
    if (place->kind == ARMNN_PLAN_TENSOR_HANDLE || other->kind == ARMNN_PLAN_TENSOR_HANDLE) {
      shares = place->kind == other->kind && place->index == other->index;
    } else if (other->kind != ARMNN_PLAN_TENSOR_CONSTANT && other->kind != ARMNN_PLAN_TENSOR_PART &&
               other->offset != ARMNN_PLAN_NO_STAGING) {
      shares = meets(place->offset, place->size, other->offset, other->size);
    }
    if (shares) REFUSE("tensor %u: lies in tensor %u, a place of a variable", i, number);
  }
  for (uint32_t i = 0; place->kind != ARMNN_PLAN_TENSOR_HANDLE && i < spec->step_count; ++i) {
    const armnn_plan_step_t* step = &spec->steps[i];
    if (meets(place->offset, place->size, step->scratch_offset, step->scratch_size)) {
      REFUSE("step %u: its scratch lies in tensor %u, a place of a variable", i, number);
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_variable_tensor(const armnn_plan_spec_t* spec, uint32_t variable,
                                            uint32_t number, armnn_error_t* error) {
  if (number >= spec->tensor_count) {
    REFUSE("variable %u: names tensor %u, but the plan has %u", variable, number,
           spec->tensor_count);
  }
  const int32_t kind = spec->tensors[number].kind;
  if (kind != ARMNN_PLAN_TENSOR_VARIABLE && kind != ARMNN_PLAN_TENSOR_HANDLE) {
    REFUSE("variable %u: tensor %u is of kind %d, which does not stay", variable, number, kind);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_check_variables(const armnn_plan_spec_t* spec, uint32_t* places,
                                       armnn_error_t* error) {
  armnn_status_t status = ARMNN_STATUS_OK;
  for (uint32_t i = 0; status == ARMNN_STATUS_OK && i < spec->variable_count; ++i) {
    const armnn_plan_variable_t* variable = &spec->variables[i];
    const bool is_assigned = variable->next != ARMNN_PLAN_NONE;
    status = check_variable_tensor(spec, i, variable->value, error);
    if (status == ARMNN_STATUS_OK && is_assigned) {
      status = check_variable_tensor(spec, i, variable->next, error);
    }
    if (status != ARMNN_STATUS_OK) return status;
    if (places[variable->value] != 0 ||
        (is_assigned && (places[variable->next] != 0 || variable->next == variable->value))) {
      REFUSE("variable %u: a tensor of it is a place of a variable already", i);
    }
    armnn_i_list_places(variable, 1, places); /* any number but 0; all are listed below */
    if (!is_assigned) continue;
    const armnn_plan_tensor_t* value = &spec->tensors[variable->value];
    const armnn_plan_tensor_t* next = &spec->tensors[variable->next];
    if (value->kind != next->kind || value->size != next->size ||
        value->alignment != next->alignment) {
      REFUSE("variable %u: its two places differ in kind, size or alignment", i);
    }
  }
  armnn_i_list_places(spec->variables, spec->variable_count, places);
  for (uint32_t i = 0; status == ARMNN_STATUS_OK && i < spec->tensor_count; ++i) {
    const bool is_place = spec->variable_count != 0 && places[i] != 0;
    if (is_place) status = check_alone(spec, i, error);
    if (!is_place && spec->tensors[i].kind == ARMNN_PLAN_TENSOR_VARIABLE) {
      REFUSE("tensor %u: belongs to no variable", i);
    }
  }
  return status;
}

/* ---- Runs ---------------------------------------------------------------------------------- */

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
