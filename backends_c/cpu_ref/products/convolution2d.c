/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * convolution2d.c - CONVOLUTION2D with groups, and DEPTHWISE_CONVOLUTION2D of quantised types,
 * whose groups have one input channel: see convolution.h.
 */
#include "channelwise.h"
#include "convolution.h"
#include "kernels.h"

armnn_status_t armnn_f32_convolution2d__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_convolution2d_descriptor_t);
  const armnn_i_ref_image_t in = armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout);
  const armnn_i_ref_image_t weights = armnn_i_ref_image(ARMNN_IN_INFO(call, 1), d->data_layout);
  const armnn_i_ref_image_t out = armnn_i_ref_image(ARMNN_OUT_INFO(call, 0), d->data_layout);
  const float* bias = d->bias_enabled ? ARMNN_IN(call, 2, float) : NULL;
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  if (d->groups > 1 && weights.channels == 1) {
    armnn_i_ref_channelwise_t job = {call,
                                     ARMNN_IN(call, 0, float),
                                     ARMNN_IN(call, 1, float),
                                     bias,
                                     ARMNN_OUT(call, 0, float),
                                     in,
                                     out,
                                     ARMNN_REF_WINDOW_Y(d, weights.height),
                                     ARMNN_REF_WINDOW_X(d, weights.width),
                                     weights.batch / d->groups,
                                     weights.stride_batch,
                                     weights.stride_y,
                                     weights.stride_x};
    return armnn_i_ref_channelwise_run(&job, error);
  }
  armnn_i_ref_convolution_t job = {.call = call,
                                   .input = ARMNN_IN(call, 0, float),
                                   .weights = ARMNN_IN(call, 1, float),
                                   .bias = bias,
                                   .output = ARMNN_OUT(call, 0, float),
                                   .in = armnn_i_ref_plane(in),
                                   .out = armnn_i_ref_plane(out),
                                   .window_z = ARMNN_REF_ONE_IMAGE,
                                   .window_y = ARMNN_REF_WINDOW_Y(d, weights.height),
                                   .window_x = ARMNN_REF_WINDOW_X(d, weights.width),
                                   .groups = d->groups,
                                   .group_in = weights.channels,
                                   .group_out = weights.batch / d->groups,
                                   .depth = weights.stride_batch,
                                   .weight_row = weights.stride_batch,
                                   .weight_step = 1,
                                   .channels_inside = weights.channel_last};
  return armnn_i_ref_convolve(&job, error);
}

armnn_status_t armnn_q_convolution2d__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_convolution2d_descriptor_t);
  const armnn_i_ref_image_t weights = armnn_i_ref_image(ARMNN_IN_INFO(call, 1), d->data_layout);
  armnn_i_ref_levels_t levels;
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_levels(call, d->bias_enabled != 0, &levels, error));
  armnn_i_ref_convolution_t job = {
      .call = call,
      .in = armnn_i_ref_plane(armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout)),
      .out = armnn_i_ref_plane(armnn_i_ref_image(ARMNN_OUT_INFO(call, 0), d->data_layout)),
      .window_z = ARMNN_REF_ONE_IMAGE,
      .window_y = ARMNN_REF_WINDOW_Y(d, weights.height),
      .window_x = ARMNN_REF_WINDOW_X(d, weights.width),
      .groups = d->groups,
      .group_in = weights.channels,
      .group_out = weights.batch / d->groups,
      .depth = weights.stride_batch,
      .weight_row = weights.stride_batch,
      .weight_step = 1,
      .channels_inside = weights.channel_last,
      .levels = &levels};
  return armnn_i_ref_convolve(&job, error);
}

/* Each input channel is a group; the weights are [1, H, W, I * M]. */
armnn_status_t armnn_q_depthwise_convolution2d__ref(const armnn_kernel_call_t* call,
                                                    armnn_error_t* error) {
  const armnn_depthwise_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_depthwise_convolution2d_descriptor_t);
  const armnn_i_ref_image_t in = armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout);
  const armnn_i_ref_image_t weights =
      armnn_i_ref_image(ARMNN_IN_INFO(call, 1), ARMNN_DATA_LAYOUT_NHWC);
  armnn_i_ref_levels_t levels;
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_levels(call, d->bias_enabled != 0, &levels, error));
  const armnn_i_ref_image_t out = armnn_i_ref_image(ARMNN_OUT_INFO(call, 0), d->data_layout);
  if (levels.sums != NULL) {
    armnn_i_ref_channelwise_t job = {call,
                                     levels.x,
                                     levels.y,
                                     NULL,
                                     levels.sums,
                                     in,
                                     out,
                                     ARMNN_REF_WINDOW_Y(d, weights.height),
                                     ARMNN_REF_WINDOW_X(d, weights.width),
                                     weights.channels / in.channels,
                                     1,
                                     weights.stride_y,
                                     weights.stride_x};
    ARMNN_RETURN_IF_ERROR(armnn_i_ref_channelwise_run(&job, error));
    return armnn_i_ref_levels_store_sums(call, &levels, (uint64_t)out.channels,
                                         (uint64_t)out.stride_channel);
  }
  armnn_i_ref_convolution_t job = {.call = call,
                                   .in = armnn_i_ref_plane(in),
                                   .out = armnn_i_ref_plane(out),
                                   .window_z = ARMNN_REF_ONE_IMAGE,
                                   .window_y = ARMNN_REF_WINDOW_Y(d, weights.height),
                                   .window_x = ARMNN_REF_WINDOW_X(d, weights.width),
                                   .groups = in.channels,
                                   .group_in = 1,
                                   .group_out = weights.channels / in.channels,
                                   .depth = weights.height * weights.width,
                                   .weight_row = 1,
                                   .weight_step = weights.channels,
                                   .channels_inside = 1,
                                   .levels = &levels};
  return armnn_i_ref_convolve(&job, error);
}
