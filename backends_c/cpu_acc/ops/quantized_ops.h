/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_ops.h - operators of quantised numbers of 8 bits, and of 16; ops.h includes it.
 *
 * Scales are factors (factors.h), which the compiler computes, or with ARMNN_RESCALING_REAL those
 * of the elements. Zero points are those of the tensors. Results are CpuRef's, bit for bit.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_OPS_H_
#define ARMNN_CPU_ACC_QUANTIZED_OPS_H_

#include "factors.h"
#include "lstm_integers.h"
#include "program.h"

/* Levels of 16 bits that the windows of one output line see, padding included, in the scratch of a
 * thread; a pixel has at least 64, as a depthwise convolution takes so many channels at a time. */
#define ARMNN_ACC_MOST_SEEN (INT64_C(1) << 26)

static inline bool armnn_i_acc_is_seen(int64_t lines, int64_t pixels, int64_t channels) {
  return pixels <= ARMNN_ACC_MOST_SEEN / lines / (channels < 64 ? 64 : channels);
}

/* Sums, differences and products of levels, which broadcast as for a binary of float32. All three
 * tensors have 8 bits, or 16. */
typedef struct armnn_i_acc_quantized_binary_t {
  armnn_i_acc_tensor_t left, right, output;
  int32_t operation; /* ARMNN_BINARY_ADD, SUB or MUL */
  /* Of a sum: from levels with 20 bits (of int16, 15) behind the point to the common scale; not of
   * a product. */
  armnn_factor_t left_factor, right_factor;
  armnn_factor_t factor; /* to levels of the output */
  bool is_real;          /* ARMNN_RESCALING_REAL: without factors, by the scales of the elements */
  int32_t low, high;     /* bounds of the stored numbers */
} armnn_i_acc_quantized_binary_t;

armnn_status_t armnn_i_acc_make_quantized_binary(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_quantized_binary_t* what,
                                                 armnn_i_acc_op_t** out_op);

/* A convolution of images, dense or grouped; depthwise (groups == c) has a maker of its own. Input
 * and output have both 8 bits, or both 16: those have weights whose levels are 8 bits. */
typedef struct armnn_i_acc_quantized_convolution_t {
  armnn_i_acc_tensor_t input;        /* [n, h, w, c] */
  armnn_i_acc_tensor_t output;       /* [n, oh, ow, oc] */
  armnn_i_acc_tensor_t weights;      /* [o, y, x, i], constant bytes of any strides */
  const int32_t* weight_zero_points; /* [oc] */
  const int32_t* bias;               /* [oc], or null */
  const int32_t* bias_above;         /* [oc]: upper halves of bias values of 64 bits, or null */
  const armnn_factor_t* factors;     /* [oc], from sums to levels of the output, not negative */
  int32_t rounding;   /* armnn_i_acc_rounding_e, but for 64 BITS: that is ONCE here */
  bool has_wide_sums; /* of 16 bits: some channel's sums may need 64 */
  int64_t kernel_y, kernel_x;
  int64_t stride_y, stride_x, dilation_y, dilation_x;
  int64_t pad_top, pad_left; /* the rest follows from the sizes */
  int64_t groups;
  int32_t low, high; /* bounds of the stored numbers */
  /* With a sum, the numbers of the convolution are its left operand, whose element is that of
   * |sum.left|, and the sum is the output. */
  bool has_sum;
  armnn_i_acc_quantized_binary_t sum;
  /* Without |weight_zero_points|, as weights are packed already: whether their levels have 8 bits,
   * and are small enough for products in 16 bits. */
  bool saved_fit_bytes, saved_suits_byte_products;
  /* Of a convolution that does the work of another one together with other phases: what is known of
   * all its weights decides. */
  bool is_phase;
  bool is_wide; /* weights are kept in 16 bits, also where 8 would do: other phases need them */
} armnn_i_acc_quantized_convolution_t;

/* The bias value of channel |o|. */
static inline int64_t armnn_i_acc_bias_value(const armnn_i_acc_quantized_convolution_t* what,
                                             int64_t o) {
  if (what->bias == NULL) return 0;
  if (what->bias_above == NULL) return what->bias[o];
  return what->bias_above[o] * (INT64_C(1) << 32) + (uint32_t)what->bias[o];
}

/* Weight [o, y, x, i], less its zero point. */
static inline int16_t armnn_i_acc_weight_level(const armnn_i_acc_quantized_convolution_t* what,
                                               int64_t o, int64_t y, int64_t x, int64_t i) {
  const int64_t* strides = what->weights.strides;
  const char* at = (const char*)what->weights.values + o * strides[0] + y * strides[1] +
                   x * strides[2] + i * strides[3];
  const int32_t number = what->weights.element.type == ARMNN_DATA_TYPE_QASYMM_U8
                             ? *(const uint8_t*)at
                             : *(const int8_t*)at;
  return (int16_t)(number - what->weight_zero_points[o]);
}

armnn_status_t armnn_i_acc_make_quantized_convolution(
    const armnn_i_acc_maker_t* maker, const armnn_i_acc_quantized_convolution_t* what,
    armnn_i_acc_op_t** out_op);

/* Whether the levels of all weights have 8 bits. */
bool armnn_i_acc_weights_fit_bytes(const armnn_i_acc_quantized_convolution_t* what);
/* Whether products of bytes in 16 bits would be faster than pairs of levels: most weights are small
 * beside the largest. */
bool armnn_i_acc_suits_byte_products(const armnn_i_acc_quantized_convolution_t* what);
/* What tiles multiply: levels of 16 bits by weights of 16 or 8 bits, stored bytes by bytes, or
 * stored numbers of 16 bits by bytes. */
typedef enum armnn_i_acc_tiles_e {
  ARMNN_ACC_TILES_PAIRS = 0,
  ARMNN_ACC_TILES_NARROW_PAIRS,
  ARMNN_ACC_TILES_BYTES,
  ARMNN_ACC_TILES_MATRICES, /* of bytes */
  ARMNN_ACC_TILES_INT16,
} armnn_i_acc_tiles_e;

/* The same by tiles of one kind: UNSUPPORTED where levels of weights need more than the 8 bits that
 * it has for them. The other maker chooses what is fastest. */
armnn_status_t armnn_i_acc_make_quantized_tiles(const armnn_i_acc_maker_t* maker,
                                                const armnn_i_acc_quantized_convolution_t* what,
                                                armnn_i_acc_tiles_e kind,
                                                armnn_i_acc_op_t** out_op);

/* Windows of 3 x 3 by Winograd's algorithm, in whole numbers and thus with the same bits;
 * UNSUPPORTED where it is not faster, too. */
armnn_status_t armnn_i_acc_make_quantized_winograd(const armnn_i_acc_maker_t* maker,
                                                   const armnn_i_acc_quantized_convolution_t* what,
                                                   armnn_i_acc_op_t** out_op);
/* Windows of 3 x 3 of each channel by itself, by products of bytes; UNSUPPORTED where kernels have
 * no such instruction, too. */
armnn_status_t armnn_i_acc_make_quantized_windows(const armnn_i_acc_maker_t* maker,
                                                  const armnn_i_acc_quantized_convolution_t* what,
                                                  armnn_i_acc_op_t** out_op);
/* |groups| == c; output channel o reads input channel o / (oc / c). */
armnn_status_t armnn_i_acc_make_quantized_depthwise(const armnn_i_acc_maker_t* maker,
                                                    const armnn_i_acc_quantized_convolution_t* what,
                                                    armnn_i_acc_op_t** out_op);

/* float32 to stored numbers: rounded, halves to even, the zero point added, saturated; what is no
 * number becomes the zero point. */
typedef struct armnn_i_acc_quantize_t {
  armnn_i_acc_tensor_t input, output;
} armnn_i_acc_quantize_t;

armnn_status_t armnn_i_acc_make_quantize(const armnn_i_acc_maker_t* maker,
                                         const armnn_i_acc_quantize_t* what,
                                         armnn_i_acc_op_t** out_op);

/* The reverse. */
typedef struct armnn_i_acc_dequantize_t {
  armnn_i_acc_tensor_t input, output;
} armnn_i_acc_dequantize_t;

armnn_status_t armnn_i_acc_make_dequantize(const armnn_i_acc_maker_t* maker,
                                           const armnn_i_acc_dequantize_t* what,
                                           armnn_i_acc_op_t** out_op);

/* Both, and between them a scale and a shift for each index of the last dimension, and bounds: all
 * of them finite but for the bounds. */
typedef struct armnn_i_acc_quantized_affine_t {
  armnn_i_acc_tensor_t input, output;
  const float *scale, *shift; /* dense; of the last dimension */
  float low, high;
} armnn_i_acc_quantized_affine_t;

armnn_status_t armnn_i_acc_make_quantized_affine(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_quantized_affine_t* what,
                                                 armnn_i_acc_op_t** out_op);

/* output = table[input], by the input's byte. */
typedef struct armnn_i_acc_table_t {
  armnn_i_acc_tensor_t input, output;
  uint8_t table[256];
} armnn_i_acc_table_t;

armnn_status_t armnn_i_acc_make_table(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_table_t* what, armnn_i_acc_op_t** out_op);

/* The same from 16 bits, or to them: by the input's bits as an unsigned number. */
typedef struct armnn_i_acc_int16_table_t {
  armnn_i_acc_tensor_t input, output;
  const void* table; /* a number of the output for each of the input's type */
} armnn_i_acc_int16_table_t;

armnn_status_t armnn_i_acc_make_int16_table(const armnn_i_acc_maker_t* maker,
                                            const armnn_i_acc_int16_table_t* what,
                                            armnn_i_acc_op_t** out_op);

/* Maxima and averages. A window that sees no pixel gives the zero point. */
typedef struct armnn_i_acc_quantized_pooling_t {
  armnn_i_acc_tensor_t input, output; /* [n, h, w, c] */
  int32_t method;                     /* ARMNN_POOLING_MAX or AVERAGE */
  int64_t kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x;
  int64_t pad_top, pad_left, pad_bottom, pad_right;
  bool count_padding; /* padding (as given) counts in the divisor of an average */
  bool is_real;       /* ARMNN_RESCALING_REAL */
} armnn_i_acc_quantized_pooling_t;

armnn_status_t armnn_i_acc_make_quantized_pooling(const armnn_i_acc_maker_t* maker,
                                                  const armnn_i_acc_quantized_pooling_t* what,
                                                  armnn_i_acc_op_t** out_op);

/* softmax(beta x) along |axis|, or its logarithm, of real numbers that are rounded once. */
typedef struct armnn_i_acc_quantized_softmax_t {
  armnn_i_acc_tensor_t input, output;
  uint32_t axis;
  float beta;
  bool logarithm;
} armnn_i_acc_quantized_softmax_t;

armnn_status_t armnn_i_acc_make_quantized_softmax(const armnn_i_acc_maker_t* maker,
                                                  const armnn_i_acc_quantized_softmax_t* what,
                                                  armnn_i_acc_op_t** out_op);

/* output[b] = left[b] right[b], both computed: left [batch.., m, k], right [batch.., k, n], with
 * the last two exchanged if transposed; batch dimensions broadcast. */
typedef struct armnn_i_acc_quantized_matmul_t {
  armnn_i_acc_tensor_t left, right, output;
  bool transpose_left, transpose_right;
  armnn_factor_t factor; /* from sums to levels of the output */
  int32_t rounding;      /* ARMNN_ACC_ROUND_TWICE or REAL */
  int32_t low, high;     /* bounds of the stored numbers */
} armnn_i_acc_quantized_matmul_t;

armnn_status_t armnn_i_acc_make_quantized_matmul(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_quantized_matmul_t* what,
                                                 armnn_i_acc_op_t** out_op);

/* A convolution for each phase of the output's pixels (transpose_phases.h). */
armnn_status_t armnn_i_acc_make_quantized_transpose_convolution(
    const armnn_i_acc_maker_t* maker, const armnn_i_acc_quantized_convolution_t* what,
    armnn_i_acc_op_t** out_op);

/* Over the axes of |axis_mask|, which have one element in |output| (same rank): a mean by |factor|,
 * which has the count in it, or by the scales; others of real numbers that are rounded once. */
typedef struct armnn_i_acc_quantized_reduce_t {
  armnn_i_acc_tensor_t input, output;
  int32_t operation; /* ARMNN_REDUCE_MEAN, SUM, MAX or MIN */
  uint32_t axis_mask;
  armnn_factor_t factor;
  bool is_real; /* ARMNN_RESCALING_REAL: a mean without the factor */
} armnn_i_acc_quantized_reduce_t;

armnn_status_t armnn_i_acc_make_quantized_reduce(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_quantized_reduce_t* what,
                                                 armnn_i_acc_op_t** out_op);

/* Bilinear: of real numbers, rounded once. What the nearest pixel is, make_resize copies. */
typedef struct armnn_i_acc_quantized_resize_t {
  armnn_i_acc_tensor_t input, output; /* [n, h, w, c] */
  bool align_corners, half_pixel_centers;
} armnn_i_acc_quantized_resize_t;

armnn_status_t armnn_i_acc_make_quantized_resize(const armnn_i_acc_maker_t* maker,
                                                 const armnn_i_acc_quantized_resize_t* what,
                                                 armnn_i_acc_op_t** out_op);

/* LSTM cells in integers (lstm_integers.h) over a sequence, [steps, rows, ..] or with |rows_first|
 * [rows, steps, ..]. States before the first step: |hidden| [rows, outputs], |cell| [rows, cells].
 * |output| are bytes: the last cell state, 16 bits each, then the hidden states of all steps, in
 * the order of |input|, then the last one. By gate, in the order of the operands; null without it.
 */
typedef struct armnn_i_acc_lstm_int8_t {
  armnn_i_acc_tensor_t input, hidden, cell, output;
  bool rows_first;
  int64_t cells, outputs;
  armnn_lstm_int8_t levels;
  const int8_t* weights[ARMNN_LSTM_GATES];   /* [cells, inputs] */
  const int8_t* recurrent[ARMNN_LSTM_GATES]; /* [cells, outputs] */
  const int32_t* bias[ARMNN_LSTM_GATES];
  const int16_t* peepholes[ARMNN_LSTM_GATES];
  const int16_t* norms[ARMNN_LSTM_GATES];
  const int8_t* projection; /* [outputs, cells]; without it outputs are cells */
  const int32_t* projection_bias;
} armnn_i_acc_lstm_int8_t;

armnn_status_t armnn_i_acc_make_lstm_int8(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_lstm_int8_t* what,
                                          armnn_i_acc_op_t** out_op);

#endif /* ARMNN_CPU_ACC_QUANTIZED_OPS_H_ */
