/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * plan.h - a plan as its contexts share it: steps, tensors, what workloads need.
 */
#ifndef ARMNN_PLAN_H_
#define ARMNN_PLAN_H_

#include <stdatomic.h>
#include <stdbool.h>

#include "base/thread.h"
#include "basics.h"

typedef armnn_status_t (*armnn_i_execute_fn_t)(armnn_workload_t* workload,
                                               const armnn_execute_args_t* args,
                                               armnn_error_t* error);

/* The workload of a SYNC step. */
typedef struct armnn_i_sync_t {
  armnn_workload_t base; /* without a table: only armnn_i_sync_execute sees it */
  armnn_backend_context_t* backend_context;
  uint64_t network_id;
} armnn_i_sync_t;

/* The workload that a step of a serial one calls: it lets one thread at a time through to it. */
typedef struct armnn_i_serial_t {
  armnn_workload_t base; /* without a table */
  armnn_workload_t* workload;
  armnn_i_execute_fn_t execute;
  _Atomic uint32_t gate; /* 0: free; else forks of the process so far x 4 + serial.c's bits */
  _Atomic(armnn_i_thread_t*) owner; /* the thread inside, or null */
} armnn_i_serial_t;

armnn_status_t armnn_i_serial_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                      armnn_error_t* error);

typedef struct armnn_i_plan_step_t {
  armnn_i_execute_fn_t execute;
  armnn_workload_t* workload;
  uint32_t first_operand; /* inputs, then outputs, in |operands| of the plan */
  uint32_t input_count;
  uint32_t output_count;
  uint32_t execution_data_index;
  uint64_t scratch_offset;
  uint64_t scratch_size;
  uint64_t persistent_offset; /* in the context's persistent bytes */
  uint64_t persistent_size;
  armnn_i_serial_t* serial;                      /* of a serial workload, or null */
  uint32_t bounded;                              /* armnn_plan_bounded_e */
  const armnn_tensor_info_t* const* input_infos; /* of packed inputs of a bounded step, or null */
  bool moves;          /* executed by the host over a armnn_i_move_t of the context */
  bool may_import;     /* of a COPY */
  bool takes_ready;    /* of a COPY, IMPORT, LEND */
  uint32_t sync;       /* the step that waits for this one, ARMNN_PLAN_NONE if nobody has to */
  armnn_i_sync_t wait; /* of a SYNC, SIGNAL or WAIT step */
  int32_t kind;        /* armnn_plan_step_kind_e */
  uint32_t fence;      /* of a SIGNAL or WAIT step */
  uint32_t row;        /* SIGNAL: the first step of its row */
  char name[48];       /* of the kernel, for the trace */
} armnn_i_plan_step_t;

struct armnn_plan_t {
  _Atomic uint32_t references;
  uint32_t tensor_count;
  uint32_t step_count;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t execution_data_count;
  uint32_t handle_count;
  uint32_t mapped_count; /* MAPPED tensors; the plan's copy numbers them by |index| */
  uint32_t move_count;   /* steps that move */
  uint32_t fence_count;
  uint32_t fence_step_count; /* SIGNAL and WAIT steps */
  uint32_t thread_limit;     /* of its runs; 0 = none */
  const char* const* labels; /* of the steps, for reports; null: all are the package's own */
  uint32_t bounded_count;    /* steps that get infos, ... */
  uint32_t report_count;     /* ... and of these those that report sizes */
  uint32_t operand_count;
  uint32_t listener_count;
  uint32_t variable_count;
  uint64_t arena_size;
  uint64_t arena_alignment;
  armnn_plan_listener_t* listeners;
  uint64_t persistent_size; /* of all steps, each rounded up to a cache line */
  armnn_plan_tensor_t* tensors;
  armnn_plan_variable_t* variables;
  armnn_i_plan_step_t* steps;
  uint32_t* operands;         /* tensor numbers of all steps */
  uint32_t* external_tensors; /* of each run input, then of each run output */
  uint32_t* variable_places;  /* by tensor: 0, or 1 + its place: 2 * variable, + 1 for |next| */
  uint32_t* patch_begin;      /* index of the first patch of each external and MAPPED tensor, and of
                                 each place of a variable; end */
  uint32_t* patches;          /* operands that name the tensor, or a sub-tensor of it */
  bool* is_touched; /* of each external: by workloads in host memory, or the host itself */
};

/* Counts and sizes that the check finds on the way. */
typedef struct armnn_i_plan_facts_t {
  uint32_t operand_count;
  uint32_t mapped_count;
  uint64_t arena_alignment;
  uint64_t persistent_size;
} armnn_i_plan_facts_t;

/* What a workload states that it needs, with the defaults of the header filled in. */
typedef struct armnn_i_needs_t {
  uint64_t scratch_size;
  uint64_t scratch_alignment;
  uint64_t tensor_alignment;
  uint64_t persistent_size;
  const armnn_tensor_needs_t* const* tensors; /* of inputs, then outputs, or null */
} armnn_i_needs_t;

/* Asks the workload of |step|, which is number |number| of a plan, and refuses nonsense. */
armnn_status_t armnn_i_ask_needs(const armnn_plan_step_t* step, uint32_t number,
                                 armnn_i_needs_t* out_needs, armnn_error_t* error);
static inline uint64_t armnn_i_alignment_of(const armnn_i_needs_t* needs, uint32_t operand) {
  const armnn_tensor_needs_t* own = needs->tensors != NULL ? needs->tensors[operand] : NULL;
  return own != NULL && own->alignment != 0 ? own->alignment : needs->tensor_alignment;
}
static inline uint64_t armnn_i_readable_behind(const armnn_i_needs_t* needs, uint32_t operand) {
  const armnn_tensor_needs_t* own = needs->tensors != NULL ? needs->tensors[operand] : NULL;
  return own != NULL ? own->readable_bytes : 0;
}

/* For each tensor 0, or 1 + its place among those of the variables: twice the number of the
 * variable, and one more for its |next|. */
void armnn_i_list_places(const armnn_plan_variable_t* variables, uint32_t count,
                         uint32_t* out_places);
/* The part of the plan's check that is about variables; the tensors are checked already. Fills
 * |places|, zeroes for each tensor. */
armnn_status_t armnn_i_check_variables(const armnn_plan_spec_t* spec, uint32_t* places,
                                       armnn_error_t* error);

armnn_status_t armnn_i_plan_check(const armnn_plan_spec_t* spec, armnn_i_plan_facts_t* out_facts,
                                  armnn_error_t* error);
void armnn_i_plan_release(armnn_plan_t* plan);
/* The function that executes a step of |kind| that moves a tensor, and its name in the trace; null:
 * no such kind. |from_handle| and |to_handle|: whether that side is a handle. */
armnn_i_execute_fn_t armnn_i_find_move(int32_t kind, bool from_handle, bool to_handle,
                                       const char** out_name);
/* Executes a SYNC step; |workload| is an armnn_i_sync_t. */
armnn_status_t armnn_i_sync_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                    armnn_error_t* error);

#endif /* ARMNN_PLAN_H_ */
