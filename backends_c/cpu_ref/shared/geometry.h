/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * geometry.h - images in both layouts, and windows that slide over them.
 */
#ifndef ARMNN_CPU_REF_GEOMETRY_H_
#define ARMNN_CPU_REF_GEOMETRY_H_

#include "armnn/backend_kit.h"
#include "int_math.h"

/* ---- Images ---------------------------------------------------------------------------------- */

/* Sides and strides (in elements) of a rank-4 tensor, whatever its layout. */
typedef struct armnn_i_ref_image_t {
  int64_t batch, channels, height, width;
  int64_t stride_batch, stride_channel, stride_y, stride_x;
  int channel_last; /* not the same as stride_channel == 1: think of one pixel in NCHW */
} armnn_i_ref_image_t;

static inline armnn_i_ref_image_t armnn_i_ref_image(const armnn_tensor_info_t* info,
                                                    int32_t data_layout) {
  armnn_i_ref_image_t image;
  const uint64_t* dims = info->dims;
  const int last = data_layout == ARMNN_DATA_LAYOUT_NHWC;
  image.channel_last = last;
  image.batch = (int64_t)dims[0];
  image.channels = (int64_t)dims[last ? 3 : 1];
  image.height = (int64_t)dims[last ? 1 : 2];
  image.width = (int64_t)dims[last ? 2 : 3];
  image.stride_batch = image.channels * image.height * image.width;
  image.stride_channel = last ? 1 : image.height * image.width;
  image.stride_y = last ? image.width * image.channels : image.width;
  image.stride_x = last ? image.channels : 1;
  return image;
}

/* A rank-5 tensor: images |stride_z| elements apart. The strides of |image| are those of the whole.
 */
typedef struct armnn_i_ref_volume_t {
  armnn_i_ref_image_t image;
  int64_t depth, stride_z;
} armnn_i_ref_volume_t;

static inline armnn_i_ref_volume_t armnn_i_ref_volume(const armnn_tensor_info_t* info,
                                                      int32_t data_layout) {
  armnn_i_ref_volume_t volume;
  armnn_i_ref_image_t* image = &volume.image;
  const uint64_t* dims = info->dims;
  const int last = data_layout == ARMNN_DATA_LAYOUT_NDHWC;
  image->channel_last = last;
  image->batch = (int64_t)dims[0];
  image->channels = (int64_t)dims[last ? 4 : 1];
  volume.depth = (int64_t)dims[last ? 1 : 2];
  image->height = (int64_t)dims[last ? 2 : 3];
  image->width = (int64_t)dims[last ? 3 : 4];
  image->stride_x = last ? image->channels : 1;
  image->stride_y = image->width * image->stride_x;
  volume.stride_z = image->height * image->stride_y;
  image->stride_channel = last ? 1 : volume.depth * volume.stride_z;
  image->stride_batch = image->channels * volume.depth * image->height * image->width;
  return volume;
}

/* An image as a volume of one. */
static inline armnn_i_ref_volume_t armnn_i_ref_plane(armnn_i_ref_image_t image) {
  return (armnn_i_ref_volume_t){image, 1, 0};
}

/* ---- Windows --------------------------------------------------------------------------------- */

/* One axis of a sliding window: output o reads input o * stride + tap * dilation - pad_before. */
typedef struct armnn_i_ref_window_t {
  int64_t size, stride, dilation, pad_before, pad_after;
} armnn_i_ref_window_t;

/* The windows of descriptor |d|, of whatever type: they all name their members alike. */
#define ARMNN_REF_WINDOW_Z(d, size) \
  ((armnn_i_ref_window_t){(size), (d)->stride_z, (d)->dilation_z, (d)->pad_front, (d)->pad_back})
#define ARMNN_REF_WINDOW_Y(d, size) \
  ((armnn_i_ref_window_t){(size), (d)->stride_y, (d)->dilation_y, (d)->pad_top, (d)->pad_bottom})
#define ARMNN_REF_WINDOW_X(d, size) \
  ((armnn_i_ref_window_t){(size), (d)->stride_x, (d)->dilation_x, (d)->pad_left, (d)->pad_right})

/* The third axis of a window over planes. */
#define ARMNN_REF_ONE_IMAGE ((armnn_i_ref_window_t){1, 1, 1, 0, 0})

/* For the descriptors in which a dilation of 0 means none. */
static inline armnn_i_ref_window_t armnn_i_ref_dilated(armnn_i_ref_window_t window) {
  if (window.dilation == 0) window.dilation = 1;
  return window;
}

/* The outputs [begin, end) for which o * |stride| + |offset| is an index of |input| elements. */
static inline void armnn_i_ref_tap_range(int64_t offset, int64_t stride, int64_t input,
                                         int64_t output, int64_t* out_begin, int64_t* out_end) {
  int64_t begin = 0;
  if (offset < 0)
    begin = stride == 1 ? -offset : (int64_t)armnn_div_up((uint64_t)-offset, (uint64_t)stride);
  int64_t end = input - offset;
  if (end > 0 && stride != 1) end = (int64_t)armnn_div_up((uint64_t)end, (uint64_t)stride);
  if (end > output) end = output;
  if (begin > output) begin = output;
  *out_begin = begin;
  *out_end = end > begin ? end : begin;
}

#endif /* ARMNN_CPU_REF_GEOMETRY_H_ */
