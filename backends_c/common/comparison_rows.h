/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * comparison_rows.h - rows (rows.h) that compare two operands, and those of booleans.
 *
 * NaN compares as IEEE 754 has it: unequal to everything, neither less nor greater. Any byte other
 * than zero is true.
 */
#ifndef ARMNN_COMMON_COMPARISON_ROWS_H_
#define ARMNN_COMMON_COMPARISON_ROWS_H_

#include "armnn/backend_api.h"
#include "rows.h"

#define ARMNN_DEFINE_COMPARISON_ROWS(suffix, T, of)                          \
  ARMNN_BINARY_ROW(armnn_i_equal_##suffix, T, uint8_t, of(a) == of(b))       \
  ARMNN_BINARY_ROW(armnn_i_greater_##suffix, T, uint8_t, of(a) > of(b))      \
  ARMNN_BINARY_ROW(armnn_i_not_less_##suffix, T, uint8_t, of(a) >= of(b))    \
  ARMNN_BINARY_ROW(armnn_i_less_##suffix, T, uint8_t, of(a) < of(b))         \
  ARMNN_BINARY_ROW(armnn_i_not_greater_##suffix, T, uint8_t, of(a) <= of(b)) \
  ARMNN_BINARY_ROW(armnn_i_not_equal_##suffix, T, uint8_t, of(a) != of(b))

#define ARMNN_ROW_VALUE(v) (v)
#define ARMNN_ROW_TRUTH(v) ((v) != 0)
ARMNN_DEFINE_COMPARISON_ROWS(f32, float, ARMNN_ROW_VALUE)
ARMNN_DEFINE_COMPARISON_ROWS(s32, int32_t, ARMNN_ROW_VALUE)
ARMNN_DEFINE_COMPARISON_ROWS(s64, int64_t, ARMNN_ROW_VALUE)
ARMNN_DEFINE_COMPARISON_ROWS(u16, uint16_t, ARMNN_ROW_VALUE)
ARMNN_DEFINE_COMPARISON_ROWS(u32, uint32_t, ARMNN_ROW_VALUE)
ARMNN_DEFINE_COMPARISON_ROWS(u64, uint64_t, ARMNN_ROW_VALUE)
ARMNN_DEFINE_COMPARISON_ROWS(b8, uint8_t, ARMNN_ROW_TRUTH)
ARMNN_BINARY_ROW(armnn_i_and_b8, uint8_t, uint8_t, ARMNN_ROW_TRUTH(a) & ARMNN_ROW_TRUTH(b))
ARMNN_BINARY_ROW(armnn_i_or_b8, uint8_t, uint8_t, ARMNN_ROW_TRUTH(a) | ARMNN_ROW_TRUTH(b))

ARMNN_DEFINE_COMPARISON_ROWS(f64, double, ARMNN_ROW_VALUE)

#define ARMNN_COMPARISON_ROWS(suffix)                                  \
  {                                                                    \
      [ARMNN_COMPARISON_EQUAL] = armnn_i_equal_##suffix,               \
      [ARMNN_COMPARISON_GREATER] = armnn_i_greater_##suffix,           \
      [ARMNN_COMPARISON_GREATER_OR_EQUAL] = armnn_i_not_less_##suffix, \
      [ARMNN_COMPARISON_LESS] = armnn_i_less_##suffix,                 \
      [ARMNN_COMPARISON_LESS_OR_EQUAL] = armnn_i_not_greater_##suffix, \
      [ARMNN_COMPARISON_NOT_EQUAL] = armnn_i_not_equal_##suffix,       \
  }

/* The row of an armnn_comparison_operation_e for operands of |data_type|; null for types that are
 * not compared as they lie. */
static inline armnn_binary_row_fn_t armnn_comparison_row(int32_t data_type, int32_t operation) {
  static const armnn_binary_row_fn_t rows[ARMNN_DATA_TYPE_COUNT][ARMNN_COMPARISON_COUNT] = {
      [ARMNN_DATA_TYPE_FLOAT32] = ARMNN_COMPARISON_ROWS(f32),
      [ARMNN_DATA_TYPE_FLOAT64] = ARMNN_COMPARISON_ROWS(f64),
      [ARMNN_DATA_TYPE_SIGNED32] = ARMNN_COMPARISON_ROWS(s32),
      [ARMNN_DATA_TYPE_SIGNED64] = ARMNN_COMPARISON_ROWS(s64),
      [ARMNN_DATA_TYPE_UNSIGNED16] = ARMNN_COMPARISON_ROWS(u16),
      [ARMNN_DATA_TYPE_UNSIGNED32] = ARMNN_COMPARISON_ROWS(u32),
      [ARMNN_DATA_TYPE_UNSIGNED64] = ARMNN_COMPARISON_ROWS(u64),
      [ARMNN_DATA_TYPE_BOOLEAN] = ARMNN_COMPARISON_ROWS(b8),
  };
  return rows[data_type][operation];
}

/* That of an armnn_logical_binary_operation_e. */
static inline armnn_binary_row_fn_t armnn_logical_row(int32_t operation) {
  return operation == ARMNN_LOGICAL_AND ? armnn_i_and_b8 : armnn_i_or_b8;
}

#endif /* ARMNN_COMMON_COMPARISON_ROWS_H_ */
