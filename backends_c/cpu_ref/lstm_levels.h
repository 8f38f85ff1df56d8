/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm_levels.h - LSTM cells in integers: QLSTM, and UNIDIRECTIONAL_SEQUENCE_LSTM of 8 bits.
 *
 * The arithmetic is that of TensorFlow Lite's 8-bit LSTM with a cell state of 16 bits, which
 * Android NNAPI's QUANTIZED_LSTM has as well. Products of a gate come as Q3.12 (with layer
 * normalisation in the intermediate scale of the gate), gates are Q0.15, the scale of the cell
 * state is a power of two; the output state is rounded to 8 bits in each step.
 */
#ifndef ARMNN_CPU_REF_LSTM_LEVELS_H_
#define ARMNN_CPU_REF_LSTM_LEVELS_H_

#include "armnn/backend_kit.h"

/* Types and scales that the arithmetic is defined for. */
armnn_status_t armnn_i_ref_lstm_levels_supports(const armnn_layer_query_t* query,
                                                armnn_error_t* reason);

armnn_status_t armnn_i_ref_prepare_lstm_levels(const armnn_workload_info_t* info,
                                               const armnn_host_t* host, armnn_backend_t* backend,
                                               void** out_prepared,
                                               armnn_workload_requirements_t* requirements,
                                               armnn_error_t* error);

/* Computes either layer. */
armnn_status_t armnn_i_ref_lstm_levels(const armnn_kernel_call_t* call, armnn_error_t* error);

#endif /* ARMNN_CPU_REF_LSTM_LEVELS_H_ */
