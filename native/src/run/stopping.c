/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * stopping.c - what stops a run between two steps, or inside one that asks: a cancel, its deadline,
 * its interrupt.
 */
#include "core.h"

typedef armnn_i_walk_t walk_t;

const char* armnn_i_walk_label(const walk_t* walk) {
  const char* const* labels = walk->context->plan->labels;
  const uint32_t number = walk->run->beside != 0 ? walk->run->beside : walk->begun;
  return labels == NULL || number == 0 ? NULL : labels[number - 1];
}

armnn_status_t armnn_i_stop_run(const walk_t* walk, armnn_status_t status, const char* what) {
  return armnn_i_fail_if_silent(walk->error, status, "the run %s after %u of %u steps", what,
                                walk->run->steps_done, walk->context->plan->step_count);
}

armnn_status_t armnn_i_stop_cancelled(const walk_t* walk) {
  return armnn_i_stop_run(walk, ARMNN_STATUS_CANCELLED,
                          walk->interrupted ? "was interrupted" : "was cancelled");
}

static void plan_next_look(walk_t* walk) {
  const armnn_run_t* run = walk->run;
  walk->next_look_ns = run->interrupt != NULL ? walk->next_interrupt_ns : UINT64_MAX;
  if (run->deadline_ns != 0 && run->deadline_ns < walk->next_look_ns) {
    walk->next_look_ns = run->deadline_ns;
  }
}

/* |interval| after |now|; the end of time if it is later than that. */
static uint64_t time_after(uint64_t now, uint64_t interval) {
  return interval > UINT64_MAX - now ? UINT64_MAX : now + interval;
}

void armnn_i_begin_watch(walk_t* walk) {
  const armnn_run_t* run = walk->run;
  walk->next_interrupt_ns = UINT64_MAX;
  if (run->interrupt != NULL) {
    walk->next_interrupt_ns = time_after(armnn_i_coarse_now_ns(), run->interrupt_interval_ns);
  }
  plan_next_look(walk);
}

/* Asks the interrupt; the whole run sees a "stop", also threads that work for it. */
static void ask_interrupt(walk_t* walk, uint64_t now) {
  const armnn_run_t* run = walk->run;
  walk->next_interrupt_ns = time_after(now, run->interrupt_interval_ns);
  plan_next_look(walk);
  if (run->interrupt(run->interrupt_argument) == 0) return;
  walk->interrupted = true;
  armnn_i_flight_cancel(walk->context->flight);
}

void armnn_i_ask_interrupt(uint64_t run_id) {
  walk_t* walk = armnn_i_thread()->walk;
  if (walk == NULL || walk->run_id != run_id || armnn_i_is_cancelled(walk)) return;
  if (walk->next_interrupt_ns == UINT64_MAX) return;
  const uint64_t now = armnn_i_coarse_now_ns();
  if (now >= walk->next_interrupt_ns) ask_interrupt(walk, now);
}

#define WORK_INTERVAL_NS 20000000u

void armnn_core_set_work(int32_t (*ask)(void* argument)) {
  armnn_i_thread_t* thread = armnn_i_thread();
  thread->ask_work = ask;
  thread->next_ask_ns = 0;
  thread->work_stops = 0;
}

bool armnn_i_work_should_stop(void) {
  armnn_i_thread_t* thread = armnn_i_thread();
  if (thread->ask_work == NULL || thread->work_stops != 0) return thread->work_stops != 0;
  const uint64_t now = armnn_i_coarse_now_ns();
  if (now < thread->next_ask_ns) return false;
  thread->next_ask_ns = time_after(now, WORK_INTERVAL_NS);
  thread->work_stops = thread->ask_work(NULL);
  return thread->work_stops != 0;
}

armnn_status_t armnn_i_watch(walk_t* walk) {
  const armnn_run_t* run = walk->run;
  const uint64_t now = armnn_i_coarse_now_ns();
  if (ARMNN_LIKELY(now < walk->next_look_ns)) return ARMNN_STATUS_OK;
  if (run->deadline_ns != 0 && now >= run->deadline_ns) {
    return armnn_i_stop_run(walk, ARMNN_STATUS_TIMEOUT, "passed its deadline");
  }
  if (run->interrupt != NULL && now >= walk->next_interrupt_ns) {
    ask_interrupt(walk, now);
    if (armnn_i_is_cancelled(walk)) return armnn_i_stop_cancelled(walk);
  }
  return ARMNN_STATUS_OK;
}

bool armnn_i_was_stopped(const walk_t* walk, armnn_status_t status, armnn_status_t* out_status) {
  if (status != ARMNN_STATUS_CANCELLED && status != ARMNN_STATUS_TIMEOUT) return false;
  const uint64_t deadline_ns = walk->run->deadline_ns;
  if (armnn_i_is_cancelled(walk)) {
    *out_status = armnn_i_stop_cancelled(walk);
  } else if (deadline_ns != 0 && armnn_i_now_ns() >= deadline_ns) {
    *out_status = armnn_i_stop_run(walk, ARMNN_STATUS_TIMEOUT, "passed its deadline");
  } else {
    return false;
  }
  return true;
}

armnn_status_t armnn_i_look(armnn_run_t* run) {
  walk_t* walk = armnn_i_thread()->walk;
  if (walk == NULL || walk->run != run) return ARMNN_STATUS_OK;
  if (armnn_i_is_cancelled(walk)) return armnn_i_stop_cancelled(walk);
  return walk->next_look_ns == UINT64_MAX ? ARMNN_STATUS_OK : armnn_i_watch(walk);
}
