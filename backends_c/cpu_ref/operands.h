/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * operands.h - checks that the three convolutions and FULLY_CONNECTED share.
 */
#ifndef ARMNN_CPU_REF_OPERANDS_H_
#define ARMNN_CPU_REF_OPERANDS_H_

#include "geometry.h"

/* Weights for |outputs| channels, each reading |weight_channels| of the input's. */
static inline armnn_status_t armnn_i_ref_check_groups(const armnn_i_ref_image_t* in,
                                                      int64_t outputs, int64_t weight_channels,
                                                      int64_t groups, armnn_error_t* reason) {
  if (groups < 1) return ARMNN_REF_REFUSE(reason, "the number of groups is 0, dense is 1");
  if (in->channels % groups != 0 || outputs % groups != 0) {
    return ARMNN_REF_REFUSE(reason,
                            "%lld input and %lld output channels do not divide into %lld groups",
                            (long long)in->channels, (long long)outputs, (long long)groups);
  }
  if (in->channels / groups != weight_channels) {
    return ARMNN_REF_REFUSE(
        reason,
        "the weights have %lld input channels per group, the input has %lld channels / %lld groups",
        (long long)weight_channels, (long long)in->channels, (long long)groups);
  }
  return ARMNN_STATUS_OK;
}

/* Input 2 is there exactly if |enabled|, with one value for each of |outputs| channels. */
static inline armnn_status_t armnn_i_ref_check_bias(const armnn_layer_query_t* query,
                                                    uint32_t enabled, int64_t outputs,
                                                    armnn_error_t* reason) {
  const armnn_tensor_info_t* bias = query->input_count > 2 ? query->input_infos[2] : NULL;
  if (!enabled) {
    if (bias == NULL) return ARMNN_STATUS_OK;
    return ARMNN_REF_REFUSE(reason, "there is a bias, but bias_enabled is 0");
  }
  ARMNN_RETURN_IF_ERROR(
      armnn_i_ref_check_tensor(bias, "the bias", ARMNN_DATA_TYPE_FLOAT32, reason));
  return armnn_i_ref_check_side("the bias", "length", (int64_t)bias->element_count,
                                "the weights make outputs", outputs, reason);
}

/* Batch and channels of the output of a convolution. */
static inline armnn_status_t armnn_i_ref_check_output(const armnn_i_ref_image_t* in,
                                                      int64_t outputs,
                                                      const armnn_i_ref_image_t* out,
                                                      armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_side("the output", "batch", out->batch, "the input has",
                                               in->batch, reason));
  return armnn_i_ref_check_side("the output", "channels", out->channels, "the weights make",
                                outputs, reason);
}

#endif /* ARMNN_CPU_REF_OPERANDS_H_ */
