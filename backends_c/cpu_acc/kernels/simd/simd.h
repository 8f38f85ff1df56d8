/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * simd.h - one vector of floats, by the instruction set that this file is compiled for.
 *
 * Kernels are written once against vf_t (VF_LANES floats), vi_t (as many int32) and vm_t (a mask),
 * and compiled once per instruction set with ACC_ISA set to its name. A kernel may use what is
 * below and nothing of the compiler's intrinsics, unless it has a better way for one instruction
 * set and says so. VF_REGISTERS is how many vectors fit the register file.
 */
#ifndef ARMNN_CPU_ACC_SIMD_H_
#define ARMNN_CPU_ACC_SIMD_H_

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ACC_INLINE static inline __attribute__((always_inline))

/* Before loops over rows and vectors of a tile, whose counts are constants: all of it is written
 * out. Not with sanitizers: every index is then checked, and a compiler needs a third of the time.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNROLLED
#elif defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 32")
#endif

#define ACC_PASTE_(a, b) a##__##b
#define ACC_PASTE(a, b) ACC_PASTE_(a, b)
/* name -> name__avx2: every symbol that a kernel file exports goes through this. */
#define ACC_NAME(name) ACC_PASTE(name, ACC_ISA)
#define ACC_TEXT_(x) #x
#define ACC_TEXT(x) ACC_TEXT_(x)
#define ACC_ISA_TEXT ACC_TEXT(ACC_ISA)

#if defined(__AMX_INT8__) || defined(__AMXINT8__) /* its name in Clang before version 17 */
#define ACC_HAS_AMX 1
#endif

#if defined(__AVX512F__)

#include <immintrin.h>
#define VF_LANES 16
#define VF_REGISTERS 32
typedef __m512 vf_t;
typedef __m512i vi_t;
typedef __mmask16 vm_t;

ACC_INLINE vf_t vf_set(float x) { return _mm512_set1_ps(x); }
ACC_INLINE vf_t vf_load(const float* p) { return _mm512_loadu_ps(p); }
ACC_INLINE void vf_store(float* p, vf_t x) { _mm512_storeu_ps(p, x); }
ACC_INLINE vm_t vm_first(size_t n) { return (vm_t)(n >= 16 ? 0xffffu : (1u << n) - 1u); }
ACC_INLINE vf_t vf_load_masked(const float* p, vm_t m) { return _mm512_maskz_loadu_ps(m, p); }
ACC_INLINE void vf_store_masked(float* p, vf_t x, vm_t m) { _mm512_mask_storeu_ps(p, m, x); }
ACC_INLINE vf_t vf_add(vf_t a, vf_t b) { return _mm512_add_ps(a, b); }
ACC_INLINE vf_t vf_sub(vf_t a, vf_t b) { return _mm512_sub_ps(a, b); }
ACC_INLINE vf_t vf_mul(vf_t a, vf_t b) { return _mm512_mul_ps(a, b); }
ACC_INLINE vf_t vf_div(vf_t a, vf_t b) { return _mm512_div_ps(a, b); }
ACC_INLINE vf_t vf_fma(vf_t a, vf_t b, vf_t c) { return _mm512_fmadd_ps(a, b, c); }
/* If either is not a number: the second operand. */
ACC_INLINE vf_t vf_max(vf_t a, vf_t b) { return _mm512_max_ps(a, b); }
ACC_INLINE vf_t vf_min(vf_t a, vf_t b) { return _mm512_min_ps(a, b); }
ACC_INLINE vf_t vf_sqrt(vf_t a) { return _mm512_sqrt_ps(a); }
ACC_INLINE vf_t vf_floor(vf_t a) { return _mm512_roundscale_ps(a, 0x09); }
ACC_INLINE vf_t vf_ceil(vf_t a) { return _mm512_roundscale_ps(a, 0x0a); }
ACC_INLINE vi_t vi_set(int32_t x) { return _mm512_set1_epi32(x); }
ACC_INLINE vf_t vf_of_vi(vi_t a) { return _mm512_cvtepi32_ps(a); }
ACC_INLINE vi_t vi_cast(vf_t a) { return _mm512_castps_si512(a); }
ACC_INLINE vf_t vf_cast(vi_t a) { return _mm512_castsi512_ps(a); }
ACC_INLINE vi_t vi_add(vi_t a, vi_t b) { return _mm512_add_epi32(a, b); }
ACC_INLINE vi_t vi_sub(vi_t a, vi_t b) { return _mm512_sub_epi32(a, b); }
ACC_INLINE vi_t vi_and(vi_t a, vi_t b) { return _mm512_and_si512(a, b); }
ACC_INLINE vi_t vi_or(vi_t a, vi_t b) { return _mm512_or_si512(a, b); }
ACC_INLINE vi_t vi_xor(vi_t a, vi_t b) { return _mm512_xor_si512(a, b); }
#define vi_shift_left(a, n) _mm512_slli_epi32(a, n)
#define vi_shift_right(a, n) _mm512_srai_epi32(a, n) /* keeps the sign */
ACC_INLINE vm_t vf_less(vf_t a, vf_t b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
ACC_INLINE vm_t vf_is_nan(vf_t a) { return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q); }
ACC_INLINE int vm_any(vm_t m) { return m != 0; }
/* m ? a : b, lane by lane. */
ACC_INLINE vf_t vf_select(vm_t m, vf_t a, vf_t b) { return _mm512_mask_blend_ps(m, b, a); }
ACC_INLINE float vf_sum(vf_t a) { return _mm512_reduce_add_ps(a); }
ACC_INLINE float vf_most(vf_t a) { return _mm512_reduce_max_ps(a); }

#elif defined(__AVX2__)

#include <immintrin.h>
#define VF_LANES 8
#define VF_REGISTERS 16
typedef __m256 vf_t;
typedef __m256i vi_t;
typedef __m256i vm_t; /* all bits of a lane */

ACC_INLINE vf_t vf_set(float x) { return _mm256_set1_ps(x); }
ACC_INLINE vf_t vf_load(const float* p) { return _mm256_loadu_ps(p); }
ACC_INLINE void vf_store(float* p, vf_t x) { _mm256_storeu_ps(p, x); }
ACC_INLINE vm_t vm_first(size_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n > 8 ? 8 : (int)n),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
ACC_INLINE vf_t vf_load_masked(const float* p, vm_t m) { return _mm256_maskload_ps(p, m); }
ACC_INLINE void vf_store_masked(float* p, vf_t x, vm_t m) { _mm256_maskstore_ps(p, m, x); }
ACC_INLINE vf_t vf_add(vf_t a, vf_t b) { return _mm256_add_ps(a, b); }
ACC_INLINE vf_t vf_sub(vf_t a, vf_t b) { return _mm256_sub_ps(a, b); }
ACC_INLINE vf_t vf_mul(vf_t a, vf_t b) { return _mm256_mul_ps(a, b); }
ACC_INLINE vf_t vf_div(vf_t a, vf_t b) { return _mm256_div_ps(a, b); }
ACC_INLINE vf_t vf_fma(vf_t a, vf_t b, vf_t c) { return _mm256_fmadd_ps(a, b, c); }
ACC_INLINE vf_t vf_max(vf_t a, vf_t b) { return _mm256_max_ps(a, b); }
ACC_INLINE vf_t vf_min(vf_t a, vf_t b) { return _mm256_min_ps(a, b); }
ACC_INLINE vf_t vf_sqrt(vf_t a) { return _mm256_sqrt_ps(a); }
ACC_INLINE vf_t vf_floor(vf_t a) { return _mm256_round_ps(a, 0x09); }
ACC_INLINE vf_t vf_ceil(vf_t a) { return _mm256_round_ps(a, 0x0a); }
ACC_INLINE vi_t vi_set(int32_t x) { return _mm256_set1_epi32(x); }
ACC_INLINE vf_t vf_of_vi(vi_t a) { return _mm256_cvtepi32_ps(a); }
ACC_INLINE vi_t vi_cast(vf_t a) { return _mm256_castps_si256(a); }
ACC_INLINE vf_t vf_cast(vi_t a) { return _mm256_castsi256_ps(a); }
ACC_INLINE vi_t vi_add(vi_t a, vi_t b) { return _mm256_add_epi32(a, b); }
ACC_INLINE vi_t vi_sub(vi_t a, vi_t b) { return _mm256_sub_epi32(a, b); }
ACC_INLINE vi_t vi_and(vi_t a, vi_t b) { return _mm256_and_si256(a, b); }
ACC_INLINE vi_t vi_or(vi_t a, vi_t b) { return _mm256_or_si256(a, b); }
ACC_INLINE vi_t vi_xor(vi_t a, vi_t b) { return _mm256_xor_si256(a, b); }
#define vi_shift_left(a, n) _mm256_slli_epi32(a, n)
#define vi_shift_right(a, n) _mm256_srai_epi32(a, n)
ACC_INLINE vm_t vf_less(vf_t a, vf_t b) {
  return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
ACC_INLINE vm_t vf_is_nan(vf_t a) { return _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q)); }
ACC_INLINE int vm_any(vm_t m) { return _mm256_movemask_epi8(m) != 0; }
ACC_INLINE vf_t vf_select(vm_t m, vf_t a, vf_t b) {
  return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(m));
}
ACC_INLINE float vf_sum(vf_t a) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
ACC_INLINE float vf_most(vf_t a) {
  __m128 s = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  s = _mm_max_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}

#else

/* NEON, and any other machine: vectors of four by the compiler's own vector types. */
#define VF_LANES 4
#if defined(__aarch64__)
#define VF_REGISTERS 32
#else
#define VF_REGISTERS 16
#endif
typedef float vf_t __attribute__((vector_size(16)));
typedef int32_t vi_t __attribute__((vector_size(16)));
typedef vi_t vm_t;
typedef uint32_t vu_t __attribute__((vector_size(16))); /* whose sums and shifts wrap */

ACC_INLINE vf_t vf_set(float x) { return (vf_t){x, x, x, x}; }
ACC_INLINE vf_t vf_load(const float* p) {
  vf_t x;
  memcpy(&x, p, sizeof x);
  return x;
}
ACC_INLINE void vf_store(float* p, vf_t x) { memcpy(p, &x, sizeof x); }
ACC_INLINE vi_t vi_set(int32_t x) { return (vi_t){x, x, x, x}; }
ACC_INLINE vm_t vm_first(size_t n) { return vi_set(n > 4 ? 4 : (int32_t)n) > (vi_t){0, 1, 2, 3}; }
ACC_INLINE vf_t vf_load_masked(const float* p, vm_t m) {
  vf_t x = vf_set(0.0f);
  for (int i = 0; i < 4; ++i) {
    if (m[i] != 0) x[i] = p[i];
  }
  return x;
}
ACC_INLINE void vf_store_masked(float* p, vf_t x, vm_t m) {
  for (int i = 0; i < 4; ++i) {
    if (m[i] != 0) p[i] = x[i];
  }
}
ACC_INLINE vf_t vf_add(vf_t a, vf_t b) { return a + b; }
ACC_INLINE vf_t vf_sub(vf_t a, vf_t b) { return a - b; }
ACC_INLINE vf_t vf_mul(vf_t a, vf_t b) { return a * b; }
ACC_INLINE vf_t vf_div(vf_t a, vf_t b) { return a / b; }
#if defined(__aarch64__)
#include <arm_neon.h>
ACC_INLINE vf_t vf_fma(vf_t a, vf_t b, vf_t c) {
  return (vf_t)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
#else
ACC_INLINE vf_t vf_fma(vf_t a, vf_t b, vf_t c) { return a * b + c; }
#endif
ACC_INLINE vi_t vi_cast(vf_t a) { return (vi_t)a; }
ACC_INLINE vf_t vf_cast(vi_t a) { return (vf_t)a; }
ACC_INLINE vf_t vf_select(vm_t m, vf_t a, vf_t b) { return (vf_t)(((vi_t)a & m) | ((vi_t)b & ~m)); }
ACC_INLINE vm_t vf_less(vf_t a, vf_t b) { return a < b; }
ACC_INLINE vm_t vf_is_nan(vf_t a) { return a != a; }
ACC_INLINE int vm_any(vm_t m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }
ACC_INLINE vf_t vf_max(vf_t a, vf_t b) { return vf_select(a > b, a, b); }
ACC_INLINE vf_t vf_min(vf_t a, vf_t b) { return vf_select(a < b, a, b); }
#define VF_BY_LANE(name, function) \
  ACC_INLINE vf_t name(vf_t a) {   \
    for (int i = 0; i < 4; ++i) {  \
      a[i] = function(a[i]);       \
    }                              \
    return a;                      \
  }
VF_BY_LANE(vf_sqrt, sqrtf)
VF_BY_LANE(vf_floor, floorf)
VF_BY_LANE(vf_ceil, ceilf)
#undef VF_BY_LANE
ACC_INLINE vf_t vf_of_vi(vi_t a) { return __builtin_convertvector(a, vf_t); }
ACC_INLINE vi_t vi_add(vi_t a, vi_t b) { return (vi_t)((vu_t)a + (vu_t)b); }
ACC_INLINE vi_t vi_sub(vi_t a, vi_t b) { return (vi_t)((vu_t)a - (vu_t)b); }
ACC_INLINE vi_t vi_and(vi_t a, vi_t b) { return a & b; }
ACC_INLINE vi_t vi_or(vi_t a, vi_t b) { return a | b; }
ACC_INLINE vi_t vi_xor(vi_t a, vi_t b) { return a ^ b; }
#define vi_shift_left(a, n) ((vi_t)((vu_t)(a) << (n)))
#define vi_shift_right(a, n) ((a) >> (n))
ACC_INLINE float vf_sum(vf_t a) { return (a[0] + a[2]) + (a[1] + a[3]); }
ACC_INLINE float vf_most(vf_t a) {
  const float x = a[0] > a[2] ? a[0] : a[2], y = a[1] > a[3] ? a[1] : a[3];
  return x > y ? x : y;
}

#endif

/* The compiler may not load |x| again where it is used; _HERE: nor earlier than here. */
#if defined(__AVX512F__)
#define ACC_VECTOR "+v"
#elif defined(__x86_64__)
#define ACC_VECTOR "+x"
#elif defined(__aarch64__)
#define ACC_VECTOR "+w"
#endif
#if defined(ACC_VECTOR)
#define ACC_KEEP(x) __asm__("" : ACC_VECTOR(x))
#define ACC_KEEP_HERE(x) __asm__ volatile("" : ACC_VECTOR(x))
#else
#define ACC_KEEP(x) (void)(x)
#define ACC_KEEP_HERE(x) (void)(x)
#endif

/* What |pointer| points at is loaded again behind this: it need not stay in registers. */
#define ACC_READ_AGAIN(pointer) __asm__("" : "+r"(pointer))

/* The first |n| lanes, all of them or some: for loops over arrays of any length. */
ACC_INLINE vf_t vf_load_first(const float* p, size_t n) {
  return n >= VF_LANES ? vf_load(p) : vf_load_masked(p, vm_first(n));
}
ACC_INLINE void vf_store_first(float* p, vf_t x, size_t n) {
  if (n >= VF_LANES) {
    vf_store(p, x);
  } else {
    vf_store_masked(p, x, vm_first(n));
  }
}

#endif /* ARMNN_CPU_ACC_SIMD_H_ */
