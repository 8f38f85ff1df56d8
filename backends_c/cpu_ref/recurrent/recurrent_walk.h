/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * recurrent_walk.h - GRU and RNN walk over a sequence alike: their operands have the same places, a
 * row of the batch goes through all its steps by itself, and behind its end outputs are 0.
 */
#ifndef ARMNN_CPU_REF_RECURRENT_WALK_H_
#define ARMNN_CPU_REF_RECURRENT_WALK_H_

#include "recurrent.h"

enum {
  ARMNN_REF_WALK_X,
  ARMNN_REF_WALK_INPUT_WEIGHTS,
  ARMNN_REF_WALK_RECURRENT_WEIGHTS,
  ARMNN_REF_WALK_INPUT_BIAS,
  ARMNN_REF_WALK_RECURRENT_BIAS,
  ARMNN_REF_WALK_STATE,
  ARMNN_REF_WALK_LENGTHS
};

typedef struct armnn_i_ref_walk_t armnn_i_ref_walk_t;
struct armnn_i_ref_walk_t {
  const armnn_kernel_call_t* call;
  int32_t direction; /* armnn_recurrent_direction_e */
  uint64_t gates;
  uint64_t row_floats; /* of scratch: for each direction and row, of each hidden unit */
  uint64_t input_rows; /* of scratch, behind them: as wide as the input */
  /* One step: |state| becomes that behind it. */
  void (*step)(const armnn_i_ref_walk_t* walk, uint64_t direction, const float* x, float* scratch,
               float* state);
  /* From the tensors: */
  uint64_t steps, batch, inputs, hidden, directions;
};

/* Runs all steps of float32 tensors. */
armnn_status_t armnn_i_ref_walk(armnn_i_ref_walk_t* walk, armnn_error_t* error);

/* Scratch of |hidden_rows| floats of each hidden unit and |input_rows| of each input, behind copies
 * of operands that are no float32. */
armnn_status_t armnn_i_ref_prepare_walk(const armnn_workload_info_t* info, const armnn_host_t* host,
                                        armnn_backend_t* backend, uint64_t hidden_rows,
                                        uint64_t input_rows, void** out_prepared,
                                        armnn_workload_requirements_t* requirements,
                                        armnn_error_t* error);

/* Null if it is absent. */
static inline const void* armnn_i_ref_walk_operand(const armnn_i_ref_walk_t* walk, uint32_t place) {
  return place < walk->call->info->input_count ? walk->call->inputs[place] : NULL;
}

/* The bias of |kind|, or 0, of unit |place| of all gates and directions. */
static inline float armnn_i_ref_walk_bias(const armnn_i_ref_walk_t* walk, uint32_t kind,
                                          uint64_t place) {
  const float* bias = (const float*)armnn_i_ref_walk_operand(walk, kind);
  return bias == NULL ? 0.0f : bias[place];
}

/* Row |place| of weights times |x|. */
static inline float armnn_i_ref_walk_product(const armnn_i_ref_walk_t* walk, uint32_t kind,
                                             uint64_t place, const float* x, uint64_t count) {
  const float* weights = (const float*)armnn_i_ref_walk_operand(walk, kind);
  return armnn_i_ref_dot(x, weights + place * count, count);
}

#endif /* ARMNN_CPU_REF_RECURRENT_WALK_H_ */
