/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_choice.c - which way to multiply the numbers of a convolution is the fastest: products
 * of matrices of bytes or of bytes, Winograd's algorithm, or pairs of levels.
 */
#include "ops/dynamic/safe_weights.h"
#include "ops/op_base.h"

/* In products of tiles in 16 bits, for each row: tiles of pairs take half as long again; a listed
 * weight is as much work as some others, and the sums of a channel have to be turned. */
enum { QUAD = 4, SAMPLES = 1024, LISTED_COST = 3, TURN_COST = 16, LEAST_PIXELS = 24 };

/* Winograd's weights take 3.6 times the memory: fewer pixels of the output do not make up for it.
 */
enum { SQUARES_PIXELS = 64 };

static int64_t pixels_of(const armnn_i_acc_quantized_convolution_t* what) {
  return what->output.dims[0] * what->output.dims[1] * what->output.dims[2];
}

/* Of quads of weights that lie in a line of the window: the share of the weights that is listed. */
static double listed_share(const armnn_i_acc_quantized_convolution_t* what) {
  const int64_t *dims = what->weights.dims, run = dims[2] * dims[3], quads = run / QUAD;
  const int64_t all = dims[0] * dims[1] * quads, step = (all / SAMPLES) | 1;
  int64_t listed = 0, seen = 0;
  if (quads == 0) return 0.0;
  for (int64_t at = 0; at < all; at += step, ++seen) {
    const int64_t k = at % quads * QUAD, y = at / quads % dims[1], o = at / quads / dims[1];
    int32_t weights[QUAD], excess[QUAD];
    for (int64_t i = 0; i < QUAD; ++i) {
      weights[i] = armnn_i_acc_weight_level(what, o, y, (k + i) / dims[3], (k + i) % dims[3]);
    }
    if (armnn_i_acc_is_safe(weights)) continue;
    armnn_i_acc_make_safe(weights, excess);
    for (int64_t i = 0; i < QUAD; ++i) listed += excess[i] != 0;
  }
  return (double)listed / (double)(QUAD * seen);
}

bool armnn_i_acc_suits_byte_products(const armnn_i_acc_quantized_convolution_t* what) {
  if (what->is_phase) return false;
  if (what->weight_zero_points == NULL) return what->saved_suits_byte_products;
  if (pixels_of(what) < LEAST_PIXELS) return false;
  const int64_t* dims = what->weights.dims;
  const double depth = (double)(dims[1] * dims[2] * dims[3]);
  const double turned =
      depth / (double)(dims[0] / what->groups); /* rows to columns, once for all */
  return depth * LISTED_COST * listed_share(what) + TURN_COST + turned * QUAD < depth / 2;
}

armnn_status_t armnn_i_acc_make_quantized_convolution(
    const armnn_i_acc_maker_t* maker, const armnn_i_acc_quantized_convolution_t* what,
    armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_quantized_kernels_t* kernels = maker->isa->quantized;
  armnn_status_t status = ARMNN_STATUS_UNSUPPORTED;
  if (armnn_i_acc_is_int16(what->input.element.type)) {
    return armnn_i_acc_make_quantized_tiles(maker, what, ARMNN_ACC_TILES_INT16, out_op);
  }
  if (pixels_of(what) >= ARMNN_ACC_MATRIX_ROWS) {
    status = armnn_i_acc_make_quantized_tiles(maker, what, ARMNN_ACC_TILES_MATRICES, out_op);
  }
  if (status == ARMNN_STATUS_UNSUPPORTED && kernels->has_dot_product) {
    status = armnn_i_acc_make_quantized_tiles(maker, what, ARMNN_ACC_TILES_BYTES, out_op);
  }
  const bool by_byte_products =
      kernels->bytes->excess != NULL && armnn_i_acc_suits_byte_products(what);
  if (status == ARMNN_STATUS_UNSUPPORTED &&
      !(by_byte_products && pixels_of(what) < SQUARES_PIXELS)) {
    status = armnn_i_acc_make_quantized_winograd(maker, what, out_op);
  }
  if (status == ARMNN_STATUS_UNSUPPORTED && by_byte_products) {
    status = armnn_i_acc_make_quantized_tiles(maker, what, ARMNN_ACC_TILES_BYTES, out_op);
  }
  if (status == ARMNN_STATUS_UNSUPPORTED) {
    status = armnn_i_acc_make_quantized_tiles(maker, what, ARMNN_ACC_TILES_NARROW_PAIRS, out_op);
  }
  if (status == ARMNN_STATUS_UNSUPPORTED) {
    status = armnn_i_acc_make_quantized_tiles(maker, what, ARMNN_ACC_TILES_PAIRS, out_op);
  }
  return status;
}
