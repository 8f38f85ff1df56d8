/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "quantized_product.h"

#include "../packs.h"

static void destroy(armnn_i_acc_op_t* op) {
  armnn_i_acc_release_packed(&((armnn_i_acc_product_t*)op)->weights);
  armnn_i_acc_release_packed(&((armnn_i_acc_product_t*)op)->lists);
  armnn_i_acc_destroy_op(op);
}

void* armnn_i_acc_new_product(const armnn_i_acc_maker_t* maker,
                              const armnn_i_acc_quantized_convolution_t* what, size_t size,
                              size_t extra, void** out_extra, int64_t packed_size, uint64_t layout,
                              int64_t operations) {
  const size_t bytes = (size_t)packed_size * sizeof(int32_t);
  armnn_i_acc_packed_t weights;
  if (armnn_i_acc_take_packed(maker, bytes, layout, &weights) != ARMNN_STATUS_OK) return NULL;
  armnn_i_acc_product_t* op =
      (armnn_i_acc_product_t*)armnn_i_acc_new_op(maker, size, extra, out_extra);
  if (op == NULL) {
    armnn_i_acc_release_packed(&weights);
    return NULL;
  }
  if (!weights.is_saved) memset(weights.data, 0, bytes);
  op->what = *what;
  op->kernels = maker->isa->quantized;
  op->store = armnn_i_acc_store_of(what);
  op->sum = armnn_i_acc_sum_of(op->kernels, what);
  op->weights = weights;
  op->packed = weights.data;
  op->packed_size = bytes;
  op->layout = layout;
  op->base.op.destroy = destroy;
  op->base.op.operations = (uint64_t)operations;
  op->threads = armnn_i_acc_threads(maker, (uint64_t)operations);
  return op;
}

void armnn_i_acc_share_product(const armnn_i_acc_maker_t* maker, armnn_i_acc_product_t* op) {
  if (op->is_shared) return;
  armnn_i_acc_share_packed(maker, op->packed_size, op->layout, &op->weights);
  op->packed = op->weights.data;
  op->is_shared = true;
}

void armnn_i_acc_finish_product(const armnn_i_acc_maker_t* maker, armnn_i_acc_product_t* op,
                                const char* kernel,
                                void (*run)(const armnn_i_acc_op_t*, const armnn_i_acc_run_t*)) {
  armnn_i_acc_share_product(maker, op);
  op->base.op.run = run;
  op->base.op.kernel = kernel;
  op->base.op.scratch_size = op->thread_scratch * op->threads;
  op->what.weights.values = NULL;
  op->what.bias = op->what.weight_zero_points = NULL;
  op->what.factors = NULL;
}

void armnn_i_acc_run_product(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run,
                             armnn_range_fn_t body, int64_t count) {
  const armnn_i_acc_product_t* op = (const armnn_i_acc_product_t*)base;
  armnn_i_acc_product_run_t self = {op, (const uint8_t*)armnn_i_acc_address(run, &op->what.input),
                                    NULL, (uint8_t*)armnn_i_acc_address(run, &op->what.output),
                                    run->scratch};
  if (op->sum.is_there) {
    self.addend = (const uint8_t*)armnn_i_acc_address(run, &op->what.sum.right);
  }
  armnn_i_acc_parallel(run, body, &self, (uint64_t)count, 1, op->threads);
}
