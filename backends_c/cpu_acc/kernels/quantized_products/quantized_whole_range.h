/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_whole_range.h - rows of sums become bytes where bounds are those of the type, as they
 * are without an activation function and behind most ReLUs: part of quantized_tile.h.
 *
 * Saturation bounds them by itself then, and a zero point that is the least number of the type,
 * as behind a ReLU, adds nothing: of the twelve instructions of two rows these are two to five.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_WHOLE_RANGE_H_
#define ARMNN_CPU_ACC_QUANTIZED_WHOLE_RANGE_H_

#include "kernels/quantized/quantized.h"
#include "kernels/simd/simd_levels.h"

/* What is left out. */
typedef enum range_e { RANGE_BOUNDED, RANGE_WHOLE, RANGE_WHOLE_FROM_ZERO_POINT } range_e;

ACC_INLINE range_e range_of(const armnn_i_acc_store_t* store) {
#if defined(__AVX512F__)
  const int32_t least = store->low < 0 ? -128 : 0;
  if (store->low != least || store->high != least + 255) return RANGE_BOUNDED;
  return store->zero_point == least ? RANGE_WHOLE_FROM_ZERO_POINT : RANGE_WHOLE;
#else
  (void)store;
  return RANGE_BOUNDED;
#endif
}

/* Two rows of neighbouring channels. */
ACC_INLINE void store_two_rows(uint8_t* p, uint8_t* q, const vi_t a[2], const vi_t b[2],
                               const vi_bounds_t* bounds, const range_e RANGE,
                               const bool IS_SIGNED) {
#if defined(__AVX512F__)
  if (RANGE != RANGE_BOUNDED) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i left = _mm512_packs_epi32(a[0], a[1]), right = _mm512_packs_epi32(b[0], b[1]);
    if (RANGE == RANGE_WHOLE) {
      left = _mm512_adds_epi16(left, bounds->zero_point);
      right = _mm512_adds_epi16(right, bounds->zero_point);
    }
    __m512i bytes = _mm512_packus_epi16(left, right);
    if (IS_SIGNED) bytes = _mm512_xor_si512(bytes, bounds->flip);
    vi_store_halves(p, q, _mm512_permutexvar_epi32(order, bytes));
    return;
  }
#endif
  (void)RANGE, (void)IS_SIGNED;
  vi_store_two_rows(p, q, a, b, *bounds);
}

/* CALL with |range| and whether numbers are signed as constants. */
#define WITH_RANGE(range, is_signed, CALL)              \
  do {                                                  \
    if ((range) == RANGE_BOUNDED) {                     \
      CALL(RANGE_BOUNDED, false);                       \
    } else if ((range) == RANGE_WHOLE && (is_signed)) { \
      CALL(RANGE_WHOLE, true);                          \
    } else if ((range) == RANGE_WHOLE) {                \
      CALL(RANGE_WHOLE, false);                         \
    } else if (is_signed) {                             \
      CALL(RANGE_WHOLE_FROM_ZERO_POINT, true);          \
    } else {                                            \
      CALL(RANGE_WHOLE_FROM_ZERO_POINT, false);         \
    }                                                   \
  } while (0)

#endif /* ARMNN_CPU_ACC_QUANTIZED_WHOLE_RANGE_H_ */
