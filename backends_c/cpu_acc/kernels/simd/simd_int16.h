/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * simd_int16.h - numbers of 16 bits to vectors of 32 bits, and back: saturated and bounded.
 */
#ifndef ARMNN_CPU_ACC_SIMD_INT16_H_
#define ARMNN_CPU_ACC_SIMD_INT16_H_

#include "simd_levels.h"

typedef struct vi_int16_bounds_t {
  vi_t low, high;
} vi_int16_bounds_t;

#if defined(__AVX512F__)

/* A number in each lane. */
ACC_INLINE vi_t vi_load_int16(const int16_t* p) {
  return _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i*)(const void*)p));
}
ACC_INLINE vi_int16_bounds_t vi_int16_bounds(int32_t low, int32_t high) {
  return (vi_int16_bounds_t){_mm512_set1_epi16((int16_t)low), _mm512_set1_epi16((int16_t)high)};
}
/* Of zipped channels: as the lanes of a pack have them. */
ACC_INLINE void vi_store_zipped_int16(int16_t* p, vi_t a, vi_t b, vi_int16_bounds_t bounds) {
  const __m512i narrow = _mm512_packs_epi32(a, b);
  _mm512_storeu_si512(p, _mm512_min_epi16(_mm512_max_epi16(narrow, bounds.low), bounds.high));
}
/* Of neighbouring channels. */
ACC_INLINE void vi_store_int16(int16_t* p, vi_t a, vi_t b, vi_int16_bounds_t bounds) {
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i narrow = _mm512_packs_epi32(a, b);
  const __m512i bounded = _mm512_min_epi16(_mm512_max_epi16(narrow, bounds.low), bounds.high);
  _mm512_storeu_si512(p, _mm512_permutexvar_epi64(order, bounded));
}

#elif defined(__AVX2__)

ACC_INLINE vi_t vi_load_int16(const int16_t* p) {
  return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i*)(const void*)p));
}
ACC_INLINE vi_int16_bounds_t vi_int16_bounds(int32_t low, int32_t high) {
  return (vi_int16_bounds_t){_mm256_set1_epi16((int16_t)low), _mm256_set1_epi16((int16_t)high)};
}
ACC_INLINE void vi_store_zipped_int16(int16_t* p, vi_t a, vi_t b, vi_int16_bounds_t bounds) {
  const __m256i narrow = _mm256_packs_epi32(a, b);
  _mm256_storeu_si256((__m256i*)(void*)p,
                      _mm256_min_epi16(_mm256_max_epi16(narrow, bounds.low), bounds.high));
}
ACC_INLINE void vi_store_int16(int16_t* p, vi_t a, vi_t b, vi_int16_bounds_t bounds) {
  const __m256i narrow = _mm256_packs_epi32(a, b);
  const __m256i bounded = _mm256_min_epi16(_mm256_max_epi16(narrow, bounds.low), bounds.high);
  _mm256_storeu_si256((__m256i*)(void*)p, _mm256_permute4x64_epi64(bounded, 0xd8));
}

#else

ACC_INLINE vi_t vi_load_int16(const int16_t* p) { return (vi_t){p[0], p[1], p[2], p[3]}; }
ACC_INLINE vi_int16_bounds_t vi_int16_bounds(int32_t low, int32_t high) {
  return (vi_int16_bounds_t){vi_set(low), vi_set(high)};
}
ACC_INLINE void vi_store_int16(int16_t* p, vi_t a, vi_t b, vi_int16_bounds_t bounds) {
  a = vi_min(vi_max(a, bounds.low), bounds.high);
  b = vi_min(vi_max(b, bounds.low), bounds.high);
  for (int i = 0; i < VF_LANES; ++i) {
    p[i] = (int16_t)a[i];
    p[i + VF_LANES] = (int16_t)b[i];
  }
}
ACC_INLINE void vi_store_zipped_int16(int16_t* p, vi_t low, vi_t high, vi_int16_bounds_t bounds) {
  vi_store_int16(p, low, high, bounds);
}

#endif

#endif /* ARMNN_CPU_ACC_SIMD_INT16_H_ */
