/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * widened.h - a float32 kernel on tensors of float16, bfloat16 and quantised types.
 *
 * Operands are decoded (codec.h) into float32 copies in the workload's scratch, the kernel runs on
 * these, and what it computed is encoded: real arithmetic that rounds once, as "Numbers" in
 * armnn/descriptors.h defines layers. Operands of integers and booleans (indices, axes) stay as
 * they are. A row of kernels.inc that ends in _HALVES or _REALS is all that a float32 kernel needs.
 */
#ifndef ARMNN_CPU_REF_WIDENED_H_
#define ARMNN_CPU_REF_WIDENED_H_

#include "armnn/backend_kit.h"

/* The most inputs and outputs, counted together, of a layer that is widened. */
enum { ARMNN_REF_WIDENED_OPERANDS = 32 };

/* Runs |kernel|. What it asked for itself lies in the scratch behind the copies. */
armnn_status_t armnn_i_ref_widened(const armnn_kernel_call_t* call,
                                   armnn_kernel_execute_fn_t kernel, armnn_error_t* error);

/* The same on levels (armnn_i_ref_codec_of_levels) in place of real values: for layers that give
 * the same at any scale, where all tensors of quantised types have one scale and zero point, and
 * for kernels that bring levels to the output's scale: they find the scales in the infos. */
armnn_status_t armnn_i_ref_widened_levels(const armnn_kernel_call_t* call,
                                          armnn_kernel_execute_fn_t kernel, armnn_error_t* error);

/* Decodes input 0 alone into scratch, as levels. */
armnn_status_t armnn_i_ref_widened_input(const armnn_kernel_call_t* call, const float** out_levels);

/* Asks for the scratch that these take. */
armnn_status_t armnn_i_ref_prepare_widened(const armnn_workload_info_t* info,
                                           const armnn_host_t* host, armnn_backend_t* backend,
                                           void** out_prepared,
                                           armnn_workload_requirements_t* requirements,
                                           armnn_error_t* error);

#endif /* ARMNN_CPU_REF_WIDENED_H_ */
