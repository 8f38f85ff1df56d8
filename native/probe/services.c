/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * services.c - the host services of the probe: those of the library without its threads and rings.
 */
#include <stdio.h>

#include "core.h"
#include "probe.h"

static int32_t log_enabled(void* context, int32_t level) {
  (void)context;
  return level >= ARMNN_LOG_WARNING ? 1 : 0;
}

static void log_line(void* context, int32_t level, armnn_string_t component, armnn_string_t text) {
  (void)level;
  if (!log_enabled(context, level)) return;
  char name[64], words[1024];
  armnn_i_copy_text(name, sizeof name, component);
  armnn_i_copy_text(words, sizeof words, text);
  fprintf(stderr, "%s: %s\n", name, words);
}

static void* allocate(void* context, uint64_t size, uint64_t alignment) {
  (void)context;
  return armnn_i_alloc(size, alignment);
}

static void release(void* context, void* memory) {
  (void)context;
  armnn_i_free(memory);
}

static uint32_t concurrency(void* context) {
  (void)context;
  return 1;
}

static armnn_status_t parallel_for(void* context, armnn_range_fn_t body, void* argument,
                                   uint64_t count, uint64_t grain, uint32_t max_threads) {
  (void)context, (void)grain, (void)max_threads;
  if (body == NULL) return ARMNN_STATUS_INVALID_ARGUMENT;
  return count == 0 ? ARMNN_STATUS_OK : body(argument, 0, count, 0);
}

static int32_t in_parallel(void* context) {
  (void)context;
  return 0;
}

static armnn_status_t on_thread_exit(void* context, void (*function)(void* argument),
                                     void* argument) {
  (void)context, (void)function, (void)argument;
  return ARMNN_STATUS_UNSUPPORTED;
}

static int32_t cancelled(void* context, uint64_t run_id) {
  (void)context, (void)run_id;
  return 0;
}

static uint64_t now_ns(void* context) {
  (void)context;
  return probe_now_ns();
}

static void trace(void* context, int32_t phase, armnn_string_t name, uint64_t id) {
  (void)context, (void)phase, (void)name, (void)id;
}

static uint64_t cpu_features(void* context) {
  (void)context;
  return armnn_i_detect_cpu_features();
}

static void device_lost(void* context, armnn_backend_t* who, armnn_string_t why) {
  (void)who;
  static const char component[] = "a device is lost";
  log_line(context, ARMNN_LOG_ERROR, (armnn_string_t){component, sizeof component - 1}, why);
}

static const void* extension(void* context, const char* id) {
  (void)context, (void)id;
  return NULL;
}

const armnn_host_t* probe_host(void) {
  static const armnn_host_t host = {
      .header = {sizeof(armnn_host_t), ARMNN_STRUCT_HOST},
      .api_major = ARMNN_BACKEND_API_MAJOR,
      .api_minor = ARMNN_BACKEND_API_MINOR,
      .log_enabled = log_enabled,
      .log = log_line,
      .allocate = allocate,
      .release = release,
      .concurrency = concurrency,
      .parallel_for = parallel_for,
      .in_parallel = in_parallel,
      .on_thread_exit = on_thread_exit,
      .cancelled = cancelled,
      .now_ns = now_ns,
      .trace = trace,
      .cpu_features = cpu_features,
      .device_lost = device_lost,
      .extension = extension,
  };
  return &host;
}

/* Nothing runs here whose error could be elsewhere. */
void armnn_i_mend_error(armnn_error_t* error) { (void)error; }
