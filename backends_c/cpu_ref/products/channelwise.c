/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * channelwise.c - see channelwise.h. Two loop orders, each with its innermost loop along memory:
 * over the width for NCHW, over channels for NHWC.
 */
#include "channelwise.h"

#include "shared/work.h"

enum { BLOCK = 64 };

/* out[i] += w * in[i * stride] */
static void add_row(float w, const float* restrict in, int64_t stride, int64_t count,
                    float* restrict out) {
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) out[i] += w * in[i];
  } else if (stride == 2) {
    for (int64_t i = 0; i < count; ++i) out[i] += w * in[2 * i];
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] += w * in[i * stride];
  }
}

/* Items are output rows of one channel; loops: ky, kx, x. */
static armnn_status_t rows_nchw(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const armnn_i_ref_channelwise_t* job = (const armnn_i_ref_channelwise_t*)argument;
  const armnn_i_ref_window_t *wy = &job->window_y, *wx = &job->window_x;
  if (armnn_i_ref_cancelled(job->call)) return ARMNN_STATUS_OK;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t y = item % job->out.height;
    const int64_t channel = item / job->out.height % job->out.channels;
    const int64_t batch = item / job->out.height / job->out.channels;
    const float* plane = job->input + batch * job->in.stride_batch +
                         channel / job->multiplier * job->in.stride_channel;
    const float* weights = job->weights + channel * job->weight_channel;
    float* out = job->output + item * job->out.width;
    const float bias = job->bias != NULL ? job->bias[channel] : 0.0f;
    for (int64_t x = 0; x < job->out.width; ++x) out[x] = bias;
    for (int64_t ky = 0; ky < wy->size; ++ky) {
      const int64_t in_y = y * wy->stride + ky * wy->dilation - wy->pad_before;
      if (in_y < 0 || in_y >= job->in.height) continue;
      for (int64_t kx = 0; kx < wx->size; ++kx) {
        const int64_t offset = kx * wx->dilation - wx->pad_before;
        int64_t first, last;
        armnn_i_ref_tap_range(offset, wx->stride, job->in.width, job->out.width, &first, &last);
        if (first == last) continue;
        add_row(weights[ky * job->weight_y + kx * job->weight_x],
                plane + in_y * job->in.stride_y + offset + first * wx->stride, wx->stride,
                last - first, out + first);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

/* Items are output rows of one block of channels; loops: ky, kx, x, channel. */
static armnn_status_t rows_nhwc(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const armnn_i_ref_channelwise_t* job = (const armnn_i_ref_channelwise_t*)argument;
  const armnn_i_ref_window_t *wy = &job->window_y, *wx = &job->window_x;
  const int64_t blocks = (int64_t)armnn_div_up((uint64_t)job->out.channels, BLOCK);
  if (armnn_i_ref_cancelled(job->call)) return ARMNN_STATUS_OK;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t channel = item % blocks * BLOCK;
    const int64_t y = item / blocks % job->out.height;
    const int64_t batch = item / blocks / job->out.height;
    const int64_t count = job->out.channels - channel < BLOCK ? job->out.channels - channel : BLOCK;
    const float* image = job->input + batch * job->in.stride_batch;
    float* out = job->output + batch * job->out.stride_batch + y * job->out.stride_y + channel;
    int32_t source[BLOCK]; /* input channel of each output channel */
    float w[BLOCK];
    for (int64_t c = 0; c < count; ++c) source[c] = (int32_t)((channel + c) / job->multiplier);
    for (int64_t x = 0; x < job->out.width; ++x) {
      float* restrict pixel = out + x * job->out.stride_x;
      for (int64_t c = 0; c < count; ++c) {
        pixel[c] = job->bias != NULL ? job->bias[channel + c] : 0.0f;
      }
    }
    for (int64_t ky = 0; ky < wy->size; ++ky) {
      const int64_t in_y = y * wy->stride + ky * wy->dilation - wy->pad_before;
      if (in_y < 0 || in_y >= job->in.height) continue;
      for (int64_t kx = 0; kx < wx->size; ++kx) {
        const int64_t offset = kx * wx->dilation - wx->pad_before;
        const float* tap = job->weights + ky * job->weight_y + kx * job->weight_x;
        for (int64_t c = 0; c < count; ++c) w[c] = tap[(channel + c) * job->weight_channel];
        int64_t first, last;
        armnn_i_ref_tap_range(offset, wx->stride, job->in.width, job->out.width, &first, &last);
        for (int64_t x = first; x < last; ++x) {
          const float* restrict in =
              image + in_y * job->in.stride_y + (x * wx->stride + offset) * job->in.stride_x;
          float* restrict pixel = out + x * job->out.stride_x;
          if (job->multiplier == 1) {
            for (int64_t c = 0; c < count; ++c) pixel[c] += w[c] * in[channel + c];
          } else {
            for (int64_t c = 0; c < count; ++c) pixel[c] += w[c] * in[source[c]];
          }
        }
      }
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_channelwise_run(armnn_i_ref_channelwise_t* job, armnn_error_t* error) {
  const uint64_t taps = (uint64_t)(job->window_y.size * job->window_x.size);
  const uint64_t rows = (uint64_t)(job->out.batch * job->out.height);
  if (!job->out.channel_last) {
    return armnn_i_ref_run(job->call, rows_nchw, job, rows * (uint64_t)job->out.channels,
                           taps * (uint64_t)job->out.width, error);
  }
  const uint64_t blocks = armnn_div_up((uint64_t)job->out.channels, BLOCK);
  return armnn_i_ref_run(job->call, rows_nhwc, job, rows * blocks,
                         taps * (uint64_t)job->out.width * BLOCK, error);
}
