/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * cast.c - CAST between any two data types.
 *
 * Quantised types count as the plain integers that they store, as in Arm NN. A floating-point value
 * goes to an integer by truncation, values outside the range go to its nearest end, NaN goes to 0.
 * An integer goes to a narrower integer by dropping high bits, as numpy and ONNX have it.
 * Everything but zero is true, NaN included.
 *
 * Fourteen types make two hundred pairs; a chunk of elements goes through a buffer instead: of
 * float for the floating-point types that it holds exactly, of double for FLOAT64, of uint64_t for
 * UNSIGNED64, of int64_t for the others.
 */
#include <math.h>

#include "convert.h"
#include "half_float.h"
#include "kernels.h"
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

static const load_fn_t loads[ARMNN_DATA_TYPE_COUNT] = {
    [ARMNN_DATA_TYPE_FLOAT16] = load_f16,    [ARMNN_DATA_TYPE_FLOAT32] = load_f32,
    [ARMNN_DATA_TYPE_QASYMM_U8] = load_u8,   [ARMNN_DATA_TYPE_SIGNED32] = load_s32,
    [ARMNN_DATA_TYPE_BOOLEAN] = load_b8,     [ARMNN_DATA_TYPE_QSYMM_S16] = load_s16,
    [ARMNN_DATA_TYPE_QSYMM_S8] = load_s8,    [ARMNN_DATA_TYPE_QASYMM_S8] = load_s8,
    [ARMNN_DATA_TYPE_BFLOAT16] = load_bf16,  [ARMNN_DATA_TYPE_SIGNED64] = load_s64,
    [ARMNN_DATA_TYPE_UNSIGNED16] = load_u16, [ARMNN_DATA_TYPE_UNSIGNED32] = load_u32,
    [ARMNN_DATA_TYPE_UNSIGNED64] = load_u64, [ARMNN_DATA_TYPE_FLOAT64] = load_f64};

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

DEFINE_REAL_STORES(f32, float, )
DEFINE_REAL_STORES(f64, double, to_odd)
DEFINE_INTEGER_STORES(s64, int64_t)
DEFINE_INTEGER_STORES(u64, uint64_t)

#define STORES(from)                                        \
  {                                                         \
      [ARMNN_DATA_TYPE_FLOAT16] = store_##from##_as_f16,    \
      [ARMNN_DATA_TYPE_FLOAT32] = store_##from##_as_f32,    \
      [ARMNN_DATA_TYPE_QASYMM_U8] = store_##from##_as_u8,   \
      [ARMNN_DATA_TYPE_SIGNED32] = store_##from##_as_s32,   \
      [ARMNN_DATA_TYPE_BOOLEAN] = store_##from##_as_b8,     \
      [ARMNN_DATA_TYPE_QSYMM_S16] = store_##from##_as_s16,  \
      [ARMNN_DATA_TYPE_QSYMM_S8] = store_##from##_as_s8,    \
      [ARMNN_DATA_TYPE_QASYMM_S8] = store_##from##_as_s8,   \
      [ARMNN_DATA_TYPE_BFLOAT16] = store_##from##_as_bf16,  \
      [ARMNN_DATA_TYPE_SIGNED64] = store_##from##_as_s64,   \
      [ARMNN_DATA_TYPE_UNSIGNED16] = store_##from##_as_u16, \
      [ARMNN_DATA_TYPE_UNSIGNED32] = store_##from##_as_u32, \
      [ARMNN_DATA_TYPE_UNSIGNED64] = store_##from##_as_u64, \
      [ARMNN_DATA_TYPE_FLOAT64] = store_##from##_as_f64,    \
  }

static const store_fn_t stores_of_float[ARMNN_DATA_TYPE_COUNT] = STORES(f32);
static const store_fn_t stores_of_double[ARMNN_DATA_TYPE_COUNT] = STORES(f64);
static const store_fn_t stores_of_integer[ARMNN_DATA_TYPE_COUNT] = STORES(s64);
static const store_fn_t stores_of_unsigned[ARMNN_DATA_TYPE_COUNT] = STORES(u64);

static const store_fn_t* stores_of(int32_t data_type) {
  switch (data_type) {
    case ARMNN_DATA_TYPE_FLOAT16:
    case ARMNN_DATA_TYPE_BFLOAT16:
    case ARMNN_DATA_TYPE_FLOAT32:
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
  uint64_t out_size, in_size;
} cast_job_t;

static armnn_status_t cast_range(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const cast_job_t* job = (const cast_job_t*)argument;
  int64_t buffer[CHUNK];
  for (uint64_t i = begin; i < end; i += CHUNK) {
    uint64_t count = armnn_min_u64(CHUNK, end - i);
    job->load(buffer, job->x + i * job->in_size, count);
    job->store(job->out + i * job->out_size, buffer, count);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_cast__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  int32_t from = ARMNN_IN_INFO(call, 0)->data_type;
  int32_t to = ARMNN_OUT_INFO(call, 0)->data_type;
  uint64_t in_size = armnn_data_type_size(from);
  if (from == to && from != ARMNN_DATA_TYPE_BOOLEAN) {
    return armnn_copy_bytes(call->host, call->outputs[0], call->inputs[0],
                            ARMNN_COUNT(call) * in_size);
  }
  cast_job_t job = {loads[from],
                    stores_of(from)[to],
                    ARMNN_OUT(call, 0, unsigned char),
                    ARMNN_IN(call, 0, unsigned char),
                    armnn_data_type_size(to),
                    in_size};
  return armnn_parallel_for(call->host, cast_range, &job, ARMNN_COUNT(call), 16384, 0);
}
