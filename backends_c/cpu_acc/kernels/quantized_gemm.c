/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_gemm.c - tiles of rows x panels of quantised numbers in registers.
 *
 * As gemm.c, with pairs of levels instead of floats: each row's pair is spread over a vector, and
 * one instruction multiplies it with the weights of two depths and adds both products. A sum wraps
 * on its way where the whole does not: the maker has seen to that.
 */
#include "quantized.h"
#include "quantized_store.h"

#define LANES VF_LANES
enum { VECTORS = 2, PANEL = VECTORS * LANES };

typedef vi_t sums_t[VECTORS];

ACC_INLINE void store_tile(const armnn_i_acc_level_job_t* job, sums_t* sum, const int ROWS,
                           const uint32_t FLAGS) {
  const vi_bounds_t bounds = vi_bounds(job->store.zero_point, job->store.low, job->store.high);
  const uint32_t channels = job->channels;
  const ptrdiff_t offset = job->offset;
  UNROLLED for (int v = 0; v < VECTORS; ++v) {
    const channels_t own = load_channels(job->panel + v * LANES, PANEL);
    UNROLLED for (int i = 0; i < ROWS; ++i) sum[i][v] = scaled(sum[i][v], &own, FLAGS);
  }
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    uint8_t* out = job->outputs[i] + offset;
    if (channels == PANEL) {
      vi_store_numbers(out, sum[i][0], sum[i][1], bounds);
    } else {
      uint8_t bytes[PANEL];
      vi_store_numbers(bytes, sum[i][0], sum[i][1], bounds);
      for (uint32_t c = 0; c < channels; ++c) out[c] = bytes[c];
    }
  }
}

ACC_INLINE void multiply_tile(const armnn_i_acc_level_job_t* job, const int ROWS) {
  const size_t pairs = job->pairs;
  const int32_t* weights = job->panel + ARMNN_ACC_CHANNEL_ARRAYS * PANEL;
  sums_t sum[ARMNN_ACC_LEVEL_ROWS];
  UNROLLED for (int v = 0; v < VECTORS; ++v) {
    const vi_t bias = vi_load(job->panel + v * LANES);
    UNROLLED for (int i = 0; i < ROWS; ++i) sum[i][v] = bias;
  }
  for (uint32_t t = 0; t < job->tap_count; ++t) {
    const int16_t* row[ARMNN_ACC_LEVEL_ROWS];
    UNROLLED for (int i = 0; i < ROWS; ++i) row[i] = job->inputs[i] + job->taps[t];
    for (size_t k = 0; k < pairs; ++k) {
      const vi_t first = vi_load(weights), second = vi_load(weights + LANES);
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        const vi_t x = vi_set_pair(row[i] + 2 * k);
        sum[i][0] = vi_dot_pairs(sum[i][0], x, first);
        sum[i][1] = vi_dot_pairs(sum[i][1], x, second);
      }
      weights += PANEL;
    }
  }
#define STORE(flags) store_tile(job, sum, ROWS, flags)
  WITH_FLAGS(job->store, STORE);
#undef STORE
}

static void ACC_NAME(armnn_s8_gemm)(const armnn_i_acc_level_job_t* job) {
  switch (job->rows) {
#define TILE(rows)            \
  case rows:                  \
    multiply_tile(job, rows); \
    break;
    TILE(1)
    TILE(2)
    TILE(3)
    TILE(4)
    TILE(5)
    TILE(6)
#undef TILE
    default:
      break;
  }
}

ACC_INLINE void sum_rows(const int16_t* input, ptrdiff_t input_row, size_t pairs,
                         const int32_t* weights, int32_t* sums, const int ROWS) {
  sums_t sum[ARMNN_ACC_LEVEL_ROWS];
  UNROLLED for (int i = 0; i < ROWS; ++i) sum[i][0] = sum[i][1] = vi_set(0);
  for (size_t k = 0; k < pairs; ++k) {
    const vi_t first = vi_load(weights), second = vi_load(weights + LANES);
    UNROLLED for (int i = 0; i < ROWS; ++i) {
      const vi_t x = vi_set_pair(input + i * input_row + 2 * (ptrdiff_t)k);
      sum[i][0] = vi_dot_pairs(sum[i][0], x, first);
      sum[i][1] = vi_dot_pairs(sum[i][1], x, second);
    }
    weights += PANEL;
  }
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    vi_store(sums + i * PANEL, sum[i][0]);
    vi_store(sums + i * PANEL + LANES, sum[i][1]);
  }
}

static void ACC_NAME(armnn_s8_sums)(const armnn_i_acc_sums_job_t* job) {
  const int16_t* input = job->input;
  int32_t* sums = job->sums;
  uint32_t rows = job->rows;
  for (; rows >= ARMNN_ACC_LEVEL_ROWS; rows -= ARMNN_ACC_LEVEL_ROWS) {
    sum_rows(input, job->input_row, job->pairs, job->weights, sums, ARMNN_ACC_LEVEL_ROWS);
    input += ARMNN_ACC_LEVEL_ROWS * job->input_row;
    sums += ARMNN_ACC_LEVEL_ROWS * PANEL;
  }
  switch (rows) {
#define REST(rows)                                                         \
  case rows:                                                               \
    sum_rows(input, job->input_row, job->pairs, job->weights, sums, rows); \
    break;
    REST(1)
    REST(2)
    REST(3)
    REST(4)
    REST(5)
#undef REST
    default:
      break;
  }
}

static void ACC_NAME(armnn_s8_levels)(const armnn_i_acc_levels_of_t* job) {
  const uint8_t flip = job->flip;
  const int16_t offset = job->offset;
  const uint8_t* in = job->input;
  int16_t* out = job->output;
  size_t pixels = job->pixels, channels = job->channels, width = job->width;
  if (width == channels && job->input_step == (ptrdiff_t)channels) { /* all pixels in one run */
    channels = width = pixels * channels;
    pixels = 1;
  }
  for (size_t p = 0; p < pixels; ++p, in += job->input_step, out += width) {
    for (size_t c = 0; c < channels; ++c) out[c] = (int16_t)((in[c] ^ flip) - offset);
    for (size_t c = channels; c < width; ++c) out[c] = 0;
  }
}

void ACC_NAME(armnn_s8_depthwise)(const armnn_i_acc_channelwise_job_t* job);
void ACC_NAME(armnn_s8_winograd_input)(const armnn_i_acc_level_squares_t* job);
void ACC_NAME(armnn_s8_winograd_output)(const armnn_i_acc_square_sums_t* job);
extern const armnn_i_acc_element_kernels_t ACC_NAME(armnn_i_acc_element_kernels);

extern const armnn_i_acc_quantized_kernels_t ACC_NAME(armnn_i_acc_quantized_kernels);
const armnn_i_acc_quantized_kernels_t ACC_NAME(armnn_i_acc_quantized_kernels) = {
    .panel = PANEL,
    .levels = ACC_NAME(armnn_s8_levels),
    .multiply = ACC_NAME(armnn_s8_gemm),
    .elements = &ACC_NAME(armnn_i_acc_element_kernels),
    .channelwise = ACC_NAME(armnn_s8_depthwise),
    .channelwise_name = "armnn_s8_depthwise__" ACC_ISA_TEXT,
    .sums = ACC_NAME(armnn_s8_sums),
    .winograd_input = ACC_NAME(armnn_s8_winograd_input),
    .winograd_output = ACC_NAME(armnn_s8_winograd_output),
    .winograd_name = "armnn_s8_winograd__" ACC_ISA_TEXT "_2x2",
    .multiply_name = "armnn_s8_gemm__" ACC_ISA_TEXT,
};
