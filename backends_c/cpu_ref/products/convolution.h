/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * convolution.h - convolutions as a product of tiles: weights [output channel x depth] by patches
 * [depth x output position], depth running over the weights as they lie.
 *
 * A volume is a stack of images: positions are those of one output image, and the products of the
 * input images that the window sees there are added up. A plane is a volume of one image.
 *
 * Quantised: the integer arithmetic of TensorFlow Lite's specification, see levels.h.
 */
#ifndef ARMNN_CPU_REF_CONVOLUTION_H_
#define ARMNN_CPU_REF_CONVOLUTION_H_

#include "shared/geometry.h"
#include "shared/levels.h"

typedef struct armnn_i_ref_convolution_t {
  const armnn_kernel_call_t* call;
  const float* input;
  const float* weights;
  const float* bias; /* or null */
  float* output;
  armnn_i_ref_volume_t in, out;
  armnn_i_ref_window_t window_z, window_y, window_x;
  int64_t groups, group_in, group_out; /* channels of one group */
  int64_t depth;                       /* products of one input image behind an output element */
  int64_t weight_row, weight_step;     /* strides of the weights along output channels and depth */
  int channels_inside;                 /* depth is (ky, kx, channel), else (channel, ky, kx) */
  int64_t row_tiles, column_tiles;     /* of one group's output image; filled in */
  const armnn_i_ref_levels_t* levels;  /* null: of float32 */
} armnn_i_ref_convolution_t;

/* Writes the output. Of window_z, images of weights lie depth * weight_step elements apart. */
armnn_status_t armnn_i_ref_convolve(armnn_i_ref_convolution_t* job, armnn_error_t* error);

#endif /* ARMNN_CPU_REF_CONVOLUTION_H_ */
