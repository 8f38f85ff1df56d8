/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_store.h - the end of kernels that sum up products: sums of channels become stored
 * numbers.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_STORE_H_
#define ARMNN_CPU_ACC_QUANTIZED_STORE_H_

#include "kernels/quantized/quantized.h"
#include "kernels/simd/simd_levels.h"

#if defined(__AVX512F__)
#include "quantized_scale_avx512.h"
#else

/* What a vector of channels has of its own. */
typedef struct channels_t {
  vi_t multiplier, right, half, left;
} channels_t;

/* Of the channels whose arrays begin at |arrays|, |width| channels each. |FLAGS| are constant where
 * this is used. */
ACC_INLINE channels_t load_channels(const int32_t* arrays, ptrdiff_t width, const uint32_t FLAGS) {
  if ((FLAGS & ARMNN_ACC_SCALE_REAL) != 0) {
    const vi_t low = vi_load(arrays + ARMNN_ACC_CHANNEL_MULTIPLIER * width);
    const vi_t high = vi_load(arrays + ARMNN_ACC_CHANNEL_RIGHT * width);
    return (channels_t){.multiplier = vi_join_low(low, high), .right = vi_join_high(low, high)};
  }
  return (channels_t){vi_load(arrays + ARMNN_ACC_CHANNEL_MULTIPLIER * width),
                      vi_load(arrays + ARMNN_ACC_CHANNEL_RIGHT * width),
                      vi_load(arrays + ARMNN_ACC_CHANNEL_HALF * width),
                      vi_load(arrays + ARMNN_ACC_CHANNEL_LEFT * width)};
}

ACC_INLINE vi_t scaled(vi_t sum, const channels_t* c, const uint32_t FLAGS) {
  if ((FLAGS & ARMNN_ACC_SCALE_REAL) != 0) return vi_scale_real(sum, c->multiplier, c->right);
  if ((FLAGS & ARMNN_ACC_SCALE_ONCE) != 0) return vi_scale_once(sum, c->multiplier, c->right);
  if ((FLAGS & ARMNN_ACC_SCALE_POSITIVE) != 0) {
    return vi_scale_positive(sum, c->multiplier, c->right, c->half);
  }
  if ((FLAGS & ARMNN_ACC_SCALE_EXACT) == 0) {
    return vi_scale_twice(sum, c->multiplier, c->right, c->half, 0);
  }
  return vi_scale_twice(vi_shift_left_by(sum, c->left), c->multiplier, c->right, c->half, 1);
}

#endif

/* CALL with the flags of |store| as a constant. */
#define WITH_FLAGS(store, CALL)                                   \
  do {                                                            \
    if (((store).flags & ARMNN_ACC_SCALE_REAL) != 0) {            \
      CALL(ARMNN_ACC_SCALE_REAL);                                 \
    } else if (((store).flags & ARMNN_ACC_SCALE_ONCE) != 0) {     \
      CALL(ARMNN_ACC_SCALE_ONCE);                                 \
    } else if (((store).flags & ARMNN_ACC_SCALE_EXACT) != 0) {    \
      CALL(ARMNN_ACC_SCALE_EXACT);                                \
    } else if (((store).flags & ARMNN_ACC_SCALE_POSITIVE) != 0) { \
      CALL(ARMNN_ACC_SCALE_POSITIVE);                             \
    } else {                                                      \
      CALL(0);                                                    \
    }                                                             \
  } while (0)

#endif /* ARMNN_CPU_ACC_QUANTIZED_STORE_H_ */
