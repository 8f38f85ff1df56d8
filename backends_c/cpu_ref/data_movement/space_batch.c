/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * space_batch.c - SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND.
 *
 * The image side has few batches and a large space, the batch side has an image for each pixel of a
 * block: images of pixel (0, .., 0) first, then those of the next pixel, the last dimension of the
 * block running fastest. The element at s of pixel k on the batch side is the one at
 * s * block + k - offset on the image side, where the offset is the padding or the crop before.
 */
#include "int_math.h"
#include "kernels.h"
#include "shared/convert.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

typedef struct sides_t {
  const uint32_t* block;  /* per spatial dimension */
  const uint32_t* before; /* padding or crop */
  const uint32_t* after;
  uint32_t count; /* of spatial dimensions */
  uint32_t first; /* of them */
  int to_batch;
} sides_t;

/* Both descriptors have the same layout; only names of members differ. */
static sides_t sides_of(int32_t type, const void* descriptor) {
  sides_t sides;
  int32_t layout;
  sides.to_batch = type == ARMNN_LAYER_SPACE_TO_BATCH_ND;
  if (sides.to_batch) {
    const armnn_space_to_batch_nd_descriptor_t* d =
        (const armnn_space_to_batch_nd_descriptor_t*)descriptor;
    sides.block = d->block_shape;
    sides.before = d->pad_before;
    sides.after = d->pad_after;
    sides.count = d->block_rank;
    layout = d->data_layout;
  } else {
    const armnn_batch_to_space_nd_descriptor_t* d =
        (const armnn_batch_to_space_nd_descriptor_t*)descriptor;
    sides.block = d->block_shape;
    sides.before = d->crop_before;
    sides.after = d->crop_after;
    sides.count = d->block_rank;
    layout = d->data_layout;
  }
  int channels_first = layout == ARMNN_DATA_LAYOUT_NCHW || layout == ARMNN_DATA_LAYOUT_NCDHW;
  sides.first = channels_first ? 2 : 1;
  return sides;
}

/* Fills the output with the element that means 0. */
static armnn_status_t fill_zeros(const armnn_kernel_call_t* call) {
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  const int64_t target_stride = 1, source_stride = 0;
  unsigned char element[8];
  float zero = output->quantization_count > 0 && armnn_data_type_is_quantized(output->data_type)
                   ? (float)output->zero_points[0]
                   : 0.0f;
  armnn_i_ref_store_value(zero, output->data_type, element);
  return armnn_copy_strided(call->host, armnn_data_type_size(output->data_type), 1,
                            &output->element_count, call->outputs[0], &target_stride, element,
                            &source_stride);
}

armnn_status_t armnn_any_space_batch__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  sides_t sides = sides_of(call->info->type, call->info->descriptor);
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  const armnn_tensor_info_t* image = sides.to_batch ? ARMNN_IN_INFO(call, 0) : output;
  const armnn_tensor_info_t* batch = sides.to_batch ? output : ARMNN_IN_INFO(call, 0);
  if (output->element_count == 0) return ARMNN_STATUS_OK;

  uint64_t places = 1;
  int is_padded = 0;
  for (uint32_t i = 0; i < sides.count; ++i) {
    places *= sides.block[i];
    is_padded |= sides.to_batch && (sides.before[i] | sides.after[i]) != 0;
  }
  if (is_padded) ARMNN_RETURN_IF_ERROR(fill_zeros(call));
  if (image->element_count == 0) return ARMNN_STATUS_OK;

  uint32_t size = armnn_data_type_size(output->data_type);
  unsigned char* target = ARMNN_OUT(call, 0, unsigned char);
  const unsigned char* source = ARMNN_IN(call, 0, unsigned char);
  int64_t image_strides[ARMNN_MAX_DIMS], batch_strides[ARMNN_MAX_DIMS], steps[ARMNN_MAX_DIMS];
  armnn_dense_strides(image->dims, image->rank, image_strides);
  armnn_dense_strides(batch->dims, batch->rank, batch_strides);
  for (uint32_t d = 0; d < image->rank; ++d) steps[d] = image_strides[d];
  for (uint32_t i = 0; i < sides.count; ++i) steps[sides.first + i] *= (int64_t)sides.block[i];

  for (uint64_t place = 0; place < places; ++place) {
    uint64_t box[ARMNN_MAX_DIMS];
    memcpy(box, image->dims, image->rank * sizeof box[0]);
    int64_t on_image = 0;
    int64_t on_batch = (int64_t)(place * image->dims[0]) * batch_strides[0];
    uint64_t rest = place;
    int is_empty = 0;
    for (uint32_t i = sides.count; i-- > 0;) {
      uint32_t d = sides.first + i;
      int64_t block = (int64_t)sides.block[i], offset = (int64_t)sides.before[i];
      int64_t k = (int64_t)(rest % sides.block[i]);
      rest /= sides.block[i];
      /* Where s * block + k - offset is inside of the image. */
      int64_t begin =
          offset > k ? (int64_t)armnn_div_up((uint64_t)(offset - k), (uint64_t)block) : 0;
      int64_t end = (int64_t)image->dims[d] + offset - k;
      end = end <= 0 ? 0 : (int64_t)armnn_div_up((uint64_t)end, (uint64_t)block);
      if (end > (int64_t)batch->dims[d]) end = (int64_t)batch->dims[d];
      is_empty |= begin >= end;
      box[d] = (uint64_t)(end - begin);
      on_batch += begin * batch_strides[d];
      on_image += (begin * block + k - offset) * image_strides[d];
    }
    if (is_empty) continue;
    int64_t to = sides.to_batch ? on_batch : on_image, from = sides.to_batch ? on_image : on_batch;
    ARMNN_RETURN_IF_ERROR(
        armnn_copy_strided(call->host, size, image->rank, box, target + to * (int64_t)size,
                           sides.to_batch ? batch_strides : steps, source + from * (int64_t)size,
                           sides.to_batch ? steps : batch_strides));
  }
  return ARMNN_STATUS_OK;
}
