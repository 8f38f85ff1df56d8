/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * tile.h - the inner product of convolutions and matrices, on square tiles that fit a small cache.
 *
 * A tile lives on the stack, so that kernels need no scratch and any number of threads may work.
 */
#ifndef ARMNN_CPU_REF_TILE_H_
#define ARMNN_CPU_REF_TILE_H_

#include "geometry.h"

enum { ARMNN_REF_TILE = 64 };

typedef float armnn_i_ref_tile_t[ARMNN_REF_TILE][ARMNN_REF_TILE];

/* sum[m][n] += left(m, k) * right[k][n] over k < |depth|, for m < |rows| and n < |columns|, where
 * left(m, k) is left[m * left_row + k * left_step]. Columns are worked on in groups of eight:
 * |right| must be filled, with anything finite, up to the next multiple of eight. */
void armnn_i_ref_tile_multiply(const float* left, int64_t left_row, int64_t left_step, int64_t rows,
                               int64_t depth, armnn_i_ref_tile_t right, int64_t columns,
                               armnn_i_ref_tile_t sum);

/* |columns| rounded up as armnn_i_ref_tile_multiply reads them. */
static inline int64_t armnn_i_ref_tile_columns(int64_t columns) {
  return (int64_t)armnn_div_up((uint64_t)columns, 8) * 8;
}

/* Tiles that cover |count| elements, and the elements of the tile that starts at |from|. */
static inline int64_t armnn_i_ref_tiles(int64_t count) {
  return (int64_t)armnn_div_up((uint64_t)count, ARMNN_REF_TILE);
}

static inline int64_t armnn_i_ref_part(int64_t count, int64_t from) {
  return count - from < ARMNN_REF_TILE ? count - from : ARMNN_REF_TILE;
}

/* Sets each row to its |value|, or to zero if |values| is null. */
void armnn_i_ref_tile_fill(armnn_i_ref_tile_t sum, int64_t rows, const float* values);

/* out[m * out_row + n * out_column] = sum[m][n] */
void armnn_i_ref_tile_store(armnn_i_ref_tile_t sum, int64_t rows, int64_t columns, float* out,
                            int64_t out_row, int64_t out_column);

/* The pixels that one tap of a window sees at |columns| consecutive output positions: position p of
 * a plane |row_length| wide sees pixel (p / row_length * stride_y + y, p % row_length * stride_x +
 * x). Pixels outside the image are zero. */
typedef struct armnn_i_ref_patch_t {
  const armnn_i_ref_image_t* image;
  int64_t row_length;
  int64_t stride_y, stride_x;
  int64_t position;
  int64_t columns;
} armnn_i_ref_patch_t;

/* rows[i][c] = pixel of column c in channel i, for i < |channels|; |pixels| is the address of the
 * first of these channels. Columns up to the next multiple of eight become zero. */
void armnn_i_ref_patch_read(const armnn_i_ref_patch_t* patch, const float* pixels, int64_t y,
                            int64_t x, int64_t channels, float (*rows)[ARMNN_REF_TILE]);

#endif /* ARMNN_CPU_REF_TILE_H_ */
