/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rnn.c - RNN in float32 with any activation function; operands of other types are decoded
 * beforehand (widened.h).
 */
#include "activation_row.h"
#include "kernels.h"
#include "recurrent_walk.h"
#include "widened.h"

/* Scratch: the sums, since the whole state before the step is read for them. */
static void run_step(const armnn_i_ref_walk_t* walk, uint64_t direction, const float* x,
                     float* scratch, float* state) {
  const armnn_rnn_descriptor_t* d = ARMNN_DESCRIPTOR(walk->call->info, armnn_rnn_descriptor_t);
  const armnn_activation_descriptor_t activation = {.function = d->function, .a = d->a, .b = d->b};
  const uint64_t hidden = walk->hidden;
  for (uint64_t i = 0; i < hidden; ++i) {
    const uint64_t place = direction * hidden + i;
    const float sum =
        armnn_i_ref_walk_product(walk, ARMNN_REF_WALK_INPUT_WEIGHTS, place, x, walk->inputs) +
        armnn_i_ref_walk_product(walk, ARMNN_REF_WALK_RECURRENT_WEIGHTS, place, state, hidden) +
        armnn_i_ref_walk_bias(walk, ARMNN_REF_WALK_INPUT_BIAS, place) +
        armnn_i_ref_walk_bias(walk, ARMNN_REF_WALK_RECURRENT_BIAS, place);
    scratch[i] = armnn_i_ref_clipped(sum, d->clip);
  }
  armnn_activation_row(&activation, scratch, state, hidden);
}

static armnn_status_t rnn_float(const armnn_kernel_call_t* call, armnn_error_t* error) {
  armnn_i_ref_walk_t walk = {
      .call = call,
      .direction = ARMNN_DESCRIPTOR(call->info, armnn_rnn_descriptor_t)->direction,
      .gates = 1,
      .row_floats = 1,
      .step = run_step,
  };
  return armnn_i_ref_walk(&walk, error);
}

armnn_status_t armnn_any_rnn__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return armnn_i_ref_widened(call, rnn_float, error);
}

armnn_status_t armnn_i_ref_prepare_rnn(const armnn_workload_info_t* info, const armnn_host_t* host,
                                       armnn_backend_t* backend, void** out_prepared,
                                       armnn_workload_requirements_t* requirements,
                                       armnn_error_t* error) {
  return armnn_i_ref_prepare_walk(info, host, backend, 1, out_prepared, requirements, error);
}
