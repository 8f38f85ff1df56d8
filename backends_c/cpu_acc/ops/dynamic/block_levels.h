/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * block_levels.h - numbers of weights that are quantised in blocks, one by one: for packing.
 */
#ifndef ARMNN_CPU_ACC_BLOCK_LEVELS_H_
#define ARMNN_CPU_ACC_BLOCK_LEVELS_H_

#include "ops/op_base.h"

static inline bool armnn_i_acc_are_halves(int32_t type) {
  return type == ARMNN_DATA_TYPE_QASYMM_S4 || type == ARMNN_DATA_TYPE_QASYMM_U4;
}

/* How numbers of |type| are moved so that they begin at 0. */
static inline uint8_t armnn_i_acc_level_flip(int32_t type) {
  return type == ARMNN_DATA_TYPE_QASYMM_S4 ? 8 : type == ARMNN_DATA_TYPE_QASYMM_S8 ? 0x80 : 0;
}

/* Number |at| of |data|, moved so. */
static inline uint8_t armnn_i_acc_block_level(int32_t type, const void* data, int64_t at) {
  const uint8_t* bytes = (const uint8_t*)data;
  const uint8_t flip = armnn_i_acc_level_flip(type);
  if (!armnn_i_acc_are_halves(type)) return bytes[at] ^ flip;
  return (uint8_t)((bytes[at / 2] >> (at % 2 * 4)) & 15) ^ flip;
}

static inline int64_t armnn_i_acc_block_count(const armnn_i_acc_blocks_t* blocks) {
  return armnn_i_acc_ceil_div(blocks->size, blocks->block);
}

#endif /* ARMNN_CPU_ACC_BLOCK_LEVELS_H_ */
