/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_bounded.c - steps whose shapes are set for each run, and sizes that a step reports.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>

#include "fake.h"

enum { BOUND = 4, PAGE = 4096 };

static armnn_tensor_info_t row_info(uint64_t count) {
  armnn_tensor_info_t info;
  memset(&info, 0, sizeof info);
  info.header.struct_size = sizeof info;
  info.header.struct_type = ARMNN_STRUCT_TENSOR_INFO;
  info.data_type = ARMNN_DATA_TYPE_SIGNED32;
  info.dimensionality = ARMNN_DIMENSIONALITY_SPECIFIED;
  info.rank = 1;
  info.dims[0] = info.element_count = count;
  info.dim_known_mask = 1;
  return info;
}

/* Copies as many numbers as the info of this call says, each plus one. */
static armnn_status_t add_one(fake_t* self, const armnn_execute_args_t* args,
                              armnn_error_t* error) {
  (void)self, (void)error;
  CHECK(args->output_dims == NULL);
  CHECK(args->input_infos[1] == NULL);
  const uint64_t count = args->input_infos[0]->dims[0];
  CHECK_EQUAL(args->output_infos[0]->dims[0], count);
  for (uint64_t i = 0; i < count; ++i) {
    ((int32_t*)args->outputs[0])[i] = ((const int32_t*)args->inputs[0])[i] + 1;
  }
  return ARMNN_STATUS_OK;
}

/* Input, an absent operand, output; the arena has a place for misaligned ones. */
static void draft_row(draft_t* draft, fake_t* fake) {
  draft_begin(draft, 256);
  const uint32_t in = draft_tensor(draft, ARMNN_PLAN_TENSOR_INPUT, BOUND * 4, 0, 4);
  const uint32_t out = draft_tensor(draft, ARMNN_PLAN_TENSOR_OUTPUT, BOUND * 4, 64, 4);
  armnn_plan_step_t* step = draft_step(draft, fake, in, NONE, out);
  step->input_count = 2;
  step->bounded = ARMNN_PLAN_BOUNDED_INFOS;
}

static void each_run_has_its_sizes(void) {
  fake_t fake = make_fake(add_one, NULL);
  draft_t draft;
  draft_row(&draft, &fake);
  armnn_context_t* context = must_load(&draft);
  text_error_t error;
  for (int shift = 0; shift < 2; ++shift) { /* aligned, and staged */
    for (uint64_t count = 0; count <= BOUND; ++count) {
      const armnn_tensor_info_t info = row_info(count);
      const armnn_tensor_info_t* infos[] = {&info, &info};
      const uint64_t sizes[] = {count * 4, count * 4};
      const armnn_plan_shapes_t shapes = {infos, sizes};
      CHECK_EQUAL(armnn_context_set_shapes(context, &shapes, clear_error(&error)), ARMNN_STATUS_OK);
      _Alignas(64) unsigned char from[64], to[64];
      const int32_t numbers[BOUND] = {10, 20, 30, 40};
      memcpy(from + shift, numbers, sizeof numbers);
      memset(to, 0xee, sizeof to);
      const void* inputs[] = {from + shift};
      void* outputs[] = {to + shift};
      armnn_run_t run = make_run(context, inputs, outputs, NULL);
      CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
      for (uint64_t i = 0; i < count; ++i) {
        int32_t made;
        memcpy(&made, to + shift + i * 4, sizeof made);
        CHECK_EQUAL(made, numbers[i] + 1);
      }
      CHECK_EQUAL(to[(uint64_t)shift + count * 4], 0xee); /* nothing behind it */
      CHECK_EQUAL(run.copied_bytes, shift == 0 ? 0u : count * 8u);
    }
  }
  armnn_context_destroy(context);
}

/* Memory at one address is read beyond another end. */
static void other_sizes_are_staged_if_need_be(void) {
  fake_t fake = make_fake(add_one, NULL);
  const armnn_tensor_needs_t behind = {{sizeof behind, ARMNN_STRUCT_TENSOR_NEEDS}, 0, 8, 0, 0, 0};
  const armnn_tensor_needs_t* const needs[] = {&behind, NULL, NULL};
  fake.needs.tensors = needs;
  draft_t draft;
  draft_row(&draft, &fake);
  draft.tensors[0].readable = 8;
  armnn_context_t* context = must_load(&draft);
  unsigned char* pages =
      mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  CHECK_EQUAL(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
  const void* inputs[] = {pages + PAGE - 16};
  _Alignas(64) int32_t out[BOUND];
  void* outputs[] = {out};
  text_error_t error;
  for (uint64_t count = 1; count <= BOUND; ++count) {
    const armnn_tensor_info_t info = row_info(count);
    const armnn_tensor_info_t* infos[] = {&info, &info};
    const uint64_t sizes[] = {count * 4, count * 4};
    const armnn_plan_shapes_t shapes = {infos, sizes};
    CHECK_EQUAL(armnn_context_set_shapes(context, &shapes, clear_error(&error)), ARMNN_STATUS_OK);
    armnn_run_t run = make_run(context, inputs, outputs, NULL);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    const bool fits = count <= 2 && !(ARMNN_BUILD_FEATURES & ARMNN_BUILD_ADDRESS_SANITIZER);
    CHECK_EQUAL(run.copies, !fits);
  }
  munmap(pages, 2 * PAGE);
  armnn_context_destroy(context);
}

static void bad_shapes_are_refused(void) {
  fake_t fake = make_fake(add_one, NULL);
  draft_t draft;
  draft_row(&draft, &fake);
  armnn_context_t* context = must_load(&draft);
  text_error_t error;
  int32_t in[BOUND] = {0}, out[BOUND];
  const void* inputs[] = {in};
  void* outputs[] = {out};
  armnn_run_t run = make_run(context, inputs, outputs, &error);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, "the context has no shapes yet");

  armnn_tensor_info_t info = row_info(BOUND);
  const armnn_tensor_info_t* infos[] = {&info, &info};
  uint64_t sizes[] = {BOUND * 4, BOUND * 4};
  armnn_plan_shapes_t shapes = {infos, sizes};
#define BAD(change, words)                                                       \
  do {                                                                           \
    infos[0] = infos[1] = &info;                                                 \
    info = row_info(BOUND);                                                      \
    sizes[0] = sizes[1] = BOUND * 4;                                             \
    shapes = (armnn_plan_shapes_t){infos, sizes};                                \
    change;                                                                      \
    CHECK_EQUAL(armnn_context_set_shapes(context, &shapes, clear_error(&error)), \
                ARMNN_STATUS_INVALID_ARGUMENT);                                  \
    CHECK_TEXT(error.text, words);                                               \
  } while (0)
  BAD(shapes.infos = NULL, "the shapes are null");
  BAD(shapes.sizes = NULL, "the shapes are null");
  BAD(sizes[1] = BOUND * 4 + 1, "tensor 1: 17 bytes, but the plan has place for 16");
  BAD(infos[1] = NULL, "step 0: tensor 1 has no valid info");
  BAD(info.rank = ARMNN_MAX_DIMS + 1, "step 0: tensor 0 has no valid info");
#undef BAD
  CHECK_EQUAL(armnn_context_set_shapes(context, NULL, clear_error(&error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  armnn_context_destroy(context);

  draft.steps[0].bounded = ARMNN_PLAN_BOUNDED_NONE;
  context = must_load(&draft);
  shapes = (armnn_plan_shapes_t){infos, sizes};
  CHECK_EQUAL(armnn_context_set_shapes(context, &shapes, clear_error(&error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, "no step is bounded");
  armnn_context_destroy(context);
}

static void bad_bounded_steps_are_refused(void) {
  fake_t fake = make_fake(add_one, NULL);
  draft_t draft;
  text_error_t error;
  armnn_plan_t* plan = NULL;
  draft_row(&draft, &fake);
  draft.steps[0].bounded = 3;
  CHECK_EQUAL(armnn_plan_create(&draft.spec, &plan, clear_error(&error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, "step 0: bounded 3 is unknown");
  draft_begin(&draft, 256);
  const uint32_t in = draft_input(&draft, 16);
  draft_step(&draft, NULL, in, NONE, draft_output(&draft, 16))->bounded = ARMNN_PLAN_BOUNDED_INFOS;
  CHECK_EQUAL(armnn_plan_create(&draft.spec, &plan, clear_error(&error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, "step 0: bounded shapes, but it has no workload");
}

/* ---- Sizes that a step reports ------------------------------------------------------------- */

/* Keeps the numbers above 0. |data|, if not null: the size that it tells instead. */
static armnn_status_t keep_positive(fake_t* self, const armnn_execute_args_t* args,
                                    armnn_error_t* error) {
  (void)error;
  const uint64_t count = args->input_infos[0]->dims[0];
  CHECK_EQUAL(armnn_i_thread()->serial_depth, self->needs.flags == ARMNN_WORKLOAD_SERIAL);
  CHECK_EQUAL(args->output_infos[0]->dim_known_mask, 0);
  uint64_t kept = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const int32_t number = ((const int32_t*)args->inputs[0])[i];
    if (number > 0) ((int32_t*)args->outputs[0])[kept++] = number;
  }
  if (self->data != NULL) kept = *(const uint64_t*)self->data;
  args->output_dims[0][0] = kept;
  return ARMNN_STATUS_OK;
}

static armnn_tensor_info_t told_info;
static uint64_t told_sizes[3] = {BOUND * 4, BOUND * 4, BOUND * 4};
static const armnn_tensor_info_t* told_infos[3] = {NULL, &told_info, &told_info};
static armnn_plan_shapes_t told_shapes = {told_infos, told_sizes};
static bool refuses;

static const armnn_plan_shapes_t* on_report(uint32_t step, const uint64_t* dims) {
  CHECK_EQUAL(step, 0);
  told_info = row_info(dims[0]);
  return refuses ? NULL : &told_shapes;
}

static void tell(bool is_serial) {
  refuses = false;
  fake_t keep = make_fake(keep_positive, NULL), add = make_fake(add_one, NULL);
  draft_t draft;
  draft_begin(&draft, 64);
  const uint32_t in = draft_input(&draft, BOUND * 4);
  const uint32_t hidden = draft_arena(&draft, BOUND * 4, 0);
  const uint32_t out = draft_output(&draft, BOUND * 4);
  armnn_plan_step_t* first = draft_step(&draft, &keep, in, NONE, hidden);
  first->bounded = ARMNN_PLAN_BOUNDED_REPORTS;
  first->is_serial = is_serial;
  if (is_serial) keep.needs.flags = ARMNN_WORKLOAD_SERIAL;
  armnn_plan_step_t* behind = draft_step(&draft, &add, hidden, NONE, out);
  behind->input_count = 2;
  behind->bounded = ARMNN_PLAN_BOUNDED_INFOS;
  armnn_context_t* context = must_load(&draft);
  const armnn_tensor_info_t whole = row_info(BOUND);
  armnn_tensor_info_t open = row_info(BOUND);
  open.dim_known_mask = 0;
  const armnn_tensor_info_t* infos[] = {&whole, &open, &whole};
  const armnn_plan_shapes_t shapes = {infos, told_sizes};
  told_infos[0] = &whole;
  text_error_t error;
  for (int32_t positive = 0; positive <= BOUND; ++positive) {
    CHECK_EQUAL(armnn_context_set_shapes(context, &shapes, clear_error(&error)), ARMNN_STATUS_OK);
    int32_t x[BOUND], y[BOUND] = {0, 0, 0, 0};
    for (int32_t i = 0; i < BOUND; ++i) x[i] = i >= BOUND - positive ? i + 1 : -1;
    const void* inputs[] = {x};
    void* outputs[] = {y};
    armnn_run_t run = make_run(context, inputs, outputs, &error);
    run.reported = on_report;
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
    for (int32_t i = 0; i < BOUND; ++i) {
      CHECK_EQUAL(y[i], i < positive ? BOUND - positive + i + 2 : 0);
    }
  }

  uint64_t wrong = 0;
  keep.data = &wrong;
  const struct {
    uint64_t told;
    bool refuses;
    const char* words;
  } cases[] = {
      {BOUND + 1, false, "execute wrote 5 to output_dims[0][0], above its bound 4"},
      {UINT64_MAX, false, "execute did not write output_dims[0][0]"},
      {1, true, "no shapes for the steps behind it"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    CHECK_EQUAL(armnn_context_set_shapes(context, &shapes, clear_error(&error)), ARMNN_STATUS_OK);
    wrong = cases[i].told;
    refuses = cases[i].refuses;
    int32_t x[BOUND] = {0}, y[BOUND];
    const void* inputs[] = {x};
    void* outputs[] = {y};
    armnn_run_t run = make_run(context, inputs, outputs, &error);
    run.reported = on_report;
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_INTERNAL);
    CHECK_EQUAL(run.failed_step, 0);
    CHECK_TEXT(error.text, cases[i].words);
  }
  armnn_context_destroy(context);
}

static void steps_behind_get_what_was_told(void) { tell(false); }

static void so_they_do_behind_one_that_takes_one_call_at_a_time(void) { tell(true); }

static const test_t tests[] = {
    TEST(each_run_has_its_sizes),         TEST(other_sizes_are_staged_if_need_be),
    TEST(bad_shapes_are_refused),         TEST(bad_bounded_steps_are_refused),
    TEST(steps_behind_get_what_was_told), TEST(so_they_do_behind_one_that_takes_one_call_at_a_time),
};
MAIN(tests)
