/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * channelwise.h - convolution in which each output channel reads one input channel.
 */
#ifndef ARMNN_CPU_REF_CHANNELWISE_H_
#define ARMNN_CPU_REF_CHANNELWISE_H_

#include "shared/geometry.h"

typedef struct armnn_i_ref_channelwise_t {
  const armnn_kernel_call_t* call;
  const float* input;
  const float* weights;
  const float* bias; /* or null */
  float* output;
  armnn_i_ref_image_t in, out;
  armnn_i_ref_window_t window_y, window_x;
  int64_t multiplier;     /* output channel c reads input channel c / multiplier */
  int64_t weight_channel; /* strides of the weights */
  int64_t weight_y, weight_x;
} armnn_i_ref_channelwise_t;

armnn_status_t armnn_i_ref_channelwise_run(armnn_i_ref_channelwise_t* job, armnn_error_t* error);

#endif /* ARMNN_CPU_REF_CHANNELWISE_H_ */
