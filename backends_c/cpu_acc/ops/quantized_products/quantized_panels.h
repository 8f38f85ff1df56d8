/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_panels.h - the weights of tiles of quantised products: panels of channels, in which the
 * levels of a group of depths lie side by side, channel after channel.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_PANELS_H_
#define ARMNN_CPU_ACC_QUANTIZED_PANELS_H_

#include "quantized_pack.h"

typedef struct armnn_i_acc_level_panels_t {
  const armnn_i_acc_quantized_convolution_t* what;
  const armnn_i_acc_product_kernels_t* kernels;
  int64_t channels;   /* inputs of a group of the convolution */
  int64_t tap_groups; /* of depths */
  int64_t group_out;  /* outputs of a group of the convolution */
  int64_t panels;     /* of a group of the convolution */
  int64_t panel_size; /* in int32 */
  int32_t zero;       /* the bias takes off what this number of a row adds to a sum: sums wrap */
} armnn_i_acc_level_panels_t;

/* Fills |packed|, which is zeroed, by all threads that the maker has. */
void armnn_i_acc_pack_levels(const armnn_i_acc_maker_t* maker,
                             const armnn_i_acc_level_panels_t* panels, int32_t* packed);

#endif /* ARMNN_CPU_ACC_QUANTIZED_PANELS_H_ */
