/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_moves.c - plans with moves that make no sense, and contexts without their handles.
 */
#include "device_tensor.h"

static void refuse(fixture_t* f, const char* part) {
  armnn_plan_t* plan = NULL;
  CHECK_EQUAL(armnn_plan_create(&f->draft.spec, &plan, clear_error(&f->error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(f->error.text, part);
  CHECK(plan == NULL);
}

/* Two tensors of a plan may be one handle: a map of either is one of both. */
static void draft_other_name(fixture_t* f, uint32_t step, uint32_t operand) {
  const uint32_t alias = draft_tensor(&f->draft, ARMNN_PLAN_TENSOR_HANDLE, SIZE, 0, 1);
  f->draft.operands[step][operand] = alias;
}

/* Reads a part of what is mapped when it is not any more. */
static void draft_late_part(fixture_t* f) {
  const uint32_t part = draft_tensor(&f->draft, ARMNN_PLAN_TENSOR_PART, 4, 0, 4);
  f->draft.tensors[part].index = f->draft.operands[1][4];
  draft_step(&f->draft, NULL, part, NONE, draft_arena(&f->draft, 4, 64));
}

/* Each changes one thing of a plan with an export (or with imports, from IMPORTS on). */
static void bad_plans_are_refused(void) {
  fixture_t f;
#define BAD(draft, change, part)   \
  set_up(&f, &mapping_api), draft; \
  change;                          \
  refuse(&f, part)
  BAD(draft_export(&f, 64), f.draft.tensors[f.a].index = 2, "names handle 2, but the plan has 2");
  BAD(draft_export(&f, 250), , "staging");
  BAD(draft_export(&f, 64), f.draft.tensors[f.a].size = 8, "a copy of 16 bytes to 8");
  BAD(draft_export(&f, 64), f.draft.operands[1][4] = f.b, "a map from a handle to a handle");
  BAD(draft_export(&f, 64), f.draft.operands[3][0] = f.b, "unmaps tensor 1, which is not mapped");
  BAD(draft_export(&f, 64), --f.draft.spec.step_count, "is mapped and never unmapped");
  BAD(draft_export(&f, 64), f.draft.steps[1].kind = ARMNN_PLAN_STEP_COPY, "mapped to be read");
  BAD(draft_export(&f, 64), f.draft.operands[2][4] = f.a, "whose handle is mapped");
  BAD(draft_export(&f, 64), draft_other_name(&f, 2, 4), "whose handle is mapped");
  BAD(draft_across(&f, true), f.draft.steps[1].scratch_size = 8, "with 8 bytes of scratch");
  BAD(draft_copies(&f), f.draft.steps[0].scratch_size = SIZE, "with 16 bytes of scratch");
  BAD(draft_export(&f, 64), f.draft.operands[0][0] = 4, "which is not mapped at that time");
  BAD(draft_export(&f, 64), f.draft.operands[1][0] = NONE, "a map without input");
  BAD(draft_export(&f, 64), draft_late_part(&f), "which is not mapped at that time");
  BAD(draft_imports(&f), f.draft.operands[0][4] = 3, "from host memory to host memory");
  BAD(draft_imports(&f), f.draft.operands[0][0] = f.b, "from a handle");
  BAD(draft_imports(&f), f.draft.steps[1].output_count = 1, "a loan with 0 inputs and 1 outputs");
  BAD(draft_imports(&f), f.draft.operands[1][5] = f.a, "a loan from a handle to a handle");
  BAD(draft_imports(&f), --f.draft.spec.step_count, "output 0 of the run is written by no step");
#undef BAD
}

static void contexts_want_their_handles(void) {
  fixture_t f;
  set_up(&f, &copying_api);
  draft_copies(&f);
  armnn_plan_t* plan = must_plan(&f.draft);
  CHECK_EQUAL(armnn_context_create(plan, NULL, NULL, &f.context, clear_error(&f.error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(f.error.text, "the plan wants 2 tensor handles, none are given");
  f.handles[1] = NULL;
  CHECK_EQUAL(armnn_context_create(plan, NULL, f.handles, &f.context, clear_error(&f.error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(f.error.text, "tensor handle 1 is not valid");
  armnn_plan_destroy(plan);
}

static const test_t tests[] = {
    TEST(bad_plans_are_refused),
    TEST(contexts_want_their_handles),
};
MAIN(tests)
