/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * geometry.h - images in both layouts, windows that slide over them, and the checks of both.
 */
#ifndef ARMNN_CPU_REF_GEOMETRY_H_
#define ARMNN_CPU_REF_GEOMETRY_H_

#include "checks.h"

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

static inline armnn_status_t armnn_i_ref_check_layout(int32_t data_layout, armnn_error_t* reason) {
  if (data_layout == ARMNN_DATA_LAYOUT_NCHW || data_layout == ARMNN_DATA_LAYOUT_NHWC) {
    return ARMNN_STATUS_OK;
  }
  return ARMNN_REF_REFUSE(reason, "data layout %d is neither NCHW (1) nor NHWC (2)",
                          (int)data_layout);
}

/* A float32 tensor of four dimensions with sides that 32 bits hold. */
static inline armnn_status_t armnn_i_ref_check_rank4(const armnn_tensor_info_t* info,
                                                     const char* what, armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_tensor(info, what, ARMNN_DATA_TYPE_FLOAT32, reason));
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_rank(info, what, 4, reason));
  for (uint32_t d = 0; d < 4; ++d) {
    if (info->dims[d] > ARMNN_REF_MAX_SIDE) {
      return ARMNN_REF_REFUSE(reason, "dimension %u of %s is %llu, sides end at %llu", (unsigned)d,
                              what, (unsigned long long)info->dims[d],
                              (unsigned long long)ARMNN_REF_MAX_SIDE);
    }
  }
  return ARMNN_STATUS_OK;
}

/* Refuses unless |actual| equals |expected|: "the output has 3 channels, the weights make 4". */
static inline armnn_status_t armnn_i_ref_check_side(const char* what, const char* side,
                                                    int64_t actual, const char* why,
                                                    int64_t expected, armnn_error_t* reason) {
  if (actual == expected) return ARMNN_STATUS_OK;
  return ARMNN_REF_REFUSE(reason, "%s has %s %lld, %s %lld", what, side, (long long)actual, why,
                          (long long)expected);
}

/* ---- Windows --------------------------------------------------------------------------------- */

/* One axis of a sliding window: output o reads input o * stride + tap * dilation - pad_before. */
typedef struct armnn_i_ref_window_t {
  int64_t size, stride, dilation, pad_before, pad_after;
} armnn_i_ref_window_t;

/* The windows of descriptor |d|, of whatever type: they all name their members alike. */
#define ARMNN_REF_WINDOW_Y(d, size) \
  ((armnn_i_ref_window_t){(size), (d)->stride_y, (d)->dilation_y, (d)->pad_top, (d)->pad_bottom})
#define ARMNN_REF_WINDOW_X(d, size) \
  ((armnn_i_ref_window_t){(size), (d)->stride_x, (d)->dilation_x, (d)->pad_left, (d)->pad_right})

/* For the descriptors in which a dilation of 0 means none. */
static inline armnn_i_ref_window_t armnn_i_ref_dilated(armnn_i_ref_window_t window) {
  if (window.dilation == 0) window.dilation = 1;
  return window;
}

/* Positions of |window| on |input| elements, or -1 when there is none. |ceiling|: the last one may
 * stick out of the padded input. */
static inline int64_t armnn_i_ref_window_positions(const armnn_i_ref_window_t* window,
                                                   int64_t input, int ceiling) {
  const int64_t padded = input + window->pad_before + window->pad_after;
  const int64_t room =
      padded - 1 - (window->size - 1) * window->dilation + (ceiling ? window->stride - 1 : 0);
  return room < 0 ? -1 : room / window->stride + 1;
}

static inline armnn_status_t armnn_i_ref_check_window(const armnn_i_ref_window_t* window,
                                                      const char* axis, armnn_error_t* reason) {
  if (window->size < 1) return ARMNN_REF_REFUSE(reason, "the window's %s is 0", axis);
  if (window->size > (int64_t)ARMNN_REF_MAX_SIDE) {
    return ARMNN_REF_REFUSE(reason, "the window's %s is %lld", axis, (long long)window->size);
  }
  if (window->stride < 1) return ARMNN_REF_REFUSE(reason, "the stride along %s is 0", axis);
  if (window->dilation < 1) return ARMNN_REF_REFUSE(reason, "the dilation along %s is 0", axis);
  return ARMNN_STATUS_OK;
}

/* |output| is what the window makes of |input|, rounding down. */
static inline armnn_status_t armnn_i_ref_check_window_output(const armnn_i_ref_window_t* window,
                                                             const char* axis, int64_t input,
                                                             int64_t output,
                                                             armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_window(window, axis, reason));
  const int64_t positions = armnn_i_ref_window_positions(window, input, 0);
  if (positions < 0) {
    return ARMNN_REF_REFUSE(reason, "the window does not fit into the padded input along %s", axis);
  }
  return armnn_i_ref_check_side("the output", axis, output, "the window gives", positions, reason);
}

/* The outputs [begin, end) for which o * |stride| + |offset| is an index of |input| elements. */
static inline void armnn_i_ref_tap_range(int64_t offset, int64_t stride, int64_t input,
                                         int64_t output, int64_t* out_begin, int64_t* out_end) {
  int64_t begin = 0;
  if (offset < 0) begin = stride == 1 ? -offset : (-offset + stride - 1) / stride;
  int64_t end = input - offset;
  if (end > 0 && stride != 1) end = (end + stride - 1) / stride;
  if (end > output) end = output;
  if (begin > output) begin = output;
  *out_begin = begin;
  *out_end = end > begin ? end : begin;
}

#endif /* ARMNN_CPU_REF_GEOMETRY_H_ */
