/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_elements.c - kernels of quantised numbers that go element by element. Plain loops are
 * vectors by the compiler.
 */
#include "armnn/descriptors.h"
#include "quantized_quick_sum.h"
#include "quantized_steps.h"
#include "quantized_table.h"

enum { BLOCK = 2 * VF_LANES };

static void ACC_NAME(armnn_f32_quantize)(const float* in, uint8_t* out, size_t count, float scale,
                                         const armnn_i_acc_store_t* store) {
  const steps_t steps = steps_of(scale, store);
  for (size_t i = 0; i < count; i += BLOCK) {
    float rest[BLOCK] = {0};
    uint8_t bytes[BLOCK];
    const size_t left = count - i;
    const float* from = in + i;
    if (left < BLOCK) from = memcpy(rest, from, left * sizeof *from);
    vi_t numbers[2];
    for (int v = 0; v < 2; ++v) numbers[v] = stored(vf_load(from + v * VF_LANES), &steps);
    vi_store_bytes(left < BLOCK ? bytes : out + i, numbers[0], numbers[1]);
    if (left < BLOCK) memcpy(out + i, bytes, left);
  }
}

static void ACC_NAME(armnn_s8_dequantize)(const uint8_t* in, float* out, size_t count, float scale,
                                          uint8_t flip, int32_t offset) {
  for (size_t i = 0; i < count; ++i) out[i] = scale * (float)((in[i] ^ flip) - offset);
}

/* CpuRef's order: a difference, a product, a sum, none of them joined. */
ACC_INLINE vf_t between(vf_t a, vf_t b, vf_t fraction) {
  const vf_t part = vf_mul(vf_sub(b, a), fraction);
  return vf_add(a, part);
}

static void ACC_NAME(armnn_s8_blend)(const armnn_i_acc_blend_job_t* job) {
  const steps_t steps = steps_of(job->out_scale, &job->store);
  const vf_t scale = vf_set(job->in_scale), across = vf_set(job->across), down = vf_set(job->down);
  const vi_t flip = vi_set(job->flip), offset = vi_set(job->offset);
  for (size_t i = 0; i < job->count; i += BLOCK) {
    uint8_t rest[4][BLOCK], bytes[BLOCK];
    const size_t left = job->count - i;
    const uint8_t* from[4];
    for (int p = 0; p < 4; ++p) {
      from[p] = job->from[p] + i;
      if (left < BLOCK) {
        memset(rest[p], 0, BLOCK);
        from[p] = memcpy(rest[p], from[p], left);
      }
    }
    vi_t numbers[2];
    for (int v = 0; v < 2; ++v) {
      vf_t real[4];
      for (int p = 0; p < 4; ++p) {
        const vi_t number = vi_xor(vi_load_bytes(from[p] + v * VF_LANES), flip);
        real[p] = vf_mul(scale, vf_of_vi(vi_sub(number, offset)));
      }
      const vf_t top = between(real[0], real[1], across);
      const vf_t bottom = between(real[2], real[3], across);
      numbers[v] = stored(between(top, bottom, down), &steps);
    }
    vi_store_bytes(left < BLOCK ? bytes : job->output + i, numbers[0], numbers[1]);
    if (left < BLOCK) memcpy(job->output + i, bytes, left);
  }
}

static void ACC_NAME(armnn_s8_table)(const uint8_t* in, uint8_t* out, size_t count,
                                     const uint8_t* table) {
  for (size_t i = table_vectors(in, out, count, table); i < count; ++i) out[i] = table[in[i]];
}

/* ---- Two operands -------------------------------------------------------------------------- */

typedef armnn_i_acc_pair_job_t job_t;

/* What all rows have in common. */
typedef struct terms_t {
  vi_t flip[2], offset[2], multiplier[2], right[2], half[2];
  vi_t left_shift, out_multiplier, out_right, out_half;
  vi_bounds_t bounds;
  vf_t quick[2], sure;
  int is_quick;  /* of sums: float32 tells nearly all of them for sure */
  int halved[2]; /* the factor of an operand is 1/2: always that of the greater scale */
  int exact;     /* the factor of the result is 1/2 or more */
  int is_real;
  real_pair_t real;
} terms_t;

ACC_INLINE terms_t terms_of(const job_t* job) {
  terms_t terms = {
      .left_shift = vi_set(job->left_shift),
      .out_multiplier = vi_set(job->multiplier),
      .out_right = vi_set(job->right_shift),
      .out_half = vi_set(job->half),
      .bounds = vi_bounds(job->store.zero_point, job->store.low, job->store.high),
      .exact = job->left_shift > 0 || job->right_shift == 0,
      .quick = {vf_set((float)job->quick[0]), vf_set((float)job->quick[1])},
      .sure = vf_set(ARMNN_ACC_SURE_SUM),
      .is_quick = job->is_quick,
      .is_real = job->is_real,
      .real = real_pair_of(job),
  };
  for (int side = 0; side < 2; ++side) {
    terms.flip[side] = vi_set(job->operands[side].flip);
    terms.offset[side] = vi_set(job->operands[side].offset);
    terms.multiplier[side] = vi_set(job->operands[side].multiplier);
    terms.right[side] = vi_set(job->operands[side].right);
    terms.half[side] = vi_set(job->operands[side].half);
    terms.halved[side] = job->operands[side].right == 0;
  }
  return terms;
}

ACC_INLINE vi_t level_of(const terms_t* terms, int side, vi_t numbers) {
  return vi_sub(vi_xor(numbers, terms->flip[side]), terms->offset[side]);
}

/* A level, on a common scale for a sum. */
ACC_INLINE vi_t operand(const terms_t* terms, int side, vi_t level, int is_sum) {
  if (!is_sum) return level;
  if (terms->halved[side]) return vi_shift_left(level, ARMNN_ACC_SUM_BITS - 1);
  return vi_scale_twice(vi_shift_left(level, ARMNN_ACC_SUM_BITS), terms->multiplier[side],
                        terms->right[side], terms->half[side], 0);
}

/* The same as |combined| for vectors of which it is sure. */
#if defined(VI_HAS_NEAREST)
ACC_INLINE int quick_sum(const terms_t* terms, vi_t left, vi_t right, int operation,
                         vi_t* out_level) {
  const vf_t a = vf_mul(vf_of_vi(left), terms->quick[0]);
  const vf_t b = vf_mul(vf_of_vi(right), terms->quick[1]);
  const vf_t sum = operation == ARMNN_BINARY_SUB ? vf_sub(a, b) : vf_add(a, b);
  *out_level = vi_nearest(sum);
  return vi_is_sure(sum, *out_level, terms->sure);
}
#else
ACC_INLINE int quick_sum(const terms_t* terms, vi_t left, vi_t right, int operation,
                         vi_t* out_level) {
  (void)terms, (void)left, (void)right, (void)operation, (void)out_level;
  return 0;
}
#endif

ACC_INLINE vi_t combined(const terms_t* terms, vi_t left, vi_t right, int operation) {
  vi_t result = operation == ARMNN_BINARY_ADD   ? vi_add(left, right)
                : operation == ARMNN_BINARY_SUB ? vi_sub(left, right)
                                                : vi_mul(left, right);
  if (!terms->exact) {
    return vi_scale_twice(result, terms->out_multiplier, terms->out_right, terms->out_half, 0);
  }
  result = vi_shift_left_by(result, terms->left_shift);
  return vi_scale_twice(result, terms->out_multiplier, terms->out_right, terms->out_half, 1);
}

/* Two vectors; of an operand that repeats, each level is |fixed|. */
ACC_INLINE void pair_block(const terms_t* terms, const uint8_t* const from[2], const vi_t fixed[2],
                           const int repeats[2], int operation, uint8_t* out) {
  const int is_sum = operation != ARMNN_BINARY_MUL;
  vi_t results[2];
  for (int v = 0; v < 2; ++v) {
    vi_t levels[2];
    for (int side = 0; side < 2; ++side) {
      levels[side] = repeats[side]
                         ? fixed[side]
                         : level_of(terms, side, vi_load_bytes(from[side] + v * VF_LANES));
    }
    if (is_sum && terms->is_quick &&
        quick_sum(terms, levels[0], levels[1], operation, &results[v])) {
      continue;
    }
    if (terms->is_real) {
      results[v] = real_pair(&terms->real, levels[0], levels[1], !is_sum);
      continue;
    }
    results[v] = combined(terms, operand(terms, 0, levels[0], is_sum),
                          operand(terms, 1, levels[1], is_sum), operation);
  }
  vi_store_numbers(out, results[0], results[1], terms->bounds);
}

/* |operation| and which operand repeats are constant where this is used. */
ACC_INLINE void pair_rows(const job_t* job, int operation, int left_repeats, int right_repeats) {
  const terms_t terms = terms_of(job);
  const int repeats[2] = {left_repeats, right_repeats};
  const size_t columns = job->columns;
#if defined(__AVX2__)
  const bool takes_quick =
      operation != ARMNN_BINARY_MUL && !left_repeats && !right_repeats && terms.is_quick;
  const quick_t quick = quick_of(job, operation);
  size_t waits = 0, misses = 0; /* where sums are rarely sure, they are asked less and less often */
#endif
  for (size_t r = 0; r < job->rows; ++r) {
    const ptrdiff_t row = (ptrdiff_t)r;
    const uint8_t* from[2] = {job->left + row * job->left_row, job->right + row * job->right_row};
    uint8_t* out = job->output + row * job->output_row;
    vi_t fixed[2] = {terms.bounds.low, terms.bounds.low};
    for (int side = 0; side < 2; ++side) {
      if (!repeats[side]) continue;
      fixed[side] = level_of(&terms, side, vi_set(from[side][0]));
    }
    size_t i = 0;
    for (; i + BLOCK <= columns; i += BLOCK) {
#if defined(__AVX2__)
      if (takes_quick && waits > 0) {
        --waits;
      } else if (takes_quick && columns - i >= QUICK_STEP) {
        const size_t done = quick_sums(&quick, from[0] + i, from[1] + i, out + i, columns - i);
        misses = done > QUICK_STEP ? 0 : misses < MOST_MISSES ? misses + 1 : misses;
        waits = ((size_t)2 << misses) - 1; /* blocks: the rest of the step, and more */
        i += done;
        if (i + BLOCK > columns) break;
      }
#endif
      const uint8_t* const at[2] = {from[0] + i, from[1] + i};
      pair_block(&terms, at, fixed, repeats, operation, out + i);
    }
    if (i == columns) continue;
    uint8_t in[2][BLOCK] = {{0}}, bytes[BLOCK];
    for (int side = 0; side < 2; ++side) {
      if (!repeats[side]) memcpy(in[side], from[side] + i, columns - i);
    }
    const uint8_t* const at[2] = {in[0], in[1]};
    pair_block(&terms, at, fixed, repeats, operation, bytes);
    memcpy(out + i, bytes, columns - i);
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

static void ACC_NAME(armnn_s8_pair)(const job_t* job) {
  if (job->operation == ARMNN_BINARY_ADD) {
    pair(job, ARMNN_BINARY_ADD);
  } else if (job->operation == ARMNN_BINARY_SUB) {
    pair(job, ARMNN_BINARY_SUB);
  } else {
    pair(job, ARMNN_BINARY_MUL);
  }
}

extern const armnn_i_acc_element_kernels_t ACC_NAME(armnn_i_acc_element_kernels);
const armnn_i_acc_element_kernels_t ACC_NAME(armnn_i_acc_element_kernels) = {
    .quantize = ACC_NAME(armnn_f32_quantize),
    .dequantize = ACC_NAME(armnn_s8_dequantize),
    .table = ACC_NAME(armnn_s8_table),
    .pair = ACC_NAME(armnn_s8_pair),
    .blend = ACC_NAME(armnn_s8_blend),
    .blend_name = "armnn_s8_resize__" ACC_ISA_TEXT,
    .add_name = "armnn_s8_add__" ACC_ISA_TEXT,
    .sub_name = "armnn_s8_sub__" ACC_ISA_TEXT,
    .mul_name = "armnn_s8_mul__" ACC_ISA_TEXT,
    .quantize_name = "armnn_f32_quantize__" ACC_ISA_TEXT,
    .dequantize_name = "armnn_s8_dequantize__" ACC_ISA_TEXT,
    .table_name = "armnn_s8_table__" ACC_ISA_TEXT,
};
