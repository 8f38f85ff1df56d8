/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * simd_bytes.h - sums of products of four bytes in each lane.
 *
 * One side are the bytes of an image, unsigned for some instructions and signed for others
 * (VI_BYTE_SIGN); the other side, signed bytes, are weights. No step of vi_dot_bytes saturates: a
 * sum wraps, as in simd_levels.h. vi_byte_pairs, which x86 has without such an instruction, does:
 * 255 * 127 * 2 needs 17 bits.
 */
#ifndef ARMNN_CPU_ACC_SIMD_BYTES_H_
#define ARMNN_CPU_ACC_SIMD_BYTES_H_

#include "simd_levels.h"

typedef int16_t vi_int16_t __attribute__((vector_size(sizeof(vi_t))));

/* Half a vector of signed bytes as pairs of 16 bits. */
ACC_INLINE vi_t vi_load_narrow_pairs(const char* p) {
#if defined(__AVX512F__)
  return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i*)(const void*)p));
#elif defined(__AVX2__) /* compilers make two of it from what follows */
  return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i*)(const void*)p));
#else
  int8_t bytes __attribute__((vector_size(sizeof(vi_t) / 2)));
  memcpy(&bytes, p, sizeof bytes);
  return (vi_t) __builtin_convertvector(bytes, vi_int16_t);
#endif
}

/* Products of unsigned bytes with signed ones, two at a time in 16 bits, which saturate; and sums
 * of those, which wrap. */
#if defined(__AVX512F__)
#define VI_HAS_BYTE_PAIRS 1
ACC_INLINE vi_t vi_byte_pairs(vi_t x, vi_t weights) { return _mm512_maddubs_epi16(x, weights); }
ACC_INLINE vi_t vi_add_int16(vi_t a, vi_t b) { return _mm512_add_epi16(a, b); }
#elif defined(__AVX2__)
#define VI_HAS_BYTE_PAIRS 1
ACC_INLINE vi_t vi_byte_pairs(vi_t x, vi_t weights) { return _mm256_maddubs_epi16(x, weights); }
ACC_INLINE vi_t vi_add_int16(vi_t a, vi_t b) { return _mm256_add_epi16(a, b); }
#else
#define VI_HAS_BYTE_PAIRS 0
#endif

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
typedef uint16_t vi_uint16_t __attribute__((vector_size(sizeof(vi_t))));
ACC_INLINE vi_t vi_dot_bytes(vi_t sum, vi_t x, vi_t weights) {
  const vi_uint16_t numbers = (vi_uint16_t)x;
  const vi_int16_t even = (vi_int16_t)((vi_uint16_t)weights << 8) >> 8;
  const vi_int16_t odd = (vi_int16_t)weights >> 8;
  sum = vi_dot_pairs(sum, (vi_t)(numbers & 0xff), (vi_t)even);
  return vi_dot_pairs(sum, (vi_t)(numbers >> 8), (vi_t)odd);
}

#endif

#endif /* ARMNN_CPU_ACC_SIMD_BYTES_H_ */
