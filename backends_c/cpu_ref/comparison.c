/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * comparison.c - COMPARISON and LOGICAL_BINARY: two operands that broadcast, a boolean out.
 *
 * Real values are compared: of quantised tensors, whose scales may differ, in double precision,
 * which holds each exactly. NaN compares as IEEE 754 has it: unequal to everything, neither less
 * nor greater. Any byte other than zero is true.
 */
#include "by_type.h"
#include "codec.h"
#include "kernels.h"
#include "tensor_shape.h"

#define DEFINE_COMPARISON_ROWS(suffix, T, of)                            \
  ARMNN_REF_BINARY_ROW(equal_##suffix, T, uint8_t, of(a) == of(b))       \
  ARMNN_REF_BINARY_ROW(greater_##suffix, T, uint8_t, of(a) > of(b))      \
  ARMNN_REF_BINARY_ROW(not_less_##suffix, T, uint8_t, of(a) >= of(b))    \
  ARMNN_REF_BINARY_ROW(less_##suffix, T, uint8_t, of(a) < of(b))         \
  ARMNN_REF_BINARY_ROW(not_greater_##suffix, T, uint8_t, of(a) <= of(b)) \
  ARMNN_REF_BINARY_ROW(not_equal_##suffix, T, uint8_t, of(a) != of(b))

#define VALUE(v) (v)
#define TRUTH(v) ((v) != 0)
DEFINE_COMPARISON_ROWS(f32, float, VALUE)
DEFINE_COMPARISON_ROWS(s32, int32_t, VALUE)
DEFINE_COMPARISON_ROWS(s64, int64_t, VALUE)
DEFINE_COMPARISON_ROWS(u16, uint16_t, VALUE)
DEFINE_COMPARISON_ROWS(u32, uint32_t, VALUE)
DEFINE_COMPARISON_ROWS(u64, uint64_t, VALUE)
DEFINE_COMPARISON_ROWS(b8, uint8_t, TRUTH)
ARMNN_REF_BINARY_ROW(and_b8, uint8_t, uint8_t, TRUTH(a) & TRUTH(b))
ARMNN_REF_BINARY_ROW(or_b8, uint8_t, uint8_t, TRUTH(a) | TRUTH(b))

DEFINE_COMPARISON_ROWS(f64, double, VALUE)

#define ROWS(suffix)                                           \
  {                                                            \
      [ARMNN_COMPARISON_EQUAL] = equal_##suffix,               \
      [ARMNN_COMPARISON_GREATER] = greater_##suffix,           \
      [ARMNN_COMPARISON_GREATER_OR_EQUAL] = not_less_##suffix, \
      [ARMNN_COMPARISON_LESS] = less_##suffix,                 \
      [ARMNN_COMPARISON_LESS_OR_EQUAL] = not_greater_##suffix, \
      [ARMNN_COMPARISON_NOT_EQUAL] = not_equal_##suffix,       \
  }

static const armnn_i_ref_binary_row_fn_t rows_f32[ARMNN_COMPARISON_COUNT] = ROWS(f32);
static const armnn_i_ref_binary_row_fn_t rows_s32[ARMNN_COMPARISON_COUNT] = ROWS(s32);
static const armnn_i_ref_binary_row_fn_t rows_s64[ARMNN_COMPARISON_COUNT] = ROWS(s64);
static const armnn_i_ref_binary_row_fn_t rows_u16[ARMNN_COMPARISON_COUNT] = ROWS(u16);
static const armnn_i_ref_binary_row_fn_t rows_u32[ARMNN_COMPARISON_COUNT] = ROWS(u32);
static const armnn_i_ref_binary_row_fn_t rows_u64[ARMNN_COMPARISON_COUNT] = ROWS(u64);
static const armnn_i_ref_binary_row_fn_t rows_f64[ARMNN_COMPARISON_COUNT] = ROWS(f64);
static const armnn_i_ref_binary_row_fn_t rows_b8[ARMNN_COMPARISON_COUNT] = ROWS(b8);
static const armnn_i_ref_binary_row_fn_t rows_logical[ARMNN_LOGICAL_BINARY_COUNT] = {
    [ARMNN_LOGICAL_AND] = and_b8,
    [ARMNN_LOGICAL_OR] = or_b8,
};

static armnn_status_t compare(const armnn_kernel_call_t* call,
                              const armnn_i_ref_binary_row_fn_t* rows) {
  int32_t operation = ARMNN_DESCRIPTOR(call->info, armnn_comparison_descriptor_t)->operation;
  return armnn_i_ref_run_broadcast(call, rows[operation], 16384);
}

ARMNN_REF_DEFINE_KERNEL(f32, comparison, compare(call, rows_f32))
ARMNN_REF_DEFINE_KERNEL(f64, comparison, compare(call, rows_f64))
ARMNN_REF_DEFINE_KERNEL(s32, comparison, compare(call, rows_s32))
ARMNN_REF_DEFINE_KERNEL(s64, comparison, compare(call, rows_s64))
ARMNN_REF_DEFINE_KERNEL(u16, comparison, compare(call, rows_u16))
ARMNN_REF_DEFINE_KERNEL(u32, comparison, compare(call, rows_u32))
ARMNN_REF_DEFINE_KERNEL(u64, comparison, compare(call, rows_u64))
ARMNN_REF_DEFINE_KERNEL(b8, comparison, compare(call, rows_b8))

armnn_status_t armnn_b8_logical_binary__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  int32_t operation = ARMNN_DESCRIPTOR(call->info, armnn_logical_binary_descriptor_t)->operation;
  return armnn_i_ref_run_broadcast(call, rows_logical[operation], 16384);
}

/* ---- Types that are decoded ------------------------------------------------------------------ */

typedef struct compare_context_t {
  int32_t operation;
  double x_scale, y_scale;
} compare_context_t;

static void real_row(const void* context, const void* x, const void* y, uint64_t count, void* out) {
  rows_f32[((const compare_context_t*)context)->operation](out, x, y, count, 1, 1);
}

static void level_row(const void* context, const void* x_row, const void* y_row, uint64_t count,
                      void* out) {
  const compare_context_t* c = (const compare_context_t*)context;
  double x[ARMNN_REF_ROW], y[ARMNN_REF_ROW];
  for (uint64_t i = 0; i < count; ++i) {
    x[i] = c->x_scale * ((const int32_t*)x_row)[i];
    y[i] = c->y_scale * ((const int32_t*)y_row)[i];
  }
  rows_f64[c->operation](out, x, y, count, 1, 1);
}

armnn_status_t armnn_any_comparison__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t *x = ARMNN_IN_INFO(call, 0), *y = ARMNN_IN_INFO(call, 1);
  const int levels = armnn_data_type_is_quantized(x->data_type) && armnn_i_ref_one_scale(x) &&
                     armnn_i_ref_one_scale(y);
  const compare_context_t c = {
      ARMNN_DESCRIPTOR(call->info, armnn_comparison_descriptor_t)->operation,
      (double)armnn_i_ref_codec(x).scales[0], (double)armnn_i_ref_codec(y).scales[0]};
  const armnn_i_ref_pairs_t pairs = {levels ? level_row : real_row, &c, levels, 1};
  (void)error;
  return armnn_i_ref_run_pairs(call, &pairs, 4096);
}
