/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * plan_check.h - what the check of a plan knows while it goes through tensors and steps.
 */
#ifndef ARMNN_PLAN_CHECK_H_
#define ARMNN_PLAN_CHECK_H_

#include "core.h"

#define ARMNN_I_MAX_OPERANDS (UINT32_C(1) << 30)

/* In a function that has |error|. */
#define REFUSE(...) return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct check_t {
  const armnn_plan_spec_t* spec;
  unsigned char* seen;   /* for each run input, then each run output: has a tensor; is written */
  unsigned char* open;   /* for each tensor: a MAPPED one that can be read */
  uint32_t* reader;      /* for each handle: its MAPPED tensor and one, 0 if it is not mapped */
  uint32_t* places;      /* for each tensor: armnn_i_list_places; null without variables */
  bool* is_written;      /* for each place of a variable */
  unsigned char* fences; /* for each one: is signalled; the host has waited */
  armnn_i_plan_facts_t* facts;
  armnn_error_t* error;
} check_t;

enum seen_bits_e { SEEN_TENSOR = 1, SEEN_WRITTEN = 2 };
enum fence_bits_e { FENCE_SIGNALLED = 1, FENCE_AWAITED = 2 };

typedef unsigned long long ull;

static inline bool fits_arena(const armnn_plan_spec_t* spec, uint64_t offset, uint64_t size) {
  return offset <= spec->arena_size && size <= spec->arena_size - offset;
}

/* The tensor that |tensor| is a sub-tensor of, or itself. */
static inline const armnn_plan_tensor_t* whole_of(const armnn_plan_spec_t* spec,
                                                  const armnn_plan_tensor_t* tensor) {
  return tensor->kind == ARMNN_PLAN_TENSOR_PART ? &spec->tensors[tensor->index] : tensor;
}

/* check_tensors.c, check_steps.c: tensor or step |number|, after all before it. */
armnn_status_t armnn_i_check_tensor(const check_t* check, uint32_t number);
armnn_status_t armnn_i_check_step(const check_t* check, uint32_t number);

#endif /* ARMNN_PLAN_CHECK_H_ */
