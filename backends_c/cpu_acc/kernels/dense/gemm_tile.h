/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gemm_tile.h - one tile of rows x a panel in registers, for weights of each form that a panel
 * stores them in: part of gemm.c and gemm_half.c.
 *
 * Loop order of a tile: taps, then depth; inside, the vectors of weights are loaded once and each
 * row's float is spread over a vector and multiplied with all of them. A panel's weights are read
 * in the order in which they lie: 4 * lanes / rows bytes of them for each product of vectors (half
 * as many of 16 bits), which the second cache delivers; the inputs of a tile stay in the first.
 */
#ifndef ARMNN_CPU_ACC_GEMM_TILE_H_
#define ARMNN_CPU_ACC_GEMM_TILE_H_

#include "gemm.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/simd_half.h"

#define LANES ((int64_t)VF_LANES)

enum { PAUSES = VF_REGISTERS < 32 };

typedef vf_t sums_t[ARMNN_ACC_GEMM_VECTORS];

ACC_INLINE void add_residual(const float* residual, int64_t stride, uint32_t last, sums_t* sum,
                             const int ROWS, const int VECTORS) {
  const vm_t mask = vm_first(last);
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    const float* from = residual + i * stride;
    UNROLLED for (int v = 0; v < VECTORS - 1; ++v) {
      sum[i][v] = vf_add(sum[i][v], vf_load(from + v * LANES));
    }
    const vf_t rest = last == VF_LANES ? vf_load(from + (VECTORS - 1) * LANES)
                                       : vf_load_masked(from + (VECTORS - 1) * LANES, mask);
    sum[i][VECTORS - 1] = vf_add(sum[i][VECTORS - 1], rest);
  }
}

/* Five operations on sums in registers; a pass of its own would load and store them again. */
ACC_INLINE vf_t hard_swish(vf_t x, vf_t scale, vf_t offset) {
  const vf_t bounded = vf_min(vf_set(6.0f), vf_max(vf_set(0.0f), vf_add(x, vf_set(3.0f))));
  return vf_fma(vf_mul(x, bounded), scale, offset);
}

/* Vector |index| behind |weights|, which are stored as |STORED| (armnn_i_acc_stored_e) says. */
ACC_INLINE vf_t load_weights(const char* weights, int64_t index, const int STORED) {
  if (STORED == ARMNN_ACC_STORED_FLOAT32) {
    return vf_load((const float*)(const void*)weights + index * LANES);
  }
  const uint16_t* half = (const uint16_t*)(const void*)weights + index * LANES;
  return STORED == ARMNN_ACC_STORED_BFLOAT16 ? vf_load_bfloat16(half) : vf_load_float16(half);
}

/* A multiplication with addition takes some four cycles, and two begin in each: a tile of few sums,
 * as of a matrix and a vector, divides its depth among several of each, unless IN_ORDER. */
enum { FEW_SUMS = 3, MOST_CHAINS = 4 };

ACC_INLINE void add_chains(const float* const* run, size_t k, const char* weights, sums_t* sum,
                           sums_t (*chains)[FEW_SUMS], const int ROWS, const int VECTORS,
                           const int CHAINS, const int STORED) {
  UNROLLED for (int c = 0; c < CHAINS; ++c) {
    sums_t* to = c == 0 ? sum : chains[c - 1];
    UNROLLED for (int v = 0; v < VECTORS; ++v) {
      const vf_t weight = load_weights(weights, c * VECTORS + v, STORED);
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        to[i][v] = vf_fma(vf_set(run[i][k + (size_t)c]), weight, to[i][v]);
      }
    }
  }
}

/* Asks for the lines that a tile is to ask for; where the next tile's begin. */
ACC_INLINE const char* fetch_next(const char* fetch, uint32_t lines) {
  for (; lines > 0; --lines, fetch += ARMNN_ACC_LINE) __builtin_prefetch(fetch, 0, 2);
  return fetch;
}

/* Written as a function of constants |ROWS|, |VECTORS| and |STORED|, so that all loops over them
 * unroll and the sums stay in registers. Members of the job are copied first: for all the compiler
 * knows, a store of a result might change them. */
ACC_INLINE void multiply_tile(const armnn_i_acc_gemm_job_t* job, const int ROWS, const int VECTORS,
                              const int STORED) {
  const int CHAINS = ROWS * VECTORS > FEW_SUMS ? 1 : MOST_CHAINS;
  const int64_t width = VECTORS * LANES;
  const int64_t weight_row = width * (STORED == ARMNN_ACC_STORED_FLOAT32 ? 4 : 2);
  const size_t depth = job->depth;
  const int64_t input_stride = job->input_stride, output_stride = job->output_stride;
  const int64_t residual_stride = job->residual_stride;
  const char* const panel = (const char*)(const void*)job->panel;
  const float* const bias = job->bias;
  const float* input = job->input;
  const float* residual = job->residual;
  float* output = job->output;
  float* partial = job->partial;
  const bool whole = job->last == VF_LANES;
  const uint32_t flags = job->flags;
  const char* fetch = job->fetch;
  const uint32_t fetch_lines = job->fetch_lines;
  const bool divides = CHAINS > 1 && (flags & ARMNN_ACC_GEMM_IN_ORDER) == 0;
  for (uint32_t tile = job->tiles; tile > 0; --tile) {
    sums_t sum[ARMNN_ACC_GEMM_ROWS];
    fetch = fetch_next(fetch, fetch_lines);
    if (PAUSES && (flags & ARMNN_ACC_GEMM_RESUME) != 0) {
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        UNROLLED for (int v = 0; v < VECTORS; ++v) {
          sum[i][v] = vf_load(partial + i * width + v * LANES);
        }
      }
    } else {
      UNROLLED for (int v = 0; v < VECTORS; ++v) {
        const vf_t first = vf_load(bias + v * LANES);
        UNROLLED for (int i = 0; i < ROWS; ++i) sum[i][v] = first;
      }
    }
    sums_t chains[MOST_CHAINS - 1]
                 [FEW_SUMS]; /* of the first of each step's |CHAINS| inputs: |sum| */
    UNROLLED for (int c = 0; c < CHAINS - 1; ++c) {
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        UNROLLED for (int v = 0; v < VECTORS; ++v) chains[c][i][v] = vf_set(0.0f);
      }
    }
    for (uint32_t t = 0; t < job->tap_count; ++t) {
      const float* run[ARMNN_ACC_GEMM_ROWS];
      if (job->runs != NULL) {
        const float* const* runs = job->runs + (size_t)t * ARMNN_ACC_GEMM_ROWS;
        UNROLLED for (int i = 0; i < ROWS; ++i) run[i] = runs[i] + job->run_offset;
      } else {
        const float* first = input + job->taps[t].offset;
        UNROLLED for (int i = 0; i < ROWS; ++i) run[i] = first + i * input_stride;
      }
      const char* weights = panel + job->taps[t].weight * weight_row;
      size_t k = 0;
      for (; divides && k + CHAINS <= depth; k += CHAINS) {
        add_chains(run, k, weights, sum, chains, ROWS, VECTORS, CHAINS, STORED);
        weights += CHAINS * weight_row;
      }
      for (; k < depth; ++k) {
        vf_t weight[ARMNN_ACC_GEMM_VECTORS];
        UNROLLED for (int v = 0; v < VECTORS; ++v) weight[v] = load_weights(weights, v, STORED);
        UNROLLED for (int i = 0; i < ROWS; ++i) {
          const vf_t x = vf_set(run[i][k]);
          UNROLLED for (int v = 0; v < VECTORS; ++v) sum[i][v] = vf_fma(x, weight[v], sum[i][v]);
        }
        weights += weight_row;
      }
    }
    if (divides) {
      UNROLLED for (int c = 0; c < CHAINS - 1; ++c) {
        UNROLLED for (int i = 0; i < ROWS; ++i) {
          UNROLLED for (int v = 0; v < VECTORS; ++v) {
            sum[i][v] = vf_add(sum[i][v], chains[c][i][v]);
          }
        }
      }
    }
    if (PAUSES && (flags & ARMNN_ACC_GEMM_PAUSE) != 0) {
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        UNROLLED for (int v = 0; v < VECTORS; ++v) {
          vf_store(partial + i * width + v * LANES, sum[i][v]);
        }
      }
      input += ROWS * input_stride;
      partial += ROWS * width;
      continue;
    }
    if ((flags & ARMNN_ACC_GEMM_RESIDUAL) != 0) {
      add_residual(residual, residual_stride, job->last, sum, ROWS, VECTORS);
    }
    if ((flags & ARMNN_ACC_GEMM_LOW) != 0) {
      const vf_t low = vf_set(job->low);
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        UNROLLED for (int v = 0; v < VECTORS; ++v) sum[i][v] = vf_max(low, sum[i][v]);
      }
    }
    if ((flags & ARMNN_ACC_GEMM_HIGH) != 0) {
      const vf_t high = vf_set(job->high);
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        UNROLLED for (int v = 0; v < VECTORS; ++v) sum[i][v] = vf_min(high, sum[i][v]);
      }
    }
    if ((flags & ARMNN_ACC_GEMM_HARD_SWISH) != 0) {
      const vf_t scale = vf_set(job->low), offset = vf_set(job->high);
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        UNROLLED for (int v = 0; v < VECTORS; ++v) {
          sum[i][v] = hard_swish(sum[i][v], scale, offset);
        }
      }
    }
    if ((flags & ARMNN_ACC_GEMM_RESIDUAL_LAST) != 0) {
      add_residual(residual, residual_stride, job->last, sum, ROWS, VECTORS);
    }
    float* to = output;
    if (whole) {
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        UNROLLED for (int v = 0; v < VECTORS; ++v) vf_store(to + v * LANES, sum[i][v]);
        to += output_stride;
      }
    } else {
      const vm_t last = vm_first(job->last);
      UNROLLED for (int i = 0; i < ROWS; ++i) {
        UNROLLED for (int v = 0; v < VECTORS - 1; ++v) vf_store(to + v * LANES, sum[i][v]);
        vf_store_masked(to + (VECTORS - 1) * LANES, sum[i][VECTORS - 1], last);
        to += output_stride;
      }
    }
    input += ROWS * input_stride;
    output += ROWS * output_stride;
    residual += ROWS * residual_stride;
    if (PAUSES && (flags & ARMNN_ACC_GEMM_RESUME) != 0) partial += ROWS * width;
  }
}

#endif /* ARMNN_CPU_ACC_GEMM_TILE_H_ */
