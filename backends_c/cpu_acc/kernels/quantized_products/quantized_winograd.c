/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_winograd.c - Winograd's algorithm F(2 x 2, 3 x 3) in whole numbers: squares of 4 x 4
 * levels become 16 positions, 16 sums become 4 numbers.
 *
 * With the weights' transformation doubled along both sides, all matrices are of whole numbers, and
 * what comes out is four times the sum of the window: nothing is rounded. Positions are below
 * 4 * 256, weights below 9 * 256, sums wrap on their way.
 */
#include "kernels/quantized/quantized.h"
#include "quantized_store.h"

enum { BLOCK = 2 * VF_LANES };

/* As many levels as a vector has. */
typedef int16_t levels_t __attribute__((vector_size(sizeof(vi_t))));
enum { LEVELS = sizeof(levels_t) / sizeof(int16_t) };

ACC_INLINE levels_t load(const int16_t* p, size_t count) {
  levels_t x = {0};
  memcpy(&x, p, (count < LEVELS ? count : LEVELS) * sizeof *p);
  return x;
}

ACC_INLINE void store(int16_t* p, levels_t x, size_t count) {
  memcpy(p, &x, (count < LEVELS ? count : LEVELS) * sizeof *p);
}

/* |count| channels of a square, at most a vector: sums of lines, then of columns. */
ACC_INLINE void positions(const armnn_i_acc_level_squares_t* job, const int16_t* in, int16_t* out,
                          size_t count) {
  levels_t lines[4][4];
  for (int x = 0; x < 4; ++x) {
    levels_t d[4];
    for (int y = 0; y < 4; ++y) d[y] = load(in + y * job->line + x * job->pixel, count);
    lines[0][x] = d[0] - d[2];
    lines[1][x] = d[1] + d[2];
    lines[2][x] = d[2] - d[1];
    lines[3][x] = d[1] - d[3];
  }
  for (int y = 0; y < 4; ++y) {
    const levels_t* d = lines[y];
    int16_t* to = out + 4 * y * job->position;
    store(to, d[0] - d[2], count);
    store(to + job->position, d[1] + d[2], count);
    store(to + 2 * job->position, d[2] - d[1], count);
    store(to + 3 * job->position, d[1] - d[3], count);
  }
}

void ACC_NAME(armnn_s8_winograd_input)(const armnn_i_acc_level_squares_t* job);
void ACC_NAME(armnn_s8_winograd_input)(const armnn_i_acc_level_squares_t* job) {
  const size_t channels = job->channels;
  for (size_t t = 0; t < job->tiles; ++t) {
    const int16_t* in = job->input + (ptrdiff_t)t * 2 * job->pixel;
    int16_t* out = job->output + (ptrdiff_t)t * job->tile;
    size_t c = 0;
    for (; c + LEVELS <= channels; c += LEVELS) positions(job, in + c, out + c, LEVELS);
    if (c < channels) positions(job, in + c, out + c, channels - c);
  }
}

/* The four sums of one vector of channels of a tile. */
ACC_INLINE void square(const int32_t* sums, ptrdiff_t position, vi_t bias, vi_t out[4]) {
  vi_t rows[2][4];
  for (int x = 0; x < 4; ++x) {
    vi_t m[4];
    for (int y = 0; y < 4; ++y) m[y] = vi_load(sums + (4 * y + x) * position);
    rows[0][x] = vi_add(vi_add(m[0], m[1]), m[2]);
    rows[1][x] = vi_sub(vi_sub(m[1], m[2]), m[3]);
  }
  for (int y = 0; y < 2; ++y) {
    const vi_t* m = rows[y];
    const vi_t left = vi_add(vi_add(m[0], m[1]), m[2]), right = vi_sub(vi_sub(m[1], m[2]), m[3]);
    out[2 * y] = vi_add(vi_shift_right(left, 2), bias);
    out[2 * y + 1] = vi_add(vi_shift_right(right, 2), bias);
  }
}

ACC_INLINE void all_tiles(const armnn_i_acc_square_sums_t* job, const uint32_t FLAGS) {
  const vi_bounds_t bounds = vi_bounds(job->store.zero_point, job->store.low, job->store.high);
  const channels_t own[2] = {load_channels(job->arrays, BLOCK, FLAGS),
                             load_channels(job->arrays + VF_LANES, BLOCK, FLAGS)};
  const vi_t bias[2] = {vi_load(job->arrays), vi_load(job->arrays + VF_LANES)};
  const uint32_t channels = job->channels;
  for (size_t t = 0; t < job->tiles; ++t) {
    const int32_t* sums = job->sums + t * BLOCK;
    vi_t totals[2][4];
    for (int v = 0; v < 2; ++v) square(sums + v * VF_LANES, job->position, bias[v], totals[v]);
    for (int i = 0; i < 4; ++i) {
      uint8_t *out = job->outputs[t][i], bytes[BLOCK];
      if (out == NULL) continue;
      out += job->offset;
      const vi_t first = scaled(totals[0][i], &own[0], FLAGS);
      const vi_t second = scaled(totals[1][i], &own[1], FLAGS);
      vi_store_numbers(channels == BLOCK ? out : bytes, first, second, bounds);
      if (channels == BLOCK) continue;
      for (uint32_t c = 0; c < channels; ++c) out[c] = bytes[c];
    }
  }
}

void ACC_NAME(armnn_s8_winograd_output)(const armnn_i_acc_square_sums_t* job);
void ACC_NAME(armnn_s8_winograd_output)(const armnn_i_acc_square_sums_t* job) {
#define ALL_TILES(flags) all_tiles(job, flags)
  WITH_FLAGS(job->store, ALL_TILES);
#undef ALL_TILES
}
