/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * recurrent.c - gates of recurrent cells. All gates of a vector of cells are in registers at once:
 * their exponentials do not depend on each other, and the processor overlaps them.
 */
#include "recurrent.h"

#include "kernels/simd/vector_math.h"
#include "program.h"

ACC_INLINE vf_t activated(int32_t function, vf_t x, vf_t high) {
  switch (function) {
    case ARMNN_ACC_TANH:
      return vf_tanh(x);
    case ARMNN_ACC_SIGMOID:
      return vf_sigmoid(x);
    case ARMNN_ACC_CLAMP:
      return vf_clamp(x, vf_set(0.0f), high);
    default:
      return x;
  }
}

/* |x|, or with |clips| its part within the bounds. */
ACC_INLINE vf_t bounded(vf_t x, int clips, vf_t clip) {
  return clips ? vf_clamp(x, vf_negate(clip), clip) : x;
}

/* |sums| + |peephole| * |cell|, or the sums alone. */
ACC_INLINE vf_t peeped(const float* sums, const float* peephole, size_t i, size_t n, vf_t cell) {
  const vf_t sum = vf_load_first(sums + i, n);
  return peephole == NULL ? sum : vf_fma(vf_load_first(peephole + i, n), cell, sum);
}

ACC_INLINE void lstm_vector(const armnn_i_acc_lstm_job_t* job, size_t i, size_t n,
                            const int32_t function) {
  const int clips = job->clip < INFINITY;
  const vf_t high = vf_set(job->high), clip = vf_set(job->clip);
  vf_t cell = vf_load_first(job->cell + i, n);
  const vf_t forget = vf_sigmoid(peeped(job->forget, job->forget_peephole, i, n, cell));
  const vf_t input = job->input == NULL
                         ? vf_sub(vf_set(1.0f), forget)
                         : vf_sigmoid(peeped(job->input, job->input_peephole, i, n, cell));
  const vf_t fresh = activated(function, vf_load_first(job->fresh + i, n), high);
  cell = bounded(vf_fma(forget, cell, vf_mul(input, fresh)), clips, clip);
  const vf_t output = vf_sigmoid(peeped(job->output, job->output_peephole, i, n, cell));
  vf_store_first(job->cell + i, cell, n);
  vf_store_first(job->hidden + i, vf_mul(output, activated(function, cell, high)), n);
}

static void ACC_NAME(armnn_f32_lstm)(const armnn_i_acc_lstm_job_t* job) {
  if (job->function == ARMNN_ACC_TANH) { /* a loop of its own for what nearly all have */
    for (size_t i = 0; i < job->cells; i += VF_LANES) {
      lstm_vector(job, i, job->cells - i, ARMNN_ACC_TANH);
    }
    return;
  }
  for (size_t i = 0; i < job->cells; i += VF_LANES) {
    lstm_vector(job, i, job->cells - i, job->function);
  }
}

static void ACC_NAME(armnn_f32_gru_gates)(const armnn_i_acc_gru_job_t* job) {
  const int clips = job->clip < INFINITY;
  const vf_t clip = vf_set(job->clip);
  for (size_t i = 0; i < job->cells; i += VF_LANES) {
    const size_t n = job->cells - i;
    const vf_t update = bounded(vf_load_first(job->update + i, n), clips, clip);
    const vf_t sum = bounded(vf_load_first(job->reset + i, n), clips, clip);
    const vf_t reset = vf_sigmoid(sum);
    vf_store_first(job->update + i, vf_sigmoid(update), n);
    vf_store_first(job->reset + i, reset, n);
    if (job->kept != NULL) {
      vf_store_first(job->kept + i, vf_mul(reset, vf_load_first(job->state + i, n)), n);
    }
  }
}

static void ACC_NAME(armnn_f32_gru_state)(const armnn_i_acc_gru_job_t* job) {
  const int clips = job->clip < INFINITY;
  const vf_t clip = vf_set(job->clip);
  for (size_t i = 0; i < job->cells; i += VF_LANES) {
    const size_t n = job->cells - i;
    vf_t sum = vf_load_first(job->fresh + i, n);
    if (job->product != NULL) {
      sum = vf_fma(vf_load_first(job->reset + i, n), vf_load_first(job->product + i, n), sum);
    }
    const vf_t fresh = vf_tanh(bounded(sum, clips, clip));
    const vf_t update = vf_load_first(job->update + i, n);
    const vf_t state = vf_load_first(job->state + i, n);
    vf_store_first(job->state + i, vf_fma(update, vf_sub(state, fresh), fresh), n);
  }
}

extern const armnn_i_acc_recurrent_kernels_t ACC_NAME(armnn_i_acc_recurrent_kernels);
const armnn_i_acc_recurrent_kernels_t ACC_NAME(armnn_i_acc_recurrent_kernels) = {
    .lstm = ACC_NAME(armnn_f32_lstm),
    .gru_gates = ACC_NAME(armnn_f32_gru_gates),
    .gru_state = ACC_NAME(armnn_f32_gru_state),
    .lstm_name = "armnn_f32_lstm__" ACC_ISA_TEXT,
    .gru_name = "armnn_f32_gru__" ACC_ISA_TEXT,
    .rnn_name = "armnn_f32_rnn__" ACC_ISA_TEXT,
};
