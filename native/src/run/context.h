/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * context.h - an execution context: what one run at a time has to itself.
 */
#ifndef ARMNN_CONTEXT_H_
#define ARMNN_CONTEXT_H_

#include <stdatomic.h>
#include <stdbool.h>

#include "basics.h"
#include "flight.h"
#include "plan/plan.h"

/* One step of a context, ready to be called. */
typedef struct armnn_i_step_t {
  armnn_i_execute_fn_t execute;
  armnn_workload_t* workload;
  armnn_execute_args_t args;
} armnn_i_step_t;

/* An input or output of the run. */
typedef struct armnn_i_external_t {
  const void* bound; /* the caller's address that the steps have now */
  void* staging;     /* memory of the copy, null: never copied */
  uint64_t size;
  uint64_t alignment;
  uint64_t readable; /* bytes behind it that steps may read */
  bool is_staged;    /* |bound| lacks alignment or these: the steps have |staging| instead */
  /* Of memory with a descriptor, in this run: */
  bool is_ready;                   /* its fence is signalled */
  bool is_open;                    /* the host may touch it */
  bool is_lent;                    /* the handle of |copy_out| has imported it */
  struct armnn_i_move_t* copy_out; /* the step that copies to it, if that may import; or null */
} armnn_i_external_t;

/* A handle of the context, and what the host has done with it. */
typedef struct armnn_i_handle_t {
  armnn_tensor_handle_t* handle;
  const void* imported; /* memory of the host that it uses, or null */
  int32_t term;         /* armnn_i_import_term_e of |imported| */
  uint32_t import_step; /* the step that imported it */
  /* The handle whose mapped memory this one imported: it stays mapped as long as that lasts. */
  struct armnn_i_handle_t* lender;
  uint32_t borrower_count; /* handles that have this one as their lender */
  uint32_t map_count;      /* maps without their unmap so far */
  void* mapped;            /* the address that the first of these maps gave */
  bool is_padded;          /* its mapped memory was seen not to be dense */
  bool is_allocated;       /* asked for memory of its own after an import was refused */
} armnn_i_handle_t;

/* How long a handle may use memory of the host. */
enum armnn_i_import_term_e {
  ARMNN_IMPORT_FOR_CONTEXT = 0, /* the arena's, or a constant's */
  ARMNN_IMPORT_FOR_RUN = 1,     /* the caller's; longer if the run says that it stays */
  ARMNN_IMPORT_FOR_MAP = 2,     /* another backend's, until it is unmapped */
  ARMNN_IMPORT_KEPT = 3,        /* unimport_memory failed: it is called again */
};

/* The workload of a step that moves a tensor. */
typedef struct armnn_i_move_t {
  armnn_workload_t base; /* without a table */
  struct armnn_context_t* context;
  armnn_i_handle_t* source; /* of the first input, null: host memory */
  armnn_i_handle_t* target; /* of the first output */
  armnn_i_handle_t* lender; /* IMPORT of mapped memory: the handle that is mapped */
  uint64_t size;
  void* staging;      /* MAP, COPY: for memory that cannot be read as it is, or null */
  uint64_t alignment; /* MAP */
  uint64_t readable;  /* MAP: bytes behind the tensor that its readers may read */
  uint32_t patch;     /* MAP: number of the patch list */
  uint32_t step;      /* number of the step */
  int32_t term;       /* IMPORT, LEND: armnn_i_import_term_e */
  uint32_t external;  /* the input or output of the run that it reads or writes, or NONE */
  uint64_t offset;    /* in that, of a sub-tensor */
  bool is_part;       /* of that */
} armnn_i_move_t;

/* The workload of a SIGNAL or WAIT step. */
typedef struct armnn_i_fence_step_t {
  armnn_workload_t base; /* without a table */
  struct armnn_context_t* context;
  armnn_backend_context_t* backend_context; /* WAIT: null if the host waits */
  uint64_t network_id;
  uint32_t fence;
} armnn_i_fence_step_t;

/* The workload of a step that reports the sizes of its outputs, around that of the step. */
typedef struct armnn_i_size_report_t {
  armnn_workload_t base; /* without a table */
  armnn_status_t (*execute)(armnn_workload_t* workload, const armnn_execute_args_t* args,
                            armnn_error_t* error) ARMNN_NOEXCEPT;
  armnn_workload_t* workload; /* that of the backend, or what calls it one by one */
  struct armnn_context_t* context;
  uint32_t step;
} armnn_i_size_report_t;

/* What a context of a plan with bounded steps has besides; arrays are like |pointers|. */
typedef struct armnn_i_bounded_t {
  const armnn_tensor_info_t** infos;
  uint64_t** dims;    /* of each operand that a step reports the size of: its place in |reported| */
  uint64_t* reported; /* ARMNN_MAX_DIMS for each operand; null if no step reports any */
  armnn_i_size_report_t* reports;
  bool has_shapes;
} armnn_i_bounded_t;

enum armnn_i_context_state_e {
  ARMNN_CONTEXT_IDLE = 0,
  ARMNN_CONTEXT_RUNNING = 1,
  ARMNN_CONTEXT_ABANDONED = 2, /* destroyed while running: the run frees it */
};

struct armnn_context_t {
  armnn_plan_t* plan;
  armnn_i_flight_t* flight;
  unsigned char* arena;
  void** pointers; /* one for each operand of the plan */
  armnn_i_step_t* steps;
  armnn_i_external_t* externals;
  void** execution_data;
  void** workload_data;                    /* of each step, from create_workload_data */
  unsigned char* persistent;               /* of all steps */
  armnn_tensor_handle_t** operand_handles; /* like |pointers|; null without handles */
  armnn_i_handle_t* handles;
  armnn_i_move_t* moves;
  armnn_i_bounded_t* bounded; /* null without bounded steps */
  unsigned char** places;     /* of variables in host memory: two each, |next| behind the value */
  armnn_i_fence_step_t* fence_steps;
  struct armnn_i_guard_t* guards; /* one for each step; null without an address sanitizer */
  armnn_fence_t** fences; /* of the run in flight; null: not signalled yet, or done at once */
  armnn_run_t* run;       /* the one in flight */
  uint32_t first_state;   /* the first step with state, or ARMNN_PLAN_NONE */
  bool is_state_lost;     /* a run failed after a step with state was called */
  bool is_float_told;     /* a step changed how the thread computes, which was logged */
  atomic_int state;
};

/* ---- bounded.c --------------------------------------------------------------------------------
 */

/* Null when memory is out. */
armnn_i_bounded_t* armnn_i_bounded_make(const armnn_plan_t* plan);
void armnn_i_bounded_free(armnn_i_bounded_t* bounded);
/* Completes the arguments of the bounded steps. */
void armnn_i_bounded_fill(armnn_context_t* context);
/* Whether the context's plan has place for |shapes|. */
armnn_status_t armnn_i_check_shapes(const armnn_plan_t* plan, const armnn_plan_shapes_t* shapes,
                                    armnn_error_t* error);
/* The shapes of the runs from now on. */
void armnn_i_bounded_set_shapes(armnn_context_t* context, const armnn_plan_shapes_t* shapes);

/* Points every operand that names patched tensor |number|, or a sub-tensor of it, to |address|. */
static inline void armnn_i_patch(armnn_context_t* context, uint32_t number, const void* address) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = plan->patch_begin[number]; i < plan->patch_begin[number + 1]; ++i) {
    const armnn_plan_tensor_t* tensor = &plan->tensors[plan->operands[plan->patches[i]]];
    const uint64_t offset = tensor->kind == ARMNN_PLAN_TENSOR_PART ? tensor->offset : 0;
    context->pointers[plan->patches[i]] = (char*)(uintptr_t)address + offset;
  }
}
void armnn_i_context_free(armnn_context_t* context);
/* |work| with |argument| between two runs, as if it were one. */
armnn_status_t armnn_i_do_idle(armnn_context_t* context,
                               armnn_status_t (*work)(armnn_context_t* context,
                                                      const void* argument, armnn_error_t* error),
                               const void* argument, armnn_error_t* error);
/* Numbers of patched tensors from here on are places of variables. */
static inline uint32_t armnn_i_first_place(const armnn_plan_t* plan) {
  return plan->input_count + plan->output_count + plan->mapped_count;
}
/* Between runs: from |memory| to variable |index|, or the other way round. */
armnn_status_t armnn_i_move_variable(armnn_context_t* context, uint32_t index, void* memory,
                                     bool writes, armnn_error_t* error);
/* After a run that succeeded: what it wrote becomes the values of the variables. */
void armnn_i_exchange_variables(armnn_context_t* context);
/* A whole handle from or to dense memory. A failure may leave it mapped: armnn_i_unmap_all. */
armnn_status_t armnn_i_read_handle(armnn_i_handle_t* item, void* target, uint64_t size,
                                   armnn_error_t* error);
armnn_status_t armnn_i_write_handle(armnn_i_handle_t* item, const void* source, uint64_t size,
                                    armnn_error_t* error);
/* After a run that ended early: unmaps all handles, and unimports their memory before. */
void armnn_i_unmap_all(armnn_context_t* context);
/* All handles unimport memory of the caller. |out_step|, which may be null: the step that imported
 * the memory that a backend failed to unimport. */
armnn_status_t armnn_i_unimport_callers(armnn_context_t* context, uint32_t* out_step,
                                        armnn_error_t* error);
/* All handles unimport memory of the host. */
void armnn_i_unimport_all(armnn_context_t* context);

/* ---- poison.c ------------------------------------------------------------------------------ */

/* Under an address sanitizer, has each step of a new context touch no more than its own memory.
 * False: memory is out. */
bool armnn_i_guard_steps(armnn_context_t* context);
/* Allows everything again. */
void armnn_i_unguard(const armnn_context_t* context);

/* ---- listeners.c --------------------------------------------------------------------------- */

/* Calls before_run of all listeners of the plan; |out_told| of them answered OK. The first that
 * does not is |failed_listener| of the run, and its status the result. */
armnn_status_t armnn_i_tell_begin(armnn_context_t* context, uint32_t* out_told,
                                  armnn_error_t* error);
/* Calls after_run of the first |told| listeners, the last one first. */
void armnn_i_tell_end(armnn_context_t* context, uint32_t told, armnn_status_t status);

/* ---- fence.c, memories.c -------------------------------------------------------------------- */

/* Waits for |fence| on the thread of |run|, which can be stopped meanwhile. */
armnn_status_t armnn_i_await(armnn_run_t* run, armnn_fence_t* fence, armnn_error_t* error);
armnn_status_t armnn_i_signal_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                      armnn_error_t* error);
armnn_status_t armnn_i_wait_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                    armnn_error_t* error);
/* When a run ends early after |begun| steps: stops and waits for all rows that may be at work. */
void armnn_i_drain(armnn_context_t* context, uint32_t begun);
/* At the end of a run. */
void armnn_i_drop_fences(armnn_context_t* context);

/* Where external |number| of the run lies, or null: plain memory of the caller. */
static inline const armnn_run_memory_t* armnn_i_memory_of(const armnn_context_t* context,
                                                          uint32_t number) {
  const armnn_run_t* run = context->run;
  return run->memories == NULL || number == ARMNN_PLAN_NONE ? NULL : run->memories[number];
}
/* Waits until external |number|, which has memory of its own, is ready. */
armnn_status_t armnn_i_await_ready(armnn_context_t* context, uint32_t number, armnn_error_t* error);
/* The same, and lets the host touch it. */
armnn_status_t armnn_i_open_memory(armnn_context_t* context, uint32_t number, armnn_error_t* error);
/* After the steps, for runs with |memories|. */
armnn_status_t armnn_i_end_memories(armnn_context_t* context, armnn_status_t status,
                                    armnn_error_t* error);
/* Lets the handle of a COPY to external |number| import it, if its backend does. */
armnn_status_t armnn_i_lend_memory(const armnn_i_move_t* move, armnn_error_t* error);
/* Copies between dense and strided memory. */
void armnn_i_copy_strided(const armnn_run_memory_t* memory, void* dense, bool to_strided);

#endif /* ARMNN_CONTEXT_H_ */
