/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_copies.c - copies between memory of the host and memory of backends.
 */
#include "device_tensor.h"

static void copies_go_in_and_out(void) {
  fixture_t f;
  set_up(&f, &copying_api);
  draft_copies(&f);
  load(&f);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    check_result(&f, 1);
    CHECK_EQUAL(f.run.copies, 2);
    CHECK_EQUAL(f.run.copied_bytes, 2 * SIZE);
  }
  CHECK_EQUAL(f.tensors[0].copies_in, 2);
  CHECK_EQUAL(f.tensors[1].copies_out, 2);
  armnn_context_destroy(f.context);
}

static void copies_are_named_in_the_trace(void) {
  fixture_t f;
  armnn_trace_event_t events[8];
  set_up(&f, &copying_api);
  draft_copies(&f);
  load(&f);
  CHECK_EQUAL(armnn_core_trace_start(8), ARMNN_STATUS_OK);
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
  armnn_core_trace_stop();
  CHECK_EQUAL(armnn_core_trace_read(events, 8), 6);
  for (int i = 0; i < 6; i += 3) { /* what was copied, then the step that did it */
    CHECK_EQUAL(events[i].kind, ARMNN_TRACE_EVENT_COPY);
    CHECK_EQUAL(events[i].id, SIZE);
    CHECK_TEXT(events[i].name, "");
  }
  CHECK_TEXT(events[1].name, "MemCopy in");
  CHECK_TEXT(events[4].name, "MemCopy out");
  armnn_context_destroy(f.context);
}

static void without_copies_handles_are_mapped(void) {
  for (int pad = 0; pad < 3; ++pad) {
    fixture_t f;
    set_up(&f, &mapping_api);
    f.tensors[0].pad = pad;
    f.tensors[1].pad = 2 - pad;
    draft_copies(&f);
    load(&f);
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    check_result(&f, 1);
    CHECK_EQUAL(f.tensors[0].memory[2], pad == 0 ? f.value[2] : 0);
    CHECK_EQUAL(f.tensors[0].unmaps, 1);
    CHECK_EQUAL(f.tensors[1].unmaps, 1);
    armnn_context_destroy(f.context);
  }
}

/* All pairs of kinds, dense and padded: with the staging all of them work. */
static void copies_between_backends(void) {
  const armnn_tensor_handle_api_t* const kinds[] = {&copying_api, &mapping_api, &both_api};
  for (int i = 0; i < 9 * 4 * 2; ++i) {
    const int a = i % 3, b = i / 3 % 3, pads = i / 9 % 4;
    const bool staging = i / 36 != 0;
    fixture_t f;
    set_up(&f, kinds[a]);
    f.tensors[1].base.api = kinds[b];
    f.tensors[0].pad = pads & 1;
    f.tensors[1].pad = pads & 2;
    draft_across(&f, staging);
    load(&f);
    const bool a_dense = a != 0 && f.tensors[0].pad == 0;
    const bool b_dense = b != 0 && f.tensors[1].pad == 0;
    for (int round = 0; round < 2; ++round) {
      if (!staging && !a_dense && !b_dense) {
        CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_UNSUPPORTED);
        CHECK_TEXT(f.error.text, "no place for a copy in between");
        CHECK_EQUAL(f.run.failed_step, 1);
      } else {
        CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
        check_result(&f, 0);
        CHECK_EQUAL(f.run.copies, a_dense || b_dense ? 3 : 4);
      }
      for (int t = 0; t < 2; ++t) CHECK_EQUAL(f.tensors[t].maps, f.tensors[t].unmaps);
    }
    armnn_context_destroy(f.context);
  }
}

/* What was seen to be padded is not mapped in vain again. */
static void padded_memory_is_mapped_in_vain_once(void) {
  fixture_t f;
  set_up(&f, &both_api);
  f.tensors[0].pad = f.tensors[1].pad = 1;
  draft_across(&f, true);
  load(&f);
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    CHECK_EQUAL(f.tensors[0].maps, 1);
    CHECK_EQUAL(f.tensors[1].maps, 1);
  }
  armnn_context_destroy(f.context);
}

/* in -copy-> a: strides that lead out of the memory, or elements of one place, are not followed. */
static void strides_that_make_no_sense_are_refused(void) {
  static const uint64_t wrongs[][2] = {
      {1, 1},                   /* all zero */
      {9, 3},                   /* half an element */
      {5, 5},                   /* rows in each other */
      {8, 5},                   /* the same, a little */
      {(1ull << 60) + 1, 5},    /* nowhere */
      {UINT64_MAX, UINT64_MAX}, /* overflows */
  };
  for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; ++i) {
    fixture_t f;
    set_up(&f, &mapping_api);
    draft_copies(&f);
    load(&f);
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    memcpy(f.tensors[0].strides, wrongs[i], sizeof wrongs[i]);
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
    CHECK_TEXT(f.error.text, "get_layout: with these strides");
    CHECK_EQUAL(f.tensors[0].maps, f.tensors[0].unmaps);
    armnn_context_destroy(f.context);
  }
  fixture_t f; /* the columns of a matrix lie behind each other */
  set_up(&f, &mapping_api);
  draft_copies(&f);
  load(&f);
  f.tensors[0].strides[0] = 5, f.tensors[0].strides[1] = 9;
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
  armnn_context_destroy(f.context);
}

static void words_of_a_backend_end_with_their_buffer(void) {
  fixture_t f;
  set_up(&f, &copying_api);
  f.tensors[0].answer = ARMNN_STATUS_INTERNAL;
  f.tensors[0].is_wordy = true;
  draft_copies(&f);
  load(&f);
  char text[2048] = "";
  f.error.error.text = text;
  f.error.error.capacity = sizeof text;
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
  CHECK_EQUAL(strlen(text), strlen("copy_in_from: ") + 511);
  armnn_context_destroy(f.context);
}

static void a_copy_between_backends_says_which_side_failed(void) {
  for (int i = 0; i < 2; ++i) {
    fixture_t f;
    set_up(&f, &both_api);
    draft_across(&f, true);
    load(&f);
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    CHECK_EQUAL(f.run.failed_side, ARMNN_RUN_SIDE_NONE);
    f.tensors[0].good_calls = 1; /* the copy to a */
    f.tensors[i].answer = ARMNN_STATUS_DEVICE_LOST;
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_DEVICE_LOST);
    CHECK_EQUAL(f.run.failed_step, 1);
    CHECK_EQUAL(f.run.failed_side, i == 0 ? ARMNN_RUN_SIDE_SOURCE : ARMNN_RUN_SIDE_TARGET);
    armnn_context_destroy(f.context);
  }
}

static void a_failing_copy_says_who_and_why(void) {
  fixture_t f;
  set_up(&f, &copying_api);
  draft_copies(&f);
  load(&f);
  f.tensors[0].answer = ARMNN_STATUS_DEVICE_LOST;
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_DEVICE_LOST);
  CHECK_EQUAL(f.run.failed_step, 0);
  CHECK_EQUAL(f.run.failed_side, ARMNN_RUN_SIDE_TARGET);
  CHECK_TEXT(f.error.text, "copy_in_from: the bus is wet");
  f.tensors[0].answer = ARMNN_STATUS_OK;
  f.tensors[1].answer = ARMNN_STATUS_INTERNAL;
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
  CHECK_TEXT(f.error.text, "copy_out_to: INTERNAL");
  CHECK_EQUAL(f.run.failed_side, ARMNN_RUN_SIDE_SOURCE);
  f.tensors[0].base.api = &blind_api;
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_UNSUPPORTED);
  CHECK_TEXT(f.error.text, "can neither be copied nor mapped");
  armnn_context_destroy(f.context);
}

static void copies_to_aligned_places_are_counted(void) {
  fixture_t f;
  _Alignas(64) unsigned char buffer[64 + SIZE];
  set_up(&f, &copying_api);
  const uint32_t in = draft_tensor(&f.draft, ARMNN_PLAN_TENSOR_INPUT, SIZE, 0, 64);
  const uint32_t out = draft_tensor(&f.draft, ARMNN_PLAN_TENSOR_OUTPUT, SIZE, 64, 64);
  draft_step(&f.draft, &f.host, in, NONE, out);
  load(&f);
  f.inputs[0] = memcpy(buffer + 4, f.value, SIZE);
  f.outputs[0] = buffer + 36;
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
  CHECK_EQUAL(f.run.copies, 2);
  CHECK_EQUAL(f.run.copied_bytes, 2 * SIZE);
  armnn_context_destroy(f.context);
}

static const test_t tests[] = {
    TEST(copies_go_in_and_out),
    TEST(copies_are_named_in_the_trace),
    TEST(without_copies_handles_are_mapped),
    TEST(copies_between_backends),
    TEST(padded_memory_is_mapped_in_vain_once),
    TEST(strides_that_make_no_sense_are_refused),
    TEST(words_of_a_backend_end_with_their_buffer),
    TEST(a_copy_between_backends_says_which_side_failed),
    TEST(a_failing_copy_says_who_and_why),
    TEST(copies_to_aligned_places_are_counted),
};
MAIN(tests)
