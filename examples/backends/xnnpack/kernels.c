/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kernels.c - what this version of XNNPACK does not have: change of layout, nearest neighbour.
 */
#include <string.h>

#include "xn.h"

/* Columns [begin, end) of a matrix of |rows| x |columns| become rows of |y|. Blocks of 16 x 16 stay
 * in the nearest cache, so that neither side is read or written a cache line at a time for one
 * element. */
void xn_permute(const float* x, float* y, size_t rows, size_t columns, size_t begin, size_t end) {
  enum { BLOCK = 16 };
  if (rows <= 4) { /* an image: few channels, whole pixels are written at once */
    for (size_t c = begin; c < end; ++c) {
      for (size_t r = 0; r < rows; ++r) y[c * rows + r] = x[r * columns + c];
    }
    return;
  }
  for (size_t c0 = begin; c0 < end; c0 += BLOCK) {
    const size_t c1 = c0 + BLOCK < end ? c0 + BLOCK : end;
    for (size_t r0 = 0; r0 < rows; r0 += BLOCK) {
      const size_t r1 = r0 + BLOCK < rows ? r0 + BLOCK : rows;
      for (size_t c = c0; c < c1; ++c) {
        for (size_t r = r0; r < r1; ++r) y[c * rows + r] = x[r * columns + c];
      }
    }
  }
}

typedef struct job_t {
  const xn_step_t* step;
  const float* x;
  float* y;
} job_t;

enum { COLUMNS = 64 }; /* of a piece of work */

static void permute_range(void* argument, uint64_t begin, uint64_t end,
                          uint32_t thread_index) ARMNN_NOEXCEPT {
  const job_t* job = argument;
  const size_t rows = job->step->height, columns = job->step->width;
  const uint64_t pieces = (columns + COLUMNS - 1) / COLUMNS;
  (void)thread_index;
  for (uint64_t i = begin; i < end; ++i) {
    const size_t image = (size_t)(i / pieces) * rows * columns;
    const size_t from = (size_t)(i % pieces) * COLUMNS;
    const size_t to = from + COLUMNS < columns ? from + COLUMNS : columns;
    xn_permute(job->x + image, job->y + image, rows, columns, from, to);
  }
}

/* Whole rows of the output; each side is a multiple of the input's. */
static void nearest_range(void* argument, uint64_t begin, uint64_t end,
                          uint32_t thread_index) ARMNN_NOEXCEPT {
  const job_t* job = argument;
  const xn_step_t* s = job->step;
  const size_t by = s->out_height / s->height, bx = s->out_width / s->width, c = s->channels;
  (void)thread_index;
  for (uint64_t row = begin; row < end; ++row) {
    const size_t image = (size_t)(row / s->out_height), oy = (size_t)(row % s->out_height);
    const float* x = job->x + (image * s->height + oy / by) * s->width * c;
    float* y = job->y + (size_t)row * s->out_width * c;
    for (size_t ox = 0; ox < s->out_width; ++ox) {
      memcpy(y + ox * c, x + ox / bx * c, c * sizeof *y);
    }
  }
}

void xn_run_own(const xn_step_t* step, const float* x, float* y, const armnn_host_t* host) {
  job_t job = {step, x, y};
  if (step->kind == XN_PERMUTE) {
    const uint64_t pieces = (step->width + COLUMNS - 1) / COLUMNS;
    armnn_parallel_for(host, permute_range, &job, step->batch * pieces, 1);
  } else {
    armnn_parallel_for(host, nearest_range, &job, step->batch * step->out_height, 1);
  }
}
