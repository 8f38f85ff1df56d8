/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * runtime.h - the private interface between the Python package and libarmnn_core.so.
 *
 * Not part of the SDK. Its version must be exactly equal on both sides; it may change with every
 * release. Python plans, C executes: a plan is a flat list of steps over numbered tensors, made
 * once per network and shape; a context is one caller's memory for it; a run is one inference.
 */
#ifndef ARMNN_RUNTIME_H_
#define ARMNN_RUNTIME_H_

#include "armnn/backend_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ARMNN_CORE_ABI_VERSION 12u
#define ARMNN_STRUCT_PLAN_SPEC 0x414e0f01u
#define ARMNN_STRUCT_RUN 0x414e0f02u
#define ARMNN_STRUCT_REPEAT 0x414e0f03u
#define ARMNN_CORE_API __attribute__((visibility("default")))

/* ---- The library ----------------------------------------------------------------------------- */

ARMNN_CORE_API uint32_t armnn_core_abi_version(void);
ARMNN_CORE_API const char* armnn_core_version(void); /* of the package, e.g. "0.1.0" */
ARMNN_CORE_API const armnn_host_t* armnn_core_host(void);
/* The list compiled in by -DDYNAMIC_BACKEND_PATHS, "" if none. */
ARMNN_CORE_API const char* armnn_core_dynamic_backend_paths(void);

typedef struct armnn_static_backend_t {
  const char* vendor;
  const char* name;
  armnn_get_backend_id_fn_t get_backend_id;
  armnn_get_version_fn_t get_version;
  armnn_backend_factory_fn_t backend_factory;
} armnn_static_backend_t;

ARMNN_CORE_API uint32_t armnn_core_static_backend_count(void);
/* Null beyond the count. */
ARMNN_CORE_API const armnn_static_backend_t* armnn_core_static_backend(uint32_t index);

/* 1 if |size| bytes at |address| can be read, without a signal if they cannot. */
ARMNN_CORE_API int32_t armnn_core_is_readable(const void* address, uint64_t size);
/* 1 if |extra| bytes behind the |size| at |address| can be read for as long as these can. */
ARMNN_CORE_API int32_t armnn_core_is_readable_behind(const void* address, uint64_t size,
                                                     uint64_t extra);
/* 1 if |address| lies in an executable segment of a mapped object. */
ARMNN_CORE_API int32_t armnn_core_is_code(const void* address);

/* ---- Other sizes ----------------------------------------------------------------------------- */
/* Layers in C whose sizes get other numbers: structures are made once, sizes are written anew. */

/* A place for the number |index| of all sizes: in a tensor info, or in a descriptor. */
typedef struct armnn_size_place_t {
  void* address;
  uint32_t index;
  uint32_t bytes; /* 4 or 8 */
} armnn_size_place_t;

/* Writes the numbers to the places, and then what |infos| have as element_count. */
ARMNN_CORE_API void armnn_core_write_sizes(const armnn_size_place_t* places, uint64_t place_count,
                                           armnn_tensor_info_t* const* infos, uint64_t info_count,
                                           const int64_t* numbers);
/* Asks is_layer_supported until an answer is another than |taken| says, 1 for OK: the number of
 * that question, or |count|. */
ARMNN_CORE_API uint64_t armnn_core_ask_again(armnn_layer_support_t* support,
                                             const armnn_layer_query_t* const* queries,
                                             uint64_t count, const int32_t* taken);

/* 64-byte aligned memory (any power of two up to 4096) for constants; null when memory is out. */
ARMNN_CORE_API void* armnn_core_alloc(uint64_t size, uint64_t alignment);
ARMNN_CORE_API void armnn_core_free(void* memory);
/* Bytes in memory that this function and the alloc of armnn_host_t gave and were not freed. */
ARMNN_CORE_API uint64_t armnn_core_allocated_bytes(void);

/* The bytes stay as they are, and backends may know it (lasting_constants.h), until they were
 * removed as often as added. 0: memory is out, and nothing was added. */
ARMNN_CORE_API int32_t armnn_core_add_lasting_constant(const void* data, uint64_t size);
ARMNN_CORE_API void armnn_core_remove_lasting_constant(const void* data, uint64_t size);

/* ---- What ends with a Python object ---------------------------------------------------------- */

/* A capsule (PyCapsule_New) with the destructor armnn_core_end_owned, which runs no Python code,
 * owns what these make; null: memory is out. |read| is PyCapsule_GetPointer. */
ARMNN_CORE_API void armnn_core_set_capsule_reader(void* (*read)(void* capsule, const char* name));
ARMNN_CORE_API void armnn_core_end_owned(void* capsule);

/* A lasting constant. armnn_core_begin_constant is called once; 0: memory is out. */
ARMNN_CORE_API void* armnn_core_new_constant(void);
ARMNN_CORE_API int32_t armnn_core_begin_constant(void* owned, const void* data, uint64_t size);

/* A mapping of a file for reading, which needs no descriptor. armnn_core_map_file is called once;
 * it answers 0 and the address, or errno. |is_told|: a SIGBUS in the mapping writes to standard
 * error that the file |name| was truncated; the process then dies as it would have. */
ARMNN_CORE_API void* armnn_core_new_mapping(void);
ARMNN_CORE_API int32_t armnn_core_map_file(void* owned, int32_t file, uint64_t size,
                                           const char* name, int32_t is_told,
                                           const void** out_data);

/* ---- Threads --------------------------------------------------------------------------------- */

/* Processors that this process may use: affinity mask and cgroup quota, at least 1. */
ARMNN_CORE_API uint32_t armnn_core_usable_cpus(void);
/* Threads of the shared pool, the caller included; 0 = usable_cpus. Takes effect at the next
 * parallel_for; running ones finish with what they have. */
ARMNN_CORE_API armnn_status_t armnn_core_set_thread_count(uint32_t count);
ARMNN_CORE_API uint32_t armnn_core_thread_count(void);
/* Threads of the pool, the caller included, that a parallel_for of the calling thread takes from
 * now on; 0 = all. Returns the limit before. Plans that the thread makes keep the limit for their
 * runs. */
ARMNN_CORE_API uint32_t armnn_core_limit_threads(uint32_t count);
/* From now on threads of the pool sleep at once where no run goes on. For a worker: its host waits
 * for a processor then. */
ARMNN_CORE_API void armnn_core_yield_between_runs(void);
/* Ends the pool's threads; the next parallel_for starts them again. */
ARMNN_CORE_API void armnn_core_stop_threads(void);

/* ---- Calls of backends ----------------------------------------------------------------------- */

/* From now on a fatal signal in a call that was noted, or in a labelled step of a run, writes one
 * line to standard error; the handler from before then gets the signal. */
ARMNN_CORE_API void armnn_core_tell_fatal_signals(void);
/* Around a call of a backend, on the calling thread; |label| must live until leave_call. That
 * undoes a change of the floating-point control, unless |keeps_float_control|. */
ARMNN_CORE_API void armnn_core_enter_call(const char* label);
ARMNN_CORE_API void armnn_core_leave_call(int32_t keeps_float_control);
/* How the calling thread rounds and treats numbers near 0: a number to compare and to set. */
ARMNN_CORE_API uint64_t armnn_core_float_control(void);
ARMNN_CORE_API void armnn_core_set_float_control(uint64_t control);
/* 1 if the handler of a signal lies in |library|, as dlopen returned it. */
ARMNN_CORE_API int32_t armnn_core_has_signal_handlers(void* library);

/* Whether the work of the calling thread outside of runs should stop. A backend asks with
 * cancelled(0), and |ask| is called at most once in 20 ms, until it answers non-zero. Null: nothing
 * stops the work. */
ARMNN_CORE_API void armnn_core_set_work(int32_t (*ask)(void* argument));

/* ---- Lost devices ---------------------------------------------------------------------------- */

/* 1 if a backend reported |backend|'s device lost; its first reason goes to |out_why|. */
ARMNN_CORE_API int32_t armnn_core_device_lost(const armnn_backend_t* backend, char* out_why,
                                              uint64_t capacity);
/* Call it when |backend| is destroyed: another one may get the same address. */
ARMNN_CORE_API void armnn_core_forget_device(const armnn_backend_t* backend);

/* ---- Log ring -------------------------------------------------------------------------------- */

typedef struct armnn_log_record_t {
  uint64_t time_ns;
  int32_t level;
  uint32_t lost; /* records overwritten before this one was read */
  char component[64];
  char text[1024];
} armnn_log_record_t;

ARMNN_CORE_API void armnn_core_set_log_level(int32_t level);
ARMNN_CORE_API uint64_t armnn_core_log_pending(void);
/* 1 and a record, or 0 when the ring is empty. */
ARMNN_CORE_API int32_t armnn_core_log_next(armnn_log_record_t* out_record);

/* ---- Trace ----------------------------------------------------------------------------------- */

enum armnn_trace_event_kind_e {
  ARMNN_TRACE_EVENT_STEP = 16, /* one step of a plan: |id| is its index */
  ARMNN_TRACE_EVENT_RUN = 17,  /* one whole run */
  /* Before the STEP that moved a tensor: |id| bytes were copied. |name| says why memory was not
   * imported; a long text goes on in the next event of this kind, which has no bytes. */
  ARMNN_TRACE_EVENT_COPY = 18,
  ARMNN_TRACE_EVENT_KIND_MAX_ENUM = INT32_MAX
};

typedef struct armnn_trace_event_t {
  uint64_t time_ns;
  uint64_t duration_ns; /* 0 for the phases of a backend's own events */
  uint64_t id;
  uint64_t plan; /* address of the plan, 0 for a backend's own events on threads outside a run */
  uint64_t run_id;
  uint32_t thread; /* small number, the same for one thread */
  int32_t kind;    /* armnn_trace_phase_e or armnn_trace_event_kind_e */
  char name[48];
} armnn_trace_event_t;

/* Records the next |capacity| events of the process, then counts what it drops. Starts are counted:
 * the second start keeps the buffer of the first. */
ARMNN_CORE_API armnn_status_t armnn_core_trace_start(uint64_t capacity);
ARMNN_CORE_API void armnn_core_trace_stop(void);
/* Copies and removes up to |capacity| events, oldest first; returns how many. */
ARMNN_CORE_API uint64_t armnn_core_trace_read(armnn_trace_event_t* out_events, uint64_t capacity);
ARMNN_CORE_API uint64_t armnn_core_trace_dropped(void);

/* ---- Plans ----------------------------------------------------------------------------------- */

enum armnn_plan_tensor_kind_e {
  ARMNN_PLAN_TENSOR_ARENA = 0,    /* |offset| in the context's arena */
  ARMNN_PLAN_TENSOR_CONSTANT = 1, /* at |address|, owned by the maker of the plan */
  ARMNN_PLAN_TENSOR_INPUT = 2,    /* the run's input |index| */
  ARMNN_PLAN_TENSOR_OUTPUT = 3,   /* the run's output |index| */
  ARMNN_PLAN_TENSOR_HANDLE = 4,   /* handle |index| of the context, in memory of a backend */
  /* Memory of a handle that a MAP step opened to the host, until its UNMAP. |offset| is that of a
   * copy as for INPUT, for a handle whose memory is not dense or lacks |alignment|. */
  ARMNN_PLAN_TENSOR_MAPPED = 5,
  /* A sub-tensor of tensor number |index|, an INPUT, OUTPUT, MAPPED or VARIABLE one: it begins at
   * |offset| there. The whole tensor is aligned at least as much. */
  ARMNN_PLAN_TENSOR_PART = 6,
  /* One of the two places of a variable in host memory, at |offset| in the context's arena; the
   * list of variables says which. |index| is ignored. */
  ARMNN_PLAN_TENSOR_VARIABLE = 7,
  ARMNN_PLAN_TENSOR_KIND_MAX_ENUM = INT32_MAX
};

#define ARMNN_PLAN_NONE 0xffffffffu
#define ARMNN_PLAN_NO_STAGING UINT64_MAX

typedef struct armnn_plan_tensor_t {
  int32_t kind;
  uint32_t index;
  /* INPUT and OUTPUT: offset in the arena of a copy, for when the caller's address does not have
   * |alignment|, or what is behind it may be unreadable; ARMNN_PLAN_NO_STAGING when |alignment| is
   * 1 and |readable| is 0. */
  uint64_t offset;
  uint64_t size; /* bytes */
  uint64_t alignment;
  uint64_t readable; /* bytes behind it that its readers may read */
  const void* address;
} armnn_plan_tensor_t;

enum armnn_plan_step_kind_e {
  ARMNN_PLAN_STEP_EXECUTE = 0, /* |workload| over |inputs| and |outputs| */
  ARMNN_PLAN_STEP_COPY = 1,    /* inputs[0] to outputs[0]; each is in host memory or a handle */
  ARMNN_PLAN_STEP_SYNC = 2,    /* after_enqueue_workload of |backend_context|; no operands */
  /* The handle outputs[0] imports the host memory of inputs[0]: arena memory as long as the context
   * lives, mapped memory until its UNMAP, an input of the run to the end of the run. If the backend
   * refuses the memory, the tensor is copied; for an input in a strict run that is an error. */
  ARMNN_PLAN_STEP_IMPORT = 3,
  /* The handle outputs[0] imports the memory of the run's output outputs[1], so that results are
   * written straight to the caller. If the backend refuses it, RETURN copies; in a strict run that
   * is an error. */
  ARMNN_PLAN_STEP_LEND = 4,
  ARMNN_PLAN_STEP_RETURN = 5, /* the handle inputs[0] to the output outputs[0], unless lent */
  ARMNN_PLAN_STEP_MAP = 6,    /* opens the handle inputs[0] to readers of the MAPPED outputs[0] */
  ARMNN_PLAN_STEP_UNMAP = 7,  /* closes the handle inputs[0]; a run that ends early does it, too */
  /* signal_fence of |backend_context|: ends a row as SYNC does, and the steps that follow run
   * beside the row until a WAIT for |fence|. When a run ends early, the executor waits for all such
   * rows. */
  ARMNN_PLAN_STEP_SIGNAL = 8,
  /* Until |fence| is signalled: without |backend_context| the host waits; else its queue does, from
   * its next step on. Each fence is waited for by the host in the end. */
  ARMNN_PLAN_STEP_WAIT = 9,
  ARMNN_PLAN_STEP_KIND_MAX_ENUM = INT32_MAX
};

/* What a step with a workload gets to know of shapes at each execute. */
enum armnn_plan_bounded_e {
  ARMNN_PLAN_BOUNDED_NONE = 0,
  ARMNN_PLAN_BOUNDED_INFOS = 1,   /* the infos of the call */
  ARMNN_PLAN_BOUNDED_REPORTS = 2, /* these, and its execute writes sizes of outputs */
  ARMNN_PLAN_BOUNDED_MAX_ENUM = INT32_MAX
};

typedef struct armnn_plan_step_t {
  int32_t kind;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t execution_data_index; /* which execution data of the context, or ARMNN_PLAN_NONE */
  armnn_workload_t* workload;
  /* Tensor numbers; ARMNN_PLAN_NONE: null address and null handle. A workload gets the address of
   * a tensor in host memory and the handle of one that is a handle, and null for the other. */
  const uint32_t* inputs;
  const uint32_t* outputs;
  /* A COPY from handle to handle: offset of a copy in between, for when neither side maps dense
   * memory; other moves have none. */
  uint64_t scratch_offset;
  uint64_t scratch_size;
  uint64_t persistent_size; /* of each context, for the workload: zero at first and after a reset */
  uint32_t is_serial;       /* non-zero: contexts wait for each other's execute of the workload */
  uint32_t bounded; /* armnn_plan_bounded_e of an EXECUTE; none of its operands is a handle then */
  /* With |bounded|: the infos of the workload's inputs, for those that are no tensors of the plan
   * because the workload has packed them. They outlive the plan. May be null. */
  const armnn_tensor_info_t* const* input_infos;
  /* Not null: the workload may return before its work is done. Such steps stand in rows of one
   * context and one execution data, and a SYNC or SIGNAL of the same two ends each row. When a run
   * fails or is stopped inside a row, the executor calls that SYNC before it returns. */
  armnn_backend_context_t* backend_context;
  uint64_t network_id; /* SYNC, SIGNAL, WAIT: the network's id for the context */
  uint32_t flags;      /* armnn_plan_step_bits_e */
  uint32_t fence;      /* SIGNAL, WAIT: number of the fence */
} armnn_plan_step_t;

enum armnn_plan_step_bits_e {
  /* COPY between an input or output of the run and a handle: nothing else uses the handle's memory,
   * so that it may import memory with a descriptor for the run. */
  ARMNN_PLAN_STEP_MAY_IMPORT = 1 << 0,
  /* IMPORT, LEND, COPY: the backend's queue waits for |ready| of the memory itself. */
  ARMNN_PLAN_STEP_TAKES_READY = 1 << 1,
  ARMNN_PLAN_STEP_BITS_MAX_ENUM = INT32_MAX
};
/* A backend that hears of each run: its context has before_run or after_run. */
typedef struct armnn_plan_listener_t {
  armnn_backend_context_t* context;
  uint64_t network_id;
  uint32_t execution_data_index; /* or ARMNN_PLAN_NONE */
  uint32_t reserved;
} armnn_plan_listener_t;

/* A tensor whose contents stay in the context from run to run. Steps read |value|, which is what it
 * was before the run, and write |next|: a run that succeeds exchanges the two places at its end,
 * and any other run leaves |value| as it was. Both are VARIABLE, or each is a handle of its own,
 * which no other tensor names. Nothing else may lie in these places at any time. */
typedef struct armnn_plan_variable_t {
  uint32_t value; /* number of a tensor that no step writes */
  uint32_t next;  /* number of one that a step writes; ARMNN_PLAN_NONE: no run changes it */
} armnn_plan_variable_t;

/* Copied by armnn_plan_create; workloads, contexts and constants must outlive the plan. */
typedef struct armnn_plan_spec_t {
  armnn_header_t header; /* tag ARMNN_STRUCT_PLAN_SPEC */
  const armnn_plan_tensor_t* tensors;
  const armnn_plan_step_t* steps;
  uint32_t tensor_count;
  uint32_t step_count;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t execution_data_count;
  uint32_t handle_count;
  uint32_t fence_count;
  uint32_t reserved;
  uint64_t arena_size;
  const armnn_plan_listener_t* listeners;
  const armnn_plan_variable_t* variables;
  uint32_t listener_count;
  uint32_t variable_count;
} armnn_plan_spec_t;

typedef struct armnn_plan_t armnn_plan_t;
typedef struct armnn_context_t armnn_context_t;

/* Checks every number of |spec| (indices, offsets, sizes, alignment) before it makes a plan. */
ARMNN_CORE_API armnn_status_t armnn_plan_create(const armnn_plan_spec_t* spec,
                                                armnn_plan_t** out_plan, armnn_error_t* error);
/* Labels of calls, before the first run; |labels| must outlive the plan. One for each step,
 * two for each listener (before_run, after_run), one for what else comes after the steps. */
ARMNN_CORE_API void armnn_plan_set_labels(armnn_plan_t* plan, const char* const* labels);
/* Contexts hold the plan: it is freed after the last of them. */
ARMNN_CORE_API void armnn_plan_destroy(armnn_plan_t* plan);

/* One caller's memory. |execution_data|: execution_data_count pointers, copied. |handles|:
 * handle_count tensor handles, which must outlive the context. */
ARMNN_CORE_API armnn_status_t armnn_context_create(armnn_plan_t* plan, void* const* execution_data,
                                                   armnn_tensor_handle_t* const* handles,
                                                   armnn_context_t** out_context,
                                                   armnn_error_t* error);
ARMNN_CORE_API void armnn_context_destroy(armnn_context_t* context);
/* Makes backends unimport the caller's memory, after runs with |stays|. No run may be in flight.
 * All of it is unimported, whatever the answer is. */
ARMNN_CORE_API armnn_status_t armnn_context_unimport(armnn_context_t* context,
                                                     armnn_error_t* error);
/* 1 if a workload keeps something from run to run: persistent bytes, or data that can be reset. */
ARMNN_CORE_API int32_t armnn_context_has_state(const armnn_context_t* context);
/* 1 after a run that failed when a workload with state had been called, and after a reset that
 * failed: the state is unknown. Runs are refused, with |run_id| 0, until a reset succeeds. */
ARMNN_CORE_API int32_t armnn_context_is_state_lost(const armnn_context_t* context);
/* All workloads forget what earlier runs of the context left: persistent bytes are zero again, and
 * reset_workload_data is called. */
ARMNN_CORE_API armnn_status_t armnn_context_reset(armnn_context_t* context, armnn_error_t* error);

/* Shapes of the tensors of a plan with bounded steps. Arrays have an entry for each tensor, and
 * stay valid until other shapes are set or the context is destroyed. */
typedef struct armnn_plan_shapes_t {
  const armnn_tensor_info_t* const* infos; /* null for a tensor that no bounded step uses */
  const uint64_t* sizes;                   /* bytes, at most those of the plan */
} armnn_plan_shapes_t;

/* The shapes of the next runs; such a plan does not run without. No run may be in flight. */
ARMNN_CORE_API armnn_status_t armnn_context_set_shapes(armnn_context_t* context,
                                                       const armnn_plan_shapes_t* shapes,
                                                       armnn_error_t* error);
/* 1 while a run is in flight. */
ARMNN_CORE_API int32_t armnn_context_is_running(const armnn_context_t* context);
/* Copies variable |index| to or from dense memory of the host, between two runs. |size| is that of
 * the tensor in bytes. Before the first write its contents are undefined. */
ARMNN_CORE_API armnn_status_t armnn_context_read_variable(armnn_context_t* context, uint32_t index,
                                                          void* out_memory, uint64_t size,
                                                          armnn_error_t* error);
ARMNN_CORE_API armnn_status_t armnn_context_write_variable(armnn_context_t* context, uint32_t index,
                                                           const void* memory, uint64_t size,
                                                           armnn_error_t* error);
/* From any thread: the run in flight stops before its next step; without one, nothing happens. */
ARMNN_CORE_API void armnn_context_cancel(armnn_context_t* context);

enum armnn_run_side_e {
  ARMNN_RUN_SIDE_NONE = 0,
  ARMNN_RUN_SIDE_SOURCE = 1, /* the backend whose handle is read, mapped or unmapped */
  ARMNN_RUN_SIDE_TARGET = 2, /* the one whose handle is written, or imports */
  ARMNN_RUN_SIDE_MAX_ENUM = INT32_MAX
};

/* Memory outside of the process's own for an input or output of a run. */
typedef struct armnn_run_memory_t {
  const armnn_memory_t*
      memory; /* |address| null: it cannot be mapped, and only backends may touch it */
  /* With strides: the shape that they belong to, |element| bytes each. The run's own address is
   * then a dense buffer, for what cannot use the memory as it is. */
  uint64_t shape[ARMNN_MAX_DIMS];
  uint64_t element;
  uint32_t rank;
  uint32_t reserved;
} armnn_run_memory_t;

/* A fence that is signalled when poll says that |fd| can be read; |kind| is EVENTFD or SYNC_FILE.
 * It duplicates the descriptor. Null when that fails. */
ARMNN_CORE_API armnn_fence_t* armnn_core_fd_fence(int32_t fd, int32_t kind);
ARMNN_CORE_API void armnn_core_fence_destroy(armnn_fence_t* fence);

/* One inference. The caller keeps the structure and sets the addresses for each run. */
typedef struct armnn_run_t {
  armnn_header_t header; /* tag ARMNN_STRUCT_RUN */
  armnn_context_t* context;
  const void* const* inputs;
  void* const* outputs;
  uint64_t deadline_ns; /* on the clock of now_ns; 0 = none */
  /* Asked between steps, at most once in |interrupt_interval_ns|: non-zero stops the run. */
  int32_t (*interrupt)(void* argument);
  void* interrupt_argument;
  uint64_t interrupt_interval_ns;
  armnn_error_t* error; /* may be null */
  uint32_t strict;      /* non-zero: memory of the caller that cannot be imported is an error */
  /* Non-zero: inputs and outputs stay where they are until armnn_context_unimport, and backends
   * keep what they imported of them. Zero: imports end with the run. */
  uint32_t stays;
  /* After a step that tells: |dims| has ARMNN_MAX_DIMS sizes for each of its outputs. Returns the
   * shapes for the steps behind it, valid as above; null stops the run. Null: they stay. */
  const armnn_plan_shapes_t* (*reported)(uint32_t step, const uint64_t* dims);
  uint32_t failed_step;     /* out: ARMNN_PLAN_NONE if no step is to blame */
  int32_t failed_side;      /* out: armnn_run_side_e, if that step moves a tensor */
  uint32_t steps_done;      /* out */
  uint32_t failed_listener; /* out: the one whose before_run is to blame, or ARMNN_PLAN_NONE */
  uint64_t run_id;          /* out */
  uint64_t copies;          /* out: how often the host copied a tensor, ... */
  uint64_t copied_bytes;    /* out: ... and how much; copies to aligned memory are counted, too */
  const armnn_options_t* options; /* of this run, one for each listener; null: none were given */
  /* Null, or for each input and then each output null or where it lies. */
  const armnn_run_memory_t* const* memories;
  uint32_t is_running; /* out: 1 while the steps of the run are done, for who watches */
  uint32_t beside;     /* out: 1 + the label of a call beside the steps that is under way, or 0 */
} armnn_run_t;

/* OK, CANCELLED, TIMEOUT or what a workload answered. INVALID_ARGUMENT if the context is already
 * running. */
ARMNN_CORE_API armnn_status_t armnn_context_run(armnn_run_t* run);

/* A value that one turn of a loop hands to the next: |input| reads what |output| has written. */
typedef struct armnn_carry_t {
  uint32_t input;
  uint32_t output;
  /* Where the next turn writes: two buffers change places. Null: by the stride of |output|. */
  void* next;
} armnn_carry_t;

/* A loop over one context: turns are runs, each over the addresses that the one before left. */
typedef struct armnn_repeat_t {
  armnn_header_t header; /* tag ARMNN_STRUCT_REPEAT */
  armnn_run_t* run;      /* of each turn; it gets |inputs| and |outputs| */
  const void** inputs;   /* in: of the first turn; out: of the next one */
  void** outputs;
  const int64_t* strides; /* bytes from turn to turn, of each input and then of each output */
  armnn_carry_t* carries;
  uint32_t carry_count;
  uint32_t goes_on;  /* the output whose first byte is 0 to end the loop; ARMNN_PLAN_NONE: none */
  uint32_t is_ended; /* out: 1 if it has ended the loop */
  uint32_t reserved; /* 0 */
  uint64_t most;     /* the number of turns, those done before included */
  uint64_t turns;    /* in and out: turns that are done */
  int64_t* counter;  /* counted up after each turn; or null */
  uint64_t pause_ns; /* returns after this time, at the end of a turn; 0: never */
} armnn_repeat_t;

/* Runs turns until the last one, a pause or a failure: then the result and |run| are that of
 * armnn_context_run. The copies of |run| are those of all turns of the call. */
ARMNN_CORE_API armnn_status_t armnn_context_repeat(armnn_repeat_t* repeat);

/* ---- Channels to a worker -------------------------------------------------------------------- */

/* A channel carries the runs of one execution context to a worker process and back. Its memory is
 * mapped by both: a page for the hand-over, then the tensors. The worker may write anything there,
 * so that the host keeps its own copies of offsets and sizes. */
typedef struct armnn_channel_t armnn_channel_t;

typedef struct armnn_channel_tensor_t {
  uint64_t offset; /* in the memory of the channel */
  uint64_t size;
} armnn_channel_tensor_t;

#define ARMNN_CHANNEL_TENSORS_OFFSET 4096u
#define ARMNN_CHANNEL_EVENTS_HEAD 8u

/* Why a channel has no worker. */
enum armnn_channel_end_e {
  ARMNN_CHANNEL_OPEN = 0,
  ARMNN_CHANNEL_WORKER_ENDED = 1,
  ARMNN_CHANNEL_PAST_DEADLINE = 2, /* of the backend; the worker was killed */
  ARMNN_CHANNEL_RUN_STOPPED = 3,   /* by its timeout or a cancel; the worker was killed */
  ARMNN_CHANNEL_END_MAX_ENUM = INT32_MAX
};

/* |memory|: |size| bytes, zeroed at first, mapped as long as the channel lives. |process|: a pidfd
 * of the worker. |deadline_ns|: the most that one run may take; 0: no limit. Null: memory is out,
 * or a tensor does not lie in the memory. */
ARMNN_CORE_API armnn_channel_t* armnn_channel_open(void* memory, uint64_t size,
                                                   const armnn_channel_tensor_t* inputs,
                                                   uint32_t input_count,
                                                   const armnn_channel_tensor_t* outputs,
                                                   uint32_t output_count, int32_t process,
                                                   uint64_t deadline_ns);
/* Adds the events of kernels that the worker tells to the trace of their run: at |offset| lies
 * their number, as uint64_t, then as many armnn_trace_event_t as |size| bytes hold. */
ARMNN_CORE_API void armnn_channel_take_events(armnn_channel_t* channel, uint64_t offset,
                                              uint64_t size);
/* No run may be in flight. */
ARMNN_CORE_API void armnn_channel_close(armnn_channel_t* channel);
/* The worker has ended: a run in flight fails now, later ones at once. Returns |reason|, or that of
 * the call that killed the worker. */
ARMNN_CORE_API int32_t armnn_channel_end(armnn_channel_t* channel, int32_t reason);
/* Forgets a request that the ended worker left, before another worker gets the memory. 0: a run is
 * still in flight, ask again. */
ARMNN_CORE_API int32_t armnn_channel_settle(armnn_channel_t* channel);
/* The other worker is ready for runs. */
ARMNN_CORE_API void armnn_channel_renew(armnn_channel_t* channel, int32_t process);
/* A call that was kept for a recording. The tensors lie one after the other. */
typedef struct armnn_channel_call_t {
  void* next; /* the core's own */
  const void* inputs;
  uint64_t input_size;
  const void* outputs; /* if |status| is OK */
  uint64_t output_size;
  armnn_status_t status;
  uint32_t reserved;
} armnn_channel_call_t;

/* Keeps copies of the calls from now on, of |most_bytes| together; later calls are not kept. 0:
 * only the call in which the worker ends. */
ARMNN_CORE_API void armnn_channel_keep_calls(armnn_channel_t* channel, uint64_t most_bytes);
/* Takes the oldest of these calls, from any thread; null if no call is left. */
ARMNN_CORE_API armnn_channel_call_t* armnn_channel_take_call(armnn_channel_t* channel);
ARMNN_CORE_API void armnn_channel_free_call(armnn_channel_call_t* call);

/* The |execute| of a workload whose |workload_data| is a channel. */
ARMNN_CORE_API armnn_status_t armnn_channel_execute(armnn_workload_t* workload,
                                                    const armnn_execute_args_t* args,
                                                    armnn_error_t* error);

/* In the worker. Waits for the next run at most |timeout_ns|: 1 if there is one, 0 if not. */
ARMNN_CORE_API int32_t armnn_channel_wait(void* memory, uint64_t timeout_ns);
/* Ends a wait that has begun to sleep, from another thread. */
ARMNN_CORE_API void armnn_channel_wake(void* memory);
/* The host's number of that run. */
ARMNN_CORE_API uint64_t armnn_channel_run_id(const void* memory);
/* Ends that run. |text| is cut where the page has no more room for it. */
ARMNN_CORE_API void armnn_channel_answer(void* memory, armnn_status_t status, const char* text);

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_RUNTIME_H_ */
