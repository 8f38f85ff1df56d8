/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * zero.h - what the files of Sample_Zero share.
 *
 *   backend.c         the table, options, capabilities, the instance; start reading there
 *   memory.c          where bytes come from: allocators, and pools that tensors share
 *   handles.c         tensors: imported, pooled, parts of other tensors
 *   handle_factory.c  the factory of tensors, and which of them the host gets
 *   layers.c          which layers the backend takes, and the kernel for each
 *   kernels.c, convolution.c   the kernels
 *   workloads.c       from a layer to something that the host executes
 *   counters.c        what the backend counts, and how the host reads it
 */
#ifndef SAMPLE_ZERO_H_
#define SAMPLE_ZERO_H_

#include <stdatomic.h>
#include <stdlib.h>

#include "armnn/backend_kit.h" /* for armnn_fail and the small helpers; no table of kernels here */

#define ZERO_ID "Sample_Zero"
#define ZERO_FACTORY_ID "Sample/Sample_Zero/Shared"
#define ZERO_ALIGNMENT 64u /* of every tensor that is imported or allocated; a cache line */

/* ---- Counters ------------------------------------------------------------------------------ */

enum zero_counter_e {
  ZERO_RUNS,
  ZERO_KERNELS,
  ZERO_BYTES_IMPORTED,
  ZERO_BYTES_COPIED,
  ZERO_SUB_TENSORS,
  ZERO_IMPORTED_NOW,
  ZERO_MAPPED_NOW,
  ZERO_COUNTER_COUNT
};

/* ---- The instance -------------------------------------------------------------------------- */

typedef struct zero_backend_t {
  armnn_backend_t base;
  const armnn_host_t* host;
  armnn_allocator_t* allocator; /* given by the user, or null */
  uint32_t import_sources;      /* what factories and tensors say; 0 with option import = false */
  atomic_uint_fast64_t live_blocks;
  atomic_uint_fast64_t counters[ZERO_COUNTER_COUNT];
} zero_backend_t;

static inline void zero_count(zero_backend_t* backend, enum zero_counter_e counter, uint64_t by) {
  atomic_fetch_add_explicit(&backend->counters[counter], by, memory_order_relaxed);
}

/* The value of a boolean option of this name, or |otherwise| when it was not given. */
int zero_option(const armnn_options_t* options, const char* name, int otherwise);

/* ---- Memory -------------------------------------------------------------------------------- */

/* A block of the backend's memory, aligned to ZERO_ALIGNMENT; null with the reason in |error|. */
void* zero_allocate(zero_backend_t* backend, uint64_t size, armnn_error_t* error);
void zero_release(zero_backend_t* backend, void* memory);
armnn_status_t zero_use_allocator(armnn_backend_t* backend, armnn_allocator_t* allocator,
                                  armnn_error_t* error);
armnn_status_t zero_default_allocator(armnn_backend_t* backend, armnn_allocator_t** out_allocator,
                                      armnn_error_t* error);

/* One pool: a place that tensors use one after the other. */
typedef struct zero_pool_t {
  uint64_t size;
  uint64_t offset; /* in the block; known once the block is there */
  int free;
} zero_pool_t;

typedef struct zero_manager_t {
  armnn_memory_manager_t base;
  zero_backend_t* backend;
  zero_pool_t* pools;
  uint64_t pool_count;
  char* block; /* all pools; null while the manager is not acquired */
} zero_manager_t;

armnn_status_t zero_manager_create(zero_backend_t* backend, zero_manager_t** out_manager,
                                   armnn_error_t* error);
/* A tensor of |size| bytes begins to live: *out_pool is its place. */
armnn_status_t zero_pool_take(zero_manager_t* manager, uint64_t size, uint64_t* out_pool,
                              armnn_error_t* error);
/* It ends to live: who comes next may have the place. */
void zero_pool_give(zero_manager_t* manager, uint64_t pool);

/* ---- Tensors ------------------------------------------------------------------------------- */

#define ZERO_NO_POOL UINT64_MAX

typedef struct zero_handle_t {
  armnn_tensor_handle_t base;
  zero_backend_t* backend;
  struct zero_handle_t* parent; /* the tensor that this is a part or another view of, or null */
  uint64_t offset;              /* bytes from the parent's first */
  zero_manager_t* manager;      /* of a managed tensor, else null */
  uint64_t pool;
  void* imported;
  int is_mapped;
  void* own;
  uint64_t size; /* bytes */
  int32_t data_type;
  uint32_t rank;
  uint64_t dims[ARMNN_MAX_DIMS];
} zero_handle_t;

zero_handle_t* zero_handle_create(zero_backend_t* backend, const armnn_tensor_info_t* info);
/* Where the tensor lies now; null if it has no memory yet. */
char* zero_address(const zero_handle_t* handle);

armnn_status_t zero_register_factories(armnn_backend_t* backend,
                                       armnn_tensor_handle_factory_registry_t* registry,
                                       uint32_t input_sources, uint32_t output_sources,
                                       armnn_error_t* error);

/* ---- Layers -------------------------------------------------------------------------------- */

struct zero_workload_t;

typedef struct zero_call_t {
  const struct zero_workload_t* workload;
  const armnn_workload_info_t* info;
  const armnn_execute_args_t* args;
} zero_call_t;

typedef armnn_status_t (*zero_kernel_fn_t)(const zero_call_t* call, armnn_error_t* error);

typedef struct zero_layer_t {
  const char* kernel_name;
  int32_t type;
  armnn_status_t (*check)(const armnn_layer_query_t* query, armnn_error_t* reason);
  zero_kernel_fn_t kernel;
  int in_place; /* may write its output over an input of the output's shape */
  int bounded;  /* goes by the sizes of each call */
} zero_layer_t;

/* The layer's row, or null with the reason. */
const zero_layer_t* zero_find_layer(const armnn_layer_query_t* query, armnn_error_t* reason);
armnn_status_t zero_get_layer_support(armnn_backend_t* backend,
                                      const armnn_options_t* model_options,
                                      armnn_layer_support_t** out_support, armnn_error_t* error);

typedef struct zero_workload_t {
  armnn_workload_t base;
  zero_backend_t* backend;
  const armnn_workload_info_t* info;
  const zero_layer_t* layer;
  int in_place;
} zero_workload_t;

armnn_status_t zero_create_workload_factory(armnn_backend_t* backend,
                                            const armnn_factory_args_t* args,
                                            armnn_workload_factory_t** out_factory,
                                            armnn_error_t* error);

/* Addresses of one execute. A constant has an address of the host and no handle. */
static inline const float* zero_in(const zero_call_t* call, uint32_t i) {
  const armnn_execute_args_t* args = call->args;
  if (args->input_handles != NULL && args->input_handles[i] != NULL) {
    return (const float*)(const void*)zero_address((const zero_handle_t*)args->input_handles[i]);
  }
  return args->inputs != NULL ? (const float*)args->inputs[i] : NULL;
}

static inline float* zero_out(const zero_call_t* call, uint32_t i) {
  const armnn_execute_args_t* args = call->args;
  if (args->output_handles != NULL && args->output_handles[i] != NULL) {
    return (float*)(void*)zero_address((const zero_handle_t*)args->output_handles[i]);
  }
  return args->outputs != NULL ? (float*)args->outputs[i] : NULL;
}

armnn_status_t zero_activation(const zero_call_t* call, armnn_error_t* error);
armnn_status_t zero_binary(const zero_call_t* call, armnn_error_t* error);
armnn_status_t zero_swish(const zero_call_t* call, armnn_error_t* error);
armnn_status_t zero_reshape(const zero_call_t* call, armnn_error_t* error);
armnn_status_t zero_concat(const zero_call_t* call, armnn_error_t* error);
armnn_status_t zero_splitter(const zero_call_t* call, armnn_error_t* error);
armnn_status_t zero_convolution(const zero_call_t* call, armnn_error_t* error);

/* ---- Profiling ----------------------------------------------------------------------------- */

armnn_status_t zero_create_profiling_context(armnn_backend_t* backend,
                                             const armnn_options_t* options,
                                             const armnn_profiling_host_t* profiling_host,
                                             armnn_profiling_context_t** out_context,
                                             armnn_error_t* error);
/* An event of the host's trace, if the host has one. */
void zero_trace(const zero_backend_t* backend, int32_t phase, const char* name, uint64_t id);

#endif /* SAMPLE_ZERO_H_ */
