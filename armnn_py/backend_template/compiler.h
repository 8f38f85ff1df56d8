/* From a sub-graph of elementwise layers to one program, and back to results. */
#pragma once

#include "armnn/backend_kit.h"

#define NOT_AN_OUTPUT 0xffffffffu

/* One layer: result = left (operation) right. */
typedef struct step_t {
  int32_t operation;    /* armnn_binary_operation_e */
  uint32_t left, right; /* below input_count: that input; else the result of an earlier step */
  uint32_t output;      /* the output that it writes, or NOT_AN_OUTPUT */
} step_t;

/* What the blob holds, and a file of the cache as well: one block of memory without addresses, so
 * that many threads run it at once. Its steps lie behind it. */
typedef struct program_t {
  uint64_t count; /* elements of each tensor */
  uint32_t input_count;
  uint32_t output_count;
  uint32_t step_count;
  uint32_t reserved;
} program_t;

/* Options of the backend: cache_dir, a folder where programs are kept; "" for none. */
#define COMPILER_OPTIONS(X)             \
  X(ARMNN_DEFAULT_STRING("cache_dir", ""), \
    ARMNN_SAY("folder that keeps compiled programs; empty: none", 0))

/* The hooks `open` and `close`: they keep what the options say. */
armnn_status_t compiler_open(const armnn_create_args_t* args, void** out_user,
                             armnn_error_t* error) ARMNN_NOEXCEPT;
void compiler_close(void* user) ARMNN_NOEXCEPT;

/* The hook `optimize`: all layers of the sub-graph become one, if their tensors have one shape. A
 * program that was compiled before comes from the cache. */
armnn_status_t compile_subgraph(armnn_backend_t* backend, const armnn_subgraph_t* subgraph,
                                const armnn_options_t* model_options,
                                const armnn_optimization_sink_t* sink,
                                armnn_error_t* error) ARMNN_NOEXCEPT;

/* The hooks `check_blob` and `deserialize_blob`, for networks that users save, and
 * `get_number_of_cache_files`. */
armnn_status_t compiler_check_blob(armnn_backend_t* backend, armnn_string_t compatibility,
                                   armnn_error_t* why_not) ARMNN_NOEXCEPT;
armnn_status_t compiler_deserialize_blob(armnn_backend_t* backend, const void* data, uint64_t size,
                                         armnn_string_t compatibility, armnn_blob_t* out_blob,
                                         armnn_error_t* error) ARMNN_NOEXCEPT;
uint32_t compiler_count_files(armnn_backend_t* backend) ARMNN_NOEXCEPT;

/* The row that runs what was compiled. */
armnn_status_t compiled_supports(const armnn_layer_query_t* query,
                                 armnn_error_t* reason) ARMNN_NOEXCEPT;
armnn_status_t compiled_prepare(const armnn_workload_info_t* info, const armnn_host_t* host,
                                armnn_backend_t* backend, void** out_prepared,
                                armnn_workload_requirements_t* needs,
                                armnn_error_t* error) ARMNN_NOEXCEPT;
void program_run(const program_t* program, const void* const* inputs, void* const* outputs,
                 float* scratch);
