/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * row_op.c - runs operators that are made of row functions, for each thread some pieces of the
 * walk.
 */
#include "row_op.h"

typedef struct row_run_t {
  const armnn_i_acc_row_op_t* op;
  char* tensors[3];
} row_run_t;

static armnn_status_t run_pieces(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const row_run_t* run = (const row_run_t*)argument;
  const armnn_i_acc_row_op_t* op = run->op;
  const armnn_i_acc_walk_t* walk = &op->walk;
  const uint32_t last = walk->rank - 1;
  int64_t steps[2] = {0, 0};
  for (uint32_t t = 1; t < walk->tensors; ++t) steps[t - 1] = walk->strides[t][last];
  for (uint64_t i = begin; i < end; ++i) {
    int64_t at[ARMNN_ACC_WALKED], rows, columns;
    armnn_i_acc_piece(walk, &op->pieces, (int64_t)i, at, &rows, &columns);
    for (int64_t r = 0; r < rows; ++r) {
      char* row[3] = {NULL, NULL, NULL};
      for (uint32_t t = 0; t < walk->tensors; ++t) {
        row[t] = run->tensors[t] +
                 (at[t] + r * walk->strides[t][last - 1]) * (int64_t)op->tensors[t].element.size;
      }
      const char* const operands[] = {row[1], row[2]};
      op->row(op, row[0], operands, steps, (uint64_t)columns);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_rows(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const armnn_i_acc_row_op_t* op = (const armnn_i_acc_row_op_t*)base;
  row_run_t self = {.op = op};
  for (uint32_t t = 0; t < op->walk.tensors; ++t) {
    self.tensors[t] = armnn_i_acc_address(run, &op->tensors[t]);
  }
  armnn_i_acc_parallel(run, run_pieces, &self, armnn_i_acc_pieces_count(&op->pieces), 1,
                       op->threads);
}

void armnn_i_acc_plan_rows(const armnn_i_acc_maker_t* maker, armnn_i_acc_row_op_t* op,
                           armnn_i_acc_row_fn_t row, uint32_t operands, uint64_t cost) {
  armnn_i_acc_walk_rows(&op->walk, op->tensors, 1 + operands);
  op->pieces = armnn_i_acc_walk_pieces(&op->walk, ARMNN_ACC_PIECE);
  op->row = row;
  op->base.op.run = run_rows;
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&op->tensors[0]);
  op->threads = armnn_i_acc_threads(maker, cost * op->base.op.operations);
}
