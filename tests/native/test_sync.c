/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_sync.c - steps that return before their work is done, and the step that waits for them.
 */
#include "fake.h"

enum { QUEUE = 8 };

/* A device with a queue: execute remembers, after_enqueue_workload works. */
typedef struct device_t {
  armnn_backend_context_t base;
  struct {
    const int* source;
    int* target;
  } queue[QUEUE];
  int queued;
  int flushes;
  uint64_t network_id;
  void* execution_data;
  armnn_status_t answer;
} device_t;

static void device_destroy(armnn_backend_context_t* context) { (void)context; }

static armnn_status_t flush(armnn_backend_context_t* context, uint64_t network_id,
                            void* execution_data, armnn_error_t* error) {
  device_t* device = (device_t*)context;
  for (int i = 0; i < device->queued; ++i) *device->queue[i].target = *device->queue[i].source + 1;
  device->queued = 0;
  ++device->flushes;
  device->network_id = network_id;
  device->execution_data = execution_data;
  if (device->answer != ARMNN_STATUS_OK) {
    return armnn_i_fail(error, device->answer, "the queue is on fire");
  }
  return ARMNN_STATUS_OK;
}

static const armnn_backend_context_api_t device_api = {
    .header = {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT},
    .destroy = device_destroy,
    .after_enqueue_workload = flush,
};
static const armnn_backend_context_api_t silent_api = {
    .header = {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT},
    .destroy = device_destroy,
};

static armnn_status_t enqueue(fake_t* self, const armnn_execute_args_t* args,
                              armnn_error_t* error) {
  (void)error;
  device_t* device = (device_t*)self->data;
  CHECK(device->queued < QUEUE);
  device->queue[device->queued].source = (const int*)args->inputs[0];
  device->queue[device->queued++].target = (int*)args->outputs[0];
  return ARMNN_STATUS_OK;
}

static armnn_status_t fail(fake_t* self, const armnn_execute_args_t* args, armnn_error_t* error) {
  (void)self, (void)args;
  return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "no luck");
}

static armnn_status_t check_idle(fake_t* self, const armnn_execute_args_t* args,
                                 armnn_error_t* error) {
  CHECK_EQUAL(((const device_t*)self->data)->queued, 0);
  return fake_increment(&(fake_t){.data = NULL}, args, error);
}

static void draft_sync(draft_t* draft, device_t* device, uint32_t execution_data_index) {
  armnn_plan_step_t* step = &draft->steps[draft->spec.step_count++];
  step->kind = ARMNN_PLAN_STEP_SYNC;
  step->backend_context = &device->base;
  step->execution_data_index = execution_data_index;
  step->network_id = 77;
}

typedef struct fixture_t {
  draft_t draft;
  fake_t queued, host, last;
  device_t device;
  uint32_t in, a, b, c, out;
  int value;
  int result;
  const void* inputs[1];
  void* outputs[1];
  void* data[1];
  text_error_t error;
  armnn_context_t* context;
  armnn_run_t run;
} fixture_t;

/* in -q-> a -q-> b, sync, b -host-> c -q-> out, sync */
static void set_up(fixture_t* f) {
  memset(f, 0, sizeof *f);
  f->device.base.api = &device_api;
  f->queued = make_fake(enqueue, &f->device);
  f->host = make_fake(check_idle, &f->device);
  draft_begin(&f->draft, 64);
  f->draft.spec.execution_data_count = 1;
  f->in = draft_input(&f->draft, 4);
  f->a = draft_arena(&f->draft, 4, 0);
  f->b = draft_arena(&f->draft, 4, 4);
  f->c = draft_arena(&f->draft, 4, 8);
  f->out = draft_output(&f->draft, 4);
  draft_step(&f->draft, &f->queued, f->in, NONE, f->a);
  draft_step(&f->draft, &f->queued, f->a, NONE, f->b);
  draft_sync(&f->draft, &f->device, 0);
  draft_step(&f->draft, &f->host, f->b, NONE, f->c);
  draft_step(&f->draft, &f->queued, f->c, NONE, f->out);
  draft_sync(&f->draft, &f->device, 0);
  for (int i = 0; i < 5; ++i) {
    if (i == 2 || i == 3) continue;
    f->draft.steps[i].backend_context = &f->device.base;
    f->draft.steps[i].execution_data_index = 0;
  }
}

static void load(fixture_t* f) {
  armnn_plan_t* plan = must_plan(&f->draft);
  f->data[0] = &f->value;
  f->context = must_context(plan, f->data);
  armnn_plan_destroy(plan);
  f->inputs[0] = &f->value;
  f->outputs[0] = &f->result;
  f->run = make_run(f->context, f->inputs, f->outputs, &f->error);
}

static void work_is_awaited_before_others_look(void) {
  fixture_t f;
  set_up(&f);
  load(&f);
  for (int i = 0; i < 3; ++i) {
    f.value = 10 * i;
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    CHECK_EQUAL(f.result, 10 * i + 4);
    CHECK_EQUAL(f.device.flushes, 2 * i + 2);
  }
  CHECK_EQUAL(f.device.network_id, 77);
  CHECK(f.device.execution_data == &f.value);
  CHECK_EQUAL(f.run.steps_done, 6);
  armnn_context_destroy(f.context);
}

static void a_wait_that_fails_is_to_blame(void) {
  fixture_t f;
  set_up(&f);
  load(&f);
  f.device.answer = ARMNN_STATUS_DEVICE_LOST;
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_DEVICE_LOST);
  CHECK_EQUAL(f.run.failed_step, 2);
  CHECK_TEXT(f.error.text, "the queue is on fire");
  CHECK_EQUAL(f.device.flushes, 1); /* not asked again */
  armnn_context_destroy(f.context);
}

static void pending_work_is_awaited_when_a_step_fails(void) {
  fixture_t f;
  set_up(&f);
  f.last = make_fake(fail, NULL);
  f.draft.steps[1].workload = &f.last.base;
  load(&f);
  f.device.answer = ARMNN_STATUS_TIMEOUT; /* that of the failed step counts */
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
  CHECK_EQUAL(f.run.failed_step, 1);
  CHECK_TEXT(f.error.text, "no luck");
  CHECK_EQUAL(f.device.queued, 0);
  CHECK_EQUAL(f.device.flushes, 1);
  armnn_context_destroy(f.context);
}

static void nothing_is_awaited_twice(void) {
  fixture_t f;
  set_up(&f);
  f.host = make_fake(fail, NULL);
  load(&f);
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
  CHECK_EQUAL(f.run.failed_step, 3);
  CHECK_EQUAL(f.device.flushes, 1); /* the one of the plan */
  armnn_context_destroy(f.context);
}

typedef struct stop_t {
  int left;
} stop_t;

static int32_t stop_after(void* argument) { return ((stop_t*)argument)->left-- == 0; }

/* Stopped before each step in turn, traced or not: no work is left when the run returns. */
static void pending_work_is_awaited_when_the_run_is_stopped(void) {
  static const int expected_flushes[] = {0, 1, 1, 1, 1, 2};
  for (int traced = 0; traced < 2; ++traced) {
    for (int i = 0; i < 6; ++i) {
      fixture_t f;
      armnn_trace_event_t events[16];
      stop_t when = {i};
      set_up(&f);
      load(&f);
      f.run.interrupt = stop_after;
      f.run.interrupt_argument = &when;
      if (traced) CHECK_EQUAL(armnn_core_trace_start(16), ARMNN_STATUS_OK);
      CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_CANCELLED);
      if (traced) {
        armnn_core_trace_stop();
        const uint64_t waited = expected_flushes[i] > (i > 2) ? 1 : 0;
        CHECK_EQUAL(armnn_core_trace_read(events, 16), (uint64_t)i + waited + 1);
      }
      CHECK_EQUAL(f.run.steps_done, i);
      CHECK_EQUAL(f.run.failed_step, NONE);
      CHECK_EQUAL(f.device.queued, 0);
      CHECK_EQUAL(f.device.flushes, expected_flushes[i]);
      armnn_context_destroy(f.context);
    }
  }
}

static void waits_are_traced(void) {
  fixture_t f;
  armnn_trace_event_t events[16];
  set_up(&f);
  load(&f);
  CHECK_EQUAL(armnn_core_trace_start(16), ARMNN_STATUS_OK);
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
  armnn_core_trace_stop();
  CHECK_EQUAL(armnn_core_trace_read(events, 16), 7);
  CHECK_EQUAL(events[2].kind, ARMNN_TRACE_EVENT_STEP);
  CHECK_EQUAL(events[2].id, 2);
  CHECK_TEXT(events[2].name, "after_enqueue_workload");
  armnn_context_destroy(f.context);
}

/* ---- The checker --------------------------------------------------------------------------- */

static void refuse(fixture_t* f, const char* part) {
  text_error_t error;
  armnn_plan_t* plan = NULL;
  CHECK_EQUAL(armnn_plan_create(&f->draft.spec, &plan, clear_error(&error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, part);
}

static void rows_without_their_sync_are_refused(void) {
  fixture_t f;
  device_t other = {.base = {&device_api}};
  set_up(&f);
  f.draft.spec.step_count = 5; /* the last sync is missing */
  refuse(&f, "step 4: may return before it is done, and no sync of its backend follows");
  set_up(&f);
  f.draft.steps[2].backend_context = &other.base;
  refuse(&f, "step 1: may return before it is done");
  set_up(&f);
  f.draft.steps[2].execution_data_index = NONE;
  refuse(&f, "step 1: may return before it is done");
  set_up(&f);
  f.draft.steps[1].backend_context = NULL; /* a step of the host inside the row */
  refuse(&f, "step 0: may return before it is done");
}

static void syncs_that_cannot_be_called_are_refused(void) {
  fixture_t f;
  armnn_backend_context_api_t api = silent_api;
  set_up(&f);
  f.device.base.api = &api;
  refuse(&f, "step 2: the backend context has no function 'after_enqueue_workload'");
  api = device_api;
  api.header.struct_size = sizeof(armnn_header_t) + 8; /* what lies behind is not the backend's */
  refuse(&f, "step 2: the backend context has no function 'after_enqueue_workload'");
  api.header.struct_type = ARMNN_STRUCT_WORKLOAD;
  refuse(&f, "step 2: the backend context's table has the tag");
  f.device.base.api = NULL;
  refuse(&f, "step 2: the sync's backend context or its table is null");
  set_up(&f);
  f.draft.steps[0].backend_context = NULL;
  f.draft.steps[1].backend_context = NULL;
  f.draft.steps[2].backend_context = NULL;
  refuse(&f, "step 2: the sync's backend context or its table is null");
  set_up(&f);
  f.draft.steps[2].scratch_size = 4;
  refuse(&f, "step 2: a sync with operands or scratch");
  set_up(&f);
  draft_step(&f.draft, NULL, f.b, NONE, f.c)->backend_context = &f.device.base;
  refuse(&f, "step 6: a copy with a backend context");
}

static const test_t tests[] = {
    TEST(work_is_awaited_before_others_look),
    TEST(a_wait_that_fails_is_to_blame),
    TEST(pending_work_is_awaited_when_a_step_fails),
    TEST(nothing_is_awaited_twice),
    TEST(pending_work_is_awaited_when_the_run_is_stopped),
    TEST(waits_are_traced),
    TEST(rows_without_their_sync_are_refused),
    TEST(syncs_that_cannot_be_called_are_refused),
};
MAIN(tests)
