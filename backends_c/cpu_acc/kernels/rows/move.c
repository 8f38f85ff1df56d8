/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * move.c - copies, transposes and fills of elements of four bytes, and blends of float32.
 *
 * Transposes go by square blocks in registers, 16 x 16, 8 x 8 or 4 x 4 floats: all columns of a
 * strip of rows of the output, so that what is written stays together. Images of few channels (3
 * colours) have their own loops.
 */
#include "move.h"

#include "kernels/simd/simd.h"

/* ---- 4 x 4 --------------------------------------------------------------------------------- */

#if defined(__x86_64__) || defined(__aarch64__)
#define HAS_QUADS 1
#if defined(__x86_64__)
#include <immintrin.h>
typedef __m128 quad_t;
ACC_INLINE quad_t quad_load(const float* p) { return _mm_loadu_ps(p); }
ACC_INLINE void quad_store(float* p, quad_t x) { _mm_storeu_ps(p, x); }
ACC_INLINE void quad_turn(quad_t q[4]) { _MM_TRANSPOSE4_PS(q[0], q[1], q[2], q[3]); }
#else
#include <arm_neon.h>
typedef float32x4_t quad_t;
ACC_INLINE quad_t quad_load(const float* p) { return vld1q_f32(p); }
ACC_INLINE void quad_store(float* p, quad_t x) { vst1q_f32(p, x); }
ACC_INLINE void quad_turn(quad_t q[4]) {
  const float64x2_t a = vreinterpretq_f64_f32(vtrn1q_f32(q[0], q[1]));
  const float64x2_t b = vreinterpretq_f64_f32(vtrn2q_f32(q[0], q[1]));
  const float64x2_t c = vreinterpretq_f64_f32(vtrn1q_f32(q[2], q[3]));
  const float64x2_t d = vreinterpretq_f64_f32(vtrn2q_f32(q[2], q[3]));
  q[0] = vreinterpretq_f32_f64(vtrn1q_f64(a, c));
  q[1] = vreinterpretq_f32_f64(vtrn1q_f64(b, d));
  q[2] = vreinterpretq_f32_f64(vtrn2q_f64(a, c));
  q[3] = vreinterpretq_f32_f64(vtrn2q_f64(b, d));
}
#endif
#else
#define HAS_QUADS 0
#endif

static void turn_any(const float* in, ptrdiff_t in_stride, float* out, ptrdiff_t out_stride,
                     size_t rows, size_t columns) {
  for (size_t c = 0; c < columns; ++c) {
    for (size_t r = 0; r < rows; ++r) {
      out[(ptrdiff_t)c * out_stride + (ptrdiff_t)r] = in[(ptrdiff_t)r * in_stride + (ptrdiff_t)c];
    }
  }
}

/* By 4 x 4, and the rest one by one. */
static void turn_small(const float* in, ptrdiff_t in_stride, float* out, ptrdiff_t out_stride,
                       size_t rows, size_t columns) {
  size_t r = 0;
#if HAS_QUADS
  for (; r + 4 <= rows; r += 4) {
    const float* from = in + (ptrdiff_t)r * in_stride;
    size_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      quad_t q[4];
      for (int i = 0; i < 4; ++i) q[i] = quad_load(from + i * in_stride + (ptrdiff_t)c);
      quad_turn(q);
      for (int i = 0; i < 4; ++i) {
        quad_store(out + ((ptrdiff_t)c + i) * out_stride + (ptrdiff_t)r, q[i]);
      }
    }
    turn_any(from + c, in_stride, out + (ptrdiff_t)c * out_stride + r, out_stride, 4, columns - c);
  }
#endif
  turn_any(in + (ptrdiff_t)r * in_stride, in_stride, out + r, out_stride, rows - r, columns);
}

/* ---- 8 x 8 and 16 x 16 --------------------------------------------------------------------- */

#if defined(__AVX512F__)
enum { BLOCK = 16 };

/* Vector i of group g: columns 4 g .. 4 g + 3 of rows i, i + 4, i + 8, i + 12; then each group is
 * four 4 x 4 transposes side by side. */
ACC_INLINE void turn_block(const float* in, ptrdiff_t in_stride, float* out, ptrdiff_t out_stride) {
  UNROLLED for (int g = 0; g < 4; ++g) {
    __m512 x[4];
    UNROLLED for (int i = 0; i < 4; ++i) {
      const float* from = in + i * in_stride + 4 * g;
      __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(from));
      v = _mm512_insertf32x4(v, _mm_loadu_ps(from + 4 * in_stride), 1);
      v = _mm512_insertf32x4(v, _mm_loadu_ps(from + 8 * in_stride), 2);
      x[i] = _mm512_insertf32x4(v, _mm_loadu_ps(from + 12 * in_stride), 3);
    }
    const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(x[0], x[1]));
    const __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps(x[0], x[1]));
    const __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(x[2], x[3]));
    const __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps(x[2], x[3]));
    float* to = out + 4 * g * out_stride;
    _mm512_storeu_ps(to, _mm512_castpd_ps(_mm512_unpacklo_pd(a, c)));
    _mm512_storeu_ps(to + out_stride, _mm512_castpd_ps(_mm512_unpackhi_pd(a, c)));
    _mm512_storeu_ps(to + 2 * out_stride, _mm512_castpd_ps(_mm512_unpacklo_pd(b, d)));
    _mm512_storeu_ps(to + 3 * out_stride, _mm512_castpd_ps(_mm512_unpackhi_pd(b, d)));
  }
}
#elif defined(__AVX2__)
enum { BLOCK = 8 };

ACC_INLINE void turn_block(const float* in, ptrdiff_t in_stride, float* out, ptrdiff_t out_stride) {
  UNROLLED for (int g = 0; g < 2; ++g) {
    __m256 x[4];
    UNROLLED for (int i = 0; i < 4; ++i) {
      const float* from = in + i * in_stride + 4 * g;
      x[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from)),
                                  _mm_loadu_ps(from + 4 * in_stride), 1);
    }
    const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(x[0], x[1]));
    const __m256d b = _mm256_castps_pd(_mm256_unpackhi_ps(x[0], x[1]));
    const __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(x[2], x[3]));
    const __m256d d = _mm256_castps_pd(_mm256_unpackhi_ps(x[2], x[3]));
    float* to = out + 4 * g * out_stride;
    _mm256_storeu_ps(to, _mm256_castpd_ps(_mm256_unpacklo_pd(a, c)));
    _mm256_storeu_ps(to + out_stride, _mm256_castpd_ps(_mm256_unpackhi_pd(a, c)));
    _mm256_storeu_ps(to + 2 * out_stride, _mm256_castpd_ps(_mm256_unpacklo_pd(b, d)));
    _mm256_storeu_ps(to + 3 * out_stride, _mm256_castpd_ps(_mm256_unpackhi_pd(b, d)));
  }
}
#else
enum { BLOCK = 4 };

ACC_INLINE void turn_block(const float* in, ptrdiff_t in_stride, float* out, ptrdiff_t out_stride) {
  turn_small(in, in_stride, out, out_stride, 4, 4);
}
#endif

/* ---- Few rows or columns ------------------------------------------------------------------- */

#if HAS_QUADS
/* Up to 4 rows become pixels of as many channels without gaps. Whole quads are stored, in ascending
 * order: the floats of a quad that are too many are overwritten by the next pixel. The last pixels
 * are done one by one. */
static size_t interleave(const float* in, ptrdiff_t in_stride, float* out, size_t rows,
                         size_t columns) {
  size_t c = 0;
  for (; c + 8 <= columns; c += 4) {
    quad_t q[4];
    for (size_t i = 0; i < 4; ++i) {
      q[i] = quad_load(in + (ptrdiff_t)(i < rows ? i : 0) * in_stride + (ptrdiff_t)c);
    }
    quad_turn(q);
    for (size_t i = 0; i < 4; ++i) quad_store(out + (c + i) * rows, q[i]);
  }
  return c;
}

/* The reverse: pixels of up to 4 channels become planes. Whole quads are read; not those of the
 * last pixels, which would be behind the end. */
static size_t deinterleave(const float* in, ptrdiff_t in_stride, float* out, ptrdiff_t out_stride,
                           size_t rows, size_t columns) {
  size_t r = 0;
  for (; r + 8 <= rows; r += 4) {
    quad_t q[4];
    for (int i = 0; i < 4; ++i) q[i] = quad_load(in + ((ptrdiff_t)r + i) * in_stride);
    quad_turn(q);
    for (size_t c = 0; c < columns; ++c) {
      quad_store(out + (ptrdiff_t)c * out_stride + (ptrdiff_t)r, q[c]);
    }
  }
  return r;
}
#endif

static void ACC_NAME(armnn_f32_transpose)(const void* from, ptrdiff_t in_stride, void* to,
                                          ptrdiff_t out_stride, size_t rows, size_t columns) {
  const float* in = from;
  float* out = to;
#if HAS_QUADS
  if (rows <= 4 && out_stride == (ptrdiff_t)rows) {
    const size_t done = interleave(in, in_stride, out, rows, columns);
    turn_any(in + done, in_stride, out + done * rows, out_stride, rows, columns - done);
    return;
  }
  if (columns <= 4 && in_stride >= 1) {
    const size_t done = deinterleave(in, in_stride, out, out_stride, rows, columns);
    turn_any(in + (ptrdiff_t)done * in_stride, in_stride, out + done, out_stride, rows - done,
             columns);
    return;
  }
#endif
  size_t c = 0;
  for (; c + BLOCK <= columns; c += BLOCK) {
    size_t r = 0;
    for (; r + BLOCK <= rows; r += BLOCK) {
      turn_block(in + (ptrdiff_t)r * in_stride + (ptrdiff_t)c, in_stride,
                 out + (ptrdiff_t)c * out_stride + (ptrdiff_t)r, out_stride);
    }
    turn_small(in + (ptrdiff_t)r * in_stride + (ptrdiff_t)c, in_stride,
               out + (ptrdiff_t)c * out_stride + (ptrdiff_t)r, out_stride, rows - r, BLOCK);
  }
  turn_small(in + c, in_stride, out + (ptrdiff_t)c * out_stride, out_stride, rows, columns - c);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void ACC_NAME(armnn_f32_copy_rows)(const void* from, ptrdiff_t in_stride, void* to,
                                          ptrdiff_t out_stride, size_t rows, size_t columns) {
  const float* in = from;
  float* out = to;
  if (columns >= 256) {
    for (size_t r = 0; r < rows; ++r, in += in_stride, out += out_stride) {
      memcpy(out, in, columns * sizeof(float));
    }
    return;
  }
#if VF_LANES == 16
  const size_t whole = columns / VF_LANES * VF_LANES;
  const vm_t rest = vm_first(columns - whole);
  for (size_t r = 0; r < rows; ++r, in += in_stride, out += out_stride) {
    for (size_t c = 0; c < whole; c += VF_LANES) vf_store(out + c, vf_load(in + c));
    vf_store_masked(out + whole, vf_load_masked(in + whole, rest), rest);
  }
#else
  for (size_t r = 0; r < rows; ++r, in += in_stride, out += out_stride) {
    size_t c = 0;
    for (; c + VF_LANES <= columns; c += VF_LANES) vf_store(out + c, vf_load(in + c));
    for (; c < columns; ++c) out[c] = in[c];
  }
#endif
}

static void ACC_NAME(armnn_f32_gather_strided)(const void* from, ptrdiff_t stride, void* to,
                                               size_t count) {
  const float* in = from;
  float* out = to;
  if (stride == 2) { /* every other pixel: a constant stride becomes shuffles */
    for (size_t i = 0; i < count; ++i) out[i] = in[2 * i];
    return;
  }
  for (size_t i = 0; i < count; ++i) out[i] = in[(ptrdiff_t)i * stride];
}

static void ACC_NAME(armnn_f32_fill)(void* to, size_t count, const void* element) {
  float value;
  float* out = to;
  memcpy(&value, element, sizeof value);
  const vf_t x = vf_set(value);
  size_t i = 0;
  for (; i + VF_LANES <= count; i += VF_LANES) vf_store(out + i, x);
  for (; i < count; ++i) out[i] = value;
}

static void ACC_NAME(armnn_f32_blend)(const float* const from[4], float across, float down,
                                      float* out, size_t count) {
  const float *p = from[0], *q = from[1], *r = from[2], *s = from[3];
  const vf_t x = vf_set(across), y = vf_set(down);
  for (size_t i = 0; i < count; i += VF_LANES) {
    const size_t left = count - i;
    const vf_t a = vf_load_first(p + i, left), b = vf_load_first(q + i, left);
    const vf_t c = vf_load_first(r + i, left), d = vf_load_first(s + i, left);
    const vf_t top = vf_fma(vf_sub(b, a), x, a), bottom = vf_fma(vf_sub(d, c), x, c);
    vf_store_first(out + i, vf_fma(vf_sub(bottom, top), y, top), left);
  }
}

extern const armnn_i_acc_move_kernels_t ACC_NAME(armnn_i_acc_move_kernels);
const armnn_i_acc_move_kernels_t ACC_NAME(armnn_i_acc_move_kernels) = {
    .transpose = ACC_NAME(armnn_f32_transpose),
    .copy = ACC_NAME(armnn_f32_copy_rows),
    .gather = ACC_NAME(armnn_f32_gather_strided),
    .fill = ACC_NAME(armnn_f32_fill),
    .blend = ACC_NAME(armnn_f32_blend),
    .copy_name = "armnn_f32_copy_rows__" ACC_ISA_TEXT,
    .transpose_name = "armnn_f32_transpose__" ACC_ISA_TEXT
                      "_" ACC_TEXT(VF_LANES) "x" ACC_TEXT(VF_LANES),
    .pad_name = "armnn_f32_pad__" ACC_ISA_TEXT,
    .resize_name = "armnn_f32_resize__" ACC_ISA_TEXT,
};
