# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arguments that several builders share: windows, strides and padding as people write them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataLayout

__all__ = [
    "Padding",
    "Window",
    "Window3",
    "check_layout",
    "from_front",
    "is_default",
    "pads",
    "pads3",
    "pairs",
    "spatial_sizes",
    "window",
    "window3",
]

Window: TypeAlias = int | tuple[int, int]
"""A number for both, or (height, width)."""

Window3: TypeAlias = int | tuple[int, int, int]
"""A number for all, or (depth, height, width)."""

Padding: TypeAlias = int | Literal["valid", "same"] | Sequence[int]
"""``"valid"`` (none), ``"same"``, a number for all sides, or one for each side."""


def _numbers(value: object, count: int, what: str) -> tuple[int, ...]:
    try:
        if isinstance(value, (bool, np.bool_, str, bytes)):
            raise TypeError
        if isinstance(value, SupportsIndex) and np.ndim(value) == 0:  # type: ignore[arg-type]
            return (operator.index(value),) * count
        items = tuple(operator.index(item) for item in value)  # type: ignore[attr-defined]
    except TypeError:
        items = ()
    if len(items) != count:
        raise InvalidArgumentError(f"{what} {value!r} given, an integer or {count} expected")
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
    """Return (before, after) for each dimension, flat."""
    count = 2 * len(kernels)
    if isinstance(padding, str):
        if padding == "valid":
            return (0,) * count
        if padding == "same":
            pairs = (_same(*row) for row in zip(sizes, kernels, strides, dilations, strict=False))
            flat = tuple(pad for pair in pairs for pad in pair)
            return flat + (0,) * (count - len(flat))
        raise InvalidArgumentError(
            f"padding '{padding}' given, 'valid', 'same', an integer or ({sides}) expected"
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
        if value != default:
            raise InvalidArgumentError(
                f"{what}: descriptor= and {name}= given, one of them expected",
                hints=[f"state {name} in the descriptor"],
            )


def spatial_sizes(info: TensorInfo, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes along spatial axes; of a wrong rank, what there is (inference objects)."""
    shape = info.static_shape
    return tuple(shape[axis] for axis in axes if axis < len(shape))


def check_layout(layout: Any, rank: int) -> None:
    """Demand a data layout of images, or of volumes."""
    if not isinstance(layout, DataLayout) or layout.rank != rank:
        expected = " or ".join(member.name for member in DataLayout if member.rank == rank)
        raise InvalidArgumentError(f"data_layout {layout!r} given, DataLayout.{expected} expected")


def pairs(value: Sequence[tuple[int, int]], what: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the first and the second members of pairs."""
    try:
        return tuple(first for first, _ in value), tuple(second for _, second in value)
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"{what} {value!r} given, a (before, after) pair for each dimension expected"
        ) from None


def from_front(axis: int, rank: int, what: str) -> int:
    """Return an axis counted from the front."""
    try:
        index = operator.index(axis)
    except TypeError:
        raise InvalidArgumentError(f"{what}: axis {axis!r} given, an integer expected") from None
    if not -rank <= index < rank:
        raise InvalidArgumentError(
            f"{what}: axis {index} given, "
            + (f"{-rank} to {rank - 1} expected" if rank else "but a scalar has no axis")
        )
    return index % rank
