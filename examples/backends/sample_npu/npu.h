/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * npu.h - what the files of the sample NPU share.
 */
#ifndef SAMPLE_NPU_NPU_H_
#define SAMPLE_NPU_NPU_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "armnn/backend_api.h"
#include "program.h"

#ifndef NPU_ID
#define NPU_ID "Sample_Npu"
#endif
#define NPU_FACTORY_ID "Sample/" NPU_ID "/Device"
#define NPU_DEVICES 2

/* Writes a sentence into |error| (may be null) and returns |code|. */
__attribute__((format(printf, 3, 4))) armnn_status_t npu_fail(armnn_error_t* error,
                                                              armnn_status_t code,
                                                              const char* format, ...);

/* ---- The backend (entry.c, context.c, counters.c) ------------------------------------------ */

enum npu_counter_e {
  NPU_COUNTER_JOBS = 0,
  NPU_COUNTER_BYTES_IN = 1,
  NPU_COUNTER_BYTES_OUT = 2,
  NPU_COUNTER_COMPILED = 3,
  NPU_COUNTER_CACHE_HITS = 4,
  NPU_COUNTER_CONSTANT_BYTES = 5,
  NPU_COUNTER_BYTES_IMPORTED = 6,
  NPU_COUNTER_COUNT = 7
};

typedef struct npu_queue_t npu_queue_t;

typedef struct npu_backend_t {
  armnn_backend_t base;
  const armnn_host_t* host;
  uint32_t device;              /* 0 or 1: each has queues and memory of its own */
  char* cache_dir;              /* null: no cache */
  _Atomic int64_t max_networks; /* that a runtime may have loaded; 0: any number */
  _Atomic uint64_t counters[NPU_COUNTER_COUNT];
  pthread_mutex_t lock; /* of the list of queues */
  npu_queue_t* queues;
} npu_backend_t;

bool npu_equals(armnn_string_t text, const char* other);

armnn_status_t npu_create_backend_context(armnn_backend_t* backend, const armnn_options_t* options,
                                          armnn_backend_context_t** out_context,
                                          armnn_error_t* error) ARMNN_NOEXCEPT;
/* options.c */
armnn_status_t npu_get_option_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                       armnn_error_t* error) ARMNN_NOEXCEPT;
armnn_status_t npu_get_model_option_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                             armnn_error_t* error) ARMNN_NOEXCEPT;
armnn_status_t npu_get_run_option_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                           armnn_error_t* error) ARMNN_NOEXCEPT;
const armnn_option_description_t* npu_describe_option(armnn_backend_t* backend, int32_t scope,
                                                      uint64_t index) ARMNN_NOEXCEPT;
armnn_status_t npu_set_option(armnn_backend_t* backend, const armnn_option_t* option,
                              armnn_error_t* error) ARMNN_NOEXCEPT;
armnn_status_t npu_create_model_context(armnn_backend_t* backend,
                                        const armnn_options_t* model_options,
                                        armnn_model_context_t** out_context,
                                        armnn_error_t* error) ARMNN_NOEXCEPT;
/* |context| may be null: hosts without model contexts. */
bool npu_wants_constants_on_device(const armnn_model_context_t* context);

/* What extension gives for NPU_LIMITS_ID. */
#define NPU_LIMITS_ID "sample_npu.limits/1"
typedef struct npu_limits_t {
  armnn_header_t header;
  uint32_t max_bindings;  /* inputs and outputs of a program */
  uint32_t channel_block; /* output channels that are computed at once */
  uint32_t version_size;
  uint32_t reserved;
  const char* version;
} npu_limits_t;

armnn_status_t npu_create_profiling_context(armnn_backend_t* backend,
                                            const armnn_options_t* options,
                                            const armnn_profiling_host_t* profiling_host,
                                            armnn_profiling_context_t** out_context,
                                            armnn_error_t* error) ARMNN_NOEXCEPT;

static inline void npu_count(npu_backend_t* backend, int counter, uint64_t more) {
  atomic_fetch_add_explicit(&backend->counters[counter], more, memory_order_relaxed);
}

/* ---- What it takes (support.c) ------------------------------------------------------------- */

armnn_status_t npu_check_layer(const armnn_layer_query_t* query, armnn_error_t* reason);
armnn_status_t npu_get_layer_support(armnn_backend_t* backend, const armnn_options_t* model_options,
                                     armnn_layer_support_t** out_support,
                                     armnn_error_t* error) ARMNN_NOEXCEPT;
uint64_t npu_tensor_bytes(const armnn_tensor_info_t* info);

/* ---- Compiler (compile.c, emit.c, program.c) ----------------------------------------------- */

/* The program of a part, from the cache if it is there. UNSUPPORTED: leave the part as it is. */
armnn_status_t npu_get_program(npu_backend_t* backend, const armnn_subgraph_t* part,
                               npu_program_t** out_program, armnn_error_t* error);
armnn_status_t npu_compile(const armnn_subgraph_t* part, npu_program_t** out_program,
                           armnn_error_t* error);
armnn_status_t npu_optimize(armnn_backend_t* backend, const armnn_subgraph_t* part,
                            const armnn_options_t* model_options,
                            const armnn_optimization_sink_t* sink,
                            armnn_error_t* error) ARMNN_NOEXCEPT;
armnn_status_t npu_deserialize_blob(armnn_backend_t* backend, const void* data, uint64_t size,
                                    armnn_string_t compatibility, armnn_blob_t* out_blob,
                                    armnn_error_t* error) ARMNN_NOEXCEPT;
armnn_status_t npu_create_workload_factory(armnn_backend_t* backend,
                                           const armnn_factory_args_t* args,
                                           armnn_workload_factory_t** out_factory,
                                           armnn_error_t* error) ARMNN_NOEXCEPT;

/* ---- Cache (cache.c) ----------------------------------------------------------------------- */

npu_program_t* npu_cache_load(const npu_backend_t* backend, const armnn_subgraph_t* part);
void npu_cache_store(const npu_backend_t* backend, const armnn_subgraph_t* part,
                     const npu_program_t* program);
uint32_t npu_cache_count(const char* folder);
/* Whole, of this version, and every reference inside it leads to a place inside it. */
bool npu_program_is_sound(const npu_program_t* program, uint64_t size);
npu_program_t* npu_program_allocate(uint64_t size);
/* Arithmetic of one job, a multiply-add counting as two; and how long the device should take. */
uint64_t npu_count_operations(const npu_program_t* program);
uint64_t npu_estimate_ns(const npu_program_t* program);

/* ---- Memory of the device (memory.c, handle.c) --------------------------------------------- */

/* A region of device memory. The host has no address for any of it: it is a file without a name,
 * which copies reach by pread and pwrite, and the device by a window while it runs a job. */
typedef struct npu_region_t {
  int file; /* -1: not there (yet) */
} npu_region_t;

/* |backend|: the device whose memory it is. */
armnn_status_t npu_region_make(npu_region_t* region, const npu_backend_t* backend, uint64_t size,
                               armnn_error_t* error);
void npu_region_drop(npu_region_t* region);
armnn_status_t npu_region_write(const npu_region_t* region, uint64_t offset, const void* source,
                                uint64_t size, armnn_error_t* error);
armnn_status_t npu_region_read(const npu_region_t* region, uint64_t offset, void* target,
                               uint64_t size, armnn_error_t* error);

typedef struct npu_manager_t npu_manager_t;
armnn_status_t npu_create_memory_manager(armnn_backend_t* backend,
                                         armnn_memory_manager_t** out_manager,
                                         armnn_error_t* error) ARMNN_NOEXCEPT;
/* Constants of a program: acquire copies them to the device, for all contexts of the network. They
 * must stay where they are until npu_manager_drop. */
armnn_status_t npu_manager_keep(npu_manager_t* manager, const void* constants, uint64_t size,
                                uint64_t* out_offset, armnn_error_t* error);
void npu_manager_drop(npu_manager_t* manager, const void* constants, uint64_t offset);
/* A place for |size| bytes that other tensors may have before and after. */
armnn_status_t npu_manager_begin(npu_manager_t* manager, uint64_t size, uint64_t* out_offset);
void npu_manager_end(npu_manager_t* manager, uint64_t offset, uint64_t size);
const npu_region_t* npu_manager_region(const npu_manager_t* manager);

armnn_status_t npu_register_factories(armnn_backend_t* backend,
                                      armnn_tensor_handle_factory_registry_t* registry,
                                      uint32_t input_sources, uint32_t output_sources,
                                      armnn_error_t* error) ARMNN_NOEXCEPT;

/* Where a tensor lies while a job runs. */
typedef struct npu_place_t {
  int file;
  uint64_t offset;
  uint64_t size;
  bool is_dma_buf;      /* memory of another device: caches are told when the core touches it */
  armnn_fence_t* ready; /* of imported memory: what a job waits for, or null */
} npu_place_t;

/* Maps a place into the process, with the caches of a dma-buf told; null tensor: it failed. */
typedef struct npu_window_t {
  void* base; /* of the pages */
  uint64_t length;
  char* tensor;
} npu_window_t;

npu_window_t npu_window_open(const npu_place_t* place);
void npu_window_close(const npu_place_t* place, const npu_window_t* window);

/* For a job of |backend|: its device reaches no memory but its own. */
armnn_status_t npu_handle_place(const npu_backend_t* backend, armnn_tensor_handle_t* handle,
                                uint64_t size, npu_place_t* out_place, armnn_error_t* error);

/* ---- Fences (fence.c) ---------------------------------------------------------------------- */

typedef struct npu_fence_t npu_fence_t;

/* Held by two: who destroys it as an armnn_fence_t, and who signals it. */
npu_fence_t* npu_fence_make(void);
armnn_fence_t* npu_fence_base(npu_fence_t* fence);
void npu_fence_signal(npu_fence_t* fence, armnn_status_t status, const char* text);

/* On the monotonic clock, as conditions of npu_condition_init want it. */
struct timespec npu_time_after(uint64_t timeout_ns);
void npu_condition_init(pthread_cond_t* condition);

/* ---- Queue and device (queue.c, kernels.c, convolution.c) ---------------------------------- */

/* |core_memory|: bytes that its programs need between their instructions. */
armnn_status_t npu_queue_create(npu_backend_t* backend, uint64_t core_memory,
                                npu_queue_t** out_queue, armnn_error_t* error);
void npu_queue_destroy(npu_queue_t* queue);
/* Takes the job over and returns; waits only while the ring is full. |constants|: where those of
 * the program lie on the device; file -1: nowhere, they are read from the program itself. */
void npu_queue_put(npu_queue_t* queue, const npu_program_t* program, const npu_place_t* constants,
                   const npu_place_t* places, uint64_t run_id);
/* Whether execute waits for its job, in this run and the next ones. */
void npu_queue_wait_each(npu_queue_t* queue, bool wait);
bool npu_queue_waits_each(const npu_queue_t* queue);
/* The next job waits for |fence|, too; false: no more room for such. */
bool npu_queue_await(npu_queue_t* queue, armnn_fence_t* fence);
/* A fence for all jobs so far; null: memory is out. */
armnn_fence_t* npu_queue_signal(npu_queue_t* queue);
/* Until nothing is in the queue; the first error since the last wait. */
armnn_status_t npu_queue_wait(npu_queue_t* queue, armnn_error_t* error);
/* The same for all queues of the backend, for at most that long; then they take no more work. */
armnn_status_t npu_queues_quiesce(npu_backend_t* backend, uint64_t timeout_ns,
                                  armnn_error_t* error);

/* Operands of one instruction, as the device addresses them. */
typedef struct npu_operands_t {
  const npu_instruction_t* instruction;
  const armnn_host_t* host;
  const float *input, *second, *weights, *bias;
  float* output;
} npu_operands_t;

void npu_run_instruction(const npu_operands_t* operands);
void npu_run_convolution(const npu_operands_t* operands);
/* Spreads |body| over the host's threads, or runs it here if the host lends none. */
void npu_parallel(const armnn_host_t* host, armnn_range_fn_t body, const npu_operands_t* operands,
                  uint64_t count, uint64_t grain);

static inline float npu_clamp(const npu_instruction_t* i, float value) {
  value = value < i->low ? i->low : value; /* NaN stays */
  return value > i->high ? i->high : value;
}

#endif /* SAMPLE_NPU_NPU_H_ */
