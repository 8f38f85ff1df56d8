/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "packs.h"

#include <stdlib.h>

#include "shared_weights.h"

/* Shorter constants are compared sooner than named. */
#define LEAST_NAMED 1024u

void armnn_i_acc_packs_clear(armnn_i_acc_packs_t* packs) {
  for (uint32_t i = 0; i < packs->count && !packs->supplies; ++i) {
    armnn_i_acc_release_weights((void*)(uintptr_t)packs->items[i].data);
  }
  if (!packs->supplies) packs->count = 0;
  packs->bytes = packs->kept = packs->shared = 0;
}

void armnn_i_acc_packs_free(armnn_i_acc_packs_t* packs) {
  armnn_i_acc_packs_clear(packs);
  free(packs->items);
  *packs = (armnn_i_acc_packs_t){0};
}

/* The place of a pack behind those that are noted, or that of the same pack. */
static uint64_t place_pack(armnn_i_acc_packs_t* packs, const armnn_i_acc_pack_t* pack) {
  for (uint32_t i = 0; i < packs->count; ++i) {
    if (packs->items[i].data == pack->data) return packs->items[i].offset;
  }
  const uint64_t offset = packs->bytes, line = ARMNN_ACC_LINE;
  packs->bytes = (offset + pack->size + line - 1) / line * line;
  return offset;
}

static void note(armnn_i_acc_packs_t* packs, armnn_i_acc_pack_t pack) {
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
  armnn_i_acc_retain_weights((void*)(uintptr_t)pack.data);
  pack.offset = place_pack(packs, &pack);
  packs->items[packs->count++] = pack;
}

static armnn_status_t take_saved(armnn_i_acc_packs_t* packs, uint64_t size, uint64_t layout,
                                 armnn_i_acc_packed_t* out_packed) {
  const armnn_i_acc_pack_t* pack = &packs->items[packs->next];
  if (packs->next == packs->count || pack->size != size || pack->layout != layout) {
    packs->differs = true;
    return ARMNN_STATUS_INCOMPATIBLE;
  }
  ++packs->next;
  *out_packed = (armnn_i_acc_packed_t){
      .data = (void*)(uintptr_t)pack->data, .is_packed = true, .is_saved = true};
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_take_packed(const armnn_i_acc_maker_t* maker, uint64_t size,
                                       uint64_t layout, armnn_i_acc_name_t* name,
                                       armnn_i_acc_packed_t* out_packed) {
  *out_packed = (armnn_i_acc_packed_t){.data = NULL};
  if (maker->packs != NULL && maker->packs->supplies) {
    armnn_i_acc_free_name(name);
    return take_saved(maker->packs, size, layout, out_packed);
  }
  ARMNN_ACC_NAME(name, (uint64_t)(uintptr_t)maker->isa, size, layout);
  if (!name->is_void) out_packed->data = armnn_i_acc_find_weights(maker->host, name);
  out_packed->is_packed = out_packed->data != NULL;
  if (!out_packed->is_packed) out_packed->data = armnn_i_acc_new_weights(maker->host, size);
  if (out_packed->is_packed || name->is_void || out_packed->data == NULL) {
    armnn_i_acc_free_name(name);
  } else {
    out_packed->name = *name;
  }
  return out_packed->data != NULL ? ARMNN_STATUS_OK : ARMNN_STATUS_OUT_OF_MEMORY;
}

void armnn_i_acc_share_packed(const armnn_i_acc_maker_t* maker, uint64_t size, uint64_t layout,
                              armnn_i_acc_packed_t* packed) {
  if (packed->is_saved) return;
  if (!packed->is_packed) packed->data = armnn_i_acc_share_weights(packed->data);
  packed->is_packed = true;
  if (packed->name.count > 0) armnn_i_acc_label_weights(packed->data, &packed->name);
  armnn_i_acc_free_name(&packed->name);
  armnn_i_acc_count_kept(maker->packs, packed->data);
  if (maker->packs == NULL || !maker->packs->notes) return;
  note(maker->packs, (armnn_i_acc_pack_t){packed->data, size, layout, 0});
}

void armnn_i_acc_release_packed(armnn_i_acc_packed_t* packed) {
  if (!packed->is_saved) armnn_i_acc_release_weights(packed->data);
  armnn_i_acc_free_name(&packed->name);
  packed->data = NULL;
}

void* armnn_i_acc_keep_constant(const armnn_i_acc_maker_t* maker, const void* data, uint64_t size) {
  armnn_i_acc_name_t name = {.is_void = size < LEAST_NAMED};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_KEPT, size);
  armnn_i_acc_name_weights(&name, maker, data);
  void* kept = name.is_void ? NULL : armnn_i_acc_find_weights(maker->host, &name);
  if (kept == NULL) {
    kept = armnn_i_acc_keep_weights(maker->host, data, size);
    if (kept != NULL && !name.is_void) armnn_i_acc_label_weights(kept, &name);
  }
  armnn_i_acc_free_name(&name);
  if (kept != NULL) armnn_i_acc_count_kept(maker->packs, kept);
  return kept;
}

void armnn_i_acc_count_kept(armnn_i_acc_packs_t* packs, void* weights) {
  if (packs == NULL) return;
  bool is_shared;
  const uint64_t size = armnn_i_acc_size_of_weights(weights, &is_shared);
  packs->kept += size;
  if (is_shared) packs->shared += size;
}

uint64_t armnn_i_acc_layout(uint64_t seed, const uint64_t* numbers, uint32_t count) {
  uint64_t hash = seed;
  for (uint32_t i = 0; i < count; ++i) {
    hash = (hash ^ numbers[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  return hash;
}
