/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pooling.c - windows of images with the channels last.
 *
 * Loop order: windows, blocks of channels, taps. Neighbouring windows share most of what they read,
 * which is in L1. Sums are kept for each row of a window and then added, so that the error of a
 * large average (global pooling) stays that of its rows.
 */
#include "pooling.h"

#include "vector_math.h"

enum { BLOCK = 4 }; /* vectors of channels at once: as many independent chains */

typedef armnn_i_acc_pooling_job_t job_t;

ACC_INLINE void window(const job_t* job, const float* input, float* output, int method, int vectors,
                       size_t lanes) {
  const vm_t mask = vm_first(lanes);
  vf_t total[BLOCK];
  for (int v = 0; v < vectors; ++v) {
    total[v] = vf_set(method == ARMNN_POOLING_MAX ? -INFINITY : 0.0f);
  }
  for (int64_t r = 0; r < job->rows; ++r) {
    const float* tap = input + r * job->tap_row;
    vf_t sum[BLOCK];
    for (int v = 0; v < vectors; ++v) {
      sum[v] = method == ARMNN_POOLING_MAX ? total[v] : vf_set(0.0f);
    }
    for (int64_t c = 0; c < job->columns; ++c, tap += job->tap_pixel) {
      for (int v = 0; v < vectors; ++v) {
        const vf_t x = lanes < VF_LANES ? vf_load_masked(tap, mask) : vf_load(tap + v * VF_LANES);
        if (method == ARMNN_POOLING_MAX) {
          sum[v] = vf_max(sum[v], x);
        } else if (method == ARMNN_POOLING_AVERAGE) {
          sum[v] = vf_add(sum[v], x);
        } else {
          sum[v] = vf_fma(x, x, sum[v]);
        }
      }
    }
    for (int v = 0; v < vectors; ++v) {
      total[v] = method == ARMNN_POOLING_MAX ? sum[v] : vf_add(total[v], sum[v]);
    }
  }
  for (int v = 0; v < vectors; ++v) {
    vf_t y = total[v];
    if (method != ARMNN_POOLING_MAX) y = vf_mul(y, vf_set(job->scale));
    if (method == ARMNN_POOLING_L2) y = vf_sqrt(y);
    y = vf_clamp(y, vf_set(job->low), vf_set(job->high));
    if (lanes < VF_LANES) {
      vf_store_masked(output, y, mask);
    } else {
      vf_store(output + v * VF_LANES, y);
    }
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
