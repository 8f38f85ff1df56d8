# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
# ruff: noqa: N801
# fmt: off
"""The C headers as ctypes: structures, constants and the prototypes of the core library.

Generated from ``native/include/armnn`` by ``python scripts/generate_abi.py``; do not edit. A test
compares every size, offset, number and signature with what the C compiler makes of the headers.

How C becomes ctypes:

- a structure keeps its C name; a function of a table is a ``CFUNCTYPE`` member; null is false;
- ``const char*`` is ``c_char_p``, as the result of a function of a backend ``c_void_p``, which
  ``read_text`` follows with care; the counted ``armnn_string_t.data`` and a writable ``char*`` are
  ``POINTER(c_char)``; ``void*`` is ``c_void_p``;
- a function pointer that returns an object gives its address (``c_void_p``), because ctypes lets
  Python implement such a function only so; a function of the core library gives a typed pointer.

``STRUCTS``, ``ENUMS`` and ``MACROS`` list what is mirrored, ``CORE_FUNCTIONS`` the exports of
``libarmnn_core.so`` as ``name: (restype, argtypes)``.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Array,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int32,
    c_int64,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

# ---- Integer macros
ARMNN_BACKEND_API_MAJOR = 2
ARMNN_BACKEND_API_MINOR = 0
ARMNN_BUILD_ADDRESS_SANITIZER = 1
ARMNN_BUILD_THREAD_SANITIZER = 2
ARMNN_CHANNEL_EVENTS_HEAD = 8
ARMNN_CHANNEL_TENSORS_OFFSET = 4096
ARMNN_CORE_ABI_VERSION = 12
ARMNN_CPU_ARM_BF16 = 0x1000000000
ARMNN_CPU_ARM_DOTPROD = 0x400000000
ARMNN_CPU_ARM_FP16 = 0x200000000
ARMNN_CPU_ARM_I8MM = 0x800000000
ARMNN_CPU_ARM_NEON = 0x100000000
ARMNN_CPU_ARM_SVE = 0x2000000000
ARMNN_CPU_X86_AMX_INT8 = 4096
ARMNN_CPU_X86_AVX = 2
ARMNN_CPU_X86_AVX2 = 4
ARMNN_CPU_X86_AVX512BF16 = 1024
ARMNN_CPU_X86_AVX512BW = 64
ARMNN_CPU_X86_AVX512DQ = 256
ARMNN_CPU_X86_AVX512F = 32
ARMNN_CPU_X86_AVX512VL = 128
ARMNN_CPU_X86_AVX512VNNI = 512
ARMNN_CPU_X86_AVXVNNI = 2048
ARMNN_CPU_X86_F16C = 16
ARMNN_CPU_X86_FMA = 8
ARMNN_CPU_X86_SSE42 = 1
ARMNN_FACTORY_FALLBACK_IMPORT_DISABLED = 2
ARMNN_FACTORY_PADDING_REQUIRED = 1
ARMNN_FACTORY_SUPPORTS_IN_PLACE = 4
ARMNN_FACTORY_SUPPORTS_MAP_UNMAP = 2
ARMNN_FACTORY_SUPPORTS_SUB_TENSORS = 1
ARMNN_MAX_DIMS = 8
ARMNN_MAX_ID_SIZE = 64
ARMNN_NEEDS_CONSUMED = 1
ARMNN_PLAN_NONE = 0xffffffff
ARMNN_PLAN_NO_STAGING = 0xffffffffffffffff
ARMNN_SLOT_ABSENT = 0xfffffffd
ARMNN_SLOT_BOUNDARY = 0xffffffff
ARMNN_SLOT_CONSTANT = 0xfffffffe
ARMNN_STRUCT_PLAN_SPEC = 0x414e0f01
ARMNN_STRUCT_REPEAT = 0x414e0f03
ARMNN_STRUCT_RUN = 0x414e0f02
ARMNN_TARGET_MINOR = 0
ARMNN_WORKLOAD_SERIAL = 1

# ---- enum armnn_struct_type_e
ARMNN_STRUCT_ERROR = 0x414e0001
ARMNN_STRUCT_TENSOR_INFO = 0x414e0002
ARMNN_STRUCT_CONST_TENSOR = 0x414e0003
ARMNN_STRUCT_LAYER = 0x414e0004
ARMNN_STRUCT_SUBGRAPH = 0x414e0005
ARMNN_STRUCT_LAYER_QUERY = 0x414e0006
ARMNN_STRUCT_BLOB = 0x414e0007
ARMNN_STRUCT_WORKLOAD_INFO = 0x414e0008
ARMNN_STRUCT_WORKLOAD_REQUIREMENTS = 0x414e0009
ARMNN_STRUCT_EXECUTE_ARGS = 0x414e000a
ARMNN_STRUCT_FACTORY_ARGS = 0x414e000b
ARMNN_STRUCT_HOST = 0x414e000c
ARMNN_STRUCT_REGISTRY = 0x414e000d
ARMNN_STRUCT_OPTIMIZATION_SINK = 0x414e000e
ARMNN_STRUCT_PROFILING_HOST = 0x414e000f
ARMNN_STRUCT_COUNTER_DESCRIPTION = 0x414e0010
ARMNN_STRUCT_DEVICE_DESCRIPTION = 0x414e0011
ARMNN_STRUCT_CREATE_ARGS = 0x414e0012
ARMNN_STRUCT_OPTION_DESCRIPTION = 0x414e0013
ARMNN_STRUCT_RUN_NOTICE = 0x414e0014
ARMNN_STRUCT_TENSOR_NEEDS = 0x414e0015
ARMNN_STRUCT_MEMORY = 0x414e0016
ARMNN_STRUCT_BACKEND = 0x414e0020
ARMNN_STRUCT_BACKEND_CONTEXT = 0x414e0021
ARMNN_STRUCT_MODEL_CONTEXT = 0x414e0022
ARMNN_STRUCT_PROFILING_CONTEXT = 0x414e0023
ARMNN_STRUCT_LAYER_SUPPORT = 0x414e0024
ARMNN_STRUCT_MEMORY_MANAGER = 0x414e0025
ARMNN_STRUCT_ALLOCATOR = 0x414e0026
ARMNN_STRUCT_TENSOR_HANDLE_FACTORY = 0x414e0027
ARMNN_STRUCT_TENSOR_HANDLE = 0x414e0028
ARMNN_STRUCT_WORKLOAD_FACTORY = 0x414e0029
ARMNN_STRUCT_WORKLOAD = 0x414e002a
ARMNN_STRUCT_FENCE = 0x414e002b
ARMNN_STRUCT_DESCRIPTOR = 0x414e1000
ARMNN_STRUCT_TYPE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_status_e
ARMNN_STATUS_OK = 0
ARMNN_STATUS_UNSUPPORTED = 1
ARMNN_STATUS_UNAVAILABLE = 2
ARMNN_STATUS_INVALID_ARGUMENT = -1
ARMNN_STATUS_OUT_OF_MEMORY = -2
ARMNN_STATUS_CANCELLED = -3
ARMNN_STATUS_TIMEOUT = -4
ARMNN_STATUS_INCOMPATIBLE = -5
ARMNN_STATUS_DEVICE_LOST = -6
ARMNN_STATUS_UNIMPLEMENTED = -7
ARMNN_STATUS_INTERNAL = -8
ARMNN_STATUS_MAX_ENUM = 0x7fffffff

# ---- enum armnn_option_type_e
ARMNN_OPTION_BOOL = 0
ARMNN_OPTION_INT = 1
ARMNN_OPTION_UINT = 2
ARMNN_OPTION_FLOAT = 3
ARMNN_OPTION_STRING = 4
ARMNN_OPTION_TYPE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_option_scope_e
ARMNN_OPTION_SCOPE_BACKEND = 0
ARMNN_OPTION_SCOPE_MODEL = 1
ARMNN_OPTION_SCOPE_RUN = 2
ARMNN_OPTION_SCOPE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_option_bits_e
ARMNN_OPTION_SECRET = 1
ARMNN_OPTION_CHANGEABLE = 2
ARMNN_OPTION_BITS_MAX_ENUM = 0x7fffffff

# ---- enum armnn_data_type_e
ARMNN_DATA_TYPE_FLOAT16 = 0
ARMNN_DATA_TYPE_FLOAT32 = 1
ARMNN_DATA_TYPE_QASYMM_U8 = 2
ARMNN_DATA_TYPE_SIGNED32 = 3
ARMNN_DATA_TYPE_BOOLEAN = 4
ARMNN_DATA_TYPE_QSYMM_S16 = 5
ARMNN_DATA_TYPE_QSYMM_S8 = 6
ARMNN_DATA_TYPE_QASYMM_S8 = 7
ARMNN_DATA_TYPE_BFLOAT16 = 8
ARMNN_DATA_TYPE_SIGNED64 = 9
ARMNN_DATA_TYPE_UNSIGNED16 = 10
ARMNN_DATA_TYPE_UNSIGNED32 = 11
ARMNN_DATA_TYPE_UNSIGNED64 = 12
ARMNN_DATA_TYPE_FLOAT64 = 13
ARMNN_DATA_TYPE_FLOAT8_E4M3FN = 14
ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ = 15
ARMNN_DATA_TYPE_FLOAT8_E5M2 = 16
ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ = 17
ARMNN_DATA_TYPE_FLOAT8_E8M0FNU = 18
ARMNN_DATA_TYPE_FLOAT4_E2M1FN = 19
ARMNN_DATA_TYPE_QASYMM_S4 = 20
ARMNN_DATA_TYPE_QASYMM_U4 = 21
ARMNN_DATA_TYPE_QASYMM_S2 = 22
ARMNN_DATA_TYPE_QASYMM_U2 = 23
ARMNN_DATA_TYPE_COUNT = 24
ARMNN_DATA_TYPE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_data_layout_e
ARMNN_DATA_LAYOUT_NCHW = 1
ARMNN_DATA_LAYOUT_NHWC = 2
ARMNN_DATA_LAYOUT_NDHWC = 3
ARMNN_DATA_LAYOUT_NCDHW = 4
ARMNN_DATA_LAYOUT_COUNT = 5
ARMNN_DATA_LAYOUT_MAX_ENUM = 0x7fffffff

# ---- enum armnn_dimensionality_e
ARMNN_DIMENSIONALITY_NOT_SPECIFIED = 0
ARMNN_DIMENSIONALITY_SPECIFIED = 1
ARMNN_DIMENSIONALITY_SCALAR = 2
ARMNN_DIMENSIONALITY_MAX_ENUM = 0x7fffffff

# ---- enum armnn_tensor_bits_e
ARMNN_TENSOR_CONSTANT = 1
ARMNN_TENSOR_BITS_MAX_ENUM = 0x7fffffff

# ---- enum armnn_memory_source_e
ARMNN_MEMORY_SOURCE_UNDEFINED = 0
ARMNN_MEMORY_SOURCE_MALLOC = 1
ARMNN_MEMORY_SOURCE_DMA_BUF = 2
ARMNN_MEMORY_SOURCE_DMA_BUF_PROTECTED = 4
ARMNN_MEMORY_SOURCE_GRALLOC = 8
ARMNN_MEMORY_SOURCE_FILE = 16
ARMNN_MEMORY_SOURCE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_attribute_type_e
ARMNN_ATTRIBUTE_INTEGER = 0
ARMNN_ATTRIBUTE_REAL = 1
ARMNN_ATTRIBUTE_STRING = 2
ARMNN_ATTRIBUTE_TENSOR = 3
ARMNN_ATTRIBUTE_TYPE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_layer_type_e
ARMNN_LAYER_ACTIVATION = 0
ARMNN_LAYER_ADDITION = 1
ARMNN_LAYER_ARG_MIN_MAX = 2
ARMNN_LAYER_BATCH_NORMALIZATION = 3
ARMNN_LAYER_BATCH_TO_SPACE_ND = 4
ARMNN_LAYER_COMPARISON = 5
ARMNN_LAYER_CONCAT = 6
ARMNN_LAYER_CONSTANT = 7
ARMNN_LAYER_CONVERT_FP16_TO_FP32 = 8
ARMNN_LAYER_CONVERT_FP32_TO_FP16 = 9
ARMNN_LAYER_CONVOLUTION2D = 10
ARMNN_LAYER_DEBUG = 11
ARMNN_LAYER_DEPTH_TO_SPACE = 12
ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D = 13
ARMNN_LAYER_DEQUANTIZE = 14
ARMNN_LAYER_DETECTION_POST_PROCESS = 15
ARMNN_LAYER_DIVISION = 16
ARMNN_LAYER_ELEMENTWISE_UNARY = 17
ARMNN_LAYER_FAKE_QUANTIZATION = 18
ARMNN_LAYER_FILL = 19
ARMNN_LAYER_FLOOR = 20
ARMNN_LAYER_FULLY_CONNECTED = 21
ARMNN_LAYER_GATHER = 22
ARMNN_LAYER_INPUT = 23
ARMNN_LAYER_INSTANCE_NORMALIZATION = 24
ARMNN_LAYER_L2_NORMALIZATION = 25
ARMNN_LAYER_LOGICAL_BINARY = 26
ARMNN_LAYER_LOG_SOFTMAX = 27
ARMNN_LAYER_LSTM = 28
ARMNN_LAYER_QLSTM = 29
ARMNN_LAYER_MAP = 30
ARMNN_LAYER_MAXIMUM = 31
ARMNN_LAYER_MEAN = 32
ARMNN_LAYER_MEM_COPY = 33
ARMNN_LAYER_MEM_IMPORT = 34
ARMNN_LAYER_MERGE = 35
ARMNN_LAYER_MINIMUM = 36
ARMNN_LAYER_MULTIPLICATION = 37
ARMNN_LAYER_NORMALIZATION = 38
ARMNN_LAYER_OUTPUT = 39
ARMNN_LAYER_PAD = 40
ARMNN_LAYER_PERMUTE = 41
ARMNN_LAYER_POOLING2D = 42
ARMNN_LAYER_PRE_COMPILED = 43
ARMNN_LAYER_PRELU = 44
ARMNN_LAYER_QUANTIZE = 45
ARMNN_LAYER_QUANTIZED_LSTM = 46
ARMNN_LAYER_RESHAPE = 47
ARMNN_LAYER_RANK = 48
ARMNN_LAYER_RESIZE = 49
ARMNN_LAYER_REDUCE = 50
ARMNN_LAYER_SLICE = 51
ARMNN_LAYER_SOFTMAX = 52
ARMNN_LAYER_SPACE_TO_BATCH_ND = 53
ARMNN_LAYER_SPACE_TO_DEPTH = 54
ARMNN_LAYER_SPLITTER = 55
ARMNN_LAYER_STACK = 56
ARMNN_LAYER_STAND_IN = 57
ARMNN_LAYER_STRIDED_SLICE = 58
ARMNN_LAYER_SUBTRACTION = 59
ARMNN_LAYER_SWITCH = 60
ARMNN_LAYER_TRANSPOSE = 61
ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D = 62
ARMNN_LAYER_UNMAP = 63
ARMNN_LAYER_CAST = 64
ARMNN_LAYER_SHAPE = 65
ARMNN_LAYER_UNIDIRECTIONAL_SEQUENCE_LSTM = 66
ARMNN_LAYER_CHANNEL_SHUFFLE = 67
ARMNN_LAYER_CONVOLUTION3D = 68
ARMNN_LAYER_POOLING3D = 69
ARMNN_LAYER_GATHER_ND = 70
ARMNN_LAYER_BATCH_MAT_MUL = 71
ARMNN_LAYER_ELEMENTWISE_BINARY = 72
ARMNN_LAYER_REVERSE_V2 = 73
ARMNN_LAYER_TILE = 74
ARMNN_LAYER_FUSED = 75
ARMNN_LAYER_BROADCAST_TO = 76
ARMNN_LAYER_SCATTER_ND = 77
ARMNN_LAYER_SELECT = 78
ARMNN_LAYER_LAYER_NORMALIZATION = 79
ARMNN_LAYER_RMS_NORMALIZATION = 80
ARMNN_LAYER_GRU = 81
ARMNN_LAYER_TOP_K = 82
ARMNN_LAYER_CUM_SUM = 83
ARMNN_LAYER_ONE_HOT = 84
ARMNN_LAYER_DYNAMIC_QUANTIZE = 85
ARMNN_LAYER_MAT_MUL_INTEGER = 86
ARMNN_LAYER_DEQUANTIZE_BLOCKS = 87
ARMNN_LAYER_RNN = 88
ARMNN_LAYER_RANDOM = 89
ARMNN_LAYER_ROTARY_EMBEDDING = 90
ARMNN_LAYER_ATTENTION = 91
ARMNN_LAYER_NON_MAX_SUPPRESSION = 92
ARMNN_LAYER_TREE_LEAVES = 93
ARMNN_LAYER_TYPE_COUNT = 94
ARMNN_LAYER_TYPE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_activation_function_e
ARMNN_ACTIVATION_SIGMOID = 0
ARMNN_ACTIVATION_TANH = 1
ARMNN_ACTIVATION_LINEAR = 2
ARMNN_ACTIVATION_RELU = 3
ARMNN_ACTIVATION_BOUNDED_RELU = 4
ARMNN_ACTIVATION_SOFT_RELU = 5
ARMNN_ACTIVATION_LEAKY_RELU = 6
ARMNN_ACTIVATION_ABS = 7
ARMNN_ACTIVATION_SQRT = 8
ARMNN_ACTIVATION_SQUARE = 9
ARMNN_ACTIVATION_ELU = 10
ARMNN_ACTIVATION_HARD_SWISH = 11
ARMNN_ACTIVATION_GELU = 12
ARMNN_ACTIVATION_HARD_SIGMOID = 13
ARMNN_ACTIVATION_MISH = 14
ARMNN_ACTIVATION_SOFTSIGN = 15
ARMNN_ACTIVATION_THRESHOLDED_RELU = 16
ARMNN_ACTIVATION_COUNT = 17
ARMNN_ACTIVATION_MAX_ENUM = 0x7fffffff

# ---- enum armnn_rescaling_e
ARMNN_RESCALING_FIXED_POINT = 0
ARMNN_RESCALING_REAL = 1
ARMNN_RESCALING_COUNT = 2
ARMNN_RESCALING_MAX_ENUM = 0x7fffffff

# ---- enum armnn_comparison_operation_e
ARMNN_COMPARISON_EQUAL = 0
ARMNN_COMPARISON_GREATER = 1
ARMNN_COMPARISON_GREATER_OR_EQUAL = 2
ARMNN_COMPARISON_LESS = 3
ARMNN_COMPARISON_LESS_OR_EQUAL = 4
ARMNN_COMPARISON_NOT_EQUAL = 5
ARMNN_COMPARISON_COUNT = 6
ARMNN_COMPARISON_MAX_ENUM = 0x7fffffff

# ---- enum armnn_unary_operation_e
ARMNN_UNARY_ABS = 0
ARMNN_UNARY_EXP = 1
ARMNN_UNARY_SQRT = 2
ARMNN_UNARY_RSQRT = 3
ARMNN_UNARY_NEG = 4
ARMNN_UNARY_LOGICAL_NOT = 5
ARMNN_UNARY_LOG = 6
ARMNN_UNARY_SIN = 7
ARMNN_UNARY_CEIL = 8
ARMNN_UNARY_FLOOR = 9
ARMNN_UNARY_ERF = 10
ARMNN_UNARY_ROUND = 11
ARMNN_UNARY_COS = 12
ARMNN_UNARY_TAN = 13
ARMNN_UNARY_ASIN = 14
ARMNN_UNARY_ACOS = 15
ARMNN_UNARY_ATAN = 16
ARMNN_UNARY_SINH = 17
ARMNN_UNARY_COSH = 18
ARMNN_UNARY_ASINH = 19
ARMNN_UNARY_ACOSH = 20
ARMNN_UNARY_ATANH = 21
ARMNN_UNARY_BITWISE_NOT = 22
ARMNN_UNARY_COUNT = 23
ARMNN_UNARY_MAX_ENUM = 0x7fffffff

# ---- enum armnn_logical_binary_operation_e
ARMNN_LOGICAL_AND = 0
ARMNN_LOGICAL_OR = 1
ARMNN_LOGICAL_BINARY_COUNT = 2
ARMNN_LOGICAL_BINARY_MAX_ENUM = 0x7fffffff

# ---- enum armnn_binary_operation_e
ARMNN_BINARY_ADD = 0
ARMNN_BINARY_DIV = 1
ARMNN_BINARY_MAXIMUM = 2
ARMNN_BINARY_MINIMUM = 3
ARMNN_BINARY_MUL = 4
ARMNN_BINARY_SUB = 5
ARMNN_BINARY_SQ_DIFF = 6
ARMNN_BINARY_POWER = 7
ARMNN_BINARY_MOD = 8
ARMNN_BINARY_FMOD = 9
ARMNN_BINARY_BITWISE_AND = 10
ARMNN_BINARY_BITWISE_OR = 11
ARMNN_BINARY_BITWISE_XOR = 12
ARMNN_BINARY_SHIFT_LEFT = 13
ARMNN_BINARY_SHIFT_RIGHT = 14
ARMNN_BINARY_COUNT = 15
ARMNN_BINARY_MAX_ENUM = 0x7fffffff

# ---- enum armnn_padding_mode_e
ARMNN_PAD_CONSTANT = 0
ARMNN_PAD_REFLECT = 1
ARMNN_PAD_SYMMETRIC = 2
ARMNN_PAD_MODE_COUNT = 3
ARMNN_PAD_MODE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_scatter_nd_function_e
ARMNN_SCATTER_UPDATE = 0
ARMNN_SCATTER_ADD = 1
ARMNN_SCATTER_SUB = 2
ARMNN_SCATTER_MAX = 3
ARMNN_SCATTER_MIN = 4
ARMNN_SCATTER_MUL = 5
ARMNN_SCATTER_COUNT = 6
ARMNN_SCATTER_MAX_ENUM = 0x7fffffff

# ---- enum armnn_row_rounding_e
ARMNN_ROW_ROUNDING_NONE = 0
ARMNN_ROW_ROUNDING_SYMMETRIC = 1
ARMNN_ROW_ROUNDING_ASYMMETRIC = 2
ARMNN_ROW_ROUNDING_COUNT = 3
ARMNN_ROW_ROUNDING_MAX_ENUM = 0x7fffffff

# ---- enum armnn_recurrent_direction_e
ARMNN_RECURRENT_FORWARD = 0
ARMNN_RECURRENT_REVERSE = 1
ARMNN_RECURRENT_BIDIRECTIONAL = 2
ARMNN_RECURRENT_COUNT = 3
ARMNN_RECURRENT_MAX_ENUM = 0x7fffffff

# ---- enum armnn_arg_min_max_function_e
ARMNN_ARG_MIN = 0
ARMNN_ARG_MAX = 1
ARMNN_ARG_MIN_MAX_COUNT = 2
ARMNN_ARG_MIN_MAX_MAX_ENUM = 0x7fffffff

# ---- enum armnn_normalization_channel_e
ARMNN_NORMALIZATION_ACROSS = 0
ARMNN_NORMALIZATION_WITHIN = 1
ARMNN_NORMALIZATION_CHANNEL_COUNT = 2
ARMNN_NORMALIZATION_CHANNEL_MAX_ENUM = 0x7fffffff

# ---- enum armnn_normalization_method_e
ARMNN_NORMALIZATION_LOCAL_BRIGHTNESS = 0
ARMNN_NORMALIZATION_LOCAL_CONTRAST = 1
ARMNN_NORMALIZATION_METHOD_COUNT = 2
ARMNN_NORMALIZATION_METHOD_MAX_ENUM = 0x7fffffff

# ---- enum armnn_reduce_operation_e
ARMNN_REDUCE_SUM = 0
ARMNN_REDUCE_MAX = 1
ARMNN_REDUCE_MEAN = 2
ARMNN_REDUCE_MIN = 3
ARMNN_REDUCE_PROD = 4
ARMNN_REDUCE_COUNT = 5
ARMNN_REDUCE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_fused_kernel_type_e
ARMNN_FUSED_ADD_MUL_ADD = 0
ARMNN_FUSED_COUNT = 1
ARMNN_FUSED_MAX_ENUM = 0x7fffffff

# ---- enum armnn_random_distribution_e
ARMNN_RANDOM_UNIFORM = 0
ARMNN_RANDOM_NORMAL = 1
ARMNN_RANDOM_COUNT = 2
ARMNN_RANDOM_MAX_ENUM = 0x7fffffff

# ---- enum armnn_pooling_algorithm_e
ARMNN_POOLING_MAX = 0
ARMNN_POOLING_AVERAGE = 1
ARMNN_POOLING_L2 = 2
ARMNN_POOLING_COUNT = 3
ARMNN_POOLING_MAX_ENUM = 0x7fffffff

# ---- enum armnn_output_shape_rounding_e
ARMNN_ROUNDING_FLOOR = 0
ARMNN_ROUNDING_CEILING = 1
ARMNN_ROUNDING_COUNT = 2
ARMNN_ROUNDING_MAX_ENUM = 0x7fffffff

# ---- enum armnn_padding_method_e
ARMNN_PADDING_IGNORE_VALUE = 0
ARMNN_PADDING_EXCLUDE = 1
ARMNN_PADDING_METHOD_COUNT = 2
ARMNN_PADDING_METHOD_MAX_ENUM = 0x7fffffff

# ---- enum armnn_resize_method_e
ARMNN_RESIZE_BILINEAR = 0
ARMNN_RESIZE_NEAREST_NEIGHBOR = 1
ARMNN_RESIZE_METHOD_COUNT = 2
ARMNN_RESIZE_METHOD_MAX_ENUM = 0x7fffffff

# ---- enum armnn_log_level_e
ARMNN_LOG_TRACE = 0
ARMNN_LOG_DEBUG = 1
ARMNN_LOG_INFO = 2
ARMNN_LOG_WARNING = 3
ARMNN_LOG_ERROR = 4
ARMNN_LOG_LEVEL_MAX_ENUM = 0x7fffffff

# ---- enum armnn_trace_phase_e
ARMNN_TRACE_BEGIN = 0
ARMNN_TRACE_END = 1
ARMNN_TRACE_INSTANT = 2
ARMNN_TRACE_PHASE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_fence_kind_e
ARMNN_FENCE_OBJECT = 0
ARMNN_FENCE_EVENTFD = 1
ARMNN_FENCE_SYNC_FILE = 2
ARMNN_FENCE_KIND_MAX_ENUM = 0x7fffffff

# ---- enum armnn_map_access_bits_e
ARMNN_MAP_READ = 1
ARMNN_MAP_WRITE = 2
ARMNN_MAP_ACCESS_MAX_ENUM = 0x7fffffff

# ---- enum armnn_backend_bits_e
ARMNN_BACKEND_UNLOADABLE = 1
ARMNN_BACKEND_REFERENCE = 2
ARMNN_BACKEND_BITS_MAX_ENUM = 0x7fffffff

# ---- enum armnn_trace_event_kind_e
ARMNN_TRACE_EVENT_STEP = 16
ARMNN_TRACE_EVENT_RUN = 17
ARMNN_TRACE_EVENT_COPY = 18
ARMNN_TRACE_EVENT_KIND_MAX_ENUM = 0x7fffffff

# ---- enum armnn_plan_tensor_kind_e
ARMNN_PLAN_TENSOR_ARENA = 0
ARMNN_PLAN_TENSOR_CONSTANT = 1
ARMNN_PLAN_TENSOR_INPUT = 2
ARMNN_PLAN_TENSOR_OUTPUT = 3
ARMNN_PLAN_TENSOR_HANDLE = 4
ARMNN_PLAN_TENSOR_MAPPED = 5
ARMNN_PLAN_TENSOR_PART = 6
ARMNN_PLAN_TENSOR_VARIABLE = 7
ARMNN_PLAN_TENSOR_KIND_MAX_ENUM = 0x7fffffff

# ---- enum armnn_plan_step_kind_e
ARMNN_PLAN_STEP_EXECUTE = 0
ARMNN_PLAN_STEP_COPY = 1
ARMNN_PLAN_STEP_SYNC = 2
ARMNN_PLAN_STEP_IMPORT = 3
ARMNN_PLAN_STEP_LEND = 4
ARMNN_PLAN_STEP_RETURN = 5
ARMNN_PLAN_STEP_MAP = 6
ARMNN_PLAN_STEP_UNMAP = 7
ARMNN_PLAN_STEP_SIGNAL = 8
ARMNN_PLAN_STEP_WAIT = 9
ARMNN_PLAN_STEP_KIND_MAX_ENUM = 0x7fffffff

# ---- enum armnn_plan_bounded_e
ARMNN_PLAN_BOUNDED_NONE = 0
ARMNN_PLAN_BOUNDED_INFOS = 1
ARMNN_PLAN_BOUNDED_REPORTS = 2
ARMNN_PLAN_BOUNDED_MAX_ENUM = 0x7fffffff

# ---- enum armnn_plan_step_bits_e
ARMNN_PLAN_STEP_MAY_IMPORT = 1
ARMNN_PLAN_STEP_TAKES_READY = 2
ARMNN_PLAN_STEP_BITS_MAX_ENUM = 0x7fffffff

# ---- enum armnn_run_side_e
ARMNN_RUN_SIDE_NONE = 0
ARMNN_RUN_SIDE_SOURCE = 1
ARMNN_RUN_SIDE_TARGET = 2
ARMNN_RUN_SIDE_MAX_ENUM = 0x7fffffff

# ---- enum armnn_channel_end_e
ARMNN_CHANNEL_OPEN = 0
ARMNN_CHANNEL_WORKER_ENDED = 1
ARMNN_CHANNEL_PAST_DEADLINE = 2
ARMNN_CHANNEL_RUN_STOPPED = 3
ARMNN_CHANNEL_END_MAX_ENUM = 0x7fffffff


# ---- Structures; their members follow below, because they name each other


class armnn_header_t(Structure):
    struct_size: int
    struct_type: int


class armnn_error_t(Structure):
    header: armnn_header_t
    code: int
    vendor_code: int
    text: Any
    capacity: int
    needed: int


class armnn_string_t(Structure):
    data: Any
    size: int


class armnn_option_t(Structure):
    name: armnn_string_t
    type: int
    flags: int
    integer: int
    real: float
    string: armnn_string_t


class armnn_options_t(Structure):
    items: Any
    count: int


class armnn_option_description_t(Structure):
    header: armnn_header_t
    flags: int
    reserved: int
    help: armnn_string_t
    unit: armnn_string_t
    minimum: int
    maximum: int
    real_minimum: float
    real_maximum: float
    choices: Any
    choice_count: int


class armnn_run_notice_t(Structure):
    header: armnn_header_t
    network_id: int
    run_id: int
    execution_data: Any
    options: armnn_options_t
    status: int
    reserved: int


class armnn_tensor_info_t(Structure):
    header: armnn_header_t
    data_type: int
    dimensionality: int
    rank: int
    dim_known_mask: int
    dims: Array[c_uint64]
    element_count: int
    scales: Any
    zero_points: Any
    quantization_count: int
    quantization_dim: int
    flags: int
    block_size: int
    fields_used: int


class armnn_const_tensor_t(Structure):
    header: armnn_header_t
    info: Any
    data: Any
    size: int


class armnn_view_t(Structure):
    origin: Array[c_uint64]
    size: Array[c_uint64]


class armnn_attribute_t(Structure):
    name: armnn_string_t
    type: int
    is_list: int
    count: int
    values: Any


class armnn_rotary_embedding_descriptor_t(Structure):
    header: armnn_header_t
    interleaved: int
    reserved: int


class armnn_attention_descriptor_t(Structure):
    header: armnn_header_t
    scale: float
    softcap: float
    causal: int
    reserved: int


class armnn_dequantize_blocks_descriptor_t(Structure):
    header: armnn_header_t
    axis: int
    block_size: int


class armnn_dynamic_quantize_descriptor_t(Structure):
    header: armnn_header_t
    rows: int
    symmetric: int


class armnn_fake_quantization_descriptor_t(Structure):
    header: armnn_header_t
    min: float
    max: float


class armnn_fill_descriptor_t(Structure):
    header: armnn_header_t
    value: float
    reserved: int


class armnn_activation_descriptor_t(Structure):
    header: armnn_header_t
    function: int
    a: float
    b: float
    rescaling: int


class armnn_comparison_descriptor_t(Structure):
    header: armnn_header_t
    operation: int
    reserved: int


class armnn_elementwise_unary_descriptor_t(Structure):
    header: armnn_header_t
    operation: int
    reserved: int


class armnn_logical_binary_descriptor_t(Structure):
    header: armnn_header_t
    operation: int
    reserved: int


class armnn_elementwise_binary_descriptor_t(Structure):
    header: armnn_header_t
    operation: int
    rescaling: int


class armnn_concat_descriptor_t(Structure):
    header: armnn_header_t
    axis: int
    view_count: int
    views: Any


class armnn_gather_descriptor_t(Structure):
    header: armnn_header_t
    axis: int
    reserved: int


class armnn_pad_descriptor_t(Structure):
    header: armnn_header_t
    padding_mode: int
    rank: int
    pad_before: Array[c_uint32]
    pad_after: Array[c_uint32]
    value: float
    reserved: int


class armnn_permute_descriptor_t(Structure):
    header: armnn_header_t
    rank: int
    mappings: Array[c_uint32]
    reserved: int


class armnn_reshape_descriptor_t(Structure):
    header: armnn_header_t
    rank: int
    reserved: int
    target_shape: Array[c_uint64]


class armnn_slice_descriptor_t(Structure):
    header: armnn_header_t
    rank: int
    reserved: int
    begin: Array[c_uint64]
    size: Array[c_uint64]


class armnn_splitter_descriptor_t(Structure):
    header: armnn_header_t
    axis: int
    view_count: int
    views: Any


class armnn_stack_descriptor_t(Structure):
    header: armnn_header_t
    axis: int
    input_count: int
    rank: int
    reserved: int
    input_shape: Array[c_uint64]


class armnn_strided_slice_descriptor_t(Structure):
    header: armnn_header_t
    rank: int
    reserved: int
    begin: Array[c_int64]
    end: Array[c_int64]
    stride: Array[c_int64]
    begin_mask: int
    end_mask: int
    shrink_axis_mask: int
    ellipsis_mask: int
    new_axis_mask: int
    data_layout: int


class armnn_channel_shuffle_descriptor_t(Structure):
    header: armnn_header_t
    group_count: int
    axis: int


class armnn_tile_descriptor_t(Structure):
    header: armnn_header_t
    rank: int
    multiples: Array[c_uint32]
    reserved: int


class armnn_broadcast_to_descriptor_t(Structure):
    header: armnn_header_t
    rank: int
    reserved: int
    target_shape: Array[c_uint64]


class armnn_scatter_nd_descriptor_t(Structure):
    header: armnn_header_t
    function: int
    input_enabled: int
    axis: int
    axis_enabled: int


class armnn_one_hot_descriptor_t(Structure):
    header: armnn_header_t
    depth: int
    axis: int


class armnn_lstm_descriptor_t(Structure):
    header: armnn_header_t
    activation_function: int
    clipping_threshold_cell: float
    clipping_threshold_projection: float
    cifg_enabled: int
    peephole_enabled: int
    projection_enabled: int
    layer_norm_enabled: int
    time_major: int
    input_intermediate_scale: float
    forget_intermediate_scale: float
    cell_intermediate_scale: float
    output_intermediate_scale: float
    hidden_state_zero_point: int
    hidden_state_scale: float
    row_rounding: int
    reserved: int


class armnn_qlstm_descriptor_t(Structure):
    header: armnn_header_t
    cell_clip: float
    projection_clip: float
    cifg_enabled: int
    peephole_enabled: int
    projection_enabled: int
    layer_norm_enabled: int
    input_intermediate_scale: float
    forget_intermediate_scale: float
    cell_intermediate_scale: float
    output_intermediate_scale: float
    hidden_state_zero_point: int
    hidden_state_scale: float


class armnn_gru_descriptor_t(Structure):
    header: armnn_header_t
    direction: int
    linear_before_reset: int
    clip: float
    reserved: int


class armnn_rnn_descriptor_t(Structure):
    header: armnn_header_t
    direction: int
    function: int
    a: float
    b: float
    clip: float
    row_rounding: int


class armnn_arg_min_max_descriptor_t(Structure):
    header: armnn_header_t
    function: int
    axis: int
    output_type: int
    reserved: int


class armnn_batch_normalization_descriptor_t(Structure):
    header: armnn_header_t
    eps: float
    data_layout: int


class armnn_instance_normalization_descriptor_t(Structure):
    header: armnn_header_t
    gamma: float
    beta: float
    eps: float
    data_layout: int


class armnn_l2_normalization_descriptor_t(Structure):
    header: armnn_header_t
    eps: float
    data_layout: int


class armnn_softmax_descriptor_t(Structure):
    header: armnn_header_t
    beta: float
    axis: int


class armnn_mean_descriptor_t(Structure):
    header: armnn_header_t
    keep_dims: int
    axis_count: int
    axes: Array[c_int32]


class armnn_normalization_descriptor_t(Structure):
    header: armnn_header_t
    channel: int
    method: int
    norm_size: int
    alpha: float
    beta: float
    k: float
    data_layout: int
    reserved: int


class armnn_reduce_descriptor_t(Structure):
    header: armnn_header_t
    operation: int
    keep_dims: int
    axis_count: int
    axes: Array[c_int32]
    rescaling: int


class armnn_batch_mat_mul_descriptor_t(Structure):
    header: armnn_header_t
    transpose_x: int
    transpose_y: int
    adjoint_x: int
    adjoint_y: int
    data_layout_x: int
    data_layout_y: int
    rescaling: int
    reserved: int


class armnn_layer_normalization_descriptor_t(Structure):
    header: armnn_header_t
    axis: int
    eps: float


class armnn_rms_normalization_descriptor_t(Structure):
    header: armnn_header_t
    axis: int
    eps: float


class armnn_top_k_descriptor_t(Structure):
    header: armnn_header_t
    k: int
    axis: int
    largest: int
    sorted: int
    output_type: int
    reserved: int


class armnn_cum_sum_descriptor_t(Structure):
    header: armnn_header_t
    axis: int
    exclusive: int
    reverse: int
    reserved: int


class armnn_detection_post_process_descriptor_t(Structure):
    header: armnn_header_t
    max_detections: int
    max_classes_per_detection: int
    detections_per_class: int
    nms_score_threshold: float
    nms_iou_threshold: float
    num_classes: int
    use_regular_nms: int
    scale_x: float
    scale_y: float
    scale_w: float
    scale_h: float
    reserved: int


class armnn_non_max_suppression_descriptor_t(Structure):
    header: armnn_header_t
    max_output_boxes: int
    iou_threshold: float
    score_threshold: float
    has_score_threshold: int
    center_point_box: int
    soft_nms_sigma: float


class armnn_pre_compiled_descriptor_t(Structure):
    header: armnn_header_t
    input_count: int
    output_count: int


class armnn_stand_in_descriptor_t(Structure):
    header: armnn_header_t
    input_count: int
    output_count: int
    version: int
    reserved: int
    domain: armnn_string_t
    name: armnn_string_t
    attribute_count: int
    reserved2: int
    attributes: Any


class armnn_fused_descriptor_t(Structure):
    header: armnn_header_t
    input_count: int
    output_count: int
    fused_kernel_type: int
    reserved: int


class armnn_random_descriptor_t(Structure):
    header: armnn_header_t
    distribution: int
    stream: int


class armnn_batch_to_space_nd_descriptor_t(Structure):
    header: armnn_header_t
    block_rank: int
    block_shape: Array[c_uint32]
    crop_before: Array[c_uint32]
    crop_after: Array[c_uint32]
    data_layout: int


class armnn_convolution2d_descriptor_t(Structure):
    header: armnn_header_t
    pad_left: int
    pad_right: int
    pad_top: int
    pad_bottom: int
    stride_x: int
    stride_y: int
    dilation_x: int
    dilation_y: int
    bias_enabled: int
    data_layout: int
    groups: int
    rescaling: int


class armnn_space_depth_descriptor_t(Structure):
    header: armnn_header_t
    block_size: int
    data_layout: int


class armnn_depthwise_convolution2d_descriptor_t(Structure):
    header: armnn_header_t
    pad_left: int
    pad_right: int
    pad_top: int
    pad_bottom: int
    stride_x: int
    stride_y: int
    dilation_x: int
    dilation_y: int
    bias_enabled: int
    data_layout: int
    rescaling: int
    reserved: int


class armnn_fully_connected_descriptor_t(Structure):
    header: armnn_header_t
    bias_enabled: int
    transpose_weight_matrix: int
    constant_weights: int
    rescaling: int


class armnn_pooling2d_descriptor_t(Structure):
    header: armnn_header_t
    pool_type: int
    pad_left: int
    pad_right: int
    pad_top: int
    pad_bottom: int
    pool_width: int
    pool_height: int
    stride_x: int
    stride_y: int
    output_shape_rounding: int
    padding_method: int
    data_layout: int
    dilation_x: int
    dilation_y: int
    rescaling: int
    reserved: int


class armnn_resize_descriptor_t(Structure):
    header: armnn_header_t
    target_width: int
    target_height: int
    method: int
    data_layout: int
    align_corners: int
    half_pixel_centers: int


class armnn_space_to_batch_nd_descriptor_t(Structure):
    header: armnn_header_t
    block_rank: int
    block_shape: Array[c_uint32]
    pad_before: Array[c_uint32]
    pad_after: Array[c_uint32]
    data_layout: int


class armnn_transpose_convolution2d_descriptor_t(Structure):
    header: armnn_header_t
    pad_left: int
    pad_right: int
    pad_top: int
    pad_bottom: int
    stride_x: int
    stride_y: int
    bias_enabled: int
    data_layout: int
    output_shape_enabled: int
    dilation_x: int
    dilation_y: int
    groups: int
    rescaling: int
    reserved: int


class armnn_convolution3d_descriptor_t(Structure):
    header: armnn_header_t
    pad_left: int
    pad_right: int
    pad_top: int
    pad_bottom: int
    pad_front: int
    pad_back: int
    stride_x: int
    stride_y: int
    stride_z: int
    dilation_x: int
    dilation_y: int
    dilation_z: int
    bias_enabled: int
    data_layout: int


class armnn_pooling3d_descriptor_t(Structure):
    header: armnn_header_t
    pool_type: int
    pad_left: int
    pad_right: int
    pad_top: int
    pad_bottom: int
    pad_front: int
    pad_back: int
    pool_width: int
    pool_height: int
    pool_depth: int
    stride_x: int
    stride_y: int
    stride_z: int
    output_shape_rounding: int
    padding_method: int
    data_layout: int


class armnn_backend_api_t(Structure):
    header: armnn_header_t
    built_minor: int
    flags: int
    understood_fields: int
    build_features: int
    score: int
    reserved: int
    vendor_version: Any
    description: Any
    create: Any
    destroy: Any
    get_id: Any
    create_workload_factory: Any
    get_layer_support: Any
    create_memory_manager: Any
    create_backend_context: Any
    create_model_context: Any
    create_profiling_context: Any
    optimize_subgraph_view: Any
    register_tensor_handle_factories: Any
    get_handle_factory_preferences: Any
    get_capabilities: Any
    get_option_defaults: Any
    get_model_option_defaults: Any
    use_custom_memory_allocator: Any
    get_default_allocator: Any
    get_number_of_cache_files: Any
    quiesce: Any
    self_test: Any
    list_devices: Any
    check_blob: Any
    deserialize_blob: Any
    extension: Any
    describe_option: Any
    get_run_option_defaults: Any
    set_option: Any


class armnn_backend_t(Structure):
    api: Any


class armnn_backend_context_api_t(Structure):
    header: armnn_header_t
    destroy: Any
    before_load_network: Any
    after_load_network: Any
    before_unload_network: Any
    after_unload_network: Any
    after_enqueue_workload: Any
    before_run: Any
    after_run: Any
    signal_fence: Any
    wait_fence: Any


class armnn_backend_context_t(Structure):
    api: Any


class armnn_model_context_api_t(Structure):
    header: armnn_header_t
    destroy: Any


class armnn_model_context_t(Structure):
    api: Any


class armnn_profiling_context_api_t(Structure):
    header: armnn_header_t
    destroy: Any
    activate_counters: Any
    report_counter_values: Any
    enable_profiling: Any


class armnn_profiling_context_t(Structure):
    api: Any


class armnn_layer_support_api_t(Structure):
    header: armnn_header_t
    destroy: Any
    is_layer_supported: Any
    are_layers_supported: Any
    get_preferred_layout: Any
    infer_stand_in: Any
    takes_bounded_shapes: Any


class armnn_layer_support_t(Structure):
    api: Any


class armnn_memory_manager_api_t(Structure):
    header: armnn_header_t
    destroy: Any
    acquire: Any
    release: Any


class armnn_memory_manager_t(Structure):
    api: Any


class armnn_allocator_api_t(Structure):
    header: armnn_header_t
    destroy: Any
    allocate: Any
    release: Any
    get_memory_source: Any
    get_memory_region_at_offset: Any


class armnn_allocator_t(Structure):
    api: Any


class armnn_fence_api_t(Structure):
    header: armnn_header_t
    kind: int
    reserved: int
    destroy: Any
    wait: Any
    get_fd: Any


class armnn_fence_t(Structure):
    api: Any


class armnn_tensor_handle_api_t(Structure):
    header: armnn_header_t
    destroy: Any
    manage: Any
    allocate: Any
    get_parent: Any
    map: Any
    unmap: Any
    get_layout: Any
    copy_in_from: Any
    copy_out_to: Any
    get_import_flags: Any
    can_be_imported: Any
    import_memory: Any
    unimport_memory: Any
    decorate: Any


class armnn_tensor_handle_t(Structure):
    api: Any


class armnn_tensor_handle_factory_api_t(Structure):
    header: armnn_header_t
    destroy: Any
    get_id: Any
    create_tensor_handle: Any
    create_sub_tensor_handle: Any
    get_traits: Any
    get_export_flags: Any
    get_import_flags: Any
    get_capabilities: Any


class armnn_tensor_handle_factory_t(Structure):
    api: Any


class armnn_workload_factory_api_t(Structure):
    header: armnn_header_t
    destroy: Any
    create_workload: Any
    after_workloads_created: Any
    create_execution_data: Any
    destroy_execution_data: Any


class armnn_workload_factory_t(Structure):
    api: Any


class armnn_workload_api_t(Structure):
    header: armnn_header_t
    destroy: Any
    execute: Any
    get_requirements: Any
    post_allocation_configure: Any
    get_kernel_name: Any
    create_workload_data: Any
    reset_workload_data: Any
    destroy_workload_data: Any


class armnn_workload_t(Structure):
    api: Any


class armnn_host_t(Structure):
    header: armnn_header_t
    api_major: int
    api_minor: int
    context: Any
    log_enabled: Any
    log: Any
    allocate: Any
    release: Any
    concurrency: Any
    parallel_for: Any
    in_parallel: Any
    on_thread_exit: Any
    cancelled: Any
    now_ns: Any
    trace: Any
    cpu_features: Any
    device_lost: Any
    extension: Any


class armnn_blob_t(Structure):
    header: armnn_header_t
    object: Any
    release: Any
    compatibility: armnn_string_t
    get_size: Any
    serialize: Any


class armnn_slot_t(Structure):
    layer: int
    slot: int


class armnn_layer_t(Structure):
    header: armnn_header_t
    guid: int
    type: int
    input_count: int
    output_count: int
    reserved: int
    name: armnn_string_t
    descriptor: Any
    inputs: Any
    input_infos: Any
    constants: Any
    output_infos: Any
    blob: Any
    fields_used: int


class armnn_subgraph_t(Structure):
    header: armnn_header_t
    layers: Any
    input_infos: Any
    outputs: Any
    layer_count: int
    input_count: int
    output_count: int
    reserved: int


class armnn_layer_query_t(Structure):
    header: armnn_header_t
    type: int
    input_count: int
    output_count: int
    reserved: int
    descriptor: Any
    input_infos: Any
    output_infos: Any
    fields_used: int


class armnn_optimization_sink_t(Structure):
    header: armnn_header_t
    context: Any
    begin_substitution: Any
    add_layer: Any
    end_substitution: Any
    add_failed: Any
    add_untouched: Any
    add_deleted: Any


class armnn_memory_t(Structure):
    header: armnn_header_t
    source: int
    fd: int
    address: Any
    offset: int
    size: int
    byte_strides: Array[c_uint64]
    ready: Any


class armnn_tensor_handle_factory_registry_t(Structure):
    header: armnn_header_t
    context: Any
    register_memory_manager: Any
    register_factory: Any
    register_copy_and_import_pair: Any
    get_factory: Any


class armnn_workload_info_t(Structure):
    header: armnn_header_t
    guid: int
    type: int
    input_count: int
    output_count: int
    reserved: int
    name: armnn_string_t
    descriptor: Any
    input_infos: Any
    constants: Any
    output_infos: Any
    blob: Any
    fields_used: int


class armnn_tensor_needs_t(Structure):
    header: armnn_header_t
    alignment: int
    readable_bytes: int
    in_place_mask: int
    flags: int
    reserved: int


class armnn_workload_requirements_t(Structure):
    header: armnn_header_t
    scratch_size: int
    scratch_alignment: int
    tensor_alignment: int
    in_place_mask: int
    consumed_mask: int
    tensors: Any
    persistent_size: int
    packed_size: int
    operations: int
    expected_ns: int
    flags: int
    reserved: int
    shared_size: int


class armnn_execute_args_t(Structure):
    header: armnn_header_t
    inputs: Any
    outputs: Any
    input_handles: Any
    output_handles: Any
    scratch: Any
    scratch_size: int
    execution_data: Any
    run_id: int
    workload_data: Any
    input_infos: Any
    output_infos: Any
    output_dims: Any


class armnn_factory_args_t(Structure):
    header: armnn_header_t
    memory_manager: Any
    registry: Any
    model_options: Any
    model_context: Any
    input_sources: int
    output_sources: int


class armnn_counter_value_t(Structure):
    counter_id: int
    reserved: int
    value: int


class armnn_counter_description_t(Structure):
    header: armnn_header_t
    name: armnn_string_t
    description: armnn_string_t
    unit: armnn_string_t
    counter_class: int
    reserved: int
    multiplier: float


class armnn_profiling_host_t(Structure):
    header: armnn_header_t
    context: Any
    register_counter: Any
    report: Any
    enabled: Any


class armnn_create_args_t(Structure):
    header: armnn_header_t
    host: Any
    options: Any
    device_index: int
    reserved: int


class armnn_device_description_t(Structure):
    header: armnn_header_t
    name: armnn_string_t
    vendor: armnn_string_t
    driver_version: armnn_string_t
    memory_size: int


class armnn_static_backend_t(Structure):
    vendor: Any
    name: Any
    get_backend_id: Any
    get_version: Any
    backend_factory: Any


class armnn_size_place_t(Structure):
    address: Any
    index: int
    bytes: int


class armnn_log_record_t(Structure):
    time_ns: int
    level: int
    lost: int
    component: bytes
    text: bytes


class armnn_trace_event_t(Structure):
    time_ns: int
    duration_ns: int
    id: int
    plan: int
    run_id: int
    thread: int
    kind: int
    name: bytes


class armnn_plan_tensor_t(Structure):
    kind: int
    index: int
    offset: int
    size: int
    alignment: int
    readable: int
    address: Any


class armnn_plan_step_t(Structure):
    kind: int
    input_count: int
    output_count: int
    execution_data_index: int
    workload: Any
    inputs: Any
    outputs: Any
    scratch_offset: int
    scratch_size: int
    persistent_size: int
    is_serial: int
    bounded: int
    input_infos: Any
    backend_context: Any
    network_id: int
    flags: int
    fence: int


class armnn_plan_listener_t(Structure):
    context: Any
    network_id: int
    execution_data_index: int
    reserved: int


class armnn_plan_variable_t(Structure):
    value: int
    next: int


class armnn_plan_spec_t(Structure):
    header: armnn_header_t
    tensors: Any
    steps: Any
    tensor_count: int
    step_count: int
    input_count: int
    output_count: int
    execution_data_count: int
    handle_count: int
    fence_count: int
    reserved: int
    arena_size: int
    listeners: Any
    variables: Any
    listener_count: int
    variable_count: int


class armnn_plan_t(Structure):
    """Opaque."""


class armnn_context_t(Structure):
    """Opaque."""


class armnn_plan_shapes_t(Structure):
    infos: Any
    sizes: Any


class armnn_run_memory_t(Structure):
    memory: Any
    shape: Array[c_uint64]
    element: int
    rank: int
    reserved: int


class armnn_run_t(Structure):
    header: armnn_header_t
    context: Any
    inputs: Any
    outputs: Any
    deadline_ns: int
    interrupt: Any
    interrupt_argument: Any
    interrupt_interval_ns: int
    error: Any
    strict: int
    stays: int
    reported: Any
    failed_step: int
    failed_side: int
    steps_done: int
    failed_listener: int
    run_id: int
    copies: int
    copied_bytes: int
    options: Any
    memories: Any
    is_running: int
    beside: int


class armnn_carry_t(Structure):
    input: int
    output: int
    next: Any


class armnn_repeat_t(Structure):
    header: armnn_header_t
    run: Any
    inputs: Any
    outputs: Any
    strides: Any
    carries: Any
    carry_count: int
    goes_on: int
    is_ended: int
    reserved: int
    most: int
    turns: int
    counter: Any
    pause_ns: int


class armnn_channel_t(Structure):
    """Opaque."""


class armnn_channel_tensor_t(Structure):
    offset: int
    size: int


class armnn_channel_call_t(Structure):
    next: Any
    inputs: Any
    input_size: int
    outputs: Any
    output_size: int
    status: int
    reserved: int


# ---- Members

armnn_header_t._fields_ = [
    ("struct_size", c_uint32),
    ("struct_type", c_uint32),
]

armnn_error_t._fields_ = [
    ("header", armnn_header_t),
    ("code", c_int32),
    ("vendor_code", c_int32),
    ("text", POINTER(c_char)),
    ("capacity", c_uint64),
    ("needed", c_uint64),
]

armnn_string_t._fields_ = [
    ("data", POINTER(c_char)),
    ("size", c_uint64),
]

armnn_option_t._fields_ = [
    ("name", armnn_string_t),
    ("type", c_int32),
    ("flags", c_uint32),
    ("integer", c_int64),
    ("real", c_double),
    ("string", armnn_string_t),
]

armnn_options_t._fields_ = [
    ("items", POINTER(armnn_option_t)),
    ("count", c_uint64),
]

armnn_option_description_t._fields_ = [
    ("header", armnn_header_t),
    ("flags", c_uint32),
    ("reserved", c_uint32),
    ("help", armnn_string_t),
    ("unit", armnn_string_t),
    ("minimum", c_int64),
    ("maximum", c_int64),
    ("real_minimum", c_double),
    ("real_maximum", c_double),
    ("choices", POINTER(armnn_string_t)),
    ("choice_count", c_uint64),
]

armnn_run_notice_t._fields_ = [
    ("header", armnn_header_t),
    ("network_id", c_uint64),
    ("run_id", c_uint64),
    ("execution_data", c_void_p),
    ("options", armnn_options_t),
    ("status", c_int32),
    ("reserved", c_uint32),
]

armnn_tensor_info_t._fields_ = [
    ("header", armnn_header_t),
    ("data_type", c_int32),
    ("dimensionality", c_uint32),
    ("rank", c_uint32),
    ("dim_known_mask", c_uint32),
    ("dims", c_uint64 * 8),
    ("element_count", c_uint64),
    ("scales", POINTER(c_float)),
    ("zero_points", POINTER(c_int32)),
    ("quantization_count", c_uint32),
    ("quantization_dim", c_int32),
    ("flags", c_uint32),
    ("block_size", c_uint32),
    ("fields_used", c_uint64),
]

armnn_const_tensor_t._fields_ = [
    ("header", armnn_header_t),
    ("info", POINTER(armnn_tensor_info_t)),
    ("data", c_void_p),
    ("size", c_uint64),
]

armnn_view_t._fields_ = [
    ("origin", c_uint64 * 8),
    ("size", c_uint64 * 8),
]

armnn_attribute_t._fields_ = [
    ("name", armnn_string_t),
    ("type", c_int32),
    ("is_list", c_uint32),
    ("count", c_uint64),
    ("values", c_void_p),
]

armnn_rotary_embedding_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("interleaved", c_uint32),
    ("reserved", c_uint32),
]

armnn_attention_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("scale", c_float),
    ("softcap", c_float),
    ("causal", c_uint32),
    ("reserved", c_uint32),
]

armnn_dequantize_blocks_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("axis", c_int32),
    ("block_size", c_uint32),
]

armnn_dynamic_quantize_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("rows", c_uint32),
    ("symmetric", c_uint32),
]

armnn_fake_quantization_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("min", c_float),
    ("max", c_float),
]

armnn_fill_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("value", c_float),
    ("reserved", c_uint32),
]

armnn_activation_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("function", c_int32),
    ("a", c_float),
    ("b", c_float),
    ("rescaling", c_int32),
]

armnn_comparison_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("operation", c_int32),
    ("reserved", c_uint32),
]

armnn_elementwise_unary_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("operation", c_int32),
    ("reserved", c_uint32),
]

armnn_logical_binary_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("operation", c_int32),
    ("reserved", c_uint32),
]

armnn_elementwise_binary_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("operation", c_int32),
    ("rescaling", c_int32),
]

armnn_concat_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("axis", c_uint32),
    ("view_count", c_uint32),
    ("views", POINTER(armnn_view_t)),
]

armnn_gather_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("axis", c_int32),
    ("reserved", c_uint32),
]

armnn_pad_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("padding_mode", c_int32),
    ("rank", c_uint32),
    ("pad_before", c_uint32 * 8),
    ("pad_after", c_uint32 * 8),
    ("value", c_float),
    ("reserved", c_uint32),
]

armnn_permute_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("rank", c_uint32),
    ("mappings", c_uint32 * 8),
    ("reserved", c_uint32),
]

armnn_reshape_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("rank", c_uint32),
    ("reserved", c_uint32),
    ("target_shape", c_uint64 * 8),
]

armnn_slice_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("rank", c_uint32),
    ("reserved", c_uint32),
    ("begin", c_uint64 * 8),
    ("size", c_uint64 * 8),
]

armnn_splitter_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("axis", c_int32),
    ("view_count", c_uint32),
    ("views", POINTER(armnn_view_t)),
]

armnn_stack_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("axis", c_uint32),
    ("input_count", c_uint32),
    ("rank", c_uint32),
    ("reserved", c_uint32),
    ("input_shape", c_uint64 * 8),
]

armnn_strided_slice_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("rank", c_uint32),
    ("reserved", c_uint32),
    ("begin", c_int64 * 8),
    ("end", c_int64 * 8),
    ("stride", c_int64 * 8),
    ("begin_mask", c_uint32),
    ("end_mask", c_uint32),
    ("shrink_axis_mask", c_uint32),
    ("ellipsis_mask", c_uint32),
    ("new_axis_mask", c_uint32),
    ("data_layout", c_int32),
]

armnn_channel_shuffle_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("group_count", c_uint32),
    ("axis", c_uint32),
]

armnn_tile_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("rank", c_uint32),
    ("multiples", c_uint32 * 8),
    ("reserved", c_uint32),
]

armnn_broadcast_to_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("rank", c_uint32),
    ("reserved", c_uint32),
    ("target_shape", c_uint64 * 8),
]

armnn_scatter_nd_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("function", c_int32),
    ("input_enabled", c_uint32),
    ("axis", c_int32),
    ("axis_enabled", c_uint32),
]

armnn_one_hot_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("depth", c_uint32),
    ("axis", c_int32),
]

armnn_lstm_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("activation_function", c_uint32),
    ("clipping_threshold_cell", c_float),
    ("clipping_threshold_projection", c_float),
    ("cifg_enabled", c_uint32),
    ("peephole_enabled", c_uint32),
    ("projection_enabled", c_uint32),
    ("layer_norm_enabled", c_uint32),
    ("time_major", c_uint32),
    ("input_intermediate_scale", c_float),
    ("forget_intermediate_scale", c_float),
    ("cell_intermediate_scale", c_float),
    ("output_intermediate_scale", c_float),
    ("hidden_state_zero_point", c_int32),
    ("hidden_state_scale", c_float),
    ("row_rounding", c_int32),
    ("reserved", c_uint32),
]

armnn_qlstm_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("cell_clip", c_float),
    ("projection_clip", c_float),
    ("cifg_enabled", c_uint32),
    ("peephole_enabled", c_uint32),
    ("projection_enabled", c_uint32),
    ("layer_norm_enabled", c_uint32),
    ("input_intermediate_scale", c_float),
    ("forget_intermediate_scale", c_float),
    ("cell_intermediate_scale", c_float),
    ("output_intermediate_scale", c_float),
    ("hidden_state_zero_point", c_int32),
    ("hidden_state_scale", c_float),
]

armnn_gru_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("direction", c_int32),
    ("linear_before_reset", c_uint32),
    ("clip", c_float),
    ("reserved", c_uint32),
]

armnn_rnn_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("direction", c_int32),
    ("function", c_int32),
    ("a", c_float),
    ("b", c_float),
    ("clip", c_float),
    ("row_rounding", c_int32),
]

armnn_arg_min_max_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("function", c_int32),
    ("axis", c_int32),
    ("output_type", c_int32),
    ("reserved", c_uint32),
]

armnn_batch_normalization_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("eps", c_float),
    ("data_layout", c_int32),
]

armnn_instance_normalization_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("gamma", c_float),
    ("beta", c_float),
    ("eps", c_float),
    ("data_layout", c_int32),
]

armnn_l2_normalization_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("eps", c_float),
    ("data_layout", c_int32),
]

armnn_softmax_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("beta", c_float),
    ("axis", c_int32),
]

armnn_mean_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("keep_dims", c_uint32),
    ("axis_count", c_uint32),
    ("axes", c_int32 * 8),
]

armnn_normalization_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("channel", c_int32),
    ("method", c_int32),
    ("norm_size", c_uint32),
    ("alpha", c_float),
    ("beta", c_float),
    ("k", c_float),
    ("data_layout", c_int32),
    ("reserved", c_uint32),
]

armnn_reduce_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("operation", c_int32),
    ("keep_dims", c_uint32),
    ("axis_count", c_uint32),
    ("axes", c_int32 * 8),
    ("rescaling", c_int32),
]

armnn_batch_mat_mul_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("transpose_x", c_uint32),
    ("transpose_y", c_uint32),
    ("adjoint_x", c_uint32),
    ("adjoint_y", c_uint32),
    ("data_layout_x", c_int32),
    ("data_layout_y", c_int32),
    ("rescaling", c_int32),
    ("reserved", c_uint32),
]

armnn_layer_normalization_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("axis", c_int32),
    ("eps", c_float),
]

armnn_rms_normalization_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("axis", c_int32),
    ("eps", c_float),
]

armnn_top_k_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("k", c_uint32),
    ("axis", c_int32),
    ("largest", c_uint32),
    ("sorted", c_uint32),
    ("output_type", c_int32),
    ("reserved", c_uint32),
]

armnn_cum_sum_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("axis", c_int32),
    ("exclusive", c_uint32),
    ("reverse", c_uint32),
    ("reserved", c_uint32),
]

armnn_detection_post_process_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("max_detections", c_uint32),
    ("max_classes_per_detection", c_uint32),
    ("detections_per_class", c_uint32),
    ("nms_score_threshold", c_float),
    ("nms_iou_threshold", c_float),
    ("num_classes", c_uint32),
    ("use_regular_nms", c_uint32),
    ("scale_x", c_float),
    ("scale_y", c_float),
    ("scale_w", c_float),
    ("scale_h", c_float),
    ("reserved", c_uint32),
]

armnn_non_max_suppression_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("max_output_boxes", c_uint32),
    ("iou_threshold", c_float),
    ("score_threshold", c_float),
    ("has_score_threshold", c_uint32),
    ("center_point_box", c_uint32),
    ("soft_nms_sigma", c_float),
]

armnn_pre_compiled_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("input_count", c_uint32),
    ("output_count", c_uint32),
]

armnn_stand_in_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("input_count", c_uint32),
    ("output_count", c_uint32),
    ("version", c_uint32),
    ("reserved", c_uint32),
    ("domain", armnn_string_t),
    ("name", armnn_string_t),
    ("attribute_count", c_uint32),
    ("reserved2", c_uint32),
    ("attributes", POINTER(armnn_attribute_t)),
]

armnn_fused_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("input_count", c_uint32),
    ("output_count", c_uint32),
    ("fused_kernel_type", c_int32),
    ("reserved", c_uint32),
]

armnn_random_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("distribution", c_int32),
    ("stream", c_uint32),
]

armnn_batch_to_space_nd_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("block_rank", c_uint32),
    ("block_shape", c_uint32 * 8),
    ("crop_before", c_uint32 * 8),
    ("crop_after", c_uint32 * 8),
    ("data_layout", c_int32),
]

armnn_convolution2d_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("pad_left", c_uint32),
    ("pad_right", c_uint32),
    ("pad_top", c_uint32),
    ("pad_bottom", c_uint32),
    ("stride_x", c_uint32),
    ("stride_y", c_uint32),
    ("dilation_x", c_uint32),
    ("dilation_y", c_uint32),
    ("bias_enabled", c_uint32),
    ("data_layout", c_int32),
    ("groups", c_uint32),
    ("rescaling", c_int32),
]

armnn_space_depth_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("block_size", c_uint32),
    ("data_layout", c_int32),
]

armnn_depthwise_convolution2d_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("pad_left", c_uint32),
    ("pad_right", c_uint32),
    ("pad_top", c_uint32),
    ("pad_bottom", c_uint32),
    ("stride_x", c_uint32),
    ("stride_y", c_uint32),
    ("dilation_x", c_uint32),
    ("dilation_y", c_uint32),
    ("bias_enabled", c_uint32),
    ("data_layout", c_int32),
    ("rescaling", c_int32),
    ("reserved", c_uint32),
]

armnn_fully_connected_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("bias_enabled", c_uint32),
    ("transpose_weight_matrix", c_uint32),
    ("constant_weights", c_uint32),
    ("rescaling", c_int32),
]

armnn_pooling2d_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("pool_type", c_int32),
    ("pad_left", c_uint32),
    ("pad_right", c_uint32),
    ("pad_top", c_uint32),
    ("pad_bottom", c_uint32),
    ("pool_width", c_uint32),
    ("pool_height", c_uint32),
    ("stride_x", c_uint32),
    ("stride_y", c_uint32),
    ("output_shape_rounding", c_int32),
    ("padding_method", c_int32),
    ("data_layout", c_int32),
    ("dilation_x", c_uint32),
    ("dilation_y", c_uint32),
    ("rescaling", c_int32),
    ("reserved", c_uint32),
]

armnn_resize_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("target_width", c_uint32),
    ("target_height", c_uint32),
    ("method", c_int32),
    ("data_layout", c_int32),
    ("align_corners", c_uint32),
    ("half_pixel_centers", c_uint32),
]

armnn_space_to_batch_nd_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("block_rank", c_uint32),
    ("block_shape", c_uint32 * 8),
    ("pad_before", c_uint32 * 8),
    ("pad_after", c_uint32 * 8),
    ("data_layout", c_int32),
]

armnn_transpose_convolution2d_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("pad_left", c_uint32),
    ("pad_right", c_uint32),
    ("pad_top", c_uint32),
    ("pad_bottom", c_uint32),
    ("stride_x", c_uint32),
    ("stride_y", c_uint32),
    ("bias_enabled", c_uint32),
    ("data_layout", c_int32),
    ("output_shape_enabled", c_uint32),
    ("dilation_x", c_uint32),
    ("dilation_y", c_uint32),
    ("groups", c_uint32),
    ("rescaling", c_int32),
    ("reserved", c_uint32),
]

armnn_convolution3d_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("pad_left", c_uint32),
    ("pad_right", c_uint32),
    ("pad_top", c_uint32),
    ("pad_bottom", c_uint32),
    ("pad_front", c_uint32),
    ("pad_back", c_uint32),
    ("stride_x", c_uint32),
    ("stride_y", c_uint32),
    ("stride_z", c_uint32),
    ("dilation_x", c_uint32),
    ("dilation_y", c_uint32),
    ("dilation_z", c_uint32),
    ("bias_enabled", c_uint32),
    ("data_layout", c_int32),
]

armnn_pooling3d_descriptor_t._fields_ = [
    ("header", armnn_header_t),
    ("pool_type", c_int32),
    ("pad_left", c_uint32),
    ("pad_right", c_uint32),
    ("pad_top", c_uint32),
    ("pad_bottom", c_uint32),
    ("pad_front", c_uint32),
    ("pad_back", c_uint32),
    ("pool_width", c_uint32),
    ("pool_height", c_uint32),
    ("pool_depth", c_uint32),
    ("stride_x", c_uint32),
    ("stride_y", c_uint32),
    ("stride_z", c_uint32),
    ("output_shape_rounding", c_int32),
    ("padding_method", c_int32),
    ("data_layout", c_int32),
]

armnn_backend_t._fields_ = [
    ("api", POINTER(armnn_backend_api_t)),
]

armnn_backend_context_t._fields_ = [
    ("api", POINTER(armnn_backend_context_api_t)),
]

armnn_model_context_t._fields_ = [
    ("api", POINTER(armnn_model_context_api_t)),
]

armnn_profiling_context_t._fields_ = [
    ("api", POINTER(armnn_profiling_context_api_t)),
]

armnn_layer_support_t._fields_ = [
    ("api", POINTER(armnn_layer_support_api_t)),
]

armnn_memory_manager_t._fields_ = [
    ("api", POINTER(armnn_memory_manager_api_t)),
]

armnn_allocator_t._fields_ = [
    ("api", POINTER(armnn_allocator_api_t)),
]

armnn_fence_t._fields_ = [
    ("api", POINTER(armnn_fence_api_t)),
]

armnn_tensor_handle_t._fields_ = [
    ("api", POINTER(armnn_tensor_handle_api_t)),
]

armnn_tensor_handle_factory_t._fields_ = [
    ("api", POINTER(armnn_tensor_handle_factory_api_t)),
]

armnn_workload_factory_t._fields_ = [
    ("api", POINTER(armnn_workload_factory_api_t)),
]

armnn_workload_t._fields_ = [
    ("api", POINTER(armnn_workload_api_t)),
]

armnn_range_fn_t = CFUNCTYPE(c_int32, c_void_p, c_uint64, c_uint64, c_uint32)

armnn_host_t._fields_ = [
    ("header", armnn_header_t),
    ("api_major", c_uint32),
    ("api_minor", c_uint32),
    ("context", c_void_p),
    ("log_enabled", CFUNCTYPE(c_int32, c_void_p, c_int32)),
    ("log", CFUNCTYPE(None, c_void_p, c_int32, armnn_string_t, armnn_string_t)),
    ("allocate", CFUNCTYPE(c_void_p, c_void_p, c_uint64, c_uint64)),
    ("release", CFUNCTYPE(None, c_void_p, c_void_p)),
    ("concurrency", CFUNCTYPE(c_uint32, c_void_p)),
    ("parallel_for", CFUNCTYPE(
        c_int32,
        c_void_p,
        CFUNCTYPE(c_int32, c_void_p, c_uint64, c_uint64, c_uint32),
        c_void_p,
        c_uint64,
        c_uint64,
        c_uint32,
    )),
    ("in_parallel", CFUNCTYPE(c_int32, c_void_p)),
    ("on_thread_exit", CFUNCTYPE(c_int32, c_void_p, CFUNCTYPE(None, c_void_p), c_void_p)),
    ("cancelled", CFUNCTYPE(c_int32, c_void_p, c_uint64)),
    ("now_ns", CFUNCTYPE(c_uint64, c_void_p)),
    ("trace", CFUNCTYPE(None, c_void_p, c_int32, armnn_string_t, c_uint64)),
    ("cpu_features", CFUNCTYPE(c_uint64, c_void_p)),
    ("device_lost", CFUNCTYPE(None, c_void_p, POINTER(armnn_backend_t), armnn_string_t)),
    ("extension", CFUNCTYPE(c_void_p, c_void_p, c_char_p)),
]

armnn_blob_t._fields_ = [
    ("header", armnn_header_t),
    ("object", c_void_p),
    ("release", CFUNCTYPE(None, c_void_p)),
    ("compatibility", armnn_string_t),
    ("get_size", CFUNCTYPE(c_uint64, c_void_p)),
    ("serialize", CFUNCTYPE(c_int32, c_void_p, c_void_p, c_uint64, POINTER(armnn_error_t))),
]

armnn_slot_t._fields_ = [
    ("layer", c_uint32),
    ("slot", c_uint32),
]

armnn_layer_t._fields_ = [
    ("header", armnn_header_t),
    ("guid", c_uint64),
    ("type", c_int32),
    ("input_count", c_uint32),
    ("output_count", c_uint32),
    ("reserved", c_uint32),
    ("name", armnn_string_t),
    ("descriptor", POINTER(armnn_header_t)),
    ("inputs", POINTER(armnn_slot_t)),
    ("input_infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("constants", POINTER(POINTER(armnn_const_tensor_t))),
    ("output_infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("blob", POINTER(armnn_blob_t)),
    ("fields_used", c_uint64),
]

armnn_subgraph_t._fields_ = [
    ("header", armnn_header_t),
    ("layers", POINTER(POINTER(armnn_layer_t))),
    ("input_infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("outputs", POINTER(armnn_slot_t)),
    ("layer_count", c_uint32),
    ("input_count", c_uint32),
    ("output_count", c_uint32),
    ("reserved", c_uint32),
]

armnn_layer_query_t._fields_ = [
    ("header", armnn_header_t),
    ("type", c_int32),
    ("input_count", c_uint32),
    ("output_count", c_uint32),
    ("reserved", c_uint32),
    ("descriptor", POINTER(armnn_header_t)),
    ("input_infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("output_infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("fields_used", c_uint64),
]

armnn_optimization_sink_t._fields_ = [
    ("header", armnn_header_t),
    ("context", c_void_p),
    ("begin_substitution", CFUNCTYPE(
        c_int32,
        c_void_p,
        POINTER(c_uint32),
        c_uint64,
        POINTER(c_uint64),
    )),
    ("add_layer", CFUNCTYPE(c_int32, c_void_p, c_uint64, POINTER(armnn_layer_t))),
    ("end_substitution", CFUNCTYPE(
        c_int32,
        c_void_p,
        c_uint64,
        POINTER(armnn_slot_t),
        c_uint64,
        POINTER(armnn_slot_t),
        POINTER(armnn_slot_t),
        c_uint64,
    )),
    ("add_failed", CFUNCTYPE(c_int32, c_void_p, POINTER(c_uint32), c_uint64, armnn_string_t)),
    ("add_untouched", CFUNCTYPE(c_int32, c_void_p, POINTER(c_uint32), c_uint64, armnn_string_t)),
    ("add_deleted", CFUNCTYPE(c_int32, c_void_p, POINTER(c_uint32), c_uint64)),
]

armnn_allocator_api_t._fields_ = [
    ("header", armnn_header_t),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_allocator_t))),
    ("allocate", CFUNCTYPE(c_void_p, POINTER(armnn_allocator_t), c_uint64, c_uint64)),
    ("release", CFUNCTYPE(None, POINTER(armnn_allocator_t), c_void_p)),
    ("get_memory_source", CFUNCTYPE(c_int32, POINTER(armnn_allocator_t))),
    ("get_memory_region_at_offset", CFUNCTYPE(
        c_void_p,
        POINTER(armnn_allocator_t),
        c_void_p,
        c_uint64,
        c_uint64,
    )),
]

armnn_memory_manager_api_t._fields_ = [
    ("header", armnn_header_t),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_memory_manager_t))),
    ("acquire", CFUNCTYPE(c_int32, POINTER(armnn_memory_manager_t), POINTER(armnn_error_t))),
    ("release", CFUNCTYPE(c_int32, POINTER(armnn_memory_manager_t), POINTER(armnn_error_t))),
]

armnn_fence_api_t._fields_ = [
    ("header", armnn_header_t),
    ("kind", c_int32),
    ("reserved", c_uint32),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_fence_t))),
    ("wait", CFUNCTYPE(c_int32, POINTER(armnn_fence_t), c_uint64, POINTER(armnn_error_t))),
    ("get_fd", CFUNCTYPE(c_int32, POINTER(armnn_fence_t))),
]

armnn_memory_t._fields_ = [
    ("header", armnn_header_t),
    ("source", c_int32),
    ("fd", c_int32),
    ("address", c_void_p),
    ("offset", c_uint64),
    ("size", c_uint64),
    ("byte_strides", c_uint64 * 8),
    ("ready", POINTER(armnn_fence_t)),
]

armnn_tensor_handle_api_t._fields_ = [
    ("header", armnn_header_t),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_tensor_handle_t))),
    ("manage", CFUNCTYPE(c_int32, POINTER(armnn_tensor_handle_t), POINTER(armnn_error_t))),
    ("allocate", CFUNCTYPE(c_int32, POINTER(armnn_tensor_handle_t), POINTER(armnn_error_t))),
    ("get_parent", CFUNCTYPE(c_void_p, POINTER(armnn_tensor_handle_t))),
    ("map", CFUNCTYPE(
        c_int32,
        POINTER(armnn_tensor_handle_t),
        c_uint32,
        POINTER(c_void_p),
        POINTER(armnn_error_t),
    )),
    ("unmap", CFUNCTYPE(c_int32, POINTER(armnn_tensor_handle_t), POINTER(armnn_error_t))),
    ("get_layout", CFUNCTYPE(
        c_int32,
        POINTER(armnn_tensor_handle_t),
        POINTER(c_uint64),
        POINTER(c_uint64),
        POINTER(c_uint32),
    )),
    ("copy_in_from", CFUNCTYPE(
        c_int32,
        POINTER(armnn_tensor_handle_t),
        c_void_p,
        c_uint64,
        POINTER(armnn_error_t),
    )),
    ("copy_out_to", CFUNCTYPE(
        c_int32,
        POINTER(armnn_tensor_handle_t),
        c_void_p,
        c_uint64,
        POINTER(armnn_error_t),
    )),
    ("get_import_flags", CFUNCTYPE(c_uint32, POINTER(armnn_tensor_handle_t))),
    ("can_be_imported", CFUNCTYPE(
        c_int32,
        POINTER(armnn_tensor_handle_t),
        POINTER(armnn_memory_t),
        POINTER(armnn_error_t),
    )),
    ("import_memory", CFUNCTYPE(
        c_int32,
        POINTER(armnn_tensor_handle_t),
        POINTER(armnn_memory_t),
        POINTER(armnn_error_t),
    )),
    ("unimport_memory", CFUNCTYPE(c_int32, POINTER(armnn_tensor_handle_t), POINTER(armnn_error_t))),
    ("decorate", CFUNCTYPE(
        c_int32,
        POINTER(armnn_tensor_handle_t),
        POINTER(armnn_tensor_info_t),
        POINTER(POINTER(armnn_tensor_handle_t)),
        POINTER(armnn_error_t),
    )),
]

armnn_tensor_handle_factory_api_t._fields_ = [
    ("header", armnn_header_t),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_tensor_handle_factory_t))),
    ("get_id", CFUNCTYPE(c_void_p, POINTER(armnn_tensor_handle_factory_t))),
    ("create_tensor_handle", CFUNCTYPE(
        c_int32,
        POINTER(armnn_tensor_handle_factory_t),
        POINTER(armnn_tensor_info_t),
        c_uint32,
        POINTER(POINTER(armnn_tensor_handle_t)),
        POINTER(armnn_error_t),
    )),
    ("create_sub_tensor_handle", CFUNCTYPE(
        c_int32,
        POINTER(armnn_tensor_handle_factory_t),
        POINTER(armnn_tensor_handle_t),
        POINTER(armnn_tensor_info_t),
        POINTER(c_uint64),
        POINTER(POINTER(armnn_tensor_handle_t)),
        POINTER(armnn_error_t),
    )),
    ("get_traits", CFUNCTYPE(c_uint64, POINTER(armnn_tensor_handle_factory_t))),
    ("get_export_flags", CFUNCTYPE(c_uint32, POINTER(armnn_tensor_handle_factory_t))),
    ("get_import_flags", CFUNCTYPE(c_uint32, POINTER(armnn_tensor_handle_factory_t))),
    ("get_capabilities", CFUNCTYPE(
        c_uint64,
        POINTER(armnn_tensor_handle_factory_t),
        POINTER(armnn_layer_t),
        POINTER(armnn_layer_t),
    )),
]

armnn_tensor_handle_factory_registry_t._fields_ = [
    ("header", armnn_header_t),
    ("context", c_void_p),
    ("register_memory_manager", CFUNCTYPE(c_int32, c_void_p, POINTER(armnn_memory_manager_t))),
    ("register_factory", CFUNCTYPE(c_int32, c_void_p, POINTER(armnn_tensor_handle_factory_t))),
    ("register_copy_and_import_pair", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_char_p)),
    ("get_factory", CFUNCTYPE(c_void_p, c_void_p, c_char_p)),
]

armnn_workload_info_t._fields_ = [
    ("header", armnn_header_t),
    ("guid", c_uint64),
    ("type", c_int32),
    ("input_count", c_uint32),
    ("output_count", c_uint32),
    ("reserved", c_uint32),
    ("name", armnn_string_t),
    ("descriptor", POINTER(armnn_header_t)),
    ("input_infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("constants", POINTER(POINTER(armnn_const_tensor_t))),
    ("output_infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("blob", POINTER(armnn_blob_t)),
    ("fields_used", c_uint64),
]

armnn_tensor_needs_t._fields_ = [
    ("header", armnn_header_t),
    ("alignment", c_uint32),
    ("readable_bytes", c_uint32),
    ("in_place_mask", c_uint64),
    ("flags", c_uint32),
    ("reserved", c_uint32),
]

armnn_workload_requirements_t._fields_ = [
    ("header", armnn_header_t),
    ("scratch_size", c_uint64),
    ("scratch_alignment", c_uint32),
    ("tensor_alignment", c_uint32),
    ("in_place_mask", c_uint64),
    ("consumed_mask", c_uint64),
    ("tensors", POINTER(POINTER(armnn_tensor_needs_t))),
    ("persistent_size", c_uint64),
    ("packed_size", c_uint64),
    ("operations", c_uint64),
    ("expected_ns", c_uint64),
    ("flags", c_uint32),
    ("reserved", c_uint32),
    ("shared_size", c_uint64),
]

armnn_execute_args_t._fields_ = [
    ("header", armnn_header_t),
    ("inputs", POINTER(c_void_p)),
    ("outputs", POINTER(c_void_p)),
    ("input_handles", POINTER(POINTER(armnn_tensor_handle_t))),
    ("output_handles", POINTER(POINTER(armnn_tensor_handle_t))),
    ("scratch", c_void_p),
    ("scratch_size", c_uint64),
    ("execution_data", c_void_p),
    ("run_id", c_uint64),
    ("workload_data", c_void_p),
    ("input_infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("output_infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("output_dims", POINTER(POINTER(c_uint64))),
]

armnn_workload_api_t._fields_ = [
    ("header", armnn_header_t),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_workload_t))),
    ("execute", CFUNCTYPE(
        c_int32,
        POINTER(armnn_workload_t),
        POINTER(armnn_execute_args_t),
        POINTER(armnn_error_t),
    )),
    ("get_requirements", CFUNCTYPE(
        None,
        POINTER(armnn_workload_t),
        POINTER(armnn_workload_requirements_t),
    )),
    ("post_allocation_configure", CFUNCTYPE(
        c_int32,
        POINTER(armnn_workload_t),
        POINTER(armnn_error_t),
    )),
    ("get_kernel_name", CFUNCTYPE(c_void_p, POINTER(armnn_workload_t))),
    ("create_workload_data", CFUNCTYPE(
        c_int32,
        POINTER(armnn_workload_t),
        c_void_p,
        POINTER(c_void_p),
        POINTER(armnn_error_t),
    )),
    ("reset_workload_data", CFUNCTYPE(
        c_int32,
        POINTER(armnn_workload_t),
        c_void_p,
        POINTER(armnn_error_t),
    )),
    ("destroy_workload_data", CFUNCTYPE(None, POINTER(armnn_workload_t), c_void_p)),
]

armnn_factory_args_t._fields_ = [
    ("header", armnn_header_t),
    ("memory_manager", POINTER(armnn_memory_manager_t)),
    ("registry", POINTER(armnn_tensor_handle_factory_registry_t)),
    ("model_options", POINTER(armnn_options_t)),
    ("model_context", POINTER(armnn_model_context_t)),
    ("input_sources", c_uint32),
    ("output_sources", c_uint32),
]

armnn_workload_factory_api_t._fields_ = [
    ("header", armnn_header_t),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_workload_factory_t))),
    ("create_workload", CFUNCTYPE(
        c_int32,
        POINTER(armnn_workload_factory_t),
        POINTER(armnn_workload_info_t),
        POINTER(POINTER(armnn_workload_t)),
        POINTER(armnn_error_t),
    )),
    ("after_workloads_created", CFUNCTYPE(
        c_int32,
        POINTER(armnn_workload_factory_t),
        POINTER(armnn_error_t),
    )),
    ("create_execution_data", CFUNCTYPE(
        c_int32,
        POINTER(armnn_workload_factory_t),
        POINTER(c_void_p),
        POINTER(armnn_error_t),
    )),
    ("destroy_execution_data", CFUNCTYPE(None, POINTER(armnn_workload_factory_t), c_void_p)),
]

armnn_layer_support_api_t._fields_ = [
    ("header", armnn_header_t),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_layer_support_t))),
    ("is_layer_supported", CFUNCTYPE(
        c_int32,
        POINTER(armnn_layer_support_t),
        POINTER(armnn_layer_query_t),
        POINTER(armnn_error_t),
    )),
    ("are_layers_supported", CFUNCTYPE(
        c_int32,
        POINTER(armnn_layer_support_t),
        POINTER(POINTER(armnn_layer_query_t)),
        c_uint64,
        POINTER(c_int32),
        CFUNCTYPE(None, c_void_p, c_uint64, armnn_string_t),
        c_void_p,
    )),
    ("get_preferred_layout", CFUNCTYPE(
        c_int32,
        POINTER(armnn_layer_support_t),
        POINTER(armnn_layer_query_t),
    )),
    ("infer_stand_in", CFUNCTYPE(
        c_int32,
        POINTER(armnn_layer_support_t),
        POINTER(armnn_layer_t),
        POINTER(armnn_tensor_info_t),
        POINTER(armnn_error_t),
    )),
    ("takes_bounded_shapes", CFUNCTYPE(
        c_int32,
        POINTER(armnn_layer_support_t),
        POINTER(armnn_layer_query_t),
        POINTER(armnn_error_t),
    )),
]

armnn_backend_context_api_t._fields_ = [
    ("header", armnn_header_t),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_backend_context_t))),
    ("before_load_network", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_context_t),
        c_uint64,
        POINTER(armnn_error_t),
    )),
    ("after_load_network", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_context_t),
        c_uint64,
        POINTER(armnn_error_t),
    )),
    ("before_unload_network", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_context_t),
        c_uint64,
        POINTER(armnn_error_t),
    )),
    ("after_unload_network", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_context_t),
        c_uint64,
        POINTER(armnn_error_t),
    )),
    ("after_enqueue_workload", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_context_t),
        c_uint64,
        c_void_p,
        POINTER(armnn_error_t),
    )),
    ("before_run", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_context_t),
        POINTER(armnn_run_notice_t),
        POINTER(armnn_error_t),
    )),
    ("after_run", CFUNCTYPE(None, POINTER(armnn_backend_context_t), POINTER(armnn_run_notice_t))),
    ("signal_fence", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_context_t),
        c_uint64,
        c_void_p,
        POINTER(POINTER(armnn_fence_t)),
        POINTER(armnn_error_t),
    )),
    ("wait_fence", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_context_t),
        c_uint64,
        c_void_p,
        POINTER(armnn_fence_t),
        POINTER(armnn_error_t),
    )),
]

armnn_model_context_api_t._fields_ = [
    ("header", armnn_header_t),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_model_context_t))),
]

armnn_counter_value_t._fields_ = [
    ("counter_id", c_uint32),
    ("reserved", c_uint32),
    ("value", c_uint64),
]

armnn_counter_description_t._fields_ = [
    ("header", armnn_header_t),
    ("name", armnn_string_t),
    ("description", armnn_string_t),
    ("unit", armnn_string_t),
    ("counter_class", c_uint32),
    ("reserved", c_uint32),
    ("multiplier", c_double),
]

armnn_profiling_host_t._fields_ = [
    ("header", armnn_header_t),
    ("context", c_void_p),
    ("register_counter", CFUNCTYPE(
        c_int32,
        c_void_p,
        POINTER(armnn_counter_description_t),
        POINTER(c_uint32),
    )),
    ("report", CFUNCTYPE(c_int32, c_void_p, c_uint64, POINTER(armnn_counter_value_t), c_uint64)),
    ("enabled", CFUNCTYPE(c_int32, c_void_p)),
]

armnn_profiling_context_api_t._fields_ = [
    ("header", armnn_header_t),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_profiling_context_t))),
    ("activate_counters", CFUNCTYPE(
        c_int32,
        POINTER(armnn_profiling_context_t),
        POINTER(c_uint32),
        c_uint64,
        POINTER(armnn_error_t),
    )),
    ("report_counter_values", CFUNCTYPE(
        c_int32,
        POINTER(armnn_profiling_context_t),
        POINTER(armnn_error_t),
    )),
    ("enable_profiling", CFUNCTYPE(
        c_int32,
        POINTER(armnn_profiling_context_t),
        c_uint32,
        POINTER(armnn_error_t),
    )),
]

armnn_create_args_t._fields_ = [
    ("header", armnn_header_t),
    ("host", POINTER(armnn_host_t)),
    ("options", POINTER(armnn_options_t)),
    ("device_index", c_uint32),
    ("reserved", c_uint32),
]

armnn_device_description_t._fields_ = [
    ("header", armnn_header_t),
    ("name", armnn_string_t),
    ("vendor", armnn_string_t),
    ("driver_version", armnn_string_t),
    ("memory_size", c_uint64),
]

armnn_backend_api_t._fields_ = [
    ("header", armnn_header_t),
    ("built_minor", c_uint32),
    ("flags", c_uint32),
    ("understood_fields", c_uint64),
    ("build_features", c_uint64),
    ("score", c_int32),
    ("reserved", c_uint32),
    ("vendor_version", c_char_p),
    ("description", c_char_p),
    ("create", CFUNCTYPE(
        c_int32,
        POINTER(armnn_create_args_t),
        POINTER(POINTER(armnn_backend_t)),
        POINTER(armnn_error_t),
    )),
    ("destroy", CFUNCTYPE(None, POINTER(armnn_backend_t))),
    ("get_id", CFUNCTYPE(c_void_p, POINTER(armnn_backend_t))),
    ("create_workload_factory", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_factory_args_t),
        POINTER(POINTER(armnn_workload_factory_t)),
        POINTER(armnn_error_t),
    )),
    ("get_layer_support", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_options_t),
        POINTER(POINTER(armnn_layer_support_t)),
        POINTER(armnn_error_t),
    )),
    ("create_memory_manager", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(POINTER(armnn_memory_manager_t)),
        POINTER(armnn_error_t),
    )),
    ("create_backend_context", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_options_t),
        POINTER(POINTER(armnn_backend_context_t)),
        POINTER(armnn_error_t),
    )),
    ("create_model_context", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_options_t),
        POINTER(POINTER(armnn_model_context_t)),
        POINTER(armnn_error_t),
    )),
    ("create_profiling_context", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_options_t),
        POINTER(armnn_profiling_host_t),
        POINTER(POINTER(armnn_profiling_context_t)),
        POINTER(armnn_error_t),
    )),
    ("optimize_subgraph_view", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_subgraph_t),
        POINTER(armnn_options_t),
        POINTER(armnn_optimization_sink_t),
        POINTER(armnn_error_t),
    )),
    ("register_tensor_handle_factories", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_tensor_handle_factory_registry_t),
        c_uint32,
        c_uint32,
        POINTER(armnn_error_t),
    )),
    ("get_handle_factory_preferences", CFUNCTYPE(
        c_uint64,
        POINTER(armnn_backend_t),
        POINTER(POINTER(c_char_p)),
    )),
    ("get_capabilities", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_options_t),
        POINTER(armnn_error_t),
    )),
    ("get_option_defaults", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_options_t),
        POINTER(armnn_error_t),
    )),
    ("get_model_option_defaults", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_options_t),
        POINTER(armnn_error_t),
    )),
    ("use_custom_memory_allocator", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_allocator_t),
        POINTER(armnn_error_t),
    )),
    ("get_default_allocator", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(POINTER(armnn_allocator_t)),
        POINTER(armnn_error_t),
    )),
    ("get_number_of_cache_files", CFUNCTYPE(c_uint32, POINTER(armnn_backend_t))),
    ("quiesce", CFUNCTYPE(c_int32, POINTER(armnn_backend_t), c_uint64, POINTER(armnn_error_t))),
    ("self_test", CFUNCTYPE(c_int32, POINTER(armnn_backend_t), c_int32, POINTER(armnn_error_t))),
    ("list_devices", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        CFUNCTYPE(None, c_void_p, POINTER(armnn_device_description_t)),
        c_void_p,
        POINTER(armnn_error_t),
    )),
    ("check_blob", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        armnn_string_t,
        POINTER(armnn_error_t),
    )),
    ("deserialize_blob", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        c_void_p,
        c_uint64,
        armnn_string_t,
        POINTER(armnn_blob_t),
        POINTER(armnn_error_t),
    )),
    ("extension", CFUNCTYPE(c_void_p, POINTER(armnn_backend_t), c_char_p)),
    ("describe_option", CFUNCTYPE(c_void_p, POINTER(armnn_backend_t), c_int32, c_uint64)),
    ("get_run_option_defaults", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_options_t),
        POINTER(armnn_error_t),
    )),
    ("set_option", CFUNCTYPE(
        c_int32,
        POINTER(armnn_backend_t),
        POINTER(armnn_option_t),
        POINTER(armnn_error_t),
    )),
]

armnn_get_backend_id_fn_t = CFUNCTYPE(c_void_p)

armnn_get_version_fn_t = CFUNCTYPE(None, POINTER(c_uint32), POINTER(c_uint32))

armnn_backend_factory_fn_t = CFUNCTYPE(c_void_p)

armnn_static_backend_t._fields_ = [
    ("vendor", c_char_p),
    ("name", c_char_p),
    ("get_backend_id", CFUNCTYPE(c_void_p)),
    ("get_version", CFUNCTYPE(None, POINTER(c_uint32), POINTER(c_uint32))),
    ("backend_factory", CFUNCTYPE(c_void_p)),
]

armnn_size_place_t._fields_ = [
    ("address", c_void_p),
    ("index", c_uint32),
    ("bytes", c_uint32),
]

armnn_log_record_t._fields_ = [
    ("time_ns", c_uint64),
    ("level", c_int32),
    ("lost", c_uint32),
    ("component", c_char * 64),
    ("text", c_char * 1024),
]

armnn_trace_event_t._fields_ = [
    ("time_ns", c_uint64),
    ("duration_ns", c_uint64),
    ("id", c_uint64),
    ("plan", c_uint64),
    ("run_id", c_uint64),
    ("thread", c_uint32),
    ("kind", c_int32),
    ("name", c_char * 48),
]

armnn_plan_tensor_t._fields_ = [
    ("kind", c_int32),
    ("index", c_uint32),
    ("offset", c_uint64),
    ("size", c_uint64),
    ("alignment", c_uint64),
    ("readable", c_uint64),
    ("address", c_void_p),
]

armnn_plan_step_t._fields_ = [
    ("kind", c_int32),
    ("input_count", c_uint32),
    ("output_count", c_uint32),
    ("execution_data_index", c_uint32),
    ("workload", POINTER(armnn_workload_t)),
    ("inputs", POINTER(c_uint32)),
    ("outputs", POINTER(c_uint32)),
    ("scratch_offset", c_uint64),
    ("scratch_size", c_uint64),
    ("persistent_size", c_uint64),
    ("is_serial", c_uint32),
    ("bounded", c_uint32),
    ("input_infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("backend_context", POINTER(armnn_backend_context_t)),
    ("network_id", c_uint64),
    ("flags", c_uint32),
    ("fence", c_uint32),
]

armnn_plan_listener_t._fields_ = [
    ("context", POINTER(armnn_backend_context_t)),
    ("network_id", c_uint64),
    ("execution_data_index", c_uint32),
    ("reserved", c_uint32),
]

armnn_plan_variable_t._fields_ = [
    ("value", c_uint32),
    ("next", c_uint32),
]

armnn_plan_spec_t._fields_ = [
    ("header", armnn_header_t),
    ("tensors", POINTER(armnn_plan_tensor_t)),
    ("steps", POINTER(armnn_plan_step_t)),
    ("tensor_count", c_uint32),
    ("step_count", c_uint32),
    ("input_count", c_uint32),
    ("output_count", c_uint32),
    ("execution_data_count", c_uint32),
    ("handle_count", c_uint32),
    ("fence_count", c_uint32),
    ("reserved", c_uint32),
    ("arena_size", c_uint64),
    ("listeners", POINTER(armnn_plan_listener_t)),
    ("variables", POINTER(armnn_plan_variable_t)),
    ("listener_count", c_uint32),
    ("variable_count", c_uint32),
]

armnn_plan_shapes_t._fields_ = [
    ("infos", POINTER(POINTER(armnn_tensor_info_t))),
    ("sizes", POINTER(c_uint64)),
]

armnn_run_memory_t._fields_ = [
    ("memory", POINTER(armnn_memory_t)),
    ("shape", c_uint64 * 8),
    ("element", c_uint64),
    ("rank", c_uint32),
    ("reserved", c_uint32),
]

armnn_run_t._fields_ = [
    ("header", armnn_header_t),
    ("context", POINTER(armnn_context_t)),
    ("inputs", POINTER(c_void_p)),
    ("outputs", POINTER(c_void_p)),
    ("deadline_ns", c_uint64),
    ("interrupt", CFUNCTYPE(c_int32, c_void_p)),
    ("interrupt_argument", c_void_p),
    ("interrupt_interval_ns", c_uint64),
    ("error", POINTER(armnn_error_t)),
    ("strict", c_uint32),
    ("stays", c_uint32),
    ("reported", CFUNCTYPE(c_void_p, c_uint32, POINTER(c_uint64))),
    ("failed_step", c_uint32),
    ("failed_side", c_int32),
    ("steps_done", c_uint32),
    ("failed_listener", c_uint32),
    ("run_id", c_uint64),
    ("copies", c_uint64),
    ("copied_bytes", c_uint64),
    ("options", POINTER(armnn_options_t)),
    ("memories", POINTER(POINTER(armnn_run_memory_t))),
    ("is_running", c_uint32),
    ("beside", c_uint32),
]

armnn_carry_t._fields_ = [
    ("input", c_uint32),
    ("output", c_uint32),
    ("next", c_void_p),
]

armnn_repeat_t._fields_ = [
    ("header", armnn_header_t),
    ("run", POINTER(armnn_run_t)),
    ("inputs", POINTER(c_void_p)),
    ("outputs", POINTER(c_void_p)),
    ("strides", POINTER(c_int64)),
    ("carries", POINTER(armnn_carry_t)),
    ("carry_count", c_uint32),
    ("goes_on", c_uint32),
    ("is_ended", c_uint32),
    ("reserved", c_uint32),
    ("most", c_uint64),
    ("turns", c_uint64),
    ("counter", POINTER(c_int64)),
    ("pause_ns", c_uint64),
]

armnn_channel_tensor_t._fields_ = [
    ("offset", c_uint64),
    ("size", c_uint64),
]

armnn_channel_call_t._fields_ = [
    ("next", c_void_p),
    ("inputs", c_void_p),
    ("input_size", c_uint64),
    ("outputs", c_void_p),
    ("output_size", c_uint64),
    ("status", c_int32),
    ("reserved", c_uint32),
]

# ---- What is mirrored

STRUCTS: dict[str, type[Structure]] = {
    "armnn_header_t": armnn_header_t,
    "armnn_error_t": armnn_error_t,
    "armnn_string_t": armnn_string_t,
    "armnn_option_t": armnn_option_t,
    "armnn_options_t": armnn_options_t,
    "armnn_option_description_t": armnn_option_description_t,
    "armnn_run_notice_t": armnn_run_notice_t,
    "armnn_tensor_info_t": armnn_tensor_info_t,
    "armnn_const_tensor_t": armnn_const_tensor_t,
    "armnn_view_t": armnn_view_t,
    "armnn_attribute_t": armnn_attribute_t,
    "armnn_rotary_embedding_descriptor_t": armnn_rotary_embedding_descriptor_t,
    "armnn_attention_descriptor_t": armnn_attention_descriptor_t,
    "armnn_dequantize_blocks_descriptor_t": armnn_dequantize_blocks_descriptor_t,
    "armnn_dynamic_quantize_descriptor_t": armnn_dynamic_quantize_descriptor_t,
    "armnn_fake_quantization_descriptor_t": armnn_fake_quantization_descriptor_t,
    "armnn_fill_descriptor_t": armnn_fill_descriptor_t,
    "armnn_activation_descriptor_t": armnn_activation_descriptor_t,
    "armnn_comparison_descriptor_t": armnn_comparison_descriptor_t,
    "armnn_elementwise_unary_descriptor_t": armnn_elementwise_unary_descriptor_t,
    "armnn_logical_binary_descriptor_t": armnn_logical_binary_descriptor_t,
    "armnn_elementwise_binary_descriptor_t": armnn_elementwise_binary_descriptor_t,
    "armnn_concat_descriptor_t": armnn_concat_descriptor_t,
    "armnn_gather_descriptor_t": armnn_gather_descriptor_t,
    "armnn_pad_descriptor_t": armnn_pad_descriptor_t,
    "armnn_permute_descriptor_t": armnn_permute_descriptor_t,
    "armnn_reshape_descriptor_t": armnn_reshape_descriptor_t,
    "armnn_slice_descriptor_t": armnn_slice_descriptor_t,
    "armnn_splitter_descriptor_t": armnn_splitter_descriptor_t,
    "armnn_stack_descriptor_t": armnn_stack_descriptor_t,
    "armnn_strided_slice_descriptor_t": armnn_strided_slice_descriptor_t,
    "armnn_channel_shuffle_descriptor_t": armnn_channel_shuffle_descriptor_t,
    "armnn_tile_descriptor_t": armnn_tile_descriptor_t,
    "armnn_broadcast_to_descriptor_t": armnn_broadcast_to_descriptor_t,
    "armnn_scatter_nd_descriptor_t": armnn_scatter_nd_descriptor_t,
    "armnn_one_hot_descriptor_t": armnn_one_hot_descriptor_t,
    "armnn_lstm_descriptor_t": armnn_lstm_descriptor_t,
    "armnn_qlstm_descriptor_t": armnn_qlstm_descriptor_t,
    "armnn_gru_descriptor_t": armnn_gru_descriptor_t,
    "armnn_rnn_descriptor_t": armnn_rnn_descriptor_t,
    "armnn_arg_min_max_descriptor_t": armnn_arg_min_max_descriptor_t,
    "armnn_batch_normalization_descriptor_t": armnn_batch_normalization_descriptor_t,
    "armnn_instance_normalization_descriptor_t": armnn_instance_normalization_descriptor_t,
    "armnn_l2_normalization_descriptor_t": armnn_l2_normalization_descriptor_t,
    "armnn_softmax_descriptor_t": armnn_softmax_descriptor_t,
    "armnn_mean_descriptor_t": armnn_mean_descriptor_t,
    "armnn_normalization_descriptor_t": armnn_normalization_descriptor_t,
    "armnn_reduce_descriptor_t": armnn_reduce_descriptor_t,
    "armnn_batch_mat_mul_descriptor_t": armnn_batch_mat_mul_descriptor_t,
    "armnn_layer_normalization_descriptor_t": armnn_layer_normalization_descriptor_t,
    "armnn_rms_normalization_descriptor_t": armnn_rms_normalization_descriptor_t,
    "armnn_top_k_descriptor_t": armnn_top_k_descriptor_t,
    "armnn_cum_sum_descriptor_t": armnn_cum_sum_descriptor_t,
    "armnn_detection_post_process_descriptor_t": armnn_detection_post_process_descriptor_t,
    "armnn_non_max_suppression_descriptor_t": armnn_non_max_suppression_descriptor_t,
    "armnn_pre_compiled_descriptor_t": armnn_pre_compiled_descriptor_t,
    "armnn_stand_in_descriptor_t": armnn_stand_in_descriptor_t,
    "armnn_fused_descriptor_t": armnn_fused_descriptor_t,
    "armnn_random_descriptor_t": armnn_random_descriptor_t,
    "armnn_batch_to_space_nd_descriptor_t": armnn_batch_to_space_nd_descriptor_t,
    "armnn_convolution2d_descriptor_t": armnn_convolution2d_descriptor_t,
    "armnn_space_depth_descriptor_t": armnn_space_depth_descriptor_t,
    "armnn_depthwise_convolution2d_descriptor_t": armnn_depthwise_convolution2d_descriptor_t,
    "armnn_fully_connected_descriptor_t": armnn_fully_connected_descriptor_t,
    "armnn_pooling2d_descriptor_t": armnn_pooling2d_descriptor_t,
    "armnn_resize_descriptor_t": armnn_resize_descriptor_t,
    "armnn_space_to_batch_nd_descriptor_t": armnn_space_to_batch_nd_descriptor_t,
    "armnn_transpose_convolution2d_descriptor_t": armnn_transpose_convolution2d_descriptor_t,
    "armnn_convolution3d_descriptor_t": armnn_convolution3d_descriptor_t,
    "armnn_pooling3d_descriptor_t": armnn_pooling3d_descriptor_t,
    "armnn_backend_api_t": armnn_backend_api_t,
    "armnn_backend_t": armnn_backend_t,
    "armnn_backend_context_api_t": armnn_backend_context_api_t,
    "armnn_backend_context_t": armnn_backend_context_t,
    "armnn_model_context_api_t": armnn_model_context_api_t,
    "armnn_model_context_t": armnn_model_context_t,
    "armnn_profiling_context_api_t": armnn_profiling_context_api_t,
    "armnn_profiling_context_t": armnn_profiling_context_t,
    "armnn_layer_support_api_t": armnn_layer_support_api_t,
    "armnn_layer_support_t": armnn_layer_support_t,
    "armnn_memory_manager_api_t": armnn_memory_manager_api_t,
    "armnn_memory_manager_t": armnn_memory_manager_t,
    "armnn_allocator_api_t": armnn_allocator_api_t,
    "armnn_allocator_t": armnn_allocator_t,
    "armnn_fence_api_t": armnn_fence_api_t,
    "armnn_fence_t": armnn_fence_t,
    "armnn_tensor_handle_api_t": armnn_tensor_handle_api_t,
    "armnn_tensor_handle_t": armnn_tensor_handle_t,
    "armnn_tensor_handle_factory_api_t": armnn_tensor_handle_factory_api_t,
    "armnn_tensor_handle_factory_t": armnn_tensor_handle_factory_t,
    "armnn_workload_factory_api_t": armnn_workload_factory_api_t,
    "armnn_workload_factory_t": armnn_workload_factory_t,
    "armnn_workload_api_t": armnn_workload_api_t,
    "armnn_workload_t": armnn_workload_t,
    "armnn_host_t": armnn_host_t,
    "armnn_blob_t": armnn_blob_t,
    "armnn_slot_t": armnn_slot_t,
    "armnn_layer_t": armnn_layer_t,
    "armnn_subgraph_t": armnn_subgraph_t,
    "armnn_layer_query_t": armnn_layer_query_t,
    "armnn_optimization_sink_t": armnn_optimization_sink_t,
    "armnn_memory_t": armnn_memory_t,
    "armnn_tensor_handle_factory_registry_t": armnn_tensor_handle_factory_registry_t,
    "armnn_workload_info_t": armnn_workload_info_t,
    "armnn_tensor_needs_t": armnn_tensor_needs_t,
    "armnn_workload_requirements_t": armnn_workload_requirements_t,
    "armnn_execute_args_t": armnn_execute_args_t,
    "armnn_factory_args_t": armnn_factory_args_t,
    "armnn_counter_value_t": armnn_counter_value_t,
    "armnn_counter_description_t": armnn_counter_description_t,
    "armnn_profiling_host_t": armnn_profiling_host_t,
    "armnn_create_args_t": armnn_create_args_t,
    "armnn_device_description_t": armnn_device_description_t,
    "armnn_static_backend_t": armnn_static_backend_t,
    "armnn_size_place_t": armnn_size_place_t,
    "armnn_log_record_t": armnn_log_record_t,
    "armnn_trace_event_t": armnn_trace_event_t,
    "armnn_plan_tensor_t": armnn_plan_tensor_t,
    "armnn_plan_step_t": armnn_plan_step_t,
    "armnn_plan_listener_t": armnn_plan_listener_t,
    "armnn_plan_variable_t": armnn_plan_variable_t,
    "armnn_plan_spec_t": armnn_plan_spec_t,
    "armnn_plan_shapes_t": armnn_plan_shapes_t,
    "armnn_run_memory_t": armnn_run_memory_t,
    "armnn_run_t": armnn_run_t,
    "armnn_carry_t": armnn_carry_t,
    "armnn_repeat_t": armnn_repeat_t,
    "armnn_channel_tensor_t": armnn_channel_tensor_t,
    "armnn_channel_call_t": armnn_channel_call_t,
}

ENUMS: dict[str, dict[str, int]] = {
    "armnn_struct_type_e": {
        "ARMNN_STRUCT_ERROR": ARMNN_STRUCT_ERROR,
        "ARMNN_STRUCT_TENSOR_INFO": ARMNN_STRUCT_TENSOR_INFO,
        "ARMNN_STRUCT_CONST_TENSOR": ARMNN_STRUCT_CONST_TENSOR,
        "ARMNN_STRUCT_LAYER": ARMNN_STRUCT_LAYER,
        "ARMNN_STRUCT_SUBGRAPH": ARMNN_STRUCT_SUBGRAPH,
        "ARMNN_STRUCT_LAYER_QUERY": ARMNN_STRUCT_LAYER_QUERY,
        "ARMNN_STRUCT_BLOB": ARMNN_STRUCT_BLOB,
        "ARMNN_STRUCT_WORKLOAD_INFO": ARMNN_STRUCT_WORKLOAD_INFO,
        "ARMNN_STRUCT_WORKLOAD_REQUIREMENTS": ARMNN_STRUCT_WORKLOAD_REQUIREMENTS,
        "ARMNN_STRUCT_EXECUTE_ARGS": ARMNN_STRUCT_EXECUTE_ARGS,
        "ARMNN_STRUCT_FACTORY_ARGS": ARMNN_STRUCT_FACTORY_ARGS,
        "ARMNN_STRUCT_HOST": ARMNN_STRUCT_HOST,
        "ARMNN_STRUCT_REGISTRY": ARMNN_STRUCT_REGISTRY,
        "ARMNN_STRUCT_OPTIMIZATION_SINK": ARMNN_STRUCT_OPTIMIZATION_SINK,
        "ARMNN_STRUCT_PROFILING_HOST": ARMNN_STRUCT_PROFILING_HOST,
        "ARMNN_STRUCT_COUNTER_DESCRIPTION": ARMNN_STRUCT_COUNTER_DESCRIPTION,
        "ARMNN_STRUCT_DEVICE_DESCRIPTION": ARMNN_STRUCT_DEVICE_DESCRIPTION,
        "ARMNN_STRUCT_CREATE_ARGS": ARMNN_STRUCT_CREATE_ARGS,
        "ARMNN_STRUCT_OPTION_DESCRIPTION": ARMNN_STRUCT_OPTION_DESCRIPTION,
        "ARMNN_STRUCT_RUN_NOTICE": ARMNN_STRUCT_RUN_NOTICE,
        "ARMNN_STRUCT_TENSOR_NEEDS": ARMNN_STRUCT_TENSOR_NEEDS,
        "ARMNN_STRUCT_MEMORY": ARMNN_STRUCT_MEMORY,
        "ARMNN_STRUCT_BACKEND": ARMNN_STRUCT_BACKEND,
        "ARMNN_STRUCT_BACKEND_CONTEXT": ARMNN_STRUCT_BACKEND_CONTEXT,
        "ARMNN_STRUCT_MODEL_CONTEXT": ARMNN_STRUCT_MODEL_CONTEXT,
        "ARMNN_STRUCT_PROFILING_CONTEXT": ARMNN_STRUCT_PROFILING_CONTEXT,
        "ARMNN_STRUCT_LAYER_SUPPORT": ARMNN_STRUCT_LAYER_SUPPORT,
        "ARMNN_STRUCT_MEMORY_MANAGER": ARMNN_STRUCT_MEMORY_MANAGER,
        "ARMNN_STRUCT_ALLOCATOR": ARMNN_STRUCT_ALLOCATOR,
        "ARMNN_STRUCT_TENSOR_HANDLE_FACTORY": ARMNN_STRUCT_TENSOR_HANDLE_FACTORY,
        "ARMNN_STRUCT_TENSOR_HANDLE": ARMNN_STRUCT_TENSOR_HANDLE,
        "ARMNN_STRUCT_WORKLOAD_FACTORY": ARMNN_STRUCT_WORKLOAD_FACTORY,
        "ARMNN_STRUCT_WORKLOAD": ARMNN_STRUCT_WORKLOAD,
        "ARMNN_STRUCT_FENCE": ARMNN_STRUCT_FENCE,
        "ARMNN_STRUCT_DESCRIPTOR": ARMNN_STRUCT_DESCRIPTOR,
        "ARMNN_STRUCT_TYPE_MAX_ENUM": ARMNN_STRUCT_TYPE_MAX_ENUM,
    },
    "armnn_status_e": {
        "ARMNN_STATUS_OK": ARMNN_STATUS_OK,
        "ARMNN_STATUS_UNSUPPORTED": ARMNN_STATUS_UNSUPPORTED,
        "ARMNN_STATUS_UNAVAILABLE": ARMNN_STATUS_UNAVAILABLE,
        "ARMNN_STATUS_INVALID_ARGUMENT": ARMNN_STATUS_INVALID_ARGUMENT,
        "ARMNN_STATUS_OUT_OF_MEMORY": ARMNN_STATUS_OUT_OF_MEMORY,
        "ARMNN_STATUS_CANCELLED": ARMNN_STATUS_CANCELLED,
        "ARMNN_STATUS_TIMEOUT": ARMNN_STATUS_TIMEOUT,
        "ARMNN_STATUS_INCOMPATIBLE": ARMNN_STATUS_INCOMPATIBLE,
        "ARMNN_STATUS_DEVICE_LOST": ARMNN_STATUS_DEVICE_LOST,
        "ARMNN_STATUS_UNIMPLEMENTED": ARMNN_STATUS_UNIMPLEMENTED,
        "ARMNN_STATUS_INTERNAL": ARMNN_STATUS_INTERNAL,
        "ARMNN_STATUS_MAX_ENUM": ARMNN_STATUS_MAX_ENUM,
    },
    "armnn_option_type_e": {
        "ARMNN_OPTION_BOOL": ARMNN_OPTION_BOOL,
        "ARMNN_OPTION_INT": ARMNN_OPTION_INT,
        "ARMNN_OPTION_UINT": ARMNN_OPTION_UINT,
        "ARMNN_OPTION_FLOAT": ARMNN_OPTION_FLOAT,
        "ARMNN_OPTION_STRING": ARMNN_OPTION_STRING,
        "ARMNN_OPTION_TYPE_MAX_ENUM": ARMNN_OPTION_TYPE_MAX_ENUM,
    },
    "armnn_option_scope_e": {
        "ARMNN_OPTION_SCOPE_BACKEND": ARMNN_OPTION_SCOPE_BACKEND,
        "ARMNN_OPTION_SCOPE_MODEL": ARMNN_OPTION_SCOPE_MODEL,
        "ARMNN_OPTION_SCOPE_RUN": ARMNN_OPTION_SCOPE_RUN,
        "ARMNN_OPTION_SCOPE_MAX_ENUM": ARMNN_OPTION_SCOPE_MAX_ENUM,
    },
    "armnn_option_bits_e": {
        "ARMNN_OPTION_SECRET": ARMNN_OPTION_SECRET,
        "ARMNN_OPTION_CHANGEABLE": ARMNN_OPTION_CHANGEABLE,
        "ARMNN_OPTION_BITS_MAX_ENUM": ARMNN_OPTION_BITS_MAX_ENUM,
    },
    "armnn_data_type_e": {
        "ARMNN_DATA_TYPE_FLOAT16": ARMNN_DATA_TYPE_FLOAT16,
        "ARMNN_DATA_TYPE_FLOAT32": ARMNN_DATA_TYPE_FLOAT32,
        "ARMNN_DATA_TYPE_QASYMM_U8": ARMNN_DATA_TYPE_QASYMM_U8,
        "ARMNN_DATA_TYPE_SIGNED32": ARMNN_DATA_TYPE_SIGNED32,
        "ARMNN_DATA_TYPE_BOOLEAN": ARMNN_DATA_TYPE_BOOLEAN,
        "ARMNN_DATA_TYPE_QSYMM_S16": ARMNN_DATA_TYPE_QSYMM_S16,
        "ARMNN_DATA_TYPE_QSYMM_S8": ARMNN_DATA_TYPE_QSYMM_S8,
        "ARMNN_DATA_TYPE_QASYMM_S8": ARMNN_DATA_TYPE_QASYMM_S8,
        "ARMNN_DATA_TYPE_BFLOAT16": ARMNN_DATA_TYPE_BFLOAT16,
        "ARMNN_DATA_TYPE_SIGNED64": ARMNN_DATA_TYPE_SIGNED64,
        "ARMNN_DATA_TYPE_UNSIGNED16": ARMNN_DATA_TYPE_UNSIGNED16,
        "ARMNN_DATA_TYPE_UNSIGNED32": ARMNN_DATA_TYPE_UNSIGNED32,
        "ARMNN_DATA_TYPE_UNSIGNED64": ARMNN_DATA_TYPE_UNSIGNED64,
        "ARMNN_DATA_TYPE_FLOAT64": ARMNN_DATA_TYPE_FLOAT64,
        "ARMNN_DATA_TYPE_FLOAT8_E4M3FN": ARMNN_DATA_TYPE_FLOAT8_E4M3FN,
        "ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ": ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ,
        "ARMNN_DATA_TYPE_FLOAT8_E5M2": ARMNN_DATA_TYPE_FLOAT8_E5M2,
        "ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ": ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ,
        "ARMNN_DATA_TYPE_FLOAT8_E8M0FNU": ARMNN_DATA_TYPE_FLOAT8_E8M0FNU,
        "ARMNN_DATA_TYPE_FLOAT4_E2M1FN": ARMNN_DATA_TYPE_FLOAT4_E2M1FN,
        "ARMNN_DATA_TYPE_QASYMM_S4": ARMNN_DATA_TYPE_QASYMM_S4,
        "ARMNN_DATA_TYPE_QASYMM_U4": ARMNN_DATA_TYPE_QASYMM_U4,
        "ARMNN_DATA_TYPE_QASYMM_S2": ARMNN_DATA_TYPE_QASYMM_S2,
        "ARMNN_DATA_TYPE_QASYMM_U2": ARMNN_DATA_TYPE_QASYMM_U2,
        "ARMNN_DATA_TYPE_COUNT": ARMNN_DATA_TYPE_COUNT,
        "ARMNN_DATA_TYPE_MAX_ENUM": ARMNN_DATA_TYPE_MAX_ENUM,
    },
    "armnn_data_layout_e": {
        "ARMNN_DATA_LAYOUT_NCHW": ARMNN_DATA_LAYOUT_NCHW,
        "ARMNN_DATA_LAYOUT_NHWC": ARMNN_DATA_LAYOUT_NHWC,
        "ARMNN_DATA_LAYOUT_NDHWC": ARMNN_DATA_LAYOUT_NDHWC,
        "ARMNN_DATA_LAYOUT_NCDHW": ARMNN_DATA_LAYOUT_NCDHW,
        "ARMNN_DATA_LAYOUT_COUNT": ARMNN_DATA_LAYOUT_COUNT,
        "ARMNN_DATA_LAYOUT_MAX_ENUM": ARMNN_DATA_LAYOUT_MAX_ENUM,
    },
    "armnn_dimensionality_e": {
        "ARMNN_DIMENSIONALITY_NOT_SPECIFIED": ARMNN_DIMENSIONALITY_NOT_SPECIFIED,
        "ARMNN_DIMENSIONALITY_SPECIFIED": ARMNN_DIMENSIONALITY_SPECIFIED,
        "ARMNN_DIMENSIONALITY_SCALAR": ARMNN_DIMENSIONALITY_SCALAR,
        "ARMNN_DIMENSIONALITY_MAX_ENUM": ARMNN_DIMENSIONALITY_MAX_ENUM,
    },
    "armnn_tensor_bits_e": {
        "ARMNN_TENSOR_CONSTANT": ARMNN_TENSOR_CONSTANT,
        "ARMNN_TENSOR_BITS_MAX_ENUM": ARMNN_TENSOR_BITS_MAX_ENUM,
    },
    "armnn_memory_source_e": {
        "ARMNN_MEMORY_SOURCE_UNDEFINED": ARMNN_MEMORY_SOURCE_UNDEFINED,
        "ARMNN_MEMORY_SOURCE_MALLOC": ARMNN_MEMORY_SOURCE_MALLOC,
        "ARMNN_MEMORY_SOURCE_DMA_BUF": ARMNN_MEMORY_SOURCE_DMA_BUF,
        "ARMNN_MEMORY_SOURCE_DMA_BUF_PROTECTED": ARMNN_MEMORY_SOURCE_DMA_BUF_PROTECTED,
        "ARMNN_MEMORY_SOURCE_GRALLOC": ARMNN_MEMORY_SOURCE_GRALLOC,
        "ARMNN_MEMORY_SOURCE_FILE": ARMNN_MEMORY_SOURCE_FILE,
        "ARMNN_MEMORY_SOURCE_MAX_ENUM": ARMNN_MEMORY_SOURCE_MAX_ENUM,
    },
    "armnn_attribute_type_e": {
        "ARMNN_ATTRIBUTE_INTEGER": ARMNN_ATTRIBUTE_INTEGER,
        "ARMNN_ATTRIBUTE_REAL": ARMNN_ATTRIBUTE_REAL,
        "ARMNN_ATTRIBUTE_STRING": ARMNN_ATTRIBUTE_STRING,
        "ARMNN_ATTRIBUTE_TENSOR": ARMNN_ATTRIBUTE_TENSOR,
        "ARMNN_ATTRIBUTE_TYPE_MAX_ENUM": ARMNN_ATTRIBUTE_TYPE_MAX_ENUM,
    },
    "armnn_layer_type_e": {
        "ARMNN_LAYER_ACTIVATION": ARMNN_LAYER_ACTIVATION,
        "ARMNN_LAYER_ADDITION": ARMNN_LAYER_ADDITION,
        "ARMNN_LAYER_ARG_MIN_MAX": ARMNN_LAYER_ARG_MIN_MAX,
        "ARMNN_LAYER_BATCH_NORMALIZATION": ARMNN_LAYER_BATCH_NORMALIZATION,
        "ARMNN_LAYER_BATCH_TO_SPACE_ND": ARMNN_LAYER_BATCH_TO_SPACE_ND,
        "ARMNN_LAYER_COMPARISON": ARMNN_LAYER_COMPARISON,
        "ARMNN_LAYER_CONCAT": ARMNN_LAYER_CONCAT,
        "ARMNN_LAYER_CONSTANT": ARMNN_LAYER_CONSTANT,
        "ARMNN_LAYER_CONVERT_FP16_TO_FP32": ARMNN_LAYER_CONVERT_FP16_TO_FP32,
        "ARMNN_LAYER_CONVERT_FP32_TO_FP16": ARMNN_LAYER_CONVERT_FP32_TO_FP16,
        "ARMNN_LAYER_CONVOLUTION2D": ARMNN_LAYER_CONVOLUTION2D,
        "ARMNN_LAYER_DEBUG": ARMNN_LAYER_DEBUG,
        "ARMNN_LAYER_DEPTH_TO_SPACE": ARMNN_LAYER_DEPTH_TO_SPACE,
        "ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D": ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D,
        "ARMNN_LAYER_DEQUANTIZE": ARMNN_LAYER_DEQUANTIZE,
        "ARMNN_LAYER_DETECTION_POST_PROCESS": ARMNN_LAYER_DETECTION_POST_PROCESS,
        "ARMNN_LAYER_DIVISION": ARMNN_LAYER_DIVISION,
        "ARMNN_LAYER_ELEMENTWISE_UNARY": ARMNN_LAYER_ELEMENTWISE_UNARY,
        "ARMNN_LAYER_FAKE_QUANTIZATION": ARMNN_LAYER_FAKE_QUANTIZATION,
        "ARMNN_LAYER_FILL": ARMNN_LAYER_FILL,
        "ARMNN_LAYER_FLOOR": ARMNN_LAYER_FLOOR,
        "ARMNN_LAYER_FULLY_CONNECTED": ARMNN_LAYER_FULLY_CONNECTED,
        "ARMNN_LAYER_GATHER": ARMNN_LAYER_GATHER,
        "ARMNN_LAYER_INPUT": ARMNN_LAYER_INPUT,
        "ARMNN_LAYER_INSTANCE_NORMALIZATION": ARMNN_LAYER_INSTANCE_NORMALIZATION,
        "ARMNN_LAYER_L2_NORMALIZATION": ARMNN_LAYER_L2_NORMALIZATION,
        "ARMNN_LAYER_LOGICAL_BINARY": ARMNN_LAYER_LOGICAL_BINARY,
        "ARMNN_LAYER_LOG_SOFTMAX": ARMNN_LAYER_LOG_SOFTMAX,
        "ARMNN_LAYER_LSTM": ARMNN_LAYER_LSTM,
        "ARMNN_LAYER_QLSTM": ARMNN_LAYER_QLSTM,
        "ARMNN_LAYER_MAP": ARMNN_LAYER_MAP,
        "ARMNN_LAYER_MAXIMUM": ARMNN_LAYER_MAXIMUM,
        "ARMNN_LAYER_MEAN": ARMNN_LAYER_MEAN,
        "ARMNN_LAYER_MEM_COPY": ARMNN_LAYER_MEM_COPY,
        "ARMNN_LAYER_MEM_IMPORT": ARMNN_LAYER_MEM_IMPORT,
        "ARMNN_LAYER_MERGE": ARMNN_LAYER_MERGE,
        "ARMNN_LAYER_MINIMUM": ARMNN_LAYER_MINIMUM,
        "ARMNN_LAYER_MULTIPLICATION": ARMNN_LAYER_MULTIPLICATION,
        "ARMNN_LAYER_NORMALIZATION": ARMNN_LAYER_NORMALIZATION,
        "ARMNN_LAYER_OUTPUT": ARMNN_LAYER_OUTPUT,
        "ARMNN_LAYER_PAD": ARMNN_LAYER_PAD,
        "ARMNN_LAYER_PERMUTE": ARMNN_LAYER_PERMUTE,
        "ARMNN_LAYER_POOLING2D": ARMNN_LAYER_POOLING2D,
        "ARMNN_LAYER_PRE_COMPILED": ARMNN_LAYER_PRE_COMPILED,
        "ARMNN_LAYER_PRELU": ARMNN_LAYER_PRELU,
        "ARMNN_LAYER_QUANTIZE": ARMNN_LAYER_QUANTIZE,
        "ARMNN_LAYER_QUANTIZED_LSTM": ARMNN_LAYER_QUANTIZED_LSTM,
        "ARMNN_LAYER_RESHAPE": ARMNN_LAYER_RESHAPE,
        "ARMNN_LAYER_RANK": ARMNN_LAYER_RANK,
        "ARMNN_LAYER_RESIZE": ARMNN_LAYER_RESIZE,
        "ARMNN_LAYER_REDUCE": ARMNN_LAYER_REDUCE,
        "ARMNN_LAYER_SLICE": ARMNN_LAYER_SLICE,
        "ARMNN_LAYER_SOFTMAX": ARMNN_LAYER_SOFTMAX,
        "ARMNN_LAYER_SPACE_TO_BATCH_ND": ARMNN_LAYER_SPACE_TO_BATCH_ND,
        "ARMNN_LAYER_SPACE_TO_DEPTH": ARMNN_LAYER_SPACE_TO_DEPTH,
        "ARMNN_LAYER_SPLITTER": ARMNN_LAYER_SPLITTER,
        "ARMNN_LAYER_STACK": ARMNN_LAYER_STACK,
        "ARMNN_LAYER_STAND_IN": ARMNN_LAYER_STAND_IN,
        "ARMNN_LAYER_STRIDED_SLICE": ARMNN_LAYER_STRIDED_SLICE,
        "ARMNN_LAYER_SUBTRACTION": ARMNN_LAYER_SUBTRACTION,
        "ARMNN_LAYER_SWITCH": ARMNN_LAYER_SWITCH,
        "ARMNN_LAYER_TRANSPOSE": ARMNN_LAYER_TRANSPOSE,
        "ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D": ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D,
        "ARMNN_LAYER_UNMAP": ARMNN_LAYER_UNMAP,
        "ARMNN_LAYER_CAST": ARMNN_LAYER_CAST,
        "ARMNN_LAYER_SHAPE": ARMNN_LAYER_SHAPE,
        "ARMNN_LAYER_UNIDIRECTIONAL_SEQUENCE_LSTM": ARMNN_LAYER_UNIDIRECTIONAL_SEQUENCE_LSTM,
        "ARMNN_LAYER_CHANNEL_SHUFFLE": ARMNN_LAYER_CHANNEL_SHUFFLE,
        "ARMNN_LAYER_CONVOLUTION3D": ARMNN_LAYER_CONVOLUTION3D,
        "ARMNN_LAYER_POOLING3D": ARMNN_LAYER_POOLING3D,
        "ARMNN_LAYER_GATHER_ND": ARMNN_LAYER_GATHER_ND,
        "ARMNN_LAYER_BATCH_MAT_MUL": ARMNN_LAYER_BATCH_MAT_MUL,
        "ARMNN_LAYER_ELEMENTWISE_BINARY": ARMNN_LAYER_ELEMENTWISE_BINARY,
        "ARMNN_LAYER_REVERSE_V2": ARMNN_LAYER_REVERSE_V2,
        "ARMNN_LAYER_TILE": ARMNN_LAYER_TILE,
        "ARMNN_LAYER_FUSED": ARMNN_LAYER_FUSED,
        "ARMNN_LAYER_BROADCAST_TO": ARMNN_LAYER_BROADCAST_TO,
        "ARMNN_LAYER_SCATTER_ND": ARMNN_LAYER_SCATTER_ND,
        "ARMNN_LAYER_SELECT": ARMNN_LAYER_SELECT,
        "ARMNN_LAYER_LAYER_NORMALIZATION": ARMNN_LAYER_LAYER_NORMALIZATION,
        "ARMNN_LAYER_RMS_NORMALIZATION": ARMNN_LAYER_RMS_NORMALIZATION,
        "ARMNN_LAYER_GRU": ARMNN_LAYER_GRU,
        "ARMNN_LAYER_TOP_K": ARMNN_LAYER_TOP_K,
        "ARMNN_LAYER_CUM_SUM": ARMNN_LAYER_CUM_SUM,
        "ARMNN_LAYER_ONE_HOT": ARMNN_LAYER_ONE_HOT,
        "ARMNN_LAYER_DYNAMIC_QUANTIZE": ARMNN_LAYER_DYNAMIC_QUANTIZE,
        "ARMNN_LAYER_MAT_MUL_INTEGER": ARMNN_LAYER_MAT_MUL_INTEGER,
        "ARMNN_LAYER_DEQUANTIZE_BLOCKS": ARMNN_LAYER_DEQUANTIZE_BLOCKS,
        "ARMNN_LAYER_RNN": ARMNN_LAYER_RNN,
        "ARMNN_LAYER_RANDOM": ARMNN_LAYER_RANDOM,
        "ARMNN_LAYER_ROTARY_EMBEDDING": ARMNN_LAYER_ROTARY_EMBEDDING,
        "ARMNN_LAYER_ATTENTION": ARMNN_LAYER_ATTENTION,
        "ARMNN_LAYER_NON_MAX_SUPPRESSION": ARMNN_LAYER_NON_MAX_SUPPRESSION,
        "ARMNN_LAYER_TREE_LEAVES": ARMNN_LAYER_TREE_LEAVES,
        "ARMNN_LAYER_TYPE_COUNT": ARMNN_LAYER_TYPE_COUNT,
        "ARMNN_LAYER_TYPE_MAX_ENUM": ARMNN_LAYER_TYPE_MAX_ENUM,
    },
    "armnn_activation_function_e": {
        "ARMNN_ACTIVATION_SIGMOID": ARMNN_ACTIVATION_SIGMOID,
        "ARMNN_ACTIVATION_TANH": ARMNN_ACTIVATION_TANH,
        "ARMNN_ACTIVATION_LINEAR": ARMNN_ACTIVATION_LINEAR,
        "ARMNN_ACTIVATION_RELU": ARMNN_ACTIVATION_RELU,
        "ARMNN_ACTIVATION_BOUNDED_RELU": ARMNN_ACTIVATION_BOUNDED_RELU,
        "ARMNN_ACTIVATION_SOFT_RELU": ARMNN_ACTIVATION_SOFT_RELU,
        "ARMNN_ACTIVATION_LEAKY_RELU": ARMNN_ACTIVATION_LEAKY_RELU,
        "ARMNN_ACTIVATION_ABS": ARMNN_ACTIVATION_ABS,
        "ARMNN_ACTIVATION_SQRT": ARMNN_ACTIVATION_SQRT,
        "ARMNN_ACTIVATION_SQUARE": ARMNN_ACTIVATION_SQUARE,
        "ARMNN_ACTIVATION_ELU": ARMNN_ACTIVATION_ELU,
        "ARMNN_ACTIVATION_HARD_SWISH": ARMNN_ACTIVATION_HARD_SWISH,
        "ARMNN_ACTIVATION_GELU": ARMNN_ACTIVATION_GELU,
        "ARMNN_ACTIVATION_HARD_SIGMOID": ARMNN_ACTIVATION_HARD_SIGMOID,
        "ARMNN_ACTIVATION_MISH": ARMNN_ACTIVATION_MISH,
        "ARMNN_ACTIVATION_SOFTSIGN": ARMNN_ACTIVATION_SOFTSIGN,
        "ARMNN_ACTIVATION_THRESHOLDED_RELU": ARMNN_ACTIVATION_THRESHOLDED_RELU,
        "ARMNN_ACTIVATION_COUNT": ARMNN_ACTIVATION_COUNT,
        "ARMNN_ACTIVATION_MAX_ENUM": ARMNN_ACTIVATION_MAX_ENUM,
    },
    "armnn_rescaling_e": {
        "ARMNN_RESCALING_FIXED_POINT": ARMNN_RESCALING_FIXED_POINT,
        "ARMNN_RESCALING_REAL": ARMNN_RESCALING_REAL,
        "ARMNN_RESCALING_COUNT": ARMNN_RESCALING_COUNT,
        "ARMNN_RESCALING_MAX_ENUM": ARMNN_RESCALING_MAX_ENUM,
    },
    "armnn_comparison_operation_e": {
        "ARMNN_COMPARISON_EQUAL": ARMNN_COMPARISON_EQUAL,
        "ARMNN_COMPARISON_GREATER": ARMNN_COMPARISON_GREATER,
        "ARMNN_COMPARISON_GREATER_OR_EQUAL": ARMNN_COMPARISON_GREATER_OR_EQUAL,
        "ARMNN_COMPARISON_LESS": ARMNN_COMPARISON_LESS,
        "ARMNN_COMPARISON_LESS_OR_EQUAL": ARMNN_COMPARISON_LESS_OR_EQUAL,
        "ARMNN_COMPARISON_NOT_EQUAL": ARMNN_COMPARISON_NOT_EQUAL,
        "ARMNN_COMPARISON_COUNT": ARMNN_COMPARISON_COUNT,
        "ARMNN_COMPARISON_MAX_ENUM": ARMNN_COMPARISON_MAX_ENUM,
    },
    "armnn_unary_operation_e": {
        "ARMNN_UNARY_ABS": ARMNN_UNARY_ABS,
        "ARMNN_UNARY_EXP": ARMNN_UNARY_EXP,
        "ARMNN_UNARY_SQRT": ARMNN_UNARY_SQRT,
        "ARMNN_UNARY_RSQRT": ARMNN_UNARY_RSQRT,
        "ARMNN_UNARY_NEG": ARMNN_UNARY_NEG,
        "ARMNN_UNARY_LOGICAL_NOT": ARMNN_UNARY_LOGICAL_NOT,
        "ARMNN_UNARY_LOG": ARMNN_UNARY_LOG,
        "ARMNN_UNARY_SIN": ARMNN_UNARY_SIN,
        "ARMNN_UNARY_CEIL": ARMNN_UNARY_CEIL,
        "ARMNN_UNARY_FLOOR": ARMNN_UNARY_FLOOR,
        "ARMNN_UNARY_ERF": ARMNN_UNARY_ERF,
        "ARMNN_UNARY_ROUND": ARMNN_UNARY_ROUND,
        "ARMNN_UNARY_COS": ARMNN_UNARY_COS,
        "ARMNN_UNARY_TAN": ARMNN_UNARY_TAN,
        "ARMNN_UNARY_ASIN": ARMNN_UNARY_ASIN,
        "ARMNN_UNARY_ACOS": ARMNN_UNARY_ACOS,
        "ARMNN_UNARY_ATAN": ARMNN_UNARY_ATAN,
        "ARMNN_UNARY_SINH": ARMNN_UNARY_SINH,
        "ARMNN_UNARY_COSH": ARMNN_UNARY_COSH,
        "ARMNN_UNARY_ASINH": ARMNN_UNARY_ASINH,
        "ARMNN_UNARY_ACOSH": ARMNN_UNARY_ACOSH,
        "ARMNN_UNARY_ATANH": ARMNN_UNARY_ATANH,
        "ARMNN_UNARY_BITWISE_NOT": ARMNN_UNARY_BITWISE_NOT,
        "ARMNN_UNARY_COUNT": ARMNN_UNARY_COUNT,
        "ARMNN_UNARY_MAX_ENUM": ARMNN_UNARY_MAX_ENUM,
    },
    "armnn_logical_binary_operation_e": {
        "ARMNN_LOGICAL_AND": ARMNN_LOGICAL_AND,
        "ARMNN_LOGICAL_OR": ARMNN_LOGICAL_OR,
        "ARMNN_LOGICAL_BINARY_COUNT": ARMNN_LOGICAL_BINARY_COUNT,
        "ARMNN_LOGICAL_BINARY_MAX_ENUM": ARMNN_LOGICAL_BINARY_MAX_ENUM,
    },
    "armnn_binary_operation_e": {
        "ARMNN_BINARY_ADD": ARMNN_BINARY_ADD,
        "ARMNN_BINARY_DIV": ARMNN_BINARY_DIV,
        "ARMNN_BINARY_MAXIMUM": ARMNN_BINARY_MAXIMUM,
        "ARMNN_BINARY_MINIMUM": ARMNN_BINARY_MINIMUM,
        "ARMNN_BINARY_MUL": ARMNN_BINARY_MUL,
        "ARMNN_BINARY_SUB": ARMNN_BINARY_SUB,
        "ARMNN_BINARY_SQ_DIFF": ARMNN_BINARY_SQ_DIFF,
        "ARMNN_BINARY_POWER": ARMNN_BINARY_POWER,
        "ARMNN_BINARY_MOD": ARMNN_BINARY_MOD,
        "ARMNN_BINARY_FMOD": ARMNN_BINARY_FMOD,
        "ARMNN_BINARY_BITWISE_AND": ARMNN_BINARY_BITWISE_AND,
        "ARMNN_BINARY_BITWISE_OR": ARMNN_BINARY_BITWISE_OR,
        "ARMNN_BINARY_BITWISE_XOR": ARMNN_BINARY_BITWISE_XOR,
        "ARMNN_BINARY_SHIFT_LEFT": ARMNN_BINARY_SHIFT_LEFT,
        "ARMNN_BINARY_SHIFT_RIGHT": ARMNN_BINARY_SHIFT_RIGHT,
        "ARMNN_BINARY_COUNT": ARMNN_BINARY_COUNT,
        "ARMNN_BINARY_MAX_ENUM": ARMNN_BINARY_MAX_ENUM,
    },
    "armnn_padding_mode_e": {
        "ARMNN_PAD_CONSTANT": ARMNN_PAD_CONSTANT,
        "ARMNN_PAD_REFLECT": ARMNN_PAD_REFLECT,
        "ARMNN_PAD_SYMMETRIC": ARMNN_PAD_SYMMETRIC,
        "ARMNN_PAD_MODE_COUNT": ARMNN_PAD_MODE_COUNT,
        "ARMNN_PAD_MODE_MAX_ENUM": ARMNN_PAD_MODE_MAX_ENUM,
    },
    "armnn_scatter_nd_function_e": {
        "ARMNN_SCATTER_UPDATE": ARMNN_SCATTER_UPDATE,
        "ARMNN_SCATTER_ADD": ARMNN_SCATTER_ADD,
        "ARMNN_SCATTER_SUB": ARMNN_SCATTER_SUB,
        "ARMNN_SCATTER_MAX": ARMNN_SCATTER_MAX,
        "ARMNN_SCATTER_MIN": ARMNN_SCATTER_MIN,
        "ARMNN_SCATTER_MUL": ARMNN_SCATTER_MUL,
        "ARMNN_SCATTER_COUNT": ARMNN_SCATTER_COUNT,
        "ARMNN_SCATTER_MAX_ENUM": ARMNN_SCATTER_MAX_ENUM,
    },
    "armnn_row_rounding_e": {
        "ARMNN_ROW_ROUNDING_NONE": ARMNN_ROW_ROUNDING_NONE,
        "ARMNN_ROW_ROUNDING_SYMMETRIC": ARMNN_ROW_ROUNDING_SYMMETRIC,
        "ARMNN_ROW_ROUNDING_ASYMMETRIC": ARMNN_ROW_ROUNDING_ASYMMETRIC,
        "ARMNN_ROW_ROUNDING_COUNT": ARMNN_ROW_ROUNDING_COUNT,
        "ARMNN_ROW_ROUNDING_MAX_ENUM": ARMNN_ROW_ROUNDING_MAX_ENUM,
    },
    "armnn_recurrent_direction_e": {
        "ARMNN_RECURRENT_FORWARD": ARMNN_RECURRENT_FORWARD,
        "ARMNN_RECURRENT_REVERSE": ARMNN_RECURRENT_REVERSE,
        "ARMNN_RECURRENT_BIDIRECTIONAL": ARMNN_RECURRENT_BIDIRECTIONAL,
        "ARMNN_RECURRENT_COUNT": ARMNN_RECURRENT_COUNT,
        "ARMNN_RECURRENT_MAX_ENUM": ARMNN_RECURRENT_MAX_ENUM,
    },
    "armnn_arg_min_max_function_e": {
        "ARMNN_ARG_MIN": ARMNN_ARG_MIN,
        "ARMNN_ARG_MAX": ARMNN_ARG_MAX,
        "ARMNN_ARG_MIN_MAX_COUNT": ARMNN_ARG_MIN_MAX_COUNT,
        "ARMNN_ARG_MIN_MAX_MAX_ENUM": ARMNN_ARG_MIN_MAX_MAX_ENUM,
    },
    "armnn_normalization_channel_e": {
        "ARMNN_NORMALIZATION_ACROSS": ARMNN_NORMALIZATION_ACROSS,
        "ARMNN_NORMALIZATION_WITHIN": ARMNN_NORMALIZATION_WITHIN,
        "ARMNN_NORMALIZATION_CHANNEL_COUNT": ARMNN_NORMALIZATION_CHANNEL_COUNT,
        "ARMNN_NORMALIZATION_CHANNEL_MAX_ENUM": ARMNN_NORMALIZATION_CHANNEL_MAX_ENUM,
    },
    "armnn_normalization_method_e": {
        "ARMNN_NORMALIZATION_LOCAL_BRIGHTNESS": ARMNN_NORMALIZATION_LOCAL_BRIGHTNESS,
        "ARMNN_NORMALIZATION_LOCAL_CONTRAST": ARMNN_NORMALIZATION_LOCAL_CONTRAST,
        "ARMNN_NORMALIZATION_METHOD_COUNT": ARMNN_NORMALIZATION_METHOD_COUNT,
        "ARMNN_NORMALIZATION_METHOD_MAX_ENUM": ARMNN_NORMALIZATION_METHOD_MAX_ENUM,
    },
    "armnn_reduce_operation_e": {
        "ARMNN_REDUCE_SUM": ARMNN_REDUCE_SUM,
        "ARMNN_REDUCE_MAX": ARMNN_REDUCE_MAX,
        "ARMNN_REDUCE_MEAN": ARMNN_REDUCE_MEAN,
        "ARMNN_REDUCE_MIN": ARMNN_REDUCE_MIN,
        "ARMNN_REDUCE_PROD": ARMNN_REDUCE_PROD,
        "ARMNN_REDUCE_COUNT": ARMNN_REDUCE_COUNT,
        "ARMNN_REDUCE_MAX_ENUM": ARMNN_REDUCE_MAX_ENUM,
    },
    "armnn_fused_kernel_type_e": {
        "ARMNN_FUSED_ADD_MUL_ADD": ARMNN_FUSED_ADD_MUL_ADD,
        "ARMNN_FUSED_COUNT": ARMNN_FUSED_COUNT,
        "ARMNN_FUSED_MAX_ENUM": ARMNN_FUSED_MAX_ENUM,
    },
    "armnn_random_distribution_e": {
        "ARMNN_RANDOM_UNIFORM": ARMNN_RANDOM_UNIFORM,
        "ARMNN_RANDOM_NORMAL": ARMNN_RANDOM_NORMAL,
        "ARMNN_RANDOM_COUNT": ARMNN_RANDOM_COUNT,
        "ARMNN_RANDOM_MAX_ENUM": ARMNN_RANDOM_MAX_ENUM,
    },
    "armnn_pooling_algorithm_e": {
        "ARMNN_POOLING_MAX": ARMNN_POOLING_MAX,
        "ARMNN_POOLING_AVERAGE": ARMNN_POOLING_AVERAGE,
        "ARMNN_POOLING_L2": ARMNN_POOLING_L2,
        "ARMNN_POOLING_COUNT": ARMNN_POOLING_COUNT,
        "ARMNN_POOLING_MAX_ENUM": ARMNN_POOLING_MAX_ENUM,
    },
    "armnn_output_shape_rounding_e": {
        "ARMNN_ROUNDING_FLOOR": ARMNN_ROUNDING_FLOOR,
        "ARMNN_ROUNDING_CEILING": ARMNN_ROUNDING_CEILING,
        "ARMNN_ROUNDING_COUNT": ARMNN_ROUNDING_COUNT,
        "ARMNN_ROUNDING_MAX_ENUM": ARMNN_ROUNDING_MAX_ENUM,
    },
    "armnn_padding_method_e": {
        "ARMNN_PADDING_IGNORE_VALUE": ARMNN_PADDING_IGNORE_VALUE,
        "ARMNN_PADDING_EXCLUDE": ARMNN_PADDING_EXCLUDE,
        "ARMNN_PADDING_METHOD_COUNT": ARMNN_PADDING_METHOD_COUNT,
        "ARMNN_PADDING_METHOD_MAX_ENUM": ARMNN_PADDING_METHOD_MAX_ENUM,
    },
    "armnn_resize_method_e": {
        "ARMNN_RESIZE_BILINEAR": ARMNN_RESIZE_BILINEAR,
        "ARMNN_RESIZE_NEAREST_NEIGHBOR": ARMNN_RESIZE_NEAREST_NEIGHBOR,
        "ARMNN_RESIZE_METHOD_COUNT": ARMNN_RESIZE_METHOD_COUNT,
        "ARMNN_RESIZE_METHOD_MAX_ENUM": ARMNN_RESIZE_METHOD_MAX_ENUM,
    },
    "armnn_log_level_e": {
        "ARMNN_LOG_TRACE": ARMNN_LOG_TRACE,
        "ARMNN_LOG_DEBUG": ARMNN_LOG_DEBUG,
        "ARMNN_LOG_INFO": ARMNN_LOG_INFO,
        "ARMNN_LOG_WARNING": ARMNN_LOG_WARNING,
        "ARMNN_LOG_ERROR": ARMNN_LOG_ERROR,
        "ARMNN_LOG_LEVEL_MAX_ENUM": ARMNN_LOG_LEVEL_MAX_ENUM,
    },
    "armnn_trace_phase_e": {
        "ARMNN_TRACE_BEGIN": ARMNN_TRACE_BEGIN,
        "ARMNN_TRACE_END": ARMNN_TRACE_END,
        "ARMNN_TRACE_INSTANT": ARMNN_TRACE_INSTANT,
        "ARMNN_TRACE_PHASE_MAX_ENUM": ARMNN_TRACE_PHASE_MAX_ENUM,
    },
    "armnn_fence_kind_e": {
        "ARMNN_FENCE_OBJECT": ARMNN_FENCE_OBJECT,
        "ARMNN_FENCE_EVENTFD": ARMNN_FENCE_EVENTFD,
        "ARMNN_FENCE_SYNC_FILE": ARMNN_FENCE_SYNC_FILE,
        "ARMNN_FENCE_KIND_MAX_ENUM": ARMNN_FENCE_KIND_MAX_ENUM,
    },
    "armnn_map_access_bits_e": {
        "ARMNN_MAP_READ": ARMNN_MAP_READ,
        "ARMNN_MAP_WRITE": ARMNN_MAP_WRITE,
        "ARMNN_MAP_ACCESS_MAX_ENUM": ARMNN_MAP_ACCESS_MAX_ENUM,
    },
    "armnn_backend_bits_e": {
        "ARMNN_BACKEND_UNLOADABLE": ARMNN_BACKEND_UNLOADABLE,
        "ARMNN_BACKEND_REFERENCE": ARMNN_BACKEND_REFERENCE,
        "ARMNN_BACKEND_BITS_MAX_ENUM": ARMNN_BACKEND_BITS_MAX_ENUM,
    },
    "armnn_trace_event_kind_e": {
        "ARMNN_TRACE_EVENT_STEP": ARMNN_TRACE_EVENT_STEP,
        "ARMNN_TRACE_EVENT_RUN": ARMNN_TRACE_EVENT_RUN,
        "ARMNN_TRACE_EVENT_COPY": ARMNN_TRACE_EVENT_COPY,
        "ARMNN_TRACE_EVENT_KIND_MAX_ENUM": ARMNN_TRACE_EVENT_KIND_MAX_ENUM,
    },
    "armnn_plan_tensor_kind_e": {
        "ARMNN_PLAN_TENSOR_ARENA": ARMNN_PLAN_TENSOR_ARENA,
        "ARMNN_PLAN_TENSOR_CONSTANT": ARMNN_PLAN_TENSOR_CONSTANT,
        "ARMNN_PLAN_TENSOR_INPUT": ARMNN_PLAN_TENSOR_INPUT,
        "ARMNN_PLAN_TENSOR_OUTPUT": ARMNN_PLAN_TENSOR_OUTPUT,
        "ARMNN_PLAN_TENSOR_HANDLE": ARMNN_PLAN_TENSOR_HANDLE,
        "ARMNN_PLAN_TENSOR_MAPPED": ARMNN_PLAN_TENSOR_MAPPED,
        "ARMNN_PLAN_TENSOR_PART": ARMNN_PLAN_TENSOR_PART,
        "ARMNN_PLAN_TENSOR_VARIABLE": ARMNN_PLAN_TENSOR_VARIABLE,
        "ARMNN_PLAN_TENSOR_KIND_MAX_ENUM": ARMNN_PLAN_TENSOR_KIND_MAX_ENUM,
    },
    "armnn_plan_step_kind_e": {
        "ARMNN_PLAN_STEP_EXECUTE": ARMNN_PLAN_STEP_EXECUTE,
        "ARMNN_PLAN_STEP_COPY": ARMNN_PLAN_STEP_COPY,
        "ARMNN_PLAN_STEP_SYNC": ARMNN_PLAN_STEP_SYNC,
        "ARMNN_PLAN_STEP_IMPORT": ARMNN_PLAN_STEP_IMPORT,
        "ARMNN_PLAN_STEP_LEND": ARMNN_PLAN_STEP_LEND,
        "ARMNN_PLAN_STEP_RETURN": ARMNN_PLAN_STEP_RETURN,
        "ARMNN_PLAN_STEP_MAP": ARMNN_PLAN_STEP_MAP,
        "ARMNN_PLAN_STEP_UNMAP": ARMNN_PLAN_STEP_UNMAP,
        "ARMNN_PLAN_STEP_SIGNAL": ARMNN_PLAN_STEP_SIGNAL,
        "ARMNN_PLAN_STEP_WAIT": ARMNN_PLAN_STEP_WAIT,
        "ARMNN_PLAN_STEP_KIND_MAX_ENUM": ARMNN_PLAN_STEP_KIND_MAX_ENUM,
    },
    "armnn_plan_bounded_e": {
        "ARMNN_PLAN_BOUNDED_NONE": ARMNN_PLAN_BOUNDED_NONE,
        "ARMNN_PLAN_BOUNDED_INFOS": ARMNN_PLAN_BOUNDED_INFOS,
        "ARMNN_PLAN_BOUNDED_REPORTS": ARMNN_PLAN_BOUNDED_REPORTS,
        "ARMNN_PLAN_BOUNDED_MAX_ENUM": ARMNN_PLAN_BOUNDED_MAX_ENUM,
    },
    "armnn_plan_step_bits_e": {
        "ARMNN_PLAN_STEP_MAY_IMPORT": ARMNN_PLAN_STEP_MAY_IMPORT,
        "ARMNN_PLAN_STEP_TAKES_READY": ARMNN_PLAN_STEP_TAKES_READY,
        "ARMNN_PLAN_STEP_BITS_MAX_ENUM": ARMNN_PLAN_STEP_BITS_MAX_ENUM,
    },
    "armnn_run_side_e": {
        "ARMNN_RUN_SIDE_NONE": ARMNN_RUN_SIDE_NONE,
        "ARMNN_RUN_SIDE_SOURCE": ARMNN_RUN_SIDE_SOURCE,
        "ARMNN_RUN_SIDE_TARGET": ARMNN_RUN_SIDE_TARGET,
        "ARMNN_RUN_SIDE_MAX_ENUM": ARMNN_RUN_SIDE_MAX_ENUM,
    },
    "armnn_channel_end_e": {
        "ARMNN_CHANNEL_OPEN": ARMNN_CHANNEL_OPEN,
        "ARMNN_CHANNEL_WORKER_ENDED": ARMNN_CHANNEL_WORKER_ENDED,
        "ARMNN_CHANNEL_PAST_DEADLINE": ARMNN_CHANNEL_PAST_DEADLINE,
        "ARMNN_CHANNEL_RUN_STOPPED": ARMNN_CHANNEL_RUN_STOPPED,
        "ARMNN_CHANNEL_END_MAX_ENUM": ARMNN_CHANNEL_END_MAX_ENUM,
    },
}

MACROS: dict[str, int] = {
    "ARMNN_BACKEND_API_MAJOR": ARMNN_BACKEND_API_MAJOR,
    "ARMNN_BACKEND_API_MINOR": ARMNN_BACKEND_API_MINOR,
    "ARMNN_BUILD_ADDRESS_SANITIZER": ARMNN_BUILD_ADDRESS_SANITIZER,
    "ARMNN_BUILD_THREAD_SANITIZER": ARMNN_BUILD_THREAD_SANITIZER,
    "ARMNN_CHANNEL_EVENTS_HEAD": ARMNN_CHANNEL_EVENTS_HEAD,
    "ARMNN_CHANNEL_TENSORS_OFFSET": ARMNN_CHANNEL_TENSORS_OFFSET,
    "ARMNN_CORE_ABI_VERSION": ARMNN_CORE_ABI_VERSION,
    "ARMNN_CPU_ARM_BF16": ARMNN_CPU_ARM_BF16,
    "ARMNN_CPU_ARM_DOTPROD": ARMNN_CPU_ARM_DOTPROD,
    "ARMNN_CPU_ARM_FP16": ARMNN_CPU_ARM_FP16,
    "ARMNN_CPU_ARM_I8MM": ARMNN_CPU_ARM_I8MM,
    "ARMNN_CPU_ARM_NEON": ARMNN_CPU_ARM_NEON,
    "ARMNN_CPU_ARM_SVE": ARMNN_CPU_ARM_SVE,
    "ARMNN_CPU_X86_AMX_INT8": ARMNN_CPU_X86_AMX_INT8,
    "ARMNN_CPU_X86_AVX": ARMNN_CPU_X86_AVX,
    "ARMNN_CPU_X86_AVX2": ARMNN_CPU_X86_AVX2,
    "ARMNN_CPU_X86_AVX512BF16": ARMNN_CPU_X86_AVX512BF16,
    "ARMNN_CPU_X86_AVX512BW": ARMNN_CPU_X86_AVX512BW,
    "ARMNN_CPU_X86_AVX512DQ": ARMNN_CPU_X86_AVX512DQ,
    "ARMNN_CPU_X86_AVX512F": ARMNN_CPU_X86_AVX512F,
    "ARMNN_CPU_X86_AVX512VL": ARMNN_CPU_X86_AVX512VL,
    "ARMNN_CPU_X86_AVX512VNNI": ARMNN_CPU_X86_AVX512VNNI,
    "ARMNN_CPU_X86_AVXVNNI": ARMNN_CPU_X86_AVXVNNI,
    "ARMNN_CPU_X86_F16C": ARMNN_CPU_X86_F16C,
    "ARMNN_CPU_X86_FMA": ARMNN_CPU_X86_FMA,
    "ARMNN_CPU_X86_SSE42": ARMNN_CPU_X86_SSE42,
    "ARMNN_FACTORY_FALLBACK_IMPORT_DISABLED": ARMNN_FACTORY_FALLBACK_IMPORT_DISABLED,
    "ARMNN_FACTORY_PADDING_REQUIRED": ARMNN_FACTORY_PADDING_REQUIRED,
    "ARMNN_FACTORY_SUPPORTS_IN_PLACE": ARMNN_FACTORY_SUPPORTS_IN_PLACE,
    "ARMNN_FACTORY_SUPPORTS_MAP_UNMAP": ARMNN_FACTORY_SUPPORTS_MAP_UNMAP,
    "ARMNN_FACTORY_SUPPORTS_SUB_TENSORS": ARMNN_FACTORY_SUPPORTS_SUB_TENSORS,
    "ARMNN_MAX_DIMS": ARMNN_MAX_DIMS,
    "ARMNN_MAX_ID_SIZE": ARMNN_MAX_ID_SIZE,
    "ARMNN_NEEDS_CONSUMED": ARMNN_NEEDS_CONSUMED,
    "ARMNN_PLAN_NONE": ARMNN_PLAN_NONE,
    "ARMNN_PLAN_NO_STAGING": ARMNN_PLAN_NO_STAGING,
    "ARMNN_SLOT_ABSENT": ARMNN_SLOT_ABSENT,
    "ARMNN_SLOT_BOUNDARY": ARMNN_SLOT_BOUNDARY,
    "ARMNN_SLOT_CONSTANT": ARMNN_SLOT_CONSTANT,
    "ARMNN_STRUCT_PLAN_SPEC": ARMNN_STRUCT_PLAN_SPEC,
    "ARMNN_STRUCT_REPEAT": ARMNN_STRUCT_REPEAT,
    "ARMNN_STRUCT_RUN": ARMNN_STRUCT_RUN,
    "ARMNN_TARGET_MINOR": ARMNN_TARGET_MINOR,
    "ARMNN_WORKLOAD_SERIAL": ARMNN_WORKLOAD_SERIAL,
}

FUNCTION_TYPES: dict[str, Any] = {
    "armnn_range_fn_t": armnn_range_fn_t,
    "armnn_get_backend_id_fn_t": armnn_get_backend_id_fn_t,
    "armnn_get_version_fn_t": armnn_get_version_fn_t,
    "armnn_backend_factory_fn_t": armnn_backend_factory_fn_t,
}

# name: (restype, argtypes)
CORE_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "armnn_core_abi_version": (c_uint32, []),
    "armnn_core_version": (c_char_p, []),
    "armnn_core_host": (POINTER(armnn_host_t), []),
    "armnn_core_dynamic_backend_paths": (c_char_p, []),
    "armnn_core_static_backend_count": (c_uint32, []),
    "armnn_core_static_backend": (POINTER(armnn_static_backend_t), [c_uint32]),
    "armnn_core_is_readable": (c_int32, [c_void_p, c_uint64]),
    "armnn_core_is_readable_behind": (c_int32, [c_void_p, c_uint64, c_uint64]),
    "armnn_core_is_code": (c_int32, [c_void_p]),
    "armnn_core_write_sizes": (None, [
        POINTER(armnn_size_place_t),
        c_uint64,
        POINTER(POINTER(armnn_tensor_info_t)),
        c_uint64,
        POINTER(c_int64),
    ]),
    "armnn_core_ask_again": (c_uint64, [
        POINTER(armnn_layer_support_t),
        POINTER(POINTER(armnn_layer_query_t)),
        c_uint64,
        POINTER(c_int32),
    ]),
    "armnn_core_alloc": (c_void_p, [c_uint64, c_uint64]),
    "armnn_core_free": (None, [c_void_p]),
    "armnn_core_allocated_bytes": (c_uint64, []),
    "armnn_core_add_lasting_constant": (c_int32, [c_void_p, c_uint64]),
    "armnn_core_remove_lasting_constant": (None, [c_void_p, c_uint64]),
    "armnn_core_set_capsule_reader": (None, [CFUNCTYPE(c_void_p, c_void_p, c_char_p)]),
    "armnn_core_end_owned": (None, [c_void_p]),
    "armnn_core_new_constant": (c_void_p, []),
    "armnn_core_begin_constant": (c_int32, [c_void_p, c_void_p, c_uint64]),
    "armnn_core_new_mapping": (c_void_p, []),
    "armnn_core_map_file": (c_int32, [
        c_void_p,
        c_int32,
        c_uint64,
        c_char_p,
        c_int32,
        POINTER(c_void_p),
    ]),
    "armnn_core_usable_cpus": (c_uint32, []),
    "armnn_core_set_thread_count": (c_int32, [c_uint32]),
    "armnn_core_thread_count": (c_uint32, []),
    "armnn_core_limit_threads": (c_uint32, [c_uint32]),
    "armnn_core_yield_between_runs": (None, []),
    "armnn_core_stop_threads": (None, []),
    "armnn_core_tell_fatal_signals": (None, []),
    "armnn_core_enter_call": (None, [c_char_p]),
    "armnn_core_leave_call": (None, [c_int32]),
    "armnn_core_float_control": (c_uint64, []),
    "armnn_core_set_float_control": (None, [c_uint64]),
    "armnn_core_has_signal_handlers": (c_int32, [c_void_p]),
    "armnn_core_set_work": (None, [CFUNCTYPE(c_int32, c_void_p)]),
    "armnn_core_device_lost": (c_int32, [POINTER(armnn_backend_t), POINTER(c_char), c_uint64]),
    "armnn_core_forget_device": (None, [POINTER(armnn_backend_t)]),
    "armnn_core_set_log_level": (None, [c_int32]),
    "armnn_core_log_pending": (c_uint64, []),
    "armnn_core_log_next": (c_int32, [POINTER(armnn_log_record_t)]),
    "armnn_core_trace_start": (c_int32, [c_uint64]),
    "armnn_core_trace_stop": (None, []),
    "armnn_core_trace_read": (c_uint64, [POINTER(armnn_trace_event_t), c_uint64]),
    "armnn_core_trace_dropped": (c_uint64, []),
    "armnn_plan_create": (c_int32, [
        POINTER(armnn_plan_spec_t),
        POINTER(POINTER(armnn_plan_t)),
        POINTER(armnn_error_t),
    ]),
    "armnn_plan_set_labels": (None, [POINTER(armnn_plan_t), POINTER(c_char_p)]),
    "armnn_plan_destroy": (None, [POINTER(armnn_plan_t)]),
    "armnn_context_create": (c_int32, [
        POINTER(armnn_plan_t),
        POINTER(c_void_p),
        POINTER(POINTER(armnn_tensor_handle_t)),
        POINTER(POINTER(armnn_context_t)),
        POINTER(armnn_error_t),
    ]),
    "armnn_context_destroy": (None, [POINTER(armnn_context_t)]),
    "armnn_context_unimport": (c_int32, [POINTER(armnn_context_t), POINTER(armnn_error_t)]),
    "armnn_context_has_state": (c_int32, [POINTER(armnn_context_t)]),
    "armnn_context_is_state_lost": (c_int32, [POINTER(armnn_context_t)]),
    "armnn_context_reset": (c_int32, [POINTER(armnn_context_t), POINTER(armnn_error_t)]),
    "armnn_context_set_shapes": (c_int32, [
        POINTER(armnn_context_t),
        POINTER(armnn_plan_shapes_t),
        POINTER(armnn_error_t),
    ]),
    "armnn_context_is_running": (c_int32, [POINTER(armnn_context_t)]),
    "armnn_context_read_variable": (c_int32, [
        POINTER(armnn_context_t),
        c_uint32,
        c_void_p,
        c_uint64,
        POINTER(armnn_error_t),
    ]),
    "armnn_context_write_variable": (c_int32, [
        POINTER(armnn_context_t),
        c_uint32,
        c_void_p,
        c_uint64,
        POINTER(armnn_error_t),
    ]),
    "armnn_context_cancel": (None, [POINTER(armnn_context_t)]),
    "armnn_core_fd_fence": (POINTER(armnn_fence_t), [c_int32, c_int32]),
    "armnn_core_fence_destroy": (None, [POINTER(armnn_fence_t)]),
    "armnn_context_run": (c_int32, [POINTER(armnn_run_t)]),
    "armnn_context_repeat": (c_int32, [POINTER(armnn_repeat_t)]),
    "armnn_channel_open": (POINTER(armnn_channel_t), [
        c_void_p,
        c_uint64,
        POINTER(armnn_channel_tensor_t),
        c_uint32,
        POINTER(armnn_channel_tensor_t),
        c_uint32,
        c_int32,
        c_uint64,
    ]),
    "armnn_channel_take_events": (None, [POINTER(armnn_channel_t), c_uint64, c_uint64]),
    "armnn_channel_close": (None, [POINTER(armnn_channel_t)]),
    "armnn_channel_end": (c_int32, [POINTER(armnn_channel_t), c_int32]),
    "armnn_channel_settle": (c_int32, [POINTER(armnn_channel_t)]),
    "armnn_channel_renew": (None, [POINTER(armnn_channel_t), c_int32]),
    "armnn_channel_keep_calls": (None, [POINTER(armnn_channel_t), c_uint64]),
    "armnn_channel_take_call": (POINTER(armnn_channel_call_t), [POINTER(armnn_channel_t)]),
    "armnn_channel_free_call": (None, [POINTER(armnn_channel_call_t)]),
    "armnn_channel_execute": (c_int32, [
        POINTER(armnn_workload_t),
        POINTER(armnn_execute_args_t),
        POINTER(armnn_error_t),
    ]),
    "armnn_channel_wait": (c_int32, [c_void_p, c_uint64]),
    "armnn_channel_wake": (None, [c_void_p]),
    "armnn_channel_run_id": (c_uint64, [c_void_p]),
    "armnn_channel_answer": (None, [c_void_p, c_int32, c_char_p]),
}
