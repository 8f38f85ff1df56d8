/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * reverse.c - REVERSE_V2: elements of any type in reverse order along the axes that operand 1
 * names. Axes that were not known before the run are checked here.
 */
#include "kernels.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

armnn_status_t armnn_any_reverse_v2__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t* x = ARMNN_IN_INFO(call, 0);
  const int32_t rank = (int32_t)x->rank, *axes = ARMNN_IN(call, 1, int32_t);
  const uint32_t size = armnn_data_type_size(x->data_type);
  int64_t strides[ARMNN_MAX_DIMS], turned[ARMNN_MAX_DIMS], start = 0;
  uint32_t seen = 0;
  armnn_dense_strides(x->dims, x->rank, strides);
  memcpy(turned, strides, sizeof turned);
  for (uint64_t i = 0; i < ARMNN_IN_INFO(call, 1)->element_count; ++i) {
    if (axes[i] < -rank || axes[i] >= rank) {
      return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "axis %d of %d dimensions is to be reversed", (int)axes[i], (int)rank);
    }
    const uint32_t axis = armnn_axis(axes[i], x->rank);
    if (seen >> axis & 1u) {
      return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "axis %d is to be reversed twice",
                        (int)axis);
    }
    seen |= 1u << axis;
    start += ((int64_t)x->dims[axis] - 1) * strides[axis];
    turned[axis] = -strides[axis];
  }
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  return armnn_copy_strided(call->host, size, x->rank, x->dims, call->outputs[0], strides,
                            ARMNN_IN(call, 0, unsigned char) + start * (int64_t)size, turned);
}
