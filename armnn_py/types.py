# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Enumerations: data types, layer types and the choices that layers offer.

Names and numbers are Arm NN's, the same that cross the border to a backend (``armnn/types.h`` and
``armnn/descriptors.h``); members are spelt as the C suffixes.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from armnn_py.errors import InvalidArgumentError

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
    "ReduceOperation",
    "ResizeMethod",
    "ScatterNdFunction",
    "UnaryOperation",
]


class DataType(IntEnum):
    """Type of a tensor's elements.

    Quantised values mean ``real = scale * (q - zero_point)``; the symmetric types have
    ``zero_point == 0``. ``BOOLEAN`` is one byte, ``BFLOAT16`` travels as ``uint16`` in numpy.
    """

    FLOAT16 = 0
    FLOAT32 = 1
    QASYMM_U8 = 2
    SIGNED32 = 3
    BOOLEAN = 4
    QSYMM_S16 = 5
    QSYMM_S8 = 6
    QASYMM_S8 = 7
    BFLOAT16 = 8
    SIGNED64 = 9

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype of arrays that hold this type."""
        return _NUMPY[self]

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return _NUMPY[self].itemsize

    @property
    def label(self) -> str:
        """The name in messages, as ``float32`` or ``qasymm_u8``."""
        return _LABELS[self]

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type."""
        return self in _FLOATS

    @property
    def is_quantized(self) -> bool:
        """Whether values need a scale to mean anything."""
        return self in _QUANTIZED

    @classmethod
    def from_numpy(cls, dtype: Any) -> DataType:
        """Return the type that a numpy array stands for.

        ``uint8``, ``int8`` and ``int16`` arrays are the quantised types ``QASYMM_U8``,
        ``QASYMM_S8`` and ``QSYMM_S16``; a dtype named ``bfloat16`` is ``BFLOAT16``, whereas plain
        ``uint16`` is refused because it does not say so.

        Parameters
        ----------
        dtype
            Anything that ``numpy.dtype`` takes.

        Raises
        ------
        InvalidArgumentError
            No tensor type has this dtype.
        """
        try:
            resolved = np.dtype(dtype)
        except TypeError as error:
            raise InvalidArgumentError(f"dtype {dtype!r} is not a numpy dtype") from error
        found = _FROM_NUMPY.get(resolved.newbyteorder("="))
        if found is not None:
            return found
        if resolved.name == "bfloat16":
            return cls.BFLOAT16
        raise InvalidArgumentError(
            f"dtype '{resolved}' has no tensor type",
            details=[f"tensor types: {', '.join(map(str, _FROM_NUMPY))}"],
            hints=[_DTYPE_CURES.get(resolved.name, "convert the array with .astype()")],
        )


_NUMPY: dict[DataType, np.dtype[Any]] = {
    DataType.FLOAT16: np.dtype(np.float16),
    DataType.FLOAT32: np.dtype(np.float32),
    DataType.QASYMM_U8: np.dtype(np.uint8),
    DataType.SIGNED32: np.dtype(np.int32),
    DataType.BOOLEAN: np.dtype(np.bool_),
    DataType.QSYMM_S16: np.dtype(np.int16),
    DataType.QSYMM_S8: np.dtype(np.int8),
    DataType.QASYMM_S8: np.dtype(np.int8),
    DataType.BFLOAT16: np.dtype(np.uint16),
    DataType.SIGNED64: np.dtype(np.int64),
}
# Two types share int8; what an array means by itself is the asymmetric one, as in LiteRT.
_FROM_NUMPY: dict[np.dtype[Any], DataType] = {
    dtype: data_type
    for data_type, dtype in _NUMPY.items()
    if data_type not in (DataType.QSYMM_S8, DataType.BFLOAT16)
}
_LABELS = {data_type: data_type.name.lower() for data_type in DataType}
_FLOATS = frozenset({DataType.FLOAT16, DataType.FLOAT32, DataType.BFLOAT16})
_QUANTIZED = frozenset(
    {DataType.QASYMM_U8, DataType.QASYMM_S8, DataType.QSYMM_S8, DataType.QSYMM_S16}
)
_DTYPE_CURES = {
    "float64": "array.astype('float32'); nothing is converted silently",
    "uint16": "for bfloat16 say so: TensorInfo(shape, DataType.BFLOAT16)",
    "uint32": "array.astype('int64'); nothing is converted silently",
    "uint64": "array.astype('int64'); nothing is converted silently",
}


class DataLayout(IntEnum):
    """Order of batch (N), channels (C), depth (D), height (H) and width (W)."""

    NCHW = 1
    NHWC = 2
    NDHWC = 3
    NCDHW = 4

    @property
    def channel_axis(self) -> int:
        """Index of the channel dimension."""
        return _LAYOUT_AXES[self][0]

    @property
    def spatial_axes(self) -> tuple[int, ...]:
        """Indices of the spatial dimensions, in the order D, H, W."""
        return _LAYOUT_AXES[self][1]

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.name)


_LAYOUT_AXES: dict[DataLayout, tuple[int, tuple[int, ...]]] = {
    DataLayout.NCHW: (1, (2, 3)),
    DataLayout.NHWC: (3, (1, 2)),
    DataLayout.NDHWC: (4, (1, 2, 3)),
    DataLayout.NCDHW: (1, (2, 3, 4)),
}


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


class ActivationFunction(IntEnum):
    """Function of an Activation layer; ``a`` and ``b`` are the descriptor's parameters."""

    SIGMOID = 0  #: 1 / (1 + exp(-x))
    TANH = 1  #: a * tanh(b * x)
    LINEAR = 2  #: a * x + b
    RELU = 3  #: max(x, 0)
    BOUNDED_RELU = 4  #: min(a, max(b, x))
    SOFT_RELU = 5  #: log(1 + exp(x))
    LEAKY_RELU = 6  #: x if x > 0 else a * x
    ABS = 7  #: |x|
    SQRT = 8
    SQUARE = 9
    ELU = 10  #: x if x >= 0 else a * (exp(x) - 1)
    HARD_SWISH = 11  #: x * min(max(x + 3, 0), 6) / 6
    GELU = 12  #: x * (1 + erf(x / sqrt(2))) / 2


class ComparisonOperation(IntEnum):
    """Operation of a Comparison layer."""

    EQUAL = 0
    GREATER = 1
    GREATER_OR_EQUAL = 2
    LESS = 3
    LESS_OR_EQUAL = 4
    NOT_EQUAL = 5


class LogicalBinaryOperation(IntEnum):
    """Operation of a LogicalBinary layer."""

    AND = 0
    OR = 1


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


class ReduceOperation(IntEnum):
    """Operation of a Reduce layer."""

    SUM = 0
    MAX = 1
    MEAN = 2
    MIN = 3
    PROD = 4


class ArgMinMaxFunction(IntEnum):
    """Function of an ArgMinMax layer; ties go to the lower index."""

    MIN = 0
    MAX = 1


class PoolingAlgorithm(IntEnum):
    """What a pooling window computes."""

    MAX = 0
    AVERAGE = 1
    L2 = 2


class PaddingMethod(IntEnum):
    """Whether padding counts in the divisor of an average."""

    IGNORE_VALUE = 0  #: it does
    EXCLUDE = 1  #: it does not


class PaddingMode(IntEnum):
    """What a Pad layer puts around its input."""

    CONSTANT = 0
    REFLECT = 1  #: mirrored, the border element is not repeated
    SYMMETRIC = 2  #: mirrored, the border element is repeated


class OutputShapeRounding(IntEnum):
    """How a pooling layer counts windows that do not fit wholly."""

    FLOOR = 0
    CEILING = 1


class ResizeMethod(IntEnum):
    """How a Resize layer reads between elements."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1


class NormalizationAlgorithmChannel(IntEnum):
    """Neighbourhood of a local response Normalization layer."""

    ACROSS = 0
    WITHIN = 1


class NormalizationAlgorithmMethod(IntEnum):
    """Method of a local response Normalization layer."""

    LOCAL_BRIGHTNESS = 0
    LOCAL_CONTRAST = 1


class ScatterNdFunction(IntEnum):
    """How a ScatterNd layer joins an update with the value in its place."""

    UPDATE = 0
    ADD = 1
    SUB = 2
    MAX = 3
    MIN = 4
    MUL = 5


class FusedKernelType(IntEnum):
    """Kernel of a Fused layer."""

    ADD_MUL_ADD = 0
