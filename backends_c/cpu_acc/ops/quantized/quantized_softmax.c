/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_softmax.c - softmax of quantised numbers along any dimension, and its logarithm: of
 * real numbers, rounded once.
 *
 * What CpuRef computes in this order is computed in this order: the largest number first, powers as
 * float32, their sum in double.
 */
#include "ops/walk.h"
#include "quantized_reals.h"

enum { OUTPUT = 0, INPUT = 1 };

typedef struct softmax_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_quantized_softmax_t what;
  bool is_word;            /* numbers of 16 bits, both */
  float reals[256];        /* beta times the real number of each byte of the input */
  armnn_i_acc_walk_t walk; /* over lines */
  int64_t lines;
  uint32_t threads;
} softmax_op_t;

typedef struct softmax_run_t {
  const softmax_op_t* op;
  const uint8_t* input;
  uint8_t* output;
  float* scratch;
} softmax_run_t;

/* beta times the real number at |in|. */
static float real_at(const softmax_op_t* op, const uint8_t* in) {
  if (!op->is_word) return op->reals[*in];
  const float real = op->what.input.element.scale * (float)*(const int16_t*)(const void*)in;
  return op->what.beta * real;
}

static void store(const softmax_op_t* op, uint8_t* out, float real) {
  const int32_t number = armnn_i_acc_stored_number(op->what.output.element, real);
  if (op->is_word) {
    *(int16_t*)(void*)out = (int16_t)number;
  } else {
    *out = (uint8_t)number;
  }
}

static void run_line(const softmax_op_t* op, const uint8_t* in, uint8_t* out, float* powers) {
  const armnn_i_acc_quantized_softmax_t* what = &op->what;
  const int64_t count = what->output.dims[what->axis];
  const int64_t in_step = what->input.strides[what->axis];
  const int64_t out_step = what->output.strides[what->axis];
  float top = real_at(op, in);
  for (int64_t i = 1; i < count; ++i) {
    const float t = real_at(op, in + i * in_step);
    top = t > top ? t : top;
  }
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    powers[i] = expf(real_at(op, in + i * in_step) - top);
    sum += (double)powers[i];
  }
  if (what->logarithm) {
    const float shift = (float)log(sum);
    for (int64_t i = 0; i < count; ++i) {
      const float distance = real_at(op, in + i * in_step) - top;
      store(op, out + i * out_step, distance - shift);
    }
    return;
  }
  const float factor = (float)(1.0 / sum);
  for (int64_t i = 0; i < count; ++i) {
    store(op, out + i * out_step, powers[i] * factor);
  }
}

static armnn_status_t run_lines(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const softmax_run_t* run = (const softmax_run_t*)argument;
  const softmax_op_t* op = run->op;
  float* powers = run->scratch + thread_index * op->what.output.dims[op->what.axis];
  for (uint64_t line = begin; line < end; ++line) {
    int64_t at[ARMNN_ACC_WALKED];
    armnn_i_acc_walk_offsets(&op->walk, 0, (int64_t)line, at);
    run_line(op, run->input + at[INPUT], run->output + at[OUTPUT], powers);
  }
  return ARMNN_STATUS_OK;
}

static void run_softmax(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const softmax_op_t* op = (const softmax_op_t*)base;
  softmax_run_t self = {op, armnn_i_acc_address(run, &op->what.input),
                        armnn_i_acc_address(run, &op->what.output), (float*)(void*)run->scratch};
  armnn_i_acc_parallel(run, run_lines, &self, (uint64_t)op->lines, 1, op->threads);
}

armnn_status_t armnn_i_acc_make_quantized_softmax(const armnn_i_acc_maker_t* maker,
                                                  const armnn_i_acc_quantized_softmax_t* what,
                                                  armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_element_t in = what->input.element;
  const int32_t out_type = what->output.element.type;
  const bool is_word = armnn_i_acc_is_words(in.type) && armnn_i_acc_is_words(out_type);
  if (!is_word && !(armnn_i_acc_is_levels(in.type) && armnn_i_acc_is_levels(out_type))) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  softmax_op_t* op = (softmax_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->is_word = is_word;
  if (!is_word) armnn_i_acc_reals(in, op->reals);
  for (int32_t byte = 0; byte < 256; ++byte) op->reals[byte] *= what->beta;
  armnn_i_acc_walk_t* walk = &op->walk;
  walk->tensors = 2;
  for (uint32_t d = 0; d < what->output.rank; ++d) {
    if (d == what->axis) continue;
    walk->dims[walk->rank] = what->output.dims[d];
    walk->strides[OUTPUT][walk->rank] = what->output.strides[d];
    walk->strides[INPUT][walk->rank++] = what->input.strides[d];
  }
  armnn_i_acc_walk_join(walk);
  op->lines = armnn_i_acc_walk_outer(walk, 0);
  op->base.op.run = run_softmax;
  op->base.op.kernel = is_word ? (what->logarithm ? "armnn_s16_log_softmax" : "armnn_s16_softmax")
                       : what->logarithm ? "armnn_s8_log_softmax"
                                         : "armnn_s8_softmax";
  op->base.op.operations = 16 * (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, op->base.op.operations);
  op->base.op.scratch_size = (uint64_t)what->output.dims[what->axis] * op->threads * sizeof(float);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
