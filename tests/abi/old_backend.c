/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * old_backend.c - a backend as somebody wrote it against the first header, without the kit: one
 * float32 Add. Built from the frozen headers it stands for the files that exist in the world.
 *
 * OLD_SHORT_TABLES: every table states the smallest size there can be, as if all later members had
 * come with later minors; what lies behind is poison that a host must not read.
 */
#include <stdlib.h>
#include <string.h>

#include "armnn/backend_api.h"

#ifdef OLD_SHORT_TABLES
#define OLD_SIZE(type, last) ARMNN_MEMBER_END(type, last)
#define OLD_POISON(function) function
#else
#define OLD_SIZE(type, last) ((uint32_t)sizeof(type))
#define OLD_POISON(function) NULL
#endif

static armnn_status_t old_refuse(armnn_error_t* error, armnn_status_t code, const char* text) {
  if (error != NULL) {
    size_t size = strlen(text) + 1;
    error->code = code;
    error->needed = size;
    if (error->text != NULL && error->capacity >= size) memcpy(error->text, text, size);
  }
  return code;
}

/* Workload */

typedef struct old_workload_t {
  armnn_workload_t base;
  const armnn_workload_info_t* info;
} old_workload_t;

static void old_workload_destroy(armnn_workload_t* workload) { free(workload); }

static armnn_status_t old_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                  armnn_error_t* error) {
  const old_workload_t* self = (const old_workload_t*)workload;
  const float* x = (const float*)args->inputs[0];
  const float* y = (const float*)args->inputs[1];
  float* sum = (float*)args->outputs[0];
  (void)error;
  for (uint64_t i = 0; i < self->info->output_infos[0]->element_count; ++i) sum[i] = x[i] + y[i];
  return ARMNN_STATUS_OK;
}

#ifdef OLD_SHORT_TABLES
static void old_poison_requirements(armnn_workload_t* workload,
                                    armnn_workload_requirements_t* out_requirements) {
  (void)workload;
  out_requirements->tensor_alignment = 3; /* no power of two: no plan takes it */
}

static const char* old_poison_name(armnn_workload_t* workload) {
  (void)workload;
  return "beyond the stated size";
}
#endif

static const armnn_workload_api_t old_workload_api = {
    .header = {OLD_SIZE(armnn_workload_api_t, execute), ARMNN_STRUCT_WORKLOAD},
    .destroy = old_workload_destroy,
    .execute = old_execute,
    .get_requirements = OLD_POISON(old_poison_requirements),
    .get_kernel_name = OLD_POISON(old_poison_name),
};

/* Layer support */

static int old_is_float_add(int32_t type, const armnn_header_t* descriptor,
                            const armnn_tensor_info_t* const* inputs,
                            const armnn_tensor_info_t* const* outputs) {
  if (type != ARMNN_LAYER_ELEMENTWISE_BINARY) return 0;
  if (((const armnn_elementwise_binary_descriptor_t*)descriptor)->operation != ARMNN_BINARY_ADD) {
    return 0;
  }
  for (int i = 0; i < 2; ++i) {
    if (inputs[i]->data_type != ARMNN_DATA_TYPE_FLOAT32) return 0;
    if (inputs[i]->element_count != outputs[0]->element_count) return 0;
  }
  return 1;
}

static void old_support_destroy(armnn_layer_support_t* support) { free(support); }

static armnn_status_t old_is_layer_supported(armnn_layer_support_t* support,
                                             const armnn_layer_query_t* query,
                                             armnn_error_t* reason) {
  (void)support;
  if (old_is_float_add(query->type, query->descriptor, query->input_infos, query->output_infos)) {
    return ARMNN_STATUS_OK;
  }
  return old_refuse(reason, ARMNN_STATUS_UNSUPPORTED, "only float32 Add of equal sizes");
}

static const armnn_layer_support_api_t old_support_api = {
    .header = {OLD_SIZE(armnn_layer_support_api_t, is_layer_supported), ARMNN_STRUCT_LAYER_SUPPORT},
    .destroy = old_support_destroy,
    .is_layer_supported = old_is_layer_supported,
};

/* Workload factory */

static void old_factory_destroy(armnn_workload_factory_t* factory) { free(factory); }

static armnn_status_t old_create_workload(armnn_workload_factory_t* factory,
                                          const armnn_workload_info_t* info,
                                          armnn_workload_t** out_workload, armnn_error_t* error) {
  (void)factory;
  *out_workload = NULL;
  if (!old_is_float_add(info->type, info->descriptor, info->input_infos, info->output_infos)) {
    return old_refuse(error, ARMNN_STATUS_UNSUPPORTED, "only float32 Add of equal sizes");
  }
  old_workload_t* workload = (old_workload_t*)calloc(1, sizeof *workload);
  if (workload == NULL) return old_refuse(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  workload->base.api = &old_workload_api;
  workload->info = info;
  *out_workload = &workload->base;
  return ARMNN_STATUS_OK;
}

#ifdef OLD_SHORT_TABLES
static armnn_status_t old_poison_after(armnn_workload_factory_t* factory, armnn_error_t* error) {
  (void)factory;
  return old_refuse(error, ARMNN_STATUS_INTERNAL, "beyond the stated size");
}

static armnn_status_t old_poison_data(armnn_workload_factory_t* factory, void** out_data,
                                      armnn_error_t* error) {
  *out_data = NULL;
  return old_poison_after(factory, error);
}
#endif

static const armnn_workload_factory_api_t old_factory_api = {
    .header = {OLD_SIZE(armnn_workload_factory_api_t, create_workload),
               ARMNN_STRUCT_WORKLOAD_FACTORY},
    .destroy = old_factory_destroy,
    .create_workload = old_create_workload,
    .after_workloads_created = OLD_POISON(old_poison_after),
    .create_execution_data = OLD_POISON(old_poison_data),
};

/* Backend */

static const armnn_backend_api_t old_backend_api;

static armnn_status_t old_create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                                 armnn_error_t* error) {
  (void)args;
  armnn_backend_t* backend = (armnn_backend_t*)calloc(1, sizeof *backend);
  *out_backend = backend;
  if (backend == NULL) return old_refuse(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  backend->api = &old_backend_api;
  return ARMNN_STATUS_OK;
}

static void old_destroy(armnn_backend_t* backend) { free(backend); }

static const char* old_get_id(armnn_backend_t* backend) {
  (void)backend;
  return "OldAdd";
}

static armnn_status_t old_create_factory(armnn_backend_t* backend, const armnn_factory_args_t* args,
                                         armnn_workload_factory_t** out_factory,
                                         armnn_error_t* error) {
  (void)backend;
  (void)args;
  *out_factory = (armnn_workload_factory_t*)calloc(1, sizeof **out_factory);
  if (*out_factory == NULL) return old_refuse(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  (*out_factory)->api = &old_factory_api;
  return ARMNN_STATUS_OK;
}

static armnn_status_t old_get_layer_support(armnn_backend_t* backend,
                                            const armnn_options_t* model_options,
                                            armnn_layer_support_t** out_support,
                                            armnn_error_t* error) {
  (void)backend;
  (void)model_options;
  *out_support = (armnn_layer_support_t*)calloc(1, sizeof **out_support);
  if (*out_support == NULL) return old_refuse(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  (*out_support)->api = &old_support_api;
  return ARMNN_STATUS_OK;
}

#ifdef OLD_SHORT_TABLES
static armnn_status_t old_poison_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                          armnn_error_t* error) {
  (void)backend;
  (void)out_options;
  return old_refuse(error, ARMNN_STATUS_INTERNAL, "beyond the stated size");
}

static armnn_status_t old_poison_quiesce(armnn_backend_t* backend, uint64_t timeout_ns,
                                         armnn_error_t* error) {
  (void)timeout_ns;
  return old_poison_defaults(backend, NULL, error);
}
#endif

static const armnn_backend_api_t old_backend_api = {
    .header = {OLD_SIZE(armnn_backend_api_t, get_layer_support), ARMNN_STRUCT_BACKEND},
    .built_minor = ARMNN_BACKEND_API_MINOR,
    .flags = ARMNN_BACKEND_UNLOADABLE,
    .score = 5,
    .vendor_version = "2019",
    .create = old_create,
    .destroy = old_destroy,
    .get_id = old_get_id,
    .create_workload_factory = old_create_factory,
    .get_layer_support = old_get_layer_support,
    .get_option_defaults = OLD_POISON(old_poison_defaults),
    .quiesce = OLD_POISON(old_poison_quiesce),
};

const char* GetBackendId(void) { return "OldAdd"; }

void GetVersion(uint32_t* out_major, uint32_t* out_minor) {
  *out_major = ARMNN_BACKEND_API_MAJOR;
  *out_minor = ARMNN_TARGET_MINOR;
}

void* BackendFactory(void) { return (void*)(uintptr_t)&old_backend_api; }
