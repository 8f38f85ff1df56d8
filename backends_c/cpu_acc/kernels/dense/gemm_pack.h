/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gemm_pack.h - part of gemm.c: weights in any order become rows of a panel.
 *
 * Most of the time of loading a network goes into this and into reading its file. Where a column's
 * weights lie in one run (OIHW, OHWI, transposed matrices), blocks of 4 x 4 are turned in
 * registers.
 */
#ifndef ARMNN_CPU_ACC_GEMM_PACK_H_
#define ARMNN_CPU_ACC_GEMM_PACK_H_

#if defined(__SSE2__)
#include <xmmintrin.h>

/* out[i][0..3] = in[0..3][i] */
ACC_INLINE void turn_block(float* const* out, size_t column, const float* in, int64_t stride) {
  __m128 a = _mm_loadu_ps(in), b = _mm_loadu_ps(in + stride);
  __m128 c = _mm_loadu_ps(in + 2 * stride), d = _mm_loadu_ps(in + 3 * stride);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  _mm_storeu_ps(out[0] + column, a);
  _mm_storeu_ps(out[1] + column, b);
  _mm_storeu_ps(out[2] + column, c);
  _mm_storeu_ps(out[3] + column, d);
}
#elif defined(__aarch64__)
ACC_INLINE void turn_block(float* const* out, size_t column, const float* in, int64_t stride) {
  const float32x4_t a = vld1q_f32(in), b = vld1q_f32(in + stride);
  const float32x4_t c = vld1q_f32(in + 2 * stride), d = vld1q_f32(in + 3 * stride);
  const float32x4x2_t ac = vzipq_f32(a, c), bd = vzipq_f32(b, d);
  const float32x4x2_t lower = vzipq_f32(ac.val[0], bd.val[0]);
  const float32x4x2_t upper = vzipq_f32(ac.val[1], bd.val[1]);
  vst1q_f32(out[0] + column, lower.val[0]);
  vst1q_f32(out[1] + column, lower.val[1]);
  vst1q_f32(out[2] + column, upper.val[0]);
  vst1q_f32(out[3] + column, upper.val[1]);
}
#else
ACC_INLINE void turn_block(float* const* out, size_t column, const float* in, int64_t stride) {
  for (int i = 0; i < 4; ++i) {
    for (int o = 0; o < 4; ++o) out[i][column + o] = in[o * stride + i];
  }
}
#endif

/* |count| floats, at most 16, of each column to |rows|. */
static void pack_rows(float* const* rows, uint64_t count, const float* in, uint32_t columns,
                      int64_t stride_o, int64_t stride_k) {
  if (stride_o == 1) {
    for (uint64_t i = 0; i < count; ++i) {
      memcpy(rows[i], in + (int64_t)i * stride_k, columns * sizeof(float));
    }
    return;
  }
  uint64_t turned = 0;
  const uint32_t whole = columns / 4 * 4;
  if (stride_k == 1) {
    for (uint32_t o = 0; o < whole; o += 4) {
      const float* from = in + (int64_t)o * stride_o;
      for (turned = 0; turned + 4 <= count; turned += 4) {
        turn_block(rows + turned, o, from + turned, stride_o);
      }
    }
  }
  for (uint32_t o = 0; o < columns; ++o) {
    const float* from = in + (int64_t)o * stride_o;
    for (uint64_t i = o < whole ? turned : 0; i < count; ++i) {
      rows[i][o] = from[(int64_t)i * stride_k];
    }
  }
}

/* Sixteen floats of each column at a time: their lines, and those of |out|, stay in the first
 * cache while the columns pass. */
static void pack(float* out, uint32_t width, const float* in, uint32_t columns, int64_t stride_o,
                 int64_t stride_k, uint64_t count, uint64_t taps, uint64_t depth) {
  uint64_t tap = 0, row = 0; /* k % taps and k / taps */
  for (uint64_t k = 0; k < count; k += 16) {
    const uint64_t n = count - k < 16 ? count - k : 16;
    float* rows[16];
    for (uint64_t i = 0; i < n; ++i) {
      rows[i] = out + (tap * depth + row) * width;
      if (++tap == taps) {
        tap = 0;
        ++row;
      }
      for (uint32_t o = columns; o < width; ++o) rows[i][o] = 0.0f;
    }
    pack_rows(rows, n, in + (int64_t)k * stride_k, columns, stride_o, stride_k);
  }
}

#endif /* ARMNN_CPU_ACC_GEMM_PACK_H_ */
