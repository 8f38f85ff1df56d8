# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The data types of the protocol: sample values, and their forms in JSON, bytes and messages."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

#: The data types of "Tensor Data Types", and BF16, which servers add. BF16 travels as its bits.
DTYPES: dict[str, Any] = {
    "BOOL": np.dtype("bool"),
    "UINT8": np.dtype("<u1"),
    "UINT16": np.dtype("<u2"),
    "UINT32": np.dtype("<u4"),
    "UINT64": np.dtype("<u8"),
    "INT8": np.dtype("<i1"),
    "INT16": np.dtype("<i2"),
    "INT32": np.dtype("<i4"),
    "INT64": np.dtype("<i8"),
    "FP16": np.dtype("<f2"),
    "FP32": np.dtype("<f4"),
    "FP64": np.dtype("<f8"),
    "BF16": np.dtype("<u2"),
    "BYTES": np.dtype(object),
}
#: Types whose elements have no JSON form that the protocol defines.
ONLY_RAW = {"FP16", "BF16"}
#: The field of InferTensorContents for each type; the types of ONLY_RAW have none.
CONTENTS = {
    "BOOL": "bool_contents",
    **dict.fromkeys(("INT8", "INT16", "INT32"), "int_contents"),
    **dict.fromkeys(("UINT8", "UINT16", "UINT32"), "uint_contents"),
    "INT64": "int64_contents",
    "UINT64": "uint64_contents",
    "FP32": "fp32_contents",
    "FP64": "fp64_contents",
    "BYTES": "bytes_contents",
}


def sample(datatype: str, shape: list[int], start: int = 0) -> np.ndarray:
    """Give small values that differ between elements, counted from ``start``."""
    count = int(np.prod(shape, dtype=np.int64))
    steps = (np.arange(count) + start) % 100
    if datatype == "BYTES":
        values = np.array([f"text {step}".encode() for step in steps], object)
    elif datatype == "BF16":
        values = (steps.astype("<f4").view("<u4") >> 16).astype("<u2")
    elif datatype == "BOOL":
        values = steps % 3 == 0
    else:
        values = steps.astype(DTYPES[datatype])
    return values.reshape(shape)


def extremes(datatype: str) -> np.ndarray:
    """Give values at the limits of a type; shape (4,)."""
    kind = DTYPES[datatype]
    if datatype == "BYTES":
        values: list[Any] = [b"", "\u00e9\u4e16\U0001f600".encode(), b'"\\\n\t', b"x" * 1000]
    elif datatype == "BOOL":
        values = [True, False, False, True]
    elif datatype == "BF16":  # the largest, the smallest, -0.0 and a subnormal
        values = [0x7F7F, 0xFF7F, 0x8000, 0x0001]
    elif kind.kind == "f":
        limits = np.finfo(kind)
        values = [limits.max, limits.min, limits.tiny, kind.type(0.1)]
    else:
        limits = np.iinfo(kind)
        values = [limits.max, limits.min, limits.max - 1, 1]
    return np.array(values, kind)


def to_json(array: np.ndarray, *, nested: bool = False) -> list[Any]:
    """Give the elements as a list for JSON, flat in row-major order or nested as the shape."""
    array = array if nested else array.reshape(-1)
    if array.dtype == object:
        array = np.array([one.decode() for one in array.reshape(-1)], object).reshape(array.shape)
    return array.tolist()


def from_json(data: Any, datatype: str, shape: list[int]) -> np.ndarray:
    """Read the elements of a response's ``data``, flat or nested, and check each one's JSON type.

    Raises
    ------
    AssertionError
        If an element has a type or value that ``datatype`` does not allow, or the count differs.
    """
    flat: list[Any] = []
    waiting = [data]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(reversed(one))
        else:
            flat.append(one)
    allowed: Any = {"BOOL": bool, "BYTES": str}.get(datatype, (int, float))
    for one in flat:
        right = isinstance(one, allowed) and (datatype == "BOOL" or not isinstance(one, bool))
        if not right:
            raise AssertionError(f"data of type {datatype} holds the JSON value {one!r}")
    if datatype == "BYTES":
        flat = [one.encode() for one in flat]
    return _shaped(np.array(flat, DTYPES[datatype]), datatype, shape)


def to_bytes(array: np.ndarray) -> bytes:
    """Give the little-endian bytes; an element of BYTES has its length as 4 bytes before it."""
    if array.dtype == object:
        return b"".join(struct.pack("<I", len(one)) + one for one in array.reshape(-1))
    return array.tobytes()


def from_bytes(data: bytes, datatype: str, shape: list[int]) -> np.ndarray:
    """Read what `to_bytes` gives.

    Raises
    ------
    AssertionError
        If the size does not fit the type and shape.
    """
    if datatype != "BYTES":
        size = DTYPES[datatype].itemsize
        if len(data) % size:
            raise AssertionError(
                f"{len(data)} bytes are not a multiple of {size}, as {datatype} has"
            )
        return _shaped(np.frombuffer(data, DTYPES[datatype]), datatype, shape)
    elements, place = [], 0
    while place < len(data):
        if place + 4 > len(data):
            raise AssertionError("BYTES data ends inside an element's length")
        (length,) = struct.unpack_from("<I", data, place)
        place += 4 + length
        if place > len(data):
            raise AssertionError(f"an element of {length} bytes reaches beyond the BYTES data")
        elements.append(data[place - length : place])
    return _shaped(np.array(elements, object), datatype, shape)


def _shaped(flat: np.ndarray, datatype: str, shape: list[int]) -> np.ndarray:
    if flat.size != np.prod(shape, dtype=np.int64):
        raise AssertionError(f"{flat.size} elements of {datatype} for the shape {shape}")
    return flat.reshape(shape)


def same(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether two arrays have one shape and equal elements."""
    return left.shape == right.shape and bool(np.array_equal(left, right))
