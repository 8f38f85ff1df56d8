/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * depthwise.c - depthwise convolutions, VF_LANES channels by up to 2 x 7 neighbouring pixels.
 *
 * Loop order: output rows (two together where there are registers for it), tiles of pixels, vectors
 * of channels, input rows, input columns. Each input column is loaded once and used for all outputs
 * of the tile that it serves: for 3 x 3, 36 loads for 126 multiplications instead of 126. Two rows
 * also give 14 independent chains of additions, which is what two units of latency 4 need. The
 * rows' inputs and the filter stay in L1 while the tiles go by. Loops over taps and pixels have
 * constant bounds and are unrolled, so that the sums stay in registers.
 *
 * At the borders taps outside the image are left out by a test for each column and row of taps. The
 * tests are the same from row to row, so that the processor predicts them.
 */
#include "depthwise_tile.h"

typedef armnn_i_acc_depthwise_job_t job_t;
typedef armnn_i_acc_depthwise_tile_t tile_t;

/* Of one output row of a tile. */
typedef vf_t sums_t[ARMNN_ACC_DEPTHWISE_MOST_WIDTH];

/* Finishes sums of a tile that need more than a clamp, in a small array in L1. */
void ACC_NAME(armnn_i_acc_depthwise_finish)(const job_t* job, float* sums, int64_t channel,
                                            int64_t y, int64_t x, int64_t width) {
  const size_t left = (size_t)(job->channels - channel);
  const vm_t lanes = vm_first(left);
  float* output = job->output + y * job->output_row + x * job->output_pixel + channel;
  const float* residual = job->residual;
  if (residual != NULL) residual += y * job->residual_row + x * job->residual_pixel + channel;
  if (residual != NULL && !job->residual_last) {
    for (int64_t i = 0; i < width; ++i) {
      float* sum = sums + i * VF_LANES;
      vf_store(sum,
               vf_add(vf_load(sum), vf_load_masked(residual + i * job->residual_pixel, lanes)));
    }
  }
  if (job->function != NULL) {
    job->function(sums, sums, (size_t)width * VF_LANES, job->a, job->b);
  }
  const vf_t low = vf_set(job->low), high = vf_set(job->high);
  for (int64_t i = 0; i < width; ++i) {
    vf_t sum = vf_clamp(vf_load(sums + i * VF_LANES), low, high);
    if (residual != NULL && job->residual_last) {
      sum = vf_add(sum, vf_load_masked(residual + i * job->residual_pixel, lanes));
    }
    vf_store_first(output + i * job->output_pixel, sum, left);
  }
}

ACC_INLINE void store_tile(const job_t* job, const vf_t* sums, int64_t channel, int64_t y,
                           int64_t x, int width, vm_t lanes) {
  if (job->function == NULL && job->residual == NULL) {
    const vf_t low = vf_set(job->low), high = vf_set(job->high);
    float* output = job->output + y * job->output_row + x * job->output_pixel + channel;
    UNROLLED for (int i = 0; i < width; ++i) {
      ACC_STORE(output + i * job->output_pixel, vf_clamp(sums[i], low, high), lanes);
    }
  } else if (job->hard_swish) {
    const vf_t a = vf_set(job->a * (1.0f / 6.0f)), b = vf_set(job->b);
    float* output = job->output + y * job->output_row + x * job->output_pixel + channel;
    UNROLLED for (int i = 0; i < width; ++i) {
      ACC_STORE(output + i * job->output_pixel, acc_depthwise_hard_swish(sums[i], a, b), lanes);
    }
  } else {
    float buffer[ARMNN_ACC_DEPTHWISE_MOST_WIDTH * VF_LANES];
    UNROLLED for (int i = 0; i < width; ++i) vf_store(buffer + i * VF_LANES, sums[i]);
    ACC_NAME(armnn_i_acc_depthwise_finish)(job, buffer, channel, y, x, width);
  }
}

/* Row |r| of the filter; in registers while it is used: otherwise each multiplication would load
 * its weight. */
ACC_INLINE void load_filter(const float* weights, int r, vf_t* filter, int size) {
  UNROLLED for (int k = 0; k < size; ++k) {
    filter[k] = vf_load(weights + (1 + r * size + k) * VF_LANES);
    ACC_KEEP(filter[k]);
  }
}

/* Adds input row |r| of the tile, whose first column is at |at|, to the sums of the output rows
 * that it serves. |filter| has rows of the filter from the first on. */
ACC_INLINE void add_row(const job_t* job, const tile_t* tile, uintptr_t at, vm_t lanes,
                        vf_t (*filter)[7], sums_t* sums, int r, int size, int stride, int width,
                        int height, int border) {
  const uintptr_t pixel = (uintptr_t)(job->input_pixel * (ptrdiff_t)sizeof(float));
  const uint32_t columns = tile->columns;
  UNROLLED for (int c = 0; c < (width - 1) * stride + size; ++c, at += pixel) {
    if (border && (columns >> c & 1u) == 0) continue;
    const vf_t x = ACC_LOAD((const float*)at, lanes);
    UNROLLED for (int o = 0; o < height; ++o) {
      const int row = r - o * stride;
      if (row < 0 || row >= size) continue;
      UNROLLED for (int i = 0; i < width; ++i) {
        const int k = c - i * stride;
        if (k >= 0 && k < size) sums[o][i] = vf_fma(x, filter[row][k], sums[o][i]);
      }
    }
  }
}

/* Output rows y .. y + height - 1, which is 1 or 2. Input rows [first, end) of those that the tile
 * uses are inside the image; |border| is constant: without it all rows and columns are. */
ACC_INLINE void one_tile(const job_t* job, const tile_t* tile, int64_t channel, int64_t y,
                         int first, int end, int size, int stride, int width, int height,
                         int border) {
  /* A number, no pointer: at a border it is outside the image until the first column inside. */
  const uintptr_t row = (uintptr_t)(job->input_row * (ptrdiff_t)sizeof(float));
  const uintptr_t start =
      (uintptr_t)job->input + (uintptr_t)(y * job->stride_y - job->pad_top) * row +
      (uintptr_t)((tile->input_x * job->input_pixel + channel) * (ptrdiff_t)sizeof(float));
  const float* weights = job->weights + channel * (size * size + 1);
  const vm_t lanes = vm_first((size_t)(job->channels - channel));
  sums_t sums[2];
  UNROLLED for (int o = 0; o < height; ++o) {
    UNROLLED for (int i = 0; i < width; ++i) sums[o][i] = vf_load(weights);
  }
  vf_t filter[7][7];
  if (height == 1 && !border) { /* rows are alike: they need not be written out */
    for (int r = 0; r < size; ++r) {
      load_filter(weights, r, filter[0], size);
      add_row(job, tile, start + (uintptr_t)r * row, lanes, filter, sums, 0, size, stride, width, 1,
              0);
    }
  } else { /* at a border each has tests of its own, which the processor predicts better */
    UNROLLED for (int r = 0; r < (height - 1) * stride + size; ++r) {
      if (r < size) load_filter(weights, r, filter[r], size);
      if (border && (r < first || r >= end)) continue;
      add_row(job, tile, start + (uintptr_t)r * row, lanes, filter, sums, r, size, stride, width,
              height, border);
    }
  }
  UNROLLED for (int o = 0; o < height; ++o) {
    store_tile(job, sums[o], channel, y + o, tile->x, width, lanes);
  }
}

/* All channels of one tile. */
ACC_INLINE void whole_tile(const job_t* job, const tile_t* tile, int64_t y, int first, int end,
                           int size, int stride, int width, int height) {
  const int reach = (height - 1) * stride + size;
  const int inside = first == 0 && end == reach && tile->columns == UINT32_MAX;
  for (int64_t channel = 0; channel < job->channels; channel += VF_LANES) {
    if (inside) {
      one_tile(job, tile, channel, y, 0, reach, size, stride, width, height, 0);
    } else {
      one_tile(job, tile, channel, y, first, end, size, stride, width, height, 1);
    }
  }
}

typedef void (*tile_fn_t)(const job_t* job, const tile_t* tile, int64_t y, int first, int end);

/* Numbers of rows that a border far away may make larger than an int. */
static int at_most(int64_t rows, int most) { return rows < 0 ? 0 : rows < most ? (int)rows : most; }

/* All tiles of |height| output rows. */
static void one_line(const job_t* job, int64_t y, int size, int stride, int height,
                     const tile_fn_t* by_width) {
  const int reach = (height - 1) * stride + size;
  const int64_t top = y * job->stride_y - job->pad_top;
  const int first = at_most(-top, reach);
  const int end = at_most(job->input_height - top, reach);
  for (int64_t t = 0; t < job->tile_count; ++t) {
    by_width[job->tiles[t].width](job, &job->tiles[t], y, first, end);
  }
}

/* |stride| is the one from column to column; another from row to row leaves single rows. |pairs|
 * does two rows; null where there are too few registers. */
static void all_rows(const job_t* job, int size, int stride, const tile_fn_t* pairs,
                     const tile_fn_t* singles) {
  int64_t y = job->first_row;
  if (pairs != NULL && job->stride_y == stride) {
    for (; y + 2 <= job->end_row; y += 2) one_line(job, y, size, stride, 2, pairs);
  }
  for (; y < job->end_row; ++y) one_line(job, y, size, stride, 1, singles);
}

/* Functions of their own for each width: the time of a compiler grows with the square of what one
 * function holds. */
#define TILE(size, stride, width, height)                                            \
  static __attribute__((noinline)) void tile_##size##_##stride##_##width##_##height( \
      const job_t* job, const tile_t* tile, int64_t y, int first, int end) {         \
    whole_tile(job, tile, y, first, end, size, stride, width, height);               \
  }
#define TILES(size, stride, height)                                                               \
  TILE(size, stride, 1, height)                                                                   \
  TILE(size, stride, 4, height)                                                                   \
  TILE(size, stride, 5, height)                                                                   \
  TILE(size, stride, 6, height)                                                                   \
  TILE(size, stride, 7, height)                                                                   \
  static const tile_fn_t tiles_##size##_##stride##_##height[ARMNN_ACC_DEPTHWISE_MOST_WIDTH + 1] = \
      {[1] = tile_##size##_##stride##_1_##height,                                                 \
       [4] = tile_##size##_##stride##_4_##height,                                                 \
       [5] = tile_##size##_##stride##_5_##height,                                                 \
       [6] = tile_##size##_##stride##_6_##height,                                                 \
       [7] = tile_##size##_##stride##_7_##height};
#if VF_REGISTERS >= 32
#define PAIRS(size, stride) TILES(size, stride, 2)
#define PAIRS_OF(size, stride) tiles_##size##_##stride##_2
#else
#define PAIRS(size, stride)
#define PAIRS_OF(size, stride) NULL
#endif
#define DEPTHWISE(size, stride)                                                             \
  PAIRS(size, stride)                                                                       \
  TILES(size, stride, 1)                                                                    \
  static void ACC_NAME(armnn_f32_depthwise_##size##x##size##_s##stride)(const job_t* job) { \
    all_rows(job, size, stride, PAIRS_OF(size, stride), tiles_##size##_##stride##_1);       \
  }
#include "depthwise.inc"
#undef DEPTHWISE
#undef PAIRS_OF
#undef PAIRS
#undef TILES
#undef TILE

/* ---- Any size, stride and dilation --------------------------------------------------------- */

/* Taps [*first, *end) of |size| at |start|, |dilation| apart, are in [0, extent). */
static void taps_inside(int64_t start, int64_t dilation, int64_t size, int64_t extent,
                        int64_t* first, int64_t* end) {
  *first = start < 0 ? (-start + dilation - 1) / dilation : 0;
  *end = extent > start ? (extent - start + dilation - 1) / dilation : 0;
  if (*end > size) *end = size;
  if (*first > *end) *first = *end;
}

enum { ANY_WIDTH = 6 };

/* Rows and columns of taps, then pixels: a load for each multiplication. */
ACC_INLINE void any_tile(const job_t* job, int64_t channel, int64_t y, int64_t x,
                         const int64_t taps[4], int width) {
  const ptrdiff_t step = job->stride_x * job->input_pixel;
  const float* image = job->input + channel;
  const float* weights = job->weights + channel * (job->kernel_y * job->kernel_x + 1);
  const vm_t lanes = vm_first((size_t)(job->channels - channel));
  const ptrdiff_t start = (y * job->stride_y - job->pad_top) * job->input_row +
                          (x * job->stride_x - job->pad_left) * job->input_pixel;
  vf_t sums[ANY_WIDTH];
  UNROLLED for (int i = 0; i < width; ++i) sums[i] = vf_load(weights);
  for (int64_t r = taps[0]; r < taps[1]; ++r) {
    for (int64_t k = taps[2]; k < taps[3]; ++k) {
      const vf_t weight = vf_load(weights + (1 + r * job->kernel_x + k) * VF_LANES);
      const ptrdiff_t at =
          start + r * job->dilation_y * job->input_row + k * job->dilation_x * job->input_pixel;
      UNROLLED for (int i = 0; i < width; ++i) {
        sums[i] = vf_fma(vf_load_masked(image + (at + i * step), lanes), weight, sums[i]);
      }
    }
  }
  float buffer[ANY_WIDTH * VF_LANES];
  UNROLLED for (int i = 0; i < width; ++i) vf_store(buffer + i * VF_LANES, sums[i]);
  ACC_NAME(armnn_i_acc_depthwise_finish)(job, buffer, channel, y, x, width);
}

/* One row of one vector of channels. */
static void any_row(const job_t* job, int64_t channel, int64_t y) {
  int64_t taps[4];
  taps_inside(y * job->stride_y - job->pad_top, job->dilation_y, job->kernel_y, job->input_height,
              &taps[0], &taps[1]);
  const int64_t reach = (job->kernel_x - 1) * job->dilation_x;
  for (int64_t x = 0; x < job->output_width;) {
    const int64_t left = x * job->stride_x - job->pad_left;
    const int64_t right = left + (ANY_WIDTH - 1) * job->stride_x + reach;
    if (left >= 0 && right < job->input_width && x + ANY_WIDTH <= job->output_width) {
      taps[2] = 0;
      taps[3] = job->kernel_x;
      any_tile(job, channel, y, x, taps, ANY_WIDTH);
      x += ANY_WIDTH;
    } else {
      taps_inside(left, job->dilation_x, job->kernel_x, job->input_width, &taps[2], &taps[3]);
      any_tile(job, channel, y, x, taps, 1);
      x += 1;
    }
  }
}

static void ACC_NAME(armnn_f32_depthwise_any)(const job_t* job) {
  for (int64_t y = job->first_row; y < job->end_row; ++y) {
    for (int64_t channel = 0; channel < job->channels; channel += VF_LANES) {
      any_row(job, channel, y);
    }
  }
}

/* ---- The table ----------------------------------------------------------------------------- */

static const armnn_i_acc_depthwise_kernel_t narrow_kernels[] = {
#if VF_REGISTERS >= 32
    {3, 1, ARMNN_ACC_DEPTHWISE_STRIPS, ARMNN_ACC_DEPTHWISE_MOST_WIDTH,
     ACC_NAME(armnn_f32_depthwise_3x3_s1_columns),
     "armnn_f32_depthwise_3x3_s1_columns__" ACC_ISA_TEXT "_7px"},
    {3, 2, ARMNN_ACC_DEPTHWISE_STRIPS, ARMNN_ACC_DEPTHWISE_MOST_WIDTH,
     ACC_NAME(armnn_f32_depthwise_3x3_s2_columns),
     "armnn_f32_depthwise_3x3_s2_columns__" ACC_ISA_TEXT "_7px"},
#else
    {3, 1, ARMNN_ACC_DEPTHWISE_BLOCKS, ARMNN_ACC_DEPTHWISE_BLOCK_WIDTH,
     ACC_NAME(armnn_f32_depthwise_3x3_s1_blocks),
     "armnn_f32_depthwise_3x3_s1_blocks__" ACC_ISA_TEXT "_2x4px"},
    {3, 2, ARMNN_ACC_DEPTHWISE_BLOCKS, ARMNN_ACC_DEPTHWISE_BLOCK_WIDTH,
     ACC_NAME(armnn_f32_depthwise_3x3_s2_blocks),
     "armnn_f32_depthwise_3x3_s2_blocks__" ACC_ISA_TEXT "_2x4px"},
#endif
};

static const armnn_i_acc_depthwise_kernel_t fixed_kernels[] = {
#define DEPTHWISE(size, stride)                               \
  {size,                                                      \
   stride,                                                    \
   ARMNN_ACC_DEPTHWISE_ROWS,                                  \
   ARMNN_ACC_DEPTHWISE_MOST_WIDTH,                            \
   ACC_NAME(armnn_f32_depthwise_##size##x##size##_s##stride), \
   "armnn_f32_depthwise_" #size "x" #size "_s" #stride "__" ACC_ISA_TEXT "_7px"},
#include "depthwise.inc"
#undef DEPTHWISE
};

extern const armnn_i_acc_depthwise_kernels_t ACC_NAME(armnn_i_acc_depthwise_kernels);
const armnn_i_acc_depthwise_kernels_t ACC_NAME(armnn_i_acc_depthwise_kernels) = {
    .fixed = fixed_kernels,
    .fixed_count = sizeof fixed_kernels / sizeof fixed_kernels[0],
    .partial = ACC_PARTIAL,
    .narrow = narrow_kernels,
    .narrow_count = sizeof narrow_kernels / sizeof narrow_kernels[0],
    .any = ACC_NAME(armnn_f32_depthwise_any),
    .any_name = "armnn_f32_depthwise_any__" ACC_ISA_TEXT "_6px",
    .separable_name = "armnn_f32_separable__" ACC_ISA_TEXT,
};
