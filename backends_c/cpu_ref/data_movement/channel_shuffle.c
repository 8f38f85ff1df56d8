/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * channel_shuffle.c - CHANNEL_SHUFFLE of elements of any type: the channels as a matrix of groups,
 * transposed.
 */
#include "kernels.h"
#include "shared/axis.h"
#include "tensor_copy.h"

armnn_status_t armnn_any_channel_shuffle__ref(const armnn_kernel_call_t* call,
                                              armnn_error_t* error) {
  (void)error;
  const armnn_channel_shuffle_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_channel_shuffle_descriptor_t);
  const armnn_tensor_info_t* x = ARMNN_IN_INFO(call, 0);
  const armnn_i_ref_axis_t view = armnn_i_ref_axis(x, d->axis);
  const uint64_t groups = d->group_count, each = view.length / groups;
  const int64_t inner = (int64_t)view.inner;
  const uint64_t dims[] = {view.outer, each, groups, view.inner};
  const int64_t outer = (int64_t)view.length * inner;
  return armnn_copy_strided(call->host, armnn_data_type_size(x->data_type), 4, dims,
                            call->outputs[0], (int64_t[]){outer, (int64_t)groups * inner, inner, 1},
                            call->inputs[0], (int64_t[]){outer, inner, (int64_t)each * inner, 1});
}
