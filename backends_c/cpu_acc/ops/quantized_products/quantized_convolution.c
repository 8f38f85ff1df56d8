/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_convolution.c - dense and grouped convolutions of quantised numbers, and matrices of
 * constant weights as convolutions of one pixel.
 *
 * A block of the output is some lines of an image or, of one pixel's windows, some pixels. The part
 * of the input that it sees becomes levels or bytes first, padding included, in scratch of the
 * thread: a row of a window is then one run of numbers. Kernels read whole groups of them; what
 * lies behind the end of a run meets weights of 0. Tiles of pixels x panels of channels follow, all
 * tiles of a block with one panel after the other.
 */
#include "quantized_excess.h"
#include "quantized_panels.h"

enum {
  BLOCK_BYTES = 48 * 1024,
  LEAST_TILES = 4,
  GROUP_BYTES = 8, /* the most that a group has */
  ITEMS = 4        /* of a thread, at least, if blocks can be made smaller */
};

typedef struct quantized_op_t {
  armnn_i_acc_product_t product;
  const armnn_i_acc_product_kernels_t* kernels;
  bool flat;                 /* blocks of pixels that lie at equal distances */
  bool in_place;             /* kernels read the input where it lies */
  int64_t group_out;         /* outputs of a group */
  int64_t panels;            /* of a group */
  int64_t panel_size;        /* in int32 */
  armnn_i_acc_lines_t lines; /* of a group */
  int64_t pixel;             /* bytes of one of them */
  /* Units are pixels of all images, or lines. A stretch, which is all of them or those of an image,
   * has blocks of nearly the same number of steps, or of the most; the last may end with less. */
  int64_t units, stretch, step, block_units; /* the most of a block */
  int64_t stretch_blocks, blocks, block_pixels, parts;
  uint32_t tap_count;
  size_t tap_groups; /* of depths */
  ptrdiff_t* taps;
  armnn_i_acc_excesses_t excesses;
  uint64_t rows_offset, outputs_offset, columns_offset, more_offset;
} quantized_op_t;

typedef armnn_i_acc_product_run_t run_t;

typedef struct block_t {
  char* numbers;
  const char** rows;
  uint8_t** outputs;
  uint8_t* columns; /* of a slice */
  int32_t* more;    /* sums of it with what a panel has listed */
  int64_t pixels;
} block_t;

/* ---- Numbers of a block -------------------------------------------------------------------- */

/* Pixels [begin, end) of images that lie in one line. */
static void pixel_block(const run_t* run, const uint8_t* input, int64_t begin, int64_t end,
                        block_t* block) {
  const quantized_op_t* op = (const quantized_op_t*)run->op;
  const armnn_i_acc_tensor_t *in = &run->op->what.input, *out = &run->op->what.output;
  const uint8_t* from = input + begin * in->strides[2];
  const char* rows = op->in_place ? (const char*)from : block->numbers;
  const int64_t pixel = op->in_place ? in->strides[2] : op->pixel;
  block->pixels = end - begin;
  if (!op->in_place) armnn_i_acc_pixel_levels(&op->lines, from, block->pixels, block->numbers);
  for (int64_t i = 0; i < block->pixels; ++i) {
    block->rows[i] = rows + i * pixel;
    block->outputs[i] = run->output + (begin + i) * out->strides[2];
  }
}

/* Output lines [begin, end) of all images, which are lines of one image. */
static void line_block(const run_t* run, const uint8_t* input, int64_t begin, int64_t end,
                       block_t* block) {
  const quantized_op_t* op = (const quantized_op_t*)run->op;
  const armnn_i_acc_quantized_convolution_t* what = &run->op->what;
  const armnn_i_acc_tensor_t *in = &what->input, *out = &what->output;
  const int64_t image = begin / out->dims[1], first = begin % out->dims[1];
  const int64_t line = op->in_place ? in->strides[1] : op->lines.pixels * op->pixel;
  const int64_t pixel = op->in_place ? in->strides[2] : op->pixel;
  const char* from = block->numbers;
  if (op->in_place) {
    from = (const char*)input + image * in->strides[0] + first * what->stride_y * line;
  } else {
    const int64_t reach = (what->kernel_y - 1) * what->dilation_y + 1;
    armnn_i_acc_line_levels(&op->lines, input + image * in->strides[0], first * what->stride_y,
                            (end - begin - 1) * what->stride_y + reach, block->numbers);
  }
  block->pixels = 0;
  for (int64_t y = 0; y < end - begin; ++y) {
    uint8_t* to = run->output + image * out->strides[0] + (first + y) * out->strides[1];
    for (int64_t x = 0; x < out->dims[2]; ++x) {
      block->rows[block->pixels] = from + y * what->stride_y * line + x * what->stride_x * pixel;
      block->outputs[block->pixels++] = to + x * out->strides[2];
    }
  }
}

/* ---- Running ------------------------------------------------------------------------------- */

/* |tiles| tiles of |size| rows from row |begin| of a block on. |more| begins with that row. */
static void multiply_tiles(const quantized_op_t* op, const block_t* block, int64_t begin,
                           int64_t size, int64_t tiles, const int32_t* more,
                           armnn_i_acc_product_job_t* job) {
  if (tiles == 0) return;
  job->rows = (uint32_t)size;
  job->tiles = (uint32_t)tiles;
  job->inputs = block->rows + begin;
  job->outputs = block->outputs + begin;
  job->more = more;
  op->kernels->multiply(job);
}

/* Rows [begin, end) of a block by a panel, in tiles of nearly the same number of rows: those of few
 * take longer for each. |more| begins with the first row. */
static void multiply_rows(const quantized_op_t* op, const block_t* block, int64_t begin,
                          int64_t end, const int32_t* more, armnn_i_acc_product_job_t* job) {
  const int64_t rows = end - begin, tiles = armnn_i_acc_ceil_div(rows, op->kernels->rows);
  const int64_t size = rows / tiles, larger = rows % tiles, first = larger * (size + 1);
  multiply_tiles(op, block, begin, size + 1, larger, more, job);
  if (more != NULL) more += first * op->kernels->panel;
  multiply_tiles(op, block, begin + first, size, tiles - larger, more, job);
}

/* Slice by slice, if something is listed of the weights. */
static void multiply_block(const quantized_op_t* op, const block_t* block, int64_t group,
                           int64_t part) {
  const armnn_i_acc_excesses_t* excesses = &op->excesses;
  const int64_t panel = op->kernels->panel;
  const int64_t first = op->panels * part / op->parts, last = op->panels * (part + 1) / op->parts;
  const int64_t slice = excesses->is_there ? excesses->slice : block->pixels;
  armnn_i_acc_product_job_t job = {.tap_count = op->tap_count,
                                   .taps = op->taps,
                                   .groups = op->tap_groups,
                                   .store = op->product.store};
  for (int64_t begin = 0; begin < block->pixels; begin += slice) {
    const int64_t end = begin + slice < block->pixels ? begin + slice : block->pixels;
    if (excesses->is_there) {
      armnn_i_acc_read_columns(excesses, block->rows + begin, end - begin, block->columns);
    }
    for (int64_t p = first; p < last; ++p) {
      const int64_t left = op->group_out - p * panel, place = group * op->panels + p;
      const bool has_more =
          excesses->is_there &&
          armnn_i_acc_sum_excesses(excesses, place, end - begin, block->columns, block->more);
      job.panel = op->product.packed + place * op->panel_size;
      job.offset = group * op->group_out + p * panel;
      job.channels = (uint32_t)(left < panel ? left : panel);
      multiply_rows(op, block, begin, end, has_more ? block->more : NULL, &job);
    }
  }
}

/* Adds to what multiply_block has stored of output pixels, or lines, [begin, end). */
static void add_block(const run_t* run, int64_t begin, int64_t end, int64_t group, int64_t part) {
  const quantized_op_t* op = (const quantized_op_t*)run->op;
  const armnn_i_acc_quantized_convolution_t* what = &run->op->what;
  const armnn_i_acc_tensor_t *out = &what->output, *addend = &what->sum.right;
  const int64_t panel = op->kernels->panel;
  const int64_t first = op->panels * part / op->parts * panel;
  int64_t last = op->panels * (part + 1) / op->parts * panel;
  if (last > op->group_out) last = op->group_out;
  const int64_t channel = group * op->group_out + first;
  if (op->flat) {
    armnn_i_acc_add_pixels(&run->op->sum, run->output + begin * out->strides[2] + channel,
                           run->addend + begin * addend->strides[2] + channel, end - begin,
                           last - first);
  } else {
    const int64_t image = begin / out->dims[1], line = image * out->dims[1];
    armnn_i_acc_add_lines(&run->op->sum, what, run->output, run->addend, image, begin - line,
                          end - line, channel, last - first);
  }
}

/* The first unit of a block of a stretch. */
static int64_t block_edge(const quantized_op_t* op, int64_t block) {
  const int64_t steps = armnn_i_acc_ceil_div(op->stretch, op->step);
  const bool evenly = op->product.kernels->has_dot_product;
  const int64_t unit =
      evenly ? block * steps / op->stretch_blocks * op->step : block * op->block_units;
  return unit < op->stretch ? unit : op->stretch;
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const run_t* run = (const run_t*)argument;
  const quantized_op_t* op = (const quantized_op_t*)run->op;
  const armnn_i_acc_quantized_convolution_t* what = &run->op->what;
  char* scratch = run->scratch + thread_index * run->op->thread_scratch;
  block_t block = {scratch,
                   (const char**)(void*)(scratch + op->rows_offset),
                   (uint8_t**)(void*)(scratch + op->outputs_offset),
                   (uint8_t*)(scratch + op->columns_offset),
                   (int32_t*)(void*)(scratch + op->more_offset),
                   0};
  int64_t ready = -1; /* the block and group whose numbers are there */
  int64_t start = 0, stop = 0;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t part = item % op->parts, wanted = item / op->parts;
    const int64_t group = wanted % what->groups;
    if (wanted != ready) {
      const int64_t at = wanted / what->groups; /* which block */
      const int64_t origin = at / op->stretch_blocks * op->stretch, place = at % op->stretch_blocks;
      start = origin + block_edge(op, place);
      stop = origin + block_edge(op, place + 1);
      const uint8_t* input =
          run->input + group * op->lines.channels * (int64_t)what->input.element.size;
      (op->flat ? pixel_block : line_block)(run, input, start, stop, &block);
      ready = wanted;
    }
    multiply_block(op, &block, group, part);
    if (run->op->sum.is_there) add_block(run, start, stop, group, part);
  }
  return ARMNN_STATUS_OK;
}

static void run_convolution(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const quantized_op_t* op = (const quantized_op_t*)base;
  armnn_i_acc_run_product(base, run, run_items, op->blocks * op->product.what.groups * op->parts);
}

/* ---- Making -------------------------------------------------------------------------------- */

static void pack(const armnn_i_acc_maker_t* maker, const quantized_op_t* op) {
  const armnn_i_acc_level_panels_t panels = {
      .what = &op->product.what,
      .kernels = op->kernels,
      .channels = op->lines.channels,
      .tap_groups = (int64_t)op->tap_groups,
      .group_out = op->group_out,
      .panels = op->panels,
      .panel_size = op->panel_size,
      .zero = op->kernels->bytes == 1 ? op->lines.zero : 0,
  };
  armnn_i_acc_pack_levels(maker, &panels, op->product.packed);
}

/* A window of one pixel that is always inside of the image. */
static bool is_pointwise(const armnn_i_acc_quantized_convolution_t* what) {
  const armnn_i_acc_tensor_t *in = &what->input, *out = &what->output;
  return what->kernel_y == 1 && what->kernel_x == 1 && what->pad_top == 0 && what->pad_left == 0 &&
         (out->dims[1] - 1) * what->stride_y < in->dims[1] &&
         (out->dims[2] - 1) * what->stride_x < in->dims[2];
}

static void choose_blocks(quantized_op_t* op) {
  const armnn_i_acc_quantized_convolution_t* what = &op->product.what;
  const armnn_i_acc_tensor_t *in = &what->input, *out = &what->output;
  const bool pointwise = is_pointwise(what);
  const bool whole = op->lines.channels % op->kernels->group == 0; /* no group ends behind them */
  const bool as_stored = op->lines.bytes == in->element.size && op->lines.flip == 0;
  op->in_place = pointwise && as_stored && whole;
  op->flat = pointwise && what->stride_y == 1 && what->stride_x == 1 &&
             in->dims[1] == out->dims[1] && in->dims[2] == out->dims[2] &&
             armnn_i_acc_is_one_line(in) && armnn_i_acc_is_one_line(out) &&
             (!what->has_sum || armnn_i_acc_is_one_line(&what->sum.right));
}

/* Cuts stretches into blocks of at most |most| units, which are whole steps, and panels into parts:
 * an equal number of nearly equal items for each thread, and enough of them that one that is held
 * up leaves work to others. Without products of bytes that was measured to be 1 % slower: there
 * blocks are as large as they may be. */
static void share_out(quantized_op_t* op, int64_t most) {
  const int64_t threads = op->product.threads, groups = op->product.what.groups;
  const int64_t steps = armnn_i_acc_ceil_div(op->stretch, op->step);
  const int64_t stretches = op->units / op->stretch;
  op->stretch_blocks = armnn_i_acc_ceil_div(op->stretch, most);
  if (op->product.what.has_sum && op->product.kernels->has_dot_product && threads > 1) {
    /* Sums of whole pixels are long runs: rather more blocks than parts. */
    const int64_t enough = armnn_i_acc_ceil_div(ITEMS * threads, stretches * groups);
    if (op->stretch_blocks < enough && steps >= enough) op->stretch_blocks = enough;
  }
  op->parts = armnn_i_acc_parts(&op->product, stretches * op->stretch_blocks * groups, op->panels);
  const int64_t of_block = stretches * groups * op->parts; /* items */
  op->block_units = most;
  op->blocks = stretches * op->stretch_blocks;
  if (!op->product.kernels->has_dot_product) return;
  if (threads > 1 && of_block * op->stretch_blocks < ITEMS * threads) {
    op->stretch_blocks = armnn_i_acc_ceil_div(ITEMS * threads, of_block);
    if (op->stretch_blocks > steps) op->stretch_blocks = steps;
  }
  op->block_units = armnn_i_acc_ceil_div(steps, op->stretch_blocks) * op->step;
  op->blocks = stretches * op->stretch_blocks;
}

/* How the output is cut into blocks, and what they take of the scratch. */
static void plan_blocks(quantized_op_t* op) {
  const armnn_i_acc_quantized_convolution_t* what = &op->product.what;
  const armnn_i_acc_tensor_t* out = &what->output;
  int64_t numbers;
  if (op->flat) {
    const int64_t rows = op->excesses.is_there ? ARMNN_ACC_EXCESS_ROWS : op->kernels->rows;
    op->units = op->stretch = out->dims[0] * out->dims[1] * out->dims[2];
    op->step = rows;
    int64_t most = BLOCK_BYTES / op->pixel / rows * rows;
    const int64_t least = LEAST_TILES * (int64_t)op->kernels->rows;
    if (most < least) most = armnn_i_acc_ceil_div(least, rows) * rows;
    const int64_t share = armnn_i_acc_ceil_div(op->units, op->product.threads);
    if (most > share) most = armnn_i_acc_ceil_div(share, rows) * rows;
    share_out(op, most);
    op->block_pixels = op->block_units;
    numbers = op->block_units * op->pixel;
  } else {
    const int64_t reach = (what->kernel_y - 1) * what->dilation_y + 1;
    const int64_t line = op->lines.pixels * op->pixel;
    op->units = out->dims[0] * out->dims[1];
    op->stretch = out->dims[1];
    op->step = 1;
    int64_t most = (BLOCK_BYTES / line - reach) / what->stride_y + 1;
    if (most < 1) most = 1;
    if (most > out->dims[1]) most = out->dims[1];
    share_out(op, most);
    op->block_pixels = op->block_units * out->dims[2];
    numbers = ((op->block_units - 1) * what->stride_y + reach) * line;
  }
  if (op->in_place) numbers = 0;
  const uint64_t addresses = (uint64_t)op->block_pixels * sizeof(void*);
  op->rows_offset = armnn_i_acc_round_up((uint64_t)numbers + GROUP_BYTES, ARMNN_ACC_LINE);
  op->outputs_offset = op->rows_offset + addresses;
  op->columns_offset = armnn_i_acc_round_up(op->outputs_offset + addresses, ARMNN_ACC_LINE);
  op->more_offset =
      armnn_i_acc_round_up(op->columns_offset + op->excesses.columns_size, ARMNN_ACC_LINE);
  op->product.thread_scratch =
      armnn_i_acc_round_up(op->more_offset + op->excesses.sums_size, ARMNN_ACC_LINE);
}

static void set_taps(quantized_op_t* op, int64_t columns) {
  const armnn_i_acc_quantized_convolution_t* what = &op->product.what;
  const int64_t line = op->lines.pixels * op->pixel;
  for (int64_t y = 0; y < what->kernel_y; ++y) {
    for (int64_t x = 0; x < columns; ++x) {
      op->taps[op->tap_count++] =
          (ptrdiff_t)(y * what->dilation_y * line + x * what->dilation_x * op->pixel);
    }
  }
}

/* To what the kernels hold; what is beyond that is listed. */
static armnn_status_t limit_weights(const armnn_i_acc_maker_t* maker, quantized_op_t* op) {
  const armnn_i_acc_panel_layout_t layout = {
      .panels = op->product.what.groups * op->panels,
      .panel_size = op->panel_size,
      .taps = op->tap_count,
      .tap_groups = (int64_t)op->tap_groups,
  };
  if (op->kernels->excess == NULL) return ARMNN_STATUS_OK;
  return armnn_i_acc_list_excesses(maker, op->kernels, &layout, op->taps, &op->product,
                                   &op->excesses);
}

static const armnn_i_acc_product_kernels_t* kernels_of(
    const armnn_i_acc_isa_t* isa, const armnn_i_acc_quantized_convolution_t* what,
    armnn_i_acc_tiles_e kind) {
  const armnn_i_acc_quantized_kernels_t* all = isa->quantized;
  switch (kind) {
    case ARMNN_ACC_TILES_MATRICES:
      return isa->matrices;
    case ARMNN_ACC_TILES_PAIRS:
      return all->pairs;
    case ARMNN_ACC_TILES_NARROW_PAIRS:
      return all->narrow_pairs;
    case ARMNN_ACC_TILES_INT16:
      return what->has_wide_sums ? all->int16->wide_products : all->int16->products;
    default:
      return all->bytes;
  }
}

/* Whether tiles of this kind take numbers of the input's and the output's type. */
static bool take_types(const armnn_i_acc_quantized_convolution_t* what, armnn_i_acc_tiles_e kind) {
  const int32_t from = what->input.element.type, to = what->output.element.type;
  if (kind == ARMNN_ACC_TILES_INT16) {
    return armnn_i_acc_is_int16(from) && armnn_i_acc_is_int16(to) && !what->has_sum;
  }
  return armnn_i_acc_is_8bit(from) && armnn_i_acc_is_8bit(to) && !what->has_wide_sums;
}

armnn_status_t armnn_i_acc_make_quantized_tiles(const armnn_i_acc_maker_t* maker,
                                                const armnn_i_acc_quantized_convolution_t* what,
                                                armnn_i_acc_tiles_e kind,
                                                armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_quantized_kernels_t* all = maker->isa->quantized;
  const armnn_i_acc_product_kernels_t* kernels = kernels_of(maker->isa, what, kind);
  if (kernels == NULL || !take_types(what, kind) ||
      (kernels->weight_bytes == 1 && !armnn_i_acc_weights_fit_bytes(what))) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const int64_t channels = what->input.dims[3] / what->groups;
  const int64_t columns = what->dilation_x == 1 ? 1 : what->kernel_x; /* taps of a line */
  const int64_t depths = channels * (what->kernel_x / columns), taps = what->kernel_y * columns;
  const int64_t tap_groups = armnn_i_acc_ceil_div(depths, kernels->group);
  if (kind == ARMNN_ACC_TILES_MATRICES && armnn_i_acc_matrix_groups((size_t)tap_groups) == 0) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const int64_t group_out = what->output.dims[3] / what->groups;
  const int64_t panels = armnn_i_acc_ceil_div(group_out, kernels->panel);
  const int64_t weights = kernels->panel * taps * tap_groups * kernels->group;
  const int64_t panel_size = kernels->panel * ARMNN_ACC_CHANNEL_ARRAYS +
                             weights * kernels->weight_bytes / (int64_t)sizeof(int32_t);
  void *extra = NULL, *memory = NULL;
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_new_product(
      maker, what, sizeof(quantized_op_t), (size_t)taps * sizeof(ptrdiff_t), &extra,
      kernels->excess == NULL,
      what->groups * panels * panel_size + 1, /* how many pairs of weights are listed */
      ARMNN_ACC_LAYOUT(3, kernels->panel, (uint64_t)kernels->group, (uint64_t)kernels->bytes,
                       (uint64_t)kernels->weight_bytes, (uint64_t)what->groups, (uint64_t)panels,
                       (uint64_t)taps, (uint64_t)depths, (uint64_t)columns, what->has_wide_sums),
      2 * armnn_i_acc_count(&what->output) * what->kernel_y * what->kernel_x * channels, &memory));
  quantized_op_t* op = (quantized_op_t*)memory;
  op->kernels = kernels;
  op->lines = (kernels->bytes == 1 ? armnn_i_acc_byte_lines : armnn_i_acc_lines)(
      what, all, channels, channels);
  op->pixel = channels * kernels->bytes;
  op->group_out = group_out;
  op->panels = panels;
  op->panel_size = panel_size;
  op->tap_groups = (size_t)tap_groups;
  op->taps = (ptrdiff_t*)extra;
  choose_blocks(op);
  set_taps(op, columns);
  if (!op->product.weights.is_packed) pack(maker, op);
  const armnn_status_t status = limit_weights(maker, op);
  if (status != ARMNN_STATUS_OK) {
    op->product.base.op.destroy(&op->product.base.op);
    return status;
  }
  plan_blocks(op);
  armnn_i_acc_finish_product(maker, &op->product, kernels->name, run_convolution);
  *out_op = &op->product.base.op;
  return ARMNN_STATUS_OK;
}
