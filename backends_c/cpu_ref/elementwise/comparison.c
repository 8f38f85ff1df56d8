/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * comparison.c - COMPARISON and LOGICAL_BINARY: two operands that broadcast, a boolean out.
 *
 * Real values are compared: of quantised tensors, whose scales may differ, in double precision,
 * which holds each exactly. NaN compares as IEEE 754 has it: unequal to everything, neither less
 * nor greater. Any byte other than zero is true.
 */
#include "comparison_rows.h"
#include "kernels.h"
#include "shared/by_type.h"
#include "shared/codec.h"
#include "tensor_shape.h"

static armnn_status_t compare(const armnn_kernel_call_t* call) {
  const int32_t operation = ARMNN_DESCRIPTOR(call->info, armnn_comparison_descriptor_t)->operation;
  const int32_t data_type = ARMNN_IN_INFO(call, 0)->data_type;
  return armnn_i_ref_run_broadcast(call, armnn_comparison_row(data_type, operation), 16384);
}

ARMNN_REF_DEFINE_KERNEL(f32, comparison, compare(call))
ARMNN_REF_DEFINE_KERNEL(f64, comparison, compare(call))
ARMNN_REF_DEFINE_KERNEL(s32, comparison, compare(call))
ARMNN_REF_DEFINE_KERNEL(s64, comparison, compare(call))
ARMNN_REF_DEFINE_KERNEL(u16, comparison, compare(call))
ARMNN_REF_DEFINE_KERNEL(u32, comparison, compare(call))
ARMNN_REF_DEFINE_KERNEL(u64, comparison, compare(call))
ARMNN_REF_DEFINE_KERNEL(b8, comparison, compare(call))

armnn_status_t armnn_b8_logical_binary__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  int32_t operation = ARMNN_DESCRIPTOR(call->info, armnn_logical_binary_descriptor_t)->operation;
  return armnn_i_ref_run_broadcast(call, armnn_logical_row(operation), 16384);
}

/* ---- Types that are decoded ------------------------------------------------------------------ */

typedef struct compare_context_t {
  int32_t operation;
  double x_scale, y_scale;
} compare_context_t;

static void real_row(const void* context, const void* x, const void* y, uint64_t count, void* out) {
  const int32_t operation = ((const compare_context_t*)context)->operation;
  armnn_comparison_row(ARMNN_DATA_TYPE_FLOAT32, operation)(out, x, y, count, 1, 1);
}

static void level_row(const void* context, const void* x_row, const void* y_row, uint64_t count,
                      void* out) {
  const compare_context_t* c = (const compare_context_t*)context;
  double x[ARMNN_REF_ROW], y[ARMNN_REF_ROW];
  for (uint64_t i = 0; i < count; ++i) {
    x[i] = c->x_scale * ((const int32_t*)x_row)[i];
    y[i] = c->y_scale * ((const int32_t*)y_row)[i];
  }
  armnn_comparison_row(ARMNN_DATA_TYPE_FLOAT64, c->operation)(out, x, y, count, 1, 1);
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
