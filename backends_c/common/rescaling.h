/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rescaling.h - whose arithmetic a quantised layer follows, by its descriptor.
 */
#ifndef ARMNN_COMMON_RESCALING_H_
#define ARMNN_COMMON_RESCALING_H_

#include "armnn/descriptors.h"

/* The rescaling of a layer; those whose descriptor does not say it have but one. */
static inline int32_t armnn_rescaling(int32_t layer_type, const void* descriptor) {
  switch (layer_type) {
#define ARMNN_I_RESCALING_OF(type, name) \
  case ARMNN_LAYER_##type:               \
    return ((const armnn_##name##_descriptor_t*)descriptor)->rescaling
    ARMNN_I_RESCALING_OF(ACTIVATION, activation);
    ARMNN_I_RESCALING_OF(BATCH_MAT_MUL, batch_mat_mul);
    ARMNN_I_RESCALING_OF(CONVOLUTION2D, convolution2d);
    ARMNN_I_RESCALING_OF(DEPTHWISE_CONVOLUTION2D, depthwise_convolution2d);
    ARMNN_I_RESCALING_OF(ELEMENTWISE_BINARY, elementwise_binary);
    ARMNN_I_RESCALING_OF(FULLY_CONNECTED, fully_connected);
    ARMNN_I_RESCALING_OF(POOLING2D, pooling2d);
    ARMNN_I_RESCALING_OF(REDUCE, reduce);
    ARMNN_I_RESCALING_OF(TRANSPOSE_CONVOLUTION2D, transpose_convolution2d);
#undef ARMNN_I_RESCALING_OF
    default:
      return ARMNN_RESCALING_FIXED_POINT;
  }
}

#endif /* ARMNN_COMMON_RESCALING_H_ */
