/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * reduce.h - kernels that make one number of many: sums, extremes, products; and the
 * elementwise passes of softmax and normalisation.
 *
 * Two forms of each: along a dense row, giving one number, and down |rows| rows that lie |stride|
 * floats apart, giving one number for each of |columns| columns. Long sums are added up in
 * blocks, so that rounding errors stay those of one block.
 */
#ifndef ARMNN_CPU_ACC_REDUCE_H_
#define ARMNN_CPU_ACC_REDUCE_H_

#include <stddef.h>

typedef enum armnn_i_acc_fold_e {
  ARMNN_ACC_FOLD_SUM = 0,
  ARMNN_ACC_FOLD_MAXIMUM,
  ARMNN_ACC_FOLD_MINIMUM,
  ARMNN_ACC_FOLD_PRODUCT,
  ARMNN_ACC_FOLD_SQUARES, /* sum of (x - shift)^2 */
  ARMNN_ACC_FOLD_COUNT
} armnn_i_acc_fold_e;

/* The fold of nothing. */
static inline float armnn_i_acc_fold_start(int fold) {
  return fold == ARMNN_ACC_FOLD_MAXIMUM   ? -__builtin_inff()
         : fold == ARMNN_ACC_FOLD_MINIMUM ? __builtin_inff()
         : fold == ARMNN_ACC_FOLD_PRODUCT ? 1.0f
                                          : 0.0f;
}

/* Two folds as one. */
static inline float armnn_i_acc_fold_join(int fold, float x, float y) {
  return fold == ARMNN_ACC_FOLD_MAXIMUM   ? (x > y || x != x ? x : y) /* NaN stays */
         : fold == ARMNN_ACC_FOLD_MINIMUM ? (x < y || x != x ? x : y)
         : fold == ARMNN_ACC_FOLD_PRODUCT ? x * y
                                          : x + y;
}

typedef struct armnn_i_acc_reduce_kernels_t {
  /* |shift| is for FOLD_SQUARES alone. */
  float (*row[ARMNN_ACC_FOLD_COUNT])(const float* in, size_t count, float shift);
  /* Folds all in[r * stride + c] into out[c]; |shifts|, one for each column, is for FOLD_SQUARES
   * alone. */
  void (*columns[ARMNN_ACC_FOLD_COUNT])(const float* in, ptrdiff_t stride, size_t rows,
                                        size_t columns, const float* shifts, float* out);
  /* out[i] = exp(beta (in[i] - most)); returns their sum. |out| may be |in|, or null: only the
   * sum. */
  float (*exp_row)(const float* in, float* out, size_t count, float beta, float most);
  /* The same with a |most| for each column; adds to |sums|. */
  void (*exp_add)(const float* in, float* out, size_t columns, float beta, const float* most,
                  float* sums);
  /* out[i] = (in[i] - mean) * scale * gammas[i] + betas[i]; without (null), 1 and |shift|. |out|
   * may be |in|. */
  void (*normalize)(const float* in, float* out, size_t count, float mean, float scale, float shift,
                    const float* gammas, const float* betas);
  /* out[i] = (in[i] - means[i]) * scales[i] + shifts[i]; |out| may be |in|. */
  void (*affine)(const float* in, const float* means, const float* scales, const float* shifts,
                 float* out, size_t count);
  const char* names[ARMNN_ACC_FOLD_COUNT];
  const char *softmax_name, *normalize_name, *attention_name;
} armnn_i_acc_reduce_kernels_t;

#endif /* ARMNN_CPU_ACC_REDUCE_H_ */
