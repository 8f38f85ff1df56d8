/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * ops.h - the operators a program is made of, and how each is made.
 *
 * Each operator has a structure that describes it: tensors, parameters and, where it takes one, an
 * epilogue. The compiler keeps such a structure in each node, and sets its tensors at the end.
 *
 * Every maker returns OK and an operator, OUT_OF_MEMORY, or UNSUPPORTED for a combination that it
 * does not do (the compiler then finds another way). Tensors are physical. Constant weights are
 * packed while the operator is made and not read later. Biases, scales and shifts of channels are
 * float32 for any element type: the compiler computes them.
 */
#ifndef ARMNN_CPU_ACC_OPS_H_
#define ARMNN_CPU_ACC_OPS_H_

#include "program.h"

/* ---- Products (ops/dense/, ops/depthwise/) -------------------------------------------------- */

typedef struct armnn_i_acc_convolution_t {
  armnn_i_acc_tensor_t input;  /* [n, h, w, c] */
  armnn_i_acc_tensor_t output; /* [n, oh, ow, oc] */
  /* [o, y, x, i], constant, of any strides, so that the order of a network's weights needs no copy
   * before they are packed. |i| runs over the input channels of one group. */
  armnn_i_acc_tensor_t weights;
  const float* bias; /* [oc], or null */
  int64_t kernel_y, kernel_x;
  int64_t stride_y, stride_x, dilation_y, dilation_x;
  int64_t pad_top, pad_left; /* the rest follows from the sizes */
  int64_t groups;
  int32_t stored; /* armnn_i_acc_stored_e: how the weights are packed, for windows */
  armnn_i_acc_epilogue_t epilogue;
} armnn_i_acc_convolution_t;

/* Of one pixel, without input, output and epilogue. */
static inline armnn_i_acc_convolution_t armnn_i_acc_pointwise(armnn_i_acc_tensor_t weights,
                                                              const float* bias, int64_t groups) {
  return (armnn_i_acc_convolution_t){
      .weights = weights,
      .bias = bias,
      .kernel_y = 1,
      .kernel_x = 1,
      .stride_y = 1,
      .stride_x = 1,
      .dilation_y = 1,
      .dilation_x = 1,
      .groups = groups,
  };
}

/* Dense or grouped; depthwise (groups == c == oc, or oc a multiple of c) goes to its own kernels.
 */
armnn_status_t armnn_i_acc_make_convolution(const armnn_i_acc_maker_t* maker,
                                            const armnn_i_acc_convolution_t* what,
                                            armnn_i_acc_op_t** out_op);
/* The same by Winograd's algorithm, with tiles of |tile| x |tile| output pixels, 2 or 4: dense, a
 * window of 3 x 3, stride 1. The other maker chooses it where maker->winograd lets it. */
armnn_status_t armnn_i_acc_make_winograd(const armnn_i_acc_maker_t* maker,
                                         const armnn_i_acc_convolution_t* what, uint32_t tile,
                                         armnn_i_acc_op_t** out_op);
/* |groups| == c; output channel o reads input channel o / (oc / c). */
armnn_status_t armnn_i_acc_make_depthwise(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_convolution_t* what,
                                          armnn_i_acc_op_t** out_op);
/* The same structure: stride and padding are those of the convolution it transposes; |i| of the
 * weights runs over the input's channels of one group, |o| over the output's. */
armnn_status_t armnn_i_acc_make_transpose_convolution(const armnn_i_acc_maker_t* maker,
                                                      const armnn_i_acc_convolution_t* what,
                                                      armnn_i_acc_op_t** out_op);

/* A depthwise convolution with the 1x1 convolutions around it: project(depthwise(expand(input))).
 * Either of the two may be missing. Of their descriptions, the input and the output are not read,
 * nor is the epilogue of the last one: sizes follow from those of the whole, channels from
 * depthwise->groups. */
typedef struct armnn_i_acc_separable_t {
  armnn_i_acc_tensor_t input, output;      /* [n, h, w, c] */
  const armnn_i_acc_convolution_t* expand; /* or null */
  const armnn_i_acc_convolution_t* depthwise;
  const armnn_i_acc_convolution_t* project; /* or null */
  armnn_i_acc_epilogue_t epilogue;          /* of the last of them */
} armnn_i_acc_separable_t;

armnn_status_t armnn_i_acc_make_separable(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_separable_t* what,
                                          armnn_i_acc_op_t** out_op);
/* Whether it should be one operator, as the maker's option says and by the sizes: the tensors
 * between leave the cache otherwise. */
bool armnn_i_acc_choose_separable(const armnn_i_acc_maker_t* maker,
                                  const armnn_i_acc_separable_t* what);

/* output[b] = left[b] right[b] (+ bias): left [batch.., m, k], right [batch.., k, n] or,
 * transposed, [batch.., n, k]; batch dimensions broadcast. A constant |right| is packed when made:
 * this is also the fully connected layer. Tensors have rank 2 or more. */
typedef struct armnn_i_acc_matmul_t {
  armnn_i_acc_tensor_t left, right, output;
  bool transpose_left, transpose_right;
  const float* bias; /* [n], or null */
  int32_t stored;    /* armnn_i_acc_stored_e: how a constant right side is packed */
  armnn_i_acc_epilogue_t epilogue;
} armnn_i_acc_matmul_t;

armnn_status_t armnn_i_acc_make_matmul(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_matmul_t* what, armnn_i_acc_op_t** out_op);

/* output[b] = softmax(beta (scale query[b] key[b]^T + mask[b])) value[b], the softmax along rows:
 * query [batch.., m, k], value [batch.., n, d], key [batch.., k, n] or, with |transpose_key|,
 * [batch.., n, k], and so for |transpose_value|; mask [batch.., m or 1, n], or of rank 0. A mask of
 * booleans is not added: scores stay where it is |shown| and are |hidden| elsewhere. Batch
 * dimensions broadcast to those of the output; of |key| and |value| the last of them counts groups
 * of |group| matrices of the output, which share theirs. Before the mask a |softcap| above 0 makes
 * scores softcap tanh(score / softcap); with |causal|, row i has no scores behind column
 * i + n - m. With |zero_rows| a row whose scores are all minus infinity becomes 0, else NaN. */
typedef struct armnn_i_acc_attention_t {
  armnn_i_acc_tensor_t query, key, value, mask, output;
  bool transpose_key, transpose_value;
  int64_t group; /* at least 1 */
  bool shown, causal, zero_rows;
  float hidden, softcap;
  float scale, beta;
} armnn_i_acc_attention_t;

armnn_status_t armnn_i_acc_make_attention(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_attention_t* what,
                                          armnn_i_acc_op_t** out_op);

/* Rotary embedding: of each row of the last dimension the first |turned| numbers are pairs (a, b),
 * which become (a cos - b sin, b cos + a sin); the others stay. The numbers of a pair follow each
 * other, or are half of |turned| apart. Angles broadcast to the output's dimensions before the
 * last, which has |turned| of them, or half as many: one for each pair. */
typedef struct armnn_i_acc_rotary_t {
  armnn_i_acc_tensor_t input, cosine, sine, output;
  int64_t turned; /* even */
  bool neighbours;
} armnn_i_acc_rotary_t;

armnn_status_t armnn_i_acc_make_rotary(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_rotary_t* what, armnn_i_acc_op_t** out_op);

/* LSTM cells over a sequence. |sums|: what the input adds to the sums of the gates, bias and all,
 * [steps, rows, gates * cells], or with |rows_first| [rows, steps, ..]; gates in the order input
 * (not with |coupled|: 1 - forget), forget, fresh, output. States before the first step: |hidden|
 * [rows, outputs], |cell| [rows, cells]. |output| is flat: hidden states of all steps, in the order
 * of |sums|, then the last hidden state, then the last cell state. */
typedef struct armnn_i_acc_lstm_t {
  armnn_i_acc_tensor_t sums, hidden, cell, output;
  bool rows_first, coupled;
  int64_t cells, outputs;
  const float* recurrent;       /* [gates * cells, outputs] */
  const float* peepholes[3];    /* of input, forget and output gate: [cells], or null */
  const float* projection;      /* [outputs, cells], or null: outputs are cells */
  const float* projection_bias; /* [outputs], or null */
  int32_t function;             /* armnn_i_acc_function_e, as kernels/rows/recurrent.h says */
  float high;
  float clip, projection_clip; /* infinite: none */
  int32_t rounding;            /* armnn_row_rounding_e of hidden and of what is projected */
} armnn_i_acc_lstm_t;

armnn_status_t armnn_i_acc_make_lstm(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_lstm_t* what, armnn_i_acc_op_t** out_op);

/* Rows along the last of three dimensions, rounded to 8 bits by their own range. */
typedef struct armnn_i_acc_round_rows_t {
  armnn_i_acc_tensor_t input, output;
  int32_t rounding; /* armnn_row_rounding_e, not NONE */
} armnn_i_acc_round_rows_t;

armnn_status_t armnn_i_acc_make_round_rows(const armnn_i_acc_maker_t* maker,
                                           const armnn_i_acc_round_rows_t* what,
                                           armnn_i_acc_op_t** out_op);

/* Units that walk over a sequence in one direction or both. |sums| as above, [steps, rows,
 * directions * gates * cells], |state| [directions, rows, cells]; |lengths| of the rows, int32 or
 * int64, or of rank 0: behind its end a row has zeros and keeps its state. |output| is flat: states
 * of all steps, [steps, directions, rows, cells], then the last, [directions, rows, cells]. */
typedef struct armnn_i_acc_gru_t {
  armnn_i_acc_tensor_t sums, state, lengths, output;
  bool reverse; /* of one direction; the second of two always is */
  int64_t directions, cells;
  const float* recurrent; /* [directions, gates * cells, cells] */
  float clip;             /* the bound of sums before functions; infinite: none */
  /* Gated units (gru): gates in the order update, reset, fresh. */
  bool resets_after; /* the reset gate multiplies the product instead of the state */
  const float* bias; /* of the fresh gate's product, [directions, gates * cells]; or null */
  /* Plain units (rnn): the function of their sums. */
  int32_t function; /* armnn_i_acc_function_e */
  float a, b;
  int32_t rounding; /* armnn_row_rounding_e of the state */
} armnn_i_acc_gru_t;

armnn_status_t armnn_i_acc_make_gru(const armnn_i_acc_maker_t* maker, const armnn_i_acc_gru_t* what,
                                    armnn_i_acc_op_t** out_op);
armnn_status_t armnn_i_acc_make_rnn(const armnn_i_acc_maker_t* maker, const armnn_i_acc_gru_t* what,
                                    armnn_i_acc_op_t** out_op);

/* output = input * scale + shift, one of each for every index of the last dimension. */
typedef struct armnn_i_acc_affine_t {
  armnn_i_acc_tensor_t input, output;
  const float *scale, *shift;
  armnn_i_acc_epilogue_t epilogue;
} armnn_i_acc_affine_t;

armnn_status_t armnn_i_acc_make_affine(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_affine_t* what, armnn_i_acc_op_t** out_op);

/* ---- Images -------------------------------------------------------------------------------- */

typedef struct armnn_i_acc_pooling_t {
  armnn_i_acc_tensor_t input, output; /* [n, h, w, c] */
  int32_t method;                     /* armnn_pooling_algorithm_e */
  int64_t kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x;
  int64_t pad_top, pad_left, pad_bottom, pad_right;
  bool count_padding; /* average and L2: padding (as given) counts in the divisor */
  armnn_i_acc_epilogue_t epilogue;
} armnn_i_acc_pooling_t;

armnn_status_t armnn_i_acc_make_pooling(const armnn_i_acc_maker_t* maker,
                                        const armnn_i_acc_pooling_t* what,
                                        armnn_i_acc_op_t** out_op);

typedef struct armnn_i_acc_resize_t {
  armnn_i_acc_tensor_t input, output; /* [n, h, w, c] */
  int32_t method;                     /* armnn_resize_method_e */
  bool align_corners, half_pixel_centers;
} armnn_i_acc_resize_t;

armnn_status_t armnn_i_acc_make_resize(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_resize_t* what, armnn_i_acc_op_t** out_op);

/* ---- Elements ------------------------------------------------------------------------------ */

/* Nothing but the function of the epilogue (never a residual); input and output may be the same
 * memory. */
typedef struct armnn_i_acc_unary_t {
  armnn_i_acc_tensor_t input, output;
  armnn_i_acc_epilogue_t epilogue;
} armnn_i_acc_unary_t;

armnn_status_t armnn_i_acc_make_unary(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_unary_t* what, armnn_i_acc_op_t** out_op);

/* Operands are broadcast by numpy's rules to the output's dims (all ranks equal; a dimension of 1
 * repeats). Then the epilogue's function (never a residual). */
typedef struct armnn_i_acc_binary_t {
  armnn_i_acc_tensor_t left, right, output;
  int32_t operation; /* armnn_binary_operation_e */
  armnn_i_acc_epilogue_t epilogue;
} armnn_i_acc_binary_t;

armnn_status_t armnn_i_acc_make_binary(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_binary_t* what, armnn_i_acc_op_t** out_op);

/* x where the condition (a byte each) holds, else y, elements of any kind; all three broadcast as
 * for a binary. */
typedef struct armnn_i_acc_select_t {
  armnn_i_acc_tensor_t condition, x, y, output;
} armnn_i_acc_select_t;

armnn_status_t armnn_i_acc_make_select(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_select_t* what, armnn_i_acc_op_t** out_op);

typedef enum armnn_i_acc_pairs_e {
  ARMNN_ACC_PAIRS_ARITHMETIC, /* armnn_binary_operation_e, elements like the operands' */
  ARMNN_ACC_PAIRS_COMPARISON, /* armnn_comparison_operation_e, booleans */
  ARMNN_ACC_PAIRS_LOGIC,      /* armnn_logical_binary_operation_e of booleans */
} armnn_i_acc_pairs_e;

/* A function of operands of one type, broadcast as for a binary. */
typedef struct armnn_i_acc_pairs_t {
  armnn_i_acc_tensor_t left, right, output;
  int32_t kind; /* armnn_i_acc_pairs_e */
  int32_t operation;
} armnn_i_acc_pairs_t;

armnn_status_t armnn_i_acc_make_pairs(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_pairs_t* what, armnn_i_acc_op_t** out_op);
bool armnn_i_acc_has_pairs(int32_t kind, int32_t operation, int32_t data_type);

/* A function of one operand of any type: armnn_unary_operation_e. */
typedef struct armnn_i_acc_each_t {
  armnn_i_acc_tensor_t input, output;
  int32_t operation;
} armnn_i_acc_each_t;

armnn_status_t armnn_i_acc_make_each(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_each_t* what, armnn_i_acc_op_t** out_op);
bool armnn_i_acc_has_each(int32_t operation, int32_t data_type);

/* The input's elements as the output's type. */
typedef struct armnn_i_acc_cast_t {
  armnn_i_acc_tensor_t input, output;
} armnn_i_acc_cast_t;

armnn_status_t armnn_i_acc_make_cast(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_cast_t* what, armnn_i_acc_op_t** out_op);
bool armnn_i_acc_has_cast(int32_t from, int32_t to);
/* |value| as one element of |data_type|, by the rules of a cast; room for 8 bytes. */
void armnn_i_acc_store_element(float value, int32_t data_type, void* out_element);

/* The index, along the middle dimension, of the least or greatest element. */
typedef struct armnn_i_acc_search_t {
  armnn_i_acc_tensor_t input;  /* [outer, searched, inner] */
  armnn_i_acc_tensor_t output; /* [outer, inner], int32 or int64 */
  int32_t function;            /* armnn_arg_min_max_function_e */
} armnn_i_acc_search_t;

armnn_status_t armnn_i_acc_make_search(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_search_t* what, armnn_i_acc_op_t** out_op);
bool armnn_i_acc_has_search(int32_t data_type);

/* The layer's outputs one behind the other, as bytes: indices, scores and count. All tensors are
 * dense. */
typedef struct armnn_i_acc_suppression_t {
  armnn_i_acc_tensor_t boxes, scores, output;
  armnn_non_max_suppression_descriptor_t parameters;
} armnn_i_acc_suppression_t;

armnn_status_t armnn_i_acc_make_suppression(const armnn_i_acc_maker_t* maker,
                                            const armnn_i_acc_suppression_t* what,
                                            armnn_i_acc_op_t** out_op);

/* Leaves that rows get to, one for each tree; nodes as in indices.h, which are constant. */
typedef struct armnn_i_acc_trees_t {
  armnn_i_acc_tensor_t input;  /* [rows, features], dense */
  armnn_i_acc_tensor_t output; /* [rows, trees], int32 */
  const float* splits;
  const int32_t *nodes, *roots;
  uint64_t count; /* of nodes */
} armnn_i_acc_trees_t;

armnn_status_t armnn_i_acc_make_trees(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_trees_t* what, armnn_i_acc_op_t** out_op);

/* softmax(beta x), or its logarithm, along |axis|. */
typedef struct armnn_i_acc_softmax_t {
  armnn_i_acc_tensor_t input, output;
  uint32_t axis;
  float beta;
  bool logarithm;
} armnn_i_acc_softmax_t;

armnn_status_t armnn_i_acc_make_softmax(const armnn_i_acc_maker_t* maker,
                                        const armnn_i_acc_softmax_t* what,
                                        armnn_i_acc_op_t** out_op);

/* Over the axes of |axis_mask|, which have one element in |output| (same rank). */
typedef struct armnn_i_acc_reduce_t {
  armnn_i_acc_tensor_t input, output;
  int32_t operation; /* armnn_reduce_operation_e; mean is ARMNN_REDUCE_MEAN */
  uint32_t axis_mask;
  armnn_i_acc_epilogue_t epilogue;
} armnn_i_acc_reduce_t;

armnn_status_t armnn_i_acc_make_reduce(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_reduce_t* what, armnn_i_acc_op_t** out_op);

typedef enum armnn_i_acc_normalize_e {
  ARMNN_ACC_NORMALIZE_MEAN_VARIANCE, /* (x - mean) / sqrt(variance + eps) * gamma + beta */
  ARMNN_ACC_NORMALIZE_L2,            /* x / sqrt(max(sum x^2, eps)) */
  ARMNN_ACC_NORMALIZE_MEAN_SQUARE,   /* x / sqrt(mean x^2 + eps) * gamma + beta */
} armnn_i_acc_normalize_e;

/* Over the axes of |axis_mask|; |gamma| and |beta| (or null) run over |scale_axis|. Instance,
 * layer, L2 and RMS normalisation. */
typedef struct armnn_i_acc_normalize_t {
  armnn_i_acc_tensor_t input, output;
  int32_t kind;
  uint32_t axis_mask;
  uint32_t scale_axis;
  float eps;
  const float *gamma, *beta;
} armnn_i_acc_normalize_t;

armnn_status_t armnn_i_acc_make_normalize(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_normalize_t* what,
                                          armnn_i_acc_op_t** out_op);

/* ---- Moving data --------------------------------------------------------------------------- */

/* output[i0, i1, ..] = input[.., i_order^-1 ..]: output dimension d is input dimension order[d].
 * Any strides on either side: transposes, layout changes, strided slices, inputs of a Concat. */
typedef struct armnn_i_acc_copy_t {
  armnn_i_acc_tensor_t input, output;
  uint32_t order[ARMNN_ACC_MAX_RANK];
} armnn_i_acc_copy_t;

armnn_status_t armnn_i_acc_make_copy(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_copy_t* what, armnn_i_acc_op_t** out_op);

/* Copies |input| to |before| in |output| and fills the rest; |after| follows from the sizes. */
typedef struct armnn_i_acc_pad_t {
  armnn_i_acc_tensor_t input, output;
  int64_t before[ARMNN_ACC_MAX_RANK], after[ARMNN_ACC_MAX_RANK];
  int32_t mode; /* armnn_padding_mode_e */
  float value;  /* filled in as a cast of it; quantised: the number that is stored */
} armnn_i_acc_pad_t;

armnn_status_t armnn_i_acc_make_pad(const armnn_i_acc_maker_t* maker, const armnn_i_acc_pad_t* what,
                                    armnn_i_acc_op_t** out_op);

/* output[o, p] = input[o, indices[p, 0], indices[p, 1], ..], a slice of the last dimension;
 * negative indices count from the end. One outside ends the run; the message numbers the indexed
 * dimensions from |dimension| on. */
typedef struct armnn_i_acc_gather_t {
  armnn_i_acc_tensor_t input;   /* [outer, indexed dimensions.., slice] */
  armnn_i_acc_tensor_t indices; /* [count, indexed dimensions], int32 or int64 */
  armnn_i_acc_tensor_t output;  /* [outer, count, slice] */
  uint32_t dimension;
} armnn_i_acc_gather_t;

armnn_status_t armnn_i_acc_make_gather(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_gather_t* what, armnn_i_acc_op_t** out_op);

/* Slices of a tensor are replaced, or joined with others, one after the other: slice i of |updates|
 * [count, the other dimensions..] goes where indices[i] says, number n of which is along dimension
 * axes[n] of the output. |base| is the tensor before, in the very memory of the output. Indices as
 * above. */
typedef struct armnn_i_acc_scatter_t {
  armnn_i_acc_tensor_t base;
  armnn_i_acc_tensor_t indices; /* [count, axes], int32 or int64 */
  armnn_i_acc_tensor_t updates;
  armnn_i_acc_tensor_t output;
  uint32_t axes[ARMNN_ACC_MAX_RANK];
  int32_t function; /* armnn_scatter_nd_function_e */
} armnn_i_acc_scatter_t;

bool armnn_i_acc_has_scatter(int32_t function, int32_t data_type);

armnn_status_t armnn_i_acc_make_scatter(const armnn_i_acc_maker_t* maker,
                                        const armnn_i_acc_scatter_t* what,
                                        armnn_i_acc_op_t** out_op);

#include "block_ops.h"
#include "dynamic_ops.h"
#include "quantized_ops.h"
#include "whole_ops.h"

#endif /* ARMNN_CPU_ACC_OPS_H_ */
