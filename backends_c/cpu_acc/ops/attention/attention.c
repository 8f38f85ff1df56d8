/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * attention.c - softmax(query key^T, with a scale and a mask) value, some rows at a time: their
 * scores are made, become probabilities and are multiplied with the values while they are in the
 * cache. Keys and values of a matrix of the batch are packed to the thread's scratch before, once
 * for all that a thread does of it; for few rows, as of the token that a language model decodes,
 * they are read where they are instead.
 *
 * Rows are divided by their sums at the end, where they are shorter: values above the largest float
 * over the number of keys may overflow before.
 */
#include <math.h>

#include "ops/dense/panel_rows.h"
#include "ops/op_base.h"
#include "row_tiles.h"

/* Bytes of the scores that are worked on together, and the least and most rows of them. */
#define SCORE_BYTES 65536
#define FEWEST_ROWS 12
#define MOST_ROWS 96
/* Matrices of more rows are cut among threads, which then pack the same keys and values, and
 * threads have at least so many rows each. */
#define ROWS_FOR_PACKING 64
#define ROWS_OF_THREAD 32
/* At most so many rows of a matrix are multiplied with keys and values that are not packed. */
#define ROWS_IN_PLACE 4

enum { QUERY, KEY, VALUE, MASK, OUTPUT, TENSORS };

typedef struct attention_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_attention_t what;
  const armnn_i_acc_kernels_t* kernels;
  armnn_i_acc_panels_t keys, values;
  int64_t steps[TENSORS][ARMNN_ACC_MAX_RANK]; /* 0 where a dimension repeats */
  int64_t m, n, k;
  int64_t batches;
  armnn_i_acc_row_tiles_t cut;
  int64_t items, item_tiles; /* what threads take: a tile, or all tiles of a matrix */
  int64_t score_stride;
  float beta;      /* of the softmax, */
  float key_scale; /* and what keys are multiplied with before the mask is added */
  uint64_t key_offset, value_offset, score_offset; /* of a thread's scratch, in floats, */
  uint64_t thread_scratch;                         /* which begins with a packed_t */
  uint32_t threads;
  bool adds_mask;
  bool in_place; /* keys and values are not packed */
} attention_op_t;

/* What a thread's scratch holds in panels: where it lay before. */
typedef struct packed_t {
  const float *keys, *values;
} packed_t;

typedef struct attention_run_t {
  const attention_op_t* op;
  const float* tensors[TENSORS]; /* a mask of booleans is not here */
  const uint8_t* choice;         /* but here, or null */
  float* scratch;
} attention_run_t;

/* Where the matrix of |tensor| begins that belongs to matrix |batch| of the output. */
static int64_t offset_of(const attention_op_t* op, int tensor, int64_t batch) {
  int64_t offset = 0;
  int64_t group = tensor == KEY || tensor == VALUE ? op->what.group : 1;
  for (uint32_t d = op->what.output.rank - 2; d-- > 0;) {
    offset += batch % op->what.output.dims[d] / group * op->steps[tensor][d];
    batch /= op->what.output.dims[d];
    group = 1; /* of the last of these dimensions alone */
  }
  return offset;
}

static const float* matrix_of(const attention_run_t* run, int tensor, int64_t batch) {
  return run->tensors[tensor] + offset_of(run->op, tensor, batch);
}

static packed_t* packed_in(float* scratch) { return (packed_t*)(void*)scratch; }

/* Keys and values of matrix |batch|, unless they are in |scratch| already. */
static void pack_matrices(const attention_run_t* run, int64_t batch, float* scratch) {
  const attention_op_t* op = run->op;
  const packed_t wanted = {matrix_of(run, KEY, batch), matrix_of(run, VALUE, batch)};
  packed_t* packed = packed_in(scratch);
  if (packed->keys == wanted.keys && packed->values == wanted.values) return;
  *packed = wanted;
  float* const panels = scratch + op->key_offset;
  const uint32_t row = op->what.output.rank - 2, column = row + 1;
  const uint32_t key_column = op->what.transpose_key ? row : column;
  const armnn_i_acc_panel_source_t keys = {
      .values = wanted.keys,
      .step_o = op->steps[KEY][key_column],
      .step_i = op->steps[KEY][key_column == row ? column : row],
      .size_y = 1,
      .size_x = 1,
      .channels = (uint64_t)op->k,
  };
  const uint32_t value_column = op->what.transpose_value ? row : column;
  const armnn_i_acc_panel_source_t values = {
      .values = wanted.values,
      .step_o = op->steps[VALUE][value_column],
      .step_i = op->steps[VALUE][value_column == row ? column : row],
      .size_y = 1,
      .size_x = 1,
      .channels = (uint64_t)op->n,
  };
  armnn_i_acc_pack_panels(&op->keys, &keys, (uint64_t)op->n, 0, op->keys.count, panels);
  if (op->key_scale != 1.0f) {
    op->kernels->elementwise->apply[ARMNN_ACC_LINEAR](panels, panels, (size_t)op->keys.floats,
                                                      op->key_scale, -0.0f);
  }
  armnn_i_acc_pack_panels(&op->values, &values, (uint64_t)op->what.output.dims[column], 0,
                          op->values.count, scratch + op->value_offset);
}

/* Whether all scores of a row are minus infinity: none is NaN. */
static bool is_empty(const float* of_row, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (of_row[i] != -INFINITY) return false;
  }
  return true;
}

/* |rows| rows of scores become exponentials; |inverse| gets one over the sum of each. */
static void raise_scores(const attention_op_t* op, float* scores, int64_t rows, float* inverse) {
  const armnn_i_acc_reduce_kernels_t* reduce = op->kernels->reduce;
  const int extreme = op->beta < 0.0f ? ARMNN_ACC_FOLD_MINIMUM : ARMNN_ACC_FOLD_MAXIMUM;
  for (int64_t r = 0; r < rows; ++r) {
    float* of_row = scores + r * op->score_stride;
    const float most = reduce->row[extreme](of_row, (size_t)op->n, 0.0f);
    if (op->what.zero_rows && most == -INFINITY && is_empty(of_row, op->n)) {
      memset(of_row, 0, (size_t)op->n * sizeof *of_row);
      inverse[r] = 0.0f;
      continue;
    }
    inverse[r] = 1.0f / reduce->exp_row(of_row, of_row, (size_t)op->n, op->beta, most);
  }
}

/* Bounds the scores of rows [from, from + rows) of matrix |batch|, and adds the mask behind that.
 */
static void bound_scores(const attention_run_t* run, int64_t batch, int64_t from, int64_t rows,
                         float* scores) {
  const attention_op_t* op = run->op;
  const float cap = op->what.softcap;
  const int64_t step = op->steps[MASK][op->what.output.rank - 2];
  for (int64_t r = 0; r < rows; ++r) {
    float* of_row = scores + r * op->score_stride;
    op->kernels->elementwise->apply[ARMNN_ACC_TANH](of_row, of_row, (size_t)op->n, cap, 1.0f / cap);
    if (!op->adds_mask) continue;
    const float* mask = matrix_of(run, MASK, batch) + (from + r) * step;
    op->kernels->gemm->add_rows(of_row, 0, mask, 0, 1, (size_t)op->n);
  }
}

/* Hides the scores of columns behind the rows [from, from + rows). */
static void hide_later(const attention_op_t* op, int64_t from, int64_t rows, float* scores) {
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t seen = from + r + op->n - op->m + 1;
    float* of_row = scores + r * op->score_stride;
    for (int64_t i = seen < 0 ? 0 : seen; i < op->n; ++i) of_row[i] = -INFINITY;
  }
}

/* Scores of rows [from, from + rows) of matrix |batch| that a mask of booleans hides. */
static void hide_scores(const attention_run_t* run, int64_t batch, int64_t from, int64_t rows,
                        float* scores) {
  const attention_op_t* op = run->op;
  if (op->what.softcap != 0.0f) bound_scores(run, batch, from, rows, scores);
  if (op->what.causal) hide_later(op, from, rows, scores);
  if (run->choice == NULL) return;
  const int64_t step = op->steps[MASK][op->what.output.rank - 2];
  const uint8_t* choice = run->choice + offset_of(op, MASK, batch) + from * step;
  const bool shown = op->what.shown;
  const float hidden = op->what.hidden;
  for (int64_t r = 0; r < rows; ++r, choice += step) {
    float* of_row = scores + r * op->score_stride;
    for (int64_t i = 0; i < op->n; ++i) of_row[i] = (choice[i] != 0) == shown ? of_row[i] : hidden;
  }
}

/* All rows of matrix |batch|, one by one. */
static void attend_in_place(const attention_run_t* run, int64_t batch, float* scratch) {
  const attention_op_t* op = run->op;
  const armnn_i_acc_vector_kernels_t* vectors = op->kernels->vectors;
  const armnn_i_acc_apply_fn_t scale = op->kernels->elementwise->apply[ARMNN_ACC_LINEAR];
  const uint32_t row = op->what.output.rank - 2;
  const size_t n = (size_t)op->n, k = (size_t)op->k;
  const size_t columns = (size_t)op->what.output.dims[row + 1];
  float *scores = scratch, *query = scratch + op->score_offset;
  float inverse[ROWS_IN_PLACE];
  const float* keys = matrix_of(run, KEY, batch);
  for (int64_t r = 0; r < op->m; ++r) {
    float* of_row = scores + r * op->score_stride;
    scale(matrix_of(run, QUERY, batch) + r * op->steps[QUERY][row], query, k, op->key_scale, -0.0f);
    if (op->what.transpose_key) {
      vectors->dot_rows(query, keys, op->steps[KEY][row], n, k, of_row);
    } else {
      vectors->sum_rows(query, keys, op->steps[KEY][row], k, n, of_row);
    }
    if (!op->adds_mask || op->what.softcap != 0.0f) continue;
    const float* mask = matrix_of(run, MASK, batch) + r * op->steps[MASK][row];
    op->kernels->gemm->add_rows(of_row, 0, mask, 0, 1, n);
  }
  hide_scores(run, batch, 0, op->m, scores);
  raise_scores(op, scores, op->m, inverse);
  const float* values = matrix_of(run, VALUE, batch);
  for (int64_t r = 0; r < op->m; ++r) {
    const float* of_row = scores + r * op->score_stride;
    float* output = (float*)(uintptr_t)matrix_of(run, OUTPUT, batch) + r * op->steps[OUTPUT][row];
    if (op->what.transpose_value) {
      vectors->dot_rows(of_row, values, op->steps[VALUE][row], columns, n, output);
    } else {
      vectors->sum_rows(of_row, values, op->steps[VALUE][row], n, columns, output);
    }
    scale(output, output, columns, inverse[r], -0.0f);
  }
}

/* Rows [from, from + rows) of matrix |batch|. */
static void attend(const attention_run_t* run, int64_t batch, int64_t from, int64_t rows,
                   float* scratch) {
  const attention_op_t* op = run->op;
  const uint32_t row = op->what.output.rank - 2;
  const armnn_i_acc_gemm_tap_t tap = {0, 0};
  float* scores = scratch + op->score_offset;
  float* output = (float*)(uintptr_t)matrix_of(run, OUTPUT, batch) + from * op->steps[OUTPUT][row];
  const bool masked = op->adds_mask && op->what.softcap == 0.0f;
  const float* mask =
      masked ? matrix_of(run, MASK, batch) + from * op->steps[MASK][row] : scores; /* not read */
  const armnn_i_acc_gemm_job_t score = {
      .tap_count = 1,
      .depth = (uint64_t)op->k,
      .taps = &tap,
      .input = matrix_of(run, QUERY, batch) + from * op->steps[QUERY][row],
      .input_stride = op->steps[QUERY][row],
      .output = scores,
      .output_stride = op->score_stride,
      .residual = mask,
      .residual_stride = masked ? op->steps[MASK][row] : 0,
      .flags = masked ? ARMNN_ACC_GEMM_RESIDUAL : 0,
  };
  armnn_i_acc_multiply_panels(&op->keys, scratch + op->key_offset, 0, op->keys.count, rows, &score);
  hide_scores(run, batch, from, rows, scores);
  float inverse[MOST_ROWS];
  raise_scores(op, scores, rows, inverse);
  const armnn_i_acc_gemm_job_t weighted = {
      .tap_count = 1,
      .depth = (uint64_t)op->n,
      .taps = &tap,
      .input = scores,
      .input_stride = op->score_stride,
      .output = output,
      .output_stride = op->steps[OUTPUT][row],
      .residual = output,
  };
  armnn_i_acc_multiply_panels(&op->values, scratch + op->value_offset, 0, op->values.count, rows,
                              &weighted);
  for (int64_t r = 0; r < rows; ++r) {
    float* of_row = output + r * op->steps[OUTPUT][row];
    op->kernels->elementwise->apply[ARMNN_ACC_LINEAR](
        of_row, of_row, (size_t)op->what.output.dims[row + 1], inverse[r], -0.0f);
  }
}

/* Items: tiles of all matrices, or matrices. Sums have the same bits in tiles of any number of rows
 * that are left of more than ROWS_FOR_PACKING rows, so that it does not matter who takes which. */
static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const attention_run_t* run = argument;
  const attention_op_t* op = run->op;
  float* scratch = run->scratch + thread_index * op->thread_scratch;
  if (op->in_place) {
    for (uint64_t i = begin; i < end; ++i) attend_in_place(run, (int64_t)i, scratch);
    return ARMNN_STATUS_OK;
  }
  const int64_t last = (int64_t)end * op->item_tiles;
  for (int64_t tile = (int64_t)begin * op->item_tiles; tile < last;) {
    const armnn_i_acc_row_block_t block = armnn_i_acc_first_block(&op->cut, tile, last);
    pack_matrices(run, block.matrix, scratch);
    attend(run, block.matrix, block.first, block.rows, scratch);
    tile = block.end;
  }
  return ARMNN_STATUS_OK;
}

static void run_attention(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const attention_op_t* op = (const attention_op_t*)base;
  const armnn_i_acc_attention_t* what = &op->what;
  attention_run_t self = {
      .op = op,
      .tensors = {[QUERY] = armnn_i_acc_address(run, &what->query),
                  [KEY] = armnn_i_acc_address(run, &what->key),
                  [VALUE] = armnn_i_acc_address(run, &what->value),
                  [OUTPUT] = armnn_i_acc_address(run, &what->output)},
      .scratch = (float*)run->scratch,
  };
  if (op->adds_mask) self.tensors[MASK] = armnn_i_acc_address(run, &what->mask);
  if (what->mask.rank > 0 && !op->adds_mask) self.choice = armnn_i_acc_address(run, &what->mask);
  for (uint32_t t = 0; t < op->threads && !op->in_place; ++t) {
    *packed_in(self.scratch + t * op->thread_scratch) = (packed_t){NULL, NULL};
  }
  /* The largest chunks of which each thread has four: others that help it pack anew for each. */
  const int64_t grain = op->items / (4 * (int64_t)op->threads);
  armnn_i_acc_parallel(run, run_items, &self, (uint64_t)op->items,
                       (uint64_t)(grain > 1 ? grain : 1), op->threads);
}

/* ---- Making -------------------------------------------------------------------------------- */

static void destroy_attention(armnn_i_acc_op_t* base) {
  attention_op_t* op = (attention_op_t*)base;
  armnn_i_acc_free_panels(&op->keys);
  armnn_i_acc_free_panels(&op->values);
  armnn_i_acc_destroy_op(base);
}

static void set_steps(attention_op_t* op, int index, const armnn_i_acc_tensor_t* tensor) {
  if (tensor->rank == 0) return;
  for (uint32_t d = 0; d < tensor->rank; ++d) {
    op->steps[index][d] = tensor->dims[d] == 1 ? 0 : armnn_i_acc_step(tensor, d);
  }
}

/* Kernels read and write rows without gaps. */
static bool has_rows(const armnn_i_acc_tensor_t* tensor) {
  const uint32_t last = tensor->rank - 1;
  return tensor->rank == 0 || tensor->dims[last] == 1 || armnn_i_acc_step(tensor, last) == 1;
}

static void cut_work(const armnn_i_acc_maker_t* maker, attention_op_t* op) {
  const int64_t line = ARMNN_ACC_LINE / (int64_t)sizeof(float);
  const int64_t columns = op->what.output.dims[op->what.output.rank - 1];
  op->base.op.operations = 2 * (uint64_t)(op->batches * op->m * op->n * (op->k + columns));
  op->threads = armnn_i_acc_threads(maker, op->base.op.operations);
  op->score_stride = armnn_i_acc_ceil_div(op->n, line) * line;
  int64_t block_rows = SCORE_BYTES / (op->score_stride * (int64_t)sizeof(float));
  if (block_rows < FEWEST_ROWS) block_rows = FEWEST_ROWS;
  if (block_rows > MOST_ROWS) block_rows = MOST_ROWS;
  op->cut = armnn_i_acc_tiles_of_rows(op->m, op->keys.rows, block_rows);
  const bool is_cut = op->m > ROWS_FOR_PACKING;
  op->item_tiles = is_cut ? 1 : op->cut.tiles;
  op->items = is_cut ? op->batches * op->cut.tiles : op->batches;
  const int64_t most = is_cut ? op->batches * op->m / ROWS_OF_THREAD : op->batches;
  if (most < (int64_t)op->threads) op->threads = (uint32_t)most;
  op->key_offset = (uint64_t)line; /* behind a packed_t */
  op->value_offset = op->key_offset + op->keys.floats;
  op->score_offset = op->value_offset + op->values.floats;
  op->thread_scratch =
      op->score_offset + (uint64_t)(armnn_i_acc_most_block_rows(&op->cut) * op->score_stride);
  if (op->in_place) { /* scores, and a query */
    op->score_offset = (uint64_t)(op->m * op->score_stride);
    op->thread_scratch = op->score_offset + (uint64_t)(armnn_i_acc_ceil_div(op->k, line) * line);
  }
  op->base.op.scratch_size = op->thread_scratch * op->threads * sizeof(float);
}

armnn_status_t armnn_i_acc_make_attention(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_attention_t* what,
                                          armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  const uint32_t row = what->output.rank - 2;
  if (kernels == NULL || armnn_i_acc_count(&what->output) == 0 || !has_rows(&what->query) ||
      !has_rows(&what->mask) || !has_rows(&what->output)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  attention_op_t* op = (attention_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->base.op.destroy = destroy_attention;
  op->base.op.run = run_attention;
  op->base.op.kernel = kernels->reduce->attention_name;
  op->what = *what;
  op->kernels = kernels;
  const armnn_i_acc_tensor_t* tensors[] = {&what->query, &what->key, &what->value, &what->mask,
                                           &what->output};
  for (int t = 0; t < TENSORS; ++t) set_steps(op, t, tensors[t]);
  op->m = what->output.dims[row];
  op->k = what->query.dims[row + 1];
  op->n = what->key.dims[what->transpose_key ? row : row + 1];
  op->batches = armnn_i_acc_count(&what->output) / (op->m * what->output.dims[row + 1]);
  const bool changes_scores = what->mask.rank > 0 || what->causal || what->softcap != 0.0f;
  op->beta = changes_scores ? what->beta : what->beta * what->scale;
  op->key_scale = changes_scores ? what->scale : 1.0f;
  op->adds_mask = what->mask.rank > 0 && what->mask.element.type == ARMNN_DATA_TYPE_FLOAT32;
  op->in_place = op->m <= ROWS_IN_PLACE && has_rows(&what->key) && has_rows(&what->value) &&
                 kernels->vectors != NULL;
  armnn_status_t status = armnn_i_acc_plan_panels(maker, kernels->gemm, 1, (uint64_t)op->n, 0, 1,
                                                  (uint64_t)op->k, 2, 1, &op->keys);
  if (status == ARMNN_STATUS_OK) {
    status = armnn_i_acc_plan_panels(maker, kernels->gemm, 1, (uint64_t)what->output.dims[row + 1],
                                     0, 1, (uint64_t)op->n, 2, 1, &op->values);
  }
  if (status != ARMNN_STATUS_OK) {
    destroy_attention(&op->base.op);
    return status;
  }
  cut_work(maker, op);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
