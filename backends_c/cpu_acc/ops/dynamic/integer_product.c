/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * integer_product.c - rows of 8-bit numbers by constant weights of 8 bits, summed up exactly.
 *
 * A block of rows becomes bytes or levels first, as the packed weights want them, also where the
 * rows are float32 and are quantised on the way; then panels of channels follow, each with all
 * rows. Sums become the numbers of the output panel by panel; the epilogue goes over the rows of a
 * block at the end, while they are in cache.
 */
#include "dynamic_row.h"
#include "integer_weights.h"

enum { BLOCK_BYTES = 48 * 1024, ROWS_OF_TILES = 12, CHUNK = 256 };

typedef struct product_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_integer_product_t what;
  armnn_i_acc_integer_weights_t weights;
  const armnn_i_acc_dynamic_kernels_t* dynamic;
  const armnn_i_acc_elementwise_kernels_t* elementwise;
  bool is_real;   /* a float32 output */
  int64_t ranges; /* how many rows have a range of their own; 1: the same for all; 0: none */
  int64_t rows, channels;
  int64_t block_rows, blocks, parts;
  float *scales, *shifts; /* of a float32 output */
  uint64_t points_offset, sums_offset, thread_scratch;
  uint32_t threads;
} product_op_t;

typedef struct product_run_t {
  const product_op_t* op;
  const char *left, *range, *residual;
  char *output, *scratch;
} product_run_t;

/* ---- Numbers of a block -------------------------------------------------------------------- */

static int64_t range_row(const product_op_t* op, int64_t row) { return op->ranges > 1 ? row : 0; }

static armnn_dynamic_range_t range_of(const product_run_t* run, int64_t row) {
  return armnn_i_acc_range_of_row((const float*)(const void*)run->range, range_row(run->op, row),
                                  run->op->ranges);
}

/* The zero point of a row of bytes, as it is stored. */
static uint8_t stored_point(const product_run_t* run, int64_t row) {
  const product_op_t* op = run->op;
  return op->ranges > 0 ? ((const uint8_t*)run->range)[range_row(op, row)] : 0;
}

/* Unsigned bytes; returns their zero point. */
static int32_t read_bytes(const product_run_t* run, int64_t row, uint8_t* bytes) {
  const product_op_t* op = run->op;
  const armnn_i_acc_element_t element = op->what.left.element;
  const int64_t count = op->weights.depth;
  for (int64_t i = count; i < op->weights.width; ++i) bytes[i] = 0;
  if (element.type != ARMNN_DATA_TYPE_FLOAT32) {
    const uint8_t* in = (const uint8_t*)run->left + row * count;
    const uint8_t flip = element.type == ARMNN_DATA_TYPE_QASYMM_U8 ? 0 : 0x80;
    for (int64_t i = 0; i < count; ++i) bytes[i] = in[i] ^ flip;
    return stored_point(run, row) ^ flip;
  }
  const float* in = (const float*)(const void*)run->left + row * count;
  const armnn_dynamic_range_t range = range_of(run, row);
  if (!op->what.symmetric) {
    const armnn_i_acc_store_t store = {(int32_t)range.zero_point, 0, UINT8_MAX, 0};
    op->weights.quantized->elements->quantize(in, bytes, (size_t)count, range.scale, &store);
    return store.zero_point;
  }
  for (int64_t i = 0; i < count; i += CHUNK) {
    int16_t levels[CHUNK];
    const int64_t some = count - i < CHUNK ? count - i : CHUNK;
    op->dynamic->symmetric_levels(in + i, levels, (size_t)some, &range);
    for (int64_t k = 0; k < some; ++k) bytes[i + k] = (uint8_t)(levels[k] + 0x80);
  }
  return 0x80;
}

static void read_levels(const product_run_t* run, int64_t row, int16_t* levels) {
  const product_op_t* op = run->op;
  const armnn_i_acc_element_t element = op->what.left.element;
  const int64_t count = op->weights.depth;
  if (op->weights.width != count) levels[count] = 0;
  if (element.type != ARMNN_DATA_TYPE_FLOAT32) {
    const uint8_t* in = (const uint8_t*)run->left + row * count;
    const uint8_t flip = element.type == ARMNN_DATA_TYPE_QASYMM_U8 ? 0 : 0x80;
    const int16_t point = (int16_t)(stored_point(run, row) ^ flip);
    op->dynamic->byte_levels(in, levels, (size_t)count, flip, point);
    return;
  }
  const float* in = (const float*)(const void*)run->left + row * count;
  const armnn_dynamic_range_t range = range_of(run, row);
  (op->what.symmetric ? op->dynamic->symmetric_levels : op->dynamic->levels)(in, levels,
                                                                             (size_t)count, &range);
}

static void read_rows(const product_run_t* run, int64_t first, int64_t rows, char* numbers,
                      int32_t* points) {
  const product_op_t* op = run->op;
  const int64_t width = op->weights.width;
  for (int64_t i = 0; i < rows; ++i) {
    if (op->weights.bytes) {
      points[i] = read_bytes(run, first + i, (uint8_t*)numbers + i * width);
    } else {
      read_levels(run, first + i, (int16_t*)(void*)numbers + i * width);
    }
  }
}

/* ---- Sums to numbers ----------------------------------------------------------------------- */

static void store_panel(const product_run_t* run, int64_t first_row, int64_t rows, int64_t panel,
                        const int32_t* sums) {
  const product_op_t* op = run->op;
  const int64_t width = op->weights.panel, left = op->channels - panel * width;
  const size_t count = (size_t)(left < width ? left : width);
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = first_row + i, at = row * op->channels + panel * width;
    const int32_t* from = sums + i * width;
    if (!op->is_real) {
      memcpy(run->output + at * (int64_t)sizeof *from, from, count * sizeof *from);
      continue;
    }
    const float scale = op->what.scaled ? range_of(run, row).scale : 1.0f;
    op->dynamic->finish(from, (float*)(void*)run->output + at, count, scale,
                        op->scales + panel * width, op->shifts + panel * width);
  }
}

static void add_residual(const product_run_t* run, int64_t at, size_t rows, size_t columns) {
  const product_op_t* op = run->op;
  float* out = (float*)(void*)run->output + at;
  const armnn_i_acc_binary_job_t job = {
      .left = out,
      .right = (const float*)(const void*)run->residual + at,
      .out = out,
      .left_stride = op->channels,
      .right_stride = op->channels,
      .out_stride = op->channels,
      .rows = rows,
      .columns = columns,
      .low = -INFINITY,
      .high = INFINITY,
  };
  op->elementwise->binary[ARMNN_BINARY_ADD][ARMNN_ACC_ARRAY_ARRAY](&job);
}

/* Of |columns| of the output from element |at| on. */
static void apply_epilogue(const product_run_t* run, int64_t at, size_t rows, size_t columns) {
  const product_op_t* op = run->op;
  const armnn_i_acc_epilogue_t* epilogue = &op->what.epilogue;
  if (epilogue->has_residual && !epilogue->residual_last) add_residual(run, at, rows, columns);
  if (epilogue->function != ARMNN_ACC_IDENTITY) {
    armnn_i_acc_apply_rows(op->elementwise->apply[epilogue->function],
                           (float*)(void*)run->output + at, rows, columns, (size_t)op->channels,
                           epilogue->a, epilogue->b);
  }
  if (epilogue->has_residual && epilogue->residual_last) add_residual(run, at, rows, columns);
}

/* ---- Running ------------------------------------------------------------------------------- */

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const product_run_t* run = (const product_run_t*)argument;
  const product_op_t* op = run->op;
  const int64_t width = op->weights.panel;
  char* scratch = run->scratch + thread_index * op->thread_scratch;
  int32_t* points = (int32_t*)(void*)(scratch + op->points_offset);
  int32_t* sums = (int32_t*)(void*)(scratch + op->sums_offset);
  int64_t ready = -1; /* the block whose numbers are there */
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t block = item / op->parts, part = item % op->parts, panels = op->weights.panels;
    const int64_t first_row = block * op->block_rows, left = op->rows - first_row;
    const int64_t rows = left < op->block_rows ? left : op->block_rows;
    const int64_t first = panels * part / op->parts, last = panels * (part + 1) / op->parts;
    if (block != ready) {
      read_rows(run, first_row, rows, scratch, points);
      ready = block;
    }
    for (int64_t p = first; p < last; ++p) {
      armnn_i_acc_sum_integers(&op->weights, p, scratch, points, rows, sums);
      store_panel(run, first_row, rows, p, sums);
    }
    const int64_t stop = last * width < op->channels ? last * width : op->channels;
    apply_epilogue(run, first_row * op->channels + first * width, (size_t)rows,
                   (size_t)(stop - first * width));
  }
  return ARMNN_STATUS_OK;
}

static void run_product(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const product_op_t* op = (const product_op_t*)base;
  product_run_t self = {.op = op,
                        .left = armnn_i_acc_address(run, &op->what.left),
                        .output = armnn_i_acc_address(run, &op->what.output),
                        .scratch = run->scratch};
  if (op->ranges > 0) self.range = armnn_i_acc_address(run, &op->what.range);
  if (op->what.epilogue.has_residual) {
    self.residual = armnn_i_acc_address(run, &op->what.epilogue.residual);
  }
  armnn_i_acc_parallel(run, run_items, &self, (uint64_t)(op->blocks * op->parts), 1, op->threads);
}

/* ---- Making -------------------------------------------------------------------------------- */

static void destroy(armnn_i_acc_op_t* op) {
  armnn_i_acc_free_integers(&((product_op_t*)op)->weights);
  armnn_i_acc_destroy_op(op);
}

/* Of blocks of at most |most| rows, and of some for each thread, so that each reads rows of its
 * own: nearly the same number. */
static int64_t even_rows(const product_op_t* op, int64_t most) {
  const int64_t least = 2 * ROWS_OF_TILES;
  const int64_t share = armnn_i_acc_ceil_div(op->rows, op->threads);
  if (most > share) most = share;
  if (most < least) most = least;
  return armnn_i_acc_ceil_div(op->rows, armnn_i_acc_ceil_div(op->rows, most));
}

static void plan_blocks(product_op_t* op) {
  const int64_t row = op->weights.width * (op->weights.bytes ? 1 : (int64_t)sizeof(int16_t));
  op->block_rows = BLOCK_BYTES / row / ROWS_OF_TILES * ROWS_OF_TILES;
  if (op->block_rows < 2 * ROWS_OF_TILES) op->block_rows = 2 * ROWS_OF_TILES;
  if (op->weights.bytes && op->weights.has_dot_product) {
    op->block_rows = even_rows(op, BLOCK_BYTES / row);
  }
  if (op->block_rows > op->rows) op->block_rows = op->rows;
  op->blocks = armnn_i_acc_ceil_div(op->rows, op->block_rows);
  op->parts = 1;
  while (op->threads > 1 && op->parts * 2 <= op->weights.panels &&
         op->blocks * op->parts < 3 * (int64_t)op->threads) {
    op->parts *= 2;
  }
  const uint64_t rows = (uint64_t)op->block_rows, line = ARMNN_ACC_LINE;
  op->points_offset = armnn_i_acc_round_up(rows * (uint64_t)row, line);
  op->sums_offset = op->points_offset + armnn_i_acc_round_up(rows * sizeof(int32_t), line);
  const uint64_t sums = rows * (uint64_t)op->weights.panel * sizeof(int32_t);
  op->thread_scratch = armnn_i_acc_round_up(op->sums_offset + sums, line);
  op->base.op.scratch_size = op->thread_scratch * op->threads;
}

static bool is_dense(const armnn_i_acc_integer_product_t* what) {
  return armnn_i_acc_is_dense(&what->left) && armnn_i_acc_is_dense(&what->output) &&
         (what->range.rank == 0 || armnn_i_acc_is_dense(&what->range)) &&
         (!what->epilogue.has_residual || armnn_i_acc_is_dense(&what->epilogue.residual));
}

armnn_status_t armnn_i_acc_make_integer_product(const armnn_i_acc_maker_t* maker,
                                                const armnn_i_acc_integer_product_t* what,
                                                armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_elementwise_kernels_t* elementwise =
      maker->isa->kernels[ARMNN_DATA_TYPE_FLOAT32]->elementwise;
  const int32_t function = what->epilogue.function;
  if (!is_dense(what)) return ARMNN_STATUS_UNSUPPORTED;
  if (function != ARMNN_ACC_IDENTITY && elementwise->apply[function] == NULL) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const int64_t depth = what->weights.dims[0], channels = what->weights.dims[1];
  armnn_i_acc_integer_weights_t weights;
  const armnn_status_t status =
      armnn_i_acc_pack_integers(maker, &what->weights, what->weight_zero_points, &weights);
  if (status != ARMNN_STATUS_OK) return status;
  void* extra = NULL;
  product_op_t* op = (product_op_t*)armnn_i_acc_new_op(
      maker, sizeof *op, (size_t)channels * 2 * sizeof(float), &extra);
  if (op == NULL) {
    armnn_i_acc_free_integers(&weights);
    return ARMNN_STATUS_OUT_OF_MEMORY;
  }
  op->what = *what;
  op->weights = weights;
  op->dynamic = maker->isa->dynamic;
  op->elementwise = elementwise;
  op->is_real = what->output.element.type == ARMNN_DATA_TYPE_FLOAT32;
  op->channels = channels;
  op->rows = armnn_i_acc_count(&what->left) / depth;
  if (what->range.rank > 0) {
    const bool is_range = what->left.element.type == ARMNN_DATA_TYPE_FLOAT32;
    op->ranges = armnn_i_acc_count(&what->range) / (is_range ? ARMNN_ACC_RANGE_ROWS : 1);
  }
  op->scales = (float*)extra;
  op->shifts = op->scales + channels;
  if (op->is_real) {
    memcpy(op->scales, what->scales, (size_t)channels * sizeof *op->scales);
    memcpy(op->shifts, what->shifts, (size_t)channels * sizeof *op->shifts);
  }
  op->what.weights.values = op->what.weight_zero_points = NULL;
  op->what.scales = op->what.shifts = NULL;
  op->base.op.destroy = destroy;
  op->base.op.run = run_product;
  const bool is_dot = op->weights.bytes && op->weights.has_dot_product;
  op->base.op.kernel = is_dot ? op->weights.quantized->byte_sums_name : op->dynamic->product_name;
  op->base.op.operations = 2 * (uint64_t)(op->rows * channels * depth);
  op->threads = armnn_i_acc_threads(maker, op->base.op.operations);
  plan_blocks(op);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
