/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_windows.c - windows of 3 x 3 of each channel by itself, by products of bytes.
 *
 * A block of the output is some lines of some channels. What it sees becomes bytes first, padding
 * included, in scratch of the thread. 64 channels at a time, or 32 of two lines of the output.
 */
#include "quantized_product.h"

enum {
  SIDE = ARMNN_ACC_BYTE_WINDOW,
  GROUP = ARMNN_ACC_BYTE_CHANNELS,
  HALF = GROUP / 2,
  BLOCK_BYTES = 48 * 1024,
  BLOCK_SIZE = (ARMNN_ACC_CHANNEL_ARRAYS + SIDE) * GROUP /* in int32 */
};

typedef struct windows_op_t {
  armnn_i_acc_product_t product;
  int64_t groups, blocks; /* of an image */
} windows_op_t;

/* Lines [0, count) of a group of at most |width| channels whose bytes are at |numbers|. */
static void run_lines(const armnn_i_acc_product_run_t* run, const uint8_t* numbers, int64_t line,
                      int64_t width, int64_t channels, int64_t count, const int32_t* block,
                      uint8_t* output) {
  const armnn_i_acc_quantized_convolution_t* what = &run->op->what;
  const armnn_i_acc_tensor_t* out = &what->output;
  const bool halves = width == HALF; /* two lines, of the same channels */
  armnn_i_acc_byte_windows_t job = {
      .line = line,
      .pixel = width,
      .stride = (uint32_t)what->stride_x,
      .output_step = out->strides[2],
      .pixels = (size_t)out->dims[2],
      .channels = {(size_t)(channels < HALF ? channels : HALF),
                   (size_t)(halves ? channels : channels - HALF)},
      .block = block,
      .store = run->op->store,
  };
  const int64_t step = halves ? 2 : 1, whole = count / step;
  job.input_upper = halves ? what->stride_y * line : HALF;
  job.output_upper = halves ? out->strides[1] : HALF;
  job.input_line = step * what->stride_y * line;
  job.output_line = step * out->strides[1];
  job.lines = (size_t)whole;
  job.input = numbers;
  job.output = output;
  run->op->kernels->windows(&job);
  if (whole * step == count) return;
  job.input_upper = job.output_upper = 0; /* both halves are the last line */
  job.lines = 1;
  job.input = numbers + whole * job.input_line;
  job.output = output + whole * job.output_line;
  run->op->kernels->windows(&job);
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const armnn_i_acc_product_run_t* run = (const armnn_i_acc_product_run_t*)argument;
  const windows_op_t* op = (const windows_op_t*)run->op;
  const armnn_i_acc_quantized_convolution_t* what = &run->op->what;
  const armnn_i_acc_tensor_t *in = &what->input, *out = &what->output;
  uint8_t* numbers = (uint8_t*)run->scratch + thread_index * run->op->thread_scratch;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t group = item % op->groups, channel = group * GROUP;
    const int64_t rows = out->dims[1], block = item / op->groups % op->blocks;
    const int64_t first = rows * block / op->blocks;
    const int64_t count = rows * (block + 1) / op->blocks - first;
    const int64_t image = item / op->groups / op->blocks;
    const int64_t left = out->dims[3] - channel, channels = left < GROUP ? left : GROUP;
    const int64_t width = channels > HALF ? GROUP : HALF;
    const armnn_i_acc_lines_t lines =
        armnn_i_acc_byte_lines(what, run->op->kernels, channels, width);
    armnn_i_acc_line_levels(&lines, run->input + image * in->strides[0] + channel,
                            first * what->stride_y, (count - 1) * what->stride_y + SIDE, numbers);
    run_lines(run, numbers, lines.pixels * width, width, channels, count,
              run->op->packed + group * BLOCK_SIZE,
              run->output + image * out->strides[0] + first * out->strides[1] + channel);
  }
  return ARMNN_STATUS_OK;
}

static void run_windows(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const windows_op_t* op = (const windows_op_t*)base;
  armnn_i_acc_run_product(base, run, run_items,
                          op->product.what.output.dims[0] * op->blocks * op->groups);
}

/* Channel |o| at place |c| of its block. The bias takes off what the zero point of the bytes adds
 * to a sum: sums wrap. */
static void pack_channel(const windows_op_t* op, int64_t o, uint32_t c, int32_t zero) {
  const armnn_i_acc_quantized_convolution_t* what = &op->product.what;
  int32_t* block = op->product.packed + o / GROUP * BLOCK_SIZE;
  int8_t* weights = (int8_t*)(block + ARMNN_ACC_CHANNEL_ARRAYS * GROUP);
  const int64_t at = armnn_i_acc_quartered(c);
  uint32_t total = 0;
  armnn_i_acc_pack_channel(what, o, block, at, GROUP);
  for (int64_t x = 0; x < SIDE; ++x) {
    for (int64_t y = 0; y < SIDE; ++y) {
      const int16_t level = armnn_i_acc_weight_level(what, o, y, x, 0);
      total += (uint32_t)level;
      weights[(x * GROUP + at) * 4 + y] = (int8_t)level;
    }
  }
  int32_t* bias = block + ARMNN_ACC_CHANNEL_BIAS * GROUP + at;
  *bias = (int32_t)((uint32_t)*bias - (uint32_t)zero * total);
}

static void pack(const windows_op_t* op) {
  const armnn_i_acc_quantized_convolution_t* what = &op->product.what;
  const int64_t outputs = what->output.dims[3];
  const int32_t zero = armnn_i_acc_byte_lines(what, op->product.kernels, 1, 1).zero;
  for (int64_t o = 0; o < outputs; ++o) {
    const uint32_t c = (uint32_t)(o % GROUP);
    const bool halves = outputs - o / GROUP * GROUP <= HALF;
    pack_channel(op, o, c, zero);
    if (halves) pack_channel(op, o, c + HALF, zero);
  }
}

/* Blocks have nearly the same number of lines, and threads the same number of blocks: the products
 * before and behind it are cut by lines, too, so that a thread finds what it has written. */
static void plan_blocks(windows_op_t* op) {
  const armnn_i_acc_quantized_convolution_t* what = &op->product.what;
  const int64_t threads = op->product.threads;
  const int64_t rows = what->output.dims[1], images = what->output.dims[0];
  const int64_t line = armnn_i_acc_byte_lines(what, op->product.kernels, 1, 1).pixels * GROUP;
  const int64_t most = rows < 2 ? 1 : rows / 2; /* of at least two lines */
  int64_t block_lines = (BLOCK_BYTES / line - SIDE) / what->stride_y + 1;
  if (block_lines < 2) block_lines = 2;
  op->groups = armnn_i_acc_ceil_div(what->output.dims[3], GROUP);
  op->blocks = armnn_i_acc_ceil_div(rows, block_lines);
  if (threads > 1) {
    const int64_t wanted = armnn_i_acc_ceil_div(3 * threads, images * op->groups);
    if (op->blocks < wanted) op->blocks = wanted;
    op->blocks = armnn_i_acc_ceil_div(op->blocks, threads) * threads;
  }
  if (op->blocks > most) op->blocks = most;
  const int64_t lines = (armnn_i_acc_ceil_div(rows, op->blocks) - 1) * what->stride_y + SIDE;
  op->product.thread_scratch = armnn_i_acc_round_up((uint64_t)(lines * line), ARMNN_ACC_LINE);
}

armnn_status_t armnn_i_acc_make_quantized_windows(const armnn_i_acc_maker_t* maker,
                                                  const armnn_i_acc_quantized_convolution_t* what,
                                                  armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_quantized_kernels_t* kernels = maker->isa->quantized;
  /* Lines further apart share none of the input's: blocks of two would hold what is between. */
  if (kernels->windows == NULL || what->kernel_y != SIDE || what->kernel_x != SIDE ||
      what->dilation_y != 1 || what->dilation_x != 1 || what->stride_y > SIDE ||
      what->stride_x > 2 || !armnn_i_acc_weights_fit_bytes(what)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const int64_t outputs = what->output.dims[3];
  void *extra = NULL, *memory = NULL;
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_new_product(
      maker, what, sizeof(windows_op_t), 0, &extra, true,
      armnn_i_acc_ceil_div(outputs, GROUP) * BLOCK_SIZE, ARMNN_ACC_LAYOUT(7, (uint64_t)outputs),
      2 * armnn_i_acc_count(&what->output) * SIDE * SIDE, &memory));
  windows_op_t* op = (windows_op_t*)memory;
  if (!op->product.weights.is_packed) pack(op);
  plan_blocks(op);
  armnn_i_acc_finish_product(maker, &op->product, kernels->windows_name, run_windows);
  *out_op = &op->product.base.op;
  return ARMNN_STATUS_OK;
}
