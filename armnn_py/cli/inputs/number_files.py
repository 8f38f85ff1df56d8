# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Inputs from files that have numbers and no shape: raw bytes, and text."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.cli.render import words_of
from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors import StringInfo

if TYPE_CHECKING:
    from armnn_py.tensors import TensorInfo

#: Suffixes of the files that `read_numbers` reads.
SUFFIXES = (".raw", ".bin", ".txt")


def read_numbers(path: Path, name: str, info: TensorInfo) -> np.ndarray[Any, Any]:
    """Read an input of known data type.

    A ``.raw`` or ``.bin`` file has the elements as they lie in memory, row-major and little-endian;
    a ``.txt`` file has them as numbers between spaces, commas or ends of lines. One free dimension
    follows from the number of elements; a first one besides it is the number of lines with numbers
    of a ``.txt`` file, else 1. Strings are the lines of a ``.txt`` file.

    Raises
    ------
    InvalidArgumentError
        The file cannot be read, or has another number of elements than the input.
    """
    lines = 1
    try:
        if isinstance(info, StringInfo):
            values = _strings(path)
        elif path.suffix.lower() == ".txt":
            text = path.read_text(encoding="utf-8").replace(",", " ")
            words, lines = text.split(), sum(map(bool, map(str.strip, text.splitlines())))
            values = np.array([_number(word, info) for word in words], info.dtype)
        else:
            data = path.read_bytes()
            if len(data) % info.dtype.itemsize:
                raise ValueError(f"{len(data)} bytes are no whole number of {info.dtype}")
            values = np.frombuffer(data, info.dtype.newbyteorder("<")).astype(info.dtype)
    except (OSError, ValueError, OverflowError) as error:
        what = "strings" if isinstance(info, StringInfo) else "numbers"
        raise InvalidArgumentError(
            f"input file '{path}' cannot be read as {what} of input '{name}'",
            details=[words_of(error), f"input: {info!r}"],
        ) from error
    shape = list(info.shape)
    if shape.count(None) == 2 and shape[0] is None:
        shape[0] = lines
    known = math.prod(dim for dim in shape if dim is not None)
    if shape.count(None) == 1 and known and values.size % known == 0:
        shape[shape.index(None)] = values.size // known
    if None in shape or math.prod(dim for dim in shape if dim is not None) != values.size:
        sizes = "x".join("N" if dim is None else str(dim) for dim in info.shape)
        hint = f"--shape {name}={sizes} gives the input its shape, with a number for each N"
        raise InvalidArgumentError(
            f"input file '{path}' has {values.size} numbers, which do not fit input '{name}'",
            details=[f"input: {info!r}"],
            hints=[hint] if None in info.shape else [],
        )
    return values.reshape([dim for dim in shape if dim is not None])


def _strings(path: Path) -> np.ndarray[Any, Any]:
    """Return the lines of a text; the last one may lack its end."""
    if path.suffix.lower() != ".txt":
        raise ValueError("its bytes are no strings: use .txt with a string a line")
    lines = path.read_text(encoding="utf-8").split("\n")
    if not lines[-1]:
        lines.pop()
    return np.array(lines, object)


def _number(word: str, info: TensorInfo) -> float | int:
    return float(word) if info.dtype.kind == "f" else int(word)


def read_labels(path: Path) -> list[str]:
    """Read names of classes, one a line; empty lines at the end do not count.

    Raises
    ------
    InvalidArgumentError
        The file cannot be read as text.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(
            f"labels '{path}' cannot be read", details=[words_of(error)]
        ) from error
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.strip() for line in lines]
