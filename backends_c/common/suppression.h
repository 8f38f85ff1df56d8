/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * suppression.h - non-maximum suppression: in each class boxes are taken by descending score, and
 * one that shares too much with a box that was kept before is left out.
 *
 * Corners, areas and shares are float32, each operation rounded by itself: compile with
 * -ffp-contract=off. Of equal scores the lower box comes first, scores of NaN come last. A box with
 * a NaN, or an area that is not finite, covers nothing.
 */
#ifndef ARMNN_SUPPRESSION_H_
#define ARMNN_SUPPRESSION_H_

#include <math.h>

#include "armnn/backend_kit.h"

#define ARMNN_INLINED static inline __attribute__((always_inline))

/* Kept boxes that a candidate is compared with at once, and scores with the threshold: vectors for
 * the compiler. */
enum { ARMNN_BOX_LANES = 16, ARMNN_BUCKETS = 256 };

typedef struct armnn_box_t {
  float low[2], high[2], area;
} armnn_box_t;

/* Some of the boxes that are kept; those behind the last one are zero and share nothing. */
typedef struct armnn_kept_boxes_t {
  float low[2][ARMNN_BOX_LANES], high[2][ARMNN_BOX_LANES], area[ARMNN_BOX_LANES];
} armnn_kept_boxes_t;

typedef struct armnn_kept_box_t {
  uint32_t box;
  float score;
} armnn_kept_box_t;

/* The parameters of a suppression, and memory for one class at a time. */
typedef struct armnn_suppression_t {
  float overlap; /* a share above it suppresses */
  float least;   /* a softened score that is not above it suppresses */
  float sigma;   /* above 0, shares soften scores */
  armnn_box_t* boxes;
  uint64_t* candidates; /* keys, in the order of boxes ... */
  uint64_t* queue;      /* ... and of scores: each bucket is a heap */
  uint32_t* seen;       /* with how many kept boxes the score of a box was softened */
  armnn_kept_boxes_t* kept;
} armnn_suppression_t;

/* ---- Memory ---------------------------------------------------------------------------------- */

static inline uint64_t armnn_kept_bytes(uint64_t most) {
  return (most + ARMNN_BOX_LANES - 1) / ARMNN_BOX_LANES * sizeof(armnn_kept_boxes_t);
}

static inline uint64_t armnn_suppression_bytes(uint64_t boxes, uint64_t most) {
  return boxes * (2 * sizeof(uint64_t) + sizeof(armnn_box_t) + sizeof(uint32_t)) +
         armnn_kept_bytes(most);
}

/* |memory| is aligned for numbers of 64 bits. */
static inline void armnn_suppression_take(armnn_suppression_t* self, void* memory, uint64_t boxes,
                                          uint64_t most) {
  self->candidates = (uint64_t*)memory;
  self->queue = self->candidates + boxes;
  self->kept = (armnn_kept_boxes_t*)(void*)(self->queue + boxes);
  self->boxes = (armnn_box_t*)(void*)((char*)self->kept + armnn_kept_bytes(most));
  self->seen = (uint32_t*)(void*)(self->boxes + boxes);
}

/* ---- Candidates ------------------------------------------------------------------------------ */

/* The upper half of a key: less for a greater score, and most for NaN. */
ARMNN_INLINED uint32_t armnn_score_bits(float score) {
  uint32_t bits;
  score += 0.0f; /* -0 is 0 */
  memcpy(&bits, &score, sizeof bits);
  bits = bits >> 31 != 0 ? bits : ~bits & 0x7fffffffu;
  return score == score ? bits : UINT32_MAX;
}

/* Lower keys come first: the higher score, then the lower index. All keys differ. */
ARMNN_INLINED uint64_t armnn_candidate_key(float score, uint64_t index) {
  return (uint64_t)armnn_score_bits(score) << 32 | index;
}

ARMNN_INLINED float armnn_candidate_score(uint64_t key) {
  uint32_t bits = (uint32_t)(key >> 32);
  float score;
  bits = bits >> 31 != 0 ? bits : ~bits & 0x7fffffffu;
  memcpy(&score, &bits, sizeof score);
  return score;
}

/* Makes candidates of the boxes whose score is above |least|, or of all if it is null; how many. */
ARMNN_INLINED uint64_t armnn_find_candidates(const armnn_suppression_t* self, const float* scores,
                                             uint64_t boxes, const float* least) {
  const uint32_t all = least == NULL;
  const float limit = all ? 0.0f : *least;
  uint64_t count = 0, i = 0;
  for (; boxes - i >= ARMNN_BOX_LANES; i += ARMNN_BOX_LANES) {
    uint32_t is_any = 0, is_above[ARMNN_BOX_LANES], bits[ARMNN_BOX_LANES];
    for (uint32_t k = 0; k < ARMNN_BOX_LANES; ++k) {
      is_above[k] = all | (scores[i + k] > limit);
      is_any |= is_above[k];
    }
    if (is_any == 0) continue; /* few of very many are above */
    for (uint32_t k = 0; k < ARMNN_BOX_LANES; ++k) bits[k] = armnn_score_bits(scores[i + k]);
    for (uint32_t k = 0; k < ARMNN_BOX_LANES; ++k) {
      self->candidates[count] = (uint64_t)bits[k] << 32 | (i + k);
      count += is_above[k];
    }
  }
  for (; i < boxes; ++i) {
    self->candidates[count] = armnn_candidate_key(scores[i], i);
    count += all | (scores[i] > limit);
  }
  return count;
}

/* Spreads candidates over buckets in the order of the buckets, by the highest bits in which they
 * differ; |ends| says where each bucket ends in the queue. */
ARMNN_INLINED void armnn_spread_candidates(const armnn_suppression_t* self, uint64_t count,
                                           uint32_t ends[ARMNN_BUCKETS]) {
  const uint64_t* keys = self->candidates;
  uint64_t least = UINT64_MAX, greatest = 0;
  for (uint64_t i = 0; i < count; ++i) {
    least = keys[i] < least ? keys[i] : least;
    greatest = keys[i] > greatest ? keys[i] : greatest;
  }
  int shift = 0;
  while (count > 0 && (greatest - least) >> shift >= ARMNN_BUCKETS) ++shift;
  memset(ends, 0, ARMNN_BUCKETS * sizeof *ends);
  for (uint64_t i = 0; i < count; ++i) ++ends[(keys[i] - least) >> shift];
  uint32_t begin = 0;
  for (int b = 0; b < ARMNN_BUCKETS; ++b) {
    const uint32_t size = ends[b];
    ends[b] = begin;
    begin += size;
  }
  for (uint64_t i = 0; i < count; ++i) {
    self->queue[ends[(keys[i] - least) >> shift]++] = keys[i];
  }
}

/* Puts |key| at |place| of the queue or below, where no key below it is less. */
ARMNN_INLINED void armnn_sink_candidate(uint64_t* queue, uint64_t place, uint64_t count,
                                        uint64_t key) {
  for (uint64_t child; (child = 2 * place + 1) < count; place = child) {
    if (child + 1 < count) child += (uint64_t)(queue[child + 1] < queue[child]);
    if (queue[child] >= key) break;
    queue[place] = queue[child];
  }
  queue[place] = key;
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

ARMNN_INLINED float armnn_least_of(float a, float b) { return a < b ? a : b; }
ARMNN_INLINED float armnn_greatest_of(float a, float b) { return a < b ? b : a; }

/* Two corners, in any order, or with |by_center| a center and sizes. */
ARMNN_INLINED armnn_box_t armnn_box_of(const float* from, int by_center) {
  armnn_box_t box;
  for (int side = 0; side < 2; ++side) {
    if (by_center) {
      const float half = from[2 + side] / 2.0f;
      box.low[side] = from[side] - half;
      box.high[side] = from[side] + half;
    } else {
      const int is_swapped = from[side] >= from[2 + side];
      box.low[side] = from[is_swapped ? 2 + side : side];
      box.high[side] = from[is_swapped ? side : 2 + side];
    }
  }
  box.area = (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]);
  return box;
}

/* The part of what |box| and a kept one cover that both cover. A shared area is at most either
 * area, also when all are rounded, so that the whole is above 0 where it is; where it is 0, the
 * share is 0 or no number. */
ARMNN_INLINED float armnn_share(const armnn_kept_boxes_t* kept, int lane, const armnn_box_t* box) {
  float sides[2];
  for (int side = 0; side < 2; ++side) {
    sides[side] = armnn_least_of(box->high[side], kept->high[side][lane]) -
                  armnn_greatest_of(box->low[side], kept->low[side][lane]);
  }
  const float shared = armnn_greatest_of(sides[0], 0.0f) * armnn_greatest_of(sides[1], 0.0f);
  return shared / (box->area + kept->area[lane] - shared);
}

ARMNN_INLINED int armnn_is_covered(const armnn_suppression_t* self, uint64_t count,
                                   const armnn_box_t* of) {
  const armnn_box_t box = *of;
  const armnn_kept_boxes_t* kept = self->kept;
  for (uint64_t begin = 0; begin < count; begin += ARMNN_BOX_LANES, ++kept) {
    int is_any = 0;
    for (int i = 0; i < ARMNN_BOX_LANES; ++i) is_any |= armnn_share(kept, i, &box) > self->overlap;
    if (is_any) return 1;
  }
  return 0;
}

/* |score|, softened by the kept boxes from |from| on, the last one first. */
static inline float armnn_softened(const armnn_suppression_t* self, uint64_t from, uint64_t count,
                                   const armnn_box_t* box, float score) {
  const float scale = (float)(-0.5 / (double)self->sigma);
  for (uint64_t k = count; k-- > from;) {
    const float share = armnn_share(&self->kept[k / ARMNN_BOX_LANES], k % ARMNN_BOX_LANES, box);
    if (share > 0.0f) score *= (float)exp((double)(scale * share * share));
    if (score <= self->least) break;
  }
  return score;
}

ARMNN_INLINED void armnn_keep_box(const armnn_suppression_t* self, uint64_t count,
                                  const armnn_box_t* box) {
  const uint64_t lane = count % ARMNN_BOX_LANES;
  armnn_kept_boxes_t* kept = self->kept + count / ARMNN_BOX_LANES;
  if (lane == 0) memset(kept, 0, sizeof *kept);
  for (int side = 0; side < 2; ++side) {
    kept->low[side][lane] = box->low[side];
    kept->high[side][lane] = box->high[side];
  }
  kept->area[lane] = box->area;
}

/* ---- Suppression ----------------------------------------------------------------------------- */

/* Takes the best of |count| keys of a queue, until |most| are kept of |kept|; how many are kept. A
 * candidate whose score is softened waits for its turn again. */
static inline uint64_t armnn_suppress_queue(const armnn_suppression_t* self, uint64_t* queue,
                                            uint64_t count, uint64_t kept, uint64_t most,
                                            armnn_kept_box_t* out) {
  const int is_soft = self->sigma > 0.0f;
  for (uint64_t i = count / 2; i-- > 0;) armnn_sink_candidate(queue, i, count, queue[i]);
  while (count > 0 && kept < most) {
    const uint32_t index = (uint32_t)queue[0];
    const armnn_box_t* box = &self->boxes[index];
    const float score = armnn_candidate_score(queue[0]);
    uint64_t next = queue[--count];
    if (!armnn_is_covered(self, kept, box)) {
      const float now = is_soft ? armnn_softened(self, self->seen[index], kept, box, score) : score;
      if (!is_soft || now == score) {
        armnn_keep_box(self, kept, box);
        out[kept++] = (armnn_kept_box_t){index, score};
      } else if (now > self->least) {
        self->seen[index] = (uint32_t)kept;
        next = armnn_candidate_key(now, index);
        ++count;
      }
    }
    armnn_sink_candidate(queue, 0, count, next);
  }
  return kept;
}

/* Writes the best of |count| candidates of |boxes|, at most |most|, the best first; how many. */
ARMNN_INLINED uint64_t armnn_suppress(const armnn_suppression_t* self, uint64_t count,
                                      uint64_t boxes, uint64_t most, armnn_kept_box_t* out) {
  if (self->sigma > 0.0f) { /* scores change: one queue for all */
    memset(self->seen, 0, (size_t)boxes * sizeof *self->seen);
    return armnn_suppress_queue(self, self->candidates, count, 0, most, out);
  }
  uint32_t ends[ARMNN_BUCKETS];
  uint64_t kept = 0;
  armnn_spread_candidates(self, count, ends);
  for (uint32_t b = 0, begin = 0; b < ARMNN_BUCKETS && kept < most; begin = ends[b++]) {
    kept = armnn_suppress_queue(self, self->queue + begin, ends[b] - begin, kept, most, out);
  }
  return kept;
}

/* ---- The layer NON_MAX_SUPPRESSION ----------------------------------------------------------- */

typedef struct armnn_suppression_layer_t {
  const armnn_non_max_suppression_descriptor_t* parameters;
  uint64_t batches, classes, boxes, most; /* boxes that a class keeps */
} armnn_suppression_layer_t;

static inline armnn_suppression_layer_t armnn_suppression_layer(
    const armnn_non_max_suppression_descriptor_t* d, uint64_t batches, uint64_t classes,
    uint64_t boxes) {
  return (armnn_suppression_layer_t){d, batches, classes, boxes,
                                     d->max_output_boxes < boxes ? d->max_output_boxes : boxes};
}

static inline uint64_t armnn_suppression_layer_bytes(const armnn_suppression_layer_t* layer) {
  return armnn_suppression_bytes(layer->boxes, layer->most) +
         layer->most * sizeof(armnn_kept_box_t);
}

/* Writes all three outputs; |memory| has room for armnn_suppression_layer_bytes. */
ARMNN_INLINED void armnn_run_suppression_layer(const armnn_suppression_layer_t* layer,
                                               const float* boxes, const float* scores,
                                               void* memory, int32_t* indices, float* best,
                                               int32_t* count) {
  const armnn_non_max_suppression_descriptor_t* d = layer->parameters;
  const float* least = d->has_score_threshold != 0 ? &d->score_threshold : NULL;
  const uint64_t most = layer->most, classes = layer->batches * layer->classes;
  armnn_suppression_t self = {.overlap = d->iou_threshold,
                              .least = least != NULL ? *least : -INFINITY,
                              .sigma = d->soft_nms_sigma};
  armnn_kept_box_t* kept = (armnn_kept_box_t*)memory;
  armnn_suppression_take(&self, kept + most, layer->boxes, most);
  uint64_t found = 0;
  for (uint64_t c = 0; c < classes && most > 0; ++c) {
    const uint64_t batch = c / layer->classes;
    for (uint64_t i = 0; i < layer->boxes && c % layer->classes == 0; ++i) {
      const float* from = boxes + (batch * layer->boxes + i) * 4;
      self.boxes[i] = armnn_box_of(from, d->center_point_box != 0);
    }
    const uint64_t candidates =
        armnn_find_candidates(&self, scores + c * layer->boxes, layer->boxes, least);
    const uint64_t end = found + armnn_suppress(&self, candidates, layer->boxes, most, kept);
    for (const armnn_kept_box_t* one = kept; found < end; ++found, ++one) {
      indices[3 * found] = (int32_t)batch;
      indices[3 * found + 1] = (int32_t)(c % layer->classes);
      indices[3 * found + 2] = (int32_t)one->box;
      best[found] = one->score;
    }
  }
  const size_t rest = (size_t)(classes * most - found);
  if (rest > 0) {
    memset(indices + 3 * found, 0, 3 * rest * sizeof *indices);
    memset(best + found, 0, rest * sizeof *best);
  }
  *count = (int32_t)found;
}

#endif /* ARMNN_SUPPRESSION_H_ */
