/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * choose.c - the instruction sets that this library was built with, best first.
 */
#include "kernels.h"

#define ISA(name) extern const armnn_i_acc_isa_t armnn_i_acc_isa__##name;
#include "isa_list.inc"
#undef ISA

const armnn_i_acc_isa_t* const armnn_i_acc_isas[] = {
#define ISA(name) &armnn_i_acc_isa__##name,
#include "isa_list.inc"
#undef ISA
};

const uint32_t armnn_i_acc_isa_count = sizeof armnn_i_acc_isas / sizeof armnn_i_acc_isas[0];
