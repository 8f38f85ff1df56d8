/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * factors.h - how sums of levels become levels of the output.
 */
#ifndef ARMNN_CPU_ACC_FACTORS_H_
#define ARMNN_CPU_ACC_FACTORS_H_

#include <string.h>

#include "fixed_point.h"
#include "real_rescale.h"

typedef enum armnn_i_acc_rounding_e {
  ARMNN_ACC_ROUND_TWICE,   /* saturated to 32 bits, then armnn_scale32 */
  ARMNN_ACC_ROUND_ONCE,    /* armnn_scale */
  ARMNN_ACC_ROUND_64_BITS, /* armnn_scale64 */
  ARMNN_ACC_ROUND_REAL,    /* armnn_rescaled_sum: a factor has the bits of a double */
  ARMNN_ACC_ROUND_COUNT
} armnn_i_acc_rounding_e;

static inline armnn_factor_t armnn_i_acc_factor_of_real(double real) {
  armnn_factor_t factor;
  memcpy(&factor, &real, sizeof factor);
  return factor;
}

static inline double armnn_i_acc_real_of_factor(armnn_factor_t factor) {
  double real;
  memcpy(&real, &factor, sizeof real);
  return real;
}

#endif /* ARMNN_CPU_ACC_FACTORS_H_ */
