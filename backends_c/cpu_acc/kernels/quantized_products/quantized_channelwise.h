/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_channelwise.h - windows of each channel by itself, for numbers of one size. A file that
 * includes this has defined number_t, bounds_t, and how scaled sums become numbers: bounds_of,
 * store_zipped and store_two_zipped.
 *
 * Levels of two taps are put side by side, channel by channel, and multiplied with the weights of
 * both. Loop order: blocks of channels, whose arrays stay in registers or in the first cache,
 * pixels, taps. Square windows are computed for some neighbouring pixels at once: two lines of a
 * column, once they are side by side, serve all windows that see them.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_CHANNELWISE_H_
#define ARMNN_CPU_ACC_QUANTIZED_CHANNELWISE_H_

#include "quantized_store.h"

enum { BLOCK = 2 * VF_LANES, HALVES = 2, COLUMNS = 4 };
enum { AS_STORED = 1 << 30 }; /* in place of constant flags: those of the store */

typedef armnn_i_acc_channelwise_job_t job_t;
typedef vi_t halves_t[HALVES]; /* as vi_zip_low and vi_zip_high have a block's channels */

ACC_INLINE vi_t load_levels(const int16_t* p) {
  vi_t x;
  memcpy(&x, p, sizeof x);
  return x;
}

/* What a block has of its own. */
typedef struct block_t {
  const armnn_i_acc_store_t* store;
  bounds_t bounds;
  const int32_t *arrays, *weights;
} block_t;

ACC_INLINE block_t load_block(const job_t* job, const int32_t* arrays) {
  return (block_t){
      .store = &job->store,
      .bounds = bounds_of(&job->store),
      .arrays = arrays,
      .weights = arrays + ARMNN_ACC_CHANNEL_ARRAYS * BLOCK,
  };
}

ACC_INLINE void begin_sums(halves_t sum, const block_t* block) {
  UNROLLED for (int h = 0; h < HALVES; ++h) sum[h] = vi_load(block->arrays + h * VF_LANES);
}

/* Of |COUNT| pixels. */
ACC_INLINE void scale_sums(halves_t sum[], const int COUNT, const block_t* block,
                           const uint32_t FLAGS) {
  UNROLLED for (int h = 0; h < HALVES; ++h) {
    const channels_t channels = load_channels(block->arrays + h * VF_LANES, BLOCK, FLAGS);
    UNROLLED for (int i = 0; i < COUNT; ++i) sum[i][h] = scaled(sum[i][h], &channels, FLAGS);
  }
}

/* Chooses the way to scale behind the products, so that these are compiled once, not for each. */
ACC_INLINE void scale_as_stored(halves_t sum[], const int COUNT, const block_t* block) {
#define SCALE(flags) scale_sums(sum, COUNT, block, flags)
  WITH_FLAGS(*block->store, SCALE);
#undef SCALE
}

/* Adds the products of two taps, side by side, with pair |k| of the weights. */
ACC_INLINE void add_pair(halves_t sum, const halves_t pair, const block_t* block, size_t k) {
  UNROLLED for (int h = 0; h < HALVES; ++h) {
    sum[h] = vi_dot_pairs(sum[h], pair[h], vi_load(block->weights + k * BLOCK + h * VF_LANES));
  }
}

ACC_INLINE void zip(halves_t pair, vi_t a, vi_t b) {
  pair[0] = vi_zip_low(a, b);
  pair[1] = vi_zip_high(a, b);
}

/* |left| channels of a pixel, or a whole block. */
ACC_INLINE void store_pixel(uint8_t* output, const halves_t sum, const block_t* block,
                            size_t left) {
  if (left >= BLOCK) {
    store_zipped((number_t*)(void*)output, sum, block->bounds);
    return;
  }
  number_t numbers[BLOCK];
  store_zipped(numbers, sum, block->bounds);
  memcpy(output, numbers, left * sizeof *numbers);
}

/* ---- Square windows ------------------------------------------------------------------------ */

/* Windows of SIDE x SIDE taps of |COUNT| neighbouring pixels of the output. Capitals are constant
 * where this is used. Pairs of weights: taps above each other of the first lines, two
 * lines at a time, then taps side by side of the last one. */
ACC_INLINE void square_pixels(const job_t* job, const block_t* block, const int16_t* input,
                              uint8_t* output, size_t left, const int SIDE, const int STRIDE,
                              const int COUNT, const uint32_t FLAGS) {
  const int REACH = (COUNT - 1) * STRIDE + SIDE;
  halves_t sum[COLUMNS];
  UNROLLED for (int i = 0; i < COUNT; ++i) begin_sums(sum[i], block);
  UNROLLED for (int y = 0; y + 1 < SIDE; y += 2) {
    const int16_t *above = input + y * job->line, *below = above + job->line;
    UNROLLED for (int x = 0; x < REACH; ++x) {
      halves_t pair;
      zip(pair, load_levels(above + x * job->pixel), load_levels(below + x * job->pixel));
      UNROLLED for (int i = 0; i < COUNT; ++i) {
        const int tap = x - i * STRIDE;
        if (tap >= 0 && tap < SIDE) add_pair(sum[i], pair, block, (size_t)(y / 2 * SIDE + tap));
      }
    }
  }
  const int16_t* last = input + (SIDE - 1) * job->line;
  UNROLLED for (int x = 0; x < REACH; x += STRIDE == 2 ? 2 : 1) {
    halves_t pair;
    zip(pair, load_levels(last + x * job->pixel), load_levels(last + (x + 1) * job->pixel));
    UNROLLED for (int i = 0; i < COUNT; ++i) {
      const int tap = x - i * STRIDE;
      if (tap >= 0 && tap < SIDE && tap % 2 == 0) {
        add_pair(sum[i], pair, block, (size_t)(SIDE / 2 * SIDE + tap / 2));
      }
    }
  }
  if (FLAGS == AS_STORED) {
    scale_as_stored(sum, COUNT, block);
  } else {
    scale_sums(sum, COUNT, block, FLAGS);
  }
  if (COUNT % 2 == 0 && left >= BLOCK) {
    UNROLLED for (int i = 0; i < COUNT; i += 2) {
      store_two_zipped((number_t*)(void*)(output + i * job->output_step),
                       (number_t*)(void*)(output + (i + 1) * job->output_step), sum[i], sum[i + 1],
                       block->bounds);
    }
    return;
  }
  UNROLLED for (int i = 0; i < COUNT; ++i) {
    store_pixel(output + i * job->output_step, sum[i], block, left);
  }
}

ACC_INLINE void square_line(const job_t* job, const int32_t* arrays, size_t channel, const int SIDE,
                            const int STRIDE, const uint32_t FLAGS) {
  const block_t block = load_block(job, arrays);
  const size_t left = job->channels - channel;
  const int16_t* input = job->input + channel;
  uint8_t* output = job->output + channel * sizeof(number_t);
  size_t p = 0;
  for (; p + COLUMNS <= job->pixels; p += COLUMNS) {
    square_pixels(job, &block, input, output, left, SIDE, STRIDE, COLUMNS, FLAGS);
    input += COLUMNS * job->input_step;
    output += COLUMNS * job->output_step;
  }
  for (; p < job->pixels; ++p) {
    square_pixels(job, &block, input, output, left, SIDE, STRIDE, 1, FLAGS);
    input += job->input_step;
    output += job->output_step;
  }
}

/* 3 x 3 taps of bytes are what most networks have: compiled for each way to scale. */
ACC_INLINE void square_line_of_3(const job_t* job, const int32_t* arrays, size_t channel,
                                 const int STRIDE) {
#define LINE(flags) square_line(job, arrays, channel, 3, STRIDE, flags)
  if (sizeof(number_t) == 1) {
    WITH_FLAGS(job->store, LINE);
  } else {
    LINE(AS_STORED);
  }
#undef LINE
}

/* ---- Any windows --------------------------------------------------------------------------- */

ACC_INLINE void any_line(const job_t* job, const int32_t* arrays, size_t channel) {
  const block_t block = load_block(job, arrays);
  const size_t left = job->channels - channel, pairs = job->pairs, pixels = job->pixels;
  const ptrdiff_t* taps = job->taps;
  const int16_t* input = job->input + channel;
  uint8_t* output = job->output + channel * sizeof(number_t);
  for (size_t p = 0; p < pixels; ++p, input += job->input_step, output += job->output_step) {
    halves_t sum[1], pair;
    begin_sums(sum[0], &block);
    for (size_t k = 0; k < pairs; ++k) {
      zip(pair, load_levels(input + taps[2 * k]), load_levels(input + taps[2 * k + 1]));
      add_pair(sum[0], pair, &block, k);
    }
    scale_as_stored(sum, 1, &block);
    store_pixel(output, sum[0], &block, left);
  }
}

ACC_INLINE void all_windows(const job_t* job) {
  const bool next = job->input_step == job->pixel; /* a stride of 1 or, with a side, of 2 */
  const int32_t* arrays = job->blocks;
  for (size_t c = 0; c < job->channels; c += BLOCK) {
    if (job->side == 3 && next) {
      square_line_of_3(job, arrays, c, 1);
    } else if (job->side == 3) {
      square_line_of_3(job, arrays, c, 2);
    } else if (job->side == 5 && next) {
      square_line(job, arrays, c, 5, 1, AS_STORED);
    } else if (job->side == 5) {
      square_line(job, arrays, c, 5, 2, AS_STORED);
    } else {
      any_line(job, arrays, c);
    }
    arrays += (ARMNN_ACC_CHANNEL_ARRAYS + job->pairs) * BLOCK;
  }
}

#endif /* ARMNN_CPU_ACC_QUANTIZED_CHANNELWISE_H_ */
