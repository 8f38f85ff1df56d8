/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pooling.c - POOLING2D and POOLING3D: maximum, average and root mean square of windows.
 *
 * Averages are summed in double precision. A window that sees nothing but padding gives zero, which
 * is Arm NN's convention; such windows exist where the output shape is rounded up.
 *
 * Quantised with one scale for input and output: of levels, halves of a mean away from zero, as
 * TensorFlow Lite's specification has it. Where scales differ: real arithmetic that rounds once.
 * By ARMNN_RESCALING_REAL of levels, too, rounded once, halves to even (real_rescale.h).
 */
#include <math.h>

#include "kernels.h"
#include "real_rescale.h"
#include "shared/codec.h"
#include "shared/geometry.h"
#include "shared/widened.h"
#include "shared/work.h"

enum { BLOCK = 64 };

typedef struct pooling_job_t {
  const armnn_kernel_call_t* call;
  const float* input;
  float* output;
  armnn_i_ref_volume_t in, out;
  armnn_i_ref_window_t window_z, window_y, window_x;
  int32_t algorithm, method;
  float in_scale, out_scale; /* of levels that are rescaled; else 0 */
} pooling_job_t;

/* The taps of the window at output |position| that see the input. */
static void taps_inside(const armnn_i_ref_window_t* window, int64_t position, int64_t input,
                        int64_t* out_begin, int64_t* out_end) {
  armnn_i_ref_tap_range(position * window->stride - window->pad_before, window->dilation, input,
                        window->size, out_begin, out_end);
}

/* How many taps count along one axis when an average is divided. */
static int64_t taps_counted(const armnn_i_ref_window_t* window, int64_t position, int64_t input,
                            int32_t method) {
  int64_t begin, end;
  if (method == ARMNN_PADDING_EXCLUDE) {
    taps_inside(window, position, input, &begin, &end);
  } else { /* padding counts, what lies beyond it does not */
    armnn_i_ref_tap_range(position * window->stride, window->dilation,
                          input + window->pad_before + window->pad_after, window->size, &begin,
                          &end);
  }
  return end - begin;
}

/* Accumulators of up to BLOCK neighbouring windows. */
typedef struct seen_t {
  float maximum[BLOCK];
  double sum[BLOCK];
} seen_t;

static void reset(int32_t algorithm, seen_t* seen) {
  for (int i = 0; i < BLOCK; ++i) {
    if (algorithm == ARMNN_POOLING_MAX) seen->maximum[i] = -INFINITY;
    if (algorithm != ARMNN_POOLING_MAX) seen->sum[i] = 0.0;
  }
}

static void take_maximum(const float* in, int64_t stride, int64_t count, float* maximum) {
  for (int64_t i = 0; i < count; ++i) {
    const float v = in[i * stride]; /* NaN wins and stays */
    maximum[i] = v > maximum[i] || v != v ? v : maximum[i];
  }
}

/* Window i of |count| sees in[i * stride]. */
static void take(int32_t algorithm, const float* in, int64_t stride, int64_t count, float* maximum,
                 double* sum) {
  if (algorithm == ARMNN_POOLING_MAX) {
    if (stride == 1) {
      take_maximum(in, 1, count, maximum); /* inlined with a constant stride: vectors */
    } else if (stride == 2) {
      take_maximum(in, 2, count, maximum);
    } else {
      take_maximum(in, stride, count, maximum);
    }
  } else if (algorithm == ARMNN_POOLING_AVERAGE) {
    for (int64_t i = 0; i < count; ++i) sum[i] += in[i * stride];
  } else {
    for (int64_t i = 0; i < count; ++i) sum[i] += (double)in[i * stride] * in[i * stride];
  }
}

/* A level of the output as a real number. */
static float rescaled(const pooling_job_t* job, float maximum, double sum, int64_t counted) {
  const float from = job->in_scale, to = job->out_scale;
  if (job->algorithm == ARMNN_POOLING_MAX) {
    return (float)armnn_rescaled_mean((int64_t)maximum, 1.0, from, to);
  }
  if (job->algorithm == ARMNN_POOLING_AVERAGE) {
    return (float)armnn_rescaled_mean((int64_t)sum, (double)counted, from, to);
  }
  return (float)armnn_nearest_level((double)from * sqrt(sum / (double)counted) / (double)to);
}

/* |inside|: taps that saw the input; |counted|: the divisor. */
static float result(const pooling_job_t* job, float maximum, double sum, int64_t inside,
                    int64_t counted) {
  if (inside == 0) return 0.0f;
  if (job->in_scale > 0.0f) return rescaled(job, maximum, sum, counted);
  if (job->algorithm == ARMNN_POOLING_MAX) return maximum;
  const double mean = sum / (double)counted;
  return (float)(job->algorithm == ARMNN_POOLING_L2 ? sqrt(mean) : mean);
}

/* One row of windows over one input row of one channel: windows [x, x + count). Many windows: tap
 * by tap along the row. Few windows (global pooling): window by window along its taps. */
static void take_row(const pooling_job_t* job, const float* row, int64_t x, int64_t count,
                     seen_t* seen) {
  const armnn_i_ref_window_t* wx = &job->window_x;
  const int64_t start = x * wx->stride - wx->pad_before, width = job->in.image.width;
  int64_t first, last;
  if (count < 4 && job->algorithm != ARMNN_POOLING_MAX) {
    for (int64_t i = 0; i < count; ++i) {
      taps_inside(wx, x + i, width, &first, &last);
      const float* in = row + start + i * wx->stride;
      double sum = 0.0;
      for (int64_t k = first; k < last; ++k) {
        const double v = in[k * wx->dilation];
        sum += job->algorithm == ARMNN_POOLING_L2 ? v * v : v;
      }
      seen->sum[i] += sum;
    }
    return;
  }
  /* The last window reaches the input with the earliest tap, the first window with the latest. */
  int64_t ignored, kx_begin, kx_end;
  taps_inside(wx, x + count - 1, width, &kx_begin, &ignored);
  taps_inside(wx, x, width, &ignored, &kx_end);
  for (int64_t kx = kx_begin; kx < kx_end; ++kx) {
    const int64_t offset = start + kx * wx->dilation;
    armnn_i_ref_tap_range(offset, wx->stride, width, count, &first, &last);
    if (first == last) continue;
    take(job->algorithm, row + offset + first * wx->stride, wx->stride, last - first,
         seen->maximum + first, seen->sum + first);
  }
}

/* Items are output rows of one channel. */
static armnn_status_t pool_channels_first(void* argument, uint64_t begin, uint64_t end,
                                          uint32_t thread_index) {
  (void)thread_index;
  const pooling_job_t* job = (const pooling_job_t*)argument;
  const armnn_i_ref_window_t *wz = &job->window_z, *wy = &job->window_y, *wx = &job->window_x;
  const armnn_i_ref_image_t *in_image = &job->in.image, *out_image = &job->out.image;
  seen_t seen;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t y = item % out_image->height;
    const int64_t z = item / out_image->height % job->out.depth;
    const float* channel =
        job->input + item / out_image->height / job->out.depth * in_image->stride_channel;
    float* out = job->output + item * out_image->width;
    int64_t kz_begin, kz_end, ky_begin, ky_end;
    taps_inside(wz, z, job->in.depth, &kz_begin, &kz_end);
    taps_inside(wy, y, in_image->height, &ky_begin, &ky_end);
    const int64_t counted = taps_counted(wz, z, job->in.depth, job->method) *
                            taps_counted(wy, y, in_image->height, job->method);
    for (int64_t x = 0; x < out_image->width; x += BLOCK) {
      const int64_t count = out_image->width - x < BLOCK ? out_image->width - x : BLOCK;
      reset(job->algorithm, &seen);
      for (int64_t kz = kz_begin; kz < kz_end; ++kz) {
        const int64_t in_z = z * wz->stride - wz->pad_before + kz * wz->dilation;
        for (int64_t ky = ky_begin; ky < ky_end; ++ky) {
          const int64_t in_y = y * wy->stride - wy->pad_before + ky * wy->dilation;
          take_row(job, channel + in_z * job->in.stride_z + in_y * in_image->stride_y, x, count,
                   &seen);
        }
      }
      for (int64_t i = 0; i < count; ++i) {
        int64_t first, last;
        taps_inside(wx, x + i, in_image->width, &first, &last);
        out[x + i] = result(job, seen.maximum[i], seen.sum[i],
                            (last - first) * (ky_end - ky_begin) * (kz_end - kz_begin),
                            counted * taps_counted(wx, x + i, in_image->width, job->method));
      }
    }
  }
  return ARMNN_STATUS_OK;
}

/* The taps of one pixel's window: channels [channel, channel + count) of each. */
static void take_window(const pooling_job_t* job, const float* pixels, const int64_t place[3],
                        const int64_t taps_begin[3], const int64_t taps_end[3], int64_t count,
                        seen_t* seen) {
  const armnn_i_ref_window_t *wz = &job->window_z, *wy = &job->window_y, *wx = &job->window_x;
  for (int64_t kz = taps_begin[0]; kz < taps_end[0]; ++kz) {
    const int64_t in_z = place[0] * wz->stride - wz->pad_before + kz * wz->dilation;
    for (int64_t ky = taps_begin[1]; ky < taps_end[1]; ++ky) {
      const int64_t in_y = place[1] * wy->stride - wy->pad_before + ky * wy->dilation;
      const float* row = pixels + in_z * job->in.stride_z + in_y * job->in.image.stride_y;
      for (int64_t kx = taps_begin[2]; kx < taps_end[2]; ++kx) {
        const int64_t in_x = place[2] * wx->stride - wx->pad_before + kx * wx->dilation;
        take(job->algorithm, row + in_x * job->in.image.stride_x, 1, count, seen->maximum,
             seen->sum);
      }
    }
  }
}

/* Items are output pixels; inside: channels in blocks, taps, channel. */
static armnn_status_t pool_channels_last(void* argument, uint64_t begin, uint64_t end,
                                         uint32_t thread_index) {
  (void)thread_index;
  const pooling_job_t* job = (const pooling_job_t*)argument;
  const armnn_i_ref_window_t* const windows[3] = {&job->window_z, &job->window_y, &job->window_x};
  const int64_t in_sides[3] = {job->in.depth, job->in.image.height, job->in.image.width};
  const int64_t out_sides[3] = {job->out.depth, job->out.image.height, job->out.image.width};
  const int64_t channels = job->out.image.channels;
  seen_t seen;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    int64_t place[3], taps_begin[3], taps_end[3], counted = 1, inside = 1, rest = item;
    for (int d = 2; d >= 0; --d, rest /= out_sides[d + 1]) {
      place[d] = rest % out_sides[d];
      taps_inside(windows[d], place[d], in_sides[d], &taps_begin[d], &taps_end[d]);
      counted *= taps_counted(windows[d], place[d], in_sides[d], job->method);
      inside *= taps_end[d] - taps_begin[d];
    }
    const float* pixels = job->input + rest * job->in.image.stride_batch;
    float* out = job->output + item * channels;
    for (int64_t channel = 0; channel < channels; channel += BLOCK) {
      const int64_t count = channels - channel < BLOCK ? channels - channel : BLOCK;
      reset(job->algorithm, &seen);
      take_window(job, pixels + channel, place, taps_begin, taps_end, count, &seen);
      for (int64_t i = 0; i < count; ++i) {
        out[channel + i] = result(job, seen.maximum[i], seen.sum[i], inside, counted);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t run(const armnn_kernel_call_t* call, pooling_job_t* job,
                          armnn_error_t* error) {
  const armnn_i_ref_image_t* out = &job->out.image;
  const uint64_t taps = (uint64_t)(job->window_z.size * job->window_y.size * job->window_x.size);
  const uint64_t rows = (uint64_t)(out->batch * job->out.depth * out->height);
  job->call = call;
  job->input = ARMNN_IN(call, 0, float);
  job->output = ARMNN_OUT(call, 0, float);
  if (out->channel_last) {
    return armnn_i_ref_run(call, pool_channels_last, job, rows * (uint64_t)out->width,
                           taps * (uint64_t)out->channels, error);
  }
  return armnn_i_ref_run(call, pool_channels_first, job, rows * (uint64_t)out->channels,
                         taps * (uint64_t)out->width, error);
}

/* Whether levels of one scale become those of another, with the roundings of real arithmetic. */
static int is_rescaled(const armnn_kernel_call_t* call) {
  return ARMNN_DESCRIPTOR(call->info, armnn_pooling2d_descriptor_t)->rescaling ==
             ARMNN_RESCALING_REAL &&
         ARMNN_IN_INFO(call, 0)->quantization_count == 1 &&
         ARMNN_OUT_INFO(call, 0)->quantization_count == 1;
}

armnn_status_t armnn_f32_pooling2d__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_pooling2d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_pooling2d_descriptor_t);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  pooling_job_t job = {
      .in = armnn_i_ref_plane(armnn_i_ref_image(ARMNN_IN_INFO(call, 0), d->data_layout)),
      .out = armnn_i_ref_plane(armnn_i_ref_image(ARMNN_OUT_INFO(call, 0), d->data_layout)),
      .window_z = ARMNN_REF_ONE_IMAGE,
      .window_y = armnn_i_ref_dilated(ARMNN_REF_WINDOW_Y(d, d->pool_height)),
      .window_x = armnn_i_ref_dilated(ARMNN_REF_WINDOW_X(d, d->pool_width)),
      .algorithm = d->pool_type,
      .method = d->padding_method};
  if (is_rescaled(call)) {
    job.in_scale = ARMNN_IN_INFO(call, 0)->scales[0];
    job.out_scale = ARMNN_OUT_INFO(call, 0)->scales[0];
  }
  return run(call, &job, error);
}

armnn_status_t armnn_f32_pooling3d__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_pooling3d_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_pooling3d_descriptor_t);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  pooling_job_t job = {.in = armnn_i_ref_volume(ARMNN_IN_INFO(call, 0), d->data_layout),
                       .out = armnn_i_ref_volume(ARMNN_OUT_INFO(call, 0), d->data_layout),
                       .window_z = {d->pool_depth, d->stride_z, 1, d->pad_front, d->pad_back},
                       .window_y = {d->pool_height, d->stride_y, 1, d->pad_top, d->pad_bottom},
                       .window_x = {d->pool_width, d->stride_x, 1, d->pad_left, d->pad_right},
                       .algorithm = d->pool_type,
                       .method = d->padding_method};
  return run(call, &job, error);
}

/* Quantised with one scale for input and output: of levels. */
static armnn_status_t run_decoded(const armnn_kernel_call_t* call, armnn_kernel_execute_fn_t kernel,
                                  armnn_error_t* error) {
  const armnn_tensor_info_t *in = ARMNN_IN_INFO(call, 0), *out = ARMNN_OUT_INFO(call, 0);
  if (armnn_data_type_is_quantized(in->data_type) && armnn_i_ref_same_quantization(in, out)) {
    return armnn_i_ref_widened_levels(call, kernel, error);
  }
  return armnn_i_ref_widened(call, kernel, error);
}

armnn_status_t armnn_any_pooling2d__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  if (is_rescaled(call)) return armnn_i_ref_widened_levels(call, armnn_f32_pooling2d__ref, error);
  return run_decoded(call, armnn_f32_pooling2d__ref, error);
}

armnn_status_t armnn_any_pooling3d__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return run_decoded(call, armnn_f32_pooling3d__ref, error);
}
