/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * levels.h - sums of products of quantised tensors, on the loop nests of the float32 kernels.
 *
 * Levels (q - zero_point) are integers of 9 bits, and float32 holds integers of 24: a nest that
 * adds up to ARMNN_REF_EXACT products of such floats makes no rounding error. So operands are
 * decoded to levels as float32 in scratch, and a nest hands over its sums after at most that many
 * products (armnn_i_ref_levels_take), which are collected in 64 bits. QSYMM_S16 becomes two planes
 * of 8 bits, and the nest goes over each pair of planes: a pass.
 *
 * A complete sum gets its bias and is scaled to the output. By ARMNN_RESCALING_FIXED_POINT as
 * TensorFlow Lite's specification has it (fixed_point.h): FULLY_CONNECTED rounds once; of the
 * others, 8-bit inputs and 32-bit biases have 32-bit sums, QSYMM_S16 64-bit sums. By
 * ARMNN_RESCALING_REAL as real_rescale.h has it.
 */
#ifndef ARMNN_CPU_REF_LEVELS_H_
#define ARMNN_CPU_REF_LEVELS_H_

#include "codec.h"
#include "fixed_point.h"
#include "real_rescale.h"
#include "tile.h"

/* 256 * 255 * 255 < 2^24. */
enum { ARMNN_REF_EXACT = 256, ARMNN_REF_MAX_PASSES = 4 };

enum armnn_i_ref_rounding_e {
  ARMNN_REF_ROUND_ONCE,    /* armnn_scale */
  ARMNN_REF_ROUND_32_BITS, /* armnn_scale32 */
  ARMNN_REF_ROUND_64_BITS, /* armnn_scale64 */
  ARMNN_REF_ROUND_REAL     /* armnn_rescaled_sum */
};

typedef struct armnn_i_ref_levels_t {
  const float* x; /* planes of the left operand, the lowest first */
  const float* y;
  int passes;
  int64_t x_offset[ARMNN_REF_MAX_PASSES]; /* where the planes of a pass begin */
  int64_t y_offset[ARMNN_REF_MAX_PASSES];
  int32_t weight[ARMNN_REF_MAX_PASSES]; /* of a sum of this pass: a power of two */
  const void* bias;                     /* or null */
  int32_t bias_type;
  int32_t rounding;              /* armnn_i_ref_rounding_e */
  const armnn_factor_t* factors; /* one, or one for each channel; null with |reals| */
  const double* reals;           /* the same as real numbers, of ARMNN_REF_ROUND_REAL */
  int per_channel;
  armnn_i_ref_codec_t out_codec;
  void* out;
  float* sums; /* of DEPTHWISE_CONVOLUTION2D with few taps, for each output: else null */
} armnn_i_ref_levels_t;

typedef int64_t armnn_i_ref_totals_t[ARMNN_REF_TILE][ARMNN_REF_TILE];

/* What the kernel row's support function says of a layer of quantised operands 0 and 1. */
armnn_status_t armnn_i_ref_levels_supports(const armnn_layer_query_t* query, armnn_error_t* reason);

/* Asks for the scratch that armnn_i_ref_levels takes. */
armnn_status_t armnn_i_ref_prepare_levels(const armnn_workload_info_t* info,
                                          const armnn_host_t* host, armnn_backend_t* backend,
                                          void** out_prepared,
                                          armnn_workload_requirements_t* requirements,
                                          armnn_error_t* error);

/* Decodes inputs 0 and 1 of the call. */
armnn_status_t armnn_i_ref_levels(const armnn_kernel_call_t* call, int has_bias,
                                  armnn_i_ref_levels_t* out_levels, armnn_error_t* error);

/* totals += the sums of |pass|, and these become 0. */
void armnn_i_ref_levels_take(const armnn_i_ref_levels_t* levels, int pass, int64_t rows,
                             int64_t columns, armnn_i_ref_tile_t sum, armnn_i_ref_totals_t totals);

void armnn_i_ref_levels_clear(int64_t rows, armnn_i_ref_totals_t totals);

/* Writes element |index| of the output from the complete sum of products of |channel|. */
void armnn_i_ref_levels_store(const armnn_i_ref_levels_t* levels, int64_t total, int64_t channel,
                              int64_t index);

/* Writes the output from |sums|, which lie like it: |inner| elements of each of |channels| in turn.
 */
armnn_status_t armnn_i_ref_levels_store_sums(const armnn_kernel_call_t* call,
                                             const armnn_i_ref_levels_t* levels, uint64_t channels,
                                             uint64_t inner);

/* Writes totals[m][n] to element |index| + m * |row| + n * |column|; channels run along m from
 * |channel| on if |channel_rows|, else along n. One of |row| and |column| is 1. */
void armnn_i_ref_levels_store_tile(const armnn_i_ref_levels_t* levels, armnn_i_ref_totals_t totals,
                                   int64_t rows, int64_t columns, int64_t channel, int channel_rows,
                                   int64_t index, int64_t row, int64_t column);

#endif /* ARMNN_CPU_REF_LEVELS_H_ */
