/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * check_variables.c - the check of a plan's variables: which tensors are their places, and that
 * nothing else lies there.
 */
#include "plan_check.h"

void armnn_i_list_places(const armnn_plan_variable_t* variables, uint32_t count,
                         uint32_t* out_places) {
  for (uint32_t i = 0; i < count; ++i) {
    out_places[variables[i].value] = 2 * i + 1;
    if (variables[i].next != ARMNN_PLAN_NONE) out_places[variables[i].next] = 2 * i + 2;
  }
}

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
