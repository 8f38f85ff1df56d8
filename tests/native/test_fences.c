/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_fences.c - two devices, each with a thread, that work side by side. Nothing is timed: jobs
 * meet, and a job that waits in vain for the other one fails the test.
 */
#define _GNU_SOURCE /* clock_gettime */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "fake.h"

enum { QUEUE = 8, PATIENCE_S = 30 };
enum { JOB_INCREMENT, JOB_MEET, JOB_FAIL, JOB_POLL };

/* One lock for all that the two devices share. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void await_change(void) { /* with the lock */
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += PATIENCE_S;
  CHECK(pthread_cond_timedwait(&changed, &lock, &end) != ETIMEDOUT);
}

typedef struct job_t {
  int kind;
  const int* source;
  int* target;
  uint64_t run_id;
  armnn_fence_t* before; /* to wait for, or null */
} job_t;

typedef struct device_t {
  armnn_backend_context_t base;
  pthread_t thread;
  job_t jobs[QUEUE];
  int put, done;
  bool stop;
  armnn_status_t status; /* of the first failed job since the last flush */
  armnn_fence_t* before; /* of the next job */
  armnn_status_t signal_answer, wait_answer;
  int fault; /* of the fences that it makes */
  bool has_begun;
  struct device_t* other; /* that a job meets */
  int flushes, signals, waits, fences;
} device_t;

typedef struct device_fence_t {
  armnn_fence_t base;
  device_t* device;
  int target;
} device_fence_t;

static armnn_status_t work(device_t* self, const job_t* job) { /* with the lock */
  const armnn_host_t* host = armnn_core_host();
  if (job->before != NULL) {
    pthread_mutex_unlock(&lock);
    armnn_status_t status = ARMNN_STATUS_TIMEOUT;
    while (status == ARMNN_STATUS_TIMEOUT && !host->cancelled(host->context, job->run_id)) {
      status = job->before->api->wait(job->before, 1000000, NULL);
    }
    pthread_mutex_lock(&lock);
    if (status != ARMNN_STATUS_OK) return ARMNN_STATUS_CANCELLED;
  }
  if (job->kind == JOB_FAIL) return ARMNN_STATUS_DEVICE_LOST;
  self->has_begun = true;
  pthread_cond_broadcast(&changed);
  while (job->kind == JOB_MEET && !self->other->has_begun) await_change();
  if (job->kind == JOB_POLL) {
    pthread_mutex_unlock(&lock);
    while (!host->cancelled(host->context, job->run_id)) {
    }
    pthread_mutex_lock(&lock);
    return ARMNN_STATUS_CANCELLED;
  }
  *job->target = *job->source + 1;
  return ARMNN_STATUS_OK;
}

static void* device_main(void* argument) {
  device_t* self = (device_t*)argument;
  pthread_mutex_lock(&lock);
  while (!self->stop) {
    if (self->done == self->put) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    if (self->status == ARMNN_STATUS_OK) {
      self->status = work(self, &self->jobs[self->done % QUEUE]);
    }
    ++self->done;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static armnn_status_t enqueue(fake_t* self, const armnn_execute_args_t* args, armnn_error_t* error,
                              int kind) {
  device_t* device = (device_t*)self->data;
  (void)error;
  pthread_mutex_lock(&lock);
  CHECK(device->put - device->done < QUEUE);
  device->jobs[device->put++ % QUEUE] = (job_t){
      kind, (const int*)args->inputs[0], (int*)args->outputs[0], args->run_id, device->before};
  device->before = NULL;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return ARMNN_STATUS_OK;
}

#define JOB(name, kind)                                                      \
  static armnn_status_t name(fake_t* self, const armnn_execute_args_t* args, \
                             armnn_error_t* error) {                         \
    return enqueue(self, args, error, kind);                                 \
  }
JOB(increment, JOB_INCREMENT)
JOB(meet, JOB_MEET)
JOB(lose, JOB_FAIL)
JOB(poll_cancel, JOB_POLL)

static armnn_status_t no_luck(fake_t* self, const armnn_execute_args_t* args,
                              armnn_error_t* error) {
  (void)self, (void)args;
  return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "no luck");
}

/* ---- The context --------------------------------------------------------------------------- */

static void device_destroy(armnn_backend_context_t* context) { (void)context; }

static armnn_status_t flush(armnn_backend_context_t* context, uint64_t network_id,
                            void* execution_data, armnn_error_t* error) {
  device_t* self = (device_t*)context;
  (void)network_id, (void)execution_data, (void)error;
  pthread_mutex_lock(&lock);
  ++self->flushes;
  while (self->done != self->put) await_change();
  const armnn_status_t status = self->status;
  self->status = ARMNN_STATUS_OK;
  pthread_mutex_unlock(&lock);
  return status;
}

static void fence_destroy(armnn_fence_t* fence) {
  device_fence_t* self = (device_fence_t*)fence;
  pthread_mutex_lock(&lock);
  CHECK(self->device->done >= self->target); /* nobody needs it any more */
  --self->device->fences;
  pthread_mutex_unlock(&lock);
  free(self);
}

static armnn_status_t fence_wait(armnn_fence_t* fence, uint64_t timeout_ns, armnn_error_t* error) {
  const device_fence_t* self = (const device_fence_t*)fence;
  const uint64_t end = armnn_i_now_ns() + timeout_ns;
  pthread_mutex_lock(&lock);
  while (self->device->done < self->target) {
    if (armnn_i_now_ns() >= end) {
      pthread_mutex_unlock(&lock);
      return armnn_i_fail(error, ARMNN_STATUS_TIMEOUT, "not yet");
    }
    pthread_mutex_unlock(&lock);
    sched_yield();
    pthread_mutex_lock(&lock);
  }
  const armnn_status_t status = self->device->status;
  pthread_mutex_unlock(&lock);
  return status == ARMNN_STATUS_OK ? status : armnn_i_fail(error, status, "the device is wet");
}

#define FENCE_HEAD {sizeof(armnn_fence_api_t), ARMNN_STRUCT_FENCE}
static const armnn_fence_api_t fence_apis[] = {
    {.header = FENCE_HEAD, .destroy = fence_destroy, .wait = fence_wait},
    {.header = {sizeof(armnn_fence_api_t), ARMNN_STRUCT_WORKLOAD}, .wait = fence_wait},
    {.header = FENCE_HEAD, .destroy = fence_destroy},
    {.header = FENCE_HEAD, .destroy = fence_destroy, .wait = fence_wait, .kind = 9},
    {.header = FENCE_HEAD, .destroy = fence_destroy, .wait = fence_wait, .kind = 1},
};

static armnn_status_t signal_fence(armnn_backend_context_t* context, uint64_t network_id,
                                   void* execution_data, armnn_fence_t** out_fence,
                                   armnn_error_t* error) {
  device_t* self = (device_t*)context;
  CHECK_EQUAL(network_id, 77);
  CHECK(execution_data == self);
  *out_fence = NULL;
  pthread_mutex_lock(&lock);
  ++self->signals;
  const int target = self->put;
  pthread_mutex_unlock(&lock);
  if (self->signal_answer != ARMNN_STATUS_OK) {
    return armnn_i_fail(error, self->signal_answer, "no fence today");
  }
  if (self->fault < 0) return ARMNN_STATUS_OK;
  static device_fence_t faulty;
  device_fence_t* fence = self->fault == 0 ? calloc(1, sizeof *fence) : &faulty;
  fence->base.api = &fence_apis[self->fault];
  fence->device = self;
  fence->target = target;
  self->fences += self->fault == 0;
  *out_fence = &fence->base;
  return ARMNN_STATUS_OK;
}

static armnn_status_t wait_fence(armnn_backend_context_t* context, uint64_t network_id,
                                 void* execution_data, armnn_fence_t* fence, armnn_error_t* error) {
  device_t* self = (device_t*)context;
  CHECK_EQUAL(network_id, 77);
  CHECK(execution_data == self);
  ++self->waits;
  if (self->wait_answer != ARMNN_STATUS_OK) {
    return armnn_i_fail(error, self->wait_answer, "no waiting room");
  }
  pthread_mutex_lock(&lock);
  self->before = fence;
  pthread_mutex_unlock(&lock);
  return ARMNN_STATUS_OK;
}

static const armnn_backend_context_api_t device_api = {
    .header = {sizeof(armnn_backend_context_api_t), ARMNN_STRUCT_BACKEND_CONTEXT},
    .destroy = device_destroy,
    .after_enqueue_workload = flush,
    .signal_fence = signal_fence,
    .wait_fence = wait_fence,
};

/* ---- Plans --------------------------------------------------------------------------------- */

typedef struct fixture_t {
  draft_t draft;
  device_t devices[2];
  fake_t jobs[2], host;
  uint32_t in, a, b, out;
  int value, result;
  const void* inputs[1];
  void* outputs[1];
  void* data[2];
  text_error_t error;
  armnn_context_t* context;
  armnn_run_t run;
} fixture_t;

static armnn_plan_step_t* draft_fence(fixture_t* f, int32_t kind, uint32_t fence, int device) {
  armnn_plan_step_t* step = &f->draft.steps[f->draft.spec.step_count++];
  step->kind = kind;
  step->fence = fence;
  step->execution_data_index = NONE;
  step->network_id = 77;
  if (device < 0) return step;
  step->backend_context = &f->devices[device].base;
  step->execution_data_index = (uint32_t)device;
  return step;
}

static armnn_plan_step_t* draft_job(fixture_t* f, int device, uint32_t from, uint32_t to) {
  armnn_plan_step_t* step = draft_step(&f->draft, &f->jobs[device], from, NONE, to);
  step->backend_context = &f->devices[device].base;
  step->execution_data_index = (uint32_t)device;
  return step;
}

static void set_up(fixture_t* f, fake_fn_t first, fake_fn_t second) {
  memset(f, 0, sizeof *f);
  fake_fn_t functions[] = {first, second};
  for (int i = 0; i < 2; ++i) {
    f->devices[i].base.api = &device_api;
    f->devices[i].other = &f->devices[1 - i];
    f->data[i] = &f->devices[i];
    f->jobs[i] = make_fake(functions[i], &f->devices[i]);
  }
  f->host = make_fake(fake_append, NULL);
  draft_begin(&f->draft, 64);
  f->draft.spec.execution_data_count = 2;
  f->draft.spec.fence_count = 2;
  f->in = draft_input(&f->draft, 4);
  f->a = draft_arena(&f->draft, 4, 0);
  f->b = draft_arena(&f->draft, 4, 4);
  f->out = draft_output(&f->draft, 4);
  f->value = 1;
  f->inputs[0] = &f->value;
  f->outputs[0] = &f->result;
}

/* in -A-> a, in -B-> b, then the host appends b to a. Steps: A, signal, B, signal, wait, wait. */
static void draft_diamond(fixture_t* f) {
  draft_job(f, 0, f->in, f->a);
  draft_fence(f, ARMNN_PLAN_STEP_SIGNAL, 0, 0);
  draft_job(f, 1, f->in, f->b);
  draft_fence(f, ARMNN_PLAN_STEP_SIGNAL, 1, 1);
  draft_fence(f, ARMNN_PLAN_STEP_WAIT, 0, -1);
  draft_fence(f, ARMNN_PLAN_STEP_WAIT, 1, -1);
  draft_step(&f->draft, &f->host, f->a, f->b, f->out);
}

/* in -A-> a -B-> b -host-> out; B's queue waits for A's fence. */
static void draft_chain(fixture_t* f) {
  draft_job(f, 0, f->in, f->a);
  draft_fence(f, ARMNN_PLAN_STEP_SIGNAL, 0, 0);
  draft_fence(f, ARMNN_PLAN_STEP_WAIT, 0, 1);
  draft_job(f, 1, f->a, f->b);
  draft_fence(f, ARMNN_PLAN_STEP_SIGNAL, 1, 1);
  draft_fence(f, ARMNN_PLAN_STEP_WAIT, 0, -1);
  draft_fence(f, ARMNN_PLAN_STEP_WAIT, 1, -1);
  draft_step(&f->draft, &f->host, f->a, f->b, f->out);
}

static void load(fixture_t* f) {
  armnn_plan_t* plan = must_plan(&f->draft);
  f->context = must_context(plan, f->data);
  armnn_plan_destroy(plan);
  f->run = make_run(f->context, f->inputs, f->outputs, &f->error);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQUAL(pthread_create(&f->devices[i].thread, NULL, device_main, &f->devices[i]), 0);
  }
}

static void tear_down(fixture_t* f) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQUAL(f->devices[i].put, f->devices[i].done);
    CHECK_EQUAL(f->devices[i].fences, 0);
    f->devices[i].stop = true;
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2; ++i) pthread_join(f->devices[i].thread, NULL);
  armnn_context_destroy(f->context);
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void two_devices_work_at_once(void) {
  fixture_t f;
  set_up(&f, meet, meet);
  draft_diamond(&f);
  load(&f);
  for (int i = 0; i < 50; ++i) {
    f.devices[0].has_begun = f.devices[1].has_begun = false;
    f.value = i;
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    CHECK_EQUAL(f.result, (i + 1) * 11);
    CHECK_EQUAL(f.devices[0].signals, i + 1);
    CHECK_EQUAL(f.devices[0].flushes + f.devices[1].flushes, 0);
  }
  tear_down(&f);
}

static void a_queue_waits_for_another(void) {
  for (int i = 0; i < 3; ++i) {
    fixture_t f;
    set_up(&f, increment, increment);
    draft_chain(&f);
    load(&f);
    if (i == 1) f.devices[1].wait_answer = ARMNN_STATUS_UNSUPPORTED;   /* the host waits */
    if (i == 2) f.devices[0].signal_answer = ARMNN_STATUS_UNSUPPORTED; /* the host flushes */
    for (int k = 0; k < 50; ++k) {
      f.value = k;
      CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
      CHECK_EQUAL(f.result, (k + 1) * 10 + k + 2);
    }
    CHECK_EQUAL(f.devices[1].waits, i == 2 ? 0 : 50);
    CHECK_EQUAL(f.devices[0].flushes, i == 2 ? 50 : 0);
    tear_down(&f);
  }
}

static void a_device_that_fails_is_to_blame(void) {
  fixture_t f;
  set_up(&f, lose, increment);
  draft_chain(&f);
  load(&f);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_DEVICE_LOST);
    CHECK_EQUAL(f.run.failed_step, 5);
    CHECK_TEXT(f.error.text, "the device is wet");
    CHECK_EQUAL(f.devices[0].flushes, i + 1);
    CHECK_EQUAL(f.devices[1].flushes, i + 1);
  }
  tear_down(&f);
}

static void a_step_that_fails_stops_both_devices(void) {
  fixture_t f;
  set_up(&f, poll_cancel, increment);
  draft_job(&f, 0, f.in, f.a);
  draft_fence(&f, ARMNN_PLAN_STEP_SIGNAL, 0, 0);
  fake_t bad = make_fake(no_luck, NULL);
  draft_step(&f.draft, &bad, f.in, NONE, f.out);
  draft_fence(&f, ARMNN_PLAN_STEP_WAIT, 0, -1);
  f.draft.spec.fence_count = 1;
  load(&f);
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
  CHECK_TEXT(f.error.text, "no luck");
  CHECK_EQUAL(f.run.failed_step, 2);
  CHECK_EQUAL(f.devices[0].flushes, 1);
  CHECK_EQUAL(f.devices[1].flushes, 0);
  tear_down(&f);
}

static int32_t stop_now(void* argument) {
  const device_t* device = (const device_t*)argument;
  pthread_mutex_lock(&lock);
  const int32_t begun = device->has_begun;
  pthread_mutex_unlock(&lock);
  return begun;
}

static void a_pending_fence_is_cancelled(void) {
  for (int timeout = 0; timeout < 2; ++timeout) {
    fixture_t f;
    set_up(&f, poll_cancel, increment);
    draft_chain(&f);
    load(&f);
    f.run.interrupt = timeout ? NULL : stop_now;
    f.run.interrupt_argument = &f.devices[0];
    f.run.deadline_ns = timeout ? armnn_i_now_ns() + 50000000 : 0;
    CHECK_EQUAL(armnn_context_run(&f.run), timeout ? ARMNN_STATUS_TIMEOUT : ARMNN_STATUS_CANCELLED);
    CHECK_EQUAL(f.devices[0].flushes, 1);
    tear_down(&f);
  }
}

static void fences_that_cannot_be_used_are_refused(void) {
  static const char* const problems[] = {"it gave no fence", "no table of a fence",
                                         "lacks 'wait' or 'destroy'", "kind of its fence",
                                         "lacks 'get_fd'"};
  for (int i = 0; i < 5; ++i) {
    fixture_t f;
    set_up(&f, increment, increment);
    draft_diamond(&f);
    load(&f);
    f.devices[0].fault = i == 0 ? -1 : i;
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
    CHECK_EQUAL(f.run.failed_step, 1);
    CHECK_TEXT(f.error.text, "signal_fence: it answered OK but");
    CHECK_TEXT(f.error.text, problems[i]);
    f.devices[0].fault = 0;
    f.devices[0].signal_answer = ARMNN_STATUS_INTERNAL;
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
    CHECK_TEXT(f.error.text, "no fence today");
    tear_down(&f);
  }
}

/* ---- The checker --------------------------------------------------------------------------- */

static void refuse(fixture_t* f, const char* part) {
  text_error_t error;
  armnn_plan_t* plan = NULL;
  CHECK_EQUAL(armnn_plan_create(&f->draft.spec, &plan, clear_error(&error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, part);
}

static void plans_whose_fences_do_not_fit_are_refused(void) {
  fixture_t f;
  set_up(&f, increment, increment);
  draft_diamond(&f);
  f.draft.steps[1].fence = 2;
  refuse(&f, "step 1: names fence 2, but the plan has 2");
  f.draft.steps[1].fence = 1;
  refuse(&f, "step 3: fence 1 is signalled twice");
  f.draft.steps[1].fence = 0;
  f.draft.steps[5].fence = 0;
  refuse(&f, "fence 1: the host never waits for it");
  f.draft.steps[3].backend_context = &f.devices[0].base;
  refuse(&f, "step 2: may return before it is done");
  armnn_backend_context_api_t api = device_api;
  api.signal_fence = NULL;
  set_up(&f, increment, increment);
  draft_chain(&f);
  f.devices[0].base.api = &api;
  refuse(&f, "step 1: the backend context has no function 'signal_fence'");
  api = device_api;
  api.wait_fence = NULL;
  f.devices[0].base.api = &device_api;
  f.devices[1].base.api = &api;
  refuse(&f, "step 2: the backend context has no function 'wait_fence'");
  set_up(&f, increment, increment);
  draft_fence(&f, ARMNN_PLAN_STEP_WAIT, 0, -1);
  refuse(&f, "step 0: waits for fence 0 before its step");
  f.draft.spec.fence_count = UINT32_MAX;
  refuse(&f, "fences");
}

static const test_t tests[] = {
    TEST(two_devices_work_at_once),
    TEST(a_queue_waits_for_another),
    TEST(a_device_that_fails_is_to_blame),
    TEST(a_step_that_fails_stops_both_devices),
    TEST(a_pending_fence_is_cancelled),
    TEST(fences_that_cannot_be_used_are_refused),
    TEST(plans_whose_fences_do_not_fit_are_refused),
};
MAIN(tests)
