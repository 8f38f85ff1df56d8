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
  float* rounded = rows->scratch + rows->count * (width + (op->projects ? cells : 0));
  const armnn_i_acc_state_product_t sums = {
      &all->first[0], armnn_i_acc_rounded_rows(rows, rows->hidden, outputs, rounded),
      rows->sums,     rows->scratch,
      outputs,        all->sums_row,
      width};
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
  const armnn_i_acc_state_product_t projection = {
      &all->second[0],
      armnn_i_acc_rounded_rows(rows, shown, cells, rounded),
      NULL,
      rows->hidden,
      cells,
      0,
      outputs};
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
  const armnn_i_acc_walk_t walk = {
      .sums = &what->sums,
      .hidden = &what->hidden,
      .output = &what->output,
      .cell = &what->cell,
      .rows_first = what->rows_first,
      .directions = 1,
      .gates = what->coupled ? 3 : 4,
      .cells = what->cells,
      .outputs = what->outputs,
  };
  void *memory, *peepholes;
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_new_walk(maker, &walk, sizeof(lstm_op_t),
                                             3 * (size_t)what->cells * sizeof(float), &peepholes,
                                             &memory));
  lstm_op_t* op = memory;
  armnn_i_acc_recurrent_op_t* all = &op->recurrent;
  all->base.op.kernel = all->kernels->recurrent->lstm_name;
  all->step = run_step;
  all->row_floats = (uint64_t)all->width;
  all->rounding = what->rounding;
  if (what->rounding != ARMNN_ROW_ROUNDING_NONE) { /* of hidden, then of what is projected */
    all->row_floats += (uint64_t)(what->outputs > what->cells ? what->outputs : what->cells);
  }
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
  return armnn_i_acc_finish_walk(maker, status, all, out_op);
}
