/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * codec.h - elements of any data type as rows of numbers, and back: where a loop nest begins and
 * ends, so that it is written once and not for each type. Elements of less than a byte are written
 * from the first to the last by one thread for each byte (packed.h).
 *
 *   const armnn_i_ref_codec_t x = armnn_i_ref_codec(ARMNN_IN_INFO(call, 0));
 *   const armnn_i_ref_codec_t y = armnn_i_ref_codec(ARMNN_OUT_INFO(call, 0));
 *   armnn_i_ref_decode(&x, call->inputs[0], first, count, row);
 *   ... row[i] = f(row[i]) ...
 *   armnn_i_ref_encode(&y, row, count, call->outputs[0], first);
 *
 * There are two views of a quantised tensor. Its real values are scale * (q - zero_point), as
 * float: for what a layer computes in real arithmetic and rounds once. Its levels are q -
 * zero_point, as int32_t: for arithmetic that is defined in integers (fixed_point.h). Rows are
 * stretches of memory; scales for each channel are found from the index of a row's first element.
 *
 * Whole operands: widened.h runs a float32 kernel on tensors of other types, levels.h prepares
 * operands for sums of products.
 */
#ifndef ARMNN_CPU_REF_CODEC_H_
#define ARMNN_CPU_REF_CODEC_H_

#include "armnn/backend_kit.h"

/* Elements that a row on the stack holds. */
enum { ARMNN_REF_ROW = 256 };

/* How the elements of one tensor are read and written. Refers to the info that it was made from. */
typedef struct armnn_i_ref_codec_t {
  int32_t data_type;
  uint32_t bits;       /* of an element */
  const float* scales; /* |count| of each */
  const int32_t* zero_points;
  uint64_t count;      /* 1: for the whole tensor */
  uint64_t inner;      /* elements that share a scale before the next one's turn */
  int halves_away;     /* how values are rounded when they are encoded, see below */
  int32_t least, most; /* ends of a quantised type */
} armnn_i_ref_codec_t;

/* Of a quantised tensor, whose values then are its levels: q - zero_point. They are rounded such
 * that halves of q, not of the level, go away from zero: so does TensorFlow Lite's specification.
 */
armnn_i_ref_codec_t armnn_i_ref_codec_of_levels(const armnn_tensor_info_t* info);

/* A quantised tensor without scales, which only layers that move elements have, counts in steps of
 * 1 from 0. */
armnn_i_ref_codec_t armnn_i_ref_codec(const armnn_tensor_info_t* info);

/* out[i] = the real value of element |first| + i, i < |count|. Exact for all types but integers and
 * floating-point numbers of more than float32 holds, and quantised types: those round. */
void armnn_i_ref_decode(const armnn_i_ref_codec_t* codec, const void* data, uint64_t first,
                        uint64_t count, float* out);

/* Element |first| + i = values[i], rounded to the nearest, halves to even. Of quantised types:
 * round(value / scale) + zero_point, saturated; NaN becomes zero_point. Of integers: saturated, NaN
 * becomes 0. Of booleans: whether it is not 0. */
void armnn_i_ref_encode(const armnn_i_ref_codec_t* codec, const float* values, uint64_t count,
                        void* data, uint64_t first);

/* Of a quantised type: out[i] = q - zero_point of element |first| + i. */
void armnn_i_ref_decode_levels(const armnn_i_ref_codec_t* codec, const void* data, uint64_t first,
                               uint64_t count, int32_t* out);

/* Of a quantised type with one scale: element |first| + i = levels[i] + zero_point, saturated. */
void armnn_i_ref_encode_levels(const armnn_i_ref_codec_t* codec, const int32_t* levels,
                               uint64_t count, void* data, uint64_t first);

/* Whether one scale holds for the whole tensor. */
static inline int armnn_i_ref_one_scale(const armnn_tensor_info_t* info) {
  return info->quantization_count <= 1;
}

/* Whether two tensors have one data type and one scale and zero point for the whole of each. */
int armnn_i_ref_same_quantization(const armnn_tensor_info_t* a, const armnn_tensor_info_t* b);

#endif /* ARMNN_CPU_REF_CODEC_H_ */
