/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_levels.c - images of stored numbers become lines of levels, or of bytes. Padding is the
 * zero point: a level of 0.
 */
#include "quantized_pack.h"

bool armnn_i_acc_weights_fit_bytes(const armnn_i_acc_quantized_convolution_t* what) {
  if (what->weight_zero_points == NULL) return what->saved_fit_bytes;
  if (what->is_wide) return false;
  const int64_t* dims = what->weights.dims;
  for (int64_t o = 0; o < dims[0]; ++o) {
    const bool as_stored =
        what->weight_zero_points[o] == 0 && what->weights.element.type != ARMNN_DATA_TYPE_QASYMM_U8;
    for (int64_t at = 0; at < dims[1] * dims[2] * dims[3] && !as_stored; ++at) {
      const int16_t level = armnn_i_acc_weight_level(what, o, at / dims[3] / dims[2],
                                                     at / dims[3] % dims[2], at % dims[3]);
      if (level < INT8_MIN || level > INT8_MAX) return false;
    }
  }
  return true;
}

armnn_i_acc_lines_t armnn_i_acc_lines(const armnn_i_acc_quantized_convolution_t* what,
                                      const armnn_i_acc_quantized_kernels_t* kernels,
                                      int64_t channels, int64_t width) {
  const armnn_i_acc_element_t element = what->input.element;
  const bool is_int16 = armnn_i_acc_is_int16(element.type);
  const bool is_signed = element.type != ARMNN_DATA_TYPE_QASYMM_U8 && !is_int16;
  return (armnn_i_acc_lines_t){
      .input = what->input,
      .read = is_int16 ? kernels->int16->products->read : kernels->levels,
      .channels = channels,
      .width = width,
      .pixels =
          (what->output.dims[2] - 1) * what->stride_x + (what->kernel_x - 1) * what->dilation_x + 1,
      .pad_top = what->pad_top,
      .pad_left = what->pad_left,
      .bytes = sizeof(int16_t),
      .flip = is_signed ? 0x80 : 0,
      .zero = (int16_t)(element.zero_point + (is_signed ? 0x80 : 0)),
  };
}

armnn_i_acc_lines_t armnn_i_acc_byte_lines(const armnn_i_acc_quantized_convolution_t* what,
                                           const armnn_i_acc_quantized_kernels_t* kernels,
                                           int64_t channels, int64_t width) {
  armnn_i_acc_lines_t lines = armnn_i_acc_lines(what, kernels, channels, width);
  lines.read = kernels->bytes->read;
  lines.bytes = 1;
  lines.flip ^= kernels->byte_sign;
  lines.zero = (int16_t)(lines.zero - kernels->byte_sign);
  return lines;
}

void armnn_i_acc_pixel_levels(const armnn_i_acc_lines_t* lines, const uint8_t* input, int64_t count,
                              void* numbers) {
  const armnn_i_acc_levels_of_t job = {
      .input = input,
      .input_step = lines->input.strides[2],
      .output = numbers,
      .pixels = (size_t)count,
      .channels = (size_t)lines->channels,
      .width = (size_t)lines->width,
      .flip = lines->flip,
      .offset = lines->zero,
  };
  lines->read(&job);
}

static void padding(const armnn_i_acc_lines_t* lines, int64_t pixels, void* numbers) {
  const int byte = lines->bytes == 1 ? (uint8_t)lines->zero : 0;
  memset(numbers, byte, (size_t)(pixels * lines->width) * lines->bytes);
}

/* The pixels of a line that lie in the image are |begin| to |end|, by the image's numbers. */
static void one_line(const armnn_i_acc_lines_t* lines, const uint8_t* line, char* numbers) {
  const int64_t first = -lines->pad_left, all = lines->pixels, size = lines->input.dims[2];
  const int64_t begin = first < 0 ? 0 : first, pixel = lines->width * lines->bytes;
  const int64_t end = first + all < size ? first + all : size;
  if (end <= begin) {
    padding(lines, all, numbers);
    return;
  }
  padding(lines, begin - first, numbers);
  armnn_i_acc_pixel_levels(lines, line + begin * lines->input.strides[2], end - begin,
                           numbers + (begin - first) * pixel);
  padding(lines, first + all - end, numbers + (end - first) * pixel);
}

void armnn_i_acc_line_levels(const armnn_i_acc_lines_t* lines, const uint8_t* image, int64_t y,
                             int64_t count, void* numbers) {
  char* line = (char*)numbers;
  for (int64_t i = 0; i < count; ++i, line += lines->pixels * lines->width * lines->bytes) {
    const int64_t at = y + i - lines->pad_top;
    if (at < 0 || at >= lines->input.dims[1]) {
      padding(lines, lines->pixels, line);
    } else {
      one_line(lines, image + at * lines->input.strides[1], line);
    }
  }
}
