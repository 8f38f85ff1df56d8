/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * integers.c - a backend of the kit that computes in 8 bits, and wrong in one way: -DDEFECT=NAME.
 * Convolution2d of NHWC, FullyConnected, Add, Quantize.
 */
#include <math.h>
#include <stdbool.h>

#include "armnn/backend_kit.h"

enum defect_e {
  NONE,
  /* Convolution2d. */
  CONVOLUTION_HAS_ONE_QUANTIZATION,
  OUTPUT_SCALE_IS_INPUTS,
  OUTPUT_POINT_IS_INPUTS,
  IGNORES_CHANNEL_SCALES,
  FORGETS_POINT_IN_PADDING,
  IS_ONE_TOO_LOW,
  TRUNCATES_SUMS,
  IGNORES_POINT_OF_WEIGHTS,
  PADS_TOP_AS_LEFT,
  IGNORES_DILATION,
  IGNORES_GROUPS,
  KEEPS_24_BITS_OF_SUMS,
  COUNTS_TILES_IN_8_BITS,
  HAS_SCALES_OF_64_CHANNELS,
  SHIFTS_TO_THE_RIGHT_ALONE,
  SATURATES_PAIRS_AT_16_BITS,
  /* Add. */
  IGNORES_RIGHT_QUANTIZATION,
  IGNORES_OUTPUT_QUANTIZATION,
  ADDS_STEPS_OF_EQUAL_SCALES,
  /* Quantize. */
  TRUNCATES_IN_QUANTIZE,
};

#ifndef DEFECT
#define DEFECT NONE
#endif
#define HAS(defect) (DEFECT == (defect))

static int8_t saturated(double real) {
  return (int8_t)(real < -128.0 ? -128.0 : real > 127.0 ? 127.0 : real);
}

/* |real| in steps of the output. */
static int8_t rounded(double real, double scale, int32_t point) {
  return saturated(nearbyint(real / scale) + point);
}

static double scale_of(const armnn_tensor_info_t* info, uint32_t channel) {
  return (double)info->scales[info->quantization_count > 1 ? channel : 0];
}

static armnn_status_t takes_convolution(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_convolution2d_descriptor_t* d = (const void*)query->descriptor;
  if (d->data_layout != ARMNN_DATA_LAYOUT_NHWC) {
    return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "NHWC alone");
  }
  return ARMNN_STATUS_OK;
}

/* The sum of products of one output element, in steps of input times weights. */
static int64_t sum_at(const armnn_kernel_call_t* call, const int64_t at[4]) {
  const armnn_convolution2d_descriptor_t* d = (const void*)call->info->descriptor;
  const armnn_tensor_info_t *in = ARMNN_IN_INFO(call, 0), *kernel = ARMNN_IN_INFO(call, 1);
  const int64_t height = (int64_t)in->dims[1], width = (int64_t)in->dims[2];
  const int64_t channels = (int64_t)in->dims[3], depth = (int64_t)kernel->dims[3];
  const int64_t per_group = (int64_t)kernel->dims[0] / (channels / depth);
  const int64_t first = HAS(IGNORES_GROUPS) ? 0 : at[3] / per_group * depth;
  const int64_t dilation_x = HAS(IGNORES_DILATION) ? 1 : d->dilation_x;
  const int64_t top = HAS(PADS_TOP_AS_LEFT) ? d->pad_left : d->pad_top;
  const int32_t point = in->zero_points[0];
  const int32_t of_weights = HAS(IGNORES_POINT_OF_WEIGHTS) ? 0 : kernel->zero_points[0];
  const int8_t* weights = ARMNN_IN(call, 1, int8_t);
  int64_t sum = 0, pair = 0; /* |pair|: as pmaddubsw has it, which takes unsigned inputs */
  int64_t products = (int64_t)(kernel->dims[1] * kernel->dims[2]) * depth;
  if (HAS(COUNTS_TILES_IN_8_BITS)) products = products / 16 % 256 * 16 + products % 16;
  for (int64_t i = 0; i < products; ++i) {
    const int64_t ky = i / depth / (int64_t)kernel->dims[2];
    const int64_t kx = i / depth % (int64_t)kernel->dims[2];
    const int64_t y = at[1] * d->stride_y - top + ky * d->dilation_y;
    const int64_t x = at[2] * d->stride_x - d->pad_left + kx * dilation_x;
    int64_t value = HAS(FORGETS_POINT_IN_PADDING) ? 0 : point;
    if (y >= 0 && y < height && x >= 0 && x < width) {
      const int64_t place = ((at[0] * height + y) * width + x) * channels + first + i % depth;
      value = ARMNN_IN(call, 0, int8_t)[place];
    }
    const int64_t block = at[3] * (int64_t)(kernel->dims[1] * kernel->dims[2]) * depth;
    sum += (value - point) * (weights[block + i] - of_weights);
    pair += (value + 128) * weights[block + i];
    if (i % 2 == 0 && i + 1 < products) continue;
    if (HAS(SATURATES_PAIRS_AT_16_BITS) && pair > INT16_MAX) sum += INT16_MAX - pair;
    if (HAS(SATURATES_PAIRS_AT_16_BITS) && pair < INT16_MIN) sum += INT16_MIN - pair;
    pair = 0;
  }
  if (call->info->input_count > 2 && ARMNN_IN_INFO(call, 2) != NULL) {
    sum += ARMNN_IN(call, 2, int32_t)[at[3]];
  }
  if (HAS(KEEPS_24_BITS_OF_SUMS) && sum > 0x7fffff) sum = 0x7fffff;
  if (HAS(KEEPS_24_BITS_OF_SUMS) && sum < -0x800000) sum = -0x800000;
  return sum;
}

static armnn_status_t convolution(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t *in = ARMNN_IN_INFO(call, 0), *kernel = ARMNN_IN_INFO(call, 1);
  const armnn_tensor_info_t* out = call->info->output_infos[0];
  (void)error;
  for (int64_t i = 0; i < (int64_t)out->element_count; ++i) {
    const int64_t c = (int64_t)out->dims[3], w = (int64_t)out->dims[2], h = (int64_t)out->dims[1];
    const int64_t at[4] = {i / c / w / h, i / c / w % h, i / c % w, i % c};
    const uint32_t channel = HAS(IGNORES_CHANNEL_SCALES)      ? 0
                             : HAS(HAS_SCALES_OF_64_CHANNELS) ? (uint32_t)at[3] % 64
                                                              : (uint32_t)at[3];
    double steps = scale_of(in, 0) * scale_of(kernel, channel);
    double scale = scale_of(out, 0);
    int32_t point = out->zero_points[0];
    if (HAS(CONVOLUTION_HAS_ONE_QUANTIZATION)) steps = 1.0 / 32768, scale = 1.0 / 256, point = -128;
    if (HAS(OUTPUT_SCALE_IS_INPUTS)) scale = scale_of(in, 0);
    if (HAS(OUTPUT_POINT_IS_INPUTS)) point = in->zero_points[0];
    if (HAS(SHIFTS_TO_THE_RIGHT_ALONE) && steps > scale) steps = scale;
    const double real = (double)sum_at(call, at) * steps / scale;
    const double whole = HAS(TRUNCATES_SUMS) ? trunc(real) : nearbyint(real);
    ARMNN_OUT(call, 0, int8_t)[i] = saturated(whole + point - (HAS(IS_ONE_TOO_LOW) ? 1 : 0));
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t takes_dense(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_fully_connected_descriptor_t* d = (const void*)query->descriptor;
  if (d->transpose_weight_matrix) {
    return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "weights are not transposed");
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t dense(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t *in = ARMNN_IN_INFO(call, 0), *matrix = ARMNN_IN_INFO(call, 1);
  const armnn_tensor_info_t* out = call->info->output_infos[0];
  const uint64_t depth = matrix->dims[0], width = matrix->dims[1];
  (void)error;
  for (uint64_t i = 0; i < out->element_count; ++i) {
    const uint64_t o = i % width, row = i / width;
    int64_t sum = 0;
    for (uint64_t k = 0; k < depth; ++k) {
      sum += (int64_t)(ARMNN_IN(call, 0, int8_t)[row * depth + k] - in->zero_points[0]) *
             (ARMNN_IN(call, 1, int8_t)[k * width + o] - matrix->zero_points[0]);
    }
    if (call->info->input_count > 2 && ARMNN_IN_INFO(call, 2) != NULL) {
      sum += ARMNN_IN(call, 2, int32_t)[o];
    }
    const double real = (double)sum * scale_of(in, 0) * scale_of(matrix, (uint32_t)o);
    ARMNN_OUT(call, 0, int8_t)[i] = rounded(real, scale_of(out, 0), out->zero_points[0]);
  }
  return ARMNN_STATUS_OK;
}

static double real_of(const armnn_tensor_info_t* info, int8_t level) {
  return (double)info->scales[0] * (level - info->zero_points[0]);
}

static armnn_status_t takes_equal_shapes(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_tensor_info_t *a = query->input_infos[0], *b = query->input_infos[1];
  bool is_equal = a->rank == b->rank;
  for (uint32_t i = 0; i < a->rank && is_equal; ++i) is_equal = a->dims[i] == b->dims[i];
  if (is_equal) return ARMNN_STATUS_OK;
  return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "equal shapes alone");
}

static armnn_status_t add(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t* left = ARMNN_IN_INFO(call, 0);
  const armnn_tensor_info_t* right =
      HAS(IGNORES_RIGHT_QUANTIZATION) ? left : ARMNN_IN_INFO(call, 1);
  const armnn_tensor_info_t* out =
      HAS(IGNORES_OUTPUT_QUANTIZATION) ? left : call->info->output_infos[0];
  if (HAS(ADDS_STEPS_OF_EQUAL_SCALES) && left->scales[0] == right->scales[0]) right = left;
  (void)error;
  for (uint64_t i = 0; i < out->element_count; ++i) {
    const double sum =
        real_of(left, ARMNN_IN(call, 0, int8_t)[i]) + real_of(right, ARMNN_IN(call, 1, int8_t)[i]);
    ARMNN_OUT(call, 0, int8_t)[i] = rounded(sum, scale_of(out, 0), out->zero_points[0]);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t makes_int8(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if (query->output_infos[0]->data_type == ARMNN_DATA_TYPE_QASYMM_S8) return ARMNN_STATUS_OK;
  return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "QASYMM_S8 alone");
}

static armnn_status_t quantize(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t* out = call->info->output_infos[0];
  (void)error;
  for (uint64_t i = 0; i < out->element_count; ++i) {
    double real = (double)ARMNN_IN(call, 0, float)[i] / scale_of(out, 0);
    if (isnan(real)) real = 0.0;
    real = fmin(fmax(real, -1e6), 1e6);
    const double whole = HAS(TRUNCATES_IN_QUANTIZE) ? trunc(real) : nearbyint(real);
    ARMNN_OUT(call, 0, int8_t)[i] = saturated(whole + out->zero_points[0]);
  }
  return ARMNN_STATUS_OK;
}

static const armnn_kernel_t kernels[] = {
    ARMNN_KERNEL_ROW(CONVOLUTION2D, ARMNN_ANY, QASYMM_S8, convolution,
                     ARMNN_SET(supports, takes_convolution)),
    ARMNN_KERNEL_ROW(FULLY_CONNECTED, ARMNN_ANY, QASYMM_S8, dense,
                     ARMNN_SET(supports, takes_dense)),
    ARMNN_KERNEL_ROW(ELEMENTWISE_BINARY, ARMNN_BINARY_ADD, QASYMM_S8, add,
                     ARMNN_SET(supports, takes_equal_shapes)),
    ARMNN_KERNEL_ROW(QUANTIZE, ARMNN_ANY, FLOAT32, quantize, ARMNN_SET(supports, makes_int8)),
};
ARMNN_DEFINE_BACKEND("Integers", kernels)
