# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The element types of ``onnx.proto``, and the dtypes of the arrays that hold them.

Types that numpy lacks have dtypes of the package ml_dtypes, which is imported when a model has one.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

STRING_NUMBER = 8
"""The ``TensorProto.DataType`` of strings: no layer has them, arrays of dtype object do."""

_STRING = np.dtype(object)

# TensorProto.DataType -> numpy dtype of the types that numpy has.
_PLAIN: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.float32),
    2: np.dtype(np.uint8),
    3: np.dtype(np.int8),
    4: np.dtype(np.uint16),
    5: np.dtype(np.int16),
    6: np.dtype(np.int32),
    7: np.dtype(np.int64),
    9: np.dtype(np.bool_),
    10: np.dtype(np.float16),
    11: np.dtype(np.float64),
    12: np.dtype(np.uint32),
    13: np.dtype(np.uint64),
}
_SMALL = {
    16: "bfloat16",
    17: "float8_e4m3fn",
    18: "float8_e4m3fnuz",
    19: "float8_e5m2",
    20: "float8_e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4_e2m1fn",
    24: "float8_e8m0fnu",
    25: "uint2",
    26: "int2",
}
_NO_DTYPE = {
    0: "undefined", 8: "string", 14: "complex64", 15: "complex128",
    27: "float6e2m3", 28: "float6e3m2",
}  # fmt: skip
_OF_A_PACKAGE = 2  # np.dtype.isbuiltin


@functools.cache
def small_type(name: str) -> np.dtype[Any]:
    """Return a dtype of the package ml_dtypes by its name."""
    import ml_dtypes

    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return dtype


def dtype_of_number(number: int) -> np.dtype[Any] | None:
    """Return the dtype of a ``TensorProto.DataType``, or None for one that no array has."""
    dtype = _PLAIN.get(number)
    if dtype is None and number in _SMALL:
        dtype = small_type(_SMALL[number])
    return dtype


def of_any_number(number: int) -> np.dtype[Any] | None:
    """Return the same, also of strings."""
    return _STRING if number == STRING_NUMBER else dtype_of_number(number)


def is_string(dtype: np.dtype[Any] | None) -> bool:
    """Return whether a dtype is that of arrays of strings."""
    return dtype == _STRING


def name_of(dtype: np.dtype[Any]) -> str:
    """Return what a type is called in messages."""
    return "string" if is_string(dtype) else str(dtype)


def element_type_name(number: int) -> str:
    """Return the name of a ``TensorProto.DataType``."""
    dtype = dtype_of_number(number)
    return str(dtype) if dtype is not None else _NO_DTYPE.get(number, f"type {number}")


def is_small(dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype is one of those that numpy lacks."""
    return dtype.isbuiltin == _OF_A_PACKAGE and dtype.name in _SMALL.values()
