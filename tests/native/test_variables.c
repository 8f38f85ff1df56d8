/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_variables.c - tensors that stay from run to run, in the arena and in memory of a backend.
 */
#include "device_tensor.h"

enum { PLACE = 64 };

/* next = 10 x value + 1, output = value: read after the other has been written. */
typedef struct counting_t {
  draft_t draft;
  fake_t append, increment;
  uint32_t value, next, output;
} counting_t;

static const int one = 1;

static void draft_counting(counting_t* self) {
  self->append = make_fake(fake_append, NULL);
  self->increment = make_fake(fake_increment, NULL);
  draft_begin(&self->draft, 2 * PLACE + 64);
  self->value = draft_tensor(&self->draft, ARMNN_PLAN_TENSOR_VARIABLE, 4, 0, 4);
  self->next = draft_tensor(&self->draft, ARMNN_PLAN_TENSOR_VARIABLE, 4, PLACE, 4);
  self->output = draft_output(&self->draft, 4);
  draft_variable(&self->draft, self->value, self->next);
  const uint32_t constant = draft_constant(&self->draft, 4, &one);
  draft_step(&self->draft, &self->append, self->value, constant, self->next);
  draft_step(&self->draft, &self->increment, self->value, NONE, self->output);
}

static int read_int(armnn_context_t* context) {
  int value = -1;
  CHECK_EQUAL(armnn_context_read_variable(context, 0, &value, 4, NULL), ARMNN_STATUS_OK);
  return value;
}

static void write_int(armnn_context_t* context, int value) {
  CHECK_EQUAL(armnn_context_write_variable(context, 0, &value, 4, NULL), ARMNN_STATUS_OK);
}

static void readers_see_the_value_from_before(void) {
  counting_t self;
  draft_counting(&self);
  armnn_context_t* context = must_load(&self.draft);
  int result = 0;
  void* outputs[] = {&result};
  armnn_run_t run = make_run(context, NULL, outputs, NULL);
  write_int(context, 7);
  const int expected[] = {7, 71, 711, 7111, 71111};
  for (int i = 0; i < 4; ++i) {
    CHECK_EQUAL(read_int(context), expected[i]);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    CHECK_EQUAL(result, expected[i] + 1);
    CHECK_EQUAL(run.copies, 0);
  }
  CHECK_EQUAL(read_int(context), expected[4]);
  write_int(context, 3);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  CHECK_EQUAL(result, 4);
  CHECK_EQUAL(read_int(context), 31);
  armnn_context_destroy(context);
}

static void a_failed_run_changes_nothing(void) {
  counting_t self;
  draft_counting(&self);
  self.increment.function = fail; /* after the step that writes what comes next */
  armnn_context_t* context = must_load(&self.draft);
  int result = 0;
  void* outputs[] = {&result};
  armnn_run_t run = make_run(context, NULL, outputs, NULL);
  write_int(context, 7);
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_INTERNAL);
    CHECK_EQUAL(read_int(context), 7);
  }
  self.increment.function = fake_increment;
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  CHECK_EQUAL(read_int(context), 71);
  armnn_context_destroy(context);
}

static int32_t stop_if(void* argument) { return *(const int*)argument; }

/* Asks for the interrupt in the middle of the last step, as a kernel does through cancelled(). */
static armnn_status_t asks(fake_t* self, const armnn_execute_args_t* args, armnn_error_t* error) {
  *(int*)self->data = 1;
  armnn_i_ask_interrupt(args->run_id);
  memcpy(args->outputs[0], args->inputs[0], 4);
  (void)error;
  return ARMNN_STATUS_OK;
}

static void an_interrupt_in_the_last_step_changes_nothing(void) {
  counting_t self;
  draft_counting(&self);
  int is_wanted = 0;
  self.increment.function = asks;
  self.increment.data = &is_wanted;
  armnn_context_t* context = must_load(&self.draft);
  int result = 0;
  void* outputs[] = {&result};
  armnn_run_t run = make_run(context, NULL, outputs, NULL);
  write_int(context, 7);
  run.interrupt = stop_if;
  run.interrupt_argument = &is_wanted;
  run.interrupt_interval_ns = 0;
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_CANCELLED);
  CHECK_EQUAL(run.steps_done, 2);
  CHECK_EQUAL(read_int(context), 7);
  run.interrupt = NULL;
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  CHECK_EQUAL(read_int(context), 71);
  armnn_context_destroy(context);
}

static void sub_tensors_move_with_their_places(void) {
  fake_t append = make_fake(fake_append, NULL);
  draft_t draft;
  draft_begin(&draft, 2 * PLACE);
  const uint32_t value = draft_tensor(&draft, ARMNN_PLAN_TENSOR_VARIABLE, 8, 0, 4);
  const uint32_t next = draft_tensor(&draft, ARMNN_PLAN_TENSOR_VARIABLE, 8, PLACE, 4);
  const uint32_t output = draft_output(&draft, 8);
  uint32_t parts[4];
  for (uint32_t i = 0; i < 4; ++i) {
    parts[i] = draft_tensor(&draft, ARMNN_PLAN_TENSOR_PART, 4, i % 2 == 0 ? 0 : 4, 4);
    draft.tensors[parts[i]].index = i < 2 ? value : next;
  }
  draft_variable(&draft, value, next);
  draft_step(&draft, NULL, parts[1], NONE, parts[2]); /* the halves change places */
  draft_step(&draft, &append, parts[0], draft_constant(&draft, 4, &one), parts[3]);
  draft_step(&draft, NULL, value, NONE, output);
  armnn_context_t* context = must_load(&draft);
  int state[2] = {2, 3}, result[2];
  void* outputs[] = {result};
  armnn_run_t run = make_run(context, NULL, outputs, NULL);
  CHECK_EQUAL(armnn_context_write_variable(context, 0, state, 8, NULL), ARMNN_STATUS_OK);
  for (int i = 0; i < 5; ++i) {
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    CHECK(memcmp(result, state, sizeof state) == 0);
    const int first = state[0];
    state[0] = state[1];
    state[1] = 10 * first + 1;
    CHECK_EQUAL(armnn_context_read_variable(context, 0, result, 8, NULL), ARMNN_STATUS_OK);
    CHECK(memcmp(result, state, sizeof state) == 0);
  }
  armnn_context_destroy(context);
}

static void handles_change_places(void) {
  fake_t device = make_fake(on_device, NULL);
  device_tensor_t tensors[2];
  armnn_tensor_handle_t* handles[2] = {&tensors[0].base, &tensors[1].base};
  memset(tensors, 0, sizeof tensors);
  tensors[0].base.api = tensors[1].base.api = &copying_api;
  draft_t draft;
  draft_begin(&draft, 0);
  draft.spec.handle_count = 2;
  const uint32_t value = draft_tensor(&draft, ARMNN_PLAN_TENSOR_HANDLE, SIZE, 0, 1);
  const uint32_t next = draft_tensor(&draft, ARMNN_PLAN_TENSOR_HANDLE, SIZE, 0, 1);
  draft.tensors[next].index = 1;
  const uint32_t output = draft_output(&draft, SIZE);
  draft_variable(&draft, value, next);
  draft_step(&draft, &device, value, NONE, next);
  draft_step(&draft, NULL, value, NONE, output);
  armnn_plan_t* plan = must_plan(&draft);
  armnn_context_t* context = NULL;
  CHECK_EQUAL(armnn_context_create(plan, NULL, handles, &context, NULL), ARMNN_STATUS_OK);
  armnn_plan_destroy(plan);
  int state[COUNT] = {5, 6, 7, 8}, result[COUNT];
  void* outputs[] = {result};
  text_error_t error;
  armnn_run_t run = make_run(context, NULL, outputs, &error);
  CHECK_EQUAL(armnn_context_write_variable(context, 0, state, SIZE, NULL), ARMNN_STATUS_OK);
  CHECK_EQUAL(tensors[0].copies_in, 1);
  for (int i = 0; i < 5; ++i) {
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    CHECK_EQUAL(result[3], 8 + i);
    CHECK_EQUAL(armnn_context_read_variable(context, 0, result, SIZE, NULL), ARMNN_STATUS_OK);
    CHECK_EQUAL(result[0], 6 + i);
  }
  CHECK_EQUAL(tensors[0].copies_in + tensors[1].copies_in, 1);
  /* The device has written, the copy to the host fails. */
  tensors[0].answer = tensors[1].answer = ARMNN_STATUS_DEVICE_LOST;
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_DEVICE_LOST);
  CHECK_EQUAL(armnn_context_read_variable(context, 0, result, SIZE, clear_error(&error)),
              ARMNN_STATUS_DEVICE_LOST);
  CHECK_TEXT(error.text, "copy_out_to: DEVICE_LOST");
  tensors[0].answer = tensors[1].answer = ARMNN_STATUS_OK;
  CHECK_EQUAL(armnn_context_read_variable(context, 0, result, SIZE, NULL), ARMNN_STATUS_OK);
  CHECK_EQUAL(result[0], 10);
  armnn_context_destroy(context);
}

static armnn_status_t reads_itself(fake_t* self, const armnn_execute_args_t* args,
                                   armnn_error_t* error) {
  armnn_context_t* context = (armnn_context_t*)self->data;
  int value;
  text_error_t words;
  CHECK(armnn_context_is_running(context));
  CHECK_EQUAL(armnn_context_read_variable(context, 0, &value, 4, clear_error(&words)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(words.text, "the context is running");
  memcpy(args->outputs[0], args->inputs[0], 4);
  (void)error;
  return ARMNN_STATUS_OK;
}

static void variables_are_read_between_runs_only(void) {
  counting_t self;
  text_error_t error;
  int value = 0;
  draft_counting(&self);
  armnn_context_t* context = must_load(&self.draft);
  self.increment.function = reads_itself;
  self.increment.data = context;
  void* outputs[] = {&value};
  armnn_run_t run = make_run(context, NULL, outputs, NULL);
  write_int(context, 2);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  CHECK(!armnn_context_is_running(context));
  CHECK_EQUAL(armnn_context_read_variable(context, 1, &value, 4, clear_error(&error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, "no variable 1");
  CHECK_EQUAL(armnn_context_write_variable(context, 0, &value, 8, clear_error(&error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, "variable 0 has 4 bytes, 8 given");
  CHECK_EQUAL(armnn_context_write_variable(context, 0, NULL, 4, NULL),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(armnn_context_read_variable(NULL, 0, &value, 4, NULL), ARMNN_STATUS_INVALID_ARGUMENT);
  armnn_context_destroy(context);
}

static void bad_variables_are_refused(void) {
  counting_t self;
  draft_t* draft = &self.draft;
#define BAD(change, words)                                                   \
  do {                                                                       \
    text_error_t error;                                                      \
    armnn_plan_t* plan = NULL;                                               \
    draft_counting(&self);                                                   \
    draft->change;                                                           \
    CHECK_EQUAL(armnn_plan_create(&draft->spec, &plan, clear_error(&error)), \
                ARMNN_STATUS_INVALID_ARGUMENT);                              \
    CHECK_TEXT(error.text, words);                                           \
    CHECK(plan == NULL);                                                     \
  } while (0)
  BAD(spec.variables = NULL, "the plan's variables are null");
  BAD(spec.variable_count = 9, "the plan has 9 variables, but only 4 tensors");
  BAD(spec.variable_count = 0, "tensor 0: belongs to no variable");
  BAD(variables[0].value = 4, "variable 0: names tensor 4, but the plan has 4");
  BAD(variables[0].value = 2, "variable 0: tensor 2 is of kind 3, which does not stay");
  BAD(variables[0].next = 0, "variable 0: a tensor of it is a place of a variable already");
  BAD(variables[0].next = NONE, "tensor 1: belongs to no variable");
  BAD(tensors[1].size = 8, "variable 0: its two places differ in kind, size or alignment");
  BAD(tensors[1].alignment = 8, "variable 0: its two places differ in kind, size or alignment");
  BAD(tensors[1].offset = 0, "tensor 1: lies in tensor 0, a place of a variable");
  BAD(tensors[1].offset = 999, "tensor 1: place at offset 999 with 4 bytes does not fit");
  BAD(steps[1].scratch_size = 8, "step 1: its scratch lies in tensor 0, a place of a variable");
  BAD(operands[0][4] = 0, "step 0: writes tensor 0, which is the value of variable 0");
  BAD(operands[0][4] = 2, "variable 0: no step writes what comes next");
#undef BAD
}

static const test_t tests[] = {
    TEST(readers_see_the_value_from_before),
    TEST(a_failed_run_changes_nothing),
    TEST(an_interrupt_in_the_last_step_changes_nothing),
    TEST(sub_tensors_move_with_their_places),
    TEST(handles_change_places),
    TEST(variables_are_read_between_runs_only),
    TEST(bad_variables_are_refused),
};
MAIN(tests)
