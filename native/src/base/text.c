/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * text.c - UTF-8 texts, cut between two characters.
 */
#include <string.h>

#include "core.h"

size_t armnn_i_whole_characters(const char* text, size_t size) {
  for (size_t back = 1; back <= 4 && back <= size; ++back) {
    const unsigned char byte = (unsigned char)text[size - back];
    if ((byte & 0xc0u) == 0x80u) continue; /* not the first byte of a character */
    const size_t length = byte < 0xc0u ? 1 : byte < 0xe0u ? 2 : byte < 0xf0u ? 3 : 4;
    return length > back ? size - back : size;
  }
  return size; /* not UTF-8 */
}

void armnn_i_copy_text(char* out, size_t capacity, armnn_string_t text) {
  if (capacity == 0) return;
  size_t size = text.data == NULL ? 0 : (size_t)text.size;
  if (size > capacity - 1) size = armnn_i_whole_characters(text.data, capacity - 1);
  if (size > 0) memcpy(out, text.data, size);
  out[size] = '\0';
}
