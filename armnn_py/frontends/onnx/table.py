# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of operators: the function that converts each version of an operator.

A converter is registered with the operator set version since which it holds, the same number that
the ONNX specification gives as "since version" where the meaning changed. Versions between which
only types were added share a converter.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from armnn_py.frontends.common.values import Value
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.records import record

__all__ = ["NEWEST_VERSION", "Operator", "find_operator", "operator", "operators_by_family"]

NEWEST_VERSION = 25
"""Newest version of the standard operator set that the converters were checked against."""

Converter = Callable[[NodeView], "Value | Sequence[Value]"]
Check = Callable[[NodeView], None]


@record
class Operator:
    """A converter and the version since which it holds."""

    since: int
    convert: Converter
    check: Check | None
    """Raises `Unsupported` for attributes that no layer expresses; sees no operands but weights."""


_FAMILIES = {
    "activation": (
        "Celu Clip Elu Gelu HardSigmoid HardSwish LeakyRelu Mish PRelu Relu Selu Shrink "
        "Sigmoid Softplus Softsign Swish Tanh ThresholdedRelu"
    ),
    "control_flow": "If Loop Scan",
    "convolution": "Conv",
    "elementwise": (
        "Abs Acos Acosh Add Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr "
        "BitwiseXor Cast CastLike Ceil Cos Cosh Div Erf Exp Floor "
        "IsInf Log Max Mean Min Mod Mul Neg Pow Reciprocal Round Sign Sin Sinh Sqrt Sub Sum "
        "Tan"
    ),
    "indexing": "Gather GatherElements GatherND OneHot Scatter ScatterElements ScatterND Trilu",
    "joining": "Concat Expand Pad Slice Split Tile",
    "logical": "And Equal Greater GreaterOrEqual IsNaN Less LessOrEqual Not Or Where Xor",
    "matrix": "Gemm MatMul",
    "normalization": (
        "BatchNormalization GroupNormalization InstanceNormalization LRN LayerNormalization "
        "LogSoftmax LpNormalization MeanVarianceNormalization RMSNormalization Softmax"
    ),
    "pooling": "AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool",
    "quantization": (
        "ConvInteger DequantizeLinear MatMulInteger QLinearConv QLinearMatMul QuantizeLinear"
    ),
    "recurrent": "GRU LSTM RNN",
    "reduction": (
        "ArgMax ArgMin CumSum Hardmax ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax "
        "ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare TopK"
    ),
    "resizing": "Resize Upsample",
    "sampling": "Col2Im GridSample RoiAlign",
    "selecting": "Compress NonMaxSuppression ReverseSequence TensorScatter Unique",
    "shaping": (
        "Constant ConstantOfShape DepthToSpace Dropout EyeLike Flatten Identity Range Reshape "
        "Shape Size SpaceToDepth Squeeze Transpose Unsqueeze"
    ),
    "transposed_convolution": "ConvTranspose",
}
"""By family, a module of `armnn_py.frontends.onnx.operators`: its operators. A model imports the
families that it has operators of."""

_FAMILY_OF = {name: family for family, names in _FAMILIES.items() for name in names.split()}
_TABLE: dict[str, list[Operator]] = {}


def operator(
    *names: str, since: int = 1, check: Check | None = None
) -> Callable[[Converter], Converter]:
    """Register a converter for operators of the standard domain."""

    def register(convert: Converter) -> Converter:
        for name in names:
            assert name in _FAMILY_OF, f"{name} is in no family"
            versions = _TABLE.setdefault(name, [])
            versions.append(Operator(since, convert, check))
            versions.sort(key=lambda entry: entry.since)
        return convert

    return register


def find_operator(domain: str, op_type: str, version: int) -> Operator | None:
    """Return the converter of an operator in an operator set version."""
    family = None if domain else _FAMILY_OF.get(op_type)
    if family is None:
        return None
    importlib.import_module(f"armnn_py.frontends.onnx.operators.{family}")
    found = None
    for entry in _TABLE[op_type]:
        if entry.since <= version:
            found = entry
    return found


def operator_names() -> tuple[str, ...]:
    """Return all operators that have a converter."""
    return tuple(sorted(_FAMILY_OF))


def operators_by_family() -> dict[str, list[str]]:
    """Return the same by the family that an operator belongs to."""
    return {family: names.split() for family, names in _FAMILIES.items()}
