/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_transpose_convolution.c - a transposed convolution of quantised numbers as convolutions
 * of its phases (transpose_phases.h), one after the other.
 */
#include "ops/dense/transpose_phases.h"
#include "ops/op_base.h"

typedef struct phases_op_t {
  armnn_i_acc_base_t base;
  uint32_t count;
  armnn_i_acc_op_t** ops;
} phases_op_t;

static void run_phases(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const phases_op_t* op = (const phases_op_t*)base;
  for (uint32_t i = 0; i < op->count; ++i) op->ops[i]->run(op->ops[i], run);
}

static void destroy(armnn_i_acc_op_t* base) {
  phases_op_t* op = (phases_op_t*)base;
  for (uint32_t i = 0; i < op->count; ++i) op->ops[i]->destroy(op->ops[i]);
  armnn_i_acc_destroy_op(base);
}

static armnn_status_t add_phase(const armnn_i_acc_maker_t* maker, phases_op_t* op,
                                const armnn_i_acc_quantized_convolution_t* what, int64_t y,
                                int64_t x, const armnn_i_acc_phase_t* rows,
                                const armnn_i_acc_phase_t* columns) {
  armnn_i_acc_quantized_convolution_t phase = *what;
  armnn_i_acc_take_phase(&phase.output, y, x, what->stride_y, what->stride_x, rows, columns);
  armnn_i_acc_take_weights(&phase.weights, rows, columns);
  phase.kernel_y = rows->size;
  phase.kernel_x = columns->size;
  phase.stride_y = phase.stride_x = 1;
  phase.dilation_y = rows->spread;
  phase.dilation_x = columns->spread;
  phase.pad_top = rows->pad;
  phase.pad_left = columns->pad;
  armnn_i_acc_op_t* made = NULL;
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_make_quantized_convolution(maker, &phase, &made));
  op->ops[op->count++] = made;
  op->base.op.kernel = made->kernel;
  op->base.op.operations += made->operations;
  if (made->scratch_size > op->base.op.scratch_size) {
    op->base.op.scratch_size = made->scratch_size;
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t add_phases(const armnn_i_acc_maker_t* maker, phases_op_t* op,
                                 const armnn_i_acc_quantized_convolution_t* what) {
  for (int64_t y = 0; y < what->stride_y; ++y) {
    const armnn_i_acc_phase_t rows = armnn_i_acc_phase_of(
        y, what->stride_y, what->dilation_y, what->kernel_y, what->pad_top, what->output.dims[1]);
    for (int64_t x = 0; x < what->stride_x; ++x) {
      const armnn_i_acc_phase_t columns =
          armnn_i_acc_phase_of(x, what->stride_x, what->dilation_x, what->kernel_x, what->pad_left,
                               what->output.dims[2]);
      if (rows.pixels == 0 || columns.pixels == 0) continue;
      /* Pixels that no tap reaches have the bias alone: there is no convolution without taps. */
      if (rows.size == 0 || columns.size == 0) return ARMNN_STATUS_UNSUPPORTED;
      ARMNN_RETURN_IF_ERROR(add_phase(maker, op, what, y, x, &rows, &columns));
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_quantized_transpose_convolution(
    const armnn_i_acc_maker_t* maker, const armnn_i_acc_quantized_convolution_t* what,
    armnn_i_acc_op_t** out_op) {
  if (what->stride_y > ARMNN_ACC_MOST_PHASES || what->stride_x > ARMNN_ACC_MOST_PHASES) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  void* extra = NULL;
  phases_op_t* op = (phases_op_t*)armnn_i_acc_new_op(
      maker, sizeof *op, (size_t)(what->stride_y * what->stride_x) * sizeof(void*), &extra);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->ops = (armnn_i_acc_op_t**)extra;
  op->base.op.run = run_phases;
  op->base.op.destroy = destroy;
  /* One kind of tiles for all phases: a saved program knows of the weights as a whole. */
  armnn_i_acc_quantized_convolution_t whole = *what;
  whole.is_phase = true;
  whole.is_wide = !armnn_i_acc_weights_fit_bytes(what);
  const armnn_status_t status = add_phases(maker, op, &whole);
  if (status != ARMNN_STATUS_OK) {
    destroy(&op->base.op);
    return status;
  }
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
