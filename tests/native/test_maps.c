/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_maps.c - memory of a backend that is mapped for readers of the host.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>

#include "device_tensor.h"

#define PAGE 4096

static void exports_copy_nothing(void) {
  fixture_t f;
  set_up(&f, &mapping_api);
  draft_export(&f, 64);
  load(&f);
  for (int i = 1; i < 4; ++i) {
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    check_result(&f, 1);
    CHECK_EQUAL(f.run.copies, 1); /* the one to the device */
    CHECK_EQUAL(f.tensors[0].maps, 2 * i);
    CHECK_EQUAL(f.tensors[0].unmaps, 2 * i);
  }
  armnn_context_destroy(f.context);
}

/* in -copy-> a -map-> m, of which |out| gets the second half and then the first */
static void parts_of_exports_are_read(void) {
  fixture_t f;
  set_up(&f, &mapping_api);
  const uint32_t in = draft_input(&f.draft, SIZE), out = draft_output(&f.draft, SIZE);
  const uint32_t m = draft_tensor(&f.draft, ARMNN_PLAN_TENSOR_MAPPED, SIZE, 64, 4);
  uint32_t parts[4];
  for (uint32_t i = 0; i < 4; ++i) {
    const uint64_t begin = i % 2 == 0 ? 0 : SIZE / 2;
    parts[i] = draft_tensor(&f.draft, ARMNN_PLAN_TENSOR_PART, SIZE / 2, begin, 1);
    f.draft.tensors[parts[i]].index = i < 2 ? m : out;
  }
  draft_step(&f.draft, NULL, in, NONE, f.a);
  step_of(&f, ARMNN_PLAN_STEP_MAP, f.a, m);
  draft_step(&f.draft, NULL, parts[1], NONE, parts[2]);
  draft_step(&f.draft, NULL, parts[0], NONE, parts[3]);
  step_of(&f, ARMNN_PLAN_STEP_UNMAP, f.a, 0)->output_count = 0;
  load(&f);
  for (int pad = 0; pad < 2; ++pad) { /* where it lies, and from a dense copy */
    f.tensors[0].pad = pad;
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    CHECK(memcmp(f.result, f.value + COUNT / 2, SIZE / 2) == 0);
    CHECK(memcmp(f.result + COUNT / 2, f.value, SIZE / 2) == 0);
  }
  armnn_context_destroy(f.context);
}

static void padded_memory_is_not_exported(void) {
  fixture_t f;
  set_up(&f, &mapping_api);
  f.tensors[0].pad = 1;
  draft_export(&f, 64);
  load(&f);
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
  check_result(&f, 1);
  CHECK_EQUAL(f.run.copies, 2);
  f.run.strict = 1; /* about the caller's memory, not about this one */
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
  check_result(&f, 1);
  CHECK_EQUAL(f.tensors[0].maps, f.tensors[0].unmaps);
  armnn_context_destroy(f.context);
  set_up(&f, &mapping_api);
  f.tensors[0].pad = 1;
  f.draft.tensors[draft_export(&f, ARMNN_PLAN_NO_STAGING)].alignment = 1;
  load(&f);
  CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_UNSUPPORTED);
  CHECK_TEXT(f.error.text, "map: the memory is not dense");
  CHECK_EQUAL(f.run.failed_side, ARMNN_RUN_SIDE_SOURCE);
  armnn_context_destroy(f.context);
}

/* A reader that reads behind the tensor gets a copy where the backend's memory ends. */
static void what_ends_with_its_page_is_not_exported_to_those_who_read_further(void) {
  fixture_t f;
  set_up(&f, &mapping_api);
  f.draft.tensors[draft_export(&f, 64)].readable = 16;
  load(&f);
  char* pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  CHECK_EQUAL(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
  for (int back = 0; back < 64; back += 4) {
    f.tensors[0].imported = (int*)(void*)(pages + PAGE - SIZE - back);
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_OK);
    check_result(&f, 1);
    const bool fits = back >= 16 && !(ARMNN_BUILD_FEATURES & ARMNN_BUILD_ADDRESS_SANITIZER);
    CHECK_EQUAL(f.run.copies, fits ? 1 : 2);
  }
  armnn_context_destroy(f.context);
  munmap(pages, 2 * PAGE);
}

/* in -copy-> a -map-> m; a -copy-> b while it is open; m -host-> c; unmap; b -copy-> out */
static void what_is_open_to_one_reader_is_not_closed_by_another(void) {
  for (int i = 0; i < 2; ++i) { /* the run ends, or fails in between */
    fixture_t f;
    set_up(&f, &mapping_api);
    const uint32_t in = draft_input(&f.draft, SIZE);
    const uint32_t out = draft_output(&f.draft, SIZE), out2 = draft_output(&f.draft, SIZE);
    const uint32_t m = draft_tensor(&f.draft, ARMNN_PLAN_TENSOR_MAPPED, SIZE, 64, 4);
    int second[COUNT];
    void* outputs[2] = {f.result, second};
    draft_step(&f.draft, NULL, in, NONE, f.a);
    step_of(&f, ARMNN_PLAN_STEP_MAP, f.a, m);
    draft_step(&f.draft, NULL, f.a, NONE, f.b);
    draft_step(&f.draft, NULL, f.a, NONE, out2); /* and out of it */
    if (i == 1) f.host = make_fake(fail, NULL);
    draft_step(&f.draft, &f.host, m, NONE, out);
    step_of(&f, ARMNN_PLAN_STEP_UNMAP, f.a, 0)->output_count = 0;
    draft_step(&f.draft, NULL, f.b, NONE, out2);
    load(&f);
    f.run.outputs = outputs;
    for (int round = 1; round < 3; ++round) {
      CHECK_EQUAL(armnn_context_run(&f.run), i == 0 ? ARMNN_STATUS_OK : ARMNN_STATUS_INTERNAL);
      if (i == 0) check_result(&f, 1);
      CHECK(memcmp(second, f.value, SIZE) == 0);
      CHECK_EQUAL(f.tensors[0].maps, 2 * round); /* to be written, and once to be read */
      CHECK_EQUAL(f.tensors[0].unmaps, 2 * round);
    }
    armnn_context_destroy(f.context);
  }
}

static void what_is_mapped_is_closed_when_a_run_fails(void) {
  fixture_t f;
  set_up(&f, &mapping_api);
  draft_export(&f, ARMNN_PLAN_NO_STAGING);
  f.host = make_fake(fail, NULL);
  load(&f);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQUAL(armnn_context_run(&f.run), ARMNN_STATUS_INTERNAL);
    CHECK_TEXT(f.error.text, "no luck");
    CHECK_EQUAL(f.tensors[0].maps, f.tensors[0].unmaps);
  }
  armnn_context_destroy(f.context);
}

static const test_t tests[] = {
    TEST(exports_copy_nothing),
    TEST(parts_of_exports_are_read),
    TEST(padded_memory_is_not_exported),
    TEST(what_ends_with_its_page_is_not_exported_to_those_who_read_further),
    TEST(what_is_open_to_one_reader_is_not_closed_by_another),
    TEST(what_is_mapped_is_closed_when_a_run_fails),
};
MAIN(tests)
