/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * compile.h - between the stages of the compiler: compile.c (what is fused, in which order),
 * lower.c (a layer becomes an instruction, constants are packed), emit.c (the program is written).
 */
#ifndef SAMPLE_NPU_COMPILE_H_
#define SAMPLE_NPU_COMPILE_H_

#include "armnn/compile_kit.h"
#include "npu.h"

/* ---- emit.c -------------------------------------------------------------------------------- */

typedef struct npu_emitter_t {
  npu_tensor_t* tensors;
  npu_instruction_t* instructions;
  char* constants;
  uint64_t tensor_count, tensor_capacity;
  uint64_t instruction_count, instruction_capacity;
  uint64_t constant_size, constant_capacity;
  bool failed; /* out of memory: everything later does nothing */
} npu_emitter_t;

uint32_t npu_emit_tensor(npu_emitter_t* emitter, uint32_t binding, uint64_t size);
void npu_emit(npu_emitter_t* emitter, const npu_instruction_t* instruction);
/* Room for |count| zeros; null if memory is out. Valid until the next call. */
float* npu_emit_constants(npu_emitter_t* emitter, uint64_t count, uint64_t* out_offset);
/* Places the intermediate tensors and writes all in one block; null if memory is out. */
npu_program_t* npu_emit_program(npu_emitter_t* emitter, uint32_t inputs, uint32_t outputs);
void npu_emitter_clear(npu_emitter_t* emitter);

/* ---- compile.c, lower.c -------------------------------------------------------------------- */

enum { NPU_PLAIN = 0, NPU_TURNED = 1 }; /* a value as the host has it; NCHW with channels last */

typedef struct npu_value_t {
  const armnn_tensor_info_t* info;
  uint32_t forms[2]; /* tensors, or NPU_NONE */
  uint32_t binding;  /* of a value that leaves the part */
} npu_value_t;

/* One instruction: the layer that computes, and what was fused into it up to |tail|. */
typedef struct npu_chain_t {
  uint32_t head; /* of the chain that this layer is in */
  uint32_t tail;
  uint32_t residual;               /* value, or NPU_NONE */
  const armnn_const_tensor_t* row; /* added to the bias, or null */
  bool clamped;
  float low, high;
} npu_chain_t;

typedef struct npu_compiler_t {
  const armnn_subgraph_t* part;
  npu_value_t* values; /* inputs of the part, then output 0 of each layer */
  armnn_part_values_t* readers;
  npu_chain_t* chains;
  npu_emitter_t emitter;
} npu_compiler_t;

uint32_t npu_value_of(const npu_compiler_t* compiler, armnn_slot_t slot);
/* Where a constant of a checked Add varies: axis of |out|, or -1 if it has one element. */
int32_t npu_row_axis(const armnn_tensor_info_t* row, const armnn_tensor_info_t* out);
/* The tensor that holds |value| in |form|; turns the other form if need be. */
uint32_t npu_as_form(npu_compiler_t* compiler, uint32_t value, int form);
void npu_lower(npu_compiler_t* compiler, uint32_t layer);

#endif /* SAMPLE_NPU_COMPILE_H_ */
