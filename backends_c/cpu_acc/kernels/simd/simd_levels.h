/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * simd_levels.h - vectors of sums of quantised numbers: products of 16-bit levels, and factors as
 * integers.
 *
 * A level is a stored number less its zero point: 9 bits. Two levels side by side are a lane of
 * 32 bits; the product of two such pairs is exact. Every function here gives the same bits on every
 * instruction set: those of fixed_point.h, which CpuRef computes with.
 */
#ifndef ARMNN_CPU_ACC_SIMD_LEVELS_H_
#define ARMNN_CPU_ACC_SIMD_LEVELS_H_

#include "real_rescale.h"
#include "simd.h"

/* Real factors (armnn_rescaled_sum) lie in two vectors of halves, which are joined to two vectors
 * of doubles in whatever order suits: vi_scale_real takes these. A sum becomes a double without a
 * conversion, as the lower half of 2^52 + 2^31 + sum, and a whole number by one rounded addition.
 */
#define VI_SUM_BIAS (0x1p52 + 0x1p31)

ACC_INLINE vi_t vi_load(const int32_t* p) {
  vi_t x;
  memcpy(&x, p, sizeof x);
  return x;
}
ACC_INLINE void vi_store(int32_t* p, vi_t x) { memcpy(p, &x, sizeof x); }

typedef struct vi_bounds_t {
  vi_t zero_point, low, high;
#if defined(__AVX2__)
  vi_t flip;
#endif
} vi_bounds_t;

#if defined(__AVX512F__)

ACC_INLINE vi_t vi_dot_pairs(vi_t sum, vi_t x, vi_t y) {
#if defined(__AVX512VNNI__)
  return _mm512_dpwssd_epi32(sum, x, y);
#else
  return _mm512_add_epi32(sum, _mm512_madd_epi16(x, y));
#endif
}
ACC_INLINE vi_t vi_max(vi_t a, vi_t b) { return _mm512_max_epi32(a, b); }
ACC_INLINE vi_t vi_min(vi_t a, vi_t b) { return _mm512_min_epi32(a, b); }
ACC_INLINE vi_t vi_shift_left_by(vi_t a, vi_t n) { return _mm512_sllv_epi32(a, n); }
ACC_INLINE vi_t vi_shift_right_by(vi_t a, vi_t n) { return _mm512_srav_epi32(a, n); }
ACC_INLINE vi_t vi_is_positive(vi_t a) {
  return _mm512_maskz_set1_epi32(_mm512_cmpgt_epi32_mask(a, _mm512_setzero_si512()), -1);
}
/* The lanes with odd numbers, where the even ones are. */
ACC_INLINE vi_t vi_odd(vi_t a) { return _mm512_shuffle_epi32(a, (_MM_PERM_ENUM)0xf5); }
/* The upper halves of 64 bits: of the even lanes' numbers and of the odd ones'. */
ACC_INLINE vi_t vi_upper_halves(__m512i even, __m512i odd) {
  return _mm512_mask_shuffle_epi32(odd, (__mmask16)0x5555, even, (_MM_PERM_ENUM)0xf5);
}
/* The lower halves. */
ACC_INLINE vi_t vi_lower_halves(__m512i even, __m512i odd) {
  return _mm512_mask_shuffle_epi32(even, (__mmask16)0xaaaa, odd, (_MM_PERM_ENUM)0xa0);
}
/* Both less their lowest 31 bits. */
ACC_INLINE vi_t vi_without_31_bits(__m512i even, __m512i odd) {
  return _mm512_mask_blend_epi32((__mmask16)0xaaaa, _mm512_srli_epi64(even, 31),
                                 _mm512_slli_epi64(odd, 1));
}
ACC_INLINE vi_t vi_high_product(vi_t a, vi_t b) {
  const __m512i half = _mm512_set1_epi64(INT64_C(1) << 30);
  const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(a, b), half);
  const __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(vi_odd(a), vi_odd(b)), half);
  return vi_without_31_bits(even, odd);
}
ACC_INLINE vi_t vi_join_low(vi_t low, vi_t high) { return _mm512_unpacklo_epi32(low, high); }
ACC_INLINE vi_t vi_join_high(vi_t low, vi_t high) { return _mm512_unpackhi_epi32(low, high); }
ACC_INLINE vi_t vi_scale_real(vi_t sum, vi_t low, vi_t high) {
  const __m512d bias = _mm512_set1_pd(VI_SUM_BIAS), shift = _mm512_set1_pd(ARMNN_ROUNDING_SHIFT);
  const __m512i exponent = _mm512_set1_epi32(0x43300000);
  const __m512i biased = _mm512_xor_si512(sum, _mm512_set1_epi32(INT32_MIN));
  const __m512d a = _mm512_castsi512_pd(_mm512_unpacklo_epi32(biased, exponent));
  const __m512d b = _mm512_castsi512_pd(_mm512_unpackhi_epi32(biased, exponent));
  const __m512d c = _mm512_fmadd_pd(_mm512_sub_pd(a, bias), _mm512_castsi512_pd(low), shift);
  const __m512d d = _mm512_fmadd_pd(_mm512_sub_pd(b, bias), _mm512_castsi512_pd(high), shift);
  return _mm512_castps_si512(_mm512_shuffle_ps(_mm512_castpd_ps(c), _mm512_castpd_ps(d), 0x88));
}
ACC_INLINE void vi_store_bytes(uint8_t* p, vi_t a, vi_t b) {
  _mm_storeu_si128((__m128i*)(void*)p, _mm512_cvtepi32_epi8(a));
  _mm_storeu_si128((__m128i*)(void*)(p + 16), _mm512_cvtepi32_epi8(b));
}
/* Numbers are unsigned on their way: negative ones are less their least number, which |flip| adds
 * again. Saturation, of 16 bits and of bytes, does not matter: bounds are those of the type. */
ACC_INLINE vi_bounds_t vi_bounds(int32_t zero_point, int32_t low, int32_t high) {
  const int32_t least = low < 0 ? -128 : 0;
  return (vi_bounds_t){_mm512_set1_epi16((int16_t)(zero_point - least)),
                       _mm512_set1_epi8((char)(low - least)),
                       _mm512_set1_epi8((char)(high - least)), _mm512_set1_epi8((char)least)};
}
/* Of 64 bits each: those of |left|, then of |right|, in lanes of 128 bits. */
ACC_INLINE __m512i vi_bounded_bytes(__m512i left, __m512i right, vi_bounds_t bounds) {
  const __m512i bytes = _mm512_packus_epi16(_mm512_adds_epi16(left, bounds.zero_point),
                                            _mm512_adds_epi16(right, bounds.zero_point));
  return _mm512_xor_si512(_mm512_min_epu8(_mm512_max_epu8(bytes, bounds.low), bounds.high),
                          bounds.flip);
}
ACC_INLINE void vi_store_halves(uint8_t* p, uint8_t* q, __m512i bytes) {
  _mm256_storeu_si256((__m256i*)(void*)p, _mm512_castsi512_si256(bytes));
  _mm256_storeu_si256((__m256i*)(void*)q, _mm512_extracti64x4_epi64(bytes, 1));
}
ACC_INLINE vi_t vi_load_bytes(const uint8_t* p) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)(const void*)p));
}
ACC_INLINE vi_t vi_mul(vi_t a, vi_t b) { return _mm512_mullo_epi32(a, b); }
ACC_INLINE vi_t vi_zip_low(vi_t a, vi_t b) { return _mm512_unpacklo_epi16(a, b); }
ACC_INLINE vi_t vi_zip_high(vi_t a, vi_t b) { return _mm512_unpackhi_epi16(a, b); }
/* Two pixels of zipped channels. */
ACC_INLINE void vi_store_two_zipped(uint8_t* p, uint8_t* q, const vi_t a[2], const vi_t b[2],
                                    vi_bounds_t bounds) {
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i mixed =
      vi_bounded_bytes(_mm512_packs_epi32(a[0], a[1]), _mm512_packs_epi32(b[0], b[1]), bounds);
  vi_store_halves(p, q, _mm512_permutexvar_epi64(order, mixed));
}
ACC_INLINE void vi_store_zipped(uint8_t* p, vi_t low, vi_t high, vi_bounds_t bounds) {
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i narrow = _mm512_packs_epi32(low, high);
  const __m512i bytes = _mm512_permutexvar_epi64(order, vi_bounded_bytes(narrow, narrow, bounds));
  _mm256_storeu_si256((__m256i*)(void*)p, _mm512_castsi512_si256(bytes));
}
/* Two rows of neighbouring channels. */
#define VI_ORDER_OF_ROWS _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)
ACC_INLINE void vi_store_two_rows(uint8_t* p, uint8_t* q, const vi_t a[2], const vi_t b[2],
                                  vi_bounds_t bounds) {
  const __m512i mixed =
      vi_bounded_bytes(_mm512_packs_epi32(a[0], a[1]), _mm512_packs_epi32(b[0], b[1]), bounds);
  vi_store_halves(p, q, _mm512_permutexvar_epi32(VI_ORDER_OF_ROWS, mixed));
}
ACC_INLINE void vi_store_numbers(uint8_t* p, vi_t a, vi_t b, vi_bounds_t bounds) {
  const __m512i narrow = _mm512_packs_epi32(a, b);
  const __m512i mixed = vi_bounded_bytes(narrow, narrow, bounds);
  _mm256_storeu_si256((__m256i*)(void*)p,
                      _mm512_castsi512_si256(_mm512_permutexvar_epi32(VI_ORDER_OF_ROWS, mixed)));
}
#undef VI_ORDER_OF_ROWS
#define VI_HAS_NEAREST 1
ACC_INLINE vi_t vi_nearest(vf_t x) { return _mm512_cvtps_epi32(x); }
ACC_INLINE int vi_is_sure(vf_t x, vi_t nearest, vf_t most) {
  const vf_t off = _mm512_abs_ps(vf_sub(x, vf_of_vi(nearest)));
  return _mm512_cmp_ps_mask(off, most, _CMP_GT_OQ) == 0;
}

#elif defined(__AVX2__)

ACC_INLINE vi_t vi_dot_pairs(vi_t sum, vi_t x, vi_t y) {
#if defined(__AVXVNNI__)
  return _mm256_dpwssd_avx_epi32(sum, x, y);
#else
  return _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
#endif
}
ACC_INLINE vi_t vi_max(vi_t a, vi_t b) { return _mm256_max_epi32(a, b); }
ACC_INLINE vi_t vi_min(vi_t a, vi_t b) { return _mm256_min_epi32(a, b); }
ACC_INLINE vi_t vi_shift_left_by(vi_t a, vi_t n) { return _mm256_sllv_epi32(a, n); }
ACC_INLINE vi_t vi_shift_right_by(vi_t a, vi_t n) { return _mm256_srav_epi32(a, n); }
ACC_INLINE vi_t vi_is_positive(vi_t a) { return _mm256_cmpgt_epi32(a, _mm256_setzero_si256()); }
#define VI_MUL_EVEN(a, b) _mm256_mul_epi32(a, b)
#define VI_MUL_ODD(a, b) _mm256_mul_epi32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32))
ACC_INLINE vi_t vi_high_product(vi_t a, vi_t b) {
  const __m256i half = _mm256_set1_epi64x(INT64_C(1) << 30);
  const __m256i even = _mm256_srli_epi64(_mm256_add_epi64(VI_MUL_EVEN(a, b), half), 31);
  const __m256i odd = _mm256_slli_epi64(_mm256_add_epi64(VI_MUL_ODD(a, b), half), 1);
  return _mm256_blend_epi32(even, odd, 0xaa);
}
/* As vi_scale_twice, with both roundings in one: for sums whose result matters only if it is
 * positive, and |right| of 1 or more. */
ACC_INLINE vi_t vi_scale_positive(vi_t a, vi_t multiplier, vi_t right, vi_t half) {
  const __m256i quarter = _mm256_set1_epi64x(INT64_C(1) << 30);
  const __m256i of_even = _mm256_srli_epi64(_mm256_slli_epi64(half, 32), 1);
  const __m256i of_odd = _mm256_slli_epi64(_mm256_srli_epi64(half, 32), 31);
  const __m256i even =
      _mm256_add_epi64(VI_MUL_EVEN(a, multiplier), _mm256_add_epi64(of_even, quarter));
  const __m256i odd =
      _mm256_add_epi64(VI_MUL_ODD(a, multiplier), _mm256_add_epi64(of_odd, quarter));
  const __m256i high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
  return _mm256_srav_epi32(high, _mm256_sub_epi32(right, _mm256_set1_epi32(1)));
}
/* There is no arithmetic shift of 64 bits: 2^62 more keeps the sum positive, and goes again. */
ACC_INLINE __m256i vi_round_once(__m256i product, __m256i right) {
  const __m256i one = _mm256_set1_epi64x(1), most = _mm256_set1_epi64x(INT64_C(1) << 62);
  const __m256i half = _mm256_srli_epi64(_mm256_sllv_epi64(one, right), 1);
  const __m256i sum = _mm256_add_epi64(_mm256_add_epi64(product, half), most);
  return _mm256_sub_epi64(_mm256_srlv_epi64(sum, right), _mm256_srlv_epi64(most, right));
}
ACC_INLINE vi_t vi_scale_once(vi_t a, vi_t multiplier, vi_t right) {
  const __m256i low = _mm256_set1_epi64x(UINT32_MAX);
  const __m256i even = vi_round_once(VI_MUL_EVEN(a, multiplier), _mm256_and_si256(right, low));
  const __m256i odd = vi_round_once(VI_MUL_ODD(a, multiplier), _mm256_srli_epi64(right, 32));
  return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}
ACC_INLINE vi_t vi_join_low(vi_t low, vi_t high) { return _mm256_unpacklo_epi32(low, high); }
ACC_INLINE vi_t vi_join_high(vi_t low, vi_t high) { return _mm256_unpackhi_epi32(low, high); }
ACC_INLINE vi_t vi_scale_real(vi_t sum, vi_t low, vi_t high) {
  const __m256d bias = _mm256_set1_pd(VI_SUM_BIAS), shift = _mm256_set1_pd(ARMNN_ROUNDING_SHIFT);
  const __m256i exponent = _mm256_set1_epi32(0x43300000);
  const __m256i biased = _mm256_xor_si256(sum, _mm256_set1_epi32(INT32_MIN));
  const __m256d a = _mm256_castsi256_pd(_mm256_unpacklo_epi32(biased, exponent));
  const __m256d b = _mm256_castsi256_pd(_mm256_unpackhi_epi32(biased, exponent));
  const __m256d c = _mm256_fmadd_pd(_mm256_sub_pd(a, bias), _mm256_castsi256_pd(low), shift);
  const __m256d d = _mm256_fmadd_pd(_mm256_sub_pd(b, bias), _mm256_castsi256_pd(high), shift);
  return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castpd_ps(c), _mm256_castpd_ps(d), 0x88));
}
ACC_INLINE void vi_store_bytes(uint8_t* p, vi_t a, vi_t b) {
  const __m256i narrow = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
  const __m256i bytes = _mm256_and_si256(narrow, _mm256_set1_epi16(0xff));
  _mm_storeu_si128((__m128i*)(void*)p, _mm_packus_epi16(_mm256_castsi256_si128(bytes),
                                                        _mm256_extracti128_si256(bytes, 1)));
}
/* Numbers are unsigned on their way: negative ones are less their least number, which |flip| adds
 * again. Saturation, of 16 bits and of bytes, does not matter: bounds are those of the type. */
ACC_INLINE vi_bounds_t vi_bounds(int32_t zero_point, int32_t low, int32_t high) {
  const int32_t least = low < 0 ? -128 : 0;
  return (vi_bounds_t){_mm256_set1_epi16((int16_t)(zero_point - least)),
                       _mm256_set1_epi8((char)(low - least)),
                       _mm256_set1_epi8((char)(high - least)), _mm256_set1_epi8((char)least)};
}
/* Of 64 bits each: those of |left|, then of |right|, in lanes of 128 bits. */
ACC_INLINE __m256i vi_bounded_bytes(__m256i left, __m256i right, vi_bounds_t bounds) {
  const __m256i bytes = _mm256_packus_epi16(_mm256_adds_epi16(left, bounds.zero_point),
                                            _mm256_adds_epi16(right, bounds.zero_point));
  return _mm256_xor_si256(_mm256_min_epu8(_mm256_max_epu8(bytes, bounds.low), bounds.high),
                          bounds.flip);
}
ACC_INLINE void vi_store_zipped(uint8_t* p, vi_t low, vi_t high, vi_bounds_t bounds) {
  const __m256i narrow = _mm256_packs_epi32(low, high);
  const __m256i bytes = _mm256_permute4x64_epi64(vi_bounded_bytes(narrow, narrow, bounds), 0xd8);
  _mm_storeu_si128((__m128i*)(void*)p, _mm256_castsi256_si128(bytes));
}
/* Two pixels of zipped channels. */
ACC_INLINE void vi_store_two_zipped(uint8_t* p, uint8_t* q, const vi_t a[2], const vi_t b[2],
                                    vi_bounds_t bounds) {
  const __m256i mixed =
      vi_bounded_bytes(_mm256_packs_epi32(a[0], a[1]), _mm256_packs_epi32(b[0], b[1]), bounds);
  const __m256i bytes = _mm256_permute4x64_epi64(mixed, 0xd8);
  _mm_storeu_si128((__m128i*)(void*)p, _mm256_castsi256_si128(bytes));
  _mm_storeu_si128((__m128i*)(void*)q, _mm256_extracti128_si256(bytes, 1));
}
/* Two rows of neighbouring channels. */
ACC_INLINE void vi_store_two_rows(uint8_t* p, uint8_t* q, const vi_t a[2], const vi_t b[2],
                                  vi_bounds_t bounds) {
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i mixed =
      vi_bounded_bytes(_mm256_packs_epi32(a[0], a[1]), _mm256_packs_epi32(b[0], b[1]), bounds);
  const __m256i bytes = _mm256_permutevar8x32_epi32(mixed, order);
  _mm_storeu_si128((__m128i*)(void*)p, _mm256_castsi256_si128(bytes));
  _mm_storeu_si128((__m128i*)(void*)q, _mm256_extracti128_si256(bytes, 1));
}
ACC_INLINE void vi_store_numbers(uint8_t* p, vi_t a, vi_t b, vi_bounds_t bounds) {
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i narrow = _mm256_packs_epi32(a, b);
  const __m256i bytes =
      _mm256_permutevar8x32_epi32(vi_bounded_bytes(narrow, narrow, bounds), order);
  _mm_storeu_si128((__m128i*)(void*)p, _mm256_castsi256_si128(bytes));
}
ACC_INLINE vi_t vi_load_bytes(const uint8_t* p) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)(const void*)p));
}
ACC_INLINE vi_t vi_mul(vi_t a, vi_t b) { return _mm256_mullo_epi32(a, b); }
ACC_INLINE vi_t vi_zip_low(vi_t a, vi_t b) { return _mm256_unpacklo_epi16(a, b); }
ACC_INLINE vi_t vi_zip_high(vi_t a, vi_t b) { return _mm256_unpackhi_epi16(a, b); }
#undef VI_MUL_EVEN
#undef VI_MUL_ODD
/* The nearest whole number, which float32 may say of some vectors for sure. */
#define VI_HAS_NEAREST 1
ACC_INLINE vi_t vi_nearest(vf_t x) { return _mm256_cvtps_epi32(x); }
/* Whether |nearest| is no farther than |most| from |x| in each lane. */
ACC_INLINE int vi_is_sure(vf_t x, vi_t nearest, vf_t most) {
  const vf_t off = _mm256_andnot_ps(vf_set(-0.0f), vf_sub(x, vf_of_vi(nearest)));
  return _mm256_movemask_ps(_mm256_cmp_ps(off, most, _CMP_GT_OQ)) == 0;
}

#else

#if defined(__SSE2__)
typedef short v8hi_t __attribute__((vector_size(16)));
#endif

/* sum + the products of both levels of each lane. */
ACC_INLINE vi_t vi_dot_pairs(vi_t sum, vi_t x, vi_t y) {
#if defined(__aarch64__)
  const int16x8_t a = (int16x8_t)x, b = (int16x8_t)y;
  const int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
  return (vi_t)((vu_t)sum + (vu_t)vpaddq_s32(low, vmull_high_s16(a, b)));
#elif defined(__SSE2__)
  return (vi_t)((vu_t)sum + (vu_t)__builtin_ia32_pmaddwd128((v8hi_t)x, (v8hi_t)y));
#else
  const vi_t low =
      vi_shift_right(vi_shift_left(x, 16), 16) * vi_shift_right(vi_shift_left(y, 16), 16);
  return vi_add(sum, vi_add(low, vi_shift_right(x, 16) * vi_shift_right(y, 16)));
#endif
}
ACC_INLINE vi_t vi_choose(vi_t mask, vi_t a, vi_t b) { return (a & mask) | (b & ~mask); }
ACC_INLINE vi_t vi_max(vi_t a, vi_t b) { return vi_choose(a > b, a, b); }
ACC_INLINE vi_t vi_min(vi_t a, vi_t b) { return vi_choose(a < b, a, b); }
ACC_INLINE vi_t vi_shift_left_by(vi_t a, vi_t n) { return (vi_t)((vu_t)a << (vu_t)n); }
ACC_INLINE vi_t vi_shift_right_by(vi_t a, vi_t n) { return a >> n; }
ACC_INLINE vi_t vi_is_positive(vi_t a) { return a > 0; }
/* (a * b + 2^30) / 2^31, rounded down. */
ACC_INLINE vi_t vi_high_product(vi_t a, vi_t b) {
  for (int i = 0; i < 4; ++i) a[i] = (int32_t)(((int64_t)a[i] * b[i] + (1 << 30)) >> 31);
  return a;
}
/* a * multiplier / 2^right, rounded to the nearest, halves upwards; |right| in [1, 62]. */
ACC_INLINE vi_t vi_scale_once(vi_t a, vi_t multiplier, vi_t right) {
  for (int i = 0; i < 4; ++i) {
    const uint32_t by = (uint32_t)right[i] & 63; /* a file may say any */
    const uint64_t product = (uint64_t)((int64_t)a[i] * multiplier[i]);
    a[i] = (int32_t)((int64_t)(product + (UINT64_C(1) << by >> 1)) >> by);
  }
  return a;
}
/* The doubles whose halves are in the first two lanes, and in the others. */
ACC_INLINE vi_t vi_join_low(vi_t low, vi_t high) {
  return (vi_t){low[0], high[0], low[1], high[1]};
}
ACC_INLINE vi_t vi_join_high(vi_t low, vi_t high) {
  return (vi_t){low[2], high[2], low[3], high[3]};
}
ACC_INLINE vi_t vi_scale_real(vi_t sum, vi_t low, vi_t high) {
#if defined(__aarch64__)
  const float64x2_t shift = vdupq_n_f64(ARMNN_ROUNDING_SHIFT);
  const float64x2_t a = vcvtq_f64_s64(vmovl_s32(vget_low_s32((int32x4_t)sum)));
  const float64x2_t b = vcvtq_f64_s64(vmovl_high_s32((int32x4_t)sum));
  const float64x2_t c = vfmaq_f64(shift, a, (float64x2_t)low);
  const float64x2_t d = vfmaq_f64(shift, b, (float64x2_t)high);
  return (vi_t)vuzp1q_s32((int32x4_t)c, (int32x4_t)d);
#else
  double factors[4];
  memcpy(factors, &low, sizeof low);
  memcpy(factors + 2, &high, sizeof high);
  for (int i = 0; i < 4; ++i) sum[i] = armnn_rescaled_sum(sum[i], factors[i]);
  return sum;
#endif
}
/* The lowest byte of each lane, those of |a| first. */
ACC_INLINE void vi_store_bytes(uint8_t* p, vi_t a, vi_t b) {
  for (int i = 0; i < 4; ++i) {
    p[i] = (uint8_t)a[i];
    p[i + 4] = (uint8_t)b[i];
  }
}
/* A byte in each lane. */
ACC_INLINE vi_t vi_load_bytes(const uint8_t* p) { return (vi_t){p[0], p[1], p[2], p[3]}; }
ACC_INLINE vi_t vi_mul(vi_t a, vi_t b) { return a * b; }
/* Levels of |a| and |b| in turn: those of channels whose place in groups of 8 is below 4, and the
 * others. Their sums are stored in the order of the channels. */
typedef int16_t vs_t __attribute__((vector_size(16)));
ACC_INLINE vi_t vi_zip_low(vi_t a, vi_t b) {
  const vs_t x = (vs_t)a, y = (vs_t)b;
  return (vi_t)(vs_t){x[0], y[0], x[1], y[1], x[2], y[2], x[3], y[3]};
}
ACC_INLINE vi_t vi_zip_high(vi_t a, vi_t b) {
  const vs_t x = (vs_t)a, y = (vs_t)b;
  return (vi_t)(vs_t){x[4], y[4], x[5], y[5], x[6], y[6], x[7], y[7]};
}
#if defined(__aarch64__)
#define VI_HAS_NEAREST 1
ACC_INLINE vi_t vi_nearest(vf_t x) { return (vi_t)vcvtnq_s32_f32((float32x4_t)x); }
ACC_INLINE int vi_is_sure(vf_t x, vi_t nearest, vf_t most) {
  const float32x4_t off = vabdq_f32((float32x4_t)x, vcvtq_f32_s32((int32x4_t)nearest));
  return vmaxvq_u32(vcgtq_f32(off, (float32x4_t)most)) == 0;
}
#endif
/* How scaled sums become stored numbers: bounded, then the zero point added, which would not fit 32
 * bits before. */
ACC_INLINE vi_bounds_t vi_bounds(int32_t zero_point, int32_t low, int32_t high) {
  return (vi_bounds_t){vi_set(zero_point), vi_set(low - zero_point), vi_set(high - zero_point)};
}
ACC_INLINE vi_t vi_bounded(vi_t x, vi_bounds_t bounds) {
  return vi_add(vi_min(vi_max(x, bounds.low), bounds.high), bounds.zero_point);
}
/* Two vectors of sums as numbers: of neighbouring channels, and of zipped ones. */
ACC_INLINE void vi_store_numbers(uint8_t* p, vi_t a, vi_t b, vi_bounds_t bounds) {
  vi_store_bytes(p, vi_bounded(a, bounds), vi_bounded(b, bounds));
}
ACC_INLINE void vi_store_zipped(uint8_t* p, vi_t low, vi_t high, vi_bounds_t bounds) {
  vi_store_numbers(p, low, high, bounds);
}

#endif

/* a * multiplier / 2^31 rounded to the nearest, then / 2^right, halves away from zero. What
 * comes out of the product and |half|, which is 2^right / 2, are together below 2^31. If |exact|,
 * some |right| may be 0. */
ACC_INLINE vi_t vi_scale_twice(vi_t a, vi_t multiplier, vi_t right, vi_t half, int exact) {
  vi_t down = vi_shift_right(a, 31); /* -1 for negative numbers, whose halves go down */
  if (exact) down = vi_and(down, vi_is_positive(right));
  const vi_t product = vi_high_product(a, multiplier);
  return vi_shift_right_by(vi_add(vi_add(product, half), down), right);
}

#if !defined(__AVX2__)
ACC_INLINE void vi_store_two_rows(uint8_t* p, uint8_t* q, const vi_t a[2], const vi_t b[2],
                                  vi_bounds_t bounds) {
  vi_store_numbers(p, a[0], a[1], bounds);
  vi_store_numbers(q, b[0], b[1], bounds);
}
ACC_INLINE void vi_store_two_zipped(uint8_t* p, uint8_t* q, const vi_t a[2], const vi_t b[2],
                                    vi_bounds_t bounds) {
  vi_store_zipped(p, a[0], a[1], bounds);
  vi_store_zipped(q, b[0], b[1], bounds);
}
ACC_INLINE vi_t vi_scale_positive(vi_t a, vi_t multiplier, vi_t right, vi_t half) {
  return vi_scale_twice(a, multiplier, right, half, 0);
}
#endif

#endif /* ARMNN_CPU_ACC_SIMD_LEVELS_H_ */
