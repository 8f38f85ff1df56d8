/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * program.c - programs and their instances, which run.
 *
 * An operator of XNNPACK holds the addresses that it was set up with, and its own packed copy of
 * the weights. So each execution context has an instance of its own. Addresses in scratch stay what
 * they were from run to run; only steps at the border of the part are set up anew.
 */
#include <stdlib.h>
#include <string.h>

#include "xn.h"

void xn_program_free(xn_program_t* program) {
  if (program == NULL) return;
  for (uint32_t m = 0; m < program->memory_count; ++m) free(program->memory[m]);
  free(program->memory);
  free(program->tensors);
  free(program->steps);
  free(program);
}

uint64_t xn_count_operations(const xn_program_t* program) {
  uint64_t count = 0;
  for (uint32_t s = 0; s < program->step_count; ++s) {
    const xn_step_t* step = &program->steps[s];
    const uint64_t taps = (uint64_t)step->kernel_height * step->kernel_width;
    if (step->kind == XN_CONVOLUTION || step->kind == XN_FULLY_CONNECTED) {
      const uint64_t reads = step->kind == XN_FULLY_CONNECTED ? 1 : taps;
      const uint64_t groups = step->kind == XN_FULLY_CONNECTED ? 1 : step->groups;
      const uint64_t results = program->tensors[step->output].bytes / step->element;
      count += 2 * results * reads * (step->channels / groups);
    } else if (step->kind == XN_TRANSPOSE_CONVOLUTION) {
      const uint64_t elements = program->tensors[step->inputs[0]].bytes / step->element;
      count += 2 * elements * taps * (step->out_channels / step->groups);
    }
  }
  return count;
}

void xn_instance_free(xn_instance_t* instance) {
  if (instance == NULL) return;
  for (uint32_t s = 0; instance->operators != NULL && s < instance->program->step_count; ++s) {
    if (instance->operators[s] != NULL) xnn_delete_operator(instance->operators[s]);
  }
  free(instance->operators);
  free(instance->addresses);
  free(instance->known);
  free(instance);
}

static armnn_status_t refuse(const xn_step_t* step, const char* what, enum xnn_status status,
                             armnn_error_t* error) {
  return armnn_fail(
      error,
      status == xnn_status_out_of_memory ? ARMNN_STATUS_OUT_OF_MEMORY : ARMNN_STATUS_INTERNAL,
      "%s: XNNPACK could not %s it: %s", xn_step_name(step), what, xn_status_text(status));
}

/* Sets each operator up for addresses that nobody will use, so that XNNPACK makes what it needs for
 * these shapes now: no run allocates. */
static armnn_status_t make_operators(xn_instance_t* self, pthreadpool_t pool,
                                     armnn_error_t* error) {
  void* nowhere = (void*)(uintptr_t)4096;
  for (uint32_t s = 0; s < self->program->step_count; ++s) {
    const xn_step_t* step = &self->program->steps[s];
    if (step->kind >= XN_OWN) continue;
    enum xnn_status status = xn_operator_create(step, &self->operators[s]);
    if (status != xnn_status_success) return refuse(step, "make", status, error);
    status = xn_operator_setup(step, self->operators[s], nowhere, nowhere, nowhere, pool);
    if (status != xnn_status_success) return refuse(step, "set up", status, error);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t xn_instance_create(const xn_program_t* program, pthreadpool_t pool,
                                  xn_instance_t** out_instance, armnn_error_t* error) {
  xn_instance_t* self = calloc(1, sizeof *self);
  *out_instance = NULL;
  armnn_status_t status = ARMNN_STATUS_OUT_OF_MEMORY;
  if (self != NULL) {
    self->program = program;
    self->operators = calloc((size_t)program->step_count + 1, sizeof *self->operators);
    self->addresses = calloc((size_t)program->tensor_count + 1, sizeof *self->addresses);
    self->known = calloc((size_t)program->step_count * 3 + 1, sizeof *self->known);
    if (self->operators != NULL && self->addresses != NULL && self->known != NULL) {
      status = make_operators(self, pool, error);
    }
  }
  if (status == ARMNN_STATUS_OK) {
    *out_instance = self;
    return status;
  }
  xn_instance_free(self);
  if (status != ARMNN_STATUS_OUT_OF_MEMORY) return status;
  return armnn_fail(error, status, "out of memory for the operators of a network");
}

static void find_addresses(xn_instance_t* self, const armnn_kernel_call_t* call,
                           const uint32_t* places) {
  const xn_program_t* program = self->program;
  for (uint32_t t = 0; t < program->tensor_count; ++t) {
    const xn_tensor_t* tensor = &program->tensors[t];
    if (tensor->place == XN_INPUT) {
      const uint32_t place = places != NULL ? places[tensor->index] : tensor->index;
      self->addresses[t] = (void*)(uintptr_t)call->inputs[place];
    } else if (tensor->place == XN_OUTPUT) {
      self->addresses[t] = call->outputs[tensor->index];
    } else if (tensor->place == XN_CONSTANT) {
      self->addresses[t] = (void*)(uintptr_t)tensor->constant;
    } else if (self->scratch != call->scratch) {
      self->addresses[t] = (char*)call->scratch + tensor->offset;
    }
  }
  self->scratch = call->scratch;
}

armnn_status_t xn_instance_run(xn_instance_t* self, const armnn_kernel_call_t* call,
                               const uint32_t* places, pthreadpool_t pool, armnn_error_t* error) {
  const armnn_host_t* host = call->host;
  const xn_program_t* program = self->program;
  const bool traces = ARMNN_HAS_FN(host, armnn_host_t, trace);
  const bool asks = ARMNN_HAS_FN(host, armnn_host_t, cancelled);
  const uint32_t threads = (uint32_t)pthreadpool_get_threads_count(pool);
  /* How an operator cuts its work into pieces depends on the number of threads. */
  const bool is_new = threads != self->threads;
  self->threads = threads;
  find_addresses(self, call, places);
  for (uint32_t s = 0; s < program->step_count; ++s) {
    const xn_step_t* step = &program->steps[s];
    const char* name = xn_step_name(step);
    void** known = &self->known[3 * (size_t)s];
    void* now[3] = {self->addresses[step->inputs[0]],
                    step->inputs[1] == XN_NONE ? NULL : self->addresses[step->inputs[1]],
                    self->addresses[step->output]};
    if (asks && host->cancelled(host->context, call->run_id) != 0) {
      return armnn_fail(error, ARMNN_STATUS_CANCELLED, "stopped before a %s", name);
    }
    const armnn_string_t text = {name, strlen(name)};
    if (traces) host->trace(host->context, ARMNN_TRACE_BEGIN, text, step->guid);
    enum xnn_status status = xnn_status_success;
    if (step->kind >= XN_OWN) {
      xn_run_own(step, now[0], now[2], host);
    } else {
      if (is_new || memcmp(known, now, sizeof now) != 0) {
        status = xn_operator_setup(step, self->operators[s], now[0], now[1], now[2], pool);
        memcpy(known, now, sizeof now);
      }
      if (status == xnn_status_success) status = xnn_run_operator(self->operators[s], pool);
    }
    if (traces) host->trace(host->context, ARMNN_TRACE_END, text, step->guid);
    if (status != xnn_status_success) {
      memset(known, 0, sizeof now);
      self->threads = 0;
      return refuse(step, "run", status, error);
    }
  }
  return ARMNN_STATUS_OK;
}
