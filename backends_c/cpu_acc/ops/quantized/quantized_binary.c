/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_binary.c - sums, differences and products of quantised numbers, with broadcasting.
 */
#include "ops/quantized_products/quantized_sum.h"
#include "ops/walk.h"

enum { OUTPUT = 0, LEFT = 1, RIGHT = 2 };

typedef struct binary_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t tensors[3];
  armnn_i_acc_walk_t walk;
  armnn_i_acc_pieces_t pieces;
  void (*pair)(const armnn_i_acc_pair_job_t* job);
  armnn_i_acc_pair_job_t job; /* but for the piece */
  uint32_t threads;
} binary_op_t;

typedef struct binary_run_t {
  const binary_op_t* op;
  uint8_t* tensors[3];
} binary_run_t;

static armnn_status_t run_pieces(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const binary_run_t* run = (const binary_run_t*)argument;
  const binary_op_t* op = run->op;
  armnn_i_acc_pair_job_t job = op->job;
  for (uint64_t i = begin; i < end; ++i) {
    int64_t at[ARMNN_ACC_WALKED], rows, columns;
    armnn_i_acc_piece(&op->walk, &op->pieces, (int64_t)i, at, &rows, &columns);
    job.left = run->tensors[LEFT] + at[LEFT];
    job.right = run->tensors[RIGHT] + at[RIGHT];
    job.output = run->tensors[OUTPUT] + at[OUTPUT];
    job.rows = (size_t)rows;
    job.columns = (size_t)columns;
    op->pair(&job);
  }
  return ARMNN_STATUS_OK;
}

static void run_binary(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const binary_op_t* op = (const binary_op_t*)base;
  binary_run_t self = {op, {NULL, NULL, NULL}};
  for (uint32_t t = 0; t < 3; ++t) self.tensors[t] = armnn_i_acc_address(run, &op->tensors[t]);
  armnn_i_acc_parallel(run, run_pieces, &self, armnn_i_acc_pieces_count(&op->pieces), 1,
                       op->threads);
}

/* The walk over all tensors: along the last dimension steps are 1, or 0 for an operand that
 * repeats. */
static void plan(binary_op_t* op) {
  armnn_i_acc_walk_t* walk = &op->walk;
  const armnn_i_acc_tensor_t* output = &op->tensors[OUTPUT];
  walk->rank = output->rank;
  walk->tensors = 3;
  for (uint32_t d = 0; d < output->rank; ++d) {
    walk->dims[d] = output->dims[d];
    for (uint32_t t = 0; t < 3; ++t) {
      const bool repeats = op->tensors[t].dims[d] == 1 && output->dims[d] != 1;
      walk->strides[t][d] = repeats ? 0 : op->tensors[t].strides[d];
    }
  }
  armnn_i_acc_walk_join(walk);
  const int64_t size = output->element.size; /* of all three */
  bool steps = walk->strides[OUTPUT][walk->rank - 1] == size;
  for (uint32_t t = 1; t < 3; ++t) {
    const int64_t stride = walk->strides[t][walk->rank - 1];
    steps = steps && (stride == size || stride == 0);
  }
  if (!steps) armnn_i_acc_walk_add_one(walk);
  op->pieces = armnn_i_acc_walk_pieces(walk, ARMNN_ACC_PIECE);
  op->job.left_row = walk->strides[LEFT][walk->rank - 2];
  op->job.right_row = walk->strides[RIGHT][walk->rank - 2];
  op->job.output_row = walk->strides[OUTPUT][walk->rank - 2];
  op->job.left_step = steps ? walk->strides[LEFT][walk->rank - 1] / size : 1;
  op->job.right_step = steps ? walk->strides[RIGHT][walk->rank - 1] / size : 1;
}

static int32_t half_of(int32_t right) { return right == 0 ? 0 : 1 << (right - 1); }

/* |factor| is not above 1/2; 0 is shifted, too: only 1/2 has no shift. */
static struct armnn_i_acc_operand_t operand_of(armnn_i_acc_element_t element,
                                               armnn_factor_t factor) {
  const int32_t flip = element.type == ARMNN_DATA_TYPE_QASYMM_U8 ? 0 : 0x80;
  const int32_t right = factor.multiplier == 0 ? 1 : -factor.shift;
  return (struct armnn_i_acc_operand_t){(uint8_t)flip, element.zero_point + flip, factor.multiplier,
                                        right, half_of(right)};
}

static double real_of(armnn_factor_t factor) {
  return ldexp((double)factor.multiplier, factor.shift - 31);
}

/* From a level of an operand of a sum to levels of the output. */
static double quick_of(const armnn_i_acc_quantized_binary_t* what, armnn_factor_t term) {
  return ldexp(real_of(term) * real_of(what->factor), ARMNN_ACC_SUM_BITS);
}

/* Whether float32 tells nearly all levels of a sum, by |factors|. It rounds four times, numbers
 * below 2^10; in whole numbers the terms are rounded twice and the sum once, by less than 2^-16 of
 * a level each time. Together that is below 2^-11. */
static bool is_quick(const armnn_i_acc_quantized_binary_t* what, const double factors[2]) {
  return what->operation != ARMNN_BINARY_MUL && factors[0] + factors[1] <= 4.0 &&
         (what->is_real || what->factor.shift <= -16);
}

static armnn_i_acc_pair_job_t real_job_of(const armnn_i_acc_quantized_binary_t* what) {
  const float left = what->left.element.scale, right = what->right.element.scale;
  const float out = what->output.element.scale;
  const armnn_factor_t none = {0, 0};
  const double quick[] = {(double)left / (double)out, (double)right / (double)out};
  return (armnn_i_acc_pair_job_t){
      .operation = what->operation,
      .operands = {operand_of(what->left.element, none), operand_of(what->right.element, none)},
      .quick = {quick[0], quick[1]},
      .is_quick = is_quick(what, quick),
      .is_real = true,
      .scales = {left, what->operation == ARMNN_BINARY_SUB ? -right : right, out},
      .store = {what->output.element.zero_point, what->low, what->high, 0},
  };
}

armnn_i_acc_pair_job_t armnn_i_acc_pair_job_of(const armnn_i_acc_quantized_binary_t* what) {
  if (what->is_real) return real_job_of(what);
  const double quick[] = {quick_of(what, what->left_factor), quick_of(what, what->right_factor)};
  const int32_t left_shift = what->factor.shift > 0 ? what->factor.shift : 0;
  const int32_t right_shift = left_shift - what->factor.shift;
  return (armnn_i_acc_pair_job_t){
      .operation = what->operation,
      .operands = {operand_of(what->left.element, what->left_factor),
                   operand_of(what->right.element, what->right_factor)},
      .left_shift = left_shift,
      .multiplier = what->factor.multiplier,
      .right_shift = right_shift,
      .half = half_of(right_shift),
      .quick = {quick[0], quick[1]},
      .is_quick = is_quick(what, quick),
      .store = {what->output.element.zero_point, what->low, what->high, 0},
  };
}

static bool all_are(const armnn_i_acc_quantized_binary_t* what, bool (*is)(int32_t type)) {
  return is(what->left.element.type) && is(what->right.element.type) &&
         is(what->output.element.type);
}

/* Whether the results of int16 operands have 32 bits on their way. */
static bool has_short_steps(const armnn_i_acc_quantized_binary_t* what) {
  return what->is_real || (what->factor.shift <= 0 && what->factor.shift >= -30);
}

armnn_status_t armnn_i_acc_make_quantized_binary(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_quantized_binary_t* what,
                                                 armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_element_kernels_t* kernels = maker->isa->quantized->elements;
  const armnn_i_acc_int16_kernels_t* int16 = maker->isa->quantized->int16;
  const bool is_int16 = all_are(what, armnn_i_acc_is_int16) && has_short_steps(what);
  if (!is_int16 && !all_are(what, armnn_i_acc_is_8bit)) return ARMNN_STATUS_UNSUPPORTED;
  binary_op_t* op = (binary_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->tensors[OUTPUT] = what->output;
  op->tensors[LEFT] = what->left;
  op->tensors[RIGHT] = what->right;
  op->pair = is_int16 ? int16->pair : kernels->pair;
  op->job = armnn_i_acc_pair_job_of(what);
  plan(op);
  op->base.op.run = run_binary;
  op->base.op.kernel =
      what->operation == ARMNN_BINARY_ADD   ? (is_int16 ? int16->add_name : kernels->add_name)
      : what->operation == ARMNN_BINARY_SUB ? (is_int16 ? int16->sub_name : kernels->sub_name)
                                            : (is_int16 ? int16->mul_name : kernels->mul_name);
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, 8 * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
