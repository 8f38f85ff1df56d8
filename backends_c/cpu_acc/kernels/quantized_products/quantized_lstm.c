/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_lstm.c - LSTM cells in integers. All gates of some cells are in registers at once, as
 * in recurrent.c.
 *
 * A step of one row has two sums for each panel, too few for the latency of a product: groups of
 * depths have sums of their own there, which are added at the end.
 */
#include "kernels/simd/simd_fixed.h"
#include "kernels/simd/simd_int16.h"
#include "lstm_int8.h"
#include "quantized_tile.h"

#define KIND (VI_HAS_DOT_PRODUCT ? BYTES : NARROW_PAIRS)

/* ---- Sums ---------------------------------------------------------------------------------- */

/* SPLITS sets of sums of the same rows. */
ACC_INLINE void add_depths(sums_t* sum, const char* const* row, size_t groups, const char* weights,
                           const int ROWS, const int SPLITS) {
  const size_t step = weights_size(KIND);
  size_t k = 0;
#if defined(VI_DOT_BYTES_LANE)
  if (ROWS > 1) {
    for (; k + 4 <= groups; k += 4, weights += 4 * step) {
      add_four_groups(sum, row, k, weights, ROWS);
    }
  }
#endif
  for (; k + SPLITS <= groups; k += SPLITS) {
    UNROLLED for (int s = 0; s < SPLITS; ++s, weights += step) {
      add_group(sum + s * ROWS, row, k + s, weights, ROWS, VECTORS, KIND);
    }
  }
  for (; k < groups; ++k, weights += step) {
    add_group(sum, row, k, weights, ROWS, VECTORS, KIND);
  }
}

ACC_INLINE void store_sums(const armnn_i_acc_gate_sums_t* job, sums_t* sum, int16_t* output,
                           const int ROWS, const uint32_t FLAGS) {
  const channels_t own[VECTORS] = {load_channels(job->panel, PANEL, FLAGS),
                                   load_channels(job->panel + VF_LANES, PANEL, FLAGS)};
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    int16_t narrow[PANEL] = {0};
    int16_t* to = output + i * job->output_row;
    const bool is_whole = job->channels == PANEL;
    UNROLLED for (int v = 0; v < VECTORS; ++v) sum[i][v] = scaled(sum[i][v], &own[v], FLAGS);
    if (job->adds) {
      const int16_t* more = is_whole ? to : memcpy(narrow, to, job->channels * sizeof *narrow);
      UNROLLED for (int v = 0; v < VECTORS; ++v) {
        sum[i][v] = vi_add(sum[i][v], vi_load_int16(more + v * VF_LANES));
      }
    }
    vi_store_int16(is_whole ? to : narrow, sum[i][0], sum[i][1],
                   vi_int16_bounds(INT16_MIN, INT16_MAX));
    if (!is_whole) memcpy(to, narrow, job->channels * sizeof *narrow);
  }
}

ACC_INLINE void sum_rows(const armnn_i_acc_gate_sums_t* job, const char* input, int16_t* output,
                         const int ROWS) {
  const int SPLITS = ROWS == 1 ? 4 : ROWS <= 3 ? 2 : 1;
  const char* row[MOST_ROWS];
  sums_t sum[MOST_ROWS];
  UNROLLED for (int i = 0; i < ROWS; ++i) row[i] = input + i * job->input_row;
  UNROLLED for (int i = 0; i < ROWS * SPLITS; ++i) {
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      sum[i][v] = i < ROWS ? vi_load(job->panel + v * VF_LANES) : vi_set(0);
    }
  }
  add_depths(sum, row, job->groups, (const char*)(job->panel + ARMNN_ACC_CHANNEL_ARRAYS * PANEL),
             ROWS, SPLITS);
  UNROLLED for (int i = ROWS; i < ROWS * SPLITS; ++i) {
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      sum[i % ROWS][v] = vi_add(sum[i % ROWS][v], sum[i][v]);
    }
  }
  if (VI_HAS_DOT_PRODUCT) keep_sums(sum, ROWS, VECTORS);
  if (job->flags != 0) {
    store_sums(job, sum, output, ROWS, ARMNN_ACC_SCALE_EXACT);
  } else {
    store_sums(job, sum, output, ROWS, 0);
  }
}

typedef void (*sum_rows_t)(const armnn_i_acc_gate_sums_t* job, const char* input, int16_t* output);

#define TILE(rows)                                                                       \
  static __attribute__((noinline)) void sum_##rows(const armnn_i_acc_gate_sums_t* job,   \
                                                   const char* input, int16_t* output) { \
    sum_rows(job, input, output, rows);                                                  \
  }
TILES_UP_TO(MOST_ROWS, TILE)
#undef TILE

/* Tiles of nearly the same number of rows. */
static void ACC_NAME(armnn_s8_gate_sums)(const armnn_i_acc_gate_sums_t* job) {
#define SUM_OF(rows) sum_##rows,
  static const sum_rows_t sums[] = {NULL, TILES_UP_TO(MOST_ROWS, SUM_OF)};
#undef SUM_OF
  const uint32_t tiles = (job->rows + MOST_ROWS - 1) / MOST_ROWS;
  const char* input = job->input;
  int16_t* output = job->output;
  for (uint32_t t = 0; t < tiles; ++t) {
    const uint32_t rows = job->rows * (t + 1) / tiles - job->rows * t / tiles;
    sums[rows](job, input, output);
    input += rows * job->input_row;
    output += rows * job->output_row;
  }
}

/* ---- Sums before functions ----------------------------------------------------------------- */

/* A factor that does not shift to the left, of all lanes. */
typedef struct factor_t {
  vi_t multiplier, right, half;
} factor_t;

ACC_INLINE factor_t factor_of(armnn_factor_t factor) {
  const int32_t right = -factor.shift;
  return (factor_t){vi_set(factor.multiplier), vi_set(right),
                    vi_set(right == 0 ? 0 : 1 << (right - 1))};
}
ACC_INLINE vi_t times(vi_t x, const factor_t* factor) {
  return vi_scale_twice(x, factor->multiplier, factor->right, factor->half, 1);
}

static void add_peephole(const armnn_i_acc_lstm_gate_sums_t* job) {
  const armnn_factor_t real = job->factors->peephole;
  if (real.shift > 0 || real.shift < -30) { /* products have up to 31 bits */
    armnn_lstm_add_peephole(job->sums, job->peephole, job->cell, job->cells, real);
    return;
  }
  const factor_t factor = factor_of(real);
  for (size_t i = 0; i < job->cells; i += VW_LANES) {
    const size_t left = job->cells - i;
    vi_t sums[2], products[2];
    vw_products(vw_load_first(job->sums + i, left), vw_set(1), sums);
    vw_products(vw_load_first(job->peephole + i, left), vw_load_first(job->cell + i, left),
                products);
    UNROLLED for (int v = 0; v < 2; ++v) sums[v] = vi_add(sums[v], times(products[v], &factor));
    vw_store_first(job->sums + i, vw_saturated(sums), left);
  }
}

/* The greatest size of what |moments| make of |levels|. */
static int64_t reach_of(armnn_lstm_moments_t moments, const int16_t* levels, size_t count) {
  int32_t least = INT16_MAX, most = INT16_MIN;
  for (size_t i = 0; i < count; ++i) {
    least = levels[i] < least ? levels[i] : least;
    most = levels[i] > most ? levels[i] : most;
  }
  const int64_t low = armnn_scale32(1024 * least - moments.mean, moments.inverse);
  const int64_t high = armnn_scale32(1024 * most - moments.mean, moments.inverse);
  return -low > high ? -low : high;
}

/* By 1024, to the nearest, halves away from zero. */
ACC_INLINE vi_t without_ten_bits(vi_t x) {
  const vi_t sign = vi_shift_right(x, 31);
  const vi_t size = vi_sub(vi_xor(x, sign), sign);
  return vi_sub(vi_xor(vi_shift_right(vi_add(size, vi_set(512)), 10), sign), sign);
}

/* Where 32 bits hold products and their sums, which |moments| and the bias decide: always, but for
 * numbers without variance beside their mean. */
static void normalize(const armnn_i_acc_lstm_gate_sums_t* job) {
  enum { BLOCK = 2 * VF_LANES };
  const armnn_factor_t norm = job->factors->norm;
  const armnn_lstm_moments_t moments =
      armnn_lstm_moments(job->factors, (int64_t)job->cells, job->sums);
  const int64_t most = reach_of(moments, job->sums, job->cells) * -INT16_MIN + job->most_bias;
  if (most > INT32_MAX - 512 || norm.shift > 8) {
    armnn_lstm_normalize(job->factors, moments, job->norm, job->bias, (int64_t)job->cells,
                         job->sums);
    return;
  }
  const int32_t left_shift = norm.shift > 0 ? norm.shift : 0;
  const vi_t mean = vi_set(moments.mean), left = vi_set(left_shift);
  const factor_t inverse = factor_of(moments.inverse);
  const factor_t factor = factor_of((armnn_factor_t){norm.multiplier, norm.shift - left_shift});
  for (size_t i = 0; i < job->cells; i += BLOCK) {
    const size_t rest = job->cells - i;
    int16_t sums[BLOCK] = {0}, weights[BLOCK] = {0};
    int32_t bias[BLOCK] = {0};
    const bool is_whole = rest >= BLOCK;
    const int16_t* from = is_whole ? job->sums + i : memcpy(sums, job->sums + i, rest * 2);
    const int16_t* by = is_whole ? job->norm + i : memcpy(weights, job->norm + i, rest * 2);
    const int32_t* plus = is_whole ? job->bias + i : memcpy(bias, job->bias + i, rest * 4);
    vi_t values[2];
    UNROLLED for (int v = 0; v < 2; ++v) {
      const int at = v * VF_LANES;
      const vi_t centered = vi_sub(vi_shift_left(vi_load_int16(from + at), 10), mean);
      const vi_t product = vi_mul(times(centered, &inverse), vi_load_int16(by + at));
      const vi_t rounded = without_ten_bits(vi_add(product, vi_load(plus + at)));
      values[v] = times(vi_shift_left_by(rounded, left), &factor);
    }
    vi_store_int16(is_whole ? job->sums + i : sums, values[0], values[1],
                   vi_int16_bounds(INT16_MIN, INT16_MAX));
    if (!is_whole) memcpy(job->sums + i, sums, rest * sizeof *sums);
  }
}

static void ACC_NAME(armnn_s16_finish)(const armnn_i_acc_lstm_gate_sums_t* job) {
  if (job->peephole != NULL) add_peephole(job);
  if (job->norm != NULL) normalize(job);
}

/* ---- Cells --------------------------------------------------------------------------------- */

/* What the scaled products of both halves are, halves away from zero. */
ACC_INLINE vw_t shifted_product(vw_t a, vw_t b, int32_t right) {
  const vi_t half = vi_set(1 << (right - 1)), shift = vi_set(right);
  vi_t products[2];
  vw_products(a, b, products);
  UNROLLED for (int v = 0; v < 2; ++v) {
    const vi_t down = vi_shift_right(products[v], 31);
    products[v] = vi_shift_right_by(vi_add(vi_add(products[v], half), down), shift);
  }
  return vw_saturated(products);
}

ACC_INLINE void update_cells(const armnn_i_acc_lstm_cells_t* job, size_t i) {
  const size_t left = job->cells - i;
  const vw_t forget = vw_sigmoid(vw_load_first(job->forget + i, left), 3);
  const vw_t fresh = vw_tanh(vw_load_first(job->fresh + i, left), 3);
  const vw_t input = job->input == NULL ? vw_set(INT16_MAX) - forget
                                        : vw_sigmoid(vw_load_first(job->input + i, left), 3);
  const vw_t kept = shifted_product(forget, vw_load_first(job->cell + i, left), 15);
  vw_t cell = vw_sum(kept, shifted_product(input, fresh, job->right));
  if (job->bound != 0) {
    const vw_t high = vw_set(job->bound), low = vw_set(-job->bound);
    cell = vw_choose(cell > high, high, cell);
    cell = vw_choose(cell < low, low, cell);
  }
  vw_store_first(job->cell + i, cell, left);
}

static void ACC_NAME(armnn_s16_update)(const armnn_i_acc_lstm_cells_t* job) {
  for (size_t i = 0; i < job->cells; i += VW_LANES) update_cells(job, i);
}

static void ACC_NAME(armnn_s16_show)(const armnn_i_acc_lstm_cells_t* job) {
  const factor_t factor = factor_of(job->factor);
  const vw_t high = vw_set(INT8_MAX), low = vw_set(INT8_MIN), zero = vw_set(job->zero_point);
  for (size_t i = 0; i < job->cells; i += VW_LANES) {
    const size_t left = job->cells - i;
    const vw_t memorized = vw_tanh(vw_load_first(job->cell + i, left), job->whole);
    vi_t products[2];
    vw_products(vw_sigmoid(vw_load_first(job->output + i, left), 3), memorized, products);
    UNROLLED for (int v = 0; v < 2; ++v) products[v] = times(products[v], &factor);
    vw_t shown = vw_sum(vw_saturated(products), zero);
    shown = vw_choose(shown > high, high, shown);
    vw_store_bytes_first(job->shown + i, vw_choose(shown < low, low, shown), left);
  }
}

void ACC_NAME(armnn_s8_bytes)(const armnn_i_acc_levels_of_t* job);
void ACC_NAME(armnn_s8_levels)(const armnn_i_acc_levels_of_t* job);

extern const armnn_i_acc_lstm_int8_kernels_t ACC_NAME(armnn_i_acc_lstm_int8_kernels);
const armnn_i_acc_lstm_int8_kernels_t ACC_NAME(armnn_i_acc_lstm_int8_kernels) = {
    .panel = PANEL,
    .bytes = VI_HAS_DOT_PRODUCT ? 1 : sizeof(int16_t),
    .group = VI_HAS_DOT_PRODUCT ? GROUP_BYTES : GROUP_BYTES / sizeof(int16_t),
    .read = VI_HAS_DOT_PRODUCT ? ACC_NAME(armnn_s8_bytes) : ACC_NAME(armnn_s8_levels),
    .sums = ACC_NAME(armnn_s8_gate_sums),
    .finish = ACC_NAME(armnn_s16_finish),
    .update = ACC_NAME(armnn_s16_update),
    .show = ACC_NAME(armnn_s16_show),
    .name = "armnn_s8_lstm__" ACC_ISA_TEXT,
};
