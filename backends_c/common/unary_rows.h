/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * unary_rows.h - rows (rows.h) of ELEMENTWISE_UNARY, by type and operation.
 *
 * Unsigned integers have rounding, BITWISE_NOT, ABS and a NEG that wraps. Of other integers,
 * rounding changes none, ABS and NEG of the most negative number wrap to itself; what is not an
 * integer is truncated towards zero, as Arm NN does, and saturates, NaN becoming 0. LOGICAL_NOT
 * takes booleans, BITWISE_NOT integers.
 */
#ifndef ARMNN_COMMON_UNARY_ROWS_H_
#define ARMNN_COMMON_UNARY_ROWS_H_

#include <math.h>

#include "armnn/backend_api.h"
#include "rows.h"

ARMNN_UNARY_ROW(armnn_i_abs_f32, float, fabsf(a))
ARMNN_UNARY_ROW(armnn_i_exp_f32, float, expf(a))
ARMNN_UNARY_ROW(armnn_i_sqrt_f32, float, sqrtf(a))
ARMNN_UNARY_ROW(armnn_i_rsqrt_f32, float, 1.0f / sqrtf(a))
ARMNN_UNARY_ROW(armnn_i_neg_f32, float, -a)
ARMNN_UNARY_ROW(armnn_i_log_f32, float, logf(a))
ARMNN_UNARY_ROW(armnn_i_sin_f32, float, sinf(a))
ARMNN_UNARY_ROW(armnn_i_ceil_f32, float, ceilf(a))
ARMNN_UNARY_ROW(armnn_i_floor_f32, float, floorf(a))
ARMNN_UNARY_ROW(armnn_i_erf_f32, float, erff(a))
ARMNN_UNARY_ROW(armnn_i_round_f32, float,
                rintf(a)) /* halves to the even one: the default rounding mode */
ARMNN_UNARY_ROW(armnn_i_cos_f32, float, cosf(a))
ARMNN_UNARY_ROW(armnn_i_tan_f32, float, tanf(a))
ARMNN_UNARY_ROW(armnn_i_asin_f32, float, asinf(a))
ARMNN_UNARY_ROW(armnn_i_acos_f32, float, acosf(a))
ARMNN_UNARY_ROW(armnn_i_atan_f32, float, atanf(a))
ARMNN_UNARY_ROW(armnn_i_sinh_f32, float, sinhf(a))
ARMNN_UNARY_ROW(armnn_i_cosh_f32, float, coshf(a))
ARMNN_UNARY_ROW(armnn_i_asinh_f32, float, asinhf(a))
ARMNN_UNARY_ROW(armnn_i_acosh_f32, float, acoshf(a))
ARMNN_UNARY_ROW(armnn_i_atanh_f32, float, atanhf(a))
#define ARMNN_DEFINE_DOUBLE_ROWS(name, function) \
  ARMNN_UNARY_ROW(armnn_i_##name##_f64, double, function(a))
ARMNN_DEFINE_DOUBLE_ROWS(abs, fabs)
ARMNN_DEFINE_DOUBLE_ROWS(exp, exp)
ARMNN_DEFINE_DOUBLE_ROWS(sqrt, sqrt)
ARMNN_DEFINE_DOUBLE_ROWS(rsqrt, 1.0 / sqrt)
ARMNN_DEFINE_DOUBLE_ROWS(neg, -)
ARMNN_DEFINE_DOUBLE_ROWS(log, log)
ARMNN_DEFINE_DOUBLE_ROWS(sin, sin)
ARMNN_DEFINE_DOUBLE_ROWS(ceil, ceil)
ARMNN_DEFINE_DOUBLE_ROWS(floor, floor)
ARMNN_DEFINE_DOUBLE_ROWS(erf, erf)
ARMNN_DEFINE_DOUBLE_ROWS(round, rint)
ARMNN_DEFINE_DOUBLE_ROWS(cos, cos)
ARMNN_DEFINE_DOUBLE_ROWS(tan, tan)
ARMNN_DEFINE_DOUBLE_ROWS(asin, asin)
ARMNN_DEFINE_DOUBLE_ROWS(acos, acos)
ARMNN_DEFINE_DOUBLE_ROWS(atan, atan)
ARMNN_DEFINE_DOUBLE_ROWS(sinh, sinh)
ARMNN_DEFINE_DOUBLE_ROWS(cosh, cosh)
ARMNN_DEFINE_DOUBLE_ROWS(asinh, asinh)
ARMNN_DEFINE_DOUBLE_ROWS(acosh, acosh)
ARMNN_DEFINE_DOUBLE_ROWS(atanh, atanh)
ARMNN_UNARY_ROW(armnn_i_abs_s32, int32_t, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
ARMNN_UNARY_ROW(armnn_i_neg_s32, int32_t, 0u - (uint32_t)a)
ARMNN_UNARY_ROW(armnn_i_same_s32, int32_t, a)
ARMNN_UNARY_ROW(armnn_i_flip_s32, int32_t, ~a)
ARMNN_UNARY_ROW(armnn_i_abs_s64, int64_t, a < 0 ? UINT64_C(0) - (uint64_t)a : (uint64_t)a)
ARMNN_UNARY_ROW(armnn_i_neg_s64, int64_t, UINT64_C(0) - (uint64_t)a)
ARMNN_UNARY_ROW(armnn_i_same_s64, int64_t, a)
ARMNN_UNARY_ROW(armnn_i_flip_s64, int64_t, ~a)
ARMNN_UNARY_ROW(armnn_i_not_b8, uint8_t, a == 0)
#define ARMNN_DEFINE_UNSIGNED_UNARY_ROWS(suffix, T)  \
  ARMNN_UNARY_ROW(armnn_i_neg_##suffix, T, (T)0 - a) \
  ARMNN_UNARY_ROW(armnn_i_same_##suffix, T, a)       \
  ARMNN_UNARY_ROW(armnn_i_flip_##suffix, T, (T)~a)
ARMNN_DEFINE_UNSIGNED_UNARY_ROWS(u16, uint16_t)
ARMNN_DEFINE_UNSIGNED_UNARY_ROWS(u32, uint32_t)
ARMNN_DEFINE_UNSIGNED_UNARY_ROWS(u64, uint64_t)

/* What C converts itself: values strictly inside of (-limit, limit). */
#define ARMNN_TRUNCATED(T, least, most, limit, value) \
  ((value) != (value)    ? (T)0                       \
   : (value) >= (limit)  ? (T)(most)                  \
   : (value) <= -(limit) ? (T)(least)                 \
                         : (T)(value))
#define ARMNN_DEFINE_TRUNCATED_ROWS(suffix, T, least, most, limit)                                 \
  ARMNN_UNARY_ROW(armnn_i_exp_##suffix, T, ARMNN_TRUNCATED(T, least, most, limit, exp((double)a))) \
  ARMNN_UNARY_ROW(armnn_i_rsqrt_##suffix, T,                                                       \
                  ARMNN_TRUNCATED(T, least, most, limit, 1.0 / sqrt((double)a)))                   \
  ARMNN_UNARY_ROW(armnn_i_sqrt_##suffix, T,                                                        \
                  ARMNN_TRUNCATED(T, least, most, limit, sqrt((double)a)))                         \
  ARMNN_UNARY_ROW(armnn_i_log_##suffix, T, ARMNN_TRUNCATED(T, least, most, limit, log((double)a))) \
  ARMNN_UNARY_ROW(armnn_i_sin_##suffix, T, ARMNN_TRUNCATED(T, least, most, limit, sin((double)a))) \
  ARMNN_UNARY_ROW(armnn_i_erf_##suffix, T, ARMNN_TRUNCATED(T, least, most, limit, erf((double)a))) \
  ARMNN_UNARY_ROW(armnn_i_cos_##suffix, T, ARMNN_TRUNCATED(T, least, most, limit, cos((double)a))) \
  ARMNN_UNARY_ROW(armnn_i_tan_##suffix, T, ARMNN_TRUNCATED(T, least, most, limit, tan((double)a))) \
  ARMNN_UNARY_ROW(armnn_i_asin_##suffix, T,                                                        \
                  ARMNN_TRUNCATED(T, least, most, limit, asin((double)a)))                         \
  ARMNN_UNARY_ROW(armnn_i_acos_##suffix, T,                                                        \
                  ARMNN_TRUNCATED(T, least, most, limit, acos((double)a)))                         \
  ARMNN_UNARY_ROW(armnn_i_atan_##suffix, T,                                                        \
                  ARMNN_TRUNCATED(T, least, most, limit, atan((double)a)))                         \
  ARMNN_UNARY_ROW(armnn_i_sinh_##suffix, T,                                                        \
                  ARMNN_TRUNCATED(T, least, most, limit, sinh((double)a)))                         \
  ARMNN_UNARY_ROW(armnn_i_cosh_##suffix, T,                                                        \
                  ARMNN_TRUNCATED(T, least, most, limit, cosh((double)a)))                         \
  ARMNN_UNARY_ROW(armnn_i_asinh_##suffix, T,                                                       \
                  ARMNN_TRUNCATED(T, least, most, limit, asinh((double)a)))                        \
  ARMNN_UNARY_ROW(armnn_i_acosh_##suffix, T,                                                       \
                  ARMNN_TRUNCATED(T, least, most, limit, acosh((double)a)))                        \
  ARMNN_UNARY_ROW(armnn_i_atanh_##suffix, T,                                                       \
                  ARMNN_TRUNCATED(T, least, most, limit, atanh((double)a)))
ARMNN_DEFINE_TRUNCATED_ROWS(s32, int32_t, INT32_MIN, INT32_MAX, 0x1p31)
ARMNN_DEFINE_TRUNCATED_ROWS(s64, int64_t, INT64_MIN, INT64_MAX, 0x1p63)

#define ARMNN_REAL_UNARY_ROWS(suffix)                                                             \
  {                                                                                               \
      [ARMNN_UNARY_ABS] = armnn_i_abs_##suffix,     [ARMNN_UNARY_EXP] = armnn_i_exp_##suffix,     \
      [ARMNN_UNARY_SQRT] = armnn_i_sqrt_##suffix,   [ARMNN_UNARY_RSQRT] = armnn_i_rsqrt_##suffix, \
      [ARMNN_UNARY_NEG] = armnn_i_neg_##suffix,     [ARMNN_UNARY_LOG] = armnn_i_log_##suffix,     \
      [ARMNN_UNARY_SIN] = armnn_i_sin_##suffix,     [ARMNN_UNARY_CEIL] = armnn_i_ceil_##suffix,   \
      [ARMNN_UNARY_FLOOR] = armnn_i_floor_##suffix, [ARMNN_UNARY_ERF] = armnn_i_erf_##suffix,     \
      [ARMNN_UNARY_ROUND] = armnn_i_round_##suffix, [ARMNN_UNARY_COS] = armnn_i_cos_##suffix,     \
      [ARMNN_UNARY_TAN] = armnn_i_tan_##suffix,     [ARMNN_UNARY_ASIN] = armnn_i_asin_##suffix,   \
      [ARMNN_UNARY_ACOS] = armnn_i_acos_##suffix,   [ARMNN_UNARY_ATAN] = armnn_i_atan_##suffix,   \
      [ARMNN_UNARY_SINH] = armnn_i_sinh_##suffix,   [ARMNN_UNARY_COSH] = armnn_i_cosh_##suffix,   \
      [ARMNN_UNARY_ASINH] = armnn_i_asinh_##suffix, [ARMNN_UNARY_ACOSH] = armnn_i_acosh_##suffix, \
      [ARMNN_UNARY_ATANH] = armnn_i_atanh_##suffix,                                               \
  }
#define ARMNN_INTEGER_UNARY_ROWS(suffix)                 \
  {                                                      \
      [ARMNN_UNARY_ABS] = armnn_i_abs_##suffix,          \
      [ARMNN_UNARY_NEG] = armnn_i_neg_##suffix,          \
      [ARMNN_UNARY_CEIL] = armnn_i_same_##suffix,        \
      [ARMNN_UNARY_FLOOR] = armnn_i_same_##suffix,       \
      [ARMNN_UNARY_ROUND] = armnn_i_same_##suffix,       \
      [ARMNN_UNARY_EXP] = armnn_i_exp_##suffix,          \
      [ARMNN_UNARY_SQRT] = armnn_i_sqrt_##suffix,        \
      [ARMNN_UNARY_RSQRT] = armnn_i_rsqrt_##suffix,      \
      [ARMNN_UNARY_LOG] = armnn_i_log_##suffix,          \
      [ARMNN_UNARY_SIN] = armnn_i_sin_##suffix,          \
      [ARMNN_UNARY_ERF] = armnn_i_erf_##suffix,          \
      [ARMNN_UNARY_COS] = armnn_i_cos_##suffix,          \
      [ARMNN_UNARY_TAN] = armnn_i_tan_##suffix,          \
      [ARMNN_UNARY_ASIN] = armnn_i_asin_##suffix,        \
      [ARMNN_UNARY_ACOS] = armnn_i_acos_##suffix,        \
      [ARMNN_UNARY_ATAN] = armnn_i_atan_##suffix,        \
      [ARMNN_UNARY_SINH] = armnn_i_sinh_##suffix,        \
      [ARMNN_UNARY_COSH] = armnn_i_cosh_##suffix,        \
      [ARMNN_UNARY_ASINH] = armnn_i_asinh_##suffix,      \
      [ARMNN_UNARY_ACOSH] = armnn_i_acosh_##suffix,      \
      [ARMNN_UNARY_ATANH] = armnn_i_atanh_##suffix,      \
      [ARMNN_UNARY_BITWISE_NOT] = armnn_i_flip_##suffix, \
  }
#define ARMNN_UNSIGNED_UNARY_ROWS(suffix)                \
  {                                                      \
      [ARMNN_UNARY_ABS] = armnn_i_same_##suffix,         \
      [ARMNN_UNARY_NEG] = armnn_i_neg_##suffix,          \
      [ARMNN_UNARY_CEIL] = armnn_i_same_##suffix,        \
      [ARMNN_UNARY_FLOOR] = armnn_i_same_##suffix,       \
      [ARMNN_UNARY_ROUND] = armnn_i_same_##suffix,       \
      [ARMNN_UNARY_BITWISE_NOT] = armnn_i_flip_##suffix, \
  }

/* The row of an armnn_unary_operation_e; null if the operation is not defined for the type. */
static inline armnn_unary_row_fn_t armnn_unary_row(int32_t data_type, int32_t operation) {
  static const armnn_unary_row_fn_t rows[ARMNN_DATA_TYPE_COUNT][ARMNN_UNARY_COUNT] = {
      [ARMNN_DATA_TYPE_FLOAT32] = ARMNN_REAL_UNARY_ROWS(f32),
      [ARMNN_DATA_TYPE_FLOAT64] = ARMNN_REAL_UNARY_ROWS(f64),
      [ARMNN_DATA_TYPE_SIGNED32] = ARMNN_INTEGER_UNARY_ROWS(s32),
      [ARMNN_DATA_TYPE_SIGNED64] = ARMNN_INTEGER_UNARY_ROWS(s64),
      [ARMNN_DATA_TYPE_UNSIGNED16] = ARMNN_UNSIGNED_UNARY_ROWS(u16),
      [ARMNN_DATA_TYPE_UNSIGNED32] = ARMNN_UNSIGNED_UNARY_ROWS(u32),
      [ARMNN_DATA_TYPE_UNSIGNED64] = ARMNN_UNSIGNED_UNARY_ROWS(u64),
      [ARMNN_DATA_TYPE_BOOLEAN] = {[ARMNN_UNARY_LOGICAL_NOT] = armnn_i_not_b8,
                                   [ARMNN_UNARY_BITWISE_NOT] = armnn_i_not_b8},
  };
  return rows[data_type][operation];
}

/* Whether an element costs much: a function of the C library. */
static inline int armnn_unary_is_slow(int32_t operation) {
  return operation == ARMNN_UNARY_EXP || operation == ARMNN_UNARY_LOG ||
         operation == ARMNN_UNARY_SIN || operation == ARMNN_UNARY_ERF ||
         (operation >= ARMNN_UNARY_COS && operation <= ARMNN_UNARY_ATANH);
}

#endif /* ARMNN_COMMON_UNARY_ROWS_H_ */
