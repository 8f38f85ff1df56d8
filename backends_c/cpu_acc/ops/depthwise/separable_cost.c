/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * separable_cost.c - when a depthwise convolution and the 1x1 around it are one operator, and how
 * its work is cut.
 *
 * What is gained are the ways of the tensors between to memory, or the third cache, and back; they
 * are made and used in the second one. That pays as long as weights stay there beside them: they
 * are read once for each strip.
 */
#include "ops/caches.h"
#include "separable.h"

/* Rows at hand and weights together take at most three quarters of the second cache, weights at
 * most a half. */
#define ROOM(cache) ((cache) / 4 * 3)
#define MOST_WEIGHTS(cache) ((cache) / 2)
/* Rows of a strip: more would not read weights noticeably less often. */
#define MOST_STRIP_ROWS 4
/* Of the expanded rows, one in so many may be computed twice. */
#define TWICE_SHARE 6

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

uint64_t armnn_i_acc_separable_operations(const armnn_i_acc_separable_t* what) {
  const int64_t channels = what->depthwise->groups;
  const int64_t in = armnn_i_acc_count(&what->input), out = armnn_i_acc_count(&what->output);
  const int64_t pixels = out / most(what->output.dims[3], 1);
  int64_t products = pixels * channels * what->depthwise->kernel_y * what->depthwise->kernel_x;
  if (what->expand != NULL) products += in * channels;
  if (what->project != NULL) products += out * channels;
  return 2 * (uint64_t)products;
}

/* Bytes of all weights. */
static int64_t weights_size(const armnn_i_acc_separable_t* what) {
  const armnn_i_acc_convolution_t* depthwise = what->depthwise;
  int64_t columns = depthwise->kernel_y * depthwise->kernel_x;
  if (what->expand != NULL) columns += what->input.dims[3];
  if (what->project != NULL) columns += what->output.dims[3];
  return columns * depthwise->groups * (int64_t)sizeof(float);
}

/* Bytes of rows: expanded ones and filtered ones, or 0; of the input and the output. */
typedef struct row_sizes_t {
  int64_t expanded, filtered, input, output;
} row_sizes_t;

static row_sizes_t row_sizes(const armnn_i_acc_separable_t* what) {
  const int64_t size = sizeof(float), channels = what->depthwise->groups;
  return (row_sizes_t){
      .expanded = what->expand != NULL ? what->input.dims[2] * channels * size : 0,
      .filtered = what->project != NULL ? what->output.dims[2] * channels * size : 0,
      .input = what->input.dims[2] * what->input.dims[3] * size,
      .output = what->output.dims[2] * what->output.dims[3] * size,
  };
}

/* Expanded rows that a strip of |rows| rows sees. */
static int64_t seen_rows(const armnn_i_acc_convolution_t* depthwise, int64_t rows) {
  return (rows - 1) * depthwise->stride_y + armnn_i_acc_separable_reach(depthwise);
}

/* Bytes of the rows that a strip of |rows| works on. */
static int64_t strip_size(const armnn_i_acc_separable_t* what, int64_t rows) {
  const row_sizes_t sizes = row_sizes(what);
  const int64_t seen = seen_rows(what->depthwise, rows);
  return seen * (what->expand != NULL ? sizes.expanded : sizes.input) +
         rows * (sizes.filtered + sizes.output);
}

/* Items of an image: a few for each thread, but no more than what is computed twice allows. */
static int64_t count_items(const armnn_i_acc_separable_t* what, int64_t threads) {
  if (threads == 1) return 1;
  const int64_t rows = what->output.dims[1], images = most(what->output.dims[0], 1);
  const int64_t wanted = armnn_i_acc_ceil_div(4 * threads, images);
  const int64_t twice = armnn_i_acc_separable_reach(what->depthwise) - what->depthwise->stride_y;
  int64_t items = least(wanted, rows);
  if (what->expand != NULL && twice > 0) {
    const int64_t allowed = rows * what->depthwise->stride_y / (TWICE_SHARE * twice);
    items = least(items, most(allowed, least(armnn_i_acc_ceil_div(threads, images), rows)));
  }
  return most(items, 1);
}

armnn_i_acc_separable_cut_t armnn_i_acc_cut_separable(const armnn_i_acc_separable_t* what,
                                                      uint32_t threads) {
  const int64_t rows = what->output.dims[1];
  const int64_t cache = (int64_t)armnn_i_acc_second_cache();
  const int64_t room = most(ROOM(cache) - weights_size(what), cache / 4);
  armnn_i_acc_separable_cut_t cut = {.item_rows = rows, .items = 1, .strip_rows = 1};
  const int64_t items = count_items(what, threads);
  cut.item_rows = most(armnn_i_acc_ceil_div(rows, items), 1);
  cut.items = armnn_i_acc_ceil_div(rows, cut.item_rows);
  const int64_t limit = least(MOST_STRIP_ROWS, cut.item_rows);
  while (cut.strip_rows < limit && strip_size(what, cut.strip_rows + 1) <= room) ++cut.strip_rows;
  if (cut.strip_rows > 1) cut.strip_rows -= cut.strip_rows % 2; /* kernels do two rows together */
  if (what->project != NULL) cut.filtered_rows = cut.strip_rows;
  if (what->expand == NULL) return cut;
  /* The more rows there is room for, the fewer are moved to the front. */
  const int64_t seen = seen_rows(what->depthwise, cut.strip_rows);
  const int64_t left = most(room - strip_size(what, cut.strip_rows), 0);
  cut.expanded_rows =
      least(seen + left / most(row_sizes(what).expanded, 1), most(what->input.dims[1], 1));
  cut.expanded_rows = most(cut.expanded_rows, least(seen, most(what->input.dims[1], 1)));
  return cut;
}

bool armnn_i_acc_choose_separable(const armnn_i_acc_maker_t* maker,
                                  const armnn_i_acc_separable_t* what) {
  if (maker->separable == ARMNN_ACC_OFF) return false;
  if (maker->separable == ARMNN_ACC_ALWAYS) return true;
  const int64_t cache = (int64_t)armnn_i_acc_second_cache(), weights = weights_size(what);
  if (weights > MOST_WEIGHTS(cache) || weights + strip_size(what, 1) > ROOM(cache)) return false;
  const row_sizes_t sizes = row_sizes(what);
  const int64_t images = what->output.dims[0];
  const int64_t between =
      images * most(what->input.dims[1] * sizes.expanded, what->output.dims[1] * sizes.filtered);
  if (between <= cache) return false;
  /* With many threads, short items would compute much twice. */
  const uint32_t threads = armnn_i_acc_threads(maker, armnn_i_acc_separable_operations(what));
  const armnn_i_acc_separable_cut_t cut = armnn_i_acc_cut_separable(what, threads);
  const int64_t twice = armnn_i_acc_separable_reach(what->depthwise) - what->depthwise->stride_y;
  return what->expand == NULL || cut.items == 1 ||
         TWICE_SHARE * twice <= cut.item_rows * what->depthwise->stride_y;
}
