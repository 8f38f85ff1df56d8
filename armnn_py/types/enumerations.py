# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
# fmt: off
"""Enumerations of data types, layer types and of what layers offer a choice of.

Generated from ``schema`` by ``python scripts/generate_layers.py``; do not edit.
"""

from __future__ import annotations

from enum import IntEnum

from armnn_py.types.bases import DataLayoutBase, DataTypeBase, LayerTypeBase

__all__ = [
    "ActivationFunction",
    "ArgMinMaxFunction",
    "BinaryOperation",
    "ComparisonOperation",
    "DataLayout",
    "DataType",
    "FusedKernelType",
    "LayerType",
    "LogicalBinaryOperation",
    "NormalizationAlgorithmChannel",
    "NormalizationAlgorithmMethod",
    "OutputShapeRounding",
    "PaddingMethod",
    "PaddingMode",
    "PoolingAlgorithm",
    "RandomDistribution",
    "RecurrentDirection",
    "ReduceOperation",
    "Rescaling",
    "ResizeMethod",
    "RowRounding",
    "ScatterNdFunction",
    "UnaryOperation",
]


class DataType(DataTypeBase):
    """Type of a tensor's elements.

    Quantised values mean ``real = scale * (q - zero_point)``; the symmetric types have
    ``zero_point == 0``. ``BOOLEAN`` is one byte. Types that numpy lacks travel as their bits:
    ``BFLOAT16`` as ``uint16``, the ``FLOAT8`` types as ``uint8``. Elements of less than a byte are
    packed,
    and exist inside a network alone.
    """

    FLOAT16 = 0, "float16", "float16", "float16", 16, "float16", "float", True, 0
    FLOAT32 = 1, "float32", "float32", "float32", 32, "float32", "float", True, 0
    QASYMM_U8 = 2, "qasymm_u8", "uint8", "quantised uint8", 8, "uint8", "quantized", True, 0, (0, 255)
    SIGNED32 = 3, "signed32", "int32", "int32", 32, "int32", "integer", True, 0
    BOOLEAN = 4, "boolean", "bool", "bool", 8, "bool", "boolean", True, 0
    QSYMM_S16 = 5, "qsymm_s16", "int16", "quantised int16", 16, "int16", "quantized", True, 0, (0, 0)
    QSYMM_S8 = 6, "qsymm_s8", "int8", "quantised int8 of zero point 0", 8, "int8", "quantized", False, 0, (0, 0)
    QASYMM_S8 = 7, "qasymm_s8", "int8", "quantised int8", 8, "int8", "quantized", True, 0, (-128, 127)
    BFLOAT16 = 8, "bfloat16", "bfloat16", "bfloat16", 16, "uint16", "float", False, 0
    SIGNED64 = 9, "signed64", "int64", "int64", 64, "int64", "integer", True, 0
    UNSIGNED16 = 10, "unsigned16", "uint16", "uint16", 16, "uint16", "integer", True, 0
    UNSIGNED32 = 11, "unsigned32", "uint32", "uint32", 32, "uint32", "integer", True, 0
    UNSIGNED64 = 12, "unsigned64", "uint64", "uint64", 64, "uint64", "integer", True, 0
    FLOAT64 = 13, "float64", "float64", "float64", 64, "float64", "float", True, 0
    FLOAT8_E4M3FN = 14, "float8_e4m3fn", "float8_e4m3fn", "float8_e4m3fn", 8, "uint8", "float", False, 0
    FLOAT8_E4M3FNUZ = 15, "float8_e4m3fnuz", "float8_e4m3fnuz", "float8_e4m3fnuz", 8, "uint8", "float", False, 0
    FLOAT8_E5M2 = 16, "float8_e5m2", "float8_e5m2", "float8_e5m2", 8, "uint8", "float", False, 0
    FLOAT8_E5M2FNUZ = 17, "float8_e5m2fnuz", "float8_e5m2fnuz", "float8_e5m2fnuz", 8, "uint8", "float", False, 0
    FLOAT8_E8M0FNU = 18, "float8_e8m0fnu", "float8_e8m0fnu", "float8_e8m0fnu", 8, "uint8", "float", False, 0
    FLOAT4_E2M1FN = 19, "float4_e2m1fn", "float4_e2m1fn", "float4_e2m1fn", 4, "uint8", "float", False, 0
    QASYMM_S4 = 20, "qasymm_s4", "int4", "quantised int4", 4, "int8", "quantized", False, 0, (-8, 7)
    QASYMM_U4 = 21, "qasymm_u4", "uint4", "quantised uint4", 4, "uint8", "quantized", False, 0, (0, 15)
    QASYMM_S2 = 22, "qasymm_s2", "int2", "quantised int2", 2, "int8", "quantized", False, 0, (-2, 1)
    QASYMM_U2 = 23, "qasymm_u2", "uint2", "quantised uint2", 2, "uint8", "quantized", False, 0, (0, 3)


class LayerType(LayerTypeBase):
    """What a layer computes; see ``armnn/descriptors.h`` for operands and definition of each."""

    ACTIVATION = 0, "Activation"
    ADDITION = 1, "Addition"
    ARG_MIN_MAX = 2, "ArgMinMax"
    BATCH_NORMALIZATION = 3, "BatchNormalization"
    BATCH_TO_SPACE_ND = 4, "BatchToSpaceNd"
    COMPARISON = 5, "Comparison"
    CONCAT = 6, "Concat"
    CONSTANT = 7, "Constant"
    CONVERT_FP16_TO_FP32 = 8, "ConvertFp16ToFp32"
    CONVERT_FP32_TO_FP16 = 9, "ConvertFp32ToFp16"
    CONVOLUTION2D = 10, "Convolution2d"
    DEBUG = 11, "Debug"
    DEPTH_TO_SPACE = 12, "DepthToSpace"
    DEPTHWISE_CONVOLUTION2D = 13, "DepthwiseConvolution2d"
    DEQUANTIZE = 14, "Dequantize"
    DETECTION_POST_PROCESS = 15, "DetectionPostProcess"
    DIVISION = 16, "Division"
    ELEMENTWISE_UNARY = 17, "ElementwiseUnary"
    FAKE_QUANTIZATION = 18, "FakeQuantization"
    FILL = 19, "Fill"
    FLOOR = 20, "Floor"
    FULLY_CONNECTED = 21, "FullyConnected"
    GATHER = 22, "Gather"
    INPUT = 23, "Input"
    INSTANCE_NORMALIZATION = 24, "InstanceNormalization"
    L2_NORMALIZATION = 25, "L2Normalization"
    LOGICAL_BINARY = 26, "LogicalBinary"
    LOG_SOFTMAX = 27, "LogSoftmax"
    LSTM = 28, "Lstm"
    QLSTM = 29, "QLstm"
    MAP = 30, "Map"
    MAXIMUM = 31, "Maximum"
    MEAN = 32, "Mean"
    MEM_COPY = 33, "MemCopy"
    MEM_IMPORT = 34, "MemImport"
    MERGE = 35, "Merge"
    MINIMUM = 36, "Minimum"
    MULTIPLICATION = 37, "Multiplication"
    NORMALIZATION = 38, "Normalization"
    OUTPUT = 39, "Output"
    PAD = 40, "Pad"
    PERMUTE = 41, "Permute"
    POOLING2D = 42, "Pooling2d"
    PRE_COMPILED = 43, "PreCompiled"
    PRELU = 44, "Prelu"
    QUANTIZE = 45, "Quantize"
    QUANTIZED_LSTM = 46, "QuantizedLstm"
    RESHAPE = 47, "Reshape"
    RANK = 48, "Rank"
    RESIZE = 49, "Resize"
    REDUCE = 50, "Reduce"
    SLICE = 51, "Slice"
    SOFTMAX = 52, "Softmax"
    SPACE_TO_BATCH_ND = 53, "SpaceToBatchNd"
    SPACE_TO_DEPTH = 54, "SpaceToDepth"
    SPLITTER = 55, "Splitter"
    STACK = 56, "Stack"
    STAND_IN = 57, "StandIn"
    STRIDED_SLICE = 58, "StridedSlice"
    SUBTRACTION = 59, "Subtraction"
    SWITCH = 60, "Switch"
    TRANSPOSE = 61, "Transpose"
    TRANSPOSE_CONVOLUTION2D = 62, "TransposeConvolution2d"
    UNMAP = 63, "Unmap"
    CAST = 64, "Cast"
    SHAPE = 65, "Shape"
    UNIDIRECTIONAL_SEQUENCE_LSTM = 66, "UnidirectionalSequenceLstm"
    CHANNEL_SHUFFLE = 67, "ChannelShuffle"
    CONVOLUTION3D = 68, "Convolution3d"
    POOLING3D = 69, "Pooling3d"
    GATHER_ND = 70, "GatherNd"
    BATCH_MAT_MUL = 71, "BatchMatMul"
    ELEMENTWISE_BINARY = 72, "ElementwiseBinary"
    REVERSE_V2 = 73, "ReverseV2"
    TILE = 74, "Tile"
    FUSED = 75, "Fused"
    BROADCAST_TO = 76, "BroadcastTo"
    SCATTER_ND = 77, "ScatterNd"
    SELECT = 78, "Select"
    LAYER_NORMALIZATION = 79, "LayerNormalization"
    RMS_NORMALIZATION = 80, "RmsNormalization"
    GRU = 81, "Gru"
    TOP_K = 82, "TopK"
    CUM_SUM = 83, "CumSum"
    ONE_HOT = 84, "OneHot"
    DYNAMIC_QUANTIZE = 85, "DynamicQuantize"
    MAT_MUL_INTEGER = 86, "MatMulInteger"
    DEQUANTIZE_BLOCKS = 87, "DequantizeBlocks"
    RNN = 88, "Rnn"
    RANDOM = 89, "Random"
    ROTARY_EMBEDDING = 90, "RotaryEmbedding"
    ATTENTION = 91, "Attention"
    NON_MAX_SUPPRESSION = 92, "NonMaxSuppression"
    TREE_LEAVES = 93, "TreeLeaves"


class ActivationFunction(IntEnum):
    """Function of an Activation layer; ``a`` and ``b`` are the descriptor's parameters.

    ====================  =================================  ================
                          is                                 not given
    ====================  =================================  ================
    ``SIGMOID``           1 / (1 + exp(-x))
    ``TANH``              a * tanh(b * x)                    a = 1, b = 1
    ``LINEAR``            a * x + b                          a = 1, b = 0
    ``RELU``              max(x, 0)
    ``BOUNDED_RELU``      min(a, max(b, x))                  a = 6, b = 0
    ``SOFT_RELU``         log(1 + exp(x))
    ``LEAKY_RELU``        x if x > 0 else a * x              a = 0.01
    ``ABS``               abs(x)
    ``SQRT``              sqrt(x)
    ``SQUARE``            x * x
    ``ELU``               x if x >= 0 else a * (exp(x) - 1)  a = 1
    ``HARD_SWISH``        x * min(max(x + 3, 0), 6) / 6
    ``GELU``              x * (1 + erf(x / sqrt(2))) / 2
    ``HARD_SIGMOID``      min(max(a * x + b, 0), 1)          a = 0.2, b = 0.5
    ``MISH``              x * tanh(log(1 + exp(x)))
    ``SOFTSIGN``          x / (1 + abs(x))
    ``THRESHOLDED_RELU``  x if x >= a else 0                 a = 1
    ====================  =================================  ================
    """

    SIGMOID = 0  #: 1 / (1 + exp(-x))
    TANH = 1  #: a * tanh(b * x)
    LINEAR = 2  #: a * x + b
    RELU = 3  #: max(x, 0)
    BOUNDED_RELU = 4  #: min(a, max(b, x))
    SOFT_RELU = 5  #: log(1 + exp(x))
    LEAKY_RELU = 6  #: x if x > 0 else a * x
    ABS = 7  #: abs(x)
    SQRT = 8  #: sqrt(x)
    SQUARE = 9  #: x * x
    ELU = 10  #: x if x >= 0 else a * (exp(x) - 1)
    HARD_SWISH = 11  #: x * min(max(x + 3, 0), 6) / 6
    GELU = 12  #: x * (1 + erf(x / sqrt(2))) / 2
    HARD_SIGMOID = 13  #: [armnn_py] min(max(a * x + b, 0), 1)
    MISH = 14  #: [armnn_py] x * tanh(log(1 + exp(x)))
    SOFTSIGN = 15  #: [armnn_py] x / (1 + abs(x))
    THRESHOLDED_RELU = 16  #: [armnn_py] x if x >= a else 0


class ArgMinMaxFunction(IntEnum):
    """Function of an ArgMinMax layer; ties go to the lower index."""

    MIN = 0
    MAX = 1


class BinaryOperation(IntEnum):
    """Operation of an ElementwiseBinary layer."""

    ADD = 0
    DIV = 1
    MAXIMUM = 2
    MINIMUM = 3
    MUL = 4
    SUB = 5
    SQ_DIFF = 6
    POWER = 7
    MOD = 8  #: x - y * floor(x / y): the sign of y, as numpy.mod [armnn_py]
    FMOD = 9  #: x - y * trunc(x / y): the sign of x, as fmod of C [armnn_py]
    BITWISE_AND = 10  #: Of integers or booleans [armnn_py]
    BITWISE_OR = 11  #: Of integers or booleans [armnn_py]
    BITWISE_XOR = 12  #: Of integers or booleans [armnn_py]
    SHIFT_LEFT = 13  #: Of integers, by y bits; 0 for y outside of the width [armnn_py]
    SHIFT_RIGHT = 14  #: Of integers, by y bits, zeros coming in; 0 for y outside of the width [armnn_py]


class ComparisonOperation(IntEnum):
    """Operation of a Comparison layer."""

    EQUAL = 0
    GREATER = 1
    GREATER_OR_EQUAL = 2
    LESS = 3
    LESS_OR_EQUAL = 4
    NOT_EQUAL = 5


class DataLayout(DataLayoutBase):
    """Order of batch (N), channels (C), depth (D), height (H) and width (W)."""

    NCHW = 1
    NHWC = 2
    NDHWC = 3
    NCDHW = 4


class FusedKernelType(IntEnum):
    """Kernel of a Fused layer."""

    ADD_MUL_ADD = 0


class LogicalBinaryOperation(IntEnum):
    """Operation of a LogicalBinary layer."""

    AND = 0
    OR = 1


class NormalizationAlgorithmChannel(IntEnum):
    """Neighbourhood of a local response Normalization layer."""

    ACROSS = 0
    WITHIN = 1


class NormalizationAlgorithmMethod(IntEnum):
    """Method of a local response Normalization layer."""

    LOCAL_BRIGHTNESS = 0
    LOCAL_CONTRAST = 1


class OutputShapeRounding(IntEnum):
    """How a pooling layer counts windows that do not fit wholly."""

    FLOOR = 0
    CEILING = 1


class PaddingMethod(IntEnum):
    """Whether padding counts in the divisor of an average or L2 norm."""

    IGNORE_VALUE = 0  #: it does
    EXCLUDE = 1  #: it does not


class PaddingMode(IntEnum):
    """The values that a Pad layer puts around its input."""

    CONSTANT = 0
    REFLECT = 1  #: mirrored, the border element is not repeated
    SYMMETRIC = 2  #: mirrored, the border element is repeated


class PoolingAlgorithm(IntEnum):
    """The value of a pooling window."""

    MAX = 0
    AVERAGE = 1
    L2 = 2


class RandomDistribution(IntEnum):
    """How random numbers are distributed."""

    UNIFORM = 0  #: from 0 to below 1, in steps of 2^-24
    NORMAL = 1  #: with mean 0 and variance 1


class RecurrentDirection(IntEnum):
    """The direction in which a recurrent layer walks over a sequence."""

    FORWARD = 0
    REVERSE = 1
    BIDIRECTIONAL = 2  #: both; the first direction is forward


class ReduceOperation(IntEnum):
    """Operation of a Reduce layer."""

    SUM = 0
    MAX = 1
    MEAN = 2
    MIN = 3
    PROD = 4


class Rescaling(IntEnum):
    """How a quantised layer brings its results to the scale of the output [armnn_py]."""

    FIXED_POINT = 0  #: TensorFlow Lite's arithmetic: factors of 31 bits, halves as its specification rounds them
    REAL = 1  #: ONNX's: the real result is rounded once, halves to even


class ResizeMethod(IntEnum):
    """How a Resize layer reads between elements."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1


class RowRounding(IntEnum):
    """What becomes of the rows that a product with weights reads, as in TensorFlow Lite's hybrid
    layers: each is rounded to the 8-bit levels of its own range, and has its real numbers again.
    """

    NONE = 0
    SYMMETRIC = 1  #: levels -127 to 127 of the largest magnitude
    ASYMMETRIC = 2  #: levels -128 to 127 of the range with 0, which has a level


class ScatterNdFunction(IntEnum):
    """How a ScatterNd layer joins an update with the value in its place."""

    UPDATE = 0
    ADD = 1
    SUB = 2
    MAX = 3
    MIN = 4
    MUL = 5


class UnaryOperation(IntEnum):
    """Operation of an ElementwiseUnary layer."""

    ABS = 0
    EXP = 1
    SQRT = 2
    RSQRT = 3
    NEG = 4
    LOGICAL_NOT = 5
    LOG = 6
    SIN = 7
    CEIL = 8
    FLOOR = 9  #: [armnn_py]
    ERF = 10  #: Error function [armnn_py]
    ROUND = 11  #: To the nearest integer, halves to the even one [armnn_py]
    COS = 12  #: [armnn_py]
    TAN = 13  #: [armnn_py]
    ASIN = 14  #: [armnn_py]
    ACOS = 15  #: [armnn_py]
    ATAN = 16  #: [armnn_py]
    SINH = 17  #: [armnn_py]
    COSH = 18  #: [armnn_py]
    ASINH = 19  #: [armnn_py]
    ACOSH = 20  #: [armnn_py]
    ATANH = 21  #: [armnn_py]
    BITWISE_NOT = 22  #: Of integers or booleans [armnn_py]
