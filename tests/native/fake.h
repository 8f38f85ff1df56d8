/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fake.h - a workload whose behaviour is a function of the test, and plans written by hand.
 */
#ifndef ARMNN_TESTS_FAKE_H_
#define ARMNN_TESTS_FAKE_H_

#include <string.h>

#include "core.h"
#include "harness.h"

typedef struct fake_t fake_t;
typedef armnn_status_t (*fake_fn_t)(fake_t* self, const armnn_execute_args_t* args,
                                    armnn_error_t* error);

struct fake_t {
  armnn_workload_t base;
  fake_fn_t function;
  void* data;
  armnn_workload_requirements_t needs;
};

static inline void fake_destroy(armnn_workload_t* workload) { (void)workload; }

static inline armnn_status_t fake_execute(armnn_workload_t* workload,
                                          const armnn_execute_args_t* args, armnn_error_t* error) {
  fake_t* self = (fake_t*)workload;
  return self->function(self, args, error);
}

static inline void fake_requirements(armnn_workload_t* workload,
                                     armnn_workload_requirements_t* out_requirements) {
  *out_requirements = ((const fake_t*)workload)->needs;
}

static inline const char* fake_kernel_name(armnn_workload_t* workload) {
  (void)workload;
  return "fake_kernel";
}

static const armnn_workload_api_t fake_api = {
    .header = {sizeof(armnn_workload_api_t), ARMNN_STRUCT_WORKLOAD},
    .destroy = fake_destroy,
    .execute = fake_execute,
    .get_requirements = fake_requirements,
    .get_kernel_name = fake_kernel_name,
};

static inline fake_t make_fake(fake_fn_t function, void* data) {
  fake_t fake;
  memset(&fake, 0, sizeof fake);
  fake.base.api = &fake_api;
  fake.function = function;
  fake.data = data;
  fake.needs.header.struct_size = sizeof fake.needs;
  fake.needs.header.struct_type = ARMNN_STRUCT_WORKLOAD_REQUIREMENTS;
  fake.needs.tensor_alignment = 1;
  fake.needs.scratch_alignment = 1;
  return fake;
}

/* ---- Plans --------------------------------------------------------------------------------- */

#define NONE ARMNN_PLAN_NONE
#define MAX_PLAN 16

typedef struct draft_t {
  armnn_plan_spec_t spec;
  armnn_plan_tensor_t tensors[MAX_PLAN];
  armnn_plan_step_t steps[MAX_PLAN];
  uint32_t operands[MAX_PLAN][8]; /* of each step: four inputs, four outputs */
  armnn_plan_variable_t variables[2];
} draft_t;

static inline void draft_begin(draft_t* draft, uint64_t arena_size) {
  memset(draft, 0, sizeof *draft);
  draft->spec.header.struct_size = sizeof draft->spec;
  draft->spec.header.struct_type = ARMNN_STRUCT_PLAN_SPEC;
  draft->spec.tensors = draft->tensors;
  draft->spec.steps = draft->steps;
  draft->spec.variables = draft->variables;
  draft->spec.arena_size = arena_size;
}

static inline uint32_t draft_tensor(draft_t* draft, int32_t kind, uint64_t size, uint64_t offset,
                                    uint64_t alignment) {
  armnn_plan_tensor_t* tensor = &draft->tensors[draft->spec.tensor_count];
  tensor->kind = kind;
  tensor->size = size;
  tensor->offset = offset;
  tensor->alignment = alignment;
  if (kind == ARMNN_PLAN_TENSOR_INPUT) tensor->index = draft->spec.input_count++;
  if (kind == ARMNN_PLAN_TENSOR_OUTPUT) tensor->index = draft->spec.output_count++;
  return draft->spec.tensor_count++;
}

static inline uint32_t draft_input(draft_t* draft, uint64_t size) {
  return draft_tensor(draft, ARMNN_PLAN_TENSOR_INPUT, size, ARMNN_PLAN_NO_STAGING, 1);
}

static inline uint32_t draft_output(draft_t* draft, uint64_t size) {
  return draft_tensor(draft, ARMNN_PLAN_TENSOR_OUTPUT, size, ARMNN_PLAN_NO_STAGING, 1);
}

static inline void draft_variable(draft_t* draft, uint32_t value, uint32_t next) {
  draft->variables[draft->spec.variable_count].value = value;
  draft->variables[draft->spec.variable_count++].next = next;
}

static inline uint32_t draft_arena(draft_t* draft, uint64_t size, uint64_t offset) {
  return draft_tensor(draft, ARMNN_PLAN_TENSOR_ARENA, size, offset, 4);
}

static inline uint32_t draft_constant(draft_t* draft, uint64_t size, const void* address) {
  const uint32_t number = draft_tensor(draft, ARMNN_PLAN_TENSOR_CONSTANT, size, 0, 4);
  draft->tensors[number].address = address;
  return number;
}

/* A step with one or two inputs (the second may be NONE) and one output; null |fake|: a copy. */
static inline armnn_plan_step_t* draft_step(draft_t* draft, fake_t* fake, uint32_t first,
                                            uint32_t second, uint32_t output) {
  armnn_plan_step_t* step = &draft->steps[draft->spec.step_count];
  uint32_t* operands = draft->operands[draft->spec.step_count++];
  operands[0] = first;
  operands[1] = second;
  operands[4] = output;
  step->kind = fake != NULL ? ARMNN_PLAN_STEP_EXECUTE : ARMNN_PLAN_STEP_COPY;
  step->workload = fake != NULL ? &fake->base : NULL;
  step->input_count = second == NONE ? 1 : 2;
  step->output_count = 1;
  step->inputs = operands;
  step->outputs = operands + 4;
  step->execution_data_index = ARMNN_PLAN_NONE;
  return step;
}

typedef struct text_error_t {
  armnn_error_t error;
  char text[256];
} text_error_t;

static inline armnn_error_t* clear_error(text_error_t* error) {
  memset(error, 0, sizeof *error);
  error->error.header.struct_size = sizeof error->error;
  error->error.header.struct_type = ARMNN_STRUCT_ERROR;
  error->error.text = error->text;
  error->error.capacity = sizeof error->text;
  return &error->error;
}

static inline armnn_plan_t* must_plan(const draft_t* draft) {
  text_error_t error;
  armnn_plan_t* plan = NULL;
  const armnn_status_t status = armnn_plan_create(&draft->spec, &plan, clear_error(&error));
  if (status != ARMNN_STATUS_OK) fprintf(stderr, "refused: %s\n", error.text);
  CHECK_EQUAL(status, ARMNN_STATUS_OK);
  CHECK(plan != NULL);
  return plan;
}

static inline armnn_context_t* must_context(armnn_plan_t* plan, void* const* execution_data) {
  text_error_t error;
  armnn_context_t* context = NULL;
  CHECK_EQUAL(armnn_context_create(plan, execution_data, NULL, &context, clear_error(&error)), 0);
  CHECK(context != NULL);
  return context;
}

/* A context whose plan goes with it. */
static inline armnn_context_t* must_load(const draft_t* draft) {
  armnn_plan_t* plan = must_plan(draft);
  armnn_context_t* context = must_context(plan, NULL);
  armnn_plan_destroy(plan);
  return context;
}

static inline armnn_run_t make_run(armnn_context_t* context, const void* const* inputs,
                                   void* const* outputs, text_error_t* error) {
  armnn_run_t run;
  memset(&run, 0, sizeof run);
  run.header.struct_size = sizeof run;
  run.header.struct_type = ARMNN_STRUCT_RUN;
  run.context = context;
  run.inputs = inputs;
  run.outputs = outputs;
  if (error != NULL) run.error = clear_error(error);
  return run;
}

/* ---- Behaviours ---------------------------------------------------------------------------- */

/* output = input + 1, over as many ints as |data| points to (null: one). */
static inline armnn_status_t fake_increment(fake_t* self, const armnn_execute_args_t* args,
                                            armnn_error_t* error) {
  (void)error;
  const int count = self->data == NULL ? 1 : *(const int*)self->data;
  for (int i = 0; i < count; ++i) {
    int value;
    memcpy(&value, (const char*)args->inputs[0] + 4 * i, 4);
    ++value;
    memcpy((char*)args->outputs[0] + 4 * i, &value, 4);
  }
  return ARMNN_STATUS_OK;
}

/* output = first x 10 + second, so that order shows. */
static inline armnn_status_t fake_append(fake_t* self, const armnn_execute_args_t* args,
                                         armnn_error_t* error) {
  (void)self;
  (void)error;
  int first, second;
  memcpy(&first, args->inputs[0], 4);
  memcpy(&second, args->inputs[1], 4);
  first = first * 10 + second;
  memcpy(args->outputs[0], &first, 4);
  return ARMNN_STATUS_OK;
}

#endif /* ARMNN_TESTS_FAKE_H_ */
