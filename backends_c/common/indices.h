/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * indices.h - reading an operand of indices, SIGNED32 or SIGNED64, which run time alone knows.
 *
 * A negative index counts from the end. All indices are checked before anything is read or
 * written; one that is outside ends the run with its value and its bounds.
 */
#ifndef ARMNN_COMMON_INDICES_H_
#define ARMNN_COMMON_INDICES_H_

#include "armnn/backend_kit.h"

static inline int64_t armnn_index(const void* indices, int32_t data_type, uint64_t place) {
  return data_type == ARMNN_DATA_TYPE_SIGNED32 ? ((const int32_t*)indices)[place]
                                               : ((const int64_t*)indices)[place];
}

/* Checks |count| indices: that at place p is one of dimension p % |depth| of |dims|; messages
 * number these dimensions from |first| on. */
static inline armnn_status_t armnn_check_indices(const void* indices, int32_t data_type,
                                                 uint64_t count, const uint64_t* dims,
                                                 uint32_t depth, uint32_t first,
                                                 armnn_error_t* error) {
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t index = armnn_index(indices, data_type, i);
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

/* The offset behind the index vector at |place|, whose indices lie in |dims|. One that has changed
 * since it was checked, as in a file that somebody writes to, counts as 0: nothing outside is
 * reached. */
static inline uint64_t armnn_index_offset(const void* indices, int32_t data_type, uint64_t place,
                                          const uint64_t* dims, uint32_t depth,
                                          const uint64_t* strides) {
  uint64_t offset = 0;
  for (uint32_t d = 0; d < depth; ++d) {
    const int64_t index = armnn_index(indices, data_type, place * depth + d);
    const uint64_t at = (uint64_t)index + (index < 0 ? dims[d] : 0);
    offset += (at < dims[d] ? at : 0) * strides[d];
  }
  return offset;
}

#endif /* ARMNN_COMMON_INDICES_H_ */
