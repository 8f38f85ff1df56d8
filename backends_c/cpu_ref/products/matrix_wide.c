/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * matrix_wide.c - products of matrices of float64, of integers and of booleans.
 *
 * Sums of float64 go in order of depth; those of integers wrap around; of booleans
 * a sum is or and a product and, as in numpy. A thread takes whole rows of
 * the result, for which the inner loop goes along the columns.
 */
#include "matrix.h"
#include "tensor_shape.h"

typedef void (*row_fn_t)(const armnn_i_ref_matrix_t* job, int64_t x, int64_t y, int64_t out);

/* The row of the result at |out| from that of x at |x| and the matrix of y at |y|. A: what sums are
 * formed in; |sum| is written in total, factor and value. */
#define DEFINE_ROW(name, T, A, sum)                                                               \
  static void name(const armnn_i_ref_matrix_t* job, int64_t x_at, int64_t y_at, int64_t out_at) { \
    const T* x = (const T*)(const void*)job->x + x_at;                                            \
    const T* y = (const T*)(const void*)job->y + y_at;                                            \
    T* out = (T*)(void*)job->out + out_at;                                                        \
    for (int64_t n = 0; n < job->columns; ++n) out[n] = 0;                                        \
    for (int64_t k = 0; k < job->depth; ++k) {                                                    \
      const A factor = (A)x[k * job->x_depth];                                                    \
      const T* row = y + k * job->y_depth;                                                        \
      for (int64_t n = 0; n < job->columns; ++n) {                                                \
        const A total = (A)out[n], value = (A)row[n * job->y_column];                             \
        out[n] = (T)(sum);                                                                        \
      }                                                                                           \
    }                                                                                             \
  }

DEFINE_ROW(row_f64, double, double, total + factor * value)
DEFINE_ROW(row_s32, int32_t, uint32_t, total + factor * value)
DEFINE_ROW(row_s64, int64_t, uint64_t, total + factor * value)
DEFINE_ROW(row_u32, uint32_t, uint32_t, total + factor * value)
DEFINE_ROW(row_u64, uint64_t, uint64_t, total + factor * value)
DEFINE_ROW(row_b8, uint8_t, uint8_t, (total != 0) | ((factor != 0) & (value != 0)))

static row_fn_t row_of(int32_t data_type) {
  switch (data_type) {
    case ARMNN_DATA_TYPE_FLOAT64:
      return row_f64;
    case ARMNN_DATA_TYPE_SIGNED32:
      return row_s32;
    case ARMNN_DATA_TYPE_UNSIGNED32:
      return row_u32;
    case ARMNN_DATA_TYPE_UNSIGNED64:
      return row_u64;
    case ARMNN_DATA_TYPE_BOOLEAN:
      return row_b8;
    default:
      return row_s64;
  }
}

typedef struct wide_job_t {
  const armnn_i_ref_matrix_t* matrix;
  row_fn_t row;
} wide_job_t;

static armnn_status_t rows_range(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  const wide_job_t* job = (const wide_job_t*)argument;
  const armnn_i_ref_matrix_t* matrix = job->matrix;
  (void)thread_index;
  for (uint64_t i = begin; i < end; ++i) {
    const int64_t row = (int64_t)(i % (uint64_t)matrix->rows);
    uint64_t batch = i / (uint64_t)matrix->rows;
    int64_t x = row * matrix->x_row, y = 0;
    for (uint32_t d = matrix->batch_rank; d-- > 0;) {
      const int64_t place = (int64_t)(batch % (uint64_t)matrix->batch[d]);
      batch /= (uint64_t)matrix->batch[d];
      x += place * matrix->x_batch[d];
      y += place * matrix->y_batch[d];
    }
    job->row(matrix, x, y, (int64_t)i * matrix->columns);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_matrix_run_wide(const armnn_i_ref_matrix_t* matrix) {
  const armnn_tensor_info_t* out = ARMNN_OUT_INFO(matrix->call, 0);
  const wide_job_t job = {matrix, row_of(out->data_type)};
  if (out->element_count == 0) return ARMNN_STATUS_OK;
  const uint64_t rows = out->element_count / (uint64_t)matrix->columns;
  const uint64_t work = (uint64_t)matrix->columns * (uint64_t)matrix->depth;
  return armnn_parallel_for(matrix->call->host, rows_range, (void*)&job, rows,
                            16384 / (work + 1) + 1, 0);
}
