/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * winograd.c - both transforms, for tiles of 2 x 2 and of 4 x 4 output pixels.
 *
 * Lines of a tile are transformed in one direction, then those of the result in the other. What is
 * between lies in a small array that never leaves the first cache: registers do not hold it.
 */
#include "winograd.h"

#include "kernels/simd/simd.h"
#include "winograd_points.h"

#define MOST_SIDE ARMNN_ACC_WINOGRAD_SIDE

/* ---- Lines --------------------------------------------------------------------------------- */

ACC_INLINE void input_line_2(const vf_t d[4], vf_t out[4]) {
  out[0] = vf_sub(d[0], d[2]);
  out[1] = vf_add(d[1], d[2]);
  out[2] = vf_sub(d[2], d[1]);
  out[3] = vf_sub(d[3], d[1]);
}

ACC_INLINE void output_line_2(const vf_t m[4], vf_t out[2]) {
  out[0] = vf_add(m[0], vf_add(m[1], m[2]));
  out[1] = vf_add(vf_sub(m[1], m[2]), m[3]);
}

ACC_INLINE void input_line_4(const vf_t d[6], vf_t out[6]) {
  const vf_t product = vf_set((float)(WINOGRAD_AA * WINOGRAD_BB));
  const vf_t sum = vf_set((float)-(WINOGRAD_AA + WINOGRAD_BB));
  const vf_t minus_aa = vf_set((float)-WINOGRAD_AA), minus_bb = vf_set((float)-WINOGRAD_BB);
  const vf_t even_a = vf_fma(d[2], minus_bb, d[4]), odd_a = vf_fma(d[1], minus_bb, d[3]);
  const vf_t even_b = vf_fma(d[2], minus_aa, d[4]), odd_b = vf_fma(d[1], minus_aa, d[3]);
  out[0] = vf_fma(d[2], sum, vf_fma(d[0], product, d[4]));
  out[1] = vf_fma(odd_a, vf_set((float)WINOGRAD_A), even_a);
  out[2] = vf_fma(odd_a, vf_set((float)-WINOGRAD_A), even_a);
  out[3] = vf_fma(odd_b, vf_set((float)WINOGRAD_B), even_b);
  out[4] = vf_fma(odd_b, vf_set((float)-WINOGRAD_B), even_b);
  out[5] = vf_fma(d[3], sum, vf_fma(d[1], product, d[5]));
}

ACC_INLINE void output_line_4(const vf_t m[6], vf_t out[4]) {
  const vf_t even_a = vf_add(m[1], m[2]), even_b = vf_add(m[3], m[4]);
  const vf_t odd_a = vf_mul(vf_sub(m[1], m[2]), vf_set((float)WINOGRAD_A));
  const vf_t odd_b = vf_mul(vf_sub(m[3], m[4]), vf_set((float)WINOGRAD_B));
  const vf_t aa = vf_set((float)WINOGRAD_AA), bb = vf_set((float)WINOGRAD_BB);
  out[0] = vf_add(m[0], vf_add(even_a, even_b));
  out[1] = vf_add(odd_a, odd_b);
  out[2] = vf_fma(even_a, aa, vf_mul(even_b, bb));
  out[3] = vf_fma(odd_a, aa, vf_fma(odd_b, bb, m[5]));
}

/* ---- Tiles --------------------------------------------------------------------------------- */

/* Functions of constants |SIZE|, whose loops are written out: |half| is then a set of single
 * variables for the compiler. */
ACC_INLINE void transform_inputs(const armnn_i_acc_winograd_input_t* job, size_t c, size_t n,
                                 const int SIZE) {
  const int SIDE = SIZE + 2;
  const float* const* pixels = job->pixels;
  vf_t half[MOST_SIDE][MOST_SIDE], line[MOST_SIDE], result[MOST_SIDE];
  UNROLLED for (int x = 0; x < SIDE; ++x) {
    UNROLLED for (int y = 0; y < SIDE; ++y) {
      line[y] = vf_load_first(pixels[y * SIDE + x] + c, n);
    }
    if (SIZE == 2) {
      input_line_2(line, result);
    } else {
      input_line_4(line, result);
    }
    UNROLLED for (int y = 0; y < SIDE; ++y) half[y][x] = result[y];
  }
  UNROLLED for (int y = 0; y < SIDE; ++y) {
    if (SIZE == 2) {
      input_line_2(half[y], result);
    } else {
      input_line_4(half[y], result);
    }
    UNROLLED for (int x = 0; x < SIDE; ++x) {
      vf_store(job->out + (y * SIDE + x) * job->point_step + c, result[x]);
    }
  }
}

ACC_INLINE void transform_all_inputs(const armnn_i_acc_winograd_input_t* job, const int SIZE) {
  size_t c = 0;
  for (; c + VF_LANES <= job->channels; c += VF_LANES) transform_inputs(job, c, VF_LANES, SIZE);
  if (c < job->channels) transform_inputs(job, c, job->channels - c, SIZE);
}

/* The epilogue of one line of the tile. */
ACC_INLINE void finish_line(const armnn_i_acc_winograd_output_t* job, const vf_t* x, uint32_t row,
                            size_t c, size_t n, const uint32_t SIZE) {
  const float* residual = job->residual;
  if (residual != NULL) residual += row * job->residual_row + (int64_t)c;
  float* out = job->output + row * job->output_row + (int64_t)c;
  const vf_t low = vf_set(job->low), high = vf_set(job->high);
  UNROLLED for (uint32_t i = 0; i < SIZE; ++i) {
    if (i >= job->columns) return;
    vf_t result = x[i];
    if (residual != NULL && !job->residual_last) {
      result = vf_add(result, vf_load_first(residual, n));
    }
    result = vf_min(high, vf_max(low, result));
    if (residual != NULL && job->residual_last) {
      result = vf_add(result, vf_load_first(residual, n));
    }
    vf_store_first(out, result, n);
    out += job->output_pixel;
    if (residual != NULL) residual += job->residual_pixel;
  }
}

ACC_INLINE void transform_sums(const armnn_i_acc_winograd_output_t* job, size_t c, size_t n,
                               const int SIZE) {
  const int SIDE = SIZE + 2;
  const float* sums = job->sums + c;
  vf_t half[MOST_SIDE][MOST_SIDE], line[MOST_SIDE], result[MOST_SIDE];
  UNROLLED for (int x = 0; x < SIDE; ++x) {
    UNROLLED for (int y = 0; y < SIDE; ++y) {
      line[y] = vf_load(sums + (y * SIDE + x) * job->point_step);
    }
    if (SIZE == 2) {
      output_line_2(line, result);
    } else {
      output_line_4(line, result);
    }
    UNROLLED for (int y = 0; y < SIZE; ++y) half[y][x] = result[y];
  }
  const vf_t bias = vf_load(job->bias + c);
  UNROLLED for (int y = 0; y < SIZE; ++y) {
    if ((uint32_t)y >= job->rows) return;
    if (SIZE == 2) {
      output_line_2(half[y], result);
    } else {
      output_line_4(half[y], result);
    }
    UNROLLED for (int x = 0; x < SIZE; ++x) result[x] = vf_add(result[x], bias);
    finish_line(job, result, (uint32_t)y, c, n, SIZE);
  }
}

ACC_INLINE void transform_all_sums(const armnn_i_acc_winograd_output_t* job, const int SIZE) {
  size_t c = 0;
  for (; c + VF_LANES <= job->channels; c += VF_LANES) transform_sums(job, c, VF_LANES, SIZE);
  if (c < job->channels) transform_sums(job, c, job->channels - c, SIZE);
}

#define TILE(size)                                                         \
  static void input_##size(const armnn_i_acc_winograd_input_t* job) {      \
    transform_all_inputs(job, size);                                       \
  }                                                                        \
  static void output_##size(const armnn_i_acc_winograd_output_t* passed) { \
    const armnn_i_acc_winograd_output_t job = *passed;                     \
    transform_all_sums(&job, size);                                        \
  }
TILE(2)
TILE(4)
#undef TILE

#define NAME(size) "armnn_f32_conv2d_winograd__" ACC_ISA_TEXT "_" size

extern const armnn_i_acc_winograd_kernels_t ACC_NAME(armnn_i_acc_winograd_kernels);
const armnn_i_acc_winograd_kernels_t ACC_NAME(armnn_i_acc_winograd_kernels) = {
    .tiles = {{2, input_2, output_2, NAME("2x2")}, {4, input_4, output_4, NAME("4x4")}},
};
