/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * slice.c - SLICE and STRIDED_SLICE.
 */
#include "kernels.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

/* ---- Slice ----------------------------------------------------------------------------------- */

armnn_status_t armnn_any_slice__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_slice_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_slice_descriptor_t);
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  uint32_t size = armnn_data_type_size(output->data_type);
  int64_t in_strides[ARMNN_MAX_DIMS], out_strides[ARMNN_MAX_DIMS];
  uint64_t offset = 0;
  if (output->element_count == 0) return ARMNN_STATUS_OK;
  armnn_dense_strides(input->dims, input->rank, in_strides);
  armnn_dense_strides(output->dims, output->rank, out_strides);
  for (uint32_t d = 0; d < input->rank; ++d) {
    offset += descriptor->begin[d] * (uint64_t)in_strides[d];
  }
  return armnn_copy_strided(call->host, size, output->rank, output->dims, call->outputs[0],
                            out_strides, ARMNN_IN(call, 0, unsigned char) + offset * size,
                            in_strides);
}

/* ---- Strided slice --------------------------------------------------------------------------- */

/* The elements that are taken from one dimension of the input. */
typedef struct strided_range_t {
  int64_t begin; /* index of the first element; inside the dimension if |count| is not 0 */
  int64_t stride;
  uint64_t count;
} strided_range_t;

static int64_t clamp(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

/* A negative position counts from the end, and a position outside is moved to the border: [0, dim]
 * when going forwards, [-1, dim - 1] when going backwards. */
static int64_t border_position(int64_t position, int64_t dim, int64_t stride) {
  if (position < 0) position += dim;
  return stride > 0 ? clamp(position, 0, dim) : clamp(position, -1, dim - 1);
}

/* TensorFlow's rules: a dimension that vanishes from the output has one element, and dimensions
 * beyond the descriptor's rank are taken whole. */
static strided_range_t find_range(const armnn_strided_slice_descriptor_t* descriptor, uint32_t d,
                                  uint64_t size) {
  if (d >= descriptor->rank) return (strided_range_t){0, 1, size};
  const int64_t dim = (int64_t)size, stride = descriptor->stride[d];
  if (descriptor->shrink_axis_mask >> d & 1u) {
    const int64_t index = descriptor->begin[d];
    return (strided_range_t){index < 0 ? index + dim : index, 1, 1};
  }
  int64_t begin = stride > 0 ? 0 : dim - 1;
  int64_t end = stride > 0 ? dim : -1;
  if ((descriptor->begin_mask >> d & 1u) == 0) {
    begin = border_position(descriptor->begin[d], dim, stride);
  }
  if ((descriptor->end_mask >> d & 1u) == 0) {
    end = border_position(descriptor->end[d], dim, stride);
  }
  int64_t distance = end - begin;
  uint64_t count = 0;
  if (distance != 0 && (distance > 0) == (stride > 0)) {
    count = (uint64_t)(distance / stride + (distance % stride != 0));
  }
  /* With one element the stride is never used; left alone it might overflow a product. */
  return (strided_range_t){begin, count > 1 ? stride : 1, count};
}

armnn_status_t armnn_any_strided_slice__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_strided_slice_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_strided_slice_descriptor_t);
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  uint32_t size = armnn_data_type_size(input->data_type);
  uint64_t counts[ARMNN_MAX_DIMS];
  int64_t in_strides[ARMNN_MAX_DIMS], out_strides[ARMNN_MAX_DIMS];
  int64_t offset = 0;
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  armnn_dense_strides(input->dims, input->rank, in_strides);
  for (uint32_t d = 0; d < input->rank; ++d) {
    const strided_range_t range = find_range(descriptor, d, input->dims[d]);
    counts[d] = range.count;
    offset += range.begin * in_strides[d];
    in_strides[d] *= range.stride;
  }
  /* A vanished dimension counts 1 here, so that both sides keep the input's rank. */
  armnn_dense_strides(counts, input->rank, out_strides);
  return armnn_copy_strided(call->host, size, input->rank, counts, call->outputs[0], out_strides,
                            ARMNN_IN(call, 0, unsigned char) + offset * (int64_t)size, in_strides);
}
