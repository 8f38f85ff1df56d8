/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * by_type.h - what kernels of several data types have in common: their definition.
 */
#ifndef ARMNN_CPU_REF_BY_TYPE_H_
#define ARMNN_CPU_REF_BY_TYPE_H_

#include "broadcast.h"

/* Defines kernel armnn_<type>_<layer>__ref: it answers |status|, written in |call|. */
#define ARMNN_REF_DEFINE_KERNEL(type, layer, status)                            \
  armnn_status_t armnn_##type##_##layer##__ref(const armnn_kernel_call_t* call, \
                                               armnn_error_t* error) {          \
    (void)error;                                                                \
    return status;                                                              \
  }

#endif /* ARMNN_CPU_REF_BY_TYPE_H_ */
