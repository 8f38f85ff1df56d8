/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_reals.h - stored numbers of 8 and 16 bits as real numbers, and back, as CpuRef has
 * them.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_REALS_H_
#define ARMNN_CPU_ACC_QUANTIZED_REALS_H_

#include <math.h>

#include "program.h"

/* What makes an unsigned number of a byte of |element|, in the same order. */
static inline uint8_t armnn_i_acc_flip(armnn_i_acc_element_t element) {
  return element.type == ARMNN_DATA_TYPE_QASYMM_U8 ? 0 : 0x80;
}

/* The level of a byte. */
static inline int32_t armnn_i_acc_level_of(armnn_i_acc_element_t element, uint8_t byte) {
  const int32_t flip = armnn_i_acc_flip(element);
  return (byte ^ flip) - flip - element.zero_point;
}

/* The real numbers of all bytes. */
static inline void armnn_i_acc_reals(armnn_i_acc_element_t element, float out_reals[256]) {
  for (int32_t byte = 0; byte < 256; ++byte) {
    out_reals[byte] = element.scale * (float)armnn_i_acc_level_of(element, (uint8_t)byte);
  }
}

/* |number|, a whole number with the zero point in it: saturated, and the zero point if it is NaN.
 */
static inline int32_t armnn_i_acc_saturated_number(armnn_i_acc_element_t element, float number) {
  const float least = (float)armnn_i_acc_least(element.type);
  const float most = (float)armnn_i_acc_most(element.type);
  const float bounded = number < least ? least : number > most ? most : number;
  return (int32_t)(number == number ? bounded : (float)element.zero_point);
}

/* The byte of it. */
static inline uint8_t armnn_i_acc_saturated(armnn_i_acc_element_t element, float number) {
  return (uint8_t)armnn_i_acc_saturated_number(element, number);
}

/* The number of a real number: rounded to the nearest, halves to even. */
static inline int32_t armnn_i_acc_stored_number(armnn_i_acc_element_t element, float real) {
  return armnn_i_acc_saturated_number(element,
                                      rintf(real / element.scale) + (float)element.zero_point);
}

/* The byte of it. */
static inline uint8_t armnn_i_acc_stored(armnn_i_acc_element_t element, float real) {
  return (uint8_t)armnn_i_acc_stored_number(element, real);
}

#endif /* ARMNN_CPU_ACC_QUANTIZED_REALS_H_ */
