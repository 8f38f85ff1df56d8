/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kit_base.h - errors, texts, threads and memory; part of backend_kit.h.
 */
#ifndef ARMNN_KIT_BASE_H_
#define ARMNN_KIT_BASE_H_

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armnn/backend_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Writes |format| into |error| (may be null) and returns |code|. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static inline armnn_status_t armnn_fail(armnn_error_t* error, armnn_status_t code,
                                        const char* format, ...) {
  if (error != NULL) {
    va_list arguments;
    va_start(arguments, format);
    int needed =
        vsnprintf(error->text, error->text ? (size_t)error->capacity : 0, format, arguments);
    va_end(arguments);
    error->needed = needed < 0 ? 0 : (uint64_t)needed + 1;
    error->code = code;
  }
  return code;
}

/* An error of your own, for functions that write one: |text| has |capacity| bytes. */
static inline armnn_error_t armnn_error_in(char* text, uint64_t capacity) {
  armnn_error_t error;
  memset(&error, 0, sizeof error);
  error.header.struct_size = sizeof error;
  error.header.struct_type = ARMNN_STRUCT_ERROR;
  error.text = text;
  error.capacity = capacity;
  if (capacity > 0) text[0] = 0;
  return error;
}

/* A line in the host's log, 512 bytes of it at most; |level|: armnn_log_level_e. |component| is
 * your backend's id, say. Nothing if |host| is null or has no log. Not for kernels: it waits. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static inline void armnn_log(const armnn_host_t* host, int32_t level, const char* component,
                             const char* format, ...) {
  if (host == NULL || !ARMNN_HAS_FN(host, armnn_host_t, log)) return;
  char text[512] = "";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  armnn_string_t who = {component, strlen(component)};
  armnn_string_t message = {text, strlen(text)};
  host->log(host->context, level, who, message);
}

/* Leaves the function with the status of |expression|, unless that is OK. */
#define ARMNN_RETURN_IF_ERROR(expression)                       \
  do {                                                          \
    armnn_status_t armnn_status_ = (expression);                \
    if (armnn_status_ != ARMNN_STATUS_OK) return armnn_status_; \
  } while (0)

/* Whether |text| is |other|: names of options, domains, operators. */
static inline int32_t armnn_string_equals(armnn_string_t text, const char* other) {
  const size_t size = strlen(other);
  return text.size == size && (size == 0 || memcmp(text.data, other, size) == 0);
}

/* ---- Structures, member by member -------------------------------------------------------------
 */

/* A constant of a structure by the names of its members; the others are zero, so that it may grow.
 * One text for C, where these are designated initialisers, and for C++17, which has none:
 *
 *   static const armnn_kit_hooks_t hooks = ARMNN_INIT(
 *       armnn_kit_hooks_t, ARMNN_SET(open, open_device) ARMNN_SET(close, close_device));
 *
 * No comma stands between two ARMNN_SET. C++ takes values that are constants, as C does. */
#ifdef __cplusplus
#define ARMNN_INIT(type, ...) \
  ([]() constexpr noexcept {  \
    type armnn_i_made{};      \
    __VA_ARGS__               \
    return armnn_i_made;      \
  }())
#define ARMNN_SET(member, ...) armnn_i_made.member = __VA_ARGS__;
#else
#define ARMNN_INIT(type, ...) {__VA_ARGS__}
#define ARMNN_SET(member, ...) .member = __VA_ARGS__,
#endif

/* A string literal as an armnn_string_t. */
#define ARMNN_TEXT(text) {text, sizeof(text) - 1}

/* ---- Threads and memory -----------------------------------------------------------------------
 */

/* Threads that parallel_for may use now, at least 1. Scratch for each thread is sized in prepare by
 * this number, which is kept for execute: the user may change it in between. */
static inline uint32_t armnn_concurrency(const armnn_host_t* host) {
  if (host == NULL || !ARMNN_HAS_FN(host, armnn_host_t, concurrency)) return 1;
  const uint32_t count = host->concurrency(host->context);
  return count > 0 ? count : 1;
}

/* parallel_for of the host, or a plain call when the host offers none. |max_threads|: the number
 * that armnn_concurrency gave when scratch for each thread was sized; 0, which is all threads, for
 * a body that makes no use of its thread index.
 *
 * The loop is cut into count / |grain| chunks at most, rounded down, one at least. If they are
 * fewer than 4 for each thread, |body| is called for each. If they are more, each thread has an
 * equal share and calls |body| several times, for half of what is left of it, then for small chunks
 * of the others. A body whose call costs much by itself, such as one of a library that cuts its
 * work on its own, wants one chunk for each thread: |grain| = (count + threads - 1) / threads,
 * threads from armnn_concurrency. */
static inline armnn_status_t armnn_parallel_for(const armnn_host_t* host, armnn_range_fn_t body,
                                                void* argument, uint64_t count, uint64_t grain,
                                                uint32_t max_threads) {
  if (count == 0) return ARMNN_STATUS_OK;
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, parallel_for)) {
    return host->parallel_for(host->context, body, argument, count, grain, max_threads);
  }
  return body(argument, 0, count, 0);
}

/* Memory of the host's allocator, or of the C library where the host offers none; |alignment| is a
 * power of two. Null: there is none. */
static inline void* armnn_alloc(const armnn_host_t* host, uint64_t size, uint64_t alignment) {
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, allocate) &&
      ARMNN_HAS_FN(host, armnn_host_t, release)) {
    return host->allocate(host->context, size, alignment);
  }
  return aligned_alloc((size_t)alignment, (size_t)((size + alignment - 1) / alignment * alignment));
}

/* Frees what armnn_alloc gave for the same |host|; null is allowed. */
static inline void armnn_free(const armnn_host_t* host, void* memory) {
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, allocate) &&
      ARMNN_HAS_FN(host, armnn_host_t, release)) {
    host->release(host->context, memory);
  } else {
    free(memory);
  }
}

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_KIT_BASE_H_ */
