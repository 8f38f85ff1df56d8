/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * elementwise.c - functions of one tensor, and of two with broadcasting.
 *
 * Tensors are walked by pieces of some thousand elements; a function behind a binary operation is
 * applied to a piece while it is in L1.
 */
#include "ops/walk.h"

enum { OUTPUT = 0, LEFT = 1, RIGHT = 2 };

typedef struct elementwise_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t tensors[3];
  armnn_i_acc_walk_t walk;
  armnn_i_acc_pieces_t pieces;
  armnn_i_acc_apply_fn_t function;
  float a, b;
  armnn_i_acc_binary_fn_t binary;
  float low, high;
  uint32_t threads;
} elementwise_op_t;

typedef struct elementwise_run_t {
  const elementwise_op_t* op;
  float* tensors[3];
} elementwise_run_t;

static armnn_status_t run_unary_pieces(void* argument, uint64_t begin, uint64_t end,
                                       uint32_t thread_index) {
  (void)thread_index;
  const elementwise_run_t* run = (const elementwise_run_t*)argument;
  const elementwise_op_t* op = run->op;
  const int64_t* strides = op->walk.strides[OUTPUT];
  const int64_t out_step = strides[op->walk.rank - 2];
  const int64_t in_step = op->walk.strides[LEFT][op->walk.rank - 2];
  for (uint64_t i = begin; i < end; ++i) {
    int64_t at[ARMNN_ACC_WALKED], rows, columns;
    armnn_i_acc_piece(&op->walk, &op->pieces, (int64_t)i, at, &rows, &columns);
    for (int64_t r = 0; r < rows; ++r) {
      op->function(run->tensors[LEFT] + at[LEFT] + r * in_step,
                   run->tensors[OUTPUT] + at[OUTPUT] + r * out_step, (size_t)columns, op->a, op->b);
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t run_binary_pieces(void* argument, uint64_t begin, uint64_t end,
                                        uint32_t thread_index) {
  (void)thread_index;
  const elementwise_run_t* run = (const elementwise_run_t*)argument;
  const elementwise_op_t* op = run->op;
  const armnn_i_acc_walk_t* walk = &op->walk;
  armnn_i_acc_binary_job_t job = {.left_stride = walk->strides[LEFT][walk->rank - 2],
                                  .right_stride = walk->strides[RIGHT][walk->rank - 2],
                                  .out_stride = walk->strides[OUTPUT][walk->rank - 2],
                                  .low = op->low,
                                  .high = op->high};
  for (uint64_t i = begin; i < end; ++i) {
    int64_t at[ARMNN_ACC_WALKED], rows, columns;
    armnn_i_acc_piece(walk, &op->pieces, (int64_t)i, at, &rows, &columns);
    job.left = run->tensors[LEFT] + at[LEFT];
    job.right = run->tensors[RIGHT] + at[RIGHT];
    job.out = run->tensors[OUTPUT] + at[OUTPUT];
    job.rows = (size_t)rows;
    job.columns = (size_t)columns;
    op->binary(&job);
    if (op->function != NULL) {
      armnn_i_acc_apply_rows(op->function, job.out, job.rows, job.columns, (size_t)job.out_stride,
                             op->a, op->b);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_elementwise(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const elementwise_op_t* op = (const elementwise_op_t*)base;
  elementwise_run_t self = {op, {NULL, NULL, NULL}};
  for (uint32_t t = 0; t < op->walk.tensors; ++t) {
    self.tensors[t] = armnn_i_acc_address(run, &op->tensors[t]);
  }
  armnn_i_acc_parallel(run, op->binary != NULL ? run_binary_pieces : run_unary_pieces, &self,
                       armnn_i_acc_pieces_count(&op->pieces), 1, op->threads);
}

static void plan(elementwise_op_t* op, uint32_t tensors) {
  armnn_i_acc_walk_rows(&op->walk, op->tensors, tensors);
  op->pieces = armnn_i_acc_walk_pieces(&op->walk, ARMNN_ACC_PIECE);
  op->base.op.run = run_elementwise;
}

armnn_status_t armnn_i_acc_make_unary(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_unary_t* what, armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_epilogue_t* epilogue = &what->epilogue;
  if (epilogue->function < 0 || epilogue->function >= ARMNN_ACC_FUNCTION_COUNT ||
      epilogue->has_residual) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  if (kernels == NULL) return ARMNN_STATUS_UNSUPPORTED;
  elementwise_op_t* op = (elementwise_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->tensors[OUTPUT] = what->output;
  op->tensors[LEFT] = what->input;
  op->function = kernels->elementwise->apply[epilogue->function];
  op->a = epilogue->a;
  op->b = epilogue->b;
  op->base.op.kernel = kernels->elementwise->names[epilogue->function];
  plan(op, 2);
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, 8 * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_binary(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_binary_t* what,
                                       armnn_i_acc_op_t** out_op) {
  if (what->operation < 0 || what->operation >= ARMNN_ACC_BINARY_COUNT ||
      what->epilogue.has_residual) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const armnn_i_acc_kernels_t* all = armnn_i_acc_kernels_of(maker, &what->output);
  if (all == NULL) return ARMNN_STATUS_UNSUPPORTED;
  const armnn_i_acc_elementwise_kernels_t* kernels = all->elementwise;
  if (kernels->binary[what->operation][ARMNN_ACC_ARRAY_ARRAY] == NULL) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  elementwise_op_t* op = (elementwise_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->tensors[OUTPUT] = what->output;
  op->tensors[LEFT] = what->left;
  op->tensors[RIGHT] = what->right;
  plan(op, 3);
  const uint32_t last = op->walk.rank - 1;
  const int form = op->walk.strides[LEFT][last] == 0    ? ARMNN_ACC_NUMBER_ARRAY
                   : op->walk.strides[RIGHT][last] == 0 ? ARMNN_ACC_ARRAY_NUMBER
                                                        : ARMNN_ACC_ARRAY_ARRAY;
  op->binary = kernels->binary[what->operation][form];
  op->base.op.kernel = kernels->binary_names[what->operation];
  const armnn_i_acc_epilogue_t* epilogue = &what->epilogue;
  if (!armnn_i_acc_function_is_clamp(epilogue->function, epilogue->a, epilogue->b, &op->low,
                                     &op->high)) {
    op->function = kernels->apply[epilogue->function];
    op->a = epilogue->a;
    op->b = epilogue->b;
  }
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, 8 * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
