# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of operators: the function that converts each, and the newest version it knows.

A version of an operator says which types and fields a file makes use of; each one holds all before
it; the newest are those that LiteRT 2.3 registers kernels for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from armnn_py.frontends.common.values import Value
from armnn_py.frontends.tflite.complex_values import ComplexValue
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.resources import Resources

Converter = Callable[[OperatorView], "Value | ComplexValue | Sequence[Value]"]

_TABLE: dict[str, Converter] = {}

_OPERATORS = {
    "activation": (
        "ELU GELU HARD_SWISH LEAKY_RELU LOGISTIC LOG_SOFTMAX PRELU RELU RELU6 RELU_0_TO_1 "
        "RELU_N1_TO_1 SOFTMAX TANH"
    ),
    "control": "IF STABLEHLO_COMPOSITE WHILE",
    "convolution": "CONV_2D CONV_3D DEPTHWISE_CONV_2D TRANSPOSE_CONV",
    "custom": "Convolution2DTransposeBias TFLite_Detection_PostProcess",
    "elementwise": (
        "ABS ADD ADD_N CAST CEIL COS DIV EXP FLOOR FLOOR_DIV FLOOR_MOD LOG MAXIMUM MINIMUM MUL "
        "NEG POW ROUND RSQRT SIGN SIN SQRT SQUARE SQUARED_DIFFERENCE SUB"
    ),
    "filters": "SVDF",
    "indexing": (
        "DYNAMIC_UPDATE_SLICE EMBEDDING_LOOKUP GATHER GATHER_ND MATRIX_DIAG MATRIX_SET_DIAG "
        "ONE_HOT SCATTER_ND SPARSE_TO_DENSE TOPK_V2 UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_MIN "
        "UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_SUM"
    ),
    "joining": "CONCATENATION PACK SPLIT SPLIT_V UNPACK",
    "logical": (
        "EQUAL GREATER GREATER_EQUAL LESS LESS_EQUAL LOGICAL_AND LOGICAL_NOT LOGICAL_OR "
        "NOT_EQUAL SELECT SELECT_V2"
    ),
    "matrix": "BATCH_MATMUL FULLY_CONNECTED",
    "normalization": "L2_NORMALIZATION LOCAL_RESPONSE_NORMALIZATION",
    "padding": "BROADCAST_TO MIRROR_PAD PAD PADV2 TILE",
    "pooling": "AVERAGE_POOL_2D L2_POOL_2D MAX_POOL_2D",
    "quantization": "DEQUANTIZE FAKE_QUANT QUANTIZE",
    "recurrent": (
        "BIDIRECTIONAL_SEQUENCE_LSTM BIDIRECTIONAL_SEQUENCE_RNN LSTM RNN "
        "UNIDIRECTIONAL_SEQUENCE_LSTM UNIDIRECTIONAL_SEQUENCE_RNN"
    ),
    "reduction": (
        "ARG_MAX ARG_MIN CUMSUM MEAN REDUCE_ALL REDUCE_ANY REDUCE_MAX REDUCE_MIN REDUCE_PROD SUM"
    ),
    "selecting": "NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 UNIQUE WHERE",
    "shaping": (
        "BROADCAST_ARGS DENSIFY EXPAND_DIMS FILL RANGE RANK RESHAPE SHAPE SQUEEZE TRANSPOSE "
        "ZEROS_LIKE"
    ),
    "slicing": "REVERSE_SEQUENCE REVERSE_V2 SLICE STRIDED_SLICE",
    "spatial": (
        "BATCH_TO_SPACE_ND DEPTH_TO_SPACE RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR "
        "SPACE_TO_BATCH_ND SPACE_TO_DEPTH"
    ),
    "spectral": "COMPLEX_ABS IMAG REAL RFFT2D",
}
"""The operators of each module of converters, which is imported when a model has one of them."""

_MODULE_OF = {name: module for module, names in _OPERATORS.items() for name in names.split()}

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
    if name not in _TABLE and name in _MODULE_OF:
        importlib.import_module(f"armnn_py.frontends.tflite.operators.{_MODULE_OF[name]}")
    return _TABLE.get(name)


def newest_version(name: str) -> int:
    """Return the newest version of a builtin operator that its converter knows."""
    return _NEWEST_OF.get(name, 1)


def operator_names() -> tuple[str, ...]:
    """Return all operators that have a converter, custom ones too."""
    return tuple(sorted((*_MODULE_OF, *Resources.OPERATORS)))


def operators_by_family() -> dict[str, list[str]]:
    """Return the same by the module that converts an operator."""
    families = {family: sorted(names.split()) for family, names in _OPERATORS.items()}
    return dict(sorted({**families, "variables": [*Resources.OPERATORS]}.items()))
