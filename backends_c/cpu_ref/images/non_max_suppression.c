/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * non_max_suppression.c - NON_MAX_SUPPRESSION; suppression.h has the work.
 */
#include "kernels.h"
#include "shared/scratch.h"
#include "suppression.h"

static armnn_suppression_layer_t layer_of(const armnn_workload_info_t* info) {
  const uint64_t* dims = info->input_infos[1]->dims;
  return armnn_suppression_layer(ARMNN_DESCRIPTOR(info, armnn_non_max_suppression_descriptor_t),
                                 dims[0], dims[1], dims[2]);
}

armnn_status_t armnn_i_ref_prepare_suppression(const armnn_workload_info_t* info,
                                               const armnn_host_t* host, armnn_backend_t* backend,
                                               void** out_prepared,
                                               armnn_workload_requirements_t* requirements,
                                               armnn_error_t* error) {
  (void)host, (void)backend, (void)error;
  *out_prepared = NULL;
  const armnn_suppression_layer_t layer = layer_of(info);
  armnn_i_ref_scratch_ask(requirements, armnn_suppression_layer_bytes(&layer), 1);
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_non_max_suppression__ref(const armnn_kernel_call_t* call,
                                                  armnn_error_t* error) {
  (void)error;
  const armnn_suppression_layer_t layer = layer_of(call->info);
  armnn_run_suppression_layer(&layer, ARMNN_IN(call, 0, float), ARMNN_IN(call, 1, float),
                              call->scratch, ARMNN_OUT(call, 0, int32_t), ARMNN_OUT(call, 1, float),
                              ARMNN_OUT(call, 2, int32_t));
  return ARMNN_STATUS_OK;
}
