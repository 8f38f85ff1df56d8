/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * device_tensor.h - a tensor in memory of a backend, as the tests of moves have it: what the host
 * did with it is counted, and it fails when it is told to. Then plans over two of them.
 */
#ifndef ARMNN_TESTS_DEVICE_TENSOR_H_
#define ARMNN_TESTS_DEVICE_TENSOR_H_

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

static inline device_tensor_t* of(armnn_tensor_handle_t* handle) {
  return (device_tensor_t*)handle;
}
static inline bool fails(device_tensor_t* self) {
  return self->answer != ARMNN_STATUS_OK && self->good_calls-- <= 0;
}
static inline int* place(device_tensor_t* self) {
  return self->imported != NULL ? self->imported : self->memory;
}
static inline int at(const device_tensor_t* self, int i) { return i + i / 2 * self->pad; }

static inline void tensor_destroy(armnn_tensor_handle_t* handle) { (void)handle; }

static inline armnn_status_t tensor_allocate(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  (void)error;
  ++of(handle)->allocations;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t tensor_map(armnn_tensor_handle_t* handle, uint32_t access,
                                        void** out_memory, armnn_error_t* error) {
  device_tensor_t* self = of(handle);
  CHECK(access == ARMNN_MAP_READ || access == ARMNN_MAP_WRITE);
  if (fails(self)) return armnn_i_fail(error, self->answer, "no window");
  CHECK_EQUAL(self->maps, self->unmaps);
  ++self->maps;
  *out_memory = place(self);
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t tensor_unmap(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  device_tensor_t* self = of(handle);
  (void)error;
  ++self->unmaps;
  CHECK_EQUAL(self->maps, self->unmaps);
  CHECK(self->reader == NULL || self->reader->imported == NULL);
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t tensor_layout(armnn_tensor_handle_t* handle, uint64_t* out_shape,
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

static inline armnn_status_t tensor_copy_in(armnn_tensor_handle_t* handle, const void* source,
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

static inline armnn_status_t tensor_copy_out(armnn_tensor_handle_t* handle, void* target,
                                             uint64_t size, armnn_error_t* error) {
  device_tensor_t* self = of(handle);
  if (fails(self)) return self->answer;
  (void)error;
  ++self->copies_out;
  memcpy(target, place(self), (size_t)size);
  return ARMNN_STATUS_OK;
}

static inline uint32_t tensor_flags(armnn_tensor_handle_t* handle) {
  return of(handle)->imports ? ARMNN_MEMORY_SOURCE_MALLOC : 0;
}

static inline armnn_status_t tensor_can(armnn_tensor_handle_t* handle, const armnn_memory_t* memory,
                                        armnn_error_t* why_not) {
  CHECK_EQUAL(memory->header.struct_type, ARMNN_STRUCT_MEMORY);
  CHECK_EQUAL(memory->source, ARMNN_MEMORY_SOURCE_MALLOC);
  CHECK_EQUAL(memory->fd, -1);
  CHECK_EQUAL(memory->size, SIZE);
  if (!of(handle)->picky) return ARMNN_STATUS_OK;
  return armnn_i_fail(why_not, ARMNN_STATUS_UNSUPPORTED, "an odd address");
}

static inline armnn_status_t tensor_import(armnn_tensor_handle_t* handle,
                                           const armnn_memory_t* memory, armnn_error_t* error) {
  (void)error;
  CHECK(of(handle)->imported == NULL);
  of(handle)->imported = (int*)memory->address;
  ++of(handle)->imports_done;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t tensor_unimport(armnn_tensor_handle_t* handle, armnn_error_t* error) {
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
static inline armnn_status_t on_device(fake_t* self, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  (void)self, (void)error;
  CHECK(args->inputs[0] == NULL && args->outputs[0] == NULL);
  device_tensor_t* from = of(args->input_handles[0]);
  device_tensor_t* to = of(args->output_handles[0]);
  for (int i = 0; i < COUNT; ++i) place(to)[at(to, i)] = place(from)[at(from, i)] + 1;
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t fail(fake_t* self, const armnn_execute_args_t* args,
                                  armnn_error_t* error) {
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

static inline void set_up(fixture_t* f, const armnn_tensor_handle_api_t* api) {
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

static inline armnn_plan_step_t* step_of(fixture_t* f, int32_t kind, uint32_t input,
                                         uint32_t output) {
  armnn_plan_step_t* step = draft_step(&f->draft, NULL, input, NONE, output);
  step->kind = kind;
  return step;
}

static inline void load(fixture_t* f) {
  armnn_plan_t* plan = must_plan(&f->draft);
  const armnn_status_t status =
      armnn_context_create(plan, NULL, f->handles, &f->context, clear_error(&f->error));
  CHECK_EQUAL(status, ARMNN_STATUS_OK);
  armnn_plan_destroy(plan);
  f->run = make_run(f->context, f->inputs, f->outputs, &f->error);
}

static inline void check_result(const fixture_t* f, int more) {
  for (int i = 0; i < COUNT; ++i) CHECK_EQUAL(f->result[i], f->value[i] + more);
}

/* ---- Plans --------------------------------------------------------------------------------- */

/* in -copy-> a -device-> b -copy-> out */
static inline void draft_copies(fixture_t* f) {
  const uint32_t in = draft_input(&f->draft, SIZE);
  const uint32_t out = draft_output(&f->draft, SIZE);
  draft_step(&f->draft, NULL, in, NONE, f->a);
  draft_step(&f->draft, &f->device, f->a, NONE, f->b);
  draft_step(&f->draft, NULL, f->b, NONE, out);
}

/* in -copy-> a -copy-> b -copy-> out; |staging|: with a place for what lies between a and b */
static inline void draft_across(fixture_t* f, bool staging) {
  const uint32_t in = draft_input(&f->draft, SIZE);
  const uint32_t out = draft_output(&f->draft, SIZE);
  draft_step(&f->draft, NULL, in, NONE, f->a);
  armnn_plan_step_t* across = draft_step(&f->draft, NULL, f->a, NONE, f->b);
  across->scratch_offset = 128;
  across->scratch_size = staging ? SIZE : 0;
  draft_step(&f->draft, NULL, f->b, NONE, out);
}

/* in -import-> a; b lent to out; a -device-> b -return-> out */
static inline void draft_imports(fixture_t* f) {
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

/* in -copy-> a -map-> m -host-> out -unmap */
static inline uint32_t draft_export(fixture_t* f, uint64_t staging) {
  const uint32_t in = draft_input(&f->draft, SIZE);
  const uint32_t out = draft_output(&f->draft, SIZE);
  const uint32_t m = draft_tensor(&f->draft, ARMNN_PLAN_TENSOR_MAPPED, SIZE, staging, 4);
  draft_step(&f->draft, NULL, in, NONE, f->a);
  step_of(f, ARMNN_PLAN_STEP_MAP, f->a, m);
  draft_step(&f->draft, &f->host, m, NONE, out);
  step_of(f, ARMNN_PLAN_STEP_UNMAP, f->a, 0)->output_count = 0;
  return m;
}

#endif /* ARMNN_TESTS_DEVICE_TENSOR_H_ */
