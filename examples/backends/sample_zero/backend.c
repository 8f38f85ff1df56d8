/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * The table of Sample_Zero: a backend that works in memory it shares with the host.
 */
#include "zero.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

static const armnn_option_t options[] = {
    /* false: tensors import nothing, so that the host copies; for comparisons */
    {TEXT("import"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
};

static const armnn_option_t model_options[] = {
    /* false: no layer of this network writes its output over its input */
    {TEXT("in_place"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
};

static const armnn_option_t capabilities[] = {
    {TEXT("NonConstWeights"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
    {TEXT("ConstantTensorsAsInputs"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
    {TEXT("PreImportIOTensors"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
    {TEXT("ExternallyManagedMemory"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
    {TEXT("ProtectedContentAllocation"), ARMNN_OPTION_BOOL, 0, 0, 0.0, {NULL, 0}},
    {TEXT("ImportAlignment"), ARMNN_OPTION_UINT, 0, ZERO_ALIGNMENT, 0.0, {NULL, 0}},
};

#define GIVE(array, out)                             \
  do {                                               \
    (out)->items = (array);                          \
    (out)->count = sizeof(array) / sizeof(array)[0]; \
  } while (0)

int zero_option(const armnn_options_t* given, const char* name, int otherwise) {
  for (uint64_t i = 0; given != NULL && i < given->count; ++i) {
    const armnn_option_t* option = &given->items[i];
    if (option->type == ARMNN_OPTION_BOOL && armnn_string_equals(option->name, name)) {
      return option->integer != 0;
    }
  }
  return otherwise;
}

static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                             armnn_error_t* error);

static void destroy(armnn_backend_t* backend) { free(backend); }

static const char* get_id(armnn_backend_t* backend) {
  (void)backend;
  return ZERO_ID;
}

static uint64_t get_preferences(armnn_backend_t* backend, const char* const** out_ids) {
  static const char* const ids[] = {ZERO_FACTORY_ID};
  (void)backend;
  *out_ids = ids;
  return 1;
}

static armnn_status_t get_capabilities(armnn_backend_t* backend, armnn_options_t* out,
                                       armnn_error_t* error) {
  (void)backend, (void)error;
  GIVE(capabilities, out);
  return ARMNN_STATUS_OK;
}

static armnn_status_t get_option_defaults(armnn_backend_t* backend, armnn_options_t* out,
                                          armnn_error_t* error) {
  (void)backend, (void)error;
  GIVE(options, out);
  return ARMNN_STATUS_OK;
}

static armnn_status_t get_model_option_defaults(armnn_backend_t* backend, armnn_options_t* out,
                                                armnn_error_t* error) {
  (void)backend, (void)error;
  GIVE(model_options, out);
  return ARMNN_STATUS_OK;
}

/* By name, so that members which later versions of the header add stay null. */
static const armnn_backend_api_t api = {
    .header = {sizeof(armnn_backend_api_t), ARMNN_STRUCT_BACKEND},
    .built_minor = ARMNN_BACKEND_API_MINOR,
    .flags = ARMNN_BACKEND_UNLOADABLE,
    .build_features = ARMNN_BUILD_FEATURES,
    .score = 2,
    .vendor_version = "1.0",
    .description = "sample: shares the host's memory",
    .create = create,
    .destroy = destroy,
    .get_id = get_id,
    .create_workload_factory = zero_create_workload_factory,
    .get_layer_support = zero_get_layer_support,
    .create_profiling_context = zero_create_profiling_context,
    .register_tensor_handle_factories = zero_register_factories,
    .get_handle_factory_preferences = get_preferences,
    .get_capabilities = get_capabilities,
    .get_option_defaults = get_option_defaults,
    .get_model_option_defaults = get_model_option_defaults,
    .use_custom_memory_allocator = zero_use_allocator,
    .get_default_allocator = zero_default_allocator,
};

static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                             armnn_error_t* error) {
  zero_backend_t* backend = (zero_backend_t*)calloc(1, sizeof *backend);
  *out_backend = NULL;
  if (backend == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  backend->base.api = &api;
  backend->host = args->host;
  backend->import_sources = zero_option(args->options, "import", 1) ? ARMNN_MEMORY_SOURCE_MALLOC
                                                                    : ARMNN_MEMORY_SOURCE_UNDEFINED;
  atomic_init(&backend->live_blocks, 0);
  for (int i = 0; i < ZERO_COUNTER_COUNT; ++i) atomic_init(&backend->counters[i], 0);
  *out_backend = &backend->base;
  return ARMNN_STATUS_OK;
}

const char* GetBackendId(void) { return ZERO_ID; }

void GetVersion(uint32_t* out_major, uint32_t* out_minor) {
  *out_major = ARMNN_BACKEND_API_MAJOR;
  *out_minor = ARMNN_TARGET_MINOR;
}

void* BackendFactory(void) { return (void*)(uintptr_t)&api; }
