/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * xn.h - what the files of the XNNPACK backend share: programs, instances of them, the backend.
 *
 * A part of a network becomes a program: steps over tensors, most of them an operator of XNNPACK.
 * A program has no address and no operator in it; one that is about to run has an instance.
 */
#ifndef ARMNN_XNNPACK_XN_H_
#define ARMNN_XNNPACK_XN_H_

#include <stdbool.h>
#include <xnnpack.h>

#include "armnn/backend_kit.h"

#define XN_ID "Xnnpack"
#define XN_PROGRAM "xnnpack program in memory" /* the compatibility text of compiled parts */
#define XN_NONE UINT32_MAX

/* ---- Programs ------------------------------------------------------------------------------ */

enum xn_kind_e {
  XN_CONVOLUTION,
  XN_TRANSPOSE_CONVOLUTION,
  XN_FULLY_CONNECTED,
  XN_MAX_POOLING,
  XN_AVERAGE_POOLING,
  XN_GLOBAL_AVERAGE,
  XN_BINARY, /* |operation|: armnn_binary_operation_e */
  XN_UNARY,  /* |operation|: xn_unary_e */
  XN_SOFTMAX,
  XN_RESIZE,           /* bilinear */
  XN_QUANTIZE,         /* float32 to |type| */
  XN_DEQUANTIZE,       /* |type| to float32 */
  XN_COPY,             /* |batch| rows of |channels| elements */
  XN_OWN,              /* from here on it is kernels.c that computes */
  XN_PERMUTE = XN_OWN, /* |batch| matrices of |height| rows and |width| columns, transposed */
  XN_NEAREST
};

enum xn_unary_e {
  XN_ABS,
  XN_CLAMP,
  XN_SIGMOID,
  XN_ELU,
  XN_LEAKY_RELU,
  XN_HARD_SWISH,
  XN_TANH, /* of 8 bits */
  XN_SQUARE_ROOT,
  XN_SQUARE,
  XN_NEGATE,
  XN_FLOOR,
  XN_CEILING,
  XN_ROUND
};

/* real = scale * (q - zero) */
typedef struct xn_quantum_t {
  float scale;
  int32_t zero;
} xn_quantum_t;

/* Sizes are those of a channels-last image; a step uses what its kind needs. */
typedef struct xn_step_t {
  int32_t kind;
  int32_t operation;
  uint64_t guid; /* of the first of the layers that it stands for */
  uint32_t inputs[2];
  uint32_t output;
  uint32_t flags; /* of the operator */
  int32_t type;   /* that it computes in: FLOAT32, QASYMM_S8 or QASYMM_U8 */
  size_t element; /* bytes of one that is moved */
  xn_quantum_t from[2], to, weight_quantum;
  float low, high, alpha; /* real numbers, whatever the type */
  uint32_t groups;
  size_t batch, height, width, channels;
  size_t out_height, out_width, out_channels;
  size_t input_stride, output_stride; /* elements from row to row: XN_COPY */
  size_t input_offset, output_offset; /* elements before the first: XN_COPY */
  uint32_t pad_top, pad_right, pad_bottom, pad_left;
  uint32_t adjust_y, adjust_x; /* rows and columns that a transposed convolution adds at the end */
  uint32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x;
  size_t ranks[2];
  size_t shapes[2][XNN_MAX_TENSOR_DIMS];
  const void *weights, *bias; /* of the program */
  const float* weight_scales; /* one for each output channel, or null: |weight_quantum| */
} xn_step_t;

enum xn_place_e { XN_SCRATCH, XN_INPUT, XN_OUTPUT, XN_CONSTANT };

typedef struct xn_tensor_t {
  int32_t place;   /* xn_place_e */
  uint32_t index;  /* of the input or output */
  uint64_t bytes;  /* of its elements; in scratch XNN_EXTRA_BYTES follow */
  uint64_t offset; /* in scratch */
  const void* constant;
  bool is_read; /* by XNNPACK, which reads XNN_EXTRA_BYTES further; our own kernels do not */
  uint32_t first, last; /* steps */
} xn_tensor_t;

/* Constant once it is made. */
typedef struct xn_program_t {
  xn_tensor_t* tensors;
  xn_step_t* steps;
  void** memory; /* weights and constants */
  uint32_t tensor_count, step_count, memory_count;
  uint32_t input_count, output_count;
  uint64_t scratch_size;
  uint64_t memory_size; /* bytes of |memory| */
} xn_program_t;

/* |part| with layers that xn_check_layer takes. UNSUPPORTED: nothing for XNNPACK in it. */
armnn_status_t xn_compile(const armnn_subgraph_t* part, bool is_single, xn_program_t** out_program,
                          armnn_error_t* error);
void xn_program_free(xn_program_t* program);
/* Arithmetic of the products, a multiply-add counting as two. */
uint64_t xn_count_operations(const xn_program_t* program);
/* Where tensors lie in scratch; sets |is_read|, |first|, |last|, |offset| and |scratch_size|. */
bool xn_plan_scratch(xn_program_t* program);

/* ---- Instances ----------------------------------------------------------------------------- */

/* The operators of a program for one run at a time: they hold addresses. */
typedef struct xn_instance_t {
  const xn_program_t* program;
  xnn_operator_t* operators; /* null for kernels of our own */
  void** addresses;          /* of the program's tensors, in the present run */
  void** known;              /* three for each step: those that its operator was set up with */
  const void* scratch;       /* of the last run */
  uint32_t threads;          /* that the operators were set up for */
} xn_instance_t;

armnn_status_t xn_instance_create(const xn_program_t* program, pthreadpool_t pool,
                                  xn_instance_t** out_instance, armnn_error_t* error);
void xn_instance_free(xn_instance_t* instance);
/* Input i of the program is input |places|[i] of the call, or i if |places| is null. */
armnn_status_t xn_instance_run(xn_instance_t* instance, const armnn_kernel_call_t* call,
                               const uint32_t* places, pthreadpool_t pool, armnn_error_t* error);

enum xnn_status xn_operator_create(const xn_step_t* step, xnn_operator_t* out_operator);
/* Allocates only in the first call for an operator. */
enum xnn_status xn_operator_setup(const xn_step_t* step, xnn_operator_t operator_, const void* a,
                                  const void* b, void* y, pthreadpool_t pool);
/* operators_8bit.c: the same for steps of QASYMM_S8 and QASYMM_U8. */
enum xnn_status xn_8bit_create(const xn_step_t* step, xnn_operator_t* out_operator);
enum xnn_status xn_8bit_setup(const xn_step_t* step, xnn_operator_t operator_, const void* a,
                              const void* b, void* y, pthreadpool_t pool);
const char* xn_status_text(enum xnn_status status);
const char* xn_step_name(const xn_step_t* step);

/* Kernels that this XNNPACK lacks. */
void xn_run_own(const xn_step_t* step, const void* x, void* y, const armnn_host_t* host);

/* ---- The backend: what the kit's rows and hooks call ----------------------------------------- */

armnn_status_t xn_check_layer(const armnn_layer_query_t* query,
                              armnn_error_t* reason) ARMNN_NOEXCEPT;
armnn_status_t xn_optimize(armnn_backend_t* backend, const armnn_subgraph_t* part,
                           const armnn_options_t* model_options,
                           const armnn_optimization_sink_t* sink,
                           armnn_error_t* error) ARMNN_NOEXCEPT;
armnn_status_t xn_prepare(const armnn_workload_info_t* info, const armnn_host_t* host,
                          armnn_backend_t* backend, void** out_prepared,
                          armnn_workload_requirements_t* requirements,
                          armnn_error_t* error) ARMNN_NOEXCEPT;
void xn_release(void* prepared, const armnn_host_t* host) ARMNN_NOEXCEPT;
armnn_status_t xn_create_state(const armnn_workload_info_t* info, const void* prepared,
                               const armnn_host_t* host, armnn_backend_t* backend, void** out_state,
                               armnn_error_t* error) ARMNN_NOEXCEPT;
void xn_destroy_state(void* state, const armnn_host_t* host) ARMNN_NOEXCEPT;
/* The one kernel; its name is what profiles show. */
armnn_status_t xnnpack_program(const armnn_kernel_call_t* call,
                               armnn_error_t* error) ARMNN_NOEXCEPT;

#endif /* ARMNN_XNNPACK_XN_H_ */
