/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * indices.h - reading an operand of indices, SIGNED32 or SIGNED64, which run time alone knows.
 *
 * A negative index counts from the end. All indices are checked before anything is read or
 * written; one that is outside ends the run with its value and its bounds.
 */
#ifndef ARMNN_CPU_REF_INDICES_H_
#define ARMNN_CPU_REF_INDICES_H_

#include "armnn/backend_kit.h"

static inline int64_t armnn_i_ref_index(const void* indices, int32_t data_type, uint64_t place) {
  return data_type == ARMNN_DATA_TYPE_SIGNED32 ? ((const int32_t*)indices)[place]
                                               : ((const int64_t*)indices)[place];
}

/* Checks the indices of operand |info|: that at place p is one of dimension p % |depth| of |dims|,
 * or of |first|, the number of the first of these dimensions in messages, plus that. */
static inline armnn_status_t armnn_i_ref_check_indices(const armnn_tensor_info_t* info,
                                                       const void* indices, const uint64_t* dims,
                                                       uint32_t depth, uint32_t first,
                                                       armnn_error_t* error) {
  for (uint64_t i = 0; i < info->element_count; ++i) {
    const int64_t index = armnn_i_ref_index(indices, info->data_type, i);
    const uint32_t axis = (uint32_t)(i % depth);
    const uint64_t dim = dims[axis];
    if (index >= -(int64_t)dim && index < (int64_t)dim) continue;
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                      "index %lld at place %llu of the indices is outside [-%llu, %llu), the "
                      "bounds of dimension %u",
                      (long long)index, (unsigned long long)i, (unsigned long long)dim,
                      (unsigned long long)dim, (unsigned)(first + axis));
  }
  return ARMNN_STATUS_OK;
}

/* The offset behind the index vector at |place|, whose indices lie in |dims|. */
static inline uint64_t armnn_i_ref_index_offset(const void* indices, int32_t data_type,
                                                uint64_t place, const uint64_t* dims,
                                                uint32_t depth, const uint64_t* strides) {
  uint64_t offset = 0;
  for (uint32_t d = 0; d < depth; ++d) {
    const int64_t index = armnn_i_ref_index(indices, data_type, place * depth + d);
    offset += (uint64_t)(index < 0 ? index + (int64_t)dims[d] : index) * strides[d];
  }
  return offset;
}

#endif /* ARMNN_CPU_REF_INDICES_H_ */
