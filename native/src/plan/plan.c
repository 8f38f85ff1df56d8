/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * plan.c - the library's own copy of a plan, arranged for contexts. Immutable and counted.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* Moves and waits are workloads, so that the executor has one kind of step. */

armnn_status_t armnn_i_sync_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                    armnn_error_t* error) {
  const armnn_i_sync_t* sync = (const armnn_i_sync_t*)workload;
  return sync->backend_context->api->after_enqueue_workload(sync->backend_context, sync->network_id,
                                                            args->execution_data, error);
}

/* ---- Making one ---------------------------------------------------------------------------- */

static bool is_external(const armnn_plan_tensor_t* tensor) {
  return tensor->kind == ARMNN_PLAN_TENSOR_INPUT || tensor->kind == ARMNN_PLAN_TENSOR_OUTPUT;
}

/* Whether runs patch the addresses, or the handles, of operands that name it. */
static bool is_patched(const armnn_plan_t* plan, const armnn_plan_tensor_t* tensor) {
  if (plan->variable_count != 0 && plan->variable_places[tensor - plan->tensors] != 0) return true;
  return is_external(tensor) || tensor->kind == ARMNN_PLAN_TENSOR_MAPPED ||
         tensor->kind == ARMNN_PLAN_TENSOR_PART;
}

/* Number of a patched tensor: inputs, outputs, mapped ones, places of variables. A sub-tensor has
 * its whole's. */
static uint32_t patch_number(const armnn_plan_t* plan, const armnn_plan_tensor_t* tensor) {
  if (tensor->kind == ARMNN_PLAN_TENSOR_PART) tensor = &plan->tensors[tensor->index];
  if (plan->variable_count != 0 && plan->variable_places[tensor - plan->tensors] != 0) {
    return armnn_i_first_place(plan) + plan->variable_places[tensor - plan->tensors] - 1;
  }
  if (tensor->kind == ARMNN_PLAN_TENSOR_INPUT) return tensor->index;
  if (tensor->kind == ARMNN_PLAN_TENSOR_OUTPUT) return plan->input_count + tensor->index;
  return plan->input_count + plan->output_count + tensor->index;
}

static bool names_handle(const armnn_plan_t* plan, const uint32_t* operands, uint32_t count) {
  return count != 0 && plan->tensors[operands[0]].kind == ARMNN_PLAN_TENSOR_HANDLE;
}

static void copy_step(armnn_plan_t* plan, const armnn_plan_step_t* from, armnn_i_plan_step_t* to,
                      uint32_t* operand_count) {
  char own_name[2 * sizeof to->name] = "";
  const char* name = NULL;
  to->first_operand = *operand_count;
  to->input_count = from->input_count;
  to->output_count = from->output_count;
  to->execution_data_index = from->execution_data_index;
  to->kind = from->kind;
  to->fence = from->fence;
  to->scratch_offset = from->scratch_offset;
  to->scratch_size = from->scratch_size;
  to->persistent_offset = plan->persistent_size;
  to->persistent_size = from->persistent_size;
  plan->persistent_size += armnn_i_round_to_line(from->persistent_size);
  to->may_import = (from->flags & ARMNN_PLAN_STEP_MAY_IMPORT) != 0;
  to->takes_ready = (from->flags & ARMNN_PLAN_STEP_TAKES_READY) != 0;
  to->wait.backend_context = from->backend_context;
  to->wait.network_id = from->network_id;
  if (from->kind == ARMNN_PLAN_STEP_SIGNAL || from->kind == ARMNN_PLAN_STEP_WAIT) {
    const bool signals = from->kind == ARMNN_PLAN_STEP_SIGNAL;
    name = signals ? "signal_fence" : from->backend_context != NULL ? "wait_fence" : "wait";
    to->execute = signals ? armnn_i_signal_execute : armnn_i_wait_execute;
    ++plan->fence_step_count;
  } else if (from->kind != ARMNN_PLAN_STEP_EXECUTE && from->kind != ARMNN_PLAN_STEP_SYNC) {
    to->execute = armnn_i_find_move(from->kind, names_handle(plan, from->inputs, from->input_count),
                                    names_handle(plan, from->outputs, from->output_count), &name);
    to->moves = true;
    ++plan->move_count;
  } else if (from->kind == ARMNN_PLAN_STEP_SYNC) {
    name = "after_enqueue_workload";
    to->execute = armnn_i_sync_execute;
    to->workload = &to->wait.base;
  } else {
    const armnn_workload_api_t* api = from->workload->api;
    to->execute = api->execute;
    to->workload = from->workload;
    to->bounded = from->bounded;
    to->input_infos = from->input_infos;
    plan->bounded_count += from->bounded != ARMNN_PLAN_BOUNDED_NONE;
    plan->report_count += from->bounded == ARMNN_PLAN_BOUNDED_REPORTS;
    if (ARMNN_HAS_FN(api, armnn_workload_api_t, get_kernel_name)) {
      armnn_i_copy_readable(own_name, sizeof own_name, api->get_kernel_name(from->workload));
    }
    name = own_name[0] != 0 ? own_name : "step";
    if (to->serial != NULL) {
      to->serial->workload = from->workload;
      to->serial->execute = api->execute;
    }
  }
  armnn_i_copy_text(to->name, sizeof to->name, (armnn_string_t){name, strlen(name)});
  for (uint32_t i = 0; i < from->input_count; ++i) {
    plan->operands[(*operand_count)++] = from->inputs[i];
  }
  for (uint32_t i = 0; i < from->output_count; ++i) {
    plan->operands[(*operand_count)++] = from->outputs[i];
  }
}

/* Finds the step that waits for each one that may return early: the next SYNC, or the next SIGNAL
 * and so none, which the check made sure of; and where the row of each SIGNAL begins. */
static void find_syncs(armnn_plan_t* plan, const armnn_plan_spec_t* spec) {
  uint32_t sync = ARMNN_PLAN_NONE, signal = ARMNN_PLAN_NONE;
  for (uint32_t i = plan->step_count; i-- > 0;) {
    const int32_t kind = spec->steps[i].kind;
    if (kind == ARMNN_PLAN_STEP_SYNC) sync = i, signal = ARMNN_PLAN_NONE;
    if (kind == ARMNN_PLAN_STEP_SIGNAL) signal = i, sync = ARMNN_PLAN_NONE;
    const bool waits = kind == ARMNN_PLAN_STEP_EXECUTE && spec->steps[i].backend_context != NULL;
    plan->steps[i].sync = waits ? sync : ARMNN_PLAN_NONE;
    plan->steps[i].row = i;
    if (waits && signal != ARMNN_PLAN_NONE) plan->steps[signal].row = i;
  }
}

/* Notes which inputs and outputs of the run are touched otherwise than by handles that import. */
static void find_touched(armnn_plan_t* plan, const armnn_plan_spec_t* spec) {
  for (uint32_t i = 0; i < spec->step_count; ++i) {
    const armnn_plan_step_t* step = &spec->steps[i];
    if (step->kind == ARMNN_PLAN_STEP_IMPORT || step->kind == ARMNN_PLAN_STEP_LEND ||
        step->kind == ARMNN_PLAN_STEP_RETURN || plan->steps[i].may_import) {
      continue;
    }
    for (uint32_t k = 0; k < step->input_count + step->output_count; ++k) {
      const uint32_t operand = plan->operands[plan->steps[i].first_operand + k];
      if (operand == ARMNN_PLAN_NONE) continue;
      const armnn_plan_tensor_t* tensor = &plan->tensors[operand];
      if (tensor->kind == ARMNN_PLAN_TENSOR_PART) tensor = &plan->tensors[tensor->index];
      if (is_external(tensor)) plan->is_touched[patch_number(plan, tensor)] = true;
    }
  }
}

/* Lists for each patched tensor which operands name it. */
static void list_patches(armnn_plan_t* plan) {
  const uint32_t patched = armnn_i_first_place(plan) + 2 * plan->variable_count;
  uint32_t mapped = 0;
  for (uint32_t i = 0; i < plan->tensor_count; ++i) {
    if (plan->tensors[i].kind == ARMNN_PLAN_TENSOR_MAPPED) plan->tensors[i].index = mapped++;
    if (!is_external(&plan->tensors[i])) continue;
    plan->external_tensors[patch_number(plan, &plan->tensors[i])] = i;
  }
  for (int pass = 0; pass < 2; ++pass) { /* count, then fill from the back of each list */
    for (uint32_t i = plan->operand_count; i-- > 0;) {
      const uint32_t operand = plan->operands[i];
      if (operand == ARMNN_PLAN_NONE || !is_patched(plan, &plan->tensors[operand])) continue;
      const uint32_t number = patch_number(plan, &plan->tensors[operand]);
      if (pass == 0) {
        ++plan->patch_begin[number];
      } else {
        plan->patches[--plan->patch_begin[number]] = i;
      }
    }
    for (uint32_t i = 1; pass == 0 && i <= patched; ++i) {
      plan->patch_begin[i] += plan->patch_begin[i - 1];
    }
  }
}

static void plan_free(armnn_plan_t* plan) {
  if (plan == NULL) return;
  free(plan->listeners);
  for (uint32_t i = 0; plan->steps != NULL && i < plan->step_count; ++i)
    free(plan->steps[i].serial);
  free(plan->tensors);
  free(plan->steps);
  free(plan->operands);
  free(plan->external_tensors);
  free(plan->variables);
  free(plan->variable_places);
  free(plan->patch_begin);
  free(plan->patches);
  free(plan->is_touched);
  free(plan);
}

armnn_status_t armnn_plan_create(const armnn_plan_spec_t* spec, armnn_plan_t** out_plan,
                                 armnn_error_t* error) {
  armnn_i_plan_facts_t facts;
  if (out_plan == NULL) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "nowhere to put the plan");
  }
  *out_plan = NULL;
  const armnn_status_t status = armnn_i_plan_check(spec, &facts, error);
  if (status != ARMNN_STATUS_OK) return status;
  armnn_plan_t* plan = (armnn_plan_t*)calloc(1, sizeof *plan);
  if (plan == NULL) goto no_memory;
  atomic_store(&plan->references, 1);
  plan->tensor_count = spec->tensor_count;
  plan->step_count = spec->step_count;
  plan->input_count = spec->input_count;
  plan->output_count = spec->output_count;
  plan->execution_data_count = spec->execution_data_count;
  plan->handle_count = spec->handle_count;
  plan->fence_count = spec->fence_count;
  plan->mapped_count = facts.mapped_count;
  plan->variable_count = spec->variable_count;
  plan->operand_count = facts.operand_count;
  plan->listener_count = spec->listener_count;
  plan->thread_limit = armnn_i_thread()->thread_limit;
  plan->arena_size = spec->arena_size;
  plan->arena_alignment = facts.arena_alignment;
  const uint64_t externals = (uint64_t)spec->input_count + spec->output_count;
  plan->listeners = armnn_i_make_array(spec->listener_count, sizeof *plan->listeners);
  plan->tensors = armnn_i_make_array(spec->tensor_count, sizeof *plan->tensors);
  plan->steps = armnn_i_make_array(spec->step_count, sizeof *plan->steps);
  plan->operands = armnn_i_make_array(facts.operand_count, sizeof *plan->operands);
  plan->external_tensors = armnn_i_make_array(externals, sizeof *plan->external_tensors);
  const uint64_t patched = externals + facts.mapped_count + (uint64_t)2 * spec->variable_count;
  plan->variables = armnn_i_make_array(spec->variable_count, sizeof *plan->variables);
  plan->variable_places = armnn_i_make_array(spec->variable_count == 0 ? 0 : spec->tensor_count,
                                             sizeof *plan->variable_places);
  plan->patch_begin = armnn_i_make_array(patched + 1, sizeof *plan->patch_begin);
  plan->patches = armnn_i_make_array(facts.operand_count, sizeof *plan->patches);
  plan->is_touched = armnn_i_make_array(externals, sizeof *plan->is_touched);
  if (plan->listeners == NULL || plan->tensors == NULL || plan->steps == NULL ||
      plan->operands == NULL || plan->external_tensors == NULL || plan->variables == NULL ||
      plan->variable_places == NULL || plan->patch_begin == NULL || plan->patches == NULL ||
      plan->is_touched == NULL) {
    goto no_memory;
  }
  if (spec->variable_count != 0) {
    memcpy(plan->variables, spec->variables, spec->variable_count * sizeof *plan->variables);
    armnn_i_list_places(plan->variables, plan->variable_count, plan->variable_places);
  }
  if (spec->listener_count != 0) {
    memcpy(plan->listeners, spec->listeners, spec->listener_count * sizeof *plan->listeners);
  }
  if (spec->tensor_count != 0) {
    memcpy(plan->tensors, spec->tensors, spec->tensor_count * sizeof *plan->tensors);
  }
  uint32_t operand_count = 0;
  for (uint32_t i = 0; i < spec->step_count; ++i) {
    if (spec->steps[i].is_serial) {
      plan->steps[i].serial = (armnn_i_serial_t*)calloc(1, sizeof *plan->steps[i].serial);
      if (plan->steps[i].serial == NULL) goto no_memory;
    }
    copy_step(plan, &spec->steps[i], &plan->steps[i], &operand_count);
  }
  find_syncs(plan, spec);
  find_touched(plan, spec);
  list_patches(plan);
  *out_plan = plan;
  return ARMNN_STATUS_OK;

no_memory:
  plan_free(plan);
  return armnn_i_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no memory for a plan of %u steps",
                      spec->step_count);
}

void armnn_i_plan_release(armnn_plan_t* plan) {
  if (atomic_fetch_sub_explicit(&plan->references, 1, memory_order_acq_rel) == 1) plan_free(plan);
}

void armnn_plan_destroy(armnn_plan_t* plan) {
  if (plan != NULL) armnn_i_plan_release(plan);
}

void armnn_plan_set_labels(armnn_plan_t* plan, const char* const* labels) { plan->labels = labels; }
