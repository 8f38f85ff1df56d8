# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The options of custom operators: a FlexBuffers map of names to numbers and texts."""

from __future__ import annotations

from typing import Any

from armnn_py.errors import ParseError
from armnn_py.frontends.tflite.reading import DAMAGE

__all__ = ["read_map"]

_MOST_KEYS = 256


def read_map(data: bytes) -> dict[str, Any]:
    """Return the numbers, booleans and texts of a map; vectors and maps in it are left out.

    Raises
    ------
    ParseError
        The bytes are no such map.
    """
    from flatbuffers import flexbuffers

    try:
        root = flexbuffers.GetRoot(data)
        if not root.IsMap:
            raise ValueError("the root is not a map")
        entries = root.AsMap
        count = len(entries)
        if count > min(len(data), _MOST_KEYS):
            raise ValueError(f"{count} keys in {len(data)} bytes")
        keys = [entries.Keys[index].AsKey for index in range(count)]
        values = [entries.Values[index] for index in range(count)]
        return {
            key: value
            for key, given in zip(keys, values, strict=True)
            if (value := _plain(given)) is not None
        }
    except (*DAMAGE, RecursionError) as error:
        raise ParseError("its options are not a FlexBuffers map", details=[str(error)]) from error


def _plain(given: Any) -> Any:
    if given.IsBool:
        return bool(given.AsBool)
    if given.IsInt:
        return int(given.AsInt)
    if given.IsFloat:
        return float(given.AsFloat)
    if given.IsString:
        return str(given.AsString)
    return None
