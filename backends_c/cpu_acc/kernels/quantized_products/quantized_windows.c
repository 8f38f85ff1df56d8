/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_windows.c - windows of 3 x 3 bytes of each channel by itself, where an instruction
 * multiplies and adds four bytes.
 *
 * The bytes of a column of a window, line by line, are put side by side channel by channel; the
 * fourth one weighs nothing. A column serves all windows that see it. Half a vector are 32
 * channels: those of both halves are neighbours, or the same ones of two lines of the output.
 */
#include "kernels/quantized/quantized.h"
#include "kernels/simd/simd_bytes.h"
#include "quantized_store.h"

#if VI_HAS_DOT_PRODUCT && defined(__AVX512F__)

enum {
  SIDE = ARMNN_ACC_BYTE_WINDOW,
  HALF = sizeof(vi_t) / 2,
  BLOCK = 2 * HALF,
  QUARTERS = BLOCK / VF_LANES,
  COLUMNS = 4
};

typedef armnn_i_acc_byte_windows_t job_t;
/* Of the channels of a quarter: armnn_i_acc_quartered. */
typedef vi_t quarters_t[QUARTERS];

typedef struct block_t {
  channels_t channels[QUARTERS];
  vi_bounds_t bounds;
  const int32_t *bias, *weights;
} block_t;

ACC_INLINE block_t load_block(const job_t* job, const uint32_t FLAGS) {
  const int32_t* arrays = job->block;
  block_t block = {.bounds = vi_bounds(job->store.zero_point, job->store.low, job->store.high),
                   .bias = arrays,
                   .weights = arrays + ARMNN_ACC_CHANNEL_ARRAYS * BLOCK};
  UNROLLED for (int q = 0; q < QUARTERS; ++q) {
    block.channels[q] = load_channels(arrays + q * VF_LANES, BLOCK, FLAGS);
  }
  return block;
}

ACC_INLINE __m512i load_halves(const uint8_t* p, ptrdiff_t upper) {
  const __m256i low = _mm256_loadu_si256((const __m256i*)(const void*)p);
  const __m256i high = _mm256_loadu_si256((const __m256i*)(const void*)(p + upper));
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* The bytes of three lines at |p|, four of each channel. */
ACC_INLINE void load_column(quarters_t column, const uint8_t* p, ptrdiff_t line, ptrdiff_t upper) {
  const __m512i a = load_halves(p, upper), b = load_halves(p + line, upper);
  const __m512i c = load_halves(p + 2 * line, upper);
  const __m512i low = _mm512_unpacklo_epi8(a, b), low_last = _mm512_unpacklo_epi8(c, c);
  const __m512i high = _mm512_unpackhi_epi8(a, b), high_last = _mm512_unpackhi_epi8(c, c);
  column[0] = _mm512_unpacklo_epi16(low, low_last);
  column[1] = _mm512_unpackhi_epi16(low, low_last);
  column[2] = _mm512_unpacklo_epi16(high, high_last);
  column[3] = _mm512_unpackhi_epi16(high, high_last);
}

ACC_INLINE void store_half(uint8_t* output, __m256i bytes, size_t channels) {
  if (channels == HALF) {
    _mm256_storeu_si256((__m256i*)(void*)output, bytes);
  } else {
    uint8_t all[HALF];
    _mm256_storeu_si256((__m256i*)(void*)all, bytes);
    memcpy(output, all, channels);
  }
}

ACC_INLINE void store_pixel(const job_t* job, uint8_t* output, const quarters_t sum,
                            vi_bounds_t bounds) {
  const __m512i bytes = vi_bounded_bytes(_mm512_packs_epi32(sum[0], sum[1]),
                                         _mm512_packs_epi32(sum[2], sum[3]), bounds);
  store_half(output, _mm512_castsi512_si256(bytes), job->channels[0]);
  store_half(output + job->output_upper, _mm512_extracti64x4_epi64(bytes, 1), job->channels[1]);
}

/* |COUNT| neighbouring pixels of the output. Capitals are constant where this is used. */
ACC_INLINE void pixels(const job_t* job, const block_t* block, const uint8_t* input,
                       uint8_t* output, const int STRIDE, const int COUNT, const uint32_t FLAGS) {
  const int REACH = (COUNT - 1) * STRIDE + SIDE;
  const ptrdiff_t line = job->line, pixel = job->pixel, upper = job->input_upper;
  quarters_t sum[COLUMNS];
  UNROLLED for (int q = 0; q < QUARTERS; ++q) {
    const vi_t bias = vi_load(block->bias + q * VF_LANES);
    UNROLLED for (int i = 0; i < COUNT; ++i) sum[i][q] = bias;
  }
  UNROLLED for (int x = 0; x < REACH; ++x) {
    quarters_t column;
    load_column(column, input + x * pixel, line, upper);
    UNROLLED for (int i = 0; i < COUNT; ++i) {
      const int tap = x - i * STRIDE;
      if (tap < 0 || tap >= SIDE) continue;
      UNROLLED for (int q = 0; q < QUARTERS; ++q) {
        const int32_t* weights = block->weights + (tap * QUARTERS + q) * VF_LANES;
        sum[i][q] = vi_dot_bytes(sum[i][q], column[q], vi_load(weights));
      }
    }
  }
  UNROLLED for (int q = 0; q < QUARTERS; ++q) {
    UNROLLED for (int i = 0; i < COUNT; ++i) {
      sum[i][q] = scaled(sum[i][q], &block->channels[q], FLAGS);
    }
  }
  UNROLLED for (int i = 0; i < COUNT; ++i) {
    store_pixel(job, output + i * job->output_step, sum[i], block->bounds);
  }
}

ACC_INLINE void line_of(const job_t* job, const uint8_t* input, uint8_t* output, const int STRIDE,
                        const uint32_t FLAGS) {
  const block_t block = load_block(job, FLAGS);
  size_t p = 0;
  for (; p + COLUMNS <= job->pixels; p += COLUMNS) {
    pixels(job, &block, input, output, STRIDE, COLUMNS, FLAGS);
    input += COLUMNS * STRIDE * job->pixel;
    output += COLUMNS * job->output_step;
  }
  for (; p < job->pixels; ++p) {
    pixels(job, &block, input, output, STRIDE, 1, FLAGS);
    input += STRIDE * job->pixel;
    output += job->output_step;
  }
}

/* A function of its own: with the block in registers for all lines, GCC 12 keeps sums in memory. */
static __attribute__((noinline)) void one_line(const job_t* job, const uint8_t* input,
                                               uint8_t* output) {
#define LINE_1(flags) line_of(job, input, output, 1, flags)
#define LINE_2(flags) line_of(job, input, output, 2, flags)
  if (job->stride == 1) {
    WITH_FLAGS(job->store, LINE_1);
  } else {
    WITH_FLAGS(job->store, LINE_2);
  }
#undef LINE_1
#undef LINE_2
}

void ACC_NAME(armnn_s8_windows)(const job_t* job);
void ACC_NAME(armnn_s8_windows)(const job_t* job) {
  for (size_t y = 0; y < job->lines; ++y) {
    one_line(job, job->input + (ptrdiff_t)y * job->input_line,
             job->output + (ptrdiff_t)y * job->output_line);
  }
}

#else
typedef int armnn_i_acc_no_windows_t; /* a file of C has something in it */
#endif
