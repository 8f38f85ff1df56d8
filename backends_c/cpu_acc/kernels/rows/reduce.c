/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * reduce.c - folds along rows and down columns, and the loops of softmax and normalisation.
 *
 * A row is folded into so many numbers side by side, element by element in turn, and these are
 * folded by halves: the same on every instruction set, whatever the length of a vector.
 */
#include "reduce.h"

#include "kernels/simd/vector_math.h"

enum { CHAINS = 4, PART = 1024, PART_ROWS = 16 };
enum { FOLDS = 64, FOLD_VECTORS = FOLDS / VF_LANES }; /* of a row */
enum { EXP_SUMS = 32, EXP_VECTORS = EXP_SUMS / VF_LANES };

/* |fold| is constant where these are used. */
ACC_INLINE vf_t fold_with(int fold, vf_t sum, vf_t x, vf_t shift) {
  /* A sum that is NaN is kept here; an x that is NaN wins as the second operand of vf_max. */
  if (fold == ARMNN_ACC_FOLD_MAXIMUM) return vf_select(vf_is_nan(sum), sum, vf_max(sum, x));
  if (fold == ARMNN_ACC_FOLD_MINIMUM) return vf_select(vf_is_nan(sum), sum, vf_min(sum, x));
  if (fold == ARMNN_ACC_FOLD_PRODUCT) return vf_mul(sum, x);
  if (fold == ARMNN_ACC_FOLD_SQUARES) {
    const vf_t d = vf_sub(x, shift);
    return vf_fma(d, d, sum);
  }
  return vf_add(sum, x);
}

ACC_INLINE vf_t join(int fold, vf_t x, vf_t y) {
  return fold_with(fold == ARMNN_ACC_FOLD_SQUARES ? ARMNN_ACC_FOLD_SUM : fold, x, y, x);
}

/* One number of all lanes, by halves: in an order that intrinsics of 16 lanes do not promise. */
#if defined(__AVX512F__)
#define JOIN_LANES(name, op)                                                                    \
  ACC_INLINE float name(vf_t x) {                                                               \
    const __m256 h = _mm256_##op##_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1)); \
    __m128 s = _mm_##op##_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));           \
    s = _mm_##op##_ps(s, _mm_movehl_ps(s, s));                                                  \
    return _mm_cvtss_f32(_mm_##op##_ss(s, _mm_movehdup_ps(s)));                                 \
  }
JOIN_LANES(sum_of, add)
JOIN_LANES(most_of, max)
#else
#define sum_of vf_sum
#define most_of vf_most
#endif

ACC_INLINE float across(int fold, vf_t x) {
  if (fold == ARMNN_ACC_FOLD_SUM || fold == ARMNN_ACC_FOLD_SQUARES) return sum_of(x);
  if (fold == ARMNN_ACC_FOLD_MAXIMUM && !vm_any(vf_is_nan(x))) return most_of(x);
  float lanes[VF_LANES];
  vf_store(lanes, x);
  for (int n = VF_LANES / 2; n > 0; n /= 2) {
    for (int i = 0; i < n; ++i) lanes[i] = armnn_i_acc_fold_join(fold, lanes[i], lanes[i + n]);
  }
  return lanes[0];
}

/* |count| vectors as one, by halves; the rest of |sum| is lost. */
ACC_INLINE vf_t join_all(int fold, vf_t* sum, const int count) {
  UNROLLED for (int n = count / 2; n > 0; n /= 2) {
    UNROLLED for (int v = 0; v < n; ++v) sum[v] = join(fold, sum[v], sum[v + n]);
  }
  return sum[0];
}

ACC_INLINE void fold_some(int fold, const float* in, vf_t by, vf_t* sum) {
  UNROLLED for (int v = 0; v < FOLD_VECTORS; ++v) {
    sum[v] = fold_with(fold, sum[v], vf_load(in + v * VF_LANES), by);
  }
}

ACC_INLINE float fold_part(int fold, const float* in, size_t count, float shift) {
  const vf_t start = vf_set(armnn_i_acc_fold_start(fold)), by = vf_set(shift);
  vf_t sum[FOLD_VECTORS];
  UNROLLED for (int v = 0; v < FOLD_VECTORS; ++v) sum[v] = start;
  size_t i = 0;
  for (; i + FOLDS <= count; i += FOLDS) fold_some(fold, in + i, by, sum);
  if (i < count) { /* followed by what changes no fold */
    const vf_t nothing = fold == ARMNN_ACC_FOLD_SQUARES ? by : start;
    float rest[FOLDS];
    UNROLLED for (int v = 0; v < FOLD_VECTORS; ++v) vf_store(rest + v * VF_LANES, nothing);
    memcpy(rest, in + i, (count - i) * sizeof *rest);
    fold_some(fold, rest, by, sum);
  }
  return across(fold, join_all(fold, sum, FOLD_VECTORS));
}

ACC_INLINE float fold_row(int fold, const float* in, size_t count, float shift) {
  if (fold == ARMNN_ACC_FOLD_MAXIMUM || fold == ARMNN_ACC_FOLD_MINIMUM || count <= PART) {
    return fold_part(fold, in, count, shift);
  }
  double total = armnn_i_acc_fold_start(fold);
  for (size_t i = 0; i < count; i += PART) {
    const float part = fold_part(fold, in + i, count - i < PART ? count - i : PART, shift);
    total = fold == ARMNN_ACC_FOLD_PRODUCT ? total * part : total + part;
  }
  return (float)total;
}

ACC_INLINE void fold_column_block(int fold, const float* in, ptrdiff_t stride, size_t rows,
                                  const float* shifts, float* out, int vectors, size_t lanes) {
  const vm_t mask = vm_first(lanes);
  vf_t total[CHAINS], by[CHAINS];
  for (int v = 0; v < vectors; ++v) {
    total[v] = lanes < VF_LANES ? vf_load_masked(out, mask) : vf_load(out + v * VF_LANES);
    by[v] = total[v];
    if (fold == ARMNN_ACC_FOLD_SQUARES) {
      by[v] = lanes < VF_LANES ? vf_load_masked(shifts, mask) : vf_load(shifts + v * VF_LANES);
    }
  }
  vf_t lost[CHAINS]; /* rounded off the totals so far, by Kahan's method */
  for (int v = 0; v < vectors; ++v) lost[v] = vf_set(0.0f);
  for (size_t begin = 0; begin < rows; begin += PART_ROWS) {
    const size_t end = rows - begin < PART_ROWS ? rows : begin + PART_ROWS;
    vf_t sum[CHAINS];
    for (int v = 0; v < vectors; ++v) sum[v] = vf_set(armnn_i_acc_fold_start(fold));
    for (size_t r = begin; r < end; ++r) {
      const float* row = in + (ptrdiff_t)r * stride;
      for (int v = 0; v < vectors; ++v) {
        const vf_t x = lanes < VF_LANES ? vf_load_masked(row, mask) : vf_load(row + v * VF_LANES);
        sum[v] = fold_with(fold, sum[v], x, by[v]);
      }
    }
    for (int v = 0; v < vectors; ++v) {
      if (fold == ARMNN_ACC_FOLD_SUM || fold == ARMNN_ACC_FOLD_SQUARES) {
        const vf_t part = vf_sub(sum[v], lost[v]);
        const vf_t next = vf_add(total[v], part);
        lost[v] = vf_sub(vf_sub(next, total[v]), part);
        /* Nothing is lost of infinities, nor of a total that overflows. */
        lost[v] = vf_select(vf_less(vf_abs(lost[v]), vf_set(INFINITY)), lost[v], vf_set(0.0f));
        total[v] = next;
      } else {
        total[v] = join(fold, total[v], sum[v]);
      }
    }
  }
  for (int v = 0; v < vectors; ++v) {
    if (lanes < VF_LANES) {
      vf_store_masked(out, total[v], mask);
    } else {
      vf_store(out + v * VF_LANES, total[v]);
    }
  }
}

ACC_INLINE void fold_columns(int fold, const float* in, ptrdiff_t stride, size_t rows,
                             size_t columns, const float* shifts, float* out) {
  size_t c = 0;
  for (; c + CHAINS * VF_LANES <= columns; c += CHAINS * VF_LANES) {
    fold_column_block(fold, in + c, stride, rows, shifts + c, out + c, CHAINS, VF_LANES);
  }
  for (; c + VF_LANES <= columns; c += VF_LANES) {
    fold_column_block(fold, in + c, stride, rows, shifts + c, out + c, 1, VF_LANES);
  }
  if (c < columns) {
    fold_column_block(fold, in + c, stride, rows, shifts + c, out + c, 1, columns - c);
  }
}

#define FOLD(value, name)                                                                    \
  static float ACC_NAME(armnn_f32_reduce_##name##_row)(const float* in, size_t count,        \
                                                       float shift) {                        \
    return fold_row(value, in, count, shift);                                                \
  }                                                                                          \
  static void ACC_NAME(armnn_f32_reduce_##name##_columns)(const float* in, ptrdiff_t stride, \
                                                          size_t rows, size_t columns,       \
                                                          const float* shifts, float* out) { \
    fold_columns(value, in, stride, rows, columns, shifts != NULL ? shifts : out, out);      \
  }
#include "reduce.inc"
#undef FOLD

/* ---- Softmax ------------------------------------------------------------------------------- */

static float ACC_NAME(armnn_f32_exp_row)(const float* in, float* out, size_t count, float beta,
                                         float most) {
  const vf_t by = vf_set(beta * ACC_QUICK_EXP_FACTOR), vmost = vf_set(most);
  vf_t sum[EXP_VECTORS];
  UNROLLED for (int v = 0; v < EXP_VECTORS; ++v) sum[v] = vf_set(0.0f);
  size_t i = 0;
  for (; i + EXP_SUMS <= count; i += EXP_SUMS) {
    UNROLLED for (int v = 0; v < EXP_VECTORS; ++v) {
      const size_t at = i + (size_t)v * VF_LANES;
      const vf_t x = vf_quick_exp(vf_mul(by, vf_sub(vf_load(in + at), vmost)));
      if (out != NULL) vf_store(out + at, x);
      sum[v] = vf_add(sum[v], x);
    }
  }
  UNROLLED for (int v = 0; v < EXP_VECTORS; ++v, i += VF_LANES) {
    if (i >= count) break;
    const vm_t m = vm_first(count - i);
    const vf_t x = vf_quick_exp(vf_mul(by, vf_sub(vf_load_masked(in + i, m), vmost)));
    if (out != NULL) vf_store_masked(out + i, x, m);
    sum[v] = vf_add(sum[v], vf_select(m, x, vf_set(0.0f)));
  }
  return sum_of(join_all(ARMNN_ACC_FOLD_SUM, sum, EXP_VECTORS));
}

static void ACC_NAME(armnn_f32_exp_add)(const float* in, float* out, size_t columns, float beta,
                                        const float* most, float* sums) {
  const vf_t vbeta = vf_set(beta);
  for (size_t i = 0; i < columns; i += VF_LANES) {
    const size_t left = columns - i;
    const vf_t x =
        vf_exp(vf_mul(vbeta, vf_sub(vf_load_first(in + i, left), vf_load_first(most + i, left))));
    if (out != NULL) vf_store_first(out + i, x, left);
    vf_store_first(sums + i, vf_add(vf_load_first(sums + i, left), x), left);
  }
}

/* ---- Normalisation ------------------------------------------------------------------------- */

static void ACC_NAME(armnn_f32_normalize_row)(const float* in, float* out, size_t count, float mean,
                                              float scale, float shift, const float* gammas,
                                              const float* betas) {
  const vf_t vmean = vf_set(mean), vscale = vf_set(scale), vshift = vf_set(shift);
  for (size_t i = 0; i < count; i += VF_LANES) {
    const size_t left = count - i;
    vf_t x = vf_mul(vf_sub(vf_load_first(in + i, left), vmean), vscale);
    const vf_t add = betas != NULL ? vf_load_first(betas + i, left) : vshift;
    x = gammas != NULL ? vf_fma(x, vf_load_first(gammas + i, left), add) : vf_add(x, add);
    vf_store_first(out + i, x, left);
  }
}

static void ACC_NAME(armnn_f32_affine)(const float* in, const float* means, const float* scales,
                                       const float* shifts, float* out, size_t count) {
  for (size_t i = 0; i < count; i += VF_LANES) {
    const size_t left = count - i;
    const vf_t x = vf_sub(vf_load_first(in + i, left), vf_load_first(means + i, left));
    vf_store_first(
        out + i, vf_fma(x, vf_load_first(scales + i, left), vf_load_first(shifts + i, left)), left);
  }
}

extern const armnn_i_acc_reduce_kernels_t ACC_NAME(armnn_i_acc_reduce_kernels);
const armnn_i_acc_reduce_kernels_t ACC_NAME(armnn_i_acc_reduce_kernels) = {
    .row =
        {
#define FOLD(value, name) [value] = ACC_NAME(armnn_f32_reduce_##name##_row),
#include "reduce.inc"
#undef FOLD
        },
    .columns =
        {
#define FOLD(value, name) [value] = ACC_NAME(armnn_f32_reduce_##name##_columns),
#include "reduce.inc"
#undef FOLD
        },
    .exp_row = ACC_NAME(armnn_f32_exp_row),
    .exp_add = ACC_NAME(armnn_f32_exp_add),
    .normalize = ACC_NAME(armnn_f32_normalize_row),
    .affine = ACC_NAME(armnn_f32_affine),
    .names =
        {
#define FOLD(value, name) [value] = "armnn_f32_reduce_" #name "__" ACC_ISA_TEXT,
#include "reduce.inc"
#undef FOLD
        },
    .softmax_name = "armnn_f32_softmax__" ACC_ISA_TEXT,
    .normalize_name = "armnn_f32_normalize__" ACC_ISA_TEXT,
    .attention_name = "armnn_f32_attention__" ACC_ISA_TEXT,
};
