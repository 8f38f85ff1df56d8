# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arrays of strings for converters, and numbers as strings.

How numbers are written and read is that of onnxruntime, where the text of Cast leaves it open.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Array, Known
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.file.element_types import is_small, is_string, name_of
from armnn_py.text import format_bytes

_FIXED = 2**63
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_REAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
_SPECIAL = {"inf", "infinity", "nan"}
_MOST_DIGITS = 4000
"""Of one number: Python takes time by the square of them to read an integer."""


def strings_of(view: NodeView, index: int) -> Array:
    """Return an operand that holds strings, which is known here.

    Raises
    ------
    ParseError
        It holds something else.
    """
    array = view.constant(index, "strings")
    if not is_string(array.dtype):
        raise ParseError(f"input {index} is {array.dtype}, expected strings")
    return array


def array_of_strings(texts: Iterable[str], shape: Sequence[int]) -> Array:
    """Return strings as an array of a shape of as many elements."""
    array = np.empty(math.prod(shape), object)
    array[:] = list(texts)
    return array.reshape(tuple(shape))


def check_length(view: NodeView, count: int) -> None:
    """Raise `ParseError` if a node would make strings of more characters than memory is for."""
    if not view.emit.foldable([], (count,), np.dtype(np.uint8)):
        raise ParseError(
            f"the strings would take {format_bytes(count)}, which exceeds the memory budget"
        )


# ---- Casts ---------------------------------------------------------------------------------------


def as_strings(array: Array) -> Known:
    """Return numbers as text: floats with 8 digits at most, a flag as 0 or 1."""
    kind = array.dtype.kind
    if is_string(array.dtype):
        return Known(array)
    write: Callable[[Any], str] = str
    if kind == "f" or is_small(array.dtype):
        array = array.astype(np.float64)
        write = _written
    elif kind == "b":
        array = array.astype(np.int64)
    return Known(array_of_strings(map(write, array.reshape(-1).tolist()), array.shape))


def _written(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "INF" if number > 0 else "-INF"
    return f"{number:.8g}"


def as_numbers(array: Array, target: np.dtype[Any]) -> Known:
    """Return strings as numbers of a type that numpy has.

    Raises
    ------
    ParseError
        A string is not a number, or does not fit in 64 bits.
    """
    if target.kind == "f":
        with np.errstate(over="ignore"):
            reals = np.array([_real(text) for text in array.flat], np.float64)
            return Known(reals.astype(target).reshape(array.shape))
    if target.kind not in "iub":
        raise ParseError(f"strings cannot be cast to {name_of(target)}")
    whole = [_integer(text) for text in array.flat]
    if target.kind == "b":
        return Known(np.array([one != 0 for one in whole], np.bool_).reshape(array.shape))
    ends = (0, 2 * _FIXED) if target == np.uint64 else (-_FIXED, _FIXED)
    for text, one in zip(array.flat, whole, strict=True):
        if not ends[0] <= one < ends[1]:
            raise ParseError(f"{quoted(text)} does not fit in {target}")
    wide = np.array(whole, np.uint64 if ends[0] == 0 else np.int64)
    return Known(wide.astype(target).reshape(array.shape))


def _real(text: str) -> float:
    found = text.strip()
    if _REAL.fullmatch(found) or found.lstrip("+-").lower() in _SPECIAL:
        try:
            return float(found)
        except ValueError:  # as +-inf
            pass
    raise ParseError(f"{quoted(text)} is not a number")


def _integer(text: str) -> int:
    found = text.strip()
    if len(found) <= _MOST_DIGITS and _INTEGER.fullmatch(found):
        return int(found)
    number = _real(text)
    if not math.isfinite(number):
        raise ParseError(f"{quoted(text)} is not an integer")
    return int(number)
