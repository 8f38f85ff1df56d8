/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * operators.c - the makers of CpuAcc's operators, exported for tests, and a host whose threads take
 * the chunks in an order of their own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernels/kernels.h"
#include "ops/attention/row_tiles.h"
#include "ops/ops.h"

#define EXPORT __attribute__((visibility("default")))

enum { MOST_THREADS = 64 };

/* ---- A host -------------------------------------------------------------------------------- */

typedef struct work_t {
  armnn_range_fn_t body;
  void* argument;
  uint64_t chunks, size, count;
  atomic_uint_fast64_t* next;
  uint32_t thread;
} work_t;

static struct {
  uint64_t count, grain, threads;
} last_loop;

/* Chunks from the last to the first. */
static void* work(void* argument) {
  const work_t* w = (const work_t*)argument;
  for (;;) {
    const uint64_t taken = atomic_fetch_add(w->next, 1);
    if (taken >= w->chunks) return NULL;
    const uint64_t begin = (w->chunks - 1 - taken) * w->size;
    const uint64_t end = begin + w->size < w->count ? begin + w->size : w->count;
    if (w->body(w->argument, begin, end, w->thread) != ARMNN_STATUS_OK) abort(); /* none can fail */
  }
}

static armnn_status_t parallel_for(void* context, armnn_range_fn_t body, void* argument,
                                   uint64_t count, uint64_t grain, uint32_t max_threads) {
  (void)context;
  last_loop.count = count, last_loop.grain = grain, last_loop.threads = max_threads;
  atomic_uint_fast64_t next = 0;
  const uint64_t size = grain > 0 ? grain : 1;
  const uint32_t threads = max_threads < MOST_THREADS ? max_threads : MOST_THREADS;
  work_t parts[MOST_THREADS];
  pthread_t ids[MOST_THREADS];
  uint32_t started = 0;
  for (uint32_t i = 0; i < threads; ++i) {
    parts[i] = (work_t){body, argument, (count + size - 1) / size, size, count, &next, i};
    if (i > 0 && pthread_create(&ids[started], NULL, work, &parts[i]) == 0) ++started;
  }
  work(&parts[0]);
  for (uint32_t i = 0; i < started; ++i) pthread_join(ids[i], NULL);
  return ARMNN_STATUS_OK;
}

static const armnn_host_t host = {.header = {sizeof(armnn_host_t), ARMNN_STRUCT_HOST},
                                  .api_major = ARMNN_BACKEND_API_MAJOR,
                                  .api_minor = ARMNN_BACKEND_API_MINOR,
                                  .parallel_for = parallel_for};

/* ---- Instruction sets ---------------------------------------------------------------------- */

/* The name of instruction set |index|, or null behind the last. */
EXPORT const char* operators_isa(uint32_t index) {
  return index < armnn_i_acc_isa_count ? armnn_i_acc_isas[index]->name : NULL;
}

EXPORT uint64_t operators_features(uint32_t index) { return armnn_i_acc_isas[index]->features; }

EXPORT void operators_apply(uint32_t isa, int32_t function, const float* in, float* out,
                            uint64_t count, float a, float b) {
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_isas[isa]->kernels[ARMNN_DATA_TYPE_FLOAT32];
  kernels->elementwise->apply[function](in, out, count, a, b);
}

/* ---- Operators ----------------------------------------------------------------------------- */

static int32_t winograd = ARMNN_ACC_OFF;

static armnn_i_acc_maker_t maker_of(uint32_t isa, uint32_t threads) {
  return (armnn_i_acc_maker_t){
      .host = &host,
      .isa = armnn_i_acc_isas[isa],
      .max_threads = threads,
      .winograd = winograd,
      .separable = ARMNN_ACC_OFF,
  };
}

/* What the convolutions that are made from now on may be; at first they are windows. */
EXPORT void operators_set_winograd(int32_t option) { winograd = option; }

EXPORT int32_t operators_make_winograd(uint32_t isa, uint32_t threads,
                                       const armnn_i_acc_convolution_t* what, uint32_t tile,
                                       armnn_i_acc_op_t** out) {
  const armnn_i_acc_maker_t maker = maker_of(isa, threads);
  return (int32_t)armnn_i_acc_make_winograd(&maker, what, tile, out);
}

EXPORT int32_t operators_make_quantized_tiles(uint32_t isa, uint32_t threads,
                                              const armnn_i_acc_quantized_convolution_t* what,
                                              int32_t kind, armnn_i_acc_op_t** out) {
  const armnn_i_acc_maker_t maker = maker_of(isa, threads);
  return (int32_t)armnn_i_acc_make_quantized_tiles(&maker, what, (armnn_i_acc_tiles_e)kind, out);
}

#define KIND(kind, name, ...) KIND_LIKE(kind, name, name, 0)
#define KIND_LIKE(kind, name, other, ...)                                   \
  EXPORT int32_t operators_make_##name(uint32_t isa, uint32_t threads,      \
                                       const armnn_i_acc_##other##_t* what, \
                                       armnn_i_acc_op_t** out) {            \
    const armnn_i_acc_maker_t maker = maker_of(isa, threads);               \
    return (int32_t)armnn_i_acc_make_##name(&maker, what, out);             \
  }
#include "compile/kinds.inc"
KIND(COPY, copy, 0)
#undef KIND
#undef KIND_LIKE

/* The operator of maker |index|, or null behind the last. */
EXPORT const char* operators_maker(uint32_t index) {
  static const char* const names[] = {
#define KIND(kind, name, ...) #name,
#define KIND_LIKE(kind, name, ...) #name,
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE
      "copy"};
  return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

EXPORT const char* operators_kernel(const armnn_i_acc_op_t* op) { return op->kernel; }

EXPORT uint64_t operators_scratch(const armnn_i_acc_op_t* op) { return op->scratch_size; }

/* Without a host if |threads| is 1. Tensors are constants, or lie in binding 0. Answers what the
 * operator finds wrong with its operands; the words go to |out_text|, of 200 bytes. */
EXPORT int32_t operators_run(const armnn_i_acc_op_t* op, uint32_t threads, char* scratch,
                             char* binding, char* out_text) {
  char* const bindings[] = {binding};
  armnn_error_t error = {{sizeof error, ARMNN_STRUCT_ERROR}, 0, 0, out_text, 200, 0};
  armnn_i_acc_failure_t failure = {ARMNN_STATUS_OK, &error};
  const armnn_i_acc_run_t run = {
      threads > 1 ? &host : NULL, 1, bindings, scratch, threads, &failure};
  op->run(op, &run);
  return (int32_t)failure.status;
}

EXPORT void operators_destroy(armnn_i_acc_op_t* op) { op->destroy(op); }

/* What the last loop of several threads asked for: how many elements, of how many at least in a
 * chunk, on how many threads at most. */
EXPORT void operators_last_loop(uint64_t out[3]) {
  out[0] = last_loop.count, out[1] = last_loop.grain, out[2] = last_loop.threads;
}

/* The blocks of tiles [begin, end): of each its matrix, its first row and how many it has. How many
 * blocks there are. */
EXPORT uint64_t operators_row_blocks(int64_t rows, int64_t height, int64_t block_rows,
                                     int64_t begin, int64_t end, int64_t (*out)[3]) {
  const armnn_i_acc_row_tiles_t cut = armnn_i_acc_tiles_of_rows(rows, height, block_rows);
  uint64_t count = 0;
  while (begin < end) {
    const armnn_i_acc_row_block_t block = armnn_i_acc_first_block(&cut, begin, end);
    out[count][0] = block.matrix, out[count][1] = block.first, out[count][2] = block.rows;
    begin = block.end;
    ++count;
  }
  return count;
}
