/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_matmul.c - products of matrices of quantised numbers, both of them computed.
 *
 * An item is a block of rows of the left side and some panels of the right side of one product. The
 * rows become levels once for all panels of the thread; each panel becomes pairs of levels in
 * scratch, as the weights of a convolution are packed.
 */
#include "ops/quantized/quantized_reals.h"
#include "ops/walk.h"
#include "quantized_pack.h"

enum { OUTPUT = 0, LEFT = 1, RIGHT = 2, BLOCK_LEVELS = 24 * 1024, LEAST_ROWS = 96 };

/* Matrices of one operand: |rows| x |columns| after transposition. */
typedef struct side_t {
  int64_t row, column; /* strides in bytes */
  uint8_t flip;
  int32_t offset; /* a level is (byte ^ flip) - offset */
} side_t;

typedef struct matmul_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t tensors[3];
  armnn_i_acc_walk_t batches; /* |batch_rank| dimensions */
  side_t left, right;
  const armnn_i_acc_product_kernels_t* kernels;
  int32_t arrays[ARMNN_ACC_CHANNEL_ARRAYS]; /* of every channel */
  armnn_i_acc_store_t store;
  int64_t m, n, k, depth; /* |depth|: k levels, rounded up to pairs */
  int64_t count;          /* of products */
  int64_t block_rows, blocks, panels, parts;
  uint64_t panel_offset, thread_scratch;
  uint32_t threads;
} matmul_op_t;

typedef struct matmul_run_t {
  const matmul_op_t* op;
  const uint8_t *left, *right;
  uint8_t* output;
  char* scratch;
} matmul_run_t;

/* Rows [begin, begin + count) as levels. */
static void read_rows(const matmul_op_t* op, const uint8_t* left, int64_t begin, int64_t count,
                      int16_t* levels) {
  const side_t* side = &op->left;
  const uint8_t* from = left + begin * side->row;
  if (side->column == 1) {
    const armnn_i_acc_levels_of_t job = {
        .input = from,
        .input_step = side->row,
        .output = levels,
        .pixels = (size_t)count,
        .channels = (size_t)op->k,
        .width = (size_t)op->depth,
        .flip = side->flip,
        .offset = (int16_t)side->offset,
    };
    op->kernels->read(&job);
    return;
  }
  for (int64_t r = 0; r < count; ++r, levels += op->depth) {
    for (int64_t i = 0; i < op->k; ++i) {
      const uint8_t byte = from[r * side->row + i * side->column];
      levels[i] = (int16_t)((byte ^ side->flip) - side->offset);
    }
    for (int64_t i = op->k; i < op->depth; ++i) levels[i] = 0;
  }
}

/* |channels| columns from |begin| on as pairs of levels, [pair][channel][2]; the other channels of
 * the panel, whose sums are not stored, stay as they are. */
static void read_columns(const matmul_op_t* op, const uint8_t* right, int64_t begin,
                         int64_t channels, int16_t* weights) {
  const side_t* side = &op->right;
  const int64_t panel = op->kernels->panel;
  const uint8_t* from = right + begin * side->column;
  const uint8_t flip = side->flip;
  const int32_t offset = side->offset;
  if (side->column == 1) {
    for (int64_t i = 0; i < op->depth; ++i) {
      const uint8_t* row = from + i * side->row;
      int16_t* to = weights + i / 2 * panel * 2 + i % 2;
      for (int64_t c = 0; c < channels; ++c) {
        to[2 * c] = i < op->k ? (int16_t)((row[c] ^ flip) - offset) : 0;
      }
    }
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    const uint8_t* column = from + c * side->column;
    int16_t* to = weights + 2 * c;
    for (int64_t i = 0; i < op->depth; ++i) {
      to[i / 2 * panel * 2 + i % 2] =
          i < op->k ? (int16_t)((column[i * side->row] ^ flip) - offset) : 0;
    }
  }
}

static void multiply(const matmul_op_t* op, const int16_t* levels, const int32_t* packed,
                     uint8_t* output, int64_t rows, int64_t first, int64_t channels) {
  static const ptrdiff_t start = 0;
  const int64_t row = op->tensors[OUTPUT].strides[op->tensors[OUTPUT].rank - 2];
  armnn_i_acc_product_job_t job = {
      .tiles = 1,
      .offset = first,
      .channels = (uint32_t)channels,
      .tap_count = 1,
      .taps = &start,
      .groups = (size_t)(op->depth / 2),
      .panel = packed,
      .store = op->store,
  };
  const int64_t most = op->kernels->rows;
  for (int64_t i = 0; i < rows; i += most) {
    const char* inputs[ARMNN_ACC_PRODUCT_ROWS];
    uint8_t* outputs[ARMNN_ACC_PRODUCT_ROWS];
    const int64_t left = rows - i;
    job.rows = (uint32_t)(left < most ? left : most);
    for (uint32_t r = 0; r < job.rows; ++r) {
      inputs[r] = (const char*)(levels + (i + r) * op->depth);
      outputs[r] = output + (i + r) * row;
    }
    job.inputs = inputs;
    job.outputs = outputs;
    op->kernels->multiply(&job);
  }
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const matmul_run_t* run = (const matmul_run_t*)argument;
  const matmul_op_t* op = run->op;
  const int64_t panel = op->kernels->panel;
  int16_t* levels = (int16_t*)(void*)(run->scratch + thread_index * op->thread_scratch);
  int32_t* packed = (int32_t*)(void*)((char*)levels + op->panel_offset);
  for (int64_t a = 0; a < ARMNN_ACC_CHANNEL_ARRAYS; ++a) {
    for (int64_t c = 0; c < panel; ++c) packed[a * panel + c] = op->arrays[a];
  }
  int16_t* weights = (int16_t*)(void*)(packed + ARMNN_ACC_CHANNEL_ARRAYS * panel);
  memset(weights, 0, (size_t)(op->depth * panel) * sizeof *weights);
  int64_t ready = -1; /* the block whose rows are there */
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t part = item % op->parts, block = item / op->parts;
    const int64_t row = block % op->blocks * op->block_rows;
    const int64_t rows = op->m - row < op->block_rows ? op->m - row : op->block_rows;
    int64_t at[ARMNN_ACC_WALKED];
    armnn_i_acc_walk_offsets(&op->batches, 0, block / op->blocks, at);
    if (block != ready) read_rows(op, run->left + at[LEFT], row, rows, levels);
    ready = block;
    uint8_t* output =
        run->output + at[OUTPUT] + row * op->tensors[OUTPUT].strides[op->tensors[OUTPUT].rank - 2];
    const int64_t last = op->panels * (part + 1) / op->parts;
    for (int64_t p = op->panels * part / op->parts; p < last; ++p) {
      const int64_t left = op->n - p * panel, channels = left < panel ? left : panel;
      read_columns(op, run->right + at[RIGHT], p * panel, channels, weights);
      multiply(op, levels, packed, output, rows, p * panel, channels);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_matmul(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const matmul_op_t* op = (const matmul_op_t*)base;
  matmul_run_t self = {op, armnn_i_acc_address(run, &op->tensors[LEFT]),
                       armnn_i_acc_address(run, &op->tensors[RIGHT]),
                       armnn_i_acc_address(run, &op->tensors[OUTPUT]), run->scratch};
  armnn_i_acc_parallel(run, run_items, &self, (uint64_t)(op->count * op->blocks * op->parts), 1,
                       op->threads);
}

/* ---- Making -------------------------------------------------------------------------------- */

static side_t side_of(const armnn_i_acc_tensor_t* tensor, bool transposed) {
  const uint32_t row = tensor->rank - (transposed ? 1 : 2);
  const uint32_t column = tensor->rank - (transposed ? 2 : 1);
  const uint8_t flip = armnn_i_acc_flip(tensor->element);
  return (side_t){tensor->strides[row], tensor->strides[column], flip,
                  tensor->element.zero_point + flip};
}

static void set_scaling(matmul_op_t* op, const armnn_i_acc_quantized_matmul_t* what) {
  const bool is_real = what->rounding == ARMNN_ACC_ROUND_REAL;
  armnn_i_acc_pack_factor(what->factor, what->rounding, op->arrays, 1);
  op->store =
      (armnn_i_acc_store_t){what->output.element.zero_point, what->low, what->high,
                            is_real ? ARMNN_ACC_SCALE_REAL : armnn_i_acc_scale_of(what->factor)};
}

static void plan(matmul_op_t* op) {
  const int64_t panel = op->kernels->panel;
  armnn_i_acc_walk_t* walk = &op->batches;
  const armnn_i_acc_tensor_t* output = &op->tensors[OUTPUT];
  walk->tensors = 3;
  walk->rank = output->rank - 2;
  op->count = 1;
  for (uint32_t d = 0; d < walk->rank; ++d) {
    walk->dims[d] = output->dims[d];
    op->count *= output->dims[d];
    for (uint32_t t = 0; t < 3; ++t) {
      const bool repeats = op->tensors[t].dims[d] == 1;
      walk->strides[t][d] = repeats ? 0 : op->tensors[t].strides[d];
    }
  }
  op->block_rows = BLOCK_LEVELS / op->depth;
  if (op->block_rows < LEAST_ROWS) op->block_rows = LEAST_ROWS;
  if (op->block_rows > op->m) op->block_rows = op->m;
  op->blocks = armnn_i_acc_ceil_div(op->m, op->block_rows);
  op->panels = armnn_i_acc_ceil_div(op->n, panel);
  op->parts = 1;
  while (op->threads > 1 && op->parts * 2 <= op->panels &&
         op->count * op->blocks * op->parts < 3 * (int64_t)op->threads) {
    op->parts *= 2;
  }
  const uint64_t levels = (uint64_t)(op->block_rows * op->depth) * sizeof(int16_t);
  const uint64_t packed =
      (uint64_t)(panel * (ARMNN_ACC_CHANNEL_ARRAYS + op->depth / 2)) * sizeof(int32_t);
  op->panel_offset = armnn_i_acc_round_up(levels, ARMNN_ACC_LINE);
  op->thread_scratch = armnn_i_acc_round_up(op->panel_offset + packed, ARMNN_ACC_LINE);
  op->base.op.scratch_size = op->thread_scratch * op->threads;
}

armnn_status_t armnn_i_acc_make_quantized_matmul(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_quantized_matmul_t* what,
                                                 armnn_i_acc_op_t** out_op) {
  const uint32_t rank = what->output.rank;
  if (!armnn_i_acc_is_8bit(what->left.element.type) ||
      !armnn_i_acc_is_8bit(what->right.element.type) ||
      !armnn_i_acc_is_8bit(what->output.element.type)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  matmul_op_t* op = (matmul_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->tensors[OUTPUT] = what->output;
  op->tensors[LEFT] = what->left;
  op->tensors[RIGHT] = what->right;
  op->left = side_of(&what->left, what->transpose_left);
  op->right = side_of(&what->right, what->transpose_right);
  op->kernels = maker->isa->quantized->pairs;
  op->m = what->output.dims[rank - 2];
  op->n = what->output.dims[rank - 1];
  op->k = what->left.dims[rank - (what->transpose_left ? 2 : 1)];
  op->depth = op->k + op->k % 2;
  set_scaling(op, what);
  op->base.op.run = run_matmul;
  op->base.op.kernel = op->kernels->name;
  op->base.op.operations = 2 * (uint64_t)(armnn_i_acc_count(&what->output) * op->k);
  op->threads = armnn_i_acc_threads(maker, op->base.op.operations);
  plan(op);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
