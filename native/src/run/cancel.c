/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * cancel.c - from a run id to the flag "stop", from any thread, without locks.
 *
 * The lower bits of a run id say where its flight lies, the upper ones count the runs of that
 * flight. An id counts only if it is the flight's present one, so a wrong or outdated id answers
 * "no" and touches nothing else.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"

armnn_i_flight_t* armnn_i_flight_acquire(armnn_i_registry_t* registry) {
  armnn_i_flight_t* flight = NULL;
  pthread_mutex_lock(&registry->mutex);
  if (registry->free_list != NULL) {
    flight = registry->free_list;
    registry->free_list = flight->next_free;
  } else if (registry->used < ARMNN_FLIGHT_NONE) {
    const uint64_t chunk_index = registry->used / ARMNN_FLIGHT_CHUNK;
    armnn_i_flight_t* chunk =
        atomic_load_explicit(&registry->chunks[chunk_index], memory_order_relaxed);
    if (chunk == NULL) {
      const size_t size = ARMNN_FLIGHT_CHUNK * sizeof(armnn_i_flight_t);
      chunk = (armnn_i_flight_t*)armnn_i_alloc(size, ARMNN_CACHE_LINE);
      if (chunk != NULL) {
        memset((void*)chunk, 0, size);
        atomic_store_explicit(&registry->chunks[chunk_index], chunk, memory_order_release);
      }
    }
    if (chunk != NULL) {
      flight = &chunk[registry->used % ARMNN_FLIGHT_CHUNK];
      flight->number = registry->used++;
    }
  } else {
    flight = (armnn_i_flight_t*)armnn_i_alloc(sizeof *flight, ARMNN_CACHE_LINE);
    if (flight != NULL) {
      memset((void*)flight, 0, sizeof *flight);
      flight->number = ARMNN_FLIGHT_NONE;
    }
  }
  pthread_mutex_unlock(&registry->mutex);
  return flight;
}

void armnn_i_flight_release(armnn_i_registry_t* registry, armnn_i_flight_t* flight) {
  if (flight == NULL) return;
  if (flight->number == ARMNN_FLIGHT_NONE) {
    armnn_i_free(flight);
    return;
  }
  pthread_mutex_lock(&registry->mutex);
  flight->next_free = registry->free_list; /* |sequence| goes on: its ids never come again */
  registry->free_list = flight;
  pthread_mutex_unlock(&registry->mutex);
}

uint64_t armnn_i_flight_begin(armnn_i_flight_t* flight, uint64_t deadline_ns) {
  const uint64_t run_id = (++flight->sequence << ARMNN_FLIGHT_BITS) | flight->number;
  atomic_store_explicit(&flight->deadline_ns, deadline_ns, memory_order_relaxed);
  atomic_store_explicit(&flight->run_id, run_id, memory_order_release);
  return run_id;
}

void armnn_i_flight_end(armnn_i_flight_t* flight) {
  atomic_store_explicit(&flight->run_id, 0, memory_order_release);
}

void armnn_i_flight_cancel(armnn_i_flight_t* flight) {
  const uint64_t run_id = atomic_load_explicit(&flight->run_id, memory_order_acquire);
  uint64_t before = atomic_load_explicit(&flight->cancelled_id, memory_order_relaxed);
  /* Ids of a flight only grow; a late call must not undo the cancel of a later run. */
  while (before < run_id &&
         !atomic_compare_exchange_weak_explicit(&flight->cancelled_id, &before, run_id,
                                                memory_order_release, memory_order_relaxed)) {
  }
}

bool armnn_i_run_should_stop(armnn_i_registry_t* registry, uint64_t run_id) {
  const uint64_t number = run_id & ARMNN_FLIGHT_NONE;
  if (number == ARMNN_FLIGHT_NONE) return false;
  armnn_i_flight_t* chunk =
      atomic_load_explicit(&registry->chunks[number / ARMNN_FLIGHT_CHUNK], memory_order_acquire);
  if (chunk == NULL) return false;
  armnn_i_flight_t* flight = &chunk[number % ARMNN_FLIGHT_CHUNK];
  if (run_id == 0 || atomic_load_explicit(&flight->run_id, memory_order_acquire) != run_id) {
    return false;
  }
  if (atomic_load_explicit(&flight->cancelled_id, memory_order_acquire) == run_id) return true;
  const uint64_t deadline = atomic_load_explicit(&flight->deadline_ns, memory_order_relaxed);
  return deadline != 0 && armnn_i_coarse_now_ns() >= deadline;
}
