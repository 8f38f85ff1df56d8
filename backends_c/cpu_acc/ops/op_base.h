/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * op_base.h - shared by the makers of operators: one block of memory for the operator and its
 * arrays, its kernels, distances between elements.
 */
#ifndef ARMNN_CPU_ACC_OP_BASE_H_
#define ARMNN_CPU_ACC_OP_BASE_H_

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "ops.h"

/* First member of every operator that was made by armnn_i_acc_new_op. */
typedef struct armnn_i_acc_base_t {
  armnn_i_acc_op_t op;
  const armnn_host_t* host;
} armnn_i_acc_base_t;

static inline void armnn_i_acc_destroy_op(armnn_i_acc_op_t* op) {
  armnn_free(((armnn_i_acc_base_t*)op)->host, op);
}

static inline size_t armnn_i_acc_round_up(size_t size, size_t to) {
  return (size + to - 1) / to * to;
}

/* Zeroed memory for an operator of |size| bytes with |extra| bytes behind it, aligned to a line, at
 * |*out_extra| (may be null without). */
static inline void* armnn_i_acc_new_op(const armnn_i_acc_maker_t* maker, size_t size, size_t extra,
                                       void** out_extra) {
  const size_t begin = armnn_i_acc_round_up(size, ARMNN_ACC_LINE);
  const size_t all = armnn_i_acc_round_up(begin + extra, ARMNN_ACC_LINE);
  char* memory = (char*)armnn_alloc(maker->host, all, ARMNN_ACC_LINE);
  if (memory == NULL) return NULL;
  memset(memory, 0, all);
  armnn_i_acc_base_t* base = (armnn_i_acc_base_t*)memory;
  base->host = maker->host;
  base->op.destroy = armnn_i_acc_destroy_op;
  if (out_extra != NULL) *out_extra = memory + begin;
  return memory;
}

/* The kernels for tensors like |tensor|, or null. */
static inline const armnn_i_acc_kernels_t* armnn_i_acc_kernels_of(
    const armnn_i_acc_maker_t* maker, const armnn_i_acc_tensor_t* tensor) {
  return maker->isa->kernels[tensor->element.type];
}

/* The kernels that move elements like those of |tensor|, or null. */
static inline const armnn_i_acc_move_kernels_t* armnn_i_acc_moves_of(
    const armnn_i_acc_maker_t* maker, const armnn_i_acc_tensor_t* tensor) {
  const uint32_t size = tensor->element.size;
  return size <= ARMNN_ACC_MOST_BYTES ? maker->isa->moves[size] : NULL;
}

/* The stride of dimension |d| in elements, the unit of kernels. */
static inline int64_t armnn_i_acc_step(const armnn_i_acc_tensor_t* tensor, uint32_t d) {
  return tensor->strides[d] / (int64_t)tensor->element.size;
}

static inline void armnn_i_acc_steps(const armnn_i_acc_tensor_t* tensor,
                                     int64_t out_steps[ARMNN_ACC_MAX_RANK]) {
  for (uint32_t d = 0; d < tensor->rank; ++d) out_steps[d] = armnn_i_acc_step(tensor, d);
}

/* The bounds of a clamp, if the function is one or none. */
static inline bool armnn_i_acc_function_is_clamp(int32_t function, float a, float b, float* low,
                                                 float* high) {
  const bool clamp = function == ARMNN_ACC_CLAMP;
  *low = clamp ? a : -INFINITY;
  *high = clamp ? b : INFINITY;
  return clamp || function == ARMNN_ACC_IDENTITY;
}

static inline int64_t armnn_i_acc_ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

#endif /* ARMNN_CPU_ACC_OP_BASE_H_ */
