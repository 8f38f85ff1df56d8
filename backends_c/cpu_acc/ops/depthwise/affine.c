/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * affine.c - a scale and a shift for each index of the last dimension: a depthwise convolution of
 * one tap.
 */
#include "ops/op_base.h"

/* All but the last dimension as one: rows of an image of height 1. False if strides do not fit. */
static bool as_rows(const armnn_i_acc_tensor_t* tensor, armnn_i_acc_tensor_t* out_rows) {
  const uint32_t last = tensor->rank - 1;
  int64_t count = 1, stride = 0;
  for (uint32_t d = last; d-- > 0;) {
    if (tensor->dims[d] == 1) continue;
    if (count == 1) {
      stride = tensor->strides[d];
    } else if (tensor->strides[d] != stride * count) {
      return false;
    }
    count *= tensor->dims[d];
  }
  const int64_t size = tensor->element.size;
  if (count == 1) stride = tensor->dims[last] * size;
  *out_rows = *tensor;
  out_rows->rank = 4;
  const int64_t dims[] = {1, 1, count, tensor->dims[last]};
  const int64_t strides[] = {stride * count, stride * count, stride, size};
  memcpy(out_rows->dims, dims, sizeof dims);
  memcpy(out_rows->strides, strides, sizeof strides);
  return true;
}

armnn_status_t armnn_i_acc_make_affine(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_affine_t* what,
                                       armnn_i_acc_op_t** out_op) {
  const int64_t channels = what->output.dims[what->output.rank - 1];
  const armnn_i_acc_tensor_t scales = {
      .element = ARMNN_ACC_FLOAT32,
      .rank = 4,
      .dims = {channels, 1, 1, 1},
      .strides = {sizeof(float), sizeof(float), sizeof(float), sizeof(float)},
      .values = what->scale,
  };
  armnn_i_acc_convolution_t image = armnn_i_acc_pointwise(scales, what->shift, channels);
  image.epilogue = what->epilogue;
  bool rows = as_rows(&what->input, &image.input) && as_rows(&what->output, &image.output);
  if (what->epilogue.has_residual) {
    rows = rows && as_rows(&what->epilogue.residual, &image.epilogue.residual);
  }
  if (!rows) {
    if (what->output.rank != 4) return ARMNN_STATUS_UNSUPPORTED;
    image.input = what->input;
    image.output = what->output;
    image.epilogue = what->epilogue;
  }
  return armnn_i_acc_make_depthwise(maker, &image, out_op);
}
