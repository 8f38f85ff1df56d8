/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * separable.c - making and running of what separable.h describes.
 *
 * Sums are added in the order in which the three operators alone would add them, so that neither
 * the cut nor the number of threads changes a bit.
 */
#include "separable.h"

#include "ops/caches.h"
#include "ops/dense/panel_rows.h"
#include "ops/dense/window.h"

/* A 1x1 convolution, from pixels to pixels. */
typedef struct pointwise_t {
  armnn_i_acc_panels_t panels;
  armnn_i_acc_gemm_job_t job; /* the members that are the same for all calls */
  armnn_i_acc_epilogue_t epilogue;
  armnn_i_acc_apply_fn_t apply; /* a function that tiles do not do, or null */
} pointwise_t;

typedef struct separable_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t input, output;
  armnn_i_acc_epilogue_t epilogue; /* of the last part */
  int64_t in_steps[ARMNN_ACC_MAX_RANK], out_steps[ARMNN_ACC_MAX_RANK];
  int64_t residual_steps[ARMNN_ACC_MAX_RANK];
  int64_t channels; /* of the depthwise convolution */
  bool expands, projects;
  pointwise_t expand, project;
  armnn_i_acc_depthwise_plan_t depthwise;
  armnn_i_acc_separable_cut_t cut;
  uint32_t threads;
  uint64_t filtered_offset, thread_scratch; /* bytes; expanded rows come first */
} separable_op_t;

/* ---- Run ----------------------------------------------------------------------------------- */

typedef struct separable_run_t {
  const separable_op_t* op;
  const float *input, *residual; /* residual: or null */
  float* output;
  char* scratch;
} separable_run_t;

/* Rows of pixels, as far apart as |row| says. */
typedef struct rows_t {
  float* data;
  int64_t row;
} rows_t;

/* |pixels| pixels at equal distances. */
static void multiply(const pointwise_t* part, const float* input, float* output,
                     const float* residual, int64_t pixels) {
  const armnn_i_acc_panels_t* panels = &part->panels;
  const armnn_i_acc_epilogue_t* epilogue = &part->epilogue;
  int64_t columns = 0;
  for (uint32_t p = 0; p < panels->count; ++p) {
    const armnn_i_acc_panel_t* panel = &panels->panels[p];
    armnn_i_acc_gemm_job_t job = part->job;
    job.panel = panels->weights + panel->offset;
    job.bias = armnn_i_acc_bias_of(panels, panel);
    job.last = panel->columns - (panel->vectors - 1) * panels->gemm->lanes;
    job.input = input;
    job.output = output + panel->first;
    job.residual = residual + panel->first;
    armnn_i_acc_multiply_rows(panels, panel, pixels, &job);
    columns += panel->columns;
  }
  if (part->apply == NULL) return;
  const int64_t step = part->job.output_stride;
  armnn_i_acc_apply_rows(part->apply, output, (size_t)pixels, (size_t)columns, (size_t)step,
                         epilogue->a, epilogue->b);
  if (epilogue->has_residual && epilogue->residual_last) {
    panels->gemm->add_rows(output, step, residual, part->job.residual_stride, (size_t)pixels,
                           (size_t)columns);
  }
}

/* |rows| rows of |width| pixels: as one, if all of them lie at equal distances. */
static void multiply_rows(const pointwise_t* part, rows_t input, rows_t output, rows_t residual,
                          int64_t rows, int64_t width) {
  const armnn_i_acc_gemm_job_t* job = &part->job;
  if (input.row == width * job->input_stride && output.row == width * job->output_stride &&
      (!part->epilogue.has_residual || residual.row == width * job->residual_stride)) {
    multiply(part, input.data, output.data, residual.data, rows * width);
    return;
  }
  for (int64_t y = 0; y < rows; ++y) {
    multiply(part, input.data + y * input.row, output.data + y * output.row,
             residual.data + y * residual.row, width);
  }
}

/* The expanded rows that are at hand: [begin, end) of the image, |begin| at the front. */
typedef struct expanded_t {
  int64_t begin, end;
  float* data;
} expanded_t;

/* Makes rows [begin, end) be at hand, and forgets those before if there is no room for both. */
static void expand_rows(const separable_run_t* run, int64_t image, int64_t begin, int64_t end,
                        expanded_t* have) {
  const separable_op_t* op = run->op;
  const int64_t width = op->input.dims[2], row = width * op->channels;
  if (have->end <= begin) {
    have->begin = have->end = begin;
  } else if (end - have->begin > op->cut.expanded_rows) {
    memmove(have->data, have->data + (begin - have->begin) * row,
            (size_t)((have->end - begin) * row) * sizeof(float));
    have->begin = begin;
  }
  if (have->end >= end) return;
  const float* input = run->input + image * op->in_steps[0] + have->end * op->in_steps[1];
  const rows_t from = {(float*)(uintptr_t)input, op->in_steps[1]};
  const rows_t to = {have->data + (have->end - have->begin) * row, row};
  multiply_rows(&op->expand, from, to, to, end - have->end, width);
  have->end = end;
}

static int64_t clamped(int64_t value, int64_t most) {
  return value < 0 ? 0 : value > most ? most : value;
}

/* Output rows [begin, end) of an image. */
static void run_strip(const separable_run_t* run, int64_t image, int64_t begin, int64_t end,
                      expanded_t* have, float* filtered) {
  const separable_op_t* op = run->op;
  armnn_i_acc_depthwise_job_t job = op->depthwise.job;
  const int64_t height = job.input_height, top = begin * job.stride_y - job.pad_top;
  const int64_t reach = (job.kernel_y - 1) * job.dilation_y + 1;
  const int64_t first = clamped(top, height);
  const int64_t last = clamped(top + (end - begin - 1) * job.stride_y + reach, height);
  if (op->expands) {
    expand_rows(run, image, first, last, have);
    job.input = have->data + (first - have->begin) * job.input_row;
  } else {
    job.input = run->input + image * op->in_steps[0] + first * op->in_steps[1];
  }
  const rows_t output = {run->output + image * op->out_steps[0] + begin * op->out_steps[1],
                         op->out_steps[1]};
  rows_t residual = output; /* not read without a residual */
  if (run->residual != NULL) {
    const float* other =
        run->residual + image * op->residual_steps[0] + begin * op->residual_steps[1];
    residual = (rows_t){(float*)(uintptr_t)other, op->residual_steps[1]};
  }
  /* The rows at hand are all of the image that the strip's windows see. */
  job.pad_top = first - top;
  job.input_height = last - first;
  job.first_row = 0;
  job.end_row = end - begin;
  job.channels = op->channels;
  job.output = op->projects ? filtered : output.data;
  if (run->residual != NULL && !op->projects) job.residual = residual.data;
  armnn_i_acc_call_depthwise(&op->depthwise, 0, &job);
  if (!op->projects) return;
  multiply_rows(&op->project, (rows_t){filtered, job.output_row}, output, residual, end - begin,
                op->output.dims[2]);
}

/* Items are (image, some rows of the output). */
static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const separable_run_t* run = argument;
  const separable_op_t* op = run->op;
  const armnn_i_acc_separable_cut_t* cut = &op->cut;
  char* scratch = run->scratch + thread_index * op->thread_scratch;
  float* filtered = (float*)(void*)(scratch + op->filtered_offset);
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t image = item / cut->items, first = item % cut->items * cut->item_rows;
    int64_t last = first + cut->item_rows;
    if (last > op->output.dims[1]) last = op->output.dims[1];
    expanded_t have = {0, 0, (float*)(void*)scratch};
    for (int64_t y = first; y < last; y += cut->strip_rows) {
      const int64_t strip_end = y + cut->strip_rows < last ? y + cut->strip_rows : last;
      run_strip(run, image, y, strip_end, &have, filtered);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_separable(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const separable_op_t* op = (const separable_op_t*)base;
  separable_run_t self = {
      .op = op,
      .input = armnn_i_acc_address(run, &op->input),
      .output = armnn_i_acc_address(run, &op->output),
      .scratch = run->scratch,
  };
  if (op->epilogue.has_residual) self.residual = armnn_i_acc_address(run, &op->epilogue.residual);
  armnn_i_acc_parallel(run, run_items, &self, (uint64_t)(op->cut.items * op->output.dims[0]), 1,
                       op->threads);
}

/* ---- Making -------------------------------------------------------------------------------- */

static void destroy_separable(armnn_i_acc_op_t* base) {
  separable_op_t* op = (separable_op_t*)base;
  armnn_i_acc_free_panels(&op->expand.panels);
  armnn_i_acc_free_panels(&op->project.panels);
  armnn_i_acc_free_depthwise(&op->depthwise);
  armnn_i_acc_destroy_op(base);
}

/* From |channels| channels to |columns|; |input_step| and |output_step| are those from pixel to
 * pixel. */
static armnn_status_t make_pointwise(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_kernels_t* kernels,
                                     const armnn_i_acc_convolution_t* what,
                                     const armnn_i_acc_epilogue_t* epilogue, int64_t channels,
                                     int64_t columns, int64_t input_step, int64_t output_step,
                                     pointwise_t* part) {
  static const armnn_i_acc_gemm_tap_t tap = {0, 0};
  part->epilogue = *epilogue;
  part->job = (armnn_i_acc_gemm_job_t){
      .tap_count = 1,
      .depth = (uint64_t)channels,
      .taps = &tap,
      .input_stride = input_step,
      .output_stride = output_step,
  };
  if (epilogue->has_residual) {
    part->job.residual_stride = armnn_i_acc_step(&epilogue->residual, 2);
  }
  if (!armnn_i_acc_set_epilogue(epilogue, &part->job.flags, &part->job.low, &part->job.high)) {
    part->apply = kernels->elementwise->apply[epilogue->function];
  }
  part->job.flags |= ARMNN_ACC_GEMM_IN_ORDER;
  const armnn_status_t status = armnn_i_acc_plan_panels(
      maker, kernels->gemm, 1, (uint64_t)columns, (uint64_t)channels, 1, (uint64_t)channels,
      armnn_i_acc_guess_vectors(kernels->gemm, (uint64_t)columns), 1, &part->panels);
  if (status != ARMNN_STATUS_OK) return status;
  if (what->stored != ARMNN_ACC_STORED_FLOAT32) {
    armnn_i_acc_store_panels(&part->panels, what->stored);
  }
  const armnn_i_acc_panel_source_t source = {
      .values = what->weights.values,
      .step_o = armnn_i_acc_step(&what->weights, 0),
      .step_y = armnn_i_acc_step(&what->weights, 1),
      .step_x = armnn_i_acc_step(&what->weights, 2),
      .step_i = armnn_i_acc_step(&what->weights, 3),
      .size_y = 1,
      .size_x = 1,
      .channels = (uint64_t)channels,
  };
  return armnn_i_acc_pack_constant(maker, &source, what->bias, (uint64_t)columns, &part->panels);
}

/* A dense image of the size of |like|, with |channels| channels. */
static armnn_i_acc_tensor_t image_like(const armnn_i_acc_tensor_t* like, int64_t channels) {
  armnn_i_acc_tensor_t image = *like;
  image.dims[3] = channels;
  int64_t stride = image.element.size;
  for (uint32_t d = 4; d-- > 0;) {
    image.strides[d] = stride;
    stride *= image.dims[d];
  }
  return image;
}

/* The depthwise convolution from rows at hand to rows at hand, where there are such. */
static armnn_i_acc_convolution_t middle_of(const armnn_i_acc_separable_t* what) {
  armnn_i_acc_convolution_t middle = *what->depthwise;
  middle.input =
      what->expand == NULL ? what->input : image_like(&what->input, what->depthwise->groups);
  middle.output =
      what->project == NULL ? what->output : image_like(&what->output, what->depthwise->groups);
  if (what->project == NULL) middle.epilogue = what->epilogue;
  return middle;
}

static armnn_status_t make_parts(const armnn_i_acc_maker_t* maker,
                                 const armnn_i_acc_kernels_t* kernels,
                                 const armnn_i_acc_separable_t* what, separable_op_t* op) {
  const int64_t in_step = op->in_steps[2], out_step = op->out_steps[2], channels = op->channels;
  armnn_status_t status = ARMNN_STATUS_OK;
  if (op->expands) {
    status = make_pointwise(maker, kernels, what->expand, &what->expand->epilogue,
                            what->input.dims[3], channels, in_step, channels, &op->expand);
  }
  if (status == ARMNN_STATUS_OK && op->projects) {
    status = make_pointwise(maker, kernels, what->project, &what->epilogue, channels,
                            what->output.dims[3], channels, out_step, &op->project);
  }
  return status;
}

armnn_status_t armnn_i_acc_make_separable(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_separable_t* what,
                                          armnn_i_acc_op_t** out_op) {
  *out_op = NULL;
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  if (kernels == NULL) return ARMNN_STATUS_UNSUPPORTED;
  const armnn_i_acc_convolution_t middle = middle_of(what);
  void* memory = NULL;
  separable_op_t* op =
      armnn_i_acc_new_op(maker, sizeof *op, armnn_i_acc_depthwise_size(kernels, &middle), &memory);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->input = what->input;
  op->output = what->output;
  op->epilogue = what->epilogue;
  armnn_i_acc_steps(&what->input, op->in_steps);
  armnn_i_acc_steps(&what->output, op->out_steps);
  if (what->epilogue.has_residual) {
    armnn_i_acc_steps(&what->epilogue.residual, op->residual_steps);
  }
  op->channels = what->depthwise->groups;
  op->expands = what->expand != NULL;
  op->projects = what->project != NULL;
  armnn_status_t status =
      armnn_i_acc_plan_depthwise(maker, kernels, &middle, memory, &op->depthwise);
  if (status == ARMNN_STATUS_OK) status = make_parts(maker, kernels, what, op);
  if (status != ARMNN_STATUS_OK) {
    destroy_separable(&op->base.op);
    return status;
  }
  const uint64_t input_size = (uint64_t)armnn_i_acc_count(&what->input) * what->input.element.size;
  op->depthwise.job.prefetch = !op->expands && input_size > armnn_i_acc_second_cache();
  const uint64_t operations = armnn_i_acc_separable_operations(what);
  op->threads = armnn_i_acc_threads(maker, operations);
  op->cut = armnn_i_acc_cut_separable(what, op->threads);
  const int64_t expanded = op->cut.expanded_rows * what->input.dims[2] * op->channels;
  const int64_t filtered = op->cut.filtered_rows * what->output.dims[2] * op->channels;
  op->filtered_offset = armnn_i_acc_round_up((size_t)expanded * sizeof(float), ARMNN_ACC_LINE);
  op->thread_scratch =
      op->filtered_offset + armnn_i_acc_round_up((size_t)filtered * sizeof(float), ARMNN_ACC_LINE);
  op->base.op = (armnn_i_acc_op_t){
      .run = run_separable,
      .destroy = destroy_separable,
      .kernel = kernels->depthwise->separable_name,
      .scratch_size = op->thread_scratch * op->threads,
      .operations = operations,
  };
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
