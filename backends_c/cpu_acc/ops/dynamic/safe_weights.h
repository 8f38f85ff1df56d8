/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * safe_weights.h - what of four weights is too much for 16 bits, where kernels add the products of
 * unsigned bytes with them (kernels/dynamic/dynamic.h).
 */
#ifndef ARMNN_CPU_ACC_SAFE_WEIGHTS_H_
#define ARMNN_CPU_ACC_SAFE_WEIGHTS_H_

#include <stdbool.h>
#include <stdint.h>

#include "kernels/dynamic/dynamic.h"

/* Whether nothing is. */
static inline bool armnn_i_acc_is_safe(const int32_t weights[4]) {
  int32_t above = 0, below = 0;
  for (int32_t i = 0; i < 4; ++i) {
    if (weights[i] > INT8_MAX || weights[i] < -INT8_MAX) return false;
    above += weights[i] > 0 ? weights[i] : 0;
    below -= weights[i] < 0 ? weights[i] : 0;
  }
  return above <= ARMNN_ACC_BYTE_MOST && below <= ARMNN_ACC_BYTE_MOST;
}

/* What is beyond a byte, and what is too much together, goes from the greatest of |weights| to
 * |excess|. */
static inline void armnn_i_acc_make_safe(int32_t weights[4], int32_t excess[4]) {
  for (int32_t i = 0; i < 4; ++i) excess[i] = 0;
  for (int32_t sign = -1; sign <= 1; sign += 2) {
    for (;;) {
      int32_t total = 0, greatest = 0;
      for (int32_t i = 0; i < 4; ++i) {
        const int32_t size = weights[i] * sign;
        if (size > 0) total += size;
        if (size > weights[greatest] * sign) greatest = i;
      }
      const int32_t size = weights[greatest] * sign;
      const int32_t beyond = size - INT8_MAX, above = total - ARMNN_ACC_BYTE_MOST;
      const int32_t much = beyond > above ? beyond : above;
      if (much <= 0) break;
      const int32_t taken = much < size ? much : size;
      excess[greatest] += taken * sign;
      weights[greatest] -= taken * sign;
    }
  }
}

#endif /* ARMNN_CPU_ACC_SAFE_WEIGHTS_H_ */
