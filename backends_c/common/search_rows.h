/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * search_rows.h - ARG_MIN_MAX along rows of neighbouring results.
 *
 * The lower index wins a tie; the first NaN wins over everything, as in numpy; false is less than
 * true. A tile of neighbouring results goes along the axis together, so that the inner loop is
 * contiguous.
 */
#ifndef ARMNN_COMMON_SEARCH_ROWS_H_
#define ARMNN_COMMON_SEARCH_ROWS_H_

#include <stdint.h>
#include <string.h>

#include "armnn/backend_api.h"

#define ARMNN_SEARCH_TILE 256u /* most elements of a row */
#define ARMNN_SEARCH_BLOCK 32u /* elements along the axis that are compared together */

/* Writes the index, along the axis, of the best of |length| rows of |count| elements that lie
 * |stride| elements apart. */
typedef void (*armnn_search_fn_t)(const void* x, uint64_t length, uint64_t stride, uint64_t count,
                                  int64_t* out_index);

/* |better| tells whether b beats the best value so far, a. Of neighbours along the axis, most
 * blocks have no element that does. */
#define ARMNN_DEFINE_SEARCH(name, T, better)                                             \
  static int64_t name##_of_neighbours(const T* x, uint64_t length) {                     \
    T a = x[0];                                                                          \
    uint64_t found = 0;                                                                  \
    for (uint64_t i = 0; i < length; i += ARMNN_SEARCH_BLOCK) {                          \
      const uint64_t end = i + ARMNN_SEARCH_BLOCK;                                       \
      int wins = end > length;                                                           \
      if (!wins) {                                                                       \
        for (uint64_t j = 0; j < ARMNN_SEARCH_BLOCK; ++j) {                              \
          const T b = x[i + j];                                                          \
          wins |= (better);                                                              \
        }                                                                                \
      }                                                                                  \
      for (uint64_t j = i; wins && j < end && j < length; ++j) {                         \
        const T b = x[j];                                                                \
        if (better) {                                                                    \
          a = b;                                                                         \
          found = j;                                                                     \
        }                                                                                \
      }                                                                                  \
    }                                                                                    \
    return (int64_t)found;                                                               \
  }                                                                                      \
  static void name(const void* x_data, uint64_t length, uint64_t stride, uint64_t count, \
                   int64_t* out_index) {                                                 \
    const T* x = (const T*)x_data;                                                       \
    if (count == 1 && stride == 1) {                                                     \
      out_index[0] = name##_of_neighbours(x, length);                                    \
      return;                                                                            \
    }                                                                                    \
    T best[ARMNN_SEARCH_TILE];                                                           \
    for (uint64_t j = 0; j < count; ++j) {                                               \
      best[j] = x[j];                                                                    \
      out_index[j] = 0;                                                                  \
    }                                                                                    \
    for (uint64_t i = 1; i < length; ++i) {                                              \
      const T* row = x + i * stride;                                                     \
      for (uint64_t j = 0; j < count; ++j) {                                             \
        const T a = best[j], b = row[j];                                                 \
        const int wins = (better);                                                       \
        best[j] = wins ? b : a;                                                          \
        out_index[j] = wins ? (int64_t)i : out_index[j];                                 \
      }                                                                                  \
    }                                                                                    \
  }

#define ARMNN_FIRST_NAN ((b != b) & (a == a))
ARMNN_DEFINE_SEARCH(armnn_i_max_f32, float, (b > a) | ARMNN_FIRST_NAN)
ARMNN_DEFINE_SEARCH(armnn_i_min_f32, float, (b < a) | ARMNN_FIRST_NAN)
ARMNN_DEFINE_SEARCH(armnn_i_max_s32, int32_t, b > a)
ARMNN_DEFINE_SEARCH(armnn_i_min_s32, int32_t, b < a)
ARMNN_DEFINE_SEARCH(armnn_i_max_s64, int64_t, b > a)
ARMNN_DEFINE_SEARCH(armnn_i_min_s64, int64_t, b < a)
ARMNN_DEFINE_SEARCH(armnn_i_max_f64, double, (b > a) | ARMNN_FIRST_NAN)
ARMNN_DEFINE_SEARCH(armnn_i_min_f64, double, (b < a) | ARMNN_FIRST_NAN)
ARMNN_DEFINE_SEARCH(armnn_i_max_u16, uint16_t, b > a)
ARMNN_DEFINE_SEARCH(armnn_i_min_u16, uint16_t, b < a)
ARMNN_DEFINE_SEARCH(armnn_i_max_u32, uint32_t, b > a)
ARMNN_DEFINE_SEARCH(armnn_i_min_u32, uint32_t, b < a)
ARMNN_DEFINE_SEARCH(armnn_i_max_u64, uint64_t, b > a)
ARMNN_DEFINE_SEARCH(armnn_i_min_u64, uint64_t, b < a)
ARMNN_DEFINE_SEARCH(armnn_i_max_b8, uint8_t, (a == 0) & (b != 0))
ARMNN_DEFINE_SEARCH(armnn_i_min_b8, uint8_t, (a != 0) & (b == 0))

#define ARMNN_SEARCHES(suffix) {armnn_i_min_##suffix, armnn_i_max_##suffix}

/* The search for an armnn_arg_min_max_function_e; null for types that have none. */
static inline armnn_search_fn_t armnn_search(int32_t data_type, int32_t function) {
  static const armnn_search_fn_t searches[ARMNN_DATA_TYPE_COUNT][2] = {
      [ARMNN_DATA_TYPE_FLOAT32] = ARMNN_SEARCHES(f32),
      [ARMNN_DATA_TYPE_FLOAT64] = ARMNN_SEARCHES(f64),
      [ARMNN_DATA_TYPE_SIGNED32] = ARMNN_SEARCHES(s32),
      [ARMNN_DATA_TYPE_SIGNED64] = ARMNN_SEARCHES(s64),
      [ARMNN_DATA_TYPE_UNSIGNED16] = ARMNN_SEARCHES(u16),
      [ARMNN_DATA_TYPE_UNSIGNED32] = ARMNN_SEARCHES(u32),
      [ARMNN_DATA_TYPE_UNSIGNED64] = ARMNN_SEARCHES(u64),
      [ARMNN_DATA_TYPE_BOOLEAN] = ARMNN_SEARCHES(b8),
  };
  return searches[data_type][function == ARMNN_ARG_MAX];
}

/* Writes |count| found indices as elements of |output_type|, SIGNED32 or SIGNED64. */
static inline void armnn_store_found(const int64_t* index, uint64_t count, int32_t output_type,
                                     void* out) {
  if (output_type == ARMNN_DATA_TYPE_SIGNED32) {
    for (uint64_t j = 0; j < count; ++j) ((int32_t*)out)[j] = (int32_t)index[j];
  } else {
    memcpy(out, index, (size_t)count * sizeof index[0]);
  }
}

#endif /* ARMNN_COMMON_SEARCH_ROWS_H_ */
