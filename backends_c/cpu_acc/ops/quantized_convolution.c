/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_convolution.c - dense and grouped convolutions of quantised numbers, and matrices of
 * constant weights as convolutions of one pixel.
 *
 * A block of the output is some lines of an image or, of one pixel's windows, some pixels. The part
 * of the input that it sees becomes levels first, padding included, in scratch of the thread: a row
 * of a window is then one run of levels. Tiles of pixels x panels of channels follow, all tiles of
 * a block with one panel after the other.
 */
#include "../shared_weights.h"
#include "quantized_pack.h"
#include "quantized_sum.h"

enum { BLOCK_LEVELS = 24 * 1024, LEAST_PIXELS = 4 * ARMNN_ACC_LEVEL_ROWS };

typedef struct quantized_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_quantized_convolution_t what;
  const armnn_i_acc_quantized_kernels_t* kernels;
  armnn_i_acc_store_t store;
  armnn_i_acc_sum_t sum;
  bool flat;                 /* blocks of pixels that lie at equal distances */
  int64_t depth, group_out;  /* channels of a group: levels of the input, rounded up; outputs */
  int64_t panels;            /* of a group */
  int64_t panel_size;        /* in int32 */
  armnn_i_acc_lines_t lines; /* of a group */
  int64_t units, block_units, blocks, block_pixels, parts;
  uint32_t tap_count;
  size_t pairs;
  ptrdiff_t* taps;
  int32_t* packed; /* shared_weights.h */
  uint64_t rows_offset, outputs_offset, thread_scratch;
  uint32_t threads;
} quantized_op_t;

typedef struct quantized_run_t {
  const quantized_op_t* op;
  const uint8_t *input, *addend; /* of the sum, or null */
  uint8_t* output;
  char* scratch;
} quantized_run_t;

typedef struct block_t {
  int16_t* levels;
  const int16_t** rows;
  uint8_t** outputs;
  int64_t pixels;
} block_t;

/* ---- Levels of a block --------------------------------------------------------------------- */

/* Pixels [begin, end) of images that lie in one line. */
static void flat_block(const quantized_run_t* run, const uint8_t* input, int64_t begin, int64_t end,
                       block_t* block) {
  const quantized_op_t* op = run->op;
  const armnn_i_acc_tensor_t *in = &op->what.input, *out = &op->what.output;
  block->pixels = end - begin;
  armnn_i_acc_pixel_levels(&op->lines, input + begin * in->strides[2], block->pixels,
                           block->levels);
  for (int64_t i = 0; i < block->pixels; ++i) {
    block->rows[i] = block->levels + i * op->depth;
    block->outputs[i] = run->output + (begin + i) * out->strides[2];
  }
}

/* Output lines [begin, end) of all images, which are lines of one image. */
static void line_block(const quantized_run_t* run, const uint8_t* input, int64_t begin, int64_t end,
                       block_t* block) {
  const quantized_op_t* op = run->op;
  const armnn_i_acc_quantized_convolution_t* what = &op->what;
  const armnn_i_acc_tensor_t *in = &what->input, *out = &what->output;
  const int64_t image = begin / out->dims[1], first = begin % out->dims[1];
  const int64_t line = op->lines.pixels * op->depth;
  const int64_t reach = (what->kernel_y - 1) * what->dilation_y + 1;
  armnn_i_acc_line_levels(&op->lines, input + image * in->strides[0], first * what->stride_y,
                          (end - begin - 1) * what->stride_y + reach, block->levels);
  block->pixels = 0;
  for (int64_t y = 0; y < end - begin; ++y) {
    uint8_t* to = run->output + image * out->strides[0] + (first + y) * out->strides[1];
    for (int64_t x = 0; x < out->dims[2]; ++x) {
      block->rows[block->pixels] =
          block->levels + y * what->stride_y * line + x * what->stride_x * op->depth;
      block->outputs[block->pixels++] = to + x * out->strides[2];
    }
  }
}

/* ---- Running ------------------------------------------------------------------------------- */

static void multiply_block(const quantized_op_t* op, const block_t* block, int64_t group,
                           int64_t part) {
  const int64_t panel = op->kernels->panel;
  const int64_t first = op->panels * part / op->parts, last = op->panels * (part + 1) / op->parts;
  armnn_i_acc_level_job_t job = {
      .tap_count = op->tap_count, .taps = op->taps, .pairs = op->pairs, .store = op->store};
  for (int64_t p = first; p < last; ++p) {
    const int64_t left = op->group_out - p * panel;
    job.panel = op->packed + (group * op->panels + p) * op->panel_size;
    job.offset = group * op->group_out + p * panel;
    job.channels = (uint32_t)(left < panel ? left : panel);
    for (int64_t i = 0; i < block->pixels; i += ARMNN_ACC_LEVEL_ROWS) {
      const int64_t rows = block->pixels - i;
      job.rows = (uint32_t)(rows < ARMNN_ACC_LEVEL_ROWS ? rows : ARMNN_ACC_LEVEL_ROWS);
      job.inputs = block->rows + i;
      job.outputs = block->outputs + i;
      op->kernels->multiply(&job);
    }
  }
}

/* Adds to what multiply_block has stored of output pixels, or lines, [begin, end). */
static void add_block(const quantized_run_t* run, int64_t begin, int64_t end, int64_t group,
                      int64_t part) {
  const quantized_op_t* op = run->op;
  const armnn_i_acc_tensor_t *out = &op->what.output, *addend = &op->what.sum.right;
  const int64_t panel = op->kernels->panel;
  const int64_t first = op->panels * part / op->parts * panel;
  int64_t last = op->panels * (part + 1) / op->parts * panel;
  if (last > op->group_out) last = op->group_out;
  const int64_t channel = group * op->group_out + first;
  if (op->flat) {
    armnn_i_acc_add_pixels(&op->sum, run->output + begin * out->strides[2] + channel,
                           run->addend + begin * addend->strides[2] + channel, end - begin,
                           last - first);
  } else {
    const int64_t image = begin / out->dims[1], line = image * out->dims[1];
    armnn_i_acc_add_lines(&op->sum, &op->what, run->output, run->addend, image, begin - line,
                          end - line, channel, last - first);
  }
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const quantized_run_t* run = (const quantized_run_t*)argument;
  const quantized_op_t* op = run->op;
  char* scratch = run->scratch + thread_index * op->thread_scratch;
  block_t block = {(int16_t*)(void*)scratch, (const int16_t**)(void*)(scratch + op->rows_offset),
                   (uint8_t**)(void*)(scratch + op->outputs_offset), 0};
  int64_t ready = -1; /* the block and group whose levels are there */
  int64_t start = 0, stop = 0;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t part = item % op->parts, wanted = item / op->parts;
    const int64_t group = wanted % op->what.groups;
    if (wanted != ready) {
      const int64_t at =
          wanted / op->what.groups; /* which block; blocks of lines end with an image */
      const int64_t image = op->flat ? op->units : op->what.output.dims[1];
      const int64_t blocks = armnn_i_acc_ceil_div(image, op->block_units);
      start = at / blocks * image + at % blocks * op->block_units;
      const int64_t limit = (at / blocks + 1) * image;
      stop = start + op->block_units < limit ? start + op->block_units : limit;
      const uint8_t* input = run->input + group * (op->what.input.dims[3] / op->what.groups);
      (op->flat ? flat_block : line_block)(run, input, start, stop, &block);
      ready = wanted;
    }
    multiply_block(op, &block, group, part);
    if (op->sum.is_there) add_block(run, start, stop, group, part);
  }
  return ARMNN_STATUS_OK;
}

static void run_convolution(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const quantized_op_t* op = (const quantized_op_t*)base;
  quantized_run_t self = {op, armnn_i_acc_address(run, &op->what.input), NULL,
                          armnn_i_acc_address(run, &op->what.output), run->scratch};
  if (op->sum.is_there) self.addend = armnn_i_acc_address(run, &op->what.sum.right);
  armnn_i_acc_parallel(run, run_items, &self, (uint64_t)(op->blocks * op->what.groups * op->parts),
                       1, op->threads);
}

/* ---- Making -------------------------------------------------------------------------------- */

static void pack_panel(const quantized_op_t* op, int64_t group, int64_t panel_index,
                       int32_t* packed) {
  const armnn_i_acc_quantized_convolution_t* what = &op->what;
  const int64_t width = op->kernels->panel, channels = what->input.dims[3] / what->groups;
  const int64_t first = group * op->group_out + panel_index * width;
  int16_t* weights = (int16_t*)(void*)(packed + ARMNN_ACC_CHANNEL_ARRAYS * width);
  for (int64_t c = 0; c < width && panel_index * width + c < op->group_out; ++c) {
    const int64_t o = first + c;
    int64_t depth = 0;
    armnn_i_acc_pack_channel(what, o, packed, c, width);
    for (int64_t y = 0; y < what->kernel_y; ++y) {
      for (int64_t x = 0; x < what->kernel_x; ++x, depth += op->depth) {
        for (int64_t i = 0; i < channels; ++i) {
          const int64_t k = depth + i;
          weights[(k / 2 * width + c) * 2 + k % 2] = armnn_i_acc_weight_level(what, o, y, x, i);
        }
      }
    }
  }
}

static void destroy(armnn_i_acc_op_t* op) {
  armnn_i_acc_release_weights(((quantized_op_t*)op)->packed);
  armnn_i_acc_destroy_op(op);
}

/* How the output is cut into blocks, and what they take of the scratch. */
static void plan_blocks(quantized_op_t* op) {
  const armnn_i_acc_quantized_convolution_t* what = &op->what;
  const armnn_i_acc_tensor_t* out = &what->output;
  op->flat = what->kernel_y == 1 && what->kernel_x == 1 && what->stride_y == 1 &&
             what->stride_x == 1 && what->pad_top == 0 && what->pad_left == 0 &&
             what->input.dims[1] == out->dims[1] && what->input.dims[2] == out->dims[2] &&
             armnn_i_acc_is_one_line(&what->input) && armnn_i_acc_is_one_line(out) &&
             (!what->has_sum || armnn_i_acc_is_one_line(&what->sum.right));
  uint64_t levels;
  if (op->flat) {
    const int64_t rows = ARMNN_ACC_LEVEL_ROWS;
    op->units = out->dims[0] * out->dims[1] * out->dims[2];
    op->block_units = BLOCK_LEVELS / op->depth / rows * rows;
    if (op->block_units < LEAST_PIXELS) op->block_units = LEAST_PIXELS;
    const int64_t share = armnn_i_acc_ceil_div(op->units, op->threads);
    if (op->block_units > share) op->block_units = armnn_i_acc_ceil_div(share, rows) * rows;
    op->blocks = armnn_i_acc_ceil_div(op->units, op->block_units);
    op->block_pixels = op->block_units;
    levels = (uint64_t)(op->block_units * op->depth);
  } else {
    const int64_t reach = (what->kernel_y - 1) * what->dilation_y + 1;
    op->units = out->dims[0] * out->dims[1];
    const int64_t line = op->lines.pixels * op->depth;
    op->block_units = (BLOCK_LEVELS / line - reach) / what->stride_y + 1;
    if (op->block_units < 1) op->block_units = 1;
    if (op->block_units > out->dims[1]) op->block_units = out->dims[1];
    op->blocks = out->dims[0] * armnn_i_acc_ceil_div(out->dims[1], op->block_units);
    op->block_pixels = op->block_units * out->dims[2];
    levels = (uint64_t)(((op->block_units - 1) * what->stride_y + reach) * line);
  }
  op->parts = 1;
  while (op->threads > 1 && op->parts * 2 <= op->panels &&
         op->blocks * what->groups * op->parts < 3 * (int64_t)op->threads) {
    op->parts *= 2;
  }
  op->rows_offset = armnn_i_acc_round_up(levels * sizeof(int16_t), ARMNN_ACC_LINE);
  op->outputs_offset = op->rows_offset + (uint64_t)op->block_pixels * sizeof(void*);
  op->thread_scratch = armnn_i_acc_round_up(
      op->outputs_offset + (uint64_t)op->block_pixels * sizeof(void*), ARMNN_ACC_LINE);
  op->base.op.scratch_size = op->thread_scratch * op->threads;
}

static void set_taps(quantized_op_t* op) {
  const armnn_i_acc_quantized_convolution_t* what = &op->what;
  const bool runs = what->dilation_x == 1;
  const int64_t columns = runs ? 1 : what->kernel_x;
  const int64_t line = op->lines.pixels * op->depth;
  for (int64_t y = 0; y < what->kernel_y; ++y) {
    for (int64_t x = 0; x < columns; ++x) {
      op->taps[op->tap_count++] =
          (ptrdiff_t)(y * what->dilation_y * line + x * what->dilation_x * op->depth);
    }
  }
  op->pairs = (size_t)(op->depth / 2 * (runs ? what->kernel_x : 1));
}

armnn_status_t armnn_i_acc_make_quantized_convolution(
    const armnn_i_acc_maker_t* maker, const armnn_i_acc_quantized_convolution_t* what,
    armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_quantized_kernels_t* kernels = maker->isa->quantized;
  if (!armnn_i_acc_is_levels(what->input.element.type) ||
      !armnn_i_acc_is_levels(what->output.element.type)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const armnn_status_t status = armnn_i_acc_make_quantized_winograd(maker, what, out_op);
  if (status != ARMNN_STATUS_UNSUPPORTED) return status;
  const int64_t taps = what->kernel_y * what->kernel_x, outputs = what->output.dims[3];
  const int64_t channels = what->input.dims[3] / what->groups;
  const int64_t depth = channels + channels % 2, group_out = outputs / what->groups;
  const int64_t panels = armnn_i_acc_ceil_div(group_out, kernels->panel);
  const int64_t panel_size = kernels->panel * (ARMNN_ACC_CHANNEL_ARRAYS + taps * depth / 2);
  const size_t packed_size = (size_t)(what->groups * panels * panel_size) * sizeof(int32_t);
  void* extra = NULL;
  int32_t* packed = armnn_i_acc_new_weights(maker->host, packed_size);
  if (packed == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  quantized_op_t* op = (quantized_op_t*)armnn_i_acc_new_op(
      maker, sizeof *op, (size_t)taps * sizeof(ptrdiff_t), &extra);
  if (op == NULL) {
    armnn_i_acc_release_weights(packed);
    return ARMNN_STATUS_OUT_OF_MEMORY;
  }
  memset(packed, 0, packed_size);
  op->what = *what;
  op->kernels = kernels;
  op->store = armnn_i_acc_store_of(what);
  op->sum = armnn_i_acc_sum_of(kernels, what);
  op->depth = depth;
  op->lines = armnn_i_acc_lines(what, kernels, channels, depth);
  op->group_out = group_out;
  op->panels = panels;
  op->panel_size = panel_size;
  op->taps = (ptrdiff_t*)extra;
  for (int64_t g = 0; g < what->groups; ++g) {
    for (int64_t p = 0; p < panels; ++p) {
      pack_panel(op, g, p, packed + (g * panels + p) * panel_size);
    }
  }
  op->packed = armnn_i_acc_share_weights(packed);
  op->base.op.destroy = destroy;
  op->base.op.run = run_convolution;
  op->base.op.kernel = kernels->multiply_name;
  op->base.op.operations = 2 * (uint64_t)(armnn_i_acc_count(&what->output) * taps * channels);
  op->threads = armnn_i_acc_threads(maker, op->base.op.operations);
  plan_blocks(op);
  set_taps(op);
  op->what.weights.values = NULL;
  op->what.bias = op->what.weight_zero_points = NULL;
  op->what.factors = NULL;
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
