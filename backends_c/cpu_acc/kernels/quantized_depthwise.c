/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_depthwise.c - windows of each channel by itself.
 *
 * Levels of two taps are put side by side, channel by channel, and multiplied with the weights of
 * both. Loop order: blocks of channels, whose arrays stay in registers, pixels, taps.
 */
#include "quantized.h"
#include "quantized_store.h"

enum { BLOCK = 2 * VF_LANES };

typedef armnn_i_acc_channelwise_job_t job_t;

ACC_INLINE vi_t load_levels(const int16_t* p) {
  vi_t x;
  memcpy(&x, p, sizeof x);
  return x;
}

/* |PAIRS| is constant where this is used, or 0: any number; and |FLAGS| are. */
ACC_INLINE void channel_block(const job_t* job, const int32_t* arrays, size_t channel,
                              const size_t PAIRS, const uint32_t FLAGS) {
  const size_t pairs = PAIRS != 0 ? PAIRS : job->pairs;
  const int32_t* weights = arrays + ARMNN_ACC_CHANNEL_ARRAYS * BLOCK;
  const ptrdiff_t* taps = job->taps;
  const int16_t* input = job->input + channel;
  uint8_t* output = job->output + channel;
  const size_t left = job->channels - channel;
  const vi_bounds_t bounds = vi_bounds(job->store.zero_point, job->store.low, job->store.high);
  const channels_t of_low = load_channels(arrays, BLOCK);
  const channels_t of_high = load_channels(arrays + VF_LANES, BLOCK);
  const ptrdiff_t input_step = job->input_step, output_step = job->output_step;
  const size_t pixels = job->pixels;
  const vi_t low_bias = vi_load(arrays), high_bias = vi_load(arrays + VF_LANES);
  for (size_t p = 0; p < pixels; ++p) {
    vi_t low = low_bias, high = high_bias;
    for (size_t k = 0; k < pairs; ++k) {
      const vi_t a = load_levels(input + taps[2 * k]), b = load_levels(input + taps[2 * k + 1]);
      low = vi_dot_pairs(low, vi_zip_low(a, b), vi_load(weights + k * BLOCK));
      high = vi_dot_pairs(high, vi_zip_high(a, b), vi_load(weights + k * BLOCK + VF_LANES));
    }
    low = scaled(low, &of_low, FLAGS);
    high = scaled(high, &of_high, FLAGS);
    if (left >= BLOCK) {
      vi_store_zipped(output, low, high, bounds);
    } else {
      uint8_t bytes[BLOCK];
      vi_store_zipped(bytes, low, high, bounds);
      for (size_t c = 0; c < left; ++c) output[c] = bytes[c];
    }
    input += input_step;
    output += output_step;
  }
}

ACC_INLINE void all_blocks(const job_t* job, const size_t PAIRS) {
  const int32_t* arrays = job->blocks;
  for (size_t c = 0; c < job->channels; c += BLOCK) {
#define CHANNEL_BLOCK(flags) channel_block(job, arrays, c, PAIRS, flags)
    WITH_FLAGS(job->store, CHANNEL_BLOCK);
#undef CHANNEL_BLOCK
    arrays += (ARMNN_ACC_CHANNEL_ARRAYS + job->pairs) * BLOCK;
  }
}

void ACC_NAME(armnn_s8_depthwise)(const job_t* job);
void ACC_NAME(armnn_s8_depthwise)(const job_t* job) {
  if (job->pairs == 5) {
    all_blocks(job, 5); /* 3 x 3 */
  } else {
    all_blocks(job, 0);
  }
}
