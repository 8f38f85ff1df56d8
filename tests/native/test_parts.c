/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_parts.c - tensors that lie in buffers of the caller.
 */
#include "fake.h"

static const int one = 1;

/* The first half of the input, and a 1 behind it, goes to the second half of the output, the other
 * half to the first. */
static void parts_lie_where_the_caller_says(void) {
  fake_t append = make_fake(fake_append, NULL);
  draft_t draft;
  draft_begin(&draft, 128);
  const uint32_t in = draft_tensor(&draft, ARMNN_PLAN_TENSOR_INPUT, 8, 0, 4);
  const uint32_t out = draft_tensor(&draft, ARMNN_PLAN_TENSOR_OUTPUT, 8, 64, 4);
  uint32_t parts[4];
  for (uint32_t i = 0; i < 4; ++i) {
    parts[i] = draft_tensor(&draft, ARMNN_PLAN_TENSOR_PART, 4, i % 2 == 0 ? 0 : 4, 4);
    draft.tensors[parts[i]].index = i < 2 ? in : out;
  }
  draft_step(&draft, &append, parts[0], draft_constant(&draft, 4, &one), parts[3]);
  draft_step(&draft, NULL, parts[1], NONE, parts[2]);
  armnn_context_t* context = must_load(&draft);
  _Alignas(64) unsigned char buffers[2][64];
  for (int round = 0; round < 16; ++round) { /* aligned, and not, so that it is staged */
    int values[2] = {round, round + 1}, results[2];
    unsigned char* x = buffers[0] + round % 4;
    unsigned char* y = buffers[1] + round / 2;
    memcpy(x, values, sizeof values);
    const void* inputs[] = {x};
    void* outputs[] = {y};
    armnn_run_t run = make_run(context, inputs, outputs, NULL);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    CHECK_EQUAL(run.copies, 1 + (round % 4 != 0) + (round / 2 % 4 != 0));
    memcpy(results, y, sizeof results);
    CHECK_EQUAL(results[0], round + 1);
    CHECK_EQUAL(results[1], round * 10 + 1);
  }
  armnn_context_destroy(context);
}

static void bad_parts_are_refused(void) {
  fake_t append = make_fake(fake_append, NULL);
  draft_t draft;
  uint32_t in = 0, out = 0, hidden = 0, part = 0, written = 0;
#define BAD(change, words)                                                  \
  do {                                                                      \
    text_error_t error;                                                     \
    armnn_plan_t* plan = NULL;                                              \
    draft_begin(&draft, 192);                                               \
    in = draft_tensor(&draft, ARMNN_PLAN_TENSOR_INPUT, 8, 0, 4);            \
    out = draft_tensor(&draft, ARMNN_PLAN_TENSOR_OUTPUT, 4, 64, 4);         \
    hidden = draft_arena(&draft, 4, 128);                                   \
    part = draft_tensor(&draft, ARMNN_PLAN_TENSOR_PART, 4, 4, 4);           \
    written = draft_tensor(&draft, ARMNN_PLAN_TENSOR_PART, 4, 0, 4);        \
    draft.tensors[part].index = in;                                         \
    draft.tensors[written].index = out;                                     \
    draft_step(&draft, &append, part, hidden, written);                     \
    armnn_plan_destroy(must_plan(&draft));                                  \
    draft.change;                                                           \
    CHECK_EQUAL(armnn_plan_create(&draft.spec, &plan, clear_error(&error)), \
                ARMNN_STATUS_INVALID_ARGUMENT);                             \
    CHECK_TEXT(error.text, words);                                          \
    CHECK(plan == NULL);                                                    \
  } while (0)
  BAD(tensors[part].index = 9, "tensor 3: is a part of tensor 9, but the plan has 5");
  BAD(tensors[part].index = hidden, "tensor 3: is a part of tensor 2, which is neither");
  BAD(tensors[part].index = part, "tensor 3: is a part of tensor 3, which is neither");
  BAD(tensors[part].offset = 8, "tensor 3: a part at 8 with 4 bytes does not fit the 8");
  BAD(tensors[part].offset = UINT64_MAX - 3, "tensor 3: a part at 18446744073709551612");
  BAD(tensors[part].size = 5, "tensor 3: a part at 4 with 5 bytes does not fit the 8");
  BAD(tensors[part].alignment = 8, "tensor 3: a part at 4 of tensor 0 is not a multiple");
  BAD(tensors[in].alignment = 2, "tensor 3: a part at 4 of tensor 0 is not a multiple");
  BAD(operands[0][4] = part, "output 0 names tensor 3, which is an input of the run");
  BAD(operands[0][4] = hidden, "output 0 of the run is written by no step");
  BAD(steps[0].scratch_size = 8, "input 0 (tensor 3) and the scratch overlap");
#undef BAD
}

static const test_t tests[] = {
    TEST(parts_lie_where_the_caller_says),
    TEST(bad_parts_are_refused),
};
MAIN(tests)
