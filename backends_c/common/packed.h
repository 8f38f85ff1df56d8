/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * packed.h - elements of less than a byte: a row of them as bytes, and back.
 *
 * Element i of b bits lies in byte i * b / 8, from bit i * b % 8 upwards (armnn/types.h). A loop
 * over a packed tensor that is written goes to threads in stretches of whole bytes, for which
 * armnn_per_byte tells how many elements a byte holds.
 */
#ifndef ARMNN_COMMON_PACKED_H_
#define ARMNN_COMMON_PACKED_H_

#include <stdint.h>

#include "armnn/backend_kit.h"

/* Elements in a byte: 1 for types of whole bytes. */
static inline uint64_t armnn_per_byte(int32_t data_type) {
  const uint32_t bits = armnn_data_type_bits(data_type);
  return bits > 0 && bits < 8 ? 8 / bits : 1;
}

/* out[i] = the bits of element |first| + i, i < |count|. */
static inline void armnn_unpack(const void* data, uint32_t bits, uint64_t first, uint64_t count,
                                uint8_t* out) {
  const uint8_t* bytes = (const uint8_t*)data;
  const uint64_t per_byte = 8 / bits;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = first + i;
    out[i] =
        (uint8_t)(bytes[at / per_byte] >> (at % per_byte * bits)) & (uint8_t)((1u << bits) - 1);
  }
}

/* Element |first| + i = the low bits of codes[i], i < |count|, from the first to the last element:
 * what a byte has left over becomes 0. */
static inline void armnn_pack(const uint8_t* codes, uint32_t bits, uint64_t count, uint64_t first,
                              void* data) {
  uint8_t* bytes = (uint8_t*)data;
  const uint64_t per_byte = 8 / bits;
  for (uint64_t i = 0; i < count; ++i) {
    uint8_t* byte = &bytes[(first + i) / per_byte];
    const uint64_t shift = (first + i) % per_byte * bits;
    const uint32_t code = codes[i] & ((1u << bits) - 1);
    *byte = (uint8_t)((shift == 0 ? 0 : *byte) | code << shift);
  }
}

/* The number that |bits| bits of two's complement mean. */
static inline int8_t armnn_sign_extend(uint8_t code, uint32_t bits) {
  const int32_t half = 1 << (bits - 1);
  return (int8_t)((int32_t)(code ^ (uint32_t)half) - half);
}

#endif /* ARMNN_COMMON_PACKED_H_ */
