/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rearrange.c - TRANSPOSE, BROADCAST_TO, SPACE_TO_DEPTH, DEPTH_TO_SPACE: layers whose
 * output is the input read with other strides.
 */
#include "kernels.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

/* ---- Transpose ------------------------------------------------------------------------------- */

armnn_status_t armnn_any_transpose__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_permute_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_permute_descriptor_t);
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  int64_t strides[ARMNN_MAX_DIMS], in_strides[ARMNN_MAX_DIMS], out_strides[ARMNN_MAX_DIMS];
  armnn_dense_strides(input->dims, input->rank, strides);
  armnn_dense_strides(output->dims, output->rank, out_strides);
  for (uint32_t d = 0; d < output->rank; ++d) {
    in_strides[d] = strides[descriptor->mappings[d]];
  }
  return armnn_copy_strided(call->host, armnn_data_type_size(output->data_type), output->rank,
                            output->dims, call->outputs[0], out_strides, call->inputs[0],
                            in_strides);
}

/* ---- Broadcast to ---------------------------------------------------------------------------- */

armnn_status_t armnn_any_broadcast_to__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  int64_t in_strides[ARMNN_MAX_DIMS], out_strides[ARMNN_MAX_DIMS];
  armnn_broadcast_strides(ARMNN_IN_INFO(call, 0), output->rank, output->dims, in_strides);
  armnn_dense_strides(output->dims, output->rank, out_strides);
  return armnn_copy_strided(call->host, armnn_data_type_size(output->data_type), output->rank,
                            output->dims, call->outputs[0], out_strides, call->inputs[0],
                            in_strides);
}

/* ---- Space to depth and back ----------------------------------------------------------------- */

/* The image side has the large height and width, the depth side the many channels, which are
 * ordered block row, block column, channel. */
typedef struct blocks_t {
  uint64_t batch, height, width, channels; /* height and width of the depth side, channels of the
                                              image side */
  uint64_t block;
  int is_nhwc;
} blocks_t;

static blocks_t blocks_of(const armnn_space_depth_descriptor_t* descriptor,
                          const armnn_tensor_info_t* depth_side) {
  blocks_t blocks;
  blocks.is_nhwc = descriptor->data_layout == ARMNN_DATA_LAYOUT_NHWC;
  blocks.block = descriptor->block_size;
  blocks.batch = depth_side->dims[0];
  blocks.height = depth_side->dims[blocks.is_nhwc ? 1 : 2];
  blocks.width = depth_side->dims[blocks.is_nhwc ? 2 : 3];
  blocks.channels = depth_side->dims[blocks.is_nhwc ? 3 : 1] / blocks.block / blocks.block;
  return blocks;
}

/* Strides of (batch, row, block row, column, block column, channel) on both sides. */
static void find_strides(const blocks_t* blocks, int64_t* out_image, int64_t* out_depth) {
  int64_t block = (int64_t)blocks->block;
  int64_t channels = (int64_t)blocks->channels;
  int64_t height = (int64_t)blocks->height, width = (int64_t)blocks->width;
  int64_t pixel = blocks->is_nhwc ? channels : 1; /* from column to column of the image */
  int64_t image_row = pixel * width * block;
  int64_t depth_pixel = blocks->is_nhwc ? channels * block * block : 1;
  int64_t depth_channel = blocks->is_nhwc ? 1 : height * width;
  int64_t all = channels * block * block * height * width;
  int64_t image_channel = blocks->is_nhwc ? 1 : height * width * block * block;
  memcpy(out_image,
         (int64_t[]){all, image_row * block, image_row, pixel * block, pixel, image_channel},
         6 * sizeof(int64_t));
  memcpy(out_depth,
         (int64_t[]){all, depth_pixel * width, depth_channel * channels * block, depth_pixel,
                     depth_channel * channels, depth_channel},
         6 * sizeof(int64_t));
}

armnn_status_t armnn_any_space_depth__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_space_depth_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_space_depth_descriptor_t);
  int to_depth = call->info->type == ARMNN_LAYER_SPACE_TO_DEPTH;
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  blocks_t blocks =
      blocks_of(descriptor, to_depth ? ARMNN_OUT_INFO(call, 0) : ARMNN_IN_INFO(call, 0));
  const uint64_t dims[6] = {blocks.batch, blocks.height, blocks.block,
                            blocks.width, blocks.block,  blocks.channels};
  int64_t image[6], depth[6];
  find_strides(&blocks, image, depth);
  return armnn_copy_strided(call->host, armnn_data_type_size(ARMNN_OUT_INFO(call, 0)->data_type), 6,
                            dims, call->outputs[0], to_depth ? depth : image, call->inputs[0],
                            to_depth ? image : depth);
}
