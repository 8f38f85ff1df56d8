/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kernels.h - declares every kernel and every support function of the reference backend.
 *
 * The .inc files list them, one row a line; this file turns the rows into prototypes and entry.c
 * turns them into the table. A kernel is called armnn_<type>_<operation>__ref, its support function
 * armnn_i_ref_<operation>_supports. Support functions vouch for the kernels: a query that passes
 * never makes the kernel leave its tensors, so kernels check nothing.
 */
#ifndef ARMNN_CPU_REF_KERNELS_H_
#define ARMNN_CPU_REF_KERNELS_H_

#include "armnn/backend_kit.h"

#define ARMNN_REF_SUPPORTS(function) \
  armnn_status_t function(const armnn_layer_query_t* query, armnn_error_t* reason);
#define ARMNN_REF_KERNEL(layer, operation, type, execute, supports) \
  armnn_status_t execute(const armnn_kernel_call_t* call, armnn_error_t* error);

#define ARMNN_REF_KERNEL_IN_PLACE(layer, operation, type, execute, supports) \
  ARMNN_REF_KERNEL(layer, operation, type, execute, supports)

#include "kernels_neural.inc"
#include "kernels_tensor.inc"

#undef ARMNN_REF_SUPPORTS
#undef ARMNN_REF_KERNEL
#undef ARMNN_REF_KERNEL_IN_PLACE

/* Lets the output take the memory of any input with as many elements of the same size. */
armnn_status_t armnn_i_ref_prepare_in_place(const armnn_workload_info_t* info,
                                            const armnn_host_t* host, void** out_prepared,
                                            armnn_workload_requirements_t* requirements,
                                            armnn_error_t* error);

#endif /* ARMNN_CPU_REF_KERNELS_H_ */
