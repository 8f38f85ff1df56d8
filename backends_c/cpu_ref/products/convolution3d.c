/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * convolution3d.c - CONVOLUTION3D with weights [D, H, W, I, O]: see convolution.h.
 */
#include "convolution.h"
#include "kernels.h"

/* What float32 and quantised types have in common. */
static armnn_i_ref_convolution_t job_of(const armnn_kernel_call_t* call) {
  const armnn_convolution3d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_convolution3d_descriptor_t);
  const uint64_t* kernel = ARMNN_IN_INFO(call, 1)->dims;
  const int64_t inputs = (int64_t)kernel[3], outputs = (int64_t)kernel[4];
  return (armnn_i_ref_convolution_t){
      .call = call,
      .in = armnn_i_ref_volume(ARMNN_IN_INFO(call, 0), d->data_layout),
      .out = armnn_i_ref_volume(ARMNN_OUT_INFO(call, 0), d->data_layout),
      .window_z = ARMNN_REF_WINDOW_Z(d, (int64_t)kernel[0]),
      .window_y = ARMNN_REF_WINDOW_Y(d, (int64_t)kernel[1]),
      .window_x = ARMNN_REF_WINDOW_X(d, (int64_t)kernel[2]),
      .groups = 1,
      .group_in = inputs,
      .group_out = outputs,
      .depth = (int64_t)(kernel[1] * kernel[2]) * inputs,
      .weight_row = 1,
      .weight_step = outputs,
      .channels_inside = 1};
}

armnn_status_t armnn_f32_convolution3d__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  armnn_i_ref_convolution_t job = job_of(call);
  job.input = ARMNN_IN(call, 0, float);
  job.weights = ARMNN_IN(call, 1, float);
  job.output = ARMNN_OUT(call, 0, float);
  if (ARMNN_DESCRIPTOR(call->info, armnn_convolution3d_descriptor_t)->bias_enabled) {
    job.bias = ARMNN_IN(call, 2, float);
  }
  return armnn_i_ref_convolve(&job, error);
}

armnn_status_t armnn_q_convolution3d__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const uint32_t has_bias =
      ARMNN_DESCRIPTOR(call->info, armnn_convolution3d_descriptor_t)->bias_enabled;
  armnn_i_ref_levels_t levels;
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_levels(call, has_bias != 0, &levels, error));
  armnn_i_ref_convolution_t job = job_of(call);
  job.levels = &levels;
  return armnn_i_ref_convolve(&job, error);
}
