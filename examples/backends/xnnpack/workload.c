/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * workload.c - programs as PRE_COMPILED layers, workloads, and what an execution context has.
 *
 * An operator must not run twice at a time, so operators belong to an execution context: they are
 * the data of a workload there.
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

/* ---- Workloads ----------------------------------------------------------------------------- */

typedef struct workload_t {
  armnn_workload_t base;
  const xn_backend_t* backend;
  const xn_program_t* program;
  xn_program_t* own;         /* the same, if it was made here and not by the optimiser */
  armnn_layer_part_t* layer; /* what that was made from, or null */
  /* For the first context: made early, so that errors come early. */
  _Atomic(xn_instance_t*) spare;
  const armnn_tensor_needs_t* needs[]; /* of inputs, then outputs */
} workload_t;

typedef struct workload_factory_t {
  armnn_workload_factory_t base;
  xn_backend_t* backend;
} workload_factory_t;

static void workload_destroy(armnn_workload_t* workload) {
  workload_t* self = (workload_t*)workload;
  xn_instance_free(atomic_load(&self->spare));
  xn_program_free(self->own);
  free(self->layer);
  free(self);
}

static armnn_status_t workload_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  const workload_t* self = (const workload_t*)workload;
  xn_instance_t* instance = args->workload_data;
  if (instance == NULL) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "%s needs its workload data", XN_ID);
  }
  return xn_instance_run(instance, args, self->layer != NULL ? self->layer->inputs : NULL,
                         self->backend->host, self->backend->pool, error);
}

static void workload_requirements(armnn_workload_t* workload,
                                  armnn_workload_requirements_t* out_requirements) {
  const workload_t* self = (const workload_t*)workload;
  out_requirements->scratch_size = self->program->scratch_size;
  out_requirements->tensor_alignment = sizeof(float); /* all loads of XNNPACK are unaligned ones */
  out_requirements->tensors = self->needs;
  out_requirements->packed_size = self->program->memory_size;
  out_requirements->operations = xn_count_operations(self->program);
  if (self->layer != NULL) out_requirements->consumed_mask = self->layer->consumed;
}

/* XNNPACK loads whole vectors, also at the end of a tensor. */
static void find_needs(workload_t* self, const armnn_workload_info_t* info) {
  static const armnn_tensor_needs_t behind = {{sizeof behind, ARMNN_STRUCT_TENSOR_NEEDS},
                                              .readable_bytes = XNN_EXTRA_BYTES};
  for (uint32_t t = 0; t < self->program->tensor_count; ++t) {
    const xn_tensor_t* tensor = &self->program->tensors[t];
    if (!tensor->is_read) continue;
    if (tensor->place == XN_INPUT) {
      const uint32_t* places = self->layer != NULL ? self->layer->inputs : NULL;
      self->needs[places != NULL ? places[tensor->index] : tensor->index] = &behind;
    } else if (tensor->place == XN_OUTPUT) {
      self->needs[info->input_count + tensor->index] = &behind;
    }
  }
}

static const char* workload_kernel_name(armnn_workload_t* workload) {
  const workload_t* self = (const workload_t*)workload;
  return self->own != NULL && self->program->step_count > 0 ? xn_step_name(self->program->steps)
                                                            : "xnnpack program";
}

static armnn_status_t create_workload_data(armnn_workload_t* workload, void* execution_data,
                                           void** out_data, armnn_error_t* error) {
  workload_t* self = (workload_t*)workload;
  (void)execution_data;
  xn_instance_t* instance = atomic_exchange(&self->spare, NULL);
  armnn_status_t status = ARMNN_STATUS_OK;
  if (instance == NULL) {
    status = xn_instance_create(self->program, self->backend->pool, &instance, error);
  }
  *out_data = instance;
  return status;
}

static void destroy_workload_data(armnn_workload_t* workload, void* data) {
  (void)workload;
  xn_instance_free(data);
}

static const armnn_workload_api_t workload_api = {
    .header = {sizeof workload_api, ARMNN_STRUCT_WORKLOAD},
    .destroy = workload_destroy,
    .execute = workload_execute,
    .get_requirements = workload_requirements,
    .get_kernel_name = workload_kernel_name,
    .create_workload_data = create_workload_data,
    .destroy_workload_data = destroy_workload_data,
};

/* The program of a compiled part, or one made of a single layer: there is one way to run anything.
 */
static armnn_status_t find_program(workload_t* self, const armnn_workload_info_t* info,
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

static armnn_status_t create_workload(armnn_workload_factory_t* factory,
                                      const armnn_workload_info_t* info,
                                      armnn_workload_t** out_workload, armnn_error_t* error) {
  const workload_factory_t* maker = (const workload_factory_t*)factory;
  const size_t tensors = (size_t)info->input_count + info->output_count;
  workload_t* self = calloc(1, sizeof *self + tensors * sizeof self->needs[0]);
  *out_workload = NULL;
  if (self == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &workload_api;
  self->backend = maker->backend;
  armnn_status_t status = find_program(self, info, error);
  xn_instance_t* instance = NULL;
  if (status == ARMNN_STATUS_OK) {
    status = xn_instance_create(self->program, maker->backend->pool, &instance, error);
  }
  if (status == ARMNN_STATUS_OK) {
    atomic_init(&self->spare, instance);
    find_needs(self, info);
    *out_workload = &self->base;
  } else {
    workload_destroy(&self->base);
  }
  return status;
}

static void factory_destroy(armnn_workload_factory_t* factory) { free(factory); }

static const armnn_workload_factory_api_t factory_api = {
    .header = {sizeof factory_api, ARMNN_STRUCT_WORKLOAD_FACTORY},
    .destroy = factory_destroy,
    .create_workload = create_workload,
};

armnn_status_t xn_create_workload_factory(armnn_backend_t* backend,
                                          const armnn_factory_args_t* args,
                                          armnn_workload_factory_t** out_factory,
                                          armnn_error_t* error) {
  (void)args; /* host memory, no options */
  workload_factory_t* self = calloc(1, sizeof *self);
  *out_factory = NULL;
  if (self == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &factory_api;
  self->backend = (xn_backend_t*)backend;
  *out_factory = &self->base;
  return ARMNN_STATUS_OK;
}
