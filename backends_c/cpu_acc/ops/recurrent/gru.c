/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gru.c - steps of gated recurrent units: the products of the update and reset gates, these gates,
 * the product of what is fresh, and the state.
 *
 * What is fresh multiplies the state that was reset, or is reset itself (|resets_after|): then its
 * product needs no gates, and stays apart from the input's share all the same.
 */
#include "recurrent.h"

typedef struct gru_op_t {
  armnn_i_acc_recurrent_op_t recurrent;
  bool resets_after;
  float clip;
} gru_op_t;

static void run_step(const armnn_i_acc_cell_rows_t* rows) {
  const gru_op_t* op = (const gru_op_t*)rows->op;
  const armnn_i_acc_recurrent_op_t* all = rows->op;
  const int64_t cells = all->cells;
  /* Scratch: sums of both gates, states that were reset, the product of what is fresh. */
  float* gates = rows->scratch;
  float* kept = gates + 2 * rows->count * cells;
  float* product = kept + rows->count * cells;
  const armnn_i_acc_state_product_t sums = {&all->first[rows->direction],
                                            rows->hidden,
                                            rows->sums,
                                            gates,
                                            cells,
                                            all->sums_row,
                                            2 * cells};
  armnn_i_acc_multiply_state(rows, &sums);
  armnn_i_acc_gru_job_t job = {.cells = (size_t)cells, .clip = op->clip};
  for (int64_t r = 0; r < rows->count; ++r) {
    job.update = gates + 2 * r * cells;
    job.reset = job.update + cells;
    job.state = rows->hidden + r * cells;
    job.kept = op->resets_after ? NULL : kept + r * cells;
    all->kernels->recurrent->gru_gates(&job);
  }
  const float* fresh = rows->sums + 2 * cells;
  const armnn_i_acc_state_product_t last = {
      &all->second[rows->direction],
      op->resets_after ? rows->hidden : kept,
      op->resets_after ? NULL : fresh,
      product,
      cells,
      all->sums_row,
      cells,
  };
  armnn_i_acc_multiply_state(rows, &last);
  for (int64_t r = 0; r < rows->count; ++r) {
    if (!armnn_i_acc_row_runs(rows, r)) continue;
    job.update = gates + 2 * r * cells;
    job.reset = job.update + cells;
    job.state = rows->hidden + r * cells;
    job.fresh = op->resets_after ? fresh + r * all->sums_row : product + r * cells;
    job.product = op->resets_after ? product + r * cells : NULL;
    all->kernels->recurrent->gru_state(&job);
  }
}

static armnn_status_t pack(const armnn_i_acc_maker_t* maker, const armnn_i_acc_gru_t* what,
                           armnn_i_acc_recurrent_op_t* all) {
  const int64_t cells = what->cells;
  for (int64_t d = 0; d < what->directions; ++d) {
    const float* weights = what->recurrent + d * 3 * cells * cells;
    const float* bias = what->bias == NULL ? NULL : what->bias + (d * 3 + 2) * cells;
    ARMNN_RETURN_IF_ERROR(
        armnn_i_acc_pack_state(maker, all, weights, NULL, 2 * cells, cells, &all->first[d]));
    ARMNN_RETURN_IF_ERROR(armnn_i_acc_pack_state(maker, all, weights + 2 * cells * cells, bias,
                                                 cells, cells, &all->second[d]));
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_gru(const armnn_i_acc_maker_t* maker, const armnn_i_acc_gru_t* what,
                                    armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_walk_t walk = armnn_i_acc_unit_walk(what, 3);
  void* memory;
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_new_walk(maker, &walk, sizeof(gru_op_t), 0, NULL, &memory));
  gru_op_t* op = memory;
  armnn_i_acc_recurrent_op_t* all = &op->recurrent;
  all->base.op.kernel = all->kernels->recurrent->gru_name;
  all->step = run_step;
  all->row_floats = 4 * (uint64_t)what->cells;
  op->resets_after = what->resets_after;
  op->clip = what->clip;
  return armnn_i_acc_finish_walk(maker, pack(maker, what, all), all, out_op);
}
