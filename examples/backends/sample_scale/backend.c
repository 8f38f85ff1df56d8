/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Sample_Scale: y = a * x + b. One function, one row; the kit makes a backend of them.
 */
#include "armnn/backend_kit.h"

static armnn_status_t scale_f32(const armnn_kernel_call_t* call,
                                armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error; /* shapes and types were checked before this kernel was chosen */
  const armnn_activation_descriptor_t* layer =
      ARMNN_DESCRIPTOR(call->info, armnn_activation_descriptor_t);
  const float* x = ARMNN_IN(call, 0, float);
  float* y = ARMNN_OUT(call, 0, float);
  for (uint64_t i = 0; i < ARMNN_COUNT(call); ++i) y[i] = layer->a * x[i] + layer->b;
  return ARMNN_STATUS_OK;
}

static const armnn_kernel_t kernels[] = {ARMNN_KERNEL_ACTIVATION(LINEAR, FLOAT32, scale_f32)};
ARMNN_DEFINE_BACKEND("Sample_Scale", kernels)
