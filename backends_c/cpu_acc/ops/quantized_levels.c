/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_levels.c - images of stored numbers become lines of levels. Padding is a level of 0:
 * the zero point.
 */
#include "quantized_pack.h"

armnn_i_acc_lines_t armnn_i_acc_lines(const armnn_i_acc_quantized_convolution_t* what,
                                      const armnn_i_acc_quantized_kernels_t* kernels,
                                      int64_t channels, int64_t width) {
  return (armnn_i_acc_lines_t){
      .input = what->input,
      .kernels = kernels,
      .channels = channels,
      .width = width,
      .pixels =
          (what->output.dims[2] - 1) * what->stride_x + (what->kernel_x - 1) * what->dilation_x + 1,
      .pad_top = what->pad_top,
      .pad_left = what->pad_left,
  };
}

void armnn_i_acc_pixel_levels(const armnn_i_acc_lines_t* lines, const uint8_t* input, int64_t count,
                              int16_t* levels) {
  const armnn_i_acc_element_t element = lines->input.element;
  const bool is_signed = element.type != ARMNN_DATA_TYPE_QASYMM_U8;
  const armnn_i_acc_levels_of_t job = {
      .input = input,
      .input_step = lines->input.strides[2],
      .output = levels,
      .pixels = (size_t)count,
      .channels = (size_t)lines->channels,
      .width = (size_t)lines->width,
      .flip = is_signed ? 0x80 : 0,
      .offset = (int16_t)(element.zero_point + (is_signed ? 0x80 : 0)),
  };
  lines->kernels->levels(&job);
}

static void zeros(const armnn_i_acc_lines_t* lines, int64_t pixels, int16_t* levels) {
  memset(levels, 0, (size_t)(pixels * lines->width) * sizeof *levels);
}

/* The pixels of a line that lie in the image are |begin| to |end|, by the image's numbers. */
static void one_line(const armnn_i_acc_lines_t* lines, const uint8_t* line, int16_t* levels) {
  const int64_t first = -lines->pad_left, all = lines->pixels, size = lines->input.dims[2];
  const int64_t begin = first < 0 ? 0 : first;
  const int64_t end = first + all < size ? first + all : size;
  if (end <= begin) {
    zeros(lines, all, levels);
    return;
  }
  zeros(lines, begin - first, levels);
  armnn_i_acc_pixel_levels(lines, line + begin * lines->input.strides[2], end - begin,
                           levels + (begin - first) * lines->width);
  zeros(lines, first + all - end, levels + (end - first) * lines->width);
}

void armnn_i_acc_line_levels(const armnn_i_acc_lines_t* lines, const uint8_t* image, int64_t y,
                             int64_t count, int16_t* levels) {
  for (int64_t i = 0; i < count; ++i, levels += lines->pixels * lines->width) {
    const int64_t at = y + i - lines->pad_top;
    if (at < 0 || at >= lines->input.dims[1]) {
      zeros(lines, lines->pixels, levels);
    } else {
      one_line(lines, image + at * lines->input.strides[1], levels);
    }
  }
}
