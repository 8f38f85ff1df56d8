#include "armnn/backend_kit.h"

static armnn_status_t add_f32(const armnn_kernel_call_t* call,
                              armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error; /* shapes and types were checked before this kernel was chosen */
  const float *a = ARMNN_IN(call, 0, float), *b = ARMNN_IN(call, 1, float);
  float* y = ARMNN_OUT(call, 0, float);
  for (uint64_t i = 0; i < ARMNN_COUNT(call); ++i) y[i] = a[i] + b[i];
  return ARMNN_STATUS_OK;
}
static const armnn_kernel_t kernels[] = {ARMNN_KERNEL_BINARY(ADD, FLOAT32, add_f32)};
ARMNN_DEFINE_BACKEND("@NAME@", kernels)
