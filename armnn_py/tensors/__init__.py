# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Infos of tensors, known before there are values, and the constants of a network.

A shape is a plain tuple. A dimension that is only known when the network runs is ``None`` and
prints as ``?``.
"""

from __future__ import annotations

from armnn_py.tensors.constants import as_constant
from armnn_py.tensors.info import TensorInfo
from armnn_py.tensors.quantization import QuantizationInfo
from armnn_py.tensors.shapes import (
    MAX_DIMENSIONS,
    format_shape,
    parse_shape,
    parse_static_shape,
)
from armnn_py.tensors.strings import STRING, StringInfo

__all__ = [
    "MAX_DIMENSIONS",
    "STRING",
    "QuantizationInfo",
    "StringInfo",
    "TensorInfo",
    "as_constant",
    "format_shape",
    "parse_shape",
    "parse_static_shape",
]
