/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_store.h - the end of kernels that sum up products: sums of channels become stored
 * numbers.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_STORE_H_
#define ARMNN_CPU_ACC_QUANTIZED_STORE_H_

#include "quantized.h"
#include "simd_levels.h"

/* One vector of sums of the channels whose arrays begin at |arrays|, |width| channels each. */
ACC_INLINE vi_t stored(const armnn_i_acc_store_t* store, const int32_t* arrays, ptrdiff_t width,
                       vi_t sum) {
  const vi_t multiplier = vi_load(arrays + ARMNN_ACC_CHANNEL_MULTIPLIER * width);
  const vi_t right = vi_load(arrays + ARMNN_ACC_CHANNEL_RIGHT * width);
  const vi_t half = vi_load(arrays + ARMNN_ACC_CHANNEL_HALF * width);
  if ((store->flags & ARMNN_ACC_SCALE_ONCE) != 0) {
    sum = vi_scale_once(sum, multiplier, right);
  } else if ((store->flags & ARMNN_ACC_SCALE_EXACT) != 0) {
    sum = vi_shift_left_by(sum, vi_load(arrays + ARMNN_ACC_CHANNEL_LEFT * width));
    sum = vi_scale_twice(sum, multiplier, right, half, 1);
  } else {
    sum = vi_scale_twice(sum, multiplier, right, half, 0);
  }
  return vi_clamp(vi_add(sum, vi_set(store->zero_point)), vi_set(store->low), vi_set(store->high));
}

/* Two vectors, of which |channels| numbers are stored. */
ACC_INLINE void store_block(const armnn_i_acc_store_t* store, const int32_t* arrays,
                            ptrdiff_t width, vi_t first, vi_t second, uint8_t* out,
                            uint32_t channels) {
  first = stored(store, arrays, width, first);
  second = stored(store, arrays + VF_LANES, width, second);
  if (channels == 2 * VF_LANES) {
    vi_store_bytes(out, first, second);
    return;
  }
  uint8_t bytes[2 * VF_LANES];
  vi_store_bytes(bytes, first, second);
  for (uint32_t c = 0; c < channels; ++c) out[c] = bytes[c];
}

#endif /* ARMNN_CPU_ACC_QUANTIZED_STORE_H_ */
