/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_softmax.c - softmax of quantised numbers along any dimension, and its logarithm: of
 * real numbers, rounded once.
 *
 * What CpuRef computes in this order is computed in this order: the largest number first, powers as
 * float32, their sum in double. A power of a byte depends on the byte and the largest one, so that
 * a table has it from the second time on.
 */
#include <string.h>

#include "ops/walk.h"
#include "quantized_reals.h"

enum { OUTPUT = 0, INPUT = 1, SLOTS = 64, FEWEST = 1024, LANES = 16 };

typedef struct softmax_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_quantized_softmax_t what;
  const armnn_i_acc_quantized_kernels_t* kernels;
  armnn_i_acc_store_t store;
  bool is_int16;           /* numbers of 16 bits, both */
  float reals[256];        /* beta times the real number of each byte of the input */
  armnn_i_acc_walk_t walk; /* over lines */
  int64_t lines, room;     /* results that are stored at a time */
  uint32_t threads;
} softmax_op_t;

/* Memory of a thread. */
typedef struct softmax_room_t {
  float powers[SLOTS][256]; /* of bytes below the largest one of a line; -1: not computed yet */
  int32_t tops[SLOTS];      /* the byte of that one; -1: none */
  float results[];
} softmax_room_t;

typedef struct softmax_run_t {
  const softmax_op_t* op;
  const uint8_t* input;
  uint8_t* output;
  char* scratch;
} softmax_run_t;

static uint64_t room_size(const softmax_op_t* op) {
  const uint64_t size = sizeof(softmax_room_t) + (uint64_t)op->room * sizeof(float);
  return (size + 63) / 64 * 64;
}

static softmax_room_t* room_of(const softmax_run_t* run, uint32_t thread) {
  return (softmax_room_t*)(void*)(run->scratch + thread * room_size(run->op));
}

/* The largest and the least number of |count| bytes, a multiple of LANES. */
static void lane_extremes(const uint8_t* in, int64_t count, uint8_t flip, uint8_t* out_most,
                          uint8_t* out_least) {
  uint8_t most[LANES], least[LANES];
  memset(most, 0, sizeof most);
  memset(least, 0xff, sizeof least);
  for (int64_t i = 0; i < count; i += LANES) {
    for (int lane = 0; lane < LANES; ++lane) {
      const uint8_t number = in[i + lane] ^ flip;
      most[lane] = number > most[lane] ? number : most[lane];
      least[lane] = number < least[lane] ? number : least[lane];
    }
  }
  for (int lane = 0; lane < LANES; ++lane) {
    *out_most = most[lane] > *out_most ? most[lane] : *out_most;
    *out_least = least[lane] < *out_least ? least[lane] : *out_least;
  }
}

/* The byte of the largest real number of a line: that of the largest byte, or of the least. */
static uint8_t top_of(const softmax_op_t* op, const uint8_t* in, int64_t count, int64_t step) {
  const uint8_t flip = armnn_i_acc_flip(op->what.input.element);
  const int64_t whole = step == 1 ? count / LANES * LANES : 0;
  uint8_t most = 0, least = 0xff;
  if (whole > 0) lane_extremes(in, whole, flip, &most, &least);
  for (int64_t i = whole; i < count; ++i) {
    const uint8_t number = in[i * step] ^ flip;
    most = number > most ? number : most;
    least = number < least ? number : least;
  }
  const uint8_t high = most ^ flip, low = least ^ flip;
  return op->reals[low] > op->reals[high] ? low : high;
}

static float* powers_below(softmax_room_t* room, uint8_t top) {
  float* powers = room->powers[top % SLOTS];
  if (room->tops[top % SLOTS] != top) {
    room->tops[top % SLOTS] = top;
    for (int byte = 0; byte < 256; ++byte) powers[byte] = -1.0f;
  }
  return powers;
}

/* The logarithm of the sum of the powers, or 1 by it: what the results are made of. */
static float shift_or_factor(const softmax_op_t* op, double sum) {
  return op->what.logarithm ? (float)log(sum) : (float)(1.0 / sum);
}

static void byte_line(const softmax_op_t* op, const uint8_t* in, int64_t count, int64_t step,
                      softmax_room_t* room, float* out) {
  const uint8_t top = top_of(op, in, count, step);
  const float most = op->reals[top];
  float* powers = powers_below(room, top);
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t byte = in[i * step];
    float power = powers[byte];
    if (power < 0.0f) power = powers[byte] = expf(op->reals[byte] - most);
    sum += (double)power;
    out[i] = power;
  }
  const float number = shift_or_factor(op, sum);
  if (op->what.logarithm) {
    for (int64_t i = 0; i < count; ++i) out[i] = op->reals[in[i * step]] - most - number;
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] *= number;
  }
}

static void int16_line(const softmax_op_t* op, const uint8_t* in, int64_t count, int64_t step,
                       float* out) {
  const float scale = op->what.input.element.scale, beta = op->what.beta;
  for (int64_t i = 0; i < count; ++i) {
    const float real = scale * (float)*(const int16_t*)(const void*)(in + i * step);
    out[i] = beta * real;
  }
  float most = out[0];
  for (int64_t i = 1; i < count; ++i) most = out[i] > most ? out[i] : most;
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    const float distance = out[i] - most, power = expf(distance);
    sum += (double)power;
    out[i] = op->what.logarithm ? distance : power;
  }
  const float number = shift_or_factor(op, sum);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = op->what.logarithm ? out[i] - number : out[i] * number;
  }
}

static void store(const softmax_op_t* op, const float* reals, uint8_t* out, int64_t count) {
  const armnn_i_acc_element_t element = op->what.output.element;
  const int64_t step = op->what.output.strides[op->what.axis];
  if (step != (int64_t)element.size) {
    for (int64_t i = 0; i < count; ++i) {
      const int32_t number = armnn_i_acc_stored_number(element, reals[i]);
      if (op->is_int16) {
        *(int16_t*)(void*)(out + i * step) = (int16_t)number;
      } else {
        out[i * step] = (uint8_t)number;
      }
    }
  } else if (op->is_int16) {
    op->kernels->int16->quantize(reals, (int16_t*)(void*)out, (size_t)count, element.scale,
                                 &op->store);
  } else {
    op->kernels->elements->quantize(reals, out, (size_t)count, element.scale, &op->store);
  }
}

/* Lines that lie one behind another are stored together, as many as there is room for. */
static armnn_status_t run_lines(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const softmax_run_t* run = (const softmax_run_t*)argument;
  const softmax_op_t* op = run->op;
  const int64_t size = op->what.output.element.size, count = op->what.output.dims[op->what.axis];
  const bool is_dense = op->what.output.strides[op->what.axis] == size;
  const int64_t in_step = op->what.input.strides[op->what.axis];
  softmax_room_t* room = room_of(run, thread_index);
  uint8_t* first = NULL;
  int64_t filled = 0;
  for (uint64_t line = begin; line < end; ++line) {
    int64_t at[ARMNN_ACC_WALKED];
    armnn_i_acc_walk_offsets(&op->walk, 0, (int64_t)line, at);
    uint8_t* out = run->output + at[OUTPUT];
    const bool fits = is_dense && filled + count <= op->room;
    if (filled > 0 && !(fits && out == first + filled * size)) {
      store(op, room->results, first, filled);
      filled = 0;
    }
    if (filled == 0) first = out;
    const uint8_t* in = run->input + at[INPUT];
    if (op->is_int16) {
      int16_line(op, in, count, in_step, room->results + filled);
    } else {
      byte_line(op, in, count, in_step, room, room->results + filled);
    }
    filled += count;
  }
  store(op, room->results, first, filled);
  return ARMNN_STATUS_OK;
}

static void run_softmax(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const softmax_op_t* op = (const softmax_op_t*)base;
  softmax_run_t self = {op, armnn_i_acc_address(run, &op->what.input),
                        armnn_i_acc_address(run, &op->what.output), (char*)run->scratch};
  for (uint32_t thread = 0; thread < op->threads; ++thread) {
    for (int slot = 0; slot < SLOTS; ++slot) room_of(&self, thread)->tops[slot] = -1;
  }
  armnn_i_acc_parallel(run, run_lines, &self, (uint64_t)op->lines, 1, op->threads);
}

armnn_status_t armnn_i_acc_make_quantized_softmax(const armnn_i_acc_maker_t* maker,
                                                  const armnn_i_acc_quantized_softmax_t* what,
                                                  armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_element_t in = what->input.element;
  const int32_t out_type = what->output.element.type;
  const bool is_int16 = armnn_i_acc_is_int16(in.type) && armnn_i_acc_is_int16(out_type);
  if (!is_int16 && !(armnn_i_acc_is_8bit(in.type) && armnn_i_acc_is_8bit(out_type))) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  softmax_op_t* op = (softmax_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->is_int16 = is_int16;
  op->kernels = maker->isa->quantized;
  op->store = (armnn_i_acc_store_t){what->output.element.zero_point, armnn_i_acc_least(out_type),
                                    armnn_i_acc_most(out_type), 0};
  if (!is_int16) armnn_i_acc_reals(in, op->reals);
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
  op->base.op.kernel = is_int16 ? (what->logarithm ? "armnn_s16_log_softmax" : "armnn_s16_softmax")
                       : what->logarithm ? "armnn_s8_log_softmax"
                                         : "armnn_s8_softmax";
  op->base.op.operations = 16 * (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, op->base.op.operations);
  const int64_t count = what->output.dims[what->axis];
  op->room = count > FEWEST ? count : FEWEST;
  op->base.op.scratch_size = room_size(op) * op->threads;
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
