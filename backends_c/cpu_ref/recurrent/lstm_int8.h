/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm_int8.h - LSTM cells in integers (lstm_integers.h): QLSTM, and UNIDIRECTIONAL_SEQUENCE_LSTM
 * of 8 bits.
 */
#ifndef ARMNN_CPU_REF_LSTM_INT8_H_
#define ARMNN_CPU_REF_LSTM_INT8_H_

#include "armnn/backend_kit.h"

/* Types and scales that the arithmetic is defined for. */
armnn_status_t armnn_i_ref_lstm_int8_supports(const armnn_layer_query_t* query,
                                              armnn_error_t* reason);

armnn_status_t armnn_i_ref_prepare_lstm_int8(const armnn_workload_info_t* info,
                                             const armnn_host_t* host, armnn_backend_t* backend,
                                             void** out_prepared,
                                             armnn_workload_requirements_t* requirements,
                                             armnn_error_t* error);

/* Computes either layer. */
armnn_status_t armnn_i_ref_lstm_int8(const armnn_kernel_call_t* call, armnn_error_t* error);

#endif /* ARMNN_CPU_REF_LSTM_INT8_H_ */
