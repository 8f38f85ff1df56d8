/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * tile.c - see tile.h.
 */
#include "tile.h"

/* ---- Product --------------------------------------------------------------------------------- */

/* Four rows by four steps of depth: each of the four loaded vectors is used four times, and each
 * sum is loaded and stored once in four steps. The loop runs over columns, which are contiguous. */
static void multiply_4x4(const float* left, int64_t left_row, int64_t left_step,
                         const float (*right)[ARMNN_REF_TILE], int64_t columns,
                         float (*sum)[ARMNN_REF_TILE]) {
  float w[4][4];
  for (int m = 0; m < 4; ++m) {
    for (int k = 0; k < 4; ++k) w[m][k] = left[m * left_row + k * left_step];
  }
  const float w00 = w[0][0], w01 = w[0][1], w02 = w[0][2], w03 = w[0][3];
  const float w10 = w[1][0], w11 = w[1][1], w12 = w[1][2], w13 = w[1][3];
  const float w20 = w[2][0], w21 = w[2][1], w22 = w[2][2], w23 = w[2][3];
  const float w30 = w[3][0], w31 = w[3][1], w32 = w[3][2], w33 = w[3][3];
  const float* restrict r0 = right[0], * restrict r1 = right[1];
  const float* restrict r2 = right[2], * restrict r3 = right[3];
  float* restrict s0 = sum[0], * restrict s1 = sum[1];
  float* restrict s2 = sum[2], * restrict s3 = sum[3];
  for (int64_t n = 0; n < columns; ++n) {
    const float a = r0[n], b = r1[n], c = r2[n], d = r3[n];
    s0[n] += (w00 * a + w01 * b) + (w02 * c + w03 * d);
    s1[n] += (w10 * a + w11 * b) + (w12 * c + w13 * d);
    s2[n] += (w20 * a + w21 * b) + (w22 * c + w23 * d);
    s3[n] += (w30 * a + w31 * b) + (w32 * c + w33 * d);
  }
}

static void multiply_1x4(const float* left, int64_t left_step, const float (*right)[ARMNN_REF_TILE],
                         int64_t columns, float* restrict sum) {
  const float w0 = left[0], w1 = left[left_step];
  const float w2 = left[2 * left_step], w3 = left[3 * left_step];
  const float* restrict r0 = right[0], * restrict r1 = right[1];
  const float* restrict r2 = right[2], * restrict r3 = right[3];
  for (int64_t n = 0; n < columns; ++n) {
    sum[n] += (w0 * r0[n] + w1 * r1[n]) + (w2 * r2[n] + w3 * r3[n]);
  }
}

static void multiply_1x1(float w, const float* restrict right, int64_t columns,
                         float* restrict sum) {
  for (int64_t n = 0; n < columns; ++n) sum[n] += w * right[n];
}

void armnn_i_ref_tile_multiply(const float* left, int64_t left_row, int64_t left_step, int64_t rows,
                               int64_t depth, armnn_i_ref_tile_t right, int64_t columns,
                               armnn_i_ref_tile_t sum) {
  const float (*source)[ARMNN_REF_TILE] = (const float (*)[ARMNN_REF_TILE])right;
  columns = armnn_i_ref_tile_columns(columns);
  int64_t m = 0;
  for (; m < rows; m += rows - m >= 4 ? 4 : 1) {
    const float* line = left + m * left_row;
    int64_t k = 0;
    for (; k + 4 <= depth; k += 4) {
      if (rows - m >= 4) {
        multiply_4x4(line + k * left_step, left_row, left_step, source + k, columns, sum + m);
      } else {
        multiply_1x4(line + k * left_step, left_step, source + k, columns, sum[m]);
      }
    }
    for (; k < depth; ++k) {
      for (int64_t i = 0; i < (rows - m >= 4 ? 4 : 1); ++i) {
        multiply_1x1(line[i * left_row + k * left_step], source[k], columns, sum[m + i]);
      }
    }
  }
}

void armnn_i_ref_tile_fill(armnn_i_ref_tile_t sum, int64_t rows, const float* values) {
  for (int64_t m = 0; m < rows; ++m) {
    const float value = values != NULL ? values[m] : 0.0f;
    for (int64_t n = 0; n < ARMNN_REF_TILE; ++n) sum[m][n] = value;
  }
}

void armnn_i_ref_tile_store(armnn_i_ref_tile_t sum, int64_t rows, int64_t columns, float* out,
                            int64_t out_row, int64_t out_column) {
  if (out_column == 1) {
    for (int64_t m = 0; m < rows; ++m) {
      for (int64_t n = 0; n < columns; ++n) out[m * out_row + n] = sum[m][n];
    }
  } else {
    for (int64_t n = 0; n < columns; ++n) {
      for (int64_t m = 0; m < rows; ++m) out[m * out_row + n * out_column] = sum[m][n];
    }
  }
}

/* ---- Patches --------------------------------------------------------------------------------- */

/* One channel, pixels of a row side by side: copies runs. */
static void read_plane(const armnn_i_ref_patch_t* patch, const float* plane, int64_t y0, int64_t x0,
                       float* row) {
  const armnn_i_ref_image_t* image = patch->image;
  int64_t y = patch->position / patch->row_length;
  int64_t x = patch->position % patch->row_length;
  for (int64_t done = 0; done < patch->columns; ++y, x = 0) {
    const int64_t left = patch->columns - done;
    const int64_t count = patch->row_length - x < left ? patch->row_length - x : left;
    const int64_t image_y = y * patch->stride_y + y0;
    const int64_t image_x = x * patch->stride_x + x0;
    int64_t begin = count, end = count;
    if (image_y >= 0 && image_y < image->height) {
      armnn_i_ref_tap_range(image_x, patch->stride_x, image->width, count, &begin, &end);
      const float* line = plane + image_y * image->stride_y + image_x;
      if (patch->stride_x == 1) {
        for (int64_t i = begin; i < end; ++i) row[done + i] = line[i];
      } else {
        for (int64_t i = begin; i < end; ++i) row[done + i] = line[i * patch->stride_x];
      }
    }
    for (int64_t i = 0; i < begin; ++i) row[done + i] = 0.0f;
    for (int64_t i = end; i < count; ++i) row[done + i] = 0.0f;
    done += count;
  }
}

/* Channels of a pixel side by side: turns a pixel into a column. */
static void read_pixels(const armnn_i_ref_patch_t* patch, const float* pixels, int64_t y0,
                        int64_t x0, int64_t channels, float (*rows)[ARMNN_REF_TILE]) {
  const armnn_i_ref_image_t* image = patch->image;
  int64_t y = patch->position / patch->row_length;
  int64_t x = patch->position % patch->row_length;
  for (int64_t column = 0; column < patch->columns; ++column) {
    const int64_t image_y = y * patch->stride_y + y0;
    const int64_t image_x = x * patch->stride_x + x0;
    if (image_y >= 0 && image_y < image->height && image_x >= 0 && image_x < image->width) {
      const float* pixel = pixels + image_y * image->stride_y + image_x * image->stride_x;
      for (int64_t i = 0; i < channels; ++i) rows[i][column] = pixel[i];
    } else {
      for (int64_t i = 0; i < channels; ++i) rows[i][column] = 0.0f;
    }
    if (++x == patch->row_length) {
      x = 0;
      ++y;
    }
  }
}

void armnn_i_ref_patch_read(const armnn_i_ref_patch_t* patch, const float* pixels, int64_t y,
                            int64_t x, int64_t channels, float (*rows)[ARMNN_REF_TILE]) {
  if (patch->image->channel_last) {
    read_pixels(patch, pixels, y, x, channels, rows);
  } else {
    for (int64_t i = 0; i < channels; ++i) {
      read_plane(patch, pixels + i * patch->image->stride_channel, y, x, rows[i]);
    }
  }
  const int64_t filled = armnn_i_ref_tile_columns(patch->columns);
  for (int64_t i = 0; i < channels; ++i) {
    for (int64_t column = patch->columns; column < filled; ++column) rows[i][column] = 0.0f;
  }
}
