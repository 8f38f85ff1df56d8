/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_suppression.c - non-maximum suppression beside a plain loop over all pairs of boxes.
 */
#include <math.h>
#include <stdlib.h>

#include "core.h"
#include "harness.h"

#define MOST_BOXES 700
#define CLASSES 3
#define BATCHES 2
#define NUMBERS (BATCHES * CLASSES)

typedef struct case_t {
  armnn_suppression_t task;
  float boxes[BATCHES * MOST_BOXES * 4], scores[NUMBERS * MOST_BOXES];
  int64_t expected[NUMBERS * MOST_BOXES * 3];
  uint64_t expected_count;
} case_t;

/* With the instructions that this processor has, and without any that not all have. */
static void with_features(void (*test)(void)) {
  test();
  atomic_store(&armnn_i_core.cpu_features, UINT64_C(1) << 63);
  test();
  atomic_store(&armnn_i_core.cpu_features, 0);
}

/* ---- What is expected ------------------------------------------------------------------------ */

static void corners_of(const case_t* c, const float* box, float low[2], float high[2]) {
  for (int side = 0; side < 2; ++side) {
    const float a = box[side], b = box[2 + side];
    low[side] = c->task.by_center ? a - b / 2 : fminf(a, b);
    high[side] = c->task.by_center ? a + b / 2 : fmaxf(a, b);
  }
}

static bool is_too_near(const case_t* c, const float* a, const float* b) {
  float low_a[2], high_a[2], low_b[2], high_b[2], sides[2];
  for (int i = 0; i < 4; ++i) {
    if (a[i] != a[i] || b[i] != b[i]) return false;
  }
  corners_of(c, a, low_a, high_a);
  corners_of(c, b, low_b, high_b);
  for (int side = 0; side < 2; ++side) {
    sides[side] = fminf(high_a[side], high_b[side]) - fmaxf(low_a[side], low_b[side]);
    if (!(sides[side] > 0)) return false;
  }
  const float shared = sides[0] * sides[1];
  const float area_a = (high_a[0] - low_a[0]) * (high_a[1] - low_a[1]);
  const float area_b = (high_b[0] - low_b[0]) * (high_b[1] - low_b[1]);
  return shared / (area_a + area_b - shared) > c->task.overlap;
}

/* Takes the best box that is left, again and again. */
static void expect_class(case_t* c, uint64_t batch, uint64_t number) {
  const uint64_t count = c->task.box_count;
  const float* boxes = c->boxes + batch * count * 4;
  const float* scores = c->scores + (batch * c->task.class_count + number) * count;
  bool is_left[MOST_BOXES];
  for (uint64_t i = 0; i < count; ++i) {
    is_left[i] = !c->task.has_least_score || scores[i] > c->task.least_score;
  }
  for (uint64_t kept = 0; kept < c->task.most; ++kept) {
    uint64_t best = count;
    for (uint64_t i = 0; i < count; ++i) {
      if (!is_left[i]) continue;
      if (best == count || scores[i] > scores[best] ||
          (scores[best] != scores[best] && scores[i] == scores[i])) {
        best = i;
      }
    }
    if (best == count) return;
    int64_t* row = c->expected + 3 * c->expected_count++;
    row[0] = (int64_t)batch, row[1] = (int64_t)number, row[2] = (int64_t)best;
    is_left[best] = false;
    for (uint64_t i = 0; i < count; ++i) {
      is_left[i] = is_left[i] && !is_too_near(c, boxes + 4 * best, boxes + 4 * i);
    }
  }
}

static float pick(uint64_t* state, const float* values, uint64_t count) {
  return values[random_below(state, count)];
}

/* Coordinates and scores that often meet, with some that are no numbers or have no end. */
static void draw(case_t* c, uint64_t* state) {
  static const float overlaps[] = {0.0f, 0.2f, 0.3f, 0.5f, 0.7f, 0.999f, 1.0f};
  static const float leasts[] = {-INFINITY, -1.0f, 0.0f, 0.5f, 0.9f, INFINITY, NAN};
  static const float strange[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, -0.0f};
  static const uint64_t mosts[] = {0, 1, 2, 5, 16, 17, 100, UINT64_MAX};
  memset(c, 0, sizeof *c);
  const uint64_t count = random_below(state, random_below(state, 2) ? 20 : MOST_BOXES + 1);
  c->task = (armnn_suppression_t){
      .boxes = c->boxes,
      .scores = c->scores,
      .batch_count = random_below(state, BATCHES + 1),
      .class_count = random_below(state, CLASSES + 1),
      .box_count = count,
      .most = mosts[random_below(state, sizeof mosts / sizeof mosts[0])],
      .overlap = pick(state, overlaps, sizeof overlaps / sizeof overlaps[0]),
      .least_score = pick(state, leasts, sizeof leasts / sizeof leasts[0]),
      .has_least_score = (uint32_t)random_below(state, 2),
      .by_center = (uint32_t)random_below(state, 2),
  };
  const uint64_t levels = random_below(state, 2) ? 5 : 1 << 20, odd = random_below(state, 3);
  const uint64_t places = 4 + random_below(state, 60);
  for (uint64_t i = 0; i < c->task.batch_count * count * 4; ++i) {
    c->boxes[i] = (float)random_below(state, places) - (i % 4 < 2 ? 0.0f : (float)places / 8);
    if (odd == 1 && random_below(state, 40) == 0) c->boxes[i] = pick(state, strange, 7);
  }
  for (uint64_t i = 0; i < c->task.batch_count * c->task.class_count * count; ++i) {
    c->scores[i] = (float)random_below(state, levels) / (float)levels;
    if (odd == 2 && random_below(state, 20) == 0) c->scores[i] = pick(state, strange, 7);
  }
  for (uint64_t number = 0; number < c->task.batch_count * c->task.class_count; ++number) {
    expect_class(c, number / c->task.class_count, number % c->task.class_count);
  }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* All rows, in calls of |capacity| rows, whose memory ends where it must. */
static void check_rows(const case_t* c, uint64_t capacity) {
  const uint64_t end = c->task.batch_count * c->task.class_count;
  int64_t* rows = (int64_t*)malloc(capacity == 0 ? 1 : (size_t)capacity * 3 * sizeof *rows);
  CHECK(rows != NULL);
  uint64_t next = 0, done = 0, count = 99;
  do {
    const uint64_t before = next;
    CHECK_EQUAL(armnn_core_suppress_boxes(&c->task, &next, rows, capacity, &count),
                ARMNN_STATUS_OK);
    CHECK(next > before || end == 0);
    CHECK(done + count <= c->expected_count);
    CHECK(count == 0 || memcmp(rows, c->expected + 3 * done, (size_t)count * 24) == 0);
    done += count;
  } while (next < end);
  CHECK_EQUAL(next, end);
  CHECK_EQUAL(done, c->expected_count);
  free(rows);
}

static void check_random_boxes(void) {
  static case_t c;
  uint64_t state = 28;
  for (int turn = 0; turn < 300; ++turn) {
    draw(&c, &state);
    const uint64_t boxes = c.task.box_count;
    const uint64_t least = c.task.most < boxes ? c.task.most : boxes;
    check_rows(&c, least);
    check_rows(&c, least + random_below(&state, 50));
    check_rows(&c, NUMBERS * MOST_BOXES);
  }
}

static void random_boxes_are_kept_as_by_all_pairs(void) { with_features(check_random_boxes); }

/* Keys that differ in low bits alone, in one that is far from the others, and in none but the
 * place: each bucket must be smaller than what is spread over them. */
static void scores_that_are_near_one_another_are_sorted(void) {
  enum { COUNT = 100000 };
  float* boxes = (float*)calloc(COUNT * 4, sizeof *boxes);
  float* scores = (float*)malloc(COUNT * sizeof *scores);
  int64_t* rows = (int64_t*)malloc(COUNT * 3 * sizeof *rows);
  CHECK(boxes != NULL && scores != NULL && rows != NULL);
  const armnn_suppression_t task = {.boxes = boxes,
                                    .scores = scores,
                                    .batch_count = 1,
                                    .class_count = 1,
                                    .box_count = COUNT,
                                    .most = 2000,
                                    .overlap = 0.5f};
  for (int kind = 0; kind < 3; ++kind) {
    for (uint64_t i = 0; i < COUNT; ++i) {
      scores[i] = kind == 0 ? 1.0f : 1.0f + (float)(i * 7919 % COUNT) * 0x1p-23f;
    }
    if (kind == 2) scores[77] = -INFINITY, scores[78] = INFINITY;
    uint64_t next = 0, count = 0;
    CHECK_EQUAL(armnn_core_suppress_boxes(&task, &next, rows, COUNT, &count), ARMNN_STATUS_OK);
    CHECK_EQUAL(count, 2000);
    for (uint64_t i = 1; i < count; ++i) {
      const int64_t a = rows[3 * i - 1], b = rows[3 * i + 2];
      CHECK(scores[a] > scores[b] || (scores[a] == scores[b] && a < b));
    }
    CHECK_EQUAL(rows[2], kind == 2 ? 78 : kind == 0 ? 0 : rows[2]);
  }
  free(boxes), free(scores), free(rows);
}

static void numbers_that_are_too_large_are_refused(void) {
  float boxes[8] = {0}, scores[2] = {0};
  int64_t rows[6];
  uint64_t next = 0, count = 99;
  const armnn_suppression_t good = {.boxes = boxes,
                                    .scores = scores,
                                    .batch_count = 1,
                                    .class_count = 1,
                                    .box_count = 2,
                                    .most = 2};
  armnn_suppression_t task = good;
  CHECK_EQUAL(armnn_core_suppress_boxes(&task, &next, rows, 1, &count),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(count, 0);
  task.box_count = UINT64_C(1) << 32;
  task.most = 1;
  CHECK_EQUAL(armnn_core_suppress_boxes(&task, &next, rows, 2, &count),
              ARMNN_STATUS_INVALID_ARGUMENT);
  task = good;
  task.batch_count = task.class_count = UINT64_C(1) << 33;
  CHECK_EQUAL(armnn_core_suppress_boxes(&task, &next, rows, 2, &count),
              ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(next, 0);
  CHECK_EQUAL(armnn_core_suppress_boxes(&good, &next, rows, 2, &count), ARMNN_STATUS_OK);
  CHECK_EQUAL(count, 2);
  CHECK_EQUAL(next, 1);
  CHECK_EQUAL(armnn_core_suppress_boxes(&good, &next, rows, 2, &count), ARMNN_STATUS_OK);
  CHECK_EQUAL(count, 0);
}

static const test_t tests[] = {
    TEST(random_boxes_are_kept_as_by_all_pairs),
    TEST(scores_that_are_near_one_another_are_sorted),
    TEST(numbers_that_are_too_large_are_refused),
};

MAIN(tests)
