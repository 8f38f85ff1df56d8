/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * entry.c - the backend: a row for each layer type, and hooks that make XNNPACK ready and ask whose
 * threads it would use.
 */
#include <stdlib.h>

#include "host_pool.h"
#include "xn.h"

/* ---- XNNPACK ------------------------------------------------------------------------------- */

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

/* |*out_user|: the pool; null: XNNPACK computes on the caller's thread. */
static armnn_status_t open_library(const armnn_create_args_t* args, void** out_user,
                                   armnn_error_t* error) {
  const enum xnn_status status = xnn_initialize(NULL);
  if (status == xnn_status_unsupported_hardware) {
    return armnn_fail(error, ARMNN_STATUS_UNAVAILABLE, "XNNPACK has no kernels for this processor");
  }
  if (status != xnn_status_success) {
    return armnn_fail(error, ARMNN_STATUS_INTERNAL, "XNNPACK does not start: %s",
                      xn_status_text(status));
  }
  if (!uses_host_pool()) {
    warn(args->host,
         "XNNPACK of this process is bound to another libpthreadpool: it computes on the thread of "
         "the caller");
    return ARMNN_STATUS_OK;
  }
  pthreadpool_t pool = calloc(1, sizeof *pool);
  *out_user = pool;
  if (pool != NULL) {
    pool->host = args->host;
    return ARMNN_STATUS_OK;
  }
  xnn_deinitialize();
  return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
}

static void close_library(void* user) {
  free(user);
  xnn_deinitialize();
}

/* ---- The backend --------------------------------------------------------------------------- */

static int32_t preferred_layout(const armnn_layer_query_t* query) {
  (void)query; /* layers of volumes it refuses in any layout */
  return ARMNN_DATA_LAYOUT_NHWC;
}

/* XNNPACK clamps by minimum and maximum, which lose NaN. */
static const armnn_option_t capabilities[] = {ARMNN_DEFAULT_BOOL("FiniteMathOnly", 1)};

static const armnn_kit_hooks_t hooks = {
    .open = open_library,
    .close = close_library,
    .optimize = xn_optimize,
    .capabilities = {capabilities, 1},
    .preferred_layout = preferred_layout,
};

#define ROW(layer)                                                                       \
  ARMNN_KERNEL_STATE(layer, ARMNN_ANY, ANY, xnnpack_program, xn_check_layer, xn_prepare, \
                     xn_release, xn_create_state, NULL, xn_destroy_state)

static const armnn_kernel_t rows[] = {
    ROW(PRE_COMPILED),
    ROW(CONVOLUTION2D),
    ROW(DEPTHWISE_CONVOLUTION2D),
    ROW(FULLY_CONNECTED),
    ROW(POOLING2D),
    ROW(TRANSPOSE_CONVOLUTION2D),
    ROW(REDUCE),
    ROW(ELEMENTWISE_BINARY),
    ROW(ELEMENTWISE_UNARY),
    ROW(ACTIVATION),
    ROW(SOFTMAX),
    ROW(RESIZE),
    ROW(QUANTIZE),
    ROW(DEQUANTIZE),
    ROW(RESHAPE),
    ROW(TRANSPOSE),
    ROW(CONCAT),
    ROW(SPLITTER),
    ROW(SLICE),
};

/* The score of an example: it does not push itself before CpuAcc. Not UNLOADABLE: neither XNNPACK
 * nor cpuinfo gives back what they made of the processor, and a second copy in the process would
 * make it again. */
ARMNN_DEFINE_BACKEND_WITH(XN_ID, rows, -2, "1", "operators of XNNPACK on the host's threads", 0,
                          hooks)
