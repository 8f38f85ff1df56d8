/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kernels.h - declares every kernel of the reference backend, and their table.
 *
 * kernels.inc lists them, one row a line; this file turns the rows into prototypes and entry.c
 * turns them into the table. A kernel is called armnn_<type>_<operation>__ref. Kernels check
 * nothing that the host guarantees of a layer ("Layers" in backend_api.h), and nothing that the
 * support function of their row has checked.
 */
#ifndef ARMNN_CPU_REF_KERNELS_H_
#define ARMNN_CPU_REF_KERNELS_H_

#include "armnn/layer_rules.h"

#define ARMNN_REF_KERNEL(layer, type, execute, supports) \
  armnn_status_t execute(const armnn_kernel_call_t* call, armnn_error_t* error);
#define ARMNN_REF_KERNEL_IN_PLACE ARMNN_REF_KERNEL
#define ARMNN_REF_KERNEL_LEVELS(layer, execute) ARMNN_REF_KERNEL(layer, ANY, execute, )
#define ARMNN_REF_KERNEL_DECODED(layer, execute, prepare) ARMNN_REF_KERNEL(layer, ANY, execute, )
#define ARMNN_REF_KERNEL_PREPARED(layer, type, execute, supports, prepare) \
  ARMNN_REF_KERNEL(layer, type, execute, )
#define ARMNN_REF_KERNEL_RECURRENT(layer, execute, supports, prepare) \
  ARMNN_REF_KERNEL(layer, ANY, execute, )
#define ARMNN_REF_KERNEL_HALVES(layer, operation, supports)
#define ARMNN_REF_KERNEL_REALS(layer, operation, supports)
#include "kernels.inc"
#undef ARMNN_REF_KERNEL
#undef ARMNN_REF_KERNEL_IN_PLACE
#undef ARMNN_REF_KERNEL_LEVELS
#undef ARMNN_REF_KERNEL_DECODED
#undef ARMNN_REF_KERNEL_RECURRENT
#undef ARMNN_REF_KERNEL_PREPARED
#undef ARMNN_REF_KERNEL_HALVES
#undef ARMNN_REF_KERNEL_REALS

/* Limits of kernels in place of the rules of their layers. */
armnn_status_t armnn_i_ref_elementwise_unary_supports(const armnn_layer_query_t* query,
                                                      armnn_error_t* reason);
armnn_status_t armnn_i_ref_normalization_supports(const armnn_layer_query_t* query,
                                                  armnn_error_t* reason);
armnn_status_t armnn_i_ref_scatter_nd_supports(const armnn_layer_query_t* query,
                                               armnn_error_t* reason);
armnn_status_t armnn_i_ref_fill_supports(const armnn_layer_query_t* query, armnn_error_t* reason);

/* Ask for the scratch of DETECTION_POST_PROCESS and NON_MAX_SUPPRESSION. */
armnn_status_t armnn_i_ref_prepare_detections(const armnn_workload_info_t* info,
                                              const armnn_host_t* host, armnn_backend_t* backend,
                                              void** out_prepared,
                                              armnn_workload_requirements_t* requirements,
                                              armnn_error_t* error);
armnn_status_t armnn_i_ref_prepare_suppression(const armnn_workload_info_t* info,
                                               const armnn_host_t* host, armnn_backend_t* backend,
                                               void** out_prepared,
                                               armnn_workload_requirements_t* requirements,
                                               armnn_error_t* error);

/* Kernels read shapes when they run; says where that is not enough. */
armnn_status_t armnn_i_ref_takes_bounded(const armnn_layer_query_t* query, armnn_error_t* reason);

/* Lets the output take the memory of any input with as many elements of the same size. */
armnn_status_t armnn_i_ref_prepare_in_place(const armnn_workload_info_t* info,
                                            const armnn_host_t* host, armnn_backend_t* backend,
                                            void** out_prepared,
                                            armnn_workload_requirements_t* requirements,
                                            armnn_error_t* error);

#endif /* ARMNN_CPU_REF_KERNELS_H_ */
