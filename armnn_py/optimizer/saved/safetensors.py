# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The constants of a saved network: one member in the safetensors format, which is never copied.

The format: the length of a JSON header as eight bytes, little endian; the header, which has type,
shape and place of each tensor; the values, little endian and without gaps. Each constant begins at
a multiple of 64 bytes: what is between them are tensors as well, called ``pad.N``.
"""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MOST_HEADER = 100_000_000
"""The largest header in bytes, as of the format's own readers."""

NAME_OF = {
    "bool": "BOOL", "int8": "I8", "uint8": "U8", "int16": "I16", "uint16": "U16", "int32": "I32",
    "uint32": "U32", "int64": "I64", "uint64": "U64", "float16": "F16", "float32": "F32",
    "float64": "F64",
}  # fmt: skip


def tensors_to_chunks(arrays: Iterable[NDArray[Any]]) -> tuple[Any, ...]:
    """Return the bytes of a member with the arrays ``0``, ``1`` and so on, without copies.

    On a machine that stores numbers the other way round, the values are copied.
    """
    header: dict[str, Any] = {}
    chunks: list[Any] = []
    at = 0
    for index, array in enumerate(arrays):
        values = array if sys.byteorder == "little" else array.astype(array.dtype.newbyteorder("<"))
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        header[str(index)] = {
            "dtype": NAME_OF[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [at, at + data.nbytes],
        }
        at += data.nbytes
        gap = -at % ALIGNMENT
        if gap:
            offsets = [at, at + gap]
            header[f"pad.{index}"] = {"dtype": "U8", "shape": [gap], "data_offsets": offsets}
            at += gap
        chunks += [data, bytes(gap)]
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return (len(text).to_bytes(8, "little") + text, *chunks)


def read_header(member: NDArray[np.uint8]) -> tuple[dict[str, Any], NDArray[np.uint8]]:
    """Return the header of a member and the bytes of all its tensors.

    Raises
    ------
    ValueError
        It is not a safetensors file.
    """
    size = int.from_bytes(member[:8].tobytes(), "little")
    if len(member) < 8 or size > min(len(member) - 8, MOST_HEADER):
        raise ValueError(f"its header has {size} bytes that are not there")
    header = json.loads(member[8 : 8 + size].tobytes())
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    return header, member[8 + size :]


def tensor_of(
    header: dict[str, Any], data: NDArray[np.uint8], name: str, shape: tuple[int, ...], dtype: Any
) -> NDArray[Any]:
    """Return a tensor, which must have just this type and shape: a read-only view of ``data``.

    Raises
    ------
    ValueError
        It is missing, has another type or shape, or its data are outside the file.
    """
    about = header.get(name)
    if not isinstance(about, dict):
        raise ValueError(f"tensor '{name}' is missing")
    dtype = np.dtype(dtype)
    if about.get("dtype") != NAME_OF[dtype.name] or about.get("shape") != list(shape):
        raise ValueError(f"tensor '{name}' is not an array of {dtype} {shape}")
    offsets = about.get("data_offsets")
    if not isinstance(offsets, list) or [type(one) for one in offsets] != [int, int]:
        raise ValueError(f"the offsets of tensor '{name}' are no two whole numbers")
    begin, end = offsets
    if not 0 <= begin <= end <= len(data):
        raise ValueError(f"tensor '{name}' is at bytes {begin} to {end} of {len(data)}")
    if end - begin != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"tensor '{name}' has {end - begin} bytes, which is another size")
    if begin == end:
        array: NDArray[Any] = np.empty(shape, dtype)
    else:
        values = data[begin:end]
        if values.ctypes.data % dtype.itemsize:
            values = values.copy()
        array = values.view(dtype.newbyteorder("<")).reshape(shape)
        array = np.ascontiguousarray(array, dtype).reshape(shape)  # itself, but for byte order
    array.flags.writeable = False
    return array
