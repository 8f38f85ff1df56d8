# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Enumerations: data types, layer types and the choices that layers offer.

Names and numbers are Arm NN's, the same that cross the border to a backend (``armnn/types.h`` and
``armnn/descriptors.h``); members are spelt as the C suffixes.
"""

from __future__ import annotations

from armnn_py.types.choices import (
    ActivationFunction,
    ArgMinMaxFunction,
    BinaryOperation,
    ComparisonOperation,
    FusedKernelType,
    LogicalBinaryOperation,
    NormalizationAlgorithmChannel,
    NormalizationAlgorithmMethod,
    OutputShapeRounding,
    PaddingMethod,
    PaddingMode,
    PoolingAlgorithm,
    ReduceOperation,
    ResizeMethod,
    ScatterNdFunction,
    UnaryOperation,
)
from armnn_py.types.layers import (
    LayerType,
)
from armnn_py.types.tensors import (
    DataLayout,
    DataType,
    MemorySource,
)

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
    "MemorySource",
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

# One public place for each, whatever the file: in tracebacks, in pickles and in documentation.
for _name in __all__:
    globals()[_name].__module__ = __name__
