/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * convolution2d.c - CONVOLUTION2D with groups, as a product of tiles: weights [output channel x
 * depth] by patches [depth x output position], depth running over the weights as they lie.
 * Also DEPTHWISE_CONVOLUTION2D of quantised types, whose groups have one input channel.
 *
 * Quantised: the integer arithmetic of TensorFlow Lite's specification, see levels.h.
 */
#include "channelwise.h"
#include "geometry.h"
#include "kernels.h"
#include "levels.h"
#include "tile.h"
#include "work.h"

typedef struct convolution_job_t {
  const armnn_kernel_call_t* call;
  const float* input;
  const float* weights;
  const float* bias; /* or null */
  float* output;
  armnn_i_ref_image_t in, out;
  armnn_i_ref_window_t window_y, window_x;
  int64_t groups, group_in, group_out; /* channels of one group */
  int64_t depth;                       /* products behind one output element */
  int64_t weight_row, weight_step;     /* strides of the weights along output channels and depth */
  int64_t row_tiles, column_tiles;     /* of one group's output */
  const armnn_i_ref_levels_t* levels;  /* null: of float32 */
} convolution_job_t;

/* Fills |right| with the patches of [k, k + depth) of the weights' order. */
static void read_patches(const convolution_job_t* job, const armnn_i_ref_patch_t* patch,
                         const float* pixels, int64_t k, int64_t depth, armnn_i_ref_tile_t right) {
  const armnn_i_ref_window_t *wy = &job->window_y, *wx = &job->window_x;
  for (int64_t done = 0; done < depth;) {
    const int64_t index = k + done;
    int64_t channel, tap, count = 1;
    if (job->in.channel_last) { /* (ky, kx, channel): a run of channels at once */
      channel = index % job->group_in;
      tap = index / job->group_in;
      count = job->group_in - channel < depth - done ? job->group_in - channel : depth - done;
    } else { /* (channel, ky, kx) */
      tap = index % (wy->size * wx->size);
      channel = index / (wy->size * wx->size);
    }
    armnn_i_ref_patch_read(patch, pixels + channel * job->in.stride_channel,
                           tap / wx->size * wy->dilation - wy->pad_before,
                           tap % wx->size * wx->dilation - wx->pad_before, count, right + done);
    done += count;
  }
}

/* Adds up one tile over its depth, tile by tile. |totals|: null for float32. */
static void add_depth(const convolution_job_t* job, const armnn_i_ref_patch_t* patch,
                      const float* pixels, const float* weights, int64_t rows,
                      armnn_i_ref_tile_t right, armnn_i_ref_tile_t sum, armnn_i_ref_totals_t totals,
                      int pass) {
  for (int64_t k = 0; k < job->depth; k += ARMNN_REF_TILE) {
    const int64_t depth = armnn_i_ref_part(job->depth, k);
    read_patches(job, patch, pixels, k, depth, right);
    armnn_i_ref_tile_multiply(weights + k * job->weight_step, job->weight_row, job->weight_step,
                              rows, depth, right, patch->columns, sum);
    if (totals != NULL) {
      armnn_i_ref_levels_take(job->levels, pass, rows, patch->columns, sum, totals);
    }
  }
}

/* Items are tiles of the output. */
static armnn_status_t multiply_tiles(void* argument, uint64_t begin, uint64_t end,
                                     uint32_t thread_index) {
  (void)thread_index;
  const convolution_job_t* job = (const convolution_job_t*)argument;
  const int64_t positions = job->out.height * job->out.width;
  const armnn_i_ref_levels_t* levels = job->levels;
  armnn_i_ref_tile_t right, sum;
  armnn_i_ref_totals_t totals;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    if (armnn_i_ref_cancelled(job->call)) return ARMNN_STATUS_OK;
    const int64_t position = item % job->column_tiles * ARMNN_REF_TILE;
    const int64_t row = item / job->column_tiles % job->row_tiles * ARMNN_REF_TILE;
    const int64_t group = item / job->column_tiles / job->row_tiles % job->groups;
    const int64_t batch = item / job->column_tiles / job->row_tiles / job->groups;
    const int64_t channel = group * job->group_out + row;
    const armnn_i_ref_patch_t patch = {&job->in,
                                       job->out.width,
                                       job->window_y.stride,
                                       job->window_x.stride,
                                       position,
                                       armnn_i_ref_part(positions, position)};
    const int64_t rows = armnn_i_ref_part(job->group_out, row);
    const int64_t pixels =
        batch * job->in.stride_batch + group * job->group_in * job->in.stride_channel;
    const int64_t out = batch * job->out.stride_batch + channel * job->out.stride_channel +
                        position * job->out.stride_x;
    armnn_i_ref_tile_fill(sum, rows, job->bias != NULL ? job->bias + channel : NULL);
    if (levels == NULL) {
      add_depth(job, &patch, job->input + pixels, job->weights + channel * job->weight_row, rows,
                right, sum, NULL, 0);
      armnn_i_ref_tile_store(sum, rows, patch.columns, job->output + out, job->out.stride_channel,
                             job->out.stride_x);
      continue;
    }
    armnn_i_ref_levels_clear(rows, totals);
    for (int pass = 0; pass < levels->passes; ++pass) {
      add_depth(job, &patch, levels->x + levels->x_offset[pass] + pixels,
                levels->y + levels->y_offset[pass] + channel * job->weight_row, rows, right, sum,
                totals, pass);
    }
    armnn_i_ref_levels_store_tile(levels, totals, rows, patch.columns, channel, 1, out,
                                  job->out.stride_channel, job->out.stride_x);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t run(convolution_job_t* job, armnn_error_t* error) {
  job->row_tiles = armnn_i_ref_tiles(job->group_out);
  job->column_tiles = armnn_i_ref_tiles(job->out.height * job->out.width);
  return armnn_i_ref_run(
      job->call, multiply_tiles, job,
      (uint64_t)(job->out.batch * job->groups * job->row_tiles * job->column_tiles),
      (uint64_t)job->depth * ARMNN_REF_TILE * (uint64_t)armnn_i_ref_part(job->group_out, 0), error);
}

armnn_status_t armnn_f32_convolution2d__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_convolution2d_descriptor_t);
  const armnn_i_ref_image_t in = armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout);
  const armnn_i_ref_image_t weights = armnn_i_ref_image(ARMNN_IN_INFO(call, 1), d->data_layout);
  const armnn_i_ref_image_t out = armnn_i_ref_image(ARMNN_OUT_INFO(call, 0), d->data_layout);
  const float* bias = d->bias_enabled ? ARMNN_IN(call, 2, float) : NULL;
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  if (d->groups > 1 && weights.channels == 1) {
    armnn_i_ref_channelwise_t job = {call,
                                     ARMNN_IN(call, 0, float),
                                     ARMNN_IN(call, 1, float),
                                     bias,
                                     ARMNN_OUT(call, 0, float),
                                     in,
                                     out,
                                     ARMNN_REF_WINDOW_Y(d, weights.height),
                                     ARMNN_REF_WINDOW_X(d, weights.width),
                                     weights.batch / d->groups,
                                     weights.stride_batch,
                                     weights.stride_y,
                                     weights.stride_x};
    return armnn_i_ref_channelwise_run(&job, error);
  }
  convolution_job_t job = {.call = call,
                           .input = ARMNN_IN(call, 0, float),
                           .weights = ARMNN_IN(call, 1, float),
                           .bias = bias,
                           .output = ARMNN_OUT(call, 0, float),
                           .in = in,
                           .out = out,
                           .window_y = ARMNN_REF_WINDOW_Y(d, weights.height),
                           .window_x = ARMNN_REF_WINDOW_X(d, weights.width),
                           .groups = d->groups,
                           .group_in = weights.channels,
                           .group_out = weights.batch / d->groups,
                           .depth = weights.stride_batch,
                           .weight_row = weights.stride_batch,
                           .weight_step = 1};
  return run(&job, error);
}

armnn_status_t armnn_q_convolution2d__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_convolution2d_descriptor_t);
  const armnn_i_ref_image_t weights = armnn_i_ref_image(ARMNN_IN_INFO(call, 1), d->data_layout);
  armnn_i_ref_levels_t levels;
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_levels(call, d->bias_enabled != 0, &levels, error));
  convolution_job_t job = {.call = call,
                           .in = armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout),
                           .out = armnn_i_ref_image(ARMNN_OUT_INFO(call, 0), d->data_layout),
                           .window_y = ARMNN_REF_WINDOW_Y(d, weights.height),
                           .window_x = ARMNN_REF_WINDOW_X(d, weights.width),
                           .groups = d->groups,
                           .group_in = weights.channels,
                           .group_out = weights.batch / d->groups,
                           .depth = weights.stride_batch,
                           .weight_row = weights.stride_batch,
                           .weight_step = 1,
                           .levels = &levels};
  return run(&job, error);
}

/* Each input channel is a group; the weights are [1, H, W, I * M]. */
armnn_status_t armnn_q_depthwise_convolution2d__ref(const armnn_kernel_call_t* call,
                                                    armnn_error_t* error) {
  const armnn_depthwise_convolution2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_depthwise_convolution2d_descriptor_t);
  const armnn_i_ref_image_t in = armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout);
  const armnn_i_ref_image_t weights =
      armnn_i_ref_image(ARMNN_IN_INFO(call, 1), ARMNN_DATA_LAYOUT_NHWC);
  armnn_i_ref_levels_t levels;
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_levels(call, d->bias_enabled != 0, &levels, error));
  const armnn_i_ref_image_t out = armnn_i_ref_image(ARMNN_OUT_INFO(call, 0), d->data_layout);
  if (levels.sums != NULL) {
    armnn_i_ref_channelwise_t job = {call,
                                     levels.x,
                                     levels.y,
                                     NULL,
                                     levels.sums,
                                     in,
                                     out,
                                     ARMNN_REF_WINDOW_Y(d, weights.height),
                                     ARMNN_REF_WINDOW_X(d, weights.width),
                                     weights.channels / in.channels,
                                     1,
                                     weights.stride_y,
                                     weights.stride_x};
    ARMNN_RETURN_IF_ERROR(armnn_i_ref_channelwise_run(&job, error));
    return armnn_i_ref_levels_store_sums(call, &levels, (uint64_t)out.channels,
                                         (uint64_t)out.stride_channel);
  }
  convolution_job_t job = {.call = call,
                           .in = in,
                           .out = out,
                           .window_y = ARMNN_REF_WINDOW_Y(d, weights.height),
                           .window_x = ARMNN_REF_WINDOW_X(d, weights.width),
                           .groups = in.channels,
                           .group_in = 1,
                           .group_out = weights.channels / in.channels,
                           .depth = weights.height * weights.width,
                           .weight_row = 1,
                           .weight_step = weights.channels,
                           .levels = &levels};
  return run(&job, error);
}
