/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * check_quantized.c - which layers of quantised numbers of 8 and 16 bits CpuAcc takes. What their
 * constants decide, the compiler finds (compile/read/read_quantized.c).
 */
#include <math.h>

#include "armnn/layer_rules.h"
#include "backend.h"
#include "ops/dense/transpose_phases.h"
#include "ops/ops.h"

#define REFUSE(reason, ...) armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, __VA_ARGS__)

/* Scales of |count| channels, all of which are numbers above 0. */
static bool has_scales(const armnn_tensor_info_t* info, uint64_t count) {
  const bool is_int16 = armnn_i_acc_is_int16(info->data_type);
  if (!is_int16 && !armnn_i_acc_is_8bit(info->data_type)) return false;
  if (info->quantization_count != count) return false;
  const int32_t least = is_int16 ? 0 : armnn_i_acc_least(info->data_type);
  const int32_t most = is_int16 ? 0 : armnn_i_acc_most(info->data_type);
  for (uint64_t i = 0; i < count; ++i) {
    if (!(info->scales[i] > 0.0f && info->scales[i] < INFINITY)) return false;
    if (info->zero_points[i] < least || info->zero_points[i] > most) return false;
  }
  return true;
}

static bool is_int16(const armnn_tensor_info_t* info) {
  return info != NULL && armnn_i_acc_is_int16(info->data_type);
}

/* Whether the layer computes with numbers of 16 bits. */
static bool has_int16(const armnn_layer_query_t* query) {
  return is_int16(query->input_infos[0]) || is_int16(query->output_infos[0]);
}

/* A tensor of bytes. */
static armnn_status_t check_bytes(const armnn_tensor_info_t* info, const char* what,
                                  armnn_error_t* reason) {
  if (!is_int16(info) && has_scales(info, 1)) return ARMNN_STATUS_OK;
  return REFUSE(reason, "%s is %s, the kernel takes quantised bytes of one scale", what,
                armnn_data_type_name(info->data_type));
}

static armnn_status_t check_int16(const armnn_tensor_info_t* info, const char* what,
                                  armnn_error_t* reason) {
  if (is_int16(info) && has_scales(info, 1)) return ARMNN_STATUS_OK;
  return REFUSE(reason, "%s is %s, the kernel takes quantised int16 of one scale throughout", what,
                armnn_data_type_name(info->data_type));
}

/* A tensor of the layer: of bytes, or of 16 bits if one of them has these. */
static armnn_status_t check_tensor(const armnn_layer_query_t* query,
                                   const armnn_tensor_info_t* info, const char* what,
                                   armnn_error_t* reason) {
  return has_int16(query) ? check_int16(info, what, reason) : check_bytes(info, what, reason);
}

static armnn_status_t check_operands(const armnn_layer_query_t* query, armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(check_tensor(query, query->input_infos[0], "input 0", reason));
  return check_tensor(query, query->output_infos[0], "the output", reason);
}

static armnn_status_t refuse_int16(const armnn_layer_query_t* query, armnn_error_t* reason) {
  if (!has_int16(query)) return ARMNN_STATUS_OK;
  return REFUSE(reason, "no kernel for quantised int16, the kernel takes quantised bytes");
}

/* Whether the weights are symmetric numbers of 8 bits. */
static bool are_symmetric(const armnn_tensor_info_t* weights) {
  if (!armnn_i_acc_is_8bit(weights->data_type)) return false;
  for (uint64_t i = 0; i < weights->quantization_count; ++i) {
    if (weights->zero_points[i] != 0) return false;
  }
  return weights->data_type != ARMNN_DATA_TYPE_QASYMM_U8;
}

static bool is_constant(const armnn_tensor_info_t* info) {
  return (info->flags & ARMNN_TENSOR_CONSTANT) != 0;
}

/* Products with weights. */
static armnn_status_t check_product(const armnn_layer_query_t* query, armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(check_operands(query, reason));
  ARMNN_RETURN_IF_ERROR(armnn_rule_weight_scales(query, reason));
  const armnn_tensor_info_t* weights = query->input_infos[1];
  const armnn_tensor_info_t* bias = query->input_count > 2 ? query->input_infos[2] : NULL;
  if (is_int16(weights) || weights->quantization_count == 0 ||
      !has_scales(weights, weights->quantization_count)) {
    return REFUSE(reason, "the kernel takes weights of quantised bytes with scales above 0");
  }
  if (has_int16(query) && !are_symmetric(weights)) {
    return REFUSE(reason,
                  "the weights are %s, the kernel for quantised int16 takes zero points of 0",
                  armnn_data_type_name(weights->data_type));
  }
  const bool is_wide = bias != NULL && bias->data_type == ARMNN_DATA_TYPE_SIGNED64;
  if (bias != NULL && bias->data_type != ARMNN_DATA_TYPE_SIGNED32 &&
      !(is_wide && has_int16(query))) {
    return REFUSE(reason, "the bias is %s, the kernel takes int32",
                  armnn_data_type_name(bias->data_type));
  }
  return ARMNN_STATUS_OK;
}

static bool are_constant(const armnn_layer_query_t* query) {
  return is_constant(query->input_infos[1]) &&
         (query->input_count < 3 || query->input_infos[2] == NULL ||
          is_constant(query->input_infos[2]));
}

static armnn_status_t refuse_computed(armnn_error_t* reason) {
  return REFUSE(reason,
                "weights or bias are not constant: they are packed when the network is "
                "loaded");
}

/* Of taps that are |dilation| apart; 0 means none. */
static uint64_t reach(uint64_t taps, uint32_t dilation) {
  return (taps - 1) * (dilation == 0 ? 1 : dilation) + 1;
}

static armnn_status_t check_sight(const armnn_layer_query_t* query, uint64_t lines,
                                  uint64_t padding, int32_t data_layout, armnn_error_t* reason) {
  const uint64_t* image = query->input_infos[0]->dims;
  const bool is_nchw = data_layout == ARMNN_DATA_LAYOUT_NCHW;
  const uint64_t channels = image[is_nchw ? 1 : 3], pixels = image[is_nchw ? 3 : 2] + padding;
  if (armnn_i_acc_is_seen((int64_t)lines, (int64_t)pixels, (int64_t)channels)) {
    return ARMNN_STATUS_OK;
  }
  return REFUSE(reason, "a line of the output sees %llu lines of %llu pixels, padding included",
                (unsigned long long)lines, (unsigned long long)pixels);
}

bool armnn_i_acc_is_small_window(const armnn_layer_query_t* query) {
  enum { MOST_PLACES = 1024 };
  const bool is_dense = query->type == ARMNN_LAYER_CONVOLUTION2D;
  const armnn_convolution2d_descriptor_t* d = (const void*)query->descriptor;
  const uint64_t* sides = query->input_infos[1]->dims; /* [O, I, H, W], or H and W in the middle */
  const uint32_t first = is_dense && d->data_layout == ARMNN_DATA_LAYOUT_NCHW ? 2 : 1;
  return sides[first] <= MOST_PLACES && sides[first + 1] <= MOST_PLACES / sides[first];
}

/* Computed weights or bias make a product of slices (compile/read/read_computed_levels.c). */
static armnn_status_t check_slices(const armnn_layer_query_t* query, armnn_error_t* reason) {
  return armnn_i_acc_is_small_window(query) ? ARMNN_STATUS_OK : refuse_computed(reason);
}

static armnn_status_t check_convolution(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_convolution2d_descriptor_t* d = (const void*)query->descriptor;
  const uint32_t y = d->data_layout == ARMNN_DATA_LAYOUT_NCHW ? 2 : 1;
  ARMNN_RETURN_IF_ERROR(check_product(query, reason));
  if (!are_constant(query)) return check_slices(query, reason);
  const uint64_t lines = reach(query->input_infos[1]->dims[y], d->dilation_y);
  return check_sight(query, lines, (uint64_t)d->pad_left + d->pad_right, d->data_layout, reason);
}

static armnn_status_t check_depthwise(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_depthwise_convolution2d_descriptor_t* d = (const void*)query->descriptor;
  ARMNN_RETURN_IF_ERROR(check_product(query, reason));
  if (!are_constant(query)) return check_slices(query, reason);
  const uint64_t lines = reach(query->input_infos[1]->dims[1], d->dilation_y);
  return check_sight(query, lines, (uint64_t)d->pad_left + d->pad_right, d->data_layout, reason);
}

static armnn_status_t check_fully_connected(const armnn_layer_query_t* query,
                                            armnn_error_t* reason) {
  return check_product(query, reason);
}

static armnn_status_t check_activation(const armnn_layer_query_t* query, armnn_error_t* reason) {
  return check_operands(query, reason);
}

static armnn_status_t check_binary(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_elementwise_binary_descriptor_t* d = (const void*)query->descriptor;
  ARMNN_RETURN_IF_ERROR(check_operands(query, reason));
  ARMNN_RETURN_IF_ERROR(check_tensor(query, query->input_infos[1], "input 1", reason));
  if (d->operation == ARMNN_BINARY_ADD || d->operation == ARMNN_BINARY_SUB ||
      d->operation == ARMNN_BINARY_MUL) {
    return ARMNN_STATUS_OK;
  }
  return REFUSE(reason, "%s has no kernel for quantised numbers",
                armnn_operation_name(query->type, d->operation));
}

static armnn_status_t check_pooling(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_pooling2d_descriptor_t* d = (const void*)query->descriptor;
  if (d->pool_type != ARMNN_POOLING_MAX && d->pool_type != ARMNN_POOLING_AVERAGE) {
    return REFUSE(reason, "no kernel for this pooling of quantised numbers");
  }
  ARMNN_RETURN_IF_ERROR(check_operands(query, reason));
  if (!has_int16(query) || query->input_infos[0]->scales[0] == query->output_infos[0]->scales[0]) {
    return ARMNN_STATUS_OK;
  }
  return REFUSE(reason, "the output has another scale, which pooling of quantised int16 keeps");
}

/* Whether some pixels along an axis get the bias alone: a convolution without taps is not made. */
static bool has_bare_phase(uint64_t output, uint64_t taps, uint32_t stride, uint32_t dilation,
                           uint32_t pad) {
  const int64_t step = dilation == 0 ? 1 : dilation;
  for (uint32_t phase = 0; phase < stride && phase < output; ++phase) {
    if (armnn_i_acc_phase_of(phase, stride, step, (int64_t)taps, pad, (int64_t)output).size == 0) {
      return true;
    }
  }
  return false;
}

/* A phase of the output's pixels sees as many lines as a window of its taps would. */
static armnn_status_t check_transpose_convolution(const armnn_layer_query_t* query,
                                                  armnn_error_t* reason) {
  const armnn_transpose_convolution2d_descriptor_t* d = (const void*)query->descriptor;
  const bool is_nchw = d->data_layout == ARMNN_DATA_LAYOUT_NCHW;
  const uint64_t* weights = query->input_infos[1]->dims;
  ARMNN_RETURN_IF_ERROR(check_product(query, reason));
  if (!are_constant(query)) return refuse_computed(reason);
  const uint64_t* kernel = weights + (is_nchw ? 2 : 1);
  const uint64_t* out = query->output_infos[0]->dims + (is_nchw ? 2 : 1);
  if (d->stride_y > ARMNN_ACC_MOST_PHASES || d->stride_x > ARMNN_ACC_MOST_PHASES ||
      has_bare_phase(out[0], kernel[0], d->stride_y, d->dilation_y, d->pad_top) ||
      has_bare_phase(out[1], kernel[1], d->stride_x, d->dilation_x, d->pad_left)) {
    return REFUSE(reason, "strides of %ux%u leave pixels that no weight reaches, or are too large",
                  d->stride_y, d->stride_x);
  }
  const uint64_t lines = reach(kernel[0], d->dilation_y);
  const uint64_t padding = reach(kernel[1], d->dilation_x) + out[1];
  return check_sight(query, lines, padding, d->data_layout, reason);
}

static armnn_status_t check_batch_mat_mul(const armnn_layer_query_t* query, armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(refuse_int16(query, reason));
  ARMNN_RETURN_IF_ERROR(check_operands(query, reason));
  return check_tensor(query, query->input_infos[1], "input 1", reason);
}

static armnn_status_t check_reduce(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_reduce_descriptor_t* d = (const void*)query->descriptor;
  if (has_int16(query) && d->operation != ARMNN_REDUCE_MEAN) {
    return REFUSE(reason, "%s has no kernel for quantised int16",
                  armnn_operation_name(query->type, d->operation));
  }
  if (d->operation != ARMNN_REDUCE_PROD) return check_operands(query, reason);
  return REFUSE(reason, "no kernel for products of quantised bytes");
}

static armnn_status_t check_resize(const armnn_layer_query_t* query, armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(refuse_int16(query, reason));
  return check_operands(query, reason);
}

static armnn_status_t check_unary(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_elementwise_unary_descriptor_t* d = (const void*)query->descriptor;
  if (armnn_i_acc_has_each(d->operation, ARMNN_DATA_TYPE_FLOAT32)) {
    return check_operands(query, reason);
  }
  return REFUSE(reason, "%s has no kernel for quantised numbers",
                armnn_operation_name(query->type, d->operation));
}

static armnn_status_t check_softmax(const armnn_layer_query_t* query, armnn_error_t* reason) {
  return check_operands(query, reason);
}

/* Of either size. */
static armnn_status_t check_number(const armnn_tensor_info_t* info, const char* what,
                                   armnn_error_t* reason) {
  return is_int16(info) ? check_int16(info, what, reason) : check_bytes(info, what, reason);
}

static armnn_status_t check_quantize(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_tensor_info_t* input = query->input_infos[0];
  if (input->data_type != ARMNN_DATA_TYPE_FLOAT32) {
    ARMNN_RETURN_IF_ERROR(check_number(input, "input 0", reason));
  }
  return check_number(query->output_infos[0], "the output", reason);
}

static armnn_status_t check_dequantize(const armnn_layer_query_t* query, armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(check_number(query->input_infos[0], "input 0", reason));
  const int32_t type = query->output_infos[0]->data_type;
  if (type == ARMNN_DATA_TYPE_FLOAT32) return ARMNN_STATUS_OK;
  return REFUSE(reason, "the output is %s, the kernel makes float32", armnn_data_type_name(type));
}

/* Cells in integers: QLSTM, and sequences of them. Those of real numbers that are stored in 8 bits
 * CpuRef computes in float32. */
static armnn_status_t check_lstm(const armnn_layer_query_t* query, armnn_error_t* reason) {
  enum { TANH = 4 }; /* as TensorFlow Lite numbers it */
  if (query->type == ARMNN_LAYER_UNIDIRECTIONAL_SEQUENCE_LSTM) {
    const armnn_lstm_descriptor_t* d = (const void*)query->descriptor;
    if (d->activation_function != TANH) {
      return REFUSE(reason, "activation function %u, LSTMs in integers have 4 (tanh)",
                    (unsigned)d->activation_function);
    }
  }
  ARMNN_RETURN_IF_ERROR(armnn_lstm_int8_rule(query, reason));
  for (uint32_t i = ARMNN_LSTM_INPUT_WEIGHTS; i < query->input_count; ++i) {
    const armnn_tensor_info_t* info = query->input_infos[i];
    if (info == NULL || (info->flags & ARMNN_TENSOR_CONSTANT) != 0) continue;
    return REFUSE(reason,
                  "weights or bias values are not constant: they are packed when the network is "
                  "loaded");
  }
  return ARMNN_STATUS_OK;
}

/* By layer type. */
static const armnn_kernel_supports_fn_t checks[] = {
#define QUANTIZED(type, reader, check) [ARMNN_LAYER_##type] = check_##check,
#include "compile/kinds.inc"
#undef QUANTIZED
};

bool armnn_i_acc_is_quantized(const armnn_layer_query_t* query) {
  const size_t count = sizeof checks / sizeof checks[0];
  if (query->type < 0 || (size_t)query->type >= count || checks[query->type] == NULL) return false;
  const armnn_tensor_info_t* input = query->input_count > 0 ? query->input_infos[0] : NULL;
  const armnn_tensor_info_t* output = query->output_count > 0 ? query->output_infos[0] : NULL;
  return (input != NULL && armnn_i_acc_is_8bit(input->data_type)) ||
         (output != NULL && armnn_i_acc_is_8bit(output->data_type)) || is_int16(input) ||
         is_int16(output);
}

armnn_status_t armnn_i_acc_check_quantized(const armnn_layer_query_t* query,
                                           armnn_error_t* reason) {
  return checks[query->type](query, reason);
}
