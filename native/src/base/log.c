/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * log.c - the ring that keeps log lines until Python comes to fetch them.
 */
#include <string.h>

#include "core.h"

void armnn_i_log_write(armnn_i_log_t* log, int32_t level, armnn_string_t component,
                       armnn_string_t text) {
  if (level < atomic_load_explicit(&log->level, memory_order_relaxed)) return;
  const uint64_t now = armnn_i_now_ns();
  pthread_mutex_lock(&log->mutex);
  if (log->tail - log->head == ARMNN_LOG_CAPACITY) {
    ++log->head;
    ++log->lost;
  }
  armnn_log_record_t* record = &log->records[log->tail % ARMNN_LOG_CAPACITY];
  ++log->tail;
  record->time_ns = now;
  record->level = level;
  record->lost = 0;
  armnn_i_copy_text(record->component, sizeof record->component, component);
  armnn_i_copy_text(record->text, sizeof record->text, text);
  pthread_mutex_unlock(&log->mutex);
}

uint64_t armnn_i_log_pending(armnn_i_log_t* log) {
  pthread_mutex_lock(&log->mutex);
  const uint64_t pending = log->tail - log->head;
  pthread_mutex_unlock(&log->mutex);
  return pending;
}

bool armnn_i_log_next(armnn_i_log_t* log, armnn_log_record_t* out_record) {
  pthread_mutex_lock(&log->mutex);
  const bool found = log->head != log->tail;
  if (found) {
    *out_record = log->records[log->head % ARMNN_LOG_CAPACITY];
    out_record->lost = log->lost > UINT32_MAX ? UINT32_MAX : (uint32_t)log->lost;
    ++log->head;
    log->lost = 0;
  }
  pthread_mutex_unlock(&log->mutex);
  return found;
}
