/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * tensor_checks.h - what the kernels that work on whole tensors ask of a query.
 *
 * As checks.h: each check returns OK, or writes a reason and returns UNSUPPORTED.
 */
#ifndef ARMNN_CPU_REF_TENSOR_CHECKS_H_
#define ARMNN_CPU_REF_TENSOR_CHECKS_H_

#include "checks.h"
#include "tensor_shape.h"

/* A set of data types. */
#define ARMNN_REF_TYPE(type) (1u << ARMNN_DATA_TYPE_##type)
#define ARMNN_REF_NUMBERS \
  (ARMNN_REF_TYPE(FLOAT32) | ARMNN_REF_TYPE(SIGNED32) | ARMNN_REF_TYPE(SIGNED64))
#define ARMNN_REF_INDICES (ARMNN_REF_TYPE(SIGNED32) | ARMNN_REF_TYPE(SIGNED64))
#define ARMNN_REF_ALL_TYPES ((1u << ARMNN_DATA_TYPE_COUNT) - 1u)

static inline armnn_status_t armnn_i_ref_check_type(const armnn_tensor_info_t* info,
                                                    const char* what, uint32_t types,
                                                    armnn_error_t* reason) {
  int32_t type = info->data_type;
  if (type >= 0 && type < ARMNN_DATA_TYPE_COUNT && (types >> type & 1u)) return ARMNN_STATUS_OK;
  char list[128] = "";
  for (int32_t t = 0; t < ARMNN_DATA_TYPE_COUNT; ++t) {
    if ((types >> t & 1u) == 0) continue;
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, used > 0 ? ", %s" : "%s", armnn_data_type_name(t));
  }
  return ARMNN_REF_REFUSE(reason, "%s is %s, the kernel takes %s", what, armnn_data_type_name(type),
                          list);
}

/* Counts within the bounds, and every operand a sane tensor of a known data type. */
static inline armnn_status_t armnn_i_ref_check_operands(const armnn_layer_query_t* query,
                                                        uint32_t least_inputs, uint32_t most_inputs,
                                                        uint32_t outputs, armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(
      armnn_i_ref_check_counts(query, least_inputs, most_inputs, outputs, reason));
  for (uint32_t i = 0; i < query->input_count + query->output_count; ++i) {
    int is_input = i < query->input_count;
    uint32_t index = is_input ? i : i - query->input_count;
    const armnn_tensor_info_t* info =
        is_input ? query->input_infos[index] : query->output_infos[index];
    char what[32];
    snprintf(what, sizeof what, "%s %u", is_input ? "input" : "output", (unsigned)index);
    ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_tensor(info, what, ARMNN_ANY, reason));
    ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_type(info, what, ARMNN_REF_ALL_TYPES, reason));
  }
  return ARMNN_STATUS_OK;
}

/* |info| has the shape that the layer's definition gives. */
static inline armnn_status_t armnn_i_ref_check_shape(const armnn_tensor_info_t* info,
                                                     const char* what,
                                                     const armnn_shape_t* expected,
                                                     armnn_error_t* reason) {
  armnn_shape_t actual = armnn_shape_of(info);
  if (armnn_shape_equal(&actual, expected)) return ARMNN_STATUS_OK;
  char actual_text[ARMNN_SHAPE_TEXT_SIZE], expected_text[ARMNN_SHAPE_TEXT_SIZE];
  return ARMNN_REF_REFUSE(reason, "%s has the shape %s, the layer gives %s", what,
                          armnn_dims_text(actual.dims, actual.rank, actual_text),
                          armnn_dims_text(expected->dims, expected->rank, expected_text));
}

static inline int armnn_i_ref_is_quantized(int32_t data_type) {
  return data_type == ARMNN_DATA_TYPE_QASYMM_U8 || data_type == ARMNN_DATA_TYPE_QASYMM_S8 ||
         data_type == ARMNN_DATA_TYPE_QSYMM_S8 || data_type == ARMNN_DATA_TYPE_QSYMM_S16;
}

/* |to| can take elements of |from| as they are: one type, and one quantisation for all of the
 * tensor. Elements that are quantised per axis lose their scale when they move. */
static inline armnn_status_t armnn_i_ref_check_moves(const armnn_tensor_info_t* from,
                                                     const char* from_what,
                                                     const armnn_tensor_info_t* to,
                                                     const char* to_what, armnn_error_t* reason) {
  if (from->data_type != to->data_type) {
    return ARMNN_REF_REFUSE(reason, "%s is %s and %s is %s, the layer keeps the data type",
                            from_what, armnn_data_type_name(from->data_type), to_what,
                            armnn_data_type_name(to->data_type));
  }
  if (!armnn_i_ref_is_quantized(from->data_type)) return ARMNN_STATUS_OK;
  if (from->quantization_count > 1 || to->quantization_count > 1) {
    return ARMNN_REF_REFUSE(reason,
                            "%s is quantised per axis, the kernel moves elements that "
                            "share one scale",
                            from->quantization_count > 1 ? from_what : to_what);
  }
  if (from->quantization_count != to->quantization_count ||
      (from->quantization_count == 1 &&
       (from->scales[0] != to->scales[0] || from->zero_points[0] != to->zero_points[0]))) {
    return ARMNN_REF_REFUSE(reason,
                            "%s and %s are quantised differently, the kernel does not "
                            "requantise",
                            from_what, to_what);
  }
  return ARMNN_STATUS_OK;
}

/* One input whose elements move to one output. */
static inline armnn_status_t armnn_i_ref_check_move_1_to_1(const armnn_layer_query_t* query,
                                                           armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_operands(query, 1, 1, 1, reason));
  return armnn_i_ref_check_moves(query->input_infos[0], "input 0", query->output_infos[0],
                                 "output 0", reason);
}

/* The descriptor is there, is of this layer type, and is as long as this code reads. */
#define ARMNN_REF_CHECK_DESCRIPTOR(query, type, reason) \
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_descriptor(query, sizeof(type), reason))

/* A descriptor's own count of dimensions equals the tensor's. */
static inline armnn_status_t armnn_i_ref_check_descriptor_rank(const armnn_tensor_info_t* info,
                                                               const char* what, uint32_t rank,
                                                               armnn_error_t* reason) {
  if (info->rank == rank) return ARMNN_STATUS_OK;
  return ARMNN_REF_REFUSE(reason, "%s has %u dimensions, the descriptor has %u", what,
                          (unsigned)info->rank, (unsigned)rank);
}

#endif /* ARMNN_CPU_REF_TENSOR_CHECKS_H_ */
