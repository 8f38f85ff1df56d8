# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that choose elements, so that data decide how many: functions, and stages as data.

Converters compute the functions from weights, and stages from the arrays of a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.network.control import Array, Control, named

if TYPE_CHECKING:
    from armnn_py.network.repeat import RunBody


def places_of(array: Array) -> list[Array]:
    """Return where an array is not 0: one place per row, then one per column, int64."""
    rows = np.argwhere(array).astype(np.int64)
    return [rows, rows.T]


def unique(array: Array, axis: int | None, is_sorted: bool, index: Any) -> list[Array]:
    """Return different elements, or slices along an axis.

    Behind them come the first place of each, the number of each element among them, and how often
    each appears, of the dtype ``index``. Unless sorted they are in the order in which they come.
    """
    found, first, inverse, counts = np.unique(
        array, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    inverse = inverse.reshape(-1)
    if not is_sorted:
        order = np.argsort(first)
        found = found.take(order, 0 if axis is None else axis)
        inverse = np.argsort(order)[inverse]
        first, counts = first[order], counts[order]
    return [found, *(one.astype(index) for one in (first, inverse, counts))]


class Choice(Control, frozen=True):
    """An operator on arrays; the places of its results are those of what its function returns."""

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> dict[str, Array]:
        """Return the results that something reads."""
        return named(self.outputs, self.choose(*self.operands.of(arrays)))

    def choose(self, *arrays: Any) -> Sequence[Array]:
        """Return all results for the operands."""
        raise NotImplementedError


class Places(Choice, frozen=True, tag=True):
    """See `places_of`."""

    def choose(self, array: Array) -> list[Array]:
        """Return all results for the operand."""
        return places_of(array)


class Unique(Choice, frozen=True, tag=True):
    """See `unique`."""

    axis: int | None
    is_sorted: bool
    index: np.dtype[Any]

    def choose(self, array: Array) -> list[Array]:
        """Return all results for the operand."""
        return unique(array, self.axis, self.is_sorted, self.index)
