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

/* Names of options, domains, operators. */
static inline int32_t armnn_string_equals(armnn_string_t text, const char* other) {
  const size_t size = strlen(other);
  return text.size == size && (size == 0 || memcmp(text.data, other, size) == 0);
}

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
  armnn_backend_t* backend; /* for armnn_kit_user, and for device_lost of the host */
  uint64_t run_id;
  void* state; /* what create_state made for this execution context, the persistent_size bytes that
                  prepare asked for, or null */
  void* run_data;               /* what before_run of the hooks wrote for this run, or null */
  uint64_t* const* output_dims; /* as in armnn_execute_args_t */
} armnn_kernel_call_t;

typedef armnn_status_t (*armnn_kernel_execute_fn_t)(const armnn_kernel_call_t* call,
                                                    armnn_error_t* error) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_supports_fn_t)(const armnn_layer_query_t* query,
                                                     armnn_error_t* reason) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_prepare_fn_t)(const armnn_workload_info_t* info,
                                                    const armnn_host_t* host,
                                                    armnn_backend_t* backend, void** out_prepared,
                                                    armnn_workload_requirements_t* requirements,
                                                    armnn_error_t* error) ARMNN_NOEXCEPT;
typedef void (*armnn_kernel_release_fn_t)(void* prepared, const armnn_host_t* host) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_create_state_fn_t)(const armnn_workload_info_t* info,
                                                         const void* prepared,
                                                         const armnn_host_t* host,
                                                         armnn_backend_t* backend, void** out_state,
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
   * |reset_state| may be null alone: one run leaves nothing for the next; they go side by side. */
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

/* In prepare: what it needs of one tensor, to be filled in; inputs first, then outputs. */
static inline armnn_tensor_needs_t* armnn_needs_of(const armnn_workload_requirements_t* needs,
                                                   uint32_t operand) {
  return (armnn_tensor_needs_t*)(uintptr_t)needs->tensors[operand]; /* of the workload, not const */
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

/* ---- Operators that no layer expresses ----------------------------------------------------- */

/* Whether |descriptor|, of a STAND_IN, is of this operator. */
static inline int32_t armnn_is_operator(const armnn_header_t* descriptor, const char* domain,
                                        const char* name) {
  const armnn_stand_in_descriptor_t* self = (const armnn_stand_in_descriptor_t*)descriptor;
  return armnn_string_equals(self->domain, domain) && armnn_string_equals(self->name, name);
}

/* An attribute of an operator; null if the model does not give it, or as another type. */
static inline const armnn_attribute_t* armnn_find_attribute(const armnn_header_t* descriptor,
                                                            const char* name, int32_t type) {
  const armnn_stand_in_descriptor_t* self = (const armnn_stand_in_descriptor_t*)descriptor;
  for (uint32_t i = 0; i < self->attribute_count; ++i) {
    const armnn_attribute_t* one = &self->attributes[i];
    if (one->type == type && armnn_string_equals(one->name, name)) return one;
  }
  return NULL;
}

/* ---- Options --------------------------------------------------------------------------------- */

/* Options with their defaults, and their descriptions, which run in parallel or are null. */
typedef struct armnn_kit_options_t {
  armnn_options_t defaults;
  const armnn_option_description_t* descriptions;
} armnn_kit_options_t;

/* One list is enough; each row has a default and what there is to say of it:
 *
 *   #define MY_OPTIONS(X)                                                                  \
 *     X(ARMNN_DEFAULT_UINT("streams", 2), ARMNN_SAY_RANGE("queues at work", "", 1, 8, 0))  \
 *     X(ARMNN_DEFAULT_STRING("key", ""), ARMNN_SAY("licence key", ARMNN_OPTION_SECRET))
 *   ARMNN_KIT_OPTIONS(my_options, MY_OPTIONS)
 *
 * ARMNN_KIT_OPTIONS_OF(my_options) is then a member of the hooks. */
#define ARMNN_KIT_OPTIONS(name, list)                                        \
  static const armnn_option_t name##_defaults[] = {list(ARMNN_KIT_DEFAULT)}; \
  static const armnn_option_description_t name##_descriptions[] = {list(ARMNN_KIT_DESCRIPTION)};
#define ARMNN_KIT_OPTIONS_OF(name) \
  {{name##_defaults, sizeof name##_defaults / sizeof name##_defaults[0]}, name##_descriptions}
#define ARMNN_KIT_DEFAULT(option, ...) option,
#define ARMNN_KIT_DESCRIPTION(option, ...) __VA_ARGS__,

/* |name| and texts are string literals. */
#define ARMNN_TEXT(text) {text, sizeof(text) - 1}
#define ARMNN_DEFAULT_BOOL(name, value) \
  {ARMNN_TEXT(name), ARMNN_OPTION_BOOL, 0, value, 0.0, {NULL, 0}}
#define ARMNN_DEFAULT_INT(name, value) \
  {ARMNN_TEXT(name), ARMNN_OPTION_INT, 0, value, 0.0, {NULL, 0}}
#define ARMNN_DEFAULT_UINT(name, value) \
  {ARMNN_TEXT(name), ARMNN_OPTION_UINT, 0, value, 0.0, {NULL, 0}}
#define ARMNN_DEFAULT_FLOAT(name, value) \
  {ARMNN_TEXT(name), ARMNN_OPTION_FLOAT, 0, 0, value, {NULL, 0}}
#define ARMNN_DEFAULT_STRING(name, value) \
  {ARMNN_TEXT(name), ARMNN_OPTION_STRING, 0, 0, 0.0, ARMNN_TEXT(value)}

/* |flags|: bits of armnn_option_bits_e. |unit| may be "". |choices|: a static array of
 * armnn_string_t. */
#define ARMNN_KIT_SAY(flags, help, unit, least, most, real_least, real_most, choices, count) \
  {{sizeof(armnn_option_description_t), ARMNN_STRUCT_OPTION_DESCRIPTION},                    \
   flags,                                                                                    \
   0,                                                                                        \
   ARMNN_TEXT(help),                                                                         \
   ARMNN_TEXT(unit),                                                                         \
   least,                                                                                    \
   most,                                                                                     \
   real_least,                                                                               \
   real_most,                                                                                \
   choices,                                                                                  \
   count}
#define ARMNN_SAY(help, flags) ARMNN_KIT_SAY(flags, help, "", 0, 0, 0.0, 0.0, NULL, 0)
#define ARMNN_SAY_RANGE(help, unit, minimum, maximum, flags) \
  ARMNN_KIT_SAY(flags, help, unit, minimum, maximum, 0.0, 0.0, NULL, 0)
#define ARMNN_SAY_REAL_RANGE(help, unit, minimum, maximum, flags) \
  ARMNN_KIT_SAY(flags, help, unit, 0, 0, minimum, maximum, NULL, 0)
#define ARMNN_SAY_CHOICES(help, choices, flags) \
  ARMNN_KIT_SAY(flags, help, "", 0, 0, 0.0, 0.0, choices, sizeof(choices) / sizeof((choices)[0]))

/* ---- From rows to a backend ------------------------------------------------------------------ */

/* What a backend has besides kernels; members that are null or 0 are not there. Capabilities are a
 * static array of names and values. */
typedef struct armnn_kit_hooks_t {
  /* create of the backend: opens a library, or the device of that index. UNAVAILABLE: it is not
   * here. |*out_user| is what armnn_kit_user gives, for any argument |backend| of this file. */
  armnn_status_t (*open)(const armnn_create_args_t* args, void** out_user,
                         armnn_error_t* error) ARMNN_NOEXCEPT;
  /* Before the instance goes, if |open| answered OK. */
  void (*close)(void* user) ARMNN_NOEXCEPT;
  /* optimize_subgraph_view; compile_kit.h has helpers. A row for PRE_COMPILED runs the result. */
  armnn_status_t (*optimize)(armnn_backend_t* backend, const armnn_subgraph_t* subgraph,
                             const armnn_options_t* model_options,
                             const armnn_optimization_sink_t* sink,
                             armnn_error_t* error) ARMNN_NOEXCEPT;
  /* infer_stand_in: operators that no layer expresses. A row for STAND_IN runs them; its |supports|
   * tells them apart by domain and name (armnn_is_operator). */
  armnn_status_t (*infer_stand_in)(armnn_backend_t* backend, const armnn_layer_t* layer,
                                   armnn_tensor_info_t* out_infos,
                                   armnn_error_t* reason) ARMNN_NOEXCEPT;
  /* list_devices of the backend; null: it has one. |backend| may be null. */
  armnn_status_t (*list_devices)(armnn_backend_t* backend,
                                 void (*on_device)(void* context,
                                                   const armnn_device_description_t* device)
                                     ARMNN_NOEXCEPT,
                                 void* context, armnn_error_t* error) ARMNN_NOEXCEPT;
  /* Asked before any row, where devices of one backend differ: does this one take the layer? */
  armnn_status_t (*supports)(armnn_backend_t* backend, const armnn_layer_query_t* query,
                             armnn_error_t* reason) ARMNN_NOEXCEPT;
  armnn_kit_options_t options;
  armnn_kit_options_t model_options;
  armnn_options_t capabilities;
  /* As in the tables of backend_api.h, for |user|; |run_options| need a |before_run|. It writes
   * what kernels of the run must know to |execution_data| of the notice: |run_data_size| bytes,
   * which are theirs as |run_data| of the call, and zero when an execution context is made. */
  armnn_status_t (*set_option)(void* user, const armnn_option_t* option,
                               armnn_error_t* error) ARMNN_NOEXCEPT;
  armnn_kit_options_t run_options;
  uint64_t run_data_size;
  armnn_status_t (*before_run)(void* user, const armnn_run_notice_t* notice,
                               armnn_error_t* error) ARMNN_NOEXCEPT;
  void (*after_run)(void* user, const armnn_run_notice_t* notice) ARMNN_NOEXCEPT;
  /* get_preferred_layout, where rows take one layout only. */
  int32_t (*preferred_layout)(const armnn_layer_query_t* query) ARMNN_NOEXCEPT;
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

/* What |open| made for the instance: for |backend| of a kernel's call, prepare, a hook. */
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
  armnn_layer_support_api_t api; /* with the functions that there are hooks for */
  armnn_backend_t* backend;
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
  const armnn_kit_hooks_t* hooks = self->definition->hooks;
  if (hooks != NULL && hooks->supports != NULL) {
    ARMNN_RETURN_IF_ERROR(hooks->supports(self->backend, query, reason));
  }
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

static inline int32_t armnn_kit_get_preferred_layout(
    armnn_layer_support_t* support, const armnn_layer_query_t* query) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = ((const armnn_kit_support_t*)support)->definition->hooks;
  return hooks->preferred_layout(query);
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
  call.run_data = args->execution_data;
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
  return self->kernel->create_state(self->info, self->prepared, self->host, self->backend, out_data,
                                    error);
}

static inline armnn_status_t armnn_kit_reset_workload_data(armnn_workload_t* workload, void* data,
                                                           armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_workload_t* self = (const armnn_kit_workload_t*)workload;
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
    NULL,
    NULL,
    NULL,
};

/* Of a kernel with create_state and no reset_state: what one run leaves is nothing to the next. */
static const armnn_workload_api_t armnn_kit_data_workload_api = {
    {sizeof(armnn_workload_api_t), ARMNN_STRUCT_WORKLOAD},
    armnn_kit_workload_destroy,
    armnn_kit_workload_execute,
    armnn_kit_workload_requirements,
    NULL,
    armnn_kit_workload_kernel_name,
    armnn_kit_create_workload_data,
    NULL,
    armnn_kit_destroy_workload_data,
};

/* Of a kernel with both. */
static const armnn_workload_api_t armnn_kit_state_workload_api = {
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

/* Empty needs of |count| tensors for prepare to fill in, from |memory| for as many pointers and
 * structures. */
static inline const armnn_tensor_needs_t* const* armnn_kit_empty_needs(void* memory,
                                                                       uint32_t count) {
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
static inline int armnn_kit_has_needs(const armnn_tensor_needs_t* const* needs, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (needs[i]->alignment != 0 || needs[i]->readable_bytes != 0 || needs[i]->in_place_mask != 0 ||
        needs[i]->flags != 0) {
      return 1;
    }
  }
  return 0;
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
  const uint32_t tensors = kernel->prepare == NULL ? 0 : info->input_count + info->output_count;
  armnn_kit_workload_t* workload = (armnn_kit_workload_t*)calloc(
      1, sizeof *workload + tensors * (sizeof(armnn_tensor_needs_t) + sizeof(void*)));
  if (workload == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  workload->base.api = kernel->create_state == NULL  ? &armnn_kit_workload_api
                       : kernel->reset_state == NULL ? &armnn_kit_data_workload_api
                                                     : &armnn_kit_state_workload_api;
  workload->info = info;
  workload->kernel = kernel;
  workload->host = self->host;
  workload->backend = self->backend;
  workload->requirements.header.struct_size = sizeof workload->requirements;
  workload->requirements.header.struct_type = ARMNN_STRUCT_WORKLOAD_REQUIREMENTS;
  workload->requirements.tensor_alignment = 1; /* plain C kernels: aligned to their elements */
  if (kernel->prepare != NULL) {
    const armnn_tensor_needs_t* const* needs = armnn_kit_empty_needs(workload + 1, tensors);
    workload->requirements.tensors = needs;
    armnn_status_t status = kernel->prepare(info, self->host, self->backend, &workload->prepared,
                                            &workload->requirements, error);
    if (status != ARMNN_STATUS_OK) {
      free(workload);
      return status;
    }
    if (workload->requirements.tensors == needs && !armnn_kit_has_needs(needs, tensors)) {
      workload->requirements.tensors = NULL;
    }
  }
  *out_workload = &workload->base;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_kit_create_execution_data(armnn_workload_factory_t* factory,
                                                             void** out_data,
                                                             armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = ((const armnn_kit_factory_t*)factory)->definition->hooks;
  *out_data = NULL;
  if (hooks == NULL || hooks->run_data_size == 0) return ARMNN_STATUS_OK;
  *out_data = calloc(1, (size_t)hooks->run_data_size);
  if (*out_data == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  return ARMNN_STATUS_OK;
}

static inline void armnn_kit_destroy_execution_data(armnn_workload_factory_t* factory,
                                                    void* data) ARMNN_NOEXCEPT {
  (void)factory;
  free(data);
}

static const armnn_workload_factory_api_t armnn_kit_workload_factory_api = {
    {sizeof(armnn_workload_factory_api_t), ARMNN_STRUCT_WORKLOAD_FACTORY},
    armnn_kit_factory_destroy,
    armnn_kit_create_workload,
    NULL,
    armnn_kit_create_execution_data,
    armnn_kit_destroy_execution_data,
};

static inline armnn_status_t armnn_kit_infer_stand_in(armnn_layer_support_t* support,
                                                      const armnn_layer_t* layer,
                                                      armnn_tensor_info_t* out_infos,
                                                      armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_kit_support_t* self = (const armnn_kit_support_t*)support;
  return self->definition->hooks->infer_stand_in(self->backend, layer, out_infos, reason);
}

static inline armnn_status_t armnn_kit_create(const armnn_kit_definition_t* definition,
                                              const armnn_backend_api_t* api,
                                              const armnn_create_args_t* args,
                                              armnn_backend_t** out_backend, armnn_error_t* error) {
  armnn_kit_backend_t* backend = (armnn_kit_backend_t*)calloc(1, sizeof *backend);
  *out_backend = NULL;
  if (backend == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  backend->base.api = api;
  backend->host = args->host;
  backend->definition = definition;
  if (definition->hooks != NULL && definition->hooks->open != NULL) {
    const armnn_status_t status = definition->hooks->open(args, &backend->user, error);
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
  const armnn_kit_hooks_t* hooks = self->definition->hooks;
  support->api.header.struct_size = sizeof support->api;
  support->api.header.struct_type = ARMNN_STRUCT_LAYER_SUPPORT;
  support->api.destroy = armnn_kit_support_destroy;
  support->api.is_layer_supported = armnn_kit_is_layer_supported;
  support->api.takes_late_shapes = armnn_kit_takes_late_shapes;
  if (hooks != NULL && hooks->preferred_layout != NULL) {
    support->api.get_preferred_layout = armnn_kit_get_preferred_layout;
  }
  if (hooks != NULL && hooks->infer_stand_in != NULL) {
    support->api.infer_stand_in = armnn_kit_infer_stand_in;
  }
  support->base.api = &support->api;
  support->backend = backend;
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

/* ---- Options of one run, and notices ----------------------------------------------------------
 */

typedef struct armnn_kit_context_t {
  armnn_backend_context_t base;
  armnn_backend_t* backend;
} armnn_kit_context_t;

static inline void armnn_kit_context_destroy(armnn_backend_context_t* context) ARMNN_NOEXCEPT {
  free(context);
}

static inline armnn_status_t armnn_kit_before_run(armnn_backend_context_t* context,
                                                  const armnn_run_notice_t* notice,
                                                  armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_backend_t* backend = ((const armnn_kit_context_t*)context)->backend;
  const armnn_kit_hooks_t* hooks = armnn_kit_hooks_of(backend);
  if (hooks->before_run == NULL) return ARMNN_STATUS_OK;
  return hooks->before_run(armnn_kit_user(backend), notice, error);
}

static inline void armnn_kit_after_run(armnn_backend_context_t* context,
                                       const armnn_run_notice_t* notice) ARMNN_NOEXCEPT {
  const armnn_backend_t* backend = ((const armnn_kit_context_t*)context)->backend;
  const armnn_kit_hooks_t* hooks = armnn_kit_hooks_of(backend);
  if (hooks->after_run != NULL) hooks->after_run(armnn_kit_user(backend), notice);
}

static const armnn_backend_context_api_t armnn_kit_context_api = {
    {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT},
    armnn_kit_context_destroy,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    armnn_kit_before_run,
    armnn_kit_after_run,
    NULL,
    NULL,
};

static inline armnn_status_t armnn_kit_create_backend_context(armnn_backend_t* backend,
                                                              const armnn_options_t* options,
                                                              armnn_backend_context_t** out_context,
                                                              armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = armnn_kit_hooks_of(backend);
  (void)options; /* |open| has read them */
  *out_context = NULL;
  if (hooks->before_run == NULL && hooks->after_run == NULL) return ARMNN_STATUS_OK;
  armnn_kit_context_t* context = (armnn_kit_context_t*)calloc(1, sizeof *context);
  if (context == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  context->base.api = &armnn_kit_context_api;
  context->backend = backend;
  *out_context = &context->base;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_kit_get_run_options(armnn_backend_t* backend,
                                                       armnn_options_t* out_options,
                                                       armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error;
  *out_options = armnn_kit_hooks_of(backend)->run_options.defaults;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_kit_set_option(armnn_backend_t* backend,
                                                  const armnn_option_t* option,
                                                  armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = armnn_kit_hooks_of(backend);
  if (hooks->set_option == NULL) {
    return armnn_fail(error, ARMNN_STATUS_UNIMPLEMENTED, "the hooks have no set_option");
  }
  return hooks->set_option(armnn_kit_user(backend), option, error);
}

static inline const armnn_option_description_t* armnn_kit_describe(const armnn_kit_hooks_t* hooks,
                                                                   int32_t scope, uint64_t index) {
  const armnn_kit_options_t* options = scope == ARMNN_OPTION_SCOPE_BACKEND ? &hooks->options
                                       : scope == ARMNN_OPTION_SCOPE_MODEL ? &hooks->model_options
                                       : scope == ARMNN_OPTION_SCOPE_RUN   ? &hooks->run_options
                                                                           : NULL;
  if (options == NULL || options->descriptions == NULL) return NULL;
  return index < options->defaults.count ? &options->descriptions[index] : NULL;
}

/* ---- The table and the entry points -----------------------------------------------------------
 */

/* Defines a whole backend: the table, the instance and the three entry points. |score_value|: order
 * of preference (0 = last resort); |version_text|, |text|: shown to people, or NULL; |flag_bits|:
 * bits of armnn_backend_bits_e. ARMNN_BACKEND_UNLOADABLE is among them only if the author puts it
 * there, who knows that no library behind the backend leaves a thread when it is closed. */
#define ARMNN_KIT_DEFINE(id_text, kernel_rows, score_value, version_text, text, flag_bits,         \
                         hooks_pointer, optimize_function, capabilities_function,                  \
                         options_function, model_options_function, devices_function,               \
                         context_function, describe_function, run_options_function,                \
                         set_option_function)                                                      \
  static const armnn_kit_definition_t armnn_kit_definition = {                                     \
      id_text, kernel_rows, sizeof(kernel_rows) / sizeof((kernel_rows)[0]), hooks_pointer};        \
  static armnn_status_t armnn_kit_create_this(const armnn_create_args_t* args,                     \
                                              armnn_backend_t** out_backend, armnn_error_t* error) \
      ARMNN_NOEXCEPT;                                                                              \
  static const armnn_backend_api_t armnn_kit_backend_api = {                                       \
      {sizeof(armnn_backend_api_t), ARMNN_STRUCT_BACKEND},                                         \
      ARMNN_BACKEND_API_MINOR,                                                                     \
      flag_bits,                                                                                   \
      0,                                                                                           \
      ARMNN_BUILD_FEATURES,                                                                        \
      score_value,                                                                                 \
      0,                                                                                           \
      version_text,                                                                                \
      text,                                                                                        \
      armnn_kit_create_this,                                                                       \
      armnn_kit_destroy,                                                                           \
      armnn_kit_get_id,                                                                            \
      armnn_kit_create_workload_factory,                                                           \
      armnn_kit_get_layer_support,                                                                 \
      NULL,                                                                                        \
      context_function,                                                                            \
      NULL,                                                                                        \
      NULL,                                                                                        \
      optimize_function,                                                                           \
      NULL,                                                                                        \
      NULL,                                                                                        \
      capabilities_function,                                                                       \
      options_function,                                                                            \
      model_options_function,                                                                      \
      NULL,                                                                                        \
      NULL,                                                                                        \
      NULL,                                                                                        \
      NULL,                                                                                        \
      NULL,                                                                                        \
      devices_function,                                                                            \
      NULL,                                                                                        \
      NULL,                                                                                        \
      NULL,                                                                                        \
      describe_function,                                                                           \
      run_options_function,                                                                        \
      set_option_function};                                                                        \
  static armnn_status_t armnn_kit_create_this(const armnn_create_args_t* args,                     \
                                              armnn_backend_t** out_backend, armnn_error_t* error) \
      ARMNN_NOEXCEPT {                                                                             \
    return armnn_kit_create(&armnn_kit_definition, &armnn_kit_backend_api, args, out_backend,      \
                            error);                                                                \
  }                                                                                                \
  const char* ARMNN_ENTRY(GetBackendId)(void) ARMNN_NOEXCEPT { return id_text; }                   \
  void ARMNN_ENTRY(GetVersion)(uint32_t* out_major, uint32_t* out_minor) ARMNN_NOEXCEPT {          \
    *out_major = ARMNN_BACKEND_API_MAJOR;                                                          \
    *out_minor = ARMNN_TARGET_MINOR;                                                               \
  }                                                                                                \
  void* ARMNN_ENTRY(BackendFactory)(void) ARMNN_NOEXCEPT {                                         \
    return (void*)(uintptr_t)&armnn_kit_backend_api;                                               \
  }

/* With hooks: |hooks| is a static const armnn_kit_hooks_t. */
#define ARMNN_DEFINE_BACKEND_WITH(id_text, kernel_rows, score_value, version_text, text,          \
                                  flag_bits, hooks)                                               \
  static armnn_status_t armnn_kit_get_options(armnn_backend_t* backend,                           \
                                              armnn_options_t* out_options, armnn_error_t* error) \
      ARMNN_NOEXCEPT {                                                                            \
    (void)backend, (void)error; /* asked before there is an instance */                           \
    *out_options = (hooks).options.defaults;                                                      \
    return ARMNN_STATUS_OK;                                                                       \
  }                                                                                               \
  static armnn_status_t armnn_kit_get_model_options(                                              \
      armnn_backend_t* backend, armnn_options_t* out_options, armnn_error_t* error)               \
      ARMNN_NOEXCEPT {                                                                            \
    (void)backend, (void)error;                                                                   \
    *out_options = (hooks).model_options.defaults;                                                \
    return ARMNN_STATUS_OK;                                                                       \
  }                                                                                               \
  static armnn_status_t armnn_kit_list_devices(                                                   \
      armnn_backend_t* backend,                                                                   \
      void (*on_device)(void* context, const armnn_device_description_t* device) ARMNN_NOEXCEPT,  \
      void* context, armnn_error_t* error) ARMNN_NOEXCEPT {                                       \
    if ((hooks).list_devices == NULL) return ARMNN_STATUS_UNSUPPORTED;                            \
    return (hooks).list_devices(backend, on_device, context, error);                              \
  }                                                                                               \
  static const armnn_option_description_t* armnn_kit_describe_option(                             \
      armnn_backend_t* backend, int32_t scope, uint64_t index) ARMNN_NOEXCEPT {                   \
    (void)backend;                                                                                \
    return armnn_kit_describe(&(hooks), scope, index);                                            \
  }                                                                                               \
  ARMNN_KIT_DEFINE(id_text, kernel_rows, score_value, version_text, text, flag_bits, &(hooks),    \
                   armnn_kit_optimize, armnn_kit_get_capabilities, armnn_kit_get_options,         \
                   armnn_kit_get_model_options, armnn_kit_list_devices,                           \
                   armnn_kit_create_backend_context, armnn_kit_describe_option,                   \
                   armnn_kit_get_run_options, armnn_kit_set_option)

/* Without, |capabilities_function|: get_capabilities of armnn_backend_api_t, or NULL. */
#define ARMNN_DEFINE_BACKEND_FULL(id_text, kernel_rows, score_value, version_text, text,         \
                                  flag_bits, capabilities_function)                              \
  ARMNN_KIT_DEFINE(id_text, kernel_rows, score_value, version_text, text, flag_bits, NULL, NULL, \
                   capabilities_function, NULL, NULL, NULL, NULL, NULL, NULL, NULL)

#define ARMNN_DEFINE_BACKEND_EX(id_text, kernel_rows, score_value, version_text, text) \
  ARMNN_DEFINE_BACKEND_FULL(id_text, kernel_rows, score_value, version_text, text, 0, NULL)

#define ARMNN_DEFINE_BACKEND(id_text, kernel_rows) \
  ARMNN_DEFINE_BACKEND_EX(id_text, kernel_rows, 1, NULL, NULL)

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_BACKEND_KIT_H_ */
