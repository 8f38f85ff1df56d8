# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What layers offer a choice of: operations, methods and modes."""

from __future__ import annotations

from enum import IntEnum

__all__ = [
    "ActivationFunction",
    "ArgMinMaxFunction",
    "BinaryOperation",
    "ComparisonOperation",
    "FusedKernelType",
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
