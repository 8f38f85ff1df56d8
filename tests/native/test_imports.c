/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_imports.c - handles that stand for memory of the host, the caller's or the arena.
 */
#include "device_tensor.h"

static void imports_copy_nothing(void) {
  fixture_t f;
  set_up(&f, &copying_api);
  f.tensors[0].imports = f.tensors[1].imports = true;
  draft_imports(&f);
  load(&f);
  f.run.strict = 1;
  f.run.stays = 1;
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    check_result(&f, 1);
    CHECK_EQUAL(f.run.copies, 0);
    CHECK_EQUAL(f.tensors[0].imports_done, 1); /* the address stayed */
  }
  int other[COUNT];
  f.outputs[0] = other;
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
  CHECK_EQUAL(other[3], f.value[3] + 1);
  CHECK_EQUAL(f.tensors[1].imports_done, 2);
  CHECK_EQUAL(f.tensors[1].unimports, 1);
  for (int i = 0; i < 2; ++i) { /* the second time there is nothing to give back */
    CHECK_EQUAL(armnn_context_unimport(f.context, &f.error.error), ARMNN_STATUS_OK);
    CHECK_EQUAL(f.tensors[0].unimports, 1);
    CHECK_EQUAL(f.tensors[1].unimports, 2);
  }
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
  armnn_context_destroy(f.context);
  CHECK_EQUAL(f.tensors[0].unimports, 2);
  CHECK_EQUAL(f.tensors[1].unimports, 3);
}

/* The caller may free inputs and outputs when a run is over, also when it failed. */
static void the_callers_memory_is_given_back_after_each_run(void) {
  fixture_t f;
  set_up(&f, &copying_api);
  f.tensors[0].imports = f.tensors[1].imports = true;
  draft_imports(&f);
  load(&f);
  for (int i = 1; i < 5; ++i) {
    f.device.function = i < 3 ? on_device : fail;
    CHECK_EQUAL(armnn_context_run(&f.run), i < 3 ? ARMNN_STATUS_OK : ARMNN_STATUS_INTERNAL);
    CHECK_EQUAL(f.run.copies, 0);
    for (int t = 0; t < 2; ++t) {
      CHECK_EQUAL(f.tensors[t].imports_done, i);
      CHECK_EQUAL(f.tensors[t].unimports, i);
    }
    CHECK_EQUAL(f.tensors[0].touched, f.value[1]);
  }
  armnn_context_destroy(f.context);
  CHECK_EQUAL(f.tensors[0].unimports, 4);
}

static void a_backend_that_does_not_give_memory_back_fails_the_run(void) {
  fixture_t f;
  set_up(&f, &copying_api);
  f.tensors[0].imports = f.tensors[1].imports = true;
  f.tensors[1].stubborn = ARMNN_STATUS_INTERNAL;
  draft_imports(&f);
  load(&f);
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
  CHECK_TEXT(f.error.text, "unimport_memory: pages are pinned");
  CHECK_EQUAL(f.run.failed_step, 1); /* which imported it */
  CHECK_EQUAL(f.run.failed_side, ARMNN_RUN_SIDE_TARGET);
  /* It holds the memory until it has given it back: it imports nothing before that. */
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
  CHECK_TEXT(f.error.text, "unimport_memory: pages are pinned");
  CHECK_EQUAL(f.tensors[1].unimports, 2);
  CHECK_EQUAL(f.tensors[1].imports_done, 1);
  f.run.stays = 1;
  f.tensors[1].stubborn = ARMNN_STATUS_OK;
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
  f.tensors[0].stubborn = ARMNN_STATUS_INTERNAL;
  CHECK_EQUAL(armnn_context_unimport(f.context, clear_error(&f.error)), ARMNN_STATUS_INTERNAL);
  CHECK_TEXT(f.error.text, "unimport_memory: pages are pinned");
  CHECK_EQUAL(f.tensors[1].unimports, 4); /* all of them were asked */
  f.tensors[0].stubborn = ARMNN_STATUS_OK;
  armnn_context_destroy(f.context); /* and once more */
  CHECK(f.tensors[0].imported == NULL);
}

/* in -copy-> a -map-> m -import-> b -copy-> out, unmap: b has let go of m by then */
static void what_is_mapped_is_given_back_before_it_is_closed(void) {
  for (int i = 0; i < 2; ++i) { /* at the unmap, and when a run fails before that */
    fixture_t f;
    set_up(&f, &mapping_api);
    f.tensors[1].base.api = &copying_api;
    f.tensors[1].imports = true;
    f.tensors[0].reader = &f.tensors[1];
    const uint32_t in = draft_input(&f.draft, SIZE);
    const uint32_t out = draft_output(&f.draft, SIZE);
    const uint32_t m = draft_tensor(&f.draft, ARMNN_PLAN_TENSOR_MAPPED, SIZE, 64, 4);
    draft_step(&f.draft, NULL, in, NONE, f.a);
    step_of(&f, ARMNN_PLAN_STEP_MAP, f.a, m);
    step_of(&f, ARMNN_PLAN_STEP_IMPORT, m, f.b);
    draft_step(&f.draft, NULL, f.b, NONE, out);
    step_of(&f, ARMNN_PLAN_STEP_UNMAP, f.a, 0)->output_count = 0;
    load(&f);
    f.run.stays = 1; /* says nothing about memory of backends */
    for (int round = 1; round < 3; ++round) {
      if (i == 1) f.tensors[1].answer = ARMNN_STATUS_INTERNAL;
      CHECK_EQUAL(armnn_context_run(&f.run), i == 0 ? ARMNN_STATUS_OK : ARMNN_STATUS_INTERNAL);
      if (i == 0) check_result(&f, 0);
      CHECK_EQUAL(f.tensors[1].imports_done, round);
      CHECK_EQUAL(f.tensors[1].unimports, round);
    }
    armnn_context_destroy(f.context);
  }
}

/* What lies in the arena is there as long as the context: it is imported once. */
static void imports_from_the_arena_stay(void) {
  fixture_t f;
  set_up(&f, &copying_api);
  f.tensors[0].imports = true;
  const uint32_t in = draft_input(&f.draft, SIZE);
  const uint32_t out = draft_output(&f.draft, SIZE);
  const uint32_t arena = draft_arena(&f.draft, SIZE, 64);
  draft_step(&f.draft, &f.host, in, NONE, arena);
  step_of(&f, ARMNN_PLAN_STEP_IMPORT, arena, f.a);
  draft_step(&f.draft, NULL, f.a, NONE, out);
  load(&f);
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    check_result(&f, 1);
    CHECK_EQUAL(f.tensors[0].imports_done, 1);
  }
  CHECK_EQUAL(f.tensors[0].unimports, 0);
  armnn_context_destroy(f.context);
  CHECK_EQUAL(f.tensors[0].unimports, 1);
}

/* strict is a promise about the caller's memory: what lies in the arena may be copied. */
static void inner_tensors_may_be_copied_in_strict_runs(void) {
  fixture_t f;
  set_up(&f, &copying_api);
  const uint32_t in = draft_input(&f.draft, SIZE);
  const uint32_t out = draft_output(&f.draft, SIZE);
  const uint32_t arena = draft_arena(&f.draft, SIZE, 64);
  draft_step(&f.draft, &f.host, in, NONE, arena);
  step_of(&f, ARMNN_PLAN_STEP_IMPORT, arena, f.a);
  draft_step(&f.draft, NULL, f.a, NONE, out);
  load(&f);
  f.run.strict = 1;
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
  check_result(&f, 1);
  armnn_context_destroy(f.context);
}

static void refused_imports_are_copied_unless_strict(void) {
  for (int picky = 0; picky < 2; ++picky) {
    fixture_t f;
    set_up(&f, &copying_api);
    for (int i = 0; i < 2; ++i) f.tensors[i].imports = f.tensors[i].picky = picky != 0;
    draft_imports(&f);
    load(&f);
    for (int i = 0; i < 2; ++i) {
      CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
      check_result(&f, 1);
      CHECK_EQUAL(f.run.copies, 2);
      CHECK_EQUAL(f.tensors[0].allocations, 1);
    }
    f.run.strict = 1;
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_UNSUPPORTED);
    CHECK_EQUAL(f.run.failed_step, 0);
    CHECK_TEXT(f.error.text, picky ? "can_be_imported: an odd address" : "imports no memory");
    armnn_context_destroy(f.context);
  }
}

static const test_t tests[] = {
    TEST(imports_copy_nothing),
    TEST(the_callers_memory_is_given_back_after_each_run),
    TEST(a_backend_that_does_not_give_memory_back_fails_the_run),
    TEST(what_is_mapped_is_given_back_before_it_is_closed),
    TEST(imports_from_the_arena_stay),
    TEST(inner_tensors_may_be_copied_in_strict_runs),
    TEST(refused_imports_are_copied_unless_strict),
};
MAIN(tests)
