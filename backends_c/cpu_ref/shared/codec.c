/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * codec.c - see codec.h.
 */
#include "codec.h"

#include <math.h>

#include "half_float.h"
#include "int_math.h"
#include "packed.h"
#include "small_float.h"

static const float one_scale = 1.0f;
static const int32_t zero_zero_point = 0;

static int is_unsigned(int32_t data_type) {
  return data_type == ARMNN_DATA_TYPE_QASYMM_U8 || data_type == ARMNN_DATA_TYPE_QASYMM_U4 ||
         data_type == ARMNN_DATA_TYPE_QASYMM_U2;
}

armnn_i_ref_codec_t armnn_i_ref_codec(const armnn_tensor_info_t* info) {
  armnn_i_ref_codec_t codec = {
      .data_type = info->data_type,
      .bits = armnn_data_type_bits(info->data_type),
      .scales = info->quantization_count > 0 ? info->scales : &one_scale,
      .zero_points = info->quantization_count > 0 ? info->zero_points : &zero_zero_point,
      .count = info->quantization_count > 1 ? info->quantization_count : 1,
      .inner = 1,
  };
  if (armnn_data_type_is_quantized(info->data_type)) {
    codec.least = is_unsigned(info->data_type) ? 0 : -(1 << (codec.bits - 1));
    codec.most = codec.least + (1 << codec.bits) - 1;
  }
  for (uint32_t d = (uint32_t)(info->quantization_dim + 1); codec.count > 1 && d < info->rank;
       ++d) {
    codec.inner *= info->dims[d];
  }
  return codec;
}

armnn_i_ref_codec_t armnn_i_ref_codec_of_levels(const armnn_tensor_info_t* info) {
  armnn_i_ref_codec_t codec = armnn_i_ref_codec(info);
  codec.scales = &one_scale;
  codec.halves_away = 1;
  return codec;
}

/* The elements from |first| on that share a scale, at most |count|; |out_channel|: whose. */
static uint64_t run_of(const armnn_i_ref_codec_t* codec, uint64_t first, uint64_t count,
                       uint64_t* out_channel) {
  *out_channel = 0;
  if (codec->count == 1) return count;
  *out_channel = first / codec->inner % codec->count;
  return armnn_min_u64(count, codec->inner - first % codec->inner);
}

#define EACH(T, expression)                \
  do {                                     \
    const T* x = (const T*)data + first;   \
    for (uint64_t i = 0; i < count; ++i) { \
      const T v = x[i];                    \
      out[i] = (expression);               \
    }                                      \
  } while (0)

/* ---- Into rows ------------------------------------------------------------------------------- */

/* Elements of less than a byte that are looked at together; whole bytes of them. */
enum { PACKED_ROW = 64 };

/* out[i] = the integer of element |first| + i, i < |count| <= PACKED_ROW. */
static void unpack(const armnn_i_ref_codec_t* codec, const void* data, uint64_t first,
                   uint64_t count, int8_t* out) {
  uint8_t codes[PACKED_ROW];
  armnn_unpack(data, codec->bits, first, count, codes);
  for (uint64_t i = 0; i < count; ++i) {
    out[i] = codec->least == 0 ? (int8_t)codes[i] : armnn_sign_extend(codes[i], codec->bits);
  }
}

static void decode_run(const armnn_i_ref_codec_t* codec, const void* data, uint64_t first,
                       uint64_t count, float scale, int32_t zero_point, float* out) {
  switch (codec->data_type) {
    case ARMNN_DATA_TYPE_FLOAT32:
      memcpy(out, (const float*)data + first, count * sizeof(float));
      break;
    case ARMNN_DATA_TYPE_FLOAT16:
      EACH(uint16_t, armnn_half_to_float(v));
      break;
    case ARMNN_DATA_TYPE_BFLOAT16:
      EACH(uint16_t, armnn_bfloat_to_float(v));
      break;
    case ARMNN_DATA_TYPE_QASYMM_U8:
      EACH(uint8_t, scale*(float)(v - zero_point));
      break;
    case ARMNN_DATA_TYPE_QASYMM_S8:
    case ARMNN_DATA_TYPE_QSYMM_S8:
      EACH(int8_t, scale*(float)(v - zero_point));
      break;
    case ARMNN_DATA_TYPE_QSYMM_S16:
      EACH(int16_t, scale*(float)(v - zero_point));
      break;
    case ARMNN_DATA_TYPE_SIGNED32:
      EACH(int32_t, (float)v);
      break;
    case ARMNN_DATA_TYPE_SIGNED64:
      EACH(int64_t, (float)v);
      break;
    case ARMNN_DATA_TYPE_BOOLEAN:
      EACH(uint8_t, v != 0 ? 1.0f : 0.0f);
      break;
    case ARMNN_DATA_TYPE_UNSIGNED16:
      EACH(uint16_t, (float)v);
      break;
    case ARMNN_DATA_TYPE_UNSIGNED32:
      EACH(uint32_t, (float)v);
      break;
    case ARMNN_DATA_TYPE_UNSIGNED64:
      EACH(uint64_t, (float)v);
      break;
    case ARMNN_DATA_TYPE_FLOAT64:
      EACH(double, (float)v);
      break;
    case ARMNN_DATA_TYPE_FLOAT8_E4M3FN:
      EACH(uint8_t, armnn_small_to_float(v, &armnn_float8_e4m3fn));
      break;
    case ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ:
      EACH(uint8_t, armnn_small_to_float(v, &armnn_float8_e4m3fnuz));
      break;
    case ARMNN_DATA_TYPE_FLOAT8_E5M2:
      EACH(uint8_t, armnn_small_to_float(v, &armnn_float8_e5m2));
      break;
    case ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ:
      EACH(uint8_t, armnn_small_to_float(v, &armnn_float8_e5m2fnuz));
      break;
    case ARMNN_DATA_TYPE_FLOAT8_E8M0FNU:
      EACH(uint8_t, armnn_e8m0_to_float(v));
      break;
    case ARMNN_DATA_TYPE_FLOAT4_E2M1FN:
    case ARMNN_DATA_TYPE_QASYMM_S4:
    case ARMNN_DATA_TYPE_QASYMM_U4:
    case ARMNN_DATA_TYPE_QASYMM_S2:
    case ARMNN_DATA_TYPE_QASYMM_U2:
      for (uint64_t i = 0; i < count; i += PACKED_ROW) {
        int8_t row[PACKED_ROW];
        const uint64_t part = armnn_min_u64(PACKED_ROW, count - i);
        unpack(codec, data, first + i, part, row);
        for (uint64_t k = 0; k < part; ++k) {
          out[i + k] = codec->data_type == ARMNN_DATA_TYPE_FLOAT4_E2M1FN
                           ? armnn_small_to_float((uint8_t)row[k], &armnn_float4_e2m1fn)
                           : scale * (float)(row[k] - zero_point);
        }
      }
      break;
    default:
      break;
  }
}

void armnn_i_ref_decode(const armnn_i_ref_codec_t* codec, const void* data, uint64_t first,
                        uint64_t count, float* out) {
  while (count > 0) {
    uint64_t channel;
    const uint64_t run = run_of(codec, first, count, &channel);
    decode_run(codec, data, first, run, codec->scales[channel], codec->zero_points[channel], out);
    first += run, count -= run, out += run;
  }
}

void armnn_i_ref_decode_levels(const armnn_i_ref_codec_t* codec, const void* data, uint64_t first,
                               uint64_t rest, int32_t* out) {
  while (rest > 0) {
    uint64_t channel;
    const uint64_t count = run_of(codec, first, rest, &channel);
    const int32_t zero_point = codec->zero_points[channel];
    if (codec->data_type == ARMNN_DATA_TYPE_QASYMM_U8) {
      EACH(uint8_t, v - zero_point);
    } else if (codec->data_type == ARMNN_DATA_TYPE_QSYMM_S16) {
      EACH(int16_t, v - zero_point);
    } else {
      EACH(int8_t, v - zero_point);
    }
    first += count, rest -= count, out += count;
  }
}

/* ---- Out of rows ----------------------------------------------------------------------------- */

#define STORE(T, expression)               \
  do {                                     \
    T* out = (T*)data + first;             \
    for (uint64_t i = 0; i < count; ++i) { \
      const float v = values[i];           \
      out[i] = (T)(expression);            \
    }                                      \
  } while (0)

/* round(v / scale) + zero_point in [least, most]; the sum of two such floats is exact. */
static inline float level_of(float v, float scale, float zero_point, float least, float most,
                             int halves_away) {
  const float level = halves_away ? roundf(v / scale + zero_point) : rintf(v / scale) + zero_point;
  const float bounded = level < least ? least : level > most ? most : level;
  return v != v ? zero_point : bounded;
}

static void encode_run(const armnn_i_ref_codec_t* codec, const float* values, uint64_t count,
                       void* data, uint64_t first, float scale, int32_t zero_point) {
  const int away = codec->halves_away;
  const float zero = (float)zero_point, least = (float)codec->least, most = (float)codec->most;
  switch (codec->data_type) {
    case ARMNN_DATA_TYPE_FLOAT32:
      memcpy((float*)data + first, values, count * sizeof(float));
      break;
    case ARMNN_DATA_TYPE_FLOAT16:
      STORE(uint16_t, armnn_half_from_float(v));
      break;
    case ARMNN_DATA_TYPE_BFLOAT16:
      STORE(uint16_t, armnn_bfloat_from_float(v));
      break;
    case ARMNN_DATA_TYPE_QASYMM_U8:
      STORE(uint8_t, level_of(v, scale, zero, least, most, away));
      break;
    case ARMNN_DATA_TYPE_QASYMM_S8:
    case ARMNN_DATA_TYPE_QSYMM_S8:
      STORE(int8_t, level_of(v, scale, zero, least, most, away));
      break;
    case ARMNN_DATA_TYPE_QSYMM_S16:
      STORE(int16_t, level_of(v, scale, zero, least, most, away));
      break;
    case ARMNN_DATA_TYPE_SIGNED32:
      STORE(int32_t, v != v          ? 0
                     : v >= 0x1p31f  ? INT32_MAX
                     : v <= -0x1p31f ? INT32_MIN
                                     : (int32_t)rintf(v));
      break;
    case ARMNN_DATA_TYPE_SIGNED64:
      STORE(int64_t, v != v          ? 0
                     : v >= 0x1p63f  ? INT64_MAX
                     : v <= -0x1p63f ? INT64_MIN
                                     : (int64_t)rintf(v));
      break;
    case ARMNN_DATA_TYPE_BOOLEAN:
      STORE(uint8_t, v != 0.0f);
      break;
    case ARMNN_DATA_TYPE_FLOAT8_E4M3FN:
      STORE(uint8_t, armnn_small_from_float(v, &armnn_float8_e4m3fn));
      break;
    case ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ:
      STORE(uint8_t, armnn_small_from_float(v, &armnn_float8_e4m3fnuz));
      break;
    case ARMNN_DATA_TYPE_FLOAT8_E5M2:
      STORE(uint8_t, armnn_small_from_float(v, &armnn_float8_e5m2));
      break;
    case ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ:
      STORE(uint8_t, armnn_small_from_float(v, &armnn_float8_e5m2fnuz));
      break;
    case ARMNN_DATA_TYPE_FLOAT8_E8M0FNU:
      STORE(uint8_t, armnn_e8m0_from_float(v));
      break;
    case ARMNN_DATA_TYPE_FLOAT4_E2M1FN:
    case ARMNN_DATA_TYPE_QASYMM_S4:
    case ARMNN_DATA_TYPE_QASYMM_U4:
    case ARMNN_DATA_TYPE_QASYMM_S2:
    case ARMNN_DATA_TYPE_QASYMM_U2:
      for (uint64_t i = 0; i < count; ++i) {
        const uint8_t code =
            codec->data_type == ARMNN_DATA_TYPE_FLOAT4_E2M1FN
                ? armnn_small_from_float(values[i], &armnn_float4_e2m1fn)
                : (uint8_t)(int8_t)level_of(values[i], scale, zero, least, most, away);
        armnn_pack(&code, codec->bits, 1, first + i, data);
      }
      break;
    case ARMNN_DATA_TYPE_UNSIGNED16:
      STORE(uint16_t, !(v > 0.0f) ? 0 : v >= 65535.0f ? UINT16_MAX : (uint16_t)rintf(v));
      break;
    case ARMNN_DATA_TYPE_UNSIGNED32:
      STORE(uint32_t, !(v > 0.0f) ? 0 : v >= 0x1p32f ? UINT32_MAX : (uint32_t)rintf(v));
      break;
    case ARMNN_DATA_TYPE_UNSIGNED64:
      STORE(uint64_t, !(v > 0.0f) ? 0 : v >= 0x1p64f ? UINT64_MAX : (uint64_t)rintf(v));
      break;
    case ARMNN_DATA_TYPE_FLOAT64:
      STORE(double, v);
      break;
    default:
      break;
  }
}

void armnn_i_ref_encode(const armnn_i_ref_codec_t* codec, const float* values, uint64_t count,
                        void* data, uint64_t first) {
  while (count > 0) {
    uint64_t channel;
    const uint64_t run = run_of(codec, first, count, &channel);
    encode_run(codec, values, run, data, first, codec->scales[channel],
               codec->zero_points[channel]);
    first += run, count -= run, values += run;
  }
}

#define STORE_LEVELS(T)                                                                    \
  for (uint64_t i = 0; i < count; ++i) {                                                   \
    const int32_t level = levels[i] < least ? least : levels[i] > most ? most : levels[i]; \
    ((T*)data)[first + i] = (T)(level + zero_point);                                       \
  }

void armnn_i_ref_encode_levels(const armnn_i_ref_codec_t* codec, const int32_t* levels,
                               uint64_t count, void* data, uint64_t first) {
  const int32_t zero_point = codec->zero_points[0];
  const int32_t least = codec->least - zero_point, most = codec->most - zero_point;
  if (codec->data_type == ARMNN_DATA_TYPE_QASYMM_U8) {
    STORE_LEVELS(uint8_t)
  } else if (codec->data_type == ARMNN_DATA_TYPE_QSYMM_S16) {
    STORE_LEVELS(int16_t)
  } else {
    STORE_LEVELS(int8_t)
  }
}

int armnn_i_ref_same_quantization(const armnn_tensor_info_t* a, const armnn_tensor_info_t* b) {
  if (a->data_type != b->data_type) return 0;
  if (!armnn_data_type_is_quantized(a->data_type)) return 1;
  const armnn_i_ref_codec_t x = armnn_i_ref_codec(a), y = armnn_i_ref_codec(b);
  return x.count == 1 && y.count == 1 && x.scales[0] == y.scales[0] &&
         x.zero_points[0] == y.zero_points[0];
}
