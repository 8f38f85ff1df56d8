/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * elementwise_binary.c - ELEMENTWISE_BINARY and PRELU.
 *
 * float32 follows IEEE 754; MAXIMUM and MINIMUM give NaN when an operand is NaN, as numpy does.
 * Integers wrap around in two's complement. Integer division truncates towards zero as in C and
 * ONNX; division by zero gives 0, and the most negative number divided by -1 wraps to itself, so
 * that no value can stop the process. An integer to a negative power is the truncated quotient
 * 1 / x**n: 1 or -1 for x = 1 or -1, else 0.
 */
#include <math.h>

#include "broadcast.h"
#include "kernels.h"
#include "tensor_shape.h"

/* ---- float32 --------------------------------------------------------------------------------- */

ARMNN_REF_BINARY_ROW(add_f32, float, float, a + b)
ARMNN_REF_BINARY_ROW(div_f32, float, float, a / b)
ARMNN_REF_BINARY_ROW(maximum_f32, float, float, ((a > b) | (a != a)) ? a : b)
ARMNN_REF_BINARY_ROW(minimum_f32, float, float, ((a < b) | (a != a)) ? a : b)
ARMNN_REF_BINARY_ROW(mul_f32, float, float, a* b)
ARMNN_REF_BINARY_ROW(sub_f32, float, float, a - b)
ARMNN_REF_BINARY_ROW(sq_diff_f32, float, float, (a - b) * (a - b))
ARMNN_REF_BINARY_ROW(power_f32, float, float, powf(a, b))
ARMNN_REF_BINARY_ROW(prelu_f32, float, float, a < 0.0f ? a * b : a)

/* ---- Integers -------------------------------------------------------------------------------- */

/* Sums and products are formed unsigned, where overflow is defined. */
#define DEFINE_INTEGER_ROWS(suffix, T, U)                                     \
  static T divide_##suffix(T a, T b) {                                        \
    if (b == 0) return 0;                                                     \
    return b == -1 ? (T)((U)0 - (U)a) : a / b;                                \
  }                                                                           \
  static T raise_##suffix(T a, T b) {                                         \
    if (b < 0) return a == 1 ? 1 : a == -1 ? ((b & 1) ? -1 : 1) : 0;          \
    U result = 1;                                                             \
    U square = (U)a;                                                          \
    for (U rest = (U)b; rest != 0; rest >>= 1) {                              \
      if (rest & 1) result *= square;                                         \
      square *= square;                                                       \
    }                                                                         \
    return (T)result;                                                         \
  }                                                                           \
  ARMNN_REF_BINARY_ROW(add_##suffix, T, T, (U)a + (U)b)                       \
  ARMNN_REF_BINARY_ROW(div_##suffix, T, T, divide_##suffix(a, b))             \
  ARMNN_REF_BINARY_ROW(maximum_##suffix, T, T, a > b ? a : b)                 \
  ARMNN_REF_BINARY_ROW(minimum_##suffix, T, T, a < b ? a : b)                 \
  ARMNN_REF_BINARY_ROW(mul_##suffix, T, T, (U)a*(U)b)                         \
  ARMNN_REF_BINARY_ROW(sub_##suffix, T, T, (U)a - (U)b)                       \
  ARMNN_REF_BINARY_ROW(sq_diff_##suffix, T, T, ((U)a - (U)b) * ((U)a - (U)b)) \
  ARMNN_REF_BINARY_ROW(power_##suffix, T, T, raise_##suffix(a, b))

DEFINE_INTEGER_ROWS(s32, int32_t, uint32_t)
DEFINE_INTEGER_ROWS(s64, int64_t, uint64_t)

/* ---- Dispatch -------------------------------------------------------------------------------- */

#define ROWS(suffix)                                                                        \
  {                                                                                         \
      [ARMNN_BINARY_ADD] = add_##suffix,         [ARMNN_BINARY_DIV] = div_##suffix,         \
      [ARMNN_BINARY_MAXIMUM] = maximum_##suffix, [ARMNN_BINARY_MINIMUM] = minimum_##suffix, \
      [ARMNN_BINARY_MUL] = mul_##suffix,         [ARMNN_BINARY_SUB] = sub_##suffix,         \
      [ARMNN_BINARY_SQ_DIFF] = sq_diff_##suffix, [ARMNN_BINARY_POWER] = power_##suffix,     \
  }

static const armnn_i_ref_binary_row_fn_t rows_f32[ARMNN_BINARY_COUNT] = ROWS(f32);
static const armnn_i_ref_binary_row_fn_t rows_s32[ARMNN_BINARY_COUNT] = ROWS(s32);
static const armnn_i_ref_binary_row_fn_t rows_s64[ARMNN_BINARY_COUNT] = ROWS(s64);

static armnn_status_t run(const armnn_kernel_call_t* call,
                          const armnn_i_ref_binary_row_fn_t* rows) {
  const int32_t operation =
      ARMNN_DESCRIPTOR(call->info, armnn_elementwise_binary_descriptor_t)->operation;
  uint64_t grain = operation == ARMNN_BINARY_POWER ? 1024 : 16384;
  return armnn_i_ref_run_broadcast(call, rows[operation], grain);
}

armnn_status_t armnn_f32_elementwise_binary__ref(const armnn_kernel_call_t* call,
                                                 armnn_error_t* error) {
  (void)error;
  return run(call, rows_f32);
}

armnn_status_t armnn_s32_elementwise_binary__ref(const armnn_kernel_call_t* call,
                                                 armnn_error_t* error) {
  (void)error;
  return run(call, rows_s32);
}

armnn_status_t armnn_s64_elementwise_binary__ref(const armnn_kernel_call_t* call,
                                                 armnn_error_t* error) {
  (void)error;
  return run(call, rows_s64);
}

armnn_status_t armnn_f32_prelu__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  return armnn_i_ref_run_broadcast(call, prelu_f32, 16384);
}
