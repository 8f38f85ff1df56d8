/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * resize.c - RESIZE: bilinear and nearest neighbour. Positions are quotients of whole numbers and
 * are computed as such, so that no rounding of a scale moves a pixel.
 */
#include "kernels.h"
#include "resize_source.h"
#include "shared/geometry.h"
#include "shared/work.h"

enum { BLOCK = 64 };

/* The two inputs that an output is between, and its distance from the first. */
typedef armnn_resize_source_t source_t;

static source_t source_of(const armnn_resize_descriptor_t* d, int64_t o, int64_t input,
                          int64_t output) {
  return armnn_resize_source(d->method, d->align_corners != 0, d->half_pixel_centers != 0, o, input,
                             output);
}

typedef struct resize_job_t {
  const armnn_resize_descriptor_t* descriptor;
  const float* input;
  float* output;
  armnn_i_ref_image_t in, out;
} resize_job_t;

static float blend(float a, float b, float fraction) { return a + (b - a) * fraction; }

/* |count| outputs of a row of one channel. */
static void resize_row(const float* top, const float* bottom, float fraction_y,
                       const source_t* columns, int64_t count, int nearest, float* out) {
  if (nearest) {
    for (int64_t i = 0; i < count; ++i) out[i] = top[columns[i].low];
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const source_t* c = &columns[i];
    out[i] = blend(blend(top[c->low], top[c->high], c->fraction),
                   blend(bottom[c->low], bottom[c->high], c->fraction), fraction_y);
  }
}

/* All channels of one output, side by side. */
static void resize_pixel(const float* top, const float* bottom, float fraction_y,
                         const source_t* column, int64_t channels, int nearest, float* out) {
  const int64_t low = column->low * channels, high = column->high * channels;
  if (nearest) {
    for (int64_t c = 0; c < channels; ++c) out[c] = top[low + c];
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    out[c] = blend(blend(top[low + c], top[high + c], column->fraction),
                   blend(bottom[low + c], bottom[high + c], column->fraction), fraction_y);
  }
}

/* Items are output rows of one image, all channels. */
static armnn_status_t resize_rows(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const resize_job_t* job = (const resize_job_t*)argument;
  const int nearest = job->descriptor->method == ARMNN_RESIZE_NEAREST_NEIGHBOR;
  source_t columns[BLOCK];
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t y = item % job->out.height;
    const int64_t batch = item / job->out.height;
    const source_t row = source_of(job->descriptor, y, job->in.height, job->out.height);
    const float* image = job->input + batch * job->in.stride_batch;
    const float* top = image + row.low * job->in.stride_y;
    const float* bottom = image + row.high * job->in.stride_y;
    float* out = job->output + batch * job->out.stride_batch + y * job->out.stride_y;
    for (int64_t x = 0; x < job->out.width; x += BLOCK) {
      const int64_t count = job->out.width - x < BLOCK ? job->out.width - x : BLOCK;
      for (int64_t i = 0; i < count; ++i) {
        columns[i] = source_of(job->descriptor, x + i, job->in.width, job->out.width);
      }
      if (job->out.channel_last) {
        for (int64_t i = 0; i < count; ++i) {
          resize_pixel(top, bottom, row.fraction, &columns[i], job->out.channels, nearest,
                       out + (x + i) * job->out.stride_x);
        }
      } else {
        for (int64_t c = 0; c < job->out.channels; ++c) {
          resize_row(top + c * job->in.stride_channel, bottom + c * job->in.stride_channel,
                     row.fraction, columns, count, nearest, out + c * job->out.stride_channel + x);
        }
      }
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_resize__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_resize_descriptor_t* d = ARMNN_DESCRIPTOR(call->info, armnn_resize_descriptor_t);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  resize_job_t job = {d, ARMNN_IN(call, 0, float), ARMNN_OUT(call, 0, float),
                      armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout),
                      armnn_i_ref_image(ARMNN_OUT_INFO(call, 0), d->data_layout)};
  return armnn_i_ref_run(call, resize_rows, &job, (uint64_t)(job.out.batch * job.out.height),
                         (uint64_t)(job.out.width * job.out.channels) * 4, error);
}
