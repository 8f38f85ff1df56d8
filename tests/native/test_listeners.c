/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_listeners.c - notices of a run's begin and end: their order, and that each begin has its
 * end.
 */
#include <pthread.h>

#include "fake.h"

/* What happened, as letters: b1 and a1 for before_run and after_run of listener 1, x for execute, w
 * for after_enqueue_workload. */
static char story[256];

static void tell(const char* what) { strncat(story, what, sizeof story - strlen(story) - 1); }

typedef struct listener_t {
  armnn_backend_context_t base;
  const char* number;
  armnn_status_t answer; /* of before_run */
  const char* says;      /* its error text, or null */
  uint64_t network_id, run_id;
  void* execution_data;
  uint64_t option_count;
  armnn_status_t last_status;
} listener_t;

static void listener_destroy(armnn_backend_context_t* context) { (void)context; }

static void keep(listener_t* self, const armnn_run_notice_t* notice) {
  CHECK_EQUAL(notice->header.struct_size, sizeof *notice);
  CHECK_EQUAL(notice->header.struct_type, ARMNN_STRUCT_RUN_NOTICE);
  self->network_id = notice->network_id;
  self->run_id = notice->run_id;
  self->execution_data = notice->execution_data;
  self->option_count = notice->options.count;
  self->last_status = notice->status;
}

static armnn_status_t before_run(armnn_backend_context_t* context, const armnn_run_notice_t* notice,
                                 armnn_error_t* error) {
  listener_t* self = (listener_t*)context;
  tell("b");
  tell(self->number);
  keep(self, notice);
  CHECK_EQUAL(notice->status, ARMNN_STATUS_OK);
  if (self->says != NULL) return armnn_i_fail(error, self->answer, "%s", self->says);
  return self->answer;
}

static void after_run(armnn_backend_context_t* context, const armnn_run_notice_t* notice) {
  listener_t* self = (listener_t*)context;
  const uint64_t run_id = self->run_id;
  tell("a");
  tell(self->number);
  keep(self, notice);
  if (context->api->before_run != NULL) CHECK_EQUAL(notice->run_id, run_id);
}

static armnn_status_t flush(armnn_backend_context_t* context, uint64_t network_id,
                            void* execution_data, armnn_error_t* error) {
  (void)context, (void)network_id, (void)execution_data, (void)error;
  tell("w");
  return ARMNN_STATUS_OK;
}

static const armnn_backend_context_api_t whole_api = {
    .header = {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT},
    .destroy = listener_destroy,
    .after_enqueue_workload = flush,
    .before_run = before_run,
    .after_run = after_run,
};
static const armnn_backend_context_api_t end_api = {
    .header = {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT},
    .destroy = listener_destroy,
    .after_run = after_run,
};

static armnn_status_t work(fake_t* self, const armnn_execute_args_t* args, armnn_error_t* error) {
  (void)args;
  tell("x");
  const armnn_status_t answer = self->data == NULL ? 0 : *(const armnn_status_t*)self->data;
  return answer == 0 ? answer : armnn_i_fail(error, answer, "no luck");
}

static armnn_status_t work_until_stopped(fake_t* self, const armnn_execute_args_t* args,
                                         armnn_error_t* error) {
  const armnn_host_t* host = armnn_core_host();
  (void)self, (void)error;
  tell("x");
  while (!host->cancelled(host->context, args->run_id)) {
  }
  return ARMNN_STATUS_CANCELLED;
}

/* A network of one layer that returns early, its SYNC, and two listeners. */
typedef struct fixture_t {
  draft_t draft;
  fake_t fake;
  listener_t first, second;
  armnn_plan_listener_t listeners[2];
  int value, data;
  const void* inputs[1];
  void* outputs[1];
  text_error_t error;
  armnn_context_t* context;
  armnn_run_t run;
} fixture_t;

static void set_up(fixture_t* f, fake_fn_t function, void* data) {
  memset(f, 0, sizeof *f);
  memset(story, 0, sizeof story);
  f->fake = make_fake(function, data);
  f->first = (listener_t){.base.api = &whole_api, .number = "1"};
  f->second = (listener_t){.base.api = &whole_api, .number = "2"};
  draft_begin(&f->draft, 0);
  f->draft.spec.execution_data_count = 1;
  const uint32_t in = draft_input(&f->draft, 4), out = draft_output(&f->draft, 4);
  armnn_plan_step_t* step = draft_step(&f->draft, &f->fake, in, NONE, out);
  step->execution_data_index = 0;
  step->backend_context = &f->first.base;
  armnn_plan_step_t* sync = &f->draft.steps[f->draft.spec.step_count++];
  sync->kind = ARMNN_PLAN_STEP_SYNC;
  sync->backend_context = &f->first.base;
  sync->execution_data_index = 0;
  f->listeners[0] = (armnn_plan_listener_t){&f->first.base, 77, 0, 0};
  f->listeners[1] = (armnn_plan_listener_t){&f->second.base, 77, ARMNN_PLAN_NONE, 0};
  f->draft.spec.listeners = f->listeners;
  f->draft.spec.listener_count = 2;
  f->inputs[0] = &f->value;
  f->outputs[0] = &f->value;
}

static armnn_status_t run(fixture_t* f) {
  if (f->context == NULL) {
    void* data[] = {&f->data};
    armnn_plan_t* plan = must_plan(&f->draft);
    f->context = must_context(plan, data);
    armnn_plan_destroy(plan);
    f->run = make_run(f->context, f->inputs, f->outputs, &f->error);
  }
  return armnn_context_run(&f->run);
}

#define CHECK_STORY(expected) CHECK(strcmp(story, expected) == 0)

static void begin_and_end_of_a_run(void) {
  fixture_t f;
  set_up(&f, work, NULL);
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OK);
  CHECK_STORY("b1b2xwa2a1");
  CHECK_EQUAL(f.first.network_id, 77);
  CHECK(f.first.execution_data == &f.data);
  CHECK(f.second.execution_data == NULL);
  CHECK_EQUAL(f.first.run_id, f.run.run_id);
  CHECK_EQUAL(f.first.option_count, 0);
  CHECK_EQUAL(f.run.failed_listener, ARMNN_PLAN_NONE);
  armnn_context_destroy(f.context);
}

static void each_listener_gets_its_own_options(void) {
  fixture_t f;
  const armnn_option_t items[3] = {{.type = ARMNN_OPTION_BOOL}};
  const armnn_options_t options[] = {{items, 3}, {NULL, 0}};
  set_up(&f, work, NULL);
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OK);
  f.run.options = options;
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OK);
  CHECK_EQUAL(f.first.option_count, 3);
  CHECK_EQUAL(f.second.option_count, 0);
  f.run.options = NULL;
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OK);
  CHECK_EQUAL(f.first.option_count, 0);
  armnn_context_destroy(f.context);
}

static void a_run_that_fails_ends_after_its_wait(void) {
  fixture_t f;
  armnn_status_t answer = ARMNN_STATUS_INTERNAL;
  set_up(&f, work, &answer);
  CHECK_EQUAL(run(&f), ARMNN_STATUS_INTERNAL);
  CHECK_STORY("b1b2xwa2a1");
  CHECK_EQUAL(f.first.last_status, ARMNN_STATUS_INTERNAL);
  CHECK_TEXT(f.error.text, "no luck");
  armnn_context_destroy(f.context);
}

static void who_did_not_agree_hears_of_no_end(void) {
  fixture_t f;
  set_up(&f, work, NULL);
  f.second.answer = ARMNN_STATUS_OUT_OF_MEMORY;
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OUT_OF_MEMORY);
  CHECK_STORY("b1b2a1");
  CHECK_EQUAL(f.first.last_status, ARMNN_STATUS_OUT_OF_MEMORY);
  CHECK_EQUAL(f.run.failed_listener, 1);
  CHECK_EQUAL(f.run.failed_step, ARMNN_PLAN_NONE);
  CHECK_TEXT(f.error.text, "before_run failed with status -2");
  f.second.answer = ARMNN_STATUS_OK;
  f.second.says = "I only mention it"; /* with OK: no message of this run */
  story[0] = '\0';
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OK);
  CHECK_STORY("b1b2xwa2a1");
  CHECK_EQUAL(f.error.error.needed, 0);
  armnn_context_destroy(f.context);
}

static void without_a_before_run_the_end_is_told(void) {
  fixture_t f;
  set_up(&f, work, NULL);
  f.second.base.api = &end_api;
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OK);
  CHECK_STORY("b1xwa2a1");
  armnn_context_destroy(f.context);
}

static void a_deadline_that_passed_begins_nothing(void) {
  fixture_t f;
  set_up(&f, work, NULL);
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OK);
  story[0] = '\0';
  f.run.deadline_ns = 1;
  CHECK_EQUAL(run(&f), ARMNN_STATUS_TIMEOUT);
  CHECK_STORY("");
  armnn_context_destroy(f.context);
}

static void a_run_that_times_out(void) {
  fixture_t f;
  set_up(&f, work_until_stopped, NULL);
  f.fake.function = work;
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OK); /* makes the context */
  f.fake.function = work_until_stopped;
  story[0] = '\0';
  f.run.deadline_ns = armnn_i_now_ns() + 20000000;
  CHECK_EQUAL(run(&f), ARMNN_STATUS_TIMEOUT);
  CHECK_STORY("b1b2xwa2a1");
  CHECK_EQUAL(f.first.last_status, ARMNN_STATUS_TIMEOUT);
  armnn_context_destroy(f.context);
}

static armnn_status_t cancel_itself(fake_t* self, const armnn_execute_args_t* args,
                                    armnn_error_t* error) {
  (void)error;
  tell("x");
  armnn_context_cancel(*(armnn_context_t**)self->data);
  (void)args;
  return ARMNN_STATUS_OK;
}

static void a_run_that_is_cancelled(void) {
  fixture_t f;
  set_up(&f, cancel_itself, &f.context);
  CHECK_EQUAL(run(&f), ARMNN_STATUS_CANCELLED);
  CHECK_STORY("b1b2xwa2a1");
  CHECK_EQUAL(f.first.last_status, ARMNN_STATUS_CANCELLED);
  armnn_context_destroy(f.context);
}

static armnn_status_t wait_for_stop(armnn_backend_context_t* context,
                                    const armnn_run_notice_t* notice, armnn_error_t* error) {
  const armnn_host_t* host = armnn_core_host();
  (void)context, (void)error;
  while (!host->cancelled(host->context, notice->run_id)) {
  }
  return ARMNN_STATUS_CANCELLED;
}

static const armnn_backend_context_api_t waiting_api = {
    .header = {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT},
    .destroy = listener_destroy,
    .before_run = wait_for_stop,
};

static void a_deadline_in_before_run_is_nobodys_fault(void) {
  fixture_t f;
  set_up(&f, work, NULL);
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OK);
  f.second.base.api = &waiting_api;
  story[0] = '\0';
  f.run.deadline_ns = armnn_i_now_ns() + 20000000;
  CHECK_EQUAL(run(&f), ARMNN_STATUS_TIMEOUT);
  CHECK_STORY("b1a1");
  CHECK_EQUAL(f.run.failed_listener, ARMNN_PLAN_NONE);
  CHECK_TEXT(f.error.text, "passed its deadline");
  armnn_context_destroy(f.context);
}

static armnn_status_t nothing(void* argument, uint64_t begin, uint64_t end, uint32_t thread) {
  (void)argument, (void)begin, (void)end, (void)thread;
  return ARMNN_STATUS_OK;
}

static void share_work(armnn_backend_context_t* context, const armnn_run_notice_t* notice) {
  const armnn_host_t* host = armnn_core_host();
  (void)context, (void)notice;
  CHECK_EQUAL(host->parallel_for(host->context, nothing, NULL, 64, 1, 2), ARMNN_STATUS_OK);
}

static const armnn_backend_context_api_t sharing_api = {
    .header = {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT},
    .destroy = listener_destroy,
    .after_run = share_work,
};

/* Threads of the pool that a call behind the steps has used may sleep once the run is over. */
static void nobody_stays_awake_after_the_end(void) {
  static const char* const labels[7] = {"execute x", NULL, "b1", "a1", "b2", "a2", "tail"};
  fixture_t f;
  set_up(&f, work, NULL);
  f.second.base.api = &sharing_api;
  CHECK_EQUAL(armnn_i_pool_set_thread_count(&armnn_i_core.pool, 2), ARMNN_STATUS_OK);
  void* data[] = {&f.data};
  armnn_plan_t* plan = must_plan(&f.draft);
  armnn_plan_set_labels(plan, labels);
  f.context = must_context(plan, data);
  f.run = make_run(f.context, f.inputs, f.outputs, &f.error);
  CHECK_EQUAL(run(&f), ARMNN_STATUS_OK);
  CHECK_EQUAL(armnn_i_core.pool.worker_count, 1);
  CHECK_EQUAL(armnn_i_core.pool.contention.runs, 0);
  armnn_context_destroy(f.context);
  armnn_plan_destroy(plan);
  armnn_i_pool_stop(&armnn_i_core.pool);
}

static void plans_that_are_refused(void) {
  fixture_t f;
  text_error_t error;
  armnn_plan_t* plan = NULL;
  set_up(&f, work, NULL);
  f.listeners[1].execution_data_index = 1;
  CHECK_EQUAL(armnn_plan_create(&f.draft.spec, &plan, clear_error(&error)), -1);
  CHECK_TEXT(error.text, "listener 1: names execution data 1, but the plan has 1");
  f.listeners[1].context = NULL;
  CHECK_EQUAL(armnn_plan_create(&f.draft.spec, &plan, clear_error(&error)), -1);
  CHECK_TEXT(error.text, "listener 1: has no backend context");
  f.draft.spec.listeners = NULL;
  CHECK_EQUAL(armnn_plan_create(&f.draft.spec, &plan, clear_error(&error)), -1);
  CHECK_TEXT(error.text, "the list of listeners is null");
}

/* ---- Two threads --------------------------------------------------------------------------- */

enum { THREADS = 2, RUNS = 2000 };

typedef struct state_t {
  int open; /* of one execution context: no other thread writes it */
  uint64_t begun, ended, executed;
} state_t;

static armnn_status_t open_state(armnn_backend_context_t* context, const armnn_run_notice_t* notice,
                                 armnn_error_t* error) {
  state_t* state = (state_t*)notice->execution_data;
  (void)context, (void)error;
  CHECK_EQUAL(state->open, 0);
  state->open = 1;
  ++state->begun;
  return ARMNN_STATUS_OK;
}

static void close_state(armnn_backend_context_t* context, const armnn_run_notice_t* notice) {
  state_t* state = (state_t*)notice->execution_data;
  (void)context;
  CHECK_EQUAL(state->open, 1);
  state->open = 0;
  ++state->ended;
}

static const armnn_backend_context_api_t state_api = {
    .header = {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT},
    .destroy = listener_destroy,
    .before_run = open_state,
    .after_run = close_state,
};

static armnn_status_t use_state(fake_t* self, const armnn_execute_args_t* args,
                                armnn_error_t* error) {
  state_t* state = (state_t*)args->execution_data;
  (void)self;
  CHECK_EQUAL(state->open, 1);
  return ++state->executed % 3 == 0 ? armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "each third")
                                    : ARMNN_STATUS_OK;
}

typedef struct runner_t {
  armnn_plan_t* plan;
  state_t state;
} runner_t;

static void* run_often(void* argument) {
  runner_t* runner = (runner_t*)argument;
  int value = 0;
  void* data[] = {&runner->state};
  const void* inputs[] = {&value};
  void* outputs[] = {&value};
  armnn_context_t* context = must_context(runner->plan, data);
  armnn_run_t run = make_run(context, inputs, outputs, NULL);
  for (int i = 0; i < RUNS; ++i) armnn_context_run(&run);
  armnn_context_destroy(context);
  return NULL;
}

static void threads_hear_of_their_own_runs(void) {
  fixture_t f;
  set_up(&f, use_state, NULL);
  f.first.base.api = &state_api;
  f.draft.steps[0].backend_context = NULL;
  f.draft.spec.step_count = 1;
  f.draft.spec.listener_count = 1;
  armnn_plan_t* plan = must_plan(&f.draft);
  runner_t runners[THREADS] = {0};
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    runners[i].plan = plan;
    CHECK_EQUAL(pthread_create(&threads[i], NULL, run_often, &runners[i]), 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    CHECK_EQUAL(runners[i].state.begun, RUNS);
    CHECK_EQUAL(runners[i].state.ended, RUNS);
  }
  armnn_plan_destroy(plan);
}

static const test_t tests[] = {
    TEST(begin_and_end_of_a_run),
    TEST(each_listener_gets_its_own_options),
    TEST(a_run_that_fails_ends_after_its_wait),
    TEST(who_did_not_agree_hears_of_no_end),
    TEST(without_a_before_run_the_end_is_told),
    TEST(a_deadline_that_passed_begins_nothing),
    TEST(a_run_that_times_out),
    TEST(a_run_that_is_cancelled),
    TEST(a_deadline_in_before_run_is_nobodys_fault),
    TEST(nobody_stays_awake_after_the_end),
    TEST(plans_that_are_refused),
    TEST(threads_hear_of_their_own_runs),
};
MAIN(tests)
