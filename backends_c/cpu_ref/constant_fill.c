/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * constant_fill.c - layers that write what they already know: CONSTANT, FILL, RANK, SHAPE; and the
 * plain copies MEM_COPY and RESHAPE.
 */
#include "convert.h"
#include "kernels.h"
#include "tensor_checks.h"
#include "tensor_copy.h"

/* ---- Copies -----------------------------------------------------------------------------------
 */

/* CONSTANT and MEM_COPY keep everything, also the scales of a tensor quantised per axis. */
armnn_status_t armnn_i_ref_copy_supports(const armnn_layer_query_t* query, armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_operands(query, 1, 1, 1, reason));
  const armnn_tensor_info_t* input = query->input_infos[0];
  const armnn_tensor_info_t* output = query->output_infos[0];
  if (input->data_type != output->data_type) {
    return ARMNN_REF_REFUSE(reason, "input 0 is %s and output 0 is %s, a copy keeps the data type",
                            armnn_data_type_name(input->data_type),
                            armnn_data_type_name(output->data_type));
  }
  return armnn_i_ref_check_same_shape(input, "input 0", output, "output 0", reason);
}

armnn_status_t armnn_i_ref_reshape_supports(const armnn_layer_query_t* query,
                                            armnn_error_t* reason) {
  ARMNN_REF_CHECK_DESCRIPTOR(query, armnn_reshape_descriptor_t, reason);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_move_1_to_1(query, reason));
  const armnn_reshape_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(query, armnn_reshape_descriptor_t);
  const armnn_tensor_info_t* input = query->input_infos[0];
  const armnn_tensor_info_t* output = query->output_infos[0];
  ARMNN_RETURN_IF_ERROR(
      armnn_i_ref_check_descriptor_rank(output, "output 0", descriptor->rank, reason));
  armnn_shape_t target = armnn_shape_of(output);
  memcpy(target.dims, descriptor->target_shape, output->rank * sizeof target.dims[0]);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_shape(output, "output 0", &target, reason));
  if (input->element_count != output->element_count) {
    return ARMNN_REF_REFUSE(reason, "input 0 has %llu elements, output 0 has %llu",
                            (unsigned long long)input->element_count,
                            (unsigned long long)output->element_count);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_copy__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  uint64_t size = ARMNN_COUNT(call) * armnn_data_type_size(ARMNN_OUT_INFO(call, 0)->data_type);
  return armnn_copy_bytes(call->host, call->outputs[0], call->inputs[0], size);
}

armnn_status_t armnn_any_constant__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return armnn_any_copy__ref(call, error);
}

armnn_status_t armnn_any_reshape__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  return armnn_any_copy__ref(call, error);
}

/* ---- Fill -------------------------------------------------------------------------------------
 */

/* The shape operand is only checked: the output's info carries the same shape. */
armnn_status_t armnn_i_ref_fill_supports(const armnn_layer_query_t* query, armnn_error_t* reason) {
  ARMNN_REF_CHECK_DESCRIPTOR(query, armnn_fill_descriptor_t, reason);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_counts(query, 0, 1, 1, reason));
  const armnn_tensor_info_t* output = query->output_infos[0];
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_tensor(output, "output 0", ARMNN_ANY, reason));
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_type(output, "output 0",
                                               ARMNN_REF_NUMBERS | ARMNN_REF_TYPE(FLOAT16) |
                                                   ARMNN_REF_TYPE(BFLOAT16) |
                                                   ARMNN_REF_TYPE(BOOLEAN),
                                               reason));
  const armnn_tensor_info_t* shape = query->input_count > 0 ? query->input_infos[0] : NULL;
  if (shape == NULL) return ARMNN_STATUS_OK;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_tensor(shape, "input 0", ARMNN_ANY, reason));
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_type(shape, "input 0", ARMNN_REF_INDICES, reason));
  if (shape->rank != 1 || shape->dims[0] != output->rank) {
    return ARMNN_REF_REFUSE(reason,
                            "input 0 does not hold one number for each of the %u "
                            "dimensions of output 0",
                            (unsigned)output->rank);
  }
  return ARMNN_STATUS_OK;
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

/* ---- Rank and shape ---------------------------------------------------------------------------
 */

armnn_status_t armnn_i_ref_rank_shape_supports(const armnn_layer_query_t* query,
                                               armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_operands(query, 1, 1, 1, reason));
  const armnn_tensor_info_t* output = query->output_infos[0];
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_type(output, "output 0", ARMNN_REF_INDICES, reason));
  armnn_shape_t expected = {0, {0}};
  if (query->type == ARMNN_LAYER_SHAPE) {
    expected.rank = 1;
    expected.dims[0] = query->input_infos[0]->rank;
  }
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_shape(output, "output 0", &expected, reason));
  for (uint32_t d = 0; d < query->input_infos[0]->rank; ++d) {
    if (output->data_type == ARMNN_DATA_TYPE_SIGNED32 &&
        query->input_infos[0]->dims[d] > INT32_MAX) {
      return ARMNN_REF_REFUSE(reason, "dimension %u of input 0 does not fit signed32", (unsigned)d);
    }
  }
  return ARMNN_STATUS_OK;
}

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
