/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * elementwise_binary_wide.c - ELEMENTWISE_BINARY of float64 and of unsigned integers.
 *
 * float64 follows IEEE 754 as float32 does in elementwise_binary.c. Unsigned integers wrap around;
 * what is divided by 0 gives 0, and shifts by as many bits as there are, or more, give 0.
 */
#include <math.h>

#include "by_type.h"
#include "kernels.h"

/* ---- float64 --------------------------------------------------------------------------------- */

ARMNN_REF_DEFINE_REAL_ROWS(f64, double, )

/* ---- Unsigned integers ----------------------------------------------------------------------- */

/* W: no narrower than unsigned int, so that nothing is promoted to a signed type. */
#define DEFINE_UNSIGNED_ROWS(suffix, T, W)                                      \
  static T raise_##suffix(T a, T b) {                                           \
    W result = 1, square = a;                                                   \
    for (W rest = b; rest != 0; rest >>= 1) {                                   \
      if (rest & 1) result *= square;                                           \
      square *= square;                                                         \
    }                                                                           \
    return (T)result;                                                           \
  }                                                                             \
  ARMNN_REF_BINARY_ROW(add_##suffix, T, T, (W)a + (W)b)                         \
  ARMNN_REF_BINARY_ROW(div_##suffix, T, T, b == 0 ? 0 : a / b)                  \
  ARMNN_REF_BINARY_ROW(maximum_##suffix, T, T, a > b ? a : b)                   \
  ARMNN_REF_BINARY_ROW(minimum_##suffix, T, T, a < b ? a : b)                   \
  ARMNN_REF_BINARY_ROW(mul_##suffix, T, T, (W)a*(W)b)                           \
  ARMNN_REF_BINARY_ROW(sub_##suffix, T, T, (W)a - (W)b)                         \
  ARMNN_REF_BINARY_ROW(sq_diff_##suffix, T, T, ((W)a - (W)b) * ((W)a - (W)b))   \
  ARMNN_REF_BINARY_ROW(power_##suffix, T, T, raise_##suffix(a, b))              \
  ARMNN_REF_BINARY_ROW(mod_##suffix, T, T, b == 0 ? 0 : a % b)                  \
  ARMNN_REF_BINARY_ROW(fmod_##suffix, T, T, b == 0 ? 0 : a % b)                 \
  ARMNN_REF_BINARY_ROW(and_##suffix, T, T, a& b)                                \
  ARMNN_REF_BINARY_ROW(or_##suffix, T, T, a | b)                                \
  ARMNN_REF_BINARY_ROW(xor_##suffix, T, T, a ^ b)                               \
  ARMNN_REF_BINARY_ROW(left_##suffix, T, T, b >= 8 * sizeof(T) ? 0 : (W)a << b) \
  ARMNN_REF_BINARY_ROW(right_##suffix, T, T, b >= 8 * sizeof(T) ? 0 : (W)a >> b)

DEFINE_UNSIGNED_ROWS(u16, uint16_t, uint32_t)
DEFINE_UNSIGNED_ROWS(u32, uint32_t, uint32_t)
DEFINE_UNSIGNED_ROWS(u64, uint64_t, uint64_t)

/* ---- Dispatch -------------------------------------------------------------------------------- */

static const armnn_i_ref_binary_row_fn_t rows_f64[ARMNN_BINARY_COUNT] = {ARMNN_REF_REAL_ROWS(f64)};
static const armnn_i_ref_binary_row_fn_t rows_u16[ARMNN_BINARY_COUNT] = {
    ARMNN_REF_INTEGER_ROWS(u16)};
static const armnn_i_ref_binary_row_fn_t rows_u32[ARMNN_BINARY_COUNT] = {
    ARMNN_REF_INTEGER_ROWS(u32)};
static const armnn_i_ref_binary_row_fn_t rows_u64[ARMNN_BINARY_COUNT] = {
    ARMNN_REF_INTEGER_ROWS(u64)};

ARMNN_REF_DEFINE_KERNEL(f64, elementwise_binary, armnn_i_ref_run_rows(call, rows_f64))
ARMNN_REF_DEFINE_KERNEL(u16, elementwise_binary, armnn_i_ref_run_rows(call, rows_u16))
ARMNN_REF_DEFINE_KERNEL(u32, elementwise_binary, armnn_i_ref_run_rows(call, rows_u32))
ARMNN_REF_DEFINE_KERNEL(u64, elementwise_binary, armnn_i_ref_run_rows(call, rows_u64))
