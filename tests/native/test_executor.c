/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_executor.c - order, addresses, staging, and contexts in several threads.
 */
#include "fake.h"

static const int one = 1, two = 2, three = 3;

/* ---- Results ------------------------------------------------------------------------------- */

static void steps_run_in_order(void) {
  fake_t append = make_fake(fake_append, NULL);
  draft_t draft;
  draft_begin(&draft, 128);
  const uint32_t in = draft_input(&draft, 4), out = draft_output(&draft, 4);
  const uint32_t a = draft_arena(&draft, 4, 0), b = draft_arena(&draft, 4, 64);
  draft_step(&draft, &append, in, draft_constant(&draft, 4, &one), a);
  draft_step(&draft, &append, a, draft_constant(&draft, 4, &two), b);
  draft_step(&draft, NULL, b, NONE, a);
  draft_step(&draft, &append, a, draft_constant(&draft, 4, &three), out);
  armnn_context_t* context = must_load(&draft);
  int input = 9, output = 0;
  const void* inputs[] = {&input};
  void* outputs[] = {&output};
  text_error_t error;
  armnn_run_t run = make_run(context, inputs, outputs, &error);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  CHECK_EQUAL(output, 9123);
  CHECK_EQUAL(run.steps_done, 4);
  CHECK_EQUAL(run.failed_step, NONE);
  CHECK(run.run_id != 0);
  CHECK_EQUAL(error.text[0], '\0');
  armnn_context_destroy(context);
}

/* New addresses, the same again, and an output that a later step reads. */
static void addresses_follow_the_caller(void) {
  fake_t append = make_fake(fake_append, NULL), increment = make_fake(fake_increment, NULL);
  draft_t draft;
  draft_begin(&draft, 0);
  const uint32_t x = draft_input(&draft, 4), y = draft_input(&draft, 4);
  const uint32_t p = draft_output(&draft, 4), q = draft_output(&draft, 4);
  draft_step(&draft, &append, x, y, p);
  draft_step(&draft, &increment, p, NONE, q);
  armnn_context_t* context = must_load(&draft);
  int in[8], out[8];
  uint64_t seed = 1;
  for (int round = 0; round < 200; ++round) {
    int* a = &in[random_below(&seed, 8)];
    int* b = &in[random_below(&seed, 8)];
    int* c = &out[random_below(&seed, 4)];
    int* d = &out[4 + random_below(&seed, 4)];
    *a = round;
    *b = round + 3;
    const int expected = *a * 10 + *b;
    const void* inputs[] = {a, b};
    void* outputs[] = {c, d};
    armnn_run_t run = make_run(context, inputs, outputs, NULL);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    CHECK_EQUAL(*c, expected);
    CHECK_EQUAL(*d, expected + 1);
  }
  armnn_context_destroy(context);
}

typedef struct seen_t {
  const void* input;
  const void* output;
} seen_t;

static armnn_status_t record_addresses(fake_t* self, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  (void)error;
  seen_t* seen = (seen_t*)self->data;
  seen->input = args->inputs[0];
  seen->output = args->outputs[0];
  memcpy(args->outputs[0], args->inputs[0], 8);
  return ARMNN_STATUS_OK;
}

static void misaligned_addresses_are_staged(void) {
  seen_t seen;
  fake_t fake = make_fake(record_addresses, &seen);
  fake.needs.tensor_alignment = 64;
  draft_t draft;
  draft_begin(&draft, 256);
  const uint32_t in = draft_tensor(&draft, ARMNN_PLAN_TENSOR_INPUT, 8, 64, 64);
  const uint32_t out = draft_tensor(&draft, ARMNN_PLAN_TENSOR_OUTPUT, 8, 192, 64);
  draft_step(&draft, &fake, in, NONE, out);
  armnn_context_t* context = must_load(&draft);
  _Alignas(64) char source[160];
  _Alignas(64) char target[160];
  for (int shift_in = 0; shift_in <= 64; shift_in += 4) {
    for (int shift_out = 0; shift_out <= 64; shift_out += 16) {
      for (int again = 0; again < 2; ++again) { /* the second time with the same addresses */
        memset(source, '-', sizeof source);
        memset(target, '.', sizeof target);
        memcpy(source + shift_in, again ? "ABCDEFGH" : "abcdefgh", 8);
        const void* inputs[] = {source + shift_in};
        void* outputs[] = {target + shift_out};
        armnn_run_t run = make_run(context, inputs, outputs, NULL);
        CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
        CHECK_EQUAL((uintptr_t)seen.input % 64, 0);
        CHECK_EQUAL((uintptr_t)seen.output % 64, 0);
        CHECK_EQUAL(seen.input == source + shift_in, shift_in % 64 == 0);
        CHECK_EQUAL(seen.output == target + shift_out, shift_out % 64 == 0);
        CHECK(memcmp(target + shift_out, source + shift_in, 8) == 0);
        for (int i = 0; i < 160; ++i) {
          CHECK((i >= shift_out && i < shift_out + 8) || target[i] == '.');
        }
      }
    }
  }
  armnn_context_destroy(context);
}

static armnn_status_t write_and_fail(fake_t* self, const armnn_execute_args_t* args,
                                     armnn_error_t* error) {
  (void)self;
  memset(args->outputs[0], 'x', 8);
  return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "no");
}

static void staged_outputs_stay_behind_on_failure(void) {
  fake_t fake = make_fake(write_and_fail, NULL);
  draft_t draft;
  draft_begin(&draft, 64);
  const uint32_t in = draft_input(&draft, 8);
  const uint32_t out = draft_tensor(&draft, ARMNN_PLAN_TENSOR_OUTPUT, 8, 0, 64);
  draft_step(&draft, &fake, in, NONE, out);
  armnn_context_t* context = must_load(&draft);
  _Alignas(64) char target[16] = "..............";
  const void* inputs[] = {target};
  void* outputs[] = {target + 4};
  armnn_run_t run = make_run(context, inputs, outputs, NULL);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_INTERNAL);
  CHECK(strcmp(target, "..............") == 0);
  armnn_context_destroy(context);
}

static armnn_status_t expect_addresses(fake_t* self, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  (void)error;
  ++*(int*)self->data;
  CHECK(args->inputs[0] != NULL); /* empty, but there */
  CHECK(args->inputs[1] == NULL); /* absent */
  CHECK(args->outputs[0] != NULL);
  return ARMNN_STATUS_OK;
}

static void empty_tensors_need_no_address(void) {
  int calls = 0;
  fake_t fake = make_fake(expect_addresses, &calls);
  draft_t draft;
  draft_begin(&draft, 0);
  const uint32_t in = draft_input(&draft, 0), out = draft_output(&draft, 0);
  draft_step(&draft, &fake, in, 0, out);
  draft.operands[0][1] = NONE;
  armnn_context_t* context = must_load(&draft);
  const void* inputs[] = {NULL};
  void* outputs[] = {NULL};
  armnn_run_t run = make_run(context, inputs, outputs, NULL);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  CHECK_EQUAL(calls, 1);
  armnn_context_destroy(context);
}

/* ---- Arguments of a step ------------------------------------------------------------------- */

static armnn_status_t expect_arguments(fake_t* self, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  CHECK(error != NULL);
  CHECK_EQUAL(args->header.struct_size, sizeof *args);
  CHECK_EQUAL(args->header.struct_type, ARMNN_STRUCT_EXECUTE_ARGS);
  CHECK_EQUAL(args->scratch_size, 100);
  CHECK_EQUAL((uintptr_t)args->scratch % 128, 0);
  memset(args->scratch, 0x5a, 100); /* a sanitizer knows whether it is ours */
  CHECK(args->input_handles == NULL && args->output_handles == NULL);
  CHECK(args->execution_data == self->data);
  memcpy(args->outputs[0], &args->run_id, 8);
  return ARMNN_STATUS_OK;
}

static void steps_get_what_they_asked_for(void) {
  int queue_a = 0, queue_b = 0;
  fake_t fake = make_fake(expect_arguments, &queue_b);
  fake.needs.scratch_size = 100;
  fake.needs.scratch_alignment = 128;
  draft_t draft;
  draft_begin(&draft, 256);
  const uint32_t in = draft_input(&draft, 4), out = draft_output(&draft, 8);
  armnn_plan_step_t* step = draft_step(&draft, &fake, in, NONE, out);
  step->scratch_offset = 128;
  step->scratch_size = 100;
  step->execution_data_index = 1;
  draft.spec.execution_data_count = 2;
  armnn_plan_t* plan = must_plan(&draft);
  void* data[] = {&queue_a, &queue_b};
  armnn_context_t* context = must_context(plan, data);
  uint64_t seen = 0, before = 0;
  const void* inputs[] = {&queue_a};
  void* outputs[] = {&seen};
  for (int i = 0; i < 3; ++i) {
    armnn_run_t run = make_run(context, inputs, outputs, NULL);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    CHECK(run.run_id == seen && seen != before); /* each run has an id of its own */
    before = seen;
  }
  armnn_context_destroy(context);
  armnn_plan_destroy(plan);
}

/* ---- Several threads ----------------------------------------------------------------------- */

typedef struct runner_t {
  armnn_plan_t* plan;
  int start;
} runner_t;

static void* run_many(void* data) {
  const runner_t* self = (const runner_t*)data;
  armnn_context_t* context = must_context(self->plan, NULL);
  int input[64], output[64];
  const void* inputs[] = {input};
  void* outputs[] = {output};
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 64; ++i) input[i] = self->start + round + i;
    armnn_run_t run = make_run(context, inputs, outputs, NULL);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    for (int i = 0; i < 64; ++i) CHECK_EQUAL(output[i], self->start + round + i + 3);
  }
  armnn_context_destroy(context);
  return NULL;
}

static void threads_share_a_plan(void) {
  int count = 64;
  fake_t fake = make_fake(fake_increment, &count);
  draft_t draft;
  draft_begin(&draft, 512);
  const uint32_t in = draft_input(&draft, 256), out = draft_output(&draft, 256);
  const uint32_t a = draft_arena(&draft, 256, 0), b = draft_arena(&draft, 256, 256);
  draft_step(&draft, &fake, in, NONE, a);
  draft_step(&draft, &fake, a, NONE, b);
  draft_step(&draft, &fake, b, NONE, out);
  armnn_plan_t* plan = must_plan(&draft);
  runner_t runners[6];
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) {
    runners[i] = (runner_t){plan, i * 1000000};
    CHECK_EQUAL(pthread_create(&threads[i], NULL, run_many, &runners[i]), 0);
  }
  for (int i = 0; i < 6; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  armnn_plan_destroy(plan);
}

static const test_t tests[] = {
    TEST(steps_run_in_order),
    TEST(addresses_follow_the_caller),
    TEST(misaligned_addresses_are_staged),
    TEST(staged_outputs_stay_behind_on_failure),
    TEST(empty_tensors_need_no_address),
    TEST(steps_get_what_they_asked_for),
    TEST(threads_share_a_plan),
};
MAIN(tests)
