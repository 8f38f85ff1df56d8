/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_handles.c - plans over tensors in memory of a backend: copies, imports, maps.
 */
#include "fake.h"

enum { COUNT = 4, SIZE = 4 * COUNT };

/* A handle whose memory the test sees; |pad| ints lie between its rows of two. */
typedef struct device_tensor_t {
  armnn_tensor_handle_t base;
  int memory[4 * COUNT];
  int pad;
  uint64_t strides[2]; /* said in place of the true ones, each one more; 0: not */
  bool is_wordy;       /* fills the room for its words to the end when it fails */
  int* imported;
  const struct device_tensor_t* reader; /* what must not stand for this memory after unmap */
  bool imports;                         /* says that it does */
  bool picky;                           /* and then does not like the address */
  armnn_status_t stubborn;              /* what unimport answers */
  int touched;                          /* what unimport finds in the memory */
  int copies_in, copies_out, maps, unmaps, imports_done, unimports, allocations;
  armnn_status_t answer; /* of copies and maps, ... */
  int good_calls;        /* ... after so many */
} device_tensor_t;

static device_tensor_t* of(armnn_tensor_handle_t* handle) { return (device_tensor_t*)handle; }
static bool fails(device_tensor_t* self) {
  return self->answer != ARMNN_STATUS_OK && self->good_calls-- <= 0;
}
static int* place(device_tensor_t* self) {
  return self->imported != NULL ? self->imported : self->memory;
}
static int at(const device_tensor_t* self, int i) { return i + i / 2 * self->pad; }

static void tensor_destroy(armnn_tensor_handle_t* handle) { (void)handle; }

static armnn_status_t tensor_allocate(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  (void)error;
  ++of(handle)->allocations;
  return ARMNN_STATUS_OK;
}

static armnn_status_t tensor_map(armnn_tensor_handle_t* handle, uint32_t access, void** out_memory,
                                 armnn_error_t* error) {
  device_tensor_t* self = of(handle);
  CHECK(access == ARMNN_MAP_READ || access == ARMNN_MAP_WRITE);
  if (fails(self)) return armnn_i_fail(error, self->answer, "no window");
  CHECK_EQUAL(self->maps, self->unmaps);
  ++self->maps;
  *out_memory = place(self);
  return ARMNN_STATUS_OK;
}

static armnn_status_t tensor_unmap(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  device_tensor_t* self = of(handle);
  (void)error;
  ++self->unmaps;
  CHECK_EQUAL(self->maps, self->unmaps);
  CHECK(self->reader == NULL || self->reader->imported == NULL);
  return ARMNN_STATUS_OK;
}

static armnn_status_t tensor_layout(armnn_tensor_handle_t* handle, uint64_t* out_shape,
                                    uint64_t* out_byte_strides, uint32_t* out_rank) {
  out_shape[0] = COUNT / 2, out_shape[1] = 2;
  out_byte_strides[0] = 4 * (2 + (uint64_t)of(handle)->pad), out_byte_strides[1] = 4;
  if (of(handle)->strides[0] != 0) {
    out_byte_strides[0] = of(handle)->strides[0] - 1;
    out_byte_strides[1] = of(handle)->strides[1] - 1;
  }
  *out_rank = 2;
  return ARMNN_STATUS_OK;
}

static armnn_status_t tensor_copy_in(armnn_tensor_handle_t* handle, const void* source,
                                     uint64_t size, armnn_error_t* error) {
  device_tensor_t* self = of(handle);
  if (fails(self)) {
    if (!self->is_wordy) return armnn_i_fail(error, self->answer, "the bus is wet");
    memset(error->text, 'x', (size_t)error->capacity);
    return self->answer;
  }
  ++self->copies_in;
  memcpy(place(self), source, (size_t)size);
  return ARMNN_STATUS_OK;
}

static armnn_status_t tensor_copy_out(armnn_tensor_handle_t* handle, void* target, uint64_t size,
                                      armnn_error_t* error) {
  device_tensor_t* self = of(handle);
  if (fails(self)) return self->answer;
  (void)error;
  ++self->copies_out;
  memcpy(target, place(self), (size_t)size);
  return ARMNN_STATUS_OK;
}

static uint32_t tensor_flags(armnn_tensor_handle_t* handle) {
  return of(handle)->imports ? ARMNN_MEMORY_SOURCE_MALLOC : 0;
}

static armnn_status_t tensor_can(armnn_tensor_handle_t* handle, void* memory, int32_t source,
                                 armnn_error_t* why_not) {
  (void)memory;
  CHECK_EQUAL(source, ARMNN_MEMORY_SOURCE_MALLOC);
  if (!of(handle)->picky) return ARMNN_STATUS_OK;
  return armnn_i_fail(why_not, ARMNN_STATUS_UNSUPPORTED, "an odd address");
}

static armnn_status_t tensor_import(armnn_tensor_handle_t* handle, void* memory, int32_t source,
                                    armnn_error_t* error) {
  (void)error, (void)source;
  CHECK(of(handle)->imported == NULL);
  of(handle)->imported = (int*)memory;
  ++of(handle)->imports_done;
  return ARMNN_STATUS_OK;
}

static armnn_status_t tensor_unimport(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  device_tensor_t* self = of(handle);
  CHECK(self->imported != NULL);
  self->touched = self->imported[1]; /* the memory is still there */
  ++self->unimports;
  if (self->stubborn != ARMNN_STATUS_OK) {
    return armnn_i_fail(error, self->stubborn, "pages are pinned");
  }
  self->imported = NULL;
  return ARMNN_STATUS_OK;
}

#define HEAD {sizeof(armnn_tensor_handle_api_t), ARMNN_STRUCT_TENSOR_HANDLE}
static const armnn_tensor_handle_api_t copying_api = {
    .header = HEAD,
    .destroy = tensor_destroy,
    .allocate = tensor_allocate,
    .copy_in_from = tensor_copy_in,
    .copy_out_to = tensor_copy_out,
    .get_import_flags = tensor_flags,
    .can_be_imported = tensor_can,
    .import_memory = tensor_import,
    .unimport_memory = tensor_unimport,
};
static const armnn_tensor_handle_api_t mapping_api = {
    .header = HEAD,
    .destroy = tensor_destroy,
    .map = tensor_map,
    .unmap = tensor_unmap,
    .get_layout = tensor_layout,
};
static const armnn_tensor_handle_api_t both_api = {
    .header = HEAD,
    .destroy = tensor_destroy,
    .map = tensor_map,
    .unmap = tensor_unmap,
    .get_layout = tensor_layout,
    .copy_in_from = tensor_copy_in,
    .copy_out_to = tensor_copy_out,
};
static const armnn_tensor_handle_api_t blind_api = {.header = HEAD, .destroy = tensor_destroy};

/* output = input + 1 on the device. */
static armnn_status_t on_device(fake_t* self, const armnn_execute_args_t* args,
                                armnn_error_t* error) {
  (void)self, (void)error;
  CHECK(args->inputs[0] == NULL && args->outputs[0] == NULL);
  device_tensor_t* from = of(args->input_handles[0]);
  device_tensor_t* to = of(args->output_handles[0]);
  for (int i = 0; i < COUNT; ++i) place(to)[at(to, i)] = place(from)[at(from, i)] + 1;
  return ARMNN_STATUS_OK;
}

static armnn_status_t fail(fake_t* self, const armnn_execute_args_t* args, armnn_error_t* error) {
  (void)self, (void)args;
  return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "no luck");
}

typedef struct fixture_t {
  draft_t draft;
  fake_t device, host;
  device_tensor_t tensors[2];
  armnn_tensor_handle_t* handles[2];
  uint32_t a, b; /* tensors that are handles */
  int value[COUNT], result[COUNT];
  const void* inputs[1];
  void* outputs[1];
  int count;
  text_error_t error;
  armnn_context_t* context;
  armnn_run_t run;
} fixture_t;

static void set_up(fixture_t* f, const armnn_tensor_handle_api_t* api) {
  memset(f, 0, sizeof *f);
  f->count = COUNT;
  f->device = make_fake(on_device, NULL);
  f->host = make_fake(fake_increment, &f->count);
  draft_begin(&f->draft, 256);
  for (int i = 0; i < 2; ++i) {
    f->tensors[i].base.api = api;
    f->handles[i] = &f->tensors[i].base;
  }
  f->draft.spec.handle_count = 2;
  f->a = draft_tensor(&f->draft, ARMNN_PLAN_TENSOR_HANDLE, SIZE, 0, 1);
  f->b = draft_tensor(&f->draft, ARMNN_PLAN_TENSOR_HANDLE, SIZE, 0, 1);
  f->draft.tensors[f->b].index = 1;
  for (int i = 0; i < COUNT; ++i) f->value[i] = 10 * i;
  f->inputs[0] = f->value;
  f->outputs[0] = f->result;
}

static armnn_plan_step_t* step_of(fixture_t* f, int32_t kind, uint32_t input, uint32_t output) {
  armnn_plan_step_t* step = draft_step(&f->draft, NULL, input, NONE, output);
  step->kind = kind;
  return step;
}

static void load(fixture_t* f) {
  armnn_plan_t* plan = must_plan(&f->draft);
  const armnn_status_t status =
      armnn_context_create(plan, NULL, f->handles, &f->context, clear_error(&f->error));
  CHECK_EQUAL(status, ARMNN_STATUS_OK);
  armnn_plan_destroy(plan);
  f->run = make_run(f->context, f->inputs, f->outputs, &f->error);
}

static void check_result(const fixture_t* f, int more) {
  for (int i = 0; i < COUNT; ++i) CHECK_EQUAL(f->result[i], f->value[i] + more);
}

/* in -copy-> a -device-> b -copy-> out */
static void draft_copies(fixture_t* f) {
  const uint32_t in = draft_input(&f->draft, SIZE);
  const uint32_t out = draft_output(&f->draft, SIZE);
  draft_step(&f->draft, NULL, in, NONE, f->a);
  draft_step(&f->draft, &f->device, f->a, NONE, f->b);
  draft_step(&f->draft, NULL, f->b, NONE, out);
}

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

/* in -copy-> a -copy-> b -copy-> out; |staging|: with a place for what lies between a and b */
static void draft_across(fixture_t* f, bool staging) {
  const uint32_t in = draft_input(&f->draft, SIZE);
  const uint32_t out = draft_output(&f->draft, SIZE);
  draft_step(&f->draft, NULL, in, NONE, f->a);
  armnn_plan_step_t* across = draft_step(&f->draft, NULL, f->a, NONE, f->b);
  across->scratch_offset = 128;
  across->scratch_size = staging ? SIZE : 0;
  draft_step(&f->draft, NULL, f->b, NONE, out);
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

/* in -import-> a; b lent to out; a -device-> b -return-> out */
static void draft_imports(fixture_t* f) {
  const uint32_t in = draft_input(&f->draft, SIZE);
  const uint32_t out = draft_output(&f->draft, SIZE);
  step_of(f, ARMNN_PLAN_STEP_IMPORT, in, f->a);
  armnn_plan_step_t* lend = step_of(f, ARMNN_PLAN_STEP_LEND, 0, f->b);
  lend->input_count = 0;
  lend->output_count = 2;
  f->draft.operands[1][5] = out;
  draft_step(&f->draft, &f->device, f->a, NONE, f->b);
  step_of(f, ARMNN_PLAN_STEP_RETURN, f->b, out);
}

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

/* in -copy-> a -map-> m -host-> out -unmap */
static uint32_t draft_export(fixture_t* f, uint64_t staging) {
  const uint32_t in = draft_input(&f->draft, SIZE);
  const uint32_t out = draft_output(&f->draft, SIZE);
  const uint32_t m = draft_tensor(&f->draft, ARMNN_PLAN_TENSOR_MAPPED, SIZE, staging, 4);
  draft_step(&f->draft, NULL, in, NONE, f->a);
  step_of(f, ARMNN_PLAN_STEP_MAP, f->a, m);
  draft_step(&f->draft, &f->host, m, NONE, out);
  step_of(f, ARMNN_PLAN_STEP_UNMAP, f->a, 0)->output_count = 0;
  return m;
}

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
  f.run.strict = 1; /* about the caller's memory, of which this is none */
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

/* Two tensors of a plan may be one handle: a map of either is one of both. */
static void draft_other_name(fixture_t* f, uint32_t step, uint32_t operand) {
  const uint32_t alias = draft_tensor(&f->draft, ARMNN_PLAN_TENSOR_HANDLE, SIZE, 0, 1);
  f->draft.operands[step][operand] = alias;
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

static void refuse(fixture_t* f, const char* part) {
  armnn_plan_t* plan = NULL;
  CHECK_EQUAL(armnn_plan_create(&f->draft.spec, &plan, clear_error(&f->error)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_TEXT(f->error.text, part);
  CHECK(plan == NULL);
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
  CHECK_TEXT(f.error.text, "tensor handle 1 is none");
  armnn_plan_destroy(plan);
}

static const test_t tests[] = {
    TEST(copies_go_in_and_out),
    TEST(copies_are_named_in_the_trace),
    TEST(without_copies_handles_are_mapped),
    TEST(copies_between_backends),
    TEST(a_failing_copy_says_who_and_why),
    TEST(padded_memory_is_mapped_in_vain_once),
    TEST(strides_that_make_no_sense_are_refused),
    TEST(words_of_a_backend_end_with_their_buffer),
    TEST(a_copy_between_backends_says_which_side_failed),
    TEST(what_is_open_to_one_reader_is_not_closed_by_another),
    TEST(imports_copy_nothing),
    TEST(the_callers_memory_is_given_back_after_each_run),
    TEST(a_backend_that_does_not_give_memory_back_fails_the_run),
    TEST(what_is_mapped_is_given_back_before_it_is_closed),
    TEST(imports_from_the_arena_stay),
    TEST(inner_tensors_may_be_copied_in_strict_runs),
    TEST(refused_imports_are_copied_unless_strict),
    TEST(exports_copy_nothing),
    TEST(parts_of_exports_are_read),
    TEST(padded_memory_is_not_exported),
    TEST(what_is_mapped_is_closed_when_a_run_fails),
    TEST(copies_to_aligned_places_are_counted),
    TEST(bad_plans_are_refused),
    TEST(contexts_want_their_handles),
};
MAIN(tests)
