/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pooling.c - maximum, average and root mean square of windows. A window that sees nothing but
 * padding gives zero.
 *
 * Work is cut by output rows; where these are few (global pooling), by channels as well.
 */
#include "ops/op_base.h"

typedef struct pooling_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_pooling_t what;
  int64_t in_steps[ARMNN_ACC_MAX_RANK], out_steps[ARMNN_ACC_MAX_RANK];
  armnn_i_acc_pooling_fn_t run;
  armnn_i_acc_apply_fn_t function; /* or null: a clamp */
  float low, high;
  int64_t channel_chunk, channel_chunks;
  uint32_t threads;
} pooling_op_t;

typedef struct pooling_run_t {
  const pooling_op_t* op;
  const float* input;
  float* output;
} pooling_run_t;

/* One direction of a window: its taps [first, end) are inside the image, |counted| count. */
typedef struct span_t {
  int64_t start, first, end, counted;
} span_t;

static int64_t clamp_taps(int64_t taps, int64_t size) {
  return taps < 0 ? 0 : taps > size ? size : taps;
}

/* Taps at start, start + dilation, ... that are below |limit|. */
static int64_t taps_below(int64_t start, int64_t dilation, int64_t limit, int64_t size) {
  return clamp_taps(limit > start ? armnn_i_acc_ceil_div(limit - start, dilation) : 0, size);
}

static span_t span_of(int64_t position, int64_t stride, int64_t size, int64_t dilation,
                      int64_t before, int64_t after, int64_t extent, bool count_padding) {
  span_t span;
  span.start = position * stride - before;
  span.first = taps_below(span.start, dilation, 0, size);
  span.end = taps_below(span.start, dilation, extent, size);
  span.counted = count_padding ? taps_below(span.start, dilation, extent + after, size)
                               : span.end - span.first;
  return span;
}

static span_t span_y(const armnn_i_acc_pooling_t* p, int64_t y) {
  return span_of(y, p->stride_y, p->kernel_y, p->dilation_y, p->pad_top, p->pad_bottom,
                 p->input.dims[1], p->count_padding);
}

static span_t span_x(const armnn_i_acc_pooling_t* p, int64_t x) {
  return span_of(x, p->stride_x, p->kernel_x, p->dilation_x, p->pad_left, p->pad_right,
                 p->input.dims[2], p->count_padding);
}

/* Windows from |x| on that see all their columns, and count all. */
static int64_t whole_windows(const armnn_i_acc_pooling_t* p, int64_t x) {
  int64_t count = 0;
  const int64_t reach = (p->kernel_x - 1) * p->dilation_x;
  const int64_t start = x * p->stride_x - p->pad_left;
  if (start < 0) return 0;
  if (start + reach < p->input.dims[2]) {
    count = (p->input.dims[2] - 1 - reach - start) / p->stride_x + 1;
  }
  return count < p->output.dims[2] - x ? count : p->output.dims[2] - x;
}

static void pool_row(const pooling_run_t* run, int64_t image, int64_t y, int64_t channel,
                     int64_t channels) {
  const pooling_op_t* op = run->op;
  const armnn_i_acc_pooling_t* p = &op->what;
  const int64_t *is = op->in_steps, *os = op->out_steps;
  const float* input = run->input + image * is[0] + channel;
  float* output = run->output + image * os[0] + y * os[1] + channel;
  const span_t rows = span_y(p, y);
  armnn_i_acc_pooling_job_t job = {.tap_row = p->dilation_y * is[1],
                                   .tap_pixel = p->dilation_x * is[2],
                                   .rows = rows.end - rows.first,
                                   .input_step = p->stride_x * is[2],
                                   .output_step = os[2],
                                   .channels = (size_t)channels,
                                   .low = op->low,
                                   .high = op->high};
  for (int64_t x = 0; x < p->output.dims[2];) {
    const span_t columns = span_x(p, x);
    const int64_t whole = whole_windows(p, x);
    job.outputs = whole > 1 ? whole : 1;
    job.columns = columns.end - columns.first;
    job.output = output + x * os[2];
    if (job.rows <= 0 || job.columns <= 0) {
      job.outputs = 1;
      for (int64_t c = 0; c < channels; ++c) job.output[c] = fminf(fmaxf(0.0f, op->low), op->high);
    } else {
      job.input = input + (rows.start + rows.first * p->dilation_y) * is[1] +
                  (columns.start + columns.first * p->dilation_x) * is[2];
      job.scale = (float)(1.0 / (double)(rows.counted * columns.counted));
      op->run(&job);
    }
    x += job.outputs;
  }
  if (op->function != NULL) {
    armnn_i_acc_apply_rows(op->function, output, (size_t)p->output.dims[2], (size_t)channels,
                           (size_t)os[2], p->epilogue.a, p->epilogue.b);
  }
}

/* Items are (image, output row, chunk of channels). */
static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const pooling_run_t* run = (const pooling_run_t*)argument;
  const pooling_op_t* op = run->op;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t channel = item % op->channel_chunks * op->channel_chunk;
    const int64_t row = item / op->channel_chunks;
    const int64_t left = op->what.output.dims[3] - channel;
    pool_row(run, row / op->what.output.dims[1], row % op->what.output.dims[1], channel,
             left < op->channel_chunk ? left : op->channel_chunk);
  }
  return ARMNN_STATUS_OK;
}

static void run_pooling(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const pooling_op_t* op = (const pooling_op_t*)base;
  pooling_run_t self = {op, armnn_i_acc_address(run, &op->what.input),
                        armnn_i_acc_address(run, &op->what.output)};
  const int64_t rows = op->what.output.dims[0] * op->what.output.dims[1];
  armnn_i_acc_parallel(run, run_items, &self, (uint64_t)(rows * op->channel_chunks), 1,
                       op->threads);
}

armnn_status_t armnn_i_acc_make_pooling(const armnn_i_acc_maker_t* maker,
                                        const armnn_i_acc_pooling_t* what,
                                        armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  if (kernels == NULL || what->epilogue.has_residual) return ARMNN_STATUS_UNSUPPORTED;
  if (what->method < 0 || what->method >= ARMNN_ACC_POOLING_COUNT) return ARMNN_STATUS_UNSUPPORTED;
  pooling_op_t* op = (pooling_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  armnn_i_acc_steps(&what->input, op->in_steps);
  armnn_i_acc_steps(&what->output, op->out_steps);
  op->run = kernels->pooling->run[what->method];
  op->base.op.kernel = kernels->pooling->names[what->method];
  op->base.op.run = run_pooling;
  const int64_t taps = what->kernel_y * what->kernel_x;
  op->base.op.operations = (uint64_t)(armnn_i_acc_count(&what->output) * taps);
  const armnn_i_acc_epilogue_t* epilogue = &what->epilogue;
  if (!armnn_i_acc_function_is_clamp(epilogue->function, epilogue->a, epilogue->b, &op->low,
                                     &op->high)) {
    op->function = kernels->elementwise->apply[epilogue->function];
  }
  /* A tap costs a load: as much as two multiplications and additions from registers. */
  op->threads = armnn_i_acc_threads(maker, 4 * op->base.op.operations);
  const int64_t rows = what->output.dims[0] * what->output.dims[1];
  op->channel_chunk = what->output.dims[3];
  const int64_t grain = 4 * (int64_t)kernels->lanes;
  while (op->threads > 1 && op->channel_chunk > grain &&
         rows * armnn_i_acc_ceil_div(what->output.dims[3], op->channel_chunk) <
             (int64_t)op->threads * 4) {
    op->channel_chunk = (op->channel_chunk / 2 + grain - 1) / grain * grain;
  }
  op->channel_chunks = armnn_i_acc_ceil_div(what->output.dims[3], op->channel_chunk);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
