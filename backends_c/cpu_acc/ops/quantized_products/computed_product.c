/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * computed_product.c - products of levels whose weights or bias values are not known when the
 * network is loaded.
 *
 * Weights become pairs of levels of 16 bits, panel by panel: once if they are constant, else in
 * each run before the rows. Then each block of rows becomes levels and meets all panels. A bias may
 * have any size, so that sums are scaled one by one by the functions that define the rounding: the
 * vectors of other products take only sums that were proved to fit.
 */
#include "ops/op_base.h"

enum {
  BYTE_DEPTHS = 32768, /* products of levels of 8 bits, 255 * 255, that 32 bits hold */
  INT16_DEPTHS = 510,  /* of numbers of 16 bits by levels of 8 bits, 2^15 * 2^7 */
  BLOCK_ROWS = 24,
  SCALING = 8 /* additions that scaling a sum takes as long as */
};

typedef struct product_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_computed_product_t what;
  const armnn_i_acc_quantized_kernels_t* kernels;
  const armnn_i_acc_dynamic_kernels_t* dynamic;
  int64_t groups, rows, channels, depth, width; /* |width|: depth, rounded up to pairs */
  int64_t panels, blocks;
  int64_t depths;       /* that are summed up in 32 bits */
  int64_t panel_levels; /* of weights of a panel */
  int32_t zero_point;   /* of |left| */
  int32_t* points;      /* zero points of the weights */
  armnn_factor_t* factors;
  int16_t* packed; /* constant weights, or null */
  uint64_t packed_size, sums_offset, totals_offset, thread_scratch;
  uint32_t threads;
} product_op_t;

typedef struct product_run_t {
  const product_op_t* op;
  const char *bias, *left, *right;
  char *output, *scratch;
  int16_t* packed;
} product_run_t;

/* ---- Sums to numbers ----------------------------------------------------------------------- */

static int64_t bias_of(const product_run_t* run, int64_t channel) {
  if (run->op->what.bias.element.type == ARMNN_DATA_TYPE_SIGNED64) {
    return ((const int64_t*)(const void*)run->bias)[channel];
  }
  return ((const int32_t*)(const void*)run->bias)[channel];
}

static int32_t scaled(int64_t sum, armnn_factor_t factor, int32_t rounding) {
  if (rounding == ARMNN_ACC_ROUND_REAL) {
    return armnn_rescaled_sum(sum, armnn_i_acc_real_of_factor(factor));
  }
  if (rounding == ARMNN_ACC_ROUND_ONCE) return armnn_scale(sum, factor);
  if (rounding == ARMNN_ACC_ROUND_64_BITS) return armnn_scale64(sum, factor);
  return armnn_scale32(armnn_saturate32(sum), factor);
}

/* |count| channels of one row from channel |first| on; |totals| may be null: nothing but bias. */
static void store_row(const product_run_t* run, const int64_t* totals, int64_t first, int64_t count,
                      char* out) {
  const product_op_t* op = run->op;
  const armnn_i_acc_element_t element = op->what.output.element;
  const int64_t least = armnn_i_acc_least(element.type), most = armnn_i_acc_most(element.type);
  const int32_t rounding = op->what.rounding;
  for (int64_t c = 0; c < count; ++c) {
    const int64_t sum = (totals == NULL ? 0 : totals[c]) + bias_of(run, first + c);
    const int64_t number =
        (int64_t)scaled(sum, op->factors[first + c], rounding) + element.zero_point;
    const int64_t bounded = number < least ? least : number > most ? most : number;
    if (element.size == 1) {
      ((uint8_t*)out)[c] = (uint8_t)bounded;
    } else {
      ((int16_t*)(void*)out)[c] = (int16_t)bounded;
    }
  }
}

/* ---- Weights ------------------------------------------------------------------------------- */

/* Panel |panel| of a group as [pair][channel][2]. */
static void pack_panel(const product_op_t* op, const char* right, int64_t group, int64_t panel,
                       int16_t* to) {
  const armnn_i_acc_tensor_t* tensor = &op->what.right;
  const int64_t lanes = op->kernels->panel, first = panel * lanes;
  const int64_t left = op->channels - first, count = left < lanes ? left : lanes;
  const bool is_unsigned = tensor->element.type == ARMNN_DATA_TYPE_QASYMM_U8;
  memset(to, 0, (size_t)op->panel_levels * sizeof *to);
  for (int64_t c = 0; c < count; ++c) {
    const char* row = right + group * tensor->strides[0] + (first + c) * tensor->strides[1];
    const int32_t point = op->points[group * op->channels + first + c];
    for (int64_t k = 0; k < op->depth; ++k) {
      const int32_t number = is_unsigned ? ((const uint8_t*)row)[k] : ((const int8_t*)row)[k];
      to[(k / 2 * lanes + c) * 2 + k % 2] = (int16_t)(number - point);
    }
  }
}

static armnn_status_t pack_some(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const product_run_t* run = (const product_run_t*)argument;
  const product_op_t* op = run->op;
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) {
    pack_panel(op, run->right, i / op->panels, i % op->panels, run->packed + i * op->panel_levels);
  }
  return ARMNN_STATUS_OK;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void read_row(const product_run_t* run, int64_t group, int64_t row, int16_t* levels) {
  const product_op_t* op = run->op;
  const armnn_i_acc_tensor_t* tensor = &op->what.left;
  const char* from = run->left + group * tensor->strides[0] + row * tensor->strides[1];
  if (op->width != op->depth) levels[op->depth] = 0;
  if (tensor->element.size == sizeof(int16_t)) {
    memcpy(levels, from, (size_t)op->depth * sizeof *levels);
    return;
  }
  const uint8_t flip = tensor->element.type == ARMNN_DATA_TYPE_QASYMM_U8 ? 0 : 0x80;
  op->dynamic->byte_levels((const uint8_t*)from, levels, (size_t)op->depth, flip,
                           (int16_t)(op->zero_point + flip));
}

/* The sums of |rows| rows with one panel, in 64 bits. */
static void sum_panel(const product_op_t* op, const int16_t* levels, const int16_t* packed,
                      int64_t rows, int32_t* sums, int64_t* totals) {
  const int64_t lanes = op->kernels->panel, count = rows * lanes;
  for (int64_t i = 0; i < count; ++i) totals[i] = 0;
  for (int64_t k = 0; k < op->width; k += op->depths) {
    const int64_t left = op->width - k, some = left < op->depths ? left : op->depths;
    const armnn_i_acc_sums_job_t job = {
        .input = levels + k,
        .input_row = op->width,
        .rows = (uint32_t)rows,
        .pairs = (size_t)(some / 2),
        .weights = (const int32_t*)(const void*)(packed + k * lanes),
        .sums = sums,
    };
    op->kernels->sums(&job);
    for (int64_t i = 0; i < count; ++i) totals[i] += sums[i];
  }
}

static armnn_status_t run_blocks(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  const product_run_t* run = (const product_run_t*)argument;
  const product_op_t* op = run->op;
  const armnn_i_acc_tensor_t* output = &op->what.output;
  const int64_t lanes = op->kernels->panel;
  char* scratch = run->scratch + op->packed_size + thread_index * op->thread_scratch;
  int16_t* levels = (int16_t*)(void*)scratch;
  int32_t* sums = (int32_t*)(void*)(scratch + op->sums_offset);
  int64_t* totals = (int64_t*)(void*)(scratch + op->totals_offset);
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t group = item / op->blocks, first = item % op->blocks * BLOCK_ROWS;
    const int64_t left = op->rows - first, rows = left < BLOCK_ROWS ? left : BLOCK_ROWS;
    char* out = run->output + group * output->strides[0] + first * output->strides[1];
    for (int64_t r = 0; r < rows; ++r) read_row(run, group, first + r, levels + r * op->width);
    for (int64_t p = 0; p < op->panels; ++p) {
      const int64_t channel = p * lanes, rest = op->channels - channel;
      const int16_t* packed = run->packed + (group * op->panels + p) * op->panel_levels;
      sum_panel(op, levels, packed, rows, sums, totals);
      for (int64_t r = 0; r < rows; ++r) {
        store_row(run, totals + r * lanes, group * op->channels + channel,
                  rest < lanes ? rest : lanes,
                  out + r * output->strides[1] + channel * output->element.size);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_product(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const product_op_t* op = (const product_op_t*)base;
  product_run_t self = {.op = op,
                        .bias = armnn_i_acc_address(run, &op->what.bias),
                        .left = armnn_i_acc_address(run, &op->what.left),
                        .output = armnn_i_acc_address(run, &op->what.output),
                        .scratch = run->scratch,
                        .packed = op->packed};
  if (self.packed == NULL) {
    self.right = armnn_i_acc_address(run, &op->what.right);
    self.packed = (int16_t*)(void*)run->scratch;
    armnn_i_acc_parallel(run, pack_some, &self, (uint64_t)(op->groups * op->panels), 1,
                         op->threads);
  }
  armnn_i_acc_parallel(run, run_blocks, &self, (uint64_t)(op->groups * op->blocks), 1, op->threads);
}

/* Nothing but the bias. */
static void run_bias(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const product_op_t* op = (const product_op_t*)base;
  const armnn_i_acc_tensor_t* output = &op->what.output;
  const product_run_t self = {.op = op, .bias = armnn_i_acc_address(run, &op->what.bias)};
  char* out = (char*)armnn_i_acc_address(run, output);
  for (int64_t g = 0; g < op->groups; ++g, out += output->strides[0]) {
    store_row(&self, NULL, g * op->channels, op->channels, out);
    for (int64_t r = 1; r < op->rows; ++r) {
      memcpy(out + r * output->strides[1], out, (size_t)op->channels * output->element.size);
    }
  }
}

/* ---- Making -------------------------------------------------------------------------------- */

static void plan_product(product_op_t* op, const armnn_i_acc_maker_t* maker) {
  const uint64_t line = ARMNN_ACC_LINE, lanes = op->kernels->panel;
  op->base.op.run = run_product;
  op->base.op.kernel = op->dynamic->product_name;
  op->base.op.operations =
      2 * (uint64_t)(op->groups * op->rows * op->channels) * (uint64_t)op->depth;
  const uint64_t scaling = SCALING * (uint64_t)(op->groups * op->rows * op->channels);
  op->threads = armnn_i_acc_threads(maker, op->base.op.operations + scaling);
  if (op->packed == NULL) {
    const uint64_t levels = (uint64_t)(op->groups * op->panels * op->panel_levels);
    op->packed_size = armnn_i_acc_round_up(levels * sizeof(int16_t), line);
  }
  const uint64_t rows = (uint64_t)(op->rows < BLOCK_ROWS ? op->rows : BLOCK_ROWS);
  op->sums_offset = armnn_i_acc_round_up(rows * (uint64_t)op->width * sizeof(int16_t), line);
  op->totals_offset = op->sums_offset + armnn_i_acc_round_up(rows * lanes * sizeof(int32_t), line);
  op->thread_scratch =
      op->totals_offset + armnn_i_acc_round_up(rows * lanes * sizeof(int64_t), line);
  op->base.op.scratch_size = op->packed_size + op->thread_scratch * op->threads;
}

armnn_status_t armnn_i_acc_make_computed_product(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_computed_product_t* what,
                                                 armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_quantized_kernels_t* kernels = maker->isa->quantized;
  const bool has_product = what->left.rank > 0;
  const int64_t groups = what->output.dims[0], channels = what->output.dims[2];
  const int64_t depth = has_product ? what->left.dims[2] : 0, width = depth + depth % 2;
  const int64_t panels = armnn_i_acc_ceil_div(channels, kernels->panel);
  const int64_t panel_levels = width * (int64_t)kernels->panel;
  const bool is_constant = has_product && what->right.values != NULL;
  const size_t all = (size_t)(groups * channels);
  const size_t factors = armnn_i_acc_round_up(all * sizeof *what->factors, ARMNN_ACC_LINE);
  const size_t points = armnn_i_acc_round_up(all * sizeof(int32_t), ARMNN_ACC_LINE);
  const size_t packed =
      is_constant ? (size_t)(groups * panels * panel_levels) * sizeof(int16_t) : 0;
  void* extra = NULL;
  product_op_t* op =
      (product_op_t*)armnn_i_acc_new_op(maker, sizeof *op, factors + points + packed, &extra);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->kernels = kernels;
  op->dynamic = maker->isa->dynamic;
  op->groups = groups;
  op->rows = what->output.dims[1];
  op->channels = channels;
  op->depth = depth;
  op->width = width;
  op->panels = panels;
  op->blocks = armnn_i_acc_ceil_div(op->rows, BLOCK_ROWS);
  op->panel_levels = panel_levels;
  op->zero_point = what->left.element.zero_point;
  op->depths = what->left.element.size == sizeof(int16_t) ? INT16_DEPTHS : BYTE_DEPTHS;
  op->factors = (armnn_factor_t*)extra;
  op->points = (int32_t*)(void*)((char*)extra + factors);
  memcpy(op->factors, what->factors, all * sizeof *op->factors);
  op->what.factors = NULL;
  op->what.right_zero_points = NULL;
  if (has_product) {
    memcpy(op->points, what->right_zero_points, all * sizeof *op->points);
    if (is_constant) op->packed = (int16_t*)(void*)((char*)extra + factors + points);
    for (int64_t i = 0; is_constant && i < groups * panels; ++i) {
      pack_panel(op, (const char*)what->right.values, i / panels, i % panels,
                 op->packed + i * panel_levels);
    }
    plan_product(op, maker);
  } else {
    op->base.op.run = run_bias;
    op->base.op.kernel = "armnn_s32_rescale";
    op->base.op.operations = (uint64_t)all;
    op->threads = 1;
  }
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
