/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "packs.h"

#include <stdlib.h>

#include "shared_weights.h"

void armnn_i_acc_packs_clear(armnn_i_acc_packs_t* packs) {
  for (uint32_t i = 0; i < packs->count && !packs->supplies; ++i) {
    armnn_i_acc_release_weights((void*)(uintptr_t)packs->items[i].data);
  }
  if (!packs->supplies) packs->count = 0;
}

void armnn_i_acc_packs_free(armnn_i_acc_packs_t* packs) {
  armnn_i_acc_packs_clear(packs);
  free(packs->items);
  *packs = (armnn_i_acc_packs_t){0};
}

static void note(armnn_i_acc_packs_t* packs, const armnn_i_acc_pack_t* pack) {
  if (packs->count == packs->capacity) {
    const uint32_t capacity = 2 * packs->capacity + 16;
    armnn_i_acc_pack_t* larger = realloc(packs->items, capacity * sizeof *larger);
    if (larger == NULL) {
      packs->is_out_of_note = true;
      return;
    }
    packs->items = larger;
    packs->capacity = capacity;
  }
  armnn_i_acc_retain_weights((void*)(uintptr_t)pack->data);
  packs->items[packs->count++] = *pack;
}

static armnn_status_t take_saved(armnn_i_acc_packs_t* packs, uint64_t size, uint64_t layout,
                                 armnn_i_acc_packed_t* out_packed) {
  const armnn_i_acc_pack_t* pack = &packs->items[packs->next];
  if (packs->next == packs->count || pack->size != size || pack->layout != layout) {
    packs->differs = true;
    return ARMNN_STATUS_INCOMPATIBLE;
  }
  ++packs->next;
  *out_packed = (armnn_i_acc_packed_t){(void*)(uintptr_t)pack->data, true};
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_take_packed(const armnn_i_acc_maker_t* maker, uint64_t size,
                                       uint64_t layout, armnn_i_acc_packed_t* out_packed) {
  *out_packed = (armnn_i_acc_packed_t){NULL, false};
  if (maker->packs != NULL && maker->packs->supplies) {
    return take_saved(maker->packs, size, layout, out_packed);
  }
  out_packed->data = armnn_i_acc_new_weights(maker->host, size);
  return out_packed->data != NULL ? ARMNN_STATUS_OK : ARMNN_STATUS_OUT_OF_MEMORY;
}

void armnn_i_acc_share_packed(const armnn_i_acc_maker_t* maker, uint64_t size, uint64_t layout,
                              armnn_i_acc_packed_t* packed) {
  if (packed->is_saved) return;
  packed->data = armnn_i_acc_share_weights(packed->data);
  if (maker->packs == NULL) return;
  note(maker->packs, &(armnn_i_acc_pack_t){packed->data, size, layout});
}

void armnn_i_acc_release_packed(armnn_i_acc_packed_t* packed) {
  if (!packed->is_saved) armnn_i_acc_release_weights(packed->data);
  packed->data = NULL;
}

uint64_t armnn_i_acc_layout(uint64_t seed, const uint64_t* numbers, uint32_t count) {
  uint64_t hash = seed;
  for (uint32_t i = 0; i < count; ++i) {
    hash = (hash ^ numbers[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  return hash;
}
