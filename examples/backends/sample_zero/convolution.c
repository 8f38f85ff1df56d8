/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Convolution2d, dense, NHWC or NCHW: the definition, output rows in parallel on the host's
 * threads. Weights are read where the host keeps them; nothing is packed.
 */
#include "zero.h"

/* A picture's dimensions, and how far apart neighbours lie in memory. */
typedef struct picture_t {
  uint64_t batch, height, width, channels;
  uint64_t step_batch, step_y, step_x, step_channel;
} picture_t;

typedef struct job_t {
  const armnn_convolution2d_descriptor_t* layer;
  const float *x, *w, *bias;
  float* y;
  picture_t in, out, weights; /* weights: "batch" is the output channel */
} job_t;

static picture_t picture(const armnn_tensor_info_t* info, int32_t layout) {
  const uint64_t* n = info->dims;
  if (layout == ARMNN_DATA_LAYOUT_NHWC) {
    return (picture_t){n[0], n[1], n[2], n[3], n[1] * n[2] * n[3], n[2] * n[3], n[3], 1};
  }
  return (picture_t){n[0], n[2], n[3], n[1], n[1] * n[2] * n[3], n[3], 1, n[2] * n[3]};
}

/* One output value. */
static float at(const job_t* job, uint64_t batch, uint64_t oy, uint64_t ox, uint64_t oc) {
  const armnn_convolution2d_descriptor_t* layer = job->layer;
  const uint64_t dilation_y = layer->dilation_y == 0 ? 1 : layer->dilation_y;
  const uint64_t dilation_x = layer->dilation_x == 0 ? 1 : layer->dilation_x;
  float sum = job->bias != NULL ? job->bias[oc] : 0.0f;
  for (uint64_t ky = 0; ky < job->weights.height; ++ky) {
    const uint64_t y = oy * layer->stride_y + ky * dilation_y; /* still with the padding */
    if (y < layer->pad_top || y - layer->pad_top >= job->in.height) continue;
    for (uint64_t kx = 0; kx < job->weights.width; ++kx) {
      const uint64_t x = ox * layer->stride_x + kx * dilation_x;
      if (x < layer->pad_left || x - layer->pad_left >= job->in.width) continue;
      const float* pixel = job->x + batch * job->in.step_batch +
                           (y - layer->pad_top) * job->in.step_y +
                           (x - layer->pad_left) * job->in.step_x;
      const float* weight = job->w + oc * job->weights.step_batch + ky * job->weights.step_y +
                            kx * job->weights.step_x;
      for (uint64_t c = 0; c < job->in.channels; ++c) {
        sum += pixel[c * job->in.step_channel] * weight[c * job->weights.step_channel];
      }
    }
  }
  return sum;
}

static armnn_status_t rows(void* argument, uint64_t begin, uint64_t end, uint32_t thread_index) {
  const job_t* job = (const job_t*)argument;
  (void)thread_index;
  for (uint64_t row = begin; row < end; ++row) {
    const uint64_t batch = row / job->out.height, oy = row % job->out.height;
    float* line = job->y + batch * job->out.step_batch + oy * job->out.step_y;
    for (uint64_t ox = 0; ox < job->out.width; ++ox) {
      for (uint64_t oc = 0; oc < job->out.channels; ++oc) {
        line[ox * job->out.step_x + oc * job->out.step_channel] = at(job, batch, oy, ox, oc);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t zero_convolution(const zero_call_t* call, armnn_error_t* error) {
  const armnn_workload_info_t* info = call->info;
  job_t job;
  (void)error;
  job.layer = ARMNN_DESCRIPTOR(info, armnn_convolution2d_descriptor_t);
  job.x = zero_in(call, 0);
  job.w = zero_in(call, 1);
  job.bias = job.layer->bias_enabled ? zero_in(call, 2) : NULL;
  job.y = zero_out(call, 0);
  job.in = picture(info->input_infos[0], job.layer->data_layout);
  job.weights = picture(info->input_infos[1], job.layer->data_layout);
  job.out = picture(info->output_infos[0], job.layer->data_layout);
  return armnn_parallel_for(call->workload->backend->host, rows, &job,
                            job.out.batch * job.out.height, 1, 0);
}
