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
 * descriptor (a null pointer).
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
  ARMNN_LAYER_CONVERT_FP16_TO_FP32 = 8,
  ARMNN_LAYER_CONVERT_FP32_TO_FP16 = 9,
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
  ARMNN_LAYER_FLOOR = 20,
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
  ARMNN_LAYER_MEAN = 32,
  ARMNN_LAYER_MEM_COPY = 33,
  ARMNN_LAYER_MEM_IMPORT = 34,
  ARMNN_LAYER_MERGE = 35,
  ARMNN_LAYER_MINIMUM = 36,        /* use ELEMENTWISE_BINARY */
  ARMNN_LAYER_MULTIPLICATION = 37, /* use ELEMENTWISE_BINARY */
  ARMNN_LAYER_NORMALIZATION = 38,
  ARMNN_LAYER_OUTPUT = 39,
  ARMNN_LAYER_PAD = 40,
  ARMNN_LAYER_PERMUTE = 41,
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
  ARMNN_LAYER_TYPE_COUNT = 78,
  ARMNN_LAYER_TYPE_MAX_ENUM = INT32_MAX
};

/* ---- Enumerations of the descriptors ------------------------------------------------------- */

enum armnn_activation_function_e {
  ARMNN_ACTIVATION_SIGMOID = 0,
  ARMNN_ACTIVATION_TANH = 1,         /* a * tanh(b * x) */
  ARMNN_ACTIVATION_LINEAR = 2,       /* a * x + b */
  ARMNN_ACTIVATION_RELU = 3,         /* max(x, 0) */
  ARMNN_ACTIVATION_BOUNDED_RELU = 4, /* min(a, max(b, x)) */
  ARMNN_ACTIVATION_SOFT_RELU = 5,    /* log(1 + exp(x)) */
  ARMNN_ACTIVATION_LEAKY_RELU = 6,   /* x > 0 ? x : a * x */
  ARMNN_ACTIVATION_ABS = 7,
  ARMNN_ACTIVATION_SQRT = 8,
  ARMNN_ACTIVATION_SQUARE = 9,
  ARMNN_ACTIVATION_ELU = 10,        /* x >= 0 ? x : a * (exp(x) - 1) */
  ARMNN_ACTIVATION_HARD_SWISH = 11, /* x * min(max(x + 3, 0), 6) / 6 */
  ARMNN_ACTIVATION_GELU = 12,       /* x * (1 + erf(x / sqrt 2)) / 2 */
  ARMNN_ACTIVATION_COUNT = 13,
  ARMNN_ACTIVATION_MAX_ENUM = INT32_MAX
};

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

enum armnn_logical_binary_operation_e {
  ARMNN_LOGICAL_AND = 0,
  ARMNN_LOGICAL_OR = 1,
  ARMNN_LOGICAL_BINARY_COUNT = 2,
  ARMNN_LOGICAL_BINARY_MAX_ENUM = INT32_MAX
};

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
  ARMNN_UNARY_COUNT = 9,
  ARMNN_UNARY_MAX_ENUM = INT32_MAX
};

enum armnn_binary_operation_e {
  ARMNN_BINARY_ADD = 0,
  ARMNN_BINARY_DIV = 1,
  ARMNN_BINARY_MAXIMUM = 2,
  ARMNN_BINARY_MINIMUM = 3,
  ARMNN_BINARY_MUL = 4,
  ARMNN_BINARY_SUB = 5,
  ARMNN_BINARY_SQ_DIFF = 6,
  ARMNN_BINARY_POWER = 7,
  ARMNN_BINARY_COUNT = 8,
  ARMNN_BINARY_MAX_ENUM = INT32_MAX
};

enum armnn_reduce_operation_e {
  ARMNN_REDUCE_SUM = 0,
  ARMNN_REDUCE_MAX = 1,
  ARMNN_REDUCE_MEAN = 2,
  ARMNN_REDUCE_MIN = 3,
  ARMNN_REDUCE_PROD = 4,
  ARMNN_REDUCE_COUNT = 5,
  ARMNN_REDUCE_MAX_ENUM = INT32_MAX
};

enum armnn_arg_min_max_function_e {
  ARMNN_ARG_MIN = 0,
  ARMNN_ARG_MAX = 1,
  ARMNN_ARG_MIN_MAX_MAX_ENUM = INT32_MAX
};

enum armnn_pooling_algorithm_e {
  ARMNN_POOLING_MAX = 0,
  ARMNN_POOLING_AVERAGE = 1,
  ARMNN_POOLING_L2 = 2,
  ARMNN_POOLING_MAX_ENUM = INT32_MAX
};

enum armnn_padding_method_e {
  ARMNN_PADDING_IGNORE_VALUE = 0, /* padding counts in the divisor */
  ARMNN_PADDING_EXCLUDE = 1,      /* it does not */
  ARMNN_PADDING_METHOD_MAX_ENUM = INT32_MAX
};

enum armnn_padding_mode_e {
  ARMNN_PAD_CONSTANT = 0,
  ARMNN_PAD_REFLECT = 1,   /* the border element is not repeated */
  ARMNN_PAD_SYMMETRIC = 2, /* the border element is repeated */
  ARMNN_PAD_MODE_MAX_ENUM = INT32_MAX
};

enum armnn_output_shape_rounding_e {
  ARMNN_ROUNDING_FLOOR = 0,
  ARMNN_ROUNDING_CEILING = 1,
  ARMNN_ROUNDING_MAX_ENUM = INT32_MAX
};

enum armnn_resize_method_e {
  ARMNN_RESIZE_BILINEAR = 0,
  ARMNN_RESIZE_NEAREST_NEIGHBOR = 1,
  ARMNN_RESIZE_METHOD_MAX_ENUM = INT32_MAX
};

enum armnn_normalization_channel_e {
  ARMNN_NORMALIZATION_ACROSS = 0,
  ARMNN_NORMALIZATION_WITHIN = 1,
  ARMNN_NORMALIZATION_CHANNEL_MAX_ENUM = INT32_MAX
};

enum armnn_normalization_method_e {
  ARMNN_NORMALIZATION_LOCAL_BRIGHTNESS = 0,
  ARMNN_NORMALIZATION_LOCAL_CONTRAST = 1,
  ARMNN_NORMALIZATION_METHOD_MAX_ENUM = INT32_MAX
};

enum armnn_scatter_nd_function_e {
  ARMNN_SCATTER_UPDATE = 0,
  ARMNN_SCATTER_ADD = 1,
  ARMNN_SCATTER_SUB = 2,
  ARMNN_SCATTER_MAX = 3,
  ARMNN_SCATTER_MIN = 4,
  ARMNN_SCATTER_MUL = 5,
  ARMNN_SCATTER_MAX_ENUM = INT32_MAX
};

enum armnn_fused_kernel_type_e { ARMNN_FUSED_ADD_MUL_ADD = 0, ARMNN_FUSED_MAX_ENUM = INT32_MAX };

/* ---- Descriptors --------------------------------------------------------------------------- */

/* Box of a tensor: frozen, because arrays of it cross the border. */
typedef struct armnn_view_t {
  uint64_t origin[ARMNN_MAX_DIMS];
  uint64_t size[ARMNN_MAX_DIMS];
} armnn_view_t;

/* ACTIVATION [input -> output] */
typedef struct armnn_activation_descriptor_t {
  armnn_header_t header;
  int32_t function; /* armnn_activation_function_e */
  float a;
  float b;
  uint32_t reserved;
} armnn_activation_descriptor_t;

/* ARG_MIN_MAX [input -> output]: the axis vanishes; ties go to the lower index */
typedef struct armnn_arg_min_max_descriptor_t {
  armnn_header_t header;
  int32_t function;    /* armnn_arg_min_max_function_e */
  int32_t axis;        /* negative counts from the end */
  int32_t output_type; /* SIGNED32 or SIGNED64 */
  uint32_t reserved;
} armnn_arg_min_max_descriptor_t;

/* BATCH_NORMALIZATION [input, mean, variance, beta, gamma -> output] */
typedef struct armnn_batch_normalization_descriptor_t {
  armnn_header_t header;
  float eps;
  int32_t data_layout;
} armnn_batch_normalization_descriptor_t;

/* BATCH_TO_SPACE_ND [input -> output] */
typedef struct armnn_batch_to_space_nd_descriptor_t {
  armnn_header_t header;
  uint32_t block_rank;
  int32_t data_layout;
  uint32_t block_shape[ARMNN_MAX_DIMS];
  uint32_t crop_before[ARMNN_MAX_DIMS];
  uint32_t crop_after[ARMNN_MAX_DIMS];
} armnn_batch_to_space_nd_descriptor_t;

/* COMPARISON [x, y -> boolean]: broadcasts */
typedef struct armnn_comparison_descriptor_t {
  armnn_header_t header;
  int32_t operation; /* armnn_comparison_operation_e */
  uint32_t reserved;
} armnn_comparison_descriptor_t;

/* CONCAT [n inputs -> output]: input i fills views[i] of the output */
typedef struct armnn_concat_descriptor_t {
  armnn_header_t header;
  uint32_t axis;
  uint32_t view_count;
  const armnn_view_t* views;
} armnn_concat_descriptor_t;

/* CONVOLUTION2D [input, weights, bias? -> output]
 * weights: NCHW [O, I / groups, H, W]; NHWC [O, H, W, I / groups] */
typedef struct armnn_convolution2d_descriptor_t {
  armnn_header_t header;
  uint32_t pad_left, pad_right, pad_top, pad_bottom;
  uint32_t stride_x, stride_y;
  uint32_t dilation_x, dilation_y;
  uint32_t bias_enabled;
  int32_t data_layout;
  uint32_t groups; /* [armnn_py] 1 = dense */
  uint32_t reserved;
} armnn_convolution2d_descriptor_t;

/* DEPTHWISE_CONVOLUTION2D [input, weights, bias? -> output]
 * weights: [1, H, W, I * M] in both layouts; output channel c reads input channel c / M */
typedef struct armnn_depthwise_convolution2d_descriptor_t {
  armnn_header_t header;
  uint32_t pad_left, pad_right, pad_top, pad_bottom;
  uint32_t stride_x, stride_y;
  uint32_t dilation_x, dilation_y;
  uint32_t bias_enabled;
  int32_t data_layout;
} armnn_depthwise_convolution2d_descriptor_t;

/* CONVOLUTION3D [input, weights, bias? -> output]; weights [D, H, W, I, O] */
typedef struct armnn_convolution3d_descriptor_t {
  armnn_header_t header;
  uint32_t pad_left, pad_right, pad_top, pad_bottom, pad_front, pad_back;
  uint32_t stride_x, stride_y, stride_z;
  uint32_t dilation_x, dilation_y, dilation_z;
  uint32_t bias_enabled;
  int32_t data_layout; /* NDHWC or NCDHW */
} armnn_convolution3d_descriptor_t;

/* TRANSPOSE_CONVOLUTION2D [input, weights, bias? -> output]
 * weights: NCHW [O, I / groups, H, W]; NHWC [O, H, W, I / groups].
 * An input element at (y, x) adds to output (y * stride + ky * dilation - pad). */
typedef struct armnn_transpose_convolution2d_descriptor_t {
  armnn_header_t header;
  uint32_t pad_left, pad_right, pad_top, pad_bottom;
  uint32_t stride_x, stride_y;
  uint32_t bias_enabled;
  int32_t data_layout;
  uint32_t output_shape_enabled; /* the output's info rules over the formula */
  uint32_t dilation_x;           /* [armnn_py] 0 or 1 = none */
  uint32_t dilation_y;           /* [armnn_py] 0 or 1 = none */
  uint32_t groups;               /* [armnn_py] 0 or 1 = dense */
} armnn_transpose_convolution2d_descriptor_t;

/* DEPTH_TO_SPACE, SPACE_TO_DEPTH [input -> output] */
typedef struct armnn_space_depth_descriptor_t {
  armnn_header_t header;
  uint32_t block_size;
  int32_t data_layout;
} armnn_space_depth_descriptor_t;

/* DETECTION_POST_PROCESS [boxes, scores, anchors -> boxes, classes, scores, count] */
typedef struct armnn_detection_post_process_descriptor_t {
  armnn_header_t header;
  uint32_t max_detections;
  uint32_t max_classes_per_detection;
  uint32_t detections_per_class;
  float nms_score_threshold;
  float nms_iou_threshold;
  uint32_t num_classes;
  uint32_t use_regular_nms;
  float scale_x, scale_y, scale_w, scale_h;
  uint32_t reserved;
} armnn_detection_post_process_descriptor_t;

/* ELEMENTWISE_BINARY [x, y -> output]: broadcasts as numpy does */
typedef struct armnn_elementwise_binary_descriptor_t {
  armnn_header_t header;
  int32_t operation; /* armnn_binary_operation_e */
  uint32_t reserved;
} armnn_elementwise_binary_descriptor_t;

/* ELEMENTWISE_UNARY [input -> output] */
typedef struct armnn_elementwise_unary_descriptor_t {
  armnn_header_t header;
  int32_t operation; /* armnn_unary_operation_e */
  uint32_t reserved;
} armnn_elementwise_unary_descriptor_t;

/* FAKE_QUANTIZATION [input -> output] */
typedef struct armnn_fake_quantization_descriptor_t {
  armnn_header_t header;
  float min;
  float max;
} armnn_fake_quantization_descriptor_t;

/* FILL [shape -> output]: the output's info carries the shape */
typedef struct armnn_fill_descriptor_t {
  armnn_header_t header;
  float value;
  uint32_t reserved;
} armnn_fill_descriptor_t;

/* FULLY_CONNECTED [input, weights, bias? -> output]
 * The input is flattened behind its first dimension unless its last dimension already equals the
 * weights' input count. weights [I, O], or [O, I] with transpose_weight_matrix. */
typedef struct armnn_fully_connected_descriptor_t {
  armnn_header_t header;
  uint32_t bias_enabled;
  uint32_t transpose_weight_matrix;
  uint32_t constant_weights;
  uint32_t reserved;
} armnn_fully_connected_descriptor_t;

/* FUSED [inputs -> outputs] */
typedef struct armnn_fused_descriptor_t {
  armnn_header_t header;
  uint32_t input_count;
  uint32_t output_count;
  int32_t fused_kernel_type;
  uint32_t reserved;
} armnn_fused_descriptor_t;

/* GATHER [params, indices -> output]; negative indices count from the end [armnn_py] */
typedef struct armnn_gather_descriptor_t {
  armnn_header_t header;
  int32_t axis;
  uint32_t reserved;
} armnn_gather_descriptor_t;

/* INSTANCE_NORMALIZATION [input -> output] */
typedef struct armnn_instance_normalization_descriptor_t {
  armnn_header_t header;
  float gamma;
  float beta;
  float eps;
  int32_t data_layout;
} armnn_instance_normalization_descriptor_t;

/* L2_NORMALIZATION [input -> output] */
typedef struct armnn_l2_normalization_descriptor_t {
  armnn_header_t header;
  float eps;
  int32_t data_layout;
} armnn_l2_normalization_descriptor_t;

/* LOGICAL_BINARY [x, y -> output] */
typedef struct armnn_logical_binary_descriptor_t {
  armnn_header_t header;
  int32_t operation; /* armnn_logical_binary_operation_e */
  uint32_t reserved;
} armnn_logical_binary_descriptor_t;

/* SOFTMAX, LOG_SOFTMAX [input -> output] */
typedef struct armnn_softmax_descriptor_t {
  armnn_header_t header;
  float beta;
  int32_t axis;
} armnn_softmax_descriptor_t;

/* LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM [input, output state, cell state,
 *   input-to-{input?, forget, cell, output} weights, recurrent-to-{input?, forget, cell, output}
 *   weights, cell-to-{input?, forget?, output?} weights, {input?, forget, cell, output} gate bias,
 *   projection weights?, projection bias?, {input?, forget?, cell?, output?} layer norm weights
 *   -> LSTM: scratch, output state, cell state, output; sequence: output state, cell state, output]
 */
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
} armnn_lstm_descriptor_t;

/* QLSTM: operands as LSTM without the scratch output */
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

/* MEAN [input -> output]: no axes means all */
typedef struct armnn_mean_descriptor_t {
  armnn_header_t header;
  uint32_t axis_count;
  uint32_t keep_dims;
  int32_t axes[ARMNN_MAX_DIMS]; /* negative counts from the end */
} armnn_mean_descriptor_t;

/* NORMALIZATION (local response) [input -> output] */
typedef struct armnn_normalization_descriptor_t {
  armnn_header_t header;
  int32_t channel; /* armnn_normalization_channel_e */
  int32_t method;  /* armnn_normalization_method_e */
  uint32_t norm_size;
  float alpha;
  float beta;
  float k;
  int32_t data_layout;
  uint32_t reserved;
} armnn_normalization_descriptor_t;

/* PAD [input -> output] */
typedef struct armnn_pad_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  int32_t padding_mode; /* armnn_padding_mode_e */
  uint32_t pad_before[ARMNN_MAX_DIMS];
  uint32_t pad_after[ARMNN_MAX_DIMS];
  float value;
  uint32_t reserved;
} armnn_pad_descriptor_t;

/* PERMUTE [input -> output]: source dimension d becomes dimension mappings[d].
 * TRANSPOSE [input -> output]: dimension d comes from source dimension mappings[d] (as numpy). */
typedef struct armnn_permute_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t reserved;
  uint32_t mappings[ARMNN_MAX_DIMS];
} armnn_permute_descriptor_t;

/* POOLING2D [input -> output] */
typedef struct armnn_pooling2d_descriptor_t {
  armnn_header_t header;
  int32_t pool_type; /* armnn_pooling_algorithm_e */
  uint32_t pad_left, pad_right, pad_top, pad_bottom;
  uint32_t pool_width, pool_height;
  uint32_t stride_x, stride_y;
  int32_t output_shape_rounding; /* armnn_output_shape_rounding_e */
  int32_t padding_method;        /* armnn_padding_method_e */
  int32_t data_layout;
  uint32_t dilation_x; /* [armnn_py] 0 or 1 = none */
  uint32_t dilation_y; /* [armnn_py] 0 or 1 = none */
} armnn_pooling2d_descriptor_t;

/* POOLING3D [input -> output] */
typedef struct armnn_pooling3d_descriptor_t {
  armnn_header_t header;
  int32_t pool_type;
  uint32_t pad_left, pad_right, pad_top, pad_bottom, pad_front, pad_back;
  uint32_t pool_width, pool_height, pool_depth;
  uint32_t stride_x, stride_y, stride_z;
  int32_t output_shape_rounding;
  int32_t padding_method;
  int32_t data_layout;
} armnn_pooling3d_descriptor_t;

/* PRE_COMPILED [n inputs -> m outputs]; the blob comes with the workload */
typedef struct armnn_pre_compiled_descriptor_t {
  armnn_header_t header;
  uint32_t input_count;
  uint32_t output_count;
} armnn_pre_compiled_descriptor_t;

/* REDUCE [input -> output]: no axes means all */
typedef struct armnn_reduce_descriptor_t {
  armnn_header_t header;
  int32_t operation; /* armnn_reduce_operation_e */
  uint32_t keep_dims;
  uint32_t axis_count;
  uint32_t reserved;
  int32_t axes[ARMNN_MAX_DIMS];
} armnn_reduce_descriptor_t;

/* RESHAPE [input -> output] */
typedef struct armnn_reshape_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t reserved;
  uint64_t target_shape[ARMNN_MAX_DIMS];
} armnn_reshape_descriptor_t;

/* RESIZE [input -> output]. With s = input size / output size (align_corners: (in - 1) / (out - 1)
 * where out > 1), output position o reads input position
 *   bilinear: o * s; half_pixel_centers: (o + 0.5) * s - 0.5, clamped to the image
 *   nearest:  floor(o * s); align_corners: round half up of o * s;
 *             half_pixel_centers: floor((o + 0.5) * s); always clamped to the image */
typedef struct armnn_resize_descriptor_t {
  armnn_header_t header;
  uint32_t target_width;
  uint32_t target_height;
  int32_t method; /* armnn_resize_method_e */
  int32_t data_layout;
  uint32_t align_corners;
  uint32_t half_pixel_centers;
} armnn_resize_descriptor_t;

/* SLICE [input -> output] */
typedef struct armnn_slice_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t reserved;
  uint64_t begin[ARMNN_MAX_DIMS];
  uint64_t size[ARMNN_MAX_DIMS];
} armnn_slice_descriptor_t;

/* SPACE_TO_BATCH_ND [input -> output] */
typedef struct armnn_space_to_batch_nd_descriptor_t {
  armnn_header_t header;
  uint32_t block_rank;
  int32_t data_layout;
  uint32_t block_shape[ARMNN_MAX_DIMS];
  uint32_t pad_before[ARMNN_MAX_DIMS];
  uint32_t pad_after[ARMNN_MAX_DIMS];
} armnn_space_to_batch_nd_descriptor_t;

/* SPLITTER [input -> n outputs]: output i is views[i] of the input */
typedef struct armnn_splitter_descriptor_t {
  armnn_header_t header;
  int32_t axis; /* -1 when the views do not follow one axis */
  uint32_t view_count;
  const armnn_view_t* views;
} armnn_splitter_descriptor_t;

/* STACK [n equal inputs -> output] */
typedef struct armnn_stack_descriptor_t {
  armnn_header_t header;
  uint32_t axis;
  uint32_t input_count;
  uint32_t rank;
  uint32_t reserved;
  uint64_t input_shape[ARMNN_MAX_DIMS];
} armnn_stack_descriptor_t;

/* STAND_IN [n inputs -> m outputs]: marks an operator that no layer expresses */
typedef struct armnn_stand_in_descriptor_t {
  armnn_header_t header;
  uint32_t input_count;
  uint32_t output_count;
} armnn_stand_in_descriptor_t;

/* STRIDED_SLICE [input -> output]: TensorFlow's definition; the host resolves ellipsis and new axis
 * before a backend sees the layer, so that those two masks are zero here. */
typedef struct armnn_strided_slice_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  int32_t data_layout;
  int64_t begin[ARMNN_MAX_DIMS];
  int64_t end[ARMNN_MAX_DIMS];
  int64_t stride[ARMNN_MAX_DIMS];
  uint32_t begin_mask;
  uint32_t end_mask;
  uint32_t shrink_axis_mask;
  uint32_t ellipsis_mask;
  uint32_t new_axis_mask;
  uint32_t reserved;
} armnn_strided_slice_descriptor_t;

/* CHANNEL_SHUFFLE [input -> output] */
typedef struct armnn_channel_shuffle_descriptor_t {
  armnn_header_t header;
  uint32_t group_count;
  uint32_t axis;
} armnn_channel_shuffle_descriptor_t;

/* BATCH_MAT_MUL [x, y -> output]: the last two dimensions multiply, the others broadcast */
typedef struct armnn_batch_mat_mul_descriptor_t {
  armnn_header_t header;
  uint32_t transpose_x, transpose_y;
  uint32_t adjoint_x, adjoint_y;
  int32_t data_layout_x, data_layout_y;
} armnn_batch_mat_mul_descriptor_t;

/* TILE [input -> output] */
typedef struct armnn_tile_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t reserved;
  uint32_t multiples[ARMNN_MAX_DIMS];
} armnn_tile_descriptor_t;

/* BROADCAST_TO [input -> output] */
typedef struct armnn_broadcast_to_descriptor_t {
  armnn_header_t header;
  uint32_t rank;
  uint32_t reserved;
  uint64_t target_shape[ARMNN_MAX_DIMS];
} armnn_broadcast_to_descriptor_t;

/* SCATTER_ND [input or shape, indices, updates -> output] */
typedef struct armnn_scatter_nd_descriptor_t {
  armnn_header_t header;
  int32_t function; /* armnn_scatter_nd_function_e */
  uint32_t input_enabled;
  int32_t axis;
  uint32_t axis_enabled;
} armnn_scatter_nd_descriptor_t;

/* Without descriptor: ADDITION, SUBTRACTION, MULTIPLICATION, DIVISION, MAXIMUM, MINIMUM [x, y ->
 * output]; CAST, FLOOR, QUANTIZE, DEQUANTIZE, RANK, SHAPE, DEBUG, MEM_COPY, MEM_IMPORT, MAP, UNMAP,
 * CONVERT_FP16_TO_FP32, CONVERT_FP32_TO_FP16 [input -> output]; PRELU [input, alpha -> output];
 * GATHER_ND [params, indices -> output]; REVERSE_V2 [input, axes -> output]; MERGE [x, y ->
 * output]; SWITCH [x, y -> two outputs]; CONSTANT [value -> output]; QUANTIZED_LSTM [input, cell
 * state, output state, four input and four recurrent weights, four biases -> cell state, output
 * state]. INPUT and OUTPUT never reach a backend. */

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_DESCRIPTORS_H_ */
