/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * depthwise_blocks.c - depthwise convolutions 3 x 3 with 16 registers: blocks of two output rows by
 * up to four columns.
 *
 * Eight sums are as many independent chains as two units of latency 4 need; with the weights of two
 * rows of the filter and the pixel at hand they are 15 registers. A pixel is loaded once for all
 * sums of the block that it serves: 24 loads for 72 multiplications with stride 1. Loop order:
 * pairs of output rows, blocks, vectors of channels, input rows, input columns.
 */
#include "depthwise_tile.h"

#if VF_REGISTERS < 32

typedef armnn_i_acc_depthwise_job_t job_t;
typedef armnn_i_acc_depthwise_tile_t tile_t;

enum { WIDTH = ARMNN_ACC_DEPTHWISE_BLOCK_WIDTH };

/* What of a block is inside the image, apart from what always is. */
typedef struct inside_t {
  int top, bottom, left, right;
} inside_t;

/* What becomes of the sums; any other function, or a residual, outside of registers. */
typedef enum finish_t { BY_CLAMP, BY_HARD_SWISH, BY_FUNCTION } finish_t;

/* What the blocks of one tile have in common. Copies of the job's members: for all the compiler
 * knows, a store of a result might change the job. */
typedef struct block_t {
  const float *input, *weights; /* of the first row and the second column, which are inside */
  ptrdiff_t input_row, input_pixel;
  float* output;
  ptrdiff_t output_row, output_pixel;
  inside_t inside;
  finish_t finish;
  float low, high, a, b;
} block_t;

typedef vf_t sums_t[WIDTH];

ACC_INLINE void sum_block(const block_t* block, sums_t* sums, int stride, int width, int height) {
  const float *input = block->input, *weights = block->weights;
  const ptrdiff_t pixel = block->input_pixel;
  const int rows = (height - 1) * stride + 3, columns = (width - 1) * stride + 3;
  const inside_t inside = block->inside;
  const vf_t bias = vf_load(weights);
  UNROLLED for (int o = 0; o < height; ++o) {
    UNROLLED for (int i = 0; i < width; ++i) sums[o][i] = bias;
  }
  vf_t filter[3][3];
  UNROLLED for (int r = 0; r < rows; ++r, input += block->input_row) {
    if (r < 3) {
      UNROLLED for (int k = 0; k < 3; ++k) {
        filter[r][k] = vf_load(weights + (1 + r * 3 + k) * VF_LANES);
        ACC_KEEP_HERE(filter[r][k]);
      }
    }
    if (r == 0 && !inside.top) continue;
    if (r == rows - 1 && !inside.bottom) continue;
    UNROLLED for (int c = 0; c < columns; ++c) {
      if (c == 0 && !inside.left) continue;
      if (c == columns - 1 && !inside.right) continue;
      vf_t x = vf_load(input + (c - 1) * pixel);
      ACC_KEEP_HERE(x);
      UNROLLED for (int o = 0; o < height; ++o) {
        const int row = r - o * stride;
        if (row < 0 || row > 2) continue;
        UNROLLED for (int i = 0; i < width; ++i) {
          const int k = c - i * stride;
          if (k >= 0 && k < 3) sums[o][i] = vf_fma(x, filter[row][k], sums[o][i]);
        }
      }
    }
  }
}

/* Writes a block. What |finish| is cannot change from vector to vector, so that the processor
 * predicts it; a copy of |sum_block| for each would gain nothing. */
ACC_INLINE void put_block(const job_t* job, const tile_t* tile, const block_t* block, sums_t* sums,
                          int64_t channel, int64_t y, int width, int height) {
  float* output = block->output + channel;
  if (block->finish == BY_CLAMP) {
    const vf_t low = vf_set(block->low), high = vf_set(block->high);
    UNROLLED for (int o = 0; o < height; ++o) {
      UNROLLED for (int i = 0; i < width; ++i) {
        vf_store(output + o * block->output_row + i * block->output_pixel,
                 vf_clamp(sums[o][i], low, high));
      }
    }
  } else if (block->finish == BY_HARD_SWISH) {
    const vf_t a = vf_set(block->a), b = vf_set(block->b);
    UNROLLED for (int o = 0; o < height; ++o) {
      UNROLLED for (int i = 0; i < width; ++i) {
        vf_store(output + o * block->output_row + i * block->output_pixel,
                 acc_depthwise_hard_swish(sums[o][i], a, b));
      }
    }
  } else {
    float buffer[2][WIDTH * VF_LANES];
    UNROLLED for (int o = 0; o < height; ++o) {
      UNROLLED for (int i = 0; i < width; ++i) vf_store(buffer[o] + i * VF_LANES, sums[o][i]);
    }
    for (int o = 0; o < height; ++o) {
      ACC_NAME(armnn_i_acc_depthwise_finish)(job, buffer[o], channel, y + o, tile->x, width);
    }
  }
}

/* All vectors of channels of one tile, output rows y .. y + height - 1. */
ACC_INLINE void one_tile(const job_t* job, const tile_t* tile, block_t block, int64_t y, int stride,
                         int width, int height) {
  const int64_t channels = job->channels;
  for (int64_t channel = 0; channel < channels; channel += VF_LANES) {
    sums_t sums[2];
    sum_block(&block, sums, stride, width, height);
    put_block(job, tile, &block, sums, channel, y, width, height);
    block.input += VF_LANES;
    block.weights += 10 * VF_LANES;
  }
}

/* Functions of their own: a block in the same function as others loses registers to them. */
#define BLOCKS(stride, width, height)                                                         \
  static __attribute__((noinline)) void blocks_##stride##_##width##_##height(                 \
      const job_t* job, const tile_t* tile, int64_t y) {                                      \
    const int64_t top = y * stride - job->pad_top;                                            \
    block_t block = {                                                                         \
        .input = job->input + top * job->input_row + (tile->input_x + 1) * job->input_pixel,  \
        .weights = job->weights,                                                              \
        .input_row = job->input_row,                                                          \
        .input_pixel = job->input_pixel,                                                      \
        .output = job->output + y * job->output_row + tile->x * job->output_pixel,            \
        .output_row = job->output_row,                                                        \
        .output_pixel = job->output_pixel,                                                    \
        .inside =                                                                             \
            {                                                                                 \
                .top = top >= 0,                                                              \
                .bottom = top + (height - 1) * stride + 2 < job->input_height,                \
                .left = (tile->columns & 1u) != 0,                                            \
                .right = (tile->columns >> ((width - 1) * stride + 2) & 1u) != 0,             \
            },                                                                                \
        .finish = job->function == NULL && job->residual == NULL ? BY_CLAMP                   \
                  : job->hard_swish                              ? BY_HARD_SWISH              \
                                                                 : BY_FUNCTION,               \
        .low = job->low,                                                                      \
        .high = job->high,                                                                    \
        .a = job->a * (1.0f / 6.0f),                                                          \
        .b = job->b,                                                                          \
    };                                                                                        \
    if (block.inside.top && block.inside.bottom && block.inside.left && block.inside.right) { \
      block.inside = (inside_t){1, 1, 1, 1};                                                  \
      one_tile(job, tile, block, y, stride, width, height);                                   \
    } else {                                                                                  \
      one_tile(job, tile, block, y, stride, width, height);                                   \
    }                                                                                         \
  }

#define KERNEL(stride)                                                                  \
  BLOCKS(stride, 1, 1)                                                                  \
  BLOCKS(stride, 2, 1)                                                                  \
  BLOCKS(stride, 3, 1)                                                                  \
  BLOCKS(stride, 4, 1)                                                                  \
  BLOCKS(stride, 1, 2)                                                                  \
  BLOCKS(stride, 2, 2)                                                                  \
  BLOCKS(stride, 3, 2)                                                                  \
  BLOCKS(stride, 4, 2)                                                                  \
  void ACC_NAME(armnn_f32_depthwise_3x3_s##stride##_blocks)(const job_t* job) {         \
    static void (*const blocks[2][WIDTH + 1])(const job_t*, const tile_t*, int64_t) = { \
        {NULL, blocks_##stride##_1_1, blocks_##stride##_2_1, blocks_##stride##_3_1,     \
         blocks_##stride##_4_1},                                                        \
        {NULL, blocks_##stride##_1_2, blocks_##stride##_2_2, blocks_##stride##_3_2,     \
         blocks_##stride##_4_2},                                                        \
    };                                                                                  \
    for (int64_t y = job->first_row; y < job->end_row; y += 2) {                        \
      const int pair = y + 1 < job->end_row;                                            \
      for (int64_t t = 0; t < job->tile_count; ++t) {                                   \
        blocks[pair][job->tiles[t].width](job, &job->tiles[t], y);                      \
      }                                                                                 \
    }                                                                                   \
  }
KERNEL(1)
KERNEL(2)
#undef KERNEL
#undef BLOCKS

#endif
