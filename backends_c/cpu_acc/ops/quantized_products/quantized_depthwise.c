/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_depthwise.c - convolutions of each channel of quantised numbers by itself.
 *
 * A block of the output is some lines of some channels. The part of the input that it sees becomes
 * levels first, in scratch of the thread. Few channels at a time: then lines that windows of
 * neighbouring lines share stay in L1.
 */
#include "quantized_product.h"

enum { GROUP = 64, BLOCK_LEVELS = 48 * 1024 };

/* In lines and pixels of the window; |is_there|: not only to make a pair whole. */
typedef struct tap_t {
  int64_t y, x;
  bool is_there;
} tap_t;

typedef struct depthwise_op_t {
  armnn_i_acc_product_t product;
  int64_t groups, block_lines, blocks; /* of an image */
  int64_t block_size;                  /* int32 of a block of channels */
  uint32_t side; /* of square windows, as kernels/quantized/quantized.h has them */
  size_t pairs;
  tap_t* taps; /* [2 * pairs] */
  void (*channelwise)(const armnn_i_acc_channelwise_job_t* job);
  uint64_t taps_size;
} depthwise_op_t;

static void run_block(const armnn_i_acc_product_run_t* run, int64_t item, ptrdiff_t* taps,
                      int16_t* levels) {
  const depthwise_op_t* op = (const depthwise_op_t*)run->op;
  const armnn_i_acc_quantized_convolution_t* what = &run->op->what;
  const armnn_i_acc_quantized_kernels_t* kernels = run->op->kernels;
  const armnn_i_acc_tensor_t *in = &what->input, *out = &what->output;
  const int64_t panel = kernels->panel;
  const int64_t channel = item % op->groups * GROUP;
  const int64_t first = item / op->groups % op->blocks * op->block_lines;
  const int64_t image = item / op->groups / op->blocks;
  const int64_t left = out->dims[3] - channel;
  const int64_t channels = left < GROUP ? left : GROUP;
  const int64_t count =
      out->dims[1] - first < op->block_lines ? out->dims[1] - first : op->block_lines;
  const int64_t width = (int64_t)armnn_i_acc_round_up((size_t)channels, (size_t)panel);
  const armnn_i_acc_lines_t lines = armnn_i_acc_lines(what, kernels, channels, width);
  const int64_t line = lines.pixels * width;
  const int64_t offset = channel * (int64_t)in->element.size; /* the output's is the same */
  armnn_i_acc_line_levels(
      &lines, run->input + image * in->strides[0] + offset, first * what->stride_y,
      (count - 1) * what->stride_y + (what->kernel_y - 1) * what->dilation_y + 1, levels);
  for (size_t t = 0; t < 2 * op->pairs; ++t) {
    taps[t] = op->taps[t].y * what->dilation_y * line + op->taps[t].x * what->dilation_x * width;
  }
  armnn_i_acc_channelwise_job_t job = {
      .side = op->side,
      .line = what->dilation_y * line,
      .pixel = width,
      .taps = taps,
      .pairs = op->pairs,
      .input_step = what->stride_x * width,
      .output_step = out->strides[2],
      .pixels = (size_t)out->dims[2],
      .channels = (size_t)channels,
      .blocks = run->op->packed + channel / panel * op->block_size,
      .store = run->op->store,
  };
  for (int64_t y = 0; y < count; ++y) {
    job.input = levels + y * what->stride_y * line;
    job.output = run->output + image * out->strides[0] + (first + y) * out->strides[1] + offset;
    op->channelwise(&job);
  }
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const armnn_i_acc_product_run_t* run = (const armnn_i_acc_product_run_t*)argument;
  const depthwise_op_t* op = (const depthwise_op_t*)run->op;
  char* scratch = run->scratch + thread_index * run->op->thread_scratch;
  for (uint64_t item = begin; item < end; ++item) {
    run_block(run, (int64_t)item, (ptrdiff_t*)(void*)scratch,
              (int16_t*)(void*)(scratch + op->taps_size));
  }
  return ARMNN_STATUS_OK;
}

static void run_depthwise(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const depthwise_op_t* op = (const depthwise_op_t*)base;
  armnn_i_acc_run_product(base, run, run_items,
                          op->product.what.output.dims[0] * op->blocks * op->groups);
}

/* The channels' arrays and weights; a tap that makes the last pair whole weighs nothing. */
static void pack(const depthwise_op_t* op) {
  const armnn_i_acc_quantized_convolution_t* what = &op->product.what;
  const int64_t panel = op->product.kernels->panel;
  for (int64_t o = 0; o < what->output.dims[3]; ++o) {
    int32_t* block = op->product.packed + o / panel * op->block_size;
    const int64_t at = armnn_i_acc_zipped((uint32_t)(o % panel), (uint32_t)panel);
    armnn_i_acc_pack_channel(what, o, block, at, panel);
    int16_t* weights = (int16_t*)(void*)(block + ARMNN_ACC_CHANNEL_ARRAYS * panel);
    for (size_t t = 0; t < 2 * op->pairs; ++t) {
      const tap_t tap = op->taps[t];
      if (!tap.is_there) continue;
      weights[((int64_t)t / 2 * panel + at) * 2 + (int64_t)t % 2] =
          armnn_i_acc_weight_level(what, o, tap.y, tap.x, 0);
    }
  }
}

/* Two by two; the last one is repeated where it has no partner. */
static void set_taps(depthwise_op_t* op) {
  const armnn_i_acc_quantized_convolution_t* what = &op->product.what;
  const int64_t rows = what->kernel_y, columns = what->kernel_x;
  tap_t* tap = op->taps;
  int64_t y = 0;
  for (; op->side != 0 && y + 1 < rows; y += 2) {
    for (int64_t x = 0; x < columns; ++x) {
      *tap++ = (tap_t){y, x, true};
      *tap++ = (tap_t){y + 1, x, true};
    }
  }
  for (; y < rows; ++y) {
    for (int64_t x = 0; x < columns; ++x) *tap++ = (tap_t){y, x, true};
  }
  if (rows * columns % 2 != 0) *tap = (tap_t){rows - 1, columns - 1, false};
}

static void plan_blocks(depthwise_op_t* op) {
  const armnn_i_acc_quantized_convolution_t* what = &op->product.what;
  const uint32_t threads = op->product.threads;
  const int64_t rows = what->output.dims[1], images = what->output.dims[0];
  const int64_t line = armnn_i_acc_lines(what, op->product.kernels, 1, 1).pixels * GROUP;
  const int64_t reach = (what->kernel_y - 1) * what->dilation_y + 1;
  op->groups = armnn_i_acc_ceil_div(what->output.dims[3], GROUP);
  op->block_lines = (BLOCK_LEVELS / line - reach) / what->stride_y + 1;
  if (op->block_lines > rows) op->block_lines = rows;
  while (threads > 1 && op->block_lines > 1 &&
         images * op->groups * armnn_i_acc_ceil_div(rows, op->block_lines) < 3 * threads) {
    op->block_lines = (op->block_lines + 1) / 2;
  }
  if (op->block_lines < 1) op->block_lines = 1;
  op->blocks = armnn_i_acc_ceil_div(rows, op->block_lines);
  const uint64_t lines = (uint64_t)((op->block_lines - 1) * what->stride_y + reach);
  op->taps_size = armnn_i_acc_round_up(2 * op->pairs * sizeof(ptrdiff_t), ARMNN_ACC_LINE);
  op->product.thread_scratch = armnn_i_acc_round_up(
      op->taps_size + (lines * (uint64_t)line + GROUP) * sizeof(int16_t), ARMNN_ACC_LINE);
}

static uint32_t side_of(const armnn_i_acc_quantized_convolution_t* what) {
  const int64_t side = what->kernel_x;
  const bool is_square = (side == 3 || side == 5) && what->kernel_y == side &&
                         what->dilation_x == 1 && (what->stride_x == 1 || what->stride_x == 2);
  return is_square ? (uint32_t)side : 0;
}

armnn_status_t armnn_i_acc_make_quantized_depthwise(const armnn_i_acc_maker_t* maker,
                                                    const armnn_i_acc_quantized_convolution_t* what,
                                                    armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_quantized_kernels_t* kernels = maker->isa->quantized;
  const int64_t outputs = what->output.dims[3], taps = what->kernel_y * what->kernel_x;
  if (what->groups != what->input.dims[3]) return ARMNN_STATUS_UNSUPPORTED;
  if (outputs != what->groups || what->has_wide_sums) {
    return armnn_i_acc_make_quantized_convolution(maker, what, out_op);
  }
  const int32_t from = what->input.element.type, to = what->output.element.type;
  const bool is_int16 = armnn_i_acc_is_int16(from) && armnn_i_acc_is_int16(to);
  if (!is_int16 && !(armnn_i_acc_is_8bit(from) && armnn_i_acc_is_8bit(to))) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  if (!is_int16) {
    const armnn_status_t status = armnn_i_acc_make_quantized_windows(maker, what, out_op);
    if (status != ARMNN_STATUS_UNSUPPORTED) return status;
  }
  const int64_t pairs = armnn_i_acc_ceil_div(taps, 2), panel = kernels->panel;
  const int64_t block_size = (ARMNN_ACC_CHANNEL_ARRAYS + pairs) * panel;
  const uint32_t side = side_of(what);
  void *extra = NULL, *memory = NULL;
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_new_product(
      maker, what, sizeof(depthwise_op_t), (size_t)(2 * pairs) * sizeof(tap_t), &extra, true,
      armnn_i_acc_ceil_div(outputs, panel) * block_size,
      ARMNN_ACC_LAYOUT(4, kernels->panel, (uint64_t)outputs, (uint64_t)taps, side),
      2 * armnn_i_acc_count(&what->output) * taps, &memory));
  depthwise_op_t* op = (depthwise_op_t*)memory;
  op->pairs = (size_t)pairs;
  op->block_size = block_size;
  op->taps = (tap_t*)extra;
  op->side = side;
  op->channelwise = is_int16 ? kernels->int16->channelwise : kernels->channelwise;
  set_taps(op);
  if (!op->product.weights.is_packed) pack(op);
  plan_blocks(op);
  armnn_i_acc_finish_product(
      maker, &op->product, is_int16 ? kernels->int16->channelwise_name : kernels->channelwise_name,
      run_depthwise);
  *out_op = &op->product.base.op;
  return ARMNN_STATUS_OK;
}
