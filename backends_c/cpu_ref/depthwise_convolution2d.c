/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * depthwise_convolution2d.c - DEPTHWISE_CONVOLUTION2D: weights [1, H, W, I * M] in both layouts.
 */
#include "channelwise.h"
#include "kernels.h"
#include "operands.h"

armnn_status_t armnn_i_ref_depthwise_convolution2d_supports(const armnn_layer_query_t* query,
                                                            armnn_error_t* reason) {
  typedef armnn_depthwise_convolution2d_descriptor_t descriptor_t;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_descriptor(query, sizeof(descriptor_t), reason));
  const descriptor_t* d = ARMNN_DESCRIPTOR(query, descriptor_t);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_layout(d->data_layout, reason));
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_counts(query, 2, 3, 1, reason));
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_rank4(query->input_infos[0], "the input", reason));
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_rank4(query->input_infos[1], "the weights", reason));
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_rank4(query->output_infos[0], "the output", reason));
  const armnn_i_ref_image_t in = armnn_i_ref_image(query->input_infos[0], d->data_layout);
  const armnn_i_ref_image_t weights =
      armnn_i_ref_image(query->input_infos[1], ARMNN_DATA_LAYOUT_NHWC);
  const armnn_i_ref_image_t out = armnn_i_ref_image(query->output_infos[0], d->data_layout);
  if (weights.batch != 1) {
    return ARMNN_REF_REFUSE(reason,
                            "the weights' first dimension is %lld, depthwise weights are "
                            "[1, height, width, input channels * multiplier]",
                            (long long)weights.batch);
  }
  if (in.channels == 0 ? weights.channels != 0
                       : weights.channels % in.channels != 0 || weights.channels == 0) {
    return ARMNN_REF_REFUSE(reason,
                            "the weights have %lld channels, which is no multiple of the input's "
                            "%lld",
                            (long long)weights.channels, (long long)in.channels);
  }
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_bias(query, d->bias_enabled, weights.channels, reason));
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_output(&in, weights.channels, &out, reason));
  const armnn_i_ref_window_t wy = ARMNN_REF_WINDOW_Y(d, weights.height);
  const armnn_i_ref_window_t wx = ARMNN_REF_WINDOW_X(d, weights.width);
  ARMNN_RETURN_IF_ERROR(
      armnn_i_ref_check_window_output(&wy, "height", in.height, out.height, reason));
  return armnn_i_ref_check_window_output(&wx, "width", in.width, out.width, reason);
}

armnn_status_t armnn_f32_depthwise_convolution2d__ref(const armnn_kernel_call_t* call,
                                                      armnn_error_t* error) {
  const armnn_depthwise_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_depthwise_convolution2d_descriptor_t);
  const armnn_i_ref_image_t in = armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout);
  const armnn_i_ref_image_t weights =
      armnn_i_ref_image(ARMNN_IN_INFO(call, 1), ARMNN_DATA_LAYOUT_NHWC);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  armnn_i_ref_channelwise_t job = {call,
                                   ARMNN_IN(call, 0, float),
                                   ARMNN_IN(call, 1, float),
                                   d->bias_enabled ? ARMNN_IN(call, 2, float) : NULL,
                                   ARMNN_OUT(call, 0, float),
                                   in,
                                   armnn_i_ref_image(ARMNN_OUT_INFO(call, 0), d->data_layout),
                                   ARMNN_REF_WINDOW_Y(d, weights.height),
                                   ARMNN_REF_WINDOW_X(d, weights.width),
                                   weights.channels / in.channels,
                                   1,
                                   weights.stride_y,
                                   weights.stride_x};
  return armnn_i_ref_channelwise_run(&job, error);
}
