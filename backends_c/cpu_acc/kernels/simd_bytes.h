/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * simd_bytes.h - sums of products of four bytes in each lane.
 *
 * One side are the bytes of an image, unsigned for some instructions and signed for others
 * (VI_BYTE_SIGN); the other side, signed bytes, are weights. No step of any of these saturates: a
 * sum wraps, as in simd_levels.h. (vpmaddubsw, of AVX2, would saturate: 255 * 127 * 2 needs 17
 * bits.)
 */
#ifndef ARMNN_CPU_ACC_SIMD_BYTES_H_
#define ARMNN_CPU_ACC_SIMD_BYTES_H_

#include "simd_levels.h"

#if defined(__AVX512VNNI__) && defined(__AVX512F__)

#define VI_HAS_DOT_PRODUCT 1
#define VI_BYTE_SIGN 0
ACC_INLINE vi_t vi_dot_bytes(vi_t sum, vi_t x, vi_t weights) {
  return _mm512_dpbusd_epi32(sum, x, weights);
}

#elif defined(__AVXVNNI__) && !defined(__AVX512F__)

#define VI_HAS_DOT_PRODUCT 1
#define VI_BYTE_SIGN 0
ACC_INLINE vi_t vi_dot_bytes(vi_t sum, vi_t x, vi_t weights) {
  return _mm256_dpbusd_avx_epi32(sum, x, weights);
}

#elif defined(__ARM_FEATURE_DOTPROD)

#define VI_HAS_DOT_PRODUCT 1
#define VI_BYTE_SIGN 0x80
ACC_INLINE vi_t vi_dot_bytes(vi_t sum, vi_t x, vi_t weights) {
  return (vi_t)vdotq_s32((int32x4_t)sum, (int8x16_t)x, (int8x16_t)weights);
}
/* |x| are four lanes of bytes, of which each lane of |weights| meets number LANE. */
#define VI_DOT_BYTES_LANE(sum, x, weights, LANE) \
  ((vi_t)vdotq_laneq_s32((int32x4_t)(sum), (int8x16_t)(weights), (int8x16_t)(x), LANE))

#else

#define VI_HAS_DOT_PRODUCT 0
#define VI_BYTE_SIGN 0
/* Bytes with even and with odd numbers, as pairs of 16 bits. */
typedef int16_t vi_words_t __attribute__((vector_size(sizeof(vi_t))));
typedef uint16_t vi_unsigned_words_t __attribute__((vector_size(sizeof(vi_t))));
ACC_INLINE vi_t vi_dot_bytes(vi_t sum, vi_t x, vi_t weights) {
  const vi_unsigned_words_t numbers = (vi_unsigned_words_t)x;
  const vi_words_t even = (vi_words_t)((vi_unsigned_words_t)weights << 8) >> 8;
  const vi_words_t odd = (vi_words_t)weights >> 8;
  sum = vi_dot_pairs(sum, (vi_t)(numbers & 0xff), (vi_t)even);
  return vi_dot_pairs(sum, (vi_t)(numbers >> 8), (vi_t)odd);
}

#endif

#endif /* ARMNN_CPU_ACC_SIMD_BYTES_H_ */
