# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layer types."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["BROADCASTING_LAYERS", "LayerType"]


class LayerType(IntEnum):
    """What a layer computes; see ``armnn/descriptors.h`` for operands and definition of each."""

    ACTIVATION = 0
    ADDITION = 1
    ARG_MIN_MAX = 2
    BATCH_NORMALIZATION = 3
    BATCH_TO_SPACE_ND = 4
    COMPARISON = 5
    CONCAT = 6
    CONSTANT = 7
    CONVERT_FP16_TO_FP32 = 8
    CONVERT_FP32_TO_FP16 = 9
    CONVOLUTION2D = 10
    DEBUG = 11
    DEPTH_TO_SPACE = 12
    DEPTHWISE_CONVOLUTION2D = 13
    DEQUANTIZE = 14
    DETECTION_POST_PROCESS = 15
    DIVISION = 16
    ELEMENTWISE_UNARY = 17
    FAKE_QUANTIZATION = 18
    FILL = 19
    FLOOR = 20
    FULLY_CONNECTED = 21
    GATHER = 22
    INPUT = 23
    INSTANCE_NORMALIZATION = 24
    L2_NORMALIZATION = 25
    LOGICAL_BINARY = 26
    LOG_SOFTMAX = 27
    LSTM = 28
    QLSTM = 29
    MAP = 30
    MAXIMUM = 31
    MEAN = 32
    MEM_COPY = 33
    MEM_IMPORT = 34
    MERGE = 35
    MINIMUM = 36
    MULTIPLICATION = 37
    NORMALIZATION = 38
    OUTPUT = 39
    PAD = 40
    PERMUTE = 41
    POOLING2D = 42
    PRE_COMPILED = 43
    PRELU = 44
    QUANTIZE = 45
    QUANTIZED_LSTM = 46
    RESHAPE = 47
    RANK = 48
    RESIZE = 49
    REDUCE = 50
    SLICE = 51
    SOFTMAX = 52
    SPACE_TO_BATCH_ND = 53
    SPACE_TO_DEPTH = 54
    SPLITTER = 55
    STACK = 56
    STAND_IN = 57
    STRIDED_SLICE = 58
    SUBTRACTION = 59
    SWITCH = 60
    TRANSPOSE = 61
    TRANSPOSE_CONVOLUTION2D = 62
    UNMAP = 63
    CAST = 64
    SHAPE = 65
    UNIDIRECTIONAL_SEQUENCE_LSTM = 66
    CHANNEL_SHUFFLE = 67
    CONVOLUTION3D = 68
    POOLING3D = 69
    GATHER_ND = 70
    BATCH_MAT_MUL = 71
    ELEMENTWISE_BINARY = 72
    REVERSE_V2 = 73
    TILE = 74
    FUSED = 75
    BROADCAST_TO = 76
    SCATTER_ND = 77

    @property
    def label(self) -> str:
        """Arm NN's name, as ``Convolution2d`` or ``ElementwiseBinary``."""
        return _LAYER_LABELS[self]


_ODD_LABELS = {
    "CONVERT_FP16_TO_FP32": "ConvertFp16ToFp32",
    "CONVERT_FP32_TO_FP16": "ConvertFp32ToFp16",
    "QLSTM": "QLstm",
}
_LAYER_LABELS = {
    layer_type: _ODD_LABELS.get(layer_type.name, layer_type.name.title().replace("_", ""))
    for layer_type in LayerType
}
# str.title() raises a letter that follows a digit too: Convolution2D.
_LAYER_LABELS |= {
    key: label.replace("2D", "2d").replace("3D", "3d") for key, label in _LAYER_LABELS.items()
}


#: Layers of two operands that broadcast against each other, as in numpy.
BROADCASTING_LAYERS = frozenset(
    {
        LayerType.ADDITION,
        LayerType.COMPARISON,
        LayerType.DIVISION,
        LayerType.ELEMENTWISE_BINARY,
        LayerType.LOGICAL_BINARY,
        LayerType.MAXIMUM,
        LayerType.MINIMUM,
        LayerType.MULTIPLICATION,
        LayerType.PRELU,
        LayerType.SUBTRACTION,
    }
)
