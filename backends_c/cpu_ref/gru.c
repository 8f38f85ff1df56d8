/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gru.c - GRU in float32, ONNX's with sigmoid and tanh; operands of other types are decoded
 * beforehand (widened.h). A row of the batch goes through all its steps by itself.
 */
#include "int_math.h"
#include "kernels.h"
#include "recurrent.h"
#include "scratch.h"
#include "widened.h"
#include "work.h"

enum { X, INPUT_WEIGHTS, RECURRENT_WEIGHTS, INPUT_BIAS, RECURRENT_BIAS, STATE, LENGTHS };
enum { UPDATE, RESET, NEW, GATES };

typedef struct gru_t {
  const armnn_kernel_call_t* call;
  const armnn_gru_descriptor_t* d;
  uint64_t steps, batch, inputs, hidden, directions;
  float* sums; /* by direction and row: [4, hidden]: update, reset, new, the state that is reset */
} gru_t;

static const void* operand(const gru_t* gru, uint32_t place) {
  return place < gru->call->info->input_count ? gru->call->inputs[place] : NULL;
}

/* Steps that a row has; behind them its outputs are 0. */
static uint64_t length_of(const gru_t* gru, uint64_t row) {
  const void* lengths = operand(gru, LENGTHS);
  if (lengths == NULL) return gru->steps;
  const int is_wide = ARMNN_IN_INFO(gru->call, LENGTHS)->data_type == ARMNN_DATA_TYPE_SIGNED64;
  const int64_t length = is_wide ? ((const int64_t*)lengths)[row] : ((const int32_t*)lengths)[row];
  return length < 0 ? 0 : armnn_min_u64((uint64_t)length, gru->steps);
}

/* What a place of a gate adds to its sum: the bias of |kind|, or 0. */
static float bias_of(const gru_t* gru, uint32_t kind, uint64_t place) {
  const float* bias = (const float*)operand(gru, kind);
  return bias == NULL ? 0.0f : bias[place];
}

static float weighted(const gru_t* gru, uint32_t kind, uint64_t place, const float* x,
                      uint64_t count) {
  return armnn_i_ref_dot(x, (const float*)operand(gru, kind) + place * count, count);
}

/* One step: |state| becomes that behind it. */
static void run_step(const gru_t* gru, uint64_t direction, const float* x, float* sums,
                     float* state) {
  const uint64_t hidden = gru->hidden, first = direction * GATES * hidden;
  const float clip = gru->d->clip;
  const int resets_after = gru->d->linear_before_reset != 0;
  float *update = sums, *reset = sums + RESET * hidden, *fresh = sums + NEW * hidden;
  float* kept = sums + GATES * hidden;
  for (uint64_t i = 0; i < NEW * hidden; ++i) {
    const uint64_t place = first + i;
    const float sum = weighted(gru, INPUT_WEIGHTS, place, x, gru->inputs) +
                      weighted(gru, RECURRENT_WEIGHTS, place, state, hidden) +
                      bias_of(gru, INPUT_BIAS, place) + bias_of(gru, RECURRENT_BIAS, place);
    sums[i] = armnn_i_ref_sigmoid(armnn_i_ref_clipped(sum, clip));
  }
  for (uint64_t i = 0; i < hidden; ++i) kept[i] = reset[i] * state[i];
  for (uint64_t i = 0; i < hidden; ++i) {
    const uint64_t place = first + NEW * hidden + i;
    const float bias = bias_of(gru, RECURRENT_BIAS, place);
    float sum =
        weighted(gru, INPUT_WEIGHTS, place, x, gru->inputs) + bias_of(gru, INPUT_BIAS, place);
    if (resets_after) {
      sum += reset[i] * (weighted(gru, RECURRENT_WEIGHTS, place, state, hidden) + bias);
    } else {
      sum += weighted(gru, RECURRENT_WEIGHTS, place, kept, hidden) + bias;
    }
    fresh[i] = tanhf(armnn_i_ref_clipped(sum, clip));
  }
  for (uint64_t i = 0; i < hidden; ++i) {
    state[i] = (1.0f - update[i]) * fresh[i] + update[i] * state[i];
  }
}

/* Items are directions and rows. */
static armnn_status_t run_range(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const gru_t* gru = (const gru_t*)argument;
  const armnn_kernel_call_t* call = gru->call;
  const uint64_t hidden = gru->hidden;
  const float* before = (const float*)operand(gru, STATE);
  for (uint64_t item = begin; item < end; ++item) {
    const uint64_t direction = item / gru->batch, row = item % gru->batch;
    const uint64_t length = length_of(gru, row);
    const int is_reverse = direction == 1 || gru->d->direction == ARMNN_RECURRENT_REVERSE;
    float* state = ARMNN_OUT(call, 1, float) + item * hidden;
    float* sums = gru->sums + item * (GATES + 1) * hidden;
    if (before == NULL) {
      memset(state, 0, hidden * sizeof(float));
    } else {
      memcpy(state, before + item * hidden, hidden * sizeof(float));
    }
    for (uint64_t i = 0; i < gru->steps && !armnn_i_ref_cancelled(call); ++i) {
      const uint64_t step = is_reverse ? gru->steps - 1 - i : i;
      float* y = ARMNN_OUT(call, 0, float) +
                 ((step * gru->directions + direction) * gru->batch + row) * hidden;
      if (step >= length) {
        memset(y, 0, hidden * sizeof(float));
        continue;
      }
      const float* x = (const float*)operand(gru, X) + (step * gru->batch + row) * gru->inputs;
      run_step(gru, direction, x, sums, state);
      memcpy(y, state, hidden * sizeof(float));
    }
  }
  return ARMNN_STATUS_OK;
}

static gru_t gru_of(const armnn_workload_info_t* info) {
  const armnn_tensor_info_t *x = info->input_infos[X],
                            *recurrent = info->input_infos[RECURRENT_WEIGHTS];
  return (gru_t){.d = ARMNN_DESCRIPTOR(info, armnn_gru_descriptor_t),
                 .steps = x->dims[0],
                 .batch = x->dims[1],
                 .inputs = x->dims[2],
                 .hidden = recurrent->dims[2],
                 .directions = recurrent->dims[0]};
}

static armnn_status_t gru_float(const armnn_kernel_call_t* call, armnn_error_t* error) {
  gru_t gru = gru_of(call->info);
  gru.call = call;
  gru.sums = (float*)call->scratch;
  if (gru.hidden == 0) return ARMNN_STATUS_OK;
  const uint64_t operations = gru.steps * GATES * gru.hidden * (gru.inputs + gru.hidden + 16);
  return armnn_i_ref_run(call, run_range, &gru, gru.directions * gru.batch, operations, error);
}

armnn_status_t armnn_any_gru__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return armnn_i_ref_widened(call, gru_float, error);
}

armnn_status_t armnn_i_ref_prepare_gru(const armnn_workload_info_t* info, const armnn_host_t* host,
                                       armnn_backend_t* backend, void** out_prepared,
                                       armnn_workload_requirements_t* requirements,
                                       armnn_error_t* error) {
  const gru_t gru = gru_of(info);
  ARMNN_RETURN_IF_ERROR(
      armnn_i_ref_prepare_widened(info, host, backend, out_prepared, requirements, error));
  armnn_i_ref_scratch_ask(requirements, gru.directions * gru.batch * (GATES + 1) * gru.hidden,
                          sizeof(float));
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_gru_supports(const armnn_layer_query_t* query, armnn_error_t* reason) {
  for (uint32_t i = 1; i < query->input_count && i < LENGTHS; ++i) {
    const armnn_tensor_info_t* info = query->input_infos[i];
    if (info == NULL || info->data_type == query->input_infos[X]->data_type ||
        armnn_data_type_is_quantized(info->data_type)) {
      continue;
    }
    return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                      "input %u is %s, a quantised type expected beside a quantised input",
                      (unsigned)i, armnn_data_type_name(info->data_type));
  }
  return ARMNN_STATUS_OK;
}
