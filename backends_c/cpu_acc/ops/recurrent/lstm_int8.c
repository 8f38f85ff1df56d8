/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm_int8.c - LSTM cells in integers over a sequence.
 *
 * The inputs of some steps are multiplied at once, as many as leave the sums of their gates in the
 * cache; then each of these steps adds the product of the states. Blocks of rows do not depend on
 * each other: threads share them, or of one block the panels of each product that is worth it.
 * Every bit is the same, however they are cut.
 */
#include "lstm_weights.h"

enum {
  FEWEST_ROWS = 8, /* of a block: enough that reading weights does not bound its product */
  SUMS_BYTES = 64 * 1024,
  GATES = ARMNN_LSTM_GATES
};

typedef struct levels_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_lstm_int8_t what; /* its small constants behind the operator, no weights */
  const armnn_i_acc_lstm_int8_kernels_t* kernels;
  armnn_i_acc_lstm_weights_t weights;
  armnn_i_acc_lstm_cells_t cells; /* what is the same for all rows */
  int64_t most_bias[GATES];       /* of norms */
  int64_t steps, rows, width;     /* |width|: sums of a row */
  int64_t input_step, input_row;  /* in bytes, as those of the output are */
  int64_t output_step, output_row;
  int64_t blocks, block_rows, chunk; /* |chunk|: steps whose inputs are multiplied at once */
  uint64_t states_offset, sums_offset, shown_offset, projected_offset, thread_scratch;
  uint32_t threads, chunk_threads, step_threads;
} levels_op_t;

/* One run, and what a thread works with. */
typedef struct levels_run_t {
  const levels_op_t* op;
  const armnn_i_acc_run_t* run;
  const int8_t *input, *hidden;
  const int16_t* cell;
  int8_t *output, *last_hidden;
  int16_t* last_cell;
} levels_run_t;

typedef struct block_t {
  int64_t first, count; /* rows */
  int8_t* hidden;       /* the states, where the last ones are wanted */
  int16_t* cell;
  char *inputs, *states; /* rows of products */
  int16_t* sums;         /* [step of a chunk][row][gate][cell] */
  int8_t* shown;
  int16_t* projected;
} block_t;

/* ---- Products ------------------------------------------------------------------------------ */

typedef struct product_run_t {
  const levels_op_t* op;
  const armnn_i_acc_lstm_product_t* product;
  armnn_i_acc_gate_sums_t job; /* of panel 0 */
} product_run_t;

static armnn_status_t multiply_panels(void* argument, uint64_t begin, uint64_t end,
                                      uint32_t thread_index) {
  (void)thread_index;
  const product_run_t* self = argument;
  const armnn_i_acc_lstm_product_t* product = self->product;
  const int64_t panel = self->op->kernels->panel;
  for (int64_t p = (int64_t)begin; p < (int64_t)end; ++p) {
    armnn_i_acc_gate_sums_t job = self->job;
    const int64_t left = product->channels - p * panel;
    job.panel = product->packed + p * product->panel_size;
    job.output += p * panel;
    job.channels = (uint32_t)(left < panel ? left : panel);
    self->op->kernels->sums(&job);
  }
  return ARMNN_STATUS_OK;
}

static void multiply(const levels_run_t* run, const armnn_i_acc_lstm_product_t* product,
                     const char* numbers, int64_t rows, bool adds, int16_t* sums,
                     uint32_t threads) {
  product_run_t self = {.op = run->op,
                        .product = product,
                        .job = {.input = numbers,
                                .input_row = product->width,
                                .rows = (uint32_t)rows,
                                .groups = (size_t)product->groups,
                                .flags = product->flags,
                                .adds = adds,
                                .output = sums,
                                .output_row = product->channels}};
  if (threads == 1) {
    multiply_panels(&self, 0, (uint64_t)product->panels, 0);
  } else {
    armnn_i_acc_parallel(run->run, multiply_panels, &self, (uint64_t)product->panels, 1, threads);
  }
}

/* ---- A step -------------------------------------------------------------------------------- */

static void finish_gate(const levels_op_t* op, int gate, const int16_t* cell, int16_t* sums) {
  const armnn_i_acc_lstm_int8_t* what = &op->what;
  if (what->peepholes[gate] == NULL && what->norms[gate] == NULL) return;
  const armnn_i_acc_lstm_gate_sums_t job = {.cells = (size_t)what->cells,
                                            .sums = sums,
                                            .factors = &what->levels.gates[gate],
                                            .peephole = what->peepholes[gate],
                                            .cell = cell,
                                            .norm = what->norms[gate],
                                            .bias = what->bias[gate],
                                            .most_bias = op->most_bias[gate]};
  op->kernels->finish(&job);
}

static void run_cells(const levels_op_t* op, int16_t* sums, int16_t* cell, int8_t* shown) {
  const int64_t cells = op->what.cells;
  const int first = op->what.levels.options.cifg ? 1 : 0;
  int16_t* gates[GATES] = {NULL};
  for (int gate = first; gate < GATES; ++gate) gates[gate] = sums + (gate - first) * cells;
  for (int gate = first; gate < ARMNN_LSTM_OUTPUT_GATE; ++gate) {
    finish_gate(op, gate, cell, gates[gate]);
  }
  armnn_i_acc_lstm_cells_t job = op->cells;
  job.input = gates[ARMNN_LSTM_INPUT_GATE];
  job.forget = gates[ARMNN_LSTM_FORGET_GATE];
  job.fresh = gates[ARMNN_LSTM_CELL_GATE];
  job.output = gates[ARMNN_LSTM_OUTPUT_GATE];
  job.cell = cell;
  job.shown = shown;
  op->kernels->update(&job);
  finish_gate(op, ARMNN_LSTM_OUTPUT_GATE, cell, gates[ARMNN_LSTM_OUTPUT_GATE]);
  op->kernels->show(&job);
}

/* Outputs of the projection from its scaled sums, which saturated in 16 bits: the zero point is
 * less than what a byte has beyond that. */
static void finish_projection(const armnn_lstm_int8_t* levels, const int16_t* sums, int64_t count,
                              int8_t* hidden) {
  const int32_t zero = levels->state_zero, bound = levels->output_bound;
  const int32_t low = bound == 0 ? INT8_MIN : -bound, high = bound == 0 ? INT8_MAX : bound;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t number = sums[i] + zero;
    hidden[i] = (int8_t)(number < low ? low : number > high ? high : number);
  }
}

static void run_step(const levels_run_t* run, const block_t* block, int16_t* sums) {
  const levels_op_t* op = run->op;
  const int64_t cells = op->what.cells, outputs = op->what.outputs;
  const bool projects = op->weights.projection.panels > 0;
  int8_t* shown = projects ? block->shown : block->hidden;
  armnn_i_acc_read_lstm_rows(op->kernels, &op->weights.recurrent, block->hidden, outputs,
                             block->count, block->states);
  multiply(run, &op->weights.recurrent, block->states, block->count, true, sums, op->step_threads);
  for (int64_t r = 0; r < block->count; ++r) {
    run_cells(op, sums + r * op->width, block->cell + r * cells, shown + r * cells);
  }
  if (!projects) return;
  armnn_i_acc_read_lstm_rows(op->kernels, &op->weights.projection, shown, cells, block->count,
                             block->states);
  multiply(run, &op->weights.projection, block->states, block->count, false, block->projected,
           op->step_threads);
  finish_projection(&op->what.levels, block->projected, block->count * outputs, block->hidden);
}

/* ---- The walk ------------------------------------------------------------------------------ */

/* What the inputs of |count| steps from |step| on add to the sums of a block. */
static void multiply_inputs(const levels_run_t* run, const block_t* block, int64_t step,
                            int64_t count) {
  const levels_op_t* op = run->op;
  const armnn_i_acc_lstm_product_t* product = &op->weights.input;
  for (int64_t s = 0; s < count; ++s) {
    const int8_t* from = run->input + (step + s) * op->input_step + block->first * op->input_row;
    armnn_i_acc_read_lstm_rows(op->kernels, product, from, op->input_row, block->count,
                               block->inputs + s * block->count * product->width);
  }
  multiply(run, product, block->inputs, count * block->count, false, block->sums,
           op->chunk_threads);
}

static void walk_block(const levels_run_t* run, int64_t index, char* scratch) {
  const levels_op_t* op = run->op;
  const int64_t cells = op->what.cells, outputs = op->what.outputs;
  const int64_t first = index * op->block_rows;
  const int64_t count = op->rows - first < op->block_rows ? op->rows - first : op->block_rows;
  const block_t block = {.first = first,
                         .count = count,
                         .hidden = run->last_hidden + first * outputs,
                         .cell = run->last_cell + first * cells,
                         .inputs = scratch,
                         .states = scratch + op->states_offset,
                         .sums = (int16_t*)(void*)(scratch + op->sums_offset),
                         .shown = (int8_t*)scratch + op->shown_offset,
                         .projected = (int16_t*)(void*)(scratch + op->projected_offset)};
  memcpy(block.hidden, run->hidden + first * outputs, (size_t)(count * outputs));
  memcpy(block.cell, run->cell + first * cells, (size_t)(count * cells) * sizeof *block.cell);
  for (int64_t begin = 0; begin < op->steps; begin += op->chunk) {
    const int64_t left = op->steps - begin, steps = left < op->chunk ? left : op->chunk;
    multiply_inputs(run, &block, begin, steps);
    for (int64_t s = 0; s < steps; ++s) {
      run_step(run, &block, block.sums + s * count * op->width);
      int8_t* to = run->output + (begin + s) * op->output_step + first * op->output_row;
      for (int64_t r = 0; r < count; ++r) {
        memcpy(to + r * op->output_row, block.hidden + r * outputs, (size_t)outputs);
      }
    }
  }
}

static armnn_status_t walk_blocks(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  const levels_run_t* run = argument;
  char* scratch = run->run->scratch + thread_index * run->op->thread_scratch;
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) walk_block(run, i, scratch);
  return ARMNN_STATUS_OK;
}

static void run_levels(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const levels_op_t* op = (const levels_op_t*)base;
  char* output = armnn_i_acc_address(run, &op->what.output);
  levels_run_t self = {.op = op,
                       .run = run,
                       .input = armnn_i_acc_address(run, &op->what.input),
                       .hidden = armnn_i_acc_address(run, &op->what.hidden),
                       .cell = armnn_i_acc_address(run, &op->what.cell),
                       .last_cell = (int16_t*)(void*)output};
  self.output = (int8_t*)(self.last_cell + op->rows * op->what.cells);
  self.last_hidden = self.output + op->steps * op->rows * op->what.outputs;
  armnn_i_acc_parallel(run, walk_blocks, &self, (uint64_t)op->blocks, 1, op->threads);
}

/* ---- Making -------------------------------------------------------------------------------- */

static void destroy(armnn_i_acc_op_t* base) {
  armnn_i_acc_release_packed(&((levels_op_t*)base)->weights.memory);
  armnn_i_acc_destroy_op(base);
}

static void plan(const armnn_i_acc_maker_t* maker, levels_op_t* op) {
  const armnn_i_acc_lstm_weights_t* weights = &op->weights;
  const uint64_t line = ARMNN_ACC_LINE;
  const int64_t of_input = weights->input.depth * op->width;
  const int64_t of_states = weights->recurrent.depth * op->width +
                            weights->projection.depth * weights->projection.channels;
  const uint64_t step = 2 * (uint64_t)(of_states * op->rows);
  op->base.op.operations = 2 * (uint64_t)((of_input + of_states) * op->rows * op->steps);
  op->blocks = op->rows / FEWEST_ROWS > 1 ? op->rows / FEWEST_ROWS : 1;
  op->block_rows = armnn_i_acc_ceil_div(op->rows, op->blocks);
  op->blocks = armnn_i_acc_ceil_div(op->rows, op->block_rows);
  op->chunk = SUMS_BYTES / (op->block_rows * op->width * (int64_t)sizeof(int16_t));
  if (op->chunk < 1) op->chunk = 1;
  if (op->chunk > op->steps) op->chunk = op->steps;
  op->threads = op->chunk_threads = op->step_threads = 1;
  if (op->blocks > 1) {
    op->threads = armnn_i_acc_threads(maker, op->base.op.operations);
  } else {
    op->chunk_threads = armnn_i_acc_threads(maker, 2 * (uint64_t)(of_input * op->rows * op->chunk));
    op->step_threads = armnn_i_acc_threads(maker, step);
  }
  const int64_t rows = op->block_rows,
                wider = weights->projection.panels > 0 &&
                                weights->projection.width > weights->recurrent.width
                            ? weights->projection.width
                            : weights->recurrent.width;
  op->states_offset =
      armnn_i_acc_round_up((uint64_t)(op->chunk * rows * weights->input.width), line);
  op->sums_offset = armnn_i_acc_round_up(op->states_offset + (uint64_t)(rows * wider), line);
  op->shown_offset = armnn_i_acc_round_up(
      op->sums_offset + (uint64_t)(op->chunk * rows * op->width) * sizeof(int16_t), line);
  op->projected_offset =
      armnn_i_acc_round_up(op->shown_offset + (uint64_t)(rows * op->what.cells), line);
  op->thread_scratch = armnn_i_acc_round_up(
      op->projected_offset + (uint64_t)(rows * op->what.outputs) * sizeof(int16_t), line);
  op->base.op.scratch_size = op->thread_scratch * op->threads;
}

/* Copies of norms, what they add, and peepholes behind the operator; the rest is packed. */
static void keep_constants(levels_op_t* op, char* memory) {
  const uint64_t cells = (uint64_t)op->what.cells;
  const bool has_norm = op->what.levels.options.layer_norm != 0;
  int32_t* bias = (int32_t*)(void*)memory;
  int16_t* values16 = (int16_t*)(void*)(bias + GATES * cells);
  for (int gate = 0; gate < GATES; ++gate) {
    op->what.weights[gate] = op->what.recurrent[gate] = NULL;
    if (has_norm && op->what.bias[gate] != NULL) {
      op->what.bias[gate] = memcpy(bias, op->what.bias[gate], cells * sizeof *bias);
      for (uint64_t i = 0; i < cells; ++i) {
        const int64_t size = bias[i] < 0 ? -(int64_t)bias[i] : bias[i];
        if (size > op->most_bias[gate]) op->most_bias[gate] = size;
      }
      bias += cells;
    }
    const int16_t** kept[] = {&op->what.norms[gate], &op->what.peepholes[gate]};
    for (int i = 0; i < 2; ++i) {
      if (*kept[i] == NULL) continue;
      *kept[i] = memcpy(values16, *kept[i], cells * sizeof *values16);
      values16 += cells;
    }
  }
  op->what.projection = NULL;
  op->what.projection_bias = NULL;
}

armnn_status_t armnn_i_acc_make_lstm_int8(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_lstm_int8_t* what,
                                          armnn_i_acc_op_t** out_op) {
  if (!armnn_i_acc_is_dense(&what->input) || !armnn_i_acc_is_dense(&what->hidden) ||
      !armnn_i_acc_is_dense(&what->cell) || !armnn_i_acc_is_dense(&what->output)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  void* memory = NULL;
  const size_t extra = (size_t)what->cells * GATES * (sizeof(int32_t) + 2 * sizeof(int16_t));
  levels_op_t* op = armnn_i_acc_new_op(maker, sizeof *op, extra, &memory);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  const armnn_status_t status = armnn_i_acc_pack_lstm(maker, what, &op->weights);
  if (status != ARMNN_STATUS_OK) {
    armnn_i_acc_destroy_op(&op->base.op);
    return status;
  }
  const armnn_lstm_int8_t* levels = &what->levels;
  const uint32_t steps = what->rows_first ? 1 : 0, rows = 1 - steps;
  op->what = *what;
  op->kernels = maker->isa->quantized->lstm;
  op->cells = (armnn_i_acc_lstm_cells_t){
      .cells = (size_t)what->cells,
      .whole = 15 + levels->cell_exponent,
      .right = 30 + levels->cell_exponent,
      .bound = levels->cell_bound,
      .factor = levels->hidden,
      .zero_point = levels->hidden_zero,
  };
  op->steps = what->input.dims[steps];
  op->rows = what->input.dims[rows];
  op->width = (what->levels.options.cifg ? 3 : 4) * what->cells;
  op->input_step = (what->rows_first ? 1 : op->rows) * what->input.dims[2];
  op->input_row = (what->rows_first ? op->steps : 1) * what->input.dims[2];
  op->output_step = (what->rows_first ? 1 : op->rows) * what->outputs;
  op->output_row = (what->rows_first ? op->steps : 1) * what->outputs;
  keep_constants(op, memory);
  plan(maker, op);
  op->base.op.destroy = destroy;
  op->base.op.run = run_levels;
  op->base.op.kernel = op->kernels->name;
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
