/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_plan.c - the checker refuses each bad number, with words that name it.
 */
#include "fake.h"

static fake_t workload;
static _Alignas(64) const int constant = 5;

/* in -> [step 0] -> arena -> [step 1, with the constant] -> arena -> [copy] -> out */
enum { IN, HIDDEN, CONSTANT, SUM, OUT };

static void make_valid(draft_t* draft) {
  workload = make_fake(fake_increment, NULL);
  draft_begin(draft, 256);
  draft_tensor(draft, ARMNN_PLAN_TENSOR_INPUT, 4, 192, 64);
  draft_arena(draft, 4, 0);
  draft_constant(draft, 4, &constant);
  draft_arena(draft, 4, 64);
  draft_output(draft, 4);
  draft_step(draft, &workload, IN, NONE, HIDDEN);
  draft_step(draft, &workload, HIDDEN, CONSTANT, SUM);
  draft_step(draft, NULL, SUM, NONE, OUT);
  draft->steps[1].scratch_offset = 128;
  draft->steps[1].scratch_size = 64;
  draft->steps[1].execution_data_index = 1;
  draft->spec.execution_data_count = 2;
}

/* Each changes one number of the valid plan; |part| is what the message must say. */
#define MUTATIONS(X)                                                                            \
  X(spec.header.struct_type = 7, "tag 0x00000007")                                              \
  X(spec.header.struct_size = 8, "says it has 8 bytes")                                         \
  X(spec.header.struct_size += 8, "bytes, this library expects")                                \
  X(spec.tensors = NULL, "tensors are null")                                                    \
  X(spec.steps = NULL, "steps are null")                                                        \
  X(spec.handle_count = UINT32_MAX, "4294967295 handles")                                       \
  X(spec.input_count = 2, "input 1 of the run has no tensor")                                   \
  X(spec.output_count = 2, "output 1 of the run has no tensor")                                 \
  X(spec.input_count = 0, "tensor 0: names input 0 of the run, which has 0")                    \
  X(spec.output_count = 0, "tensor 4: names output 0 of the run, which has 0")                  \
  X(spec.input_count = UINT32_MAX, "4294967295 inputs")                                         \
  X(spec.output_count = UINT32_MAX, "4294967295 outputs")                                       \
  X(spec.execution_data_count = 1, "step 1: names execution data 1, but the plan has 1")        \
  X(spec.execution_data_count = UINT32_MAX, "4294967295 execution data")                        \
  X(spec.arena_size = 195, "tensor 0: staging")                                                 \
  X(spec.arena_size = 0, "does not fit the arena of 0 bytes") /* tensor 0's staging */          \
  X(spec.arena_size = UINT64_MAX, "more than an address space")                                 \
  X(tensors[IN].kind = 4, "tensor 0: names handle 0, but the plan has 0")                       \
  X(tensors[IN].kind = -1, "tensor 0: kind -1 is unknown")                                      \
  X(tensors[IN].index = 1, "tensor 0: names input 1 of the run, which has 1")                   \
  X(tensors[OUT].index = UINT32_MAX, "tensor 4: names output 4294967295")                       \
  X(tensors[IN].alignment = 0, "alignment 0 is not a power of two")                             \
  X(tensors[IN].alignment = 48, "alignment 48 is not a power of two")                           \
  X(tensors[IN].alignment = 8192, "alignment 8192 is not a power of two up to 4096")            \
  X(tensors[IN].alignment = 128, "not a multiple of its alignment 128")                         \
  X(tensors[IN].offset = ARMNN_PLAN_NO_STAGING, "no place for a copy")                          \
  X(tensors[IN].offset = 256, "tensor 0: staging at offset 256 with 4 bytes")                   \
  X(tensors[IN].offset = UINT64_MAX - 63, "tensor 0: staging")                                  \
  X(tensors[IN].size = UINT64_MAX, "tensor 0: 18446744073709551615 bytes")                      \
  X(tensors[IN].size = 65, "tensor 0: staging at offset 192 with 65 bytes")                     \
  X(tensors[OUT].alignment = 2, "output 0 of the run has alignment 2")                          \
  X(tensors[HIDDEN].offset = 2, "tensor 1: place at offset 2 is not a multiple")                \
  X(tensors[HIDDEN].offset = 256, "tensor 1: place at offset 256")                              \
  X(tensors[HIDDEN].offset = UINT64_MAX - 3, "tensor 1: place")                                 \
  X(tensors[HIDDEN].size = 257, "tensor 1: place at offset 0 with 257 bytes")                   \
  X(tensors[CONSTANT].address = NULL, "tensor 2: a constant of 4 bytes without an address")     \
  X(tensors[CONSTANT].address = (const char*)&constant + 1, "tensor 2: the constant's address") \
  X(steps[0].kind = 8, "step 0: kind 8 is unknown")                                             \
  X(steps[1].kind = ARMNN_PLAN_STEP_COPY, "step 1: a copy with 2 inputs and 1 outputs")         \
  X(steps[2].kind = ARMNN_PLAN_STEP_EXECUTE, "step 2: the workload or its table is null")       \
  X(steps[2].input_count = 0, "step 2: a copy with 0 inputs")                                   \
  X(steps[2].output_count = 0, "step 2: a copy with 1 inputs and 0 outputs")                    \
  X(steps[0].inputs = NULL, "step 0: its list of inputs is null")                               \
  X(steps[0].outputs = NULL, "step 0: its list of outputs is null")                             \
  X(operands[0][0] = 5, "step 0: input 0 names tensor 5, but the plan has 5")                   \
  X(operands[1][1] = 77, "step 1: input 1 names tensor 77, but the plan has 5")                 \
  X(operands[1][4] = 0x7fffffff, "step 1: output 0 names tensor 2147483647")                    \
  X(operands[0][4] = IN, "names tensor 0, which is an input of the run")                        \
  X(operands[0][4] = CONSTANT, "names tensor 2, which is a constant")                           \
  X(operands[2][0] = NONE, "step 2: a copy without input")                                      \
  X(operands[2][4] = NONE, "step 2: a copy without output")                                     \
  X(operands[2][4] = HIDDEN, "output 0 of the run is written by no step")                       \
  X(tensors[OUT].size = 8, "step 2: a copy of 4 bytes to 8")                                    \
  X(steps[1].execution_data_index = 2, "step 1: names execution data 2, but the plan has 2")    \
  X(steps[1].scratch_offset = 256, "step 1: scratch at offset 256 with 64 bytes")               \
  X(steps[1].scratch_offset = UINT64_MAX, "step 1: scratch at offset 18446744073709551615")     \
  X(steps[1].scratch_size = 129, "step 1: scratch at offset 128 with 129 bytes")                \
  X(steps[1].scratch_size = UINT64_MAX, "step 1: scratch")                                      \
  X(steps[1].scratch_offset = 0, "step 1: input 0 (tensor 1) and the scratch overlap")          \
  X(steps[1].scratch_offset = 65, "step 1: output 0 (tensor 3) and the scratch overlap")        \
  X(steps[0].workload = NULL, "step 0: the workload or its table is null")

/* Applies nothing itself: |draft| is changed already by what |change| says. */
static void expect_refusal(const draft_t* draft, const char* change, const char* part) {
  text_error_t error;
  armnn_plan_t* plan = (armnn_plan_t*)&error; /* must become null */
  const armnn_status_t status = armnn_plan_create(&draft->spec, &plan, clear_error(&error));
  if (status != ARMNN_STATUS_INVALID_ARGUMENT) fprintf(stderr, "after %s:\n", change);
  CHECK_EQUAL(status, ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(error.error.code, ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, part);
  CHECK(plan == NULL);
}

static void each_bad_number_is_named(void) {
  draft_t draft;
  make_valid(&draft);
  armnn_plan_destroy(must_plan(&draft));
#define APPLY(change, part) \
  make_valid(&draft);       \
  draft.change;             \
  expect_refusal(&draft, #change, part);
  MUTATIONS(APPLY)
#undef APPLY
}

static void nulls_are_refused(void) {
  draft_t draft;
  text_error_t error;
  armnn_plan_t* plan = NULL;
  make_valid(&draft);
  CHECK_EQUAL(armnn_plan_create(NULL, &plan, clear_error(&error)), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, "the plan is null");
  CHECK_EQUAL(armnn_plan_create(&draft.spec, NULL, NULL), ARMNN_STATUS_INVALID_ARGUMENT);
  draft.spec.handle_count = UINT32_MAX;
  CHECK_EQUAL(armnn_plan_create(&draft.spec, &plan, NULL), ARMNN_STATUS_INVALID_ARGUMENT);
  armnn_context_t* context = NULL;
  CHECK_EQUAL(armnn_context_create(NULL, NULL, NULL, &context, NULL),
              ARMNN_STATUS_INVALID_ARGUMENT);
  make_valid(&draft);
  plan = must_plan(&draft);
  CHECK_EQUAL(armnn_context_create(plan, NULL, NULL, &context, clear_error(&error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, "the plan wants 2 execution data, none are given");
  CHECK_EQUAL(armnn_context_create(plan, NULL, NULL, NULL, NULL), ARMNN_STATUS_INVALID_ARGUMENT);
  armnn_plan_destroy(plan);
  armnn_plan_destroy(NULL);
  armnn_context_destroy(NULL);
  armnn_context_cancel(NULL);
}

static void one_tensor_for_each_input(void) {
  draft_t draft;
  text_error_t error;
  armnn_plan_t* plan = NULL;
  make_valid(&draft);
  draft_input(&draft, 4);
  draft.tensors[5].index = 0;
  CHECK_EQUAL(armnn_plan_create(&draft.spec, &plan, clear_error(&error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(error.text, "tensor 5: input 0 of the run has a tensor already");
}

/* The workload says what it needs; the plan must grant it. */
static void needs_of_workloads_are_checked(void) {
  draft_t draft;
  text_error_t error;
  armnn_plan_t* plan = NULL;
#define REFUSED(change, part)                                             \
  make_valid(&draft);                                                     \
  change;                                                                 \
  CHECK_EQUAL(armnn_plan_create(&draft.spec, &plan, clear_error(&error)), \
              ARMNN_STATUS_INVALID_ARGUMENT);                             \
  CHECK_TEXT(error.text, part)
  REFUSED(workload.needs.scratch_size = 1, "step 0: the workload wants 1 bytes of scratch");
  REFUSED(workload.needs.scratch_alignment = 256, "step 1: the workload wants scratch aligned");
  REFUSED(workload.needs.tensor_alignment = 128, "step 0: the workload wants tensors aligned");
  REFUSED(workload.needs.tensor_alignment = 0;
          draft.tensors[SUM].offset = 68, "to 64, output 0 (tensor 3) is not");
  REFUSED(workload.needs.tensor_alignment = 3, "not powers of two");
  REFUSED(workload.needs.scratch_alignment = 8192, "not powers of two up to 4096");
  armnn_workload_api_t api = fake_api;
  REFUSED(api.header.struct_type = ARMNN_STRUCT_BACKEND;
          workload.base.api = &api, "step 0: the workload's table has the tag 0x414e0020");
  api = fake_api;
  REFUSED(api.execute = NULL; workload.base.api = &api, "has no function 'execute'");
  api = fake_api;
  REFUSED(api.header.struct_size = ARMNN_MEMBER_END(armnn_workload_api_t, destroy);
          workload.base.api = &api, "has no function 'execute'");
  REFUSED(workload.base.api = NULL, "the workload or its table is null");
#undef REFUSED
  /* A table that ends after execute is an old one, not a bad one. */
  make_valid(&draft);
  api = fake_api;
  api.header.struct_size = ARMNN_MEMBER_END(armnn_workload_api_t, execute);
  workload.base.api = &api;
  armnn_plan_destroy(must_plan(&draft));
}

/* Nothing of the spec is used after armnn_plan_create. */
static void the_plan_is_a_copy(void) {
  draft_t draft;
  make_valid(&draft);
  armnn_plan_t* plan = must_plan(&draft);
  memset(&draft, 0xff, sizeof draft);
  void* data[2] = {&draft, &draft};
  armnn_context_t* context = must_context(plan, data);
  memset(data, 0xff, sizeof data);
  armnn_plan_destroy(plan); /* the context holds it */
  int input = 41, output = 0;
  const void* inputs[] = {&input};
  void* outputs[] = {&output};
  armnn_run_t run = make_run(context, inputs, outputs, NULL);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  CHECK_EQUAL(output, 43);
  armnn_context_destroy(context);
}

static void an_empty_plan_runs(void) {
  draft_t draft;
  draft_begin(&draft, 0);
  draft.spec.tensors = NULL;
  draft.spec.steps = NULL;
  armnn_context_t* context = must_load(&draft);
  armnn_run_t run = make_run(context, NULL, NULL, NULL);
  CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  CHECK_EQUAL(run.steps_done, 0);
  armnn_context_destroy(context);
}

static const test_t tests[] = {
    TEST(each_bad_number_is_named),       TEST(nulls_are_refused),  TEST(one_tensor_for_each_input),
    TEST(needs_of_workloads_are_checked), TEST(the_plan_is_a_copy), TEST(an_empty_plan_runs),
};
MAIN(tests)
