/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * suppression.c - non-maximum suppression of ONNX (NonMaxSuppression): in each class boxes are
 * taken by descending score, and one that shares too much with a box that was kept before is left
 * out.
 *
 * Corners, areas and shares are float32, each operation rounded by itself (-ffp-contract=off), as
 * in onnxruntime: a share that is nearly the limit is judged alike. Of equal scores the lower box
 * comes first, scores of NaN come last. A box with a NaN, or an area that is not finite, covers
 * nothing.
 */
#include <string.h>

#include "core.h"

/* Kept boxes that a candidate is compared with at once: vectors for the compiler. */
#define LANES 16
/* Scores that are compared with the limit at once: vectors, too. */
#define SCORES_AT_ONCE 64
#define BUCKET_BITS 8
#define BUCKETS (1 << BUCKET_BITS)
/* Keys that are sorted by insertion. */
#define FEW 24

#define INLINED static inline __attribute__((always_inline))

typedef struct box_t {
  float low[2], high[2], area;
} box_t;

/* Some of the boxes that are kept; those behind the last one are zero and share nothing. */
typedef struct kept_t {
  float low[2][LANES], high[2][LANES], area[LANES];
} kept_t;

/* What the classes of one batch share, and memory for one class at a time. */
typedef struct scratch_t {
  box_t* boxes;      /* |box_count| */
  uint32_t* indices; /* as many, for those of candidates, their keys, ... */
  uint64_t* keys;
  uint64_t* sorted; /* ... and these by buckets */
  kept_t* kept;     /* room for as many boxes as a class may keep */
} scratch_t;

INLINED float least_of(float a, float b) { return a < b ? a : b; }
INLINED float greatest_of(float a, float b) { return a < b ? b : a; }

/* ---- Boxes ----------------------------------------------------------------------------------- */

static void find_corners(const armnn_suppression_t* task, uint64_t batch, box_t* boxes) {
  const float* from = task->boxes + batch * task->box_count * 4;
  for (uint64_t i = 0; i < task->box_count; ++i, from += 4) {
    box_t* box = &boxes[i];
    for (int side = 0; side < 2; ++side) {
      if (task->by_center != 0) {
        const float half = from[2 + side] / 2.0f;
        box->low[side] = from[side] - half;
        box->high[side] = from[side] + half;
      } else {
        const bool is_swapped = from[side] >= from[2 + side];
        box->low[side] = from[is_swapped ? 2 + side : side];
        box->high[side] = from[is_swapped ? side : 2 + side];
      }
    }
    box->area = (box->high[0] - box->low[0]) * (box->high[1] - box->low[1]);
  }
}

/* Does |box| share more than the part |overlap| of what it and one of |count| kept ones cover? A
 * shared area is at most either area, also when all are rounded, so that the whole is above 0 where
 * it is; where it is 0, the share is 0 or no number. */
INLINED bool is_covered(const kept_t* kept, uint64_t count, const box_t* box, float overlap) {
  const box_t b = *box;
  for (uint64_t begin = 0; begin < count; begin += LANES, ++kept) {
    int is_any = 0;
    for (int i = 0; i < LANES; ++i) {
      const float side_0 =
          least_of(b.high[0], kept->high[0][i]) - greatest_of(b.low[0], kept->low[0][i]);
      const float side_1 =
          least_of(b.high[1], kept->high[1][i]) - greatest_of(b.low[1], kept->low[1][i]);
      const float shared = greatest_of(side_0, 0.0f) * greatest_of(side_1, 0.0f);
      const float share = shared / (b.area + kept->area[i] - shared);
      is_any |= share > overlap;
    }
    if (is_any) return true;
  }
  return false;
}

static void keep(kept_t* kept, uint64_t count, const box_t* box) {
  const uint64_t lane = count % LANES;
  kept += count / LANES;
  if (lane == 0) memset(kept, 0, sizeof *kept);
  for (int side = 0; side < 2; ++side) {
    kept->low[side][lane] = box->low[side];
    kept->high[side][lane] = box->high[side];
  }
  kept->area[lane] = box->area;
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* Lower keys come first: the higher score, then the lower index. All keys differ. */
INLINED uint64_t key_of(float score, uint64_t index) {
  uint32_t bits;
  score += 0.0f; /* -0 is 0 */
  memcpy(&bits, &score, sizeof bits);
  bits = bits >> 31 != 0 ? bits : ~bits & 0x7fffffffu;
  if (score != score) bits = UINT32_MAX;
  return (uint64_t)bits << 32 | index;
}

/* Writes the indices of scores above |least|; how many. */
INLINED uint64_t find_above(const float* scores, uint64_t score_count, float least,
                            uint32_t* indices) {
  uint64_t count = 0, i = 0;
  for (; score_count - i >= SCORES_AT_ONCE; i += SCORES_AT_ONCE) {
    uint8_t is_above[SCORES_AT_ONCE];
    for (int k = 0; k < SCORES_AT_ONCE; ++k) is_above[k] = scores[i + k] > least;
    for (int k = 0; k < SCORES_AT_ONCE; k += 8) {
      uint64_t is_any;
      memcpy(&is_any, is_above + k, sizeof is_any);
      if (is_any == 0) continue; /* few of very many are above */
      for (int at = k; at < k + 8; ++at) {
        indices[count] = (uint32_t)(i + at); /* count <= i + at: there is room */
        count += is_above[at];
      }
    }
  }
  for (; i < score_count; ++i) {
    indices[count] = (uint32_t)i;
    count += scores[i] > least;
  }
  return count;
}

/* Writes the keys of the candidates of a class; how many. */
INLINED uint64_t find_candidates(const armnn_suppression_t* task, const float* scores,
                                 const scratch_t* scratch) {
  uint64_t* keys = scratch->keys;
  if (task->has_least_score == 0) {
    for (uint64_t i = 0; i < task->box_count; ++i) keys[i] = key_of(scores[i], i);
    return task->box_count;
  }
  uint32_t* indices = scratch->indices;
  const uint64_t count = find_above(scores, task->box_count, task->least_score, indices);
  for (uint64_t i = 0; i < count; ++i) keys[i] = key_of(scores[indices[i]], indices[i]);
  return count;
}

/* Spreads keys over buckets in the order of the buckets, by the highest bits in which they differ;
 * |ends| says where each bucket ends in |spread|. The least and the greatest of several keys part:
 * no bucket has a 128th of their range. */
static void spread_keys(const uint64_t* keys, uint64_t count, uint64_t* spread, uint32_t* ends) {
  uint64_t least = UINT64_MAX, greatest = 0;
  for (uint64_t i = 0; i < count; ++i) {
    least = keys[i] < least ? keys[i] : least;
    greatest = keys[i] > greatest ? keys[i] : greatest;
  }
  const uint64_t range = greatest - least;
  const int shift = range < BUCKETS ? 0 : 64 - BUCKET_BITS - __builtin_clzll(range);
  memset(ends, 0, BUCKETS * sizeof *ends);
  for (uint64_t i = 0; i < count; ++i) ++ends[(keys[i] - least) >> shift];
  uint32_t begin = 0;
  for (int b = 0; b < BUCKETS; ++b) {
    const uint32_t size = ends[b];
    ends[b] = begin;
    begin += size;
  }
  for (uint64_t i = 0; i < count; ++i) spread[ends[(keys[i] - least) >> shift]++] = keys[i];
}

/* |spare| has room for as many keys. */
static void sort_keys(uint64_t* keys, uint64_t count, uint64_t* spare) {
  if (count > FEW) {
    uint32_t ends[BUCKETS];
    spread_keys(keys, count, spare, ends);
    memcpy(keys, spare, (size_t)count * sizeof *keys);
    for (uint32_t b = 0, begin = 0; b < BUCKETS; begin = ends[b++]) {
      sort_keys(keys + begin, ends[b] - begin, spare + begin);
    }
    return;
  }
  for (uint64_t i = 1; i < count; ++i) {
    const uint64_t key = keys[i];
    uint64_t place = i;
    for (; place > 0 && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
    keys[place] = key;
  }
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* Writes the boxes of one class that are kept, into the third column of |rows|; how many. Buckets
 * of candidates are sorted one by one, as far as they are needed. */
INLINED uint64_t suppress_class(const armnn_suppression_t* task, const scratch_t* scratch,
                                const float* scores, uint64_t most, int64_t* rows) {
  uint64_t* keys = scratch->sorted;
  uint64_t* spare = scratch->keys;
  const uint64_t count = find_candidates(task, scores, scratch);
  if (count == 0) return 0;
  uint32_t ends[BUCKETS];
  uint64_t kept = 0;
  spread_keys(spare, count, keys, ends);
  for (uint32_t b = 0, i = 0; b < BUCKETS && i < count; ++b) {
    sort_keys(keys + i, ends[b] - i, spare + i);
    for (; i < ends[b]; ++i) {
      const uint32_t index = (uint32_t)keys[i];
      const box_t* box = &scratch->boxes[index];
      if (is_covered(scratch->kept, kept, box, task->overlap)) continue;
      keep(scratch->kept, kept, box);
      rows[3 * kept + 2] = index;
      if (++kept == most) return kept;
    }
  }
  return kept;
}

typedef uint64_t (*suppress_fn_t)(const armnn_suppression_t* task, const scratch_t* scratch,
                                  const float* scores, uint64_t most, int64_t* rows);

static uint64_t suppress_plainly(const armnn_suppression_t* task, const scratch_t* scratch,
                                 const float* scores, uint64_t most, int64_t* rows) {
  return suppress_class(task, scratch, scores, most, rows);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint64_t suppress_by_avx2(const armnn_suppression_t* task,
                                                                 const scratch_t* scratch,
                                                                 const float* scores, uint64_t most,
                                                                 int64_t* rows) {
  return suppress_class(task, scratch, scores, most, rows);
}
#endif

static suppress_fn_t choose(void) {
#if defined(__x86_64__)
  const armnn_host_t* host = armnn_core_host();
  if ((host->cpu_features(host->context) & ARMNN_CPU_X86_AVX2) != 0) return suppress_by_avx2;
#endif
  return suppress_plainly;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* One piece of memory, which begins at |boxes|; false when memory is out. */
static bool make_scratch(scratch_t* scratch, uint64_t boxes, uint64_t most) {
  const uint64_t of_boxes = armnn_i_round_to_line(boxes * sizeof(box_t));
  const uint64_t of_indices = armnn_i_round_to_line(boxes * sizeof(uint32_t));
  const uint64_t of_keys = armnn_i_round_to_line(boxes * sizeof(uint64_t));
  const uint64_t of_kept = (most + LANES - 1) / LANES * sizeof(kept_t);
  const uint64_t size = of_boxes + of_indices + 2 * of_keys + of_kept;
  unsigned char* memory = (unsigned char*)armnn_i_alloc(size, ARMNN_CACHE_LINE);
  if (memory == NULL) return false;
  scratch->boxes = (box_t*)memory;
  scratch->indices = (uint32_t*)(memory += of_boxes);
  scratch->keys = (uint64_t*)(memory += of_indices);
  scratch->sorted = (uint64_t*)(memory += of_keys);
  scratch->kept = (kept_t*)(memory + of_keys);
  return true;
}

armnn_status_t armnn_core_suppress_boxes(const armnn_suppression_t* task, uint64_t* next_class,
                                         int64_t* out_rows, uint64_t capacity,
                                         uint64_t* out_count) {
  const uint64_t boxes = task->box_count, classes = task->class_count;
  const uint64_t most = task->most < boxes ? task->most : boxes;
  *out_count = 0;
  if (boxes > UINT32_MAX || most > capacity) return ARMNN_STATUS_INVALID_ARGUMENT;
  if (classes != 0 && task->batch_count > UINT64_MAX / classes)
    return ARMNN_STATUS_INVALID_ARGUMENT;
  const uint64_t end = task->batch_count * classes;
  if (*next_class >= end) return ARMNN_STATUS_OK;
  if (most == 0) {
    *next_class = end;
    return ARMNN_STATUS_OK;
  }

  scratch_t scratch;
  if (!make_scratch(&scratch, boxes, most)) return ARMNN_STATUS_OUT_OF_MEMORY;
  const suppress_fn_t suppress = choose();
  uint64_t number = *next_class, count = 0, batch_of_corners = UINT64_MAX;
  for (; number < end && capacity - count >= most; ++number) {
    const uint64_t batch = number / classes;
    if (batch != batch_of_corners) find_corners(task, batch, scratch.boxes);
    batch_of_corners = batch;
    int64_t* rows = out_rows + 3 * count;
    const uint64_t kept = suppress(task, &scratch, task->scores + number * boxes, most, rows);
    for (uint64_t i = 0; i < kept; ++i) {
      rows[3 * i] = (int64_t)batch;
      rows[3 * i + 1] = (int64_t)(number % classes);
    }
    count += kept;
  }
  armnn_i_free(scratch.boxes);
  *next_class = number;
  *out_count = count;
  return ARMNN_STATUS_OK;
}
