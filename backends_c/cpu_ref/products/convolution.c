/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * convolution.c - see convolution.h.
 */
#include "convolution.h"

#include "shared/tile.h"
#include "shared/work.h"

/* Fills |right| with the patches of [k, k + depth) of the weights' order. */
static void read_patches(const armnn_i_ref_convolution_t* job, const armnn_i_ref_patch_t* patch,
                         const float* pixels, int64_t k, int64_t depth, armnn_i_ref_tile_t right) {
  const armnn_i_ref_window_t *wy = &job->window_y, *wx = &job->window_x;
  for (int64_t done = 0; done < depth;) {
    const int64_t index = k + done;
    int64_t channel, tap, count = 1;
    if (job->channels_inside) { /* a run of channels at once */
      channel = index % job->group_in;
      tap = index / job->group_in;
      count = job->group_in - channel < depth - done ? job->group_in - channel : depth - done;
    } else {
      tap = index % (wy->size * wx->size);
      channel = index / (wy->size * wx->size);
    }
    armnn_i_ref_patch_read(patch, pixels + channel * job->in.image.stride_channel,
                           tap / wx->size * wy->dilation - wy->pad_before,
                           tap % wx->size * wx->dilation - wx->pad_before, count, right + done);
    done += count;
  }
}

/* Adds up one tile over the depth of one input image, tile by tile. |totals|: null for float32. */
static void add_depth(const armnn_i_ref_convolution_t* job, const armnn_i_ref_patch_t* patch,
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

/* The same for each input image that the window sees from output image |z|. */
static void add_images(const armnn_i_ref_convolution_t* job, const armnn_i_ref_patch_t* patch,
                       int64_t z, const float* pixels, const float* weights, int64_t rows,
                       armnn_i_ref_tile_t right, armnn_i_ref_tile_t sum,
                       armnn_i_ref_totals_t totals, int pass) {
  const armnn_i_ref_window_t* wz = &job->window_z;
  const int64_t start = z * wz->stride - wz->pad_before;
  int64_t kz_begin, kz_end;
  armnn_i_ref_tap_range(start, wz->dilation, job->in.depth, wz->size, &kz_begin, &kz_end);
  for (int64_t kz = kz_begin; kz < kz_end; ++kz) {
    add_depth(job, patch, pixels + (start + kz * wz->dilation) * job->in.stride_z,
              weights + kz * job->depth * job->weight_step, rows, right, sum, totals, pass);
  }
}

/* Items are tiles of the output. */
static armnn_status_t multiply_tiles(void* argument, uint64_t begin, uint64_t end,
                                     uint32_t thread_index) {
  (void)thread_index;
  const armnn_i_ref_convolution_t* job = (const armnn_i_ref_convolution_t*)argument;
  const armnn_i_ref_image_t *in = &job->in.image, *out_image = &job->out.image;
  const int64_t positions = out_image->height * out_image->width;
  const armnn_i_ref_levels_t* levels = job->levels;
  armnn_i_ref_tile_t right, sum;
  armnn_i_ref_totals_t totals;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    if (armnn_i_ref_cancelled(job->call)) return ARMNN_STATUS_OK;
    const int64_t position = item % job->column_tiles * ARMNN_REF_TILE;
    int64_t rest = item / job->column_tiles;
    const int64_t z = rest % job->out.depth;
    rest /= job->out.depth;
    const int64_t row = rest % job->row_tiles * ARMNN_REF_TILE;
    rest /= job->row_tiles;
    const int64_t group = rest % job->groups, batch = rest / job->groups;
    const int64_t channel = group * job->group_out + row;
    const armnn_i_ref_patch_t patch = {in,
                                       out_image->width,
                                       job->window_y.stride,
                                       job->window_x.stride,
                                       position,
                                       armnn_i_ref_part(positions, position)};
    const int64_t rows = armnn_i_ref_part(job->group_out, row);
    const int64_t pixels = batch * in->stride_batch + group * job->group_in * in->stride_channel;
    const int64_t out = batch * out_image->stride_batch + z * job->out.stride_z +
                        channel * out_image->stride_channel + position * out_image->stride_x;
    armnn_i_ref_tile_fill(sum, rows, job->bias != NULL ? job->bias + channel : NULL);
    if (levels == NULL) {
      add_images(job, &patch, z, job->input + pixels, job->weights + channel * job->weight_row,
                 rows, right, sum, NULL, 0);
      armnn_i_ref_tile_store(sum, rows, patch.columns, job->output + out, out_image->stride_channel,
                             out_image->stride_x);
      continue;
    }
    armnn_i_ref_levels_clear(rows, totals);
    for (int pass = 0; pass < levels->passes; ++pass) {
      add_images(job, &patch, z, levels->x + levels->x_offset[pass] + pixels,
                 levels->y + levels->y_offset[pass] + channel * job->weight_row, rows, right, sum,
                 totals, pass);
    }
    armnn_i_ref_levels_store_tile(levels, totals, rows, patch.columns, channel, 1, out,
                                  out_image->stride_channel, out_image->stride_x);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_convolve(armnn_i_ref_convolution_t* job, armnn_error_t* error) {
  job->row_tiles = armnn_i_ref_tiles(job->group_out);
  job->column_tiles = armnn_i_ref_tiles(job->out.image.height * job->out.image.width);
  return armnn_i_ref_run(job->call, multiply_tiles, job,
                         (uint64_t)(job->out.image.batch * job->groups * job->row_tiles *
                                    job->out.depth * job->column_tiles),
                         (uint64_t)(job->window_z.size * job->depth) * ARMNN_REF_TILE *
                             (uint64_t)armnn_i_ref_part(job->group_out, 0),
                         error);
}
