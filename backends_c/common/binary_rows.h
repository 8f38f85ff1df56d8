/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * binary_rows.h - rows (rows.h) of ELEMENTWISE_BINARY, by type and operation.
 *
 * Real numbers follow IEEE 754; MAXIMUM and MINIMUM give NaN when an operand is NaN, as numpy does.
 * Integers wrap around in two's complement. Integer division truncates towards zero as in C and
 * ONNX; division by zero gives 0, and the most negative number divided by -1 wraps to itself, so
 * that no value can stop the process. An integer to a negative power is the truncated quotient 1 /
 * x**n: 1 or -1 for x = 1 or -1, else 0. A remainder of integers by 0 is 0, one by -1 is also 0.
 * Of booleans a sum is or, a product and, as in numpy, which has no difference or quotient of them.
 * Shifts by as many bits as there are, or more, or by a negative number give 0.
 */
#ifndef ARMNN_COMMON_BINARY_ROWS_H_
#define ARMNN_COMMON_BINARY_ROWS_H_

#include <math.h>

#include "armnn/backend_api.h"
#include "rows.h"

/* Defines the rows of real numbers of type T; |f| is the end of names in math.h. MAXIMUM and
 * MINIMUM give NaN when an operand is NaN. MOD is as numpy.mod: of the sign of |b|, zero included;
 * NaN where fmod is NaN. */
#define ARMNN_DEFINE_REAL_ROWS(type, T, f)                                     \
  static T armnn_i_modulus_##type(T a, T b) {                                  \
    const T rest = fmod##f(a, b);                                              \
    if (rest == (T)0) return copysign##f(rest, b);                             \
    return (rest < (T)0) != (b < (T)0) ? rest + b : rest;                      \
  }                                                                            \
  ARMNN_BINARY_ROW(armnn_i_add_##type, T, T, a + b)                            \
  ARMNN_BINARY_ROW(armnn_i_div_##type, T, T, a / b)                            \
  ARMNN_BINARY_ROW(armnn_i_maximum_##type, T, T, ((a > b) | (a != a)) ? a : b) \
  ARMNN_BINARY_ROW(armnn_i_minimum_##type, T, T, ((a < b) | (a != a)) ? a : b) \
  ARMNN_BINARY_ROW(armnn_i_mul_##type, T, T, a* b)                             \
  ARMNN_BINARY_ROW(armnn_i_sub_##type, T, T, a - b)                            \
  ARMNN_BINARY_ROW(armnn_i_sq_diff_##type, T, T, (a - b) * (a - b))            \
  ARMNN_BINARY_ROW(armnn_i_power_##type, T, T, pow##f(a, b))                   \
  ARMNN_BINARY_ROW(armnn_i_mod_##type, T, T, armnn_i_modulus_##type(a, b))     \
  ARMNN_BINARY_ROW(armnn_i_fmod_##type, T, T, fmod##f(a, b))

ARMNN_DEFINE_REAL_ROWS(f32, float, f)
ARMNN_DEFINE_REAL_ROWS(f64, double, )

/* ---- Integers -------------------------------------------------------------------------------- */

/* Sums and products are formed unsigned, where overflow is defined. */
#define ARMNN_DEFINE_INTEGER_ROWS(suffix, T, U)                                           \
  static T armnn_i_divide_##suffix(T a, T b) {                                            \
    if (b == 0) return 0;                                                                 \
    return b == -1 ? (T)((U)0 - (U)a) : a / b;                                            \
  }                                                                                       \
  static T armnn_i_remainder_##suffix(T a, T b) { return b == 0 || b == -1 ? 0 : a % b; } \
  static T armnn_i_modulus_##suffix(T a, T b) {                                           \
    const T rest = armnn_i_remainder_##suffix(a, b);                                      \
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;                          \
  }                                                                                       \
  static U armnn_i_shift_##suffix(U a, T by, int left) {                                  \
    if (by < 0 || (U)by >= 8 * sizeof(T)) return 0;                                       \
    return left ? a << by : a >> by;                                                      \
  }                                                                                       \
  static T armnn_i_raise_##suffix(T a, T b) {                                             \
    if (b < 0) return a == 1 ? 1 : a == -1 ? ((b & 1) ? -1 : 1) : 0;                      \
    U result = 1;                                                                         \
    U square = (U)a;                                                                      \
    for (U rest = (U)b; rest != 0; rest >>= 1) {                                          \
      if (rest & 1) result *= square;                                                     \
      square *= square;                                                                   \
    }                                                                                     \
    return (T)result;                                                                     \
  }                                                                                       \
  ARMNN_BINARY_ROW(armnn_i_add_##suffix, T, T, (U)a + (U)b)                               \
  ARMNN_BINARY_ROW(armnn_i_div_##suffix, T, T, armnn_i_divide_##suffix(a, b))             \
  ARMNN_BINARY_ROW(armnn_i_maximum_##suffix, T, T, a > b ? a : b)                         \
  ARMNN_BINARY_ROW(armnn_i_minimum_##suffix, T, T, a < b ? a : b)                         \
  ARMNN_BINARY_ROW(armnn_i_mul_##suffix, T, T, (U)a*(U)b)                                 \
  ARMNN_BINARY_ROW(armnn_i_sub_##suffix, T, T, (U)a - (U)b)                               \
  ARMNN_BINARY_ROW(armnn_i_sq_diff_##suffix, T, T, ((U)a - (U)b) * ((U)a - (U)b))         \
  ARMNN_BINARY_ROW(armnn_i_power_##suffix, T, T, armnn_i_raise_##suffix(a, b))            \
  ARMNN_BINARY_ROW(armnn_i_mod_##suffix, T, T, armnn_i_modulus_##suffix(a, b))            \
  ARMNN_BINARY_ROW(armnn_i_fmod_##suffix, T, T, armnn_i_remainder_##suffix(a, b))         \
  ARMNN_BINARY_ROW(armnn_i_and_##suffix, T, T, a& b)                                      \
  ARMNN_BINARY_ROW(armnn_i_or_##suffix, T, T, a | b)                                      \
  ARMNN_BINARY_ROW(armnn_i_xor_##suffix, T, T, a ^ b)                                     \
  ARMNN_BINARY_ROW(armnn_i_left_##suffix, T, T, armnn_i_shift_##suffix((U)a, b, 1))       \
  ARMNN_BINARY_ROW(armnn_i_right_##suffix, T, T, armnn_i_shift_##suffix((U)a, b, 0))

ARMNN_DEFINE_INTEGER_ROWS(s32, int32_t, uint32_t)
ARMNN_DEFINE_INTEGER_ROWS(s64, int64_t, uint64_t)

/* ---- Unsigned integers ----------------------------------------------------------------------- */

/* W: no narrower than unsigned int, so that nothing is promoted to a signed type. */
#define ARMNN_DEFINE_UNSIGNED_ROWS(suffix, T, W)                                    \
  static T armnn_i_raise_##suffix(T a, T b) {                                       \
    W result = 1, square = a;                                                       \
    for (W rest = b; rest != 0; rest >>= 1) {                                       \
      if (rest & 1) result *= square;                                               \
      square *= square;                                                             \
    }                                                                               \
    return (T)result;                                                               \
  }                                                                                 \
  ARMNN_BINARY_ROW(armnn_i_add_##suffix, T, T, (W)a + (W)b)                         \
  ARMNN_BINARY_ROW(armnn_i_div_##suffix, T, T, b == 0 ? 0 : a / b)                  \
  ARMNN_BINARY_ROW(armnn_i_maximum_##suffix, T, T, a > b ? a : b)                   \
  ARMNN_BINARY_ROW(armnn_i_minimum_##suffix, T, T, a < b ? a : b)                   \
  ARMNN_BINARY_ROW(armnn_i_mul_##suffix, T, T, (W)a*(W)b)                           \
  ARMNN_BINARY_ROW(armnn_i_sub_##suffix, T, T, (W)a - (W)b)                         \
  ARMNN_BINARY_ROW(armnn_i_sq_diff_##suffix, T, T, ((W)a - (W)b) * ((W)a - (W)b))   \
  ARMNN_BINARY_ROW(armnn_i_power_##suffix, T, T, armnn_i_raise_##suffix(a, b))      \
  ARMNN_BINARY_ROW(armnn_i_mod_##suffix, T, T, b == 0 ? 0 : a % b)                  \
  ARMNN_BINARY_ROW(armnn_i_fmod_##suffix, T, T, b == 0 ? 0 : a % b)                 \
  ARMNN_BINARY_ROW(armnn_i_and_##suffix, T, T, a& b)                                \
  ARMNN_BINARY_ROW(armnn_i_or_##suffix, T, T, a | b)                                \
  ARMNN_BINARY_ROW(armnn_i_xor_##suffix, T, T, a ^ b)                               \
  ARMNN_BINARY_ROW(armnn_i_left_##suffix, T, T, b >= 8 * sizeof(T) ? 0 : (W)a << b) \
  ARMNN_BINARY_ROW(armnn_i_right_##suffix, T, T, b >= 8 * sizeof(T) ? 0 : (W)a >> b)

ARMNN_DEFINE_UNSIGNED_ROWS(u16, uint16_t, uint32_t)
ARMNN_DEFINE_UNSIGNED_ROWS(u32, uint32_t, uint32_t)
ARMNN_DEFINE_UNSIGNED_ROWS(u64, uint64_t, uint64_t)

/* ---- Booleans ---------------------------------------------------------------------------------
 */

ARMNN_BINARY_ROW(armnn_i_either_b8, uint8_t, uint8_t, (a != 0) | (b != 0))
ARMNN_BINARY_ROW(armnn_i_both_b8, uint8_t, uint8_t, (a != 0) & (b != 0))
ARMNN_BINARY_ROW(armnn_i_differ_b8, uint8_t, uint8_t, (a != 0) ^ (b != 0))

/* ---- By type and operation --------------------------------------------------------------------
 */

/* Members of a table by operation. Null stays what integers alone have: the host shows no such
 * layer of other types. */
#define ARMNN_REAL_ROWS(type)                                                               \
  [ARMNN_BINARY_ADD] = armnn_i_add_##type, [ARMNN_BINARY_DIV] = armnn_i_div_##type,         \
  [ARMNN_BINARY_MAXIMUM] = armnn_i_maximum_##type,                                          \
  [ARMNN_BINARY_MINIMUM] = armnn_i_minimum_##type, [ARMNN_BINARY_MUL] = armnn_i_mul_##type, \
  [ARMNN_BINARY_SUB] = armnn_i_sub_##type, [ARMNN_BINARY_SQ_DIFF] = armnn_i_sq_diff_##type, \
  [ARMNN_BINARY_POWER] = armnn_i_power_##type, [ARMNN_BINARY_MOD] = armnn_i_mod_##type,     \
  [ARMNN_BINARY_FMOD] = armnn_i_fmod_##type
#define ARMNN_INTEGER_ROWS(type)                                          \
  ARMNN_REAL_ROWS(type), [ARMNN_BINARY_BITWISE_AND] = armnn_i_and_##type, \
                         [ARMNN_BINARY_BITWISE_OR] = armnn_i_or_##type,   \
                         [ARMNN_BINARY_BITWISE_XOR] = armnn_i_xor_##type, \
                         [ARMNN_BINARY_SHIFT_LEFT] = armnn_i_left_##type, \
                         [ARMNN_BINARY_SHIFT_RIGHT] = armnn_i_right_##type

#define ARMNN_BOOLEAN_ROWS                                                                \
  [ARMNN_BINARY_ADD] = armnn_i_either_b8, [ARMNN_BINARY_MAXIMUM] = armnn_i_either_b8,     \
  [ARMNN_BINARY_BITWISE_OR] = armnn_i_either_b8, [ARMNN_BINARY_MUL] = armnn_i_both_b8,    \
  [ARMNN_BINARY_MINIMUM] = armnn_i_both_b8, [ARMNN_BINARY_BITWISE_AND] = armnn_i_both_b8, \
  [ARMNN_BINARY_BITWISE_XOR] = armnn_i_differ_b8

/* The row of an armnn_binary_operation_e; null for an operation or a type that has none. */
static inline armnn_binary_row_fn_t armnn_binary_row(int32_t data_type, int32_t operation) {
  static const armnn_binary_row_fn_t rows[ARMNN_DATA_TYPE_COUNT][ARMNN_BINARY_COUNT] = {
      [ARMNN_DATA_TYPE_FLOAT32] = {ARMNN_REAL_ROWS(f32)},
      [ARMNN_DATA_TYPE_FLOAT64] = {ARMNN_REAL_ROWS(f64)},
      [ARMNN_DATA_TYPE_SIGNED32] = {ARMNN_INTEGER_ROWS(s32)},
      [ARMNN_DATA_TYPE_SIGNED64] = {ARMNN_INTEGER_ROWS(s64)},
      [ARMNN_DATA_TYPE_UNSIGNED16] = {ARMNN_INTEGER_ROWS(u16)},
      [ARMNN_DATA_TYPE_UNSIGNED32] = {ARMNN_INTEGER_ROWS(u32)},
      [ARMNN_DATA_TYPE_UNSIGNED64] = {ARMNN_INTEGER_ROWS(u64)},
      [ARMNN_DATA_TYPE_BOOLEAN] = {ARMNN_BOOLEAN_ROWS},
  };
  return rows[data_type][operation];
}

#endif /* ARMNN_COMMON_BINARY_ROWS_H_ */
