/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * elementwise_binary.c - ELEMENTWISE_BINARY and PRELU.
 *
 * Rows of elements are those of binary_rows.h, which says what they give.
 *
 * float16 and bfloat16 are float32 rounded once. Of quantised types ADD, SUB, MUL, SQ_DIFF and
 * PRELU follow TensorFlow Lite's specification (fixed_point.h): operands of a sum are brought to a
 * common scale with 20 bits below the point (QSYMM_S16: 15; SQ_DIFF: 7), what comes out is scaled
 * to the output. MAXIMUM and MINIMUM take one of the operands; where scales differ, these are real
 * arithmetic in float32. So are all other operations, and all others with ARMNN_RESCALING_REAL.
 */
#include "binary_rows.h"
#include "fixed_point.h"
#include "kernels.h"
#include "shared/by_type.h"
#include "shared/codec.h"
#include "tensor_shape.h"

/* ---- Types that are computed with as they lie -------------------------------------------------
 */

ARMNN_BINARY_ROW(prelu_f32, float, float, a < 0.0f ? a * b : a)

/* In larger pieces where an element costs less. */
static armnn_status_t run_rows(const armnn_kernel_call_t* call) {
  const int32_t operation =
      ARMNN_DESCRIPTOR(call->info, armnn_elementwise_binary_descriptor_t)->operation;
  const int32_t data_type = ARMNN_IN_INFO(call, 0)->data_type;
  return armnn_i_ref_run_broadcast(call, armnn_binary_row(data_type, operation),
                                   operation == ARMNN_BINARY_POWER ? 1024 : 16384);
}

ARMNN_REF_DEFINE_KERNEL(f32, elementwise_binary, run_rows(call))
ARMNN_REF_DEFINE_KERNEL(f64, elementwise_binary, run_rows(call))
ARMNN_REF_DEFINE_KERNEL(s32, elementwise_binary, run_rows(call))
ARMNN_REF_DEFINE_KERNEL(s64, elementwise_binary, run_rows(call))
ARMNN_REF_DEFINE_KERNEL(u16, elementwise_binary, run_rows(call))
ARMNN_REF_DEFINE_KERNEL(u32, elementwise_binary, run_rows(call))
ARMNN_REF_DEFINE_KERNEL(u64, elementwise_binary, run_rows(call))
ARMNN_REF_DEFINE_KERNEL(b8, elementwise_binary, run_rows(call))
ARMNN_REF_DEFINE_KERNEL(f32, prelu, armnn_i_ref_run_broadcast(call, prelu_f32, 16384))

/* ---- Types that are decoded ------------------------------------------------------------------ */

static void real_row(const void* context, const void* x, const void* y, uint64_t count, void* out) {
  (*(const armnn_binary_row_fn_t*)context)(out, x, y, count, 1, 1);
}

typedef struct level_context_t {
  int32_t operation;
  int32_t left; /* bits that a sum has below the point */
  armnn_factor_t x, y, out;
} level_context_t;

static void sum_row(const void* context, const void* x_row, const void* y_row, uint64_t count,
                    void* out_row) {
  const level_context_t* c = (const level_context_t*)context;
  const int32_t *x = (const int32_t*)x_row, *y = (const int32_t*)y_row;
  int32_t* out = (int32_t*)out_row;
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t a = armnn_scale32(x[i] * (1 << c->left), c->x);
    const int64_t b = armnn_scale32(y[i] * (1 << c->left), c->y);
    const int64_t value = c->operation == ARMNN_BINARY_ADD   ? a + b
                          : c->operation == ARMNN_BINARY_SUB ? a - b
                                                             : (a - b) * (a - b);
    out[i] = armnn_scale32(armnn_saturate32(value), c->out);
  }
}

static void product_row(const void* context, const void* x_row, const void* y_row, uint64_t count,
                        void* out_row) {
  const level_context_t* c = (const level_context_t*)context;
  const int32_t *x = (const int32_t*)x_row, *y = (const int32_t*)y_row;
  int32_t* out = (int32_t*)out_row;
  for (uint64_t i = 0; i < count; ++i) {
    out[i] = armnn_scale32(armnn_saturate32((int64_t)x[i] * y[i]), c->out);
  }
}

static void maximum_row(const void* context, const void* x_row, const void* y_row, uint64_t count,
                        void* out_row) {
  const level_context_t* c = (const level_context_t*)context;
  const int32_t *x = (const int32_t*)x_row, *y = (const int32_t*)y_row;
  for (uint64_t i = 0; i < count; ++i) {
    const int greater = x[i] > y[i];
    ((int32_t*)out_row)[i] = greater == (c->operation == ARMNN_BINARY_MAXIMUM) ? x[i] : y[i];
  }
}

/* Positive values are scaled alone, others with their slope. */
static void prelu_row(const void* context, const void* x_row, const void* y_row, uint64_t count,
                      void* out_row) {
  const level_context_t* c = (const level_context_t*)context;
  const int32_t *x = (const int32_t*)x_row, *y = (const int32_t*)y_row;
  int32_t* out = (int32_t*)out_row;
  for (uint64_t i = 0; i < count; ++i) {
    out[i] = x[i] >= 0 ? armnn_scale32(x[i], c->x)
                       : armnn_scale32(armnn_saturate32((int64_t)x[i] * y[i]), c->out);
  }
}

static armnn_status_t run_real(const armnn_kernel_call_t* call, armnn_binary_row_fn_t row) {
  const armnn_i_ref_pairs_t pairs = {real_row, &row, 0, 0};
  return armnn_i_ref_run_pairs(call, &pairs, 4096);
}

static armnn_status_t run_levels(const armnn_kernel_call_t* call, const level_context_t* context,
                                 void (*row)(const void*, const void*, const void*, uint64_t,
                                             void*)) {
  const armnn_i_ref_pairs_t pairs = {row, context, 1, 0};
  return armnn_i_ref_run_pairs(call, &pairs, 4096);
}

static int has_levels(const armnn_tensor_info_t* info) {
  return armnn_data_type_is_quantized(info->data_type) && armnn_i_ref_one_scale(info);
}

static int keeps_levels(int32_t operation) {
  return operation == ARMNN_BINARY_MAXIMUM || operation == ARMNN_BINARY_MINIMUM;
}

armnn_status_t armnn_any_elementwise_binary__ref(const armnn_kernel_call_t* call,
                                                 armnn_error_t* error) {
  const armnn_tensor_info_t *x = ARMNN_IN_INFO(call, 0), *y = ARMNN_IN_INFO(call, 1);
  const armnn_tensor_info_t* out = ARMNN_OUT_INFO(call, 0);
  const armnn_elementwise_binary_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_elementwise_binary_descriptor_t);
  level_context_t c = {.operation = d->operation};
  (void)error;
  const int is_real = d->rescaling == ARMNN_RESCALING_REAL && !keeps_levels(c.operation);
  if (is_real || !has_levels(x) || !has_levels(y) || !has_levels(out)) {
    return run_real(call, armnn_binary_row(ARMNN_DATA_TYPE_FLOAT32, c.operation));
  }
  const float s_x = armnn_i_ref_codec(x).scales[0], s_y = armnn_i_ref_codec(y).scales[0];
  const float s_out = armnn_i_ref_codec(out).scales[0];
  const double twice = 2.0 * (double)(s_x > s_y ? s_x : s_y);
  switch (c.operation) {
    case ARMNN_BINARY_ADD:
    case ARMNN_BINARY_SUB:
      c.left = x->data_type == ARMNN_DATA_TYPE_QSYMM_S16 ? 15 : 20;
      c.out = armnn_factor(twice / ((double)(1 << c.left) * (double)s_out));
      break;
    case ARMNN_BINARY_SQ_DIFF:
      if (x->data_type == ARMNN_DATA_TYPE_QSYMM_S16)
        return run_real(call, armnn_binary_row(ARMNN_DATA_TYPE_FLOAT32, c.operation));
      c.left = 7;
      c.out = armnn_factor(twice * twice / ((double)(1 << 14) * (double)s_out));
      break;
    case ARMNN_BINARY_MUL:
      c.out = armnn_factor((double)(s_x * s_y / s_out));
      return run_levels(call, &c, product_row);
    case ARMNN_BINARY_MAXIMUM:
    case ARMNN_BINARY_MINIMUM:
      if (armnn_i_ref_same_quantization(x, y) && armnn_i_ref_same_quantization(x, out)) {
        return run_levels(call, &c, maximum_row);
      }
      return run_real(call, armnn_binary_row(ARMNN_DATA_TYPE_FLOAT32, c.operation));
    default:
      return run_real(call, armnn_binary_row(ARMNN_DATA_TYPE_FLOAT32, c.operation));
  }
  c.x = armnn_factor((double)s_x / twice);
  c.y = armnn_factor((double)s_y / twice);
  return run_levels(call, &c, sum_row);
}

armnn_status_t armnn_any_prelu__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t *x = ARMNN_IN_INFO(call, 0), *y = ARMNN_IN_INFO(call, 1);
  const armnn_tensor_info_t* out = ARMNN_OUT_INFO(call, 0);
  (void)error;
  if (!has_levels(x) || !has_levels(y) || !has_levels(out)) return run_real(call, prelu_f32);
  const float s_x = armnn_i_ref_codec(x).scales[0], s_y = armnn_i_ref_codec(y).scales[0];
  const float s_out = armnn_i_ref_codec(out).scales[0];
  const level_context_t c = {.x = armnn_factor((double)(s_x / s_out)),
                             .out = armnn_factor((double)(s_x * s_y / s_out))};
  return run_levels(call, &c, prelu_row);
}
