/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * workload.c - programs as PRE_COMPILED layers, and what the kit's rows do with them.
 *
 * An operator must not run twice at a time, so operators belong to an execution context: they are
 * the state of a kernel there.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "armnn/compile_kit.h"
#include "xn.h"

/* ---- optimize_subgraph_view ---------------------------------------------------------------- */

static void blob_release(void* object) { xn_program_free(object); }

armnn_status_t xn_optimize(armnn_backend_t* backend, const armnn_subgraph_t* part,
                           const armnn_options_t* model_options,
                           const armnn_optimization_sink_t* sink, armnn_error_t* error) {
  (void)backend;
  (void)model_options;
  char text[256] = "";
  armnn_error_t why = {{sizeof why, ARMNN_STRUCT_ERROR}, 0, 0, text, sizeof text, 0};
  xn_program_t* program = NULL;
  armnn_status_t status = xn_compile(part, false, &program, &why);
  if (status == ARMNN_STATUS_UNSUPPORTED) {
    status = armnn_leave_part(sink, part, NULL, text);
  } else if (status == ARMNN_STATUS_OK) {
    /* XNNPACK has no way to write an operator, so the blob has no bytes: where a network is saved,
     * its file keeps the layers, and they are compiled again. */
    const armnn_blob_t blob = {.header = {sizeof blob, ARMNN_STRUCT_BLOB},
                               .object = program,
                               .release = blob_release,
                               .compatibility = {XN_PROGRAM, sizeof XN_PROGRAM - 1}};
    status = armnn_replace_part(sink, part, NULL, "xnnpack", &blob);
  } else {
    return armnn_fail(error, status, "%s", text);
  }
  if (status == ARMNN_STATUS_OK) return status;
  return armnn_fail(error, status, "the host did not take the answer");
}

/* ---- Rows ---------------------------------------------------------------------------------- */

typedef struct prepared_t {
  const xn_program_t* program;
  xn_program_t* own;         /* the same, if it was made here and not by the optimiser */
  armnn_layer_part_t* layer; /* what that was made from, or null */
  /* For the first context: made early, so that errors come early. */
  _Atomic(xn_instance_t*) spare;
} prepared_t;

void xn_release(void* prepared, const armnn_host_t* host) {
  prepared_t* self = prepared;
  (void)host;
  xn_instance_free(atomic_load(&self->spare));
  xn_program_free(self->own);
  free(self->layer);
  free(self);
}

/* The program of a compiled part, or one made of a single layer: there is one way to run anything.
 */
static armnn_status_t find_program(prepared_t* self, const armnn_workload_info_t* info,
                                   armnn_error_t* error) {
  self->program = armnn_part_object(info, XN_PROGRAM);
  if (self->program != NULL) return ARMNN_STATUS_OK;
  if (info->type == ARMNN_LAYER_PRE_COMPILED) {
    return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE, "the compiled part is not one of %s",
                      XN_ID);
  }
  self->layer = armnn_part_of_layer(info);
  if (self->layer == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  ARMNN_RETURN_IF_ERROR(xn_compile(&self->layer->part, true, &self->own, error));
  self->program = self->own;
  return ARMNN_STATUS_OK;
}

static void say_requirements(const prepared_t* self, const armnn_workload_info_t* info,
                             armnn_workload_requirements_t* requirements) {
  const xn_program_t* program = self->program;
  requirements->scratch_size = program->scratch_size;
  requirements->packed_size = program->memory_size;
  requirements->operations = xn_count_operations(program);
  if (self->layer != NULL) requirements->consumed_mask = self->layer->consumed;
  for (uint32_t t = 0; t < program->tensor_count; ++t) {
    const xn_tensor_t* tensor = &program->tensors[t];
    uint32_t operand = tensor->index;
    if (tensor->place == XN_OUTPUT) {
      operand += info->input_count;
    } else if (tensor->place == XN_INPUT) {
      if (self->layer != NULL) operand = self->layer->inputs[operand];
    } else {
      continue;
    }
    armnn_tensor_needs_t* needs = armnn_needs_of(requirements, operand);
    /* XNNPACK loads whole vectors, also at the end of a tensor; all its loads are unaligned. */
    if (tensor->is_read) needs->readable_bytes = XNN_EXTRA_BYTES;
  }
}

armnn_status_t xn_prepare(const armnn_workload_info_t* info, const armnn_host_t* host,
                          armnn_backend_t* backend, void** out_prepared,
                          armnn_workload_requirements_t* requirements, armnn_error_t* error) {
  prepared_t* self = calloc(1, sizeof *self);
  if (self == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  xn_instance_t* instance = NULL;
  armnn_status_t status = find_program(self, info, error);
  if (status == ARMNN_STATUS_OK) {
    status = xn_instance_create(self->program, armnn_kit_user(backend), &instance, error);
  }
  if (status != ARMNN_STATUS_OK) {
    xn_release(self, host);
    return status;
  }
  atomic_init(&self->spare, instance);
  say_requirements(self, info, requirements);
  *out_prepared = self;
  return ARMNN_STATUS_OK;
}

armnn_status_t xn_create_state(const armnn_workload_info_t* info, const void* prepared,
                               const armnn_host_t* host, armnn_backend_t* backend, void** out_state,
                               armnn_error_t* error) {
  prepared_t* self = (prepared_t*)(uintptr_t)prepared; /* |spare| is taken out of it */
  (void)info, (void)host;
  xn_instance_t* instance = atomic_exchange(&self->spare, NULL);
  armnn_status_t status = ARMNN_STATUS_OK;
  if (instance == NULL) {
    status = xn_instance_create(self->program, armnn_kit_user(backend), &instance, error);
  }
  *out_state = instance;
  return status;
}

void xn_destroy_state(void* state, const armnn_host_t* host) {
  (void)host;
  xn_instance_free(state);
}

armnn_status_t xnnpack_program(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const prepared_t* self = call->prepared;
  return xn_instance_run(call->state, call, self->layer != NULL ? self->layer->inputs : NULL,
                         armnn_kit_user(call->backend), error);
}
