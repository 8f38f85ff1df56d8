/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_int16_gemm.c - products of numbers of 16 bits with weights of 8 bits, and the table of
 * all kernels of such numbers.
 *
 * A stored number is its level: tiles are those of pairs of levels with narrow weights
 * (quantized_tile.h), and what comes out is stored in 16 bits. Where a channel's weights and bias
 * do not prove that 32 bits hold its sums, SEGMENT pairs at a time are added in 32 bits, and all of
 * them in 64.
 */
#include "fixed_point.h"
#include "kernels/quantized/quantized_int16.h"
#include "kernels/simd/simd_int16.h"
#include "quantized_tile.h"

/* A product of two pairs is 2^23 at most: that of so many is below 2^31. */
enum { SEGMENT = 255 };

ACC_INLINE int16_t* output_of(const job_t* job, uint8_t* const* outputs, int row) {
  return (int16_t*)(void*)outputs[row] + job->offset;
}

/* ---- Sums of 32 bits ----------------------------------------------------------------------- */

ACC_INLINE void store_int16_tile(const job_t* job, uint8_t* const* outputs, sums_t* sum,
                                 const int ROWS, const uint32_t FLAGS) {
  const vi_int16_bounds_t bounds = vi_int16_bounds(job->store.low, job->store.high);
  UNROLLED for (int v = 0; v < VECTORS; ++v) {
    const channels_t own = load_channels(job->panel + v * VF_LANES, PANEL, FLAGS);
    UNROLLED for (int i = 0; i < ROWS; ++i) sum[i][v] = scaled(sum[i][v], &own, FLAGS);
  }
  if (job->channels == PANEL) {
    UNROLLED for (int i = 0; i < ROWS; ++i) {
      vi_store_int16(output_of(job, outputs, i), sum[i][0], sum[i][1], bounds);
    }
    return;
  }
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    int16_t narrow[PANEL];
    vi_store_int16(narrow, sum[i][0], sum[i][1], bounds);
    memcpy(output_of(job, outputs, i), narrow, job->channels * sizeof *narrow);
  }
}

ACC_INLINE void multiply_int16(const job_t* job, const char* const* inputs, uint8_t* const* outputs,
                               const int ROWS) {
  const size_t groups = job->groups, step = weights_size(NARROW_PAIRS);
  const char* weights = (const char*)(job->panel + ARMNN_ACC_CHANNEL_ARRAYS * PANEL);
  sums_t sum[MOST_ROWS];
  UNROLLED for (int v = 0; v < VECTORS; ++v) {
    const vi_t bias = vi_load(job->panel + v * VF_LANES);
    UNROLLED for (int i = 0; i < ROWS; ++i) sum[i][v] = bias;
  }
  for (uint32_t t = 0; t < job->tap_count; ++t) {
    const char* row[MOST_ROWS];
    UNROLLED for (int i = 0; i < ROWS; ++i) row[i] = inputs[i] + job->taps[t];
    for (size_t k = 0; k < groups; ++k, weights += step) {
      add_group(sum, row, k, weights, ROWS, VECTORS, NARROW_PAIRS);
    }
  }
  if (VI_HAS_DOT_PRODUCT) keep_sums(sum, ROWS, VECTORS);
#define STORE(flags) store_int16_tile(job, outputs, sum, ROWS, flags)
  WITH_FLAGS(job->store, STORE);
#undef STORE
}

/* ---- Sums of 64 bits ----------------------------------------------------------------------- */

typedef int64_t totals_t[PANEL];

/* Takes the sums of a segment, which begin anew. */
ACC_INLINE void take_segment(totals_t* total, sums_t* sum, const int ROWS) {
  for (int i = 0; i < ROWS; ++i) {
    int32_t part[PANEL];
    for (int v = 0; v < VECTORS; ++v) {
      vi_store(part + v * VF_LANES, sum[i][v]);
      sum[i][v] = vi_set(0);
    }
    for (int c = 0; c < PANEL; ++c) total[i][c] += part[c];
  }
}

/* total * multiplier / 2^right, rounded once, halves upwards; |right| is 16 or less for multipliers
 * below 2^15 alone. */
static inline int64_t scaled_once(int64_t total, int32_t multiplier, int32_t right) {
  if (right <= 16) {
    const int64_t half = (INT64_C(1) << right) >> 1;
    return (int64_t)((uint64_t)total * (uint64_t)multiplier + (uint64_t)half) >> right;
  }
  const int64_t high = (total >> 16) * multiplier + (((total & 0xffff) * multiplier) >> 16);
  return (high + (INT64_C(1) << (right - 17))) >> (right - 16);
}

static void store_totals(const job_t* job, uint8_t* const* outputs, const totals_t* total,
                         int rows) {
  const int32_t* multiplier = job->panel + ARMNN_ACC_CHANNEL_MULTIPLIER * PANEL;
  const int32_t* right = job->panel + ARMNN_ACC_CHANNEL_RIGHT * PANEL;
  const int32_t* left = job->panel + ARMNN_ACC_CHANNEL_LEFT * PANEL;
  const int64_t low = job->store.low, high = job->store.high;
  const bool once = (job->store.flags & ARMNN_ACC_SCALE_ONCE) != 0;
  const bool is_real = (job->store.flags & ARMNN_ACC_SCALE_REAL) != 0;
  for (int i = 0; i < rows; ++i) {
    int16_t narrow[PANEL];
    for (uint32_t c = 0; c < job->channels; ++c) {
      const armnn_factor_t factor = {multiplier[c], left[c] - right[c]};
      const int32_t halves[] = {multiplier[c], right[c]};
      double real;
      memcpy(&real, halves, sizeof real);
      const int64_t number = is_real ? armnn_rescaled_sum(total[i][c], real)
                             : once  ? scaled_once(total[i][c], multiplier[c], right[c])
                                     : armnn_scale32(armnn_saturate32(total[i][c]), factor);
      narrow[c] = (int16_t)(number < low ? low : number > high ? high : number);
    }
    memcpy(output_of(job, outputs, i), narrow, job->channels * sizeof *narrow);
  }
}

ACC_INLINE void multiply_wide(const job_t* job, const char* const* inputs, uint8_t* const* outputs,
                              const int ROWS) {
  const int32_t* bias = job->panel + ARMNN_ACC_CHANNEL_BIAS * PANEL;
  const int32_t* above = job->panel + ARMNN_ACC_CHANNEL_HALF * PANEL;
  const size_t groups = job->groups, step = weights_size(NARROW_PAIRS);
  const char* weights = (const char*)(job->panel + ARMNN_ACC_CHANNEL_ARRAYS * PANEL);
  totals_t total[MOST_ROWS];
  sums_t sum[MOST_ROWS];
  for (int i = 0; i < ROWS; ++i) {
    for (int c = 0; c < PANEL; ++c) {
      total[i][c] = (int64_t)above[c] * (INT64_C(1) << 32) + (uint32_t)bias[c];
    }
    UNROLLED for (int v = 0; v < VECTORS; ++v) sum[i][v] = vi_set(0);
  }
  size_t left = SEGMENT;
  for (uint32_t t = 0; t < job->tap_count; ++t) {
    const char* row[MOST_ROWS];
    UNROLLED for (int i = 0; i < ROWS; ++i) row[i] = inputs[i] + job->taps[t];
    for (size_t k = 0; k < groups;) {
      const size_t end = groups - k < left ? groups : k + left;
      left -= end - k;
      for (; k < end; ++k, weights += step)
        add_group(sum, row, k, weights, ROWS, VECTORS, NARROW_PAIRS);
      if (left > 0) continue;
      take_segment(total, sum, ROWS);
      left = SEGMENT;
    }
  }
  take_segment(total, sum, ROWS);
  store_totals(job, outputs, (const totals_t*)total, ROWS);
}

/* ---- Tiles of all sizes -------------------------------------------------------------------- */

/* The tiles of a job, |rows| rows each, are a function of their own for each kind and size. */
#define TILES(kind, rows)                                                          \
  static __attribute__((noinline)) void kind##_##rows(const job_t* job) {          \
    for (uint32_t t = 0; t < job->tiles; ++t) {                                    \
      multiply_##kind(job, job->inputs + t * rows, job->outputs + t * rows, rows); \
    }                                                                              \
  }
#define INT16_TILES(rows) TILES(int16, rows)
#define WIDE_TILES(rows) TILES(wide, rows)
TILES_UP_TO(MOST_ROWS, INT16_TILES)
TILES_UP_TO(MOST_ROWS, WIDE_TILES)
#undef TILES

#define INT16_TILES_OF(rows) int16_##rows,
static void ACC_NAME(armnn_s16_gemm)(const job_t* job) {
  static void (*const tiles[])(const job_t*) = {NULL, TILES_UP_TO(MOST_ROWS, INT16_TILES_OF)};
  tiles[job->rows](job);
}

#define WIDE_TILES_OF(rows) wide_##rows,
static void ACC_NAME(armnn_s16_wide_gemm)(const job_t* job) {
  static void (*const tiles[])(const job_t*) = {NULL, TILES_UP_TO(MOST_ROWS, WIDE_TILES_OF)};
  tiles[job->rows](job);
}

/* ---- Images and tables --------------------------------------------------------------------- */

/* Numbers as they are, zero behind the last channel. */
static void ACC_NAME(armnn_s16_levels)(const armnn_i_acc_levels_of_t* job) {
  const size_t size = job->channels * sizeof(int16_t), width = job->width * sizeof(int16_t);
  char* out = (char*)job->output;
  if (size == width && job->input_step == (ptrdiff_t)size) {
    memcpy(out, job->input, job->pixels * size);
    return;
  }
  for (size_t p = 0; p < job->pixels; ++p, out += width) {
    memcpy(out, job->input + (ptrdiff_t)p * job->input_step, size);
    memset(out + size, 0, width - size);
  }
}

static const armnn_i_acc_product_kernels_t products = {
    .panel = PANEL,
    .rows = MOST_ROWS,
    .bytes = sizeof(int16_t),
    .weight_bytes = 1,
    .group = GROUP_BYTES / sizeof(int16_t),
    .read = ACC_NAME(armnn_s16_levels),
    .multiply = ACC_NAME(armnn_s16_gemm),
    .name = "armnn_s16_gemm__" ACC_ISA_TEXT,
};

static const armnn_i_acc_product_kernels_t wide_products = {
    .panel = PANEL,
    .rows = MOST_ROWS,
    .bytes = sizeof(int16_t),
    .weight_bytes = 1,
    .group = GROUP_BYTES / sizeof(int16_t),
    .read = ACC_NAME(armnn_s16_levels),
    .multiply = ACC_NAME(armnn_s16_wide_gemm),
    .name = "armnn_s16_gemm_wide__" ACC_ISA_TEXT,
};

void ACC_NAME(armnn_s16_depthwise)(const armnn_i_acc_channelwise_job_t* job);
void ACC_NAME(armnn_s16_quantize)(const float* in, int16_t* out, size_t count, float scale,
                                  const armnn_i_acc_store_t* store);
void ACC_NAME(armnn_s16_dequantize)(const int16_t* in, float* out, size_t count, float scale);
void ACC_NAME(armnn_s16_pair)(const armnn_i_acc_pair_job_t* job);

extern const armnn_i_acc_int16_kernels_t ACC_NAME(armnn_i_acc_int16_kernels);
const armnn_i_acc_int16_kernels_t ACC_NAME(armnn_i_acc_int16_kernels) = {
    .products = &products,
    .wide_products = &wide_products,
    .channelwise = ACC_NAME(armnn_s16_depthwise),
    .channelwise_name = "armnn_s16_depthwise__" ACC_ISA_TEXT,
    .quantize = ACC_NAME(armnn_s16_quantize),
    .quantize_name = "armnn_s16_quantize__" ACC_ISA_TEXT,
    .dequantize = ACC_NAME(armnn_s16_dequantize),
    .dequantize_name = "armnn_s16_dequantize__" ACC_ISA_TEXT,
    .pair = ACC_NAME(armnn_s16_pair),
    .add_name = "armnn_s16_add__" ACC_ISA_TEXT,
    .sub_name = "armnn_s16_sub__" ACC_ISA_TEXT,
    .mul_name = "armnn_s16_mul__" ACC_ISA_TEXT,
};
