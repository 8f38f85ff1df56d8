/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * poison.c - what a step must not touch of its context's memory, for an address sanitizer to see.
 *
 * Tensors share one block of memory, so a sanitizer takes a write behind one of them for one to its
 * neighbour. Where the process has the sanitizer, all of the block is poisoned while a step runs,
 * but for its own tensors and scratch. Without the sanitizer nothing of this is there.
 */
#include "core.h"

/* Of the sanitizer's library; null in a process without it. */
extern void __asan_poison_memory_region(const volatile void* address, size_t size)
    __attribute__((weak));
extern void __asan_unpoison_memory_region(const volatile void* address, size_t size)
    __attribute__((weak));

/* The workload that a guarded step calls. */
typedef struct armnn_i_guard_t {
  armnn_workload_t base; /* without a table */
  armnn_context_t* context;
  armnn_i_execute_fn_t execute;
  armnn_workload_t* workload;
  uint32_t index;
} armnn_i_guard_t;

static void forbid(const armnn_context_t* context) {
  const armnn_plan_t* plan = context->plan;
  __asan_poison_memory_region(context->arena, (size_t)plan->arena_size);
  if (plan->persistent_size != 0) {
    __asan_poison_memory_region(context->persistent, (size_t)plan->persistent_size);
  }
}

void armnn_i_unguard(const armnn_context_t* context) {
  if (context->guards == NULL) return;
  const armnn_plan_t* plan = context->plan;
  __asan_unpoison_memory_region(context->arena, (size_t)plan->arena_size);
  if (plan->persistent_size != 0) {
    __asan_unpoison_memory_region(context->persistent, (size_t)plan->persistent_size);
  }
}

/* Allows |size| bytes at |address| if they are the context's. */
static void allow(const armnn_context_t* context, const void* address, uint64_t size) {
  const uintptr_t begin = (uintptr_t)context->arena, at = (uintptr_t)address;
  const uint64_t arena_size = context->plan->arena_size;
  if (at < begin || at - begin >= arena_size) return;
  const uint64_t room = arena_size - (at - begin);
  __asan_unpoison_memory_region(address, (size_t)(size < room ? size : room));
}

static armnn_status_t guarded_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                      armnn_error_t* error) {
  const armnn_i_guard_t* guard = (const armnn_i_guard_t*)workload;
  const armnn_context_t* context = guard->context;
  const armnn_plan_t* plan = context->plan;
  const armnn_i_plan_step_t* step = &plan->steps[guard->index];
  forbid(context);
  for (uint32_t i = 0; i < step->input_count + step->output_count; ++i) {
    const uint32_t operand = step->first_operand + i;
    if (plan->operands[operand] == ARMNN_PLAN_NONE) continue;
    const armnn_plan_tensor_t* tensor = &plan->tensors[plan->operands[operand]];
    allow(context, context->pointers[operand], tensor->size + tensor->readable);
  }
  allow(context, args->scratch, args->scratch_size);
  if (step->persistent_size != 0) {
    __asan_unpoison_memory_region(context->persistent + step->persistent_offset,
                                  (size_t)step->persistent_size);
  }
  const armnn_status_t status = guard->execute(guard->workload, args, error);
  armnn_i_unguard(context);
  return status;
}

/* Whether all memory that a step touches is among its operands, and no other step runs meanwhile.
 */
static bool can_be_guarded(const armnn_plan_t* plan) {
  if (plan->handle_count != 0 || plan->fence_count != 0) return false;
  for (uint32_t i = 0; i < plan->step_count; ++i) {
    if (plan->steps[i].sync != ARMNN_PLAN_NONE) return false;
  }
  return true;
}

bool armnn_i_guard_steps(armnn_context_t* context) {
  const armnn_plan_t* plan = context->plan;
  if (__asan_poison_memory_region == NULL || __asan_unpoison_memory_region == NULL) return true;
  if (!can_be_guarded(plan)) return true;
  context->guards = armnn_i_make_array(plan->step_count, sizeof *context->guards);
  if (context->guards == NULL) return false;
  for (uint32_t i = 0; i < plan->step_count; ++i) {
    armnn_i_step_t* step = &context->steps[i];
    if (plan->steps[i].kind != ARMNN_PLAN_STEP_EXECUTE) continue;
    context->guards[i] = (armnn_i_guard_t){
        .context = context, .execute = step->execute, .workload = step->workload, .index = i};
    step->execute = guarded_execute;
    step->workload = &context->guards[i].base;
  }
  return true;
}
