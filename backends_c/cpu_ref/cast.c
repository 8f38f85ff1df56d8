/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * cast.c - CAST between any two data types.
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
#include <math.h>

#include "convert.h"
#include "half_float.h"
#include "kernels.h"
#include "packed.h"
#include "small_float.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

#define CHUNK 512

/* ---- Into the buffer ------------------------------------------------------------------------- */

typedef void (*load_fn_t)(void* buffer, const void* source, uint64_t count);

#define DEFINE_LOAD(name, T, B, expression)                                        \
  static void load_##name(void* buffer_data, const void* source, uint64_t count) { \
    B* buffer = (B*)buffer_data;                                                   \
    const T* x = (const T*)source;                                                 \
    for (uint64_t i = 0; i < count; ++i) {                                         \
      const T v = x[i];                                                            \
      buffer[i] = (expression);                                                    \
    }                                                                              \
  }

DEFINE_LOAD(f16, uint16_t, float, armnn_half_to_float(v))
DEFINE_LOAD(bf16, uint16_t, float, armnn_bfloat_to_float(v))
DEFINE_LOAD(f32, float, float, v)
DEFINE_LOAD(u8, uint8_t, int64_t, v)
DEFINE_LOAD(b8, uint8_t, int64_t, v != 0)
DEFINE_LOAD(s8, int8_t, int64_t, v)
DEFINE_LOAD(s16, int16_t, int64_t, v)
DEFINE_LOAD(s32, int32_t, int64_t, v)
DEFINE_LOAD(s64, int64_t, int64_t, v)
DEFINE_LOAD(u16, uint16_t, int64_t, v)
DEFINE_LOAD(u32, uint32_t, int64_t, v)
DEFINE_LOAD(u64, uint64_t, uint64_t, v)
DEFINE_LOAD(f64, double, double, v)
DEFINE_LOAD(e4m3fn, uint8_t, float, armnn_small_to_float(v, &armnn_float8_e4m3fn))
DEFINE_LOAD(e4m3fnuz, uint8_t, float, armnn_small_to_float(v, &armnn_float8_e4m3fnuz))
DEFINE_LOAD(e5m2, uint8_t, float, armnn_small_to_float(v, &armnn_float8_e5m2))
DEFINE_LOAD(e5m2fnuz, uint8_t, float, armnn_small_to_float(v, &armnn_float8_e5m2fnuz))
DEFINE_LOAD(e8m0fnu, uint8_t, float, armnn_e8m0_to_float(v))
DEFINE_LOAD(e2m1fn, uint8_t, float, armnn_small_to_float(v, &armnn_float4_e2m1fn))
DEFINE_LOAD(s4, uint8_t, int64_t, armnn_i_ref_sign_extend(v, 4))
DEFINE_LOAD(s2, uint8_t, int64_t, armnn_i_ref_sign_extend(v, 2))

static const load_fn_t loads[ARMNN_DATA_TYPE_COUNT] = {
    [ARMNN_DATA_TYPE_FLOAT16] = load_f16,
    [ARMNN_DATA_TYPE_FLOAT32] = load_f32,
    [ARMNN_DATA_TYPE_QASYMM_U8] = load_u8,
    [ARMNN_DATA_TYPE_SIGNED32] = load_s32,
    [ARMNN_DATA_TYPE_BOOLEAN] = load_b8,
    [ARMNN_DATA_TYPE_QSYMM_S16] = load_s16,
    [ARMNN_DATA_TYPE_QSYMM_S8] = load_s8,
    [ARMNN_DATA_TYPE_QASYMM_S8] = load_s8,
    [ARMNN_DATA_TYPE_BFLOAT16] = load_bf16,
    [ARMNN_DATA_TYPE_SIGNED64] = load_s64,
    [ARMNN_DATA_TYPE_UNSIGNED16] = load_u16,
    [ARMNN_DATA_TYPE_UNSIGNED32] = load_u32,
    [ARMNN_DATA_TYPE_UNSIGNED64] = load_u64,
    [ARMNN_DATA_TYPE_FLOAT64] = load_f64,
    [ARMNN_DATA_TYPE_FLOAT8_E4M3FN] = load_e4m3fn,
    [ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ] = load_e4m3fnuz,
    [ARMNN_DATA_TYPE_FLOAT8_E5M2] = load_e5m2,
    [ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ] = load_e5m2fnuz,
    [ARMNN_DATA_TYPE_FLOAT8_E8M0FNU] = load_e8m0fnu,
    [ARMNN_DATA_TYPE_FLOAT4_E2M1FN] = load_e2m1fn,
    [ARMNN_DATA_TYPE_QASYMM_S4] = load_s4,
    [ARMNN_DATA_TYPE_QASYMM_U4] = load_u8,
    [ARMNN_DATA_TYPE_QASYMM_S2] = load_s2,
    [ARMNN_DATA_TYPE_QASYMM_U2] = load_u8};

/* ---- Out of the buffer ----------------------------------------------------------------------- */

typedef void (*store_fn_t)(void* target, const void* buffer, uint64_t count);

#define DEFINE_STORE(name, B, T, expression)                                   \
  static void store_##name(void* target, const void* buffer, uint64_t count) { \
    T* out = (T*)target;                                                       \
    const B* x = (const B*)buffer;                                             \
    for (uint64_t i = 0; i < count; ++i) {                                     \
      const B v = x[i];                                                        \
      out[i] = (expression);                                                   \
    }                                                                          \
  }

/* |limit| is the first power of two above the range; float and double hold it exactly. */
#define SATURATE(T, least, most, limit) \
  (v != v ? (T)0 : v <= (least) ? (T)(least) : v >= (limit) ? (T)(most) : (T)v)

/* A float that is rounded to fewer bits as |v| would be: where it is not |v| itself, it is the
 * neighbour on the side of 0 with its last bit set. */
static float to_odd(double v) {
  float near = (float)v;
  uint32_t bits;
  if (v != v || (double)near == v) return near;
  memcpy(&bits, &near, sizeof bits);
  if (fabs((double)near) > fabs(v)) --bits;
  bits |= 1u;
  memcpy(&near, &bits, sizeof near);
  return near;
}

#define DEFINE_REAL_STORES(from, B, narrow)                                                    \
  DEFINE_STORE(from##_as_f16, B, uint16_t, armnn_half_from_float(narrow(v)))                   \
  DEFINE_STORE(from##_as_bf16, B, uint16_t, armnn_bfloat_from_float(narrow(v)))                \
  DEFINE_STORE(from##_as_f32, B, float, (float)v)                                              \
  DEFINE_STORE(from##_as_f64, B, double, (double)v)                                            \
  DEFINE_STORE(from##_as_b8, B, uint8_t, v != 0)                                               \
  DEFINE_STORE(from##_as_u8, B, uint8_t, SATURATE(uint8_t, 0, UINT8_MAX, 0x1p8f))              \
  DEFINE_STORE(from##_as_u4, B, uint8_t, SATURATE(uint8_t, 0, 15, 0x1p4f))                     \
  DEFINE_STORE(from##_as_u2, B, uint8_t, SATURATE(uint8_t, 0, 3, 0x1p2f))                      \
  DEFINE_STORE(from##_as_s4, B, int8_t, SATURATE(int8_t, (B) - 8, 7, 0x1p3f))                  \
  DEFINE_STORE(from##_as_s2, B, int8_t, SATURATE(int8_t, (B) - 2, 1, 0x1p1f))                  \
  DEFINE_STORE(from##_as_u16, B, uint16_t, SATURATE(uint16_t, 0, UINT16_MAX, 0x1p16f))         \
  DEFINE_STORE(from##_as_u32, B, uint32_t, SATURATE(uint32_t, 0, UINT32_MAX, 0x1p32f))         \
  DEFINE_STORE(from##_as_u64, B, uint64_t, SATURATE(uint64_t, 0, UINT64_MAX, 0x1p64f))         \
  DEFINE_STORE(from##_as_s8, B, int8_t, SATURATE(int8_t, (B)INT8_MIN, INT8_MAX, 0x1p7f))       \
  DEFINE_STORE(from##_as_s16, B, int16_t, SATURATE(int16_t, (B)INT16_MIN, INT16_MAX, 0x1p15f)) \
  DEFINE_STORE(from##_as_s32, B, int32_t, SATURATE(int32_t, (B)INT32_MIN, INT32_MAX, 0x1p31f)) \
  DEFINE_STORE(from##_as_s64, B, int64_t, SATURATE(int64_t, (B)INT64_MIN, INT64_MAX, 0x1p63f))

#define DEFINE_INTEGER_STORES(from, B)                                         \
  DEFINE_STORE(from##_as_f16, B, uint16_t, armnn_half_from_float((float)v))    \
  DEFINE_STORE(from##_as_bf16, B, uint16_t, armnn_bfloat_from_float((float)v)) \
  DEFINE_STORE(from##_as_f32, B, float, (float)v)                              \
  DEFINE_STORE(from##_as_f64, B, double, (double)v)                            \
  DEFINE_STORE(from##_as_b8, B, uint8_t, v != 0)                               \
  DEFINE_STORE(from##_as_u8, B, uint8_t, (uint8_t)v)                           \
  DEFINE_STORE(from##_as_u16, B, uint16_t, (uint16_t)v)                        \
  DEFINE_STORE(from##_as_u32, B, uint32_t, (uint32_t)v)                        \
  DEFINE_STORE(from##_as_u64, B, uint64_t, (uint64_t)v)                        \
  DEFINE_STORE(from##_as_s8, B, int8_t, (int8_t)v)                             \
  DEFINE_STORE(from##_as_s16, B, int16_t, (int16_t)v)                          \
  DEFINE_STORE(from##_as_s32, B, int32_t, (int32_t)v)                          \
  DEFINE_STORE(from##_as_s64, B, int64_t, (int64_t)v)

#define DEFINE_SMALL_STORES(from, B, narrow)                                                      \
  DEFINE_STORE(from##_as_e4m3fn, B, uint8_t,                                                      \
               armnn_small_from_float(narrow(v), &armnn_float8_e4m3fn))                           \
  DEFINE_STORE(from##_as_e4m3fnuz, B, uint8_t,                                                    \
               armnn_small_from_float(narrow(v), &armnn_float8_e4m3fnuz))                         \
  DEFINE_STORE(from##_as_e5m2, B, uint8_t, armnn_small_from_float(narrow(v), &armnn_float8_e5m2)) \
  DEFINE_STORE(from##_as_e5m2fnuz, B, uint8_t,                                                    \
               armnn_small_from_float(narrow(v), &armnn_float8_e5m2fnuz))                         \
  DEFINE_STORE(from##_as_e8m0fnu, B, uint8_t, armnn_e8m0_from_float(narrow(v)))                   \
  DEFINE_STORE(from##_as_e2m1fn, B, uint8_t,                                                      \
               armnn_small_from_float(narrow(v), &armnn_float4_e2m1fn))

DEFINE_REAL_STORES(f32, float, )
DEFINE_REAL_STORES(f64, double, to_odd)
DEFINE_INTEGER_STORES(s64, int64_t)
DEFINE_INTEGER_STORES(u64, uint64_t)
DEFINE_SMALL_STORES(f32, float, )
DEFINE_SMALL_STORES(f64, double, to_odd)
DEFINE_SMALL_STORES(s64, int64_t, (float))
DEFINE_SMALL_STORES(u64, uint64_t, (float))

/* Packing keeps the low bits of a byte, so integers need no stores of their own for less. */
#define STORES(from, u4, u2, s4, s2)                                  \
  {                                                                   \
      [ARMNN_DATA_TYPE_FLOAT16] = store_##from##_as_f16,              \
      [ARMNN_DATA_TYPE_FLOAT32] = store_##from##_as_f32,              \
      [ARMNN_DATA_TYPE_QASYMM_U8] = store_##from##_as_u8,             \
      [ARMNN_DATA_TYPE_SIGNED32] = store_##from##_as_s32,             \
      [ARMNN_DATA_TYPE_BOOLEAN] = store_##from##_as_b8,               \
      [ARMNN_DATA_TYPE_QSYMM_S16] = store_##from##_as_s16,            \
      [ARMNN_DATA_TYPE_QSYMM_S8] = store_##from##_as_s8,              \
      [ARMNN_DATA_TYPE_QASYMM_S8] = store_##from##_as_s8,             \
      [ARMNN_DATA_TYPE_BFLOAT16] = store_##from##_as_bf16,            \
      [ARMNN_DATA_TYPE_SIGNED64] = store_##from##_as_s64,             \
      [ARMNN_DATA_TYPE_UNSIGNED16] = store_##from##_as_u16,           \
      [ARMNN_DATA_TYPE_UNSIGNED32] = store_##from##_as_u32,           \
      [ARMNN_DATA_TYPE_UNSIGNED64] = store_##from##_as_u64,           \
      [ARMNN_DATA_TYPE_FLOAT64] = store_##from##_as_f64,              \
      [ARMNN_DATA_TYPE_FLOAT8_E4M3FN] = store_##from##_as_e4m3fn,     \
      [ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ] = store_##from##_as_e4m3fnuz, \
      [ARMNN_DATA_TYPE_FLOAT8_E5M2] = store_##from##_as_e5m2,         \
      [ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ] = store_##from##_as_e5m2fnuz, \
      [ARMNN_DATA_TYPE_FLOAT8_E8M0FNU] = store_##from##_as_e8m0fnu,   \
      [ARMNN_DATA_TYPE_FLOAT4_E2M1FN] = store_##from##_as_e2m1fn,     \
      [ARMNN_DATA_TYPE_QASYMM_U4] = store_##from##_as_##u4,           \
      [ARMNN_DATA_TYPE_QASYMM_U2] = store_##from##_as_##u2,           \
      [ARMNN_DATA_TYPE_QASYMM_S4] = store_##from##_as_##s4,           \
      [ARMNN_DATA_TYPE_QASYMM_S2] = store_##from##_as_##s2,           \
  }

static const store_fn_t stores_of_float[ARMNN_DATA_TYPE_COUNT] = STORES(f32, u4, u2, s4, s2);
static const store_fn_t stores_of_double[ARMNN_DATA_TYPE_COUNT] = STORES(f64, u4, u2, s4, s2);
static const store_fn_t stores_of_integer[ARMNN_DATA_TYPE_COUNT] = STORES(s64, u8, u8, u8, u8);
static const store_fn_t stores_of_unsigned[ARMNN_DATA_TYPE_COUNT] = STORES(u64, u8, u8, u8, u8);

static const store_fn_t* stores_of(int32_t data_type) {
  switch (data_type) {
    case ARMNN_DATA_TYPE_FLOAT16:
    case ARMNN_DATA_TYPE_BFLOAT16:
    case ARMNN_DATA_TYPE_FLOAT32:
    case ARMNN_DATA_TYPE_FLOAT8_E4M3FN:
    case ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ:
    case ARMNN_DATA_TYPE_FLOAT8_E5M2:
    case ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ:
    case ARMNN_DATA_TYPE_FLOAT8_E8M0FNU:
    case ARMNN_DATA_TYPE_FLOAT4_E2M1FN:
      return stores_of_float;
    case ARMNN_DATA_TYPE_FLOAT64:
      return stores_of_double;
    case ARMNN_DATA_TYPE_UNSIGNED64:
      return stores_of_unsigned;
    default:
      return stores_of_integer;
  }
}

void armnn_i_ref_store_value(float value, int32_t data_type, void* out_element) {
  stores_of_float[data_type](out_element, &value, 1);
}

/* ---- The layers ------------------------------------------------------------------------------ */

typedef struct cast_job_t {
  load_fn_t load;
  store_fn_t store;
  unsigned char* out;
  const unsigned char* x;
  uint64_t out_bits, in_bits;
  uint64_t count, per_byte; /* elements, and how many of them a byte of the output holds */
} cast_job_t;

static armnn_status_t cast_range(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const cast_job_t* job = (const cast_job_t*)argument;
  int64_t buffer[CHUNK];
  uint8_t codes[CHUNK];
  begin *= job->per_byte;
  end = armnn_min_u64(end * job->per_byte, job->count);
  for (uint64_t i = begin; i < end; i += CHUNK) {
    const uint64_t count = armnn_min_u64(CHUNK, end - i);
    const void* from = job->x + i * job->in_bits / 8;
    if (job->in_bits < 8) {
      armnn_i_ref_unpack(job->x, (uint32_t)job->in_bits, i, count, codes);
      from = codes;
    }
    job->load(buffer, from, count);
    if (job->out_bits < 8) {
      job->store(codes, buffer, count);
      armnn_i_ref_pack(codes, (uint32_t)job->out_bits, count, i, job->out);
    } else {
      job->store(job->out + i * job->out_bits / 8, buffer, count);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_cast__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const int32_t from = ARMNN_IN_INFO(call, 0)->data_type;
  const int32_t to = ARMNN_OUT_INFO(call, 0)->data_type;
  const uint64_t in_bits = armnn_data_type_bits(from), per_byte = armnn_i_ref_per_byte(to);
  cast_job_t job = {loads[from],
                    stores_of(from)[to],
                    ARMNN_OUT(call, 0, unsigned char),
                    ARMNN_IN(call, 0, unsigned char),
                    armnn_data_type_bits(to),
                    in_bits,
                    ARMNN_COUNT(call),
                    per_byte};
  if (from == to && from != ARMNN_DATA_TYPE_BOOLEAN) {
    return armnn_copy_bytes(call->host, call->outputs[0], call->inputs[0],
                            (job.count * in_bits + 7) / 8);
  }
  return armnn_parallel_for(call->host, cast_range, &job, (job.count + per_byte - 1) / per_byte,
                            16384, 0);
}
