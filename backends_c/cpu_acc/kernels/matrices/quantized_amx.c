/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_amx.c - tiles of rows x panels of bytes by products of matrices (AMX of x86): one
 * instruction multiplies 16 groups of four bytes of 16 rows with those of 16 channels.
 *
 * A tile has two halves of at most 16 rows, and a panel two halves of channels, so that all eight
 * registers are in use: four of sums, two of rows, two of weights. Rows of a half that lie at
 * equal distances are read where they are, others are copied.
 */
#include "kernels/quantized/quantized.h"
#include "kernels/quantized_products/quantized_tile.h"
#include "kernels/simd/matrices.h"

enum {
  HALF_ROWS = ARMNN_ACC_MATRIX_ROWS,
  COLUMNS = VF_LANES,              /* channels of a matrix */
  PANEL_STEP = PANEL * GROUP_BYTES /* from group to group of weights, and from row to row of sums */
};

/* Numbers of matrices. Intrinsics take nothing but a digit. */
#define SUMS 0
#define SUMS_RIGHT 1
#define SUMS_BELOW 2
#define SUMS_BELOW_RIGHT 3
#define ROWS_ABOVE 4
#define ROWS_BELOW 5
#define WEIGHTS 6
#define WEIGHTS_RIGHT 7

/* The halves and matrices of each tile of a job. */
typedef struct shape_t {
  uint32_t above, below; /* rows of the halves */
  size_t groups;         /* of a matrix */
  size_t matrices;       /* of a tap */
} shape_t;

/* Rows of a half: at |first| and |step| bytes apart from there, or each by itself. */
typedef struct half_t {
  const char* const* rows;
  uint32_t count;
  bool is_even;
  ptrdiff_t step;
} half_t;

ACC_INLINE half_t half_of(const char* const* rows, uint32_t count) {
  half_t half = {rows, count, true, count > 1 ? rows[1] - rows[0] : 0};
  for (uint32_t i = 2; i < count; ++i) half.is_even &= rows[i] - rows[i - 1] == half.step;
  return half;
}

ACC_INLINE void copy_rows(const half_t* half, ptrdiff_t offset, size_t size, char* copies) {
  for (uint32_t i = 0; i < half->count; ++i) {
    const char* from = half->rows[i] + offset;
    if (size == MATRIX_BYTES) { /* most: a constant size needs no call */
      memcpy(copies + i * MATRIX_BYTES, from, MATRIX_BYTES);
    } else {
      memcpy(copies + i * MATRIX_BYTES, from, size);
    }
  }
}

#define LOAD_ROWS(m, number, half, offset, size)                          \
  do {                                                                    \
    if ((half)->is_even) {                                                \
      MATRIX_LOAD(m, number, (half)->rows[0] + (offset), (half)->step);   \
    } else {                                                              \
      char copies[HALF_ROWS * MATRIX_BYTES] __attribute__((aligned(64))); \
      copy_rows(half, offset, size, copies);                              \
      MATRIX_LOAD(m, number, copies, MATRIX_BYTES);                       \
    }                                                                     \
  } while (0)

ACC_INLINE matrix_sizes_t sizes_of(const shape_t* shape) {
  matrix_sizes_t sizes = {.palette = 1};
  const uint8_t above = (uint8_t)shape->above, below = (uint8_t)shape->below;
  const uint8_t rows[MATRICES] = {above, above, below, below, above, below};
  for (int i = SUMS; i <= ROWS_BELOW; ++i) {
    if (rows[i] == 0) continue;
    sizes.rows[i] = rows[i];
    sizes.bytes[i] =
        (uint16_t)(i < ROWS_ABOVE ? COLUMNS * sizeof(int32_t) : shape->groups * GROUP_BYTES);
  }
  for (int i = WEIGHTS; i <= WEIGHTS_RIGHT; ++i) {
    sizes.rows[i] = (uint8_t)shape->groups;
    sizes.bytes[i] = COLUMNS * GROUP_BYTES;
  }
  return sizes;
}

/* The sums of a tile, [row][channel]. */
ACC_INLINE void sum_tile(const job_t* job, const shape_t* shape, matrices_t* m,
                         const char* const* inputs, int32_t* sums) {
  const half_t above = half_of(inputs, shape->above);
  const half_t below = half_of(inputs + shape->above, shape->below);
  const bool has_below = shape->below > 0;
  const int32_t* bias = job->panel;
  const char* weights = (const char*)(job->panel + ARMNN_ACC_CHANNEL_ARRAYS * PANEL);
  const size_t size = shape->groups * GROUP_BYTES;
  MATRIX_LOAD(m, SUMS, bias, 0);
  MATRIX_LOAD(m, SUMS_RIGHT, bias + COLUMNS, 0);
  if (has_below) MATRIX_LOAD(m, SUMS_BELOW, bias, 0);
  if (has_below) MATRIX_LOAD(m, SUMS_BELOW_RIGHT, bias + COLUMNS, 0);
  for (uint32_t t = 0; t < job->tap_count; ++t) {
    ptrdiff_t offset = job->taps[t];
    for (size_t i = 0; i < shape->matrices; ++i, offset += (ptrdiff_t)size) {
      MATRIX_LOAD(m, WEIGHTS, weights, PANEL_STEP);
      MATRIX_LOAD(m, WEIGHTS_RIGHT, weights + COLUMNS * GROUP_BYTES, PANEL_STEP);
      weights += shape->groups * PANEL_STEP;
      LOAD_ROWS(m, ROWS_ABOVE, &above, offset, size);
      MATRIX_ADD_PRODUCTS(m, SUMS, ROWS_ABOVE, WEIGHTS);
      MATRIX_ADD_PRODUCTS(m, SUMS_RIGHT, ROWS_ABOVE, WEIGHTS_RIGHT);
      if (!has_below) continue;
      LOAD_ROWS(m, ROWS_BELOW, &below, offset, size);
      MATRIX_ADD_PRODUCTS(m, SUMS_BELOW, ROWS_BELOW, WEIGHTS);
      MATRIX_ADD_PRODUCTS(m, SUMS_BELOW_RIGHT, ROWS_BELOW, WEIGHTS_RIGHT);
    }
  }
  MATRIX_STORE(m, SUMS, sums, PANEL_STEP);
  MATRIX_STORE(m, SUMS_RIGHT, sums + COLUMNS, PANEL_STEP);
  sums += shape->above * PANEL;
  if (has_below) MATRIX_STORE(m, SUMS_BELOW, sums, PANEL_STEP);
  if (has_below) MATRIX_STORE(m, SUMS_BELOW_RIGHT, sums + COLUMNS, PANEL_STEP);
}

ACC_INLINE void store_rows(const finish_t* finish, uint8_t* const* outputs, const int32_t* sums,
                           const int ROWS) {
  sums_t sum[MOST_ROWS];
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      sum[i][v] = vi_load(sums + i * PANEL + v * VF_LANES);
    }
  }
  store_tile(finish, outputs, sum, ROWS, VECTORS);
}

static void ACC_NAME(armnn_s8_matrices)(const job_t* job) {
  enum { FEW = 4 };
  const size_t groups = armnn_i_acc_matrix_groups(job->groups);
  const uint32_t above = job->rows > HALF_ROWS ? (job->rows + 1) / 2 : job->rows;
  const shape_t shape = {above, job->rows - above, groups, job->groups / groups};
  const matrix_sizes_t sizes = sizes_of(&shape);
  const finish_t finish = finish_of(job);
  const char* const* inputs = job->inputs;
  uint8_t* const* outputs = job->outputs;
  int32_t sums[2 * HALF_ROWS * PANEL] __attribute__((aligned(64)));
  matrices_t m;
  MATRICES_BEGIN(&m, &sizes);
  for (uint32_t tile = job->tiles; tile > 0; --tile) {
    sum_tile(job, &shape, &m, inputs, sums);
    uint32_t row = 0;
    for (; row + FEW <= job->rows; row += FEW) {
      store_rows(&finish, outputs + row, sums + row * PANEL, FEW);
    }
    for (; row < job->rows; ++row) store_rows(&finish, outputs + row, sums + row * PANEL, 1);
    inputs += job->rows;
    outputs += job->rows;
  }
  MATRICES_END(&m);
}

#define QUANTIZED_NAME(name) ACC_PASTE(name, ACC_QUANTIZED_BASE)
void QUANTIZED_NAME(armnn_s8_bytes)(const armnn_i_acc_levels_of_t* job);

extern const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_matrix_kernels);
const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_matrix_kernels) = {
    .panel = PANEL,
    .rows = 2 * HALF_ROWS,
    .bytes = 1,
    .weight_bytes = 1,
    .group = GROUP_BYTES,
    .read = QUANTIZED_NAME(armnn_s8_bytes),
    .multiply = ACC_NAME(armnn_s8_matrices),
    .name = "armnn_s8_matrix_gemm__" ACC_ISA_TEXT,
};
