/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * short_tables.c - a backend without the kit that computes one float32 Add.
 *
 * SHORT_TABLES: every table states the smallest size there can be, as if all later members had
 * come with later minors; what lies behind is poison that a host must not read.
 */
#include <stdlib.h>
#include <string.h>

#include "armnn/backend_api.h"

#ifdef SHORT_TABLES
#define SHORT_SIZE(type, last) ARMNN_MEMBER_END(type, last)
#define SHORT_POISON(function) function
#else
#define SHORT_SIZE(type, last) ((uint32_t)sizeof(type))
#define SHORT_POISON(function) NULL
#endif

static armnn_status_t short_refuse(armnn_error_t* error, armnn_status_t code, const char* text) {
  if (error != NULL) {
    size_t size = strlen(text) + 1;
    error->code = code;
    error->needed = size;
    if (error->text != NULL && error->capacity >= size) memcpy(error->text, text, size);
  }
  return code;
}

/* Workload */

typedef struct short_workload_t {
  armnn_workload_t base;
  const armnn_workload_info_t* info;
} short_workload_t;

static void short_workload_destroy(armnn_workload_t* workload) { free(workload); }

static armnn_status_t short_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                    armnn_error_t* error) {
  const short_workload_t* self = (const short_workload_t*)workload;
  const float* x = (const float*)args->inputs[0];
  const float* y = (const float*)args->inputs[1];
  float* sum = (float*)args->outputs[0];
  (void)error;
  for (uint64_t i = 0; i < self->info->output_infos[0]->element_count; ++i) sum[i] = x[i] + y[i];
  return ARMNN_STATUS_OK;
}

#ifdef SHORT_TABLES
static void short_poison_requirements(armnn_workload_t* workload,
                                      armnn_workload_requirements_t* out_requirements) {
  (void)workload;
  out_requirements->tensor_alignment = 3; /* no power of two: no plan takes it */
}

static const char* short_poison_name(armnn_workload_t* workload) {
  (void)workload;
  return "beyond the stated size";
}
#endif

static const armnn_workload_api_t short_workload_api = {
    .header = {SHORT_SIZE(armnn_workload_api_t, execute), ARMNN_STRUCT_WORKLOAD},
    .destroy = short_workload_destroy,
    .execute = short_execute,
    .get_requirements = SHORT_POISON(short_poison_requirements),
    .get_kernel_name = SHORT_POISON(short_poison_name),
};

/* Layer support */

static int short_is_float_add(int32_t type, const armnn_header_t* descriptor,
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

static void short_support_destroy(armnn_layer_support_t* support) { free(support); }

static armnn_status_t short_is_layer_supported(armnn_layer_support_t* support,
                                               const armnn_layer_query_t* query,
                                               armnn_error_t* reason) {
  (void)support;
  if (short_is_float_add(query->type, query->descriptor, query->input_infos, query->output_infos)) {
    return ARMNN_STATUS_OK;
  }
  return short_refuse(reason, ARMNN_STATUS_UNSUPPORTED, "only float32 Add of equal sizes");
}

static const armnn_layer_support_api_t short_support_api = {
    .header = {SHORT_SIZE(armnn_layer_support_api_t, is_layer_supported),
               ARMNN_STRUCT_LAYER_SUPPORT},
    .destroy = short_support_destroy,
    .is_layer_supported = short_is_layer_supported,
};

/* Workload factory */

static void short_factory_destroy(armnn_workload_factory_t* factory) { free(factory); }

static armnn_status_t short_create_workload(armnn_workload_factory_t* factory,
                                            const armnn_workload_info_t* info,
                                            armnn_workload_t** out_workload, armnn_error_t* error) {
  (void)factory;
  *out_workload = NULL;
  if (!short_is_float_add(info->type, info->descriptor, info->input_infos, info->output_infos)) {
    return short_refuse(error, ARMNN_STATUS_UNSUPPORTED, "only float32 Add of equal sizes");
  }
  short_workload_t* workload = (short_workload_t*)calloc(1, sizeof *workload);
  if (workload == NULL) return short_refuse(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  workload->base.api = &short_workload_api;
  workload->info = info;
  *out_workload = &workload->base;
  return ARMNN_STATUS_OK;
}

#ifdef SHORT_TABLES
static armnn_status_t short_poison_after(armnn_workload_factory_t* factory, armnn_error_t* error) {
  (void)factory;
  return short_refuse(error, ARMNN_STATUS_INTERNAL, "beyond the stated size");
}

static armnn_status_t short_poison_data(armnn_workload_factory_t* factory, void** out_data,
                                        armnn_error_t* error) {
  *out_data = NULL;
  return short_poison_after(factory, error);
}
#endif

static const armnn_workload_factory_api_t short_factory_api = {
    .header = {SHORT_SIZE(armnn_workload_factory_api_t, create_workload),
               ARMNN_STRUCT_WORKLOAD_FACTORY},
    .destroy = short_factory_destroy,
    .create_workload = short_create_workload,
    .after_workloads_created = SHORT_POISON(short_poison_after),
    .create_execution_data = SHORT_POISON(short_poison_data),
};

/* Backend */

static const armnn_backend_api_t short_backend_api;

static armnn_status_t short_create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                                   armnn_error_t* error) {
  (void)args;
  armnn_backend_t* backend = (armnn_backend_t*)calloc(1, sizeof *backend);
  *out_backend = backend;
  if (backend == NULL) return short_refuse(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  backend->api = &short_backend_api;
  return ARMNN_STATUS_OK;
}

static void short_destroy(armnn_backend_t* backend) { free(backend); }

static const char* short_get_id(armnn_backend_t* backend) {
  (void)backend;
  return "ShortAdd";
}

static armnn_status_t short_create_factory(armnn_backend_t* backend,
                                           const armnn_factory_args_t* args,
                                           armnn_workload_factory_t** out_factory,
                                           armnn_error_t* error) {
  (void)backend;
  (void)args;
  *out_factory = (armnn_workload_factory_t*)calloc(1, sizeof **out_factory);
  if (*out_factory == NULL) return short_refuse(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  (*out_factory)->api = &short_factory_api;
  return ARMNN_STATUS_OK;
}

static armnn_status_t short_get_layer_support(armnn_backend_t* backend,
                                              const armnn_options_t* model_options,
                                              armnn_layer_support_t** out_support,
                                              armnn_error_t* error) {
  (void)backend;
  (void)model_options;
  *out_support = (armnn_layer_support_t*)calloc(1, sizeof **out_support);
  if (*out_support == NULL) return short_refuse(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  (*out_support)->api = &short_support_api;
  return ARMNN_STATUS_OK;
}

#ifdef SHORT_TABLES
static armnn_status_t short_poison_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                            armnn_error_t* error) {
  (void)backend;
  (void)out_options;
  return short_refuse(error, ARMNN_STATUS_INTERNAL, "beyond the stated size");
}

static armnn_status_t short_poison_quiesce(armnn_backend_t* backend, uint64_t timeout_ns,
                                           armnn_error_t* error) {
  (void)timeout_ns;
  return short_poison_defaults(backend, NULL, error);
}
#endif

static const armnn_backend_api_t short_backend_api = {
    .header = {SHORT_SIZE(armnn_backend_api_t, get_layer_support), ARMNN_STRUCT_BACKEND},
    .built_minor = ARMNN_BACKEND_API_MINOR,
    .flags = ARMNN_BACKEND_UNLOADABLE,
    .score = 5,
    .vendor_version = "2019",
    .create = short_create,
    .destroy = short_destroy,
    .get_id = short_get_id,
    .create_workload_factory = short_create_factory,
    .get_layer_support = short_get_layer_support,
    .get_option_defaults = SHORT_POISON(short_poison_defaults),
    .quiesce = SHORT_POISON(short_poison_quiesce),
};

const char* GetBackendId(void) { return "ShortAdd"; }

void GetVersion(uint32_t* out_major, uint32_t* out_minor) {
  *out_major = ARMNN_BACKEND_API_MAJOR;
  *out_minor = ARMNN_TARGET_MINOR;
}

void* BackendFactory(void) { return (void*)(uintptr_t)&short_backend_api; }
