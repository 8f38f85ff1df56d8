/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rows.h - functions of elements, a row at a time: what CpuRef and CpuAcc have of them in common.
 *
 * A row function writes |count| contiguous results. The strides of x and y, in elements, are 1, or
 * 0 for an operand that repeats; both are 0 only for a single result. The output may be the memory
 * of an operand of the same elements. Tables of rows are static: each is included where it is used.
 */
#ifndef ARMNN_COMMON_ROWS_H_
#define ARMNN_COMMON_ROWS_H_

#include <stdint.h>

typedef void (*armnn_binary_row_fn_t)(void* out, const void* x, const void* y, uint64_t count,
                                      int64_t x_stride, int64_t y_stride);

/* Defines row function |name| from T x T to R; |expression| is written in a and b. */
#define ARMNN_BINARY_ROW(name, T, R, expression)                                           \
  static void name(void* out_data, const void* x_data, const void* y_data, uint64_t count, \
                   int64_t x_stride, int64_t y_stride) {                                   \
    R* out = (R*)out_data;                                                                 \
    const T* x = (const T*)x_data;                                                         \
    const T* y = (const T*)y_data;                                                         \
    if (x_stride != 0 && y_stride != 0) {                                                  \
      for (uint64_t i = 0; i < count; ++i) {                                               \
        const T a = x[i], b = y[i];                                                        \
        out[i] = (R)(expression);                                                          \
      }                                                                                    \
    } else if (x_stride != 0) {                                                            \
      const T b = y[0];                                                                    \
      for (uint64_t i = 0; i < count; ++i) {                                               \
        const T a = x[i];                                                                  \
        out[i] = (R)(expression);                                                          \
      }                                                                                    \
    } else {                                                                               \
      const T a = x[0];                                                                    \
      for (uint64_t i = 0; i < count; ++i) {                                               \
        const T b = y_stride != 0 ? y[i] : y[0];                                           \
        out[i] = (R)(expression);                                                          \
      }                                                                                    \
    }                                                                                      \
  }

typedef void (*armnn_unary_row_fn_t)(void* out, const void* x, uint64_t count);

/* The same for one operand; |expression| is written in a. The result may be the memory of x. */
#define ARMNN_UNARY_ROW(name, T, expression)                             \
  static void name(void* out_data, const void* x_data, uint64_t count) { \
    T* out = (T*)out_data;                                               \
    const T* x = (const T*)x_data;                                       \
    for (uint64_t i = 0; i < count; ++i) {                               \
      const T a = x[i];                                                  \
      out[i] = (T)(expression);                                          \
    }                                                                    \
  }

#endif /* ARMNN_COMMON_ROWS_H_ */
