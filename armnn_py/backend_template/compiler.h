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

/* What the blob holds: no addresses, so that many threads run it at once. */
typedef struct program_t {
  uint64_t count; /* elements of each tensor */
  uint32_t input_count;
  uint32_t step_count;
  step_t* steps;
} program_t;

/* The hook `optimize`: all layers of the sub-graph become one, if their tensors have one shape. */
armnn_status_t compile_subgraph(armnn_backend_t* backend, const armnn_subgraph_t* subgraph,
                                const armnn_options_t* model_options,
                                const armnn_optimization_sink_t* sink,
                                armnn_error_t* error) ARMNN_NOEXCEPT;

/* The row that runs what was compiled. */
armnn_status_t compiled_supports(const armnn_layer_query_t* query,
                                 armnn_error_t* reason) ARMNN_NOEXCEPT;
armnn_status_t compiled_prepare(const armnn_workload_info_t* info, const armnn_host_t* host,
                                armnn_backend_t* backend, void** out_prepared,
                                armnn_workload_requirements_t* needs,
                                armnn_error_t* error) ARMNN_NOEXCEPT;
void program_run(const program_t* program, const void* const* inputs, void* const* outputs,
                 float* scratch);
