/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * context.c - one caller's memory for a plan: the arena, and for each step the arguments of its
 * call, computed once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* ---- Calls of workloads outside of runs ----------------------------------------------------- */

/* A call of a workload that the host notes as long as it lasts. */
typedef struct step_call_t {
  char label[1100];
  bool is_noted;
} step_call_t;

/* The label is that of the step, with |function| in the place of "execute". */
static void enter_step(step_call_t* call, const armnn_plan_t* plan, uint32_t number,
                       const char* function) {
  const char* label = plan->labels == NULL ? NULL : plan->labels[number];
  call->is_noted = label != NULL;
  if (!call->is_noted) return;
  const char* rest = strchr(label, ' ');
  snprintf(call->label, sizeof call->label, "%s%s", function, rest != NULL ? rest : "");
  armnn_core_enter_call(call->label);
}

static void leave_step(const step_call_t* call) {
  if (call->is_noted) armnn_core_leave_call(0);
}

/* ---- State of workloads -------------------------------------------------------------------- */

/* The table of the workload of step |number|; null if the step is the host's own. */
static const armnn_workload_api_t* table_of(const armnn_plan_t* plan, uint32_t number) {
  const armnn_i_plan_step_t* step = &plan->steps[number];
  return step->kind != ARMNN_PLAN_STEP_EXECUTE ? NULL : step->workload->api;
}

static armnn_status_t create_workload_data(armnn_context_t* context, armnn_error_t* error) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = 0; i < plan->step_count; ++i) {
    const armnn_workload_api_t* api = table_of(plan, i);
    if (api == NULL || !ARMNN_HAS_FN(api, armnn_workload_api_t, create_workload_data)) continue;
    armnn_i_step_t* step = &context->steps[i];
    step_call_t call;
    enter_step(&call, plan, i, "create_workload_data");
    const armnn_status_t status = api->create_workload_data(
        plan->steps[i].workload, step->args.execution_data, &context->workload_data[i], error);
    leave_step(&call);
    if (status != ARMNN_STATUS_OK) {
      context->workload_data[i] = NULL;
      return status;
    }
    step->args.workload_data = context->workload_data[i];
  }
  return ARMNN_STATUS_OK;
}

static void clear_persistent(armnn_context_t* context) {
  if (context->persistent == NULL) return;
  memset(context->persistent, 0, (size_t)context->plan->persistent_size);
}

static void destroy_workload_data(armnn_context_t* context) {
  const armnn_plan_t* plan = context->plan;
  if (context->workload_data == NULL) return;
  for (uint32_t i = 0; i < plan->step_count; ++i) {
    if (context->workload_data[i] == NULL) continue;
    step_call_t call;
    enter_step(&call, plan, i, "destroy_workload_data");
    table_of(plan, i)->destroy_workload_data(plan->steps[i].workload, context->workload_data[i]);
    leave_step(&call);
  }
}

static armnn_status_t reset_workload_data(armnn_context_t* context, const void* argument,
                                          armnn_error_t* error) {
  (void)argument;
  const armnn_plan_t* plan = context->plan;
  clear_persistent(context);
  context->is_state_lost = true; /* until all of it is reset */
  for (uint32_t i = 0; i < plan->step_count; ++i) {
    if (context->workload_data[i] == NULL) continue;
    const armnn_workload_api_t* api = table_of(plan, i);
    if (!ARMNN_HAS_FN(api, armnn_workload_api_t, reset_workload_data)) continue;
    step_call_t call;
    enter_step(&call, plan, i, "reset_workload_data");
    const armnn_status_t status =
        api->reset_workload_data(plan->steps[i].workload, context->workload_data[i], error);
    leave_step(&call);
    if (status != ARMNN_STATUS_OK) return status;
  }
  context->is_state_lost = false;
  return ARMNN_STATUS_OK;
}

/* Persistent bytes are state, and so is data that can be reset. */
static uint32_t find_first_state(const armnn_context_t* context) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = 0; i < plan->step_count; ++i) {
    if (plan->steps[i].persistent_size != 0) return i;
    if (context->workload_data[i] == NULL) continue;
    if (ARMNN_HAS_FN(table_of(plan, i), armnn_workload_api_t, reset_workload_data)) return i;
  }
  return ARMNN_PLAN_NONE;
}

/* ---- The context --------------------------------------------------------------------------- */

void armnn_i_context_free(armnn_context_t* context) {
  armnn_i_unimport_all(context);
  armnn_i_unguard(context);
  destroy_workload_data(context);
  free(context->workload_data);
  armnn_i_free(context->persistent);
  armnn_i_flight_release(&armnn_i_core.registry, context->flight);
  armnn_i_free(context->arena);
  free(context->pointers);
  armnn_i_free(context->steps);
  free(context->externals);
  free(context->execution_data);
  free(context->operand_handles);
  free(context->handles);
  free(context->moves);
  armnn_i_bounded_free(context->bounded);
  free(context->places);
  free(context->guards);
  free(context->fence_steps);
  free(context->fences);
  armnn_i_plan_release(context->plan);
  free(context);
}

/* Inputs and outputs of the run stay null until a run binds them, MAPPED ones until their MAP. */
static void fill_pointers(armnn_context_t* context) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = 0; i < plan->operand_count; ++i) {
    if (plan->operands[i] == ARMNN_PLAN_NONE) continue;
    const armnn_plan_tensor_t* tensor = &plan->tensors[plan->operands[i]];
    const armnn_plan_tensor_t* whole =
        tensor->kind == ARMNN_PLAN_TENSOR_PART ? &plan->tensors[tensor->index] : tensor;
    if (tensor->kind == ARMNN_PLAN_TENSOR_ARENA || tensor->kind == ARMNN_PLAN_TENSOR_VARIABLE) {
      context->pointers[i] = context->arena + tensor->offset;
    } else if (whole->kind == ARMNN_PLAN_TENSOR_VARIABLE) {
      context->pointers[i] = context->arena + whole->offset + tensor->offset;
    } else if (tensor->kind == ARMNN_PLAN_TENSOR_CONSTANT) {
      context->pointers[i] = (void*)(uintptr_t)tensor->address;
    } else if (tensor->kind == ARMNN_PLAN_TENSOR_HANDLE) {
      context->operand_handles[i] = context->handles[tensor->index].handle;
    }
  }
}

/* The handle of an operand, or null. */
static armnn_i_handle_t* handle_of(const armnn_context_t* context, uint32_t operand) {
  const armnn_plan_t* plan = context->plan;
  const armnn_plan_tensor_t* tensor = &plan->tensors[plan->operands[operand]];
  return tensor->kind == ARMNN_PLAN_TENSOR_HANDLE ? &context->handles[tensor->index] : NULL;
}

/* The handle that a step before |number| opened as the MAPPED tensor |tensor|. */
static armnn_i_handle_t* opener_of(const armnn_context_t* context, uint32_t number,
                                   uint32_t tensor) {
  const armnn_plan_t* plan = context->plan;
  while (number-- > 0) {
    const armnn_i_plan_step_t* step = &plan->steps[number];
    if (step->output_count == 0) continue;
    if (plan->operands[step->first_operand + step->input_count] != tensor) continue;
    return handle_of(context, step->first_operand);
  }
  return NULL; /* the check of the plan made sure that there is one */
}

/* How long the handle of an IMPORT or a LEND uses its memory, and whose mapped memory it is. */
static void fill_term(const armnn_context_t* context, uint32_t number, uint32_t operand,
                      armnn_i_move_t* move) {
  const armnn_plan_t* plan = context->plan;
  uint32_t whole = plan->operands[operand];
  if (plan->tensors[whole].kind == ARMNN_PLAN_TENSOR_PART) whole = plan->tensors[whole].index;
  const int32_t kind = plan->tensors[whole].kind;
  if (kind == ARMNN_PLAN_TENSOR_INPUT || kind == ARMNN_PLAN_TENSOR_OUTPUT) {
    move->term = ARMNN_IMPORT_FOR_RUN;
  } else if (kind == ARMNN_PLAN_TENSOR_MAPPED) {
    move->term = ARMNN_IMPORT_FOR_MAP;
    move->lender = opener_of(context, number, whole);
  }
}

/* Which input or output of the run, or sub-tensor of it, a step reads or writes. */
static void fill_external(armnn_context_t* context, uint32_t number, armnn_i_move_t* move) {
  const armnn_plan_t* plan = context->plan;
  const armnn_i_plan_step_t* step = &plan->steps[number];
  move->external = ARMNN_PLAN_NONE;
  for (uint32_t i = 0; i < step->input_count + step->output_count; ++i) {
    const armnn_plan_tensor_t* tensor = &plan->tensors[plan->operands[step->first_operand + i]];
    const armnn_plan_tensor_t* whole = tensor;
    if (tensor->kind == ARMNN_PLAN_TENSOR_PART) whole = &plan->tensors[tensor->index];
    const bool is_input = whole->kind == ARMNN_PLAN_TENSOR_INPUT;
    if (!is_input && whole->kind != ARMNN_PLAN_TENSOR_OUTPUT) continue;
    move->external = is_input ? whole->index : plan->input_count + whole->index;
    move->offset = whole == tensor ? 0 : tensor->offset;
    move->is_part = whole != tensor;
    if (!is_input && step->may_import && i == step->input_count) {
      context->externals[move->external].copy_out = move;
    }
    return;
  }
}

static void fill_move(armnn_context_t* context, uint32_t number, armnn_i_move_t* move) {
  const armnn_plan_t* plan = context->plan;
  const armnn_i_plan_step_t* step = &plan->steps[number];
  const uint32_t first_output = step->first_operand + step->input_count;
  move->context = context;
  move->step = number;
  fill_external(context, number, move);
  if (step->input_count != 0) {
    move->source = handle_of(context, step->first_operand);
    move->size = plan->tensors[plan->operands[step->first_operand]].size;
  }
  if (step->output_count == 0) return;
  const armnn_plan_tensor_t* target = &plan->tensors[plan->operands[first_output]];
  if (step->scratch_size != 0) move->staging = context->arena + step->scratch_offset;
  if (step->may_import) move->term = ARMNN_IMPORT_FOR_RUN;
  if (step->output_count == 2) {
    fill_term(context, number, first_output + 1, move);
  } else if (step->input_count != 0 && move->source == NULL) {
    fill_term(context, number, step->first_operand, move);
  }
  move->target = handle_of(context, first_output);
  move->size = target->size;
  if (target->kind != ARMNN_PLAN_TENSOR_MAPPED) return;
  move->patch = plan->input_count + plan->output_count + target->index;
  move->alignment = target->alignment;
  move->readable = target->readable;
  if (target->offset != ARMNN_PLAN_NO_STAGING) move->staging = context->arena + target->offset;
}

static void fill_steps(armnn_context_t* context) {
  const armnn_plan_t* plan = context->plan;
  armnn_i_move_t* next_move = context->moves;
  armnn_i_fence_step_t* next_fence_step = context->fence_steps;
  for (uint32_t i = 0; i < plan->step_count; ++i) {
    const armnn_i_plan_step_t* from = &plan->steps[i];
    armnn_i_step_t* to = &context->steps[i];
    to->execute = from->execute;
    to->workload = from->workload;
    to->args.header.struct_size = sizeof to->args;
    to->args.header.struct_type = ARMNN_STRUCT_EXECUTE_ARGS;
    to->args.inputs = (const void* const*)&context->pointers[from->first_operand];
    to->args.outputs = &context->pointers[from->first_operand + from->input_count];
    to->args.scratch_size = from->scratch_size;
    if (context->operand_handles != NULL) {
      armnn_tensor_handle_t** handles = context->operand_handles + from->first_operand;
      to->args.input_handles = handles;
      to->args.output_handles = handles + from->input_count;
    }
    if (from->moves) {
      to->workload = &next_move->base;
      fill_move(context, i, next_move++);
    }
    if (from->serial != NULL) {
      to->execute = armnn_i_serial_execute;
      to->workload = &from->serial->base;
    }
    if (from->persistent_size != 0) {
      to->args.workload_data = context->persistent + from->persistent_offset;
    }
    if (from->kind == ARMNN_PLAN_STEP_SIGNAL || from->kind == ARMNN_PLAN_STEP_WAIT) {
      *next_fence_step = (armnn_i_fence_step_t){.context = context,
                                                .backend_context = from->wait.backend_context,
                                                .network_id = from->wait.network_id,
                                                .fence = from->fence};
      to->workload = &next_fence_step++->base;
    }
    if (from->scratch_size != 0) {
      to->args.scratch = context->arena + from->scratch_offset;
    }
    if (from->execution_data_index != ARMNN_PLAN_NONE) {
      to->args.execution_data = context->execution_data[from->execution_data_index];
    }
  }
}

static void fill_places(armnn_context_t* context) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = 0; i < plan->variable_count; ++i) {
    const armnn_plan_variable_t* variable = &plan->variables[i];
    if (plan->tensors[variable->value].kind == ARMNN_PLAN_TENSOR_HANDLE) continue;
    context->places[2 * i] = context->arena + plan->tensors[variable->value].offset;
    if (variable->next == ARMNN_PLAN_NONE) continue;
    context->places[2 * i + 1] = context->arena + plan->tensors[variable->next].offset;
  }
}

static void fill_externals(armnn_context_t* context) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = 0; i < plan->input_count + plan->output_count; ++i) {
    const armnn_plan_tensor_t* tensor = &plan->tensors[plan->external_tensors[i]];
    armnn_i_external_t* external = &context->externals[i];
    external->size = tensor->size;
    external->alignment = tensor->alignment;
    external->readable = tensor->readable;
    if (tensor->offset != ARMNN_PLAN_NO_STAGING) {
      external->staging = context->arena + tensor->offset;
    }
  }
}

static armnn_status_t check_handles(const armnn_plan_t* plan, armnn_tensor_handle_t* const* handles,
                                    armnn_error_t* error) {
  if (handles == NULL && plan->handle_count != 0) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "the plan wants %u tensor handles, none are given", plan->handle_count);
  }
  for (uint32_t i = 0; i < plan->handle_count; ++i) {
    if (handles[i] == NULL || handles[i]->api == NULL ||
        handles[i]->api->header.struct_type != ARMNN_STRUCT_TENSOR_HANDLE) {
      return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "tensor handle %u is not valid", i);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_context_create(armnn_plan_t* plan, void* const* execution_data,
                                    armnn_tensor_handle_t* const* handles,
                                    armnn_context_t** out_context, armnn_error_t* error) {
  if (out_context != NULL) *out_context = NULL;
  if (plan == NULL || out_context == NULL) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the plan or the result is null");
  }
  if (execution_data == NULL && plan->execution_data_count != 0) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "the plan wants %u execution data, none are given",
                        plan->execution_data_count);
  }
  const armnn_status_t status = check_handles(plan, handles, error);
  if (status != ARMNN_STATUS_OK) return status;
  armnn_context_t* context = (armnn_context_t*)calloc(1, sizeof *context);
  if (context == NULL) {
    return armnn_i_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no memory for a context");
  }
  context->plan = plan;
  atomic_fetch_add_explicit(&plan->references, 1, memory_order_relaxed);
  const uint64_t externals = (uint64_t)plan->input_count + plan->output_count;
  const uint64_t steps_size = (uint64_t)plan->step_count * sizeof *context->steps;
  context->flight = armnn_i_flight_acquire(&armnn_i_core.registry);
  context->arena = armnn_i_alloc(plan->arena_size, plan->arena_alignment);
  context->pointers = armnn_i_make_array(plan->operand_count, sizeof *context->pointers);
  context->steps = armnn_i_alloc(steps_size, ARMNN_CACHE_LINE);
  context->externals = armnn_i_make_array(externals, sizeof *context->externals);
  context->execution_data = armnn_i_make_array(plan->execution_data_count, sizeof(void*));
  context->workload_data = armnn_i_make_array(plan->step_count, sizeof(void*));
  context->moves = armnn_i_make_array(plan->move_count, sizeof *context->moves);
  context->handles = armnn_i_make_array(plan->handle_count, sizeof *context->handles);
  context->places = armnn_i_make_array((uint64_t)2 * plan->variable_count, sizeof(void*));
  context->fences = armnn_i_make_array(plan->fence_count, sizeof *context->fences);
  context->fence_steps = armnn_i_make_array(plan->fence_step_count, sizeof *context->fence_steps);
  if (plan->handle_count != 0) {
    context->operand_handles = armnn_i_make_array(plan->operand_count, sizeof(void*));
  }
  if (plan->bounded_count != 0) context->bounded = armnn_i_bounded_make(plan);
  if (plan->persistent_size != 0) {
    context->persistent = armnn_i_alloc(plan->persistent_size, ARMNN_CACHE_LINE);
  }
  if (context->flight == NULL || context->arena == NULL || context->pointers == NULL ||
      context->steps == NULL || context->externals == NULL || context->execution_data == NULL ||
      context->workload_data == NULL || context->fences == NULL || context->fence_steps == NULL ||
      context->moves == NULL || context->handles == NULL || context->places == NULL ||
      (plan->handle_count != 0 && context->operand_handles == NULL) ||
      (plan->persistent_size != 0 && context->persistent == NULL) ||
      (plan->bounded_count != 0 && context->bounded == NULL)) {
    const unsigned long long arena_size = plan->arena_size, state_size = plan->persistent_size;
    armnn_i_context_free(context);
    return armnn_i_fail(error, ARMNN_STATUS_OUT_OF_MEMORY,
                        "no memory for a context with an arena of %llu bytes%s%.0llu%s", arena_size,
                        state_size != 0 ? " and " : "", state_size,
                        state_size != 0 ? " bytes of state" : "");
  }
  memset((void*)context->steps, 0, (size_t)steps_size);
  clear_persistent(context);
  if (plan->execution_data_count != 0) {
    memcpy(context->execution_data, execution_data, plan->execution_data_count * sizeof(void*));
  }
  for (uint32_t i = 0; i < plan->handle_count; ++i) context->handles[i].handle = handles[i];
  fill_pointers(context);
  fill_steps(context);
  if (context->bounded != NULL) armnn_i_bounded_fill(context);
  fill_externals(context);
  fill_places(context);
  if (!armnn_i_guard_steps(context)) {
    armnn_i_context_free(context);
    return armnn_i_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no memory for a context");
  }
  armnn_i_thread_t* thread = armnn_i_thread();
  const uint32_t limit = thread->thread_limit;
  thread->thread_limit = plan->thread_limit;
  const armnn_status_t made = create_workload_data(context, error);
  thread->thread_limit = limit;
  if (made != ARMNN_STATUS_OK) {
    armnn_i_context_free(context);
    return made;
  }
  context->first_state = find_first_state(context);
  *out_context = context;
  return ARMNN_STATUS_OK;
}

void armnn_context_destroy(armnn_context_t* context) {
  if (context == NULL) return;
  int state = ARMNN_CONTEXT_IDLE;
  if (atomic_compare_exchange_strong(&context->state, &state, ARMNN_CONTEXT_ABANDONED)) {
    armnn_i_context_free(context);
    return;
  }
  /* A run is in flight. It is asked to stop, and frees the context when it has. */
  armnn_i_flight_cancel(context->flight);
  if (atomic_exchange(&context->state, ARMNN_CONTEXT_ABANDONED) == ARMNN_CONTEXT_IDLE) {
    armnn_i_context_free(context); /* it ended just now */
  }
}

armnn_status_t armnn_i_do_idle(armnn_context_t* context,
                               armnn_status_t (*work)(armnn_context_t* context,
                                                      const void* argument, armnn_error_t* error),
                               const void* argument, armnn_error_t* error) {
  int state = ARMNN_CONTEXT_IDLE;
  if (!atomic_compare_exchange_strong(&context->state, &state, ARMNN_CONTEXT_RUNNING)) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the context is running");
  }
  const armnn_status_t status = work(context, argument, error);
  state = ARMNN_CONTEXT_RUNNING;
  if (!atomic_compare_exchange_strong(&context->state, &state, ARMNN_CONTEXT_IDLE)) {
    armnn_i_context_free(context); /* destroyed meanwhile */
  }
  return status;
}

static armnn_status_t unimport_callers(armnn_context_t* context, const void* argument,
                                       armnn_error_t* error) {
  (void)argument;
  return armnn_i_unimport_callers(context, NULL, error);
}

armnn_status_t armnn_context_unimport(armnn_context_t* context, armnn_error_t* error) {
  if (context == NULL || context->plan->handle_count == 0) return ARMNN_STATUS_OK;
  return armnn_i_do_idle(context, unimport_callers, NULL, error);
}

int32_t armnn_context_has_state(const armnn_context_t* context) {
  return context != NULL && context->first_state != ARMNN_PLAN_NONE;
}

int32_t armnn_context_is_state_lost(const armnn_context_t* context) {
  return context != NULL && context->is_state_lost;
}

int32_t armnn_context_is_running(const armnn_context_t* context) {
  return context != NULL && atomic_load(&context->state) != ARMNN_CONTEXT_IDLE;
}

armnn_status_t armnn_context_reset(armnn_context_t* context, armnn_error_t* error) {
  return context == NULL ? ARMNN_STATUS_OK
                         : armnn_i_do_idle(context, reset_workload_data, NULL, error);
}

void armnn_context_cancel(armnn_context_t* context) {
  if (context != NULL) armnn_i_flight_cancel(context->flight);
}
