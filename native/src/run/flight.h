/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * flight.h - runs in flight, found by their ids without locks, so that any thread may stop one.
 */
#ifndef ARMNN_FLIGHT_H_
#define ARMNN_FLIGHT_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "basics.h"

/* State of the run in flight of one context, readable from any thread. */
typedef struct armnn_i_flight_t {
  _Alignas(ARMNN_CACHE_LINE) _Atomic uint64_t run_id; /* 0: no run in flight */
  _Atomic uint64_t cancelled_id;                      /* the run that somebody cancelled */
  _Atomic uint64_t deadline_ns;                       /* 0: none */
  uint64_t sequence;                                  /* runs so far; only its context touches it */
  uint64_t number; /* index in the registry: the lower bits of run ids */
  struct armnn_i_flight_t* next_free;
} armnn_i_flight_t;

#define ARMNN_FLIGHT_CHUNK 256u
#define ARMNN_FLIGHT_CHUNKS 256u
#define ARMNN_FLIGHT_BITS 16
/* Number of a flight when the registry is full: its runs stop between steps, not inside one. */
#define ARMNN_FLIGHT_NONE ((UINT64_C(1) << ARMNN_FLIGHT_BITS) - 1)

/* Finds flights by run id without locks. Chunks are never freed, so that any number is safe. */
typedef struct armnn_i_registry_t {
  pthread_mutex_t mutex; /* acquire and release */
  _Atomic(armnn_i_flight_t*) chunks[ARMNN_FLIGHT_CHUNKS];
  armnn_i_flight_t* free_list;
  uint64_t used;
} armnn_i_registry_t;

/* Null when memory is out. */
armnn_i_flight_t* armnn_i_flight_acquire(armnn_i_registry_t* registry);
void armnn_i_flight_release(armnn_i_registry_t* registry, armnn_i_flight_t* flight);
/* Begins a run and returns its id. */
uint64_t armnn_i_flight_begin(armnn_i_flight_t* flight, uint64_t deadline_ns);
void armnn_i_flight_end(armnn_i_flight_t* flight);
void armnn_i_flight_cancel(armnn_i_flight_t* flight);
/* Cancelled or past its deadline; false for an id that names no run in flight. */
bool armnn_i_run_should_stop(armnn_i_registry_t* registry, uint64_t run_id);
/* On the thread of the run |run_id|: asks the run's interrupt, if it is due, and cancels the run if
 * the answer is yes. On other threads: does nothing. */
void armnn_i_ask_interrupt(uint64_t run_id);

/* Whether the work of the calling thread outside of runs should stop. */
bool armnn_i_work_should_stop(void);

#endif /* ARMNN_FLIGHT_H_ */
