/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * transpose_convolution2d.c - TRANSPOSE_CONVOLUTION2D with groups and dilation.
 *
 * Outputs whose positions agree modulo the strides form a phase. Within a phase every output is
 * reached by the same taps, and neighbours read neighbouring inputs, so that each phase is an
 * ordinary convolution with stride one over a subset of the taps, and no product with an inserted
 * zero is ever formed.
 *
 * Quantised: the integer arithmetic of TensorFlow Lite's specification, see levels.h.
 */
#include "kernels.h"
#include "shared/levels.h"
#include "shared/tile.h"
#include "shared/work.h"

/* Longest reach of a kernel or an input: far beyond any tensor, far below overflow. */
#define MAX_REACH (INT64_C(1) << 40)

typedef struct transpose_job_t {
  const armnn_kernel_call_t* call;
  const float* input;
  const float* weights;
  const float* bias; /* or null */
  float* output;
  armnn_i_ref_image_t in, kernel, out;
  armnn_i_ref_window_t window_y, window_x;
  int64_t groups, group_in, group_out; /* channels of one group */
  int64_t phases_y, phases_x;
  int64_t row_tiles, column_tiles;    /* of one phase, at most */
  const armnn_i_ref_levels_t* levels; /* null: of float32 */
} transpose_job_t;

/* How many of |output| positions are |phase| modulo |stride|; |phase| is one of them. */
static int64_t outputs_of_phase(int64_t output, int64_t phase, int64_t stride) {
  return (int64_t)armnn_div_up((uint64_t)(output - phase), (uint64_t)stride);
}

/* Does |tap| reach the outputs of |phase|? Then the first of them reads input |out_first|. */
static int tap_reaches(const armnn_i_ref_window_t* window, int64_t tap, int64_t phase,
                       int64_t* out_first) {
  const int64_t distance = phase + window->pad_before - tap * window->dilation;
  *out_first = distance / window->stride;
  return distance % window->stride == 0;
}

/* Adds all taps of one phase into |sum|; loops: ky, kx, input channels in tiles. |totals|: null for
 * float32. */
static void add_taps(const transpose_job_t* job, const armnn_i_ref_patch_t* patch,
                     const float* pixels, const float* weights, int64_t phase_y, int64_t phase_x,
                     int64_t rows, armnn_i_ref_tile_t sum, armnn_i_ref_totals_t totals, int pass) {
  armnn_i_ref_tile_t right;
  const armnn_i_ref_image_t* kernel = &job->kernel;
  for (int64_t ky = 0; ky < kernel->height; ++ky) {
    int64_t y, x;
    if (!tap_reaches(&job->window_y, ky, phase_y, &y)) continue;
    for (int64_t kx = 0; kx < kernel->width; ++kx) {
      if (!tap_reaches(&job->window_x, kx, phase_x, &x)) continue;
      for (int64_t channel = 0; channel < job->group_in; channel += ARMNN_REF_TILE) {
        const int64_t depth = armnn_i_ref_part(job->group_in, channel);
        armnn_i_ref_patch_read(patch, pixels + channel * job->in.stride_channel, y, x, depth,
                               right);
        armnn_i_ref_tile_multiply(weights + ky * kernel->stride_y + kx * kernel->stride_x +
                                      channel * kernel->stride_channel,
                                  kernel->stride_batch, kernel->stride_channel, rows, depth, right,
                                  patch->columns, sum);
        if (totals != NULL) {
          armnn_i_ref_levels_take(job->levels, pass, rows, patch->columns, sum, totals);
        }
      }
    }
  }
}

/* Items are tiles of one phase of one group. */
static armnn_status_t multiply_phases(void* argument, uint64_t begin, uint64_t end,
                                      uint32_t thread_index) {
  (void)thread_index;
  const transpose_job_t* job = (const transpose_job_t*)argument;
  const armnn_i_ref_levels_t* levels = job->levels;
  armnn_i_ref_tile_t sum;
  armnn_i_ref_totals_t totals;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    if (armnn_i_ref_cancelled(job->call)) return ARMNN_STATUS_OK;
    int64_t rest = item;
    const int64_t position = rest % job->column_tiles * ARMNN_REF_TILE;
    rest /= job->column_tiles;
    const int64_t phase_x = rest % job->phases_x;
    rest /= job->phases_x;
    const int64_t phase_y = rest % job->phases_y;
    rest /= job->phases_y;
    const int64_t row = rest % job->row_tiles * ARMNN_REF_TILE;
    rest /= job->row_tiles;
    const int64_t group = rest % job->groups;
    const int64_t batch = rest / job->groups;
    const int64_t stride_y = job->window_y.stride, stride_x = job->window_x.stride;
    const int64_t height = outputs_of_phase(job->out.height, phase_y, stride_y);
    const int64_t width = outputs_of_phase(job->out.width, phase_x, stride_x);
    if (position >= height * width) continue; /* this phase is smaller than the first */
    const int64_t channel = group * job->group_out + row;
    const int64_t rows = armnn_i_ref_part(job->group_out, row);
    const armnn_i_ref_patch_t patch = {
        &job->in, width, 1, 1, position, armnn_i_ref_part(height * width, position)};
    armnn_i_ref_tile_fill(sum, rows, job->bias != NULL ? job->bias + channel : NULL);
    const int64_t pixels =
        batch * job->in.stride_batch + group * job->group_in * job->in.stride_channel;
    const int64_t weights = channel * job->kernel.stride_batch;
    const int64_t out = batch * job->out.stride_batch + channel * job->out.stride_channel;
    if (levels == NULL) {
      add_taps(job, &patch, job->input + pixels, job->weights + weights, phase_y, phase_x, rows,
               sum, NULL, 0);
    } else {
      armnn_i_ref_levels_clear(rows, totals);
      for (int pass = 0; pass < levels->passes; ++pass) {
        add_taps(job, &patch, levels->x + levels->x_offset[pass] + pixels,
                 levels->y + levels->y_offset[pass] + weights, phase_y, phase_x, rows, sum, totals,
                 pass);
      }
    }
    for (int64_t column = 0; column < patch.columns; ++column) {
      const int64_t y = (position + column) / width * stride_y + phase_y;
      const int64_t x = (position + column) % width * stride_x + phase_x;
      const int64_t pixel = out + y * job->out.stride_y + x * job->out.stride_x;
      for (int64_t m = 0; m < rows; ++m) {
        const int64_t index = pixel + m * job->out.stride_channel;
        if (levels == NULL) {
          job->output[index] = sum[m][column];
        } else {
          armnn_i_ref_levels_store(levels, totals[m][column], channel + m, index);
        }
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t run(const armnn_kernel_call_t* call, const armnn_i_ref_levels_t* levels,
                          armnn_error_t* error) {
  const armnn_transpose_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_transpose_convolution2d_descriptor_t);
  const int64_t groups = d->groups > 1 ? d->groups : 1;
  const armnn_i_ref_image_t kernel = armnn_i_ref_image(ARMNN_IN_INFO(call, 1), d->data_layout);
  const armnn_i_ref_image_t out = armnn_i_ref_image(ARMNN_OUT_INFO(call, 0), d->data_layout);
  transpose_job_t job = {
      .call = call,
      .input = ARMNN_IN(call, 0, float),
      .weights = ARMNN_IN(call, 1, float),
      .bias = d->bias_enabled && levels == NULL ? ARMNN_IN(call, 2, float) : NULL,
      .output = ARMNN_OUT(call, 0, float),
      .in = armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout),
      .kernel = kernel,
      .out = out,
      .window_y = armnn_i_ref_dilated(ARMNN_REF_WINDOW_Y(d, kernel.height)),
      .window_x = armnn_i_ref_dilated(ARMNN_REF_WINDOW_X(d, kernel.width)),
      .groups = groups,
      .group_in = kernel.channels,
      .group_out = kernel.batch / groups,
      .phases_y = d->stride_y < out.height ? d->stride_y : out.height,
      .phases_x = d->stride_x < out.width ? d->stride_x : out.width,
      .levels = levels};
  const int64_t phase_height = outputs_of_phase(out.height, 0, job.window_y.stride);
  const int64_t phase_width = outputs_of_phase(out.width, 0, job.window_x.stride);
  job.row_tiles = armnn_i_ref_tiles(job.group_out);
  job.column_tiles = armnn_i_ref_tiles(phase_height * phase_width);
  const int64_t items =
      out.batch * groups * job.row_tiles * job.phases_y * job.phases_x * job.column_tiles;
  const int64_t taps = kernel.height * kernel.width / (job.phases_y * job.phases_x) + 1;
  const int64_t operations =
      taps * job.group_in * ARMNN_REF_TILE * armnn_i_ref_part(job.group_out, 0);
  return armnn_i_ref_run(call, multiply_phases, &job, (uint64_t)items, (uint64_t)operations, error);
}

armnn_status_t armnn_f32_transpose_convolution2d__ref(const armnn_kernel_call_t* call,
                                                      armnn_error_t* error) {
  return ARMNN_COUNT(call) == 0 ? ARMNN_STATUS_OK : run(call, NULL, error);
}

armnn_status_t armnn_q_transpose_convolution2d__ref(const armnn_kernel_call_t* call,
                                                    armnn_error_t* error) {
  const armnn_transpose_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_transpose_convolution2d_descriptor_t);
  armnn_i_ref_levels_t levels;
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_levels(call, d->bias_enabled != 0, &levels, error));
  return run(call, &levels, error);
}
