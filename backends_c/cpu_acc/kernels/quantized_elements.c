/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_elements.c - kernels of quantised numbers that go element by element. Plain loops are
 * vectors by the compiler.
 */
#include "armnn/descriptors.h"
#include "quantized.h"
#include "simd_levels.h"

enum { BLOCK = 2 * VF_LANES };

/* The nearest whole number, halves to even, of numbers below 2^22: this one more has no places
 * behind the point. */
ACC_INLINE vi_t rounded(vf_t x) {
  const vf_t magic = vf_set(0x1.8p23f);
  return vi_sub(vi_cast(vf_add(x, magic)), vi_cast(magic));
}

static void ACC_NAME(armnn_f32_quantize)(const float* in, uint8_t* out, size_t count, float scale,
                                         const armnn_i_acc_store_t* store) {
  const vf_t divisor = vf_set(scale);
  const vf_t least = vf_set((float)(store->low - store->zero_point));
  const vf_t most = vf_set((float)(store->high - store->zero_point));
  const vi_t zero_point = vi_set(store->zero_point);
  for (size_t i = 0; i < count; i += BLOCK) {
    float rest[BLOCK] = {0};
    uint8_t bytes[BLOCK];
    const size_t left = count - i;
    const float* from = in + i;
    if (left < BLOCK) from = memcpy(rest, from, left * sizeof *from);
    vi_t numbers[2];
    for (int v = 0; v < 2; ++v) {
      const vf_t x = vf_div(vf_load(from + v * VF_LANES), divisor);
      const vf_t bounded = vf_min(vf_max(x, least), most);
      const vf_t known = vf_select(vf_is_nan(x), vf_set(0.0f), bounded);
      numbers[v] = vi_add(rounded(known), zero_point);
    }
    vi_store_bytes(left < BLOCK ? bytes : out + i, numbers[0], numbers[1]);
    if (left < BLOCK) memcpy(out + i, bytes, left);
  }
}

static void ACC_NAME(armnn_s8_dequantize)(const uint8_t* in, float* out, size_t count, float scale,
                                          uint8_t flip, int32_t offset) {
  for (size_t i = 0; i < count; ++i) out[i] = scale * (float)((in[i] ^ flip) - offset);
}

static void ACC_NAME(armnn_s8_table)(const uint8_t* in, uint8_t* out, size_t count,
                                     const uint8_t* table) {
  for (size_t i = 0; i < count; ++i) out[i] = table[in[i]];
}

/* ---- Two operands -------------------------------------------------------------------------- */

typedef armnn_i_acc_pair_job_t job_t;

/* Numbers as levels, on a common scale for a sum. */
ACC_INLINE vi_t operand(const job_t* job, int side, vi_t numbers, int is_sum) {
  const struct armnn_i_acc_operand_t* from = &job->operands[side];
  const vi_t level = vi_sub(vi_xor(numbers, vi_set(from->flip)), vi_set(from->offset));
  if (!is_sum) return level;
  return vi_scale_twice(vi_shift_left(level, ARMNN_ACC_SUM_BITS), vi_set(from->multiplier),
                        vi_set(from->right), vi_set(from->half), 1);
}

ACC_INLINE vi_t combined(const job_t* job, vi_t left, vi_t right, int operation) {
  vi_t result = operation == ARMNN_BINARY_ADD   ? vi_add(left, right)
                : operation == ARMNN_BINARY_SUB ? vi_sub(left, right)
                                                : vi_mul(left, right);
  result = vi_shift_left_by(result, vi_set(job->left_shift));
  result = vi_scale_twice(result, vi_set(job->multiplier), vi_set(job->right_shift),
                          vi_set(job->half), 1);
  return vi_clamp(vi_add(result, vi_set(job->store.zero_point)), vi_set(job->store.low),
                  vi_set(job->store.high));
}

ACC_INLINE void pair_row(const job_t* job, const uint8_t* left, const uint8_t* right, uint8_t* out,
                         int operation) {
  const int is_sum = operation != ARMNN_BINARY_MUL;
  const uint8_t* const from[2] = {left, right};
  const ptrdiff_t steps[2] = {job->left_step, job->right_step};
  vi_t fixed[2]; /* of an operand that repeats */
  for (int side = 0; side < 2; ++side) {
    fixed[side] = operand(job, side, vi_set(from[side][0]), is_sum);
  }
  for (size_t i = 0; i < job->columns; i += BLOCK) {
    const size_t left_over = job->columns - i;
    uint8_t in[2][BLOCK] = {{0}}, bytes[BLOCK];
    vi_t results[2];
    for (int v = 0; v < 2; ++v) {
      vi_t levels[2];
      for (int side = 0; side < 2; ++side) {
        levels[side] = fixed[side];
        if (steps[side] == 0) continue;
        const uint8_t* at = from[side] + i;
        if (left_over < BLOCK) at = v == 0 ? memcpy(in[side], at, left_over) : in[side];
        levels[side] = operand(job, side, vi_load_bytes(at + v * VF_LANES), is_sum);
      }
      results[v] = combined(job, levels[0], levels[1], operation);
    }
    vi_store_bytes(left_over < BLOCK ? bytes : out + i, results[0], results[1]);
    if (left_over < BLOCK) memcpy(out + i, bytes, left_over);
  }
}

ACC_INLINE void pair_rows(const job_t* job, int operation) {
  for (size_t r = 0; r < job->rows; ++r) {
    const ptrdiff_t row = (ptrdiff_t)r;
    pair_row(job, job->left + row * job->left_row, job->right + row * job->right_row,
             job->output + row * job->output_row, operation);
  }
}

static void ACC_NAME(armnn_s8_pair)(const job_t* job) {
  if (job->operation == ARMNN_BINARY_ADD) {
    pair_rows(job, ARMNN_BINARY_ADD);
  } else if (job->operation == ARMNN_BINARY_SUB) {
    pair_rows(job, ARMNN_BINARY_SUB);
  } else {
    pair_rows(job, ARMNN_BINARY_MUL);
  }
}

extern const armnn_i_acc_element_kernels_t ACC_NAME(armnn_i_acc_element_kernels);
const armnn_i_acc_element_kernels_t ACC_NAME(armnn_i_acc_element_kernels) = {
    .quantize = ACC_NAME(armnn_f32_quantize),
    .dequantize = ACC_NAME(armnn_s8_dequantize),
    .table = ACC_NAME(armnn_s8_table),
    .pair = ACC_NAME(armnn_s8_pair),
    .add_name = "armnn_s8_add__" ACC_ISA_TEXT,
    .sub_name = "armnn_s8_sub__" ACC_ISA_TEXT,
    .mul_name = "armnn_s8_mul__" ACC_ISA_TEXT,
    .quantize_name = "armnn_f32_quantize__" ACC_ISA_TEXT,
    .dequantize_name = "armnn_s8_dequantize__" ACC_ISA_TEXT,
    .table_name = "armnn_s8_table__" ACC_ISA_TEXT,
};
