/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * entry.c - the reference backend "CpuRef": the table of kernels and the three entry points.
 */
#include "armnn/backend_kit.h"
#include "kernels.h"

#define ARMNN_REF_SUPPORTS(function)
#define ARMNN_REF_KERNEL(layer, operation, type, execute, supports) \
  ARMNN_KERNEL_FULL(layer, operation, type, execute, supports, NULL, NULL),
#define ARMNN_REF_KERNEL_IN_PLACE(layer, operation, type, execute, supports) \
  ARMNN_KERNEL_FULL(layer, operation, type, execute, supports, armnn_i_ref_prepare_in_place, NULL),

static const armnn_kernel_t kernels[] = {
#include "kernels_neural.inc"
#include "kernels_tensor.inc"
};

#undef ARMNN_REF_SUPPORTS
#undef ARMNN_REF_KERNEL
#undef ARMNN_REF_KERNEL_IN_PLACE

ARMNN_DEFINE_BACKEND_EX("CpuRef", kernels, 0, "0.1.0",
                        "Reference backend: plain C on one or more CPU threads")
