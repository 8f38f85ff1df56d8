/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_pooling.c - maxima and averages of windows of quantised bytes, channels last.
 */
#include "kernels/simd/simd_levels.h"
#include "quantized.h"

typedef armnn_i_acc_window_job_t job_t;

#if defined(__AVX512F__)
typedef __m512i bytes_t;
ACC_INLINE bytes_t greater(bytes_t a, bytes_t b) { return _mm512_max_epu8(a, b); }
#elif defined(__AVX2__)
typedef __m256i bytes_t;
ACC_INLINE bytes_t greater(bytes_t a, bytes_t b) { return _mm256_max_epu8(a, b); }
#elif defined(__SSE2__)
#include <emmintrin.h>
typedef __m128i bytes_t;
ACC_INLINE bytes_t greater(bytes_t a, bytes_t b) { return _mm_max_epu8(a, b); }
#else
typedef uint8_t bytes_t __attribute__((vector_size(16)));
ACC_INLINE bytes_t greater(bytes_t a, bytes_t b) {
  const bytes_t larger = (bytes_t)(a > b);
  return (a & larger) | (b & ~larger);
}
#endif

enum { WIDTH = sizeof(bytes_t), MOST_VECTORS = 64 / WIDTH, BLOCK = 4 * VF_LANES };

/* Of the channels of |vectors| vectors, a constant where this is used. */
ACC_INLINE void maximum_of_vectors(const job_t* job, size_t channel, const int VECTORS) {
  typedef uint8_t plain_t __attribute__((vector_size(WIDTH)));
  const bytes_t flip = (bytes_t)((plain_t){0} + job->flip); /* to the order of unsigned numbers */
  bytes_t most[MOST_VECTORS];
  for (int v = 0; v < VECTORS; ++v) most[v] = (bytes_t)(plain_t){0};
  const uint8_t* line = job->input + channel;
  for (size_t y = 0; y < job->lines; ++y, line += job->line) {
    const uint8_t* in = line;
    for (size_t x = 0; x < job->columns; ++x, in += job->pixel) {
      UNROLLED for (int v = 0; v < VECTORS; ++v) {
        bytes_t numbers;
        memcpy(&numbers, in + v * WIDTH, sizeof numbers);
        most[v] = greater(most[v], numbers ^ flip);
      }
    }
  }
  UNROLLED for (int v = 0; v < VECTORS; ++v) {
    const bytes_t numbers = most[v] ^ flip;
    memcpy(job->output + channel + v * WIDTH, &numbers, sizeof numbers);
  }
}

static void ACC_NAME(armnn_s8_maximum)(const job_t* job) {
  size_t c = 0;
  for (; c + WIDTH * MOST_VECTORS <= job->channels; c += WIDTH * MOST_VECTORS) {
    maximum_of_vectors(job, c, MOST_VECTORS);
  }
  for (; c + WIDTH <= job->channels; c += WIDTH) maximum_of_vectors(job, c, 1);
  for (; c < job->channels; ++c) {
    uint8_t most = 0;
    for (size_t y = 0; y < job->lines; ++y) {
      const uint8_t* in = job->input + (ptrdiff_t)y * job->line + c;
      for (size_t x = 0; x < job->columns; ++x, in += job->pixel) {
        const uint8_t number = *in ^ job->flip;
        most = number > most ? number : most;
      }
    }
    job->output[c] = most ^ job->flip;
  }
}

/* Sums of |count| channels, a constant where it is BLOCK. */
ACC_INLINE void sums_of(const job_t* job, size_t channel, size_t count, int32_t* sums) {
  vi_t sum[BLOCK / VF_LANES];
  const vi_t flip = vi_set(job->flip);
  const uint8_t* line = job->input + channel;
  for (int v = 0; v < BLOCK / VF_LANES; ++v) sum[v] = vi_set(0);
  for (size_t c = 0; count < BLOCK && c < count; ++c) sums[c] = 0;
  for (size_t y = 0; y < job->lines; ++y, line += job->line) {
    const uint8_t* in = line;
    for (size_t x = 0; x < job->columns; ++x, in += job->pixel) {
      for (size_t c = 0; count < BLOCK && c < count; ++c) sums[c] += in[c] ^ job->flip;
      UNROLLED for (int v = 0; count == BLOCK && v < BLOCK / VF_LANES; ++v) {
        sum[v] = vi_add(sum[v], vi_xor(vi_load_bytes(in + v * VF_LANES), flip));
      }
    }
  }
  for (int v = 0; count == BLOCK && v < BLOCK / VF_LANES; ++v) {
    vi_store(sums + v * VF_LANES, sum[v]);
  }
}

/* As armnn_rescaled_mean, of the sums of a block. */
static void store_rescaled(const job_t* job, const int32_t* sums, uint8_t* bytes) {
  const double from = (double)job->in_scale, steps = (double)job->out_scale * job->counted;
  const int32_t point = job->store.zero_point;
  const double least = job->store.low - point, most = job->store.high - point;
  for (size_t c = 0; c < BLOCK; ++c) {
    const double level = from * (double)(sums[c] - job->zeros) / steps;
    const double bounded = level < least ? least : level > most ? most : level;
    const double nearest = (bounded + ARMNN_ROUNDING_SHIFT) - ARMNN_ROUNDING_SHIFT;
    bytes[c] = (uint8_t)((int32_t)nearest + point);
  }
}

/* Halves away from zero, or by real scales to even. */
static void ACC_NAME(armnn_s8_average)(const job_t* job) {
  const double counted = job->counted;
  const float point = (float)job->store.zero_point;
  const float least = (float)job->store.low, most = (float)job->store.high;
  for (size_t from = 0; from < job->channels; from += BLOCK) {
    int32_t sums[BLOCK] = {0};
    uint8_t bytes[BLOCK];
    const size_t left = job->channels - from;
    if (left < BLOCK) {
      sums_of(job, from, left, sums);
    } else {
      sums_of(job, from, BLOCK, sums);
    }
    if (job->is_real) store_rescaled(job, sums, bytes);
    for (size_t c = 0; c < BLOCK && !job->is_real; ++c) {
      const float level = (float)((double)(sums[c] - job->zeros) / counted);
      const float number = __builtin_roundf(level + point);
      const float bounded = number < least ? least : number > most ? most : number;
      bytes[c] = (uint8_t)(int32_t)bounded;
    }
    memcpy(job->output + from, bytes, left < BLOCK ? left : BLOCK);
  }
}

/* Sums of real numbers of |count| channels, a constant where it is BLOCK. Those of float32 in
 * double are exact: their order does not matter. */
ACC_INLINE void real_sums_of(const job_t* job, size_t channel, size_t count, double* sums) {
  const float scale = job->in_scale;
  const int32_t offset = job->offset;
  const uint8_t flip = job->flip;
  const uint8_t* line = job->input + channel;
  for (size_t y = 0; y < job->lines; ++y, line += job->line) {
    const uint8_t* in = line;
    for (size_t x = 0; x < job->columns; ++x, in += job->pixel) {
      for (size_t c = 0; c < count; ++c) {
        sums[c] += (double)(scale * (float)((in[c] ^ flip) - offset));
      }
    }
  }
}

/* Halves to even; NaN becomes the zero point. */
static void ACC_NAME(armnn_s8_average_of_reals)(const job_t* job) {
  const double counted = job->counted;
  const float scale = job->out_scale, point = (float)job->store.zero_point;
  const float least = (float)job->store.low, most = (float)job->store.high;
  for (size_t from = 0; from < job->channels; from += BLOCK) {
    double sums[BLOCK] = {0.0};
    uint8_t bytes[BLOCK];
    const size_t left = job->channels - from;
    if (left < BLOCK) {
      real_sums_of(job, from, left, sums);
    } else {
      real_sums_of(job, from, BLOCK, sums);
    }
    for (size_t c = 0; c < BLOCK; ++c) {
      const float number = __builtin_rintf((float)(sums[c] / counted) / scale) + point;
      const float bounded = number < least ? least : number > most ? most : number;
      bytes[c] = (uint8_t)(int32_t)(number == number ? bounded : point);
    }
    memcpy(job->output + from, bytes, left < BLOCK ? left : BLOCK);
  }
}

extern const armnn_i_acc_window_kernels_t ACC_NAME(armnn_i_acc_window_kernels);
const armnn_i_acc_window_kernels_t ACC_NAME(armnn_i_acc_window_kernels) = {
    .maximum = ACC_NAME(armnn_s8_maximum),
    .average = ACC_NAME(armnn_s8_average),
    .average_of_reals = ACC_NAME(armnn_s8_average_of_reals),
    .maximum_name = "armnn_s8_max_pooling__" ACC_ISA_TEXT,
    .average_name = "armnn_s8_average_pooling__" ACC_ISA_TEXT,
};
