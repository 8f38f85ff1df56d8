/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * block_product.c - rows of floats by weights of 4 or 8 bits that are quantised in blocks.
 *
 * Few rows, as in a step that makes one word after the other, are multiplied with weights as they
 * are stored, whose bytes are what counts then. For more rows each panel becomes floats once, in
 * scratch of the thread, and the tiles of products of floats follow.
 *
 * Kernels of few rows multiply with levels and take the zero points off at the end. Where that
 * could overflow or has no meaning, since a row has infinite, not a number's or very large values,
 * its products are made one by one, with weights as the layers define them.
 */
#include <float.h>

#include "block_levels.h"
#include "packs.h"

enum { FEW_ROWS = 8, MOST_LEVEL = 255 };

typedef struct product_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_block_product_t what;
  const armnn_i_acc_block_kernels_t* kernels;
  const armnn_i_acc_gemm_kernels_t* gemm;
  const armnn_i_acc_elementwise_kernels_t* elementwise;
  int64_t rows, depth, channels, block, blocks;
  int64_t width, panels; /* channels of a panel */
  bool are_halves, has_points;
  bool few;         /* rows are multiplied with weights as they are stored */
  float zero_point; /* without such of the blocks */
  float* shifts;
  uint8_t* packed;              /* for each panel scales, levels and zero points */
  armnn_i_acc_packed_t weights; /* the memory of |packed| */
  uint64_t panel_size, levels_offset, points_offset;
  uint64_t own_offset, thread_scratch; /* behind the blocks' sums */
  uint32_t threads;
  uint32_t flags; /* of tiles */
} product_op_t;

typedef struct product_run_t {
  const product_op_t* op;
  const float *left, *residual;
  float *output, *block_sums;
  bool by_ones[FEW_ROWS]; /* rows whose products are made one by one */
  char* scratch;
} product_run_t;

static armnn_i_acc_block_panel_t panel_of(const product_op_t* op, int64_t panel) {
  const uint8_t* packed = op->packed + (uint64_t)panel * op->panel_size;
  return (armnn_i_acc_block_panel_t){
      .depth = (size_t)op->depth,
      .block = (size_t)op->block,
      .levels = packed + op->levels_offset,
      .zero_points = op->has_points ? packed + op->points_offset : NULL,
      .zero_point = op->zero_point,
      .scales = (const float*)(const void*)packed,
  };
}

/* ---- Numbers of a panel -------------------------------------------------------------------- */

static void add_residual(const product_run_t* run, int64_t first, size_t count) {
  const int64_t channels = run->op->channels;
  run->op->gemm->add_rows(run->output + first, channels, run->residual + first, channels,
                          (size_t)run->op->rows, count);
}

static void apply_epilogue(const product_run_t* run, int64_t first, size_t count) {
  const product_op_t* op = run->op;
  const armnn_i_acc_epilogue_t* epilogue = &op->what.epilogue;
  if (epilogue->has_residual && !epilogue->residual_last) add_residual(run, first, count);
  if (epilogue->function != ARMNN_ACC_IDENTITY) {
    armnn_i_acc_apply_rows(op->elementwise->apply[epilogue->function], run->output + first,
                           (size_t)op->rows, count, (size_t)op->channels, epilogue->a, epilogue->b);
  }
  if (epilogue->has_residual && epilogue->residual_last) add_residual(run, first, count);
}

/* Row |row| of the panel's levels or zero points, those of channel |c|. */
static int32_t stored_level(const product_op_t* op, const uint8_t* rows, int64_t row, int64_t c) {
  if (!op->are_halves) return rows[row * op->width + c];
  const int64_t half = op->width / 2;
  const uint8_t both = rows[row * half + c % half];
  return c < half ? both & 15 : both >> 4;
}

static float product_by_ones(const product_run_t* run, const armnn_i_acc_block_panel_t* panel,
                             int64_t row, int64_t c) {
  const product_op_t* op = run->op;
  const float* x = run->left + row * op->depth;
  float sum = 0.0f;
  for (int64_t k = 0; k < op->depth; ++k) {
    const int64_t block = k / op->block;
    const float point = panel->zero_points == NULL
                            ? panel->zero_point
                            : (float)stored_level(op, panel->zero_points, block, c);
    const float level = (float)stored_level(op, panel->levels, k, c) - point;
    sum += x[k] * (level * panel->scales[block * op->width + c]);
  }
  return sum;
}

static void few_rows(const product_run_t* run, int64_t first, size_t count,
                     const armnn_i_acc_block_panel_t* panel, float* sums) {
  const product_op_t* op = run->op;
  const armnn_i_acc_block_job_t job = {
      .panel = *panel,
      .input = run->left,
      .input_row = op->depth,
      .block_sums = run->block_sums,
      .rows = (uint32_t)op->rows,
      .sums = sums,
  };
  (op->are_halves ? op->kernels->multiply_4 : op->kernels->multiply_8)(&job);
  for (int64_t r = 0; r < op->rows; ++r) {
    float *out = run->output + r * op->channels + first, *of_row = sums + r * op->width;
    for (int64_t c = 0; run->by_ones[r] && c < (int64_t)count; ++c) {
      of_row[c] = product_by_ones(run, panel, r, c);
    }
    for (size_t c = 0; c < count; ++c) out[c] = of_row[c] + op->shifts[first + (int64_t)c];
  }
}

/* By kernels/dense/gemm.h: |weights| has room for the shifts, then for a panel. */
static void many_rows(const product_run_t* run, int64_t first, size_t count,
                      const armnn_i_acc_block_panel_t* panel, float* weights) {
  const product_op_t* op = run->op;
  const uint32_t lanes = op->gemm->lanes, vectors = (uint32_t)((count + lanes - 1) / lanes);
  const size_t width = (size_t)vectors * lanes;
  (op->are_halves ? op->kernels->decode_4 : op->kernels->decode_8)(panel, width, weights + width);
  for (size_t c = 0; c < width; ++c) weights[c] = c < count ? op->shifts[first + (int64_t)c] : 0.0f;
  const armnn_i_acc_gemm_tap_t tap = {0, 0};
  armnn_i_acc_gemm_job_t job = {
      .tap_count = 1,
      .depth = (uint64_t)op->depth,
      .taps = &tap,
      .input = run->left,
      .input_stride = op->depth,
      .panel = weights + width,
      .bias = weights,
      .output = run->output + first,
      .output_stride = op->channels,
      .residual = run->output + first,
      .residual_stride = op->channels,
      .last = (uint32_t)(count - (vectors - 1) * lanes),
      .flags = op->flags,
  };
  const int64_t most = op->gemm->max_rows[vectors];
  for (int64_t row = 0; row < op->rows; row += most) {
    const int64_t left = op->rows - row, tile = left < most ? left : most;
    job.tiles = 1;
    op->gemm->tiles[vectors][tile](&job);
    job.input += tile * job.input_stride;
    job.output += tile * job.output_stride;
    job.residual += tile * job.residual_stride;
  }
}

/* ---- Running ------------------------------------------------------------------------------- */

static armnn_status_t run_panels(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  const product_run_t* run = (const product_run_t*)argument;
  const product_op_t* op = run->op;
  float* own = (float*)(void*)(run->scratch + op->own_offset + thread_index * op->thread_scratch);
  for (int64_t p = (int64_t)begin; p < (int64_t)end; ++p) {
    const int64_t first = p * op->width, left = op->channels - first;
    const size_t count = (size_t)(left < op->width ? left : op->width);
    const armnn_i_acc_block_panel_t panel = panel_of(op, p);
    (op->few ? few_rows : many_rows)(run, first, count, &panel, own);
    apply_epilogue(run, first, count);
  }
  return ARMNN_STATUS_OK;
}

static void sum_blocks(product_run_t* run) {
  const product_op_t* op = run->op;
  float* out = run->block_sums;
  for (int64_t r = 0; r < op->rows; ++r) {
    float magnitude = 0.0f;
    for (int64_t b = 0; b < op->blocks; ++b) {
      const float* x = run->left + r * op->depth + b * op->block;
      const int64_t left = op->depth - b * op->block, count = left < op->block ? left : op->block;
      float sum = 0.0f;
      for (int64_t i = 0; i < count; ++i) {
        sum += x[i];
        magnitude += fabsf(x[i]);
      }
      *out++ = sum;
    }
    run->by_ones[r] = !(magnitude * MOST_LEVEL <= FLT_MAX); /* also of NaN */
  }
}

static void run_product(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const product_op_t* op = (const product_op_t*)base;
  product_run_t self = {.op = op,
                        .left = armnn_i_acc_address(run, &op->what.left),
                        .output = armnn_i_acc_address(run, &op->what.output),
                        .block_sums = (float*)(void*)run->scratch,
                        .scratch = run->scratch};
  if (op->what.epilogue.has_residual) {
    self.residual = armnn_i_acc_address(run, &op->what.epilogue.residual);
  }
  if (op->few) sum_blocks(&self);
  armnn_i_acc_parallel(run, run_panels, &self, (uint64_t)op->panels, 1, op->threads);
}

/* ---- Making -------------------------------------------------------------------------------- */

/* Rows of numbers of one panel, from |data| as the network has it: |count| places of each channel.
 */
static void pack_rows(const product_op_t* op, int64_t panel, const void* data, int64_t count,
                      uint8_t* out) {
  const armnn_i_acc_blocks_t* from = &op->what.weights;
  const bool by_channel = from->inner == 1; /* [n, k, 1] */
  const int64_t half = op->width / 2, step = op->are_halves ? half : op->width;
  for (int64_t c = 0; c < op->width && panel * op->width + c < op->channels; ++c) {
    const int64_t channel = panel * op->width + c;
    for (int64_t k = 0; k < count; ++k) {
      const int64_t at = by_channel ? channel * count + k : k * op->channels + channel;
      const uint8_t level = armnn_i_acc_block_level(from->type, data, at);
      if (op->are_halves) {
        out[k * step + c % half] |= (uint8_t)(c < half ? level : level << 4);
      } else {
        out[k * step + c] = level;
      }
    }
  }
}

static void pack_panel(const product_op_t* op, int64_t panel, uint8_t* packed) {
  const armnn_i_acc_blocks_t* from = &op->what.weights;
  float* scales = (float*)(void*)packed;
  for (int64_t c = 0; c < op->width && panel * op->width + c < op->channels; ++c) {
    const int64_t channel = panel * op->width + c;
    for (int64_t b = 0; b < op->blocks; ++b) {
      const int64_t at = from->inner == 1 ? channel * op->blocks + b : b * op->channels + channel;
      scales[b * op->width + c] = from->scales[at] * op->what.scales[channel];
    }
  }
  pack_rows(op, panel, from->levels, op->depth, packed + op->levels_offset);
  if (op->has_points) {
    pack_rows(op, panel, from->zero_points, op->blocks, packed + op->points_offset);
  }
}

static armnn_status_t pack(const armnn_i_acc_maker_t* maker, product_op_t* op) {
  const armnn_i_acc_blocks_t* from = &op->what.weights;
  const uint64_t size = (uint64_t)op->panels * op->panel_size;
  armnn_i_acc_maker_t own = *maker;
  own.packs = NULL; /* they are not saved */
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_BLOCKS, (uint64_t)from->type, (uint64_t)from->outer,
                 (uint64_t)from->size, (uint64_t)from->inner, (uint64_t)op->block, op->has_points);
  armnn_i_acc_name_weights(&name, maker, from->levels);
  armnn_i_acc_name_weights(&name, maker, from->scales);
  if (op->has_points) armnn_i_acc_name_weights(&name, maker, from->zero_points);
  armnn_i_acc_name_values(&name, maker, op->what.scales,
                          (uint64_t)op->channels * sizeof *op->what.scales);
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_take_packed(&own, size, op->panel_size, &name, &op->weights));
  op->packed = op->weights.data;
  if (!op->weights.is_packed) memset(op->packed, 0, size);
  for (int64_t p = 0; p < op->panels && !op->weights.is_packed; ++p) {
    pack_panel(op, p, op->packed + (uint64_t)p * op->panel_size);
  }
  armnn_i_acc_share_packed(&own, size, op->panel_size, &op->weights);
  armnn_i_acc_count_kept(maker->packs, op->weights.data);
  op->packed = op->weights.data;
  return ARMNN_STATUS_OK;
}

/* Whether all zero points are one number; networks without any have one of their own. */
static bool share_point(const product_op_t* op, float* out_point) {
  const armnn_i_acc_blocks_t* from = &op->what.weights;
  *out_point = (float)armnn_i_acc_level_flip(from->type);
  if (from->zero_points == NULL) return true;
  const uint8_t first = armnn_i_acc_block_level(from->type, from->zero_points, 0);
  *out_point = (float)first;
  for (int64_t i = 1; i < op->blocks * op->channels; ++i) {
    if (armnn_i_acc_block_level(from->type, from->zero_points, i) != first) return false;
  }
  return true;
}

static void destroy(armnn_i_acc_op_t* op) {
  armnn_i_acc_release_packed(&((product_op_t*)op)->weights);
  armnn_i_acc_destroy_op(op);
}

static void plan(product_op_t* op) {
  const uint64_t row = (uint64_t)op->width / (op->are_halves ? 2 : 1);
  const uint64_t line = ARMNN_ACC_LINE;
  op->levels_offset =
      armnn_i_acc_round_up((uint64_t)(op->blocks * op->width) * sizeof(float), line);
  op->points_offset = op->levels_offset + armnn_i_acc_round_up((uint64_t)op->depth * row, line);
  op->panel_size = op->points_offset +
                   (op->has_points ? armnn_i_acc_round_up((uint64_t)op->blocks * row, line) : 0);
  const int64_t own = op->few ? op->rows * op->width : (op->depth + 1) * op->width;
  op->own_offset =
      op->few ? armnn_i_acc_round_up((uint64_t)(op->rows * op->blocks) * sizeof(float), line) : 0;
  op->thread_scratch = armnn_i_acc_round_up((uint64_t)own * sizeof(float), line);
  op->base.op.scratch_size = op->own_offset + op->thread_scratch * op->threads;
}

armnn_status_t armnn_i_acc_make_block_product(const armnn_i_acc_maker_t* maker,
                                              const armnn_i_acc_block_product_t* what,
                                              armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_kernels_t* kernels = maker->isa->kernels[ARMNN_DATA_TYPE_FLOAT32];
  const int32_t function = what->epilogue.function;
  if (!armnn_i_acc_is_dense(&what->left) || !armnn_i_acc_is_dense(&what->output) ||
      (what->epilogue.has_residual && !armnn_i_acc_is_dense(&what->epilogue.residual)) ||
      (function != ARMNN_ACC_IDENTITY && kernels->elementwise->apply[function] == NULL)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const armnn_i_acc_blocks_t* weights = &what->weights;
  const int64_t channels = weights->inner == 1 ? weights->outer : weights->inner;
  void* extra = NULL;
  product_op_t* op = (product_op_t*)armnn_i_acc_new_op(maker, sizeof *op,
                                                       (size_t)channels * sizeof(float), &extra);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->kernels = maker->isa->blocks;
  op->gemm = kernels->gemm;
  op->elementwise = kernels->elementwise;
  op->depth = weights->size;
  op->channels = channels;
  op->rows = armnn_i_acc_count(&what->left) / op->depth;
  op->few = op->rows <= FEW_ROWS && !maker->isa->is_reproducible;
  op->block = weights->block < op->depth ? weights->block : op->depth;
  op->blocks = armnn_i_acc_block_count(weights);
  op->width = op->kernels->panel;
  if (maker->isa->is_reproducible) op->flags = ARMNN_ACC_GEMM_IN_ORDER;
  op->panels = armnn_i_acc_ceil_div(channels, op->width);
  op->are_halves = armnn_i_acc_are_halves(weights->type);
  op->has_points = !share_point(op, &op->zero_point);
  op->shifts = (float*)extra;
  memcpy(op->shifts, what->shifts, (size_t)channels * sizeof *op->shifts);
  op->base.op.operations = 2 * (uint64_t)(op->rows * channels * op->depth);
  op->threads = armnn_i_acc_threads(maker, op->base.op.operations);
  plan(op);
  const armnn_status_t status = pack(maker, op);
  if (status != ARMNN_STATUS_OK) {
    armnn_i_acc_destroy_op(&op->base.op);
    return status;
  }
  op->what.weights.levels = op->what.weights.zero_points = NULL;
  op->what.weights.scales = op->what.scales = op->what.shifts = NULL;
  op->base.op.destroy = destroy;
  op->base.op.run = run_product;
  op->base.op.kernel = op->are_halves ? op->kernels->name_4 : op->kernels->name_8;
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
