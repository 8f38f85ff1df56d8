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
 * Ten types make a hundred pairs; a chunk of elements goes through a buffer of float (for the three
 * floating-point types, which it holds exactly) or of int64_t (for the others) instead.
 */
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

static const load_fn_t loads[ARMNN_DATA_TYPE_COUNT] = {
    [ARMNN_DATA_TYPE_FLOAT16] = load_f16,   [ARMNN_DATA_TYPE_FLOAT32] = load_f32,
    [ARMNN_DATA_TYPE_QASYMM_U8] = load_u8,  [ARMNN_DATA_TYPE_SIGNED32] = load_s32,
    [ARMNN_DATA_TYPE_BOOLEAN] = load_b8,    [ARMNN_DATA_TYPE_QSYMM_S16] = load_s16,
    [ARMNN_DATA_TYPE_QSYMM_S8] = load_s8,   [ARMNN_DATA_TYPE_QASYMM_S8] = load_s8,
    [ARMNN_DATA_TYPE_BFLOAT16] = load_bf16, [ARMNN_DATA_TYPE_SIGNED64] = load_s64};

static int is_floating(int32_t data_type) {
  return data_type == ARMNN_DATA_TYPE_FLOAT16 || data_type == ARMNN_DATA_TYPE_FLOAT32 ||
         data_type == ARMNN_DATA_TYPE_BFLOAT16;
}

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

/* |limit| is the first power of two above the range; a float holds it exactly. */
#define SATURATE(T, least, most, limit) \
  (v != v ? (T)0 : v <= (float)(least) ? (T)(least) : v >= (limit) ? (T)(most) : (T)v)

DEFINE_STORE(f32_as_f16, float, uint16_t, armnn_half_from_float(v))
DEFINE_STORE(f32_as_bf16, float, uint16_t, armnn_bfloat_from_float(v))
DEFINE_STORE(f32_as_f32, float, float, v)
DEFINE_STORE(f32_as_b8, float, uint8_t, v != 0.0f)
DEFINE_STORE(f32_as_u8, float, uint8_t, SATURATE(uint8_t, 0, UINT8_MAX, 0x1p8f))
DEFINE_STORE(f32_as_s8, float, int8_t, SATURATE(int8_t, INT8_MIN, INT8_MAX, 0x1p7f))
DEFINE_STORE(f32_as_s16, float, int16_t, SATURATE(int16_t, INT16_MIN, INT16_MAX, 0x1p15f))
DEFINE_STORE(f32_as_s32, float, int32_t, SATURATE(int32_t, INT32_MIN, INT32_MAX, 0x1p31f))
DEFINE_STORE(f32_as_s64, float, int64_t, SATURATE(int64_t, INT64_MIN, INT64_MAX, 0x1p63f))
DEFINE_STORE(s64_as_f16, int64_t, uint16_t, armnn_half_from_float((float)v))
DEFINE_STORE(s64_as_bf16, int64_t, uint16_t, armnn_bfloat_from_float((float)v))
DEFINE_STORE(s64_as_f32, int64_t, float, (float)v)
DEFINE_STORE(s64_as_b8, int64_t, uint8_t, v != 0)
DEFINE_STORE(s64_as_u8, int64_t, uint8_t, (uint8_t)v)
DEFINE_STORE(s64_as_s8, int64_t, int8_t, (int8_t)v)
DEFINE_STORE(s64_as_s16, int64_t, int16_t, (int16_t)v)
DEFINE_STORE(s64_as_s32, int64_t, int32_t, (int32_t)v)
DEFINE_STORE(s64_as_s64, int64_t, int64_t, v)

#define STORES(from)                                       \
  {                                                        \
      [ARMNN_DATA_TYPE_FLOAT16] = store_##from##_as_f16,   \
      [ARMNN_DATA_TYPE_FLOAT32] = store_##from##_as_f32,   \
      [ARMNN_DATA_TYPE_QASYMM_U8] = store_##from##_as_u8,  \
      [ARMNN_DATA_TYPE_SIGNED32] = store_##from##_as_s32,  \
      [ARMNN_DATA_TYPE_BOOLEAN] = store_##from##_as_b8,    \
      [ARMNN_DATA_TYPE_QSYMM_S16] = store_##from##_as_s16, \
      [ARMNN_DATA_TYPE_QSYMM_S8] = store_##from##_as_s8,   \
      [ARMNN_DATA_TYPE_QASYMM_S8] = store_##from##_as_s8,  \
      [ARMNN_DATA_TYPE_BFLOAT16] = store_##from##_as_bf16, \
      [ARMNN_DATA_TYPE_SIGNED64] = store_##from##_as_s64,  \
  }

static const store_fn_t stores_of_float[ARMNN_DATA_TYPE_COUNT] = STORES(f32);
static const store_fn_t stores_of_integer[ARMNN_DATA_TYPE_COUNT] = STORES(s64);

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
                    is_floating(from) ? stores_of_float[to] : stores_of_integer[to],
                    ARMNN_OUT(call, 0, unsigned char),
                    ARMNN_IN(call, 0, unsigned char),
                    armnn_data_type_size(to),
                    in_size};
  return armnn_parallel_for(call->host, cast_range, &job, ARMNN_COUNT(call), 16384, 0);
}
