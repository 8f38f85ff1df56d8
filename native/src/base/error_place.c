/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * error_place.c - a backend whose texts lead nowhere, or that points the host's error structure
 * elsewhere, harms nobody.
 */
#include <string.h>

#include "core.h"

void armnn_i_copy_readable(char* target, uint64_t capacity, const char* source) {
  enum { PAGE = 4096 };
  uint64_t size = 0;
  while (size + 1 < capacity) {
    uint64_t count = PAGE - (uint64_t)((uintptr_t)(source + size) % PAGE);
    if (count > capacity - 1 - size) count = capacity - 1 - size;
    if (source == NULL || !armnn_core_is_readable(source + size, count)) break;
    const char* end = (const char*)memchr(source + size, 0, (size_t)count);
    if (end != NULL) count = (uint64_t)(end - (source + size));
    memcpy(target + size, source + size, (size_t)count);
    size += count;
    if (end != NULL) break;
  }
  target[size] = 0;
}

void armnn_i_mend_error(armnn_error_t* error) {
  const armnn_i_error_place_t* place = armnn_i_thread()->error_place;
  if (place == NULL || place->error != error || !armnn_i_error_is_moved(error, place)) return;
  const char* words = error->text;
  error->text = place->text;
  error->capacity = place->capacity;
  if (words != place->text && place->text != NULL && place->capacity > 0) {
    armnn_i_copy_readable(place->text, place->capacity, words);
    error->needed = 0;
  }
}
