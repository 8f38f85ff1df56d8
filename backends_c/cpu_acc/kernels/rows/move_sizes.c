/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * move_sizes.c - copies, transposes and fills of elements of 1, 2 and 8 bytes.
 *
 * Transposes go by blocks of 16 x 16, so that lines of input and output stay in L1 while they are
 * used; the compiler makes vectors of the rest.
 */
#include <stdint.h>
#include <string.h>

#include "kernels/simd/simd.h"
#include "move.h"

enum { BLOCK = 16 };

/* Three planes of |columns| bytes to pixels of three bytes, as images come. */
enum { PLANES = 3 };

ACC_INLINE void interleave(const uint8_t* in, ptrdiff_t plane, uint8_t* out, size_t columns) {
  size_t i = 0;
#if defined(__AVX2__)
  __m128i order[PLANES][PLANES]; /* of each vector of the output, bytes of each plane */
  for (int v = 0; v < PLANES; ++v) {
    for (int p = 0; p < PLANES; ++p) {
      int8_t places[16];
      for (int b = 0; b < 16; ++b) {
        const int at = 16 * v + b;
        places[b] = (int8_t)(at % PLANES == p ? at / PLANES : -1);
      }
      order[v][p] = _mm_loadu_si128((const __m128i*)(const void*)places);
    }
  }
  for (; i + 16 <= columns; i += 16) {
    __m128i planes[PLANES];
    for (int p = 0; p < PLANES; ++p) {
      planes[p] = _mm_loadu_si128((const __m128i*)(const void*)(in + p * plane + (ptrdiff_t)i));
    }
    for (int v = 0; v < PLANES; ++v) {
      const __m128i first = _mm_shuffle_epi8(planes[0], order[v][0]);
      const __m128i others = _mm_or_si128(_mm_shuffle_epi8(planes[1], order[v][1]),
                                          _mm_shuffle_epi8(planes[2], order[v][2]));
      _mm_storeu_si128((__m128i*)(void*)(out + PLANES * i + 16 * (size_t)v),
                       _mm_or_si128(first, others));
    }
  }
#endif
  for (; i < columns; ++i) {
    for (int p = 0; p < PLANES; ++p) out[PLANES * i + (size_t)p] = in[p * plane + (ptrdiff_t)i];
  }
}

/* Functions for elements of type T, and their table; |bits| names them. */
#define DEFINE_MOVES(T, bits)                                                                      \
  static void ACC_NAME(armnn_b##bits##_transpose)(const void* from, ptrdiff_t in_stride, void* to, \
                                                  ptrdiff_t out_stride, size_t rows,               \
                                                  size_t columns) {                                \
    const T* in = from;                                                                            \
    T* out = to;                                                                                   \
    if (bits == 8 && rows == PLANES && out_stride == PLANES) {                                     \
      interleave(from, in_stride, to, columns);                                                    \
      return;                                                                                      \
    }                                                                                              \
    for (size_t c = 0; c < columns; c += BLOCK) {                                                  \
      const size_t c_end = columns - c < BLOCK ? columns : c + BLOCK;                              \
      for (size_t r = 0; r < rows; r += BLOCK) {                                                   \
        const size_t r_end = rows - r < BLOCK ? rows : r + BLOCK;                                  \
        for (size_t i = c; i < c_end; ++i) {                                                       \
          for (size_t k = r; k < r_end; ++k) {                                                     \
            out[(ptrdiff_t)i * out_stride + (ptrdiff_t)k] =                                        \
                in[(ptrdiff_t)k * in_stride + (ptrdiff_t)i];                                       \
          }                                                                                        \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static void ACC_NAME(armnn_b##bits##_copy_rows)(const void* from, ptrdiff_t in_stride, void* to, \
                                                  ptrdiff_t out_stride, size_t rows,               \
                                                  size_t columns) {                                \
    const T* in = from;                                                                            \
    T* out = to;                                                                                   \
    for (size_t r = 0; r < rows; ++r, in += in_stride, out += out_stride) {                        \
      if (columns >= 64) {                                                                         \
        memcpy(out, in, columns * sizeof(T));                                                      \
      } else {                                                                                     \
        for (size_t c = 0; c < columns; ++c) out[c] = in[c];                                       \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static void ACC_NAME(armnn_b##bits##_gather_strided)(const void* from, ptrdiff_t stride,         \
                                                       void* to, size_t count) {                   \
    const T* in = from;                                                                            \
    T* out = to;                                                                                   \
    for (size_t i = 0; i < count; ++i) out[i] = in[(ptrdiff_t)i * stride];                         \
  }                                                                                                \
  static void ACC_NAME(armnn_b##bits##_fill)(void* to, size_t count, const void* element) {        \
    T value;                                                                                       \
    T* out = to;                                                                                   \
    memcpy(&value, element, sizeof value);                                                         \
    for (size_t i = 0; i < count; ++i) out[i] = value;                                             \
  }                                                                                                \
  extern const armnn_i_acc_move_kernels_t ACC_NAME(armnn_i_acc_move_kernels_##bits);               \
  const armnn_i_acc_move_kernels_t ACC_NAME(armnn_i_acc_move_kernels_##bits) = {                   \
      .transpose = ACC_NAME(armnn_b##bits##_transpose),                                            \
      .copy = ACC_NAME(armnn_b##bits##_copy_rows),                                                 \
      .gather = ACC_NAME(armnn_b##bits##_gather_strided),                                          \
      .fill = ACC_NAME(armnn_b##bits##_fill),                                                      \
      .copy_name = "armnn_b" #bits "_copy_rows__" ACC_ISA_TEXT,                                    \
      .transpose_name = "armnn_b" #bits "_transpose__" ACC_ISA_TEXT,                               \
      .pad_name = "armnn_b" #bits "_pad__" ACC_ISA_TEXT,                                           \
      .resize_name = "armnn_b" #bits "_resize__" ACC_ISA_TEXT,                                     \
  };

DEFINE_MOVES(uint8_t, 8)
DEFINE_MOVES(uint16_t, 16)
DEFINE_MOVES(uint64_t, 64)
