/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * suppression.c - non-maximum suppression, one class after the other.
 */
#include "ops/op_base.h"

typedef struct suppression_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_suppression_t what;
  armnn_suppression_layer_t layer;
  const armnn_i_acc_suppression_kernels_t* kernels;
} suppression_op_t;

static void run_suppression(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const suppression_op_t* op = (const suppression_op_t*)base;
  const armnn_suppression_layer_t* layer = &op->layer;
  const uint64_t rows = layer->batches * layer->classes * layer->most;
  int32_t* indices = (int32_t*)armnn_i_acc_address(run, &op->what.output);
  float* best = (float*)(indices + 3 * rows);
  op->kernels->run(layer, (const float*)armnn_i_acc_address(run, &op->what.boxes),
                   (const float*)armnn_i_acc_address(run, &op->what.scores), run->scratch, indices,
                   best, (int32_t*)(best + rows));
}

armnn_status_t armnn_i_acc_make_suppression(const armnn_i_acc_maker_t* maker,
                                            const armnn_i_acc_suppression_t* what,
                                            armnn_i_acc_op_t** out_op) {
  if (!armnn_i_acc_is_dense(&what->boxes) || !armnn_i_acc_is_dense(&what->scores) ||
      !armnn_i_acc_is_dense(&what->output)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  suppression_op_t* op = (suppression_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  const int64_t* dims = what->scores.dims;
  op->what = *what;
  op->layer = armnn_suppression_layer(&op->what.parameters, (uint64_t)dims[0], (uint64_t)dims[1],
                                      (uint64_t)dims[2]);
  op->kernels = armnn_i_acc_kernels_of(maker, &what->scores)->suppression;
  op->base.op.kernel = op->kernels->name;
  op->base.op.run = run_suppression;
  op->base.op.scratch_size = armnn_suppression_layer_bytes(&op->layer);
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&what->scores);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
