# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arguments that several builders share: windows, strides and padding as people write them."""

from __future__ import annotations

import itertools
import operator
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.network.core import MOST_OPERANDS
from armnn_py.network.layer import Layer, OutputSlot, Source
from armnn_py.tensors import MAX_DIMENSIONS, TensorInfo
from armnn_py.types import DataLayout

Window: TypeAlias = int | tuple[int, int]
"""A number for both, or (height, width)."""

Window3: TypeAlias = int | tuple[int, int, int]
"""A number for all, or (depth, height, width)."""

Padding: TypeAlias = int | Literal["valid", "same"] | Sequence[int]
"""``"valid"`` (none), ``"same"``, a number for all sides, or one for each side."""


_Descriptor = TypeVar("_Descriptor")


def _items(value: object, most: int) -> list[Any] | None:
    """Return at most ``most + 1`` members of a sequence; ``None`` if it is not a sequence."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return None
    try:
        return list(itertools.islice(value, most + 1))
    except TypeError:  # an array without dimensions
        return None


def integer(value: object, what: str) -> int:
    """Return an integer of any kind as Python's own."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidArgumentError(
            f"{what} {reprlib.repr(value)} given, an integer expected"
        ) from None


def integers(value: object, what: str, *, most: int = MAX_DIMENSIONS) -> tuple[int, ...]:
    """Return a sequence of integers as a tuple; at most ``most`` of them are read.

    Raises
    ------
    InvalidArgumentError
        It is not a sequence of integers, or has more members.
    """
    items = _items(value, most)
    if items is None:
        raise InvalidArgumentError(
            f"{what} {reprlib.repr(value)} given, a sequence of integers expected"
        )
    if len(items) > most:
        raise InvalidArgumentError(
            f"{what} {reprlib.repr(value)} given, at most {most} values expected"
        )
    return tuple(integer(item, f"{what}: value {place} is") for place, item in enumerate(items))


def sources(value: object, what: str) -> list[Source]:
    """Return the sources that a layer joins as a list."""
    items = None if isinstance(value, (Layer, OutputSlot)) else _items(value, MOST_OPERANDS)
    if items is None or len(items) > MOST_OPERANDS:
        raise InvalidArgumentError(
            f"{what}: inputs {reprlib.repr(value)} given, a sequence of layers, slots or values "
            "expected",
            details=[] if items is None else [f"at most {MOST_OPERANDS} are joined at once"],
        )
    return items


def _numbers(value: object, count: int, what: str) -> tuple[int, ...]:
    try:
        if isinstance(value, (bool, np.bool_, str, bytes)):
            raise TypeError
        if isinstance(value, SupportsIndex) and np.ndim(value) == 0:  # type: ignore[arg-type]
            return (operator.index(value),) * count
        items = tuple(operator.index(item) for item in _items(value, count) or ())
    except TypeError:
        items = ()
    if len(items) != count:
        raise InvalidArgumentError(
            f"{what} {reprlib.repr(value)} given, an integer or {count} expected"
        )
    return items


def window(value: Window, what: str) -> tuple[int, int]:
    """Return (height, width)."""
    height, width = _numbers(value, 2, what)
    return height, width


def window3(value: Window3, what: str) -> tuple[int, int, int]:
    """Return (depth, height, width)."""
    depth, height, width = _numbers(value, 3, what)
    return depth, height, width


def _same(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """Return padding with which the output has ``ceil(size / stride)`` elements.

    TensorFlow's SAME, ONNX's SAME_UPPER: an odd element goes behind.
    """
    if stride < 1:
        return 0, 0  # the descriptor refuses it
    count = -(-size // stride)
    total = max((count - 1) * stride + dilation * (kernel - 1) + 1 - size, 0)
    return total // 2, total - total // 2


def _all_pads(
    padding: Padding,
    sizes: Sequence[int],
    kernels: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    sides: str,
) -> tuple[int, ...]:
    """Return (before, after) for each dimension, flat.

    An operand of a wrong rank has fewer sizes; the shapes of the operands are checked later.
    """
    count = 2 * len(strides)
    if isinstance(padding, str):
        if padding == "valid":
            return (0,) * count
        if padding == "same":
            pairs = (_same(*row) for row in zip(sizes, kernels, strides, dilations, strict=False))
            flat = tuple(pad for pair in pairs for pad in pair)
            return flat + (0,) * (count - len(flat))
        raise InvalidArgumentError(
            f"padding {reprlib.repr(padding)} given, 'valid', 'same', an integer or ({sides}) "
            "expected"
        )
    return _numbers(padding, count, f"padding ({sides})")


def pads(
    padding: Padding,
    sizes: Sequence[int],
    kernels: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> tuple[int, int, int, int]:
    """Return padding as (top, bottom, left, right)."""
    top, bottom, left, right = _all_pads(
        padding, sizes, kernels, strides, dilations, "top, bottom, left, right"
    )
    return top, bottom, left, right


def pads3(
    padding: Padding,
    sizes: Sequence[int],
    kernels: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> tuple[int, int, int, int, int, int]:
    """Return padding as (front, back, top, bottom, left, right)."""
    front, back, top, bottom, left, right = _all_pads(
        padding, sizes, kernels, strides, dilations, "front, back, top, bottom, left, right"
    )
    return front, back, top, bottom, left, right


def is_default(what: str, **given: tuple[object, object]) -> None:
    """Demand that keywords which a descriptor replaces were left at their defaults."""
    for name, (value, default) in given.items():
        # Only these are compared: an array has no single answer.
        if not isinstance(value, (int, str, np.integer)) or value != default:
            raise InvalidArgumentError(
                f"{what}: descriptor= and {name}= given, one of them expected",
                hints=[f"state {name} in the descriptor"],
            )


def check_descriptor(what: str, descriptor: object, expected: type[_Descriptor]) -> _Descriptor:
    """Demand a descriptor of the right class."""
    if not isinstance(descriptor, expected):
        raise InvalidArgumentError(
            f"{what}: descriptor {reprlib.repr(descriptor)} given, {expected.__name__} expected"
        )
    return descriptor


def spatial_sizes(info: TensorInfo, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes along spatial axes; all sizes of a wrong rank, which inference refuses."""
    shape = info.static_shape
    return tuple(shape[axis] for axis in axes if axis < len(shape))


def check_layout(layout: Any, rank: int) -> None:
    """Demand a data layout of images, or of volumes."""
    if not isinstance(layout, DataLayout) or layout.rank != rank:
        expected = " or ".join(member.name for member in DataLayout if member.rank == rank)
        raise InvalidArgumentError(
            f"data_layout {reprlib.repr(layout)} given, DataLayout.{expected} expected"
        )


def pairs(value: Sequence[tuple[int, int]], what: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the first and the second members of pairs."""
    try:
        found = [(first, second) for first, second in itertools.islice(value, MAX_DIMENSIONS + 1)]
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"{what} {reprlib.repr(value)} given, a (before, after) pair for each dimension "
            "expected"
        ) from None
    return tuple(first for first, _ in found), tuple(second for _, second in found)


def from_front(axis: int, rank: int, what: str) -> int:
    """Return an axis counted from the front."""
    index = integer(axis, f"{what}: axis")
    if not -rank <= index < rank:
        raise InvalidArgumentError(
            f"{what}: axis {index} given, "
            + (f"{-rank} to {rank - 1} expected" if rank else "but a scalar has no axis")
        )
    return index % rank
