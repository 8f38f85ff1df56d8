/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * check_steps.c - is every number of a step of a plan within its bounds, and do its steps agree
 * with those before?
 */
#include <string.h>

#include "plan_check.h"

/* Step |number| writes to |whole|, or to a part of it: a value stays, and only the host's own
 * copies and kernels write what comes next. */
static armnn_status_t check_written_place(const check_t* check, uint32_t number,
                                          const armnn_plan_tensor_t* whole) {
  const armnn_plan_spec_t* spec = check->spec;
  armnn_error_t* error = check->error;
  const uint32_t tensor = (uint32_t)(whole - spec->tensors);
  if (spec->variable_count == 0 || check->places[tensor] == 0) return ARMNN_STATUS_OK;
  const uint32_t place = check->places[tensor] - 1;
  if (place % 2 == 0) {
    REFUSE("step %u: writes tensor %u, which is the value of variable %u", number, tensor,
           place / 2);
  }
  const int32_t kind = spec->steps[number].kind;
  if (kind != ARMNN_PLAN_STEP_EXECUTE && kind != ARMNN_PLAN_STEP_COPY) {
    REFUSE("step %u: lets tensor %u, a place of variable %u, have other memory", number, tensor,
           place / 2);
  }
  check->is_written[place] = true;
  return ARMNN_STATUS_OK;
}

/* Whether the address of |tensor| is sure to be a multiple of |alignment|. */
static bool is_aligned(const armnn_plan_tensor_t* tensor, uint64_t alignment) {
  switch (tensor->kind) {
    case ARMNN_PLAN_TENSOR_ARENA:
      return tensor->offset % alignment == 0;
    case ARMNN_PLAN_TENSOR_CONSTANT:
      return (uintptr_t)tensor->address % alignment == 0;
    case ARMNN_PLAN_TENSOR_HANDLE:
      return true;
    default:
      return tensor->alignment % alignment == 0;
  }
}

/* Whether |extra| bytes behind |tensor| are sure to be readable. */
static bool is_readable_behind(const armnn_plan_tensor_t* tensor, const armnn_plan_tensor_t* whole,
                               uint64_t extra) {
  if (extra == 0 || tensor->kind == ARMNN_PLAN_TENSOR_HANDLE) return true;
  if (tensor == whole) return extra <= tensor->readable;
  return extra <= whole->size + whole->readable - tensor->offset - tensor->size;
}

static bool touches_scratch(const armnn_plan_step_t* step, const armnn_plan_tensor_t* tensor,
                            const armnn_plan_tensor_t* whole) {
  if (tensor->kind == ARMNN_PLAN_TENSOR_CONSTANT || tensor->kind == ARMNN_PLAN_TENSOR_HANDLE ||
      tensor->size == 0) {
    return false;
  }
  if (whole->offset == ARMNN_PLAN_NO_STAGING || step->scratch_size == 0) return false;
  const uint64_t offset = whole == tensor ? tensor->offset : whole->offset + tensor->offset;
  return offset < step->scratch_offset + step->scratch_size &&
         step->scratch_offset < offset + tensor->size;
}

/* What messages call a step that moves a tensor; null for another |kind|. */
static const char* move_name(int32_t kind) {
  switch (kind) {
    case ARMNN_PLAN_STEP_COPY:
      return "copy";
    case ARMNN_PLAN_STEP_IMPORT:
      return "import";
    case ARMNN_PLAN_STEP_LEND:
      return "loan";
    case ARMNN_PLAN_STEP_RETURN:
      return "return";
    case ARMNN_PLAN_STEP_MAP:
      return "map";
    case ARMNN_PLAN_STEP_UNMAP:
      return "unmap";
    default:
      return NULL;
  }
}

static armnn_status_t check_operand(const check_t* check, uint32_t number, bool is_input,
                                    uint32_t position, const armnn_i_needs_t* needs) {
  const armnn_plan_spec_t* spec = check->spec;
  const armnn_plan_step_t* step = &spec->steps[number];
  armnn_error_t* error = check->error;
  const char* what = is_input ? "input" : "output";
  const uint32_t operand = is_input ? step->inputs[position] : step->outputs[position];
  if (operand == ARMNN_PLAN_NONE) {
    if (step->kind == ARMNN_PLAN_STEP_EXECUTE) return ARMNN_STATUS_OK;
    REFUSE("step %u: a %s without %s", number, move_name(step->kind), what);
  }
  if (operand >= spec->tensor_count) {
    REFUSE("step %u: %s %u names tensor %u, but the plan has %u", number, what, position, operand,
           spec->tensor_count);
  }
  const armnn_plan_tensor_t* tensor = &spec->tensors[operand];
  const armnn_plan_tensor_t* whole = whole_of(spec, tensor);
  if (!is_input) {
    if (whole->kind == ARMNN_PLAN_TENSOR_CONSTANT || whole->kind == ARMNN_PLAN_TENSOR_INPUT) {
      REFUSE("step %u: output %u names tensor %u, which is %s", number, position, operand,
             whole->kind == ARMNN_PLAN_TENSOR_INPUT ? "an input of the run" : "a constant");
    }
    if (whole->kind == ARMNN_PLAN_TENSOR_MAPPED && step->kind != ARMNN_PLAN_STEP_MAP) {
      REFUSE("step %u: output %u names tensor %u, which is mapped to be read", number, position,
             operand);
    }
    if (tensor->kind == ARMNN_PLAN_TENSOR_HANDLE && check->reader[tensor->index] != 0) {
      REFUSE("step %u: output %u names tensor %u, whose handle is mapped", number, position,
             operand);
    }
    if (whole->kind == ARMNN_PLAN_TENSOR_OUTPUT && step->kind != ARMNN_PLAN_STEP_LEND) {
      check->seen[spec->input_count + whole->index] |= SEEN_WRITTEN;
    }
    const armnn_status_t status = check_written_place(check, number, whole);
    if (status != ARMNN_STATUS_OK) return status;
  } else if (whole->kind == ARMNN_PLAN_TENSOR_MAPPED && !check->open[whole - spec->tensors]) {
    REFUSE("step %u: input %u names tensor %u, which is not mapped at that time", number, position,
           operand);
  }
  const uint32_t index = is_input ? position : step->input_count + position;
  const uint64_t alignment = armnn_i_alignment_of(needs, index);
  const uint64_t readable = armnn_i_readable_behind(needs, index);
  if (!is_readable_behind(tensor, whole, readable)) {
    REFUSE(
        "step %u: the workload may read %llu bytes behind %s %u (tensor %u), which are not there",
        number, (ull)readable, what, position, operand);
  }
  if (!is_aligned(tensor, alignment)) {
    REFUSE("step %u: the workload wants tensors aligned to %llu, %s %u (tensor %u) is not", number,
           (ull)alignment, what, position, operand);
  }
  if (touches_scratch(step, tensor, whole)) {
    REFUSE("step %u: %s %u (tensor %u) and the scratch overlap", number, what, position, operand);
  }
  return ARMNN_STATUS_OK;
}

/* Checks the workload's table, and its requirements against the plan. */
static armnn_status_t check_workload(const check_t* check, uint32_t number,
                                     armnn_i_needs_t* out_needs) {
  const armnn_plan_step_t* step = &check->spec->steps[number];
  armnn_error_t* error = check->error;
  if (step->workload == NULL || step->workload->api == NULL) {
    REFUSE("step %u: the workload or its table is null", number);
  }
  const armnn_workload_api_t* api = step->workload->api;
  if (api->header.struct_type != ARMNN_STRUCT_WORKLOAD) {
    REFUSE("step %u: the workload's table has the tag 0x%08x, 0x%08x was expected", number,
           api->header.struct_type, ARMNN_STRUCT_WORKLOAD);
  }
  if (!ARMNN_HAS_FN(api, armnn_workload_api_t, execute)) {
    REFUSE("step %u: the workload has no function 'execute'", number);
  }
  const armnn_status_t status = armnn_i_ask_needs(step, number, out_needs, error);
  if (status != ARMNN_STATUS_OK) return status;
  if (step->scratch_size < out_needs->scratch_size) {
    REFUSE("step %u: the workload wants %llu bytes of scratch, the plan has %llu", number,
           (ull)out_needs->scratch_size, (ull)step->scratch_size);
  }
  if (step->scratch_size != 0 && step->scratch_offset % out_needs->scratch_alignment != 0) {
    REFUSE("step %u: the workload wants scratch aligned to %llu, its offset is %llu", number,
           (ull)out_needs->scratch_alignment, (ull)step->scratch_offset);
  }
  if (step->persistent_size < out_needs->persistent_size) {
    REFUSE("step %u: the workload wants %llu persistent bytes, the plan has %llu", number,
           (ull)out_needs->persistent_size, (ull)step->persistent_size);
  }
  const uint64_t alignments[] = {out_needs->scratch_alignment, out_needs->tensor_alignment};
  for (int i = 0; i < 2; ++i) {
    if (alignments[i] > check->facts->arena_alignment) {
      check->facts->arena_alignment = alignments[i];
    }
  }
  return ARMNN_STATUS_OK;
}

/* Persistent bytes are a workload's, as it is to be serial. */
static armnn_status_t check_state(const check_t* check, uint32_t number) {
  const armnn_plan_step_t* step = &check->spec->steps[number];
  armnn_error_t* error = check->error;
  if (step->kind != ARMNN_PLAN_STEP_EXECUTE && (step->persistent_size != 0 || step->is_serial)) {
    REFUSE("step %u: state, or waiting, without a workload", number);
  }
  if (step->persistent_size > PTRDIFF_MAX / 2 - check->facts->persistent_size) {
    REFUSE("step %u: %llu persistent bytes are more than an address space holds", number,
           (ull)step->persistent_size);
  }
  check->facts->persistent_size += armnn_i_round_to_line(step->persistent_size);
  return ARMNN_STATUS_OK;
}

/* Keeps account of what is mapped, over MAP and UNMAP steps. */
static armnn_status_t check_map(const check_t* check, uint32_t number) {
  const armnn_plan_step_t* step = &check->spec->steps[number];
  armnn_error_t* error = check->error;
  const uint32_t source = step->inputs[0];
  uint32_t* reader = &check->reader[check->spec->tensors[source].index];
  if (step->kind == ARMNN_PLAN_STEP_UNMAP) {
    if (*reader == 0) REFUSE("step %u: unmaps tensor %u, which is not mapped", number, source);
    check->open[*reader - 1] = 0;
    *reader = 0;
    return ARMNN_STATUS_OK;
  }
  const uint32_t target = step->outputs[0];
  if (check->spec->tensors[target].kind != ARMNN_PLAN_TENSOR_MAPPED) {
    REFUSE("step %u: maps to tensor %u, which is not of kind MAPPED", number, target);
  }
  if (*reader != 0 || check->open[target]) {
    REFUSE("step %u: maps tensor %u to %u, and one is mapped already", number, source, target);
  }
  check->open[target] = 1;
  *reader = target + 1;
  return ARMNN_STATUS_OK;
}

/* Operands of a step that moves a tensor: sizes and kinds fit. */
static armnn_status_t check_move(const check_t* check, uint32_t number) {
  const armnn_plan_spec_t* spec = check->spec;
  const armnn_plan_step_t* step = &spec->steps[number];
  armnn_error_t* error = check->error;
  const bool lends = step->kind == ARMNN_PLAN_STEP_LEND;
  const armnn_plan_tensor_t* source = &spec->tensors[lends ? step->outputs[1] : step->inputs[0]];
  const armnn_plan_tensor_t* target =
      step->kind == ARMNN_PLAN_STEP_UNMAP ? source : &spec->tensors[step->outputs[0]];
  if (source->size != target->size) {
    REFUSE("step %u: a %s of %llu bytes to %llu", number, move_name(step->kind), (ull)source->size,
           (ull)target->size);
  }
  const bool from_handle = source->kind == ARMNN_PLAN_TENSOR_HANDLE;
  const bool to_handle =
      step->kind != ARMNN_PLAN_STEP_UNMAP && target->kind == ARMNN_PLAN_TENSOR_HANDLE;
  if (armnn_i_find_move(step->kind, from_handle, to_handle, NULL) == NULL) {
    REFUSE("step %u: a %s from %s to %s", number, move_name(step->kind),
           from_handle ? "a handle" : "host memory", to_handle ? "a handle" : "host memory");
  }
  const bool is_across = step->kind == ARMNN_PLAN_STEP_COPY && from_handle && to_handle;
  if (step->scratch_size != 0 && (!is_across || step->scratch_size < source->size)) {
    REFUSE("step %u: a %s of %llu bytes with %llu bytes of scratch", number, move_name(step->kind),
           (ull)source->size, (ull)step->scratch_size);
  }
  if (lends && source->kind != ARMNN_PLAN_TENSOR_OUTPUT) {
    REFUSE("step %u: lends tensor %u, which is not an output of the run", number, step->outputs[1]);
  }
  if (step->kind == ARMNN_PLAN_STEP_MAP || step->kind == ARMNN_PLAN_STEP_UNMAP) {
    return check_map(check, number);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_bounded(const check_t* check, uint32_t number) {
  const armnn_plan_spec_t* spec = check->spec;
  const armnn_plan_step_t* step = &spec->steps[number];
  armnn_error_t* error = check->error;
  if (step->bounded > ARMNN_PLAN_BOUNDED_REPORTS) {
    REFUSE("step %u: bounded %u is unknown", number, step->bounded);
  }
  if (step->kind != ARMNN_PLAN_STEP_EXECUTE) {
    REFUSE("step %u: bounded shapes, but it has no workload", number);
  }
  for (uint32_t i = 0; i < step->input_count + step->output_count; ++i) {
    const uint32_t tensor =
        i < step->input_count ? step->inputs[i] : step->outputs[i - step->input_count];
    if (tensor != ARMNN_PLAN_NONE && spec->tensors[tensor].kind == ARMNN_PLAN_TENSOR_HANDLE) {
      REFUSE("step %u: bounded shapes, but tensor %u is a handle", number, tensor);
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_fence(const check_t* check, uint32_t number) {
  const armnn_plan_step_t* step = &check->spec->steps[number];
  armnn_error_t* error = check->error;
  if (step->fence >= check->spec->fence_count) {
    REFUSE("step %u: names fence %u, but the plan has %u", number, step->fence,
           check->spec->fence_count);
  }
  unsigned char* state = &check->fences[step->fence];
  if (step->kind == ARMNN_PLAN_STEP_SIGNAL) {
    if (*state != 0) REFUSE("step %u: fence %u is signalled twice", number, step->fence);
    *state = FENCE_SIGNALLED;
    return ARMNN_STATUS_OK;
  }
  if (*state == 0) REFUSE("step %u: waits for fence %u before its step", number, step->fence);
  if (step->backend_context == NULL) *state |= FENCE_AWAITED;
  return ARMNN_STATUS_OK;
}

/* SYNC, SIGNAL, WAIT. */
static armnn_status_t check_sync(const check_t* check, uint32_t number) {
  const armnn_plan_step_t* step = &check->spec->steps[number];
  armnn_error_t* error = check->error;
  if (step->input_count != 0 || step->output_count != 0 || step->scratch_size != 0) {
    REFUSE("step %u: a sync with operands or scratch", number);
  }
  if (step->kind != ARMNN_PLAN_STEP_SYNC) {
    const armnn_status_t status = check_fence(check, number);
    if (status != ARMNN_STATUS_OK) return status;
    if (step->kind == ARMNN_PLAN_STEP_WAIT && step->backend_context == NULL) return status;
  }
  if (step->backend_context == NULL || step->backend_context->api == NULL) {
    REFUSE("step %u: the sync's backend context or its table is null", number);
  }
  const armnn_backend_context_api_t* api = step->backend_context->api;
  if (api->header.struct_type != ARMNN_STRUCT_BACKEND_CONTEXT) {
    REFUSE("step %u: the backend context's table has the tag 0x%08x, 0x%08x was expected", number,
           api->header.struct_type, ARMNN_STRUCT_BACKEND_CONTEXT);
  }
  if (step->kind == ARMNN_PLAN_STEP_WAIT) {
    if (ARMNN_HAS_FN(api, armnn_backend_context_api_t, wait_fence)) return ARMNN_STATUS_OK;
    REFUSE("step %u: the backend context has no function 'wait_fence'", number);
  }
  if (!ARMNN_HAS_FN(api, armnn_backend_context_api_t, after_enqueue_workload)) {
    REFUSE("step %u: the backend context has no function 'after_enqueue_workload'", number);
  }
  if (step->kind == ARMNN_PLAN_STEP_SIGNAL &&
      !ARMNN_HAS_FN(api, armnn_backend_context_api_t, signal_fence)) {
    REFUSE("step %u: the backend context has no function 'signal_fence'", number);
  }
  return ARMNN_STATUS_OK;
}

/* A step that may return early, or a wait of a queue, is followed by one of its row, or by the sync
 * that ends it. */
static armnn_status_t check_row(const check_t* check, uint32_t number) {
  const armnn_plan_spec_t* spec = check->spec;
  const armnn_plan_step_t* step = &spec->steps[number];
  armnn_error_t* error = check->error;
  if (step->backend_context == NULL) return ARMNN_STATUS_OK;
  if (move_name(step->kind) != NULL) {
    REFUSE("step %u: a %s with a backend context", number, move_name(step->kind));
  }
  if (step->kind == ARMNN_PLAN_STEP_SYNC || step->kind == ARMNN_PLAN_STEP_SIGNAL) {
    return ARMNN_STATUS_OK;
  }
  const armnn_plan_step_t* next = number + 1 < spec->step_count ? step + 1 : NULL;
  if (next == NULL || next->backend_context != step->backend_context ||
      next->execution_data_index != step->execution_data_index) {
    REFUSE("step %u: may return before it is done, and no sync of its backend follows", number);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_flags(const check_t* check, uint32_t number) {
  const armnn_plan_step_t* step = &check->spec->steps[number];
  armnn_error_t* error = check->error;
  const uint32_t known = ARMNN_PLAN_STEP_MAY_IMPORT | ARMNN_PLAN_STEP_TAKES_READY;
  const bool imports = step->kind == ARMNN_PLAN_STEP_COPY || step->kind == ARMNN_PLAN_STEP_IMPORT ||
                       step->kind == ARMNN_PLAN_STEP_LEND;
  if ((step->flags & ~known) != 0 || (step->flags != 0 && !imports) ||
      ((step->flags & ARMNN_PLAN_STEP_MAY_IMPORT) != 0 && step->kind != ARMNN_PLAN_STEP_COPY)) {
    REFUSE("step %u: flags 0x%x of a step of kind %d", number, step->flags, step->kind);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_check_step(const check_t* check, uint32_t number) {
  const armnn_plan_spec_t* spec = check->spec;
  const armnn_plan_step_t* step = &spec->steps[number];
  armnn_error_t* error = check->error;
  const char* move = move_name(step->kind);
  armnn_i_needs_t needs = {.tensor_alignment = 1};
  const bool is_sync = step->kind == ARMNN_PLAN_STEP_SYNC || step->kind == ARMNN_PLAN_STEP_SIGNAL ||
                       step->kind == ARMNN_PLAN_STEP_WAIT;
  if (move == NULL && !is_sync && step->kind != ARMNN_PLAN_STEP_EXECUTE) {
    REFUSE("step %u: kind %d is unknown", number, step->kind);
  }
  const uint32_t input_count = step->kind == ARMNN_PLAN_STEP_LEND ? 0 : 1;
  const uint32_t output_count = step->kind == ARMNN_PLAN_STEP_LEND    ? 2
                                : step->kind == ARMNN_PLAN_STEP_UNMAP ? 0
                                                                      : 1;
  if (move != NULL && (step->input_count != input_count || step->output_count != output_count)) {
    REFUSE("step %u: a %s with %u inputs and %u outputs", number, move, step->input_count,
           step->output_count);
  }
  if ((step->inputs == NULL && step->input_count != 0) ||
      (step->outputs == NULL && step->output_count != 0)) {
    REFUSE("step %u: its list of %s is null", number, step->inputs == NULL ? "inputs" : "outputs");
  }
  const uint64_t operands =
      (uint64_t)check->facts->operand_count + step->input_count + step->output_count;
  if (operands > ARMNN_I_MAX_OPERANDS) REFUSE("step %u: the plan has too many operands", number);
  check->facts->operand_count = (uint32_t)operands;
  if (!fits_arena(spec, step->scratch_offset, step->scratch_size)) {
    REFUSE("step %u: scratch at offset %llu with %llu bytes does not fit the arena of %llu bytes",
           number, (ull)step->scratch_offset, (ull)step->scratch_size, (ull)spec->arena_size);
  }
  if (step->execution_data_index != ARMNN_PLAN_NONE &&
      step->execution_data_index >= spec->execution_data_count) {
    REFUSE("step %u: names execution data %u, but the plan has %u", number,
           step->execution_data_index, spec->execution_data_count);
  }
  armnn_status_t status = check_flags(check, number);
  if (status == ARMNN_STATUS_OK && is_sync) status = check_sync(check, number);
  if (status == ARMNN_STATUS_OK) status = check_row(check, number);
  if (status == ARMNN_STATUS_OK) status = check_state(check, number);
  if (status == ARMNN_STATUS_OK && move == NULL && !is_sync) {
    status = check_workload(check, number, &needs);
  }
  for (uint32_t i = 0; status == ARMNN_STATUS_OK && i < step->input_count; ++i) {
    status = check_operand(check, number, true, i, &needs);
  }
  for (uint32_t i = 0; status == ARMNN_STATUS_OK && i < step->output_count; ++i) {
    status = check_operand(check, number, false, i, &needs);
  }
  if (status == ARMNN_STATUS_OK && move != NULL) status = check_move(check, number);
  if (status == ARMNN_STATUS_OK && step->bounded != 0) status = check_bounded(check, number);
  return status;
}
