/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * elementwise_unary.c - ELEMENTWISE_UNARY.
 *
 * All operations but LOGICAL_NOT take numbers, real ones other than float32 and float64 widened
 * (widened.h). Unsigned integers have rounding, BITWISE_NOT, ABS and a NEG that wraps. Of other
 * integers, rounding changes none, ABS and NEG of the most negative number wrap to itself; what is
 * no integer is truncated towards zero, as Arm NN does, and saturates, NaN becoming 0. LOGICAL_NOT
 * takes booleans, BITWISE_NOT integers.
 */
#include <math.h>

#include "by_type.h"
#include "kernels.h"
#include "tensor_shape.h"

typedef void (*unary_row_fn_t)(void* out, const void* x, uint64_t count);

#define DEFINE_ROW(name, T, expression)                                  \
  static void name(void* out_data, const void* x_data, uint64_t count) { \
    T* out = (T*)out_data;                                               \
    const T* x = (const T*)x_data;                                       \
    for (uint64_t i = 0; i < count; ++i) {                               \
      const T a = x[i];                                                  \
      out[i] = (T)(expression);                                          \
    }                                                                    \
  }

DEFINE_ROW(abs_f32, float, fabsf(a))
DEFINE_ROW(exp_f32, float, expf(a))
DEFINE_ROW(sqrt_f32, float, sqrtf(a))
DEFINE_ROW(rsqrt_f32, float, 1.0f / sqrtf(a))
DEFINE_ROW(neg_f32, float, -a)
DEFINE_ROW(log_f32, float, logf(a))
DEFINE_ROW(sin_f32, float, sinf(a))
DEFINE_ROW(ceil_f32, float, ceilf(a))
DEFINE_ROW(floor_f32, float, floorf(a))
DEFINE_ROW(erf_f32, float, erff(a))
DEFINE_ROW(round_f32, float, rintf(a)) /* halves to the even one: the default rounding mode */
DEFINE_ROW(cos_f32, float, cosf(a))
DEFINE_ROW(tan_f32, float, tanf(a))
DEFINE_ROW(asin_f32, float, asinf(a))
DEFINE_ROW(acos_f32, float, acosf(a))
DEFINE_ROW(atan_f32, float, atanf(a))
DEFINE_ROW(sinh_f32, float, sinhf(a))
DEFINE_ROW(cosh_f32, float, coshf(a))
DEFINE_ROW(asinh_f32, float, asinhf(a))
DEFINE_ROW(acosh_f32, float, acoshf(a))
DEFINE_ROW(atanh_f32, float, atanhf(a))
#define DEFINE_DOUBLE_ROWS(name, function) DEFINE_ROW(name##_f64, double, function(a))
DEFINE_DOUBLE_ROWS(abs, fabs)
DEFINE_DOUBLE_ROWS(exp, exp)
DEFINE_DOUBLE_ROWS(sqrt, sqrt)
DEFINE_DOUBLE_ROWS(rsqrt, 1.0 / sqrt)
DEFINE_DOUBLE_ROWS(neg, -)
DEFINE_DOUBLE_ROWS(log, log)
DEFINE_DOUBLE_ROWS(sin, sin)
DEFINE_DOUBLE_ROWS(ceil, ceil)
DEFINE_DOUBLE_ROWS(floor, floor)
DEFINE_DOUBLE_ROWS(erf, erf)
DEFINE_DOUBLE_ROWS(round, rint)
DEFINE_DOUBLE_ROWS(cos, cos)
DEFINE_DOUBLE_ROWS(tan, tan)
DEFINE_DOUBLE_ROWS(asin, asin)
DEFINE_DOUBLE_ROWS(acos, acos)
DEFINE_DOUBLE_ROWS(atan, atan)
DEFINE_DOUBLE_ROWS(sinh, sinh)
DEFINE_DOUBLE_ROWS(cosh, cosh)
DEFINE_DOUBLE_ROWS(asinh, asinh)
DEFINE_DOUBLE_ROWS(acosh, acosh)
DEFINE_DOUBLE_ROWS(atanh, atanh)
DEFINE_ROW(abs_s32, int32_t, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
DEFINE_ROW(neg_s32, int32_t, 0u - (uint32_t)a)
DEFINE_ROW(same_s32, int32_t, a)
DEFINE_ROW(flip_s32, int32_t, ~a)
DEFINE_ROW(abs_s64, int64_t, a < 0 ? UINT64_C(0) - (uint64_t)a : (uint64_t)a)
DEFINE_ROW(neg_s64, int64_t, UINT64_C(0) - (uint64_t)a)
DEFINE_ROW(same_s64, int64_t, a)
DEFINE_ROW(flip_s64, int64_t, ~a)
DEFINE_ROW(not_b8, uint8_t, a == 0)
#define DEFINE_UNSIGNED_ROWS(suffix, T) \
  DEFINE_ROW(neg_##suffix, T, (T)0 - a) \
  DEFINE_ROW(same_##suffix, T, a)       \
  DEFINE_ROW(flip_##suffix, T, (T)~a)
DEFINE_UNSIGNED_ROWS(u16, uint16_t)
DEFINE_UNSIGNED_ROWS(u32, uint32_t)
DEFINE_UNSIGNED_ROWS(u64, uint64_t)

/* What C converts itself: values strictly inside of (-limit, limit). */
#define TRUNCATED(T, least, most, limit, value) \
  ((value) != (value)    ? (T)0                 \
   : (value) >= (limit)  ? (T)(most)            \
   : (value) <= -(limit) ? (T)(least)           \
                         : (T)(value))
#define DEFINE_TRUNCATED_ROWS(suffix, T, least, most, limit)                             \
  DEFINE_ROW(exp_##suffix, T, TRUNCATED(T, least, most, limit, exp((double)a)))          \
  DEFINE_ROW(rsqrt_##suffix, T, TRUNCATED(T, least, most, limit, 1.0 / sqrt((double)a))) \
  DEFINE_ROW(sqrt_##suffix, T, TRUNCATED(T, least, most, limit, sqrt((double)a)))        \
  DEFINE_ROW(log_##suffix, T, TRUNCATED(T, least, most, limit, log((double)a)))          \
  DEFINE_ROW(sin_##suffix, T, TRUNCATED(T, least, most, limit, sin((double)a)))          \
  DEFINE_ROW(erf_##suffix, T, TRUNCATED(T, least, most, limit, erf((double)a)))          \
  DEFINE_ROW(cos_##suffix, T, TRUNCATED(T, least, most, limit, cos((double)a)))          \
  DEFINE_ROW(tan_##suffix, T, TRUNCATED(T, least, most, limit, tan((double)a)))          \
  DEFINE_ROW(asin_##suffix, T, TRUNCATED(T, least, most, limit, asin((double)a)))        \
  DEFINE_ROW(acos_##suffix, T, TRUNCATED(T, least, most, limit, acos((double)a)))        \
  DEFINE_ROW(atan_##suffix, T, TRUNCATED(T, least, most, limit, atan((double)a)))        \
  DEFINE_ROW(sinh_##suffix, T, TRUNCATED(T, least, most, limit, sinh((double)a)))        \
  DEFINE_ROW(cosh_##suffix, T, TRUNCATED(T, least, most, limit, cosh((double)a)))        \
  DEFINE_ROW(asinh_##suffix, T, TRUNCATED(T, least, most, limit, asinh((double)a)))      \
  DEFINE_ROW(acosh_##suffix, T, TRUNCATED(T, least, most, limit, acosh((double)a)))      \
  DEFINE_ROW(atanh_##suffix, T, TRUNCATED(T, least, most, limit, atanh((double)a)))
DEFINE_TRUNCATED_ROWS(s32, int32_t, INT32_MIN, INT32_MAX, 0x1p31)
DEFINE_TRUNCATED_ROWS(s64, int64_t, INT64_MIN, INT64_MAX, 0x1p63)

/* Null: the operation is not defined for the type. */
#define REAL_ROWS(suffix)                                                         \
  {                                                                               \
      [ARMNN_UNARY_ABS] = abs_##suffix,     [ARMNN_UNARY_EXP] = exp_##suffix,     \
      [ARMNN_UNARY_SQRT] = sqrt_##suffix,   [ARMNN_UNARY_RSQRT] = rsqrt_##suffix, \
      [ARMNN_UNARY_NEG] = neg_##suffix,     [ARMNN_UNARY_LOG] = log_##suffix,     \
      [ARMNN_UNARY_SIN] = sin_##suffix,     [ARMNN_UNARY_CEIL] = ceil_##suffix,   \
      [ARMNN_UNARY_FLOOR] = floor_##suffix, [ARMNN_UNARY_ERF] = erf_##suffix,     \
      [ARMNN_UNARY_ROUND] = round_##suffix, [ARMNN_UNARY_COS] = cos_##suffix,     \
      [ARMNN_UNARY_TAN] = tan_##suffix,     [ARMNN_UNARY_ASIN] = asin_##suffix,   \
      [ARMNN_UNARY_ACOS] = acos_##suffix,   [ARMNN_UNARY_ATAN] = atan_##suffix,   \
      [ARMNN_UNARY_SINH] = sinh_##suffix,   [ARMNN_UNARY_COSH] = cosh_##suffix,   \
      [ARMNN_UNARY_ASINH] = asinh_##suffix, [ARMNN_UNARY_ACOSH] = acosh_##suffix, \
      [ARMNN_UNARY_ATANH] = atanh_##suffix,                                       \
  }
static const unary_row_fn_t rows_f32[ARMNN_UNARY_COUNT] = REAL_ROWS(f32);
static const unary_row_fn_t rows_f64[ARMNN_UNARY_COUNT] = REAL_ROWS(f64);
#define INTEGER_ROWS(suffix)                                                           \
  {                                                                                    \
      [ARMNN_UNARY_ABS] = abs_##suffix,     [ARMNN_UNARY_NEG] = neg_##suffix,          \
      [ARMNN_UNARY_CEIL] = same_##suffix,   [ARMNN_UNARY_FLOOR] = same_##suffix,       \
      [ARMNN_UNARY_ROUND] = same_##suffix,  [ARMNN_UNARY_EXP] = exp_##suffix,          \
      [ARMNN_UNARY_SQRT] = sqrt_##suffix,   [ARMNN_UNARY_RSQRT] = rsqrt_##suffix,      \
      [ARMNN_UNARY_LOG] = log_##suffix,     [ARMNN_UNARY_SIN] = sin_##suffix,          \
      [ARMNN_UNARY_ERF] = erf_##suffix,     [ARMNN_UNARY_COS] = cos_##suffix,          \
      [ARMNN_UNARY_TAN] = tan_##suffix,     [ARMNN_UNARY_ASIN] = asin_##suffix,        \
      [ARMNN_UNARY_ACOS] = acos_##suffix,   [ARMNN_UNARY_ATAN] = atan_##suffix,        \
      [ARMNN_UNARY_SINH] = sinh_##suffix,   [ARMNN_UNARY_COSH] = cosh_##suffix,        \
      [ARMNN_UNARY_ASINH] = asinh_##suffix, [ARMNN_UNARY_ACOSH] = acosh_##suffix,      \
      [ARMNN_UNARY_ATANH] = atanh_##suffix, [ARMNN_UNARY_BITWISE_NOT] = flip_##suffix, \
  }
static const unary_row_fn_t rows_s32[ARMNN_UNARY_COUNT] = INTEGER_ROWS(s32);
static const unary_row_fn_t rows_s64[ARMNN_UNARY_COUNT] = INTEGER_ROWS(s64);
#define UNSIGNED_ROWS(suffix)                                                         \
  {                                                                                   \
      [ARMNN_UNARY_ABS] = same_##suffix,   [ARMNN_UNARY_NEG] = neg_##suffix,          \
      [ARMNN_UNARY_CEIL] = same_##suffix,  [ARMNN_UNARY_FLOOR] = same_##suffix,       \
      [ARMNN_UNARY_ROUND] = same_##suffix, [ARMNN_UNARY_BITWISE_NOT] = flip_##suffix, \
  }
static const unary_row_fn_t rows_u16[ARMNN_UNARY_COUNT] = UNSIGNED_ROWS(u16);
static const unary_row_fn_t rows_u32[ARMNN_UNARY_COUNT] = UNSIGNED_ROWS(u32);
static const unary_row_fn_t rows_u64[ARMNN_UNARY_COUNT] = UNSIGNED_ROWS(u64);
static const unary_row_fn_t rows_b8[ARMNN_UNARY_COUNT] = {[ARMNN_UNARY_LOGICAL_NOT] = not_b8};

static unary_row_fn_t find_row(int32_t operation, int32_t data_type) {
  switch (data_type) {
    case ARMNN_DATA_TYPE_FLOAT32:
      return rows_f32[operation];
    case ARMNN_DATA_TYPE_SIGNED32:
      return rows_s32[operation];
    case ARMNN_DATA_TYPE_SIGNED64:
      return rows_s64[operation];
    case ARMNN_DATA_TYPE_UNSIGNED16:
      return rows_u16[operation];
    case ARMNN_DATA_TYPE_UNSIGNED32:
      return rows_u32[operation];
    case ARMNN_DATA_TYPE_UNSIGNED64:
      return rows_u64[operation];
    case ARMNN_DATA_TYPE_FLOAT64:
      return rows_f64[operation];
    case ARMNN_DATA_TYPE_BOOLEAN:
      return rows_b8[operation];
    default: /* widened */
      return rows_f32[operation];
  }
}

armnn_status_t armnn_i_ref_elementwise_unary_supports(const armnn_layer_query_t* query,
                                                      armnn_error_t* reason) {
  const int32_t operation =
      ARMNN_DESCRIPTOR(query, armnn_elementwise_unary_descriptor_t)->operation;
  const int32_t data_type = query->input_infos[0]->data_type;
  if (find_row(operation, data_type) != NULL) return ARMNN_STATUS_OK;
  return ARMNN_RULE_REFUSE(reason, "%s has no kernel for %s",
                           armnn_operation_name(query->type, operation),
                           armnn_data_type_name(data_type));
}

typedef struct unary_job_t {
  unary_row_fn_t row;
  unsigned char* out;
  const unsigned char* x;
  uint64_t element_size;
} unary_job_t;

static armnn_status_t unary_range(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const unary_job_t* job = (const unary_job_t*)argument;
  job->row(job->out + begin * job->element_size, job->x + begin * job->element_size, end - begin);
  return ARMNN_STATUS_OK;
}

static armnn_status_t run(const armnn_kernel_call_t* call, unary_row_fn_t row, uint64_t grain) {
  unary_job_t job = {row, ARMNN_OUT(call, 0, unsigned char), ARMNN_IN(call, 0, unsigned char),
                     armnn_data_type_size(ARMNN_OUT_INFO(call, 0)->data_type)};
  return armnn_parallel_for(call->host, unary_range, &job, ARMNN_COUNT(call), grain, 0);
}

static armnn_status_t run_operation(const armnn_kernel_call_t* call) {
  int32_t operation = ARMNN_DESCRIPTOR(call->info, armnn_elementwise_unary_descriptor_t)->operation;
  const int is_slow = operation == ARMNN_UNARY_EXP || operation == ARMNN_UNARY_LOG ||
                      operation == ARMNN_UNARY_SIN || operation == ARMNN_UNARY_ERF ||
                      (operation >= ARMNN_UNARY_COS && operation <= ARMNN_UNARY_ATANH);
  return run(call, find_row(operation, ARMNN_IN_INFO(call, 0)->data_type), is_slow ? 2048 : 16384);
}

ARMNN_REF_DEFINE_KERNEL(f32, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(f64, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(s32, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(s64, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(u16, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(u32, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(u64, elementwise_unary, run_operation(call))
ARMNN_REF_DEFINE_KERNEL(b8, elementwise_unary, run_operation(call))
