/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * context.c - what the device knows of networks: the backend context, which hears when they come
 * and go and waits for the queue, and the model context, which has the options of one of them.
 */
#include <stdlib.h>
#include <string.h>

#include "npu.h"

bool npu_equals(armnn_string_t text, const char* other) {
  return text.size == strlen(other) && (text.size == 0 || memcmp(text.data, other, text.size) == 0);
}

/* ---- The backend context ------------------------------------------------------------------- */

typedef struct context_t {
  armnn_backend_context_t base;
  npu_backend_t* backend;
  _Atomic int64_t networks; /* of the runtime, from the load that was agreed to until unloaded */
} context_t;

static void trace(const context_t* context, const char* name, uint64_t network_id) {
  const armnn_host_t* host = context->backend->host;
  if (host == NULL || !ARMNN_HAS_FN(host, armnn_host_t, trace)) return;
  host->trace(host->context, ARMNN_TRACE_INSTANT, (armnn_string_t){name, strlen(name)}, network_id);
}

/* The device has slots for so many networks, whether they have layers for it or not. */
static armnn_status_t before_load_network(armnn_backend_context_t* context, uint64_t network_id,
                                          armnn_error_t* error) {
  context_t* self = (context_t*)context;
  (void)network_id;
  const int64_t limit = atomic_load(&self->backend->max_networks);
  if (atomic_fetch_add(&self->networks, 1) < limit || limit == 0) return ARMNN_STATUS_OK;
  atomic_fetch_sub(&self->networks, 1); /* who refuses a load is not told that it ended */
  return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY,
                  "the device has room for %lld networks (option max_networks)", (long long)limit);
}

static armnn_status_t after_load_network(armnn_backend_context_t* context, uint64_t network_id,
                                         armnn_error_t* error) {
  (void)error;
  trace((const context_t*)context, "npu_network_loaded", network_id);
  return ARMNN_STATUS_OK;
}

static armnn_status_t before_unload_network(armnn_backend_context_t* context, uint64_t network_id,
                                            armnn_error_t* error) {
  (void)error; /* nothing to veto: every run waits for its queue, so none is under way */
  trace((const context_t*)context, "npu_network_unloading", network_id);
  return ARMNN_STATUS_OK;
}

static armnn_status_t after_unload_network(armnn_backend_context_t* context, uint64_t network_id,
                                           armnn_error_t* error) {
  (void)network_id;
  (void)error;
  atomic_fetch_sub(&((context_t*)context)->networks, 1);
  return ARMNN_STATUS_OK;
}

static armnn_status_t after_enqueue_workload(armnn_backend_context_t* context, uint64_t network_id,
                                             void* execution_data, armnn_error_t* error) {
  (void)context;
  (void)network_id;
  return execution_data == NULL ? ARMNN_STATUS_OK : npu_queue_wait(execution_data, error);
}

/* With option |wait| a job is done when execute returns: slower, and errors name their layer. */
static armnn_status_t before_run(armnn_backend_context_t* context, const armnn_run_notice_t* notice,
                                 armnn_error_t* error) {
  (void)error;
  bool wait = false;
  for (uint64_t i = 0; i < notice->options.count; ++i) {
    const armnn_option_t* option = &notice->options.items[i];
    if (npu_equals(option->name, "wait")) wait = option->integer != 0;
  }
  if (notice->execution_data != NULL) npu_queue_wait_each(notice->execution_data, wait);
  trace((const context_t*)context, wait ? "npu_run_step_by_step" : "npu_run", notice->run_id);
  return ARMNN_STATUS_OK;
}

static void after_run(armnn_backend_context_t* context, const armnn_run_notice_t* notice) {
  const bool ok = notice->status == ARMNN_STATUS_OK;
  trace((const context_t*)context, ok ? "npu_run_done" : "npu_run_failed", notice->run_id);
}

static void context_destroy(armnn_backend_context_t* context) { free(context); }

static const armnn_backend_context_api_t context_api = {
    .header = {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT},
    .destroy = context_destroy,
    .before_load_network = before_load_network,
    .after_load_network = after_load_network,
    .before_unload_network = before_unload_network,
    .after_unload_network = after_unload_network,
    .after_enqueue_workload = after_enqueue_workload,
    .before_run = before_run,
    .after_run = after_run,
};

armnn_status_t npu_create_backend_context(armnn_backend_t* backend, const armnn_options_t* options,
                                          armnn_backend_context_t** out_context,
                                          armnn_error_t* error) {
  (void)options; /* create has read them */
  *out_context = NULL;
  context_t* self = calloc(1, sizeof *self);
  if (self == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &context_api;
  self->backend = (npu_backend_t*)backend;
  *out_context = &self->base;
  return ARMNN_STATUS_OK;
}

/* ---- The model context --------------------------------------------------------------------- */

typedef struct model_context_t {
  armnn_model_context_t base;
  bool constants_on_device;
} model_context_t;

static void model_destroy(armnn_model_context_t* context) { free(context); }

static const armnn_model_context_api_t model_api = {
    .header = {sizeof(armnn_model_context_api_t), ARMNN_STRUCT_MODEL_CONTEXT},
    .destroy = model_destroy,
};

armnn_status_t npu_create_model_context(armnn_backend_t* backend,
                                        const armnn_options_t* model_options,
                                        armnn_model_context_t** out_context, armnn_error_t* error) {
  (void)backend;
  *out_context = NULL;
  model_context_t* self = calloc(1, sizeof *self);
  if (self == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &model_api;
  self->constants_on_device = true;
  for (uint64_t i = 0; model_options != NULL && i < model_options->count; ++i) {
    const armnn_option_t* option = &model_options->items[i];
    if (npu_equals(option->name, "constants_on_device")) {
      self->constants_on_device = option->integer != 0;
    }
  }
  *out_context = &self->base;
  return ARMNN_STATUS_OK;
}

bool npu_wants_constants_on_device(const armnn_model_context_t* context) {
  return context == NULL || ((const model_context_t*)context)->constants_on_device;
}
