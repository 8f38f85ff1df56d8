/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * recurrent.c - the walk over a sequence, for all kinds of cells.
 */
#include "recurrent.h"

#include "row_rounding.h"

/* Rows of a block: enough that its product is bound by arithmetic and not by reading weights. */
#define FEWEST_ROWS 8

/* ---- Products of a step -------------------------------------------------------------------- */

typedef struct product_run_t {
  const armnn_i_acc_panels_t* panels;
  int64_t rows;
  armnn_i_acc_gemm_job_t job;
} product_run_t;

static armnn_status_t multiply_some(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) {
  (void)thread_index;
  const product_run_t* self = argument;
  armnn_i_acc_multiply_panels(self->panels, self->panels->weights, (uint32_t)begin, (uint32_t)end,
                              self->rows, &self->job);
  return ARMNN_STATUS_OK;
}

void armnn_i_acc_multiply_state(const armnn_i_acc_cell_rows_t* rows,
                                const armnn_i_acc_state_product_t* product) {
  static const armnn_i_acc_gemm_tap_t tap = {0, 0};
  const bool adds = product->residual != NULL;
  product_run_t self = {
      .panels = product->panels,
      .rows = rows->count,
      .job = {.tap_count = 1,
              .depth = product->panels->depth,
              .taps = &tap,
              .input = product->in,
              .input_stride = product->in_row,
              .output = product->out,
              .output_stride = product->out_row,
              .residual = adds ? product->residual : product->out,
              .residual_stride = adds ? product->residual_row : 0,
              .flags = adds ? ARMNN_ACC_GEMM_RESIDUAL : 0},
  };
  if (rows->threads == 1) {
    multiply_some(&self, 0, product->panels->count, 0);
  } else {
    armnn_i_acc_parallel(rows->run, multiply_some, &self, product->panels->count, 1, rows->threads);
  }
}

const float* armnn_i_acc_rounded_rows(const armnn_i_acc_cell_rows_t* rows, const float* in,
                                      int64_t width, float* scratch) {
  if (rows->op->rounding == ARMNN_ROW_ROUNDING_NONE) return in;
  for (int64_t r = 0; r < rows->count; ++r) {
    armnn_round_row(rows->op->rounding, in + r * width, scratch + r * width, (uint64_t)width);
  }
  return scratch;
}

/* ---- The walk ------------------------------------------------------------------------------ */

bool armnn_i_acc_row_runs(const armnn_i_acc_cell_rows_t* rows, int64_t i) {
  if (rows->lengths == NULL) return true;
  const bool is_wide = rows->op->lengths.element.type == ARMNN_DATA_TYPE_SIGNED64;
  const int64_t row = rows->first + i;
  return rows->step < (is_wide ? ((const int64_t*)rows->lengths)[row]
                               : (int64_t)((const int32_t*)rows->lengths)[row]);
}

typedef struct walk_run_t {
  const armnn_i_acc_recurrent_op_t* op;
  const armnn_i_acc_run_t* run;
  const float* sums;
  const float *hidden, *cell; /* |cell| is null without one */
  const void* lengths;
  float *output, *last_hidden, *last_cell;
  float* scratch;
} walk_run_t;

/* What a step shows: the states, or zeros behind the end of a row. */
static void show(const armnn_i_acc_cell_rows_t* rows, float* output) {
  const armnn_i_acc_recurrent_op_t* op = rows->op;
  for (int64_t r = 0; r < rows->count; ++r) {
    float* to = output + r * op->output_row;
    if (armnn_i_acc_row_runs(rows, r)) {
      memcpy(to, rows->hidden + r * op->outputs, (size_t)op->outputs * sizeof(float));
    } else {
      memset(to, 0, (size_t)op->outputs * sizeof(float));
    }
  }
}

static void walk_block(const walk_run_t* self, int64_t direction, int64_t block, float* scratch) {
  const armnn_i_acc_recurrent_op_t* op = self->op;
  const int64_t first = block * op->block_rows;
  const int64_t count = op->rows - first < op->block_rows ? op->rows - first : op->block_rows;
  const int64_t state = direction * op->rows + first;
  armnn_i_acc_cell_rows_t rows = {
      .op = op,
      .run = self->run,
      .threads = op->step_threads,
      .direction = (uint32_t)direction,
      .first = first,
      .count = count,
      .hidden = self->last_hidden + state * op->outputs,
      .cell = self->cell == NULL ? NULL : self->last_cell + state * op->cells,
      .lengths = self->lengths,
      .scratch = scratch,
  };
  /* The states live where the last ones are wanted. */
  memcpy(rows.hidden, self->hidden + state * op->outputs,
         (size_t)(count * op->outputs) * sizeof(float));
  if (rows.cell != NULL) {
    memcpy(rows.cell, self->cell + state * op->cells, (size_t)(count * op->cells) * sizeof(float));
  }
  for (int64_t i = 0; i < op->steps; ++i) {
    rows.step = op->reverse[direction] ? op->steps - 1 - i : i;
    rows.sums =
        self->sums + rows.step * op->sums_step + first * op->sums_row + direction * op->width;
    op->step(&rows);
    show(&rows, self->output + rows.step * op->output_step + direction * op->output_direction +
                    first * op->output_row);
  }
}

/* Items: directions, blocks of their rows. */
static armnn_status_t walk_items(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  const walk_run_t* self = argument;
  float* scratch = self->scratch + thread_index * self->op->thread_scratch;
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) {
    walk_block(self, i / self->op->blocks, i % self->op->blocks, scratch);
  }
  return ARMNN_STATUS_OK;
}

static void run_recurrent(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const armnn_i_acc_recurrent_op_t* op = (const armnn_i_acc_recurrent_op_t*)base;
  const int64_t states = op->directions * op->rows;
  float* output = armnn_i_acc_address(run, &op->output);
  float* last_hidden = output + op->steps * states * op->outputs;
  walk_run_t self = {
      .op = op,
      .run = run,
      .sums = armnn_i_acc_address(run, &op->sums),
      .hidden = armnn_i_acc_address(run, &op->hidden),
      .cell = op->cell.rank > 0 ? armnn_i_acc_address(run, &op->cell) : NULL,
      .lengths = op->lengths.rank > 0 ? armnn_i_acc_address(run, &op->lengths) : NULL,
      .output = output,
      .last_hidden = last_hidden,
      .last_cell = last_hidden + states * op->outputs,
      .scratch = (float*)run->scratch,
  };
  armnn_i_acc_parallel(run, walk_items, &self, (uint64_t)(op->directions * op->blocks), 1,
                       op->threads);
}

/* ---- Making -------------------------------------------------------------------------------- */

armnn_status_t armnn_i_acc_pack_state(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_recurrent_op_t* op, const float* weights,
                                      const float* bias, int64_t columns, int64_t depth,
                                      armnn_i_acc_panels_t* out_panels) {
  const armnn_i_acc_panel_source_t source = {
      .values = weights,
      .step_o = depth,
      .step_i = 1,
      .size_y = 1,
      .size_x = 1,
      .channels = (uint64_t)depth,
  };
  const armnn_i_acc_gemm_kernels_t* gemm = op->kernels->gemm;
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_plan_panels(maker, gemm, 1, (uint64_t)columns, 0, 1,
                                                (uint64_t)depth, gemm->max_vectors, 1, out_panels));
  return armnn_i_acc_pack_constant(maker, &source, bias, (uint64_t)columns, out_panels);
}

static void plan(const armnn_i_acc_maker_t* maker, armnn_i_acc_recurrent_op_t* op) {
  const uint64_t line = ARMNN_ACC_LINE / sizeof(float);
  const uint64_t operations = 2 * op->products * (uint64_t)op->rows;
  op->base.op.operations = operations * (uint64_t)(op->steps * op->directions);
  op->blocks = op->rows / FEWEST_ROWS > 1 ? op->rows / FEWEST_ROWS : 1;
  op->block_rows = armnn_i_acc_ceil_div(op->rows, op->blocks);
  op->blocks = armnn_i_acc_ceil_div(op->rows, op->block_rows);
  const bool is_single = op->directions * op->blocks == 1;
  op->threads = is_single ? 1 : armnn_i_acc_threads(maker, op->base.op.operations);
  op->step_threads = is_single ? armnn_i_acc_threads(maker, operations) : 1;
  op->thread_scratch = ((uint64_t)op->block_rows * op->row_floats + line - 1) / line * line;
  op->base.op.scratch_size = op->thread_scratch * op->threads * sizeof(float);
}

static void destroy(armnn_i_acc_op_t* base) {
  armnn_i_acc_recurrent_op_t* op = (armnn_i_acc_recurrent_op_t*)base;
  for (uint32_t d = 0; d < ARMNN_ACC_DIRECTIONS; ++d) {
    armnn_i_acc_free_panels(&op->first[d]);
    armnn_i_acc_free_panels(&op->second[d]);
  }
  armnn_i_acc_destroy_op(base);
}

/* Floats of the output from step to step, direction to direction and row to row. */
static void set_output_steps(const armnn_i_acc_walk_t* what, armnn_i_acc_recurrent_op_t* op) {
  if (what->rows_first) {
    op->output_step = what->outputs;
    op->output_row = op->steps * what->outputs;
    return; /* of one direction */
  }
  op->output_row = what->outputs;
  op->output_direction = op->rows * what->outputs;
  op->output_step = what->directions * op->output_direction;
}

armnn_status_t armnn_i_acc_new_walk(const armnn_i_acc_maker_t* maker,
                                    const armnn_i_acc_walk_t* what, size_t size, size_t extra,
                                    void** out_extra, void** out_op) {
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, what->output);
  const armnn_i_acc_tensor_t* dense[] = {what->hidden, what->cell, what->lengths};
  *out_op = NULL;
  if (kernels == NULL) return ARMNN_STATUS_UNSUPPORTED;
  for (int i = 0; i < 3; ++i) {
    if (dense[i] != NULL && !armnn_i_acc_is_dense(dense[i])) return ARMNN_STATUS_UNSUPPORTED;
  }
  armnn_i_acc_recurrent_op_t* op = armnn_i_acc_new_op(maker, size, extra, out_extra);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  const uint32_t steps = what->rows_first ? 1 : 0, rows = what->rows_first ? 0 : 1;
  op->base.op.destroy = destroy;
  op->base.op.run = run_recurrent;
  op->kernels = kernels;
  op->sums = *what->sums;
  op->hidden = *what->hidden;
  if (what->cell != NULL) op->cell = *what->cell;
  if (what->lengths != NULL) op->lengths = *what->lengths;
  op->output = *what->output;
  op->steps = what->sums->dims[steps];
  op->rows = what->sums->dims[rows];
  op->directions = what->directions;
  op->cells = what->cells;
  op->outputs = what->outputs;
  op->width = what->gates * what->cells;
  op->reverse[0] = what->reverse;
  op->reverse[1] = true;
  op->sums_step = armnn_i_acc_step(what->sums, steps);
  op->sums_row = armnn_i_acc_step(what->sums, rows);
  set_output_steps(what, op);
  op->products = (uint64_t)(op->width * what->outputs);
  *out_op = op;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_finish_walk(const armnn_i_acc_maker_t* maker, armnn_status_t status,
                                       armnn_i_acc_recurrent_op_t* op, armnn_i_acc_op_t** out_op) {
  if (status != ARMNN_STATUS_OK) {
    destroy(&op->base.op);
    return status;
  }
  plan(maker, op);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
