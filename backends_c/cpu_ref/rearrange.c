/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rearrange.c - PERMUTE, TRANSPOSE, BROADCAST_TO, SPACE_TO_DEPTH, DEPTH_TO_SPACE: layers whose
 * output is the input read with other strides.
 */
#include "kernels.h"
#include "tensor_checks.h"
#include "tensor_copy.h"

/* ---- Permute and transpose --------------------------------------------------------------------
 */

/* Input dimension that becomes output dimension |d|. PERMUTE's mappings say where each input
 * dimension goes, TRANSPOSE's where each output dimension comes from. */
static uint32_t source_dimension(int32_t type, const armnn_permute_descriptor_t* descriptor,
                                 uint32_t d) {
  if (type == ARMNN_LAYER_TRANSPOSE) return descriptor->mappings[d];
  uint32_t source = 0;
  while (descriptor->mappings[source] != d) ++source;
  return source;
}

armnn_status_t armnn_i_ref_permute_supports(const armnn_layer_query_t* query,
                                            armnn_error_t* reason) {
  ARMNN_REF_CHECK_DESCRIPTOR(query, armnn_permute_descriptor_t, reason);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_move_1_to_1(query, reason));
  const armnn_permute_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(query, armnn_permute_descriptor_t);
  const armnn_tensor_info_t* input = query->input_infos[0];
  ARMNN_RETURN_IF_ERROR(
      armnn_i_ref_check_descriptor_rank(input, "input 0", descriptor->rank, reason));
  uint32_t seen = 0;
  for (uint32_t d = 0; d < input->rank; ++d) {
    uint32_t mapping = descriptor->mappings[d];
    if (mapping >= input->rank || (seen >> mapping & 1u)) {
      return ARMNN_REF_REFUSE(reason,
                              "the mappings are no permutation: %u at place %u comes twice "
                              "or is outside %u dimensions",
                              (unsigned)mapping, (unsigned)d, (unsigned)input->rank);
    }
    seen |= 1u << mapping;
  }
  armnn_shape_t expected = armnn_shape_of(input);
  for (uint32_t d = 0; d < input->rank; ++d) {
    expected.dims[d] = input->dims[source_dimension(query->type, descriptor, d)];
  }
  return armnn_i_ref_check_shape(query->output_infos[0], "output 0", &expected, reason);
}

armnn_status_t armnn_any_permute__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_permute_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_permute_descriptor_t);
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  int64_t strides[ARMNN_MAX_DIMS], in_strides[ARMNN_MAX_DIMS], out_strides[ARMNN_MAX_DIMS];
  armnn_dense_strides(input->dims, input->rank, strides);
  armnn_dense_strides(output->dims, output->rank, out_strides);
  for (uint32_t d = 0; d < output->rank; ++d) {
    in_strides[d] = strides[source_dimension(call->info->type, descriptor, d)];
  }
  return armnn_copy_strided(call->host, armnn_data_type_size(output->data_type), output->rank,
                            output->dims, call->outputs[0], out_strides, call->inputs[0],
                            in_strides);
}

/* ---- Broadcast to -----------------------------------------------------------------------------
 */

armnn_status_t armnn_i_ref_broadcast_to_supports(const armnn_layer_query_t* query,
                                                 armnn_error_t* reason) {
  ARMNN_REF_CHECK_DESCRIPTOR(query, armnn_broadcast_to_descriptor_t, reason);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_move_1_to_1(query, reason));
  const armnn_broadcast_to_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(query, armnn_broadcast_to_descriptor_t);
  const armnn_tensor_info_t* output = query->output_infos[0];
  ARMNN_RETURN_IF_ERROR(
      armnn_i_ref_check_descriptor_rank(output, "output 0", descriptor->rank, reason));
  armnn_shape_t target = armnn_shape_of(output);
  memcpy(target.dims, descriptor->target_shape, output->rank * sizeof target.dims[0]);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_shape(output, "output 0", &target, reason));
  armnn_shape_t joined = armnn_shape_of(query->input_infos[0]);
  if (!armnn_broadcast_join(&joined, &target) || !armnn_shape_equal(&joined, &target)) {
    char from[ARMNN_SHAPE_TEXT_SIZE], to[ARMNN_SHAPE_TEXT_SIZE];
    return ARMNN_REF_REFUSE(
        reason, "the shape %s does not broadcast to %s",
        armnn_dims_text(query->input_infos[0]->dims, query->input_infos[0]->rank, from),
        armnn_dims_text(target.dims, target.rank, to));
  }
  return ARMNN_STATUS_OK;
}

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

/* ---- Space to depth and back ------------------------------------------------------------------
 */

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

armnn_status_t armnn_i_ref_space_depth_supports(const armnn_layer_query_t* query,
                                                armnn_error_t* reason) {
  ARMNN_REF_CHECK_DESCRIPTOR(query, armnn_space_depth_descriptor_t, reason);
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_move_1_to_1(query, reason));
  const armnn_space_depth_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(query, armnn_space_depth_descriptor_t);
  const armnn_tensor_info_t* input = query->input_infos[0];
  const armnn_tensor_info_t* output = query->output_infos[0];
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_rank(input, "input 0", 4, reason));
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_rank(output, "output 0", 4, reason));
  if (descriptor->block_size == 0 || descriptor->block_size > INT32_MAX) {
    return ARMNN_REF_REFUSE(reason, "block size %u is not possible",
                            (unsigned)descriptor->block_size);
  }
  if (descriptor->data_layout != ARMNN_DATA_LAYOUT_NHWC &&
      descriptor->data_layout != ARMNN_DATA_LAYOUT_NCHW) {
    return ARMNN_REF_REFUSE(reason, "data layout %d is not possible", (int)descriptor->data_layout);
  }
  int to_depth = query->type == ARMNN_LAYER_SPACE_TO_DEPTH;
  int is_nhwc = descriptor->data_layout == ARMNN_DATA_LAYOUT_NHWC;
  uint32_t channel = is_nhwc ? 3 : 1, height = is_nhwc ? 1 : 2, width = height + 1;
  uint64_t block = descriptor->block_size;
  armnn_shape_t expected = armnn_shape_of(input);
  if (to_depth && (input->dims[height] % block != 0 || input->dims[width] % block != 0)) {
    return ARMNN_REF_REFUSE(reason, "height and width of input 0 are no multiples of block size %u",
                            (unsigned)block);
  }
  if (!to_depth && input->dims[channel] % (block * block) != 0) {
    return ARMNN_REF_REFUSE(reason,
                            "the channels of input 0 are no multiple of the square of block "
                            "size %u",
                            (unsigned)block);
  }
  /* Where there are elements no product wraps: a block is no longer than the sides it divides. */
  expected.dims[channel] =
      to_depth ? input->dims[channel] * block * block : input->dims[channel] / (block * block);
  expected.dims[height] = to_depth ? input->dims[height] / block : input->dims[height] * block;
  expected.dims[width] = to_depth ? input->dims[width] / block : input->dims[width] * block;
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_shape(output, "output 0", &expected, reason));
  if (output->element_count != input->element_count) {
    return ARMNN_REF_REFUSE(reason, "input 0 and output 0 have different sizes");
  }
  return ARMNN_STATUS_OK;
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
