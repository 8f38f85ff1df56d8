/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * depthwise_convolution2d.c - DEPTHWISE_CONVOLUTION2D: weights [1, H, W, I * M] in both layouts.
 */
#include "channelwise.h"
#include "kernels.h"

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
