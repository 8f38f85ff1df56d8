/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * From a layer to something that the host executes. A workload keeps no address: it asks the
 * tensors of each call where they lie now.
 */
#include "zero.h"

typedef struct zero_workloads_t {
  armnn_workload_factory_t base;
  zero_backend_t* backend;
  int in_place;
} zero_workloads_t;

/* What one execution context remembers between its workloads. */
typedef struct zero_context_t {
  uint64_t last_run;
  int ran;
} zero_context_t;

static void destroy(armnn_workload_t* workload) { free(workload); }

/* What has no elements needs no memory. */
static armnn_status_t check_memory(const zero_call_t* call, armnn_error_t* error) {
  const armnn_workload_info_t* info = call->info;
  for (uint32_t i = 0; i < info->input_count; ++i) {
    const armnn_tensor_info_t* input = info->input_infos[i];
    if (input != NULL && input->element_count != 0 && zero_in(call, i) == NULL) {
      return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "input %u of layer '%.*s' has no memory", i, (int)info->name.size,
                        info->name.size != 0 ? info->name.data : "");
    }
  }
  for (uint32_t i = 0; i < info->output_count; ++i) {
    if (info->output_infos[i]->element_count != 0 && zero_out(call, i) == NULL) {
      return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "output %u of layer '%.*s' has no memory", i, (int)info->name.size,
                        info->name.size != 0 ? info->name.data : "");
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                              armnn_error_t* error) {
  const zero_workload_t* self = (const zero_workload_t*)workload;
  zero_context_t* context = (zero_context_t*)args->execution_data;
  zero_call_t call = {self, self->info, args};
  armnn_workload_info_t info; /* with the sizes of this call */
  if (ARMNN_HAS(args, armnn_execute_args_t, output_infos) && args->input_infos != NULL) {
    const size_t size = self->info->header.struct_size; /* an older host's is shorter */
    memset(&info, 0, sizeof info);
    memcpy(&info, self->info, size < sizeof info ? size : sizeof info);
    info.input_infos = args->input_infos;
    info.output_infos = args->output_infos;
    call.info = &info;
  }
  ARMNN_RETURN_IF_ERROR(check_memory(&call, error));
  if (context != NULL && (!context->ran || context->last_run != args->run_id)) {
    context->ran = 1;
    context->last_run = args->run_id;
    zero_count(self->backend, ZERO_RUNS, 1);
  }
  zero_count(self->backend, ZERO_KERNELS, 1);
  zero_trace(self->backend, ARMNN_TRACE_BEGIN, self->layer->kernel_name, self->info->guid);
  armnn_status_t status = self->layer->kernel(&call, error);
  zero_trace(self->backend, ARMNN_TRACE_END, self->layer->kernel_name, self->info->guid);
  return status;
}

static void get_requirements(armnn_workload_t* workload, armnn_workload_requirements_t* out) {
  const zero_workload_t* self = (const zero_workload_t*)workload;
  const armnn_workload_info_t* info = self->info;
  /* What an older host's structure lacks is not written: it would be behind its end. */
  if (ARMNN_HAS(out, armnn_workload_requirements_t, tensor_alignment)) {
    out->tensor_alignment = ZERO_ALIGNMENT; /* so that what the host holds can be imported */
  }
  if (!self->in_place || !ARMNN_HAS(out, armnn_workload_requirements_t, in_place_mask)) return;
  for (uint32_t i = 0; i < info->input_count && i < 64; ++i) {
    if (info->input_infos[i] != NULL &&
        info->input_infos[i]->element_count == info->output_infos[0]->element_count) {
      out->in_place_mask |= UINT64_C(1) << i;
    }
  }
}

static const char* get_kernel_name(armnn_workload_t* workload) {
  return ((const zero_workload_t*)workload)->layer->kernel_name;
}

static const armnn_workload_api_t workload_api = {
    .header = {sizeof(armnn_workload_api_t), ARMNN_STRUCT_WORKLOAD},
    .destroy = destroy,
    .execute = execute,
    .get_requirements = get_requirements,
    .get_kernel_name = get_kernel_name,
};

/* ---- The factory --------------------------------------------------------------------------- */

static void factory_destroy(armnn_workload_factory_t* factory) { free(factory); }

static armnn_status_t create_workload(armnn_workload_factory_t* factory,
                                      const armnn_workload_info_t* info,
                                      armnn_workload_t** out_workload, armnn_error_t* error) {
  const zero_workloads_t* self = (const zero_workloads_t*)factory;
  const armnn_layer_query_t query = {
      .header = {sizeof(armnn_layer_query_t), ARMNN_STRUCT_LAYER_QUERY},
      .type = info->type,
      .input_count = info->input_count,
      .output_count = info->output_count,
      .descriptor = info->descriptor,
      .input_infos = info->input_infos,
      .output_infos = info->output_infos,
      .fields_used = info->fields_used,
  };
  *out_workload = NULL;
  const zero_layer_t* layer = zero_find_layer(&query, error);
  if (layer == NULL) return ARMNN_STATUS_UNSUPPORTED;
  zero_workload_t* workload = (zero_workload_t*)calloc(1, sizeof *workload);
  if (workload == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  workload->base.api = &workload_api;
  workload->backend = self->backend;
  workload->info = info; /* stays valid as long as the workload */
  workload->layer = layer;
  workload->in_place = self->in_place && layer->in_place;
  *out_workload = &workload->base;
  return ARMNN_STATUS_OK;
}

static armnn_status_t create_execution_data(armnn_workload_factory_t* factory, void** out_data,
                                            armnn_error_t* error) {
  (void)factory;
  *out_data = calloc(1, sizeof(zero_context_t));
  if (*out_data == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  return ARMNN_STATUS_OK;
}

static void destroy_execution_data(armnn_workload_factory_t* factory, void* data) {
  (void)factory;
  free(data);
}

static const armnn_workload_factory_api_t factory_api = {
    .header = {sizeof(armnn_workload_factory_api_t), ARMNN_STRUCT_WORKLOAD_FACTORY},
    .destroy = factory_destroy,
    .create_workload = create_workload,
    .create_execution_data = create_execution_data,
    .destroy_execution_data = destroy_execution_data,
};

armnn_status_t zero_create_workload_factory(armnn_backend_t* backend,
                                            const armnn_factory_args_t* args,
                                            armnn_workload_factory_t** out_factory,
                                            armnn_error_t* error) {
  zero_workloads_t* factory = (zero_workloads_t*)calloc(1, sizeof *factory);
  *out_factory = NULL;
  if (factory == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  factory->base.api = &factory_api;
  factory->backend = (zero_backend_t*)backend;
  factory->in_place = zero_option(args->model_options, "in_place", 1);
  *out_factory = &factory->base;
  return ARMNN_STATUS_OK;
}
