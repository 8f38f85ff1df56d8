# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of operators: the function that converts each, and the newest version it knows.

A version of an operator says which types and fields a file makes use of; each one holds all before
it; the newest are those that LiteRT 2.3 registers kernels for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armnn_py.frontends.common.converter_modules import import_modules
from armnn_py.frontends.common.values import Value
from armnn_py.frontends.tflite.complex_values import ComplexValue
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.resources import Resources

__all__ = [
    "Converter",
    "find_operator",
    "newest_version",
    "operator",
    "operator_names",
    "operators_by_family",
]

Converter = Callable[[OperatorView], "Value | ComplexValue | Sequence[Value]"]

_TABLE: dict[str, Converter] = {}

_NEWEST = {
    2: (
        "COS DEPTH_TO_SPACE DIV EXP FAKE_QUANT FLOOR_MOD GREATER L2_NORMALIZATION LEAKY_RELU "
        "LESS_EQUAL LOG LOG_SOFTMAX RANGE REDUCE_PROD SELECT_V2 SIGN SIN SPACE_TO_DEPTH SQRT "
        "SQUARED_DIFFERENCE SQUEEZE SUM"
    ),
    3: (
        "ARG_MAX ARG_MIN AVERAGE_POOL_2D BIDIRECTIONAL_SEQUENCE_LSTM BIDIRECTIONAL_SEQUENCE_RNN "
        "FLOOR_DIV GELU GREATER_EQUAL LESS LOGISTIC MAX_POOL_2D MEAN MIRROR_PAD REDUCE_MAX "
        "REDUCE_MIN RELU RELU6 RNN RSQRT SPARSE_TO_DENSE SPLIT_V TANH TILE TOPK_V2 "
        "UNIDIRECTIONAL_SEQUENCE_RNN"
    ),
    4: (
        "BATCH_MATMUL BATCH_TO_SPACE_ND BROADCAST_TO LSTM MAXIMUM MINIMUM NOT_EQUAL "
        "RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR REVERSE_V2 SELECT SOFTMAX SPACE_TO_BATCH_ND "
        "UNIDIRECTIONAL_SEQUENCE_LSTM"
    ),
    5: "ABS EQUAL FILL PACK SPLIT SUB TRANSPOSE_CONV",
    6: "ADD GATHER_ND PAD PADV2 QUANTIZE UNPACK",
    7: "CONCATENATION DEPTHWISE_CONV_2D",
    8: "CONV_2D GATHER MUL SLICE STRIDED_SLICE",
    9: "CAST DEQUANTIZE TRANSPOSE",
    14: "FULLY_CONNECTED",
}
"""Builtin operators by their newest version; those of version 1 are left out."""

_NEWEST_OF = {name: version for version, names in _NEWEST.items() for name in names.split()}


def operator(*names: str) -> Callable[[Converter], Converter]:
    """Register a converter for builtin operators, or for custom ones by their names."""

    def register(convert: Converter) -> Converter:
        for name in names:
            _TABLE[name] = convert
        return convert

    return register


def find_operator(name: str) -> Converter | None:
    """Return the converter of an operator."""
    return _whole_table().get(name)


def _whole_table() -> dict[str, Converter]:
    """Return the table, once all modules of converters have registered theirs."""
    import_modules("armnn_py.frontends.tflite.operators")
    return _TABLE


def newest_version(name: str) -> int:
    """Return the newest version of a builtin operator that its converter knows."""
    return _NEWEST_OF.get(name, 1)


def operator_names() -> tuple[str, ...]:
    """Return all operators that have a converter, custom ones too."""
    return tuple(sorted((*_whole_table(), *Resources.OPERATORS)))


def operators_by_family() -> dict[str, list[str]]:
    """Return the same by the module that converts an operator."""
    families = {"variables": [*Resources.OPERATORS]}
    for name, convert in sorted(_whole_table().items()):
        families.setdefault(convert.__module__.rpartition(".")[2], []).append(name)
    return dict(sorted(families.items()))
