/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * vectors.c - vector times matrix. Each float of the matrix is loaded once and multiplied once, so
 * that loads are what bounds it; sums are enough that a multiplication need not wait for another.
 */
#include "vectors.h"

#include "kernels/simd/simd.h"

enum { DOT_ROWS = 8, ROWS_AHEAD = 16, LINE = 16 };

/* Asks for the line at |place| of a row that comes later: the processor by itself stops at the end
 * of each small page. Behind the matrix it does no harm. */
ACC_INLINE void fetch_row(const float* row, int64_t stride, size_t place) {
  if (VF_LANES < LINE && place % LINE != 0) return;
  __builtin_prefetch((const char*)row + (ROWS_AHEAD * stride + (int64_t)place) * 4, 0, 2);
}

/* |ROWS| rows at once: the sum of each is a chain of its own. */
ACC_INLINE void dot_some(const float* x, const float* matrix, int64_t stride, size_t columns,
                         float* out, const int ROWS) {
  vf_t sum[DOT_ROWS];
  UNROLLED for (int r = 0; r < ROWS; ++r) sum[r] = vf_set(0.0f);
  size_t c = 0;
  for (; c + VF_LANES <= columns; c += VF_LANES) {
    const vf_t by = vf_load(x + c);
    UNROLLED for (int r = 0; r < ROWS; ++r) {
      fetch_row(matrix + r * stride, stride, c);
      sum[r] = vf_fma(vf_load(matrix + r * stride + c), by, sum[r]);
    }
  }
  if (c < columns) {
    const vm_t mask = vm_first(columns - c);
    const vf_t by = vf_load_masked(x + c, mask);
    UNROLLED for (int r = 0; r < ROWS; ++r) {
      sum[r] = vf_fma(vf_load_masked(matrix + r * stride + c, mask), by, sum[r]);
    }
  }
  UNROLLED for (int r = 0; r < ROWS; ++r) out[r] = vf_sum(sum[r]);
}

static void dot_rows(const float* x, const float* matrix, int64_t stride, size_t rows,
                     size_t columns, float* out) {
  size_t r = 0;
  for (; r + DOT_ROWS <= rows; r += DOT_ROWS) {
    dot_some(x, matrix + (int64_t)r * stride, stride, columns, out + r, DOT_ROWS);
  }
  for (; r < rows; ++r) dot_some(x, matrix + (int64_t)r * stride, stride, columns, out + r, 1);
}

enum { SUM_VECTORS = 8, SUM_CHAINS = 4 };

/* |VECTORS| vectors of columns; |CHAINS| sums of each take turns. The last vector has |last|. */
ACC_INLINE void sum_some(const float* x, const float* matrix, int64_t stride, size_t rows,
                         float* out, size_t last, const int VECTORS, const int CHAINS) {
  vf_t sum[SUM_CHAINS][SUM_VECTORS];
  const vm_t mask = vm_first(last);
  UNROLLED for (int k = 0; k < CHAINS; ++k) {
    UNROLLED for (int v = 0; v < VECTORS; ++v) sum[k][v] = vf_set(0.0f);
  }
  size_t r = 0;
  for (; r + (size_t)CHAINS <= rows; r += (size_t)CHAINS) {
    UNROLLED for (int k = 0; k < CHAINS; ++k) {
      const float* row = matrix + (int64_t)(r + (size_t)k) * stride;
      const vf_t by = vf_set(x[r + (size_t)k]);
      UNROLLED for (int v = 0; v < VECTORS; ++v) {
        const float* from = row + v * VF_LANES;
        fetch_row(row, stride, (size_t)v * VF_LANES);
        const vf_t value =
            v + 1 < VECTORS || last == VF_LANES ? vf_load(from) : vf_load_masked(from, mask);
        sum[k][v] = vf_fma(value, by, sum[k][v]);
      }
    }
  }
  for (; r < rows; ++r) {
    const float* row = matrix + (int64_t)r * stride;
    const vf_t by = vf_set(x[r]);
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      const float* from = row + v * VF_LANES;
      const vf_t value =
          v + 1 < VECTORS || last == VF_LANES ? vf_load(from) : vf_load_masked(from, mask);
      sum[0][v] = vf_fma(value, by, sum[0][v]);
    }
  }
  UNROLLED for (int v = 0; v < VECTORS; ++v) {
    vf_t all = sum[0][v];
    UNROLLED for (int k = 1; k < CHAINS; ++k) all = vf_add(all, sum[k][v]);
    if (v + 1 < VECTORS || last == VF_LANES) {
      vf_store(out + v * VF_LANES, all);
    } else {
      vf_store_masked(out + v * VF_LANES, all, mask);
    }
  }
}

static void sum_rows(const float* x, const float* matrix, int64_t stride, size_t rows,
                     size_t columns, float* out) {
  size_t c = 0;
  for (; c + SUM_VECTORS * VF_LANES <= columns; c += SUM_VECTORS * VF_LANES) {
    sum_some(x, matrix + c, stride, rows, out + c, VF_LANES, SUM_VECTORS, 1);
  }
  for (; c + 4 * VF_LANES <= columns; c += 4 * VF_LANES) {
    sum_some(x, matrix + c, stride, rows, out + c, VF_LANES, 4, 2);
  }
  for (; c + 2 * VF_LANES <= columns; c += 2 * VF_LANES) {
    sum_some(x, matrix + c, stride, rows, out + c, VF_LANES, 2, SUM_CHAINS);
  }
  for (; c < columns; c += VF_LANES) {
    const size_t last = columns - c < VF_LANES ? columns - c : VF_LANES;
    sum_some(x, matrix + c, stride, rows, out + c, last, 1, SUM_CHAINS);
  }
}

extern const armnn_i_acc_vector_kernels_t ACC_NAME(armnn_i_acc_vector_kernels);
const armnn_i_acc_vector_kernels_t ACC_NAME(armnn_i_acc_vector_kernels) = {
    .dot_rows = dot_rows,
    .sum_rows = sum_rows,
};
