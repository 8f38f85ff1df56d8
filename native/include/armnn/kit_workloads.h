/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kit_workloads.h - workloads of rows, and their factory; part of backend_kit.h. Of interest to
 * those who fill in a table themselves.
 */
#ifndef ARMNN_KIT_WORKLOADS_H_
#define ARMNN_KIT_WORKLOADS_H_

#include "armnn/kit_support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The object of create_workload_factory. */
typedef struct armnn_kit_factory_t {
  armnn_workload_factory_t base;
  const armnn_host_t* host;
  armnn_backend_t* backend;
  const armnn_kit_definition_t* definition;
  armnn_options_t* model_options; /* a copy, or null */
} armnn_kit_factory_t;

/* The object of create_workload. */
typedef struct armnn_kit_workload_t {
  armnn_workload_t base;
  armnn_i_info_t info;
  const armnn_kernel_t* kernel;
  const char* name;
  const armnn_host_t* host;
  armnn_backend_t* backend;
  void* prepared;
  armnn_workload_requirements_t requirements;
} armnn_kit_workload_t;

/* ---- Workloads ------------------------------------------------------------------------------- */

static inline void armnn_i_workload_destroy(armnn_workload_t* workload) ARMNN_NOEXCEPT {
  armnn_kit_workload_t* self = (armnn_kit_workload_t*)workload;
  if (self->kernel->release != NULL) self->kernel->release(self->prepared, self->host);
  free(self);
}

static inline armnn_status_t armnn_i_workload_execute(armnn_workload_t* workload,
                                                      const armnn_execute_args_t* args,
                                                      armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
  armnn_kernel_call_t call;
  armnn_i_info_t info; /* with the shapes of this call */
  call.info = &self->info.base;
  call.output_dims = NULL;
  if (self->kernel->takes_bounded != NULL && ARMNN_HAS(args, armnn_execute_args_t, output_dims) &&
      args->input_infos != NULL) {
    info = self->info;
    info.base.input_infos = args->input_infos;
    info.base.output_infos = args->output_infos;
    call.info = &info.base;
    call.output_dims = args->output_dims;
  }
  call.inputs = args->inputs;
  call.outputs = args->outputs;
  call.scratch = args->scratch;
  call.prepared = self->prepared;
  call.host = self->host;
  call.backend = self->backend;
  call.run_id = args->run_id;
  call.state = ARMNN_HAS(args, armnn_execute_args_t, workload_data) ? args->workload_data : NULL;
  call.run_data = args->execution_data;
  return self->kernel->execute(&call, error);
}

static inline void armnn_i_workload_requirements(
    armnn_workload_t* workload, armnn_workload_requirements_t* out_requirements) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
  armnn_header_t header = out_requirements->header;
  memcpy(out_requirements, &self->requirements,
         header.struct_size < sizeof self->requirements ? header.struct_size
                                                        : sizeof self->requirements);
  out_requirements->header = header;
}

static inline const char* armnn_i_workload_kernel_name(armnn_workload_t* workload) ARMNN_NOEXCEPT {
  return ((const armnn_kit_workload_t*)workload)->name;
}

static inline armnn_status_t armnn_i_create_workload_data(armnn_workload_t* workload,
                                                          void* execution_data, void** out_data,
                                                          armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
  (void)execution_data; /* the kit makes none */
  *out_data = NULL;
  return self->kernel->create_state(&self->info.base, self->prepared, self->host, self->backend,
                                    out_data, error);
}

static inline armnn_status_t armnn_i_reset_workload_data(armnn_workload_t* workload, void* data,
                                                         armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
  return self->kernel->reset_state(data, self->prepared, error);
}

static inline void armnn_i_destroy_workload_data(armnn_workload_t* workload,
                                                 void* data) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
  if (self->kernel->destroy_state != NULL) self->kernel->destroy_state(data, self->host);
}

#define ARMNN_I_WORKLOAD                                                   \
  ARMNN_SET(header, {sizeof(armnn_workload_api_t), ARMNN_STRUCT_WORKLOAD}) \
  ARMNN_SET(destroy, armnn_i_workload_destroy)                             \
  ARMNN_SET(execute, armnn_i_workload_execute)                             \
  ARMNN_SET(get_requirements, armnn_i_workload_requirements)               \
  ARMNN_SET(get_kernel_name, armnn_i_workload_kernel_name)
#define ARMNN_I_WORKLOAD_DATA                                   \
  ARMNN_SET(create_workload_data, armnn_i_create_workload_data) \
  ARMNN_SET(destroy_workload_data, armnn_i_destroy_workload_data)
#define ARMNN_I_WORKLOAD_STATE                                  \
  ARMNN_SET(create_workload_data, armnn_i_create_workload_data) \
  ARMNN_SET(reset_workload_data, armnn_i_reset_workload_data)   \
  ARMNN_SET(destroy_workload_data, armnn_i_destroy_workload_data)
static const armnn_workload_api_t armnn_i_workload_api =
    ARMNN_INIT(armnn_workload_api_t, ARMNN_I_WORKLOAD);
/* Of a kernel with create_state and no reset_state: what one run leaves is nothing to the next. */
static const armnn_workload_api_t armnn_i_data_workload_api =
    ARMNN_INIT(armnn_workload_api_t, ARMNN_I_WORKLOAD ARMNN_I_WORKLOAD_DATA);
/* Of a kernel with both. */
static const armnn_workload_api_t armnn_i_state_workload_api =
    ARMNN_INIT(armnn_workload_api_t, ARMNN_I_WORKLOAD ARMNN_I_WORKLOAD_STATE);

/* ---- Their factory --------------------------------------------------------------------------- */

/* destroy of what armnn_kit_create_workload_factory makes. */
static inline void armnn_kit_factory_destroy(armnn_workload_factory_t* factory) ARMNN_NOEXCEPT {
  free(((armnn_kit_factory_t*)factory)->model_options);
  free(factory);
}

/* A row of "armnn::guarded<add_f32>" (guard.hpp) is named "add_f32": where that begins and ends. */
static inline const char* armnn_i_own_name(const char* name, size_t* out_size) {
  static const char guard[] = "armnn::guarded<";
  const size_t size = strlen(name), skipped = sizeof guard - 1;
  *out_size = size;
  if (size <= skipped + 1 || memcmp(name, guard, skipped) != 0 || name[size - 1] != '>') {
    return name;
  }
  *out_size = size - skipped - 1;
  return name + skipped;
}

/* Empty needs of |count| tensors for prepare to fill in, from |memory| for as many pointers and
 * structures. */
static inline const armnn_tensor_needs_t* const* armnn_i_empty_needs(void* memory, uint32_t count) {
  armnn_tensor_needs_t** needs = (armnn_tensor_needs_t**)memory;
  armnn_tensor_needs_t* items = (armnn_tensor_needs_t*)(needs + count);
  for (uint32_t i = 0; i < count; ++i) {
    items[i].header.struct_size = sizeof items[i];
    items[i].header.struct_type = ARMNN_STRUCT_TENSOR_NEEDS;
    needs[i] = &items[i];
  }
  return (const armnn_tensor_needs_t* const*)needs;
}

/* Does a tensor among these need anything? Most prepare functions fill in nothing. */
static inline int armnn_i_has_needs(const armnn_tensor_needs_t* const* needs, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (needs[i]->alignment != 0 || needs[i]->readable_bytes != 0 || needs[i]->in_place_mask != 0 ||
        needs[i]->flags != 0) {
      return 1;
    }
  }
  return 0;
}

/* create_workload of such a factory. */
static inline armnn_status_t armnn_kit_create_workload(armnn_workload_factory_t* factory,
                                                       const armnn_workload_info_t* info,
                                                       armnn_workload_t** out_workload,
                                                       armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_factory_t* self = (const armnn_kit_factory_t*)factory;
  *out_workload = NULL;
  armnn_i_query_t query;
  memset(&query, 0, sizeof query);
  query.base.header.struct_size = sizeof query.base;
  query.base.header.struct_type = ARMNN_STRUCT_LAYER_QUERY;
  query.base.type = info->type;
  query.base.input_count = info->input_count;
  query.base.output_count = info->output_count;
  query.base.descriptor = info->descriptor;
  query.base.input_infos = info->input_infos;
  query.base.output_infos = info->output_infos;
  query.base.fields_used = info->fields_used;
  query.model_options = self->model_options;
  query.backend = self->backend;
  const armnn_kernel_t* kernel = armnn_i_find(self->definition, &query, error);
  if (kernel == NULL) return ARMNN_STATUS_UNSUPPORTED;
  const uint32_t tensors = kernel->prepare == NULL ? 0 : info->input_count + info->output_count;
  const size_t needs_size = tensors * (sizeof(armnn_tensor_needs_t) + sizeof(void*));
  size_t name_size = 0;
  const char* name = kernel->name == NULL ? NULL : armnn_i_own_name(kernel->name, &name_size);
  armnn_kit_workload_t* workload =
      (armnn_kit_workload_t*)calloc(1, sizeof *workload + needs_size + name_size + 1);
  if (workload == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  if (name != NULL) {
    char* text = (char*)(workload + 1) + needs_size;
    memcpy(text, name, name_size);
    workload->name = text;
  }
  const uint32_t info_size = info->header.struct_size < sizeof workload->info.base
                                 ? info->header.struct_size
                                 : (uint32_t)sizeof workload->info.base;
  memcpy(&workload->info.base, info, info_size);
  workload->info.base.header.struct_size = info_size;
  workload->info.model_options = self->model_options;
  workload->base.api = kernel->create_state == NULL  ? &armnn_i_workload_api
                       : kernel->reset_state == NULL ? &armnn_i_data_workload_api
                                                     : &armnn_i_state_workload_api;
  workload->kernel = kernel;
  workload->host = self->host;
  workload->backend = self->backend;
  workload->requirements.header.struct_size = sizeof workload->requirements;
  workload->requirements.header.struct_type = ARMNN_STRUCT_WORKLOAD_REQUIREMENTS;
  workload->requirements.tensor_alignment = 1; /* plain C kernels: aligned to their elements */
  if (kernel->prepare != NULL) {
    const armnn_tensor_needs_t* const* needs = armnn_i_empty_needs(workload + 1, tensors);
    workload->requirements.tensors = needs;
    armnn_status_t status = kernel->prepare(&workload->info.base, self->host, self->backend,
                                            &workload->prepared, &workload->requirements, error);
    if (status != ARMNN_STATUS_OK) {
      free(workload);
      return status;
    }
    if (workload->requirements.tensors == needs && !armnn_i_has_needs(needs, tensors)) {
      workload->requirements.tensors = NULL;
    }
  }
  *out_workload = &workload->base;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_i_create_execution_data(armnn_workload_factory_t* factory,
                                                           void** out_data,
                                                           armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = ((const armnn_kit_factory_t*)factory)->definition->hooks;
  *out_data = NULL;
  if (hooks == NULL || hooks->run_data_size == 0 || hooks->run_data_size == ARMNN_KIT_NO_RUN_DATA) {
    return ARMNN_STATUS_OK;
  }
  *out_data = calloc(1, (size_t)hooks->run_data_size);
  if (*out_data == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  return ARMNN_STATUS_OK;
}

static inline void armnn_i_destroy_execution_data(armnn_workload_factory_t* factory,
                                                  void* data) ARMNN_NOEXCEPT {
  (void)factory;
  free(data);
}

static const armnn_workload_factory_api_t armnn_i_workload_factory_api = ARMNN_INIT(
    armnn_workload_factory_api_t,
    ARMNN_SET(header, {sizeof(armnn_workload_factory_api_t), ARMNN_STRUCT_WORKLOAD_FACTORY})
        ARMNN_SET(destroy, armnn_kit_factory_destroy)
            ARMNN_SET(create_workload, armnn_kit_create_workload)
                ARMNN_SET(create_execution_data, armnn_i_create_execution_data)
                    ARMNN_SET(destroy_execution_data, armnn_i_destroy_execution_data));

/* create_workload_factory of such an instance. */
static inline armnn_status_t armnn_kit_create_workload_factory(
    armnn_backend_t* backend, const armnn_factory_args_t* args,
    armnn_workload_factory_t** out_factory, armnn_error_t* error) ARMNN_NOEXCEPT {
  /* Host memory only: no managers, no handles. */
  const armnn_kit_backend_t* self = (const armnn_kit_backend_t*)backend;
  armnn_kit_factory_t* factory = (armnn_kit_factory_t*)calloc(1, sizeof *factory);
  *out_factory = NULL;
  if (factory == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  factory->base.api = &armnn_i_workload_factory_api;
  factory->host = self->host;
  factory->backend = backend;
  factory->definition = self->definition;
  const armnn_options_t* given = args != NULL ? args->model_options : NULL;
  factory->model_options = armnn_copy_options(given);
  if (factory->model_options == NULL && given != NULL) {
    free(factory);
    return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  }
  *out_factory = &factory->base;
  return ARMNN_STATUS_OK;
}

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_KIT_WORKLOADS_H_ */
