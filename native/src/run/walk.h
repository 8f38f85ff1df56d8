/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * walk.h - a run while it goes through its steps, and what may stop it.
 */
#ifndef ARMNN_WALK_H_
#define ARMNN_WALK_H_

#include "context.h"

typedef struct armnn_i_walk_t {
  armnn_context_t* context;
  armnn_run_t* run;
  armnn_error_t* error; /* never null */
  uint64_t run_id;
  uint64_t next_look_ns; /* when deadline or interrupt want attention; UINT64_MAX: never */
  uint64_t next_interrupt_ns;
  uint64_t float_control; /* of the caller; every step begins with it */
  uint32_t begun;         /* steps that were called */
  bool interrupted;       /* it was the interrupt that cancelled the run */
} armnn_i_walk_t;

/* ---- stopping.c ---------------------------------------------------------------------------- */

/* From now on deadline and interrupt are looked at when their time has come. */
void armnn_i_begin_watch(armnn_i_walk_t* walk);
/* Looks at them. */
armnn_status_t armnn_i_watch(armnn_i_walk_t* walk);
static inline bool armnn_i_is_cancelled(const armnn_i_walk_t* walk) {
  return atomic_load_explicit(&walk->context->flight->cancelled_id, memory_order_relaxed) ==
         walk->run_id;
}
/* Write that the run |what|, and how far it came, into its error. */
armnn_status_t armnn_i_stop_run(const armnn_i_walk_t* walk, armnn_status_t status,
                                const char* what);
armnn_status_t armnn_i_stop_cancelled(const armnn_i_walk_t* walk);
/* Whether a backend answered |status| because of a cancel or the deadline, which is what it was
 * asked for; |out_status| is then that of the run. */
bool armnn_i_was_stopped(const armnn_i_walk_t* walk, armnn_status_t status,
                         armnn_status_t* out_status);
/* For |run|, which has the answer if it is to stop: CANCELLED or TIMEOUT. */
armnn_status_t armnn_i_look(armnn_run_t* run);
/* The label of the call that a run is in, or null. */
const char* armnn_i_walk_label(const armnn_i_walk_t* walk);

#endif /* ARMNN_WALK_H_ */
