/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * memory.c - memory of tensors: in pages of its own, so that an access beside it is seen.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "board.h"

enum { MIDDLE = 128 };

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

region_t take(size_t size, size_t alignment, size_t behind, layout_t layout) {
  static const unsigned char poisons[] = {0xcb, 0x35, 0x7f, 0xff, 0xcb};
  region_t made = {.size = size, .poison = poisons[layout]};
  if (alignment == 0) alignment = 64;
  const size_t page = page_size();
  made.length =
      ((size + behind + MIDDLE + alignment) / page + (layout == LAYOUT_MIDDLE ? 3 : 1)) * page;
  unsigned char* const all = mmap(NULL, made.length + 2 * page, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) fail("no memory");
  mprotect(all, page, PROT_NONE);
  mprotect(all + page + made.length, page, PROT_NONE);
  made.whole = made.data = all + page;
  memset(made.whole, made.poison, made.length);
  if (layout == LAYOUT_MIDDLE) {
    made.data += page;
  } else if (layout == LAYOUT_LEAST) {
    made.data += alignment < MIDDLE ? MIDDLE + alignment : 0; /* no multiple of more */
  } else if (layout != LAYOUT_START) {
    const uintptr_t last = (uintptr_t)made.whole + made.length - size - behind;
    made.data = (unsigned char*)(last / alignment * alignment);
  }
  return made;
}

void give_back(region_t* region) {
  const size_t page = page_size();
  if (region->whole != NULL) munmap(region->whole - page, region->length + 2 * page);
}

bool is_damaged(const region_t* region) {
  for (size_t i = 0; i < region->length; ++i) {
    const unsigned char* const at = region->whole + i;
    if (at == region->data) i += region->size;
    if (i < region->length && region->whole[i] != region->poison) return true;
  }
  return false;
}

void forbid_writing(const region_t* region) { mprotect(region->whole, region->length, PROT_READ); }
