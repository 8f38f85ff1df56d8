/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kernels.c - what this version of XNNPACK does not have: change of layout, nearest neighbour.
 */
#include <string.h>

#include "xn.h"

typedef float four_t __attribute__((vector_size(16)));

static four_t load(const float* from) {
  four_t four;
  memcpy(&four, from, sizeof four);
  return four;
}

static void store(float* to, four_t four) { memcpy(to, &four, sizeof four); }

/* Four rows of four, transposed. The compilers have instructions for it on every processor. */
static void permute_4x4(const float* x, size_t x_stride, float* y, size_t y_stride) {
  const four_t a = load(x), b = load(x + x_stride);
  const four_t c = load(x + 2 * x_stride), d = load(x + 3 * x_stride);
  const four_t ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const four_t ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const four_t cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const four_t cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store(y, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store(y + y_stride, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store(y + 2 * y_stride, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store(y + 3 * y_stride, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

/* A colour image: compilers have patterns for three streams that become one. */
static void permute_three(const float* restrict x, float* restrict y, size_t columns, size_t begin,
                          size_t end) {
  const float *a = x, *b = x + columns, *c = x + 2 * columns;
  for (size_t i = begin; i < end; ++i) {
    y[3 * i] = a[i];
    y[3 * i + 1] = b[i];
    y[3 * i + 2] = c[i];
  }
}

/* Columns [begin, end) of rows [top, bottom) of a matrix of |rows| x |columns| become rows of |y|.
 */
static void permute_tile(const float* x, float* y, size_t rows, size_t columns, size_t top,
                         size_t bottom, size_t begin, size_t end) {
  size_t c = begin;
  for (; c + 4 <= end; c += 4) {
    size_t r = top;
    for (; r + 4 <= bottom; r += 4) {
      permute_4x4(x + r * columns + c, columns, y + c * rows + r, rows);
    }
    for (; r < bottom; ++r) {
      for (size_t i = c; i < c + 4; ++i) y[i * rows + r] = x[r * columns + i];
    }
  }
  for (; c < end; ++c) {
    for (size_t r = top; r < bottom; ++r) y[c * rows + r] = x[r * columns + c];
  }
}

/* Four columns at a time and some rows: what is written lies in four streams, and a cache line of
 * the input is used up by the columns beside while it is in the first cache, even if rows are a
 * power of two apart, which leaves them few of its places. */
static void permute(const float* x, float* y, size_t rows, size_t columns, size_t begin,
                    size_t end) {
  enum { TILE = 32 };
  if (rows == 3) {
    permute_three(x, y, columns, begin, end);
    return;
  }
  for (size_t top = 0; top < rows; top += TILE) {
    const size_t bottom = top + TILE < rows ? top + TILE : rows;
    permute_tile(x, y, rows, columns, top, bottom, begin, end);
  }
}

/* The same for elements of a byte. */
static void permute_bytes(const char* x, char* y, size_t rows, size_t columns, size_t begin,
                          size_t end) {
  for (size_t top = 0; top < rows; top += 16) {
    const size_t bottom = top + 16 < rows ? top + 16 : rows;
    for (size_t c = begin; c < end; ++c) {
      for (size_t r = top; r < bottom; ++r) y[c * rows + r] = x[r * columns + c];
    }
  }
}

typedef struct job_t {
  const xn_step_t* step;
  const char* x;
  char* y;
} job_t;

/* Columns in a piece of work: whole cache lines of each row, and some thousand elements. */
static size_t piece_of(size_t rows) { return rows >= 64 ? 64 : 64 * (64 / rows); }

static armnn_status_t permute_range(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) ARMNN_NOEXCEPT {
  const job_t* job = argument;
  const size_t rows = job->step->height, columns = job->step->width;
  const size_t piece = piece_of(rows);
  const uint64_t pieces = (columns + piece - 1) / piece;
  (void)thread_index;
  for (uint64_t i = begin; i < end; ++i) {
    const size_t image = (size_t)(i / pieces) * rows * columns * job->step->element;
    const size_t from = (size_t)(i % pieces) * piece;
    const size_t to = from + piece < columns ? from + piece : columns;
    const char* x = job->x + image;
    char* y = job->y + image;
    if (job->step->element == sizeof(float)) {
      permute((const float*)(const void*)x, (float*)(void*)y, rows, columns, from, to);
    } else {
      permute_bytes(x, y, rows, columns, from, to);
    }
  }
  return ARMNN_STATUS_OK;
}

/* Whole rows of the output; each side is a multiple of the input's. */
static armnn_status_t nearest_range(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) ARMNN_NOEXCEPT {
  const job_t* job = argument;
  const xn_step_t* s = job->step;
  const size_t by = s->out_height / s->height, bx = s->out_width / s->width;
  const size_t pixel = s->channels * s->element;
  (void)thread_index;
  for (uint64_t row = begin; row < end; ++row) {
    const size_t image = (size_t)(row / s->out_height), oy = (size_t)(row % s->out_height);
    const char* x = job->x + (image * s->height + oy / by) * s->width * pixel;
    char* y = job->y + (size_t)row * s->out_width * pixel;
    for (size_t ox = 0; ox < s->out_width; ++ox) {
      memcpy(y + ox * pixel, x + ox / bx * pixel, pixel);
    }
  }
  return ARMNN_STATUS_OK;
}

void xn_run_own(const xn_step_t* step, const void* x, void* y, const armnn_host_t* host) {
  job_t job = {step, x, y};
  if (step->kind == XN_PERMUTE) {
    const size_t piece = piece_of(step->height);
    const uint64_t pieces = (step->width + piece - 1) / piece;
    armnn_parallel_for(host, permute_range, &job, step->batch * pieces, 1, 0);
  } else {
    armnn_parallel_for(host, nearest_range, &job, step->batch * step->out_height, 1, 0);
  }
}
