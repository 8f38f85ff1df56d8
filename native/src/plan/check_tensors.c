/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * check_tensors.c - is every number of a tensor of a plan within its bounds?
 */
#include "plan_check.h"

static armnn_status_t check_place(const check_t* check, uint32_t number, const char* what) {
  const armnn_plan_spec_t* spec = check->spec;
  const armnn_plan_tensor_t* tensor = &spec->tensors[number];
  armnn_error_t* error = check->error;
  if (!fits_arena(spec, tensor->offset, tensor->size + tensor->readable)) {
    REFUSE("tensor %u: %s at offset %llu with %llu bytes does not fit the arena of %llu bytes",
           number, what, (ull)tensor->offset, (ull)(tensor->size + tensor->readable),
           (ull)spec->arena_size);
  }
  if (tensor->offset % tensor->alignment != 0) {
    REFUSE("tensor %u: %s at offset %llu is not a multiple of its alignment %llu", number, what,
           (ull)tensor->offset, (ull)tensor->alignment);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_external(const check_t* check, uint32_t number) {
  const armnn_plan_spec_t* spec = check->spec;
  const armnn_plan_tensor_t* tensor = &spec->tensors[number];
  armnn_error_t* error = check->error;
  const bool is_input = tensor->kind == ARMNN_PLAN_TENSOR_INPUT;
  const char* what = is_input ? "input" : "output";
  const uint32_t count = is_input ? spec->input_count : spec->output_count;
  if (tensor->index >= count) {
    REFUSE("tensor %u: names %s %u of the run, which has %u", number, what, tensor->index, count);
  }
  unsigned char* seen = &check->seen[(is_input ? 0 : spec->input_count) + tensor->index];
  if (*seen & SEEN_TENSOR) {
    REFUSE("tensor %u: %s %u of the run has a tensor already", number, what, tensor->index);
  }
  *seen |= SEEN_TENSOR;
  if (tensor->offset != ARMNN_PLAN_NO_STAGING) return check_place(check, number, "staging");
  if (tensor->alignment != 1 || tensor->readable != 0) {
    REFUSE(
        "tensor %u: %s %u of the run has alignment %llu and %llu readable bytes behind it, but "
        "no place for a copy",
        number, what, tensor->index, (ull)tensor->alignment, (ull)tensor->readable);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t check_part(const check_t* check, uint32_t number) {
  const armnn_plan_spec_t* spec = check->spec;
  const armnn_plan_tensor_t* tensor = &spec->tensors[number];
  armnn_error_t* error = check->error;
  if (tensor->index >= spec->tensor_count) {
    REFUSE("tensor %u: is a part of tensor %u, but the plan has %u", number, tensor->index,
           spec->tensor_count);
  }
  const armnn_plan_tensor_t* whole = &spec->tensors[tensor->index];
  if (whole->kind != ARMNN_PLAN_TENSOR_INPUT && whole->kind != ARMNN_PLAN_TENSOR_OUTPUT &&
      whole->kind != ARMNN_PLAN_TENSOR_MAPPED && whole->kind != ARMNN_PLAN_TENSOR_VARIABLE) {
    REFUSE(
        "tensor %u: is a part of tensor %u, which is neither of the run nor mapped nor a "
        "variable",
        number, tensor->index);
  }
  if (tensor->offset > whole->size || tensor->size > whole->size - tensor->offset) {
    REFUSE("tensor %u: a part at %llu with %llu bytes does not fit the %llu of tensor %u", number,
           (ull)tensor->offset, (ull)tensor->size, (ull)whole->size, tensor->index);
  }
  if (tensor->offset % tensor->alignment != 0 || whole->alignment % tensor->alignment != 0) {
    REFUSE("tensor %u: a part at %llu of tensor %u is not a multiple of its alignment %llu", number,
           (ull)tensor->offset, tensor->index, (ull)tensor->alignment);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_check_tensor(const check_t* check, uint32_t number) {
  const armnn_plan_tensor_t* tensor = &check->spec->tensors[number];
  armnn_error_t* error = check->error;
  if (!armnn_i_is_power_of_two(tensor->alignment) || tensor->alignment > ARMNN_MAX_ALIGNMENT) {
    REFUSE("tensor %u: alignment %llu is not a power of two up to %u", number,
           (ull)tensor->alignment, ARMNN_MAX_ALIGNMENT);
  }
  if (tensor->size > PTRDIFF_MAX / 2) {
    REFUSE("tensor %u: %llu bytes are more than an address space holds", number, (ull)tensor->size);
  }
  if (tensor->readable > ARMNN_MAX_ALIGNMENT) {
    REFUSE("tensor %u: %llu readable bytes behind it, %u is the limit", number,
           (ull)tensor->readable, ARMNN_MAX_ALIGNMENT);
  }
  if (tensor->alignment > check->facts->arena_alignment) {
    check->facts->arena_alignment = tensor->alignment;
  }
  switch (tensor->kind) {
    case ARMNN_PLAN_TENSOR_ARENA:
    case ARMNN_PLAN_TENSOR_VARIABLE:
      return check_place(check, number, "place");
    case ARMNN_PLAN_TENSOR_CONSTANT:
      if (tensor->address == NULL && tensor->size != 0) {
        REFUSE("tensor %u: a constant of %llu bytes without an address", number, (ull)tensor->size);
      }
      if ((uintptr_t)tensor->address % tensor->alignment != 0) {
        REFUSE("tensor %u: the constant's address is not a multiple of its alignment %llu", number,
               (ull)tensor->alignment);
      }
      return ARMNN_STATUS_OK;
    case ARMNN_PLAN_TENSOR_INPUT:
    case ARMNN_PLAN_TENSOR_OUTPUT:
      return check_external(check, number);
    case ARMNN_PLAN_TENSOR_HANDLE:
      if (tensor->index >= check->spec->handle_count) {
        REFUSE("tensor %u: names handle %u, but the plan has %u", number, tensor->index,
               check->spec->handle_count);
      }
      return ARMNN_STATUS_OK;
    case ARMNN_PLAN_TENSOR_MAPPED:
      ++check->facts->mapped_count;
      if (tensor->offset == ARMNN_PLAN_NO_STAGING) return ARMNN_STATUS_OK;
      return check_place(check, number, "staging");
    case ARMNN_PLAN_TENSOR_PART:
      return check_part(check, number);
    default:
      REFUSE("tensor %u: kind %d is unknown", number, tensor->kind);
  }
}
