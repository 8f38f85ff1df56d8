/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * indices.h - reading an operand of indices, SIGNED32 or SIGNED64, which run time alone knows.
 *
 * Behind that: the nodes of decision trees, which lead to each other by their numbers.
 *
 * A negative index counts from the end. All indices are checked before anything is read or
 * written; one that is outside ends the run with its value and its bounds.
 */
#ifndef ARMNN_COMMON_INDICES_H_
#define ARMNN_COMMON_INDICES_H_

#include <stdbool.h>

#include "armnn/backend_kit.h"

static inline int64_t armnn_index(const void* indices, int32_t data_type, uint64_t place) {
  return data_type == ARMNN_DATA_TYPE_SIGNED32 ? ((const int32_t*)indices)[place]
                                               : ((const int64_t*)indices)[place];
}

/* Whether |count| indices lie in a dimension. */
static inline bool armnn_indices_fit(const void* indices, int32_t data_type, uint64_t count,
                                     uint64_t dim) {
  uint64_t outside = 0;
  if (data_type == ARMNN_DATA_TYPE_SIGNED32) {
    for (uint64_t i = 0; i < count; ++i) {
      outside |= (uint64_t)armnn_index(indices, ARMNN_DATA_TYPE_SIGNED32, i) + dim >= 2 * dim;
    }
  } else {
    for (uint64_t i = 0; i < count; ++i) {
      outside |= (uint64_t)armnn_index(indices, ARMNN_DATA_TYPE_SIGNED64, i) + dim >= 2 * dim;
    }
  }
  return outside == 0;
}

/* Checks |count| indices: that at place p is one of dimension p % |depth| of |dims|; messages
 * number these dimensions from |first| on. */
static inline armnn_status_t armnn_check_indices(const void* indices, int32_t data_type,
                                                 uint64_t count, const uint64_t* dims,
                                                 uint32_t depth, uint32_t first,
                                                 armnn_error_t* error) {
  if (depth == 1 && armnn_indices_fit(indices, data_type, count, dims[0])) {
    return ARMNN_STATUS_OK;
  }
  uint32_t axis = depth - 1;
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t index = armnn_index(indices, data_type, i);
    axis = axis + 1 < depth ? axis + 1 : 0;
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

enum { ARMNN_INDEX_BLOCK = 128 }; /* index vectors whose offsets are computed at a time */

/* The offsets behind |count| index vectors from |first| on. */
static inline void armnn_index_offsets(const void* indices, int32_t data_type, uint64_t first,
                                       int64_t count, const uint64_t* dims, uint32_t depth,
                                       const uint64_t* strides, uint64_t* offsets) {
  if (depth != 1) {
    for (int64_t i = 0; i < count; ++i) {
      offsets[i] =
          armnn_index_offset(indices, data_type, first + (uint64_t)i, dims, depth, strides);
    }
  } else if (data_type == ARMNN_DATA_TYPE_SIGNED32) {
    for (int64_t i = 0; i < count; ++i) {
      offsets[i] = armnn_index_offset(indices, ARMNN_DATA_TYPE_SIGNED32, first + (uint64_t)i, dims,
                                      1, strides);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      offsets[i] = armnn_index_offset(indices, ARMNN_DATA_TYPE_SIGNED64, first + (uint64_t)i, dims,
                                      1, strides);
    }
  }
}

/* ---- Trees, as the layer TREE_LEAVES has them ------------------------------------------------ */

/* The four numbers of a node. A child is a node, or -1 - the number of a leaf. */
enum {
  ARMNN_TREE_FEATURE,
  ARMNN_TREE_QUESTION,
  ARMNN_TREE_HIT,
  ARMNN_TREE_MISS,
  ARMNN_TREE_FIELDS
};

/* Questions; with ARMNN_TREE_NAN_HITS, NaN is a hit. */
enum {
  ARMNN_TREE_LESS_OR_EQUAL,
  ARMNN_TREE_LESS,
  ARMNN_TREE_GREATER_OR_EQUAL,
  ARMNN_TREE_GREATER,
  ARMNN_TREE_EQUAL,
  ARMNN_TREE_NOT_EQUAL,
  ARMNN_TREE_NAN_HITS = 8
};

static inline bool armnn_tree_question_is_known(int32_t question) {
  return question >= 0 && (question & ~ARMNN_TREE_NAN_HITS) <= ARMNN_TREE_NOT_EQUAL;
}

/* Whether all nodes ask about one of |features|, and lead to nodes behind them or to leaves. */
static inline armnn_status_t armnn_check_trees(const int32_t* nodes, uint64_t count,
                                               const int32_t* roots, uint64_t trees,
                                               uint64_t features, armnn_error_t* error) {
  for (uint64_t k = 0; k < count; ++k) {
    const int32_t* node = nodes + k * ARMNN_TREE_FIELDS;
    const int32_t feature = node[ARMNN_TREE_FEATURE];
    bool fits = feature >= 0 && (uint64_t)feature < features &&
                armnn_tree_question_is_known(node[ARMNN_TREE_QUESTION]);
    for (int side = ARMNN_TREE_HIT; side <= ARMNN_TREE_MISS; ++side) {
      const int64_t child = node[side];
      fits = fits && (child < 0 || ((uint64_t)child > k && (uint64_t)child < count));
    }
    if (!fits) {
      return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "node %llu of the trees is [%d, %d, %d, %d], which does not fit %llu "
                        "features and nodes that lead forward to %llu",
                        (unsigned long long)k, (int)node[0], (int)node[1], (int)node[2],
                        (int)node[3], (unsigned long long)features, (unsigned long long)count);
    }
  }
  for (uint64_t t = 0; t < trees; ++t) {
    if (roots[t] >= 0 && (uint64_t)roots[t] >= count) {
      return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "root %llu is node %d, but there are %llu", (unsigned long long)t,
                        (int)roots[t], (unsigned long long)count);
    }
  }
  return ARMNN_STATUS_OK;
}

#endif /* ARMNN_COMMON_INDICES_H_ */
