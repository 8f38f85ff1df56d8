/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "shared_weights.h"

#include <string.h>

#include "fork_locks.h"
#include "program.h"
#include "slabs.h"

#define BUCKETS 1024u /* of lists that are walked under the lock */
/* Labels of one block: constants that come and go may be many, while equal ones stay. */
#define MOST_LABELS 4u

typedef struct block_t block_t;

/* A name of a block. */
typedef struct label_t {
  block_t* block;
  uint64_t hash;
  struct label_t *next, *next_of_block;
  uint32_t count;
  uint64_t words[];
} label_t;

/* In the line before the bytes. */
struct block_t {
  const armnn_host_t* host;
  uint64_t size; /* bytes */
  uint64_t hash;
  uint64_t owners; /* 0: not shared yet, and in no list */
  block_t* next;
  label_t* labels;          /* the latest first */
  armnn_i_acc_slab_t* slab; /* that it lies in, or null */
};

_Static_assert(sizeof(block_t) <= ARMNN_ACC_LINE, "one line is kept for it");

static block_t* buckets[BUCKETS];
static label_t* labels[BUCKETS];
/* Held for some loads and stores at a time, never while bytes are compared. */
static void lock(void) { armnn_i_acc_lock(ARMNN_ACC_LOCK_SHARED_WEIGHTS); }

static void unlock(void) { armnn_i_acc_unlock(ARMNN_ACC_LOCK_SHARED_WEIGHTS); }

static block_t* block_of(void* weights) {
  return (block_t*)(void*)((char*)weights - ARMNN_ACC_LINE);
}

static void* bytes_of(block_t* block) { return (char*)block + ARMNN_ACC_LINE; }

/* Only tells what is worth comparing, so that it need be no better than quick. */
static uint64_t hash_of(const void* data, uint64_t size) {
  const char* bytes = data;
  uint64_t lanes[4] = {size, 1, 2, 3}, word = 0, i = 0;
  for (; i + 32 <= size; i += 32) {
    uint64_t words[4];
    memcpy(words, bytes + i, sizeof words);
    for (uint32_t k = 0; k < 4; ++k)
      lanes[k] = (lanes[k] ^ words[k]) * UINT64_C(0x9E3779B97F4A7C15);
  }
  for (; i < size; i += 8) {
    memcpy(&word, bytes + i, size - i < 8 ? (size_t)(size - i) : 8);
    lanes[0] = (lanes[0] ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  }
  uint64_t hash = 0;
  for (uint32_t k = 0; k < 4; ++k) hash = (hash ^ lanes[k] ^ (lanes[k] >> 29)) * 31;
  return hash ^ (hash >> 32);
}

/* The next block behind |from|, or the first, that may be equal; the caller owns it, too. */
static block_t* next_like(const block_t* from, const armnn_host_t* host, uint64_t hash,
                          uint64_t size) {
  lock();
  block_t* block = from != NULL ? from->next : buckets[hash % BUCKETS];
  while (block != NULL && (block->host != host || block->hash != hash || block->size != size)) {
    block = block->next;
  }
  if (block != NULL) block->owners += 1;
  unlock();
  return block;
}

static void* find(const armnn_host_t* host, const void* data, uint64_t size, uint64_t hash) {
  block_t* block = next_like(NULL, host, hash, size);
  while (block != NULL && memcmp(bytes_of(block), data, (size_t)size) != 0) {
    block_t* unlike = block;
    block = next_like(unlike, host, hash, size);
    armnn_i_acc_release_weights(bytes_of(unlike));
  }
  return block != NULL ? bytes_of(block) : NULL;
}

static void add(block_t* block, uint64_t hash) {
  block->hash = hash;
  lock();
  block->owners = 1;
  block->next = buckets[hash % BUCKETS];
  buckets[hash % BUCKETS] = block;
  unlock();
}

void* armnn_i_acc_new_weights(const armnn_host_t* host, uint64_t size) {
  armnn_i_acc_slab_t* slab;
  block_t* block = armnn_i_acc_slab_take(host, ARMNN_ACC_LINE + size, &slab);
  if (block == NULL) {
    slab = NULL;
    block = armnn_alloc(host, ARMNN_ACC_LINE + size, ARMNN_ACC_LINE);
  }
  if (block == NULL) return NULL;
  *block = (block_t){.host = host, .size = size, .slab = slab};
  return bytes_of(block);
}

static void free_block(block_t* block) {
  if (block->slab != NULL) {
    armnn_i_acc_slab_give(block->slab, block, ARMNN_ACC_LINE + block->size);
  } else {
    armnn_free(block->host, block);
  }
}

void* armnn_i_acc_share_weights(void* weights) {
  block_t* block = block_of(weights);
  const uint64_t hash = hash_of(weights, block->size);
  void* same = find(block->host, weights, block->size, hash);
  if (same == NULL) {
    add(block, hash);
    return weights;
  }
  free_block(block);
  return same;
}

void* armnn_i_acc_keep_weights(const armnn_host_t* host, const void* data, uint64_t size) {
  const uint64_t hash = hash_of(data, size);
  void* same = find(host, data, size, hash);
  if (same != NULL) return same;
  void* copy = armnn_i_acc_new_weights(host, size);
  if (copy == NULL) return NULL;
  memcpy(copy, data, (size_t)size);
  add(block_of(copy), hash);
  return copy;
}

/* ---- Labels -------------------------------------------------------------------------------- */

/* Under the lock. */
static label_t* find_label(const armnn_host_t* host, const armnn_i_acc_name_t* name,
                           uint64_t hash) {
  const size_t size = name->count * sizeof *name->words;
  label_t* label = labels[hash % BUCKETS];
  while (label != NULL &&
         (label->hash != hash || label->block->host != host || label->count != name->count ||
          memcmp(label->words, name->words, size) != 0)) {
    label = label->next;
  }
  return label;
}

/* Under the lock: takes what |link| of a block's list points to out of both lists. */
static label_t* unlink_label(label_t** link) {
  label_t* label = *link;
  *link = label->next_of_block;
  label_t** other = &labels[label->hash % BUCKETS];
  while (*other != label) other = &(*other)->next;
  *other = label->next;
  return label;
}

void* armnn_i_acc_find_weights(const armnn_host_t* host, const armnn_i_acc_name_t* name) {
  const uint64_t hash = hash_of(name->words, name->count * sizeof *name->words);
  lock();
  const label_t* label = find_label(host, name, hash);
  block_t* block = label != NULL ? label->block : NULL;
  if (block != NULL) block->owners += 1;
  unlock();
  return block != NULL ? bytes_of(block) : NULL;
}

void armnn_i_acc_label_weights(void* weights, const armnn_i_acc_name_t* name) {
  block_t* block = block_of(weights);
  const size_t size = name->count * sizeof *name->words;
  label_t *fresh = armnn_alloc(block->host, sizeof *fresh + size, sizeof(uint64_t)), *old = NULL;
  if (fresh == NULL) return; /* they are packed again then */
  *fresh = (label_t){.block = block, .hash = hash_of(name->words, size), .count = name->count};
  memcpy(fresh->words, name->words, size);
  lock();
  if (find_label(block->host, name, fresh->hash) != NULL) { /* another thread was as quick */
    old = fresh;
  } else {
    fresh->next = labels[fresh->hash % BUCKETS];
    labels[fresh->hash % BUCKETS] = fresh;
    fresh->next_of_block = block->labels;
    block->labels = fresh;
    label_t** link = &block->labels;
    for (uint32_t i = 0; *link != NULL && i < MOST_LABELS; ++i) link = &(*link)->next_of_block;
    if (*link != NULL) old = unlink_label(link);
  }
  unlock();
  if (old != NULL) armnn_free(block->host, old);
}

/* ---- Owners -------------------------------------------------------------------------------- */

uint64_t armnn_i_acc_size_of_weights(void* weights, bool* out_is_shared) {
  lock();
  *out_is_shared = block_of(weights)->owners > 1;
  unlock();
  return block_of(weights)->size;
}

void armnn_i_acc_retain_weights(void* weights) {
  lock();
  block_of(weights)->owners += 1;
  unlock();
}

void armnn_i_acc_release_weights(void* weights) {
  if (weights == NULL) return;
  block_t* block = block_of(weights);
  label_t* gone = NULL;
  lock();
  const bool is_last = block->owners <= 1;
  if (block->owners == 1) {
    block_t** link = &buckets[block->hash % BUCKETS];
    while (*link != block) link = &(*link)->next;
    *link = block->next;
    while (block->labels != NULL) {
      label_t* label = unlink_label(&block->labels);
      label->next = gone;
      gone = label;
    }
  }
  if (!is_last) block->owners -= 1;
  unlock();
  while (gone != NULL) {
    label_t* label = gone;
    gone = label->next;
    armnn_free(block->host, label);
  }
  if (is_last) free_block(block);
}
