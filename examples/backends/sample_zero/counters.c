/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * What the backend counts. Counting costs one addition and happens always; the host reads the
 * values when it wants them, of the counters that somebody asked for.
 */
#include "zero.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

static const struct {
  armnn_string_t name, description, unit;
} counters[ZERO_COUNTER_COUNT] = {
    [ZERO_RUNS] = {TEXT("zero.runs"), TEXT("Runs that this backend took part in"), TEXT("runs")},
    [ZERO_KERNELS] = {TEXT("zero.kernels"), TEXT("Kernels executed"), TEXT("kernels")},
    [ZERO_BYTES_IMPORTED] = {TEXT("zero.bytes_imported"), TEXT("Bytes used where they were"),
                             TEXT("bytes")},
    [ZERO_BYTES_COPIED] = {TEXT("zero.bytes_copied"), TEXT("Bytes copied by tensors and layers"),
                           TEXT("bytes")},
    [ZERO_SUB_TENSORS] = {TEXT("zero.sub_tensors"), TEXT("Tensors made as parts of others"),
                          TEXT("tensors")},
    [ZERO_IMPORTED_NOW] = {TEXT("zero.imported_now"), TEXT("Tensors in imported memory now"),
                           TEXT("tensors")},
    [ZERO_MAPPED_NOW] = {TEXT("zero.mapped_now"), TEXT("Tensors mapped now"), TEXT("tensors")},
};

void zero_trace(const zero_backend_t* backend, int32_t phase, const char* name, uint64_t id) {
  const armnn_host_t* host = backend->host;
  if (host == NULL || !ARMNN_HAS_FN(host, armnn_host_t, trace)) return;
  host->trace(host->context, phase, (armnn_string_t){name, strlen(name)}, id);
}

typedef struct zero_profiling_t {
  armnn_profiling_context_t base;
  zero_backend_t* backend;
  const armnn_profiling_host_t* host;
  uint32_t ids[ZERO_COUNTER_COUNT]; /* that the host gave */
  int active[ZERO_COUNTER_COUNT];
  int on;
} zero_profiling_t;

static void destroy(armnn_profiling_context_t* context) { free(context); }

static armnn_status_t activate_counters(armnn_profiling_context_t* context,
                                        const uint32_t* counter_ids, uint64_t count,
                                        armnn_error_t* error) {
  zero_profiling_t* self = (zero_profiling_t*)context;
  int active[ZERO_COUNTER_COUNT] = {0};
  for (uint64_t i = 0; i < count; ++i) {
    int known = 0;
    for (int c = 0; c < ZERO_COUNTER_COUNT; ++c) {
      if (self->ids[c] == counter_ids[i]) active[c] = known = 1;
    }
    if (!known) {
      return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "%u is not a counter of " ZERO_ID,
                        (unsigned)counter_ids[i]);
    }
  }
  memcpy(self->active, active, sizeof active);
  return ARMNN_STATUS_OK;
}

static armnn_status_t report_counter_values(armnn_profiling_context_t* context,
                                            armnn_error_t* error) {
  zero_profiling_t* self = (zero_profiling_t*)context;
  const armnn_host_t* host = self->backend->host;
  armnn_counter_value_t values[ZERO_COUNTER_COUNT];
  uint64_t count = 0;
  if (!self->on) return ARMNN_STATUS_OK;
  for (int c = 0; c < ZERO_COUNTER_COUNT; ++c) {
    if (!self->active[c]) continue;
    uint64_t value = atomic_load_explicit(&self->backend->counters[c], memory_order_relaxed);
    values[count++] = (armnn_counter_value_t){self->ids[c], 0, value};
  }
  if (count == 0) return ARMNN_STATUS_OK;
  uint64_t now = 0;
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, now_ns)) now = host->now_ns(host->context);
  armnn_status_t status = self->host->report(self->host->context, now, values, count);
  if (status < 0) return armnn_fail(error, status, "the host did not take the values");
  return ARMNN_STATUS_OK;
}

static armnn_status_t enable_profiling(armnn_profiling_context_t* context, uint32_t on,
                                       armnn_error_t* error) {
  (void)error;
  ((zero_profiling_t*)context)->on = on != 0;
  return ARMNN_STATUS_OK;
}

static const armnn_profiling_context_api_t profiling_api = {
    .header = {sizeof(armnn_profiling_context_api_t), ARMNN_STRUCT_PROFILING_CONTEXT},
    .destroy = destroy,
    .activate_counters = activate_counters,
    .report_counter_values = report_counter_values,
    .enable_profiling = enable_profiling,
};

armnn_status_t zero_create_profiling_context(armnn_backend_t* backend,
                                             const armnn_options_t* options,
                                             const armnn_profiling_host_t* profiling_host,
                                             armnn_profiling_context_t** out_context,
                                             armnn_error_t* error) {
  (void)options;
  *out_context = NULL;
  if (profiling_host == NULL ||
      !ARMNN_HAS_FN(profiling_host, armnn_profiling_host_t, register_counter) ||
      !ARMNN_HAS_FN(profiling_host, armnn_profiling_host_t, report)) {
    return ARMNN_STATUS_OK; /* nobody to tell: no context */
  }
  zero_profiling_t* self = (zero_profiling_t*)calloc(1, sizeof *self);
  if (self == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &profiling_api;
  self->backend = (zero_backend_t*)backend;
  self->host = profiling_host;
  for (int c = 0; c < ZERO_COUNTER_COUNT; ++c) {
    const armnn_counter_description_t description = {
        .header = {sizeof(armnn_counter_description_t), ARMNN_STRUCT_COUNTER_DESCRIPTION},
        .name = counters[c].name,
        .description = counters[c].description,
        .unit = counters[c].unit,
        .counter_class = 1, /* absolute: since the backend was made */
        .multiplier = 1.0,
    };
    armnn_status_t status =
        profiling_host->register_counter(profiling_host->context, &description, &self->ids[c]);
    if (status != ARMNN_STATUS_OK) {
      free(self);
      return armnn_fail(error, status, "the host did not take the counter %s",
                        counters[c].name.data);
    }
  }
  *out_context = &self->base;
  return ARMNN_STATUS_OK;
}
