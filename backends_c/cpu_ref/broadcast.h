/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * broadcast.h - the frame around every operation on two operands that broadcast as in numpy.
 *
 * The operation itself is a row function: it writes |count| contiguous results. The strides of x
 * and y, in elements, are 1, or 0 for an operand that repeats; both are 0 only for a single result.
 * The output may be the memory of an operand of the same shape.
 */
#ifndef ARMNN_CPU_REF_BROADCAST_H_
#define ARMNN_CPU_REF_BROADCAST_H_

#include "armnn/backend_kit.h"

typedef void (*armnn_i_ref_binary_row_fn_t)(void* out, const void* x, const void* y, uint64_t count,
                                            int64_t x_stride, int64_t y_stride);

/* Defines row function |name| from T x T to R; |expression| is written in a and b. */
#define ARMNN_REF_BINARY_ROW(name, T, R, expression)                                       \
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

/* The same for types that are decoded (codec.h): |row| gets rows of |count| decoded elements of
 * both operands, repeated ones included, and writes as many results. */
typedef struct armnn_i_ref_pairs_t {
  void (*row)(const void* context, const void* x, const void* y, uint64_t count, void* out);
  const void* context;
  int as_levels;    /* rows of int32_t, q - zero_point; else rows of float, real values */
  int out_is_plain; /* |out| is the output's memory itself, of its own type */
} armnn_i_ref_pairs_t;

armnn_status_t armnn_i_ref_run_pairs(const armnn_kernel_call_t* call,
                                     const armnn_i_ref_pairs_t* pairs, uint64_t grain);

/* Runs |row| over the output, in pieces of at least |grain| elements a thread. */
armnn_status_t armnn_i_ref_run_broadcast(const armnn_kernel_call_t* call,
                                         armnn_i_ref_binary_row_fn_t row, uint64_t grain);

#endif /* ARMNN_CPU_REF_BROADCAST_H_ */
