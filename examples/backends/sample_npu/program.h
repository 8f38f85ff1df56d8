/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * program.h - what the compiler writes, the cache keeps and the device runs.
 *
 * A program is one block of memory without a pointer in it: the head, a table of tensors, a list of
 * instructions, and packed constants. Written to a file and read back it is the same program. All
 * instructions work on float32 with the channels last; TRANSPOSE goes between that and the order
 * of an NCHW tensor, so that a whole NCHW part is turned at its borders only.
 */
#ifndef SAMPLE_NPU_PROGRAM_H_
#define SAMPLE_NPU_PROGRAM_H_

#include <stdint.h>

#define NPU_VERSION "sample-npu/1" /* compatibility text of blobs and cache files */
#define NPU_MAGIC UINT64_C(0x31555050554e5053)
#define NPU_BLOCK 16u /* output channels that a convolution computes at once */
#define NPU_MAX_BINDINGS 32u
#define NPU_NONE 0xffffffffu

enum npu_op_e {
  NPU_OP_CONVOLUTION = 1,
  NPU_OP_DEPTHWISE = 2,
  NPU_OP_POOL_MAX = 3,
  NPU_OP_POOL_AVERAGE = 4,
  NPU_OP_ADD = 5,      /* input + second, or input + constant of the same size */
  NPU_OP_ADD_ROWS = 6, /* input [n, ic, iw] + constant [ic] */
  NPU_OP_CLAMP = 7,
  NPU_OP_TRANSPOSE = 8 /* [n, ih, iw] -> [n, iw, ih] */
};

/* Low and high bound the result of every instruction but TRANSPOSE: a ReLU costs nothing. */
typedef struct npu_instruction_t {
  uint32_t op;
  uint32_t input, second, output; /* tensors; |second| is added to the result, or NPU_NONE */
  uint32_t n, ih, iw, ic;
  uint32_t oh, ow, oc, groups;
  uint32_t kh, kw, stride_y, stride_x;
  uint32_t dilation_y, dilation_x, pad_top, pad_left;
  uint32_t pad_bottom, pad_right; /* POOL_AVERAGE: padding that counts in the divisor */
  uint32_t exclude_padding;
  uint32_t reserved;
  float low, high;
  uint64_t weights, bias; /* offsets into the constants */
} npu_instruction_t;

typedef struct npu_tensor_t {
  uint32_t binding; /* of the job: inputs first, then outputs; NPU_NONE: the core's own memory */
  uint32_t reserved;
  uint64_t offset; /* in the core's own memory */
  uint64_t size;   /* bytes */
} npu_tensor_t;

typedef struct npu_program_t {
  uint64_t magic;
  uint64_t total_size;
  uint64_t core_memory;
  uint64_t tensors, instructions, constants; /* offsets from the head */
  uint32_t tensor_count, instruction_count;
  uint32_t input_count, output_count;
} npu_program_t;

static inline const npu_tensor_t* npu_tensors(const npu_program_t* program) {
  return (const npu_tensor_t*)((const char*)program + program->tensors);
}

static inline const npu_instruction_t* npu_instructions(const npu_program_t* program) {
  return (const npu_instruction_t*)((const char*)program + program->instructions);
}

static inline const float* npu_constants(const npu_program_t* program, uint64_t offset) {
  return (const float*)((const char*)program + program->constants + offset);
}

#endif /* SAMPLE_NPU_PROGRAM_H_ */
