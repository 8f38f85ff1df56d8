/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kit_hooks.h - what a backend has besides rows; part of backend_kit.h.
 */
#ifndef ARMNN_KIT_HOOKS_H_
#define ARMNN_KIT_HOOKS_H_

#include "armnn/kit_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Hooks ----------------------------------------------------------------------------------- */

/* |run_data_size| of hooks whose before_run writes nothing to execution_data. */
#define ARMNN_KIT_NO_RUN_DATA UINT64_MAX

/* What a backend has besides kernels; members that are null or 0 are not there. Capabilities are a
 * static array of names and values. */
typedef struct armnn_kit_hooks_t {
  /* create of the backend: opens a library, or the device of that index. UNAVAILABLE: it is not
   * here. |*out_user| is what armnn_kit_user gives, for any argument |backend| of this file. */
  armnn_status_t (*open)(const armnn_create_args_t* args, void** out_user,
                         armnn_error_t* error) ARMNN_NOEXCEPT;
  /* Before the instance goes, if |open| answered OK. */
  void (*close)(void* user) ARMNN_NOEXCEPT;
  /* optimize_subgraph_view; null: all layers run as they are. compile_kit.h has helpers. A row for
   * PRE_COMPILED runs the result. */
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
  /* Options go to |open|, and those that are ARMNN_OPTION_CHANGEABLE to |set_option|, without which
   * the backend does not load. Model options go to |optimize|, and to |supports| and |prepare| of
   * rows: see armnn_model_options_of_query. */
  armnn_kit_options_t options;
  armnn_kit_options_t model_options;
  armnn_options_t capabilities;
  /* As in the tables of backend_api.h, for |user|. */
  armnn_status_t (*set_option)(void* user, const armnn_option_t* option,
                               armnn_error_t* error) ARMNN_NOEXCEPT;
  /* Run options need a |before_run|, which writes what kernels of the run must know to
   * |execution_data| of the notice: |run_data_size| bytes, which are theirs as |run_data| of the
   * call, and zero when an execution context is made. A before_run that writes nothing, to null,
   * says ARMNN_KIT_NO_RUN_DATA: with 0, which may have been forgotten, the backend does not load.
   */
  armnn_kit_options_t run_options;
  uint64_t run_data_size;
  armnn_status_t (*before_run)(void* user, const armnn_run_notice_t* notice,
                               armnn_error_t* error) ARMNN_NOEXCEPT;
  void (*after_run)(void* user, const armnn_run_notice_t* notice) ARMNN_NOEXCEPT;
  /* get_preferred_layout, where rows take one layout only. */
  int32_t (*preferred_layout)(const armnn_layer_query_t* query) ARMNN_NOEXCEPT;
  /* check_blob, deserialize_blob and get_number_of_cache_files of the backend; null: any blob may
   * be used, no bytes are read, and no files are written. With deserialize_blob, have check_blob
   * refuse the texts of other versions. */
  armnn_status_t (*check_blob)(armnn_backend_t* backend, armnn_string_t compatibility,
                               armnn_error_t* why_not) ARMNN_NOEXCEPT;
  armnn_status_t (*deserialize_blob)(armnn_backend_t* backend, const void* data, uint64_t size,
                                     armnn_string_t compatibility, armnn_blob_t* out_blob,
                                     armnn_error_t* error) ARMNN_NOEXCEPT;
  uint32_t (*get_number_of_cache_files)(armnn_backend_t* backend) ARMNN_NOEXCEPT;
} armnn_kit_hooks_t;

/* A whole backend, as the macros of kit_entry.h define it. */
typedef struct armnn_kit_definition_t {
  const char* id;
  const armnn_kernel_t* kernels;
  uint64_t kernel_count;
  const armnn_kit_hooks_t* hooks; /* or null */
} armnn_kit_definition_t;

/* An instance. */
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

static inline const armnn_kit_hooks_t* armnn_i_hooks_of(const armnn_backend_t* backend) {
  return ((const armnn_kit_backend_t*)backend)->definition->hooks;
}

/* ---- Hooks that contradict themselves --------------------------------------------------------
 */

static inline int armnn_i_reads_model_options(const armnn_kit_definition_t* definition) {
  if (definition->hooks->optimize != NULL || definition->hooks->supports != NULL) return 1;
  for (uint64_t i = 0; i < definition->kernel_count; ++i) {
    const armnn_kernel_t* row = &definition->kernels[i];
    if (row->supports != NULL || row->prepare != NULL || row->takes_bounded != NULL ||
        row->create_state != NULL) {
      return 1;
    }
  }
  return 0;
}

/* Logs that nothing reads the options of one kind. */
static inline void armnn_i_warn_of_unread(const armnn_kit_definition_t* definition,
                                          const armnn_host_t* host, const char* kind,
                                          const armnn_options_t* options, const char* reader) {
  for (uint64_t i = 0; i < options->count; ++i) {
    const armnn_string_t name = options->items[i].name;
    armnn_log(host, ARMNN_LOG_WARNING, definition->id, "%s option '%.*s' has no effect: %s", kind,
              (int)(name.size < 64 ? name.size : 64), name.data, reader);
  }
}

/* Before |open|: refuses what would go wrong later, and warns of what does nothing. */
static inline armnn_status_t armnn_i_check_hooks(const armnn_kit_definition_t* definition,
                                                 const armnn_host_t* host, armnn_error_t* error) {
  const armnn_kit_hooks_t* hooks = definition->hooks;
  if (hooks == NULL) return ARMNN_STATUS_OK;
  for (uint64_t i = 0; hooks->set_option == NULL && hooks->options.descriptions != NULL &&
                       i < hooks->options.defaults.count;
       ++i) {
    if ((hooks->options.descriptions[i].flags & (uint32_t)ARMNN_OPTION_CHANGEABLE) == 0) continue;
    const armnn_string_t name = hooks->options.defaults.items[i].name;
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                      "option '%.*s' is ARMNN_OPTION_CHANGEABLE, but the hooks have no set_option",
                      (int)name.size, name.data);
  }
  if (hooks->before_run != NULL && hooks->run_data_size == 0) {
    return armnn_fail(
        error, ARMNN_STATUS_INVALID_ARGUMENT,
        "the hooks have before_run, but run_data_size is 0: it is the number of bytes "
        "that before_run writes to execution_data, or ARMNN_KIT_NO_RUN_DATA");
  }
  if (hooks->open == NULL && hooks->set_option == NULL) {
    armnn_i_warn_of_unread(definition, host, "backend", &hooks->options.defaults,
                           "the hooks have no open that could read it");
  }
  if (!armnn_i_reads_model_options(definition)) {
    armnn_i_warn_of_unread(definition, host, "model", &hooks->model_options.defaults,
                           "no optimize, supports or prepare could read it");
  }
  return ARMNN_STATUS_OK;
}

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_KIT_HOOKS_H_ */
