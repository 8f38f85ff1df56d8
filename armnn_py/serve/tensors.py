# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors of the protocol: its data types, JSON numbers and raw bytes, from and to arrays."""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
import simdjson

from armnn_py.serve.failures import RequestError
from armnn_py.tensors import STRING, TensorInfo
from armnn_py.tensors.bfloat16 import bfloat16_bits, from_bfloat16_bits
from armnn_py.types import DataType

Array = np.ndarray[Any, Any]

_NAMES: Final = {
    DataType.FLOAT16: "FP16",
    DataType.BFLOAT16: "BF16",
    DataType.FLOAT32: "FP32",
    DataType.FLOAT64: "FP64",
    DataType.BOOLEAN: "BOOL",
    STRING: "BYTES",
}
_ELEMENTS: Final[dict[str, Any]] = {"f": float, "i": int, "u": int, "b": bool, "O": str}
#: The kind of a dtype -> simdjson's name of a buffer, and the dtype of its elements.
_BUFFERS: Final[dict[str, tuple[Any, str]]] = {
    "f": ("d", "<f8"),
    "i": ("i", "<i8"),
    "u": ("u", "<u8"),
}
_MOST_DIMENSIONS: Final = 8


def datatype_of(info: TensorInfo) -> str:
    """Return the protocol's name of a tensor's type; float8 types travel as UINT8."""
    return _datatype(info.data_type)


@functools.cache
def _datatype(kind: DataType) -> str:
    dtype = kind.numpy
    return _NAMES.get(kind) or f"{'UINT' if dtype.kind == 'u' else 'INT'}{dtype.itemsize * 8}"


def check_shape(name: str, shape: Sequence[int], datatype: str, info: TensorInfo) -> None:
    """Refuse a tensor whose type or shape the input does not have.

    Raises
    ------
    RequestError
        The type differs, or the shape does not fit.
    """
    wanted = datatype_of(info)
    if datatype != wanted:
        raise RequestError(f"input '{name}': datatype {datatype[:20]} given, {wanted} expected")
    dims = [-1 if dim is None else dim for dim in info.shape]
    fits = len(shape) == len(dims) and all(
        given >= 0 and dim in (-1, given) for given, dim in zip(shape, dims, strict=True)
    )
    if not fits:
        shown = list(shape[: _MOST_DIMENSIONS + 1])
        raise RequestError(f"input '{name}': shape {shown} given, {dims} expected")


def from_json(name: str, data: Any, shape: Sequence[int], info: TensorInfo) -> Array:
    """Read the ``data`` of an input: a flat list, or nested lists in its shape.

    Parameters
    ----------
    name
        Of the input, for messages.
    data
        Their JSON text, or what simdjson has made of it: an array without lists in it.
    shape
        As the request states it; `check_shape` has seen it.
    info
        Of the input.

    Raises
    ------
    RequestError
        The data are not a list of such elements, or their number is not that of the shape.
    """
    if isinstance(data, simdjson.Array):
        array = _from_buffer(data, info)
        if array is not None:
            return from_values(name, array, shape, info)
        data = data.as_list()
    kind = float if info.data_type is DataType.BFLOAT16 else _ELEMENTS[info.dtype.kind]
    if isinstance(data, msgspec.Raw):
        data = _decoded(name, bytes(data), shape, is_text=kind is str)
    if isinstance(data, list) and data and isinstance(data[0], list):
        data = _flattened(name, data, shape)
    try:
        values = msgspec.convert(data, list[kind])  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        raise RequestError(
            f"input '{name}': its data are not a list of {datatype_of(info)}: {error}"
        ) from None
    return from_values(name, values, shape, info)


def _decoded(name: str, text: bytes, shape: Sequence[int], *, is_text: bool) -> Any:
    """Return the objects of a text, which may not have more elements than its shape."""
    given = text.count(b",") + 1
    if is_text:  # a string that ends in a backslash counts as a half
        given = (text.count(b'"') - text.count(b'\\"')) // 2
    if given > math.prod(dim for dim in shape if dim):  # nested lists of none have commas as well
        _check_count(name, given, shape, "elements")
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(f"input '{name}': its data cannot be read: {error}") from None


def _from_buffer(data: simdjson.Array, info: TensorInfo) -> Array | None:
    """Return 64-bit numbers of a flat list; None: they are strings or truths, or do not fit."""
    kind = "f" if info.data_type is DataType.BFLOAT16 else info.dtype.kind
    if kind not in _BUFFERS:
        return None
    buffer, dtype = _BUFFERS[kind]
    try:
        array = np.frombuffer(data.as_buffer(of_type=buffer), dtype)
    except (TypeError, ValueError):
        return None
    if kind != "f" and not _fits(array, info.dtype):
        return None
    return array


def _fits(array: Array, dtype: np.dtype[Any]) -> bool:
    limits = np.iinfo(dtype)
    return not array.size or bool(limits.min <= array.min() and array.max() <= limits.max)


def from_values(
    name: str, values: Sequence[Any] | Array, shape: Sequence[int], info: TensorInfo
) -> Array:
    """Return an input of its elements in order, which fit if they are an array; see `from_json`.

    Raises
    ------
    RequestError
        Their number is not that of the shape, or one exceeds the type.
    """
    is_bfloat = info.data_type is DataType.BFLOAT16
    _check_count(name, len(values), shape, "elements")
    try:
        with np.errstate(over="ignore"):  # a number beyond the type is infinite, as in numpy
            dtype = np.dtype(np.float32) if is_bfloat else info.dtype
            if isinstance(values, np.ndarray):
                array = values.astype(dtype)
            else:
                array = np.fromiter(values, dtype, len(values))
        return (bfloat16_bits(array) if is_bfloat else array).reshape(shape)
    except (OverflowError, ValueError) as error:
        raise RequestError(f"input '{name}': {error}") from None


def _flattened(name: str, nested: list[Any], shape: Sequence[int]) -> list[Any]:
    """Return the elements of nested lists, each of which has the length of its dimension."""
    level: list[Any] = [nested]
    for axis, dim in enumerate(shape):
        if any(not isinstance(one, list) or len(one) != dim for one in level):
            raise RequestError(
                f"input '{name}': its nested lists do not have the shape {list(shape)}, "
                f"see dimension {axis}"
            )
        level = [inner for one in level for inner in one]
    return level


def _check_count(name: str, given: int, shape: Sequence[int], what: str, size: int = 1) -> None:
    wanted = math.prod(shape) * size
    if given != wanted:
        raise RequestError(
            f"input '{name}': {given} {what} given, {wanted} expected for shape {list(shape)}"
        )


def from_raw(name: str, data: bytes | memoryview, shape: Sequence[int], info: TensorInfo) -> Array:
    """Read an input from the bytes of its elements, little-endian and row-major; see `from_json`.

    Raises
    ------
    RequestError
        The number of bytes is not that of the shape, or strings have lengths that lie.
    """
    if info.data_type is STRING:
        texts = _strings(name, data)
        _check_count(name, len(texts), shape, "strings")
        array = np.empty(len(texts), object)
        array[:] = texts
        return array.reshape(shape)
    _check_count(name, len(data), shape, "bytes", info.dtype.itemsize)
    try:
        if info.data_type is DataType.BOOLEAN:
            truth: Array = np.frombuffer(data, np.uint8) != 0
            return truth.reshape(shape)
        return np.frombuffer(data, info.dtype).reshape(shape)
    except (OverflowError, ValueError) as error:
        raise RequestError(f"input '{name}': {error}") from None


def _strings(name: str, data: bytes | memoryview) -> list[str]:
    """Read strings, each behind its length in 4 bytes."""
    texts: list[str] = []
    place = 0
    while place < len(data):
        end = place + 4
        length = int.from_bytes(data[place:end], "little")
        if end + length > len(data):
            raise RequestError(
                f"input '{name}': string {len(texts)} of {length} bytes exceeds its {len(data)} "
                "bytes of data"
            )
        place = end + length
        try:
            texts.append(str(data[end:place], "utf-8"))
        except UnicodeDecodeError:
            raise RequestError(f"input '{name}': string {len(texts)} is not UTF-8") from None
    return texts


def to_json(array: Array, info: TensorInfo) -> list[Any]:
    """Return the elements of an output as a flat list; what JSON lacks is written as null."""
    if info.data_type is DataType.BFLOAT16:
        array = from_bfloat16_bits(array)
    flat: list[Any] = array.ravel().tolist()
    return flat


def to_raw(array: Array, info: TensorInfo) -> bytes:
    """Return the bytes of an output, see `from_raw`."""
    if info.data_type is not STRING:
        return array.tobytes()
    texts = [str(text).encode() for text in array.ravel()]
    return b"".join(part for text in texts for part in (struct.pack("<I", len(text)), text))
