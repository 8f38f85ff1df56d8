/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * thread.h - what the library knows of the calling thread.
 */
#ifndef ARMNN_THREAD_H_
#define ARMNN_THREAD_H_

#include <stdbool.h>
#include <stdint.h>

typedef struct armnn_i_exit_hook_t {
  struct armnn_i_exit_hook_t* next;
  void (*function)(void* argument);
  void* argument;
  uint64_t identity; /* of the library that |function| belongs to */
} armnn_i_exit_hook_t;

/* Which run the events of a thread belong to. */
typedef struct armnn_i_scope_t {
  uint64_t plan;
  uint64_t run_id;
} armnn_i_scope_t;

#define ARMNN_NOTED_CALLS 8

/* The library's data for the calling thread. */
typedef struct armnn_i_thread_t {
  uint32_t number;     /* of the trace, 0 = none given yet */
  uint32_t index;      /* thread_index of the body that runs */
  bool in_body;        /* inside a body of parallel_for */
  bool is_worker;      /* belongs to a pool */
  uint32_t call_depth; /* calls into backends that the host noted, the last in |calls| */
  const char* calls[ARMNN_NOTED_CALLS];
  uint64_t float_controls[ARMNN_NOTED_CALLS]; /* when each of |calls| began */
  uint32_t thread_limit; /* of its parallel_for, the thread itself included; 0 = none */
  uint32_t keeps_awake;  /* 1 + epoch of the pool that its run uses, see pool_wait.h; 0 = none */
  uint32_t serial_depth; /* calls of serial workloads that it is inside of */
  int32_t (*ask_work)(void* argument); /* whether work that is not a run should stop, or null */
  uint64_t next_ask_ns;                /* when |ask_work| is called again */
  int32_t work_stops;                  /* its last answer */
  struct armnn_i_walk_t* walk; /* the innermost run that this thread goes through, or null */
  armnn_i_scope_t scope;       /* kept up to date while somebody records */
  const struct armnn_i_error_place_t* error_place; /* of the innermost run, or null */
  armnn_i_exit_hook_t* exit_hooks;
} armnn_i_thread_t;

armnn_i_thread_t* armnn_i_thread(void);

#endif /* ARMNN_THREAD_H_ */
