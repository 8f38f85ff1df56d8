/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm.c - steps of LSTM cells: the product of all gates, the gates, and the projection if there is
 * one.
 */
#include "recurrent.h"

typedef struct lstm_op_t {
  armnn_i_acc_recurrent_op_t recurrent;
  armnn_i_acc_lstm_job_t job; /* what is the same for all rows */
  bool projects;
  float projection_clip;
} lstm_op_t;

static void run_step(const armnn_i_acc_cell_rows_t* rows) {
  const lstm_op_t* op = (const lstm_op_t*)rows->op;
  const armnn_i_acc_recurrent_op_t* all = rows->op;
  const int64_t cells = all->cells, outputs = all->outputs, width = all->width;
  float* shown = op->projects ? rows->scratch + rows->count * width : rows->hidden;
  const armnn_i_acc_state_product_t sums = {
      &all->first[0], rows->hidden, rows->sums, rows->scratch, outputs, all->sums_row, width};
  armnn_i_acc_multiply_state(rows, &sums);
  armnn_i_acc_lstm_job_t job = op->job;
  for (int64_t r = 0; r < rows->count; ++r) {
    const float* gates = rows->scratch + r * width;
    job.input = width == 4 * cells ? gates : NULL;
    job.forget = gates + width - 3 * cells;
    job.fresh = job.forget + cells;
    job.output = job.fresh + cells;
    job.cell = rows->cell + r * cells;
    job.hidden = shown + r * cells;
    all->kernels->recurrent->lstm(&job);
  }
  if (!op->projects) return;
  const armnn_i_acc_state_product_t projection = {&all->second[0], shown, NULL,   rows->hidden,
                                                  cells,           0,     outputs};
  armnn_i_acc_multiply_state(rows, &projection);
  if (op->projection_clip < INFINITY) {
    all->kernels->elementwise->apply[ARMNN_ACC_CLAMP](rows->hidden, rows->hidden,
                                                      (size_t)(rows->count * outputs),
                                                      -op->projection_clip, op->projection_clip);
  }
}

/* Copies of the peepholes behind the operator. */
static void keep_peepholes(const armnn_i_acc_lstm_t* what, float* memory,
                           armnn_i_acc_lstm_job_t* job) {
  const float** places[] = {&job->input_peephole, &job->forget_peephole, &job->output_peephole};
  for (int i = 0; i < 3; ++i) {
    if (what->peepholes[i] == NULL) continue;
    float* kept = memory + i * what->cells;
    memcpy(kept, what->peepholes[i], (size_t)what->cells * sizeof(float));
    *places[i] = kept;
  }
}

armnn_status_t armnn_i_acc_make_lstm(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_lstm_t* what, armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  if (kernels == NULL || !armnn_i_acc_is_dense(&what->hidden) ||
      !armnn_i_acc_is_dense(&what->cell)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  void* peepholes;
  lstm_op_t* op =
      armnn_i_acc_new_op(maker, sizeof *op, 3 * (size_t)what->cells * sizeof(float), &peepholes);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  armnn_i_acc_recurrent_op_t* all = &op->recurrent;
  const uint32_t steps = what->rows_first ? 1 : 0, rows = what->rows_first ? 0 : 1;
  all->base.op.destroy = armnn_i_acc_destroy_recurrent;
  all->base.op.kernel = kernels->recurrent->lstm_name;
  all->kernels = kernels;
  all->step = run_step;
  all->sums = what->sums;
  all->hidden = what->hidden;
  all->cell = what->cell;
  all->output = what->output;
  all->steps = what->sums.dims[steps];
  all->rows = what->sums.dims[rows];
  all->directions = 1;
  all->cells = what->cells;
  all->outputs = what->outputs;
  all->width = (what->coupled ? 3 : 4) * what->cells;
  all->sums_step = armnn_i_acc_step(&what->sums, steps);
  all->sums_row = armnn_i_acc_step(&what->sums, rows);
  all->output_step = what->rows_first ? what->outputs : all->rows * what->outputs;
  all->output_row = what->rows_first ? all->steps * what->outputs : what->outputs;
  all->products = (uint64_t)(all->width * what->outputs);
  all->row_floats = (uint64_t)all->width;
  op->projects = what->projection != NULL;
  op->projection_clip = what->projection_clip;
  op->job = (armnn_i_acc_lstm_job_t){.cells = (size_t)what->cells,
                                     .function = what->function,
                                     .high = what->high,
                                     .clip = what->clip};
  keep_peepholes(what, peepholes, &op->job);
  armnn_status_t status = armnn_i_acc_pack_state(maker, all, what->recurrent, NULL, all->width,
                                                 what->outputs, &all->first[0]);
  if (status == ARMNN_STATUS_OK && op->projects) {
    all->products += (uint64_t)(what->outputs * what->cells);
    all->row_floats += (uint64_t)what->cells;
    status = armnn_i_acc_pack_state(maker, all, what->projection, what->projection_bias,
                                    what->outputs, what->cells, &all->second[0]);
  }
  if (status != ARMNN_STATUS_OK) {
    armnn_i_acc_destroy_recurrent(&all->base.op);
    return status;
  }
  armnn_i_acc_plan_recurrent(maker, all);
  *out_op = &all->base.op;
  return ARMNN_STATUS_OK;
}
