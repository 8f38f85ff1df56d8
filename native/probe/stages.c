/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * stages.c - the child: the calls that the host makes from opening a file to closing it, in its
 * order, with the checks that keep the host itself alive.
 *
 * What the host refuses in words of its own ends the stages early ("refused"); the host repeats the
 * check and says why. What would end the host is left to happen here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARMNN_NO_ENTRY_DECLARATIONS
#include "armnn/backend_api.h"
#include "armnn/runtime.h"
#include "probe.h"

#define QUIESCE_NS UINT64_C(1000000000)

/* The results of the stages so far. */
typedef struct attempt_t {
  const probe_job_t* job;
  char by_descriptor[64 + 256]; /* a name of the file in the descriptor of its folder */
  const char* opened;           /* the name by which it was opened */
  void* library;
  armnn_get_backend_id_fn_t get_id;
  armnn_get_version_fn_t get_version;
  armnn_backend_factory_fn_t factory;
  armnn_backend_api_t api;
  bool stays_mapped;
  armnn_backend_t* backend;
  armnn_backend_context_t* context;
  void (*destroy_context)(armnn_backend_context_t* context);
  armnn_profiling_context_t* profiling;
  void (*destroy_profiling)(armnn_profiling_context_t* context);
} attempt_t;

static char error_text[2048];

/* A fresh error for each call: a backend may replace its members. */
static armnn_error_t* fresh_error(armnn_error_t* error) {
  memset(error, 0, sizeof *error);
  memset(error_text, 0, sizeof error_text);
  error->header = (armnn_header_t){sizeof *error, ARMNN_STRUCT_ERROR};
  error->text = error_text;
  error->capacity = sizeof error_text;
  return error;
}

static bool refuse(const char* why) {
  probe_note_refused(why);
  return false;
}

/* ---- open, symbols ------------------------------------------------------------------------- */

static bool is_same_file(const struct stat* a, const struct stat* b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool is_still_there(int folder, const char* name, const struct stat* wanted) {
  struct stat found;
  return fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && is_same_file(wanted, &found);
}

/* Opens the file by its name in the descriptor of its folder, and sees that it is the one of the
 * file's own descriptor. By that alone, $ORIGIN and what its code learns by dladdr would lead
 * nowhere. */
static bool open_file(attempt_t* attempt) {
  struct stat wanted;
  const char* last = strrchr(attempt->job->path, '/');
  if (fstat(attempt->job->file, &wanted) != 0 || last == NULL) return refuse("no file");
  char* path = strdup(attempt->job->path);
  if (path == NULL) return refuse("no memory");
  path[last - attempt->job->path] = '\0';
  const int folder = open(path[0] == '\0' ? "/" : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  free(path);
  char* const name = attempt->by_descriptor;
  snprintf(name, sizeof attempt->by_descriptor, "/proc/self/fd/%d/%.255s", folder, last + 1);
  if (folder < 0 || !is_still_there(folder, last + 1, &wanted)) {
    return refuse("the file was replaced");
  }
  attempt->opened = access(name, F_OK) == 0 ? name : attempt->job->path; /* without /proc */
  probe_note_libraries(NULL);
  attempt->library = dlopen(attempt->opened, RTLD_NOW | RTLD_LOCAL);
  if (attempt->library == NULL) {
    const char* words = dlerror();
    return refuse(words != NULL ? words : "dlopen failed");
  }
  probe_note_libraries(attempt->opened);
  return is_still_there(folder, last + 1, &wanted) || refuse("the file was replaced");
}

static bool find_symbol(attempt_t* attempt, const char* name, void* out_function) {
  void* address = dlsym(attempt->library, name);
  if (address == NULL || !probe_is_code((uintptr_t)address)) return refuse(name);
  memcpy(out_function, &address, sizeof address);
  return true;
}

static bool find_symbols(attempt_t* attempt) {
  return find_symbol(attempt, "GetBackendId", &attempt->get_id) &&
         find_symbol(attempt, "GetVersion", &attempt->get_version) &&
         find_symbol(attempt, "BackendFactory", &attempt->factory);
}

/* ---- id, version, table, options ----------------------------------------------------------- */

static bool ask_id(attempt_t* attempt) {
  const char* id = attempt->get_id();
  if (id == NULL) return refuse("the id is null");
  for (size_t size = 0; size <= ARMNN_MAX_ID_SIZE; ++size) {
    if (!probe_is_readable(id + size, 1)) return refuse("the id cannot be read");
    if (id[size] != '\0') continue;
    probe_fact("id", id, size);
    return size > 0 || refuse("the id is empty");
  }
  return refuse("the id is too long");
}

static bool ask_version(attempt_t* attempt) {
  uint32_t major = 0, minor = 0;
  attempt->get_version(&major, &minor);
  probe_fact_line("version %u %u", major, minor);
  if (major != ARMNN_BACKEND_API_MAJOR || minor > ARMNN_BACKEND_API_MINOR) {
    return refuse("another version");
  }
  return true;
}

static bool are_functions(const armnn_backend_api_t* api) {
  const size_t first = offsetof(armnn_backend_api_t, create);
  for (size_t at = first; at < sizeof *api; at += sizeof(void*)) {
    uintptr_t address;
    memcpy(&address, (const char*)api + at, sizeof address);
    const bool is_mandatory = at < ARMNN_MEMBER_END(armnn_backend_api_t, get_layer_support);
    if (address == 0 ? is_mandatory : !probe_is_code(address)) return false;
  }
  return true;
}

static bool ask_table(attempt_t* attempt) {
  const armnn_backend_api_t* table = (const armnn_backend_api_t*)attempt->factory();
  if (table == NULL || !probe_is_readable(table, sizeof table->header) ||
      table->header.struct_type != ARMNN_STRUCT_BACKEND) {
    attempt->stays_mapped = table != NULL; /* as in the host: it does not follow this API */
    return refuse("no table");
  }
  const size_t stated = table->header.struct_size, known = sizeof attempt->api;
  const size_t size = stated < known ? stated : known;
  if (stated < ARMNN_MEMBER_END(armnn_backend_api_t, get_layer_support) ||
      !probe_is_readable(table, size)) {
    return refuse("the table's size");
  }
  memcpy(&attempt->api, table, size);
  attempt->stays_mapped = (attempt->api.flags & ARMNN_BACKEND_UNLOADABLE) == 0;
  probe_fact_line("unloadable %d", attempt->stays_mapped ? 0 : 1);
  return are_functions(&attempt->api) || refuse("the table's functions");
}

static bool ask_options(attempt_t* attempt) {
  armnn_options_t options = {NULL, 0};
  armnn_error_t error;
  if (attempt->api.get_option_defaults == NULL) return true;
  attempt->api.get_option_defaults(NULL, &options, fresh_error(&error));
  return true;
}

/* ---- create, context ----------------------------------------------------------------------- */

static bool make_backend(attempt_t* attempt) {
  const armnn_options_t options = {NULL, 0};
  const armnn_create_args_t arguments = {
      .header = {sizeof(armnn_create_args_t), ARMNN_STRUCT_CREATE_ARGS},
      .host = probe_host(),
      .options = &options,
  };
  armnn_error_t error;
  armnn_backend_t* made = NULL;
  const armnn_status_t status = attempt->api.create(&arguments, &made, fresh_error(&error));
  probe_fact_line("created %d", (int)status);
  if (status != ARMNN_STATUS_OK) return refuse("create failed");
  if (made == NULL || !probe_is_readable(made, sizeof *made)) return refuse("no backend was made");
  attempt->backend = made;
  attempt->api.get_id(made);
  return true;
}

typedef enum answer_t {
  ANSWER_USABLE,
  ANSWER_REFUSED, /* the host sees it and refuses it */
  ANSWER_WILD     /* the host would follow it, and end */
} answer_t;

/* Looks at an object that is not null, and gives the destroy function of its table, which is the
 * first one in each. |is_checked|: the host itself sees whether the object can be read. */
static answer_t look_at(const void* object, uint32_t tag, bool is_checked, uintptr_t* out_destroy) {
  const armnn_header_t* table = NULL;
  *out_destroy = 0;
  if (!probe_is_readable(object, sizeof table)) return is_checked ? ANSWER_REFUSED : ANSWER_WILD;
  memcpy(&table, object, sizeof table);
  if (table == NULL) return ANSWER_REFUSED;
  if (!probe_is_readable(table, sizeof *table)) return ANSWER_WILD;
  if (table->struct_type != tag) return ANSWER_REFUSED;
  if (table->struct_size < sizeof *table + sizeof *out_destroy) return ANSWER_REFUSED;
  if (!probe_is_readable(table, table->struct_size)) return ANSWER_WILD;
  memcpy(out_destroy, table + 1, sizeof *out_destroy);
  if (*out_destroy == 0) return ANSWER_REFUSED;
  return probe_is_code(*out_destroy) ? ANSWER_USABLE : ANSWER_WILD;
}

/* The same for an object of the stage; notes what is wrong with it. */
static bool is_usable(const void* object, uint32_t tag, bool is_checked, const char* function,
                      void* out_destroy) {
  uintptr_t destroy;
  const answer_t answer = look_at(object, tag, is_checked, &destroy);
  if (answer == ANSWER_WILD) probe_note_wild(function);
  if (answer == ANSWER_REFUSED) probe_note_refused(function);
  memcpy(out_destroy, &destroy, sizeof destroy);
  return answer == ANSWER_USABLE;
}

static armnn_status_t no_counter(void* context, const armnn_counter_description_t* description,
                                 uint32_t* out_counter_id) {
  static uint32_t count;
  (void)context, (void)description;
  if (out_counter_id != NULL) *out_counter_id = ++count;
  return ARMNN_STATUS_OK;
}

static armnn_status_t no_report(void* context, uint64_t time_ns,
                                const armnn_counter_value_t* values, uint64_t count) {
  (void)context, (void)time_ns, (void)values, (void)count;
  return ARMNN_STATUS_OK;
}

static int32_t not_enabled(void* context) {
  (void)context;
  return 0;
}

static bool make_contexts(attempt_t* attempt) {
  static const armnn_profiling_host_t profiling_host = {
      .header = {sizeof(armnn_profiling_host_t), ARMNN_STRUCT_PROFILING_HOST},
      .register_counter = no_counter,
      .report = no_report,
      .enabled = not_enabled,
  };
  const armnn_backend_api_t* api = &attempt->api;
  armnn_options_t options = {NULL, 0};
  armnn_error_t error;
  if (api->create_backend_context != NULL) {
    armnn_backend_context_t* made = NULL;
    const armnn_status_t status =
        api->create_backend_context(attempt->backend, &options, &made, fresh_error(&error));
    if (status != ARMNN_STATUS_OK) return refuse("create_backend_context failed");
    if (made != NULL) {
      if (!is_usable(made, ARMNN_STRUCT_BACKEND_CONTEXT, true, "create_backend_context",
                     &attempt->destroy_context)) {
        return false;
      }
      attempt->context = made;
    }
  }
  if (api->create_profiling_context != NULL) {
    armnn_profiling_context_t* made = NULL;
    const armnn_status_t status = api->create_profiling_context(
        attempt->backend, &options, &profiling_host, &made, fresh_error(&error));
    if (status == ARMNN_STATUS_OK && made != NULL) {
      if (!is_usable(made, ARMNN_STRUCT_PROFILING_CONTEXT, true, "create_profiling_context",
                     &attempt->destroy_profiling)) {
        return false;
      }
      attempt->profiling = made;
    }
  }
  if (api->get_model_option_defaults != NULL) {
    api->get_model_option_defaults(attempt->backend, &options, fresh_error(&error));
  }
  if (api->get_run_option_defaults != NULL) {
    api->get_run_option_defaults(attempt->backend, &options, fresh_error(&error));
  }
  return true;
}

/* ---- devices, support ---------------------------------------------------------------------- */

static void on_device(void* context, const armnn_device_description_t* device) {
  (void)device;
  ++*(uint32_t*)context;
}

static bool list_devices(attempt_t* attempt) {
  armnn_error_t error;
  uint32_t count = 0;
  if (attempt->api.list_devices == NULL) return true;
  attempt->api.list_devices(attempt->backend, on_device, &count, fresh_error(&error));
  probe_fact_line("devices %u", count);
  return true;
}

/* Asks about a ReLU of four numbers. */
static void ask_about_a_layer(armnn_layer_support_t* support) {
  const armnn_activation_descriptor_t descriptor = {
      .header = {sizeof descriptor, ARMNN_STRUCT_DESCRIPTOR + ARMNN_LAYER_ACTIVATION},
      .function = ARMNN_ACTIVATION_RELU,
  };
  const armnn_tensor_info_t info = {
      .header = {sizeof info, ARMNN_STRUCT_TENSOR_INFO},
      .data_type = ARMNN_DATA_TYPE_FLOAT32,
      .dimensionality = ARMNN_DIMENSIONALITY_SPECIFIED,
      .rank = 2,
      .dim_known_mask = 3,
      .dims = {1, 4},
      .element_count = 4,
      .quantization_dim = -1,
  };
  const armnn_tensor_info_t* const infos[] = {&info};
  const armnn_layer_query_t query = {
      .header = {sizeof query, ARMNN_STRUCT_LAYER_QUERY},
      .type = ARMNN_LAYER_ACTIVATION,
      .input_count = 1,
      .output_count = 1,
      .descriptor = &descriptor.header,
      .input_infos = infos,
      .output_infos = infos,
  };
  armnn_error_t error;
  support->api->is_layer_supported(support, &query, fresh_error(&error));
}

static bool ask_support(attempt_t* attempt) {
  armnn_error_t error;
  armnn_layer_support_t* support = NULL;
  const armnn_status_t status =
      attempt->api.get_layer_support(attempt->backend, NULL, &support, fresh_error(&error));
  if (status != ARMNN_STATUS_OK || support == NULL) return true; /* an error where it is used */
  void (*destroy)(armnn_layer_support_t* support);
  if (!is_usable(support, ARMNN_STRUCT_LAYER_SUPPORT, false, "get_layer_support", &destroy)) {
    return true;
  }
  const uintptr_t ask = (uintptr_t)support->api->is_layer_supported;
  if (ARMNN_HAS(support->api, armnn_layer_support_api_t, is_layer_supported) &&
      probe_is_code(ask)) {
    ask_about_a_layer(support);
  }
  destroy(support);
  return true;
}

/* ---- The way back -------------------------------------------------------------------------- */

static void put_at_rest(attempt_t* attempt) {
  armnn_error_t error;
  if (attempt->api.quiesce == NULL) return;
  attempt->api.quiesce(attempt->backend, QUIESCE_NS, fresh_error(&error));
}

static void destroy_all(attempt_t* attempt) {
  if (attempt->profiling != NULL) attempt->destroy_profiling(attempt->profiling);
  if (attempt->context != NULL) attempt->destroy_context(attempt->context);
  attempt->api.destroy(attempt->backend);
}

static void go_through(attempt_t* attempt) {
  static const struct {
    probe_stage_t stage;
    bool (*function)(attempt_t* attempt);
  } stages[] = {
      {PROBE_STAGE_open, open_file},
      {PROBE_STAGE_symbols, find_symbols},
      {PROBE_STAGE_id, ask_id},
      {PROBE_STAGE_version, ask_version},
      {PROBE_STAGE_table, ask_table},
      {PROBE_STAGE_options, ask_options},
      {PROBE_STAGE_create, make_backend},
      {PROBE_STAGE_context, make_contexts},
      {PROBE_STAGE_devices, list_devices},
      {PROBE_STAGE_support, ask_support},
  };
  for (size_t i = 0; i < sizeof stages / sizeof stages[0]; ++i) {
    probe_enter(stages[i].stage);
    if (!stages[i].function(attempt)) return;
  }
}

_Noreturn void probe_run_stages(const probe_job_t* job, probe_shared_t* shared) {
  static attempt_t attempt; /* static: a jump into a frame that is gone does not change it */
  attempt.job = job;
  probe_facts_begin(shared);
  probe_watch_begin(job, shared);
  go_through(&attempt);
  if (attempt.library != NULL) probe_note_libraries(attempt.opened); /* that its code has opened */
  if (attempt.backend != NULL) {
    probe_enter(PROBE_STAGE_quiesce);
    put_at_rest(&attempt);
    probe_enter(PROBE_STAGE_destroy);
    destroy_all(&attempt);
  }
  probe_enter(PROBE_STAGE_close);
  if (attempt.library != NULL && !attempt.stays_mapped &&
      !armnn_core_has_signal_handlers(attempt.library)) {
    dlclose(attempt.library); /* else it stays open in a program, too */
  }
  probe_enter(PROBE_STAGE_exit); /* what the file does at the end of the process */
  atomic_store(&shared->done, job->nonce);
  exit(probe_exit_status(job->nonce));
}
