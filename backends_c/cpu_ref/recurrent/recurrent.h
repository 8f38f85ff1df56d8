/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * recurrent.h - recurrent layers: which of them are computed, the scratch that they take, and the
 * arithmetic that they share.
 */
#ifndef ARMNN_CPU_REF_RECURRENT_H_
#define ARMNN_CPU_REF_RECURRENT_H_

#include <math.h>

#include "armnn/backend_kit.h"

armnn_status_t armnn_i_ref_lstm_supports(const armnn_layer_query_t* query, armnn_error_t* reason);

/* Types and scales that the arithmetic is defined for. */
armnn_status_t armnn_i_ref_quantized_lstm_supports(const armnn_layer_query_t* query,
                                                   armnn_error_t* reason);

/* Copies of operands that are no float32 (widened.h), then the gates of a step. */
armnn_status_t armnn_i_ref_prepare_lstm(const armnn_workload_info_t* info, const armnn_host_t* host,
                                        armnn_backend_t* backend, void** out_prepared,
                                        armnn_workload_requirements_t* requirements,
                                        armnn_error_t* error);
/* GRU and RNN (recurrent_walk.h). */
armnn_status_t armnn_i_ref_walk_supports(const armnn_layer_query_t* query, armnn_error_t* reason);
armnn_status_t armnn_i_ref_prepare_gru(const armnn_workload_info_t* info, const armnn_host_t* host,
                                       armnn_backend_t* backend, void** out_prepared,
                                       armnn_workload_requirements_t* requirements,
                                       armnn_error_t* error);
armnn_status_t armnn_i_ref_prepare_rnn(const armnn_workload_info_t* info, const armnn_host_t* host,
                                       armnn_backend_t* backend, void** out_prepared,
                                       armnn_workload_requirements_t* requirements,
                                       armnn_error_t* error);

/* The sum of a[i] * b[i]. Partial sums let the compiler use vectors. */
static inline float armnn_i_ref_dot(const float* a, const float* b, uint64_t count) {
  enum { LANES = 16 };
  float sums[LANES] = {0.0f};
  uint64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    for (int lane = 0; lane < LANES; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  double sum = 0.0;
  for (int lane = 0; lane < LANES; ++lane) sum += sums[lane];
  for (; i < count; ++i) sum += (double)a[i] * b[i];
  return (float)sum;
}

/* To [-bound, bound]; a bound of 0 clips nothing. NaN stays. */
static inline float armnn_i_ref_clipped(float value, float bound) {
  if (!(bound > 0.0f)) return value;
  return value > bound ? bound : value < -bound ? -bound : value;
}

static inline float armnn_i_ref_sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

#endif /* ARMNN_CPU_REF_RECURRENT_H_ */
