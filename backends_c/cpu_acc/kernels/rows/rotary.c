/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rotary.c - rows of pairs that are turned. Each number is loaded once and stored once, behind all
 * loads of its pair. It is compiled so that no product and sum are fused.
 */
#include "rotary.h"

#include "kernels/simd/simd.h"

/* The pairs of one vector from |i| on, |lanes| of them. */
ACC_INLINE void turn(const float* in, const float* cosine, const float* sine, float* out,
                     size_t pairs, size_t second, size_t i, size_t lanes) {
  const vf_t a = vf_load_first(in + i, lanes), b = vf_load_first(in + pairs + i, lanes);
  const vf_t cosine_a = vf_load_first(cosine + i, lanes);
  const vf_t cosine_b = vf_load_first(cosine + second + i, lanes);
  const vf_t sine_a = vf_load_first(sine + i, lanes);
  const vf_t sine_b = vf_load_first(sine + second + i, lanes);
  vf_store_first(out + i, vf_sub(vf_mul(a, cosine_a), vf_mul(b, sine_a)), lanes);
  vf_store_first(out + pairs + i, vf_add(vf_mul(b, cosine_b), vf_mul(a, sine_b)), lanes);
}

static void halves(const float* in, const float* cosine, const float* sine, float* out,
                   size_t pairs, int both) {
  const size_t second = both != 0 ? pairs : 0;
  size_t i = 0;
  for (; i + VF_LANES <= pairs; i += VF_LANES) {
    turn(in, cosine, sine, out, pairs, second, i, VF_LANES);
  }
  if (i < pairs) turn(in, cosine, sine, out, pairs, second, i, pairs - i);
}

enum { SOME_PAIRS = 32 };

/* At most SOME_PAIRS pairs. Sums have a loop of their own, without differences: of products and
 * alternating signs GCC makes fused operations even where that is forbidden. */
ACC_INLINE void turn_neighbours(const float* in, const float* cosine, const float* sine, float* out,
                                size_t pairs, const size_t step) {
  float straight[2 * SOME_PAIRS], crossed[2 * SOME_PAIRS];
  for (size_t i = 0; i < pairs; ++i) {
    const float a = in[2 * i], b = in[2 * i + 1];
    straight[2 * i] = a * cosine[step * i];
    straight[2 * i + 1] = b * cosine[step * i + (step - 1)];
    crossed[2 * i] = -b * sine[step * i];
    crossed[2 * i + 1] = a * sine[step * i + (step - 1)];
  }
  for (size_t i = 0; i < 2 * pairs; ++i) out[i] = straight[i] + crossed[i];
}

ACC_INLINE void turn_all(const float* in, const float* cosine, const float* sine, float* out,
                         size_t pairs, const size_t step) {
  for (size_t i = 0; i < pairs; i += SOME_PAIRS) {
    turn_neighbours(in + 2 * i, cosine + step * i, sine + step * i, out + 2 * i,
                    pairs - i < SOME_PAIRS ? pairs - i : SOME_PAIRS, step);
  }
}

static void neighbours(const float* in, const float* cosine, const float* sine, float* out,
                       size_t pairs, int both) {
  if (both != 0) {
    turn_all(in, cosine, sine, out, pairs, 2);
  } else {
    turn_all(in, cosine, sine, out, pairs, 1);
  }
}

extern const armnn_i_acc_rotary_kernels_t ACC_NAME(armnn_i_acc_rotary_kernels);
const armnn_i_acc_rotary_kernels_t ACC_NAME(armnn_i_acc_rotary_kernels) = {
    .halves = halves,
    .neighbours = neighbours,
    .name = "armnn_f32_rotary__" ACC_ISA_TEXT,
};
