/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_stopping.c - cancel, deadline, interrupt, and what a run records.
 */
#include <sched.h>
#include <semaphore.h>

#include "fake.h"

/* A network of |count| steps of |fakes| from one int to another. */
static armnn_context_t* load_chain(draft_t* draft, fake_t* fakes, int count) {
  draft_begin(draft, 0);
  const uint32_t in = draft_input(draft, 4), out = draft_output(draft, 4);
  for (int i = 0; i < count; ++i) draft_step(draft, &fakes[i], in, NONE, out);
  return must_load(draft);
}

typedef struct fixture_t {
  draft_t draft;
  fake_t fakes[4];
  armnn_context_t* context;
  int value;
  const void* inputs[1];
  void* outputs[1];
  text_error_t error;
  armnn_run_t run;
} fixture_t;

/* Steps 0, 2 and 3 do nothing harmful; step 1 is |function|. */
static void set_up(fixture_t* fixture, fake_fn_t function, void* data) {
  for (int i = 0; i < 4; ++i) fixture->fakes[i] = make_fake(fake_increment, NULL);
  fixture->fakes[1] = make_fake(function, data);
  fixture->context = load_chain(&fixture->draft, fixture->fakes, 4);
  fixture->value = 0;
  fixture->inputs[0] = &fixture->value;
  fixture->outputs[0] = &fixture->value;
  fixture->run = make_run(fixture->context, fixture->inputs, fixture->outputs, &fixture->error);
}

/* ---- Cancel -------------------------------------------------------------------------------- */

typedef struct canceller_t {
  sem_t started;
  armnn_context_t* context;
  armnn_status_t answer;
  bool destroys;
} canceller_t;

/* Tells the other thread, works until the host says stop, and answers as it was told to. */
static armnn_status_t work_until_stopped(fake_t* self, const armnn_execute_args_t* args,
                                         armnn_error_t* error) {
  (void)error;
  canceller_t* canceller = (canceller_t*)self->data;
  const armnn_host_t* host = armnn_core_host();
  sem_post(&canceller->started);
  while (!host->cancelled(host->context, args->run_id)) sched_yield();
  return canceller->answer;
}

static void* cancel_once_started(void* data) {
  canceller_t* canceller = (canceller_t*)data;
  while (sem_wait(&canceller->started) != 0) {
  }
  if (canceller->destroys) {
    armnn_context_destroy(canceller->context);
  } else {
    armnn_context_cancel(canceller->context);
  }
  return NULL;
}

static void run_and_cancel(fixture_t* fixture, canceller_t* canceller) {
  pthread_t thread;
  canceller->context = fixture->context;
  sem_init(&canceller->started, 0, 0);
  CHECK_EQUAL(pthread_create(&thread, NULL, cancel_once_started, canceller), 0);
  CHECK_EQUAL(armnn_context_run(&fixture->run), ARMNN_STATUS_CANCELLED);
  CHECK_EQUAL(pthread_join(thread, NULL), 0);
  sem_destroy(&canceller->started);
  CHECK_EQUAL(fixture->run.failed_step, NONE);
}

static void cancel_stops_before_the_next_step(void) {
  fixture_t fixture;
  canceller_t canceller = {.answer = ARMNN_STATUS_OK};
  set_up(&fixture, work_until_stopped, &canceller);
  for (int i = 0; i < 20; ++i) {
    fixture.value = 10;
    run_and_cancel(&fixture, &canceller);
    CHECK_EQUAL(fixture.run.steps_done, 2);
    CHECK_TEXT(fixture.error.text, "the run was cancelled after 2 of 4 steps");
    CHECK_EQUAL(fixture.value, 11); /* step 0 ran, steps 2 and 3 did not */
  }
  armnn_context_destroy(fixture.context);
}

static void a_step_that_gives_way_is_not_to_blame(void) {
  fixture_t fixture;
  canceller_t canceller = {.answer = ARMNN_STATUS_CANCELLED};
  set_up(&fixture, work_until_stopped, &canceller);
  run_and_cancel(&fixture, &canceller);
  CHECK_EQUAL(fixture.run.steps_done, 1);
  CHECK_TEXT(fixture.error.text, "the run was cancelled after 1 of 4 steps");
  armnn_context_destroy(fixture.context);
}

static void destroy_waits_for_the_run_in_flight(void) {
  fixture_t fixture;
  canceller_t canceller = {.answer = ARMNN_STATUS_OK, .destroys = true};
  set_up(&fixture, work_until_stopped, &canceller);
  run_and_cancel(&fixture, &canceller); /* a sanitizer sees a context that is used or kept */
}

static armnn_status_t answer_cancelled(fake_t* self, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  (void)self, (void)args, (void)error;
  return ARMNN_STATUS_CANCELLED;
}

static void cancel_without_a_run_does_nothing(void) {
  fixture_t fixture;
  set_up(&fixture, fake_increment, NULL);
  armnn_context_cancel(fixture.context);
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_OK);
  armnn_context_cancel(fixture.context);
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_OK);
  CHECK_EQUAL(fixture.value, 8);
  armnn_context_destroy(fixture.context);
}

static void a_step_that_cancels_by_itself_is_to_blame(void) {
  fixture_t fixture;
  set_up(&fixture, answer_cancelled, NULL);
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_CANCELLED);
  CHECK_EQUAL(fixture.run.failed_step, 1);
  CHECK_TEXT(fixture.error.text, "step 1 failed with status -3 (CANCELLED)");
  armnn_context_destroy(fixture.context);
}

static void any_run_id_may_be_asked_for(void) {
  const armnn_host_t* host = armnn_core_host();
  uint64_t seed = 3;
  for (int i = 0; i < 100000; ++i) {
    const uint64_t id = next_random(&seed) >> random_below(&seed, 64);
    CHECK_EQUAL(host->cancelled(host->context, id), 0);
  }
  CHECK_EQUAL(host->cancelled(host->context, 0), 0);
  CHECK_EQUAL(host->cancelled(host->context, UINT64_MAX), 0);
}

/* Flights are reused by later contexts; ids are not. */
static void ids_never_come_again(void) {
  uint64_t last = 0;
  for (int i = 0; i < 1000; ++i) {
    fixture_t fixture;
    set_up(&fixture, fake_increment, NULL);
    CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_OK);
    CHECK(fixture.run.run_id > last);
    last = fixture.run.run_id;
    armnn_context_destroy(fixture.context);
  }
}

static void more_contexts_than_one_chunk(void) {
  enum { COUNT = 3 * ARMNN_FLIGHT_CHUNK };
  fake_t fake = make_fake(fake_increment, NULL);
  draft_t draft;
  draft_begin(&draft, 0);
  draft_step(&draft, &fake, draft_input(&draft, 4), NONE, draft_output(&draft, 4));
  armnn_plan_t* plan = must_plan(&draft);
  static armnn_context_t* contexts[COUNT];
  static uint64_t ids[COUNT];
  int value = 0;
  const void* inputs[] = {&value};
  void* outputs[] = {&value};
  for (int i = 0; i < COUNT; ++i) {
    contexts[i] = must_context(plan, NULL);
    armnn_run_t run = make_run(contexts[i], inputs, outputs, NULL);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    ids[i] = run.run_id;
    for (int k = i - 3; k < i; ++k) CHECK(k < 0 || ids[k] != ids[i]);
  }
  CHECK_EQUAL(value, COUNT);
  for (int i = 0; i < COUNT; ++i) armnn_context_destroy(contexts[i]);
  armnn_plan_destroy(plan);
}

/* ---- Deadline ------------------------------------------------------------------------------ */

static void a_deadline_in_the_past_runs_nothing(void) {
  fixture_t fixture;
  set_up(&fixture, fake_increment, NULL);
  fixture.run.deadline_ns = 1;
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_TIMEOUT);
  CHECK_TEXT(fixture.error.text, "the run passed its deadline after 0 of 4 steps");
  CHECK_EQUAL(fixture.error.error.code, ARMNN_STATUS_TIMEOUT);
  CHECK_EQUAL(fixture.run.failed_step, NONE);
  CHECK_EQUAL(fixture.value, 0);
  fixture.run.deadline_ns = armnn_core_host()->now_ns(NULL) + UINT64_C(3600000000000);
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_OK);
  CHECK_EQUAL(fixture.value, 4);
  armnn_context_destroy(fixture.context);
}

static void a_deadline_stops_between_and_inside_steps(void) {
  const armnn_status_t answers[] = {ARMNN_STATUS_OK, ARMNN_STATUS_CANCELLED};
  for (uint32_t i = 0; i < 2; ++i) {
    fixture_t fixture;
    canceller_t canceller = {.answer = answers[i]};
    sem_init(&canceller.started, 0, 0);
    set_up(&fixture, work_until_stopped, &canceller); /* cancelled() speaks of the deadline, too */
    fixture.run.deadline_ns = armnn_core_host()->now_ns(NULL) + 5000000;
    CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_TIMEOUT);
    CHECK_EQUAL(fixture.run.steps_done, 2 - i);
    CHECK_EQUAL(fixture.run.failed_step, NONE);
    CHECK_EQUAL(fixture.value, 1);
    armnn_context_destroy(fixture.context);
    sem_destroy(&canceller.started);
  }
}

/* ---- Interrupt ----------------------------------------------------------------------------- */

typedef struct asked_t {
  int count;
  int stop_at;
} asked_t;

static int32_t count_questions(void* argument) {
  asked_t* asked = (asked_t*)argument;
  return ++asked->count == asked->stop_at ? 1 : 0;
}

static void interrupt_is_asked_between_steps(void) {
  fixture_t fixture;
  asked_t asked = {0, 0};
  set_up(&fixture, fake_increment, NULL);
  fixture.run.interrupt = count_questions;
  fixture.run.interrupt_argument = &asked;
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_OK);
  CHECK_EQUAL(asked.count, 4); /* an interval of 0: before each step */
  asked = (asked_t){0, 3};
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_CANCELLED);
  CHECK_TEXT(fixture.error.text, "the run was interrupted after 2 of 4 steps");
  CHECK_EQUAL(fixture.run.steps_done, 2);
  CHECK_EQUAL(fixture.run.failed_step, NONE);
  asked = (asked_t){0, 1};
  for (int i = 0; i < 2; ++i) {
    fixture.run.interrupt_interval_ns = i == 0 ? UINT64_C(3600000000000) : UINT64_MAX;
    CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_OK);
    CHECK_EQUAL(asked.count, 0); /* its time never comes */
  }
  armnn_context_destroy(fixture.context);
}

static armnn_status_t wait_two_ticks(fake_t* self, const armnn_execute_args_t* args,
                                     armnn_error_t* error) {
  (void)self, (void)args, (void)error;
  const uint64_t end = armnn_i_coarse_now_ns() + 2;
  while (armnn_i_coarse_now_ns() < end) sched_yield();
  return ARMNN_STATUS_OK;
}

static void interrupt_is_asked_when_its_time_has_come(void) {
  fixture_t fixture;
  asked_t asked = {0, 1};
  set_up(&fixture, wait_two_ticks, NULL);
  fixture.run.interrupt = count_questions;
  fixture.run.interrupt_argument = &asked;
  fixture.run.interrupt_interval_ns = 1;
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_CANCELLED);
  CHECK_EQUAL(asked.count, 1);
  CHECK(fixture.run.steps_done <= 2); /* the clock may tick during step 0 */
  armnn_context_destroy(fixture.context);
}

/* Polls as a long kernel does, on the thread of the run and on no other. */
static armnn_status_t poll_until_stopped(fake_t* self, const armnn_execute_args_t* args,
                                         armnn_error_t* error) {
  (void)error;
  const armnn_host_t* host = armnn_core_host();
  int* polls = (int*)self->data;
  CHECK_EQUAL(host->cancelled(host->context, args->run_id + 65536), 0); /* another run's id */
  while (!host->cancelled(host->context, args->run_id)) ++*polls;
  CHECK(host->cancelled(host->context, args->run_id)); /* it stays */
  return ARMNN_STATUS_CANCELLED;
}

static void interrupt_is_asked_inside_a_step_that_polls(void) {
  fixture_t fixture;
  asked_t asked = {0, 5}; /* before steps 0 and 1, then three times inside step 1 */
  int polls = 0;
  set_up(&fixture, poll_until_stopped, &polls);
  fixture.run.interrupt = count_questions;
  fixture.run.interrupt_argument = &asked;
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_CANCELLED);
  CHECK_EQUAL(asked.count, 5);
  CHECK_EQUAL(polls, 2);
  CHECK_TEXT(fixture.error.text, "the run was interrupted after 1 of 4 steps");
  CHECK_EQUAL(fixture.run.failed_step, NONE);
  armnn_context_destroy(fixture.context);
}

typedef struct nested_t {
  armnn_run_t* inner;
  int count;
} nested_t;

/* A signal handler that runs a network of its own. */
static int32_t run_another(void* argument) {
  nested_t* nested = (nested_t*)argument;
  if (++nested->count == 3) CHECK_EQUAL(armnn_context_run(nested->inner), ARMNN_STATUS_CANCELLED);
  return nested->count == 5;
}

static void interrupts_of_nested_runs_are_kept_apart(void) {
  fixture_t outer, inner;
  asked_t asked = {0, 4};
  int outer_polls = 0, inner_polls = 0;
  set_up(&inner, poll_until_stopped, &inner_polls);
  inner.run.interrupt = count_questions;
  inner.run.interrupt_argument = &asked;
  nested_t nested = {&inner.run, 0};
  set_up(&outer, poll_until_stopped, &outer_polls);
  outer.run.interrupt = run_another;
  outer.run.interrupt_argument = &nested;
  CHECK_EQUAL(armnn_context_run(&outer.run), ARMNN_STATUS_CANCELLED);
  CHECK_EQUAL(asked.count, 4);
  CHECK_EQUAL(nested.count, 5); /* and the outer run went on after the inner one */
  CHECK_EQUAL(inner_polls, 1);
  CHECK_EQUAL(outer_polls, 2);
  armnn_context_destroy(outer.context);
  armnn_context_destroy(inner.context);
}

/* ---- Trace --------------------------------------------------------------------------------- */

static armnn_status_t trace_itself(fake_t* self, const armnn_execute_args_t* args,
                                   armnn_error_t* error) {
  (void)self, (void)args, (void)error;
  const armnn_host_t* host = armnn_core_host();
  host->trace(host->context, ARMNN_TRACE_BEGIN, (armnn_string_t){"pack", 4}, 99);
  host->trace(host->context, ARMNN_TRACE_END, (armnn_string_t){"pack", 4}, 99);
  host->trace(host->context, 77, (armnn_string_t){"nonsense", 8}, 99);
  return ARMNN_STATUS_OK;
}

static void runs_leave_events(void) {
  fixture_t fixture;
  armnn_trace_event_t events[32];
  const armnn_host_t* host = armnn_core_host();
  set_up(&fixture, trace_itself, NULL);
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_OK); /* nobody records */
  CHECK_EQUAL(armnn_core_trace_start(32), ARMNN_STATUS_OK);
  const uint64_t before = host->now_ns(host->context);
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_OK);
  const uint64_t after = host->now_ns(host->context);
  host->trace(host->context, ARMNN_TRACE_INSTANT, (armnn_string_t){"outside", 7}, 1);
  armnn_core_trace_stop();
  CHECK_EQUAL(armnn_context_run(&fixture.run), ARMNN_STATUS_OK);
  CHECK_EQUAL(armnn_core_trace_read(events, 32), 8);
  static const int32_t kinds[] = {
      ARMNN_TRACE_EVENT_STEP, ARMNN_TRACE_BEGIN,      ARMNN_TRACE_END,       ARMNN_TRACE_EVENT_STEP,
      ARMNN_TRACE_EVENT_STEP, ARMNN_TRACE_EVENT_STEP, ARMNN_TRACE_EVENT_RUN, ARMNN_TRACE_INSTANT};
  static const uint64_t ids[] = {0, 99, 99, 1, 2, 3, 0, 1};
  uint64_t in_steps = 0;
  for (int i = 0; i < 8; ++i) {
    CHECK_EQUAL(events[i].kind, kinds[i]);
    if (i != 6) CHECK_EQUAL(events[i].id, ids[i]);
    CHECK_EQUAL(events[i].thread, events[0].thread);
    CHECK(events[i].plan == (i == 7 ? 0 : (uint64_t)(uintptr_t)fixture.context->plan));
    if (events[i].kind != ARMNN_TRACE_EVENT_STEP) continue;
    CHECK(strcmp(events[i].name, "fake_kernel") == 0);
    CHECK(events[i].time_ns >= before && events[i].time_ns + events[i].duration_ns <= after);
    in_steps += events[i].duration_ns;
  }
  CHECK(events[6].id == events[6].run_id && events[6].run_id == events[0].run_id);
  CHECK(events[6].duration_ns >= in_steps);
  CHECK(events[7].run_id == 0);
  armnn_context_destroy(fixture.context);
}

static const test_t tests[] = {
    TEST(cancel_stops_before_the_next_step),
    TEST(a_step_that_gives_way_is_not_to_blame),
    TEST(destroy_waits_for_the_run_in_flight),
    TEST(cancel_without_a_run_does_nothing),
    TEST(a_step_that_cancels_by_itself_is_to_blame),
    TEST(any_run_id_may_be_asked_for),
    TEST(ids_never_come_again),
    TEST(more_contexts_than_one_chunk),
    TEST(a_deadline_in_the_past_runs_nothing),
    TEST(a_deadline_stops_between_and_inside_steps),
    TEST(interrupt_is_asked_between_steps),
    TEST(interrupt_is_asked_when_its_time_has_come),
    TEST(interrupt_is_asked_inside_a_step_that_polls),
    TEST(interrupts_of_nested_runs_are_kept_apart),
    TEST(runs_leave_events),
};
MAIN(tests)
