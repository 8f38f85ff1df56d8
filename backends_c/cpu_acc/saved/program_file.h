/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * program_file.h - a compiled sub-graph as bytes, which another process maps to memory.
 *
 * First what is small: borders, where constants and packed weights lie, the operators' descriptions
 * (descriptions.h). Then, from a page on, constants and packed weights, each from a line on. A
 * program that is made of them makes its operators anew, and reads weights where they are:
 * processes share the file's pages, and what no run reads stays on the disk.
 */
#ifndef ARMNN_CPU_ACC_PROGRAM_FILE_H_
#define ARMNN_CPU_ACC_PROGRAM_FILE_H_

#include "backend.h"

/* What a program's bytes depend on besides the layouts of its weights, as text: kernels, choice of
 * algorithms, this format. Files with another text are refused before their bytes are read. */
void armnn_i_acc_name_programs(armnn_i_acc_backend_t* backend);

/* The blob of |program|, which becomes its own. */
armnn_blob_t armnn_i_acc_blob(const armnn_i_acc_backend_t* backend, armnn_i_acc_program_t* program);

/* The table's functions. */
armnn_status_t armnn_i_acc_check_blob(armnn_backend_t* backend, armnn_string_t compatibility,
                                      armnn_error_t* why_not);
armnn_status_t armnn_i_acc_deserialize_blob(armnn_backend_t* backend, const void* data,
                                            uint64_t size, armnn_string_t compatibility,
                                            armnn_blob_t* out_blob, armnn_error_t* error);

#endif /* ARMNN_CPU_ACC_PROGRAM_FILE_H_ */
