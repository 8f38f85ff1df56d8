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

#include "move.h"
#include "simd.h"

enum { BLOCK = 16 };

/* Functions for elements of type T, and their table; |bits| names them. */
#define DEFINE_MOVES(T, bits)                                                                      \
  static void ACC_NAME(armnn_b##bits##_transpose)(const void* from, ptrdiff_t in_stride, void* to, \
                                                  ptrdiff_t out_stride, size_t rows,               \
                                                  size_t columns) {                                \
    const T* in = from;                                                                            \
    T* out = to;                                                                                   \
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
