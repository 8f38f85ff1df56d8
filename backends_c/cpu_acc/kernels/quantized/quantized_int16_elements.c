/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_int16_elements.c - kernels of numbers of 16 bits that go element by element.
 */
#include "armnn/descriptors.h"
#include "kernels/simd/simd_int16.h"
#include "quantized_int16.h"
#include "quantized_steps.h"

enum { BLOCK = 2 * VF_LANES };

void ACC_NAME(armnn_s16_quantize)(const float* in, int16_t* out, size_t count, float scale,
                                  const armnn_i_acc_store_t* store);
void ACC_NAME(armnn_s16_quantize)(const float* in, int16_t* out, size_t count, float scale,
                                  const armnn_i_acc_store_t* store) {
  const steps_t steps = steps_of(scale, store);
  const vi_int16_bounds_t bounds = vi_int16_bounds(store->low, store->high);
  for (size_t i = 0; i < count; i += BLOCK) {
    float rest[BLOCK] = {0};
    int16_t narrow[BLOCK];
    const size_t left = count - i;
    const float* from = in + i;
    if (left < BLOCK) from = memcpy(rest, from, left * sizeof *from);
    vi_t numbers[2];
    for (int v = 0; v < 2; ++v) numbers[v] = stored(vf_load(from + v * VF_LANES), &steps);
    vi_store_int16(left < BLOCK ? narrow : out + i, numbers[0], numbers[1], bounds);
    if (left < BLOCK) memcpy(out + i, narrow, left * sizeof *narrow);
  }
}

void ACC_NAME(armnn_s16_dequantize)(const int16_t* in, float* out, size_t count, float scale);
void ACC_NAME(armnn_s16_dequantize)(const int16_t* in, float* out, size_t count, float scale) {
  for (size_t i = 0; i < count; ++i) out[i] = scale * (float)in[i];
}

/* ---- Two operands -------------------------------------------------------------------------- */

typedef armnn_i_acc_pair_job_t job_t;

/* What all rows have in common. */
typedef struct terms_t {
  vi_t multiplier[2], right[2], half[2];
  vi_t out_multiplier, out_right, out_half;
  vi_int16_bounds_t bounds;
  int halved[2]; /* the factor of an operand is 1/2: always that of the greater scale */
  int is_real;
  real_pair_t real;
} terms_t;

ACC_INLINE terms_t terms_of(const job_t* job) {
  terms_t terms = {
      .out_multiplier = vi_set(job->multiplier),
      .out_right = vi_set(job->right_shift),
      .out_half = vi_set(job->half),
      .bounds = vi_int16_bounds(job->store.low, job->store.high),
      .is_real = job->is_real,
      .real = real_pair_of(job),
  };
  for (int side = 0; side < 2; ++side) {
    terms.multiplier[side] = vi_set(job->operands[side].multiplier);
    terms.right[side] = vi_set(job->operands[side].right);
    terms.half[side] = vi_set(job->operands[side].half);
    terms.halved[side] = job->operands[side].right == 0;
  }
  return terms;
}

/* A level on the common scale of a sum. */
ACC_INLINE vi_t term_of(const terms_t* terms, int side, vi_t level) {
  if (terms->is_real) return level;
  if (terms->halved[side]) return vi_shift_left(level, ARMNN_ACC_INT16_SUM_BITS - 1);
  return vi_scale_twice(vi_shift_left(level, ARMNN_ACC_INT16_SUM_BITS), terms->multiplier[side],
                        terms->right[side], terms->half[side], 0);
}

ACC_INLINE vi_t combined(const terms_t* terms, vi_t left, vi_t right, int operation) {
  if (terms->is_real) {
    return real_pair(&terms->real, left, right, operation == ARMNN_BINARY_MUL);
  }
  const vi_t result = operation == ARMNN_BINARY_ADD   ? vi_add(left, right)
                      : operation == ARMNN_BINARY_SUB ? vi_sub(left, right)
                                                      : vi_mul(left, right);
  return vi_scale_twice(result, terms->out_multiplier, terms->out_right, terms->out_half, 1);
}

/* A block of numbers; an operand that repeats is in |fixed|, on the common scale of a sum. */
ACC_INLINE void pair_block(const terms_t* terms, const int16_t* const from[2], const vi_t fixed[2],
                           const int repeats[2], int operation, int16_t* out) {
  vi_t results[2];
  for (int v = 0; v < 2; ++v) {
    vi_t values[2];
    for (int side = 0; side < 2; ++side) {
      values[side] = fixed[side];
      if (repeats[side]) continue;
      values[side] = vi_load_int16(from[side] + v * VF_LANES);
      if (operation != ARMNN_BINARY_MUL) values[side] = term_of(terms, side, values[side]);
    }
    results[v] = combined(terms, values[0], values[1], operation);
  }
  vi_store_int16(out, results[0], results[1], terms->bounds);
}

/* |operation| and which operand repeats are constant where this is used. */
ACC_INLINE void pair_rows(const job_t* job, int operation, int left_repeats, int right_repeats) {
  const terms_t terms = terms_of(job);
  const int repeats[2] = {left_repeats, right_repeats};
  const size_t columns = job->columns;
  for (size_t r = 0; r < job->rows; ++r) {
    const ptrdiff_t row = (ptrdiff_t)r;
    const int16_t* from[2] = {(const int16_t*)(const void*)(job->left + row * job->left_row),
                              (const int16_t*)(const void*)(job->right + row * job->right_row)};
    int16_t* out = (int16_t*)(void*)(job->output + row * job->output_row);
    vi_t fixed[2] = {vi_set(0), vi_set(0)};
    for (int side = 0; side < 2; ++side) {
      if (!repeats[side]) continue;
      fixed[side] = vi_set(from[side][0]);
      if (operation != ARMNN_BINARY_MUL) fixed[side] = term_of(&terms, side, fixed[side]);
    }
    size_t i = 0;
    for (; i + BLOCK <= columns; i += BLOCK) {
      const int16_t* const at[2] = {from[0] + i, from[1] + i};
      pair_block(&terms, at, fixed, repeats, operation, out + i);
    }
    if (i == columns) continue;
    int16_t in[2][BLOCK] = {{0}}, narrow[BLOCK];
    for (int side = 0; side < 2; ++side) {
      if (!repeats[side]) memcpy(in[side], from[side] + i, (columns - i) * sizeof *narrow);
    }
    const int16_t* const at[2] = {in[0], in[1]};
    pair_block(&terms, at, fixed, repeats, operation, narrow);
    memcpy(out + i, narrow, (columns - i) * sizeof *narrow);
  }
}

ACC_INLINE void pair(const job_t* job, int operation) {
  if (job->left_step == 0 && job->right_step == 0) {
    pair_rows(job, operation, 1, 1);
  } else if (job->left_step == 0) {
    pair_rows(job, operation, 1, 0);
  } else if (job->right_step == 0) {
    pair_rows(job, operation, 0, 1);
  } else {
    pair_rows(job, operation, 0, 0);
  }
}

void ACC_NAME(armnn_s16_pair)(const job_t* job);
void ACC_NAME(armnn_s16_pair)(const job_t* job) {
  if (job->operation == ARMNN_BINARY_ADD) {
    pair(job, ARMNN_BINARY_ADD);
  } else if (job->operation == ARMNN_BINARY_SUB) {
    pair(job, ARMNN_BINARY_SUB);
  } else {
    pair(job, ARMNN_BINARY_MUL);
  }
}
