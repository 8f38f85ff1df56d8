/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rnn.c - steps of plain recurrent units: a product, and a function of its sums.
 */
#include "recurrent.h"

typedef struct rnn_op_t {
  armnn_i_acc_recurrent_op_t recurrent;
  armnn_i_acc_apply_fn_t apply;
  float a, b; /* of the function */
  float clip;
} rnn_op_t;

static void run_step(const armnn_i_acc_cell_rows_t* rows) {
  const rnn_op_t* op = (const rnn_op_t*)rows->op;
  const armnn_i_acc_recurrent_op_t* all = rows->op;
  const armnn_i_acc_elementwise_kernels_t* kernels = all->kernels->elementwise;
  const int64_t cells = all->cells;
  const float* state_rows =
      armnn_i_acc_rounded_rows(rows, rows->hidden, cells, rows->scratch + rows->count * cells);
  const armnn_i_acc_state_product_t sums = {&all->first[rows->direction],
                                            state_rows,
                                            rows->sums,
                                            rows->scratch,
                                            cells,
                                            all->sums_row,
                                            cells};
  armnn_i_acc_multiply_state(rows, &sums);
  for (int64_t r = 0; r < rows->count; ++r) {
    float *of_row = rows->scratch + r * cells, *state = rows->hidden + r * cells;
    if (!armnn_i_acc_row_runs(rows, r)) continue;
    if (op->clip < INFINITY) {
      kernels->apply[ARMNN_ACC_CLAMP](of_row, of_row, (size_t)cells, -op->clip, op->clip);
    }
    op->apply(of_row, state, (size_t)cells, op->a, op->b);
  }
}

armnn_status_t armnn_i_acc_make_rnn(const armnn_i_acc_maker_t* maker, const armnn_i_acc_gru_t* what,
                                    armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_walk_t walk = armnn_i_acc_unit_walk(what, 1);
  void* memory;
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_new_walk(maker, &walk, sizeof(rnn_op_t), 0, NULL, &memory));
  rnn_op_t* op = memory;
  armnn_i_acc_recurrent_op_t* all = &op->recurrent;
  const int64_t cells = what->cells;
  all->base.op.kernel = all->kernels->recurrent->rnn_name;
  all->step = run_step;
  all->rounding = what->rounding;
  all->row_floats = (uint64_t)(what->rounding == ARMNN_ROW_ROUNDING_NONE ? cells : 2 * cells);
  op->apply = all->kernels->elementwise->apply[what->function];
  op->a = what->a;
  op->b = what->b;
  op->clip = what->clip;
  armnn_status_t status = ARMNN_STATUS_OK;
  for (int64_t d = 0; d < what->directions && status == ARMNN_STATUS_OK; ++d) {
    status = armnn_i_acc_pack_state(maker, all, what->recurrent + d * cells * cells, NULL, cells,
                                    cells, &all->first[d]);
  }
  return armnn_i_acc_finish_walk(maker, status, all, out_op);
}
