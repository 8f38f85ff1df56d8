/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * plan_check.c - is every number of a plan within its bounds?
 *
 * A wrong number here would be a wild write later, in a kernel that trusts us. The check reads
 * nothing that an earlier check has not cleared.
 */
#include "plan_check.h"

#include <stdlib.h>
#include <string.h>

#define MAX_EXECUTION_DATA 65536u
#define MAX_HANDLES (UINT32_C(1) << 24)
#define MAX_FENCES (UINT32_C(1) << 24)

/* ---- The whole ----------------------------------------------------------------------------- */

static armnn_status_t check_head(const armnn_plan_spec_t* spec, armnn_error_t* error) {
  if (spec == NULL) REFUSE("the plan is null");
  if (spec->header.struct_type != ARMNN_STRUCT_PLAN_SPEC) {
    REFUSE("the plan has the tag 0x%08x, 0x%08x was expected", spec->header.struct_type,
           ARMNN_STRUCT_PLAN_SPEC);
  }
  if (spec->header.struct_size != sizeof *spec) {
    REFUSE("the plan says it has %u bytes, this library expects %zu", spec->header.struct_size,
           sizeof *spec);
  }
  if (spec->tensors == NULL && spec->tensor_count != 0) REFUSE("the plan's tensors are null");
  if (spec->steps == NULL && spec->step_count != 0) REFUSE("the plan's steps are null");
  if (spec->handle_count > MAX_HANDLES) {
    REFUSE("the plan has %u handles, %u is the limit", spec->handle_count, MAX_HANDLES);
  }
  if (spec->fence_count > MAX_FENCES) {
    REFUSE("the plan has %u fences, %u is the limit", spec->fence_count, MAX_FENCES);
  }
  if ((uint64_t)spec->input_count + spec->output_count > spec->tensor_count) {
    REFUSE("the plan has %u inputs and %u outputs, but only %u tensors", spec->input_count,
           spec->output_count, spec->tensor_count);
  }
  if (spec->variable_count > spec->tensor_count) {
    REFUSE("the plan has %u variables, but only %u tensors", spec->variable_count,
           spec->tensor_count);
  }
  if (spec->variables == NULL && spec->variable_count != 0) {
    REFUSE("the plan's variables are null");
  }
  if (spec->execution_data_count > MAX_EXECUTION_DATA) {
    REFUSE("the plan has %u execution data, %u is the limit", spec->execution_data_count,
           MAX_EXECUTION_DATA);
  }
  if (spec->arena_size > PTRDIFF_MAX / 2) {
    REFUSE("the arena has %llu bytes, more than an address space holds", (ull)spec->arena_size);
  }
  return ARMNN_STATUS_OK;
}

/* ---- All ----------------------------------------------------------------------------------- */

static armnn_status_t check_coverage(const check_t* check) {
  const armnn_plan_spec_t* spec = check->spec;
  armnn_error_t* error = check->error;
  for (uint32_t i = 0; i < spec->input_count; ++i) {
    if (!(check->seen[i] & SEEN_TENSOR)) REFUSE("input %u of the run has no tensor", i);
  }
  for (uint32_t i = 0; i < spec->output_count; ++i) {
    const unsigned char seen = check->seen[spec->input_count + i];
    if (!(seen & SEEN_TENSOR)) REFUSE("output %u of the run has no tensor", i);
    if (!(seen & SEEN_WRITTEN)) REFUSE("output %u of the run is written by no step", i);
  }
  for (uint32_t i = 0; i < spec->tensor_count; ++i) {
    if (check->open[i]) REFUSE("tensor %u: is mapped and never unmapped", i);
  }
  for (uint32_t i = 0; i < spec->variable_count; ++i) {
    if (spec->variables[i].next != ARMNN_PLAN_NONE && !check->is_written[2 * i + 1]) {
      REFUSE("variable %u: no step writes what comes next", i);
    }
  }
  for (uint32_t i = 0; i < spec->fence_count; ++i) {
    if (!(check->fences[i] & FENCE_AWAITED)) REFUSE("fence %u: the host never waits for it", i);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_listeners(const armnn_plan_spec_t* spec, armnn_error_t* error) {
  if (spec->listener_count != 0 && spec->listeners == NULL) REFUSE("the list of listeners is null");
  for (uint32_t i = 0; i < spec->listener_count; ++i) {
    const armnn_plan_listener_t* listener = &spec->listeners[i];
    if (listener->context == NULL || listener->context->api == NULL ||
        listener->context->api->header.struct_type != ARMNN_STRUCT_BACKEND_CONTEXT) {
      REFUSE("listener %u: has no backend context", i);
    }
    if (listener->execution_data_index != ARMNN_PLAN_NONE &&
        listener->execution_data_index >= spec->execution_data_count) {
      REFUSE("listener %u: names execution data %u, but the plan has %u", i,
             listener->execution_data_index, spec->execution_data_count);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_plan_check(const armnn_plan_spec_t* spec, armnn_i_plan_facts_t* out_facts,
                                  armnn_error_t* error) {
  out_facts->operand_count = 0;
  out_facts->mapped_count = 0;
  out_facts->arena_alignment = ARMNN_CACHE_LINE;
  out_facts->persistent_size = 0;
  armnn_status_t status = check_head(spec, error);
  if (status != ARMNN_STATUS_OK) return status;
  const size_t externals = (size_t)spec->input_count + spec->output_count;
  check_t check = {.spec = spec, .facts = out_facts, .error = error};
  check.seen = (unsigned char*)calloc(externals + 1, 1);
  check.open = (unsigned char*)calloc((size_t)spec->tensor_count + 1, 1);
  check.reader = (uint32_t*)calloc((size_t)spec->handle_count + 1, sizeof *check.reader);
  if (spec->variable_count != 0) {
    check.places = (uint32_t*)calloc(spec->tensor_count, sizeof *check.places);
  }
  check.is_written = (bool*)calloc((size_t)2 * spec->variable_count + 1, sizeof(bool));
  check.fences = (unsigned char*)calloc((size_t)spec->fence_count + 1, 1);
  if (check.seen == NULL || check.open == NULL || check.reader == NULL || check.fences == NULL ||
      check.is_written == NULL || (spec->variable_count != 0 && check.places == NULL)) {
    status = armnn_i_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no memory to check the plan");
  }
  for (uint32_t i = 0; status == ARMNN_STATUS_OK && i < spec->tensor_count; ++i) {
    status = armnn_i_check_tensor(&check, i);
  }
  if (status == ARMNN_STATUS_OK) status = armnn_i_check_variables(spec, check.places, error);
  for (uint32_t i = 0; status == ARMNN_STATUS_OK && i < spec->step_count; ++i) {
    status = armnn_i_check_step(&check, i);
  }
  if (status == ARMNN_STATUS_OK) status = check_coverage(&check);
  if (status == ARMNN_STATUS_OK) status = check_listeners(spec, error);
  free(check.seen);
  free(check.fences);
  free(check.open);
  free(check.reader);
  free(check.places);
  free(check.is_written);
  return status;
}
