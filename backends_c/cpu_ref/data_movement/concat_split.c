/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * concat_split.c - CONCAT, SPLITTER and STACK: boxes of a tensor as tensors of their own.
 *
 * Views may lie anywhere, not only along one axis; those of a concat cover the output exactly once.
 * Where a size along their axis is bounded, each begins where those before it end.
 */
#include "kernels.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

/* ---- Views ----------------------------------------------------------------------------------- */

/* The tensors that are views of a whole one. */
typedef struct parts_t {
  const armnn_view_t* views;
  const armnn_tensor_info_t* const* infos;
  uint32_t count;
  uint32_t moved; /* bit d: a size of dimension d is not that of its view */
} parts_t;

static parts_t make_parts(const armnn_view_t* views, const armnn_tensor_info_t* const* infos,
                          uint32_t count) {
  parts_t parts = {views, infos, count, 0};
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t d = 0; d < infos[i]->rank; ++d) {
      if (infos[i]->dims[d] != views[i].size[d]) parts.moved |= 1u << d;
    }
  }
  return parts;
}

static uint64_t view_origin(const parts_t* parts, uint32_t view, uint32_t d) {
  const uint64_t origin = parts->views[view].origin[d];
  if (origin == 0 || (parts->moved >> d & 1u) == 0) return origin;
  uint64_t before = 0;
  for (uint32_t i = 0; i < parts->count; ++i) {
    if (parts->views[i].origin[d] < origin) before += parts->infos[i]->dims[d];
  }
  return before;
}

/* Where a view begins, in elements of the whole tensor. */
static uint64_t view_offset(const parts_t* parts, uint32_t view, const armnn_tensor_info_t* whole,
                            int64_t* out_strides) {
  uint64_t offset = 0;
  armnn_dense_strides(whole->dims, whole->rank, out_strides);
  for (uint32_t d = 0; d < whole->rank; ++d) {
    offset += view_origin(parts, view, d) * (uint64_t)out_strides[d];
  }
  return offset;
}

armnn_status_t armnn_i_ref_takes_bounded(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const int joins = query->type == ARMNN_LAYER_CONCAT;
  if (!joins && query->type != ARMNN_LAYER_SPLITTER) return ARMNN_STATUS_OK;
  const armnn_view_t* views = joins ? ARMNN_DESCRIPTOR(query, armnn_concat_descriptor_t)->views
                                    : ARMNN_DESCRIPTOR(query, armnn_splitter_descriptor_t)->views;
  const armnn_tensor_info_t* whole = joins ? query->output_infos[0] : query->input_infos[0];
  const uint32_t count = joins ? query->input_count : query->output_count;
  uint32_t axes = 0; /* along which the views lie */
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t d = 0; d < whole->rank; ++d) {
      if (views[i].origin[d] != 0) axes |= 1u << d;
    }
  }
  if ((axes & ~whole->dim_known_mask) == 0 || (axes & (axes - 1)) == 0) return ARMNN_STATUS_OK;
  return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED,
                    "views lie along several dimensions, one of which is bounded");
}

/* ---- Concat ---------------------------------------------------------------------------------- */

armnn_status_t armnn_any_concat__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_concat_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_concat_descriptor_t);
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  uint32_t size = armnn_data_type_size(output->data_type);
  int64_t out_strides[ARMNN_MAX_DIMS], in_strides[ARMNN_MAX_DIMS];
  const parts_t parts =
      make_parts(descriptor->views, call->info->input_infos, call->info->input_count);
  for (uint32_t i = 0; i < call->info->input_count; ++i) {
    const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, i);
    if (input->element_count == 0) continue;
    uint64_t offset = view_offset(&parts, i, output, out_strides);
    armnn_dense_strides(input->dims, input->rank, in_strides);
    ARMNN_RETURN_IF_ERROR(armnn_copy_strided(call->host, size, input->rank, input->dims,
                                             ARMNN_OUT(call, 0, unsigned char) + offset * size,
                                             out_strides, call->inputs[i], in_strides));
  }
  return ARMNN_STATUS_OK;
}

/* ---- Splitter -------------------------------------------------------------------------------- */

armnn_status_t armnn_any_splitter__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_splitter_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_splitter_descriptor_t);
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  uint32_t size = armnn_data_type_size(input->data_type);
  int64_t out_strides[ARMNN_MAX_DIMS], in_strides[ARMNN_MAX_DIMS];
  const parts_t parts =
      make_parts(descriptor->views, call->info->output_infos, call->info->output_count);
  for (uint32_t i = 0; i < call->info->output_count; ++i) {
    const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, i);
    if (output->element_count == 0) continue;
    uint64_t offset = view_offset(&parts, i, input, in_strides);
    armnn_dense_strides(output->dims, output->rank, out_strides);
    ARMNN_RETURN_IF_ERROR(armnn_copy_strided(
        call->host, size, output->rank, output->dims, call->outputs[i], out_strides,
        ARMNN_IN(call, 0, unsigned char) + offset * size, in_strides));
  }
  return ARMNN_STATUS_OK;
}

/* ---- Stack ----------------------------------------------------------------------------------- */

armnn_status_t armnn_any_stack__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  uint32_t axis = ARMNN_DESCRIPTOR(call->info, armnn_stack_descriptor_t)->axis;
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  uint32_t size = armnn_data_type_size(output->data_type);
  int64_t strides[ARMNN_MAX_DIMS], out_strides[ARMNN_MAX_DIMS], in_strides[ARMNN_MAX_DIMS];
  if (output->element_count == 0) return ARMNN_STATUS_OK;
  armnn_dense_strides(output->dims, output->rank, strides);
  armnn_dense_strides(input->dims, input->rank, in_strides);
  for (uint32_t d = 0; d < input->rank; ++d) out_strides[d] = strides[d < axis ? d : d + 1];
  for (uint32_t i = 0; i < call->info->input_count; ++i) {
    uint64_t offset = i * (uint64_t)strides[axis] * size;
    ARMNN_RETURN_IF_ERROR(armnn_copy_strided(call->host, size, input->rank, input->dims,
                                             ARMNN_OUT(call, 0, unsigned char) + offset,
                                             out_strides, call->inputs[i], in_strides));
  }
  return ARMNN_STATUS_OK;
}
