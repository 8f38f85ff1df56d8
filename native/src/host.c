/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * host.c - the library's one mutable global, the services it gives to backends, and the exported
 * functions that only call another file.
 */
#include <stdio.h>
#include <string.h>

#include "armnn/lasting_constants.h"
#include "core.h"

armnn_i_core_t armnn_i_core = {
    .pool = {.owner = PTHREAD_MUTEX_INITIALIZER, .start_limit = ARMNN_MAX_THREADS},
    .log = {.mutex = PTHREAD_MUTEX_INITIALIZER, .level = ARMNN_LOG_INFO},
    .trace = {.mutex = PTHREAD_MUTEX_INITIALIZER},
    .registry = {.mutex = PTHREAD_MUTEX_INITIALIZER},
    .lasting = {.mutex = PTHREAD_MUTEX_INITIALIZER},
    .lost_mutex = PTHREAD_MUTEX_INITIALIZER,
    .once = PTHREAD_ONCE_INIT,
};

/* ---- Fork ---------------------------------------------------------------------------------- */

/* The short locks are taken across a fork so that the child finds them free. The pool's is not: a
 * body may fork, and the child starts the pool over in any case. */
static void before_fork(void) {
  pthread_mutex_lock(&armnn_i_core.registry.mutex);
  pthread_mutex_lock(&armnn_i_core.lasting.mutex);
  pthread_mutex_lock(&armnn_i_core.lost_mutex);
  pthread_mutex_lock(&armnn_i_core.trace.mutex);
  pthread_mutex_lock(&armnn_i_core.log.mutex);
}

static void after_fork_in_parent(void) {
  pthread_mutex_unlock(&armnn_i_core.log.mutex);
  pthread_mutex_unlock(&armnn_i_core.trace.mutex);
  pthread_mutex_unlock(&armnn_i_core.lost_mutex);
  pthread_mutex_unlock(&armnn_i_core.lasting.mutex);
  pthread_mutex_unlock(&armnn_i_core.registry.mutex);
}

static void after_fork_in_child(void) {
  armnn_i_trace_after_fork(&armnn_i_core.trace);
  after_fork_in_parent();
  armnn_i_pool_after_fork(&armnn_i_core.pool);
}

static void register_fork_handlers(void) {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void armnn_i_core_prepare(void) { pthread_once(&armnn_i_core.once, register_fork_handlers); }

/* ---- Services ------------------------------------------------------------------------------ */

static int32_t host_log_enabled(void* context, int32_t level) {
  (void)context;
  return level >= atomic_load_explicit(&armnn_i_core.log.level, memory_order_relaxed) ? 1 : 0;
}

static void host_log(void* context, int32_t level, armnn_string_t component, armnn_string_t text) {
  (void)context;
  armnn_i_log_write(&armnn_i_core.log, level, component, text);
}

static void* host_alloc(void* context, uint64_t size, uint64_t alignment) {
  (void)context;
  return armnn_i_alloc(size, alignment);
}

static void host_free(void* context, void* memory) {
  (void)context;
  armnn_i_free(memory);
}

static uint32_t host_concurrency(void* context) {
  (void)context;
  return armnn_i_pool_concurrency(&armnn_i_core.pool);
}

static armnn_status_t host_parallel_for(void* context, armnn_range_fn_t body, void* argument,
                                        uint64_t count, uint64_t grain, uint32_t max_threads) {
  (void)context;
  return armnn_i_pool_parallel_for(&armnn_i_core.pool, body, argument, count, grain, max_threads);
}

static int32_t host_in_parallel(void* context) {
  (void)context;
  return armnn_i_thread()->in_body ? 1 : 0;
}

static armnn_status_t host_on_thread_exit(void* context, void (*function)(void* argument),
                                          void* argument) {
  (void)context;
  return armnn_i_pool_on_thread_exit(function, argument);
}

static int32_t host_cancelled(void* context, uint64_t run_id) {
  (void)context;
  if (run_id == 0) return armnn_i_work_should_stop() ? 1 : 0;
  armnn_i_ask_interrupt(run_id);
  return armnn_i_run_should_stop(&armnn_i_core.registry, run_id) ? 1 : 0;
}

static uint64_t host_now_ns(void* context) {
  (void)context;
  return armnn_i_now_ns();
}

static void host_trace(void* context, int32_t phase, armnn_string_t name, uint64_t id) {
  (void)context;
  if (ARMNN_LIKELY(!armnn_i_trace_enabled(&armnn_i_core.trace))) return;
  if (phase < ARMNN_TRACE_BEGIN || phase > ARMNN_TRACE_INSTANT) return;
  armnn_i_trace_add(&armnn_i_core.trace, phase, name, id, armnn_i_now_ns(), 0);
}

static uint64_t host_cpu_features(void* context) {
  (void)context;
  const uint64_t looked = UINT64_C(1) << 63; /* so that "none" is remembered, too */
  uint64_t features = atomic_load_explicit(&armnn_i_core.cpu_features, memory_order_relaxed);
  if (features == 0) {
    features = armnn_i_detect_cpu_features() | looked;
    atomic_store_explicit(&armnn_i_core.cpu_features, features, memory_order_relaxed);
  }
  return features & ~looked;
}

/* The backend's id, from its table; null if the table cannot be read. */
static const char* id_of(armnn_backend_t* who) {
  if (who == NULL || !armnn_core_is_readable(who, sizeof *who)) return NULL;
  const armnn_backend_api_t* api = who->api;
  if (api == NULL || !armnn_core_is_readable(api, sizeof api->header)) return NULL;
  if (api->header.struct_type != ARMNN_STRUCT_BACKEND) return NULL;
  if (!ARMNN_HAS_FN(api, armnn_backend_api_t, get_id)) return NULL;
  return api->get_id(who);
}

static void host_device_lost(void* context, armnn_backend_t* who, armnn_string_t why) {
  (void)context;
  static const char component[] = "armnn_py.device";
  char text[512];
  char reason[256];
  armnn_i_copy_text(reason, sizeof reason, why);
  const char* id = id_of(who);
  snprintf(text, sizeof text, "%s%.128s%s is lost: %s", id != NULL ? "a device of backend '" : "",
           id != NULL ? id : "a device", id != NULL ? "'" : "",
           reason[0] != '\0' ? reason : "no reason given");
  armnn_i_log_write(&armnn_i_core.log, ARMNN_LOG_ERROR,
                    (armnn_string_t){component, sizeof component - 1},
                    (armnn_string_t){text, strlen(text)});
  if (who == NULL) return;
  armnn_i_lost_device_t* place = NULL;
  pthread_mutex_lock(&armnn_i_core.lost_mutex);
  for (uint32_t i = 0; i < ARMNN_LOST_DEVICES; ++i) {
    armnn_i_lost_device_t* entry = &armnn_i_core.lost[i];
    if (entry->backend == who) {
      place = NULL; /* the first reason stays */
      break;
    }
    if (place == NULL && entry->backend == NULL) place = entry;
  }
  if (place != NULL) {
    place->backend = who;
    memcpy(place->why, reason, sizeof place->why);
  }
  pthread_mutex_unlock(&armnn_i_core.lost_mutex);
}

static uint64_t host_number_of(void* context, const void* data, uint64_t size) {
  return armnn_i_lasting_number(context, data, size);
}

static const void* host_extension(void* context, const char* id) {
  static const armnn_lasting_constants_t lasting = {&armnn_i_core.lasting, host_number_of};
  (void)context;
  return id != NULL && strcmp(id, ARMNN_LASTING_CONSTANTS) == 0 ? &lasting : NULL;
}

static const armnn_host_t host = {
    .header = {sizeof(armnn_host_t), ARMNN_STRUCT_HOST},
    .api_major = ARMNN_BACKEND_API_MAJOR,
    .api_minor = ARMNN_BACKEND_API_MINOR,
    .context = &armnn_i_core,
    .log_enabled = host_log_enabled,
    .log = host_log,
    .allocate = host_alloc,
    .release = host_free,
    .concurrency = host_concurrency,
    .parallel_for = host_parallel_for,
    .in_parallel = host_in_parallel,
    .on_thread_exit = host_on_thread_exit,
    .cancelled = host_cancelled,
    .now_ns = host_now_ns,
    .trace = host_trace,
    .cpu_features = host_cpu_features,
    .device_lost = host_device_lost,
    .extension = host_extension,
};

/* ---- Exports ------------------------------------------------------------------------------- */

uint32_t armnn_core_abi_version(void) { return ARMNN_CORE_ABI_VERSION; }

const char* armnn_core_version(void) { return ARMNN_PY_VERSION; }

const char* armnn_core_dynamic_backend_paths(void) { return ARMNN_DYNAMIC_BACKEND_PATHS; }

const armnn_host_t* armnn_core_host(void) {
  armnn_i_core_prepare();
  return &host;
}

int32_t armnn_core_add_lasting_constant(const void* data, uint64_t size) {
  return armnn_i_lasting_add(&armnn_i_core.lasting, data, size) ? 1 : 0;
}

void armnn_core_remove_lasting_constant(const void* data, uint64_t size) {
  armnn_i_lasting_remove(&armnn_i_core.lasting, data, size);
}

uint32_t armnn_core_usable_cpus(void) { return armnn_i_usable_cpus(); }

armnn_status_t armnn_core_set_thread_count(uint32_t count) {
  armnn_i_core_prepare();
  return armnn_i_pool_set_thread_count(&armnn_i_core.pool, count);
}

void armnn_core_yield_between_runs(void) {
  armnn_i_core_prepare();
  atomic_store(&armnn_i_core.pool.contention.yields_between, true);
}

uint32_t armnn_core_limit_threads(uint32_t count) {
  armnn_i_thread_t* thread = armnn_i_thread();
  const uint32_t before = thread->thread_limit;
  thread->thread_limit = count;
  return before;
}

uint32_t armnn_core_thread_count(void) { return armnn_i_pool_thread_count(&armnn_i_core.pool); }

void armnn_core_stop_threads(void) { armnn_i_pool_stop(&armnn_i_core.pool); }

void armnn_core_set_log_level(int32_t level) { atomic_store(&armnn_i_core.log.level, level); }

uint64_t armnn_core_log_pending(void) { return armnn_i_log_pending(&armnn_i_core.log); }

int32_t armnn_core_log_next(armnn_log_record_t* out_record) {
  return out_record != NULL && armnn_i_log_next(&armnn_i_core.log, out_record) ? 1 : 0;
}

armnn_status_t armnn_core_trace_start(uint64_t capacity) {
  armnn_i_core_prepare();
  return armnn_i_trace_start(&armnn_i_core.trace, capacity);
}

void armnn_core_trace_stop(void) { armnn_i_trace_stop(&armnn_i_core.trace); }

uint64_t armnn_core_trace_read(armnn_trace_event_t* out_events, uint64_t capacity) {
  if (out_events == NULL) return 0;
  return armnn_i_trace_read(&armnn_i_core.trace, out_events, capacity);
}

uint64_t armnn_core_trace_dropped(void) {
  return atomic_load_explicit(&armnn_i_core.trace.dropped, memory_order_relaxed);
}

int32_t armnn_core_device_lost(const armnn_backend_t* backend, char* out_why, uint64_t capacity) {
  int32_t lost = 0;
  pthread_mutex_lock(&armnn_i_core.lost_mutex);
  for (uint32_t i = 0; backend != NULL && i < ARMNN_LOST_DEVICES; ++i) {
    const armnn_i_lost_device_t* entry = &armnn_i_core.lost[i];
    if (entry->backend != backend) continue;
    lost = 1;
    const armnn_string_t why = {entry->why, strlen(entry->why)};
    if (out_why != NULL) armnn_i_copy_text(out_why, (size_t)capacity, why);
  }
  pthread_mutex_unlock(&armnn_i_core.lost_mutex);
  return lost;
}

void armnn_core_forget_device(const armnn_backend_t* backend) {
  pthread_mutex_lock(&armnn_i_core.lost_mutex);
  for (uint32_t i = 0; backend != NULL && i < ARMNN_LOST_DEVICES; ++i) {
    if (armnn_i_core.lost[i].backend == backend) armnn_i_core.lost[i].backend = NULL;
  }
  pthread_mutex_unlock(&armnn_i_core.lost_mutex);
}
