/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * dequantize_blocks.c - constant levels become real numbers in each run, where nothing reads them
 * that decodes them itself: what is kept is the levels as the network has them.
 */
#include "block_levels.h"
#include "packs.h"
#include "shared_weights.h"

typedef struct dequantize_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t output;
  armnn_i_acc_blocks_t blocks; /* copies of the network's */
  uint32_t threads;
} dequantize_op_t;

typedef struct dequantize_run_t {
  const dequantize_op_t* op;
  float* output;
} dequantize_run_t;

/* Items are runs of |inner| elements. */
static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const dequantize_run_t* run = (const dequantize_run_t*)argument;
  const armnn_i_acc_blocks_t* blocks = &run->op->blocks;
  const int64_t count = armnn_i_acc_block_count(blocks);
  const uint8_t zero = armnn_i_acc_level_flip(blocks->type);
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    const int64_t outer = item / blocks->size, place = item % blocks->size;
    const int64_t scale = (outer * count + place / blocks->block) * blocks->inner;
    for (int64_t i = 0; i < blocks->inner; ++i) {
      const int64_t at = item * blocks->inner + i;
      const int32_t point =
          blocks->zero_points == NULL
              ? zero
              : armnn_i_acc_block_level(blocks->type, blocks->zero_points, scale + i);
      const int32_t level = armnn_i_acc_block_level(blocks->type, blocks->levels, at) - point;
      run->output[at] = (float)level * blocks->scales[scale + i];
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_dequantize(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const dequantize_op_t* op = (const dequantize_op_t*)base;
  dequantize_run_t self = {op, armnn_i_acc_address(run, &op->output)};
  armnn_i_acc_parallel(run, run_items, &self, (uint64_t)(op->blocks.outer * op->blocks.size), 64,
                       op->threads);
}

static void destroy(armnn_i_acc_op_t* base) {
  dequantize_op_t* op = (dequantize_op_t*)base;
  armnn_i_acc_release_weights((void*)(uintptr_t)op->blocks.levels);
  armnn_i_acc_release_weights((void*)(uintptr_t)op->blocks.zero_points);
  armnn_i_acc_release_weights((void*)(uintptr_t)op->blocks.scales);
  armnn_i_acc_destroy_op(base);
}

armnn_status_t armnn_i_acc_make_dequantize_blocks(const armnn_i_acc_maker_t* maker,
                                                  const armnn_i_acc_dequantize_blocks_t* what,
                                                  armnn_i_acc_op_t** out_op) {
  if (!armnn_i_acc_is_dense(&what->output)) return ARMNN_STATUS_UNSUPPORTED;
  dequantize_op_t* op = (dequantize_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  const armnn_i_acc_blocks_t* from = &what->blocks;
  const int64_t outside = from->outer * from->inner;
  const uint64_t scales = (uint64_t)(outside * armnn_i_acc_block_count(from));
  const uint64_t levels = (uint64_t)(outside * from->size);
  const uint64_t per_byte = armnn_i_acc_are_halves(from->type) ? 2 : 1;
  op->output = what->output;
  op->blocks = *from;
  op->blocks.levels =
      armnn_i_acc_keep_constant(maker, from->levels, (levels + per_byte - 1) / per_byte);
  op->blocks.scales = armnn_i_acc_keep_constant(maker, from->scales, scales * sizeof *from->scales);
  if (from->zero_points != NULL) {
    op->blocks.zero_points =
        armnn_i_acc_keep_constant(maker, from->zero_points, (scales + per_byte - 1) / per_byte);
  }
  op->base.op.destroy = destroy;
  if (op->blocks.levels == NULL || op->blocks.scales == NULL ||
      (from->zero_points != NULL && op->blocks.zero_points == NULL)) {
    destroy(&op->base.op);
    return ARMNN_STATUS_OUT_OF_MEMORY;
  }
  op->base.op.run = run_dequantize;
  op->base.op.kernel = "armnn_s8_dequantize_blocks__portable";
  op->base.op.operations = 2 * levels;
  op->threads = armnn_i_acc_threads(maker, 4 * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
