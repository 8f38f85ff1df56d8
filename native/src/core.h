/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * core.h - what the sources of libarmnn_core.so share with one another; never installed.
 *
 * Each subject has a structure and functions that take it. The one instance of each that the
 * process uses lives in |armnn_i_core| (host.c), which is the only mutable global of the library;
 * tests make instances of their own.
 */
#ifndef ARMNN_CORE_H_
#define ARMNN_CORE_H_

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>

#define ARMNN_NO_ENTRY_DECLARATIONS /* the host has no entry points of a backend */
#include "armnn/runtime.h"
#include "float_control.h"
#include "pool_chunks.h"
#include "pool_wait.h"

#define ARMNN_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define ARMNN_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define ARMNN_CACHE_LINE 64
#define ARMNN_MAX_ALIGNMENT 4096u

/* ---- status.c ------------------------------------------------------------------------------ */

/* Where the text of a caller's |error| belongs: backends get the structure and may change it. */
typedef struct armnn_i_error_place_t {
  const armnn_error_t* error;
  char* text;
  uint64_t capacity;
} armnn_i_error_place_t;

/* Whether a backend changed where the text of its caller's |error| is. */
static inline bool armnn_i_error_is_moved(const armnn_error_t* error,
                                          const armnn_i_error_place_t* place) {
  return error->text != place->text || error->capacity != place->capacity;
}
/* Undoes that for the error of the innermost run of this thread, and takes over the words if they
 * can be read. */
void armnn_i_mend_error(armnn_error_t* error);
/* Copies the text at |source|, which may lead nowhere, as far as it can be read and fits. */
void armnn_i_copy_readable(char* target, uint64_t capacity, const char* source);
/* Writes |format| into |error| (may be null) and returns |code|. */
__attribute__((format(printf, 3, 4))) armnn_status_t armnn_i_fail(armnn_error_t* error,
                                                                  armnn_status_t code,
                                                                  const char* format, ...);
/* The same, unless |error| has a text already; the code is set in any case. */
__attribute__((format(printf, 3, 4))) armnn_status_t armnn_i_fail_if_silent(armnn_error_t* error,
                                                                            armnn_status_t code,
                                                                            const char* format,
                                                                            ...);
void armnn_i_error_clear(armnn_error_t* error);
/* Whether any member of |error| was set since it was cleared. */
static inline bool armnn_i_error_is_used(const armnn_error_t* error) {
  return error->needed != 0 || error->code != ARMNN_STATUS_OK || error->vendor_code != 0 ||
         (error->text != NULL && error->capacity > 0 && error->text[0] != '\0');
}
const char* armnn_i_status_name(armnn_status_t status);
/* Copies |text| into |out|, closed by a zero and cut between two characters of UTF-8. */
void armnn_i_copy_text(char* out, size_t capacity, armnn_string_t text);

/* ---- float_control.c ----------------------------------------------------------------------- */

/* Makes |control| that of the calling thread again, and logs that |words| changed it. */
void armnn_i_restore_float_control(uint64_t control, const char* words);

/* ---- memory.c ------------------------------------------------------------------------------ */

static inline bool armnn_i_is_power_of_two(uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

/* |alignment|: a power of two; null when it is none or memory is out. Freed by armnn_i_free. */
void* armnn_i_alloc(uint64_t size, uint64_t alignment);
void armnn_i_free(void* memory);
/* Zeroed, and never null for a |count| of 0; null when memory is out. Freed by free. */
void* armnn_i_make_array(uint64_t count, size_t item_size);

static inline uint64_t armnn_i_round_to_line(uint64_t size) {
  return (size + ARMNN_CACHE_LINE - 1) / ARMNN_CACHE_LINE * ARMNN_CACHE_LINE;
}

/* A number for the shared object that holds the code at |address|, made of its address, name and
 * headers: another object has another number, even at the same address. 0: no code. */
uint64_t armnn_i_code_identity(const void* address);
struct dl_phdr_info;
typedef int (*armnn_i_visit_fn_t)(struct dl_phdr_info* info, size_t size, void* data);
/* Calls |visit| with each loaded object until it answers other than 0, and returns that. At the end
 * it gets the object at |address|, which may be in a namespace of its own. */
int armnn_i_visit_objects(const void* address, armnn_i_visit_fn_t visit, void* data);

/* Are |extra| bytes behind the |size| at |address| readable for sure? Memory is mapped by pages, so
 * that what shares a page with the last byte is. An address sanitizer knows better: there they are
 * not. */
static inline bool armnn_i_is_readable_behind(const void* address, uint64_t size, uint64_t extra) {
  if (extra == 0) return true;
  if (size == 0 || (ARMNN_BUILD_FEATURES & ARMNN_BUILD_ADDRESS_SANITIZER) != 0) return false;
  const uintptr_t last = (uintptr_t)address + (uintptr_t)size - 1;
  return ((last ^ (last + (uintptr_t)extra)) >> 12) == 0; /* no machine has smaller pages */
}

/* ---- clock --------------------------------------------------------------------------------- */

uint64_t armnn_i_now_ns(void);
/* Some milliseconds behind at most and never ahead; costs a few nanoseconds. */
uint64_t armnn_i_coarse_now_ns(void);

/* ---- cpu_count.c, cpu_features.c ----------------------------------------------------------- */

/* Whole processors that the cgroups of this process allow, at least 1; UINT32_MAX if they set no
 * limit. |root| is put before every path: "" outside tests. */
uint32_t armnn_i_cgroup_cpu_limit(const char* root);
uint32_t armnn_i_usable_cpus(void);
uint64_t armnn_i_detect_cpu_features(void);

/* ---- Threads ------------------------------------------------------------------------------- */

typedef struct armnn_i_exit_hook_t {
  struct armnn_i_exit_hook_t* next;
  void (*function)(void* argument);
  void* argument;
  uint64_t identity; /* of the library that |function| belongs to */
} armnn_i_exit_hook_t;

/* Which run the events of a thread belong to. */
typedef struct armnn_i_scope_t {
  uint64_t plan;
  uint64_t run_id;
} armnn_i_scope_t;

#define ARMNN_NOTED_CALLS 8

/* What the library knows of the calling thread. */
typedef struct armnn_i_thread_t {
  uint32_t number;     /* of the trace, 0 = none given yet */
  uint32_t index;      /* thread_index of the body that runs */
  bool in_body;        /* inside a body of parallel_for */
  bool is_worker;      /* belongs to a pool */
  uint32_t call_depth; /* calls into backends that the host noted, the last in |calls| */
  const char* calls[ARMNN_NOTED_CALLS];
  uint64_t float_controls[ARMNN_NOTED_CALLS]; /* when each of |calls| began */
  uint32_t thread_limit; /* of its parallel_for, the thread itself included; 0 = none */
  uint32_t keeps_awake;  /* 1 + epoch of the pool that its run uses, see pool_wait.h; 0 = none */
  uint32_t serial_depth; /* calls of serial workloads that it is inside of */
  struct armnn_i_walk_t* walk; /* the innermost run that this thread goes through, or null */
  armnn_i_scope_t scope;       /* kept up to date while somebody records */
  const armnn_i_error_place_t* error_place; /* of the innermost run, or null */
  armnn_i_exit_hook_t* exit_hooks;
} armnn_i_thread_t;

armnn_i_thread_t* armnn_i_thread(void);

/* ---- last_words.c -------------------------------------------------------------------------- */

/* From now on a fatal signal on |thread|, the calling one, is told with what it is at; nothing
 * before armnn_core_install_last_words. */
void armnn_i_note_thread(armnn_i_thread_t* thread);

/* ---- thread_pool.c ------------------------------------------------------------------------- */

#define ARMNN_MAX_THREADS 1024u

typedef struct armnn_i_worker_t {
  struct armnn_i_pool_t* pool;
  uint32_t number;
  pthread_t thread;
} armnn_i_worker_t;

/* One job at a time. |gate| holds the state of the job in one word, from the top: 32 bits of
 * generation (odd: open), 16 bits of workers that ever entered, 16 bits of workers inside. A worker
 * enters by a compare-and-swap and the owner closes the gate when no chunk is left, so that a job
 * never waits for a worker that wakes up late. */
typedef struct armnn_i_pool_t {
  pthread_mutex_t owner; /* held by the parallel_for that has the workers, and to change them */
  _Atomic uint32_t requested;     /* threads wanted, the caller included; 0 = not resolved */
  _Atomic uint32_t owner_waiters; /* stop wants the workers: run serially meanwhile */
  atomic_bool stop_deferred;      /* stop was called inside a body */
  _Atomic uint32_t start_limit;   /* the system refused to start more workers than this */
  uint32_t worker_count;          /* under |owner| */
  uint32_t started_for;           /* |requested| when the workers were started; under |owner| */
  uint32_t epoch;                 /* counts forks */
  armnn_i_worker_t workers[ARMNN_MAX_THREADS];

  _Alignas(ARMNN_CACHE_LINE) armnn_range_fn_t body;
  void* argument;
  armnn_i_chunks_t chunks;
  armnn_i_scope_t scope;
  struct armnn_i_walk_t* walk;    /* the run that the job is of, or null */
  uint64_t float_control;         /* of the owner: all threads of a job round alike */
  _Atomic uint32_t limit;         /* workers that may enter */
  _Atomic armnn_status_t failure; /* the first of this job that is not OK */

  _Alignas(ARMNN_CACHE_LINE) _Atomic uint64_t next_chunk;
  _Alignas(ARMNN_CACHE_LINE) _Atomic uint64_t gate;
  _Alignas(ARMNN_CACHE_LINE) _Atomic uint32_t sleepers;
  _Atomic uint32_t owner_sleeps;
  _Atomic uint32_t target; /* workers with a number from here on end */
  _Alignas(ARMNN_CACHE_LINE) armnn_i_crowd_t crowd;
} armnn_i_pool_t;

void armnn_i_pool_init(armnn_i_pool_t* pool);
/* In the child of a fork: forgets the workers, which do not exist there. */
void armnn_i_pool_after_fork(armnn_i_pool_t* pool);
armnn_status_t armnn_i_pool_set_thread_count(armnn_i_pool_t* pool, uint32_t count);
uint32_t armnn_i_pool_thread_count(armnn_i_pool_t* pool);
/* The same, or the limit of the calling thread if that is less. */
uint32_t armnn_i_pool_concurrency(armnn_i_pool_t* pool);
void armnn_i_pool_stop(armnn_i_pool_t* pool);
armnn_status_t armnn_i_pool_parallel_for(armnn_i_pool_t* pool, armnn_range_fn_t body,
                                         void* argument, uint64_t count, uint64_t grain,
                                         uint32_t max_threads);
/* At the end of a run of |thread|, the calling one, that has set keeps_awake. */
void armnn_i_pool_run_ended(armnn_i_pool_t* pool, armnn_i_thread_t* thread);
armnn_status_t armnn_i_pool_on_thread_exit(void (*function)(void* argument), void* argument);

/* ---- log.c --------------------------------------------------------------------------------- */

#define ARMNN_LOG_CAPACITY 256u

/* A ring that overwrites its oldest record. */
typedef struct armnn_i_log_t {
  pthread_mutex_t mutex;
  _Atomic int32_t level;
  uint64_t head; /* number of the next record to read */
  uint64_t tail; /* number of the next record to write */
  uint64_t lost; /* overwritten since the last read */
  armnn_log_record_t records[ARMNN_LOG_CAPACITY];
} armnn_i_log_t;

void armnn_i_log_write(armnn_i_log_t* log, int32_t level, armnn_string_t component,
                       armnn_string_t text);
uint64_t armnn_i_log_pending(armnn_i_log_t* log);
bool armnn_i_log_next(armnn_i_log_t* log, armnn_log_record_t* out_record);

/* ---- trace.c ------------------------------------------------------------------------------- */

typedef struct armnn_i_trace_slot_t {
  _Atomic uint64_t turn; /* 2 x lap: free for that lap; 2 x lap + 1: filled */
  armnn_trace_event_t event;
} armnn_i_trace_slot_t;

/* A bounded queue of many writers. The buffer changes only while no writer is inside. */
typedef struct armnn_i_trace_t {
  pthread_mutex_t mutex; /* start, stop, read */
  atomic_bool enabled;
  uint32_t starts;
  armnn_i_trace_slot_t* slots;
  uint64_t capacity;
  uint64_t head;
  _Alignas(ARMNN_CACHE_LINE) _Atomic uint32_t writers;
  _Alignas(ARMNN_CACHE_LINE) _Atomic uint64_t tail;
  _Atomic uint64_t dropped;
  _Atomic uint32_t thread_numbers;
} armnn_i_trace_t;

static inline bool armnn_i_trace_enabled(armnn_i_trace_t* trace) {
  return atomic_load_explicit(&trace->enabled, memory_order_relaxed);
}
armnn_status_t armnn_i_trace_start(armnn_i_trace_t* trace, uint64_t capacity);
void armnn_i_trace_stop(armnn_i_trace_t* trace);
/* In the child of a fork, with |mutex| held: empties the buffer. Its events are the parent's, and a
 * slot that another thread had claimed would never be filled. */
void armnn_i_trace_after_fork(armnn_i_trace_t* trace);
uint64_t armnn_i_trace_read(armnn_i_trace_t* trace, armnn_trace_event_t* out_events,
                            uint64_t capacity);
/* Adds an event of the calling thread's scope. */
void armnn_i_trace_add(armnn_i_trace_t* trace, int32_t kind, armnn_string_t name, uint64_t id,
                       uint64_t time_ns, uint64_t duration_ns);

/* ---- cancel.c ------------------------------------------------------------------------------ */

/* State of the run in flight of one context, readable from any thread. */
typedef struct armnn_i_flight_t {
  _Alignas(ARMNN_CACHE_LINE) _Atomic uint64_t run_id; /* 0: no run in flight */
  _Atomic uint64_t cancelled_id;                      /* the run that somebody cancelled */
  _Atomic uint64_t deadline_ns;                       /* 0: none */
  uint64_t sequence;                                  /* runs so far; only its context touches it */
  uint64_t number; /* index in the registry: the lower bits of run ids */
  struct armnn_i_flight_t* next_free;
} armnn_i_flight_t;

#define ARMNN_FLIGHT_CHUNK 256u
#define ARMNN_FLIGHT_CHUNKS 256u
#define ARMNN_FLIGHT_BITS 16
/* Number of a flight when the registry is full: its runs stop between steps, not inside one. */
#define ARMNN_FLIGHT_NONE ((UINT64_C(1) << ARMNN_FLIGHT_BITS) - 1)

/* Finds flights by run id without locks. Chunks are never freed, so that any number is safe. */
typedef struct armnn_i_registry_t {
  pthread_mutex_t mutex; /* acquire and release */
  _Atomic(armnn_i_flight_t*) chunks[ARMNN_FLIGHT_CHUNKS];
  armnn_i_flight_t* free_list;
  uint64_t used;
} armnn_i_registry_t;

/* Null when memory is out. */
armnn_i_flight_t* armnn_i_flight_acquire(armnn_i_registry_t* registry);
void armnn_i_flight_release(armnn_i_registry_t* registry, armnn_i_flight_t* flight);
/* Begins a run and returns its id. */
uint64_t armnn_i_flight_begin(armnn_i_flight_t* flight, uint64_t deadline_ns);
void armnn_i_flight_end(armnn_i_flight_t* flight);
void armnn_i_flight_cancel(armnn_i_flight_t* flight);
/* Cancelled or past its deadline; false for an id that names no run in flight. */
bool armnn_i_run_should_stop(armnn_i_registry_t* registry, uint64_t run_id);
/* On the thread of the run |run_id|: asks the run's interrupt, if it is due, and cancels the run if
 * the answer is yes. On other threads: does nothing. */
void armnn_i_ask_interrupt(uint64_t run_id);

/* ---- plan.c, plan_check.c, needs.c, serial.c, context.c, variables.c, executor.c, moves.c ---- */

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
  uint32_t late;                                 /* armnn_plan_late_e */
  const armnn_tensor_info_t* const* input_infos; /* of packed inputs of a late step, or null */
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
  const char* const* labels; /* of the steps, for last words; null: they are the package's own */
  uint32_t late_count;       /* steps that get infos, ... */
  uint32_t tell_count;       /* ... and of these those that tell sizes */
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

/* The workload of a step that tells the sizes of its outputs, around that of the step. */
typedef struct armnn_i_tell_t {
  armnn_workload_t base; /* without a table */
  armnn_status_t (*execute)(armnn_workload_t* workload, const armnn_execute_args_t* args,
                            armnn_error_t* error) ARMNN_NOEXCEPT;
  armnn_workload_t* workload; /* that of the backend, or what calls it one by one */
  struct armnn_context_t* context;
  uint32_t step;
} armnn_i_tell_t;

/* What a context of a plan with late steps has besides; arrays are like |pointers|. */
typedef struct armnn_i_late_t {
  const armnn_tensor_info_t** infos;
  uint64_t** dims; /* of each operand that a step tells the size of: its place in |told| */
  uint64_t* told;  /* ARMNN_MAX_DIMS for each operand; null if no step tells */
  armnn_i_tell_t* tells;
  bool has_shapes;
} armnn_i_late_t;

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
  armnn_i_late_t* late;   /* null without late steps */
  unsigned char** places; /* of variables in host memory: two each, |next| behind the value */
  armnn_i_fence_step_t* fence_steps;
  struct armnn_i_guard_t* guards; /* one for each step; null without an address sanitizer */
  armnn_fence_t** fences; /* of the run in flight; null: not signalled yet, or done at once */
  armnn_run_t* run;       /* the one in flight */
  uint32_t first_state;   /* the first step with state, or ARMNN_PLAN_NONE */
  bool is_state_lost;     /* a run failed after a step with state was called */
  bool is_float_told;     /* a step changed how the thread computes, which was logged */
  atomic_int state;
};

/* ---- late.c -------------------------------------------------------------------------------- */

/* Null when memory is out. */
armnn_i_late_t* armnn_i_late_make(const armnn_plan_t* plan);
void armnn_i_late_free(armnn_i_late_t* late);
/* Completes the arguments of the late steps. */
void armnn_i_late_fill(armnn_context_t* context);

/* Points every operand that names patched tensor |number|, or a sub-tensor of it, to |address|. */
void armnn_i_patch(armnn_context_t* context, uint32_t number, const void* address);
void armnn_i_context_free(armnn_context_t* context);
/* Numbers of patched tensors from here on are places of variables. */
static inline uint32_t armnn_i_first_place(const armnn_plan_t* plan) {
  return plan->input_count + plan->output_count + plan->mapped_count;
}
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

/* ---- last_words.c --------------------------------------------------------------------------- */

/* Set in a copy of the process that a call of a backend has made by fork: |end| ends it when the
 * call returns, which is a mistake of the backend. */
extern atomic_bool armnn_i_is_stray_copy;
void armnn_i_end_stray_copy(void);
static inline void armnn_i_end_if_stray_copy(void) {
  if (ARMNN_UNLIKELY(atomic_load_explicit(&armnn_i_is_stray_copy, memory_order_relaxed))) {
    armnn_i_end_stray_copy();
  }
}

/* A call of |function| of the workload of step |number| outside of a run, noted as long as it
 * lasts: the words are those of the step's label. */
typedef struct armnn_i_step_call_t {
  char words[1100];
  bool is_noted;
} armnn_i_step_call_t;

void armnn_i_enter_step(armnn_i_step_call_t* call, const struct armnn_plan_t* plan, uint32_t number,
                        const char* function);
void armnn_i_leave_step(const armnn_i_step_call_t* call);

/* exit and _exit for a backend, whose file calls them itself: it is told, and the status is not 0.
 */
_Noreturn void armnn_i_tell_exit(int status);
_Noreturn void armnn_i_tell_immediate_exit(int status);

/* ---- backend_code.c ------------------------------------------------------------------------- */

/* Both are for handlers of signals. The noted file that has the code at |address|, or null. */
const char* armnn_i_file_of_code(uintptr_t address);
/* The same of the code that a signal met: |context| is what its handler got. With |looks_up|, if
 * it is no such code, of the functions that have called it. */
const char* armnn_i_file_at_work(const void* context, bool looks_up);

/* ---- left_threads.c ------------------------------------------------------------------------- */

/* Where the code of |library| is, as dlopen returned it; false if that is not known. */
bool armnn_i_find_code(void* library, uintptr_t* out_begin, uintptr_t* out_end);

/* ---- fence.c, memories.c -------------------------------------------------------------------- */

/* Waits for |fence| on the thread of |run|, which can be stopped meanwhile. */
armnn_status_t armnn_i_await(armnn_run_t* run, armnn_fence_t* fence, armnn_error_t* error);
/* What last words say of the call that is under way in a run, or null. */
const char* armnn_i_walk_label(const struct armnn_i_walk_t* walk);

/* For |run|, which has the answer if it is to stop: CANCELLED or TIMEOUT. */
armnn_status_t armnn_i_look(armnn_run_t* run);

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
/* Before the steps and after them, for runs with |memories|. */
armnn_status_t armnn_i_begin_memories(armnn_context_t* context, armnn_error_t* error);
armnn_status_t armnn_i_end_memories(armnn_context_t* context, armnn_status_t status,
                                    armnn_error_t* error);
/* Lets the handle of a COPY to external |number| import it, if its backend does. */
armnn_status_t armnn_i_lend_memory(const armnn_i_move_t* move, armnn_error_t* error);
/* Copies between dense and strided memory. */
void armnn_i_copy_strided(const armnn_run_memory_t* memory, void* dense, bool to_strided);

/* ---- host.c -------------------------------------------------------------------------------- */

#define ARMNN_LOST_DEVICES 64u

typedef struct armnn_i_lost_device_t {
  const armnn_backend_t* backend;
  char why[256];
} armnn_i_lost_device_t;

typedef struct armnn_i_core_t {
  armnn_i_pool_t pool;
  armnn_i_log_t log;
  armnn_i_trace_t trace;
  armnn_i_registry_t registry;
  pthread_mutex_t lost_mutex;
  armnn_i_lost_device_t lost[ARMNN_LOST_DEVICES];
  _Atomic uint64_t cpu_features; /* 0 = not looked yet */
  pthread_once_t once;
} armnn_i_core_t;

extern armnn_i_core_t armnn_i_core;

/* Registers what must happen around a fork. Any number of times. */
void armnn_i_core_prepare(void);

#endif /* ARMNN_CORE_H_ */
