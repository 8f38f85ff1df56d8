/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gru.c - GRU in float32, ONNX's with sigmoid and tanh; operands of other types are decoded
 * beforehand (widened.h).
 */
#include "kernels.h"
#include "recurrent_walk.h"
#include "shared/widened.h"

enum { UPDATE, RESET, NEW, GATES };

/* What the input adds to the sum of unit |place|. */
static float input_sum(const armnn_i_ref_walk_t* walk, uint64_t place, const float* x) {
  return armnn_i_ref_walk_product(walk, ARMNN_REF_WALK_INPUT_WEIGHTS, place, x, walk->inputs) +
         armnn_i_ref_walk_bias(walk, ARMNN_REF_WALK_INPUT_BIAS, place);
}

static float state_product(const armnn_i_ref_walk_t* walk, uint64_t place, const float* state) {
  return armnn_i_ref_walk_product(walk, ARMNN_REF_WALK_RECURRENT_WEIGHTS, place, state,
                                  walk->hidden);
}

/* Scratch: update, reset, new, the state that is reset. */
static void run_step(const armnn_i_ref_walk_t* walk, uint64_t direction, const float* x,
                     float* scratch, float* state) {
  const armnn_gru_descriptor_t* d = ARMNN_DESCRIPTOR(walk->call->info, armnn_gru_descriptor_t);
  const uint64_t hidden = walk->hidden, first = direction * GATES * hidden;
  float *update = scratch, *reset = scratch + RESET * hidden, *fresh = scratch + NEW * hidden;
  float* kept = scratch + GATES * hidden;
  for (uint64_t i = 0; i < NEW * hidden; ++i) {
    const float bias = armnn_i_ref_walk_bias(walk, ARMNN_REF_WALK_RECURRENT_BIAS, first + i);
    const float sum = input_sum(walk, first + i, x) + state_product(walk, first + i, state) + bias;
    scratch[i] = armnn_i_ref_sigmoid(armnn_i_ref_clipped(sum, d->clip));
  }
  for (uint64_t i = 0; i < hidden; ++i) kept[i] = reset[i] * state[i];
  for (uint64_t i = 0; i < hidden; ++i) {
    const uint64_t place = first + NEW * hidden + i;
    const float bias = armnn_i_ref_walk_bias(walk, ARMNN_REF_WALK_RECURRENT_BIAS, place);
    float sum = input_sum(walk, place, x);
    if (d->linear_before_reset != 0) {
      sum += reset[i] * (state_product(walk, place, state) + bias);
    } else {
      sum += state_product(walk, place, kept) + bias;
    }
    fresh[i] = tanhf(armnn_i_ref_clipped(sum, d->clip));
  }
  for (uint64_t i = 0; i < hidden; ++i) {
    state[i] = (1.0f - update[i]) * fresh[i] + update[i] * state[i];
  }
}

static armnn_status_t gru_float(const armnn_kernel_call_t* call, armnn_error_t* error) {
  armnn_i_ref_walk_t walk = {
      .call = call,
      .direction = ARMNN_DESCRIPTOR(call->info, armnn_gru_descriptor_t)->direction,
      .gates = GATES,
      .row_floats = GATES + 1,
      .step = run_step,
  };
  return armnn_i_ref_walk(&walk, error);
}

armnn_status_t armnn_any_gru__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return armnn_i_ref_widened(call, gru_float, error);
}

armnn_status_t armnn_i_ref_prepare_gru(const armnn_workload_info_t* info, const armnn_host_t* host,
                                       armnn_backend_t* backend, void** out_prepared,
                                       armnn_workload_requirements_t* requirements,
                                       armnn_error_t* error) {
  return armnn_i_ref_prepare_walk(info, host, backend, GATES + 1, 0, out_prepared, requirements,
                                  error);
}
