/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * repeat.c - the turns of a loop: one run after another, without the host's language in between.
 */
#include "core.h"

static armnn_status_t check(const armnn_repeat_t* repeat, const armnn_plan_t* plan,
                            armnn_error_t* error) {
  for (uint32_t i = 0; i < repeat->carry_count; ++i) {
    const armnn_carry_t* carry = &repeat->carries[i];
    if (carry->input >= plan->input_count || carry->output >= plan->output_count) {
      return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                          "value %u of the loop goes from output %u to input %u, but the plan has "
                          "%u outputs and %u inputs",
                          i, carry->output, carry->input, plan->output_count, plan->input_count);
    }
  }
  if (repeat->goes_on != ARMNN_PLAN_NONE && repeat->goes_on >= plan->output_count) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "the condition of the loop is output %u, but the plan has %u outputs",
                        repeat->goes_on, plan->output_count);
  }
  return ARMNN_STATUS_OK;
}

static void move_on(const armnn_repeat_t* repeat, uint32_t input_count, uint32_t output_count) {
  const int64_t* strides = repeat->strides;
  for (uint32_t i = 0; i < repeat->carry_count; ++i) {
    armnn_carry_t* carry = &repeat->carries[i];
    void* written = repeat->outputs[carry->output];
    repeat->inputs[carry->input] = written;
    if (carry->next != NULL) {
      repeat->outputs[carry->output] = carry->next;
      carry->next = written;
    }
  }
  for (uint32_t i = 0; i < input_count; ++i) {
    repeat->inputs[i] = (const char*)repeat->inputs[i] + strides[i];
  }
  for (uint32_t i = 0; i < output_count; ++i) {
    repeat->outputs[i] = (char*)repeat->outputs[i] + strides[input_count + i];
  }
  if (repeat->counter != NULL) ++*repeat->counter;
}

armnn_status_t armnn_context_repeat(armnn_repeat_t* repeat) {
  if (repeat == NULL || repeat->header.struct_type != ARMNN_STRUCT_REPEAT ||
      repeat->header.struct_size != sizeof *repeat || repeat->run == NULL) {
    return ARMNN_STATUS_INVALID_ARGUMENT;
  }
  armnn_run_t* run = repeat->run;
  armnn_error_t without_text = {{sizeof without_text, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  armnn_error_t* error = run->error != NULL ? run->error : &without_text;
  if (run->context == NULL) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the loop has no context");
  }
  /* A handler of a signal may destroy the context in the middle of a turn. */
  const uint32_t input_count = run->context->plan->input_count;
  const uint32_t output_count = run->context->plan->output_count;
  armnn_status_t status = check(repeat, run->context->plan, error);
  if (status != ARMNN_STATUS_OK) return status;
  run->inputs = repeat->inputs;
  run->outputs = repeat->outputs;
  repeat->is_ended = 0;
  const uint64_t end = repeat->pause_ns == 0 ? UINT64_MAX : armnn_i_now_ns() + repeat->pause_ns;
  uint64_t copies = 0, copied_bytes = 0;
  while (repeat->turns < repeat->most) {
    status = armnn_context_run(run);
    run->copies = copies += run->copies;
    run->copied_bytes = copied_bytes += run->copied_bytes;
    if (status != ARMNN_STATUS_OK) return status;
    ++repeat->turns;
    if (repeat->goes_on != ARMNN_PLAN_NONE) {
      repeat->is_ended = *(const uint8_t*)repeat->outputs[repeat->goes_on] == 0;
    }
    move_on(repeat, input_count, output_count);
    if (repeat->is_ended || (end != UINT64_MAX && armnn_i_now_ns() >= end)) break;
  }
  return ARMNN_STATUS_OK;
}
