/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_repeat.c - loops over one context: values handed on, slices, values of all turns, ends.
 */
#include "fake.h"

/* Two inputs and two outputs of one int: the first output is 10 a + b, the second that plus 1. */
static armnn_context_t* two_steps(fake_t* append, fake_t* increment) {
  draft_t draft;
  draft_begin(&draft, 0);
  const uint32_t a = draft_input(&draft, 4), b = draft_input(&draft, 4);
  const uint32_t next = draft_output(&draft, 4), seen = draft_output(&draft, 4);
  draft_step(&draft, append, a, b, next);
  draft_step(&draft, increment, next, NONE, seen);
  return must_load(&draft);
}

static armnn_repeat_t make_repeat(armnn_run_t* run, const void** inputs, void** outputs,
                                  const int64_t* strides, uint64_t most) {
  armnn_repeat_t repeat;
  memset(&repeat, 0, sizeof repeat);
  repeat.header.struct_size = sizeof repeat;
  repeat.header.struct_type = ARMNN_STRUCT_REPEAT;
  repeat.run = run;
  repeat.inputs = inputs;
  repeat.outputs = outputs;
  repeat.strides = strides;
  repeat.goes_on = NONE;
  repeat.most = most;
  return repeat;
}

static void values_are_handed_on(void) {
  fake_t append = make_fake(fake_append, NULL), increment = make_fake(fake_increment, NULL);
  armnn_context_t* context = two_steps(&append, &increment);
  int start = 7, digits[] = {1, 2, 3, 4, 5}, buffers[2] = {0, 0}, all[5] = {0};
  const void* inputs[] = {&start, digits};
  void* outputs[] = {&buffers[0], all};
  const int64_t strides[] = {0, 4, 0, 4};
  armnn_carry_t carry = {0, 0, &buffers[1]};
  text_error_t error;
  armnn_run_t run = make_run(context, inputs, outputs, &error);
  armnn_repeat_t repeat = make_repeat(&run, inputs, outputs, strides, 5);
  repeat.carries = &carry;
  repeat.carry_count = 1;
  int64_t counter = 0;
  repeat.counter = &counter;
  CHECK_EQUAL(armnn_context_repeat(&repeat), ARMNN_STATUS_OK);
  CHECK_EQUAL(start, 7);
  CHECK_EQUAL(buffers[0], 712345); /* of turns 0, 2 and 4 */
  CHECK_EQUAL(buffers[1], 71234);
  const int expected[] = {72, 713, 7124, 71235, 712346};
  for (int i = 0; i < 5; ++i) CHECK_EQUAL(all[i], expected[i]);
  CHECK_EQUAL(repeat.turns, 5);
  CHECK_EQUAL(repeat.is_ended, 0);
  CHECK_EQUAL(counter, 5);
  armnn_context_destroy(context);
}

/* Backwards, and without a second buffer: the value is handed on where all of them are kept. */
static void values_lie_where_all_are_kept(void) {
  fake_t append = make_fake(fake_append, NULL), increment = make_fake(fake_increment, NULL);
  armnn_context_t* context = two_steps(&append, &increment);
  int start = 0, digits[] = {1, 2, 3}, all[3] = {0}, seen = 0;
  const void* inputs[] = {&start, &digits[2]};
  void* outputs[] = {&all[2], &seen};
  const int64_t strides[] = {0, -4, -4, 0};
  armnn_carry_t carry = {0, 0, NULL};
  armnn_run_t run = make_run(context, inputs, outputs, NULL);
  armnn_repeat_t repeat = make_repeat(&run, inputs, outputs, strides, 2);
  repeat.carries = &carry;
  repeat.carry_count = 1;
  CHECK_EQUAL(armnn_context_repeat(&repeat), ARMNN_STATUS_OK);
  CHECK_EQUAL(repeat.turns, 2);
  repeat.most = 3; /* goes on where it was */
  CHECK_EQUAL(armnn_context_repeat(&repeat), ARMNN_STATUS_OK);
  CHECK_EQUAL(all[2], 3);
  CHECK_EQUAL(all[1], 32);
  CHECK_EQUAL(all[0], 321);
  CHECK_EQUAL(seen, 322);
  armnn_context_destroy(context);
}

/* output = input - 1 */
static armnn_status_t decrement(fake_t* self, const armnn_execute_args_t* args,
                                armnn_error_t* error) {
  (void)self;
  (void)error;
  int value;
  memcpy(&value, args->inputs[0], 4);
  --value;
  memcpy(args->outputs[0], &value, 4);
  return ARMNN_STATUS_OK;
}

static void a_condition_or_a_pause_ends_it(void) {
  fake_t fake = make_fake(decrement, NULL);
  draft_t draft;
  draft_begin(&draft, 0);
  const uint32_t in = draft_input(&draft, 4), out = draft_output(&draft, 4);
  draft_step(&draft, &fake, in, NONE, out);
  armnn_context_t* context = must_load(&draft);
  int start = 100, buffers[2];
  const void* inputs[] = {&start};
  void* outputs[] = {&buffers[0]};
  const int64_t strides[] = {0, 0};
  armnn_carry_t carry = {0, 0, &buffers[1]};
  armnn_run_t run = make_run(context, inputs, outputs, NULL);
  armnn_repeat_t repeat = make_repeat(&run, inputs, outputs, strides, UINT64_MAX);
  repeat.carries = &carry;
  repeat.carry_count = 1;
  repeat.goes_on = 0; /* its first byte */
  repeat.pause_ns = 1;
  uint64_t calls = 0;
  do {
    CHECK_EQUAL(armnn_context_repeat(&repeat), ARMNN_STATUS_OK);
    ++calls;
  } while (!repeat.is_ended && calls < 1000);
  CHECK(calls > 1);
  CHECK_EQUAL(repeat.turns, 100);
  CHECK_EQUAL(buffers[1], 0);
  armnn_context_destroy(context);
}

static void wrong_loops_are_refused(void) {
  fake_t append = make_fake(fake_append, NULL), increment = make_fake(fake_increment, NULL);
  armnn_context_t* context = two_steps(&append, &increment);
  int a = 1, b = 2, c = 0, d = 0;
  const void* inputs[] = {&a, &b};
  void* outputs[] = {&c, &d};
  const int64_t strides[] = {0, 0, 0, 0};
  text_error_t error;
  armnn_run_t run = make_run(context, inputs, outputs, &error);
  armnn_repeat_t repeat = make_repeat(&run, inputs, outputs, strides, 3);
  armnn_carry_t carry = {2, 0, NULL};
  repeat.carries = &carry;
  repeat.carry_count = 1;
  CHECK_EQUAL(armnn_context_repeat(&repeat), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK(strstr(error.text, "from output 0 to input 2") != NULL);
  carry = (armnn_carry_t){0, 2, NULL};
  CHECK_EQUAL(armnn_context_repeat(&repeat), ARMNN_STATUS_INVALID_ARGUMENT);
  carry = (armnn_carry_t){0, 0, NULL};
  repeat.goes_on = 2;
  CHECK_EQUAL(armnn_context_repeat(&repeat), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK(strstr(error.text, "is output 2") != NULL);
  repeat.goes_on = NONE;
  repeat.header.struct_type = ARMNN_STRUCT_RUN;
  CHECK_EQUAL(armnn_context_repeat(&repeat), ARMNN_STATUS_INVALID_ARGUMENT);
  repeat.header.struct_type = ARMNN_STRUCT_REPEAT;
  run.context = NULL;
  CHECK_EQUAL(armnn_context_repeat(&repeat), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(repeat.turns, 0);
  CHECK_EQUAL(armnn_context_repeat(NULL), ARMNN_STATUS_INVALID_ARGUMENT);
  armnn_context_destroy(context);
}

static const test_t tests[] = {
    TEST(values_are_handed_on),
    TEST(values_lie_where_all_are_kept),
    TEST(a_condition_or_a_pause_ends_it),
    TEST(wrong_loops_are_refused),
};
MAIN(tests)
