# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Axes as model files give them: negative ones count from the back."""

from __future__ import annotations

from collections.abc import Sequence

from armnn_py.errors import ParseError


def normal_axis(axis: int, rank: int) -> int:
    """Return an axis counted from the front.

    Raises
    ------
    ParseError
        The axis is outside the tensor's dimensions.
    """
    if not -rank <= axis < rank:
        raise ParseError(f"axis {axis} is outside a tensor of {rank} dimensions")
    return axis + rank if axis < 0 else axis


def normal_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return axes counted from the front, in order; each may be named once."""
    found = [normal_axis(axis, rank) for axis in axes]
    if len(set(found)) != len(found):
        raise ParseError(f"axes {list(axes)} name a dimension twice")
    return tuple(sorted(found))
