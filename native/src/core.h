/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * core.h - what the sources of libarmnn_core.so share with one another; never installed.
 *
 * Each subject has a structure and functions that take it. The one instance of each that the
 * process uses lives in |armnn_i_core| (host.c), which is the only mutable global of the library;
 * tests make instances of their own.
 */
#ifndef ARMNN_CORE_H_
#define ARMNN_CORE_H_

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/float_control.h"
#include "base/thread.h"
#include "basics.h"
#include "plan/plan.h"
#include "run/context.h"
#include "run/flight.h"
#include "run/walk.h"
#include "threads/pool.h"

/* ---- text.c -------------------------------------------------------------------------------- */

/* Length of the first |size| bytes of |text| without a character that is cut off at their end. */
size_t armnn_i_whole_characters(const char* text, size_t size);
/* Copies |text| into |out|, closed by a zero and cut between two characters of UTF-8. */
void armnn_i_copy_text(char* out, size_t capacity, armnn_string_t text);

/* ---- status.c ------------------------------------------------------------------------------ */

/* Where the text of a caller's |error| belongs: backends get the structure and may change it. */
typedef struct armnn_i_error_place_t {
  const armnn_error_t* error;
  char* text;
  uint64_t capacity;
} armnn_i_error_place_t;

/* Whether a backend changed where the text of its caller's |error| is. */
static inline bool armnn_i_error_is_moved(const armnn_error_t* error,
                                          const armnn_i_error_place_t* place) {
  return error->text != place->text || error->capacity != place->capacity;
}
/* Undoes that for the error of the innermost run of this thread, and takes over the words if they
 * can be read. */
void armnn_i_mend_error(armnn_error_t* error);
/* Copies the text at |source|, which may lead nowhere, as far as it can be read and fits. */
void armnn_i_copy_readable(char* target, uint64_t capacity, const char* source);
/* Writes |format| into |error| (may be null) and returns |code|. */
__attribute__((format(printf, 3, 4))) armnn_status_t armnn_i_fail(armnn_error_t* error,
                                                                  armnn_status_t code,
                                                                  const char* format, ...);
/* The same, unless |error| has a text already; the code is set in any case. */
__attribute__((format(printf, 3, 4))) armnn_status_t armnn_i_fail_if_silent(armnn_error_t* error,
                                                                            armnn_status_t code,
                                                                            const char* format,
                                                                            ...);
void armnn_i_error_clear(armnn_error_t* error);
/* Whether any member of |error| was set since it was cleared. */
static inline bool armnn_i_error_is_used(const armnn_error_t* error) {
  return error->needed != 0 || error->code != ARMNN_STATUS_OK || error->vendor_code != 0 ||
         (error->text != NULL && error->capacity > 0 && error->text[0] != '\0');
}
const char* armnn_i_status_name(armnn_status_t status);
/* ---- float_control.c ----------------------------------------------------------------------- */

/* Makes |control| that of the calling thread again, and logs that |words| changed it. */
void armnn_i_restore_float_control(uint64_t control, const char* words);

/* ---- memory.c ------------------------------------------------------------------------------ */

static inline bool armnn_i_is_power_of_two(uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

/* |alignment|: a power of two. Null if it is not, or memory is short. Freed by armnn_i_free. */
void* armnn_i_alloc(uint64_t size, uint64_t alignment);
void armnn_i_free(void* memory);
/* Zeroed, and never null for a |count| of 0; null when memory is out. Freed by free. */
void* armnn_i_make_array(uint64_t count, size_t item_size);

static inline uint64_t armnn_i_round_to_line(uint64_t size) {
  return (size + ARMNN_CACHE_LINE - 1) / ARMNN_CACHE_LINE * ARMNN_CACHE_LINE;
}

/* A number for the shared object that holds the code at |address|, made of its address, name and
 * headers: another object has another number, even at the same address. 0: no code. */
uint64_t armnn_i_code_identity(const void* address);

/* Around calls in which the C library takes locks of its loader: to go through the objects in
 * memory, and to start a thread. Forks wait, else the child would wait for a lock that is never
 * given back. */
void armnn_i_lock_loader(void);
void armnn_i_unlock_loader(void);

/* Are |extra| bytes behind the |size| at |address| readable for sure? Memory is mapped by pages, so
 * that what shares a page with the last byte is. An address sanitizer knows better: there they are
 * not. */
static inline bool armnn_i_is_readable_behind(const void* address, uint64_t size, uint64_t extra) {
  if (extra == 0) return true;
  if (size == 0 || (ARMNN_BUILD_FEATURES & ARMNN_BUILD_ADDRESS_SANITIZER) != 0) return false;
  const uintptr_t last = (uintptr_t)address + (uintptr_t)size - 1;
  return ((last ^ (last + (uintptr_t)extra)) >> 12) == 0; /* no machine has smaller pages */
}

/* ---- clock.c ------------------------------------------------------------------------------- */

uint64_t armnn_i_now_ns(void);
/* Some milliseconds behind at most and never ahead; costs a few nanoseconds. */
uint64_t armnn_i_coarse_now_ns(void);

/* ---- cpu_count.c, cpu_features.c ----------------------------------------------------------- */

/* Whole processors that the cgroups of this process allow, at least 1; UINT32_MAX if they set no
 * limit. |root| is put before every path: "" outside tests. */
uint32_t armnn_i_cgroup_cpu_limit(const char* root);
uint32_t armnn_i_usable_cpus(void);
uint64_t armnn_i_detect_cpu_features(void);

/* ---- log.c --------------------------------------------------------------------------------- */

#define ARMNN_LOG_CAPACITY 256u

/* A ring that overwrites its oldest record. */
typedef struct armnn_i_log_t {
  pthread_mutex_t mutex;
  _Atomic int32_t level;
  uint64_t head; /* number of the next record to read */
  uint64_t tail; /* number of the next record to write */
  uint64_t lost; /* overwritten since the last read */
  armnn_log_record_t records[ARMNN_LOG_CAPACITY];
} armnn_i_log_t;

void armnn_i_log_write(armnn_i_log_t* log, int32_t level, armnn_string_t component,
                       armnn_string_t text);
uint64_t armnn_i_log_pending(armnn_i_log_t* log);
bool armnn_i_log_next(armnn_i_log_t* log, armnn_log_record_t* out_record);

/* ---- trace.c ------------------------------------------------------------------------------- */

typedef struct armnn_i_trace_slot_t {
  _Atomic uint64_t turn; /* 2 x lap: free for that lap; 2 x lap + 1: filled */
  armnn_trace_event_t event;
} armnn_i_trace_slot_t;

/* A bounded queue of many writers. The buffer changes only while no writer is inside. */
typedef struct armnn_i_trace_t {
  pthread_mutex_t mutex; /* start, stop, read */
  atomic_bool enabled;
  uint32_t starts;
  armnn_i_trace_slot_t* slots;
  uint64_t capacity;
  uint64_t head;
  _Alignas(ARMNN_CACHE_LINE) _Atomic uint32_t writers;
  _Alignas(ARMNN_CACHE_LINE) _Atomic uint64_t tail;
  _Atomic uint64_t dropped;
  _Atomic uint32_t thread_numbers;
} armnn_i_trace_t;

static inline bool armnn_i_trace_enabled(armnn_i_trace_t* trace) {
  return atomic_load_explicit(&trace->enabled, memory_order_relaxed);
}
armnn_status_t armnn_i_trace_start(armnn_i_trace_t* trace, uint64_t capacity);
void armnn_i_trace_stop(armnn_i_trace_t* trace);
/* In the child of a fork, with |mutex| held: empties the buffer. Its events are the parent's, and a
 * slot that another thread had claimed would never be filled. */
void armnn_i_trace_after_fork(armnn_i_trace_t* trace);
uint64_t armnn_i_trace_read(armnn_i_trace_t* trace, armnn_trace_event_t* out_events,
                            uint64_t capacity);
/* Adds an event of the calling thread's scope. */
void armnn_i_trace_add(armnn_i_trace_t* trace, int32_t kind, armnn_string_t name, uint64_t id,
                       uint64_t time_ns, uint64_t duration_ns);

/* ---- fatal_signal.c ------------------------------------------------------------------------- */

/* A fatal signal on |thread|, the calling one, is reported with its call from now on. Does nothing
 * before armnn_core_tell_fatal_signals. */
void armnn_i_note_thread(armnn_i_thread_t* thread);

/* ---- lasting_constants.c -------------------------------------------------------------------- */

#define ARMNN_LASTING_LISTS 1024u /* a power of two */

typedef struct armnn_i_lasting_constant_t armnn_i_lasting_constant_t;

typedef struct armnn_i_lasting_t {
  pthread_mutex_t mutex;
  uint64_t last_number;
  armnn_i_lasting_constant_t* lists[ARMNN_LASTING_LISTS];
} armnn_i_lasting_t;

/* The bytes stay as they are until they were removed as often as added; false: memory is out. */
bool armnn_i_lasting_add(armnn_i_lasting_t* lasting, const void* data, uint64_t size);
void armnn_i_lasting_remove(armnn_i_lasting_t* lasting, const void* data, uint64_t size);
/* 0: they were not added, or are removed. */
uint64_t armnn_i_lasting_number(armnn_i_lasting_t* lasting, const void* data, uint64_t size);

/* ---- host.c -------------------------------------------------------------------------------- */

#define ARMNN_LOST_DEVICES 64u

typedef struct armnn_i_lost_device_t {
  const armnn_backend_t* backend;
  char why[256];
} armnn_i_lost_device_t;

typedef struct armnn_i_core_t {
  armnn_i_pool_t pool;
  armnn_i_log_t log;
  armnn_i_trace_t trace;
  armnn_i_registry_t registry;
  armnn_i_lasting_t lasting;
  pthread_mutex_t lost_mutex;
  armnn_i_lost_device_t lost[ARMNN_LOST_DEVICES];
  _Atomic uint64_t cpu_features; /* 0 = not looked yet */
  pthread_once_t once;
} armnn_i_core_t;

extern armnn_i_core_t armnn_i_core;

/* Registers what must happen around a fork, before the first thread of the pool. Any number of
 * times. */
void armnn_i_core_prepare(void);

#endif /* ARMNN_CORE_H_ */
