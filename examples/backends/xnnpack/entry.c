/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * entry.c - the backend: XNNPACK is made ready, and asked whose threads it would use.
 */
#include <stdlib.h>

#include "host_pool.h"
#include "xn.h"

/* One loop of XNNPACK without a pool: who is asked for it? */
static bool uses_host_pool(void) {
  xnn_operator_t clamp = NULL;
  const float x[4 + XNN_EXTRA_BYTES / sizeof(float)] = {1.0f, 2.0f, 3.0f, 4.0f};
  float y[4];
  const uint64_t before = host_pool_serial_calls();
  if (xnn_create_clamp_nc_f32(4, 4, 4, 0.0f, 1.0f, 0, &clamp) != xnn_status_success) return false;
  if (xnn_setup_clamp_nc_f32(clamp, 1, x, y, NULL) == xnn_status_success) {
    xnn_run_operator(clamp, NULL);
  }
  xnn_delete_operator(clamp);
  return host_pool_serial_calls() != before;
}

static void warn(const armnn_host_t* host, const char* text) {
  if (!ARMNN_HAS_FN(host, armnn_host_t, log)) return;
  host->log(host->context, ARMNN_LOG_WARNING, (armnn_string_t){XN_ID, sizeof XN_ID - 1},
            (armnn_string_t){text, strlen(text)});
}

static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                             armnn_error_t* error);

static void destroy(armnn_backend_t* backend) {
  free(((xn_backend_t*)backend)->pool);
  free(backend);
  xnn_deinitialize();
}

static const char* get_id(armnn_backend_t* backend) {
  (void)backend;
  return XN_ID;
}

/* XNNPACK clamps by minimum and maximum, which lose NaN. */
static armnn_status_t get_capabilities(armnn_backend_t* backend, armnn_options_t* out_capabilities,
                                       armnn_error_t* error) {
  static const armnn_option_t capabilities[] = {
      {ARMNN_TEXT("FiniteMathOnly"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}}};
  (void)backend, (void)error;
  out_capabilities->items = capabilities;
  out_capabilities->count = 1;
  return ARMNN_STATUS_OK;
}

/* Not UNLOADABLE: neither XNNPACK nor cpuinfo gives back what they made of the processor, and a
 * second copy in the process would make it again. */
static const armnn_backend_api_t backend_api = {
    .header = {sizeof backend_api, ARMNN_STRUCT_BACKEND},
    .built_minor = ARMNN_BACKEND_API_MINOR,
    .flags = 0,
    .build_features = ARMNN_BUILD_FEATURES,
    .score = -2, /* an example: it does not push itself before CpuAcc */
    .vendor_version = "1",
    .description = "float32 operators of XNNPACK on the host's threads",
    .create = create,
    .destroy = destroy,
    .get_id = get_id,
    .create_workload_factory = xn_create_workload_factory,
    .get_layer_support = xn_get_layer_support,
    .optimize_subgraph_view = xn_optimize,
    .get_capabilities = get_capabilities,
};

static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                             armnn_error_t* error) {
  *out_backend = NULL;
  const enum xnn_status status = xnn_initialize(NULL);
  if (status == xnn_status_unsupported_hardware) {
    return armnn_fail(error, ARMNN_STATUS_UNAVAILABLE, "XNNPACK has no kernels for this processor");
  }
  if (status != xnn_status_success) {
    return armnn_fail(error, ARMNN_STATUS_INTERNAL, "XNNPACK does not start: %s",
                      xn_status_text(status));
  }
  xn_backend_t* self = calloc(1, sizeof *self);
  pthreadpool_t pool = calloc(1, sizeof *pool);
  if (self == NULL || pool == NULL) {
    free(self);
    free(pool);
    xnn_deinitialize();
    return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  }
  self->base.api = &backend_api;
  self->host = args->host;
  if (uses_host_pool()) {
    pool->host = args->host;
    self->pool = pool;
  } else {
    free(pool);
    warn(args->host,
         "XNNPACK of this process is bound to another libpthreadpool: it computes on the thread of "
         "the caller");
  }
  *out_backend = &self->base;
  return ARMNN_STATUS_OK;
}

const char* ARMNN_ENTRY(GetBackendId)(void) { return XN_ID; }

void ARMNN_ENTRY(GetVersion)(uint32_t* out_major, uint32_t* out_minor) {
  *out_major = ARMNN_BACKEND_API_MAJOR;
  *out_minor = ARMNN_TARGET_MINOR;
}

void* ARMNN_ENTRY(BackendFactory)(void) { return (void*)(uintptr_t)&backend_api; }
