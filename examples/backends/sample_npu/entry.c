/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * entry.c - the instance, its table and the three exports.
 */
#include <stdlib.h>
#include <string.h>

#include "npu.h"

static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                             armnn_error_t* error);

static void destroy(armnn_backend_t* backend) {
  npu_backend_t* self = (npu_backend_t*)backend;
  pthread_mutex_destroy(&self->lock);
  free(self->cache_dir);
  free(self);
}

static const char* get_id(armnn_backend_t* backend) {
  (void)backend;
  return NPU_ID;
}

/* ---- Facts --------------------------------------------------------------------------------- */

static uint64_t get_handle_factory_preferences(armnn_backend_t* backend,
                                               const char* const** out_ids) {
  static const char* const ids[] = {NPU_FACTORY_ID};
  (void)backend;
  *out_ids = ids;
  return 1;
}

static armnn_status_t get_capabilities(armnn_backend_t* backend, armnn_options_t* out_capabilities,
                                       armnn_error_t* error) {
  static const armnn_option_t items[] = {
      {{"AsyncExecution", 14}, ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
      {{"ConstantTensorsAsInputs", 23}, ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
      {{"PreImportIOTensors", 18}, ARMNN_OPTION_BOOL, 0, 0, 0.0, {NULL, 0}},
      {{"ExternallyManagedMemory", 23}, ARMNN_OPTION_BOOL, 0, 0, 0.0, {NULL, 0}},
      {{"MultiAxisPacking", 16}, ARMNN_OPTION_BOOL, 0, 0, 0.0, {NULL, 0}},
      {{"SingleAxisPacking", 17}, ARMNN_OPTION_BOOL, 0, 0, 0.0, {NULL, 0}},
      {{"NonConstWeights", 15}, ARMNN_OPTION_BOOL, 0, 0, 0.0, {NULL, 0}},
  };
  (void)backend;
  (void)error;
  *out_capabilities = (armnn_options_t){items, sizeof items / sizeof items[0]};
  return ARMNN_STATUS_OK;
}

/* A table of this backend's own, for programs that know it. */
static const void* extension(armnn_backend_t* backend, const char* id) {
  static const npu_limits_t limits = {
      {sizeof limits, 0}, NPU_MAX_BINDINGS, NPU_BLOCK, sizeof NPU_VERSION - 1, 0, NPU_VERSION};
  (void)backend;
  return strcmp(id, NPU_LIMITS_ID) == 0 ? &limits : NULL;
}

static uint32_t get_number_of_cache_files(armnn_backend_t* backend) {
  const npu_backend_t* self = (const npu_backend_t*)backend;
  return self->cache_dir == NULL ? 0 : npu_cache_count(self->cache_dir);
}

static armnn_status_t quiesce(armnn_backend_t* backend, uint64_t timeout_ns, armnn_error_t* error) {
  return npu_queues_quiesce((npu_backend_t*)backend, timeout_ns, error);
}

static armnn_status_t check_blob(armnn_backend_t* backend, armnn_string_t compatibility,
                                 armnn_error_t* why_not) {
  (void)backend;
  if (npu_equals(compatibility, NPU_VERSION)) return ARMNN_STATUS_OK;
  return npu_fail(why_not, ARMNN_STATUS_INCOMPATIBLE, "compiled for '%.*s', this is '%s'",
                  compatibility.size > 100 ? 100 : (int)compatibility.size,
                  compatibility.size == 0 ? "" : compatibility.data, NPU_VERSION);
}

static armnn_status_t self_test(armnn_backend_t* backend, int32_t level, armnn_error_t* error) {
  (void)level;
  const uint32_t written = 0x12345678;
  uint32_t read = 0;
  npu_region_t region;
  armnn_status_t status =
      npu_region_make(&region, (const npu_backend_t*)backend, sizeof written, error);
  if (status != ARMNN_STATUS_OK) return status;
  status = npu_region_write(&region, 0, &written, sizeof written, error);
  if (status == ARMNN_STATUS_OK) status = npu_region_read(&region, 0, &read, sizeof read, error);
  npu_region_drop(&region);
  if (status != ARMNN_STATUS_OK || read == written) return status;
  return npu_fail(error, ARMNN_STATUS_INTERNAL, "device memory does not keep what is written");
}

static armnn_status_t list_devices(armnn_backend_t* backend,
                                   void (*on_device)(void* context,
                                                     const armnn_device_description_t* device),
                                   void* context, armnn_error_t* error) {
  (void)backend;
  (void)error;
  static const char* const names[NPU_DEVICES] = {"npu0", "npu1"};
  for (int i = 0; i < NPU_DEVICES; ++i) {
    const armnn_device_description_t device = {{sizeof device, ARMNN_STRUCT_DEVICE_DESCRIPTION},
                                               {names[i], 4},
                                               {"Sample", 6},
                                               {"1", 1},
                                               0};
    on_device(context, &device);
  }
  return ARMNN_STATUS_OK;
}

/* UNLOADABLE: each thread is joined by destroy_execution_data, which comes before destroy; there
 * are no thread-local variables and no handlers at exit. */
static const armnn_backend_api_t backend_api = {
    .header = {sizeof(armnn_backend_api_t), ARMNN_STRUCT_BACKEND},
    .built_minor = ARMNN_BACKEND_API_MINOR,
    .flags = ARMNN_BACKEND_UNLOADABLE,
    .build_features = ARMNN_BUILD_FEATURES,
    .score = 40,
    .vendor_version = "1.0",
    .description = "A compiler-style accelerator with memory and a queue of its own (a sample)",
    .create = create,
    .destroy = destroy,
    .get_id = get_id,
    .create_workload_factory = npu_create_workload_factory,
    .get_layer_support = npu_get_layer_support,
    .create_memory_manager = npu_create_memory_manager,
    .create_backend_context = npu_create_backend_context,
    .create_model_context = npu_create_model_context,
    .create_profiling_context = npu_create_profiling_context,
    .optimize_subgraph_view = npu_optimize,
    .register_tensor_handle_factories = npu_register_factories,
    .get_handle_factory_preferences = get_handle_factory_preferences,
    .get_capabilities = get_capabilities,
    .get_option_defaults = npu_get_option_defaults,
    .get_model_option_defaults = npu_get_model_option_defaults,
    .get_number_of_cache_files = get_number_of_cache_files,
    .quiesce = quiesce,
    .self_test = self_test,
    .list_devices = list_devices,
    .check_blob = check_blob,
    .extension = extension,
    .describe_option = npu_describe_option,
    .get_run_option_defaults = npu_get_run_option_defaults,
    .set_option = npu_set_option,
};

static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                             armnn_error_t* error) {
  *out_backend = NULL;
  npu_backend_t* self = calloc(1, sizeof *self);
  if (self == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &backend_api;
  self->host = args->host;
  self->device = args->device_index;
  pthread_mutex_init(&self->lock, NULL);
  for (uint64_t i = 0; args->options != NULL && i < args->options->count; ++i) {
    const armnn_option_t* option = &args->options->items[i];
    if (npu_equals(option->name, "max_networks")) {
      atomic_store(&self->max_networks, option->integer);
    }
    if (!npu_equals(option->name, "cache_dir") || option->string.size == 0) continue;
    free(self->cache_dir);
    self->cache_dir = calloc(1, option->string.size + 1);
    if (self->cache_dir == NULL) {
      destroy(&self->base);
      return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
    }
    memcpy(self->cache_dir, option->string.data, option->string.size);
  }
  *out_backend = &self->base;
  return ARMNN_STATUS_OK;
}

const char* ARMNN_ENTRY(GetBackendId)(void) { return NPU_ID; }

void ARMNN_ENTRY(GetVersion)(uint32_t* out_major, uint32_t* out_minor) {
  *out_major = ARMNN_BACKEND_API_MAJOR;
  *out_minor = ARMNN_TARGET_MINOR;
}

void* ARMNN_ENTRY(BackendFactory)(void) { return (void*)(uintptr_t)&backend_api; }
