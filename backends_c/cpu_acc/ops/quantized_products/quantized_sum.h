/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_sum.h - a sum behind a convolution, block by block: the numbers that the convolution
 * has just stored are still in the cache, and become the sum where they lie.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_SUM_H_
#define ARMNN_CPU_ACC_QUANTIZED_SUM_H_

#include "ops/op_base.h"

/* The job of |what| but for the place: operands, factors, bounds (quantized_binary.c). */
armnn_i_acc_pair_job_t armnn_i_acc_pair_job_of(const armnn_i_acc_quantized_binary_t* what);

typedef struct armnn_i_acc_sum_t {
  bool is_there;
  void (*pair)(const armnn_i_acc_pair_job_t* job);
  armnn_i_acc_pair_job_t job; /* rows are pixels */
} armnn_i_acc_sum_t;

static inline armnn_i_acc_sum_t armnn_i_acc_sum_of(
    const armnn_i_acc_quantized_kernels_t* kernels,
    const armnn_i_acc_quantized_convolution_t* what) {
  armnn_i_acc_sum_t sum = {.is_there = what->has_sum, .pair = kernels->elements->pair};
  if (!what->has_sum) return sum;
  sum.job = armnn_i_acc_pair_job_of(&what->sum);
  sum.job.left_row = sum.job.output_row = what->output.strides[2];
  sum.job.right_row = what->sum.right.strides[2];
  sum.job.left_step = sum.job.right_step = 1;
  return sum;
}

/* |channels| channels of |pixels| pixels of a line. */
static inline void armnn_i_acc_add_pixels(const armnn_i_acc_sum_t* sum, uint8_t* output,
                                          const uint8_t* addend, int64_t pixels, int64_t channels) {
  armnn_i_acc_pair_job_t job = sum->job;
  job.left = job.output = output;
  job.right = addend;
  job.rows = (size_t)pixels;
  job.columns = (size_t)channels;
  if (job.left_row == channels && job.right_row == channels) { /* the pixels are one row */
    job.columns *= job.rows;
    job.rows = 1;
  }
  sum->pair(&job);
}

/* |channels| channels from |channel| on of output lines [begin, end) of an image. */
static inline void armnn_i_acc_add_lines(const armnn_i_acc_sum_t* sum,
                                         const armnn_i_acc_quantized_convolution_t* what,
                                         uint8_t* output, const uint8_t* addend, int64_t image,
                                         int64_t begin, int64_t end, int64_t channel,
                                         int64_t channels) {
  const int64_t *to = what->output.strides, *from = what->sum.right.strides;
  for (int64_t y = begin; y < end; ++y) {
    armnn_i_acc_add_pixels(sum, output + image * to[0] + y * to[1] + channel,
                           addend + image * from[0] + y * from[1] + channel, what->output.dims[2],
                           channels);
  }
}

#endif /* ARMNN_CPU_ACC_QUANTIZED_SUM_H_ */
