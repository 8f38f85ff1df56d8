/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * executor.c - one inference: bind the caller's addresses, call each step, report.
 *
 * Nothing is allocated and no lock is taken but that of serial workloads. What a step needs was
 * written when the context was made; a run patches only addresses that differ from those of the run
 * before.
 */
#include <string.h>

#include "core.h"

typedef armnn_i_walk_t walk_t;

/* ---- Addresses of the caller --------------------------------------------------------------- */

/* Points every operand that names |number| to the caller's |address| or to its staged copy. */
static armnn_status_t bind(armnn_context_t* context, uint32_t number, const void* address,
                           armnn_error_t* error) {
  const armnn_plan_t* plan = context->plan;
  armnn_i_external_t* external = &context->externals[number];
  const bool is_input = number < plan->input_count;
  const void* target = address;
  external->is_staged = false;
  if (address == NULL) {
    if (external->size != 0 && armnn_i_memory_of(context, number) == NULL) {
      external->bound = NULL;
      return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "%s %u of the run has no address",
                          is_input ? "input" : "output",
                          is_input ? number : number - plan->input_count);
    }
    target = context->arena; /* a workload would take null for "absent" */
  } else if (((uintptr_t)address & (external->alignment - 1)) != 0 ||
             !armnn_i_is_readable_behind(address, external->size, external->readable)) {
    external->is_staged = true; /* the check of the plan made sure that there is one */
    target = external->staging;
  }
  external->bound = address;
  armnn_i_patch(context, number, target);
  return ARMNN_STATUS_OK;
}

static armnn_status_t bind_all(armnn_context_t* context, armnn_run_t* run, armnn_error_t* error) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = 0; i < plan->input_count + plan->output_count; ++i) {
    armnn_i_external_t* external = &context->externals[i];
    const void* address =
        i < plan->input_count ? run->inputs[i] : run->outputs[i - plan->input_count];
    if (address != external->bound || address == NULL) {
      const armnn_status_t status = bind(context, i, address, error);
      if (status != ARMNN_STATUS_OK) return status;
    }
    if (external->is_staged && i < plan->input_count && armnn_i_memory_of(context, i) == NULL) {
      memcpy(external->staging, address, (size_t)external->size);
      ++run->copies;
      run->copied_bytes += external->size;
    }
  }
  return ARMNN_STATUS_OK;
}

static void copy_staged_outputs(armnn_context_t* context, armnn_run_t* run) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = 0; i < plan->output_count; ++i) {
    const armnn_i_external_t* external = &context->externals[plan->input_count + i];
    if (external->is_staged) {
      memcpy(run->outputs[i], external->staging, (size_t)external->size);
      ++run->copies;
      run->copied_bytes += external->size;
    }
  }
}

/* A step did not answer OK. Its own message stays; a step that was stopped is not to blame. */
static armnn_status_t step_failed(const walk_t* walk, uint32_t index, armnn_status_t status) {
  armnn_run_t* run = walk->run;
  armnn_status_t stopped;
  if (armnn_i_was_stopped(walk, status, &stopped)) return stopped;
  if (run->failed_step == ARMNN_PLAN_NONE) run->failed_step = index;
  return armnn_i_fail_if_silent(walk->error, status,
                                "step %u failed with status %d (%s) and gave no message", index,
                                status, armnn_i_status_name(status));
}

/* ---- What a backend leaves behind ---------------------------------------------------------- */

/* Reported once for each context: a layer that does it does it in every run. */
static void restore_float_control(const walk_t* walk, uint32_t index) {
  armnn_context_t* context = walk->context;
  if (context->is_float_told) {
    armnn_i_set_float_control(walk->float_control);
    return;
  }
  context->is_float_told = true;
  const armnn_plan_t* plan = context->plan;
  const char* words = plan->labels != NULL ? plan->labels[index] : NULL;
  armnn_i_restore_float_control(walk->float_control,
                                words != NULL ? words : plan->steps[index].name);
}

/* ---- Steps --------------------------------------------------------------------------------- */

static void trace_step(const armnn_context_t* context, uint32_t index, uint64_t begin) {
  const char* name = context->plan->steps[index].name;
  const uint64_t end = armnn_i_now_ns();
  armnn_i_trace_add(&armnn_i_core.trace, ARMNN_TRACE_EVENT_STEP,
                    (armnn_string_t){name, strlen(name)}, index, begin, end - begin);
}

/* Records the bytes that a step copied and, if a backend refused an import, its reason in |error|,
 * which the caller clears afterwards: the step itself succeeded. */
static void trace_copy(const armnn_context_t* context, uint32_t index, uint64_t bytes,
                       const armnn_error_t* error, uint64_t begin) {
  if (!context->plan->steps[index].moves) return;
  armnn_string_t words = {"", 0};
  if (error->text != NULL && error->capacity > 0) {
    const char* end = (const char*)memchr(error->text, '\0', (size_t)error->capacity);
    words.data = error->text;
    words.size = end != NULL ? (uint64_t)(end - error->text) : error->capacity;
  }
  if (bytes == 0 && words.size == 0) return;
  enum { MOST = sizeof((armnn_trace_event_t*)0)->name - 1, PIECES = 6 };
  for (int piece = 0; piece == 0 || (piece < PIECES && words.size != 0); ++piece) {
    uint64_t size = words.size < MOST ? words.size : MOST;
    while (size < words.size && size > 0 && ((unsigned char)words.data[size] & 0xC0) == 0x80) {
      --size; /* not inside a character */
    }
    if (size == 0) size = words.size < MOST ? words.size : MOST; /* not UTF-8 */
    armnn_i_trace_add(&armnn_i_core.trace, ARMNN_TRACE_EVENT_COPY,
                      (armnn_string_t){words.data, size}, piece == 0 ? bytes : 0, begin, 0);
    words.data += size;
    words.size -= size;
  }
}

/* After a run that ended early: a backend may still be at work on the caller's buffers. */
static void await_pending(walk_t* walk, bool traced) {
  armnn_context_t* context = walk->context;
  if (context->plan->fence_count != 0) armnn_i_drain(context, walk->begun);
  const uint32_t sync =
      walk->begun == 0 ? ARMNN_PLAN_NONE : context->plan->steps[walk->begun - 1].sync;
  if (sync == ARMNN_PLAN_NONE) return;
  armnn_error_t ignored = {{sizeof ignored, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  const armnn_i_step_t* step = &context->steps[sync];
  const uint64_t begin = traced ? armnn_i_now_ns() : 0;
  (void)step->execute(step->workload, &step->args, &ignored); /* the run's own failure counts */
  if (traced) trace_step(context, sync, begin);
}

/* |traced| is a constant where this is inlined: of the two loops one has no clock calls. */
__attribute__((always_inline)) static inline armnn_status_t walk_steps(walk_t* walk,
                                                                       const bool traced) {
  armnn_context_t* const context = walk->context;
  armnn_run_t* const run = walk->run;
  armnn_error_t* const error = walk->error;
  const uint32_t step_count = context->plan->step_count;
  const armnn_i_error_place_t* const place = armnn_i_thread()->error_place;
  const bool watched = walk->next_look_ns != UINT64_MAX;
  uint64_t time = traced ? armnn_i_now_ns() : 0;
  for (uint32_t i = 0; i < step_count; ++i) {
    armnn_i_step_t* step = &context->steps[i];
    run->steps_done = i;
    if (ARMNN_UNLIKELY(armnn_i_is_cancelled(walk))) return armnn_i_stop_cancelled(walk);
    if (watched) {
      const armnn_status_t status = armnn_i_watch(walk);
      if (ARMNN_UNLIKELY(status != ARMNN_STATUS_OK)) return status;
    }
    step->args.run_id = walk->run_id;
    walk->begun = i + 1;
    const uint64_t copied = traced ? run->copied_bytes : 0;
    const armnn_status_t status = step->execute(step->workload, &step->args, error);
    armnn_i_empty_x87();
    if (ARMNN_UNLIKELY(armnn_i_float_control() != walk->float_control)) {
      restore_float_control(walk, i);
    }
    if (ARMNN_UNLIKELY(armnn_i_error_is_moved(error, place))) armnn_i_mend_error(error);
    if (traced) {
      if (status == ARMNN_STATUS_OK)
        trace_copy(context, i, run->copied_bytes - copied, error, time);
      trace_step(context, i, time);
      time = armnn_i_now_ns();
    }
    if (ARMNN_UNLIKELY(status != ARMNN_STATUS_OK)) return step_failed(walk, i, status);
    /* What a step wrote on its way to success must not become the message of a later one. */
    if (ARMNN_UNLIKELY(armnn_i_error_is_used(error))) armnn_i_error_clear(error);
  }
  run->steps_done = step_count;
  return ARMNN_STATUS_OK;
}

static armnn_status_t walk_untraced(walk_t* walk) {
  const armnn_status_t status = walk_steps(walk, false);
  if (ARMNN_UNLIKELY(status != ARMNN_STATUS_OK)) await_pending(walk, false);
  return status;
}

static armnn_status_t walk_traced(walk_t* walk) {
  armnn_i_thread_t* thread = armnn_i_thread();
  const armnn_i_scope_t outer = thread->scope;
  thread->scope.plan = (uint64_t)(uintptr_t)walk->context->plan;
  thread->scope.run_id = walk->run_id;
  const uint64_t begin = armnn_i_now_ns();
  const armnn_status_t status = walk_steps(walk, true);
  if (status != ARMNN_STATUS_OK) await_pending(walk, true);
  static const char name[] = "run";
  armnn_i_trace_add(&armnn_i_core.trace, ARMNN_TRACE_EVENT_RUN,
                    (armnn_string_t){name, sizeof name - 1}, walk->run_id, begin,
                    armnn_i_now_ns() - begin);
  thread->scope = outer;
  return status;
}

/* The caller may free its memory after the run. If the run has failed, that counts more than a
 * failure to unimport. */
static armnn_status_t give_memory_back(armnn_context_t* context, armnn_run_t* run,
                                       armnn_status_t status, armnn_error_t* error) {
  armnn_error_t ignored = {{sizeof ignored, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  const bool is_ok = status == ARMNN_STATUS_OK;
  uint32_t step = ARMNN_PLAN_NONE;
  const armnn_status_t answer = armnn_i_unimport_callers(context, &step, is_ok ? error : &ignored);
  if (!is_ok || answer == ARMNN_STATUS_OK) return status;
  run->failed_step = step;
  run->failed_side = ARMNN_RUN_SIDE_TARGET;
  return answer;
}

/* Before the steps, for runs with |memories|. */
static armnn_status_t begin_memories(armnn_context_t* context, armnn_error_t* error) {
  const armnn_plan_t* plan = context->plan;
  armnn_status_t status = ARMNN_STATUS_OK;
  for (uint32_t i = 0; i < plan->input_count + plan->output_count; ++i) {
    armnn_i_external_t* external = &context->externals[i];
    external->is_ready = external->is_open = external->is_lent = false;
  }
  for (uint32_t i = 0; i < plan->input_count + plan->output_count; ++i) {
    const armnn_i_external_t* external = &context->externals[i];
    if (context->run->memories[i] == NULL || status != ARMNN_STATUS_OK) continue;
    if (external->copy_out != NULL) status = armnn_i_lend_memory(external->copy_out, error);
    if (status == ARMNN_STATUS_OK && plan->is_touched[i]) {
      status = armnn_i_open_memory(context, i, error);
    }
  }
  return status;
}

/* Begin of the run for the backends that want to hear of it; |out_told| of them get its end. */
static armnn_status_t begin_for_listeners(const walk_t* walk, uint32_t* out_told) {
  armnn_status_t status = armnn_i_tell_begin(walk->context, out_told, walk->error);
  walk->run->beside = 0;
  if (status == ARMNN_STATUS_OK) return status;
  if (armnn_i_was_stopped(walk, status, &status)) {
    walk->run->failed_listener = ARMNN_PLAN_NONE;
    return status;
  }
  return armnn_i_fail_if_silent(walk->error, status,
                                "before_run failed with status %d (%s) and gave no message", status,
                                armnn_i_status_name(status));
}

/* What comes after the steps can be named, and stops for nobody. */
static void begin_tail(walk_t* walk, armnn_i_thread_t* thread) {
  const armnn_plan_t* plan = walk->context->plan;
  walk->next_look_ns = walk->next_interrupt_ns = UINT64_MAX;
  walk->run->beside = plan->step_count + 2 * plan->listener_count + 1;
  thread->walk = walk;
}

/* Whether backends may have been called besides the steps, after each of which it was looked at. */
static bool has_called_beside(const armnn_context_t* context, uint32_t told,
                              armnn_status_t status) {
  const armnn_plan_t* plan = context->plan;
  return told != 0 || context->run->memories != NULL || plan->handle_count != 0 ||
         plan->fence_count != 0 || status != ARMNN_STATUS_OK;
}

/* With the context taken. */
static armnn_status_t run_in(armnn_context_t* context, armnn_run_t* run, armnn_error_t* error) {
  walk_t walk = {.context = context,
                 .run = run,
                 .error = error,
                 .next_look_ns = UINT64_MAX,
                 .next_interrupt_ns = UINT64_MAX,
                 .float_control = armnn_i_float_control()};
  context->run = run;
  if (ARMNN_UNLIKELY(context->bounded != NULL && !context->bounded->has_shapes)) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the context has no shapes yet");
  }
  if (ARMNN_UNLIKELY(context->is_state_lost)) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "the state of the workloads is not known, because a run failed");
  }
  armnn_status_t status = bind_all(context, run, error);
  if (status != ARMNN_STATUS_OK) return status;
  const bool listened = context->plan->listener_count != 0;
  uint32_t told = 0;
  walk.run_id = armnn_i_flight_begin(context->flight, run->deadline_ns);
  run->run_id = walk.run_id;
  if (run->deadline_ns != 0 && armnn_i_now_ns() >= run->deadline_ns) {
    status = armnn_i_stop_run(&walk, ARMNN_STATUS_TIMEOUT, "passed its deadline");
  } else {
    armnn_i_thread_t* thread = armnn_i_thread();
    walk_t* const outer = thread->walk; /* of a run whose interrupt started this one */
    const uint32_t limit = thread->thread_limit;
    if (ARMNN_UNLIKELY(context->plan->labels != NULL)) armnn_i_note_thread(thread);
    thread->thread_limit = context->plan->thread_limit;
    armnn_i_begin_watch(&walk);
    thread->walk = &walk;
    if (ARMNN_UNLIKELY(listened)) status = begin_for_listeners(&walk, &told);
    if (run->memories != NULL && status == ARMNN_STATUS_OK) {
      status = begin_memories(context, error);
    }
    if (ARMNN_LIKELY(status == ARMNN_STATUS_OK)) {
      status =
          armnn_i_trace_enabled(&armnn_i_core.trace) ? walk_traced(&walk) : walk_untraced(&walk);
    }
    thread->walk = outer;
    thread->thread_limit = limit;
  }
  armnn_i_flight_end(context->flight);
  armnn_i_thread_t* thread = armnn_i_thread();
  walk_t* const outer = thread->walk;
  if (ARMNN_UNLIKELY(context->plan->labels != NULL)) begin_tail(&walk, thread);
  /* An interrupt in the last step: its exception will end the caller's run, so that must fail. */
  if (ARMNN_UNLIKELY(walk.interrupted) && status == ARMNN_STATUS_OK &&
      (context->plan->variable_count != 0 || context->first_state != ARMNN_PLAN_NONE)) {
    status = armnn_i_stop_cancelled(&walk);
  }
  if (context->plan->fence_count != 0) armnn_i_drop_fences(context);
  if (ARMNN_UNLIKELY(status != ARMNN_STATUS_OK)) armnn_i_unmap_all(context);
  if (status == ARMNN_STATUS_OK) copy_staged_outputs(context, run);
  if (run->memories != NULL) status = armnn_i_end_memories(context, status, error);
  if (context->plan->handle_count != 0 && run->stays == 0) {
    status = give_memory_back(context, run, status, error);
  }
  if (context->plan->variable_count != 0 && status == ARMNN_STATUS_OK) {
    armnn_i_exchange_variables(context);
  }
  if (ARMNN_UNLIKELY(status != ARMNN_STATUS_OK) && context->first_state != ARMNN_PLAN_NONE &&
      walk.begun > context->first_state) {
    context->is_state_lost = true;
  }
  if (ARMNN_UNLIKELY(told != 0)) armnn_i_tell_end(context, told, status);
  run->beside = 0;
  thread->walk = outer;
  if (thread->keeps_awake != 0 && outer == NULL) { /* also of a call of the tail */
    armnn_i_pool_run_ended(&armnn_i_core.pool, thread);
  }
  armnn_i_empty_x87();
  if (has_called_beside(context, told, status) &&
      ARMNN_UNLIKELY(armnn_i_float_control() != walk.float_control)) {
    armnn_i_restore_float_control(walk.float_control, "a call of a backend around a run");
  }
  return status;
}

armnn_status_t armnn_context_run(armnn_run_t* run) {
  if (run == NULL || run->header.struct_type != ARMNN_STRUCT_RUN ||
      run->header.struct_size != sizeof *run) {
    return ARMNN_STATUS_INVALID_ARGUMENT;
  }
  armnn_error_t without_text = {{sizeof without_text, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  armnn_error_t* error = run->error != NULL ? run->error : &without_text;
  armnn_i_error_clear(error);
  run->failed_step = ARMNN_PLAN_NONE;
  run->failed_side = ARMNN_RUN_SIDE_NONE;
  run->failed_listener = ARMNN_PLAN_NONE;
  run->steps_done = 0;
  run->run_id = 0;
  run->copies = 0;
  run->copied_bytes = 0;
  run->beside = 0;
  armnn_context_t* context = run->context;
  if (context == NULL) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the run has no context");
  }
  if ((run->inputs == NULL && context->plan->input_count != 0) ||
      (run->outputs == NULL && context->plan->output_count != 0)) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "the run's list of inputs or outputs is null");
  }
  int state = ARMNN_CONTEXT_IDLE;
  if (!atomic_compare_exchange_strong_explicit(&context->state, &state, ARMNN_CONTEXT_RUNNING,
                                               memory_order_acquire, memory_order_relaxed)) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "the context is running already; one context runs one inference at a time");
  }
  run->is_running = 1;
  armnn_i_thread_t* thread = armnn_i_thread();
  const armnn_i_error_place_t* const outer = thread->error_place;
  const armnn_i_error_place_t place = {error, error->text, error->capacity};
  thread->error_place = &place;
  const armnn_status_t status = run_in(context, run, error);
  armnn_i_mend_error(error);
  thread->error_place = outer;
  run->is_running = 0;
  state = ARMNN_CONTEXT_RUNNING;
  if (!atomic_compare_exchange_strong(&context->state, &state, ARMNN_CONTEXT_IDLE)) {
    armnn_i_context_free(context); /* destroyed meanwhile */
  }
  return status;
}
