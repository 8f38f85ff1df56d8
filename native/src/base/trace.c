/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * trace.c - events of steps, runs and backends in a bounded queue of many writers.
 *
 * A writer announces itself in |writers| and looks at |enabled| again before it touches the buffer;
 * a thread that changes the buffer clears |enabled| and waits until no writer is left. Slots start
 * as zero pages, so that a large buffer costs memory only where it was written.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* Under the mutex, with |enabled| false. */
static void wait_for_writers(armnn_i_trace_t* trace) {
  while (atomic_load(&trace->writers) != 0) sched_yield();
}

armnn_status_t armnn_i_trace_start(armnn_i_trace_t* trace, uint64_t capacity) {
  if (capacity == 0) return ARMNN_STATUS_INVALID_ARGUMENT;
  if (capacity > (PTRDIFF_MAX / 2) / sizeof(armnn_i_trace_slot_t)) {
    return ARMNN_STATUS_OUT_OF_MEMORY;
  }
  armnn_status_t status = ARMNN_STATUS_OK;
  pthread_mutex_lock(&trace->mutex);
  if (trace->starts == 0) {
    wait_for_writers(trace);
    armnn_i_trace_slot_t* slots =
        (armnn_i_trace_slot_t*)calloc((size_t)capacity, sizeof(armnn_i_trace_slot_t));
    if (slots == NULL) {
      status = ARMNN_STATUS_OUT_OF_MEMORY;
    } else {
      free(trace->slots);
      trace->slots = slots;
      trace->capacity = capacity;
      trace->head = 0;
      atomic_store(&trace->tail, 0);
      atomic_store(&trace->dropped, 0);
    }
  }
  if (status == ARMNN_STATUS_OK) {
    ++trace->starts;
    atomic_store(&trace->enabled, true);
  }
  pthread_mutex_unlock(&trace->mutex);
  return status;
}

void armnn_i_trace_stop(armnn_i_trace_t* trace) {
  pthread_mutex_lock(&trace->mutex);
  if (trace->starts > 0 && --trace->starts == 0) {
    atomic_store(&trace->enabled, false);
    wait_for_writers(trace); /* what began before the stop is in the buffer after it */
  }
  pthread_mutex_unlock(&trace->mutex);
}

void armnn_i_trace_after_fork(armnn_i_trace_t* trace) {
  atomic_store(&trace->writers, 0); /* writers were threads of the parent */
  uint64_t touched = atomic_load(&trace->tail);
  if (touched > trace->capacity) touched = trace->capacity; /* slots behind are zero pages still */
  for (uint64_t i = 0; trace->slots != NULL && i < touched; ++i) {
    atomic_store_explicit(&trace->slots[i].turn, 0, memory_order_relaxed);
  }
  trace->head = 0;
  atomic_store(&trace->tail, 0);
  atomic_store(&trace->dropped, 0);
}

uint64_t armnn_i_trace_read(armnn_i_trace_t* trace, armnn_trace_event_t* out_events,
                            uint64_t capacity) {
  uint64_t count = 0;
  pthread_mutex_lock(&trace->mutex);
  while (trace->slots != NULL && count < capacity) {
    const uint64_t lap = trace->head / trace->capacity;
    armnn_i_trace_slot_t* slot = &trace->slots[trace->head % trace->capacity];
    if (atomic_load_explicit(&slot->turn, memory_order_acquire) != 2 * lap + 1) break;
    out_events[count++] = slot->event;
    atomic_store_explicit(&slot->turn, 2 * lap + 2, memory_order_release);
    ++trace->head;
  }
  if (trace->starts == 0 && trace->head == atomic_load(&trace->tail)) {
    free(trace->slots); /* nobody records and everything is read */
    trace->slots = NULL;
  }
  pthread_mutex_unlock(&trace->mutex);
  return count;
}

/* A slot for one event, or null when the buffer is full. */
static armnn_i_trace_slot_t* claim(armnn_i_trace_t* trace, uint64_t* out_filled) {
  uint64_t position = atomic_load_explicit(&trace->tail, memory_order_relaxed);
  for (;;) {
    const uint64_t lap = position / trace->capacity;
    armnn_i_trace_slot_t* slot = &trace->slots[position % trace->capacity];
    const uint64_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
    if (turn == 2 * lap) {
      if (atomic_compare_exchange_weak_explicit(&trace->tail, &position, position + 1,
                                                memory_order_relaxed, memory_order_relaxed)) {
        *out_filled = 2 * lap + 1;
        return slot;
      }
    } else if (turn < 2 * lap) {
      return NULL;
    } else {
      position = atomic_load_explicit(&trace->tail, memory_order_relaxed);
    }
  }
}

void armnn_i_trace_add(armnn_i_trace_t* trace, int32_t kind, armnn_string_t name, uint64_t id,
                       uint64_t time_ns, uint64_t duration_ns) {
  atomic_fetch_add(&trace->writers, 1);
  if (atomic_load(&trace->enabled)) {
    uint64_t filled = 0;
    armnn_i_trace_slot_t* slot = claim(trace, &filled);
    if (slot == NULL) {
      atomic_fetch_add_explicit(&trace->dropped, 1, memory_order_relaxed);
    } else {
      armnn_i_thread_t* thread = armnn_i_thread();
      if (thread->number == 0) {
        thread->number = (uint32_t)atomic_fetch_add(&trace->thread_numbers, 1) + 1;
      }
      armnn_trace_event_t* event = &slot->event;
      event->time_ns = time_ns;
      event->duration_ns = duration_ns;
      event->id = id;
      event->plan = thread->scope.plan;
      event->run_id = thread->scope.run_id;
      event->thread = thread->number;
      event->kind = kind;
      armnn_i_copy_text(event->name, sizeof event->name, name);
      atomic_store_explicit(&slot->turn, filled, memory_order_release);
    }
  }
  atomic_fetch_sub(&trace->writers, 1);
}
