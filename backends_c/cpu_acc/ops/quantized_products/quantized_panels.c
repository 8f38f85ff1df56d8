/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "quantized_panels.h"

#include <string.h>

/* Fewer weights are packed by one thread. */
enum { SHARED_WEIGHTS = 65536 };
/* Channels that are packed side by side: what they write is a line of the cache. */
enum { SIDE_BY_SIDE = 16 };

typedef struct packing_t {
  const armnn_i_acc_level_panels_t* of;
  int32_t* packed;
} packing_t;

/* |count| levels of channel |o|, from input |i| of tap (|y|, |x|) on; their sum. */
static inline int32_t pack_some_levels(const armnn_i_acc_quantized_convolution_t* what, int64_t o,
                                       int64_t y, int64_t x, int64_t i, int64_t count, void* to,
                                       const bool is_byte) {
  int32_t total = 0;
  for (int64_t r = 0; r < count; ++r) {
    const int16_t level = armnn_i_acc_weight_level(what, o, y, x, i + r);
    total += level;
    if (is_byte) {
      ((int8_t*)to)[r] = (int8_t)level;
    } else {
      ((int16_t*)to)[r] = level;
    }
  }
  return total;
}

/* The same for four bytes that lie side by side and have no zero point. */
static inline int32_t copy_quad(const char* from, void* to) {
  const int8_t* bytes = (const int8_t*)from;
  memcpy(to, from, 4);
  return bytes[0] + bytes[1] + bytes[2] + bytes[3];
}

/* Channels [begin, end) of a panel whose first one is channel |first|, from depth |k| of the whole
 * panel on: the levels of tap (|y|, |x|). */
static inline void pack_tap(const packing_t* self, int64_t first, int64_t begin, int64_t end,
                            int64_t k, int64_t y, int64_t x, int32_t* panel, const bool is_byte,
                            const bool by_quads) {
  const armnn_i_acc_quantized_convolution_t* what = self->of->what;
  const int64_t width = self->of->kernels->panel, group = self->of->kernels->group;
  const int64_t channels = self->of->channels;
  const int64_t* strides = what->weights.strides;
  const char* tap = (const char*)what->weights.values + y * strides[1] + x * strides[2];
  char* const weights = (char*)(panel + ARMNN_ACC_CHANNEL_ARRAYS * width);
  int32_t* const bias = panel + ARMNN_ACC_CHANNEL_BIAS * width;
  for (int64_t i = 0; i < channels;) {
    const int64_t place = (k + i) % group; /* in a group of depths, whose rest follows */
    const int64_t left = channels - i;
    const int64_t count = left < group - place ? left : group - place;
    const int64_t at = (k + i) / group * width;
    for (int64_t c = begin; c < end; ++c) {
      void* to = weights + ((at + c) * group + place) * (is_byte ? 1 : 2);
      const int32_t total = by_quads && count == 4
                                ? copy_quad(tap + (first + c) * strides[0] + i, to)
                                : pack_some_levels(what, first + c, y, x, i, count, to, is_byte);
      bias[c] = (int32_t)((uint32_t)bias[c] - (uint32_t)self->of->zero * (uint32_t)total);
    }
    i += count;
  }
}

/* Whether levels of channels [first, first + count) are the bytes that are stored, side by side. */
static bool are_bytes(const armnn_i_acc_quantized_convolution_t* what, int64_t first,
                      int64_t count) {
  if (what->weights.element.type == ARMNN_DATA_TYPE_QASYMM_U8) return false;
  if (what->weights.strides[3] != 1) return false;
  for (int64_t c = 0; c < count; ++c) {
    if (what->weight_zero_points[first + c] != 0) return false;
  }
  return true;
}

static void pack_panel(const packing_t* self, int64_t number) {
  const armnn_i_acc_level_panels_t* of = self->of;
  const armnn_i_acc_quantized_convolution_t* what = of->what;
  const int64_t width = of->kernels->panel, group = of->kernels->group;
  const int64_t begin = number % of->panels * width; /* in its group of the convolution */
  const int64_t first = number / of->panels * of->group_out + begin;
  const int64_t count = of->group_out - begin < width ? of->group_out - begin : width;
  const int64_t depths = of->tap_groups * group;
  const bool runs = what->dilation_x == 1; /* the pixels of a line are one run of depths */
  const bool by_quads = are_bytes(what, first, count);
  int32_t* const panel = self->packed + number * of->panel_size;
  for (int64_t c = 0; c < count; ++c) {
    armnn_i_acc_pack_channel(what, first + c, panel, c, width);
  }
  for (int64_t c = 0; c < count; c += SIDE_BY_SIDE) {
    const int64_t end = count - c < SIDE_BY_SIDE ? count : c + SIDE_BY_SIDE;
    for (int64_t y = 0; y < what->kernel_y; ++y) {
      for (int64_t x = 0; x < what->kernel_x; ++x) {
        const int64_t k = runs ? y * depths + x * of->channels : (y * what->kernel_x + x) * depths;
        if (of->kernels->weight_bytes != 1) {
          pack_tap(self, first, c, end, k, y, x, panel, false, false);
        } else if (by_quads) {
          pack_tap(self, first, c, end, k, y, x, panel, true, true);
        } else {
          pack_tap(self, first, c, end, k, y, x, panel, true, false);
        }
      }
    }
  }
}

static armnn_status_t pack_some(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  for (uint64_t number = begin; number < end; ++number) {
    pack_panel((const packing_t*)argument, (int64_t)number);
  }
  return ARMNN_STATUS_OK;
}

void armnn_i_acc_pack_levels(const armnn_i_acc_maker_t* maker,
                             const armnn_i_acc_level_panels_t* panels, int32_t* packed) {
  packing_t packing = {panels, packed};
  const int64_t count = panels->what->groups * panels->panels;
  const armnn_i_acc_run_t run = {.host = maker->host, .max_threads = maker->max_threads};
  armnn_i_acc_parallel(&run, pack_some, &packing, (uint64_t)count, 1,
                       count * panels->panel_size < SHARED_WEIGHTS ? 1 : maker->max_threads);
}
