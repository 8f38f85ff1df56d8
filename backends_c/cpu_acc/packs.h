/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * packs.h - packed weights: where operators get them, and how they come to be in a file.
 *
 * An operator asks for memory for its weights by their size, a number for their layout and the name
 * of what they are made of (origins.h): it gets those that were packed under that name, or memory
 * to pack them to, which it shares with what was packed alike. The maker's list of packs, if it has
 * one, either notes them in this order, so that they can be saved, or has them already, from a file
 * that is mapped to memory: then nothing is packed and nothing copied. Makers ask in the same order
 * for the same descriptions, so that size and layout prove that a pack is what is wanted; where
 * they differ, it was packed for other caches or another number of threads.
 */
#ifndef ARMNN_CPU_ACC_PACKS_H_
#define ARMNN_CPU_ACC_PACKS_H_

#include "origins.h"

typedef struct armnn_i_acc_pack_t {
  const void* data;
  uint64_t size; /* bytes */
  uint64_t layout;
  uint64_t offset; /* among the packs of a list, equal ones counted once */
} armnn_i_acc_pack_t;

struct armnn_i_acc_packs_t {
  armnn_i_acc_pack_t* items;
  uint32_t count, capacity;
  uint64_t bytes;      /* of all that are noted, equal ones counted once, each from a line on */
  bool notes;          /* items are noted, and kept, for a file */
  bool supplies;       /* items are of a file */
  uint32_t next;       /* the pack that is supplied next */
  bool differs;        /* one was wanted otherwise than it is */
  bool is_out_of_note; /* memory was out: they cannot be saved */
  uint64_t kept;       /* bytes of weights in memory, noted or not */
  uint64_t shared;     /* those of them that others kept before */
  /* Of the constants of the compilation, while it lasts; or null: none has a name. */
  const armnn_i_acc_origins_t* origins;
};

/* Forgets what was noted. */
void armnn_i_acc_packs_clear(armnn_i_acc_packs_t* packs);
void armnn_i_acc_packs_free(armnn_i_acc_packs_t* packs);

/* The weights of an operator. */
typedef struct armnn_i_acc_packed_t {
  void* data;
  bool is_packed; /* there is nothing to pack */
  bool is_saved;  /* in a file, which outlives the operator: there is nothing to free, either */
  armnn_i_acc_name_t name; /* until they are shared */
} armnn_i_acc_packed_t;

/* Weights of |size| bytes: packed ones, or memory to pack them to, aligned to a line. Takes |name|.
 * OUT_OF_MEMORY; INCOMPATIBLE: other ones were saved. */
armnn_status_t armnn_i_acc_take_packed(const armnn_i_acc_maker_t* maker, uint64_t size,
                                       uint64_t layout, armnn_i_acc_name_t* name,
                                       armnn_i_acc_packed_t* out_packed);
/* Once they are packed: from here on they are shared, and noted if they shall be saved. */
void armnn_i_acc_share_packed(const armnn_i_acc_maker_t* maker, uint64_t size, uint64_t layout,
                              armnn_i_acc_packed_t* packed);
void armnn_i_acc_release_packed(armnn_i_acc_packed_t* packed);

/* Counts shared weights in |kept| and |shared| of |packs|, which may be null. */
void armnn_i_acc_count_kept(armnn_i_acc_packs_t* packs, void* weights);

/* |size| bytes of a constant as they are, for operators that read them when they run; null if
 * memory is out. Given back by armnn_i_acc_release_weights (shared_weights.h). */
void* armnn_i_acc_keep_constant(const armnn_i_acc_maker_t* maker, const void* data, uint64_t size);

/* A number for a list of numbers; |seed| tells lists of different kinds apart. */
uint64_t armnn_i_acc_layout(uint64_t seed, const uint64_t* numbers, uint32_t count);

/* armnn_i_acc_layout of the numbers that follow the seed. */
#define ARMNN_ACC_LAYOUT(seed, ...)                         \
  armnn_i_acc_layout(seed, (const uint64_t[]){__VA_ARGS__}, \
                     (uint32_t)(sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)))

#endif /* ARMNN_CPU_ACC_PACKS_H_ */
