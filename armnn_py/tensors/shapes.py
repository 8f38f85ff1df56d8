# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shapes of tensors: tuples of dimensions, of which some may be free, and their text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.symbolic import as_size
from armnn_py.text import printable

MAX_DIMENSIONS = 8
"""Most dimensions of a tensor."""


def format_shape(shape: Sequence[int | None], names: Sequence[str | None] = ()) -> str:
    """Return a shape as text: ``1x3x?x224``, or ``scalar``.

    With the names of free dimensions it is ``batch x 3 x height x 224``: names may hold an x.
    """
    dims = ["?" if dim is None else str(dim) for dim in shape]
    if not any(names):
        return "x".join(dims) or "scalar"
    return " x ".join(
        dim if name is None else printable(name) for dim, name in zip(dims, names, strict=True)
    )


def parse_shape(
    shape: Iterable[SupportsIndex | None], *, what: str = "shape"
) -> tuple[int | None, ...]:
    """Check a shape and return it as a tuple of Python integers.

    Parameters
    ----------
    shape
        At most 8 dimensions, each at least 0, or ``None`` for a free dimension.
    what
        Names the shape in an error.

    Raises
    ------
    InvalidArgumentError
        It is not a sequence of sizes.
    """
    try:
        if isinstance(shape, (str, bytes)):
            raise TypeError
        values = iter(shape)  # an array without dimensions is Iterable, but does not iterate
    except TypeError:
        raise InvalidArgumentError(
            f"{what} {shape!r} is not a sequence of integers",
            hints=["a shape is a tuple, as (1, 224, 224, 3); one dimension is (n,)"],
        ) from None
    dims: list[int | None] = []
    for value in values:
        if value is None:
            dims.append(None)
            continue
        dim = value if type(value) is int else _parse_dimension(value, len(dims), what)
        if dim < 0:
            raise InvalidArgumentError(
                f"{what}: dimension {len(dims)} is {dim}, at least 0 expected",
                hints=["a dimension that is known only when the network runs is None"],
            )
        dims.append(dim)
        if len(dims) > MAX_DIMENSIONS:
            raise InvalidArgumentError(
                f"{what}: more than {MAX_DIMENSIONS} dimensions",
                details=[f"given: {format_shape(dims)}..."],
            )
    return tuple(dims)


def _parse_dimension(value: Any, place: int, what: str) -> int:
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return as_size(value)
    except TypeError:
        raise InvalidArgumentError(
            f"{what}: dimension {place} is {value!r}, an integer or None expected"
        ) from None


def parse_static_shape(
    shape: Iterable[SupportsIndex | None], *, what: str = "shape"
) -> tuple[int, ...]:
    """Check a shape without free dimensions, as `parse_shape` does."""
    dims = parse_shape(shape, what=what)
    if None in dims:
        raise InvalidArgumentError(f"{what} {format_shape(dims)} has free dimensions")
    return dims  # type: ignore[return-value]
