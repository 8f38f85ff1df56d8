/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_tile.h - tiles of rows x panels of quantised numbers in registers.
 *
 * As gemm.c, with four bytes instead of a float: two levels, or four stored numbers. Those of each
 * row are spread over a vector, and multiplied with as many weights of each channel; all products
 * are added. Both kinds have the same loops, and so has every instruction set: what differs is one
 * function, vi_dot_pairs or vi_dot_bytes. A sum wraps on its way where the whole does not: the
 * maker has seen to that. Where bytes have no such instruction, but products of 16 bits
 * (vi_byte_pairs), two groups are added in 16 bits, for weights that are small enough: three
 * multiplications for 64 products instead of four.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_TILE_H_
#define ARMNN_CPU_ACC_QUANTIZED_TILE_H_

#include "kernels/simd/simd_bytes.h"
#include "quantized_store.h"
#include "quantized_whole_range.h"

enum { VECTORS = 2, PANEL = VECTORS * VF_LANES };

typedef armnn_i_acc_product_job_t job_t;
typedef vi_t sums_t[VECTORS];

/* The first |count| bytes of |bytes|: fewer than a panel has. */
ACC_INLINE void store_some(uint8_t* to, const uint8_t* bytes, uint32_t count) {
  UNROLLED for (uint32_t size = PANEL / 2; size > 0; size /= 2) {
    if ((count & size) == 0) continue;
    memcpy(to, bytes, size);
    to += size;
    bytes += size;
  }
}

/* What the sums of a job's tiles become numbers with. */
typedef struct finish_t {
  channels_t own[VECTORS];
  vi_bounds_t bounds;
  armnn_i_acc_store_t store;
  range_e range;
  ptrdiff_t offset;
  uint32_t channels;
} finish_t;

ACC_INLINE finish_t finish_of(const job_t* job) {
  const armnn_i_acc_store_t store = job->store;
  finish_t finish = {.bounds = vi_bounds(store.zero_point, store.low, store.high),
                     .store = store,
                     .range = range_of(&store),
                     .offset = job->offset,
                     .channels = job->channels};
  UNROLLED for (int v = 0; v < VECTORS; ++v) {
#define LOAD(flags) finish.own[v] = load_channels(job->panel + v * VF_LANES, PANEL, flags)
    WITH_FLAGS(store, LOAD);
#undef LOAD
  }
  return finish;
}

ACC_INLINE void scale_tile(const finish_t* finish, sums_t* sum, const int ROWS, const int USED,
                           const uint32_t FLAGS) {
  UNROLLED for (int v = 0; v < USED; ++v) {
    UNROLLED for (int i = 0; i < ROWS; ++i) sum[i][v] = scaled(sum[i][v], &finish->own[v], FLAGS);
  }
}

/* All but the last of an odd number of rows. */
ACC_INLINE void store_pairs(const finish_t* finish, uint8_t* const* outputs, sums_t* sum,
                            const int ROWS, const range_e RANGE, const bool IS_SIGNED) {
  const vi_bounds_t bounds = finish->bounds;
  const ptrdiff_t offset = finish->offset;
  UNROLLED for (int i = 0; i + 1 < ROWS; i += 2) {
    store_two_rows(outputs[i] + offset, outputs[i + 1] + offset, sum[i], sum[i + 1], &bounds, RANGE,
                   IS_SIGNED);
  }
}

/* The first |USED| vectors of a panel. */
ACC_INLINE void store_tile(const finish_t* finish, uint8_t* const* outputs, sums_t* sum,
                           const int ROWS, const int USED) {
  const vi_bounds_t bounds = finish->bounds;
  const ptrdiff_t offset = finish->offset;
#define SCALE(flags) scale_tile(finish, sum, ROWS, USED, flags)
  WITH_FLAGS(finish->store, SCALE);
#undef SCALE
  if (USED == VECTORS && finish->channels == PANEL) {
#define STORE(range, is_signed) store_pairs(finish, outputs, sum, ROWS, range, is_signed)
    WITH_RANGE(finish->range, finish->store.low < 0, STORE);
#undef STORE
    if (ROWS % 2 != 0) {
      vi_store_numbers(outputs[ROWS - 1] + offset, sum[ROWS - 1][0], sum[ROWS - 1][1], bounds);
    }
    return;
  }
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    uint8_t bytes[PANEL];
    vi_store_numbers(bytes, sum[i][0], sum[i][USED - 1], bounds);
    if (finish->channels == VF_LANES) {
      memcpy(outputs[i] + offset, bytes, VF_LANES);
    } else {
      store_some(outputs[i] + offset, bytes, finish->channels);
    }
  }
}

/* ---- Groups of four bytes ------------------------------------------------------------------ */

enum { GROUP_BYTES = 4 };

/* What a row and the weights are: levels of 16 bits both, weights of 8 bits, or bytes both. */
typedef enum kind_e { PAIRS, NARROW_PAIRS, BYTES } kind_e;

/* Products of bytes are those of 16 bits. */
#define BYTE_PAIRS_IN_INT16 (VI_HAS_BYTE_PAIRS && !VI_HAS_DOT_PRODUCT)

#if VF_REGISTERS == 16
#define MOST_ROWS 6
#elif defined(VI_DOT_BYTES_LANE)
#define MOST_ROWS 8 /* each row keeps a vector of its own */
#elif VI_HAS_DOT_PRODUCT
#define MOST_ROWS 14 /* needs no registers but two weights and a row's group */
#else
#define MOST_ROWS 12
#endif

/* Weights of two groups need registers, too. */
#if !BYTE_PAIRS_IN_INT16
#define MOST_BYTE_ROWS MOST_ROWS
#elif VF_REGISTERS == 16
#define MOST_BYTE_ROWS 4
#else
#define MOST_BYTE_ROWS 8
#endif

/* The four bytes at |p| in each lane. */
ACC_INLINE vi_t spread_group(const void* p) {
  int32_t group;
  memcpy(&group, p, sizeof group);
  return vi_set(group);
}

ACC_INLINE vi_t add_products(vi_t sum, vi_t x, vi_t weights, const kind_e KIND) {
#if BYTE_PAIRS_IN_INT16
  if (KIND == BYTES) return vi_dot_pairs(sum, vi_byte_pairs(x, weights), vi_set(0x10001));
#endif
  return KIND == BYTES ? vi_dot_bytes(sum, x, weights) : vi_dot_pairs(sum, x, weights);
}

/* Bytes of the weights of a group: two or four of each channel, a byte or two each. */
ACC_INLINE size_t weights_size(const kind_e KIND) {
  return KIND == NARROW_PAIRS ? PANEL * GROUP_BYTES / 2 : PANEL * GROUP_BYTES;
}

ACC_INLINE vi_t load_weights(const char* weights, const int VECTOR, const kind_e KIND) {
  vi_t x;
  weights += weights_size(KIND) / VECTORS * (size_t)VECTOR;
  if (KIND == NARROW_PAIRS) return vi_load_narrow_pairs(weights);
  memcpy(&x, weights, sizeof x);
  return x;
}

ACC_INLINE void add_group(sums_t* sum, const char* const* row, size_t group, const char* weights,
                          const int ROWS, const int USED, const kind_e KIND) {
  const vi_t first = load_weights(weights, 0, KIND);
  const vi_t second = load_weights(weights, USED - 1, KIND);
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    const vi_t x = spread_group(row[i] + GROUP_BYTES * group);
    sum[i][0] = add_products(sum[i][0], x, first, KIND);
    if (USED == VECTORS) sum[i][1] = add_products(sum[i][1], x, second, KIND);
  }
}

#if BYTE_PAIRS_IN_INT16
ACC_INLINE void add_two_groups(sums_t* sum, const char* const* row, size_t group,
                               const char* weights, const int ROWS) {
  const bool IS_FULL = VF_REGISTERS == 16 && ROWS == MOST_BYTE_ROWS; /* one register is missing */
  const char* next = weights + weights_size(BYTES);
  vi_t first[VECTORS], second[VECTORS];
  UNROLLED for (int v = 0; v < VECTORS; ++v) {
    first[v] = load_weights(weights, v, BYTES);
    second[v] = load_weights(next, v, BYTES);
  }
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    const vi_t x = spread_group(row[i] + GROUP_BYTES * group);
    const vi_t y = spread_group(row[i] + GROUP_BYTES * (group + 1));
    if (IS_FULL) ACC_READ_AGAIN(next);
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      if (IS_FULL && v == VECTORS - 1) second[v] = load_weights(next, v, BYTES);
      const vi_t narrow = vi_add_int16(vi_byte_pairs(x, first[v]), vi_byte_pairs(y, second[v]));
      sum[i][v] = vi_dot_pairs(sum[i][v], narrow, vi_set(0x10001));
    }
  }
}
#endif

#if defined(VI_DOT_BYTES_LANE)
/* Four groups: a vector of each row, whose lanes need not be spread. */
ACC_INLINE void add_four_groups(sums_t* sum, const char* const* row, size_t group,
                                const char* weights, const int ROWS) {
  vi_t x[MOST_ROWS];
  UNROLLED for (int i = 0; i < ROWS; ++i) memcpy(&x[i], row[i] + GROUP_BYTES * group, sizeof x[i]);
#define ADD_LANE(LANE)                                                                \
  UNROLLED for (int v = 0; v < VECTORS; ++v) {                                        \
    const vi_t weight = load_weights(weights + LANE * weights_size(BYTES), v, BYTES); \
    UNROLLED for (int i = 0; i < ROWS; ++i) {                                         \
      sum[i][v] = VI_DOT_BYTES_LANE(sum[i][v], x[i], weight, LANE);                   \
    }                                                                                 \
  }
  ADD_LANE(0)
  ADD_LANE(1)
  ADD_LANE(2)
  ADD_LANE(3)
#undef ADD_LANE
}
#endif

/* Behind loops whose instruction has another type of vectors: GCC 12 takes the casts of what
 * follows into such a loop otherwise, and keeps each sum twice, in memory where registers do not
 * suffice. */
ACC_INLINE void keep_sums(sums_t* sum, const int ROWS, const int USED) {
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    UNROLLED for (int v = 0; v < USED; ++v) ACC_KEEP(sum[i][v]);
  }
}

ACC_INLINE void multiply_tiles(const job_t* job, const int ROWS, const int USED,
                               const kind_e KIND) {
  const size_t groups = job->groups, step = weights_size(KIND);
  const uint32_t tap_count = job->tap_count;
  const ptrdiff_t* taps = job->taps;
  const int32_t* panel = job->panel;
  const char* const* inputs = job->inputs;
  uint8_t* const* outputs = job->outputs;
  const finish_t finish = finish_of(job);
#if BYTE_PAIRS_IN_INT16
  const int32_t* more = job->more;
#endif
  for (uint32_t tile = job->tiles; tile > 0; --tile) {
    const char* weights = (const char*)(panel + ARMNN_ACC_CHANNEL_ARRAYS * PANEL);
    sums_t sum[MOST_ROWS];
    UNROLLED for (int v = 0; v < USED; ++v) {
      const vi_t bias = vi_load(panel + v * VF_LANES);
      UNROLLED for (int i = 0; i < ROWS; ++i) sum[i][v] = bias;
    }
#if BYTE_PAIRS_IN_INT16
    if (KIND == BYTES && more != NULL) {
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        UNROLLED for (int v = 0; v < VECTORS; ++v) {
          sum[i][v] = vi_add(sum[i][v], vi_load(more + i * PANEL + v * VF_LANES));
        }
      }
      more += ROWS * PANEL;
    }
#endif
    for (uint32_t t = 0; t < tap_count; ++t) {
      const char* row[MOST_ROWS];
      const ptrdiff_t tap = taps[t];
      UNROLLED for (int i = 0; i < ROWS; ++i) row[i] = inputs[i] + tap;
      size_t k = 0;
#if BYTE_PAIRS_IN_INT16
      for (; KIND == BYTES && k + 2 <= groups; k += 2, weights += 2 * step) {
        add_two_groups(sum, row, k, weights, ROWS);
      }
#endif
#if defined(VI_DOT_BYTES_LANE)
      for (; KIND == BYTES && k + 4 <= groups; k += 4, weights += 4 * step) {
        add_four_groups(sum, row, k, weights, ROWS);
      }
#endif
      for (; k < groups; ++k, weights += step) {
        add_group(sum, row, k, weights, ROWS, USED, KIND);
      }
    }
    if (VI_HAS_DOT_PRODUCT) keep_sums(sum, ROWS, USED);
    store_tile(&finish, outputs, sum, ROWS, USED);
    inputs += ROWS;
    outputs += ROWS;
  }
}

#define TILES_UP_TO_4(TILE) TILE(1) TILE(2) TILE(3) TILE(4)
#define TILES_UP_TO_6(TILE) TILES_UP_TO_4(TILE) TILE(5) TILE(6)
#define TILES_UP_TO_8(TILE) TILES_UP_TO_6(TILE) TILE(7) TILE(8)
#define TILES_UP_TO_12(TILE) TILES_UP_TO_8(TILE) TILE(9) TILE(10) TILE(11) TILE(12)
#define TILES_UP_TO_14(TILE) TILES_UP_TO_12(TILE) TILE(13) TILE(14)
#define TILES_UP_TO_(rows, TILE) TILES_UP_TO_##rows(TILE)
#define TILES_UP_TO(rows, TILE) TILES_UP_TO_(rows, TILE)

/* A tile of |rows| rows, which CALL multiplies, is a function of its own, with registers of its
 * own.
 */
#define DEFINE_TILE(name, rows, CALL) \
  static __attribute__((noinline)) void name##_##rows(const job_t* job) { CALL; }

/* A kernel |name| of functions tile_1 to tile_<most>. */
#define TILE_OF(rows) tile_##rows,
#define TILES_KERNEL(name, most)                                                     \
  static void name(const job_t* job) {                                               \
    static void (*const tiles[])(const job_t*) = {NULL, TILES_UP_TO(most, TILE_OF)}; \
    tiles[job->rows](job);                                                           \
  }

#endif /* ARMNN_CPU_ACC_QUANTIZED_TILE_H_ */
