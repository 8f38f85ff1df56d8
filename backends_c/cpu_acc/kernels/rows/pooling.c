/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pooling.c - windows of images with the channels last.
 *
 * Loop order: windows, blocks of channels, taps. Neighbouring windows share most of what they read,
 * which is in L1. Sums are kept for each row of a window and then added, so that the error of a
 * large average (global pooling) stays that of its rows.
 *
 * A maximum is one instruction, which drops NaN. The taps are added up beside it: if their sum is
 * NaN, a tap may have been NaN, and the window is done again with care.
 */
#include "pooling.h"

#include "kernels/simd/vector_math.h"

enum { BLOCK = 4 }; /* vectors of channels at once: as many independent chains */

typedef armnn_i_acc_pooling_job_t job_t;

/* The largest of each channel, or NaN if a tap was NaN: |vectors| vectors with |lanes| channels in
 * each. Out of line, so that the caller's sums stay in registers. */
static __attribute__((noinline)) void careful_maximum(const job_t* job, const float* input,
                                                      float* output, int vectors, size_t lanes) {
  for (int v = 0; v < vectors; ++v) {
    vf_t total = vf_set(-INFINITY);
    for (int64_t r = 0; r < job->rows; ++r) {
      for (int64_t c = 0; c < job->columns; ++c) {
        const float* tap = input + r * job->tap_row + c * job->tap_pixel + v * VF_LANES;
        const vf_t most = vf_max(total, vf_load_first(tap, lanes));
        total = vf_select(vf_is_nan(total), total, most);
      }
    }
    total = vf_clamp(total, vf_set(job->low), vf_set(job->high));
    vf_store_first(output + v * VF_LANES, total, lanes);
  }
}

/* One vector of a tap, or its |lanes| channels if they are less than a vector. */
ACC_INLINE vf_t load(const float* tap, int vector, size_t lanes) {
  return lanes < VF_LANES ? vf_load_masked(tap, vm_first(lanes)) : vf_load(tap + vector * VF_LANES);
}

/* False if the window has to be done with care. */
ACC_INLINE int maximum(const job_t* job, const float* input, int vectors, size_t lanes,
                       vf_t* total) {
  vf_t seen[BLOCK];
  for (int v = 0; v < vectors; ++v) {
    total[v] = vf_set(-INFINITY);
    seen[v] = vf_set(0.0f);
  }
  for (int64_t r = 0; r < job->rows; ++r) {
    const float* tap = input + r * job->tap_row;
    int64_t c = 0;
    for (; c + 2 <= job->columns; c += 2, tap += 2 * job->tap_pixel) {
      for (int v = 0; v < vectors; ++v) {
        vf_t x = load(tap, v, lanes), y = load(tap + job->tap_pixel, v, lanes);
        ACC_KEEP(x);
        ACC_KEEP(y);
        total[v] = vf_max(total[v], vf_max(x, y));
        seen[v] = vf_fma(x, y, seen[v]);
      }
    }
    if (c == job->columns) continue;
    for (int v = 0; v < vectors; ++v) {
      vf_t x = load(tap, v, lanes);
      ACC_KEEP(x);
      total[v] = vf_max(total[v], x);
      seen[v] = vf_add(seen[v], x);
    }
  }
  for (int v = 1; v < vectors; ++v) seen[0] = vf_add(seen[0], seen[v]);
  return !vm_any(vf_is_nan(seen[0]));
}

ACC_INLINE void sum(const job_t* job, const float* input, int method, int vectors, size_t lanes,
                    vf_t* total) {
  for (int v = 0; v < vectors; ++v) total[v] = vf_set(0.0f);
  for (int64_t r = 0; r < job->rows; ++r) {
    const float* tap = input + r * job->tap_row;
    vf_t row[BLOCK];
    for (int v = 0; v < vectors; ++v) row[v] = vf_set(0.0f);
    for (int64_t c = 0; c < job->columns; ++c, tap += job->tap_pixel) {
      for (int v = 0; v < vectors; ++v) {
        const vf_t x = load(tap, v, lanes);
        row[v] = method == ARMNN_POOLING_L2 ? vf_fma(x, x, row[v]) : vf_add(row[v], x);
      }
    }
    for (int v = 0; v < vectors; ++v) total[v] = vf_add(total[v], row[v]);
  }
  for (int v = 0; v < vectors; ++v) {
    total[v] = vf_mul(total[v], vf_set(job->scale));
    if (method == ARMNN_POOLING_L2) total[v] = vf_sqrt(total[v]);
  }
}

/* |method| is constant where this is used. */
ACC_INLINE void window(const job_t* job, const float* input, float* output, int method, int vectors,
                       size_t lanes) {
  vf_t total[BLOCK];
  if (method == ARMNN_POOLING_MAX) {
    if (!maximum(job, input, vectors, lanes, total)) {
      careful_maximum(job, input, output, vectors, lanes);
      return;
    }
  } else {
    sum(job, input, method, vectors, lanes, total);
  }
  for (int v = 0; v < vectors; ++v) {
    const vf_t y = vf_clamp(total[v], vf_set(job->low), vf_set(job->high));
    vf_store_first(output + v * VF_LANES, y, lanes);
  }
}

ACC_INLINE void windows(const job_t* job, int method) {
  for (int64_t o = 0; o < job->outputs; ++o) {
    const float* input = job->input + o * job->input_step;
    float* output = job->output + o * job->output_step;
    size_t c = 0;
    for (; c + BLOCK * VF_LANES <= job->channels; c += BLOCK * VF_LANES) {
      window(job, input + c, output + c, method, BLOCK, VF_LANES);
    }
    for (; c + VF_LANES <= job->channels; c += VF_LANES) {
      window(job, input + c, output + c, method, 1, VF_LANES);
    }
    if (c < job->channels) window(job, input + c, output + c, method, 1, job->channels - c);
  }
}

static void ACC_NAME(armnn_f32_max_pooling)(const job_t* job) { windows(job, ARMNN_POOLING_MAX); }
static void ACC_NAME(armnn_f32_average_pooling)(const job_t* job) {
  windows(job, ARMNN_POOLING_AVERAGE);
}
static void ACC_NAME(armnn_f32_l2_pooling)(const job_t* job) { windows(job, ARMNN_POOLING_L2); }

extern const armnn_i_acc_pooling_kernels_t ACC_NAME(armnn_i_acc_pooling_kernels);
const armnn_i_acc_pooling_kernels_t ACC_NAME(armnn_i_acc_pooling_kernels) = {
    .run = {[ARMNN_POOLING_MAX] = ACC_NAME(armnn_f32_max_pooling),
            [ARMNN_POOLING_AVERAGE] = ACC_NAME(armnn_f32_average_pooling),
            [ARMNN_POOLING_L2] = ACC_NAME(armnn_f32_l2_pooling)},
    .names = {[ARMNN_POOLING_MAX] = "armnn_f32_max_pooling__" ACC_ISA_TEXT,
              [ARMNN_POOLING_AVERAGE] = "armnn_f32_average_pooling__" ACC_ISA_TEXT,
              [ARMNN_POOLING_L2] = "armnn_f32_l2_pooling__" ACC_ISA_TEXT},
};
