/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * program.h - a compiled sub-graph: a list of operators over tensors in one arena.
 *
 * The compiler (compile/) turns layers into operators, chooses the order in which each tensor's
 * dimensions lie in memory, and gives tensors their memory. Operators (ops/) see only that:
 * **physical** tensors, whose dimensions are already in memory order (images are N, H, W, C), with
 * strides, so that an operator can write its result straight into a slice of a larger tensor. They
 * cut their work for the host's threads and call kernels (kernels/), which know one instruction set
 * and no tensors.
 *
 * A program is made once, and run by any number of threads at a time: everything in it is constant
 * when it runs. The state of one run is armnn_i_acc_run_t.
 */
#ifndef ARMNN_CPU_ACC_PROGRAM_H_
#define ARMNN_CPU_ACC_PROGRAM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armnn/backend_kit.h"

#define ARMNN_ACC_MAX_RANK 8u
#define ARMNN_ACC_LINE 64u /* alignment in bytes of tensors in the arena and of packed weights */

typedef struct armnn_i_acc_isa_t armnn_i_acc_isa_t;     /* kernels/kernels.h */
typedef struct armnn_i_acc_packs_t armnn_i_acc_packs_t; /* packs.h */

/* ---- Tensors ------------------------------------------------------------------------------- */

/* How an element is stored. Quantised, the number q stands for scale * (q - zero_point). */
typedef struct armnn_i_acc_element_t {
  int32_t type;  /* armnn_data_type_e */
  uint32_t size; /* bytes */
  float scale;   /* 0 if not quantised */
  int32_t zero_point;
} armnn_i_acc_element_t;

#define ARMNN_ACC_FLOAT32 ((armnn_i_acc_element_t){ARMNN_DATA_TYPE_FLOAT32, sizeof(float), 0.0f, 0})

/* The element of tensors that |info| describes; quantised per axis, it has no scale. */
static inline armnn_i_acc_element_t armnn_i_acc_element_of(const armnn_tensor_info_t* info) {
  armnn_i_acc_element_t element = {info->data_type, armnn_data_type_size(info->data_type), 0.0f, 0};
  if (info->quantization_count == 1) {
    element.scale = info->scales[0];
    element.zero_point = info->zero_points[0];
  }
  return element;
}

/* Whether elements of a data type are quantised numbers of 8 bits. */
static inline bool armnn_i_acc_is_8bit(int32_t type) {
  return type == ARMNN_DATA_TYPE_QASYMM_S8 || type == ARMNN_DATA_TYPE_QASYMM_U8 ||
         type == ARMNN_DATA_TYPE_QSYMM_S8;
}

/* Whether they are quantised numbers of 16 bits, whose zero point is 0. */
static inline bool armnn_i_acc_is_int16(int32_t type) { return type == ARMNN_DATA_TYPE_QSYMM_S16; }

/* The least and the greatest number of a quantised type of 8 or 16 bits. */
static inline int32_t armnn_i_acc_least(int32_t type) {
  if (armnn_i_acc_is_int16(type)) return INT16_MIN;
  return type == ARMNN_DATA_TYPE_QASYMM_U8 ? 0 : -128;
}
static inline int32_t armnn_i_acc_most(int32_t type) {
  return armnn_i_acc_least(type) + (armnn_i_acc_is_int16(type) ? 65535 : 255);
}

/* Memory whose address is not known before the run: |offset| bytes into binding |binding|. Binding
 * 0 is the arena of the run; then come the inputs, then the outputs of the sub-graph. */
#define ARMNN_ACC_ARENA 0u
typedef struct armnn_i_acc_memory_t {
  uint32_t binding;
  int64_t offset;
} armnn_i_acc_memory_t;

/* A tensor in memory order: the last dimension has no gaps unless it has one element. Strides are
 * in bytes. A constant has its elements at |values| instead of in |memory|. The arena may be read
 * and written up to the next multiple of a line behind a dense tensor; other bindings and constants
 * end with the last element. */
typedef struct armnn_i_acc_tensor_t {
  armnn_i_acc_element_t element;
  uint32_t rank;
  int64_t dims[ARMNN_ACC_MAX_RANK];
  int64_t strides[ARMNN_ACC_MAX_RANK];
  armnn_i_acc_memory_t memory;
  const void* values;
} armnn_i_acc_tensor_t;

static inline int64_t armnn_i_acc_count(const armnn_i_acc_tensor_t* tensor) {
  int64_t count = 1;
  for (uint32_t i = 0; i < tensor->rank; ++i) count *= tensor->dims[i];
  return count;
}

static inline bool armnn_i_acc_is_dense(const armnn_i_acc_tensor_t* tensor) {
  int64_t stride = tensor->element.size;
  for (uint32_t i = tensor->rank; i-- > 0;) {
    if (tensor->dims[i] != 1 && tensor->strides[i] != stride) return false;
    stride *= tensor->dims[i];
  }
  return true;
}

/* ---- One run ------------------------------------------------------------------------------- */

/* What an operator finds wrong with its operands ends the run. */
typedef struct armnn_i_acc_failure_t {
  int32_t status;       /* armnn_status_t */
  armnn_error_t* error; /* gets the message */
} armnn_i_acc_failure_t;

typedef struct armnn_i_acc_run_t {
  const armnn_host_t* host; /* or null: everything on the calling thread */
  uint64_t run_id;
  char* const* bindings;
  char* scratch;        /* of the operator that runs, as large as it asked for; aligned to a line */
  uint32_t max_threads; /* at least 1; |scratch| was sized for as many */
  armnn_i_acc_failure_t* failure; /* written by the thread that runs the operator alone */
} armnn_i_acc_run_t;

static inline void* armnn_i_acc_address(const armnn_i_acc_run_t* run,
                                        const armnn_i_acc_tensor_t* tensor) {
  if (tensor->values != NULL) return (void*)(uintptr_t)tensor->values;
  return run->bindings[tensor->memory.binding] + tensor->memory.offset;
}

/* Runs |body| over [0, count) on at most |threads| threads; each chunk has at least |grain|. */
static inline void armnn_i_acc_parallel(const armnn_i_acc_run_t* run, armnn_range_fn_t body,
                                        void* argument, uint64_t count, uint64_t grain,
                                        uint32_t threads) {
  if (threads > run->max_threads) threads = run->max_threads;
  if (threads > 1 && count > 1 && run->host != NULL &&
      ARMNN_HAS_FN(run->host, armnn_host_t, parallel_for) &&
      run->host->parallel_for(run->host->context, body, argument, count, grain, threads) ==
          ARMNN_STATUS_OK) {
    return;
  }
  body(argument, 0, count, 0);
}

/* ---- Epilogues: fused behind an operator --------------------------------------------------- */

/* result = function(x + residual) or, with |residual_last|, function(x) + residual. */
typedef struct armnn_i_acc_epilogue_t {
  int32_t function; /* armnn_i_acc_function_e */
  float a, b;       /* CLAMP: low and high; otherwise as the activation's descriptor has them */
  bool has_residual;
  bool residual_last;
  armnn_i_acc_tensor_t residual; /* same dims as the output */
} armnn_i_acc_epilogue_t;

typedef enum armnn_i_acc_function_e {
  ARMNN_ACC_IDENTITY = 0,
  ARMNN_ACC_CLAMP, /* min(max(x, a), b): ReLU, ReLU6, Clip */
  ARMNN_ACC_LEAKY, /* x < 0 ? a x : x */
  ARMNN_ACC_SIGMOID,
  ARMNN_ACC_TANH,         /* a tanh(b x) */
  ARMNN_ACC_SWISH,        /* x sigmoid(a x) */
  ARMNN_ACC_HARD_SWISH,   /* a x min(max(x + 3, 0), 6) / 6 + b */
  ARMNN_ACC_HARD_SIGMOID, /* min(max(a x + b, 0), 1) */
  ARMNN_ACC_GELU,         /* a x / 2 (1 + erf(x / sqrt 2)) */
  ARMNN_ACC_GELU_TANH,    /* a x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
  ARMNN_ACC_ELU,          /* x > 0 ? x : a (exp x - 1) */
  ARMNN_ACC_SOFT_RELU,    /* log(1 + exp x) */
  ARMNN_ACC_ABS,
  ARMNN_ACC_SQRT,
  ARMNN_ACC_SQUARE,
  ARMNN_ACC_LINEAR, /* a x + b */
  ARMNN_ACC_EXP,
  ARMNN_ACC_LOG,
  ARMNN_ACC_NEG,
  ARMNN_ACC_RSQRT,
  ARMNN_ACC_ERF,
  ARMNN_ACC_SIN,
  ARMNN_ACC_CEIL,
  ARMNN_ACC_FLOOR,
  ARMNN_ACC_RECIPROCAL,
  ARMNN_ACC_ROOT, /* the power 0.5 */
  ARMNN_ACC_FUNCTION_COUNT
} armnn_i_acc_function_e;

/* Operations on two elements beside those of armnn_binary_operation_e. */
typedef enum armnn_i_acc_binary_e {
  ARMNN_ACC_BINARY_PRELU = 32, /* x < 0 ? x y : x */
  ARMNN_ACC_BINARY_COUNT
} armnn_i_acc_binary_e;

/* ---- Operators ----------------------------------------------------------------------------- */

typedef struct armnn_i_acc_op_t armnn_i_acc_op_t;

/* Every operator begins with this; the function that makes it fills all of it. */
struct armnn_i_acc_op_t {
  void (*run)(const armnn_i_acc_op_t* op, const armnn_i_acc_run_t* run);
  void (*destroy)(armnn_i_acc_op_t* op); /* frees the operator and its packed weights */
  const char* kernel;                    /* static, by the grammar of kernel names */
  uint64_t scratch_size;                 /* bytes that |run| wants for all threads together */
  uint64_t operations;                   /* of arithmetic in one run; 0: it only moves elements */
};

/* Where another way to compute something is taken. */
typedef enum armnn_i_acc_choice_e {
  ARMNN_ACC_OFF = 0,
  ARMNN_ACC_AUTO,   /* where it is faster, as far as the cost model knows */
  ARMNN_ACC_ALWAYS, /* wherever it can be */
} armnn_i_acc_choice_e;

/* How panels of constant weights are stored (ops/dense/panels.h); kernels compute float32. */
typedef enum armnn_i_acc_stored_e {
  ARMNN_ACC_STORED_FLOAT32 = 0,
  ARMNN_ACC_STORED_BFLOAT16,
  ARMNN_ACC_STORED_FLOAT16,
  ARMNN_ACC_STORED_COUNT
} armnn_i_acc_stored_e;

/* The makers' view of the backend; lives as long as the programs made with it. */
typedef struct armnn_i_acc_maker_t {
  const armnn_host_t* host;
  const armnn_i_acc_isa_t* isa; /* the chosen one */
  uint32_t max_threads;         /* that a run will use */
  int32_t winograd;  /* armnn_i_acc_choice_e: Winograd's algorithm (ops/dense/winograd.h) */
  int32_t separable; /* depthwise with the 1x1 around it (ops/depthwise/separable.h) */
  int32_t weights;   /* how constant ones are stored: armnn_i_acc_stored_e */
  armnn_i_acc_packs_t* packs; /* or null: weights are neither saved nor from a file */
} armnn_i_acc_maker_t;

/* Operations that pay for one more thread: some microseconds of work against the start of it. */
#define ARMNN_ACC_OPERATIONS_PER_THREAD UINT64_C(400000)

/* How many threads an operator of |operations| should use; moving an element counts as 8 of them.
 */
static inline uint32_t armnn_i_acc_threads(const armnn_i_acc_maker_t* maker, uint64_t operations) {
  const uint64_t wanted = operations / ARMNN_ACC_OPERATIONS_PER_THREAD + 1;
  return wanted < maker->max_threads ? (uint32_t)wanted : maker->max_threads;
}

#endif /* ARMNN_CPU_ACC_PROGRAM_H_ */
