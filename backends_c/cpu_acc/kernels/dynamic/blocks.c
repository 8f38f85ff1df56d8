/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * blocks.c - products with weights of few bits, which become floats in registers: what is read from
 * memory is the weights as they are stored.
 *
 * The sum of a block is that of x times level, less the zero point times the sum of x: one
 * multiplication with the scale for each block and channel.
 */
#include "blocks.h"

#include "kernels/simd/simd_levels.h"

enum { LANES = VF_LANES, PANEL = 2 * LANES };

/* The two vectors of a row of weights. */
ACC_INLINE void load_row(const uint8_t* row, const int BITS, vf_t out[2]) {
  const vi_t first = vi_load_bytes(row);
  if (BITS == 8) {
    out[0] = vf_of_vi(first);
    out[1] = vf_of_vi(vi_load_bytes(row + LANES));
  } else {
    out[0] = vf_of_vi(vi_and(first, vi_set(15)));
    out[1] = vf_of_vi(vi_shift_right(first, 4));
  }
}

ACC_INLINE void load_points(const armnn_i_acc_block_panel_t* panel, size_t block, const int BITS,
                            vf_t out[2]) {
  if (panel->zero_points == NULL) {
    out[0] = out[1] = vf_set(panel->zero_point);
  } else {
    load_row(panel->zero_points + block * (PANEL * BITS / 8), BITS, out);
  }
}

/* Several sums of each kind, so that one need not wait for the other. */
ACC_INLINE void multiply_rows(const armnn_i_acc_block_job_t* job, uint32_t first, const int ROWS,
                              const int BITS, const int PHASES) {
  const armnn_i_acc_block_panel_t* panel = &job->panel;
  const size_t step = PANEL * BITS / 8, blocks = (panel->depth + panel->block - 1) / panel->block;
  const uint8_t* levels = panel->levels;
  const float* x[ARMNN_ACC_BLOCK_ROWS];
  vf_t total[ARMNN_ACC_BLOCK_ROWS][2];
  UNROLLED for (int r = 0; r < ROWS; ++r) {
    x[r] = job->input + (ptrdiff_t)(first + (uint32_t)r) * job->input_row;
    total[r][0] = total[r][1] = vf_set(0.0f);
  }
  for (size_t b = 0; b < blocks; ++b) {
    const size_t left = panel->depth - b * panel->block;
    const size_t count = left < panel->block ? left : panel->block;
    vf_t sum[4][ARMNN_ACC_BLOCK_ROWS][2], weights[2];
    UNROLLED for (int p = 0; p < PHASES; ++p) {
      UNROLLED for (int r = 0; r < ROWS; ++r) sum[p][r][0] = sum[p][r][1] = vf_set(0.0f);
    }
    size_t k = 0;
    for (; k + (size_t)PHASES <= count; k += (size_t)PHASES) {
      UNROLLED for (int p = 0; p < PHASES; ++p) {
        load_row(levels, BITS, weights);
        levels += step;
        UNROLLED for (int r = 0; r < ROWS; ++r) {
          const vf_t own = vf_set(x[r][k + (size_t)p]);
          sum[p][r][0] = vf_fma(own, weights[0], sum[p][r][0]);
          sum[p][r][1] = vf_fma(own, weights[1], sum[p][r][1]);
        }
      }
    }
    for (; k < count; ++k, levels += step) {
      load_row(levels, BITS, weights);
      UNROLLED for (int r = 0; r < ROWS; ++r) {
        const vf_t own = vf_set(x[r][k]);
        sum[0][r][0] = vf_fma(own, weights[0], sum[0][r][0]);
        sum[0][r][1] = vf_fma(own, weights[1], sum[0][r][1]);
      }
    }
    vf_t points[2];
    load_points(panel, b, BITS, points);
    UNROLLED for (int r = 0; r < ROWS; ++r) {
      const vf_t inputs = vf_set(-job->block_sums[(first + (uint32_t)r) * blocks + b]);
      UNROLLED for (int v = 0; v < 2; ++v) {
        vf_t whole = sum[0][r][v];
        UNROLLED for (int p = 1; p < PHASES; ++p) whole = vf_add(whole, sum[p][r][v]);
        whole = vf_fma(inputs, points[v], whole);
        total[r][v] = vf_fma(vf_load(panel->scales + b * PANEL + v * LANES), whole, total[r][v]);
      }
      x[r] += count;
    }
  }
  UNROLLED for (int r = 0; r < ROWS; ++r) {
    float* out = job->sums + (first + (uint32_t)r) * PANEL;
    vf_store(out, total[r][0]);
    vf_store(out + LANES, total[r][1]);
  }
}

ACC_INLINE void multiply(const armnn_i_acc_block_job_t* job, const int BITS) {
  uint32_t row = 0;
  for (; row + 4 <= job->rows; row += 4) multiply_rows(job, row, 4, BITS, 1);
  for (; row + 2 <= job->rows; row += 2) multiply_rows(job, row, 2, BITS, 2);
  if (row < job->rows) multiply_rows(job, row, 1, BITS, 4);
}

ACC_INLINE void decode(const armnn_i_acc_block_panel_t* panel, size_t width, float* out,
                       const int BITS) {
  const size_t step = PANEL * BITS / 8;
  const uint8_t* levels = panel->levels;
  vf_t points[2] = {vf_set(0.0f), vf_set(0.0f)};
  for (size_t k = 0; k < panel->depth; ++k, levels += step, out += width) {
    const size_t b = k / panel->block;
    if (k % panel->block == 0) load_points(panel, b, BITS, points);
    vf_t weights[2];
    load_row(levels, BITS, weights);
    for (int v = 0; v < 2 && (size_t)v * LANES < width; ++v) {
      const vf_t scale = vf_load(panel->scales + b * PANEL + v * LANES);
      vf_store(out + v * LANES, vf_mul(vf_sub(weights[v], points[v]), scale));
    }
  }
}

static void ACC_NAME(armnn_s4_multiply)(const armnn_i_acc_block_job_t* job) { multiply(job, 4); }

static void ACC_NAME(armnn_s8_multiply)(const armnn_i_acc_block_job_t* job) { multiply(job, 8); }

static void ACC_NAME(armnn_s4_decode)(const armnn_i_acc_block_panel_t* panel, size_t width,
                                      float* out) {
  decode(panel, width, out, 4);
}

static void ACC_NAME(armnn_s8_decode)(const armnn_i_acc_block_panel_t* panel, size_t width,
                                      float* out) {
  decode(panel, width, out, 8);
}

extern const armnn_i_acc_block_kernels_t ACC_NAME(armnn_i_acc_block_kernels);
const armnn_i_acc_block_kernels_t ACC_NAME(armnn_i_acc_block_kernels) = {
    .panel = PANEL,
    .multiply_4 = ACC_NAME(armnn_s4_multiply),
    .multiply_8 = ACC_NAME(armnn_s8_multiply),
    .decode_4 = ACC_NAME(armnn_s4_decode),
    .decode_8 = ACC_NAME(armnn_s8_decode),
    .name_4 = "armnn_s4_block_product__" ACC_ISA_TEXT,
    .name_8 = "armnn_s8_block_product__" ACC_ISA_TEXT,
};
