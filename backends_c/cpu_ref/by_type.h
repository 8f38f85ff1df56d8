/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * by_type.h - what kernels of several data types have in common: their definition, and the tables
 * of operations on two operands.
 */
#ifndef ARMNN_CPU_REF_BY_TYPE_H_
#define ARMNN_CPU_REF_BY_TYPE_H_

#include "broadcast.h"

/* Defines kernel armnn_<type>_<layer>__ref: it answers |status|, written in |call|. */
#define ARMNN_REF_DEFINE_KERNEL(type, layer, status)                            \
  armnn_status_t armnn_##type##_##layer##__ref(const armnn_kernel_call_t* call, \
                                               armnn_error_t* error) {          \
    (void)error;                                                                \
    return status;                                                              \
  }

/* Defines the rows of real numbers of type T; |f| is the end of names in math.h. MAXIMUM and
 * MINIMUM give NaN when an operand is NaN. MOD is as numpy.mod: of the sign of |b|, zero included;
 * NaN where fmod is NaN. */
#define ARMNN_REF_DEFINE_REAL_ROWS(type, T, f)                             \
  static T modulus_##type(T a, T b) {                                      \
    const T rest = fmod##f(a, b);                                          \
    if (rest == (T)0) return copysign##f(rest, b);                         \
    return (rest < (T)0) != (b < (T)0) ? rest + b : rest;                  \
  }                                                                        \
  ARMNN_REF_BINARY_ROW(add_##type, T, T, a + b)                            \
  ARMNN_REF_BINARY_ROW(div_##type, T, T, a / b)                            \
  ARMNN_REF_BINARY_ROW(maximum_##type, T, T, ((a > b) | (a != a)) ? a : b) \
  ARMNN_REF_BINARY_ROW(minimum_##type, T, T, ((a < b) | (a != a)) ? a : b) \
  ARMNN_REF_BINARY_ROW(mul_##type, T, T, a* b)                             \
  ARMNN_REF_BINARY_ROW(sub_##type, T, T, a - b)                            \
  ARMNN_REF_BINARY_ROW(sq_diff_##type, T, T, (a - b) * (a - b))            \
  ARMNN_REF_BINARY_ROW(power_##type, T, T, pow##f(a, b))                   \
  ARMNN_REF_BINARY_ROW(mod_##type, T, T, modulus_##type(a, b))             \
  ARMNN_REF_BINARY_ROW(fmod_##type, T, T, fmod##f(a, b))

/* Members of a table by operation. Null stays what integers alone have: the host shows no such
 * layer of other types. */
#define ARMNN_REF_REAL_ROWS(type)                                                   \
  [ARMNN_BINARY_ADD] = add_##type, [ARMNN_BINARY_DIV] = div_##type,                 \
  [ARMNN_BINARY_MAXIMUM] = maximum_##type, [ARMNN_BINARY_MINIMUM] = minimum_##type, \
  [ARMNN_BINARY_MUL] = mul_##type, [ARMNN_BINARY_SUB] = sub_##type,                 \
  [ARMNN_BINARY_SQ_DIFF] = sq_diff_##type, [ARMNN_BINARY_POWER] = power_##type,     \
  [ARMNN_BINARY_MOD] = mod_##type, [ARMNN_BINARY_FMOD] = fmod_##type
#define ARMNN_REF_INTEGER_ROWS(type)                                                    \
  ARMNN_REF_REAL_ROWS(type),                                                            \
      [ARMNN_BINARY_BITWISE_AND] = and_##type, [ARMNN_BINARY_BITWISE_OR] = or_##type,   \
      [ARMNN_BINARY_BITWISE_XOR] = xor_##type, [ARMNN_BINARY_SHIFT_LEFT] = left_##type, \
      [ARMNN_BINARY_SHIFT_RIGHT] = right_##type

/* Runs the row of an ELEMENTWISE_BINARY, in larger pieces where an element costs less. */
static inline armnn_status_t armnn_i_ref_run_rows(const armnn_kernel_call_t* call,
                                                  const armnn_i_ref_binary_row_fn_t* rows) {
  const int32_t operation =
      ARMNN_DESCRIPTOR(call->info, armnn_elementwise_binary_descriptor_t)->operation;
  return armnn_i_ref_run_broadcast(call, rows[operation],
                                   operation == ARMNN_BINARY_POWER ? 1024 : 16384);
}

#endif /* ARMNN_CPU_REF_BY_TYPE_H_ */
