/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * in_place.c - tells the host when an output may take the memory of an input.
 *
 * Only for kernels that read an element of such an input no later than they write the element of
 * the output with the same index. An operand that is broadcast has fewer elements and is left
 * alone.
 */
#include "kernels.h"

armnn_status_t armnn_i_ref_prepare_in_place(const armnn_workload_info_t* info,
                                            const armnn_host_t* host, armnn_backend_t* backend,
                                            void** out_prepared,
                                            armnn_workload_requirements_t* requirements,
                                            armnn_error_t* error) {
  (void)backend;
  (void)host;
  (void)error;
  *out_prepared = NULL;
  const armnn_tensor_info_t* output = info->output_infos[0];
  for (uint32_t i = 0; i < info->input_count && i < 64; ++i) {
    const armnn_tensor_info_t* input = info->input_infos[i];
    if (input != NULL && input->element_count == output->element_count &&
        armnn_data_type_bits(input->data_type) == armnn_data_type_bits(output->data_type)) {
      requirements->in_place_mask |= UINT64_C(1) << i;
    }
  }
  return ARMNN_STATUS_OK;
}
