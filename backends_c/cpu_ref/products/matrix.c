/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * matrix.c - see matrix.h. Two ways: tiles (tile.h), and dot products where one of the matrices is
 * so narrow that a tile of it would be mostly padding.
 */
#include "matrix.h"

#include "shared/work.h"

enum { NARROW = 4, LANES = 16 };

/* The operands of one batch, in one pass over the planes of levels. */
static void batch_operands(const armnn_i_ref_matrix_t* job, int64_t batch, int pass,
                           const float** out_x, const float** out_y) {
  const armnn_i_ref_levels_t* levels = job->levels;
  *out_x = levels != NULL ? levels->x + levels->x_offset[pass] : job->x;
  *out_y = levels != NULL ? levels->y + levels->y_offset[pass] : job->y;
  for (uint32_t d = job->batch_rank; d-- > 0;) {
    const int64_t index = batch % job->batch[d];
    *out_x += index * job->x_batch[d];
    *out_y += index * job->y_batch[d];
    batch /= job->batch[d];
  }
}

/* Sixteen sums side by side, which is also kinder to rounding than one long sum. */
static float dot(const float* restrict x, const float* restrict y, int64_t count) {
  float lanes[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    for (int lane = 0; lane < LANES; ++lane) lanes[lane] += x[i + lane] * y[i + lane];
  }
  for (int lane = 0; i < count; ++i, ++lane) lanes[lane] += x[i] * y[i];
  for (int half = LANES / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

/* A dot product of levels: exact piece by piece. */
static int64_t dot_levels(const float* x, const float* y, int64_t count) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; i += ARMNN_REF_EXACT) {
    total += (int64_t)dot(x + i, y + i, count - i < ARMNN_REF_EXACT ? count - i : ARMNN_REF_EXACT);
  }
  return total;
}

/* Items are columns of one batch; inside: rows. */
static armnn_status_t multiply_dots(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) {
  (void)thread_index;
  const armnn_i_ref_matrix_t* job = (const armnn_i_ref_matrix_t*)argument;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    if (armnn_i_ref_cancelled(job->call)) return ARMNN_STATUS_OK;
    const int64_t column = item % job->columns;
    const int64_t batch = item / job->columns;
    const int64_t out = batch * job->rows * job->columns + column;
    const float *x, *y;
    for (int64_t row = 0; row < job->rows; ++row) {
      const int64_t at_x = row * job->x_row, at_y = column * job->y_column;
      if (job->levels == NULL) {
        batch_operands(job, batch, 0, &x, &y);
        const float bias = job->bias != NULL ? job->bias[column] : 0.0f;
        job->out[out + row * job->columns] = bias + dot(x + at_x, y + at_y, job->depth);
        continue;
      }
      int64_t total = 0;
      for (int pass = 0; pass < job->levels->passes; ++pass) {
        batch_operands(job, batch, pass, &x, &y);
        total += dot_levels(x + at_x, y + at_y, job->depth) * job->levels->weight[pass];
      }
      armnn_i_ref_levels_store(job->levels, total, column, out + row * job->columns);
    }
  }
  return ARMNN_STATUS_OK;
}

/* right[k][n] = y(k, n) */
static void read_block(const armnn_i_ref_matrix_t* job, const float* y, int64_t depth,
                       int64_t columns, armnn_i_ref_tile_t right) {
  if (job->y_column == 1) {
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t n = 0; n < columns; ++n) right[k][n] = y[k * job->y_depth + n];
    }
  } else {
    for (int64_t n = 0; n < columns; ++n) {
      for (int64_t k = 0; k < depth; ++k) right[k][n] = y[k * job->y_depth + n * job->y_column];
    }
  }
  const int64_t filled = armnn_i_ref_tile_columns(columns);
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t n = columns; n < filled; ++n) right[k][n] = 0.0f;
  }
}

/* Adds up the tile of |rows| from x on and |columns| from y on over its depth, tile by tile.
 * |totals|: null for float32. */
static void add_depth(const armnn_i_ref_matrix_t* job, const float* x, const float* y, int64_t rows,
                      int64_t columns, armnn_i_ref_tile_t sum, armnn_i_ref_totals_t totals,
                      int pass) {
  armnn_i_ref_tile_t right;
  for (int64_t k = 0; k < job->depth; k += ARMNN_REF_TILE) {
    const int64_t depth = armnn_i_ref_part(job->depth, k);
    read_block(job, y + k * job->y_depth, depth, columns, right);
    armnn_i_ref_tile_multiply(x + k * job->x_depth, job->x_row, job->x_depth, rows, depth, right,
                              columns, sum);
    if (totals != NULL) armnn_i_ref_levels_take(job->levels, pass, rows, columns, sum, totals);
  }
}

/* Items are tiles of the output. */
static armnn_status_t multiply_tiles(void* argument, uint64_t begin, uint64_t end,
                                     uint32_t thread_index) {
  (void)thread_index;
  const armnn_i_ref_matrix_t* job = (const armnn_i_ref_matrix_t*)argument;
  const int64_t row_tiles = armnn_i_ref_tiles(job->rows);
  const int64_t column_tiles = armnn_i_ref_tiles(job->columns);
  armnn_i_ref_tile_t sum;
  armnn_i_ref_totals_t totals;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    if (armnn_i_ref_cancelled(job->call)) return ARMNN_STATUS_OK;
    const int64_t column = item % column_tiles * ARMNN_REF_TILE;
    const int64_t row = item / column_tiles % row_tiles * ARMNN_REF_TILE;
    const int64_t batch = item / column_tiles / row_tiles;
    const int64_t rows = armnn_i_ref_part(job->rows, row);
    const int64_t columns = armnn_i_ref_part(job->columns, column);
    const int64_t out = (batch * job->rows + row) * job->columns + column;
    const float *x, *y;
    for (int64_t m = 0; m < rows; ++m) {
      for (int64_t n = 0; n < ARMNN_REF_TILE; ++n) {
        sum[m][n] = job->bias != NULL && n < columns ? job->bias[column + n] : 0.0f;
      }
    }
    const int passes = job->levels != NULL ? job->levels->passes : 1;
    if (job->levels != NULL) armnn_i_ref_levels_clear(rows, totals);
    for (int pass = 0; pass < passes; ++pass) {
      batch_operands(job, batch, pass, &x, &y);
      add_depth(job, x + row * job->x_row, y + column * job->y_column, rows, columns, sum,
                job->levels != NULL ? totals : NULL, pass);
    }
    if (job->levels == NULL) {
      armnn_i_ref_tile_store(sum, rows, columns, job->out + out, job->columns, 1);
    } else {
      armnn_i_ref_levels_store_tile(job->levels, totals, rows, columns, column, 0, out,
                                    job->columns, 1);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_matrix_run(armnn_i_ref_matrix_t* job, armnn_error_t* error) {
  int64_t batches = 1;
  for (uint32_t d = 0; d < job->batch_rank; ++d) batches *= job->batch[d];
  if (batches == 0 || job->rows == 0 || job->columns == 0) return ARMNN_STATUS_OK;
  const int narrow = job->rows <= NARROW || job->columns <= NARROW;
  if (narrow && job->x_depth == 1 && job->y_depth == 1) {
    return armnn_i_ref_run(job->call, multiply_dots, job, (uint64_t)(batches * job->columns),
                           (uint64_t)(job->rows * job->depth), error);
  }
  const int64_t items = batches * armnn_i_ref_tiles(job->rows) * armnn_i_ref_tiles(job->columns);
  const int64_t operations =
      job->depth * armnn_i_ref_part(job->rows, 0) * armnn_i_ref_part(job->columns, 0);
  return armnn_i_ref_run(job->call, multiply_tiles, job, (uint64_t)items, (uint64_t)operations,
                         error);
}
