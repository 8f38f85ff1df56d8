/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_recording.c - the log ring and the trace buffer, alone and under many threads.
 */
#include "core.h"
#include "harness.h"

static armnn_string_t text_of(const char* text) { return (armnn_string_t){text, strlen(text)}; }

/* ---- Log ----------------------------------------------------------------------------------- */

static void the_log_keeps_the_newest(void) {
  const armnn_host_t* host = armnn_core_host();
  armnn_log_record_t record;
  char text[32];
  CHECK_EQUAL(armnn_core_log_next(&record), 0);
  for (uint32_t i = 0; i < ARMNN_LOG_CAPACITY + 10; ++i) {
    snprintf(text, sizeof text, "line %u", i);
    host->log(host->context, ARMNN_LOG_WARNING, text_of("test"), text_of(text));
  }
  CHECK_EQUAL(armnn_core_log_pending(), ARMNN_LOG_CAPACITY);
  uint64_t before = 0;
  for (uint32_t i = 10; i < ARMNN_LOG_CAPACITY + 10; ++i) {
    CHECK_EQUAL(armnn_core_log_next(&record), 1);
    snprintf(text, sizeof text, "line %u", i);
    CHECK(strcmp(record.text, text) == 0);
    CHECK(strcmp(record.component, "test") == 0);
    CHECK_EQUAL(record.level, ARMNN_LOG_WARNING);
    CHECK_EQUAL(record.lost, i == 10 ? 10 : 0);
    CHECK(record.time_ns >= before);
    before = record.time_ns;
  }
  CHECK_EQUAL(armnn_core_log_next(&record), 0);
  CHECK_EQUAL(armnn_core_log_next(NULL), 0);
}

static void the_level_decides(void) {
  const armnn_host_t* host = armnn_core_host();
  armnn_log_record_t record;
  armnn_core_set_log_level(ARMNN_LOG_ERROR);
  CHECK_EQUAL(host->log_enabled(host->context, ARMNN_LOG_WARNING), 0);
  CHECK_EQUAL(host->log_enabled(host->context, ARMNN_LOG_ERROR), 1);
  host->log(host->context, ARMNN_LOG_WARNING, text_of("a"), text_of("b"));
  CHECK_EQUAL(armnn_core_log_pending(), 0);
  armnn_core_set_log_level(ARMNN_LOG_TRACE);
  host->log(host->context, ARMNN_LOG_TRACE, text_of("a"), (armnn_string_t){NULL, 9});
  CHECK_EQUAL(armnn_core_log_next(&record), 1);
  CHECK_EQUAL(record.text[0], '\0');
  armnn_core_set_log_level(ARMNN_LOG_INFO);
}

/* A text that is too long ends before the character that does not fit. */
static void texts_are_cut_between_characters(void) {
  const armnn_host_t* host = armnn_core_host();
  armnn_log_record_t record;
  char text[2100];
  for (int shift = 0; shift < 3; ++shift) {
    memset(text, 'a', sizeof text);
    for (int i = shift; i + 3 <= 2100; i += 3) memcpy(text + i, "\xe2\x82\xac", 3);
    host->log(host->context, ARMNN_LOG_ERROR, (armnn_string_t){text, 2100},
              (armnn_string_t){text, 2100});
    CHECK_EQUAL(armnn_core_log_next(&record), 1);
    CHECK_EQUAL(strlen(record.text), shift + (1023 - shift) / 3 * 3);
    CHECK_EQUAL(strlen(record.component), shift + (63 - shift) / 3 * 3);
    CHECK(memcmp(record.text, text, strlen(record.text)) == 0);
  }
}

static void* log_much(void* data) {
  const armnn_host_t* host = armnn_core_host();
  for (int i = 0; i < 2000; ++i) {
    host->log(host->context, ARMNN_LOG_INFO, text_of("thread"), text_of((const char*)data));
  }
  return NULL;
}

static void many_threads_log(void) {
  pthread_t threads[4];
  static char names[4][2] = {"0", "1", "2", "3"};
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, log_much, names[i]);
  uint64_t seen = 0;
  armnn_log_record_t record;
  while (seen < 8000) {
    if (!armnn_core_log_next(&record)) continue;
    CHECK(record.text[0] >= '0' && record.text[0] <= '3' && record.text[1] == '\0');
    seen += 1 + record.lost;
  }
  CHECK_EQUAL(seen, 8000);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  CHECK_EQUAL(armnn_core_log_pending(), 0);
}

/* ---- Trace buffer -------------------------------------------------------------------------- */

static void emit(uint64_t id) {
  const armnn_host_t* host = armnn_core_host();
  host->trace(host->context, ARMNN_TRACE_INSTANT, text_of("event"), id);
}

static void the_trace_counts_what_it_drops(void) {
  armnn_trace_event_t events[8];
  CHECK_EQUAL(armnn_core_trace_start(0), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(armnn_core_trace_start(UINT64_MAX), ARMNN_STATUS_OUT_OF_MEMORY);
  emit(1); /* nobody records */
  CHECK_EQUAL(armnn_core_trace_start(5), ARMNN_STATUS_OK);
  for (uint64_t i = 0; i < 7; ++i) emit(i);
  CHECK_EQUAL(armnn_core_trace_dropped(), 2);
  CHECK_EQUAL(armnn_core_trace_read(events, 3), 3); /* the oldest; there is room again */
  for (uint64_t i = 0; i < 3; ++i) CHECK_EQUAL(events[i].id, i);
  emit(10);
  CHECK_EQUAL(armnn_core_trace_start(100), ARMNN_STATUS_OK); /* keeps the buffer of the first */
  armnn_core_trace_stop();
  emit(11);
  emit(12);
  emit(13);
  CHECK_EQUAL(armnn_core_trace_dropped(), 3);
  armnn_core_trace_stop();
  emit(14);
  CHECK_EQUAL(armnn_core_trace_read(events, 8), 5);
  static const uint64_t expected[] = {3, 4, 10, 11, 12};
  for (int i = 0; i < 5; ++i) CHECK_EQUAL(events[i].id, expected[i]);
  CHECK_EQUAL(armnn_core_trace_read(events, 8), 0);
  CHECK_EQUAL(armnn_core_trace_read(NULL, 8), 0);
  armnn_core_trace_stop(); /* one too many does no harm */
  CHECK_EQUAL(armnn_core_trace_start(2), ARMNN_STATUS_OK);
  CHECK_EQUAL(armnn_core_trace_dropped(), 0);
  emit(20);
  armnn_core_trace_stop();
  CHECK_EQUAL(armnn_core_trace_read(events, 8), 1);
  CHECK_EQUAL(events[0].id, 20);
}

enum { TRACERS = 4, TRACED = 3000 };

static void* trace_much(void* data) {
  for (uint64_t i = 0; i < TRACED; ++i) emit((uint64_t)(uintptr_t)data * TRACED + i);
  return NULL;
}

/* Each event is read once or counted, and those of one thread come in order. */
static void many_threads_trace(void) {
  pthread_t threads[TRACERS];
  uint64_t next[TRACERS] = {0}, read = 0;
  uint32_t numbers[TRACERS] = {0};
  armnn_trace_event_t events[64];
  CHECK_EQUAL(armnn_core_trace_start(100), ARMNN_STATUS_OK);
  for (uintptr_t i = 0; i < TRACERS; ++i) {
    pthread_create(&threads[i], NULL, trace_much, (void*)i);
  }
  while (read + armnn_core_trace_dropped() < TRACERS * TRACED) {
    const uint64_t count = armnn_core_trace_read(events, 64);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t who = events[i].id / TRACED;
      CHECK(events[i].id % TRACED >= next[who]);
      next[who] = events[i].id % TRACED + 1;
      if (numbers[who] == 0) numbers[who] = events[i].thread;
      CHECK(events[i].thread == numbers[who] && events[i].thread != 0);
    }
    read += count;
  }
  CHECK_EQUAL(read + armnn_core_trace_dropped(), TRACERS * TRACED);
  for (int i = 0; i < TRACERS; ++i) pthread_join(threads[i], NULL);
  armnn_core_trace_stop();
  CHECK_EQUAL(armnn_core_trace_read(events, 64), 0);
}

static void* restart_trace(void* data) {
  (void)data;
  armnn_trace_event_t events[16];
  for (int i = 0; i < 200; ++i) {
    armnn_core_trace_start(1 + (uint64_t)(i % 30));
    armnn_core_trace_read(events, 16);
    armnn_core_trace_stop();
  }
  return NULL;
}

static void the_trace_starts_and_stops_under_its_writers(void) {
  pthread_t threads[4];
  pthread_create(&threads[0], NULL, trace_much, (void*)0);
  pthread_create(&threads[1], NULL, trace_much, (void*)1);
  pthread_create(&threads[2], NULL, restart_trace, NULL);
  pthread_create(&threads[3], NULL, restart_trace, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  armnn_trace_event_t events[64];
  while (armnn_core_trace_read(events, 64) != 0) {
  }
}

static const test_t tests[] = {
    TEST(the_log_keeps_the_newest),
    TEST(the_level_decides),
    TEST(texts_are_cut_between_characters),
    TEST(many_threads_log),
    TEST(the_trace_counts_what_it_drops),
    TEST(many_threads_trace),
    TEST(the_trace_starts_and_stops_under_its_writers),
};
MAIN(tests)
