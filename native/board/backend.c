/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * backend.c - the backend, and the calls that the host makes for one layer.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board.h"

/* ---- What a backend gets --------------------------------------------------------------------- */

char error_text[1024];

static armnn_error_t* fresh_error(void) {
  static armnn_error_t error;
  memset(error_text, 0, sizeof error_text);
  error = (armnn_error_t){.header = {sizeof error, ARMNN_STRUCT_ERROR},
                          .text = error_text,
                          .capacity = sizeof error_text};
  return &error;
}

static void* host_allocate(void* context, uint64_t size, uint64_t alignment) {
  (void)context;
  void* memory = NULL;
  const size_t least = alignment < sizeof(void*) ? sizeof(void*) : (size_t)alignment;
  return posix_memalign(&memory, least, size != 0 ? (size_t)size : 1) == 0 ? memory : NULL;
}
static void host_release(void* context, void* memory) {
  (void)context;
  free(memory);
}
static uint32_t host_concurrency(void* context) {
  (void)context;
  return 1;
}
static armnn_status_t host_parallel_for(void* context, armnn_range_fn_t body, void* argument,
                                        uint64_t count, uint64_t grain, uint32_t max_threads) {
  (void)context, (void)grain, (void)max_threads;
  if (body == NULL) return ARMNN_STATUS_INVALID_ARGUMENT;
  return count != 0 ? body(argument, 0, count, 0) : ARMNN_STATUS_OK;
}
static uint64_t host_now_ns(void* context) {
  (void)context;
  return now_ns();
}

static const armnn_host_t host = {
    .header = {sizeof host, ARMNN_STRUCT_HOST},
    .api_major = ARMNN_BACKEND_API_MAJOR,
    .api_minor = ARMNN_BACKEND_API_MINOR,
    .allocate = host_allocate,
    .release = host_release,
    .concurrency = host_concurrency,
    .parallel_for = host_parallel_for,
    .now_ns = host_now_ns,
};

/* Ends this process where a function fails without which nothing goes on. */
static void demand(armnn_status_t status, const char* function) {
  if (status == ARMNN_STATUS_OK) return;
  char words[sizeof error_text + 128];
  snprintf(words, sizeof words, "%s answered %d: %s", function, (int)status, error_text);
  progress->number = NO_CASE;
  put_text(RECORD_ENDED, 0, 0, words);
  _exit(3);
}

#define HAS_FN(object, type, member) ((object) != NULL && ARMNN_HAS_FN((object)->api, type, member))

static bool is_finite_only(const subject_t* subject) {
  armnn_options_t found = {NULL, 0};
  if (!HAS_FN(subject->backend, armnn_backend_api_t, get_capabilities)) return false;
  begin("get_capabilities");
  subject->api->get_capabilities(subject->backend, &found, fresh_error());
  for (uint64_t i = 0; i < found.count; ++i) {
    const armnn_string_t name = found.items[i].name;
    if (name.size == 14 && memcmp(name.data, "FiniteMathOnly", 14) == 0) {
      return found.items[i].integer != 0;
    }
  }
  return false;
}

static void* symbol(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == NULL) snprintf(error_text, sizeof error_text, "no function %s", name);
  demand(found != NULL ? ARMNN_STATUS_OK : ARMNN_STATUS_INCOMPATIBLE, "dlsym");
  return found;
}

subject_t open_backend(const char* path, uint32_t device) {
  subject_t subject = {0};
  begin("dlopen");
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    snprintf(error_text, sizeof error_text, "%s", dlerror());
    demand(ARMNN_STATUS_INCOMPATIBLE, "dlopen");
  }
  armnn_get_backend_id_fn_t get_id;
  armnn_get_version_fn_t get_version;
  armnn_backend_factory_fn_t get_api;
  *(void**)&get_id = symbol(library, "GetBackendId");
  *(void**)&get_version = symbol(library, "GetVersion");
  *(void**)&get_api = symbol(library, "BackendFactory");
  uint32_t major = 0, minor = 0;
  get_version(&major, &minor);
  if (major != ARMNN_BACKEND_API_MAJOR || minor > ARMNN_BACKEND_API_MINOR) {
    snprintf(error_text, sizeof error_text, "version %u.%u", major, minor);
    demand(ARMNN_STATUS_INCOMPATIBLE, "GetVersion");
  }
  const armnn_options_t none = {NULL, 0};
  const armnn_create_args_t args = {.header = {sizeof args, ARMNN_STRUCT_CREATE_ARGS},
                                    .host = &host,
                                    .options = &none,
                                    .device_index = device};
  subject.api = (const armnn_backend_api_t*)get_api();
  begin("create");
  demand(subject.api->create(&args, &subject.backend, fresh_error()), "create");
  if (HAS_FN(subject.backend, armnn_backend_api_t, create_backend_context)) {
    demand(subject.api->create_backend_context(subject.backend, &none, &subject.context,
                                               fresh_error()),
           "create_backend_context");
  }
  const char* const* ids = NULL;
  if (HAS_FN(subject.backend, armnn_backend_api_t, get_handle_factory_preferences) &&
      subject.api->get_handle_factory_preferences(subject.backend, &ids) != 0) {
    snprintf(error_text, sizeof error_text, "tensors in memory of the backend are not tested here");
    demand(ARMNN_STATUS_UNSUPPORTED, "get_handle_factory_preferences");
  }
  const int32_t finite_only = is_finite_only(&subject);
  demand(subject.api->get_layer_support(subject.backend, NULL, &subject.support, fresh_error()),
         "get_layer_support");
  put_text(RECORD_LOADED, finite_only, 0, get_id());
  return subject;
}

void close_backend(subject_t* subject) {
  progress->number = NO_CASE;
  begin("destroy");
  subject->support->api->destroy(subject->support);
  if (subject->context != NULL) subject->context->api->destroy(subject->context);
  if (HAS_FN(subject->backend, armnn_backend_api_t, quiesce)) {
    subject->api->quiesce(subject->backend, UINT64_C(1000000000), fresh_error());
  }
  subject->api->destroy(subject->backend);
}

armnn_status_t ask(const subject_t* subject, const case_t* one, uint64_t time) {
  begin("is_layer_supported");
  const armnn_status_t status =
      subject->support->api->is_layer_supported(subject->support, &one->query, fresh_error());
  put_text(RECORD_ANSWER, status, time, error_text);
  return status;
}

/* ---- One layer ------------------------------------------------------------------------------ */

const char* make(const subject_t* subject, const case_t* one, made_t* made,
                 armnn_status_t* out_status) {
  const armnn_backend_api_t* const api = subject->api;
  armnn_error_t* const error = fresh_error();
#define TRY(has, call, name)                         \
  do {                                               \
    begin(name);                                     \
    *out_status = (has) ? (call) : ARMNN_STATUS_OK;  \
    if (*out_status != ARMNN_STATUS_OK) return name; \
  } while (0)
  TRY(HAS_FN(subject->backend, armnn_backend_api_t, create_model_context),
      api->create_model_context(subject->backend, NULL, &made->model_context, error),
      "create_model_context");
  TRY(HAS_FN(subject->backend, armnn_backend_api_t, create_memory_manager),
      api->create_memory_manager(subject->backend, &made->manager, error), "create_memory_manager");
  const armnn_factory_args_t args = {.header = {sizeof args, ARMNN_STRUCT_FACTORY_ARGS},
                                     .memory_manager = made->manager,
                                     .model_context = made->model_context};
  TRY(true, api->create_workload_factory(subject->backend, &args, &made->factory, error),
      "create_workload_factory");
  TRY(true, made->factory->api->create_workload(made->factory, &one->info, &made->workload, error),
      "create_workload");
  made->needs.header = (armnn_header_t){sizeof made->needs, ARMNN_STRUCT_WORKLOAD_REQUIREMENTS};
  if (HAS_FN(made->workload, armnn_workload_api_t, get_requirements)) {
    made->workload->api->get_requirements(made->workload, &made->needs);
  }
  TRY(HAS_FN(made->workload, armnn_workload_api_t, post_allocation_configure),
      made->workload->api->post_allocation_configure(made->workload, error),
      "post_allocation_configure");
  TRY(HAS_FN(made->factory, armnn_workload_factory_api_t, after_workloads_created),
      made->factory->api->after_workloads_created(made->factory, error), "after_workloads_created");
  TRY(HAS_FN(made->manager, armnn_memory_manager_api_t, acquire),
      made->manager->api->acquire(made->manager, error), "acquire");
  TRY(HAS_FN(made->factory, armnn_workload_factory_api_t, create_execution_data),
      made->factory->api->create_execution_data(made->factory, &made->execution_data, error),
      "create_execution_data");
#undef TRY
  return NULL;
}

void unmake(made_t* made) {
  begin("destroy of the workload");
  if (made->workload != NULL) made->workload->api->destroy(made->workload);
  if (made->execution_data != NULL &&
      HAS_FN(made->factory, armnn_workload_factory_api_t, destroy_execution_data)) {
    made->factory->api->destroy_execution_data(made->factory, made->execution_data);
  }
  if (made->factory != NULL) made->factory->api->destroy(made->factory);
  if (HAS_FN(made->manager, armnn_memory_manager_api_t, release)) {
    made->manager->api->release(made->manager, fresh_error());
  }
  if (made->manager != NULL) made->manager->api->destroy(made->manager);
  if (made->model_context != NULL) made->model_context->api->destroy(made->model_context);
}

armnn_status_t execute(const subject_t* subject, made_t* made, armnn_execute_args_t* args) {
  armnn_backend_context_t* const context = subject->context;
  const armnn_workload_api_t* const api = made->workload->api;
  armnn_error_t* const error = fresh_error();
  const armnn_run_notice_t notice = {.header = {sizeof notice, ARMNN_STRUCT_RUN_NOTICE},
                                     .run_id = args->run_id,
                                     .execution_data = made->execution_data};
  armnn_status_t status = ARMNN_STATUS_OK;
  if (HAS_FN(context, armnn_backend_context_api_t, before_run)) {
    status = context->api->before_run(context, &notice, error);
    if (status != ARMNN_STATUS_OK) return status;
  }
  const bool has_data = HAS_FN(made->workload, armnn_workload_api_t, create_workload_data);
  void* data = NULL;
  if (has_data) {
    status = api->create_workload_data(made->workload, made->execution_data, &data, error);
    args->workload_data = data;
  }
  if (status == ARMNN_STATUS_OK) status = api->execute(made->workload, args, error);
  if (HAS_FN(context, armnn_backend_context_api_t, after_enqueue_workload)) {
    const armnn_status_t waited =
        context->api->after_enqueue_workload(context, 0, made->execution_data, error);
    if (status == ARMNN_STATUS_OK) status = waited;
  }
  if (data != NULL) api->destroy_workload_data(made->workload, data);
  if (HAS_FN(context, armnn_backend_context_api_t, after_run)) {
    context->api->after_run(context, &notice);
  }
  return status;
}
