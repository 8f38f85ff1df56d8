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
#include "int_math.h"

/* Room for eight dimensions of twenty digits and what stands between them. */
#define ARMNN_SHAPE_TEXT_SIZE 176

/* Product of dims[begin .. end). */
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

/* The dimension that |axis| names; a negative one counts from the end. */
static inline uint32_t armnn_axis(int32_t axis, uint32_t rank) {
  return (uint32_t)(axis < 0 ? axis + (int32_t)rank : axis);
}

/* The dimensions that axes name, as a bit mask; an empty list means all of them. */
static inline uint32_t armnn_axes_mask(const int32_t* axes, uint32_t axis_count, uint32_t rank) {
  uint32_t mask = axis_count == 0 ? (1u << rank) - 1u : 0u;
  for (uint32_t i = 0; i < axis_count; ++i) mask |= 1u << armnn_axis(axes[i], rank);
  return mask;
}

/* ---- Broadcasting, as numpy ------------------------------------------------------------------ */

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
