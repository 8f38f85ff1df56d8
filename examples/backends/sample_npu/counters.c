/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * counters.c - what the device counts, for the host's profiling service.
 */
#include <stdlib.h>
#include <string.h>

#include "npu.h"

typedef struct profiling_context_t {
  armnn_profiling_context_t base;
  npu_backend_t* backend;
  const armnn_profiling_host_t* host;
  uint32_t ids[NPU_COUNTER_COUNT];
  bool active[NPU_COUNTER_COUNT];
  bool enabled;
} profiling_context_t;

static const struct {
  const char *name, *description, *unit;
  bool absolute;
} descriptions[NPU_COUNTER_COUNT] = {
    {"jobs", "Programs that the device has run", "jobs", false},
    {"bytes_in", "Bytes of tensors copied into device memory", "bytes", false},
    {"bytes_out", "Bytes of tensors copied out of device memory", "bytes", false},
    {"compiled", "Parts that were compiled", "parts", false},
    {"cache_hits", "Parts that came from cache_dir", "parts", false},
    {"constant_bytes", "Bytes of weights that lie in device memory", "bytes", true},
    {"bytes_imported", "Bytes of tensors in memory of others", "bytes", false},
};

static armnn_string_t text(const char* value) { return (armnn_string_t){value, strlen(value)}; }

static void destroy(armnn_profiling_context_t* context) { free(context); }

static armnn_status_t activate(armnn_profiling_context_t* context, const uint32_t* counter_ids,
                               uint64_t count, armnn_error_t* error) {
  profiling_context_t* self = (profiling_context_t*)context;
  bool active[NPU_COUNTER_COUNT] = {false};
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t k = 0;
    while (k < NPU_COUNTER_COUNT && self->ids[k] != counter_ids[i]) ++k;
    if (k == NPU_COUNTER_COUNT) {
      return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "%u is not a counter of %s",
                      counter_ids[i], NPU_ID);
    }
    active[k] = true;
  }
  memcpy(self->active, active, sizeof active);
  return ARMNN_STATUS_OK;
}

static armnn_status_t report(armnn_profiling_context_t* context, armnn_error_t* error) {
  const profiling_context_t* self = (const profiling_context_t*)context;
  armnn_counter_value_t values[NPU_COUNTER_COUNT];
  uint64_t count = 0;
  if (!self->enabled) return ARMNN_STATUS_OK;
  for (uint32_t k = 0; k < NPU_COUNTER_COUNT; ++k) {
    if (!self->active[k]) continue;
    const uint64_t value = atomic_load_explicit(&self->backend->counters[k], memory_order_relaxed);
    values[count++] = (armnn_counter_value_t){self->ids[k], 0, value};
  }
  const armnn_host_t* host = self->backend->host;
  const bool clock = host != NULL && ARMNN_HAS_FN(host, armnn_host_t, now_ns);
  const armnn_status_t status = self->host->report(
      self->host->context, clock ? host->now_ns(host->context) : 0, values, count);
  return status == ARMNN_STATUS_OK ? status : npu_fail(error, status, "the host took no counters");
}

static armnn_status_t enable(armnn_profiling_context_t* context, uint32_t on,
                             armnn_error_t* error) {
  (void)error;
  ((profiling_context_t*)context)->enabled = on != 0;
  return ARMNN_STATUS_OK;
}

static const armnn_profiling_context_api_t profiling_context_api = {
    .header = {sizeof(armnn_profiling_context_api_t), ARMNN_STRUCT_PROFILING_CONTEXT},
    .destroy = destroy,
    .activate_counters = activate,
    .report_counter_values = report,
    .enable_profiling = enable,
};

armnn_status_t npu_create_profiling_context(armnn_backend_t* backend,
                                            const armnn_options_t* options,
                                            const armnn_profiling_host_t* profiling_host,
                                            armnn_profiling_context_t** out_context,
                                            armnn_error_t* error) {
  (void)options;
  *out_context = NULL;
  if (profiling_host == NULL ||
      !ARMNN_HAS_FN(profiling_host, armnn_profiling_host_t, register_counter) ||
      !ARMNN_HAS_FN(profiling_host, armnn_profiling_host_t, report)) {
    return ARMNN_STATUS_OK; /* nobody to report to: none */
  }
  profiling_context_t* self = calloc(1, sizeof *self);
  if (self == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &profiling_context_api;
  self->backend = (npu_backend_t*)backend;
  self->host = profiling_host;
  for (uint32_t k = 0; k < NPU_COUNTER_COUNT; ++k) {
    const armnn_counter_description_t description = {
        .header = {sizeof description, ARMNN_STRUCT_COUNTER_DESCRIPTION},
        .name = text(descriptions[k].name),
        .description = text(descriptions[k].description),
        .unit = text(descriptions[k].unit),
        .counter_class = descriptions[k].absolute ? 1 : 0,
        .multiplier = 1.0,
    };
    const armnn_status_t status =
        profiling_host->register_counter(profiling_host->context, &description, &self->ids[k]);
    if (status != ARMNN_STATUS_OK) {
      free(self);
      return npu_fail(error, status, "the host did not take the counter %s", descriptions[k].name);
    }
  }
  *out_context = &self->base;
  return ARMNN_STATUS_OK;
}
