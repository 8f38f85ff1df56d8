/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * winograd_cost.c - when Winograd's algorithm is faster, and how its work is cut.
 *
 * Times are estimated in cycles of a processor with two multiply-adds and two loads in a cycle, of
 * whole vectors; for vectors of 16 floats also of one with a single multiply-add, as Zen 4 has it:
 * there a layer must gain what is asked for, and must not lose where there are two. The numbers
 * were measured with armnn_acc_kernel_bench (benchmarks/results/winograd.md); what counts is the
 * ratio of two estimates.
 */
#include "ops/caches.h"
#include "winograd.h"

/* Of a register tile's begin and end; of a tile's addresses. */
#define REGISTER_TILE_CYCLES 25.0
#define PLACE_CYCLES 60.0
/* Of the transforms of a vector of channels of a tile: pixels, sums. */
typedef struct transform_cycles_t {
  double pixels, sums;
} transform_cycles_t;
static const transform_cycles_t transform_cycles[ARMNN_ACC_WINOGRAD_TILES] = {{45.0, 30.0},
                                                                              {110.0, 90.0}};
/* How many bytes of weights arrive in a cycle from beyond the second cache, while nothing else is
 * done: products of few rows wait for them. */
#define WEIGHT_BYTES 5.0
/* What must be gained: results are less exact, and weights take more memory. */
#define WORTH 0.75
/* Transformed weights of one layer that are worth having: 4 x 4 tiles up to 682 x 682 channels. */
#define MOST_WEIGHTS 67108864.0

/* Second cache for estimates, which are the same on all machines. */
#define USUAL_CACHE 524288
/* Tiles of a block, even if its scratch leaves the cache: for each block all weights are read
 * again. */
#define LEAST_TILES 24
#define MOST_TILES 72

/* Vectors of so many floats are multiplied and added once or twice in a cycle. */
#define WIDE_LANES 16

static double larger(double a, double b) { return a > b ? a : b; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

bool armnn_i_acc_can_winograd(const armnn_i_acc_maker_t* maker,
                              const armnn_i_acc_convolution_t* what) {
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  return kernels != NULL && kernels->winograd != NULL && what->groups == 1 && what->kernel_y == 3 &&
         what->kernel_x == 3 && what->stride_y == 1 && what->stride_x == 1 &&
         what->dilation_y == 1 && what->dilation_x == 1 &&
         what->input.element.type == ARMNN_DATA_TYPE_FLOAT32 &&
         what->output.element.type == ARMNN_DATA_TYPE_FLOAT32 &&
         what->weights.element.type == ARMNN_DATA_TYPE_FLOAT32 &&
         armnn_i_acc_count(&what->output) > 0 && armnn_i_acc_count(&what->input) > 0;
}

/* ---- Products ------------------------------------------------------------------------------ */

/* One step of depth of a register tile: products, loads, or the time until a sum can be used. */
static double step_cycles(int64_t rows, int64_t vectors, int rate) {
  return larger(larger((double)(rows * vectors) / rate, (double)(rows + vectors) / 2), 4.0);
}

/* |rows| rows times |all| vectors of columns, in panels of |vectors|; |rate| multiply-adds begin in
 * a cycle. */
static double product_cycles(const armnn_i_acc_gemm_kernels_t* gemm, int64_t rows, int64_t depth,
                             int64_t all, int64_t vectors, int rate) {
  const int64_t panels = armnn_i_acc_ceil_div(all, vectors);
  const int64_t wide = all - all / panels * panels, width = all / panels;
  const int64_t tile = gemm->max_rows[wide > 0 ? width + 1 : width];
  const int64_t full = rows / tile, rest = rows % tile;
  double cycles = 0.0;
  for (int64_t w = width; w <= width + 1; ++w) {
    const double count = (double)(w == width ? panels - wide : wide);
    cycles +=
        count * (double)full * (REGISTER_TILE_CYCLES + (double)depth * step_cycles(tile, w, rate));
    if (rest == 0) continue;
    cycles += count * (REGISTER_TILE_CYCLES + (double)depth * step_cycles(rest, w, rate));
  }
  return cycles;
}

uint32_t armnn_i_acc_winograd_vectors(const armnn_i_acc_gemm_kernels_t* gemm, int64_t columns,
                                      int64_t rows) {
  const int64_t all = armnn_i_acc_ceil_div(columns, gemm->lanes);
  uint32_t best = 1;
  double best_cycles = INFINITY;
  for (uint32_t vectors = 1; vectors <= gemm->max_vectors && vectors <= all; ++vectors) {
    const double cycles = product_cycles(gemm, rows, 64, all, vectors, 2);
    if (cycles < best_cycles) {
      best = vectors;
      best_cycles = cycles;
    }
  }
  return best;
}

/* ---- Cutting ------------------------------------------------------------------------------- */

/* Tiles of a block whose scratch takes three quarters of the cache; or more of them, if channels
 * are many: as many as make the scratch half as large as the weights. */
static int64_t wanted_tiles(int64_t cache, int64_t points, int64_t channels, int64_t columns) {
  const int64_t both = channels + columns;
  const int64_t fitting = cache * 3 / 4 / (points * both * (int64_t)sizeof(float));
  const int64_t wide = least(channels * columns / (2 * both), MOST_TILES);
  return most(most(fitting / 6 * 6, wide), LEAST_TILES);
}

void armnn_i_acc_cut_winograd(armnn_i_acc_winograd_t* op) {
  const int64_t wanted =
      wanted_tiles((int64_t)armnn_i_acc_second_cache(), op->points, op->pixel_step, op->sum_step);
  const int64_t threads = op->threads;
  op->together = threads > 1 && op->tiles < threads * wanted;
  int64_t blocks = op->together ? 1 : armnn_i_acc_ceil_div(op->tiles, wanted);
  if (!op->together) blocks = armnn_i_acc_ceil_div(blocks, threads) * threads;
  op->block_tiles = armnn_i_acc_ceil_div(op->tiles, blocks);
  op->blocks = armnn_i_acc_ceil_div(op->tiles, op->block_tiles);
}

/* ---- Choosing ------------------------------------------------------------------------------ */

static double direct_cycles(const armnn_i_acc_gemm_kernels_t* gemm,
                            const armnn_i_acc_convolution_t* what, int rate) {
  const int64_t channels = what->input.dims[3], columns = what->output.dims[3];
  const int64_t pixels = armnn_i_acc_count(&what->output) / columns;
  const uint32_t vectors = armnn_i_acc_winograd_vectors(gemm, columns, pixels);
  const int64_t all = armnn_i_acc_ceil_div(columns, gemm->lanes);
  const double weights = 9.0 * sizeof(float) * (double)(channels * columns);
  return product_cycles(gemm, pixels, 9 * channels, all, vectors, rate) + weights / WEIGHT_BYTES;
}

/* INFINITY: the weights would be too large. */
static double winograd_cycles(const armnn_i_acc_gemm_kernels_t* gemm,
                              const armnn_i_acc_convolution_t* what, int64_t size, int rate) {
  const transform_cycles_t transform = transform_cycles[size == 2 ? 0 : 1];
  const int64_t channels = what->input.dims[3], columns = what->output.dims[3];
  const int64_t points = (size + 2) * (size + 2);
  const int64_t tiles = what->output.dims[0] * armnn_i_acc_ceil_div(what->output.dims[1], size) *
                        armnn_i_acc_ceil_div(what->output.dims[2], size);
  const int64_t wanted = wanted_tiles(USUAL_CACHE, points, channels, columns);
  const int64_t blocks = armnn_i_acc_ceil_div(tiles, wanted);
  const int64_t rows = armnn_i_acc_ceil_div(tiles, blocks);
  const int64_t in = armnn_i_acc_ceil_div(channels, gemm->lanes);
  const int64_t out = armnn_i_acc_ceil_div(columns, gemm->lanes);
  const uint32_t vectors = armnn_i_acc_winograd_vectors(gemm, columns, rows);
  const double product = (double)points * product_cycles(gemm, rows, channels, out, vectors, rate);
  const double weights = (double)(points * channels * columns) * sizeof(float);
  const double transforms =
      (double)tiles * (PLACE_CYCLES + (double)in * transform.pixels + (double)out * transform.sums);
  if (weights > MOST_WEIGHTS) return INFINITY;
  return (double)blocks * (product + weights / WEIGHT_BYTES) + transforms;
}

uint32_t armnn_i_acc_choose_winograd(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_convolution_t* what) {
  if (maker->winograd == ARMNN_ACC_OFF || !armnn_i_acc_can_winograd(maker, what)) return 0;
  const armnn_i_acc_gemm_kernels_t* gemm = armnn_i_acc_kernels_of(maker, &what->output)->gemm;
  const int rate = gemm->lanes < WIDE_LANES ? 2 : 1;
  const double small = winograd_cycles(gemm, what, 2, rate);
  const double large = winograd_cycles(gemm, what, 4, rate);
  const uint32_t size = small < large ? 2 : 4;
  if (maker->winograd == ARMNN_ACC_ALWAYS) return size;
  const bool gains = (size == 2 ? small : large) < WORTH * direct_cycles(gemm, what, rate);
  const bool never_loses =
      rate == 2 || winograd_cycles(gemm, what, size, 2) < direct_cycles(gemm, what, 2);
  return gains && never_loses ? size : 0;
}
