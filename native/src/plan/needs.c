/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * needs.c - what a workload states that it needs: asked for once, when a plan is checked.
 */
#include <string.h>

#include "core.h"

#define REFUSE(...) return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, __VA_ARGS__)

typedef unsigned long long ull;

static bool is_alignment(uint64_t value) {
  return armnn_i_is_power_of_two(value) && value <= ARMNN_MAX_ALIGNMENT;
}

static armnn_status_t check_tensors(const armnn_plan_step_t* step, uint32_t number,
                                    const armnn_i_needs_t* needs, armnn_error_t* error) {
  const uint64_t count = (uint64_t)step->input_count + step->output_count;
  for (uint32_t i = 0; needs->tensors != NULL && i < count; ++i) {
    const armnn_tensor_needs_t* own = needs->tensors[i];
    if (own == NULL) continue;
    if (own->header.struct_type != ARMNN_STRUCT_TENSOR_NEEDS ||
        !ARMNN_HAS(own, armnn_tensor_needs_t, reserved)) {
      REFUSE("step %u: the needs of operand %u have the tag 0x%08x and %u bytes", number, i,
             own->header.struct_type, own->header.struct_size);
    }
    if (own->alignment != 0 && !is_alignment(own->alignment)) {
      REFUSE("step %u: the workload wants alignment %u, not a power of two up to %u", number,
             own->alignment, ARMNN_MAX_ALIGNMENT);
    }
    if (own->readable_bytes > ARMNN_MAX_ALIGNMENT) {
      REFUSE("step %u: the workload wants %u readable bytes behind operand %u, %u is the limit",
             number, own->readable_bytes, i, ARMNN_MAX_ALIGNMENT);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ask_needs(const armnn_plan_step_t* step, uint32_t number,
                                 armnn_i_needs_t* out_needs, armnn_error_t* error) {
  const armnn_workload_api_t* api = step->workload->api;
  memset(out_needs, 0, sizeof *out_needs);
  out_needs->tensor_alignment = 1;
  out_needs->scratch_alignment = 1;
  if (!ARMNN_HAS_FN(api, armnn_workload_api_t, get_requirements)) return ARMNN_STATUS_OK;
  armnn_workload_requirements_t stated;
  memset(&stated, 0, sizeof stated);
  stated.header.struct_size = sizeof stated;
  stated.header.struct_type = ARMNN_STRUCT_WORKLOAD_REQUIREMENTS;
  api->get_requirements(step->workload, &stated);
  out_needs->tensor_alignment = stated.tensor_alignment == 0 ? 64 : stated.tensor_alignment;
  out_needs->scratch_alignment = stated.scratch_alignment == 0 ? 64 : stated.scratch_alignment;
  out_needs->scratch_size = stated.scratch_size;
  out_needs->persistent_size = stated.persistent_size;
  out_needs->tensors = stated.tensors;
  if (!is_alignment(out_needs->tensor_alignment) || !is_alignment(out_needs->scratch_alignment)) {
    REFUSE("step %u: the workload wants alignments %llu and %llu, not powers of two up to %u",
           number, (ull)out_needs->tensor_alignment, (ull)out_needs->scratch_alignment,
           ARMNN_MAX_ALIGNMENT);
  }
  if (stated.persistent_size != 0 &&
      ARMNN_HAS_FN(api, armnn_workload_api_t, create_workload_data)) {
    REFUSE("step %u: the workload wants persistent bytes and has create_workload_data", number);
  }
  if ((stated.flags & ARMNN_WORKLOAD_SERIAL) != 0 && !step->is_serial) {
    REFUSE("step %u: the workload is serial, and the plan does not say so", number);
  }
  return check_tensors(step, number, out_needs, error);
}
