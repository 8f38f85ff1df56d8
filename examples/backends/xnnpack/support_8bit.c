/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * support_8bit.c - which layers of QASYMM_S8 and QASYMM_U8 XNNPACK takes: types and scales. What is
 * asked of windows and axes is the same for every type and stands in support.c.
 *
 * The ranges of scales are those of XNNPACK's fixed-point factors. Where it only asserts them, a
 * wrong one ends the process, so all of them are checked here.
 */
#include <math.h>

#include "compile.h"

#define REFUSE(...) return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, __VA_ARGS__)
#define MOST_PRODUCTS (UINT64_C(1) << 15) /* a sum of more may not fit 32 bits */

bool xn_is_8bit(const armnn_tensor_info_t* info) {
  return info->data_type == ARMNN_DATA_TYPE_QASYMM_S8 ||
         info->data_type == ARMNN_DATA_TYPE_QASYMM_U8;
}

bool xn_same_quantum(const armnn_tensor_info_t* a, const armnn_tensor_info_t* b) {
  return a->quantization_count == 1 && b->quantization_count == 1 && a->scales[0] == b->scales[0] &&
         a->zero_points[0] == b->zero_points[0];
}

/* |ratio| in [2^least, 2^8). */
static armnn_status_t check_ratio(double ratio, int least, const char* what,
                                  armnn_error_t* reason) {
  if (ratio >= ldexp(1.0, least) && ratio < 256.0) return ARMNN_STATUS_OK;
  REFUSE("the scale of %s is %g times that of the output, XNNPACK takes 2^%d to below 2^8", what,
         ratio, least);
}

static armnn_status_t check_moved(const armnn_layer_query_t* query, armnn_error_t* reason) {
  for (uint32_t i = 0; i < query->input_count; ++i) {
    for (uint32_t k = 0; k < query->output_count; ++k) {
      if (!xn_same_quantum(query->input_infos[i], query->output_infos[k])) {
        REFUSE("input %u and output %u are quantised differently, which XNNPACK does not convert",
               (unsigned)i, (unsigned)k);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

/* Products in a sum, channels of the output, and whether these may have scales of their own. */
typedef struct shape_t {
  uint64_t products, channels;
  bool takes_scales;
} shape_t;

static shape_t shape_of(const armnn_layer_query_t* query) {
  const uint64_t* w = query->input_infos[1]->dims;
  switch (query->type) {
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
      return (shape_t){w[1] * w[2], w[3], true};
    case ARMNN_LAYER_FULLY_CONNECTED: {
      const bool is_transposed =
          ARMNN_DESCRIPTOR(query, armnn_fully_connected_descriptor_t)->transpose_weight_matrix != 0;
      return (shape_t){w[is_transposed ? 1 : 0], w[is_transposed ? 0 : 1], true};
    }
    default: /* [O, H, W, I / groups] */
      return (shape_t){w[1] * w[2] * w[3], w[0], query->type == ARMNN_LAYER_CONVOLUTION2D};
  }
}

static armnn_status_t check_weights(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_tensor_info_t *in = query->input_infos[0], *weights = query->input_infos[1];
  const armnn_tensor_info_t* bias = query->input_count > 2 ? query->input_infos[2] : NULL;
  const bool is_unsigned = in->data_type == ARMNN_DATA_TYPE_QASYMM_U8;
  const shape_t shape = shape_of(query);
  if (bias != NULL && bias->data_type != ARMNN_DATA_TYPE_SIGNED32) {
    REFUSE("the bias is %s, XNNPACK adds int32", armnn_data_type_name(bias->data_type));
  }
  if (is_unsigned ? weights->data_type != ARMNN_DATA_TYPE_QASYMM_U8
                  : weights->data_type != ARMNN_DATA_TYPE_QASYMM_S8 &&
                        weights->data_type != ARMNN_DATA_TYPE_QSYMM_S8) {
    REFUSE("weights of %s beside %s", armnn_data_type_name(weights->data_type),
           armnn_data_type_name(in->data_type));
  }
  if (weights->quantization_count != 1 &&
      (!shape.takes_scales || is_unsigned || weights->quantization_count != shape.channels)) {
    REFUSE("XNNPACK has no such operator with a scale for each channel");
  }
  for (uint32_t q = 0; q < weights->quantization_count; ++q) {
    if (!is_unsigned && weights->zero_points != NULL && weights->zero_points[q] != 0) {
      REFUSE("the zero point of the weights is %d, XNNPACK takes 0", (int)weights->zero_points[q]);
    }
    ARMNN_RETURN_IF_ERROR(check_ratio((double)in->scales[0] * (double)weights->scales[q] /
                                          (double)query->output_infos[0]->scales[0],
                                      -32, "a product", reason));
  }
  if (shape.products <= MOST_PRODUCTS) return ARMNN_STATUS_OK;
  REFUSE("a sum of %llu products may not fit the 32 bits of XNNPACK",
         (unsigned long long)shape.products);
}

static armnn_status_t check_binary(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const double a = (double)query->input_infos[0]->scales[0];
  const double b = (double)query->input_infos[1]->scales[0];
  const double y = (double)query->output_infos[0]->scales[0];
  const int32_t operation =
      ARMNN_DESCRIPTOR(query, armnn_elementwise_binary_descriptor_t)->operation;
  if (operation == ARMNN_BINARY_MUL) return check_ratio(a * b / y, -16, "a product", reason);
  if (operation != ARMNN_BINARY_ADD && operation != ARMNN_BINARY_SUB) {
    REFUSE("no operator of 8 bits for %s", armnn_operation_name(query->type, operation));
  }
  ARMNN_RETURN_IF_ERROR(check_ratio(a / y, -10, "input 0", reason));
  return check_ratio(b / y, -10, "input 1", reason);
}

/* XNNPACK's tables have one output each. */
static armnn_status_t check_output(const armnn_tensor_info_t* out, float scale, int32_t zero,
                                   armnn_error_t* reason) {
  if (out->scales[0] == scale && out->zero_points[0] == zero) return ARMNN_STATUS_OK;
  REFUSE("XNNPACK's output has the scale %g and the zero point %d here", (double)scale, (int)zero);
}

static armnn_status_t check_clamp(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_activation_descriptor_t* d = ARMNN_DESCRIPTOR(query, armnn_activation_descriptor_t);
  const armnn_tensor_info_t* out = query->output_infos[0];
  const bool is_unsigned = out->data_type == ARMNN_DATA_TYPE_QASYMM_U8;
  const double zero = out->zero_points[0], scale = (double)out->scales[0];
  const double most = is_unsigned ? 255.0 : 127.0, least = is_unsigned ? 0.0 : -128.0;
  ARMNN_RETURN_IF_ERROR(check_moved(query, reason));
  double low = zero, high = most;
  if (d->function == ARMNN_ACTIVATION_BOUNDED_RELU) {
    low = fmax(least, rint((double)d->b / scale) + zero);
    high = fmin(most, rint((double)d->a / scale) + zero);
  }
  if (low < high) return ARMNN_STATUS_OK;
  REFUSE("XNNPACK needs a lower bound below the upper one");
}

static armnn_status_t check_activation(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_activation_descriptor_t* d = ARMNN_DESCRIPTOR(query, armnn_activation_descriptor_t);
  const armnn_tensor_info_t *in = query->input_infos[0], *out = query->output_infos[0];
  const bool is_unsigned = out->data_type == ARMNN_DATA_TYPE_QASYMM_U8;
  switch (d->function) {
    case ARMNN_ACTIVATION_RELU:
    case ARMNN_ACTIVATION_BOUNDED_RELU:
      return check_clamp(query, reason);
    case ARMNN_ACTIVATION_SIGMOID:
      return check_output(out, 0x1.0p-8f, is_unsigned ? 0 : -128, reason);
    case ARMNN_ACTIVATION_TANH:
      if (d->a != 1.0f || d->b != 1.0f) REFUSE("XNNPACK's tanh has no factors");
      return check_output(out, 0x1.0p-7f, is_unsigned ? 128 : 0, reason);
    case ARMNN_ACTIVATION_ELU:
      if (!is_unsigned && isnormal(d->a) && d->a > 0.0f) return ARMNN_STATUS_OK;
      break;
    case ARMNN_ACTIVATION_LEAKY_RELU:
      if (!is_unsigned || !isnormal(d->a) || d->a <= 0.0f || d->a > 1.0f) break;
      return check_ratio((double)in->scales[0] / (double)out->scales[0], -8, "the input", reason);
    default:
      break;
  }
  REFUSE("no operator for %s of %s with a = %g", armnn_operation_name(query->type, d->function),
         armnn_data_type_name(out->data_type), (double)d->a);
}

static armnn_status_t check_average(const armnn_layer_query_t* query, bool is_global,
                                    armnn_error_t* reason) {
  const armnn_tensor_info_t *in = query->input_infos[0], *out = query->output_infos[0];
  if (!is_global && out->data_type != ARMNN_DATA_TYPE_QASYMM_U8) {
    REFUSE("XNNPACK has no average pooling of quantised int8 but that of whole images");
  }
  return check_ratio((double)in->scales[0] / (double)out->scales[0], -8, "the input", reason);
}

static bool has_weights(int32_t type) {
  return type == ARMNN_LAYER_CONVOLUTION2D || type == ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D ||
         type == ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D || type == ARMNN_LAYER_FULLY_CONNECTED;
}

/* Each tensor has the type of the first of 8 bits, but for weights and what is converted. */
static armnn_status_t check_types(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_tensor_info_t* first = query->input_infos[0];
  const int32_t type = xn_is_8bit(first) ? first->data_type : query->output_infos[0]->data_type;
  const uint32_t inputs = has_weights(query->type) ? 1 : query->input_count;
  for (uint32_t i = 0; i < inputs + query->output_count; ++i) {
    const bool is_input = i < inputs;
    const uint32_t k = is_input ? i : i - inputs;
    const armnn_tensor_info_t* info = is_input ? query->input_infos[k] : query->output_infos[k];
    const bool is_real = query->type == (is_input ? ARMNN_LAYER_QUANTIZE : ARMNN_LAYER_DEQUANTIZE);
    const int32_t wanted = is_real ? ARMNN_DATA_TYPE_FLOAT32 : type;
    if (info->data_type != wanted) {
      REFUSE("%s %u is %s, XNNPACK takes %s here", is_input ? "input" : "output", (unsigned)k,
             armnn_data_type_name(info->data_type), armnn_data_type_name(wanted));
    }
    if (!is_real && (info->quantization_count != 1 || !isnormal(info->scales[0]))) {
      REFUSE("%s %u has no scale that XNNPACK takes", is_input ? "input" : "output", (unsigned)k);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t xn_check_8bit(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_tensor_info_t *in = query->input_infos[0], *out = query->output_infos[0];
  ARMNN_RETURN_IF_ERROR(check_types(query, reason));
  if (has_weights(query->type)) return check_weights(query, reason);
  switch (query->type) {
    case ARMNN_LAYER_QUANTIZE:
    case ARMNN_LAYER_DEQUANTIZE:
      return ARMNN_STATUS_OK;
    case ARMNN_LAYER_ELEMENTWISE_BINARY:
      return check_binary(query, reason);
    case ARMNN_LAYER_ACTIVATION:
      return check_activation(query, reason);
    case ARMNN_LAYER_REDUCE:
      return check_average(query, true, reason);
    case ARMNN_LAYER_POOLING2D:
      if (ARMNN_DESCRIPTOR(query, armnn_pooling2d_descriptor_t)->pool_type !=
          ARMNN_POOLING_AVERAGE) {
        return check_moved(query, reason);
      }
      return check_average(query, xn_is_global_average(query->type, query->descriptor, in), reason);
    case ARMNN_LAYER_SOFTMAX:
      if (out->data_type != ARMNN_DATA_TYPE_QASYMM_U8) REFUSE("XNNPACK has no signed Softmax");
      if (!isnormal(in->scales[0] * ARMNN_DESCRIPTOR(query, armnn_softmax_descriptor_t)->beta) ||
          ARMNN_DESCRIPTOR(query, armnn_softmax_descriptor_t)->beta <= 0.0f) {
        REFUSE("XNNPACK needs a factor above 0");
      }
      return check_output(out, 0x1.0p-8f, 0, reason);
    case ARMNN_LAYER_ELEMENTWISE_UNARY:
      REFUSE("XNNPACK has no such operator of 8 bits");
    default: /* Resize, and what only moves */
      return check_moved(query, reason);
  }
}
