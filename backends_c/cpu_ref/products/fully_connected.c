/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fully_connected.c - FULLY_CONNECTED: rows of the input by a matrix of weights.
 *
 * Quantised: the integer arithmetic of TensorFlow Lite's specification, see levels.h.
 */
#include "kernels.h"
#include "matrix.h"

typedef struct matrix_shape_t {
  uint64_t rows, inputs, outputs;
} matrix_shape_t;

/* An input whose last dimension is what the weights take keeps its dimensions; any other is
 * flattened behind its first. */
static int keeps_dimensions(const armnn_tensor_info_t* input, uint64_t inputs) {
  return input->rank > 0 && input->dims[input->rank - 1] == inputs;
}

static matrix_shape_t matrix_shape(const armnn_fully_connected_descriptor_t* d,
                                   const armnn_tensor_info_t* input,
                                   const armnn_tensor_info_t* weights) {
  matrix_shape_t shape;
  shape.inputs = weights->dims[d->transpose_weight_matrix ? 1 : 0];
  shape.outputs = weights->dims[d->transpose_weight_matrix ? 0 : 1];
  shape.rows = input->rank > 0 ? input->dims[0] : 1;
  if (keeps_dimensions(input, shape.inputs)) {
    shape.rows = 1;
    for (uint32_t i = 0; i + 1 < input->rank; ++i) shape.rows *= input->dims[i];
  }
  return shape;
}

static armnn_status_t run(const armnn_kernel_call_t* call, const armnn_i_ref_levels_t* levels,
                          armnn_error_t* error) {
  const armnn_fully_connected_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_fully_connected_descriptor_t);
  const matrix_shape_t shape = matrix_shape(d, ARMNN_IN_INFO(call, 0), ARMNN_IN_INFO(call, 1));
  const int64_t inputs = (int64_t)shape.inputs, outputs = (int64_t)shape.outputs;
  armnn_i_ref_matrix_t job = {
      .call = call,
      .x = ARMNN_IN(call, 0, float),
      .y = ARMNN_IN(call, 1, float),
      .bias = d->bias_enabled && levels == NULL ? ARMNN_IN(call, 2, float) : NULL,
      .out = ARMNN_OUT(call, 0, float),
      .levels = levels,
      .rows = (int64_t)shape.rows,
      .depth = inputs,
      .columns = outputs,
      .x_row = inputs,
      .x_depth = 1,
      .y_depth = d->transpose_weight_matrix ? 1 : outputs,
      .y_column = d->transpose_weight_matrix ? inputs : 1};
  return armnn_i_ref_matrix_run(&job, error);
}

armnn_status_t armnn_f32_fully_connected__ref(const armnn_kernel_call_t* call,
                                              armnn_error_t* error) {
  return run(call, NULL, error);
}

armnn_status_t armnn_q_fully_connected__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_fully_connected_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_fully_connected_descriptor_t);
  armnn_i_ref_levels_t levels;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_levels(call, d->bias_enabled != 0, &levels, error));
  return run(call, &levels, error);
}
