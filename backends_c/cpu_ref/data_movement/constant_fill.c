/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * constant_fill.c - layers that write what they already know: CONSTANT, FILL, RANK, SHAPE; and the
 * plain copies MEM_COPY and RESHAPE.
 */
#include "kernels.h"
#include "shared/convert.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

/* ---- Copies ---------------------------------------------------------------------------------- */

armnn_status_t armnn_any_copy__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const uint64_t bits =
      ARMNN_COUNT(call) * armnn_data_type_bits(ARMNN_OUT_INFO(call, 0)->data_type);
  return armnn_copy_bytes(call->host, call->outputs[0], call->inputs[0], (bits + 7) / 8);
}

armnn_status_t armnn_any_constant__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return armnn_any_copy__ref(call, error);
}

armnn_status_t armnn_any_reshape__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return armnn_any_copy__ref(call, error);
}

/* ---- Fill ------------------------------------------------------------------------------------ */

/* A quantised output is refused: the value is not quantised. The operand with the shape is not
 * read: the output's info has the same shape. */
armnn_status_t armnn_i_ref_fill_supports(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const int32_t type = query->output_infos[0]->data_type;
  if (!armnn_data_type_is_quantized(type)) return ARMNN_STATUS_OK;
  return ARMNN_RULE_REFUSE(reason, "output 0 is %s, the kernel does not quantise its value",
                           armnn_data_type_name(type));
}

armnn_status_t armnn_any_fill__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  const int64_t target_stride = 1, source_stride = 0;
  unsigned char element[8];
  armnn_i_ref_store_value(ARMNN_DESCRIPTOR(call->info, armnn_fill_descriptor_t)->value,
                          output->data_type, element);
  return armnn_copy_strided(call->host, armnn_data_type_size(output->data_type), 1,
                            &output->element_count, call->outputs[0], &target_stride, element,
                            &source_stride);
}

/* ---- Rank and shape -------------------------------------------------------------------------- */

static void store_index(const armnn_kernel_call_t* call, uint64_t place, uint64_t value) {
  if (ARMNN_OUT_INFO(call, 0)->data_type == ARMNN_DATA_TYPE_SIGNED32) {
    ARMNN_OUT(call, 0, int32_t)[place] = (int32_t)value;
  } else {
    ARMNN_OUT(call, 0, int64_t)[place] = (int64_t)value;
  }
}

armnn_status_t armnn_any_rank__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  store_index(call, 0, ARMNN_IN_INFO(call, 0)->rank);
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_shape__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  for (uint32_t d = 0; d < input->rank; ++d) store_index(call, d, input->dims[d]);
  return ARMNN_STATUS_OK;
}
