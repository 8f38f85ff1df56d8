/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * matrix.c - see matrix.h. Two ways: tiles (tile.h), and dot products where one of the matrices is
 * so narrow that a tile of it would be mostly padding.
 */
#include "matrix.h"

#include "tile.h"
#include "work.h"

enum { NARROW = 4, LANES = 16 };

static void batch_operands(const armnn_i_ref_matrix_t* job, int64_t batch, const float** out_x,
                           const float** out_y) {
  *out_x = job->x;
  *out_y = job->y;
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

/* Items are columns of one batch; inside: rows. */
static armnn_status_t multiply_dots(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) {
  (void)thread_index;
  const armnn_i_ref_matrix_t* job = (const armnn_i_ref_matrix_t*)argument;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    if (armnn_i_ref_cancelled(job->call)) return ARMNN_STATUS_OK;
    const int64_t column = item % job->columns;
    const int64_t batch = item / job->columns;
    const float *x, *y;
    batch_operands(job, batch, &x, &y);
    float* out = job->out + batch * job->rows * job->columns + column;
    const float bias = job->bias != NULL ? job->bias[column] : 0.0f;
    for (int64_t row = 0; row < job->rows; ++row) {
      out[row * job->columns] =
          bias + dot(x + row * job->x_row, y + column * job->y_column, job->depth);
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

/* Items are tiles of the output; inside: depth in tiles, then armnn_i_ref_tile_multiply. */
static armnn_status_t multiply_tiles(void* argument, uint64_t begin, uint64_t end,
                                     uint32_t thread_index) {
  (void)thread_index;
  const armnn_i_ref_matrix_t* job = (const armnn_i_ref_matrix_t*)argument;
  const int64_t row_tiles = armnn_i_ref_tiles(job->rows);
  const int64_t column_tiles = armnn_i_ref_tiles(job->columns);
  armnn_i_ref_tile_t right, sum;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    if (armnn_i_ref_cancelled(job->call)) return ARMNN_STATUS_OK;
    const int64_t column = item % column_tiles * ARMNN_REF_TILE;
    const int64_t row = item / column_tiles % row_tiles * ARMNN_REF_TILE;
    const int64_t batch = item / column_tiles / row_tiles;
    const int64_t rows = armnn_i_ref_part(job->rows, row);
    const int64_t columns = armnn_i_ref_part(job->columns, column);
    const float *x, *y;
    batch_operands(job, batch, &x, &y);
    for (int64_t m = 0; m < rows; ++m) {
      for (int64_t n = 0; n < ARMNN_REF_TILE; ++n) {
        sum[m][n] = job->bias != NULL && n < columns ? job->bias[column + n] : 0.0f;
      }
    }
    for (int64_t k = 0; k < job->depth; k += ARMNN_REF_TILE) {
      const int64_t depth = armnn_i_ref_part(job->depth, k);
      read_block(job, y + k * job->y_depth + column * job->y_column, depth, columns, right);
      armnn_i_ref_tile_multiply(x + row * job->x_row + k * job->x_depth, job->x_row, job->x_depth,
                                rows, depth, right, columns, sum);
    }
    armnn_i_ref_tile_store(sum, rows, columns,
                           job->out + (batch * job->rows + row) * job->columns + column,
                           job->columns, 1);
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
