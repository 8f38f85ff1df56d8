/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_int16_depthwise.c - windows of each channel of numbers of 16 bits by itself.
 */
#include "kernels/quantized/quantized_int16.h"
#include "kernels/simd/simd_int16.h"

typedef int16_t number_t;
typedef vi_int16_bounds_t bounds_t;

ACC_INLINE bounds_t bounds_of(const armnn_i_acc_store_t* store) {
  return vi_int16_bounds(store->low, store->high);
}
ACC_INLINE void store_zipped(number_t* p, const vi_t sum[2], bounds_t bounds) {
  vi_store_zipped_int16(p, sum[0], sum[1], bounds);
}
ACC_INLINE void store_two_zipped(number_t* p, number_t* q, const vi_t a[2], const vi_t b[2],
                                 bounds_t bounds) {
  store_zipped(p, a, bounds);
  store_zipped(q, b, bounds);
}

#include "quantized_channelwise.h"

void ACC_NAME(armnn_s16_depthwise)(const job_t* job);
void ACC_NAME(armnn_s16_depthwise)(const job_t* job) { all_windows(job); }
