/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * local_normalization.c - INSTANCE_NORMALIZATION, L2_NORMALIZATION and NORMALIZATION (local
 * response): layers that compute their scale from the input. Sums are taken in double precision.
 */
#include <math.h>

#include "kernels.h"
#include "shared/axis.h"
#include "shared/geometry.h"
#include "shared/work.h"

typedef struct local_job_t {
  const armnn_kernel_call_t* call;
  const float* x;
  float* y;
  armnn_i_ref_axis_t view; /* along the channels */
  const void* descriptor;
} local_job_t;

static local_job_t job_of(const armnn_kernel_call_t* call, int32_t data_layout) {
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(call, 0);
  local_job_t job = {call, ARMNN_IN(call, 0, float), ARMNN_OUT(call, 0, float),
                     armnn_i_ref_axis(info, armnn_i_ref_channel_axis(info, data_layout)),
                     call->info->descriptor};
  return job;
}

/* ---- Instance normalisation: a channel of one image over all of its pixels ------------------- */

/* Items are channels of one image; pixel p of it lies at p * stride. */
static armnn_status_t normalize_instances(void* argument, uint64_t begin, uint64_t end,
                                          uint32_t thread_index) {
  (void)thread_index;
  const local_job_t* job = (const local_job_t*)argument;
  const armnn_instance_normalization_descriptor_t* d =
      (const armnn_instance_normalization_descriptor_t*)job->descriptor;
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(job->call, 0);
  const uint64_t channels = job->view.length;
  const uint64_t pixels = info->element_count / info->dims[0] / channels;
  const uint64_t stride = armnn_i_ref_channels_first(d->data_layout) ? 1 : channels;
  for (uint64_t item = begin; item < end; ++item) {
    const uint64_t start =
        stride == 1 ? item * pixels : item / channels * pixels * channels + item % channels;
    const float* x = job->x + start;
    float* y = job->y + start;
    double sum = 0.0, squares = 0.0;
    for (uint64_t p = 0; p < pixels; ++p) sum += x[p * stride];
    const double mean = sum / (double)pixels;
    for (uint64_t p = 0; p < pixels; ++p) {
      const double distance = x[p * stride] - mean;
      squares += distance * distance;
    }
    const double scale = d->gamma / sqrt(squares / (double)pixels + d->eps);
    for (uint64_t p = 0; p < pixels; ++p) {
      y[p * stride] = (float)((x[p * stride] - mean) * scale + d->beta);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_instance_normalization__ref(const armnn_kernel_call_t* call,
                                                     armnn_error_t* error) {
  local_job_t job = job_of(
      call, ARMNN_DESCRIPTOR(call->info, armnn_instance_normalization_descriptor_t)->data_layout);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  const uint64_t items = ARMNN_IN_INFO(call, 0)->dims[0] * job.view.length;
  return armnn_i_ref_run(call, normalize_instances, &job, items, ARMNN_COUNT(call) / items * 4,
                         error);
}

/* ---- L2 normalisation: a pixel by the length of its channels --------------------------------- */

/* Items are groups of pixels; inside: channel, pixel. */
static armnn_status_t normalize_lengths(void* argument, uint64_t begin, uint64_t end,
                                        uint32_t thread_index) {
  (void)thread_index;
  const local_job_t* job = (const local_job_t*)argument;
  const double eps = ((const armnn_l2_normalization_descriptor_t*)job->descriptor)->eps;
  const uint64_t stride = job->view.inner;
  for (uint64_t item = begin; item < end; ++item) {
    const armnn_i_ref_lanes_t lanes = armnn_i_ref_lanes(&job->view, item);
    const float* x = job->x + lanes.start;
    float* y = job->y + lanes.start;
    double squares[ARMNN_REF_LANES] = {0};
    float scale[ARMNN_REF_LANES];
    for (uint64_t c = 0; c < job->view.length; ++c) {
      for (uint64_t i = 0; i < lanes.count; ++i) {
        squares[i] += (double)x[c * stride + i] * x[c * stride + i];
      }
    }
    for (uint64_t i = 0; i < lanes.count; ++i) {
      scale[i] = (float)(1.0 / sqrt(squares[i] < eps ? eps : squares[i]));
    }
    for (uint64_t c = 0; c < job->view.length; ++c) {
      for (uint64_t i = 0; i < lanes.count; ++i) y[c * stride + i] = x[c * stride + i] * scale[i];
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_l2_normalization__ref(const armnn_kernel_call_t* call,
                                               armnn_error_t* error) {
  local_job_t job =
      job_of(call, ARMNN_DESCRIPTOR(call->info, armnn_l2_normalization_descriptor_t)->data_layout);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  return armnn_i_ref_run(call, normalize_lengths, &job, armnn_i_ref_lane_groups(&job.view),
                         job.view.length * 4, error);
}

/* ---- Local response: x / (k + alpha * sum of squares of the neighbours) ^ beta --------------- *
 * Local contrast: the same of the distances from the neighbours' mean. */

/* The indices [index - (size - 1) / 2, index + size / 2], cut to [0, count). */
static void neighbours(int64_t index, int64_t size, int64_t count, int64_t* out_begin,
                       int64_t* out_end) {
  const int64_t begin = index - (size - 1) / 2, end = index + size / 2 + 1;
  *out_begin = begin > 0 ? begin : 0;
  *out_end = end < count ? end : count;
}

/* |sum|, |squares|: of |count| neighbours. */
static float respond(const armnn_normalization_descriptor_t* d, float x, double sum, double squares,
                     int64_t count) {
  double value = x;
  if (d->method == ARMNN_NORMALIZATION_LOCAL_CONTRAST) {
    const double mean = sum / (double)count;
    value -= mean;
    squares -= sum * mean; /* now of the distances from the mean */
    if (squares < 0.0) squares = 0.0;
  }
  return (float)(value * pow(d->k + d->alpha * squares, -(double)d->beta));
}

/* Items are groups of pixels; inside: channel, neighbour, pixel. */
static armnn_status_t respond_across(void* argument, uint64_t begin, uint64_t end,
                                     uint32_t thread_index) {
  (void)thread_index;
  const local_job_t* job = (const local_job_t*)argument;
  const armnn_normalization_descriptor_t* d =
      (const armnn_normalization_descriptor_t*)job->descriptor;
  const uint64_t stride = job->view.inner;
  const int64_t channels = (int64_t)job->view.length;
  for (uint64_t item = begin; item < end; ++item) {
    const armnn_i_ref_lanes_t lanes = armnn_i_ref_lanes(&job->view, item);
    const float* x = job->x + lanes.start;
    float* y = job->y + lanes.start;
    for (int64_t c = 0; c < channels; ++c) {
      double sum[ARMNN_REF_LANES] = {0}, squares[ARMNN_REF_LANES] = {0};
      int64_t first, last;
      neighbours(c, d->norm_size, channels, &first, &last);
      for (int64_t n = first; n < last; ++n) {
        const float* line = x + (uint64_t)n * stride;
        for (uint64_t i = 0; i < lanes.count; ++i) {
          sum[i] += line[i];
          squares[i] += (double)line[i] * line[i];
        }
      }
      for (uint64_t i = 0; i < lanes.count; ++i) {
        const uint64_t at = (uint64_t)c * stride + i;
        y[at] = respond(d, x[at], sum[i], squares[i], last - first);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

/* Items are rows of one channel; inside: pixel, neighbouring row, neighbouring pixel. */
static armnn_status_t respond_within(void* argument, uint64_t begin, uint64_t end,
                                     uint32_t thread_index) {
  (void)thread_index;
  const local_job_t* job = (const local_job_t*)argument;
  const armnn_normalization_descriptor_t* d =
      (const armnn_normalization_descriptor_t*)job->descriptor;
  const armnn_i_ref_image_t image = armnn_i_ref_image(ARMNN_IN_INFO(job->call, 0), d->data_layout);
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t y = item % image.height;
    const int64_t start = item / image.height / image.channels * image.stride_batch +
                          item / image.height % image.channels * image.stride_channel;
    int64_t y_first, y_last;
    neighbours(y, d->norm_size, image.height, &y_first, &y_last);
    for (int64_t x = 0; x < image.width; ++x) {
      int64_t x_first, x_last;
      neighbours(x, d->norm_size, image.width, &x_first, &x_last);
      double sum = 0.0, squares = 0.0;
      for (int64_t ny = y_first; ny < y_last; ++ny) {
        for (int64_t nx = x_first; nx < x_last; ++nx) {
          const double v = job->x[start + ny * image.stride_y + nx * image.stride_x];
          sum += v;
          squares += v * v;
        }
      }
      const int64_t at = start + y * image.stride_y + x * image.stride_x;
      job->y[at] = respond(d, job->x[at], sum, squares, (y_last - y_first) * (x_last - x_first));
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_normalization_supports(const armnn_layer_query_t* query,
                                                  armnn_error_t* reason) {
  if (ARMNN_DESCRIPTOR(query, armnn_normalization_descriptor_t)->norm_size == 0) {
    return ARMNN_RULE_REFUSE(reason, "the neighbourhood's size is 0");
  }
  return armnn_rule_images(query, reason);
}

armnn_status_t armnn_f32_normalization__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_normalization_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_normalization_descriptor_t);
  local_job_t job = job_of(call, d->data_layout);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  if (d->channel == ARMNN_NORMALIZATION_ACROSS) {
    return armnn_i_ref_run(call, respond_across, &job, armnn_i_ref_lane_groups(&job.view),
                           job.view.length * 32, error);
  }
  const armnn_i_ref_image_t image = armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout);
  return armnn_i_ref_run(call, respond_within, &job,
                         (uint64_t)(image.batch * image.channels * image.height),
                         (uint64_t)image.width * 32, error);
}
