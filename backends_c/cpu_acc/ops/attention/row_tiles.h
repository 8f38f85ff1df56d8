/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * row_tiles.h - the rows of several matrices of one size as tiles, numbered through all of them, so
 * that threads get as many rows each, whatever the number of matrices.
 */
#ifndef ARMNN_CPU_ACC_ROW_TILES_H_
#define ARMNN_CPU_ACC_ROW_TILES_H_

#include <stdint.h>

typedef struct armnn_i_acc_row_tiles_t {
  int64_t rows, tiles; /* of a matrix; the first tiles have one row more, if they are not even */
  int64_t most;        /* tiles of a block */
} armnn_i_acc_row_tiles_t;

/* Rows of one matrix that are worked on together. */
typedef struct armnn_i_acc_row_block_t {
  int64_t matrix, first, rows;
  int64_t end; /* the tile behind it */
} armnn_i_acc_row_block_t;

/* |rows| > 0 rows of each matrix in tiles of at most |height| rows, and blocks of as many tiles as
 * fit in |block_rows| rows, but at least one. */
static inline armnn_i_acc_row_tiles_t armnn_i_acc_tiles_of_rows(int64_t rows, int64_t height,
                                                                int64_t block_rows) {
  const int64_t tiles = (rows + height - 1) / height, most = block_rows / height;
  return (armnn_i_acc_row_tiles_t){rows, tiles, most < 1 ? 1 : most < tiles ? most : tiles};
}

/* The first row of tile |tile| of a matrix; of the one behind the last, the number of rows. */
static inline int64_t armnn_i_acc_tile_begin(const armnn_i_acc_row_tiles_t* cut, int64_t tile) {
  const int64_t longer = cut->rows % cut->tiles;
  return tile * (cut->rows / cut->tiles) + (tile < longer ? tile : longer);
}

/* The most rows of a block. */
static inline int64_t armnn_i_acc_most_block_rows(const armnn_i_acc_row_tiles_t* cut) {
  return armnn_i_acc_tile_begin(cut, cut->most);
}

/* The first block of tiles [begin, end): the tiles there of one matrix are cut evenly. */
static inline armnn_i_acc_row_block_t armnn_i_acc_first_block(const armnn_i_acc_row_tiles_t* cut,
                                                              int64_t begin, int64_t end) {
  const int64_t matrix = begin / cut->tiles, behind = (matrix + 1) * cut->tiles;
  const int64_t left = (end < behind ? end : behind) - begin;
  const int64_t blocks = (left + cut->most - 1) / cut->most;
  const int64_t tiles = (left + blocks - 1) / blocks, tile = begin % cut->tiles;
  const int64_t first = armnn_i_acc_tile_begin(cut, tile);
  return (armnn_i_acc_row_block_t){matrix, first, armnn_i_acc_tile_begin(cut, tile + tiles) - first,
                                   begin + tiles};
}

#endif /* ARMNN_CPU_ACC_ROW_TILES_H_ */
