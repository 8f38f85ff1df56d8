/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gemm_pairs.h - part of gemm.c for AVX-512: panels whose last vector has at most eight channels.
 *
 * That vector then belongs to two rows: eight channels of one in its lower half, of the other in
 * its upper. Both halves of the packed weights are alike, and one blend gives each its input. 24
 * channels take 1.5 products a row instead of 2. Loop order as in gemm.c.
 */
#ifndef ARMNN_CPU_ACC_GEMM_PAIRS_H_
#define ARMNN_CPU_ACC_GEMM_PAIRS_H_

typedef struct pair_sums_t {
  vf_t full[ARMNN_ACC_GEMM_ROWS][ARMNN_ACC_GEMM_VECTORS];
  vf_t pair[ARMNN_ACC_GEMM_ROWS / 2];
} pair_sums_t;

ACC_INLINE vf_t join_halves(__m256 lower, __m256 upper) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(lower), upper, 1);
}

/* Not by an extraction, which compilers join with the masked store to an instruction that faults on
 * lanes that the mask leaves out. */
ACC_INLINE vf_t upper_half(vf_t pair) { return _mm512_shuffle_f32x4(pair, pair, 0xee); }

ACC_INLINE void add_pair_residual(const float* residual, int64_t stride, vm_t rest,
                                  pair_sums_t* sum, const int ROWS, const int FULL) {
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    const float* from = residual + i * stride;
    UNROLLED for (int v = 0; v < FULL; ++v) {
      sum->full[i][v] = vf_add(sum->full[i][v], vf_load(from + v * LANES));
    }
  }
  UNROLLED for (int p = 0; p < (ROWS + 1) / 2; ++p) {
    const float* from = residual + 2 * p * stride + FULL * LANES;
    const __m256 lower = _mm256_maskz_loadu_ps((__mmask8)rest, from);
    const __m256 upper = 2 * p + 1 < ROWS ? _mm256_maskz_loadu_ps((__mmask8)rest, from + stride)
                                          : _mm256_setzero_ps();
    sum->pair[p] = vf_add(sum->pair[p], join_halves(lower, upper));
  }
}

ACC_INLINE void finish_pairs(pair_sums_t* sum, uint32_t flags, float low, float high,
                             const int ROWS, const int FULL) {
  if ((flags & ARMNN_ACC_GEMM_LOW) != 0) {
    const vf_t bound = vf_set(low);
    UNROLLED for (int i = 0; i < ROWS; ++i) {
      UNROLLED for (int v = 0; v < FULL; ++v) sum->full[i][v] = vf_max(bound, sum->full[i][v]);
    }
    UNROLLED for (int p = 0; p < (ROWS + 1) / 2; ++p) sum->pair[p] = vf_max(bound, sum->pair[p]);
  }
  if ((flags & ARMNN_ACC_GEMM_HIGH) != 0) {
    const vf_t bound = vf_set(high);
    UNROLLED for (int i = 0; i < ROWS; ++i) {
      UNROLLED for (int v = 0; v < FULL; ++v) sum->full[i][v] = vf_min(bound, sum->full[i][v]);
    }
    UNROLLED for (int p = 0; p < (ROWS + 1) / 2; ++p) sum->pair[p] = vf_min(bound, sum->pair[p]);
  }
  if ((flags & ARMNN_ACC_GEMM_HARD_SWISH) != 0) {
    const vf_t scale = vf_set(low), offset = vf_set(high);
    UNROLLED for (int i = 0; i < ROWS; ++i) {
      UNROLLED for (int v = 0; v < FULL; ++v) {
        sum->full[i][v] = hard_swish(sum->full[i][v], scale, offset);
      }
    }
    UNROLLED for (int p = 0; p < (ROWS + 1) / 2; ++p) {
      sum->pair[p] = hard_swish(sum->pair[p], scale, offset);
    }
  }
}

/* |FULL| vectors of channels and a shared one. */
ACC_INLINE void multiply_pairs(const armnn_i_acc_gemm_job_t* job, const int ROWS, const int FULL) {
  const int64_t width = (FULL + 1) * LANES;
  const size_t depth = job->depth;
  const int64_t input_stride = job->input_stride, output_stride = job->output_stride;
  const int64_t residual_stride = job->residual_stride;
  const float* const panel = job->panel;
  const float* const bias = job->bias;
  const float* input = job->input;
  const float* residual = job->residual;
  float* output = job->output;
  const vm_t rest = vm_first(job->last);
  const vm_t upper = 0xff00;
  const uint32_t flags = job->flags;
  const char* fetch = job->fetch;
  const uint32_t fetch_lines = job->fetch_lines;
  for (uint32_t tile = job->tiles; tile > 0; --tile) {
    pair_sums_t sum;
    fetch = fetch_next(fetch, fetch_lines);
    UNROLLED for (int v = 0; v < FULL; ++v) {
      const vf_t first = vf_load(bias + v * LANES);
      UNROLLED for (int i = 0; i < ROWS; ++i) sum.full[i][v] = first;
    }
    const vf_t shared = vf_load(bias + FULL * LANES);
    UNROLLED for (int p = 0; p < (ROWS + 1) / 2; ++p) sum.pair[p] = shared;
    for (uint32_t t = 0; t < job->tap_count; ++t) {
      const float* run[ARMNN_ACC_GEMM_ROWS];
      if (job->runs != NULL) {
        const float* const* runs = job->runs + (size_t)t * ARMNN_ACC_GEMM_ROWS;
        UNROLLED for (int i = 0; i < ROWS; ++i) run[i] = runs[i] + job->run_offset;
      } else {
        const float* first = input + job->taps[t].offset;
        UNROLLED for (int i = 0; i < ROWS; ++i) run[i] = first + i * input_stride;
      }
      const float* weights = panel + job->taps[t].weight * width;
      for (size_t k = 0; k < depth; ++k) {
        vf_t weight[ARMNN_ACC_GEMM_VECTORS];
        UNROLLED for (int v = 0; v <= FULL; ++v) weight[v] = vf_load(weights + v * LANES);
        UNROLLED for (int p = 0; p < (ROWS + 1) / 2; ++p) {
          const vf_t x = vf_set(run[2 * p][k]);
          const vf_t other = 2 * p + 1 < ROWS ? vf_set(run[2 * p + 1][k]) : x;
          UNROLLED for (int v = 0; v < FULL; ++v) {
            sum.full[2 * p][v] = vf_fma(x, weight[v], sum.full[2 * p][v]);
            if (2 * p + 1 < ROWS) {
              sum.full[2 * p + 1][v] = vf_fma(other, weight[v], sum.full[2 * p + 1][v]);
            }
          }
          sum.pair[p] = vf_fma(vf_select(upper, other, x), weight[FULL], sum.pair[p]);
        }
        weights += width;
      }
    }
    if ((flags & ARMNN_ACC_GEMM_RESIDUAL) != 0) {
      add_pair_residual(residual, residual_stride, rest, &sum, ROWS, FULL);
    }
    finish_pairs(&sum, flags, job->low, job->high, ROWS, FULL);
    if ((flags & ARMNN_ACC_GEMM_RESIDUAL_LAST) != 0) {
      add_pair_residual(residual, residual_stride, rest, &sum, ROWS, FULL);
    }
    float* to = output;
    UNROLLED for (int i = 0; i < ROWS; ++i) {
      UNROLLED for (int v = 0; v < FULL; ++v) vf_store(to + v * LANES, sum.full[i][v]);
      const vf_t pair = sum.pair[i / 2];
      vf_store_masked(to + FULL * LANES, i % 2 == 0 ? pair : upper_half(pair), rest);
      to += output_stride;
    }
    input += ROWS * input_stride;
    output += ROWS * output_stride;
    residual += ROWS * residual_stride;
  }
}

#endif /* ARMNN_CPU_ACC_GEMM_PAIRS_H_ */
