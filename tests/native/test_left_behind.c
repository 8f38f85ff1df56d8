/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_left_behind.c - steps that point the host's error elsewhere or change how the thread
 * computes: steps after them and the caller find everything as it was.
 */
#define _GNU_SOURCE /* fenv's rounding, mmap */
#include <fenv.h>
#include <sys/mman.h>

#include "fake.h"

/* ---- The text of the error ----------------------------------------------------------------- */

typedef struct move_t {
  char* text;
  uint64_t capacity;
  armnn_status_t status;
} move_t;

static armnn_status_t move_text(fake_t* self, const armnn_execute_args_t* args,
                                armnn_error_t* error) {
  (void)args;
  const move_t* move = (const move_t*)self->data;
  error->text = move->text;
  error->capacity = move->capacity;
  return move->status;
}

static armnn_status_t fail_silently(fake_t* self, const armnn_execute_args_t* args,
                                    armnn_error_t* error) {
  (void)self, (void)args, (void)error;
  return ARMNN_STATUS_INTERNAL;
}

/* A step that moves the text, then one that fails and has the host write a message. */
static armnn_status_t run_moved(move_t* move, text_error_t* error) {
  fake_t fakes[2] = {make_fake(move_text, move), make_fake(fail_silently, NULL)};
  draft_t draft;
  draft_begin(&draft, 0);
  const uint32_t in = draft_input(&draft, 4), out = draft_output(&draft, 4);
  for (int i = 0; i < 2; ++i) draft_step(&draft, &fakes[i], in, NONE, out);
  armnn_context_t* context = must_load(&draft);
  int value = 0;
  const void* inputs[] = {&value};
  void* outputs[] = {&value};
  armnn_run_t run = make_run(context, inputs, outputs, error);
  const armnn_error_t before = error->error;
  const armnn_status_t status = armnn_context_run(&run);
  CHECK(error->error.text == before.text);
  CHECK_EQUAL(error->error.capacity, before.capacity);
  armnn_context_destroy(context);
  return status;
}

static void a_moved_text_is_put_back(void) {
  static char literal[] = "words of its own";
  char* page = (char*)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  munmap(page + 4096, 4096);
  memset(page, 'x', 4096); /* readable to its end, where no zero is */
  char* const places[] = {NULL, literal, (char*)(uintptr_t)0x40, page + 4090};
  static const uint64_t capacities[] = {0, 1, 1u << 30, UINT64_MAX};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    for (size_t j = 0; j < sizeof capacities / sizeof *capacities; ++j) {
      text_error_t error;
      move_t move = {places[i], capacities[j], ARMNN_STATUS_OK};
      CHECK_EQUAL(run_moved(&move, &error), ARMNN_STATUS_INTERNAL);
      CHECK_TEXT(error.text, "step 1 failed with status -8 (INTERNAL) and gave no message");
      move.status = ARMNN_STATUS_DEVICE_LOST;
      CHECK_EQUAL(run_moved(&move, &error), ARMNN_STATUS_DEVICE_LOST);
      if (i == 1) CHECK(strcmp(error.text, "words of its own") == 0);
      if (i == 3) CHECK(strcmp(error.text, "xxxxxx") == 0);
      if (i == 0 || i == 2) CHECK_TEXT(error.text, "step 0 failed with status");
    }
  }
  CHECK(strcmp(literal, "words of its own") == 0); /* nobody wrote into it */
  munmap(page, 4096);
}

/* ---- How a thread computes ----------------------------------------------------------------- */

static int rounding_seen;

static armnn_status_t round_down(fake_t* self, const armnn_execute_args_t* args,
                                 armnn_error_t* error) {
  (void)self, (void)args, (void)error;
  fesetround(FE_DOWNWARD);
  return ARMNN_STATUS_OK;
}

static armnn_status_t look_at_rounding(fake_t* self, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  (void)self, (void)args, (void)error;
  rounding_seen = fegetround();
  return ARMNN_STATUS_OK;
}

static void every_step_rounds_as_the_caller(void) {
  static const int modes[] = {FE_TONEAREST, FE_UPWARD};
  fake_t fakes[2] = {make_fake(round_down, NULL), make_fake(look_at_rounding, NULL)};
  draft_t draft;
  draft_begin(&draft, 0);
  const uint32_t in = draft_input(&draft, 4), out = draft_output(&draft, 4);
  for (int i = 0; i < 2; ++i) draft_step(&draft, &fakes[i], in, NONE, out);
  armnn_context_t* context = must_load(&draft);
  int value = 0;
  const void* inputs[] = {&value};
  void* outputs[] = {&value};
  text_error_t error;
  for (int i = 0; i < 2; ++i) {
    fesetround(modes[i]);
    armnn_run_t run = make_run(context, inputs, outputs, &error);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    CHECK_EQUAL(rounding_seen, modes[i]);
    CHECK_EQUAL(fegetround(), modes[i]);
  }
  fesetround(FE_TONEAREST);
  armnn_log_record_t record;
  int lines = 0;
  while (armnn_core_log_next(&record)) lines += strcmp(record.component, "armnn_py.state") == 0;
  CHECK_EQUAL(lines, 1); /* once for each context */
  armnn_context_destroy(context);
}

static void a_noted_call_rounds_as_before(void) {
  for (int keeps = 0; keeps < 2; ++keeps) {
    armnn_core_enter_call("a call");
    fesetround(FE_DOWNWARD);
    armnn_core_leave_call(keeps);
    CHECK_EQUAL(fegetround(), keeps ? FE_DOWNWARD : FE_TONEAREST);
    fesetround(FE_TONEAREST);
  }
}

enum { THREADS = 4 };
static atomic_int modes_seen[THREADS];

static armnn_status_t note_rounding(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) {
  (void)begin, (void)end;
  modes_seen[thread_index] = fegetround() + 1;
  if (*(const int*)argument && thread_index != 0) fesetround(FE_DOWNWARD);
  const uint64_t until = armnn_i_now_ns() + 2000000; /* long enough for every thread to come */
  while (armnn_i_now_ns() < until) {
  }
  return ARMNN_STATUS_OK;
}

static void threads_of_a_job_round_as_its_owner(void) {
  static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST};
  armnn_core_set_thread_count(THREADS);
  int changes = 1;
  for (int i = 0; i < 4; ++i) {
    fesetround(modes[i]);
    for (int t = 0; t < THREADS; ++t) modes_seen[t] = 0;
    CHECK_EQUAL(armnn_i_pool_parallel_for(&armnn_i_core.pool, note_rounding, &changes, 16, 1, 0),
                ARMNN_STATUS_OK);
    for (int t = 0; t < THREADS; ++t) {
      CHECK(modes_seen[t] == 0 || modes_seen[t] == modes[i] + 1);
    }
  }
  fesetround(FE_TONEAREST);
  armnn_core_stop_threads();
}

static const test_t tests[] = {
    TEST(a_moved_text_is_put_back),
    TEST(every_step_rounds_as_the_caller),
    TEST(a_noted_call_rounds_as_before),
    TEST(threads_of_a_job_round_as_its_owner),
};
MAIN(tests)
