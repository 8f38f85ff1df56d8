/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * functions.h - which functions CpuAcc has for the operations of ACTIVATION and ELEMENTWISE_UNARY.
 */
#ifndef ARMNN_CPU_ACC_FUNCTIONS_H_
#define ARMNN_CPU_ACC_FUNCTIONS_H_

#include <math.h>

#include "program.h"

/* ARMNN_ACC_IDENTITY: no function for this activation. */
static inline int32_t armnn_i_acc_activation_function(int32_t activation) {
  static const int32_t functions[ARMNN_ACTIVATION_COUNT] = {
      [ARMNN_ACTIVATION_SIGMOID] = ARMNN_ACC_SIGMOID,
      [ARMNN_ACTIVATION_TANH] = ARMNN_ACC_TANH,
      [ARMNN_ACTIVATION_LINEAR] = ARMNN_ACC_LINEAR,
      [ARMNN_ACTIVATION_RELU] = ARMNN_ACC_CLAMP,
      [ARMNN_ACTIVATION_BOUNDED_RELU] = ARMNN_ACC_CLAMP,
      [ARMNN_ACTIVATION_SOFT_RELU] = ARMNN_ACC_SOFT_RELU,
      [ARMNN_ACTIVATION_LEAKY_RELU] = ARMNN_ACC_LEAKY,
      [ARMNN_ACTIVATION_ABS] = ARMNN_ACC_ABS,
      [ARMNN_ACTIVATION_SQRT] = ARMNN_ACC_SQRT,
      [ARMNN_ACTIVATION_SQUARE] = ARMNN_ACC_SQUARE,
      [ARMNN_ACTIVATION_ELU] = ARMNN_ACC_ELU,
      [ARMNN_ACTIVATION_HARD_SWISH] = ARMNN_ACC_HARD_SWISH,
      [ARMNN_ACTIVATION_GELU] = ARMNN_ACC_GELU,
      [ARMNN_ACTIVATION_HARD_SIGMOID] = ARMNN_ACC_HARD_SIGMOID,
  };
  return activation >= 0 && activation < ARMNN_ACTIVATION_COUNT ? functions[activation]
                                                                : ARMNN_ACC_IDENTITY;
}

/* The parameters of that function, from those of the activation. */
static inline void armnn_i_acc_activation_parameters(int32_t activation, float* a, float* b) {
  if (activation == ARMNN_ACTIVATION_RELU) {
    *a = 0.0f;
    *b = INFINITY;
  } else if (activation == ARMNN_ACTIVATION_BOUNDED_RELU) { /* a is the upper bound there */
    const float most = *a;
    *a = *b;
    *b = most;
  } else if (activation == ARMNN_ACTIVATION_HARD_SWISH) {
    *a = 1.0f;
    *b = -0.0f; /* adds nothing, and leaves zeros their sign */
  } else if (activation == ARMNN_ACTIVATION_GELU) {
    *a = 1.0f;
  }
}

/* The function for the operation of an ELEMENTWISE_UNARY, or ARMNN_ACC_IDENTITY. */
static inline int32_t armnn_i_acc_unary_function(int32_t operation) {
  static const int32_t functions[ARMNN_UNARY_COUNT] = {
      [ARMNN_UNARY_ABS] = ARMNN_ACC_ABS,     [ARMNN_UNARY_EXP] = ARMNN_ACC_EXP,
      [ARMNN_UNARY_SQRT] = ARMNN_ACC_SQRT,   [ARMNN_UNARY_RSQRT] = ARMNN_ACC_RSQRT,
      [ARMNN_UNARY_NEG] = ARMNN_ACC_NEG,     [ARMNN_UNARY_LOG] = ARMNN_ACC_LOG,
      [ARMNN_UNARY_SIN] = ARMNN_ACC_SIN,     [ARMNN_UNARY_CEIL] = ARMNN_ACC_CEIL,
      [ARMNN_UNARY_FLOOR] = ARMNN_ACC_FLOOR, [ARMNN_UNARY_ERF] = ARMNN_ACC_ERF,
  };
  return operation >= 0 && operation < ARMNN_UNARY_COUNT ? functions[operation]
                                                         : ARMNN_ACC_IDENTITY;
}

#endif /* ARMNN_CPU_ACC_FUNCTIONS_H_ */
