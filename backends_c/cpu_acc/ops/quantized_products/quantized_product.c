/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "quantized_product.h"

#include "packs.h"

static void destroy(armnn_i_acc_op_t* op) {
  armnn_i_acc_release_packed(&((armnn_i_acc_product_t*)op)->weights);
  armnn_i_acc_release_packed(&((armnn_i_acc_product_t*)op)->lists);
  armnn_i_acc_destroy_op(op);
}

static void name_constants(armnn_i_acc_name_t* name, const armnn_i_acc_maker_t* maker,
                           const armnn_i_acc_quantized_convolution_t* what) {
  const uint64_t outputs = (uint64_t)what->output.dims[3];
  const armnn_i_acc_element_t input = what->input.element;
  ARMNN_ACC_NAME(name, ARMNN_ACC_NAME_QUANTIZED, outputs, (uint64_t)what->groups,
                 (uint64_t)what->kernel_y, (uint64_t)what->kernel_x, (uint64_t)what->dilation_x,
                 (uint64_t)what->input.dims[3], (uint64_t)what->rounding, what->has_wide_sums,
                 (uint64_t)input.type, (uint64_t)input.zero_point);
  armnn_i_acc_name_tensor(name, maker, &what->weights);
  armnn_i_acc_name_values(name, maker, what->weight_zero_points,
                          outputs * sizeof *what->weight_zero_points);
  armnn_i_acc_name_values(name, maker, what->bias, outputs * sizeof *what->bias);
  armnn_i_acc_name_values(name, maker, what->bias_above, outputs * sizeof *what->bias_above);
  armnn_i_acc_name_values(name, maker, what->factors, outputs * sizeof *what->factors);
}

armnn_status_t armnn_i_acc_new_product(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_quantized_convolution_t* what, size_t size,
                                       size_t extra, void** out_extra, bool is_named,
                                       int64_t packed_size, uint64_t layout, int64_t operations,
                                       void** out_op) {
  const size_t bytes = (size_t)packed_size * sizeof(int32_t);
  armnn_i_acc_packed_t weights;
  armnn_i_acc_name_t name = {.is_void = !is_named};
  name_constants(&name, maker, what);
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_take_packed(maker, bytes, layout, &name, &weights));
  armnn_i_acc_product_t* op =
      (armnn_i_acc_product_t*)armnn_i_acc_new_op(maker, size, extra, out_extra);
  if (op == NULL) {
    armnn_i_acc_release_packed(&weights);
    return ARMNN_STATUS_OUT_OF_MEMORY;
  }
  if (!weights.is_packed) memset(weights.data, 0, bytes);
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
  *out_op = op;
  return ARMNN_STATUS_OK;
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
  op->what.bias = op->what.bias_above = op->what.weight_zero_points = NULL;
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
