/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * depthwise.c - depthwise convolutions, also with several output channels for each input channel.
 *
 * Work is cut into groups of channels within chunks of output rows. The chunk is the outer of the
 * two, so that its input rows stay in cache while its groups go by, and a thread keeps to its share
 * of the image.
 */
#include "depthwise_plan.h"
#include "ops/caches.h"

/* Input of a chunk of rows, as a share of L2. Smaller chunks would read more rows twice. */
#define CHUNK_SHARE 4
/* The same down strips of columns, which are read from top to bottom: as much of a strip as stays
 * in L2 for the strip beside it. */
#define STRIP_SHARE 2
/* Channels of one call: some lines of each pixel, which come from memory together. */
#define GROUP 64
/* What an element counts, as in ops/quantized/quantized_elements.c. */
#define ELEMENT_COST 8u

typedef struct depthwise_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_convolution_t what;
  int64_t in_steps[ARMNN_ACC_MAX_RANK], out_steps[ARMNN_ACC_MAX_RANK];
  int64_t residual_steps[ARMNN_ACC_MAX_RANK];
  armnn_i_acc_depthwise_plan_t plan;
  int64_t multiplier;
  int64_t group, groups; /* channels of one call, and how many such calls */
  int64_t chunk_rows, chunks;
  uint32_t threads;
} depthwise_op_t;

typedef struct depthwise_run_t {
  const depthwise_op_t* op;
  const float *input, *residual;
  float *output, *expanded;
  int64_t image; /* that is expanded */
} depthwise_run_t;

/* Items are (image, chunk of rows, group of channels). */
static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const depthwise_run_t* run = (const depthwise_run_t*)argument;
  const depthwise_op_t* op = run->op;
  const armnn_i_acc_convolution_t* what = &op->what;
  const int64_t channels = what->output.dims[3];
  armnn_i_acc_depthwise_job_t job = op->plan.job;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t group = item % op->groups;
    const int64_t chunk = item / op->groups % op->chunks;
    const int64_t image = item / op->groups / op->chunks + run->image;
    const int64_t channel = group * op->group;
    job.first_row = chunk * op->chunk_rows;
    job.end_row = job.first_row + op->chunk_rows;
    if (job.end_row > what->output.dims[1]) job.end_row = what->output.dims[1];
    job.input = run->expanded != NULL ? run->expanded + channel
                                      : run->input + image * op->in_steps[0] + channel;
    job.output = run->output + image * op->out_steps[0] + channel;
    if (run->residual != NULL) {
      job.residual = run->residual + image * op->residual_steps[0] + channel;
    }
    job.channels = channels - channel < op->group ? channels - channel : op->group;
    armnn_i_acc_call_depthwise(&op->plan, channel, &job);
  }
  return ARMNN_STATUS_OK;
}

/* Repeats each channel |multiplier| times; items are rows of one image. */
static armnn_status_t expand_rows(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const depthwise_run_t* run = (const depthwise_run_t*)argument;
  const armnn_i_acc_tensor_t* input = &run->op->what.input;
  const int64_t* steps = run->op->in_steps;
  const int64_t width = input->dims[2], channels = input->dims[3], times = run->op->multiplier;
  for (int64_t y = (int64_t)begin; y < (int64_t)end; ++y) {
    float* to = run->expanded + y * width * channels * times;
    for (int64_t x = 0; x < width; ++x) {
      const float* from = run->input + run->image * steps[0] + y * steps[1] + x * steps[2];
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t i = 0; i < times; ++i) *to++ = from[c];
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_depthwise(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const depthwise_op_t* op = (const depthwise_op_t*)base;
  const armnn_i_acc_convolution_t* what = &op->what;
  depthwise_run_t self = {op,   armnn_i_acc_address(run, &what->input),
                          NULL, armnn_i_acc_address(run, &what->output),
                          NULL, 0};
  if (what->epilogue.has_residual) {
    self.residual = armnn_i_acc_address(run, &what->epilogue.residual);
  }
  const int64_t images = what->output.dims[0];
  const uint64_t items = (uint64_t)(op->chunks * op->groups);
  if (op->multiplier == 1) {
    armnn_i_acc_parallel(run, run_items, &self, items * (uint64_t)images, 1, op->threads);
    return;
  }
  self.expanded = (float*)(void*)run->scratch;
  for (self.image = 0; self.image < images; ++self.image) {
    armnn_i_acc_parallel(run, expand_rows, &self, (uint64_t)what->input.dims[1], 4, op->threads);
    armnn_i_acc_parallel(run, run_items, &self, items, 1, op->threads);
  }
}

static int64_t count_items(const depthwise_op_t* op) {
  const armnn_i_acc_tensor_t* output = &op->what.output;
  return output->dims[0] * armnn_i_acc_ceil_div(output->dims[1], op->chunk_rows) *
         armnn_i_acc_ceil_div(output->dims[3], op->group);
}

static void plan_chunks(depthwise_op_t* op, const armnn_i_acc_maker_t* maker) {
  const armnn_i_acc_convolution_t* what = &op->what;
  const armnn_i_acc_depthwise_walk_e walk = op->plan.walk;
  const int64_t rows = what->output.dims[1];
  const int64_t cache = (int64_t)armnn_i_acc_second_cache() / what->input.element.size;
  const int64_t row = what->input.dims[2] * what->output.dims[3] * what->stride_y;
  /* A window of one pixel takes as long as elements do one by one, and has as many threads: what
   * they make and read stays with each of them. */
  const uint64_t elements = ELEMENT_COST * (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(
      maker, elements > op->base.op.operations ? elements : op->base.op.operations);
  op->group = (int64_t)armnn_i_acc_round_up(GROUP, (size_t)op->plan.lanes);
  if (walk == ARMNN_ACC_DEPTHWISE_BLOCKS) {
    /* Whole pixels, in the order in which they lie, unless the rows at hand leave L2 then. */
    const int64_t rows_at_hand = what->stride_y + what->kernel_y;
    const int64_t most =
        cache / 2 / (rows_at_hand * what->input.dims[2]) / op->plan.lanes * op->plan.lanes;
    const int64_t all =
        (int64_t)armnn_i_acc_round_up((size_t)what->output.dims[3], (size_t)op->plan.lanes);
    if (most > op->group) op->group = most < all ? most : all;
  }
  op->chunk_rows = walk == ARMNN_ACC_DEPTHWISE_STRIPS
                       ? cache / STRIP_SHARE /
                             (2 * (ARMNN_ACC_DEPTHWISE_MOST_WIDTH + 1) * op->group *
                              what->stride_y * what->stride_x)
                       : cache / CHUNK_SHARE / row;
  if (op->chunk_rows < 2 * what->kernel_y) op->chunk_rows = 2 * what->kernel_y;
  if (op->chunk_rows > rows) op->chunk_rows = rows;
  /* Enough items for the threads: first of fewer channels, down to a line, then of fewer rows, even
   * if some are then read twice. Blocks keep their channels together for longer. */
  const int64_t wanted = (int64_t)op->threads * 4;
  const int64_t few_rows = walk == ARMNN_ACC_DEPTHWISE_BLOCKS ? 4 : rows;
  while (op->threads > 1 && count_items(op) < wanted) {
    if (op->chunk_rows > few_rows) {
      op->chunk_rows = (op->chunk_rows + 1) / 2;
    } else if (op->group / 2 >= op->plan.lanes && op->group > 16) {
      op->group = (int64_t)armnn_i_acc_round_up((size_t)op->group / 2, (size_t)op->plan.lanes);
    } else if (op->chunk_rows > 1) {
      op->chunk_rows = (op->chunk_rows + 1) / 2;
    } else {
      break;
    }
  }
  op->groups = armnn_i_acc_ceil_div(what->output.dims[3], op->group);
  op->chunk_rows = armnn_i_acc_ceil_div(rows, armnn_i_acc_ceil_div(rows, op->chunk_rows));
  op->chunk_rows += op->chunk_rows % 2; /* kernels may do two rows together */
  op->chunks = armnn_i_acc_ceil_div(rows, op->chunk_rows);
}

static void destroy(armnn_i_acc_op_t* op) {
  armnn_i_acc_free_depthwise(&((depthwise_op_t*)op)->plan);
  armnn_i_acc_destroy_op(op);
}

armnn_status_t armnn_i_acc_make_depthwise(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_convolution_t* what,
                                          armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_kernels_t* all = armnn_i_acc_kernels_of(maker, &what->output);
  if (all == NULL) return ARMNN_STATUS_UNSUPPORTED;
  const int64_t channels = what->input.dims[3], outputs = what->output.dims[3];
  if (what->groups != channels || outputs % channels != 0) return ARMNN_STATUS_UNSUPPORTED;
  void* memory = NULL;
  depthwise_op_t* op = (depthwise_op_t*)armnn_i_acc_new_op(
      maker, sizeof *op, armnn_i_acc_depthwise_size(all, what), &memory);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->base.op.destroy = destroy;
  const armnn_status_t status = armnn_i_acc_plan_depthwise(maker, all, what, memory, &op->plan);
  if (status != ARMNN_STATUS_OK) {
    destroy(&op->base.op);
    return status;
  }
  op->what = *what;
  op->what.weights.values = NULL;
  op->what.bias = NULL;
  armnn_i_acc_steps(&what->input, op->in_steps);
  armnn_i_acc_steps(&what->output, op->out_steps);
  armnn_i_acc_steps(&what->epilogue.residual, op->residual_steps);
  op->multiplier = outputs / channels;
  op->base.op.kernel = op->plan.name;
  op->base.op.run = run_depthwise;
  op->base.op.operations =
      2 * (uint64_t)(armnn_i_acc_count(&what->output) * what->kernel_y * what->kernel_x);
  armnn_i_acc_depthwise_job_t* job = &op->plan.job;
  if (op->multiplier != 1) {
    job->input_pixel = outputs;
    job->input_row = outputs * what->input.dims[2];
    op->base.op.scratch_size =
        (uint64_t)(job->input_row * what->input.dims[1]) * what->input.element.size;
  }
  plan_chunks(op, maker);
  const uint64_t elements =
      (uint64_t)(armnn_i_acc_count(&what->input) + armnn_i_acc_count(&what->output));
  /* More than this does not stay in L2 from one operator to the next. */
  job->prefetch = elements * what->input.element.size > armnn_i_acc_second_cache();
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
