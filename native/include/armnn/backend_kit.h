/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * backend_kit.h - optional help for authors: from a list of kernels to a complete backend.
 *
 * An author writes functions and lists them as rows (layer type x operation x data type); the kit
 * supplies backend, layer support, workload factory and workloads around them:
 *
 *   static armnn_status_t add_f32(const armnn_kernel_call_t* call,
 *                                 armnn_error_t* error) ARMNN_NOEXCEPT { ... }
 *   static const armnn_kernel_t kernels[] = {ARMNN_KERNEL_BINARY(ADD, FLOAT32, add_f32)};
 *   ARMNN_DEFINE_BACKEND("AcmeNpu", kernels)
 *
 * Use ARMNN_DEFINE_BACKEND in one source file; kernels may live in others. Everything is static and
 * nothing is exported but the three entry points. Kernel functions follow the [exec] rules of
 * backend_api.h: concurrent calls, no allocation, no addresses kept.
 */
#ifndef ARMNN_BACKEND_KIT_H_
#define ARMNN_BACKEND_KIT_H_

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armnn/backend_api.h"
#include "armnn/names.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Writes |format| into |error| (may be null) and returns |code|. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static inline armnn_status_t armnn_fail(armnn_error_t* error, armnn_status_t code,
                                        const char* format, ...) {
  if (error != NULL) {
    va_list arguments;
    va_start(arguments, format);
    int needed =
        vsnprintf(error->text, error->text ? (size_t)error->capacity : 0, format, arguments);
    va_end(arguments);
    error->needed = needed < 0 ? 0 : (uint64_t)needed + 1;
    error->code = code;
  }
  return code;
}

#define ARMNN_RETURN_IF_ERROR(expression)                       \
  do {                                                          \
    armnn_status_t armnn_status_ = (expression);                \
    if (armnn_status_ != ARMNN_STATUS_OK) return armnn_status_; \
  } while (0)

/* ---- Kernels --------------------------------------------------------------------------------- */

/* What a kernel gets for one execute. Shapes, types and descriptor are in |info|: the shapes of
 * this call, also where they are known late. */
typedef struct armnn_kernel_call_t {
  const armnn_workload_info_t* info;
  const void* const* inputs; /* null entry: absent, or constant and consumed by prepare */
  void* const* outputs;
  void* scratch;        /* as many bytes as prepare asked for */
  const void* prepared; /* what prepare made, or null */
  const armnn_host_t* host;
  armnn_backend_t* backend; /* whose kernel this is, for device_lost of the host */
  uint64_t run_id;
  void* state;                  /* what create_state made for this execution context, or null */
  uint64_t* const* output_dims; /* as in armnn_execute_args_t */
} armnn_kernel_call_t;

typedef armnn_status_t (*armnn_kernel_execute_fn_t)(const armnn_kernel_call_t* call,
                                                    armnn_error_t* error) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_supports_fn_t)(const armnn_layer_query_t* query,
                                                     armnn_error_t* reason) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_prepare_fn_t)(const armnn_workload_info_t* info,
                                                    const armnn_host_t* host, void** out_prepared,
                                                    armnn_workload_requirements_t* requirements,
                                                    armnn_error_t* error) ARMNN_NOEXCEPT;
typedef void (*armnn_kernel_release_fn_t)(void* prepared, const armnn_host_t* host) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_create_state_fn_t)(const armnn_workload_info_t* info,
                                                         const void* prepared,
                                                         const armnn_host_t* host, void** out_state,
                                                         armnn_error_t* error) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_reset_state_fn_t)(void* state, const void* prepared,
                                                        armnn_error_t* error) ARMNN_NOEXCEPT;
typedef void (*armnn_kernel_destroy_state_fn_t)(void* state,
                                                const armnn_host_t* host) ARMNN_NOEXCEPT;

#define ARMNN_ANY (-1)

typedef struct armnn_kernel_t {
  const char* name;   /* static; printed by profiles */
  int32_t layer_type; /* armnn_layer_type_e */
  int32_t operation;  /* first member of the descriptor (operation, function, ...), or ARMNN_ANY */
  int32_t data_type;  /* of input 0 (of output 0 for a layer without inputs), or ARMNN_ANY */
  armnn_kernel_execute_fn_t execute;
  /* Null: all present inputs and outputs have this data type and one shape. */
  armnn_kernel_supports_fn_t supports;
  /* Null: nothing to prepare; tensors aligned to their elements, no scratch. A prepare that fails
   * leaves nothing behind: release is not called then. */
  armnn_kernel_prepare_fn_t prepare;
  armnn_kernel_release_fn_t release;
  /* State from run to run, one for each execution context: |state| of the call. All null: none.
   * |reset_state| may be null alone. */
  armnn_kernel_create_state_fn_t create_state;
  armnn_kernel_reset_state_fn_t reset_state;
  armnn_kernel_destroy_state_fn_t destroy_state;
  /* Which dimensions may be late; null: none. Asked for layers that the row takes with the bounds
   * as sizes. What prepare makes and states must do for every size up to these. */
  armnn_kernel_supports_fn_t takes_late;
} armnn_kernel_t;

#define ARMNN_KERNEL_FULL(layer, operation, type, execute, supports, prepare, release) \
  ARMNN_KERNEL_LATE(layer, operation, type, execute, supports, prepare, release, NULL)
#define ARMNN_KERNEL_STATE(layer, operation, type, execute, supports, prepare, release,            \
                           create_state, reset_state, destroy_state)                               \
  {#execute, ARMNN_LAYER_##layer, operation,   ARMNN_DATA_TYPE_##type, execute, supports, prepare, \
   release,  create_state,        reset_state, destroy_state,          NULL}
/* |takes_late|: a function, or armnn_kernel_any_late for a kernel that reads all sizes from the
 * infos of its call. */
#define ARMNN_KERNEL_LATE(layer, operation, type, execute, supports, prepare, release, takes_late) \
  {#execute,  ARMNN_LAYER_##layer,                                                                 \
   operation, ARMNN_DATA_TYPE_##type,                                                              \
   execute,   supports,                                                                            \
   prepare,   release,                                                                             \
   NULL,      NULL,                                                                                \
   NULL,      takes_late}
#define ARMNN_KERNEL(layer, type, execute) \
  ARMNN_KERNEL_FULL(layer, ARMNN_ANY, type, execute, NULL, NULL, NULL)
#define ARMNN_KERNEL_BINARY(operation, type, execute) \
  ARMNN_KERNEL_FULL(ELEMENTWISE_BINARY, ARMNN_BINARY_##operation, type, execute, NULL, NULL, NULL)
#define ARMNN_KERNEL_UNARY(operation, type, execute) \
  ARMNN_KERNEL_FULL(ELEMENTWISE_UNARY, ARMNN_UNARY_##operation, type, execute, NULL, NULL, NULL)
#define ARMNN_KERNEL_ACTIVATION(function, type, execute) \
  ARMNN_KERNEL_FULL(ACTIVATION, ARMNN_ACTIVATION_##function, type, execute, NULL, NULL, NULL)
/* For a row whose data type is ARMNN_ANY. */
#define ARMNN_DATA_TYPE_ANY ARMNN_ANY

/* Accessors for kernels. */
#define ARMNN_IN(call, index, type) ((const type*)(call)->inputs[index])
#define ARMNN_OUT(call, index, type) ((type*)(call)->outputs[index])
#define ARMNN_IN_INFO(call, index) ((call)->info->input_infos[index])
#define ARMNN_OUT_INFO(call, index) ((call)->info->output_infos[index])
#define ARMNN_COUNT(call) ((call)->info->output_infos[0]->element_count)
#define ARMNN_DESCRIPTOR(source, type) ((const type*)(source)->descriptor)

/* Threads that parallel_for may use now, at least 1. Scratch for each thread is sized in prepare by
 * this number, which is kept for execute: the user may change it in between. */
static inline uint32_t armnn_concurrency(const armnn_host_t* host) {
  if (host == NULL || !ARMNN_HAS_FN(host, armnn_host_t, concurrency)) return 1;
  const uint32_t count = host->concurrency(host->context);
  return count > 0 ? count : 1;
}

/* parallel_for of the host, or a plain call when the host offers none. |max_threads|: the number
 * that armnn_concurrency gave when scratch for each thread was sized; 0, which is all threads, for
 * a body that makes no use of its thread index. */
static inline armnn_status_t armnn_parallel_for(const armnn_host_t* host, armnn_range_fn_t body,
                                                void* argument, uint64_t count, uint64_t grain,
                                                uint32_t max_threads) {
  if (count == 0) return ARMNN_STATUS_OK;
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, parallel_for)) {
    return host->parallel_for(host->context, body, argument, count, grain, max_threads);
  }
  return body(argument, 0, count, 0);
}

static inline void* armnn_alloc(const armnn_host_t* host, uint64_t size, uint64_t alignment) {
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, allocate) &&
      ARMNN_HAS_FN(host, armnn_host_t, release)) {
    return host->allocate(host->context, size, alignment);
  }
  return aligned_alloc((size_t)alignment, (size_t)((size + alignment - 1) / alignment * alignment));
}

static inline void armnn_free(const armnn_host_t* host, void* memory) {
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, allocate) &&
      ARMNN_HAS_FN(host, armnn_host_t, release)) {
    host->release(host->context, memory);
  } else {
    free(memory);
  }
}

/* ---- From rows to a backend ------------------------------------------------------------------ */

/* What a backend has besides kernels; members that are null or 0 are not there. Options, model
 * options and capabilities are static arrays: names, and their defaults or values. */
typedef struct armnn_kit_hooks_t {
  /* After the instance of a runtime is made: opens a library or a device. |options| are the values
   * that somebody gave. UNAVAILABLE: it is not here. |*out_user| is what armnn_kit_user gives. */
  armnn_status_t (*open)(const armnn_host_t* host, const armnn_options_t* options, void** out_user,
                         armnn_error_t* error) ARMNN_NOEXCEPT;
  /* Before the instance goes, if |open| answered OK. */
  void (*close)(void* user) ARMNN_NOEXCEPT;
  /* optimize_subgraph_view; compile_kit.h has helpers. A row for PRE_COMPILED runs the result. */
  armnn_status_t (*optimize)(armnn_backend_t* backend, const armnn_subgraph_t* subgraph,
                             const armnn_options_t* model_options,
                             const armnn_optimization_sink_t* sink,
                             armnn_error_t* error) ARMNN_NOEXCEPT;
  armnn_options_t options;
  armnn_options_t model_options;
  armnn_options_t capabilities;
} armnn_kit_hooks_t;

typedef struct armnn_kit_definition_t {
  const char* id;
  const armnn_kernel_t* kernels;
  uint64_t kernel_count;
  const armnn_kit_hooks_t* hooks; /* or null */
} armnn_kit_definition_t;

typedef struct armnn_kit_backend_t {
  armnn_backend_t base;
  const armnn_host_t* host;
  const armnn_kit_definition_t* definition;
  void* user;
} armnn_kit_backend_t;

/* What |open| made for the instance, for example for |backend| of a kernel's call. */
static inline void* armnn_kit_user(const armnn_backend_t* backend) {
  return ((const armnn_kit_backend_t*)backend)->user;
}

typedef struct armnn_kit_factory_t {
  armnn_workload_factory_t base;
  const armnn_host_t* host;
  armnn_backend_t* backend;
  const armnn_kit_definition_t* definition;
} armnn_kit_factory_t;

typedef struct armnn_kit_support_t {
  armnn_layer_support_t base;
  const armnn_kit_definition_t* definition;
} armnn_kit_support_t;

typedef struct armnn_kit_workload_t {
  armnn_workload_t base;
  const armnn_workload_info_t* info;
  const armnn_kernel_t* kernel;
  const armnn_host_t* host;
  armnn_backend_t* backend;
  void* prepared;
  armnn_workload_requirements_t requirements;
} armnn_kit_workload_t;

static inline int32_t armnn_kit_operation(const armnn_header_t* descriptor) {
  int32_t operation = ARMNN_ANY;
  if (descriptor != NULL && descriptor->struct_size >= sizeof(armnn_header_t) + sizeof(int32_t)) {
    memcpy(&operation, descriptor + 1, sizeof operation);
  }
  return operation;
}

static inline armnn_status_t armnn_kit_default_supports(const armnn_layer_query_t* query,
                                                        int32_t data_type, armnn_error_t* reason) {
  const armnn_tensor_info_t* first = query->output_count > 0 ? query->output_infos[0] : NULL;
  for (uint32_t i = 0; i < query->input_count + query->output_count; ++i) {
    const armnn_tensor_info_t* info = i < query->input_count
                                          ? query->input_infos[i]
                                          : query->output_infos[i - query->input_count];
    if (info == NULL) continue;
    if (first == NULL) first = info; /* a layer without outputs */
    if (data_type != ARMNN_ANY && info->data_type != data_type) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "%s %u is %s, the kernel takes %s",
                        i < query->input_count ? "input" : "output",
                        i < query->input_count ? i : i - query->input_count,
                        armnn_data_type_name(info->data_type), armnn_data_type_name(data_type));
    }
    if (info->rank != first->rank ||
        memcmp(info->dims, first->dims, first->rank * sizeof first->dims[0]) != 0) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                        "shapes differ, the kernel takes equal shapes (no broadcasting)");
    }
  }
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_kernel_any_late(const armnn_layer_query_t* query,
                                                   armnn_error_t* reason) ARMNN_NOEXCEPT {
  (void)query, (void)reason;
  return ARMNN_STATUS_OK;
}

/* The first row that takes the layer, or null with the best reason found. */
static inline const armnn_kernel_t* armnn_kit_find(const armnn_kit_definition_t* definition,
                                                   const armnn_layer_query_t* query,
                                                   armnn_error_t* reason) {
  const armnn_tensor_info_t* key = NULL;
  for (uint32_t i = 0; key == NULL && i < query->input_count; ++i) key = query->input_infos[i];
  if (key == NULL && query->output_count > 0) key = query->output_infos[0];
  int32_t data_type = key != NULL ? key->data_type : ARMNN_ANY;
  int32_t operation = armnn_kit_operation(query->descriptor);
  int type_seen = 0, operation_seen = 0, asked = 0;
  for (uint64_t i = 0; i < definition->kernel_count; ++i) {
    const armnn_kernel_t* row = &definition->kernels[i];
    if (row->layer_type != query->type) continue;
    type_seen = 1;
    if (row->operation != ARMNN_ANY && row->operation != operation) continue;
    operation_seen = 1;
    if (row->data_type != ARMNN_ANY && row->data_type != data_type) continue;
    asked = 1;
    armnn_status_t status = row->supports != NULL
                                ? row->supports(query, reason)
                                : armnn_kit_default_supports(query, row->data_type, reason);
    if (status == ARMNN_STATUS_OK) return row;
  }
  if (!type_seen) {
    armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "no kernel for this layer type");
  } else if (!operation_seen) {
    const char* name = armnn_operation_name(query->type, operation);
    if (name != NULL) {
      armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "no kernel for %s", name);
    } else {
      armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "no kernel for operation %d of this layer type",
                 (int)operation);
    }
  } else if (!asked) {
    armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "no kernel for data type %s",
               armnn_data_type_name(data_type));
  }
  return NULL;
}

static inline void armnn_kit_support_destroy(armnn_layer_support_t* support) ARMNN_NOEXCEPT {
  free(support);
}

static inline armnn_status_t armnn_kit_is_layer_supported(armnn_layer_support_t* support,
                                                          const armnn_layer_query_t* query,
                                                          armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_kit_support_t* self = (const armnn_kit_support_t*)support;
  return armnn_kit_find(self->definition, query, reason) != NULL ? ARMNN_STATUS_OK
                                                                 : ARMNN_STATUS_UNSUPPORTED;
}

static inline armnn_status_t armnn_kit_takes_late_shapes(armnn_layer_support_t* support,
                                                         const armnn_layer_query_t* query,
                                                         armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_kit_support_t* self = (const armnn_kit_support_t*)support;
  const armnn_kernel_t* row = armnn_kit_find(self->definition, query, reason);
  if (row == NULL) return ARMNN_STATUS_UNSUPPORTED;
  if (row->takes_late != NULL) return row->takes_late(query, reason);
  return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "the kernel needs to know all shapes");
}

static inline void armnn_kit_workload_destroy(armnn_workload_t* workload) ARMNN_NOEXCEPT {
  armnn_kit_workload_t* self = (armnn_kit_workload_t*)workload;
  if (self->kernel->release != NULL) self->kernel->release(self->prepared, self->host);
  free(self);
}

static inline armnn_status_t armnn_kit_workload_execute(armnn_workload_t* workload,
                                                        const armnn_execute_args_t* args,
                                                        armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
  armnn_kernel_call_t call;
  armnn_workload_info_t info; /* with the shapes of this call */
  call.info = self->info;
  call.output_dims = NULL;
  if (self->kernel->takes_late != NULL && ARMNN_HAS(args, armnn_execute_args_t, output_dims) &&
      args->input_infos != NULL) {
    memset(&info, 0, sizeof info);
    const size_t size = self->info->header.struct_size;
    memcpy(&info, self->info, size < sizeof info ? size : sizeof info);
    info.input_infos = args->input_infos;
    info.output_infos = args->output_infos;
    call.info = &info;
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
  return self->kernel->execute(&call, error);
}

static inline void armnn_kit_workload_requirements(
    armnn_workload_t* workload, armnn_workload_requirements_t* out_requirements) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
  armnn_header_t header = out_requirements->header;
  memcpy(out_requirements, &self->requirements,
         header.struct_size < sizeof self->requirements ? header.struct_size
                                                        : sizeof self->requirements);
  out_requirements->header = header;
}

static inline const char* armnn_kit_workload_kernel_name(armnn_workload_t* workload)
    ARMNN_NOEXCEPT {
  return ((const armnn_kit_workload_t*)workload)->kernel->name;
}

static inline armnn_status_t armnn_kit_create_workload_data(armnn_workload_t* workload,
                                                            void* execution_data, void** out_data,
                                                            armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
  (void)execution_data; /* the kit makes none */
  *out_data = NULL;
  if (self->kernel->create_state == NULL) return ARMNN_STATUS_OK;
  return self->kernel->create_state(self->info, self->prepared, self->host, out_data, error);
}

static inline armnn_status_t armnn_kit_reset_workload_data(armnn_workload_t* workload, void* data,
                                                           armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
  if (self->kernel->reset_state == NULL) return ARMNN_STATUS_OK;
  return self->kernel->reset_state(data, self->prepared, error);
}

static inline void armnn_kit_destroy_workload_data(armnn_workload_t* workload,
                                                   void* data) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
  if (self->kernel->destroy_state != NULL) self->kernel->destroy_state(data, self->host);
}

static const armnn_workload_api_t armnn_kit_workload_api = {
    {sizeof(armnn_workload_api_t), ARMNN_STRUCT_WORKLOAD},
    armnn_kit_workload_destroy,
    armnn_kit_workload_execute,
    armnn_kit_workload_requirements,
    NULL,
    armnn_kit_workload_kernel_name,
    armnn_kit_create_workload_data,
    armnn_kit_reset_workload_data,
    armnn_kit_destroy_workload_data,
};

static inline void armnn_kit_factory_destroy(armnn_workload_factory_t* factory) ARMNN_NOEXCEPT {
  free(factory);
}

static inline armnn_status_t armnn_kit_create_workload(armnn_workload_factory_t* factory,
                                                       const armnn_workload_info_t* info,
                                                       armnn_workload_t** out_workload,
                                                       armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_factory_t* self = (const armnn_kit_factory_t*)factory;
  *out_workload = NULL;
  armnn_layer_query_t query;
  memset(&query, 0, sizeof query);
  query.header.struct_size = sizeof query;
  query.header.struct_type = ARMNN_STRUCT_LAYER_QUERY;
  query.type = info->type;
  query.input_count = info->input_count;
  query.output_count = info->output_count;
  query.descriptor = info->descriptor;
  query.input_infos = info->input_infos;
  query.output_infos = info->output_infos;
  query.fields_used = info->fields_used;
  const armnn_kernel_t* kernel = armnn_kit_find(self->definition, &query, error);
  if (kernel == NULL) return ARMNN_STATUS_UNSUPPORTED;
  armnn_kit_workload_t* workload = (armnn_kit_workload_t*)calloc(1, sizeof *workload);
  if (workload == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  workload->base.api = &armnn_kit_workload_api;
  workload->info = info;
  workload->kernel = kernel;
  workload->host = self->host;
  workload->backend = self->backend;
  workload->requirements.header.struct_size = sizeof workload->requirements;
  workload->requirements.header.struct_type = ARMNN_STRUCT_WORKLOAD_REQUIREMENTS;
  workload->requirements.tensor_alignment = 1; /* plain C kernels: aligned to their elements */
  if (kernel->prepare != NULL) {
    armnn_status_t status =
        kernel->prepare(info, self->host, &workload->prepared, &workload->requirements, error);
    if (status != ARMNN_STATUS_OK) {
      free(workload);
      return status;
    }
  }
  *out_workload = &workload->base;
  return ARMNN_STATUS_OK;
}

static const armnn_workload_factory_api_t armnn_kit_workload_factory_api = {
    {sizeof(armnn_workload_factory_api_t), ARMNN_STRUCT_WORKLOAD_FACTORY},
    armnn_kit_factory_destroy,
    armnn_kit_create_workload,
    NULL,
    NULL,
    NULL,
};

static const armnn_layer_support_api_t armnn_kit_layer_support_api = {
    {sizeof(armnn_layer_support_api_t), ARMNN_STRUCT_LAYER_SUPPORT},
    armnn_kit_support_destroy,
    armnn_kit_is_layer_supported,
    NULL,
    armnn_kit_takes_late_shapes,
};

static inline armnn_status_t armnn_kit_create(const armnn_kit_definition_t* definition,
                                              const armnn_backend_api_t* api,
                                              const armnn_host_t* host,
                                              const armnn_options_t* options,
                                              armnn_backend_t** out_backend, armnn_error_t* error) {
  armnn_kit_backend_t* backend = (armnn_kit_backend_t*)calloc(1, sizeof *backend);
  *out_backend = NULL;
  if (backend == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  backend->base.api = api;
  backend->host = host;
  backend->definition = definition;
  if (definition->hooks != NULL && definition->hooks->open != NULL) {
    const armnn_status_t status = definition->hooks->open(host, options, &backend->user, error);
    if (status != ARMNN_STATUS_OK) {
      free(backend);
      return status;
    }
  }
  *out_backend = &backend->base;
  return ARMNN_STATUS_OK;
}

static inline void armnn_kit_destroy(armnn_backend_t* backend) ARMNN_NOEXCEPT {
  const armnn_kit_backend_t* self = (const armnn_kit_backend_t*)backend;
  const armnn_kit_hooks_t* hooks = self->definition->hooks;
  if (hooks != NULL && hooks->close != NULL) hooks->close(self->user);
  free(backend);
}

static inline const char* armnn_kit_get_id(armnn_backend_t* backend) ARMNN_NOEXCEPT {
  return ((const armnn_kit_backend_t*)backend)->definition->id;
}

static inline armnn_status_t armnn_kit_create_workload_factory(
    armnn_backend_t* backend, const armnn_factory_args_t* args,
    armnn_workload_factory_t** out_factory, armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)args; /* host memory only: no managers, no handles, no model options */
  const armnn_kit_backend_t* self = (const armnn_kit_backend_t*)backend;
  armnn_kit_factory_t* factory = (armnn_kit_factory_t*)calloc(1, sizeof *factory);
  *out_factory = NULL;
  if (factory == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  factory->base.api = &armnn_kit_workload_factory_api;
  factory->host = self->host;
  factory->backend = backend;
  factory->definition = self->definition;
  *out_factory = &factory->base;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_kit_get_layer_support(armnn_backend_t* backend,
                                                         const armnn_options_t* model_options,
                                                         armnn_layer_support_t** out_support,
                                                         armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)model_options;
  const armnn_kit_backend_t* self = (const armnn_kit_backend_t*)backend;
  armnn_kit_support_t* support = (armnn_kit_support_t*)calloc(1, sizeof *support);
  *out_support = NULL;
  if (support == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  support->base.api = &armnn_kit_layer_support_api;
  support->definition = self->definition;
  *out_support = &support->base;
  return ARMNN_STATUS_OK;
}

static inline const armnn_kit_hooks_t* armnn_kit_hooks_of(const armnn_backend_t* backend) {
  return ((const armnn_kit_backend_t*)backend)->definition->hooks;
}

static inline armnn_status_t armnn_kit_optimize(armnn_backend_t* backend,
                                                const armnn_subgraph_t* subgraph,
                                                const armnn_options_t* model_options,
                                                const armnn_optimization_sink_t* sink,
                                                armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = armnn_kit_hooks_of(backend);
  if (hooks->optimize == NULL) return ARMNN_STATUS_UNSUPPORTED; /* all layers run as they are */
  return hooks->optimize(backend, subgraph, model_options, sink, error);
}

static inline armnn_status_t armnn_kit_get_capabilities(armnn_backend_t* backend,
                                                        armnn_options_t* out_capabilities,
                                                        armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error;
  *out_capabilities = armnn_kit_hooks_of(backend)->capabilities;
  return ARMNN_STATUS_OK;
}

/* Defines a whole backend: the table, the instance and the three entry points. |score_value|: order
 * of preference (0 = last resort); |version_text|, |text|: shown to people, or NULL; |flag_bits|:
 * bits of armnn_backend_bits_e. ARMNN_BACKEND_UNLOADABLE is among them only if the author puts it
 * there, who knows that no library behind the backend leaves a thread when it is closed. */
#define ARMNN_KIT_DEFINE(id_text, kernel_rows, score_value, version_text, text, flag_bits,     \
                         hooks_pointer, optimize_function, capabilities_function,              \
                         options_function, model_options_function)                             \
  static const armnn_kit_definition_t armnn_kit_definition = {                                 \
      id_text, kernel_rows, sizeof(kernel_rows) / sizeof((kernel_rows)[0]), hooks_pointer};    \
  static armnn_status_t armnn_kit_create_this(                                                 \
      const armnn_host_t* host, const armnn_options_t* options, armnn_backend_t** out_backend, \
      armnn_error_t* error) ARMNN_NOEXCEPT;                                                    \
  static const armnn_backend_api_t armnn_kit_backend_api = {                                   \
      {sizeof(armnn_backend_api_t), ARMNN_STRUCT_BACKEND},                                     \
      ARMNN_BACKEND_API_MINOR,                                                                 \
      flag_bits,                                                                               \
      0,                                                                                       \
      ARMNN_BUILD_FEATURES,                                                                    \
      score_value,                                                                             \
      0,                                                                                       \
      version_text,                                                                            \
      text,                                                                                    \
      armnn_kit_create_this,                                                                   \
      armnn_kit_destroy,                                                                       \
      armnn_kit_get_id,                                                                        \
      armnn_kit_create_workload_factory,                                                       \
      armnn_kit_get_layer_support,                                                             \
      NULL,                                                                                    \
      NULL,                                                                                    \
      NULL,                                                                                    \
      NULL,                                                                                    \
      optimize_function,                                                                       \
      NULL,                                                                                    \
      NULL,                                                                                    \
      capabilities_function,                                                                   \
      options_function,                                                                        \
      model_options_function,                                                                  \
      NULL,                                                                                    \
      NULL,                                                                                    \
      NULL,                                                                                    \
      NULL,                                                                                    \
      NULL,                                                                                    \
      NULL,                                                                                    \
      NULL,                                                                                    \
      NULL};                                                                                   \
  static armnn_status_t armnn_kit_create_this(                                                 \
      const armnn_host_t* host, const armnn_options_t* options, armnn_backend_t** out_backend, \
      armnn_error_t* error) ARMNN_NOEXCEPT {                                                   \
    return armnn_kit_create(&armnn_kit_definition, &armnn_kit_backend_api, host, options,      \
                            out_backend, error);                                               \
  }                                                                                            \
  const char* ARMNN_ENTRY(GetBackendId)(void) ARMNN_NOEXCEPT { return id_text; }               \
  void ARMNN_ENTRY(GetVersion)(uint32_t* out_major, uint32_t* out_minor) ARMNN_NOEXCEPT {      \
    *out_major = ARMNN_BACKEND_API_MAJOR;                                                      \
    *out_minor = ARMNN_TARGET_MINOR;                                                           \
  }                                                                                            \
  void* ARMNN_ENTRY(BackendFactory)(void) ARMNN_NOEXCEPT {                                     \
    return (void*)(uintptr_t)&armnn_kit_backend_api;                                           \
  }

/* With hooks: |hooks| is a static const armnn_kit_hooks_t. */
#define ARMNN_DEFINE_BACKEND_WITH(id_text, kernel_rows, score_value, version_text, text,          \
                                  flag_bits, hooks)                                               \
  static armnn_status_t armnn_kit_get_options(armnn_backend_t* backend,                           \
                                              armnn_options_t* out_options, armnn_error_t* error) \
      ARMNN_NOEXCEPT {                                                                            \
    (void)backend, (void)error; /* asked before there is an instance */                           \
    *out_options = (hooks).options;                                                               \
    return ARMNN_STATUS_OK;                                                                       \
  }                                                                                               \
  static armnn_status_t armnn_kit_get_model_options(                                              \
      armnn_backend_t* backend, armnn_options_t* out_options, armnn_error_t* error)               \
      ARMNN_NOEXCEPT {                                                                            \
    (void)backend, (void)error;                                                                   \
    *out_options = (hooks).model_options;                                                         \
    return ARMNN_STATUS_OK;                                                                       \
  }                                                                                               \
  ARMNN_KIT_DEFINE(id_text, kernel_rows, score_value, version_text, text, flag_bits, &(hooks),    \
                   armnn_kit_optimize, armnn_kit_get_capabilities, armnn_kit_get_options,         \
                   armnn_kit_get_model_options)

/* Without, |capabilities_function|: get_capabilities of armnn_backend_api_t, or NULL. */
#define ARMNN_DEFINE_BACKEND_FULL(id_text, kernel_rows, score_value, version_text, text,         \
                                  flag_bits, capabilities_function)                              \
  ARMNN_KIT_DEFINE(id_text, kernel_rows, score_value, version_text, text, flag_bits, NULL, NULL, \
                   capabilities_function, NULL, NULL)

#define ARMNN_DEFINE_BACKEND_EX(id_text, kernel_rows, score_value, version_text, text) \
  ARMNN_DEFINE_BACKEND_FULL(id_text, kernel_rows, score_value, version_text, text, 0, NULL)

#define ARMNN_DEFINE_BACKEND(id_text, kernel_rows) \
  ARMNN_DEFINE_BACKEND_EX(id_text, kernel_rows, 1, NULL, NULL)

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_BACKEND_KIT_H_ */
