/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_winograd.c - convolutions of 3 x 3 pixels with 4 products for each output instead of 9,
 * exactly (kernels/quantized_products/quantized_winograd.c).
 *
 * A block is some lines of tiles of 2 x 2 pixels of an image. What it sees becomes levels, then
 * positions; for each panel of channels 16 products of matrices follow, and their sums become the
 * block's numbers.
 */
#include "quantized_product.h"

enum { POSITIONS = ARMNN_ACC_SQUARE_POSITIONS, BLOCK_LEVELS = 4096, LEAST_TILES = 24 };

/* Where the algorithm is worth it; of more channels, four times a sum needs more than 32 bits. */
enum { LEAST_CHANNELS = 16, MOST_CHANNELS = 900, LEAST_SIDE = 4 };

typedef struct winograd_op_t {
  armnn_i_acc_product_t product;
  armnn_i_acc_lines_t lines;
  int64_t tiles_y, tiles_x, block_lines, blocks, parts; /* in tiles */
  int64_t depth, panels, panel_size;                    /* in levels, and in int32 */
  uint64_t positions_offset, sums_offset, outputs_offset;
} winograd_op_t;

typedef uint8_t* outputs_t[4];

typedef struct block_t {
  int16_t *levels, *positions;
  int32_t* sums;
  outputs_t* outputs;
  int64_t tiles;
} block_t;

/* Block |index| of all images: its positions, and where its numbers go. */
static void read_block(const armnn_i_acc_product_run_t* run, int64_t index, block_t* block) {
  const winograd_op_t* op = (const winograd_op_t*)run->op;
  const armnn_i_acc_tensor_t *in = &run->op->what.input, *out = &run->op->what.output;
  const int64_t image = index / op->blocks, first = index % op->blocks * op->block_lines;
  const int64_t left = op->tiles_y - first, count = left < op->block_lines ? left : op->block_lines;
  const int64_t line = op->lines.pixels * op->depth;
  armnn_i_acc_line_levels(&op->lines, run->input + image * in->strides[0], 2 * first, 2 * count + 2,
                          block->levels);
  block->tiles = count * op->tiles_x;
  armnn_i_acc_level_squares_t job = {
      .line = line,
      .pixel = op->depth,
      .position = block->tiles * op->depth,
      .tile = op->depth,
      .tiles = (size_t)op->tiles_x,
      .channels = (size_t)op->depth,
  };
  for (int64_t y = 0; y < count; ++y) {
    job.input = block->levels + 2 * y * line;
    job.output = block->positions + y * op->tiles_x * op->depth;
    run->op->kernels->winograd_input(&job);
    for (int64_t x = 0; x < op->tiles_x; ++x) {
      for (int64_t i = 0; i < 4; ++i) {
        const int64_t at_y = 2 * (first + y) + i / 2, at_x = 2 * x + i % 2;
        const bool inside = at_y < out->dims[1] && at_x < out->dims[2];
        block->outputs[y * op->tiles_x + x][i] = inside ? run->output + image * out->strides[0] +
                                                              at_y * out->strides[1] +
                                                              at_x * out->strides[2]
                                                        : NULL;
      }
    }
  }
}

static void multiply_block(const winograd_op_t* op, const block_t* block, int64_t part) {
  const armnn_i_acc_quantized_kernels_t* kernels = op->product.kernels;
  const int64_t panel = kernels->panel, outputs = op->product.what.output.dims[3];
  const int64_t first = op->panels * part / op->parts, last = op->panels * (part + 1) / op->parts;
  for (int64_t p = first; p < last; ++p) {
    const int32_t* packed = op->product.packed + p * op->panel_size;
    const int64_t left = outputs - p * panel;
    for (int64_t position = 0; position < POSITIONS; ++position) {
      const armnn_i_acc_sums_job_t job = {
          .input = block->positions + position * block->tiles * op->depth,
          .input_row = op->depth,
          .rows = (uint32_t)block->tiles,
          .pairs = (size_t)(op->depth / 2),
          .weights = packed + (ARMNN_ACC_CHANNEL_ARRAYS + position * op->depth / 2) * panel,
          .sums = block->sums + position * block->tiles * panel,
      };
      kernels->sums(&job);
    }
    const armnn_i_acc_square_sums_t job = {
        .sums = block->sums,
        .position = block->tiles * panel,
        .tiles = (size_t)block->tiles,
        .outputs = (uint8_t* const(*)[4])block->outputs,
        .offset = p * panel,
        .channels = (uint32_t)(left < panel ? left : panel),
        .arrays = packed,
        .store = op->product.store,
    };
    kernels->winograd_output(&job);
  }
}

/* Adds to what multiply_block has stored of block |index|. */
static void add_block(const armnn_i_acc_product_run_t* run, int64_t index, int64_t part) {
  const winograd_op_t* op = (const winograd_op_t*)run->op;
  const armnn_i_acc_quantized_convolution_t* what = &run->op->what;
  const int64_t panel = run->op->kernels->panel, lines = what->output.dims[1];
  const int64_t first = op->panels * part / op->parts * panel;
  int64_t last = op->panels * (part + 1) / op->parts * panel;
  if (last > what->output.dims[3]) last = what->output.dims[3];
  const int64_t begin = 2 * (index % op->blocks * op->block_lines);
  const int64_t end = begin + 2 * op->block_lines < lines ? begin + 2 * op->block_lines : lines;
  armnn_i_acc_add_lines(&run->op->sum, what, run->output, run->addend, index / op->blocks, begin,
                        end, first, last - first);
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const armnn_i_acc_product_run_t* run = (const armnn_i_acc_product_run_t*)argument;
  const winograd_op_t* op = (const winograd_op_t*)run->op;
  char* scratch = run->scratch + thread_index * run->op->thread_scratch;
  block_t block = {(int16_t*)(void*)scratch, (int16_t*)(void*)(scratch + op->positions_offset),
                   (int32_t*)(void*)(scratch + op->sums_offset),
                   (outputs_t*)(void*)(scratch + op->outputs_offset), 0};
  int64_t ready = -1;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    if (item / op->parts != ready) {
      ready = item / op->parts;
      read_block(run, ready, &block);
    }
    multiply_block(op, &block, item % op->parts);
    if (run->op->sum.is_there) add_block(run, ready, item % op->parts);
  }
  return ARMNN_STATUS_OK;
}

static void run_winograd(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const winograd_op_t* op = (const winograd_op_t*)base;
  armnn_i_acc_run_product(base, run, run_items,
                          op->product.what.output.dims[0] * op->blocks * op->parts);
}

/* Twice the transformation of three weights: 2 a, a + b + c, a - b + c, 2 c. */
static void transform(const int32_t* from, int64_t step, int32_t* to, int64_t to_step) {
  const int32_t a = from[0], b = from[step], c = from[2 * step];
  to[0] = 2 * a;
  to[to_step] = a + b + c;
  to[2 * to_step] = a - b + c;
  to[3 * to_step] = 2 * c;
}

static void pack(const winograd_op_t* op) {
  const armnn_i_acc_quantized_convolution_t* what = &op->product.what;
  const int64_t panel = op->product.kernels->panel;
  for (int64_t o = 0; o < what->output.dims[3]; ++o) {
    int32_t* own = op->product.packed + o / panel * op->panel_size;
    int16_t* weights = (int16_t*)(void*)(own + ARMNN_ACC_CHANNEL_ARRAYS * panel);
    armnn_i_acc_pack_channel(what, o, own, o % panel, panel);
    for (int64_t i = 0; i < what->input.dims[3]; ++i) {
      int32_t window[9], half[12], all[POSITIONS];
      for (int64_t t = 0; t < 9; ++t) {
        window[t] = armnn_i_acc_weight_level(what, o, t / 3, t % 3, i);
      }
      for (int64_t x = 0; x < 3; ++x) transform(window + x, 3, half + x, 3);
      for (int64_t y = 0; y < 4; ++y) transform(half + 3 * y, 1, all + 4 * y, 1);
      for (int64_t position = 0; position < POSITIONS; ++position) {
        const int64_t pair = position * op->depth / 2 + i / 2;
        weights[(pair * panel + o % panel) * 2 + i % 2] = (int16_t)all[position];
      }
    }
  }
}

static void plan_blocks(winograd_op_t* op) {
  const armnn_i_acc_tensor_t* out = &op->product.what.output;
  op->tiles_y = armnn_i_acc_ceil_div(out->dims[1], 2);
  op->tiles_x = armnn_i_acc_ceil_div(out->dims[2], 2);
  op->lines.pixels = 2 * op->tiles_x + 2;
  int64_t tiles = BLOCK_LEVELS / op->depth;
  if (tiles < LEAST_TILES) tiles = LEAST_TILES;
  op->block_lines = armnn_i_acc_ceil_div(tiles, op->tiles_x);
  if (op->block_lines > op->tiles_y) op->block_lines = op->tiles_y;
  op->blocks = armnn_i_acc_ceil_div(op->tiles_y, op->block_lines);
  op->parts = armnn_i_acc_parts(&op->product, out->dims[0] * op->blocks, op->panels);
  const uint64_t all = (uint64_t)(op->block_lines * op->tiles_x), line = ARMNN_ACC_LINE;
  const uint64_t levels =
      (uint64_t)((2 * op->block_lines + 2) * op->lines.pixels * op->depth) * sizeof(int16_t);
  const uint64_t positions = POSITIONS * all * (uint64_t)op->depth * sizeof(int16_t);
  const uint64_t sums = POSITIONS * all * op->product.kernels->panel * sizeof(int32_t);
  op->positions_offset = armnn_i_acc_round_up(levels, line);
  op->sums_offset = armnn_i_acc_round_up(op->positions_offset + positions, line);
  op->outputs_offset = armnn_i_acc_round_up(op->sums_offset + sums, line);
  op->product.thread_scratch =
      armnn_i_acc_round_up(op->outputs_offset + all * sizeof(outputs_t), line);
}

static bool is_worth_it(const armnn_i_acc_quantized_convolution_t* what) {
  const int64_t channels = what->input.dims[3];
  return what->kernel_y == 3 && what->kernel_x == 3 && what->stride_y == 1 && what->stride_x == 1 &&
         what->dilation_y == 1 && what->dilation_x == 1 && what->groups == 1 &&
         channels >= LEAST_CHANNELS && channels <= MOST_CHANNELS &&
         what->output.dims[3] >= LEAST_CHANNELS && what->output.dims[1] >= LEAST_SIDE &&
         what->output.dims[2] >= LEAST_SIDE;
}

armnn_status_t armnn_i_acc_make_quantized_winograd(const armnn_i_acc_maker_t* maker,
                                                   const armnn_i_acc_quantized_convolution_t* what,
                                                   armnn_i_acc_op_t** out_op) {
  if (!is_worth_it(what)) return ARMNN_STATUS_UNSUPPORTED;
  const armnn_i_acc_quantized_kernels_t* kernels = maker->isa->quantized;
  const int64_t channels = what->input.dims[3], depth = channels + channels % 2;
  const int64_t panel = kernels->panel, panels = armnn_i_acc_ceil_div(what->output.dims[3], panel);
  const int64_t panel_size = (ARMNN_ACC_CHANNEL_ARRAYS + POSITIONS * depth / 2) * panel;
  void* memory = NULL;
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_new_product(
      maker, what, sizeof(winograd_op_t), 0, NULL, true, panels * panel_size,
      ARMNN_ACC_LAYOUT(5, kernels->panel, (uint64_t)panels, (uint64_t)depth),
      18 * armnn_i_acc_count(&what->output) * channels, &memory));
  winograd_op_t* op = (winograd_op_t*)memory;
  op->lines = armnn_i_acc_lines(what, kernels, channels, depth);
  op->depth = depth;
  op->panels = panels;
  op->panel_size = panel_size;
  if (!op->product.weights.is_packed) pack(op);
  plan_blocks(op);
  armnn_i_acc_finish_product(maker, &op->product, kernels->winograd_name, run_winograd);
  *out_op = &op->product.base.op;
  return ARMNN_STATUS_OK;
}
