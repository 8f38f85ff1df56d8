/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "depthwise_plan.h"

static void pack(const armnn_i_acc_convolution_t* what, int64_t lanes, float* packed) {
  const float* weights = what->weights.values;
  int64_t steps[ARMNN_ACC_MAX_RANK];
  armnn_i_acc_steps(&what->weights, steps);
  const int64_t taps = what->kernel_y * what->kernel_x;
  for (int64_t o = 0; o < what->output.dims[3]; ++o) {
    float* to = packed + o / lanes * (taps + 1) * lanes + o % lanes;
    *to = what->bias != NULL ? what->bias[o] : 0.0f;
    for (int64_t y = 0; y < what->kernel_y; ++y) {
      for (int64_t x = 0; x < what->kernel_x; ++x) {
        to += lanes;
        *to = weights[o * steps[0] + y * steps[1] + x * steps[2]];
      }
    }
  }
}

/* Even tiles of at most |most| pixels: of 7, 13 are 7 + 6, 8 are 4 + 4; fewer than 4 are done one
 * by one then. */
static int64_t plan_tiles(const armnn_i_acc_convolution_t* what, int64_t most,
                          armnn_i_acc_depthwise_tile_t* tiles) {
  const int64_t width = what->output.dims[2];
  int64_t count = 0;
  for (int64_t x = 0; x < width;) {
    const int64_t left = width - x;
    int64_t tile = armnn_i_acc_ceil_div(left, armnn_i_acc_ceil_div(left, most));
    if (tile < 4 && most > 4) tile = 1;
    if (tiles != NULL) {
      const int64_t input_x = x * what->stride_x - what->pad_left;
      const int64_t columns = (tile - 1) * what->stride_x + what->kernel_x;
      uint32_t inside = 0;
      for (int64_t c = 0; c < columns; ++c) {
        if (input_x + c >= 0 && input_x + c < what->input.dims[2]) inside |= 1u << c;
      }
      if (inside == (1u << columns) - 1u) inside = UINT32_MAX;
      tiles[count] =
          (armnn_i_acc_depthwise_tile_t){(int32_t)x, (int32_t)tile, (int32_t)input_x, inside};
    }
    ++count;
    x += tile;
  }
  return count;
}

/* At most one row and column is missing at each border. */
static bool has_narrow_borders(const armnn_i_acc_convolution_t* what) {
  return what->pad_top <= 1 && what->pad_left <= 1 &&
         (what->output.dims[1] - 1) * what->stride_y - what->pad_top + what->kernel_y - 1 <=
             what->input.dims[1] &&
         (what->output.dims[2] - 1) * what->stride_x - what->pad_left + what->kernel_x - 1 <=
             what->input.dims[2];
}

static const armnn_i_acc_depthwise_kernel_t* find_kernel(
    const armnn_i_acc_depthwise_kernel_t* kernels, uint32_t count,
    const armnn_i_acc_convolution_t* what) {
  for (uint32_t i = 0; i < count; ++i) {
    if (kernels[i].kernel == what->kernel_x && kernels[i].stride == what->stride_x) {
      return &kernels[i];
    }
  }
  return NULL;
}

static const armnn_i_acc_depthwise_kernel_t* choose_kernel(
    const armnn_i_acc_depthwise_kernels_t* kernels, const armnn_i_acc_convolution_t* what) {
  if (what->kernel_y != what->kernel_x) return NULL;
  if (what->kernel_y > 1 && (what->dilation_y != 1 || what->dilation_x != 1)) return NULL;
  const armnn_i_acc_depthwise_kernel_t* kernel = NULL;
  if (what->stride_y == what->stride_x && has_narrow_borders(what)) {
    kernel = find_kernel(kernels->narrow, kernels->narrow_count, what);
  }
  return kernel != NULL ? kernel : find_kernel(kernels->fixed, kernels->fixed_count, what);
}

static armnn_status_t pack_weights(const armnn_i_acc_maker_t* maker,
                                   const armnn_i_acc_convolution_t* what,
                                   armnn_i_acc_depthwise_plan_t* plan) {
  const int64_t lanes = plan->lanes, taps = what->kernel_y * what->kernel_x;
  const int64_t vectors = armnn_i_acc_ceil_div(what->output.dims[3], lanes);
  const size_t size = (size_t)(vectors * (taps + 1) * lanes) * sizeof(float);
  const uint64_t layout = ARMNN_ACC_LAYOUT(2, (uint64_t)lanes, (uint64_t)vectors, (uint64_t)taps);
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_DEPTHWISE, (uint64_t)what->kernel_y,
                 (uint64_t)what->kernel_x, (uint64_t)what->output.dims[3]);
  armnn_i_acc_name_tensor(&name, maker, &what->weights);
  armnn_i_acc_name_values(&name, maker, what->bias,
                          (uint64_t)what->output.dims[3] * sizeof *what->bias);
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_take_packed(maker, size, layout, &name, &plan->weights));
  if (!plan->weights.is_packed) pack(what, lanes, memset(plan->weights.data, 0, size));
  armnn_i_acc_share_packed(maker, size, layout, &plan->weights);
  plan->packed = plan->weights.data;
  return ARMNN_STATUS_OK;
}

void armnn_i_acc_free_depthwise(armnn_i_acc_depthwise_plan_t* plan) {
  armnn_i_acc_release_packed(&plan->weights);
}

size_t armnn_i_acc_depthwise_size(const armnn_i_acc_kernels_t* kernels,
                                  const armnn_i_acc_convolution_t* what) {
  const armnn_i_acc_depthwise_kernel_t* fixed = choose_kernel(kernels->depthwise, what);
  const int64_t tiles = fixed != NULL ? plan_tiles(what, fixed->width, NULL) : 0;
  return (size_t)tiles * sizeof(armnn_i_acc_depthwise_tile_t);
}

static void set_epilogue(const armnn_i_acc_kernels_t* kernels,
                         const armnn_i_acc_epilogue_t* epilogue, armnn_i_acc_depthwise_job_t* job) {
  if (!armnn_i_acc_function_is_clamp(epilogue->function, epilogue->a, epilogue->b, &job->low,
                                     &job->high)) {
    job->function = kernels->elementwise->apply[epilogue->function];
    job->a = epilogue->a;
    job->b = epilogue->b;
    job->hard_swish = epilogue->function == ARMNN_ACC_HARD_SWISH && !epilogue->has_residual;
  }
  if (epilogue->has_residual) {
    job->residual_row = armnn_i_acc_step(&epilogue->residual, 1);
    job->residual_pixel = armnn_i_acc_step(&epilogue->residual, 2);
    job->residual_last = epilogue->residual_last;
  }
}

armnn_status_t armnn_i_acc_plan_depthwise(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_kernels_t* kernels,
                                          const armnn_i_acc_convolution_t* what, void* memory,
                                          armnn_i_acc_depthwise_plan_t* out_plan) {
  armnn_i_acc_depthwise_plan_t* plan = out_plan;
  const armnn_i_acc_depthwise_kernels_t* all = kernels->depthwise;
  *plan = (armnn_i_acc_depthwise_plan_t){
      .run = all->any,
      .run_rest = all->any,
      .walk = ARMNN_ACC_DEPTHWISE_ROWS,
      .name = all->any_name,
      .lanes = kernels->lanes,
  };
  const armnn_i_acc_depthwise_kernel_t* fixed = choose_kernel(all, what);
  armnn_i_acc_depthwise_job_t* job = &plan->job;
  if (fixed != NULL) {
    armnn_i_acc_depthwise_tile_t* tiles = memory;
    plan->run = fixed->run;
    if (all->partial) plan->run_rest = fixed->run;
    plan->walk = fixed->walk;
    plan->name = fixed->name;
    job->tile_count = plan_tiles(what, fixed->width, tiles);
    job->tiles = tiles;
  }
  job->input_height = what->input.dims[1];
  job->input_width = what->input.dims[2];
  job->input_row = armnn_i_acc_step(&what->input, 1);
  job->input_pixel = armnn_i_acc_step(&what->input, 2);
  job->output_row = armnn_i_acc_step(&what->output, 1);
  job->output_pixel = armnn_i_acc_step(&what->output, 2);
  job->output_width = what->output.dims[2];
  job->kernel_y = what->kernel_y;
  job->kernel_x = what->kernel_x;
  job->stride_y = what->stride_y;
  job->stride_x = what->stride_x;
  job->dilation_y = what->dilation_y;
  job->dilation_x = what->dilation_x;
  job->pad_top = what->pad_top;
  job->pad_left = what->pad_left;
  set_epilogue(kernels, &what->epilogue, job);
  return pack_weights(maker, what, plan);
}

void armnn_i_acc_call_depthwise(const armnn_i_acc_depthwise_plan_t* plan, int64_t channel,
                                armnn_i_acc_depthwise_job_t* job) {
  const int64_t floats = job->kernel_y * job->kernel_x + 1;
  const int64_t rest = plan->run_rest != plan->run ? job->channels % plan->lanes : 0;
  job->weights = plan->packed + channel * floats;
  job->channels -= rest;
  if (job->channels > 0) plan->run(job);
  if (rest == 0) return;
  job->input += job->channels;
  job->output += job->channels;
  if (job->residual != NULL) job->residual += job->channels;
  job->weights += job->channels * floats;
  job->channels = rest;
  plan->run_rest(job);
}
