/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * descriptors.h - what a layer computes: layer types, their parameters and their operands.
 *
 * Included by backend_api.h. Layer types, enumerations and fields are Arm NN's, with its numbers;
 * what armnn_py adds is marked [armnn_py].
 *
 * Operands. Every tensor that a layer reads is an *input*, in the order given in brackets beside
 * its descriptor; weights, bias and normalisation parameters are inputs whose values are (usually)
 * known when the workload is made. "x?" may be absent. A layer without parameters has no
 * descriptor (a null pointer). Input, Output and Constant never reach a backend.
 *
 * One form for one thing. Where Arm NN has two layer types for one computation, a backend sees the
 * canonical one alone; the other is marked "use ..." and is a name for people.
 *
 * Numbers. A layer is defined on real numbers: an element q of a quantised tensor stands for
 * scale * (q - zero_point). Behind its operands stands how its numbers come about:
 *   exact      elements are moved, compared or counted; what is moved keeps its bits
 *   element    one operation for each element
 *   function   a function of each element
 *   normalize  differences from a mean, divided by a deviation
 *   sum        sums of products, means, and what divides by them
 * All but "exact" compute the real result and round it once to the output's type: to the nearest
 * value, halves to even; a quantised one is round(real / scale) + zero_point, saturated to the
 * ends of its type. How far a backend may be from this, for each arithmetic and data type, says
 * tolerances.toml of the package, which all tests go by: one step of a quantised type, for example.
 *   [weights] Quantised weights have one scale, or one for each channel of the output, along the
 *       dimension of these channels; the input beside them has one. Each operand of a BATCH_MAT_MUL
 *       has one scale, and so has each of an LSTM with a quantised input, biases apart. A bias is
 *       SIGNED32, or SIGNED64 beside QSYMM_S16, and counts in steps of the input's scale times the
 *       weights' (of the channel), whatever its own info says. Sums of products are exact: 32 bits
 *       hold those of 8-bit operands up to 2^15 products, 64 bits all others.
 *   [rescaling] A descriptor that has the field says whose arithmetic a quantised layer follows.
 *       ARMNN_RESCALING_REAL is the definition above: sums and means are exact, single elements are
 *       computed in float32, and the result is rounded once. ARMNN_RESCALING_FIXED_POINT has the
 *       results of TensorFlow Lite's kernels, at most one step away. A backend that has one
 *       arithmetic alone takes both.
 *   [quantised] Where an "exact" layer moves elements, its operands and outputs have the same
 *       quantisation; comparisons compare real values.
 *   [integers] SIGNED32 and SIGNED64 wrap around in two's complement. Division truncates towards
 *       zero, also of means; division by zero gives 0.
 *   [special] Real arithmetic follows IEEE 754. What is computed from a NaN is NaN, a maximum, a
 *       minimum, ReLU and pooling too; infinities keep their sign. Denormals may count as zeros of
 *       their sign. NaN becomes 0 as an integer, true as a boolean, and zero_point as a quantised
 *       number; infinities saturate. Which NaN comes out, and the order of a sum, are not defined.
 *
 * Every descriptor starts with a header whose tag is ARMNN_STRUCT_DESCRIPTOR + layer type, is
 * plain data except where a pointer is named, and may be copied with memcpy. Booleans are uint32_t.
 */
#ifndef ARMNN_DESCRIPTORS_H_
#define ARMNN_DESCRIPTORS_H_

#include "armnn/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Box of a tensor: frozen, because arrays of it cross the border. */
typedef struct armnn_view_t {
  uint64_t origin[ARMNN_MAX_DIMS];
  uint64_t size[ARMNN_MAX_DIMS];
} armnn_view_t;

enum armnn_attribute_type_e {
  ARMNN_ATTRIBUTE_INTEGER = 0, /* int64_t */
  ARMNN_ATTRIBUTE_REAL = 1,    /* double */
  ARMNN_ATTRIBUTE_STRING = 2,  /* armnn_string_t */
  ARMNN_ATTRIBUTE_TENSOR = 3,  /* armnn_const_tensor_t */
  ARMNN_ATTRIBUTE_TYPE_MAX_ENUM = INT32_MAX
};

/* A parameter of a STAND_IN, as its model has it: one value, or a list. Frozen. */
typedef struct armnn_attribute_t {
  armnn_string_t name;
  int32_t type;     /* armnn_attribute_type_e */
  uint32_t is_list; /* 0: |count| is 1 */
  uint64_t count;
  const void* values; /* an array of what the type says; null only if |count| is 0 */
} armnn_attribute_t;

/* clang-format off */
/* Generated from schema by scripts/generate_layers.py, down to the next such line. */

/* ---- Layer types --------------------------------------------------------------------------- */

enum armnn_layer_type_e {
  ARMNN_LAYER_ACTIVATION = 0,
  ARMNN_LAYER_ADDITION = 1, /* use ELEMENTWISE_BINARY */
  ARMNN_LAYER_ARG_MIN_MAX = 2,
  ARMNN_LAYER_BATCH_NORMALIZATION = 3,
  ARMNN_LAYER_BATCH_TO_SPACE_ND = 4,
  ARMNN_LAYER_COMPARISON = 5,
  ARMNN_LAYER_CONCAT = 6,
  ARMNN_LAYER_CONSTANT = 7,
  ARMNN_LAYER_CONVERT_FP16_TO_FP32 = 8, /* use CAST */
  ARMNN_LAYER_CONVERT_FP32_TO_FP16 = 9, /* use CAST */
  ARMNN_LAYER_CONVOLUTION2D = 10,
  ARMNN_LAYER_DEBUG = 11,
  ARMNN_LAYER_DEPTH_TO_SPACE = 12,
  ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D = 13,
  ARMNN_LAYER_DEQUANTIZE = 14,
  ARMNN_LAYER_DETECTION_POST_PROCESS = 15,
  ARMNN_LAYER_DIVISION = 16, /* use ELEMENTWISE_BINARY */
  ARMNN_LAYER_ELEMENTWISE_UNARY = 17,
  ARMNN_LAYER_FAKE_QUANTIZATION = 18,
  ARMNN_LAYER_FILL = 19,
  ARMNN_LAYER_FLOOR = 20, /* use ELEMENTWISE_UNARY */
  ARMNN_LAYER_FULLY_CONNECTED = 21,
  ARMNN_LAYER_GATHER = 22,
  ARMNN_LAYER_INPUT = 23,
  ARMNN_LAYER_INSTANCE_NORMALIZATION = 24,
  ARMNN_LAYER_L2_NORMALIZATION = 25,
  ARMNN_LAYER_LOGICAL_BINARY = 26,
  ARMNN_LAYER_LOG_SOFTMAX = 27,
  ARMNN_LAYER_LSTM = 28,
  ARMNN_LAYER_QLSTM = 29,
  ARMNN_LAYER_MAP = 30,
  ARMNN_LAYER_MAXIMUM = 31, /* use ELEMENTWISE_BINARY */
  ARMNN_LAYER_MEAN = 32, /* use REDUCE */
  ARMNN_LAYER_MEM_COPY = 33,
  ARMNN_LAYER_MEM_IMPORT = 34,
  ARMNN_LAYER_MERGE = 35,
  ARMNN_LAYER_MINIMUM = 36, /* use ELEMENTWISE_BINARY */
  ARMNN_LAYER_MULTIPLICATION = 37, /* use ELEMENTWISE_BINARY */
  ARMNN_LAYER_NORMALIZATION = 38,
  ARMNN_LAYER_OUTPUT = 39,
  ARMNN_LAYER_PAD = 40,
  ARMNN_LAYER_PERMUTE = 41, /* use TRANSPOSE */
  ARMNN_LAYER_POOLING2D = 42,
  ARMNN_LAYER_PRE_COMPILED = 43,
  ARMNN_LAYER_PRELU = 44,
  ARMNN_LAYER_QUANTIZE = 45,
  ARMNN_LAYER_QUANTIZED_LSTM = 46,
  ARMNN_LAYER_RESHAPE = 47,
  ARMNN_LAYER_RANK = 48,
  ARMNN_LAYER_RESIZE = 49,
  ARMNN_LAYER_REDUCE = 50,
  ARMNN_LAYER_SLICE = 51,
  ARMNN_LAYER_SOFTMAX = 52,
  ARMNN_LAYER_SPACE_TO_BATCH_ND = 53,
  ARMNN_LAYER_SPACE_TO_DEPTH = 54,
  ARMNN_LAYER_SPLITTER = 55,
  ARMNN_LAYER_STACK = 56,
  ARMNN_LAYER_STAND_IN = 57,
  ARMNN_LAYER_STRIDED_SLICE = 58,
  ARMNN_LAYER_SUBTRACTION = 59, /* use ELEMENTWISE_BINARY */
  ARMNN_LAYER_SWITCH = 60,
  ARMNN_LAYER_TRANSPOSE = 61,
  ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D = 62,
  ARMNN_LAYER_UNMAP = 63,
  ARMNN_LAYER_CAST = 64,
  ARMNN_LAYER_SHAPE = 65,
  ARMNN_LAYER_UNIDIRECTIONAL_SEQUENCE_LSTM = 66,
  ARMNN_LAYER_CHANNEL_SHUFFLE = 67,
  ARMNN_LAYER_CONVOLUTION3D = 68,
  ARMNN_LAYER_POOLING3D = 69,
  ARMNN_LAYER_GATHER_ND = 70,
  ARMNN_LAYER_BATCH_MAT_MUL = 71,
  ARMNN_LAYER_ELEMENTWISE_BINARY = 72,
  ARMNN_LAYER_REVERSE_V2 = 73,
  ARMNN_LAYER_TILE = 74,
  ARMNN_LAYER_FUSED = 75,
  ARMNN_LAYER_BROADCAST_TO = 76,
  ARMNN_LAYER_SCATTER_ND = 77,
  ARMNN_LAYER_SELECT = 78,
  ARMNN_LAYER_LAYER_NORMALIZATION = 79,
  ARMNN_LAYER_RMS_NORMALIZATION = 80,
  ARMNN_LAYER_GRU = 81,
  ARMNN_LAYER_TOP_K = 82,
  ARMNN_LAYER_CUM_SUM = 83,
  ARMNN_LAYER_ONE_HOT = 84,
  ARMNN_LAYER_DYNAMIC_QUANTIZE = 85,
  ARMNN_LAYER_MAT_MUL_INTEGER = 86,
  ARMNN_LAYER_DEQUANTIZE_BLOCKS = 87,
  ARMNN_LAYER_RNN = 88,
  ARMNN_LAYER_RANDOM = 89,
  ARMNN_LAYER_ROTARY_EMBEDDING = 90,
  ARMNN_LAYER_ATTENTION = 91,
  ARMNN_LAYER_NON_MAX_SUPPRESSION = 92,
  ARMNN_LAYER_TREE_LEAVES = 93,
  ARMNN_LAYER_TYPE_COUNT = 94,
  ARMNN_LAYER_TYPE_MAX_ENUM = INT32_MAX
};

/* ---- Enumerations of the descriptors ------------------------------------------------------- */

/* Function of an Activation layer; a and b are the descriptor's parameters. */
enum armnn_activation_function_e {
  ARMNN_ACTIVATION_SIGMOID = 0, /* 1 / (1 + exp(-x)) */
  ARMNN_ACTIVATION_TANH = 1, /* a * tanh(b * x) */
  ARMNN_ACTIVATION_LINEAR = 2, /* a * x + b */
  ARMNN_ACTIVATION_RELU = 3, /* max(x, 0) */
  ARMNN_ACTIVATION_BOUNDED_RELU = 4, /* min(a, max(b, x)) */
  ARMNN_ACTIVATION_SOFT_RELU = 5, /* log(1 + exp(x)) */
  ARMNN_ACTIVATION_LEAKY_RELU = 6, /* x if x > 0 else a * x */
  ARMNN_ACTIVATION_ABS = 7, /* abs(x) */
  ARMNN_ACTIVATION_SQRT = 8, /* sqrt(x) */
  ARMNN_ACTIVATION_SQUARE = 9, /* x * x */
  ARMNN_ACTIVATION_ELU = 10, /* x if x >= 0 else a * (exp(x) - 1) */
  ARMNN_ACTIVATION_HARD_SWISH = 11, /* x * min(max(x + 3, 0), 6) / 6 */
  ARMNN_ACTIVATION_GELU = 12, /* x * (1 + erf(x / sqrt(2))) / 2 */
  ARMNN_ACTIVATION_HARD_SIGMOID = 13, /* [armnn_py] min(max(a * x + b, 0), 1) */
  ARMNN_ACTIVATION_MISH = 14, /* [armnn_py] x * tanh(log(1 + exp(x))) */
  ARMNN_ACTIVATION_SOFTSIGN = 15, /* [armnn_py] x / (1 + abs(x)) */
  ARMNN_ACTIVATION_THRESHOLDED_RELU = 16, /* [armnn_py] x if x >= a else 0 */
  ARMNN_ACTIVATION_COUNT = 17,
  ARMNN_ACTIVATION_MAX_ENUM = INT32_MAX
};

/* How a quantised layer brings its results to the scale of the output [armnn_py]. */
enum armnn_rescaling_e {
  /* TensorFlow Lite's arithmetic: factors of 31 bits, halves as its specification rounds them */
  ARMNN_RESCALING_FIXED_POINT = 0,
  ARMNN_RESCALING_REAL = 1, /* ONNX's: the real result is rounded once, halves to even */
  ARMNN_RESCALING_COUNT = 2,
  ARMNN_RESCALING_MAX_ENUM = INT32_MAX
};

/* Operation of a Comparison layer. */
enum armnn_comparison_operation_e {
  ARMNN_COMPARISON_EQUAL = 0,
  ARMNN_COMPARISON_GREATER = 1,
  ARMNN_COMPARISON_GREATER_OR_EQUAL = 2,
  ARMNN_COMPARISON_LESS = 3,
  ARMNN_COMPARISON_LESS_OR_EQUAL = 4,
  ARMNN_COMPARISON_NOT_EQUAL = 5,
  ARMNN_COMPARISON_COUNT = 6,
  ARMNN_COMPARISON_MAX_ENUM = INT32_MAX
};

/* Operation of an ElementwiseUnary layer. */
enum armnn_unary_operation_e {
  ARMNN_UNARY_ABS = 0,
  ARMNN_UNARY_EXP = 1,
  ARMNN_UNARY_SQRT = 2,
  ARMNN_UNARY_RSQRT = 3,
  ARMNN_UNARY_NEG = 4,
  ARMNN_UNARY_LOGICAL_NOT = 5,
  ARMNN_UNARY_LOG = 6,
  ARMNN_UNARY_SIN = 7,
  ARMNN_UNARY_CEIL = 8,
  ARMNN_UNARY_FLOOR = 9, /* [armnn_py] */
  ARMNN_UNARY_ERF = 10, /* Error function [armnn_py] */
  ARMNN_UNARY_ROUND = 11, /* To the nearest integer, halves to the even one [armnn_py] */
  ARMNN_UNARY_COS = 12, /* [armnn_py] */
  ARMNN_UNARY_TAN = 13, /* [armnn_py] */
  ARMNN_UNARY_ASIN = 14, /* [armnn_py] */
  ARMNN_UNARY_ACOS = 15, /* [armnn_py] */
  ARMNN_UNARY_ATAN = 16, /* [armnn_py] */
  ARMNN_UNARY_SINH = 17, /* [armnn_py] */
  ARMNN_UNARY_COSH = 18, /* [armnn_py] */
  ARMNN_UNARY_ASINH = 19, /* [armnn_py] */
  ARMNN_UNARY_ACOSH = 20, /* [armnn_py] */
  ARMNN_UNARY_ATANH = 21, /* [armnn_py] */
  ARMNN_UNARY_BITWISE_NOT = 22, /* Of integers or booleans [armnn_py] */
  ARMNN_UNARY_COUNT = 23,
  ARMNN_UNARY_MAX_ENUM = INT32_MAX
};

/* Operation of a LogicalBinary layer. */
enum armnn_logical_binary_operation_e {
  ARMNN_LOGICAL_AND = 0,
  ARMNN_LOGICAL_OR = 1,
  ARMNN_LOGICAL_BINARY_COUNT = 2,
  ARMNN_LOGICAL_BINARY_MAX_ENUM = INT32_MAX
};

/* Operation of an ElementwiseBinary layer. */
enum armnn_binary_operation_e {
  ARMNN_BINARY_ADD = 0,
  ARMNN_BINARY_DIV = 1,
  ARMNN_BINARY_MAXIMUM = 2,
  ARMNN_BINARY_MINIMUM = 3,
  ARMNN_BINARY_MUL = 4,
  ARMNN_BINARY_SUB = 5,
  ARMNN_BINARY_SQ_DIFF = 6,
  ARMNN_BINARY_POWER = 7,
  ARMNN_BINARY_MOD = 8, /* x - y * floor(x / y): the sign of y, as numpy.mod [armnn_py] */
  ARMNN_BINARY_FMOD = 9, /* x - y * trunc(x / y): the sign of x, as fmod of C [armnn_py] */
  ARMNN_BINARY_BITWISE_AND = 10, /* Of integers or booleans [armnn_py] */
  ARMNN_BINARY_BITWISE_OR = 11, /* Of integers or booleans [armnn_py] */
  ARMNN_BINARY_BITWISE_XOR = 12, /* Of integers or booleans [armnn_py] */
  /* Of integers, by y bits; 0 for y outside of the width [armnn_py] */
  ARMNN_BINARY_SHIFT_LEFT = 13,
  /* Of integers, by y bits, zeros coming in; 0 for y outside of the width [armnn_py] */
  ARMNN_BINARY_SHIFT_RIGHT = 14,
  ARMNN_BINARY_COUNT = 15,
  ARMNN_BINARY_MAX_ENUM = INT32_MAX
};

/* The values that a Pad layer puts around its input. */
enum armnn_padding_mode_e {
  ARMNN_PAD_CONSTANT = 0,
  ARMNN_PAD_REFLECT = 1, /* mirrored, the border element is not repeated */
  ARMNN_PAD_SYMMETRIC = 2, /* mirrored, the border element is repeated */
  ARMNN_PAD_MODE_COUNT = 3,
  ARMNN_PAD_MODE_MAX_ENUM = INT32_MAX
};

/* How a ScatterNd layer joins an update with the value in its place. */
enum armnn_scatter_nd_function_e {
  ARMNN_SCATTER_UPDATE = 0,
  ARMNN_SCATTER_ADD = 1,
  ARMNN_SCATTER_SUB = 2,
  ARMNN_SCATTER_MAX = 3,
  ARMNN_SCATTER_MIN = 4,
  ARMNN_SCATTER_MUL = 5,
  ARMNN_SCATTER_COUNT = 6,
  ARMNN_SCATTER_MAX_ENUM = INT32_MAX
};

/* What becomes of the rows that a product with weights reads, as in TensorFlow Lite's hybrid
 * layers: each is rounded to the 8-bit levels of its own range, and has its real numbers again. */
enum armnn_row_rounding_e {
  ARMNN_ROW_ROUNDING_NONE = 0,
  ARMNN_ROW_ROUNDING_SYMMETRIC = 1, /* levels -127 to 127 of the largest magnitude */
  ARMNN_ROW_ROUNDING_ASYMMETRIC = 2, /* levels -128 to 127 of the range with 0, which has a level */
  ARMNN_ROW_ROUNDING_COUNT = 3,
  ARMNN_ROW_ROUNDING_MAX_ENUM = INT32_MAX
};

/* The direction in which a recurrent layer walks over a sequence. */
enum armnn_recurrent_direction_e {
  ARMNN_RECURRENT_FORWARD = 0,
  ARMNN_RECURRENT_REVERSE = 1,
  ARMNN_RECURRENT_BIDIRECTIONAL = 2, /* both; the first direction is forward */
  ARMNN_RECURRENT_COUNT = 3,
  ARMNN_RECURRENT_MAX_ENUM = INT32_MAX
};

/* Function of an ArgMinMax layer; ties go to the lower index. */
enum armnn_arg_min_max_function_e {
  ARMNN_ARG_MIN = 0,
  ARMNN_ARG_MAX = 1,
  ARMNN_ARG_MIN_MAX_COUNT = 2,
  ARMNN_ARG_MIN_MAX_MAX_ENUM = INT32_MAX
};

/* Neighbourhood of a local response Normalization layer. */
enum armnn_normalization_channel_e {
  ARMNN_NORMALIZATION_ACROSS = 0,
  ARMNN_NORMALIZATION_WITHIN = 1,
  ARMNN_NORMALIZATION_CHANNEL_COUNT = 2,
  ARMNN_NORMALIZATION_CHANNEL_MAX_ENUM = INT32_MAX
};

/* Method of a local response Normalization layer. */
enum armnn_normalization_method_e {
  ARMNN_NORMALIZATION_LOCAL_BRIGHTNESS = 0,
  ARMNN_NORMALIZATION_LOCAL_CONTRAST = 1,
  ARMNN_NORMALIZATION_METHOD_COUNT = 2,
  ARMNN_NORMALIZATION_METHOD_MAX_ENUM = INT32_MAX
};

/* Operation of a Reduce layer. */
enum armnn_reduce_operation_e {
  ARMNN_REDUCE_SUM = 0,
  ARMNN_REDUCE_MAX = 1,
  ARMNN_REDUCE_MEAN = 2,
  ARMNN_REDUCE_MIN = 3,
  ARMNN_REDUCE_PROD = 4,
  ARMNN_REDUCE_COUNT = 5,
  ARMNN_REDUCE_MAX_ENUM = INT32_MAX
};

/* Kernel of a Fused layer. */
enum armnn_fused_kernel_type_e {
  ARMNN_FUSED_ADD_MUL_ADD = 0,
  ARMNN_FUSED_COUNT = 1,
  ARMNN_FUSED_MAX_ENUM = INT32_MAX
};

/* How random numbers are distributed. */
enum armnn_random_distribution_e {
  ARMNN_RANDOM_UNIFORM = 0, /* from 0 to below 1, in steps of 2^-24 */
  ARMNN_RANDOM_NORMAL = 1, /* with mean 0 and variance 1 */
  ARMNN_RANDOM_COUNT = 2,
  ARMNN_RANDOM_MAX_ENUM = INT32_MAX
};

/* The value of a pooling window. */
enum armnn_pooling_algorithm_e {
  ARMNN_POOLING_MAX = 0,
  ARMNN_POOLING_AVERAGE = 1,
  ARMNN_POOLING_L2 = 2,
  ARMNN_POOLING_COUNT = 3,
  ARMNN_POOLING_MAX_ENUM = INT32_MAX
};

/* How a pooling layer counts windows that do not fit wholly. */
enum armnn_output_shape_rounding_e {
  ARMNN_ROUNDING_FLOOR = 0,
  ARMNN_ROUNDING_CEILING = 1,
  ARMNN_ROUNDING_COUNT = 2,
  ARMNN_ROUNDING_MAX_ENUM = INT32_MAX
};

/* Whether padding counts in the divisor of an average or L2 norm. */
enum armnn_padding_method_e {
  ARMNN_PADDING_IGNORE_VALUE = 0, /* it does */
  ARMNN_PADDING_EXCLUDE = 1, /* it does not */
  ARMNN_PADDING_METHOD_COUNT = 2,
  ARMNN_PADDING_METHOD_MAX_ENUM = INT32_MAX
};

/* How a Resize layer reads between elements. */
enum armnn_resize_method_e {
  ARMNN_RESIZE_BILINEAR = 0,
  ARMNN_RESIZE_NEAREST_NEIGHBOR = 1,
  ARMNN_RESIZE_METHOD_COUNT = 2,
  ARMNN_RESIZE_METHOD_MAX_ENUM = INT32_MAX
};

/* ---- Descriptors --------------------------------------------------------------------------- */

/* ROTARY_EMBEDDING [input, cos, sin -> output; sum]: Turns pairs of numbers of the last
 * dimension by angles: (a, b) becomes (a cos - b sin, b cos + a sin) (ONNX's RotaryEmbedding).
 * cos and sin have one shape, which broadcasts to that of the input before the last dimension;
 * of that they have one number for each pair. Pairs are made of the first numbers of a row,
 * twice as many as there are angles; the others stay. */
typedef struct armnn_rotary_embedding_descriptor_t {
  armnn_header_t header;
  uint32_t interleaved; /* the numbers of a pair follow each other; else they are half of all paired numbers apart */
  uint32_t reserved;
} armnn_rotary_embedding_descriptor_t;

/* ATTENTION [query, key, value, mask? -> output; sum]: Weights values by the softmax of the
 * products of queries and keys (ONNX's Attention). query is [batch, heads, queries, size], key
 * [batch, kv_heads, keys, size], value [batch, kv_heads, keys, columns]; heads is a multiple of
 * kv_heads, and so many heads that follow each other share a key and a value. Scores are scale *
 * query key^T, then bounded by softcap. A mask [.., keys], which broadcasts to [batch, heads,
 * queries, keys], is added to them, or, if it is boolean, hides keys where it is false. With
 * causal, query i sees keys up to i + keys - queries. Hidden keys have a score of minus
 * infinity. The output is softmax(scores) value; it is 0 for a query whose scores are all minus
 * infinity. */
typedef struct armnn_attention_descriptor_t {
  armnn_header_t header;
  float scale; /* of the products of queries and keys */
  float softcap; /* c tanh(score / c) bounds scores; 0: not */
  uint32_t causal; /* a query sees no keys behind its own position, the last query all of them */
  uint32_t reserved;
} armnn_attention_descriptor_t;

/* DEQUANTIZE_BLOCKS [input, scales, zero_points? -> output; element]: Makes real numbers of
 * levels that are quantised in blocks along an axis: (input - zero_points) * scales (ONNX's
 * DequantizeLinear with a block_size). Scales and zero points have the input's dimensions, but
 * for the axis, which has one for each block; the last block may be shorter. Zero points have
 * the input's type and are 0 without. The input carries no scale of its own: 8-, 4- or 2-bit
 * numbers, packed where they are of less than a byte. */
typedef struct armnn_dequantize_blocks_descriptor_t {
  armnn_header_t header;
  int32_t axis; /* the dimension that is cut in blocks; negative counts from the end */
  uint32_t block_size; /* elements of a block */
} armnn_dequantize_blocks_descriptor_t;

/* DYNAMIC_QUANTIZE [input -> levels, scale, zero_point; element]: Quantises real numbers by the
 * range that they have (ONNX's DynamicQuantizeLinear; symmetric as in TensorFlow Lite's hybrid
 * layers). The range is made to hold 0. scale = (most - least) / 255, zero_point = round(-least
 * / scale), levels = round(input / scale) + zero_point, halves to even, saturated. Symmetric:
 * scale = max |input| / 127, levels = round(input * (127 / max |input|)), halves away from 0,
 * zero_point 0. A range of 0 has the scale 1. Scale and zero_point are scalars, with rows of the
 * input's dimensions but for the last, which is 1. */
typedef struct armnn_dynamic_quantize_descriptor_t {
  armnn_header_t header;
  uint32_t rows; /* each row (last dimension) has a scale of its own, else the tensor has one */
  uint32_t symmetric; /* levels from -127 to 127 of int8 around 0, else 0 to 255 of uint8 from the least to the greatest */
} armnn_dynamic_quantize_descriptor_t;

/* FAKE_QUANTIZATION [input -> output; element]: Rounds real numbers to the 256 steps between two
 * bounds. Numbers beyond the bounds become the nearer one. The bounds move first such that 0 is
 * one of the steps: step = (max - min) / 255, and min becomes -step * round(-min / step), from
 * -255 * step to 0. */
typedef struct armnn_fake_quantization_descriptor_t {
  armnn_header_t header;
  float min;
  float max;
} armnn_fake_quantization_descriptor_t;

/* FILL [shape -> output; exact]: Makes a tensor of one value; the output's info carries the
 * shape. */
typedef struct armnn_fill_descriptor_t {
  armnn_header_t header;
  float value;
  uint32_t reserved;
} armnn_fill_descriptor_t;

/* ACTIVATION [input -> output; function]: Applies one of the activation functions to each
 * element.
 * Each function says the meaning of its a and b. */
typedef struct armnn_activation_descriptor_t {
  armnn_header_t header;
  int32_t function; /* armnn_activation_function_e */
  float a;
  float b;
  int32_t rescaling; /* armnn_rescaling_e; [armnn_py] of a quantised layer */
} armnn_activation_descriptor_t;

/* COMPARISON [x, y -> output; exact]: Compares two tensors element by element. NaN is unequal to
 * everything, and neither less nor greater. */
typedef struct armnn_comparison_descriptor_t {
  armnn_header_t header;
  int32_t operation; /* armnn_comparison_operation_e */
  uint32_t reserved;
} armnn_comparison_descriptor_t;

/* ELEMENTWISE_UNARY [input -> output; element]: Computes a function of each element. Of
 * integers, fractions are truncated towards zero; one outside of the range becomes the nearest
 * end. */
typedef struct armnn_elementwise_unary_descriptor_t {
  armnn_header_t header;
  int32_t operation; /* armnn_unary_operation_e */
  uint32_t reserved;
} armnn_elementwise_unary_descriptor_t;

/* LOGICAL_BINARY [x, y -> output; exact]: Combines two boolean tensors. */
typedef struct armnn_logical_binary_descriptor_t {
  armnn_header_t header;
  int32_t operation; /* armnn_logical_binary_operation_e */
  uint32_t reserved;
} armnn_logical_binary_descriptor_t;

/* ELEMENTWISE_BINARY [x, y -> output; element]: Computes a function of two tensors. Shapes
 * broadcast as in numpy: aligned at the last dimension, where a size of 1, or no dimension,
 * repeats. Operands come as they are, not expanded. An integer to a negative power is the
 * truncated quotient 1 / x**n; a remainder by 0 is 0. Of booleans ADD, MAXIMUM and BITWISE_OR
 * are or, MUL, MINIMUM and BITWISE_AND are and; of the others only BITWISE_XOR takes them, as in
 * numpy. */
typedef struct armnn_elementwise_binary_descriptor_t {
  armnn_header_t header;
  int32_t operation; /* armnn_binary_operation_e */
  int32_t rescaling; /* armnn_rescaling_e; [armnn_py] of a quantised layer */
} armnn_elementwise_binary_descriptor_t;

/* CONCAT [n inputs -> output; exact]: Joins tensors along one axis: input i fills views[i] of
 * the output. */
typedef struct armnn_concat_descriptor_t {
  armnn_header_t header;
  uint32_t axis;
  uint32_t view_count;
  const armnn_view_t* views;
} armnn_concat_descriptor_t;

/* GATHER [params, indices -> output; exact]: Picks slices along an axis by index. A negative
 * index counts from the end of its dimension. One outside of [-size, size) ends the run with an
 * error. */
typedef struct armnn_gather_descriptor_t {
  armnn_header_t header;
  int32_t axis; /* negative counts from the end */
  uint32_t reserved;
} armnn_gather_descriptor_t;

/* PAD [input -> output; exact]: Puts elements around a tensor; value is the number that is
 * stored, also in a quantised tensor. */
typedef struct armnn_pad_descriptor_t {
  armnn_header_t header;
  int32_t padding_mode; /* armnn_padding_mode_e */
  uint32_t rank;
  uint32_t pad_before[ARMNN_MAX_DIMS];
  uint32_t pad_after[ARMNN_MAX_DIMS];
  float value;
  uint32_t reserved;
} armnn_pad_descriptor_t;

/* PERMUTE [input -> output; exact]: Reorders dimensions: source dimension d becomes dimension
 * mappings[d].
 * TRANSPOSE [input -> output; exact]: Reorders dimensions: dimension d comes from source
 * dimension mappings[d], as in numpy. */
typedef struct armnn_permute_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t mappings[ARMNN_MAX_DIMS];
  uint32_t reserved;
} armnn_permute_descriptor_t;

/* RESHAPE [input -> output; exact]: Gives the elements another shape. */
typedef struct armnn_reshape_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t reserved;
  uint64_t target_shape[ARMNN_MAX_DIMS];
} armnn_reshape_descriptor_t;

/* SLICE [input -> output; exact]: Cuts out a box. */
typedef struct armnn_slice_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t reserved;
  uint64_t begin[ARMNN_MAX_DIMS];
  uint64_t size[ARMNN_MAX_DIMS];
} armnn_slice_descriptor_t;

/* SPLITTER [input -> n outputs; exact]: Cuts a tensor into several: output i is views[i] of the
 * input. */
typedef struct armnn_splitter_descriptor_t {
  armnn_header_t header;
  int32_t axis; /* -1 when a view is a part of other dimensions, too */
  uint32_t view_count;
  const armnn_view_t* views;
} armnn_splitter_descriptor_t;

/* STACK [n inputs -> output; exact]: Joins equal tensors along a new axis. */
typedef struct armnn_stack_descriptor_t {
  armnn_header_t header;
  uint32_t axis;
  uint32_t input_count;
  uint32_t rank;
  uint32_t reserved;
  uint64_t input_shape[ARMNN_MAX_DIMS];
} armnn_stack_descriptor_t;

/* STRIDED_SLICE [input -> output; exact]: Cuts with steps (TensorFlow's definition); the host
 * resolves ellipsis and new axis, so a backend sees these two masks as zero. */
typedef struct armnn_strided_slice_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t reserved;
  int64_t begin[ARMNN_MAX_DIMS];
  int64_t end[ARMNN_MAX_DIMS];
  int64_t stride[ARMNN_MAX_DIMS];
  uint32_t begin_mask;
  uint32_t end_mask;
  uint32_t shrink_axis_mask;
  uint32_t ellipsis_mask;
  uint32_t new_axis_mask;
  int32_t data_layout; /* armnn_data_layout_e */
} armnn_strided_slice_descriptor_t;

/* CHANNEL_SHUFFLE [input -> output; exact]: Mixes groups of channels (Android NNAPI's
 * definition). */
typedef struct armnn_channel_shuffle_descriptor_t {
  armnn_header_t header;
  uint32_t group_count;
  uint32_t axis;
} armnn_channel_shuffle_descriptor_t;

/* TILE [input -> output; exact]: Repeats a tensor, as numpy.tile. */
typedef struct armnn_tile_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t multiples[ARMNN_MAX_DIMS];
  uint32_t reserved;
} armnn_tile_descriptor_t;

/* BROADCAST_TO [input -> output; exact]: Repeats dimensions of size 1, as numpy.broadcast_to. */
typedef struct armnn_broadcast_to_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t reserved;
  uint64_t target_shape[ARMNN_MAX_DIMS];
} armnn_broadcast_to_descriptor_t;

/* SCATTER_ND [input, indices, updates -> output; sum]: Writes updates into a tensor at index
 * tuples. Updates join in the order of their tuples. A negative index counts from the end of its
 * dimension; one outside of [-size, size) ends the run with an error.
 * The first operand is the input, or a shape when not input_enabled. */
typedef struct armnn_scatter_nd_descriptor_t {
  armnn_header_t header;
  int32_t function; /* armnn_scatter_nd_function_e */
  uint32_t input_enabled;
  int32_t axis; /* negative counts from the end */
  uint32_t axis_enabled;
} armnn_scatter_nd_descriptor_t;

/* ONE_HOT [indices, on_value, off_value -> output; exact]: Makes a new axis that holds on_value
 * where an index says and off_value elsewhere; negative indices count from the end. */
typedef struct armnn_one_hot_descriptor_t {
  armnn_header_t header;
  uint32_t depth;
  int32_t axis; /* of the output; negative counts from the end */
} armnn_one_hot_descriptor_t;

/* LSTM [input, output_state, cell_state, input_to_input_weights?, input_to_forget_weights,
 * input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights?,
 * recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights,
 * cell_to_input_weights?, cell_to_forget_weights?, cell_to_output_weights?, input_gate_bias?,
 * forget_gate_bias, cell_bias, output_gate_bias, projection_weights?, projection_bias?,
 * input_layer_norm_weights?, forget_layer_norm_weights?, cell_layer_norm_weights?,
 * output_layer_norm_weights? -> scratch, output_state, cell_state, output; sum]: Runs one step
 * of a long short-term memory cell. Batch N, input size I, C cells, O outputs (C without
 * projection). input [N, I], output_state [N, O], cell_state [N, C], input_to_* [C, I],
 * recurrent_to_* [C, O], projection_weights [O, C], projection_bias [O], all others [C].
 * Operands of a function that the descriptor leaves out are absent; so are those of the input
 * gate with CIFG, where it is 1 - forget gate. Gates: sigmoid (cell gate: the function) of input
 * and state by their weights plus peephole times cell state, normalised over the cells to mean 0
 * and variance 1 and times layer_norm_weights where these are, plus bias. The output gate sees
 * the new cell state. scratch [N, 3 C or 4 C] has the gates: input (not with CIFG), forget,
 * cell, output. Thresholds of 0 clip nothing. Weights of float layers may be quantised.
 * UNIDIRECTIONAL_SEQUENCE_LSTM [as LSTM -> output_state, cell_state, output; sum]: Runs a long
 * short-term memory cell over a sequence. As LSTM over T steps: input [N, T, I] or, time_major,
 * [T, N, I]; output has every step, [N, T, O] or [T, N, O]; the states are those behind the
 * last. */
typedef struct armnn_lstm_descriptor_t {
  armnn_header_t header;
  uint32_t activation_function; /* 0 none, 1 ReLU, 3 ReLU6, 4 tanh, 6 sigmoid */
  float clipping_threshold_cell;
  float clipping_threshold_projection;
  uint32_t cifg_enabled;
  uint32_t peephole_enabled;
  uint32_t projection_enabled;
  uint32_t layer_norm_enabled;
  uint32_t time_major;
  float input_intermediate_scale;
  float forget_intermediate_scale;
  float cell_intermediate_scale;
  float output_intermediate_scale;
  int32_t hidden_state_zero_point;
  float hidden_state_scale;
  int32_t row_rounding; /* armnn_row_rounding_e; of input, output state and what is projected, of real numbers, in each step */
  uint32_t reserved;
} armnn_lstm_descriptor_t;

/* QLSTM [as LSTM -> output_state, cell_state, output; sum]: Runs one step of a quantised long
 * short-term memory cell (Android NNAPI's definition). As LSTM with tanh, in TensorFlow Lite's
 * integers: states round in each step. Input and states QASYMM_S8, cell_state QSYMM_S16 in a
 * power of two, weights QSYMM_S8, peepholes and layer_norm_weights QSYMM_S16, biases SIGNED32. A
 * gate's sums are rounded to steps of 2^-12 or, before layer normalisation, of its intermediate
 * scale; gates to 2^-15. The output before projection is hidden_state_scale * (q -
 * hidden_state_zero_point); a scale of 0: as the output state. UNIDIRECTIONAL_SEQUENCE_LSTM with
 * operands of these types is computed alike. */
typedef struct armnn_qlstm_descriptor_t {
  armnn_header_t header;
  float cell_clip;
  float projection_clip;
  uint32_t cifg_enabled;
  uint32_t peephole_enabled;
  uint32_t projection_enabled;
  uint32_t layer_norm_enabled;
  float input_intermediate_scale;
  float forget_intermediate_scale;
  float cell_intermediate_scale;
  float output_intermediate_scale;
  int32_t hidden_state_zero_point;
  float hidden_state_scale;
} armnn_qlstm_descriptor_t;

/* GRU [input, input_weights, recurrent_weights, input_bias?, recurrent_bias?, hidden_state?,
 * sequence_lengths? -> output, hidden_state; sum]: Runs gated recurrent units over a sequence
 * (ONNX's GRU with sigmoid and tanh). Outputs behind the end of a shorter sequence are 0, its
 * state stays; in reverse it begins at its own end.
 * D directions, batch N, T steps, input size I, hidden size H; gates in the order update, reset,
 * new. input [T, N, I], input_weights [D, 3 H, I], recurrent_weights [D, 3 H, H], biases [D, 3
 * H], hidden_state [D, N, H], sequence_lengths [N], output [T, D, N, H]. */
typedef struct armnn_gru_descriptor_t {
  armnn_header_t header;
  int32_t direction; /* armnn_recurrent_direction_e */
  uint32_t linear_before_reset; /* the reset gate multiplies the product, not the state */
  float clip; /* bound of what enters the functions; 0: none */
  uint32_t reserved;
} armnn_gru_descriptor_t;

/* RNN [as GRU -> output, hidden_state; sum]: Runs plain recurrent units over a sequence (ONNX's
 * RNN): the state becomes the function of input and state by their weights, and biases. Outputs
 * behind the end of a shorter sequence are 0, its state stays; in reverse it begins at its own
 * end.
 * As Gru with one gate: input [T, N, I], input_weights [D, H, I], recurrent_weights [D, H, H],
 * biases [D, H], hidden_state [D, N, H], sequence_lengths [N], output [T, D, N, H]. */
typedef struct armnn_rnn_descriptor_t {
  armnn_header_t header;
  int32_t direction; /* armnn_recurrent_direction_e */
  int32_t function; /* armnn_activation_function_e */
  float a;
  float b;
  float clip; /* bound of what enters the function; 0: none */
  int32_t row_rounding; /* armnn_row_rounding_e; of input and state in each step */
} armnn_rnn_descriptor_t;

/* ARG_MIN_MAX [input -> output; exact]: Finds the index of the least or greatest element along
 * an axis; ties go to the lower index. False is less than true. */
typedef struct armnn_arg_min_max_descriptor_t {
  armnn_header_t header;
  int32_t function; /* armnn_arg_min_max_function_e */
  int32_t axis; /* negative counts from the end */
  int32_t output_type; /* armnn_data_type_e; SIGNED32 or SIGNED64 */
  uint32_t reserved;
} armnn_arg_min_max_descriptor_t;

/* BATCH_NORMALIZATION [input, mean, variance, beta, gamma -> output; normalize]: Normalises each
 * channel by a given mean and variance, then scales and shifts it. */
typedef struct armnn_batch_normalization_descriptor_t {
  armnn_header_t header;
  float eps;
  int32_t data_layout; /* armnn_data_layout_e */
} armnn_batch_normalization_descriptor_t;

/* INSTANCE_NORMALIZATION [input -> output; normalize]: Normalises each channel of each image by
 * its own mean and variance. */
typedef struct armnn_instance_normalization_descriptor_t {
  armnn_header_t header;
  float gamma;
  float beta;
  float eps;
  int32_t data_layout; /* armnn_data_layout_e */
} armnn_instance_normalization_descriptor_t;

/* L2_NORMALIZATION [input -> output; sum]: Divides each pixel by the L2 norm of its channels. */
typedef struct armnn_l2_normalization_descriptor_t {
  armnn_header_t header;
  float eps;
  int32_t data_layout; /* armnn_data_layout_e */
} armnn_l2_normalization_descriptor_t;

/* LOG_SOFTMAX [input -> output; sum]: Computes the logarithm of Softmax along an axis.
 * SOFTMAX [input -> output; sum]: Computes exp(beta * x) divided by its sum along an axis. */
typedef struct armnn_softmax_descriptor_t {
  armnn_header_t header;
  float beta;
  int32_t axis; /* negative counts from the end */
} armnn_softmax_descriptor_t;

/* MEAN [input -> output; sum]: Averages over axes; no axes means all. */
typedef struct armnn_mean_descriptor_t {
  armnn_header_t header;
  uint32_t keep_dims;
  uint32_t axis_count;
  int32_t axes[ARMNN_MAX_DIMS]; /* negative counts from the end */
} armnn_mean_descriptor_t;

/* NORMALIZATION [input -> output; sum]: Normalises by a neighbourhood of channels or pixels
 * (local response normalisation). LOCAL_BRIGHTNESS: x / (k + alpha * sum(x ** 2)) ** beta over
 * the neighbourhood. LOCAL_CONTRAST: the same of the distances from the mean of that
 * neighbourhood. */
typedef struct armnn_normalization_descriptor_t {
  armnn_header_t header;
  int32_t channel; /* armnn_normalization_channel_e */
  int32_t method; /* armnn_normalization_method_e */
  uint32_t norm_size;
  float alpha;
  float beta;
  float k;
  int32_t data_layout; /* armnn_data_layout_e */
  uint32_t reserved;
} armnn_normalization_descriptor_t;

/* REDUCE [input -> output; sum]: Reduces axes by sum, maximum, mean, minimum or product; no axes
 * means all. Over nothing a sum is 0, a product 1, a maximum the lowest and a minimum the
 * highest value, a mean NaN or 0. Of booleans SUM and MAX are or, PROD and MIN are and, as in
 * numpy with dtype=bool; MEAN takes none. */
typedef struct armnn_reduce_descriptor_t {
  armnn_header_t header;
  int32_t operation; /* armnn_reduce_operation_e */
  uint32_t keep_dims;
  uint32_t axis_count;
  int32_t axes[ARMNN_MAX_DIMS]; /* negative counts from the end */
  int32_t rescaling; /* armnn_rescaling_e; [armnn_py] of a quantised layer */
} armnn_reduce_descriptor_t;

/* BATCH_MAT_MUL [x, y -> output; sum]: Multiplies the matrices of the last two dimensions; the
 * others broadcast, as numpy.matmul. Of booleans a sum is or and a product and, as in numpy. */
typedef struct armnn_batch_mat_mul_descriptor_t {
  armnn_header_t header;
  uint32_t transpose_x; /* the last two dimensions are swapped first */
  uint32_t transpose_y; /* the last two dimensions are swapped first */
  uint32_t adjoint_x; /* the same, of square matrices; not both */
  uint32_t adjoint_y; /* the same, of square matrices; not both */
  int32_t data_layout_x; /* armnn_data_layout_e; NCHW or NCDHW, alike: rows, columns last */
  int32_t data_layout_y; /* armnn_data_layout_e; NCHW or NCDHW, alike: rows, columns last */
  int32_t rescaling; /* armnn_rescaling_e; [armnn_py] of a quantised layer */
  uint32_t reserved;
} armnn_batch_mat_mul_descriptor_t;

/* LAYER_NORMALIZATION [input, gamma?, beta? -> output; normalize]: Normalises by mean and
 * variance over the dimensions from an axis on, then multiplies by gamma and adds beta (ONNX's
 * LayerNormalization). */
typedef struct armnn_layer_normalization_descriptor_t {
  armnn_header_t header;
  int32_t axis; /* the first of the dimensions that share a mean; negative counts from the end */
  float eps;
} armnn_layer_normalization_descriptor_t;

/* RMS_NORMALIZATION [input, gamma -> output; normalize]: Divides by the root of the mean square
 * over the dimensions from an axis on, then multiplies by gamma (ONNX's RMSNormalization). */
typedef struct armnn_rms_normalization_descriptor_t {
  armnn_header_t header;
  int32_t axis; /* the first of the dimensions that share a mean; negative counts from the end */
  float eps;
} armnn_rms_normalization_descriptor_t;

/* TOP_K [input -> values, indices; exact]: Finds the k greatest or least elements along an axis
 * and their indices; ties go to the lower index. False is less than true. */
typedef struct armnn_top_k_descriptor_t {
  armnn_header_t header;
  uint32_t k;
  int32_t axis; /* negative counts from the end */
  uint32_t largest;
  uint32_t sorted; /* false leaves the order open */
  int32_t output_type; /* armnn_data_type_e; of the indices: SIGNED32 or SIGNED64 */
  uint32_t reserved;
} armnn_top_k_descriptor_t;

/* CUM_SUM [input -> output; sum]: Sums up along an axis, as numpy.cumsum. Of booleans a sum is
 * or, as numpy.cumsum with dtype=bool. */
typedef struct armnn_cum_sum_descriptor_t {
  armnn_header_t header;
  int32_t axis; /* negative counts from the end */
  uint32_t exclusive; /* element i is the sum of those before it */
  uint32_t reverse; /* from the end */
  uint32_t reserved;
} armnn_cum_sum_descriptor_t;

/* DETECTION_POST_PROCESS [boxes, scores, anchors -> boxes, classes, scores, count; sum]: Decodes
 * boxes against anchors and keeps the best by non-maximum suppression (TensorFlow Lite's
 * definition). */
typedef struct armnn_detection_post_process_descriptor_t {
  armnn_header_t header;
  uint32_t max_detections;
  uint32_t max_classes_per_detection;
  uint32_t detections_per_class;
  float nms_score_threshold;
  float nms_iou_threshold;
  uint32_t num_classes;
  uint32_t use_regular_nms;
  float scale_x;
  float scale_y;
  float scale_w;
  float scale_h;
  uint32_t reserved;
} armnn_detection_post_process_descriptor_t;

/* NON_MAX_SUPPRESSION [boxes, scores -> indices, scores, count; sum]: Keeps the best boxes of
 * each class, and of those that share too much the best (ONNX's NonMaxSuppression). boxes is
 * [batch, boxes, 4], scores [batch, classes, boxes]. A row of indices is batch, class and box;
 * rows are in the order of batches, classes, and scores from the greatest down. Of equal scores
 * the lower box comes first, scores of NaN come last. The share of two boxes is the area that
 * both cover over what they cover together, in float32; NaN counts as 0. There are as many rows
 * as boxes could be kept: batch * classes * min(max_output_boxes, boxes). Those behind count are
 * 0. */
typedef struct armnn_non_max_suppression_descriptor_t {
  armnn_header_t header;
  uint32_t max_output_boxes; /* of each class */
  float iou_threshold; /* a greater share suppresses */
  float score_threshold; /* boxes with a greater score take part */
  uint32_t has_score_threshold; /* else all boxes take part */
  uint32_t center_point_box; /* boxes are (x, y, width, height), else two corners */
  float soft_nms_sigma; /* above 0: a kept box softens the scores of others by exp(-share^2 / (2 sigma)) */
} armnn_non_max_suppression_descriptor_t;

/* PRE_COMPILED [n inputs -> n outputs]: Runs what a backend compiled of a sub-graph; the blob
 * comes with the workload. */
typedef struct armnn_pre_compiled_descriptor_t {
  armnn_header_t header;
  uint32_t input_count;
  uint32_t output_count;
} armnn_pre_compiled_descriptor_t;

/* STAND_IN [n inputs -> n outputs]: Runs an operator of a model that no layer expresses.
 * A backend that knows the operator says what its outputs are: infer_stand_in. */
typedef struct armnn_stand_in_descriptor_t {
  armnn_header_t header;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t version; /* of the operator set */
  uint32_t reserved;
  armnn_string_t domain; /* as the model has it; empty: ONNX's own */
  armnn_string_t name; /* of the operator */
  uint32_t attribute_count;
  uint32_t reserved2;
  const armnn_attribute_t* attributes;
} armnn_stand_in_descriptor_t;

/* FUSED [n inputs -> n outputs]: Runs several layers in one kernel; comes out of a backend's
 * optimisation. */
typedef struct armnn_fused_descriptor_t {
  armnn_header_t header;
  uint32_t input_count;
  uint32_t output_count;
  int32_t fused_kernel_type; /* armnn_fused_kernel_type_e */
  uint32_t reserved;
} armnn_fused_descriptor_t;

/* RANDOM [input, state -> output; function]: Makes random numbers, as many as the input has
 * elements, whose values are not looked at. state is SIGNED64 [2]: seed and run. Philox4x32-10
 * with the key (low, high half of the seed) makes four words of the counter (i / 4, stream, low,
 * high half of the run); word w0..w3 number i % 4 is element i. UNIFORM: (w >> 8) / 2^24.
 * NORMAL, by Box and Muller from w0 and w1 (elements 0, 1), w2 and w3 (2, 3): sqrt(-2 ln((w0 +
 * 1) / 2^32)) times cos, sin of 2 pi w1 / 2^32. Equal states give equal numbers, on any backend
 * with any number of threads. */
typedef struct armnn_random_descriptor_t {
  armnn_header_t header;
  int32_t distribution; /* armnn_random_distribution_e */
  uint32_t stream; /* tells layers with one state apart */
} armnn_random_descriptor_t;

/* BATCH_TO_SPACE_ND [input -> output; exact]: Moves blocks of the batch dimension into the
 * spatial dimensions, then crops (TensorFlow's definition). */
typedef struct armnn_batch_to_space_nd_descriptor_t {
  armnn_header_t header;
  uint32_t block_rank;
  uint32_t block_shape[ARMNN_MAX_DIMS];
  uint32_t crop_before[ARMNN_MAX_DIMS];
  uint32_t crop_after[ARMNN_MAX_DIMS];
  int32_t data_layout; /* armnn_data_layout_e */
} armnn_batch_to_space_nd_descriptor_t;

/* CONVOLUTION2D [input, weights, bias? -> output; sum]: Convolves images with weights, dense or
 * in groups.
 * Weights are NCHW [O, I / groups, H, W] or NHWC [O, H, W, I / groups]. Output (y, x) of channel
 * o is bias[o] plus the sum over inputs i of its group and places (ky, kx) of
 * weights[o][i][ky][kx] times input (y * stride_y + ky * dilation_y - pad_top, x * stride_x + kx
 * * dilation_x - pad_left), which is 0 outside. There are (H + pad_top + pad_bottom - dilation_y
 * * (kernel_h - 1) - 1) / stride_y + 1 rows, rounded down; columns likewise. */
typedef struct armnn_convolution2d_descriptor_t {
  armnn_header_t header;
  uint32_t pad_left;
  uint32_t pad_right;
  uint32_t pad_top;
  uint32_t pad_bottom;
  uint32_t stride_x;
  uint32_t stride_y;
  uint32_t dilation_x;
  uint32_t dilation_y;
  uint32_t bias_enabled;
  int32_t data_layout; /* armnn_data_layout_e */
  uint32_t groups; /* [armnn_py] 1 = dense */
  int32_t rescaling; /* armnn_rescaling_e; [armnn_py] of a quantised layer */
} armnn_convolution2d_descriptor_t;

/* DEPTH_TO_SPACE [input -> output; exact]: Moves channels into blocks of pixels (TensorFlow's
 * definition).
 * SPACE_TO_DEPTH [input -> output; exact]: Moves blocks of pixels into channels (TensorFlow's
 * definition). */
typedef struct armnn_space_depth_descriptor_t {
  armnn_header_t header;
  uint32_t block_size;
  int32_t data_layout; /* armnn_data_layout_e */
} armnn_space_depth_descriptor_t;

/* DEPTHWISE_CONVOLUTION2D [input, weights, bias? -> output; sum]: Convolves each channel by
 * itself; output channel c reads input channel c / M.
 * Weights are [1, H, W, I * M] in both layouts. */
typedef struct armnn_depthwise_convolution2d_descriptor_t {
  armnn_header_t header;
  uint32_t pad_left;
  uint32_t pad_right;
  uint32_t pad_top;
  uint32_t pad_bottom;
  uint32_t stride_x;
  uint32_t stride_y;
  uint32_t dilation_x;
  uint32_t dilation_y;
  uint32_t bias_enabled;
  int32_t data_layout; /* armnn_data_layout_e */
  int32_t rescaling; /* armnn_rescaling_e; [armnn_py] of a quantised layer */
  uint32_t reserved;
} armnn_depthwise_convolution2d_descriptor_t;

/* FULLY_CONNECTED [input, weights, bias? -> output; sum]: Multiplies rows of the input with a
 * matrix of weights.
 * Weights are [I, O], or [O, I] with transpose_weight_matrix. The input is flattened behind its
 * first dimension unless its last dimension is I already. */
typedef struct armnn_fully_connected_descriptor_t {
  armnn_header_t header;
  uint32_t bias_enabled;
  uint32_t transpose_weight_matrix;
  uint32_t constant_weights; /* as stated; ARMNN_TENSOR_CONSTANT of the weights says what is so */
  int32_t rescaling; /* armnn_rescaling_e; [armnn_py] of a quantised layer */
} armnn_fully_connected_descriptor_t;

/* POOLING2D [input -> output; sum]: Takes the maximum, average or L2 norm of windows of an
 * image. A window of nothing but padding gives 0. Columns and rows that CEILING adds never
 * count. */
typedef struct armnn_pooling2d_descriptor_t {
  armnn_header_t header;
  int32_t pool_type; /* armnn_pooling_algorithm_e */
  uint32_t pad_left;
  uint32_t pad_right;
  uint32_t pad_top;
  uint32_t pad_bottom;
  uint32_t pool_width;
  uint32_t pool_height;
  uint32_t stride_x;
  uint32_t stride_y;
  int32_t output_shape_rounding; /* armnn_output_shape_rounding_e */
  int32_t padding_method; /* armnn_padding_method_e */
  int32_t data_layout; /* armnn_data_layout_e */
  uint32_t dilation_x; /* [armnn_py] 0 or 1 = none */
  uint32_t dilation_y; /* [armnn_py] 0 or 1 = none */
  int32_t rescaling; /* armnn_rescaling_e; [armnn_py] of a quantised layer */
  uint32_t reserved;
} armnn_pooling2d_descriptor_t;

/* RESIZE [input -> output; sum]: Resamples an image.
 * With s = input size / output size (align_corners: (in - 1) / (out - 1) where out > 1), output
 * position o reads input position
 * - bilinear: o * s; half_pixel_centers: (o + 0.5) * s - 0.5, clamped to the image
 * - nearest: floor(o * s); align_corners: round half up of o * s;
 *   half_pixel_centers, also with align_corners: floor((o + 0.5) * s); always clamped to the
 *   image */
typedef struct armnn_resize_descriptor_t {
  armnn_header_t header;
  uint32_t target_width;
  uint32_t target_height;
  int32_t method; /* armnn_resize_method_e */
  int32_t data_layout; /* armnn_data_layout_e */
  uint32_t align_corners;
  uint32_t half_pixel_centers;
} armnn_resize_descriptor_t;

/* SPACE_TO_BATCH_ND [input -> output; exact]: Pads, then moves blocks of the spatial dimensions
 * into the batch dimension (TensorFlow's definition). */
typedef struct armnn_space_to_batch_nd_descriptor_t {
  armnn_header_t header;
  uint32_t block_rank;
  uint32_t block_shape[ARMNN_MAX_DIMS];
  uint32_t pad_before[ARMNN_MAX_DIMS];
  uint32_t pad_after[ARMNN_MAX_DIMS];
  int32_t data_layout; /* armnn_data_layout_e */
} armnn_space_to_batch_nd_descriptor_t;

/* TRANSPOSE_CONVOLUTION2D [input, weights, bias? -> output; sum]: Adds the weights, scaled by
 * each input element, into a larger image.
 * Weights are NCHW [O, I / groups, H, W] or NHWC [O, H, W, I / groups]. An input element at (y,
 * x) adds to output (y * stride + ky * dilation - pad). */
typedef struct armnn_transpose_convolution2d_descriptor_t {
  armnn_header_t header;
  uint32_t pad_left;
  uint32_t pad_right;
  uint32_t pad_top;
  uint32_t pad_bottom;
  uint32_t stride_x;
  uint32_t stride_y;
  uint32_t bias_enabled;
  int32_t data_layout; /* armnn_data_layout_e */
  uint32_t output_shape_enabled; /* the output's info rules over the formula */
  uint32_t dilation_x; /* [armnn_py] 0 or 1 = none */
  uint32_t dilation_y; /* [armnn_py] 0 or 1 = none */
  uint32_t groups; /* [armnn_py] 0 or 1 = dense */
  int32_t rescaling; /* armnn_rescaling_e; [armnn_py] of a quantised layer */
  uint32_t reserved;
} armnn_transpose_convolution2d_descriptor_t;

/* CONVOLUTION3D [input, weights, bias? -> output; sum]: Convolves volumes with weights.
 * Weights are [D, H, W, I, O]. */
typedef struct armnn_convolution3d_descriptor_t {
  armnn_header_t header;
  uint32_t pad_left;
  uint32_t pad_right;
  uint32_t pad_top;
  uint32_t pad_bottom;
  uint32_t pad_front;
  uint32_t pad_back;
  uint32_t stride_x;
  uint32_t stride_y;
  uint32_t stride_z;
  uint32_t dilation_x;
  uint32_t dilation_y;
  uint32_t dilation_z;
  uint32_t bias_enabled;
  int32_t data_layout; /* armnn_data_layout_e */
} armnn_convolution3d_descriptor_t;

/* POOLING3D [input -> output; sum]: Takes the maximum, average or L2 norm of windows of a
 * volume. A window of nothing but padding gives 0. Columns and rows that CEILING adds never
 * count. */
typedef struct armnn_pooling3d_descriptor_t {
  armnn_header_t header;
  int32_t pool_type; /* armnn_pooling_algorithm_e */
  uint32_t pad_left;
  uint32_t pad_right;
  uint32_t pad_top;
  uint32_t pad_bottom;
  uint32_t pad_front;
  uint32_t pad_back;
  uint32_t pool_width;
  uint32_t pool_height;
  uint32_t pool_depth;
  uint32_t stride_x;
  uint32_t stride_y;
  uint32_t stride_z;
  int32_t output_shape_rounding; /* armnn_output_shape_rounding_e */
  int32_t padding_method; /* armnn_padding_method_e */
  int32_t data_layout; /* armnn_data_layout_e */
} armnn_pooling3d_descriptor_t;

/* ---- Layers without a descriptor ----------------------------------------------------------- */

/* ADDITION [x, y -> output; element]: Adds two tensors; of booleans: or. */

/* CONSTANT [nothing -> output]: Holds values that are known before the network runs. */

/* CONVERT_FP16_TO_FP32 [input -> output; element]: Converts float16 to float32. */

/* CONVERT_FP32_TO_FP16 [input -> output; element]: Converts float32 to float16. */

/* DEBUG [input -> output; exact]: Hands its input on and tells the log its name, shape, least,
 * greatest and mean value. */

/* DEQUANTIZE [input -> output; element]: Makes real numbers of quantised ones. */

/* DIVISION [x, y -> output; element]: Divides two tensors. */

/* FLOOR [input -> output; element]: Rounds down. */

/* INPUT [nothing -> output]: Is where a tensor enters the network. */

/* MAP [input -> nothing]: Makes device memory readable by the host. */

/* MAXIMUM [x, y -> output; element]: Takes the greater of two tensors; of booleans: or. */

/* MEM_COPY [input -> output; exact]: Copies a tensor between the memory of two backends. */

/* MEM_IMPORT [input -> output; exact]: Gives a backend a tensor that lies in another's memory. */

/* MERGE [x, y -> output; exact]: Hands on whichever of two tensors was computed; the host makes
 * it a Select. */

/* MINIMUM [x, y -> output; element]: Takes the lesser of two tensors; of booleans: and. */

/* MULTIPLICATION [x, y -> output; element]: Multiplies two tensors; of booleans: and. */

/* OUTPUT [input -> nothing]: Is where a tensor leaves the network. */

/* PRELU [input, alpha -> output; element]: Multiplies negative elements with alpha. */

/* QUANTIZE [input -> output; element]: Makes quantised numbers of real ones. */

/* QUANTIZED_LSTM [input, cell_state, output_state, input_to_input_weights,
 * input_to_forget_weights, input_to_cell_weights, input_to_output_weights,
 * recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights,
 * recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_bias, output_gate_bias ->
 * cell_state, output_state; sum]: Runs one step of an LSTM cell in 8 and 16 bits (Android
 * NNAPI's QUANTIZED_16BIT_LSTM). Batch N, input size I, C cells: input [N, I], states [N, C],
 * input_to_* [C, I], recurrent_to_* [C, C], biases [C]. Input and output_state QASYMM_U8 of
 * scale 1/128 and zero point 128, cell_state QSYMM_S16 of 2^-11, weights QASYMM_U8 of one scale,
 * biases SIGNED32. Sums are rounded to steps of 2^-12, gates to 2^-15. */

/* RANK [input -> output; exact]: Tells the number of dimensions. */

/* SUBTRACTION [x, y -> output; element]: Subtracts two tensors. */

/* SWITCH [x, condition -> output_false, output_true; exact]: Hands its input to one of two
 * outputs; the host computes both sides. */

/* UNMAP [input -> nothing]: Ends the host's access to device memory. */

/* CAST [input -> output; element]: Converts each element to another data type, as numpy's
 * astype. A real number becomes an integer by truncation, one outside its range the nearest end;
 * an integer loses high bits; quantised types count as the integers that they store. */

/* SHAPE [input -> output; exact]: Tells the dimensions. */

/* GATHER_ND [params, indices -> output; exact]: Picks slices by index tuples (TensorFlow's
 * gather_nd). A negative index counts from the end of its dimension. One outside of [-size,
 * size) ends the run with an error. */

/* REVERSE_V2 [input, axes -> output; exact]: Reverses the order along axes. */

/* SELECT [condition, x, y -> output; exact]: Takes the element of x where the condition holds
 * and that of y elsewhere, as numpy.where. */

/* MAT_MUL_INTEGER [x, y, x_zero_point?, y_zero_point? -> output; exact]: Multiplies matrices of
 * 8-bit integers less their zero points, exactly, in 32 bits (ONNX's MatMulInteger). The last
 * two dimensions multiply, the others broadcast; sums wrap around. A zero point has the type of
 * its operand and broadcasts to it: one for all, or one for each row of x and each column of y. */

/* TREE_LEAVES [input, splits, nodes, roots -> output; exact]: Takes each row down decision trees
 * and tells the number of the leaf that it gets to. input is [rows, features], float32 or
 * float64, splits [nodes] of its type, nodes [nodes, 4] int32: feature, question, and where a
 * hit and a miss lead; roots is [trees] int32. Questions 0 to 5 are whether the feature is <=,
 * <, >=, >, == or != the split; with 8 more, NaN is a hit. A number k leads to node k, behind
 * the asking one, and a negative one to leaf -1 - k. The output is [rows, trees] int32. Nodes
 * that lead back, or name features that are not there, end the run with an error. */

/* Generated down to here. */
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_DESCRIPTORS_H_ */
