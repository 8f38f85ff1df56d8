/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rnn.c - RNN in float32 with any activation function; operands of other types are decoded
 * beforehand (widened.h).
 */
#include "activation_row.h"
#include "kernels.h"
#include "recurrent_walk.h"
#include "row_rounding.h"
#include "shared/widened.h"

/* Scratch: the sums, since the whole state before the step is read for them; with row_rounding
 * behind them the rounded state, and the rounded input. */
static void run_step(const armnn_i_ref_walk_t* walk, uint64_t direction, const float* x,
                     float* scratch, float* state) {
  const armnn_rnn_descriptor_t* d = ARMNN_DESCRIPTOR(walk->call->info, armnn_rnn_descriptor_t);
  const armnn_activation_descriptor_t activation = {.function = d->function, .a = d->a, .b = d->b};
  const uint64_t hidden = walk->hidden;
  const float* before = state;
  if (d->row_rounding != ARMNN_ROW_ROUNDING_NONE) {
    float* rounded = scratch + hidden;
    armnn_round_row(d->row_rounding, state, rounded, hidden);
    armnn_round_row(d->row_rounding, x, rounded + hidden, walk->inputs);
    before = rounded;
    x = rounded + hidden;
  }
  for (uint64_t i = 0; i < hidden; ++i) {
    const uint64_t place = direction * hidden + i;
    const float sum =
        armnn_i_ref_walk_product(walk, ARMNN_REF_WALK_INPUT_WEIGHTS, place, x, walk->inputs) +
        armnn_i_ref_walk_product(walk, ARMNN_REF_WALK_RECURRENT_WEIGHTS, place, before, hidden) +
        armnn_i_ref_walk_bias(walk, ARMNN_REF_WALK_INPUT_BIAS, place) +
        armnn_i_ref_walk_bias(walk, ARMNN_REF_WALK_RECURRENT_BIAS, place);
    scratch[i] = armnn_i_ref_clipped(sum, d->clip);
  }
  armnn_activation_row(&activation, scratch, state, hidden);
}

static armnn_status_t rnn_float(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_rnn_descriptor_t* d = ARMNN_DESCRIPTOR(call->info, armnn_rnn_descriptor_t);
  const int rounds = d->row_rounding != ARMNN_ROW_ROUNDING_NONE;
  armnn_i_ref_walk_t walk = {
      .call = call,
      .direction = d->direction,
      .gates = 1,
      .row_floats = rounds ? 2 : 1,
      .input_rows = rounds ? 1 : 0,
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
  const armnn_rnn_descriptor_t* d = ARMNN_DESCRIPTOR(info, armnn_rnn_descriptor_t);
  const int rounds = d->row_rounding != ARMNN_ROW_ROUNDING_NONE;
  return armnn_i_ref_prepare_walk(info, host, backend, rounds ? 2 : 1, rounds ? 1 : 0, out_prepared,
                                  requirements, error);
}
