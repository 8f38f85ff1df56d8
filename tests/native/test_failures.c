/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_failures.c - what a run says when a step fails, and calls that are refused.
 */
#define _GNU_SOURCE /* strnlen */
#include "fake.h"

/* ---- Steps that fail ----------------------------------------------------------------------- */

typedef struct answer_t {
  armnn_status_t status;
  const char* text;
  int calls;
  bool is_careless; /* writes the text and nothing else of the error, nor its closing zero */
} answer_t;

static armnn_status_t answer(fake_t* self, const armnn_execute_args_t* args, armnn_error_t* error) {
  (void)args;
  answer_t* what = (answer_t*)self->data;
  ++what->calls;
  if (what->text != NULL && what->is_careless) {
    memcpy(error->text, what->text, strnlen(what->text, (size_t)error->capacity));
  } else if (what->text != NULL) {
    armnn_i_fail(error, what->status, "%s", what->text);
  }
  return what->status;
}

static armnn_status_t run_answers(answer_t answers[3], text_error_t* error, armnn_run_t* out_run) {
  fake_t fakes[3];
  draft_t draft;
  draft_begin(&draft, 0);
  const uint32_t in = draft_input(&draft, 4), out = draft_output(&draft, 4);
  for (int i = 0; i < 3; ++i) {
    fakes[i] = make_fake(answer, &answers[i]);
    draft_step(&draft, &fakes[i], in, NONE, out);
  }
  armnn_context_t* context = must_load(&draft);
  int value = 0;
  const void* inputs[] = {&value};
  void* outputs[] = {&value};
  *out_run = make_run(context, inputs, outputs, error);
  const armnn_status_t status = armnn_context_run(out_run);
  armnn_context_destroy(context);
  return status;
}

static void the_first_failure_stops_the_run(void) {
  text_error_t error;
  armnn_run_t run;
  answer_t answers[3] = {{0}, {ARMNN_STATUS_DEVICE_LOST, "queue 3 hangs", 0, false}, {0}};
  CHECK_EQUAL(run_answers(answers, &error, &run), ARMNN_STATUS_DEVICE_LOST);
  CHECK(strcmp(error.text, "queue 3 hangs") == 0); /* the workload's words, untouched */
  CHECK_EQUAL(error.error.code, ARMNN_STATUS_DEVICE_LOST);
  CHECK_EQUAL(error.error.needed, sizeof "queue 3 hangs");
  CHECK_EQUAL(run.failed_step, 1);
  CHECK_EQUAL(run.steps_done, 1);
  CHECK(answers[0].calls == 1 && answers[1].calls == 1 && answers[2].calls == 0);
}

static void silent_failures_get_a_text(void) {
  text_error_t error;
  armnn_run_t run;
  answer_t answers[3] = {
      {0, "a note of a step that succeeds", 0, false}, {0}, {-8, NULL, 0, false}};
  CHECK_EQUAL(run_answers(answers, &error, &run), ARMNN_STATUS_INTERNAL);
  CHECK_TEXT(error.text, "step 2 failed with status -8 (INTERNAL) and gave no message");
  answers[1].status = 12345; /* neither an error nor an answer that we know */
  CHECK_EQUAL(run_answers(answers, &error, &run), 12345);
  CHECK_TEXT(error.text, "step 1 failed with status 12345 (of an unknown kind)");
  answers[0].status = ARMNN_STATUS_UNSUPPORTED; /* an answer, but not to execute */
  CHECK_EQUAL(run_answers(answers, &error, &run), ARMNN_STATUS_UNSUPPORTED);
  CHECK_EQUAL(run.failed_step, 0);
  CHECK_EQUAL(run_answers(answers, NULL, &run), ARMNN_STATUS_UNSUPPORTED);
}

static void notes_of_success_do_not_remain(void) {
  text_error_t error;
  armnn_run_t run;
  answer_t answers[3] = {{0, "a note", 0, false}, {0}, {0, "another note", 0, false}};
  CHECK_EQUAL(run_answers(answers, &error, &run), ARMNN_STATUS_OK);
  CHECK_EQUAL(error.text[0], '\0');
  CHECK_EQUAL(error.error.needed, 0);
}

/* A text without its length is believed when the step fails, so it must go when the step does not.
 */
static void careless_notes_of_success_do_not_remain(void) {
  text_error_t error;
  armnn_run_t run;
  answer_t answers[3] = {{0, "a careless note", 0, true}, {-8, NULL, 0, false}, {0}};
  CHECK_EQUAL(run_answers(answers, &error, &run), ARMNN_STATUS_INTERNAL);
  CHECK_TEXT(error.text, "step 1 failed with status -8 (INTERNAL) and gave no message");
  CHECK_EQUAL(run.failed_step, 1);
  answers[0].status = -8;
  CHECK_EQUAL(run_answers(answers, &error, &run), ARMNN_STATUS_INTERNAL);
  CHECK(strcmp(error.text, "a careless note") == 0);
  answers[0].status = answers[1].status = 0;
  CHECK_EQUAL(run_answers(answers, &error, &run), ARMNN_STATUS_OK);
  CHECK_EQUAL(error.text[0], '\0');
}

static armnn_status_t leave_codes(fake_t* self, const armnn_execute_args_t* args,
                                  armnn_error_t* error) {
  (void)self, (void)args;
  error->vendor_code = 77;
  error->code = ARMNN_STATUS_DEVICE_LOST;
  return ARMNN_STATUS_OK;
}

static void codes_of_success_do_not_remain(void) {
  answer_t silent = {.status = ARMNN_STATUS_INTERNAL};
  for (int failures = 0; failures < 2; ++failures) {
    fake_t fakes[2] = {make_fake(leave_codes, NULL), make_fake(answer, &silent)};
    draft_t draft;
    draft_begin(&draft, 0);
    const uint32_t in = draft_input(&draft, 4), out = draft_output(&draft, 4);
    for (int i = 0; i <= failures; ++i) draft_step(&draft, &fakes[i], in, NONE, out);
    armnn_context_t* context = must_load(&draft);
    int value = 0;
    const void* inputs[] = {&value};
    void* outputs[] = {&value};
    text_error_t error;
    armnn_run_t run = make_run(context, inputs, outputs, &error);
    const armnn_status_t expected = failures == 0 ? ARMNN_STATUS_OK : ARMNN_STATUS_INTERNAL;
    CHECK_EQUAL(armnn_context_run(&run), expected);
    CHECK_EQUAL(error.error.code, expected);
    CHECK_EQUAL(error.error.vendor_code, 0);
    armnn_context_destroy(context);
  }
}

/* Whoever wrote the text, a character that does not fit goes as a whole. */
static void long_texts_are_cut_between_characters(void) {
  static const char* const characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\xa6\xbe"};
  char text[1000];
  text_error_t error;
  armnn_run_t run;
  for (size_t size = 2; size <= 4; ++size) {
    for (size_t shift = 0; shift < size; ++shift) {
      memset(text, 'a', sizeof text);
      for (size_t i = shift; i + size < sizeof text; i += size) {
        memcpy(text + i, characters[size - 2], size);
      }
      text[sizeof text - 1] = '\0';
      for (int careless = 0; careless < 2; ++careless) {
        answer_t answers[3] = {{-8, text, 0, careless != 0}, {0}, {0}};
        CHECK_EQUAL(run_answers(answers, &error, &run), ARMNN_STATUS_INTERNAL);
        CHECK_EQUAL(strlen(error.text), shift + (sizeof error.text - 1 - shift) / size * size);
        CHECK(memcmp(error.text, text, strlen(error.text)) == 0);
        if (careless == 0) CHECK_EQUAL(error.error.needed, sizeof text);
      }
    }
  }
}

/* What is not UTF-8 is cut somewhere, inside the buffer. */
static void long_nonsense_is_cut(void) {
  char text[600];
  text_error_t error;
  for (int byte = 0x80; byte <= 0xff; ++byte) {
    memset(text, byte, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    armnn_i_fail(clear_error(&error), ARMNN_STATUS_INTERNAL, "%s", text);
    CHECK(strlen(error.text) >= sizeof error.text - 4);
    for (uint64_t capacity = 0; capacity < 8; ++capacity) {
      armnn_error_t* small = clear_error(&error);
      memset(error.text, 'x', sizeof error.text);
      small->capacity = capacity;
      armnn_i_fail(small, ARMNN_STATUS_INTERNAL, "%s", text);
      CHECK(capacity == 0 || strlen(error.text) < capacity);
      CHECK_EQUAL(error.text[capacity], 'x');
      CHECK_EQUAL(small->needed, sizeof text);
    }
  }
}

static void long_texts_are_cut_and_say_so(void) {
  char text[1000];
  memset(text, 'w', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  text_error_t error;
  armnn_run_t run;
  answer_t answers[3] = {{-8, text, 0, false}, {0}, {0}};
  CHECK_EQUAL(run_answers(answers, &error, &run), ARMNN_STATUS_INTERNAL);
  CHECK_EQUAL(strlen(error.text), sizeof error.text - 1);
  CHECK_EQUAL(error.error.needed, sizeof text);
}

static void bad_calls_are_refused(void) {
  fake_t fake = make_fake(fake_increment, NULL);
  draft_t draft;
  draft_begin(&draft, 0);
  draft_step(&draft, &fake, draft_input(&draft, 4), NONE, draft_output(&draft, 4));
  armnn_context_t* context = must_load(&draft);
  int value = 1;
  const void* inputs[] = {&value};
  void* outputs[] = {&value};
  text_error_t error;
  CHECK_EQUAL(armnn_context_run(NULL), ARMNN_STATUS_INVALID_ARGUMENT);
  armnn_run_t run = make_run(context, inputs, outputs, &error);
  run.header.struct_type = 0;
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_INVALID_ARGUMENT);
  run = make_run(context, inputs, outputs, &error);
  run.header.struct_size = 8;
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_INVALID_ARGUMENT);
#define REFUSED(context, inputs, outputs, part)                        \
  run = make_run(context, inputs, outputs, &error);                    \
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_INVALID_ARGUMENT); \
  CHECK_EQUAL(run.failed_step, NONE);                                  \
  CHECK_TEXT(error.text, part)
  REFUSED(NULL, inputs, outputs, "no context");
  REFUSED(context, NULL, outputs, "list of inputs or outputs is null");
  REFUSED(context, inputs, NULL, "list of inputs or outputs is null");
  const void* no_input[] = {NULL};
  void* no_output[] = {NULL};
  REFUSED(context, no_input, outputs, "input 0 of the run has no address");
  REFUSED(context, inputs, no_output, "output 0 of the run has no address");
#undef REFUSED
  CHECK_EQUAL(value, 1);
  run = make_run(context, inputs, outputs, &error); /* and the context is as good as before */
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  CHECK_EQUAL(value, 2);
  armnn_context_destroy(context);
}

static armnn_status_t run_again(fake_t* self, const armnn_execute_args_t* args,
                                armnn_error_t* error) {
  (void)error;
  text_error_t inner;
  int value = 0;
  const void* inputs[] = {&value};
  void* outputs[] = {&value};
  armnn_run_t run = make_run(*(armnn_context_t**)self->data, inputs, outputs, &inner);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(inner.text, "running already");
  memcpy(args->outputs[0], args->inputs[0], 4);
  return ARMNN_STATUS_OK;
}

static void a_context_runs_once_at_a_time(void) {
  armnn_context_t* context = NULL;
  fake_t fake = make_fake(run_again, &context);
  draft_t draft;
  draft_begin(&draft, 0);
  draft_step(&draft, &fake, draft_input(&draft, 4), NONE, draft_output(&draft, 4));
  context = must_load(&draft);
  int input = 7, output = 0;
  const void* inputs[] = {&input};
  void* outputs[] = {&output};
  armnn_run_t run = make_run(context, inputs, outputs, NULL);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  CHECK_EQUAL(output, 7);
  armnn_context_destroy(context);
}

static const test_t tests[] = {
    TEST(the_first_failure_stops_the_run),
    TEST(silent_failures_get_a_text),
    TEST(notes_of_success_do_not_remain),
    TEST(careless_notes_of_success_do_not_remain),
    TEST(codes_of_success_do_not_remain),
    TEST(long_texts_are_cut_between_characters),
    TEST(long_nonsense_is_cut),
    TEST(long_texts_are_cut_and_say_so),
    TEST(bad_calls_are_refused),
    TEST(a_context_runs_once_at_a_time),
};
MAIN(tests)
