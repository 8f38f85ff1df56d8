/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * convert.h - a number of a descriptor as an element of a tensor.
 */
#ifndef ARMNN_CPU_REF_CONVERT_H_
#define ARMNN_CPU_REF_CONVERT_H_

#include <stdint.h>

/* Writes |value| as one element of |data_type|, by the rules of CAST (see cast.c). |out_element|
 * has room for 8 bytes. */
void armnn_i_ref_store_value(float value, int32_t data_type, void* out_element);

#endif /* ARMNN_CPU_REF_CONVERT_H_ */
