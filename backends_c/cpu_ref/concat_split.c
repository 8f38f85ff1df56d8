/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * concat_split.c - CONCAT, SPLITTER and STACK: boxes of a tensor as tensors of their own.
 *
 * Views may lie anywhere, not only along one axis; those of a concat cover the output exactly once.
 */
#include "kernels.h"
#include "tensor_checks.h"
#include "tensor_copy.h"

/* ---- Views ------------------------------------------------------------------------------------
 */

/* The view lies inside |whole| and has the shape of |part|. */
static armnn_status_t check_view(const armnn_view_t* view, uint32_t index,
                                 const armnn_tensor_info_t* whole, const char* whole_what,
                                 const armnn_tensor_info_t* part, const char* part_what,
                                 armnn_error_t* reason) {
  armnn_shape_t size = armnn_shape_of(whole);
  memcpy(size.dims, view->size, whole->rank * sizeof size.dims[0]);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_shape(part, part_what, &size, reason));
  for (uint32_t d = 0; d < whole->rank; ++d) {
    if (view->origin[d] > whole->dims[d] || view->size[d] > whole->dims[d] - view->origin[d]) {
      return ARMNN_REF_REFUSE(
          reason,
          "view %u leaves dimension %u of %s: origin %llu, size %llu, "
          "dimension %llu",
          (unsigned)index, (unsigned)d, whole_what, (unsigned long long)view->origin[d],
          (unsigned long long)view->size[d], (unsigned long long)whole->dims[d]);
    }
  }
  return ARMNN_STATUS_OK;
}

static int views_overlap(const armnn_view_t* a, const armnn_view_t* b, uint32_t rank) {
  for (uint32_t d = 0; d < rank; ++d) {
    uint64_t begin = a->origin[d] > b->origin[d] ? a->origin[d] : b->origin[d];
    uint64_t end = armnn_min_u64(a->origin[d] + a->size[d], b->origin[d] + b->size[d]);
    if (begin >= end) return 0;
  }
  return 1;
}

/* The usual case, told apart because it needs no comparison of every pair: views that follow each
 * other along |axis| and are full in all other dimensions. */
static int views_follow_axis(const armnn_view_t* views, uint32_t count, uint32_t axis,
                             const armnn_tensor_info_t* whole) {
  uint64_t position = 0;
  if (axis >= whole->rank) return 0;
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t d = 0; d < whole->rank; ++d) {
      if (d != axis && (views[i].origin[d] != 0 || views[i].size[d] != whole->dims[d])) return 0;
    }
    if (views[i].origin[axis] != position) return 0;
    position += views[i].size[axis];
  }
  return position == whole->dims[axis];
}

static armnn_status_t check_cover(const armnn_view_t* views, uint32_t count, uint32_t axis,
                                  const armnn_tensor_info_t* whole, armnn_error_t* reason) {
  if (views_follow_axis(views, count, axis, whole)) return ARMNN_STATUS_OK;
  uint64_t covered =
      0; /* no overflow: each view lies inside the tensor, and pairs do not overlap */
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t j = 0; j < i; ++j) {
      if (views_overlap(&views[i], &views[j], whole->rank)) {
        return ARMNN_REF_REFUSE(reason, "views %u and %u overlap", (unsigned)j, (unsigned)i);
      }
    }
    covered += armnn_dims_product(views[i].size, 0, whole->rank);
  }
  if (covered != whole->element_count) {
    return ARMNN_REF_REFUSE(reason, "the views cover %llu of the %llu elements of output 0",
                            (unsigned long long)covered, (unsigned long long)whole->element_count);
  }
  return ARMNN_STATUS_OK;
}

/* Where a view begins, in elements of the whole tensor. */
static uint64_t view_offset(const armnn_view_t* view, const armnn_tensor_info_t* whole,
                            int64_t* out_strides) {
  uint64_t offset = 0;
  armnn_dense_strides(whole->dims, whole->rank, out_strides);
  for (uint32_t d = 0; d < whole->rank; ++d) offset += view->origin[d] * (uint64_t)out_strides[d];
  return offset;
}

/* ---- Concat -----------------------------------------------------------------------------------
 */

armnn_status_t armnn_i_ref_concat_supports(const armnn_layer_query_t* query,
                                           armnn_error_t* reason) {
  ARMNN_REF_CHECK_DESCRIPTOR(query, armnn_concat_descriptor_t, reason);
  const armnn_concat_descriptor_t* descriptor = ARMNN_DESCRIPTOR(query, armnn_concat_descriptor_t);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_operands(query, 1, UINT32_MAX, 1, reason));
  if (descriptor->view_count != query->input_count || descriptor->views == NULL) {
    return ARMNN_REF_REFUSE(reason, "the descriptor has %u views for %u inputs",
                            (unsigned)descriptor->view_count, (unsigned)query->input_count);
  }
  const armnn_tensor_info_t* output = query->output_infos[0];
  for (uint32_t i = 0; i < query->input_count; ++i) {
    char what[32];
    snprintf(what, sizeof what, "input %u", (unsigned)i);
    const armnn_tensor_info_t* input = query->input_infos[i];
    ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_moves(input, what, output, "output 0", reason));
    ARMNN_RETURN_IF_ERROR(
        check_view(&descriptor->views[i], i, output, "output 0", input, what, reason));
  }
  return check_cover(descriptor->views, descriptor->view_count, descriptor->axis, output, reason);
}

armnn_status_t armnn_any_concat__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_concat_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_concat_descriptor_t);
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  uint32_t size = armnn_data_type_size(output->data_type);
  int64_t out_strides[ARMNN_MAX_DIMS], in_strides[ARMNN_MAX_DIMS];
  for (uint32_t i = 0; i < call->info->input_count; ++i) {
    const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, i);
    if (input->element_count == 0) continue;
    uint64_t offset = view_offset(&descriptor->views[i], output, out_strides);
    armnn_dense_strides(input->dims, input->rank, in_strides);
    ARMNN_RETURN_IF_ERROR(armnn_copy_strided(call->host, size, input->rank, input->dims,
                                             ARMNN_OUT(call, 0, unsigned char) + offset * size,
                                             out_strides, call->inputs[i], in_strides));
  }
  return ARMNN_STATUS_OK;
}

/* ---- Splitter ---------------------------------------------------------------------------------
 */

armnn_status_t armnn_i_ref_splitter_supports(const armnn_layer_query_t* query,
                                             armnn_error_t* reason) {
  ARMNN_REF_CHECK_DESCRIPTOR(query, armnn_splitter_descriptor_t, reason);
  const armnn_splitter_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(query, armnn_splitter_descriptor_t);
  if (query->output_count == 0) return ARMNN_REF_REFUSE(reason, "the layer has no outputs");
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_operands(query, 1, 1, query->output_count, reason));
  if (descriptor->view_count != query->output_count || descriptor->views == NULL) {
    return ARMNN_REF_REFUSE(reason, "the descriptor has %u views for %u outputs",
                            (unsigned)descriptor->view_count, (unsigned)query->output_count);
  }
  const armnn_tensor_info_t* input = query->input_infos[0];
  for (uint32_t i = 0; i < query->output_count; ++i) {
    char what[32];
    snprintf(what, sizeof what, "output %u", (unsigned)i);
    const armnn_tensor_info_t* output = query->output_infos[i];
    ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_moves(input, "input 0", output, what, reason));
    ARMNN_RETURN_IF_ERROR(
        check_view(&descriptor->views[i], i, input, "input 0", output, what, reason));
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_splitter__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_splitter_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_splitter_descriptor_t);
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  uint32_t size = armnn_data_type_size(input->data_type);
  int64_t out_strides[ARMNN_MAX_DIMS], in_strides[ARMNN_MAX_DIMS];
  for (uint32_t i = 0; i < call->info->output_count; ++i) {
    const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, i);
    if (output->element_count == 0) continue;
    uint64_t offset = view_offset(&descriptor->views[i], input, in_strides);
    armnn_dense_strides(output->dims, output->rank, out_strides);
    ARMNN_RETURN_IF_ERROR(armnn_copy_strided(
        call->host, size, output->rank, output->dims, call->outputs[i], out_strides,
        ARMNN_IN(call, 0, unsigned char) + offset * size, in_strides));
  }
  return ARMNN_STATUS_OK;
}

/* ---- Stack ------------------------------------------------------------------------------------
 */

armnn_status_t armnn_i_ref_stack_supports(const armnn_layer_query_t* query, armnn_error_t* reason) {
  ARMNN_REF_CHECK_DESCRIPTOR(query, armnn_stack_descriptor_t, reason);
  const armnn_stack_descriptor_t* descriptor = ARMNN_DESCRIPTOR(query, armnn_stack_descriptor_t);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_operands(query, 1, UINT32_MAX, 1, reason));
  if (descriptor->input_count != query->input_count) {
    return ARMNN_REF_REFUSE(reason, "the descriptor says %u inputs, the layer has %u",
                            (unsigned)descriptor->input_count, (unsigned)query->input_count);
  }
  const armnn_tensor_info_t* output = query->output_infos[0];
  uint32_t rank = query->input_infos[0]->rank;
  if (rank >= ARMNN_MAX_DIMS || descriptor->axis > rank) {
    return ARMNN_REF_REFUSE(reason, "inputs of %u dimensions cannot be stacked along axis %u",
                            (unsigned)rank, (unsigned)descriptor->axis);
  }
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_descriptor_rank(query->input_infos[0], "input 0",
                                                          descriptor->rank, reason));
  armnn_shape_t each = {rank, {0}};
  memcpy(each.dims, descriptor->input_shape, rank * sizeof each.dims[0]);
  for (uint32_t i = 0; i < query->input_count; ++i) {
    char what[32];
    snprintf(what, sizeof what, "input %u", (unsigned)i);
    ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_shape(query->input_infos[i], what, &each, reason));
    ARMNN_RETURN_IF_ERROR(
        armnn_i_ref_check_moves(query->input_infos[i], what, output, "output 0", reason));
  }
  armnn_shape_t expected = {rank + 1, {0}};
  for (uint32_t d = 0; d <= rank; ++d) {
    expected.dims[d] =
        d == descriptor->axis ? query->input_count : each.dims[d < descriptor->axis ? d : d - 1];
  }
  return armnn_i_ref_check_shape(output, "output 0", &expected, reason);
}

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
