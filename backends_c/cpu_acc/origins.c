/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "packs.h"

/* Of values that are named by themselves: so few always, though they may be made anew for each
 * shape, and so many if nothing else is known of them. */
#define FEW_BYTES UINT64_C(4096)
#define MOST_BYTES UINT64_C(65536)

/* How the name of some memory begins. */
enum { NOTHING = 1, KNOWN, BYTES };

/* ---- Memory -------------------------------------------------------------------------------- */

/* The number of the items that begin at |data| or before. */
static uint32_t place_of(const armnn_i_acc_origins_t* origins, const void* data) {
  uint32_t low = 0, high = origins->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if ((uintptr_t)origins->items[middle].begin <= (uintptr_t)data) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static const armnn_i_acc_origin_t* origin_of(const armnn_i_acc_maker_t* maker, const void* data) {
  const armnn_i_acc_origins_t* origins = maker->packs != NULL ? maker->packs->origins : NULL;
  const uint32_t place = origins != NULL ? place_of(origins, data) : 0;
  if (place == 0) return NULL;
  const armnn_i_acc_origin_t* origin = &origins->items[place - 1];
  return (uintptr_t)data - (uintptr_t)origin->begin < origin->size ? origin : NULL;
}

static bool make_room(armnn_i_acc_origins_t* origins) {
  if (origins->count < origins->capacity) return true;
  const uint32_t capacity = 2 * origins->capacity + 64;
  armnn_i_acc_origin_t* larger = realloc(origins->items, capacity * sizeof *larger);
  if (larger == NULL) return false;
  origins->items = larger;
  origins->capacity = capacity;
  return true;
}

void armnn_i_acc_add_origin(armnn_i_acc_origins_t* origins, const void* data, uint64_t size,
                            armnn_i_acc_name_t* name) {
  const uint32_t place = place_of(origins, data);
  armnn_i_acc_origin_t* before = place > 0 ? &origins->items[place - 1] : NULL;
  const bool is_there = before != NULL && before->begin == data && before->size >= size;
  if (name->is_void || is_there || !make_room(origins)) {
    armnn_i_acc_free_name(name);
    return;
  }
  armnn_i_acc_origin_t* item = &origins->items[place];
  memmove(item + 1, item, (origins->count - place) * sizeof *item);
  *item = (armnn_i_acc_origin_t){data, size, *name};
  origins->count += 1;
  *name = (armnn_i_acc_name_t){0};
}

void armnn_i_acc_free_origins(armnn_i_acc_origins_t* origins) {
  for (uint32_t i = 0; i < origins->count; ++i) armnn_i_acc_free_name(&origins->items[i].name);
  free(origins->items);
  *origins = (armnn_i_acc_origins_t){0};
}

/* ---- Names --------------------------------------------------------------------------------- */

void armnn_i_acc_free_name(armnn_i_acc_name_t* name) {
  free(name->words);
  *name = (armnn_i_acc_name_t){0};
}

/* Room for |count| words; null: the name is void. */
static uint64_t* new_words(armnn_i_acc_name_t* name, uint64_t count) {
  if (name->is_void) return NULL;
  if (name->capacity - name->count < count) {
    const uint64_t capacity = 2 * (uint64_t)name->capacity + count + 24;
    uint64_t* larger =
        capacity < UINT32_MAX ? realloc(name->words, capacity * sizeof *larger) : NULL;
    if (larger == NULL) {
      name->is_void = true;
      return NULL;
    }
    name->words = larger;
    name->capacity = (uint32_t)capacity;
  }
  uint64_t* words = name->words + name->count;
  name->count += (uint32_t)count;
  return words;
}

void armnn_i_acc_name_words(armnn_i_acc_name_t* name, const uint64_t* words, uint32_t count) {
  uint64_t* to = new_words(name, count);
  if (to != NULL) memcpy(to, words, count * sizeof *words);
}

static void name_known(armnn_i_acc_name_t* name, const armnn_i_acc_origin_t* origin,
                       const void* values) {
  const uint64_t offset = (uintptr_t)values - (uintptr_t)origin->begin;
  ARMNN_ACC_NAME(name, KNOWN, offset, origin->name.count);
  armnn_i_acc_name_words(name, origin->name.words, origin->name.count);
}

static void name_bytes(armnn_i_acc_name_t* name, const void* values, uint64_t size) {
  ARMNN_ACC_NAME(name, BYTES, size);
  uint64_t* words = new_words(name, (size + sizeof *words - 1) / sizeof *words);
  if (words == NULL || size == 0) return;
  name->words[name->count - 1] = 0; /* the last word may be filled in part */
  memcpy(words, values, (size_t)size);
}

void armnn_i_acc_name_weights(armnn_i_acc_name_t* name, const armnn_i_acc_maker_t* maker,
                              const void* values) {
  const armnn_i_acc_origin_t* origin = origin_of(maker, values);
  if (origin == NULL) {
    name->is_void = true;
  } else {
    name_known(name, origin, values);
  }
}

void armnn_i_acc_name_values(armnn_i_acc_name_t* name, const armnn_i_acc_maker_t* maker,
                             const void* values, uint64_t size) {
  if (values == NULL) {
    ARMNN_ACC_NAME(name, NOTHING);
    return;
  }
  const armnn_i_acc_origin_t* origin = size > FEW_BYTES ? origin_of(maker, values) : NULL;
  if (origin != NULL) {
    name_known(name, origin, values);
  } else if (size <= MOST_BYTES) {
    name_bytes(name, values, size);
  } else {
    name->is_void = true;
  }
}

void armnn_i_acc_name_tensor(armnn_i_acc_name_t* name, const armnn_i_acc_maker_t* maker,
                             const armnn_i_acc_tensor_t* tensor) {
  ARMNN_ACC_NAME(name, (uint64_t)tensor->element.type, tensor->rank);
  for (uint32_t d = 0; d < tensor->rank; ++d) {
    ARMNN_ACC_NAME(name, (uint64_t)tensor->dims[d], (uint64_t)tensor->strides[d]);
  }
  armnn_i_acc_name_weights(name, maker, tensor->values);
}
