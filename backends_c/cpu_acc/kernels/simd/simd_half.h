/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * simd_half.h - vectors of float32 from numbers of 16 bits, exactly.
 */
#ifndef ARMNN_CPU_ACC_SIMD_HALF_H_
#define ARMNN_CPU_ACC_SIMD_HALF_H_

#include "half_float.h"
#include "simd.h"

#if defined(__AVX512F__)
ACC_INLINE vf_t vf_load_bfloat16(const uint16_t* p) {
  const __m256i half = _mm256_loadu_si256((const __m256i*)(const void*)p);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}
ACC_INLINE vf_t vf_load_float16(const uint16_t* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(const void*)p));
}
#elif defined(__AVX2__)
ACC_INLINE vf_t vf_load_bfloat16(const uint16_t* p) {
  const __m128i half = _mm_loadu_si128((const __m128i*)(const void*)p);
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}
ACC_INLINE vf_t vf_load_float16(const uint16_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)(const void*)p));
}
#else
ACC_INLINE vf_t vf_load_bfloat16(const uint16_t* p) {
  vf_t x;
  for (int i = 0; i < VF_LANES; ++i) x[i] = armnn_bfloat_to_float(p[i]);
  return x;
}
ACC_INLINE vf_t vf_load_float16(const uint16_t* p) {
#if defined(__aarch64__)
  return (vf_t)vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
#else
  vf_t x;
  for (int i = 0; i < VF_LANES; ++i) x[i] = armnn_half_to_float(p[i]);
  return x;
#endif
}
#endif

#endif /* ARMNN_CPU_ACC_SIMD_HALF_H_ */
