/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * elementwise.c - functions of one element and of two, over dense arrays.
 *
 * One loop per function: whole vectors, then one with the lanes that are left. The functions with
 * polynomials are bound by arithmetic and the processor overlaps neighbouring vectors by itself;
 * the short ones are bound by loads and stores and are unrolled.
 */
#include "elementwise.h"

#include <float.h>

#include "kernels/simd/vector_math.h"

/* result = expression of x (and of va, vb, the arguments in all lanes). */
#define APPLY(name, unroll, expression)                                                      \
  static void ACC_NAME(armnn_f32_##name)(const float* in, float* out, size_t count, float a, \
                                         float b) {                                          \
    const vf_t va = vf_set(a), vb = vf_set(b);                                               \
    (void)va;                                                                                \
    (void)vb;                                                                                \
    size_t i = 0;                                                                            \
    _Pragma(unroll) for (; i + VF_LANES <= count; i += VF_LANES) {                           \
      const vf_t x = vf_load(in + i);                                                        \
      vf_store(out + i, expression);                                                         \
    }                                                                                        \
    if (i < count) {                                                                         \
      const vm_t m = vm_first(count - i);                                                    \
      const vf_t x = vf_load_masked(in + i, m);                                              \
      vf_store_masked(out + i, expression, m);                                               \
    }                                                                                        \
  }
#define MOST_SIN 6000.0f /* of the polynomial */
#define BY_FOUR "GCC unroll 4"
#define ONCE "GCC unroll 1"

/* Out of line: some lane is outside the polynomial's range; the others keep their bits. */
static __attribute__((noinline)) vf_t any_sin(vf_t x) {
  float lanes[VF_LANES], known[VF_LANES];
  vf_store(lanes, x);
  vf_store(known, vf_sin(x));
  for (int i = 0; i < VF_LANES; ++i) {
    lanes[i] = fabsf(lanes[i]) < MOST_SIN ? known[i] : sinf(lanes[i]);
  }
  return vf_load(lanes);
}

ACC_INLINE vf_t checked_sin(vf_t x) {
  return vf_most(vf_abs(x)) < MOST_SIN && vf_sum(vf_abs(x)) < INFINITY ? vf_sin(x) : any_sin(x);
}

APPLY(clamp, BY_FOUR, vf_clamp(x, va, vb))
APPLY(leaky_relu, BY_FOUR, vf_select(vf_less(x, vf_set(0.0f)), vf_mul(x, va), x))
APPLY(sigmoid, ONCE, vf_sigmoid(x))
APPLY(tanh, ONCE, vf_mul(va, vf_tanh(vf_mul(vb, x))))
APPLY(swish, ONCE, vf_mul(x, vf_sigmoid(vf_mul(va, x))))
APPLY(hard_swish, BY_FOUR,
      vf_fma(vf_mul(x, vf_mul(va, vf_set(1.0f / 6.0f))),
             vf_clamp(vf_add(x, vf_set(3.0f)), vf_set(0.0f), vf_set(6.0f)), vb))
APPLY(hard_sigmoid, BY_FOUR, vf_clamp(vf_fma(x, va, vb), vf_set(0.0f), vf_set(1.0f)))
APPLY(gelu, ONCE, vf_mul(va, vf_gelu(x)))
APPLY(gelu_tanh, ONCE, vf_mul(va, vf_gelu_tanh(x)))
APPLY(elu, ONCE,
      vf_select(vf_less(x, vf_set(0.0f)), vf_mul(va, vf_expm1_negative(vf_min(vf_set(0.0f), x))),
                x))
APPLY(soft_relu, ONCE, vf_soft_relu(x))
APPLY(abs, BY_FOUR, vf_abs(x))
APPLY(sqrt, BY_FOUR, vf_sqrt(x))
/* A power: unlike square roots, those of -0 and minus infinity are 0 and infinity. */
APPLY(root, BY_FOUR,
      vf_select(vf_less(x, vf_set(-FLT_MAX)), vf_set(INFINITY), vf_sqrt(vf_add(x, vf_set(0.0f)))))
APPLY(square, BY_FOUR, vf_mul(x, x))
APPLY(linear, BY_FOUR, vf_fma(x, va, vb))
APPLY(exp, ONCE, vf_exp(x))
APPLY(log, ONCE, vf_log(x))
APPLY(neg, BY_FOUR, vf_negate(x))
APPLY(rsqrt, BY_FOUR, vf_div(vf_set(1.0f), vf_sqrt(x)))
APPLY(erf, ONCE, vf_erf(x))
APPLY(sin, ONCE, checked_sin(x))
APPLY(ceil, BY_FOUR, vf_ceil(x))
APPLY(floor, BY_FOUR, vf_floor(x))
APPLY(reciprocal, BY_FOUR, vf_div(vf_set(1.0f), x))

static void ACC_NAME(armnn_f32_copy)(const float* in, float* out, size_t count, float a, float b) {
  (void)a;
  (void)b;
  if (in != out) memcpy(out, in, count * sizeof(float));
}

/* ---- Two operands -------------------------------------------------------------------------- */

/* NaN wins, from either side. */
ACC_INLINE vf_t take_maximum(vf_t x, vf_t y) { return vf_select(vf_is_nan(x), x, vf_max(x, y)); }
ACC_INLINE vf_t take_minimum(vf_t x, vf_t y) { return vf_select(vf_is_nan(x), x, vf_min(x, y)); }
ACC_INLINE vf_t square_of(vf_t x) { return vf_mul(x, x); }

ACC_INLINE vf_t sloped(vf_t x, vf_t slope) {
  return vf_select(vf_less(x, vf_set(0.0f)), vf_mul(x, slope), x);
}

static __attribute__((noinline)) vf_t power_of(vf_t x, vf_t y) {
  float base[VF_LANES], exponent[VF_LANES];
  vf_store(base, x);
  vf_store(exponent, y);
  for (int i = 0; i < VF_LANES; ++i) base[i] = powf(base[i], exponent[i]);
  return vf_load(base);
}

#define LOAD_ARRAY(p, i) vf_load((p) + (i))
#define LOAD_ARRAY_MASKED(p, i, m) vf_load_masked((p) + (i), m)
#define LOAD_NUMBER(p, i) vf_set(*(p))
#define LOAD_NUMBER_MASKED(p, i, m) vf_set(*(p))

#define BINARY_LOOP(name, LEFT, RIGHT, expression)                                 \
  static void ACC_NAME(name)(const armnn_i_acc_binary_job_t* job) {                \
    const vf_t low = vf_set(job->low), high = vf_set(job->high);                   \
    const float *left = job->left, *right = job->right;                            \
    float* out = job->out;                                                         \
    const size_t columns = job->columns;                                           \
    for (size_t r = 0; r < job->rows; ++r) {                                       \
      size_t i = 0;                                                                \
      _Pragma(BY_FOUR) for (; i + VF_LANES <= columns; i += VF_LANES) {            \
        const vf_t x = LEFT(left, i), y = RIGHT(right, i);                         \
        vf_store(out + i, vf_clamp(expression, low, high));                        \
      }                                                                            \
      if (i < columns) {                                                           \
        const vm_t m = vm_first(columns - i);                                      \
        const vf_t x = LEFT##_MASKED(left, i, m), y = RIGHT##_MASKED(right, i, m); \
        vf_store_masked(out + i, vf_clamp(expression, low, high), m);              \
      }                                                                            \
      left += job->left_stride;                                                    \
      right += job->right_stride;                                                  \
      out += job->out_stride;                                                      \
    }                                                                              \
  }
#define BINARY_FORMS(name, expression)                                    \
  BINARY_LOOP(armnn_f32_##name##_aa, LOAD_ARRAY, LOAD_ARRAY, expression)  \
  BINARY_LOOP(armnn_f32_##name##_an, LOAD_ARRAY, LOAD_NUMBER, expression) \
  BINARY_LOOP(armnn_f32_##name##_na, LOAD_NUMBER, LOAD_ARRAY, expression)

BINARY_FORMS(add, vf_add(x, y))
BINARY_FORMS(div, vf_div(x, y))
BINARY_FORMS(maximum, take_maximum(x, y))
BINARY_FORMS(minimum, take_minimum(x, y))
BINARY_FORMS(mul, vf_mul(x, y))
BINARY_FORMS(sub, vf_sub(x, y))
BINARY_FORMS(squared_difference, square_of(vf_sub(x, y)))
BINARY_FORMS(power, power_of(x, y))
BINARY_FORMS(prelu, sloped(x, y))

/* ---- The table ----------------------------------------------------------------------------- */

extern const armnn_i_acc_elementwise_kernels_t ACC_NAME(armnn_i_acc_elementwise_kernels);
const armnn_i_acc_elementwise_kernels_t ACC_NAME(armnn_i_acc_elementwise_kernels) = {
    .apply =
        {
#define FUNCTION(value, name) [value] = ACC_NAME(armnn_f32_##name),
#include "elementwise.inc"
#undef FUNCTION
        },
    .names =
        {
#define FUNCTION(value, name) [value] = "armnn_f32_" #name "__" ACC_ISA_TEXT,
#include "elementwise.inc"
#undef FUNCTION
        },
    .binary =
        {
#define BINARY(value, name)                                                    \
  [value] = {ACC_NAME(armnn_f32_##name##_aa), ACC_NAME(armnn_f32_##name##_an), \
             ACC_NAME(armnn_f32_##name##_na)},
#include "elementwise.inc"
#undef BINARY
        },
    .binary_names =
        {
#define BINARY(value, name) [value] = "armnn_f32_" #name "__" ACC_ISA_TEXT,
#include "elementwise.inc"
#undef BINARY
        },
};
