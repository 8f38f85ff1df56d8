/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * tensor_shape.h - shapes: products, strides, axes, broadcasting, and shapes as text.
 *
 * Strides count elements, not bytes. A dense tensor is row-major.
 */
#ifndef ARMNN_COMMON_TENSOR_SHAPE_H_
#define ARMNN_COMMON_TENSOR_SHAPE_H_

#include <stdio.h>
#include <string.h>

#include "armnn/types.h"
#include "checked_math.h"

typedef struct armnn_shape_t {
  uint32_t rank;
  uint64_t dims[ARMNN_MAX_DIMS];
} armnn_shape_t;

/* Room for eight dimensions of twenty digits and what stands between them. */
#define ARMNN_SHAPE_TEXT_SIZE 176

static inline armnn_shape_t armnn_shape_of(const armnn_tensor_info_t* info) {
  armnn_shape_t shape;
  memset(&shape, 0, sizeof shape);
  shape.rank = info->rank;
  memcpy(shape.dims, info->dims, info->rank * sizeof shape.dims[0]);
  return shape;
}

static inline int armnn_shape_equal(const armnn_shape_t* a, const armnn_shape_t* b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

static inline int armnn_same_shape(const armnn_tensor_info_t* a, const armnn_tensor_info_t* b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

/* Product of dims[begin .. end) of a shape that was checked. */
static inline uint64_t armnn_dims_product(const uint64_t* dims, uint32_t begin, uint32_t end) {
  uint64_t product = 1;
  for (uint32_t d = begin; d < end; ++d) product *= dims[d];
  return product;
}

/* "1x3x224x224", "scalar" for rank 0. |out_text| has ARMNN_SHAPE_TEXT_SIZE bytes; returns it. */
static inline const char* armnn_dims_text(const uint64_t* dims, uint32_t rank, char* out_text) {
  size_t used = 0;
  if (rank == 0) return memcpy(out_text, "scalar", sizeof "scalar");
  for (uint32_t d = 0; d < rank && d < ARMNN_MAX_DIMS; ++d) {
    used += (size_t)snprintf(out_text + used, ARMNN_SHAPE_TEXT_SIZE - used,
                             d == 0 ? "%llu" : "x%llu", (unsigned long long)dims[d]);
  }
  return out_text;
}

/* Strides of a dense tensor. Meaningless, but defined, when a dimension is zero. */
static inline void armnn_dense_strides(const uint64_t* dims, uint32_t rank, int64_t* out_strides) {
  uint64_t stride = 1;
  for (uint32_t d = rank; d-- > 0;) {
    out_strides[d] = (int64_t)stride;
    stride *= dims[d];
  }
}

/* ---- Axes ------------------------------------------------------------------------------------ */

/* Counts a negative |axis| from the end; 0 when it names no dimension. */
static inline int armnn_normalize_axis(int64_t axis, uint32_t rank, uint32_t* out_axis) {
  if (axis < -(int64_t)rank || axis >= (int64_t)rank) return 0;
  *out_axis = (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
  return 1;
}

/* The axes as a bit mask; an empty list means all dimensions. 0 when an axis names no dimension or
 * comes twice: |out_bad| is its place in the list. */
static inline int armnn_normalize_axes(const int32_t* axes, uint32_t axis_count, uint32_t rank,
                                       uint32_t* out_mask, uint32_t* out_bad) {
  uint32_t mask = axis_count == 0 ? (1u << rank) - 1u : 0u;
  for (uint32_t i = 0; i < axis_count; ++i) {
    uint32_t axis = 0;
    if (!armnn_normalize_axis(axes[i], rank, &axis) || (mask >> axis & 1u)) {
      *out_bad = i;
      return 0;
    }
    mask |= 1u << axis;
  }
  *out_mask = mask;
  return 1;
}

/* ---- Broadcasting, as numpy -------------------------------------------------------------------
 */

/* Joins |shape| into |io_result|, which starts as a shape of its own; 0 when they do not fit. */
static inline int armnn_broadcast_join(armnn_shape_t* io_result, const armnn_shape_t* shape) {
  armnn_shape_t result;
  memset(&result, 0, sizeof result);
  result.rank = io_result->rank > shape->rank ? io_result->rank : shape->rank;
  for (uint32_t i = 1; i <= result.rank; ++i) { /* from the last dimension backwards */
    uint64_t a = i <= io_result->rank ? io_result->dims[io_result->rank - i] : 1;
    uint64_t b = i <= shape->rank ? shape->dims[shape->rank - i] : 1;
    if (a != b && a != 1 && b != 1) return 0;
    result.dims[result.rank - i] = a == 1 ? b : a;
  }
  *io_result = result;
  return 1;
}

/* Strides with which a dense tensor is read as if it had the shape |dims|, to which it broadcasts:
 * 0 along the dimensions that it repeats. */
static inline void armnn_broadcast_strides(const armnn_tensor_info_t* info, uint32_t rank,
                                           const uint64_t* dims, int64_t* out_strides) {
  uint64_t stride = 1;
  for (uint32_t i = 1; i <= rank; ++i) {
    uint64_t own = i <= info->rank ? info->dims[info->rank - i] : 1;
    out_strides[rank - i] = own == dims[rank - i] ? (int64_t)stride : 0;
    stride *= own;
  }
}

#endif /* ARMNN_COMMON_TENSOR_SHAPE_H_ */
