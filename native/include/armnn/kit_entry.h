/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kit_entry.h - the table and the entry points of a backend; part of backend_kit.h.
 */
#ifndef ARMNN_KIT_ENTRY_H_
#define ARMNN_KIT_ENTRY_H_

#include "armnn/kit_workloads.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- An instance ----------------------------------------------------------------------------- */

/* create of a backend with a table |api| of its own, the first part of whose instance is an
 * armnn_kit_backend_t. */
static inline armnn_status_t armnn_kit_create(const armnn_kit_definition_t* definition,
                                              const armnn_backend_api_t* api,
                                              const armnn_create_args_t* args,
                                              armnn_backend_t** out_backend, armnn_error_t* error) {
  *out_backend = NULL;
  ARMNN_RETURN_IF_ERROR(armnn_i_check_hooks(definition, args->host, error));
  armnn_kit_backend_t* backend = (armnn_kit_backend_t*)calloc(1, sizeof *backend);
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

/* destroy of such an instance, with |close| of its hooks. */
static inline void armnn_kit_destroy(armnn_backend_t* backend) ARMNN_NOEXCEPT {
  const armnn_kit_backend_t* self = (const armnn_kit_backend_t*)backend;
  const armnn_kit_hooks_t* hooks = self->definition->hooks;
  if (hooks != NULL && hooks->close != NULL) hooks->close(self->user);
  free(backend);
}

/* get_id of such an instance. */
static inline const char* armnn_kit_get_id(armnn_backend_t* backend) ARMNN_NOEXCEPT {
  return ((const armnn_kit_backend_t*)backend)->definition->id;
}

/* ---- Functions of the table, from hooks ------------------------------------------------------ */

static inline armnn_status_t armnn_i_optimize(armnn_backend_t* backend,
                                              const armnn_subgraph_t* subgraph,
                                              const armnn_options_t* model_options,
                                              const armnn_optimization_sink_t* sink,
                                              armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = armnn_i_hooks_of(backend);
  if (hooks->optimize == NULL) return ARMNN_STATUS_UNSUPPORTED; /* all layers run as they are */
  return hooks->optimize(backend, subgraph, model_options, sink, error);
}

static inline armnn_status_t armnn_i_get_capabilities(armnn_backend_t* backend,
                                                      armnn_options_t* out_capabilities,
                                                      armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error;
  *out_capabilities = armnn_i_hooks_of(backend)->capabilities;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_i_check_blob(armnn_backend_t* backend,
                                                armnn_string_t compatibility,
                                                armnn_error_t* why_not) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = armnn_i_hooks_of(backend);
  if (hooks->check_blob == NULL) return ARMNN_STATUS_OK;
  return hooks->check_blob(backend, compatibility, why_not);
}

static inline armnn_status_t armnn_i_deserialize_blob(armnn_backend_t* backend, const void* data,
                                                      uint64_t size, armnn_string_t compatibility,
                                                      armnn_blob_t* out_blob,
                                                      armnn_error_t* error) ARMNN_NOEXCEPT {
  return armnn_i_hooks_of(backend)->deserialize_blob(backend, data, size, compatibility, out_blob,
                                                     error);
}

static inline uint32_t armnn_i_count_cache_files(armnn_backend_t* backend) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = armnn_i_hooks_of(backend);
  return hooks->get_number_of_cache_files == NULL ? 0 : hooks->get_number_of_cache_files(backend);
}

/* ---- Options of one run, and notices ----------------------------------------------------------
 */

typedef struct armnn_i_context_t {
  armnn_backend_context_t base;
  armnn_backend_t* backend;
} armnn_i_context_t;

static inline void armnn_i_context_destroy(armnn_backend_context_t* context) ARMNN_NOEXCEPT {
  free(context);
}

static inline armnn_status_t armnn_i_before_run(armnn_backend_context_t* context,
                                                const armnn_run_notice_t* notice,
                                                armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_backend_t* backend = ((const armnn_i_context_t*)context)->backend;
  const armnn_kit_hooks_t* hooks = armnn_i_hooks_of(backend);
  if (hooks->before_run == NULL) return ARMNN_STATUS_OK;
  return hooks->before_run(armnn_kit_user(backend), notice, error);
}

static inline void armnn_i_after_run(armnn_backend_context_t* context,
                                     const armnn_run_notice_t* notice) ARMNN_NOEXCEPT {
  const armnn_backend_t* backend = ((const armnn_i_context_t*)context)->backend;
  const armnn_kit_hooks_t* hooks = armnn_i_hooks_of(backend);
  if (hooks->after_run != NULL) hooks->after_run(armnn_kit_user(backend), notice);
}

static const armnn_backend_context_api_t armnn_i_context_api = ARMNN_INIT(
    armnn_backend_context_api_t,
    ARMNN_SET(header, {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT})
        ARMNN_SET(destroy, armnn_i_context_destroy) ARMNN_SET(before_run, armnn_i_before_run)
            ARMNN_SET(after_run, armnn_i_after_run));

static inline armnn_status_t armnn_i_create_backend_context(armnn_backend_t* backend,
                                                            const armnn_options_t* options,
                                                            armnn_backend_context_t** out_context,
                                                            armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = armnn_i_hooks_of(backend);
  (void)options; /* |open| has read them */
  *out_context = NULL;
  if (hooks->before_run == NULL && hooks->after_run == NULL) return ARMNN_STATUS_OK;
  armnn_i_context_t* context = (armnn_i_context_t*)calloc(1, sizeof *context);
  if (context == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  context->base.api = &armnn_i_context_api;
  context->backend = backend;
  *out_context = &context->base;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_i_get_run_options(armnn_backend_t* backend,
                                                     armnn_options_t* out_options,
                                                     armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error;
  *out_options = armnn_i_hooks_of(backend)->run_options.defaults;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_i_set_option(armnn_backend_t* backend,
                                                const armnn_option_t* option,
                                                armnn_error_t* error) ARMNN_NOEXCEPT {
  const armnn_kit_hooks_t* hooks = armnn_i_hooks_of(backend);
  if (hooks->set_option == NULL) {
    return armnn_fail(error, ARMNN_STATUS_UNIMPLEMENTED, "the hooks have no set_option");
  }
  return hooks->set_option(armnn_kit_user(backend), option, error);
}

static inline const armnn_option_description_t* armnn_i_describe(const armnn_kit_hooks_t* hooks,
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

#define ARMNN_I_HEAD(score_value, version_text, text, flag_bits)         \
  ARMNN_SET(header, {sizeof(armnn_backend_api_t), ARMNN_STRUCT_BACKEND}) \
  ARMNN_SET(built_minor, ARMNN_BACKEND_API_MINOR)                        \
  ARMNN_SET(flags, flag_bits)                                            \
  ARMNN_SET(build_features, ARMNN_BUILD_FEATURES)                        \
  ARMNN_SET(score, score_value)                                          \
  ARMNN_SET(vendor_version, version_text)                                \
  ARMNN_SET(description, text)                                           \
  ARMNN_SET(create, armnn_i_create_this)                                 \
  ARMNN_SET(destroy, armnn_kit_destroy)                                  \
  ARMNN_SET(get_id, armnn_kit_get_id)                                    \
  ARMNN_SET(create_workload_factory, armnn_kit_create_workload_factory)  \
  ARMNN_SET(get_layer_support, armnn_kit_get_layer_support)
#define ARMNN_I_TABLE(table_name, score_value, version_text, text, flag_bits, ...) \
  static const armnn_backend_api_t table_name = ARMNN_INIT(                        \
      armnn_backend_api_t, ARMNN_I_HEAD(score_value, version_text, text, flag_bits) __VA_ARGS__);

/* Before the tables, which name create. */
#define ARMNN_I_DEFINITION(id_text, kernel_rows, hooks_pointer)                                  \
  static const armnn_kit_definition_t armnn_i_definition = {                                     \
      id_text, kernel_rows, sizeof(kernel_rows) / sizeof((kernel_rows)[0]), hooks_pointer};      \
  static const armnn_backend_api_t* armnn_i_table(void) ARMNN_NOEXCEPT;                          \
  static armnn_status_t armnn_i_create_this(const armnn_create_args_t* args,                     \
                                            armnn_backend_t** out_backend, armnn_error_t* error) \
      ARMNN_NOEXCEPT {                                                                           \
    return armnn_kit_create(&armnn_i_definition, armnn_i_table(), args, out_backend, error);     \
  }

/* Behind them; |choice| is the table. */
#define ARMNN_I_ENTRIES(id_text, choice)                                                  \
  static const armnn_backend_api_t* armnn_i_table(void) ARMNN_NOEXCEPT { return choice; } \
  const char* ARMNN_ENTRY(GetBackendId)(void) ARMNN_NOEXCEPT { return id_text; }          \
  void ARMNN_ENTRY(GetVersion)(uint32_t* out_major, uint32_t* out_minor) ARMNN_NOEXCEPT { \
    *out_major = ARMNN_BACKEND_API_MAJOR;                                                 \
    *out_minor = ARMNN_TARGET_MINOR;                                                      \
  }                                                                                       \
  void* ARMNN_ENTRY(BackendFactory)(void) ARMNN_NOEXCEPT {                                \
    return (void*)(uintptr_t)armnn_i_table();                                             \
  }

/* The functions that hooks stand behind. */
#define ARMNN_I_HOOKED                                              \
  ARMNN_SET(get_capabilities, armnn_i_get_capabilities)             \
  ARMNN_SET(get_option_defaults, armnn_i_get_options)               \
  ARMNN_SET(get_model_option_defaults, armnn_i_get_model_options)   \
  ARMNN_SET(list_devices, armnn_i_list_devices)                     \
  ARMNN_SET(create_backend_context, armnn_i_create_backend_context) \
  ARMNN_SET(describe_option, armnn_i_describe_option)               \
  ARMNN_SET(get_run_option_defaults, armnn_i_get_run_options)       \
  ARMNN_SET(set_option, armnn_i_set_option)                         \
  ARMNN_SET(check_blob, armnn_i_check_blob)                         \
  ARMNN_SET(get_number_of_cache_files, armnn_i_count_cache_files)

/* ---- What an author writes -------------------------------------------------------------------
 */

/* Each defines a whole backend: the table, the instance and the three entry points.
 *
 * |kernel_rows|: a static array. |score_value|: order of preference (0 = last resort).
 * |version_text|, |text|: shown to people, or NULL. |flag_bits|: bits of armnn_backend_bits_e;
 * ARMNN_BACKEND_UNLOADABLE is among them only if the author puts it there, who knows that no
 * library behind the backend leaves a thread when it is closed. */

/* With hooks: |hooks| is a static const armnn_kit_hooks_t. The host sees in the table whether the
 * backend compiles, and whether it reads bytes: there are three of it. */
#define ARMNN_DEFINE_BACKEND_WITH(id_text, kernel_rows, score_value, version_text, text,         \
                                  flag_bits, hooks)                                              \
  ARMNN_I_DEFINITION(id_text, kernel_rows, &(hooks))                                             \
  static armnn_status_t armnn_i_get_options(armnn_backend_t* backend,                            \
                                            armnn_options_t* out_options, armnn_error_t* error)  \
      ARMNN_NOEXCEPT {                                                                           \
    (void)backend, (void)error; /* asked before there is an instance */                          \
    *out_options = (hooks).options.defaults;                                                     \
    return ARMNN_STATUS_OK;                                                                      \
  }                                                                                              \
  static armnn_status_t armnn_i_get_model_options(                                               \
      armnn_backend_t* backend, armnn_options_t* out_options, armnn_error_t* error)              \
      ARMNN_NOEXCEPT {                                                                           \
    (void)backend, (void)error;                                                                  \
    *out_options = (hooks).model_options.defaults;                                               \
    return ARMNN_STATUS_OK;                                                                      \
  }                                                                                              \
  static armnn_status_t armnn_i_list_devices(                                                    \
      armnn_backend_t* backend,                                                                  \
      void (*on_device)(void* context, const armnn_device_description_t* device) ARMNN_NOEXCEPT, \
      void* context, armnn_error_t* error) ARMNN_NOEXCEPT {                                      \
    if ((hooks).list_devices == NULL) return ARMNN_STATUS_UNSUPPORTED;                           \
    return (hooks).list_devices(backend, on_device, context, error);                             \
  }                                                                                              \
  static const armnn_option_description_t* armnn_i_describe_option(                              \
      armnn_backend_t* backend, int32_t scope, uint64_t index) ARMNN_NOEXCEPT {                  \
    (void)backend;                                                                               \
    return armnn_i_describe(&(hooks), scope, index);                                             \
  }                                                                                              \
  ARMNN_I_TABLE(armnn_i_table_as_it_is, score_value, version_text, text, flag_bits,              \
                ARMNN_I_HOOKED)                                                                  \
  ARMNN_I_TABLE(armnn_i_table_of_parts, score_value, version_text, text, flag_bits,              \
                ARMNN_SET(optimize_subgraph_view, armnn_i_optimize) ARMNN_I_HOOKED)              \
  ARMNN_I_TABLE(armnn_i_table_of_bytes, score_value, version_text, text, flag_bits,              \
                ARMNN_SET(optimize_subgraph_view, armnn_i_optimize)                              \
                    ARMNN_I_HOOKED ARMNN_SET(deserialize_blob, armnn_i_deserialize_blob))        \
  ARMNN_I_ENTRIES(id_text, (hooks).deserialize_blob != NULL ? &armnn_i_table_of_bytes            \
                           : (hooks).optimize != NULL       ? &armnn_i_table_of_parts            \
                                                            : &armnn_i_table_as_it_is)

/* Without hooks; |capabilities_function|: get_capabilities of armnn_backend_api_t, or NULL. */
#define ARMNN_DEFINE_BACKEND_FULL(id_text, kernel_rows, score_value, version_text, text, \
                                  flag_bits, capabilities_function)                      \
  ARMNN_I_DEFINITION(id_text, kernel_rows, NULL)                                         \
  ARMNN_I_TABLE(armnn_i_table_as_it_is, score_value, version_text, text, flag_bits,      \
                ARMNN_SET(get_capabilities, capabilities_function))                      \
  ARMNN_I_ENTRIES(id_text, &armnn_i_table_as_it_is)

/* Without hooks, flags and capabilities. */
#define ARMNN_DEFINE_BACKEND_EX(id_text, kernel_rows, score_value, version_text, text) \
  ARMNN_DEFINE_BACKEND_FULL(id_text, kernel_rows, score_value, version_text, text, 0, NULL)

/* With an id and rows alone: score 1. */
#define ARMNN_DEFINE_BACKEND(id_text, kernel_rows) \
  ARMNN_DEFINE_BACKEND_EX(id_text, kernel_rows, 1, NULL, NULL)

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_KIT_ENTRY_H_ */
