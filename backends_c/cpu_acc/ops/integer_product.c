/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * integer_product.c - rows of 8-bit numbers by constant weights of 8 bits, summed up exactly.
 *
 * A block of rows becomes levels first, also where the rows are float32 and are quantised on the
 * way; then tiles of rows x panels of channels follow. Sums become the numbers of the output panel
 * by panel; the epilogue goes over the rows of a block at the end, while they are in cache.
 */
#include "../shared_weights.h"
#include "dynamic_row.h"

enum { BLOCK_LEVELS = 24 * 1024, LEAST_ROWS = 4 * ARMNN_ACC_LEVEL_ROWS };

typedef struct product_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_integer_product_t what;
  const armnn_i_acc_quantized_kernels_t* kernels;
  const armnn_i_acc_dynamic_kernels_t* dynamic;
  const armnn_i_acc_elementwise_kernels_t* elementwise;
  bool is_real;   /* a float32 output */
  int64_t ranges; /* how many rows have a range of their own; 1: the same for all; 0: none */
  int64_t rows, depth, width, channels; /* |width|: levels of a row, rounded up */
  int64_t panels, block_rows, blocks, parts;
  float *scales, *shifts; /* of a float32 output, up to the end of the last panel */
  int32_t* packed;        /* shared_weights.h */
  uint64_t sums_offset, thread_scratch;
  uint32_t threads;
} product_op_t;

typedef struct product_run_t {
  const product_op_t* op;
  const char *left, *range, *residual;
  char *output, *scratch;
} product_run_t;

/* ---- Levels of a block --------------------------------------------------------------------- */

static int64_t range_row(const product_op_t* op, int64_t row) { return op->ranges > 1 ? row : 0; }

static armnn_dynamic_range_t range_of(const product_run_t* run, int64_t row) {
  return armnn_i_acc_range_of_row((const float*)(const void*)run->range, range_row(run->op, row),
                                  run->op->ranges);
}

static void read_row(const product_run_t* run, int64_t row, int16_t* levels) {
  const product_op_t* op = run->op;
  const armnn_i_acc_element_t element = op->what.left.element;
  const size_t count = (size_t)op->depth;
  if (element.type == ARMNN_DATA_TYPE_FLOAT32) {
    const float* in = (const float*)(const void*)run->left + row * op->depth;
    const armnn_dynamic_range_t range = range_of(run, row);
    (op->what.symmetric ? op->dynamic->symmetric_levels : op->dynamic->levels)(in, levels, count,
                                                                               &range);
  } else {
    const uint8_t* in = (const uint8_t*)run->left + row * op->depth;
    const uint8_t flip = element.type == ARMNN_DATA_TYPE_QASYMM_U8 ? 0 : 0x80;
    const uint8_t zero_point =
        op->ranges > 0 ? ((const uint8_t*)run->range)[range_row(op, row)] : 0;
    op->dynamic->byte_levels(in, levels, count, flip, (int16_t)(zero_point ^ flip));
  }
  if (op->width != op->depth) levels[op->depth] = 0;
}

/* ---- Sums to numbers ----------------------------------------------------------------------- */

static void store_panel(const product_run_t* run, int64_t first_row, int64_t rows, int64_t panel,
                        const int32_t* sums) {
  const product_op_t* op = run->op;
  const int64_t width = op->kernels->panel, left = op->channels - panel * width;
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
  const int64_t width = op->kernels->panel;
  char* scratch = run->scratch + thread_index * op->thread_scratch;
  int16_t* levels = (int16_t*)(void*)scratch;
  int32_t* sums = (int32_t*)(void*)(scratch + op->sums_offset);
  int64_t ready = -1; /* the block whose levels are there */
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t block = item / op->parts, part = item % op->parts;
    const int64_t first_row = block * op->block_rows, left = op->rows - first_row;
    const int64_t rows = left < op->block_rows ? left : op->block_rows;
    const int64_t first = op->panels * part / op->parts, last = op->panels * (part + 1) / op->parts;
    if (block != ready) {
      for (int64_t i = 0; i < rows; ++i) read_row(run, first_row + i, levels + i * op->width);
      ready = block;
    }
    for (int64_t p = first; p < last; ++p) {
      const armnn_i_acc_sums_job_t job = {
          .input = levels,
          .input_row = op->width,
          .rows = (uint32_t)rows,
          .pairs = (size_t)(op->width / 2),
          .weights = op->packed + p * (op->width / 2) * width,
          .sums = sums,
      };
      op->kernels->sums(&job);
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

static void pack(const product_op_t* op, int32_t* packed) {
  const armnn_i_acc_tensor_t* weights = &op->what.weights;
  const int64_t panel = op->kernels->panel;
  const bool is_signed = weights->element.type != ARMNN_DATA_TYPE_QASYMM_U8;
  for (int64_t n = 0; n < op->channels; ++n) {
    int16_t* own = (int16_t*)(void*)(packed + n / panel * (op->width / 2) * panel) + n % panel * 2;
    const char* at = (const char*)weights->values + n * weights->strides[1];
    for (int64_t k = 0; k < op->depth; ++k, at += weights->strides[0]) {
      const int32_t number = is_signed ? *(const int8_t*)at : *(const uint8_t*)at;
      own[k / 2 * panel * 2 + k % 2] = (int16_t)(number - op->what.weight_zero_points[n]);
    }
  }
}

static void destroy(armnn_i_acc_op_t* op) {
  armnn_i_acc_release_weights(((product_op_t*)op)->packed);
  armnn_i_acc_destroy_op(op);
}

static void plan_blocks(product_op_t* op) {
  op->block_rows = BLOCK_LEVELS / op->width / ARMNN_ACC_LEVEL_ROWS * ARMNN_ACC_LEVEL_ROWS;
  if (op->block_rows < LEAST_ROWS) op->block_rows = LEAST_ROWS;
  if (op->block_rows > op->rows) op->block_rows = op->rows;
  op->blocks = armnn_i_acc_ceil_div(op->rows, op->block_rows);
  op->parts = 1;
  while (op->threads > 1 && op->parts * 2 <= op->panels &&
         op->blocks * op->parts < 3 * (int64_t)op->threads) {
    op->parts *= 2;
  }
  const uint64_t levels = (uint64_t)(op->block_rows * op->width) * sizeof(int16_t);
  const uint64_t sums = (uint64_t)op->block_rows * op->kernels->panel * sizeof(int32_t);
  op->sums_offset = armnn_i_acc_round_up(levels, ARMNN_ACC_LINE);
  op->thread_scratch = armnn_i_acc_round_up(op->sums_offset + sums, ARMNN_ACC_LINE);
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
  const armnn_i_acc_quantized_kernels_t* kernels = maker->isa->quantized;
  const armnn_i_acc_elementwise_kernels_t* elementwise =
      maker->isa->kernels[ARMNN_DATA_TYPE_FLOAT32]->elementwise;
  const int32_t function = what->epilogue.function;
  if (!is_dense(what)) return ARMNN_STATUS_UNSUPPORTED;
  if (function != ARMNN_ACC_IDENTITY && elementwise->apply[function] == NULL) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const int64_t depth = what->weights.dims[0], channels = what->weights.dims[1];
  const int64_t width = depth + depth % 2, panel = kernels->panel;
  const int64_t panels = armnn_i_acc_ceil_div(channels, panel), padded = panels * panel;
  const size_t packed_size = (size_t)(padded * width / 2) * sizeof(int32_t);
  void* extra = NULL;
  int32_t* packed = armnn_i_acc_new_weights(maker->host, packed_size);
  if (packed == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  product_op_t* op = (product_op_t*)armnn_i_acc_new_op(maker, sizeof *op,
                                                       (size_t)padded * 2 * sizeof(float), &extra);
  if (op == NULL) {
    armnn_i_acc_release_weights(packed);
    return ARMNN_STATUS_OUT_OF_MEMORY;
  }
  op->what = *what;
  op->kernels = kernels;
  op->dynamic = maker->isa->dynamic;
  op->elementwise = elementwise;
  op->is_real = what->output.element.type == ARMNN_DATA_TYPE_FLOAT32;
  op->depth = depth;
  op->width = width;
  op->channels = channels;
  op->rows = armnn_i_acc_count(&what->left) / depth;
  op->panels = panels;
  if (what->range.rank > 0) {
    const bool is_range = what->left.element.type == ARMNN_DATA_TYPE_FLOAT32;
    op->ranges = armnn_i_acc_count(&what->range) / (is_range ? ARMNN_ACC_RANGE_ROWS : 1);
  }
  op->scales = (float*)extra;
  op->shifts = op->scales + padded;
  if (op->is_real) {
    memcpy(op->scales, what->scales, (size_t)channels * sizeof *op->scales);
    memcpy(op->shifts, what->shifts, (size_t)channels * sizeof *op->shifts);
  }
  memset(packed, 0, packed_size);
  pack(op, packed);
  op->packed = armnn_i_acc_share_weights(packed);
  op->what.weights.values = op->what.weight_zero_points = NULL;
  op->what.scales = op->what.shifts = NULL;
  op->base.op.destroy = destroy;
  op->base.op.run = run_product;
  op->base.op.kernel = op->dynamic->product_name;
  op->base.op.operations = 2 * (uint64_t)(op->rows * channels * depth);
  op->threads = armnn_i_acc_threads(maker, op->base.op.operations);
  plan_blocks(op);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
