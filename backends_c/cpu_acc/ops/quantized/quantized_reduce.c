/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_reduce.c - means, sums and extremes of quantised numbers over any dimensions.
 *
 * A mean is that of levels, by an integer factor or by real scales; a sum is that of real numbers,
 * exact in double. The extreme of bytes is that of real numbers, too: a table stores it in the
 * output's scale. Of numbers of 16 bits there are means alone.
 */
#include "ops/reduction/fold_walk.h"
#include "quantized_reals.h"

enum { OUTPUT = 0, INPUT = 1, COLUMNS = ARMNN_ACC_FOLD_COLUMNS };

/* So many bytes have a sum of 32 bits, and real numbers of them an exact one in double. */
#define MOST_FOLDED (INT64_C(1) << 21)

typedef union numbers_t {
  uint32_t sums[COLUMNS]; /* of bytes as unsigned numbers */
  double reals[COLUMNS];
  uint8_t most[COLUMNS];   /* of bytes, changed such that the wanted one is the greatest */
  int64_t totals[COLUMNS]; /* of numbers of 16 bits */
} numbers_t;

typedef struct reduce_op_t reduce_op_t;

struct reduce_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_quantized_reduce_t what;
  armnn_i_acc_fold_walk_t walk; /* in numbers */
  /* Takes |columns| numbers at |in| into as many of |numbers|, or, of one column, |run| of them. */
  void (*take)(const reduce_op_t* op, const uint8_t* in, int64_t columns, int64_t run,
               numbers_t* numbers);
  void (*finish)(const reduce_op_t* op, const numbers_t* numbers, int64_t columns, uint8_t* out);
  uint8_t mask;       /* what is exchanged in a byte before it is compared or summed */
  int64_t zeros;      /* the zero points in a sum of bytes */
  int64_t folded;     /* numbers of a mean */
  float reals[256];   /* of the input's bytes */
  uint8_t table[256]; /* of the output, by the input's byte */
  uint32_t threads;
};

typedef struct reduce_run_t {
  const reduce_op_t* op;
  const uint8_t* input;
  uint8_t* output;
} reduce_run_t;

/* ---- Operations ---------------------------------------------------------------------------- */

static void take_levels(const reduce_op_t* op, const uint8_t* in, int64_t columns, int64_t run,
                        numbers_t* numbers) {
  const uint8_t mask = op->mask;
  uint32_t sum = 0;
  for (int64_t i = 0; i < run; ++i) sum += (uint8_t)(in[i] ^ mask);
  if (run > 0) numbers->sums[0] += sum;
  for (int64_t c = 0; c < columns; ++c) numbers->sums[c] += (uint8_t)(in[c] ^ mask);
}

/* The mean of levels whose sum is |sum|, as a level of the output. */
static int32_t mean_of(const reduce_op_t* op, int64_t sum) {
  const armnn_i_acc_quantized_reduce_t* what = &op->what;
  if (!what->is_real) return armnn_scale32(armnn_saturate32(sum), what->factor);
  return armnn_rescaled_mean(sum, (double)op->folded, what->input.element.scale,
                             what->output.element.scale);
}

static void finish_mean(const reduce_op_t* op, const numbers_t* numbers, int64_t columns,
                        uint8_t* out) {
  const armnn_i_acc_element_t element = op->what.output.element;
  const int32_t least = armnn_i_acc_least(element.type) - element.zero_point;
  for (int64_t c = 0; c < columns; ++c) {
    const int64_t sum = (int64_t)numbers->sums[c] - op->zeros;
    const int32_t level = mean_of(op, sum);
    const int32_t bounded = level < least ? least : level > least + 255 ? least + 255 : level;
    out[c] = (uint8_t)(bounded + element.zero_point);
  }
}

static void take_reals(const reduce_op_t* op, const uint8_t* in, int64_t columns, int64_t run,
                       numbers_t* numbers) {
  for (int64_t i = 0; i < run; ++i) numbers->reals[0] += (double)op->reals[in[i]];
  for (int64_t c = 0; c < columns; ++c) numbers->reals[c] += (double)op->reals[in[c]];
}

static void finish_sum(const reduce_op_t* op, const numbers_t* numbers, int64_t columns,
                       uint8_t* out) {
  for (int64_t c = 0; c < columns; ++c) {
    out[c] = armnn_i_acc_stored(op->what.output.element, (float)numbers->reals[c]);
  }
}

static void take_most(const reduce_op_t* op, const uint8_t* in, int64_t columns, int64_t run,
                      numbers_t* numbers) {
  const uint8_t mask = op->mask;
  uint8_t most = numbers->most[0];
  for (int64_t i = 0; i < run; ++i) {
    const uint8_t number = in[i] ^ mask;
    most = number > most ? number : most;
  }
  if (run > 0) numbers->most[0] = most;
  for (int64_t c = 0; c < columns; ++c) {
    const uint8_t number = in[c] ^ mask;
    numbers->most[c] = number > numbers->most[c] ? number : numbers->most[c];
  }
}

static void finish_most(const reduce_op_t* op, const numbers_t* numbers, int64_t columns,
                        uint8_t* out) {
  for (int64_t c = 0; c < columns; ++c) out[c] = op->table[numbers->most[c] ^ op->mask];
}

static void take_int16(const reduce_op_t* op, const uint8_t* in, int64_t columns, int64_t run,
                       numbers_t* numbers) {
  const int16_t* narrow = (const int16_t*)(const void*)in;
  (void)op;
  for (int64_t i = 0; i < run; ++i) numbers->totals[0] += narrow[i];
  for (int64_t c = 0; c < columns; ++c) numbers->totals[c] += narrow[c];
}

static void finish_mean_of_int16(const reduce_op_t* op, const numbers_t* numbers, int64_t columns,
                                 uint8_t* out) {
  int16_t* narrow = (int16_t*)(void*)out;
  for (int64_t c = 0; c < columns; ++c) {
    const int32_t level = mean_of(op, numbers->totals[c]);
    narrow[c] = (int16_t)(level < INT16_MIN ? INT16_MIN : level > INT16_MAX ? INT16_MAX : level);
  }
}

static void set_operation(reduce_op_t* op, int64_t folded) {
  const armnn_i_acc_element_t in = op->what.input.element;
  const uint8_t flip = armnn_i_acc_flip(in);
  op->folded = folded;
  if (armnn_i_acc_is_int16(in.type)) {
    op->take = take_int16;
    op->finish = finish_mean_of_int16;
    op->base.op.kernel = "armnn_s16_reduce_mean";
    return;
  }
  armnn_i_acc_reals(in, op->reals);
  if (op->what.operation == ARMNN_REDUCE_MEAN) {
    op->take = take_levels;
    op->finish = finish_mean;
    op->mask = flip;
    op->zeros = (in.zero_point + flip) * folded;
    op->base.op.kernel = "armnn_s8_reduce_mean";
  } else if (op->what.operation == ARMNN_REDUCE_SUM) {
    op->take = take_reals;
    op->finish = finish_sum;
    op->base.op.kernel = "armnn_s8_reduce_sum";
  } else {
    const bool is_max = op->what.operation == ARMNN_REDUCE_MAX;
    op->take = take_most;
    op->finish = finish_most;
    op->mask = is_max ? flip : flip ^ 0xff;
    for (int32_t byte = 0; byte < 256; ++byte) {
      op->table[byte] = armnn_i_acc_stored(op->what.output.element, op->reals[byte]);
    }
    op->base.op.kernel = is_max ? "armnn_s8_reduce_max" : "armnn_s8_reduce_min";
  }
}

/* ---- Running ------------------------------------------------------------------------------- */

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const reduce_run_t* run = (const reduce_run_t*)argument;
  const reduce_op_t* op = run->op;
  const armnn_i_acc_fold_walk_t* walk = &op->walk;
  const bool rows = walk->last_is_folded;
  const int64_t size = op->what.input.element.size; /* the output's is the same */
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) {
    int64_t at[ARMNN_ACC_WALKED], from[ARMNN_ACC_WALKED];
    const int64_t columns = rows ? 0 : armnn_i_acc_fold_item(walk, i, at);
    if (rows) armnn_i_acc_walk_offsets(&walk->kept, 0, i, at);
    const int64_t column = rows ? 0 : armnn_i_acc_fold_column(walk, i);
    numbers_t numbers = {.reals = {0.0}};
    for (int64_t r = 0; r < walk->row_count; ++r) {
      armnn_i_acc_walk_offsets(&walk->folded, 0, r, from);
      op->take(op, run->input + (at[INPUT] + from[INPUT] + column) * size, columns,
               rows ? walk->last : 0, &numbers);
    }
    op->finish(op, &numbers, rows ? 1 : columns, run->output + (at[OUTPUT] + column) * size);
  }
  return ARMNN_STATUS_OK;
}

static void run_reduce(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const reduce_op_t* op = (const reduce_op_t*)base;
  reduce_run_t self = {op, armnn_i_acc_address(run, &op->what.input),
                       armnn_i_acc_address(run, &op->what.output)};
  armnn_i_acc_parallel(run, run_items, &self, armnn_i_acc_fold_items(&op->walk), 1, op->threads);
}

armnn_status_t armnn_i_acc_make_quantized_reduce(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_quantized_reduce_t* what,
                                                 armnn_i_acc_op_t** out_op) {
  const int32_t from = what->input.element.type, to = what->output.element.type;
  const bool is_int16 = armnn_i_acc_is_int16(from) && armnn_i_acc_is_int16(to);
  const bool known =
      what->operation == ARMNN_REDUCE_MEAN ||
      (!is_int16 && (what->operation == ARMNN_REDUCE_SUM || what->operation == ARMNN_REDUCE_MAX ||
                     what->operation == ARMNN_REDUCE_MIN));
  int64_t folded = 1;
  armnn_i_acc_walk_t walk = {.rank = what->input.rank, .tensors = 2};
  for (uint32_t d = 0; d < walk.rank; ++d) {
    const bool is_folded = (what->axis_mask >> d & 1u) != 0;
    walk.dims[d] = what->input.dims[d];
    walk.strides[OUTPUT][d] = is_folded ? 0 : armnn_i_acc_step(&what->output, d);
    walk.strides[INPUT][d] = armnn_i_acc_step(&what->input, d);
    if (is_folded) folded *= what->input.dims[d];
  }
  if (!known || folded > MOST_FOLDED ||
      (!is_int16 && !(armnn_i_acc_is_8bit(from) && armnn_i_acc_is_8bit(to)))) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  reduce_op_t* op = (reduce_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  armnn_i_acc_fold_walk(&walk, 2, &op->walk);
  set_operation(op, folded);
  op->base.op.run = run_reduce;
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&what->input);
  op->threads = armnn_i_acc_threads(maker, 2 * op->base.op.operations);
  armnn_i_acc_fold_cut(&op->walk, op->threads, maker->isa->quantized->panel);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
