/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * backend_kit.h - optional help for authors: from a list of kernels to a complete backend.
 *
 * An author writes functions and lists them as rows (layer type x operation x data type); the kit
 * supplies backend, layer support, workload factory and workloads around them:
 *
 *   static armnn_status_t add_f32(const armnn_kernel_call_t* call,
 *                                 armnn_error_t* error) ARMNN_NOEXCEPT { ... }
 *   static const armnn_kernel_t kernels[] = {ARMNN_KERNEL_BINARY(ADD, FLOAT32, add_f32)};
 *   ARMNN_DEFINE_BACKEND("AcmeNpu", kernels)
 *
 * Use ARMNN_DEFINE_BACKEND in one source file; kernels may live in others. Everything is static and
 * nothing is exported but the three entry points. Kernel functions follow the [exec] rules of
 * backend_api.h: concurrent calls, no allocation, no addresses kept.
 *
 * This header is all that an author includes. Its parts, by subject:
 *
 * kit_base.h       errors, texts, threads and memory; constants by names of their members
 * kit_options.h    options that a backend declares, and those that it is given
 * kit_rows.h       rows of kernels, and what their functions read
 * kit_hooks.h      what a backend has besides rows
 * kit_support.h    which layers the rows take
 * kit_workloads.h  workloads of rows, and their factory
 * kit_entry.h      the table and the entry points: ARMNN_DEFINE_BACKEND and its longer forms
 *
 * Names that begin with armnn_i_ or ARMNN_I_ are private: they may change with any release.
 */
#ifndef ARMNN_BACKEND_KIT_H_
#define ARMNN_BACKEND_KIT_H_

#include "armnn/kit_entry.h"
#include "armnn/names.h"

#endif /* ARMNN_BACKEND_KIT_H_ */
