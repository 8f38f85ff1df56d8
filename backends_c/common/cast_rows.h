/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * cast_rows.h - CAST between any two data types, in two steps through a buffer.
 *
 * Quantised types count as the plain integers that they store, as in Arm NN. A floating-point value
 * goes to an integer by truncation, values outside the range go to its nearest end, NaN goes to 0.
 * An integer goes to a narrower integer by dropping high bits, as numpy and ONNX have it.
 * Everything but zero is true, NaN included. Floating-point types of 8 and 4 bits: small_float.h.
 *
 * Twenty-four types make five hundred pairs; a chunk of elements goes through a buffer instead: of
 * float for the floating-point types that it holds exactly, of double for FLOAT64, of uint64_t for
 * UNSIGNED64, of int64_t for the others. Elements of less than a byte are bytes outside of memory.
 */
#ifndef ARMNN_COMMON_CAST_ROWS_H_
#define ARMNN_COMMON_CAST_ROWS_H_

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "armnn/backend_api.h"
#include "half_float.h"
#include "packed.h"
#include "small_float.h"

#define ARMNN_CAST_CHUNK 512 /* elements of a buffer, of 8 bytes each */

/* ---- Into the buffer ------------------------------------------------------------------------- */

typedef void (*armnn_cast_load_fn_t)(void* buffer, const void* source, uint64_t count);

#define ARMNN_CAST_LOAD(name, T, B, expression)                                            \
  static void armnn_i_load_##name(void* buffer_data, const void* source, uint64_t count) { \
    B* buffer = (B*)buffer_data;                                                           \
    const T* x = (const T*)source;                                                         \
    for (uint64_t i = 0; i < count; ++i) {                                                 \
      const T v = x[i];                                                                    \
      buffer[i] = (expression);                                                            \
    }                                                                                      \
  }

ARMNN_CAST_LOAD(f16, uint16_t, float, armnn_half_to_float(v))
ARMNN_CAST_LOAD(bf16, uint16_t, float, armnn_bfloat_to_float(v))
ARMNN_CAST_LOAD(f32, float, float, v)
ARMNN_CAST_LOAD(u8, uint8_t, int64_t, v)
ARMNN_CAST_LOAD(b8, uint8_t, int64_t, v != 0)
ARMNN_CAST_LOAD(s8, int8_t, int64_t, v)
ARMNN_CAST_LOAD(s16, int16_t, int64_t, v)
ARMNN_CAST_LOAD(s32, int32_t, int64_t, v)
ARMNN_CAST_LOAD(s64, int64_t, int64_t, v)
ARMNN_CAST_LOAD(u16, uint16_t, int64_t, v)
ARMNN_CAST_LOAD(u32, uint32_t, int64_t, v)
ARMNN_CAST_LOAD(u64, uint64_t, uint64_t, v)
ARMNN_CAST_LOAD(f64, double, double, v)
ARMNN_CAST_LOAD(e4m3fn, uint8_t, float, armnn_small_to_float(v, &armnn_float8_e4m3fn))
ARMNN_CAST_LOAD(e4m3fnuz, uint8_t, float, armnn_small_to_float(v, &armnn_float8_e4m3fnuz))
ARMNN_CAST_LOAD(e5m2, uint8_t, float, armnn_small_to_float(v, &armnn_float8_e5m2))
ARMNN_CAST_LOAD(e5m2fnuz, uint8_t, float, armnn_small_to_float(v, &armnn_float8_e5m2fnuz))
ARMNN_CAST_LOAD(e8m0fnu, uint8_t, float, armnn_e8m0_to_float(v))
ARMNN_CAST_LOAD(e2m1fn, uint8_t, float, armnn_small_to_float(v, &armnn_float4_e2m1fn))
ARMNN_CAST_LOAD(s4, uint8_t, int64_t, armnn_sign_extend(v, 4))
ARMNN_CAST_LOAD(s2, uint8_t, int64_t, armnn_sign_extend(v, 2))

/* Whether elements of |data_type| lie in the buffer as they are. */
static inline bool armnn_cast_is_as_in_buffer(int32_t data_type) {
  return data_type == ARMNN_DATA_TYPE_FLOAT32 || data_type == ARMNN_DATA_TYPE_FLOAT64 ||
         data_type == ARMNN_DATA_TYPE_SIGNED64 || data_type == ARMNN_DATA_TYPE_UNSIGNED64;
}

/* What takes elements of |data_type| into the buffer. */
static inline armnn_cast_load_fn_t armnn_cast_load(int32_t data_type) {
  static const armnn_cast_load_fn_t loads[ARMNN_DATA_TYPE_COUNT] = {
      [ARMNN_DATA_TYPE_FLOAT16] = armnn_i_load_f16,
      [ARMNN_DATA_TYPE_FLOAT32] = armnn_i_load_f32,
      [ARMNN_DATA_TYPE_QASYMM_U8] = armnn_i_load_u8,
      [ARMNN_DATA_TYPE_SIGNED32] = armnn_i_load_s32,
      [ARMNN_DATA_TYPE_BOOLEAN] = armnn_i_load_b8,
      [ARMNN_DATA_TYPE_QSYMM_S16] = armnn_i_load_s16,
      [ARMNN_DATA_TYPE_QSYMM_S8] = armnn_i_load_s8,
      [ARMNN_DATA_TYPE_QASYMM_S8] = armnn_i_load_s8,
      [ARMNN_DATA_TYPE_BFLOAT16] = armnn_i_load_bf16,
      [ARMNN_DATA_TYPE_SIGNED64] = armnn_i_load_s64,
      [ARMNN_DATA_TYPE_UNSIGNED16] = armnn_i_load_u16,
      [ARMNN_DATA_TYPE_UNSIGNED32] = armnn_i_load_u32,
      [ARMNN_DATA_TYPE_UNSIGNED64] = armnn_i_load_u64,
      [ARMNN_DATA_TYPE_FLOAT64] = armnn_i_load_f64,
      [ARMNN_DATA_TYPE_FLOAT8_E4M3FN] = armnn_i_load_e4m3fn,
      [ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ] = armnn_i_load_e4m3fnuz,
      [ARMNN_DATA_TYPE_FLOAT8_E5M2] = armnn_i_load_e5m2,
      [ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ] = armnn_i_load_e5m2fnuz,
      [ARMNN_DATA_TYPE_FLOAT8_E8M0FNU] = armnn_i_load_e8m0fnu,
      [ARMNN_DATA_TYPE_FLOAT4_E2M1FN] = armnn_i_load_e2m1fn,
      [ARMNN_DATA_TYPE_QASYMM_S4] = armnn_i_load_s4,
      [ARMNN_DATA_TYPE_QASYMM_U4] = armnn_i_load_u8,
      [ARMNN_DATA_TYPE_QASYMM_S2] = armnn_i_load_s2,
      [ARMNN_DATA_TYPE_QASYMM_U2] = armnn_i_load_u8};
  return loads[data_type];
}

/* ---- Out of the buffer ----------------------------------------------------------------------- */

typedef void (*armnn_cast_store_fn_t)(void* target, const void* buffer, uint64_t count);

#define ARMNN_CAST_STORE(name, B, T, expression)                                       \
  static void armnn_i_store_##name(void* target, const void* buffer, uint64_t count) { \
    T* out = (T*)target;                                                               \
    const B* x = (const B*)buffer;                                                     \
    for (uint64_t i = 0; i < count; ++i) {                                             \
      const B v = x[i];                                                                \
      out[i] = (expression);                                                           \
    }                                                                                  \
  }

/* |limit| is the first power of two above the range; float and double hold it exactly. */
#define ARMNN_CAST_SATURATE(T, least, most, limit) \
  (v != v ? (T)0 : v <= (least) ? (T)(least) : v >= (limit) ? (T)(most) : (T)v)

/* A float that is rounded to fewer bits as |v| would be: where it is not |v| itself, it is the
 * neighbour on the side of 0 with its last bit set. */
static float armnn_i_to_odd(double v) {
  float near = (float)v;
  uint32_t bits;
  if (v != v || (double)near == v) return near;
  memcpy(&bits, &near, sizeof bits);
  if (fabs((double)near) > fabs(v)) --bits;
  bits |= 1u;
  memcpy(&near, &bits, sizeof near);
  return near;
}

#define ARMNN_CAST_REAL_STORES(from, B, narrow)                                                  \
  ARMNN_CAST_STORE(from##_as_f16, B, uint16_t, armnn_half_from_float(narrow(v)))                 \
  ARMNN_CAST_STORE(from##_as_bf16, B, uint16_t, armnn_bfloat_from_float(narrow(v)))              \
  ARMNN_CAST_STORE(from##_as_f32, B, float, (float)v)                                            \
  ARMNN_CAST_STORE(from##_as_f64, B, double, (double)v)                                          \
  ARMNN_CAST_STORE(from##_as_b8, B, uint8_t, v != 0)                                             \
  ARMNN_CAST_STORE(from##_as_u8, B, uint8_t, ARMNN_CAST_SATURATE(uint8_t, 0, UINT8_MAX, 0x1p8f)) \
  ARMNN_CAST_STORE(from##_as_u4, B, uint8_t, ARMNN_CAST_SATURATE(uint8_t, 0, 15, 0x1p4f))        \
  ARMNN_CAST_STORE(from##_as_u2, B, uint8_t, ARMNN_CAST_SATURATE(uint8_t, 0, 3, 0x1p2f))         \
  ARMNN_CAST_STORE(from##_as_s4, B, int8_t, ARMNN_CAST_SATURATE(int8_t, (B) - 8, 7, 0x1p3f))     \
  ARMNN_CAST_STORE(from##_as_s2, B, int8_t, ARMNN_CAST_SATURATE(int8_t, (B) - 2, 1, 0x1p1f))     \
  ARMNN_CAST_STORE(from##_as_u16, B, uint16_t,                                                   \
                   ARMNN_CAST_SATURATE(uint16_t, 0, UINT16_MAX, 0x1p16f))                        \
  ARMNN_CAST_STORE(from##_as_u32, B, uint32_t,                                                   \
                   ARMNN_CAST_SATURATE(uint32_t, 0, UINT32_MAX, 0x1p32f))                        \
  ARMNN_CAST_STORE(from##_as_u64, B, uint64_t,                                                   \
                   ARMNN_CAST_SATURATE(uint64_t, 0, UINT64_MAX, 0x1p64f))                        \
  ARMNN_CAST_STORE(from##_as_s8, B, int8_t,                                                      \
                   ARMNN_CAST_SATURATE(int8_t, (B)INT8_MIN, INT8_MAX, 0x1p7f))                   \
  ARMNN_CAST_STORE(from##_as_s16, B, int16_t,                                                    \
                   ARMNN_CAST_SATURATE(int16_t, (B)INT16_MIN, INT16_MAX, 0x1p15f))               \
  ARMNN_CAST_STORE(from##_as_s32, B, int32_t,                                                    \
                   ARMNN_CAST_SATURATE(int32_t, (B)INT32_MIN, INT32_MAX, 0x1p31f))               \
  ARMNN_CAST_STORE(from##_as_s64, B, int64_t,                                                    \
                   ARMNN_CAST_SATURATE(int64_t, (B)INT64_MIN, INT64_MAX, 0x1p63f))

#define ARMNN_CAST_INTEGER_STORES(from, B)                                         \
  ARMNN_CAST_STORE(from##_as_f16, B, uint16_t, armnn_half_from_float((float)v))    \
  ARMNN_CAST_STORE(from##_as_bf16, B, uint16_t, armnn_bfloat_from_float((float)v)) \
  ARMNN_CAST_STORE(from##_as_f32, B, float, (float)v)                              \
  ARMNN_CAST_STORE(from##_as_f64, B, double, (double)v)                            \
  ARMNN_CAST_STORE(from##_as_b8, B, uint8_t, v != 0)                               \
  ARMNN_CAST_STORE(from##_as_u8, B, uint8_t, (uint8_t)v)                           \
  ARMNN_CAST_STORE(from##_as_u16, B, uint16_t, (uint16_t)v)                        \
  ARMNN_CAST_STORE(from##_as_u32, B, uint32_t, (uint32_t)v)                        \
  ARMNN_CAST_STORE(from##_as_u64, B, uint64_t, (uint64_t)v)                        \
  ARMNN_CAST_STORE(from##_as_s8, B, int8_t, (int8_t)v)                             \
  ARMNN_CAST_STORE(from##_as_s16, B, int16_t, (int16_t)v)                          \
  ARMNN_CAST_STORE(from##_as_s32, B, int32_t, (int32_t)v)                          \
  ARMNN_CAST_STORE(from##_as_s64, B, int64_t, (int64_t)v)

#define ARMNN_CAST_SMALL_STORES(from, B, narrow)                                    \
  ARMNN_CAST_STORE(from##_as_e4m3fn, B, uint8_t,                                    \
                   armnn_small_from_float(narrow(v), &armnn_float8_e4m3fn))         \
  ARMNN_CAST_STORE(from##_as_e4m3fnuz, B, uint8_t,                                  \
                   armnn_small_from_float(narrow(v), &armnn_float8_e4m3fnuz))       \
  ARMNN_CAST_STORE(from##_as_e5m2, B, uint8_t,                                      \
                   armnn_small_from_float(narrow(v), &armnn_float8_e5m2))           \
  ARMNN_CAST_STORE(from##_as_e5m2fnuz, B, uint8_t,                                  \
                   armnn_small_from_float(narrow(v), &armnn_float8_e5m2fnuz))       \
  ARMNN_CAST_STORE(from##_as_e8m0fnu, B, uint8_t, armnn_e8m0_from_float(narrow(v))) \
  ARMNN_CAST_STORE(from##_as_e2m1fn, B, uint8_t,                                    \
                   armnn_small_from_float(narrow(v), &armnn_float4_e2m1fn))

ARMNN_CAST_REAL_STORES(f32, float, )
ARMNN_CAST_REAL_STORES(f64, double, armnn_i_to_odd)
ARMNN_CAST_INTEGER_STORES(s64, int64_t)
ARMNN_CAST_INTEGER_STORES(u64, uint64_t)
ARMNN_CAST_SMALL_STORES(f32, float, )
ARMNN_CAST_SMALL_STORES(f64, double, armnn_i_to_odd)
ARMNN_CAST_SMALL_STORES(s64, int64_t, (float))
ARMNN_CAST_SMALL_STORES(u64, uint64_t, (float))

/* Packing keeps the low bits of a byte, so integers need no stores of their own for less. */
#define ARMNN_CAST_TABLE(from, u4, u2, s4, s2)                                \
  {                                                                           \
      [ARMNN_DATA_TYPE_FLOAT16] = armnn_i_store_##from##_as_f16,              \
      [ARMNN_DATA_TYPE_FLOAT32] = armnn_i_store_##from##_as_f32,              \
      [ARMNN_DATA_TYPE_QASYMM_U8] = armnn_i_store_##from##_as_u8,             \
      [ARMNN_DATA_TYPE_SIGNED32] = armnn_i_store_##from##_as_s32,             \
      [ARMNN_DATA_TYPE_BOOLEAN] = armnn_i_store_##from##_as_b8,               \
      [ARMNN_DATA_TYPE_QSYMM_S16] = armnn_i_store_##from##_as_s16,            \
      [ARMNN_DATA_TYPE_QSYMM_S8] = armnn_i_store_##from##_as_s8,              \
      [ARMNN_DATA_TYPE_QASYMM_S8] = armnn_i_store_##from##_as_s8,             \
      [ARMNN_DATA_TYPE_BFLOAT16] = armnn_i_store_##from##_as_bf16,            \
      [ARMNN_DATA_TYPE_SIGNED64] = armnn_i_store_##from##_as_s64,             \
      [ARMNN_DATA_TYPE_UNSIGNED16] = armnn_i_store_##from##_as_u16,           \
      [ARMNN_DATA_TYPE_UNSIGNED32] = armnn_i_store_##from##_as_u32,           \
      [ARMNN_DATA_TYPE_UNSIGNED64] = armnn_i_store_##from##_as_u64,           \
      [ARMNN_DATA_TYPE_FLOAT64] = armnn_i_store_##from##_as_f64,              \
      [ARMNN_DATA_TYPE_FLOAT8_E4M3FN] = armnn_i_store_##from##_as_e4m3fn,     \
      [ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ] = armnn_i_store_##from##_as_e4m3fnuz, \
      [ARMNN_DATA_TYPE_FLOAT8_E5M2] = armnn_i_store_##from##_as_e5m2,         \
      [ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ] = armnn_i_store_##from##_as_e5m2fnuz, \
      [ARMNN_DATA_TYPE_FLOAT8_E8M0FNU] = armnn_i_store_##from##_as_e8m0fnu,   \
      [ARMNN_DATA_TYPE_FLOAT4_E2M1FN] = armnn_i_store_##from##_as_e2m1fn,     \
      [ARMNN_DATA_TYPE_QASYMM_U4] = armnn_i_store_##from##_as_##u4,           \
      [ARMNN_DATA_TYPE_QASYMM_U2] = armnn_i_store_##from##_as_##u2,           \
      [ARMNN_DATA_TYPE_QASYMM_S4] = armnn_i_store_##from##_as_##s4,           \
      [ARMNN_DATA_TYPE_QASYMM_S2] = armnn_i_store_##from##_as_##s2,           \
  }

/* What takes the buffer that armnn_cast_load(from) filled to elements of |to|. */
static inline armnn_cast_store_fn_t armnn_cast_store(int32_t from, int32_t to) {
  static const armnn_cast_store_fn_t stores_of_float[ARMNN_DATA_TYPE_COUNT] =
      ARMNN_CAST_TABLE(f32, u4, u2, s4, s2);
  static const armnn_cast_store_fn_t stores_of_double[ARMNN_DATA_TYPE_COUNT] =
      ARMNN_CAST_TABLE(f64, u4, u2, s4, s2);
  static const armnn_cast_store_fn_t stores_of_integer[ARMNN_DATA_TYPE_COUNT] =
      ARMNN_CAST_TABLE(s64, u8, u8, u8, u8);
  static const armnn_cast_store_fn_t stores_of_unsigned[ARMNN_DATA_TYPE_COUNT] =
      ARMNN_CAST_TABLE(u64, u8, u8, u8, u8);

  switch (from) {
    case ARMNN_DATA_TYPE_FLOAT16:
    case ARMNN_DATA_TYPE_BFLOAT16:
    case ARMNN_DATA_TYPE_FLOAT32:
    case ARMNN_DATA_TYPE_FLOAT8_E4M3FN:
    case ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ:
    case ARMNN_DATA_TYPE_FLOAT8_E5M2:
    case ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ:
    case ARMNN_DATA_TYPE_FLOAT8_E8M0FNU:
    case ARMNN_DATA_TYPE_FLOAT4_E2M1FN:
      return stores_of_float[to];
    case ARMNN_DATA_TYPE_FLOAT64:
      return stores_of_double[to];
    case ARMNN_DATA_TYPE_UNSIGNED64:
      return stores_of_unsigned[to];
    default:
      return stores_of_integer[to];
  }
}

#endif /* ARMNN_COMMON_CAST_ROWS_H_ */
