/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "recurrent_walk.h"

#include "int_math.h"
#include "kernels.h"
#include "shared/scratch.h"
#include "shared/widened.h"
#include "shared/work.h"

/* Steps that a row has; behind them its outputs are 0. */
static uint64_t length_of(const armnn_i_ref_walk_t* walk, uint64_t row) {
  const void* lengths = armnn_i_ref_walk_operand(walk, ARMNN_REF_WALK_LENGTHS);
  if (lengths == NULL) return walk->steps;
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(walk->call, ARMNN_REF_WALK_LENGTHS);
  const int is_wide = info->data_type == ARMNN_DATA_TYPE_SIGNED64;
  const int64_t length = is_wide ? ((const int64_t*)lengths)[row] : ((const int32_t*)lengths)[row];
  return length < 0 ? 0 : armnn_min_u64((uint64_t)length, walk->steps);
}

/* Items are directions and rows. */
static armnn_status_t run_range(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const armnn_i_ref_walk_t* walk = (const armnn_i_ref_walk_t*)argument;
  const armnn_kernel_call_t* call = walk->call;
  const uint64_t hidden = walk->hidden;
  const float* before = (const float*)armnn_i_ref_walk_operand(walk, ARMNN_REF_WALK_STATE);
  for (uint64_t item = begin; item < end; ++item) {
    const uint64_t direction = item / walk->batch, row = item % walk->batch;
    const uint64_t length = length_of(walk, row);
    const int is_reverse = direction == 1 || walk->direction == ARMNN_RECURRENT_REVERSE;
    float* state = ARMNN_OUT(call, 1, float) + item * hidden;
    float* scratch = (float*)call->scratch + item * walk->row_floats;
    if (before == NULL) {
      memset(state, 0, hidden * sizeof(float));
    } else {
      memcpy(state, before + item * hidden, hidden * sizeof(float));
    }
    for (uint64_t i = 0; i < walk->steps && !armnn_i_ref_cancelled(call); ++i) {
      const uint64_t step = is_reverse ? walk->steps - 1 - i : i;
      float* y = ARMNN_OUT(call, 0, float) +
                 ((step * walk->directions + direction) * walk->batch + row) * hidden;
      if (step >= length) {
        memset(y, 0, hidden * sizeof(float));
        continue;
      }
      const float* x = ARMNN_IN(call, ARMNN_REF_WALK_X, float);
      walk->step(walk, direction, x + (step * walk->batch + row) * walk->inputs, scratch, state);
      memcpy(y, state, hidden * sizeof(float));
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_walk(armnn_i_ref_walk_t* walk, armnn_error_t* error) {
  const armnn_workload_info_t* info = walk->call->info;
  const armnn_tensor_info_t* x = info->input_infos[ARMNN_REF_WALK_X];
  const armnn_tensor_info_t* recurrent = info->input_infos[ARMNN_REF_WALK_RECURRENT_WEIGHTS];
  walk->steps = x->dims[0];
  walk->batch = x->dims[1];
  walk->inputs = x->dims[2];
  walk->directions = recurrent->dims[0];
  walk->hidden = recurrent->dims[2];
  walk->row_floats = walk->row_floats * walk->hidden + walk->input_rows * walk->inputs;
  if (walk->hidden == 0) return ARMNN_STATUS_OK;
  const uint64_t sums = walk->steps * walk->gates * walk->hidden;
  return armnn_i_ref_run(walk->call, run_range, walk, walk->directions * walk->batch,
                         sums * (walk->inputs + walk->hidden + 16), error);
}

armnn_status_t armnn_i_ref_prepare_walk(const armnn_workload_info_t* info, const armnn_host_t* host,
                                        armnn_backend_t* backend, uint64_t hidden_rows,
                                        uint64_t input_rows, void** out_prepared,
                                        armnn_workload_requirements_t* requirements,
                                        armnn_error_t* error) {
  const armnn_tensor_info_t* recurrent = info->input_infos[ARMNN_REF_WALK_RECURRENT_WEIGHTS];
  const armnn_tensor_info_t* x = info->input_infos[ARMNN_REF_WALK_X];
  const uint64_t rows = recurrent->dims[0] * x->dims[1];
  const uint64_t row_floats = hidden_rows * recurrent->dims[2] + input_rows * x->dims[2];
  ARMNN_RETURN_IF_ERROR(
      armnn_i_ref_prepare_widened(info, host, backend, out_prepared, requirements, error));
  armnn_i_ref_scratch_ask(requirements, rows * row_floats, sizeof(float));
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_walk_supports(const armnn_layer_query_t* query, armnn_error_t* reason) {
  for (uint32_t i = 1; i < query->input_count && i < ARMNN_REF_WALK_LENGTHS; ++i) {
    const armnn_tensor_info_t* info = query->input_infos[i];
    if (info == NULL || info->data_type == query->input_infos[ARMNN_REF_WALK_X]->data_type ||
        armnn_data_type_is_quantized(info->data_type)) {
      continue;
    }
    return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                      "input %u is %s, a quantised type expected beside a quantised input",
                      (unsigned)i, armnn_data_type_name(info->data_type));
  }
  return ARMNN_STATUS_OK;
}
