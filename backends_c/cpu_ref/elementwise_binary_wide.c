/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * elementwise_binary_wide.c - ELEMENTWISE_BINARY of float64 and of unsigned integers.
 *
 * float64 follows IEEE 754 as float32 does in elementwise_binary.c. Unsigned integers wrap around;
 * what is divided by 0 gives 0, and shifts by as many bits as there are, or more, give 0.
 */
#include <math.h>

#include "broadcast.h"
#include "kernels.h"

/* ---- float64 --------------------------------------------------------------------------------- */

/* As numpy.mod: of the sign of |b|, zero included; NaN where fmod is NaN. */
static double modulus_f64(double a, double b) {
  const double rest = fmod(a, b);
  if (rest == 0.0) return copysign(rest, b);
  return (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}

ARMNN_REF_BINARY_ROW(add_f64, double, double, a + b)
ARMNN_REF_BINARY_ROW(div_f64, double, double, a / b)
ARMNN_REF_BINARY_ROW(maximum_f64, double, double, ((a > b) | (a != a)) ? a : b)
ARMNN_REF_BINARY_ROW(minimum_f64, double, double, ((a < b) | (a != a)) ? a : b)
ARMNN_REF_BINARY_ROW(mul_f64, double, double, a* b)
ARMNN_REF_BINARY_ROW(sub_f64, double, double, a - b)
ARMNN_REF_BINARY_ROW(sq_diff_f64, double, double, (a - b) * (a - b))
ARMNN_REF_BINARY_ROW(power_f64, double, double, pow(a, b))
ARMNN_REF_BINARY_ROW(mod_f64, double, double, modulus_f64(a, b))
ARMNN_REF_BINARY_ROW(fmod_f64, double, double, fmod(a, b))

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
  ARMNN_REF_BINARY_ROW(and_##suffix, T, T, a& b)                                \
  ARMNN_REF_BINARY_ROW(or_##suffix, T, T, a | b)                                \
  ARMNN_REF_BINARY_ROW(xor_##suffix, T, T, a ^ b)                               \
  ARMNN_REF_BINARY_ROW(left_##suffix, T, T, b >= 8 * sizeof(T) ? 0 : (W)a << b) \
  ARMNN_REF_BINARY_ROW(right_##suffix, T, T, b >= 8 * sizeof(T) ? 0 : (W)a >> b)

DEFINE_UNSIGNED_ROWS(u16, uint16_t, uint32_t)
DEFINE_UNSIGNED_ROWS(u32, uint32_t, uint32_t)
DEFINE_UNSIGNED_ROWS(u64, uint64_t, uint64_t)

/* ---- Dispatch -------------------------------------------------------------------------------- */

/* Null: of integers alone, and the host shows no such layer of other types. */
static const armnn_i_ref_binary_row_fn_t rows_f64[ARMNN_BINARY_COUNT] = {
    [ARMNN_BINARY_ADD] = add_f64,         [ARMNN_BINARY_DIV] = div_f64,
    [ARMNN_BINARY_MAXIMUM] = maximum_f64, [ARMNN_BINARY_MINIMUM] = minimum_f64,
    [ARMNN_BINARY_MUL] = mul_f64,         [ARMNN_BINARY_SUB] = sub_f64,
    [ARMNN_BINARY_SQ_DIFF] = sq_diff_f64, [ARMNN_BINARY_POWER] = power_f64,
    [ARMNN_BINARY_MOD] = mod_f64,         [ARMNN_BINARY_FMOD] = fmod_f64,
};
#define UNSIGNED_ROWS(suffix)                                                                 \
  {                                                                                           \
      [ARMNN_BINARY_ADD] = add_##suffix,           [ARMNN_BINARY_DIV] = div_##suffix,         \
      [ARMNN_BINARY_MAXIMUM] = maximum_##suffix,   [ARMNN_BINARY_MINIMUM] = minimum_##suffix, \
      [ARMNN_BINARY_MUL] = mul_##suffix,           [ARMNN_BINARY_SUB] = sub_##suffix,         \
      [ARMNN_BINARY_SQ_DIFF] = sq_diff_##suffix,   [ARMNN_BINARY_POWER] = power_##suffix,     \
      [ARMNN_BINARY_MOD] = mod_##suffix,           [ARMNN_BINARY_FMOD] = mod_##suffix,        \
      [ARMNN_BINARY_BITWISE_AND] = and_##suffix,   [ARMNN_BINARY_BITWISE_OR] = or_##suffix,   \
      [ARMNN_BINARY_BITWISE_XOR] = xor_##suffix,   [ARMNN_BINARY_SHIFT_LEFT] = left_##suffix, \
      [ARMNN_BINARY_SHIFT_RIGHT] = right_##suffix,                                            \
  }
static const armnn_i_ref_binary_row_fn_t rows_u16[ARMNN_BINARY_COUNT] = UNSIGNED_ROWS(u16);
static const armnn_i_ref_binary_row_fn_t rows_u32[ARMNN_BINARY_COUNT] = UNSIGNED_ROWS(u32);
static const armnn_i_ref_binary_row_fn_t rows_u64[ARMNN_BINARY_COUNT] = UNSIGNED_ROWS(u64);

#define DEFINE_ELEMENTWISE_BINARY(suffix)                                                  \
  armnn_status_t armnn_##suffix##_elementwise_binary__ref(const armnn_kernel_call_t* call, \
                                                          armnn_error_t* error) {          \
    const int32_t operation =                                                              \
        ARMNN_DESCRIPTOR(call->info, armnn_elementwise_binary_descriptor_t)->operation;    \
    (void)error;                                                                           \
    return armnn_i_ref_run_broadcast(call, rows_##suffix[operation],                       \
                                     operation == ARMNN_BINARY_POWER ? 1024 : 16384);      \
  }

DEFINE_ELEMENTWISE_BINARY(f64)
DEFINE_ELEMENTWISE_BINARY(u16)
DEFINE_ELEMENTWISE_BINARY(u32)
DEFINE_ELEMENTWISE_BINARY(u64)
