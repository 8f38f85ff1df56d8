/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * between_runs.c - what a caller sets and reads in a context between two runs: shapes of bounded
 * steps, values of variables.
 */
#include "core.h"

/* ---- Shapes -------------------------------------------------------------------------------- */

static armnn_status_t set_shapes(armnn_context_t* context, const void* argument,
                                 armnn_error_t* error) {
  (void)error;
  armnn_i_bounded_set_shapes(context, (const armnn_plan_shapes_t*)argument);
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_context_set_shapes(armnn_context_t* context, const armnn_plan_shapes_t* shapes,
                                        armnn_error_t* error) {
  if (context == NULL || context->bounded == NULL) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "no step is bounded");
  }
  const armnn_status_t status = armnn_i_check_shapes(context->plan, shapes, error);
  return status != ARMNN_STATUS_OK ? status : armnn_i_do_idle(context, set_shapes, shapes, error);
}

/* ---- Variables ----------------------------------------------------------------------------- */

typedef struct access_t {
  uint32_t index;
  void* memory;
  bool writes;
} access_t;

static armnn_status_t move_variable(armnn_context_t* context, const void* argument,
                                    armnn_error_t* error) {
  const access_t* access = (const access_t*)argument;
  return armnn_i_move_variable(context, access->index, access->memory, access->writes, error);
}

static armnn_status_t access_variable(armnn_context_t* context, uint32_t index, void* memory,
                                      uint64_t size, bool writes, armnn_error_t* error) {
  if (context == NULL || index >= context->plan->variable_count) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the context has no variable %u",
                        index);
  }
  const armnn_plan_t* plan = context->plan;
  const uint64_t expected = plan->tensors[plan->variables[index].value].size;
  if (size != expected || (memory == NULL && size != 0)) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "variable %u has %llu bytes, %llu given%s", index,
                        (unsigned long long)expected, (unsigned long long)size,
                        memory == NULL ? " at no address" : "");
  }
  const access_t access = {index, memory, writes};
  return armnn_i_do_idle(context, move_variable, &access, error);
}

armnn_status_t armnn_context_read_variable(armnn_context_t* context, uint32_t index,
                                           void* out_memory, uint64_t size, armnn_error_t* error) {
  return access_variable(context, index, out_memory, size, false, error);
}

armnn_status_t armnn_context_write_variable(armnn_context_t* context, uint32_t index,
                                            const void* memory, uint64_t size,
                                            armnn_error_t* error) {
  return access_variable(context, index, (void*)(uintptr_t)memory, size, true, error);
}
