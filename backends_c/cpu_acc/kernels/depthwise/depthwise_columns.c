/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * depthwise_columns.c - depthwise convolutions 3 x 3, down strips of up to 7 output columns.
 *
 * A strip is walked from top to bottom for one vector of channels. Each input row is added to the
 * output rows that it serves, three with stride 1, whose sums are in registers: 3 x 7 sums, 9
 * weights and the pixel at hand are what 32 registers hold. So a pixel is loaded once for 27
 * multiplications, and what the next rows need can be fetched long before. Sums of a row are
 * written as soon as their last pixel came, and those of the row two below take their registers.
 */
#include "depthwise_tile.h"

#if VF_REGISTERS >= 32

typedef armnn_i_acc_depthwise_job_t job_t;
typedef armnn_i_acc_depthwise_tile_t tile_t;

/* Output rows that an input row is added to. */
enum { ABOVE = 1, HERE = 2, BELOW = 4 };

typedef struct walk_t {
  const float* input; /* the second column that the tile uses, which is inside the image */
  int left, right;    /* whether the column before it and the tile's last are inside, too */
  float* output;      /* the row above */
  ptrdiff_t output_row, output_pixel;
  float low, high, a, b;
  vm_t lanes, stored;
  float* buffer; /* sums of a row, if they need more than a clamp or hard-swish */
} walk_t;

typedef struct sums_t {
  vf_t above[ARMNN_ACC_DEPTHWISE_MOST_WIDTH], here[ARMNN_ACC_DEPTHWISE_MOST_WIDTH],
      below[ARMNN_ACC_DEPTHWISE_MOST_WIDTH];
} sums_t;

/* Adds the pixel of column |c|, |x|, to the sums of one output row. */
ACC_INLINE void add_column(vf_t* sums, vf_t x, const vf_t* filter, int c, int stride, int width) {
  UNROLLED for (int k = 2; k >= 0; --k) {
    const int i = (c - k) / stride;
    if (c >= k && (c - k) % stride == 0 && i < width) sums[i] = vf_fma(x, filter[k], sums[i]);
  }
}

/* Writes a complete sum. */
ACC_INLINE void put(const walk_t* walk, int i, vf_t sum, int hard_swish) {
  sum = hard_swish ? acc_depthwise_hard_swish(sum, vf_set(walk->a), vf_set(walk->b))
                   : vf_clamp(sum, vf_set(walk->low), vf_set(walk->high));
  ACC_STORE(walk->output + i * walk->output_pixel, sum, walk->stored);
}

/* One input row; |rows|, |stride|, |width| and |hard_swish| are constant. */
ACC_INLINE void one_row(const job_t* job, walk_t* walk, const float* bias, const vf_t* filter,
                        sums_t* sums, int rows, int stride, int width, int hard_swish) {
  const ptrdiff_t pixel = job->input_pixel;
  if (job->prefetch) { /* after the last row outside the image, which does no harm */
    const char* next =
        (const char*)walk->input + stride * job->input_row * (ptrdiff_t)sizeof(float);
    UNROLLED for (int i = 0; i < width * stride; ++i) {
      __builtin_prefetch(next + i * pixel * (ptrdiff_t)sizeof(float), 0, 3);
    }
  }
  UNROLLED for (int c = 0; c < (width - 1) * stride + 3; ++c) {
    if ((rows & BELOW) && c % stride == 0 && c / stride < width) {
      sums->below[c / stride] = vf_load(bias);
    }
    if ((c > 0 || walk->left) && (c < (width - 1) * stride + 2 || walk->right)) {
      vf_t x = ACC_LOAD(walk->input + (c - 1) * pixel, walk->lanes);
      ACC_KEEP(x);
      if (rows & ABOVE) add_column(sums->above, x, filter + 6, c, stride, width);
      if (rows & HERE) add_column(sums->here, x, filter + 3, c, stride, width);
      if (rows & BELOW) add_column(sums->below, x, filter, c, stride, width);
    }
    if ((rows & ABOVE) && c >= 2 && (c - 2) % stride == 0) {
      const int i = (c - 2) / stride;
      put(walk, i, sums->above[i], hard_swish);
    }
  }
  walk->input += job->input_row;
}

ACC_INLINE void next_row(sums_t* sums, int width) {
  UNROLLED for (int i = 0; i < width; ++i) {
    sums->above[i] = sums->here[i];
    sums->here[i] = sums->below[i];
  }
}

/* The row above is complete: on to the next one, unless more is to be done with it first. */
ACC_INLINE void end_row(const job_t* job, walk_t* walk, int64_t channel, int64_t y,
                        const tile_t* tile) {
  walk->output += walk->output_row;
  if (walk->buffer != NULL) {
    ACC_NAME(armnn_i_acc_depthwise_finish)(job, walk->buffer, channel, y, tile->x, tile->width);
  }
}

ACC_INLINE void one_strip(const job_t* job, const tile_t* tile, int64_t channel, int stride,
                          int width, int hard_swish) {
  const float* weights = job->weights + channel * 10;
  const int64_t end = job->end_row, top = job->first_row * stride - job->pad_top;
  float buffer[ARMNN_ACC_DEPTHWISE_MOST_WIDTH * VF_LANES];
  const int plain = hard_swish || (job->function == NULL && job->residual == NULL);
  walk_t walk = {
      .input = job->input + (top < 0 ? 0 : top) * job->input_row +
               (tile->input_x + 1) * job->input_pixel + channel,
      .left = (tile->columns & 1u) != 0,
      .right = (tile->columns >> ((width - 1) * stride + 2) & 1u) != 0,
      .output =
          job->output + job->first_row * job->output_row + tile->x * job->output_pixel + channel,
      .output_row = job->output_row,
      .output_pixel = job->output_pixel,
      .low = job->low,
      .high = job->high,
      .a = job->a * (1.0f / 6.0f),
      .b = job->b,
      .lanes = vm_first((size_t)(job->channels - channel)),
      .stored = vm_first((size_t)(job->channels - channel)),
  };
  if (!plain) {
    walk.output = walk.buffer = buffer;
    walk.output_row = 0;
    walk.output_pixel = VF_LANES;
    walk.low = -INFINITY;
    walk.high = INFINITY;
    walk.stored = vm_first(VF_LANES);
  }
  vf_t filter[9];
  UNROLLED for (int i = 0; i < 9; ++i) {
    filter[i] = vf_load(weights + (1 + i) * VF_LANES);
    ACC_KEEP(filter[i]);
  }
  sums_t sums;
  UNROLLED for (int i = 0; i < width; ++i) sums.below[i] = vf_load(weights);
  int64_t y = job->first_row;
#define ROW(rows) one_row(job, &walk, weights, filter, &sums, rows, stride, width, hard_swish)
  if (top >= 0) ROW(BELOW);
  next_row(&sums, width);
  if (stride == 1) {
    ROW(HERE | BELOW);
    next_row(&sums, width);
    for (; y < end - 2; ++y) {
      ROW(ABOVE | HERE | BELOW);
      end_row(job, &walk, channel, y, tile);
      next_row(&sums, width);
    }
    if (y < end - 1) {
      ROW(ABOVE | HERE);
      end_row(job, &walk, channel, y, tile);
      next_row(&sums, width);
      ++y;
    }
  } else { /* every other row serves one row of the output only */
    ROW(HERE);
    next_row(&sums, width);
    for (; y < end - 1; ++y) {
      ROW(ABOVE | BELOW);
      end_row(job, &walk, channel, y, tile);
      next_row(&sums, width);
      ROW(HERE);
      next_row(&sums, width);
    }
  }
  if ((end - 1) * stride + 2 - job->pad_top < job->input_height) {
    ROW(ABOVE);
  } else {
    UNROLLED for (int i = 0; i < width; ++i) put(&walk, i, sums.above[i], hard_swish);
  }
  end_row(job, &walk, channel, y, tile);
#undef ROW
}

/* Functions of their own: a strip in the same function as others loses registers to them. */
#define STRIPS(stride, width, hard_swish)                                         \
  static __attribute__((noinline)) void strips_##stride##_##width##_##hard_swish( \
      const job_t* job, const tile_t* tile) {                                     \
    for (int64_t channel = 0; channel < job->channels; channel += VF_LANES) {     \
      one_strip(job, tile, channel, stride, width, hard_swish);                   \
    }                                                                             \
  }
#define WIDTHS(stride, hard_swish)                                                       \
  STRIPS(stride, 1, hard_swish)                                                          \
  STRIPS(stride, 4, hard_swish)                                                          \
  STRIPS(stride, 5, hard_swish)                                                          \
  STRIPS(stride, 6, hard_swish)                                                          \
  STRIPS(stride, 7, hard_swish)                                                          \
  static void (*const strips_##stride##_##hard_swish[])(const job_t*, const tile_t*) = { \
      [1] = strips_##stride##_1_##hard_swish,                                            \
      [4] = strips_##stride##_4_##hard_swish,                                            \
      [5] = strips_##stride##_5_##hard_swish,                                            \
      [6] = strips_##stride##_6_##hard_swish,                                            \
      [7] = strips_##stride##_7_##hard_swish};
#define COLUMNS(stride)                                                                      \
  WIDTHS(stride, 0)                                                                          \
  WIDTHS(stride, 1)                                                                          \
  void ACC_NAME(armnn_f32_depthwise_3x3_s##stride##_columns)(const job_t* job) {             \
    for (int64_t t = 0; t < job->tile_count; ++t) {                                          \
      const tile_t* tile = &job->tiles[t];                                                   \
      (job->hard_swish ? strips_##stride##_1 : strips_##stride##_0)[tile->width](job, tile); \
    }                                                                                        \
  }
COLUMNS(1)
COLUMNS(2)
#undef COLUMNS
#undef WIDTHS
#undef STRIPS

#endif
