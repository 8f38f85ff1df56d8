/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_plan_fuzz.c - random plans: what the checker accepts can be run, and touches only memory of
 * its own. Every operand is read or written to its last byte, so that a sanitizer sees a number
 * that should have been refused.
 */
#include <inttypes.h>

#include "fake.h"

#define PLANS 20000 /* or as many as ARMNN_TEST_PLANS says, other ones by ARMNN_TEST_SEED */
#define EXTERNAL_SIZE 512

typedef struct sizes_t {
  uint64_t inputs[4];
  uint64_t outputs[4];
  uint32_t input_count;
  uint32_t output_count;
  bool alignment_matters;
} sizes_t;

static volatile unsigned sink;

static armnn_status_t touch_everything(fake_t* self, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  (void)error;
  const sizes_t* sizes = (const sizes_t*)self->data;
  unsigned sum = 0;
  if (args->scratch_size != 0) {
    CHECK((uintptr_t)args->scratch % self->needs.scratch_alignment == 0);
    memset(args->scratch, 1, (size_t)args->scratch_size);
  }
  for (uint32_t i = 0; i < sizes->input_count; ++i) {
    const unsigned char* input = (const unsigned char*)args->inputs[i];
    CHECK((uintptr_t)input % self->needs.tensor_alignment == 0);
    for (uint64_t k = 0; input != NULL && k < sizes->inputs[i]; ++k) sum += input[k];
  }
  for (uint32_t i = 0; i < sizes->output_count; ++i) {
    CHECK((uintptr_t)args->outputs[i] % self->needs.tensor_alignment == 0);
    if (args->outputs[i] != NULL) memset(args->outputs[i], 2, (size_t)sizes->outputs[i]);
  }
  sink += sum;
  return ARMNN_STATUS_OK;
}

/* A number that is often small, sometimes at an edge, sometimes nonsense. */
static uint64_t odd_number(uint64_t* seed, uint64_t usual) {
  static const uint64_t edges[] = {0,
                                   1,
                                   63,
                                   64,
                                   255,
                                   256,
                                   257,
                                   4095,
                                   4096,
                                   4097,
                                   0x7fffffff,
                                   0x80000000,
                                   0xfffffffe,
                                   0xffffffff,
                                   UINT64_MAX,
                                   UINT64_MAX - 63,
                                   (uint64_t)INT64_MAX};
  if (random_below(seed, 3) == 0) return edges[random_below(seed, sizeof edges / sizeof *edges)];
  if (random_below(seed, 8) == 0) return next_random(seed);
  return random_below(seed, usual + 1);
}

static void random_plan(draft_t* draft, fake_t* fakes, uint64_t* seed) {
  static _Alignas(64) unsigned char constants[EXTERNAL_SIZE];
  const uint64_t arena = 64 * random_below(seed, 16);
  const uint32_t tensors = 2 + (uint32_t)random_below(seed, 8);
  const uint32_t steps = 1 + (uint32_t)random_below(seed, 6);
  draft_begin(draft, arena);
  for (uint32_t i = 0; i < tensors; ++i) {
    const bool is_output = i == 0 || random_below(seed, 20) == 0;
    const int32_t kind = is_output ? ARMNN_PLAN_TENSOR_OUTPUT : (int32_t)random_below(seed, 3);
    const uint64_t alignment = UINT64_C(1) << random_below(seed, 7);
    const bool staged = arena != 0 && random_below(seed, 2) == 0;
    const uint64_t offset = 64 * random_below(seed, arena / 64 + 1);
    const uint64_t room =
        kind == ARMNN_PLAN_TENSOR_CONSTANT || arena <= offset ? 64 : arena - offset;
    const uint64_t size = 4 * random_below(seed, (room > EXTERNAL_SIZE ? EXTERNAL_SIZE : room) / 4);
    const bool external = kind >= ARMNN_PLAN_TENSOR_INPUT;
    const uint32_t number =
        draft_tensor(draft, kind, size, external && !staged ? ARMNN_PLAN_NO_STAGING : offset,
                     external && !staged ? 1 : alignment);
    if (kind == ARMNN_PLAN_TENSOR_CONSTANT) draft->tensors[number].address = constants;
    if (external && random_below(seed, 3) == 0 && i + 1 < tensors) {
      const uint64_t begin = 4 * random_below(seed, size / 4 + 1);
      const uint32_t part = draft_tensor(draft, ARMNN_PLAN_TENSOR_PART,
                                         random_below(seed, size - begin + 1), begin, 1);
      draft->tensors[part].index = number;
      ++i;
    }
  }
  for (uint32_t i = 0; i < steps; ++i) {
    fakes[i] = make_fake(touch_everything, NULL);
    const uint64_t strict = random_below(seed, 20) == 0 ? random_below(seed, 7) : 0;
    fakes[i].needs.tensor_alignment = 1u << strict;
    fakes[i].needs.scratch_alignment = 1u << random_below(seed, 7);
    const bool copy = random_below(seed, 5) == 0;
    armnn_plan_step_t* step = draft_step(draft, copy ? NULL : &fakes[i], 0, NONE, 0);
    uint32_t* operands = draft->operands[i];
    if (!copy) step->input_count = (uint32_t)random_below(seed, 5);
    if (!copy) step->output_count = 1 + (uint32_t)random_below(seed, 2);
    for (int k = 0; k < 8; ++k) {
      const uint32_t operand = (uint32_t)random_below(seed, tensors);
      const int32_t kind = draft->tensors[operand].kind;
      const bool in_output =
          kind == ARMNN_PLAN_TENSOR_PART &&
          draft->tensors[draft->tensors[operand].index].kind == ARMNN_PLAN_TENSOR_OUTPUT;
      const bool writable =
          kind == ARMNN_PLAN_TENSOR_ARENA || kind == ARMNN_PLAN_TENSOR_OUTPUT || in_output;
      operands[k] = k < 4 || writable ? operand : 0;
      if (!copy && random_below(seed, 12) == 0) operands[k] = NONE;
    }
    if (copy && draft->tensors[operands[0]].size != draft->tensors[operands[4]].size) {
      operands[0] = operands[4];
    }
    if (arena != 0 && random_below(seed, 8) == 0) {
      step->scratch_offset = 64 * random_below(seed, arena / 64);
      step->scratch_size = random_below(seed, arena - step->scratch_offset + 1);
      fakes[i].needs.scratch_size = step->scratch_size;
    }
    if (i == 0) { /* somebody writes the output */
      operands[4] = 0;
      if (copy) operands[0] = 0;
    }
  }
}

/* Behind all else in the arena: a variable with a sub-tensor, and steps that read and write it. */
static void add_variable(draft_t* draft, fake_t* fakes, uint64_t* seed) {
  const uint64_t arena = draft->spec.arena_size;
  const uint32_t number = draft->spec.step_count;
  const uint64_t size = 4 + random_below(seed, 60);
  draft->spec.arena_size += 128;
  const uint32_t value = draft_tensor(draft, ARMNN_PLAN_TENSOR_VARIABLE, size, arena, 64);
  const uint32_t next = draft_tensor(draft, ARMNN_PLAN_TENSOR_VARIABLE, size, arena + 64, 64);
  const uint32_t part = draft_tensor(draft, ARMNN_PLAN_TENSOR_PART, size - 4, 4, 4);
  draft->tensors[part].index = random_below(seed, 2) == 0 ? value : next;
  fakes[number] = make_fake(touch_everything, NULL);
  draft_step(draft, &fakes[number], value, part, next);
  draft_variable(draft, value, random_below(seed, 8) == 0 ? NONE : next);
}

/* Changes up to three numbers; pointers stay good, they are not the checker's business. */
static void mutate(draft_t* draft, fake_t* fakes, uint64_t* seed) {
  for (uint64_t count = random_below(seed, 4); count > 0; --count) {
    armnn_plan_tensor_t* tensor = &draft->tensors[random_below(seed, draft->spec.tensor_count)];
    const uint32_t number = (uint32_t)random_below(seed, draft->spec.step_count);
    armnn_plan_step_t* step = &draft->steps[number];
    switch (random_below(seed, 18)) {
      case 0:
        tensor->kind = (int32_t)odd_number(seed, 7);
        break;
      case 1:
        tensor->index = (uint32_t)odd_number(seed, 3);
        break;
      case 2:
        tensor->offset = odd_number(seed, 1024);
        break;
      case 3:
        tensor->size = odd_number(seed, EXTERNAL_SIZE);
        break;
      case 4:
        tensor->alignment = odd_number(seed, 128);
        break;
      case 5:
        tensor->address = NULL;
        break;
      case 6:
        step->kind = (int32_t)odd_number(seed, 2);
        break;
      case 7:
        step->input_count = (uint32_t)random_below(seed, 5);
        break;
      case 8:
        step->output_count = (uint32_t)random_below(seed, 5);
        break;
      case 9:
        step->execution_data_index = (uint32_t)odd_number(seed, 3);
        break;
      case 10:
        step->scratch_offset = odd_number(seed, 1024);
        break;
      case 11:
        step->scratch_size = odd_number(seed, 1024);
        break;
      case 12:
        draft->operands[number][random_below(seed, 8)] = (uint32_t)odd_number(seed, 12);
        break;
      case 13:
        draft->spec.arena_size = odd_number(seed, 2048);
        break;
      case 14:
        fakes[number].needs.scratch_size = odd_number(seed, 512);
        break;
      case 15:
        draft->variables[0].value = (uint32_t)odd_number(seed, 12);
        break;
      case 16:
        draft->variables[0].next = (uint32_t)odd_number(seed, 12);
        break;
      default:
        draft->spec.input_count = (uint32_t)odd_number(seed, 6);
        draft->spec.output_count = (uint32_t)odd_number(seed, 6);
        break;
    }
  }
}

/* What the checker accepted, but this test cannot afford to run. */
static bool is_too_large(const draft_t* draft) {
  if (draft->spec.arena_size > 1 << 20 || draft->spec.execution_data_count > 8) return true;
  for (uint32_t i = 0; i < draft->spec.tensor_count; ++i) {
    if (draft->tensors[i].size > EXTERNAL_SIZE) return true;
  }
  return false;
}

static void run_plan(const draft_t* draft, fake_t* fakes, armnn_plan_t* plan, uint64_t* seed) {
  sizes_t sizes[MAX_PLAN];
  memset(sizes, 0, sizeof sizes);
  for (uint32_t i = 0; i < draft->spec.step_count; ++i) {
    const armnn_plan_step_t* step = &draft->steps[i];
    sizes[i].input_count = step->input_count;
    sizes[i].output_count = step->output_count;
    for (uint32_t k = 0; k < step->input_count; ++k) {
      if (step->inputs[k] != NONE) sizes[i].inputs[k] = draft->tensors[step->inputs[k]].size;
    }
    for (uint32_t k = 0; k < step->output_count; ++k) {
      if (step->outputs[k] != NONE) sizes[i].outputs[k] = draft->tensors[step->outputs[k]].size;
    }
    fakes[i].data = &sizes[i];
  }
  void* data[8] = {NULL};
  armnn_context_t* context = must_context(plan, data);
  const void* inputs[MAX_PLAN];
  void* outputs[MAX_PLAN];
  void* memory[2 * MAX_PLAN];
  uint32_t used = 0;
  for (uint32_t i = 0; i < draft->spec.tensor_count; ++i) {
    const armnn_plan_tensor_t* tensor = &draft->tensors[i];
    if (tensor->kind != ARMNN_PLAN_TENSOR_INPUT && tensor->kind != ARMNN_PLAN_TENSOR_OUTPUT) {
      continue;
    }
    /* Exactly its size, at any address, so that one byte too many is seen. */
    const uint64_t shift = random_below(seed, 64);
    char* block = (char*)armnn_i_alloc(tensor->size + shift, 64);
    memory[used++] = block;
    memset(block, 3, (size_t)(tensor->size + shift));
    if (tensor->kind == ARMNN_PLAN_TENSOR_INPUT) inputs[tensor->index] = block + shift;
    if (tensor->kind == ARMNN_PLAN_TENSOR_OUTPUT) outputs[tensor->index] = block + shift;
  }
  text_error_t error;
  for (int i = 0; i < 2; ++i) {
    armnn_run_t run = make_run(context, inputs, outputs, &error);
    CHECK_EQUAL(armnn_context_run(&run), ARMNN_STATUS_OK);
  }
  armnn_context_destroy(context);
  while (used > 0) armnn_i_free(memory[--used]);
}

static uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* text = getenv(variable);
  return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void accepted_plans_are_safe(void) {
  uint64_t seed = number_from("ARMNN_TEST_SEED", 20240229);
  const uint64_t count = number_from("ARMNN_TEST_PLANS", PLANS);
  uint64_t accepted = 0, refused = 0;
  for (uint64_t i = 0; i < count; ++i) {
    draft_t draft;
    fake_t fakes[MAX_PLAN];
    text_error_t error;
    armnn_plan_t* plan = NULL;
    random_plan(&draft, fakes, &seed);
    if (random_below(&seed, 3) == 0) add_variable(&draft, fakes, &seed);
    mutate(&draft, fakes, &seed);
    const armnn_status_t status = armnn_plan_create(&draft.spec, &plan, clear_error(&error));
    if (status == ARMNN_STATUS_OK) {
      if (!is_too_large(&draft)) run_plan(&draft, fakes, plan, &seed);
      ++accepted;
    } else {
      CHECK_EQUAL(status, ARMNN_STATUS_INVALID_ARGUMENT);
      CHECK(error.text[0] != '\0' && plan == NULL);
      ++refused;
    }
    armnn_plan_destroy(plan);
  }
  printf("  %" PRIu64 " accepted, %" PRIu64 " refused\n", accepted, refused);
  CHECK(accepted > count / 20 && refused > count / 20); /* else the plans say nothing */
}

static const test_t tests[] = {TEST(accepted_plans_are_safe)};
MAIN(tests)
