/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_needs.c - what workloads ask for beside aligned addresses: bytes behind an input, memory
 * from run to run, one call at a time.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"

#define PAGE 4096

/* ---- Bytes behind inputs ------------------------------------------------------------------- */

static const armnn_tensor_needs_t behind = {
    {sizeof behind, ARMNN_STRUCT_TENSOR_NEEDS}, 0, 16, 0, 0, 0};
static const armnn_tensor_needs_t aligned_output = {
    {sizeof behind, ARMNN_STRUCT_TENSOR_NEEDS}, 128, 0, 0, 0, 0};
static const armnn_tensor_needs_t* const wants_behind[] = {&behind, NULL, NULL};
static const armnn_tensor_needs_t* const wants_alignment[] = {NULL, &aligned_output, NULL};

/* Copies 8 bytes, and reads 16 more. */
static armnn_status_t read_behind(fake_t* self, const armnn_execute_args_t* args,
                                  armnn_error_t* error) {
  (void)error;
  const volatile char* input = args->inputs[0];
  for (int i = 8; i < 24; ++i) (void)input[i];
  *(const void**)self->data = args->inputs[0];
  memcpy(args->outputs[0], args->inputs[0], 8);
  return ARMNN_STATUS_OK;
}

static void what_lies_at_the_end_of_a_page_is_staged(void) {
  const void* seen = NULL;
  fake_t fake = make_fake(read_behind, &seen);
  fake.needs.tensors = wants_behind;
  draft_t draft;
  draft_begin(&draft, 64);
  const uint32_t in = draft_tensor(&draft, ARMNN_PLAN_TENSOR_INPUT, 8, 0, 1);
  draft.tensors[in].readable = 16;
  draft_step(&draft, &fake, in, NONE, draft_output(&draft, 8));
  armnn_context_t* context = must_load(&draft);
  char* pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  CHECK_EQUAL(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
  char out[8];
  void* outputs[] = {out};
  for (int begin = PAGE - 40; begin <= PAGE - 8; ++begin) {
    memcpy(pages + begin, "12345678", 8);
    const void* inputs[] = {pages + begin};
    armnn_run_t run = make_run(context, inputs, outputs, NULL);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    CHECK(memcmp(out, "12345678", 8) == 0);
    const bool fits = begin + 24 <= PAGE && !(ARMNN_BUILD_FEATURES & ARMNN_BUILD_ADDRESS_SANITIZER);
    CHECK_EQUAL(seen == inputs[0], fits);
    CHECK_EQUAL(run.copies, !fits);
  }
  munmap(pages, 2 * PAGE);
  armnn_context_destroy(context);
}

static void plans_have_what_is_read(void) {
  const void* seen = NULL;
  char constant[8] = "";
  text_error_t error;
  armnn_plan_t* plan = NULL;
  for (int kind = 0; kind < 5; ++kind) {
    fake_t fake = make_fake(read_behind, &seen);
    fake.needs.tensors = kind == 4 ? wants_alignment : wants_behind;
    draft_t draft;
    draft_begin(&draft, 64);
    uint32_t in = draft_arena(&draft, 8, 56);
    if (kind == 1) in = draft_constant(&draft, 8, constant);
    if (kind == 2) in = draft_input(&draft, 8);
    if (kind == 3) { /* a sub-tensor at the end of an input */
      const uint32_t whole = draft_tensor(&draft, ARMNN_PLAN_TENSOR_INPUT, 32, 0, 1);
      draft.tensors[whole].readable = 15;
      in = draft_tensor(&draft, ARMNN_PLAN_TENSOR_PART, 8, 24, 1);
      draft.tensors[in].index = whole;
    }
    draft_step(&draft, &fake, in, NONE, draft_output(&draft, 8));
    CHECK_EQUAL(armnn_plan_create(&draft.spec, &plan, clear_error(&error)), -1);
    CHECK(strstr(error.text, kind == 4 ? "wants tensors aligned to 128, output 0"
                                       : "may read 16 bytes behind input 0") != NULL);
    if (kind == 2 || kind == 4) continue;
    draft.tensors[kind == 3 ? in - 1 : in].readable = 16;
    if (kind == 0) { /* and the arena ends before them */
      CHECK_EQUAL(armnn_plan_create(&draft.spec, &plan, clear_error(&error)), -1);
      CHECK(strstr(error.text, "24 bytes does not fit the arena") != NULL);
      draft.spec.arena_size = 80;
    }
    armnn_plan_destroy(must_plan(&draft));
  }
}

/* ---- State --------------------------------------------------------------------------------- */

static armnn_status_t count_calls(fake_t* self, const armnn_execute_args_t* args,
                                  armnn_error_t* error) {
  (void)error;
  unsigned char* state = args->workload_data;
  const int size = *(const int*)self->data;
  CHECK_EQUAL((uintptr_t)state % 64, 0);
  for (int i = 1; i < size; ++i) CHECK_EQUAL(state[i], state[0]);
  for (int i = 0; i < size; ++i) ++state[i];
  const int count = state[0];
  memcpy(args->outputs[0], &count, 4);
  return ARMNN_STATUS_OK;
}

static int run_once(armnn_context_t* context) {
  int in = 0, out = 0;
  const void* inputs[] = {&in};
  void* outputs[] = {&out};
  armnn_run_t run = make_run(context, inputs, outputs, NULL);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  return out;
}

static void persistent_bytes_are_zero_and_stay(void) {
  int sizes[] = {1, 100, 64};
  fake_t fakes[3];
  draft_t draft;
  draft_begin(&draft, 0);
  const uint32_t in = draft_input(&draft, 4), out = draft_output(&draft, 4);
  for (int i = 0; i < 3; ++i) {
    fakes[i] = make_fake(count_calls, &sizes[i]);
    fakes[i].needs.persistent_size = (uint64_t)sizes[i];
    draft_step(&draft, &fakes[i], in, NONE, out)->persistent_size = (uint64_t)sizes[i];
  }
  armnn_plan_t* plan = must_plan(&draft);
  armnn_context_t *one = must_context(plan, NULL), *two = must_context(plan, NULL);
  CHECK_EQUAL(armnn_context_has_state(one), 1);
  for (int i = 1; i < 5; ++i) CHECK_EQUAL(run_once(one), i);
  CHECK_EQUAL(run_once(two), 1);
  CHECK_EQUAL(armnn_context_reset(one, NULL), ARMNN_STATUS_OK);
  CHECK_EQUAL(run_once(one), 1);
  CHECK_EQUAL(run_once(two), 2);
  armnn_context_destroy(one);
  armnn_context_destroy(two);
  armnn_plan_destroy(plan);
  text_error_t error;
  draft.steps[1].persistent_size = 99;
  CHECK_EQUAL(armnn_plan_create(&draft.spec, &plan, clear_error(&error)), -1);
  CHECK(strstr(error.text, "step 1: the workload wants 100 persistent bytes") != NULL);
}

static armnn_status_t fail_when_told(fake_t* self, const armnn_execute_args_t* args,
                                     armnn_error_t* error) {
  (void)args;
  (void)error;
  return *(const bool*)self->data ? ARMNN_STATUS_INTERNAL : ARMNN_STATUS_OK;
}

/* A step that fails before those with state, and one that fails behind them. */
static void a_run_that_fails_loses_the_state(void) {
  for (int is_behind = 0; is_behind < 2; ++is_behind) {
    int size = 8;
    bool fails = false;
    fake_t fakes[2];
    fakes[is_behind] = make_fake(fail_when_told, &fails);
    fakes[1 - is_behind] = make_fake(count_calls, &size);
    fakes[1 - is_behind].needs.persistent_size = 8;
    draft_t draft;
    draft_begin(&draft, 0);
    const uint32_t in = draft_input(&draft, 4), out = draft_output(&draft, 4);
    for (int i = 0; i < 2; ++i) {
      draft_step(&draft, &fakes[i], in, NONE, out)->persistent_size = i == is_behind ? 0 : 8;
    }
    armnn_plan_t* plan = must_plan(&draft);
    armnn_context_t* context = must_context(plan, NULL);
    CHECK_EQUAL(run_once(context), 1);
    fails = true;
    int value = 0;
    const void* inputs[] = {&value};
    void* outputs[] = {&value};
    armnn_run_t run = make_run(context, inputs, outputs, NULL);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_INTERNAL);
    fails = false;
    CHECK_EQUAL(armnn_context_is_state_lost(context), is_behind);
    if (is_behind) {
      CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_INVALID_ARGUMENT);
      CHECK_EQUAL(run.run_id, 0);
      CHECK_EQUAL(armnn_context_reset(context, NULL), ARMNN_STATUS_OK);
      CHECK_EQUAL(armnn_context_is_state_lost(context), 0);
    }
    CHECK_EQUAL(run_once(context), is_behind ? 1 : 2);
    armnn_context_destroy(context);
    armnn_plan_destroy(plan);
  }
}

/* ---- One call at a time -------------------------------------------------------------------- */

typedef struct meeting_t {
  atomic_int inside, most;
  atomic_bool stays;      /* whoever is inside does not leave */
  armnn_context_t* other; /* run in the middle of a call, if not null */
  armnn_status_t other_status;
  char other_text[256];
} meeting_t;

static armnn_status_t meet(fake_t* self, const armnn_execute_args_t* args, armnn_error_t* error) {
  meeting_t* meeting = self->data;
  (void)error;
  const int inside = atomic_fetch_add(&meeting->inside, 1) + 1;
  if (inside > atomic_load(&meeting->most)) atomic_store(&meeting->most, inside);
  for (int i = 0; i < 20; ++i) sched_yield();
  if (meeting->other != NULL) {
    int in = 0, out = 0;
    const void* inputs[] = {&in};
    void* outputs[] = {&out};
    text_error_t words;
    armnn_run_t run = make_run(meeting->other, inputs, outputs, &words);
    meeting->other_status = armnn_context_run(&run);
    memcpy(meeting->other_text, words.text, sizeof meeting->other_text);
  }
  while (atomic_load(&meeting->stays)) sched_yield();
  memcpy(args->outputs[0], args->inputs[0], 4);
  atomic_fetch_sub(&meeting->inside, 1);
  return ARMNN_STATUS_OK;
}

static armnn_plan_t* plan_meeting(fake_t* fake, uint32_t flags) {
  draft_t draft;
  draft_begin(&draft, 0);
  const uint32_t in = draft_input(&draft, 4), out = draft_output(&draft, 4);
  fake->needs.flags = flags;
  draft_step(&draft, fake, in, NONE, out)->is_serial = flags;
  return must_plan(&draft);
}

static void* run_often(void* plan) {
  armnn_context_t* context = must_context(plan, NULL);
  for (int i = 0; i < 200; ++i) run_once(context);
  armnn_context_destroy(context);
  return NULL;
}

static void calls_do_not_overlap(void) {
  meeting_t meeting = {0};
  fake_t fake = make_fake(meet, &meeting);
  armnn_plan_t* plan = plan_meeting(&fake, ARMNN_WORKLOAD_SERIAL);
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) CHECK_EQUAL(pthread_create(&threads[i], NULL, run_often, plan), 0);
  for (int i = 0; i < 6; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK_EQUAL(atomic_load(&meeting.most), 1);
  armnn_plan_destroy(plan);
  draft_t draft;
  text_error_t error;
  draft_begin(&draft, 0);
  draft_step(&draft, &fake, draft_input(&draft, 4), NONE, draft_output(&draft, 4));
  CHECK_EQUAL(armnn_plan_create(&draft.spec, &plan, clear_error(&error)), -1);
  CHECK(strstr(error.text, "step 0: the workload is serial") != NULL);
}

/* A run in the middle of a call on the same thread could only wait for itself. */
static void a_run_inside_a_call_is_refused(void) {
  meeting_t meeting = {0};
  fake_t fake = make_fake(meet, &meeting);
  armnn_plan_t* plan = plan_meeting(&fake, ARMNN_WORKLOAD_SERIAL);
  armnn_context_t* context = must_context(plan, NULL);
  meeting.other = must_context(plan, NULL);
  run_once(context);
  CHECK_EQUAL(meeting.other_status, ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK(strstr(meeting.other_text, "takes one call at a time") != NULL);
  armnn_context_t* other = meeting.other;
  meeting.other = NULL;
  run_once(other); /* nobody is inside any more */
  armnn_context_destroy(other);
  armnn_context_destroy(context);
  armnn_plan_destroy(plan);
}

static int32_t interrupt(void* argument) { return ++*(int*)argument > 2; }

static void who_waits_can_be_stopped(void) {
  meeting_t meeting = {0};
  fake_t fake = make_fake(meet, &meeting);
  armnn_plan_t* plan = plan_meeting(&fake, ARMNN_WORKLOAD_SERIAL);
  pthread_t thread;
  atomic_store(&meeting.stays, true);
  CHECK_EQUAL(pthread_create(&thread, NULL, run_often, plan), 0);
  while (atomic_load(&meeting.inside) == 0) sched_yield();
  armnn_context_t* context = must_context(plan, NULL);
  int value = 0, asked = 0;
  const void* inputs[] = {&value};
  void* outputs[] = {&value};
  text_error_t error;
  armnn_run_t run = make_run(context, inputs, outputs, &error);
  run.deadline_ns = armnn_i_now_ns() + 30000000;
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_TIMEOUT);
  CHECK(strstr(error.text, "passed its deadline") != NULL);
  run = make_run(context, inputs, outputs, &error);
  run.interrupt = interrupt;
  run.interrupt_argument = &asked;
  run.interrupt_interval_ns = 1000000;
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_CANCELLED);
  CHECK(strstr(error.text, "was interrupted") != NULL);
  CHECK_EQUAL(run.failed_step, NONE);
  atomic_store(&meeting.stays, false);
  CHECK_EQUAL(pthread_join(thread, NULL), 0);
  run_once(context);
  armnn_context_destroy(context);
  armnn_plan_destroy(plan);
}

/* The thread that is inside does not exist in the child. */
static void a_fork_in_the_middle_of_a_call(void) {
  armnn_i_core_prepare();
  meeting_t meeting = {0};
  fake_t fake = make_fake(meet, &meeting);
  armnn_plan_t* plan = plan_meeting(&fake, ARMNN_WORKLOAD_SERIAL);
  armnn_context_t* context = must_context(plan, NULL);
  pthread_t thread;
  atomic_store(&meeting.stays, true);
  CHECK_EQUAL(pthread_create(&thread, NULL, run_often, plan), 0);
  while (atomic_load(&meeting.inside) == 0) sched_yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    atomic_store(&meeting.stays, false);
    run_once(context);
    run_once(context);
    _exit(0);
  }
  atomic_store(&meeting.stays, false);
  int status = 1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK_EQUAL(status, 0);
  CHECK_EQUAL(pthread_join(thread, NULL), 0);
  armnn_context_destroy(context);
  armnn_plan_destroy(plan);
}

static const test_t tests[] = {
    TEST(what_lies_at_the_end_of_a_page_is_staged),
    TEST(plans_have_what_is_read),
    TEST(persistent_bytes_are_zero_and_stay),
    TEST(a_run_that_fails_loses_the_state),
    TEST(calls_do_not_overlap),
    TEST(a_run_inside_a_call_is_refused),
    TEST(who_waits_can_be_stopped),
    TEST(a_fork_in_the_middle_of_a_call),
};
MAIN(tests)
