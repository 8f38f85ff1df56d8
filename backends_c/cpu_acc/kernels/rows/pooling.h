/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pooling.h - kernels of pooling: maximum, average and root of the mean square of windows.
 */
#ifndef ARMNN_CPU_ACC_POOLING_H_
#define ARMNN_CPU_ACC_POOLING_H_

#include <stddef.h>
#include <stdint.h>

#include "armnn/descriptors.h"

/* |outputs| windows that see the same taps, |input_step| apart. Only taps inside the image are
 * given; there is at least one. */
typedef struct armnn_i_acc_pooling_job_t {
  const float* input;           /* first tap of the first window */
  ptrdiff_t tap_row, tap_pixel; /* from tap to tap */
  int64_t rows, columns;        /* of taps */
  ptrdiff_t input_step, output_step;
  int64_t outputs;
  float* output;
  size_t channels;
  float scale; /* 1 / the number of taps that count */
  float low, high;
} armnn_i_acc_pooling_job_t;

typedef void (*armnn_i_acc_pooling_fn_t)(const armnn_i_acc_pooling_job_t* job);

#define ARMNN_ACC_POOLING_COUNT 3 /* armnn_pooling_algorithm_e */

typedef struct armnn_i_acc_pooling_kernels_t {
  armnn_i_acc_pooling_fn_t run[ARMNN_ACC_POOLING_COUNT];
  const char* names[ARMNN_ACC_POOLING_COUNT];
} armnn_i_acc_pooling_kernels_t;

#endif /* ARMNN_CPU_ACC_POOLING_H_ */
